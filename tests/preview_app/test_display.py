"""Why no window can be shown is said before Qt would end the process."""

from __future__ import annotations

import subprocess
import sys

import pytest

from preview_app.display import problem
from tests.conftest import REPOSITORY

linux = pytest.mark.skipif(sys.platform != "linux", reason="other systems bring their libraries")


@linux
def test_no_display() -> None:
    told = problem({})
    assert told is not None
    assert told.startswith("There is no display.")
    assert "docpeek render" in told


@linux
def test_a_display_that_does_not_answer() -> None:
    told = problem({"DISPLAY": ":4711"})
    assert told is not None
    assert "does not answer" in told or "apt-get install" in told


def test_offscreen_is_enough() -> None:
    assert problem({"QT_QPA_PLATFORM": "offscreen"}) is None


@linux
def test_the_command_says_it() -> None:
    command = [sys.executable, "-m", "preview_app", "open", str(REPOSITORY / "assets/samples/welcome.docx")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env={"PATH": "/usr/bin"})
    assert done.returncode == 8
    assert "There is no display." in done.stderr
    assert "Traceback" not in done.stderr
