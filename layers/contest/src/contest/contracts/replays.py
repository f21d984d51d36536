"""Programs' work replayed for people, on the wire (D 9.10.8)."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from contest.contracts.conduct import FileNumber, TeamId
from contest.contracts.results import Section, Words
from contest.contracts.wire import DecisionReason, Moment, ReplyBody, RequestBody, RunId

PersonId = Annotated[str, Field(min_length=1, max_length=100)]


class ReplayRequest(RequestBody):
    """What of a run is replayed: its files, one a round, to whom; the lot is drawn from the seed, once (D 9.10.8.5)."""

    run_id: RunId
    files: Annotated[list[FileNumber], Field(min_length=1, max_length=100)]
    people: Annotated[list[PersonId], Field(min_length=1, max_length=100, description="Clinicians, by their ids")]
    seed: Annotated[int, Field(ge=0, le=2**53 - 1, description="Known to everybody: whoever has it can draw again")]
    teams: Annotated[list[TeamId], Field(max_length=100)] | None = Field(None, description="Null: all that took part")
    limit_s: Annotated[int, Field(ge=1, le=7200)] | None = Field(None, description="For a review; null: the contest's")
    reason: DecisionReason


class ReplayClosingRequest(RequestBody):
    """The protocol of the stage."""

    reason: DecisionReason


class NamedBody(ReplyBody):
    """Somebody and the name that the lot gave."""

    id: str
    name: str = Field(examples=["С1"])


class LotBody(ReplyBody):
    """The lot: the seed it was drawn from, whose program has which name, and how many people there are by theirs."""

    run_id: RunId
    seed: int
    systems: list[NamedBody]
    people: list[str]
    rounds: int
    opened: list[Moment]


class ReviewBody(ReplyBody):
    """What somebody has said in a round, so far."""

    round: int
    person: str
    system: str
    answers: dict[str, bool]
    comment: str
    saved_at: Moment | None


class ReplayedWorkBody(ReplyBody):
    """A program's work on a round's file, as clinicians were shown it."""

    system: NamedBody
    parts: list[dict[str, Any]] = Field(description="The first data, then the turns with what they brought back")


class QuestionBody(ReplyBody):
    """A question that is answered by yes or no."""

    key: str
    text: Words


class ReplayBody(ReplyBody):
    """A replay as those see it who lead it."""

    run_id: RunId
    seed: int
    files: list[int]
    systems: list[NamedBody]
    people: list[NamedBody]
    limit_s: int
    begun_at: Moment
    opened: list[Moment]
    until: Moment | None = Field(description="Of the round that was opened last")
    questions: list[QuestionBody]
    reviews: list[ReviewBody]
    works: list[ReplayedWorkBody] = Field(
        description="Of every program in the round that was asked for; empty without one"
    )
    results: Section | None = Field(description="When it is closed; beside the board from then on")


class RoundBody(ReplyBody):
    """A clinician's round: the parts of a program's work shown so far, and the own review."""

    round: int
    rounds: int
    system: str = Field(examples=["С1"])
    person: str = Field(examples=["КС1"])
    until: Moment
    parts: list[dict[str, Any]] = Field(description="The first data, then the turns with what they brought back")
    total: int
    questions: list[QuestionBody]
    answers: dict[str, bool]
    comment: str
    revision: int = Field(description="To be given back when something is saved")
    server_time: Moment


class ReviewRequest(RequestBody):
    """Answers by the questions' keys, as many as there are, and a comment."""

    revision: Annotated[int, Field(ge=0)]
    round: Annotated[int, Field(ge=1)] | None = Field(
        None, description="Which round it is about: refused where it is over. Null: the present one"
    )
    answers: Annotated[dict[str, bool], Field(max_length=100)]
    comment: Annotated[str, Field(max_length=4000)] = ""
