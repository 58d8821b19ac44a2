"""An office whose document says what goes to the parent: a stand-in for a document that has taken over its kit."""

from __future__ import annotations

import array
import os
import socket
import stat
import struct
import time
from collections.abc import Iterator
from typing import Any

from engines.protocol import Convert
from tests.engines.fake_office import FakeOffice


class LyingOffice(FakeOffice):
    """Its orders: `say` (bodies of frames as they are, `times` over, then silence or its end), `pass` (descriptors)."""

    def _say(self, order: dict[str, Any], request: Convert) -> bytes:
        bodies = [body.encode() for body in order["bodies"]]
        frames = b"".join(struct.pack("<I", len(body)) + body for body in bodies)
        for _turn in range(order.get("times", 1)):
            for descriptor in _to_parent():
                _write(descriptor, frames)
            time.sleep(order.get("every_s", 0))
        if order.get("ends"):
            os._exit(0)
        return self._hang({}, request)

    def _pass(self, order: dict[str, Any], _request: Convert) -> bytes:
        null = os.open("/dev/null", os.O_RDONLY)
        body = b'{"frame":"Phase","phase":"descriptors"}'
        beside = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [null] * 8))]
        for descriptor in _to_parent():
            with socket.socket(fileno=os.dup(descriptor)) as parent:
                for _turn in range(order["times"]):
                    parent.sendmsg([struct.pack("<I", len(body)) + body], beside)
        return self._convert({}, _request)


def _to_parent() -> Iterator[int]:
    """What may lead there, each once: sockets, and a pipe that is written to."""
    seen = set()
    for descriptor in range(1, 64):
        try:
            status = os.fstat(descriptor)
        except OSError:
            continue
        leads_out = stat.S_ISSOCK(status.st_mode) or stat.S_ISFIFO(status.st_mode)
        if leads_out and status.st_ino not in seen:
            seen.add(status.st_ino)
            yield descriptor


def _write(descriptor: int, data: bytes) -> None:
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError:
        return  # an end that is only read from
