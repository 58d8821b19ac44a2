"""What the command line says of one file: the contract for scripts (`--json`) and a line for a person."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from converter.conversion import Conversion
from converter.errors import ConversionError, Outcome


def succeeded(file: Path, conversion: Conversion) -> dict[str, Any]:
    """The JSON object of a file that was converted."""
    return {
        "file": str(file),
        "ok": True,
        "kind": Outcome.OK.value,
        "message": Outcome.OK.sentence,
        "engine": conversion.engine.name,
        "engine_version": conversion.engine.version,
        "engine_note": conversion.engine.note,
        "generation": conversion.generation,
        "pages": conversion.pages,
        "pdf_bytes": len(conversion.pdf),
        "seconds": {
            "queue": round(conversion.seconds.queue, 4),
            "convert": round(conversion.seconds.convert, 4),
            "total": round(conversion.seconds.total, 4),
        },
        "missing_fonts": [{"requested": font.requested, "used": font.used} for font in conversion.missing_fonts],
        "notices": [str(notice) for notice in conversion.notices],
        "notice_kinds": [notice.kind.value for notice in conversion.notices],
    }


def failed(file: Path, error: ConversionError) -> dict[str, Any]:
    """The JSON object of a file that was not."""
    engine = error.engine
    return {
        "file": str(file),
        "ok": False,
        "kind": error.outcome.value,
        "message": error.message,
        "engine": engine.name if engine else None,
        "engine_version": engine.version if engine else None,
        "engine_note": engine.note if engine else None,
        "generation": engine.fingerprint if engine else None,
        "pages": None,
        "pdf_bytes": None,
        "seconds": {"queue": None, "convert": None, "total": None},
        "missing_fonts": [],
        "notices": [],
        "notice_kinds": [],
    }


_REMEDIES = {
    Outcome.ENCRYPTED.value: " Give it with --password, or with --password-file FILE.",
    Outcome.BAD_PASSWORD.value: " Try again with --password, or with --password-file FILE.",
}


def sentence(report: dict[str, Any], output: str) -> str:
    """One line for a person, of a file that went to `output`."""
    if not report["ok"]:
        return f"{report['file']}: {report['message']}{_REMEDIES.get(report['kind'], '')}"
    pages = "1 page" if report["pages"] == 1 else f"{report['pages']} pages"
    made = f"{report['engine']} {report['engine_version']}".strip()
    return f"{report['file']} -> {output} ({pages}, {report['seconds']['total']:.2f} s, {made})"


def remarks(report: dict[str, Any]) -> list[str]:
    """What else a person should know: replaced fonts, notices."""
    fonts = [f"{font['requested']} (shown as {font['used']})" for font in report["missing_fonts"]]
    lines = ["fonts not installed: " + ", ".join(fonts)] if fonts else []
    return lines + list(report["notices"])
