"""Inspecting on threads of this process, each with tools of its own, all readers of one converter."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType
from typing import Self

from converter.cancellation import CancellationToken, Cancelled
from converter.errors import ConversionError, Outcome
from converter.service import Converter
from preview_app.inspection.inspect_one import Check, InspectOptions, Tools, failed, inspect_one
from preview_app.inspection.records import FileInspection

_LOG = logging.getLogger(__name__)
_Done = Callable[[FileInspection | None], None]


class LocalRunner:
    """See `preview_app.inspection.inspector.Runner`. A context manager: at its end threads and processes are gone.

    One thread more than the converter has slots keeps them all at work while pages are looked at, and within the share
    of lane HIGH (C16): at most half of the readers and of the waiting jobs. `threads_max` bounds that further.
    """

    def __init__(
        self,
        converter: Converter,
        options: InspectOptions,
        *,
        make_tools: Callable[[], Tools] = Tools,
        checks: Sequence[Check] = (),
        threads_max: int | None = None,
    ) -> None:
        self._converter = converter
        self._options = options
        self._make_tools = make_tools
        self._checks = checks
        self._token = CancellationToken()
        self._todo: SimpleQueue[tuple[Path, _Done] | None] = SimpleQueue()
        wanted = threads_max or converter.limits.slots + 1
        self.capacity = max(1, min(wanted, converter.limits.high_readers_max))
        self._threads = [
            threading.Thread(target=self._work, name=f"docpeek-inspect-{number}", daemon=True)
            for number in range(self.capacity)
        ]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def submit(self, file: Path, done: _Done) -> None:
        """See `Runner`."""
        self._todo.put((file, done))

    def cancel(self) -> None:
        """See `Runner`."""
        self._token.cancel("stopped", "The inspection was given up.")

    def close(self) -> None:
        """Give up what is left and end the threads. Idempotent."""
        self.cancel()
        for _ in self._threads:
            self._todo.put(None)
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        tools: Tools | None = None
        try:
            while (task := self._todo.get()) is not None:
                file, done = task
                record = None
                if not self._token.cancelled:
                    try:
                        tools = tools or self._make_tools()
                    except Exception as error:  # noqa: BLE001 - whoever waits for this file is told in any case
                        record = failed(
                            file, ConversionError(Outcome.UNAVAILABLE, f"No process can be started: {error}.")
                        )
                    else:
                        record = self._inspected(file, tools)
                done(record)
        finally:
            if tools is not None:
                tools.close()

    def _inspected(self, file: Path, tools: Tools) -> FileInspection | None:
        # A page that takes its worker a minute must not hold up whoever ends the run.
        revoke = self._token.on_cancel(tools.renderer.kill)
        try:
            record = inspect_one(file, self._converter, tools, self._options, token=self._token, checks=self._checks)
            return None if self._token.cancelled else record
        except Cancelled:
            return None
        except Exception:  # noqa: BLE001 - a fault of ours with one file must not end the others, and be seen
            _LOG.exception("The inspection of %s failed unexpectedly", file)
            return failed(file, ConversionError(Outcome.ENGINE, "The inspection failed unexpectedly."))
        finally:
            revoke()
