"""The independent recomputation of a final, as the platform asks for it and goes by it (platform §4).

What recomputes is a package of its own that imports nothing of this one. Both agree on two things alone: what a result
is about, by whose digest it is named, and what a job says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from contest.domain.canonical import canonical, sha256_hex
from contest.domain.results import file_views, run_report
from contest.domain.results.file_views import FileView
from contest.domain.results.session_report import Facts
from contest.domain.run.run import Run
from contest.domain.session.delivery import FileState
from contest.domain.session.items import ItemFiles, items_of


@dataclass(frozen=True, slots=True)
class ShadowTask:
    """Recompute a session of a final, or a submission; without either, put together what is there of all sessions.
    ``again``: even if it was done before under the same facts. Any number of copies do what one does."""

    run_id: str
    session_id: str = ""
    again: bool = False
    submission_id: str = ""


@dataclass(frozen=True, slots=True)
class Recomputed:
    """How far a final is recomputed: of ``teams`` sessions ``made``; ``result`` when all are."""

    teams: int
    made: int
    result: Mapping[str, Any] | None

    @property
    def is_clean(self) -> bool:
        """Whether everything was recomputed and nothing differs."""
        return self.result is not None and not self.result["total"]


def facts_of(run: Run, board: bytes | None) -> str:
    """Digest of what a result is about: other decisions, markups, ratings or another board call for another result."""
    decided = [[each.number, each.kind.value, each.effective_at, dict(each.details)] for each in run.amendments]
    said = {
        "run_id": run.run_id,
        "files": run.files,
        "starts_at": run.starts_at,
        "interval": run.interval,
        "limits": asdict(run.limits),
        "trial": run.trial,
        "closed_at": run.closed_at,
        "parameters_version": run.parameters_version,
        "markups": [list(each) for each in run.markups],
        "ratings": run.ratings,
        "amendments": decided,
        "board": None if board is None else sha256_hex(board),
        **({"rescored": run.rescored} if run.rescored else {}),
    }
    return sha256_hex(canonical(said))


def fates_of(facts: Facts, greatest: float) -> dict[str, Any]:
    """What the platform says became of every file of a closed session, stored with its entry to be recomputed.

    Clause: R 8.3.1, R 7.7
    """
    files = run_report.views(facts)
    solution = run_report.solution(files, greatest)
    counting = run_report.outcomes(facts)
    return {
        "files": [_fate(each) for each in files],
        "completeness": {
            "answered": sum(_is_answered(each, files) for each in items_of(facts.plan)),
            "whole": len(counting),
        },
        "counts": asdict(file_views.count(files)),
        "voided_share": solution["voided_share"],
        "solution_voided": solution["voided"],
    }


def _is_answered(item: ItemFiles, files: Sequence[FileView]) -> bool:
    return all(files[number - 1].state is FileState.ANSWERED for number in item.numbers)


def _fate(view: FileView) -> dict[str, Any]:
    answer = view.delivery.answer if view.delivery else None
    is_answered = view.state is FileState.ANSWERED
    return {
        "number": view.number,
        "state": view.state.value,
        "cause": view.cause.value if view.cause else None,
        "late": file_views.is_late(view),
        "content_sha256": answer.content_sha256 if answer is not None and is_answered else None,
    }
