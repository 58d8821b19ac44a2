"""The one question that the guest asks while it lays out text: which font files stand for this request?

LibreOffice asks through an `EM_ASM` block with eleven arguments, and asks again for each portion of text whose family
was answered under another name: thousands of times in a deck, with few different requests. Answers are therefore kept
by the raw bytes of the request. The guest sees the files under `/fonts`; no other file of the host, and no path of it.

Once a family was answered under its own name the guest never asks for it again, in any style, and builds the styles
that it lacks from the one it has. So such an answer names the faces of the whole family at once. Where a document goes
on asking for a family under another name than it is answered, the answer changes to the same faces under the name that
is asked for, which ends the asking. The guest keeps one name for each path, and crashes on a name that it saw only with
a path that it knows under another; so each pair of file and name has a path of its own.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from pathlib import Path
from struct import Struct
from typing import Protocol

from engines.wasm.host.binding import Bindings, HostFunction
from engines.wasm.host.context import Current
from engines.wasm.host.errors import UnexpectedImport
from engines.wasm.host.memory import GuestMemory
from engines.wasm.host.vfs import FileTree

FONT_DIRECTORY = "/fonts"
IMPORT_NAME = "emscripten_asm_const_ptr_sync_on_main_thread"

# family, style, weight, italic, width, pitch, language, missing characters, error text, its size, fatal flag
_ARGUMENTS = Struct("<11I")
_FORBIDDEN = frozenset("\0\t\n\r")
_ANSWERS_MAX = 10_000
# Registering a family under another name takes about as long as this many answers.
_ASKED_MAX = 400
_REGULAR, _BOLD, _UPRIGHT, _ITALIC = 5, 8, 0, 2
_STYLES = ((_REGULAR, _UPRIGHT), (_BOLD, _UPRIGHT), (_REGULAR, _ITALIC), (_BOLD, _ITALIC))


@dataclass(frozen=True, slots=True)
class FontRequest:
    """What LibreOffice looks for; the numbers are VCL's.

    `family` may be several names, separated by semicolons, and empty. `weight`: 0 unknown, 1 thin ... 5 normal,
    6 medium, 7 semibold, 8 bold ... 10 black. `italic`: 0 none, 1 oblique, 2 italic, 3 unknown. `width`: 0 unknown,
    5 normal. `pitch`: 0 unknown, 1 fixed, 2 variable. `language`: a BCP 47 tag. `codepoints`: the characters that the
    fonts tried so far lack; empty when a family is looked for by name.
    """

    family: str
    style: str
    weight: int
    italic: int
    width: int
    pitch: int
    language: str
    codepoints: str


@dataclass(frozen=True, slots=True)
class FontFace:
    """A font file of the host, the number of the face in a collection, and the family name that the face carries."""

    path: str
    family: str
    index: int = 0


class FontResolver(Protocol):
    """Whoever knows the fonts."""

    def resolve(self, request: FontRequest) -> tuple[FontFace, ...]:
        """The faces for a request, best first; none where the guest shall help itself. Must always answer the same."""


@dataclass(slots=True)
class _Answer:
    text: bytes
    request: FontRequest
    asked: int = 0


class FontCallback:
    """Answers the guest's requests from a resolver, and puts the files into its tree when they are first needed."""

    def __init__(self, memory: GuestMemory, tree: FileTree, current: Current, fonts: FontResolver) -> None:
        self._memory = memory
        self._tree = tree
        self._current = current
        self._fonts = fonts
        self._answers: dict[tuple[bytes | int, ...], _Answer] = {}
        self._paths: dict[tuple[str, str], str] = {}
        self._signatures: set[int] = set()
        self._lock = threading.Lock()
        self._in_document = False
        tree.mkdirs(FONT_DIRECTORY)

    def bindings(self) -> Bindings:
        """The import, by name."""
        return {IMPORT_NAME: HostFunction("iii:i", self.answer)}

    def begin_document(self) -> None:
        """Ask the resolver again for everything, so that it sees what this document wants.

        Until the first call the guest is being prepared: every answer then names whole families, which the documents
        find already there.
        """
        self._answers.clear()
        self._in_document = True

    def answer(self, _code: int, signature: int, arguments: int) -> int:
        """The address of `path TAB family` lines that the guest frees, or 0."""
        if signature not in self._signatures:
            self._check(signature)
        memory = self._memory
        text = memory.utf16_string
        family, style, weight, italic, width, pitch, language, missing, *_ = memory.unpack(_ARGUMENTS, arguments)
        key = (text(family), text(style), weight, italic, width, pitch, text(language), text(missing))
        answer = self._answers.get(key) or self._resolve(key)
        answer.asked += 1
        if answer.asked == _ASKED_MAX and self._in_document:
            self._rename(answer)
        if not answer.text:
            return 0
        address = self._current.function("malloc")(len(answer.text))
        if address:
            memory.write(address, answer.text)
        return address

    def _check(self, signature: int) -> None:
        kinds = self._memory.c_string(signature, 64)
        if len(kinds) != 11 or kinds.strip(b"ip"):
            raise UnexpectedImport(f"{IMPORT_NAME} with arguments {kinds.decode('ascii', 'replace')}")
        self._signatures.add(signature)

    def _resolve(self, key: tuple[bytes | int, ...]) -> _Answer:
        values = [_text(value) if isinstance(value, bytes) else value for value in key]
        request = FontRequest(*values)  # type: ignore[arg-type]
        with self._lock:
            faces = self._fonts.resolve(request)
            if len(faces) == 1 and (not self._in_document or _same_family(faces[0].family, request.family)):
                faces = self._whole_family(request, faces[0])
            answer = _Answer(self._lines(faces), request)
            if len(self._answers) < _ANSWERS_MAX:
                self._answers[key] = answer
        return answer

    def _rename(self, answer: _Answer) -> None:
        """Answer from now on under the name that is asked for, unless characters are what is missing."""
        request = answer.request
        with self._lock:
            faces = self._fonts.resolve(request)
            if request.codepoints or not _nameable(request.family) or len(faces) != 1:
                return
            family = self._whole_family(request, faces[0])
            answer.text = self._lines(tuple(replace(face, family=request.family) for face in family))

    def _whole_family(self, request: FontRequest, first: FontFace) -> tuple[FontFace, ...]:
        """`first`, and what the resolver has for the usual four styles of the same request, under one name."""
        faces = {(first.path, first.index): first}
        for weight, italic in _STYLES:
            for face in self._fonts.resolve(replace(request, weight=weight, italic=italic))[:1]:
                faces.setdefault((face.path, face.index), replace(face, family=first.family))
        return tuple(faces.values())

    def _lines(self, faces: tuple[FontFace, ...]) -> bytes:
        lines = [f"{self._guest_path(face)}\t{face.family}" for face in faces]
        return "\n".join(lines).encode() + b"\0" if lines else b""

    def _guest_path(self, face: FontFace) -> str:
        if not _nameable(face.family):
            raise ValueError(f"the family name {face.family!r} cannot be given to the guest")
        known = self._paths.get((face.path, face.family))
        if known is None:
            source = Path(face.path)
            known = f"{FONT_DIRECTORY}/{len(self._paths)}{source.suffix.lower()}"
            self._tree.map_host_file(known, source)
            self._paths[face.path, face.family] = known
        return known


def _text(utf16: bytes) -> str:
    return utf16.decode("utf-16-le", "replace")


def _nameable(family: str) -> bool:
    return bool(family) and _FORBIDDEN.isdisjoint(family)


def _same_family(one: str, other: str) -> bool:
    """Whether the guest takes two names for one: it compares letters and digits only."""
    return _plain(one) == _plain(other)


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()
