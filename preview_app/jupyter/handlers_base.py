"""What every handler has in common: who may ask, how errors are told, what happens when the client is gone."""

from __future__ import annotations

import asyncio
import functools
import json
import math
from collections.abc import Awaitable, Callable, Coroutine
from http import HTTPStatus
from typing import Any

from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import APIHandler
from jupyter_server.extension.handler import ExtensionHandlerMixin
from tornado import web

from converter.errors import ConversionError
from engines.errors import EngineError
from preview_app.jupyter.errors import ApiError, api_error, wrong
from preview_app.jupyter.service import PreviewService
from preview_app.raster.api import RasterError

RESOURCE = "contents"
"""Whoever may read files may see them."""
NDJSON = "application/x-ndjson"
_KINDS = {400: "bad_request", 403: "not_allowed", 404: "not_found", 405: "bad_request"}

Method = Callable[..., Coroutine[Any, Any, None]]


def endpoint(method: Method) -> Callable[..., Awaitable[None] | None]:
    """A method of a handler that answers requests; the only way to make one.

    The request is authenticated and authorized for reading contents. What the method raises is told as JSON. It is
    cancelled when the client goes away: a reader that leaves.
    """

    @functools.wraps(method)
    async def served(self: DocpeekHandler, *args: str) -> None:
        await self.serve(method(self, *args))

    return web.authenticated(authorized("read", RESOURCE)(served))


def encoded(body: dict[str, Any]) -> bytes:
    """JSON as browsers take it."""
    return json.dumps(body, ensure_ascii=False, allow_nan=False).encode(errors="replace")


class DocpeekHandler(ExtensionHandlerMixin, APIHandler):
    """Base of all handlers."""

    auth_resource = RESOURCE
    service: PreviewService
    _work: asyncio.Task[None] | None = None
    _dropped = False

    def initialize(self, name: str, service: PreviewService) -> None:
        """Called by tornado with what the route was made with."""
        super().initialize(name)
        self.service = service

    @property
    def content_security_policy(self) -> str:
        """Nothing of an answer may be run or loaded, wherever it is shown."""
        return "default-src 'none'; sandbox"

    async def serve(self, work: Coroutine[Any, Any, None]) -> None:
        """Do the work of a request."""
        self._work = asyncio.ensure_future(work)
        try:
            await self._work
        except asyncio.CancelledError:
            if not self._dropped:
                raise
        except (ApiError, ConversionError, EngineError, RasterError, OSError) as error:
            self.refuse(api_error(error, self.service.engines))

    def on_connection_close(self) -> None:
        """The client is gone."""
        self._dropped = True
        if self._work is not None:
            self._work.cancel()
        super().on_connection_close()

    def refuse(self, error: ApiError) -> None:
        """Answer with an error; in a stream that has begun, as its last line."""
        if self._headers_written:
            self.write(encoded({"error": error.as_json()}) + b"\n")
            self.end_stream()
            return
        self.clear_header("ETag")
        self.set_status(error.status)
        self.tell(error.as_json())

    def tell(self, body: dict[str, Any]) -> None:
        """Answer with JSON."""
        self.tell_encoded(encoded(body))

    def tell_encoded(self, body: bytes) -> None:
        """Answer with what `encoded` made."""
        self.set_header("X-Content-Type-Options", "nosniff")
        self.finish(body)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Errors of Jupyter and tornado, in our form."""
        error = kwargs.get("exc_info", (None, None))[1]
        message = (isinstance(error, web.HTTPError) and error.log_message) or HTTPStatus(status_code).phrase
        fault = "caller" if status_code < 500 else "engine"
        self.refuse(ApiError(status_code, _KINDS.get(status_code, "engine"), message, fault))

    # Arguments

    @property
    def path_argument(self) -> str:
        """The document's path, which every request about it names. Raises `ApiError`."""
        path = self.get_query_argument("path", "")
        if not path:
            raise wrong("The argument `path` is missing.")
        return path

    def number_argument(self, name: str, default: float, least: float, most: float) -> float:
        """A number within bounds. Raises `ApiError`."""
        text = self.get_query_argument(name, "")
        try:
            number = float(text) if text else default
        except ValueError:
            number = math.nan
        if not least <= number <= most:
            raise wrong(f"The argument `{name}` must be a number from {least:g} to {most:g}.")
        return number

    def flag_argument(self, name: str) -> bool:
        """0 or 1. Raises `ApiError`."""
        text = self.get_query_argument(name, "0")
        if text not in ("0", "1"):
            raise wrong(f"The argument `{name}` must be 0 or 1.")
        return text == "1"

    def choice_argument(self, name: str, default: str, choices: tuple[str, ...]) -> str:
        """One of a few words. Raises `ApiError`."""
        text = self.get_query_argument(name, default)
        if text not in choices:
            raise wrong(f"The argument `{name}` must be one of {', '.join(choices)}.")
        return text

    # Answers

    def not_modified(self, etag: str, *, protected: bool) -> bool:
        """State what the answer depends on; whether the client has it already, and has been told so."""
        self.set_header("ETag", f'"{etag}"')
        self.set_header("Cache-Control", "no-store" if protected else "private, no-cache")
        if not self.check_etag_header():
            return False
        self.set_status(304)
        self.finish()
        return True

    def begin_stream(self) -> None:
        """What follows are lines of JSON, sent as they come."""
        self.set_header("Content-Type", NDJSON)
        self.set_header("Cache-Control", "no-store")
        self.set_header("X-Accel-Buffering", "no")

    async def send_line(self, line: dict[str, Any]) -> None:
        """One line, sent at once."""
        self.write(encoded(line) + b"\n")
        await self.flush()

    def end_stream(self) -> None:
        """That was all."""
        self.finish(set_content_type=NDJSON)
