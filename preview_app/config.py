"""Every setting, with its default: one frozen value, read from a TOML file of the user's.

The file is `config.toml` in the user's configuration folder for docpeek, or what `DOCPEEK_CONFIG` names. What it does
not set keeps its default; what it misspells is an error that names the key.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import platformdirs

Positive = Annotated[int, msgspec.Meta(gt=0)]
Seconds = Annotated[float, msgspec.Meta(gt=0)]
EngineChoice = Literal["auto", "native", "wasm"]
Theme = Literal["system", "light", "dark", "contrast"]


DEADLINE_S_MAX = 600.0


class ConfigError(Exception):
    """The configuration file cannot be used; the message says where and why."""


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings. Sizes in bytes, times in seconds."""

    engine: EngineChoice = "auto"
    native_program: str = ""
    theme: Theme = "system"
    prefetch_neighbours: bool = True
    show_hidden_files: bool = False
    list_thumbnails: bool = False
    single_page_sheets: bool = True

    slots: Positive = 2
    background_slots: Positive = 1
    readers_max: Positive = 32
    waiting_jobs_max: Positive = 8
    deadline_s: Seconds = 60.0
    soft_limit_s: Seconds = 15.0
    source_bytes_max: Positive = 64 << 20
    reserved_bytes_max: Positive = 128 << 20
    pdf_bytes_max: Positive = 256 << 20
    pages_max: Positive = 2000
    cached_pdfs_max: Positive = 16
    cached_bytes_max: Positive = 256 << 20

    kit_memory_bytes_max: Positive = 2 << 30
    kit_file_bytes_max: Positive = 1 << 30
    raster_workers: Annotated[int, msgspec.Meta(ge=1, le=8)] = 2
    page_pixels_cache_bytes_max: Positive = 256 << 20

    def __post_init__(self) -> None:
        if self.source_bytes_max > self.reserved_bytes_max:
            raise ValueError("source_bytes_max is above reserved_bytes_max: the largest document could never start")
        if self.deadline_s > DEADLINE_S_MAX:
            raise ValueError(f"deadline_s is above {DEADLINE_S_MAX:g}")


def config_path() -> Path:
    """Where the settings are looked for."""
    named = os.environ.get("DOCPEEK_CONFIG")
    return Path(named) if named else platformdirs.user_config_path("docpeek") / "config.toml"


def load_config(path: Path | None = None) -> Config:
    """The settings of the file at `path` (`config_path()` unless given); the defaults when there is none.

    Raises `ConfigError`.
    """
    source = path or config_path()
    try:
        return msgspec.toml.decode(source.read_bytes(), type=Config)
    except FileNotFoundError:
        return Config()
    except (msgspec.MsgspecError, OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"The settings in {source} cannot be used: {error}") from error


def save_config(config: Config, path: Path | None = None) -> None:
    """Write the settings that differ from the defaults to the file at `path`, in one step. Raises `OSError`.

    The file becomes this program's own: comments in it are lost.
    """
    target = path or config_path()
    lines = ["# Settings of docpeek; what is not set here keeps its default.", ""]
    for name, value in msgspec.structs.asdict(config).items():
        if value != getattr(Config(), name):
            # For strings, numbers and truth values, JSON is TOML.
            lines.append(f"{name} = {msgspec.json.encode(value).decode()}")
    target.parent.mkdir(parents=True, exist_ok=True)
    scratch = target.with_name(f"{target.name}.{os.getpid()}.tmp")
    scratch.write_text("\n".join(lines) + "\n", encoding="utf-8")
    scratch.replace(target)
