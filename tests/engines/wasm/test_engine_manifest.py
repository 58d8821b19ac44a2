"""The manifest, its keys, and the rule that nothing else names what it pins."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from engines.assets import assets_dir
from engines.wasm.keys import machine, make_keys
from engines.wasm.manifest import load_manifest
from tests.conftest import REPOSITORY

_HOST = ("Linux", "x86_64", "avx2")


def test_shipped_manifest_is_complete() -> None:
    manifest = load_manifest()
    packages = [manifest.payload.package, manifest.translator.package, *(font.package for font in manifest.fonts)]
    assert len({package.name for package in packages}) == len(packages)
    for package in packages:
        assert re.fullmatch(r"sha512-[A-Za-z0-9+/]{86}==", package.integrity), package
        assert re.fullmatch(r"\d+\.\d+\.\d+", package.version)
        assert package.licence
    for file in (manifest.payload.module, manifest.payload.image, manifest.translator.program):
        assert re.fullmatch(r"[0-9a-f]{64}", file.sha256)
        assert file.bytes > 0
    assert set(manifest.expected_s) == {"fetch", "verify", "translate", "compile", "store"}
    assert "--translate-to-exnref" in manifest.translator.arguments
    assert "--all-features" not in manifest.translator.arguments


def test_no_other_line_of_code_names_what_is_pinned() -> None:
    manifest = load_manifest()
    pinned = [manifest.payload.package.name, manifest.translator.package.name]
    pinned += [*manifest.guest.functions.values(), *(font.package.name for font in manifest.fonts)]
    pinned = [name for name in pinned if name not in {"malloc", "free"}]
    for folder in ("engines", "converter", "preview_app"):
        for path in (REPOSITORY / folder).rglob("*.py"):
            named = string_constants(path).intersection(pinned)
            assert not named, f"{path} names {named}"


def string_constants(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def test_nothing_names_a_registry() -> None:
    text = (assets_dir() / "engines" / "libreoffice-wasm.json").read_text(encoding="utf-8")
    assert "://" not in text


@pytest.mark.parametrize(
    "change", [{"schema": 2}, {"payload": {}}, {"runtime": {"optimization": "speed"}}, {"guest": {"unknown": 1}}]
)
def test_wrong_manifest_is_a_value_error(tmp_path: Path, change: dict[str, object]) -> None:
    raw = json.loads((assets_dir() / "engines" / "libreoffice-wasm.json").read_bytes())
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps(raw | change), encoding="utf-8")
    with pytest.raises(ValueError, match=r"manifest\.json"):
        load_manifest(path)


def test_keys_follow_what_they_are_made_from() -> None:
    manifest = load_manifest()
    keys = make_keys(manifest, "50.0.1", _HOST)
    assert keys == make_keys(load_manifest(), "50.0.1", _HOST)
    assert all(re.fullmatch(r"[0-9a-f]{64}", key) for key in (keys.module, keys.image, keys.fonts, keys.fingerprint))
    for other in (
        make_keys(manifest, "50.0.2", _HOST),
        make_keys(manifest, "50.0.1", ("Linux", "x86_64")),
        make_keys(replace(manifest, runtime=replace(manifest.runtime, optimization="none")), "50.0.1", _HOST),
    ):
        assert (other.module, other.fingerprint) != (keys.module, keys.fingerprint)
        assert (other.translated, other.image, other.fonts) == (keys.translated, keys.image, keys.fonts)
    fonts = make_keys(replace(manifest, fonts=manifest.fonts[1:]), "50.0.1", _HOST)
    assert fonts.module == keys.module
    assert fonts.fonts != keys.fonts
    assert fonts.fingerprint != keys.fingerprint


def test_machine_tells_the_features_that_code_may_use(tmp_path: Path) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("processor\t: 0\nflags\t\t: fpu avx2 newly_reported bmi2 avx\n\nprocessor\t: 1\n")
    assert machine(cpuinfo)[2:] == ("avx", "avx2", "bmi2")
    assert machine(tmp_path / "nothing")[2:] == ()


def test_assets_of_the_checkout() -> None:
    assert assets_dir() == REPOSITORY / "assets"
