"""The entry point of the function for people's actions on teams, staff and decisions."""

from __future__ import annotations

from typing import Any

from contest.edge import web
from contest.routes import Function
from organize import cycles, mails, members, organizers, questions
from organize.router import app

__all__ = ["app", "cycles", "handler", "mails", "members", "organizers", "questions"]

web.start(app, Function.ADMINISTRATION)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer an event of the gateway."""
    return web.serve(app, event, context)
