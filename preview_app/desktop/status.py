"""The line at the bottom: what is shown, by which engine, where in it, how long it took."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QLabel, QMenu, QStatusBar, QToolButton, QWidget

from engines.base import FontReplacement
from preview_app.preview_states import Converted


class StatusLine(QStatusBar):
    """Messages at the left, facts of the document at the right, the zoom as a menu."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Status")
        self.fonts = self._fact("Fonts that were replaced")
        self.engine = self._fact("Engine")
        self.time = self._fact("Time of the conversion")
        self.page = self._fact("Page")
        self.zoom = QToolButton(self)
        self.zoom.setAutoRaise(True)
        self.zoom.setAccessibleName("Zoom")
        self.zoom.setToolTip("Zoom")
        self.zoom.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.zoom.setMenu(QMenu(self.zoom))
        self.addPermanentWidget(self.zoom)
        self.zoom.hide()

    def show_document(self, converted: Converted | None) -> None:
        """Facts of a conversion, none without."""
        self.engine.setText("" if converted is None else converted.engine or "PDF as it is")
        self.time.setText("" if converted is None else _time_of(converted))
        self._show_fonts(() if converted is None else converted.missing_fonts)
        self.zoom.setVisible(converted is not None)
        if converted is None:
            self.page.setText("")

    def show_page(self, page: int, pages: int) -> None:
        """Where the view is; `page` counts from 0."""
        self.page.setText(f"Page {page + 1} of {pages}")

    def show_zoom(self, zoom: float) -> None:
        """1.0 is actual size."""
        self.zoom.setText(f"{zoom * 100:.0f} %")

    def _show_fonts(self, fonts: Sequence[FontReplacement]) -> None:
        count = "1 font replaced" if len(fonts) == 1 else f"{len(fonts)} fonts replaced"
        self.fonts.setText(count if fonts else "")
        self.fonts.setToolTip("\n".join(f"{font.requested}: shown in {font.used}" for font in fonts))

    def _fact(self, name: str) -> QLabel:
        label = QLabel(self)
        label.setAccessibleName(name)
        label.setToolTip(name)
        label.setContentsMargins(8, 0, 8, 0)
        self.addPermanentWidget(label)
        return label


def _time_of(converted: Converted) -> str:
    if converted.from_cache:
        return "was ready"
    return f"converted in {converted.seconds:.2f} s" if converted.engine else ""
