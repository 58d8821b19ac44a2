"""A thousand documents, one after another, through the service into one engine: nothing may grow, nothing get slower.

Run it with `python -m tests.stress.soak_engines`. The same few documents come round and round, so that each quarter of
the run has the same work to do. Measured between documents, when the engine is at rest: the memory of its family of
processes (what they share counted once, files left out), that of this process, open descriptors, files in the scratch
folder, strays.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import psutil

from converter.errors import ConversionError
from converter.request import Request, Source
from converter.service import Converter
from engines.assets import assets_dir
from engines.base import Engine
from preview_app.raster.blocking import PdfChecker
from tests.fuzz.fuzz_engines import engines_there
from tests.real.household import Household, scratch_of, zygote_of

MIB = 1 << 20
FAMILY_GROWTH_BYTES_MAX = 2 * MIB
PARENT_GROWTH_BYTES_MAX = 4 * MIB
DESCRIPTORS_GROWTH_MAX = 2
"""A descriptor or two may be on their way: a kit's are let go after its end was told."""
SLOWER_MAX = 2.0
"""How many times the first quarter's median the last one's may be."""
_SAMPLES = 40
_REST_S = 10.0


@dataclass(frozen=True, slots=True)
class Sample:
    """An engine at rest: bytes of its family and of this process, descriptors of both, files in the scratch folder."""

    family_bytes: int
    parent_bytes: int
    descriptors: int
    files: int


@dataclass
class Soak:
    """What a run has seen."""

    engine: str
    seconds: list[float] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    strays: list[str] = field(default_factory=list)

    def slower(self) -> float:
        """The last quarter's median time for a document as a multiple of the first one's."""
        first, last = _quarters(self.seconds)
        return statistics.median(last) / statistics.median(first)

    def growth(self, what: Callable[[Sample], int]) -> float:
        """How much more the last quarter's median is than the first one's."""
        first, last = _quarters([float(what(each)) for each in self.samples])
        return statistics.median(last) - statistics.median(first)

    def troubles(self) -> list[str]:
        """What grew, what failed, what was left."""
        grown = {
            "family of the zygote, bytes": (self.growth(lambda each: each.family_bytes), FAMILY_GROWTH_BYTES_MAX),
            "this process, bytes": (self.growth(lambda each: each.parent_bytes), PARENT_GROWTH_BYTES_MAX),
            "descriptors": (self.growth(lambda each: each.descriptors), DESCRIPTORS_GROWTH_MAX),
            "files": (self.growth(lambda each: each.files), 0),
        }
        return [
            *(f"{name} grew by {by:,.0f}" for name, (by, most) in grown.items() if by > most),
            *self.failures,
            *self.strays,
        ]


def _quarters(values: Sequence[float]) -> tuple[Sequence[float], Sequence[float]]:
    """The first and the last quarter."""
    size = max(1, len(values) // 4)
    return values[:size], values[-size:]


def documents() -> list[Source]:
    """What comes round: the samples, and a few small texts of other kinds."""
    files = [path for folder in ("samples", "warmup") for path in sorted((assets_dir() / folder).glob("*.*x"))]
    found = {path.name: path.read_bytes() for path in files}
    found |= {
        "table.csv": b"a;b\n007;8\n" * 20,
        "page.html": b"<p>one</p><table border=1><tr><td>two</table>",
        "lines.txt": b"All work and no play makes Jack a dull boy.\n" * 40,
        "words.rtf": rb"{\rtf1\ansi one {\b two}\par}",
    }
    return [Source(name, len(data), None, lambda _most, data=data: (data, None)) for name, data in found.items()]  # type: ignore[misc]


def soak(
    engine: Engine, count: int, *, samples: int = _SAMPLES, tell: Callable[[str], object] = lambda _: None
) -> Soak:
    """Convert `count` documents; the engine stays."""
    seen, rounds = Soak(engine.info.name), documents()
    with _service(engine) as converter:
        for warm in rounds:
            converter.submit(Request(warm, private=True)).result(60)
        household = Household(engine)
        for number in range(count):
            began = time.perf_counter()
            try:
                converter.submit(Request(rounds[number % len(rounds)], private=True)).result(60)
            except ConversionError as error:
                seen.failures.append(f"document {number}: {error!r}")
            seen.seconds.append(time.perf_counter() - began)
            if (number + 1) % max(1, count // samples) == 0:
                seen.samples.append(_at_rest(engine, household))
                seen.strays += household.strays()
                tell(f"{engine.info.name} {number + 1}: {seen.samples[-1]}")
    return seen


@contextmanager
def _service(engine: Engine) -> Iterator[Converter]:
    engine.start()
    checker = PdfChecker()
    converter = Converter(engine, checker)
    try:
        yield converter
    finally:
        converter.close()
        checker.close()


def _at_rest(engine: Engine, household: Household) -> Sample:
    """Measured once the spare kit for the next document is there."""
    until = time.monotonic() + _REST_S
    while not _has_spare(engine) and time.monotonic() < until:
        threading.Event().wait(0.01)
    scratch = scratch_of(engine)
    return Sample(
        household.pss_bytes("Pss_Anon")[engine.info.name],
        psutil.Process().memory_info().rss,
        sum(household.descriptors().values()),
        len(list(scratch.iterdir())) if scratch else 0,
    )


def _has_spare(engine: Engine) -> bool:
    zygote = zygote_of(engine)
    return zygote is None or bool(zygote.children())


def show(seen: Soak) -> None:
    """What a run has seen, for a person."""
    first, last = _quarters(seen.seconds)
    print(
        f"{seen.engine}: {len(seen.seconds)} documents in {sum(seen.seconds):.0f} s; median of the first quarter"
        f" {statistics.median(first) * 1000:.0f} ms, of the last {statistics.median(last) * 1000:.0f} ms"
    )
    memory = {
        "family of the zygote": [each.family_bytes / MIB for each in seen.samples],
        "this process": [each.parent_bytes / MIB for each in seen.samples],
    }
    for name, mib in memory.items():
        print(f"  {name}: {mib[0]:.1f} MiB at first, {max(mib):.1f} at most, {mib[-1]:.1f} at last")
    print(f"  trouble: {'; '.join(seen.troubles()) or 'none'}")


def main() -> int:
    """Run and report; 1 if something grew, failed or was left, or got slower."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="documents for each engine")
    parser.add_argument("--engine", choices=["native", "wasm", "both"], default="both")
    given = parser.parse_args()
    status = 0
    for engine in engines_there(given.engine):
        try:
            seen = soak(engine, given.count, tell=print)
        finally:
            engine.stop()
        show(seen)
        status |= bool(seen.troubles()) or seen.slower() > SLOWER_MAX
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
