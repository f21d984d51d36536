"""Mails: kinds, texts, retries, and what a person chooses.

A mail says that something is there and where it is read: no token, no code of an invitation, no text of an item, no
answer to a team, no number. What everybody may read (an announcement's title) is its subject.

**Decision**: a mail that was claimed and whose sending is not known to have succeeded is sent again: twice is better
than never. After :data:`MOST_ATTEMPTS` it is dropped, for the cabinet has what it says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Final

from contest.people.rules import TeamStatus
from contest.texts import tr
from contest.values import MINUTE, Millis, next_attempt
from markup_core.lazy import dataclass
from tracks.protocol import Text

MOST_ATTEMPTS: Final = 5
MOST_A_VISIT: Final = 50
"""Mails that one visit of the minute timer sends."""
MOST_CHANGES: Final = 200
"""Entries of the log that one visit looks at."""
LAG: Final[Millis] = MINUTE
"""Milliseconds after which an entry of the log is read: no entry with an earlier moment comes later."""
SETTLED: Final = 7 * 24 * 3600
"""Seconds for which it is known that a mail was made, so that it is made once."""


LINK_LASTS: Final = 60 * 24 * 3600
"""Seconds for which the link in a mail stops its kind; afterwards the cabinet does."""


class MailKind(StrEnum):
    """Kind of a mail; a person may stop each."""

    APPLICATION = "application"
    """A decision about the team."""
    ANSWER = "answer"
    RUN = "run"
    RESULTS = "results"
    ANNOUNCEMENT = "announcement"


class MailLanguage(StrEnum):
    """Language of a person's mails."""

    BOTH = "both"
    EN = "en"
    RU = "ru"


@dataclass(frozen=True, slots=True)
class Choices:
    """Choices of a person; without one, every kind is sent in both languages."""

    stopped: frozenset[MailKind] = frozenset()
    language: MailLanguage = MailLanguage.BOTH
    version: int = 0

    def without(self, kind: MailKind) -> Choices:
        """Return the choices with a kind stopped."""
        return replace(self, stopped=self.stopped | {kind}, version=self.version + 1)


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail to one person, whose address is read when it is sent."""

    mail_id: str
    person_id: str
    kind: MailKind
    subject: Text
    path: str
    """Page of the site on which it is read."""
    created_at: Millis
    attempts: int = 0
    next_at: Millis = 0
    """Not before this moment it is tried (again)."""
    address: str = ""
    """Address of somebody whom the platform does not know; empty for a person's own."""
    code: str = ""
    """Code of an invitation, which this mail alone hands over; forgotten with it."""

    def claimed(self, now: Millis) -> Mail:
        """Return the mail as it is sent once more; should that fail, it is tried again, each time later."""
        return replace(self, attempts=self.attempts + 1, next_at=next_attempt(now, self.attempts))


@dataclass(frozen=True, slots=True)
class Addressed:
    """A mail ready to be sent: whose address it goes to, and the links in it."""

    mail: Mail
    address: str
    language: MailLanguage
    unsubscribe: str
    """Address at which one request stops mails of this kind; empty for an invitation, which comes once."""
    at: Millis


_STATUSES: Final[Mapping[TeamStatus, Text]] = {
    TeamStatus.APPROVED: tr("Your team is approved"),
    TeamStatus.REJECTED: tr("Your team's application is rejected"),
    TeamStatus.SUSPENDED: tr("Your team is suspended"),
    TeamStatus.WITHDRAWN: tr("Your team is withdrawn"),
    TeamStatus.DISQUALIFIED: tr("Your team is disqualified"),
}
DECISIONS: Final[Mapping[str, Text]] = {
    **{f"team {status.value}": text for status, text in _STATUSES.items()},
    "team passed the selection": tr("Your team has passed the selection"),
    "team did not pass the selection": tr("Your team has not passed the selection"),
    "team admitted to the final": tr("Your team is admitted to the final"),
    "team not admitted to the final": tr("Your team is not admitted to the final"),
}
"""Subjects by the log's words for a decision about a team."""
CONCLUSIONS: Final[Mapping[str, Text]] = {
    "conclusion verified": tr("A conclusion on your program is verified"),
    "conclusion rejected": tr("A conclusion on your program is rejected"),
    "conclusion annulled": tr("A conclusion on your program is annulled"),
}
"""Subjects by the log's words for a decision about a conclusion."""
ASKS_ORGANIZERS: Final[Mapping[str, tuple[MailKind, Text, str]]] = {
    "team applied": (MailKind.APPLICATION, tr("A team has applied"), "/desk/teams"),
    "question asked": (MailKind.ANSWER, tr("A team waits for an answer"), "/desk/questions"),
}
"""Kind, subject and page of what waits for the organizers, by the log's words; webhooks alone say it."""
HOOK_OFF: Final = tr("A webhook of your team is switched off: all its requests failed")
ANSWERED: Final = tr("Your team's question is answered")
CLOSED: Final = tr("Your team's question is closed")
RESULTS_OUT: Final = tr("Results of a run are published")
_READ: Final = tr("Read it here: {link}")
INVITED: Final = tr("You are invited to a team of the contest")
_ENTER: Final = tr("Sign in, and enter the team by the code: {link}")
_STOP: Final = tr("Choose which mails you get: {link}")
_CODE: Final = tr(
    "The code of the invitation is {link}. It is valid for a week. If you expect none, do nothing: the platform does "
    "not keep your address."
)
_CHOICES: Final = "/cabinet/mails"


def body_of(addressed: Addressed, site: str) -> tuple[str, str]:
    """Return subject and text of a mail in the person's language, or in both, each with the links."""
    mail = addressed.mail
    links_of_kind = (_ENTER, _CODE) if mail.code else (_READ, _STOP)
    both = [(text.en, text.ru) for text in (mail.subject, *links_of_kind)]
    chosen = {MailLanguage.EN: (0,), MailLanguage.RU: (1,), MailLanguage.BOTH: (1, 0)}[addressed.language]
    subjects = list(dict.fromkeys(" ".join(both[0][language].split()) for language in chosen))
    blocks = []
    for language in chosen:
        news, action, stop = (texts[language] for texts in both)
        links = action.format(link=site + mail.path), stop.format(link=mail.code or site + _CHOICES)
        blocks.append("\n\n".join((news, *links)))
    return " / ".join(subjects), "\n\n----\n\n".join(blocks) + "\n"


@dataclass(frozen=True, slots=True)
class Stop:
    """Person and kind of mail that a link unsubscribes."""

    person_id: str
    kind: MailKind


@dataclass(frozen=True, slots=True)
class Position:
    """Cursor in the log up to which mails are made."""

    cursor: str
    version: int = 0
