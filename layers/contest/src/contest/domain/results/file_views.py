"""A session seen file by file: states, causes, their counts and the share that decides over it (R 7.7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from contest.domain.moments import Millis
from contest.domain.run import fate
from contest.domain.run.fate import Circumstances
from contest.domain.run.schedule import Window
from contest.domain.session.delivery import Cause, Delivery, FileState
from contest.domain.session.session import Counts, Plan

NOBODYS: Final = frozenset({Cause.PLATFORM, Cause.ORGANIZER_DECISION})
"""Causes that count on neither side of the share of annulled files (platform §3).

Clause: R 7.7, platform §3 annulment
"""


@dataclass(frozen=True, slots=True)
class FileView:
    """One file of a session at a moment."""

    number: int
    file_id: str | None
    """None until the file is handed out: its name says nothing before, and is not said either."""
    state: FileState
    delivery: Delivery | None
    cause: Cause | None
    evidence: Mapping[str, Any]
    window: Window | None = None
    """When it opens and may be asked for, in a run."""


def files_at(
    plan: Plan, deliveries: Sequence[Delivery], now: Millis, known: Circumstances, *, session_open: bool
) -> tuple[FileView, ...]:
    """Every file of the session, by number."""
    handed_out = {each.number: each for each in deliveries}
    return tuple(
        _view(number, planned.file_id, handed_out.get(number), known, now, session_open=session_open)
        for number, planned in enumerate(plan, start=1)
    )


def count(views: Iterable[FileView]) -> Counts:
    """Counts by state. ``late`` is a part of ``voided``: an accepted answer outweighs a late one."""
    views = tuple(views)
    states = Counter(view.state for view in views)
    return Counts(
        waiting=states[FileState.WAITING],
        open=states[FileState.OPEN],
        answered=states[FileState.ANSWERED],
        late=sum(is_late(view) for view in views),
        voided=states[FileState.VOIDED],
    )


def voided_share(views: Iterable[FileView]) -> float | None:
    """Share of files that the team missed (R 7.7), of those that count; None where none counts.

    Files lost to the platform or by an organizer's decision count on neither side; ``network`` counts against the team.

    Clause: R 7.7, platform §3 annulment
    """
    views = tuple(views)
    causes = Counter(view.cause for view in views if view.cause is not None)
    nobodys = sum(causes[cause] for cause in NOBODYS)
    counting = len(views) - nobodys
    return (causes.total() - nobodys) / counting if counting else None


def solution_voided(share: float | None, greatest: float) -> bool:
    """Whether a solution is annulled: more than the allowed share was missed (R 7.7); exactly the share is not more.

    Clause: R 7.7, R 10.2
    """
    return share is not None and share > greatest


def is_late(view: FileView) -> bool:
    """Whether an answer came too late and no other counts."""
    late = view.delivery is not None and view.delivery.late_at is not None
    return late and view.state is FileState.VOIDED


def _view(
    number: int, file_id: str, delivery: Delivery | None, known: Circumstances, now: Millis, *, session_open: bool
) -> FileView:
    found = fate.fate(known, number, delivery, now, session_open=session_open)
    window = known.windows[number - 1] if known.windows else None
    named = file_id if delivery else None
    return FileView(number, named, found.state, delivery, found.cause, found.evidence, window)
