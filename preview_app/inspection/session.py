"""An inspection from the settings alone: engine, converter, threads and their tools, all ended together.

    with open_inspector(config, engine, InspectOptions()) as inspector:
        for record in inspector.run(files_of([folder], Selection(recursive=True))):
            ...

The window, which has a converter already, makes a `LocalRunner` over that one instead.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager

import msgspec
import psutil

from engines.base import Engine, EngineInfo
from preview_app import __version__, app
from preview_app.config import Config
from preview_app.inspection.inspect_one import Check, InspectOptions, Tools, digest_of
from preview_app.inspection.inspector import Earlier, Inspector
from preview_app.inspection.local import LocalRunner
from preview_app.inspection.records import EngineUsed, Run
from preview_app.raster.blocking import PdfChecker
from preview_app.unlocking import Unlocker

_NICE = 10
_JOB_MEMORY_BYTES = 1 << 30
"""What one more conversion at the same time should find free."""


@contextmanager
def open_inspector(
    config: Config,
    engine: Engine,
    options: InspectOptions,
    *,
    earlier: Earlier | None = None,
    checks: Sequence[Check] = (),
    others: Sequence[Engine] = (),
    apart: bool = False,
) -> Iterator[Inspector]:
    """An inspector on threads over a converter of its own, with `config.slots` conversions at once.

    `others` are engines that checks may ask for; for `apart` see `Inspector`.
    """
    with ExitStack() as ends:
        converter = ends.enter_context(app.conversion_service(config, engine, others=others))
        checker = PdfChecker()
        ends.callback(checker.close)
        runner = LocalRunner(converter, options, make_tools=lambda: Tools(Unlocker(checker)), checks=checks)
        ends.enter_context(runner)
        yield Inspector(runner, lambda file: digest_of(converter, file), earlier=earlier, apart=apart)


def for_bulk(config: Config, jobs: int | None = None) -> Config:
    """The settings with as many slots as the machine has processors and memory for, or with `jobs`.

    The bounds of readers and of waiting jobs grow along, since lane HIGH may take half of them only.
    """
    free = psutil.virtual_memory().available // _JOB_MEMORY_BYTES
    slots = jobs or max(1, min(os.cpu_count() or 1, int(free)))
    most = 4 * (slots + 1)
    return msgspec.structs.replace(
        config,
        slots=slots,
        readers_max=max(config.readers_max, most),
        waiting_jobs_max=max(config.waiting_jobs_max, most),
    )


def make_room_for_people() -> None:
    """Have this process and all that it starts yield to whoever works at this machine: processor and disk."""
    with contextlib.suppress(OSError, psutil.Error):
        me = psutil.Process()
        me.nice(max(_NICE, me.nice()))
        if hasattr(psutil, "IOPRIO_CLASS_IDLE"):
            me.ionice(psutil.IOPRIO_CLASS_IDLE)


def run_of(
    engine: EngineInfo, options: InspectOptions, more: Mapping[str, str | int | float | bool | None] | None = None
) -> Run:
    """How a report of such a run begins; `more` are settings of what is done beside."""
    used = EngineUsed(engine.name, engine.version, engine.fingerprint)
    settings: dict[str, str | int | float | bool | None] = {
        "single_page_sheets": options.export.single_page_sheets,
        "pages_max": options.export.pages_max,
        "deadline_s": options.deadline_s,
        "password": options.password is not None,
    }
    return Run(__version__, used, settings | dict(more or {}))
