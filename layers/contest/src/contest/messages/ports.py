"""Ports of mails, webhooks and questions; :mod:`contest.ports` states the promises of all ports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from contest.messages.rules import Addressed, Choices, Delivery, Hook, Mail, Outcome, Position, Stop
from contest.people.rules import Change
from contest.ports import Port
from contest.values import Millis

if TYPE_CHECKING:
    from contest.cycle.rules.notices import Announced
    from contest.messages.rules import Question
    from contest.people.rules import Change


Sent = TypeVar("Sent")


class Outgoing(Protocol[Sent]):
    """Mails, or deliveries of webhooks, that are to be sent."""

    def waiting(self) -> Sequence[Sent]:
        """Return all that are to be sent, by id."""

    def claim(self, before: Sent, after: Sent) -> None:
        """Write one that is about to be sent if nobody else has claimed it since."""

    def done(self, sent: Sent) -> None:
        """Remove one from those to send (idempotent)."""


class Mails(Outgoing[Mail], Protocol):
    """Mails to send, and what people chose."""

    def add(self, mail: Mail) -> None:
        """Write a mail to send unless one of its id was ever written; losing the race is no error."""

    def get(self, mail_id: str) -> Mail | None:
        """Return a mail to send as last written."""

    def note_link(self, token_sha256: str, stop: Stop, at: Millis) -> None:
        """Write what the link with a token of this hash stops; it is forgotten some weeks later."""

    def stopped_by(self, token_sha256: str) -> Stop | None:
        """Return what a link stops."""

    def position(self) -> Position | None:
        """Return up to where the log's mails are made; None before the first visit."""

    def move(self, before: Position | None, after: Position) -> None:
        """Write the position if it is still as it was read."""


class MailChoices(Protocol):
    """Choices of people about their mails."""

    def get(self, person_id: str) -> Choices:
        """Return a person's choices as last written; the usual ones before the first."""

    def put(self, person_id: str, before: Choices, after: Choices) -> None:
        """Write a person's choices if they are still as they were read."""


class Mailer(Protocol):
    """The way of mails out of the platform."""

    def send(self, addressed: Addressed, subject: str, text: str) -> None:
        """Hand a mail over; an error where it was not taken."""

    @property
    def site(self) -> str:
        """Address of the site, without a slash at its end: links begin with it."""


class NotTakenError(Exception):
    """A delivery failed: no public address, no answer in time, or a status other than 2xx."""

    def __init__(self, why: str = "", outcome: Outcome = Outcome.UNREACHABLE, status: int | None = None) -> None:
        super().__init__(why)
        self.outcome, self.status = outcome, status


class Hooks(Outgoing[Delivery], Protocol):
    """Hooks of teams and organizers, and their pending deliveries."""

    def all(self) -> Sequence[Hook]:
        """Return all hooks, by owner and place."""

    def add(self, hook: Hook, change: Change) -> None:
        """Write a hook if its place is free."""

    def remove(self, hook: Hook, change: Change) -> None:
        """Remove a hook if it is still this one."""

    def note(self, before: Hook, after: Hook) -> None:
        """Write an attempt's outcome or a request for a test if the hook has not changed since it was read."""

    def deliver(self, delivery: Delivery) -> None:
        """Write a delivery to send unless one of its id was ever written; losing the race is no error."""


class Poster(Protocol):
    """The way of webhooks out of the platform."""

    def post(self, delivery_id: str, url: str, body: bytes) -> int | None:
        """Send a request and return the answer's HTTP status, None if there is no host to call.

        Raises :class:`NotTakenError` if the delivery fails, after some seconds at the latest.
        """

    @property
    def to_loopback(self) -> bool:
        """Return whether it sends to this machine alone."""


class Questions(Protocol):
    """Questions of the cycle's teams with their answers."""

    def get(self, team_id: str, number: int) -> Question | None:
        """Return one question as last written."""

    def of_team(self, team_id: str) -> Sequence[Question]:
        """Return a team's questions, by number."""

    def all(self) -> Sequence[Question]:
        """Return all questions, by team and number."""

    def write(
        self, before: Question | None, after: Question, change: Change, announced: Sequence[Announced] = ()
    ) -> None:
        """Write a question if it is still as it was read (None: there is none), with its announcements likewise."""

    def seen(self, question: Question) -> None:
        """Write that the team has seen a question if it is still of this version, which stays."""


class MessagePorts:
    """The platform's ports of mails, webhooks and questions."""

    mails = Port[Mails]()
    mail_choices = Port[MailChoices]()
    mailer = Port[Mailer | None]()
    """Sender of mails; None if the deployment sends none."""
    hooks = Port[Hooks]()
    poster = Port[Poster]()
    site = Port[str]()
    """Address of the site, without a slash at its end; empty where the deployment has no name."""
    questions = Port[Questions]()
