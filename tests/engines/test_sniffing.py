"""The bytes decide what a document is."""

from __future__ import annotations

import pytest

from engines.errors import EngineError, ErrorKind
from engines.formats import by_id
from engines.sniffing import Detection, detect, normalize, notices_of_name
from tests.engines import packages

PDF = b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\n%%EOF\n"
FLAT = (
    '<?xml version="1.0"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
    ' office:mimetype="application/vnd.oasis.opendocument.{kind}"/>'
)
MACRO_SHEET = "application/vnd.ms-excel.sheet.macroEnabled.main+xml"
STRICT_TYPES = packages.TYPES.format(target="word/document.xml", content_type=packages.WORD)


@pytest.mark.parametrize(
    ("data", "name", "type_id"),
    [
        (packages.ooxml(), "a.docx", "docx"),
        (packages.ooxml(packages.EXCEL, "xl/workbook.xml"), "a.xlsx", "xlsx"),
        (packages.ooxml(MACRO_SHEET, "xl/workbook.xml"), "a.xlsm", "xlsm"),
        (
            packages.ooxml("application/vnd.ms-excel.sheet.binary.macroEnabled.main", "xl/workbook.bin"),
            "a.xlsb",
            "xlsb",
        ),
        (packages.odf(), "a.odt", "odt"),
        (packages.odf("application/vnd.oasis.opendocument.graphics-template"), "a.otg", "otg"),
        (packages.compound({"1Table": b"", "WordDocument": packages.word_stream()}), "a.doc", "doc"),
        (packages.compound({"Workbook": packages.workbook_stream()}), "a.xls", "xls"),
        (packages.compound({"PowerPoint Document": b""}), "a.pps", "ppt"),
        (bytes.fromhex("0904 0600 0000 1000"), "a.xls", "xls"),
        (FLAT.format(kind="text").encode(), "a.fodt", "fodt"),
        (FLAT.format(kind="presentation").encode("utf-16"), "a.fodp", "fodp"),
        (b"{\\rtf1 x}", "a.rtf", "rtf"),
        (PDF, "a.pdf", "pdf"),
        (b"mail header\r\n" * 20 + PDF, "a.pdf", "pdf"),
        (b"<html><body>x", "a.htm", "html"),
        (b"no tags at all", "a.html", "html"),
        (b"plain", "README", "txt"),
        (b"# heading", "a.md", "txt"),
        (b"a,b\n1,2\n", "a.csv", "csv"),
        (b"a\tb\n1\t2\n", "a.tsv", "tsv"),
        (b"a sentence about %PDF-1.7 files", "a.txt", "txt"),
        (b"<html> is a tag", "a.txt", "txt"),
    ],
)
def test_what_it_is(data: bytes, name: str, type_id: str) -> None:
    found = detect(data, name)
    assert found.type.id == type_id
    assert notices_of_name(found.type, name) == ()
    assert detect(memoryview(data), name) == found


@pytest.mark.parametrize(
    ("data", "name", "notice"),
    [
        (PDF, "a.docx", "Named .docx, but it is a PDF document."),
        (packages.ooxml(), "a.doc", "Named .doc, but it is a Word document."),
        (packages.odf(), "a.docx", "Named .docx, but it is an OpenDocument text."),
        (b"<html><table><tr><td>1", "a.xls", "Named .xls, but it is an HTML page."),
        (b"a\tb\tc\n1\t2\t3\n", "a.xls", "Named .xls, but it is a CSV table."),
        (
            packages.compound({"Workbook": packages.workbook_stream()}),
            "a.xlsx",
            "Named .xlsx, but it is an Excel 97-2003 workbook.",
        ),
        (
            packages.ooxml(MACRO_SHEET, "xl/workbook.xml"),
            "a.xlsx",
            "Named .xlsx, but it is an Excel workbook with macros.",
        ),
    ],
)
def test_a_false_name_is_noticed(data: bytes, name: str, notice: str) -> None:
    assert notices_of_name(detect(data, name).type, name) == (notice,)


@pytest.mark.parametrize(
    ("data", "name", "kind"),
    [
        (b"", "a.docx", ErrorKind.EMPTY),
        (b"just some words", "a.docx", ErrorKind.CORRUPT),
        (b"just some words", "a.doc", ErrorKind.CORRUPT),
        (b"just some words", "a.xls", ErrorKind.CORRUPT),
        (bytes(range(256)) * 4, "a.docx", ErrorKind.UNSUPPORTED),
        (bytes(range(256)) * 4, "a.txt", ErrorKind.UNSUPPORTED),
        (b"J\xfcrgen geht nach K\xf6ln", "a.unknown", ErrorKind.UNSUPPORTED),
        (b"\x89PNG\r\n\x1a\n....", "a.docx", ErrorKind.UNSUPPORTED),
        (b"RIFF....WEBPVP8 ", "a.docx", ErrorKind.UNSUPPORTED),
        (b"\xff\xd8\xff\xe0", "photo.jpg", ErrorKind.UNSUPPORTED),
        (packages.archive({"word.txt": "x"}), "a.zip", ErrorKind.UNSUPPORTED),
        (packages.archive({}), "a.xlsx", ErrorKind.CORRUPT),
        (packages.archive({"Index/Document.iwa": "x"}), "a.pages", ErrorKind.UNSUPPORTED),
        (packages.odf("application/epub+zip"), "a.epub", ErrorKind.UNSUPPORTED),
        (
            packages.archive({"mimetype": "application/vnd.oasis.opendocument.text", "x": ""}),
            "a.odt",
            ErrorKind.CORRUPT,
        ),
        (
            packages.archive(
                {
                    "[Content_Types].xml": STRICT_TYPES,
                    "_rels/.rels": packages.RELATIONS.format(target="word/document.xml"),
                }
            ),
            "a.docx",
            ErrorKind.CORRUPT,
        ),
        (packages.ooxml()[:-40], "a.docx", ErrorKind.CORRUPT),
        (packages.compound({"VisioDocument": b""}), "a.vsd", ErrorKind.UNSUPPORTED),
        (packages.compound({"other": b""}), "a.doc", ErrorKind.CORRUPT),
        (packages.compound({"WordDocument": b""})[:700], "a.doc", ErrorKind.CORRUPT),
        (
            b'<?xml version="1.0"?><w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml"/>',
            "a.doc",
            ErrorKind.UNSUPPORTED,
        ),
        (b'<svg xmlns="http://www.w3.org/2000/svg"/>', "a.svg", ErrorKind.UNSUPPORTED),
        (FLAT.format(kind="chart").encode(), "a.fodt", ErrorKind.UNSUPPORTED),
    ],
)
def test_what_is_refused(data: bytes, name: str, kind: ErrorKind) -> None:
    with pytest.raises(EngineError) as caught:
        detect(data, name)
    assert caught.value.kind is kind
    assert caught.value.message.endswith(".")


def test_the_message_names_what_a_foreign_file_is() -> None:
    with pytest.raises(EngineError, match="a PNG picture"):
        detect(b"\x89PNG\r\n\x1a\n", "a.docx")
    with pytest.raises(EngineError, match="a Word 2003 XML document"):
        detect(b'<w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml"/>', "a.doc")
    with pytest.raises(EngineError, match=r"Named \.odt, but it is plain text and no OpenDocument text"):
        detect(b"words", "a.odt")


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("Name;Stadt\nJürgen;Köln\n", "59,34,76,1,,0,false,false"),
        ('a,b\n"x,y",2\n', "44,34,76,1,,0,false,false"),
        ("a|b|c\n1|2|3\n", "124,34,76,1,,0,false,false"),
        ("id,when,card\n00123,01/02/2024,5121543818811007506\n", "44,34,76,1,1/2/3/2,0,false,false"),
        ("sep=;\na,b;c,d\n", "59,34,76,2,,0,false,false"),
        ("one column\nonly\n", "44,34,76,1,,0,false,false"),
        ("price;3,50\nprice;4,75\n", "59,34,76,1,,0,false,false"),
        ("1,5;2,5;3,5\n4,5;5,5;6,5\n", "59,34,76,1,,0,false,false"),
        ("0.5,1e3\n0.25,2\n", "44,34,76,1,,0,false,false"),
    ],
)
def test_how_a_table_shall_be_read(text: str, options: str) -> None:
    assert detect(text.encode(), "a.csv").import_options == options


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "utf-32"])
def test_text_reaches_the_engine_as_utf8_with_a_mark(encoding: str) -> None:
    text = "Größe;Übermaß\nfünf;ärgerlich\n"
    data = text.encode(encoding)
    found = detect(data, "a.csv")
    assert found.import_options.startswith("59,")
    assert normalize(data, found) == b"\xef\xbb\xbf" + text.encode()


def test_a_page_no_longer_says_another_encoding() -> None:
    page = '<html><head><meta charset="windows-1252"><title>é</title></head><body>Café à la crème</body></html>'
    data = page.encode("cp1252")
    normalized = bytes(normalize(data, detect(data, "a.html"))).decode("utf-8-sig")
    assert normalized == page.replace("windows-1252", "utf-8")


def test_other_documents_pass_untouched() -> None:
    data = packages.odf()
    assert normalize(data, detect(data, "a.odt")) is data


def test_an_encrypted_wrapper_takes_its_type_from_the_name() -> None:
    data = packages.compound({"EncryptionInfo": b"", "EncryptedPackage": b""})
    assert detect(data, "a.pptx") == Detection(by_id("pptx"), encrypted=True)
    assert detect(data, "a.doc").encrypted
