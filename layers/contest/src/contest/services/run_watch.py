"""A run as it goes: who takes part, what everybody missed, whether that is a mass failure (platform §7; D 1.7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from contest.domain import mass_failure, overview, run_report
from contest.domain import run as schedule
from contest.domain.course import Course
from contest.domain.delivery import Cause, FileState
from contest.domain.mass_failure import Attendance, Standing
from contest.domain.moments import Millis
from contest.domain.overview import FileView
from contest.domain.people import Change
from contest.domain.release import Proposal
from contest.domain.run import Run
from contest.domain.session import PlannedFile, Session
from contest.errors import BusyError
from contest.ports import LostRaceError
from contest.services import knowledge, run_record
from contest.services.facts import course_of
from contest.services.platform import Platform
from contest.services.runs import RefusedError

_UNSEEN = PlannedFile(file_id="", item_id="", language="", group="")


@dataclass(frozen=True, slots=True)
class TeamView:
    """One session of a run at a moment."""

    team_id: str
    session_id: str
    state: str
    seen_at: Millis
    """Latest request, the opening where there was none."""
    on_channel: bool | None
    """Whether a client of the event channel is connected; None for who asks by itself."""
    files: int
    answered: int
    open: int
    voided: Mapping[Cause, int]
    voided_numbers: tuple[int, ...]
    voided_share: float | None
    solution_voided: bool
    last_delay: Millis | None
    """From the opening to the hand-out of the latest file handed out."""


@dataclass(frozen=True, slots=True)
class RunView:
    """A run at a moment, its teams in the order of their names."""

    run: Run
    now: Millis
    opened: int
    teams: tuple[TeamView, ...]
    proposal: Proposal | None

    @property
    def standing(self) -> Standing | None:
        """What became of the proposal on a mass failure."""
        return standing_of(self.run, self.proposal) if self.proposal else None


def standing_of(run: Run, proposal: Proposal) -> Standing:
    """What became of a run's proposal on a mass failure."""
    return mass_failure.standing(proposal, schedule.voided_for_all(run))


def look(platform: Platform, run: Run) -> RunView:
    """The run with everybody who takes part, now."""
    now = platform.clock.now()
    teams = tuple(team_view(platform, run, each, now) for each in run_record.taking_part(platform, run))
    return RunView(run, now, schedule.opened(run, now), teams, platform.runs.proposal(run.run_id))


def team_view(platform: Platform, run: Run, session: Session, now: Millis) -> TeamView:
    """A session as it is under this version of its run, which may be one that is only considered."""
    course = course_of(platform, session, run)
    views = views_under(platform, run, session, course, now)
    policies = knowledge.track_of(platform, session).policies(session.order.mode)
    share = overview.voided_share(views)
    handed_out = [view for view in views if view.delivery is not None]
    return TeamView(
        team_id=session.team_id,
        session_id=session.session_id,
        state=session.state.value,
        seen_at=platform.sessions.seen_at(session.session_id) or session.opened_at,
        on_channel=bool(course.attachment.connection_id) if course.attachment else None,
        files=len(views),
        answered=sum(view.state is FileState.ANSWERED for view in views),
        open=sum(view.state is FileState.OPEN for view in views),
        voided=Counter(view.cause for view in views if view.cause is not None),
        voided_numbers=tuple(view.number for view in views if view.state is FileState.VOIDED),
        voided_share=share,
        solution_voided=overview.solution_voided(share, policies.max_voided_share),
        last_delay=run_report.delay(handed_out[-1]) if handed_out else None,
    )


def views_under(platform: Platform, run: Run, session: Session, course: Course, now: Millis) -> tuple[FileView, ...]:
    """A session's files; an open one has all files of this version of the run, a closed one those it ended with."""
    files = schedule.total_files(run) if session.is_open else session.files
    plan = knowledge.plan(platform, session)[:files]
    return overview.files_at(
        plan + (_UNSEEN,) * (files - len(plan)),
        platform.deliveries.of_session(session.session_id),
        now if session.closed_at is None else session.closed_at,
        session_open=session.is_open,
        course=course,
    )


def notice_mass_failure(platform: Platform, run_id: str) -> int:
    """Propose to the commission what everybody missed at once; how many files a new proposal names. For the timer."""
    run = knowledge.run_now(platform, run_id)
    now = platform.clock.now()
    if schedule.opened(run, now) < mass_failure.LEAST_FILES:
        return 0
    annulled = schedule.voided_for_all(run)
    sessions = [_attendance(platform, run, each, now) for each in run_record.taking_part(platform, run)]
    missed = mass_failure.missed_by_all(schedule.windows(run), sessions, annulled)
    made = mass_failure.proposed(platform.runs.proposal(run_id), missed, len(sessions), now)
    if made is None:
        return 0
    try:
        platform.runs.propose(run_id, made)
    except LostRaceError:
        return 0  # another timer has proposed the same
    return len(made.body["numbers"])


def dismiss(platform: Platform, who: str, run_id: str, reason: str) -> Proposal:
    """The commission finds that the platform was not at fault; the files stay as they are."""
    run = knowledge.run_now(platform, run_id)
    before = platform.runs.proposal(run_id)
    if before is None or standing_of(run, before) is not Standing.OPEN:
        raise RefusedError("no_proposal", "no proposal waits for a decision", "нет предложения, ожидающего решения")
    if not reason.strip():
        raise RefusedError("no_reason", "a decision needs a reason", "решению нужно обоснование")
    now = platform.clock.now()
    after = mass_failure.dismissed(before, who, reason.strip(), now)
    try:
        platform.runs.propose(run_id, after)
    except LostRaceError:
        raise BusyError from None
    change = dict(before.body), dict(after.body)
    platform.audit_log.append(Change(now, who, "mass failure dismissed", run_id, *change))
    return after


def _attendance(platform: Platform, run: Run, session: Session, now: Millis) -> Attendance:
    views = views_under(platform, run, session, course_of(platform, session, run), now)
    missed = frozenset(
        view.number for view in views if view.state is FileState.VOIDED and view.cause is not Cause.ORGANIZER_DECISION
    )
    return Attendance(session.session_id, session.opened_at, session.closed_at, missed)
