"""The qualification leaderboard as everybody sees it (R 6.10)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, cast

from contest.domain import leaderboard
from contest.domain.cycle import ALL_LANGUAGES
from contest.domain.leaderboard import Row
from contest.domain.moments import SECOND, Millis
from contest.domain.people import TeamStatus
from contest.errors import InvalidRequestError
from contest.services import knowledge
from contest.services.platform import Platform

FRESH: Final[Millis] = 10 * SECOND
"""How old a board may be: everybody looks at it, so it is not computed for everybody."""


@dataclass(frozen=True, slots=True)
class Board:
    """A board with the teams' names."""

    cycle: str
    language: str
    rows: tuple[Row, ...]
    names: dict[str, str]


def qualification_board(platform: Platform, language: str) -> Board:
    """The board of a language or of ``all``; suspended and disqualified teams are not on it (R 11.7)."""
    cycle = knowledge.recent_cycle(platform)
    if language != ALL_LANGUAGES and language not in cycle.languages:
        names = ", ".join([ALL_LANGUAGES, *cycle.languages])
        said = {"message": f"language is one of: {names}", "message_ru": f"язык — один из: {names}"}
        raise InvalidRequestError([{"code": "unknown_language", **said, "field": "language"}])
    key = ("board", language, platform.clock.now() // FRESH)
    return cast(Board, platform.memory.keep(key, lambda: _board(platform, cycle.name, cycle.track, language)))


def _board(platform: Platform, cycle: str, track: str, language: str) -> Board:
    entries = platform.scores.entries(cycle, language)
    teams: Any = platform.people.teams({entry.team_id for entry in entries})
    names = {team_id: team.name for team_id, team in teams.items() if team.status is TeamStatus.APPROVED}
    shown = [entry for entry in entries if entry.team_id in names]
    return Board(cycle, language, leaderboard.board(shown, platform.tracks(track)), names)
