"""The mouse on the pages: it selects text, follows links and says where they lead."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QMouseEvent
from PySide6.QtWidgets import QApplication

from preview_app.desktop.language import tr
from preview_app.desktop.page_marks import Mark
from preview_app.desktop.page_view import PageView
from preview_app.desktop.selection import Selection
from preview_app.preview_selection import is_over_text
from preview_app.preview_text import DocumentText
from preview_app.raster.api import Link

AUTOSCROLL_MS = 30
_AUTOSCROLL_SHARE = 0.25
"""Of the distance outside the view that it scrolls each time."""


class PagePointer(QObject):
    """Watches the mouse over a view of pages."""

    link_hovered = Signal(str)
    """Where the link under the mouse leads, empty for none."""
    link_clicked = Signal(object)
    """A `Link` was clicked."""

    def __init__(self, view: PageView, selection: Selection) -> None:
        super().__init__(view)
        self._view = view
        self._selection = selection
        self._text: DocumentText | None = None
        self._hovered: Link | None = None
        self._pressed: Link | None = None
        self._selecting = False
        self._last_double: tuple[float, QPoint] | None = None
        self._scroll = QTimer(self)
        self._scroll.setInterval(AUTOSCROLL_MS)
        self._scroll.timeout.connect(self._autoscroll)
        view.viewport().setMouseTracking(True)
        view.viewport().installEventFilter(self)
        view.moved.connect(self._look)

    def set_text(self, text: DocumentText | None) -> None:
        """Another document, or none."""
        self._text = text
        self._pressed = None
        self._selecting = False
        self._scroll.stop()
        self._hover(None)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802, ARG002 - Qt's name and arguments
        """Take the left button and the movements; all else goes on."""
        if event.type() == QEvent.Type.Leave:
            self._hover(None)
        if not isinstance(event, QMouseEvent) or self._text is None or self._view.presenting:
            return False
        if event.type() == QEvent.Type.MouseMove:
            self._move(event)
        elif event.button() == Qt.MouseButton.LeftButton:
            self._button(event)
        return False

    def _button(self, event: QMouseEvent) -> None:
        if event.type() == QEvent.Type.MouseButtonPress:
            self._press(event)
        elif event.type() == QEvent.Type.MouseButtonDblClick:
            self._double(event)
        elif event.type() == QEvent.Type.MouseButtonRelease:
            self._release(event)

    def _press(self, event: QMouseEvent) -> None:
        self._pressed = self.link_at(event.position())
        spot = self._view.spot_at(event.position())
        if spot is None or self._pressed is not None:
            return
        self._selecting = True
        if self._is_third_click(event):
            self._selection.press_line(spot)
        else:
            self._selection.press(spot, extend=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))

    def _double(self, event: QMouseEvent) -> None:
        spot = self._view.spot_at(event.position())
        if spot is not None and self.link_at(event.position()) is None:
            self._last_double = event.timestamp(), event.position().toPoint()
            self._selecting = True
            self._selection.press_word(spot)

    def _is_third_click(self, event: QMouseEvent) -> bool:
        last, self._last_double = self._last_double, None
        if last is None:
            return False
        quick = event.timestamp() - last[0] <= QApplication.doubleClickInterval()
        distance = (event.position().toPoint() - last[1]).manhattanLength()
        return quick and distance <= QApplication.startDragDistance()

    def _move(self, event: QMouseEvent) -> None:
        if not self._selecting:
            self._look(event.position())
            return
        self._drag(event.position())
        inside = self._view.viewport().rect().contains(event.position().toPoint())
        if inside:
            self._scroll.stop()
        elif not self._scroll.isActive():
            self._scroll.start()

    def _drag(self, position: QPointF) -> None:
        spot = self._view.spot_at(position)
        if spot is not None:
            self._selection.drag(spot)

    def _release(self, event: QMouseEvent) -> None:
        self._scroll.stop()
        self._selecting = False
        pressed, self._pressed = self._pressed, None
        if pressed is not None and pressed is self.link_at(event.position()):
            self.link_clicked.emit(pressed)
        elif not self._selection.empty and QGuiApplication.clipboard().supportsSelection():
            mode = QGuiApplication.clipboard().Mode.Selection
            self._selection.copy(lambda text: QGuiApplication.clipboard().setText(text, mode))

    def _autoscroll(self) -> None:
        viewport = self._view.viewport()
        position = viewport.mapFromGlobal(QPointF(viewport.cursor().pos()))
        outside = position.y() if position.y() < 0 else max(0.0, position.y() - viewport.height())
        bar = self._view.verticalScrollBar()
        bar.setValue(bar.value() + round(outside * _AUTOSCROLL_SHARE * self._view.devicePixelRatioF()))
        self._drag(position)

    # ---- what lies under the mouse

    def _look(self, position: QPointF | None = None) -> None:
        """Show what the mouse could do here."""
        viewport = self._view.viewport()
        if position is None:
            if not viewport.underMouse():
                return
            position = viewport.mapFromGlobal(QPointF(viewport.cursor().pos()))
        link = self.link_at(position)
        self._hover(link)
        spot = self._view.spot_at(position)
        if link is not None:
            viewport.setCursor(Qt.CursorShape.PointingHandCursor)
        elif spot is not None and self._text is not None and is_over_text(self._text.lines(spot[0]), *spot[1:]):
            viewport.setCursor(Qt.CursorShape.IBeamCursor)
        else:
            viewport.unsetCursor()

    def link_at(self, position: QPointF) -> Link | None:
        """The link under a point of the viewport."""
        spot = self._view.spot_at(position)
        if spot is None or self._text is None:
            return None
        page, x, y = spot
        inside = (link for link in self._text.links(page) if _holds(link, x, y))
        return next((link for link in inside if link.uri or link.page is not None), None)

    def _hover(self, link: Link | None) -> None:
        if link is self._hovered:
            return
        self._hovered = link
        pages = self._view.visible_pages()
        text = self._text
        places = {page: [link.box] for page in pages if text and link is not None and link in text.links(page)}
        self._view.mark(Mark.LINK, places)
        self.link_hovered.emit("" if link is None else describe(link))


def describe(link: Link) -> str:
    """Where a link leads, for a person."""
    if link.uri:
        return link.uri
    return "" if link.page is None else tr("Page {}").format(link.page + 1)


def _holds(link: Link, x: float, y: float) -> bool:
    return link.box.x0 <= x <= link.box.x1 and link.box.y0 <= y <= link.box.y1
