"""A kernel's service over an engine that the test holds in its hands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import comm
import pytest

from preview_app.config import Config
from preview_app.jupyter.notebook import Asked, Preview, show
from preview_app.jupyter.notebook_service import NotebookService, Wanted
from preview_app.outputs import ALL_PAGES
from tests.fakes import FakeEngine
from tests.preview_app.jupyter.notebook.front_end import FrontEnd
from tests.preview_app.jupyter.server.borrowed import BorrowedEngines
from tests.preview_app.jupyter.server.conftest import PdfKits

Show = Callable[..., Preview]


@pytest.fixture
def fake_engine() -> FakeEngine:
    """Texts become PDFs, a page for each form feed and one."""
    engine = FakeEngine()
    engine.kits = PdfKits()
    return engine


@pytest.fixture
def service(fake_engine: FakeEngine) -> Iterator[NotebookService]:
    """One raster worker; ended after the test."""
    service = NotebookService(Config(raster_workers=1), BorrowedEngines((fake_engine,), unprepared=False))
    yield service
    service.close()


@pytest.fixture
def show_text(service: NotebookService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Show:
    """Shows a text, written to a file first, or another document."""
    monkeypatch.setattr(comm, "create_comm", FrontEnd)

    def shown(document: str | bytes | Path, **options: Any) -> Preview:
        interactive = options.pop("interactive", None)
        data = document if isinstance(document, bytes) else None
        path = document if isinstance(document, Path) else tmp_path / "a.txt"
        if isinstance(document, str):
            path.write_text(document)
        asked = Asked(
            Wanted(str(path), data), options.pop("pages", ALL_PAGES), options.pop("password", None), 96.0, **options
        )
        return show(service, asked, interactive=interactive)

    return shown


@pytest.fixture
def front_end() -> Callable[[Preview], FrontEnd]:
    """The other end of a preview's widget."""

    def found(preview: Preview) -> FrontEnd:
        widget = preview.widget()
        assert widget is not None
        assert isinstance(widget.comm, FrontEnd)
        return widget.comm

    return found
