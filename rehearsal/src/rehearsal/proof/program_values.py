"""Model what is read of a contest of programs: submissions, reports, boards and their history, the private test.

The numbers are the library's over the predictions of the rehearsal's own programs (tracks-sessions T13, F-1 … F-9).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from operator import itemgetter
from types import SimpleNamespace
from typing import Any, Final

from markup_core.receipt import canonical_json
from rehearsal.history import Story
from rehearsal.moments import Millis, from_text
from rehearsal.proof.checks_programs import LOST, PRIVATE, PUBLIC, SUBTASKS, ProgramCase, prizes
from rehearsal.proof.checks_results import placed, told_tables
from rehearsal.proof.readable import OTHER, OWN
from rehearsal.proof.world import Place
from tracks.protocol import ItemFacts, Outcome

Json = Any
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
        stored = {name: self.stored(name) for name in self.brought.keys() - self.withheld}
        scored = [name for name, body in stored.items() if body["state"] == "scored"]
        return sorted(scored, key=lambda name: int(stored[name]["changed_at"]))

    def board(self, key: str, until: Millis | None = None) -> list[tuple[int, str, float | None]]:
        """Return place, team and value of each row of a public board, as it was at a moment, or is at last."""
        names = [name for name in self.scored if until is None or int(self.stored(name)["changed_at"]) <= until]
        return self._placed([(self.brought[name].team, self.result_of(name, PUBLIC)) for name in names], key)

    @cached_property
    def private(self) -> Mapping[str, Sequence[tuple[int, str, float | None]]]:
        """Return the boards of the private test by their keys."""
        results = [(run["team_id"], self.result_of(run["of"], PRIVATE)) for run in self.private_runs.values()]
        return {key: self._placed(results, key) for key in KEYS}

    def _placed(self, results: Sequence[tuple[str, Json]], key: str) -> list[tuple[int, str, float | None]]:
        values = defaultdict[str, list[float]](list)
        for team, result in results:
            value = self.value(result, key)
            values[team] += [] if value is None else [value]
        return placed((team, max(of_team, default=None)) for team, of_team in values.items())

    def total(self, name: str) -> Json:
        """Return the library's numbers of a submission over the public test; None where nothing may be told."""
        return json.loads(canonical_json(self.result_of(name, PUBLIC))) if name in self.scored else None

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
    """Return a submission's declaration with its own shares, and with what the commission has ruled."""
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
    values = {name: model.value(model.result_of(name, PUBLIC), key) or 0 for name in own}
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
    return None if run is None else model.value(model.result_of(run["of"], PRIVATE), KEYS[0])


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
    """Return the prizes as they are told, if they are the due ones."""
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
    return [one for one in SUBTASKS if one not in model.brought[name].program["predictions"][PUBLIC]]


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
        ("sha256", "content_sha256"),
        _of_submission(lambda model, name, _: model.brought[name].program["sha256"]),
    ),
    "bytes": _of_submission(lambda model, name, _: model.brought[name].program["bytes"]),
    "completed_at": _of_submission(lambda model, name, _: model.receipt(name)["received_at"]),
    "day": _of_submission(lambda model, name, _: model.receipt(name)["day"]),
    "attempt": _of_submission(
        lambda model, name, row: (
            row["attempt"]  # what is refused may be so before it is run
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
    (
        frozenset({"team_id", "created_at", "agrees"}),
        {"status": lambda *_: ["approved"]},
    ),
)
"""Names in an object by which it is known, with the functions that compute its values by their names; the first that
has a name holds."""
