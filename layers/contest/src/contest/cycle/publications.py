"""Publications of a cycle: announcements, pages with earlier cycles, the participants' kit; its notation for people.

Announcements are drafted, published, and sent to subscribers by mail or to a chat (R 4.7, 5.8; D 6.12). Pages are read
from a cycle's folder, stored by their hashes, and read by everybody. The kit is a signed list of files (R 4.2, 4.3).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from contest import reading
from contest.cycle import parameters as cycle_parameters
from contest.cycle.parameters import sets_and_modules_changed_at, sets_warnings
from contest.cycle.rules import notices
from contest.cycle.rules.cycle import (
    DEEPEST,
    LONGEST_PAGE,
    MOST_PAGES,
    MOST_VERSIONS,
    OPEN_TO_ALL,
    PAGE_LANGUAGES,
    PAGES_FOLDER,
    Cycle,
    Kit,
    KitList,
    Page,
    PageVersion,
    Parameters,
    conflicting_kit,
    is_too_deep,
    kit_statement,
    published_pages,
)
from contest.cycle.rules.notices import Announced, Announcement, AnnouncementKind, AnnouncementState, changes
from contest.cycle.set_files import Source
from contest.errors import (
    AnnouncementStateError,
    AnswerTooLargeError,
    BadCursorError,
    InvalidRequestError,
    KitVersionTakenError,
    UnknownAnnouncementError,
    UnknownPageError,
)
from contest.people.rules import Change
from contest.platform import Platform, read_and_decide, signature_of
from contest.ports import LostRaceError
from contest.ports import Page as ListPage
from contest.refusals import Fault
from contest.stored_names import blob_names
from contest.texts import tr
from contest.values import Millis, canonical, sha256_hex
from markup_core.lazy import dataclass
from tracks.protocol import Reason, Text, Track, Verdict, Written

READ_FOR: Final[Millis] = 2_000
"""Longest use of a process's copy of the announcements, in milliseconds; public caches keep them longer."""


@dataclass(frozen=True, slots=True)
class AnnouncementContent:
    """An organizer's content of an announcement."""

    kind: AnnouncementKind
    title: Text
    text: Text
    about: Mapping[str, Any]
    effective_at: Millis | None


# Clause: R 4.7, R 5.8, R 9.2, D 6.12
def public_announcements(
    platform: Platform, kind: AnnouncementKind | None, limit: int, after: str | None
) -> ListPage[Announcement]:
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
    return ListPage(page, page[-1].announcement_id if first + limit < len(public) else None)


def announcements_at(platform: Platform, kind: AnnouncementKind, moment: Millis) -> list[Announcement]:
    """List announcements of a kind that were published by a moment and then neither corrected nor withdrawn, by id."""
    announcements = platform.announcements.all()
    published = [
        notice for notice in announcements if notice.kind is kind and (notice.published_at or moment + 1) <= moment
    ]
    return [notice for notice in published if notice.ended_at is None or notice.ended_at > moment]


def public_announcement(platform: Platform, announcement_id: str) -> Announcement:
    """Return a published announcement; :class:`UnknownAnnouncementError`."""
    announcement = platform.announcements.get(announcement_id)
    if announcement is None or not announcement.is_public:
        raise UnknownAnnouncementError
    return announcement


def announcement_drafts(platform: Platform) -> tuple[Announcement, ...]:
    """List drafts that wait for a person, the oldest first."""
    waiting = (
        announcement for announcement in platform.announcements.all() if announcement.state is AnnouncementState.DRAFT
    )
    return tuple(sorted(waiting, key=lambda announcement: (announcement.created_at, announcement.announcement_id)))


# Clause: R 4.7, R 9.2, D 6.12, D 9.14
def announce(platform: Platform, who: str, content: AnnouncementContent, *, as_draft: bool) -> Announcement:
    """Publish a new announcement, or keep it as a draft."""
    now = platform.clock.now()
    announcement = _made(platform, content, now)
    if not as_draft:
        announcement = replace(notices.published(announcement, now), version=1)
    what = "announcement drafted" if as_draft else "announcement published"
    platform.announcements.add(
        announcement,
        Change(now, who, what, announcement.announcement_id, None, notices.describe_announcement(announcement)),
    )
    return announcement


def publish_draft(
    platform: Platform, who: str, announcement_id: str, title: Text | None, text: Text | None
) -> Announcement:
    """Publish a draft, with another title or text where they are given."""

    def decided(before: Announcement, now: Millis) -> tuple[Announcement, None]:
        worded = replace(before, title=title or before.title, text=text or before.text)
        return notices.published(worded, now), None

    return _replaced(platform, who, "announcement published", announcement_id, decided)


def withdraw_announcement(platform: Platform, who: str, announcement_id: str, reason: str) -> Announcement:
    """Withdraw a published announcement, which stays to be read as such; discard a draft."""

    def decided(before: Announcement, now: Millis) -> tuple[Announcement, None]:
        if before.state is AnnouncementState.DRAFT:
            return replace(notices.discarded(before, now), reason=reason), None
        return notices.withdrawn(before, now, reason), None

    return _replaced(platform, who, "announcement withdrawn", announcement_id, decided)


def correct_announcement(
    platform: Platform, who: str, announcement_id: str, content: AnnouncementContent
) -> Announcement:
    """Publish an announcement in the place of another, which stays readable and names it; return the new one."""
    new_id = platform.randomness.token_id()

    def decided(before: Announcement, now: Millis) -> tuple[Announcement, Announcement]:
        correction = replace(_made(platform, content, now), announcement_id=new_id)
        return notices.corrected(before, replace(notices.published(correction, now), version=1), now)

    _replaced(platform, who, "announcement corrected", announcement_id, decided)
    return public_announcement(platform, new_id)


def _made(platform: Platform, content: AnnouncementContent, now: Millis) -> Announcement:
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
            raise AnnouncementStateError.being(before.state.value, "announcement") from None
        entry = Change(
            now, who, what, announcement_id, notices.describe_announcement(before), notices.describe_announcement(after)
        )
        platform.announcements.replace(before, after, entry, new)
        return after

    return read_and_decide(read, write)


AT_ONCE = "cycle loaded / загружен цикл"
"""The reason of a change of parameters that came with a loaded cycle, in both languages."""


# Clause: R 4.7, R 5.8, R 9.2
def announcements_of_loading(
    platform: Platform, before: Cycle | None, after: Cycle, parameters: Parameters, now: Millis
) -> Iterator[Announced]:
    """Draft announcements of new sets and modules; a new version of the parameters is announced at once.

    The first loading of a cycle announces nothing: people announce the beginning of a cycle.
    """
    if before is None:
        return
    if parameters.version > before.last_version:
        current = reading.parameters(platform, before.version_at(now))
        changed = changes(cycle_parameters.version_content(current), cycle_parameters.version_content(parameters))
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
    yield from announcements_of_modules(before, after, now)


# Clause: R 4.7, R 9.2
def announcements_of_modules(before: Cycle, after: Cycle, now: Millis) -> Iterator[Announced]:
    """Draft the announcement of other common modules, if they have changed."""
    if after.known_modules != before.known_modules:
        yield None, notices.of_modules(before.version + 1, after.known_modules, now)


def untold_announcements(platform: Platform) -> Sequence[str]:
    """List ids of announcements whose present version was not sent to subscribers."""
    return [announcement.announcement_id for announcement in platform.announcements.all() if _is_untold(announcement)]


# Clause: D 6.12
def tell_subscribers(platform: Platform, announcement_id: str) -> int:
    """Send an announcement to subscribers and record that; return 1, or 0 if there is nothing to send.

    A process that dies between the two sends it again: subscribers recognize an event by announcement and state.
    """
    announcement = platform.announcements.get(announcement_id)
    if announcement is None or not _is_untold(announcement):
        return 0
    platform.announcer.tell(announcement)
    with suppress(LostRaceError):  # it was changed meanwhile, and is sent again in its new state
        platform.announcements.told(replace(announcement, told=announcement.state))
    return 1


def _is_untold(announcement: Announcement) -> bool:
    return announcement.is_public and announcement.told is not announcement.state


PAGE_OBJECTS: Final = "pages"
"""Kind of the objects: texts of a page, and the list of earlier cycles."""


_WRONG_PAGE: Final = tr(
    "a page is UTF-8, not empty, of {most} bytes and {deepest} levels of lists at most",
    most=LONGEST_PAGE,
    deepest=DEEPEST,
)


@dataclass(frozen=True, slots=True)
class ShownPage:
    """A version of a page with its texts by language."""

    page: Page
    number: int
    version: PageVersion
    text: Mapping[str, str]


# Clause: D 6.2.1, D 8.19
def read_pages(source: Source, names: Sequence[str]) -> tuple[dict[str, bytes], list[Fault]]:
    """Return the texts of the named pages as they are stored, and all faults of their files."""
    texts, faults = dict[str, bytes](), list[Fault]()
    for name in names:
        of_page = dict[str, str]()
        for language in PAGE_LANGUAGES:
            file = f"{PAGES_FOLDER}/{name}.{language}.md"
            try:
                of_page[language] = _page_text(source.read(file))
            except LookupError:
                faults.append(Fault("missing_file", file, tr("the page has no text in this language")))
            except ValueError:
                faults.append(Fault("wrong_page", file, _WRONG_PAGE))
        texts[name] = canonical(of_page)
    return texts, faults


def _page_text(content: bytes) -> str:
    """Return the text of a page; ValueError for one that cannot be a page's."""
    text = content.decode("utf-8-sig") if len(content) <= LONGEST_PAGE else ""
    if not text.strip() or "\0" in text or is_too_deep(text):
        raise ValueError
    return text.replace("\r\n", "\n")


def store_page(platform: Platform, cycle: str, content: bytes) -> str:
    """Store an object of this content unless it is there; return its hash."""
    digest = sha256_hex(content)
    platform.blobs.put_if_absent(blob_names(cycle, PAGE_OBJECTS, digest), content)
    return digest


def too_many_versions(pages: Sequence[Page]) -> Iterator[Fault]:
    """List the pages that have more versions than any may have."""
    for page in pages:
        if len(page.versions) > MOST_VERSIONS:
            message = tr("a page has {most} versions at most", most=MOST_VERSIONS)
            yield Fault("too_many_versions", f"{PAGES_FOLDER}/{page.name}.en.md", message)


# Clause: D 6.2.1, D 8.19
def publish_page(
    platform: Platform, who: str, name: str, title: Mapping[str, str] | None, texts: Mapping[str, str]
) -> ShownPage:
    """Publish a version of a page, or a new page with its title; the same texts again make no version."""
    try:
        content = canonical({language: _page_text(texts[language].encode()) for language in PAGE_LANGUAGES})
    except (KeyError, ValueError):
        raise InvalidRequestError([{"code": "wrong_page", **_WRONG_PAGE.as_fields(), "field": "body.text"}]) from None

    def write(before: Cycle) -> Cycle:
        by_name = {page.name: page for page in before.pages}
        if name not in by_name and (title is None or len(by_name) >= MOST_PAGES):
            message = tr("a new page has a title in both languages; a cycle has {most} pages at most", most=MOST_PAGES)
            raise InvalidRequestError([{"code": "no_title", **message.as_fields(), "field": "body.title"}])
        now, digest = platform.clock.now(), store_page(platform, before.name, content)
        pages = published_pages(before.pages, {name: (title or by_name[name].title, digest)}, now)
        if faults := [*too_many_versions(pages)]:
            message = faults[0].message
            raise InvalidRequestError([{"code": faults[0].code, **message.as_fields(), "field": "body.text"}])
        if pages == before.pages:
            return before
        after = replace(before, pages=pages)
        change = Change(now, who, "page published", name, None, {"sha256": digest})
        platform.catalogue.publish(after, None, change, [])
        return after

    cycle = read_and_decide(lambda: reading.written_cycle(platform), write)
    (of_name,) = [page for page in cycle.pages if page.name == name]
    return ShownPage(of_name, len(of_name.versions), of_name.versions[-1], json.loads(content))


# Clause: D 6.2.1, D 8.19
def shown_page(platform: Platform, name: str, number: int | None) -> ShownPage:
    """Return a version of a page, by default the last one; :class:`UnknownPageError` without it."""
    cycle = reading.recent_cycle(platform)
    named_page = next((page for page in cycle.pages if page.name == name), None)
    version = None if named_page is None else named_page.numbered(number)
    if named_page is None or version is None:
        raise UnknownPageError
    return ShownPage(
        named_page, *version, json.loads(platform.blobs.get(blob_names(cycle.name, PAGE_OBJECTS, version[1].sha256)))
    )


# Clause: R 4.1, R 4.8
def earlier_cycles(platform: Platform) -> Sequence[Mapping[str, Any]]:
    """List the earlier cycles of the contest, the latest first, as the organizers have loaded them."""
    cycle = reading.recent_cycle(platform)
    if not cycle.earlier:
        return []
    listed: list[dict[str, Any]] = json.loads(platform.blobs.get(blob_names(cycle.name, PAGE_OBJECTS, cycle.earlier)))
    return sorted(listed, key=lambda row: (row["last"], row["cycle"]), reverse=True)


@dataclass(frozen=True, slots=True)
class PublishedKit:
    """The kit in its cycle, whether it is new, and warnings for an organizer."""

    cycle: Cycle
    kit: Kit
    changed: bool
    warnings: tuple[Reason, ...]


# Clause: R 4.2, R 4.3, R 4.7, R 9.2
def publish_kit(platform: Platform, who: str, listed: KitList) -> PublishedKit:
    """Sign the list and make it the cycle's kit, and draft an announcement; the same list again changes nothing.

    Its modules count as published from now on, and those of earlier kits go on to. Short notice before a final warns.
    :class:`KitVersionTakenError`: the version is published with other files.
    """

    def write(before: Cycle) -> PublishedKit:
        if before.kits and before.kits[0].listed == listed:
            return PublishedKit(before, before.kits[0], changed=False, warnings=())
        other = conflicting_kit(before.kits, listed)
        if other is not None:
            raise KitVersionTakenError.of(listed.version, other.published_at)
        now, key_id = platform.clock.now(), platform.signer.public_key.key_id
        content = canonical(kit_statement(before.name, listed, now, key_id))
        kit = Kit(listed, now, key_id, signature_of(platform, content))
        after = replace(before, kits=(kit, *before.kits))
        after = replace(after, modules_changed_at=sets_and_modules_changed_at(before, after, now)[1])
        what = {"version": listed.version, "modules_sha256": listed.modules_sha256}
        earlier = before.kits[0].listed if before.kits else None
        was = {"version": earlier.version, "modules_sha256": earlier.modules_sha256} if earlier is not None else None
        entry = Change(now, who, "kit published", before.name, was, what)
        platform.catalogue.publish(after, None, entry, list(announcements_of_modules(before, after, now)))
        return PublishedKit(after, kit, changed=True, warnings=tuple(sets_warnings(platform, before, after)))

    return read_and_decide(lambda: reading.written_cycle(platform), write)


def current_kit(platform: Platform) -> tuple[Cycle, Kit | None]:
    """Return the kit that was published last, None where none was."""
    cycle = reading.recent_written_cycle(platform)
    return cycle, cycle.kits[0] if cycle.kits else None


MAX_TEXT: Final = 256 * 1024
"""Largest text or answer that anybody may have converted, in bytes; larger ones are read on participants' machines."""


def parsed_text(platform: Platform, body: bytes) -> tuple[str, Verdict]:
    """Return the track's name, and a text as an answer under the cycle's parameters; :class:`AnswerTooLargeError`."""
    track, parameters = _notation(platform, body)
    return track.name, track.read_text(body, parameters)


def rendered_answer(platform: Platform, body: bytes) -> Written:
    """Return an answer as a text; :class:`AnswerTooLargeError`."""
    track, parameters = _notation(platform, body)
    return track.write_text(body, parameters)


def _notation(platform: Platform, body: bytes) -> tuple[Track, Any]:
    """Return the track that reads and writes a text, with the cycle's parameters for this track."""
    if len(body) > MAX_TEXT:
        raise AnswerTooLargeError.over(len(body), MAX_TEXT)
    cycle = reading.recent_cycle(platform)
    return reading.track_of(platform, cycle), reading.parameters(platform, cycle.parameters_version).track
