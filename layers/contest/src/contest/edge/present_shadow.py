"""The independent recomputation of a final, and of submissions, as an answer on the wire."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from contest.contracts.shadow import DifferenceBody, RecomputationBody, SubmissionsRecomputationBody
from contest.domain.results.shadowing import Recomputed
from contest.domain.submissions.recomputed import Recomputed as RecomputedSubmissions

_NOTHING: Final[Mapping[str, Any]] = {"checked": {}, "total": 0, "differences": []}


def recomputation(run_id: str, found: Recomputed) -> RecomputationBody:
    """What was found, cell by cell, or how far it has come."""
    result = found.result or _NOTHING
    return RecomputationBody(
        run_id=run_id,
        state="recomputing" if found.result is None else "clean" if found.is_clean else "different",
        teams=found.teams,
        made=found.made,
        checked=result["checked"],
        total=result["total"],
        differences=[DifferenceBody(**each) for each in result["differences"]],
    )


def of_submissions(found: RecomputedSubmissions) -> SubmissionsRecomputationBody:
    """What was found of submissions, cell by cell, or how far it has come."""
    result = found.result or _NOTHING
    return SubmissionsRecomputationBody(
        state="recomputing" if found.result is None else "clean" if found.is_clean else "different",
        submissions=found.submissions,
        made=found.made,
        checked=result["checked"],
        total=result["total"],
        differences=[DifferenceBody(**each) for each in result["differences"]],
    )
