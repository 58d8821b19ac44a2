"""Which links of a document may be handed to a browser or to a mail program, when a person asks for it."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

_SCHEMES = frozenset({"http", "https", "mailto", "ftp"})
_MAIL_FIELDS = frozenset({"subject", "body", "cc", "bcc"})
"""Some mail programs take `attach` as well: a file of this person's, chosen by whoever wrote the document."""


def may_be_followed(uri: str) -> bool:
    """Whether it leads to the web or begins a letter; `file:`, `javascript:` and the like do not."""
    try:
        parts = urlsplit(uri.strip())
        fields = parse_qsl(parts.query, keep_blank_values=True)
    except ValueError:
        return False
    if parts.scheme.lower() not in _SCHEMES:
        return False
    return parts.scheme.lower() != "mailto" or {name.lower() for name, _value in fields} <= _MAIL_FIELDS
