"""Bodies of experts, assignments, drafts, and of programs' work replayed for people (D 9.10.8)."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError
from typing_extensions import TypeAliasType

from contest.experts.rules.assignment import AssignmentState
from contest.results.wire import Section, Words
from contest.values import LONGEST_REASON
from contest.wire import (
    SORTED,
    DecisionReason,
    FileNumber,
    Json,
    Moment,
    ReplyBody,
    RequestBody,
    RunId,
    SessionId,
    Sha256,
    TeamId,
    attribute,
)

AssignmentId = TypeAliasType(
    "AssignmentId", Annotated[str, Field(pattern=r"^[a-z0-9]{20}$", examples=["3h6x0w8t2r5e9q1m4k7s"])]
)
Named = Annotated[str, Field(min_length=1, max_length=100)]
Names = Annotated[list[Named], Field(max_length=1000)]


class HandBackRequest(RequestBody):
    """Reason to give an essay back."""

    reason: DecisionReason


class NoteRequest(RequestBody):
    """A note for coordinators; an empty text removes it."""

    text: str = Field(max_length=LONGEST_REASON)


class ProfileRequest(RequestBody):
    """An expert's subjects, languages and conflict groups; experts of one group never annotate one essay."""

    subjects: Names = Field(examples=[["hist", "social"]])
    languages: Names = Field(examples=[["rus"]])
    groups: Names = Field(default=[], description="Conflict groups: a team, a school", examples=[["school-1"]])
    active: bool = Field(default=True, description="Whether new essays are assigned")


class MarkingRequest(RequestBody):
    """The essays to assign: files of a finished final, of a training or test set, or answers to rate of a session.
    Exactly one of the three."""

    run: str | None = Field(None, pattern=r"^[a-z0-9]{20}$")
    set: str | None = Field(None, pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")
    session: str | None = Field(None, pattern=r"^[1-9][0-9]{14}$")
    seed: int | None = Field(None, ge=0, le=2**53 - 1, description="Another seed gives other pairs of experts")
    preview: bool = Field(default=False, description="Return the plan without carrying it out")


class ExtendRequest(RequestBody):
    """More time for an expert."""

    seconds: int = Field(ge=1, le=7 * 86_400)
    reason: DecisionReason


class ReassignRequest(RequestBody):
    """Reassign the essay to another expert."""

    to: str | None = Field(None, max_length=100, description="An expert; by default the least loaded permitted one")
    reason: DecisionReason


class ReleaseRequest(RequestBody):
    """Withdraw it; the essay stays unassigned."""

    reason: DecisionReason


class SuggestionsRequest(RequestBody):
    """The source: one of the first three; none switches suggestions off."""

    session: SessionId | None = Field(None, description="A closed session on the same set")
    markups: dict[str, Json] = Field({}, max_length=2000, description="By item")
    phrases: dict[Named, Named] = Field({}, max_length=2000, description="Codes by phrase")
    assignments: list[AssignmentId] | None = Field(None, max_length=2000, description="Null: all unopened ones")

    @model_validator(mode="after")
    def _is_one_source(self) -> SuggestionsRequest:
        if sum(map(bool, (self.session, self.markups, self.phrases))) > 1:
            raise PydanticCustomError("one_source", "name one of session, markups and phrases")
        return self


class SwitchedBody(ReplyBody):
    """Changed assignments, and the fragments suggested."""

    assignments: int
    fragments: int


class SuggestedBody(ReplyBody):
    """Suggestions that the expert was shown."""

    source: str
    fragments: int
    kept: int | None = Field(description="Number of them in the markup")


class FaultBody(ReplyBody):
    """A fault of a markup, or a warning for the expert."""

    code: str
    message: str = attribute("message.en")
    message_ru: str = attribute("message.ru")
    where: dict[str, Any] = Field(description="The fragment and the field, as far as there are any")


class DraftBody(ReplyBody):
    """A saved version; the next one is based on its `revision`."""

    revision: int
    saved_at: Moment
    content_sha256: Sha256
    valid: bool = attribute(
        "is_valid", description="Whether it can be handed in; only valid drafts can become the markup"
    )


class JudgedBody(ReplyBody):
    """The scoring library's judgement of a draft."""

    valid: bool = attribute("is_valid")
    faults: list[FaultBody] = attribute("reasons")
    warnings: list[FaultBody]
    grade: Json = Field(description="Every criterion with the sentence that explains it; null while there are faults")


class AssignmentBody(ReplyBody):
    """An assignment as its expert sees it."""

    assignment_id: AssignmentId
    language: str
    subject: str
    third: bool = attribute("is_third", description="Whether two earlier markups are shown")
    calibration: bool = attribute("is_calibration", description="Whether it is a training essay")
    ratings: bool = attribute("is_rating", description="Whether explanations are rated")
    state: AssignmentState
    words: int = Field(description="Words of the text; 0 where they were not counted")
    limit_s: float = Field(description="Time for the check from its opening, extensions included")
    assigned_at: Moment
    open_until: Moment | None = Field(description="Before the opening: when it becomes too late to open")
    opened_at: Moment | None
    closes_at: Moment | None
    ended_at: Moment | None
    time_left_s: float | None = Field(description="While the time runs")
    draft: DraftBody | None = attribute("latest", description="The latest draft")
    markup: DraftBody | None = Field(description="The draft that became the markup")
    reason: str
    note: str = Field(description="Own note for coordinators")
    server_time: Moment


class AssignmentsBody(ReplyBody):
    """All own assignments, the oldest first."""

    assignments: list[AssignmentBody]
    server_time: Moment


class EarlierBody(ReplyBody):
    """Two annotations without their authors: the earlier ones for a third expert (R 7.10), or the third one's and the
    own one afterwards."""

    reasons: list[dict[str, Any]]
    markups: list[Json]
    comparison: Json = Field(
        description="The first against the second: corresponding fragments and the cost of each difference"
    )


class WorkBody(ReplyBody):
    """An assignment with its text (after opening), its latest draft and the draft's judgement."""

    assignment: AssignmentBody
    content: Json = None
    draft: Json = Field(None, description="The latest draft as it was sent")
    judged: JudgedBody | None = None
    earlier: EarlierBody | None = None
    suggested: Json = Field(None, description="A markup with the suggestions")
    decided: EarlierBody | None = Field(None, description="Once results are published")


class SavedBody(ReplyBody):
    """A saved draft with its judgement."""

    assignment: AssignmentBody
    judged: JudgedBody | None


class DraftsBody(ReplyBody):
    """All saved versions, the first one first."""

    drafts: list[DraftBody]


class DraftContentBody(ReplyBody):
    """A saved version as it was sent."""

    draft: DraftBody
    content: Json


class ExpertBody(ReplyBody):
    """An expert's profile."""

    expert_id: str
    pseudonym: str
    subjects: Annotated[list[str], SORTED]
    languages: Annotated[list[str], SORTED]
    groups: Annotated[list[str], SORTED]
    active: bool


class ExpertsBody(ReplyBody):
    """All experts by id."""

    experts: list[ExpertBody]


class MarkingBody(ReplyBody):
    """An annotation project on a set or on the files of a run."""

    marking_id: str
    set: str = attribute("set_name")
    run: RunId | None = attribute("run_id")
    essays: int
    parameters_version: int
    created_at: Moment


class MarkingsBody(ReplyBody):
    """Projects, the latest first."""

    markings: list[MarkingBody]


class LoadBody(ReplyBody):
    """Number of an expert's essays, before and after."""

    expert_id: str
    before: int
    after: int


class UncoveredBody(ReplyBody):
    """An essay that cannot get its experts, with the reason."""

    item_id: str
    code: str
    message: str
    message_ru: str


class PlanBody(ReplyBody):
    """Planned or written assignments: the experts of each essay."""

    preview: bool
    marking: MarkingBody
    essays: int = Field(description="Essays that lack experts")
    given: dict[str, list[str]] = Field(description="Experts by essay")
    loads: list[LoadBody]
    uncovered: list[UncoveredBody]


class GivenBody(ReplyBody):
    """An assignment as the coordinator sees it."""

    assignment_id: AssignmentId
    expert_id: str
    third: bool = attribute("is_third")
    state: AssignmentState
    limit_s: float
    assigned_at: Moment
    opened_at: Moment | None
    closes_at: Moment | None
    ended_at: Moment | None
    revision: int
    saved_at: Moment | None
    markup: DraftBody | None
    reason: str
    note: str = Field(description="The expert's note, no part of the markup")
    suggested: SuggestedBody | None


class ThirdBody(ReplyBody):
    """Decision of the rule for a third expert, with its moment."""

    needed: bool = attribute("is_needed")
    decided_at: Moment = attribute("at")
    reasons: list[dict[str, Any]]


class EssayBody(ReplyBody):
    """One essay of a marking."""

    item_id: str = attribute("essay.item_id")
    language: str = attribute("essay.language")
    subject: str = attribute("essay.subject")
    done: bool = attribute("is_done")
    late: bool = attribute("is_late", description="An expert's time ran out, and no other one has the essay")
    lacking: int = Field(description="Experts it lacks")
    third: ThirdBody | None = attribute("essay.third")
    assignments: list[GivenBody]


class SubjectProgressBody(ReplyBody):
    """Essays of one language and type; those done, open and late make all of them."""

    language: str
    subject: str
    essays: int
    done: int
    open: int
    late: int
    lacking: int = Field(description="Experts that they lack")
    thirds: int = Field(description="Third experts called")


class ExpertProgressBody(ReplyBody):
    """One expert's assignments by state."""

    expert_id: str
    states: dict[AssignmentState, int]
    without_markup: int = Field(description="Expired without a valid draft")


class ForecastBody(ReplyBody):
    """Forecast of the last annotation's arrival at the present pace; null where it cannot be computed."""

    left: float = Field(ge=0, description="Markups still to come, expected third experts' included")
    thirds_expected: float
    handed_in: int
    ends_at: Moment | None
    earliest: Moment | None = Field(description="With `latest`, 95 %: by the pace so far, nights and holidays included")
    latest: Moment | None
    slowest: str | None = Field(description="The expert who decides the end")
    fair: bool = attribute("is_fair", description="Whether that pace is reliable: from ten essays on")


class CalibrationsBody(ReplyBody):
    """Agreement of an expert with the experts of training essays, in per cent, over the latest five."""

    expert_id: str
    done: int
    accuracy: float | None
    experts_accuracy: float | None = Field(description="Agreement of the others among themselves")


class ProgressBody(ReplyBody):
    """Progress of an annotation project."""

    marking: MarkingBody
    essays: list[EssayBody] = attribute("progress.essays")
    subjects: list[SubjectProgressBody] = attribute("progress.subjects")
    experts: list[ExpertProgressBody] = attribute("progress.experts")
    done: int = attribute("progress.done")
    lacking: int = attribute("progress.lacking")
    thirds: int = attribute("progress.thirds")
    forecast: ForecastBody
    calibrations: list[CalibrationsBody]
    server_time: Moment


Interval = Annotated[list[float], Field(min_length=2, max_length=2, description="95 %")]


class SpeedBody(ReplyBody):
    """Seconds from opening to handing in."""

    expert_id: str
    essays: int
    median_s: float
    mean_s: float
    mean_95: Interval | None


class AgreementBody(ReplyBody):
    """Agreement and speed of the experts of an annotation project."""

    marking: MarkingBody
    agreement: Json = Field(
        description="Over all essays, by pair, subject and code, and each expert's drift, with 95 % intervals"
    )
    by_suggestions: list[dict[str, Any]] = Field(description="`agreement` by `experts`: number of two with suggestions")
    speeds: list[SpeedBody]
    server_time: Moment


class ComparedBody(ReplyBody):
    """One expert's markup of a calibration essay beside one's own."""

    markup: Json
    comparison: Json = Field(description="Comparison of the own markup with it")
    accuracy: float | None = Field(description="Per cent")


class CalibrationBody(ReplyBody):
    """Agreement of an expert with the experts of a training essay."""

    assignment: AssignmentBody
    accuracy: float | None = Field(description="Mean over these experts, per cent")
    experts_accuracy: float | None = Field(description="Their agreement among themselves, the same mean")
    experts: list[ComparedBody]


PersonId = Annotated[str, Field(min_length=1, max_length=100)]


class ReplayRequest(RequestBody):
    """Selection for a replay: files of a run, one a round, people, and the seed of the lot (D 9.10.8.5)."""

    run_id: RunId
    files: Annotated[list[FileNumber], Field(min_length=1, max_length=100)]
    people: Annotated[list[PersonId], Field(min_length=1, max_length=100, description="Clinicians, by their ids")]
    seed: Annotated[int, Field(ge=0, le=2**53 - 1, description="Public")]
    teams: Annotated[list[TeamId], Field(max_length=100)] | None = Field(None, description="Null: all that took part")
    limit_s: Annotated[int, Field(ge=1, le=7200)] | None = Field(None, description="For a review; null: the contest's")
    reason: DecisionReason


class ReplayClosingRequest(RequestBody):
    """The protocol of the stage."""

    reason: DecisionReason


class NamedBody(ReplyBody):
    """A team or a person with the name in the lot."""

    id: str
    name: str = Field(examples=["С1"])


class LotBody(ReplyBody):
    """The lot: its seed, the programs with their names, and the names of the people."""

    run_id: RunId
    seed: int
    systems: list[NamedBody]
    people: list[str]
    rounds: int
    opened: list[Moment]


class ReviewBody(ReplyBody):
    """A person's answers in a round, so far."""

    round: int
    person: str
    system: str
    answers: dict[str, bool]
    comment: str
    saved_at: Moment | None


class ReplayedWorkBody(ReplyBody):
    """A program's work on a round's file, as displayed to clinicians."""

    system: NamedBody
    parts: list[dict[str, Any]] = Field(description="The first data, then the turns with their responses")


class QuestionBody(ReplyBody):
    """A question that is answered by yes or no."""

    key: str
    text: Words


class ReplayBody(ReplyBody):
    """A replay, for its organizers."""

    run_id: RunId
    seed: int
    files: list[int] = attribute("numbers")
    systems: list[NamedBody]
    people: list[NamedBody]
    limit_s: int
    begun_at: Moment = attribute("at")
    opened: list[Moment]
    until: Moment | None = Field(description="End of the round that was opened last")
    questions: list[QuestionBody]
    reviews: list[ReviewBody]
    works: list[ReplayedWorkBody] = Field(description="Every program's work in the requested round")
    results: Section | None = Field(description="Once it is closed")


class RoundBody(ReplyBody):
    """A clinician's round: the displayed parts of a program's work, and the own review."""

    round: int = attribute("replay.round")
    rounds: int
    system: str = Field(examples=["С1"])
    person: str = Field(examples=["КС1"])
    until: Moment
    parts: list[dict[str, Any]] = Field(description="The first data, then the turns with their responses")
    total: int
    questions: list[QuestionBody]
    answers: dict[str, bool] = attribute("review.answers")
    comment: str = attribute("review.comment")
    revision: int = attribute("review.version", description="Send it back with every save")
    server_time: Moment


class ReviewRequest(RequestBody):
    """Answers by the questions' keys, as many as there are, and a comment."""

    revision: Annotated[int, Field(ge=0)]
    round: Annotated[int, Field(ge=1)] | None = Field(None, description="Refused if it is over. Null: the present one")
    answers: Annotated[dict[str, bool], Field(max_length=100)]
    comment: Annotated[str, Field(max_length=4000)] = ""


class ExpertReportBody(ReplyBody):
    """One expert's work."""

    expert_id: str
    pseudonym: str | None
    states: dict[AssignmentState, int]
    without_markup: int
    speed: SpeedBody | None


class MarkingReportBody(ReplyBody):
    """Report of the coordinator of experts (R 7.10)."""

    marking: MarkingBody
    essays: int
    done: int
    lacking: int = Field(description="Experts that essays lack")
    thirds: int
    third_reasons: dict[str, int] = Field(description="Frequency of each reason for a third expert")
    experts: list[ExpertReportBody]
    agreement: Json = Field(description="The track's agreement, with drift, as on the route of agreement")
    server_time: Moment
