"""Workbooks and texts with Visual Basic that runs when they are opened, made by code ([MS-OVBA])."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

from tests.engines import packages
from tests.real.hostile_documents import INSIDE

_SCHEMAS = "http://schemas.openxmlformats.org"
_RELATIONS = f"{_SCHEMAS}/officeDocument/2006/relationships"
_VBA_RELATION = "http://schemas.microsoft.com/office/2006/relationships/vbaProject"
_SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"
_CHUNK_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Module:
    """Code; `document` says that it is that of a document or a sheet."""

    code: str
    document: bool = False


def handler(name: str, trace: Path) -> str:
    """A procedure that makes the file `trace`."""
    lines = (f"Sub {name}()", f'Open "{trace}" For Output As #1', 'Print #1, "ran"', "Close #1", "End Sub", "")
    return "\r\n".join(lines)


def workbook(traces: Path) -> bytes:
    """An XLSM whose macros make `workbook` and `auto` in the folder `traces`, when they are let."""
    modules = {
        "ThisWorkbook": Module("Private " + handler("Workbook_Open", traces / "workbook"), document=True),
        "Sheet1": Module("", document=True),
        "M": Module(handler("Auto_Open", traces / "auto")),
    }
    cell = f'<c t="inlineStr"><is><t>{INSIDE}</t></is></c>'
    sheet = f'<worksheet xmlns="{_SCHEMAS}/spreadsheetml/2006/main"><sheetPr codeName="Sheet1"/><sheetData><row>{cell}'
    book = f'<workbook xmlns="{_SCHEMAS}/spreadsheetml/2006/main" xmlns:r="{_RELATIONS}"><workbookPr '
    book += 'codeName="ThisWorkbook"/><sheets><sheet name="A" sheetId="1" r:id="s"/></sheets></workbook>'
    return _package(
        "xl/workbook.xml",
        ("application/vnd.ms-excel.sheet.macroEnabled.main+xml", book),
        modules,
        {"xl/worksheets/s.xml": (_SHEET, sheet + "</row></sheetData></worksheet>")},
    )


def text(traces: Path) -> bytes:
    """A DOCM with every handler that Word would run when it is opened."""
    modules = {
        "ThisDocument": Module("Private " + handler("Document_Open", traces / "document"), document=True),
        "NewMacros": Module(handler("AutoOpen", traces / "auto") + handler("AutoExec", traces / "exec")),
    }
    namespace = f"{_SCHEMAS}/wordprocessingml/2006/main"
    body = f'<w:document xmlns:w="{namespace}"><w:body><w:p><w:r><w:t>{INSIDE}</w:t></w:r></w:p></w:body></w:document>'
    return _package("word/document.xml", ("application/vnd.ms-word.document.macroEnabled.main+xml", body), modules, {})


def _package(
    main: str, content: tuple[str, str], modules: dict[str, Module], others: dict[str, tuple[str, str]]
) -> bytes:
    folder = main.partition("/")[0]
    parts = {main: content, **others}
    types = "".join(f'<Override PartName="/{name}" ContentType="{kind}"/>' for name, (kind, _) in parts.items())
    related = f'<Relationship Id="v" Type="{_VBA_RELATION}" Target="vbaProject.bin"/>'
    for name in others:
        related += f'<Relationship Id="s" Type="{_RELATIONS}/worksheet" Target="{name.partition("/")[2]}"/>'
    space = f'xmlns="{_SCHEMAS}/package/2006'
    return packages.archive(
        {
            "[Content_Types].xml": f'<Types {space}/content-types"><Default Extension="rels" ContentType="application/'
            'vnd.openxmlformats-package.relationships+xml"/><Default Extension="bin" ContentType="application/'
            f'vnd.ms-office.vbaProject"/>{types}</Types>',
            "_rels/.rels": packages.RELATIONS.format(target=main),
            f"{folder}/_rels/{main.rpartition('/')[2]}.rels": f'<Relationships {space}/relationships">{related}'
            "</Relationships>",
            f"{folder}/vbaProject.bin": project(modules),
            **{name: part for name, (_, part) in parts.items()},
        }
    )


def project(modules: dict[str, Module]) -> bytes:
    """A project of Visual Basic as Office keeps it: a compound file."""
    lines = [f"{'Document' if each.document else 'Module'}={name}" for name, each in modules.items()]
    told = ['ID="{11111111-1111-1111-1111-111111111111}"', *lines, 'Name="VBAProject"', 'HelpContextID="0"']
    storage: packages.Storage = {name: _compressed(_source(name, each)) for name, each in modules.items()}
    storage |= {"dir": _compressed(_directory(modules)), "_VBA_PROJECT": b"\xcc\x61\xff\xff\0\0\0"}
    return packages.compound({"PROJECT": "\r\n".join([*told, ""]).encode(), "VBA": storage})


def _source(name: str, module: Module) -> bytes:
    attributes = [f'Attribute VB_Name = "{name}"']
    if module.document:
        attributes += ['Attribute VB_Base = "0{00020819-0000-0000-C000-000000000046}"']
        attributes += ["Attribute VB_PredeclaredId = True", "Attribute VB_Exposed = True"]
    return "\r\n".join([*attributes, module.code]).encode()


def _directory(modules: dict[str, Module]) -> bytes:
    """The stream `dir`: records of a number, a length and a value."""

    def record(number: int, value: bytes = b"") -> bytes:
        return struct.pack("<HI", number, len(value)) + value

    def short(number: int, value: int) -> bytes:
        return record(number, struct.pack("<H", value))

    def long(number: int, value: int) -> bytes:
        return record(number, struct.pack("<I", value))

    told = [long(1, 1), long(2, 0x409), long(0x14, 0x409), short(3, 1252), record(4, b"VBAProject")]
    told += [record(5), record(0x40), record(6), record(0x3D), long(7, 0), long(8, 0)]
    told += [
        struct.pack("<HIIH", 9, 4, 1, 1),
        record(0x0C),
        record(0x3C),
        short(0x0F, len(modules)),
        short(0x13, 65535),
    ]
    for name, module in modules.items():
        narrow, wide = name.encode(), name.encode("utf-16-le")
        told += [record(0x19, narrow), record(0x47, wide), record(0x1A, narrow), record(0x32, wide)]
        told += [record(0x1C), record(0x48), long(0x31, 0), long(0x1E, 0), short(0x2C, 65535)]
        told += [record(0x22 if module.document else 0x21), record(0x2B)]
    return b"".join([*told, record(0x10)])


def _compressed(data: bytes) -> bytes:
    """[MS-OVBA] 2.4.1 with literals only, eight behind each byte of flags."""
    result = b"\x01"
    for at in range(0, len(data), _CHUNK_BYTES // 2):
        chunk = data[at : at + _CHUNK_BYTES // 2]
        body = b"".join(b"\0" + chunk[begin : begin + 8] for begin in range(0, len(chunk), 8))
        result += struct.pack("<H", 0xB000 | (len(body) - 1)) + body
    return result
