"""docpeek inside Jupyter: a server extension over the shared conversion service, and what a browser shows of it."""

from __future__ import annotations

from typing import Any


def _jupyter_server_extension_points() -> list[dict[str, Any]]:
    """How Jupyter Server finds the extension."""
    # Notebooks import this package for its widget; only a server needs the extension.
    from preview_app.jupyter.extension import DocpeekExtension  # noqa: PLC0415

    return [{"module": "preview_app.jupyter.extension", "app": DocpeekExtension}]
