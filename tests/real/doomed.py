"""A program to be killed: `python -m tests.real.doomed ENGINE PHASE` brings an engine to a phase and stays there.

It prints one JSON object when it is there: the process ids of the zygote and its kits, and the scratch folder or "".
"""

from __future__ import annotations

import json
import sys
import threading

import psutil

from engines.base import Engine, Progress
from engines.errors import EngineError
from tests.engines.engine_life import run
from tests.real.household import scratch_of, zygote_of
from tests.real.phases import PHASES, document, long_document, make, spare, wait_for, zygote


def _there(engine: Engine) -> None:
    """Say so, and wait to be killed."""
    family = [child.pid for child in psutil.Process().children(recursive=True)]
    scratch = scratch_of(engine)
    print(json.dumps({"family": family, "scratch": str(scratch or "")}), flush=True)
    threading.Event().wait()


def _begin(target: object) -> None:
    def quietly() -> None:
        try:
            target()  # type: ignore[operator]
        except EngineError:
            return

    threading.Thread(target=quietly, daemon=True).start()


def _at_phase(engine: Engine, phase: str) -> None:
    engine.start()

    def on_phase(step: Progress) -> None:
        if step.phase == phase:
            _there(engine)

    run(engine, long_document(), progress=on_phase)


def main(name: str, phase: str) -> None:
    """Go there."""
    engine = make(name)
    if phase == "starting":
        _begin(engine.start)
        wait_for(lambda: zygote_of(engine))
    elif phase == "waiting":
        engine.start()
        spare(engine)
    elif phase == "reading":
        engine.start()
        spare(engine).suspend()
        descriptors = zygote(engine).num_fds()
        _begin(lambda: run(engine, document()))
        wait_for(lambda: zygote(engine).num_fds() > descriptors)
    else:
        _at_phase(engine, phase)
    _there(engine)


if __name__ == "__main__":
    assert sys.argv[2] in PHASES
    main(sys.argv[1], sys.argv[2])
