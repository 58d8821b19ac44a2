"""An honest office for tests of zygote and kits: keeps the contract, and does as the document tells it.

The document is one JSON object: `{"do": "convert"}`, `crash`, `signal`, `exit`, `fail`, `raise`, `hang`, `spin`,
`mute` (says nothing more and stays), `babble` (what is no frame). The setting `restless` names a file: while it is
there the office cannot be forked, and notes each attempt in it. `never` has it hang in its start, and names a file for
the number of its process.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from engines.errors import EngineError, ErrorKind
from engines.office import Converted
from engines.protocol import Convert
from engines.sandbox import SandboxPolicy


class FakeOffice:
    """See the module."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self._settings = settings
        self._warm_steps = settings.get("warm_steps", 2)
        self._generation = 0

    def initialise(self) -> None:
        marker = self._settings.get("fail_once")
        if marker and not os.path.exists(marker):
            with open(marker, "w", encoding="utf-8"):
                raise EngineError(ErrorKind.UNAVAILABLE, "not today", "the details")
        if self._settings.get("die"):
            os._exit(7)
        if "never" in self._settings:
            self._hang({"pid_file": self._settings["never"]}, Convert("txt", "", {}, 1, 1))

    def warm_up(self) -> bool:
        self._warm_steps -= 1
        return bool(self._warm_steps > 0)

    @contextmanager
    def quiesce(self) -> Iterator[None]:
        restless = self._settings.get("restless")
        if restless and os.path.exists(restless):
            with open(restless, "a", encoding="utf-8") as file:
                file.write("asked\n")
            raise EngineError(ErrorKind.ENGINE, "no rest")
        yield

    def after_fork(self) -> None:
        self._generation += 1

    def sandbox_policy(self) -> SandboxPolicy | None:
        paths = self._settings.get("sandbox")
        return SandboxPolicy(**paths) if paths is not None else None

    def convert(self, source: memoryview, request: Convert, phase: Callable[[str], None]) -> Converted:
        if self._settings.get("die_before_reading"):
            os.kill(os.getpid(), signal.SIGKILL)
        phase("loading")
        order = json.loads(bytes(source))
        pdf = getattr(self, "_" + order["do"])(order, request)
        phase("exporting")
        return Converted(memoryview(pdf), {"load": 0.0}, [["Aptos", "DejaVu Sans"]], ["a notice"])

    def kit_gone(self, pid: int) -> None:
        if "gone" in self._settings:
            with open(self._settings["gone"], "a", encoding="utf-8") as file:
                file.write(f"{pid}\n")

    def close(self) -> None:
        if "gone" in self._settings:
            with open(self._settings["gone"], "a", encoding="utf-8") as file:
                file.write("closed\n")

    def _convert(self, order: dict[str, Any], request: Convert) -> bytes:
        told = {
            "pid": os.getpid(),
            "core": resource.getrlimit(resource.RLIMIT_CORE),
            "suffix": request.suffix,
            "export": request.export,
            "generation": self._generation,
        }
        return b"%PDF-" + json.dumps(told | {"pad": "x" * order.get("pad", 0)}).encode()

    def _signal(self, order: dict[str, Any], _request: Convert) -> bytes:
        os.kill(os.getpid(), order["signal"])
        return self._hang({}, _request)  # another thread may be the one to get the signal

    def _exit(self, order: dict[str, Any], _request: Convert) -> bytes:
        os._exit(order["status"])

    def _fail(self, order: dict[str, Any], _request: Convert) -> bytes:
        raise EngineError(ErrorKind(order["kind"]), order.get("message", "as told"), "why")

    def _raise(self, _order: dict[str, Any], _request: Convert) -> bytes:
        raise RuntimeError("a bug")

    def _hang(self, order: dict[str, Any], _request: Convert) -> bytes:
        if "pid_file" in order:
            with open(order["pid_file"], "w", encoding="utf-8") as file:
                file.write(str(os.getpid()))
        if order.get("grandchild"):
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        while True:
            time.sleep(600)

    def _mute(self, order: dict[str, Any], request: Convert) -> bytes:
        os.closerange(3, 64)
        return self._hang(order, request)

    def _babble(self, order: dict[str, Any], request: Convert) -> bytes:
        for descriptor in range(3, 64):
            with contextlib.suppress(OSError):
                os.write(descriptor, b"\xff" * 16)
        return self._hang(order, request)

    def _spin(self, _order: dict[str, Any], _request: Convert) -> bytes:
        while True:
            pass
