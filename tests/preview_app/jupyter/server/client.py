"""Asks a server of a test, whole or line by line."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tornado.httpclient import HTTPResponse

from preview_app.jupyter.extension import DocpeekExtension
from preview_app.jupyter.service import PreviewService
from tests.fakes import PATIENCE_S

API = "docpeek/api/v1"


@dataclass
class Client:
    """Asks the server."""

    fetch: Callable[..., Awaitable[HTTPResponse]]
    root: Path
    extension: DocpeekExtension
    port: int
    authorization: str
    base_url: str

    @property
    def service(self) -> PreviewService:
        """The inside of the server."""
        assert self.extension.service is not None
        return self.extension.service

    async def ask(self, route: str, *, method: str = "GET", **options: Any) -> HTTPResponse:
        """Any answer, errors too."""
        if method == "POST":
            options.setdefault("body", "")
        options.setdefault("request_timeout", 5 * PATIENCE_S)
        return await self.fetch(API, route, method=method, raise_error=False, follow_redirects=False, **options)

    async def events(self, path: str, **question: Any) -> list[dict[str, Any]]:
        """Open a document and wait for the end."""
        response = await self.ask("documents", method="POST", body=json.dumps({"path": path, **question}))
        assert response.code == 200, response.body
        assert response.headers["Content-Type"] == "application/x-ndjson"
        return [json.loads(line) for line in response.body.splitlines()]

    async def open(self, path: str, **question: Any) -> dict[str, Any]:
        """The document, which must open."""
        last = (await self.events(path, **question))[-1]
        assert last["event"] == "ready", last
        document: dict[str, Any] = last["document"]
        return document

    async def failure(self, path: str, **question: Any) -> dict[str, Any]:
        """The error, which must come."""
        last = (await self.events(path, **question))[-1]
        assert last["event"] == "failed", last
        error: dict[str, Any] = last["error"]
        return error

    async def of(self, document: dict[str, Any], what: str = "", **options: Any) -> HTTPResponse:
        """Something about an open document."""
        params = {"path": document["path"], **options.pop("params", {})}
        return await self.ask(f"documents/{document['id']}{what}", params=params, **options)

    def write(self, name: str, data: str | bytes) -> str:
        """A file below the server's root; its contents path."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return name

    @asynccontextmanager
    async def stream(self, path: str, **question: Any) -> AsyncIterator[AsyncIterator[dict[str, Any]]]:
        """The events of an opening as they come; the connection is dropped at the end of the block."""
        body = json.dumps({"path": path, **question}).encode()
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            head = f"POST {self.base_url}{API}/documents HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
            head += f"Authorization: {self.authorization}\r\nContent-Length: {len(body)}\r\n\r\n"
            writer.write(head.encode() + body)
            yield _lines(reader)
        finally:
            writer.close()
            await writer.wait_closed()


async def _lines(reader: asyncio.StreamReader) -> AsyncIterator[dict[str, Any]]:
    """Lines of JSON, until one of those that are the last."""
    while line := await asyncio.wait_for(reader.readline(), PATIENCE_S):
        if line.startswith(b"{"):
            yield (event := json.loads(line))
            if event["event"] in ("ready", "failed", "large"):
                return


async def until(condition: Callable[[], bool]) -> None:
    """Let the loop turn until something holds."""
    async with asyncio.timeout(PATIENCE_S):
        while not condition():
            await asyncio.sleep(0)


async def phase(events: AsyncIterator[dict[str, Any]], name: str) -> dict[str, Any]:
    """Read on until a phase has been reached."""
    async with asyncio.timeout(PATIENCE_S):
        async for event in events:
            if event.get("phase") == name:
                return event
    raise AssertionError(f"the stream ended before {name}")
