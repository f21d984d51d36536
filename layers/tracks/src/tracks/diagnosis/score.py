"""Score records, and stage 2, in which clinicians judge a system's replayed work (D-App1, D 9.10; tracks.md §1).

:func:`decide` reads the 18-row table of cells and costs (D-App1б). The running text above the table lets a right v3
decide alone; the table, which decides by v2 and takes v3 for the cost only, holds (tracks.md §1, D-App3: "v3 affects
the cost alone, v2 the quality").

:class:`Trajectory` is stage 1 of the final: from the preliminary diagnosis over studies to the end (D 9.10.1). The
steps and where each answer leads are :data:`tracks.diagnosis.stages.STEPS`; :func:`follow` sums the turns up. Stage 2
replays it for clinicians, who judge how clear it is (D 9.10.5, 9.10.8; 1.12, 1.13).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import Enum, StrEnum
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from markup_core.lazy import dataclass
from tracks.base import fingerprint
from tracks.capabilities import Reviewed
from tracks.diagnosis import stages
from tracks.diagnosis.answers import SECONDARY, codes_of, main_code, selection_right
from tracks.diagnosis.items import hand_out, read_epicrisis, services
from tracks.protocol import Json, Turn, step_after
from tracks.rules import ReplayRules
from tracks.texts import tr


class Reply(Enum):
    """Value of a program's answer to one version."""

    RIGHT = "right"
    WRONG = "wrong"
    NONE = "none"
    """No answer, or a late one."""


class Cell(StrEnum):
    """A cell of the error matrix."""

    TP = "tp"
    FN = "fn"
    FP = "fp"
    TN = "tn"


class Cost(StrEnum):
    """Resource cost that an epicrisis adds: that of v3 or that of v2."""

    MINIMAL = "minimal"
    MAXIMAL = "maximal"


class Row(NamedTuple):
    """A row of the table; ``number`` as printed there."""

    number: int
    ill: bool
    v3: Reply
    v2: Reply
    cell: Cell
    cost: Cost


_R, _W, _N = Reply.RIGHT, Reply.WRONG, Reply.NONE
# Clause: D-App1б table
TABLE: Final = (
    Row(1, True, _R, _R, Cell.TP, Cost.MINIMAL),
    Row(2, True, _R, _W, Cell.FN, Cost.MAXIMAL),
    Row(3, True, _W, _R, Cell.TP, Cost.MAXIMAL),
    Row(4, True, _W, _W, Cell.FN, Cost.MAXIMAL),
    Row(5, True, _N, _R, Cell.TP, Cost.MAXIMAL),
    Row(6, True, _R, _N, Cell.FN, Cost.MAXIMAL),
    Row(7, True, _N, _W, Cell.FN, Cost.MAXIMAL),
    Row(8, True, _W, _N, Cell.FN, Cost.MAXIMAL),
    Row(9, True, _N, _N, Cell.FN, Cost.MAXIMAL),
    Row(10, False, _R, _R, Cell.TN, Cost.MINIMAL),
    Row(11, False, _R, _W, Cell.FP, Cost.MAXIMAL),
    Row(12, False, _W, _R, Cell.TN, Cost.MAXIMAL),
    Row(13, False, _W, _W, Cell.FP, Cost.MAXIMAL),
    Row(14, False, _N, _R, Cell.TN, Cost.MAXIMAL),
    Row(15, False, _R, _N, Cell.FP, Cost.MAXIMAL),
    Row(16, False, _N, _W, Cell.FP, Cost.MAXIMAL),
    Row(17, False, _W, _N, Cell.FP, Cost.MAXIMAL),
    Row(18, False, _N, _N, Cell.FP, Cost.MAXIMAL),
)
_FOUND: Final[Mapping[tuple[bool, Reply, Reply], Row]] = MappingProxyType(
    {(row.ill, row.v3, row.v2): row for row in TABLE}
)


# Clause: tracks §1 nosology
def worth(code: str | None, nosology: str, *, ill: bool) -> Reply:
    """Judge a main diagnosis for an epicrisis of this nosology's data set.

    Right is a code of the nosology for an ill patient, and ``another`` for one who is not: there "an ICD-10 code of
    any disease" is wrong, one outside the contest's list included (rows 11, 13). None is no answer, an empty code a
    wrong one (D-App3).
    """
    if code is None:
        return Reply.NONE
    right = stages.nosology_of(code) == nosology if ill else code == stages.HEALTHY
    return Reply.RIGHT if right else Reply.WRONG


def decide(v3: Reply, v2: Reply, *, ill: bool) -> Row:
    """Return the table's row for two answers (D-App1б)."""
    return _FOUND[ill, v3, v2]


def final_cell(reply: Reply, *, ill: bool) -> Cell:
    """Return a final diagnosis' cell in the final's stage 1: anything but a right one is an error (D 9.10, D 8.11)."""
    return decide(reply, reply, ill=ill).cell


_STEPS: Final = stages.STEPS["final"]
_LIMIT_MS: Final = 60_000


class End(StrEnum):
    """End of the work on an epicrisis (D 9.10.1.4)."""

    DIAGNOSIS = "diagnosis"
    REFUSAL = "refusal"
    TIME_OUT = "time_out"


@dataclass(frozen=True, slots=True)
class Request:
    """Request for a study: its result, and its time in milliseconds from the publication (D 9.10.2)."""

    study: stages.StudyFiles
    after_ms: int | None


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A program's work on an epicrisis; ``diagnosis`` is its canonical final answer, None without one."""

    preliminary: str | None
    requests: tuple[Request, ...]
    end: End
    diagnosis: Sequence[Mapping[str, str]] | None
    time_ms: int | None

    # Clause: D 9.10.1.3.2
    @property
    def cost(self) -> float:
        """Cost of all studies asked for, absent and repeated ones too (D 9.10.1.3.2); v3F itself costs nothing."""
        return stages.exact_sum(entry.study.cost for entry in self.requests)

    # Clause: D 9.10.5
    @property
    def explained(self) -> bool:
        """Return whether interpretability, completeness and clarity can be more than zero (D 9.10.5)."""
        return self.preliminary is not None

    @property
    def code(self) -> str | None:
        """Main diagnosis; None where there is none."""
        return None if self.diagnosis is None else main_code(self.diagnosis)

    # Clause: D 9.10.2
    def to_dict(self) -> dict[str, Json]:
        """Return the trajectory as it is recorded and replayed for clinicians in stage 2 (D 9.10.2, 9.10.8.3)."""
        return {
            "preliminary": self.preliminary,
            "requests": [
                {
                    "study": entry.study.query,
                    "found": entry.study.present,
                    "files": list(entry.study.files),
                    "cost": entry.study.cost,
                    "after_ms": entry.after_ms,
                }
                for entry in self.requests
            ],
            "end": self.end.value,
            "diagnosis": None if self.diagnosis is None else [dict(entry) for entry in self.diagnosis],
            "explained": self.explained,
            "cost": self.cost,
            "time_ms": self.time_ms,
        }


# Clause: D 9.10.1, D 9.10.1.3.1, D 9.10.1.4
def follow(turns: Sequence[Turn], services: Sequence[str], costs: stages.Costs) -> Trajectory:
    """Replay valid turns over the studies of an epicrisis; without an end among them, the time ran out.

    A turn later than the minute is as if it had not come; at 60.000 s it still did. Raises LookupError for a turn that
    does not stand where the steps lead, and for one after the end.
    """
    step: str | None = _STEPS[0].name
    preliminary: str | None = None
    requests: list[Request] = []
    last: Turn | None = None
    for turn in turns:
        if turn.after_ms is not None and turn.after_ms > _LIMIT_MS:
            break
        if turn.step != step:
            raise LookupError(f"the dialogue is at {step or 'its end'}, the turn belongs to {turn.step!r}")
        step = step_after(_STEPS, turn.step, turn.kind)
        if turn.kind == "preliminary":
            preliminary = turn.answer[0]["code"]
        elif turn.kind == "study":
            requests.append(Request(stages.request(turn.answer["study"], services, costs), turn.after_ms))
        else:
            last = turn
    if last is None:
        return Trajectory(preliminary, tuple(requests), End.TIME_OUT, None, None)
    end = End(last.kind)
    diagnosis = last.answer if end is End.DIAGNOSIS else None
    return Trajectory(preliminary, tuple(requests), end, diagnosis, last.after_ms)


# Clause: D 9.10.1.3.2, D 9.10.4, tracks §1 absent study
def respond(item: Json, turns: Sequence[Turn], rules: stages.DiagnosisParameters) -> Json:
    """Return the study's files, or that the epicrisis has none (D 9.10.1.3.2); None for a diagnosis."""
    if not turns or turns[-1].kind != "study":
        return None
    study = stages.request(turns[-1].answer["study"], services(item), rules.costs)
    files = [{"number": number, **item["studies"][place]} for number, place in enumerate(study.files, start=1)]
    return {"study": study.query, "found": study.present, "files": files}


Diagnosis = Sequence[Mapping[str, str]]


class Named(NamedTuple):
    """Number of a reference's diseases that were named, and of all of them."""

    hits: int
    total: int


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
    """Build the score record of one epicrisis; without any answer it is wrong."""
    stage = stages.stage_in(item, parameters["stage"])
    if stage == "selection":
        scores = {"right": answer is not None and selection_right(answer, references[0]["code"])}
    else:
        turns = [Turn(**turn) for turn in answer or ()]
        scores = _DIALOGUES[stage](item, turns, references[0], stages.use(parameters))
    inputs: dict[str, Any] = {"item": item, "answer": answer, "references": references, "parameters": parameters}
    return {"stage": stage, **scores, "fingerprint": fingerprint("diagnosis.score", inputs)}


# Clause: D 13.1, D-App1а 3 note, D-App3
def _semifinal_record(
    item: Mapping[str, Any], turns: Sequence[Turn], reference: Mapping[str, Any], rules: stages.DiagnosisParameters
) -> dict[str, Json]:
    """Record the table's row for the last answers to v3 and v2, and the cost of the version that counts (D-App1б)."""
    last: dict[str, Diagnosis] = {turn.step: turn.answer for turn in turns}
    v3, v2 = (_worth(last.get(version), item, reference) for version in ("v3", "v2"))
    row = decide(v3, v2, ill=reference["ill"])
    version = "v3" if row.cost is Cost.MINIMAL else "v2"
    cost = stages.resource_cost(
        (study.code for study in read_epicrisis(item["versions"][version]).studies), rules.costs
    )
    judged = Judged(item["nosology"], row.cell, cost, *_secondary(last.get("v2"), reference))
    return {**_recorded(judged), "row": row.number}


def _final_record(
    item: Mapping[str, Any], turns: Sequence[Turn], reference: Mapping[str, Any], rules: stages.DiagnosisParameters
) -> dict[str, Json]:
    """Record the final diagnosis' cell, the cost of all requested studies, and the trajectory (D 9.10.1, 9.10.2)."""
    trajectory = follow(turns, services(item), rules.costs)
    cell = final_cell(_worth(trajectory.diagnosis, item, reference), ill=reference["ill"])
    time_s = None if trajectory.time_ms is None or trajectory.diagnosis is None else trajectory.time_ms / 1000
    secondary = _secondary(trajectory.diagnosis, reference)
    judged = Judged(item["nosology"], cell, trajectory.cost, *secondary, time_s=time_s)
    return {**_recorded(judged), "trajectory": trajectory.to_dict()}


def judged_of(record: Mapping[str, Json]) -> Judged:
    """Convert a semifinal or final record to an epicrisis to count."""
    return Judged(
        record["nosology"],
        Cell(record["cell"]),
        record["cost"],
        Named(*record["complications"]),
        Named(*record["comorbidities"]),
        record["time_s"],
    )


# Clause: D 8.5.2
def named(answer: Sequence[Mapping[str, str]] | None, decor: str, reference: Iterable[str]) -> Named:
    """Count a reference's complications or comorbidities that an answer names, by base parts.

    The regulation leaves the counting to the technical commission (D-App1б 5, 6); sensitivity alone counts, so a
    disease that the reference does not name costs nothing.
    """
    expected = frozenset(reference)
    return Named(0 if answer is None else len(expected & codes_of(answer, decor)), len(expected))


def _worth(answer: Diagnosis | None, item: Mapping[str, Any], reference: Mapping[str, Any]) -> Reply:
    code = None if answer is None else main_code(answer)
    return worth(code, item["nosology"], ill=reference["ill"])


def _secondary(answer: Diagnosis | None, reference: Mapping[str, Any]) -> tuple[Named, Named]:
    """Count named complications and comorbidities."""
    first, second = (
        named(answer, decor, (stages.base_part(code) for code in reference.get(name, ())))
        for name, decor in SECONDARY.items()
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


SYSTEMS: Final = 4
CLINICIANS: Final = 8
FEWEST_ROUNDS: Final = 16
MOST_ROUNDS: Final = 32
_SYSTEM: Final = "С"
_CLINICIAN: Final = "КС"

Pairs = tuple[tuple[int, int], ...]
"""The two clinicians of each system, in the order of the systems; clinicians count from 1."""


class Lot(NamedTuple):
    """Names drawn once for all rounds: С1 … С4 for teams' systems, КС1 … КС8 for clinicians."""

    systems: Mapping[str, str]
    clinicians: Mapping[str, str]


# Clause: D 9.10.8.4, D 9.10.8.5, D 9.10.8.6
def rotation(rounds: int) -> tuple[Pairs, ...]:
    """Pairs of every round (D 9.10.8.5): in round r system s works with clinicians (s + r) mod 4 + 1 and that + 4."""
    firsts = ([(system + number) % SYSTEMS + 1 for system in range(SYSTEMS)] for number in range(rounds))
    return tuple(tuple((first, first + SYSTEMS) for first in row) for row in firsts)


# Clause: D 9.10.8.5
def draw(teams: Collection[str], clinicians: Collection[str], seed: int) -> Lot:
    """Draw the lot (D 9.10.8.5): names in the order of the SHA-256 of seed and person.

    The same seed gives the same lot, in whatever order the people are listed. Raises
    ValueError unless there are two to four teams (D-App1в) and eight clinicians, all different.
    """
    if not 2 <= len(set(teams)) == len(teams) <= SYSTEMS:
        raise ValueError(tr("the lot needs 2 to {systems} different teams", systems=SYSTEMS))
    if not len(set(clinicians)) == len(clinicians) == CLINICIANS:
        raise ValueError(tr("the lot needs {clinicians} different clinicians", clinicians=CLINICIANS))
    return Lot(_drawn(teams, _SYSTEM, seed), _drawn(clinicians, _CLINICIAN, seed))


def _drawn(people: Collection[str], name: str, seed: int) -> dict[str, str]:
    order = sorted(people, key=lambda person: (sha256(f"{seed}:{name}:{person}".encode()).digest(), person))
    return {person: f"{name}{number}" for number, person in enumerate(order, start=1)}


# Clause: TS D-9, D 1.13
QUESTIONS: Final = (
    ("preliminary", tr("Does the preliminary diagnosis fit the first data?")),
    ("requests", tr("Do the requested studies fit the preliminary diagnosis?")),
    ("final", tr("Is the final diagnosis right, and does it fit the trajectory and the results?")),
)
"""Questions to a clinician (D 1.13)."""
# Clause: TS D-10, D 9.10.7, D 9.10.8.4, D 9.10.8.6
RULES: Final = ReplayRules(
    fewest_programs=2,
    most_programs=SYSTEMS,
    people=CLINICIANS,
    fewest_rounds=FEWEST_ROUNDS,
    most_rounds=MOST_ROUNDS,
    limit_s=600,
    questions=QUESTIONS,
)
_MOST: Final = 3
"""Highest completeness, and highest clarity."""


# Clause: TS D-10, D 9.10.8.3
def replayed(item: Json, file_id: str, turns: Sequence[Turn], rules: stages.DiagnosisParameters) -> tuple[Json, ...]:
    """Return v3F, then the trajectory turn by turn; without a diagnosis or refusal it ends with ``time_out``."""
    first: Json = {"kind": "first_data", "content": hand_out(item, file_id, stages.STEPS["final"][0].name)}
    shown_turns = [
        {
            "kind": turn.kind,
            "answer": turn.answer,
            "after_ms": turn.after_ms,
            "response": respond(item, turns[: place + 1], rules),
        }
        for place, turn in enumerate(turns)
    ]
    over = [] if _follow(item, turns, rules).end is not End.TIME_OUT else [{"kind": "time_out"}]
    return (first, *shown_turns, *over)


# Clause: TS D-9, D 1.12
def completeness(trajectory: Trajectory) -> int:
    """Count preliminary diagnosis, a request of a study and final diagnosis, from 0 to 3 (D 1.12).

    **Decision**: a final answer that gives no code (D-App3 takes it) gives no diagnosis.
    """
    return sum((trajectory.preliminary is not None, bool(trajectory.requests), bool(trajectory.code)))


# Clause: TS D-9, D 9.10.5, D 9.9, D 9.10.8.7
def judged(works: Sequence[Reviewed], rules: stages.DiagnosisParameters) -> dict[str, Json]:
    """Compute means of completeness and clarity, and interpretability: the mean of (completeness + clarity) / 6.

    Without a preliminary diagnosis all are zero for the epicrisis (D 9.10.5). A question without an answer from
    the clinician counts as no; a review without any answer is not counted. Everything is undefined without reviews.
    """
    counted: list[tuple[int, int]] = []
    for work in works:
        if work.answers:
            trajectory = _follow(work.item, work.turns, rules)
            clarity = sum(work.answers.get(key, False) for key, _ in QUESTIONS)
            counted.append((completeness(trajectory), clarity) if trajectory.explained else (0, 0))
    reviews = len(counted)
    complete, clear = (sum(points[place] for points in counted) for place in (0, 1))
    means = (
        (complete / reviews, clear / reviews, (complete + clear) / (2 * _MOST * reviews)) if reviews else (None,) * 3
    )
    by_name = dict(zip(("completeness", "clarity", "interpretability"), means, strict=True))
    return {**by_name, "reviews": reviews, "missing": len(works) - reviews}


def _follow(item: Json, turns: Sequence[Turn], rules: stages.DiagnosisParameters) -> Trajectory:
    return follow(turns, services(item), rules.costs)
