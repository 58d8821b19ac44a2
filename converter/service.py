"""The shared conversion service: any office document in, a PDF out, in order and within bounds.

The public face. What is decided is in `admission`, what is carried out in `dispatcher`, what a job does in `pipeline`.
The byte bounds cover source bytes of running jobs and the PDFs in the cache. They do not cover memory of an engine,
copies of a PDF that callers keep, base64 on a wire, or raster memory.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Self

from converter.cancellation import Clock, DeadlineClock
from converter.dispatcher import Dispatcher
from converter.errors import ConversionError
from converter.events import BackgroundSwitched, Closing, GraceOver
from converter.identify import Classify, classifier
from converter.pipeline import PdfChecker
from converter.request import Lane, Limits, Locator, Request
from converter.statistics import Statistics
from converter.ticket import Post, Ticket
from converter.workspace import Workspace
from engines.base import CancelToken, Engine, EngineInfo, ExportOptions
from engines.decryption import Password

_log = logging.getLogger(__name__)

Unlock = Callable[[bytes, str, Password, CancelToken], bytes]
"""Bytes, the name of their source and a password in, plain bytes out; blocks, decrypts in a child process.

What is not encrypted comes back as it is. Raises `EngineError`: bad_password and others.
"""

_KILL_S = 0.5
"""How long cancelled kits have to end before their engine is stopped."""
_END_S = 1.0
"""How long `close` waits after the grace."""


class Converter:
    """Converts documents for many readers at once. Thread-safe; methods do not wait for conversions.

    `engine` is the default; `others` serve requests that name them (C27). The converter starts engines when it needs
    them; whoever made them stops them, after `close`. `checker` counts pages in another process. `workspace`
    authorizes the locators of `open`; `unlock` serves those that come with a password. `clock` and `classify` are for
    tests.
    """

    def __init__(
        self,
        engine: Engine,
        checker: PdfChecker,
        *,
        workspace: Workspace | None = None,
        unlock: Unlock | None = None,
        limits: Limits | None = None,
        others: Sequence[Engine] = (),
        clock: Clock | None = None,
        classify: Classify | None = None,
    ) -> None:
        self.limits = limits or Limits()
        self.workspace = workspace
        self._unlock = unlock
        self._clock = clock or DeadlineClock("converter-deadlines")
        self._closes_clock = clock is None
        self._dispatcher = Dispatcher(
            _by_name(engine, others), checker, self.limits, self._clock, classify or classifier(self.limits)
        )

    def __repr__(self) -> str:
        now = self.statistics()
        state = "closed" if self._dispatcher.admission.closing else self.engine.name
        return (
            f"<Converter {state}: {now.readers} readers, {now.waiting} waiting, {now.running} running, "
            f"{now.reserved_bytes} bytes reserved, {now.cached_pdfs} PDFs ready>"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def engine(self) -> EngineInfo:
        """The default engine."""
        return self._dispatcher.infos()[None]

    def open(
        self,
        locator: Locator,
        lane: Lane = Lane.CRITICAL,
        options: ExportOptions | None = None,
        deadline_s: float | None = None,
        *,
        wait_max_s: float | None = None,
        engine: str | None = None,
        first_pages: int | None = None,
        password: Password | None = None,
        post: Post | None = None,
    ) -> Ticket:
        """Ask for a file of the workspace. Looks at its metadata now, and authorizes it, at every call (C13).

        See `Request` for the arguments. A request with a `password` is private to its ticket. `post` runs the ticket's
        callbacks on the caller's thread. Raises nothing: a refusal is the ticket's outcome.
        """
        if self.workspace is None:
            raise ValueError("this converter has no workspace: authorize the source and use `submit`")
        try:
            source = self.workspace.authorize(locator)
        except ConversionError as error:
            ticket = self._dispatcher.ticket(locator.path, lane, post)
            ticket.settle(error)
            return ticket
        request = Request(
            source,
            lane,
            options or ExportOptions(),
            deadline_s,
            wait_max_s,
            engine=engine,
            first_pages=first_pages,
        )
        return self.submit(request, password=password, post=post)

    def _decrypt(self, name: str, password: Password) -> Callable[[bytes, CancelToken], bytes]:
        if self._unlock is None:
            raise ValueError("this converter was made without `unlock`: it cannot use a password")
        unlock = self._unlock
        return lambda data, cancel: unlock(data, name, password, cancel)

    def submit(self, request: Request, *, password: Password | None = None, post: Post | None = None) -> Ticket:
        """Ask for a source that the caller has authorized (C2). See `open` for `password` and `post`.

        Raises nothing: a refusal is the ticket's outcome.
        """
        if password is not None:
            request = replace(request, decrypt=self._decrypt(request.source.name, password))
        ticket = self._dispatcher.ticket(request.source.name, request.lane, post)
        self._dispatcher.ask(ticket, request)
        return ticket

    def set_background(self, enabled: bool) -> None:
        """Allow speculative work, or not: what waits of it goes, what runs runs to its end (C17)."""
        self._dispatcher.post(BackgroundSwitched(self._dispatcher.now(), enabled))

    def reconfigure(self, engine: Engine, others: Sequence[Engine] = ()) -> None:
        """Choose the engines anew. What waits takes the new ones, nothing older is reused (C8, C27)."""
        self._dispatcher.use(_by_name(engine, others))

    def statistics(self) -> Statistics:
        """Counts, bytes and times now (C28)."""
        return self._dispatcher.statistics()

    def close(self, grace_s: float = 2.0) -> bool:
        """Refuse new work, cancel what waits, give what runs `grace_s` seconds, then kill it (C26).

        Returns at most about a second after the grace, `True` when nothing is left. Idempotent.
        """
        dispatcher = self._dispatcher
        dispatcher.post(Closing(dispatcher.now()))
        if not self._wait_until_nothing_runs(grace_s):
            dispatcher.post(GraceOver(dispatcher.now()))
            if not self._wait_until_nothing_runs(_KILL_S):
                for engine in dispatcher.engines_at_work():
                    engine.stop(0.0)
        # Draining: a job that was handed over and not begun gives back what it holds, which takes no time.
        left = dispatcher.executor.shutdown(_END_S - _KILL_S, drain=True)
        if self._closes_clock:
            self._clock.close()
        with dispatcher.lock:
            dispatcher.cache.clear()
        if left:
            _log.warning("The converter closed with %d conversions that do not end", len(left))
        return not left

    def _wait_until_nothing_runs(self, timeout_s: float) -> bool:
        dispatcher = self._dispatcher
        with dispatcher.settled:
            return dispatcher.settled.wait_for(lambda: not dispatcher.admission.running, timeout_s)


def _by_name(engine: Engine, others: Sequence[Engine]) -> dict[str | None, Engine]:
    """Engines by the name that a request gives; the default also without one."""
    return {None: engine, **{other.info.name: other for other in (*others, engine)}}
