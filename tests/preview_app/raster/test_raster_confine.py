"""A worker can open no file and no connection; the control shows that the same program can without."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from preview_app.raster.device import device_box

PROGRAM = """
import os, socket, sys
from preview_app.raster.confine import confine
sys.argv[1] == "confined" and print("files" if confine() else "nothing")
def attempt(name, action):
    try:
        action()
    except OSError as error:
        print(name, type(error).__name__)
    else:
        print(name, "works")
attempt("read", lambda: open(sys.argv[2]).close())
attempt("write", lambda: open(sys.argv[2] + ".new", "w").close())
attempt("list", lambda: os.listdir("/"))
attempt("connect", lambda: socket.create_connection(("127.0.0.1", int(sys.argv[3])), 5).close())
"""


def attempts(mode: str, file: Path, port: int) -> list[str]:
    command = [sys.executable, "-I", "-c", PROGRAM, mode, str(file), str(port)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    return done.stdout.splitlines()


def test_confined_code_can_open_nothing_and_other_code_can(tmp_path: Path) -> None:
    file = tmp_path / "canary"
    file.write_text("sing")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert attempts("free", file, port) == ["read works", "write works", "list works", "connect works"]
        found, *outcomes = attempts("confined", file, port)
    if found == "nothing":
        pytest.skip("this kernel has no Landlock")
    assert outcomes[:3] == ["read PermissionError", "write PermissionError", "list PermissionError"]
    assert outcomes[3] in {"connect PermissionError", "connect works"}, "TCP since Landlock 4"


def test_a_length_that_is_off_by_rounding_needs_no_pixel_more() -> None:
    assert device_box(100.0, 50.0, 1.1, None, 10**6) == (0, 0, 110, 55)
    assert device_box(595.2, 841.8, 2.0, (0.1 + 0.2, 0.5, 10.0, 10.0), 10**6) == (0, 1, 20, 20)
    assert device_box(0.1, 0.1, 1.0, None, 10) == (0, 0, 1, 1)
