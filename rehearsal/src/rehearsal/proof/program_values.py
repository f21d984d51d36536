"""Model what is read of a contest of programs: submissions, reports, boards and their history, the private test.

The numbers are the library's over the predictions of the rehearsal's own programs (tracks-sessions T13, F-1 … F-9).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from types import SimpleNamespace
from typing import Any, Final

from markup_core.receipt import canonical_json
from rehearsal.moments import Millis, from_text
from rehearsal.proof.checks_programs import LOST, PRIVATE, PUBLIC, SUBTASKS, ProgramCase, prizes
from rehearsal.proof.checks_results import told_tables
from rehearsal.proof.readable import OTHER, OWN
from rehearsal.proof.world import Place
from tracks.protocol import ItemFacts, Outcome

Json = Any
Row = Mapping[str, Json]
KEYS: Final = ("s", *(subtask.lower() for subtask in SUBTASKS))
"""Keys of the boards: the sum, then each subtask."""
_ROLES: Final = {OWN: "program", OTHER: "program"}


class ProgramModel:
    """The model of one contest of programs, as :class:`rehearsal.proof.values.Model` is of a run."""

    run_id = "no run"
    numbers: Mapping[str, Sequence[int]] = {}

    def __init__(self, programs: ProgramCase) -> None:
        self.programs = programs
        self.case = SimpleNamespace(story=programs.story, sessions={}, facts=programs.facts)
        self.entered = sorted(programs.story.header.get("entered", ()))
        begun = [call for call in programs.of("give_up") if call.means.get("submission")]
        self.owners = {name: brought.team for name, brought in programs.brought.items()}
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
            "places": lambda: [(place, team) for team, place, _ in self.board(self.key_of_board(at))],
            "teams": lambda: self.entered if at.query.get("status", "approved") == "approved" else (),
            **dict.fromkeys(("runs", "announced", "own_sessions"), tuple),
        }
        return lists[name]() if name in lists else None

    @staticmethod
    def key_of(name: str, row: Row) -> Json:
        """Return the key of a row in a list of this name."""
        if name == "places":
            return int(row["place"]), row["team_id"]
        return row[
            {"runs": "run_id", "announced": "announcement_id", "own_sessions": "session_id"}.get(name, "team_id")
        ]

    @staticmethod
    def key_of_board(at: Place) -> str:
        """Return the key of the board that is read, the main one's without one."""
        path = str(at.call.path).partition("?")[0]
        return next((key for key in KEYS if path.endswith(f"/boards/{key}")), KEYS[0])

    # Results

    @cached_property
    def scored(self) -> Sequence[str]:
        """Return the submissions whose totals are told, by the moment at which they were scored."""
        stored = {name: self.programs.stored(name) for name in self.programs.brought.keys() - self.programs.withheld}
        scored = [name for name, body in stored.items() if body["state"] == "scored"]
        return sorted(scored, key=lambda name: int(stored[name]["changed_at"]))

    def board(self, key: str, until: Millis | None = None) -> list[tuple[str, int, float | None]]:
        """Return team, place and value of each row of a public board, as it was at a moment, or is at last."""
        results = defaultdict[str, list[Json]](list)
        for name in self.scored:
            if until is None or int(self.programs.stored(name)["changed_at"]) <= until:
                brought = self.programs.brought[name]
                results[brought.team].append(self.programs.result(brought.program, PUBLIC))
        return self._placed(results, key)

    @cached_property
    def private(self) -> Mapping[str, Sequence[tuple[str, int, float | None]]]:
        """Return the boards of the private test by their keys."""
        results = defaultdict[str, list[Json]](list)
        for run in self.programs.private_runs.values():
            results[run["team_id"]].append(self._private_result(run))
        return {key: self._placed(results, key) for key in KEYS}

    def _private_result(self, run: Row) -> Json:
        return self.programs.result(self.programs.brought[run["of"]].program, PRIVATE)

    def private_value(self, name: str) -> float | None:
        """Return the sum of a private run; None of a run that there is not."""
        run = self.programs.private_runs.get(name)
        return None if run is None else self.programs.value(self._private_result(run), KEYS[0])

    def _placed(self, results: Mapping[str, Sequence[Json]], key: str) -> list[tuple[str, int, float | None]]:
        """Return team, place and value, equal values sharing a place and undefined ones last, in the board's order."""
        values = {
            team: max((-1.0 if (value := self.programs.value(result, key)) is None else value) for result in of_team)
            for team, of_team in results.items()
        }
        rows = [
            (team, 1 + sum(other > value for other in values.values()), None if value < 0 else value)
            for team, value in values.items()
        ]
        return sorted(rows, key=lambda row: (row[1], row[0]))

    def result(self, name: str) -> Json:
        """Return the library's numbers of a submission over the public test; None where nothing may be told."""
        if name not in self.scored:
            return None
        result = self.programs.result(self.programs.brought[name].program, PUBLIC)
        return json.loads(canonical_json(result))

    def tables(self, name: str) -> Mapping[str, Json]:
        """Return the rows of a submission's tables by their keys."""
        predictions = self.programs.brought[name].program["predictions"][PUBLIC]
        outcomes = [Outcome(ItemFacts(one, "mul", one), one in predictions, None) for one in SUBTASKS]
        return told_tables(self.programs.track.report_sections(self.result(name), outcomes))

    # Values

    def due(self, name: str, at: Place, row: Row) -> Sequence[Json] | None:
        """Return the values that a field may have in an object; None if the model has none."""
        for is_so, values in _OBJECTS:
            if is_so <= row.keys() and name in values:
                return values[name](self, at, row)
        return None


Due = Callable[[ProgramModel, Place, Row], Sequence[Json] | None]


def _of_submission(find: Callable[[ProgramModel, str, Row], Json]) -> Due:
    """Return a value of a submission that was handed in."""

    def due(model: ProgramModel, _: Place, row: Row) -> Sequence[Json] | None:
        name = str(row["submission_id"])
        return [find(model, name, row)] if name in model.programs.brought else None

    return due


def _ended(model: ProgramModel, name: str, _: Row) -> tuple[str, str | None]:
    """Return state and cause with which a submission ends: as its program does; one that a machine lost once it is run
    again."""
    way = model.programs.brought[name].way
    if way in {"scored", "refused"}:
        return way, None
    return ("scored", None) if way == LOST and name in model.programs.reruns else ("failed", way)


def _value(model: ProgramModel, name: str, _: Row) -> Json:
    result = model.result(name)
    return None if result is None else result["s"]


def _declared(model: ProgramModel, name: str, row: Row) -> Json:
    """Return a submission's declaration with its own shares, and with what the commission has ruled."""
    shared = model.programs.shared.get(name)
    if shared is None:
        return None
    own = {"shared_parameters": shared, "shared_share": shared / 100, "confirmed": model.programs.ruled.get(name)}
    return {**(row["declaration"] or {}), **own}


def _of_board(find: Callable[[ProgramModel, str, tuple[str, int, float | None]], Json]) -> Due:
    """Return a value of a team's row on a public board."""

    def due(model: ProgramModel, at: Place, row: Row) -> Sequence[Json] | None:
        key = model.key_of_board(at)
        rows = [one for one in model.board(key) if one[0] == row["team_id"]]
        return [find(model, key, rows[0])] if rows else None

    return due


def _of_entry(find: Callable[[ProgramModel, str], Json]) -> Due:
    """Return a value of the submission that stands on a public board for its team."""

    def due(model: ProgramModel, _: Place, row: Row) -> Sequence[Json] | None:
        name = str(row["session_id"])
        return [find(model, name)] if name in model.programs.brought else None

    return due


def _entry(model: ProgramModel, at: Place, row: Row) -> Sequence[Json]:
    """Return the submissions of a team that have its best value."""
    key, programs = model.key_of_board(at), model.programs
    own = [name for name in model.scored if model.owners[name] == row["team_id"]]
    values = {name: programs.value(programs.result(programs.brought[name].program, PUBLIC), key) or 0 for name in own}
    return [name for name in own if values[name] == max(values.values())]


def _of_entry_on_board(model: ProgramModel, at: Place, row: Row) -> Sequence[Json] | None:
    result = model.result(str(row["session_id"]))
    return None if result is None else [model.programs.track.overcame(result, model.key_of_board(at))]


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
        return [one[place] for one in model.private.get(row["board"], ()) if one[0] == row["team_id"]] or ["nobody"]

    return due


def _points(model: ProgramModel, at: Place, row: Row) -> Sequence[Json]:
    """Return a board's history with the places that the submissions scored by each moment make."""
    board = {one["at"]: model.board(KEYS[0], from_text(one["at"])) for one in row["points"]}
    del at
    return [
        [
            {"at": moment, "places": [{"team_id": team, "place": place, "value": value} for team, place, value in rows]}
            for moment, rows in board.items()
        ]
    ]


def _awards(model: ProgramModel, _: Place, row: Row) -> Sequence[Json]:
    """Return the prizes as they are told, if they are the due ones."""
    told = sorted((one["board"], one["place"], one["team_id"], one["roubles"]) for one in row["awards"])
    return [row["awards"] if told == prizes(model.programs) else prizes(model.programs)]


def _sections(find: str) -> Due:
    def due(model: ProgramModel, _: Place, row: Row) -> Sequence[Json] | None:
        name = str((row.get("submission") or row)[find])
        if name not in model.scored:
            return None
        tables = model.tables(name)
        return [[{**section, **tables.get(section["key"], {"rows": None})} for section in row["sections"]]]

    return due


def _of_report(find: Callable[[ProgramModel, str, Row], Json]) -> Due:
    def due(model: ProgramModel, _: Place, row: Row) -> Sequence[Json] | None:
        name = str(row["submission"]["submission_id"])
        return [find(model, name, row)] if name in model.programs.brought and row["run"] else None

    return due


def _missing(model: ProgramModel, name: str, _: Row) -> list[str]:
    return [one for one in SUBTASKS if one not in model.programs.brought[name].program["predictions"][PUBLIC]]


_STORED: Final[Mapping[str, Due]] = {
    "team_id": lambda model, _, row: (
        [model.owners[name]] if (name := str(row["submission_id"])) in model.owners else None
    ),
    "state": _of_submission(lambda model, name, row: _ended(model, name, row)[0]),
    "cause": _of_submission(lambda model, name, row: _ended(model, name, row)[1]),
    "value": _of_submission(_value),
    "declaration": _of_submission(_declared),
    "named": _of_submission(lambda model, name, _: name in model.programs.named),
    **dict.fromkeys(
        ("sha256", "content_sha256"),
        _of_submission(lambda model, name, _: model.programs.brought[name].program["sha256"]),
    ),
    "bytes": _of_submission(lambda model, name, _: model.programs.brought[name].program["bytes"]),
    "completed_at": _of_submission(lambda model, name, _: model.programs.receipt(name)["received_at"]),
    "day": _of_submission(lambda model, name, _: model.programs.receipt(name)["day"]),
    "attempt": _of_submission(lambda model, name, _: 1 + (name in model.programs.reruns)),
}
_OBJECTS: Final[Sequence[tuple[frozenset[str], Mapping[str, Due]]]] = (
    (
        frozenset({"place", "team_id", "session_id"}),
        {
            "place": _of_board(lambda _, __, row: row[1]),
            "place_to": _of_board(lambda model, key, row: row[1] - 1 + sum(o[1] == row[1] for o in model.board(key))),
            **dict.fromkeys(("value", *KEYS), _of_board(lambda _, __, row: row[2])),
            "session_id": _entry,
            "team": lambda _, __, row: [row["team_id"]],
            "result": _of_entry(lambda model, name: model.result(name)),
            "answered": _of_entry(lambda model, name: len(SUBTASKS) - len(_missing(model, name, {}))),
            "files": _of_entry(lambda *_: len(SUBTASKS)),
            "closed_at": _of_entry(lambda model, name: model.programs.receipt(name)["received_at"]),
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
    (frozenset({"board", "team_id", "place", "value"}), {"place": _private(1), "value": _private(2)}),
    (frozenset(_COLUMNS), {column: _cell(column) for column in _COLUMNS}),
    (frozenset({"points"}), {"points": _points}),
    (
        frozenset({"submission", "run", "result"}),
        {
            "result": _of_report(lambda model, name, _: model.result(name)),
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
            "value": lambda model, _, row: [model.private_value(str(row["submission_id"]))],
        },
    ),
    (frozenset({"submission_id"}), _STORED),
    (frozenset({"rights"}), {"role": lambda _, at, __: [_ROLES.get(at.role, at.role)]}),
    (
        frozenset({"team_id", "created_at", "agrees"}),
        {"status": lambda *_: ["approved"]},
    ),
)
"""Names in an object by which it is known, with the functions that compute its values by their names; the first that
has a name holds."""
