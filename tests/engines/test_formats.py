"""The table of document types holds together."""

from __future__ import annotations

import pytest

from engines.formats import DOCUMENT_TYPES, Container, Family, by_id, by_mime, by_suffix, same_kind, suffix_of

PROMISED = (
    "docx docm dotx dotm doc dot rtf odt fodt ott txt html xlsx xlsm xltx xlsb xls ods fods ots csv tsv "
    "pptx pptm ppsx potx ppt pps odp fodp otp odg fodg otg pdf"
)


@pytest.mark.parametrize("suffix", PROMISED.split())
def test_each_promised_suffix_has_a_type(suffix: str) -> None:
    found = by_suffix(suffix)
    assert found is not None
    assert suffix in found.suffixes
    assert by_suffix("." + suffix.upper()) is found


def test_ids_mimes_and_suffixes_are_unique() -> None:
    for values in (
        [each.id for each in DOCUMENT_TYPES],
        [each.mime for each in DOCUMENT_TYPES],
        [suffix for each in DOCUMENT_TYPES for suffix in each.suffixes],
    ):
        assert len(values) == len(set(values))


def test_each_type_is_found_by_id_and_mime() -> None:
    for each in DOCUMENT_TYPES:
        assert by_id(each.id) is each
        assert by_mime(each.mime.upper() + "; charset=utf-8") is each
        assert each.id in each.suffixes
        assert bool(each.import_filter) == (each.family is not Family.PDF)


def test_unknown_keys() -> None:
    assert by_suffix("pages") is None
    assert by_mime("image/png") is None
    with pytest.raises(KeyError):
        by_id("pages")


@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        ("a.DOCX", "docx"),
        ("/x.y/report", ""),
        ("C:\\dir\\b.tar.gz", "gz"),
        (".profile", ""),
        ("trailing.", ""),
        ("", ""),
        ("年度 #1%20.odt", "odt"),
    ],
)
def test_suffix_of(name: str, suffix: str) -> None:
    assert suffix_of(name) == suffix


def test_roles_are_of_one_kind_and_macros_are_not() -> None:
    assert same_kind(by_id("pptx"), by_id("ppsx"))
    assert same_kind(by_id("docx"), by_id("dotx"))
    assert not same_kind(by_id("docx"), by_id("docm"))
    assert not same_kind(by_id("xlsx"), by_id("xlsb"))
    assert not same_kind(by_id("docx"), by_id("odt"))
    assert by_id("odt").container is Container.ODF
