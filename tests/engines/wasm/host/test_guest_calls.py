"""Whatever a guest does ends in an error of Python's, not in the end of the process."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from engines.wasm.host.guest import (
    Guest,
    GuestAbort,
    GuestError,
    GuestExit,
    GuestFault,
    GuestLinkError,
    GuestMemoryLimit,
    GuestTrap,
    UnexpectedImport,
)
from tests.engines.wasm.host.tiny_guest import LIMITS, GuestMaker, NoFonts, compiled, module

LOG = '(import "env" "emscripten_err" (func $err (param i32)))'
RESIZE = '(import "env" "emscripten_resize_heap" (func $resize (param i32) (result i32)))'


def test_arguments_and_results_are_unsigned(make_guest: GuestMaker) -> None:
    body = '(func (export "minus") (param i32 i32) (result i32) (i32.sub (local.get 0) (local.get 1)))'
    guest = make_guest(body=body)
    assert guest.call("minus", 5, 3) == 2
    assert guest.call("minus", 3, 5) == 0xFFFFFFFE
    with pytest.raises(GuestError, match="no function"):
        guest.call("plus", 1, 2)


def test_strings_go_in_and_come_out(make_guest: GuestMaker) -> None:
    guest = make_guest()
    with guest.string("größer 文") as address:
        assert guest.read_string(address) == "größer 文"
    assert guest.read_string(0) == ""
    with pytest.raises(GuestFault):
        guest.read_string(0xFFFFFFF0)


def test_a_trap_says_why_and_ends_the_guest(make_guest: GuestMaker) -> None:
    guest = make_guest(body='(func $deep (export "crash") unreachable)')
    with pytest.raises(GuestTrap, match="unreachable") as raised:
        guest.call("crash")
    assert raised.value.code == "unreachable"
    with pytest.raises(GuestError, match="has ended"):
        guest.call("malloc", 1)


def test_endless_recursion_is_a_trap(make_guest: GuestMaker) -> None:
    guest = make_guest(
        body='(func $f (export "recurse") (param i32) (result i32) (i32.add (call $f (local.get 0)) (i32.const 1)))'
    )
    with pytest.raises(GuestTrap) as raised:
        guest.call("recurse", 1)
    assert raised.value.code == "stack_overflow"


def test_reading_outside_of_the_memory_is_a_trap(make_guest: GuestMaker) -> None:
    guest = make_guest(body='(func (export "peek") (param i32) (result i32) (i32.load (local.get 0)))')
    with pytest.raises(GuestTrap) as raised:
        guest.call("peek", 0xFFFFFFF0)
    assert raised.value.code == "memory_out_of_bounds"


def test_an_exception_of_the_host_comes_out_as_it_was(make_guest: GuestMaker) -> None:
    problem = RuntimeError("the log is full")

    def log(_text: bytes) -> None:
        raise problem

    guest = make_guest(LOG, '(func (export "say") (call $err (i32.const 64)))', log=log)
    with pytest.raises(RuntimeError) as raised:
        guest.call("say")
    assert raised.value is problem


def test_a_nested_call_raises_through_both_levels(make_guest: GuestMaker) -> None:
    imports = LOG + '(import "env" "__call_sighandler" (func $signal (param i32 i32)))'
    body = """
      (table (export "__indirect_function_table") 2 funcref)
      (func $handler (param i32) (call $err (i32.const 64)))
      (elem (i32.const 1) $handler)
      (func (export "raise") (param i32) (call $signal (local.get 0) (i32.const 9)))
    """
    texts: list[bytes] = []
    guest = make_guest(imports, body, log=texts.append)
    guest.call("raise", 1)
    assert texts == [b"\n"]
    with pytest.raises(GuestError, match="no function at index 0"):
        guest.call("raise", 0)


@pytest.mark.parametrize(
    ("import_", "call", "error", "text"),
    [
        ('"env" "exit" (func $f (param i32))', "(call $f (i32.const 3))", GuestExit, "status 3"),
        ('"wasi_snapshot_preview1" "proc_exit" (func $f (param i32))', "(call $f (i32.const 4))", GuestExit, "4"),
        ('"env" "_abort_js" (func $f)', "(call $f)", GuestAbort, "abort"),
        ('"env" "__handle_stack_overflow" (func $f (param i32))', "(call $f (i32.const 16))", GuestAbort, "0x10"),
        ('"env" "emscripten_unwind_to_js_event_loop" (func $f)', "(call $f)", GuestError, "event loop"),
        ('"env" "setupMainChannel" (func $f)', "(call $f)", UnexpectedImport, "setupMainChannel"),
        ('"env" "emscripten_err" (func $f (param i32))', "(call $f (i32.const -9))", GuestFault, "outside"),
        (
            '"env" "__assert_fail" (func $f (param i32 i32 i32 i32))',
            "(call $f (i32.const 0) (i32.const 0) (i32.const 7) (i32.const 0))",
            GuestAbort,
            ":7",
        ),
    ],
)
def test_ends_of_the_guest(make_guest: GuestMaker, import_: str, call: str, error: type[GuestError], text: str) -> None:
    guest = make_guest(f"(import {import_})", f'(func (export "go") {call})')
    with pytest.raises(error, match=text):
        guest.call("go")


def test_what_is_refused_is_refused_and_what_is_empty_does_nothing(make_guest: GuestMaker) -> None:
    imports = """
      (import "env" "__syscall_socket" (func $socket (param i32 i32 i32 i32 i32 i32) (result i32)))
      (import "env" "getaddrinfo" (func $resolve (param i32 i32 i32 i32) (result i32)))
      (import "env" "_embind_register_void" (func $embind (param i32 i32)))
    """
    body = """
      (func (export "socket") (result i32)
        (call $embind (i32.const 1) (i32.const 2))
        (call $socket (i32.const 2) (i32.const 1) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0)))
      (func (export "resolve") (result i32)
        (call $resolve (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0)))
    """
    guest = make_guest(imports, body)
    assert guest.call("socket") == -5 & 0xFFFFFFFF
    assert guest.call("resolve") == -2 & 0xFFFFFFFF


def test_memory_grows_up_to_the_limit_and_wanting_more_ends_the_guest(make_guest: GuestMaker) -> None:
    body = """
      (func (export "grow") (param i32) (result i32) (call $resize (local.get 0)))
      (func (export "grow_itself") (param i32) (result i32) (memory.grow (local.get 0)))
    """
    guest = make_guest(RESIZE, body)
    assert guest.call("grow", 1 << 20) == 1
    assert guest.call("grow", 1) == 0
    assert guest.call("grow_itself", 64) == 0xFFFFFFFF
    assert not guest.memory_limit_reached
    with pytest.raises(GuestMemoryLimit, match="more than 4 MiB"):
        guest.call("grow", (4 << 20) + 1)
    assert guest.memory_limit_reached
    assert guest.statistics().memory_bytes <= 4 << 20


def test_a_module_that_starts_above_the_limit_is_refused(tmp_path: Path) -> None:
    small = replace(LIMITS, memory_bytes_max=65536)
    with pytest.raises(GuestMemoryLimit, match="starts with"):
        Guest(compiled(tmp_path, module("", "")), fonts=NoFonts(), limits=small)


@pytest.mark.parametrize(
    "text", ["(module)", '(module (import "env" "memory" (memory 1)))', '(module (import "env" "memory" (memory 1 2)))']
)
def test_a_module_without_a_shared_memory_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(GuestLinkError, match="shared 32-bit memory"):
        Guest(compiled(tmp_path, text), fonts=NoFonts(), limits=LIMITS)


def test_all_that_does_not_fit_is_named(tmp_path: Path) -> None:
    imports = """
      (import "env" "no_such_call" (func (param i32 i64) (result f64)))
      (import "elsewhere" "exit" (func (param i32)))
      (import "env" "exit" (func (param i64)))
      (import "env" "table" (table 1 funcref))
    """
    with pytest.raises(GuestLinkError) as raised:
        Guest(compiled(tmp_path, module(imports, "")), fonts=NoFonts(), limits=LIMITS)
    assert raised.value.missing == ("env.no_such_call ij:d", "elsewhere.exit i:")
    assert [text.split()[0] for text in raised.value.mismatched] == ["env.exit", "env.table"]


def test_a_file_that_is_no_module_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "broken.cwasm"
    path.write_bytes(b"no module")
    with pytest.raises(GuestError, match="cannot be used"):
        Guest(path, fonts=NoFonts(), limits=LIMITS)


def test_only_the_owner_drives_the_guest(make_guest: GuestMaker) -> None:
    guest = make_guest()
    errors: list[Exception] = []

    def other() -> None:
        try:
            guest.call("malloc", 1)
        except GuestError as error:
            errors.append(error)

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert "the thread that started it" in str(errors[0])


def test_too_little_stack_is_said_before_anything_runs(tmp_path: Path) -> None:
    limits = replace(LIMITS, wasm_stack_bytes=1 << 40)
    guest = Guest(compiled(tmp_path, module("", ""), limits), fonts=NoFonts(), limits=limits)
    with pytest.raises(GuestError, match="MiB of stack"):
        guest.start()


def test_calls_are_counted_when_asked_for(make_guest: GuestMaker) -> None:
    guest = make_guest(RESIZE, '(func (export "go") (drop (call $resize (i32.const 0))))', count_calls=True)
    guest.call("go")
    guest.call("go")
    assert guest.statistics().calls == {"emscripten_resize_heap": 2}


def test_exceptions_thrown_by_the_host_are_caught_in_the_guest(make_guest: GuestMaker) -> None:
    imports = """
      (import "env" "__throw_exception_with_stack_trace" (func $throw (param i32)))
      (import "env" "jsGetExportedSymbol" (func $symbol (param i32) (result i32)))
    """
    body = """
      (tag $tag (export "__cpp_exception") (param i32))
      (global (export "_ZTIi") i32 (i32.const 1234))
      (data (i32.const 64) "_ZTIi\\00_ZTIx\\00")
      (func (export "catch") (param i32) (result i32)
        (block $caught (result i32)
          (try_table (catch $tag $caught) (call $throw (local.get 0)))
          (i32.const 0)))
      (func (export "escape") (call $throw (i32.const 5)))
      (func (export "symbol") (param i32) (result i32) (call $symbol (local.get 0)))
    """
    guest = make_guest(imports, body)
    assert guest.call("catch", 77) == 77
    assert guest.call("symbol", 64) == 1234
    assert guest.call("symbol", 70) == 0
    with pytest.raises(GuestError):
        guest.call("escape")
