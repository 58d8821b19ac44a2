"""How a child of this engine is started: which interpreter, on what path, with what settings in its folder."""

from __future__ import annotations

import os
from pathlib import Path

from engines.native import profile
from engines.native.discover import Installation

SYSTEM_PATHS = (
    "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/etc/fonts", "/etc/libreoffice",
    "/var/cache/fontconfig",
    "/usr/share/fonts", "/usr/share/fontconfig", "/usr/share/zoneinfo", "/usr/share/libreoffice",
    "/usr/share/liblangtag", "/usr/share/hunspell", "/usr/share/hyphen", "/usr/share/mythes",
    "/dev/null", "/dev/urandom", "/proc/self", "/proc/meminfo", "/proc/cpuinfo", "/proc/stat",
    "/sys/devices/system/cpu",
)  # fmt: skip
"""What LibreOffice and the libraries below it read; nothing of any person is in them."""
_PACKAGES = Path(__file__).resolve().parents[2]
_BOOTSTRAP = "import sys; sys.path.append({path!r}); from {module} import main; main()"


def command(interpreter: str, module: str) -> tuple[str, ...]:
    """The command that runs `main` of one of our modules, under an interpreter that does not have our packages.

    Isolated and without any site-packages: the standard library and our own packages, last on the path, are all.
    """
    return (interpreter, "-I", "-S", "-c", _BOOTSTRAP.format(path=str(_PACKAGES), module=module))


def write_settings(
    scratch: Path, installation: Installation, font_dirs: tuple[Path, ...], font_cache: Path, locale: str
) -> None:
    """Write the registry layer and fontconfig's settings into the folder of an engine."""
    text = profile.registry(installation.product, installation.build_id, locale)
    profile.write_layer(scratch, text)
    font_cache.mkdir(parents=True, exist_ok=True)
    (scratch / profile.FONTS_NAME).write_text(profile.fonts_conf(font_dirs, font_cache), encoding="utf-8")


def readable(
    scratch: Path, installation: Installation, font_dirs: tuple[Path, ...], font_cache: Path
) -> tuple[str, ...]:
    """What a process that converts may read."""
    own = (
        installation.program.parent,
        installation.registry,
        font_cache,
        scratch / profile.LAYER_NAME,
        scratch / profile.FONTS_NAME,
        *font_dirs,
    )
    return (*SYSTEM_PATHS, *map(str, own))


def environment(scratch: Path, installation: Installation, folder: Path | None = None) -> dict[str, str]:
    """The whole environment of a child of the engine in `scratch`.

    `folder` is where it works; `None` for a zygote, whose kits each have one of their own (`profile.HERE`).
    """
    here = profile.HERE if folder is None else str(folder)
    user = f"file://{profile.HERE}/profile" if folder is None else (folder / "profile").as_uri()
    return profile.environment(os.environ, installation.registry, scratch, here, user)
