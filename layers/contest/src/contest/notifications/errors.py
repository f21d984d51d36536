"""Errors of mails and webhooks, all of :mod:`contest.refusals`' family."""

from __future__ import annotations

from contest.notifications.rules import MOST_HOOKS
from contest.refusals import ContestError
from contest.texts import tr


class UnknownUnsubscriptionError(ContestError, code="unknown_unsubscription", status=404):
    message = tr("This link stops no mails any more: choose your mails in the cabinet.")


class HookAddressError(ContestError, code="hook_address", status=422):
    message = tr("A webhook's address is https://HOST/…, on port 443, with a host's name and no credentials in it.")


class TooManyHooksError(ContestError, code="too_many_hooks", status=409):
    message = tr("You have {most} webhooks, which is the most: remove one.", most=MOST_HOOKS)


class UnknownHookError(ContestError, code="unknown_hook", status=404):
    message = tr("You have no webhook with this identifier.")


class HookOffError(ContestError, code="hook_off", status=409):
    message = tr("This webhook is off, since all its requests failed for a day: remove it, and add its address anew.")
