"""Which documents only a baseline has, and which only the folder: what comparing one file after another cannot tell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from converter.errors import Outcome
from engines.formats import by_suffix
from preview_app.inspection.comparison_sources import relative_name, saved_name
from preview_app.inspection.findings import finding
from preview_app.inspection.paths import Selection, files_of
from preview_app.inspection.records import FileInspection

_EVERYTHING = ("*",)
NEW = "not_in_baseline"


@dataclass(frozen=True, slots=True)
class BaselineNames:
    """The names in a baseline, as `selection` would take them of the folders among `roots`; see `Baseline`."""

    folder: Path
    roots: Sequence[Path]
    selection: Selection

    def removed(self, files: Iterable[Path]) -> list[FileInspection]:
        """Records of documents that the baseline has and that are not among the files, by name.

        None where no folder was asked for: who names files does not mean the others.
        """
        folders = [root for root in self.roots if root.is_dir()]
        if not folders:
            return []
        here = {relative_name(file, self.roots) for file in files}
        return [_record(folders[0] / name, place) for name, place in sorted(self._names(here).items())]

    def told(self, records: Iterable[FileInspection]) -> Iterator[FileInspection]:
        """The records; those of documents that could not be shown tell as well that they are new."""
        for record in records:
            known = any(found.id == NEW for found in record.findings)
            if record.outcome == Outcome.OK.value or known or self._has(Path(record.file)):
                yield record
            else:
                new = finding(NEW, "The baseline has no such document.")
                yield replace(record, findings=(*record.findings, new))

    def _has(self, file: Path) -> bool:
        place = self.folder / relative_name(file, self.roots)
        return place.is_file() or saved_name(place).is_file()

    def _names(self, here: set[Path]) -> dict[Path, Path]:
        """Names that are not here, and where the baseline has them."""
        names: dict[Path, Path] = {}
        for place in files_of([self.folder], Selection(self.selection.recursive, _EVERYTHING)):
            name = place.relative_to(self.folder)
            document = _document(name)
            if not here & {name, document} and self.selection.takes(self.folder / document, self.folder):
                names.setdefault(document, place)
        return names


def _document(name: Path) -> Path:
    """The document of which this is the PDF, if it is a saved one; else the name itself."""
    inner = name.with_suffix("")
    return inner if name.suffix == ".pdf" and by_suffix(inner.suffix) is not None else name


def _record(file: Path, place: Path) -> FileInspection:
    found = finding("only_in_baseline", f"The document is in the baseline ({place}), and here no more.")
    return FileInspection(
        str(file), Outcome.NOT_FOUND.value, "The document is in the baseline only.", findings=(found,)
    )
