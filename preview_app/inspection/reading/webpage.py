"""HTML: what a browser would load or run."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from preview_app.inspection.reading.collector import Collector

_ELSEWHERE = re.compile(r"(?:https?|ftp|file|smb):|//|\\\\", re.IGNORECASE)
_LOADS = {
    "img": ("src", "image"), "script": ("src", "script"), "iframe": ("src", "frame"), "frame": ("src", "frame"),
    "embed": ("src", "object"), "object": ("data", "object"), "audio": ("src", "media"), "video": ("src", "media"),
    "source": ("src", "media"), "body": ("background", "image"),
}  # fmt: skip
_META = {"author": "author", "keywords": "keywords", "description": "subject", "generator": "application"}
_CHARACTERS_MAX = 16 << 20


def read(text: str, collector: Collector) -> None:
    """Look at a page."""
    if len(text) > _CHARACTERS_MAX:
        collector.not_read("Of this very long page the beginning was looked at.")
    page = _Page(collector)
    page.feed(text[:_CHARACTERS_MAX])


class _Page(HTMLParser):
    def __init__(self, collector: Collector) -> None:
        super().__init__(convert_charrefs=True)
        self._collector = collector
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {name: value or "" for name, value in attrs}
        self._in_title = tag == "title"
        if tag == "a" and "href" in told:
            self._collector.hyperlinks += not told["href"].startswith("#")
        elif tag == "meta" and told.get("name", "").lower() in _META:
            self._collector.tell(_META[told["name"].lower()], told.get("content", ""))
        elif tag == "link" and "stylesheet" in told.get("rel", "").lower():
            self._load("style sheet", told.get("href", ""))
        elif tag in _LOADS:
            attribute, kind = _LOADS[tag]
            self._load(kind, told.get(attribute, ""))
        if tag == "script" or any(name.startswith("on") for name in told):
            self._collector.macro("script")

    def handle_endtag(self, tag: str) -> None:
        self._in_title &= tag != "title"

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self._collector.tell("title", data)

    def _load(self, kind: str, target: str) -> None:
        if _ELSEWHERE.match(target):
            self._collector.external(kind, target)
