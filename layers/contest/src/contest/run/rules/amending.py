"""Rules of decisions about a run: the amendment that fulfils a wish, or its refusal (D 6.16, 8.12; R 7.16).

The list of amendments only grows; taking a decision back is an amendment of its own. All functions are pure: a preview
and the decision itself call the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from types import MappingProxyType
from typing import Any, Final

from contest.refusals import RefusedError
from contest.run.rules.run import (
    ALL_PAUSES,
    AMENDMENT_NOTICE,
    BELIEVED,
    RESUME_NOTICE,
    Amendment,
    Kind,
    Run,
    whole_items,
)
from contest.run.rules.schedule import RunState, Schedule
from contest.session.rules.delivery import Cause
from contest.texts import tr
from contest.values import MINUTE, Millis, iso
from markup_core.lazy import dataclass
from tracks.rules import LateJoin

APPENDED_AHEAD: Final[Millis] = MINUTE
"""An appended file opens no sooner than this after the decision, so that every program hears of it in time."""


@dataclass(frozen=True, slots=True)
class Wish:
    """A wish of an organizer or the commission; its kind decides which fields matter.

    ``numbers``: files to void or to replace, or the one file of a ruling. ``team_id`` and ``cause``: the ruling's;
    ``team_id`` alone that of who is admitted late.
    ``amendment``: what to undo. ``successor``: the run that a stopped one is restarted as.
    """

    kind: Kind
    reason: str
    numbers: tuple[int, ...] = ()
    team_id: str = ""
    cause: Cause | None = None
    amendment: int = 0
    successor: str | None = None


@dataclass(frozen=True, slots=True)
class Effect:
    """Effect of a wish: the moment from which it holds, and the amendment's details."""

    effective_at: Millis
    details: Mapping[str, Any] = field(default_factory=dict)


def amendment(run: Run, wish: Wish, who: str, now: Millis) -> Amendment:
    """Return the amendment that fulfils a wish; :class:`RefusedError` where the rules do not allow it.

    A replacement's files are drawn by the caller, who adds their ``root`` to the details.
    """
    if not wish.reason.strip():
        raise RefusedError("no_reason", tr("a decision needs a reason"))
    now = max([now, *(earlier.at for earlier in run.amendments)])  # another process's clock may be ahead of ours
    effect = _EFFECTS[wish.kind](Schedule.of(run), wish, now)
    number = max((earlier.number for earlier in run.amendments), default=0) + 1
    return Amendment(number, wish.kind, now, effect.effective_at, who, wish.reason.strip(), effect.details)


def amended(run: Run, added: Amendment) -> Run:
    """Return the run with one more amendment."""
    return replace(run, amendments=(*run.amendments, added), version=run.version + 1)


# Clause: D 6.16, TS D-5, platform §3 pause
def _pause(schedule: Schedule, _wish: Wish, now: Millis) -> Effect:
    begins = now + AMENDMENT_NOTICE
    if schedule.state_at(now) not in {RunState.PLANNED, RunState.RUNNING, RunState.PAUSED}:
        raise _over()
    pauses = schedule.pauses
    if pauses and begins < pauses[-1].until:
        until = iso(pauses[-1].until)
        raise RefusedError("paused_already", tr("the run is paused until {until}", until=until), until=until)
    if sum(pause.length for pause in pauses) >= ALL_PAUSES:
        raise RefusedError(
            "pauses_used_up",
            tr("the pauses of this run have lasted two hours together, which is all they may (D 6.16)"),
        )
    return Effect(begins)


# Clause: D 6.16
def _resume(schedule: Schedule, _wish: Wish, now: Millis) -> Effect:
    pause = next((pause for pause in reversed(schedule.pauses) if now < pause.until), None)
    if pause is None:
        raise RefusedError("not_paused", tr("the run is not paused"))
    resumes = now + RESUME_NOTICE
    if resumes >= pause.until:
        until = iso(pause.until)
        raise RefusedError("resumes_already", tr("the run goes on at {until} anyway", until=until), until=until)
    return Effect(resumes)


# Clause: R 7.16
def _stop(schedule: Schedule, wish: Wish, now: Millis) -> Effect:
    if schedule.stopped_at is not None:
        raise RefusedError("stopped_already", tr("the run was stopped already"))
    if schedule.run.published_at is not None:
        raise RefusedError("results_published", tr("the results are published; hide them before they are annulled"))
    return Effect(now + AMENDMENT_NOTICE, {"successor": wish.successor} if wish.successor else {})


def _void(schedule: Schedule, wish: Wish, now: Millis) -> Effect:
    _refuse_stopped(schedule, now)
    return Effect(now + AMENDMENT_NOTICE, {"numbers": _fresh_numbers(schedule, wish)})


# Clause: D 8.12, TS T8, platform §3 mass failure
def _replace(schedule: Schedule, wish: Wish, now: Millis) -> Effect:
    if schedule.state_at(now) not in {RunState.PLANNED, RunState.RUNNING, RunState.PAUSED}:
        raise _over()
    numbers = _fresh_numbers(schedule, wish)
    replaced = sum(len(earlier.details["numbers"]) for earlier in schedule.in_effect if earlier.kind is Kind.REPLACE)
    before, more = (count // schedule.run.publications for count in (replaced, len(numbers)))
    most = schedule.run.most_replaced
    if before + more > most:
        raise RefusedError(
            "too_many_replaced",
            tr(
                "at most {most} items of this run are replaced (most_replaced, D 8.12); {before} were already",
                most=most,
                before=before,
            ),
            replaced=before,
            most=most,
        )
    first, slot = schedule.total_files + 1, schedule.next_slot(now + APPENDED_AHEAD)
    return Effect(now + AMENDMENT_NOTICE, {"numbers": numbers, "first": first, "slot": slot})


def _rule(schedule: Schedule, wish: Wish, now: Millis) -> Effect:
    _refuse_stopped(schedule, now)
    if wish.cause is None or len(wish.numbers) != 1:
        raise RefusedError("no_cause", tr("a ruling names one file and its cause"))
    (number,) = _known_numbers(schedule, wish)
    ruling = schedule.rulings(wish.team_id).get(number)
    if ruling is not None and ruling[0] is wish.cause:
        raise RefusedError("ruled_already", tr("amendment {ruling} says so already", ruling=ruling[1]))
    return Effect(now + AMENDMENT_NOTICE, {"team_id": wish.team_id, "number": number, "cause": wish.cause.value})


# Clause: TS D-3, D 13.2, D 6.7
def _admit(schedule: Schedule, wish: Wish, now: Millis) -> Effect:
    run, team_id = schedule.run, wish.team_id
    if schedule.state_at(now) not in {RunState.PLANNED, RunState.RUNNING, RunState.PAUSED}:
        raise _over()
    if run.late_join is LateJoin.REFUSED:
        raise RefusedError(
            "late_refused", tr("this run takes nobody in when its joining time is over (late_join: refused)")
        )
    if run.late_join is LateJoin.UNTIL_END:
        raise RefusedError("joining_open", tr("whoever comes late may join this run by itself (late_join: until_end)"))
    if run.admitted is not None and team_id not in run.admitted:
        raise not_admitted(team_id)
    admissions = (
        earlier
        for earlier in schedule.in_effect
        if earlier.kind is Kind.ADMIT and earlier.details["team_id"] == team_id
    )
    before = next(admissions, None)
    if before is not None:
        raise RefusedError("admitted_already", tr("amendment {number} admits it", number=before.number))
    return Effect(now + AMENDMENT_NOTICE, {"team_id": team_id})


def not_admitted(team_id: str) -> RefusedError:
    """Return the refusal of a late team that the run does not take at all."""
    return RefusedError(
        "team_not_admitted", tr("the team {team_id} is not among those that may take part in this run", team_id=team_id)
    )


def _undo(schedule: Schedule, wish: Wish, now: Millis) -> Effect:
    target = next((earlier for earlier in schedule.in_effect if earlier.number == wish.amendment), None)
    if target is None:
        raise RefusedError(
            "nothing_to_undo",
            tr("the run has no amendment {amendment} that holds and can be taken back", amendment=wish.amendment),
        )
    if target.kind is Kind.ADMIT and now + BELIEVED >= target.effective_at:
        raise RefusedError("in_effect_already", tr("the team is admitted already, and may have joined"))
    if target.kind in {Kind.PAUSE, Kind.RESUME, Kind.STOP} and now + BELIEVED >= target.effective_at:
        raise RefusedError(
            "in_effect_already",
            tr(
                "the decision {number} holds already; the way back from a pause is to resume, from a stop a new run",
                number=target.number,
            ),
        )
    return Effect(now + AMENDMENT_NOTICE, {"amendment": target.number})


_EFFECTS: Final[Mapping[Kind, Callable[[Schedule, Wish, Millis], Effect]]] = MappingProxyType(
    {
        Kind.PAUSE: _pause,
        Kind.RESUME: _resume,
        Kind.STOP: _stop,
        Kind.VOID: _void,
        Kind.REPLACE: _replace,
        Kind.RULE: _rule,
        Kind.ADMIT: _admit,
        Kind.UNDO: _undo,
    }
)


def _known_numbers(schedule: Schedule, wish: Wish) -> list[int]:
    total = schedule.total_files
    unknown = [number for number in wish.numbers if not 1 <= number <= total]
    if unknown or not wish.numbers:
        raise RefusedError("unknown_file", tr("the run has the files 1 to {total}", total=total), unknown=unknown)
    return sorted(set(wish.numbers))


# Clause: TS D-4, D 8.12
def _fresh_numbers(schedule: Schedule, wish: Wish) -> list[int]:
    """Return the numbers of all files of the items to which the named ones belong."""
    numbers = whole_items(_known_numbers(schedule, wish), schedule.run.publications)
    void = [number for number in numbers if number in schedule.voided_for_all]
    if void:
        named = ", ".join(map(str, void))
        raise RefusedError("void_already", tr("void for everybody already: {named}", named=named), numbers=void)
    return numbers


def _refuse_stopped(schedule: Schedule, now: Millis) -> None:
    if schedule.state_at(now) is RunState.STOPPED:
        raise RefusedError("stopped_already", tr("the run was stopped; its results do not count"))


def _over() -> RefusedError:
    return RefusedError("run_over", tr("the run is over"))
