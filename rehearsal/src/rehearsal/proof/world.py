"""Model a rehearsed contest: the teams, sessions, files, results and run that every answer to a reader must have.

It is computed from the programs' requests and answers, the announced schedule, the decisions and the rules; the
platform's answers to readers are not used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from rehearsal.history import Call
from rehearsal.moments import Millis, from_text
from rehearsal.proof.audit import Played
from rehearsal.proof.case import Case, receipt_text
from rehearsal.proof.checks_results import ALL, LEAVE, Results
from rehearsal.proof.oracle import ENDS, ESSAY, KINDS, ExpectedTimes, Life, causes
from rehearsal.proof.readable import DOORS, ORGANIZER, OTHER, OWN, PUBLIC, Phase
from tracks import registry

Json = Any
_LETTERS: Final = {"team_late": "l", "team_invalid": "i", "network": "n", "platform": "p", "organizer_decision": "d"}
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
    def is_read(self) -> bool:
        """Return whether a reader read it; else it was written down in the end."""
        return self.call.n > 0

    @property
    def query(self) -> Mapping[str, str]:
        """Return the parameters of the request's query."""
        parts = (part.partition("=") for part in str(self.call.means["query"]).split("&") if part)
        return {name: value for name, _, value in parts}

    @property
    def scope(self) -> str:
        """Return the requested part of a leaderboard: all files, a language or a nomination."""
        return self.query.get("nomination") or self.query.get("language") or ALL


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
        planned = [call.said.get(name) for call in case.story.calls for name in ("run_id", "successor")]
        self.runs = list(dict.fromkeys([self.run_id, *filter(None, planned), None]))
        """The runs that the rehearsal has planned; None for a session outside a run."""
        self.owners |= {session_id: team for team, session_id in case.sessions.items()}
        self._joined_at = {call.team: call.done_at for call in opened if call.what == "open"}
        self.opened_at = {call.team: call.said.get("opened_at") for call in opened if call.what == "open"}
        leaving = [call for call in case.story.calls if call.what == LEAVE and call.status == 200]
        self.left = {call.team: call.said.get("closed_at") for call in leaving}
        """The end that each team was told of a session that it ended by itself."""
        handed = [call for call in case.story.calls if call.what == "file" and call.status == 200]
        self.file_ids = {call.number: str(call.said["file_id"]) for call in handed}
        self.numbers = {
            file_id: [number for number, other in self.file_ids.items() if other == file_id]
            for file_id in self.file_ids.values()
        }
        """Numbers by file, which several publications of an item share."""
        followed = {call.team for call in handed if call.path is not None}
        self._unfollowed = {*case.sessions} - followed
        """Teams whose calls the history does not record one by one: on the event channel, or with their own program."""
        kind = KINDS.get(case.story.header.get("stage", ESSAY))
        self.track = kind.track if kind else ESSAY
        self._is_dialogue = kind is not None and kind.is_dialogue

    @cached_property
    def results(self) -> Results:
        """Return the results of the run."""
        return Results.of(self.case)

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
            "sets": self._sets,
            "open_files": lambda at: (
                self.case.story.header["open_files"] if "/sets/train/" in str(at.call.path) else None
            ),
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
        value = row[of_name.get(name, "name" if name in {"sets", "open_files"} else "team_id")]
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

    def _sets(self, at: Place) -> Sequence[Json] | None:
        """Return the sets that a program may have; of people the organizers alone have any, all of the cycle."""
        if at.role not in {OWN, OTHER}:
            return None if at.role == ORGANIZER else ()
        published = [f"final-{self.run_id}"] * (at.phase >= Phase.PUBLISHED)
        tests = ["test"] * registry.get(self.track).open_tests
        return ["train", *tests, *published]

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

    def played(self, at: Place) -> Played | None:
        """Return the final as it was played; None before its end."""
        if at.phase < Phase.CLOSED:
            return None
        listening = {call.team for call in self.case.story.calls if call.what.startswith("channel_")}
        files = len(self.schedule(at).numbers)
        return Played(self.run_id, len(self.case.sessions), len(listening & self.case.sessions.keys()), files)

    # Results

    def _places(self, at: Place) -> Sequence[Json]:
        if at.phase < Phase.PUBLISHED and PUBLIC in DOORS[str(at.call.means["route"])].readers:
            return ()
        return self.results.places(at.scope, self.key_of_board(at))

    def key_of_board(self, at: Place) -> str:
        """Return the key of the board that a request names; the main one's without one."""
        return next((key for key in self.results.keys if f"/boards/{key}?" in str(at.call.path)), self.results.keys[0])

    # Values

    def schedule(self, at: Place) -> ExpectedTimes:
        """Return the schedule as it was decided at the time of the read."""
        moment = at.call.sent_at
        return self.case.once(f"schedule/{moment}", lambda: self.case.schedule.known_at(moment))

    def lives(self, team: str | None) -> Sequence[Life]:
        """Return a team's files."""
        return self._lives_by_team.get(team or "", ())

    @cached_property
    def _lives_by_team(self) -> Mapping[str, Sequence[Life]]:
        by_team: dict[str, list[Life]] = {}
        for (team, _), life in self.case.lives.items():
            by_team.setdefault(team, []).append(life)
        return by_team

    def life(self, at: Place) -> Life | None:
        """Return the file at a place."""
        return self.case.lives.get((at.team or "", at.number or 0))

    def receipt(self, at: Place) -> Mapping[str, Json] | None:
        """Return the receipt of the answer that counts; None if a lost request leaves that open."""
        life = self.life(at)
        if life is None or any(call.failed for call in life.sends):
            return None
        answers = [call for call in life.sends if call.status == 200 and call.done_at <= at.call.sent_at]
        if self._is_dialogue and not any(call.means.get("turn") in ENDS for call in answers):
            return None
        accepted = [call.said["receipt"] for call in answers if call.said["receipt"]["status"] == "accepted"]
        return max(accepted, key=lambda receipt: int(receipt["send"]), default=None)

    def receipts(self, team: str | None) -> frozenset[str]:
        """Return all receipts of a team as texts; empty if some of its answers are not recorded."""

        def texts() -> frozenset[str]:
            sends = [call for life in self.lives(team) for call in life.sends]
            unsure = team in self._unfollowed or any(call.failed for call in sends)
            return frozenset(receipt_text(call.said) for call in sends if call.status == 200 and not unsure)

        return self.case.once(f"receipts/{team}", texts)

    def times(self, at: Place) -> Mapping[int, Mapping[str, Millis | None]] | None:
        """Return what passed before each file of a team's was handed out, and until its answer; None if a lost request
        leaves that open."""

        def times() -> Mapping[int, Mapping[str, Millis | None]] | None:
            lives = [life for life in self.lives(at.team) if life.number in self.schedule(at).numbers]
            is_sure = at.team in self.case.sessions and at.team not in self._unfollowed
            if not is_sure or any(call.failed for life in lives for call in (*life.asks, *life.sends)):
                return None
            return {life.number: self._times_of(life, at) for life in lives}

        return self.case.once(f"times/{at.team}/{at.call.sent_at}", times)

    def _times_of(self, life: Life, at: Place) -> Mapping[str, Millis | None]:
        handed, receipt = life.handed_out(), self.receipt(replace(at, number=life.number))
        handed_out_at = from_text(handed.said["handed_out_at"]) if handed is not None else None
        delay = None if handed_out_at is None else max(0, handed_out_at - self.schedule(at).opens_at(life.number))
        processing = None
        if receipt is not None and handed_out_at is not None:
            processing = max(0, from_text(receipt["received_at"]) - handed_out_at)
        return {"delay_ms": delay, "processing_ms": processing}

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
        if answered is not None and not (self._is_dialogue and answered.means.get("turn") not in ENDS):
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
