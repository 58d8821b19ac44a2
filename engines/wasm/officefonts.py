"""Fonts for the guest: its requests answered from the catalogue of this machine, with the account of one document."""

from __future__ import annotations

from engines import fontmatching
from engines.fonts import FontCatalogue, family_key
from engines.notices import Notice, NoticeKind
from engines.pdffonts import embedded_families
from engines.wasm.host.fontcallback import FontFace, FontRequest

_CHARACTERS_NAMED_MAX = 8


class OfficeFonts:
    """Stands between the host's font callback and `engines.fontmatching`, which knows no guest."""

    def __init__(self, catalogue: str) -> None:
        known = FontCatalogue.from_json(catalogue)
        self.files = tuple(sorted({face.path for face in known.faces}))
        self._resolver = fontmatching.FontResolver(known)
        self._known: tuple[fontmatching.Replacement, ...] = ()

    def resolve(self, request: FontRequest) -> tuple[FontFace, ...]:
        """The faces for a request, best first."""
        asked = fontmatching.FontRequest(
            family=request.family,
            style=request.style,
            weight=request.weight,
            italic=request.italic,
            width=request.width,
            pitch=request.pitch,
            language=request.language,
            codepoints=tuple(map(ord, request.codepoints)),
        )
        return tuple(FontFace(face.path, face.family, face.index) for face in self._resolver.resolve(asked))

    def begin_document(self) -> None:
        """Begin the account of a document.

        The guest asks for a family once: what it asked for before (while it was warmed up) it will not ask for again.
        """
        self._known += self._resolver.replacements()
        self._resolver.forget()

    def replacements(self, pdf: memoryview) -> list[list[str]]:
        """Pairs of a family that is not there and the one that stood in for it, of those that the PDF was set in."""
        embedded = embedded_families(pdf)
        granted = self._resolver.granted()
        before = [each for each in self._known if family_key(each.used) not in granted]
        pairs = {each.requested: each.used for each in (*self._resolver.replacements(), *before)}
        return sorted([asked, used] for asked, used in pairs.items() if family_key(used) in embedded)

    def notices(self) -> list[str]:
        """What a person should know of characters that no font of this machine can show."""
        missing = self._resolver.uncovered()
        if not missing:
            return []
        named = " ".join(f"{chr(point)} (U+{point:04X})" for point in missing[:_CHARACTERS_NAMED_MAX])
        rest = max(0, len(missing) - _CHARACTERS_NAMED_MAX)
        more = f" and {rest} more" if rest else ""
        sentence = f"No installed font shows these characters: {named}{more}."
        return [Notice(sentence, NoticeKind.MISSING_CHARACTERS, characters=named + (" …" if rest else ""))]
