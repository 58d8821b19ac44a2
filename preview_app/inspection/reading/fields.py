"""Commands of fields, as Word writes them into OOXML and RTF: those that reach out of the document."""

from __future__ import annotations

import re

from preview_app.inspection.reading.collector import Collector

_WORD = re.compile(r'"([^"]*)"|(\S+)')
_FETCHING = {
    "INCLUDEPICTURE": "image",
    "INCLUDETEXT": "text",
    "INCLUDE": "text",
    "IMPORT": "image",
    "LINK": "object",
    "RD": "document",
    "DATABASE": "database",
}
_DDE = frozenset({"DDE", "DDEAUTO"})


def judge(command: str, collector: Collector) -> None:
    """Note a field that fetches something or asks another program."""
    words = [quoted or plain for quoted, plain in _WORD.findall(command[:2000])]
    if not words:
        return
    name, *rest = words
    if name.upper() in _DDE:
        collector.dde(command)
    elif kind := _FETCHING.get(name.upper()):
        arguments = [word.replace("\\\\", "\\") for word in rest if not re.fullmatch(r"\\[A-Za-z*#@!]", word)]
        target = next((word for word in arguments if re.search(r"[:/\\.]", word)), arguments[0] if arguments else "")
        collector.external(kind, target or command)
