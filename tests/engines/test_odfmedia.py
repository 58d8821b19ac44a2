"""Films in OpenDocument texts before an office that cannot play them."""

from __future__ import annotations

import io
import zipfile

import pytest

from engines.formats import by_id
from engines.odfmedia import without_players
from tests.engines.packages import archive

PLAYER = b'<d:frame><draw:plugin a="b"/><plugin></plugin><draw:image/><draw:plugins/>plugin</d:frame>'
QUIET = b'<d:frame><draw:ignored a="b"/><ignored></ignored><draw:image/><draw:plugins/>plugin</d:frame>'


def test_a_flat_text() -> None:
    assert without_players(memoryview(PLAYER), by_id("fodt")) == QUIET


def test_a_package() -> None:
    parts: dict[str, bytes | str] = {"mimetype": "x", "content.xml": PLAYER, "styles.xml": PLAYER, "other.xml": PLAYER}
    changed = without_players(memoryview(archive(dict(parts))), by_id("ott"))
    with zipfile.ZipFile(io.BytesIO(changed)) as package:
        assert package.namelist() == list(parts)
        assert [package.read(name) for name in parts] == [b"x", QUIET, QUIET, PLAYER]


@pytest.mark.parametrize(
    ("data", "type_id"),
    [(PLAYER, "fodp"), (PLAYER, "html"), (QUIET, "fodt"), (archive({"content.xml": QUIET}), "odt"), (b"PK", "odt")],
)
def test_what_has_none_or_can_have_them_is_left_alone(data: bytes, type_id: str) -> None:
    view = memoryview(data)
    assert without_players(view, by_id(type_id)) is view
