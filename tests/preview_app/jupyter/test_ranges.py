"""Byte ranges as RFC 9110 has them."""

from __future__ import annotations

import pytest

from preview_app.jupyter.ranges import UnsatisfiableError, applies, byte_range


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (None, None),
        ("", None),
        ("bytes=0-0", (0, 1)),
        ("bytes=2-5", (2, 6)),
        ("bytes=2-", (2, 10)),
        ("bytes=2-99", (2, 10)),
        ("bytes=-3", (7, 10)),
        ("bytes=-99", (0, 10)),
        ("Bytes=1-2", (1, 3)),
        (" bytes= 1 - 2 ", (1, 3)),
        ("bytes=5-2", None),
        ("bytes=-", None),
        ("bytes=a-b", None),
        ("bytes=1-2,4-5", None),
        ("pages=1-2", None),
        ("bytes=" + "9" * 40 + "-", None),
    ],
)
def test_a_range_is_understood_or_left_alone(header: str | None, expected: tuple[int, int] | None) -> None:
    assert byte_range(header, 10) == expected


@pytest.mark.parametrize("header", ["bytes=10-", "bytes=10-20", "bytes=-0"])
def test_what_begins_after_the_end_cannot_be_had(header: str) -> None:
    with pytest.raises(UnsatisfiableError):
        byte_range(header, 10)


def test_a_range_holds_for_the_very_same_bytes_only() -> None:
    assert applies(None, '"a"')
    assert applies(' "a" ', '"a"')
    assert not applies('W/"a"', '"a"')
    assert not applies("Mon, 30 Nov 2026 18:59:48 GMT", '"a"')
