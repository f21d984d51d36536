"""Compare what is told beside the model of the contest: the audit log, the costs, and one thing at every door.

The log has one row for each act that the rehearsal has done, by its author, about its subject, at its time: successful
requests of the staff, the organizers' decisions, the commands by which a rehearsal is set up and its results are
published. Costs are their counts by their prices, and of the final that was played. Things are known by their ids, in
each form and list; values that the model does not know are so compared with each other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum, isclose
from typing import Any, Final

from rehearsal.history import Call, Story
from rehearsal.moments import Millis, from_text

Json = Any
Row = Mapping[str, Json]
COMMAND: Final = "command:"
_PERSON: Final = "person:"
_TOKEN: Final = "token:"  # noqa: S105 - how the log names a program
_OF_PROGRAMS: Final = frozenset({"/v1/hooks", "/v1/questions"})
"""Requests of programs that are acts in the log."""
_NEVER: Final[Millis] = 1 << 60
_FIRST: Final = "first"
"""The act happens at the first of repeated requests."""
_LATER: Final = "later"
"""The act follows from a request when the platform comes to it."""

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
"""Requests by method and path with the act in the log; its subject is what the brackets hold, else what the answer
names. Further words in brackets are the answer's fields."""
_NAMED: Final = ("question_id", "announcement_id", "run_id", "successor", "marking_id", "id")


@dataclass(frozen=True, slots=True)
class Act:
    """An act: the address of its author (a team's program: its team; empty: a command), a pattern for its words, its
    subject (None: any), and when it was done. ``certain``: it must be in the log. ``answer`` is what its author
    was answered."""

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
        means = _TOKEN if self.author else COMMAND  # of an author who is no person
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
    """Return whether two values of one type differ; of objects, what both have."""
    if isinstance(answer, Mapping) and isinstance(logged, Mapping):
        return any(_differs(answer[name], logged[name]) for name in answer.keys() & logged.keys())
    return type(answer) is type(logged) and bool(answer != logged)


def people_of(story: Story) -> dict[str, str]:
    """Return the ids of the staff by their addresses, as each was told of its own, or else as the organizer is."""
    staff = [call for call in story.calls if call.status == 200 and call.path == "/v1/staff"]
    listed = [call.said.get("read", call.said) for call in staff]
    people = {person["email"]: person["person_id"] for body in listed for person in body.get("staff", ())}
    own = [call for call in story.calls if call.path == "/v1/me" and call.status == 200 and "@" in call.team]
    by_email = {call.team: call.said.get("read", call.said).get("person_id") for call in own}
    return {**people, **{email: person for email, person in by_email.items() if person}}


_NEAR: Final = 1e-9
_BY_REQUEST: Final = ("http_requests", "edge_requests", "firewall_requests")
"""Each request over HTTP is one of each."""
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
"""Values of the moment, and names that mean something else of the same thing elsewhere."""
_WORDS: Final = {"true": True, "yes": True, "false": False, "no": False, "": None}
"""Words of tables for programs."""


def facts(content: Json) -> Iterator[Fact]:
    """Yield what an answer tells of each thing: the thing, the name of a value (``limits.answer_s``), the value."""
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
            return (
                name,
                str(row[name]),
                str(row.get("view", "")),
            )  # of a hidden set its questions alone are shown to some
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
    """Remembers who first told each value, and yields those that differ from it."""

    def __init__(self) -> None:
        self._told: dict[tuple[Thing, str], tuple[Json, str]] = {}

    def otherwise(self, content: Json, where: str) -> Iterator[str]:
        """Yield the values of an answer that were told otherwise before."""
        for thing, name, value in facts(content):
            first, told_by = self._told.setdefault((thing, name), (value, where))
            if first != value:
                yield f"{where} tells {name} {value} of {' '.join(thing).strip()}, {told_by} told {first}"
