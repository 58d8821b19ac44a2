"""`mmap` as a copy: what is copied in, what is copied back, and what is refused."""

from __future__ import annotations

import pytest

from engines.wasm.host.guest import Guest
from tests.engines.wasm.host.tiny_guest import GuestMaker

IMPORTS = """
  (import "env" "_mmap_js" (func $mmap (param i32 i32 i32 i32 i64 i32 i32) (result i32)))
  (import "env" "_munmap_js" (func $munmap (param i32 i32 i32 i32 i32 i64) (result i32)))
  (import "env" "__syscall_openat" (func $open (param i32 i32 i32 i32) (result i32)))
"""
BODY = """
  (data (i32.const 64) "/file\\00")
  (func (export "emscripten_builtin_memalign") (param i32 i32) (result i32)
    (if (result i32) (i32.gt_u (local.get 1) (i32.const 65536)) (then (i32.const 0)) (else (i32.const 65536))))
  (func (export "open") (param i32) (result i32)
    (call $open (i32.const -100) (i32.const 64) (local.get 0) (i32.const 0)))
  (func (export "map") (param i32 i32 i32 i32 i32) (result i32)
    (call $mmap (local.get 0) (local.get 1) (local.get 2) (local.get 3) (i64.extend_i32_s (local.get 4))
      (i32.const 128) (i32.const 132)))
  (func (export "map_nowhere") (param i32) (result i32)
    (call $mmap (i32.const 1) (i32.const 1) (i32.const 1) (local.get 0) (i64.const 0) (i32.const -4) (i32.const 132)))
  (func (export "unmap") (param i32 i32 i32 i32 i32) (result i32)
    (call $munmap (i32.const 65536) (local.get 0) (local.get 1) (local.get 2) (local.get 3)
      (i64.extend_i32_s (local.get 4))))
  (func (export "poke") (param i32 i32) (i32.store8 (local.get 0) (local.get 1)))
"""
READ, WRITE = 1, 2
SHARED, PRIVATE = 1, 2
RDONLY, WRONLY, RDWR = 0, 1, 2
ADDRESS = 65536
EACCES, EFAULT, EINVAL, EBADF, ENODEV, ENOMEM = (-n & 0xFFFFFFFF for n in (2, 21, 28, 8, 43, 48))


@pytest.fixture
def guest(make_guest: GuestMaker) -> Guest:
    guest = make_guest(IMPORTS, BODY)
    guest.files.write("/file", b"0123456789")
    return guest


def test_a_mapping_is_a_copy_with_zeros_behind(guest: Guest) -> None:
    guest.call("poke", ADDRESS + 9, 0xFF)
    guest.call("poke", 2 * ADDRESS - 1, 0xFF)
    assert guest.call("map", 100, READ, PRIVATE, guest.call("open", RDONLY), 4) == 0
    assert guest.read_u32(128) == 1
    assert guest.read_u32(132) == ADDRESS
    assert guest.read_string(ADDRESS) == "456789"
    assert guest.read_u32(2 * ADDRESS - 4) == 0


def test_only_a_shared_writable_mapping_comes_back(guest: Guest) -> None:
    descriptor = guest.call("open", RDWR)
    for flags, expected in ((PRIVATE, b"0123456789"), (SHARED, b"012X456789")):
        assert guest.call("map", 100, READ | WRITE, flags, descriptor, 2) == 0
        guest.call("poke", ADDRESS + 1, ord("X"))
        assert guest.call("unmap", 100, READ | WRITE, flags, descriptor, 2) == 0
        assert bytes(guest.files.read("/file")) == expected


def test_what_cannot_be_mapped(guest: Guest) -> None:
    reader, writer, both = (guest.call("open", mode) for mode in (RDONLY, WRONLY, RDWR))
    assert guest.call("map", 0, READ, SHARED, reader, 0) == EINVAL
    assert guest.call("map", 1, READ, SHARED, reader, -1) == EINVAL
    assert guest.call("map", 1, READ, SHARED, writer, 0) == EACCES
    assert guest.call("map", 1, READ | WRITE, SHARED, reader, 0) == EACCES
    assert guest.call("map", 1, READ, SHARED, 99, 0) == EBADF
    assert guest.call("map", 1, READ, SHARED, 0, 0) == ENODEV
    assert guest.call("map", 70_000, READ, SHARED, both, 0) == ENOMEM
    assert guest.call("map", 0xFFFFFFFF, READ, SHARED, both, 0) == ENOMEM
    assert guest.call("map_nowhere", both) == EFAULT


def test_nothing_is_written_back_beyond_the_file(guest: Guest) -> None:
    descriptor = guest.call("open", RDWR)
    assert guest.call("unmap", 1000, WRITE, SHARED, descriptor, 500) == 0
    assert guest.call("unmap", 1000, WRITE, SHARED, descriptor, -5) == 0
    assert bytes(guest.files.read("/file")) == b"0123456789"
