"""The wish to compare, which needs a package that an installation may be without."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from preview_app.inspection.comparison_sources import (
    Baseline,
    BaselineSaver,
    OtherEngine,
    OtherFile,
    OtherState,
    state_of,
)
from preview_app.inspection.inspect_one import Check
from preview_app.inspection.pictures import PictureStore
from preview_app.outputs import OutputError

OTHER_ENGINE: Final = "wasm"
"""What the installed LibreOffice is compared with."""


@dataclass(frozen=True, slots=True)
class ComparisonPlan:
    """Checks, and the settings of the run that they add."""

    checks: Sequence[Check]
    settings: dict[str, str | int | float | bool | None]


@dataclass(frozen=True, slots=True)
class ComparisonWish:
    """With what documents are compared: another engine, a baseline, one file; and where to save a baseline.
    `tolerance` is the percentage of pixels of a page that may differ."""

    engines: bool = False
    baseline: Path | None = None
    save: Path | None = None
    file: Path | None = None
    tolerance: float = 0.03

    def prepare(self, roots: Sequence[Path], store: PictureStore | None) -> ComparisonPlan:
        """What is needed. Raises `OutputError`."""
        self._check_folders()
        checks: list[Check] = [self._comparer(other, store) for other in self._others(roots)]
        if self.save is not None:
            checks.append(BaselineSaver(self.save, roots))
        return ComparisonPlan(checks, self._settings())

    @property
    def apart(self) -> bool:
        """Whether files with equal bytes are looked at one by one, since what they are compared with differs."""
        return bool(self.baseline or self.save)

    def _others(self, roots: Sequence[Path]) -> Iterator[OtherState]:
        if self.engines:
            yield OtherEngine(OTHER_ENGINE)
        if self.baseline is not None:
            yield Baseline(self.baseline, roots)
        if self.file is not None:
            yield OtherFile(self.file)

    def _comparer(self, other: OtherState, store: PictureStore | None) -> Check:
        try:
            from preview_app.inspection.comparison import Comparer, Tolerance  # noqa: PLC0415 - of an extra
        except ModuleNotFoundError as error:
            raise OutputError(
                f"A comparison needs the package {error.name}, which is not installed: install docpeek with its extra "
                "`inspect` (pip install 'docpeek[inspect]')."
            ) from error
        return Comparer(other, Tolerance(self.tolerance / 100), store)

    def _check_folders(self) -> None:
        if self.baseline is not None and not self.baseline.is_dir():
            raise OutputError(f"Cannot compare: there is no folder {self.baseline}.")
        if self.save is None:
            return
        if self.baseline is not None and self.save.resolve() == self.baseline.resolve():
            raise OutputError("Cannot save the baseline into the one that is compared with.")
        if self.save.exists() and not self.save.is_dir():
            raise OutputError(f"Cannot save the baseline: {self.save} is no folder.")

    def _settings(self) -> dict[str, str | int | float | bool | None]:
        told: dict[str, str | int | float | bool | None] = {}
        if self.engines:
            told["compared_with_engine"] = OTHER_ENGINE
        if self.baseline is not None:
            told |= {"baseline": str(self.baseline), "baseline_state": state_of(self.baseline)}
        if self.save is not None:
            told["saved_baseline"] = str(self.save)
        if self.file is not None:
            told["compared_with_file"] = str(self.file)
        return told | ({"tolerance_percent": self.tolerance} if told else {})
