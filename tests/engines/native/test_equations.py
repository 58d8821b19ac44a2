"""Documents with equations are known as such."""

from __future__ import annotations

import pytest

from engines.formats import by_id
from engines.native.equations import present
from tests.engines.packages import archive

FORMULA = (
    '<manifest:file-entry manifest:full-path="o/" manifest:media-type="application/vnd.oasis.opendocument.formula"/>'
)


@pytest.mark.parametrize(
    ("type_id", "parts", "expected"),
    [
        ("docx", {"word/document.xml": "<w:p><m:oMathPara><m:oMath>"}, True),
        ("docx", {"word/document.xml": "<w:p/>", "docProps/app.xml": "<m:oMath>"}, False),
        ("pptx", {"ppt/slides/slide1.xml": "<p/>", "ppt/slides/slide2.xml": "<a14:m><m:oMath>"}, True),
        ("odt", {"META-INF/manifest.xml": FORMULA}, True),
        ("odt", {"META-INF/manifest.xml": "<manifest/>"}, False),
        ("odt", {"content.xml": "x"}, False),
    ],
)
def test_of_a_package(type_id: str, parts: dict[str, bytes | str], expected: bool) -> None:
    assert present(memoryview(archive(parts)), by_id(type_id)) is expected


@pytest.mark.parametrize("type_id", ["docx", "odt", "doc", "csv"])
def test_of_what_is_damaged_or_none(type_id: str) -> None:
    assert not present(memoryview(b"PK\x03\x04 damaged <m:oMath"), by_id(type_id))
