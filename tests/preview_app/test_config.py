"""Settings: defaults without a file, values from it, and errors that name the key."""

from __future__ import annotations

from pathlib import Path

import pytest

from preview_app.config import Config, ConfigError, config_path, load_config


def test_no_file_means_defaults(tmp_path: Path) -> None:
    assert load_config(tmp_path / "none.toml") == Config()


def test_values_come_from_the_file(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('engine = "wasm"\nslots = 3\ndeadline_s = 5\n')
    config = load_config(file)
    assert (config.engine, config.slots, config.deadline_s) == ("wasm", 3, 5.0)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("slotz = 3", "slotz"),
        ("slots = 0", "slots"),
        ('engine = "x"', "engine"),
        ("slots = ", "cannot be used"),
        ("reserved_bytes_max = 1", "reserved_bytes_max"),
        ("deadline_s = 10000", "deadline_s"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, named: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=named):
        load_config(file)


def test_the_file_can_be_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCPEEK_CONFIG", str(tmp_path / "mine.toml"))
    assert config_path() == tmp_path / "mine.toml"
