"""Routes about the platform itself: jobs that failed for good, jobs that are stuck. A function of its own rights."""

from __future__ import annotations

from typing import Annotated, Any

from aws_lambda_powertools.event_handler.openapi.params import Query

from contest import routes
from contest.edge import web
from contest.edge.web import Reply, caller
from contest.errors import MalformedJsonError
from contest.operations import doctor
from contest.operations.errors import LetterDecidedError, UnknownLetterError
from contest.operations.wire import (
    DropRequest,
    FindingsBody,
    LetterBody,
    LettersBody,
    MendingsBody,
    MendRequest,
    RedrivenBody,
    RedriveRequest,
)
from contest.route import Function
from contest.stored_names import LetterQueue
from contest.wiring import platform

app = web.resolver()

Limit = Annotated[int, Query(ge=1, le=100, description="Letters of a page")]
After = Annotated[str | None, Query(pattern=r"^[a-z0-9-]{1,40}$", description="`after` of the page before")]


@web.on(app, routes.DEAD_LETTERS, LettersBody, "Jobs that failed for good (platform §4)")
def list_dead_letters(queue: LetterQueue | None = None, limit: Limit = 100, after: After = None) -> Reply:
    """Those about which nobody has decided yet: what each is about, how often it failed; never what anybody wrote."""
    page = doctor.letters(platform(), queue, limit, after)
    return web.answer(LettersBody.from_value(letters=page.items, after=page.after))


@web.on(app, routes.DEAD_LETTER, LetterBody, "A dead letter with its body", UnknownLetterError)
def dead_letter(letter_id: str) -> Reply:
    """The job itself, what is known of its failure, and what was decided about it."""
    return web.answer(LetterBody.from_value(doctor.letter(platform(), letter_id)))


@web.on(
    app,
    routes.REDRIVE_LETTERS,
    RedrivenBody,
    "Do the work of dead letters again",
    MalformedJsonError,
    UnknownLetterError,
)
def redrive_dead_letters(request: RedriveRequest) -> Reply:
    """One, some, or up to a hundred of all at once; repeating it does nothing more. What fails again comes back."""
    redriven = doctor.redrive(platform(), caller(app), request.letter_ids, request.queue)
    return web.answer(RedrivenBody.from_value(redriven))


@web.on(
    app,
    routes.DROP_LETTER,
    LetterBody,
    "Let a dead letter go",
    MalformedJsonError,
    UnknownLetterError,
    LetterDecidedError,
)
def drop_dead_letter(letter_id: str, request: DropRequest) -> Reply:
    """Its job is not done again; the reason is kept, and a job that fails anew comes back."""
    return web.answer(LetterBody.from_value(doctor.drop(platform(), caller(app), letter_id, request.reason)))


@web.on(app, routes.FINDINGS, FindingsBody, "What is stuck (platform §7)")
def examine_platform() -> Reply:
    """Each finding with its cause, the evidence, and what mending would do; nothing is changed."""
    findings = doctor.examine(platform())
    return web.answer(FindingsBody.from_value(findings=findings, server_time=platform().clock.now()))


@web.on(app, routes.MEND, MendingsBody, "Mend what is stuck", MalformedJsonError)
def mend_platform(request: MendRequest) -> Reply:
    """The timers' own work, done now; repeating it does nothing more. Ask until nothing is mended any more."""
    return web.answer(MendingsBody.from_value(mended=doctor.mend(platform(), caller(app), request.ailments)))


web.start(app, Function.OPERATE)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer an event of the gateway."""
    return web.serve(app, event, context)
