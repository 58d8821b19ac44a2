"""Real documents with passwords, through the whole service and through the command line."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from converter.errors import ConversionError, Outcome
from converter.request import Locator
from converter.service import Converter
from engines.decryption import Password
from tests.engines.test_decryption import CORPUS_PASSWORDS
from tests.preview_app.raster.pdfs import PdfPage, make_pdf

pytestmark = [pytest.mark.corpus, pytest.mark.wasm]


def outcome(converter: Converter, file: Path, password: str | None) -> Outcome:
    ticket = converter.open(Locator.of(file), password=None if password is None else Password(password))
    try:
        conversion = ticket.result(100)
    except ConversionError as error:
        return error.outcome
    assert conversion.pages >= 1
    assert not conversion.from_cache
    return Outcome.OK


@pytest.mark.parametrize(("name", "password"), CORPUS_PASSWORDS, ids=[name for name, _ in CORPUS_PASSWORDS])
def test_only_the_right_password_opens_it(name: str, password: str, corpus: Path, converter: Converter) -> None:
    file = corpus / "password" / name
    assert outcome(converter, file, password) is Outcome.OK
    assert outcome(converter, file, "wrong") is Outcome.BAD_PASSWORD
    assert outcome(converter, file, None) is Outcome.ENCRYPTED
    now = converter.statistics()
    assert (now.cached_pdfs, now.aliases, now.reserved_bytes) == (0, 0, 0)


def test_two_tickets_on_one_encrypted_file_share_nothing(corpus: Path, converter: Converter) -> None:
    file = corpus / "password" / "jod-test_password.odt"
    tickets = [converter.open(Locator.of(file), password=Password("test")) for _ in range(2)]
    first, second = [ticket.result(100) for ticket in tickets]
    assert first.pdf is not second.pdf
    now = converter.statistics()
    assert (now.cached_pdfs, now.aliases) == (0, 0)
    assert all(lane.joined == 0 for lane in now.lanes.values())


def test_what_opens_for_everybody_opens_with_any_password(corpus: Path, converter: Converter) -> None:
    assert outcome(converter, corpus / "password" / "poi-protect.xlsx", "whatever") is Outcome.OK


def test_a_pdf_with_a_password(tmp_path: Path, converter: Converter) -> None:
    file = tmp_path / "locked.pdf"
    file.write_bytes(make_pdf([PdfPage()], password="tika"))
    assert outcome(converter, file, None) is Outcome.ENCRYPTED
    assert outcome(converter, file, "wrong") is Outcome.BAD_PASSWORD
    assert outcome(converter, file, "tika") is Outcome.OK


def docpeek(*arguments: object, password: bytes = b"") -> tuple[int, list[dict[str, object]]]:
    command = [sys.executable, "-m", "preview_app", *map(str, arguments)]
    done = subprocess.run(command, input=password, capture_output=True, timeout=110, check=False)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def test_the_command_line_reads_a_password(corpus: Path, tmp_path: Path) -> None:
    file = corpus / "password" / "poi-password_tika_binaryrc4.doc"
    convert = ("convert", file, "-o", tmp_path / "out.pdf", "--json", "--password-file", "-")
    status, (told,) = docpeek(*convert, password=b"tika\n")
    assert (status, told["kind"], told["pages"]) == (0, "ok", 1)
    status, (told,) = docpeek(*convert, password=b"wrong\n")
    assert (status, told["kind"]) == (4, "bad_password")


def test_the_command_line_asks_on_a_terminal(tmp_path: Path) -> None:
    file = tmp_path / "locked.pdf"
    file.write_bytes(make_pdf([PdfPage()], password="tika"))
    try:
        ours, theirs = pty.openpty()
    except OSError as error:
        pytest.skip(f"this machine has no pseudo-terminals: {error}")
    command = [sys.executable, "-m", "preview_app", "convert", str(file), "-o", str(tmp_path / "out.pdf"), "--password"]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True) as process:
        os.close(theirs)
        shown = b""
        while b"Password: " not in shown:
            shown += os.read(ours, 1024)
        os.write(ours, b"tika\n")
        try:
            while more := os.read(ours, 1024):
                shown += more
        except OSError:
            pass  # Linux tells the end of a terminal so
        assert process.wait(100) == 0, shown
    os.close(ours)
    assert b"tika" not in shown
    assert b"/Encrypt" not in (tmp_path / "out.pdf").read_bytes()
