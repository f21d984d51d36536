"""Scores of demonstration essays, to be compared byte for byte between interpreters and machines.

Prints canonical JSON, a line each: score records, nominations, and a sample with its breakdowns. The sample has
intervals and needs numpy; with the argument ``plain`` the program stops before it. It runs in any supported Python
with ``layers/markup_core/src`` on its path and nothing else installed. The output that is checked in was written by

    PYTHONPATH=layers/markup_core/src python tests/markup_core/everywhere.py \
        > tests/markup_core/fixtures/everywhere.jsonl

and is to be written again when the library's version, the demonstration essays or a rule of the scoring change.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from markup_core.accuracy import score_record
from markup_core.params import ScoringParams
from markup_core.reading.validation import decode, load
from markup_core.receipt import canonical_bytes
from markup_core.sample import EssayInput, nominations, score_sample

DATA = Path(__file__).parents[2] / "local" / "demonstration" / "train"
ESSAYS = ("rus-01", "eng-02", "rus-02", "eng-01", "rus-03", "eng-03")
"""Three of each language: fewer have no interval."""
PARAMS = ScoringParams(weights=(1, 2, 1, 1, 0.7, 0.3, 0.1), hardness=0.3)


def read(name: str) -> Any:
    return decode((DATA / f"{name}.json").read_bytes())


def answer(name: str) -> Any:
    """Return a program's markup: the first expert's, with every fifth fragment missed and every third ending later."""
    markup = read(f"{name}_exp01")
    kept = [dict(each) for number, each in enumerate(markup["selections"]) if number % 5 != 4]
    for each in kept[::3]:
        if each["endSelection"]:
            each["endSelection"] = min(each["endSelection"] + 9, len(markup["text"]))
    for each in kept:
        each["explanation"] = ""
    return {**markup, "selections": kept}


def lines(plain: bool) -> list[Any]:
    parts = [(answer(name), [read(f"{name}_exp01"), read(f"{name}_exp02")]) for name in ESSAYS]
    found: list[Any] = [score_record(own, experts, PARAMS) for own, experts in parts]
    inputs = [EssayInput(load(own), [load(expert) for expert in experts]) for own, experts in parts]
    for one in inputs:
        scores = nominations(one.algorithm, one.experts, PARAMS)
        found.append({name: score and score.to_dict() for name, score in scores.items()})
    return found if plain else [*found, score_sample(inputs, PARAMS, seed=2020).to_dict()]


if __name__ == "__main__":
    for line in lines(sys.argv[1:] == ["plain"]):
        sys.stdout.buffer.write(canonical_bytes(line) + b"\n")
