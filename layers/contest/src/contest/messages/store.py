"""Mails and webhooks in the exchange table, people's choices of mails in the identity table; their transports.

Mails leave by Amazon SES, requests to webhooks for the internet or this machine alone; either may go into a folder.
Questions stand in the catalogue table, one item each; a team's stand together.
"""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from hashlib import sha256
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from typing import Any, ClassVar, Final, Generic, TypeVar
from urllib.parse import urlsplit

from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.transactions import TransactWrite

from contest.adapters import aws
from contest.adapters.aws import (
    CatalogueItem,
    ExchangeItem,
    IdentityItem,
    Versioned,
    atomic_writes,
    conditional_write,
    expiry,
)
from contest.cycle.rules.notices import Announced, both
from contest.cycle.store import announcements_key, put_announcement
from contest.messages.rules import (
    LINK_LASTS,
    PORT,
    SETTLED,
    Addressed,
    Choices,
    Delivery,
    Hook,
    Mail,
    MailKind,
    MailLanguage,
    NotTakenError,
    Outcome,
    Position,
    Question,
    Stop,
    is_public,
    may_be_called,
)
from contest.people.rules import Change
from contest.people.store import logged_writes, save_logged
from contest.ports import LostRaceError
from contest.values import Millis

_POSITION: Final = ("MAILS#POSITION", "LOG")
_HOOKS: Final = "HOOKS"
_WHOLE_S: Final = 5.0
"""Seconds of a request to a webhook, the lookup of the host's addresses included."""
Sent = TypeVar("Sent", Mail, Delivery)


class OutgoingItem(ExchangeItem):
    """A mail or delivery to send as JSON, with the number of attempts that its conditions are about."""

    body = UnicodeAttribute()
    attempts = NumberAttribute()


class MadeItem(ExchangeItem):
    """Marker of a mail or delivery that was made, so that it is made once."""

    expires_at = NumberAttribute()


class _Outgoing(Generic[Sent]):
    """Mails, or deliveries of webhooks, that are to be sent."""

    _to_send: ClassVar[str]
    """Partition of the items to send."""

    def waiting(self) -> Sequence[Sent]:
        return [self._value(item) for item in OutgoingItem.query(self._to_send, consistent_read=True)]

    def claim(self, before: Sent, after: Sent) -> None:
        with conditional_write():
            self._item(after).save(condition=OutgoingItem.attempts == before.attempts)

    def done(self, sent: Sent) -> None:
        self._item(sent).delete()

    def _make(self, sent: Sent, key: str) -> None:
        """Write one that is to be sent, and the marker with this key, unless the marker is there."""
        mark = MadeItem(key, "MADE", expires_at=expiry(sent.created_at, SETTLED))
        with suppress(LostRaceError), atomic_writes() as transaction:
            transaction.save(mark, condition=MadeItem.pk.does_not_exist())
            transaction.save(self._item(sent), condition=OutgoingItem.pk.does_not_exist())

    def _stored(self, name: str, content: dict[str, Any], attempts: int) -> OutgoingItem:
        body = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
        return OutgoingItem(self._to_send, name, body=body, attempts=attempts)

    def _item(self, sent: Sent) -> OutgoingItem:
        raise NotImplementedError

    def _value(self, item: OutgoingItem) -> Sent:
        raise NotImplementedError


class LinkItem(ExchangeItem):
    """Unsubscription of a mail's link, stored under the hash of its token."""

    person_id = UnicodeAttribute()
    kind = UnicodeAttribute()
    expires_at = NumberAttribute()


class PositionItem(ExchangeItem):
    """Cursor of the log up to which mails are made."""

    cursor = UnicodeAttribute()
    version = NumberAttribute()


class DynamoMails(_Outgoing[Mail]):
    """:class:`contest.room_ports.Mails`."""

    _to_send = "MAILS"

    def add(self, mail: Mail) -> None:
        self._make(mail, f"MAIL#{mail.mail_id}")

    def get(self, mail_id: str) -> Mail | None:
        return OutgoingItem.one(self._to_send, mail_id, self._value)

    def note_link(self, token_sha256: str, stop: Stop, at: Millis) -> None:
        ends = expiry(at, LINK_LASTS)
        LinkItem(f"MAIL-LINK#{token_sha256}", "STOP", person_id=stop.person_id, kind=stop.kind, expires_at=ends).save()

    def stopped_by(self, token_sha256: str) -> Stop | None:
        return LinkItem.one(f"MAIL-LINK#{token_sha256}", "STOP", lambda item: Stop(item.person_id, MailKind(item.kind)))

    def position(self) -> Position | None:
        return PositionItem.one(*_POSITION, lambda item: Position(item.cursor, int(item.version)))

    def move(self, before: Position | None, after: Position) -> None:
        item = PositionItem(*_POSITION, cursor=after.cursor, version=after.version)
        absent = PositionItem.pk.does_not_exist()
        with conditional_write():
            item.save(condition=absent if before is None else PositionItem.version == before.version)

    def _item(self, sent: Mail) -> OutgoingItem:
        subject = {"en": sent.subject.en, "ru": sent.subject.ru}
        return self._stored(sent.mail_id, {**asdict(sent), "subject": subject}, sent.attempts)

    def _value(self, item: OutgoingItem) -> Mail:
        raw: dict[str, Any] = json.loads(item.body)
        return Mail(**{**raw, "subject": both(raw["subject"]), "kind": MailKind(raw["kind"])})


class ChoicesItem(Versioned, IdentityItem):
    """A person's choices."""


class DynamoMailChoices:
    """:class:`contest.room_ports.MailChoices`."""

    def get(self, person_id: str) -> Choices:
        return ChoicesItem.one(f"MAILS#{person_id}", "CHOICES", _choices) or Choices()

    def put(self, person_id: str, before: Choices, after: Choices) -> None:
        body = json.dumps({"stopped": sorted(after.stopped), "language": after.language})
        item = ChoicesItem(f"MAILS#{person_id}", "CHOICES", body=body, version=after.version)
        with conditional_write():
            item.save(condition=ChoicesItem.unchanged(before if before.version else None))


def _choices(item: ChoicesItem) -> Choices:
    raw = json.loads(item.body)
    return Choices(frozenset(map(MailKind, raw["stopped"])), MailLanguage(raw["language"]), int(item.version))


def message_of(addressed: Addressed, sender: str, subject: str, text: str, site: str) -> EmailMessage:
    """Return the message (RFC 5322), which one request unsubscribes from (RFC 8058); ValueError for no address."""
    message = EmailMessage(policy=SMTP)
    message["From"] = Address(addr_spec=sender)
    message["To"] = Address(addr_spec=addressed.address)
    message["Subject"] = subject
    message["Date"] = format_datetime(datetime.fromtimestamp(addressed.at // 1000, UTC))
    digest = sha256(addressed.mail.mail_id.encode()).hexdigest()[:32]
    message["Message-ID"] = f"<{digest}@{urlsplit(site).hostname}>"
    message["Auto-Submitted"] = "auto-generated"
    if addressed.unsubscribe:
        message["List-Unsubscribe"] = f"<{addressed.unsubscribe}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    message.set_content(text)
    return message


class SesMailer:
    """:class:`contest.room_ports.Mailer` on Amazon SES."""

    def __init__(self, sender: str, site: str) -> None:
        self.site = site
        self._sender = sender

    def send(self, addressed: Addressed, subject: str, text: str) -> None:
        message = message_of(addressed, self._sender, subject, text, self.site)
        aws.client("sesv2").send_email(
            FromEmailAddress=self._sender,
            Destination={"ToAddresses": [addressed.address]},
            Content={"Raw": {"Data": message.as_bytes()}},
        )


class FolderMailer:
    """:class:`contest.room_ports.Mailer` of the local cloud: a file a mail."""

    def __init__(self, folder: str, sender: str, site: str) -> None:
        self.site = site
        self._folder, self._sender = Path(folder), sender

    def send(self, addressed: Addressed, subject: str, text: str) -> None:
        message = message_of(addressed, self._sender, subject, text, self.site)
        digest = sha256(addressed.mail.mail_id.encode()).hexdigest()[:16]
        self._folder.mkdir(parents=True, exist_ok=True)
        (self._folder / f"{addressed.at}-{digest}.eml").write_bytes(message.as_bytes())


class HookItem(Versioned, ExchangeItem):
    """A hook, under its owner's place, with the id that tells it from a later one there."""

    hook_id = UnicodeAttribute()


class DynamoHooks(_Outgoing[Delivery]):
    """:class:`contest.room_ports.Hooks`."""

    _to_send = "HOOKS#TO-SEND"

    def all(self) -> Sequence[Hook]:
        return HookItem.values(Hook, _HOOKS)

    def add(self, hook: Hook, change: Change) -> None:
        save_logged(change, _hook_item(hook), HookItem.pk.does_not_exist())

    def remove(self, hook: Hook, change: Change) -> None:
        same = HookItem.hook_id == hook.hook_id
        with logged_writes(change) as transaction:
            transaction.delete(_hook_item(hook), condition=same)

    def note(self, before: Hook, after: Hook) -> None:
        with conditional_write():
            same = (HookItem.hook_id == before.hook_id) & HookItem.unchanged(before)
            _hook_item(after).save(condition=same)

    def deliver(self, delivery: Delivery) -> None:
        self._make(delivery, f"HOOK#{delivery.delivery_id}")

    def _item(self, sent: Delivery) -> OutgoingItem:
        return self._stored(sent.delivery_id, asdict(sent), sent.attempts)

    def _value(self, item: OutgoingItem) -> Delivery:
        return Delivery(**json.loads(item.body))


def _hook_item(hook: Hook) -> HookItem:
    return HookItem.of(_HOOKS, f"{hook.owner}#{hook.place}", hook, hook_id=hook.hook_id)


class HttpsPoster:
    """:class:`contest.room_ports.Poster` to the public internet: no other address, no redirect, no proxy."""

    to_loopback = False

    def __init__(self, whole_s: float = _WHOLE_S) -> None:
        self._whole_s = whole_s

    def post(self, delivery_id: str, url: str, body: bytes) -> int | None:
        if not may_be_called(url, to_loopback=False):
            raise NotTakenError("no address of a hook", Outcome.NOT_PUBLIC)
        host = urlsplit(url).hostname or ""

        def opened() -> HTTPConnection:
            addresses = {str(info[4][0]) for info in socket.getaddrinfo(host, PORT, type=socket.SOCK_STREAM)}
            if not addresses or not all(map(is_public, addresses)):
                raise NotTakenError("the host has an address that is not public", Outcome.NOT_PUBLIC)
            # A function of AWS reaches IPv4 alone.
            return _Pinned(host, min(addresses, key=lambda address: (":" in address, address)))

        return _posted(self._whole_s, opened, delivery_id, url, body)


class _Pinned(HTTPSConnection):
    """Connection to a host at a checked address: its name is not resolved again, and its certificate must
    be the name's."""

    def __init__(self, host: str, address: str) -> None:
        self._trusted = ssl.create_default_context()
        super().__init__(host, PORT, timeout=_WHOLE_S, context=self._trusted)
        self._address = address

    def connect(self) -> None:
        connected = socket.create_connection((self._address, PORT), _WHOLE_S)
        self.sock = self._trusted.wrap_socket(connected, server_hostname=self.host)


class LoopbackPoster:
    """:class:`contest.room_ports.Poster` of the local cloud, if its operator says so: this machine alone."""

    to_loopback = True

    def post(self, delivery_id: str, url: str, body: bytes) -> int | None:
        parts = urlsplit(url)
        if not may_be_called(url, to_loopback=True) or parts.scheme != "http" or parts.port is None:
            raise NotTakenError("no address of this machine", Outcome.NOT_PUBLIC)
        connection = HTTPConnection("127.0.0.1", parts.port, timeout=_WHOLE_S)
        return _posted(_WHOLE_S, lambda: connection, delivery_id, url, body)


class FolderPoster:
    """:class:`contest.room_ports.Poster` of the local cloud: a file a delivery, beside the mails."""

    to_loopback = False

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    def post(self, delivery_id: str, url: str, body: bytes) -> int | None:
        content: dict[str, Any] = {"url": url, "delivery": delivery_id, "body": json.loads(body)}
        self._folder.mkdir(parents=True, exist_ok=True)
        digest = sha256(delivery_id.encode()).hexdigest()[:16]
        text = json.dumps(content, ensure_ascii=False, indent=2)
        (self._folder / f"hook-{digest}.json").write_text(text, "utf-8")
        return None


def _posted(seconds: float, opened: Callable[[], HTTPConnection], delivery_id: str, url: str, body: bytes) -> int:
    """Send a request within so many seconds and return the answer's status; :class:`NotTakenError` where it fails or
    takes longer.

    Of the answer no more than status and headers are read, which the library bounds. A host that answers byte by byte
    is cut off. A name that is resolved when nobody waits any more is not connected to, and nothing is sent there.
    """
    parts = urlsplit(url)
    path = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    headers = {"Content-Type": "application/json", "User-Agent": "Hurdle-Webhook", "Hurdle-Delivery": delivery_id}
    outcomes, connections = list[int | Exception](), list[HTTPConnection]()

    is_over = threading.Event()

    def request() -> None:
        try:
            connections.append(opened())
            if is_over.is_set():
                return
            connections[0].connect()
            connections[0].auto_open = 0  # closed from outside, it stays closed
            if is_over.is_set():
                connections[0].close()
                return
            connections[0].request("POST", path, body, {**headers, "Connection": "close"})
            outcomes.append(connections[0].getresponse().status)
        except (OSError, HTTPException, ValueError, NotTakenError) as error:
            outcomes.append(error)

    thread = threading.Thread(target=request, daemon=True)
    thread.start()
    thread.join(seconds)
    is_over.set()
    outcome = outcomes[0] if outcomes else TimeoutError("no answer in time")
    for connection in connections:
        with suppress(OSError, AttributeError):  # it is closed, or was never opened
            connection.sock.shutdown(socket.SHUT_RDWR)
        connection.close()
    if isinstance(outcome, NotTakenError):
        raise outcome
    if isinstance(outcome, Exception):
        is_late = isinstance(outcome, TimeoutError)
        raise NotTakenError(str(outcome), Outcome.NO_ANSWER if is_late else Outcome.UNREACHABLE) from outcome
    if not 200 <= outcome < 300:
        raise NotTakenError(f"HTTP {outcome}", Outcome.REFUSED, outcome)
    return outcome


class QuestionItem(Versioned, CatalogueItem):
    """A question."""


class DynamoQuestions:
    """:class:`contest.room_ports.Questions` of one deployed cycle."""

    def __init__(self, cycle: str) -> None:
        self._key, self._announcements = f"QUESTIONS#{cycle}", announcements_key(cycle)

    def get(self, team_id: str, number: int) -> Question | None:
        return QuestionItem.find(self._key, _sort_key(team_id, number), Question)

    def of_team(self, team_id: str) -> Sequence[Question]:
        return QuestionItem.values(Question, self._key, QuestionItem.sk.startswith(f"{team_id}#"))

    def all(self) -> Sequence[Question]:
        return QuestionItem.values(Question, self._key)

    def write(
        self, before: Question | None, after: Question, change: Change, announced: Sequence[Announced] = ()
    ) -> None:
        with logged_writes(change) as transaction:
            self._put(transaction, before, after)
            for earlier, now in announced:
                put_announcement(transaction, self._announcements, earlier, now)

    def seen(self, question: Question) -> None:
        with logged_writes(None) as transaction:
            self._put(transaction, question, question)

    def _put(self, transaction: TransactWrite, before: Question | None, after: Question) -> None:
        item = QuestionItem.of(self._key, _sort_key(after.team_id, after.number), after)
        transaction.save(item, condition=QuestionItem.unchanged(before))


def _sort_key(team_id: str, number: int) -> str:
    return f"{team_id}#{number:04d}"
