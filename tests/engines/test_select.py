"""The one choice between engines: pure, and told with its reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines import select
from engines.errors import EngineError, ErrorKind
from engines.native.capability import Capability
from engines.native.discover import Installation
from engines.select import NativeState

INSTALLED = Installation(Path("/lo/program"), Path("/lo/program/soffice.bin"), Path("/lo/registry"), "7.4", "b")
FORKED = Capability("7.4.7.2", python="/usr/bin/python3", uno="/uno")
SLOW = Capability("7.4.7.2", advice="Install the package python3-uno.")
PARTIAL = Capability("7.4.7.2", python="/p", uno="/u", missing={"slides": "It lacks Impress: install X."})
BROKEN = Capability("7.4.7.2", failure="It does not convert anything.")


def _decide(choice: select.Choice, state: NativeState) -> select.Decision:
    return select.decide(choice, lambda: state)


def test_auto_takes_what_is_installed_and_does_everything() -> None:
    decision = _decide("auto", NativeState(INSTALLED, FORKED))
    assert (decision.name, decision.note) == ("native", "")


def test_auto_takes_the_slower_way_too_and_says_what_would_be_faster() -> None:
    decision = _decide("auto", NativeState(INSTALLED, SLOW))
    assert (decision.name, decision.note) == ("native", "Install the package python3-uno.")


@pytest.mark.parametrize(("found", "reason"), [(PARTIAL, "It lacks Impress: install X."), (BROKEN, BROKEN.failure)])
def test_auto_names_what_is_there_and_not_taken_with_the_reason(found: Capability, reason: str) -> None:
    decision = _decide("auto", NativeState(INSTALLED, found))
    assert decision.name == "wasm"
    assert "LibreOffice 7.4.7.2 in /lo/program is not used" in decision.note
    assert reason in decision.note


def test_auto_says_nothing_where_nothing_is_installed() -> None:
    decision = _decide("auto", NativeState(absent="No LibreOffice was found."))
    assert (decision.name, decision.note) == ("wasm", "")


def test_auto_says_that_what_is_named_is_not_there() -> None:
    decision = _decide("auto", NativeState(absent="/x is no LibreOffice.", misnamed=True))
    assert (decision.name, decision.note) == ("wasm", "/x is no LibreOffice.")


def test_wasm_does_not_even_look() -> None:
    def never() -> NativeState:
        raise AssertionError

    assert select.decide("wasm", never).name == "wasm"


def test_native_takes_a_partial_one_and_says_so() -> None:
    decision = _decide("native", NativeState(INSTALLED, PARTIAL))
    assert (decision.name, decision.note) == ("native", "It lacks Impress: install X.")


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (NativeState(absent="No LibreOffice was found."), "No LibreOffice"),
        (NativeState(INSTALLED, BROKEN), BROKEN.failure),
    ],
)
def test_native_that_is_not_to_be_had_is_unavailable(state: NativeState, reason: str) -> None:
    with pytest.raises(EngineError) as caught:
        _decide("native", state)
    assert caught.value.kind is ErrorKind.UNAVAILABLE
    assert reason in caught.value.message


def test_a_misnamed_program_is_found_out(tmp_path: Path) -> None:
    state = select.look(str(tmp_path / "nowhere"))
    assert state.installation is None
    assert state.misnamed
    assert str(tmp_path / "nowhere") in state.trouble
