"""Stage 2: a system's work is replayed for clinicians, who judge how clear it is (D 9.10.5, 9.10.8; 1.12, 1.13)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256
from typing import Final, NamedTuple

from tracks.capabilities import Reviewed
from tracks.diagnosis.board import to_shown_places
from tracks.diagnosis.items import hand_out, services
from tracks.diagnosis.score import End, Trajectory, follow, respond
from tracks.diagnosis.stages import STEPS, DiagnosisParameters
from tracks.protocol import Json, Section, Turn
from tracks.rules import ReplayRules
from tracks.texts import tr

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
    """Pairs of every round (D 9.10.8.5): in round r system s works with clinicians (s + r) mod 4 + 1 and that + 4.

    Raises ValueError unless there are 16 to 32 rounds (D 9.10.8.6).
    """
    if not FEWEST_ROUNDS <= rounds <= MOST_ROUNDS:
        message = tr(
            "there are {fewest_rounds} to {most_rounds} rounds, not {rounds}",
            fewest_rounds=FEWEST_ROUNDS,
            most_rounds=MOST_ROUNDS,
            rounds=rounds,
        )
        raise ValueError(message)
    firsts = ([(system + number) % SYSTEMS + 1 for system in range(SYSTEMS)] for number in range(rounds))
    return tuple(tuple((first, first + SYSTEMS) for first in row) for row in firsts)


# Clause: D 9.10.8.5
def draw(teams: Collection[str], clinicians: Collection[str], seed: int) -> Lot:
    """Draw the lot (D 9.10.8.5): names in the order of the SHA-256 of seed and person.

    Whoever knows the seed can draw again and gets the same, in whatever order the people are listed. Raises
    ValueError unless there are two to four teams (D-App1в) and eight clinicians, all different.
    """
    if not 2 <= len(set(teams)) == len(teams) <= SYSTEMS:
        message = tr("the lot needs 2 to {systems} different teams", systems=SYSTEMS)
        raise ValueError(message)
    if not len(set(clinicians)) == len(clinicians) == CLINICIANS:
        message = tr("the lot needs {clinicians} different clinicians", clinicians=CLINICIANS)
        raise ValueError(message)
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
"""Lists the questions to a clinician (D 1.13)."""
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
"""Of completeness, and of clarity."""


# Clause: TS D-10, D 9.10.8.3
def replayed(item: Json, file_id: str, turns: Sequence[Turn], rules: DiagnosisParameters) -> tuple[Json, ...]:
    """Return v3F, then the trajectory turn by turn; without a diagnosis or refusal it ends with ``time_out``."""
    first: Json = {"kind": "first_data", "content": hand_out(item, file_id, STEPS["final"][0].name)}
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
def judged(works: Sequence[Reviewed], rules: DiagnosisParameters) -> dict[str, Json]:
    """Compute means of completeness and clarity, and interpretability: the mean of (completeness + clarity) / 6.

    Without a preliminary diagnosis all are zero for the epicrisis (D 9.10.5). A question that a clinician left without
    an answer is no yes; a review without any answer counts for nothing. Everything is undefined without reviews.
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
    named = dict(zip(("completeness", "clarity", "interpretability"), means, strict=True))
    return {**named, "reviews": reviews, "missing": len(works) - reviews}


# Clause: TS D-9
def judgements(results: Mapping[str, Json]) -> Section:
    """Build a table with a row a system: beside the board, not in its criterion (D-App1в lists seven others)."""
    columns = (
        tr("Team"),
        tr("Interpretability"),
        tr("Completeness, of 3"),
        tr("Clarity, of 3"),
        tr("Reviews"),
        tr("Missing"),
    )
    rows = tuple(
        (
            team,
            *(to_shown_places(result[name]) for name in ("interpretability", "completeness", "clarity")),
            result["reviews"],
            result["missing"],
        )
        for team, result in sorted(results.items())
    )
    title = tr("Interpretability, by clinicians")
    return Section("interpretability", title, columns, rows)


def _follow(item: Json, turns: Sequence[Turn], rules: DiagnosisParameters) -> Trajectory:
    return follow(turns, services(item), rules.costs)
