"""The state of a session: facts, dialogues, end, and why it does not count.

The facts of a session determine the states and causes of its files and its end. A session ends by time, by its
program's last request or by its team's wish; ending it twice is the same as ending it once. The dialogue over a file
has a step, and of each turn the response that it brought (tracks-sessions T2, T3). A session or its result does not
count when the organizers annul it (D 6.10), or by the days of a stage.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from contest import reading, stored_names
from contest.cycle.rules.cycle import SetKind
from contest.cycle.rules.stages import Outside, Stage, StageName, kept_off_by, outside_stage
from contest.errors import OutsideStageError, SetAnnulledError
from contest.platform import Platform, decide_until_written
from contest.ports import SessionFacts
from contest.results.rules.qualification import QUALIFICATION, Annulled, Annulment, holds_of_set, reason_not_counted
from contest.run.rules import fate
from contest.run.rules.fate import Circumstances
from contest.session.rules import delivery as delivery_rules
from contest.session.rules import session as session_rules
from contest.session.rules.delivery import Course, Delivery, TakenTurn
from contest.session.rules.session import Activity, Counts, PlannedFile, Session, State
from contest.values import SECOND, Millis, canonical, read_as
from markup_core.lazy import dataclass
from tracks.capabilities import StepsByItem, steps_of
from tracks.protocol import Track, Turn, Verdict

if TYPE_CHECKING:
    from contest.cycle.rules.cycle import Cycle, Parameters
    from contest.results.rules.leaderboard import Entry
    from contest.run.rules.fate import FileView
    from contest.run.rules.run import Run
    from contest.run.rules.schedule import Schedule
    from contest.submissions.rules import Submission


class Known(NamedTuple):
    """All facts of a session: its deliveries, by number, and the notes about its files."""

    deliveries: Sequence[Delivery]
    circumstances: Circumstances


def known_of(platform: Platform, session: Session, schedule: Schedule | None = None) -> Known:
    """Read all facts of a session, in one query. ``schedule`` where the caller has read its run anew."""
    noted = platform.session_reads.facts(session.session_id)
    return _known(session, noted, schedule or reading.schedule_of(platform, session))


def known_at_opening(platform: Platform, session: Session) -> Known:
    """Return the facts of a session that was opened in this instant: nobody has asked for anything of it."""
    return _known(session, SessionFacts((), {}, {}, None), reading.schedule_of(platform, session))


def _known(session: Session, noted: SessionFacts, schedule: Schedule | None) -> Known:
    notes = (noted.first_requests, noted.arrived, noted.bodies, noted.attachment)
    return Known(noted.deliveries, fate.circumstances_of(session, schedule, *notes))


def files_of(platform: Platform, session: Session, facts: Known, now: Millis) -> tuple[FileView, ...]:
    """Return every file of a session at a moment; of a closed one at its end."""
    is_open = session.closed_at is None
    moment = now if session.closed_at is None else session.closed_at
    plan = reading.plan(platform, session, facts.circumstances.schedule)
    return fate.files_at(plan, facts.deliveries, moment, facts.circumstances, session_open=is_open)


def by_time(
    platform: Platform,
    session: Session,
    now: Millis,
    seen_at: Millis | None = None,
    unseen: Millis = 0,
    facts: Known | None = None,
) -> Session:
    """End a session whose time is over; return the session in its state afterwards.

    ``seen_at`` where the caller knows it better, ``facts`` where the caller has read it a moment ago: by what they say
    nothing is ended, but a session that goes on by them goes on.
    """
    if not session.is_open:
        return session
    if seen_at is None:
        seen_at = latest_request(platform, session)
    if facts is not None and _state_by_time(platform, session, facts, seen_at, now, unseen) is None:
        return session
    # A file that was appended a second ago keeps the session open: the run is read as last written.
    schedule = reading.schedule_now_of(platform, session)
    latest = known_of(platform, session, schedule)
    state = _state_by_time(platform, session, latest, seen_at, now, unseen)
    return end_session(platform, session, state, now) if state else session


def latest_request(platform: Platform, session: Session) -> Millis:
    """Return the time of the latest request about a session; its opening where nothing came after it."""
    team_requests = platform.requests.of_team(session.team_id)
    return (team_requests.seen_at(session) if team_requests else None) or session.opened_at


def is_over(platform: Platform, session: Session, seen_at: Millis, now: Millis, unseen: Millis = 0) -> bool:
    """Return whether :func:`by_time` would end an open session at a moment; nothing is written."""
    schedule = reading.schedule_now_of(platform, session)
    facts = known_of(platform, session, schedule)
    return _state_by_time(platform, session, facts, seen_at, now, unseen) is not None


# Clause: platform §3 final states
def end_session(platform: Platform, session: Session, state: State, now: Millis) -> Session:
    """Put a session into a final state unless it is in one already; return the session in its state afterwards."""

    def close(before: Session) -> Session:
        if not before.is_open:
            return before
        after = session_rules.closed_session(before, state, now)
        platform.sessions.close(before, after)
        return after

    return decide_until_written(session, close, lambda: reading.session_again(platform, session))


def counts_of(platform: Platform, session: Session, now: Millis, facts: Known | None = None) -> Counts:
    """Return a session's counts. Those of a closed algorithmic session are noted for later lists.

    In a run a decision of the organizers can still change them. ``facts`` where the caller has read them.
    """
    if session.counts is not None:
        return session.counts
    counts = fate.count_states(files_of(platform, session, facts or known_of(platform, session), now))
    if not session.is_open and session.run_id is None:
        platform.sessions.note_counts(replace(session, counts=counts))
    return counts


def _state_by_time(
    platform: Platform, session: Session, facts: Known, seen_at: Millis, now: Millis, unseen: Millis
) -> State | None:
    rules = reading.parameters(platform, session.parameters_version)
    schedule = facts.circumstances.schedule
    if schedule is None:
        return session_rules.ends_by_time(session, Activity(facts.deliveries, seen_at), rules, now, unseen)
    idle = rules.idle_timeout_s * SECOND + unseen
    return fate.ends_by_time(schedule, facts.deliveries, seen_at, idle, now)


@dataclass(frozen=True, slots=True)
class Answered:
    """A turn with the response that it brought, None for none."""

    turn: TakenTurn
    response: Any


@dataclass(frozen=True, slots=True)
class Standing:
    """The standing of a dialogue: its step, the kinds of answers that it takes, its deadline. At the end there is no
    step.
    """

    step: str | None
    takes: tuple[str, ...]
    until: Millis | None
    answered: tuple[Answered, ...]


@dataclass(frozen=True, slots=True)
class Work:
    """Work on one file of a session: its item, the contest and its parameters, the steps it goes through."""

    session: Session
    planned: PlannedFile
    item: Any
    """The item's content; not to be changed."""
    track: Track
    rules: Any
    """The track's own parameters."""
    course: Course
    is_dialogue: bool
    """True if the work on the file has more than one answer."""
    is_of_one_answer: bool
    """True if one answer to one file is the whole item."""
    limit_s: int | None
    """Longest time for the whole work from the hand-out, in seconds; None where the steps have no limit."""

    # Clause: platform §3 hand-out, R 2.7, R 2.8
    def shown(self) -> Any:
        """Return the participant's view of the item: the track decides, nothing else leaks."""
        return self.track.hand_out(self.item, self.planned.file_id, self.course.publication)

    # Clause: TS T2, TS T3
    def judge(self, turns: Sequence[TakenTurn], body: bytes) -> Verdict:
        """Return the track's verdict on an answer that follows these turns.

        An answer that another step of the same dialogue takes is valid too: it may be sent again, or come at a wrong
        time, and which of these it is can be told of an answer alone. The reasons against an invalid one are those
        of the present step.
        """
        course, validate = self.course, self.track.validate
        now = (course.step_of(turns) or course.names[-1]) if self.is_dialogue else course.publication
        verdict = validate(self.item, self.planned.file_id, now, body, self.rules)
        if not verdict.reasons:
            return verdict
        others = (
            validate(self.item, self.planned.file_id, step, body, self.rules) for step in course.names if step != now
        )
        return next((alternative for alternative in others if alternative.valid), verdict)


class _Task(NamedTuple):
    """The part of the work on a file that is the same in every session."""

    item: Any
    track: Track
    course: Course
    is_dialogue: bool
    is_of_one_answer: bool
    limit_s: int | None
    size: int
    """Approximate bytes in memory."""


def work_on(platform: Platform, session: Session, planned: PlannedFile, rules: Parameters | None = None) -> Work:
    """Read the facts for the work on a file; ``rules``: the session's parameters where the caller has read them.

    What all sessions with the item have in common is read and computed once per process.
    """
    rules = rules or reading.parameters(platform, session.parameters_version)

    def task() -> _Task:
        track = reading.track_of(platform, session)
        item, size = reading.content_with_size(platform, session, planned)
        steps = steps_of(track, item, rules.track)
        course = Course(steps, planned.step or steps[0].name)
        return _Task(item, track, course, course.is_dialogue, course.is_of_one_answer, course.limit_s, size)

    key = ("work", session.parameters_version, planned.manifest or session.manifest, planned.item_id, planned.step)
    item, track, *course, _ = platform.memory.keep(key, task, attrgetter("size"))
    return Work(session, planned, item, track, rules.track, *course)


def course_of(platform: Platform, session: Session, planned: PlannedFile) -> Course:
    """Return the course of the work on a file; its item is read only where the steps follow from it."""
    track, rules = reading.track_of(platform, session), reading.parameters(platform, session.parameters_version)
    if isinstance(track, StepsByItem):
        return work_on(platform, session, planned, rules).course
    steps = track.steps(rules.track)
    return Course(steps, planned.step or steps[0].name)


# Clause: TS T3
def dialogue_standing(platform: Platform, work: Work, delivery: Delivery) -> Standing | None:
    """Return how a file's dialogue stands, with all responses so far; None where there is none."""
    if not work.is_dialogue:
        return None
    course, turns = work.course, delivery.turns
    step = course.step_of(turns)
    done = tuple(
        Answered(turn, last_response(platform, work, delivery, turns[: place + 1])) for place, turn in enumerate(turns)
    )
    return Standing(step, course.takes(step), course.ends_at(delivery) if step else None, done)


# Clause: TS T3
def last_response(platform: Platform, work: Work, delivery: Delivery, turns: Sequence[TakenTurn]) -> Any:
    """Return the response to the last of these turns; None for no response, and without any turn."""
    if not turns:
        return None
    as_read = [told_turn(platform, work.session, delivery, turn) for turn in turns]
    return work.track.respond(work.item, as_read, work.rules)


def told_turn(platform: Platform, session: Session, delivery: Delivery, turn: TakenTurn) -> Turn:
    """Return a turn in the form that the track reads."""
    answer = reading.answer(platform, session.session_id, delivery.number, turn.content_sha256)
    return Turn(turn.step, turn.kind, answer, delivery_rules.noted_fields(turn, delivery.handed_out_at)["after_ms"])


# Clause: D 6.10
def refuse_annulled(platform: Platform, cycle: str, set_name: str) -> None:
    """Refuse a data set that is annulled, for new sessions and runs."""
    if holds_of_set(platform.annulments.all(cycle), set_name):
        raise SetAnnulledError


def annulment_of(
    platform: Platform, session: Session, annulments: Sequence[Annulment] | None = None
) -> Annulment | None:
    """Return why a session, or a team's result of it on its board, does not count; None where it does.

    ``annulments`` are those to go by; None: the present ones.
    """
    board = session.run_id or (QUALIFICATION if session.set_kind is SetKind.TEST else "")
    considered = platform.annulments.all(session.cycle) if annulments is None else annulments
    return reason_not_counted(
        considered, session_id=session.session_id, set_name=session.order.set_name, team_id=session.team_id, board=board
    )


# Clause: D 6.10
def counting_entries(
    platform: Platform,
    cycle: str,
    run: Run | None,
    entries: Iterable[Entry],
    annulments: Sequence[Annulment] | None = None,
) -> list[Entry]:
    """Return the entries of a board that are not annulled: of a final, or of the qualification without a run.

    ``annulments`` are those to go by; None: the present ones.
    """
    considered = platform.annulments.all(cycle) if annulments is None else annulments
    holding = [annulment for annulment in considered if annulment.holds]
    if not holding:
        return list(entries)
    board, set_name = (run.run_id, run.set_name) if run else (QUALIFICATION, "")
    asks_for_sets = run is None and any(annulment.of is Annulled.SET for annulment in holding)
    kept_entries = []
    for entry in entries:
        of_set = _set_of(platform, entry.session_id) if asks_for_sets else set_name
        if not reason_not_counted(
            holding, session_id=entry.session_id, set_name=of_set, team_id=entry.team_id, board=board
        ):
            kept_entries.append(entry)
    return kept_entries


def _set_of(platform: Platform, name: str) -> str:
    """Return the set of a session or of a submission: boards call both by one name."""
    session = platform.sessions.get(name)
    if session is not None:
        return session.order.set_name
    submission = platform.submissions.get(name)
    return submission.order.set_name if submission is not None else ""


# Clause: R 3.1, R 4.4, R 6.2, R 6.3, R 7.3, D 7.12
def refuse_outside_stage(cycle: Cycle, name: StageName, moment: Millis) -> None:
    """Refuse a request outside the days of its stage, unless the cycle accepts it."""
    stage = outside_stage(cycle.stages, name, cycle.calendar, moment)
    if stage is not None and stage.outside == Outside.REFUSE:
        raise OutsideStageError.of(stage, cycle.calendar)


# Clause: R 4.4, R 6.2, R 6.3, D 7.12
def refuse_outside_qualification(cycle: Cycle, kind: SetKind, moment: Millis) -> None:
    """Refuse to begin work on a test set outside the qualification's days; training belongs to no stage."""
    if kind is SetKind.TEST:
        refuse_outside_stage(cycle, StageName.QUALIFICATION, moment)


# Clause: R 6.3
def note_stage(platform: Platform, claimant: Session | Submission) -> Stage | None:
    """Store the stage whose rule keeps a session or submission off the board, before its result is shown; return it.

    The days are those of the cycle that is loaded now; sessions of another cycle are judged by no days of this one.
    The note stays: the report says the same whenever it is made, whatever days are loaded later.
    """
    cycle = reading.cycle_now(platform)
    moment = claimant.opened_at if isinstance(claimant, Session) else claimant.completed_at or 0
    stage = kept_off_by(cycle.stages, cycle.calendar, moment)
    if stage is not None and cycle.name == claimant.cycle and _has_stage(claimant):
        platform.blobs.put_if_absent(_stage_note_of(claimant), canonical(asdict(stage)))
    return noted_stage(platform, claimant)


# Clause: R 6.3
def noted_stage(platform: Platform, claimant: Session | Submission) -> Stage | None:
    """Return the stored stage whose rule keeps a session or submission off the board."""
    if not _has_stage(claimant):
        return None
    note = reading.stored_json(platform, _stage_note_of(claimant))
    return None if note is None else read_as(Stage, note)


def _has_stage(claimant: Session | Submission) -> bool:
    """Return whether it belongs to the qualification: runs and the private test have moments of their own."""
    of_a_run = claimant.run_id is not None if isinstance(claimant, Session) else bool(claimant.of)
    set_kind = claimant.set_kind if isinstance(claimant, Session) else claimant.order.set_kind
    return set_kind is SetKind.TEST and not of_a_run


def _stage_note_of(claimant: Session | Submission) -> str:
    name = claimant.session_id if isinstance(claimant, Session) else claimant.submission_id
    return stored_names.off_board_name(name, claimant.rescored)
