"""Font files made to stand in for families that are missing, each under the name of the missing one.

Two needs. Word writes the bullet of a list as a private code point of Symbol (U+F0B7): without a font that has it
bullets and check marks vanish, so Symbol, Wingdings and their kin are made from a font with many signs.
And a guest that gets Carlito for Calibri asks again with each portion of text (12,000 times in ten slides), since
the name that it looks for is in no file; a copy of Carlito named Calibri is asked for once. Parent only.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from engines import fontsubstitution as tables
from engines.fontpatch import with_characters, with_family
from engines.fonts import Coverage, FontCatalogue, FontFace, family_key
from engines.sfnt import SfntError, read_faces
from engines.symbolfonts import SYMBOL_FAMILIES, characters_of

RENAMED_FAMILIES = (
    "Calibri", "Cambria", "Arial", "Times New Roman", "Courier New", "Georgia", "Helvetica", "Times",
    "Liberation Sans", "Liberation Serif", "Liberation Mono",
)  # fmt: skip
"""Families that most documents ask for and that have twins of the same widths."""

_SIGN_SOURCES = ("DejaVu Sans", "Noto Sans Symbols 2", "Noto Sans Symbols")
_LOOKS = ((400, False), (700, False), (400, True), (700, True))
_BYTES_MAX = 4 << 20
_REVISION = 1  # of the way that files are made: part of their names


def with_stand_ins(catalogue: FontCatalogue, folder: Path) -> FontCatalogue:
    """The catalogue with stand-ins for families that it has not; their files are put into `folder`, once.

    Symbols get theirs even where OpenSymbol is installed: LibreOffice maps the code points of Symbol to those of
    OpenSymbol by itself, but not in a guest that asks for each family. Raises `OSError`.
    """
    made = [*_renamed(catalogue, folder), *_symbols(catalogue, folder)]
    return FontCatalogue((*catalogue.faces, *made)) if made else catalogue


def _renamed(catalogue: FontCatalogue, folder: Path) -> Iterator[FontFace]:
    for family in RENAMED_FAMILIES:
        if family in catalogue:
            continue
        twins = (_sources(catalogue.family(twin)) for twin in tables.metric_twins(family))
        for source in next(filter(None, twins), ()):
            yield from _made(source, family, folder, partial(with_family, family=family))


def _symbols(catalogue: FontCatalogue, folder: Path) -> Iterator[FontFace]:
    sources = (_sources(catalogue.family(name)) for name in _SIGN_SOURCES)
    source = next((faces[0] for faces in sources if faces), None)
    for family in SYMBOL_FAMILIES:
        if source is not None and family not in catalogue:
            make = partial(with_characters, family=family, characters=characters_of(family))
            for face in _made(source, family, folder, make):
                yield replace(face, symbol=True, coverage=Coverage())


def _sources(faces: Iterable[FontFace]) -> list[FontFace]:
    """The regular, bold, italic and bold italic face of a family, each in a file of its own that is not large."""
    usable = [
        face
        for face in faces
        if (face.weight, face.italic) in _LOOKS and face.width == 100 and not face.index and face.bytes <= _BYTES_MAX
    ]
    return sorted(usable, key=lambda face: _LOOKS.index((face.weight, face.italic)))


def _made(source: FontFace, family: str, folder: Path, make: Callable[[bytes], bytes | None]) -> Iterator[FontFace]:
    path = folder / f"{family_key(family)}-{_name_of(source)}{Path(source.path).suffix.lower()}"
    try:
        if not path.is_file():
            font = make(Path(source.path).read_bytes())
            if font is None:
                return
            _publish(path, font)
        (face,) = read_faces(path)
    except (SfntError, ValueError):
        return
    # Made from the source and nothing else, so it has that one's age: the same fonts, the same fingerprint.
    yield replace(face, made_from=source.family, mtime_ns=source.mtime_ns)


def _name_of(source: FontFace) -> str:
    identity = f"{_REVISION} {source.path} {source.bytes} {source.mtime_ns}"
    return hashlib.blake2b(identity.encode(errors="surrogateescape"), digest_size=8).hexdigest()


def _publish(path: Path, font: bytes) -> None:
    """Whole or not at all: another process may make the same."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, staged = tempfile.mkstemp(dir=path.parent, prefix=".making-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(font)
        Path(staged).replace(path)
    except OSError:
        Path(staged).unlink(missing_ok=True)
        raise
