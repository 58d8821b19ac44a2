"""A JupyterLab of its own for the tests: a free port, a token, and nothing of the user's own Jupyter."""

from __future__ import annotations

import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

import psutil

from tests.conftest import REPOSITORY

LAB_EXTENSION = REPOSITORY / "preview_app/jupyter/labextension/build"
START_S_MAX = 60.0
STOP_S_MAX = 20.0
_RUNNING_AT = re.compile(r"(http://127\.0\.0\.1:\d+)/\S*\?token=")
_NO_NEWS = ("apputils-extension", "notification.jupyterlab-settings", {"fetchNews": "false", "checkForUpdates": False})


class LabServer:
    """A running server of the documents in `root`; `scratch` takes its settings and its log.

    `environment` is added to this process's.
    """

    def __init__(
        self,
        root: Path,
        scratch: Path,
        options: Sequence[str] = (),
        *,
        python: str = sys.executable,
        application: str = "jupyterlab",
        extension: Path | None = LAB_EXTENSION,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        scratch.mkdir(parents=True, exist_ok=True)
        self.root = root
        self.token = secrets.token_hex(16)
        self.log: list[str] = []
        self.url = ""
        self._scratch = scratch
        self._command = [python, "-m", application, *self._arguments(extension), *options]
        self._variables = {**self._environment(scratch), **(environment or {})}
        self._begin(port=0)

    def _begin(self, port: int) -> None:
        self._ready = threading.Event()
        self._process = subprocess.Popen(
            [*self._command, f"--ServerApp.port={port}", "--ServerApp.port_retries=0"],
            cwd=self._scratch,
            env=self._variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read, name="log of JupyterLab")
        self._reader.start()
        if not self._ready.wait(START_S_MAX) or not self.url or not self._listens():
            self.stop()
            raise RuntimeError("JupyterLab did not start:\n" + "".join(self.log))

    def _listens(self) -> bool:
        """Wait until it takes connections: it tells its address a moment before."""
        address = urlsplit(self.url)
        end = time.monotonic() + START_S_MAX
        while self._process.poll() is None and time.monotonic() < end:
            try:
                socket.create_connection((address.hostname or "", address.port or 0), START_S_MAX).close()
            except ConnectionRefusedError:
                os.sched_yield()
            else:
                return True
        return False

    @property
    def process(self) -> psutil.Process:
        """The server's own process; engines and page renderers are below it."""
        return psutil.Process(self._process.pid)

    def address(self, path: str = "lab") -> str:
        """An address with the token in it."""
        return f"{self.url}/{path}{'&' if '?' in path else '?'}token={self.token}"

    def restart(self) -> None:
        """Start it again where it was, after `stop`: same address, same token, nothing else kept."""
        port = urlsplit(self.url).port
        assert port is not None
        self._begin(port)

    def stop(self) -> None:
        """End the server and wait until it is gone. Idempotent."""
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(STOP_S_MAX)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()

    def _arguments(self, extension: Path | None) -> list[str]:
        here = [f"--LabServerApp.extra_labextensions_path={extension}"] if extension else []
        return [
            "--no-browser",
            "--allow-root",
            "--ServerApp.ip=127.0.0.1",
            "--ServerApp.quit_button=False",
            "--ServerApp.jpserver_extensions={'preview_app.jupyter': True}",
            f"--IdentityProvider.token={self.token}",
            f"--ServerApp.root_dir={self.root}",
            *here,
        ]

    def _environment(self, scratch: Path) -> dict[str, str]:
        folders = ("CONFIG_DIR", "DATA_DIR", "RUNTIME_DIR")
        own = {f"JUPYTER_{name}": str(scratch / name.lower()) for name in folders}
        labs = {f"JUPYTERLAB_{name}_DIR": str(scratch / name.lower()) for name in ("SETTINGS", "WORKSPACES")}
        plugin, file, settings = _NO_NEWS
        folder = scratch / "settings" / "@jupyterlab" / plugin
        folder.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(json.dumps(settings), encoding="utf-8")
        return {**os.environ, **own, **labs, "IPYTHONDIR": str(scratch / "ipython"), "PYTHONUNBUFFERED": "1"}

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.log.append(line)
            if found := _RUNNING_AT.search(line):
                self.url = found[1]
                self._ready.set()
        self._ready.set()
        self._process.stdout.close()
