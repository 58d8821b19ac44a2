"""What LibreOffice is told: settings as well-formed XML, and an environment with nothing of the person's in it."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

from engines.native import profile

_OOR = "{http://openoffice.org/2001/registry}"


def _settings(text: str) -> dict[str, str]:
    items = ET.fromstring(text)
    return {
        f"{item.get(_OOR + 'path')}/{prop.get(_OOR + 'name')}": prop.findtext("value") or ""
        for item in items
        for prop in item
    }


def test_settings_forbid_macros_links_and_the_network() -> None:
    found = _settings(profile.registry("7.4", "40(Build:2)", "en-US"))
    scripting = "/org.openoffice.Office.Common/Security/Scripting"
    assert found[f"{scripting}/DisableMacrosExecution"] == "true"
    assert found[f"{scripting}/MacroSecurityLevel"] == "3"
    assert found[f"{scripting}/BlockUntrustedRefererLinks"] == "true"
    assert found["/org.openoffice.Inet/Settings/ooInetProxyType"] == "2"


def test_settings_name_version_build_and_locale() -> None:
    found = _settings(profile.registry("7.4", "<&>", "de-DE"))
    assert found["/org.openoffice.Setup/Product/ooSetupLastVersion"] == "7.4"
    assert found["/org.openoffice.Setup/Office/LastCompatibilityCheckID"] == "<&>"
    assert found["/org.openoffice.Setup/L10N/ooSetupSystemLocale"] == "de-DE"


def test_the_environment_has_nothing_of_the_persons() -> None:
    inherited = {"PATH": "/usr/bin", "HOME": "/home/a", "LD_PRELOAD": "x", "PYTHONPATH": "y", "TZ": "UTC"}
    made = profile.environment(inherited, Path("/registry"), Path("/scratch"), "/here", "file:///here/profile")
    assert (made["TZ"], made["HOME"], made["TMPDIR"]) == ("UTC", "/here", "/here")
    assert not {"LD_PRELOAD", "PYTHONPATH"} & made.keys()
    assert not Path(made["PATH"]).exists()


def test_no_layer_is_ever_written_to() -> None:
    made = profile.environment({}, Path("/registry"), Path("/scratch"), "/here", "file:///here/profile")
    layers = made["CONFIGURATION_LAYERS"].split()
    assert layers[-1] == "xcsxcu:file:///scratch/registry"
    assert not [layer for layer in layers if layer.startswith("user:")]


def test_the_layer_is_where_the_environment_says(tmp_path: Path) -> None:
    profile.write_layer(tmp_path, "text")
    assert [path.read_text() for path in (tmp_path / profile.LAYER_NAME / "data").iterdir()] == ["text"]


def test_font_settings_are_those_of_the_system_and_ours() -> None:
    parsed = ET.fromstring(profile.fonts_conf((Path("/a&b"), Path("/c")), Path("/cache")))
    assert [each.text for each in parsed.findall("dir")] == ["/a&b", "/c"]
    assert parsed.findtext("cachedir") == "/cache"
    assert parsed.findtext("include") == "/etc/fonts/fonts.conf"
