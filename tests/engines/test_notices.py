"""Notices keep their kind wherever they go, and are the sentences that they always were."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import asdict

import pytest

from engines.base import Artifact
from engines.notices import Notice, NoticeKind, decoded, encoded, notice_of, tells_of_a_cut
from engines.protocol import Decoder, Result, encode

FIRST = Notice("Only the first 5 pages are shown.", NoticeKind.FIRST_PAGES, pages=5)


def test_a_notice_is_its_sentence() -> None:
    assert FIRST == "Only the first 5 pages are shown."
    assert json.dumps([FIRST]) == '["Only the first 5 pages are shown."]'
    assert (FIRST.kind, FIRST.values) == (NoticeKind.FIRST_PAGES, {"pages": 5})


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each)), notice_of])
def test_copies_keep_the_kind(way: object) -> None:
    assert callable(way)
    copied = way(FIRST)
    assert (copied, copied.kind, copied.values) == (FIRST, FIRST.kind, FIRST.values)


def test_a_plain_sentence_is_of_no_known_kind() -> None:
    assert notice_of("words").kind is NoticeKind.OTHER
    assert [each.kind for each in decoded(["words"])] == [NoticeKind.OTHER]


def test_the_kind_crosses_a_process() -> None:
    frames = Decoder().feed(encode(Result(1, {}, notices=encoded([FIRST, "words"]))))
    assert isinstance(frames[0], Result)
    first, words = decoded(frames[0].notices)
    assert (first, first.kind, first.values) == (FIRST, FIRST.kind, {"pages": 5})
    assert (words, words.kind) == ("words", NoticeKind.OTHER)
    assert asdict(frames[0])["notices"] == encoded([FIRST, "words"])


def test_values_may_be_called_anything() -> None:
    (notice,) = decoded([["macros", "words", {"kind": "x", "sentence": "y"}]])
    assert (notice.kind, notice.values) == (NoticeKind.MACROS, {"kind": "x", "sentence": "y"})


def test_a_kind_that_is_not_known_here_keeps_its_sentence() -> None:
    (notice,) = decoded([["of_tomorrow", "words", {}]])
    assert (notice, notice.kind) == ("words", NoticeKind.OTHER)


def test_what_was_cut_off_is_known_without_reading() -> None:
    cells = Notice("words", NoticeKind.FIRST_CELLS, sheet="A", columns=1, rows=1)
    for notices, truncated in (((FIRST,), True), ((cells, "words"), True), (("Only the first 5 pages",), False)):
        assert Artifact(b"", notices=notices).truncated is truncated
        assert tells_of_a_cut(notices) is truncated
