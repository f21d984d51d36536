"""Announcements: read by everybody, written, published, corrected and withdrawn by organizers (R 4.7, 5.8; D 6.12)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from contest.domain.cycle import announcements
from contest.domain.cycle.announcements import Announcement, AnnouncementKind, AnnouncementState
from contest.domain.moments import Millis, iso_or_none
from contest.domain.people.teams import Change
from contest.errors.cycle import AnnouncementStateError, BadCursorError, UnknownAnnouncementError
from contest.ports import Page
from contest.services.platform import Platform
from contest.services.races import decide_until_written
from tracks.protocol import Text

READ_FOR: Final[Millis] = 2_000
"""For so long a process goes by its copy of the announcements; everybody's cache keeps them longer."""


@dataclass(frozen=True, slots=True)
class Content:
    """What an organizer says in an announcement."""

    kind: AnnouncementKind
    title: Text
    text: Text
    about: Mapping[str, Any]
    effective_at: Millis | None


def published(platform: Platform, kind: AnnouncementKind | None, limit: int, after: str | None) -> Page[Announcement]:
    """Announcements for everybody, the latest first, also those that were corrected or withdrawn; ``after``: the last
    one of the page before. :class:`BadCursorError`.

    Clause: R 4.7, R 5.8, R 9.2, D 6.12
    """
    moment = platform.clock.now() // READ_FOR
    known = platform.memory.keep(("announcements", moment), lambda: tuple(platform.announcements.all()))
    public = [each for each in known if each.is_public and (kind is None or each.kind is kind)]
    public.sort(key=lambda each: (each.published_at or 0, each.announcement_id), reverse=True)
    ids = [each.announcement_id for each in public]
    if after is not None and after not in ids:
        raise BadCursorError
    first = 0 if after is None else ids.index(after) + 1
    page = tuple(public[first : first + limit])
    return Page(page, page[-1].announcement_id if first + limit < len(public) else None)


def one(platform: Platform, announcement_id: str) -> Announcement:
    """An announcement that was published; :class:`UnknownAnnouncementError`."""
    found = platform.announcements.get(announcement_id)
    if found is None or not found.is_public:
        raise UnknownAnnouncementError
    return found


def drafts(platform: Platform) -> tuple[Announcement, ...]:
    """Drafts that wait for somebody, the oldest first."""
    found = (each for each in platform.announcements.all() if each.state is AnnouncementState.DRAFT)
    return tuple(sorted(found, key=lambda each: (each.created_at, each.announcement_id)))


def announce(platform: Platform, who: str, content: Content, *, as_draft: bool) -> Announcement:
    """Publish a new announcement, or keep it as a draft.

    Clause: R 4.7, R 9.2, D 6.12, D 9.14
    """
    now = platform.clock.now()
    made = _made(platform, content, now)
    if not as_draft:
        made = replace(announcements.published(made, now), version=1)
    what = "announcement drafted" if as_draft else "announcement published"
    platform.announcements.add(made, Change(now, who, what, made.announcement_id, None, described(made)))
    return made


def publish(platform: Platform, who: str, announcement_id: str, title: Text | None, text: Text | None) -> Announcement:
    """Publish a draft, with another title or text where they are said."""

    def decided(known: Announcement, now: Millis) -> tuple[Announcement, None]:
        said = replace(known, title=title or known.title, text=text or known.text)
        return announcements.published(said, now), None

    return _replaced(platform, who, "announcement published", announcement_id, decided)


def withdraw(platform: Platform, who: str, announcement_id: str, reason: str) -> Announcement:
    """Withdraw a published announcement, which stays to be read as such; discard a draft."""

    def decided(known: Announcement, now: Millis) -> tuple[Announcement, None]:
        if known.state is AnnouncementState.DRAFT:
            return replace(announcements.discarded(known, now), reason=reason), None
        return announcements.withdrawn(known, now, reason), None

    return _replaced(platform, who, "announcement withdrawn", announcement_id, decided)


def correct(platform: Platform, who: str, announcement_id: str, content: Content) -> Announcement:
    """Publish an announcement in the place of another, which stays to be read and names it; the new one."""
    new_id = platform.randomness.token_id()

    def decided(known: Announcement, now: Millis) -> tuple[Announcement, Announcement]:
        made = replace(_made(platform, content, now), announcement_id=new_id)
        return announcements.corrected(known, replace(announcements.published(made, now), version=1), now)

    _replaced(platform, who, "announcement corrected", announcement_id, decided)
    return one(platform, new_id)


def described(known: Announcement) -> dict[str, Any]:
    """An announcement in the audit log."""
    return {
        "kind": known.kind.value,
        "state": known.state.value,
        "title": {"en": known.title.en, "ru": known.title.ru},
        "text": {"en": known.text.en, "ru": known.text.ru},
        "about": dict(known.about),
        "effective_at": iso_or_none(known.effective_at),
        "reason": known.reason,
        "corrected_by": known.corrected_by,
    }


def _made(platform: Platform, content: Content, now: Millis) -> Announcement:
    return Announcement(
        platform.randomness.token_id(),
        content.kind,
        content.title,
        content.text,
        now,
        content.about,
        content.effective_at,
    )


def _replaced(
    platform: Platform,
    who: str,
    what: str,
    announcement_id: str,
    decide: Callable[[Announcement, Millis], tuple[Announcement, Announcement | None]],
) -> Announcement:
    def read() -> Announcement:
        found = platform.announcements.get(announcement_id)
        if found is None:
            raise UnknownAnnouncementError
        return found

    def write(before: Announcement) -> Announcement:
        now = platform.clock.now()
        try:
            after, new = decide(before, now)
        except LookupError:
            raise AnnouncementStateError.being(before.state.value) from None
        entry = Change(now, who, what, announcement_id, described(before), described(after))
        platform.announcements.replace(before, after, entry, new)
        return after

    return decide_until_written(read(), write, read)
