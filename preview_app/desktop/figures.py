"""Numbers and times as the language of the window writes them; what a program reads is never made here."""

from __future__ import annotations

from PySide6.QtCore import QDateTime, QLocale

from preview_app.desktop.language import tr

_UNITS = ("KiB", "MiB", "GiB")


def whole(count: int) -> str:
    """A count, in groups of digits."""
    return QLocale().toString(count)


def decimal(value: float, places: int) -> str:
    """A number with so many places behind the point."""
    return QLocale().toString(float(value), "f", places)


def seconds(value: float, places: int = 2) -> str:
    """A duration."""
    return tr("{} s").format(decimal(value, places))


def percent(share: float) -> str:
    """A share of one."""
    return tr("{} %").format(whole(round(share * 100)))


def size(count: int) -> str:
    """Bytes, in the unit that fits and exactly."""
    if count < 1024:
        return tr("{} bytes").format(count)
    power = min((count.bit_length() - 1) // 10, len(_UNITS))
    return tr("{} {} ({} bytes)").format(decimal(count / 1024**power, 1), _UNITS[power - 1], whole(count))


def moment(at_s: float) -> str:
    """A date with its year in full and the time to the second, of seconds since 1970, where this machine is."""
    at, here = QDateTime.fromMSecsSinceEpoch(round(at_s * 1000)), QLocale()
    day = here.dateFormat(QLocale.FormatType.ShortFormat)
    if "yyyy" not in day:
        day = day.replace("yy", "yyyy")
    time = here.timeFormat(QLocale.FormatType.LongFormat).replace("t", "").strip()
    return here.toString(at, f"{day} {time}")
