"""Visual Basic that would run when a document is opened: it does on an office that lets it, and on no engine.

Of the DDE links of `hostile_documents` and `hostile_ooxml` no control could be made. Tried with LibreOffice 7.4, macro
security 0, every folder trusted and links always updated: formulas (`DDE("soffice"; ...)` of a document by its URL and
by its path), sections with `office:dde-source`, fields `DDEAUTO`, links of workbooks; none brought its target in, by
`--convert-to` or opened. There is no DDE outside Windows but between documents that are open in the same office. Nor
did a handler of a DOCM run (`Document_Open`, `AutoOpen`, `AutoExec`), whose project Writer reads and leaves alone; the
workbook's do.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import psutil
import pytest

from engines.base import Engine
from engines.native import pipes
from tests.real import vba_project
from tests.real.conversions import convert, words
from tests.real.hostile_documents import INSIDE
from tests.real.phases import kill, wait_for

pytestmark = pytest.mark.wasm


@pytest.mark.parametrize("name", ["macros.xlsm", "macros.docm"])
def test_visual_basic_does_not_run(either_engine: Engine, name: str, tmp_path: Path) -> None:
    traces, file = tmp_path / "traces", tmp_path / name
    traces.mkdir()
    file.write_bytes((vba_project.workbook if name.endswith("xlsm") else vba_project.text)(traces))
    assert INSIDE in [word[5] for word in words(convert(either_engine, file).pdf, tmp_path)]
    assert not list(traces.iterdir())


def test_the_same_visual_basic_does_run(soffice: list[str], tmp_path: Path) -> None:
    traces, file = tmp_path / "traces", tmp_path / "macros.xlsm"
    traces.mkdir()
    file.write_bytes(vba_project.workbook(traces))
    quiet = subprocess.DEVNULL
    with subprocess.Popen([*soffice, str(file)], stdout=quiet, stderr=quiet, start_new_session=True) as office:
        try:
            wait_for(lambda: len(list(traces.iterdir())) == 2)
        finally:
            family = [psutil.Process(office.pid), *psutil.Process(office.pid).children(recursive=True)]
            kill(*family)
    pipes.remove(tmp_path / "profile")
    assert {trace.name for trace in traces.iterdir()} == {"workbook", "auto"}
