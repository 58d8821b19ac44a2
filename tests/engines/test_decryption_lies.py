"""What a child may answer that a document has taken over while it was decrypted."""

from __future__ import annotations

import sys

import pytest

from engines import decryption
from engines.decryption import DecryptionLimits, Password, decrypt
from engines.encryption import Scheme
from engines.errors import EngineError, ErrorKind

LIMITS = DecryptionLimits(deadline_s=20.0, plain_bytes_max=1 << 20)
_LIAR = """
import struct, sys
sys.stdin.buffer.read()
out = sys.stdout.buffer
say = lambda head: out.write(struct.pack("<I", len(head)) + head)
"""


def _answered_by(program: str, monkeypatch: pytest.MonkeyPatch) -> EngineError:
    monkeypatch.setattr(decryption, "CHILD", (sys.executable, "-c", _LIAR + program))
    with pytest.raises(EngineError) as caught:
        decrypt(b"x" * 100_000, Scheme.ODF, [Password("secret")], limits=LIMITS)
    return caught.value


@pytest.mark.parametrize(
    "head",
    [
        b"nonsense", b"[]", b"{}", b'{"bytes":"0"}', b'{"kind":"curious","message":"?","diagnostics":""}',
        b'{"kind":"corrupt"}', b'{"kind":"corrupt","message":7,"diagnostics":[]}', b"[" * 200_000,
    ],
)  # fmt: skip
def test_an_answer_that_is_none_is_a_refusal(head: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    program = f"say({head!r})" if len(head) < 1000 else f"say({head[:1]!r} * {len(head)})"
    assert _answered_by(program, monkeypatch).kind is ErrorKind.LIMIT


def test_an_endless_answer_is_not_collected(monkeypatch: pytest.MonkeyPatch) -> None:
    endless = "while True: out.write(bytes(1 << 20))"
    assert _answered_by(endless, monkeypatch).kind is ErrorKind.LIMIT


def test_a_child_that_goes_without_reading_is_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decryption, "CHILD", (sys.executable, "-c", "pass"))
    with pytest.raises(EngineError) as caught:
        decrypt(b"x" * 1_000_000, Scheme.ODF, [Password("secret")], limits=LIMITS)
    assert caught.value.kind is ErrorKind.LIMIT
