"""The dialogue over a file as it stands: its step, what each turn brought back (tracks-sessions T2, T3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from contest.domain.moments import Millis
from contest.domain.session import dialogue
from contest.domain.session.delivery import Delivery, TakenTurn
from contest.domain.session.dialogue import Course
from contest.domain.session.session import PlannedFile, Session
from contest.services import reading
from contest.services.platform import Platform
from tracks.protocol import Turn, Verdict


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


def course_of(platform: Platform, session: Session, planned: PlannedFile) -> Course:
    """What the work on a file goes through."""
    steps = reading.steps(platform, session, planned)
    return Course(steps, planned.step or steps[0].name)


def standing(platform: Platform, session: Session, planned: PlannedFile, delivery: Delivery) -> Standing | None:
    """How a file's dialogue stands, with all responses so far; None where there is none.

    Clause: TS T3
    """
    course = course_of(platform, session, planned)
    if not course.is_dialogue:
        return None
    step = course.step_of(delivery.turns)
    done = tuple(
        Answered(turn, response(platform, session, planned, delivery, delivery.turns[: place + 1]))
        for place, turn in enumerate(delivery.turns)
    )
    return Standing(step, course.takes(step), course.ends_at(delivery) if step else None, done)


def response(
    platform: Platform, session: Session, planned: PlannedFile, delivery: Delivery, turns: Sequence[TakenTurn]
) -> Any:
    """What the last of these turns brings back; None for nothing, and without any turn.

    Clause: TS T3
    """
    if not turns:
        return None
    item = reading.content(platform, session, reading.item_of(platform, session, planned))
    rules = reading.parameters(platform, session.parameters_version)
    told = [told_turn(platform, session, delivery, each) for each in turns]
    return reading.track_of(platform, session).respond(item, told, rules.track)


def told_turn(platform: Platform, session: Session, delivery: Delivery, turn: TakenTurn) -> Turn:
    """A turn as the track reads it."""
    answer = reading.answer(platform, session.session_id, delivery.number, turn.content_sha256)
    return Turn(turn.step, turn.kind, answer, dialogue.noted(turn, delivery.handed_out_at)["after_ms"])


def judge(
    platform: Platform, session: Session, planned: PlannedFile, delivery: Delivery, course: Course, body: bytes
) -> Verdict:
    """The track's verdict on an answer at the step where the work on a file stands.

    What another step of the same dialogue takes is an answer too: it may be sent again, or come at a wrong time, and
    which of these it is can be told of an answer alone. The reasons against what is none are those of the present step.

    Clause: TS T2, TS T3
    """
    track, rules = reading.track_of(platform, session), reading.parameters(platform, session.parameters_version)
    item = reading.content(platform, session, reading.item_of(platform, session, planned))
    now = course.step_of(delivery.turns) or course.names[-1]
    found = track.validate(item, planned.file_id, now, body, rules.track)
    if found.valid:
        return found
    others = (track.validate(item, planned.file_id, each, body, rules.track) for each in course.names if each != now)
    return next((each for each in others if each.valid), found)
