"""Routes of what is sent: mails, which a person chooses and a link stops, and webhooks, a team's or the organizers'."""

from __future__ import annotations

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from contest import routes
from contest.edge.web import CREATED, caller
from contest.errors import BusyError
from contest.messages import sending
from contest.messages.errors import (
    HookAddressError,
    HookOffError,
    TooManyHooksError,
    UnknownHookError,
    UnknownUnsubscriptionError,
)
from contest.messages.wire import HookBody, HookRequest, HooksBody, MailChoicesBody, MailChoicesRequest
from contest.people.errors import NoTeamError
from contest.people.rules import INVITATION
from contest.wiring import platform
from organize.router import app, handles


@handles(routes.MAIL_CHOICES, "The own choice of mails")
def mail_choices() -> MailChoicesBody:
    """Return which kinds are stopped; the others come to the address in the team."""
    return MailChoicesBody.from_value(sending.own_choices(platform(), caller(app)))


@handles(routes.CHOOSE_MAILS, "Choose mails", BusyError)
def choose_mails(request: MailChoicesRequest) -> MailChoicesBody:
    """Stop kinds, or let them come again, in one language or both."""
    choices = sending.choose(platform(), caller(app), request.stopped, request.language)
    return MailChoicesBody.from_value(choices)


Token = Annotated[str, Query(pattern=f"^{INVITATION.pattern}$")]


@handles(routes.UNSUBSCRIBE, "Stop mails of a kind by the link in one", UnknownUnsubscriptionError)
def unsubscribe(token: Token) -> MailChoicesBody:
    """Take the request of a mail program (RFC 8058); again, the same."""
    return MailChoicesBody.from_value(sending.unsubscribe(platform(), token))


HookId = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,40}$")]


@handles(routes.HOOKS, "Own webhooks", NoTeamError)
def own_hooks() -> HooksBody:
    """List those of the own team, or the organizers'."""
    return HooksBody.from_value(hooks=sending.own_hooks(platform(), caller(app)))


@handles(routes.ADD_HOOK, "Add a webhook", NoTeamError, HookAddressError, TooManyHooksError, BusyError, status=CREATED)
def add_hook(request: HookRequest) -> HookBody:
    """Send it signed JSON about what mails are about, and a first request at once."""
    hook = sending.add_hook(platform(), caller(app), request.url)
    return HookBody.from_value(hook)


@handles(routes.TEST_HOOK, "Test a webhook", NoTeamError, UnknownHookError, HookOffError, BusyError)
def ask_hook_test(hook_id: HookId) -> HookBody:
    """Send it a request of the kind `hello` within two minutes, one a minute at most; the list has the outcome."""
    return HookBody.from_value(sending.ask_hook_test(platform(), caller(app), hook_id))


@handles(routes.REMOVE_HOOK, "Remove a webhook", NoTeamError, UnknownHookError)
def remove_hook(hook_id: HookId) -> HooksBody:
    """Return the others."""
    sending.remove_hook(platform(), caller(app), hook_id)
    return HooksBody.from_value(hooks=sending.own_hooks(platform(), caller(app)))
