"""The pages look as they looked before: pictures compared with those that are kept.

A change that is meant is kept by `python -m tests.preview_app.desktop.viewer_pictures --renew`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QImage

from tests.preview_app.desktop.viewer_pictures import PICTURES, SCALES, draw_at

STEP_MAX = 8
"""How much a channel of a pixel may differ (of 255) before the pixel counts as another one: rounding, blending."""
OTHERS_MAX = 0.002
"""Share of the pixels that may be others."""


def share_of_others(one: QImage, other: QImage) -> float:
    """The share of pixels that differ; 1 where the sizes do."""
    if one.size() != other.size():
        return 1.0
    first, second = (image.convertToFormat(QImage.Format.Format_RGB32).constBits() for image in (one, other))
    if first == second:
        return 0.0
    differing = sum(
        any(abs(a - b) > STEP_MAX for a, b in zip(first[at : at + 3], second[at : at + 3], strict=True))
        for at in range(0, len(first), 4)
        if first[at : at + 3] != second[at : at + 3]
    )
    return differing / (one.width() * one.height())


@pytest.mark.parametrize("scale", SCALES)
def test_pages_look_as_they_are_kept(scale: str, tmp_path: Path) -> None:
    draw_at(scale, tmp_path)
    kept = {path.name for path in (PICTURES / scale).iterdir()}
    assert {path.name for path in tmp_path.iterdir()} == kept
    shares = {
        name: share_of_others(QImage(str(tmp_path / name)), QImage(str(PICTURES / scale / name))) for name in kept
    }
    others = {name: share for name, share in shares.items() if share > OTHERS_MAX}
    assert not others, f"other pictures, in {tmp_path}: {others}"


def test_what_is_a_difference() -> None:
    image = QImage(100, 100, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    other = image.copy()
    assert share_of_others(image, other) == 0
    other.setPixelColor(5, 5, QColor(255 - STEP_MAX, 255, 255))
    assert share_of_others(image, other) == 0, "rounding is none"
    other.setPixelColor(5, 5, QColor("red"))
    other.setPixelColor(6, 5, QColor("black"))
    assert share_of_others(image, other) == pytest.approx(2 / 10_000)
    assert share_of_others(image, image.copy(0, 0, 100, 99)) == 1
