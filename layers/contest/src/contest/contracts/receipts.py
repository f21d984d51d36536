"""Receipts and logs on the wire."""

from __future__ import annotations

from pydantic import Field

from contest.contracts.exchange import DialogueBody, NextBody
from contest.contracts.problems import Detail
from contest.contracts.wire import FileId, Moment, ReplyBody, RunId, SessionId, Sha256
from contest.domain.session.delivery import Why


class ReceiptContent(ReplyBody):
    """What is signed: canonical JSON (sorted keys, no blanks, UTF-8) of exactly these fields."""

    format: int = Field(examples=[2])
    team_id: str
    cycle: str
    track: str
    mode: str
    session_id: SessionId
    run_id: RunId | None = Field(None, description="In a session of a run alone")
    file_id: FileId
    number: int
    send: int = Field(description="Number of this send; of an ignored answer the number it would have had")
    status: str = Field(pattern="^(accepted|late|ignored)$", examples=["accepted"])
    reason: Why | None
    received_at: Moment = Field(
        description="When the request arrived at the gateway; of an answer that was lost and sent again, the first time"
    )
    headers_at: Moment | None = Field(
        None, description="When its headers reached the gateway; absent after a first attempt that was lost"
    )
    body_at: Moment | None = Field(
        None,
        description="When the platform had its body as a whole; beyond the time its length allows it counts as late",
    )
    decided_at: Moment = Field(description="When its status was decided; later than the request only after a failure")
    content_sha256: Sha256 = Field(description="SHA-256 of the answer's canonical form")
    kind: str | None = Field(None, description="In a dialogue alone: which kind of answer it is")
    step: str | None = Field(None, description="In a dialogue alone: the step after it; null at the end")
    response_sha256: Sha256 | None = Field(
        None, description="In a dialogue alone: SHA-256 of the canonical JSON of what the answer brought back"
    )
    key_id: str = Field(pattern="^[0-9a-f]{16}$", description="Which of `GET /v1/keys` verifies the signature")


class ReceiptBody(ReplyBody):
    """A submission receipt; a retry gets the same bytes."""

    receipt: ReceiptContent
    signature: str = Field(description="Ed25519, base64, over the canonical JSON of `receipt`")


class AnsweredBody(ReceiptBody):
    """The answer to a send: the receipt, and beside it, unsigned, what `GET …/next` says now. A retry gets the same
    receipt and another `next`: `session_state` says whether the answer has finished the session. Null when the session
    ended in another way."""

    next: NextBody | None
    dialogue: DialogueBody | None = Field(
        None,
        description="Of a file that is answered in several turns: how that stands, with what this answer brought back",
    )
    warnings: list[Detail] = Field([], description="What the contest remarked on this valid answer, the first twenty")


class ReceiptsBody(ReplyBody):
    """Receipts by file and send."""

    receipts: list[ReceiptBody]
    next: str | None = Field(description="`after` of the next page; null at the end")


class LogBody(ReplyBody):
    """A log was stored."""

    sha256: Sha256
