"""The real module, where it is at hand: a document goes in, a PDF comes out of a forked child."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from engines.wasm.host.fontcallback import FontFace, FontRequest, FontResolver
from engines.wasm.host.guest import Guest, GuestLimits
from engines.wasm.office import FONTS_CONF_TEXT
from engines.wasm.prepared import PreparedEngine, find

pytestmark = pytest.mark.wasm

FLAT_TEXT = b"""<?xml version="1.0"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
  xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.3"
  office:mimetype="application/vnd.oasis.opendocument.text">
<office:body><office:text><text:p/></office:text></office:body></office:document>"""


class OneFont:
    """Any font of the machine, for everything."""

    def __init__(self) -> None:
        found = sorted(Path("/usr/share/fonts").rglob("*.ttf"))
        if not found:
            pytest.skip("there is no TrueType font under /usr/share/fonts")
        self._face = FontFace(str(found[0]), "Test Sans")

    def resolve(self, request: FontRequest) -> tuple[FontFace, ...]:
        return (self._face,)


class NoCharacters:
    """Two fonts for every name, none for a character; remembers what it was asked."""

    def __init__(self, folder: Path) -> None:
        self.asked: list[FontRequest] = []
        serif, sans = folder / "Tinos_400Regular.ttf", folder / "DejaVuSans.ttf"
        self._faces = (FontFace(str(serif), "Tinos"), FontFace(str(sans), "DejaVu Sans"))

    def resolve(self, request: FontRequest) -> tuple[FontFace, ...]:
        self.asked.append(request)
        return () if request.codepoints else self._faces


def _on_a_large_stack(body: Callable[[], None]) -> None:
    """Run on a thread with the stack that the module needs; its exception comes out here."""
    errors: list[BaseException] = []

    def run() -> None:
        try:
            body()
        except BaseException as error:  # noqa: BLE001 raised again on the test's own thread
            errors.append(error)

    usual = threading.stack_size(128 << 20)
    try:
        thread = threading.Thread(target=run)
        thread.start()
    finally:
        threading.stack_size(usual)
    thread.join()
    if errors:
        raise errors[0]


def _guest(engine: PreparedEngine, fonts: FontResolver) -> Guest:
    guest = Guest(
        engine.module_path,
        image=engine.image,
        image_index=engine.image_index,
        environment={"HOME": "/profile", "FONTCONFIG_FILE": "/fonts.conf", "LOK_HOST_ALLOWLIST": "^$"},
        limits=GuestLimits(memory_bytes_max=1 << 30),
        fonts=fonts,
    )
    guest.files.mkdirs("/profile/user")
    guest.files.write("/fonts.conf", FONTS_CONF_TEXT)
    layers = bytes(guest.files.read("/instdir/program/fundamentalrc"))
    guest.files.write("/instdir/program/fundamentalrc", re.sub(rb" user:\S+", b"", layers))
    return guest


def _office(guest: Guest) -> int:
    guest.start()
    with guest.string("/instdir/program") as program, guest.string("file:///profile") as profile:
        office = guest.call("dsh_lok_initialize", program, profile)
    assert office
    return office


def _convert(guest: Guest, office: int, text: str = "") -> bytes:
    guest.files.write("/in.fodt", FLAT_TEXT.replace(b"<text:p/>", f"<text:p>{text}</text:p>".encode()))
    with guest.string("file:///in.fodt") as url, guest.string("Batch=true") as options:
        document = guest.call("dsh_lok_document_load", office, url, options)
    with guest.string("file:///out.pdf") as url, guest.string("{}") as options:
        assert guest.call("dsh_lok_document_save_pdf", document, url, options)
    return bytes(guest.files.read("/out.pdf"))


@pytest.fixture(name="engine", scope="module")
def prepared_engine() -> PreparedEngine:
    found = find()
    if found is None:
        pytest.skip("the WASM engine is not prepared: run `make engine`")
    return found


def test_the_real_module_converts_in_a_forked_child(engine: PreparedEngine) -> None:
    fonts = OneFont()

    def body() -> None:
        guest = _guest(engine, fonts)
        office = _office(guest)
        assert guest.statistics().threads_started == 0
        with guest.quiesce():
            pid = os.fork()
            if pid == 0:
                status = 1
                try:
                    guest.after_fork_in_child()
                    status = 0 if _convert(guest, office).startswith(b"%PDF-") else 2
                finally:
                    os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        guest.close()

    _on_a_large_stack(body)


def test_characters_that_no_font_has_are_asked_for_once(engine: PreparedEngine) -> None:
    fonts = NoCharacters(engine.fonts_dir)

    def body() -> None:
        guest = _guest(engine, fonts)
        assert _convert(guest, _office(guest), "የሰው ልጅ").startswith(b"%PDF-")
        guest.close()

    _on_a_large_stack(body)
    # What LibreOffice falls back on without remembering it, it asks about again.
    asked = {(request.codepoints, request.family) for request in fonts.asked if request.codepoints}
    assert asked
    assert len(asked) == len(dict(asked)), asked
