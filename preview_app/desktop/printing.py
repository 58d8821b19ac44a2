"""Printing: page by page, drawn by the raster workers at the printer's resolution, always as by day."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QMarginsF, QObject, QPointF, QRectF, QSizeF, Signal
from PySide6.QtGui import QPageLayout, QPageSize, QPainter
from PySide6.QtPrintSupport import QPrinter

from preview_app.desktop.language import tr
from preview_app.desktop.page_pixels import Picture
from preview_app.desktop.sentences import raster_text
from preview_app.raster.api import Lane, PageSize, Pixels, RasterError, RasterTask, TextDocument, TextRasterizer

RESOLUTION_MAX_DPI = 300
"""More is not seen on office documents, and costs memory by its square."""
PIXELS_MAX = 40_000_000


class PrintJob(QObject):
    """Prints some pages of a PDF. It holds nobody up: one page is on its way at a time.

    It opens the PDF for itself, since the person may go on to another document meanwhile.
    """

    progressed = Signal(int, int)
    """Pages done and in all."""
    ended = Signal(str)
    """Empty, or why it ended early. Emitted once."""

    def __init__(
        self,
        rasterizer: TextRasterizer,
        pdf: bytes | memoryview,
        printer: QPrinter,
        pages: Sequence[int],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._rasterizer = rasterizer
        self._pdf = pdf
        self._document: TextDocument | None = None
        self._printer = printer
        self._pages = list(pages)
        self._done = 0
        self._painter: QPainter | None = None
        self._task: RasterTask | None = None

    def start(self) -> None:
        """Begin."""
        self._task = self._rasterizer.open(self._pdf, lane=Lane.HIGH, opened=self._opened, failed=self._fail)

    def cancel(self) -> None:
        """Print no further page."""
        if self._task is not None:
            task, self._task = self._task, None
            task.cancel()
        self._printer.abort()
        self._end(tr("Printing was cancelled."))

    def _opened(self, document: TextDocument) -> None:
        self._document = document
        self._next(document)

    def _next(self, document: TextDocument) -> None:
        if self._done == len(self._pages):
            self._end("")
            return
        page = self._pages[self._done]
        size = document.pages[page]
        self._task = document.render(
            page, scale_for(size, self._printer.resolution()), lane=Lane.HIGH, done=self._draw, failed=self._fail
        )

    def _draw(self, pixels: Pixels) -> None:
        self._task = None
        if self._document is None:
            return
        size = self._document.pages[pixels.page]
        self._printer.setPageOrientation(_orientation(size))
        if self._painter is None:
            self._painter = QPainter()
            if not self._painter.begin(self._printer):
                self._painter = None
                self._end(tr("The printer does not answer."))
                return
        else:
            self._printer.newPage()
        self._painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        area = QRectF(QPointF(0, 0), self._printer.pageLayout().paintRectPixels(self._printer.resolution()).size())
        picture = Picture.of(pixels)
        self._painter.drawImage(place_on(size, area), picture.image)
        self._done += 1
        self.progressed.emit(self._done, len(self._pages))
        self._next(self._document)

    def _fail(self, error: RasterError) -> None:
        self._task = None
        self._end(raster_text(error))

    def _end(self, error: str) -> None:
        if self._painter is not None:
            painter, self._painter = self._painter, None
            painter.end()
        if self._document is not None:
            document, self._document = self._document, None
            document.close()
        self.ended.emit(error)


def pages_to_print(printer: QPrinter, page_count: int, current: int) -> list[int]:
    """The pages (from 0) that a person chose in the printer's dialog."""
    if printer.printRange() is QPrinter.PrintRange.PageRange and printer.fromPage():
        pages = list(range(printer.fromPage() - 1, min(printer.toPage() or page_count, page_count)))
    elif printer.printRange() is QPrinter.PrintRange.CurrentPage:
        pages = [current]
    else:
        pages = list(range(page_count))
    return pages[::-1] if printer.pageOrder() is QPrinter.PageOrder.LastPageFirst else pages


def scale_for(size: PageSize, resolution_dpi: int) -> float:
    """Pixels a point at which a page is drawn."""
    scale = min(resolution_dpi, RESOLUTION_MAX_DPI) / 72
    pixels = size.width_pt * size.height_pt * scale * scale
    return scale if pixels <= PIXELS_MAX else scale * float((PIXELS_MAX / pixels) ** 0.5)


def place_on(size: PageSize, area: QRectF) -> QRectF:
    """Where a page goes on the printable area: as large as it fits, in the middle."""
    factor = min(area.width() / size.width_pt, area.height() / size.height_pt)
    place = QRectF(QPointF(0, 0), QSizeF(size.width_pt * factor, size.height_pt * factor))
    place.moveCenter(area.center())
    return place


def set_paper(printer: QPrinter, size: PageSize) -> None:
    """Suggest the paper of a page, its edges used to the last: the margins are in the document already."""
    short, long = sorted((size.width_pt, size.height_pt))
    page = QPageSize(QSizeF(short, long), QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.FuzzyOrientationMatch)
    printer.setPageLayout(QPageLayout(page, _orientation(size), QMarginsF()))
    printer.setFullPage(True)


def _orientation(size: PageSize) -> QPageLayout.Orientation:
    wide = size.width_pt > size.height_pt
    return QPageLayout.Orientation.Landscape if wide else QPageLayout.Orientation.Portrait
