"""The leaderboards as everybody sees them (R 6.10, 7.12)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any, Final, cast

from contest import stored_names
from contest.domain.canonical import canonical
from contest.domain.cycle.cycle import ALL_LANGUAGES, Mode
from contest.domain.moments import SECOND, Millis
from contest.domain.people.teams import TeamStatus
from contest.domain.results import leaderboard, run_report, shadowing
from contest.domain.results.leaderboard import Entry, Row
from contest.domain.results.session_report import Facts
from contest.domain.run.run import Run
from contest.domain.run.schedule import Schedule
from contest.errors import InvalidRequestError, ResultsNotPublishedError
from contest.ports import MissingBlobError
from contest.services import reading
from contest.services.platform import Platform
from tracks.protocol import Track

FRESH: Final[Millis] = 10 * SECOND
"""How old a board may be: everybody looks at it, so it is not computed for everybody."""

LATEST: Final = 50
"""Among so many of the latest finals the published one is looked for."""


@dataclass(frozen=True, slots=True)
class Board:
    """A board with the teams' names."""

    cycle: str
    track: str
    language: str
    rows: tuple[Row, ...]
    names: dict[str, str]


def qualification_board(platform: Platform, language: str) -> Board:
    """The board of a language or of ``all``; suspended and disqualified teams are not on it (R 11.7).

    Clause: platform §4 boards
    """
    cycle = reading.recent_cycle(platform)
    if language != ALL_LANGUAGES and language not in cycle.languages:
        names = ", ".join([ALL_LANGUAGES, *cycle.languages])
        said = {"message": f"language is one of: {names}", "message_ru": f"язык — один из: {names}"}
        raise InvalidRequestError([{"code": "unknown_language", **said, "field": "language"}])
    key = ("board", language, platform.clock.now() // FRESH)
    return cast(Board, platform.memory.keep(key, lambda: _board(platform, cycle.name, cycle.track, language)))


def final_board(platform: Platform, run_id: str | None) -> Board:
    """The board of a final, by default of the latest published one; :class:`ResultsNotPublishedError` before.

    Clause: R 7.11, platform §4 boards
    """
    run = reading.schedule(platform, run_id).run if run_id is not None else _latest_published(platform)
    if run is None or run.mode is not Mode.FINAL or run.published_at is None:
        raise ResultsNotPublishedError
    key = ("final board", run.run_id, run.version, platform.clock.now() // FRESH)
    return cast(Board, platform.memory.keep(key, lambda: _final_board(platform, run)))


def has_results(run: Run) -> bool:
    """Whether a run may have a board: a final that was not stopped (R 7.16)."""
    return run.mode is Mode.FINAL and Schedule.of(run).stop is None


def entry_name(run: Run, session_id: str) -> str:
    """Name of the object with a session's entry on a final's board, of the board's edition."""
    return f"{entries_name(run).removesuffix('.json')}/{session_id}.json"


def as_stored(entry: Entry | None, fates: Mapping[str, Any]) -> dict[str, Any]:
    """A session's entry as it is stored, with the fates of its files; one without a place has none."""
    return {"format": 2, "entry": None if entry is None else asdict(entry), "fates": fates}


def made_of(facts: Facts, schedule: Schedule, track: Track) -> bytes:
    """What is stored of a closed and fully scored session for a final's board.

    Clause: R 7.12, R 8.3.1
    """
    greatest = track.policies(schedule.run.mode.value).max_voided_share
    entry = leaderboard.final_entry(facts, schedule, track)
    return canonical(as_stored(entry, shadowing.fates_of(facts, greatest)))


def is_made(platform: Platform, run: Run) -> bool:
    """Whether the entries of a final's board are stored, under its latest decision and markups."""
    name = entries_name(run)
    return name in platform.blobs.names(name)


def make(platform: Platform, run: Run) -> None:
    """Store the entries of a final's board, unless they are there."""
    platform.blobs.put_if_absent(entries_name(run), assembled(platform, run))


def assembled(platform: Platform, run: Run) -> bytes:
    """The entries of a final's board, of the entries that are made of its sessions, by team."""
    stored = [platform.blobs.get(entry_name(run, each)) for _, each in platform.runs.sessions_of(run.run_id)]
    entries = [Entry(**found) for each in stored if (found := json.loads(each)["entry"]) is not None]
    return entries_json(entries, leaderboard.board(entries, platform.tracks(run.track)))


def entries_name(run: Run) -> str:
    """Name of the object with a final's entries; every decision about the run, and other markups, call for others."""
    return _entries_name(run, max((each.number for each in run.amendments), default=0))


def _entries_name(run: Run, amendment: int) -> str:
    return f"{stored_names.REPORTS}final/{run.run_id}/{amendment}{run_report.markups_edition(run)}.json"


def entries_json(entries: Sequence[Entry], rows: Sequence[Row]) -> bytes:
    """Entries as they are stored, with the places that all of them together make."""
    places = {row.entry.team_id: row.place for row in rows}
    return canonical({"format": 2, "entries": [asdict(each) for each in entries], "places": places})


def _latest_published(platform: Platform) -> Run | None:
    finals = (reading.schedule(platform, each).run for each in platform.runs.of_mode(Mode.FINAL, LATEST))
    return next((run for run in finals if run.published_at is not None and not run.trial), None)


def _final_board(platform: Platform, run: Run) -> Board:
    entries = [Entry(**each) for each in json.loads(_stored_entries(platform, run))["entries"]]
    return _shown(platform, run.cycle, run.track, ALL_LANGUAGES, entries)


def _stored_entries(platform: Platform, run: Run) -> bytes:
    """The entries under the latest decision for which workers have made them: the published ones at least."""
    for number in sorted({0, *(each.number for each in run.amendments)}, reverse=True):
        with suppress(MissingBlobError):
            return platform.blobs.get(_entries_name(run, number))
    raise ResultsNotPublishedError


def _board(platform: Platform, cycle: str, track: str, language: str) -> Board:
    return _shown(platform, cycle, track, language, platform.scores.entries(cycle, language))


def _shown(platform: Platform, cycle: str, track: str, language: str, entries: Sequence[Entry]) -> Board:
    teams: Any = platform.people.teams({entry.team_id for entry in entries})
    names = {team_id: team.name for team_id, team in teams.items() if team.status is TeamStatus.APPROVED}
    shown = [entry for entry in entries if entry.team_id in names]
    return Board(cycle, track, language, leaderboard.board(shown, platform.tracks(track)), names)
