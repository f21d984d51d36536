"""Announcements: drafted, published, sent to subscribers by mail or to a chat (R 4.7, 5.8; D 6.12)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from contest import reading
from contest.cycle import parameters as cycle_parameters
from contest.cycle.errors import AnnouncementStateError, BadCursorError, UnknownAnnouncementError
from contest.cycle.rules import notices
from contest.cycle.rules.cycle import OPEN_TO_ALL, Cycle, Parameters
from contest.cycle.rules.notices import Announced, Announcement, AnnouncementKind, AnnouncementState, changes
from contest.people.rules import Change
from contest.platform import Platform, read_and_decide
from contest.ports import LostRaceError, Page
from contest.values import Millis
from markup_core.lazy import dataclass
from tracks.protocol import Text

READ_FOR: Final[Millis] = 2_000
"""For so long a process goes by its copy of the announcements; everybody's cache keeps them longer."""


@dataclass(frozen=True, slots=True)
class Content:
    """An organizer's content of an announcement."""

    kind: AnnouncementKind
    title: Text
    text: Text
    about: Mapping[str, Any]
    effective_at: Millis | None


# Clause: R 4.7, R 5.8, R 9.2, D 6.12
def published(platform: Platform, kind: AnnouncementKind | None, limit: int, after: str | None) -> Page[Announcement]:
    """List announcements for everybody, the latest first, also those that were corrected or withdrawn; ``after``: the
    last one of the page before. :class:`BadCursorError`."""
    moment = platform.clock.now() // READ_FOR
    announcements = platform.memory.keep(("announcements", moment), lambda: tuple(platform.announcements.all()))
    public = [
        announcement
        for announcement in announcements
        if announcement.is_public and (kind is None or announcement.kind is kind)
    ]
    public.sort(key=lambda announcement: (announcement.published_at or 0, announcement.announcement_id), reverse=True)
    ids = [announcement.announcement_id for announcement in public]
    if after is not None and after not in ids:
        raise BadCursorError
    first = 0 if after is None else ids.index(after) + 1
    page = tuple(public[first : first + limit])
    return Page(page, page[-1].announcement_id if first + limit < len(public) else None)


def stood_at(platform: Platform, kind: AnnouncementKind, moment: Millis) -> list[Announcement]:
    """List announcements of a kind that were published by a moment and then neither corrected nor withdrawn, by id."""
    announcements = platform.announcements.all()
    published = [
        notice for notice in announcements if notice.kind is kind and (notice.published_at or moment + 1) <= moment
    ]
    return [notice for notice in published if notice.ended_at is None or notice.ended_at > moment]


def one(platform: Platform, announcement_id: str) -> Announcement:
    """Return a published announcement; :class:`UnknownAnnouncementError`."""
    announcement = platform.announcements.get(announcement_id)
    if announcement is None or not announcement.is_public:
        raise UnknownAnnouncementError
    return announcement


def drafts(platform: Platform) -> tuple[Announcement, ...]:
    """List drafts that wait for a person, the oldest first."""
    waiting = (
        announcement for announcement in platform.announcements.all() if announcement.state is AnnouncementState.DRAFT
    )
    return tuple(sorted(waiting, key=lambda announcement: (announcement.created_at, announcement.announcement_id)))


# Clause: R 4.7, R 9.2, D 6.12, D 9.14
def announce(platform: Platform, who: str, content: Content, *, as_draft: bool) -> Announcement:
    """Publish a new announcement, or keep it as a draft."""
    now = platform.clock.now()
    announcement = _made(platform, content, now)
    if not as_draft:
        announcement = replace(notices.published(announcement, now), version=1)
    what = "announcement drafted" if as_draft else "announcement published"
    platform.announcements.add(
        announcement, Change(now, who, what, announcement.announcement_id, None, notices.described(announcement))
    )
    return announcement


def publish(platform: Platform, who: str, announcement_id: str, title: Text | None, text: Text | None) -> Announcement:
    """Publish a draft, with another title or text where they are given."""

    def decided(before: Announcement, now: Millis) -> tuple[Announcement, None]:
        worded = replace(before, title=title or before.title, text=text or before.text)
        return notices.published(worded, now), None

    return _replaced(platform, who, "announcement published", announcement_id, decided)


def withdraw(platform: Platform, who: str, announcement_id: str, reason: str) -> Announcement:
    """Withdraw a published announcement, which stays to be read as such; discard a draft."""

    def decided(before: Announcement, now: Millis) -> tuple[Announcement, None]:
        if before.state is AnnouncementState.DRAFT:
            return replace(notices.discarded(before, now), reason=reason), None
        return notices.withdrawn(before, now, reason), None

    return _replaced(platform, who, "announcement withdrawn", announcement_id, decided)


def correct(platform: Platform, who: str, announcement_id: str, content: Content) -> Announcement:
    """Publish an announcement in the place of another, which stays readable and names it; return the new one."""
    new_id = platform.randomness.token_id()

    def decided(before: Announcement, now: Millis) -> tuple[Announcement, Announcement]:
        correction = replace(_made(platform, content, now), announcement_id=new_id)
        return notices.corrected(before, replace(notices.published(correction, now), version=1), now)

    _replaced(platform, who, "announcement corrected", announcement_id, decided)
    return one(platform, new_id)


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
        announcement = platform.announcements.get(announcement_id)
        if announcement is None:
            raise UnknownAnnouncementError
        return announcement

    def write(before: Announcement) -> Announcement:
        now = platform.clock.now()
        try:
            after, new = decide(before, now)
        except LookupError:
            raise AnnouncementStateError.being(before.state.value) from None
        entry = Change(now, who, what, announcement_id, notices.described(before), notices.described(after))
        platform.announcements.replace(before, after, entry, new)
        return after

    return read_and_decide(read, write)


AT_ONCE = "cycle loaded / загружен цикл"
"""The reason of a change of parameters that came with a loaded cycle, in both languages."""


# Clause: R 4.7, R 5.8, R 9.2
def of_loading(
    platform: Platform, before: Cycle | None, after: Cycle, parameters: Parameters, now: Millis
) -> Iterator[Announced]:
    """Draft announcements of new sets and modules; a new version of the parameters is announced at once.

    Of a cycle that was not there before nothing is told: its beginning is announced by people.
    """
    if before is None:
        return
    if parameters.version > before.last_version:
        current = reading.parameters(platform, before.version_at(now))
        changed = changes(cycle_parameters.content(current), cycle_parameters.content(parameters))
        yield None, notices.draft_of_parameters(parameters.version, changed, now, AT_ONCE, now)
    earlier, later = ({essay_set.name: essay_set for essay_set in cycle.sets} for cycle in (before, after))
    differing = sorted(name for name in {*earlier, *later} if earlier.get(name) != later.get(name))
    open_to_all = [
        name
        for name in differing
        if any(
            essay_set.kind in OPEN_TO_ALL for essay_set in (earlier.get(name), later.get(name)) if essay_set is not None
        )
    ]
    if open_to_all:
        yield None, notices.of_sets(before.version + 1, open_to_all, now)
    yield from of_modules(before, after, now)


# Clause: R 4.7, R 9.2
def of_modules(before: Cycle, after: Cycle, now: Millis) -> Iterator[Announced]:
    """Draft the announcement of other common modules, if they have changed."""
    if after.known_modules != before.known_modules:
        yield None, notices.of_modules(before.version + 1, after.known_modules, now)


def untold(platform: Platform) -> Sequence[str]:
    """List ids of announcements whose present version was not sent to subscribers."""
    return [announcement.announcement_id for announcement in platform.announcements.all() if _is_untold(announcement)]


# Clause: D 6.12
def tell(platform: Platform, announcement_id: str) -> int:
    """Send an announcement to subscribers and note it; return 1, or 0 where there is nothing to send.

    What dies between the two tells once more: subscribers know an event by announcement and state.
    """
    announcement = platform.announcements.get(announcement_id)
    if announcement is None or not _is_untold(announcement):
        return 0
    platform.announcer.tell(announcement)
    with suppress(LostRaceError):  # it was changed meanwhile, and is told of again as it stands then
        platform.announcements.told(replace(announcement, told=announcement.state))
    return 1


def _is_untold(announcement: Announcement) -> bool:
    return announcement.is_public and announcement.told is not announcement.state
