"""Conversion of use cases' results to answers on the wire."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from http import HTTPStatus
from typing import Any

from contest.cycle.rules.cycle import ALL_LANGUAGES, Cycle
from contest.cycle.wire import sets
from contest.edge import web
from contest.errors import InvalidRequestError
from contest.exchange.answering import MAX_ANSWER, Taken
from contest.exchange.handing_out import HandedOut, NextFile
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
from contest.ports import Page
from contest.results.boards import Board, BoardWish
from contest.results.one_file import ANSWER, Compared, Comparison
from contest.results.reporting import Pending
from contest.results.rules import readiness, reports
from contest.results.rules.leaderboard import NOMINATION, Point, described, nomination_board
from contest.results.rules.leaderboard import ahead as nearest_ahead
from contest.results.wire import results
from contest.run.rules.keys import ValidKey
from contest.run.watching import Current, Promised
from contest.run.wire import public
from contest.run.wire.statements import RunBody, RunsBody, run_body
from contest.session.following import Standing
from contest.session.rules.delivery import Receipt
from contest.session.rules.limits import seconds_until
from contest.session.status import MAX_LOG, SessionView
from contest.texts import tr
from contest.values import Millis, from_iso, iso, iso_or_none
from tracks.protocol import Verdict, Written
from tracks.rules import BoardRules

SCORING_RETRY_S = 2
"""When to ask again while scores are being made."""


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


def runs(promises: Sequence[Promised], now: Millis) -> RunsBody:
    """Return runs with their signed statements."""
    return RunsBody(runs=[run(promised, now) for promised in promises], server_time=iso(now))


def run(promised: Promised, now: Millis) -> RunBody:
    """Return a run with its signed statements."""
    return run_body(promised.schedule, promised.commitment, promised.roster, now)


def _fields(view: SessionView, now: Millis) -> dict[str, Any]:
    """Return the fields of a session's body beside the session itself."""
    of_run = run_fields(view.schedule, now)
    return {"counts": view.counts, "client_known": view.client_known, "annulled": view.annulled, **of_run}


def cycle(current: Current, now: Millis) -> public.CycleBody:
    """Return the cycle."""
    return public.cycle_body(*current, MAX_ANSWER, MAX_LOG, now)


def classifier(classified: tuple[Cycle, Any]) -> public.ClassifierBody:
    """Return the codes of the cycle."""
    return public.classifier_body(*classified)


def parsed(reading: tuple[str, Verdict]) -> sets.ParsedBody:
    """Return the reading of a text."""
    return sets.parsed_body(*reading)


def rendered(text: Written) -> sets.RenderedBody:
    """Return the text written for an answer."""
    return sets.rendered_body(text)


def keys(valid: Iterable[ValidKey]) -> public.KeysBody:
    """Return the receipts' keys, the earlier ones first."""
    return public.keys_body(valid)


def board_wish(key: str, kind: str, run: str | None, language: str, nomination: str | None) -> BoardWish:
    """Return the board that a query names; a run is a final's."""
    return BoardWish(key, kind == "final" or run is not None, run, language, nomination)


def board_rules(rules: BoardRules, values: Iterable[float | None] = ()) -> results.BoardRulesBody:
    """Return one of the contest's boards, with the decimals that tell these values apart."""
    return results.BoardRulesBody(**described(rules, values))


def boards(rules: Sequence[BoardRules]) -> results.BoardsBody:
    """Return the contest's boards."""
    return results.BoardsBody(boards=[board_rules(board) for board in rules])


def leaderboard(board: Board, now: Millis) -> results.BoardBody:
    """Return a board."""
    rows = [
        results.board_row(row, board.names[row.entry.team_id], ahead, board.tables[row.entry.team_id], board.present)
        for row, ahead in zip(board.rows, nearest_ahead(board.rows), strict=True)
    ]
    nominated = board.scope.startswith(NOMINATION)
    return results.BoardBody(
        cycle=board.cycle,
        track=board.track,
        board=board_rules(board.rules, [row.value for row in board.rows]),
        language=ALL_LANGUAGES if ":" in board.scope else board.scope,
        nomination=board.scope.removeprefix(NOMINATION) if nominated else None,
        state=board.visibility,
        as_of=iso_or_none(board.as_of),
        several_rules=results.several_rules(board.several),
        stage=results.stage_of_board(board.stage),
        rows=rows,
        tables=[results.Section.model_validate(reports.section(section)) for section in board.compared],
        server_time=iso(now),
    )


def history(points: Sequence[Point], now: Millis) -> results.HistoryBody:
    """Return how the places of a board went."""
    return results.HistoryBody.from_value(points=points, server_time=now)


def scope(language: str, nomination: str | None) -> str:
    """Return the part of a board that a query names: a nomination, or a language."""
    if nomination is not None and language != ALL_LANGUAGES:
        texts = tr("name a language or a nomination").as_fields()
        raise InvalidRequestError([{"code": "one_of_two", **texts, "field": "query.nomination"}])
    return language if nomination is None else nomination_board(nomination)


def compared(named: str | None) -> Compared | None:
    """Return the annotation that a query names."""
    if named is None:
        return None
    return ANSWER if named == ANSWER else int(named)


def outcome(document: bytes | Comparison | Pending) -> web.Reply:
    """Return a stored document, a comparison, or 202 while scores are being made."""
    if isinstance(document, Pending):
        only_rating = document.unrated and document.scored + document.unrated == document.answered
        pending = results.ScoringBody(
            status="rating" if only_rating else "scoring", scored=document.scored, files=document.answered
        )
        return web.answer(pending, HTTPStatus.ACCEPTED, SCORING_RETRY_S)
    if isinstance(document, Comparison):
        return web.answer(results.ComparisonBody.from_value(document))
    return web.answer(document)
