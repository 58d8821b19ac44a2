"""Rich Text Format, version 1.9.1: groups, control words, destinations."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import groupby

from preview_app.inspection.reading import fields
from preview_app.inspection.reading.collector import Collector, decoded

_TOKEN = re.compile(rb"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\(.)|([{}])|([^\\{}\r\n]+)", re.DOTALL)
_DEPTH_MAX = 10_000
_TEXT_MAX = 4_000
_INFO = {
    "title": "title", "subject": "subject", "author": "author", "operator": "last_author", "keywords": "keywords",
    "company": "company", "generator": "application", "creatim": "created", "revtim": "modified",
}  # fmt: skip
_CHANGES = {"revised": "insertions", "deleted": "deletions", "crauth": "formatting"}
_TIMES = ("yr", "mo", "dy", "hr", "min")
_SKIPPED = frozenset({"fonttbl", "colortbl", "stylesheet", "pict", "objdata", "themedata", "datastore", "listtable"})


@dataclass(slots=True)
class _Group:
    """What holds in a group; a group inside begins with it."""

    destination: str = ""
    hidden: bool = False
    changed: bool = False
    unicode: bool = False
    """Whether it is the second, better telling of something (`\\upr`)."""
    fallback: int = 1
    """How many characters stand behind a Unicode one, for readers that know none."""


def read(data: memoryview, collector: Collector) -> None:
    """Look at a document from front to back."""
    reader = _Reader(collector)
    position = 0
    while match := _TOKEN.search(data, position):
        position = match.end()
        if match[1] == b"bin":
            position += max(0, int(match[2] or 0))  # so many bytes are no text, whatever is in them
        elif not reader.take(match):
            return


class _Reader:
    def __init__(self, collector: Collector) -> None:
        self._collector = collector
        self._group = _Group()
        self._outer: list[_Group] = []
        self._texts: dict[str, list[str | bytes]] = {}
        self._hidden: list[str | bytes] = []
        self._date: dict[str, int] = {}
        self._codepage = "cp1252"
        self._skip = 0

    def take(self, token: re.Match[bytes]) -> bool:
        """Take a token; `False` when the document nests too deeply to go on."""
        word, number, byte, _symbol, brace, text = token.groups()
        if word:
            self._word(word.decode(), None if number is None else int(number))
        elif brace == b"{":
            if len(self._outer) >= _DEPTH_MAX:
                self._collector.not_read("The document was looked at in part only: its groups nest too deeply.")
                return False
            self._outer.append(self._group)
            self._group = replace(self._group, changed=False)
        elif brace == b"}":
            self._end_group()
        elif text or byte:
            raw = text or bytes.fromhex(byte.decode())
            self._text(raw[self._skip :])
            self._skip = max(0, self._skip - len(raw))
        return True

    def _word(self, word: str, number: int | None) -> None:
        group = self._group
        match word:
            case "v" if not group.destination:
                group.hidden = number != 0
            case "plain":
                group.hidden = False
            case "par" | "cell" | "sect":
                self._end_hidden()
            case _ if word in _CHANGES and number != 0:
                self._change(_CHANGES[word])
            case "object":
                self._collector.embedded += 1
            case "objautlink" | "objlink":
                self._collector.external("object", "an object that is linked")
            case "u" if number is not None:
                self._text(chr(number & 0xFFFF))
                self._skip = group.fallback
            case "annotation":
                self._collector.comments += 1
                group.destination = word
            case _:
                self._destination(word, number)

    def _destination(self, word: str, number: int | None) -> None:
        if word in _INFO or word in {"fldinst", "template", "atnauthor", "revtbl"} or word in _SKIPPED:
            self._group.destination = word
            self._date = {}
        elif word in _TIMES and number is not None:
            self._date[word] = number
        elif word == "ud":
            self._group.unicode = True
        elif word == "ansicpg" and number:
            self._codepage = f"cp{number}"
        elif word == "uc" and number is not None:
            self._group.fallback = max(0, number)

    def _text(self, text: str | bytes) -> None:
        destination = self._group.destination
        if not destination and self._group.hidden:
            self._hidden.append(text)
        elif destination and destination not in _SKIPPED:
            known = self._texts.setdefault(destination, [])
            if len(known) < _TEXT_MAX:
                known.append(text)

    def _change(self, kind: str) -> None:
        """A run of text that was changed; the same run says so once."""
        if not self._group.changed and not self._group.destination:
            self._group.changed = True
            setattr(self._collector, kind, getattr(self._collector, kind) + 1)

    def _end_group(self) -> None:
        ended, better = self._group.destination, self._group.unicode
        self._group = self._outer.pop() if self._outer else _Group()
        if ended and ended != self._group.destination:
            self._end_destination(ended, better=better)

    def _end_destination(self, destination: str, *, better: bool) -> None:
        text = self._joined(self._texts.pop(destination, [])).strip()
        if destination in {"creatim", "revtim"}:
            self._collector.tell(_INFO[destination], self._time())
        elif destination in _INFO:
            self._collector.tell(_INFO[destination], text.removesuffix(";"), better=better)
        elif destination == "fldinst":
            self._field(text)
        elif destination == "template" and re.search(r"[:/\\]", text):
            self._collector.external("template", text)
        elif destination == "atnauthor":
            self._collector.commented_by(text)
        elif destination == "revtbl":
            for author in text.split(";"):
                self._collector.changed_by("" if author.strip() == "Unknown" else author)

    def _field(self, command: str) -> None:
        if command.upper().startswith("HYPERLINK"):
            self._collector.hyperlinks += 1
        fields.judge(command, self._collector)

    def _time(self) -> str:
        year, month, day, hour, minute = (self._date.get(part, 0) for part in _TIMES)
        return f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:00" if year else ""

    def _end_hidden(self) -> None:
        if self._hidden:
            self._collector.hidden_text(self._joined(self._hidden))
            self._hidden.clear()

    def _joined(self, parts: list[str | bytes]) -> str:
        """Bytes by the code page of the document; a character of it may have come in several pieces."""
        text = "".join(
            "".join(part for part in run if isinstance(part, str))
            if wide
            else decoded(b"".join(part for part in run if isinstance(part, bytes)), self._codepage)
            for wide, run in groupby(parts, lambda part: isinstance(part, str))
        )
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
