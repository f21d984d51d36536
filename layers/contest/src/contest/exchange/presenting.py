"""Conversion of sessions, files and receipts to bodies, and of a query's moment to a value."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from contest.edge import web
from contest.errors import InvalidRequestError
from contest.exchange.wire import (
    DialogueBody,
    FileBody,
    NextBody,
    SessionBody,
    SessionsBody,
    StatusBody,
    TurnBody,
    delivery_body,
    file_body,
    run_fields,
)
from contest.exchange.wire import next_body as body_of_next
from contest.results.rules import readiness
from contest.texts import tr
from contest.values import Millis, from_iso, iso, seconds_until

if TYPE_CHECKING:
    from contest.exchange.answering import Taken
    from contest.exchange.handing_out import HandedOut, NextFile
    from contest.ports import Page
    from contest.session.following import Standing
    from contest.session.rules.delivery import Receipt
    from contest.session.status import SessionView


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
    share = readiness.voided_share(view.files) if view.schedule else None
    return StatusBody.from_value(
        view.session,
        **_fields(view, now),
        deliveries=[delivery_body(delivered) for delivered in view.files],
        voided_share=share,
        solution_voided=readiness.solution_voided(share, view.greatest_share) if view.schedule else None,
    )


def next_body(coming: NextFile, now: Millis) -> NextBody:
    """Return the next file."""
    of_run = coming.schedule if coming.session.run_id is not None else None
    return body_of_next(coming.number, coming.session, (coming.opens_at, coming.closes_at), of_run, now)


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
    standing = dialogue(handed_out.standing)
    return file_body(handed_out.planned, handed_out.delivery, handed_out.content, handed_out.schedule, standing, now)


def receipt(answered: Taken, now: Millis) -> str:
    """Return a receipt exactly as it is stored, so that its signature holds.

    Beside it stand the next file, the state of a dialogue over the file, and the contest's remarks on the answer.

    Clause: TS T15
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
    of_run = run_fields(view.schedule, now)
    return {"counts": view.counts, "client_known": view.client_known, "annulled": view.annulled, **of_run}
