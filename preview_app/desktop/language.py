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
    """Speak the language of the system, Qt's own texts included, where there are translations for it; else English.

    Numbers follow: `QLocale()` is of that language from now on. Called before there are widgets, which keep theirs.
    """
    locale = locale or QLocale.system()
    own = _loaded(application, locale, CONTEXT, str(folder))
    speaks = own is not None or locale.language() == QLocale.Language.English
    QLocale.setDefault(locale if speaks else QLocale("en_US"))
    if own is None:
        return []
    qt = _loaded(application, locale, "qtbase", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))
    return [own] if qt is None else [own, qt]


def _loaded(application: QCoreApplication, locale: QLocale, name: str, folder: str) -> QTranslator | None:
    translator = QTranslator(application)
    found = translator.load(locale, name, "_", folder) and application.installTranslator(translator)
    return translator if found else None
