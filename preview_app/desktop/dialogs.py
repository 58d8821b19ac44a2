"""Small dialogs: the list of keys, what this program is."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QMessageBox,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from preview_app import __version__
from preview_app.desktop.language import tr


def without_icons(buttons: QDialogButtonBox) -> None:
    """Take away the pictures that the style puts on buttons: no other button here has one."""
    for button in buttons.buttons():
        button.setIcon(QIcon())


def keys_dialog(rows: Sequence[tuple[str, str]], parent: QWidget) -> QDialog:
    """What each key does, as a table."""
    dialog = QDialog(parent)
    dialog.setWindowTitle(tr("Keys"))
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    table = QTableWidget(len(rows), 2, dialog)
    table.setHorizontalHeaderLabels([tr("Key"), tr("What it does")])
    table.setAccessibleName(tr("Keys"))
    table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
    table.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
    table.setShowGrid(False)
    table.setAlternatingRowColors(True)
    table.verticalHeader().hide()
    table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + 8)
    table.setSelectionMode(QTableWidget.SelectionMode.NoSelection)
    for row, cells in enumerate(rows):
        for column, text in enumerate(cells):
            table.setItem(row, column, QTableWidgetItem(text))
    table.resizeColumnToContents(0)
    table.horizontalHeader().setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, dialog)
    without_icons(buttons)
    buttons.rejected.connect(dialog.reject)
    frame = QVBoxLayout(dialog)
    frame.addWidget(table)
    frame.addWidget(buttons)
    dialog.resize(520, 720)
    return dialog


def about_dialog(parent: QWidget) -> QMessageBox:
    """Name, version, licence."""
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setWindowTitle(tr("About docpeek"))
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(f"docpeek {__version__}")
    box.setInformativeText(
        tr(
            "See any office document, instantly and safely.\n\n"
            "Documents are converted by LibreOffice in a sandbox and drawn by MuPDF in processes of their own. "
            "Macros never run and nothing is fetched from the network.\n\n"
            "Free software under the GNU Affero General Public License, version 3 or later."
        )
    )
    return box
