"""Readable data: each GET route with its readers, its first phase and its lists (platform §1); log, costs, things.

The routes are written from the specification and the API document; a test compares them with the document's, so that no
route is added without a row here. A role that a row does not name is refused.

The audit log has one row for each act that the rehearsal has done, by its author, about its subject, at its time:
successful requests of the staff, the organizers' decisions, the commands by which a rehearsal is set up and its results
are published. Costs are their counts by their prices, and of the final that was played. Things are known by their ids,
in each form and list; values that the model does not know are so compared with each other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from math import fsum, isclose
from typing import Any, Final

from rehearsal.history import Call, Millis, Story, from_text
from rehearsal.proof.oracle import ESSAY, KINDS, PROGRAMS

PUBLIC, OWN, OTHER = "public", "own", "other"
"""Roles of readers: everybody without a token; a team's program; another team's program."""
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
    """A route: its readers, the phase since which it answers, and its lists.

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
    """First phase in which the route is requested at all."""

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
    never = [route for route in DOORS if any(part in route for part in of_runs)]
    at_last = [route for route in DOORS if route.startswith(("/v1/submissions/{", "/v1/private-test"))]
    since = dict.fromkeys(never, Phase.NEVER)
    since |= {route: Phase.PUBLISHED for route in at_last if not route.endswith("{part}")}
    return {**DOORS, **{route: replace(DOORS[route], since=phase) for route, phase in since.items()}}


Json = Any
Row = Mapping[str, Json]
COMMAND: Final = "command:"
CYRILLIC: Final = re.compile("[а-яё]", re.IGNORECASE)
_PERSON: Final = "person:"
_TOKEN: Final = "token:"  # noqa: S105 - how the log names a program
_OF_PROGRAMS: Final = frozenset({"/v1/hooks", "/v1/questions"})
"""Requests of programs that are acts in the log."""
_NEVER: Final[Millis] = 1 << 60
_FIRST: Final = "first"
"""Mark of an act that happens at the first of repeated requests."""
_LATER: Final = "later"
"""Mark of an act that follows from a request later, when the platform gets to it."""

_ACTS: Final = tuple(
    (re.compile(f"{way}(?:\\?.*)?"), what, mark)
    for way, what, mark in (
        ("POST /v1/teams/([^/]+)/tokens", "token issued", ""),
        ("POST /v1/teams/([^/]+)/tokens/[^/]+/revoke", "token revoked", ""),
        ("POST /v1/teams/([^/]+)/decision", "team {status}", ""),
        ("POST /v1/teams/([^/]+)/admission", "team (?:not )?admitted to the final", ""),
        ("POST /v1/staff/([^/]+)/dismiss", "staff dismissed: .+", ""),
        ("POST /v1/staff/([^/]+)/reinstate", "staff reinstated: .+", ""),
        ("POST /v1/conduct/boards/([^/]+)/decision", "(?:board|run results) {state}", ""),
        ("POST /v1/sessions/([^/]+)/conclusion/judgement", "conclusion .+", ""),
        ("POST /v1/sessions/([^/]+)/conclusion/verification", "conclusion .+", ""),
        ("POST /v1/conduct/runs()", "run planned", ""),
        ("POST /v1/conduct/runs/([^/]+)/decisions", "run amended: {kind}", ""),
        ("POST /v1/conduct/runs/([^/]+)/restart", "run amended: stop", ""),
        ("POST /v1/conduct/runs/[^/]+/restart()", "run planned", ""),
        ("POST /v1/conduct/runs/([^/]+)/mark", "run marked", _LATER),
        ("PUT /v1/experts/([^/]+)", "expert added", _FIRST),
        ("POST /v1/markings()", "marking begun", _FIRST),
        ("POST /v1/markings()", "essays assigned", _LATER),
        ("POST /v1/assignments/[^/]+/hand-back()", "essays assigned", _LATER),
        ("POST /v1/assignments/([^/]+)/open", "assignment opened", _FIRST),
        ("POST /v1/assignments/([^/]+)/hand-in", "assignment handed in", _FIRST),
        ("POST /v1/assignments/([^/]+)/hand-back", "assignment handed back", _FIRST),
        ("POST /v1/conduct/submissions/([^/]+)/rerun", "submission run again", ""),
        ("POST /v1/conduct/submissions/([^/]+)/declaration", "declaration (?:confirmed|refused)", ""),
        ("POST /v1/conduct/private-test/publication()", "private test published", ""),
        ("POST /v1/hooks()", "webhook added", ""),
        ("POST /v1/questions()", "question asked", ""),
        ("POST /v1/answering/([^/]+)/answer", "question answered", ""),
        ("POST /v1/teams/([^/]+)/invitations", "member invited", ""),
        ("POST /v1/invitations/accept()", "member joined", ""),
        ("POST /v1/staff/([^/]+)/role", "role given: .+", ""),
        ("POST /v1/conduct/annulments()", "result (?:annulled|restored)", ""),
        ("POST /v1/announcing()", "announcement published", ""),
    )
)
"""Requests by method and path with their act in the log; the subject of an act is the match of the brackets, else an id
in the answer. Further words in brackets are the answer's fields."""
_NAMED: Final = ("question_id", "announcement_id", "run_id", "successor", "marking_id", "id")


@dataclass(frozen=True, slots=True)
class Act:
    """An act: the address of its author (a team's program: its team; empty: a command), a pattern for its words, its
    subject (None: any), and when it was done. ``certain``: it must be in the log. ``answer`` is the answer to its
    author."""

    author: str
    what: str
    subject: str | None
    since: Millis
    until: Millis
    certain: bool = True
    answer: Row = field(default_factory=dict)

    def is_told(self, row: Row, people: Mapping[str, str]) -> bool:
        """Return whether a row of the log tells of it."""
        who = str(row["who"])
        means = _TOKEN if self.author else COMMAND  # prefix for an author that is no person
        same = who == f"{_PERSON}{people.get(self.author)}" if "@" in self.author else who.startswith(means)
        is_about = self.subject is None or row.get("subject", self.subject) == self.subject
        in_time = self.since <= from_text(row["at"]) <= self.until
        return same and is_about and in_time and re.fullmatch(self.what, row["what"]) is not None


def acts(story: Story) -> Iterator[Act]:
    """Yield all acts of a rehearsal."""
    header = story.header
    organizer = next((email for email, role in header.get("staff", {}).items() if role == "organizer"), "")
    began, first = header.get("timer_from") or 0, min((call.sent_at for call in story.calls), default=_NEVER)
    for team in header.get("entered", ()):
        yield Act("", "team added", team, began, first)
        yield Act("", "token issued", team, began, first)
    people = people_of(story)
    for email in header.get("staff", ()):
        yield Act("", "staff invited", people.get(email), began, first)
    yield Act("", "cycle loaded", None, began, first)
    if run := header.get("run"):
        yield Act("", "run planned", run, began, first)
        published = story.facts.answers.get("published_at", 0)
        before = max((call.done_at for call in story.calls if call.n < published), default=0)
        after = min((call.sent_at for call in story.calls if call.n > published), default=_NEVER)
        yield Act("", "run results published", run, before, after, certain="board" in story.facts.answers)
        yield from [Act("", "protocol recorded", run, before, after, certain=False)] * 2
    # The attacker's run is planned with a command, too.
    yield Act("", "run planned", None, began, _NEVER, certain=False)
    for decided in story.decided:
        answer = decided["told"] if decided["status"] == 200 else {}
        what = f"run amended: {decided['wished']}"
        yield Act(organizer, what, run, decided["at"], decided["at"], certain=bool(answer), answer=answer)
    keys: set[tuple[str, str | None]] = set()
    for call in story.calls:
        yield from _of_call(call, keys)


def _of_call(call: Call, keys: set[tuple[str, str | None]]) -> Iterator[Act]:
    is_program = "@" not in call.team
    if (
        (is_program and call.path not in _OF_PROGRAMS)
        or call.method == "GET"
        or not (call.failed or (call.status or 0) // 100 == 2)
    ):
        return
    for way, what, mark in _ACTS:
        match = way.fullmatch(f"{call.method} {call.path}")
        if match is None:
            continue
        named = (str(call.said[name]) for name in _NAMED if call.said.get(name))
        subject = match[1] or next(named, call.team if is_program else None)
        words = {name: call.means.get(name) or call.said.get(name, ".*") for name in ("status", "state", "kind")}
        words["status"] = call.said.get("status", ".*")
        repeated = mark == _FIRST and (what, subject) in keys
        keys.add((what, subject))
        certain = not call.failed and mark != _LATER and not repeated
        until = _NEVER if mark == _LATER else call.done_at
        yield Act(call.team, what.format(**words), subject, call.sent_at, until, certain=certain, answer=call.said)


def log_otherwise(rows: Sequence[Row], due: Iterable[Act], people: Mapping[str, str], read_at: Millis) -> Iterator[str]:
    """Yield the faults of a log: rows without an act, acts without a row, and values that differ from what the author
    was told."""
    pending = [act for act in due if act.since <= read_at]
    for row in rows:
        act = next((act for act in pending if act.is_told(row, people)), None)
        if act is None:
            yield f"«{row['what']}» of {row.get('subject', '')} by {row['who']} at {row['at']}, which nobody did so"
            continue
        pending.remove(act)
        after = row.get("after")
        for name, value in after.items() if isinstance(after, Mapping) else ():
            if name in act.answer and _differs(act.answer[name], value):
                yield f"«{row['what']}» of {row.get('subject', '')} with {name} {value}, not {act.answer[name]}"
    for act in pending:
        if act.certain and act.until <= read_at:
            yield f"nothing of «{act.what}» of {act.subject} by {act.author or 'a command'}"


def _differs(answer: Json, logged: Json) -> bool:
    """Return whether two values of one type differ; of objects, only the fields that both have."""
    if isinstance(answer, Mapping) and isinstance(logged, Mapping):
        return any(_differs(answer[name], logged[name]) for name in answer.keys() & logged.keys())
    return type(answer) is type(logged) and bool(answer != logged)


def people_of(story: Story) -> dict[str, str]:
    """Return the ids of the staff by their addresses: from ``/v1/me`` of each member, else from the staff list."""
    staff = [call for call in story.calls if call.status == 200 and call.path == "/v1/staff"]
    listed = [call.said.get("read", call.said) for call in staff]
    people = {person["email"]: person["person_id"] for body in listed for person in body.get("staff", ())}
    own = [call for call in story.calls if call.path == "/v1/me" and call.status == 200 and "@" in call.team]
    by_email = {call.team: call.said.get("read", call.said).get("person_id") for call in own}
    return {**people, **{email: person for email, person in by_email.items() if person}}


_NEAR: Final = 1e-9
_BY_REQUEST: Final = ("http_requests", "edge_requests", "firewall_requests")
"""Kinds of costs of which each request over HTTP counts once."""
_OF_EVERYBODY, _OF_A_TEAM, _OF_A_FILE, _LISTENING = 9, 5, 2, 3
"""Requests of a final without faults over HTTP: of organizers and readers, of a team, of each of its files, and of a
team on the event channel, which has its files from there."""
_MONTHS: Final = "_months"
_DAYS_OF_A_MONTH: Final = 730 / 24


@dataclass(frozen=True, slots=True)
class Played:
    """The final of a rehearsal: its run, the teams that joined it for sure, those on the event channel, its files."""

    run_id: str
    teams: int
    listening: int
    files: int


def costs_otherwise(estimate: Json, played: Played | None) -> Iterator[str]:
    """Yield the faults of an estimate. ``played`` is the run when joining is over; None: there is none.

    How many calls, reads and writes a request needs is measured (``make metered``) and not known here; how many
    requests a final takes is: a team opens its session, asks for each file and answers it.
    """
    prices = {row["kind"]: row["price"] / row["per"] for row in estimate["prices"]}
    for final in estimate["finals"]:
        where = f"the final {final['run_id'] or final['set']}"
        run = Played(final["run_id"], *(final[name]["value"] for name in ("teams", "listening", "files")))
        if played is not None and run != played:
            yield f"{where} of {run}, not {played}"
        asking = run.teams - run.listening
        due = _OF_EVERYBODY + asking * (_OF_A_TEAM + _OF_A_FILE * run.files) + _LISTENING * run.listening
        counts = dict.fromkeys(_BY_REQUEST, 0.0) | {line["kind"]: line["count"] for line in final["lines"]}
        wrong = [kind for kind in _BY_REQUEST if run.teams and not isclose(counts[kind], due, rel_tol=1e-6)]
        yield from (
            f"{where}: {counts[kind]} {kind} of {run.teams} teams and {run.files} files, not {due}" for kind in wrong
        )
    days, parts = estimate["days"], [estimate["days"], *estimate["finals"]]
    monthly = [one for one in days["lines"] if one["kind"].endswith(_MONTHS) and "stored_log_gb" not in one["kind"]]
    for line in monthly:  # counted in halves at the least
        halves = line["count"] * _DAYS_OF_A_MONTH / days["days"]["value"] * 2
        if not isclose(halves, round(halves), abs_tol=1e-6):
            yield f"the days: {line['kind']} {line['count']} in {days['days']['value']} days"
    for line in (one for part in parts for one in part["lines"]):
        by_prices = line["count"] * prices.get(line["kind"], float("nan"))
        if not isclose(line["cost"], by_prices, rel_tol=_NEAR):
            yield f"{line['kind']} costs {line['cost']}, by the prices {by_prices}"
    sums = [(part["cost"], fsum(line["cost"] for line in part["lines"])) for part in parts]
    for cost, total in [*sums, (estimate["cost"], fsum(part["cost"] for part in parts))]:
        if not isclose(cost, total, rel_tol=_NEAR):
            yield f"cost {cost}, of its parts {total}"


Thing = tuple[str, ...]
Fact = tuple[Thing, str, Json]

_BY_ID: Final = (
    ("submission_id", frozenset({"created_at"})),
    ("session_id", frozenset({"opened_at"})),
    ("run_id", frozenset({"starts_at"})),
    ("team_id", frozenset({"created_at"})),
    ("person_id", frozenset({"email"})),
    ("token_id", frozenset({"created_at"})),
    ("announcement_id", frozenset({"published_at"})),
    ("name", frozenset({"kind", "sha256", "view"})),
    ("key", frozenset({"unit"})),
    ("version", frozenset({"bootstrap_seed"})),
    ("cycle", frozenset({"time_zone"})),
    ("key_id", frozenset({"public_key"})),
    ("number", frozenset({"effective_at"})),
)
"""The name of a thing's id, and names beside it by which an object is a description of the thing."""
_PASSING: Final = frozenset(
    {"server_time", "now", "used_at", "seen_at", "version", "files", "state", "kind", "role", "reason"}
)
"""Names of values of the moment, and names with another meaning for the same thing elsewhere."""
_WORDS: Final = {"true": True, "yes": True, "false": False, "no": False, "": None}
"""Values of the words in tables for programs."""


def facts(content: Json) -> Iterator[Fact]:
    """Yield the values in an answer by thing: the thing, the name of a value (``limits.answer_s``), the value."""
    if isinstance(content, list):
        for one in content:
            yield from facts(one)
    elif isinstance(content, Mapping):
        thing = _thing(content)
        for name, value in content.items():
            if thing is not None and name not in _PASSING:
                yield from _values(thing, name, value)
            yield from facts(value)


def _thing(row: Mapping[str, Json]) -> Thing | None:
    for name, beside in _BY_ID:
        if isinstance(row.get(name), str | int) and row[name] and beside <= row.keys():
            # Of a hidden set its questions alone are shown to some.
            return name, str(row[name]), str(row.get("view", ""))
    return None


def _values(thing: Thing, name: str, value: Json) -> Iterator[Fact]:
    if isinstance(value, Mapping) and _thing(value) is None:
        for inner, one in value.items():
            yield from _values(thing, f"{name}.{inner}", one)
    elif isinstance(value, list) and value and not any(isinstance(one, Mapping) for one in value):
        yield thing, name, json.dumps(value)
    elif not isinstance(value, list | Mapping):
        yield thing, name, _plain(value)


def _plain(value: Json) -> Json:
    """Return a value as JSON has it, of CSV too."""
    if isinstance(value, str):
        if value in _WORDS:
            return _WORDS[value]
        try:
            return float(value)
        except ValueError:
            return value
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


class Sameness:
    """Compares the values of answers: remembers each value with its first answer, and yields later deviations."""

    def __init__(self) -> None:
        self._told: dict[tuple[Thing, str], tuple[Json, str]] = {}

    def otherwise(self, content: Json, where: str) -> Iterator[str]:
        """Yield the values of an answer that differ from an earlier answer's."""
        for thing, name, value in facts(content):
            first, told_by = self._told.setdefault((thing, name), (value, where))
            if first != value:
                yield f"{where} tells {name} {value} of {' '.join(thing).strip()}, {told_by} told {first}"
