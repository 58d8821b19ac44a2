"""The fonts of a machine, found through fontconfig and read from the files, are the same."""

from __future__ import annotations

import shutil
import struct
from pathlib import Path

import pytest

from engines import fontscan
from engines.fontpatch import with_family
from engines.fonts import Coverage, FontCatalogue
from engines.sfnt import SfntError, read_faces

FONTS = Path("/usr/share/fonts")
NAME_WINDOWS = (3, 1)


def _table(names: dict[tuple[int, int], str]) -> bytes:
    """A `name` table with Windows records: (name, language) -> text."""
    records, strings = b"", b""
    for (name_id, language), text in sorted(names.items()):
        raw = text.encode("utf-16-be")
        records += struct.pack(">6H", *NAME_WINDOWS, language, name_id, len(raw), len(strings))
        strings += raw
    return struct.pack(">3H", 0, len(names), 6 + len(records)) + records + strings


def _cmap(ranges: list[tuple[int, int]], encoding: int = 1) -> bytes:
    """A format 4 `cmap` whose glyphs are never number 0."""
    segments = [*ranges, (0xFFFF, 0xFFFF)]
    columns = [
        [last for _, last in segments],
        [0],
        [first for first, _ in segments],
        [1] * len(segments),
        [0] * len(segments),
    ]
    numbers = b"".join(struct.pack(f">{len(column)}H", *column) for column in columns)
    body = struct.pack(">7H", 4, 14 + len(numbers), 0, 2 * len(segments), 0, 0, 0) + numbers
    return struct.pack(">4HI", 0, 1, 3, encoding, 12) + body


def font(names: dict[tuple[int, int], str], *, weight: int = 400, selection: int = 0x40, encoding: int = 1) -> bytes:
    """The tables that a reader of names looks at, without outlines."""
    tables = {
        b"OS/2": struct.pack(">H2xHH54xH", 4, weight, 5, selection).ljust(96, b"\0"),
        b"cmap": _cmap([(0x20, 0x7E), (0x3042, 0x3042)], encoding),
        b"name": _table(names),
        b"post": struct.pack(">I8xI", 0x30000, 1).ljust(32, b"\0"),
    }
    head, body, start = b"", b"", 12 + 16 * len(tables)
    for tag, table in tables.items():
        head += struct.pack(">4s3I", tag, 0, start + len(body), len(table))
        body += table.ljust(-(-len(table) // 4) * 4, b"\0")
    return struct.pack(">I4H", 0x10000, len(tables), 0, 0, 0) + head + body


ENGLISH, JAPANESE = 0x409, 0x411
NAMES = {
    (1, ENGLISH): "Try Mono Light",
    (1, JAPANESE): "試し",
    (2, ENGLISH): "Italic",
    (4, ENGLISH): "Try Mono Light Italic",
    (6, ENGLISH): "TryMono-LightItalic",
    (16, ENGLISH): "Try Mono",
}


def test_a_face_is_read_from_its_file(tmp_path: Path) -> None:
    path = tmp_path / "try.ttf"
    path.write_bytes(font(NAMES, weight=300, selection=0x01))
    (face,) = read_faces(path)
    assert (face.family, face.style, face.weight, face.italic, face.width) == (
        "Try Mono Light",
        "Italic",
        300,
        True,
        100,
    )
    assert set(face.families) == {"Try Mono Light", "試し", "Try Mono", "Try Mono Light Italic"}
    assert face.monospace
    assert not face.symbol
    assert not face.is_variable
    assert face.coverage == Coverage("20-7e 3042")
    assert face.bytes == path.stat().st_size


def test_each_face_of_a_collection_is_read(tmp_path: Path) -> None:
    one = font(NAMES)
    offset = 20
    shifted = bytearray(one)
    for entry in range(4):
        (start,) = struct.unpack_from(">I", one, 12 + 16 * entry + 8)
        struct.pack_into(">I", shifted, 12 + 16 * entry + 8, start + offset)
    path = tmp_path / "try.ttc"
    path.write_bytes(struct.pack(">4s4I", b"ttcf", 0x10000, 2, offset, offset) + bytes(shifted))
    assert [face.index for face in read_faces(path)] == [0, 1]


def test_a_symbol_font_is_told(tmp_path: Path) -> None:
    path = tmp_path / "symbol.ttf"
    path.write_bytes(font(NAMES, encoding=0))
    assert read_faces(path)[0].symbol


@pytest.mark.parametrize("size", [0, 3, 12, 60, 100, 200, 300])
def test_damaged_fonts_are_refused(tmp_path: Path, size: int) -> None:
    path = tmp_path / "cut.ttf"
    path.write_bytes(font(NAMES)[:size])
    with pytest.raises(SfntError):
        read_faces(path)


def test_folders_are_read_in_a_stable_order_and_rubbish_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "2.ttf").write_bytes(font({(1, ENGLISH): "Two"}))
    (tmp_path / "1.OTF").write_bytes(font({(1, ENGLISH): "One"}))
    (tmp_path / "bad.ttf").write_bytes(b"no font")
    (tmp_path / "notes.txt").write_bytes(font(NAMES))
    assert [face.family for face in fontscan.scan_folders([tmp_path, tmp_path / "missing"])] == ["One", "Two"]


def test_what_comes_along_is_added_to_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "try.ttf").write_bytes(font(NAMES))
    catalogue = fontscan.scan([tmp_path])
    assert "Try Mono" in catalogue
    assert "試し" in catalogue
    assert len(catalogue) == len(fontscan.scan()) + 1


def test_a_broken_fontconfig_is_no_answer(tmp_path: Path) -> None:
    assert fontscan.scan_fontconfig(str(tmp_path / "absent")) is None
    assert fontscan.scan_fontconfig(shutil.which("false") or "false") is None


def test_both_ways_find_the_same_faces() -> None:
    program = shutil.which("fc-list")
    if program is None or not FONTS.is_dir():
        pytest.skip("there is no fontconfig to compare with")
    listed = [face for face in fontscan.scan_fontconfig(program) or () if FONTS in Path(face.path).parents]
    if not listed:
        pytest.skip(f"fontconfig knows no font under {FONTS}")
    by_fontconfig = FontCatalogue(listed)
    known = {face.path for face in listed}
    by_hand = FontCatalogue(face for face in fontscan.scan_folders([FONTS]) if face.path in known)
    assert [face.look for face in by_hand.faces] == [face.look for face in by_fontconfig.faces]
    for one, other in zip(by_hand.faces, by_fontconfig.faces, strict=True):
        assert [point in one.coverage for point in range(0x20, 0x600)] == [
            point in other.coverage for point in range(0x20, 0x600)
        ], one.path


def test_a_renamed_font_is_still_one(tmp_path: Path) -> None:
    renamed = with_family(font(NAMES), "Calibri")
    assert renamed is not None
    path = tmp_path / "calibri.ttf"
    path.write_bytes(renamed)
    (face,) = read_faces(path)
    assert face.family == "Calibri"
    assert set(face.families) == {"Calibri"}
    assert face.coverage == Coverage("20-7e 3042")


def test_only_single_fonts_are_renamed() -> None:
    assert with_family(b"ttcf" + bytes(100), "X") is None
    assert with_family(b"no font", "X") is None
    assert with_family(font(NAMES)[:40], "X") is None
