"""Conversion of boards and of the history of places to bodies and tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from contest.cycle.rules.cycle import ALL_LANGUAGES
from contest.edge import files
from contest.errors import InvalidRequestError, NoTablesError
from contest.results.boards import Board, BoardWish
from contest.results.rules import file_tables, reports
from contest.results.rules.leaderboard import NOMINATION, Point, described, nomination_board
from contest.results.rules.leaderboard import ahead as nearest_ahead
from contest.results.wire import boards as wire
from contest.results.wire import parts
from contest.texts import tr
from contest.values import Millis, iso, iso_or_none
from tracks.rules import BoardRules

if TYPE_CHECKING:
    from contest.edge.languages import Language
    from contest.edge.web import Reply
    from contest.results.boards import Board
    from contest.tables import Table
    from contest.values import Millis


def board_wish(key: str, kind: str, run: str | None, language: str, nomination: str | None) -> BoardWish:
    """Return the board that a query names; a run is a final's."""
    return BoardWish(key, kind == "final" or run is not None, run, language, nomination)


def board_rules(rules: BoardRules, values: Iterable[float | None] = ()) -> parts.BoardRulesBody:
    """Return one of the contest's boards, with the decimals that tell these values apart."""
    return parts.BoardRulesBody(**described(rules, values))


def boards(rules: Sequence[BoardRules]) -> wire.BoardsBody:
    """Return the contest's boards."""
    return wire.BoardsBody(boards=[board_rules(board) for board in rules])


def leaderboard(board: Board, now: Millis) -> wire.BoardBody:
    """Return a board."""
    rows = [
        wire.board_row(row, board.names[row.entry.team_id], ahead, board.tables[row.entry.team_id], board.present)
        for row, ahead in zip(board.rows, nearest_ahead(board.rows), strict=True)
    ]
    nominated = board.scope.startswith(NOMINATION)
    return wire.BoardBody(
        cycle=board.cycle,
        track=board.track,
        board=board_rules(board.rules, [row.value for row in board.rows]),
        language=ALL_LANGUAGES if ":" in board.scope else board.scope,
        nomination=board.scope.removeprefix(NOMINATION) if nominated else None,
        state=board.visibility,
        as_of=iso_or_none(board.as_of),
        several_rules=wire.several_rules(board.several),
        stage=wire.stage_of_board(board.stage),
        rows=rows,
        tables=[parts.Section.model_validate(reports.section(section)) for section in board.compared],
        server_time=iso(now),
    )


def history(points: Sequence[Point], now: Millis) -> wire.HistoryBody:
    """Return how the places of a board went."""
    return wire.HistoryBody.from_value(points=points, server_time=now)


def scope(language: str, nomination: str | None) -> str:
    """Return the part of a board that a query names: a nomination, or a language."""
    if nomination is not None and language != ALL_LANGUAGES:
        texts = tr("name a language or a nomination").as_fields()
        raise InvalidRequestError([{"code": "one_of_two", **texts, "field": "query.nomination"}])
    return language if nomination is None else nomination_board(nomination)


def board_csv(app: APIGatewayHttpResolver, name: str, board: Board) -> Reply:
    """Return a board as CSV."""
    return files.table(app, f"board-{name}", file_tables.board(board.rows, board.names, board.rules, board.present))


def board_xlsx(app: APIGatewayHttpResolver, name: str, board: Board, language: Language) -> Reply:
    """Return a board as a workbook."""
    return files.workbook(
        app, f"board-{name}", [file_tables.board(board.rows, board.names, board.rules, board.present)], language
    )


def compared_csv(app: APIGatewayHttpResolver, name: str, board: Board) -> Reply:
    """Return the first of a board's tables over all teams."""
    return files.table(app, f"teams-{name}", _compared(board)[0])


def compared_xlsx(app: APIGatewayHttpResolver, name: str, board: Board, language: Language) -> Reply:
    """Return all of a board's tables over all teams as a workbook."""
    return files.workbook(app, f"teams-{name}", _compared(board), language)


def _compared(board: Board) -> list[Table]:
    if not board.compared:
        raise NoTablesError
    return [file_tables.section(reports.section(table)) for table in board.compared]
