"""Rules of conducting a run: checks before a final, decisions during and after a run (D 6.16, 8.12; R 7.16).

Each check is a pure function of facts to a grade with a sentence (platform §7). A decision is the amendment that
fulfils a wish, or its refusal. The list of amendments only grows; taking a decision back is an amendment of its own. A
preview and the decision itself call the same functions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import combinations
from types import MappingProxyType
from typing import Any, Final

from contest.cycle.rules.cycle import Capacity, EssaySet
from contest.experts.rules.sharing_out import Expert
from contest.refusals import RefusedError
from contest.run.rules.run import (
    ALL_PAUSES,
    AMENDMENT_NOTICE,
    BELIEVED,
    RESUME_NOTICE,
    Amendment,
    Check,
    CheckGrade,
    Kind,
    Run,
    whole_items,
)
from contest.run.rules.schedule import RunState, Schedule
from contest.session.rules.delivery import Cause
from contest.stored_names import LetterQueue
from contest.texts import tr
from contest.values import MINUTE, SECOND, Millis, iso
from markup_core.lazy import dataclass
from markup_core.texts import filled
from tracks.protocol import Reason, Text
from tracks.rules import LateJoin

TICK_MISSED: Final[Millis] = 3 * MINUTE
"""Milliseconds without a visit after which a timer has stopped: it comes every minute."""
CLOCK_OFF: Final[Millis] = 2 * SECOND
"""Milliseconds by which two clocks of the platform may differ: with more they decide differently."""
PER_SECOND: Final = 2
"""Requests of a team in the second of an opening: the file is asked for, and the answer to the one before comes."""


_NO_STEPS: Final[Mapping[str, str]] = MappingProxyType({})


def check_timer(last: Millis | None, now: Millis) -> Check:
    """Check whether the minute timer comes."""
    if last is None:
        return Check("timer", CheckGrade.FAILED, tr("the minute timer has never come"))
    grade = CheckGrade.FAILED if now - last > TICK_MISSED else CheckGrade.OK
    return Check.with_facts("timer", grade, tr("the minute timer last came at {last}"), last=iso(last))


def check_clock(arrived_at: Millis, now: Millis) -> Check:
    """Check whether the gateway's clock, by which requests count, and the functions' agree."""
    off = now - arrived_at
    en = tr("the functions' clock is {off} ms after the gateway's arrival of this request", off=off)
    grade = CheckGrade.OK if -CLOCK_OFF <= off <= CLOCK_OFF else CheckGrade.FAILED
    return Check("platform_clock", grade, en, {"difference_ms": off})


def check_capacity(deployment: Capacity | None, teams: int, per_team: int) -> Iterator[Check]:
    """Check whether the deployment takes so many teams at once; ``per_team``: requests a second that each may make."""
    if deployment is None:
        yield Check("requests", CheckGrade.UNKNOWN, tr("the deployment does not say what it takes"))
        return
    limit, least, most = deployment.requests_per_second, teams * PER_SECOND, teams * per_team
    grade = CheckGrade.FAILED if least > limit else CheckGrade.WARNING if most > limit else CheckGrade.OK
    sentence = tr(
        "{teams} teams make {least} requests a second at an opening, {most} at most; the gateway passes {limit}"
    )
    yield Check.with_facts("requests", grade, sentence, teams=teams, least=least, most=most, limit=limit)


def check_kept_executions(asked_for: int | None, starts_at: Millis, teams: int) -> Check:
    """Check whether enough executions are kept running for a final to hand its files out at the openings.

    ``asked_for``: those that AWS is to keep for the function Dispatch at the start, as AWS says; None: it did not say.
    """
    where = {"kept": asked_for, "teams": teams}
    if asked_for is None:
        grade = CheckGrade.UNKNOWN
        sentence = tr("whether executions are kept running for the final is not known: AWS did not say")
    elif asked_for == 0:
        grade = CheckGrade.WARNING
        sentence = tr(
            "no execution is to be kept running at {starts_at}: the first requests of the final would wait for starts; "
            "the minute timer asks for them from two weeks before the start"
        )
    else:
        grade = CheckGrade.OK if teams <= asked_for else CheckGrade.FAILED
        sentence = tr(
            "{kept} executions that hand files out are to be kept running at {starts_at}; each of {teams} teams may "
            "hold one until an opening"
        )
    return Check("executions", grade, filled(sentence, starts_at=iso(starts_at), **where), where)


_FILES_OF: Final[Mapping[str, Text]] = MappingProxyType(
    {
        "training": tr("files of the kind training"),
        "test": tr("files of the kind test"),
        "final": tr("files of the kind final"),
        "reserve": tr("files of the kind reserve"),
    }
)


# Clause: R 6.4, R 6.6, D 8.6, D 9.3
def check_sets(
    essay_sets: Sequence[EssaySet], least: Mapping[str, int], steps: Mapping[str, str] = _NO_STEPS
) -> Iterator[Check]:
    """Check whether sets have as many files as the contest demands; ``least`` by kind, and by kind and first step.

    ``steps``: by a set's name the step with which its items begin. The demand of a step applies to cycles
    alone that have a set of it.
    """
    for demand, minimum in sorted(least.items()):
        kind, _, step = demand.partition(":")
        fitting = [
            essay_set
            for essay_set in essay_sets
            if essay_set.kind.value == kind and (not step or steps.get(essay_set.name) == step)
        ]
        if step and not fitting:
            continue
        size, of_step = sum(essay_set.size for essay_set in fitting), f" ({step})" if step else ""
        message = tr(
            "{size} {files}{step}; at least {least}", size=size, files=_FILES_OF[kind], step=of_step, least=minimum
        )
        grade = CheckGrade.OK if size >= minimum else CheckGrade.FAILED
        yield Check(f"set_{demand.replace(':', '_')}", grade, message, {"files": size})


CLIMBED: Final[Mapping[int, float]] = MappingProxyType({1: 28.0, 5: 30.3, 10: 32.4, 20: 37.2, 40: 45.8})
"""Relative accuracy that a program without knowledge of the experts reaches by the published measures of a hidden set's
files: mean of the demonstration's test essays, by number of sessions, as ``python -m local.simulation`` measures it."""


# Clause: R 2.7, R 6.5.2
def check_hidden_files(kind: str, sessions: int) -> Check:
    """Warn how far a program can climb by the whole per cents of a hidden set's files, in a day's sessions.

    **Decision**: a warning where a day has more sessions than the largest number that was measured.
    """
    measured = max(number for number in CLIMBED if number <= max(sessions, min(CLIMBED)))
    first, last = CLIMBED[min(CLIMBED)], CLIMBED[measured]
    grade = CheckGrade.WARNING if sessions > max(CLIMBED) else CheckGrade.OK
    en = tr(
        "sets of the kind {kind}: each file's measures are told in whole per cent (R 6.5.2), in "
        "{sessions} sessions a day; a program that knows nothing came from OTAR {first} to {last} in "
        "{measured} sessions by them (python -m local.simulation); sessions_per_day and "
        "sessions_per_day_on bound it",
        kind=kind,
        sessions=sessions,
        first=_decimal(first),
        last=_decimal(last),
        measured=measured,
    )
    where = {"sessions_per_day": sessions, "measured_sessions": measured, "from": first, "to": last}
    return Check("hidden_files", grade, en, where)


# Clause: TS T10
def check_hidden_totals(kind: str, sessions: int, submissions: int, least: int) -> Check:
    """Report how many totals over a hidden set a team gets in a day, each one equation about its references."""
    where = {"sessions_per_day": sessions, "submissions_per_day": submissions, "least_hidden_items": least}
    sentence = tr(
        "sets of the kind {kind}: totals alone are told, of {least_hidden_items} items and more that differ "
        "(least_hidden_items), of {sessions_per_day} sessions (sessions_per_day, sessions_per_day_on) and "
        "{submissions_per_day} submissions (submissions_per_day) a day at most; each total is one equation "
        "about the references"
    )
    return Check("hidden_totals", CheckGrade.OK, filled(sentence, kind=kind, **where), where)


def _decimal(value: float) -> Text:
    """Return a number as each language writes it."""
    return Text(str(value), str(value).replace(".", ","))


# Clause: R 7.10, platform §5 assignment
def check_experts(pool: Sequence[Expert], files: Iterable[tuple[str, str]]) -> Iterator[Check]:
    """Check whether every language and group of the files has two experts, and three, who share no conflict group.

    ``files``: language and group of each. O(groups · experts³).
    """
    for (language, group), count in sorted(Counter(files).items()):
        able = [expert for expert in pool if expert.may_mark(language, group)]
        apart = max((n for n in (1, 2, 3) if _apart(able, n)), default=0)
        grade = CheckGrade.OK if apart == 3 else CheckGrade.WARNING if apart == 2 else CheckGrade.FAILED
        where = {"language": language, "group": group, "experts": len(able), "apart": apart}
        sentence = tr(
            "{language}/{group}, {count} files: {experts} experts, {apart} of them without a common conflict group"
        )
        yield Check("experts", grade, filled(sentence, count=count, **where), where)


def check_teams(admitted: Sequence[tuple[str, bool, bool]]) -> Check:
    """Check whether teams take part; of each its id, whether it is approved, whether its program has a live token."""
    idle = [team_id for team_id, approved, live in admitted if not (approved and live)]
    able = len(admitted) - len(idle)
    grade = CheckGrade.FAILED if not able else CheckGrade.WARNING if idle else CheckGrade.OK
    listed = f"{len(idle)}: {', '.join(idle)}" if idle else 0
    message = tr("{able} teams can take part; not approved or without a token: {listed}", able=able, listed=listed)
    return Check("teams", grade, message, {"able": able, "unable": idle})


def check_waiting(answers: int, oldest: Millis | None, now: Millis) -> Check:
    """Check whether answers wait too long for their scores (platform §4: two minutes)."""
    late = oldest is not None and now - oldest > 2 * MINUTE
    grade = CheckGrade.WARNING if late else CheckGrade.OK
    return Check.with_facts("scoring", grade, tr("{answers} answers wait for scores"), answers=answers)


def check_letters(waiting: Mapping[LetterQueue, int]) -> Check:
    """Check whether jobs that failed for good wait for a decision, by their queues (platform §4)."""
    there = {name.value: count for name, count in waiting.items() if count}
    if not there:
        return Check("dead_letters", CheckGrade.OK, tr("no dead letters"))
    listed = ", ".join(f"{name} {count}" for name, count in sorted(there.items()))
    return Check(
        "dead_letters", CheckGrade.WARNING, tr("dead letters wait for somebody: {queues}", queues=listed), there
    )


def check_terms(reasons: Iterable[Reason]) -> Iterator[Check]:
    """List notice periods that are not kept; one line where all are."""
    late = [
        Check("notice", CheckGrade.WARNING, reason.message, {"code": reason.code, **reason.where}) for reason in reasons
    ]
    all_kept = Check("notice", CheckGrade.OK, tr("all notice periods are kept"))
    yield from late or [all_kept]


def _apart(pool: Sequence[Expert], count: int) -> bool:
    """Return whether so many of the experts share no conflict group with one another."""
    return any(
        not any(one.conflicts_with(other) for one, other in combinations(chosen, 2))
        for chosen in combinations(pool, count)
    )


APPENDED_AHEAD: Final[Millis] = MINUTE
"""Least milliseconds from the decision to an appended file's opening, so that every program hears of it in time."""


@dataclass(frozen=True, slots=True)
class Wish:
    """A wish of an organizer or the commission; its kind decides which fields matter.

    ``numbers``: files to void or to replace, or the one file of a ruling. ``team_id`` and ``cause``: the ruling's;
    ``team_id`` alone: the team admitted late.
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
