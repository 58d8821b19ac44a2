"""The JSON Schema of a report's lines, made of the values themselves: `python -m preview_app.inspection.schema`.

It writes `schema.json` beside this module, which a test holds against what is made here. It allows fields that it does
not know: a later version with the same number may have some.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from preview_app.inspection.records import SCHEMA, End, FileInspection, Run

PATH = Path(__file__).with_name("schema.json")


def build() -> dict[str, Any]:
    """The schema of one line."""
    kinds = (Run, FileInspection, End)
    lines, parts = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    for part in parts.values():
        if "description" in part:
            part["description"] = " ".join(part["description"].split())
        # Every field is always written, also where it has its default.
        part["required"] = list(part.get("properties", ())) or part.get("required", [])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A line of a report of docpeek inspect, version {SCHEMA}",
        "oneOf": list(lines),
        "$defs": dict(sorted(parts.items())),
    }


def text() -> str:
    """The schema as the file has it."""
    return json.dumps(build(), indent=2, ensure_ascii=True) + "\n"


if __name__ == "__main__":
    PATH.write_text(text(), encoding="ascii")
