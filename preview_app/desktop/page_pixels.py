"""The pixels of one document: asked for, kept within a bound, given up when no longer wanted."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtGui import QImage

from preview_app.desktop.page_layout import PageLayout
from preview_app.desktop.page_plan import Piece, tile_clip
from preview_app.raster.api import Lane, Pixels, RasterDocument, RasterError, RasterTask

PIXEL_BYTES_MAX = 256 * 1024 * 1024
ATTEMPTS_MAX = 2
"""How often a piece is asked for when the worker dies over it: its death may have had another cause."""


@dataclass(frozen=True, slots=True)
class Picture:
    """An image and the pixels it reads from, which must live as long as it does."""

    image: QImage
    pixels: Pixels

    @classmethod
    def of(cls, pixels: Pixels) -> Picture:
        """Wrap without copying. Paper is opaque, so the alpha byte is ignored and nothing is blended."""
        image = QImage(pixels.data, pixels.width, pixels.height, pixels.stride, QImage.Format.Format_RGB32)
        return cls(image, pixels)

    @property
    def byte_count(self) -> int:
        """What it costs to keep."""
        return self.pixels.stride * self.pixels.height


@dataclass(slots=True)
class _Pending:
    lane: Lane
    task: RasterTask | None = None

    def cancel(self) -> None:
        if self.task is not None:
            self.task.cancel()


class PagePixels:
    """What there is of a document's pixels, least recently wanted first to go.

    What the current view wants is never evicted, so the bound can be passed by one view's worth.
    """

    def __init__(
        self, document: RasterDocument, arrived: Callable[[int], None], *, bytes_max: int = PIXEL_BYTES_MAX
    ) -> None:
        self._document = document
        self._arrived = arrived
        self._bytes_max = bytes_max
        self._pictures: OrderedDict[Piece, Picture] = OrderedDict()
        self._pending: dict[Piece, _Pending] = {}
        self._wanted: frozenset[Piece] = frozenset()
        self._attempts: dict[Piece, int] = {}
        self._errors: dict[Piece, RasterError] = {}
        self.byte_count = 0

    def __repr__(self) -> str:
        return f"<PagePixels pictures={len(self._pictures)} bytes={self.byte_count} pending={len(self._pending)}>"

    def get(self, piece: Piece) -> Picture | None:
        """The pixels of a piece, if they are there."""
        return self._pictures.get(piece)

    def stand_in(self, page: int, scale: float, *, night: bool = False) -> Picture | None:
        """The whole page at the scale nearest to `scale`, for want of the right one."""
        wholes = [p for p in self._pictures if p.page == page and p.tile is None and p.night is night]
        if not wholes:
            return None
        return self._pictures[min(wholes, key=lambda piece: abs(piece.scale - scale))]

    def error(self, piece: Piece) -> RasterError | None:
        """Why a piece cannot be had."""
        return self._errors.get(piece)

    def want(self, wanted: Sequence[tuple[Piece, Lane]], layout: PageLayout) -> None:
        """Ask for what is missing, make urgent what became urgent, give up the rest."""
        self._wanted = frozenset(piece for piece, _ in wanted)
        for piece in [piece for piece in self._pending if piece not in self._wanted]:
            self._pending.pop(piece).cancel()
        for piece, lane in wanted:
            if piece in self._pictures:
                self._pictures.move_to_end(piece)
            elif piece in self._pending:
                self._promote(self._pending[piece], lane)
            elif piece not in self._errors:
                self._ask(piece, lane, layout)

    @property
    def passing(self) -> bool:
        """Whether a piece failed for a reason that may be over soon."""
        return any(error.passing for error in self._errors.values())

    def forget_errors(self, *, passing: bool = False) -> None:
        """Let failed pieces be asked for again; with `passing` those only that may have better luck."""
        for piece in [piece for piece, error in self._errors.items() if error.passing or not passing]:
            del self._errors[piece]
            self._attempts.pop(piece, None)

    def give_up(self) -> None:
        """Cancel what is asked; what is there stays."""
        for pending in self._pending.values():
            pending.cancel()
        self._pending.clear()
        self._wanted = frozenset()

    def _promote(self, pending: _Pending, lane: Lane) -> None:
        if lane < pending.lane:
            pending.lane = lane
            if pending.task is not None:
                pending.task.promote(lane)

    def _ask(self, piece: Piece, lane: Lane, layout: PageLayout) -> None:
        # Noted before it is asked for: a rasterizer that has the pixels at hand may answer within the call.
        pending = self._pending[piece] = _Pending(lane)
        clip = None if piece.tile is None else tile_clip(layout.paper(piece.page), piece.tile, piece.scale)
        pending.task = self._document.render(
            piece.page,
            piece.scale,
            lane=lane,
            done=lambda pixels: self._keep(piece, pixels),
            failed=lambda error: self._fail(piece, error),
            clip=clip,
            night=piece.night,
        )

    def _keep(self, piece: Piece, pixels: Pixels) -> None:
        if self._pending.pop(piece, None) is None:
            return
        picture = Picture.of(pixels)
        self._pictures[piece] = picture
        self.byte_count += picture.byte_count
        self._evict()
        self._arrived(piece.page)

    def _fail(self, piece: Piece, error: RasterError) -> None:
        if self._pending.pop(piece, None) is None or error.kind in ("cancelled", "closed"):
            return
        self._attempts[piece] = self._attempts.get(piece, 0) + 1
        if error.kind != "crashed" or self._attempts[piece] >= ATTEMPTS_MAX:
            self._errors[piece] = error
        self._arrived(piece.page)

    def _evict(self) -> None:
        for piece in list(self._pictures):
            if self.byte_count <= self._bytes_max:
                return
            if piece not in self._wanted:
                self.byte_count -= self._pictures.pop(piece).byte_count
