"""The child that rasterizes: `python -I -m preview_app.raster.worker OPTIONS`, one open document at a time.

PyMuPDF is imported here and in the modules that only this one imports: `drawing`, `leads`, `page_facts`. It serves
requests from its socket in order, looks for a cancel between the bands of a large or slow page, and ends when the
socket closes. All coordinates are those of the page as shown, its rotation and crop box applied, in points from the top
left corner.
"""

# mypy: disable-error-code="no-untyped-call"
# PyMuPDF declares that it is typed and leaves most of its functions without types.

from __future__ import annotations

import json
import math
import re
import signal
import socket
import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pymupdf
from pymupdf import mupdf

from preview_app.raster.child import (
    CancelledError,
    Connection,
    Options,
    Output,
    ParentGoneError,
    RefusedError,
    ResidentMemory,
    die_with_parent,
    limit_resources,
    map_pdf,
    trim_heap,
)
from preview_app.raster.confine import confine
from preview_app.raster.device import DeviceBox, device_box
from preview_app.raster.drawing import draw, image_boxes, turn_to_night
from preview_app.raster.leads import DAMAGED, links, outline
from preview_app.raster.page_facts import Glyphs, document_facts, page_facts
from preview_app.raster.pngfile import PngWriter
from preview_app.raster.protocol import Frame, ProtocolError
from preview_app.raster.textlines import search_lines, text_lines
from preview_app.raster.textsearch import Box, find
from preview_app.raster.tiny import TINY_PDF

PAGES_MAX = 100_000
ONE_GO_PIXELS = 8 << 20
"""Pages up to this size are drawn in one go, unless they are slow."""
BAND_PIXELS = 2 << 20
SLOW_S = 0.05
SLOW_BANDS = 8
DISPLAY_LISTS_MAX = 32
TIDY_AFTER_S = 0.5
"""Nobody waits for a worker that was asked nothing for so long."""
HITS_MAX = 10_000
PNG_LEVEL = 6
_HEADER_WITHIN = 1024

Room = Callable[[int, int], memoryview | None]
Check = Callable[[], None]


class OpenDocument:
    """A PDF and the display lists of the pages that were drawn last."""

    def __init__(self, pdf: memoryview, password: str | None, pixels_max: int) -> None:
        self._pixels_max = pixels_max
        self._lists: OrderedDict[int, Any] = OrderedDict()
        self._slow: set[int] = set()
        self._glyphs: Glyphs = {}
        self._document = _open_pdf(pdf, password)
        self.page_count = int(self._document.page_count)
        if not 0 < self.page_count <= PAGES_MAX:
            self.close()
            if self.page_count <= 0:
                raise RefusedError("corrupt", "The PDF has no pages.")
            raise RefusedError("limit", "The PDF has too many pages.")

    def close(self) -> None:
        """Let the document go."""
        self._lists.clear()
        self._document.close()

    def forget_display_lists(self) -> None:
        """Give memory back; pages are read again when next asked."""
        self._lists.clear()

    def page_sizes(self) -> list[tuple[float, float]]:
        """Width and height of each page; A4 stands in for a page that cannot be read."""
        return [self._page_size(number) for number in range(self.page_count)]

    def _page_size(self, number: int) -> tuple[float, float]:
        try:
            rect = self._document[number].rect
        except DAMAGED:
            return (595.0, 842.0)
        return (max(rect.width, 1.0), max(rect.height, 1.0))

    def perform(self, arguments: Mapping[str, Any], output: Output, check: Check) -> dict[str, object]:
        """Answer one request about this document."""
        match arguments["op"]:
            case "render":
                return self._render(arguments, output, check)
            case "png":
                return self._png(arguments, output, check)
            case "words":
                return {"words": self._words(arguments["page"])}
            case "lines":
                return {"lines": list(text_lines(self._text_page(arguments["page"]).extractRAWDICT()))}
            case "links":
                return {"links": list(links(self._document, arguments["page"]))}
            case "outline":
                return {"entries": list(outline(self._document))}
            case "search":
                return {"hits": self._search(arguments)}
            case "page_facts":
                return page_facts(self._document, arguments["page"], self._glyphs)
            case "document_facts":
                return document_facts(self._document)
        raise RefusedError("corrupt", "The request is unknown.")

    def _display_list(self, number: int) -> Any:
        """The page, recorded once and kept while it is among the last ones used."""
        if number in self._lists:
            self._lists.move_to_end(number)
            return self._lists[number]
        started = time.monotonic()
        self._lists[number] = display_list = self._document[number].get_displaylist()
        if time.monotonic() - started > SLOW_S:
            self._slow.add(number)
        if len(self._lists) > DISPLAY_LISTS_MAX:
            self._lists.popitem(last=False)
        return display_list

    def _render(self, arguments: Mapping[str, Any], output: Output, check: Check) -> dict[str, object]:
        begun = time.monotonic()
        display_list = self._display_list(arguments["page"])
        x0, y0, x1, y1 = box = self._device_box(display_list, arguments["scale"], arguments.get("clip"))
        width, height = x1 - x0, y1 - y0
        stride = 4 * width
        bgr = mupdf.FzColorspace(mupdf.FzColorspace.Fixed_BGR)

        def room(top: int, bottom: int) -> memoryview | None:
            return output.room((top - y0) * stride, (bottom - top) * stride)

        for top, band in self._bands(arguments, arguments["scale"], box, check, bgr, 1, room):
            if not output.in_place:
                output.write((top - y0) * stride, mupdf.fz_pixmap_samples_memoryview(band))
        size = {"x": x0, "y": y0, "width": width, "height": height, "stride": stride}
        return {**size, "bytes": height * stride, "seconds": round(time.monotonic() - begun, 6)}

    def _bands(
        self,
        arguments: Mapping[str, Any],
        scale: float,
        box: DeviceBox,
        check: Check,
        colorspace: Any,
        alpha: int,
        room: Room = lambda _top, _bottom: None,
    ) -> Iterator[tuple[int, Any]]:
        """The device pixels of `box` from the top down, each band with its y; looks for a cancel before each.

        `room` gives the memory to draw the rows from one y to another in, `None` for memory of MuPDF's own.
        """
        number = arguments["page"]
        display_list = self._display_list(number)
        images = list(image_boxes(display_list, scale)) if arguments.get("night") else None
        x0, y0, x1, y1 = box
        for top in range(y0, y1, rows := self._band_rows(number, x1 - x0, y1 - y0)):
            check()
            started = time.monotonic()
            part = (x0, top, x1, min(top + rows, y1))
            band = draw(display_list, scale, part, colorspace, alpha, room(top, part[3]))
            if images is not None:
                turn_to_night(band, images)
            yield top, band
            if time.monotonic() - started > SLOW_S:
                self._slow.add(number)

    def _device_box(self, display_list: Any, scale: float, clip: list[float] | None) -> DeviceBox:
        rect = display_list.rect
        return device_box(rect.width, rect.height, scale, clip, self._pixels_max)

    def _band_rows(self, number: int, width: int, height: int) -> int:
        if width * height > ONE_GO_PIXELS:
            return max(1, BAND_PIXELS // width)
        return math.ceil(height / SLOW_BANDS) if number in self._slow else height

    def _png(self, arguments: Mapping[str, Any], output: Output, check: Check) -> dict[str, object]:
        dpi = arguments["dpi"]
        x0, y0, x1, y1 = box = self._device_box(self._display_list(arguments["page"]), dpi / 72, arguments.get("clip"))
        png = PngWriter(x1 - x0, y1 - y0, dpi, arguments.get("level", PNG_LEVEL))
        rgb = mupdf.FzColorspace(mupdf.FzColorspace.Fixed_RGB)
        for _, band in self._bands(arguments, dpi / 72, box, check, rgb, 0):
            png.add(mupdf.fz_pixmap_samples_memoryview(band), mupdf.fz_pixmap_stride(band))
        data = png.finish()
        output.write(0, memoryview(data))
        return {"bytes": len(data), "width": x1 - x0, "height": y1 - y0}

    def _text_page(self, number: int) -> Any:
        return pymupdf.TextPage(self._display_list(number).get_textpage(pymupdf.TEXT_PRESERVE_WHITESPACE))

    def _words(self, number: int) -> list[list[object]]:
        return [
            [*(round(value, 3) for value in word[:4]), *word[4:7]] for word in self._text_page(number).extractWORDS()
        ]

    def _search(self, arguments: Mapping[str, Any]) -> list[list[Box]]:
        lines = search_lines(self._text_page(arguments["page"]).extractRAWDICT())
        options = {"match_case": arguments["match_case"], "whole_words": arguments["whole_words"]}
        return find(lines, arguments["needle"], hits_max=HITS_MAX, **options)


def _open_pdf(pdf: memoryview, password: str | None) -> Any:
    """Only what says that it is a PDF gets to MuPDF's parser, and only to that for PDF."""
    if b"%PDF-" not in bytes(pdf[:_HEADER_WITHIN]):
        raise RefusedError("corrupt", "This is not a PDF.")
    document = pymupdf.open(stream=pdf, filetype="pdf")
    if not document.is_pdf:
        document.close()
        raise RefusedError("corrupt", "This is not a PDF.")
    if document.needs_pass and not (password and document.authenticate(password)):
        document.close()
        if password:
            raise RefusedError("bad_password", "The password does not open this PDF.")
        raise RefusedError("encrypted", "The PDF is encrypted: a password is needed.")
    return document


def _plain(error: Exception) -> str:
    """MuPDF's sentence without its error number, and with its full stop."""
    return re.sub(r"^code=\d+: ", "", str(error))[:200].rstrip(". ") + "."


def warm_mupdf() -> None:
    """Draw something small: the first page that MuPDF draws costs it some 15 ms of set-up."""
    document = OpenDocument(memoryview(TINY_PDF), None, pixels_max=1 << 16)
    document.perform({"op": "render", "page": 0, "scale": 1.0}, Output(-1, 0), lambda: None)
    document.close()


class Server:
    """Answers requests about the one document that is open."""

    def __init__(self, options: Options, connection: Connection) -> None:
        self._options = options
        self._connection = connection
        self._output = Output(options.slot, options.slot_bytes)
        self._memory = ResidentMemory()
        self._document: OpenDocument | None = None
        self._closed_some = False
        """Whether documents were closed that MuPDF still keeps pictures of."""

    def serve(self) -> None:
        """Shut the doors, say hello, warm up, then answer until the parent is gone."""
        confine()
        self._connection.send({"op": "ready"})
        self._output.warm(self._connection, self._options.warm_bytes)
        if not self._connection.waiting():
            warm_mupdf()
        while True:
            if self._closed_some and self._connection.idle_for(TIDY_AFTER_S):
                self._forget_closed()
            request = self._connection.next_request()
            self._output.begin()
            self._reply(self._answer(request))
            self._keep_memory_low()

    def _reply(self, answer: dict[str, object]) -> None:
        try:
            self._connection.send(answer, self._output.blob)
        except ValueError:  # numbers that are none, or more of it than a frame takes
            refusal = {"ok": False, "kind": "corrupt", "message": "The PDF is damaged: what it says has no end."}
            self._connection.send({"id": answer["id"], **refusal})

    def _answer(self, request: Frame) -> dict[str, object]:
        identity = request.head.get("id")
        try:
            return {"id": identity, "ok": True, **self._perform(request)}
        except CancelledError:
            kind, message = "cancelled", "The request was cancelled."
        except RefusedError as refusal:
            kind, message = refusal.kind, refusal.message
        except (MemoryError, mupdf.FzErrorSystem):
            kind, message = "limit", "There is not enough memory for this page."
        except mupdf.FzErrorLimit:
            kind, message = "limit", "The page is too complex to draw."
        except DAMAGED as error:
            kind, message = "corrupt", f"The PDF is damaged: {_plain(error)}"
        return {"id": identity, "ok": False, "kind": kind, "message": message}

    def _perform(self, request: Frame) -> dict[str, object]:
        arguments = request.head
        match arguments["op"]:
            case "open":
                self._close()
                self._document = self._open(request, arguments.get("password"))
                # Hundreds of pages take longer to measure than to open; nobody asks twice.
                return {"pages": self._document.page_sizes()} if arguments.get("measure", True) else {}
            case "close":
                self._close()
                return {}
            case "count":
                counted = self._open(request, None)
                counted.close()
                return {"count": counted.page_count}
            case "decrypt":
                return self._decrypt(request)
        if self._document is None:
            raise RefusedError("closed", "The document is not open.")
        return self._document.perform(arguments, self._output, self._connection.raise_if_cancelled)

    def _open(self, request: Frame, password: str | None) -> OpenDocument:
        return OpenDocument(self._pdf(request), password, self._options.pixels_max)

    def _pdf(self, request: Frame) -> memoryview:
        if request.head.get("fd"):
            return map_pdf(self._connection.take_descriptor())
        return memoryview(request.blob)

    def _decrypt(self, request: Frame) -> dict[str, object]:
        """The PDF without its encryption; nothing if it is not the password that opens it.

        Not by `needs_pass`: it tries the empty password, and the key that this gives stays.
        """
        password = request.head["password"]
        document = _open_pdf(self._pdf(request), password)
        try:
            plain = document.tobytes(encryption=mupdf.PDF_ENCRYPT_NONE) if document.authenticate(password) > 1 else b""
        finally:
            document.close()
        if len(plain) > 4 * self._options.pixels_max:
            raise RefusedError("limit", "The PDF is too large once it is decrypted.")
        self._output.write(0, memoryview(plain))
        return {"bytes": len(plain)}

    def _close(self) -> None:
        if self._document is not None:
            self._document.close()
            self._document = None
            self._closed_some = True

    def _forget_closed(self) -> None:
        pymupdf.TOOLS.store_shrink(100)
        trim_heap()
        self._closed_some = False

    def _keep_memory_low(self) -> None:
        pymupdf.TOOLS.reset_mupdf_warnings()
        if self._memory.resident_bytes() > self._options.rss_bytes_max:
            if self._document is not None:
                self._document.forget_display_lists()
            self._forget_closed()


def main(arguments: list[str]) -> int:
    """Serve one parent until it is gone. The exit status is 0, or 1 when it spoke nonsense."""
    options = Options(**json.loads(arguments[0]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent(options.life)
    limit_resources(options.memory_bytes_max)
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    connection = Connection(socket.socket(fileno=options.socket))
    try:
        Server(options, connection).serve()
    except ProtocolError:
        return 1
    except (ParentGoneError, BrokenPipeError, ConnectionResetError):
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
