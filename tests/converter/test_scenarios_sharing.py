"""Scenarios of the specification, by their numbers: what is shared, kept, private, or tried again."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from converter.errors import ConversionError, Outcome
from converter.request import Lane, Request
from engines.base import ExportOptions
from tests.converter.bench import Bench, digests, outcome
from tests.fakes import PATIENCE_S, FakeEngine, FakeSource, Gate

MakeBench = Callable[..., Bench]


def test_01_shared_by_source_version_then_by_content(bench: Bench) -> None:
    """C9, C23: one conversion for one source version, and for equal bytes of two sources."""
    first, kit = bench.run("same")
    source = FakeSource("same")
    second = bench.ask(source)
    elsewhere = bench.ask(FakeSource("same", place="elsewhere"))
    bench.wait_for_running(1)
    kit.gate.open()
    assert len(digests(first, second, elsewhere)) == 1
    assert bench.engine.converted == ["same"]
    assert source.reads == 0
    assert bench.now.merged_by_content == 1
    assert not first.result().from_cache


def test_02_a_cancelled_first_reader_leaves_the_others_their_result(bench: Bench) -> None:
    """C23."""
    first, kit = bench.run("x")
    second = bench.ask("x")
    assert first.cancel("another file was opened")
    with pytest.raises(ConversionError, match="another file was opened"):
        first.result(PATIENCE_S)
    kit.gate.open()
    assert outcome(second) is Outcome.OK
    assert not first.cancel()


def test_08_a_reader_that_joined_by_digest_survives_the_first_readers_cancel(bench: Bench) -> None:
    """C23."""
    first, kit = bench.run("same")
    second = bench.ask(FakeSource("same", place="elsewhere"))
    bench.wait_for_running(1)
    first.cancel()
    third = bench.ask(FakeSource("same", place="elsewhere"))  # the key of the second reader leads to the job now
    kit.gate.open()
    assert outcome(second) is outcome(third) is Outcome.OK
    assert bench.engine.converted == ["same"]


def test_09_version_change_while_reading(bench: Bench) -> None:
    """C6: `changed`, no alias, nothing converted; the next request has the new version."""
    source = FakeSource("text", version=1)
    source.version_read = FakeSource("text", version=2).version
    assert outcome(bench.ask(source)) is Outcome.CHANGED
    assert (bench.now.aliases, bench.now.cached_pdfs, bench.engine.converted) == (0, 0, [])
    assert outcome(bench.ask(FakeSource("text", version=2))) is Outcome.OK


def test_11_lru_by_entries_by_bytes_and_independent_aliases(make_bench: MakeBench) -> None:
    """C9, C10."""
    bench = make_bench(cached_pdfs_max=2, aliases_max=8)
    for text in ("a", "b", "a", "c"):  # b is the least recently used
        assert outcome(bench.ask(text)) is Outcome.OK
    assert bench.engine.converted == ["a", "b", "c"]
    assert bench.now.aliases == 3, "the alias of b stays"
    bench.ask("b").result(PATIENCE_S)
    assert bench.engine.converted == ["a", "b", "c", "b"]
    by_bytes = make_bench(cached_bytes_max=50)
    for text in ("a" * 10, "b" * 10):  # 26 and 27 bytes of PDF
        by_bytes.ask(text).result(PATIENCE_S)
    assert by_bytes.now.cached_pdfs == 1
    few_aliases = make_bench(aliases_max=1)
    for text in ("a", "b", "a"):
        few_aliases.ask(text).result(PATIENCE_S)
    assert few_aliases.now.hits_by_content == 1, "read again, but found"
    assert few_aliases.engine.converted == ["a", "b"]


def test_12_oversize_is_returned_not_kept(make_bench: MakeBench) -> None:
    """C10."""
    bench = make_bench(cached_bytes_max=10)
    assert len(bench.ask("text").result(PATIENCE_S).pdf) > 10
    assert (bench.now.cached_pdfs, bench.now.cached_bytes) == (0, 0)


def test_13_late_settlement_of_a_cancelled_job_next_to_its_replacement(bench: Bench) -> None:
    """C24: the late result of the cancelled job overwrites nothing."""
    cancelled, late = bench.run("x", ignores_cancel=True, pdf=b"%PDF-late")
    cancelled.cancel()
    replacement, kit = bench.run("x")
    late.gate.open()
    bench.wait_for_running(1)
    assert bench.now.cached_pdfs == 0, "nor is it kept (C11)"
    assert not replacement.done()
    kit.gate.open()
    assert b"late" not in replacement.result(PATIENCE_S).pdf
    assert b"late" not in bench.ask("x").result(PATIENCE_S).pdf
    assert outcome(cancelled) is Outcome.CANCELLED


def test_14_same_bytes_other_type_options_engine_or_generation_are_not_shared(make_bench: MakeBench) -> None:
    """C7, C27."""
    other = FakeEngine("other", "o1")
    bench = make_bench(others=(other,))
    tickets = [
        bench.ask(FakeSource("same", name="a.txt")),
        bench.ask(FakeSource("same", name="a.csv")),
        bench.ask("same", options=ExportOptions(single_page_sheets=False)),
        bench.ask("same", options=ExportOptions(locale="de-DE")),
        bench.ask("same", options=ExportOptions(pages_max=3)),
        bench.ask("same", engine="other"),
    ]
    assert len(digests(*tickets)) == 6
    assert (len(bench.engine.converted), len(other.converted)) == (5, 1)
    assert tickets[-1].result().engine.name == "other"
    bench.engine.info = FakeEngine("fake", "g2").info
    newer = bench.ask("same")
    assert newer.result(PATIENCE_S).generation == "g2"
    assert len(digests(*tickets, newer)) == 7
    assert len(digests(bench.ask("same", engine="fake"), newer)) == 1, "the default by its name is the same identity"


def test_16_ready_hits_are_served_while_every_seat_is_taken(make_bench: MakeBench) -> None:
    """The life of a job: a ready hit takes no seat."""
    bench = make_bench(readers_max=1)
    bench.ask("ready").result(PATIENCE_S)
    bench.run("running")
    assert outcome(bench.ask("new")) is Outcome.BUSY
    hit = bench.ask("ready", Lane.LOW).result(PATIENCE_S)
    assert hit.from_cache


def test_20_the_alias_index_returns_to_its_baseline_after_five_cancels(bench: Bench) -> None:
    """C15: active locators and aliases."""
    for number in range(5):
        ticket, kit = bench.run(f"x{number}", slow_death=Gate())
        ticket.cancel()
        assert not bench.converter._dispatcher.admission.by_key
        kit.slow_death.open()
        bench.wait_for_running(0)
    assert bench.now.aliases == 0


def test_20_ten_thousand_cancelled_requests_leave_nothing(make_bench: MakeBench) -> None:
    """C15."""
    bench = make_bench(slots=1)
    bench.run("running")
    for number in range(10_000):
        ticket = bench.converter.submit(Request(FakeSource(f"document {number}").source))
        assert ticket.cancel()
    admission = bench.converter._dispatcher.admission
    assert (len(admission.by_key), len(admission.readers), len(admission.line)) == (1, 1, 0)
    bench.check()


def test_22_the_read_returns_more_than_reserved(bench: Bench) -> None:
    """C4: `limit`, nothing kept."""
    assert outcome(bench.ask(FakeSource("longer than said", size_bytes=5))) is Outcome.LIMIT
    assert (bench.now.cached_pdfs, bench.now.aliases, bench.engine.converted) == (0, 0, [])


@pytest.mark.parametrize("milestone", ["loaded", "exporting", "exported"])
def test_23_the_kit_dies_with_its_document(bench: Bench, milestone: str) -> None:
    """C11: not retried once the kit had begun with the document, not cached, and the next request tries again."""
    kit = bench.engine.kit("x", dies_before=milestone)
    assert outcome(bench.ask("x")) is Outcome.ENGINE
    assert bench.engine.converted == ["x"]
    kit.dies_before = None
    assert outcome(bench.ask("x")) is Outcome.OK


def test_23_the_kit_dies_before_it_has_read(bench: Bench) -> None:
    """C11: one retry, no more."""
    bench.engine.kit("once", dies_before="loading", deaths=1)
    assert outcome(bench.ask("once")) is Outcome.OK
    assert (bench.engine.converted, bench.now.retried) == (["once", "once"], 1)
    bench.engine.kit("always", dies_before="loading")
    assert outcome(bench.ask("always")) is Outcome.ENGINE
    assert bench.engine.converted.count("always") == 2


def test_25_generation_change_while_jobs_wait_and_run(make_bench: MakeBench) -> None:
    """C8."""
    bench = make_bench(slots=1)
    ready = bench.ask("ready").result(PATIENCE_S)
    running, kit = bench.run("running")
    waiting = bench.ask("waiting")
    newer = FakeEngine("fake", "g2")
    bench.converter.reconfigure(newer)
    again = bench.ask("running")
    kit.gate.open()
    assert running.result(PATIENCE_S).generation == "g1"
    assert waiting.result(PATIENCE_S).generation == "g2"
    assert again.result(PATIENCE_S).generation == "g2", "nobody joins what runs in an old generation"
    assert bench.ask("ready").result(PATIENCE_S).generation == "g2" != ready.generation
    assert {c.generation for c in bench.converter._dispatcher.cache._pdfs.values()} == {"g2"}


def test_27_two_tickets_on_one_encrypted_file_share_nothing(bench: Bench) -> None:
    """Decrypted documents are private: never shared, aliased or cached."""
    sources = [FakeSource("locked away"), FakeSource("locked away")]
    assert outcome(bench.ask(sources[0])) is Outcome.ENCRYPTED
    tickets = [bench.ask(source, decrypt=lambda data, _token: b"plain " + data) for source in sources]
    assert {outcome(ticket) for ticket in tickets} == {Outcome.OK}
    assert bench.engine.converted == ["plain locked away"] * 2
    assert [source.reads for source in sources] == [2, 1]
    assert (bench.now.cached_pdfs, bench.now.aliases) == (0, 0)
    assert all(lane.joined == 0 for lane in bench.now.lanes.values())


def test_27_what_grows_beyond_the_cap_by_decryption_is_refused(make_bench: MakeBench) -> None:
    """C4 holds for the plain bytes too."""
    bench = make_bench(source_bytes_max=20, reserved_bytes_max=20)
    assert outcome(bench.ask("locked", decrypt=lambda data, _token: data * 10)) is Outcome.LIMIT
