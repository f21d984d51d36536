"""Routes of mails: what a person chooses, and the link that stops a kind."""

from __future__ import annotations

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query

from contest import routes
from contest.edge import web
from contest.edge.web import Reply, caller
from contest.errors import BusyError, MalformedJsonError
from contest.mails import choosing
from contest.mails.errors import UnknownUnsubscriptionError
from contest.mails.wire import MailChoicesBody, MailChoicesRequest
from contest.people.rules import INVITATION
from contest.wiring import platform
from organize.router import app


@web.on(app, routes.MAIL_CHOICES, MailChoicesBody, "The own choice of mails")
def mail_choices() -> Reply:
    """Return which kinds are stopped; the others come to the address in the team."""
    return web.answer(MailChoicesBody.from_value(choosing.own(platform(), caller(app))))


@web.on(app, routes.CHOOSE_MAILS, MailChoicesBody, "Choose mails", MalformedJsonError, BusyError)
def choose_mails(request: MailChoicesRequest) -> Reply:
    """Stop kinds, or let them come again, in one language or both."""
    choices = choosing.choose(platform(), caller(app), request.stopped, request.language)
    return web.answer(MailChoicesBody.from_value(choices))


Token = Annotated[str, Query(pattern=f"^{INVITATION.pattern}$")]


@web.on(app, routes.UNSUBSCRIBE, MailChoicesBody, "Stop mails of a kind by the link in one", UnknownUnsubscriptionError)
def unsubscribe(token: Token) -> Reply:
    """Take the request of a mail program (RFC 8058); again, the same."""
    return web.answer(MailChoicesBody.from_value(choosing.unsubscribe(platform(), token)))
