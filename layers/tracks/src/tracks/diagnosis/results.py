"""Records, aggregates and ranks of the diagnosis track: which of the numbers make them (D-App1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tracks.diagnosis.answers import main_code, selection_right
from tracks.diagnosis.board import Entry, board
from tracks.diagnosis.cells import Cell, Cost, Reply, decide, final_cell, worth
from tracks.diagnosis.dialogue import follow
from tracks.diagnosis.epicrisis import read
from tracks.diagnosis.items import services
from tracks.diagnosis.nosologies import base_part
from tracks.diagnosis.parameters import DiagnosisParameters
from tracks.diagnosis.session import (
    SECONDARY,
    Judged,
    Named,
    assess,
    board_values,
    named,
    passed_qualities,
    tallies,
)
from tracks.diagnosis.studies import resource_cost
from tracks.protocol import Json, Outcome, Place, Standing, Turn

Answer = Sequence[Mapping[str, str]]


def selection_record(answer: Answer | None, reference: Mapping[str, Any]) -> dict[str, Json]:
    """Whether the one code of the epicrisis came back (D 7.10); no answer is a wrong one."""
    return {"right": answer is not None and selection_right(answer, reference["code"])}


def semifinal_record(
    item: Mapping[str, Any], turns: Sequence[Turn], reference: Mapping[str, Any], rules: DiagnosisParameters
) -> dict[str, Json]:
    """The table's row for the last answers to v3 and v2, and the cost of the version that counts (D-App1б)."""
    last: dict[str, Answer] = {turn.step: turn.answer for turn in turns}
    v3, v2 = (_worth(last.get(version), item, reference) for version in ("v3", "v2"))
    row = decide(v3, v2, ill=reference["ill"])
    version = "v3" if row.cost is Cost.MINIMAL else "v2"
    cost = resource_cost((study.code for study in read(item["versions"][version]).studies), rules.costs)
    judged = Judged(item["nosology"], row.cell, cost, *_secondary(last.get("v2"), reference))
    return {**_recorded(judged), "row": row.number}


def final_record(
    item: Mapping[str, Any], turns: Sequence[Turn], reference: Mapping[str, Any], rules: DiagnosisParameters
) -> dict[str, Json]:
    """The cell of the final diagnosis, the cost of all studies asked for, and the trajectory (D 9.10.1, 9.10.2)."""
    trajectory = follow(turns, services(item), rules.costs)
    cell = final_cell(_worth(trajectory.diagnosis, item, reference), ill=reference["ill"])
    time_s = None if trajectory.time_ms is None or trajectory.diagnosis is None else trajectory.time_ms / 1000
    secondary = _secondary(trajectory.diagnosis, reference)
    judged = Judged(item["nosology"], cell, trajectory.cost, *secondary, time_s=time_s)
    return {**_recorded(judged), "trajectory": trajectory.to_dict()}


def judged_of(record: Mapping[str, Json]) -> Judged:
    """A semifinal or final record as an epicrisis to count."""
    return Judged(
        record["nosology"],
        Cell(record["cell"]),
        record["cost"],
        Named(*record["complications"]),
        Named(*record["comorbidities"]),
        record["time_s"],
    )


def aggregate(outcomes: Sequence[Outcome], rules: DiagnosisParameters) -> dict[str, Json]:
    """Result of a session; missed epicrises are scored as wrong, those without a score were voided (D 8.11, 8.12).

    In the selection stage ``passed`` says that every epicrisis was right; the organizers approve it (D 7.14).
    """
    records = [outcome.score for outcome in outcomes if outcome.score is not None]
    counts = {
        "stage": rules.stage,
        "files": len(outcomes),
        "answered": sum(outcome.answered for outcome in outcomes),
        "voided": len(outcomes) - len(records),
    }
    if rules.stage == "selection":
        right = sum(record["right"] for record in records)
        return {**counts, "right": right, "passed": 0 < right == len(records)}
    return {**counts, **_counted([judged_of(record) for record in records], rules)}


def _counted(judged: Sequence[Judged], rules: DiagnosisParameters) -> dict[str, Json]:
    result = assess(tallies(judged), rules.z, rules.thresholds)
    return {
        **result.to_dict(),
        "passed_qualities": passed_qualities(result),
        "board": board_values(result, judged),
    }


def rank(standings: Sequence[Standing]) -> tuple[Place, ...]:
    """Places by the integral criterion (D-App1в); in the selection stage those who passed stand before the others."""
    return board([_entry(standing) for standing in standings])


def _entry(standing: Standing) -> Entry:
    values = standing.aggregate.get("board")
    if values is None:
        return Entry(standing.team, float(standing.aggregate["passed"]))
    return Entry(standing.team, **values)


def _worth(answer: Answer | None, item: Mapping[str, Any], reference: Mapping[str, Any]) -> Reply:
    code = None if answer is None else main_code(answer)
    return worth(code, item["nosology"], ill=reference["ill"])


def _secondary(answer: Answer | None, reference: Mapping[str, Any]) -> tuple[Named, Named]:
    """Complications and comorbidities."""
    first, second = (
        named(answer, decor, (base_part(code) for code in reference.get(name, ()))) for name, decor in SECONDARY.items()
    )
    return first, second


def _recorded(judged: Judged) -> dict[str, Json]:
    return {
        "nosology": judged.nosology,
        "cell": judged.cell.value,
        "cost": judged.cost,
        "complications": list(judged.complications),
        "comorbidities": list(judged.comorbidities),
        "time_s": judged.time_s,
    }
