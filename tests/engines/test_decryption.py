"""Encrypted documents: the right password opens them, a wrong one says so, and neither leaves a trace."""

from __future__ import annotations

import io
import random
import re
import threading
import time
import zipfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import psutil
import pytest
from msoffcrypto.format.ooxml import OOXMLFile

from engines import decryption, opendocument
from engines.archive import Archive
from engines.decryption import DecryptionLimits, Password, decrypt
from engines.encryption import Scheme, scheme_of
from engines.errors import EngineError, ErrorKind
from engines.screening import examine, screen
from engines.sniffing import detect
from tests.engines import encrypted_odf
from tests.engines.cancel_token import Token
from tests.engines.encrypted_odf import ODF12, OLDEST, WHOLE, WHOLE_ARGON2, Way, encrypted
from tests.engines.packages import archive, ooxml

SECRET = Password("open sesame")
PARTS = {"content.xml": b"<content>" + b"hello " * 400 + b"</content>", "styles.xml": b"<styles/>"}


PACKAGE = ooxml(parts={"word/noise.bin": random.Random(1).randbytes(20_000)})


def wrapped(password: str) -> bytes:
    """`PACKAGE` in an encrypted wrapper."""
    result = io.BytesIO()
    OOXMLFile(io.BytesIO(PACKAGE)).encrypt(password, result)
    return result.getvalue()


def kind_of(call: Callable[[], object]) -> ErrorKind:
    with pytest.raises(EngineError) as caught:
        call()
    assert caught.value.message.endswith(".")
    return caught.value.kind


# ---- real documents

CORPUS_PASSWORDS = [
    ("gotenberg-protected_page_1.docx", "foo"),
    ("jod-test_password.odt", "test"),
    ("msoff-rc4cryptoapi_password.ppt", "Password1234_"),
    ("msoff-ecma376standard_password.docx", "Password1234_"),
    ("poi-xor-encryption-abc.xls", "abc"),
    ("poi-password_tika_binaryrc4.doc", "tika"),
    ("poi-protected_passtika.xlsb", "tika"),
]


@pytest.mark.corpus
@pytest.mark.parametrize(("name", "password"), CORPUS_PASSWORDS, ids=[name for name, _ in CORPUS_PASSWORDS])
def test_a_real_document_opens_with_its_password_only(name: str, password: str, corpus: Path) -> None:
    data = (corpus / "password" / name).read_bytes()
    found = detect(data, name)
    scheme = scheme_of(data, found)
    assert scheme is not None
    plain = decrypt(data, scheme, [Password("no"), Password(password)])
    inside = detect(plain, name)
    assert (inside.type, scheme_of(plain, inside)) == (found.type, None)
    examine(plain, name)
    assert kind_of(lambda: decrypt(data, scheme, [Password(password + "x")])) is ErrorKind.BAD_PASSWORD
    assert kind_of(lambda: examine(data, name)) is ErrorKind.ENCRYPTED


@pytest.mark.corpus
def test_the_passwords_of_the_manifest_are_those_tested(corpus: Path) -> None:
    text = (corpus / "MANIFEST.tsv").read_text(encoding="utf-8")
    known = dict(re.findall(r"^password/(\S+)\t.*password per upstream tests: (\S+)", text, re.MULTILINE))
    assert known.items() <= dict(CORPUS_PASSWORDS).items()


# ---- what is made here


@pytest.mark.parametrize("way", [OLDEST, ODF12, WHOLE, WHOLE_ARGON2], ids=["oldest", "odf12", "whole", "argon2"])
@pytest.mark.parametrize("text", ["secret", "geheime Schlüssel ✓"])
def test_every_way_of_open_document(way: Way, text: str) -> None:
    data = encrypted(way, PARTS, text.encode())
    found = detect(data, "a.odt")
    assert scheme_of(data, found) is Scheme.ODF
    plain = decrypt(data, Scheme.ODF, [Password(text)])
    with zipfile.ZipFile(io.BytesIO(plain)) as package:
        assert package.testzip() is None
        assert {name: package.read(name) for name in PARTS} == PARTS
        assert package.infolist()[0].filename == "mimetype"
    assert not opendocument.is_encrypted(Archive.open(memoryview(plain)))
    examine(plain, "a.odt")
    assert kind_of(lambda: decrypt(data, Scheme.ODF, [Password("wrong")])) is ErrorKind.BAD_PASSWORD


def test_a_password_in_the_old_encoding() -> None:
    data = encrypted(OLDEST, PARTS, "Schlüssel".encode("cp1252"))
    assert decrypt(data, Scheme.ODF, [Password("Schlüssel")])


def test_an_office_package() -> None:
    data = wrapped("Schlüssel ✓")
    assert decrypt(data, Scheme.OFFICE, [Password("Schlüssel ✓")]) == PACKAGE
    assert kind_of(lambda: decrypt(data, Scheme.OFFICE, [SECRET, Password("")])) is ErrorKind.BAD_PASSWORD


def test_what_has_the_default_password_opens_by_itself() -> None:
    assert examine(wrapped("VelvetSweatshop"), "a.docx").data == PACKAGE
    assert kind_of(lambda: examine(wrapped("another"), "a.docx")) is ErrorKind.ENCRYPTED


def test_the_attempt_with_the_default_password_can_be_given_up() -> None:
    data, token = wrapped("another"), Token()
    token.cancel()
    assert kind_of(lambda: screen(data, detect(data, "a.docx"), cancel=token)) is ErrorKind.CANCELLED
    later = Token()
    screen(wrapped("VelvetSweatshop"), detect(data, "a.docx"), cancel=later)
    assert not later._callbacks


def test_what_is_not_encrypted_has_no_scheme() -> None:
    data = ooxml()
    assert scheme_of(data, detect(data, "a.docx")) is None


# ---- bounds


def test_a_document_that_asks_for_too_much_work_is_refused() -> None:
    for way in (replace(ODF12, declared_rounds=9_999_999), replace(WHOLE_ARGON2, declared_rounds=99)):
        data = encrypted(way, PARTS, b"open sesame")
        assert kind_of(partial(decrypt, data, Scheme.ODF, [SECRET])) is ErrorKind.LIMIT
    limits = DecryptionLimits(hash_rounds_max=1_000)
    assert kind_of(lambda: decrypt(wrapped("x"), Scheme.OFFICE, [SECRET], limits=limits)) is ErrorKind.LIMIT


def test_memory_is_bounded() -> None:
    data = encrypted(ODF12, {"content.xml": bytes(200 << 20)}, b"open sesame")
    limits = DecryptionLimits(memory_bytes_max=400 << 20)
    assert kind_of(lambda: decrypt(data, Scheme.ODF, [SECRET], limits=limits)) is ErrorKind.LIMIT
    limits = DecryptionLimits(plain_bytes_max=1 << 20)
    assert kind_of(lambda: decrypt(data, Scheme.ODF, [SECRET], limits=limits)) is ErrorKind.LIMIT


PASSWORDS = [Password(str(number)) for number in range(1000)]
SLOW = encrypted(replace(ODF12, declared_rounds=1_900_000), PARTS, b"open sesame")
"""Takes minutes to be tried with `PASSWORDS`."""


def test_processor_time_is_bounded() -> None:
    assert kind_of(lambda: decrypt(SLOW, Scheme.ODF, PASSWORDS, limits=DecryptionLimits(cpu_s=1))) is ErrorKind.LIMIT


def test_time_is_bounded() -> None:
    limits = DecryptionLimits(deadline_s=0.5)
    assert kind_of(lambda: decrypt(SLOW, Scheme.ODF, PASSWORDS, limits=limits)) is ErrorKind.TIMEOUT


def test_cancelling_ends_the_child() -> None:
    token = Token()
    seen: list[dict[str, object]] = []

    def watch() -> None:
        until = time.monotonic() + 30
        while time.monotonic() < until and not seen:
            children = [child for child in psutil.Process().children() if child.name() == "docpeek-decrypt"]
            seen.extend({"command": child.cmdline(), "environment": child.environ()} for child in children)
        token.cancel()

    watcher = threading.Thread(target=watch)
    watcher.start()
    assert kind_of(lambda: decrypt(SLOW, Scheme.ODF, [SECRET, *PASSWORDS], cancel=token)) is ErrorKind.CANCELLED
    watcher.join()
    assert SECRET.text not in str(seen[0]), "neither an argument nor a variable"
    cancelled = Token()
    cancelled.cancel()
    assert kind_of(lambda: decrypt(SLOW, Scheme.ODF, PASSWORDS, cancel=cancelled)) is ErrorKind.CANCELLED


# ---- damage


def test_damaged_documents_are_told_from_wrong_passwords() -> None:
    whole = encrypted(ODF12, PARTS, b"open sesame")
    for data in (
        archive({"mimetype": encrypted_odf.MIME, "META-INF/manifest.xml": "<manifest:encryption-data"}),
        archive({"mimetype": encrypted_odf.MIME, "META-INF/manifest.xml": "<!DOCTYPE x [<!ENTITY a 'b'>]><x/>"}),
        whole.replace(b'key-size="32" manifest:salt', b'key-size="99" manifest:salt'),
        whole.replace(b"initialisation-vector=", b"initialisation-victor="),
    ):
        assert kind_of(partial(decrypt, data, Scheme.ODF, [SECRET])) is ErrorKind.CORRUPT
    damaged = bytearray(wrapped("open sesame"))
    position = damaged.find(b"<encryption ")
    damaged[position : position + 200] = bytes(200)
    assert kind_of(lambda: decrypt(bytes(damaged), Scheme.OFFICE, [SECRET])) is ErrorKind.CORRUPT


def test_open_pgp_is_named() -> None:
    entry = (
        '<manifest:file-entry manifest:full-path="encrypted-package"><manifest:encryption-data>'
        '<manifest:algorithm manifest:algorithm-name="x#aes256-gcm" manifest:initialisation-vector="AAAA"/>'
        "</manifest:encryption-data></manifest:file-entry>"
    )
    parts: dict[str, bytes | str] = {"encrypted-package": b"x", "META-INF/manifest.xml": encrypted_odf.manifest(entry)}
    data = archive({"mimetype": encrypted_odf.MIME, **parts})
    with pytest.raises(EngineError, match="OpenPGP") as caught:
        decrypt(data, Scheme.ODF, [SECRET])
    assert caught.value.kind is ErrorKind.UNSUPPORTED


def test_a_password_is_no_part_of_what_is_shown() -> None:
    assert "sesame" not in repr(SECRET) + str(SECRET) + repr(decryption.DEFAULT_PASSWORDS)
