"""Plain text in its four kinds (txt, csv, tsv, html): which one, its encoding, and how LibreOffice shall read it."""

from __future__ import annotations

import codecs
import csv
import itertools
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from engines.formats import by_suffix
from engines.textencoding import SAMPLE_BYTES, detect_encoding

_PLAIN_SUFFIXES = {"txt": "txt", "text": "txt", "log": "txt", "csv": "csv", "tsv": "tsv", "tab": "tsv"}
_HTML_SUFFIXES = ("html", "htm", "xhtml")
# Each alternative below excludes its own delimiters, so that no input makes the search slow.
_HTML_BEGIN = re.compile(
    r"(?:<\?xml[^<>]*>\s*)?(?:<!--(?:(?!-->).){0,2000}-->\s*)*"
    r"<(?:!doctype\s+html|html|head|body|table|meta|title|div|h1|p)\b",
    re.IGNORECASE | re.DOTALL,
)
_HTML_CHARSET = re.compile(
    r"(<meta\b[^<>]*?\bcharset\s*=\s*[\"']?|<\?xml\b[^<>]*?\bencoding\s*=\s*[\"'])[\w.:-]+", re.IGNORECASE
)
_HTML_CHARSET_WITHIN = 16_384
_SEPARATORS = "\t;,|"  # the first of equals wins
_COMMA_BETWEEN_FIELDS = re.compile(r"(?<!\d),|,(?!\d)")
_RECORDS_SAMPLED = 200
_COLUMNS_MAX = 16_384
_UTF8_CHARSET = 76  # LibreOffice's number of it
_VERBATIM = re.compile(r"0\d+|[+-]?\d{16,}")
"""A number that would not come back as written: leading zeros, or more digits than a double holds."""
_VERBATIM_ANYWHERE = re.compile(r"(?<![\w.,])(?:0\d+|\d{16,})")
_VERBATIM_CHARS_MAX = 4 << 20
_STANDARD_COLUMN, _TEXT_COLUMN = 1, 2


@dataclass(frozen=True, slots=True)
class PlainText:
    """`type_id` is one of `txt`, `csv`, `tsv`, `html`; `encoding` a codec of Python."""

    type_id: str
    encoding: str
    import_options: str = ""


def inspect(data: memoryview, suffix: str) -> PlainText | None:
    """Tell the kind of a text; `None` if it is no text, or none that its suffix allows."""
    known = suffix in _PLAIN_SUFFIXES or suffix in _HTML_SUFFIXES
    encoding = detect_encoding(data, legacy=known or suffix in {"xls", "doc"})
    if encoding is None:
        return None
    head = _head(data, encoding)
    is_html = _HTML_BEGIN.match(head.removeprefix("\ufeff").lstrip()) is not None
    if suffix in _HTML_SUFFIXES or (is_html and suffix not in {"txt", "text", "log"}):
        return PlainText("html", encoding)
    if not known and by_suffix(suffix) is not None:  # a binary format: Excel alone has always opened tables as .xls
        return _as_table(data, encoding, "csv") if suffix == "xls" and _separator(head)[1] > 1 else None
    type_id = _PLAIN_SUFFIXES.get(suffix, "txt")
    return PlainText("txt", encoding) if type_id == "txt" else _as_table(data, encoding, type_id)


def is_text(data: memoryview) -> bool:
    """Whether these bytes are text of any encoding."""
    return detect_encoding(data) is not None


def to_utf8(data: bytes | memoryview, encoding: str, type_id: str) -> bytes | memoryview:
    """The text as UTF-8 with a byte order mark; a page's own word about its encoding is corrected."""
    if encoding == "utf-8-sig" and type_id != "html":
        return data
    if encoding == "utf-8" and type_id != "html":
        return codecs.BOM_UTF8 + data  # it was decoded to be told, so it is valid, and it has no mark
    text = str(data, encoding).removeprefix("\ufeff")
    if type_id == "html":
        head = _HTML_CHARSET.sub(r"\g<1>utf-8", text[:_HTML_CHARSET_WITHIN])
        text = head + text[_HTML_CHARSET_WITHIN:]
    return codecs.BOM_UTF8 + text.encode("utf-8", "replace")


def _head(data: memoryview, encoding: str) -> str:
    return codecs.getincrementaldecoder(encoding)("replace").decode(bytes(data[:SAMPLE_BYTES]), final=False)


def _as_table(data: memoryview, encoding: str, type_id: str) -> PlainText:
    head = _head(data, encoding).removeprefix("\ufeff")
    if declared := re.match(r"sep=(.)\r?\n", head, re.IGNORECASE):  # Excel's own way to say it
        separator, first_line = declared[1], 2
    else:
        separator, first_line = "\t" if type_id == "tsv" and "\t" in head else _separator(head)[0], 1
    columns = _verbatim_columns(str(data, encoding)[:_VERBATIM_CHARS_MAX], separator)
    return PlainText(type_id, encoding, _csv_options(separator, first_line, columns))


def _csv_options(separator: str, first_line: int, verbatim_columns: set[int]) -> str:
    """Tokens of LibreOffice's CSV filter: separator, quote, encoding, first line, column formats (from 1), language,
    quoted fields as text, detect special numbers (dates and the like: no, they stay as written).
    """
    formats = "/".join(f"{column + 1}/{_TEXT_COLUMN}" for column in sorted(verbatim_columns))
    return f"{ord(separator)},34,{_UTF8_CHARSET},{first_line},{formats},0,false,false"


def _separator(head: str) -> tuple[str, int]:
    """The separator that cuts the first records most evenly, and into how many columns it cuts them."""
    complete = head[: head.rfind("\n") + 1] or head
    columns = {each: _even_columns(complete, each) for each in _SEPARATORS}
    if columns[";"] > 1 and not _COMMA_BETWEEN_FIELDS.search(complete):
        columns[","] = 1  # decimal commas
    best = max(columns.values())
    if best == 1:
        return ",", 1
    return next((each, best) for each in _SEPARATORS if columns[each] == best)


def _even_columns(text: str, separator: str) -> int:
    """Into how many columns most records are cut; 1 if they do not agree."""
    counts = Counter(len(record) for record in _records(text, separator, _RECORDS_SAMPLED) if record)
    columns, records = max(counts.items(), key=lambda item: item[1], default=(1, 0))
    return columns if records * 2 > counts.total() else 1


def _records(text: str, separator: str, records_max: int) -> Iterator[list[str]]:
    try:
        yield from itertools.islice(csv.reader(text.splitlines(keepends=True), delimiter=separator), records_max)
    except csv.Error:  # a field of more than 128 KiB
        return


def _verbatim_columns(text: str, separator: str) -> set[int]:
    """The columns with a number that must be read as text, counted from 0."""
    if _VERBATIM_ANYWHERE.search(text) is None:
        return set()
    columns: set[int] = set()
    for record in _records(text, separator, _VERBATIM_CHARS_MAX):
        for column, field in enumerate(record[:_COLUMNS_MAX]):
            if column not in columns and _VERBATIM.fullmatch(field.strip()):
                columns.add(column)
    return columns
