"""Questions of teams and their answers; mails and webhooks.

A team asks about an item of its own sessions, a run, a rule, or anything. Organizers and judges answer the team, or
everybody: an answer to everybody is an announcement too, which names neither the team nor its words.

**Decision**: an answer to a team is in both languages or in one; public texts are in both.

**Decision**: the person who takes a question holds it for :data:`HELD`; meanwhile nobody else answers it. It becomes
free by time alone, so a question is never lost with a person.

A mail says that something is there and where it is read: no token, no code of an invitation, no text of an item, no
answer to a team, no number. A public text (an announcement's title) is its subject. A webhook's delivery says
the same. The platform signs it like a receipt, so no secret of a hook is stored, and its receiver verifies it with
the public keys of the platform.

**Decision**: a mail or delivery that was claimed and whose sending is not known to have succeeded is sent again, a
delivery under the same id: twice is better than never. After :data:`MAIL_ATTEMPTS` or :data:`DELIVERY_ATTEMPTS` it is
dropped: the cabinet has what a mail says.

**Decision**: a hook whose attempts have all failed, :data:`MOST_FAILURES` of them and for :data:`FAILS_FOR` at least,
is switched off for good: its owner is told, and adds it anew.

**Decision**: a hook's address has a host's name, port 443 and no credentials. The name is resolved for
each delivery: every address of the host must be a public one, and the request goes to one of these addresses.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from enum import StrEnum
from typing import Final
from urllib.parse import urlsplit

from contest.people.rules import TeamStatus
from contest.texts import tr
from contest.values import DAY, MINUTE, SECOND, Millis, next_attempt, utc_day
from markup_core.lazy import dataclass
from tracks.protocol import Text

LONGEST_QUESTION: Final = 2000
"""Code points of a question."""
LONGEST_ANSWER: Final = 4000
"""Code points of an answer in one language."""
LONGEST_RULE: Final = 40
"""Code points of a reference to a rule, such as ``R 7.6``."""
PER_DAY: Final = 20
"""Questions that a team may ask on a day (UTC)."""
MOST_OPEN: Final = 5
"""Questions of a team that may wait for an answer at once."""
MOST: Final = 9999
"""Questions of a team in a cycle."""
HELD: Final[Millis] = 30 * MINUTE
"""Milliseconds for which only the person who has taken a question answers it."""
QUESTION_ID: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,39}\.[1-9][0-9]{0,3}")
LANGUAGES: Final = ("en", "ru")


class QuestionState(StrEnum):
    """State of a question."""

    OPEN = "open"
    ANSWERED = "answered"
    CLOSED = "closed"
    """Closed without an answer by organizers or judges, who give a reason."""
    WITHDRAWN = "withdrawn"
    """Withdrawn by the team."""


class SubjectKind(StrEnum):
    """Kind of a question's subject."""

    GENERAL = "general"
    ITEM = "item"
    RUN = "run"
    RULE = "rule"


@dataclass(frozen=True, slots=True)
class Subject:
    """Subject of a question: a file of an own session by its number, a run, or a rule; empty: anything else.

    An item is named by the team's own session alone, so that no list says anything of its set.
    """

    session_id: str = ""
    number: int = 0
    run_id: str = ""
    rule: str = ""

    @property
    def kind(self) -> SubjectKind:
        """Return the kind by the field that is set."""
        named = ((self.session_id, SubjectKind.ITEM), (self.run_id, SubjectKind.RUN), (self.rule, SubjectKind.RULE))
        return next((kind for name, kind in named if name), SubjectKind.GENERAL)


@dataclass(frozen=True, slots=True)
class Wish:
    """Content of a question to ask."""

    text: str
    language: str
    subject: Subject
    is_protest: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """Content of an answer to give; ``title`` says the question in words that everybody may read."""

    texts: Mapping[str, str]
    title: Mapping[str, str]
    to_all: bool
    upheld: bool | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer to a question; ``announcement_id`` if everybody has it as an announcement."""

    texts: Mapping[str, str]
    """Text by language: both, or the one in which it was written."""
    by: str
    at: Millis
    announcement_id: str | None = None
    upheld: bool | None = None
    """True if a protest was upheld, False if rejected; None for a question."""
    is_withdrawn: bool = False
    """True if its announcement is withdrawn by now; the announcement alone stores it."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question; ``version`` counts its writes, each conditional on the one before."""

    team_id: str
    number: int
    """Number in the order of the team's questions, from 1."""
    asked_by: str
    asked_at: Millis
    language: str
    text: str
    subject: Subject = field(default_factory=Subject)
    state: QuestionState = QuestionState.OPEN
    taken_by: str = ""
    taken_at: Millis = 0
    answer: Answer | None = None
    reason: str = ""
    """Reason for closing it."""
    ended_at: Millis | None = None
    """Moment of closing or withdrawal."""
    is_seen: bool = True
    """True if the team has seen the present state."""
    is_protest: bool = False
    """True for a protest: it names an item, a run or a rule, and is upheld or rejected."""
    version: int = 1

    @property
    def question_id(self) -> str:
        """Return the id: team and number."""
        return f"{self.team_id}.{self.number}"

    @property
    def is_unread(self) -> bool:
        """Return whether the team has not yet seen the answer, or the reason for closing."""
        return not self.is_seen and self.state in {QuestionState.ANSWERED, QuestionState.CLOSED}

    def holder(self, now: Millis) -> str:
        """Return who holds it now; empty: nobody."""
        holds = self.state is QuestionState.OPEN and self.taken_by and now < self.taken_at + HELD
        return self.taken_by if holds else ""


def asked_on(questions: Sequence[Question], now: Millis) -> int:
    """Count a team's questions of today (UTC), withdrawn ones included."""
    return sum(utc_day(question.asked_at) == utc_day(now) for question in questions)


def is_repeated(question: Question, wish: Wish) -> bool:
    """Return whether a question that waits says the same of the same subject."""
    same = (question.subject, question.text, question.is_protest) == (wish.subject, wish.text, wish.is_protest)
    return question.state is QuestionState.OPEN and same


def taken(question: Question, who: str, now: Millis) -> Question:
    """Return an open question as taken; :class:`LookupError` where it is not open."""
    _require(question, QuestionState.OPEN)
    return replace(question, taken_by=who, taken_at=now, version=question.version + 1)


def answered(question: Question, answer: Answer) -> Question:
    """Return a question with its answer, or with another one; :class:`LookupError` where it has ended without one.

    ValueError where a protest is neither upheld nor rejected, or where a question is.
    """
    if question.is_protest != (answer.upheld is not None):
        raise ValueError(answer.upheld)
    _require(question, QuestionState.OPEN, QuestionState.ANSWERED)
    version = question.version + 1
    return replace(question, state=QuestionState.ANSWERED, answer=answer, is_seen=False, version=version)


def closed(question: Question, now: Millis, reason: str) -> Question:
    """Return an open question closed without an answer; :class:`LookupError` where it is not open."""
    _require(question, QuestionState.OPEN)
    ended = replace(question, state=QuestionState.CLOSED, reason=reason, ended_at=now, is_seen=False)
    return replace(ended, version=question.version + 1)


def withdrawn(question: Question, now: Millis) -> Question:
    """Return an open question withdrawn by its team; :class:`LookupError` where it is not open."""
    _require(question, QuestionState.OPEN)
    return replace(question, state=QuestionState.WITHDRAWN, ended_at=now, version=question.version + 1)


def in_order(questions: Sequence[Question]) -> list[Question]:
    """Sort questions for those who answer: open ones first, the oldest on top, then the others, the latest on top."""
    waiting = [question for question in questions if question.state is QuestionState.OPEN]
    others = [question for question in questions if question.state is not QuestionState.OPEN]
    waiting.sort(key=lambda question: (question.asked_at, question.question_id))
    others.sort(key=lambda question: (question.asked_at, question.question_id), reverse=True)
    return waiting + others


def _require(question: Question, *states: QuestionState) -> None:
    if question.state not in states:
        raise LookupError(question.state.value)


MAIL_ATTEMPTS: Final = 5
MAILS_A_VISIT: Final = 50
"""Mails that one visit of the minute timer sends."""
MOST_CHANGES: Final = 200
"""Entries of the log that one visit looks at."""
LAG: Final[Millis] = MINUTE
"""Milliseconds after which an entry of the log is read: no entry with an earlier moment comes later."""
SETTLED: Final = 7 * 24 * 3600
"""Seconds for which the marker of a made mail or delivery is stored, so that it is made once."""
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
    """Earliest moment of the next attempt."""
    address: str = ""
    """Address of a recipient unknown to the platform; empty: the person's own address."""
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


MOST_HOOKS: Final = 5
"""Hooks of an owner."""
DELIVERY_ATTEMPTS: Final = 7
"""Attempts of a delivery: the last one comes about eleven hours after the first."""
MOST_FAILURES: Final = 10
"""Failed attempts in a row after which a hook may be switched off."""
FAILS_FOR: Final[Millis] = DAY
"""Milliseconds for which a hook must have failed before it is switched off."""
DELIVERIES_A_VISIT: Final = 40
"""Deliveries that a visit of the channel's timer attempts."""
BUDGET: Final[Millis] = 20 * SECOND
"""Milliseconds after which a visit begins no attempt."""
GREETED: Final[Millis] = 10 * 60 * SECOND
"""Milliseconds after a hook's creation, or a request for a test, within which its test delivery is made."""
TESTED_EACH: Final[Millis] = MINUTE
"""Milliseconds between two test deliveries of a hook."""
MOST_SHOWN: Final = 10
"""Number of a hook's last attempts that are stored for its owner."""
LONGEST_URL: Final = 500
PORT: Final = 443
ORGANIZERS: Final = "organizers/"
"""Owner of the organizers' hooks; no team's id has a slash."""
_HOST: Final = re.compile(r"(?=.{1,253}\Z)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?")
_VISIBLE: Final = re.compile(r"[!-~]+")
_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost"})
_UNICAST: Final = ipaddress.ip_network("2000::/3")
"""The IPv6 addresses of the internet: translators to IPv4, which reach any address, stand outside."""
_PROTOCOLS: Final = ipaddress.ip_network("192.0.0.0/24")
"""IPv4 addresses of protocols, which Python takes for public ones before 3.13."""


def may_be_called(url: str, *, to_loopback: bool) -> bool:
    """Return whether an address has the form of a hook's; ``to_loopback``: the local cloud's, which calls no other
    machine."""
    if len(url) > LONGEST_URL or not _VISIBLE.fullmatch(url) or "\\" in url:
        return False
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    if "@" in parts.netloc or parts.fragment or parts.netloc.endswith(":"):
        return False
    host = parts.hostname or ""
    if to_loopback and host in _LOOPBACK:
        return parts.scheme == "http" and port is not None
    return parts.scheme == "https" and port in {None, PORT} and _HOST.fullmatch(host) is not None


def is_public(address: str) -> bool:
    """Return whether an IP address is one of the public internet, and leads nowhere else."""
    parsed = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(parsed, ipaddress.IPv6Address):
        leads_elsewhere = parsed not in _UNICAST or parsed.sixtofour is not None or parsed.teredo is not None
    else:
        leads_elsewhere = parsed.is_multicast or parsed in _PROTOCOLS
    return parsed.is_global and not leads_elsewhere


class Outcome(StrEnum):
    """Outcome of an attempt; NOT_PUBLIC says nothing else about the host."""

    TAKEN = "taken"
    REFUSED = "refused"
    """The host answered with a status other than 2xx."""
    NO_ANSWER = "no_answer"
    UNREACHABLE = "unreachable"
    """No connection, or a certificate that is not the host's."""
    NOT_PUBLIC = "not_public"


class NotTakenError(Exception):
    """A delivery failed: no public address, no answer in time, or a status other than 2xx."""

    def __init__(self, why: str = "", outcome: Outcome = Outcome.UNREACHABLE, status: int | None = None) -> None:
        super().__init__(why)
        self.outcome, self.status = outcome, status


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt of a delivery, shown to the hook's owner."""

    at: Millis
    event: str
    """Event id in the body: the same for all attempts of the delivery."""
    kind: str
    number: int
    """Counts from 1 to :data:`DELIVERY_ATTEMPTS`."""
    outcome: Outcome
    status: int | None = None
    """HTTP status of the answer, where there was one."""
    next_at: Millis | None = None
    """Earliest moment of the next attempt; None if there is none."""


@dataclass(frozen=True, slots=True)
class Hook:
    """An address to be called, at one of its owner's places; ``version`` counts its writes."""

    hook_id: str
    owner: str
    """Team id, or :data:`ORGANIZERS`."""
    place: int
    """Counts from 1 to :data:`MOST_HOOKS`: two hooks added at once do not pass the bound together."""
    url: str
    created_at: Millis
    failures: int = 0
    """Attempts that have failed since the last success."""
    failing_since: Millis | None = None
    off_at: Millis | None = None
    version: int = 1
    tested_at: Millis | None = None
    """Moment of the owner's last request for a test delivery; None before the first one."""
    attempts: tuple[Attempt, ...] = ()
    """The last :data:`MOST_SHOWN`, the latest first."""

    @property
    def host(self) -> str:
        """Return the host of its address: the rest may be a secret of the owner's."""
        return urlsplit(self.url).hostname or ""

    @property
    def greeted_at(self) -> Millis:
        """Return the moment since which a test delivery is due: the last request for one, or the hook's creation."""
        return self.created_at if self.tested_at is None else self.tested_at

    def tested(self, now: Millis) -> Hook:
        """Return the hook with its owner's request for a test delivery."""
        return replace(self, tested_at=now, version=self.version + 1)

    def after(self, attempt: Attempt) -> Hook:
        """Return the hook with an attempt; switched off if its failures have lasted too long."""
        noted = replace(self, attempts=(attempt, *self.attempts)[:MOST_SHOWN], version=self.version + 1)
        if attempt.outcome is Outcome.TAKEN:
            return replace(noted, failures=0, failing_since=None)
        since, failures = self.failing_since or attempt.at, self.failures + 1
        is_over = failures >= MOST_FAILURES and attempt.at - since >= FAILS_FOR
        return replace(noted, failures=failures, failing_since=since, off_at=attempt.at if is_over else None)


@dataclass(frozen=True, slots=True)
class Delivery:
    """A request to send to a hook; ``body`` is signed JSON."""

    delivery_id: str
    hook_id: str
    body: str
    created_at: Millis
    attempts: int = 0
    next_at: Millis = 0
    """Earliest moment of the next attempt."""

    def claimed(self, now: Millis) -> Delivery:
        """Return the delivery with one more attempt and the moment of the next one, each time later."""
        return replace(self, attempts=self.attempts + 1, next_at=next_attempt(now, self.attempts))


@dataclass(frozen=True, slots=True)
class Event:
    """An event that hooks are notified of: its title and the page that shows it."""

    event_id: str
    kind: str
    title: Text
    path: str
    at: Millis
