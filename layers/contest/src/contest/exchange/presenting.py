"""Conversion of sessions, files and receipts to bodies, and of a query's moment to a value."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from contest.edge import web
from contest.errors import InvalidRequestError
from contest.exchange.wire import (
    DeliveryBody,
    DialogueBody,
    FileBody,
    NextBody,
    SessionBody,
    SessionsBody,
    StatusBody,
    TurnBody,
)
from contest.run.rules import fate
from contest.texts import tr
from contest.values import SECOND, Millis, from_iso, iso, iso_fields, seconds_until
from contest.wire import run_limits

if TYPE_CHECKING:
    from contest.exchange.files import HandedOut, NextFile, Taken
    from contest.ports import Page
    from contest.run.rules.fate import FileView
    from contest.run.rules.schedule import Schedule
    from contest.session.access import SessionView
    from contest.session.following import Standing
    from contest.session.rules.delivery import Receipt


def moment(text: str | None) -> Millis | None:
    """Return a moment of a query, whose form is checked already and whose calendar is not."""
    try:
        return None if text is None else from_iso(text)
    except ValueError:
        texts = tr("there is no such day or time").as_fields()
        raise InvalidRequestError([{"code": "no_such_moment", **texts, "field": "query.before"}]) from None


def session(view: SessionView, now: Millis) -> SessionBody:
    """Return a session."""
    return SessionBody.from_value(view.session, **_fields(view, now))


def sessions(views: Sequence[SessionView], now: Millis) -> SessionsBody:
    """Return a list of sessions."""
    return SessionsBody(sessions=[session(view, now) for view in views], server_time=iso(now))


def session_status(view: SessionView, now: Millis) -> StatusBody:
    """Return a session with its files; in a run with the share of missed ones and its consequences."""
    share = fate.voided_share(view.files) if view.schedule else None
    return StatusBody.from_value(
        view.session,
        **_fields(view, now),
        deliveries=[_delivery(delivered) for delivered in view.files],
        voided_share=share,
        solution_voided=fate.solution_voided(share, view.greatest_share) if view.schedule else None,
    )


def next_body(coming: NextFile, now: Millis) -> NextBody:
    """Return the next file."""
    number, opens_at = coming.number, coming.opens_at
    of_run = coming.schedule if coming.session.run_id is not None else None
    is_available = opens_at is None or opens_at <= now
    return NextBody(
        status="complete" if number is None else "available" if is_available else "waiting",
        number=number,
        session_state=coming.session.state,
        **_run_state(of_run, now, opens_at=opens_at, closes_at=coming.closes_at, server_time=now),
    )


def next_file(coming: NextFile, now: Millis) -> web.Reply:
    """Return the next file, and when to ask again if it is not open yet."""
    body = next_body(coming, now)
    waits = body.status == "waiting" and coming.opens_at is not None
    return web.answer(body, retry_after_s=seconds_until(coming.opens_at or now, now) if waits else None)


def dialogue(standing: Standing | None) -> DialogueBody | None:
    """Return the state of a dialogue; None where there is none."""
    if standing is None:
        return None
    turns = [TurnBody.from_value(turn.turn, response=turn.response) for turn in standing.answered]
    return DialogueBody.from_value(standing, turns=turns)


def file(handed_out: HandedOut, now: Millis) -> FileBody:
    """Return a file handed out."""
    delivery, window = handed_out.delivery, handed_out.window
    return FileBody(
        number=delivery.number,
        file_id=handed_out.planned.file_id,
        content=handed_out.content,
        dialogue=dialogue(handed_out.standing),
        **iso_fields(
            opens_at=window.opens_at if window else None,
            request_by=window.request_by if window else None,
            handed_out_at=delivery.handed_out_at,
            answer_by=delivery.answer_by,
            server_time=now,
        ),
    )


# Clause: TS T15
def receipt(answered: Taken, now: Millis) -> str:
    """Return a receipt exactly as it is stored, so that its signature holds.

    Beside it stand the next file, the state of a dialogue over the file, and the contest's remarks on the answer.
    """
    coming = next_body(answered.coming, now).model_dump_json(by_alias=True) if answered.coming else "null"
    standing = dialogue(answered.standing)
    state = standing.model_dump_json(by_alias=True) if standing else "null"
    warnings = answered.warnings or "[]"
    return f'{answered.receipt[:-1]},"next":{coming},"dialogue":{state},"warnings":{warnings}}}'


def receipts(page: Page[Receipt]) -> str:
    """Return a page of receipts, each exactly as it is stored, so that its signature holds."""
    stored = ",".join(entry.body for entry in page.items)
    return f'{{"receipts":[{stored}],"next":{json.dumps(page.after)}}}'


def _fields(view: SessionView, now: Millis) -> dict[str, Any]:
    """Return the fields of a session's body beside the session itself."""
    schedule = view.schedule
    return {
        "counts": view.counts,
        "client_known": view.client_known,
        "annulled": view.annulled,
        "interval_s": schedule.run.interval / SECOND if schedule else None,
        "limits": run_limits(schedule.run) if schedule else None,
        **_run_state(schedule, now, starts_at=schedule.opens_at(1) if schedule else None, server_time=now),
    }


def _run_state(schedule: Schedule | None, now: Millis, **moments: Millis | None) -> dict[str, Any]:
    """Return the fields of a run's state, with other moments by name."""
    state, paused_until = schedule.standing_at(now) if schedule else (None, None)
    return {"run_state": state, **iso_fields(**moments, paused_until=paused_until)}


def _delivery(view: FileView) -> DeliveryBody:
    """Return the body of one file of a status."""
    delivery, window = view.delivery, view.window
    return DeliveryBody(
        number=view.number,
        file_id=view.file_id,
        state=view.state,
        sends=delivery.sends if delivery else 0,
        cause=view.cause,
        evidence=dict(view.evidence),
        **iso_fields(
            opens_at=window.opens_at if window else None,
            request_by=window.request_by if window else None,
            handed_out_at=delivery.handed_out_at if delivery else None,
            answer_by=delivery.answer_by if delivery else None,
            answered_at=delivery.answer.received_at if delivery and delivery.answer else None,
        ),
    )
