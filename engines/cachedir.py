"""Where what can be made again is kept between runs."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def default_cache_dir() -> Path:
    """`DOCPEEK_CACHE_DIR`, else the user's cache directory for docpeek."""
    chosen = os.environ.get("DOCPEEK_CACHE_DIR")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("docpeek"))
