"""Progress of the experts' work: counts, tables, forecast (R 7.10, platform §5).

Pace is essays handed in by the calendar, nights and holidays included, for nobody knows when an expert sits down. The
interval is that of a Poisson process's rate: it is wide for an expert who has handed in few.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from math import exp, fsum, lgamma, log
from typing import Any, Final

from contest.experts.rules.assignment import UNDER_WAY, Assignment, AssignmentState, EssayWork, Speed, missing_experts
from contest.texts import tr, tr_in
from contest.values import (
    CellKind,
    Column,
    Millis,
    Table,
    code_column,
    column,
    iso_or_none,
    moment_column,
    number_column,
    table_of,
)
from markup_core.lazy import dataclass


@dataclass(frozen=True, slots=True)
class EssayProgress:
    """Progress of one essay: all assignments in their order, ended ones too, and how many experts it lacks."""

    essay: EssayWork
    assignments: tuple[Assignment, ...]
    lacking: int

    @property
    def is_done(self) -> bool:
        """Return whether every required annotation exists and the rule for a third expert was applied."""
        under_way = any(assignment.counts and assignment.markup is None for assignment in self.assignments)
        is_asked = self.essay.third is not None or not self.essay.has_rule
        return not (self.lacking or under_way) and is_asked

    @property
    def is_late(self) -> bool:
        """Return whether an expert's time ran out without an annotation and no other has the essay instead."""
        return self.lacking > 0 and any(ran_out(assignment) for assignment in self.assignments)


@dataclass(frozen=True, slots=True)
class SubjectProgress:
    """Essays of one language and type: ``done``, ``late`` and ``open`` make all of them."""

    language: str
    subject: str
    essays: int
    done: int
    late: int
    lacking: int
    thirds: int

    @property
    def open(self) -> int:
        """Count the essays that are neither done nor late."""
        return self.essays - self.done - self.late


@dataclass(frozen=True, slots=True)
class ExpertProgress:
    """One expert's assignments by state; ``without_markup`` counts those that ran out with nothing valid."""

    expert_id: str
    states: Mapping[AssignmentState, int]
    without_markup: int


@dataclass(frozen=True, slots=True)
class Progress:
    """A marking's essays, and its experts by id."""

    essays: tuple[EssayProgress, ...]
    experts: tuple[ExpertProgress, ...]

    @property
    def done(self) -> int:
        """Count the essays that are done."""
        return sum(essay.is_done for essay in self.essays)

    @property
    def lacking(self) -> int:
        """Count the experts that essays lack."""
        return sum(essay.lacking for essay in self.essays)

    @property
    def thirds(self) -> int:
        """Count the essays that need a third expert."""
        return _thirds(self.essays)

    @property
    def subjects(self) -> tuple[SubjectProgress, ...]:
        """Return the progress by language and type of essay, in their order."""
        by: dict[tuple[str, str], list[EssayProgress]] = {}
        for essay in self.essays:
            by.setdefault((essay.essay.language, essay.essay.subject), []).append(essay)
        return tuple(
            SubjectProgress(
                *name,
                len(part),
                sum(essay.is_done for essay in part),
                sum(essay.is_late for essay in part),
                sum(essay.lacking for essay in part),
                _thirds(part),
            )
            for name, part in sorted(by.items())
        )


# Clause: platform §5 progress
def progress(essays: Sequence[EssayWork], assignments: Mapping[str, Sequence[Assignment]]) -> Progress:
    """Fold an annotation project's essays and assignments into its present progress. O(assignments)."""
    rows = []
    for essay in essays:
        own = tuple(assignments[essay.item_id])
        want = missing_experts(essay, own)
        rows.append(EssayProgress(essay, own, 0 if want is None else want.experts))
    by_expert: dict[str, list[Assignment]] = {}
    for assignment in (assignment for row in rows for assignment in row.assignments):
        by_expert.setdefault(assignment.expert_id, []).append(assignment)
    return Progress(
        tuple(rows),
        tuple(
            ExpertProgress(
                name,
                dict(Counter(assignment.state for assignment in expert_assignments)),
                sum(map(ran_out, expert_assignments)),
            )
            for name, expert_assignments in sorted(by_expert.items())
        ),
    )


def _thirds(essays: Sequence[EssayProgress]) -> int:
    return sum(essay.essay.third is not None and essay.essay.third.is_needed for essay in essays)


def ran_out(assignment: Assignment) -> bool:
    """Return whether an expert's time ran out without an annotation."""
    return assignment.state is AssignmentState.EXPIRED and assignment.markup is None


_EXPERT: Final = (column("expert_id", tr("Expert")), column("pseudonym", tr("Pseudonym")))
_ESSAY: Final = (column("item_id", tr("Essay")), column("language", tr("Language")), column("subject", tr("Type")))
_STATES: Final = {
    AssignmentState.ASSIGNED: tr("Assigned"),
    AssignmentState.OPENED: tr("At work"),
    AssignmentState.HANDED_IN: tr_in("progress", "Handed in"),
    AssignmentState.EXPIRED: tr("Ran out"),
    AssignmentState.HANDED_BACK: tr("Handed back"),
    AssignmentState.REASSIGNED: tr("Reassigned"),
    AssignmentState.RELEASED: tr("Released"),
}
_ESSAYS: Final = number_column("essays", tr("Essays"))


def _interval(name: str) -> tuple[Column, Column]:
    """Return the ends of a 95 % interval."""
    return (number_column(f"{name}_from", tr("95 % interval, from")), number_column(f"{name}_to", tr("to")))


_AGREEMENT: Final = (
    number_column("accuracy", tr("Pair accuracy, %")),
    *_interval("accuracy_95"),
    number_column("alpha", tr("Krippendorff's alpha")),
    *_interval("alpha_95"),
)


# Clause: R 7.10, R 8.3.2
def of_report(
    marking_progress: Progress,
    agreement: Mapping[str, Any],
    speeds: Sequence[Speed],
    pseudonyms: Mapping[str, str],
    groups: Sequence[Mapping[str, Any]] = (),
) -> tuple[Table, ...]:
    """Return all tables, the experts' own first. ``agreement`` is the track's account (its parts may be missing).

    ``groups``: its accounts by how many of two annotations had suggestions.
    """
    drift = {row["expert"]: row for row in agreement.get("by_expert", ())}
    by_name = {speed.expert_id: speed for speed in speeds}
    experts = (
        {**_expert_row(expert, by_name, drift), "pseudonym": pseudonyms.get(expert.expert_id)}
        for expert in marking_progress.experts
    )
    return (
        table_of("experts", tr("Experts"), _expert_columns(), experts),
        _subjects(marking_progress),
        _thirds_table(marking_progress),
        _agreements(agreement),
        *_with_suggestions(groups),
        _pairs(agreement),
        _codes(agreement),
        _essays(marking_progress),
    )


def _expert_columns() -> tuple[Column, ...]:
    return (
        *_EXPERT,
        *(number_column(state.value, title) for state, title in _STATES.items()),
        number_column("without_markup", tr("Ran out without a markup")),
        number_column("median_s", tr("Median time, s")),
        number_column("mean_s", tr("Mean time, s")),
        *_interval("mean_95"),
        number_column("accuracy", tr("Agreement with partners, %")),
        *_interval("accuracy_95"),
        number_column("points", tr("Drift of points, % of the most")),
        *_interval("points_95"),
        number_column("fragments", tr("Drift of fragments")),
        *_interval("fragments_95"),
    )


def _expert_row(expert: ExpertProgress, speeds: Mapping[str, Speed], drift: Mapping[str, Any]) -> dict[str, Any]:
    speed, own = speeds.get(expert.expert_id), drift.get(expert.expert_id, {})
    took = {} if speed is None else {"median_s": speed.median_s, "mean_s": speed.mean_s, "mean_95": speed.mean_95}
    states = {state.value: expert.states.get(state, 0) for state in _STATES}
    return {
        "expert_id": expert.expert_id,
        **states,
        "without_markup": expert.without_markup,
        **_with_ends(took),
        **_with_ends(own),
    }


def _with_ends(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row with the two ends of each interval in cells of their own."""
    flat_row: dict[str, Any] = {}
    for name, value in row.items():
        if name.endswith("_95"):
            low, high = (None, None) if value is None else value
            flat_row |= {f"{name}_from": low, f"{name}_to": high}
        else:
            flat_row[name] = value
    return flat_row


def _subjects(marking_progress: Progress) -> Table:
    """Return the progress by language and type of essay."""
    rows = ({**asdict(subject), "open": subject.open} for subject in marking_progress.subjects)
    columns = (
        *_ESSAY[1:],
        _ESSAYS,
        number_column("done", tr("Done")),
        number_column("open", tr("Open")),
        number_column("late", tr("Late")),
        number_column("lacking", tr("Experts lacking")),
        number_column("thirds", tr("Third experts")),
    )
    return table_of("progress", tr("Progress"), columns, rows)


def _thirds_table(marking_progress: Progress) -> Table:
    """Return the reasons for third experts with the number of essays of each."""
    decided = [essay.essay.third for essay in marking_progress.essays if essay.essay.third is not None]
    reasons = [reason for decision in decided for reason in decision.reasons]
    counts = Counter(str(reason["code"]) for reason in reasons)
    rows = ({"code": code, "essays": count} for code, count in sorted(counts.items()))
    columns = (code_column("code", tr("Reason")), _ESSAYS)
    return table_of("thirds", tr("Why third experts were called"), columns, rows)


def _agreements(agreement: Mapping[str, Any]) -> Table:
    """Return the agreement over all essays and by type."""
    named = [("all", agreement["all"])] if "all" in agreement else []
    named += sorted(agreement.get("by_subject", {}).items())
    rows = ({"group": name, **_with_ends(row)} for name, row in named)
    columns = (column("group", tr("Type"), CellKind.CODE), _ESSAYS, *_AGREEMENT)
    return table_of("agreement", tr("Agreement"), columns, rows)


def _with_suggestions(groups: Sequence[Mapping[str, Any]]) -> tuple[Table, ...]:
    """Return the agreement apart by how many of the two annotations had suggestions; no table where none had."""
    if not groups:
        return ()
    rows = ({"experts": group["experts"], **_with_ends(group["agreement"].get("all", {}))} for group in groups)
    columns = (number_column("experts", tr("Of the two with suggestions")), _ESSAYS, *_AGREEMENT)
    return (table_of("suggestions", tr("Agreement with and without suggestions"), columns, rows),)


def _pairs(agreement: Mapping[str, Any]) -> Table:
    rows = (
        {**_with_ends(pair), "first": pair["experts"][0], "second": pair["experts"][1]}
        for pair in agreement.get("by_pair", ())
    )
    columns = (column("first", tr("Expert")), column("second", tr("Partner")), _ESSAYS, *_AGREEMENT)
    return table_of("pairs", tr("Agreement of pairs"), columns, rows)


def _codes(agreement: Mapping[str, Any]) -> Table:
    columns = (
        column("subject", tr("Type")),
        column("code", tr("Code")),
        number_column("units", tr("Fragments")),
        number_column("agreed", tr("Agreed")),
        *_AGREEMENT[3:],
    )
    rows = (_with_ends(row) for row in agreement.get("by_code", ()))
    return table_of("codes", tr("Agreement by code"), columns, rows)


def _essays(marking_progress: Progress) -> Table:
    columns = (
        *_ESSAY,
        column("done", tr("Done"), CellKind.TRUTH),
        number_column("lacking", tr("Experts lacking")),
        column("third", tr("Third expert"), CellKind.TRUTH),
        moment_column("third_decided_at", tr("Decided")),
        column("experts", tr("Experts")),
        column("notes", tr("Notes")),
    )
    return table_of("essays", tr("Essays"), columns, map(_essay, marking_progress.essays))


def _essay(row: EssayProgress) -> dict[str, Any]:
    third = row.essay.third
    return {
        "item_id": row.essay.item_id,
        "language": row.essay.language,
        "subject": row.essay.subject,
        "done": row.is_done,
        "lacking": row.lacking,
        "third": None if third is None else third.is_needed,
        "third_decided_at": iso_or_none(third.at if third else None),
        "experts": ", ".join(f"{assignment.expert_id}: {assignment.state.value}" for assignment in row.assignments),
        "notes": "\n".join(f"{task.expert_id}: {task.note}" for task in row.assignments if task.note),
    }


_TAIL: Final = 0.025
_HALVINGS: Final = 60
FAIR: Final = 10
"""Minimum essays of the expert on whom the end depends for a pace known to about a factor of two."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """Forecast of the last annotation's arrival, between ``earliest`` and ``latest`` with 95 %, other things equal.

    ``left``: markups that are still to come, expected third experts' (``thirds_expected``) included. None: nothing was
    handed in by somebody who still has essays, or an essay has nobody. ``slowest``: the expert on whom the end depends.
    """

    left: float
    thirds_expected: float
    handed_in: int
    ends_at: Millis | None
    earliest: Millis | None
    latest: Millis | None
    slowest: str | None
    is_fair: bool


@dataclass(frozen=True, slots=True)
class _Pace:
    expert_id: str
    remaining: int
    done: int
    since: Millis


# Clause: platform §5 progress
def forecast(marking_progress: Progress, now: Millis) -> Forecast:
    """Forecast the end of an annotation project from its progress. O(assignments)."""
    paces = _paces([assignment for row in marking_progress.essays for assignment in row.assignments])
    # Undecided essays get third experts by the share among decided ones; none before the first.
    decided = [essay.essay.third for essay in marking_progress.essays if essay.essay.third is not None]
    undecided = sum(essay.essay.third is None for essay in marking_progress.essays)
    thirds = undecided * sum(decision.is_needed for decision in decided) / len(decided) if decided else 0.0
    under_way, done = sum(pace.remaining for pace in paces), sum(pace.done for pace in paces)
    markups_left = under_way + marking_progress.lacking + thirds
    if markups_left <= 0:
        ended = (
            max(
                (assignment.ended_at or 0 for row in marking_progress.essays for assignment in row.assignments),
                default=0,
            )
            or now
        )
        return Forecast(0.0, 0.0, done, ended, ended, ended, None, is_fair=True)
    working = [pace for pace in paces if pace.remaining]
    measured = [pace for pace in paces if pace.done]
    if not measured or any(not pace.done for pace in working):
        return Forecast(markups_left, thirds, done, None, None, None, None, is_fair=False)
    slowest = max(working, key=lambda pace: pace.remaining / _rate(pace, now)[1], default=None)
    earliest, expected, latest = (
        now
        + round(
            max(  # until the last expert is through, or until all together have done the unassigned work
                max((pace.remaining / _rate(pace, now)[place] for pace in working), default=0.0),
                markups_left / sum(_rate(pace, now)[place] for pace in measured),
            )
        )
        for place in range(3)
    )
    fair = min(pace.done for pace in ([slowest] if slowest else measured)) >= FAIR
    return Forecast(
        markups_left,
        thirds,
        done,
        expected,
        earliest,
        latest,
        None if slowest is None else slowest.expert_id,
        is_fair=fair,
    )


def rate_interval(done: int, time: float) -> tuple[float, float]:
    """Return the exact 95 % interval of a Poisson process's rate after so many events, one or more, in a time
    (Garwood)."""
    low, high = _mean_interval(done)
    return low / time, high / time


@cache
def _mean_interval(done: int) -> tuple[float, float]:
    """Return the interval of the mean, beyond whose ends so many events or more, or fewer, have 2.5 %."""
    return _solve(lambda mean: 1 - _at_most(done - 1, mean), done), _solve(lambda mean: -_at_most(done, mean), done)


def _solve(rising: Callable[[float], float], done: int) -> float:
    """Solve for the mean at which a rising function equals 2.5 %, or -2.5 %."""
    goal = _TAIL if rising(0.0) >= 0 else -_TAIL
    low, high = 0.0, 4.0 * done + 20
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < goal else (low, middle)
    return (low + high) / 2


def _at_most(events: int, mean: float) -> float:
    """Return the probability of so many events or fewer."""
    if mean == 0:
        return 1.0
    return fsum(exp(k * log(mean) - mean - lgamma(k + 1)) for k in range(events + 1))


def _rate(pace: _Pace, now: Millis) -> tuple[float, float, float]:
    """Return essays a millisecond: fastest, as it was, slowest."""
    time = max(1, now - pace.since)
    low, high = rate_interval(pace.done, time)
    return high, pace.done / time, low


def _paces(assignments: Sequence[Assignment]) -> list[_Pace]:
    by_expert: dict[str, list[Assignment]] = {}
    for assignment in assignments:
        by_expert.setdefault(assignment.expert_id, []).append(assignment)
    paces = []
    for expert_id, mine in sorted(by_expert.items()):
        remaining = sum(assignment.state in UNDER_WAY for assignment in mine)
        done = sum(assignment.markup is not None and assignment.state not in UNDER_WAY for assignment in mine)
        paces.append(_Pace(expert_id, remaining, done, min(assignment.assigned_at for assignment in mine)))
    return paces
