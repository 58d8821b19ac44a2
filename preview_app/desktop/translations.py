"""Keeps the translations in step with the code: `python -m preview_app.desktop.translations`.

Qt's `lupdate` does not see calls of a plain function in Python. So the texts in `tr(...)` and `mark(...)` are found
here and merged into each `docpeek_*.ts` in `assets/translations`; Qt's own `lrelease` makes of it what is loaded.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

from engines.assets import assets_dir
from preview_app.desktop.language import CONTEXT

_FINDERS = frozenset({"tr", "mark"})


def texts(folder: Path) -> list[str]:
    """Every text for a person in the modules of a folder, each once, in the order of the files."""
    found: dict[str, None] = {}
    for path in sorted(folder.glob("*.py")):
        found.update(dict.fromkeys(_texts_of(ast.parse(path.read_text(encoding="utf-8")))))
    return list(found)


def read(path: Path) -> dict[str, str]:
    """Translations by text; what is not translated is empty."""
    if not path.exists():
        return {}
    root = ET.parse(path).getroot()  # noqa: S314 - a file of our own
    return {each.findtext("source", ""): each.findtext("translation", "") for each in root.iter("message")}


def write(path: Path, wanted: Sequence[str], translations: dict[str, str]) -> None:
    """A TS file with these texts; translations of others are dropped."""
    root = ET.Element("TS", version="2.1", language=path.stem.rpartition("_")[2])
    context = ET.SubElement(root, "context")
    ET.SubElement(context, "name").text = CONTEXT
    for text in wanted:
        message = ET.SubElement(context, "message")
        ET.SubElement(message, "source").text = text
        translation = ET.SubElement(message, "translation")
        translation.text = translations.get(text, "")
        if not translation.text:
            translation.set("type", "unfinished")
    ET.indent(root, " ")
    body = ET.tostring(root, encoding="unicode")
    path.write_text(f'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n{body}\n', encoding="utf-8")


def _texts_of(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _FINDERS:
            for argument in node.args:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield argument.value


def main() -> int:
    """Bring all translations up to date; gives the exit status."""
    wanted = texts(Path(__file__).parent)
    for path in sorted((assets_dir() / "translations").glob(f"{CONTEXT}_*.ts")):
        known = read(path)
        write(path, wanted, known)
        missing = [text for text in wanted if not known.get(text)]
        print(f"{path.name}: {len(wanted)} texts, {len(missing)} to translate", *missing, sep="\n    ")
        release = Path(sys.executable).with_name("pyside6-lrelease")
        subprocess.run([release, "-silent", path, "-qm", path.with_suffix(".qm")], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
