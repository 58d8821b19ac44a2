"""How files are called where the workers of a cluster see them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class RootMap:
    """Where the workers find what lies below a folder here."""

    here: Path
    there: str

    def __post_init__(self) -> None:
        if not self.there:
            raise ValueError("a folder of the workers is missing")

    @classmethod
    def parse(cls, text: str) -> RootMap:
        """`HERE=THERE`. Raises `ValueError`."""
        here, equals, there = text.partition("=")
        if not (here and equals):
            raise ValueError("it must be HERE=THERE, two folders")
        return cls(Path(here).absolute(), there)


def name_there(file: Path, roots: Sequence[RootMap]) -> str:
    """The name of a file on the workers; the deepest folder that holds it decides."""
    absolute = file.absolute()
    holding = [root for root in roots if absolute.is_relative_to(root.here)]
    if not holding:
        return str(absolute)
    root = max(holding, key=lambda each: len(each.here.parts))
    return str(Path(root.there) / absolute.relative_to(root.here))
