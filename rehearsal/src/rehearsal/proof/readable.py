"""List each GET route with its readers, its first phase and its lists (platform §1).

Written from the specification and the API document; a test compares it with the document's routes, so that no route is
added without a row here. A role that a row does not name is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Final

from rehearsal.proof.oracle import ESSAY, KINDS, PROGRAMS

PUBLIC, OWN, OTHER = "public", "own", "other"
"""Everybody without a token; a team's program; another team's."""
EXPERT, CLINICIAN, JUDGE, COMMISSION, ORGANIZER = "expert", "clinician", "judge", "commission", "organizer"
STAFF: Final = (EXPERT, CLINICIAN, JUDGE, COMMISSION, ORGANIZER)
ROLES: Final = (PUBLIC, OWN, OTHER, *STAFF)


class Phase(IntEnum):
    """Phase of a rehearsal's run in which a reader sends a request."""

    PLANNED = 0
    RUNNING = 1
    CLOSED = 2
    PUBLISHED = 3
    NEVER = 9
    """Phase of a route that no rehearsed final fills: it is requested, and need not succeed."""


@dataclass(frozen=True, slots=True)
class Door:
    """A route: who may read it, since which phase it answers, and what it lists.

    ``lists`` names for places of an answer (``record.sessions``) the list that the model gives; ``queries`` are read
    besides the route without one. What does not move is read in the last phase alone.
    """

    readers: frozenset[str]
    since: Phase = Phase.PLANNED
    lists: Mapping[str, str] = field(default_factory=dict)
    queries: tuple[str, ...] = ()
    moves: bool = True
    bare: bool = True
    """True if the route is read without a query, too."""
    first: Phase = Phase.PLANNED
    """The first phase in which it is tried at all."""

    def read_by(self, phase: Phase, drawn: int, *, every: bool) -> Iterator[str]:
        """Yield the roles that read it in a phase: before the last one a single one that may. In the last one strangers
        try everything, a team and the organizers read what they may, and of the others one that may and one that may
        not, who are ``drawn``, or with ``every`` all of them."""
        if phase is not Phase.PUBLISHED:
            if self.moves and phase >= self.first:
                yield from [role for role in (PUBLIC, OWN, ORGANIZER) if role in self.readers][:1]
            return
        yield PUBLIC
        if self.readers >= set(ROLES):
            return
        yield from [role for role in (OWN, ORGANIZER) if role in self.readers]
        for may in (True, False):
            others = [role for role in ROLES if (role in self.readers) is may]
            others = [role for role in others if role != PUBLIC and not (may and role in {OWN, ORGANIZER})]
            yield from others if every or not others else [others[drawn % len(others)]]


_ALL: Final = frozenset(ROLES)
_SIGNED_IN: Final = _ALL - {PUBLIC}
_PROGRAMS: Final = frozenset({OWN, OTHER})
_REPORTS: Final = frozenset({JUDGE, COMMISSION, ORGANIZER})
_INSPECTS: Final = frozenset({COMMISSION, ORGANIZER})
_ORGANIZES: Final = frozenset({ORGANIZER})
_OF_SESSION: Final = frozenset({OWN, *_REPORTS})
_BOTH: Final = ("lang=en", "lang=ru")
PARTS: Final = "{part}"
"""Placeholder for one query for each language and each nomination of the cycle."""
_PARTS: Final = (PARTS,)


def _never(readers: frozenset[str], *paths: str) -> dict[str, Door]:
    return dict.fromkeys((f"/v1/{path}" for path in paths), Door(readers, Phase.NEVER, moves=False))


def _still(readers: frozenset[str], *paths: str) -> dict[str, Door]:
    return dict.fromkeys((f"/v1/{path}" for path in paths), Door(readers, moves=False))


def _results(readers: frozenset[str], lists: Mapping[str, str], queries: tuple[str, ...] = ()) -> Door:
    return Door(readers, Phase.PUBLISHED, lists, queries)


_RUN, _SESSION, _COMMISSION = "/v1/runs/{run_id}", "/v1/sessions/{session_id}", "/v1/commission/{run_id}"
_CONDUCT: Final = "/v1/conduct"
_FINAL, _QUALIFICATION = "/v1/leaderboards/final", "/v1/leaderboards/qualification"
COST: Final = "/v1/conduct/cost"
_DAYS: Final = ("/v1/audit.csv", "/v1/audit.jsonl")
LOG: Final = ("/v1/audit", *_DAYS)
"""Routes of the audit log: of a day, and of days to download."""
_PLACES: Final = {"rows": "places"}
_FILES: Final = {"files": "numbers"}
_JOINED: Final = {"sessions": "joined"}

_OF_AN_ITEM: Final = tuple(f"{_SESSION}/files/{{number}}/{what}" for what in ("score", "comparison"))

DOORS: Final[Mapping[str, Door]] = {
    # The contest
    "/docs": Door(_ALL, moves=False),
    "/docs/errors": Door(_ALL, moves=False),
    **_still(_ALL, "openapi.json", "cycle", "classifier", "keys", "kit", "sign-in", "earlier-cycles", "published-sets"),
    **_still(_ALL, "boards", "parameters", "parameters/{version}", "parameters/{version}/changes"),
    **_never(_ALL, "pages/{name}", "published-sets/{name}", "published-sets/{name}/parts/{part}"),
    **_never(_ALL, "private-test/archive"),
    "/v1/announcements": Door(_ALL, lists={"announcements": "announced"}, queries=("kind=schedule", "kind=results")),
    "/v1/announcements/{announcement_id}": Door(_ALL),
    # The run and its results
    "/v1/runs": Door(_ALL, lists={"runs": "runs"}, queries=("mode=final", "mode=technical")),
    _RUN: Door(_ALL),
    f"{_RUN}/record": Door(_ALL, Phase.CLOSED, {"record.sessions": "joined", "record.releases": "numbers"}),
    f"{_RUN}/timeline": Door(_ALL, Phase.CLOSED),
    f"{_RUN}/archive": Door(_ALL, Phase.PUBLISHED),
    _FINAL: _results(_ALL, _PLACES, _PARTS),
    f"{_FINAL}.csv": _results(_ALL, _PLACES, _PARTS),
    f"{_FINAL}.xlsx": _results(_ALL, _PLACES, (*_PARTS, *_BOTH)),
    f"{_FINAL}/history": _results(_ALL, {"points.0.places": "places"}, _PARTS),
    "/v1/boards/{key}": Door(_ALL, Phase.PUBLISHED, _PLACES, _PARTS),
    **dict.fromkeys(
        (_QUALIFICATION, f"{_QUALIFICATION}.csv", f"{_QUALIFICATION}.xlsx"), Door(_ALL, lists={"rows": "nothing"})
    ),
    f"{_QUALIFICATION}/history": Door(_ALL, lists={"points": "nothing"}),
    # A team's own
    "/v1/sessions": Door(_PROGRAMS, lists={"sessions": "own_sessions"}, queries=("mode=final", "mode=technical")),
    _SESSION: Door(_OF_SESSION, Phase.RUNNING, {"deliveries": "numbers"}),
    f"{_SESSION}/next": Door(frozenset({OWN}), Phase.RUNNING),
    f"{_SESSION}/files/{{number}}": Door(frozenset({OWN}), Phase.NEVER, moves=False),
    f"{_SESSION}/receipts": Door(_OF_SESSION, Phase.RUNNING, {"receipts": "receipts"}),
    f"{_SESSION}/report": Door(_OF_SESSION, Phase.CLOSED, _FILES),
    f"{_SESSION}/report.csv": Door(_OF_SESSION, Phase.CLOSED, {"rows": "numbers"}),
    f"{_SESSION}/report.xlsx": Door(_OF_SESSION, Phase.CLOSED, queries=_BOTH, bare=False),
    f"{_SESSION}/report.html": Door(_OF_SESSION, Phase.CLOSED, queries=_BOTH, bare=False),
    f"{_SESSION}/timeline": Door(_OF_SESSION, Phase.CLOSED),
    **dict.fromkeys(_OF_AN_ITEM, Door(_OF_SESSION, Phase.PUBLISHED)),
    f"{_SESSION}/files/{{number}}/answer": Door(_OF_SESSION, Phase.RUNNING),
    **_never(_OF_SESSION, "sessions/{session_id}/conclusion"),
    "/v1/submissions": Door(_PROGRAMS, moves=False),
    **_never(
        _OF_SESSION,
        *(
            f"submissions/{{submission_id}}{what}"
            for what in ("", "/report", "/report.html", "/report.csv", "/report.xlsx", "/logs")
        ),
    ),
    **_never(_PROGRAMS, "submissions/{submission_id}/parts/{part}"),
    "/v1/questions": Door(_PROGRAMS, moves=False),
    "/v1/hooks": Door(_PROGRAMS | _ORGANIZES, moves=False),
    "/v1/me": Door(_SIGNED_IN),
    "/v1/sets": Door(_SIGNED_IN, lists={"sets": "sets"}),
    "/v1/sets/{name}": Door(_PROGRAMS | _ORGANIZES, moves=False),
    "/v1/sets/{name}/parts/{part}": Door(_PROGRAMS | _ORGANIZES, lists={"files": "open_files"}, moves=False),
    **_never(_SIGNED_IN, "sets/{name}/pack", "sets/{name}/description", "private-test", "replays/{run_id}/lot"),
    # People of a team, of whom none plays, and experts without an assignment
    **_never(frozenset(), "team", "team/invitations", "team/tokens", "team/qualification", "mails"),
    "/v1/assignments": Door(frozenset({EXPERT}), moves=False),
    **_never(
        frozenset({EXPERT}),
        *(f"assignments/{{assignment_id}}{what}" for what in ("", "/calibration", "/drafts", "/drafts/{revision}")),
    ),
    **_never(frozenset({CLINICIAN}), "round"),
    # Judges and commission
    "/v1/waiting": Door(_REPORTS),
    "/v1/answering": Door(frozenset({JUDGE, ORGANIZER}), moves=False),
    "/v1/teams": Door(_REPORTS, lists={"teams": "teams"}, queries=("status=approved", "status=suspended")),
    "/v1/teams/{team_id}/sessions": Door(_REPORTS, lists={"sessions": "own_sessions"}, queries=("mode=technical",)),
    "/v1/qualification": Door(_REPORTS, lists={"teams": "teams"}),
    f"{_COMMISSION}/report": Door(_REPORTS, Phase.CLOSED, _JOINED),
    f"{_COMMISSION}/report.html": Door(_REPORTS, Phase.CLOSED, queries=_BOTH, bare=False),
    f"{_COMMISSION}/report.xlsx": Door(_REPORTS, Phase.CLOSED, queries=_BOTH, bare=False),
    f"{_COMMISSION}/files": Door(_INSPECTS, Phase.CLOSED, {"files": "cells"}, ("team={team_id}",)),
    f"{_COMMISSION}/files.csv": Door(_INSPECTS, Phase.CLOSED, {"rows": "cells"}, ("team={team_id}",)),
    f"{_COMMISSION}/files.xlsx": Door(_INSPECTS, Phase.CLOSED, queries=_BOTH, bare=False),
    f"{_CONDUCT}/runs": Door(_INSPECTS, lists={"runs": "runs"}, queries=("mode=final", "mode=technical")),
    f"{_CONDUCT}/runs/{{run_id}}": Door(_INSPECTS),
    f"{_CONDUCT}/runs/{{run_id}}/watch": Door(_INSPECTS, lists={"teams": "joined_by_now"}),
    f"{_CONDUCT}/runs/{{run_id}}/protocols": Door(_REPORTS),
    f"{_CONDUCT}/runs/{{run_id}}/shadow": Door(_INSPECTS, Phase.CLOSED, {"differences": "nothing"}),
    f"{_CONDUCT}/boards/{{board}}": Door(_INSPECTS, Phase.CLOSED, _PLACES, _PARTS),
    f"{_CONDUCT}/boards/{{board}}/teams.csv": Door(_INSPECTS, Phase.NEVER, moves=False),
    f"{_CONDUCT}/boards/{{board}}/teams.xlsx": Door(_INSPECTS, Phase.NEVER, moves=False),
    **_still(_INSPECTS, "conduct/annulments", "conduct/cycle", "conduct/private-test", "conduct/scoring"),
    **_still(_INSPECTS, "conduct/submissions", "conduct/submissions/recomputation", "rescorings", "dead-letters"),
    **_still(_INSPECTS, "doctor", "staff", "experts", "markings"),
    **_never(_INSPECTS, "conduct/errands/{errand_id}", "rescorings/{rescoring_id}", "dead-letters/{letter_id}"),
    **_never(_INSPECTS, "replays/{run_id}", "markings/{marking_id}", "markings/{marking_id}/agreement"),
    **_never(_INSPECTS, *(f"markings/{{marking_id}}/report{form}" for form in ("", ".html", ".csv", ".xlsx"))),
    # Organizers
    "/v1/teams.csv": Door(_ORGANIZES, lists={"rows": "teams"}),
    "/v1/teams/{team_id}": Door(_ORGANIZES),
    "/v1/teams/{team_id}/tokens": Door(_ORGANIZES),
    **_still(_ORGANIZES, "announcement-drafts", "check", "conduct/cost", "cycle/description", "imports"),
    **_still(_ORGANIZES, "cycle/sets/{set_name}/items"),
    "/v1/audit": Door(_ORGANIZES, queries=("day={day}",), moves=False, bare=False),
    **dict.fromkeys(_DAYS, Door(_ORGANIZES, queries=("from={day}&to={day}",), moves=False, bare=False)),
    **_never(_ORGANIZES, "imports/{import_id}", "imports/{import_id}/parts/{part}", "markings/{marking_id}/markups"),
}
"""Doors by the route's path in the API document, but for the two routes of earlier clients (below)."""
BY_THEMSELVES: Final = frozenset({"/v1/earlier", "/v1/earlier/fragment"})
"""Routes that name their token in the query and change a session's state by being read: earlier clients play them."""


def doors_of(stage: str) -> Mapping[str, Door]:
    """Return the doors of a kind of stage, by its name in a history's header.

    Contests of items tell teams nothing of a single item, and the staff at once. A semifinal has no archive, its data
    wait for the final. A contest of programs has no run, no session, and other sets.
    """
    if stage == ESSAY:
        return DOORS
    if stage != PROGRAMS:
        items = {path: replace(DOORS[path], readers=_REPORTS, since=Phase.CLOSED) for path in _OF_AN_ITEM}
        archive = {f"{_RUN}/archive": replace(DOORS[f"{_RUN}/archive"], since=Phase.NEVER)}
        return {**DOORS, **items, **(archive if KINDS[stage].is_kept_back else {})}
    of_runs = ("{session_id}", "{run_id}", "{board}", "{announcement_id}", "leaderboards/final", "/sets/{")
    changed = {
        route: replace(door, since=Phase.NEVER)
        for route, door in DOORS.items()
        if any(part in route for part in of_runs)
    }
    published = {
        route: replace(door, since=Phase.PUBLISHED)
        for route, door in DOORS.items()
        if route.startswith(("/v1/submissions/{", "/v1/private-test")) and not route.endswith("{part}")
    }
    return {**DOORS, **changed, **published}
