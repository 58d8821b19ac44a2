"""A real Jupyter Server with the extension, over an engine that the test holds in its hands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

# pytest allows `pytest_plugins` only in the root conftest, where this plugin would make a server for every test of the
# whole program. Its fixtures and its two hooks for coroutines hold for this folder this way.
from pytest_jupyter.jupyter_server import (  # noqa: F401
    echo_kernel_spec,
    http_server,
    http_server_client,
    http_server_port,
    io_loop,
    jp_argv,
    jp_asyncio_loop,
    jp_auth_header,
    jp_base_url,
    jp_config_dir,
    jp_configurable_serverapp,
    jp_data_dir,
    jp_env_config_path,
    jp_env_jupyter_path,
    jp_environ,
    jp_fetch,
    jp_home_dir,
    jp_http_port,
    jp_kernel_dir,
    jp_logging_stream,
    jp_nbconvert_templates,
    jp_root_dir,
    jp_runtime_dir,
    jp_server_cleanup,
    jp_serverapp,
    jp_system_config_path,
    jp_system_jupyter_path,
    jp_web_app,
    pytest_pycollect_makeitem,
    pytest_pyfunc_call,
)

from engines.base import Engine
from tests.fakes import FakeEngine, Kit
from tests.preview_app.jupyter.server.borrowed import BorrowedExtension
from tests.preview_app.jupyter.server.client import Client
from tests.preview_app.raster.pdfs import PdfPage, make_pdf


class PdfKits(dict[str, Kit]):
    """Kits for texts; a text that nobody has decided on becomes a real PDF, a page for each form feed and one."""

    def get(self, text: str, default: object = None) -> Kit:
        plain = text.lstrip("\ufeff")
        kit = super().get(plain) or Kit()
        if kit.pdf is None:
            kit.pdf = pdf_of(plain)
        return kit


def pdf_of(text: str) -> bytes:
    """A PDF with the text on its pages."""
    return make_pdf([PdfPage().text(20, 40, part[:60], 12) for part in text.split("\f")])


@pytest.fixture
def fake_engine() -> FakeEngine:
    """Texts become PDFs, each as the test decides by `kit`."""
    engine = FakeEngine()
    engine.kits = PdfKits()
    return engine


@pytest.fixture
def engine(fake_engine: FakeEngine) -> Engine:
    """The engine of the server; a module of tests on the real engine has its own fixture of this name."""
    return fake_engine


@pytest.fixture
def settings() -> dict[str, Any]:
    """Traits of the extension, and of other classes by their names; tests have `parametrize` for theirs."""
    return {}


@pytest.fixture
def jp_server_config(engine: Engine, settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The extension alone, with one raster worker, started at the first document."""
    monkeypatch.setattr(BorrowedExtension, "borrowed", (engine,))
    own = {name: value for name, value in settings.items() if name[0].islower()}
    others = {name: value for name, value in settings.items() if name not in own}
    extensions = {"jpserver_extensions": {BorrowedExtension.__module__: True}}
    return {
        **others,
        "ServerApp": {**extensions, **others.get("ServerApp", {})},
        "BorrowedExtension": {"raster_workers": 1, "start_ahead": False, **own},
    }


@pytest.fixture
def client(
    jp_fetch: Any,  # noqa: F811
    jp_root_dir: Path,  # noqa: F811
    jp_serverapp: Any,  # noqa: F811
    http_server_port: Any,  # noqa: F811
    jp_auth_header: Any,  # noqa: F811
    jp_base_url: str,  # noqa: F811
) -> Client:
    """A client of a running server."""
    extension = jp_serverapp.web_app.settings["docpeek"]
    return Client(jp_fetch, jp_root_dir, extension, http_server_port[1], jp_auth_header["Authorization"], jp_base_url)
