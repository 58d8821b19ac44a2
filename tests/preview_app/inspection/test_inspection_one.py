"""One file through a converter over a fake engine, with the real processes that look at pages and documents."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from converter.cancellation import CancellationToken, Cancelled
from converter.request import Lane, Request
from converter.service import Converter
from converter.ticket import Ticket
from engines.base import CancelToken
from engines.decryption import Password
from engines.errors import EngineError, ErrorKind
from preview_app.inspection.findings import Finding, Place, finding
from preview_app.inspection.inspect_one import InspectOptions, Seen, Tools, digest_of, inspect_one
from preview_app.inspection.inspector import Inspector
from preview_app.inspection.local import LocalRunner
from preview_app.inspection.records import FileInspection, PagesOfSize, Times
from preview_app.inspection.source_facts import SourceFacts
from preview_app.raster.api import RasterError
from tests.fakes import Gate
from tests.preview_app.inspection.conftest import Desk, outcome_of
from tests.preview_app.raster.pdfs import RED, PdfPage, make_pdf


def ids(record: FileInspection) -> list[str]:
    return [each.id for each in record.findings]


def places(record: FileInspection) -> dict[str, Place | None]:
    return {each.id: each.place for each in record.findings}


def test_an_ordinary_document_is_clean(desk: Desk, tools: Tools) -> None:
    path = desk.write("a.txt", "hello", PdfPage().text(10, 50, "words"), PdfPage(300, 150).rectangle(1, 1, 9, 9, RED))
    record = desk.inspect(path, tools)
    assert (record.file, record.outcome, record.findings) == (str(path), "ok", ())
    assert (record.type, record.bytes, record.pages) == ("txt", 5, 1)
    assert record.page_sizes == (PagesOfSize(200.0, 100.0, 1), PagesOfSize(300.0, 150.0, 1))
    assert record.engine is not None
    assert (record.engine.name, record.engine.generation) == ("fake", "g1")
    assert record.seconds.total >= record.seconds.convert
    assert desk.converter.statistics().lanes[Lane.HIGH].settled == 1


def test_what_is_wrong_on_pages_has_its_place(desk: Desk, tools: Tools) -> None:
    path = desk.write(
        "a.txt", "hello", PdfPage().text(150, 50, "over the edge it runs"), PdfPage(), PdfPage().text(10, 20, "###")
    )
    record = desk.inspect(path, tools)
    assert ids(record) == ["beyond_page", "empty_page"], "### is nothing special in a text"
    assert places(record)["empty_page"] == Place(2)
    place = places(record)["beyond_page"]
    assert place is not None
    assert place.page == 1
    assert place.box is not None
    assert 149 < place.box[0] < 200 < place.box[2]


def test_a_sheet_whose_numbers_have_no_room(desk: Desk, tools: Tools) -> None:
    path = desk.write("a.csv", "1,2", PdfPage().text(10, 20, "###"))
    assert ids(desk.inspect(path, tools)) == ["cells_too_narrow"]


def test_a_pdf_tells_of_itself(desk: Desk, tools: Tools) -> None:
    path = desk.folder / "a.pdf"
    path.write_bytes(make_pdf([PdfPage().text(10, 50, "words")]))
    record = desk.inspect(path, tools)
    assert (record.type, record.pages, ids(record)) == ("pdf", 1, [])
    assert record.engine is not None
    assert record.engine.name == "none"
    assert record.source == SourceFacts()
    assert [(font.name, font.embedded, font.pages) for font in record.fonts] == [("Helvetica", False, 1)]


@pytest.mark.parametrize("kind", [ErrorKind.CORRUPT, ErrorKind.ENGINE, ErrorKind.LIMIT])
def test_what_is_not_converted_is_an_error(desk: Desk, tools: Tools, kind: ErrorKind) -> None:
    path = desk.write("a.txt", "hello", ends_with=EngineError(kind, "It is broken."))
    record = desk.inspect(path, tools)
    assert (record.outcome, record.message, ids(record)) == (kind.value, "It is broken.", [kind.value])
    assert (record.pages, record.type) == (None, "txt")


def test_what_cannot_be_read_is_an_error(make_desk: Callable[..., Desk], tools: Tools) -> None:
    desk = make_desk(source_bytes_max=4)
    assert ids(desk.inspect(desk.folder / "none.txt", tools)) == ["not_found"]
    assert ids(desk.inspect(desk.folder, tools)) == ["not_allowed"]
    large = desk.inspect(desk.write("a.txt", "hello"), tools)
    assert (ids(large), large.bytes, large.digest) == (["limit"], 5, None)
    assert digest_of(desk.converter, desk.folder / "a.txt") is None
    assert ids(desk.inspect(desk.write("e.txt", ""), tools)) == ["empty"]


def test_a_pdf_that_cannot_be_looked_at(desk: Desk, tools: Tools) -> None:
    path = desk.write("a.txt", "hello")
    desk.engine.kits["hello"].pdf = b"%PDF-1.7 it ends here"
    record = desk.inspect(path, tools)
    assert (record.outcome, ids(record)) == ("ok", ["page_unreadable"])


def test_the_time_for_pages_has_an_end(desk: Desk, tools: Tools) -> None:
    path = desk.write("a.txt", "hello", *[PdfPage()] * 3)
    record = desk.inspect(path, tools, pages_s_max=0.0)
    assert ids(record) == ["pages_not_inspected"]
    assert record.pages is not None


def test_a_password_opens_what_it_fits(desk: Desk) -> None:
    """What is read of the document itself is what came out; of one that is not encrypted nothing is said."""

    def unlock(data: bytes, name: str, password: Password, cancel: CancelToken) -> bytes:
        return b"<html><title>T</title>" if data == b"locked" and password.text == "open" else data

    locked, plain = desk.write("a.html", "locked"), desk.write("b.html", "<html><title>T</title>")
    password = Password("open")
    with Tools(unlock) as tools:
        one, other, without = (
            desk.inspect(locked, tools, password=password),
            desk.inspect(plain, tools, password=password),
            desk.inspect(locked, tools),
        )
    # To the fake classifier all of these are texts, whatever their names promise.
    found = [[each for each in ids(record) if each != "false_name"] for record in (one, other, without)]
    assert found == [["password"], [], ["encrypted"]]
    assert one.source is not None
    assert one.source == other.source
    assert one.source.metadata.title == "T"
    assert desk.converter.statistics().cached_pdfs == 0, "nothing of it is kept"


def test_checks_add_their_own_findings(desk: Desk, tools: Tools) -> None:
    seen: list[Seen] = []

    def check(what: Seen) -> Iterable[Finding]:
        seen.append(what)
        yield finding("notice", f"{len(what.renderer.png(0, 20))} bytes of picture.", 1)

    path = desk.write("a.txt", "hello")
    record = inspect_one(path, desk.converter, tools, InspectOptions(), checks=[check])
    assert ids(record) == ["notice"]
    assert seen[0].file == path


def test_two_inspections_differ_in_their_times_only(desk: Desk, tools: Tools) -> None:
    path = desk.write("a.txt", "hello", PdfPage().text(150, 50, "over the edge it runs"), PdfPage())
    one, other = (replace(desk.inspect(path, tools), seconds=Times()) for _ in range(2))
    assert one == other


def test_given_up_while_it_converts(desk: Desk, tools: Tools) -> None:
    path, kit = desk.hold("a.txt", "hello")
    token = CancellationToken()

    def give_up() -> None:
        kit.gate.wait_for_arrivals()
        token.cancel("test")

    thread = threading.Thread(target=give_up)
    thread.start()
    with pytest.raises(Cancelled):
        inspect_one(path, desk.converter, tools, InspectOptions(), token=token)
    thread.join()


class Watched:
    """A converter that tells how often it was asked."""

    def __init__(self, converter: Converter, asked: Callable[[int], None]) -> None:
        self._converter = converter
        self._asked = asked
        self._count = 0
        self.workspace, self.limits = converter.workspace, converter.limits

    def submit(self, request: Request) -> Ticket:
        self._count += 1
        ticket = self._converter.submit(request)
        self._asked(self._count)
        return ticket


def test_a_busy_converter_is_asked_again(make_desk: Callable[..., Desk], tools: Tools) -> None:
    desk = make_desk(readers_max=2, slots=1)
    held, kit = desk.hold("held.txt", "held")
    other = desk.ask(held, Lane.HIGH)
    kit.gate.wait_for_arrivals()
    path = desk.write("a.txt", "hello")
    assert outcome_of(desk.ask(path, Lane.HIGH)) == "busy", "one of two readers is the share of HIGH"
    asked: list[int] = []

    def on_asked(count: int) -> None:
        asked.append(count)
        if count == 2:
            kit.gate.open()

    record = inspect_one(path, cast("Converter", Watched(desk.converter, on_asked)), tools, InspectOptions())
    assert record.outcome == "ok"
    assert len(asked) >= 2
    assert outcome_of(other) == "ok"


def run_all(desk: Desk, files: list[Path], **how: object) -> list[FileInspection]:
    with LocalRunner(desk.converter, InspectOptions(), **how) as runner:  # type: ignore[arg-type]
        return list(Inspector(runner, lambda file: digest_of(desk.converter, file)).run(files))


def test_a_file_whose_pages_are_looked_at_when_a_run_is_given_up_has_no_record(desk: Desk) -> None:
    """Its renderer is killed, and what follows from that is no finding."""
    path = desk.write("a.txt", "hello")
    runners: list[LocalRunner] = []
    errors: list[str] = []

    def check(seen: Seen) -> Iterable[Finding]:
        seen.renderer.pixels(0, 1.0)
        runners[0].cancel()
        try:
            seen.renderer.pixels(0, 1.0)
        except RasterError as error:
            errors.append(error.kind)
        return ()

    with LocalRunner(desk.converter, InspectOptions(), checks=[check]) as runner:
        runners.append(runner)
        assert list(Inspector(runner, lambda file: digest_of(desk.converter, file)).run([path])) == []
    assert errors == ["crashed"]


def test_a_bad_file_stops_nothing(desk: Desk) -> None:
    good = desk.write("good.txt", "good")
    bad = desk.write("bad.txt", "bad", ends_with=EngineError(ErrorKind.ENGINE, "Crashed."))
    odd = desk.write("odd.txt", "odd")

    def check(seen: Seen) -> Iterable[Finding]:
        if seen.file == odd:
            raise RuntimeError("a fault of ours")
        return ()

    records = run_all(desk, [bad, odd, desk.folder / "none.txt", good], checks=[check])
    assert [record.outcome for record in records] == ["engine", "engine", "not_found", "ok"]
    assert "unexpectedly" in records[1].message


@pytest.mark.parametrize("error", [OSError(11, "no more processes"), RuntimeError("can't start new thread")])
def test_a_machine_that_starts_no_process_is_told_for_each_file(desk: Desk, error: Exception) -> None:
    def none() -> Tools:
        raise error

    records = run_all(desk, [desk.write("a.txt", "a"), desk.write("b.txt", "b")], make_tools=none)
    assert [record.outcome for record in records] == ["unavailable"] * 2


def test_people_are_served_while_many_files_are_inspected(make_desk: Callable[..., Desk]) -> None:
    """C16: whatever an inspection asks at once, a person's open is never busy, and comes before what waits."""
    desk = make_desk(readers_max=8, waiting_jobs_max=4, slots=2)
    gate = Gate()
    desk.gates.append(gate)
    files = [desk.write(f"{number}.txt", f"text {number}", gate=gate) for number in range(8)]
    person = desk.write("person.txt", "person")
    opened: list[str] = []

    def open_something() -> None:
        gate.wait_for_arrivals(2)
        ticket = desk.ask(person)
        gate.open()
        opened.append(outcome_of(ticket))

    thread = threading.Thread(target=open_something)
    thread.start()
    records = run_all(desk, files)
    thread.join()
    assert opened == ["ok"]
    assert desk.engine.converted.index("person") in {2, 3}, "as soon as one of the two slots was free"
    assert [record.outcome for record in records] == ["ok"] * 8
    assert desk.converter.statistics().lanes[Lane.CRITICAL].refused == 0


def test_a_folder_that_cannot_be_looked_into_is_told(desk: Desk, tools: Tools) -> None:
    (desk.folder / "closed").mkdir()
    record = desk.inspect(desk.folder / "closed", tools)
    assert (record.outcome, record.message.split(":")[0]) == ("not_allowed", "The folder cannot be read")
