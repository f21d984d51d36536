"""The ports of mails; :mod:`contest.ports` states the promises of all ports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from contest.mails.rules import Addressed, Choices, Mail, Position, Stop
from contest.ports import Port
from contest.values import Millis


class Mails(Protocol):
    """Mails to send, and what people chose."""

    def add(self, mail: Mail) -> None:
        """Write a mail to send unless one of its id was ever written; losing the race is no error."""

    def get(self, mail_id: str) -> Mail | None:
        """Return a mail to send as last written."""

    def waiting(self) -> Sequence[Mail]:
        """Return all mails to send, by id."""

    def claim(self, before: Mail, after: Mail) -> None:
        """Write a mail that is about to be sent if nobody else has claimed it since."""

    def done(self, mail: Mail) -> None:
        """Remove a mail from those to send (idempotent)."""

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


class MailPorts:
    """The platform's ports of the mails' room."""

    mails = Port[Mails]()
    mail_choices = Port[MailChoices]()
    mailer = Port[Mailer | None]()
    """Sender of mails; None if the deployment sends none."""
