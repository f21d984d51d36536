"""Make and send mails, and make webhooks, for the minute timer; what a person chooses about mails.

The log of people's changes is the outbox: an entry is written together with its change, and each makes the same mails
whenever it is read. What everybody is told comes from the announcements, when subscribers are told of them.
A person chooses in the cabinet, or by the link in a mail (RFC 8058), which kinds come and in which language.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice

from contest import routes
from contest.cycle.rules.notices import Announcement, AnnouncementKind, AnnouncementState
from contest.notifications import hooking, rules
from contest.notifications.errors import UnknownUnsubscriptionError
from contest.notifications.rules import (
    LAG,
    MAIL_ATTEMPTS,
    MAILS_A_VISIT,
    MOST_CHANGES,
    ORGANIZERS,
    Addressed,
    Choices,
    Event,
    Hook,
    Mail,
    MailKind,
    MailLanguage,
    Position,
    Stop,
)
from contest.people.rules import ACTIVE, Change, Identity, TeamStatus, token_hash
from contest.platform import Platform, read_and_decide
from contest.ports import LostRaceError
from contest.values import DAY, Millis, utc_day
from tracks.protocol import Text

_HOOKS = "/cabinet/mails"
_KINDS = {
    AnnouncementKind.SCHEDULE: MailKind.RUN,
    AnnouncementKind.RESULTS: MailKind.RESULTS,
    AnnouncementKind.ANSWER: MailKind.ANSWER,
}
"""Kinds of mails by those of announcements; the others are announcements alone."""


def announce(platform: Platform, announcement: Announcement) -> None:
    """Make the mails and webhooks of a published announcement, to all teams that take part; corrections are
    announcements of their own, and what was withdrawn is told by no mail."""
    if announcement.state is not AnnouncementState.PUBLISHED:
        return
    kind = _KINDS.get(announcement.kind, MailKind.ANNOUNCEMENT)
    at = announcement.published_at or announcement.created_at
    name = f"announcement-{announcement.announcement_id}"
    event = Event(name, kind.value, announcement.title, "/announcements", at)
    _tell(platform, platform.hooks.all(), event, _everybody(platform), with_organizers=True)


def collect(platform: Platform) -> int:
    """Make the mails and webhooks of the log's next entries; return the number of these. O(entries) and the teams of
    each.

    Of the time before the first visit nothing is told.
    """
    hooks = platform.hooks.all()
    if platform.mailer is None and not hooks:
        return 0
    now = platform.clock.now()
    hooking.greet(platform, hooks)
    for hook in hooks:  # organizers see in their list which of theirs were switched off
        if hook.owner != ORGANIZERS and hook.off_at is not None and now - hook.off_at < DAY:
            event = Event(f"hook-off-{hook.hook_id}", MailKind.APPLICATION.value, rules.HOOK_OFF, _HOOKS, now)
            _tell(platform, hooks, event, [hook.owner], with_organizers=False)
    before = platform.mails.position()
    if before is None:
        platform.mails.move(None, Position(f"{now - LAG:013d}-"))
        return 0
    since = int(before.cursor[:13])
    entries = platform.audit_log.between(utc_day(since), utc_day(now), before.cursor)
    settled = [(cursor, change) for cursor, change in islice(entries, MOST_CHANGES) if change.at <= now - LAG]
    for cursor, change in settled:
        for kind, subject, path, team_id in _of_change(change):
            event = Event(cursor, kind.value, subject, path, change.at)
            teams = _everybody(platform) if team_id is None else [team_id]
            _tell(platform, hooks, event, teams, with_organizers=team_id is None)
        if change.what in rules.ASKS_ORGANIZERS:
            kind, subject, path = rules.ASKS_ORGANIZERS[change.what]
            hooking.tell(platform, hooks, {ORGANIZERS}, Event(cursor, kind.value, subject, path, change.at))
    if settled:
        platform.mails.move(before, replace(before, cursor=settled[-1][0], version=before.version + 1))
    return len(settled)


def due(platform: Platform) -> list[str]:
    """List ids of the mails to send now, those that wait longest first, as many as a visit sends."""
    now = platform.clock.now()
    waiting = [] if platform.mailer is None else [mail for mail in platform.mails.waiting() if mail.next_at <= now]
    waiting.sort(key=lambda mail: (mail.next_at, mail.mail_id))
    return [mail.mail_id for mail in waiting[:MAILS_A_VISIT]]


def send(platform: Platform, mail_id: str) -> int:
    """Send a mail; return 1, or 0 where nobody wants it any more. What fails is tried again, a few times."""
    mailer = platform.mailer
    before = platform.mails.get(mail_id)
    if before is None or mailer is None:
        return 0
    recipient = None if before.attempts >= MAIL_ATTEMPTS else _recipient(platform, before)
    if recipient is None:
        platform.mails.done(before)
        return 0
    now = platform.clock.now()
    claimed = before.claimed(now)
    try:
        platform.mails.claim(before, claimed)
    except LostRaceError:
        return 0
    link = ""
    if not before.address:  # a person's own mail ends with a link that stops mails of its kind
        token = platform.randomness.invitation()
        platform.mails.note_link(token_hash(token), Stop(before.person_id, before.kind), now)
        link = f"{mailer.site}{routes.UNSUBSCRIBE.path}?token={token}"
    addressed = Addressed(claimed, *recipient, link, now)
    mailer.send(addressed, *rules.body_of(addressed, mailer.site))
    platform.mails.done(claimed)
    return 1


def _recipient(platform: Platform, mail: Mail) -> tuple[str, MailLanguage] | None:
    """Return address and language of a mail; None where nobody wants it, or has an address."""
    if mail.address:
        return mail.address, MailLanguage.BOTH
    person, choices = platform.persons.person(mail.person_id), platform.mail_choices.get(mail.person_id)
    if person is None or not person.email or mail.kind in choices.stopped:
        return None
    return person.email, choices.language


def _of_change(change: Change) -> Iterator[tuple[MailKind, Text, str, str | None]]:
    """Yield kind, subject, page and team of the mails of an entry; None: everybody."""
    after = change.after or {}
    if change.what in rules.DECISIONS:
        yield MailKind.APPLICATION, rules.DECISIONS[change.what], "/cabinet/team", change.subject
    if change.what in rules.CONCLUSIONS and "team_id" in after:
        yield MailKind.APPLICATION, rules.CONCLUSIONS[change.what], "/cabinet", str(after["team_id"])
    if change.what == "question answered" and not (after.get("answer") or {}).get("announcement_id"):
        yield MailKind.ANSWER, rules.ANSWERED, "/cabinet/questions", str(after["team_id"])
    if change.what == "question closed":
        yield MailKind.ANSWER, rules.CLOSED, "/cabinet/questions", str(after["team_id"])
    if change.what == "run results published":
        yield MailKind.RESULTS, rules.RESULTS_OUT, "/boards", None


def _everybody(platform: Platform) -> list[str]:
    """List the teams that take part, by id."""
    teams = platform.people.all_teams()
    return [team.team_id for team in teams if team.status in ACTIVE and team.status is not TeamStatus.APPLIED]


def _tell(
    platform: Platform, hooks: Sequence[Hook], event: Event, teams: Sequence[str], *, with_organizers: bool
) -> None:
    """Make an event's mails to the members of teams, and its deliveries to their webhooks."""
    if platform.mailer is not None:
        now: Millis = platform.clock.now()
        for person in (person for team_id in teams for person in platform.persons.members_of(team_id)):
            mail_id, kind = f"{event.event_id}-{person.person_id}", MailKind(event.kind)
            with suppress(LostRaceError):
                platform.mails.add(Mail(mail_id, person.person_id, kind, event.title, event.path, now))
    hooking.tell(platform, hooks, {*teams, *([ORGANIZERS] if with_organizers else [])}, event)


def own_choices(platform: Platform, identity: Identity) -> Choices:
    """Return the own choices."""
    return platform.mail_choices.get(identity.person_id)


def choose(platform: Platform, identity: Identity, stopped: Collection[MailKind], language: MailLanguage) -> Choices:
    """Write the own choices: which kinds are stopped, in which language the others come."""

    def chosen(before: Choices) -> Choices:
        after = replace(before, stopped=frozenset(stopped), language=language, version=before.version + 1)
        platform.mail_choices.put(identity.person_id, before, after)
        return after

    return read_and_decide(lambda: own_choices(platform, identity), chosen)


def unsubscribe(platform: Platform, token: str) -> Choices:
    """Stop mails of the kind that a mail's link names; again, the same. :class:`UnknownUnsubscriptionError`."""
    stop = platform.mails.stopped_by(token_hash(token))
    if stop is None:
        raise UnknownUnsubscriptionError

    def stopped(before: Choices) -> Choices:
        if stop.kind in before.stopped:
            return before
        platform.mail_choices.put(stop.person_id, before, before.without(stop.kind))
        return before.without(stop.kind)

    return read_and_decide(lambda: platform.mail_choices.get(stop.person_id), stopped)
