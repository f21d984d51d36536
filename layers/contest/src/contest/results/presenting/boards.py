"""Conversion of boards to bodies and tables, and of conclusions and teams' standings to bodies."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from contest.cycle.rules.cycle import ALL_LANGUAGES
from contest.errors import InvalidRequestError, NoTablesError
from contest.results.boards import Board, BoardWish
from contest.results.rules import file_tables, reports
from contest.results.rules.leaderboard import NOMINATION, described, nomination_board
from contest.results.rules.leaderboard import ahead as nearest_ahead
from contest.results.wire import boards as wire
from contest.texts import tr
from contest.values import Millis
from tracks.rules import BoardRules

if TYPE_CHECKING:
    from contest.results.boards import Board
    from contest.results.qualifying import TeamStanding
    from contest.results.rules.qualification import Conclusion
    from contest.tables import Table
    from contest.values import Millis


def board_wish(key: str, kind: str, run: str | None, language: str, nomination: str | None) -> BoardWish:
    """Return the board that a query names; a run is a final's."""
    return BoardWish(key, kind == "final" or run is not None, run, language, nomination)


def board_rules(rules: BoardRules, values: Iterable[float | None] = ()) -> wire.BoardRulesBody:
    """Return one of the contest's boards, with the decimals that tell these values apart."""
    return wire.BoardRulesBody(**described(rules, values))


def leaderboard(board: Board, now: Millis) -> wire.BoardBody:
    """Return a board."""
    rows = [
        wire.board_row(row, board.names[row.entry.team_id], ahead, board.tables[row.entry.team_id], board.present)
        for row, ahead in zip(board.rows, nearest_ahead(board.rows), strict=True)
    ]
    nominated = board.scope.startswith(NOMINATION)
    return wire.BoardBody.from_value(
        board,
        board=board_rules(board.rules, [row.value for row in board.rows]),
        language=ALL_LANGUAGES if ":" in board.scope else board.scope,
        nomination=board.scope.removeprefix(NOMINATION) if nominated else None,
        state=board.visibility,
        several_rules=wire.several_rules(board.several),
        stage=wire.stage_of_board(board.stage),
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


def conclusion(judged: Conclusion) -> wire.ConclusionBody:
    """Return a conclusion with its rulings. Their authors stay in the audit log."""
    return wire.ConclusionBody.from_value(
        judged,
        rulings=[
            wire.RulingBody.from_value(ruling, counts=ruling.report == judged.report) for ruling in judged.rulings
        ],
        possible=[wire.PossibleRulingBody(step=step, positive=positive) for step, positive in judged.possible()],
    )


def team_standing(standing: TeamStanding) -> wire.TeamStandingBody:
    """Return the body of a team's progress."""
    decided = standing.admission
    admission = wire.AdmissionBody.from_value(decided, by=standing.decided_by) if decided else None
    return wire.TeamStandingBody.from_value(standing, admission=admission)
