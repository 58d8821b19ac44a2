"""Back and forward, across documents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from preview_app.desktop.page_layout import Anchor
from preview_app.preview_states import Converted, Failed, Failure, Opening, Showing
from preview_app.raster.api import Lane
from tests.preview_app.desktop.conftest import Bench, finish

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
ALT = Qt.KeyboardModifier.AltModifier
BACK, FORWARD = Qt.Key.Key_Left, Qt.Key.Key_Right


@pytest.fixture
def bench(qtbot: QtBot, tmp_path: Path) -> Iterator[Bench]:
    made = Bench(qtbot, tmp_path)
    made.show(made.paths[0])
    yield made
    finish(made)


def open_next(bench: Bench) -> None:
    bench.window.actions_by_name["next_file"].trigger()
    arrive(bench)


def arrive(bench: Bench) -> None:
    bench.qtbot.waitUntil(lambda: not isinstance(bench.window.preview.state, Opening))


def go(bench: Bench, key: Qt.Key) -> None:
    bench.press(key, ALT)
    arrive(bench)


def here(bench: Bench) -> tuple[str, int]:
    """Name of the document and page."""
    path = bench.window.preview.path
    assert path is not None
    return path.name, bench.pages.page


def test_back_leads_to_the_place_in_the_document_before(bench: Bench) -> None:
    bench.pages.go_to_anchor(Anchor(2, 0.5, 0.3))
    place = bench.pages.place
    open_next(bench)
    open_next(bench)
    go(bench, BACK)
    assert here(bench) == ("2.docx", 0)
    go(bench, BACK)
    assert here(bench) == ("1.docx", 2)
    assert bench.pages.place == place
    assert bench.window.browser.selected() == bench.paths[0]
    assert not bench.window.actions_by_name["back"].isEnabled()
    go(bench, FORWARD)
    go(bench, FORWARD)
    assert here(bench) == ("3.docx", 0)
    assert not bench.window.actions_by_name["forward"].isEnabled()


def test_jumps_inside_and_between_documents_are_one_history(bench: Bench) -> None:
    bench.window.viewer.reading.jump(3)
    open_next(bench)
    bench.window.viewer.reading.jump(1)
    places = [here(bench)]
    for _ in range(3):
        go(bench, BACK)
        places.append(here(bench))
    assert places == [("2.docx", 1), ("2.docx", 0), ("1.docx", 3), ("1.docx", 0)]


def test_back_leads_to_the_place_of_then_not_to_the_last_one(bench: Bench) -> None:
    bench.pages.go_to_anchor(Anchor(2, 0.5, 0.3))
    open_next(bench)
    bench.window.actions_by_name["previous_file"].trigger()
    arrive(bench)
    bench.pages.go_to_anchor(Anchor(0, 0.5, 0.0))
    go(bench, BACK)
    go(bench, BACK)
    assert here(bench) == ("1.docx", 2)


def test_documents_that_were_only_passed_are_none_of_it(bench: Bench) -> None:
    for _ in range(3):
        bench.window.actions_by_name["next_file"].trigger()
    arrive(bench)
    assert here(bench)[0] == "4.docx"
    go(bench, BACK)
    assert here(bench)[0] == "1.docx"


def test_a_new_way_forgets_what_lay_ahead(bench: Bench) -> None:
    open_next(bench)
    go(bench, BACK)
    bench.window.open_paths([bench.paths[4]])
    arrive(bench)
    assert not bench.window.actions_by_name["forward"].isEnabled()
    go(bench, BACK)
    assert here(bench)[0] == "1.docx"


def test_two_steps_at_once_are_two_steps(bench: Bench) -> None:
    open_next(bench)
    open_next(bench)
    held(bench, BACK, BACK)
    assert here(bench)[0] == "1.docx"
    go(bench, FORWARD)
    assert here(bench)[0] == "2.docx"
    go(bench, BACK)
    held(bench, FORWARD, FORWARD, BACK)
    assert here(bench)[0] == "2.docx"
    go(bench, FORWARD)
    assert here(bench)[0] == "3.docx"
    held(bench, BACK, FORWARD)
    assert here(bench)[0] == "3.docx"


def held(bench: Bench, *keys: Qt.Key) -> None:
    """Press these while nothing is answered, then let the answer to the last one come."""
    bench.conversions.soon = None
    for key in keys:
        bench.press(key, ALT)
    assert isinstance(bench.window.preview.state, Opening)
    bench.conversions.soon = bench.post
    wanted = [request for request in bench.conversions.requests if request.lane is Lane.CRITICAL][-1]
    answer = bench.conversions.pdfs[wanted.path.name]
    assert isinstance(answer, Converted)
    wanted.succeed(answer)
    arrive(bench)


def test_a_reload_is_no_jump(bench: Bench) -> None:
    bench.window.actions_by_name["reload"].trigger()
    arrive(bench)
    assert not bench.window.actions_by_name["back"].isEnabled()


def test_a_document_that_cannot_be_shown_is_left_by_back_too(bench: Bench) -> None:
    bench.conversions.pdfs["2.docx"] = Failure("corrupt", "words")
    open_next(bench)
    assert isinstance(bench.window.preview.state, Failed)
    go(bench, BACK)
    assert here(bench)[0] == "1.docx"
    go(bench, FORWARD)
    assert isinstance(bench.window.preview.state, Failed)


def test_a_way_back_that_is_given_up_has_not_happened(qtbot: QtBot, tmp_path: Path) -> None:
    bench = Bench(qtbot, tmp_path)
    bench.show(bench.paths[0])
    open_next(bench)
    bench.conversions.soon = None
    bench.press(BACK, ALT)
    bench.window.actions_by_name["escape"].trigger()
    assert isinstance(bench.window.preview.state, Showing)
    assert here(bench)[0] == "2.docx"
    assert bench.window.actions_by_name["back"].isEnabled()
    assert not bench.window.actions_by_name["forward"].isEnabled()
    bench.conversions.soon = bench.post
    go(bench, BACK)
    assert here(bench)[0] == "1.docx"
    finish(bench)


def test_back_leads_into_another_folder(bench: Bench) -> None:
    inner = bench.folder / "inner"
    inner.mkdir()
    (inner / "1.docx").write_bytes(b"words")
    bench.window.open_paths([inner])
    arrive(bench)
    assert bench.window.browser.folder == inner
    go(bench, BACK)
    assert bench.window.browser.folder == bench.folder
    assert bench.window.browser.selected() == bench.paths[0]
