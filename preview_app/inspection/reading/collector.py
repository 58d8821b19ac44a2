"""Where the readers put what they find: bounded, however much a document holds."""

from __future__ import annotations

from dataclasses import fields

from preview_app.inspection.source_facts import (
    NAME_CHARACTERS_MAX,
    NAMES_MAX,
    Changes,
    Metadata,
    Reference,
    SourceFacts,
)

_SAMPLE_CHARACTERS_MAX = 60
_METADATA = frozenset(each.name for each in fields(Metadata))


class Collector:
    """Grows while a document is read; `facts` are what it comes to."""

    def __init__(self) -> None:
        self.hyperlinks = self.comments = self.embedded = self.hidden_cells = 0
        self.insertions = self.deletions = self.moves = self.formatting = self.cells = 0
        self._metadata: dict[str, str] = {}
        self._names: dict[str, list[str]] = {}
        self._slides: list[int] = []
        self._external: list[Reference] = []
        self._external_count = 0
        self._hidden_text = 0
        self._sample = ""

    def tell(self, name: str, value: str, *, better: bool = False) -> None:
        """A piece of metadata; the first of a name counts, or one that is `better`."""
        text = clean(value)
        if name in _METADATA and text and (better or name not in self._metadata):
            self._metadata[name] = text

    def macro(self, where: str) -> None:
        """Program code."""
        self._note("macros", where)

    def dde(self, command: str) -> None:
        """A field that asks another program."""
        self._note("dde", command)

    def changed_by(self, author: str) -> None:
        """The author of a tracked change."""
        self._note("change_authors", author)

    def comment(self, author: str = "") -> None:
        """A comment."""
        self.comments += 1
        self.commented_by(author)

    def commented_by(self, author: str) -> None:
        """The author of a comment that was counted."""
        self._note("comment_authors", author)

    def hidden_sheet(self, name: str) -> None:
        """A sheet that is not shown."""
        self._note("hidden_sheets", name or "?")

    def hidden_slide(self, number: int) -> None:
        """A slide that is not shown, from 1."""
        if len(self._slides) < NAMES_MAX:
            self._slides.append(number)

    def not_read(self, sentence: str) -> None:
        """Something that was not looked at."""
        self._note("not_read", sentence)

    def external(self, kind: str, target: str) -> None:
        """Content elsewhere, which an office would load."""
        reference = Reference(clean(kind), clean(target))
        if reference not in self._external:
            self._external_count += 1
            if len(self._external) < NAMES_MAX:
                self._external.append(reference)

    def hidden_text(self, text: str) -> None:
        """Text that is not shown."""
        self._hidden_text += len(text.strip())
        if len(self._sample) < _SAMPLE_CHARACTERS_MAX:
            self._sample = clean(f"{self._sample} {text}")[:_SAMPLE_CHARACTERS_MAX]

    def facts(self) -> SourceFacts:
        """What was found."""
        changes = Changes(
            self.insertions, self.deletions, self.moves, self.formatting, self.cells, self._list("change_authors")
        )
        return SourceFacts(
            metadata=Metadata(**self._metadata),
            macros=self._list("macros"),
            external=tuple(self._external),
            external_count=self._external_count,
            hyperlinks=self.hyperlinks,
            dde=self._list("dde"),
            hidden_text=self._hidden_text,
            hidden_sample=self._sample if self._hidden_text else "",
            changes=changes,
            comments=self.comments,
            comment_authors=self._list("comment_authors"),
            hidden_sheets=self._list("hidden_sheets"),
            hidden_slides=tuple(sorted(self._slides)),
            hidden_cells=self.hidden_cells,
            embedded=self.embedded,
            not_read=self._list("not_read"),
        )

    def _note(self, kind: str, text: str) -> None:
        """Each once, in order."""
        text, known = clean(text), self._names.setdefault(kind, [])
        if text and text not in known and len(known) < NAMES_MAX:
            known.append(text)

    def _list(self, kind: str) -> tuple[str, ...]:
        return tuple(self._names.get(kind, ()))


def clean(text: str) -> str:
    """A text from a document on one line, bounded, without control characters and halves of pairs."""
    short = " ".join(text[: 4 * NAME_CHARACTERS_MAX].split())[:NAME_CHARACTERS_MAX]
    return "".join(character if character.isprintable() else "?" for character in short)


def decoded(raw: bytes, encoding: str) -> str:
    """Bytes as text; code pages that Python does not know count as that of Western Europe."""
    known = {"cp65001": "utf-8", "cp10000": "mac-roman", "cp1200": "utf-16-le"}.get(encoding, encoding)
    try:
        return raw.decode(known, "replace")
    except LookupError:
        return raw.decode("cp1252", "replace")
