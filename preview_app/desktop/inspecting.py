"""Inspecting a folder from the window: what a person chooses, the thread that works, what is told of it.

The thread tells through a post of its own, so that nothing comes after `stop`; of moments that follow each other
faster than the window takes them, the last one is shown.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QStandardPaths, Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QMessageBox

from converter.cancellation import CancellationToken
from engines.errors import EngineError
from preview_app.desktop.bridge import MainThreadPost
from preview_app.desktop.inspection_bar import InspectionBar
from preview_app.desktop.language import tr
from preview_app.desktop.reasons import spoken
from preview_app.folder_inspection import FolderInspections, InspectionEnd, InspectionMoment, InspectionOrder
from preview_app.outputs import OutputError

if TYPE_CHECKING:
    from preview_app.desktop.window import MainWindow

_LOG = logging.getLogger(__name__)
_END_S = 10.0
"""How long an inspection that was given up may take to end; the window is gone by then."""
_FOLDER = "inspection_reports"


class InspectCommands(QObject):
    """The inspections of one window, one at a time. Without `inspections` the commands say that there are none."""

    def __init__(self, window: MainWindow, inspections: FolderInspections | None) -> None:
        super().__init__(window)
        self._window = window
        self._inspections = inspections
        self._post = MainThreadPost(self)
        self._thread: threading.Thread | None = None
        self._token = CancellationToken()
        self._latest: InspectionMoment | None = None
        self._lock = threading.Lock()
        self._order: InspectionOrder | None = None
        self.running = False
        self.bar = InspectionBar(window.status)
        self.bar.cancelled.connect(self.cancel)
        self.bar.report_wanted.connect(self.show_report)
        window.status.insertPermanentWidget(0, self.bar)

    def handlers(self) -> dict[str, Callable[[], object]]:
        """What each command does, by its name."""
        return {"inspect_this": self.ask_for_this, "inspect": self.ask_folder}

    # ---- what a person chooses

    def ask_for_this(self) -> None:
        """Inspect the folder that is shown; without one let a person choose."""
        folder = self._window.browser.folder
        if folder is None:
            self.ask_folder()
        elif self._may_begin():
            self._ask_report(folder)

    def ask_folder(self) -> None:
        """Let a person choose the folder."""
        if not self._may_begin():
            return
        start = str(self._window.browser.folder or Path.home())
        name = QFileDialog.getExistingDirectory(self._window, tr("Inspect a folder and those below it"), start)
        if name:
            self._ask_report(Path(name))

    def _may_begin(self) -> bool:
        if self.running or self._inspections is None:
            self._window.say(tr("An inspection is running already.") if self.running else tr("It is not available."))
            return False
        return True

    def _ask_report(self, folder: Path) -> None:
        assert self._inspections is not None
        lacks = self._inspections.lacks
        if lacks:
            text = tr(
                "An HTML report needs the package {}, which is not installed: install docpeek with its extra "
                "“inspect” (pip install 'docpeek[inspect]').\n\nThe findings are written as JSON Lines instead."
            )
            QMessageBox.information(self._window, tr("Inspect a folder"), text.format(lacks))
        suffix, kind = (".jsonl", tr("JSON Lines (*.jsonl)")) if lacks else (".html", tr("HTML pages (*.html)"))
        start = self._reports_folder() / f"{folder.name or 'docpeek'}-inspection{suffix}"
        name, _ = QFileDialog.getSaveFileName(self._window, tr("Save the report as"), str(start), kind)
        if name:
            self._begin_at(folder, Path(name), suffix)

    def _begin_at(self, folder: Path, path: Path, suffix: str) -> None:
        """Begin, the report at a name with the right suffix; nothing is replaced that nobody was asked about."""
        if path.suffix.lower() != suffix:
            path = path.with_name(path.name + suffix)
            if path.exists():
                self._window.say(tr("{} is there already: choose another name.").format(path.name))
                return
        if (settings := self._window.remembered) is not None:
            settings.setValue(_FOLDER, str(path.parent))
        self.begin(InspectionOrder(folder, path))

    def _reports_folder(self) -> Path:
        """Where the last report went; else where this person's documents are. Not into the folder that is inspected."""
        settings = self._window.remembered
        last = settings.value(_FOLDER) if settings is not None else None
        usual = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        known = (Path(name) for name in (last, usual) if isinstance(name, str) and name)
        return next((folder for folder in known if folder.is_dir()), Path.home())

    # ---- the work

    def begin(self, order: InspectionOrder) -> None:
        """Inspect on a thread; one that ran before is over."""
        assert self._inspections is not None
        self.wait()
        self.running, self._order, self._token = True, order, CancellationToken()
        self.bar.begin()
        work = (self._inspections, order, self._token)
        self._thread = threading.Thread(target=self._run, args=work, name="docpeek-inspection")
        self._thread.start()

    def cancel(self) -> None:
        """Give it up; the report has what is done."""
        if self.running:
            self.bar.giving_up()
            self._token.cancel("stopped", "The inspection was given up.")

    def show_report(self) -> None:
        """Open the HTML page in the browser, or the folder of JSON Lines."""
        assert self._order is not None
        report = self._order.report
        shown = report.parent if report.suffix.lower() == ".jsonl" else report
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(shown))):
            self._window.say(tr("The system has no program for this file."))

    def stop(self) -> None:
        """Give it up, tell nothing more. Idempotent."""
        self._post.close()
        self._token.cancel("closed", "The window was closed.")

    def wait(self) -> bool:
        """Wait for the end of what was given up; whether it came, within ten seconds."""
        if self._thread is not None:
            self._thread.join(_END_S)
        return self._thread is None or not self._thread.is_alive()

    # ---- on the thread

    def _run(self, inspections: FolderInspections, order: InspectionOrder, token: CancellationToken) -> None:
        try:
            ending = inspections.run(order, self._tell, token)
        except (OutputError, EngineError) as error:
            message = spoken(str(error))
            self._post(lambda: self._failed(message))
        except Exception:  # noqa: BLE001 - whatever it is, a bar that stands still for ever would hide it
            _LOG.exception("The inspection of %s failed unexpectedly", order.folder)
            self._post(lambda: self._failed(tr("The inspection failed unexpectedly.")))
        else:
            self._post(lambda: self._ended(ending))

    def _tell(self, at: InspectionMoment) -> None:
        with self._lock:
            waiting, self._latest = self._latest is not None, at
        if not waiting:
            self._post(self._show_latest)

    # ---- back on the main thread

    def _show_latest(self) -> None:
        with self._lock:
            at, self._latest = self._latest, None
        if at is not None and not self._token.cancelled:
            self.bar.tell(at)

    def _ended(self, ending: InspectionEnd) -> None:
        self.running = False
        self.bar.end(ending)

    def _failed(self, message: str) -> None:
        self.running = False
        self.bar.fail()
        box = QMessageBox(QMessageBox.Icon.Warning, tr("Inspect a folder"), message, parent=self._window)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.open()
