"""Webhooks of a team or of the organizers: added, removed; their deliveries made, and sent by the channel's timer.

The minute timer makes and signs the deliveries of what it makes mails of (:mod:`contest.mails.mailing`). Another
function sends them, which has neither the key nor people's data: a request of the platform to a stranger's address
leaves from where the least can be reached.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress

from contest.hooks.errors import HookAddressError, TooManyHooksError, UnknownHookError
from contest.hooks.ports import NotTakenError
from contest.hooks.rules import (
    BUDGET,
    GREETED,
    MOST_A_VISIT,
    MOST_ATTEMPTS,
    MOST_HOOKS,
    ORGANIZERS,
    Delivery,
    Event,
    Hook,
    may_be_called,
)
from contest.people import cabinet
from contest.people.rules import Change, Identity, Role
from contest.platform import Platform, decide_until_written, signed
from contest.ports import LostRaceError
from contest.texts import tr
from contest.values import iso

_HELLO = tr("This webhook works")


def owner_of(platform: Platform, identity: Identity) -> str:
    """Return whose hooks somebody sees: the own team's, or the organizers' together."""
    if identity.role is Role.ORGANIZER:
        return ORGANIZERS
    return identity.team_id if identity.token_id else cabinet.own_team(platform, identity).team_id


def own(platform: Platform, identity: Identity) -> Sequence[Hook]:
    """List the own hooks, the earliest first."""
    owner = owner_of(platform, identity)
    return sorted((hook for hook in platform.hooks.all() if hook.owner == owner), key=lambda hook: hook.created_at)


def add(platform: Platform, identity: Identity, url: str) -> Hook:
    """Add an address to be called; an address that is there already stays as it is, unless it is off.

    Clause: D 6.12
    """
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

    return decide_until_written(own(platform, identity), added, lambda: own(platform, identity))


def remove(platform: Platform, identity: Identity, hook_id: str) -> None:
    """Remove an own hook; what waits for it is dropped."""
    hook = next((hook for hook in own(platform, identity) if hook.hook_id == hook_id), None)
    if hook is None:
        raise UnknownHookError
    with suppress(LostRaceError):  # somebody else has removed it
        platform.hooks.remove(hook, _change(identity, "webhook removed", hook, platform.clock.now()))


def greet(platform: Platform, hooks: Sequence[Hook]) -> None:
    """Make the first delivery of each new hook, by which its owner sees that it works."""
    now = platform.clock.now()
    for hook in hooks:
        if now - hook.created_at <= GREETED:
            _deliver(platform, hook, Event(f"hello-{hook.hook_id}", "hello", _HELLO, "/cabinet/mails", hook.created_at))


def tell(platform: Platform, hooks: Sequence[Hook], owners: Collection[str], event: Event) -> None:
    """Make an event's deliveries to the hooks of these owners; what was before a hook is not told to it."""
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
    for delivery in waiting[:MOST_A_VISIT]:
        if platform.clock.now() > began + BUDGET:
            break
        hook = hooks.get(delivery.hook_id)
        if hook is None or hook.off_at is not None or delivery.attempts >= MOST_ATTEMPTS:
            platform.hooks.done(delivery)
            continue
        hooks[hook.hook_id], is_taken = _attempted(platform, hook, delivery)
        attempted += is_taken
    return attempted


def _attempted(platform: Platform, hook: Hook, delivery: Delivery) -> tuple[Hook, bool]:
    """Attempt a delivery; return the hook afterwards, and whether it was taken."""
    claimed = delivery.claimed(platform.clock.now())
    try:
        platform.hooks.claim(delivery, claimed)
    except LostRaceError:
        return hook, False
    try:
        platform.poster.post(delivery.delivery_id, hook.url, delivery.body.encode())
    except NotTakenError:
        after, is_taken = hook.failed(platform.clock.now()), False
    else:
        platform.hooks.done(claimed)
        after, is_taken = hook.succeeded(), True
    if is_taken and not hook.failures:
        return hook, True
    with suppress(LostRaceError):  # it was removed
        platform.hooks.note(hook, after)
    return after, is_taken


def _deliver(platform: Platform, hook: Hook, event: Event) -> None:
    statement = {
        "type": "hook",
        "event": event.event_id,
        "hook": hook.hook_id,
        "kind": event.kind,
        "title": {"en": event.title.en, "ru": event.title.ru},
        "link": f"{platform.site}{event.path}",
        "at": iso(event.at),
        "key_id": platform.signer.key_id,
    }
    body = signed(platform, "event", statement).decode()
    with suppress(LostRaceError):
        delivery_id = f"{event.event_id}-{hook.hook_id}"
        platform.hooks.deliver(Delivery(delivery_id, hook.hook_id, body, platform.clock.now()))


def _change(identity: Identity, what: str, hook: Hook, now: int) -> Change:
    who = f"token:{identity.token_id}" if identity.token_id else cabinet.author(identity)
    return Change(now, who, what, hook.owner, None, {"hook_id": hook.hook_id, "host": hook.host})
