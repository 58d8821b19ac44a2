"""Where results go: page ranges, names that never collide, whole files."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preview_app.outputs import OutputError, PageRanges, folder_names, pdf_paths, write_stream, write_whole


@pytest.mark.parametrize(
    ("text", "count", "pages"),
    [
        ("1-3", 5, [1, 2, 3]),
        ("1-3", 2, [1, 2]),
        ("3", 5, [3]),
        ("4-", 5, [4, 5]),
        ("-2", 5, [1, 2]),
        ("5,1-2,2", 5, [1, 2, 5]),
        (" 1 - 2 , 4 ", 5, [1, 2, 4]),
        ("9", 5, []),
        ("1-999999999999", 3, [1, 2, 3]),
    ],
)
def test_ranges_of_pages(text: str, count: int, pages: list[int]) -> None:
    assert PageRanges.parse(text).within(count) == pages


@pytest.mark.parametrize("text", ["", "-", "a", "0", "3-1", "1,,2", "1-2-3", "1;2", "0-3", "--1"])
def test_what_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no range of pages"):
        PageRanges.parse(text)


def test_one_file_goes_where_it_is_told(tmp_path: Path) -> None:
    source = tmp_path / "a.docx"
    source.touch()
    assert pdf_paths([source], tmp_path / "out.pdf") == [tmp_path / "out.pdf"]
    assert pdf_paths([source], tmp_path) == [tmp_path / "a.pdf"]


def test_equal_names_do_not_overwrite_each_other(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("x/a.docx", "y/a.docx", "y/a.odt", "y/b.odt")]
    names = [path.name for path in pdf_paths(files, tmp_path / "out")]
    assert names == ["a.docx.pdf", "a.docx (2).pdf", "a.odt.pdf", "b.pdf"]


def test_folders_are_called_like_the_files() -> None:
    assert folder_names([Path("x/a.docx"), Path("y/a.docx"), Path("b.odt")]) == ["a.docx", "a.docx (2)", "b.odt"]


@given(
    st.lists(st.sampled_from(["x/a.docx", "y/a.docx", "a.odt", "A.docx", "a.docx.pdf", "b", "a (2).docx"]), max_size=8)
)
def test_all_outputs_differ(files: list[str]) -> None:
    paths = [Path("/nowhere") / file for file in files]
    for names in ([path.name for path in pdf_paths(paths, Path("/out"))], folder_names(paths)):
        if len(files) != 1:
            assert len({name.casefold() for name in names}) == len(files)


def test_a_source_is_never_overwritten(tmp_path: Path) -> None:
    source = tmp_path / "a.pdf"
    source.write_bytes(b"%PDF-")
    link = tmp_path / "b.pdf"
    link.symlink_to(source)
    for output in (source, tmp_path, link):
        with pytest.raises(OutputError, match="one of the documents"):
            pdf_paths([source], output)


def test_several_files_need_a_folder(tmp_path: Path) -> None:
    output = tmp_path / "file"
    output.touch()
    with pytest.raises(OutputError, match="need a folder"):
        pdf_paths([Path("a"), Path("b")], output)


def test_a_file_is_whole_or_as_it_was(tmp_path: Path) -> None:
    target = tmp_path / "new" / "out.pdf"
    write_whole(target, b"one")
    write_whole(target, memoryview(b"two"))
    assert target.read_bytes() == b"two"
    assert list(target.parent.iterdir()) == [target]


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.touch()
    with pytest.raises(OutputError, match="Cannot write"):
        write_whole(blocker / "out.pdf", b"x")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OutputError, match="Cannot write"):
        write_whole(tmp_path / "folder", b"x")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_a_link_is_followed(tmp_path: Path) -> None:
    target = tmp_path / "target.pdf"
    link = tmp_path / "link.pdf"
    link.symlink_to(target)
    write_whole(link, b"data")
    assert link.is_symlink()
    assert target.read_bytes() == b"data"


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    write_whole(pipe, b"x" * 200_000)
    reader.join(10)
    assert got == [b"x" * 200_000]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_stream_that_does_not_block_gets_everything() -> None:
    source, sink = os.pipe()
    os.set_blocking(sink, False)
    got: list[bytes] = []

    def drain() -> None:
        with os.fdopen(source, "rb") as file:
            got.append(file.read())

    reader = threading.Thread(target=drain)
    reader.start()
    write_stream(sink, b"y" * 1_000_000)
    os.close(sink)
    reader.join(10)
    assert got == [b"y" * 1_000_000]


def test_a_long_name_is_no_obstacle(tmp_path: Path) -> None:
    target = tmp_path / ("\N{PAGE FACING UP}" * 60 + ".pdf")
    write_whole(target, b"data")
    assert target.read_bytes() == b"data"
