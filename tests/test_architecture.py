"""The import rules of the architecture: layers point one way, heavy libraries stay where they belong."""

from __future__ import annotations

import ast
import functools
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

PACKAGES = ("preview_app", "converter", "engines")
FILES = sorted(path for package in PACKAGES for path in (REPOSITORY / package).rglob("*.py"))


@functools.cache
def _imports(path: Path) -> tuple[str, ...]:
    """Read once: every test of this file asks each source file again."""
    return tuple(_names_imported(path))


def _names_imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""


def _importers(*libraries: str) -> set[str]:
    found = set()
    for path in FILES:
        if any(name == library or name.startswith(library + ".") for name in _imports(path) for library in libraries):
            found.add(path.relative_to(REPOSITORY).as_posix())
    return found


def _outside(files: set[str], *allowed: str) -> set[str]:
    return {file for file in files if not file.startswith(allowed)}


def test_there_is_something_to_check() -> None:
    assert len(FILES) > 20


def test_engines_know_no_layer_above() -> None:
    assert not {file for file in _importers("preview_app", "converter") if file.startswith("engines/")}


def test_the_converter_does_not_know_the_application() -> None:
    assert not {file for file in _importers("preview_app") if file.startswith("converter/")}


def test_native_and_wasm_do_not_know_each_other() -> None:
    assert not {file for file in _importers("engines.wasm") if file.startswith("engines/native/")}
    assert not {file for file in _importers("engines.native") if file.startswith("engines/wasm/")}


def test_wasmtime_stays_in_its_engine() -> None:
    assert not _outside(_importers("wasmtime"), "engines/wasm/")


def test_qt_stays_in_the_desktop() -> None:
    assert not _outside(_importers("PySide6", "shiboken6"), "preview_app/desktop/", "preview_app/app.py")


def test_the_window_knows_the_inspection_by_its_seam_only() -> None:
    assert not {file for file in _importers("preview_app.inspection") if file.startswith("preview_app/desktop/")}


def test_jupyter_stays_in_its_plugin() -> None:
    assert not _outside(_importers("jupyter_server", "tornado", "traitlets"), "preview_app/jupyter/")


def test_dask_stays_with_the_cluster() -> None:
    assert not _outside(_importers("distributed", "dask"), "preview_app/inspection/cluster")
    assert not _outside(
        _importers("preview_app.inspection.cluster", "preview_app.inspection.cluster_worker"),
        "preview_app/inspection/cluster",
    )


def test_the_plugin_knows_no_window_and_its_routes_are_mounted_in_one_place() -> None:
    assert not {
        file for file in _importers("preview_app.desktop", "PySide6") if file.startswith("preview_app/jupyter/")
    }
    handlers = {path.stem for path in (REPOSITORY / "preview_app" / "jupyter").glob("handlers_*.py")}
    assert handlers
    importers = {
        path.relative_to(REPOSITORY).as_posix()
        for path in FILES
        if path.stem not in handlers
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("preview_app.jupyter")
        if handlers & {node.module.rpartition(".")[2], *(alias.name for alias in node.names)}
    }
    assert importers == {"preview_app/jupyter/routes.py"}


def test_widgets_are_loaded_where_a_notebook_shows_one() -> None:
    assert _importers("anywidget", "ipywidgets") == {"preview_app/jupyter/notebook_widget.py"}
    assert _importers("preview_app.jupyter.notebook_widget") == {"preview_app/jupyter/notebook.py"}


def test_mupdf_stays_in_the_raster_child() -> None:
    parts = ("drawing", "leads", "page_facts")
    child = {"preview_app/raster/worker.py", *(f"preview_app/raster/{part}.py" for part in parts)}
    measured = {"preview_app/raster/bare.py"}  # a child of the benchmark's own
    assert child <= _importers("pymupdf", "fitz") <= child | measured
    for part in parts:
        assert _importers(f"preview_app.raster.{part}") == {"preview_app/raster/worker.py"}


def test_what_only_a_report_needs_stays_in_its_modules() -> None:
    assert not _outside(
        _importers("jinja2", "markupsafe", "PIL"),
        "preview_app/inspection/report_html",
        "preview_app/inspection/comparison",
    )


def test_libraries_of_encryption_stay_in_the_child_that_decrypts() -> None:
    assert not _outside(_importers("msoffcrypto", "cryptography"), "engines/decryption_", "engines/odfkeys.py")


def test_the_converter_knows_no_pdf_library_and_no_widget() -> None:
    assert not {
        file for file in _importers("pymupdf", "fitz", "PySide6", "preview_app.raster") if file.startswith("converter/")
    }


@pytest.mark.parametrize(
    ("child", "forbidden"),
    [
        ("engines.zygote", ("wasmtime", "PySide6", "pymupdf", "tornado", "blake3", "converter", "preview_app")),
        ("engines.kit", ("wasmtime", "PySide6", "pymupdf", "tornado", "blake3", "converter", "preview_app")),
        (
            "engines.native.office",
            ("wasmtime", "PySide6", "pymupdf", "blake3", "psutil", "platformdirs", "engines.wasm"),
        ),
        (
            "engines.native.probe",
            ("wasmtime", "PySide6", "pymupdf", "blake3", "psutil", "platformdirs", "engines.wasm"),
        ),
        ("engines.native.leash", ("wasmtime", "PySide6", "pymupdf", "blake3", "psutil", "platformdirs", "ctypes.util")),
        ("engines.wasm.office", ("PySide6", "pymupdf", "tornado", "blake3", "click", "converter", "engines.native")),
        (
            "engines.decryption_child",
            ("PySide6", "pymupdf", "wasmtime", "tornado", "blake3", "converter", "msoffcrypto"),
        ),
        ("preview_app.desktop.main", ("preview_app.inspection", "jinja2", "PIL", "wasmtime", "pymupdf", "tornado")),
        ("preview_app.inspect_command", ("distributed", "dask", "tornado", "PySide6", "pymupdf", "jinja2")),
        ("preview_app.jupyter", ("tornado", "jupyter_server", "traitlets", "wasmtime", "PySide6", "converter")),
        (
            "preview_app.jupyter.notebook",
            ("jupyter_server", "tornado", "traitlets", "anywidget", "ipywidgets", "IPython", "PySide6", "pymupdf"),
        ),
        (
            "preview_app.inspection.source_child",
            ("PySide6", "pymupdf", "wasmtime", "tornado", "blake3", "click", "msgspec", "converter"),
        ),
        ("preview_app.raster.worker", ("PySide6", "wasmtime", "tornado", "blake3", "click", "converter", "engines")),
    ],
)
def test_child_mains_import_light(child: str, forbidden: tuple[str, ...]) -> None:
    program = f"import {child}, sys; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True, timeout=60
    ).stdout.split()
    assert not set(forbidden) & set(loaded)


def test_modules_stay_small() -> None:
    tests = sorted((REPOSITORY / "tests").rglob("*.py"))
    lines = {str(path): path.read_text(encoding="utf-8").count("\n") for path in [*FILES, *tests]}
    assert not {path: count for path, count in lines.items() if count > 500}
