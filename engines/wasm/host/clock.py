"""Time for the guest: real and monotonic clocks, and calendars in UTC, so results do not depend on where it runs."""

from __future__ import annotations

import time
from struct import Struct
from typing import Any

from engines.wasm.host.binding import Bindings, Failure, HostFunction
from engines.wasm.host.errors import GuestUnwind
from engines.wasm.host.memory import GuestMemory

_REALTIME = 0
_CLOCKS = 4
_EINVAL = 28
_U64 = Struct("<Q")
# sec, min, hour, mday, mon, year - 1900, wday, yday, isdst, gmtoff
_TM = Struct("<10i")
_TM_FIELDS = Struct("<6i")
_SECONDS_MAX = 1 << 55  # beyond this `int` years of the guest overflow
_DAY_S = 86400


class Clock:
    """The imports that tell the time. The two hot ones are called ten thousand times in a document."""

    def __init__(self, memory: GuestMemory) -> None:
        self._memory = memory
        self.stopped = False
        """Set to end the guest's threads: each asks for the time at least every 100 ms while it waits."""
        self._date = (0, 1970, 1, 1)  # the last date, as days and as year, month, day

    def bindings(self) -> Bindings:
        """The imports of module `env`, by name."""
        return {
            "emscripten_get_now": HostFunction(":d", self.now_ms, raw=True),
            "emscripten_date_now": HostFunction(":d", self.date_ms, raw=True),
            "_gmtime_js": HostFunction("ji:", self.put_calendar),
            "_localtime_js": HostFunction("ji:", self.put_calendar),
            "_timegm_js": HostFunction("i:j", self.timestamp),
            "_mktime_js": HostFunction("i:j", self.timestamp),
            "_tzset_js": HostFunction("iiii:", self.put_zone),
            "_setitimer_js": HostFunction("id:i", self.set_timer),
        }

    def wasi_bindings(self) -> Bindings:
        """The imports of WASI, by name."""
        return {"clock_time_get": HostFunction("iji:i", self.clock_time_get, Failure.POSITIVE, raw=True)}

    def clock_time_get(self, words: Any) -> None:
        """`clock_gettime`, in nanoseconds. Raw: (clock, precision, address of the answer)."""
        kind = words[0]
        now = time.time_ns() if kind == _REALTIME else time.monotonic_ns()
        self._memory.pack(_U64, words[8], now)
        words[0] = 0 if kind < _CLOCKS else _EINVAL

    def now_ms(self, doubles: Any) -> None:
        """Milliseconds of the monotonic clock. Only asked for by threads that are about to wait."""
        if self.stopped:
            raise GuestUnwind("the guest is closed")
        doubles[0] = time.monotonic() * 1e3

    def date_ms(self, doubles: Any) -> None:
        """Milliseconds since 1970."""
        doubles[0] = time.time() * 1e3

    def set_timer(self, _which: int, _milliseconds: float) -> int:
        """Interval timers never fire: there is no event loop that could run them."""
        return 0

    def put_calendar(self, seconds: int, out: int) -> None:
        """`gmtime_r`: the calendar of a time, all zeros for one beyond reason."""
        if abs(seconds) >= _SECONDS_MAX:
            self._memory.clear(out, _TM.size)
            return
        days, rest = divmod(seconds, _DAY_S)
        if days != self._date[0]:
            self._date = (days, *civil_from_days(days))
        _, year, month, day = self._date
        year_day = days - days_from_civil(year, 1, 1)
        hour, minute, second = rest // 3600, rest // 60 % 60, rest % 60
        self._memory.pack(_TM, out, second, minute, hour, day, month - 1, year - 1900, (days + 4) % 7, year_day, 0, 0)

    def timestamp(self, address: int) -> int:
        """`timegm`: the time of a calendar, whose fields may be out of their ranges; they are put right there."""
        second, minute, hour, day, month, year = self._memory.unpack(_TM_FIELDS, address)
        years, month = divmod(month, 12)
        days = days_from_civil(year + 1900 + years, month + 1, 1) + day - 1
        seconds: int = days * _DAY_S + hour * 3600 + minute * 60 + second
        self.put_calendar(seconds, address)
        return seconds

    def put_zone(self, offset_out: int, daylight_out: int, standard_out: int, summer_out: int) -> None:
        """`tzset`: UTC, no summer time."""
        self._memory.put_u32(offset_out, 0)
        self._memory.put_u32(daylight_out, 0)
        self._memory.write(standard_out, b"UTC\0")
        self._memory.write(summer_out, b"UTC\0")


def days_from_civil(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01 to a date of the Gregorian calendar, for any year.

    Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
    """
    year -= month <= 2
    era, year_of_era = divmod(year, 400)
    day_of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146097 + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - 719468


def civil_from_days(days: int) -> tuple[int, int, int]:
    """Year, month, day of a number of days since 1970-01-01; the inverse of `days_from_civil`."""
    era, day_of_era = divmod(days + 719468, 146097)
    year = (day_of_era - day_of_era // 1460 + day_of_era // 36524 - day_of_era // 146096) // 365
    day_of_year = day_of_era - (365 * year + year // 4 - year // 100)
    shifted = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * shifted + 2) // 5 + 1
    month = shifted + (3 if shifted < 10 else -9)
    return year + era * 400 + (month <= 2), month, day
