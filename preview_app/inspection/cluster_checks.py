"""What the workers of a cluster do with a file beside inspecting it: pictures, comparisons, baselines.

An order of values goes out, and each worker makes its own checks of it. The folders of baselines are those of a file
system that all share; that it is the same one is checked, not assumed. Nothing of Dask's is needed here.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from blake3 import blake3

from preview_app.inspection.cluster_paths import RootMap, name_there
from preview_app.inspection.comparison_wish import ComparisonWish
from preview_app.inspection.html_wish import picture_taker
from preview_app.inspection.inspect_one import Check
from preview_app.inspection.pictures import PictureStore
from preview_app.outputs import OutputError


@dataclass(frozen=True, slots=True)
class CheckOrder:
    """Which checks. Paths are the workers' own; `baseline_listing` is what the baseline holds here, `save_mark` the
    name of a file that lies in the folder to save into as long as the run lasts."""

    pictures: bool = False
    engines: bool = False
    tolerance: float = 0.0
    roots: tuple[str, ...] = ()
    baseline: str = ""
    baseline_listing: str = ""
    save: str = ""
    save_mark: str = ""


@contextmanager
def ordered(
    wish: ComparisonWish, paths: Sequence[Path], maps: Sequence[RootMap], *, pictures: bool
) -> Iterator[CheckOrder]:
    """The order for a run over `paths`, valid inside the block. Raises `OutputError`."""
    order = CheckOrder(pictures, wish.engines, wish.tolerance, tuple(name_there(path, maps) for path in paths))
    if wish.baseline is not None:
        order = replace(order, baseline=name_there(wish.baseline, maps), baseline_listing=listing_of(wish.baseline))
    if wish.save is None:
        yield order
        return
    with _marked(wish.save) as mark:
        yield replace(order, save=name_there(wish.save, maps), save_mark=mark)


@contextmanager
def _marked(folder: Path) -> Iterator[str]:
    """A file by which a worker knows that its folder is this one."""
    mark = folder / f".docpeek-{uuid.uuid4().hex}.mark"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        mark.touch()
    except OSError as error:
        raise OutputError(f"Cannot save the baseline in {folder}: {error.strerror}.") from error
    try:
        yield mark.name
    finally:
        mark.unlink(missing_ok=True)


def made(order: CheckOrder, store: PictureStore | None) -> list[Check]:
    """The checks of an order, on a worker. Raises `OutputError`, whose message says what is missing there."""
    _refuse_other_folders(order)
    wish = ComparisonWish(order.engines, _path(order.baseline), _path(order.save), tolerance=order.tolerance)
    checks = [*wish.prepare([Path(root) for root in order.roots], store).checks]
    return [*checks, picture_taker(store)] if store is not None else checks


def _refuse_other_folders(order: CheckOrder) -> None:
    cure = "Let the workers have that folder under the same path, or tell where it is with --workers-root."
    if order.baseline:
        if not Path(order.baseline).is_dir():
            raise OutputError(f"it has no folder {order.baseline}, the baseline. {cure}")
        if listing_of(Path(order.baseline)) != order.baseline_listing:
            raise OutputError(f"its folder {order.baseline} holds other files than the baseline here. {cure}")
    if order.save:
        if not (Path(order.save) / order.save_mark).is_file():
            raise OutputError(f"its folder {order.save} is not the one here, into which the baseline goes. {cure}")
        if not os.access(order.save, os.W_OK):
            raise OutputError(f"it may not write into {order.save}, where the baseline shall be.")


def _path(text: str) -> Path | None:
    return Path(text) if text else None


def listing_of(folder: Path) -> str:
    """A fingerprint of names and sizes below a folder: the same for a copy."""
    listing = blake3()
    for here, folders, names in os.walk(folder):
        folders.sort()
        for path in (Path(here, name) for name in sorted(names)):
            if path.is_file():
                told = f"{path.relative_to(folder)}\0{path.stat().st_size}\0"
                listing.update(told.encode(errors="surrogateescape"))
    return listing.hexdigest(16)
