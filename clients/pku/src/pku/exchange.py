"""The platform's HTTP interface for a participant's program: one method per route, typed answers, patient requests.

Every method raises :class:`pku.errors.ExchangeError` and nothing else. :mod:`pku.connection` says which requests
wait and repeat, and which never do.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping
from http import HTTPStatus
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar
from urllib.parse import quote

from markup_core.lazy import dataclass
from markup_core.texts import EN
from pku import config
from pku.answers import (
    Answer,
    Comparison,
    DataSet,
    FileOut,
    NextInfo,
    Order,
    PublishedKit,
    Receipt,
    ReportAnswer,
    SessionInfo,
)
from pku.config import Clock
from pku.errors import ExchangeError, PkuError, Waiting

if TYPE_CHECKING:  # loaded where they are used
    import httpx

    from pku.connection import Connection, Reply

Json = Any
T = TypeVar("T")
FINAL: Final = frozenset({"refused", "scored", "failed"})
_PATH: Final = "/v1/submissions"
_SESSIONS: Final = "/v1/sessions"
WAITING: Final = Waiting()
REPORT_WAIT_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class SubmissionInfo(Answer):
    """A submission as it stands; ``missing_parts`` are numbers from 1, ``raw`` is all that the platform says."""

    submission_id: str
    kind: str
    set: str
    state: str
    size: int
    missing_parts: tuple[int, ...]
    cause: str | None
    raw: Json

    @classmethod
    def read(cls, raw: Json) -> Self:
        """Read it from the wire."""
        return cls._of(raw, size=int(raw["bytes"]), missing_parts=tuple(map(int, raw["missing_parts"])), raw=raw)

    @property
    def is_over(self) -> bool:
        """Return whether nothing will become of it any more."""
        return self.state in FINAL


@dataclass(frozen=True, slots=True)
class Handed:
    """A submission that was taken, with the signed receipt as it came."""

    submission: SubmissionInfo
    receipt: Json
    signature: str


class _Requests:
    """Requests over a connection, and their answers read."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def _get(self, path: str, **query: Any) -> Reply:
        """Request a path; parameters that are None are left out of the query."""
        params = {name: value for name, value in query.items() if value is not None}
        return self._connection.request("GET", path, params=params)

    def _post(self, path: str, body: Any, key: str | None = None) -> Reply:
        headers = {"Content-Type": "application/json", **({} if key is None else {"Idempotency-Key": key})}
        content = json.dumps(body, ensure_ascii=False).encode()
        return self._connection.request("POST", path, headers=headers, content=content)

    def _made(self, path: str, clock: Clock) -> Reply:
        """Repeat a request until the platform has made its result."""
        while (reply := self._get(path)).status == HTTPStatus.ACCEPTED:
            clock.sleep(reply.retry_after_s or REPORT_WAIT_S)
        return reply

    def _read(self, reply: Reply, reader: Callable[[Any], T]) -> T:
        try:
            return reader(reply.body)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise self._connection.unexpected(f"{type(error).__name__}: {error}", reply.status) from None


class Submissions(_Requests):
    """The part of :class:`pku.exchange.Exchange` that is about submissions."""

    def begin(self, announcement: Mapping[str, Json], *, key: str) -> SubmissionInfo:
        """Announce a submission. The same ``key`` gets the one that it announced before."""
        return self._read(self._post(_PATH, announcement, key), SubmissionInfo.read)

    def get(self, submission_id: str) -> SubmissionInfo:
        """Return a submission in its present state."""
        return self._read(self._get(_path(_PATH, submission_id)), SubmissionInfo.read)

    def page(self, *, limit: int, after: str | None = None) -> Json:
        """Return the team's submissions as the platform writes them, the newest first, and what is left of the day."""
        return self._get(_PATH, limit=limit, after=after).body

    def place_of_part(self, submission_id: str, number: int) -> str:
        """Return the upload address of a part: one of the platform's host that lives for some minutes."""
        reply = self._get(_path(_PATH, submission_id, "parts", number))
        return self._read(reply, lambda body: str(body["address"]))

    def put_part(self, address: str, content: bytes) -> None:
        """Put a part at its address; put again, it is the same part."""
        self._connection.put(address, content)

    def complete(self, submission_id: str) -> Handed:
        """Hand in a submission that is whole; asked again, the same receipt."""
        reply = self._connection.request("POST", _path(_PATH, submission_id, "complete"))
        return self._read(
            reply,
            lambda body: Handed(SubmissionInfo.read(body["submission"]), body["receipt"], str(body["signature"])),
        )

    def give_up(self, submission_id: str) -> SubmissionInfo:
        """End an upload that is not to be gone on with; asked again, the same."""
        reply = self._connection.request("POST", _path(_PATH, submission_id, "give-up"))
        return self._read(reply, SubmissionInfo.read)

    def report(self, submission_id: str) -> Json | None:
        """Return the report of a scored submission; None before it is scored."""
        reply = self._get(_path(_PATH, submission_id, "report"))
        return None if reply.status == HTTPStatus.ACCEPTED else reply.body

    def logs(self, submission_id: str) -> Json:
        """Return the ends of a program's stdout and stderr."""
        return self._get(_path(_PATH, submission_id, "logs")).body


class Exchange(_Requests):
    """A team's connection to the platform; safe to share between threads, and a context manager.

    ``base_url`` is the API's address without ``/v1``. ``language`` (``ru`` or ``en``) is that of ``str(error)``.
    ``transport`` and ``clock`` are for tests. ``waiting`` bounds the repetitions of one request;
    ``requests_per_second`` keeps the program under the platform's rate limit (0: no pacing).
    """

    def __init__(
        self,
        base_url: str,
        token: str,
        *,
        transport: httpx.BaseTransport | None = None,
        clock: Clock | None = None,
        language: str = EN,
        waiting: Waiting = WAITING,
        requests_per_second: int = 10,
    ) -> None:
        from pku.connection import Connection

        if not (token.isascii() and token.isprintable()):  # no header can carry it
            raise PkuError("bad_token")
        self.base_url = base_url.rstrip("/")
        self.clock: Clock = clock or Clock()
        connection = Connection(
            self.base_url,
            {"Authorization": f"Bearer {token}", "User-Agent": config.user_agent(), "Accept": "application/json"},
            transport=transport,
            clock=self.clock,
            language=language,
            waiting=waiting,
            requests_per_second=requests_per_second,
        )
        super().__init__(connection)

    def __enter__(self) -> Exchange:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._connection.close()

    # Clause: R 4.2.3
    def open_session(self, order: Order, *, key: str | None = None) -> SessionInfo:
        """Open a session. The same ``key`` (by default a new one) gets the session it opened before."""
        body = {**order.to_wire(), "client": config.client_block()}
        return self._read(self._post(_SESSIONS, body, key or new_key()), SessionInfo.read)

    def sessions(self, *, mode: str | None = None, limit: int | None = None) -> tuple[SessionInfo, ...]:
        """Return the team's sessions, newest first."""
        reply = self._get(_SESSIONS, mode=mode, limit=limit)
        return self._read(reply, lambda body: tuple(SessionInfo.read(session) for session in body["sessions"]))

    def session(self, session_id: str) -> SessionInfo:
        """Return a session with the state of each of its files."""
        return self._read(self._get(_path(_SESSIONS, session_id)), SessionInfo.read)

    def next_file(self, session_id: str) -> NextInfo:
        """Return the earliest file not handed out yet. Asked with nothing left, it ends the session."""
        return self._read(self._get(_path(_SESSIONS, session_id, "next")), NextInfo.read)

    def file(self, session_id: str, number: int) -> FileOut:
        """Have a file handed out; a repetition returns the same file with the first one's times.

        In a run: ``not_open_yet`` before its opening (``opens_at`` in the details), ``file_missed`` after its window.
        """
        reply = self._connection.request("GET", _path(_SESSIONS, session_id, "files", number), urgent=True)
        return self._read(reply, FileOut.read)

    # Clause: R 4.2.3
    def answer(self, session_id: str, number: int, content: bytes, *, key: str) -> Receipt:
        """Send an answer; the same ``key`` returns the receipt of the first time, with what is next now."""
        reply = self._connection.request(
            "PUT",
            _path(_SESSIONS, session_id, "files", number, "answer"),
            headers={"Idempotency-Key": key, "Content-Type": "application/json"},
            content=content,
            urgent=True,
        )
        return self._read(reply, Receipt.read)

    def receipts(self, session_id: str) -> tuple[Receipt, ...]:
        """Return all receipts of a session, in the order of files and sends; page by page where there are many."""
        receipts: list[Receipt] = []
        after: str | None = None
        while True:
            reply = self._get(_path(_SESSIONS, session_id, "receipts"), after=after)
            page, after = self._read(
                reply, lambda body: ([Receipt.read(receipt) for receipt in body["receipts"]], body["next"])
            )
            receipts += page
            if after is None:
                return tuple(receipts)

    def abort(self, session_id: str, *, confirm: bool = False) -> SessionInfo:
        """End a session before its time. ``confirm`` is needed where this ends the participation (a final)."""
        reply = self._post(_path(_SESSIONS, session_id, "abort"), {"confirm": confirm})
        return self._read(reply, SessionInfo.read)

    def store_log(self, session_id: str, log: str | bytes) -> None:
        """Keep a log of the program with the session (at most 1 MiB). Not repeated: it might be stored twice."""
        content = log.encode() if isinstance(log, str) else log
        headers = {"Content-Type": "text/plain; charset=utf-8"}
        path = _path(_SESSIONS, session_id, "log")
        self._connection.request("PUT", path, repeatable=False, headers=headers, content=content)

    def report(self, session_id: str) -> ReportAnswer:
        """Return the report of a closed session, or how far its scoring is; ``session_open`` for an open session."""
        reply = self._get(_path(_SESSIONS, session_id, "report"))
        if reply.status != HTTPStatus.ACCEPTED:
            return ReportAnswer(reply.body, 0, 0, 0.0)
        wait = REPORT_WAIT_S if reply.retry_after_s is None else reply.retry_after_s
        return self._read(reply, lambda body: ReportAnswer(None, int(body["scored"]), int(body["files"]), wait))

    def timeline(self, session_id: str) -> str:
        """Return the timeline of a closed session in a run, as SVG: openings, hand-outs, answers, void files."""
        reply = self._get(_path(_SESSIONS, session_id, "timeline"))
        if not isinstance(reply.body, str):
            raise self._connection.unexpected("no SVG", reply.status)
        return reply.body

    def score(self, session_id: str, number: int) -> Any:
        """Return the score record of a file; None while it is not scored yet."""
        reply = self._get(_path(_SESSIONS, session_id, "files", number, "score"))
        return None if reply.status == HTTPStatus.ACCEPTED else reply.body

    def comparison(self, session_id: str, number: int) -> Comparison | None:
        """Return own markup, experts' markups and score of a file (training set only); None before it is scored."""
        reply = self._get(_path(_SESSIONS, session_id, "files", number, "comparison"))
        return None if reply.status == HTTPStatus.ACCEPTED else self._read(reply, Comparison.read)

    def runs(self) -> Any:
        """Return the runs, newest start first, as the platform writes them; ``server_time`` stands beside them."""
        return self._get("/v1/runs").body

    def run(self, run_id: str) -> Any:
        """Return one run: its schedule, and the signed commitment to it."""
        return self._get(_path("/v1/runs", run_id)).body

    def run_record(self, run_id: str) -> Any:
        """Return the record of a run that is over (``run_not_over`` before): commitment, hand-outs and their times."""
        return self._get(_path("/v1/runs", run_id, "record")).body

    def leaderboard(
        self, *, language: str = "all", nomination: str | None = None, final: bool = False, run: str | None = None
    ) -> Any:
        """Return a leaderboard as the platform writes it: qualification's (R 6.10) or final's (R 7.12), by default the
        latest one that is published. A nomination takes the place of the language."""
        board = "final" if final or run is not None else "qualification"
        all_of = language if nomination is None else None
        return self._get(f"/v1/leaderboards/{board}", language=all_of, nomination=nomination, run=run).body

    def ask(self, text: str, language: str, about: Mapping[str, Any] | None = None, *, protest: bool = False) -> Any:
        """Ask a question, or protest; sent again while it waits, it is the same one."""
        body = {"text": text, "language": language, **({} if about is None else {"about": about})}
        return self._post("/v1/questions", {**body, "protest": protest}).body

    def questions(self) -> Any:
        """Return the team's questions with their answers as the platform writes them, the latest first."""
        return self._get("/v1/questions").body

    def withdraw_question(self, question_id: str) -> Any:
        """Withdraw a question that waits."""
        return self._post(_path("/v1/questions", question_id, "withdrawal"), {}).body

    def mark_question_seen(self, question_id: str, version: int) -> Any:
        """Mark the present answer of a question as read by the team."""
        return self._post(_path("/v1/questions", question_id, "seen"), {"version": version}).body

    def hooks(self) -> Any:
        """Return the team's webhooks as the platform writes them."""
        return self._get("/v1/hooks").body

    def add_hook(self, url: str) -> Any:
        """Add an address to be called; added again, it is the same one."""
        return self._post("/v1/hooks", {"url": url}).body

    def test_hook(self, hook_id: str) -> Any:
        """Have the platform send a test request to a webhook; return the webhook."""
        return self._post(_path("/v1/hooks", hook_id, "test"), {}).body

    def remove_hook(self, hook_id: str) -> Any:
        """Remove a webhook; return the others."""
        return self._post(_path("/v1/hooks", hook_id, "removal"), {}).body

    def page(self, name: str, version: int | None = None) -> Any:
        """Return a page of the cycle with its versions, by default its last one."""
        return self._get(_path("/v1/pages", name), version=version).body

    @property
    def submissions(self) -> Submissions:
        """Return the requests for submissions: whole sets answered by one file, or by a program."""
        return Submissions(self._connection)

    def data_sets(self) -> Any:
        """Return the data sets that the team may have, as the platform writes them."""
        return self._get("/v1/sets").body["sets"]

    def data_set(self, name: str) -> DataSet:
        """Return a data set with its parts, waiting while they are made for the first time."""
        return self._read(self._made(_path("/v1/sets", name), self.clock), DataSet.read)

    def set_part(self, name: str, number: int) -> bytes:
        """Return the bytes of a part of a data set."""
        return self._get(_path("/v1/sets", name, "parts", number)).content

    def set_pack(self, name: str, most: int) -> bytes:
        """Return a data set as one zip, from an address of its own that is valid for a minute.

        The token does not go there. More than ``most`` bytes are not read.
        """
        reply = self._made(_path("/v1/sets", name, "pack"), self.clock)
        return self._connection.followed(self._read(reply, lambda body: str(body["address"])), most)

    def cycle(self) -> Any:
        """Return the cycle: name, languages, sets with their sizes, parameters, classifier, limits."""
        return self._get("/v1/cycle").body

    def keys(self) -> Any:
        """Return the public keys of receipts, as the platform writes them."""
        return self._get("/v1/keys").body

    def kit(self) -> PublishedKit | None:
        """Return the published kit; None if there is none, or the platform is older than kits."""
        try:
            reply = self._get("/v1/kit")
        except ExchangeError as error:
            if error.status == HTTPStatus.NOT_FOUND:
                return None
            raise
        return self._read(reply, lambda body: None if body["kit"] is None else PublishedKit.read(body["kit"]))


def new_key() -> str:
    """Return a fresh ``Idempotency-Key``."""
    return str(uuid.uuid4())


def _path(collection: str, name: str, *parts: str | int) -> str:
    """Return the address of something by its name; :class:`PkuError` ``bad_name`` where it would be another address."""
    if name in {"", ".", ".."} or "/" in name:
        raise PkuError("bad_name", name=name)
    return "/".join([collection, quote(name, safe=""), *map(str, parts)])
