"""The one question that the guest asks while it lays out text: which font files stand for this request?

LibreOffice asks through an `EM_ASM` block with eleven arguments, and asks again for each portion of text whose family
was answered under another name: thousands of times in a deck, with few different requests. Answers are therefore kept
by the raw bytes of the request. The guest sees the files under `/fonts`; no other file of the host, and no path of it.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
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


class FontCallback:
    """Answers the guest's requests from a resolver, and puts the files into its tree when they are first needed."""

    def __init__(self, memory: GuestMemory, tree: FileTree, current: Current, fonts: FontResolver) -> None:
        self._memory = memory
        self._tree = tree
        self._current = current
        self._fonts = fonts
        self._answers: dict[tuple[bytes | int, ...], bytes] = {}
        self._paths: dict[str, str] = {}
        self._signatures: set[int] = set()
        self._lock = threading.Lock()
        tree.mkdirs(FONT_DIRECTORY)

    def bindings(self) -> Bindings:
        """The import, by name."""
        return {IMPORT_NAME: HostFunction("iii:i", self.answer)}

    def answer(self, _code: int, signature: int, arguments: int) -> int:
        """The address of `path TAB family` lines that the guest frees, or 0."""
        if signature not in self._signatures:
            self._check(signature)
        memory = self._memory
        text = memory.utf16_string
        family, style, weight, italic, width, pitch, language, missing, *_ = memory.unpack(_ARGUMENTS, arguments)
        key = (text(family), text(style), weight, italic, width, pitch, text(language), text(missing))
        answer = self._answers.get(key)
        if answer is None:
            answer = self._resolve(key)
        if not answer:
            return 0
        address = self._current.function("malloc")(len(answer))
        if address:
            memory.write(address, answer)
        return address

    def _check(self, signature: int) -> None:
        kinds = self._memory.c_string(signature, 64)
        if len(kinds) != 11 or kinds.strip(b"ip"):
            raise UnexpectedImport(f"{IMPORT_NAME} with arguments {kinds.decode('ascii', 'replace')}")
        self._signatures.add(signature)

    def _resolve(self, key: tuple[bytes | int, ...]) -> bytes:
        values = [_text(value) if isinstance(value, bytes) else value for value in key]
        request = FontRequest(*values)  # type: ignore[arg-type]
        with self._lock:
            lines = [f"{self._guest_path(face)}\t{_name(face)}" for face in self._fonts.resolve(request)]
            answer = "\n".join(lines).encode() + b"\0" if lines else b""
            if len(self._answers) < _ANSWERS_MAX:
                self._answers[key] = answer
        return answer

    def _guest_path(self, face: FontFace) -> str:
        known = self._paths.get(face.path)
        if known is None:
            source = Path(face.path)
            known = f"{FONT_DIRECTORY}/{len(self._paths)}{source.suffix.lower()}"
            with self._tree.lock:
                self._tree.map_host_file(known, source)
            self._paths[face.path] = known
        return known


def _text(utf16: bytes) -> str:
    return utf16.decode("utf-16-le", "replace")


def _name(face: FontFace) -> str:
    if not _FORBIDDEN.isdisjoint(face.family):
        raise ValueError(f"the family name {face.family!r} cannot be given to the guest")
    return face.family
