"""The settings of the program, as a form made of `settings_fields`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFileDialog,
    QFormLayout,
    QFrame,
    QGroupBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from preview_app.config import Config
from preview_app.desktop import figures
from preview_app.desktop.desktop_entry_box import DesktopEntryBox
from preview_app.desktop.dialogs import without_icons
from preview_app.desktop.language import tr
from preview_app.desktop.settings_fields import ADVANCED, GENERAL, LIMITS, MIB, Field, Group, Kind, problem_of
from preview_app.desktop_entry import DesktopEntry

_FIELD_WIDTH_PX = 220


class SettingsDialog(QDialog):
    """A form; `config` is what it says."""

    forget = Signal()
    """The person wants the recent files and the places in them to be forgotten."""

    def __init__(
        self,
        config: Config,
        parent: QWidget | None = None,
        *,
        may_save: bool = True,
        desktop_entry: DesktopEntry | None = None,
    ) -> None:
        super().__init__(parent)
        self._config = config
        self._may_save = may_save
        self._read: dict[str, Callable[[], Any]] = {}
        self._set: dict[str, Callable[[Any], object]] = {}
        self.setWindowTitle(tr("Settings"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.problem = QLabel(self)
        self.problem.setWordWrap(True)
        self.problem.hide()
        self.tabs = QTabWidget(self)
        self.tabs.setAccessibleName(tr("Settings"))
        self._add_tab(self._general(desktop_entry), tr("General"))
        self._add_tab(self._page(LIMITS), tr("Limits *"))
        words = tr("Leave these as they are unless you have a reason to change them.")
        self._add_tab(self._page(ADVANCED, words), tr("Advanced *"))
        self._build_buttons()  # after the tabs, since the keyboard goes from one to the next in this order
        note = QLabel(tr("* takes effect when docpeek is started again"), self)
        note.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        column = QVBoxLayout(self)
        for widget in (self.tabs, note, self.problem, self.buttons):
            column.addWidget(widget)
        self._check()

    @property
    def config(self) -> Config:
        """The settings as they stand in the form. Raises `msgspec.ValidationError`."""
        return msgspec.convert(self._values(), Config)

    def accept(self) -> None:
        """Close, unless something in the form cannot be."""
        if self._check():
            super().accept()

    def _values(self) -> dict[str, Any]:
        return {**msgspec.structs.asdict(self._config), **{name: read() for name, read in self._read.items()}}

    def _check(self) -> bool:
        """Say what cannot be; whether all can."""
        values = self._values()
        problem = problem_of(values)
        if not problem:
            try:
                msgspec.convert(values, Config)
            except msgspec.ValidationError as error:
                problem = str(error)
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        ok = self.buttons.button(QDialogButtonBox.StandardButton.Ok)
        ok.setEnabled(self._may_save and not problem)
        return not problem

    def _restore_defaults(self) -> None:
        for name, set_value in self._set.items():
            set_value(getattr(Config(), name))

    # ---- building

    def _build_buttons(self) -> None:
        buttons = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(buttons.Ok | buttons.Cancel | buttons.RestoreDefaults, self)
        without_icons(self.buttons)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.buttons.button(buttons.RestoreDefaults).clicked.connect(self._restore_defaults)

    def _add_tab(self, page: QWidget, title: str) -> None:
        page.setAccessibleName(title.removesuffix(" *"))
        self.tabs.addTab(page, title)

    def _general(self, desktop_entry: DesktopEntry | None) -> QWidget:
        forget = QPushButton(tr("Forget recent files"), self)
        forget.setToolTip(tr("Also the places in them, and pictures of their first pages"))
        forget.clicked.connect(lambda _checked=False: self.forget.emit())
        more = [] if desktop_entry is None else [DesktopEntryBox(desktop_entry, self)]
        return self._page(GENERAL, "", *more, forget)

    def _page(self, groups: Sequence[Group], words: str = "", *more: QWidget) -> QWidget:
        page = QWidget(self)
        column = QVBoxLayout(page)
        if words:
            label = QLabel(words, page)
            label.setWordWrap(True)
            column.addWidget(label)
        for group in groups:
            column.addWidget(self._group(group, page))
        for widget in more:
            column.addWidget(widget)
        column.addStretch(1)
        area = QScrollArea(self)  # for small screens
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(page)
        area.setMinimumWidth(page.sizeHint().width() + area.verticalScrollBar().sizeHint().width())
        area.setMinimumHeight(min(page.sizeHint().height() + 4, round(self.screen().availableSize().height() * 0.6)))
        return area

    def _group(self, group: Group, parent: QWidget) -> QGroupBox:
        box = QGroupBox(tr(group.title), parent)
        form = QFormLayout(box)
        for field in group.fields:
            widget = self._widget(field)
            widget.setObjectName(field.name)
            widget.setToolTip(self._tip(field))
            if isinstance(widget, QCheckBox):
                widget.setText(tr(field.label))
                form.addRow(widget)
            else:
                widget.setAccessibleName(tr(field.label).removesuffix(" *"))
                form.addRow(tr(field.label), self._with_button(widget) if field.kind is Kind.PROGRAM else widget)
        return box

    def _tip(self, field: Field) -> str:
        default = getattr(Config(), field.name)
        shown = {
            Kind.COUNT: lambda: figures.whole(default) + tr(field.unit),
            Kind.SECONDS: lambda: figures.seconds(default, 1),
            Kind.MIB: lambda: f"{figures.whole(default // MIB)} MiB",
        }.get(field.kind)
        return "" if shown is None else tr("Normally {} (in the file of settings: {})").format(shown(), field.name)

    def _widget(self, field: Field) -> QWidget:
        makers = {
            Kind.SWITCH: self._switch,
            Kind.CHOICE: self._choice,
            Kind.COUNT: self._number,
            Kind.MIB: self._number,
            Kind.SECONDS: self._seconds,
            Kind.PROGRAM: self._program,
        }
        return makers[field.kind](field)

    def _switch(self, field: Field) -> QWidget:
        box = QCheckBox(self)
        self._keep(field, box.isChecked, box.setChecked)
        box.toggled.connect(self._check)
        return box

    def _choice(self, field: Field) -> QWidget:
        box = QComboBox(self)
        for choice, text in field.choices.items():
            box.addItem(tr(text), choice)
        self._keep(field, box.currentData, lambda value: box.setCurrentIndex(box.findData(value)))
        box.currentIndexChanged.connect(self._check)
        return box

    def _number(self, field: Field) -> QWidget:
        unit = MIB if field.kind is Kind.MIB else 1
        given: int = getattr(self._config, field.name)
        box = QSpinBox(self)
        box.setRange(1, max(field.high, given // unit))
        box.setSuffix(" MiB" if unit == MIB else tr(field.unit))
        box.setGroupSeparatorShown(True)
        self._bounded(box)

        def read() -> int:
            # What is no whole number of the unit stays as it is, unless it was changed here.
            return given if box.value() == max(1, given // unit) else box.value() * unit

        def show(value: int) -> None:
            nonlocal given
            given = value
            box.setValue(value // unit)

        self._keep(field, read, show)
        box.valueChanged.connect(self._check)
        return box

    def _seconds(self, field: Field) -> QWidget:
        box = QDoubleSpinBox(self)
        box.setRange(0.1, max(field.high, getattr(self._config, field.name)))
        box.setDecimals(1)
        box.setSuffix(tr(" s"))
        self._bounded(box)
        self._keep(field, box.value, box.setValue)
        box.valueChanged.connect(self._check)
        return box

    def _program(self, field: Field) -> QWidget:
        edit = QLineEdit(self)
        edit.setPlaceholderText(tr("Found by itself"))
        self._keep(field, lambda: edit.text().strip(), edit.setText)
        edit.textChanged.connect(self._check)
        return edit

    def _with_button(self, edit: QWidget) -> QWidget:
        together = QWidget(self)
        button = QPushButton("…", together)
        button.setAccessibleName(tr("Choose the program"))
        button.setFixedWidth(button.fontMetrics().horizontalAdvance("…") + 24)
        button.clicked.connect(lambda _checked=False: self._choose_program(edit))
        row = QHBoxLayout(together)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(edit, 1)
        row.addWidget(button)
        return together

    def _choose_program(self, edit: QWidget) -> None:
        name, _ = QFileDialog.getOpenFileName(self, tr("Choose the program"), "/")
        if name and isinstance(edit, QLineEdit):
            edit.setText(name)

    def _bounded(self, box: QAbstractSpinBox) -> None:
        box.setFixedWidth(_FIELD_WIDTH_PX)
        box.setCorrectionMode(QAbstractSpinBox.CorrectionMode.CorrectToNearestValue)

    def _keep(self, field: Field, read: Callable[[], Any], set_value: Callable[[Any], object]) -> None:
        """Show the setting, and remember how it is read and set."""
        set_value(getattr(self._config, field.name))
        self._read[field.name], self._set[field.name] = read, set_value
