"""The one family of refusals, and the faults in an organizer's files.

A refusal is a request that is not fulfilled, with its reason as a stable code and in two languages. Faults are found
while an organizer's files are read: all of them, each with its place.

It imports the texts alone, so that every floor may refuse, the domain too. ``edge.web`` makes the one HTTP body of it
and ``commands.shell`` the command's one sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from http import HTTPStatus
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Self

from contest.texts import code_in_words, tr
from markup_core.lazy import dataclass

if TYPE_CHECKING:
    from tracks.protocol import Reason, Text


class ContestError(Exception):
    """A refusal; its subclass is its kind. Programs decide by ``code``, people read ``message``, HTTP has ``status``.

    ``details``: each with ``code``, ``message``, ``message_ru`` and the fields that say where.
    ``retry_after_s``: seconds after which the same request may be accepted; None where time changes nothing.
    """

    code: str
    message: Text
    status: HTTPStatus

    def __init_subclass__(cls, code: str = "", status: int = HTTPStatus.CONFLICT) -> None:
        cls.code, cls.status = code, HTTPStatus(status)

    def __init__(self, details: Sequence[Mapping[str, Any]] = (), retry_after_s: int | None = None) -> None:
        super().__init__(f"{self.code}: {self.message}")
        self.details = tuple(details)
        self.retry_after_s = retry_after_s

    @classmethod
    def with_detail(cls, code: str, message: Text, *, retry_after_s: int | None = None, **where: Any) -> Self:
        """Return the refusal with one detail: its code, its sentence, and the fields that say where."""
        return cls([{"code": code, **message.as_fields(), **where}], retry_after_s)

    @classmethod
    def being(cls, state: str, subject: str) -> Self:
        """Return the refusal with the state of the subject (``question``) that does not allow the request."""
        return cls.with_detail("state", tr("it is {state}", state=code_in_words(state, subject)), state=state)


class RefusedError(ContestError):
    """A refusal of an organizer's or the commission's wish by the rules; every reason has a code of its own.

    ``where``: the figures and names that the sentence speaks of, for programs; they are the one detail's fields.
    """

    def __init__(self, code: str, message: Text, **where: Any) -> None:
        self.code, self.message = code, message
        super().__init__([{"code": code, **message.as_fields(), **where}] if where else ())


NOWHERE: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of a file: a stable code, the file and a message, in both languages."""

    code: str
    file: str
    message: Text
    where: Mapping[str, Any] = field(default_factory=lambda: NOWHERE)

    def as_json(self) -> dict[str, Any]:
        """Return the fault as imports store and answer it."""
        return {"code": self.code, "file": self.file, **self.message.as_fields(), "where": dict(self.where)}


def from_reason(reason: Reason, file: str) -> Fault:
    """Return a track's reason as a fault of a file."""
    return Fault(reason.code, file, reason.message, reason.where)


SAMPLE_NOW: Final = 1_795_233_600_000
"""Moment in examples of refusals: 2026-11-21T04:00:00.000Z."""
SAMPLE_SOON: Final = SAMPLE_NOW + 20_000
SAMPLE_SESSION: Final = "294017735586120"
