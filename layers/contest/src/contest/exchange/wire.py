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
    """What a program asks for when it opens a session: files of its choice (R 6.4), or a place in a run (R 6.6, 7.4).

    `set`, `files`, `language`, `time_limit_s` and `choices` belong to the mode `algorithmic`, `run` to the others.
    """

    mode: str = Field(
        Mode.ALGORITHMIC.value, pattern=r"^[a-z][a-z0-9-]{0,39}$", description="One of the contest's: `GET /v1/cycle`"
    )
    set: str | None = Field(
        None, pattern=r"^[a-z0-9][a-z0-9-]{0,39}$", description="A set of the cycle", examples=["train"]
    )
    files: int | None = Field(
        None, ge=1, le=MAX_FILES, description="At most this many files; capped at what there is (usually all)"
    )
    language: str | None = Field(
        None, pattern=r"^[a-z0-9][a-z0-9-]{0,39}$", description="A language of the set, or `all`", examples=["rus"]
    )
    time_limit_s: int | None = Field(
        None,
        ge=1,
        le=LONGEST_ANSWER_S,
        description="Seconds for an answer, within the cycle's limits; the cycle's usual ones without it",
    )
    choices: dict[str, int] | None = Field(
        None,
        max_length=5,
        description="What else the contest's sessions let a program choose: `variants` of an exam, whole ones",
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
    """Why and since when the organizers have annulled a session, its data set, or the team's result on its board."""

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
        "order.choices", description="What else the program chose, by the contest's names; usually nothing"
    )
    time_limit_s: int = attribute("order.time_limit_s")
    state: State
    opened_at: Moment
    closed_at: Moment | None
    counts: CountsBody
    client: ClientSeen | None = attribute("order.client")
    client_known: bool | None = Field(description="Whether the modules are published ones; null: cannot be said")
    parameters_version: int
    run_id: RunId | None = Field(
        description="The run it takes part in; null in the mode `algorithmic`, like what follows"
    )
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
    request_by: Moment | None = Field(description="Until when it can be asked for, in a run")
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
    solution_voided: bool | None = Field(description="In a run: whether more was missed than is allowed (R 7.7)")


class SessionsBody(ReplyBody):
    """Sessions, newest first."""

    sessions: list[SessionBody]
    server_time: Moment


class NextBody(ReplyBody):
    """The earliest file to be had, in a run the next one to open. With `complete`, the session ends at `closes_at`.

    `waiting`: sleep until `opens_at` by the server's time, which is also what `Retry-After` says.
    """

    status: Literal["available", "waiting", "complete"]
    number: int | None
    opens_at: Moment | None = Field(description="Of a file of a run")
    closes_at: Moment | None = Field(description="When a session with nothing left will have ended by itself")
    session_state: State
    run_state: RunState | None
    paused_until: Moment | None
    server_time: Moment


class TurnBody(ReplyBody):
    """An answer in the dialogue over a file: final, and what it brought back."""

    step: str
    kind: str
    send: int
    received_at: Moment
    response: Any = of_any_track("response", description="The track's; null for nothing")


class DialogueBody(ReplyBody):
    """How the dialogue over a file stands. At its end `step` and `until` are null and nothing is taken any more."""

    step: str | None
    takes: list[str] = Field(description="Kinds of answers that the step takes; any other one is refused: `wrong_step`")
    until: Moment | None = Field(description="Until when the step may be answered")
    turns: list[TurnBody] = Field(description="All answers so far, with all that they brought back")


class FileBody(ReplyBody):
    """A file as handed out; the same at every repetition, but for `server_time` and how a dialogue over it stands."""

    number: int
    file_id: FileId
    opens_at: Moment | None = Field(description="In a run")
    request_by: Moment | None = Field(description="In a run")
    handed_out_at: Moment
    answer_by: Moment
    server_time: Moment
    content: Any = of_track("content", description="What the track hands out; for essays a markup without selections")
    dialogue: DialogueBody | None = Field(None, description="Of a file that is answered in several turns; else null")


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
    signature: str = Field(description="64 bytes, base64, over the canonical JSON of `receipt`")


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
