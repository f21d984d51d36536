"""Measure the diagnosis track: scoring of its challenges, of twenty teams each (processor time of one process).

Run from the root as ``python bench/diagnosis.py``. A semifinal of 60 epicrises in two versions, and of the regulation's
500; a stage 1 of 24 epicrises with six turns each; every epicrisis has twenty studies. What a score waits for in the
cloud (queues, storage) is not in it: that is ``bench/settlement.py``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from time import process_time
from typing import Any

from tracks.diagnosis.stages import NAMES, NOSOLOGIES
from tracks.diagnosis.track import DiagnosisTrack
from tracks.protocol import ItemFacts, Outcome

TEAMS = 20
STUDIES = 20
TRACK = DiagnosisTrack()
Work = tuple[Any, list[dict[str, Any]], dict[str, Any]]
"""An item, its turns, its reference."""


def main() -> None:
    """Print the table."""
    print(f"{'challenge, 20 teams':<34}{'scores':>8}{'ms a score':>12}{'s in all':>10}")
    _challenge("semifinal, 60 epicrises", "semifinal", [_semifinal(number) for number in range(60)])
    _challenge("semifinal, 500 epicrises", "semifinal", [_semifinal(number) for number in range(500)])
    _challenge("stage 1, 24 epicrises, 6 turns", "final", [_final(number) for number in range(24)])


def _challenge(name: str, stage: str, works: Sequence[Work]) -> None:
    parameters, faults = TRACK.read_parameters({"stage": stage})
    assert not faults
    began = process_time()
    for team in range(TEAMS):
        outcomes = []
        for done, (item, turns, reference) in enumerate(works, start=1):
            score = TRACK.score(item, turns, [reference], parameters)
            outcomes.append(Outcome(ItemFacts(item["id"], "rus", item["nosology"]), True, score))
            if sys.stderr.isatty():
                sys.stderr.write(f"\r{name}: team {team + 1} of {TEAMS}, {done} of {len(works)} ")
        TRACK.aggregate(outcomes, parameters, 1)
    spent = process_time() - began
    if sys.stderr.isatty():
        sys.stderr.write("\r" + " " * 79 + "\r")
    scores = TEAMS * len(works)
    print(f"{name:<34}{scores:>8}{1000 * spent / scores:>12.2f}{spent:>10.1f}")


def _answer(number: int) -> list[dict[str, str]]:
    """Return an answer; two in three are right."""
    code = NOSOLOGIES[NAMES[number % len(NAMES)]].codes[0]
    return [{"decorCode": "diagnosisMain", "code": code if number % 3 else "another"}]


def _xml(number: int, studies: int) -> str:
    elements = "".join(
        f"<study><code>A06.09.{place:03d}</code><text>{'слово ' * 60}</text></study>" for place in range(studies)
    )
    return f"<epicrisis><no>{number}</no>{elements}</epicrisis>"


def _item(number: int, versions: Callable[[int], dict[str, str]]) -> dict[str, Any]:
    return {
        "id": f"e{number}",
        "nosology": NAMES[number % len(NAMES)],
        "language": "rus",
        "versions": versions(number),
        "studies": [{"service": f"A06.09.{place:03d}", "xml": "<study/>"} for place in range(STUDIES)],
    }


def _semifinal(number: int) -> Work:
    item = _item(number, lambda own: {"v3": _xml(own, STUDIES // 2), "v2": _xml(own, STUDIES)})
    del item["studies"]
    turns = [{"step": step, "kind": "diagnosis", "answer": _answer(number), "after_ms": 1_000} for step in ("v3", "v2")]
    return item, turns, {"ill": number % 2 == 0}


def _final(number: int) -> Work:
    preliminary = [{**_answer(number)[0], "decorCode": "diagnosisPreliminary"}]
    turns = [{"step": "preliminary", "kind": "preliminary", "answer": preliminary, "after_ms": 1_000}]
    for place in range(4):
        study = {"study": ("A06.09", "B03.016.003", "A12.09", "A05.10")[place]}
        turns.append({"step": "studies", "kind": "study", "answer": study, "after_ms": 2_000 + place})
    turns.append({"step": "studies", "kind": "diagnosis", "answer": _answer(number), "after_ms": 9_000})
    return _item(number, lambda own: {"v3F": _xml(own, 0)}), turns, {"ill": number % 2 == 0}


if __name__ == "__main__":
    main()
