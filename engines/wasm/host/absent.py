"""Imports that the host leaves empty, refuses, or does not have, each by name.

A conversion calls the first kind while it starts (embind registers C++ classes for JavaScript, which nobody here
asks for) or where nothing needs doing. The second kind fails as on a machine without a network. The third kind is
never called by a conversion: a call ends the guest, naming it.
"""

from __future__ import annotations

from engines.wasm.host.errno import Errno

NOTHING_TO_DO = frozenset(
    {
        # Registration for JavaScript.
        "jsRegisterChar",
        "jsRegisterString",
        "_embind_create_inheriting_constructor",
        "_embind_finalize_value_object",
        "_embind_register_bigint",
        "_embind_register_bool",
        "_embind_register_class",
        "_embind_register_class_class_function",
        "_embind_register_class_constructor",
        "_embind_register_class_function",
        "_embind_register_class_property",
        "_embind_register_emval",
        "_embind_register_enum",
        "_embind_register_enum_value",
        "_embind_register_float",
        "_embind_register_function",
        "_embind_register_integer",
        "_embind_register_memory_view",
        "_embind_register_smart_ptr",
        "_embind_register_std_string",
        "_embind_register_std_wstring",
        "_embind_register_value_object",
        "_embind_register_value_object_field",
        "_embind_register_void",
        # Bookkeeping of JavaScript's workers and event loop; a thread here blocks and lives as long as it runs.
        "_emscripten_notify_mailbox_postmessage",
        "_emscripten_runtime_keepalive_clear",
        "_emscripten_thread_mailbox_await",
        "_emscripten_thread_set_strongref",
        "emscripten_check_blocking_allowed",
        # Notifications of an open document, for an editor.
        "dsh_lok_callback",
    }
)

_NO_NAME = -2 & 0xFFFFFFFF  # EAI_NONAME
_NO_NETWORK = -Errno.EAFNOSUPPORT & 0xFFFFFFFF

REFUSED = {
    "getaddrinfo": _NO_NAME,
    "getnameinfo": _NO_NAME,
    **dict.fromkeys(
        (
            "__syscall_accept4",
            "__syscall_bind",
            "__syscall_connect",
            "__syscall_getpeername",
            "__syscall_getsockname",
            "__syscall_getsockopt",
            "__syscall_listen",
            "__syscall_recvfrom",
            "__syscall_sendto",
            "__syscall_socket",
        ),
        _NO_NETWORK,
    ),
}

UNEXPECTED = frozenset(
    {
        "_emscripten_receive_on_main_thread_js",
        "_emval_as",
        "_emval_as_int64",
        "_emval_as_uint64",
        "_emval_call_method",
        "_emval_decref",
        "_emval_get_global",
        "_emval_get_method_caller",
        "_emval_get_module_property",
        "_emval_get_property",
        "_emval_new_array",
        "_emval_new_cstring",
        "_emval_run_destructors",
        "_emval_take_value",
        "emscripten_asm_const_int",
        "emscripten_set_main_loop_arg",
        "runUnoScriptUrls",
        "setupMainChannel",
    }
)
