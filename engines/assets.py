"""Where the files of `assets/` are: in a checkout beside the packages, in an installed wheel as `docpeek_assets/`."""

from __future__ import annotations

from pathlib import Path

from engines.errors import EngineError, ErrorKind


def assets_dir() -> Path:
    """The directory that holds what the program reads at run time (manifests, icons, samples).

    A checkout wins over an installed copy: both lie beside the package `engines`.
    Raises `EngineError` of kind `unavailable` for a broken installation.
    """
    beside = Path(__file__).resolve().parent.parent
    for name in ("assets", "docpeek_assets"):
        candidate = beside / name
        if (candidate / "engines").is_dir():
            return candidate
    raise EngineError(
        ErrorKind.UNAVAILABLE,
        "The installation of docpeek is incomplete (its assets are missing): install it again.",
        f"looked for assets/ and docpeek_assets/ in {beside}",
    )
