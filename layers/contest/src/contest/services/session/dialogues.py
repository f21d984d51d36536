"""The dialogue over a file as it stands: its step, what each turn brought back (tracks-sessions T2, T3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from contest.domain.cycle.cycle import Parameters
from contest.domain.moments import Millis
from contest.domain.session import dialogue
from contest.domain.session.delivery import Delivery, TakenTurn
from contest.domain.session.dialogue import Course
from contest.domain.session.session import PlannedFile, Session
from contest.services import reading
from contest.services.platform import Platform
from tracks.capabilities import StepsByItem, steps_of
from tracks.protocol import Track, Turn, Verdict


@dataclass(frozen=True, slots=True)
class Answered:
    """A turn with what it brought back, None for nothing."""

    turn: TakenTurn
    response: Any


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a dialogue is: its step, which kinds of answers that takes, until when. At the end there is no step."""

    step: str | None
    takes: tuple[str, ...]
    until: Millis | None
    answered: tuple[Answered, ...]


@dataclass(frozen=True, slots=True)
class Work:
    """The work on one file of a session: its item, the contest and its parameters, the steps it goes through."""

    session: Session
    planned: PlannedFile
    item: Any
    """The item's content; not to be changed."""
    track: Track
    rules: Any
    """The track's own parameters."""
    course: Course
    is_dialogue: bool
    """Whether there is more to the file than one answer."""

    def shown(self) -> Any:
        """Return what the participant sees of the item: the track decides, nothing else leaks.

        Clause: platform §3 hand-out, R 2.7, R 2.8
        """
        return self.track.hand_out(self.item, self.planned.file_id, self.course.publication)

    def judge(self, turns: Sequence[TakenTurn], body: bytes) -> Verdict:
        """Return the track's verdict on an answer that follows these turns.

        What another step of the same dialogue takes is an answer too: it may be sent again, or come at a wrong time,
        and which of these it is can be told of an answer alone. The reasons against what is none are those of the
        present step.

        Clause: TS T2, TS T3
        """
        course, validate = self.course, self.track.validate
        now = course.step_of(turns) or course.names[-1]
        verdict = validate(self.item, self.planned.file_id, now, body, self.rules)
        if not verdict.reasons:
            return verdict
        others = (
            validate(self.item, self.planned.file_id, each, body, self.rules) for each in course.names if each != now
        )
        return next((each for each in others if each.valid), verdict)


def work_on(platform: Platform, session: Session, planned: PlannedFile, rules: Parameters | None = None) -> Work:
    """Read what the work on a file needs; ``rules``: the session's parameters where the caller has read them."""
    rules = rules or reading.parameters(platform, session.parameters_version)
    track, item = platform.tracks(session.track), reading.content_of(platform, session, planned)
    steps = steps_of(track, item, rules.track)
    course = Course(steps, planned.step or steps[0].name)
    return Work(session, planned, item, track, rules.track, course, course.is_dialogue)


def course_of(platform: Platform, session: Session, planned: PlannedFile) -> Course:
    """Return what the work on a file goes through; its item is read only where the steps follow from it."""
    track, rules = reading.track_of(platform, session), reading.parameters(platform, session.parameters_version)
    item = reading.content_of(platform, session, planned) if isinstance(track, StepsByItem) else None
    steps = steps_of(track, item, rules.track)
    return Course(steps, planned.step or steps[0].name)


def standing(platform: Platform, work: Work, delivery: Delivery) -> Standing | None:
    """Return how a file's dialogue stands, with all responses so far; None where there is none.

    Clause: TS T3
    """
    if not work.is_dialogue:
        return None
    course, turns = work.course, delivery.turns
    step = course.step_of(turns)
    done = tuple(
        Answered(turn, response(platform, work, delivery, turns[: place + 1])) for place, turn in enumerate(turns)
    )
    return Standing(step, course.takes(step), course.ends_at(delivery) if step else None, done)


def response(platform: Platform, work: Work, delivery: Delivery, turns: Sequence[TakenTurn]) -> Any:
    """Return what the last of these turns brings back; None for nothing, and without any turn.

    Clause: TS T3
    """
    if not turns:
        return None
    as_read = [told_turn(platform, work.session, delivery, each) for each in turns]
    return work.track.respond(work.item, as_read, work.rules)


def told_turn(platform: Platform, session: Session, delivery: Delivery, turn: TakenTurn) -> Turn:
    """A turn as the track reads it."""
    answer = reading.answer(platform, session.session_id, delivery.number, turn.content_sha256)
    return Turn(turn.step, turn.kind, answer, dialogue.noted(turn, delivery.handed_out_at)["after_ms"])
