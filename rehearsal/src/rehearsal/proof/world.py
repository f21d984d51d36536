"""Model a rehearsed contest: the teams, sessions, files, results and run that every answer to a reader must have.

It is computed from the programs' requests and answers, the announced schedule, the decisions and the rules; the
platform's answers to readers are not used. Of a contest of programs it has submissions, reports, boards and their
history, the private test: the numbers are the library's over the predictions of the rehearsal's own programs
(tracks-sessions T13, F-1 … F-9).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from operator import itemgetter
from types import SimpleNamespace
from typing import Any, Final

from markup_core.receipt import canonical_json
from rehearsal.history import Call, Millis, Story, from_text
from rehearsal.proof.case import Case, receipt_text
from rehearsal.proof.checks_programs import LOST, PRIVATE_TEST, PUBLIC_TEST, SUBTASKS, ProgramCase, prizes
from rehearsal.proof.checks_results import ALL, LEAVE, Results, placed, told_tables
from rehearsal.proof.oracle import ENDS, ESSAY, KINDS, ExpectedTimes, Life, causes
from rehearsal.proof.readable import DOORS, ORGANIZER, OTHER, OWN, PUBLIC, Phase, Played
from tracks import registry
from tracks.protocol import ItemFacts, Outcome

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
    """List of required rows; an answer may have further rows, which the model does not know."""


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
        """Closing times, as each team was told, of the sessions that teams ended themselves."""
        handed = [call for call in case.story.calls if call.what == "file" and call.status == 200]
        self.file_ids = {call.number: str(call.said["file_id"]) for call in handed}
        self.numbers = {
            file_id: [number for number, other in self.file_ids.items() if other == file_id]
            for file_id in self.file_ids.values()
        }
        """File numbers by file id; several publications of an item share an id."""
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
        """Return the times until the hand-out and until the answer of each of a team's files; None if a lost request
        leaves them open."""

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
        letters = {"a", *_LETTERS.values()} if unsure else {_LETTERS.get(fate, "a") for fate in fates}
        return frozenset(letters | {"o", "w"})


Row = Mapping[str, Json]
KEYS: Final = ("s", *(subtask.lower() for subtask in SUBTASKS))
"""Keys of the boards: the sum, then each subtask."""
_ROLES: Final = {OWN: "program", OTHER: "program"}


class ProgramModel(ProgramCase):
    """The model of one contest of programs, as :class:`rehearsal.proof.values.Model` is of a run."""

    run_id = "no run"
    numbers: Mapping[str, Sequence[int]] = {}

    def __init__(self, story: Story) -> None:
        super().__init__(story)
        self.case = SimpleNamespace(story=story, sessions={}, facts=story.facts)
        self.entered = sorted(story.header.get("entered", ()))
        begun = [call for call in self.of("give_up") if call.means.get("submission")]
        self.owners = {name: brought.team for name, brought in self.brought.items()}
        self.owners |= {str(call.means["submission"]): call.team for call in begun}
        """Team by submission."""

    def receipts(self, _: str | None) -> frozenset[str]:
        """Return nothing: another check compares the receipts of submissions."""
        return frozenset()

    def letters(self, _: Place) -> Sequence[frozenset[str]]:
        """Return nothing: there is no live page."""
        return ()

    def played(self, _: Place) -> None:
        """Return None: there is no final."""

    def listed(self, name: str, at: Place) -> Sequence[Json] | None:
        """Return the list of this name that is due to a reader; None if the model has none."""
        lists: Mapping[str, Callable[[], Sequence[Json]]] = {
            "places": lambda: [(place, team) for place, team, _ in self.board(self.key_of_board(at))],
            "teams": lambda: self.entered if at.query.get("status", "approved") == "approved" else (),
            **dict.fromkeys(("runs", "announced", "own_sessions"), tuple),
        }
        return lists[name]() if name in lists else None

    key_of = staticmethod(World.key_of)

    @staticmethod
    def key_of_board(at: Place) -> str:
        """Return the key of the board that is read, the main one's without one."""
        path = str(at.call.path).partition("?")[0]
        return next((key for key in KEYS if path.endswith(f"/boards/{key}")), KEYS[0])

    # Results

    @cached_property
    def scored(self) -> Sequence[str]:
        """Return the submissions whose totals are shown, by the moment at which they were scored."""
        stored = {name: self.stored(name) for name in self.brought.keys() - self.withheld}
        scored = [name for name, body in stored.items() if body["state"] == "scored"]
        return sorted(scored, key=lambda name: int(stored[name]["changed_at"]))

    def board(self, key: str, until: Millis | None = None) -> list[tuple[int, str, float | None]]:
        """Return place, team and value of each row of a public board, as it was at a moment, or is at last."""
        names = [name for name in self.scored if until is None or int(self.stored(name)["changed_at"]) <= until]
        return self._placed([(self.brought[name].team, self.result_of(name, PUBLIC_TEST)) for name in names], key)

    @cached_property
    def private(self) -> Mapping[str, Sequence[tuple[int, str, float | None]]]:
        """Return the boards of the private test by their keys."""
        results = [(run["team_id"], self.result_of(run["of"], PRIVATE_TEST)) for run in self.private_runs.values()]
        return {key: self._placed(results, key) for key in KEYS}

    def _placed(self, results: Sequence[tuple[str, Json]], key: str) -> list[tuple[int, str, float | None]]:
        values = defaultdict[str, list[float]](list)
        for team, result in results:
            value = self.value(result, key)
            values[team] += [] if value is None else [value]
        return placed((team, max(of_team, default=None)) for team, of_team in values.items())

    def total(self, name: str) -> Json:
        """Return the library's numbers of a submission over the public test; None if no totals may be shown."""
        return json.loads(canonical_json(self.result_of(name, PUBLIC_TEST))) if name in self.scored else None

    def tables(self, name: str) -> Mapping[str, Json]:
        """Return the rows of a submission's tables by their keys."""
        missing = _missing(self, name, {})
        outcomes = [Outcome(ItemFacts(one, "mul", one), one not in missing, None) for one in SUBTASKS]
        return told_tables(self.track.report_sections(self.total(name), outcomes))

    # Values

    def due(self, name: str, at: Place, row: Row) -> Sequence[Json] | None:
        """Return the values that a field may have in an object; None if the model has none."""
        for is_so, values in _OBJECTS:
            if is_so <= row.keys() and name in values:
                return values[name](self, at, row)
        return None


Find = Callable[[ProgramModel, str, Row], Json]
Due = Callable[[ProgramModel, Place, Row], Sequence[Json] | None]


def _of(find_name: Callable[[Row], Json], find: Find) -> Due:
    def due(model: ProgramModel, _: Place, row: Row) -> Sequence[Json] | None:
        name = str(find_name(row))
        return [find(model, name, row)] if name in model.brought else None

    return due


_of_submission = partial(_of, itemgetter("submission_id"))
_of_entry = partial(_of, itemgetter("session_id"))
_of_report = partial(_of, lambda row: row["submission"]["submission_id"] if row["run"] else "")


def _ended(model: ProgramModel, name: str, _: Row) -> tuple[str, str | None]:
    """Return state and cause with which a submission ends: as its program does; one that a machine lost once it is run
    again."""
    way = model.brought[name].way
    if way in {"scored", "refused"}:
        return way, None
    return ("scored", None) if way == LOST and name in model.reruns else ("failed", way)


def _declared(model: ProgramModel, name: str, row: Row) -> Json:
    """Return a submission's declaration with its own shares, and with the commission's ruling."""
    shared = model.shared.get(name)
    if shared is None:
        return None
    own = {"shared_parameters": shared, "shared_share": shared / 100, "confirmed": model.ruled.get(name)}
    return {**(row["declaration"] or {}), **own}


def _of_board(find: Callable[[ProgramModel, str, tuple[int, str, float | None]], Json]) -> Due:
    """Return a value of a team's row on a public board."""

    def due(model: ProgramModel, at: Place, row: Row) -> Sequence[Json] | None:
        key = model.key_of_board(at)
        rows = [one for one in model.board(key) if one[1] == row["team_id"]]
        return [find(model, key, rows[0])] if rows else None

    return due


def _entry(model: ProgramModel, at: Place, row: Row) -> Sequence[Json]:
    """Return the submissions of a team that have its best value."""
    key = model.key_of_board(at)
    own = [name for name in model.scored if model.owners[name] == row["team_id"]]
    values = {name: model.value(model.result_of(name, PUBLIC_TEST), key) or 0 for name in own}
    return [name for name in own if values[name] == max(values.values())]


def _of_entry_on_board(model: ProgramModel, at: Place, row: Row) -> Sequence[Json] | None:
    result = model.total(str(row["session_id"]))
    return None if result is None else [model.track.overcame(result, model.key_of_board(at))]


_COLUMNS: Final = ("Subtask", "Score", "In the sum", "Minimum", "Reached")


def _cell(column: str) -> Due:
    """Return a cell of a report's table of subtasks, as it is downloaded."""

    def due(model: ProgramModel, at: Place, row: Row) -> Sequence[Json] | None:
        name = str(at.call.path).split("/")[3]
        rows = model.tables(name)["sum"]["rows"] if name in model.scored else []
        cells = {str(one[0]): one[_COLUMNS.index(column)] for one in rows}
        own = cells.get(row["Subtask"])
        return [own, f"'{own}"] if row["Subtask"] in cells else ["no such row"]

    return due


def _private(place: int) -> Due:
    def due(model: ProgramModel, _: Place, row: Row) -> Sequence[Json] | None:
        return [one[place] for one in model.private.get(row["board"], ()) if one[1] == row["team_id"]] or ["nobody"]

    return due


def _private_value(model: ProgramModel, name: str) -> float | None:
    run = model.private_runs.get(name)
    return None if run is None else model.value(model.result_of(run["of"], PRIVATE_TEST), KEYS[0])


def _points(model: ProgramModel, _: Place, row: Row) -> Sequence[Json]:
    """Return a board's history with the places that the submissions scored by each moment make; what was scored at the
    very moment of a visit may be noted by the next one."""
    points = []
    for point in row["points"]:
        moment = from_text(point["at"])
        boards = [
            [{"team_id": team, "place": place, "value": value} for place, team, value in model.board(KEYS[0], until)]
            for until in (moment, moment - 1)
        ]
        points.append({"at": point["at"], "places": boards[boards[1] == point["places"]]})
    return [points]


def _awards(model: ProgramModel, _: Place, row: Row) -> Sequence[Json]:
    """Return the prizes as the answer has them if they are right, else the right ones."""
    awards = sorted((one["board"], one["place"], one["team_id"], one["roubles"]) for one in row["awards"])
    return [row["awards"] if awards == prizes(model) else prizes(model)]


def _sections(find: str) -> Due:
    def due(model: ProgramModel, _: Place, row: Row) -> Sequence[Json] | None:
        name = str((row.get("submission") or row)[find])
        if name not in model.scored:
            return None
        tables = model.tables(name)
        return [[{**section, **tables.get(section["key"], {"rows": None})} for section in row["sections"]]]

    return due


def _missing(model: ProgramModel, name: str, _: Row) -> list[str]:
    return [one for one in SUBTASKS if one not in model.brought[name].program["predictions"][PUBLIC_TEST]]


_STORED: Final[Mapping[str, Due]] = {
    "team_id": lambda model, _, row: (
        [model.owners[name]] if (name := str(row["submission_id"])) in model.owners else None
    ),
    "state": _of_submission(lambda model, name, row: _ended(model, name, row)[0]),
    "cause": _of_submission(lambda model, name, row: _ended(model, name, row)[1]),
    "value": _of_submission(lambda model, name, _: (model.total(name) or {}).get("s")),
    "declaration": _of_submission(_declared),
    "named": _of_submission(lambda model, name, _: name in model.named),
    **dict.fromkeys(
        ("sha256", "content_sha256"), _of_submission(lambda model, name, _: model.brought[name].program["sha256"])
    ),
    "bytes": _of_submission(lambda model, name, _: model.brought[name].program["bytes"]),
    "completed_at": _of_submission(lambda model, name, _: model.receipt(name)["received_at"]),
    "day": _of_submission(lambda model, name, _: model.receipt(name)["day"]),
    "attempt": _of_submission(
        lambda model, name, row: (
            row["attempt"]  # a submission may be refused before its run
            if model.brought[name].way == "refused" and row["attempt"] in {0, 1}
            else 1 + (name in model.reruns)
        )
    ),
}
_OBJECTS: Final[Sequence[tuple[frozenset[str], Mapping[str, Due]]]] = (
    (
        frozenset({"place", "team_id", "session_id"}),
        {
            "place": _of_board(lambda _, __, row: row[0]),
            "place_to": _of_board(lambda model, key, row: row[0] - 1 + sum(o[0] == row[0] for o in model.board(key))),
            **dict.fromkeys(("value", *KEYS), _of_board(lambda _, __, row: row[2])),
            "session_id": _entry,
            "team": lambda _, __, row: [row["team_id"]],
            "result": _of_entry(lambda model, name, _: model.total(name)),
            "answered": _of_entry(lambda model, name, _: len(SUBTASKS) - len(_missing(model, name, {}))),
            "files": _of_entry(lambda *_: len(SUBTASKS)),
            "closed_at": _of_entry(lambda model, name, _: model.receipt(name)["received_at"]),
            "sections": _sections("session_id"),
            "barrier": _of_entry_on_board,
            "parameters_version": lambda *_: [1],
            "baseline": lambda *_: [False],
            **dict.fromkeys(("audit", "interval", "audit_flagged", "audit_difference"), lambda *_: [None]),
        },
    ),
    (frozenset({"rows", "nomination"}), {"language": lambda *_: ["all"], "nomination": lambda *_: [None]}),
    (frozenset({"places", "awards"}), {"awards": _awards}),
    (frozenset({"keys"}), {"keys": lambda model, _, __: [model.case.facts.answers["keys"]["keys"]]}),
    (frozenset({"board", "team_id", "place", "value"}), {"place": _private(0), "value": _private(2)}),
    (frozenset(_COLUMNS), {column: _cell(column) for column in _COLUMNS}),
    (frozenset({"points"}), {"points": _points}),
    (
        frozenset({"submission", "run", "result"}),
        {
            "result": _of_report(lambda model, name, _: model.total(name)),
            "missing": _of_report(_missing),
            "counts": _of_report(
                lambda model, name, _: {
                    "answered": len(SUBTASKS) - len(_missing(model, name, {})),
                    "items": len(SUBTASKS),
                    "missing": len(_missing(model, name, {})),
                }
            ),
            "sections": _sections("submission_id"),
        },
    ),
    (
        frozenset({"of", "submission_id"}),
        {
            "team_id": lambda model, _, row: [model.owners.get(row["of"])],
            "value": lambda model, _, row: [_private_value(model, str(row["submission_id"]))],
        },
    ),
    (frozenset({"submission_id"}), _STORED),
    (frozenset({"rights"}), {"role": lambda _, at, __: [_ROLES.get(at.role, at.role)]}),
    (frozenset({"team_id", "created_at", "agrees"}), {"status": lambda *_: ["approved"]}),
)
"""Names in an object by which it is known, with the functions that compute its values by their names; the first that
has a name holds."""
