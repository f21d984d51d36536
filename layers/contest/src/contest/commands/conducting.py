"""Who the commands about runs, scoring and results ask: the platform as whoever has logged in, or, where the
environment names a deployment, that deployment itself, with AWS credentials, for a disaster in which nobody can log in.

Both give the same answers, made by the same functions; the commands print them in one way.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from itertools import count
from typing import Any, Final, Protocol

import click

from contest import routes
from contest.commands import deployments
from contest.commands.people import desk
from contest.commands.shell import complaints
from contest.commands.words import in_language
from contest.domain.results.errand import ErrandState
from contest.route import Route
from markup_core.speaking import say

LOOK_AGAIN_S: Final = 1.0
"""Seconds between the first two looks at an errand."""
_LONGER: Final = 1.3
_LONGEST_S: Final = 15.0


class Asked(Protocol):
    """What the commands need of either."""

    def get(self, route: Route, query: Mapping[str, str | None] | None = None, **names: str) -> Any:
        """What a route answers, its path with these names in it."""

    def post(self, route: Route, body: Mapping[str, Any] | None = None, **names: str) -> Any:
        """What a route answers to a JSON body."""

    def published(self, route: Route, **names: str) -> bytes:
        """A file, from wherever the answer says it is."""


def asked() -> Asked:
    """The deployment that the environment names, else the platform at which somebody has logged in."""
    if not deployments.is_direct():
        return desk()
    from contest.commands.direct import Deployment

    return Deployment()


def look_again_later(looks: int = 0) -> None:
    """Wait before the next look at a worker: a third longer after each look, fifteen seconds at most.

    An errand is noticed after a third of its own time at the latest, and the looks stay within the rate of requests
    where the platform's clock stands, as a local cloud's may.
    """
    time.sleep(min(LOOK_AGAIN_S * _LONGER**looks, _LONGEST_S))


def finished(at: Asked, errand: Any) -> Any:
    """The outcome of an errand, waited for; what was refused is the command's own error."""
    from tracks.command.console import waiting

    if errand["state"] == ErrandState.UNDER_WAY:
        with waiting(say("A worker is at it …", "Обработчик работает…"), complaints):
            for looks in count():
                look_again_later(looks)
                errand = at.get(routes.ERRAND, errand_id=errand["errand_id"])
                if errand["state"] != ErrandState.UNDER_WAY:
                    break
    if errand["state"] == ErrandState.FAILED:
        name = errand["errand_id"]
        raise click.ClickException(
            say(
                f"errand {name}: its worker failed for good; why: contest deadletters list; "
                "once more: contest doctor --mend",
                f"поручение {name}: обработчик окончательно не справился; причина: contest deadletters list; "
                "повторить: contest doctor --mend",
            )
        )
    if errand["refused"] is not None:
        raise click.ClickException(f"{errand['refused']['code']}: {in_language(errand['refused'])}")
    return errand
