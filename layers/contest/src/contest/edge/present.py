"""Conversion of use cases' results to answers on the wire."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from http import HTTPStatus
from typing import Any

from contest.cycle.rules.cycle import ALL_LANGUAGES, Cycle
from contest.cycle.wire import sets
from contest.edge import web
from contest.errors import InvalidRequestError
from contest.exchange.answering import MAX_ANSWER
from contest.results.boards import Board, BoardWish
from contest.results.one_file import ANSWER, Compared, Comparison
from contest.results.reporting import Pending
from contest.results.rules import reports
from contest.results.rules.leaderboard import NOMINATION, End, Point, described, nomination_board
from contest.results.rules.leaderboard import ahead as nearest_ahead
from contest.results.wire import results
from contest.run.rules.keys import ValidKey
from contest.run.watching import Current, Promised
from contest.run.wire import public
from contest.run.wire.statements import RunBody, RunsBody, run_body
from contest.session.status import MAX_LOG
from contest.texts import tr
from contest.values import Millis, iso, iso_or_none
from tracks.protocol import Verdict, Written
from tracks.rules import BoardRules

SCORING_RETRY_S = 2
"""When to ask again while scores are being made."""


def runs(promises: Sequence[Promised], now: Millis) -> RunsBody:
    """Return runs with their signed statements."""
    return RunsBody(runs=[run(promised, now) for promised in promises], server_time=iso(now))


def run(promised: Promised, now: Millis) -> RunBody:
    """Return a run with its signed statements."""
    return run_body(promised.schedule, promised.commitment, promised.roster, now)


def cycle(current: Current, end: End | None, now: Millis) -> public.CycleBody:
    """Return the cycle, with the end of the contest if it has one."""
    return public.cycle_body(*current, end, (MAX_ANSWER, MAX_LOG), now)


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
