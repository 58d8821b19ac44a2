"""What a trial of an installation finds, and that it is remembered until something changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines.errors import EngineError, ErrorKind
from engines.native import capability, discover, interpreter, modules
from engines.native.capability import Capability
from engines.native.discover import Installation
from engines.native.engine import NativeEngine, trial_documents
from tests.engines.native.fake_soffice import install


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCPEEK_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(interpreter, "find", lambda: (None, "Install the module."))


def _installed(tmp_path: Path, broken: str = "") -> Installation:
    return discover.find(str(install(tmp_path / "office", broken=broken)), {})


def test_an_installation_without_uno_works_and_says_what_would_be_faster(tmp_path: Path) -> None:
    found = capability.probe(_installed(tmp_path), trial_documents())
    assert found == Capability("7.9.1.2", advice="Install the module.", lacking=modules.NO_EQUATIONS)
    assert found.complete


def test_one_with_math_lacks_nothing(tmp_path: Path) -> None:
    installation = _installed(tmp_path)
    (installation.registry / "math.xcd").touch()
    assert not capability.probe(installation, trial_documents()).lacking


def test_a_family_that_does_not_convert_names_its_package(tmp_path: Path) -> None:
    found = capability.probe(_installed(tmp_path, "pptx"), trial_documents())
    assert list(found.missing) == ["slides"]
    assert "libreoffice-impress" in found.why_not
    assert not found.complete


def test_one_that_converts_nothing_is_of_no_use(tmp_path: Path) -> None:
    installation = _installed(tmp_path, "docx xlsx pptx")
    found = capability.probe(installation, trial_documents())
    assert found.failure
    with pytest.raises(EngineError) as caught:
        NativeEngine.found(str(installation.program))
    assert caught.value.kind is ErrorKind.UNAVAILABLE
    assert found.failure in caught.value.message


def test_the_answer_is_remembered_until_the_installation_changes(tmp_path: Path) -> None:
    installation = _installed(tmp_path)
    assert capability.probe(installation, trial_documents()).complete
    (tmp_path / "office" / "broken").write_text("pptx")
    assert capability.probe(installation, trial_documents()).complete, "nothing that counts has changed"
    assert not capability.probe(installation, trial_documents(), again=True).complete
    (tmp_path / "office" / "broken").write_text("")
    (installation.registry / "impress.xcd").touch()
    assert capability.probe(installation, trial_documents()).complete


def test_what_is_forgotten_is_asked_anew(tmp_path: Path) -> None:
    installation = _installed(tmp_path)
    capability.probe(installation, trial_documents())
    (tmp_path / "office" / "broken").write_text("pptx")
    capability.forget(installation)
    capability.forget(installation)
    assert not capability.probe(installation, trial_documents()).complete


def test_a_damaged_memory_is_asked_anew(tmp_path: Path) -> None:
    installation = _installed(tmp_path)
    capability.probe(installation, trial_documents())
    for file in (tmp_path / "cache" / "native").glob("probe-*.json"):
        file.write_text("{")
    assert capability.probe(installation, trial_documents()).complete


def test_an_interpreter_whose_trial_crashes_leaves_the_other_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nkill -SEGV $$\n")
    python.chmod(0o755)
    monkeypatch.setattr(interpreter, "find", lambda: (interpreter.UnoPython(str(python), "/nowhere"), ""))
    found = capability.probe(_installed(tmp_path), trial_documents())
    assert found.complete
    assert not found.python
    assert "-11" in found.advice


def test_an_older_interpreter_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    python = tmp_path / "python3"
    python.write_text("#!/bin/sh\necho '[[3, 9], \"/x/uno.py\"]'\n")
    python.chmod(0o755)
    monkeypatch.setattr(interpreter, "candidates", lambda: iter([str(python)]))
    found, advice = interpreter.find()
    assert found is None
    assert "Python 3.9" in advice


def test_a_missing_family_is_refused_with_its_package_by_the_engine(tmp_path: Path) -> None:
    from engines.base import ExportOptions, SourceDocument
    from engines.formats import by_id
    from tests.engines.cancel_token import Token

    installation = _installed(tmp_path, "pptx")
    engine = NativeEngine(installation, capability.probe(installation, trial_documents()))
    with pytest.raises(EngineError) as caught:
        engine.convert(SourceDocument(b"x", by_id("pptx")), ExportOptions(), deadline_s=5, cancel=Token())
    assert caught.value.kind is ErrorKind.UNAVAILABLE
    assert "libreoffice-impress" in caught.value.message
    artifact = engine.convert(SourceDocument(b"x", by_id("docx")), ExportOptions(), deadline_s=30, cancel=Token())
    assert artifact.pdf.startswith(b"%PDF-")
    engine.stop()


def test_the_generation_follows_the_installation_and_the_way(tmp_path: Path) -> None:
    installation = _installed(tmp_path)
    one = NativeEngine(installation, Capability("7.9")).info
    assert one == NativeEngine(installation, Capability("7.9")).info
    others = [
        NativeEngine(installation, Capability("7.10")).info,
        NativeEngine(installation, Capability("7.9", python="/usr/bin/python3")).info,
    ]
    (installation.registry / "impress.xcd").touch()
    others.append(NativeEngine(installation, Capability("7.9")).info)
    assert len({one.fingerprint, *(other.fingerprint for other in others)}) == 4
