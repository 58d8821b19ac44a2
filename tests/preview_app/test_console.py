"""Names of files come from anywhere: none of them gives orders to the terminal that it is printed on."""

from __future__ import annotations

import json
import logging
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from preview_app.console import Console, HarmlessFormatter, harmless

HOSTILE = "a\x1b]0;owned\x07\x1b[31m\x9b2J\r\x7fb"
needs_terminal = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")


def _without_orders(text: str) -> bool:
    return all(char in "\n\t" or not (char < " " or "\x7f" <= char <= "\x9f") for char in text)


def test_what_steers_a_terminal_is_shown_as_a_sign() -> None:
    assert harmless(HOSTILE) == "a?]0;owned??[31m?2J??b"
    assert harmless("left \u202e\u2066 right") == "left ?? right"


def test_what_people_write_stays() -> None:
    for text in ("Grüße 表 😀\n\tzwei", "שלום", "e\u0301 \u200d\u200c"):
        assert harmless(text) == text


def test_results_remarks_and_details_are_harmless(capsys: pytest.CaptureFixture[str]) -> None:
    console = Console(as_json=False)
    console.result({}, HOSTILE)
    console.say(HOSTILE)
    with console.progress() as show:
        show(HOSTILE, 1.0)
    told = capsys.readouterr()
    assert told.out
    assert told.err.count("owned") == 2
    assert _without_orders(told.out + told.err)


def test_json_tells_the_name_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    Console(as_json=True).result({"file": HOSTILE}, "")
    assert json.loads(capsys.readouterr().out) == {"file": HOSTILE}


def test_the_log_is_harmless() -> None:
    record = logging.LogRecord("docpeek", logging.WARNING, "", 0, "no such file: %s", (HOSTILE,), None)
    assert _without_orders(HarmlessFormatter("%(message)s").format(record))


@needs_terminal
@pytest.mark.parametrize("command", ["convert", "inspect", "nowhere"])
def test_a_file_name_does_not_reach_the_terminal(command: str, tmp_path: Path) -> None:
    document = tmp_path / "x\x1b]0;owned\x07\x1b[2Jy.docx"
    document.write_bytes(b"\0" * 40)
    options = ["-o", str(tmp_path / "out.pdf")] if command == "convert" else []
    if command == "nowhere":  # a name that is refused as an argument
        command, options = "convert", [str(document.with_suffix(".gone")), "-o", str(tmp_path)]
    ours, theirs = pty.openpty()
    arguments = [sys.executable, "-m", "preview_app", command, str(document), *options]
    with subprocess.Popen(arguments, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        told = _all_of(ours)
        process.wait()
    assert b"owned" in told
    assert b"\x1b]" not in told
    assert b"\x1b[2J" not in told


def _all_of(descriptor: int) -> bytes:
    """What comes until the other end is closed, which Linux tells as an error."""
    told = b""
    try:
        while chunk := os.read(descriptor, 1 << 16):
            told += chunk
    except OSError:
        pass
    os.close(descriptor)
    return told
