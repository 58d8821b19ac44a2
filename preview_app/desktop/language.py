"""The language of the window. English is written in the code; `assets/translations` has the others, by Qt's tools.

`pyside6-lupdate` finds what stands in `tr` and `mark`, `pyside6-lrelease` makes the file that is loaded here.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

CONTEXT = "docpeek"


def tr(text: str) -> str:
    """A text in the language of the program."""
    return QCoreApplication.translate(CONTEXT, text)


def mark(text: str) -> str:
    """A text that `tr` will translate later: a table is made before the language is known."""
    return text


def install(application: QCoreApplication, folder: Path, locale: QLocale | None = None) -> list[QTranslator]:
    """Speak the language of the system, Qt's own texts included, where there are translations for it."""
    locale = locale or QLocale()
    loaded = []
    qt_folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    for name, where in (("qtbase", qt_folder), (CONTEXT, str(folder))):
        translator = QTranslator(application)
        if translator.load(locale, name, "_", where) and application.installTranslator(translator):
            loaded.append(translator)
    return loaded
