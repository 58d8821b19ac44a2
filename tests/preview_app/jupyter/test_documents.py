"""The table of open documents: sharing, bounds, idle time, and that nothing is kept that nobody has."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest

from converter.conversion import NO_ENGINE, Conversion
from preview_app.jupyter.asking import open_pdf
from preview_app.jupyter.documents import DocumentTable, OpenDocument, Opened, TableBounds
from preview_app.jupyter.errors import ApiError
from preview_app.raster.api import PageSize, RasterError, RasterTask
from preview_app.raster.source import Source
from tests.fakes import PATIENCE_S


@dataclass(eq=False)
class Document:
    """A document of the fake pool."""

    pool: Pool
    source: Source
    pages: tuple[PageSize, ...] = (PageSize(1.0, 1.0),)

    def close(self) -> None:
        self.pool.open_documents.remove(self)
        self.source.close()


@dataclass
class Task:
    cancel: Callable[[], None]


class Pool:
    """Opens PDFs when the test says so. Keeps the contract of the raster pool as far as the table needs it."""

    def __init__(self) -> None:
        self.open_documents: list[Document] = []
        self.waiting: list[Callable[[], None]] = []
        self.held = False
        self.error: RasterError | None = None
        self.opened = 0

    def copy(self, pdf: bytes) -> Source:
        return Source.of(pdf, None, shared_memory=False)

    def open(self, source: Source, *, opened: Callable[[Any], None], failed: Any, **_: Any) -> RasterTask:
        self.opened += 1
        answer = partial(self._answer, source, opened, failed, self.error)
        self.waiting.append(answer)
        if not self.held:
            asyncio.get_running_loop().call_soon(self.go_on)
        return Task(lambda: self.withdraw(answer))  # type: ignore[return-value]

    def withdraw(self, answer: Callable[[], None]) -> None:
        if answer in self.waiting:
            self.waiting.remove(answer)

    def go_on(self) -> None:
        waiting, self.waiting = self.waiting, []
        for answer in waiting:
            answer()

    def _answer(self, source: Source, opened: Any, failed: Any, error: RasterError | None) -> None:
        if error is not None:
            failed(error)
            return
        document = Document(self, source)
        self.open_documents.append(document)
        opened(document)


class Bench:
    """A table on a fake pool and a clock."""

    def __init__(self, documents_max: int = 10, bytes_max: int = 1000, idle_s: float = 60.0) -> None:
        self.pool = Pool()
        self.now = 0.0
        self.table = DocumentTable(TableBounds(documents_max, bytes_max, idle_s), self._run, lambda: self.now)

    async def _run(self, function: Callable[..., Any], *args: Any) -> Any:
        return function(*args)

    async def open(self, path: str, digest: str = "", size: int = 10, **options: Any) -> OpenDocument:
        self.now += 1.0
        hold = options.pop("hold", True)
        conversion = Conversion(b"x" * size, 1, digest or path, "txt", NO_ENGINE, "", size)
        return await self.table.open(self.pool, Opened(path, conversion, None, "", **options), hold=hold)  # type: ignore[arg-type]

    def there(self, *entries: OpenDocument) -> list[bool]:
        """Which of them can still be had, without touching them."""
        return [self.table._entries.get(entry.id) is entry for entry in entries]


def run(test: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(asyncio.wait_for(test(), PATIENCE_S))


def test_equal_content_shares_one_pdf_until_the_last_one_goes() -> None:
    async def test() -> None:
        bench = Bench()
        one, twin = await asyncio.gather(bench.open("a", "same"), bench.open("b", "same"))
        assert one.id != twin.id
        assert one.pdf is twin.pdf
        assert (bench.pool.opened, bench.table.pdf_bytes, len(bench.table)) == (1, 10, 2)
        bench.now += 60.0
        bench.table.get(one.id, "a")
        bench.table.sweep()
        assert bench.there(one, twin) == [True, False]
        assert len(bench.pool.open_documents) == 1
        bench.table.close()
        assert (bench.pool.open_documents, bench.table._pdfs) == ([], {})

    run(test)


def test_what_is_asked_of_a_document_is_answered_though_it_goes() -> None:
    """The rasterizer tells nobody of a document that was closed."""

    async def test() -> None:
        bench = Bench(documents_max=1)
        entry = await bench.open("a")
        with entry.asked() as document:
            await bench.open("b")
            assert bench.there(entry) == [False]
            assert [id(each) == id(document) for each in bench.pool.open_documents] == [True, False]
        assert len(bench.pool.open_documents) == 1
        bench.table.close()
        assert (bench.pool.open_documents, bench.table._pdfs) == ([], {})

    run(test)


def test_a_document_that_comes_as_its_reader_leaves_is_closed() -> None:
    async def test() -> None:
        bench = Bench()
        bench.pool.held = True
        source = bench.pool.copy(b"x")
        reader = asyncio.ensure_future(open_pdf(bench.pool, source))  # type: ignore[arg-type]
        await asyncio.sleep(0)
        bench.pool.go_on()
        reader.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reader
        assert not bench.pool.open_documents

    run(test)


def test_ids_are_stable_on_a_server_and_strange_to_another() -> None:
    async def test() -> None:
        bench, other = Bench(), Bench()
        first, again, elsewhere = await bench.open("a"), await bench.open("a"), await other.open("a")
        assert first is again
        assert first.holders == 2
        assert first.id != elsewhere.id
        for bench_ in (bench, other):
            bench_.table.close()
            assert not bench_.pool.open_documents

    run(test)


def test_too_many_or_too_much_the_least_recently_used_goes() -> None:
    async def test() -> None:
        bench = Bench(documents_max=3, bytes_max=100)
        a, b, c = [await bench.open(name) for name in "abc"]
        bench.now += 1.0
        bench.table.get(a.id, "a")
        d = await bench.open("d")
        assert bench.there(a, b, c, d) == [True, False, True, True]
        e = await bench.open("e", size=85)
        assert bench.there(a, c, d, e) == [False, False, True, True]
        f = await bench.open("f", size=500)
        assert bench.there(d, e, f) == [False, False, True], "the newest stays, whatever its size"
        bench.table.close()

    run(test)


def test_what_nobody_holds_goes_first() -> None:
    async def test() -> None:
        bench = Bench(documents_max=3)
        held, given_back = await bench.open("held"), await bench.open("back")
        ahead = await bench.open("ahead", hold=False)
        bench.table.release(given_back.id, "other path")
        assert given_back.holders == 1
        bench.table.release(given_back.id, "back")
        bench.table.release(given_back.id, "back")
        assert given_back.holders == 0
        await bench.open("x")
        assert bench.there(held, given_back, ahead) == [True, False, True]
        await bench.open("y")
        assert bench.there(held, ahead) == [True, False]
        bench.table.close()

    run(test)


def test_a_protected_document_is_its_readers_alone() -> None:
    async def test() -> None:
        bench = Bench()
        mine, yours = await bench.open("a", protected=True), await bench.open("a", protected=True)
        assert mine.id != yours.id
        assert mine.pdf is not yours.pdf
        bench.table.release(mine.id, "a")
        assert bench.there(mine, yours) == [False, True]
        with pytest.raises(ApiError) as gone:
            bench.table.get(mine.id, "a")
        assert gone.value.status == 410
        bench.table.close()
        assert not bench.pool.open_documents

    run(test)


def test_a_reader_that_leaves_while_it_is_opened_harms_no_other() -> None:
    async def test() -> None:
        bench = Bench()
        bench.pool.held = True
        leaving, staying = [asyncio.ensure_future(bench.open(name, "same")) for name in "ab"]
        while not bench.pool.waiting:
            await asyncio.sleep(0)
        leaving.cancel()
        await asyncio.wait([leaving])
        bench.pool.go_on()
        assert (await staying).path == "b"
        alone = asyncio.ensure_future(bench.open("c"))
        while not bench.pool.waiting:
            await asyncio.sleep(0)
        alone.cancel()
        await asyncio.wait([alone])
        while bench.pool.waiting:
            await asyncio.sleep(0)
        assert len(bench.table._pdfs) == 1
        bench.table.close()
        assert (bench.pool.open_documents, bench.table._pdfs) == ([], {})

    run(test)


@pytest.mark.parametrize(("kind", "attempts"), [("corrupt", 1), ("crashed", 2)])
def test_what_cannot_be_opened_leaves_nothing(kind: str, attempts: int) -> None:
    async def test() -> None:
        bench = Bench()
        bench.pool.error = RasterError(kind, "No.")
        with pytest.raises(RasterError):
            await bench.open("a")
        assert (bench.pool.opened, bench.table._pdfs, len(bench.table)) == (attempts, {}, 0)
        bench.pool.error = None
        assert await bench.open("a")
        bench.table.close()

    run(test)
