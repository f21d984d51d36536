"""Add, test and remove webhooks of a team or of the organizers; make and send their deliveries.

The minute timer makes and signs the deliveries of what it makes mails of (:mod:`contest.notifications.mailing`).
Another function sends them, which has neither the key nor people's data: a request of the platform to a stranger's
address leaves from where the least can be reached.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from contextlib import suppress

from contest.notifications.errors import HookAddressError, HookOffError, TooManyHooksError, UnknownHookError
from contest.notifications.ports import NotTakenError
from contest.notifications.rules import (
    BUDGET,
    DELIVERIES_A_VISIT,
    DELIVERY_ATTEMPTS,
    GREETED,
    MOST_HOOKS,
    ORGANIZERS,
    TESTED_EACH,
    Attempt,
    Delivery,
    Event,
    Hook,
    Outcome,
    may_be_called,
)
from contest.people import cabinet
from contest.people.rules import Change, Identity, Role
from contest.platform import Platform, decide_until_written, read_and_decide, signed
from contest.ports import LostRaceError
from contest.texts import tr
from contest.values import iso

_HELLO = tr("This webhook works")


def owner_of(platform: Platform, identity: Identity) -> str:
    """Return the owner of a user's hooks: the user's team, or the organizers together."""
    if identity.role is Role.ORGANIZER:
        return ORGANIZERS
    return cabinet.own_team_id(platform, identity)


def own(platform: Platform, identity: Identity) -> Sequence[Hook]:
    """List the own hooks, the earliest first."""
    owner = owner_of(platform, identity)
    return sorted((hook for hook in platform.hooks.all() if hook.owner == owner), key=lambda hook: hook.created_at)


# Clause: D 6.12
def add(platform: Platform, identity: Identity, url: str) -> Hook:
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
        platform.hooks.add(hook, _change(identity, "webhook added", hook, now))
        return hook

    return read_and_decide(lambda: own(platform, identity), added)


def remove(platform: Platform, identity: Identity, hook_id: str) -> None:
    """Remove an own hook; its pending deliveries are dropped."""
    hook = _named(own(platform, identity), hook_id)
    with suppress(LostRaceError):  # somebody else has removed it
        platform.hooks.remove(hook, _change(identity, "webhook removed", hook, platform.clock.now()))


def ask_test(platform: Platform, identity: Identity, hook_id: str) -> Hook:
    """Request a test delivery from the timers; a second request within a minute changes nothing."""

    def tested(hooks: Sequence[Hook]) -> Hook:
        hook, now = _named(hooks, hook_id), platform.clock.now()
        if hook.off_at is not None:
            raise HookOffError
        if now - hook.greeted_at < TESTED_EACH:
            return hook
        platform.hooks.note(hook, hook.tested(now))
        return hook.tested(now)

    return read_and_decide(lambda: own(platform, identity), tested)


def greet(platform: Platform, hooks: Sequence[Hook]) -> None:
    """Make the first delivery of each new hook and the test deliveries that owners have requested."""
    now = platform.clock.now()
    for hook in hooks:
        if hook.off_at is None and now - hook.greeted_at <= GREETED:
            page = "/desk/hooks" if hook.owner == ORGANIZERS else "/cabinet/mails"
            event = Event(f"hello-{hook.hook_id}-{hook.greeted_at}", "hello", _HELLO, page, hook.greeted_at)
            _deliver(platform, hook, event)


def tell(platform: Platform, hooks: Sequence[Hook], owners: Collection[str], event: Event) -> None:
    """Make an event's deliveries to the hooks of these owners, but for hooks younger than the event."""
    for hook in hooks:
        if hook.owner in owners and hook.off_at is None and hook.created_at <= event.at:
            _deliver(platform, hook, event)


def send_due(platform: Platform) -> int:
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
        hooks[hook.hook_id], is_taken = _attempted(platform, hook, delivery)
        attempted += is_taken
    return attempted


def _attempted(platform: Platform, hook: Hook, delivery: Delivery) -> tuple[Hook, bool]:
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


def _change(identity: Identity, what: str, hook: Hook, now: int) -> Change:
    return Change(now, cabinet.author(identity), what, hook.owner, None, {"hook_id": hook.hook_id, "host": hook.host})
