"""The leaderboards as everybody sees them (R 6.10, 7.12)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, cast

from contest.domain import leaderboard, run_report
from contest.domain.canonical import canonical
from contest.domain.cycle import ALL_LANGUAGES, Mode
from contest.domain.leaderboard import Entry, Row
from contest.domain.moments import SECOND, Millis
from contest.domain.people import TeamStatus
from contest.domain.run import Run
from contest.errors import InvalidRequestError, ResultsNotPublishedError
from contest.ports import MissingBlobError
from contest.services import knowledge, reporting, run_record
from contest.services.platform import Platform
from contest.services.reporting import Pending

FRESH: Final[Millis] = 10 * SECOND
"""How old a board may be: everybody looks at it, so it is not computed for everybody."""

REPORTS: Final = "reports/"
LATEST: Final = 50
"""Among so many of the latest finals the published one is looked for."""


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


def final_board(platform: Platform, run_id: str | None) -> Board:
    """The board of a final, by default of the latest published one; :class:`ResultsNotPublishedError` before."""
    run = knowledge.run(platform, run_id) if run_id is not None else _latest_published(platform)
    if run is None or run.mode is not Mode.FINAL or run.published_at is None:
        raise ResultsNotPublishedError
    key = ("final board", run.run_id, run.version, platform.clock.now() // FRESH)
    return cast(Board, platform.memory.keep(key, lambda: _final_board(platform, run)))


def final_entries(platform: Platform, run: Run) -> tuple[Entry, ...] | Pending:
    """Entries of a final from the stored facts, by team; or how many scores are missing."""
    gathered = []
    for session in run_record.taking_part(platform, run):
        found = reporting.gather(platform, session, run, results=True)
        if isinstance(found, Pending):
            return found
        gathered.append(leaderboard.final_entry(found, run, platform.tracks(run.track)))
    return tuple(entry for entry in gathered if entry is not None)


def entries_name(run: Run) -> str:
    """Name of the object with a final's entries; every decision about the run, and other markups, call for others."""
    latest = max((each.number for each in run.amendments), default=0)
    return f"{REPORTS}final/{run.run_id}/{latest}{run_report.markups_edition(run)}.json"


def entries_json(entries: Sequence[Entry]) -> bytes:
    """Entries as they are stored."""
    return canonical({"format": 1, "entries": [asdict(each) for each in entries]})


def _latest_published(platform: Platform) -> Run | None:
    finals = (knowledge.run(platform, each) for each in platform.runs.of_mode(Mode.FINAL, LATEST))
    return next((run for run in finals if run.published_at is not None and not run.trial), None)


def _final_board(platform: Platform, run: Run) -> Board:
    try:
        stored = platform.blobs.get(entries_name(run))
    except MissingBlobError:
        made = final_entries(platform, run)
        if isinstance(made, Pending):
            raise ResultsNotPublishedError from None
        stored = entries_json(made)
        platform.blobs.put_if_absent(entries_name(run), stored)
    entries = [Entry(**each) for each in json.loads(stored)["entries"]]
    return _shown(platform, run.cycle, run.track, ALL_LANGUAGES, entries)


def _board(platform: Platform, cycle: str, track: str, language: str) -> Board:
    return _shown(platform, cycle, track, language, platform.scores.entries(cycle, language))


def _shown(platform: Platform, cycle: str, track: str, language: str, entries: Sequence[Entry]) -> Board:
    teams: Any = platform.people.teams({entry.team_id for entry in entries})
    names = {team_id: team.name for team_id, team in teams.items() if team.status is TeamStatus.APPROVED}
    shown = [entry for entry in entries if entry.team_id in names]
    return Board(cycle, language, leaderboard.board(shown, platform.tracks(track)), names)
