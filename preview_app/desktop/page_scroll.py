"""How a person moves through the pages: wheel, pinch, keys, screens; gliding where that is wanted."""

from __future__ import annotations

from PySide6.QtCore import QEasingCurve, QEvent, QPropertyAnimation, QSize, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QNativeGestureEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from preview_app.desktop.page_column import PageColumn
from preview_app.desktop.page_layout import Mode

WHEEL_NOTCH = 120
WHEEL_ZOOM = 1.2
"""Zoom factor of one notch of the wheel."""
WHEEL_STEPS = 3
"""Steps of the scroll bar that one notch of the wheel goes."""
GLIDE_MS = 130


class PageScroll(PageColumn):
    """Pages that scroll under the hand."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._wheel_rest = 0
        self._glide: QPropertyAnimation | None = None

    def set_motion(self, moving: bool) -> None:
        """Whether a jump of a screen or a notch of the wheel glides."""
        self._stop_gliding()
        self._glide = None
        if moving:
            self._glide = QPropertyAnimation(self.verticalScrollBar(), b"value", self)
            self._glide.setDuration(GLIDE_MS)
            self._glide.setEasingCurve(QEasingCurve.Type.OutCubic)

    def scroll_screens(self, screens: int) -> None:
        """Scroll by whole screens, a little of the old one kept in view; in single mode to the next page at its end."""
        bar = self.verticalScrollBar()
        if self._mode is Mode.SINGLE and self._at_end(screens):
            self._leave_slot(1 if screens > 0 else -1)
        else:
            self._glide_by(screens * bar.pageStep())

    def _at_end(self, direction: int) -> bool:
        bar = self.verticalScrollBar()
        return bar.value() >= bar.maximum() if direction > 0 else bar.value() <= bar.minimum()

    def _leave_slot(self, step: int) -> None:
        page = self._page + step
        if 0 <= page < len(self._sizes):
            self._enter_slot(page)
            if step < 0:
                self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())

    # ---- gliding

    def _glide_by(self, distance: int) -> None:
        bar, glide = self.verticalScrollBar(), self._glide
        if glide is None:
            bar.setValue(bar.value() + distance)
            return
        running = glide.state() is QPropertyAnimation.State.Running
        start = int(glide.endValue()) if running else bar.value()
        glide.stop()
        glide.setStartValue(bar.value())
        glide.setEndValue(min(max(start + distance, bar.minimum()), bar.maximum()))
        glide.start()

    def _stop_gliding(self) -> None:
        if self._glide is not None:
            self._glide.stop()

    # ---- Qt's events

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Follow pinches."""
        if isinstance(event, QNativeGestureEvent) and event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
            self.set_zoom(self._zoom * (1 + event.value()), event.position())
            return True
        return super().viewportEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """A click goes on in a presentation."""
        if self.presenting and event.button() == Qt.MouseButton.LeftButton:
            self.step_page(1)
        super().mousePressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802 - Qt's name
        """Scroll; with Ctrl zoom at the mouse."""
        notches = event.angleDelta().y()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.set_zoom(self._zoom * WHEEL_ZOOM ** (notches / WHEEL_NOTCH), event.position())
            event.accept()
        elif self._mode is Mode.SINGLE and notches and self._at_end(-notches):
            self._wheel_rest += notches
            if abs(self._wheel_rest) >= WHEEL_NOTCH:
                self._wheel_rest = 0
                self._leave_slot(-1 if notches > 0 else 1)
            event.accept()
        elif self._glide is not None and notches and event.pixelDelta().isNull() and not event.modifiers():
            lines = WHEEL_STEPS * notches / WHEEL_NOTCH
            self._glide_by(round(-lines * self.verticalScrollBar().singleStep()))
            event.accept()
        else:
            super().wheelEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Up and Down scroll; all else is an action of the window."""
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down) and not event.modifiers():
            self._stop_gliding()
            super().keyPressEvent(event)
        else:
            event.ignore()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Room for a page."""
        return QSize(900, 700)
