"""What tests of real engines do with them: convert a file, read the words of a PDF."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from engines import sniffing
from engines.assets import assets_dir
from engines.base import Artifact, Engine, ExportOptions, SourceDocument
from tests.engines.cancel_token import Token

SAMPLES = sorted((assets_dir() / "samples").glob("*.*x"))

_WORDS = """
import json, sys, warnings
warnings.simplefilter("ignore")
import pymupdf
pymupdf.TOOLS.mupdf_display_errors(False)
document = pymupdf.open(sys.argv[1])
print(json.dumps([[page.number, *word[:5]] for page in document for word in page.get_text("words")]))
"""


def words(pdf: bytes, folder: Path) -> list[list[Any]]:
    """Page, box and text of each word; read in a process of its own, as everywhere."""
    file = folder / "words.pdf"
    file.write_bytes(pdf)
    told = subprocess.run([sys.executable, "-c", _WORDS, file], capture_output=True, text=True, check=True, timeout=60)
    result: list[list[Any]] = json.loads(told.stdout)
    return result


def convert(engine: Engine, path: Path, options: ExportOptions | None = None, **how: Any) -> Artifact:
    """The PDF of a file, as the service would have it made."""
    data = path.read_bytes()
    found = sniffing.detect(data, path.name)
    document = SourceDocument(sniffing.normalize(data, found), found.type, found.import_options)
    arguments: dict[str, Any] = {"deadline_s": 60.0, "cancel": Token()} | how
    return engine.convert(document, options or ExportOptions(), **arguments)


@contextmanager
def made_by(make: Callable[[], Engine]) -> Iterator[Callable[[], Engine]]:
    """A function that makes engines, which are stopped in the end."""
    with ExitStack() as ends:

        def made() -> Engine:
            engine = make()
            ends.callback(engine.stop)
            return engine

        yield made
