"""Parts that several bodies of runs share: signatures, limits, commitments, openings."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from contest.cycle.rules.cycle import Mode
from contest.wire import Moment, ReplyBody, RunId, Sha256

KeyId = TypeAliasType(
    "KeyId", Annotated[str, Field(pattern=r"^[0-9a-f]{16}$", description="The key that signs; `GET /v1/keys` has it")]
)


Previous = Annotated[Sha256, Field(description="SHA-256 of the canonical JSON of the statement before: a chain")]


Format = TypeAliasType(
    "Format", Annotated[int, Field(description="Version of the form; a verifier refuses one that it does not know")]
)


Signature = TypeAliasType(
    "Signature", Annotated[str, Field(description="64 bytes, base64, over the canonical JSON of what is signed")]
)


class StatementLimits(ReplyBody):
    """A run's limits in milliseconds."""

    request_ms: int
    answer_ms: int
    total_ms: int
    join_ms: int


class CommitmentStatement(ReplyBody):
    """Promise a run's times, and its files by their Merkle root, before it."""

    format: Format
    kind: Literal["commitment"]
    run_id: RunId
    cycle: str
    track: str
    mode: Mode
    trial: bool
    restarts: RunId | None
    files: int
    starts_at: Moment
    interval_ms: int
    limits: StatementLimits
    root: Sha256
    made_at: Moment
    key_id: KeyId


class CommitmentBody(ReplyBody):
    """Show the promise before a run; `signature` is 64 bytes, base64, over the canonical JSON of `statement`."""

    statement: CommitmentStatement
    signature: Signature


class PauseBody(ReplyBody):
    """Nothing opens from `from` until just before `until`."""

    start: Moment = Field(alias="from")
    until: Moment


class OpeningBody(ReplyBody):
    """The next file to open."""

    number: int
    opens_at: Moment
