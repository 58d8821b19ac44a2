"""How far preparing has come, for a terminal and for a window: honest about what is not known, and never backwards."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

WAITING = "waiting"
FETCH, VERIFY, TRANSLATE, COMPILE, STORE = "fetch", "verify", "translate", "compile", "store"
DONE = "done"

_MESSAGES = {
    WAITING: "Another process is preparing the engine; waiting for it",
    FETCH: "Fetching LibreOffice and fonts",
    VERIFY: "Verifying what was fetched",
    TRANSLATE: "Translating the module",
    COMPILE: "Compiling for this processor",
    STORE: "Storing",
    DONE: "The engine is ready",
}
_NEARLY = 0.9


@dataclass(frozen=True, slots=True)
class PrepareProgress:
    """A moment of preparing: `percent` of everything and `phase_percent` of the phase, both 0 to 100."""

    phase: str
    percent: float
    phase_percent: float
    message: str


ProgressCallback = Callable[[PrepareProgress], None]


def estimated_fraction(spent_s: float, expected_s: float) -> float:
    """How much of a step that tells nothing is probably done: linear to 0.9 at its usual effort, then ever slower.

    Grows with `spent_s` and stays below 1.
    """
    share = max(0.0, spent_s) / max(expected_s, 1e-3)
    if share <= 1.0:
        return _NEARLY * share
    return min(_NEARLY + (1.0 - _NEARLY) * (1.0 - math.exp(1.0 - share)), 0.999)


class Meter:
    """Turns phases and elapsed seconds into `PrepareProgress`. `percent` is 100 only after `finish`."""

    def __init__(self, phases: Sequence[str], expected_s: Mapping[str, float], report: ProgressCallback) -> None:
        self._phases = tuple(phases)
        self._expected_s = expected_s
        self._report = report
        self._phase = phases[0] if phases else DONE
        self._fraction = 0.0
        self._percent = 0.0

    def start(self, phase: str) -> None:
        """Enter a phase; those before it count as done."""
        self._phase = phase
        self._fraction = 0.0
        self.tick(0.0)

    def tick(self, spent_s: float) -> None:
        """Report that the current phase has taken `spent_s` seconds (in the measure of `expected_s`)."""
        self._fraction = max(self._fraction, estimated_fraction(spent_s, self._expected_s[self._phase]))
        before = sum(self._expected_s[phase] for phase in self._phases[: self._phases.index(self._phase)])
        total = sum(self._expected_s[phase] for phase in self._phases)
        done = before + self._fraction * self._expected_s[self._phase]
        self._percent = max(self._percent, min(99.9, 100.0 * done / total))
        self._send(self._phase, self._percent, 100.0 * self._fraction)

    def finish(self) -> None:
        """Everything is done."""
        self._send(DONE, 100.0, 100.0)

    def _send(self, phase: str, percent: float, phase_percent: float) -> None:
        self._report(PrepareProgress(phase, percent, phase_percent, _MESSAGES[phase]))


def waiting() -> PrepareProgress:
    """The moment of standing behind another process."""
    return PrepareProgress(WAITING, 0.0, 0.0, _MESSAGES[WAITING])
