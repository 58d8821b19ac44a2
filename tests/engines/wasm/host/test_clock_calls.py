"""Calendars of the guest agree with Python's, for any time."""

from __future__ import annotations

import calendar
import time
from struct import Struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.wasm.host import capi
from engines.wasm.host.clock import Clock, civil_from_days, days_from_civil
from engines.wasm.host.errors import GuestFault
from engines.wasm.host.memory import PAGE_BYTES, GuestMemory

TM = Struct("<10i")


class Clocked:
    def __init__(self) -> None:
        self.shared = capi.SharedMemory(capi.new_engine(1 << 20), 1, 1)
        self.memory = GuestMemory(self.shared, PAGE_BYTES)
        self.clock = Clock(self.memory)

    def calendar(self, seconds: int) -> tuple[int, ...]:
        self.clock.put_calendar(seconds, 64)
        return self.memory.unpack(TM, 64)


@pytest.fixture(scope="module")
def clocked() -> Clocked:
    return Clocked()


@given(seconds=st.integers(-(10**11), 10**12))
def test_calendars(clocked: Clocked, seconds: int) -> None:
    expected = time.gmtime(seconds)
    assert clocked.calendar(seconds) == (
        expected.tm_sec,
        expected.tm_min,
        expected.tm_hour,
        expected.tm_mday,
        expected.tm_mon - 1,
        expected.tm_year - 1900,
        (expected.tm_wday + 1) % 7,
        expected.tm_yday - 1,
        0,
        0,
    )
    assert clocked.clock.timestamp(64) == seconds


@given(days=st.integers(-(10**10), 10**10))
def test_days_and_dates_are_inverse(days: int) -> None:
    assert days_from_civil(*civil_from_days(days)) == days


def test_fields_out_of_range_are_put_right(clocked: Clocked) -> None:
    clocked.memory.pack(TM, 64, 75, -1, 25, 0, 14, 100, 0, 0, 0, 0)
    seconds = clocked.clock.timestamp(64)
    assert seconds == calendar.timegm((2001, 3, 1, 0, 0, 0)) + 75 - 60 + 25 * 3600 - 86400
    assert clocked.memory.unpack(TM, 64)[:6] == (15, 0, 1, 1, 2, 101)


@pytest.mark.parametrize("seconds", [(1 << 63) - 1, -(1 << 63), 1 << 55])
def test_times_beyond_reason_give_zeros(clocked: Clocked, seconds: int) -> None:
    assert clocked.calendar(seconds) == (0,) * 10


def test_the_zone_is_utc(clocked: Clocked) -> None:
    clocked.clock.put_zone(64, 68, 72, 96)
    assert (clocked.memory.u32(64), clocked.memory.u32(68)) == (0, 0)
    assert clocked.memory.c_string(72) == clocked.memory.c_string(96) == b"UTC"


def test_clocks_run(clocked: Clocked) -> None:
    words = [1, 0, 0, 0, 0, 0, 0, 0, 128]
    clocked.clock.clock_time_get(words)
    assert words[0] == 0
    assert 0 < clocked.memory.unpack(Struct("<Q"), 128)[0] <= time.monotonic_ns()
    words[0] = 9
    clocked.clock.clock_time_get(words)
    assert words[0] == 28
    words[8] = PAGE_BYTES - 4
    with pytest.raises(GuestFault):
        clocked.clock.clock_time_get(words)
    doubles = [0.0]
    clocked.clock.date_ms(doubles)
    assert abs(doubles[0] / 1000 - time.time()) < 60
    clocked.clock.now_ms(doubles)
    assert doubles[0] <= time.monotonic() * 1000
