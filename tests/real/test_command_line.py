"""The command line as a script sees it: one JSON object a file, exit statuses, files that are whole."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engines.assets import assets_dir
from engines.wasm.prepared import find
from preview_app import __version__
from tests.real.conftest import NOT_PREPARED

pytestmark = pytest.mark.wasm
SAMPLES = assets_dir() / "samples"
KEYS = [
    "file", "ok", "kind", "message", "engine", "engine_version", "engine_note", "generation", "pages", "pdf_bytes",
    "seconds", "missing_fonts", "notices", "notice_kinds",
]  # fmt: skip


@pytest.fixture(autouse=True)
def prepared(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    if find() is None and not os.environ.get("CI"):
        pytest.skip(NOT_PREPARED)
    # A LibreOffice that happens to be installed must not make this another test.
    config = tmp_path_factory.mktemp("settings") / "config.toml"
    config.write_text('engine = "wasm"\n', encoding="utf-8")
    monkeypatch.setenv("DOCPEEK_CONFIG", str(config))


def docpeek(*arguments: object, **environment: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "preview_app", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, timeout=110, check=False, env=os.environ | environment, stdin=subprocess.DEVNULL
    )


def objects(done: subprocess.CompletedProcess[bytes]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_convert_one_file(tmp_path: Path) -> None:
    output = tmp_path / "out" / "welcome.pdf"
    done = docpeek("convert", SAMPLES / "welcome.docx", "-o", output, "--json")
    assert done.returncode == 0, done.stderr
    (told,) = objects(done)
    assert list(told) == KEYS
    assert told["ok"] is True
    assert (told["kind"], told["engine"], told["pages"]) == ("ok", "wasm", 2)
    assert list(told["seconds"]) == ["queue", "convert", "total"]
    assert told["pdf_bytes"] == output.stat().st_size
    assert output.read_bytes().startswith(b"%PDF-")
    assert list(output.parent.iterdir()) == [output]


def test_each_file_of_several_is_told_in_order(tmp_path: Path) -> None:
    (tmp_path / "empty.docx").touch()
    (tmp_path / "noise.docx").write_bytes(bytes(range(256)) * 8)
    (tmp_path / "text.docx").write_text("just words")
    files = [SAMPLES / "garden.xlsx", tmp_path / "empty.docx", tmp_path / "noise.docx", tmp_path / "none.odt"]
    done = docpeek("convert", *files, tmp_path / "text.docx", "-o", tmp_path / "out", "--json")
    told = objects(done)
    assert [each["kind"] for each in told[:4]] == ["ok", "empty", "unsupported", "not_found"]
    assert told[4]["kind"] in {"corrupt", "unsupported"}
    assert [each["file"] for each in told[:4]] == [str(file) for file in files]
    assert all(list(each) == KEYS for each in told)
    assert done.returncode == 5, "the first failure gives the status"
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["garden.pdf"]


def test_a_person_reads_standard_error(tmp_path: Path) -> None:
    done = docpeek("convert", SAMPLES / "garden.xlsx", tmp_path / "none", "-o", tmp_path / "out")
    assert done.stdout == b""
    assert b"2 pages" in done.stderr
    assert b"There is no such file." in done.stderr
    assert done.returncode == 10


def test_notices_come_with_their_kinds(tmp_path: Path) -> None:
    config, file = tmp_path / "config.toml", tmp_path / "slides.odp"
    config.write_text('engine = "wasm"\npages_max = 1\n', encoding="utf-8")
    file.write_bytes((SAMPLES / "slides.pptx").read_bytes())
    done = docpeek("convert", file, "-o", tmp_path / "a.pdf", "--json", DOCPEEK_CONFIG=str(config))
    (told,) = objects(done)
    assert told["notice_kinds"] == ["false_name", "first_pages"]
    assert told["notices"] == [
        "Named .odp, but it is a PowerPoint presentation.",
        "Only the first page is shown; the document has more.",
    ]
    assert told["pages"] == 1


def test_to_standard_output(tmp_path: Path) -> None:
    done = docpeek("convert", SAMPLES / "garden.xlsx", "-o", "-")
    assert done.returncode == 0
    assert done.stdout.startswith(b"%PDF-")
    assert done.stdout.rstrip().endswith(b"%%EOF")


def test_render_pages(tmp_path: Path) -> None:
    done = docpeek("render", SAMPLES / "slides.pptx", "-o", tmp_path, "--pages", "2-", "--dpi", "50")
    assert done.returncode == 0, done.stderr
    names = [Path(line).name for line in done.stdout.decode().splitlines()]
    assert names == ["page-0002.png", "page-0003.png"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    head = (tmp_path / "page-0002.png").read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(head[16:20], "big") in range(499, 502), "ten inches at 50 dots"


def test_rendering_pages_that_are_not_there(tmp_path: Path) -> None:
    done = docpeek("render", SAMPLES / "slides.pptx", "-o", tmp_path, "--pages", "7", "--json")
    (told,) = objects(done)
    assert (told["ok"], done.returncode) == (False, 10)
    assert "among the 3" in told["message"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("convert",),
        ("convert", SAMPLES / "welcome.docx"),
        ("convert", SAMPLES / "welcome.docx", "-o", SAMPLES / "welcome.docx"),
        ("convert", SAMPLES / "welcome.docx", "-o", "x.pdf", "--deadline", "0"),
        ("convert", SAMPLES / "welcome.docx", "-o", "x.pdf", "--deadline", "nan"),
        ("convert", SAMPLES / "welcome.docx", "-o", "x.pdf", "--engine", "other"),
        ("convert", SAMPLES / "a", SAMPLES / "b", "-o", SAMPLES / "welcome.docx"),
        ("convert", SAMPLES / "a", SAMPLES / "b", "-o", "-"),
        ("render", SAMPLES / "welcome.docx", "-o", "x", "--pages", "3-1"),
        ("render", SAMPLES / "welcome.docx", "-o", "x", "--dpi", "0"),
        ("nonsense",),
    ],
)
def test_wrong_usage(arguments: tuple[object, ...]) -> None:
    done = docpeek(*arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"Error" in done.stderr


def test_settings_that_cannot_be_used(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("slotz = 1")
    done = docpeek("engines", DOCPEEK_CONFIG=str(config))
    assert done.returncode == 2
    assert b"slotz" in done.stderr


def test_the_deadline(tmp_path: Path) -> None:
    file = tmp_path / "long.txt"
    file.write_text("All work and no play makes Jack a dull boy.\n" * 60_000)
    done = docpeek("convert", file, "-o", tmp_path / "out.pdf", "--deadline", "0.5", "--json")
    (told,) = objects(done)
    assert (told["kind"], done.returncode) == ("timeout", 7)
    assert not (tmp_path / "out.pdf").exists()


def test_an_engine_that_is_not_there(tmp_path: Path) -> None:
    command = ("convert", SAMPLES / "welcome.docx", "-o", tmp_path / "out.pdf", "--json")
    nowhere = {"DOCPEEK_SOFFICE": str(tmp_path / "nowhere")}
    done = docpeek(*command, "--engine", "native", **nowhere)
    (told,) = objects(done)
    assert (told["kind"], done.returncode) == ("unavailable", 8)
    assert "DOCPEEK_SOFFICE" in told["message"]
    done = docpeek(*command, "--engine", "auto", **nowhere)
    (told,) = objects(done)
    assert (told["kind"], told["engine"]) == ("ok", "wasm")
    assert "DOCPEEK_SOFFICE" in told["engine_note"]


def test_pictures_never_overwrite_the_document(tmp_path: Path) -> None:
    source = tmp_path / "page-0001.png"
    shutil.copy(SAMPLES / "garden.xlsx", source)
    before = source.read_bytes()
    done = docpeek("render", source, "-o", tmp_path, "--json")
    assert (objects(done)[0]["ok"], done.returncode) == (False, 10)
    assert source.read_bytes() == before


def test_a_name_that_no_encoding_has(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/bad\xff.xlsx"
    shutil.copy(os.fsencode(SAMPLES / "garden.xlsx"), name)
    done = docpeek("convert", os.fsdecode(name), "-o", tmp_path / "out.pdf", "--json")
    (told,) = objects(done)
    assert (told["ok"], os.fsencode(told["file"])) == (True, name)


def test_too_few_descriptors_is_told_for_each_file(tmp_path: Path) -> None:
    command = f"ulimit -n 10; exec '{sys.executable}' -m preview_app convert a b -o out --json --engine wasm"
    done = subprocess.run(["bash", "-c", command], capture_output=True, timeout=60, check=False, cwd=tmp_path)
    assert [told["kind"] for told in objects(done)] == ["unavailable"] * 2
    assert done.returncode == 8
    assert b"Traceback" not in done.stderr


def test_a_full_disk_behind_standard_output() -> None:
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "preview_app", "convert", str(SAMPLES / "garden.xlsx"), "-o", "-"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
    assert done.returncode == 10
    assert b"Cannot write to standard output" in done.stderr
    assert b"Traceback" not in done.stderr


def test_engines() -> None:
    done = docpeek("engines", "--json")
    (told,) = objects(done)
    wasm, native = told["engines"]
    assert done.returncode == 0
    assert (native["name"], told["in_use"]) == ("native", "wasm")
    assert (wasm["name"], wasm["prepared"]) == ("wasm", True)
    assert len(wasm["generation"]) == len(wasm["fingerprint"]) == 64
    assert b"LibreOffice" in docpeek("engines").stdout


def test_version() -> None:
    assert docpeek("--version").stdout.decode().strip().endswith(__version__)


def test_interrupted(tmp_path: Path) -> None:
    file = tmp_path / "long.txt"
    file.write_text("All work and no play makes Jack a dull boy.\n" * 60_000)
    command = [sys.executable, "-m", "preview_app", "-vv", "convert", str(file), "-o", str(tmp_path / "out.pdf")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True) as process:
        assert process.stderr is not None
        process.stderr.readline()  # it is at work
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
    assert process.returncode == 130
    assert [path.name for path in tmp_path.iterdir()] == ["long.txt"]
