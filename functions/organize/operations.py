"""Routes about the platform itself: jobs that failed for good, jobs that are stuck. A function of its own rights."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query

from contest import routes
from contest.edge import web
from contest.edge.web import caller
from contest.operations import doctor, wire
from contest.operations import letters as dead_letters
from contest.operations.rules import LetterDecidedError, UnknownLetterError
from contest.routes import Function
from contest.stored_names import LetterQueue
from contest.wiring import platform

app = web.resolver()
handles = partial(web.handles, app)

Limit = Annotated[int, Query(ge=1, le=100, description="Letters of a page")]
After = Annotated[str | None, Query(pattern=r"^[a-z0-9-]{1,40}$", description="`after` of the page before")]


@handles(routes.DEAD_LETTERS, "Jobs that failed for good (platform §4)")
def list_dead_letters(queue: LetterQueue | None = None, limit: Limit = 100, after: After = None) -> wire.LettersBody:
    """List undecided ones with their subject and number of failures; never any content that people wrote."""
    page = dead_letters.letters(platform(), queue, limit, after)
    return wire.LettersBody.from_value(letters=page.items, after=page.after)


@handles(routes.DEAD_LETTER, "A dead letter with its body", UnknownLetterError)
def dead_letter(letter_id: str) -> wire.LetterBody:
    """Return the job itself, the evidence of its failure, and the decision about it."""
    return wire.LetterBody.from_value(dead_letters.letter(platform(), letter_id))


@handles(routes.REDRIVE_LETTERS, "Run dead letters again", UnknownLetterError)
def redrive_dead_letters(request: wire.RedriveRequest) -> wire.RedrivenBody:
    """Run one, some, or up to a hundred of all at once; a repetition is harmless. A job that fails again comes back."""
    redriven = doctor.redrive(platform(), caller(app), request.letter_ids, request.queue)
    return wire.RedrivenBody.from_value(redriven)


@handles(routes.DROP_LETTER, "Drop a dead letter", UnknownLetterError, LetterDecidedError)
def drop_dead_letter(letter_id: str, request: wire.DropRequest) -> wire.LetterBody:
    """Never run the job again and store the reason; a new failure brings it back."""
    return wire.LetterBody.from_value(dead_letters.drop(platform(), caller(app), letter_id, request.reason))


@handles(routes.FINDINGS, "Diagnose stuck work (platform §7)")
def examine_platform() -> wire.FindingsBody:
    """Return each finding with its cause, the evidence, and the effect of mending; change nothing."""
    findings = doctor.examine(platform())
    return wire.FindingsBody.from_value(findings=findings, server_time=platform().clock.now())


@handles(routes.WAITING, "Work that waits for judges, commission and organizers")
def waiting_work() -> wire.DeskBody:
    """Return the number of waiting things of each kind with the oldest one's age, and the cycle's next deadline."""
    desk = doctor.waiting_work(platform(), caller(app))
    return wire.DeskBody.from_value(desk, server_time=platform().clock.now())


@handles(routes.MEND, "Mend stuck work")
def mend_platform(request: wire.MendRequest) -> wire.MendingsBody:
    """Do the timers' own work now; a repetition is harmless. Repeat until nothing is mended any more."""
    return wire.MendingsBody.from_value(mended=doctor.mend(platform(), caller(app), request.ailments))


handler = web.make_handler(app, Function.OPERATIONS)
