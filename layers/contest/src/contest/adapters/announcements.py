"""Announcements in the catalogue table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.exceptions import DoesNotExist
from pynamodb.transactions import TransactWrite

from contest.adapters.audit_log import write_change
from contest.adapters.dynamo import CatalogueItem
from contest.domain.cycle.announcements import Announcement, AnnouncementKind, AnnouncementState, both
from contest.domain.people.teams import Change


class AnnouncementItem(CatalogueItem):
    """An announcement as JSON, with the version its conditions are about."""

    body = UnicodeAttribute()
    version = NumberAttribute()


class DynamoAnnouncements:
    """:class:`contest.ports.announcements.Announcements` of one deployed cycle."""

    def __init__(self, cycle: str) -> None:
        self._key = announcements_key(cycle)

    def get(self, announcement_id: str) -> Announcement | None:
        try:
            return _announcement(AnnouncementItem.get(self._key, announcement_id, consistent_read=True))
        except DoesNotExist:
            return None

    def all(self) -> Sequence[Announcement]:
        return [_announcement(each) for each in AnnouncementItem.query(self._key, consistent_read=True)]

    def add(self, announcement: Announcement, change: Change | None) -> None:
        write_change(change, lambda transaction: put_announcement(transaction, self._key, None, announcement))

    def replace(
        self, before: Announcement, after: Announcement, change: Change, new: Announcement | None = None
    ) -> None:
        def build(transaction: TransactWrite) -> None:
            put_announcement(transaction, self._key, before, after)
            if new is not None:
                put_announcement(transaction, self._key, None, new)

        write_change(change, build)

    def told(self, announcement: Announcement) -> None:
        write_change(None, lambda transaction: put_announcement(transaction, self._key, announcement, announcement))


def announcements_key(cycle: str) -> str:
    """Partition key of a cycle's announcements."""
    return f"ANNOUNCEMENTS#{cycle}"


def put_announcement(transaction: TransactWrite, key: str, before: Announcement | None, after: Announcement) -> None:
    """Put an announcement in a transaction if the one there is still ``before``."""
    body = json.dumps(asdict(after), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    item = AnnouncementItem(key, after.announcement_id, body=body, version=after.version)
    absent, same = AnnouncementItem.pk.does_not_exist(), AnnouncementItem.version == (before.version if before else 0)
    transaction.save(item, condition=absent if before is None else same)


def _announcement(item: AnnouncementItem) -> Announcement:
    raw: dict[str, Any] = json.loads(item.body)
    texts = {name: both(raw[name]) for name in ("title", "text")}
    told = None if raw["told"] is None else AnnouncementState(raw["told"])
    states = {"kind": AnnouncementKind(raw["kind"]), "state": AnnouncementState(raw["state"]), "told": told}
    return Announcement(**{**raw, **texts, **states})
