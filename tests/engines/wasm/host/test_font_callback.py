"""What the guest asks about fonts, what it is told, and how often the resolver hears of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engines.wasm.host.fontcallback import FontFace, FontRequest
from engines.wasm.host.guest import Guest, UnexpectedImport
from tests.engines.wasm.host.tiny_guest import GuestMaker

IMPORT = '(import "env" "emscripten_asm_const_ptr_sync_on_main_thread" (func $ask (param i32 i32 i32) (result i32)))'
BODY = """
  (data (i32.const 64) "ppiiiippppi\\00ppi\\00")
  (func (export "ask") (param i32) (result i32)
    (call $ask (i32.const 57673268) (i32.const 64) (local.get 0)))
  (func (export "ask_otherwise") (result i32)
    (call $ask (i32.const 1) (i32.const 76) (i32.const 0)))
  (func (export "poke") (param i32 i32) (i32.store (local.get 0) (local.get 1)))
"""
REGULAR, BOLD = 5, 8

Ask = Callable[..., list[str]]


class Catalogue:
    """Two families with a regular and a bold face; everything else is answered by the first."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.requests: list[FontRequest] = []
        for name in ("Plain-regular.ttf", "Plain-bold.ttf", "Other-regular.TTF", "Other-bold.TTF"):
            (folder / name).write_bytes(name.encode())

    def resolve(self, request: FontRequest) -> tuple[FontFace, ...]:
        self.requests.append(request)
        if request.family == "Nothing":
            return ()
        family, suffix = ("Other", "TTF") if request.family.lower() == "other" else ("Plain", "ttf")
        style = "bold" if request.weight >= BOLD else "regular"
        return (FontFace(str(self.folder / f"{family}-{style}.{suffix}"), family),)


@pytest.fixture
def catalogue(tmp_path: Path) -> Catalogue:
    return Catalogue(tmp_path)


@pytest.fixture
def guest(make_guest: GuestMaker, catalogue: Catalogue) -> Guest:
    return make_guest(IMPORT, BODY, fonts=catalogue)


@pytest.fixture
def ask(guest: Guest) -> Ask:
    def wide(text: str) -> int:
        data = text.encode("utf-16-le") + b"\0\0"
        address = guest.call("malloc", len(data) + 4)
        for at in range(0, len(data), 4):
            guest.call("poke", address + at, int.from_bytes(data[at : at + 4], "little"))
        return address

    def ask(family: str, weight: int = REGULAR, missing: str = "") -> list[str]:
        block = guest.call("malloc", 44)
        values = (wide(family), wide(""), weight, 0, 0, 2, wide("en-US"), wide(missing), 0, 0, 0)
        for index, value in enumerate(values):
            guest.call("poke", block + 4 * index, value)
        return guest.read_string(guest.call("ask", block)).splitlines()

    return ask


def test_a_request_reaches_the_resolver_once(guest: Guest, catalogue: Catalogue, ask: Ask) -> None:
    guest.begin_document()
    assert ask("Calibri") == ask("Calibri") == ["/fonts/0.ttf\tPlain"]
    assert catalogue.requests == [FontRequest("Calibri", "", REGULAR, 0, 0, 2, "en-US", "")]
    assert bytes(guest.files.read("/fonts/0.ttf")) == b"Plain-regular.ttf"
    assert ask("Calibri", BOLD) == ["/fonts/1.ttf\tPlain"]
    assert ask("Größe\U0001d538", missing="文\U0001f600") == ["/fonts/0.ttf\tPlain"]
    assert catalogue.requests[-1].family == "Größe\U0001d538"
    assert catalogue.requests[-1].codepoints == "文\U0001f600"


def test_nothing_is_zero(ask: Ask) -> None:
    assert ask("Nothing") == []


def test_a_family_under_its_own_name_comes_with_all_its_styles(guest: Guest, ask: Ask) -> None:
    guest.begin_document()
    assert ask("other") == ["/fonts/0.ttf\tOther", "/fonts/1.ttf\tOther"]
    assert bytes(guest.files.read("/fonts/1.ttf")) == b"Other-bold.TTF"


def test_while_preparing_all_families_are_whole(guest: Guest, catalogue: Catalogue, ask: Ask) -> None:
    assert ask("Calibri") == ["/fonts/0.ttf\tPlain", "/fonts/1.ttf\tPlain"]
    asked = len(catalogue.requests)
    ask("Calibri")
    assert len(catalogue.requests) == asked
    guest.begin_document()
    assert ask("Calibri") == ["/fonts/0.ttf\tPlain"]
    assert len(catalogue.requests) == asked + 1


def test_asking_on_and_on_is_ended_by_the_name_asked_for(guest: Guest, ask: Ask) -> None:
    guest.begin_document()
    answers = [ask("Calibri") for _ in range(401)]
    assert answers[398] == ["/fonts/0.ttf\tPlain"]
    # The guest knows the first path under another name, so the same files have paths of their own.
    assert answers[399] == answers[400] == ["/fonts/1.ttf\tCalibri", "/fonts/2.ttf\tCalibri"]
    assert bytes(guest.files.read("/fonts/2.ttf")) == b"Plain-bold.ttf"


def test_missing_characters_are_always_answered_under_the_real_name(guest: Guest, ask: Ask) -> None:
    guest.begin_document()
    assert {tuple(ask("Calibri", missing="文")) for _ in range(401)} == {("/fonts/0.ttf\tPlain",)}


def test_any_other_question_ends_the_guest(guest: Guest) -> None:
    with pytest.raises(UnexpectedImport, match="with arguments ppi"):
        guest.call("ask_otherwise")


def test_a_name_that_would_break_the_answer_is_refused(
    make_guest: GuestMaker, catalogue: Catalogue, tmp_path: Path
) -> None:
    class Broken:
        def resolve(self, request: FontRequest) -> tuple[FontFace, ...]:
            return (FontFace(str(tmp_path / "Plain-bold.ttf"), "A\tB"),)

    guest = make_guest(IMPORT, BODY, fonts=Broken())
    with pytest.raises(ValueError, match="cannot be given"):
        guest.call("ask", 128)
