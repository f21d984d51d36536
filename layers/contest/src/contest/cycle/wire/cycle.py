"""Bodies of a cycle: parts of its file, parameters and their versions, announcements."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from contest.cycle.rules.cycle import LONGEST_PAGE, Mode, SetKind
from contest.cycle.rules.notices import ABSENT, AnnouncementKind, AnnouncementState
from contest.wire import (
    DecisionReason,
    Json,
    Moment,
    NotBlank,
    RealMoment,
    ReplyBody,
    RequestBody,
    Sha256,
    attribute,
    of_track,
)
from tracks.rules import USUAL_RUN, LateJoin

URL_FORM: Final = r"^https://[^\s<>\"]+$"
MOST_PLACED: Final = 200
"""Most rows of an earlier cycle's board."""


class FilePart(BaseModel):
    """Base of the file's parts: unknown fields and values of another type are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


def _real_day(text: str) -> str:
    if date.fromisoformat(text).isoformat() != text or not "1000" <= text < "9000":
        raise ValueError(text)
    return text


Day = Annotated[
    str, Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$", description="A day, 2027-03-01"), AfterValidator(_real_day)
]
Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$", description="1–40 of a–z, 0–9 and '-'")]


class Told(FilePart):
    """A text in both languages."""

    ru: Annotated[str, Field(max_length=500), NotBlank]
    en: Annotated[str, Field(max_length=500), NotBlank]


class PagePart(FilePart):
    """A page in Markdown; its texts are the files ``pages/NAME.ru.md`` and ``pages/NAME.en.md``."""

    title: Told


class PlacedPart(FilePart):
    """A row of an earlier cycle's final board; without a place it is a baseline."""

    place: int | None = Field(ge=1, le=MOST_PLACED)
    team: Annotated[str, Field(max_length=200), NotBlank]
    value: float | None
    overcame: bool = False


class LinkPart(FilePart):
    """A published data set or archive of an earlier cycle."""

    name: Annotated[str, Field(max_length=200), NotBlank]
    url: str = Field(pattern=URL_FORM, max_length=500)


class EarlierPart(FilePart):
    """An earlier cycle of the contest, as `contest cycle earlier` makes it from a final's archive."""

    cycle: Name
    title: Told
    work: Told = Field(description="Task of the programs")
    first: Day
    last: Day
    unit: Literal["%", ""] = Field(default="", description="Unit of the values")
    rows: list[PlacedPart] = Field(max_length=MOST_PLACED, description="The final's board")
    published: list[LinkPart] = Field(default=[], max_length=20, description="Data sets and archives to download")

    @property
    def overcame(self) -> bool:
        """State whether a program overcame the barrier; a baseline does not count."""
        return any(row.overcame for row in self.rows if row.place is not None)

    # Clause: R 4.8
    def made(self) -> dict[str, Any]:
        """Return the cycle as it is stored, with its number of teams, best value and end."""
        placed = [row for row in self.rows if row.place is not None]
        best = max((row.value for row in placed if row.value is not None), default=None)
        return {**self.model_dump(), "teams": len(placed), "best": best, "overcame": self.overcame}


class WarningBody(ReplyBody):
    """A warning; nothing is refused for it."""

    code: str
    message: str = attribute("message.en")
    message_ru: str = attribute("message.ru")
    where: dict[str, Any]


class PageVersionBody(ReplyBody):
    """A version of a page."""

    at: Moment = Field(description="In force since")
    sha256: Sha256


class PageBody(ReplyBody):
    """A version of a page in Markdown."""

    name: str = attribute("page.name")
    title: dict[str, str] = attribute("page.title")
    number: int
    version: PageVersionBody
    text: dict[str, str]


class HeldSetBody(ReplyBody):
    """A set of the cycle; sets of finals and reserve sets, too."""

    kind: SetKind
    files: dict[str, int]
    runs: list[Mode] = Field(description="The kinds of runs that draw from it; a trial may draw from any set")


class NoticePeriodBody(ReplyBody):
    """A notice period or a time limit of the cycle, in days."""

    occasion: Literal[
        "parameters", "sets", "modules", "schedule", "trial", "restart", "new_date", "markups", "own_reports", "results"
    ] = Field(description="Subject of the period")
    days: int
    working: bool = Field(description="Whether working days are counted")
    clause: str = Field(description="The clause, or the field of the cycle's file, that sets it")


class ReplayRulesBody(ReplyBody):
    """Rules of replaying programs' work to clinicians (D 9.10.7, 9.10.8)."""

    fewest_programs: int
    most_programs: int
    people: int = Field(description="Number of clinicians, all in every round")
    fewest_rounds: int
    most_rounds: int
    limit_s: int = Field(description="Default seconds for a review")


class HeldCycleBody(ReplyBody):
    """The loaded cycle as its organizers see it."""

    cycle: str
    name: dict[str, str]
    track: str
    time_zone: str
    loaded_at: Moment
    sets: dict[str, HeldSetBody]
    notices: list[NoticePeriodBody] = Field(description="Notice periods in force, of the contest and of the cycle")
    replay: ReplayRulesBody | None = Field(description="Null: this contest has no replays")
    parameters: dict[str, Any]


class Bounds(ReplyBody):
    """Shortest, longest and usual time for an answer, in seconds."""

    min: int
    max: int
    default: int


Range = Annotated[list[int], Field(min_length=2, max_length=2)]
"""Least and greatest value."""


class RunRulesBody(ReplyBody):
    """Rules of scheduled runs, in seconds (R 7.5); `files` and `interval_s` are [least, greatest]."""

    files: Range
    interval_s: Range
    request_s: int
    answer_s: int
    total_s: int
    join_s: int
    late_join: LateJoin = Field(
        LateJoin.REFUSED, description="Teams that may open a session later: all, those whom organizers admit, or none"
    )
    most_replaced: int = Field(
        USUAL_RUN.most_replaced, description="Items of a run that reserve ones may replace (D 8.12)"
    )


class TechnicalRulesBody(RunRulesBody):
    """Rules and schedule of technical runs (R 6.6)."""

    enabled: bool
    every_hours: int
    lead_s: int


class ExpertRulesBody(ReplyBody):
    """Limits of experts' work in seconds (R 7.10): for a check, by group where `limits_s` names it, and between
    drafts."""

    limit_s: int
    limits_s: dict[str, int]
    autosave_s: int
    third_shown: bool = Field(description="Experts see the third expert's decision once results are published")


class NominationBody(ReplyBody):
    """A separate board in finals; an empty list includes all."""

    name: dict[str, str] = Field(examples=[{"ru": "Русский язык", "en": "Russian"}])
    languages: list[str]
    groups: list[str]


class ParametersBody(ReplyBody):
    """Parameters of a version (R 2.17, 5.8)."""

    version: int
    announced_at: Moment
    sessions_per_day: int
    sessions_per_day_on: dict[str, int] | None = Field(
        None, description="By kind of set, where it differs and is counted separately; null: nowhere"
    )
    time_limit_s: Bounds
    idle_timeout_s: int
    sends_per_file: int
    requests_per_second: int
    readiness_min_files: int
    readiness_min_share: float
    bootstrap_seed: int
    modules_demanded: bool | None = Field(
        None,
        description="Whether sessions over test sets and in runs open only for a `client` whose modules are among the"
        " published ones; not in reports",
    )
    least_hidden_items: int | None = Field(
        None,
        description="Fewest answered items of a hidden set for which totals are shown; as many answers must differ"
        " from earlier ones of the team; not in reports",
    )
    technical: TechnicalRulesBody
    final: RunRulesBody
    experts: ExpertRulesBody | None = Field(None, description="Not in reports")
    nominations: dict[str, NominationBody] | None = Field(None, description="Not in reports; by name")
    track: Json = of_track("parameters", description="Parameters of the track")


Line = Annotated[str, Field(min_length=1, max_length=200), NotBlank]


class PageRequest(RequestBody):
    """A version of a page, in both languages."""

    text: dict[Literal["en", "ru"], Annotated[str, Field(max_length=LONGEST_PAGE)]]
    title: dict[Literal["en", "ru"], Line] | None = Field(None, min_length=2, description="Title of a new page")

    def words(self) -> tuple[dict[str, str] | None, dict[str, str]]:
        """Return title and text by language."""
        return None if self.title is None else dict(self.title.items()), dict(self.text.items())


Prose = Annotated[str, Field(min_length=1, max_length=10_000), NotBlank]


class TitleRequest(RequestBody):
    """A title in both languages."""

    ru: Line
    en: Line


class TextRequest(RequestBody):
    """A text in both languages."""

    ru: Prose
    en: Prose


class AnnouncementRequest(RequestBody):
    """An announcement; `about` names the run, version or sets, `effective_at` when it takes effect."""

    kind: Annotated[AnnouncementKind, Field(strict=False)] = AnnouncementKind.GENERAL
    title: TitleRequest
    text: TextRequest
    about: dict[Annotated[str, Field(max_length=40)], Annotated[str, Field(max_length=200)]] = Field(
        default={}, max_length=20
    )
    effective_at: RealMoment | None = None
    as_draft: bool = Field(default=False, description="Keep it as a draft instead of publishing it")


class PublishDraftRequest(RequestBody):
    """Words that replace a draft's own at its publication."""

    title: TitleRequest | None = None
    text: TextRequest | None = None


class WithdrawalRequest(RequestBody):
    """The published reason of a withdrawal."""

    reason: DecisionReason


class SaidBody(ReplyBody):
    """A text in both languages."""

    ru: str
    en: str


class AnnouncementBody(ReplyBody):
    """An announcement with its state."""

    announcement_id: str
    kind: AnnouncementKind
    state: AnnouncementState
    title: SaidBody
    text: SaidBody
    about: dict[str, Any] = Field(description="The run, the version or the sets that it is about")
    effective_at: Moment | None
    created_at: Moment
    published_at: Moment | None
    ended_at: Moment | None = Field(description="When it was corrected, withdrawn or discarded")
    reason: str = Field(description="Why it was withdrawn")
    corrects: str | None
    corrected_by: str | None


class AnnouncementsBody(ReplyBody):
    """Announcements, the latest first."""

    announcements: list[AnnouncementBody]
    next: str | None = Field(description="`after` of the next page; null at the end")


class DraftsOfAnnouncementsBody(ReplyBody):
    """Drafts, the oldest first."""

    announcements: list[AnnouncementBody]


_Side = Annotated[Any, BeforeValidator(lambda value: None if value is ABSENT else value)]


class ParametersRequest(RequestBody):
    """A change of parameters: all of them, as in `parameters` of the cycle's file."""

    parameters: dict[str, Any]
    effective_at: RealMoment
    reason: DecisionReason
    preview: bool = Field(default=False, description="Return the changes without storing them")


class FolderHead(RequestBody):
    """A folder's cycle file, and the lists of its test sets."""

    cycle: dict[str, Any] = Field(description="The value of the folder's cycle file")
    tests: dict[Name, Sha256] = Field(
        max_length=100, description="SHA-256 of the list of each test set, by the set's name"
    )


class FieldChangeBody(ReplyBody):
    """A changed field; null where it is absent."""

    field: str
    before: _Side
    after: _Side


class PlannedParametersBody(ReplyBody):
    """A change of parameters, stored or previewed."""

    version: int = attribute("parameters.version")
    effective_at: Moment
    stored: bool
    changes: list[FieldChangeBody] = attribute("changed")
    warnings: list[WarningBody]
    announcement: AnnouncementBody


class StaleResultsBody(ReplyBody):
    """Results that loading a folder would make stale; empty: none."""

    warnings: list[WarningBody]


class VersionBody(ReplyBody):
    """A version of the parameters with its state."""

    version: int
    state: str = Field(description="`former`, `in_force`, `pending` or `withdrawn`", examples=["pending"])
    announced_at: Moment
    effective_at: Moment | None = Field(description="null: since the cycle was first loaded")


class VersionsBody(ReplyBody):
    """All versions, the latest first."""

    versions: list[VersionBody]


class WholeVersionBody(VersionBody):
    """A version with its parameters."""

    parameters: ParametersBody


class DescriptionBody(ReplyBody):
    """The running cycle's file, completed by the values that it leaves out."""

    description: dict[str, Any]
    server_time: Moment


class SetItemsBody(ReplyBody):
    """Items of a set: id, language, group, SHA-256 of the content and of each reference."""

    set: str
    items: list[list[Any]]


class ChangesBody(ReplyBody):
    """Differences between two versions of the parameters."""

    version: int
    since: int
    changes: list[FieldChangeBody]
