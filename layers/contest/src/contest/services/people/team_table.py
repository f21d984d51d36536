"""Teams as a table in CSV: all of them out, new ones in, all or nothing (platform §7)."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from contest.domain.moments import iso
from contest.domain.people.names import readings, spelled
from contest.domain.people.teams import Team, TeamStatus
from contest.domain.tables import harmless
from contest.errors import InvalidRequestError
from contest.errors.people import (
    InvalidTeamError,
    KnownTeamError,
    MalformedTableError,
    NameTakenError,
    PartlyAddedError,
)
from contest.services.people import teams
from contest.services.platform import Platform

COLUMNS: Final = ("team_id", "name", "status", "organization", "contact", "created_at", "reason")
NEEDED: Final = ("team_id", "name")
MOST: Final = 1000
"""Teams of one table."""


def written(platform: Platform) -> str:
    """All teams as CSV by id, in UTF-8 with a first line of names. A cell that a program would run has a ``'`` before.

    Clause: platform §7 teams
    """
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\r\n")
    rows.writerow(COLUMNS)
    for team in teams.teams(platform):
        rows.writerow(harmless(str(each)) for each in _cells(team))
    return out.getvalue()


def read(platform: Platform, who: str, content: bytes) -> list[str]:
    """Enter the teams of a table; their ids. Nothing is entered where anything is wrong, and every fault is named.

    ``team_id`` and ``name`` are taken, other columns of :data:`COLUMNS` are allowed and not. The rows are entered one
    by one after all were found right: where somebody else enters one of them in the same moment, those before it stay,
    and the refusal names them.

    Clause: platform §7 teams
    """
    rows = list(_rows(content))
    faults = [*_faults(platform, rows)]
    if faults:
        raise InvalidRequestError(faults)
    added: list[str] = []
    for _, team_id, name in rows:
        try:
            teams.enter(platform, who, Team(team_id, spelled(name), TeamStatus.APPROVED, platform.clock.now()))
        except (KnownTeamError, NameTakenError) as error:
            raise PartlyAddedError.after(team_id, added) from error
        added.append(team_id)
    return added


def _rows(content: bytes) -> Iterator[tuple[int, str, str]]:
    """Line, id and name of every row; :class:`MalformedTableError` for what is no such table."""
    try:
        table = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True)
        names = next(table, [])
        unknown = [each for each in names if each not in COLUMNS]
        if unknown or not set(NEEDED) <= set(names) or len(set(names)) != len(names):
            raise MalformedTableError.of_columns(names, COLUMNS)
        for number, row in enumerate(table, 1):
            if number > MOST:
                raise MalformedTableError.too_long(MOST)
            if len(row) > len(names):
                raise MalformedTableError.too_wide(table.line_num, len(row), len(names))
            if row:
                cells = dict(zip(names, [*row, *[""] * len(names)], strict=False))
                yield table.line_num, cells["team_id"], cells["name"].removeprefix("'")
    except (UnicodeDecodeError, csv.Error) as error:
        raise MalformedTableError.because(str(error)) from None


def _faults(platform: Platform, rows: list[tuple[int, str, str]]) -> Iterator[dict[str, Any]]:
    counts = Counter(team_id for _, team_id, _ in rows)
    everybody = platform.people.all_teams()
    known = {team.team_id for team in everybody}
    holders = {key: team.team_id for team in everybody for key in team.reserved}
    for line, team_id, name in rows:
        try:
            teams.refuse_wrong_names(team_id, name)
        except InvalidTeamError as error:
            yield {**error.details[0], "line": line}
            continue
        if counts[team_id] > 1:
            said = {
                "message": f"{team_id} stands in several lines",
                "message_ru": f"{team_id} встречается несколько раз",
            }
            yield {"code": "repeated_team", **said, "line": line}
        if team_id in known:
            said = {"message": f"there is a team {team_id} already", "message_ru": f"команда {team_id} уже есть"}
            yield {"code": "known_team", **said, "line": line}
            continue
        keys = readings(name)
        other = next((holders[key] for key in keys if holders.get(key, team_id) != team_id), None)
        if other is not None:
            said = {
                "message": f"the name reads like that of the team {other}",
                "message_ru": f"название читается так же, как у команды {other}",
            }
            yield {"code": "name_taken", **said, "line": line}
        holders |= dict.fromkeys(keys, team_id)


def _cells(team: Team) -> tuple[str, ...]:
    said = team.application
    about = (said.organization, said.contact) if said else ("", "")
    return (team.team_id, team.name, team.status.value, *about, iso(team.created_at), team.reason)
