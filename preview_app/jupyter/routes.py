"""The one place that mounts the routes."""

from __future__ import annotations

from typing import Any

from preview_app.jupyter import handlers_files, handlers_open, handlers_pages
from preview_app.jupyter.handlers_base import DocpeekHandler
from preview_app.jupyter.service import PreviewService

PREFIX = "docpeek/api/v1"
_ID = r"([A-Za-z0-9_-]{8,64})"
_PAGE = r"([0-9]{1,9})"

ROUTES: tuple[tuple[str, type[DocpeekHandler]], ...] = (
    ("documents", handlers_open.DocumentsHandler),
    (f"documents/{_ID}", handlers_open.DocumentHandler),
    (f"documents/{_ID}/pages/{_PAGE}\\.png", handlers_pages.PictureHandler),
    (f"documents/{_ID}/pages/{_PAGE}/text", handlers_pages.TextHandler),
    (f"documents/{_ID}/search", handlers_pages.SearchHandler),
    (f"documents/{_ID}/outline", handlers_pages.OutlineHandler),
    (f"documents/{_ID}/pdf", handlers_files.PdfHandler),
    (f"documents/{_ID}/facts", handlers_files.FactsHandler),
    ("about", handlers_files.AboutHandler),
    ("source", handlers_files.SourceHandler),
    (f"tickets/{_ID}", handlers_open.TicketHandler),
    (f"tickets/{_ID}/extend", handlers_open.ExtendHandler),
)


def routes(service: PreviewService) -> list[tuple[str, type[DocpeekHandler], dict[str, Any]]]:
    """Everything that is served, below the server's base URL."""
    return [(f"{PREFIX}/{pattern}", handler, {"service": service}) for pattern, handler in ROUTES]
