"""What a kit that a document has taken over may tell its parent: it costs that document, and nobody else."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from engines.base import Artifact, ExportOptions, SourceDocument
from engines.errors import EngineError, ErrorKind
from engines.kits import Job
from engines.kits_forked import ForkedKits
from engines.protocol import Convert, Init
from engines.supervisor import Supervisor
from tests.engines.cancel_token import Token
from tests.engines.kits_harness import EVERY_WAY, KITS, TEXT
from tests.shortage import open_descriptors

INIT = Init("tests.engines.lying_office:LyingOffice", {})
RESULT_BYTES_MAX = 1 << 20
Convert_ = Callable[..., Artifact]


@pytest.fixture
def convert(way: str) -> Iterator[Convert_]:
    """Converts a document that is an order, by kits of this way."""
    supervisor = Supervisor(lambda: KITS[way](INIT), result_bytes_max=RESULT_BYTES_MAX)

    def ordered(deadline_s: float = 3.0, **order: Any) -> Artifact:
        document = SourceDocument(json.dumps(order).encode(), TEXT)
        return supervisor.convert(document, ExportOptions(), deadline_s=deadline_s, cancel=Token(), progress=None)

    yield ordered
    supervisor.stop(2)


def result(**values: object) -> str:
    return json.dumps({"frame": "Result", "pdf_bytes": 0, "seconds": {}, **values})


FALSE_FRAMES = {
    "a length that is text": result(pdf_bytes="9"),
    "a length that is negative": result(pdf_bytes=-1),
    "a length that no memory holds": result(pdf_bytes=1 << 62),
    "more bytes than are allowed": result(pdf_bytes=RESULT_BYTES_MAX + 1),
    "times that are none": result(seconds={"load": "long"}),
    "a font without what stood in for it": result(fonts=[["Aptos"]]),
    "a font that is an object": result(fonts=[[{"name": "Aptos"}, "DejaVu Sans"]]),
    "a notice of numbers": result(notices=[7]),
    "a notice cut short": result(notices=[["macros"]]),
    "a notice with values that are none": result(notices=[["macros", "Beware.", ["a"]]]),
    "a phase that is a list": '{"frame":"Phase","phase":["loading"]}',
    "an error of no kind": '{"frame":"Failed","kind":"curious","message":"?"}',
    "an error without words": '{"frame":"Failed","kind":"corrupt","message":null}',
    "an end that is none": '{"frame":"Exited","status":"0","cpu_s":0,"resident_bytes_peak":0}',
    "what is nested without end": "[" * 200_000,
    "a frame out of all proportion": json.dumps({"frame": "Phase", "phase": "x" * (5 << 20)}),
}


@EVERY_WAY
@pytest.mark.parametrize("lie", FALSE_FRAMES)
def test_a_false_frame_is_a_fault_of_its_document_alone(convert: Convert_, lie: str) -> None:
    with pytest.raises(EngineError) as caught:
        convert(do="say", bodies=[FALSE_FRAMES[lie]], ends=True)
    assert caught.value.kind is ErrorKind.ENGINE
    assert convert(do="convert").pdf.startswith(b"%PDF-")


@EVERY_WAY
def test_what_a_kit_says_at_length_is_cut(convert: Convert_) -> None:
    long = {"frame": "Failed", "kind": "corrupt", "message": "m" * 90_000, "diagnostics": "d" * 90_000}
    with pytest.raises(EngineError) as caught:
        convert(do="say", bodies=[json.dumps(long)], ends=True)
    assert caught.value.kind is ErrorKind.CORRUPT
    assert len(caught.value.message) + len(caught.value.diagnostics) < 6_000


@pytest.mark.parametrize("way", ["forked"])
def test_a_kit_that_answers_again_and_again_does_not_outlive_its_deadline(convert: Convert_) -> None:
    with pytest.raises(EngineError) as caught:
        convert(do="say", bodies=[result()], times=60, every_s=1)
    assert caught.value.kind is ErrorKind.ENGINE


def test_descriptors_that_a_kit_sends_are_not_taken() -> None:
    kits = ForkedKits(INIT)
    kits.start()
    before, most = len(open_descriptors()), 0

    def look(_phase: str) -> None:
        nonlocal most
        most = max(most, len(open_descriptors()))

    order = json.dumps({"do": "pass", "times": 20}).encode()
    request = Convert("txt", "", {}, 10, RESULT_BYTES_MAX)
    try:
        ending = kits.run(Job(order, request, 10.0, Token(), look))
    finally:
        kits.stop(2)
    assert ending.pdf.startswith(b"%PDF-")
    assert most - before < 8, "the document's own are three"
