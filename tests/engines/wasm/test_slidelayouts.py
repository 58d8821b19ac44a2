"""Layouts that no slide uses are left out of presentations, and nothing else of them changes."""

from __future__ import annotations

import io
import zipfile

import pytest

from engines.wasm.slidelayouts import with_used_layouts
from tests.engines.packages import ooxml

POWERPOINT = "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"
MAIN = "ppt/presentation.xml"
MASTER = "ppt/slideMasters/_rels/slideMaster1.xml.rels"
TYPE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"


def relations(*targets: tuple[str, str], extra: str = "") -> str:
    body = "".join(
        f'<Relationship Id="r{number}" Type="{TYPE}{kind}" Target="{target}"{extra}/>'
        for number, (kind, target) in enumerate(targets)
    )
    return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{body}</Relationships>'


def deck(slides: dict[str, str]) -> bytes:
    """A presentation whose slides have the relations given, with one master that has three layouts."""
    layouts = [("slideLayout", f"../slideLayouts/layout{number}.xml") for number in (1, 2, 3)]
    parts: dict[str, bytes | str] = {
        "ppt/_rels/presentation.xml.rels": relations(
            ("slideMaster", "slideMasters/slideMaster1.xml"), *(("slide", f"slides/{name}") for name in slides)
        ),
        "ppt/slideMasters/slideMaster1.xml": "<p/>",
        MASTER: relations(*layouts, ("theme", "../theme/a&amp;b.xml")),
    }
    for number in (1, 2, 3):
        parts[f"ppt/slideLayouts/layout{number}.xml"] = "<p/>"
        parts[f"ppt/slideLayouts/_rels/layout{number}.xml.rels"] = relations(
            ("slideMaster", "../slideMasters/slideMaster1.xml")
        )
    for name, related in slides.items():
        parts[f"ppt/slides/{name}"] = "<p/>"
        parts[f"ppt/slides/_rels/{name}.rels"] = related
    return ooxml(POWERPOINT, MAIN, parts)


def test_the_master_forgets_what_no_slide_uses() -> None:
    source = deck({"one.xml": relations(("slideLayout", "../slideLayouts/layout2.xml"))})
    with zipfile.ZipFile(io.BytesIO(source)) as before:
        parts = {name: before.read(name) for name in before.namelist()}
    with zipfile.ZipFile(io.BytesIO(with_used_layouts(memoryview(source), "pptx"))) as after:
        assert after.testzip() is None
        assert after.namelist() == list(parts)
        master = after.read(MASTER).decode()
        assert all(after.read(name) == data for name, data in parts.items() if name != MASTER)
    assert [f"layout{number}.xml" in master for number in (1, 2, 3)] == [False, True, False]
    assert 'Id="r3"' in master, "other relations keep their names"
    assert "a&amp;b.xml" in master, "and their targets"


@pytest.mark.parametrize(
    "target", ["/ppt/slideLayouts/layout1.xml", "../SlideLayouts/Layout1.xml", "..%2FslideLayouts/layout1.xml"]
)
def test_a_layout_is_found_however_it_is_spelt(target: str) -> None:
    source = deck({"one.xml": relations(("slideLayout", target))})
    with zipfile.ZipFile(io.BytesIO(with_used_layouts(source, "ppsx"))) as after:
        master = after.read(MASTER).decode()
    assert [f"layout{number}.xml" in master for number in (1, 2, 3)] == [True, False, False]


@pytest.mark.parametrize(
    "slides",
    [
        {},
        {"one.xml": relations(("image", "../media/a.png"))},
        {"one.xml": relations(("slideLayout", "../slideLayouts/layout9.xml"))},
        {"one.xml": relations(("slideLayout", "../slideLayouts/layout1.xml"), extra=' TargetMode="External"')},
        {"one.xml": relations(*(("slideLayout", f"../slideLayouts/layout{number}.xml") for number in (1, 2, 3)))},
        {"one.xml": relations(("slideLayout", "../slideLayouts/layout1.xml")), "two.xml": relations()},
        {"one.xml": "<broken"},
        {"one.xml": f'<!DOCTYPE a [<!ENTITY b "c">]>{relations(("slideLayout", "../slideLayouts/layout1.xml"))}'},
    ],
    ids=["no slides", "none", "not there", "outside", "all are used", "one has none", "broken", "entities"],
)
def test_where_it_is_not_clear_nothing_changes(slides: dict[str, str]) -> None:
    source = deck(slides)
    assert with_used_layouts(source, "pptx") is source


def test_other_types_and_damage_stay_as_they_are() -> None:
    source = deck({"one.xml": relations(("slideLayout", "../slideLayouts/layout2.xml"))})
    assert with_used_layouts(source, "docx") is source
    damaged = memoryview(source)[:-30]
    assert with_used_layouts(damaged, "pptx") is damaged
