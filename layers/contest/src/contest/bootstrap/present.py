"""Results of use cases as answers on the wire."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus

from contest import errors
from contest.bootstrap import web
from contest.contracts import exchange, public, results
from contest.contracts.receipts import ReceiptsBody
from contest.domain.cycle import Cycle, Parameters
from contest.domain.moments import Millis, from_iso, iso
from contest.domain.receipts import Receipt
from contest.ports import Page
from contest.services.board import Board
from contest.services.hand_out import HandedOut, NextFile
from contest.services.reporting import Pending
from contest.services.results import Comparison
from contest.services.status import SessionView
from contest.services.store_log import MAX_LOG
from contest.services.submit_answer import MAX_ANSWER

SCORING_RETRY_S = 2
"""When to ask again while scores are being made."""


def moment(text: str | None) -> Millis | None:
    """A moment of a query; its form was checked, its calendar was not."""
    try:
        return None if text is None else from_iso(text)
    except ValueError:
        said = {"message": "there is no such day or time", "message_ru": "такого дня или времени нет"}
        raise errors.InvalidRequestError([{"code": "no_such_moment", **said, "field": "query.before"}]) from None


def session(view: SessionView, now: Millis) -> exchange.SessionBody:
    """A session."""
    return exchange.SessionBody(**exchange.session_fields(view.session, view.counts, view.client_known, now))


def sessions(views: Sequence[SessionView], now: Millis) -> exchange.SessionsBody:
    """A list of sessions."""
    return exchange.SessionsBody(sessions=[session(view, now) for view in views], server_time=iso(now))


def session_status(view: SessionView, now: Millis) -> exchange.StatusBody:
    """A session with its files."""
    fields = exchange.session_fields(view.session, view.counts, view.client_known, now)
    return exchange.StatusBody(**fields, deliveries=[exchange.delivery_body(each) for each in view.files])


def next_file(found: NextFile, now: Millis) -> exchange.NextBody:
    """Which file is next."""
    return exchange.next_body(found.number, found.session, found.closes_at, now)


def file(found: HandedOut, now: Millis) -> exchange.FileBody:
    """A file handed out."""
    return exchange.file_body(found.planned.file_id, found.delivery, found.content, now)


def receipts(page: Page[Receipt]) -> ReceiptsBody:
    """A page of receipts."""
    return ReceiptsBody.model_validate({"receipts": [json.loads(each.body) for each in page.items], "next": page.after})


def cycle(known: tuple[Cycle, Parameters], now: Millis) -> public.CycleBody:
    """The cycle."""
    return public.cycle_body(*known, MAX_ANSWER, MAX_LOG, now)


def keys(known: Mapping[str, bytes]) -> public.KeysBody:
    """The receipts' keys."""
    return public.keys_body(known)


def leaderboard(board: Board, now: Millis) -> results.BoardBody:
    """A board."""
    rows = [results.board_row(row, board.names[row.entry.team_id]) for row in board.rows]
    return results.board_body(board.cycle, board.language, rows, now)


def outcome(found: bytes | Comparison | Pending) -> web.Reply:
    """A stored document, a comparison, or 202 while scores are being made."""
    if isinstance(found, Pending):
        pending = results.ScoringBody(scored=found.scored, files=found.answered)
        return web.answer(pending, HTTPStatus.ACCEPTED, SCORING_RETRY_S)
    if isinstance(found, Comparison):
        body = results.ComparisonBody(answer=found.answer, experts=found.experts, score=found.score)
        return web.answer(body)
    return web.answer(found)
