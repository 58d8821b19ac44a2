"""What stands above or in place of the pages: notices, an opening on its way, an error, a welcome."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QIcon, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from preview_app.desktop import figures
from preview_app.desktop.language import tr
from preview_app.preview_states import EngineOffer

OPENING_DELAY_MS = 150
"""What is faster than this needs no words."""
OPENING_TICK_MS = 100
_TEXT_SELECTABLE = Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard


class Bar(QFrame):
    """A strip across the pages."""

    def __init__(
        self,
        name: str,
        role: QPalette.ColorRole = QPalette.ColorRole.Window,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(role)
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(12, 6, 6, 7)
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """A line below sets it off from the pages."""
        super().paintEvent(event)
        painter = QPainter(self)
        painter.fillRect(0, self.height() - 1, self.width(), 1, self.palette().color(QPalette.ColorRole.Mid))
        painter.end()


class NoticeBar(Bar):
    """Things worth knowing about the document that is shown."""

    show_all = Signal()
    """The person wants all pages."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Notices"), QPalette.ColorRole.ToolTipBase, parent)
        self._icon = QLabel(self)
        self._text = QLabel(self)
        self._text.setWordWrap(True)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setTextInteractionFlags(_TEXT_SELECTABLE)
        self._text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._text.setForegroundRole(QPalette.ColorRole.ToolTipText)
        self.all_button = QPushButton(tr("Show all pages"), self)
        self.all_button.setToolTip(tr("This may take long, and much memory"))
        self.all_button.clicked.connect(lambda _checked=False: self.show_all.emit())
        self.all_button.hide()
        self._close = QToolButton(self)
        self._close.setAutoRaise(True)
        self._close.setAccessibleName(tr("Close the notices"))
        self._close.setToolTip(tr("Close"))
        self._close.clicked.connect(self.hide)
        self.row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        self.row.addWidget(self._text, 1)
        self.row.addWidget(self.all_button, 0, Qt.AlignmentFlag.AlignTop)
        self.row.addWidget(self._close, 0, Qt.AlignmentFlag.AlignTop)

    @property
    def text(self) -> str:
        """What is told now."""
        return self._text.text()

    def set_icons(self, information: QIcon, close: QIcon) -> None:
        """The icons, in the colours of now."""
        self._icon.setPixmap(information.pixmap(QSize(20, 20), self.devicePixelRatioF()))
        self._close.setIcon(close)

    def tell(self, notices: Sequence[str], *, more_pages: bool = False) -> None:
        """Show these, one a line; hide when there is none. With `more_pages` all of them are offered."""
        self._text.setText("\n".join(notices))
        self.all_button.setVisible(more_pages)
        self.setVisible(bool(notices))

    def add(self, notice: str) -> None:
        """One more, below the others."""
        if notice not in self.text.splitlines():
            self._text.setText("\n".join(filter(None, (self.text, notice))))
        self.show()


class OpeningBar(Bar):
    """An opening on its way: what, which phase, how long. Appears after `OPENING_DELAY_MS`."""

    cancelled = Signal()
    extended = Signal()
    appeared = Signal()

    def __init__(self, clock: Callable[[], float], parent: QWidget | None = None) -> None:
        super().__init__(tr("Opening"), QPalette.ColorRole.Window, parent)
        self._clock = clock
        self._name = self._phase = ""
        self._started_s = 0.0
        self._text = QLabel(self)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._busy = QProgressBar(self)
        self._busy.setRange(0, 0)
        self._busy.setFixedSize(96, 8)
        self._busy.setTextVisible(False)
        self._busy.setAccessibleName(tr("Working"))
        self.wait_button = QPushButton(tr("Keep waiting"), self)
        self.wait_button.setToolTip(tr("Let it take as long as it needs"))
        self.wait_button.clicked.connect(self.extended)
        self.wait_button.hide()
        self._cancel = QPushButton(tr("Cancel"), self)
        self._cancel.setToolTip(tr("Give up (Esc)"))
        self._cancel.clicked.connect(self.cancelled)
        self.row.addWidget(self._busy)
        self.row.addWidget(self._text, 1)
        self.row.addWidget(self.wait_button)
        self.row.addWidget(self._cancel)
        self._delay = QTimer(self)
        self._delay.setSingleShot(True)
        self._delay.timeout.connect(self._appear)
        self._tick = QTimer(self)
        self._tick.setInterval(OPENING_TICK_MS)
        self._tick.timeout.connect(self._write)

    @property
    def text(self) -> str:
        """What is told now."""
        return self._text.text()

    def begin(self, name: str, started_s: float) -> None:
        """Another document is on its way since `started_s` on the clock."""
        self._name, self._started_s, self._phase = name, started_s, ""
        self.wait_button.hide()
        if not self.isVisible() and not self._delay.isActive():
            self._delay.start(OPENING_DELAY_MS)

    def set_phase(self, phase: str, *, slow: bool) -> None:
        """The milestone reached, and whether it takes so long that it will be ended, unless a person wants to wait."""
        self._phase = tr("still {}").format(phase) if slow else phase
        self.wait_button.setVisible(slow)
        self._write()

    def end(self) -> None:
        """Nothing is on its way any more."""
        self._delay.stop()
        self._tick.stop()
        self.hide()

    def _appear(self) -> None:
        self._write()
        self._tick.start()
        self.show()
        self.appeared.emit()

    def _write(self) -> None:
        elapsed = self._clock() - self._started_s
        phase = f" – {self._phase}" if self._phase else ""
        self._text.setText(tr("Opening “{}”{} … {}").format(self._name, phase, figures.seconds(elapsed, 1)))


class MessagePanel(QWidget):
    """A sentence in the middle, with something to do about it."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.icon = QLabel(self)
        self.icon.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.title = self._label(1.35, bold=True)
        self.text = self._label(1.05)
        self.buttons = QHBoxLayout()
        self.buttons.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.column = QVBoxLayout()
        self.column.setSpacing(12)
        for widget in (self.icon, self.title, self.text):
            self.column.addWidget(widget)
        self.column.addLayout(self.buttons)
        frame = QVBoxLayout(self)
        frame.setContentsMargins(40, 40, 40, 40)
        frame.addStretch(2)
        frame.addLayout(self.column)
        frame.addStretch(3)

    def add_button(self, text: str, clicked: Callable[[], object]) -> QPushButton:
        """A button below the text."""
        button = QPushButton(text, self)
        button.clicked.connect(lambda _checked=False: clicked())
        self.buttons.addWidget(button)
        return button

    def set_icon(self, icon: QIcon) -> None:
        """The picture above the title."""
        self.icon.setPixmap(icon.pixmap(QSize(48, 48), self.devicePixelRatioF()))

    def _label(self, size: float, *, bold: bool = False) -> QLabel:
        label = QLabel(self)
        label.setWordWrap(True)
        label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setTextInteractionFlags(_TEXT_SELECTABLE)
        font = label.font()
        font.setPointSizeF(font.pointSizeF() * size)
        font.setBold(bold)
        label.setFont(font)
        return label


class ErrorPanel(MessagePanel):
    """Why there are no pages, in place of them."""

    retry = Signal()
    retry_with = Signal(str)
    """Retry with the engine of this name."""
    outside = Signal()
    """The person wants to open the file in the program that the system has for it."""
    copied = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Error"), parent)
        self._report = ""
        self.retry_button = self.add_button(tr("Retry"), self.retry.emit)
        self._other = ""
        self.other_button = self.add_button("", lambda: self.retry_with.emit(self._other))
        self.other_button.hide()
        self.outside_button = self.add_button(tr("Open in another program"), self.outside.emit)
        self.why_not = self._label(1.0)
        self.why_not.setAccessibleName(tr("Why it cannot be opened in another program"))
        self.why_not.hide()
        self.copy_button = self.add_button(tr("Copy details"), lambda: self.copied.emit(self._report))
        self.details_button = self.add_button(tr("Show details"), self._toggle_details)
        self._details = QPlainTextEdit(self)
        self._details.setReadOnly(True)
        self._details.setAccessibleName(tr("Details of the error"))
        self._details.setTabChangesFocus(True)
        self._details.setMinimumHeight(160)
        self.column.addWidget(self.why_not)
        self.column.addWidget(self._details, 1)

    def show_failure(self, title: str, message: str, diagnostics: str, report: str) -> None:
        """Say what happened; `report` is what Copy details copies. Without diagnostics there are none to show."""
        self._report = report
        self.title.setText(title)
        self.text.setText(message)
        self._details.setPlainText(diagnostics)
        self.details_button.setVisible(bool(diagnostics))
        self._set_details(shown=False)

    def offer_engine(self, choice: EngineOffer | None) -> None:
        """Offer to retry with another engine, or not."""
        self.other_button.setVisible(choice is not None)
        if choice is not None:
            self._other = choice.name
            self.other_button.setText(tr("Retry with {}").format(choice.label))

    def offer_outside(self, *, offered: bool, why_not: str) -> None:
        """Offer another program, or say why it cannot be asked for."""
        self.outside_button.setVisible(offered)
        self.outside_button.setEnabled(not why_not)
        self.outside_button.setToolTip(why_not)
        self.why_not.setText(why_not)
        self.why_not.setVisible(bool(why_not))

    def _toggle_details(self) -> None:
        self._set_details(shown=not self._details.isVisibleTo(self))

    def _set_details(self, *, shown: bool) -> None:
        self._details.setVisible(shown)
        self.details_button.setText(tr("Hide details") if shown else tr("Show details"))


class PreparingPanel(MessagePanel):
    """The engine is being made ready, which happens once a machine."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Preparing"), parent)
        self.title.setText(tr("Getting ready, this once"))
        self.text.setText(
            tr(
                "LibreOffice is fetched, verified and compiled for this processor. "
                "It takes a few minutes, the first time only."
            )
        )
        self.bar = QProgressBar(self)
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        self.bar.setFixedSize(360, 8)
        self.bar.setAccessibleName(tr("Progress"))
        self.phase = self._label(1.0)
        self.column.addWidget(self.bar, 0, Qt.AlignmentFlag.AlignHCenter)
        self.column.addWidget(self.phase)

    def show_progress(self, message: str, percent: float) -> None:
        """What is being done, and percent of everything."""
        self.bar.setValue(round(percent * 10))
        self.phase.setText(f"{tr(message)} … {figures.percent(percent / 100)}")
