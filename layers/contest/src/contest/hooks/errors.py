"""Errors of webhooks, all of :mod:`contest.refusals`' family."""

from __future__ import annotations

from http import HTTPStatus

from contest.hooks.rules import MOST_HOOKS
from contest.refusals import ContestError
from contest.texts import tr


class HookAddressError(ContestError):
    """The address may not be called."""

    code = "hook_address"
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    message = tr("A webhook's address is https://HOST/…, on port 443, with a host's name and no credentials in it.")


class TooManyHooksError(ContestError):
    """The owner has as many webhooks as it may have."""

    code = "too_many_hooks"
    status = HTTPStatus.CONFLICT
    message = tr("You have {most} webhooks, which is the most: remove one.", most=MOST_HOOKS)


class UnknownHookError(ContestError):
    """No webhook of the owner has this id."""

    code = "unknown_hook"
    status = HTTPStatus.NOT_FOUND
    message = tr("You have no webhook with this identifier.")


class HookOffError(ContestError):
    """Nothing is sent to a webhook that is off."""

    code = "hook_off"
    status = HTTPStatus.CONFLICT
    message = tr("This webhook is off, since all its requests failed for a day: remove it, and add its address anew.")
