"""Every command of the window, once: text, keys, icon, menu. The list of keys (F1) is made from the same table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

from preview_app.desktop.language import mark, tr


@dataclass(frozen=True, slots=True)
class Command:
    """One command. `keys` are portable key names; all of them work wherever the focus is in the window.

    `part` numbers the groups of a menu, which lines keep apart.
    """

    name: str
    text: str
    keys: tuple[str, ...] = ()
    icon: str = ""
    menu: str = ""
    checkable: bool = False
    part: int = 0


_FILE, _EDIT, _VIEW, _GO, _HELP = mark("&File"), mark("&Edit"), mark("&View"), mark("&Go"), mark("&Help")

COMMANDS: tuple[Command, ...] = (
    Command("open_file", mark("&Open file …"), ("Ctrl+O",), "open-file", _FILE),
    Command("open_folder", mark("Open fol&der …"), ("Ctrl+Shift+O",), "open-folder", _FILE),
    Command("reload", mark("&Reload"), ("F5", "Ctrl+R"), "reload", _FILE, part=1),
    Command("save_pdf", mark("&Save as PDF …"), ("Ctrl+S",), "save", _FILE, part=1),
    Command("print", mark("&Print …"), ("Ctrl+P",), "print", _FILE, part=1),
    Command("open_outside", mark("Open in the system's pro&gram"), ("Ctrl+Return",), "", _FILE, part=2),
    Command("open_with", mark("Open &with …"), (), "", _FILE, part=2),
    Command("show_in_folder", mark("Show in the &file manager"), (), "", _FILE, part=2),
    Command("inspect_this", mark("&Inspect this folder …"), (), "", _FILE, part=3),
    Command("inspect", mark("I&nspect another folder …"), (), "", _FILE, part=3),
    Command("quit", mark("&Quit"), ("Ctrl+Q",), "", _FILE, part=4),
    Command("copy", mark("&Copy"), ("Ctrl+C",), "copy", _EDIT),
    Command("copy_image", mark("Copy page as &image"), ("Ctrl+Alt+C",), "", _EDIT),
    Command("copy_path", mark("Copy &path"), ("Ctrl+Shift+C",), "", _EDIT),
    Command("select_page", mark("Select &all of the page"), ("Ctrl+A",), "", _EDIT),
    Command("find", mark("&Find …"), ("Ctrl+F",), "search", _EDIT, part=1),
    Command("find_next", mark("Find &next"), ("F3",), "", _EDIT, part=1),
    Command("find_previous", mark("Find pre&vious"), ("Shift+F3",), "", _EDIT, part=1),
    Command("filter", mark("Filter the &list"), ("Ctrl+L",), "", _EDIT, part=2),
    Command("settings", mark("&Settings …"), ("Ctrl+,",), "", _EDIT, part=3),
    Command("zoom_in", mark("Zoom &in"), ("Ctrl++", "Ctrl+="), "zoom-in", _VIEW),
    Command("zoom_out", mark("Zoom &out"), ("Ctrl+-",), "zoom-out", _VIEW),
    Command("actual_size", mark("&Actual size"), ("Ctrl+0",), "", _VIEW),
    Command("fit_automatic", mark("A&utomatic zoom"), ("Ctrl+3",), "", _VIEW),
    Command("fit_width", mark("Fit &width"), ("Ctrl+2",), "fit-width", _VIEW),
    Command("fit_page", mark("Fit &page"), ("Ctrl+1",), "fit-page", _VIEW),
    Command("turn_right", mark("Rotate &right"), ("R",), "rotate-right", _VIEW, part=1),
    Command("turn_left", mark("Rotate &left"), ("Shift+R",), "rotate-left", _VIEW, part=1),
    Command("single_page", mark("One page at a ti&me"), ("Ctrl+4",), "", _VIEW, checkable=True, part=1),
    Command("night", mark("&Night: light on dark"), ("Ctrl+Shift+N",), "night", _VIEW, checkable=True, part=1),
    Command("toggle_list", mark("Show the li&st"), ("F9",), "sidebar", _VIEW, checkable=True, part=2),
    Command("tree", mark("Fol&ders as a tree"), ("F8",), "", _VIEW, checkable=True, part=2),
    Command("list_thumbnails", mark("First pages in t&he list"), ("Ctrl+Shift+T",), "", _VIEW, checkable=True, part=2),
    Command("toggle_navigation", mark("Show pa&ges and outline"), ("F4",), "pages", _VIEW, checkable=True, part=2),
    Command("toggle_details", mark("Show &facts"), ("Ctrl+I",), "information", _VIEW, checkable=True, part=2),
    Command("present", mark("Pr&esentation"), ("Shift+F5",), "present", _VIEW, checkable=True, part=3),
    Command("full_screen", mark("Full s&creen"), ("F11",), "full-screen", _VIEW, checkable=True, part=3),
    Command("back", mark("&Back"), ("Alt+Left",), "", _GO),
    Command("forward", mark("F&orward"), ("Alt+Right",), "", _GO),
    Command("previous_file", mark("&Previous file"), ("Left", "Ctrl+PgUp"), "previous", _GO, part=1),
    Command("next_file", mark("&Next file"), ("Right", "Ctrl+PgDown"), "next", _GO, part=1),
    Command("folder_above", mark("Folder &above"), ("Alt+Up",), "folder-up", _GO, part=1),
    Command("screen_down", mark("Screen &down"), ("PgDown", "Space"), "", _GO, part=2),
    Command("screen_up", mark("Screen &up"), ("PgUp", "Shift+Space"), "", _GO, part=2),
    Command("first_page", mark("&First page"), ("Home",), "", _GO, part=2),
    Command("last_page", mark("&Last page"), ("End",), "", _GO, part=2),
    Command("go_to_page", mark("&Go to page …"), ("Ctrl+G",), "", _GO, part=2),
    Command("keys", mark("&Keys"), ("F1",), "information", _HELP),
    Command("about", mark("&About docpeek"), (), "", _HELP),
    Command("escape", mark("Cancel, close, leave full screen"), ("Esc",)),
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
    "turn_right",
    "",
    "toggle_navigation",
    "find",
    "night",
    "present",
    "",
    "save_pdf",
    "print",
    "",
    "toggle_details",
)
OF_A_DOCUMENT: frozenset[str] = frozenset(
    {
        *("save_pdf", "print", "copy_image", "select_page"),
        *("find", "find_next", "find_previous", "turn_right", "turn_left", "present", "go_to_page", "reload"),
    }
)
"""Commands that mean nothing without a document."""


def make_actions(window: QMainWindow, handlers: Mapping[str, Callable[[], object]]) -> dict[str, QAction]:
    """An action for each command, added to the window so that its keys work without a menu."""
    actions: dict[str, QAction] = {}
    for command in COMMANDS:
        action = QAction(tr(command.text), window)
        action.setShortcuts([QKeySequence(key) for key in command.keys])
        action.setCheckable(command.checkable)
        handler = handlers[command.name]
        action.triggered.connect(lambda _checked=False, handler=handler: handler())
        action.setToolTip(_tip(command))
        window.addAction(action)
        actions[command.name] = action
    return actions


def make_menus(window: QMainWindow, actions: Mapping[str, QAction]) -> dict[str, QMenu]:
    """The menu bar; menus by their title in English, without marks."""
    menus: dict[str, QMenu] = {}
    parts: dict[str, int] = {}
    for command in COMMANDS:
        if not command.menu:
            continue
        if command.menu not in menus:
            menus[command.menu] = window.menuBar().addMenu(tr(command.menu))
        elif parts[command.menu] != command.part:
            menus[command.menu].addSeparator()
        parts[command.menu] = command.part
        menus[command.menu].addAction(actions[command.name])
    return {plain(title): menu for title, menu in menus.items()}


def tip_of(name: str) -> str:
    """The tip of a command, by its name."""
    return next(_tip(command) for command in COMMANDS if command.name == name)


def key_rows() -> list[tuple[str, str]]:
    """What each key does, for the list of keys."""
    either = tr(" or ")
    rows = [(either.join(_native(key) for key in c.keys), plain(tr(c.text))) for c in COMMANDS if c.keys]
    return [
        *rows,
        (tr("Shift + arrows"), tr("Select text; with Ctrl word by word")),
        (tr("Ctrl + wheel"), tr("Zoom at the mouse")),
        (tr("Up, Down"), tr("In the list: choose; in the pages: scroll")),
        (tr("Enter, +, -"), tr("In the tree: open and close a folder")),
    ]


def plain(text: str) -> str:
    """A command's text without marks for menus."""
    return text.replace("&", "").replace(" …", "")


def _tip(command: Command) -> str:
    keys = f" ({_native(command.keys[0])})" if command.keys else ""
    return plain(tr(command.text)) + keys


def _native(key: str) -> str:
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)
