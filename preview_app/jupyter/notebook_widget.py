"""The interactive half of a preview in a notebook. The only importer of anywidget, loaded where it is shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anywidget
import traitlets

_HERE = Path(__file__).parent


class PreviewWidget(anywidget.AnyWidget):
    """Pages in an output cell. `document` is what `notebook.py` tells of it, `still` the picture of its first page."""

    _esm = _HERE / "notebook_widget.js"
    _css = _HERE / "notebook_widget.css"
    document = traitlets.Dict().tag(sync=True)
    still = traitlets.Bytes().tag(sync=True)

    def on_message(self, receive: Callable[[Any], None]) -> None:
        """Have what views say received, on whichever thread the kernel reads it."""
        self.on_msg(lambda _widget, content, _buffers: receive(content))
