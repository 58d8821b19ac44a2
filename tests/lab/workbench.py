"""What the tests do in JupyterLab, in their own words. Waits for what is to be seen, never for a time."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.lab.server import LabServer

IGNORED = ("Failed to load resource", "LSP", "/lsp/", "kernelspec", "deprecat", "The resource")
PICTURE = ".dp-Picture"
SHOWN_S_MAX = 30.0


class Workbench:
    """JupyterLab in a browser page; documents lie in `folder`."""

    def __init__(self, lab: LabServer, page: Any, folder: Path) -> None:
        self.lab = lab
        self.page = page
        self.folder = folder
        self.requests: list[tuple[str, str]] = []
        self.sent: list[Any] = []
        self.complaints: list[str] = []
        page.set_default_timeout(SHOWN_S_MAX * 1000)
        page.on("request", self._on_request)
        page.on("pageerror", lambda error: self.complaints.append(f"{error} {error.stack}"))
        page.on("console", self._on_console)

    def put(self, source: Path, name: str = "") -> str:
        """Copy a document into the folder; its path below the server's root."""
        name = name or source.name
        shutil.copyfile(source, self.folder / name)
        return f"{self.folder.name}/{name}"

    def put_unknown(self, source: Path) -> str:
        """Copy a document of parts with bytes that no cache of the server knows, and the same pages."""
        path = self.put(source)
        with zipfile.ZipFile(self.folder / source.name, "a") as parts:
            parts.writestr("docProps/nonce.xml", f"<nonce>{self.folder.name}</nonce>")
        return path

    def start(self, path: str = "") -> None:
        """Load JupyterLab, with a document if named."""
        tree = f"/tree/{path}" if path else f"/tree/{self.folder.name}"
        self.page.goto(self.lab.address(f"lab/workspaces/{self.folder.name}{tree}"))
        self.page.wait_for_selector("#jp-main-dock-panel", state="attached")

    def show(self, path: str) -> Any:
        """Load JupyterLab with a document and wait for its first picture; the viewer."""
        self.start(path)
        self.page.wait_for_selector(PICTURE)
        return self.viewer

    def run(self, command: str, **arguments: Any) -> None:
        """Execute a command, and wait until it is done."""
        self.page.wait_for_function("window.jupyterapp")
        self.page.evaluate(
            "async ([id, args]) => { await jupyterapp.started; await jupyterapp.commands.execute(id, args); }",
            [command, arguments],
        )

    def open(self, path: str) -> None:
        """Open a document beside what is open."""
        self.run("docmanager:open", path=path)

    @property
    def viewer(self) -> Any:
        """The viewer in front."""
        return self.page.locator(".dp-Viewer:visible")

    def text(self, page: int = 1) -> str:
        """What stands on a page that is on the screen, once it is there."""
        layer = self.viewer.locator(f'.dp-Page[data-page="{page}"] .dp-TextLayer')
        layer.wait_for(state="attached")
        return str(layer.text_content())

    def current_page(self) -> int:
        """The number in the page box."""
        return int(self.page.locator(".dp-PageInput:visible").input_value())

    def wait_for_page(self, number: int) -> None:
        """Wait until the page box says this."""
        self.page.wait_for_function(
            "number => [...document.querySelectorAll('.dp-PageInput')]"
            ".some(box => box.checkVisibility() && box.value === String(number))",
            arg=number,
        )

    def wait_until(self, question: str, argument: Any = None) -> None:
        """Wait until an asynchronous question is answered by yes: `wait_for_function` takes any promise for a yes."""
        self.page.evaluate(
            f"async argument => {{ const ask = {question}; const end = performance.now() + {SHOWN_S_MAX * 1000};"
            "while (!(await ask(argument))) {"
            "if (performance.now() > end) throw new Error('waited in vain');"
            "await new Promise(requestAnimationFrame); } }",
            argument,
        )

    def wait_for_picture_of(self, number: int) -> None:
        """Wait until a page shows its picture."""
        self.viewer.locator(f'.dp-Page[data-page="{number}"] {PICTURE}').wait_for(state="attached")

    def asked(self, part: str) -> list[dict[str, str]]:
        """The queries of all requests so far whose path has `part` in it."""
        found = [urlsplit(url) for _, url in self.requests]
        return [{key: value[0] for key, value in parse_qs(url.query).items()} for url in found if part in url.path]

    def _on_request(self, request: Any) -> None:
        self.requests.append((request.method, request.url))
        self.sent.append(request)

    def _on_console(self, message: Any) -> None:
        if message.type == "error" and not any(part in message.text for part in IGNORED):
            self.complaints.append(message.text)
