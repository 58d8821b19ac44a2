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

from preview_app.preview import Converted, Failure
from preview_app.raster.api import Clip, Lane, PageSize, Pixels, RasterDocument, RasterError

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


def fake_pdf(color: int = 0x336699, pages: Sequence[tuple[float, float]] = (A4,)) -> bytes:
    """The bytes of a document."""
    return json.dumps({"color": color, "pages": list(pages)}).encode()


@dataclass
class FakeRequest:
    """One conversion asked for; the test decides how it ends."""

    path: Path
    lane: Lane
    phase: Callable[[str], None]
    slow: Callable[[], None]
    done: Callable[[Converted], None]
    failed: Callable[[Failure], None]
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
    ) -> FakeRequest:
        request = FakeRequest(path, lane, phase, slow, done, failed)
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

    def render(
        self,
        page: int,
        scale: float,
        *,
        lane: Lane,
        done: Callable[[Pixels], None],
        failed: Callable[[RasterError], None],
        clip: Clip | None = None,
    ) -> FakeTask:
        assert not self.closed, "asked a closed document for pixels"
        task = FakeTask(lane)
        self.asked.append((page, scale, lane, clip))
        self.tasks.append(task)

        def answer() -> None:
            if task.cancelled or self.closed:
                return
            if page in self.errors:
                failed(self.errors[page])
            else:
                done(self._pixels(page, scale, clip))

        self.soon(answer)
        return task

    def close(self) -> None:
        self.closed = True

    def _pixels(self, page: int, scale: float, clip: Clip | None) -> Pixels:
        size = self.pages[page]
        part = clip or Clip(0, 0, size.width_pt, size.height_pt)
        width = max(1, round((part.x1 - part.x0) * scale))
        height = max(1, round((part.y1 - part.y0) * scale))
        # Rows end on a multiple of 64 bytes, as a real rasterizer's may: an image that ignores the stride is skewed.
        stride = -(-width * 4 // 64) * 64
        row = (self.color | 0xFF000000).to_bytes(4, "little") * width
        data = row.ljust(stride, b"\x7f") * height
        return Pixels(page, scale, width, height, stride, memoryview(data))


@dataclass
class FakeRasterizer:
    """Opens `fake_pdf` bytes. Bytes that are none fail as `corrupt`."""

    soon: Soon
    documents: list[FakeDocument] = field(default_factory=list)
    closed: bool = False
    crashes: int = 0
    """How many of the next openings end with the death of the worker."""

    def open(
        self,
        pdf: bytes | memoryview,
        *,
        lane: Lane,
        opened: Callable[[RasterDocument], None],
        failed: Callable[[RasterError], None],
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
            document = FakeDocument(pages, facts["color"], self.soon)
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
