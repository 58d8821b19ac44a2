"""How pages look: paper, pixels, what stands in for them. Draws in device pixels, decides nothing."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPalette, QPen

from preview_app.desktop.language import tr
from preview_app.desktop.page_layout import Box, PageLayout
from preview_app.desktop.page_marks import Mark, Marks
from preview_app.desktop.page_pixels import PagePixels, Picture
from preview_app.desktop.page_plan import Piece, View, is_tiled, paper_view, tile_box, tiles_in
from preview_app.desktop.sentences import raster_text

PAPER = QColor("white")
NIGHT_PAPER = QColor("#1e1f22")
NIGHT_DESK = QColor("#111214")
STAGE = QColor("black")
"""What lies around the pages of a presentation."""
_MARKS = {Mark.HIT: "#ffe066", Mark.CURRENT_HIT: "#ffa22e", Mark.SELECTION: "#9cc4ff", Mark.LINK: "#dcebff"}
_NIGHT_MARKS = {Mark.HIT: "#6b5a00", Mark.CURRENT_HIT: "#a35400", Mark.SELECTION: "#1f4a8a", Mark.LINK: "#2a3a55"}
A4_RATIO = 297 / 210


@dataclass(frozen=True, slots=True)
class Scene:
    """A document as it lies: all that is needed to draw it."""

    layout: PageLayout
    pixels: PagePixels
    left: int
    top: int
    night: bool = False
    marks: Marks = field(default_factory=Marks)
    bare: bool = False
    """Without edge and shadow."""

    @property
    def paper(self) -> QColor:
        """The colour of a page on which nothing is drawn yet."""
        return NIGHT_PAPER if self.night else PAPER

    def view(self, width: int, height: int, direction: int) -> View:
        """The part seen through a view of this size."""
        return View(self.left, self.top, width, height, direction)


def desk_color(palette: QPalette) -> QColor:
    """The surface that pages lie on: a little darker than the window, in both themes."""
    window = palette.color(QPalette.ColorRole.Window)
    return window.darker(108) if window.lightness() > 127 else window.darker(125)


def to_device_pixels(painter: QPainter) -> float:
    """Make one unit one device pixel, with the origin on the corner of one; gives the device pixel ratio.

    A widget may begin between two device pixels where the scale factor is a fraction; from the corner of one, images,
    fills and clips are rounded alike, and no page is resampled.
    """
    device = painter.deviceTransform()
    ratio = device.m11()
    snap_x = (round(device.dx()) - device.dx()) / ratio
    snap_y = (round(device.dy()) - device.dy()) / ratio
    painter.translate(snap_x, snap_y)
    painter.scale(1 / ratio, 1 / ratio)
    return ratio


def paint_scene(painter: QPainter, scene: Scene, width: int, height: int, palette: QPalette) -> bool:
    """Draw the pages in view; whether any of them was drawn with its own pixels, at the right scale."""
    view = scene.view(width, height, 1)
    exact = False
    for page in scene.layout.visible(scene.top, height):
        box = scene.layout.boxes[page]
        place = QRect(box.x - scene.left, box.y - scene.top, box.width, box.height)
        if not scene.bare:
            _paint_edge(painter, place, palette)
        painter.save()
        painter.setClipRect(place, Qt.ClipOperation.IntersectClip)
        _to_paper(painter, place, scene.layout.turns)
        exact = _paint_page(painter, scene, page, view) or exact
        _paint_marks(painter, scene, page)
        painter.restore()
    return exact


def _to_paper(painter: QPainter, place: QRect, turns: int) -> None:
    """Draw on the unturned page from now on. The turns are exact: no pixel is resampled."""
    dx, dy = ((0, 0), (place.width(), 0), (place.width(), place.height()), (0, place.height()))[turns]
    painter.translate(place.x() + dx, place.y() + dy)
    painter.rotate(90 * turns)


def _paint_page(painter: QPainter, scene: Scene, page: int, view: View) -> bool:
    box, scale = scene.layout.paper(page), scene.layout.scale
    if is_tiled(box):
        return _paint_tiles(painter, scene, page, paper_view(scene.layout, page, view))
    piece = Piece(page, scale, night=scene.night)
    picture = scene.pixels.get(piece)
    if picture is not None:
        painter.drawImage(0, 0, picture.image)
        return True
    _paint_stand_in(painter, scene, piece)
    return False


def _paint_tiles(painter: QPainter, scene: Scene, page: int, view: View) -> bool:
    box, scale = scene.layout.paper(page), scene.layout.scale
    found: list[tuple[Box, Picture]] = []
    tiles = tiles_in(box, view)
    for tile in tiles:
        picture = scene.pixels.get(Piece(page, scale, tile, scene.night))
        if picture is not None:
            found.append((tile_box(box, tile), picture))
    if len(found) < len(tiles):
        _paint_stand_in(painter, scene, Piece(page, scale, tiles[0], scene.night))
    for spot, picture in found:
        painter.drawImage(spot.x, spot.y, picture.image)
    return bool(found)


def _paint_stand_in(painter: QPainter, scene: Scene, piece: Piece) -> None:
    box = scene.layout.paper(piece.page)
    place = QRect(0, 0, box.width, box.height)
    painter.fillRect(place, scene.paper)
    picture = scene.pixels.stand_in(piece.page, piece.scale, night=piece.night)
    if picture is not None:
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(QRectF(place), picture.image, QRectF(picture.image.rect()))
        return
    error = scene.pixels.error(piece)
    number = piece.page + 1
    text = str(number) if error is None else tr("Page {} cannot be drawn.").format(number) + "\n" + raster_text(error)
    _paint_note(painter, place, text)


def _paint_marks(painter: QPainter, scene: Scene, page: int) -> None:
    """Tint the marked places as a felt pen does: what is printed stays readable."""
    marks = scene.marks.of(page)
    if not marks:
        return
    modes = QPainter.CompositionMode
    painter.setCompositionMode(modes.CompositionMode_Screen if scene.night else modes.CompositionMode_Multiply)
    colors, scale = _NIGHT_MARKS if scene.night else _MARKS, scene.layout.scale
    for mark, boxes in marks:
        for box in boxes:
            width, height = (box.x1 - box.x0) * scale, (box.y1 - box.y0) * scale
            painter.fillRect(QRectF(box.x0 * scale, box.y0 * scale, width, height), QColor(colors[mark]))


def _paint_note(painter: QPainter, place: QRect, text: str) -> None:
    font = QFont(painter.font())
    font.setPixelSize(max(12, min(28, place.width() // 24)))
    painter.setFont(font)
    painter.setPen(QColor("#9aa0a6"))
    painter.drawText(place, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, text)


def _paint_edge(painter: QPainter, place: QRect, palette: QPalette) -> None:
    """A hairline and a soft shadow below: paper that lies on a desk.

    Only the rim is drawn: to blend whole pages that are then covered would cost more than everything else in a frame.
    """
    dark = palette.color(QPalette.ColorRole.Window).lightness() <= 127
    painter.setPen(Qt.PenStyle.NoPen)
    for spread, alpha in ((3, 10), (2, 16), (1, 26)):
        painter.setBrush(QColor(0, 0, 0, alpha * (1 + dark)))
        painter.drawRects(_rim(place.adjusted(-spread, -spread + 1, spread, spread + 1), place))


def _rim(outer: QRect, inner: QRect) -> list[QRect]:
    """What `outer` has beyond `inner`: above, below, left, right; a strip may be empty."""
    above, below = inner.top() - outer.top(), outer.bottom() - inner.bottom()
    left, right = inner.left() - outer.left(), outer.right() - inner.right()
    return [
        QRect(outer.left(), outer.top(), outer.width(), above),
        QRect(outer.left(), inner.bottom() + 1, outer.width(), below),
        QRect(outer.left(), inner.top(), left, inner.height()),
        QRect(inner.right() + 1, inner.top(), right, inner.height()),
    ]


def paint_skeleton(painter: QPainter, width: int, height: int, ratio: float, palette: QPalette) -> None:
    """A page of grey lines, for a document whose pages are not known yet."""
    page_width = int(min(width - 32 * ratio, 800 * ratio))
    place = QRect((width - page_width) // 2, int(16 * ratio), page_width, int(page_width * A4_RATIO))
    _paint_edge(painter, place, palette)
    painter.fillRect(place, PAPER)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor("#eceef1"))
    margin, line = page_width * 0.12, page_width * 0.022
    y = place.y() + margin
    for index in range(28):
        share = 0.45 if index == 0 else 0.6 if index % 6 == 5 else 1.0
        painter.drawRoundedRect(QRectF(place.x() + margin, y, (page_width - 2 * margin) * share, line), 3, 3)
        y += line * (2.6 if index % 6 == 0 else 1.8)
        if y > height:
            break


def paint_veil(painter: QPainter, width: int, height: int, palette: QPalette) -> None:
    """Push what is seen into the background: it is not what was asked for."""
    color = QColor(desk_color(palette))
    color.setAlpha(150)
    painter.fillRect(0, 0, width, height, color)


def paint_focus(painter: QPainter, width: int, height: int, ratio: float, palette: QPalette) -> None:
    """Show that the keyboard speaks to the pages."""
    pen = QPen(palette.color(QPalette.ColorRole.Highlight), 2 * ratio)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    half = ratio
    painter.drawRect(QRectF(QPointF(half, half), QPointF(width - half, height - half)))
