"""A maker of small guests, which are closed at the end, and the file calls on a small tree."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engines.wasm.host.guest import Guest
from tests.engines.wasm.host.tiny_calls import Calls
from tests.engines.wasm.host.tiny_guest import LIMITS, GuestMaker, NoFonts, compiled, module


@pytest.fixture
def make_guest(tmp_path: Path) -> Iterator[GuestMaker]:
    """`make_guest(imports, body, **options)`: a started guest of the module with these parts."""
    guests: list[Guest] = []

    def make(imports: str = "", body: str = "", **options: Any) -> Guest:
        options = {"limits": LIMITS, "fonts": NoFonts(), **options}
        guest = Guest(compiled(tmp_path, module(imports, body)), **options)
        guests.append(guest)
        guest.start()
        return guest

    yield make
    for guest in guests:
        guest.close()


@pytest.fixture
def calls() -> Calls:
    calls = Calls()
    calls.tree.mkdirs("/d/sub")
    calls.tree.write("/d/file", b"0123456789")
    calls.tree.symlink("/d/file", "/link")
    calls.tree.symlink("loop", "/loop")
    calls.tree.symlink("nowhere", "/dangling")
    return calls
