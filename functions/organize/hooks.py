"""Routes of webhooks: a team's, and the organizers'."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Path

from contest import routes
from contest.edge import web
from contest.edge.web import Reply, caller
from contest.errors import BusyError, MalformedJsonError
from contest.hooks import hooking
from contest.hooks.errors import HookAddressError, TooManyHooksError, UnknownHookError
from contest.hooks.wire import HookBody, HookRequest, HooksBody
from contest.people.errors import NoTeamError
from contest.wiring import platform
from organize.router import app

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
    MalformedJsonError,
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


@web.on(app, routes.REMOVE_HOOK, HooksBody, "Remove a webhook", NoTeamError, UnknownHookError)
def remove_hook(hook_id: HookId) -> Reply:
    """Return the others."""
    hooking.remove(platform(), caller(app), hook_id)
    return web.answer(HooksBody.from_value(hooks=hooking.own(platform(), caller(app))))
