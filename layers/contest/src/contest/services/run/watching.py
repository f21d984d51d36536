"""A run as it goes: who takes part, what everybody missed, whether that is a mass failure (platform §7; D 1.7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Final

from contest.domain.moments import SECOND, Millis
from contest.domain.people.teams import Change, Team, TeamStatus
from contest.domain.results import file_views, run_report
from contest.domain.results.file_views import FileView
from contest.domain.run import mass_failure
from contest.domain.run.amending import Wish
from contest.domain.run.mass_failure import Attendance, Standing
from contest.domain.run.release import Proposal
from contest.domain.run.run import Kind, Run
from contest.domain.run.schedule import Schedule
from contest.domain.session.delivery import Cause, FileState
from contest.domain.session.session import PlannedFile, Session
from contest.errors import BusyError
from contest.ports import LostRaceError
from contest.refusals import RefusedError
from contest.services import reading
from contest.services.platform import Platform
from contest.services.run import records
from contest.services.session import closing
from contest.services.session.facts import Known, known_of

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
        """How many teams are there."""
        return sum(each.connected for each in self.teams)

    @property
    def voided(self) -> Mapping[Cause, int]:
        """Void files of all teams by cause."""
        return sum((Counter(each.voided) for each in self.teams), Counter[Cause]())

    @property
    def delays(self) -> tuple[Millis, ...]:
        """Those of all teams."""
        return tuple(delay for each in self.teams for delay in each.delays)

    @property
    def standing(self) -> Standing | None:
        """What became of the proposal on a mass failure."""
        return standing_of(self.schedule, self.proposal) if self.proposal else None


def standing_of(schedule: Schedule, proposal: Proposal) -> Standing:
    """What became of a run's proposal on a mass failure."""
    return mass_failure.standing(proposal, schedule.voided_for_all)


def look(platform: Platform, run: Run) -> RunView:
    """The run with everybody who takes part, now."""
    schedule, now = Schedule.of(run), platform.clock.now()
    teams = tuple(team_view(platform, schedule, each, now) for each in records.taking_part(platform, run))
    absent = _absent(platform, run, {each.team_id for each in teams})
    return RunView(schedule, now, schedule.opened(now), teams, platform.runs.proposal(run.run_id), absent)


def _absent(platform: Platform, run: Run, joined: Set[str]) -> tuple[Team, ...]:
    """Who may take part and has not joined: of the admitted teams, or of all that are approved.

    Clause: R 7.2
    """
    admitted = reading.admitted(platform, run)
    return tuple(
        each
        for each in platform.people.all_teams()
        if each.team_id not in joined
        and each.status is TeamStatus.APPROVED
        and (admitted is None or each.team_id in admitted)
    )


def team_view(platform: Platform, schedule: Schedule, session: Session, now: Millis) -> TeamView:
    """A session as it is under this version of its run, which may be one that is only considered."""
    known = known_of(platform, session, schedule)
    views = views_under(platform, schedule, session, known, now)
    policies = reading.track_of(platform, session).policies(session.order.mode)
    share = file_views.voided_share(views)
    seen_at = closing.latest_request(platform, session)
    channel, silent = known.circumstances.attachment, schedule.silent_for(seen_at, now)
    return TeamView(
        team_id=session.team_id,
        session_id=session.session_id,
        state=session.state.value,
        seen_at=seen_at,
        connected=bool(channel.connection_id) if channel else silent < max(SILENT, 2 * schedule.run.interval),
        files=len(views),
        answered=sum(view.state is FileState.ANSWERED for view in views),
        open=sum(view.state is FileState.OPEN for view in views),
        voided=Counter(view.cause for view in views if view.cause is not None),
        voided_numbers=tuple(view.number for view in views if view.state is FileState.VOIDED),
        voided_share=share,
        solution_voided=file_views.solution_voided(share, policies.max_voided_share),
        delays=tuple(delay for view in views if (delay := run_report.delay(view)) is not None),
        cells="".join(_cell(view, now) for view in views),
    )


def _cell(view: FileView, now: Millis) -> str:
    if view.cause is not None:
        return _CAUSES[view.cause]
    if view.state is FileState.WAITING and view.window is not None and view.window.opens_at <= now:
        return _UNASKED
    return _STATES[view.state]


def views_under(
    platform: Platform, schedule: Schedule, session: Session, known: Known, now: Millis
) -> tuple[FileView, ...]:
    """A session's files; an open one has all files of this version of the run, a closed one those it ended with."""
    files = schedule.total_files if session.is_open else session.files
    plan = reading.plan(platform, session)[:files]
    return file_views.files_at(
        plan + (_UNSEEN,) * (files - len(plan)),
        known.deliveries,
        now if session.closed_at is None else session.closed_at,
        known.circumstances,
        session_open=session.is_open,
    )


def notice_mass_failure(platform: Platform, run_id: str) -> int:
    """Propose to the commission what everybody missed at once; how many files a new proposal names. For the timer."""
    schedule = reading.schedule_now(platform, run_id)
    now = platform.clock.now()
    if schedule.opened(now) < mass_failure.LEAST_FILES:
        return 0
    sessions = []
    for session in records.taking_part(platform, schedule.run):
        views = views_under(platform, schedule, session, known_of(platform, session, schedule), now)
        voided = (each for each in views if each.state is FileState.VOIDED)
        numbers = frozenset(each.number for each in voided if each.cause is not Cause.ORGANIZER_DECISION)
        sessions.append(Attendance(session.session_id, session.opened_at, session.closed_at, numbers))
    before, in_a_row = platform.runs.proposal(run_id), schedule.run.publications
    missed = mass_failure.missed_by_all(schedule.windows, sessions, schedule.voided_for_all, in_a_row)
    made = mass_failure.proposed(before, missed, len(sessions), now, in_a_row)
    if made is None:
        return 0
    try:
        platform.runs.propose(run_id, made, None)
    except LostRaceError:
        return 0  # another timer has proposed the same
    return len(made.body["numbers"])


def replacement(platform: Platform, run_id: str, reason: str) -> Wish:
    """What the commission wishes that agrees with the open proposal: its files replaced, but for those void already."""
    schedule = reading.schedule_now(platform, run_id)
    proposed = open_proposal(platform, schedule).body["numbers"]
    numbers = (number for number in proposed if number not in schedule.voided_for_all)
    return Wish(Kind.REPLACE, reason, tuple(numbers))


def open_proposal(platform: Platform, schedule: Schedule) -> Proposal:
    """The proposal on a mass failure that waits for a decision; refused (``no_proposal``) where none does."""
    found = platform.runs.proposal(schedule.run.run_id)
    if found is None or standing_of(schedule, found) is not Standing.OPEN:
        raise RefusedError("no_proposal", "no proposal waits for a decision", "нет предложения, ожидающего решения")
    return found


def dismiss(platform: Platform, who: str, run_id: str, reason: str) -> Proposal:
    """The commission finds that the platform was not at fault; the files stay as they are."""
    schedule = reading.schedule_now(platform, run_id)
    before = open_proposal(platform, schedule)
    if not reason.strip():
        raise RefusedError("no_reason", "a decision needs a reason", "решению нужно обоснование")
    now = platform.clock.now()
    after = mass_failure.dismissed(before, who, reason.strip(), now)
    change = Change(now, who, "mass failure dismissed", run_id, dict(before.body), dict(after.body))
    try:
        platform.runs.propose(run_id, after, change)
    except LostRaceError:
        raise BusyError from None
    return after
