"""Mails and their position in the exchange table, choices in the identity table; Amazon SES, or a folder, as their way
out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from contest.adapters import aws
from contest.adapters.storage import ExchangeItem, IdentityItem, Versioned, atomic_writes, condition, expiry
from contest.cycle.rules.notices import both
from contest.mails.rules import LINK_LASTS, SETTLED, Addressed, Choices, Mail, MailKind, MailLanguage, Position, Stop
from contest.ports import LostRaceError
from contest.values import Millis

_TO_SEND: Final = "MAILS"
_POSITION: Final = ("MAILS#POSITION", "LOG")


class MailItem(ExchangeItem):
    """A mail to send as JSON, with the number of attempts that its conditions are about."""

    body = UnicodeAttribute()
    attempts = NumberAttribute()


class MadeItem(ExchangeItem):
    """Memory that a mail was made."""

    expires_at = NumberAttribute()


class LinkItem(ExchangeItem):
    """Unsubscription of a mail's link, stored under the hash of its token."""

    person_id = UnicodeAttribute()
    kind = UnicodeAttribute()
    expires_at = NumberAttribute()


class PositionItem(ExchangeItem):
    """Cursor of the log up to which mails are made."""

    cursor = UnicodeAttribute()
    version = NumberAttribute()


class DynamoMails:
    """:class:`contest.mails.ports.Mails`."""

    def add(self, mail: Mail) -> None:
        mark = MadeItem(f"MAIL#{mail.mail_id}", "MADE", expires_at=expiry(mail.created_at, SETTLED))
        with suppress(LostRaceError), atomic_writes() as transaction:
            transaction.save(mark, condition=MadeItem.pk.does_not_exist())
            transaction.save(_item(mail), condition=MailItem.pk.does_not_exist())

    def get(self, mail_id: str) -> Mail | None:
        return MailItem.one(_TO_SEND, mail_id, _mail)

    def waiting(self) -> Sequence[Mail]:
        return [_mail(item) for item in MailItem.query(_TO_SEND, consistent_read=True)]

    def claim(self, before: Mail, after: Mail) -> None:
        with condition():
            _item(after).save(condition=MailItem.attempts == before.attempts)

    def done(self, mail: Mail) -> None:
        _item(mail).delete()

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
        with condition():
            item.save(condition=absent if before is None else PositionItem.version == before.version)


def _item(mail: Mail) -> MailItem:
    raw = {**asdict(mail), "subject": {"en": mail.subject.en, "ru": mail.subject.ru}}
    body = json.dumps(raw, ensure_ascii=False, separators=(",", ":"))
    return MailItem(_TO_SEND, mail.mail_id, body=body, attempts=mail.attempts)


def _mail(item: MailItem) -> Mail:
    raw: dict[str, Any] = json.loads(item.body)
    return Mail(**{**raw, "subject": both(raw["subject"]), "kind": MailKind(raw["kind"])})


class ChoicesItem(Versioned, IdentityItem):
    """A person's choices."""


class DynamoMailChoices:
    """:class:`contest.mails.ports.MailChoices`."""

    def get(self, person_id: str) -> Choices:
        return ChoicesItem.one(f"MAILS#{person_id}", "CHOICES", _choices) or Choices()

    def put(self, person_id: str, before: Choices, after: Choices) -> None:
        body = json.dumps({"stopped": sorted(after.stopped), "language": after.language})
        item = ChoicesItem(f"MAILS#{person_id}", "CHOICES", body=body, version=after.version)
        with condition():
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
    digest = hashlib.sha256(addressed.mail.mail_id.encode()).hexdigest()[:32]
    message["Message-ID"] = f"<{digest}@{urlsplit(site).hostname}>"
    message["Auto-Submitted"] = "auto-generated"
    if addressed.unsubscribe:
        message["List-Unsubscribe"] = f"<{addressed.unsubscribe}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    message.set_content(text)
    return message


class SesMailer:
    """:class:`contest.mails.ports.Mailer` on Amazon SES."""

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
    """:class:`contest.mails.ports.Mailer` of the local cloud: a file a mail."""

    def __init__(self, folder: str, sender: str, site: str) -> None:
        self.site = site
        self._folder, self._sender = Path(folder), sender

    def send(self, addressed: Addressed, subject: str, text: str) -> None:
        message = message_of(addressed, self._sender, subject, text, self.site)
        digest = hashlib.sha256(addressed.mail.mail_id.encode()).hexdigest()[:16]
        self._folder.mkdir(parents=True, exist_ok=True)
        (self._folder / f"{addressed.at}-{digest}.eml").write_bytes(message.as_bytes())
