"""What views of a preview ask a kernel, and what they get."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from preview_app.jupyter.notebook import Preview
from preview_app.jupyter.notebook_service import NotebookService
from tests.fakes import FakeEngine
from tests.preview_app.jupyter.notebook.conftest import Show
from tests.preview_app.jupyter.notebook.front_end import FrontEnd, picture, text

PNG = b"\x89PNG"
Other = Callable[[Preview], FrontEnd]


@contextmanager
def _held(service: NotebookService) -> Iterator[None]:
    """The renderers stand still."""
    machines = service.machinery.machines
    assert machines is not None
    for pid in machines.pool.worker_pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in machines.pool.worker_pids:
            os.kill(pid, signal.SIGCONT)


def _settle(service: NotebookService) -> None:
    """Wait until the service has taken all that was said to it."""
    service.submit(asyncio.sleep(0)).result()


def test_a_view_gets_what_it_asks_for(show_text: Show, front_end: Other) -> None:
    other = front_end(show_text("one\ftwo\fthree"))
    other.want(1, picture(2, dpi=144), text(2))
    assert other.hear() == ({"type": "seen", "view": "v", "number": 1}, [])
    message, (png,) = other.hear()
    assert message == {"type": "picture", "view": "v", "key": "2", "page": 2}
    assert png.startswith(PNG)
    assert int.from_bytes(png[16:20], "big") == 400  # of 200 points, at 144 dots an inch
    message, _ = other.hear()
    assert [line["text"] for line in message["text"]["lines"]] == ["two"]


def test_a_part_of_a_page_and_no_more(show_text: Show, front_end: Other) -> None:
    other = front_end(show_text("one"))
    other.want(1, picture(1, clip=[10, 20, 60, 50]))
    other.hear()
    _, (png,) = other.hear()
    assert [int.from_bytes(png[at : at + 4], "big") for at in (16, 20)] == [50, 30]


def test_what_is_not_wanted_any_more_never_comes(show_text: Show, front_end: Other, service: NotebookService) -> None:
    other = front_end(show_text("one\ftwo\fthree"))
    with _held(service):
        other.want(1, picture(1), picture(2))
        other.want(2, picture(3))
        _settle(service)
    assert other.hear_until("3") == [("seen", 1), ("seen", 2), ("picture", "3")]
    other.want(3, picture(2))
    assert other.hear_until("2") == [("seen", 3), ("picture", "2")]


def test_who_comes_back_at_once_gets_it(show_text: Show, front_end: Other, service: NotebookService) -> None:
    other = front_end(show_text("one\ftwo"))
    with _held(service):
        for number in range(1, 6):
            other.want(number, *[picture(1)][: number % 2])
        _settle(service)
    assert other.hear_until("1")[-1] == ("picture", "1")


def test_views_are_served_apart_and_may_leave(show_text: Show, front_end: Other, service: NotebookService) -> None:
    other = front_end(show_text("one\ftwo"))
    with _held(service):
        other.want(1, picture(1), view="gone")
        other.say({"type": "leave", "view": "gone"})
        other.want(1, picture(2), view="here")
        _settle(service)
    assert other.hear_until("2") == [("seen", 1), ("seen", 1), ("picture", "2")]


NO_MESSAGES = (
    None,
    {"type": "want", "view": "v", "wishes": "all"},
    {"type": "want", "view": 5, "wishes": []},
    {"type": "something", "view": "v"},
)
WISH = {"key": "x", "page": 1, "kind": "picture", "dpi": 72}
NO_WISHES = (
    "page 1",
    {**WISH, "page": 2},
    {**WISH, "page": 0},
    {**WISH, "page": "one"},
    {**WISH, "kind": "file"},
    {**WISH, "dpi": 1e9},
    {**WISH, "dpi": float("nan")},
    {**WISH, "clip": [0, 0, -1, 5]},
    {**WISH, "clip": [0, 0]},
    {"page": 1, "kind": "picture", "dpi": 72},
)


def test_what_is_malformed_or_out_of_bounds_is_left_out(show_text: Show, front_end: Other) -> None:
    other = front_end(show_text("one"))
    for message in NO_MESSAGES:
        other.say(message)
    for number, wish in enumerate(NO_WISHES):
        other.want(number, wish, picture(1))  # type: ignore[arg-type]
        assert other.hear_until("1") == [("seen", number), ("picture", "1")], wish


def test_a_picture_that_is_too_large_is_refused_in_its_place(show_text: Show, front_end: Other) -> None:
    other = front_end(show_text("one"))
    other.want(1, picture(1, clip=[500, 500, 600, 600]))
    other.hear()
    message, _ = other.hear()
    assert (message["type"], message["key"]) == ("failed", "1")


def test_only_the_pages_of_the_range_are_served(show_text: Show, front_end: Other) -> None:
    from preview_app.outputs import PageRanges

    other = front_end(show_text("one\ftwo\fthree", pages=PageRanges.parse("2-")))
    assert [page["number"] for page in other.opened["document"]["pages"]] == [2, 3]
    other.want(1, picture(1), picture(3))
    assert other.hear_until("3") == [("seen", 1), ("picture", "3")]


def _let_go(service: NotebookService) -> None:
    async def close() -> None:
        service.documents.close()

    service.submit(close()).result()


def test_what_was_let_go_is_opened_again(show_text: Show, front_end: Other, service: NotebookService) -> None:
    other = front_end(show_text("one\ftwo"))
    _let_go(service)
    other.want(1, picture(1), picture(2))
    assert {key for _, key in other.hear_until("1") + other.hear_until("2")} == {1, "1", "2"}
    assert len(service.documents) == 1


def test_a_file_that_has_changed_meanwhile_is_told_and_not_mixed_in(
    show_text: Show, front_end: Other, service: NotebookService, tmp_path: Path
) -> None:
    other = front_end(show_text("one\ftwo"))
    _let_go(service)
    (tmp_path / "a.txt").write_text("quite another text")
    other.want(1, picture(1))
    assert other.hear_until("1") == [("seen", 1), ("changed", None), ("failed", "1")]


def test_bytes_are_not_kept_for_that(
    show_text: Show, front_end: Other, service: NotebookService, fake_engine: FakeEngine
) -> None:
    other = front_end(show_text(b"one"))
    _let_go(service)
    other.want(1, picture(1))
    other.hear()
    message, _ = other.hear()
    assert message["type"] == "failed"
    assert "run the cell again" in message["message"]


def test_a_closed_preview_lets_its_document_go(show_text: Show, front_end: Other, service: NotebookService) -> None:
    preview = show_text("one")
    other = front_end(preview)
    preview.close()
    _settle(service)
    assert other._closed
    assert all(entry.holders == 0 for entry in service.documents._entries.values())
