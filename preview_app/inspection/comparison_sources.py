"""What a document is compared with, and baselines: folders that hold an earlier state of documents.

A baseline is either a folder of documents of the same relative names, or one that `BaselineSaver` has filled: there
the PDF of `letters/a.docx` is `letters/a.docx.pdf`. Where both are there, the PDF is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final, Literal, Protocol

from blake3 import blake3

from converter.conversion import Conversion
from preview_app.inspection.findings import Finding, finding
from preview_app.inspection.inspect_one import Seen
from preview_app.outputs import OutputError, write_whole


class _Nothing(Enum):
    NOTHING = "nothing"


NOTHING_TO_COMPARE: Final = _Nothing.NOTHING
"""There is no other state by its nature, and nothing to tell."""


class OtherState(Protocol):
    """Finds the other state of a document."""

    @property
    def name(self) -> str:
        """What a sentence calls it."""

    def find(self, seen: Seen) -> Conversion | Literal[_Nothing.NOTHING] | None:
        """The other state; `None` if it is missing. Raises `ConversionError`, `Cancelled`."""


@dataclass(frozen=True, slots=True)
class OtherEngine:
    """What another engine of the converter makes of the same document. A PDF is the same with each."""

    engine: str

    @property
    def name(self) -> str:
        """See `OtherState`."""
        return f"What the engine {self.engine} makes of it"

    def find(self, seen: Seen) -> Conversion | Literal[_Nothing.NOTHING]:
        """See `OtherState`."""
        if seen.conversion.document_type == "pdf":
            return NOTHING_TO_COMPARE
        return seen.convert(seen.file, self.engine)


@dataclass(frozen=True, slots=True)
class OtherFile:
    """One file, whatever document is compared with it."""

    path: Path

    @property
    def name(self) -> str:
        """See `OtherState`."""
        return "The file to compare with"

    def find(self, seen: Seen) -> Conversion:
        """See `OtherState`."""
        return seen.convert(self.path, None)


@dataclass(frozen=True, slots=True)
class Baseline:
    """A folder; `roots` are the paths that were asked to be inspected, below which names are relative."""

    folder: Path
    roots: Sequence[Path]

    @property
    def name(self) -> str:
        """See `OtherState`."""
        return "The baseline"

    def find(self, seen: Seen) -> Conversion | None:
        """See `OtherState`."""
        place = self.folder / relative_name(seen.file, self.roots)
        for path in (saved_name(place), place):
            if path.is_file():
                return seen.convert(path, None)
        return None


@dataclass(frozen=True, slots=True)
class BaselineSaver:
    """A check that puts the PDF of each document into a baseline."""

    folder: Path
    roots: Sequence[Path]

    def __call__(self, seen: Seen) -> Iterator[Finding]:
        """See `Check`."""
        path = saved_name(self.folder / relative_name(seen.file, self.roots))
        try:
            write_whole(path, seen.conversion.pdf)
        except OutputError as error:
            yield finding("not_saved", f"The document is not in the baseline: {error}")


def relative_name(file: Path, roots: Sequence[Path]) -> Path:
    """The name of a file below the folder that it was found in; its own name where it was named itself."""
    here = file.absolute()
    found = [root for root in map(Path.absolute, roots) if root in here.parents]
    return here.relative_to(min(found, key=lambda root: len(root.parts))) if found else Path(here.name)


def saved_name(place: Path) -> Path:
    """Where the PDF of a document is kept."""
    return place.with_name(f"{place.name}.pdf")


def state_of(folder: Path) -> str:
    """A fingerprint of names, sizes and times: it differs once a baseline has changed."""
    state = blake3()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        about = path.stat()
        state.update(
            f"{path.relative_to(folder)}\0{about.st_size}\0{about.st_mtime_ns}\0".encode(errors="surrogateescape")
        )
    return state.hexdigest(16)
