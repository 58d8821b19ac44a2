"""The commands about docpeek's place on the desktop; each gives the exit status."""

from __future__ import annotations

from converter.errors import Outcome
from preview_app.console import Console
from preview_app.desktop_entry import DesktopEntry, DesktopEntryError


def show(console: Console) -> int:
    """Tell what there is."""
    try:
        entry = DesktopEntry.of_person()
    except DesktopEntryError as error:
        console.say(str(error))
        return Outcome.UNAVAILABLE.exit_status
    standing = entry.standing()
    lines = [f"In the menu: {entry.entry}" if standing.installed else "Not in the menu of the desktop."]
    if standing.default_for:
        lines.append(f"The first program for {len(standing.default_for)} types of document.")
    told = {"installed": standing.installed, "entry": str(entry.entry), "default_for": list(standing.default_for)}
    console.result(told, "\n".join(lines))
    return 0


def install(console: Console, *, default: bool) -> int:
    """Put it there."""
    try:
        entry = DesktopEntry.of_person()
        entry.install(default=default)
    except DesktopEntryError as error:
        console.say(str(error))
        return Outcome.NOT_ALLOWED.exit_status
    console.say(f"docpeek is in the menu of the desktop now ({entry.entry}) and is offered for documents.")
    if default:
        console.say(f"It opens documents from now on ({entry.associations}).")
    return 0


def remove(console: Console) -> int:
    """Take it away."""
    try:
        there = DesktopEntry.of_person().remove()
    except DesktopEntryError as error:
        console.say(str(error))
        return Outcome.NOT_ALLOWED.exit_status
    console.say("It is gone; other programs open documents as before." if there else "There was nothing to remove.")
    return 0
