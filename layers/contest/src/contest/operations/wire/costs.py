"""Bodies of cost estimates."""

from __future__ import annotations

from pydantic import Field

from contest.operations.rules import Source
from contest.wire import ReplyBody, attribute


class FigureBody(ReplyBody):
    """A figure of the estimate."""

    value: int = Field(ge=0)
    source: Source = Field(
        description="`asked`: named in the request; `counted`: it has happened; `planned`: the cycle says so;"
        " `usual`: nobody knows"
    )


class CostLineBody(ReplyBody):
    """One billed kind of request."""

    kind: str = Field(description="As the price list calls it")
    count: float
    cost: float


class FinalCostBody(ReplyBody):
    """A final's estimate; empty for a final without teams."""

    run_id: str | None = Field(
        description="Null: no final is planned yet, this is what the set's files would be as one"
    )
    set: str = attribute("set_name")
    teams: FigureBody
    files: FigureBody
    listening: FigureBody = Field(description="Of the teams those on the event channel")
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
    per: float = Field(description="For so many units")
    date: str = Field(description="When it was looked up")
    source: str = Field(description="Where")


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
    played: list[PlayedBody] = Field(description="Counts are a sum of terms that was fitted to finals of these sizes")
