"""What the tests of the native engine share."""

from __future__ import annotations

import sys

import pytest

from engines.native import launch


@pytest.fixture(autouse=True)
def python_may_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program that stands for soffice is a Python script, so its interpreter must be within reach."""
    monkeypatch.setattr(launch, "SYSTEM_PATHS", (*launch.SYSTEM_PATHS, sys.prefix, sys.base_prefix, "/usr/bin"))
