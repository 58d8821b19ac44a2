"""Child main: does this LibreOffice work under this interpreter, and what can it open? One JSON object on stdout.

Run like a zygote, in a process of its own, since a LibreOffice that does not work may well crash.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from engines.errors import EngineError
from engines.native.modules import MATH_FILTER, MODULES
from engines.native.office import NativeOffice


def examine(settings: dict[str, Any]) -> dict[str, Any]:
    """The version, the families whose filters are not all there, the families whose documents do not convert.

    Raises `EngineError`.
    """
    office = NativeOffice(settings)
    office.initialise()
    missing = [each.family.value for each in MODULES if office.missing_filters(each.import_filters)]
    failed = {}
    for family, path in settings["try"].items():
        if family not in missing:
            try:
                office.try_document(Path(path))
            except EngineError as error:
                failed[family] = error.message
    lacks_math = bool(office.missing_filters([MATH_FILTER]))
    return {"version": office.version(), "missing": missing, "failed": failed, "lacks_math": lacks_math}


def main() -> None:
    """Settings on standard input, the answer on standard output, whatever else is printed on standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    try:
        answer = examine(json.load(sys.stdin))
    except EngineError as error:
        answer = {"error": f"{error.message} {error.diagnostics}".strip()}
    json.dump(answer, answers)
    answers.flush()
    os._exit(0)  # not through LibreOffice's own clean-up


if __name__ == "__main__":
    main()
