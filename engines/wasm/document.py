"""One document that is loaded in the guest. See `engines.boundedexport.Exporter`."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Protocol

from engines.boundedexport import Sheet

_TURNS_MAX = 200
"""Turns of LibreOffice's event loop within which a command has been carried out (about 15 are taken, 2 ms in all)."""


class Call(Protocol):
    """Calls a function of the C API by its role: numbers first, then texts."""

    def __call__(self, role: str, numbers: tuple[int, ...], /, *texts: str) -> int:
        """What the function gives."""


class Document:
    """A loaded document. `take_string` reads a text that the guest allocated, and frees it."""

    def __init__(
        self,
        address: int,
        call: Call,
        take_string: Callable[[int], str],
        export: Callable[[int, dict[str, Any]], memoryview],
    ) -> None:
        self._address = address
        self._call = call
        self._take_string = take_string
        self._export = export

    def export(self, options: dict[str, Any]) -> memoryview:
        """The PDF, in the guest's files."""
        return self._export(self._address, options)

    def sheets(self) -> list[Sheet]:
        """The sheets of a workbook, in order."""
        count = self._call("document_parts", (self._address,))
        return [self._sheet(index) for index in range(count)]

    def _sheet(self, index: int) -> Sheet:
        told = json.loads(self._take_string(self._call("document_part_info", (self._address, index))))
        return Sheet(told["name"], bool(told["visible"]), int(told["lastcolumn"]) + 1, int(told["lastrow"]) + 1)

    def limit_area(self, index: int, columns: int, rows: int) -> None:
        """Select the area and make it the sheet's print range."""
        self._call("document_part", (self._address, index))
        self._turn()
        area = {"ToPoint": {"type": "string", "value": f"A1:{column_name(columns)}{rows}"}}
        for command, arguments in ((".uno:GoToCell", area), (".uno:DefinePrintArea", {})):
            self._call("document_command", (self._address,), command, json.dumps(arguments))
            self._turn()

    def _turn(self) -> None:
        """Commands are carried out by the event loop."""
        for _ in range(_TURNS_MAX):
            if self._call("pump", ()) <= 0:
                return


def column_name(number: int) -> str:
    """A, B ... Z, AA ...: the name of a column, counted from 1."""
    name = ""
    while number:
        number, letter = divmod(number - 1, 26)
        name = chr(ord("A") + letter) + name
    return name
