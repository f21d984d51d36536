"""Bodies of sessions, files, receipts and logs."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from contest.cycle.rules.cycle import LONGEST_ANSWER_S, MAX_FILES, Mode
from contest.results.rules.qualification import Annulled
from contest.run.rules.schedule import RunState
from contest.session.rules.delivery import Cause, FileState, Why
from contest.session.rules.session import Client, OpeningWish, State
from contest.wire import (
    Detail,
    FileId,
    Moment,
    ReplyBody,
    RequestBody,
    RunId,
    RunLimits,
    SessionId,
    Sha256,
    attribute,
    of_any_track,
    of_track,
)


class ClientBody(RequestBody):
    """The common modules the program uses (R 4.3, 11.4); recorded with the session."""

    name: str = Field(min_length=1, max_length=100, examples=["pku"])
    version: str = Field(min_length=1, max_length=100, examples=["0.1.0"])
    sha256: str | None = Field(None, pattern=r"^[0-9a-f]{64}$", description="SHA-256 of the program's modules")
    markup_core: str | None = Field(None, max_length=100, examples=["0.1.0"])


class OpenRequest(RequestBody):
    """Request for a session: over files of the program's choice (R 6.4), or in a run (R 6.6, 7.4).

    `set`, `files`, `language`, `time_limit_s` and `choices` belong to the mode `algorithmic`, `run` to the others.
    """

    mode: str = Field(
        Mode.ALGORITHMIC.value, pattern=r"^[a-z][a-z0-9-]{0,39}$", description="A mode of the contest: `GET /v1/cycle`"
    )
    set: str | None = Field(
        None, pattern=r"^[a-z0-9][a-z0-9-]{0,39}$", description="A set of the cycle", examples=["train"]
    )
    files: int | None = Field(
        None, ge=1, le=MAX_FILES, description="At most this many files, capped at the available ones (usually all)"
    )
    language: str | None = Field(
        None, pattern=r"^[a-z0-9][a-z0-9-]{0,39}$", description="A language of the set, or `all`", examples=["rus"]
    )
    time_limit_s: int | None = Field(
        None,
        ge=1,
        le=LONGEST_ANSWER_S,
        description="Seconds for an answer, within the cycle's limits; by default the cycle's usual ones",
    )
    choices: dict[str, int] | None = Field(
        None,
        max_length=5,
        description="Further choices in the contest's sessions: `variants` of an exam, whole ones",
    )
    run: str | None = Field(
        None, pattern=r"^[a-z0-9]{20}$", description="A run; without it, the next one that can be joined"
    )
    client: ClientBody | None = None

    def wish(self) -> OpeningWish:
        """Convert the request into the wish to open a session."""
        client = Client(**self.client.model_dump()) if self.client else None
        return OpeningWish(
            mode=self.mode,
            run_id=self.run,
            set_name=self.set,
            files=self.files,
            language=self.language,
            time_limit_s=self.time_limit_s,
            client=client,
            choices=self.choices,
        )


class AbortRequest(RequestBody):
    """Confirmation of an abort; needed where it ends the participation (a final, R 4.5)."""

    confirm: bool = False


class CountsBody(ReplyBody):
    """Files by state; `late` counts those of `voided` for which an answer came too late."""

    waiting: int
    open: int
    answered: int
    late: int
    voided: int


class ClientSeen(ReplyBody):
    """The client as recorded."""

    name: str
    version: str
    sha256: str | None
    markup_core: str | None


class AnnulledBody(ReplyBody):
    """Annulment by organizers of a session, its data set, or the team's result on its board: reason and moment."""

    of: Annulled
    reason: str
    at: Moment


class SessionBody(ReplyBody):
    """A session."""

    session_id: SessionId
    mode: str = attribute("order.mode")
    set: str = attribute("order.set_name")
    language: str = attribute("order.language")
    files: int = Field(description="Files of this session")
    requested_files: int = attribute("order.files")
    available_files: int = attribute("available", description="Files the set has in this language")
    choices: dict[str, int] = attribute(
        "order.choices", description="Further choices of the program, by the contest's names; usually empty"
    )
    time_limit_s: int = attribute("order.time_limit_s")
    state: State
    opened_at: Moment
    closed_at: Moment | None
    counts: CountsBody
    client: ClientSeen | None = attribute("order.client")
    client_known: bool | None = Field(description="Whether the modules are published ones; null: unknown")
    parameters_version: int
    run_id: RunId | None = Field(description="The session's run; null in the mode `algorithmic`, like the fields below")
    starts_at: Moment | None = Field(description="When the run's first file opens")
    interval_s: float | None
    limits: RunLimits | None
    run_state: RunState | None
    paused_until: Moment | None
    annulled: AnnulledBody | None = Field(None, description="null: it counts, or it is still open")
    server_time: Moment


class DeliveryBody(ReplyBody):
    """One file of a session."""

    number: int
    file_id: FileId | None = Field(description="null until the file is handed out")
    state: FileState
    opens_at: Moment | None = Field(description="When it opens, in a run")
    request_by: Moment | None = Field(description="Deadline for its request, in a run")
    handed_out_at: Moment | None
    answer_by: Moment | None
    answered_at: Moment | None = Field(description="When the answer that counts came")
    sends: int
    cause: Cause | None = Field(description="Why the file is void")
    evidence: dict[str, Any]


class StatusBody(SessionBody):
    """A session with all its files."""

    deliveries: list[DeliveryBody]
    voided_share: float | None = Field(
        description="In a run: share of files that the team missed, of those that count; null where none counts"
    )
    solution_voided: bool | None = Field(description="In a run: whether it missed more files than allowed (R 7.7)")


class SessionsBody(ReplyBody):
    """Sessions, newest first; those of one millisecond are on one page."""

    sessions: list[SessionBody]
    server_time: Moment


class NextBody(ReplyBody):
    """The earliest available file, in a run the next one to open. With `complete`, the session ends at `closes_at`.

    `waiting`: sleep until `opens_at` by the server's time, which is also what `Retry-After` says.
    """

    status: Literal["available", "waiting", "complete"]
    number: int | None
    opens_at: Moment | None = Field(description="Opening of a run's file")
    closes_at: Moment | None = Field(description="When a session without remaining files ends by itself")
    session_state: State
    run_state: RunState | None
    paused_until: Moment | None
    server_time: Moment


class TurnBody(ReplyBody):
    """An answer in the dialogue over a file, which is final, and its response."""

    step: str
    kind: str
    send: int
    received_at: Moment
    response: Any = of_any_track("response", description="The track's response; null for none")


class DialogueBody(ReplyBody):
    """State of the dialogue over a file. At its end `step` and `until` are null and no answer is accepted."""

    step: str | None
    takes: list[str] = Field(description="Kinds of answers that the step accepts; others are refused: `wrong_step`")
    until: Moment | None = Field(description="Deadline for answering the step")
    turns: list[TurnBody] = Field(description="All answers so far, with their responses")


class FileBody(ReplyBody):
    """A file as handed out; the same at every repetition, but for `server_time` and the state of a dialogue."""

    number: int
    file_id: FileId
    opens_at: Moment | None = Field(description="In a run")
    request_by: Moment | None = Field(description="In a run")
    handed_out_at: Moment
    answer_by: Moment
    server_time: Moment
    content: Any = of_track("content", description="The file's content; for essays a markup without selections")
    dialogue: DialogueBody | None = Field(None, description="For a file answered in several turns; else null")


class ReceiptContent(ReplyBody):
    """Signed content: canonical JSON (sorted keys, no blanks, UTF-8) of exactly these fields."""

    format: int = Field(examples=[2])
    team_id: str
    cycle: str
    track: str
    mode: str
    session_id: SessionId
    run_id: RunId | None = Field(None, description="Only in a session of a run")
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
        description="When its body was complete; later than its length allows, it counts as late",
    )
    decided_at: Moment = Field(description="When its status was decided; later than the request only after a failure")
    content_sha256: Sha256 = Field(description="SHA-256 of the answer's canonical form")
    kind: str | None = Field(None, description="Only in a dialogue: kind of the answer")
    step: str | None = Field(None, description="Only in a dialogue: the step after it; null at the end")
    response_sha256: Sha256 | None = Field(
        None, description="Only in a dialogue: SHA-256 of the canonical JSON of the response"
    )
    key_id: str = Field(pattern="^[0-9a-f]{16}$", description="Key of `GET /v1/keys` that verifies the signature")


class ReceiptBody(ReplyBody):
    """A submission receipt; a retry gets the same bytes."""

    receipt: ReceiptContent
    signature: str = Field(description="64 bytes, base64, over the canonical JSON of `receipt`")


class AnsweredBody(ReceiptBody):
    """The receipt of an answer, and beside it, unsigned, the present reply of `GET …/next`. A retry gets the same
    receipt and another `next`: `session_state` says whether the answer has finished the session. Null when the session
    ended in another way."""

    next: NextBody | None
    dialogue: DialogueBody | None = Field(
        None,
        description="For a file answered in several turns: its state, with the response to this answer",
    )
    warnings: list[Detail] = Field([], description="The contest's remarks on this valid answer, the first twenty")


class ReceiptsBody(ReplyBody):
    """Receipts by file and send."""

    receipts: list[ReceiptBody]
    next: str | None = Field(description="`after` of the next page; null at the end")


class LogBody(ReplyBody):
    """A stored log."""

    sha256: Sha256
