"""Announcements as events on the account's default bus, where whoever sends mail subscribes (EventBridge)."""

from __future__ import annotations

import json
from typing import Any, Final

from contest.adapters import aws
from contest.domain.cycle.announcements import Announcement
from contest.domain.moments import iso_or_none

DETAIL_TYPE: Final = "Announcement"


class AnnouncerError(RuntimeError):
    """The bus did not take an event; it is sent again in a minute."""


class EventBusAnnouncer:
    """:class:`contest.ports.announcements.Announcer`; an event's source names the cycle: ``hurdle.demo``."""

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


def _detail(told: Announcement) -> dict[str, Any]:
    """What subscribers read: at most some 60 KB of two texts, of the 256 KB that an event may have."""
    return {
        "announcement_id": told.announcement_id,
        "kind": told.kind.value,
        "state": told.state.value,
        "title": {"en": told.title.en, "ru": told.title.ru},
        "text": {"en": told.text.en, "ru": told.text.ru},
        "about": dict(told.about),
        "effective_at": iso_or_none(told.effective_at),
        "published_at": iso_or_none(told.published_at),
        "corrected_by": told.corrected_by,
        "reason": told.reason,
    }
