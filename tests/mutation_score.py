"""What a run of mutmut found: the score of each file, and the names of the survivors.

Run it with `python -m tests.mutation_score` where `mutmut run` was run: `mutants/` holds one `.meta` file (JSON) beside
each mutated source file, with the exit status of the tests by mutant, `null` where a mutant was not run.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

SURVIVED = 0
UNTESTED = (5, 33)
"""No test reaches the mutant: pytest's own status, and mutmut's."""


def main() -> int:
    """Print the scores; the status is 1 where nothing was run."""
    survivors: list[str] = []
    total = killed = 0
    for path in sorted(Path("mutants").rglob("*.py.meta")):
        statuses = json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"]
        run = {name: status for name, status in statuses.items() if status is not None}
        alive = [name for name, status in run.items() if status in (SURVIVED, *UNTESTED)]
        print(_line(path.relative_to("mutants").with_suffix("").as_posix(), len(run) - len(alive), len(run)))
        survivors += alive
        total, killed = total + len(run), killed + len(run) - len(alive)
    print(_line("all", killed, total))
    print(*(f"survived: {name}" for name in survivors), sep="\n")
    return 0 if total else 1


def _line(name: str, killed: int, total: int) -> str:
    return f"{name:30} {killed:4} of {total:4} killed" + (f" ({killed / total:.1%})" if total else "")


if __name__ == "__main__":
    sys.exit(main())
