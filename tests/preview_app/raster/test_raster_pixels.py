"""What real workers draw and read, with and without shared memory."""

from __future__ import annotations

import contextlib
import math
import struct
import zlib
from collections.abc import Callable

import pytest

from preview_app.raster.api import Box, Clip, Pixels, RasterError
from preview_app.raster.process import WorkerLimits
from tests.preview_app.raster.conftest import Bench
from tests.preview_app.raster.pdfs import BLUE, RED, PdfPage, make_pdf

WHITE_PIXEL, RED_PIXEL, BLUE_PIXEL = b"\xff\xff\xff\xff", b"\x00\x00\xff\xff", b"\xff\x00\x00\xff"


def pixel(pixels: Pixels, x: int, y: int) -> bytes:
    offset = y * pixels.stride + 4 * x
    return bytes(pixels.data[offset : offset + 4])


def rows(pixels: Pixels) -> list[bytes]:
    return [bytes(pixels.data[y * pixels.stride :][: 4 * pixels.width]) for y in range(pixels.height)]


def assert_alike(found: list[bytes], expected: list[bytes]) -> None:
    """Equal but for a few levels in one pixel of a hundred: MuPDF smooths a curve that it cuts a little differently."""
    assert [len(row) for row in found] == [len(row) for row in expected]
    differences = [
        abs(a - b)
        for one, other in zip(found, expected, strict=True)
        if one != other
        for a, b in zip(one, other, strict=True)
    ]
    assert max(differences, default=0) <= 8
    assert sum(map(bool, differences)) <= sum(map(len, found)) / 100


@pytest.fixture(params=[True, False], ids=["shared memory", "socket"])
def anyway(request: pytest.FixtureRequest, make_bench: Callable[..., Bench]) -> Bench:
    """A bench for each way that pixels travel."""
    return make_bench(limits=WorkerLimits(shared_memory=request.param))


def test_pixels_are_bgra_top_down_on_white_paper(anyway: Bench) -> None:
    page = PdfPage().rectangle(20, 10, 30, 15, RED).rectangle(120, 60, 30, 15, BLUE)
    document = anyway.open(make_pdf([page]))
    pixels = anyway.get(document.render, 0, 1.0)
    assert (pixels.width, pixels.height, pixels.stride) == (200, 100, 800)
    assert (pixels.page, pixels.scale, pixels.x, pixels.y) == (0, 1.0, 0, 0)
    assert pixels.data.nbytes == 80_000
    assert pixels.data.readonly
    assert pixel(pixels, 21, 11) == pixel(pixels, 49, 24) == RED_PIXEL
    assert pixel(pixels, 121, 61) == BLUE_PIXEL
    assert pixel(pixels, 0, 0) == pixel(pixels, 199, 99) == pixel(pixels, 51, 11) == WHITE_PIXEL


@pytest.mark.parametrize("scale", [1.0, 1.25, 1.3333, 2.0, 0.37])
@pytest.mark.parametrize("size", [(33.0, 17.0), (100.5, 51.25), (612.0, 792.0)])
def test_sizes_are_rounded_up_at_any_scale(bench: Bench, scale: float, size: tuple[float, float]) -> None:
    page = PdfPage(*size).rectangle(0, 0, size[0], size[1] / 2, RED)
    document = bench.open(make_pdf([page]))
    assert (document.pages[0].width_pt, document.pages[0].height_pt) == size
    pixels = bench.get(document.render, 0, scale)
    assert pixels.width == math.ceil(size[0] * scale - 0.001)
    assert pixels.height == math.ceil(size[1] * scale - 0.001)
    assert pixels.stride == 4 * pixels.width
    assert pixel(pixels, 0, 0) == RED_PIXEL
    assert pixel(pixels, 0, pixels.height - 1) == WHITE_PIXEL
    assert set(bytes(pixels.data)[3::4]) == {255}


@pytest.mark.parametrize("curves", [False, True], ids=["text", "curves"])
@pytest.mark.parametrize("scale", [1.0, 2.0, 1.7])
def test_a_clip_is_that_part_of_the_page(bench: Bench, scale: float, curves: bool) -> None:
    page = PdfPage().text(10, 30, "Hello clipped world", 18).rectangle(90, 40, 31, 17, BLUE)
    if curves:
        page.curves(20)
    document = bench.open(make_pdf([page]))
    whole = bench.get(document.render, 0, scale)
    part = bench.get(document.render, 0, scale, clip=Clip(50.3, 20.2, 130.7, 70.9))
    assert (part.x, part.y) == (int(50.3 * scale), int(20.2 * scale))
    assert part.x + part.width == math.ceil(130.7 * scale)
    assert part.y + part.height == math.ceil(70.9 * scale)
    cut = [row[4 * part.x : 4 * (part.x + part.width)] for row in rows(whole)[part.y : part.y + part.height]]
    if curves:
        assert_alike(rows(part), cut)
    else:
        assert rows(part) == cut


def test_a_clip_is_cut_to_the_page_and_refused_beside_it(bench: Bench) -> None:
    document = bench.open(make_pdf([PdfPage()]))
    pixels = bench.get(document.render, 0, 1.0, clip=Clip(150, -20, 999, 50))
    assert (pixels.x, pixels.y, pixels.width, pixels.height) == (150, 0, 50, 50)
    with pytest.raises(RasterError) as refused:
        bench.get(document.render, 0, 1.0, clip=Clip(300, 0, 400, 50))
    assert refused.value.kind == "limit"


def test_a_page_drawn_in_bands_is_the_page_drawn_at_once(bench: Bench) -> None:
    """5,000 x 2,500 pixels are more than what is drawn in one go."""
    page = PdfPage().text(10, 60, "Bands", 48).curves(15)
    document = bench.open(make_pdf([page]))
    large = bench.get(document.render, 0, 25.0)
    assert (large.width, large.height) == (5000, 2500)
    for top in (0, 40, 80):
        part = bench.get(document.render, 0, 25.0, clip=Clip(0, top, 200, top + 20))
        assert_alike(rows(part), rows(large)[top * 25 : (top + 20) * 25])


def test_too_many_pixels_are_refused_before_they_are_drawn(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(limits=WorkerLimits(pixels_max=20_000))
    document = bench.open(make_pdf([PdfPage()]))
    assert bench.get(document.render, 0, 1.0).width == 200
    with pytest.raises(RasterError, match="20,000 pixels") as refused:
        bench.get(document.render, 0, 1.01)
    assert refused.value.kind == "limit"
    with pytest.raises(RasterError):
        bench.get(document.png, 0, 100.0)


def test_rotation_and_crop_box_are_applied(bench: Bench) -> None:
    page = PdfPage(rotate=90, crop=(20, 10, 180, 90)).rectangle(20, 10, 40, 20, RED).text(30, 80, "Turned")
    document = bench.open(make_pdf([page]))
    assert (document.pages[0].width_pt, document.pages[0].height_pt) == (80.0, 160.0)
    pixels = bench.get(document.render, 0, 1.0)
    assert pixel(pixels, 79, 0) == pixel(pixels, 61, 39) == RED_PIXEL
    assert pixel(pixels, 59, 0) == WHITE_PIXEL
    (word,) = bench.get(document.words, 0)
    (hit,) = bench.get(document.search, 0, "turned")
    assert word.text == "Turned"
    for box in (word.box, *hit.boxes):
        assert 0 < box.x0 < box.x1 < 80
        assert box.y1 - box.y0 > box.x1 - box.x0, "the word runs downwards"
        assert _dark(pixels, box)
    assert not _dark(pixels, Box(40, 100, 80, 160))


def _dark(pixels: Pixels, box: Box) -> bool:
    """Whether something dark was drawn in the box (scale 1)."""
    xs, ys = range(int(box.x0), int(box.x1)), range(int(box.y0), int(box.y1))
    return any(max(pixel(pixels, x, y)[:3]) < 128 for x in xs for y in ys)


def test_a_png_states_its_resolution(anyway: Bench) -> None:
    document = anyway.open(make_pdf([PdfPage().rectangle(0, 0, 200, 100, BLUE)]))
    png = anyway.get(document.png, 0, 144.0)
    chunks = dict(_chunks(png))
    width, height, depth, colour = struct.unpack("!IIBB", chunks[b"IHDR"][:10])
    assert (width, height, depth, colour) == (400, 200, 8, 2)
    across, down, unit = struct.unpack("!IIB", chunks[b"pHYs"])
    assert (round(across * 0.0254), round(down * 0.0254), unit) == (144, 144, 1)
    first_row = zlib.decompress(chunks[b"IDAT"])[1:1201]
    assert first_row[:3] == b"\x00\x00\xff"


@pytest.mark.parametrize("night", [False, True], ids=["day", "night"])
def test_a_png_is_the_pixels_of_its_clip(anyway: Bench, night: bool) -> None:
    page = PdfPage(1000, 800).rectangle(20, 10, 30, 15, RED).rectangle(120, 60, 30, 15, BLUE).text(30, 90, "Text", 20)
    page.content.append("q 50 0 0 50 60 725 cm BI /W 1 /H 1 /BPC 8 /CS /RGB ID \xff\x80\x00 EI Q")
    document = anyway.open(make_pdf([page]))
    for clip, scale in ((None, 4.0), (Clip(15, 5, 130, 70), 1.5)):
        pixels = anyway.get(document.render, 0, scale, clip=clip, night=night)
        chunks = dict(_chunks(anyway.get(document.png, 0, scale * 72, clip=clip, night=night)))
        assert struct.unpack("!II", chunks[b"IHDR"][:8]) == (pixels.width, pixels.height)
        lines = memoryview(zlib.decompress(chunks[b"IDAT"]))
        stride, drawn_rows = 1 + 3 * pixels.width, rows(pixels)
        assert len(lines) == stride * pixels.height
        for y in range(0, pixels.height, 7):
            line, drawn = bytes(lines[y * stride : (y + 1) * stride]), drawn_rows[y]
            assert line[:1] == b"\0"
            assert (line[1::3], line[2::3], line[3::3]) == (drawn[2::4], drawn[1::4], drawn[0::4])


def test_bytes_that_were_copied_ahead_become_the_pools(bench: Bench) -> None:
    source = bench.pool.copy(make_pdf([PdfPage().rectangle(0, 0, 200, 100, RED)]))
    with contextlib.closing(source.duplicate()) as own:
        document = bench.get(bench.pool.open, source)
        assert pixel(bench.get(document.render, 0, 1.0), 5, 5) == RED_PIXEL
        document.close()
        assert own.read(0, 5) == b"%PDF-"
        assert len(own.read(0, own.size_bytes + 9)) == own.size_bytes
    bench.pool.close()
    assert bench.ask(bench.pool.open, bench.pool.copy(b"%PDF-")).task is not None


def _chunks(png: bytes) -> list[tuple[bytes, bytes]]:
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    found, offset = [], 8
    while offset < len(png):
        (length,) = struct.unpack_from("!I", png, offset)
        found.append((png[offset + 4 : offset + 8], png[offset + 8 : offset + 8 + length]))
        offset += 12 + length
    return found


def test_words_links_outline_and_search(bench: Bench) -> None:
    first = PdfPage(300, 200).text(20, 40, "The quick brown fox").text(20, 60, "and the Quickest one")
    first.link((20, 30, 60, 42), "https://example.org/a").link((70, 30, 90, 42), 1)
    document = bench.open(make_pdf([first, PdfPage()], outline=[("One", 0), ("Two", 1)]))
    words = bench.get(document.words, 0)
    assert [word.text for word in words] == ["The", "quick", "brown", "fox", "and", "the", "Quickest", "one"]
    assert 19 < words[0].box.x0 < 21
    assert 28 < words[0].box.y0 < 40 < words[0].box.y1 < 46
    assert words[0].line != words[4].line or words[0].block != words[4].block
    outside, inside = sorted(bench.get(document.links, 0), key=lambda link: link.box.x0)
    assert (outside.uri, outside.page) == ("https://example.org/a", None)
    assert outside.box == Box(20, 30, 60, 42)
    assert (inside.uri, inside.page) == (None, 1)
    assert [(entry.level, entry.title, entry.page) for entry in bench.get(document.outline)] == [
        (1, "One", 0),
        (1, "Two", 1),
    ]
    assert len(bench.get(document.search, 0, "quick")) == 2
    assert len(bench.get(document.search, 0, "quick", whole_words=True)) == 1
    assert len(bench.get(document.search, 0, "Quick", match_case=True)) == 1
    assert bench.get(document.search, 0, "fox and")[0].boxes[1].y0 > words[0].box.y1 - 5
    assert bench.get(document.words, 1) == bench.get(document.links, 1) == bench.get(document.search, 1, "x") == ()


def test_what_is_asked_wrongly_is_said_at_once(bench: Bench) -> None:
    document = bench.open(make_pdf([PdfPage()]))
    for page in (-1, 1):
        with pytest.raises(IndexError):
            bench.ask(document.render, page, 1.0)
    for scale in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(ValueError, match="positive"):
            bench.ask(document.render, 0, scale)


@pytest.mark.parametrize(
    ("pdf", "kind"),
    [
        (b"", "corrupt"),
        (b"hello", "corrupt"),
        (b"<html><body>hello</body></html>", "corrupt"),
        (b"%PDF-1.4\nnothing here", "corrupt"),
        (make_pdf([PdfPage()])[:150], "corrupt"),
        (make_pdf([]), "corrupt"),
        (make_pdf([PdfPage()], password="secret"), "encrypted"),
    ],
    ids=["empty", "text", "html", "header", "truncated", "no pages", "encrypted"],
)
def test_what_cannot_be_opened_is_refused(anyway: Bench, pdf: bytes, kind: str) -> None:
    with pytest.raises(RasterError) as refused:
        anyway.open(pdf)
    assert refused.value.kind == kind
    assert anyway.pool.statistics().documents == 0
    assert anyway.open(make_pdf([PdfPage()])).pages


def test_a_password_opens_an_encrypted_pdf_also_after_its_worker_has_died(bench: Bench) -> None:
    pdf = make_pdf([PdfPage().rectangle(0, 0, 200, 100, RED)], password="secret")
    with pytest.raises(RasterError) as refused:
        bench.open(pdf, password="wrong")
    assert refused.value.kind == "bad_password"
    document = bench.open(pdf, password="secret")
    bench.open(make_pdf([PdfPage()]))  # takes the only worker's place
    assert pixel(bench.get(document.render, 0, 1.0), 5, 5) == RED_PIXEL
