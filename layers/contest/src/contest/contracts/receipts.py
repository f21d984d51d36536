"""Receipts and logs on the wire."""

from __future__ import annotations

from pydantic import Field

from contest.contracts.wire import Answer, FileId, Moment, RunId, SessionId, Sha256
from contest.domain.delivery import Why


class ReceiptContent(Answer):
    """What is signed: canonical JSON (sorted keys, no blanks, UTF-8) of exactly these fields."""

    format: int = Field(examples=[1])
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
    received_at: Moment = Field(description="When the request arrived at the gateway")
    content_sha256: Sha256 = Field(description="SHA-256 of the answer's canonical form")
    key_id: str = Field(pattern="^[0-9a-f]{16}$", description="Which of `GET /v1/keys` verifies the signature")


class ReceiptBody(Answer):
    """A submission receipt; a retry gets the same bytes."""

    receipt: ReceiptContent
    signature: str = Field(description="Ed25519, base64, over the canonical JSON of `receipt`")


class ReceiptsBody(Answer):
    """Receipts by file and send."""

    receipts: list[ReceiptBody]
    next: str | None = Field(description="`after` of the next page; null at the end")


class LogBody(Answer):
    """A log was stored."""

    sha256: Sha256
