"""The private folder: made, held, removed; and old ones of ours cleared, never one in use or somebody else's."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from engines.native import scratch
from engines.native.scratch import Scratch
from tests.conftest import REPOSITORY

LATER = 10_000.0


def _much_later(folder: Path) -> float:
    return folder.stat().st_mtime + LATER


def test_a_folder_is_private_and_goes(tmp_path: Path) -> None:
    made = Scratch(tmp_path)
    assert stat.S_IMODE(made.path.stat().st_mode) == 0o700
    (made.path / "job").mkdir()
    made.remove()
    made.remove()
    assert not list(tmp_path.iterdir())


def test_one_in_use_is_left_alone(tmp_path: Path) -> None:
    made = Scratch(tmp_path)
    assert scratch.clear_old(tmp_path, now=_much_later(made.path)) == []
    made.remove()


def test_one_that_a_child_still_holds_is_left_alone(tmp_path: Path) -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(REPOSITORY)!r})\n"
        "from engines.native.scratch import hold\nfrom pathlib import Path\n"
        "hold(Path(sys.argv[1])); print('held', flush=True); sys.stdin.read()"
    )
    made = Scratch(tmp_path)
    with subprocess.Popen(
        [sys.executable, "-c", program, str(made.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"held\n"
        os.close(made._lock)
        made._lock = -1
        assert scratch.clear_old(tmp_path, now=_much_later(made.path)) == []
        child.kill()
    assert scratch.clear_old(tmp_path, now=_much_later(made.path)) == [made.path]


def test_a_young_one_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "docpeek-native-abc").mkdir()
    assert scratch.clear_old(tmp_path) == []


def test_an_old_one_is_cleared_by_the_next_engine(tmp_path: Path) -> None:
    old = tmp_path / "docpeek-native-abc"
    (old / "job-1").mkdir(parents=True)
    os.utime(old, (1, 1))
    made = Scratch(tmp_path)
    assert not old.exists()
    made.remove()


def test_what_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    for name in ("other", "docpeek-else"):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (1, 1))
    assert scratch.clear_old(tmp_path) == []


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.mkdir()
    (target / "file").touch()
    link = tmp_path / "docpeek-native-link"
    link.symlink_to(target)
    os.utime(link, (1, 1), follow_symlinks=False)
    assert scratch.clear_old(tmp_path) == []
    assert (target / "file").exists()


def test_the_root_is_a_folder_for_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert scratch.default_root().is_dir()
    monkeypatch.setattr(scratch, "_SHARED_MEMORY", tmp_path / "absent")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert scratch.default_root() == tmp_path
