"""Two hundred readers at once on the real WASM engine."""

from __future__ import annotations

import csv
import random
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from converter.errors import ConversionError
from converter.invariants import check
from converter.request import Lane, Limits, Locator
from converter.service import Converter
from converter.ticket import Ticket
from converter.workspace import Workspace
from engines.wasm.engine import WasmEngine
from preview_app.raster.blocking import PdfChecker

READERS = 200
LIMITS = Limits(readers_max=READERS + 1, waiting_jobs_max=READERS, prefetch_wait_max_s=600.0, aliases_max=READERS)
FAIR = {"ok", "cancelled", "timeout", "busy"}


def small_documents(corpus: Path) -> list[Path]:
    """Twenty-five of the documents that convert fast."""
    with (corpus / "MANIFEST.tsv").open(encoding="utf-8") as manifest:
        rows = [row for row in csv.DictReader(manifest, delimiter="\t") if row["expected"] == "converts"]
    rows = [row for row in rows if int(row["bytes"]) < 60_000 and row["category"] in {"docx", "odt", "xlsx", "rtf"}]
    return [corpus / row["file"] for row in random.Random(0).sample(rows, min(25, len(rows)))]


def reader(converter: Converter, documents: list[Path], seed: int, outcomes: list[str]) -> None:
    """Opens one document, and now and then changes its mind."""
    chance = random.Random(seed)
    deadline_s = chance.choice([None, None, 0.5])
    ticket: Ticket = converter.open(
        Locator.of(chance.choice(documents)), chance.choice(list(Lane)), deadline_s=deadline_s
    )
    if chance.random() < 0.2:
        ticket.cancel("changed its mind")
    if chance.random() < 0.2:
        ticket.promote(Lane.CRITICAL)
    try:
        result = ticket.result(100.0)
        outcomes.append("ok" if result.pages and result.pdf.startswith(b"%PDF-") else "wrong")
    except ConversionError as error:
        outcomes.append(error.outcome.value)


@pytest.mark.wasm
@pytest.mark.corpus
@pytest.mark.slow
def test_two_hundred_readers(wasm_engine: WasmEngine, corpus: Path) -> None:
    """Bounds hold all the while, every reader has one outcome, and nothing is left."""
    documents, outcomes, checker = small_documents(corpus), list[str](), PdfChecker()
    converter = Converter(wasm_engine, checker, workspace=Workspace([corpus]), limits=LIMITS)
    threads = [threading.Thread(target=reader, args=(converter, documents, n, outcomes)) for n in range(READERS)]
    for thread in threads:
        thread.start()
    until = time.monotonic() + 100.0
    while any(thread.is_alive() for thread in threads) and time.monotonic() < until:
        threads[-1].join(0.02)
        with converter._dispatcher.lock:
            check(converter._dispatcher.admission)
            converter._dispatcher.cache.check()
    for thread in threads:
        thread.join(10.0)
    now = converter.statistics()
    closed = converter.close()
    checker.close()
    assert closed
    assert len(outcomes) == READERS
    assert set(outcomes) <= FAIR, Counter(outcomes)
    assert outcomes.count("ok") > READERS // 3, Counter(outcomes)
    assert (now.readers, now.jobs, now.reserved_bytes) == (0, 0, 0)
