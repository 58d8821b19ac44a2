"""Whether a window can be shown at all, found out before Qt is loaded: Qt ends the process where it cannot.

Linux only; elsewhere the system's own libraries are always there.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
from collections.abc import Mapping

_INSTEAD = "`docpeek render FILE -o DIR` makes pictures without a window."
_COMMON = {
    "libglib-2.0.so.0": "libglib2.0-0",
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libfontconfig.so.1": "libfontconfig1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libdbus-1.so.3": "libdbus-1-3",
}
_X11 = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}
_WAYLAND = {"libwayland-cursor.so.0": "libwayland-cursor0", "libwayland-egl.so.1": "libwayland-egl1"}


def problem(environment: Mapping[str, str] | None = None) -> str | None:
    """Why no window can be shown, with the remedy; `None` if nothing stands against it."""
    if importlib.util.find_spec("PySide6") is None:
        return f"The window needs PySide6: install docpeek with its extra `desktop`. {_INSTEAD}"
    if sys.platform != "linux":
        return None
    return _linux_problem(os.environ if environment is None else environment)


def _linux_problem(environment: Mapping[str, str]) -> str | None:
    platform = environment.get("QT_QPA_PLATFORM", "").partition(":")[0]
    x11, wayland = environment.get("DISPLAY"), environment.get("WAYLAND_DISPLAY")
    if not (platform or x11 or wayland):
        return f"There is no display. {_INSTEAD}"
    on_x11 = platform == "xcb" or (not platform and not wayland)
    wanted = _COMMON | (_X11 if on_x11 else _WAYLAND if wayland and not platform else {})
    missing = [package for library, package in wanted.items() if not _loads(library)]
    if missing:
        names = " ".join(missing)
        return (
            "The window needs system libraries that are not installed; on Debian and Ubuntu: "
            f"sudo apt-get install --no-install-recommends {names}. {_INSTEAD}"
        )
    if on_x11 and not _answers(x11 or ""):
        return f"The display {x11!r} does not answer. {_INSTEAD}"
    return None


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _answers(display: str) -> bool:
    """Whether an X server takes a connection; also where that cannot be tried."""
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return True
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(display.encode() or None, None))
    try:
        return not xcb.xcb_connection_has_error(connection)
    finally:
        xcb.xcb_disconnect(connection)
