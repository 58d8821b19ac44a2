"""Colours and icons: light and dark, following the system where it says what it wants."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from itertools import product
from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

_ICON_SIZES = (16, 20, 48)
"""Logical sizes in use: menus, tool bar and list, panels."""


class Theme(Enum):
    """What a person asks for."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"
    CONTRAST = "contrast"
    """Black and white, for those who see little."""


_LIGHT = {
    "Window": "#f4f5f7",
    "WindowText": "#1f2328",
    "Base": "#ffffff",
    "AlternateBase": "#f4f5f7",
    "Text": "#1f2328",
    "Button": "#f4f5f7",
    "ButtonText": "#1f2328",
    "BrightText": "#ffffff",
    "Highlight": "#2f6fde",
    "HighlightedText": "#ffffff",
    "Link": "#1f5fd0",
    "ToolTipBase": "#ffffff",
    "ToolTipText": "#1f2328",
    "PlaceholderText": "#6b7280",
    "Light": "#ffffff",
    "Midlight": "#e8eaee",
    "Mid": "#c9cdd4",
    "Dark": "#a3a9b3",
    "Shadow": "#6b7280",
}
_DARK = {
    "Window": "#26282c",
    "WindowText": "#e6e8eb",
    "Base": "#1d1f22",
    "AlternateBase": "#26282c",
    "Text": "#e6e8eb",
    "Button": "#303338",
    "ButtonText": "#e6e8eb",
    "BrightText": "#ffffff",
    "Highlight": "#2f6fde",
    "HighlightedText": "#ffffff",
    "Link": "#7fb0ff",
    "ToolTipBase": "#303338",
    "ToolTipText": "#e6e8eb",
    "PlaceholderText": "#9aa0a6",
    "Light": "#3f434a",
    "Midlight": "#383b41",
    "Mid": "#1d1f22",
    "Dark": "#17181a",
    "Shadow": "#000000",
}
_CONTRAST = {
    "Window": "#000000",
    "WindowText": "#ffffff",
    "Base": "#1c1c1c",
    "AlternateBase": "#000000",
    "Text": "#ffffff",
    "Button": "#000000",
    "ButtonText": "#ffffff",
    "BrightText": "#ffffff",
    "Highlight": "#ffff00",
    "HighlightedText": "#000000",
    "Link": "#80d0ff",
    "ToolTipBase": "#000000",
    "ToolTipText": "#ffffff",
    "PlaceholderText": "#d0d0d0",
    "Light": "#ffffff",
    "Midlight": "#d0d0d0",
    "Mid": "#ffffff",
    "Dark": "#ffffff",
    "Shadow": "#ffffff",
}
_PALETTES = {Theme.LIGHT: (_LIGHT, "#a3a9b3"), Theme.DARK: (_DARK, "#6f757d"), Theme.CONTRAST: (_CONTRAST, "#60ff60")}
"""Colours of each theme, and that of text that is disabled."""


def resolved(theme: Theme) -> Theme:
    """The theme to use: what the system wants, where it says so; a system that says nothing counts as light."""
    if theme is not Theme.SYSTEM:
        return theme
    hints = QGuiApplication.styleHints()
    if hasattr(hints, "accessibility"):  # since Qt 6.10
        preference = hints.accessibility().contrastPreference()
        if preference == Qt.ContrastPreference.HighContrast:
            return Theme.CONTRAST
    return Theme.DARK if hints.colorScheme() == Qt.ColorScheme.Dark else Theme.LIGHT


def palette(theme: Theme) -> QPalette:
    """All colours of the program in a theme that is resolved."""
    colors, disabled = _PALETTES[theme]
    result = QPalette()
    for name, color in colors.items():
        result.setColor(QPalette.ColorRole[name], QColor(color))
    for role in (QPalette.ColorRole.Text, QPalette.ColorRole.WindowText, QPalette.ColorRole.ButtonText):
        result.setColor(QPalette.ColorGroup.Disabled, role, QColor(disabled))
    return result


def apply(application: QApplication, theme: Theme) -> None:
    """Give the whole program the colours of a theme, in a style that honours them on every platform."""
    if application.style().objectName() != "fusion":
        application.setStyle("Fusion")
    application.setPalette(palette(resolved(theme)))


class Icons:
    """The icons in a folder of SVG files. `currentColor` in them becomes the colour of text."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sources: dict[str, str] = {}
        self._made: dict[tuple[str, str], QIcon] = {}

    def get(self, name: str, colors: QPalette) -> QIcon:
        """The icon of that name, drawn in the palette's colours."""
        normal = colors.color(QPalette.ColorGroup.Active, QPalette.ColorRole.ButtonText).name()
        icon = self._made.get((name, normal))
        if icon is None:
            disabled = colors.color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.ButtonText).name()
            icon = self._made[name, normal] = self._make(name, normal, disabled)
        return icon

    def _make(self, name: str, normal: str, disabled: str) -> QIcon:
        icon, source = QIcon(), self._source(name)
        # A selected icon without pixels of its own is tinted with the colour of the selection.
        modes: dict[str, tuple[QIcon.Mode, ...]] = {normal: (QIcon.Mode.Normal, QIcon.Mode.Selected)}
        if "currentColor" in source:
            modes[disabled] = (QIcon.Mode.Disabled,)
        for color, used_as in modes.items():
            renderer = QSvgRenderer(QByteArray(source.replace("currentColor", color).encode()))
            for pixmap in _draw_all(renderer):
                for mode in used_as:
                    icon.addPixmap(pixmap, mode)
        return icon

    def _source(self, name: str) -> str:
        if name not in self._sources:
            self._sources[name] = (self._folder / f"{name}.svg").read_text(encoding="utf-8")
        return self._sources[name]


def _draw_all(renderer: QSvgRenderer) -> Iterator[QPixmap]:
    """Each size for each screen there is, so that an icon is drawn and not resampled."""
    ratios = {screen.devicePixelRatio() for screen in QGuiApplication.screens()}
    for size, ratio in product(_ICON_SIZES, sorted(ratios)):
        pixels = round(size * ratio)
        pixmap = QPixmap(QSize(pixels, pixels))
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        renderer.render(painter, QRectF(0, 0, pixels, pixels))
        painter.end()
        pixmap.setDevicePixelRatio(ratio)
        yield pixmap
