"""Every command of the window, once: text, keys, icon, menu. The list of keys (F1) is made from the same table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow


@dataclass(frozen=True, slots=True)
class Command:
    """One command. `keys` are portable key names; all of them work wherever the focus is in the window."""

    name: str
    text: str
    keys: tuple[str, ...] = ()
    icon: str = ""
    menu: str = ""
    checkable: bool = False


COMMANDS: tuple[Command, ...] = (
    Command("open_file", "&Open file …", ("Ctrl+O",), "open-file", "&File"),
    Command("open_folder", "Open f&older …", ("Ctrl+Shift+O",), "open-folder", "&File"),
    Command("reload", "&Reload", ("F5", "Ctrl+R"), "reload", "&File"),
    Command("quit", "&Quit", ("Ctrl+Q",), "", "&File"),
    Command("copy_path", "&Copy path", ("Ctrl+Shift+C",), "copy", "&Edit"),
    Command("filter", "&Filter the list", ("Ctrl+L",), "search", "&Edit"),
    Command("zoom_in", "Zoom &in", ("Ctrl++", "Ctrl+="), "zoom-in", "&View"),
    Command("zoom_out", "Zoom &out", ("Ctrl+-",), "zoom-out", "&View"),
    Command("actual_size", "&Actual size", ("Ctrl+0",), "", "&View"),
    Command("fit_automatic", "A&utomatic zoom", ("Ctrl+3",), "", "&View"),
    Command("fit_width", "Fit &width", ("Ctrl+2",), "fit-width", "&View"),
    Command("fit_page", "Fit &page", ("Ctrl+1",), "fit-page", "&View"),
    Command("toggle_list", "Show the &list", ("F9",), "sidebar", "&View", checkable=True),
    Command("full_screen", "&Full screen", ("F11",), "full-screen", "&View", checkable=True),
    Command("previous_file", "&Previous file", ("Left", "Ctrl+PgUp"), "previous", "&Go"),
    Command("next_file", "&Next file", ("Right", "Ctrl+PgDown"), "next", "&Go"),
    Command("folder_above", "Folder &above", ("Alt+Up",), "folder-up", "&Go"),
    Command("screen_down", "Screen &down", ("PgDown", "Space"), "", "&Go"),
    Command("screen_up", "Screen &up", ("PgUp", "Shift+Space"), "", "&Go"),
    Command("first_page", "&First page", ("Home",), "", "&Go"),
    Command("last_page", "&Last page", ("End",), "", "&Go"),
    Command("go_to_page", "&Go to page …", ("Ctrl+G",), "", "&Go"),
    Command("keys", "&Keys", ("F1",), "information", "&Help"),
    Command("about", "&About docpeek", (), "", "&Help"),
    Command("escape", "Cancel, leave full screen", ("Esc",)),
)

TOOLBAR: tuple[str, ...] = (
    "toggle_list",
    "open_file",
    "open_folder",
    "",
    "previous_file",
    "next_file",
    "",
    "zoom_out",
    "zoom_in",
    "fit_width",
    "fit_page",
)


def make_actions(window: QMainWindow, handlers: Mapping[str, Callable[[], object]]) -> dict[str, QAction]:
    """An action for each command, added to the window so that its keys work without a menu. Menus are filled too."""
    actions: dict[str, QAction] = {}
    menus = {title: window.menuBar().addMenu(title) for title in dict.fromkeys(c.menu for c in COMMANDS if c.menu)}
    for command in COMMANDS:
        action = QAction(command.text, window)
        action.setShortcuts([QKeySequence(key) for key in command.keys])
        action.setCheckable(command.checkable)
        handler = handlers[command.name]
        action.triggered.connect(lambda _checked=False, handler=handler: handler())
        action.setToolTip(_tip(command))
        window.addAction(action)
        if command.menu:
            menus[command.menu].addAction(action)
        actions[command.name] = action
    return actions


def key_rows() -> list[tuple[str, str]]:
    """What each key does, for the list of keys."""
    rows = [(" or ".join(_native(key) for key in c.keys), plain(c.text)) for c in COMMANDS if c.keys]
    return [*rows, ("Ctrl + wheel", "Zoom at the mouse"), ("Up, Down", "In the list: choose; in the pages: scroll")]


def plain(text: str) -> str:
    """A command's text without marks for menus."""
    return text.replace("&", "").replace(" …", "")


def _tip(command: Command) -> str:
    keys = f" ({_native(command.keys[0])})" if command.keys else ""
    return plain(command.text) + keys


def _native(key: str) -> str:
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)
