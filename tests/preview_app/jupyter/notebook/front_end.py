"""What a front end of notebooks does with a widget: it takes what the kernel publishes, and sends messages of views."""

from __future__ import annotations

import queue
from typing import Any

from comm.base_comm import BaseComm

from tests.fakes import PATIENCE_S


class FrontEnd(BaseComm):
    """A comm whose other end is the test."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.published: queue.SimpleQueue[tuple[dict[str, Any], list[bytes]]] = queue.SimpleQueue()
        self.opened: dict[str, Any] = {}
        super().__init__(*args, **kwargs)

    def publish_msg(
        self,
        msg_type: str,
        data: Any = None,
        metadata: Any = None,
        buffers: Any = None,
        **keys: Any,
    ) -> None:
        if msg_type == "comm_open":
            self.opened = data["state"]
        elif (data or {}).get("method") == "custom":
            self.published.put((data["content"], [bytes(each) for each in buffers or []]))

    def say(self, content: Any) -> None:
        """A message of a view."""
        self.handle_msg({"content": {"data": {"method": "custom", "content": content}}, "buffers": []})

    def want(self, number: int, *wishes: dict[str, Any], view: str = "v") -> None:
        """The whole list of what a view wants now."""
        self.say({"type": "want", "view": view, "number": number, "wishes": list(wishes)})

    def hear(self) -> tuple[dict[str, Any], list[bytes]]:
        """The next message from the kernel."""
        return self.published.get(timeout=PATIENCE_S)

    def hear_until(self, key: str) -> list[tuple[str, Any]]:
        """Kinds and keys of messages up to the one about `key`."""
        heard: list[tuple[str, Any]] = []
        while not heard or heard[-1][1] != key:
            message, _ = self.hear()
            heard.append((message["type"], message.get("key", message.get("number"))))
        return heard


def picture(page: int, dpi: float = 72.0, **more: Any) -> dict[str, Any]:
    """A wish for a page's picture; its key is the page's number."""
    return {"key": str(page), "page": page, "kind": "picture", "dpi": dpi, **more}


def text(page: int) -> dict[str, Any]:
    """A wish for a page's text."""
    return {"key": f"{page}:text", "page": page, "kind": "text", "ahead": True}
