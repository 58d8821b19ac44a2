"""Documents with passwords on their way to plain ones, and the password on its way from the command line."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import click
import psutil
import pytest

from engines.decryption import Password
from engines.errors import EngineError, ErrorKind
from preview_app import passwords
from preview_app.raster.blocking import PdfChecker
from preview_app.raster.process import WorkerLimits
from preview_app.unlocking import Unlocker
from tests.engines.cancel_token import Token
from tests.engines.encrypted_odf import ODF12, encrypted
from tests.engines.packages import ooxml
from tests.preview_app.raster.pdfs import PdfPage, make_pdf

PDF = make_pdf([PdfPage().text(20, 50, "secret words"), PdfPage()], password="tika")
RIGHT, WRONG = Password("tika"), Password("wrong")


@pytest.fixture(params=[True, False], ids=["shared memory", "socket"])
def checker(request: pytest.FixtureRequest) -> Iterator[PdfChecker]:
    made = PdfChecker(WorkerLimits(shared_memory=request.param))
    yield made
    made.close()


def kind_of(unlock: Unlocker, *arguments: Any) -> ErrorKind:
    with pytest.raises(EngineError) as caught:
        unlock(*arguments)
    return caught.value.kind


def test_a_pdf_becomes_a_plain_one(checker: PdfChecker) -> None:
    unlock = Unlocker(checker)
    with pytest.raises(EngineError) as caught:
        checker.count_pages(PDF)
    assert caught.value.kind is ErrorKind.ENCRYPTED
    plain = unlock(PDF, "a.pdf", RIGHT, Token())
    assert b"/Encrypt" not in plain
    assert checker.count_pages(plain) == 2
    assert kind_of(unlock, PDF, "a.pdf", WRONG, Token()) is ErrorKind.BAD_PASSWORD
    damaged = b"%PDF-1.7\n" + bytes(100)
    assert kind_of(unlock, damaged, "a.pdf", WRONG, Token()) is ErrorKind.CORRUPT


def test_what_needs_no_password_stays_as_it_is(checker: PdfChecker) -> None:
    unlock = Unlocker(checker)
    for data, name in ((make_pdf([PdfPage()]), "a.pdf"), (ooxml(), "a.docx"), (b"words", "a.txt")):
        assert unlock(data, name, RIGHT, Token()) is data


def test_cancelling_ends_the_worker(checker: PdfChecker) -> None:
    token = Token()
    token.cancel()
    assert kind_of(Unlocker(checker), PDF, "a.pdf", RIGHT, token) is ErrorKind.CANCELLED
    assert Unlocker(checker)(PDF, "a.pdf", RIGHT, Token()), "the next one has a worker of its own"


def test_many_at_once_share_nothing(checker: PdfChecker) -> None:
    unlock = Unlocker(checker)
    document = encrypted(ODF12, {"content.xml": b"<content/>"}, b"tika")
    outcomes: list[str] = []

    def ask(data: bytes, name: str, password: Password) -> None:
        try:
            unlock(data, name, password, Token())
            outcomes.append("ok")
        except EngineError as error:
            outcomes.append(error.kind.value)

    questions = [(PDF, "a.pdf", RIGHT), (PDF, "a.pdf", WRONG), (document, "a.odt", RIGHT), (document, "a.odt", WRONG)]
    threads = [threading.Thread(target=partial(ask, *question)) for question in questions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(outcomes) == ["bad_password", "bad_password", "ok", "ok"]
    assert all("tika" not in " ".join(child.cmdline()) for child in psutil.Process().children())


# ---- from the command line


@pytest.mark.parametrize(
    ("content", "password"),
    [
        (b"tika", "tika"),
        (b"tika\n", "tika"),
        (b"ti ka \r\nmore\n", "ti ka "),
        ("\ufeffSchlüssel\n".encode(), "Schlüssel"),
    ],
)
def test_the_first_line_of_a_file(content: bytes, password: str, tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_bytes(content)
    assert passwords.ask_for(file, prompt=False) == Password(password)


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"tika\nmore\n")))
    assert passwords.ask_for(Path("-"), prompt=False) == Password("tika")


@pytest.mark.parametrize("content", [b"", b"\nsecond", b"\xff\xfe"])
def test_a_file_without_a_password(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_bytes(content)
    for path in (file, tmp_path / "none"):
        with pytest.raises(click.UsageError):
            passwords.ask_for(path, prompt=False)


def test_nobody_to_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"tika\n")))
    with pytest.raises(click.UsageError, match="--password-file"):
        passwords.ask_for(None, prompt=True)
    with pytest.raises(click.UsageError, match="not both"):
        passwords.ask_for(Path("-"), prompt=True)
    assert passwords.ask_for(None, prompt=False) is None
