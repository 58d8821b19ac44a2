"""Two hundred switches between documents while everything answers late, twice, or after it was called off.

The other tests keep to the protocols, where nothing answers after its cancellation. Here nothing keeps to them, as when
an answer and a cancellation cross: that the right page is shown is then the work of the generations alone.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from preview_app.preview_states import Converted, Failure, Nothing, Showing
from preview_app.raster.api import Lane, TextDocument
from tests.preview_app.desktop.conftest import Bench, finish
from tests.preview_app.desktop.viewer_fakes import FakeDocument, FakeRasterizer, FakeRequest, FakeTask, Turns

SWITCHES = 200
CORRUPT = Failure("corrupt", "Damaged.")


@dataclass
class LateRasterizer(FakeRasterizer):
    """Opens documents that nobody waits for any more, and says so."""

    opened: list[TextDocument] = field(default_factory=list)

    def open(self, pdf: bytes | memoryview, **how: Any) -> FakeTask:
        """See `TextRasterizer`; what is returned calls nothing off."""
        told: Callable[[TextDocument], None] = how.pop("opened")

        def opened(document: TextDocument) -> None:
            self.opened.append(document)
            told(document)

        super().open(pdf, opened=opened, **how)
        return FakeTask(Lane.CRITICAL)


class Unruly:
    """A window whose sources answer when and as often as the dice say."""

    def __init__(self, qtbot: QtBot, folder: Path) -> None:
        self.dice = random.Random(11)
        self.bench = Bench(qtbot, folder, answers=False)
        self.turns = Turns()
        self.window = self.bench.window
        # The rasterizer of the bench is the window's; this one answers in its place, in turns of its own.
        self.rasterizer = LateRasterizer(self.turns)
        self.window.preview._rasterizer = self.rasterizer
        self.answers = self.bench.conversions

    def answer_some(self) -> None:
        """Answer requests of long ago and of now, called off or not. Only the newest one may change anything."""
        requests = self.answers.requests
        newest = [request for request in requests if request.lane is Lane.CRITICAL][-1]
        for request in self.dice.choices(requests, k=2) + self.dice.choices(requests[-8:], k=4):
            before = self.window.preview.state
            self.answer(request)
            assert request is newest or self.window.preview.state is before
        if self.dice.random() < 0.6:
            self.turns.run()
        self.check()

    def answer(self, request: FakeRequest) -> None:
        """Let a request have one of the answers that there are."""
        way = self.dice.randrange(5)
        if way < 2:
            request.done(self.converted(request.path))
        elif way == 2:
            request.failed(CORRUPT)
        elif way == 3:
            request.phase("converting")
        else:
            request.slow()

    def converted(self, path: Path) -> Converted:
        """What became of a document."""
        answer = self.answers.pdfs[path.name]
        assert isinstance(answer, Converted)
        return answer

    def check(self) -> None:
        """The document that is shown is the one whose name is told."""
        state = self.window.preview.state
        assert not isinstance(state, Nothing)
        assert state.path == self.window.preview.path
        if isinstance(state, Showing):
            assert isinstance(state.document, FakeDocument)
            assert state.document.color == self.bench.colors[state.path.name]
            assert self.bench.pages.document is state.document

    def check_paint(self) -> None:
        """What is painted belongs to the document that is shown, once its own pixels have come."""
        self.check()
        state = self.window.preview.state
        if isinstance(state, Showing) and self.bench.pages.painted:
            assert self.bench.color() == self.bench.colors[state.path.name]

    def let_it_come(self) -> None:
        """The document that was asked for last gets its answer, in time for once."""
        self.answers.requests[-1].done(self.converted(self.answers.requests[-1].path))
        self.bench.qtbot.waitUntil(self._painted)

    def _painted(self) -> bool:
        self.turns.run()
        return isinstance(self.window.preview.state, Showing) and self.bench.pages.painted


@pytest.fixture
def unruly(qtbot: QtBot, tmp_path: Path) -> Iterator[Unruly]:
    """A window that nothing can be relied on with."""
    made = Unruly(qtbot, tmp_path)
    made.bench.appear()
    yield made
    finish(made.bench)
    made.turns.run()
    assert made.rasterizer.open_documents == 0


def test_two_hundred_switches_show_nothing_that_was_left(unruly: Unruly) -> None:
    unruly.window.open_paths([unruly.bench.folder])
    for _ in range(SWITCHES):
        unruly.window._choose(unruly.dice.choice(unruly.bench.paths))
        unruly.answer_some()
        if unruly.dice.random() < 0.5:
            unruly.bench.qtbot.wait(0)
            unruly.check_paint()
    last = unruly.bench.paths[3]
    unruly.window._choose(last)
    unruly.let_it_come()
    for request in unruly.answers.requests:
        request.done(unruly.converted(request.path))
        request.failed(CORRUPT)
        unruly.turns.run()
    unruly.check_paint()
    assert unruly.bench.color() == unruly.bench.colors[last.name]
    assert unruly.window.preview.path == last
    assert unruly.window.browser.selected() == last
    assert unruly.rasterizer.open_documents == 1
    assert len(unruly.rasterizer.opened) > 20, "many came too late, and were let go"
