"""Commands that take a document out of the window: as a PDF, to a printer, to another program."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QIcon
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMessageBox

from engines.formats import DOCUMENT_TYPES
from preview_app.desktop.actions import tip_of
from preview_app.desktop.file_look import is_there
from preview_app.desktop.language import mark, tr
from preview_app.desktop.programs import Program, data_folders, programs_for
from preview_app.desktop.runnable import would_run
from preview_app.desktop.saving import Saving
from preview_app.links import may_be_followed
from preview_app.preview_states import Showing

if TYPE_CHECKING:
    from PySide6.QtPrintSupport import QPrinter

    from preview_app.desktop.printing import PrintJob
    from preview_app.desktop.window import MainWindow

WOULD_RUN = mark("It is not opened in another program from here: that could run it.")


class OutputCommands:
    """Ways out of one window."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self.print_job: PrintJob | None = None

    def handlers(self) -> dict[str, Callable[[], object]]:
        """What each command does, by its name."""
        return {
            "save_pdf": self.ask_save,
            "print": self.ask_print,
            "open_outside": self.open_outside,
            "open_with": self.ask_program,
            "show_in_folder": self.show_in_folder,
        }

    def stop(self) -> None:
        """Give up what is being printed. Idempotent."""
        if self.print_job is not None:
            self.print_job.cancel()

    # ---- as a PDF

    def ask_save(self) -> None:
        """Let a person choose where the PDF goes."""
        state = self._window.preview.state
        if not isinstance(state, Showing):
            return
        start = state.path.with_suffix(".pdf")
        if start == state.path:
            start = state.path.with_name(f"{state.path.stem} (copy).pdf")
        name, _ = QFileDialog.getSaveFileName(self._window, tr("Save as PDF"), str(start), tr("PDF documents (*.pdf)"))
        if name:
            self.save(state, Path(name))

    def save(self, state: Showing, path: Path) -> None:
        """Write the PDF of a document; the status line tells when it is done."""
        if path == state.path:
            self._window.say(tr("A document is not replaced by its own PDF: choose another name."))
            return

        def done(error: str) -> None:
            if error:
                QMessageBox.warning(self._window, tr("Save as PDF"), tr("It could not be saved: {}").format(error))
            else:
                self._window.say(tr("Saved as {}.").format(path.name))

        Saving(path, state.converted.pdf, done, self._window)

    # ---- to a printer

    def ask_print(self) -> None:
        """Let a person choose a printer and pages."""
        state = self._window.preview.state
        if not isinstance(state, Showing) or self.print_job is not None:
            return
        # Qt's printing takes a twentieth of a second to load: not before the first page.
        from PySide6.QtPrintSupport import QPrintDialog, QPrinter  # noqa: PLC0415

        from preview_app.desktop.printing import set_paper  # noqa: PLC0415

        pages = state.document.pages
        printer = QPrinter(QPrinter.PrinterMode.HighResolution)
        printer.setDocName(state.path.name)
        set_paper(printer, pages[max(0, self._window.viewer.pages.page)])
        dialog = QPrintDialog(printer, self._window)
        dialog.setMinMax(1, len(pages))
        dialog.setFromTo(1, len(pages))
        dialog.setOption(QPrintDialog.PrintDialogOption.PrintCurrentPage)
        if dialog.exec() == QPrintDialog.DialogCode.Accepted:
            self.print(state, printer)

    def print(self, state: Showing, printer: QPrinter) -> None:
        """Print what the printer was set to."""
        from preview_app.desktop.printing import PrintJob, pages_to_print  # noqa: PLC0415 - as above

        chosen = pages_to_print(printer, len(state.document.pages), self._window.viewer.pages.page)
        job = self.print_job = PrintJob(self._window.rasterizer, state.converted.pdf, printer, chosen, self._window)

        def ended(error: str) -> None:
            self.print_job = None
            self._window.say(error or tr("Printed."))
            job.deleteLater()

        job.progressed.connect(
            lambda done, count: self._window.say(tr("Printing page {} of {} … (Esc gives up)").format(done, count))
        )
        job.ended.connect(ended)
        job.start()

    # ---- to another program

    def show_ways(self, path: Path | None) -> None:
        """Offer other programs for this file, unless nobody can read it or one of them would run it."""
        there = path is not None and is_there(path) and os.access(path, os.R_OK)
        runs = there and path is not None and would_run(path)
        for name in ("open_outside", "open_with"):
            action = self._window.actions_by_name[name]
            action.setEnabled(there and not runs)
            action.setToolTip(tr(WOULD_RUN) if runs else tip_of(name))
        self._window.actions_by_name["show_in_folder"].setEnabled(path is not None)
        self._window.viewer.error.offer_outside(offered=there, why_not=tr(WOULD_RUN) if runs else "")

    def _openable(self) -> Path | None:
        """The file, if it is there and nothing would run it now; else it is said why not."""
        path = self._window.preview.path
        if path is None or not is_there(path):
            return None
        if would_run(path):
            self._window.say(tr(WOULD_RUN))
            return None
        return path

    def open_outside(self) -> None:
        """Open the file in the program that the system has for it."""
        path = self._openable()
        if path is not None and not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
            self._window.say(tr("The system has no program for this file."))

    def show_in_folder(self) -> None:
        """Open the folder of the file in the system's file manager."""
        path = self._window.preview.path
        if path is not None:
            self.show_folder(path.parent)

    def show_folder(self, folder: Path) -> None:
        """Open a folder in the system's file manager."""
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
            self._window.say(tr("The system has no file manager."))

    def ask_program(self) -> None:
        """Let a person choose among the programs for this type of file."""
        path = self._openable()
        if path is None:
            return
        programs = programs_for(_mime_of(path), data_folders())
        if not programs:
            self._window.say(tr("No program on this machine says that it opens this type of file."))
            return
        names = [program.name for program in programs]
        name, accepted = QInputDialog.getItem(self._window, tr("Open with"), path.name, names, 0, False)
        if accepted:
            self.start(programs[names.index(name)], path)

    def start(self, program: Program, path: Path) -> None:
        """Start a program with a document that would not run; it lives on by itself."""
        if would_run(path):
            self._window.say(tr(WOULD_RUN))
            return
        try:
            subprocess.Popen(
                program.words(path), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True
            )
        except OSError as error:
            self._window.say(tr("{} could not be started: {}").format(program.name, error.strerror or error))

    def ask_link(self, uri: str) -> None:
        """Ask before something outside is opened."""
        allowed = may_be_followed(uri)
        box = QMessageBox(self._window)
        box.setWindowTitle(tr("Open a link"))
        box.setTextFormat(box.textFormat().PlainText)
        box.setText(tr("Open this link outside of docpeek?") if allowed else tr("This link is not opened from here."))
        box.setInformativeText(uri)
        buttons = QMessageBox.StandardButton
        box.setStandardButtons(buttons.Open | buttons.Cancel if allowed else buttons.Close)
        copy = box.addButton(tr("Copy the address"), QMessageBox.ButtonRole.ActionRole)
        for button in box.buttons():
            button.setIcon(QIcon())  # as everywhere else
        chosen = box.exec()
        if box.clickedButton() is copy:
            self._window.copy(uri)
        elif chosen == buttons.Open and not QDesktopServices.openUrl(QUrl(uri)):
            self._window.say(tr("The system has no program for this link."))
        box.deleteLater()


def _mime_of(path: Path) -> str:
    suffix = path.suffix[1:].lower()
    return next((each.mime for each in DOCUMENT_TYPES if suffix in each.suffixes), "application/octet-stream")
