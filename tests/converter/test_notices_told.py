"""What a person should know of a document keeps its kind up to the reader."""

from __future__ import annotations

import pytest

from converter.errors import ConversionError
from converter.identify import classifier
from converter.request import Limits
from engines.errors import EngineError, ErrorKind
from engines.notices import notice_of
from tests.converter.bench import Bench
from tests.engines import packages
from tests.engines.cancel_token import Token
from tests.fakes import PATIENCE_S, FakeSource

NO_ODT = "Named .odt, but it is a plain text."
LINKED = '<a><Relationship Type="a/image" Target="//host/a.png" TargetMode="External"/></a>'


def test_what_the_screening_found_is_told_with_its_kind() -> None:
    data = packages.ooxml(parts={"word/vbaProject.bin": b"x", "word/_rels/document.xml.rels": LINKED})
    notices = classifier(Limits())(data, "a.odt").clear(Token()).notices
    assert [notice_of(notice).kind for notice in notices] == ["macros", "external_content"]


def test_plain_sentences_are_notices_of_no_known_kind(bench: Bench) -> None:
    result = bench.ask("notice this").result(PATIENCE_S)
    assert [(str(notice), notice.kind) for notice in result.notices] == [("noticed", "other")]


@pytest.mark.parametrize("names", [("a.odt", "b.txt"), ("b.txt", "a.odt")])
def test_what_is_wrong_with_a_name_is_told_of_that_name_only(bench: Bench, names: tuple[str, str]) -> None:
    told = {}
    for name in names:
        told[name] = bench.ask(FakeSource("same", name, place=name)).result(PATIENCE_S).notices
    assert told == {"a.odt": (NO_ODT,), "b.txt": ()}
    assert bench.engine.converted == ["same"], "names have no part in the identity (C7)"
    for name in names:  # now by their aliases, without reading
        result = bench.ask(FakeSource("same", name, place=name)).result(PATIENCE_S)
        assert (result.from_cache, result.notices) == (True, told[name])


def test_who_joins_by_content_is_told_of_its_own_name(bench: Bench) -> None:
    gate = bench.hold("same").gate
    false = bench.ask(FakeSource("same", "a.odt", place="a"))
    gate.wait_for_arrivals()
    right = bench.ask(FakeSource("same", "b.txt", place="b"))
    bench.wait_for_running(1)
    gate.open()
    assert [ticket.result(PATIENCE_S).notices for ticket in (false, right)] == [(NO_ODT,), ()]
    assert bench.engine.converted == ["same"]


def test_a_name_that_is_no_text_has_an_identity(bench: Bench) -> None:
    assert bench.ask(FakeSource("same", "\udcff.odt")).result(PATIENCE_S).notices == (NO_ODT,)


def test_an_engine_is_named_for_what_it_was_given_only(bench: Bench) -> None:
    bench.engine.kit("words", ends_with=EngineError(ErrorKind.CORRUPT, "The engine cannot read it."))
    for text, engine in (("words", bench.engine.info), ("locked words", None)):
        with pytest.raises(ConversionError) as caught:
            bench.ask(text).result(PATIENCE_S)
        assert caught.value.engine == engine
