"""How far the inspection of a folder is, in the status line; at its end the way to the report."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QWidget

from preview_app.desktop import figures
from preview_app.desktop.language import tr
from preview_app.folder_inspection import InspectionEnd, InspectionMoment

_BAR_WIDTH_PX = 110
_LABEL_WIDTH_MIN_PX = 90


class InspectionBar(QWidget):
    """Hidden as long as there is nothing to tell."""

    cancelled = Signal()
    report_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.progress = QProgressBar(self)
        self.progress.setFixedWidth(_BAR_WIDTH_PX)
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(tr("Progress of the inspection"))
        self.label = QLabel(self)
        self.label.setAccessibleName(tr("Inspection"))
        self.label.setMinimumWidth(_LABEL_WIDTH_MIN_PX)  # a small window stays as small as it is
        self.show_report = QPushButton(tr("Show report"), self)
        self.cancel = QPushButton(tr("Cancel"), self)
        self.dismiss = QPushButton(tr("Close"), self)
        self.show_report.clicked.connect(lambda _checked=False: self.report_wanted.emit())
        self.cancel.clicked.connect(lambda _checked=False: self.cancelled.emit())
        self.dismiss.clicked.connect(lambda _checked=False: self.hide())
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 8, 0)
        for widget in (self.progress, self.label, self.show_report, self.cancel, self.dismiss):
            row.addWidget(widget)
        self.hide()

    def begin(self) -> None:
        """Documents are looked for."""
        self.progress.setRange(0, 0)
        self._say(tr("Looking for documents …"))
        self.cancel.setEnabled(True)
        self._show(running=True)

    def tell(self, at: InspectionMoment) -> None:
        """So far it is."""
        self.progress.setRange(0, max(1, at.total))
        self.progress.setValue(at.done)
        parts = [
            tr("Inspecting {} of {}").format(figures.whole(min(at.done + 1, at.total)), figures.whole(at.total)),
            _findings(at.findings),
        ]
        if at.seconds_left:
            parts.append(_left(at.seconds_left))
        self._say(" · ".join(parts))

    def giving_up(self) -> None:
        """It was cancelled, and is not over yet."""
        self.cancel.setEnabled(False)
        self._say(tr("Cancelling …"))

    def end(self, ending: InspectionEnd) -> None:
        """It is over."""
        at = ending.at
        if at.total == 0:
            self._say(tr("Cancelled.") if ending.interrupted else tr("There is no document to inspect here."))
        else:
            text = tr("Cancelled after {} of {}") if ending.interrupted else tr("Inspected: {} of {}")
            self._say(
                " · ".join((text.format(figures.whole(at.done), figures.whole(at.total)), _findings(at.findings)))
            )
        self._show(running=False, report=at.total > 0)

    def fail(self) -> None:
        """It came to no end."""
        self.hide()

    def _say(self, text: str) -> None:
        self.label.setText(text)
        self.label.setToolTip(text)  # a small window cuts it off

    def _show(self, *, running: bool, report: bool = False) -> None:
        self.progress.setVisible(running)
        self.cancel.setVisible(running)
        self.show_report.setVisible(report)
        self.dismiss.setVisible(not running)
        self.show()


def _findings(count: int) -> str:
    return tr("1 finding") if count == 1 else tr("{} findings").format(figures.whole(count))


def _left(seconds: float) -> str:
    """A time for a person, not more exact than a guess can be."""
    if seconds < 60:
        return tr("{} s left").format(max(1, round(seconds)))
    minutes = round(seconds / 60)
    return tr("{} min left").format(minutes) if minutes < 60 else tr("{} h {} min left").format(*divmod(minutes, 60))
