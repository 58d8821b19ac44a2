"""A second start hands its documents to the window that is open."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from preview_app.desktop.instance import Instance
from preview_app.running_window import MESSAGE_BYTES_MAX, decode, encode, hand_over, socket_path


class Taken:
    """What a window was given."""

    def __init__(self) -> None:
        self.paths: list[list[Path]] = []

    def __call__(self, paths: Sequence[Path]) -> None:
        self.paths.append(list(paths))


def hand_over_beside(paths: list[Path], path: Path) -> tuple[threading.Thread, list[bool]]:
    """Hand over on a thread, as another process would."""
    answers: list[bool] = []
    thread = threading.Thread(target=lambda: answers.append(hand_over(paths, path)))
    thread.start()
    return thread, answers


def received(connection: socket.socket) -> bytes | None:
    """What has come, empty at the end, `None` while there is nothing yet."""
    try:
        return connection.recv(10)
    except BlockingIOError:
        return None


def test_documents_go_to_the_window_that_is_open(qtbot: QtBot, tmp_path: Path) -> None:
    taken, path = Taken(), tmp_path / "socket"
    instance = Instance(path, taken)
    assert instance.listening
    thread, answers = hand_over_beside([Path("/a/b c.docx"), Path("relative.odt")], path)
    qtbot.waitUntil(lambda: bool(taken.paths))
    thread.join()
    assert answers == [True]
    assert taken.paths == [[Path("/a/b c.docx"), Path.cwd() / "relative.odt"]]
    instance.close()
    instance.close()
    assert not path.exists()
    assert not hand_over([], path)


def test_a_window_that_listens_keeps_its_place(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "socket"
    first = Instance(path, Taken())
    second = Instance(path, Taken())
    assert (first.listening, second.listening) == (True, False)
    second.close()
    assert path.exists()
    first.close()


def test_what_a_killed_window_left_is_no_hindrance(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    assert not hand_over([], path)
    instance = Instance(path, Taken())
    assert instance.listening
    instance.close()


def test_nonsense_is_answered_with_nothing(qtbot: QtBot, tmp_path: Path) -> None:
    taken, path = Taken(), tmp_path / "socket"
    instance = Instance(path, taken)
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(path))
        connection.sendall(b'["relative"]\n')
        connection.setblocking(False)
        qtbot.waitUntil(lambda: received(connection) is not None)
        assert received(connection) == b""
    assert taken.paths == []
    instance.close()


def test_a_window_that_hangs_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        assert not hand_over([Path("/a")], path, timeout_s=0.05)


def test_a_folder_that_cannot_be_used_means_no_listening(qtbot: QtBot, tmp_path: Path) -> None:
    instance = Instance(tmp_path / "nowhere" / "socket", Taken())
    assert not instance.listening
    instance.close()


def test_messages() -> None:
    assert decode(encode([Path("/ä")])) == [Path("/ä")]
    for nonsense in (b"{", b"5", b"[5]", b'["relative"]', b"\xff\n"):
        assert decode(nonsense) is None
    assert not hand_over([Path("/" + "x" * MESSAGE_BYTES_MAX)], Path("/nowhere"))


def test_the_place_is_private_and_of_one_display(tmp_path: Path) -> None:
    environment = {"XDG_RUNTIME_DIR": str(tmp_path), "DISPLAY": ":1"}
    path = socket_path("auto", environment)
    assert path is not None
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert path != socket_path("wasm", environment)
    assert path != socket_path("auto", {**environment, "DISPLAY": ":2"})
    path.parent.chmod(0o755)
    assert socket_path("auto", environment) is None


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_without_a_folder_there_is_no_place(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert socket_path("auto", {"XDG_RUNTIME_DIR": str(tmp_path / "x")}) is None
