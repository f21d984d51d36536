"""Views of a run under way, and decisions about it, each with a preview of its changes (D 6.16, 8.12; R 7.16).

A run has its participants, and the files that all of them missed, which may be a mass failure (platform §7; D 1.7).
Everybody sees the cycle, and the runs with their signed promises.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict, replace
from typing import Any, Final, NamedTuple, cast

from contest import reading, stored_names
from contest.cycle.rules.cycle import Cycle, Mode, Parameters
from contest.errors import BusyError
from contest.people.rules import Change, Team, by_person
from contest.platform import Platform, read_and_decide, signed
from contest.ports import LostRaceError
from contest.refusals import RefusedError
from contest.results.rules import reports
from contest.run import planning, recording, under_way
from contest.run.planning import RunOrder
from contest.run.rules import commitment, conducting, fate
from contest.run.rules.conducting import Wish
from contest.run.rules.fate import FileView, Standing
from contest.run.rules.run import BELIEVED, Amendment, Kind, Run, RunFile, SaidLimits
from contest.run.rules.schedule import Proposal, Schedule
from contest.session import following
from contest.session.following import Known, known_of
from contest.session.rules.delivery import Cause, FileState
from contest.session.rules.session import PlannedFile, Session, State
from contest.texts import tr
from contest.values import SECOND, Millis, canonical, iso
from markup_core.lazy import dataclass
from tracks.rules import Called, ModeRules

SILENT: Final[Millis] = 120 * SECOND
"""Milliseconds of silence, or two intervals, while files were opening, after which a program counts as away."""
_UNASKED: Final = "w"
"""The letter of a file that has opened and that nobody has been given."""
_STATES: Final = {FileState.WAITING: ".", FileState.OPEN: "o", FileState.ANSWERED: "a"}
_CAUSES: Final = {
    Cause.TEAM_LATE: "l",
    Cause.TEAM_INVALID: "i",
    Cause.NETWORK: "n",
    Cause.PLATFORM: "p",
    Cause.ORGANIZER_DECISION: "d",
}
_UNSEEN = PlannedFile(file_id="", item_id="", language="", group="")


@dataclass(frozen=True, slots=True)
class TeamView:
    """One session of a run at a moment."""

    team_id: str
    session_id: str
    state: str
    seen_at: Millis
    """Moment of the latest request; the opening where there was none."""
    connected: bool
    """True if a client of the event channel is connected; a polling program is until silent for :data:`SILENT`."""
    files: int
    answered: int
    open: int
    voided: Mapping[Cause, int]
    voided_numbers: tuple[int, ...]
    voided_share: float | None
    solution_voided: bool
    delays: tuple[Millis, ...]
    """Delays from the opening to the hand-out of every file handed out, by number."""
    cells: str
    """A letter of :data:`_STATES` or :data:`_CAUSES` a file, by number."""

    @property
    def last_delay(self) -> Millis | None:
        """Return the last of its delays; None before any."""
        return self.delays[-1] if self.delays else None


@dataclass(frozen=True, slots=True)
class RunView:
    """A run at a moment, its teams in the order of their names."""

    schedule: Schedule
    now: Millis
    opened: int
    teams: tuple[TeamView, ...]
    proposal: Proposal | None
    absent: tuple[Team, ...] = ()
    """Teams that may take part and have not opened a session, in the order of their names."""

    @property
    def connected(self) -> int:
        """Number of teams that are connected."""
        return sum(team.connected for team in self.teams)

    @property
    def voided(self) -> Mapping[Cause, int]:
        """Void files of all teams by cause."""
        return _sorted(sum((Counter(team.voided) for team in self.teams), Counter[Cause]()))

    @property
    def delays(self) -> tuple[Millis, ...]:
        """Delays of all teams."""
        return tuple(delay for team in self.teams for delay in team.delays)

    @property
    def standing(self) -> Standing | None:
        """Standing of the proposal on a mass failure."""
        return standing_of(self.schedule, self.proposal) if self.proposal else None


def _sorted(counts: Mapping[Cause, int]) -> dict[Cause, int]:
    return dict(sorted(counts.items()))


def standing_of(schedule: Schedule, proposal: Proposal) -> Standing:
    """Return the standing of a run's proposal on a mass failure."""
    return fate.proposal_standing(proposal, schedule.voided_for_all)


def watched_run(platform: Platform, run: Run) -> RunView:
    """Return the run with all its participants, now."""
    schedule, now = Schedule.of(run), platform.clock.now()
    teams = tuple(team_view(platform, schedule, session, now) for session in under_way.taking_part(platform, run))
    absent = _absent(platform, run, {team.team_id for team in teams})
    return RunView(schedule, now, schedule.opened(now), teams, platform.runs.proposal(run.run_id), absent)


# Clause: R 7.2
def _absent(platform: Platform, run: Run, joined: Set[str]) -> tuple[Team, ...]:
    """List the teams that may take part and have not joined: of the admitted teams, or of all approved ones."""
    admitted = reading.admitted(platform, run)
    return tuple(
        team
        for team in platform.people.all_teams()
        if team.team_id not in joined
        and reading.takes_part(platform, team)
        and (admitted is None or team.team_id in admitted)
    )


def team_view(platform: Platform, schedule: Schedule, session: Session, now: Millis) -> TeamView:
    """Return a session as it is under this version of its run, which may be one that is only considered."""
    facts = known_of(platform, session, schedule)
    views = views_under(platform, schedule, session, facts, now)
    policies = reading.track_of(platform, session).policies(session.order.mode)
    share = fate.voided_share(views)
    seen_at = following.latest_request(platform, session)
    channel, silent = facts.circumstances.attachment, schedule.silent_for(seen_at, now)
    return TeamView(
        team_id=session.team_id,
        session_id=session.session_id,
        state=session.state.value,
        seen_at=seen_at,
        connected=bool(channel.connection_id) if channel else silent < max(SILENT, 2 * schedule.run.interval),
        files=len(views),
        answered=sum(view.state is FileState.ANSWERED for view in views),
        open=sum(view.state is FileState.OPEN for view in views),
        voided=_sorted(Counter(view.cause for view in views if view.cause is not None)),
        voided_numbers=tuple(view.number for view in views if view.state is FileState.VOIDED),
        voided_share=share,
        solution_voided=fate.solution_voided(share, policies.max_voided_share),
        delays=tuple(delay for view in views if (delay := reports.opening_delay(view)) is not None),
        cells="".join(_cell(view, now) for view in views),
    )


def _cell(view: FileView, now: Millis) -> str:
    if view.cause is not None:
        return _CAUSES[view.cause]
    if view.state is FileState.WAITING and view.window is not None and view.window.opens_at <= now:
        return _UNASKED
    return _STATES[view.state]


def views_under(
    platform: Platform, schedule: Schedule, session: Session, facts: Known, now: Millis
) -> tuple[FileView, ...]:
    """Return a session's files; an open one has all files of this version of the run, a closed one those at its end."""
    files = schedule.total_files if session.is_open else session.files
    plan = reading.plan(platform, session)[:files]
    return fate.files_at(
        plan + (_UNSEEN,) * (files - len(plan)),
        facts.deliveries,
        now if session.closed_at is None else session.closed_at,
        facts.circumstances,
        session_open=session.is_open,
    )


def replacement(platform: Platform, run_id: str, reason: str) -> Wish:
    """Return the commission's wish that agrees with the open proposal: replace its files but those void already."""
    schedule = reading.schedule_now(platform, run_id)
    proposed = open_proposal(platform, schedule).body["numbers"]
    numbers = (number for number in proposed if number not in schedule.voided_for_all)
    return Wish(Kind.REPLACE, reason, tuple(numbers))


def open_proposal(platform: Platform, schedule: Schedule) -> Proposal:
    """Return the proposal on a mass failure that waits for a decision; refuse (``no_proposal``) where none does."""
    proposal = platform.runs.proposal(schedule.run.run_id)
    if proposal is None or standing_of(schedule, proposal) is not Standing.OPEN:
        raise RefusedError("no_proposal", tr("no proposal waits for a decision"))
    return proposal


def dismiss(platform: Platform, who: str, run_id: str, reason: str) -> Proposal:
    """Record the commission's finding that the platform was not at fault; the files stay as they are."""
    schedule = reading.schedule_now(platform, run_id)
    before = open_proposal(platform, schedule)
    now = platform.clock.now()
    after = fate.dismiss_proposal(before, who, reason.strip(), now)
    change = Change(now, who, "mass failure dismissed", run_id, dict(before.body), dict(after.body))
    try:
        platform.runs.propose(run_id, after, change)
    except LostRaceError:
        raise BusyError from None
    return after


def author_names(platform: Platform, deciders: Iterable[str]) -> dict[str, str | None]:
    """Return the names of the authors of decisions; a command, or a person no longer known, has no name."""
    persons = {who: platform.persons.person(who.removeprefix(by_person(""))) for who in set(deciders)}
    return {who: None if person is None else person.name for who, person in persons.items()}


# Clause: R 8.3.3, R 8.3.4, D 11.2, D 11.3, D 11.4
def run_protocols(platform: Platform, run_id: str) -> dict[str, Any]:
    """Return the protocols of a run, the latest first, and those that its results wait for."""
    run, cycle = reading.run_now(platform, run_id), reading.cycle_now(platform)
    authors = author_names(platform, [protocol.who for protocol in run.protocols])
    return {
        "run_id": run_id,
        "confirmed": recording.is_confirmed(platform, cycle, run),
        "wanted": [asdict(side) for side in recording.named_sides(platform, cycle, run)],
        "protocols": [{**protocol, "name": authors[protocol["who"]]} for protocol in recording.describe_protocols(run)],
    }


class Current(NamedTuple):
    """The cycle with the parameters that hold now, the kinds of sessions that its contest has, its word for items."""

    cycle: Cycle
    parameters: Parameters
    modes: tuple[ModeRules, ...]
    called: Called


def current_cycle(platform: Platform) -> Current:
    """Return the present cycle with its rules."""
    cycle = reading.recent_cycle(platform)
    track = reading.track_of(platform, cycle)
    parameters = reading.parameters(platform, cycle.parameters_version)
    return Current(cycle, parameters, track.modes(), track.items_called)


# Clause: R 2.12
def current_classifier(platform: Platform) -> tuple[Cycle, Any]:
    """Return the cycle, and its track's codes that answers may name."""
    present = current_cycle(platform)
    return present.cycle, reading.track_of(platform, present.cycle).classifier(present.parameters.track)


class Promised(NamedTuple):
    """A run with its signed statements: its commitment and, once joining is over, the roster of its teams."""

    schedule: Schedule
    commitment: dict[str, Any]
    roster: dict[str, Any] | None


def runs(platform: Platform, mode: str | None, limit: int) -> tuple[Promised, ...]:
    """List runs of a mode or of all, the latest start first."""
    key = ("runs", mode, limit, platform.clock.now() // BELIEVED)

    def read() -> tuple[Schedule, ...]:
        return tuple(
            Schedule.of(listed_run) for listed_run in planning.list_runs(platform, Mode(mode) if mode else None, limit)
        )

    schedules = cast(tuple[Schedule, ...], platform.memory.keep(key, read))
    return tuple(_promised(platform, schedule) for schedule in schedules)


def run(platform: Platform, run_id: str) -> Promised:
    """Return one run with its signed statements."""
    return _promised(platform, reading.schedule(platform, run_id))


def _promised(platform: Platform, schedule: Schedule) -> Promised:
    commitment = planning.commitment_of(platform, schedule.run.run_id)
    return Promised(schedule, commitment, under_way.roster_of(platform, schedule))


WRITTEN_WITHIN: Final[Millis] = SECOND
"""Maximum milliseconds to write a decision; a slower one is made anew: everybody is to know of it before it holds."""
AT_A_MOMENT: Final = frozenset({Kind.PAUSE, Kind.RESUME, Kind.STOP, Kind.UNDO})
"""Decisions whose moment matters to processes with an old copy of the run."""


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
    after = Schedule.of(conducting.amended(before.run, effect_of_wish(platform, before.run, wish, who="")))
    now = platform.clock.now()
    sessions = under_way.taking_part(platform, before.run)
    stops = after.stopped_at if wish.kind is Kind.STOP else None
    ends = tuple(session.session_id for session in sessions if session.is_open and stops is not None)
    teams = tuple(
        (
            team_view(platform, before, session, now),
            team_view(platform, after, _ended(session, after, stops), now),
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
        added = effect_of_wish(platform, before, wish, who)
        if added.kind is Kind.REPLACE:
            added = _with_files(platform, before, added)
        after = conducting.amended(before, _with_statement(platform, before, added))
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
    available = planning.count_available(platform, reading.cycle_now(platform), reserve.name, old.language)
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


def effect_of_wish(platform: Platform, run: Run, wish: Wish, who: str) -> Amendment:
    """Return the effect of a wish by the rules now; nothing is written."""
    added = conducting.amendment(run, wish, who, platform.clock.now())
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
        raise conducting.not_admitted(team_id)
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
    if not any(number in team_view(platform, schedule, session, now).voided_numbers for session in sessions):
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
        raise planning.mixed_items()
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
    previous = commitment.statement_digest(public_statements(platform, run)[-1])
    statement = commitment.amendment_statement(run, added, previous, platform.signer.public_key.key_id)
    return replace(added, signed=signed(platform, "amendment", statement).decode("utf-8"))


def public_statements(platform: Platform, run: Run) -> list[dict[str, Any]]:
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
