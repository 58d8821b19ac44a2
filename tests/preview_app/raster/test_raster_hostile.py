"""PDFs that are built to hurt: each gets an answer, and the same worker goes on."""

from __future__ import annotations

import random
import zlib

import pytest

from preview_app.raster.api import RasterError
from tests.preview_app.raster.conftest import Bench
from tests.preview_app.raster.pdfs import PdfPage, make_pdf

CATALOG = "<< /Type /Catalog /Pages 2 0 R >>"
ONE_PAGE = "<< /Type /Pages /Count 1 /Kids [3 0 R] /MediaBox [0 0 100 100] >>"
WITH_CONTENT = "<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /XObject << /X 5 0 R >> >> >>"


def stream(data: bytes, entries: str = "") -> bytes:
    return f"<< {entries} /Length {len(data)} >>\nstream\n".encode() + data + b"\nendstream"


def bare(*objects: str | bytes) -> bytes:
    """A PDF without a table of its objects, numbered from 1."""
    out = b"%PDF-1.4\n"
    for number, body in enumerate(objects, 1):
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body if isinstance(body, bytes) else body.encode())
    return out + b"trailer << /Root 1 0 R >>\n"


def one_page(entries: str) -> bytes:
    return bare(CATALOG, "<< /Type /Pages /Count 1 /Kids [3 0 R] >>", f"<< /Type /Page {entries} >>")


def image_bomb() -> bytes:
    entries = "/Type /XObject /Subtype /Image /Width 60000 /Height 60000 /BitsPerComponent 8 /ColorSpace /DeviceRGB"
    picture = stream(zlib.compress(bytes(30_000_000)), entries + " /Filter /FlateDecode")
    return bare(CATALOG, ONE_PAGE, WITH_CONTENT, stream(b"100 0 0 100 0 0 cm /X Do"), picture)


def form_that_draws_itself() -> bytes:
    entries = "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 5 0 R >> >>"
    return bare(CATALOG, ONE_PAGE, WITH_CONTENT, stream(b"/X Do"), stream(b"/X Do", entries))


def outline_in_a_circle() -> bytes:
    catalog = "<< /Type /Catalog /Pages 2 0 R /Outlines 4 0 R >>"
    item = "<< /Title (x) /Next 5 0 R /First 5 0 R /Parent 4 0 R >>"
    return bare(catalog, ONE_PAGE, "<< /Type /Page /Parent 2 0 R >>", "<< /First 5 0 R /Last 5 0 R >>", item)


HOSTILE = {
    "a page of astronomic size": one_page("/MediaBox [0 0 1e30 1e30]"),
    "a size that is no number": one_page("/MediaBox [0 0 9" + "9" * 400 + " nan]"),
    "a negative size": one_page("/MediaBox [0 0 -5 -5]"),
    "no size": one_page(""),
    "an astronomic unit": one_page("/UserUnit 1e20 /MediaBox [0 0 500 500]"),
    "pages in a circle": bare(CATALOG, "<< /Type /Pages /Count 3 /Kids [2 0 R 2 0 R] >>"),
    "two billion pages that are not there": bare(CATALOG, ONE_PAGE.replace("/Count 1", "/Count 2000000000")),
    "an outline in a circle": outline_in_a_circle(),
    "a form that draws itself": form_that_draws_itself(),
    "an image of ten gigabytes": image_bomb(),
    "a million brackets": bare(CATALOG, ONE_PAGE, WITH_CONTENT, stream(b"[" * 1_000_000)),
    "a million saved states": bare(CATALOG, ONE_PAGE, WITH_CONTENT, stream(b"q " * 1_000_000)),
}


def try_everything(bench: Bench, pdf: bytes) -> set[str]:
    """The kinds of the refusals."""
    try:
        document = bench.open(pdf)
    except RasterError as error:
        return {error.kind}
    answers = [
        bench.ask(document.render, 0, 1.0),
        bench.ask(document.words, 0),
        bench.ask(document.links, 0),
        bench.ask(document.outline),
        bench.ask(document.search, 0, "x"),
        bench.ask(document.png, 0, 72.0),
    ]
    bench.until(lambda: all(answer.there for answer in answers))
    document.close()
    return {error.kind for answer in answers for error in answer.errors}


@pytest.mark.parametrize("pdf", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_pdf_gets_an_answer_and_harms_nobody(bench: Bench, pdf: bytes) -> None:
    assert try_everything(bench, pdf) <= {"corrupt", "limit"}
    assert bench.pool.statistics().starts == 1
    assert bench.open(make_pdf([PdfPage()])).pages


def test_damaged_pdfs_get_answers(bench: Bench) -> None:
    page = PdfPage().text(10, 20, "hello").link((1, 2, 3, 4), 0).curves(3)
    sound = make_pdf([page] * 2, outline=[("One", 0), ("Two", 1)])
    chance = random.Random(20)
    for _ in range(60):
        damaged = bytearray(sound)
        for _ in range(chance.randint(1, 25)):
            place = chance.randrange(len(damaged))
            damaged[place : place + chance.randint(0, 9)] = chance.randbytes(chance.randint(0, 6))
        assert try_everything(bench, bytes(damaged)) <= {"corrupt", "limit", "encrypted"}
    assert bench.pool.statistics().starts == 1
