"""Honest fakes at the two seams of the viewer: a source of PDFs and a rasterizer.

They keep the protocols: nothing is answered within the call, nothing after a cancellation, and a document that was
closed renders no more. When answers are delivered is the test's to say (`soon`). A "PDF" here is JSON: the sizes of
its pages and a colour that all its pixels have, so that a test can tell whose pixels it sees.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from engines.decryption import Password
from preview_app.preview_states import Converted, Extent, Failure
from preview_app.raster.api import (
    Box,
    Clip,
    Hit,
    Lane,
    Link,
    OutlineEntry,
    PageSize,
    Pixels,
    RasterError,
    TextDocument,
    TextLine,
    Word,
)
from preview_app.raster.textsearch import Line, find

Soon = Callable[[Callable[[], None]], object]
A4 = (595.0, 842.0)


class Turns:
    """Calls that wait until a test lets them run."""

    def __init__(self) -> None:
        self.waiting: list[Callable[[], None]] = []

    def __call__(self, call: Callable[[], None]) -> None:
        self.waiting.append(call)

    def run(self) -> None:
        """Run all, also those that come up meanwhile."""
        while self.waiting:
            self.waiting.pop(0)()


def fake_pdf(color: int = 0x336699, pages: Sequence[tuple[float, float]] = (A4,), texts: Sequence[str] = ()) -> bytes:
    """The bytes of a document; `texts` is what stands on its pages."""
    return json.dumps({"color": color, "pages": list(pages), "texts": list(texts)}).encode()


def fake_lines(text: str) -> tuple[TextLine, ...]:
    """The lines of a text, 20 points apart from (50, 50), each character 10 points wide; empty lines part blocks."""
    lines, block = [], 0
    for number, line in enumerate(text.splitlines()):
        if not line:
            block += 1
            continue
        top = 50.0 + 20 * number
        edges = tuple(50.0 + 10 * index for index in range(len(line) + 1))
        lines.append(TextLine(line, Box(50, top, edges[-1], top + 15), block, vertical=False, edges=edges))
    return tuple(lines)


def _box_of(line: TextLine, index: int) -> tuple[float, float, float, float]:
    return line.edges[index], line.box.y0, line.edges[index + 1], line.box.y1


@dataclass
class FakeRequest:
    """One conversion asked for; the test decides how it ends."""

    path: Path
    lane: Lane
    phase: Callable[[str], None]
    slow: Callable[[], None]
    done: Callable[[Converted], None]
    failed: Callable[[Failure], None]
    password: Password | None = None
    engine: str | None = None
    extent: Extent = Extent.BOUNDED
    cancelled: bool = False
    extended: bool = False

    def extend(self) -> None:
        self.extended = True

    def cancel(self) -> None:
        self.cancelled = True

    def succeed(self, converted: Converted) -> None:
        if not self.cancelled:
            self.done(converted)

    def fail(self, failure: Failure) -> None:
        if not self.cancelled:
            self.failed(failure)

    def enter(self, phase: str) -> None:
        if not self.cancelled:
            self.phase(phase)


@dataclass
class FakeConversions:
    """Keeps every request. With `soon` it answers by itself from `pdfs` (by file name), else the test does."""

    soon: Soon | None = None
    pdfs: dict[str, Converted | Failure] = field(default_factory=dict)
    requests: list[FakeRequest] = field(default_factory=list)

    def request(
        self,
        path: Path,
        lane: Lane,
        *,
        phase: Callable[[str], None],
        slow: Callable[[], None],
        done: Callable[[Converted], None],
        failed: Callable[[Failure], None],
        password: Password | None = None,
        engine: str | None = None,
        extent: Extent = Extent.BOUNDED,
    ) -> FakeRequest:
        request = FakeRequest(path, lane, phase, slow, done, failed, password, engine, extent)
        self.requests.append(request)
        if self.soon is not None:
            self.soon(lambda: self._answer(request))
        return request

    def live(self, lane: Lane) -> list[Path]:
        """Paths of the requests of a lane that nobody cancelled."""
        return [request.path for request in self.requests if request.lane is lane and not request.cancelled]

    def _answer(self, request: FakeRequest) -> None:
        answer = self.pdfs.get(request.path.name)
        if answer is None:
            request.fail(Failure("not_found", "There is no such file."))
        elif isinstance(answer, Failure):
            request.fail(answer)
        else:
            request.succeed(answer)


@dataclass
class FakeTask:
    """One raster request."""

    lane: Lane
    cancelled: bool = False

    def cancel(self) -> None:
        self.cancelled = True

    def promote(self, lane: Lane) -> None:
        self.lane = min(self.lane, lane)


@dataclass
class FakeDocument:
    """Pages of one colour."""

    pages: tuple[PageSize, ...]
    color: int
    soon: Soon
    closed: bool = False
    asked: list[tuple[int, float, Lane, Clip | None]] = field(default_factory=list)
    tasks: list[FakeTask] = field(default_factory=list)
    errors: dict[int, RasterError] = field(default_factory=dict)
    texts: Sequence[str] = ()
    linked: dict[int, tuple[Link, ...]] = field(default_factory=dict)
    entries: tuple[OutlineEntry, ...] = ()

    def render(
        self,
        page: int,
        scale: float,
        *,
        lane: Lane,
        done: Callable[[Pixels], None],
        failed: Callable[[RasterError], None],
        clip: Clip | None = None,
        night: bool = False,
    ) -> FakeTask:
        self.asked.append((page, scale, lane, clip))
        if page in self.errors:
            return self._answer(lane, lambda: failed(self.errors[page]))
        return self._answer(lane, lambda: done(self._pixels(page, scale, clip, night)))

    def png(
        self,
        page: int,
        dpi: float,
        *,
        lane: Lane,
        done: Callable[[bytes], None],
        failed: Callable[[RasterError], None],
        clip: Clip | None = None,
        night: bool = False,
    ) -> FakeTask:
        return self._answer(lane, lambda: done(b"png of page %d" % page))

    def words(
        self,
        page: int,
        *,
        lane: Lane,
        done: Callable[[tuple[Word, ...]], None],
        failed: Callable[[RasterError], None],
    ) -> FakeTask:
        return self._answer(
            lane, lambda: done(tuple(Word(line.text, line.box, line.block, 0) for line in fake_lines(self.texts[page])))
        )

    def lines(
        self,
        page: int,
        *,
        lane: Lane,
        done: Callable[[tuple[TextLine, ...]], None],
        failed: Callable[[RasterError], None],
    ) -> FakeTask:
        return self._answer(lane, lambda: done(fake_lines(self.texts[page])))

    def links(
        self,
        page: int,
        *,
        lane: Lane,
        done: Callable[[tuple[Link, ...]], None],
        failed: Callable[[RasterError], None],
    ) -> FakeTask:
        return self._answer(lane, lambda: done(self.linked.get(page, ())))

    def outline(
        self,
        *,
        lane: Lane,
        done: Callable[[tuple[OutlineEntry, ...]], None],
        failed: Callable[[RasterError], None],
    ) -> FakeTask:
        return self._answer(lane, lambda: done(self.entries))

    def search(
        self,
        page: int,
        phrase: str,
        *,
        lane: Lane,
        done: Callable[[tuple[Hit, ...]], None],
        failed: Callable[[RasterError], None],
        match_case: bool = False,
        whole_words: bool = False,
    ) -> FakeTask:
        lines = [
            Line(line.text, [_box_of(line, i) for i in range(len(line.text))]) for line in fake_lines(self.texts[page])
        ]
        found = find(lines, phrase, match_case=match_case, whole_words=whole_words, hits_max=10_000)
        hits = tuple(Hit(page, tuple(Box(*box) for box in boxes)) for boxes in found)
        return self._answer(lane, lambda: done(hits))

    def _answer(self, lane: Lane, answer: Callable[[], None]) -> FakeTask:
        assert not self.closed, "asked a closed document"
        task = FakeTask(lane)
        self.tasks.append(task)
        self.soon(lambda: None if task.cancelled or self.closed else answer())
        return task

    def close(self) -> None:
        self.closed = True

    def _pixels(self, page: int, scale: float, clip: Clip | None, night: bool) -> Pixels:
        size = self.pages[page]
        part = clip or Clip(0, 0, size.width_pt, size.height_pt)
        width = max(1, round((part.x1 - part.x0) * scale))
        height = max(1, round((part.y1 - part.y0) * scale))
        # Rows end on a multiple of 64 bytes, as a real rasterizer's may: an image that ignores the stride is skewed.
        stride = -(-width * 4 // 64) * 64
        color = self.color ^ 0xFFFFFF if night else self.color
        row = (color | 0xFF000000).to_bytes(4, "little") * width
        data = row.ljust(stride, b"\x7f") * height
        return Pixels(page, scale, width, height, stride, memoryview(data))


@dataclass
class FakeRasterizer:
    """Opens `fake_pdf` bytes. Bytes that are none fail as `corrupt`."""

    soon: Soon
    documents: list[FakeDocument] = field(default_factory=list)
    closed: bool = False
    linked: dict[int, tuple[Link, ...]] = field(default_factory=dict)
    """Links of the pages of the next documents."""
    entries: tuple[OutlineEntry, ...] = ()
    """Outline of the next documents."""
    crashes: int = 0
    """How many of the next openings end with the death of the worker."""

    def open(
        self,
        pdf: bytes | memoryview,
        *,
        lane: Lane,
        opened: Callable[[TextDocument], None],
        failed: Callable[[RasterError], None],
        password: str | None = None,
    ) -> FakeTask:
        task = FakeTask(lane)

        def answer() -> None:
            if task.cancelled:
                return
            if self.crashes:
                self.crashes -= 1
                failed(RasterError("crashed", "The worker died."))
                return
            try:
                facts = json.loads(bytes(pdf))
            except ValueError:
                failed(RasterError("corrupt", "The PDF is damaged."))
                return
            pages = tuple(PageSize(width, height) for width, height in facts["pages"])
            texts = facts.get("texts") or [""] * len(pages)
            document = FakeDocument(pages, facts["color"], self.soon, texts=texts)
            document.linked, document.entries = dict(self.linked), self.entries
            self.documents.append(document)
            opened(document)

        self.soon(answer)
        return task

    def close(self) -> None:
        self.closed = True

    @property
    def open_documents(self) -> int:
        """Documents that nobody closed."""
        return sum(not document.closed for document in self.documents)
