"""Make and send mails: for the minute timer.

The log of people's changes is the outbox: an entry is written together with its change, and each makes the same mails
whenever it is read. What everybody is told comes from the announcements, when subscribers are told of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice

from contest import routes
from contest.cycle.rules.notices import Announcement, AnnouncementKind, AnnouncementState
from contest.mails import rules
from contest.mails.rules import (
    LAG,
    MOST_A_VISIT,
    MOST_ATTEMPTS,
    MOST_CHANGES,
    Addressed,
    Mail,
    MailKind,
    Position,
    Stop,
)
from contest.people.rules import ACTIVE, Change, TeamStatus, token_hash
from contest.platform import Platform
from contest.ports import LostRaceError
from contest.values import Millis, utc_day
from tracks.protocol import Text

_KINDS = {
    AnnouncementKind.SCHEDULE: MailKind.RUN,
    AnnouncementKind.RESULTS: MailKind.RESULTS,
    AnnouncementKind.ANSWER: MailKind.ANSWER,
}
"""Kinds of mails by those of announcements; the others are announcements alone."""


def announce(platform: Platform, announcement: Announcement) -> None:
    """Make the mails of a published announcement, to the members of all teams that take part; corrections are
    announcements of their own, and what was withdrawn is told by no mail."""
    if platform.mailer is None or announcement.state is not AnnouncementState.PUBLISHED:
        return
    kind = _KINDS.get(announcement.kind, MailKind.ANNOUNCEMENT)
    event, page = f"announcement-{announcement.announcement_id}", "/announcements"
    for person_id in _everybody(platform):
        _add(platform, event, person_id, kind, announcement.title, page)


def collect(platform: Platform) -> int:
    """Make the mails of the log's next entries; return the number of these. O(entries) and the teams of each.

    Of the time before the first visit nothing is told.
    """
    if platform.mailer is None:
        return 0
    now = platform.clock.now()
    before = platform.mails.position()
    if before is None:
        platform.mails.move(None, Position(f"{now - LAG:013d}-"))
        return 0
    since = int(before.cursor[:13])
    entries = platform.audit_log.between(utc_day(since), utc_day(now), before.cursor)
    settled = [(cursor, change) for cursor, change in islice(entries, MOST_CHANGES) if change.at <= now - LAG]
    for cursor, change in settled:
        for kind, subject, path, team_id in _of_change(change):
            people = _everybody(platform) if team_id is None else _members(platform, team_id)
            for person_id in people:
                _add(platform, cursor, person_id, kind, subject, path)
    if settled:
        platform.mails.move(before, replace(before, cursor=settled[-1][0], version=before.version + 1))
    return len(settled)


def due(platform: Platform) -> list[str]:
    """List ids of the mails to send now, those that wait longest first, as many as a visit sends."""
    now = platform.clock.now()
    waiting = [] if platform.mailer is None else [mail for mail in platform.mails.waiting() if mail.next_at <= now]
    waiting.sort(key=lambda mail: (mail.next_at, mail.mail_id))
    return [mail.mail_id for mail in waiting[:MOST_A_VISIT]]


def send(platform: Platform, mail_id: str) -> int:
    """Send a mail; return 1, or 0 where nobody wants it any more. What fails is tried again, a few times."""
    mailer = platform.mailer
    before = platform.mails.get(mail_id)
    if before is None or mailer is None:
        return 0
    person, choices = platform.persons.person(before.person_id), platform.mail_choices.get(before.person_id)
    if person is None or not person.email or before.kind in choices.stopped or before.attempts >= MOST_ATTEMPTS:
        platform.mails.done(before)
        return 0
    now = platform.clock.now()
    claimed = before.claimed(now)
    try:
        platform.mails.claim(before, claimed)
    except LostRaceError:
        return 0
    token = platform.randomness.invitation()
    platform.mails.note_link(token_hash(token), Stop(before.person_id, before.kind), now)
    link = f"{mailer.site}{routes.UNSUBSCRIBE.path}?token={token}"
    addressed = Addressed(claimed, person.email, choices.language, link, now)
    mailer.send(addressed, *rules.body_of(addressed, mailer.site))
    platform.mails.done(claimed)
    return 1


def _of_change(change: Change) -> Iterator[tuple[MailKind, Text, str, str | None]]:
    """Yield kind, subject, page and team of the mails of an entry; None: everybody."""
    after = change.after or {}
    if change.what in rules.STATUS_CHANGES:
        yield MailKind.APPLICATION, rules.STATUS_CHANGES[change.what], "/cabinet/team", change.subject
    if change.what == "question answered" and not (after.get("answer") or {}).get("announcement_id"):
        yield MailKind.ANSWER, rules.ANSWERED, "/cabinet/questions", str(after["team_id"])
    if change.what == "question closed":
        yield MailKind.ANSWER, rules.CLOSED, "/cabinet/questions", str(after["team_id"])
    if change.what == "run results published":
        yield MailKind.RESULTS, rules.RESULTS_OUT, "/boards", None


def _everybody(platform: Platform) -> Iterator[str]:
    for team in platform.people.all_teams():
        if team.status in ACTIVE and team.status is not TeamStatus.APPLIED:
            yield from _members(platform, team.team_id)


def _members(platform: Platform, team_id: str) -> Iterator[str]:
    for person in platform.persons.members_of(team_id):
        yield person.person_id


def _add(platform: Platform, event: str, person_id: str, kind: MailKind, subject: Text, path: str) -> None:
    now: Millis = platform.clock.now()
    with suppress(LostRaceError):
        platform.mails.add(Mail(f"{event}-{person_id}", person_id, kind, subject, path, now))
