"""What keeps Python, and Qt's helpers, from holding a frame up."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

SWITCH_INTERVAL_S = 0.001
"""How long another thread may keep the interpreter when this one wants to paint: a fifth of Python's default."""


def paint_alone() -> None:
    """Have Qt paint on the thread that asks for it; to be called before there is an application.

    It would hand parts of large fills and images to threads of its own, and wait for them. That saves little, as pages
    are copied and not blended. Where conversions keep every processor busy it costs the wait until each of those
    threads has got one: measured on two busy processors, half as many frames came late without them.
    """
    os.environ.setdefault("QT_NO_GUI_THREADPOOL", "1")


@contextmanager
def steady() -> Iterator[None]:
    """Within the block frames come when they are due, as far as Python has a say in it.

    - A full garbage collection goes through every object there is: a whole frame, for all that was made while the
      program was loaded and will be there to its end. That is left out from now on.
    - Every call into Qt lets the interpreter go, and threads of the converter take it. They give it back sooner.
    """
    interval_s = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        sys.setswitchinterval(interval_s)
