"""Choices of people about their mails: in the cabinet, and by the link in a mail (RFC 8058)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from contest.mails.errors import UnknownUnsubscriptionError
from contest.mails.rules import Choices, MailKind, MailLanguage
from contest.people.rules import Identity, token_hash
from contest.platform import Platform, decide_until_written


def own(platform: Platform, identity: Identity) -> Choices:
    """Return the own choices."""
    return platform.mail_choices.get(identity.person_id)


def choose(platform: Platform, identity: Identity, stopped: Collection[MailKind], language: MailLanguage) -> Choices:
    """Write the own choices: which kinds are stopped, in which language the others come."""

    def chosen(before: Choices) -> Choices:
        after = replace(before, stopped=frozenset(stopped), language=language, version=before.version + 1)
        platform.mail_choices.put(identity.person_id, before, after)
        return after

    return decide_until_written(own(platform, identity), chosen, lambda: own(platform, identity))


def unsubscribe(platform: Platform, token: str) -> Choices:
    """Stop mails of the kind that a mail's link names; again, the same. :class:`UnknownUnsubscriptionError`."""
    stop = platform.mails.stopped_by(token_hash(token))
    if stop is None:
        raise UnknownUnsubscriptionError

    def read() -> Choices:
        return platform.mail_choices.get(stop.person_id)

    def stopped(before: Choices) -> Choices:
        if stop.kind in before.stopped:
            return before
        platform.mail_choices.put(stop.person_id, before, before.without(stop.kind))
        return before.without(stop.kind)

    return decide_until_written(read(), stopped, read)
