"""Independent recomputation of a final (platform §4): the request and the use of its result.

The recomputing package imports nothing of this one. Both agree on two things alone: the subject of a result, by whose
digest it is named, and the contents of a job (:class:`contest.results.rules.jobs.ShadowTask`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from contest.results.rules import reports
from contest.run.rules import fate
from contest.session.rules.delivery import FileState
from contest.session.rules.session import items_of
from contest.values import canonical, sha256_hex
from markup_core.lazy import dataclass

if TYPE_CHECKING:
    from contest.results.rules.reports import Facts
    from contest.run.rules.fate import FileView
    from contest.run.rules.run import Run


@dataclass(frozen=True, slots=True)
class Recomputed:
    """Progress of a final's recomputation: of ``teams`` sessions ``recomputed`` are done; ``result`` when all are."""

    teams: int
    recomputed: int
    result: Mapping[str, Any] | None

    @property
    def is_clean(self) -> bool:
        """Return whether everything was recomputed and nothing differs."""
        return self.result is not None and not self.result["total"]


def facts_of(run: Run, board: bytes | None) -> str:
    """Digest the subject of a result: another decision, annotation, rating or board changes it."""
    decided = [
        [amendment.number, amendment.kind.value, amendment.effective_at, dict(amendment.details)]
        for amendment in run.amendments
    ]
    facts = {
        "run_id": run.run_id,
        "files": run.files,
        "starts_at": run.starts_at,
        "interval": run.interval,
        "limits": asdict(run.limits),
        "trial": run.trial,
        "closed_at": run.closed_at,
        "parameters_version": run.parameters_version,
        "markups": [list(pair) for pair in run.markups],
        "ratings": run.ratings,
        "amendments": decided,
        "board": None if board is None else sha256_hex(board),
        **({"rescored": run.rescored} if run.rescored else {}),
    }
    return sha256_hex(canonical(facts))


# Clause: R 8.3.1, R 7.7
def fates_of(facts: Facts, greatest: float) -> dict[str, Any]:
    """Return the platform's verdict on every file of a closed session, stored with its entry for recomputation."""
    files = reports.views(facts)
    solution = reports.solution(files, greatest)
    counting = reports.run_outcomes(facts)
    return {
        "files": [_fate(view) for view in files],
        "completeness": {
            "answered": sum(
                all(files[number - 1].state is FileState.ANSWERED for number in item.numbers)
                for item in items_of(facts.plan)
            ),
            "whole": len(counting),
        },
        "counts": asdict(fate.count(files)),
        "voided_share": solution["voided_share"],
        "solution_voided": solution["voided"],
    }


def _fate(view: FileView) -> dict[str, Any]:
    answer = view.delivery.answer if view.delivery else None
    is_answered = view.state is FileState.ANSWERED
    return {
        "number": view.number,
        "state": view.state.value,
        "cause": view.cause.value if view.cause else None,
        "late": fate.is_late(view),
        "content_sha256": answer.content_sha256 if answer is not None and is_answered else None,
    }
