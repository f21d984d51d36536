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
from functools import cached_property
from types import SimpleNamespace
from typing import Any, Final

from markup_core.receipt import canonical_json
from rehearsal.history import Call, Millis, Story, from_text
from rehearsal.proof.case import Case, receipt_text
from rehearsal.proof.checks_programs import LOST, PRIVATE_TEST, PUBLIC_TEST, SUBTASKS, ProgramCase, prizes
from rehearsal.proof.checks_results import ALL, Results, leaving, placed, told_tables
from rehearsal.proof.oracle import ENDS, ESSAY, KINDS, ExpectedTimes, Life, causes
from rehearsal.proof.readable import DOORS, ORGANIZER, OTHER, OWN, PUBLIC, Phase, Played
from tracks import registry
from tracks.protocol import ItemFacts, Outcome

Json = Any
Row = Mapping[str, Json]
Values = Mapping[str, Json]
ROLES_TOLD: Final = {OWN: "program", OTHER: "program"}
"""The platform's names of readers' roles, where they differ."""
_LETTERS: Final = {"team_late": "l", "team_invalid": "i", "network": "n", "platform": "p", "organizer_decision": "d"}
_MODES: Final = {"mode=final": True, "mode=technical": False}


@dataclass(frozen=True, slots=True)
class Place:
    """Place of an answer's value in the contest: team, file, run, part of a leaderboard."""

    call: Call
    team: str | None = None
    number: int | None = None
    run: str | None = None

    @property
    def role(self) -> str:
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


class OneOf(list[Json]):
    """Values of which a field has one."""


def choices(value: Json) -> Sequence[Json]:
    """Return the values that a field may have."""
    return value if isinstance(value, OneOf) else [value]


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
        self.left = {call.team: call.said.get("closed_at") for call in leaving(case) if call.status == 200}
        """Closing times, as each team was told, of the sessions that teams ended themselves."""
        self.silent = {*case.sessions} - {call.team for call in case.story.calls if call.what != "open"}
        """Teams that asked for nothing once their session was open."""
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
        return self._lives_by_team.get(team or "", ())

    @cached_property
    def _lives_by_team(self) -> Mapping[str, Sequence[Life]]:
        by_team: dict[str, list[Life]] = {}
        for (team, _), life in self.case.lives.items():
            by_team.setdefault(team, []).append(life)
        return by_team

    def life(self, at: Place) -> Life | None:
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


KEYS: Final = ("s", *(subtask.lower() for subtask in SUBTASKS))
"""Keys of the boards: the sum, then each subtask."""


class ProgramModel(ProgramCase):
    """The model of one contest of programs, as :class:`rehearsal.proof.values.Model` is of a run."""

    run_id = "no run"
    numbers: Mapping[str, Sequence[int]] = {}

    def __init__(self, story: Story) -> None:
        super().__init__(story)
        self._row: Row = {}
        self._known: Sequence[Values] = ()
        """The object last asked for, and the values of the things that it describes."""
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

    def missing(self, name: str) -> list[str]:
        """Return the subtasks for which a submission has no predictions over the public test, in the set's order."""
        return sorted({*SUBTASKS} - self.brought[name].program["predictions"][PUBLIC_TEST].keys())

    def tables(self, name: str) -> Mapping[str, Json]:
        """Return the rows of a submission's tables by their keys."""
        missing = self.missing(name)
        outcomes = [Outcome(ItemFacts(one, "mul", one), one not in missing, None) for one in SUBTASKS]
        return told_tables(self.track.report_sections(self.total(name), outcomes))

    # Values

    def due(self, name: str, at: Place, row: Row) -> Sequence[Json] | None:
        """Return the values that a field may have in an object; None if the model has none."""
        if row is not self._row:
            self._row = row
            self._known = [values_of(self, at, row) for names, values_of in _OBJECTS if names <= row.keys()]
        return next((choices(values[name]) for values in self._known if name in values), None)


def _entry(model: ProgramModel, at: Place, row: Row) -> Values:
    """Return the values of a team's row on a public board; the submission in it is one of those with its best value."""
    key, team, name = model.key_of_board(at), row["team_id"], str(row["session_id"])
    scores = {one: model.value(model.result_of(one, PUBLIC_TEST), key) or 0 for one in model.scored}
    own = {one: value for one, value in scores.items() if model.owners[one] == team}
    values: dict[str, Json] = {
        "session_id": OneOf(one for one, value in own.items() if value == max(own.values())),
        "team": team,
        "parameters_version": 1,
        "baseline": False,
        **dict.fromkeys(("audit", "interval", "audit_flagged", "audit_difference")),
    }
    board = model.board(key)
    for place, _, value in (one for one in board if one[1] == team):
        level = sum(other == place for other, *_ in board)
        values |= {"place": place, "place_to": place - 1 + level, **dict.fromkeys(("value", *KEYS), value)}
    if name in model.brought:
        answered = len(SUBTASKS) - len(model.missing(name))
        values |= {"result": model.total(name), "answered": answered, "files": len(SUBTASKS)}
        values["closed_at"] = model.receipt(name)["received_at"]
    if name in model.scored:
        values |= {"barrier": model.track.overcame(model.total(name), key), **_sections(model, name, row)}
    return values


def _sections(model: ProgramModel, name: str, row: Row) -> dict[str, Json]:
    tables = model.tables(name) if "sections" in row else {}
    sections = [{**section, **tables.get(section["key"], {"rows": None})} for section in row.get("sections", ())]
    return {"sections": sections} if tables else {}


_COLUMNS: Final = ("Subtask", "Score", "In the sum", "Minimum", "Reached")


def _table_row(model: ProgramModel, at: Place, row: Row) -> Values:
    """Return the cells of a row of a report's table of subtasks, as it is downloaded."""
    name = str(at.call.path).split("/")[3]
    rows = {str(one[0]): one for one in (model.tables(name)["sum"]["rows"] if name in model.scored else ())}
    cells = rows.get(row["Subtask"], ["no such row"] * len(_COLUMNS))
    return {column: OneOf([cell, f"'{cell}"]) for column, cell in zip(_COLUMNS, cells, strict=True)}


def _private_row(model: ProgramModel, _: Place, row: Row) -> Values:
    """Return place and value of a team's row on a board of the private test."""
    rows = [one for one in model.private.get(row["board"], ()) if one[1] == row["team_id"]]
    place, _team, value = rows[0] if rows else ("nobody",) * 3
    return {"place": place, "value": value}


def _points(model: ProgramModel, _: Place, row: Row) -> Values:
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
    return {"points": points}


def _awards(model: ProgramModel, _: Place, row: Row) -> Values:
    """Return the prizes as the answer has them if they are right, else the right ones."""
    awards = sorted((one["board"], one["place"], one["team_id"], one["roubles"]) for one in row["awards"])
    return {"awards": row["awards"] if awards == prizes(model) else prizes(model)}


def _report(model: ProgramModel, _: Place, row: Row) -> Values:
    """Return the values of a submission's report, which has a result once it was run."""
    name = str(row["submission"]["submission_id"])
    values: dict[str, Json] = {}
    if name in model.brought and row["run"]:
        missing = model.missing(name)
        counts = {"answered": len(SUBTASKS) - len(missing), "items": len(SUBTASKS), "missing": len(missing)}
        values = {"result": model.total(name), "missing": missing, "counts": counts}
    return values | (_sections(model, name, row) if name in model.scored else {})


def _private_run(model: ProgramModel, _: Place, row: Row) -> Values:
    run = model.private_runs.get(str(row["submission_id"]))
    value = None if run is None else model.value(model.result_of(run["of"], PRIVATE_TEST), KEYS[0])
    return {"team_id": model.owners.get(row["of"]), "value": value}


def _submission(model: ProgramModel, _: Place, row: Row) -> Values:
    """Return the values of a submission: it ends as its program does, one that a machine lost once it is run again."""
    name = str(row["submission_id"])
    values: dict[str, Json] = {"team_id": model.owners[name]} if name in model.owners else {}
    if name not in model.brought:
        return values
    way, program, is_again = model.brought[name].way, model.brought[name].program, name in model.reruns
    state = way if way in {"scored", "refused"} else "scored" if way == LOST and is_again else "failed"
    shared, declaration = model.shared.get(name), None
    if shared is not None:  # the declaration with its own shares, and with the commission's ruling
        own = {"shared_parameters": shared, "shared_share": shared / 100, "confirmed": model.ruled.get(name)}
        declaration = {**(row.get("declaration") or {}), **own}
    # A submission may be refused before its run.
    attempts = OneOf([0, 1]) if way == "refused" else 1 + is_again
    return {
        **values,
        "state": state,
        "cause": way if state == "failed" else None,
        "value": (model.total(name) or {}).get("s"),
        "declaration": declaration,
        "named": name in model.named,
        **dict.fromkeys(("sha256", "content_sha256"), program["sha256"]),
        "bytes": program["bytes"],
        "completed_at": model.receipt(name)["received_at"],
        "day": model.receipt(name)["day"],
        "attempt": attempts,
    }


_OBJECTS: Final[Sequence[tuple[frozenset[str], Callable[[ProgramModel, Place, Row], Values]]]] = (
    (frozenset({"place", "team_id", "session_id"}), _entry),
    (frozenset({"rows", "nomination"}), lambda *_: {"language": "all", "nomination": None}),
    (frozenset({"places", "awards"}), _awards),
    (frozenset({"keys"}), lambda model, _, __: {"keys": model.case.facts.answers["keys"]["keys"]}),
    (frozenset({"board", "team_id", "place", "value"}), _private_row),
    (frozenset(_COLUMNS), _table_row),
    (frozenset({"points"}), _points),
    (frozenset({"submission", "run", "result"}), _report),
    (frozenset({"of", "submission_id"}), _private_run),
    (frozenset({"submission_id"}), _submission),
    (frozenset({"rights"}), lambda _, at, __: {"role": ROLES_TOLD.get(at.role, at.role)}),
    (frozenset({"team_id", "created_at", "agrees"}), lambda *_: {"status": "approved"}),
)
"""Names in an object by which it is known, with the functions that compute its values by their names; the first that
has a name holds."""
