"""The workspace: what may be read, and at which version (C6, C13)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from converter.errors import ConversionError, Outcome
from converter.request import Locator, SourceVersion
from converter.workspace import Workspace, refused


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "folder").mkdir(parents=True)
    (root / "a.txt").write_bytes(b"alpha")
    (root / "folder" / "b #1%20 ä.txt").write_bytes(b"beta")
    (root / ".hidden").mkdir()
    (root / ".hidden" / "c.txt").write_bytes(b"gamma")
    (tmp_path / "secret.txt").write_bytes(b"secret")
    return root


def outcome_of(call: Callable[[], object]) -> Outcome:
    with pytest.raises(ConversionError) as caught:
        call()
    return caught.value.outcome


def authorized(workspace: Workspace, path: Path | str) -> Outcome:
    return outcome_of(lambda: workspace.authorize(Locator.of(path)))


def test_a_file_below_the_root(root: Path) -> None:
    workspace = Workspace([root])
    for path in ("a.txt", root / "a.txt", "folder/../a.txt"):
        source = workspace.authorize(Locator.of(path))
        data, version = source.read(100)
        assert (data, source.name, source.size_bytes) == (b"alpha", "a.txt", 5)
        assert version == source.version
    seen = (root / "a.txt").stat()
    assert source.version == SourceVersion(seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns)
    assert workspace.authorize(Locator("folder/b #1%20 ä.txt")).read(100)[0] == b"beta"
    assert str(root) in repr(workspace)


def test_the_read_stops_one_byte_after_the_capacity(root: Path) -> None:
    assert Workspace([root]).authorize(Locator("a.txt")).read(2)[0] == b"alp"


@pytest.mark.parametrize(
    "path", ["../secret.txt", "folder/../../secret.txt", "/etc/passwd", "../nothing", "a\0.txt", ""]
)
def test_outside_is_not_allowed_whether_it_exists_or_not(root: Path, path: str) -> None:
    assert authorized(Workspace([root]), path) is Outcome.NOT_ALLOWED


@pytest.mark.parametrize("path", ["nothing.txt", "a.txt/below", "x" * 5000, "folder/" * 3000])
def test_missing(root: Path, path: str) -> None:
    assert authorized(Workspace([root]), path) in {Outcome.NOT_FOUND, Outcome.NOT_ALLOWED}


def test_links_out_are_refused_unless_allowed(root: Path, tmp_path: Path) -> None:
    (root / "out.txt").symlink_to(tmp_path / "secret.txt")
    (root / "up").symlink_to(tmp_path)
    for path in ("out.txt", "up/secret.txt"):
        assert authorized(Workspace([root]), path) is Outcome.NOT_ALLOWED
        assert Workspace([root], links_may_leave=True).authorize(Locator(path)).read(9)[0] == b"secret"
    assert authorized(Workspace([root], links_may_leave=True), "../secret.txt") is Outcome.NOT_ALLOWED


def test_links_inside_are_followed_and_loops_are_not(root: Path) -> None:
    (root / "in.txt").symlink_to("folder/b #1%20 ä.txt")
    (root / "loop").symlink_to("loop")
    (root / "dangling").symlink_to("nowhere")
    source = Workspace([root]).authorize(Locator("in.txt"))
    assert (source.read(9)[0], source.name) == (b"beta", "in.txt")
    for path in ("loop", "dangling"):
        assert authorized(Workspace([root]), path) in {Outcome.NOT_FOUND, Outcome.NOT_ALLOWED}


def test_hidden_files_by_setting(root: Path) -> None:
    (root / "to_hidden").symlink_to(".hidden")
    for path in (".hidden/c.txt", "to_hidden/c.txt"):
        assert authorized(Workspace([root]), path) is Outcome.NOT_ALLOWED
        assert Workspace([root], hidden_files=True).authorize(Locator(path)).read(9)[0] == b"gamma"
    assert Workspace([root / ".hidden"]).authorize(Locator("c.txt")).read(9)[0] == b"gamma", "the root itself may be"


def test_hidden_links_that_leave(root: Path, tmp_path: Path) -> None:
    (root / ".out").symlink_to(tmp_path)
    assert authorized(Workspace([root], links_may_leave=True), ".out/secret.txt") is Outcome.NOT_ALLOWED


def test_neither_folders_nor_pipes_nor_devices(root: Path) -> None:
    os.mkfifo(root / "pipe")
    for path in ("folder", ".", "pipe"):
        assert authorized(Workspace([root]), path) is Outcome.NOT_ALLOWED
    assert authorized(Workspace(["/dev"]), "null") is Outcome.NOT_ALLOWED


def test_several_roots(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "d.txt").write_bytes(b"delta")
    workspace = Workspace([root, other])
    assert workspace.authorize(Locator.of(other / "d.txt")).read(9)[0] == b"delta"
    with pytest.raises(ValueError, match="needs a root"):
        Workspace([])


def test_c6_a_change_before_the_read_is_noticed(root: Path) -> None:
    source = Workspace([root]).authorize(Locator("a.txt"))
    (root / "a.txt").write_bytes(b"other")
    assert outcome_of(lambda: source.read(100)) is Outcome.CHANGED


def test_c6_an_atomic_replacement_is_noticed(root: Path) -> None:
    source = Workspace([root]).authorize(Locator("a.txt"))
    seen = (root / "a.txt").stat()
    (root / "new").write_bytes(b"alpha")
    os.utime(root / "new", ns=(seen.st_atime_ns, seen.st_mtime_ns))
    (root / "new").replace(root / "a.txt")
    assert outcome_of(lambda: source.read(100)) is Outcome.CHANGED


def test_c6_a_change_while_reading_shows_in_the_version(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = Workspace([root]).authorize(Locator("a.txt"))
    read = os.read

    def read_and_write(descriptor: int, count: int) -> bytes:
        data = read(descriptor, count)
        (root / "a.txt").write_bytes(b"longer than before")
        return data

    monkeypatch.setattr(os, "read", read_and_write)
    _, version = source.read(5)
    assert version != source.version


def test_c13_a_link_put_in_place_of_a_checked_folder_is_not_followed(root: Path, tmp_path: Path) -> None:
    (root / "folder" / "secret.txt").write_bytes(b"ours")
    source = Workspace([root]).authorize(Locator("folder/secret.txt"))
    (root / "folder").rename(root / "moved")
    (root / "folder").symlink_to(tmp_path)
    assert outcome_of(lambda: source.read(100)) is Outcome.NOT_ALLOWED


def test_c13_opening_follows_nothing_that_was_put_there_after_resolving(root: Path, tmp_path: Path) -> None:
    from converter import workspace

    (root / "folder2").symlink_to(tmp_path)
    (root / "link.txt").symlink_to(tmp_path / "secret.txt")
    for path in (root / "folder2" / "secret.txt", root / "link.txt"):
        with pytest.raises(ConversionError), workspace._opened(path, root):
            pass


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_unreadable_files(root: Path) -> None:
    (root / "a.txt").chmod(0)
    assert authorized(Workspace([root]), "a.txt") is Outcome.NOT_ALLOWED


def test_no_descriptor_is_left(root: Path) -> None:
    workspace, before = Workspace([root]), len(os.listdir("/proc/self/fd"))
    for path in ("a.txt", "folder", "nothing", "../secret.txt", "folder/nothing"):
        try:
            workspace.authorize(Locator(path)).read(9)
        except ConversionError:
            continue
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize(
    ("number", "outcome"),
    [(2, Outcome.NOT_FOUND), (13, Outcome.NOT_ALLOWED), (40, Outcome.NOT_ALLOWED), (5, Outcome.NOT_FOUND)],
)
def test_errors_of_the_system(number: int, outcome: Outcome) -> None:
    error = refused(OSError(number, os.strerror(number)))
    assert error.outcome is outcome
    assert os.strerror(number) in error.diagnostics
