"""An engine's life on the parent's side: started when first needed, started again after a death, its deaths classified.

A failed start poisons nothing: the next caller tries again. A zygote that dies takes the documents with it that it was
converting; those fail, and the next one finds a new zygote.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from dataclasses import asdict

from engines.base import Artifact, CancelToken, ExportOptions, FontReplacement, Progress, SourceDocument
from engines.errors import EngineError, ErrorKind
from engines.kits import Ending, Job, Kits
from engines.notices import decoded
from engines.protocol import DIAGNOSTICS_CHARACTERS_MAX, Convert, Failed, ProtocolError

RESULT_BYTES_MAX = 256 << 20
_PROCESSOR_S_PER_S = 4
"""A kit may use this much processor time for each second of its deadline (it has a few threads)."""
_MESSAGE_CHARACTERS_MAX = 1000


class Supervisor:
    """Starts kits when they are needed and says how each document ended. Safe for several threads."""

    def __init__(
        self,
        make_kits: Callable[[], Kits],
        *,
        result_bytes_max: int = RESULT_BYTES_MAX,
        memory_bytes_max: int | None = None,
    ) -> None:
        """`memory_bytes_max` is the resident memory at which a kit is killed, where it is."""
        self._make_kits = make_kits
        self._result_bytes_max = result_bytes_max
        self._memory_bytes_max = memory_bytes_max
        self._starting = threading.Lock()
        self._kits: Kits | None = None
        self._stopped = False
        self.starts = 0

    def start(self) -> Kits:
        """The running kits; starts them when there are none. Raises `EngineError` of kind `unavailable`."""
        with self._starting:
            self._refuse_when_stopped()
            if self._kits is not None and self._kits.alive():
                return self._kits
            self._discard()
            kits = self._make_kits()
            self._kits = kits
            try:
                self._refuse_when_stopped()  # `stop` looks for kits after it has said so: one of us sees the other
                kits.start()
            except EngineError:
                self._discard()
                raise
            self.starts += 1
            return kits

    def _refuse_when_stopped(self) -> None:
        if self._stopped:
            raise EngineError(ErrorKind.UNAVAILABLE, "The engine has been stopped.")

    def healthy(self) -> bool:
        """Whether a document can be converted: the kits run, or were never started."""
        return not self._stopped and (self._kits is None or self._kits.alive())

    def convert(
        self,
        document: SourceDocument,
        options: ExportOptions,
        *,
        deadline_s: float,
        cancel: CancelToken,
        progress: Callable[[Progress], None] | None,
    ) -> Artifact:
        """Convert one document in a kit of its own; see `engines.base.Engine.convert`."""
        kits = self.start()
        request = Convert(
            suffix=document.type.id,
            import_options=document.import_options,
            export=asdict(options) | {"family": document.type.family.value},
            cpu_s=int(deadline_s * _PROCESSOR_S_PER_S) + 1,
            result_bytes_max=self._result_bytes_max,
        )
        report = progress or (lambda _progress: None)
        job = Job(document.data, request, deadline_s, cancel, lambda name: report(Progress(name)))
        try:
            ending = kits.run(job)
        except (OSError, ProtocolError) as error:
            raise EngineError(ErrorKind.ENGINE, "The engine's process could not be reached.", repr(error)) from error
        if not cancel.cancelled and self._used_too_much_memory(ending):
            raise EngineError(ErrorKind.LIMIT, "The document needs more memory than is allowed.")
        return _artifact(ending, cancelled=cancel.cancelled, deadline_s=deadline_s)

    def _used_too_much_memory(self, ending: Ending) -> bool:
        """Whether a kit was killed with its memory at the bound."""
        if self._memory_bytes_max is None or ending.exited is None:
            return False
        killed = ending.exited.status == -getattr(signal, "SIGKILL", 9)
        return killed and ending.exited.resident_bytes_peak >= self._memory_bytes_max

    def stop(self, grace_s: float) -> None:
        """End every process, for good. Running conversions raise `EngineError`."""
        self._stopped = True
        if not self._starting.acquire(timeout=grace_s):
            kits = self._kits
            if kits is not None:
                kits.kill()  # whoever waits for its start is told so, and lets go of the lock
            self._starting.acquire()
        try:
            self._discard(grace_s)
        finally:
            self._starting.release()

    def _discard(self, grace_s: float = 0.0) -> None:
        if self._kits is not None:
            self._kits.stop(grace_s)
            self._kits = None


def _artifact(ending: Ending, *, cancelled: bool, deadline_s: float) -> Artifact:
    if cancelled:
        raise EngineError(ErrorKind.CANCELLED, "The conversion was cancelled.")
    if ending.result is not None and (ending.exited is None or ending.exited.status == 0):
        return Artifact(
            pdf=ending.pdf,
            missing_fonts=tuple(FontReplacement(asked, used) for asked, used in ending.result.fonts),
            notices=decoded(ending.result.notices),
            seconds=ending.result.seconds,
        )
    if ending.failed is not None:
        raise _told(ending.failed)
    if ending.overdue:
        raise EngineError(ErrorKind.TIMEOUT, f"The document took longer than {deadline_s:g} seconds.")
    raise _death(ending)


def _told(failed: Failed) -> EngineError:
    """The error that a kit told us; it may be anything that the document made it say."""
    if failed.kind not in ErrorKind.__members__.values():
        return EngineError(ErrorKind.ENGINE, "The engine failed unexpectedly.", failed.kind[:_MESSAGE_CHARACTERS_MAX])
    message = failed.message[:_MESSAGE_CHARACTERS_MAX]
    return EngineError(ErrorKind(failed.kind), message, failed.diagnostics[-DIAGNOSTICS_CHARACTERS_MAX:])


def _death(ending: Ending) -> EngineError:
    """Why a kit ended without a word."""
    read = "while it converted the document" if ending.document_read else "before it had read the document"
    if ending.exited is None:
        return EngineError(ErrorKind.ENGINE, f"The engine's process died {read}.")
    status = ending.exited.status
    if status == -getattr(signal, "SIGXCPU", 0):
        return EngineError(ErrorKind.TIMEOUT, "The document used up its processor time.")
    if status == -getattr(signal, "SIGXFSZ", 0):
        return EngineError(ErrorKind.LIMIT, "The PDF would be larger than is allowed.")
    if status == -getattr(signal, "SIGSYS", 0):
        return EngineError(ErrorKind.ENGINE, f"The engine was stopped {read}: it asked for what its sandbox denies.")
    cause = signal.Signals(-status).name if status < 0 else f"exit status {status}"
    return EngineError(ErrorKind.ENGINE, f"The engine crashed {read} ({cause}).")
