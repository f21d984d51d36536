"""Bodies of the platform itself: failed jobs, checks, costs."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError
from typing_extensions import TypeAliasType

from contest.operations.rules import Ailment, Event, LetterState, Source, Subject
from contest.run.rules.run import CheckGrade
from contest.stored_names import LetterQueue
from contest.wire import DecisionReason, Moment, ReplyBody, RequestBody, RunId, attribute

LetterId = TypeAliasType(
    "LetterId", Annotated[str, Field(pattern=r"^[a-z]{5,10}-[0-9a-f]{16}$", examples=["scoring-0f343b0931126a20"])]
)


class RedriveRequest(RequestBody):
    """The letters to redrive: those named, the open ones of a queue, or, with neither, all open ones."""

    letter_ids: list[LetterId] | None = Field(default=None, min_length=1, max_length=100)
    queue: Annotated[LetterQueue, Field(strict=False)] | None = None

    @model_validator(mode="after")
    def _one_choice(self) -> RedriveRequest:
        if self.letter_ids is not None and self.queue is not None:
            raise PydanticCustomError("letters_or_queue", "name letters or a queue, not both")
        return self


class DropRequest(RequestBody):
    """Reason to drop a letter."""

    reason: DecisionReason


class LetterEntry(ReplyBody):
    """A job that failed for good, without its body."""

    letter_id: LetterId
    queue: LetterQueue
    about: dict[str, str] = Field(description="Subject of the job: session, file, run, function")
    error: str = Field(description="Kind of failure, if the cloud names it; else see the worker's log")
    times: int = Field(ge=1, description="Number of times the same job ended here")
    tries: int = Field(description="Deliveries before the latest end, as the queue counts them")
    sent_at: Moment = Field(description="When the job was first put into its queue")
    first_at: Moment = Field(description="When it first ended here")
    last_at: Moment
    state: LetterState
    decided_at: Moment | None
    reason: str


class LetterBody(LetterEntry):
    """A letter with the job itself and the ids of its messages in the workers' logs."""

    body: str
    messages: list[str]


class LettersBody(ReplyBody):
    """Open letters by id; `after` asks for those that follow."""

    letters: list[LetterEntry]
    after: str | None


class RedrivenBody(ReplyBody):
    """Result of a redrive."""

    redriven: list[LetterId]
    passed_over: list[LetterId] = Field(
        description="A timer's run is not repeated: its next visit does the work. Look why it failed, then drop it"
    )
    left: int = Field(ge=0, description="Open letters that are left, of the queue if one was named")


class FindingBody(ReplyBody):
    """A piece of stuck work."""

    ailment: Ailment
    subject: str = Field(description="Session, run, assignment, queue, timer")
    since: Moment | None = Field(description="When it should have been done, where that is known")
    evidence: dict[str, Any]
    cause: str = attribute("words.cause.en")
    cause_ru: str = attribute("words.cause.ru")
    action: str = attribute("words.action", description="Action of mending, or action that people have to take")
    action_ru: str = attribute("words.action.ru")
    mendable: bool = attribute("words.mendable")


class FindingsBody(ReplyBody):
    """All stuck work at present."""

    findings: list[FindingBody]
    server_time: Moment


class DeskItemBody(ReplyBody):
    """Waiting work of one kind."""

    subject: Subject
    count: int = Field(ge=0)
    at: Moment | None = Field(description="Moment of the oldest; of `runs` the earliest start")


class DeadlineBody(ReplyBody):
    """The cycle's next deadline."""

    event: Event
    name: str = Field(description="The stage or the run")
    at: Moment


class DeskBody(ReplyBody):
    """Waiting work, of each kind that the caller's rights open."""

    waiting: list[DeskItemBody]
    deadline: DeadlineBody | None
    server_time: Moment


class MendRequest(RequestBody):
    """The findings to mend, by ailment; without ailments, all that can be mended."""

    ailments: list[Annotated[Ailment, Field(strict=False)]] | None = Field(default=None, min_length=1, max_length=20)


class MendedBody(ReplyBody):
    """Result of mending a finding."""

    ailment: Ailment = attribute("finding.ailment")
    subject: str = attribute("finding.subject")
    mended: bool
    error: str


class MendingsBody(ReplyBody):
    """The mended findings, at most twenty; empty when nothing is left to mend."""

    mended: list[MendedBody]


class CheckBody(ReplyBody):
    """Result of a check."""

    name: str
    grade: CheckGrade
    message: str = attribute("message.en")
    message_ru: str = attribute("message.ru")
    where: dict[str, Any]


class ChecksBody(ReplyBody):
    """All checks."""

    run_id: RunId | None = Field(description="The checked final; null where none is planned")
    failed: int
    warnings: int
    checks: list[CheckBody]
    server_time: Moment


class FigureBody(ReplyBody):
    """A figure of the estimate."""

    value: int = Field(ge=0)
    source: Source = Field(
        description="`asked`: named in the request; `counted`: from the past; `planned`: from the cycle;"
        " `usual`: an assumption"
    )


class CostLineBody(ReplyBody):
    """One billed kind of request."""

    kind: str = Field(description="Name in the price list")
    count: float
    cost: float


class FinalCostBody(ReplyBody):
    """A final's estimate; empty for a final without teams."""

    run_id: str | None = Field(description="Null: no final is planned yet; estimated for a final over the set's files")
    set: str = attribute("set_name")
    teams: FigureBody
    files: FigureBody
    listening: FigureBody = Field(description="Number of teams on the event channel")
    lines: list[CostLineBody]
    cost: float


class DaysCostBody(ReplyBody):
    """Costs of the days, independent of users."""

    days: FigureBody
    lines: list[CostLineBody]
    cost: float


class PriceBody(ReplyBody):
    """A price of the list."""

    kind: str
    what: str
    what_ru: str
    price: float
    per: float = Field(description="Number of units for the price")
    date: str = Field(description="Date of the look-up")
    source: str = Field(description="Place of the look-up")


class PlayedBody(ReplyBody):
    """The size of a final that was played to count its requests."""

    teams: int
    files: int


class CostBody(ReplyBody):
    """Estimated cost of the cycle's finals and days. The platform keeps no bill of its own."""

    currency: str
    region: str
    cost: float = Field(description="Sum of the finals and the days")
    finals: list[FinalCostBody]
    days: DaysCostBody
    prices: list[PriceBody] = Field(description="List prices of the first tier, without free tiers and taxes")
    played: list[PlayedBody] = Field(description="Sizes of the finals to which the formula of counts was fitted")
