"""The C side of an installed LibreOffice: LibreOfficeKit's initialisation and the way from there to UNO.

All of ctypes that this engine needs is here. Of LibreOfficeKit only `lok_preinit_2` is used: it initialises LibreOffice
in this process without a main loop. Its document functions are not: they need a view, hence files that server packages
lack, and lay some documents out differently than `soffice --convert-to`.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Any

_LIBRARIES = ("libsofficeapp.so", "libmergedlo.so")
"""Where the entry points are: Debian ships the merged library alone, which in other builds may be an empty stub."""
_COMPHELPER = "libcomphelper.so"
_VCL = "libvcllo.so"
_PYUNO = "libpyuno.so"
_SET_ACTIVE = "_ZN10comphelper14LibreOfficeKit9setActiveEb"
"""`comphelper::LibreOfficeKit::setActive(bool)`."""
_HEADLESS = "_ZN11Application18EnableHeadlessModeEb"
"""`Application::EnableHeadlessMode(bool dialogsAreFatal)`."""
_GET_CONTEXT = "_ZN10comphelper26getProcessComponentContextEv"
"""`comphelper::getProcessComponentContext()`."""
_PYUNO_INITIALIZE = "_ZN5pyuno7Runtime10initializeERKN3com3sun4star3uno9ReferenceINS4_17XComponentContextEEE"
"""`pyuno::Runtime::initialize(Reference<XComponentContext> const &)`."""


class LokError(Exception):
    """The library is not what it should be; the message says what is missing."""


class _Reference(ctypes.Structure):
    """Room for a `css::uno::Reference`, which is one pointer.

    A C++ function gives it back through a hidden pointer. Only a structure of more than 16 bytes makes ctypes call that
    way on every processor, hence the padding, which nobody writes to.
    """

    _fields_ = (("interface", ctypes.c_void_p), ("_padding", ctypes.c_void_p * 2))


class Library:
    """LibreOffice's libraries in this process."""

    def __init__(self, program: Path) -> None:
        self._program = program
        self._main = self._load("lok_preinit_2")

    def initialise(self) -> None:
        """Initialise LibreOffice in this process. Raises `LokError`."""
        preinit = self._main.lok_preinit_2
        preinit.restype = ctypes.c_int
        preinit.argtypes = (ctypes.c_char_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p))
        kit = ctypes.c_void_p()
        status = preinit(os.fsencode(self._program), None, ctypes.byref(kit))
        if not kit:
            raise LokError(f"lok_preinit_2 gave {status} and no office")
        # From here on LibreOffice shall behave as in `soffice --convert-to`. Left in its kit mode, 7.4 drops the JPEG
        # pictures of presentations, and needs user interface files that server packages lack.
        set_active = self._function(_SET_ACTIVE)
        set_active.restype, set_active.argtypes = None, (ctypes.c_bool,)
        set_active(False)
        self._answer_no_dialogs()

    def _answer_no_dialogs(self) -> None:
        """Let LibreOffice refuse whatever it would ask a person (update links? go on with the import?).

        `soffice --headless` calls the same. Without it, such a question waits for an answer until the deadline.
        """
        headless = self._function(_HEADLESS)
        headless.restype, headless.argtypes = None, (ctypes.c_bool,)
        headless(False)

    def give_context_to_pyuno(self) -> None:
        """Make Python's `uno` module use the context of this process, rather than start one. Raises `LokError`.

        The same as LibreOffice's own loader of Python components does.
        """
        get_context = self._function(_GET_CONTEXT)
        get_context.restype, get_context.argtypes = _Reference, ()
        context = get_context()
        if not context.interface:
            raise LokError("LibreOffice has no component context")
        # PyDLL keeps the interpreter's lock, since the function calls Python.
        pyuno = ctypes.PyDLL(str(self._program / _PYUNO), mode=ctypes.RTLD_GLOBAL)
        initialize = getattr(pyuno, _PYUNO_INITIALIZE)
        initialize.restype, initialize.argtypes = None, (ctypes.c_void_p,)
        initialize(ctypes.addressof(context))

    def _load(self, symbol: str) -> ctypes.CDLL:
        for name in _LIBRARIES:
            path = self._program / name
            if path.is_file():
                library = ctypes.CDLL(str(path), mode=os.RTLD_LAZY)
                if hasattr(library, symbol):
                    return library
        raise LokError(f"no library in {self._program} has {symbol}")

    def _function(self, symbol: str) -> Any:
        if hasattr(self._main, symbol):
            return getattr(self._main, symbol)
        try:
            return getattr(self._part(symbol), symbol)
        except (OSError, AttributeError) as error:
            raise LokError(f"no library in {self._program} has {symbol}") from error

    def _part(self, symbol: str) -> ctypes.CDLL:
        """The library of its own that a function is in, in builds that are not merged."""
        return ctypes.CDLL(str(self._program / (_VCL if symbol == _HEADLESS else _COMPHELPER)))
