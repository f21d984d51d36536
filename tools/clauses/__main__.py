"""``python -m tools.clauses`` writes ``docs/clauses.md`` and the texts of the clauses that the site cites.

With ``--marks`` it prints every mark with its tests instead.

Exit status 1 when register, marks and tests disagree; the disagreements are on standard error.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from tools.clauses.page import find_faults, render_page
from tools.clauses.reading import Mark, Proof, Source, read_marks, read_proofs, read_register

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "clauses.md"
CITED = ROOT / "web" / "src" / "ui" / "clauses.json"


def lines_of_marks(marks: list[Mark], proofs: list[Proof]) -> list[str]:
    """Return a line per mark: clause, ``module:name``, ``path:line`` and the names of its tests, by tabs."""
    return [
        "\t".join(
            (
                mark.clause,
                f"{mark.module}:{mark.name}",
                f"{mark.path}:{mark.line}",
                *(proof.test for proof in proofs if proof.clause == mark.clause),
            )
        )
        for mark in marks
    ]


def cited_text(sources: tuple[Source, ...]) -> str:
    """Return JSON of the clauses that the site cites, those of a contest with a Russian text.

    ``{"R 7.14": {"contest": "essay", "en": …, "ru": …}, …}``
    """
    cited = {
        clause.key: {"contest": source.contest, "en": clause.what, "ru": clause.what_ru}
        for source in sources
        for clause in source.clauses
        if clause.what_ru and source.contest
    }
    return json.dumps(cited, ensure_ascii=False, indent=2) + "\n"


def main() -> int:
    """Write or print; see the module."""
    parser = argparse.ArgumentParser(prog="python -m tools.clauses", description="Clause → code → tests.")
    parser.add_argument("--marks", action="store_true", help="print clause, function, place and tests of every mark")
    arguments = parser.parse_args()
    sources, marks, proofs = read_register(ROOT), read_marks(ROOT), read_proofs(ROOT)
    if arguments.marks:
        print(*lines_of_marks(marks, proofs), sep="\n")
    else:
        PAGE.write_text(render_page(sources, marks, proofs), "utf-8")
        CITED.write_text(cited_text(sources), "utf-8")
    faults = find_faults(sources, marks, proofs)
    if faults:
        print(*faults, f"{len(faults)} faults", sep="\n", file=sys.stderr)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
