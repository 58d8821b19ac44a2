"""Which program opens a type of document, in a person's `mimeapps.list`. Pure: text in, text out.

After the Association between MIME types and applications (freedesktop.org, 1.0). What others wrote stays as it is, byte
for byte; `without` undoes what `with_default` has done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

Change = Callable[[str], str]
"""From the text of the file to another."""
_DEFAULTS = "[Default Applications]"
_REMOVED = "[Removed Associations]"


def with_default(text: str, program: str, mimes: Iterable[str]) -> str:
    """Put `program` first for these types; what was first comes after it."""
    wanted = dict.fromkeys(mimes)

    def put_first(mime: str, programs: list[str]) -> list[str]:
        if mime not in wanted:
            return programs
        del wanted[mime]
        return [program, *(other for other in programs if other != program)]

    lines = _changed(text, lambda section: section == _DEFAULTS, put_first)
    new = [f"{mime}={program};\n" for mime in wanted]
    if not new:
        return "".join(lines)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    where = _end_of_section(lines, _DEFAULTS)
    if where is None:
        return "".join([*lines, *(["\n"] if lines else []), f"{_DEFAULTS}\n", *new])
    return "".join([*lines[:where], *new, *lines[where:]])


def without(text: str, program: str) -> str:
    """Take `program` from all types.

    Lines that name no other go, and so does a section of defaults that is left empty at the end.
    """

    def drop(_mime: str, programs: list[str]) -> list[str]:
        return [other for other in programs if other != program]

    lines = _changed(text, lambda section: section != _REMOVED, drop)
    changed = "".join(lines) != text
    if changed and lines and lines[-1].strip() == _DEFAULTS:
        lines.pop()
        if lines and not lines[-1].strip():
            lines.pop()
    return "".join(lines)


def defaults_of(text: str, program: str) -> list[str]:
    """The types that `program` comes first for."""
    found: list[str] = []

    def look(mime: str, programs: list[str]) -> list[str]:
        if programs[:1] == [program]:
            found.append(mime)
        return programs

    _changed(text, lambda section: section == _DEFAULTS, look)
    return found


def _changed(text: str, concerns: Callable[[str], bool], change: Callable[[str, list[str]], list[str]]) -> list[str]:
    """The lines, with the programs of those sections changed; a line without programs goes."""
    lines, section = [], ""
    for line in text.splitlines(keepends=True):
        if line.startswith("["):
            section = line.strip()
        key, equals, value = line.partition("=")
        if not equals or line.startswith(("#", "[")) or not concerns(section):
            lines.append(line)
            continue
        programs = [each for each in value.strip().split(";") if each]
        kept = change(key.strip(), list(programs))
        if kept == programs:
            lines.append(line)
        elif kept:
            end = ";" if value.strip().endswith(";") or len(programs) < 1 else ""
            lines.append(f"{key}={';'.join(kept)}{end}\n")
    return lines


def _end_of_section(lines: list[str], wanted: str) -> int | None:
    """Where a line can be added to a section: after the last one that says something."""
    end, section = None, ""
    for number, line in enumerate(lines):
        if line.startswith("["):
            section = line.strip()
        if section == wanted and line.strip():
            end = number + 1
    return end
