"""Questions to the rasterizer, awaited. Whoever stops awaiting withdraws its question."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from preview_app.raster.api import Lane, RasterError, RasterTask, TextDocument
from preview_app.raster.pool import RasterPool
from preview_app.raster.source import Source

_T = TypeVar("_T")

ATTEMPTS = 2
"""A worker's death may have been another document's doing."""


Question = Callable[[Callable[[_T], None], Callable[[RasterError], None]], RasterTask]
"""Asks, given where the answer goes and where a refusal goes."""


async def ask(question: Question[_T], *, discard: Callable[[_T], None] | None = None) -> _T:
    """The answer to a question; `discard` gets one that nobody waits for any more. Raises `RasterError`."""
    answer: asyncio.Future[_T] = asyncio.get_running_loop().create_future()
    task = question(partial(_settle, answer), partial(_fail, answer))
    try:
        return await answer
    except asyncio.CancelledError:
        task.cancel()
        if discard is not None and answer.done() and not answer.cancelled() and answer.exception() is None:
            discard(answer.result())  # it came in the very turn in which the question was withdrawn
        raise


async def ask_twice(question: Question[_T]) -> _T:
    """Like `ask`; once more when the worker died. Raises `RasterError`."""
    for _ in range(ATTEMPTS - 1):
        try:
            return await ask(question)
        except RasterError as error:
            if error.kind != "crashed":
                raise
    return await ask(question)


async def open_pdf(pool: RasterPool, source: Source) -> TextDocument:
    """Open a PDF that was copied ahead. The source becomes the pool's. Raises `RasterError`."""
    return await ask(
        lambda opened, failed: pool.open(source, lane=Lane.CRITICAL, opened=opened, failed=failed),
        discard=lambda document: document.close(),
    )


def _settle(answer: asyncio.Future[_T], value: _T) -> None:
    if not answer.done():
        answer.set_result(value)


def _fail(answer: asyncio.Future[_T], error: RasterError) -> None:
    if not answer.done():
        answer.set_exception(error)
