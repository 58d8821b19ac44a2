"""A report as one HTML page that needs nothing else: no network, no other file; for two files and for thousands.

Rows and details of files go to temporary files as they come, so memory holds none of them. The page is put together
and set in its place, in one step, when the run ends or is interrupted. A page that is replaced gives its pictures to
the files of which an earlier run's records are used again.
"""

from __future__ import annotations

import base64
import hashlib
import os
import tempfile
from array import array
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import click
import jinja2
import markupsafe

from engines.assets import assets_dir
from engines.wasm.manifest import load_manifest
from preview_app.inspection import report_html_charts as charts
from preview_app.inspection.findings import CATALOGUE
from preview_app.inspection.jsonl import Tally
from preview_app.inspection.pictures import Pictures, PictureStore, as_text
from preview_app.inspection.records import End, FileInspection, Run
from preview_app.inspection.report_html_earlier import EarlierPage
from preview_app.inspection.report_html_rows import details, island, row

_PICTURES_BYTES_MAX = 64 << 20
"""All pictures of pages in one report, beside thumbnails; files after that have their thumbnail only."""
_FONTS_MAX = 500
_PART_BYTES = 1 << 20


class HtmlReport:
    """Writes a report to `path`. A context manager; the page is complete, and there, when the block ends."""

    def __init__(self, path: Path, run: Run, pictures: PictureStore) -> None:
        """Raises `OSError`."""
        self._path = path.resolve()
        self._run = run
        self._store = pictures
        self._ends = ExitStack()
        self._tally = Tally()
        self._end: End | None = None
        self._earlier = self._ends.enter_context(EarlierPage(self._path))
        self._rows: IO[str] = self._temporary()
        self._islands: IO[str] = self._temporary()
        self._places: dict[str, int] = {}
        self._seconds = array("d")
        self._summary = _Summary()
        self._picture_bytes = 0
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def write(self, record: FileInspection) -> None:
        """Add a file. Raises `OSError`."""
        number = self._tally.files
        same = None if record.duplicate_of is None else self._places.get(record.duplicate_of)
        self._tally.add(record)
        self._places.setdefault(record.file, number)
        self._summary.add(record)
        if record.seconds.total > 0:
            self._seconds.append(record.seconds.total)
        self._rows.write(("," if number else "") + "\n" + island(row(record, same)))
        pictures = self._bounded(self._store.take(record.file)) if same is None else Pictures()
        self._add_islands(number, record, pictures)

    def end(self, end: End) -> None:
        """Say how the run ended."""
        self._end = end

    def close(self) -> None:
        """Complete the page and put it in its place. Idempotent. Raises `OSError`."""
        if self._closed:
            return
        self._closed = True
        with self._ends:
            self._replace()

    @property
    def told(self) -> str:
        """See `report_files.Page`."""
        return f"Report: {click.format_filename(self._path)} ({_spoken_size(self._path.stat().st_size)})"

    def _add_islands(self, number: int, record: FileInspection, pictures: Pictures) -> None:
        taken_over = None if pictures.thumbnail or pictures.pages else self._earlier.pictures(record)
        told, thumbnail = details(record, pictures), as_text(pictures.thumbnail)
        if taken_over is not None:
            told["pictures"], thumbnail = taken_over
        key = island([record.file, record.digest])
        self._islands.write(f'<script type="application/json" id="f{number}">{island(told)}</script>\n')
        self._islands.write(f'<script type="application/json" id="t{number}">{island([thumbnail, key])}</script>\n')

    def _bounded(self, pictures: Pictures) -> Pictures:
        self._picture_bytes += sum(len(each.data) for each in pictures.pages)
        return pictures if self._picture_bytes <= _PICTURES_BYTES_MAX else Pictures(pictures.thumbnail)

    def _temporary(self) -> IO[str]:
        return self._ends.enter_context(tempfile.TemporaryFile("w+", encoding="ascii", newline="\n"))

    def _replace(self) -> None:
        descriptor, name = tempfile.mkstemp(dir=self._path.parent, prefix=".docpeek-", suffix=".part")
        temporary = Path(name)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace", newline="\n") as file:
                for piece in self._page():
                    file.write(piece)
            mask = os.umask(0)
            os.umask(mask)
            temporary.chmod(0o666 & ~mask)
            temporary.replace(self._path)
        finally:
            temporary.unlink(missing_ok=True)

    def _page(self) -> Iterator[str]:
        folder = assets_dir() / "inspection"
        style, script = ((folder / name).read_text(encoding="utf-8") for name in ("report.css", "report.js"))
        environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(folder), autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True
        )
        size = self._rows.tell() + self._islands.tell() + len(style) + len(script) + 4000
        yield from environment.get_template("report.html").generate(
            style=markupsafe.Markup(style),  # noqa: S704 - files of our own
            script=markupsafe.Markup(script),  # noqa: S704
            style_hash=_hash(style),
            script_hash=_hash(script),
            rows=_parts(self._rows),
            islands=_parts(self._islands),
            catalogue=[[kind.id, kind.severity.value, kind.meaning] for kind in CATALOGUE],
            run=self._run,
            other_engine="" if "baseline" in self._run.settings else self._run.settings.get("compared_with_engine", ""),
            end=self._end or self._tally.end(interrupted=True, seconds=0.0),
            size=_spoken_size(size),
            charts=[markupsafe.Markup(svg) for svg in self._charts()],  # noqa: S704 - numbers only
            summary=self._summary,
            font_packages=self._font_packages(),
            island=lambda value: markupsafe.Markup(island(value)),  # noqa: S704 - it escapes what HTML knows
        )

    def _font_packages(self) -> list[tuple[str, str]]:
        """Name and version of the fonts that the WASM engine brings along, where it was used."""
        used = {self._run.engine.name, *(name for (name, _version, _generation), _count in self._summary.engines)}
        return [(each.package.name, each.package.version) for each in load_manifest().fonts] if "wasm" in used else []

    def _charts(self) -> Iterator[str]:
        yield charts.sorted_times(self._seconds)
        yield charts.histogram(self._seconds)


class _Summary:
    """What all files have in common: engines, and fonts with the number of files that have them."""

    def __init__(self) -> None:
        self._engines: Counter[tuple[str, str, str]] = Counter()
        self._fonts: Counter[tuple[str, str, bool]] = Counter()
        self._replaced: Counter[tuple[str, str]] = Counter()

    def add(self, record: FileInspection) -> None:
        """Count a file."""
        if record.engine is not None and record.engine.name != "none":
            self._engines[record.engine.name, record.engine.version, record.engine.generation] += 1
        for font in record.fonts:
            _count(self._fonts, (font.name, font.kind, font.embedded))
        for pair in {(font.requested, font.used) for font in record.missing_fonts}:
            _count(self._replaced, pair)

    @property
    def engines(self) -> list[tuple[Any, int]]:
        """Name, version, generation; files."""
        return sorted(self._engines.items())

    @property
    def fonts(self) -> list[tuple[Any, int]]:
        """Name, kind, embedded; files."""
        return sorted(self._fonts.items())

    @property
    def replaced(self) -> list[tuple[Any, int]]:
        """Requested, used; files."""
        return sorted(self._replaced.items())


def _count(counter: Counter[Any], key: Any) -> None:
    if key in counter or len(counter) < _FONTS_MAX:
        counter[key] += 1


def _parts(file: IO[str]) -> Iterator[str]:
    file.seek(0)
    while part := file.read(_PART_BYTES):
        yield markupsafe.Markup(part)  # noqa: S704 - islands, which escape what HTML knows


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _spoken_size(count: int) -> str:
    return f"{count / 1e6:,.1f} MB" if count >= 1e5 else f"{count / 1e3:,.0f} kB"
