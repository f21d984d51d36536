"""Routes about the platform itself: jobs that failed for good, jobs that are stuck. A function of its own rights."""

from __future__ import annotations

from typing import Annotated, Any

from aws_lambda_powertools.event_handler.openapi.params import Query

from contest import routes
from contest.edge import web
from contest.edge.web import Reply, caller
from contest.operations import doctor, waiting, wire
from contest.operations import letters as dead_letters
from contest.operations.errors import LetterDecidedError, UnknownLetterError
from contest.route import Function
from contest.stored_names import LetterQueue
from contest.wiring import platform

app = web.resolver()

Limit = Annotated[int, Query(ge=1, le=100, description="Letters of a page")]
After = Annotated[str | None, Query(pattern=r"^[a-z0-9-]{1,40}$", description="`after` of the page before")]


@web.on(app, routes.DEAD_LETTERS, wire.LettersBody, "Jobs that failed for good (platform §4)")
def list_dead_letters(queue: LetterQueue | None = None, limit: Limit = 100, after: After = None) -> Reply:
    """List undecided ones with their subject and number of failures; never any content that people wrote."""
    page = dead_letters.letters(platform(), queue, limit, after)
    return web.answer(wire.LettersBody.from_value(letters=page.items, after=page.after))


@web.on(app, routes.DEAD_LETTER, wire.LetterBody, "A dead letter with its body", UnknownLetterError)
def dead_letter(letter_id: str) -> Reply:
    """Return the job itself, the evidence of its failure, and the decision about it."""
    return web.answer(wire.LetterBody.from_value(dead_letters.letter(platform(), letter_id)))


@web.on(app, routes.REDRIVE_LETTERS, wire.RedrivenBody, "Run dead letters again", UnknownLetterError)
def redrive_dead_letters(request: wire.RedriveRequest) -> Reply:
    """Run one, some, or up to a hundred of all at once; a repetition is harmless. A job that fails again comes back."""
    redriven = doctor.redrive(platform(), caller(app), request.letter_ids, request.queue)
    return web.answer(wire.RedrivenBody.from_value(redriven))


@web.on(app, routes.DROP_LETTER, wire.LetterBody, "Drop a dead letter", UnknownLetterError, LetterDecidedError)
def drop_dead_letter(letter_id: str, request: wire.DropRequest) -> Reply:
    """Run the job no more and keep the reason; a new failure comes back."""
    return web.answer(wire.LetterBody.from_value(dead_letters.drop(platform(), caller(app), letter_id, request.reason)))


@web.on(app, routes.FINDINGS, wire.FindingsBody, "Diagnose stuck work (platform §7)")
def examine_platform() -> Reply:
    """Return each finding with its cause, the evidence, and the effect of mending; change nothing."""
    findings = doctor.examine(platform())
    return web.answer(wire.FindingsBody.from_value(findings=findings, server_time=platform().clock.now()))


@web.on(app, routes.WAITING, wire.DeskBody, "Work that waits for judges, commission and organizers")
def waiting_work() -> Reply:
    """Return the number of waiting things of each kind with the oldest one's age, and the cycle's next deadline."""
    desk = waiting.waits(platform(), caller(app))
    return web.answer(wire.DeskBody.from_value(desk, server_time=platform().clock.now()))


@web.on(app, routes.MEND, wire.MendingsBody, "Mend stuck work")
def mend_platform(request: wire.MendRequest) -> Reply:
    """Do the timers' own work now; a repetition is harmless. Repeat until nothing is mended any more."""
    return web.answer(wire.MendingsBody.from_value(mended=doctor.mend(platform(), caller(app), request.ailments)))


web.start(app, Function.OPERATIONS)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer an event of the gateway."""
    return web.serve(app, event, context)
