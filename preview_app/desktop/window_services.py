"""What a window is given: the rest of the program, and what a person may set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import QSettings

from engines.formats import Family
from preview_app.config import Config
from preview_app.desktop.page_pixels import PIXEL_BYTES_MAX
from preview_app.desktop.theme import Theme
from preview_app.desktop_entry import DesktopEntry
from preview_app.folder_inspection import FolderInspections
from preview_app.preview_states import Conversions
from preview_app.raster.api import TextRasterizer


@dataclass(frozen=True, slots=True)
class WindowOptions:
    """What a person may set."""

    theme: Theme = Theme.SYSTEM
    """The theme as long as none was chosen in the window."""
    prefetch_neighbours: bool = True
    show_hidden_files: bool = False
    list_thumbnails: bool = False
    """Whether the list has pictures of first pages, as long as nothing else was chosen in the window."""
    pixel_bytes_max: int = PIXEL_BYTES_MAX
    """Bytes of pixels kept of a document."""
    motion: bool = False
    """Whether scrolling glides, where the system wants motion at all."""


@dataclass(frozen=True, slots=True)
class WindowServices:
    """What the window needs of the rest of the program. It closes none of it."""

    conversions: Conversions
    rasterizer: TextRasterizer
    suffixes: Mapping[str, Family]
    """Families by suffix, without a dot, in small letters: what the list shows."""
    icons: Path
    """Folder of the SVG files."""
    clock: Callable[[], float]
    """Seconds, monotonic."""
    thumbnails_folder: Path | None = None
    """Where pictures of first pages are kept from one run to the next; nowhere without it."""
    settings: QSettings | None = None
    """Where sizes, places and the theme are remembered; nothing is without it."""
    options: WindowOptions = field(default_factory=WindowOptions)
    desktop_entry: DesktopEntry | None = None
    """docpeek's place on the desktop, where there is one to be had."""
    inspections: FolderInspections | None = None
    """Inspects folders; without it that cannot be done."""
    config: Config = field(default_factory=Config)
    """The settings of the program as they were at its start."""
    save_config: Callable[[Config], None] | None = None
    """Keeps settings for the next start; raises `OSError`. Without it they cannot be changed."""
