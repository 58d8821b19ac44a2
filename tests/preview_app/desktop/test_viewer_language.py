"""The window in another language."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QLocale
from pytestqt.qtbot import QtBot

from preview_app.desktop import figures, language, translations
from preview_app.desktop.actions import COMMANDS
from tests.conftest import REPOSITORY
from tests.preview_app.desktop.conftest import Bench, finish

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

FOLDER = REPOSITORY / "assets" / "translations"
SOURCES = REPOSITORY / "preview_app" / "desktop"
FIELD = re.compile(r"\{[^}]*\}")


def test_every_text_is_translated_with_the_same_fields() -> None:
    known = translations.read(FOLDER / "docpeek_de.ts")
    wanted = translations.texts(SOURCES)
    assert [text for text in wanted if not known.get(text)] == [], "run python -m preview_app.desktop.translations"
    assert set(known) == set(wanted)
    for text, translation in known.items():
        assert FIELD.findall(text) == FIELD.findall(translation), text
        assert text.count("&") == translation.count("&"), text


def test_what_is_loaded_is_made_of_what_is_written(german: None) -> None:
    for text, translation in translations.read(FOLDER / "docpeek_de.ts").items():
        assert language.tr(text) == translation


def test_menus_have_each_letter_once(german: None) -> None:
    for menu in {command.menu for command in COMMANDS if command.menu}:
        texts = [language.tr(command.text) for command in COMMANDS if command.menu == menu]
        letters = [text[text.index("&") + 1].lower() for text in texts if "&" in text]
        assert len(letters) == len(set(letters)), (menu, sorted(letters))


def test_a_window_speaks_it(german: None, qtbot: QtBot, tmp_path: Path) -> None:
    bench = Bench(qtbot, tmp_path)
    bench.show()
    assert bench.window.menuBar().actions()[0].text() == "&Datei"
    assert bench.window.status.page.text == "1 von 4"
    assert bench.window.status.time.text() == "umgewandelt in 0,25 s"
    assert bench.window.browser.filter.placeholderText() == "Filtern"
    finish(bench)


def test_without_a_translation_it_is_english(qtbot: QtBot) -> None:
    application = QCoreApplication.instance()
    assert application is not None
    assert language.install(application, FOLDER, QLocale("tlh")) == []
    assert language.tr("Copied.") == "Copied."
    assert figures.whole(1234) == "1,234", "numbers as in the sentences around them"


def test_texts_are_found_and_translations_kept(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text('X = mark("A")\ndef f():\n    return tr("B {}").format(1) + tr(X) + other("C")\n')
    assert translations.texts(tmp_path) == ["A", "B {}"]
    path = tmp_path / "docpeek_xx.ts"
    translations.write(path, ["A", "B {}"], {"A": "a & ä", "gone": "x"})
    assert translations.read(path) == {"A": "a & ä", "B {}": ""}
    assert 'type="unfinished"' in path.read_text(encoding="utf-8")


def test_no_text_for_a_person_is_put_together_of_pieces() -> None:
    """A translated text is a constant: an f-string in `tr` would never be found."""
    for path in SOURCES.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "tr":
                assert not any(isinstance(argument, ast.JoinedStr) for argument in node.args), path
