"""The wish for an HTML report, which needs packages that an installation may be without."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from preview_app.inspection.inspect_one import Check
from preview_app.inspection.pictures import PictureStore
from preview_app.inspection.records import Run
from preview_app.inspection.report_files import Page
from preview_app.outputs import OutputError


@dataclass(frozen=True, slots=True)
class HtmlPlan:
    """What a run needs for it: checks that take pictures, and what opens the page; nothing where none is wanted."""

    checks: Sequence[Check] = ()
    page: Callable[[Run], Page] | None = None
    store: PictureStore | None = None


@dataclass(frozen=True, slots=True)
class HtmlWish:
    """Where the report shall be, if one is wanted."""

    path: Path | None = None

    def prepare(self) -> HtmlPlan:
        """What is needed. Raises `OutputError` where the report cannot be made."""
        path = self.path
        if path is None:
            return HtmlPlan()
        if path.is_dir():
            raise OutputError(f"Cannot write the report: {path} is a folder.")
        if not path.resolve().parent.is_dir():
            raise OutputError(f"Cannot write the report: there is no folder {path.resolve().parent}.")
        _try_to_write_into(path.resolve().parent)
        with _told_what_is_missing():
            from preview_app.inspection import report_html  # noqa: PLC0415 - of an extra
        store = PictureStore()
        return HtmlPlan((picture_taker(store),), lambda run: report_html.HtmlReport(path, run, store), store)


def _try_to_write_into(folder: Path) -> None:
    """The page appears at the end of a run; that it cannot is better known before. Raises `OutputError`."""
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".docpeek-"):
            pass
    except OSError as error:
        raise OutputError(f"Cannot write the report into {folder}: {error.strerror}.") from error


def picture_taker(store: PictureStore) -> Check:
    """The check that takes pictures, to be put last. Raises `OutputError` where its package is missing."""
    with _told_what_is_missing():
        from preview_app.inspection.report_html_pictures import PictureTaker  # noqa: PLC0415 - of an extra
    return PictureTaker(store)


@contextmanager
def _told_what_is_missing() -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as error:
        raise OutputError(
            f"An HTML report needs the package {error.name}, which is not installed: install docpeek with its "
            "extra `inspect` (pip install 'docpeek[inspect]')."
        ) from error
