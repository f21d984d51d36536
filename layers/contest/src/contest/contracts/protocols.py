"""Protocols of judges and technical commission about a run, on the wire (R 8.3, D 11)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from contest.contracts.wire import DecisionReason, Moment, ReplyBody, RequestBody, RunId
from contest.domain.run.protocols import Matter, ProtocolStanding, Signatory

Demanded = Annotated[
    list[Annotated[Signatory, Field(strict=False)]] | None,
    Field(
        description="Whose protocols on a final's results are there before these are published: `judges`, "
        "`commission`; without it as the contest's rules have it"
    ),
]
"""Of a cycle's file."""


class ProtocolRequest(RequestBody):
    """What judges or commission state about a run (R 8.3.3, R 8.3.4, R 7.16.1, D 11)."""

    matter: Matter = Field(Matter.RESULTS, strict=False)
    positive: bool = Field(True, description="The results are right; or there was a mass failure")
    reason: DecisionReason


class ProtocolBody(ReplyBody):
    """One protocol. `current`: it is about the run as it is now."""

    number: int
    matter: Matter
    by: Signatory
    positive: bool
    reason: str
    who: str
    at: Moment
    current: bool


class NamedProtocolBody(ProtocolBody):
    """The same with the name of whoever signed."""

    name: str | None = Field(description="Of the person; null for a command")


class WantedProtocolBody(ReplyBody):
    """A side whose protocol on the results the contest asks for."""

    by: Signatory
    clause: str = Field(description="Of the contest's rules; empty: the cycle asks for it")
    demanded: bool = Field(description="Nothing is published without it")
    standing: ProtocolStanding


class ProtocolsBody(ReplyBody):
    """What judges and commission have stated about a run, the latest first, and what it waits for."""

    run_id: RunId
    confirmed: bool | None = Field(
        description="Whether every demanded protocol finds the results as they are now right; null: none is demanded"
    )
    wanted: list[WantedProtocolBody]
    protocols: list[NamedProtocolBody]
