"""Model a rehearsed contest: the teams, sessions, files, results and run that every answer to a reader must have.

It is computed from the programs' requests and answers, the announced schedule, the decisions and the rules; the
platform's answers to readers are not used.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum
from typing import Any, Final

from markup_core.record import score_of
from rehearsal.history import Call
from rehearsal.moments import Millis, from_text, to_text
from rehearsal.proof.case import Case, receipt_text
from rehearsal.proof.checks_results import Library, counting, placed, replay
from rehearsal.proof.oracle import ESSAY, ExpectedTimes, Life, causes
from rehearsal.proof.readable import OTHER, OWN, Phase
from shadow.fates import BESIDE

Json = Any
ALL: Final = "all"
_BARRIER: Final = 100.0
_LETTERS: Final = {"team_late": "l", "team_invalid": "i", "network": "n", "platform": "p", "organizer_decision": "d"}
_ROLES: Final = {OWN: "program", OTHER: "program"}
"""The platform's names of readers' roles, where they differ."""
_MODES: Final = {"mode=final": True, "mode=technical": False}


@dataclass(frozen=True, slots=True)
class Place:
    """Place of an answer's value in the contest: team, file, run, part of a leaderboard."""

    call: Call
    team: str | None = None
    number: int | None = None
    run: str | None = None
    send: int | None = None

    @property
    def role(self) -> str:
        """Return the reader's role."""
        return str(self.call.means["role"])

    @property
    def phase(self) -> Phase:
        """Return the phase in which it was read."""
        return Phase(self.call.means["phase"])

    @property
    def query(self) -> Mapping[str, str]:
        """Return the parameters of the request's query."""
        parts = (part.partition("=") for part in str(self.call.means["query"]).split("&") if part)
        return {name: value for name, _, value in parts}

    @property
    def scope(self) -> str:
        """Return the requested part of a leaderboard: all files, a language or a nomination."""
        return self.query.get("nomination") or self.query.get("language") or ALL


@dataclass(frozen=True, slots=True)
class Part:
    """A team's result on a part of a board."""

    files: int
    answered: int
    value: float | None


class AtLeast(list[Json]):
    """List of rows that must be there; further ones may be, which the model does not know."""


class World:
    """The values due to readers, computed from the history of one final."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.run_id = case.schedule.run_id
        opened = [call for call in case.story.calls if call.status == 201 and "session_id" in call.said]
        self.owners = {str(call.said["session_id"]): call.team for call in opened}
        """Team by session, for every session that an answer named as opened."""
        self.owners |= {session_id: team for team, session_id in case.sessions.items()}
        self._joined_at = {call.team: call.done_at for call in opened if call.what == "open"}
        handed = [call for call in case.story.calls if call.what == "file" and call.status == 200]
        self.file_ids = {call.number: str(call.said["file_id"]) for call in handed}
        self.numbers = {file_id: number for number, file_id in self.file_ids.items()}
        followed = {call.team for call in handed if call.path is not None}
        self._unfollowed = {*case.sessions} - followed
        """Teams whose calls the history does not record one by one: on the event channel, or with their own program."""
        self._sets = ("train", f"final-{self.run_id}")
        self._is_of_essays = case.story.header.get("stage", ESSAY) == ESSAY

    @cached_property
    def library(self) -> Library:
        """Return the library that scores the answers again."""
        return Library.of(self.case)

    # Lists

    def listed(self, name: str, at: Place) -> Sequence[Json] | None:
        """Return the list of this name that is due to a reader; None if the model has none."""
        lists: Mapping[str, Callable[[Place], Sequence[Json] | None]] = {
            "nothing": lambda _: (),
            "numbers": lambda at: list(self.schedule(at).numbers),
            "places": self._places,
            "joined": lambda _: sorted(self.case.sessions),
            "joined_by_now": self._joined,
            "runs": lambda at: [self.run_id] * _MODES.get(str(at.call.means["query"]), True),
            "announced": lambda at: [f"run-{self.run_id}"] * (at.query.get("kind") != "results"),
            "own_sessions": self._own_sessions,
            "receipts": self._receipts,
            "cells": lambda at: [
                (team, number)
                for team in ([at.query["team"]] if "team" in at.query else sorted(self.case.sessions))
                for number in self.schedule(at).numbers
            ],
            "teams": lambda at: self.entered if at.query.get("status", "approved") == "approved" else (),
            "sets": lambda at: None if at.role not in {OWN, OTHER} else self._sets[: 1 + (at.phase >= Phase.PUBLISHED)],
        }
        return lists[name](at)

    @staticmethod
    def key_of(name: str, row: Mapping[str, Json]) -> Json:
        """Return the key of a row in a list of this name."""
        if name == "places":
            return int(row["place"]), row["team_id"]
        if name == "receipts":
            return tuple(row["receipt"][part] for part in ("number", "send", "received_at"))
        if name == "cells":
            return row["team_id"], int(row["number"])
        of_name = {"numbers": "number", "runs": "run_id", "announced": "announcement_id", "own_sessions": "session_id"}
        value = row[of_name.get(name, "name" if name == "sets" else "team_id")]
        return int(value) if name == "numbers" else value

    def _joined(self, at: Place) -> Sequence[str]:
        """Return the teams that had joined for sure; teams whose calls are not recorded may have, too."""
        moments = {team: self._joined_at[team] for team in self._joined_at.keys() & self.case.sessions}
        joined = sorted(team for team, joined_at in moments.items() if joined_at <= at.call.sent_at)
        return joined if len(moments) == len(self.case.sessions) else AtLeast(joined)

    def _own_sessions(self, at: Place) -> Sequence[str] | None:
        if at.team is None:
            return None
        there = at.team in self.case.sessions and self._joined_at.get(at.team, at.call.done_at + 1) <= at.call.sent_at
        return [self.case.sessions[at.team]] * (there and _MODES.get(str(at.call.means["query"]), True))

    def _receipts(self, at: Place) -> Sequence[Json]:
        """Return number and send of each receipt that a team had received; lost answers may have had more."""
        sends = [call for life in self.lives(at.team) for call in life.sends]
        bodies = [call.said["receipt"] for call in sends if call.status == 200 and call.done_at <= at.call.sent_at]
        receipts = {(one["number"], one["send"], one["received_at"]) for one in bodies}
        unsure = at.team in self._unfollowed or any(
            call.failed or (call.sent_at <= at.call.done_at < call.done_at) for call in sends
        )
        return AtLeast(receipts) if unsure else sorted(receipts)

    @cached_property
    def entered(self) -> Sequence[str]:
        """Return the ids of all teams that the rehearsal has entered."""
        return sorted(self.case.story.header.get("entered", ()))

    # Results

    def _places(self, at: Place) -> Sequence[Json] | None:
        if not self._is_of_essays:
            return None
        parts = self.parts(at.scope)
        values = [(team, part.value) for team, part in parts.items()]
        return [(place, team) for place, team, _ in placed(values)]

    def parts(self, scope: str) -> Mapping[str, Part]:
        """Return the results of the teams with a place, on a part of the final's board."""
        return self.case.once(f"parts of {scope}", lambda: dict(self._parts(scope)))

    def _parts(self, scope: str) -> Iterator[tuple[str, Part]]:
        library = self.library
        for standing in replay(self.case) if self._is_of_essays else ():
            scores, counted = [], 0
            for number in self.case.schedule.numbers if standing.placed else ():
                fate = self.case.fate(standing.team, number)
                if fate in BESIDE or not self._is_in(scope, number):
                    continue
                counted += 1
                digest = counting(self.case, standing.team, number) if fate == "answered" else None
                record = library.record(standing.team, number, digest) if digest else None
                scores += [score_of(json.loads(record))] if record else []
            if counted:
                yield standing.team, Part(counted, len(scores), _relative(scores))

    def _is_in(self, scope: str, number: int) -> bool:
        """Return whether a file counts on a part of the board, by its essay's subject."""
        subject, languages = self.subjects.get(number), Library.of(self.case).languages
        part = self.case.story.header.get("nominations", {}).get(scope)
        if part is None:
            return scope == ALL or subject in languages.get(scope, ())
        of_languages = [own for language in part.get("languages", ()) for own in languages[language]]
        return (not of_languages or subject in of_languages) and subject in (part.get("groups") or [subject])

    @cached_property
    def subjects(self) -> Mapping[int, str]:
        """Return each file's subject, by the essay that was handed out under its number."""
        calls = (call for call in self.case.story.calls if call.what == "file" and call.status == 200 and call.texts)
        return {
            call.number: self.case.story.own[call.texts[0] - 1]["item"]["meta"]["subject"]
            for call in calls
            if call.number
        }

    # Values

    def schedule(self, at: Place) -> ExpectedTimes:
        """Return the schedule as it was decided at the time of the read."""
        return self.case.schedule.known_at(at.call.sent_at)

    def lives(self, team: str | None) -> Sequence[Life]:
        """Return a team's files."""
        return [life for (name, _), life in self.case.lives.items() if name == team]

    def due(self, name: str, at: Place, row: Mapping[str, Json]) -> Collection[Json] | None:
        """Return the values that a field of this name may have; None if the model has none."""
        values_of = _VALUES.get(name)
        return None if values_of is None else values_of(self, at, row)

    def life(self, at: Place) -> Life | None:
        """Return the file at a place."""
        return self.case.lives.get((at.team or "", at.number or 0))

    def receipt(self, at: Place) -> Mapping[str, Json] | None:
        """Return the receipt of the answer that counts; None if a lost request leaves that open."""
        life = self.life(at)
        if life is None or any(call.failed for call in life.sends):
            return None
        answers = [call for call in life.sends if call.status == 200 and call.done_at <= at.call.sent_at]
        accepted = [call.said["receipt"] for call in answers if call.said["receipt"]["status"] == "accepted"]
        return max(accepted, key=lambda receipt: int(receipt["send"]), default=None)

    def receipts(self, team: str | None) -> frozenset[str]:
        """Return all receipts of a team as texts; empty if some of its answers are not recorded."""
        sends = [call for life in self.lives(team) for call in life.sends]
        unsure = team in self._unfollowed or any(call.failed for call in sends)
        return frozenset(receipt_text(call.said) for call in sends if call.status == 200 and not unsure)

    def letters(self, at: Place) -> Sequence[frozenset[str]]:
        """Return the letters that the live page may show for each file of a team."""
        return [self._letter(life, at) for life in self.lives(at.team)]

    def _letter(self, life: Life, at: Place) -> frozenset[str]:
        schedule, now = self.schedule(at), at.call.sent_at
        is_void = life.number in schedule.decided.voided
        if life.number not in schedule.numbers or schedule.opens_at(life.number) > at.call.done_at or is_void:
            return frozenset(".d" if is_void else ".")
        before = replace(
            life,
            asks=[call for call in life.asks if call.done_at <= now],
            sends=[call for call in life.sends if call.done_at <= now],
        )
        handed, answered = before.handed_out(), before.receipted()
        if answered is not None:
            return frozenset("a")
        unsure = any(call.failed for call in (*life.asks, *life.sends))
        if handed is None and now < schedule.request_by(life.number) and not unsure:
            return frozenset("w")
        if handed is not None and now < from_text(handed.said["answer_by"]) and not unsure:
            return frozenset("o")
        fates = causes(life, schedule, self.case.facts)
        return frozenset(
            {"w", "o", "a"} | set(_LETTERS.values())
            if unsure
            else {_LETTERS.get(fate, "a") for fate in fates} | {"o", "w"}
        )


def _relative(scores: Sequence[Any]) -> float | None:
    """Return the mean accuracy of answers over that of the experts, in per cent."""
    sides = [(score.algorithm_accuracy, score.expert_accuracy) for score in scores]
    pairs = [(answer, experts) for answer, experts in sides if answer is not None and experts is not None]
    experts = fsum(side for _, side in pairs)
    return 100 * fsum(side for side, _ in pairs) / experts if experts else None


Due = Callable[[World, Place, Mapping[str, Json]], Collection[Json] | None]


def _name(_: World, _at: Place, row: Mapping[str, Json]) -> Collection[Json] | None:
    """Return the team's id, which is its name in a rehearsal."""
    return {row["team_id"]} if row.get("team_id") else None


def _moment(find: Callable[[World, Place], Millis | None]) -> Due:
    def due(world: World, at: Place, _: Mapping[str, Json]) -> Collection[Json] | None:
        moment = find(world, at) if at.number in world.schedule(at).numbers else None
        return None if moment is None else {to_text(moment)}

    return due


def _handed(name: str) -> Due:
    def due(world: World, at: Place, _: Mapping[str, Json]) -> Collection[Json] | None:
        life = world.life(at)
        handed = life.handed_out() if life is not None else None
        return None if handed is None or handed.done_at > at.call.sent_at else {handed.said[name]}

    return due


def _asked(world: World, at: Place, row: Mapping[str, Json]) -> Collection[Json] | None:
    life = world.life(at)
    times = life.asked_between(world.schedule(at).opens_at(life.number)) if life is not None else None
    if times is None or life is None or life.handed_out() is None or times[1] > at.call.sent_at:
        return None
    moment = row.get("asked_at") or ""
    return {moment} if moment and times[0] <= from_text(moment) <= times[1] else {to_text(times[0])}


def _counts(name: str) -> Due:
    def due(world: World, at: Place, row: Mapping[str, Json]) -> Collection[Json] | None:
        receipt = world.receipt(at) if "receipt" not in row and "status" not in row else None
        return None if receipt is None else {receipt[name]}

    return due


def _fate(name: str) -> Due:
    """Return a file's state or cause from its session at the end, which another check compares with the rules."""

    def due(world: World, at: Place, row: Mapping[str, Json]) -> Collection[Json] | None:
        status = world.case.statuses.get((at.team or "", at.number or 0))
        is_of_file = at.phase >= Phase.CLOSED and "number" in row and {"state", "cause"} <= row.keys()
        return {status[name]} if status is not None and is_of_file else None

    return due


def _of_score(name: str) -> Due:
    """Return an accuracy of a file's counting answer, computed by the library."""

    def due(world: World, at: Place, row: Mapping[str, Json]) -> Collection[Json] | None:
        is_of_file = at.team in world.case.sessions and at.number is not None and "place" not in row
        digest = counting(world.case, at.team or "", at.number or 0) if is_of_file else None
        record = world.library.record(at.team or "", at.number or 0, digest) if digest else None
        is_told = record is not None and at.phase is Phase.PUBLISHED and row.get("state", "answered") == "answered"
        return {getattr(score_of(json.loads(record or "")), name)} if is_told else None

    return due


def _of_part(find: Callable[[Part], Json]) -> Due:
    def due(world: World, at: Place, row: Mapping[str, Json]) -> Collection[Json] | None:
        part = world.parts(at.scope).get(at.team or "") if "place" in row else None
        return None if part is None else {find(part)}

    return due


def _of_run(find: Callable[[World, Place], Json]) -> Due:
    def due(world: World, at: Place, row: Mapping[str, Json]) -> Collection[Json] | None:
        return (
            {find(world, at)}
            if at.run == world.run_id and "starts_at" in row and "run_id" in row and "session_id" not in row
            else None
        )

    return due


def _files(world: World, at: Place, row: Mapping[str, Json]) -> Collection[Json] | None:
    of_run = _of_run(lambda world, _: world.case.schedule.files)(world, at, row)
    more = {len(world.schedule(at).numbers)} if of_run else set()  # with files that replace others
    return {*of_run, *more} if of_run else _of_part(lambda part: part.files)(world, at, row)


_VALUES: Final[Mapping[str, Due]] = {
    "team_id": lambda world, _, row: (
        {world.owners[str(row["session_id"])]} if str(row.get("session_id")) in world.owners else None
    ),
    "team": _name,
    "name": _name,
    "file_id": lambda world, at, _: {world.file_ids[at.number], None} if at.number in world.file_ids else None,
    "opens_at": _moment(lambda world, at: world.schedule(at).opens_at(at.number or 0)),
    "request_by": _moment(lambda world, at: world.schedule(at).request_by(at.number or 0)),
    "handed_out_at": _handed("handed_out_at"),
    "answer_by": _handed("answer_by"),
    "asked_at": _asked,
    "answered_at": _counts("received_at"),
    "send": _counts("send"),
    "state": _fate("state"),
    "cause": _fate("cause"),
    "content_sha256": _counts("content_sha256"),
    "algorithm_accuracy": _of_score("algorithm_accuracy"),
    "Algorithm accuracy (STAR), %": _of_score("algorithm_accuracy"),
    "expert_accuracy": _of_score("expert_accuracy"),
    "Expert accuracy (STER), %": _of_score("expert_accuracy"),
    "role": lambda _, at, row: {_ROLES.get(at.role, at.role)} if "rights" in row else None,
    "value": _of_part(lambda part: part.value),
    "relative_accuracy": _of_part(lambda part: part.value),
    "answered": _of_part(lambda part: part.answered),
    "barrier": _of_part(lambda part: part.value is not None and part.value >= _BARRIER),
    "files": _files,
    "starts_at": _of_run(lambda world, _: to_text(world.case.schedule.starts_at)),
    "trial": _of_run(lambda *_: False),
    "mode": _of_run(lambda *_: "final"),
    "interval_ms": _of_run(lambda world, _: world.case.schedule.interval),
    "published": _of_run(lambda _, at: at.phase >= Phase.PUBLISHED),
    "results_published": _of_run(lambda _, at: at.phase >= Phase.PUBLISHED),
}
"""Functions that compute the due values, by the field's name."""
