"""The parts of a Word document: hidden text, tracked changes, comments, fields."""

from __future__ import annotations

import re

from preview_app.inspection.reading import fields
from preview_app.inspection.reading.collector import Collector
from preview_app.inspection.reading.packages import Package
from preview_app.inspection.reading.xmlscan import Attributes

_STORIES = re.compile(r"word/(?:document\d*|header\d*|footer\d*|footnotes|endnotes)\.xml")
_VANISH = re.compile(rb"[:<]vanish\b")
_NAMES = rb"vanish|ins|del|moveFrom|cellIns|cellDel|instrText|fldSimple|\w+PrChange|numberingChange"
_TELLING = re.compile(rb"[:<](?:%b)\b" % _NAMES)
_TELLING_WITH_STYLES = re.compile(rb"[:<](?:%b|[pr]Style)\b" % _NAMES)
"""What a story with something to tell holds."""
_OFF = frozenset({"0", "false", "off"})
_INSERTED = frozenset({"w:ins", "w:cellIns"})
_DELETED = frozenset({"w:del", "w:cellDel"})
_FIELD_CHARACTERS_MAX = 4000


def read(package: Package, collector: Collector) -> None:
    """Look at styles, then at every story, then at the comments."""
    styles = _Styles()
    package.scan("word/styles.xml", styles.start, styles.end, only_if=_VANISH)
    hidden = styles.hidden()
    for part in package.named(_STORIES.fullmatch):
        story = _Story(collector, hidden)
        package.scan(part, story.start, story.end, story.text, only_if=_TELLING_WITH_STYLES if hidden else _TELLING)

    def comment(name: str, attributes: Attributes) -> None:
        if name == "w:comment":
            collector.comment(attributes.get("w:author", ""))

    package.scan("word/comments.xml", comment)


def _is_on(attributes: Attributes) -> bool:
    return attributes.get("w:val", "1") not in _OFF


class _Styles:
    """Which styles hide what is written in them."""

    def __init__(self) -> None:
        self._style = ""
        self._based_on: dict[str, str] = {}
        self._vanish: dict[str, bool] = {}

    def start(self, name: str, attributes: Attributes) -> None:
        if name == "w:style":
            self._style = attributes.get("w:styleId", "")
        elif name == "w:basedOn" and self._style:
            self._based_on[self._style] = attributes.get("w:val", "")
        elif name == "w:vanish" and self._style:
            self._vanish[self._style] = _is_on(attributes)

    def end(self, name: str) -> None:
        if name == "w:style":
            self._style = ""

    def hidden(self) -> frozenset[str]:
        """Their ids."""
        return frozenset(style for style in {*self._vanish, *self._based_on} if self._hides(style))

    def _hides(self, style: str) -> bool:
        for _ in range(20):
            if style in self._vanish:
                return self._vanish[style]
            style = self._based_on.get(style, "")
        return False


class _Story:
    """A part with paragraphs, which may stand in one another (text boxes)."""

    def __init__(self, collector: Collector, hidden_styles: frozenset[str]) -> None:
        self._collector = collector
        self._hidden_styles = hidden_styles
        self._paragraphs: list[bool] = []
        self._runs: list[bool] = []
        self._in_paragraph_properties = 0
        self._takes_text = self._takes_field = False
        self._field: list[str] = []
        self._hidden: list[str] = []

    def start(self, name: str, attributes: Attributes) -> None:
        match name:
            case "w:p":
                self._paragraphs.append(False)
            case "w:r":
                self._runs.append(bool(self._paragraphs) and self._paragraphs[-1])
            case "w:pPr":
                self._in_paragraph_properties += 1
            case "w:pStyle" if self._paragraphs:
                self._paragraphs[-1] = attributes.get("w:val") in self._hidden_styles
            case "w:rStyle" | "w:vanish":
                self._run_property(name, attributes)
            case "w:t":
                self._takes_text = bool(self._runs) and self._runs[-1]
            case "w:instrText":
                self._takes_field = True
            case "w:fldSimple":
                fields.judge(attributes.get("w:instr", ""), self._collector)
            case "w:fldChar":
                self._end_field()
            case _:
                self._change(name, attributes)

    def _run_property(self, name: str, attributes: Attributes) -> None:
        if not self._runs or self._in_paragraph_properties:
            return  # that of the mark at the end of a paragraph
        if name == "w:rStyle":
            self._runs[-1] |= attributes.get("w:val") in self._hidden_styles
        else:
            self._runs[-1] = _is_on(attributes)

    def end(self, name: str) -> None:
        match name:
            case "w:p" if self._paragraphs:
                self._paragraphs.pop()
                self._end_field()
                self._end_hidden()
            case "w:r" if self._runs:
                self._runs.pop()
            case "w:pPr":
                self._in_paragraph_properties -= 1
            case "w:t":
                self._takes_text = False
            case "w:instrText":
                self._takes_field = False

    def text(self, content: str) -> None:
        if self._takes_text:
            self._hidden.append(content)
        elif self._takes_field and sum(map(len, self._field)) < _FIELD_CHARACTERS_MAX:
            self._field.append(content)

    def _end_field(self) -> None:
        if self._field:
            fields.judge("".join(self._field), self._collector)
            self._field.clear()

    def _end_hidden(self) -> None:
        if self._hidden:
            self._collector.hidden_text("".join(self._hidden))
            self._hidden.clear()

    def _change(self, name: str, attributes: Attributes) -> None:
        if name in _INSERTED:
            self._collector.insertions += 1
        elif name in _DELETED:
            self._collector.deletions += 1
        elif name == "w:moveFrom":
            self._collector.moves += 1
        elif name.startswith("w:") and name.endswith(("PrChange", "numberingChange")):
            self._collector.formatting += 1
        else:
            return
        self._collector.changed_by(attributes.get("w:author", ""))
