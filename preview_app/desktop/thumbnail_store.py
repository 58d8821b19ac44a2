"""Pictures of first pages: some in memory, more on disk. Both are bounded, the least recently used go first.

On disk they are PNG files in a folder of the cache that only its owner may enter, named by a hash of the file's
version, never by its name. What was opened with a password does not come here.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from blake3 import blake3
from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QImage, QImageReader, QImageWriter

from preview_app.desktop.page_pixels import Picture
from preview_app.preview_thumbnails import Key
from preview_app.raster.api import Pixels

MEMORY_BYTES_MAX = 16 << 20
DISK_BYTES_MAX = 48 << 20
DISK_FILES_MAX = 4_000
_PNG = b"PNG"
_FORMAT = b"docpeek thumbnail 1"
"""Changes when pictures are made in another way."""
_KEPT_SHARE = 0.9
"""How full the folder is after a pruning, so that not every picture prunes."""


class ImageStore:
    """Images by the version of their file. `folder` is made when it is needed; without one nothing is on disk."""

    def __init__(
        self,
        folder: Path | None,
        *,
        memory_bytes_max: int = MEMORY_BYTES_MAX,
        disk_bytes_max: int = DISK_BYTES_MAX,
        disk_files_max: int = DISK_FILES_MAX,
    ) -> None:
        self._folder = folder
        self._memory_bytes_max = memory_bytes_max
        self._disk_bytes_max = disk_bytes_max
        self._disk_files_max = disk_files_max
        self._images: OrderedDict[Key, QImage] = OrderedDict()
        self._memory_bytes = 0
        self._disk: tuple[int, int] | None = None
        """Files and bytes on disk, once somebody has looked; others may add to them."""

    def __repr__(self) -> str:
        return f"<ImageStore {len(self._images)} images, {self._memory_bytes} bytes>"

    @property
    def memory_bytes(self) -> int:
        """Bytes of the images in memory."""
        return self._memory_bytes

    def has(self, key: Key) -> bool:
        """Whether there is an image; it is in memory then."""
        return self.get(key) is not None

    def get(self, key: Key) -> QImage | None:
        """The image of a version of a file."""
        image = self._images.get(key)
        if image is not None:
            self._images.move_to_end(key)
            return image
        image = self._load(key)
        if image is not None:
            self._remember(key, image)
        return image

    def put(self, key: Key, pixels: Pixels) -> None:
        """Keep an image; where the disk does not take it, in memory alone."""
        image = Picture.of(pixels).image.copy()
        self._remember(key, image)
        with suppress(OSError):
            self._save(key, image)

    def clear(self) -> None:
        """Forget all of them, those on disk too."""
        self._images.clear()
        self._memory_bytes = 0
        self._disk = None
        for _, _, path in self._files():
            path.unlink(missing_ok=True)

    def _remember(self, key: Key, image: QImage) -> None:
        former = self._images.pop(key, None)
        if former is not None:
            self._memory_bytes -= former.sizeInBytes()
        self._images[key] = image
        self._memory_bytes += image.sizeInBytes()
        while self._memory_bytes > self._memory_bytes_max and len(self._images) > 1:
            _, gone = self._images.popitem(last=False)
            self._memory_bytes -= gone.sizeInBytes()

    def _path(self, key: Key) -> Path | None:
        if self._folder is None:
            return None
        identity = blake3(_FORMAT + repr(key).encode()).hexdigest(length=20)
        return self._folder / f"{identity}.png"

    def _load(self, key: Key) -> QImage | None:
        path = self._path(key)
        if path is None:
            return None
        try:
            data = path.read_bytes()
            os.utime(path)  # the least recently used go first
        except OSError:
            return None
        buffer = QBuffer()
        buffer.setData(data)
        buffer.open(QIODevice.OpenModeFlag.ReadOnly)
        image = QImageReader(buffer, _PNG).read()
        return None if image.isNull() else image

    def _save(self, key: Key, image: QImage) -> None:
        path = self._path(key)
        if path is None or self._folder is None:
            return
        buffer = QBuffer()
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        QImageWriter(buffer, _PNG).write(image)
        data = bytes(buffer.data().data())
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder.chmod(0o700)
        scratch = path.with_suffix(f".{os.getpid()}.part")
        descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        scratch.replace(path)
        self._count(len(data))

    def _count(self, added_bytes: int) -> None:
        files, size = self._disk or (0, self._disk_bytes_max)  # a first look shows what is there
        self._disk = files + 1, size + added_bytes
        if self._disk[0] > self._disk_files_max or self._disk[1] > self._disk_bytes_max:
            self._prune()

    def _prune(self) -> None:
        found = sorted(self._files())
        files, size = len(found), sum(each[1] for each in found)
        too_much = files > self._disk_files_max or size > self._disk_bytes_max
        share = _KEPT_SHARE if too_much else 1.0
        for _, bytes_, path in found:
            if files <= share * self._disk_files_max and size <= share * self._disk_bytes_max:
                break
            path.unlink(missing_ok=True)
            files, size = files - 1, size - bytes_
        self._disk = files, size

    def _files(self) -> Sequence[tuple[int, int, Path]]:
        """Times of the last use, bytes and paths of what is on disk, unfinished files too."""
        if self._folder is None:
            return ()
        found = []
        try:
            with os.scandir(self._folder) as items:
                for item in items:
                    if item.name.endswith((".png", ".part")):
                        seen = item.stat(follow_symlinks=False)
                        found.append((seen.st_mtime_ns, seen.st_size, Path(item.path)))
        except OSError:
            return ()
        return found
