"""Large documents to measure engines with, made from the samples: the same bytes of content each time.

A text of several hundred pages (plain, and with styles), a deck of slides, a text with a photograph on each page, and a
workbook. Only the standard library makes them.
"""

from __future__ import annotations

import random
import re
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from engines.assets import assets_dir
from preview_app.benchmark_pictures import photograph
from preview_app.benchmark_rounds import documents_in

_VOCABULARY = (
    "a about after all also an and another any as at away back be because been before between book but by came can "
    "change could country day did different do down each earth end even every eyes father few find first following "
    "food for found from garden get give go good great had hand have head help here high home house how idea if "
    "important in into it its just keep kind know land large last leave left letter life light line little live long "
    "looked made many mean might more most mother mountain move much must name near never new next night no not now "
    "number of often old on once one only open or other our out over own page paper part people picture place plant "
    "point read right river same saw school sea second seen sentence set several should side since small so some "
    "something sometimes soon sound still story study such take tell than that the their them then there these they "
    "thing think this those thought three through time to together too took tree turn two under until up us very "
    "walked want watch water way well went were what when where which while white who why will with without word work "
    "world would write year young"
)
_WORDS = _VOCABULARY.split()
_PARAGRAPHS_A_HEADING = 12
_COLUMNS = "ABCDEFGH"
_PHOTOGRAPH = (1200, 560)
"""Width and height in pixels."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large they are: lines of the plain text, paragraphs, slides, pictures (a page each), rows of each sheet."""

    lines: int = 18_000
    paragraphs: int = 1_500
    slides: int = 40
    pictures: int = 30
    sheets: int = 4
    rows: int = 800


class _Prose:
    """Sentences that are the same in every run."""

    def __init__(self) -> None:
        self._random = random.Random(1911)  # noqa: S311 - no secret

    def sentence(self, words: int = 0) -> str:
        count = words or self._random.randint(6, 18)
        return " ".join(self._random.choices(_WORDS, k=count)).capitalize() + "."

    def paragraph(self) -> str:
        return " ".join(self.sentence() for _ in range(self._random.randint(4, 9)))


@contextmanager
def chosen_or_made(files: Sequence[Path], *folders: str) -> Iterator[list[Path]]:
    """The documents in `files`; without any, those in `folders` of our assets, and large ones made for the run."""
    if files:
        yield documents_in(files)
        return
    ours = [path for folder in folders for path in (assets_dir() / folder).iterdir() if path.suffix != ".md"]
    with tempfile.TemporaryDirectory(prefix="docpeek-benchmark-") as made:
        yield [*sorted(ours), *make(Path(made))]


def make(folder: Path, sizes: Sizes | None = None) -> list[Path]:
    """Write all of them into `folder`; gives their paths."""
    sizes = sizes or Sizes()
    makers: dict[str, Callable[[Path, Sizes], None]] = {
        "long-text.txt": _plain_text,
        "long-text.docx": _text,
        "deck.pptx": _deck,
        "photographs.docx": _photographs,
        "workbook.xlsx": _workbook,
    }
    for name, maker in makers.items():
        maker(folder / name, sizes)
    return [folder / name for name in makers]


def _plain_text(path: Path, sizes: Sizes) -> None:
    prose = _Prose()
    path.write_text("\n".join(prose.sentence(12) for _ in range(sizes.lines)), encoding="utf-8")


def _text(path: Path, sizes: Sizes) -> None:
    prose = _Prose()
    body = []
    for number in range(sizes.paragraphs):
        if number % _PARAGRAPHS_A_HEADING == 0:
            body.append(_paragraph(prose.sentence(5), "Heading1"))
        body.append(_paragraph(prose.paragraph(), "ListBullet" if number % 7 == 3 else "Normal"))
    _write_document(path, "".join(body))


def _photographs(path: Path, sizes: Sizes) -> None:
    """A photograph on each page, each with other bytes, so that none is met twice."""
    prose = _Prose()
    original = _sample_parts("welcome.docx")
    drawing = _between(original["word/document.xml"].decode(), "<w:drawing>", "</w:drawing>")
    parts, relations, body = dict[str, bytes](), [], []
    for number in range(sizes.pictures):
        parts[f"word/media/photograph{number}.jpg"] = photograph(*_PHOTOGRAPH, number)
        relations.append(_relation(f"photograph{number}", "image", f"media/photograph{number}.jpg"))
        shown = drawing.replace('r:embed="rId9"', f'r:embed="photograph{number}"')
        body += [_paragraph(prose.paragraph(), "Normal"), f"<w:p><w:r>{shown}</w:r></w:p>"]
        body += [_paragraph(prose.paragraph(), "Normal"), '<w:p><w:r><w:br w:type="page"/></w:r></w:p>']
    _write_document(path, "".join(body), parts, "".join(relations))


def _deck(path: Path, sizes: Sizes) -> None:
    """The second slide of the sample, a title above a list, with other words again and again."""
    prose = _Prose()
    parts = _sample_parts("slides.pptx")
    slide = parts["ppt/slides/slide2.xml"].decode()
    relations = parts["ppt/slides/_rels/slide2.xml.rels"]
    added, listed, typed = [], [], []
    for number in range(4, sizes.slides + 1):
        parts[f"ppt/slides/slide{number}.xml"] = _reworded(slide, prose).encode()
        parts[f"ppt/slides/_rels/slide{number}.xml.rels"] = relations
        added.append(_relation(f"slide{number}", "slide", f"slides/slide{number}.xml"))
        listed.append(f'<p:sldId id="{300 + number}" r:id="slide{number}"/>')
        typed.append(
            f'<Override PartName="/ppt/slides/slide{number}.xml" ContentType="application/vnd.openxmlformats-'
            'officedocument.presentationml.slide+xml"/>'
        )
    _append(parts, "ppt/_rels/presentation.xml.rels", "</Relationships>", "".join(added))
    _append(parts, "ppt/presentation.xml", "</p:sldIdLst>", "".join(listed))
    _append(parts, "[Content_Types].xml", "</Types>", "".join(typed))
    _write_package(path, parts)


def _reworded(slide: str, prose: _Prose) -> str:
    start, end = slide.rindex("<a:lstStyle/>") + len("<a:lstStyle/>"), slide.rindex("</p:txBody>")
    points = "".join(f"<a:p><a:r><a:t>{prose.sentence(9)}</a:t></a:r></a:p>" for _ in range(6))
    title = re.sub(r"<a:t>.*?</a:t>", f"<a:t>{prose.sentence(5)}</a:t>", slide[:start], count=1)
    return title + points + slide[end:]


def _workbook(path: Path, sizes: Sizes) -> None:
    """Sheets of texts, numbers and formulas, in the styles of the sample."""
    prose = _Prose()
    parts = _sample_parts("garden.xlsx")
    relations, listed, typed = [], [], []
    for number in range(3, sizes.sheets + 3):
        parts[f"xl/worksheets/sheet{number}.xml"] = _sheet(prose, sizes.rows).encode()
        relations.append(_relation(f"sheet{number}", "worksheet", f"worksheets/sheet{number}.xml"))
        listed.append(
            '<sheet xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
            f' name="Sheet {number}" sheetId="{number}" r:id="sheet{number}"/>'
        )
        typed.append(
            f'<Override PartName="/xl/worksheets/sheet{number}.xml" ContentType="application/vnd.openxmlformats-'
            'officedocument.spreadsheetml.worksheet+xml"/>'
        )
    _append(parts, "xl/_rels/workbook.xml.rels", "</Relationships>", "".join(relations))
    _append(parts, "xl/workbook.xml", "</sheets>", "".join(listed))
    _append(parts, "[Content_Types].xml", "</Types>", "".join(typed))
    _write_package(path, parts)


def _sheet(prose: _Prose, rows: int) -> str:
    lines = "".join(_line(number, prose) for number in range(1, rows + 1))
    return (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        f"<sheetData>{lines}</sheetData></worksheet>"
    )


def _line(row: int, prose: _Prose) -> str:
    words = f'<c r="A{row}" t="inlineStr"><is><t>{prose.sentence(3)}</t></is></c>'
    numbers = "".join(f'<c r="{column}{row}" s="2"><v>{row * 7 % 101}.5</v></c>' for column in _COLUMNS[1:-1])
    total = f'<c r="{_COLUMNS[-1]}{row}" s="3"><f>SUM(B{row}:{_COLUMNS[-2]}{row})</f></c>'
    return f'<row r="{row}">{words}{numbers}{total}</row>'


def _paragraph(text: str, style: str) -> str:
    return f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>'


def _write_document(path: Path, body: str, added: Mapping[str, bytes] | None = None, relations: str = "") -> None:
    """The Word sample with another body."""
    parts = _sample_parts("welcome.docx") | dict(added or {})
    document = parts["word/document.xml"].decode()
    head = document[: document.index("<w:body>") + len("<w:body>")]
    parts["word/document.xml"] = (head + body + document[document.index("<w:sectPr") :]).encode()
    _append(parts, "word/_rels/document.xml.rels", "</Relationships>", relations)
    _write_package(path, parts)


def _sample_parts(name: str) -> dict[str, bytes]:
    with zipfile.ZipFile(assets_dir() / "samples" / name) as package:
        return {entry: package.read(entry) for entry in package.namelist()}


def _relation(identity: str, kind: str, target: str) -> str:
    schema = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    return f'<Relationship Id="{identity}" Type="{schema}/{kind}" Target="{target}"/>'


def _append(parts: dict[str, bytes], name: str, before: str, text: str) -> None:
    parts[name] = parts[name].replace(before.encode(), (text + before).encode())


def _between(text: str, start: str, end: str) -> str:
    return text[text.index(start) : text.index(end) + len(end)]


def _write_package(path: Path, parts: Mapping[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in parts.items():
            package.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
