"""Bodies of a cycle's parameters, and of a cycle as it is stored."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from contest.cycle.rules.cycle import Mode, SetKind
from contest.wire import Json, Moment, ReplyBody, of_track
from tracks.rules import USUAL_RUN, LateJoin


class HeldSetBody(ReplyBody):
    """A set of the cycle, finals' and reserves' too."""

    kind: SetKind
    files: dict[str, int]
    runs: list[Mode] = Field(description="The kinds of runs that draw from it; a trial may draw from any set")


class NoticePeriodBody(ReplyBody):
    """Tell how long ahead, or how soon, something is told or done in the cycle."""

    occasion: Literal[
        "parameters", "sets", "modules", "schedule", "trial", "restart", "new_date", "markups", "own_reports", "results"
    ] = Field(description="What it is about")
    days: int
    working: bool = Field(description="Whether working days are counted")
    clause: str = Field(description="Which clause asks for it, or which field of the cycle's file")


class ReplayRulesBody(ReplyBody):
    """Tell how programs' work is replayed for people in this contest (D 9.10.7, 9.10.8)."""

    fewest_programs: int
    most_programs: int
    people: int = Field(description="So many clinicians, all in every round")
    fewest_rounds: int
    most_rounds: int
    limit_s: int = Field(description="For a review, where nothing else is said")


class HeldCycleBody(ReplyBody):
    """The loaded cycle as its organizers see it."""

    cycle: str
    name: dict[str, str]
    track: str
    time_zone: str
    loaded_at: Moment
    sets: dict[str, HeldSetBody]
    notices: list[NoticePeriodBody] = Field(
        description="The notice periods that hold, the contest's and the cycle's own"
    )
    replay: ReplayRulesBody | None = Field(description="Null: this contest replays nobody's work")
    parameters: dict[str, Any]


class Bounds(ReplyBody):
    """Shortest, longest and usual time for an answer, in seconds."""

    min: int
    max: int
    default: int


Range = Annotated[list[int], Field(min_length=2, max_length=2)]
"""The least and the greatest."""


class RunRulesBody(ReplyBody):
    """Time scheduled runs, in seconds (R 7.5); `files` and `interval_s` are least and greatest."""

    files: Range
    interval_s: Range
    request_s: int
    answer_s: int
    total_s: int
    join_s: int
    late_join: LateJoin = Field(
        LateJoin.REFUSED, description="Who may open a session later: everybody, whom the organizers admit, or nobody"
    )
    most_replaced: int = Field(
        USUAL_RUN.most_replaced, description="Items of a run that reserve ones may replace (D 8.12)"
    )


class TechnicalRulesBody(RunRulesBody):
    """The same of technical runs, and when they begin (R 6.6)."""

    enabled: bool
    every_hours: int
    lead_s: int


class ExpertRulesBody(ReplyBody):
    """Time experts' work (R 7.10), in seconds: the time for a check, by group where `limits_s` names it, and between
    drafts."""

    limit_s: int
    limits_s: dict[str, int]
    autosave_s: int
    third_shown: bool = Field(description="Experts see the third one's decision once results are published")


class NominationBody(ReplyBody):
    """A board of its own in finals; an empty list takes all."""

    name: dict[str, str] = Field(examples=[{"ru": "Русский язык", "en": "Russian"}])
    languages: list[str]
    groups: list[str]


class ParametersBody(ReplyBody):
    """Parameters of a version (R 2.17, 5.8)."""

    version: int
    announced_at: Moment
    sessions_per_day: int
    sessions_per_day_on: dict[str, int] | None = Field(
        None, description="By kind of set, where it differs and is counted by itself; null: nowhere"
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
        description="Of fewer answered items of a hidden set no totals are told, nor of answers that differ from"
        " earlier ones of the team in fewer; not in reports",
    )
    technical: TechnicalRulesBody
    final: RunRulesBody
    experts: ExpertRulesBody | None = Field(None, description="Not in reports: how experts work is none of a session's")
    nominations: dict[str, NominationBody] | None = Field(None, description="Not in reports; by name")
    track: Json = of_track("parameters", description="The track's own")
