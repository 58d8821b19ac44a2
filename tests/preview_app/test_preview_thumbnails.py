"""Pictures of first pages are background work: one at a time, given up at once, made once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from preview_app.preview_states import Converted, Extent, Failure
from preview_app.preview_thumbnails import THUMBNAIL_HEIGHT_PX, THUMBNAIL_WIDTH_PX, Key, Thumbnailer, version_of
from preview_app.raster.api import Lane, Pixels, TextDocument
from tests.preview_app.desktop.viewer_fakes import A4, FakeConversions, FakeDocument, FakeRasterizer, Turns, fake_pdf


class Store:
    """A store in memory."""

    def __init__(self) -> None:
        self.kept: dict[Key, Pixels] = {}

    def has(self, key: Key) -> bool:
        return key in self.kept

    def put(self, key: Key, pixels: Pixels) -> None:
        self.kept[key] = pixels


class Desk:
    """A thumbnailer over a folder of documents."""

    def __init__(self, folder: Path) -> None:
        self.turns = Turns()
        self.conversions = FakeConversions()
        self.rasterizer = FakeRasterizer(self.turns)
        self.store = Store()
        self.arrived: list[str] = []
        self.paths = [folder / f"{number}.docx" for number in range(6)]
        for path in self.paths:
            path.write_bytes(path.name.encode())
        self.thumbnailer = Thumbnailer(
            self.conversions,
            self.rasterizer,
            self.store,
            arrived=lambda path, _key: self.arrived.append(path.name),
            soon=self.turns,
        )

    def want(self, *numbers: int) -> None:
        self.thumbnailer.want([self.paths[number] for number in numbers])
        self.turns.run()

    def answer(self, color: int = 0x102030) -> None:
        self.conversions.requests[-1].succeed(Converted(fake_pdf(color), "LibreOffice", 0.1))
        self.turns.run()

    @property
    def live(self) -> list[str]:
        """Names of the documents asked for and not given up, those that were answered too."""
        return [path.name for path in self.conversions.live(Lane.LOW)]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_one_document_at_a_time_in_the_order_of_the_view(desk: Desk) -> None:
    desk.want(2, 0, 1)
    assert desk.live == ["2.docx"]
    desk.answer()
    desk.answer()
    desk.answer()
    assert desk.arrived == ["2.docx", "0.docx", "1.docx"]
    assert all((request.lane, request.extent) == (Lane.LOW, Extent.FIRST_PAGE) for request in desk.conversions.requests)
    assert desk.rasterizer.open_documents == 0
    assert {lane for document in desk.rasterizer.documents for _, _, lane, _ in document.asked} == {Lane.LOW}


def test_a_picture_fills_its_box_and_no_more(desk: Desk) -> None:
    desk.want(0)
    desk.answer()
    (pixels,) = desk.store.kept.values()
    assert pixels.height == THUMBNAIL_HEIGHT_PX
    assert 0 < pixels.width <= THUMBNAIL_WIDTH_PX


def test_what_scrolls_out_of_view_is_given_up_at_once(desk: Desk) -> None:
    desk.want(0, 1)
    desk.want(1, 2)
    assert desk.live == ["1.docx"]
    desk.conversions.requests[0].done(Converted(fake_pdf(), "LibreOffice", 0.1))  # it had been on its way already
    desk.turns.run()
    assert desk.arrived == []
    assert desk.rasterizer.open_documents == 0


def test_it_stands_aside_while_a_person_waits(desk: Desk) -> None:
    desk.want(0, 1)
    desk.thumbnailer.set_paused(True)
    desk.turns.run()
    assert desk.live == []
    desk.thumbnailer.set_paused(False)
    desk.turns.run()
    assert desk.live == ["0.docx"]


def test_a_pause_lets_a_document_go_that_is_being_drawn(desk: Desk) -> None:
    desk.want(0)
    desk.conversions.requests[-1].succeed(Converted(fake_pdf(), "LibreOffice", 0.1))
    desk.turns.waiting.pop(0)()
    assert desk.rasterizer.open_documents == 1
    desk.thumbnailer.set_paused(True)
    assert desk.rasterizer.open_documents == 0
    desk.turns.run()
    assert desk.arrived == []


def test_nothing_is_converted_where_it_is_not_allowed_but_what_is_kept_is_shown(desk: Desk) -> None:
    desk.want(0)
    desk.answer()
    desk.thumbnailer.set_allowed(False)
    desk.arrived.clear()
    desk.want()
    desk.want(1, 0)
    assert desk.arrived == ["0.docx"]
    assert len(desk.conversions.requests) == 1
    desk.thumbnailer.set_allowed(True)
    desk.turns.run()
    assert desk.live == ["0.docx", "1.docx"]


def test_a_file_is_converted_once_a_version(desk: Desk) -> None:
    desk.want(0)
    desk.answer()
    desk.want(0, 1)
    assert desk.thumbnailer.working_on == desk.paths[1]
    desk.answer()
    desk.paths[0].write_bytes(b"a new version")
    os.utime(desk.paths[0], ns=(1, 1))
    desk.want(0, 1)
    assert desk.thumbnailer.working_on == desk.paths[0]


@pytest.mark.parametrize(("outcome", "again"), [("corrupt", False), ("encrypted", False), ("busy", True)])
def test_failures_of_a_document_are_final_others_are_not(desk: Desk, outcome: str, again: bool) -> None:
    desk.want(0, 1)
    desk.conversions.requests[-1].fail(Failure(outcome, "words"))
    desk.turns.run()
    assert desk.thumbnailer.working_on == desk.paths[1], "the next one is tried, whatever it was"
    desk.answer()
    desk.want(0, 1)
    assert (desk.thumbnailer.working_on == desk.paths[0]) is again


def test_a_pdf_that_cannot_be_drawn_is_left(desk: Desk) -> None:
    desk.want(0, 1)
    desk.conversions.requests[-1].succeed(Converted(b"no pdf", "LibreOffice", 0.1))
    desk.turns.run()
    assert desk.thumbnailer.working_on == desk.paths[1]
    assert desk.rasterizer.open_documents == 0


def test_a_document_without_pages_is_left(desk: Desk) -> None:
    desk.want(0)
    desk.conversions.requests[-1].succeed(Converted(fake_pdf(pages=[]), "LibreOffice", 0.1))
    desk.turns.run()
    assert desk.thumbnailer.working_on is None
    assert desk.rasterizer.open_documents == 0


def shown(desk: Desk) -> FakeDocument:
    document: list[TextDocument] = []
    desk.rasterizer.open(
        fake_pdf(0x445566, [A4]),
        lane=Lane.CRITICAL,
        opened=document.append,
        failed=lambda _: None,
    )
    desk.turns.run()
    assert isinstance(document[0], FakeDocument)
    return document[0]


def test_the_document_that_is_shown_gives_its_own_picture(desk: Desk) -> None:
    document = shown(desk)
    desk.thumbnailer.want(desk.paths[:2])
    desk.thumbnailer.offer(desk.paths[0], document)
    desk.turns.run()
    assert desk.arrived == ["0.docx"]
    assert desk.live == ["1.docx"]
    assert not document.closed


def test_an_offer_ends_with_a_pause(desk: Desk) -> None:
    document = shown(desk)
    desk.thumbnailer.want(desk.paths[:1])
    desk.thumbnailer.offer(desk.paths[0], document)
    desk.thumbnailer.set_paused(True)
    document.close()
    desk.turns.run()
    assert desk.arrived == []
    desk.thumbnailer.set_paused(False)
    desk.turns.run()
    assert desk.live == ["0.docx"]


def test_a_view_from_before_a_change_is_no_picture_of_what_the_file_is_now(desk: Desk) -> None:
    """It is offered again whenever the list scrolls, also when the file has been saved anew behind it."""
    document = shown(desk)
    desk.thumbnailer.offer(desk.paths[0], document)
    before = version_of(desk.paths[0])
    desk.paths[0].write_bytes(b"another content")
    desk.thumbnailer.want(desk.paths[:1])
    desk.thumbnailer.offer(desk.paths[0], document)
    desk.turns.run()
    assert set(desk.store.kept) <= {before}
    desk.thumbnailer.want(desk.paths[:1])
    desk.turns.run()
    assert desk.live == ["0.docx"], "what it is now gets a picture of its own"


def test_after_the_end_nothing_is_asked(desk: Desk) -> None:
    desk.want(0, 1)
    desk.thumbnailer.close()
    desk.thumbnailer.close()
    desk.want(1)
    desk.thumbnailer.offer(desk.paths[1], shown(desk))
    assert desk.live == []


def test_what_is_gone_has_no_version(tmp_path: Path) -> None:
    assert version_of(tmp_path / "nowhere") is None
