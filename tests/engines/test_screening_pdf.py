"""A PDF that opens without a password is not called encrypted, one that needs it is."""

from __future__ import annotations

from typing import Any

import pytest

from engines.errors import EngineError, ErrorKind
from engines.screening import Screened, examine

pymupdf: Any = pytest.importorskip("pymupdf")  # it has no types

METHODS = {
    "RC4 40": pymupdf.PDF_ENCRYPT_RC4_40,
    "RC4 128": pymupdf.PDF_ENCRYPT_RC4_128,
    "AES 128": pymupdf.PDF_ENCRYPT_AES_128,
    "AES 256": pymupdf.PDF_ENCRYPT_AES_256,
}


def pdf(method: int, user: str) -> bytes:
    document = pymupdf.open()
    document.new_page().insert_text((72, 72), "words")
    data: bytes = document.tobytes(
        encryption=method, user_pw=user, owner_pw="owner", permissions=pymupdf.PDF_PERM_PRINT
    )
    document.close()
    return data


@pytest.mark.parametrize("method", METHODS)
def test_an_owner_password_alone_keeps_nobody_out(method: str) -> None:
    assert isinstance(examine(pdf(METHODS[method], ""), "a.pdf"), Screened)


@pytest.mark.parametrize("method", [name for name in METHODS if name != "AES 256"])
def test_a_user_password_is_asked_for(method: str) -> None:
    with pytest.raises(EngineError) as caught:
        examine(pdf(METHODS[method], "secret"), "a.pdf")
    assert caught.value.kind is ErrorKind.ENCRYPTED


def test_an_unknown_cipher_is_left_to_the_reader() -> None:
    assert isinstance(examine(pdf(METHODS["AES 256"], "secret"), "a.pdf"), Screened)
