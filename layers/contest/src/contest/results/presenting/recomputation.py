"""Conversion of independent recomputations to bodies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from contest.results.wire.errands import DifferenceBody, RecomputationBody, SubmissionsRecomputationBody

if TYPE_CHECKING:
    from contest.results.rules.recomputation import Recomputed
    from contest.submissions.rules import Recomputed as RecomputedSubmissions


_NOTHING: Final[Mapping[str, Any]] = {"checked": {}, "total": 0, "differences": []}


def recomputation(run_id: str, recomputed: Recomputed) -> RecomputationBody:
    """Return the findings, cell by cell, or the progress."""
    result = recomputed.result or _NOTHING
    return RecomputationBody(
        run_id=run_id,
        state="recomputing" if recomputed.result is None else "clean" if recomputed.is_clean else "different",
        teams=recomputed.teams,
        made=recomputed.recomputed,
        checked=result["checked"],
        total=result["total"],
        differences=[DifferenceBody(**difference) for difference in result["differences"]],
    )


def of_submissions(recomputed: RecomputedSubmissions) -> SubmissionsRecomputationBody:
    """Return the findings on submissions, cell by cell, or the progress."""
    result = recomputed.result or _NOTHING
    return SubmissionsRecomputationBody(
        state="recomputing" if recomputed.result is None else "clean" if recomputed.is_clean else "different",
        submissions=recomputed.submissions,
        made=recomputed.recomputed,
        checked=result["checked"],
        total=result["total"],
        differences=[DifferenceBody(**difference) for difference in result["differences"]],
    )
