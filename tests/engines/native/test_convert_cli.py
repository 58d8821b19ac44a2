"""A program a document, with a program that does as it is told: every way to end, and what is left."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from engines.base import CancelToken
from engines.errors import EngineError, ErrorKind
from engines.formats import by_id
from engines.kits import Ending, Job
from engines.native import discover, launch
from engines.native.convert_cli import CommandKits
from engines.native.soffice import arguments
from engines.protocol import Convert
from tests.engines.cancel_token import Token
from tests.engines.native.fake_soffice import install
from tests.shortage import no_threads


@pytest.fixture
def kits(tmp_path: Path) -> Iterator[CommandKits]:
    installation = discover.find(str(install(tmp_path / "office")), {})
    (tmp_path / "scratch").mkdir()
    readable = launch.readable(tmp_path / "scratch", installation, (), tmp_path)
    kits = CommandKits(installation, tmp_path / "scratch", memory_bytes_max=200 << 20, readable=readable)
    kits.start()
    yield kits
    kits.stop(0)
    assert not list((tmp_path / "scratch").iterdir())


def _run(
    kits: CommandKits, order: str, *, deadline_s: float = 30, cancel: CancelToken | None = None, **how: Any
) -> Ending:
    request = Convert(
        how.get("suffix", "docx"), how.get("import_options", ""), {}, 100, how.get("result_bytes_max", 1 << 20)
    )
    return kits.run(Job(order.encode(), request, deadline_s, cancel or Token(), how.get("phase", lambda _name: None)))


def test_a_document_becomes_a_pdf(kits: CommandKits, tmp_path: Path) -> None:
    ending = _run(kits, "convert")
    assert ending.result is not None
    told = json.loads(ending.pdf[5:])
    assert "--infilter=MS Word 2007 XML" in told["arguments"]
    assert told["environment"]["HOME"] == told["folder"]
    assert Path(told["folder"]).parent == tmp_path / "scratch"


def test_options_of_import_and_export_are_passed_on() -> None:
    export = {"family": "sheet", "single_page_sheets": True, "page_range": "1-3"}
    request = Convert("csv", "59,34,76", export, 1, 1)
    made = arguments(request, export, Path("/x/document.csv"), by_id("csv").import_filter)
    assert "--infilter=Text - txt - csv (StarCalc):59,34,76" in made
    target = made[made.index("--convert-to") + 1]
    name, options = target.split(":", 2)[1:]
    assert name == "calc_pdf_Export"
    assert json.loads(options)["PageRange"] == {"type": "string", "value": "1-3"}


def test_a_restart_is_granted(kits: CommandKits) -> None:
    assert _run(kits, "restart").result is not None


def test_no_pdf_is_a_damaged_document_whatever_the_status(kits: CommandKits) -> None:
    failed = _run(kits, "nothing").failed
    assert failed is not None
    assert failed.kind == ErrorKind.CORRUPT


def test_an_older_filter_is_tried(kits: CommandKits, tmp_path: Path) -> None:
    (tmp_path / "office" / "broken").write_text("doc")
    failed = _run(kits, "convert", suffix="doc").failed
    assert failed is not None
    assert failed.kind == ErrorKind.CORRUPT


def test_a_crash_is_told_by_its_signal(kits: CommandKits) -> None:
    ending = _run(kits, "crash")
    assert ending.exited is not None
    assert (ending.exited.status, ending.result, ending.failed) == (-signal.SIGABRT, None, None)


def test_a_pdf_over_the_limit_is_refused(kits: CommandKits) -> None:
    ending = _run(kits, "convert", result_bytes_max=100)
    assert ending.result is None
    assert ending.failed is not None
    assert ending.failed.kind == ErrorKind.LIMIT


def test_a_pdf_of_a_program_that_failed_is_not_taken(kits: CommandKits) -> None:
    failed = _run(kits, "half").failed
    assert failed is not None
    assert failed.kind == ErrorKind.ENGINE


def test_the_deadline_kills_what_it_has_started_too(kits: CommandKits) -> None:
    ending = _run(kits, "grandchild", deadline_s=1.0)
    assert ending.overdue
    assert ending.exited is not None
    assert ending.exited.status == -signal.SIGKILL
    assert not [each for each in psutil.process_iter(["cmdline"]) if "time.sleep(600)" in (each.info["cmdline"] or [])]


def test_memory_over_the_limit_kills_and_the_peak_is_told(kits: CommandKits) -> None:
    ending = _run(kits, "memory")
    assert ending.exited is not None
    assert ending.exited.status == -signal.SIGKILL
    assert ending.exited.resident_bytes_peak > 200 << 20


def test_cancel_kills(kits: CommandKits) -> None:
    token = Token()
    timer = threading.Timer(0.3, token.cancel)
    timer.start()
    ending = _run(kits, "hang", cancel=token)
    timer.join()
    assert ending.exited is not None
    assert ending.exited.status == -signal.SIGKILL
    assert not ending.overdue


def test_cancelled_before_it_began(kits: CommandKits) -> None:
    token = Token()
    token.cancel()
    ending = _run(kits, "hang", cancel=token)
    assert ending.exited is not None
    assert ending.exited.status == -signal.SIGKILL


def test_stop_ends_what_runs_and_nothing_more_is_taken(kits: CommandKits, tmp_path: Path) -> None:
    endings: list[Ending] = []
    begun = threading.Event()
    thread = threading.Thread(target=lambda: endings.append(_run(kits, "hang", phase=lambda _name: begun.set())))
    thread.start()
    assert begun.wait(20)
    while not kits._running:  # it is being started
        thread.join(0.01)
    kits.stop(0)
    thread.join(20)
    assert endings[0].exited is not None
    assert endings[0].exited.status < 0
    assert not list((tmp_path / "scratch").iterdir())
    with pytest.raises(EngineError) as caught:
        _run(kits, "convert")
    assert caught.value.kind is ErrorKind.UNAVAILABLE


def test_what_cannot_be_watched_does_not_run(kits: CommandKits) -> None:
    """Without a thread nobody would kill it at its deadline."""
    before = {child.pid for child in psutil.Process().children()}
    with no_threads(), pytest.raises(EngineError) as caught:
        _run(kits, "hang")
    assert caught.value.kind is ErrorKind.ENGINE
    assert {child.pid for child in psutil.Process().children()} == before
    assert _run(kits, "convert").result is not None
