"""What is stopped before an engine is spent."""

from __future__ import annotations

import struct
import zipfile

import pytest

from engines.archive import Archive, ArchiveLimits
from engines.errors import EngineError, ErrorKind
from engines.screening import Screened, ScreeningLimits, examine
from tests.engines import packages

MANIFEST = (
    '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
    '<manifest:file-entry manifest:full-path="content.xml">{}</manifest:file-entry></manifest:manifest>'
)
ENTITY = '<!DOCTYPE x [<!ENTITY a "aaaa">]>'


def outcome(data: bytes, name: str, limits: ScreeningLimits | None = None) -> ErrorKind | Screened:
    try:
        return examine(data, name, limits)
    except EngineError as error:
        return error.kind


def test_a_harmless_document_passes() -> None:
    data = packages.ooxml()
    screened = examine(data, "a.docx")
    assert screened.data is data
    assert screened.detection.type.id == "docx"
    assert not screened.macros


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (packages.ooxml(parts={"word/vbaProject.bin": b"x"}), "a.docx"),
        (packages.odf(parts={"Basic/script-lc.xml": "<a/>"}), "a.odt"),
        (packages.compound({"WordDocument": packages.word_stream(), "Macros": b""}), "a.doc"),
    ],
)
def test_macros_are_told(data: bytes, name: str) -> None:
    assert examine(data, name).macros


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (packages.compound({"WordDocument": packages.word_stream(encrypted=True)}), "a.doc"),
        (packages.compound({"Workbook": packages.workbook_stream(encrypted=True)}), "a.xls"),
        (
            packages.compound(
                {"PowerPoint Document": b"", "Current User": struct.pack("<2HIII", 0, 0xFF6, 20, 20, 0xF3D1C4DF)}
            ),
            "a.ppt",
        ),
        (packages.compound({"EncryptionInfo": b"", "EncryptedPackage": b""}), "a.docx"),
        (packages.odf(parts={"META-INF/manifest.xml": MANIFEST.format("<manifest:encryption-data/>")}), "a.odt"),
    ],
)
def test_passwords_are_needed(data: bytes, name: str) -> None:
    assert outcome(data, name) is ErrorKind.ENCRYPTED


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (packages.compound({"WordDocument": packages.word_stream()}), "a.doc"),
        (packages.compound({"Workbook": packages.workbook_stream()}), "a.xls"),
        (packages.odf(parts={"META-INF/manifest.xml": MANIFEST.format("")}), "a.odt"),
        (packages.ooxml(parts={"word/settings.xml": "<s><documentProtection enforcement='1'/></s>"}), "a.docx"),
    ],
)
def test_no_password_is_asked_for_nothing(data: bytes, name: str) -> None:
    assert isinstance(outcome(data, name), Screened)


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (packages.ooxml(parts={"word/x.xml": ENTITY + "<x>&a;</x>"}), "a.docx"),
        (packages.ooxml(parts={"word/x.xml": (ENTITY + "<x>&a;</x>").encode("utf-16")}), "a.docx"),
        (packages.ooxml(parts={"word/x.xml": "<!--" + " " * 5000 + "-->" + ENTITY + "<x/>"}), "a.docx"),
        (packages.ooxml(parts={"word/x.xml": " " * 1500 + ENTITY + "<x/>"}), "a.docx"),
        (packages.ooxml(parts={"word/x.xml": '<!DOCTYPE x SYSTEM "file:///etc/passwd"><x/>'}), "a.docx"),
        (packages.ooxml(parts={"word/x.xml": "</x>"}), "a.docx"),
        (packages.ooxml(parts={"word/x.xml": "words"}), "a.docx"),
        (packages.ooxml(parts={"word/x.xml": "<!--" + " " * 100_000}), "a.docx"),
        (packages.odf(parts={"styles.xml": ENTITY + "<x/>"}), "a.odt"),
        (packages.odf(parts={"styles.xml": "no markup"}), "a.odt"),
    ],
)
def test_damage_and_entities(data: bytes, name: str) -> None:
    assert outcome(data, name) is ErrorKind.CORRUPT


def test_a_document_type_alone_is_fine_in_opendocument() -> None:
    old = '<!DOCTYPE office:document-content PUBLIC "-//OpenOffice.org//DTD OfficeDocument 1.0//EN" "office.dtd"><x/>'
    assert isinstance(outcome(packages.odf(parts={"settings.xml": old}), "a.odt"), Screened)


def test_entities_in_flat_documents() -> None:
    flat = (
        ENTITY
        + '<o:document xmlns:o="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
        + ' o:mimetype="application/vnd.oasis.opendocument.text"/>'
    )
    assert outcome(flat.encode(), "a.fodt") in {ErrorKind.CORRUPT, ErrorKind.UNSUPPORTED}


def small(**limits: int) -> ScreeningLimits:
    return ScreeningLimits(ArchiveLimits(**limits))


def test_too_many_entries() -> None:
    data = packages.ooxml(parts={f"x/{number}": b"" for number in range(20)})
    assert outcome(data, "a.docx", small(entries_max=22)) is ErrorKind.LIMIT
    assert isinstance(outcome(data, "a.docx", small(entries_max=23)), Screened)


def test_too_large_and_too_dense() -> None:
    data = packages.ooxml(parts={"word/media/x.bmp": bytes(1 << 20)})
    assert outcome(data, "a.docx", small(inflated_bytes_max=1 << 20)) is ErrorKind.LIMIT
    assert outcome(data, "a.docx", small(ratio_exempt_bytes=1 << 19)) is ErrorKind.LIMIT
    assert isinstance(outcome(data, "a.docx"), Screened)


def test_a_real_bomb_under_the_standard_limits() -> None:
    data = packages.ooxml(parts={"word/media/x.bmp": bytes(32 << 20)})
    assert outcome(data, "a.docx") is ErrorKind.LIMIT


def _central(data: bytes, name: bytes) -> int:
    """Where the directory entry of a part begins."""
    return data.rindex(name) - 46


def _patched(data: bytes, position: int, value: int) -> bytes:
    return data[:position] + struct.pack("<I", value) + data[position + 4 :]


def test_entries_that_overlap() -> None:
    data = packages.ooxml(parts={"a.png": b"1" * 50, "b.png": b"2" * 50})
    first = struct.unpack_from("<I", data, _central(data, b"a.png") + 42)[0]
    assert outcome(_patched(data, _central(data, b"b.png") + 42, first), "a.docx") is ErrorKind.LIMIT


def test_sizes_that_lie() -> None:
    data = packages.archive({"mimetype": "x", "media": b"1" * 5000}, zipfile.ZIP_STORED)
    with pytest.raises(EngineError, match="two sizes"):
        Archive.open(memoryview(_patched(data, _central(data, b"media") + 24, 10)))
    packed = packages.archive({"part": bytes(range(256)) * 100})
    with pytest.raises(EngineError, match="cannot be true"):
        Archive.open(memoryview(_patched(packed, _central(packed, b"part") + 20, 20_000_000)[:]))
    short = Archive.open(memoryview(_patched(packed, _central(packed, b"part") + 24, 25_000)))
    with pytest.raises(EngineError, match="damaged"):
        short.read("part", 1 << 20)


def test_reads_are_bounded() -> None:
    package = Archive.open(memoryview(packages.archive({"part": bytes(100_000)})))
    assert package.head("part", 10) == bytes(10)
    with pytest.raises(EngineError, match="too large"):
        package.read("part", 99_999)
    assert package.read("part", 100_000) == bytes(100_000)
    with pytest.raises(EngineError, match="no part"):
        package.head("other", 1)


@pytest.mark.parametrize("name", ["../x", "a/../../x", "..\\x", "a\0b"])
def test_names_that_lead_elsewhere(name: str) -> None:
    data = packages.archive({"Q" * len(name): "x"}).replace(b"Q" * len(name), name.encode())
    with pytest.raises(EngineError, match="forbidden name"):
        Archive.open(memoryview(data))


def test_a_password_on_the_archive() -> None:
    data = packages.archive({"part": "x"})
    position = _central(data, b"part") + 8
    with pytest.raises(EngineError, match="password"):
        Archive.open(memoryview(data[:position] + b"\1\0" + data[position + 2 :]))


def test_bytes_before_the_archive_do_not_matter() -> None:
    package = Archive.open(memoryview(b"#!/bin/sh\n" + packages.archive({"part": "words"})))
    assert package.read("part", 10) == b"words"


def test_zip64_is_read() -> None:
    data = packages.archive({"part": "words"}, zipfile.ZIP_STORED)
    end = data.rindex(b"PK\5\6")
    _, _, _, _, count, size, offset, _ = struct.unpack_from("<4s4H2IH", data, end)
    end64 = struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, size, offset)
    locator = struct.pack("<4sIQI", b"PK\6\7", 0, end, 1)
    saturated = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    package = Archive.open(memoryview(data[:end] + end64 + locator + saturated))
    assert package.read("part", 10) == b"words"
    with pytest.raises(EngineError):
        Archive.open(memoryview(data[:end] + locator + saturated))


def test_long_strings_in_many_cells() -> None:
    parts: dict[str, bytes | str] = {
        "xl/sharedStrings.xml": "<sst><si><t>" + "x" * 200_000 + "</t></si></sst>",
        "xl/worksheets/sheet1.xml": "<worksheet>" + '<c r="A1" t="s"><v>0</v></c>' * 20_000 + "</worksheet>",
    }
    assert outcome(packages.ooxml(packages.EXCEL, "xl/workbook.xml", parts), "a.xlsx") is ErrorKind.LIMIT
    parts["xl/sharedStrings.xml"] = "<sst>" + "<si><t>short</t></si>" * 20_000 + "</sst>"
    assert isinstance(outcome(packages.ooxml(packages.EXCEL, "xl/workbook.xml", parts), "a.xlsx"), Screened)
