"""Results of experts' and coordinators' use cases as answers on the wire."""

from __future__ import annotations

from collections.abc import Sequence

from contest.contracts import experts as wire
from contest.domain.experts.assignment import Assignment, AssignmentState
from contest.domain.experts.refusals import uncovered_detail
from contest.domain.moments import SECOND, Millis
from contest.edge import web
from contest.services.experts.assigning import Plan
from contest.services.experts.work import Saved, Work


def assignment(of: Assignment, now: Millis) -> wire.AssignmentBody:
    """Return an assignment as its expert sees it."""
    runs = of.state is AssignmentState.OPENED and of.closes_at is not None
    left = max(0, (of.closes_at or 0) - now) / SECOND if runs else None
    return wire.AssignmentBody.from_value(of, time_left_s=left, server_time=now)


def assignments(found: Sequence[Assignment], now: Millis) -> wire.AssignmentsBody:
    """Return an expert's own assignments."""
    return wire.AssignmentsBody.from_value(assignments=[assignment(each, now) for each in found], server_time=now)


def work(found: Work, now: Millis) -> web.Reply:
    """Answer with an assignment, its text, its latest draft and the draft's grade."""
    body = wire.WorkBody.from_value(found, assignment=assignment(found.assignment, now))
    return web.answer(body, etag=str(found.assignment.revision))


def saved(found: Saved, now: Millis) -> web.Reply:
    """Answer with a saved draft's grade."""
    body = wire.SavedBody.from_value(found, assignment=assignment(found.assignment, now))
    return web.answer(body, etag=str(found.assignment.revision))


def plan(of: Plan, *, preview: bool) -> wire.PlanBody:
    """Return which expert gets which essay."""
    return wire.PlanBody.from_value(
        of,
        preview=preview,
        given={item: list(names) for item, names in of.shared.experts.items()},
        loads=[wire.LoadBody(expert_id=name, before=load[0], after=load[1]) for name, load in of.loads.items()],
        uncovered=[wire.UncoveredBody(**uncovered_detail(each)) for each in of.shared.uncovered],
    )
