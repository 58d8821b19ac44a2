"""Page count and text of the real documents, of both engines: `python -m tests.real.compare_engines [FILE ...]`.

Prints a line for each document on which they differ. What is known, with its cause, stands in ENGINE_DIFFERENCES.md;
a slow test holds the list against it.
"""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from engines import screening
from engines.base import Engine, ExportOptions, SourceDocument
from engines.errors import EngineError
from tests.conftest import REPOSITORY
from tests.engines.engine_life import run_with
from tests.fuzz.fuzz_engines import corpus_folder, engines_there

KNOWN = Path(__file__).with_name("ENGINE_DIFFERENCES.md")
_ROW = re.compile(r"^\| `([^`]+)` \| ([^|]*) \|")
_TEXT_LIKE = 0.98
"""Documents whose letters and digits agree in so many of all are counted as equal: numbers of pages, a hyphen."""
_PAGES_MAX = 2000
_DEADLINE_S = 300.0


@dataclass(frozen=True, slots=True)
class Seen:
    """What became of a document: pages, and how often each letter and digit is on them; or the kind of error."""

    pages: int
    letters: Counter[str]
    error: str = ""


@dataclass(frozen=True, slots=True)
class Difference:
    """How two engines differ on a document, in the words of the list: `pages 3, 4`, `text`, `outcome ok, corrupt`."""

    file: str
    what: str
    example: str = ""


def seen(engine: Engine, file: Path) -> Seen:
    """What an engine makes of a file."""
    try:
        screened = screening.examine(file.read_bytes(), file.name)
        if screened.detection.type.id == "pdf":
            return Seen(0, Counter())
        document = SourceDocument(screened.data, screened.detection.type, screened.detection.import_options)
        pdf = run_with(engine, document, ExportOptions(pages_max=_PAGES_MAX), deadline_s=_DEADLINE_S).pdf
    except EngineError as error:
        return Seen(0, Counter(), error.kind.value)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "pages.pdf")
        path.write_bytes(pdf)
        command = [sys.executable, "-m", "tests.real.pdf_contents", "--pages", str(path)]
        told = subprocess.run(command, capture_output=True, check=True, timeout=120, cwd=REPOSITORY).stdout
    ((pages, text),) = json.loads(told).values()
    # Without order and spaces, which are another reading of the same page; and without marks of lists.
    return Seen(pages, Counter(filter(str.isalnum, unicodedata.normalize("NFKC", text))))


def difference(file: str, one: Seen, other: Seen) -> Difference | None:
    """How they differ, if they do."""
    if one.error != other.error:
        return Difference(file, f"outcome {one.error or 'ok'}, {other.error or 'ok'}")
    what = [] if one.pages == other.pages else [f"pages {one.pages}, {other.pages}"]
    alike, lone = (one.letters & other.letters).total(), (one.letters - other.letters, other.letters - one.letters)
    if max(one.letters.total(), other.letters.total()) * _TEXT_LIKE > alike:
        what.append("text")
    example = " | ".join("".join(each.elements())[:50] for each in lone)
    return Difference(file, ", ".join(what), f"{alike} alike; alone: {example}") if what else None


def compare(one: Engine, other: Engine, folder: Path, files: Sequence[str]) -> Iterator[Difference]:
    """The documents on which two engines differ."""
    for file in files:
        found = difference(file, seen(one, folder / file), seen(other, folder / file))
        if found is not None:
            yield found


def files_of(folder: Path) -> list[str]:
    """Documents of the corpus that both engines may be asked for."""
    with (folder / "MANIFEST.tsv").open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [row["file"] for row in rows if row["category"] not in {"password", "hostile"}]


def known() -> dict[str, str]:
    """The differences that are listed: how, by file."""
    rows = map(_ROW.match, KNOWN.read_text(encoding="utf-8").splitlines())
    return {row[1]: row[2].strip() for row in rows if row}


def main() -> int:
    """Print the differences; 1 if one is not listed."""
    folder, engines = corpus_folder(), engines_there("both")
    if folder is None or len(engines) < 2:
        print("both engines and the corpus are needed", file=sys.stderr)
        return 2
    listed, status = known(), 0
    native, wasm = engines
    try:
        for found in compare(native, wasm, folder, sys.argv[1:] or files_of(folder)):
            new = listed.get(found.file) != found.what
            status |= new
            print(f"{'NEW ' if new else ''}{found.file}: {found.what}   {found.example}", flush=True)
    finally:
        for engine in engines:
            engine.stop()
    return status


if __name__ == "__main__":
    sys.exit(main())
