"""Pictures of first pages are kept within bounds, and for their owner alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from preview_app.desktop.thumbnail_store import ImageStore
from preview_app.raster.api import Pixels


def pixels(color: int = 0x336699, width: int = 20, height: int = 30) -> Pixels:
    stride = width * 4 + 16  # an odd one: an image that ignores it is skewed
    row = (color | 0xFF000000).to_bytes(4, "little") * width
    return Pixels(0, 1.0, width, height, stride, memoryview(row.ljust(stride, b"\x7f") * height))


def color_of(store: ImageStore, key: tuple[int, ...]) -> int:
    image = store.get(key)
    assert image is not None
    return image.pixelColor(image.width() - 1, image.height() - 1).rgb() & 0xFFFFFF


def test_pictures_outlive_the_program(tmp_path: Path) -> None:
    ImageStore(tmp_path / "thumbnails").put((1, 2, 3), pixels())
    store = ImageStore(tmp_path / "thumbnails")
    assert color_of(store, (1, 2, 3)) == 0x336699
    assert store.has((1, 2, 3))
    assert not store.has((1, 2, 4)), "another version"


def test_only_the_owner_may_look(tmp_path: Path) -> None:
    former = os.umask(0)
    try:
        ImageStore(tmp_path / "cache" / "thumbnails").put((1,), pixels())
    finally:
        os.umask(former)
    folder = tmp_path / "cache" / "thumbnails"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert [path.stat().st_mode & 0o777 for path in folder.iterdir()] == [0o600]


def test_memory_is_bounded_and_the_disk_gives_back(tmp_path: Path) -> None:
    store = ImageStore(tmp_path, memory_bytes_max=3 * 20 * 30 * 4)
    for number in range(10):
        store.put((number,), pixels(number))
        assert store.memory_bytes <= 3 * 20 * 30 * 4
    assert color_of(store, (0,)) == 0
    assert store.memory_bytes <= 3 * 20 * 30 * 4


def test_without_a_folder_all_is_in_memory() -> None:
    store = ImageStore(None, memory_bytes_max=2 * 20 * 30 * 4)
    for number in range(3):
        store.put((number,), pixels(number))
    assert [store.has((number,)) for number in range(3)] == [False, True, True]


def test_the_disk_is_bounded_and_the_least_recently_used_go(tmp_path: Path) -> None:
    store = ImageStore(tmp_path, memory_bytes_max=1, disk_files_max=10)
    for number in range(10):
        store.put((number,), pixels(number))
    for path in tmp_path.iterdir():
        os.utime(path, ns=(2, 2))
    oldest = store._path((3,))
    assert oldest is not None
    os.utime(oldest, ns=(1, 1))
    assert ImageStore(tmp_path).has((3,)), "used now"
    store.put((10,), pixels())
    kept = ImageStore(tmp_path)
    assert len(list(tmp_path.iterdir())) == 9
    assert kept.has((3,))
    assert kept.has((10,))


def test_bytes_on_disk_are_bounded_whoever_wrote_them(tmp_path: Path) -> None:
    (tmp_path / "left.123.part").write_bytes(bytes(1000))
    os.utime(tmp_path / "left.123.part", ns=(1, 1))
    ImageStore(tmp_path, disk_bytes_max=900).put((1,), pixels())
    assert [path.suffix for path in tmp_path.iterdir()] == [".png"]


def test_what_is_no_picture_is_none(tmp_path: Path) -> None:
    ImageStore(tmp_path).put((1,), pixels())
    next(tmp_path.iterdir()).write_bytes(b"no picture")
    assert not ImageStore(tmp_path).has((1,))


def test_a_folder_that_cannot_be_made_costs_the_disk_only(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    store = ImageStore(tmp_path / "file" / "thumbnails")
    store.put((1,), pixels())
    assert store.has((1,))


def test_a_link_in_the_place_of_a_file_is_not_followed(tmp_path: Path) -> None:
    folder, target = tmp_path / "thumbnails", tmp_path / "precious"
    target.write_text("words")
    ImageStore(folder).put((1,), pixels())
    name = next(folder.iterdir()).with_suffix(f".{os.getpid()}.part")
    name.symlink_to(target)
    ImageStore(folder).put((1,), pixels())
    assert target.read_text() == "words"


def test_all_is_forgotten(tmp_path: Path) -> None:
    store = ImageStore(tmp_path)
    store.put((1,), pixels())
    store.clear()
    assert not store.has((1,))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("missing", ["folder", "key"])
def test_clearing_and_asking_need_nothing_to_be_there(tmp_path: Path, missing: str) -> None:
    store = ImageStore(tmp_path / "nowhere" if missing == "folder" else tmp_path)
    store.clear()
    assert store.get((1,)) is None
