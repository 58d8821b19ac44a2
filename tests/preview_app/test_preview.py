"""The model of a viewer: generations, the last good view, neighbours. No toolkit, no clock of the machine."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from engines.decryption import Password
from preview_app.preview import Preview
from preview_app.preview_states import Converted, Failed, Failure, Nothing, Opening, Showing, State
from preview_app.raster.api import Lane
from tests.preview_app.desktop.viewer_fakes import FakeConversions, FakeRasterizer, FakeRequest, Turns, fake_pdf

A, B, C, D, E = (Path(f"/docs/{name}.docx") for name in "abcde")
CORRUPT = Failure("corrupt", "The document is damaged beyond reading.")


def converted(color: int = 1) -> Converted:
    return Converted(fake_pdf(color), "LibreOffice", 0.1)


class Desk:
    """A preview between its fakes, and all that it published."""

    def __init__(self, documents: tuple[Path, ...] = ()) -> None:
        self.turns = Turns()
        self.conversions = FakeConversions()
        self.rasterizer = FakeRasterizer(self.turns)
        self.published: list[State] = []
        self.now = 100.0
        self.preview = Preview(self.conversions, self.rasterizer, publish=self.published.append, clock=lambda: self.now)
        self.preview.set_documents(documents)

    @property
    def last(self) -> FakeRequest:
        """The newest request of a person."""
        return [request for request in self.conversions.requests if request.lane is Lane.CRITICAL][-1]

    def show(self, path: Path, color: int = 1) -> Showing:
        self.preview.open(path)
        return self.arrive(color)

    def arrive(self, color: int = 1) -> Showing:
        self.last.succeed(converted(color))
        self.turns.run()
        state = self.preview.state
        assert isinstance(state, Showing)
        return state


def test_begins_with_nothing() -> None:
    desk = Desk()
    assert isinstance(desk.preview.state, Nothing)
    assert desk.published == []


def test_an_opening_tells_its_phases_and_ends_in_the_document() -> None:
    desk = Desk()
    desk.preview.open(A)
    desk.last.enter("converting")
    desk.arrive()
    kinds = [(type(state).__name__, getattr(state, "phase", "")) for state in desk.published]
    assert kinds == [("Opening", "waiting"), ("Opening", "converting"), ("Opening", "reading pages"), ("Showing", "")]
    first = desk.published[0]
    assert isinstance(first, Opening)
    assert first.started_s == 100.0


def test_the_last_good_document_is_open_until_the_next_is_there() -> None:
    desk = Desk()
    first = desk.show(A)
    desk.preview.open(B)
    desk.turns.run()
    assert desk.rasterizer.documents[0] is first.document
    assert desk.rasterizer.open_documents == 1
    desk.arrive()
    assert [document.closed for document in desk.rasterizer.documents] == [True, False]


def test_a_newer_opening_withdraws_the_older_one() -> None:
    desk = Desk()
    desk.preview.open(A)
    old = desk.last
    desk.preview.open(B)
    assert old.cancelled
    desk.arrive()
    assert desk.preview.path == B


@pytest.mark.parametrize("step", ["phase", "done", "failed"])
def test_an_answer_that_ignores_its_cancellation_changes_nothing(step: str) -> None:
    desk = Desk()
    desk.preview.open(A)
    old = desk.last
    shown = desk.show(B)
    before = len(desk.published)
    {"phase": lambda: old.phase("x"), "done": lambda: old.done(converted()), "failed": lambda: old.failed(CORRUPT)}[
        step
    ]()
    desk.turns.run()
    assert len(desk.published) == before
    assert desk.preview.state is shown


def test_a_document_that_opens_too_late_is_closed() -> None:
    desk = Desk()
    desk.preview.open(A)
    desk.last.succeed(converted())
    late = desk.turns.waiting.pop()
    task = desk.preview._raster_task
    desk.preview.open(B)
    assert task is not None
    task.cancelled = False  # type: ignore[attr-defined]  # a rasterizer that answers in spite of the cancellation
    late()
    assert desk.rasterizer.open_documents == 0
    assert isinstance(desk.preview.state, Opening)


def test_a_failure_lets_the_former_document_go() -> None:
    desk = Desk()
    desk.show(A)
    desk.preview.open(B)
    desk.last.fail(CORRUPT)
    assert desk.preview.state == Failed(B, 2, CORRUPT)
    assert desk.rasterizer.open_documents == 0


def test_bytes_that_no_rasterizer_opens_are_a_failure() -> None:
    desk = Desk()
    desk.preview.open(A)
    desk.last.succeed(Converted(b"not a PDF", "LibreOffice", 0.1))
    desk.turns.run()
    state = desk.preview.state
    assert isinstance(state, Failed)
    assert state.failure.outcome == "corrupt"


def test_a_worker_that_dies_gets_a_second_chance_and_no_third() -> None:
    desk = Desk()
    desk.rasterizer.crashes = 1
    desk.show(A)
    desk.rasterizer.crashes = 2
    desk.preview.open(B)
    desk.last.succeed(converted())
    desk.turns.run()
    state = desk.preview.state
    assert isinstance(state, Failed)
    assert state.failure.outcome == "crashed"


def test_retry_asks_again_in_a_new_generation() -> None:
    desk = Desk()
    desk.preview.open(A)
    desk.last.fail(CORRUPT)
    desk.preview.retry()
    assert desk.arrive().generation == 2


def test_a_reload_keeps_the_old_document_when_the_new_one_fails() -> None:
    desk = Desk()
    shown = desk.show(A)
    desk.preview.reload()
    desk.last.fail(CORRUPT)
    state = desk.preview.state
    assert isinstance(state, Showing)
    assert state.document is shown.document
    assert state.stale == CORRUPT
    assert desk.rasterizer.open_documents == 1


def test_a_reload_says_that_it_is_one() -> None:
    desk = Desk()
    assert not desk.show(A).reload
    desk.preview.reload()
    assert desk.arrive().reload


def test_a_slow_opening_is_extended_only_when_a_person_wants_it() -> None:
    desk = Desk()
    desk.preview.keep_waiting()
    desk.preview.open(A)
    desk.last.slow()
    state = desk.preview.state
    assert isinstance(state, Opening)
    assert state.slow
    assert not desk.last.extended
    desk.preview.keep_waiting()
    assert desk.last.extended
    state = desk.preview.state
    assert isinstance(state, Opening)
    assert not state.slow
    old = desk.last
    desk.show(B)
    old.slow()
    assert isinstance(desk.preview.state, Showing)


def test_cancel_brings_the_last_good_view_back() -> None:
    desk = Desk()
    shown = desk.show(A)
    desk.preview.open(B)
    request = desk.last
    desk.preview.cancel()
    state = desk.preview.state
    assert request.cancelled
    assert isinstance(state, Showing)
    assert state.document is shown.document
    assert desk.preview.path == A
    request.done(converted())
    assert desk.preview.state is state


def test_cancel_without_a_last_view_can_be_retried() -> None:
    desk = Desk()
    desk.preview.open(A)
    desk.preview.cancel()
    state = desk.preview.state
    assert isinstance(state, Failed)
    assert state.failure.outcome == "cancelled"
    desk.preview.retry()
    desk.arrive()


def test_neighbours_are_asked_for_in_the_direction_of_travel_first() -> None:
    desk = Desk((A, B, C, D, E))
    desk.show(C)
    assert desk.conversions.live(Lane.LOW) == [D, E, B]
    desk.preview.previous()
    desk.arrive()
    assert desk.conversions.live(Lane.LOW) == [A, C]


def test_nothing_is_prefetched_while_a_person_waits() -> None:
    desk = Desk((A, B, C))
    desk.show(A)
    desk.preview.next()
    assert desk.conversions.live(Lane.LOW) == []
    assert desk.preview.prefetching == frozenset()


def test_the_request_of_a_person_is_made_before_its_prefetch_is_withdrawn() -> None:
    desk = Desk((A, B))
    desk.show(A)
    prefetch = desk.conversions.requests[-1]
    assert (prefetch.path, prefetch.lane) == (B, Lane.LOW)
    seen = []
    request = desk.conversions.request

    def watched(path: Path, lane: Lane, **callbacks: object) -> FakeRequest:
        seen.append(prefetch.cancelled)
        return request(path, lane, **callbacks)  # type: ignore[arg-type]

    desk.conversions.request = watched  # type: ignore[method-assign]
    desk.preview.next()
    assert seen[0] is False
    assert prefetch.cancelled


def test_prefetch_can_be_off() -> None:
    desk = Desk((A, B, C))
    desk.show(A)
    desk.preview.set_prefetch(False)
    assert desk.conversions.live(Lane.LOW) == []


def test_the_list_has_two_ends() -> None:
    desk = Desk((A, B))
    desk.show(A)
    assert not desk.preview.previous()
    assert desk.preview.next()
    desk.arrive()
    assert not desk.preview.next()
    assert desk.preview.path == B


def test_a_document_outside_the_list_steps_into_it() -> None:
    desk = Desk((B, C))
    desk.show(A)
    assert desk.preview.neighbour(1) == B
    assert desk.preview.neighbour(-1) == C


def test_close_gives_everything_up_and_is_silent() -> None:
    desk = Desk((A, B, C))
    desk.show(A)
    desk.preview.open(B)
    desk.preview.close()
    desk.preview.close()
    before = len(desk.published)
    assert all(request.cancelled for request in desk.conversions.requests[-2:])
    assert desk.conversions.live(Lane.LOW) == []
    assert desk.rasterizer.open_documents == 0
    desk.preview.open(C)
    assert len(desk.published) == before


def test_two_hundred_switches_in_any_order_of_answers_end_with_the_last() -> None:
    dice = random.Random(7)
    desk = Desk(tuple(Path(f"/docs/{number}.docx") for number in range(50)))
    asked: list[FakeRequest] = []
    for number in range(200):
        desk.preview.open(Path(f"/docs/{dice.randrange(50)}.docx"))
        asked.append(desk.last)
        for request in dice.sample(asked, k=min(3, len(asked))):
            answer = dice.randrange(3)
            if answer == 1:
                request.done(converted(number))
            elif answer == 2:
                request.failed(CORRUPT)
        if dice.random() < 0.5:
            desk.turns.run()
    desk.preview.open(E)
    shown = desk.arrive(color=999)
    for request in asked:
        request.done(converted())
    desk.turns.run()
    assert desk.preview.state is shown
    assert shown.path == E
    assert desk.rasterizer.open_documents == 1


def test_repr_counts() -> None:
    desk = Desk((A, B, C))
    desk.show(A)
    assert repr(desk.preview) == "<Preview Showing generation=1 documents=3 prefetching=2>"


ENCRYPTED = Failure("encrypted", "A password is needed.")
SECRET = Password("open sesame")


def test_a_password_opens_what_was_locked() -> None:
    desk = Desk()
    desk.preview.open(A)
    assert desk.last.password is None
    desk.last.fail(ENCRYPTED)
    desk.preview.unlock(SECRET)
    assert desk.last.password == SECRET
    desk.arrive()
    desk.preview.reload()
    assert desk.last.password == SECRET, "a newer version of the same file needs no second question"


def test_a_wrong_password_is_forgotten_and_may_be_given_again() -> None:
    desk = Desk()
    desk.preview.open(A)
    desk.last.fail(ENCRYPTED)
    desk.preview.unlock(Password("wrong"))
    desk.last.fail(Failure("bad_password", "Not that one."))
    assert isinstance(desk.preview.state, Failed)
    desk.preview.retry()
    assert desk.last.password is None
    desk.last.fail(ENCRYPTED)
    desk.preview.unlock(SECRET)
    desk.arrive()


def test_a_password_is_forgotten_when_another_document_is_opened() -> None:
    desk = Desk(documents=(A, B))
    desk.preview.open(A)
    desk.last.fail(ENCRYPTED)
    desk.preview.unlock(SECRET)
    desk.arrive()
    desk.preview.open(B)
    assert desk.last.password is None
    desk.arrive()
    desk.preview.open(A)
    assert desk.last.password is None
    assert all(request.password is None for request in desk.conversions.requests if request.lane is Lane.LOW)


def test_a_document_that_got_a_password_while_it_was_shown_asks_for_it() -> None:
    desk = Desk()
    desk.show(A)
    desk.preview.reload()
    desk.last.fail(ENCRYPTED)
    assert isinstance(desk.preview.state, Failed)
    assert desk.rasterizer.open_documents == 0


def test_a_password_is_shown_nowhere() -> None:
    desk = Desk()
    desk.preview.open(A)
    desk.last.fail(ENCRYPTED)
    desk.preview.unlock(SECRET)
    assert SECRET.text not in repr((desk.preview, desk.preview.state, desk.published, SECRET))


def test_a_person_gets_all_pages_until_another_document_is_opened() -> None:
    desk = Desk((A, B))
    desk.preview.show_all()
    assert desk.conversions.requests == [], "there is no document yet"
    desk.show(A)
    desk.preview.show_all()
    assert (desk.last.path, desk.last.extent.value) == (A, "all")
    assert desk.arrive().reload, "the place in it is kept"
    desk.preview.reload()
    assert desk.last.extent.value == "all"
    desk.arrive()
    desk.preview.open(B)
    assert desk.last.extent.value == "bounded"


def test_it_is_known_whether_a_password_was_given() -> None:
    desk = Desk((A, B))
    desk.preview.open(A)
    desk.last.fail(Failure("encrypted", "A password is needed."))
    assert not desk.preview.unlocked
    desk.preview.unlock(Password("secret"))
    desk.arrive()
    assert desk.preview.unlocked
    desk.preview.open(B)
    assert not desk.preview.unlocked


def test_an_opening_that_is_given_up_takes_nothing_from_the_view_that_comes_back() -> None:
    desk = Desk((A, B))
    desk.preview.open(A)
    desk.last.fail(ENCRYPTED)
    desk.preview.unlock(SECRET)
    desk.arrive()
    desk.preview.show_all()
    desk.arrive()
    desk.preview.retry_with("native")
    desk.arrive()
    desk.preview.open(B)
    desk.preview.cancel()
    assert desk.preview.unlocked, "nothing of it may be kept"
    desk.preview.reload()
    asked = desk.last
    assert (asked.path, asked.password, asked.extent.value, asked.engine) == (A, SECRET, "all", "native")


def test_a_view_that_is_gone_keeps_no_password() -> None:
    desk = Desk((A, B))
    desk.preview.open(A)
    desk.last.fail(ENCRYPTED)
    desk.preview.unlock(SECRET)
    desk.arrive()
    desk.preview.open(B)
    desk.last.fail(ENCRYPTED)
    desk.preview.open(A)
    desk.preview.cancel()
    desk.preview.retry()
    assert desk.last.password is None
