"""Announcements passed on to whoever has subscribed: mail, a chat (D 6.12). The minute timer does it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from contest.domain.cycle.announcements import Announcement
from contest.ports import LostRaceError
from contest.services.platform import Platform


def untold(platform: Platform) -> Sequence[str]:
    """Ids of announcements that subscribers have not been told of as they stand now."""
    return [each.announcement_id for each in platform.announcements.all() if _is_untold(each)]


def tell(platform: Platform, announcement_id: str) -> int:
    """Tell subscribers of an announcement, and note it; how many were told of.

    What dies between the two tells once more: subscribers know an event by announcement and state.

    Clause: D 6.12
    """
    known = platform.announcements.get(announcement_id)
    if known is None or not _is_untold(known):
        return 0
    platform.announcer.tell(known)
    with suppress(LostRaceError):  # it was changed meanwhile, and is told of again as it stands then
        platform.announcements.told(replace(known, told=known.state))
    return 1


def _is_untold(known: Announcement) -> bool:
    return known.is_public and known.told is not known.state
