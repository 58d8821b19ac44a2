"""The options of LibreOffice's PDF export, the same for every engine. Only the standard library: kits import this."""

from __future__ import annotations

from typing import Any


def filter_data(export: dict[str, Any]) -> dict[str, dict[str, str]]:
    """The filter data for `engines.base.ExportOptions` as a dictionary with the document's `family`.

    In LibreOffice's own JSON form, a type and a value (as text) for each name.
    """
    # JPEG passes through as it is: half the time on documents with photographs, and the smaller file.
    values: dict[str, tuple[str, str]] = {"ReduceImageResolution": ("boolean", "false")}
    if export.get("family") == "sheet" and export.get("single_page_sheets"):
        values["SinglePageSheets"] = ("boolean", "true")
    if export.get("page_range"):
        values["PageRange"] = ("string", export["page_range"])
    elif export.get("pages_max"):
        # One more, which tells that there are more (see `engines.boundedexport`).
        values["PageRange"] = ("string", f"1-{export['pages_max'] + 1}")
    return {name: {"type": kind, "value": value} for name, (kind, value) in values.items()}
