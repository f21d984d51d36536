"""Decisions about a run, during it and afterwards, each with a preview of its changes (D 6.16, 8.12; R 7.16)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any, Final

from contest import reading, stored_names
from contest.people.rules import Change
from contest.platform import Platform, read_and_decide, signed
from contest.ports import LostRaceError
from contest.refusals import RefusedError
from contest.run import planning, under_way, watching
from contest.run.planning import RunOrder
from contest.run.rules import amending, commitment
from contest.run.rules.amending import Wish
from contest.run.rules.run import Amendment, Kind, Run, RunFile, SaidLimits
from contest.run.rules.schedule import Schedule
from contest.run.watching import TeamView
from contest.session.rules.session import Session, State
from contest.texts import tr
from contest.values import SECOND, Millis, canonical, iso
from markup_core.lazy import dataclass

WRITTEN_WITHIN: Final[Millis] = SECOND
"""A decision that takes longer to write is made anew: everybody is to know of it before it holds."""
AT_A_MOMENT: Final = frozenset({Kind.PAUSE, Kind.RESUME, Kind.STOP, Kind.UNDO})
"""Decisions whose moment matters to who has an old copy of the run."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A file whose opening a decision moves; None where there is none before or afterwards."""

    number: int
    before: Millis | None
    after: Millis | None


@dataclass(frozen=True, slots=True)
class Preview:
    """Changes that a wish would make if it were decided now. Nothing is written for it."""

    before: Schedule
    after: Schedule
    moved: tuple[Moved, ...]
    teams: tuple[tuple[TeamView, TeamView], ...]
    """Every session under the run as it is and as it would be."""
    ends: tuple[str, ...]
    """Open sessions that end with it."""


@dataclass(frozen=True, slots=True)
class Restart:
    """An organizer's settings of the run that replaces another; None: as before, as far as the reserve set goes."""

    starts_at: Millis
    interval: Millis | None = None
    files: int | None = None


def preview(platform: Platform, run_id: str, wish: Wish) -> Preview:
    """Show what :func:`decide` would do now; the same refusals, no write."""
    before = reading.schedule_now(platform, run_id)
    after = Schedule.of(amending.amended(before.run, judged(platform, before.run, wish, who="")))
    now = platform.clock.now()
    sessions = under_way.taking_part(platform, before.run)
    stops = after.stopped_at if wish.kind is Kind.STOP else None
    ends = tuple(session.session_id for session in sessions if session.is_open and stops is not None)
    teams = tuple(
        (
            watching.team_view(platform, before, session, now),
            watching.team_view(platform, after, _ended(session, after, stops), now),
        )
        for session in sessions
    )
    return Preview(before, after, tuple(_moved(before, after)), teams, ends)


def _ended(session: Session, after: Schedule, stops: Millis | None) -> Session:
    """Return the session as the stop leaves it."""
    if stops is None or not session.is_open:
        return session
    return replace(session, state=State.STOPPED, closed_at=stops, files=after.total_files)


def _moved(before: Schedule, after: Schedule) -> Iterator[Moved]:
    openings = [
        {
            number: at
            for number, at in enumerate(schedule.openings, start=1)
            if schedule.stopped_at is None or at < schedule.stopped_at
        }
        for schedule in (before, after)
    ]
    for number in sorted(openings[0].keys() | openings[1].keys()):
        was, becomes = (opens.get(number) for opens in openings)
        if was != becomes:
            yield Moved(number, was, becomes)


def decide(platform: Platform, who: str, run_id: str, wish: Wish, version: int | None = None) -> Run:
    """Fulfil a wish: one amendment, conditional on the run as it was judged by.

    ``version``: the run's as the decider saw it; another one is refused (``run_changed``), None takes any.
    :class:`~contest.refusals.RefusedError` where the rules do not allow it.
    """

    def decided(before: Run) -> Run:
        if version not in {None, before.version}:
            raise RefusedError(
                "run_changed", tr("somebody else has decided about this run meanwhile; look at it again")
            )
        added = judged(platform, before, wish, who)
        if added.kind is Kind.REPLACE:
            added = _with_files(platform, before, added)
        after = amending.amended(before, _with_statement(platform, before, added))
        if added.kind in AT_A_MOMENT and platform.clock.now() > added.at + WRITTEN_WITHIN:
            raise LostRaceError  # against time itself: everybody is to know of it before it holds
        what = f"run amended: {added.kind.value}"
        decision = {"amendment": added.number, "reason": added.reason, "details": dict(added.details)}
        states = (_state(before), {**_state(after), **decision, "effective_at": iso(added.effective_at)})
        platform.runs.change(before, after, Change(added.at, who, what, after.run_id, *states))
        return after

    return read_and_decide(lambda: reading.run_now(platform, run_id), decided)


def preview_restart(platform: Platform, run_id: str, reason: str, wish: Restart) -> tuple[Preview, Run]:
    """Show what :func:`restart` would do now: the stop, and the new run; the same refusals, no write."""
    old = reading.run_now(platform, run_id)
    planned = planning.preview_plan(platform, _restarted(platform, old, wish)).run
    return preview(platform, run_id, Wish(Kind.STOP, reason, successor=successor_of(old))), planned


# Clause: R 7.16, R 7.16.1, R 7.16.2, D 6.13, D 6.13.1, D 6.13.2
def restart(platform: Platform, who: str, run_id: str, reason: str, wish: Restart) -> Run:
    """Stop a run and plan a new one on the reserve set: one decision (R 7.16). The new run's files are all unused.

    The successor's name is written with the stop, so that repeating the command after a crash completes it.
    """
    before = reading.schedule_now(platform, run_id)
    old = before.run
    successor = successor_of(old)
    if platform.runs.get(successor) is None:
        planning.refuse_unless_allowed(platform, _restarted(platform, old, wish))
    if before.stop is None:
        decide(platform, who, run_id, Wish(Kind.STOP, reason, successor=successor), old.version)
    elif not any(amendment.details.get("successor") == successor for amendment in before.in_effect):
        raise RefusedError("stopped_already", tr("the run was stopped without a restart; plan a new run"))
    return planning.plan_run(platform, who, _restarted(platform, old, wish))


def _restarted(platform: Platform, old: Run, wish: Restart) -> RunOrder:
    """Return the order of the run that replaces ``old``: as it was, with the organizer's times and files."""
    reserve = planning.reserve_set(platform)
    available = planning.available(platform, reading.cycle_now(platform), reserve.name, old.language)
    return RunOrder(
        mode=old.mode,
        set_name=reserve.name,
        starts_at=wish.starts_at,
        interval=old.interval if wish.interval is None else wish.interval,
        limits=SaidLimits(**asdict(old.limits)),
        files=min(old.files // old.publications, available) if wish.files is None else wish.files,
        language=old.language,
        trial=old.trial,
        admitted=old.admitted,
        restarts=old.run_id,
        continues=old.continues,
        run_id=successor_of(old),
    )


def successor_of(old: Run) -> str:
    """Return the name of the run that restarts a run."""
    digits = int.from_bytes(hashlib.sha256(f"{old.run_id}\nrestart".encode()).digest())
    alphabet = "abcdefghijklmnopqrstuvwxyz0123456789"
    return "".join(alphabet[digits // len(alphabet) ** place % len(alphabet)] for place in range(20))


def judged(platform: Platform, run: Run, wish: Wish, who: str) -> Amendment:
    """Return the effect of a wish by the rules now; nothing is written."""
    added = amending.amendment(run, wish, who, platform.clock.now())
    if added.kind is Kind.REPLACE:
        items = len(added.details["numbers"]) // run.publications
        planning.refuse_scarcity(platform, planning.reserve_set(platform), run.language, items)
    if added.kind is Kind.RULE:
        _refuse_unless_void(platform, run, wish)
    if added.kind is Kind.ADMIT:
        _refuse_unless_absent(platform, run, wish.team_id)
    return added


# Clause: TS D-3
def _refuse_unless_absent(platform: Platform, run: Run, team_id: str) -> None:
    """Refuse to admit a team late unless it takes part in the cycle and not yet in this run."""
    team = platform.people.team(team_id)
    if team is None or not reading.takes_part(platform, team):
        raise RefusedError("unknown_team", tr("there is no approved team {team_id}", team_id=team_id))
    if run.takes_admitted and team_id not in (reading.admitted(platform, run) or ()):
        raise amending.not_admitted(team_id)
    if platform.sessions.participation(team_id, run.run_id) is not None:
        raise RefusedError("takes_part_already", tr("the team {team_id} has its session in this run", team_id=team_id))


def _refuse_unless_void(platform: Platform, run: Run, wish: Wish) -> None:
    """Refuse a ruling about a file that is not void for a team that takes part."""
    (number,) = wish.numbers
    schedule, now = Schedule.of(run), platform.clock.now()
    sessions = [session for session in under_way.taking_part(platform, run) if session.team_id == wish.team_id]
    if not sessions:
        raise RefusedError(
            "unknown_team", tr("the team {team_id} does not take part in this run", team_id=wish.team_id)
        )
    if not any(number in watching.team_view(platform, schedule, session, now).voided_numbers for session in sessions):
        raise RefusedError(
            "not_void", tr("file {number} is not void for the team {team_id}", number=number, team_id=wish.team_id)
        )


def _with_files(platform: Platform, run: Run, added: Amendment) -> Amendment:
    """Return the replacement with the root of its files, which are stored under its number.

    A number under which other files lie, because somebody crashed or lost a race with it, is passed over.
    """
    reserve = planning.reserve_set(platform)
    cycle = replace(reading.cycle_now(platform), parameters_version=run.parameters_version)
    drawn = planning.draw(platform, cycle, reserve, run.language, len(added.details["numbers"]) // run.publications)
    if len(drawn) != len(added.details["numbers"]):
        raise planning.mixed()
    content = canonical(reading.run_plan_json(drawn))
    while True:
        name = stored_names.run_plan_name(run.run_id, added.number)
        platform.blobs.put_if_absent(name, content)
        if platform.blobs.get(name) == content:
            break
        added = replace(added, number=added.number + 1)
    rows = appended_rows(run, added, drawn)
    return replace(added, details={**added.details, "root": commitment.root_of(rows)})


def appended_rows(run: Run, added: Amendment, files: Sequence[RunFile]) -> list[dict[str, Any]]:
    """Return the rows to which a replacement commits, whether it still holds or was taken back."""
    first, slot = int(added.details["first"]), int(added.details["slot"])
    return [
        commitment.row(first + at, run.starts_at + (slot + at) * run.interval, file) for at, file in enumerate(files)
    ]


# Clause: platform §3 amendments, platform §3 rulings
def _with_statement(platform: Platform, run: Run, added: Amendment) -> Amendment:
    """Return the amendment with its public statement, written together or not at all; a ruling is sealed."""
    if not commitment.is_public(run, added):
        added = replace(added, salt=platform.randomness.salt())
    previous = commitment.digest(chain(platform, run)[-1])
    statement = commitment.amendment_statement(run, added, previous, platform.signer.public_key.key_id)
    return replace(added, signed=signed(platform, "amendment", statement).decode("utf-8"))


def chain(platform: Platform, run: Run) -> list[dict[str, Any]]:
    """Return the run's public statements without their signatures: the commitment, then every amendment."""
    first: dict[str, Any] = planning.commitment_of(platform, run.run_id)["statement"]
    return [first, *(published["amendment"] for published in planning.public_amendments(run))]


def _state(run: Run) -> dict[str, Any]:
    schedule = Schedule.of(run)
    return {
        "version": run.version,
        "files": schedule.total_files,
        "pauses": [[iso(pause.start), iso(pause.until)] for pause in schedule.pauses],
        "void_for_all": sorted(schedule.voided_for_all),
        "stopped_at": schedule.stopped_at,
    }
