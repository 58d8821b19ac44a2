"""Which fonts are there: asked of fontconfig where it is installed, else read from the files. Parent only.

Fontconfig keeps a cache of what it read, so asking takes milliseconds, and it knows the folders of the person. On
a machine without it (Windows, macOS, a bare container) the usual folders are read with `sfnt`, which is slower and
needs nothing. Fonts that come along (`extra_dirs`) are always read with `sfnt`: they are few.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

from engines.fonts import Coverage, FontCatalogue, FontFace
from engines.fontstandins import with_stand_ins
from engines.sfnt import SfntError, read_faces

FONT_SUFFIXES = frozenset({".ttf", ".otf", ".ttc", ".otc"})
FONT_BYTES_MAX = 128 << 20
FONT_FILES_MAX = 20_000

_FIELDS = (
    "file", "index", "family", "familylang", "fullname", "style", "weight", "slant", "width", "spacing", "variable",
    "symbol", "fontformat", "charset",
)  # fmt: skip
_FORMAT = "\x1f".join(f"%{{{field}}}" for field in _FIELDS) + "\x1e"
_TIMEOUT_S = 20
_SLANT_NONE, _SPACING_FIXED = 0, 90
_FORMATS = ("TrueType", "CFF")
# Fontconfig's weights and those of OpenType, both ascending: FcWeightToOpenType interpolates between them.
_WEIGHTS = (
    (0, 100), (40, 200), (50, 300), (55, 350), (75, 380), (80, 400), (100, 500), (180, 600), (200, 700), (205, 800),
    (210, 900),
)  # fmt: skip


def scan(extra_dirs: Iterable[Path] = (), made_dir: Path | None = None) -> FontCatalogue:
    """All fonts of the system, then those of `extra_dirs`; a system font wins over one that looks the same.

    With `made_dir`, a folder of our own, stand-ins for missing families are made there (see `fontstandins`).
    """
    program = shutil.which("fc-list")
    found = scan_fontconfig(program) if program else None
    system = scan_folders(system_folders()) if found is None else found
    catalogue = FontCatalogue((*system, *scan_folders(extra_dirs)))
    return with_stand_ins(catalogue, made_dir) if made_dir is not None else catalogue


def scan_fontconfig(program: str) -> tuple[FontFace, ...] | None:
    """The faces that fontconfig knows; `None` if it does not answer."""
    try:
        listed = subprocess.run(
            [program, "--format", _FORMAT],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    lines = listed.stdout.decode("utf-8", "replace").split("\x1e")
    return tuple(sorted(filter(None, map(_face_of_line, lines)), key=_file_order))


def scan_folders(folders: Iterable[Path]) -> tuple[FontFace, ...]:
    """The faces of all font files in and under these folders; files that are no fonts are passed over."""
    faces: list[FontFace] = []
    for folder in folders:
        for path in _font_files(folder):
            try:
                faces += read_faces(path)
            except (OSError, SfntError):
                continue
    return tuple(faces)


def system_folders() -> tuple[Path, ...]:
    """Where this system keeps its fonts and a person's own."""
    home = Path.home()
    if sys.platform == "win32":
        windows, local = os.environ.get("WINDIR", r"C:\Windows"), os.environ.get("LOCALAPPDATA")
        folders = [Path(windows, "Fonts"), *([Path(local, "Microsoft", "Windows", "Fonts")] if local else [])]
    elif sys.platform == "darwin":
        folders = [home / "Library/Fonts", Path("/Library/Fonts"), Path("/System/Library/Fonts")]
    else:
        data = os.environ.get("XDG_DATA_HOME") or home / ".local/share"
        folders = [Path(data, "fonts"), home / ".fonts", Path("/usr/local/share/fonts"), Path("/usr/share/fonts")]
    return tuple(folders)


def _font_files(folder: Path) -> Iterator[Path]:
    """In a stable order; links to folders are not followed."""
    count = 0
    for directory, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(directory, name)
            if path.suffix.lower() in FONT_SUFFIXES and _is_acceptable(path):
                yield path
                count += 1
                if count >= FONT_FILES_MAX:
                    return


def _is_acceptable(path: Path) -> bool:
    try:
        return path.is_file() and path.stat().st_size <= FONT_BYTES_MAX
    except OSError:
        return False


def _file_order(face: FontFace) -> tuple[str, int]:
    return face.path, face.index


def _face_of_line(line: str) -> FontFace | None:
    values = dict(zip(_FIELDS, line.split("\x1f"), strict=False))
    if len(values) < len(_FIELDS) or values["fontformat"] not in _FORMATS:
        return None
    path, index = Path(values["file"]), int(values["index"] or 0)
    # The upper half of the index numbers the made-up instances of a variable font: its file counts once.
    if path.suffix.lower() not in FONT_SUFFIXES or index >> 16 or not _is_acceptable(path):
        return None
    families = values["family"].split(",")
    status = path.stat()
    return FontFace(
        path=str(path),
        family=_linked_family(families, values["familylang"].split(",")),
        families=tuple(dict.fromkeys((*families, *values["fullname"].split(",")))),
        style=values["style"].partition(",")[0] or "Regular",
        index=index,
        weight=_css_weight(_number(values["weight"], 80)),
        italic=_number(values["slant"], 0) > _SLANT_NONE,
        width=round(_number(values["width"], 100)),
        monospace=_number(values["spacing"], 0) >= _SPACING_FIXED,
        symbol=values["symbol"] == "True",
        is_variable=values["variable"] == "True",
        coverage=Coverage(values["charset"]),
        bytes=status.st_size,
        mtime_ns=status.st_mtime_ns,
    )


def _linked_family(families: list[str], languages: list[str]) -> str:
    """Name 1 of the file: fontconfig lists the typographic family first, then this one, English before others."""
    english = [name for name, language in zip(families, languages, strict=False) if language == "en"]
    return (english or families)[-1]


def _number(text: str, default: float) -> float:
    """A number, the default for the ranges of variable fonts (`[100 900]`) and for none."""
    try:
        return float(text)
    except ValueError:
        return default


def _css_weight(weight: float) -> int:
    for (low, low_css), (high, high_css) in pairwise(_WEIGHTS):
        if low <= weight <= high:
            return round(low_css + (high_css - low_css) * (weight - low) / (high - low))
    return 400 if weight < 0 else 900
