"""First pages in the list: on request, for what is in view, when nobody waits and there is plenty."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, QSettings, Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from engines.decryption import Password
from preview_app.config import Config
from preview_app.desktop.browser import Browser
from preview_app.desktop.entry_views import ENTRY_ROLE, PICTURE_HEIGHT_PX, PICTURES_MAX, ROW_ROOM_PX, EntryLook
from preview_app.preview_states import Extent, Failed, Failure, Showing
from tests.preview_app.desktop.conftest import Bench, finish

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


@pytest.fixture
def many(qtbot: QtBot, tmp_path: Path) -> Iterator[Bench]:
    """A window over more documents than go into it."""
    (tmp_path / "documents").mkdir()
    made = Bench(qtbot, tmp_path / "documents", count=30, thumbnails_folder=tmp_path / "thumbnails")
    yield made
    finish(made)


def asked(bench: Bench) -> list[str]:
    """Names of the documents that were converted for a picture."""
    return [request.path.name for request in bench.conversions.requests if request.extent is Extent.FIRST_PAGE]


def color(bench: Bench, row: int) -> int:
    """The colour in the middle of the icon of a row."""
    icon = bench.window.browser.list.model().index(row, 0).data(Qt.ItemDataRole.DecorationRole)
    assert isinstance(icon, QIcon)
    image = icon.pixmap(bench.window.browser.look.icon_size).toImage()
    return image.pixelColor(image.width() // 2, image.height() // 2).rgb() & 0xFFFFFF


def show_pictures(bench: Bench) -> None:
    bench.window.actions_by_name["list_thumbnails"].trigger()


def test_nothing_is_converted_until_pictures_are_wanted(many: Bench) -> None:
    many.show()
    assert asked(many) == []
    assert not many.window.browser.look.large


def test_what_is_in_view_gets_pictures_and_nothing_else_does(many: Bench) -> None:
    many.show()
    many.qtbot.waitUntil(lambda: many.paths[14] in many.window.pictures._in_view)  # while rows are small
    show_pictures(many)
    many.qtbot.waitUntil(lambda: color(many, 2) == many.colors["3.docx"])
    many.qtbot.waitUntil(lambda: many.window.pictures.thumbnailer.working_on is None)
    assert "30.docx" not in asked(many)
    assert color(many, 0) == many.colors["1.docx"]
    assert "1.docx" not in asked(many), "the document that is shown gives its own"
    many.window.browser.list.scrollToBottom()
    many.qtbot.waitUntil(lambda: color(many, 29) == many.colors["30.docx"])
    assert "15.docx" not in asked(many)


def test_what_is_selected_stays_in_sight_when_rows_grow(many: Bench) -> None:
    many.show(many.paths[14])
    for as_tree in (False, True):
        many.window.browser.set_as_tree(as_tree)
        view = many.window.browser.view
        for _ in range(2):
            show_pictures(many)
            assert view.viewport().rect().contains(view.visualRect(view.currentIndex()).center())


def test_pictures_wait_while_a_person_does(qtbot: QtBot, tmp_path: Path) -> None:
    bench = Bench(qtbot, tmp_path, answers=False)
    bench.appear()
    show_pictures(bench)
    bench.window.open_paths([tmp_path])
    bench.qtbot.waitUntil(lambda: bool(bench.window.pictures._in_view))
    assert asked(bench) == []
    bench.conversions.requests[0].fail(Failure("corrupt", "words"))
    assert isinstance(bench.window.preview.state, Failed)
    bench.qtbot.waitUntil(lambda: asked(bench) == ["1.docx"])
    bench.window.preview.open(bench.paths[3])
    request = next(request for request in bench.conversions.requests if request.extent is Extent.FIRST_PAGE)
    assert request.cancelled
    finish(bench)


def test_pictures_come_from_the_disk_the_next_time(qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    settings = QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)

    def window() -> Bench:
        folder = tmp_path / "thumbnails"
        return Bench(qtbot, tmp_path / "documents", count=1, settings=settings, thumbnails_folder=folder)

    first = window()
    (second_path := tmp_path / "documents" / "z.docx").write_bytes(b"words")
    first.conversions.pdfs["z.docx"] = first.conversions.pdfs["1.docx"]
    first.show()
    show_pictures(first)
    first.qtbot.waitUntil(lambda: asked(first) == ["z.docx"] and color(first, 1) == first.colors["1.docx"])
    finish(first)
    second = window()
    assert second.window.pictures.shown, "remembered"
    second.show()
    second.qtbot.waitUntil(lambda: color(second, 1) == first.colors["1.docx"])
    assert asked(second) == []
    second.window.pictures.clear()
    assert list((tmp_path / "thumbnails").iterdir()) == []
    assert second_path.exists()
    finish(second)


def test_on_battery_nothing_is_converted_for_pictures(many: Bench) -> None:
    many.show()
    many.window.thrift._mains = lambda: False
    many.window.thrift.look()
    show_pictures(many)
    many.qtbot.waitUntil(lambda: color(many, 0) == many.colors["1.docx"])
    assert asked(many) == []
    many.window.thrift._mains = lambda: True
    many.window.thrift._memory = lambda: True
    many.window.thrift.look()
    many.qtbot.waitUntil(lambda: "2.docx" in asked(many))


def test_what_was_opened_with_a_password_is_kept_nowhere(qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    bench = Bench(qtbot, tmp_path / "documents", count=1, thumbnails_folder=tmp_path / "thumbnails")
    pdf = bench.conversions.pdfs["1.docx"]
    bench.conversions.pdfs["1.docx"] = Failure("encrypted", "A password is needed.")
    bench.appear()
    bench.window.open_paths([tmp_path / "documents"])
    bench.qtbot.waitUntil(lambda: isinstance(bench.window.preview.state, Failed))
    show_pictures(bench)
    bench.qtbot.waitUntil(lambda: asked(bench) == ["1.docx"])
    bench.conversions.pdfs["1.docx"] = pdf
    with bench.qtbot.waitSignal(bench.window.first_page_painted):
        bench.window.preview.unlock(Password("secret"))
    assert isinstance(bench.window.preview.state, Showing)
    assert bench.rasterizer.documents[-1].asked
    assert all(lane.name != "LOW" for _, _, lane, _ in bench.rasterizer.documents[-1].asked)
    assert not (tmp_path / "thumbnails").exists()
    finish(bench)


def test_switched_off_the_rows_are_small_again(many: Bench) -> None:
    many.show()
    show_pictures(many)
    many.qtbot.waitUntil(lambda: bool(asked(many)))
    high = many.window.browser.list.sizeHintForRow(0)
    many.window.take_settings(Config(list_thumbnails=False))
    assert not many.window.actions_by_name["list_thumbnails"].isChecked()
    assert many.window.browser.list.sizeHintForRow(0) < high / 2
    assert many.window.pictures.thumbnailer.working_on is None


def test_pictures_in_a_tree(many: Bench) -> None:
    many.show()
    many.window.set_tree(True)
    show_pictures(many)
    many.qtbot.waitUntil(lambda: "3.docx" in asked(many))


def test_pictures_of_rows_are_bounded(qtbot: QtBot) -> None:
    look = EntryLook(None)  # type: ignore[arg-type]
    for number in range(PICTURES_MAX + 5):
        look.set_picture(Path(str(number)), QIcon())
    assert len(look._pictures) == PICTURES_MAX
    look.deleteLater()


@pytest.mark.parametrize("as_tree", [False, True])
def test_a_picture_that_arrives_is_painted(bench: Bench, as_tree: bool) -> None:
    bench.show()
    bench.window.set_tree(as_tree)
    bench.window.browser.look.set_large(True)
    viewport = bench.window.browser.view.viewport()
    painted = Painted(viewport)
    bench.qtbot.waitUntil(painted.quiet)
    bench.window.browser.look.set_picture(bench.paths[1], QIcon())
    bench.qtbot.waitUntil(lambda: painted.count > 0)


class Painted(QObject):
    """Counts how often a widget is painted."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.count = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        self.count += event.type() == QEvent.Type.Paint
        return False

    def quiet(self) -> bool:
        """Whether nothing was painted since the last call."""
        count, self.count = self.count, 0
        return count == 0


@pytest.mark.parametrize("as_tree", [False, True])
def test_folders_have_rows_of_one_line_also_among_pictures(bench: Bench, as_tree: bool) -> None:
    (bench.folder / "a folder").mkdir()
    bench.show(bench.folder)
    browser = bench.window.browser
    bench.window.set_tree(as_tree)
    small = _heights(browser)
    assert len(set(small.values())) == 1
    bench.window.set_list_thumbnails(True)
    large = _heights(browser)
    assert large["a folder"] == small["a folder"]
    (documents,) = {large[path.name] for path in bench.paths}
    assert documents >= PICTURE_HEIGHT_PX + ROW_ROOM_PX
    bench.window.set_list_thumbnails(False)
    assert _heights(browser) == small


def _heights(browser: Browser) -> dict[str, int]:
    view = browser.view
    rows = [view.model().index(row, 0) for row in range(view.model().rowCount())]
    return {row.data(ENTRY_ROLE).path.name: view.visualRect(row).height() for row in rows}
