"""What fontconfig would take for a family, asked in the process in which LibreOffice has loaded it already."""

from __future__ import annotations

import ctypes

_LIBRARY = "libfontconfig.so.1"
_MATCH_PATTERN = 0  # FcMatchPattern
_FAMILY = b"family"
_NAMES_MAX = 16


class Fontconfig:
    """The configuration that this process has loaded. Raises `OSError` where there is no fontconfig."""

    def __init__(self) -> None:
        library = ctypes.CDLL(_LIBRARY)
        pointer, text, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
        self._create = library.FcPatternCreate
        self._create.restype, self._create.argtypes = pointer, ()
        self._add = library.FcPatternAddString
        self._add.restype, self._add.argtypes = number, (pointer, text, text)
        self._substitute = library.FcConfigSubstitute
        self._substitute.restype, self._substitute.argtypes = number, (pointer, pointer, number)
        self._default = library.FcDefaultSubstitute
        self._default.restype, self._default.argtypes = None, (pointer,)
        self._match = library.FcFontMatch
        self._match.restype, self._match.argtypes = pointer, (pointer, pointer, ctypes.POINTER(number))
        self._get = library.FcPatternGetString
        self._get.restype, self._get.argtypes = number, (pointer, text, number, ctypes.POINTER(text))
        self._destroy = library.FcPatternDestroy
        self._destroy.restype, self._destroy.argtypes = None, (pointer,)

    def match(self, family: str) -> list[str]:
        """All names of the family that fontconfig gives for `family`; the family is there if its own is among them."""
        pattern = self._create()
        try:
            self._add(pattern, _FAMILY, family.encode())
            self._substitute(None, pattern, _MATCH_PATTERN)
            self._default(pattern)
            result = ctypes.c_int()
            found = self._match(None, pattern, ctypes.byref(result))
        finally:
            self._destroy(pattern)
        if not found:
            return []
        try:
            return self._names(found)
        finally:
            self._destroy(found)

    def _names(self, pattern: int) -> list[str]:
        names: list[str] = []
        name = ctypes.c_char_p()
        while len(names) < _NAMES_MAX and not self._get(pattern, _FAMILY, len(names), ctypes.byref(name)):
            names.append((name.value or b"").decode("utf-8", "replace"))
        return names
