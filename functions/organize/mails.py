"""Routes of what is sent: mails, which a person chooses and a link stops, and webhooks, a team's or the organizers'."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from contest import routes
from contest.edge import web
from contest.edge.web import Reply, caller
from contest.errors import BusyError
from contest.hooks import hooking
from contest.hooks.errors import HookAddressError, HookOffError, TooManyHooksError, UnknownHookError
from contest.hooks.wire import HookBody, HookRequest, HooksBody
from contest.mails import choosing
from contest.mails.errors import UnknownUnsubscriptionError
from contest.mails.wire import MailChoicesBody, MailChoicesRequest
from contest.people.errors import NoTeamError
from contest.people.rules import INVITATION
from contest.wiring import platform
from organize.router import app


@web.on(app, routes.MAIL_CHOICES, MailChoicesBody, "The own choice of mails")
def mail_choices() -> Reply:
    """Return which kinds are stopped; the others come to the address in the team."""
    return web.answer(MailChoicesBody.from_value(choosing.own(platform(), caller(app))))


@web.on(app, routes.CHOOSE_MAILS, MailChoicesBody, "Choose mails", BusyError)
def choose_mails(request: MailChoicesRequest) -> Reply:
    """Stop kinds, or let them come again, in one language or both."""
    choices = choosing.choose(platform(), caller(app), request.stopped, request.language)
    return web.answer(MailChoicesBody.from_value(choices))


Token = Annotated[str, Query(pattern=f"^{INVITATION.pattern}$")]


@web.on(app, routes.UNSUBSCRIBE, MailChoicesBody, "Stop mails of a kind by the link in one", UnknownUnsubscriptionError)
def unsubscribe(token: Token) -> Reply:
    """Take the request of a mail program (RFC 8058); again, the same."""
    return web.answer(MailChoicesBody.from_value(choosing.unsubscribe(platform(), token)))


HookId = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,40}$")]


@web.on(app, routes.HOOKS, HooksBody, "Own webhooks", NoTeamError)
def own_hooks() -> Reply:
    """List those of the own team, or the organizers'."""
    return web.answer(HooksBody.from_value(hooks=hooking.own(platform(), caller(app))))


@web.on(
    app,
    routes.ADD_HOOK,
    HookBody,
    "Add a webhook",
    NoTeamError,
    HookAddressError,
    TooManyHooksError,
    BusyError,
    status=HTTPStatus.CREATED,
)
def add_hook(request: HookRequest) -> Reply:
    """Send it signed JSON about what mails are about, and a first request at once."""
    hook = hooking.add(platform(), caller(app), request.url)
    return web.answer(HookBody.from_value(hook), HTTPStatus.CREATED)


@web.on(app, routes.TEST_HOOK, HookBody, "Test a webhook", NoTeamError, UnknownHookError, HookOffError, BusyError)
def ask_hook_test(hook_id: HookId) -> Reply:
    """Send it a request of the kind `hello` within two minutes, one a minute at most; the list has the outcome."""
    return web.answer(HookBody.from_value(hooking.ask_test(platform(), caller(app), hook_id)))


@web.on(app, routes.REMOVE_HOOK, HooksBody, "Remove a webhook", NoTeamError, UnknownHookError)
def remove_hook(hook_id: HookId) -> Reply:
    """Return the others."""
    hooking.remove(platform(), caller(app), hook_id)
    return web.answer(HooksBody.from_value(hooks=hooking.own(platform(), caller(app))))
