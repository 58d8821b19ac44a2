"""Flat OpenDocument files before an office that finds out by itself what they are."""

from __future__ import annotations

import codecs

import pytest

from engines import flatodf
from engines.formats import by_id

MIME = by_id("fods").mime
COMMENT = b'<!-- office:mimetype="application/vnd.oasis.opendocument.spreadsheet" -->'
DECLARATION = b'<?xml version="1.0" encoding="UTF-8"?>'
LATIN1 = b'<?xml version="1.0" encoding="latin1"?>'
UTF_16 = '<?xml version="1.0" encoding="UTF-16"?><d>ä</d>'


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (DECLARATION + b"<d/>", DECLARATION + COMMENT + b"<d/>"),
        (b"\n " + DECLARATION + b"\n<d/>", DECLARATION + COMMENT + b"\n<d/>"),
        (b"\n<d/>", DECLARATION + COMMENT + b"<d/>"),
        (codecs.BOM_UTF8 + b"<?xml version='1.0'?><d/>", b"<?xml version='1.0'?>" + COMMENT + b"<d/>"),
        (LATIN1 + b"<d>\xe4</d>", LATIN1 + COMMENT + b"<d>\xe4</d>"),
        (
            '<?xml version="1.0" encoding="UTF-16"?><d>ä</d>'.encode("utf-16"),
            DECLARATION + COMMENT + b"<d>\xc3\xa4</d>",
        ),
        (b"", DECLARATION + COMMENT),
    ],
)
def test_the_media_type_stands_at_the_beginning(document: bytes, expected: bytes) -> None:
    assert flatodf.recognisable(memoryview(document), MIME) == expected
