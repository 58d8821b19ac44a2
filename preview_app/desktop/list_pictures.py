"""Pictures of first pages in the list: which are wanted, when they may be made, how they look."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QColor, QIcon, QImage, QPainter, QPixmap

from preview_app.desktop.browser import Browser
from preview_app.desktop.entry_views import PICTURE_HEIGHT_PX, PICTURE_WIDTH_PX, in_box
from preview_app.desktop.thumbnail_store import ImageStore
from preview_app.desktop.window_services import WindowServices
from preview_app.preview import Preview
from preview_app.preview_states import Opening, Showing, State
from preview_app.preview_thumbnails import Key, Thumbnailer

_EDGE = QColor(0, 0, 0, 70)


class ListPictures(QObject):
    """Stands between the list and what makes pictures. Costs nothing until it is switched on."""

    def __init__(self, browser: Browser, preview: Preview, services: WindowServices, parent: QObject) -> None:
        super().__init__(parent)
        self._browser = browser
        self._preview = preview
        self._store = ImageStore(services.thumbnails_folder)
        self._shown = False
        self._in_view: tuple[Path, ...] = ()
        self.thumbnailer = Thumbnailer(
            services.conversions, services.rasterizer, self._store, arrived=self._arrived, soon=self._soon
        )
        browser.in_view_changed.connect(self._want)

    @property
    def shown(self) -> bool:
        """Whether the list has pictures."""
        return self._shown

    def set_shown(self, shown: bool) -> None:
        """Show pictures in the list, or icons alone."""
        if shown != self._shown:
            self._shown = shown
            self._browser.look.set_large(shown)
            self.thumbnailer.forget()
            self._want(())  # rows of another height: the browser will tell which are in view now

    def set_allowed(self, allowed: bool) -> None:
        """Whether documents may be converted for pictures: not on battery, nor with little memory."""
        self.thumbnailer.set_allowed(allowed)

    def follow(self, state: State) -> None:
        """What the person looks at comes first; once it is there, it gives its own picture."""
        self.thumbnailer.set_paused(isinstance(state, Opening))
        if self._shown and isinstance(state, Showing) and not self._preview.unlocked and state.stale is None:
            self.thumbnailer.offer(state.path, state.document)

    def clear(self) -> None:
        """Forget all pictures, those on disk too."""
        self._store.clear()
        self._browser.look.set_large(self._shown)
        self.thumbnailer.forget()

    def stop(self) -> None:
        """Make nothing more. Idempotent."""
        self.thumbnailer.close()

    def _want(self, paths: Sequence[Path]) -> None:
        self._in_view = tuple(paths)
        self.thumbnailer.want(self._in_view if self._shown else ())
        self.follow(self._preview.state)

    def _arrived(self, path: Path, key: Key) -> None:
        image = self._store.get(key)
        if image is not None:
            self._browser.look.set_picture(path, _framed(image))

    def _soon(self, call: object) -> None:
        QTimer.singleShot(0, self, call)  # type: ignore[call-overload] # any callable will do


def _framed(image: QImage) -> QIcon:
    """A page on a desk: with an edge, so that white paper shows on white."""
    pixmap = QPixmap(image.size())
    pixmap.fill(Qt.GlobalColor.white)
    painter = QPainter(pixmap)
    painter.drawImage(0, 0, image)
    painter.setPen(_EDGE)
    painter.drawRect(0, 0, image.width() - 1, image.height() - 1)
    painter.end()
    pixmap.setDevicePixelRatio(max(image.width() / PICTURE_WIDTH_PX, image.height() / PICTURE_HEIGHT_PX))
    return in_box(pixmap)
