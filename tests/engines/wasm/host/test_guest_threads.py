"""Threads of the guest, what they leave behind, and forking beside them."""

from __future__ import annotations

import os
import threading

import pytest

from engines.wasm.host.guest import Guest, GuestBusy, GuestError, GuestTrap
from tests.engines.wasm.host.tiny_guest import LIMITS, GuestMaker

IMPORTS = """
  (import "env" "__pthread_create_js" (func $create (param i32 i32 i32 i32) (result i32)))
  (import "env" "_emscripten_thread_cleanup" (func $cleanup (param i32)))
  (import "env" "emscripten_unwind_to_js_event_loop" (func $unwind))
  (import "env" "emscripten_get_now" (func $now (result f64)))
"""

# Thread entries: 1 stores its argument at 128 and wakes who waits there, 2 traps, 3 waits for 132 to change, 4 unwinds,
# 5 sleeps in slices, asking for the time before each, as Emscripten's libc does.
BODY = """
  (table (export "__indirect_function_table") 6 funcref)
  (elem (i32.const 1) $store $crash $wait $leave $doze)
  (func $store (param i32) (result i32)
    (i32.atomic.store (i32.const 128) (local.get 0))
    (memory.atomic.notify (i32.const 128) (i32.const 1)))
  (func $crash (param i32) (result i32) unreachable)
  (func $wait (param i32) (result i32)
    (drop (memory.atomic.wait32 (i32.const 132) (i32.const 0) (i64.const 20000000000))) (i32.const 0))
  (func $leave (param i32) (result i32) (call $unwind) (i32.const 0))
  (func $doze (param i32) (result i32)
    (loop $again
      (drop (call $now))
      (drop (memory.atomic.wait32 (i32.const 136) (i32.const 0) (i64.const 1000000)))
      (br $again))
    (i32.const 0))
  (func (export "spawn") (param i32 i32) (result i32)
    (call $create (i32.const 1024) (i32.const 0) (local.get 0) (local.get 1)))
  (func (export "cleanup") (call $cleanup (i32.const 1024)))
  (func (export "await") (result i32)
    (drop (memory.atomic.wait32 (i32.const 128) (i32.const 0) (i64.const 20000000000)))
    (i32.atomic.load (i32.const 128)))
  (func (export "wake")
    (i32.atomic.store (i32.const 132) (i32.const 1))
    (drop (memory.atomic.notify (i32.const 132) (i32.const 16))))
  (func (export "peek") (param i32) (result i32) (i32.load (local.get 0)))
  (func (export "poke") (param i32 i32) (i32.store (local.get 0) (local.get 1)))
"""
STORE, CRASH, WAIT, LEAVE, DOZE = 1, 2, 3, 4, 5


@pytest.fixture
def guest(make_guest: GuestMaker) -> Guest:
    return make_guest(IMPORTS, BODY)


def _run_to_the_end(guest: Guest, entry: int) -> None:
    """Start a thread, wait for its end, and call once more. Any of the three may meet what ended it."""
    guest.call("spawn", entry, 0)
    with guest.quiesce():
        pass
    guest.call("peek", 0)


def test_a_thread_shares_the_memory(guest: Guest) -> None:
    assert guest.call("spawn", STORE, 42) == 0
    assert guest.call("await") == 42
    with guest.quiesce():
        assert guest.statistics().threads_running == 0
    assert guest.statistics().threads_started == 1


def test_a_thread_that_unwinds_has_ended_well(guest: Guest) -> None:
    guest.call("spawn", LEAVE, 0)
    with guest.quiesce():
        pass
    assert guest.call("peek", 0) == 0


def test_a_trap_in_a_thread_is_raised_on_the_main_thread(guest: Guest) -> None:
    with pytest.raises(GuestTrap, match=r"a thread of the guest failed.*unreachable"):
        _run_to_the_end(guest, CRASH)


def test_an_entry_that_does_not_exist_is_an_error(guest: Guest) -> None:
    with pytest.raises(GuestTrap, match="no function at index 0"):
        _run_to_the_end(guest, 0)


def test_there_is_no_fork_beside_a_sleeping_thread(guest: Guest) -> None:
    guest.call("spawn", WAIT, 0)
    with pytest.raises(GuestBusy, match="1 threads"), guest.quiesce(settle_s=0.0):
        pytest.fail("quiesce must not be entered")
    guest.call("wake")
    with guest.quiesce():
        assert guest.statistics().threads_running == 0


def test_closing_ends_the_threads_that_doze(guest: Guest) -> None:
    guest.call("spawn", DOZE, 0)
    guest.close()
    assert guest.statistics().threads_running == 0
    with pytest.raises(GuestError, match="closed"):
        guest.call("peek", 0)


def test_the_number_of_threads_is_bounded(guest: Guest) -> None:
    assert [guest.call("spawn", WAIT, 0) for _ in range(LIMITS.threads_max + 1)] == [0, 0, 6]
    guest.call("wake")
    with guest.quiesce():
        pass
    assert guest.call("spawn", STORE, 1) == 0
    with guest.quiesce():
        pass


def test_a_block_is_freed_once_its_thread_has_gone(make_guest: GuestMaker) -> None:
    body = (
        BODY
        + """
      (func (export "freed") (result i32) (i32.load (i32.const 140)))
    """
    )
    guest = make_guest(IMPORTS, body)
    guest.call("spawn", STORE, 1)
    guest.call("cleanup")
    with guest.quiesce():
        pass
    assert guest.call("peek", 1024) == 0


def test_the_process_has_the_usual_stack_size_for_its_own_threads(guest: Guest) -> None:
    before = threading.stack_size()
    guest.call("spawn", STORE, 1)
    with guest.quiesce():
        pass
    assert threading.stack_size() == before


def _in_child(body: object) -> int:
    """Fork; the child runs `body` and exits with its result. Returns the exit status."""
    assert callable(body)
    pid = os.fork()
    if pid == 0:
        status = 99
        try:
            status = int(body())
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_a_forked_child_goes_on_with_a_copy(guest: Guest) -> None:
    guest.call("poke", 256, 5)
    guest.files.write("/tmp/kept", b"kept")

    def child() -> int:
        guest.after_fork_in_child()
        guest.call("poke", 256, 6)
        guest.files.write("/tmp/own", b"own")
        guest.call("spawn", STORE, 30)
        assert bytes(guest.files.read("/tmp/kept")) == b"kept"
        return guest.call("await") + guest.call("peek", 256)

    with guest.quiesce():
        status = _in_child(child)
    assert status == 36
    assert guest.call("peek", 256) == 5
    assert guest.call("peek", 128) == 0
    assert not guest.files.exists("/tmp/own")


def test_a_trap_in_a_forked_child_is_an_error_there_only(guest: Guest) -> None:
    def child() -> int:
        guest.after_fork_in_child()
        try:
            guest.call("peek", 0xFFFFFFF0)
        except GuestTrap:
            return 7
        return 0

    with guest.quiesce():
        status = _in_child(child)
    assert status == 7
    assert guest.call("peek", 0) == 0
