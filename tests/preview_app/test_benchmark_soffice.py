"""What docpeek is measured against, played by two small programs that take the same orders."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from preview_app.benchmark_rounds import NoMeasureError
from preview_app.benchmark_soffice import SharedOffice, Unoserver, command_line, find_unoserver, version

_SOFFICE = """#!{python}
import json, sys
from pathlib import Path
if sys.argv[1] == "--version":
    print("LibreOffice 7.9.1.2 40(Build:2)")
    sys.exit()
document, folder = Path(sys.argv[-1]), Path(sys.argv[-2])
profile = next(each for each in sys.argv if each.startswith("-env:")).partition("file://")[2]
settings = Path(profile, "user", "registrymodifications.xcu")
told = [sys.argv[1:], profile, settings.read_text() if settings.exists() else ""]
Path(profile).mkdir(parents=True, exist_ok=True)
with Path({log!r}).open("a") as log:
    print(json.dumps(told), file=log)
if document.stem == "crash":
    sys.exit(1)
if document.stem != "nothing":
    (folder / (document.stem + ".pdf")).write_bytes(b"%PDF-")
"""
_SERVER = """
import argparse, os, sys
from importlib.metadata import version
from pathlib import Path
from xmlrpc.server import SimpleXMLRPCServer

parser = argparse.ArgumentParser()
for name in ("executable", "port", "uno-port", "user-installation"):
    parser.add_argument(f"--{name}", required=True)
arguments = parser.parse_args()
if arguments.executable == "broken":
    sys.exit(1)

def convert(inpath, indata, outpath, convert_to, filtername, filter_options, update_index):
    if Path(inpath).stem == "kill":
        os._exit(1)
    if Path(inpath).stem == "refuse":
        raise ValueError("no such document")
    Path(outpath).write_bytes(f"{os.getpid()} {filter_options} {update_index} {version('unoserver')}".encode())

with SimpleXMLRPCServer(("127.0.0.1", int(arguments.port)), logRequests=False, allow_none=True) as server:
    server.register_function(convert)
    server.register_function(dict, "info")
    server.serve_forever()
"""


@pytest.fixture
def soffice(tmp_path: Path) -> str:
    program = tmp_path / "soffice"
    program.write_text(_SOFFICE.format(python=sys.executable, log=str(tmp_path / "log")))
    program.chmod(0o755)
    return str(program)


def _starts(tmp_path: Path) -> list[tuple[list[str], str, str]]:
    return [tuple(json.loads(line)) for line in (tmp_path / "log").read_text().splitlines()]


def test_a_warm_profile_is_one_that_was_used(tmp_path: Path, soffice: str) -> None:
    with command_line(soffice, fresh=False) as convert:
        assert convert(tmp_path / "a.docx") > 0
        convert(tmp_path / "b.xlsx")
    (one, profile, settings), (other, same_profile, _settings) = _starts(tmp_path)
    assert profile == same_profile
    assert "<value>7.9</value>" in settings
    assert one[one.index("--convert-to") + 1] == "pdf"
    assert "SinglePageSheets" in other[other.index("--convert-to") + 1]
    assert not Path(profile).exists()


def test_a_fresh_profile_is_another_each_time(tmp_path: Path, soffice: str) -> None:
    with command_line(soffice, fresh=True) as convert:
        convert(tmp_path / "a.docx")
        convert(tmp_path / "a.docx")
    starts = _starts(tmp_path)
    assert len({profile for _arguments, profile, _settings in starts}) == 2
    assert {settings for _arguments, _profile, settings in starts} == {""}


@pytest.mark.parametrize(("name", "why"), [("nothing", "made no PDF"), ("crash", "failed")])
def test_no_pdf_is_no_measure(tmp_path: Path, soffice: str, name: str, why: str) -> None:
    with command_line(soffice, fresh=True) as convert, pytest.raises(NoMeasureError, match=why):
        convert(tmp_path / f"{name}.docx")


def test_the_version_is_what_it_says(soffice: str) -> None:
    assert version(soffice) == "LibreOffice 7.9.1.2 40(Build:2)"


@pytest.fixture
def found(tmp_path: Path) -> Unoserver:
    package, metadata = tmp_path / "site" / "unoserver", tmp_path / "site" / "unoserver-0.1.dist-info"
    for folder in (package, metadata):
        folder.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "server.py").write_text(_SERVER)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: unoserver\nVersion: 0.1\n")
    return Unoserver(sys.executable, (package, metadata))


@pytest.fixture
def office(found: Unoserver, tmp_path: Path) -> Iterator[SharedOffice]:
    folder = tmp_path / "office"
    folder.mkdir()
    office = SharedOffice(found, "soffice", folder)
    office.start()
    yield office
    office.stop()


def _told(tmp_path: Path) -> str:
    return (tmp_path / "office" / "output.pdf").read_text()


def test_one_office_converts_all_documents(office: SharedOffice, tmp_path: Path) -> None:
    assert office.convert(tmp_path / "a.docx") > 0
    first = _told(tmp_path)
    office.convert(tmp_path / "b.xlsx")
    process = first.split()[0]
    assert first == f"{process} [] False 0.1"
    assert _told(tmp_path) == f"{process} ['SinglePageSheets=true'] False 0.1"


def test_an_office_that_refuses_goes_on(office: SharedOffice, tmp_path: Path) -> None:
    office.convert(tmp_path / "a.docx")
    before = _told(tmp_path)
    with pytest.raises(NoMeasureError, match="no such document"):
        office.convert(tmp_path / "refuse.docx")
    office.convert(tmp_path / "a.docx")
    assert _told(tmp_path) == before


def test_an_office_that_dies_is_started_again(office: SharedOffice, tmp_path: Path) -> None:
    office.convert(tmp_path / "a.docx")
    before = _told(tmp_path)
    with pytest.raises(NoMeasureError):
        office.convert(tmp_path / "kill.docx")
    office.convert(tmp_path / "a.docx")
    assert _told(tmp_path) != before


def test_an_office_that_does_not_start_is_told(found: Unoserver, tmp_path: Path) -> None:
    office = SharedOffice(found, "broken", tmp_path)
    with pytest.raises(NoMeasureError, match="did not start"):
        office.start()
    office.stop()


def test_unoserver_is_found_or_what_is_missing_is_told() -> None:
    found, lacking = find_unoserver()
    assert (found is None) == bool(lacking)
