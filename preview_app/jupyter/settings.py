"""What the administrator of a server has decided, as one frozen value; `extension.py` makes it of traits."""

from __future__ import annotations

from dataclasses import dataclass, field

from preview_app.config import Config

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Bounds of the server's side. `config` are those of engines, converter and raster workers.

    `documents_bytes_max` bounds the PDFs of open documents; pixels are kept nowhere. `links_may_leave` lets symbolic
    links lead out of the root directory, as Jupyter's own file browser does.
    """

    config: Config = field(default_factory=Config)
    large_file_bytes: int = 32 * MIB
    documents_max: int = 64
    documents_bytes_max: int = 512 * MIB
    documents_idle_s: float = 1800.0
    idle_s: float = 1800.0
    dpi_max: float = 1200.0
    image_pixels_max: int = 32 << 20
    links_may_leave: bool = False
    read_directly: bool = True
    remote_read_s: float = 60.0
    start_ahead: bool = True
    source_url: str = ""
