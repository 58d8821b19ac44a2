"""The settings of the program, as a form made from their declaration in `preview_app.config`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QLabel,
    QPushButton,
    QSpinBox,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from preview_app.config import Config
from preview_app.desktop.dialogs import without_icons
from preview_app.desktop.language import mark, tr

_MIB = 1 << 20
_GENERAL: dict[str, tuple[str, dict[str, str]]] = {
    "theme": (
        mark("Colours"),
        {
            "system": mark("Like the system"),
            "light": mark("Light"),
            "dark": mark("Dark"),
            "contrast": mark("High contrast"),
        },
    ),
    "engine": (
        mark("Engine *"),
        {
            "auto": mark("The best one there is"),
            "native": mark("LibreOffice"),
            "wasm": mark("LibreOffice in WebAssembly"),
        },
    ),
    "prefetch_neighbours": (mark("Convert the next documents ahead of time"), {}),
    "show_hidden_files": (mark("Show hidden files in the list"), {}),
    "single_page_sheets": (mark("Show each sheet of a table on one page *"), {}),
}
_LIMITS: dict[str, str] = {
    "deadline_s": mark("Longest conversion (seconds)"),
    "soft_limit_s": mark("Offer to keep waiting after (seconds)"),
    "slots": mark("Conversions at once"),
    "background_slots": mark("Conversions ahead of time at once"),
    "source_bytes_max": mark("Largest document (MiB)"),
    "pdf_bytes_max": mark("Largest PDF (MiB)"),
    "kit_memory_bytes_max": mark("Memory for a conversion (MiB)"),
    "cached_pdfs_max": mark("PDFs kept ready"),
    "cached_bytes_max": mark("Memory for them (MiB)"),
    "raster_workers": mark("Processes that draw pages"),
    "page_pixels_cache_bytes_max": mark("Memory for drawn pages (MiB)"),
}


class SettingsDialog(QDialog):
    """A form; `config` is what it says."""

    forget = Signal()
    """The person wants the recent files and the places in them to be forgotten."""

    def __init__(self, config: Config, parent: QWidget | None = None, *, may_save: bool = True) -> None:
        super().__init__(parent)
        self._config = config
        self._read: dict[str, Callable[[], Any]] = {}
        self.setWindowTitle(tr("Settings"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        tabs = QTabWidget(self)
        tabs.addTab(self._general(), tr("General"))
        tabs.addTab(self._limits(), tr("Limits *"))
        note = QLabel(tr("* from the next start on"), self)
        note.setEnabled(False)
        buttons = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(buttons.Ok | buttons.Cancel | buttons.RestoreDefaults, self)
        without_icons(self.buttons)
        self.buttons.button(buttons.Ok).setEnabled(may_save)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.buttons.button(buttons.RestoreDefaults).clicked.connect(self._restore_defaults)
        self.problem = QLabel(self)
        self.problem.setWordWrap(True)
        self.problem.hide()
        column = QVBoxLayout(self)
        for widget in (tabs, note, self.problem, self.buttons):
            column.addWidget(widget)

    @property
    def config(self) -> Config:
        """The settings as they stand in the form. Raises `msgspec.ValidationError`."""
        values = {**msgspec.structs.asdict(self._config), **{name: read() for name, read in self._read.items()}}
        return msgspec.convert(values, Config)

    def accept(self) -> None:
        """Close, unless something in the form cannot be."""
        try:
            _ = self.config
        except msgspec.ValidationError as error:
            self.problem.setText(str(error))
            self.problem.show()
            return
        super().accept()

    def _general(self) -> QWidget:
        page = QWidget(self)
        form = QFormLayout(page)
        for name, (label, choices) in _GENERAL.items():
            value = getattr(self._config, name)
            if choices:
                self._add(form, name, tr(label), self._choice(choices, value))
            else:
                box = QCheckBox(tr(label), page)
                box.setChecked(value)
                box.setObjectName(name)
                self._read[name] = box.isChecked
                form.addRow(box)
        forget = QPushButton(tr("Forget recent files"), page)
        forget.clicked.connect(lambda _checked=False: self.forget.emit())
        form.addRow(forget)
        return page

    def _limits(self) -> QWidget:
        page = QWidget(self)
        form = QFormLayout(page)
        for name, label in _LIMITS.items():
            value = getattr(self._config, name)
            if isinstance(value, float):
                seconds = QDoubleSpinBox(page)
                seconds.setRange(0.1, 3600)
                seconds.setDecimals(1)
                seconds.setValue(value)
                self._add(form, name, tr(label), (seconds, seconds.value))
            elif "bytes" in name:
                self._add(form, name, tr(label), self._number(value, _MIB))
            else:
                self._add(form, name, tr(label), self._number(value, 1))
        return page

    def _add(self, form: QFormLayout, name: str, label: str, field: tuple[QWidget, Callable[[], Any]]) -> None:
        widget, self._read[name] = field
        widget.setObjectName(name)
        widget.setAccessibleName(label.removesuffix(" *"))
        form.addRow(label, widget)

    def _choice(self, choices: dict[str, str], value: str) -> tuple[QWidget, Callable[[], Any]]:
        box = QComboBox(self)
        for choice, text in choices.items():
            box.addItem(tr(text), choice)
        box.setCurrentIndex(box.findData(value))
        return box, box.currentData

    def _number(self, value: int, unit: int) -> tuple[QWidget, Callable[[], Any]]:
        box = QSpinBox(self)
        box.setRange(1, 1 << 20)
        box.setValue(value // unit)
        return box, lambda: box.value() * unit

    def _restore_defaults(self) -> None:
        former, default = self._config, Config()
        kept = {name: getattr(former, name) for name in former.__struct_fields__ if name not in self._read}
        self._config = msgspec.structs.replace(default, **kept)
        for name in self._read:
            _set(self.findChild(QWidget, name), getattr(default, name), _MIB if "bytes" in name else 1)


def _set(widget: object, value: Any, unit: int) -> None:
    if isinstance(widget, QCheckBox):
        widget.setChecked(value)
    elif isinstance(widget, QComboBox):
        widget.setCurrentIndex(widget.findData(value))
    elif isinstance(widget, QDoubleSpinBox):
        widget.setValue(value)
    elif isinstance(widget, QSpinBox):
        widget.setValue(value // unit)
