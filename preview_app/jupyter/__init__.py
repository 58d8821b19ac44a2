"""docpeek inside Jupyter: a server extension over the shared conversion service, and what a browser shows of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from preview_app.jupyter.notebook import Preview as Preview
    from preview_app.jupyter.notebook import PreviewError as PreviewError
    from preview_app.jupyter.notebook import preview as preview

_OF_NOTEBOOKS = ("Preview", "PreviewError", "preview")


def _jupyter_server_extension_points() -> list[dict[str, Any]]:
    """How Jupyter Server finds the extension."""
    # Notebooks import this package for its widget; only a server needs the extension.
    from preview_app.jupyter.extension import DocpeekExtension  # noqa: PLC0415

    return [{"module": "preview_app.jupyter.extension", "app": DocpeekExtension}]


def __getattr__(name: str) -> Any:
    """What notebooks import from here, loaded when they do; a server has no use for it."""
    if name not in _OF_NOTEBOOKS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from preview_app.jupyter import notebook  # noqa: PLC0415

    return getattr(notebook, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_OF_NOTEBOOKS})
