"""The cycle, its parameters, imports and announcements in the catalogue table; announcements as events on the bus."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, Final

from pynamodb.attributes import UnicodeAttribute
from pynamodb.transactions import TransactWrite

from contest.adapters import aws
from contest.adapters.aws import CatalogueItem, Versioned
from contest.cycle.rules.cycle import Cycle, Parameters
from contest.cycle.rules.notices import (
    Announced,
    Announcement,
    AnnouncementKind,
    AnnouncementState,
    both,
    describe_announcement,
)
from contest.cycle.rules.sets import WORKED_ON, Import
from contest.people.rules import Change
from contest.people.store import logged_writes, save_logged
from contest.values import iso_or_none, read_as


class ImportItem(Versioned, CatalogueItem):
    """An import."""


class DynamoImports:
    """:class:`contest.room_ports.Imports` of one deployed cycle."""

    def __init__(self, cycle: str) -> None:
        self._key = f"IMPORTS#{cycle}"

    def get(self, import_id: str) -> Import | None:
        return ImportItem.find(self._key, import_id, Import)

    def listed(self) -> Sequence[Import]:
        return ImportItem.values(Import, self._key)

    def unfinished(self) -> Sequence[Import]:
        return [the_import for the_import in self.listed() if the_import.state in WORKED_ON]

    def write(self, before: Import | None, after: Import, change: Change | None) -> None:
        item = ImportItem(self._key, after.import_id, body=json.dumps(asdict(after)), version=after.version)
        save_logged(change, item, ImportItem.unchanged(before))


class AnnouncementItem(Versioned, CatalogueItem):
    """An announcement."""


class DynamoAnnouncements:
    """:class:`contest.room_ports.Announcements` of one deployed cycle."""

    def __init__(self, cycle: str) -> None:
        self._key = announcements_key(cycle)

    def get(self, announcement_id: str) -> Announcement | None:
        return AnnouncementItem.one(self._key, announcement_id, _announcement)

    def all(self) -> Sequence[Announcement]:
        return [_announcement(item) for item in AnnouncementItem.query(self._key, consistent_read=True)]

    def add(self, announcement: Announcement, change: Change | None) -> None:
        with logged_writes(change) as transaction:
            put_announcement(transaction, self._key, None, announcement)

    def replace(
        self, before: Announcement, after: Announcement, change: Change, new: Announcement | None = None
    ) -> None:
        with logged_writes(change) as transaction:
            put_announcement(transaction, self._key, before, after)
            if new is not None:
                put_announcement(transaction, self._key, None, new)

    def told(self, announcement: Announcement) -> None:
        with logged_writes(None) as transaction:
            put_announcement(transaction, self._key, announcement, announcement)


def announcements_key(cycle: str) -> str:
    """Return the partition key of a cycle's announcements."""
    return f"ANNOUNCEMENTS#{cycle}"


def put_announcement(transaction: TransactWrite, key: str, before: Announcement | None, after: Announcement) -> None:
    """Put an announcement in a transaction if the one there is still ``before``."""
    texts = {name: {"en": text.en, "ru": text.ru} for name, text in (("title", after.title), ("text", after.text))}
    body = json.dumps({**asdict(after), **texts}, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    item = AnnouncementItem(key, after.announcement_id, body=body, version=after.version)
    transaction.save(item, condition=AnnouncementItem.unchanged(before))


def _announcement(item: AnnouncementItem) -> Announcement:
    raw: dict[str, Any] = json.loads(item.body)
    texts = {name: both(raw[name]) for name in ("title", "text")}
    told_state = None if raw["told"] is None else AnnouncementState(raw["told"])
    states = {"kind": AnnouncementKind(raw["kind"]), "state": AnnouncementState(raw["state"]), "told": told_state}
    return Announcement(**{**raw, **texts, **states})


class CycleItem(Versioned, CatalogueItem):
    """The cycle."""


class ParametersItem(CatalogueItem):
    """One version of the parameters as JSON."""

    body = UnicodeAttribute()


class DynamoCatalogue:
    """:class:`contest.ports.Catalogue` of one deployed cycle."""

    def __init__(self, cycle: str) -> None:
        self._key, self._current = current_key(cycle)
        self._announcements = announcements_key(cycle)

    def cycle(self, known: Cycle | None = None) -> Cycle | None:
        def read(item: CycleItem) -> Cycle:
            return known if known is not None and known.version == item.version else cycle_of(item)

        return CycleItem.one(self._key, self._current, read)

    def parameters(self, version: int) -> Parameters:
        item = ParametersItem.get(self._key, _parameters_sk(version), consistent_read=True)
        return read_as(Parameters, json.loads(item.body))

    def publish(
        self, cycle: Cycle, parameters: Parameters | None, change: Change, announced: Sequence[Announced] = ()
    ) -> None:
        after = replace(cycle, version=cycle.version + 1)
        item = CycleItem.of(self._key, self._current, after)
        with logged_writes(change) as transaction:
            transaction.save(item, condition=CycleItem.unchanged(cycle if cycle.version else None))
            if parameters is not None:
                body = json.dumps(asdict(parameters), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
                new = ParametersItem(self._key, _parameters_sk(parameters.version), body=body)
                transaction.save(new, condition=ParametersItem.pk.does_not_exist())
            for before, now in announced:
                put_announcement(transaction, self._announcements, before, now)


def _parameters_sk(version: int) -> str:
    return f"PARAMETERS#{version:06d}"


def current_key(cycle: str) -> tuple[str, str]:
    """Return the partition and sort key of a cycle as last written."""
    return f"CYCLE#{cycle}", "CURRENT"


def cycle_of(item: CycleItem) -> Cycle:
    """Read the domain's value from an item."""
    return read_as(Cycle, {**json.loads(item.body), "version": int(item.version)})


DETAIL_TYPE: Final = "Announcement"


class AnnouncerError(RuntimeError):
    """Error: the bus did not accept an event; it is sent again in a minute."""


class EventBusAnnouncer:
    """:class:`contest.room_ports.Announcer`; an event's source names the cycle: ``hurdle.demo``."""

    def __init__(self, cycle: str) -> None:
        self._source = f"hurdle.{cycle}"

    def tell(self, announcement: Announcement) -> None:
        entry = {
            "Source": self._source,
            "DetailType": DETAIL_TYPE,
            "Detail": json.dumps(_detail(announcement), ensure_ascii=False),
        }
        answer: Any = aws.client("events").put_events(Entries=[entry])
        if answer.get("FailedEntryCount"):
            raise AnnouncerError(f"not taken: {answer['Entries'][0].get('ErrorCode')}")


def _detail(announcement: Announcement) -> dict[str, Any]:
    """Return the event for subscribers: at most some 60 KB of two texts, of the 256 KB that an event may have."""
    return {
        "announcement_id": announcement.announcement_id,
        **describe_announcement(announcement),
        "published_at": iso_or_none(announcement.published_at),
    }
