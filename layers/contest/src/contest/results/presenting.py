"""Conversion of boards, conclusions, teams' standings and reports to bodies, tables and pages."""

from __future__ import annotations

import json
from collections.abc import Iterable
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from contest.cycle.rules.cycle import ALL_LANGUAGES
from contest.edge import files, web
from contest.errors import InvalidRequestError, NoTablesError
from contest.results import wire as results_wire
from contest.results.boards import Board, BoardWish
from contest.results.one_file import ANSWER, Compared, Comparison
from contest.results.reporting import Pending
from contest.results.rules import file_tables, reports
from contest.results.rules.leaderboard import NOMINATION, describe_board, nomination_board
from contest.results.rules.leaderboard import ahead as nearest_ahead
from contest.session.wire import ComparisonBody
from contest.texts import tr
from contest.values import Millis
from tracks.rules import BoardRules

if TYPE_CHECKING:
    from contest.edge.files import Language
    from contest.edge.web import Reply
    from contest.submissions.scoring import Waiting

    Unfinished = Pending | Waiting
    from contest.values import Table


def board_wish(key: str, kind: str, run: str | None, language: str, nomination: str | None) -> BoardWish:
    """Return the board that a query names; a run is a final's."""
    return BoardWish(key, kind == "final" or run is not None, run, language, nomination)


def board_rules(rules: BoardRules, values: Iterable[float | None] = ()) -> results_wire.BoardRulesBody:
    """Return one of the contest's boards, with the decimals that tell these values apart."""
    return results_wire.BoardRulesBody(**describe_board(rules, values))


def leaderboard(board: Board, now: Millis) -> results_wire.BoardBody:
    """Return a board."""
    rows = [
        results_wire.board_row(
            row, board.names[row.entry.team_id], ahead, board.tables[row.entry.team_id], board.present
        )
        for row, ahead in zip(board.rows, nearest_ahead(board.rows), strict=True)
    ]
    nominated = board.scope.startswith(NOMINATION)
    return results_wire.BoardBody.from_value(
        board,
        board=board_rules(board.rules, [row.value for row in board.rows]),
        language=ALL_LANGUAGES if ":" in board.scope else board.scope,
        nomination=board.scope.removeprefix(NOMINATION) if nominated else None,
        state=board.visibility,
        several_rules=results_wire.several_rules(board.several),
        stage=results_wire.stage_of_board(board.stage),
        rows=rows,
        tables=[reports.section(section) for section in board.compared],
        server_time=now,
    )


def scope(language: str, nomination: str | None) -> str:
    """Return the part of a board that a query names: a nomination, or a language."""
    if nomination is not None and language != ALL_LANGUAGES:
        texts = tr("name a language or a nomination").as_fields()
        raise InvalidRequestError([{"code": "one_of_two", **texts, "field": "query.nomination"}])
    return language if nomination is None else nomination_board(nomination)


def file_name(*parts: str | None) -> str:
    """Return the name of a board's file, of the parts that are given: a run, a board's key, a language."""
    return "-".join(filter(None, ("board", *parts)))


def table(board: Board) -> Table:
    """Return a board's rows with the teams' names."""
    return file_tables.board(board.rows, board.names, board.rules, board.present)


def compared(board: Board) -> list[Table]:
    """Return all of a board's tables over all teams."""
    if not board.compared:
        raise NoTablesError
    return [file_tables.section(reports.section(table)) for table in board.compared]


SCORING_RETRY_S = 2
"""Seconds after which to ask again while scores are computed."""


def scoring(pending: Pending) -> Reply:
    """Return 202 while scores are being made."""
    only_rating = pending.unrated and pending.scored + pending.unrated == pending.answered
    body = results_wire.ScoringBody(
        status="rating" if only_rating else "scoring", scored=pending.scored, files=pending.answered
    )
    return web.answer(body, HTTPStatus.ACCEPTED, SCORING_RETRY_S)


def waiting(pending: Waiting) -> Reply:
    """Return 202 while a submission is being scored."""
    body = results_wire.SubmissionPending(state=pending.state)
    return web.answer(body, HTTPStatus.ACCEPTED, retry_after_s=pending.again_s)


def page(app: APIGatewayHttpResolver, content: bytes | Unfinished, language: Language) -> Reply:
    """Return the report of a session or submission to print; 202 while scores are being made."""
    if not isinstance(content, bytes):
        return _unfinished(content)
    from contest.edge import pages as report_pages  # loads the charts, which no other answer has

    return report_pages.answer(app, report_pages.session_page(json.loads(content), language), language)


def csv(app: APIGatewayHttpResolver, content: bytes | Unfinished) -> Reply:
    """Return the files of a session, or the items of a submission, with all their measures."""
    if not isinstance(content, bytes):
        return _unfinished(content)
    report = json.loads(content)
    return files.table(app, _name(report), file_tables.main(report))


def xlsx(app: APIGatewayHttpResolver, content: bytes | Unfinished, language: Language) -> Reply:
    """Return the same with the report's other tables."""
    if not isinstance(content, bytes):
        return _unfinished(content)
    report = json.loads(content)
    return files.workbook(app, _name(report), file_tables.of_report(report), language)


def _unfinished(unfinished: Unfinished) -> Reply:
    return scoring(unfinished) if isinstance(unfinished, Pending) else waiting(unfinished)


def _name(report: Any) -> str:
    if "submission" in report:
        return f"submission-{report['submission']['submission_id']}"
    return f"session-{report['session']['session_id']}"


def markup_named(named: str | None) -> Compared | None:
    """Return the annotation that a query names."""
    if named is None:
        return None
    return ANSWER if named == ANSWER else int(named)


def outcome(document: bytes | Comparison | Pending) -> web.Reply:
    """Return a stored document, a comparison, or 202 while scores are being made."""
    if isinstance(document, Pending):
        return scoring(document)
    if isinstance(document, Comparison):
        return web.answer(ComparisonBody.from_value(document))
    return web.answer(document)
