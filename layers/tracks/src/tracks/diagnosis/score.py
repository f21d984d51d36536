"""Score records: which cell an epicrisis falls into, what it cost, what else was named (D-App1; tracks.md §1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from tracks.diagnosis.answers import SECONDARY, codes_of, main_code, selection_right
from tracks.diagnosis.cells import Cell, Cost, Reply, decide, final_cell, worth
from tracks.diagnosis.dialogue import follow
from tracks.diagnosis.epicrisis import read
from tracks.diagnosis.items import services
from tracks.diagnosis.nosologies import base_part
from tracks.diagnosis.parameters import DiagnosisParameters, use
from tracks.diagnosis.stages import stage_in
from tracks.diagnosis.studies import resource_cost
from tracks.fingerprints import fingerprint
from tracks.protocol import Json, Turn

Diagnosis = Sequence[Mapping[str, str]]


class Named(NamedTuple):
    """Of how many diseases in the reference how many were named."""

    found: int
    of: int


_NONE_NAMED: Final = Named(0, 0)


@dataclass(frozen=True, slots=True)
class Judged:
    """One epicrisis after its answers: the nosology whose data set it belongs to, its cell, its cost and the rest.

    ``time_s`` is the time to the final diagnosis in the final's stage 1, None elsewhere and without a diagnosis.
    """

    nosology: str
    cell: Cell
    cost: float
    complications: Named = _NONE_NAMED
    comorbidities: Named = _NONE_NAMED
    time_s: float | None = None


def record(item: Json, answer: Json, references: Sequence[Json], parameters: Json) -> dict[str, Json]:
    """Score record of one epicrisis; without any answer it is wrong."""
    stage = stage_in(item, parameters["stage"])
    if stage == "selection":
        found = _selection_record(answer, references[0])
    else:
        turns = [Turn(**turn) for turn in answer or ()]
        found = _DIALOGUES[stage](item, turns, references[0], use(parameters))
    inputs: dict[str, Any] = {"item": item, "answer": answer, "references": references, "parameters": parameters}
    return {"stage": stage, **found, "fingerprint": fingerprint("diagnosis.score", inputs)}


def _selection_record(answer: Diagnosis | None, reference: Mapping[str, Any]) -> dict[str, Json]:
    """Whether the one code of the epicrisis came back (D 7.10); no answer is a wrong one."""
    return {"right": answer is not None and selection_right(answer, reference["code"])}


def _semifinal_record(
    item: Mapping[str, Any], turns: Sequence[Turn], reference: Mapping[str, Any], rules: DiagnosisParameters
) -> dict[str, Json]:
    """The table's row for the last answers to v3 and v2, and the cost of the version that counts (D-App1б).

    Clause: D 13.1, D-App1а 3 note, D-App3
    """
    last: dict[str, Diagnosis] = {turn.step: turn.answer for turn in turns}
    v3, v2 = (_worth(last.get(version), item, reference) for version in ("v3", "v2"))
    row = decide(v3, v2, ill=reference["ill"])
    version = "v3" if row.cost is Cost.MINIMAL else "v2"
    cost = resource_cost((study.code for study in read(item["versions"][version]).studies), rules.costs)
    judged = Judged(item["nosology"], row.cell, cost, *_secondary(last.get("v2"), reference))
    return {**_recorded(judged), "row": row.number}


def _final_record(
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


def named(answer: Sequence[Mapping[str, str]] | None, decor: str, reference: Iterable[str]) -> Named:
    """How many of a reference's complications or comorbidities an answer names, by base parts.

    The regulation leaves the counting to the technical commission (D-App1б 5, 6); sensitivity alone counts, so a
    disease that the reference does not name costs nothing.

    Clause: D 8.5.2
    """
    wanted = frozenset(reference)
    return Named(0 if answer is None else len(wanted & codes_of(answer, decor)), len(wanted))


def _worth(answer: Diagnosis | None, item: Mapping[str, Any], reference: Mapping[str, Any]) -> Reply:
    code = None if answer is None else main_code(answer)
    return worth(code, item["nosology"], ill=reference["ill"])


def _secondary(answer: Diagnosis | None, reference: Mapping[str, Any]) -> tuple[Named, Named]:
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


_DIALOGUES: Final = {"semifinal": _semifinal_record, "final": _final_record}
