"""A run under way: releases, participants, mass failures, and its public view.

Release records are written by the timer before an opening, or by the first request where the timer did not come. A run
has its participants, and the files that all of them missed, which may be a mass failure (platform §7; D 1.7). The
platform itself plans the runs of the technical qualification (R 6.6). Everybody
sees the cycle, and the runs with their signed promises.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import asdict
from typing import Any, Final, NamedTuple, cast

from contest import reading
from contest.cycle.rules.cycle import Cycle, Mode, Parameters
from contest.errors import BusyError
from contest.people.rules import Change, Team, by_person
from contest.platform import Platform
from contest.ports import LostRaceError
from contest.refusals import RefusedError
from contest.results.rules import reports
from contest.run import planning, recording, under_way
from contest.run.rules import fate
from contest.run.rules.amending import Wish
from contest.run.rules.fate import FileView, Standing
from contest.run.rules.run import BELIEVED, Kind, Run
from contest.run.rules.schedule import Proposal, Schedule
from contest.session import following
from contest.session.following import Known, known_of
from contest.session.rules.delivery import Cause, FileState
from contest.session.rules.session import PlannedFile, Session
from contest.texts import tr
from contest.values import SECOND, Millis
from markup_core.lazy import dataclass
from tracks.rules import Called, ModeRules

SILENT: Final[Millis] = 120 * SECOND
"""A program that has not been heard of for so long, or two intervals, while files were opening counts as away."""
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
    """Latest request, the opening where there was none."""
    connected: bool
    """Whether a client of the event channel is; who asks by itself is, until silent for :data:`SILENT`."""
    files: int
    answered: int
    open: int
    voided: Mapping[Cause, int]
    voided_numbers: tuple[int, ...]
    voided_share: float | None
    solution_voided: bool
    delays: tuple[Millis, ...]
    """From the opening to the hand-out of every file handed out, by number."""
    cells: str
    """A letter of :data:`_STATES` or :data:`_CAUSES` a file, by number."""

    @property
    def last_delay(self) -> Millis | None:
        """The last of its delays; None before any."""
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
    return fate.standing(proposal, schedule.voided_for_all)


def look(platform: Platform, run: Run) -> RunView:
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
        delays=tuple(delay for view in views if (delay := reports.delay(view)) is not None),
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
    if not reason.strip():
        raise RefusedError("no_reason", tr("a decision needs a reason"))
    now = platform.clock.now()
    after = fate.dismissed(before, who, reason.strip(), now)
    change = Change(now, who, "mass failure dismissed", run_id, dict(before.body), dict(after.body))
    try:
        platform.runs.propose(run_id, after, change)
    except LostRaceError:
        raise BusyError from None
    return after


def names(platform: Platform, deciders: Iterable[str]) -> dict[str, str | None]:
    """Return the names of the authors of decisions; a command, or a person no longer known, has no name."""
    persons = {who: platform.persons.person(who.removeprefix(by_person(""))) for who in set(deciders)}
    return {who: None if person is None else person.name for who, person in persons.items()}


# Clause: R 8.3.3, R 8.3.4, D 11.2, D 11.3, D 11.4
def stated(platform: Platform, run_id: str) -> dict[str, Any]:
    """Return the protocols of a run, the latest first, and those that its results wait for."""
    run, cycle = reading.run_now(platform, run_id), reading.cycle_now(platform)
    authors = names(platform, [protocol.who for protocol in run.protocols])
    return {
        "run_id": run_id,
        "confirmed": recording.confirmed(platform, cycle, run),
        "wanted": [asdict(side) for side in recording.wanted(platform, cycle, run)],
        "protocols": [{**protocol, "name": authors[protocol["who"]]} for protocol in recording.described(run)],
    }


class Current(NamedTuple):
    """The cycle with the parameters that hold now, the kinds of sessions that its contest has, its word for items."""

    cycle: Cycle
    parameters: Parameters
    modes: tuple[ModeRules, ...]
    called: Called


def current(platform: Platform) -> Current:
    """Return the present cycle with its rules."""
    cycle = reading.recent_cycle(platform)
    track = reading.track_of(platform, cycle)
    parameters = reading.parameters(platform, cycle.parameters_version)
    return Current(cycle, parameters, track.modes(), track.items_called)


# Clause: R 2.12
def classifier(platform: Platform) -> tuple[Cycle, Any]:
    """Return the cycle, and its track's codes that answers may name."""
    present = current(platform)
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
            Schedule.of(listed_run) for listed_run in planning.listed(platform, Mode(mode) if mode else None, limit)
        )

    schedules = cast(tuple[Schedule, ...], platform.memory.keep(key, read))
    return tuple(_promised(platform, schedule) for schedule in schedules)


def run(platform: Platform, run_id: str) -> Promised:
    """Return one run with its signed statements."""
    return _promised(platform, reading.schedule(platform, run_id))


def _promised(platform: Platform, schedule: Schedule) -> Promised:
    commitment = planning.commitment_of(platform, schedule.run.run_id)
    return Promised(schedule, commitment, under_way.roster_of(platform, schedule))
