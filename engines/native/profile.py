"""How LibreOffice is to behave: the registry layer that it reads, and the environment that it sees.

The layer is read-only. Nothing of the person's own LibreOffice is read or written: no profile, no extensions, no dconf.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

LAYER_NAME = "registry"
_LAYER_DATA = "data"  # where LibreOffice looks in a layer of this kind
_LAYER_FILE = "docpeek.xcu"
FONTS_NAME = "fonts.conf"
HERE = "/proc/self/cwd"
"""Resolved by each process for itself: what LibreOffice remembers of its temporary folder and its profile while it is
warmed up moves along when a kit changes to a folder of its own."""

_KEPT = ("TZ", "DOCPEEK_DEBUG", "SYSTEMROOT", "WINDIR")
_COMMON, _SETUP = "/org.openoffice.Office.Common", "/org.openoffice.Setup"
_SCRIPTING = f"{_COMMON}/Security/Scripting"
_INTERNET = "/org.openoffice.Inet/Settings"

_Item = tuple[str, str, str]

_START: tuple[_Item, ...] = (
    (f"{_SETUP}/Office", "ooSetupInstCompleted", "true"),
    (f"{_COMMON}/Misc", "FirstRun", "false"),
    (f"{_COMMON}/Misc", "UseLocking", "false"),
    (f"{_COMMON}/Misc", "UseOpenCL", "false"),
    (f"{_COMMON}/Misc", "CrashReport", "false"),
    ("/org.openoffice.Office.Recovery/RecoveryInfo", "Enabled", "false"),
    ("/org.openoffice.Office.Recovery/AutoSave", "Enabled", "false"),
)
_NO_MACROS: tuple[_Item, ...] = (
    (_SCRIPTING, "MacroSecurityLevel", "3"),
    (_SCRIPTING, "DisableMacrosExecution", "true"),
)
_NO_LINKS: tuple[_Item, ...] = (
    (_SCRIPTING, "BlockUntrustedRefererLinks", "true"),
    ("/org.openoffice.Office.Writer/Content/Update", "Link", "2"),
    ("/org.openoffice.Office.Calc/Content/Update", "Link", "2"),
)
# A proxy where nobody listens, for whatever would still ask the network.
_NO_NETWORK: tuple[_Item, ...] = (
    (_INTERNET, "ooInetProxyType", "2"),
    (_INTERNET, "ooInetNoProxy", ""),
    *((_INTERNET, f"ooInet{scheme}ProxyName", "127.0.0.1") for scheme in ("HTTP", "HTTPS", "FTP")),
    *((_INTERNET, f"ooInet{scheme}ProxyPort", "9") for scheme in ("HTTP", "HTTPS", "FTP")),
)


def registry(product: str, build_id: str, locale: str) -> str:
    """The text of a registry layer for LibreOffice `product` (`"7.4"`).

    Version and build are what keeps it from first-start work, half a second of it. The locale decides the paper of
    documents that name none (A4 or Letter).
    """
    own: tuple[_Item, ...] = (
        (f"{_SETUP}/Product", "ooSetupLastVersion", product),
        (f"{_SETUP}/Office", "LastCompatibilityCheckID", build_id),
        (f"{_SETUP}/L10N", "ooLocale", locale),
        (f"{_SETUP}/L10N", "ooSetupSystemLocale", locale),
    )
    items = "\n".join(map(_item, (*own, *_START, *_NO_MACROS, *_NO_LINKS, *_NO_NETWORK)))
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema"'
        f' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">\n{items}\n</oor:items>\n'
    )


def _item(item: _Item) -> str:
    path, name, value = item
    return (
        f'<item oor:path={quoteattr(path)}><prop oor:name={quoteattr(name)} oor:op="fuse">'
        f"<value>{escape(value)}</value></prop></item>"
    )


def write_layer(scratch: Path, text: str) -> None:
    """Put the text of a registry layer where `environment` says that it is."""
    folder = scratch / LAYER_NAME / _LAYER_DATA
    folder.mkdir(parents=True)
    (folder / _LAYER_FILE).write_text(text, encoding="utf-8")


def fonts_conf(folders: tuple[Path, ...], cache_dir: Path) -> str:
    """Fontconfig's settings: those of the system, and `folders` besides, with a cache that we may write."""
    system = '<include ignore_missing="yes">/etc/fonts/fonts.conf</include>'
    lines = "".join(f"<dir>{escape(str(folder))}</dir>" for folder in folders)
    return (
        '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">\n'
        f"<fontconfig>{system}{lines}<cachedir>{escape(str(cache_dir))}</cachedir></fontconfig>\n"
    )


def environment(
    inherited: Mapping[str, str], shared_registry: Path, scratch: Path, here: str, user_url: str
) -> dict[str, str]:
    """The whole environment of a LibreOffice process whose layer and font settings lie in `scratch`.

    `here` is its folder for temporary files, `user_url` that of its profile, which need not be there.
    There is no program to be found on the path: LibreOffice would start gpg to look at signatures.
    """
    shared = shared_registry.as_uri()
    # No `user:` layer: it would be written back to, by a thread that runs for a second after each change.
    layers = f"xcsxcu:{shared} res:{shared} xcsxcu:{(scratch / LAYER_NAME).as_uri()}"
    return {name: inherited[name] for name in _KEPT if name in inherited} | {
        "LC_ALL": "C.UTF-8",
        "PATH": "/nonexistent",
        "HOME": here,
        "TMPDIR": here,
        "TEMP": here,
        "UserInstallation": user_url,
        "CONFIGURATION_LAYERS": layers,
        "OSL_SOCKET_PATH": here,
        "FONTCONFIG_FILE": str(scratch / FONTS_NAME),
        "DISABLE_EXTENSION_SYNCHRONIZATION": "1",
        "SAL_USE_VCLPLUGIN": "svp",
        "SAL_DISABLE_OPENCL": "1",
    }
