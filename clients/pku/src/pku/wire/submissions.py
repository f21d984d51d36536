"""Submissions on the wire: a whole set answered by one file, or by a program (tracks-sessions T13)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import quote

if TYPE_CHECKING:  # loaded where it is used
    from pku.wire.connection import Connection, Reply


Json = Any
T = TypeVar("T")
FINAL: Final = frozenset({"refused", "scored", "failed"})
_PATH: Final = "/v1/submissions"


@dataclass(frozen=True, slots=True)
class SubmissionInfo:
    """A submission as it stands; ``missing_parts`` are numbers from 1, ``raw`` is all that the platform says."""

    submission_id: str
    kind: str
    set: str
    state: str
    size: int
    sha256: str
    part_size: int
    missing_parts: tuple[int, ...]
    cause: str | None
    value: float | None
    raw: Json

    @classmethod
    def read(cls, raw: Json) -> SubmissionInfo:
        """From the wire."""
        return cls(
            submission_id=raw["submission_id"],
            kind=raw["kind"],
            set=raw["set"],
            state=raw["state"],
            size=int(raw["bytes"]),
            sha256=raw["sha256"],
            part_size=int(raw["part_size"]),
            missing_parts=tuple(int(each) for each in raw["missing_parts"]),
            cause=raw["cause"],
            value=raw["value"],
            raw=raw,
        )

    @property
    def is_over(self) -> bool:
        """Whether nothing will become of it any more."""
        return self.state in FINAL


@dataclass(frozen=True, slots=True)
class Handed:
    """A submission that was taken, with the signed receipt as it came."""

    submission: SubmissionInfo
    receipt: Json
    signature: str


class Submissions:
    """The part of :class:`pku.wire.exchange.Exchange` that is about submissions."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def begin(self, wanted: Mapping[str, Json], *, key: str) -> SubmissionInfo:
        """Announce a submission. The same ``key`` gets the one that it announced before."""
        headers = {"Idempotency-Key": key, "Content-Type": "application/json"}
        content = json.dumps(wanted, ensure_ascii=False).encode()
        return self._read(
            self._connection.request("POST", _PATH, headers=headers, content=content), SubmissionInfo.read
        )

    def get(self, submission_id: str) -> SubmissionInfo:
        """A submission as it stands."""
        return self._read(self._connection.request("GET", _path(submission_id)), SubmissionInfo.read)

    def page(self, *, limit: int, after: str | None = None) -> Json:
        """The team's submissions as the platform writes them, the newest first, and what is left of the day."""
        wanted = {"limit": limit, **({} if after is None else {"after": after})}
        return self._connection.request("GET", _PATH, params=wanted).body

    def place_of_part(self, submission_id: str, number: int) -> str:
        """Where a part goes: an address of the platform's host that lives for some minutes."""
        reply = self._connection.request("GET", _path(submission_id, "parts", number))
        return self._read(reply, lambda body: str(body["address"]))

    def put_part(self, address: str, content: bytes) -> None:
        """Put a part at its address; put again, it is the same part."""
        self._connection.put(address, content)

    def complete(self, submission_id: str) -> Handed:
        """Hand in a submission that is whole; asked again, the same receipt."""
        reply = self._connection.request("POST", _path(submission_id, "complete"))
        return self._read(
            reply,
            lambda body: Handed(SubmissionInfo.read(body["submission"]), body["receipt"], str(body["signature"])),
        )

    def give_up(self, submission_id: str) -> SubmissionInfo:
        """End an upload that is not to be gone on with; asked again, the same."""
        reply = self._connection.request("POST", _path(submission_id, "give-up"))
        return self._read(reply, SubmissionInfo.read)

    def report(self, submission_id: str) -> Json | None:
        """The report of a scored submission; None before it is scored."""
        reply = self._connection.request("GET", _path(submission_id, "report"))
        return None if reply.status == 202 else reply.body

    def logs(self, submission_id: str) -> Json:
        """The ends of what a program has written to stdout and stderr."""
        return self._connection.request("GET", _path(submission_id, "logs")).body

    def _read(self, reply: Reply, reader: Callable[[Any], T]) -> T:
        try:
            return reader(reply.body)
        except (KeyError, TypeError, ValueError) as error:
            raise self._connection.unexpected(f"{type(error).__name__}: {error}", reply.status) from None


def _path(submission_id: str, *parts: str | int) -> str:
    return "/".join([_PATH, quote(submission_id, safe=""), *map(str, parts)])
