"""Model the audit log: one row for each act that the rehearsal has done, by its author, about its subject, at its time.

Acts are the successful requests of the staff, the organizers' decisions, and the commands by which a rehearsal is set
up and its results are published.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from rehearsal.history import Call, Story
from rehearsal.moments import Millis, from_text

Json = Any
Row = Mapping[str, Json]
COMMAND: Final = "command:"
_PERSON: Final = "person:"
_TOKEN: Final = "token:"  # noqa: S105 - how the log names a program
_OF_PROGRAMS: Final = frozenset({"/v1/hooks"})
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
    )
)
"""Requests by method and path with the act in the log; its subject is what the brackets hold, else what the answer
names. Further words in brackets are the answer's fields."""
_NAMED: Final = ("run_id", "successor", "marking_id", "id")


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

    @property
    def _means(self) -> str:
        """Return how the log names the author where it is no person."""
        return _TOKEN if self.author else COMMAND

    def is_told(self, row: Row, people: Mapping[str, str]) -> bool:
        """Return whether a row of the log tells of it."""
        who = str(row["who"])
        same = who == f"{_PERSON}{people.get(self.author)}" if "@" in self.author else who.startswith(self._means)
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
        subject = match[1] or (call.team if is_program else next(named, None))
        words = {name: call.means.get(name) or call.said.get(name, ".*") for name in ("status", "state", "kind")}
        words["status"] = call.said.get("status", ".*")
        repeated = mark == _FIRST and (what, subject) in keys
        keys.add((what, subject))
        certain = not call.failed and mark != _LATER and not repeated
        until = _NEVER if mark == _LATER else call.done_at
        yield Act(call.team, what.format(**words), subject, call.sent_at, until, certain=certain, answer=call.said)


def otherwise(rows: Sequence[Row], due: Iterable[Act], people: Mapping[str, str], read_at: Millis) -> Iterator[str]:
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
            if name in act.answer and type(act.answer[name]) is type(value) and act.answer[name] != value:
                yield f"«{row['what']}» of {row.get('subject', '')} with {name} {value}, not {act.answer[name]}"
    for act in pending:
        if act.certain and act.until <= read_at:
            yield f"nothing of «{act.what}» of {act.subject} by {act.author or 'a command'}"


def people_of(story: Story) -> dict[str, str]:
    """Return the ids of the staff by their addresses, as each was told of its own, or else as the organizer is."""
    listed = [call.said["read"] for call in story.calls if call.status == 200 and call.path == "/v1/staff"
              and "read" in call.said]  # fmt: skip
    people = {person["email"]: person["person_id"] for body in listed for person in body["staff"]}
    own = [call for call in story.calls if call.path == "/v1/me" and call.status == 200 and "@" in call.team]
    by_email = {call.team: call.said.get("read", call.said).get("person_id") for call in own}
    return {**people, **{email: person for email, person in by_email.items() if person}}
