"""Which links may be followed."""

from __future__ import annotations

import pytest

from preview_app.links import may_be_followed


@pytest.mark.parametrize(
    "uri",
    [
        "https://example.org/a?attach=1",
        "HTTP://example.org",
        "ftp://example.org/a",
        "mailto:a@example.org",
        "mailto:a@example.org?Subject=x&body=y%20z&cc=b@example.org&bcc=",
    ],
)
def test_the_web_and_letters(uri: str) -> None:
    assert may_be_followed(uri)


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "relative/path",
        "//host/share",
        r"\\host\share",
        "file:///etc/passwd",
        "smb://host/share",
        "javascript:alert(1)",
        " javascript:alert(1)",
        "data:text/html,x",
        "ms-msdt:/id",
        "http://[not-an-address",
        "mailto:a@example.org?attach=/etc/passwd",
        "mailto:a@example.org?subject=x&ATTACHMENT=/etc/passwd",
        "mailto:a@example.org?subject=x&%61ttach=/etc/passwd",
        "mailto:?attach",
    ],
)
def test_nothing_else(uri: str) -> None:
    assert not may_be_followed(uri)
