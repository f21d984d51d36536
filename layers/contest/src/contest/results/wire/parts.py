"""Parts that several bodies of results share, and answers that scores are being made."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from contest.submissions.rules import SubmissionState
from contest.wire import DAY_FORM, ReplyBody
from tracks.rules import Unit


class Words(ReplyBody):
    """A text in the platform's two languages."""

    en: str
    ru: str


class JudgedColumn(ReplyBody):
    """Places of columns, from 0: a value, what it has to reach, and the lower end of its confidence, which decides
    where there is one."""

    value: int
    barrier: int
    bound: int | None = None


class Section(ReplyBody):
    """One table of a report."""

    key: str
    title: Words
    columns: list[Words]
    rows: list[list[Any]] = Field(description="JSON scalars; null is undefined")
    places: list[int] = Field([], description="Decimals with which a column's fractions are told, halves up")
    shares: list[int] = Field([], description="Places of the columns of shares, from 0: what charts draw of each row")
    judged: list[JudgedColumn] = Field([], description="Columns of values that have something to reach")
    matrix: list[int] = Field(
        [], description="Places of the columns of true positives, false negatives, false positives, true negatives"
    )


class Statistics(ReplyBody):
    """Milliseconds; null without any value. Percentiles are nearest-rank."""

    count: int
    mean: float | None
    max: int | None
    p50: int | None
    p95: int | None


class OffBoardBody(ReplyBody):
    """The qualification's days whose rule keeps a session or submission off the board (`outside: off_board`)."""

    first: str = Field(pattern=DAY_FORM, examples=["2027-03-01"])
    last: str = Field(pattern=DAY_FORM, examples=["2027-05-31"])
    message: str
    message_ru: str


class LevelBody(ReplyBody):
    """A reference value beside the programs': people's."""

    title: Words
    value: float


class BoardRulesBody(ReplyBody):
    """One of the contest's boards, with its measure."""

    key: str
    title: Words
    measure: Words
    unit: Unit
    places: int = Field(
        description="Decimals with which its values are told, halves up: as many as decide places and the barrier"
    )
    least_share: float = Field(description="Share of the set's files that a session must have answered to stand on it")
    whole_set: bool = Field(description="Whether a session must have drawn all files of the set")
    barrier: float | None = Field(description="Where the barrier is; null: no single value says it")
    joins_runs: bool = Field(False, description="Whether it is of a final and the run that the final continues")
    levels: list[LevelBody]


class Audit(ReplyBody):
    """Abstention audit: the relative accuracy with missed files counted as zero, and by how much it is lower."""

    relative_accuracy: float
    difference: float
    flagged: bool


class ScoringBody(ReplyBody):
    """Scores are still being made; ask again after `Retry-After`.

    `rating`: all that can be scored is; experts have still to rate explanations, which takes days.
    """

    status: Literal["scoring", "rating"] = "scoring"
    scored: int
    files: int


class SubmissionPending(ReplyBody):
    """There is no report yet."""

    state: SubmissionState
