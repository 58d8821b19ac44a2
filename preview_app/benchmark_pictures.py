"""JPEG pictures that weigh on a decoder as photographs do, written without a library of pictures.

Baseline JPEG (ITU-T T.81), built from the coefficients: soft waves of colour, with noise in the low frequencies. Every
Huffman code has four bits, which is not the smallest way and a valid one.
"""

from __future__ import annotations

import math
import random
import struct
from functools import cache

_CODE_BITS = 4
_SIZES = bytes(range(12))
"""The symbols of the table for differences: how many bits follow."""
_END_OF_BLOCK = 0x00
_RUNS = bytes((_END_OF_BLOCK, 0x01, 0x02, 0x03, 0x04, 0x11, 0x12, 0x13, 0x21, 0x22, 0x31, 0x41))
"""The symbols of the table for coefficients: how many zeros before it, and how many bits follow."""
_COMPONENTS = (1, 2, 3)


def photograph(width: int, height: int, number: int) -> bytes:
    """A picture of about a quarter of a byte a pixel; another `number` gives other colours in the same pattern."""
    quantizers = bytes(min(255, 6 + number % 8 + 2 * index) for index in range(64))
    frame = struct.pack(">BHHB", 8, height, width, 3) + b"".join(bytes((each, 0x11, 0)) for each in _COMPONENTS)
    scan = bytes((3,)) + b"".join(bytes((each, 0x00)) for each in _COMPONENTS) + bytes((0, 63, 0))
    return b"".join(
        (
            b"\xff\xd8",
            _segment(0xE0, b"JFIF\0" + bytes((1, 1, 0, 0, 1, 0, 1, 0, 0))),
            _segment(0xDB, b"\0" + quantizers),
            _segment(0xC0, frame),
            _segment(0xC4, _huffman(0x00, _SIZES) + _huffman(0x10, _RUNS)),
            _segment(0xDA, scan),
            _entropy(-(-width // 8), -(-height // 8)),
            b"\xff\xd9",
        )
    )


def _segment(marker: int, content: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(content) + 2) + content


def _huffman(identity: int, symbols: bytes) -> bytes:
    counts = [0] * 16
    counts[_CODE_BITS - 1] = len(symbols)
    return bytes((identity, *counts)) + symbols


@cache
def _entropy(columns: int, rows: int) -> bytes:
    dice = random.Random(1839)  # noqa: S311 - no secret
    bits: list[str] = []
    before = [0, 0, 0]
    for row in range(rows):
        for column in range(columns):
            wave = math.sin(column / 9) + math.cos(row / 7 + column / 31)
            for component, level in enumerate((40 * wave, 20 * math.sin(row / 13), 20 * math.cos(column / 17))):
                bits.append(_coded(_SIZES, None, round(level) - before[component]))
                before[component] = round(level)
                if component == 0:
                    bits += [_coded(_RUNS, dice.randrange(3), dice.randint(-6, 6) or 1) for _ in range(6)]
                bits.append(_code(_RUNS, _END_OF_BLOCK))
    text = "".join(bits)
    text += "1" * (-len(text) % 8)
    return int(text, 2).to_bytes(len(text) // 8).replace(b"\xff", b"\xff\0")


def _coded(symbols: bytes, zeros: int | None, value: int) -> str:
    """A value behind its code; after `zeros` zeros for a coefficient, of which there may be fewer codes."""
    size = abs(value).bit_length()
    symbol = size if zeros is None else zeros << 4 | size
    if symbol not in symbols:
        symbol = size
    low = value if value > 0 else value + (1 << size) - 1
    return _code(symbols, symbol) + (f"{low:0{size}b}" if size else "")


def _code(symbols: bytes, symbol: int) -> str:
    return f"{symbols.index(symbol):0{_CODE_BITS}b}"
