"""Contents managers that keep their files in memory: one asynchronous, one of the older kind."""

from __future__ import annotations

import asyncio
import base64
import threading
from datetime import UTC, datetime
from typing import Any

from jupyter_server.services.contents.manager import AsyncContentsManager, ContentsManager
from tornado.web import HTTPError
from traitlets import Any as AnyTrait
from traitlets import Dict

from tests.fakes import Gate


class _Files:
    """What both have in common. `calls` are the paths, contents and threads of what was asked."""

    files: dict[str, bytes]
    modified: dict[str, int]
    calls: list[tuple[str, bool, int]]

    def put(self, path: str, data: bytes) -> None:
        """Write a file."""
        self.files[path] = data
        self.modified[path] = self.modified.get(path, 0) + 1

    def hidden(self, path: str) -> bool:
        return any(part.startswith(".") for part in path.split("/"))

    def model(self, path: str, content: bool) -> dict[str, Any]:
        self.calls.append((path, content, threading.get_ident()))
        if path.startswith("forbidden/"):
            raise HTTPError(403, "not for you")
        if path.startswith("broken/"):
            raise ConnectionError("the bucket is gone")
        if path not in self.files:
            raise HTTPError(404)
        data = self.files[path]
        when = datetime.fromtimestamp(self.modified[path], UTC)
        model = {"type": "file", "path": path, "name": path.rpartition("/")[2], "last_modified": when}
        model |= {"size": len(data), "format": None, "content": None}
        if content:
            model |= {"format": "base64", "content": base64.encodebytes(data).decode()}
        return model


class MemoryManager(_Files, AsyncContentsManager):
    """Asynchronous; `gate` holds reads of content, without blocking the loop."""

    files = Dict()
    modified = Dict()
    calls = AnyTrait()
    gate = AnyTrait()

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.calls, self.gate = [], Gate(is_open=True)

    async def is_hidden(self, path: str) -> bool:
        return self.hidden(path)

    async def file_exists(self, path: str = "") -> bool:
        return path in self.files

    async def dir_exists(self, path: str) -> bool:
        return not path

    async def get(self, path: str, content: bool = True, *_: Any, **__: Any) -> dict[str, Any]:
        if content:
            await asyncio.to_thread(self.gate.pass_through)
        return self.model(path, content)


class OldMemoryManager(_Files, ContentsManager):
    """Blocks."""

    files = Dict()
    modified = Dict()
    calls = AnyTrait()
    gate = AnyTrait()

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.calls, self.gate = [], Gate(is_open=True)

    def is_hidden(self, path: str) -> bool:
        return self.hidden(path)

    def file_exists(self, path: str = "") -> bool:
        return path in self.files

    def dir_exists(self, path: str) -> bool:
        return not path

    def get(self, path: str, content: bool = True, *_: Any, **__: Any) -> dict[str, Any]:
        self.gate.pass_through()
        return self.model(path, content)
