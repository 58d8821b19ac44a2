"""A contents manager whose files are not on this machine's disk: what a bucket in a cloud is to JupyterLab.

Loaded by the server under test, from this folder alone: it imports nothing of the project.
"""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from typing import Any

from jupyter_server.services.contents.checkpoints import AsyncCheckpoints
from jupyter_server.services.contents.manager import AsyncContentsManager
from tornado.web import HTTPError


class NoCheckpoints(AsyncCheckpoints):
    """There is nothing to go back to."""

    async def list_checkpoints(self, path: str) -> list[dict[str, Any]]:
        return []

    async def create_checkpoint(self, contents_mgr: Any, path: str) -> dict[str, Any]:
        return {"id": "none", "last_modified": datetime.now(UTC)}


class BucketManager(AsyncContentsManager):
    """One flat folder in memory; files come by the contents API as base64."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._files: dict[str, tuple[bytes, datetime]] = {}

    def _checkpoints_class_default(self) -> type[AsyncCheckpoints]:
        return NoCheckpoints

    async def is_hidden(self, path: str) -> bool:
        return False

    async def file_exists(self, path: str = "") -> bool:
        return path.strip("/") in self._files

    async def dir_exists(self, path: str) -> bool:
        return not path.strip("/")

    async def get(self, path: str, content: bool = True, *_: Any, **__: Any) -> dict[str, Any]:
        path = path.strip("/")
        if not path:
            return self._folder(content)
        if path not in self._files:
            raise HTTPError(404, "There is no such object.")
        return self._file(path, content)

    async def save(self, model: dict[str, Any], path: str = "") -> dict[str, Any]:
        self._files[path.strip("/")] = base64.b64decode(model["content"]), datetime.now(UTC)
        return self._file(path.strip("/"), content=False)

    def _folder(self, content: bool) -> dict[str, Any]:
        inside = [self._file(name, content=False) for name in self._files] if content else None
        return {
            **_model("directory", ""),
            "content": inside,
            "format": "json" if content else None,
            "last_modified": max((when for _, when in self._files.values()), default=datetime.now(UTC)),
        }

    def _file(self, path: str, content: bool) -> dict[str, Any]:
        data, when = self._files[path]
        told = {"format": "base64", "content": base64.b64encode(data).decode()} if content else {}
        return {**_model("file", path), "last_modified": when, "size": len(data), **told}


def _model(kind: str, path: str) -> dict[str, Any]:
    model: dict[str, Any] = {"type": kind, "path": path, "name": path, "created": datetime.now(UTC), "writable": True}
    return {**model, "format": None, "content": None, "mimetype": None, "size": None}
