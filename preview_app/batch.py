"""Many files, no window: convert or render them one after another, a few at a time, and report on each."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from converter.conversion import Conversion
from converter.errors import ConversionError, Outcome
from converter.request import Lane, Locator
from converter.service import Converter
from converter.ticket import Ticket
from engines.base import ExportOptions
from engines.decryption import Password
from preview_app import report
from preview_app.outputs import OutputError, PageRanges, same_file, write_whole
from preview_app.raster.api import RasterError
from preview_app.raster.blocking import PageRenderer

_LOG = logging.getLogger(__name__)
_AHEAD = 3
"""Requests under way at once: the one whose turn it is and some behind it, so that no slot is ever idle."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What holds for every file of a run."""

    options: ExportOptions
    deadline_s: float | None
    password: Password | None = None


Consume = Callable[[Path, Path, Conversion], None]
"""Does something with a conversion of a file for an output; may raise `OutputError` or `ConversionError`."""


def convert_each(
    converter: Converter, files: Sequence[Path], outputs: Sequence[Path], settings: Settings, consume: Consume
) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Convert files in order; gives each file's output and report as soon as it is done."""
    asked: deque[tuple[Path, Path, Ticket]] = deque()
    rest = deque(zip(files, outputs, strict=True))
    ahead = min(_AHEAD, converter.limits.readers_max)
    try:
        while asked or rest:
            while rest and len(asked) < ahead:
                file, output = rest.popleft()
                asked.append((file, output, _ask(converter, file, settings)))
            file, output, ticket = asked.popleft()
            yield output, _settle(file, output, ticket, consume)
    finally:
        for _file, _output, ticket in asked:
            ticket.cancel("the run ended")


def _ask(converter: Converter, file: Path, settings: Settings) -> Ticket:
    _LOG.info("asking for %s", file)
    return converter.open(
        Locator.of(file.absolute()),
        lane=Lane.CRITICAL,
        options=settings.options,
        deadline_s=settings.deadline_s,
        password=settings.password,
    )


def _settle(file: Path, output: Path, ticket: Ticket, consume: Consume) -> dict[str, Any]:
    try:
        conversion = ticket.result()
        consume(file, output, conversion)
    except ConversionError as error:
        return report.failed(file, error)
    except OutputError as error:
        return report.failed(file, ConversionError(Outcome.NOT_ALLOWED, str(error)))
    return report.succeeded(file, conversion)


def save_pdf(_file: Path, output: Path, conversion: Conversion) -> None:
    """Write the PDF to its place."""
    write_whole(output, conversion.pdf)


def page_writer(renderer: PageRenderer, pages: PageRanges, dpi: int, said: Callable[[Path], None]) -> Consume:
    """What writes the pages of a conversion as `page-0001.png` ... into the output folder."""

    def write(file: Path, output: Path, conversion: Conversion) -> None:
        pictures = {number: output / f"page-{number:04}.png" for number in pages.within(conversion.pages)}
        if not pictures:
            raise OutputError(f"None of the pages asked for is among the {conversion.pages} of the document.")
        if any(same_file(path, file) for path in pictures.values()):
            raise OutputError("The pictures would overwrite the document itself; choose another folder.")
        try:
            renderer.open(conversion.pdf)
            for number, path in pictures.items():
                write_whole(path, renderer.png(number - 1, dpi))
                said(path)
        except RasterError as error:
            raise ConversionError(_outcome(error), error.message) from error

    return write


def _outcome(error: RasterError) -> Outcome:
    known = {"limit": Outcome.LIMIT, "corrupt": Outcome.CORRUPT, "encrypted": Outcome.ENCRYPTED}
    return known.get(error.kind, Outcome.ENGINE)
