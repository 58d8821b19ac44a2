"""The documents that are damaged: real ones of the corpus, the samples, and some made here, so that no format lacks."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from engines.assets import assets_dir
from tests.engines import packages
from tests.fuzz.mutation import Original
from tests.preview_app.raster.pdfs import PdfPage, make_pdf
from tests.real import hostile_documents, hostile_ooxml
from tests.real.hostile_documents import Canaries

_LEFT_OUT = {"hostile", "password"}
"""Parts of the corpus: what takes as long as it may from the beginning, and what is never read."""
_RTF = rb"{\rtf1\ansi{\fonttbl{\f0 Arial;}}\pard\trowd\cellx2000\cellx4000 a\cell b\cell\row\pard{\b bold}\par}"


def originals(corpus: Path | None, bytes_max: int = 300_000) -> list[Original]:
    """All of them, in the same order everywhere; documents above `bytes_max` would make few runs of it."""
    found = [*_samples(), *_made(), *(_of_corpus(corpus) if corpus else ())]
    return sorted((each for each in found if 0 < len(each.data) <= bytes_max), key=lambda each: each.name)


def _samples() -> Iterator[Original]:
    for folder in ("samples", "warmup"):
        for path in sorted((assets_dir() / folder).glob("*.*x")):
            yield Original(f"{folder}/{path.name}", path.read_bytes())


def _of_corpus(corpus: Path) -> Iterator[Original]:
    with (corpus / "MANIFEST.tsv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["category"] not in _LEFT_OUT:
                yield Original(f"corpus/{row['file']}", (corpus / row["file"]).read_bytes())


def _made() -> Iterator[Original]:
    at = Canaries.below("http://127.0.0.1:9")
    for name, data in {**hostile_documents.documents(at), **hostile_ooxml.documents(at)}.items():
        yield Original(f"hostile/{name}", data)
    plain = {
        "table.rtf": _RTF,
        "table.csv": 'Größe;Straße\n007;Allee\n=1+1;"a\nb"\n'.encode() * 20,
        "table.tsv": b"a\tb\n1\t2\n" * 20,
        "lines.txt": "All work and no play makes Jack a dull boy. – 東京 \u0627\u0644\n".encode() * 20,
        "table.html": b"<html><body><h1>a</h1><table border=1><tr><td colspan=2>b</table><p style='color:red'>c",
        "pages.pdf": make_pdf([PdfPage().text(10, 20, "words"), PdfPage()]),
        "stream.doc": packages.compound({"WordDocument": packages.word_stream()}),
        "stream.xls": packages.compound({"Workbook": packages.workbook_stream()}),
    }
    yield from (Original(f"made/{name}", data) for name, data in plain.items())
