"""Make and send mails and the deliveries of webhooks; people's choices of mails, and owners' webhooks.

The log of people's changes is the outbox: an entry is written together with its change, and each makes the same mails
whenever it is read. Mails to everybody are made of announcements, when subscribers are told of them.
A person chooses in the cabinet, or by the link in a mail (RFC 8058), which kinds come and in which language.

The minute timer makes and signs deliveries along with mails. Another function sends them, which has neither the key nor
people's data: a request of the platform to a stranger's address leaves from where the least can be reached.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice

from contest import routes
from contest.cycle.rules.notices import Announcement, AnnouncementKind, AnnouncementState
from contest.messages import rules
from contest.messages.errors import (
    HookAddressError,
    HookOffError,
    TooManyHooksError,
    UnknownHookError,
    UnknownUnsubscriptionError,
)
from contest.messages.rules import (
    BUDGET,
    DELIVERIES_A_VISIT,
    DELIVERY_ATTEMPTS,
    GREETED,
    LAG,
    MAIL_ATTEMPTS,
    MAILS_A_VISIT,
    MOST_CHANGES,
    MOST_HOOKS,
    ORGANIZERS,
    TESTED_EACH,
    Addressed,
    Attempt,
    Choices,
    Delivery,
    Event,
    Hook,
    Mail,
    MailKind,
    MailLanguage,
    NotTakenError,
    Outcome,
    Position,
    Stop,
    may_be_called,
)
from contest.people import cabinet
from contest.people.rules import ACTIVE, Change, Identity, Role, TeamStatus, token_hash
from contest.platform import Platform, decide_until_written, read_and_decide, signed
from contest.ports import LostRaceError
from contest.texts import tr
from contest.values import DAY, Millis, iso, utc_day
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
    announcements of their own, and withdrawals make no mail."""
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

    Entries from before the first visit make none.
    """
    hooks = platform.hooks.all()
    if platform.mailer is None and not hooks:
        return 0
    now = platform.clock.now()
    greet_hooks(platform, hooks)
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
            tell_hooks(platform, hooks, {ORGANIZERS}, Event(cursor, kind.value, subject, path, change.at))
    if settled:
        platform.mails.move(before, replace(before, cursor=settled[-1][0], version=before.version + 1))
    return len(settled)


def due_mails(platform: Platform) -> list[str]:
    """List ids of the mails to send now, those that wait longest first, as many as a visit sends."""
    now = platform.clock.now()
    waiting = [] if platform.mailer is None else [mail for mail in platform.mails.waiting() if mail.next_at <= now]
    waiting.sort(key=lambda mail: (mail.next_at, mail.mail_id))
    return [mail.mail_id for mail in waiting[:MAILS_A_VISIT]]


def send(platform: Platform, mail_id: str) -> int:
    """Send a mail; return 1, or 0 where nobody wants it any more. A failed attempt is repeated a few times."""
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
    tell_hooks(platform, hooks, {*teams, *([ORGANIZERS] if with_organizers else [])}, event)


def own_choices(platform: Platform, identity: Identity) -> Choices:
    """Return the own choices."""
    return platform.mail_choices.get(identity.person_id)


def choose_mails(
    platform: Platform, identity: Identity, stopped: Collection[MailKind], language: MailLanguage
) -> Choices:
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


_HELLO = tr("This webhook works")


def owner_of(platform: Platform, identity: Identity) -> str:
    """Return the owner of a user's hooks: the user's team, or the organizers together."""
    if identity.role is Role.ORGANIZER:
        return ORGANIZERS
    return cabinet.own_team_id(platform, identity)


def own_hooks(platform: Platform, identity: Identity) -> Sequence[Hook]:
    """List the own hooks, the earliest first."""
    owner = owner_of(platform, identity)
    return sorted((hook for hook in platform.hooks.all() if hook.owner == owner), key=lambda hook: hook.created_at)


# Clause: D 6.12
def add_hook(platform: Platform, identity: Identity, url: str) -> Hook:
    """Add an address to be called; an address that is there already stays as it is, unless it is off."""
    if not may_be_called(url, to_loopback=platform.poster.to_loopback):
        raise HookAddressError
    owner = owner_of(platform, identity)

    def added(hooks: Sequence[Hook]) -> Hook:
        same = next((hook for hook in hooks if hook.url == url and hook.off_at is None), None)
        if same is not None:
            return same
        places = {hook.place for hook in hooks}
        place = next((place for place in range(1, MOST_HOOKS + 1) if place not in places), None)
        if place is None:
            raise TooManyHooksError
        now = platform.clock.now()
        hook = Hook(platform.randomness.token_id(), owner, place, url, now)
        platform.hooks.add(hook, _hook_change(identity, "webhook added", hook, now))
        return hook

    return read_and_decide(lambda: own_hooks(platform, identity), added)


def remove_hook(platform: Platform, identity: Identity, hook_id: str) -> None:
    """Remove an own hook; its pending deliveries are dropped."""
    hook = _named(own_hooks(platform, identity), hook_id)
    with suppress(LostRaceError):  # somebody else has removed it
        platform.hooks.remove(hook, _hook_change(identity, "webhook removed", hook, platform.clock.now()))


def ask_hook_test(platform: Platform, identity: Identity, hook_id: str) -> Hook:
    """Request a test delivery from the timers; a second request within a minute changes nothing."""

    def tested(hooks: Sequence[Hook]) -> Hook:
        hook, now = _named(hooks, hook_id), platform.clock.now()
        if hook.off_at is not None:
            raise HookOffError
        if now - hook.greeted_at < TESTED_EACH:
            return hook
        platform.hooks.note(hook, hook.tested(now))
        return hook.tested(now)

    return read_and_decide(lambda: own_hooks(platform, identity), tested)


def greet_hooks(platform: Platform, hooks: Sequence[Hook]) -> None:
    """Make the first delivery of each new hook and the test deliveries that owners have requested."""
    now = platform.clock.now()
    for hook in hooks:
        if hook.off_at is None and now - hook.greeted_at <= GREETED:
            page = "/desk/hooks" if hook.owner == ORGANIZERS else "/cabinet/mails"
            event = Event(f"hello-{hook.hook_id}-{hook.greeted_at}", "hello", _HELLO, page, hook.greeted_at)
            _deliver(platform, hook, event)


def tell_hooks(platform: Platform, hooks: Sequence[Hook], owners: Collection[str], event: Event) -> None:
    """Make an event's deliveries to the hooks of these owners, but for hooks younger than the event."""
    for hook in hooks:
        if hook.owner in owners and hook.off_at is None and hook.created_at <= event.at:
            _deliver(platform, hook, event)


def send_deliveries(platform: Platform) -> int:
    """Send the deliveries that are due, those attempted least first; return the number of the attempts.

    A hook that fails is its owner's business: it rings no alarm, and delays no other hook's first attempts.
    """
    began = platform.clock.now()
    waiting = [delivery for delivery in platform.hooks.waiting() if delivery.next_at <= began]
    if not waiting:
        return 0
    waiting.sort(key=lambda delivery: (delivery.attempts, delivery.next_at, delivery.delivery_id))
    hooks = {hook.hook_id: hook for hook in platform.hooks.all()}
    attempted = 0
    for delivery in waiting[:DELIVERIES_A_VISIT]:
        if platform.clock.now() > began + BUDGET:
            break
        hook = hooks.get(delivery.hook_id)
        if hook is None or hook.off_at is not None or delivery.attempts >= DELIVERY_ATTEMPTS:
            platform.hooks.done(delivery)
            continue
        hooks[hook.hook_id], is_taken = _attempted_delivery(platform, hook, delivery)
        attempted += is_taken
    return attempted


def _attempted_delivery(platform: Platform, hook: Hook, delivery: Delivery) -> tuple[Hook, bool]:
    """Attempt a delivery; return the hook with the attempt, and whether the host accepted it."""
    claimed = delivery.claimed(platform.clock.now())
    try:
        platform.hooks.claim(delivery, claimed)
    except LostRaceError:
        return hook, False
    try:
        outcome, status = Outcome.TAKEN, platform.poster.post(delivery.delivery_id, hook.url, delivery.body.encode())
        platform.hooks.done(claimed)
    except NotTakenError as error:
        outcome, status = error.outcome, error.status
    is_taken, event = outcome is Outcome.TAKEN, json.loads(delivery.body)["event"]
    next_at = None if is_taken or claimed.attempts >= DELIVERY_ATTEMPTS else claimed.next_at
    attempt = Attempt(platform.clock.now(), event["event"], event["kind"], claimed.attempts, outcome, status, next_at)

    def noted(hooks: Sequence[Hook]) -> Hook:
        stored = next((candidate for candidate in hooks if candidate.hook_id == hook.hook_id), None)
        if stored is None:  # it was removed
            return hook
        platform.hooks.note(stored, stored.after(attempt))
        return stored.after(attempt)

    hooks: Sequence[Hook] = [hook]
    return decide_until_written(hooks, noted, platform.hooks.all), is_taken


def _named(hooks: Sequence[Hook], hook_id: str) -> Hook:
    hook = next((hook for hook in hooks if hook.hook_id == hook_id), None)
    if hook is None:
        raise UnknownHookError
    return hook


def _deliver(platform: Platform, hook: Hook, event: Event) -> None:
    statement = {
        "type": "hook",
        "event": event.event_id,
        "hook": hook.hook_id,
        "kind": event.kind,
        "title": {"en": event.title.en, "ru": event.title.ru},
        "link": f"{platform.site}{event.path}",
        "at": iso(event.at),
        "key_id": platform.signer.public_key.key_id,
    }
    body = signed(platform, "event", statement).decode()
    with suppress(LostRaceError):
        delivery_id = f"{event.event_id}-{hook.hook_id}"
        platform.hooks.deliver(Delivery(delivery_id, hook.hook_id, body, platform.clock.now()))


def _hook_change(identity: Identity, what: str, hook: Hook, now: int) -> Change:
    return Change(now, cabinet.author(identity), what, hook.owner, None, {"hook_id": hook.hook_id, "host": hook.host})
