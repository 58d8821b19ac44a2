"""Thumbnails, outline, facts; what lasts; presentation, night and settings in the window."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from engines.base import FontReplacement
from engines.notices import Notice
from preview_app.config import Config, load_config, save_config
from preview_app.desktop import figures
from preview_app.desktop.details import FileFacts
from preview_app.desktop.page_column import Place
from preview_app.desktop.page_layout import Anchor, Fit, Mode
from preview_app.desktop.places import PLACES_MAX, RECENT_MAX, Places
from preview_app.desktop.sentences import type_label
from preview_app.desktop.theme import Theme
from preview_app.preview_states import Converted, Facts
from preview_app.raster.api import OutlineEntry
from tests.preview_app.desktop.conftest import Bench, finish
from tests.preview_app.desktop.viewer_fakes import A4, fake_pdf

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

Key = Qt.Key
OUTLINE = (
    OutlineEntry(1, "One", 0, 10.0),
    OutlineEntry(2, "One and a half", 3, 20.0),
    OutlineEntry(1, "", 5, None),
    OutlineEntry(1, "Two", 8, None),
    OutlineEntry(2, "Nowhere", None, None),
)


@pytest.fixture
def long(qtbot: QtBot, tmp_path: Path) -> Iterator[Bench]:
    """A window that shows twenty pages with an outline."""
    made = Bench(qtbot, tmp_path, pages=20)
    made.rasterizer.entries = OUTLINE
    made.show()
    yield made
    finish(made)


# ---- thumbnails and outline


def test_thumbnails_are_drawn_when_somebody_sees_them(long: Bench) -> None:
    thumbnails = long.window.navigation.thumbnails
    assert thumbnails.pictures == frozenset()
    long.window.actions_by_name["toggle_navigation"].trigger()
    long.qtbot.waitUntil(lambda: {0, 1, 2} <= thumbnails.pictures)
    assert 19 not in thumbnails.pictures
    thumbnails.scrollToBottom()
    long.qtbot.waitUntil(lambda: 19 in thumbnails.pictures)


def test_a_thumbnail_leads_to_its_page_and_follows_the_view(long: Bench) -> None:
    long.window.actions_by_name["toggle_navigation"].trigger()
    thumbnails = long.window.navigation.thumbnails
    index = thumbnails.model().index(2, 0)
    QTest.mouseClick(thumbnails.viewport(), Qt.MouseButton.LeftButton, pos=thumbnails.visualRect(index).center())
    assert long.pages.page == 2
    assert long.window.actions_by_name["back"].isEnabled()
    long.pages.go_to_page(7)
    assert thumbnails.currentIndex().row() == 7


def test_thumbnails_look_as_the_pages_do(long: Bench) -> None:
    long.window.actions_by_name["toggle_navigation"].trigger()
    thumbnails = long.window.navigation.thumbnails
    long.qtbot.waitUntil(lambda: 0 in thumbnails.pictures)

    def color() -> int:
        spot = thumbnails.visualRect(thumbnails.model().index(0, 0)).center()
        return thumbnails.viewport().grab().toImage().pixelColor(spot).rgb() & 0xFFFFFF

    assert color() == long.colors["1.docx"]
    long.window.actions_by_name["night"].trigger()
    long.qtbot.waitUntil(lambda: color() == long.colors["1.docx"] ^ 0xFFFFFF)
    long.window.actions_by_name["turn_right"].trigger()
    assert color() == long.colors["1.docx"] ^ 0xFFFFFF


def test_another_document_has_other_thumbnails(long: Bench) -> None:
    long.window.actions_by_name["toggle_navigation"].trigger()
    thumbnails = long.window.navigation.thumbnails
    long.qtbot.waitUntil(lambda: 0 in thumbnails.pictures)
    with long.qtbot.waitSignal(long.window.first_page_painted):
        long.window.actions_by_name["next_file"].trigger()
    long.qtbot.waitUntil(lambda: 0 in thumbnails.pictures)
    spot = thumbnails.visualRect(thumbnails.model().index(0, 0)).center()
    assert thumbnails.viewport().grab().toImage().pixelColor(spot).rgb() & 0xFFFFFF == long.colors["2.docx"]


def test_the_outline_leads_to_headings_and_follows_the_view(long: Bench) -> None:
    navigation = long.window.navigation
    long.window.actions_by_name["toggle_navigation"].trigger()
    navigation.setCurrentWidget(navigation.outline)
    tree = navigation.outline.tree
    long.qtbot.waitUntil(lambda: navigation.outline.currentWidget() is tree)
    model = tree.model()
    assert [model.index(row, 0).data() for row in range(model.rowCount())] == ["One", "Two"]
    inner = model.index(0, 0, model.index(0, 0))
    assert inner.data() == "One and a half"
    QTest.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=tree.visualRect(inner).center())
    assert long.pages.page == 3
    long.window.actions_by_name["back"].trigger()
    assert long.pages.page == 0, "one click is one jump"
    long.pages.go_to_page(9)
    assert tree.currentIndex().data() == "Two"


def test_a_document_without_outline_says_so(bench: Bench) -> None:
    bench.show()
    navigation = bench.window.navigation
    bench.window.actions_by_name["toggle_navigation"].trigger()
    navigation.setCurrentWidget(navigation.outline)
    assert navigation.outline.currentWidget() is navigation.outline.empty


# ---- facts


def test_the_facts_of_a_document_are_told_and_copied(bench: Bench) -> None:
    bench.conversions.pdfs["1.docx"] = Converted(
        fake_pdf(0x808080, [A4, A4, (842.0, 595.0)]),
        "LibreOffice 26 in WebAssembly",
        1.25,
        (FontReplacement("Calibri", "Carlito"), FontReplacement("Verdana", "DejaVu Sans")),
        (Notice("This is a notice."),),
        facts=Facts("docx", "wasm", "26", "ab" * 32, "cd" * 32, 123_456, 0.5, 1.8),
    )
    bench.show()
    bench.window.actions_by_name["toggle_details"].trigger()
    details = bench.window.details
    bench.qtbot.waitUntil(lambda: details.copy_button.width() > 50)
    text = details.text
    for expected in (
        "1.docx",
        "Word document",
        "120.6 KiB (123,456 bytes)",
        "210 × 297 mm (2)",
        "297 × 210 mm (1)",
        "1.25 s",
        "0.50 s",
        "Carlito (same widths)",
        "DejaVu Sans",
        "This is a notice.",
        "ab" * 32,
    ):
        assert expected in text.splitlines()
    QTest.mouseClick(details.copy_button, Qt.MouseButton.LeftButton)
    told = json.loads(QGuiApplication.clipboard().text())
    assert told["file"] == str(bench.paths[0])
    assert told["generation"] == "ab" * 32
    assert told["digest"] == "cd" * 32
    assert told["pages"] == 3
    assert told["seconds"] == {"queue": 0.5, "convert": 1.25, "total": 1.8}
    assert told["missing_fonts"][0] == {"requested": "Calibri", "used": "Carlito"}
    assert told["page_sizes_pt"][1] == {"width": 842.0, "height": 595.0, "pages": 1}


def test_without_a_document_there_are_no_facts(bench: Bench) -> None:
    bench.appear()
    bench.window.actions_by_name["toggle_details"].trigger()
    assert not bench.window.details.copy_button.isEnabled()
    assert bench.window.details.empty.isVisible()
    assert not bench.window.actions_by_name["print"].isEnabled()


def test_sizes_and_types_in_words(tmp_path: Path) -> None:
    assert figures.size(1023) == "1023 bytes"
    assert figures.size(1024) == "1.0 KiB (1,024 bytes)"
    assert figures.size(5 << 20) == "5.0 MiB (5,242,880 bytes)"
    assert figures.size(3 << 40).startswith("3,072.0 GiB")
    assert type_label("pdf") == "PDF document"
    assert FileFacts.of(tmp_path / "nothing") == FileFacts()


# ---- what lasts


def test_places_are_kept_and_the_oldest_go(tmp_path: Path) -> None:
    settings = QSettings(str(tmp_path / "s.ini"), QSettings.Format.IniFormat)
    places = Places(settings)
    place = Place(Anchor(3, 0.5, 0.25), Fit.FREE, 1.5, 1)
    for number in range(PLACES_MAX + 5):
        places.keep(Path(f"/x/{number}"), place)
    for number in range(RECENT_MAX + 3):
        places.opened(Path(f"/x/{number}"))
    places.save()
    again = Places(settings)
    assert again.get(Path("/x/0")) is None
    assert again.get(Path("/x/100")) == place
    assert again.recent[0] == Path(f"/x/{RECENT_MAX + 2}")
    assert len(again.recent) == RECENT_MAX
    again.forget()
    assert Places(settings).get(Path("/x/100")) is None


@pytest.mark.parametrize(
    "junk", ["{", "5", '[1, ["a"], ["p", "x", 0, 0, "free", 1, 0]]', '[["p", 1, 0, 0, "huge", 1, 0]]']
)
def test_what_is_no_place_is_left_out(tmp_path: Path, junk: str) -> None:
    settings = QSettings(str(tmp_path / "s.ini"), QSettings.Format.IniFormat)
    settings.setValue("places", junk)
    settings.setValue("recent", junk)
    assert Places(settings).get(Path("p")) is None


def test_one_comes_back_to_the_page_and_the_zoom(long: Bench) -> None:
    long.pages.set_zoom(0.8)
    long.pages.go_to_page(11)
    with long.qtbot.waitSignal(long.window.first_page_painted):
        long.window.actions_by_name["next_file"].trigger()
    assert (long.pages.page, long.pages.fit) == (0, Fit.FREE)
    with long.qtbot.waitSignal(long.window.first_page_painted):
        long.window.actions_by_name["previous_file"].trigger()
    assert (long.pages.page, long.pages.zoom) == (11, 0.8)


def test_another_run_remembers_all(qtbot: QtBot, tmp_path: Path) -> None:
    settings = QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)
    (tmp_path / "a").mkdir()
    first = Bench(qtbot, tmp_path / "a", pages=20, settings=settings)
    first.show(first.paths[1])
    first.pages.go_to_page(5)
    first.window.actions_by_name["night"].trigger()
    first.window.actions_by_name["toggle_details"].trigger()
    first.window.actions_by_name["toggle_list"].trigger()
    finish(first)
    second = Bench(qtbot, tmp_path / "a", pages=20, settings=settings)
    second.show(second.paths[1])
    assert second.pages.page == 5
    assert second.pages.night
    assert second.window.details.isVisible()
    assert not second.window.browser.isVisible()
    second.window._fill_recent_menu()
    assert second.window._recent_menu.actions()[0].text() == "2.docx"
    finish(second)


def test_recent_places_and_the_title_show_names_as_they_are(bench: Bench) -> None:
    bench.paths[0].rename(odd := bench.paths[0].with_name("R&D\nplan.docx"))
    bench.conversions.pdfs[odd.name] = bench.conversions.pdfs["1.docx"]
    bench.show(odd)
    bench.window._fill_recent_menu()
    assert bench.window._recent_menu.actions()[0].text() == "R&&D\N{REPLACEMENT CHARACTER}plan.docx"
    assert bench.window.windowTitle().startswith("R&D\N{REPLACEMENT CHARACTER}plan.docx")
    assert bench.window.browser.view.currentIndex().data() == "R&D\N{REPLACEMENT CHARACTER}plan.docx"


# ---- presentation, single page


def test_a_presentation_hides_all_else_and_ends_as_it_began(long: Bench) -> None:
    window = long.window
    window.actions_by_name["toggle_navigation"].trigger()
    window.actions_by_name["present"].trigger()
    assert window.isFullScreen()
    assert not any(pane.isVisible() for pane in (window.browser, window.navigation, window.status, window.menuBar()))
    long.press(Key.Key_Right)
    assert (long.pages.page, window.preview.path) == (1, long.paths[0])
    QTest.mouseClick(long.pages.viewport(), Qt.MouseButton.LeftButton)
    assert long.pages.page == 2
    long.press(Key.Key_Left)
    assert long.pages.page == 1
    long.press(Key.Key_Escape)
    assert not window.isFullScreen()
    assert not long.pages.presenting
    assert window.browser.isVisible()
    assert window.navigation.isVisible()
    assert not window.details.isVisible()
    assert long.pages.page == 1


def test_without_a_document_nothing_is_presented(bench: Bench) -> None:
    bench.appear()
    bench.window.toggle_presentation()
    assert not bench.window.isFullScreen()


def test_one_page_at_a_time_is_a_switch(long: Bench) -> None:
    action = long.window.actions_by_name["single_page"]
    action.trigger()
    assert (long.pages.mode, action.isChecked()) == (Mode.SINGLE, True)
    action.trigger()
    assert (long.pages.mode, action.isChecked()) == (Mode.CONTINUOUS, False)


# ---- settings


def test_settings_take_effect_and_are_kept(qtbot: QtBot, tmp_path: Path) -> None:
    kept: list[Config] = []
    (tmp_path / "a").mkdir()
    bench = Bench(qtbot, tmp_path / "a", save_config=kept.append)
    (bench.folder / ".hidden.docx").write_bytes(b"x")
    bench.show()
    bench.window.take_settings(Config(theme="dark", show_hidden_files=True, prefetch_neighbours=False))
    assert bench.window.theme is Theme.DARK
    assert bench.folder / ".hidden.docx" in bench.window.browser.documents
    assert bench.window.preview.prefetching == frozenset()
    assert len(kept) == 1
    bench.window.take_settings(kept[0])
    assert len(kept) == 1
    bench.window.set_theme(Theme.LIGHT)
    finish(bench)


def test_a_settings_file_holds_what_differs(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "config.toml"
    config = Config(theme="dark", slots=4, deadline_s=12.5, prefetch_neighbours=False)
    save_config(config, path)
    assert load_config(path) == config
    assert "raster_workers" not in path.read_text()
    save_config(Config(), path)
    assert load_config(path) == Config()
    assert [each.name for each in path.parent.iterdir()] == ["config.toml"]
