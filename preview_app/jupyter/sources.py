"""May this path be read, and how? The contents manager decides what may be seen; we read the bytes where we can.

Theory. Every request about a document asks the contents manager for the file's metadata, never its content, so that
its root, hidden-file and remote rules hold. Where it serves a local folder the file is then looked at and read by our
own `Workspace` inside that folder: no base64, and authorized again on the descriptor that is read. Elsewhere the bytes
come through the contents manager once the converter has reserved room for them (C2).

A read through a contents manager costs base64: for a source of n bytes there are for a moment 4/3 n of text beside the
n bytes made of it, and whatever the manager itself holds. `source_bytes_max` bounds n, the converter's slots how many
are read at once. None of this is in the converter's own byte figures.

Contents managers that are not asynchronous were written to be called one call at a time: they are, on a thread.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import inspect
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Protocol, TypeVar

from jupyter_server.services.contents.filemanager import FileContentsManager
from jupyter_server.services.contents.manager import ContentsManager
from tornado.web import HTTPError

from converter.errors import Bound, ConversionError, Outcome
from converter.request import Locator, RemoteVersion, Source
from converter.workspace import Workspace, refused

_T = TypeVar("_T")

_PATH_CHARACTERS_MAX = 4096


class Run(Protocol):
    """Calls something that blocks on a thread."""

    async def __call__(self, function: Callable[..., _T], *args: Any) -> _T:
        """What it returns or raises."""


@dataclass(frozen=True, slots=True)
class Authorized:
    """A file that may be read now. `path` is the contents API's, `modified` is ISO 8601 or empty."""

    path: str
    source: Source
    modified: str


def local_workspace(manager: ContentsManager, *, links_may_leave: bool) -> Workspace | None:
    """The folder that a contents manager serves, `None` if it serves none on this machine."""
    if not isinstance(manager, FileContentsManager):
        return None
    return Workspace([manager.root_dir], links_may_leave=links_may_leave, hidden_files=manager.allow_hidden)


class Sources:
    """Authorizes paths through a contents manager. Lives on the event loop."""

    def __init__(self, manager: ContentsManager, workspace: Workspace | None, run: Run, remote_read_s: float) -> None:
        self._manager = manager
        self._workspace = workspace
        self._run = run
        self._remote_read_s = remote_read_s
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: ThreadPoolExecutor | None = None
        if not inspect.iscoroutinefunction(manager.get):
            self._thread = ThreadPoolExecutor(1, "docpeek-contents")
        self._reads: set[Future[Any]] = set()
        self._closed = False

    async def authorize(self, path: str) -> Authorized:
        """The file at `path`, if it may be read.

        Raises `ConversionError`: not_found, not_allowed, unavailable where the contents manager fails.
        """
        self._loop = asyncio.get_running_loop()
        path = path.strip("/")
        if not path or "\0" in path or len(path) > _PATH_CHARACTERS_MAX or ".." in path.split("/"):
            raise ConversionError(Outcome.NOT_FOUND)
        model = await self._metadata(path)
        if self._workspace is None:
            return Authorized(path, self._remote(path, model), _modified(model))
        source = await self._run(self._workspace.authorize, Locator(path))
        return Authorized(path, source, _modified(model))

    def close(self) -> None:
        """End reads that still wait for the contents manager. Idempotent."""
        self._closed = True
        for read in tuple(self._reads):
            read.cancel()
        if self._thread is not None:
            self._thread.shutdown(wait=False, cancel_futures=True)

    async def _metadata(self, path: str) -> dict[str, Any]:
        with _told():
            if not self._manager.allow_hidden and await self._call(self._manager.is_hidden, path):
                raise ConversionError(Outcome.NOT_FOUND)
            model: dict[str, Any] = await self._call(self._manager.get, path, content=False, type="file")
        if model.get("type") == "directory":
            raise ConversionError(Outcome.NOT_ALLOWED, "This is a folder, not a file.")
        return model

    async def _call(self, method: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call the contents manager; nothing that it does while it is not asynchronous holds the loop."""
        if self._thread is None:
            result = method(*args, **kwargs)
        else:
            loop = asyncio.get_running_loop()
            result = await loop.run_in_executor(self._thread, partial(method, *args, **kwargs))
        return await result if inspect.isawaitable(result) else result

    def _remote(self, path: str, model: dict[str, Any]) -> Source:
        version = _version(path, model, None)
        size = version.size if version is not None else _size(model)
        return Source(path.rpartition("/")[2], size, version, partial(self._read, path, version))

    def _read(
        self, path: str, admitted: RemoteVersion | None, capacity_bytes: int
    ) -> tuple[bytes, RemoteVersion | None]:
        """On a thread of the converter: the bytes through the contents manager, and their version."""
        model = self._wait(self._call(self._manager.get, path, content=True, type="file", format="base64"))
        text = model.get("content") or ""
        if len(text) > _base64_length(capacity_bytes + 1):
            raise ConversionError(Outcome.LIMIT, bound=Bound("bytes of a document", capacity_bytes, len(text) // 4 * 3))
        return _decoded(text, model.get("format")), _version(path, model, admitted)

    def _wait(self, call: Coroutine[Any, Any, dict[str, Any]]) -> dict[str, Any]:
        if self._closed or self._loop is None:
            call.close()
            raise ConversionError(Outcome.CLOSED)
        read = asyncio.run_coroutine_threadsafe(call, self._loop)
        self._reads.add(read)
        try:
            with _told():
                return read.result(self._remote_read_s)
        except TimeoutError:
            read.cancel()
            raise ConversionError(Outcome.TIMEOUT, "The place where the file is kept does not answer.") from None
        except CancelledError:
            raise ConversionError(Outcome.CLOSED) from None
        finally:
            self._reads.discard(read)


def _version(path: str, model: dict[str, Any], admitted: RemoteVersion | None) -> RemoteVersion | None:
    """What the contents manager says of a file's state; what it leaves out with the content counts as unchanged."""
    modified = _modified(model)
    if not modified:
        return None
    size, content_hash = _size(model), model.get("hash")
    if admitted is not None:
        size = admitted.size if size is None else size
        content_hash = content_hash or admitted.content_hash
    return RemoteVersion("contents", path, modified, size, content_hash)


def _size(model: dict[str, Any]) -> int | None:
    size = model.get("size")
    return size if isinstance(size, int) and size >= 0 else None


def _modified(model: dict[str, Any]) -> str:
    modified = model.get("last_modified")
    return modified.isoformat() if isinstance(modified, datetime) else str(modified or "")


def _base64_length(count: int) -> int:
    """How long so many bytes are, with line breaks that some managers put in."""
    return (count + 2) // 3 * 4 * 77 // 76 + 4


def _decoded(text: str | bytes, encoding: object) -> bytes:
    if encoding != "base64":
        return text if isinstance(text, bytes) else text.encode()
    try:
        return base64.b64decode(text)
    except (binascii.Error, ValueError) as error:
        raise ConversionError(Outcome.NOT_FOUND, "What the contents manager sent cannot be read.") from error


_STATUS = {400: Outcome.NOT_ALLOWED, 401: Outcome.NOT_ALLOWED, 403: Outcome.NOT_ALLOWED, 404: Outcome.NOT_FOUND}


@contextmanager
def _told() -> Iterator[None]:
    """What a contents manager raises, as an outcome."""
    try:
        yield
    except (ConversionError, TimeoutError, asyncio.CancelledError, CancelledError):
        raise
    except HTTPError as error:
        outcome = _STATUS.get(error.status_code, Outcome.UNAVAILABLE)
        message = "" if outcome in _STATUS.values() else "The place where the file is kept does not answer."
        raise ConversionError(outcome, message, str(error)) from error
    except Exception as error:
        if isinstance(error, OSError) and error.errno and not isinstance(error, ConnectionError):
            raise refused(error) from error  # of a folder on this machine: a name too long, no permission
        message = "The place where the file is kept does not answer."
        raise ConversionError(Outcome.UNAVAILABLE, message, f"{type(error).__name__}: {error}") from error
