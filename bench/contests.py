"""Measure the other contests: scoring of whole test sets by the library, and a turn of a dialogue on the platform.

Run from the root as ``python bench/contests.py``. Aims, on two processors: an exam of 900 tasks and 5 000 texts of gec
within a minute each, the multitask contest's public test within ten, 99 of 100 turns within 250 ms. Scoring is done as
the platform does it: item by item, each with its record and fingerprint, then the aggregate. Everything is made up from
a seed.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter, process_time

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "functions")]

from tests.contest.contests.epicrises import STUDY, Trial, diagnosis  # noqa: E402
from tests.stage import staged  # noqa: E402
from tests.tracks.exam.exam_items import variant  # noqa: E402
from tracks import registry  # noqa: E402
from tracks.protocol import Json, Outcome  # noqa: E402

SEED = 20_261_125
VARIANTS = 30
TEXTS = 5_000
BOX = ((0, 400), (0, 400), (10, 200), (10, 200))
"""Ranges of a box's left, top, width and height."""
PUBLIC = {"C2C": 1_699, "HTR": 14_973, "zsOD": 1_000, "VQA": 5_446}
"""Of the multitask contest's public test."""
TEAMS = ("red", "blue", "green")
WORDS = "он шёл домой по длинной улице и думал о том что завтра будет новый день".split()

Entry = tuple[Json, Json, Json]
"""An item, the answer to it in canonical form, its reference."""


def main() -> None:
    """Print the figures."""
    rng = random.Random(SEED)
    measured("exam", "900 tasks", list(exam(rng)), 60)
    measured("gec", f"{TEXTS} texts", list(gec(rng)), 60)
    measured("fusion", ", ".join(f"{name} {count}" for name, count in PUBLIC.items()), list(fusion(rng)), 600)
    turns()


def measured(name: str, what: str, entries: Sequence[Entry], aim_s: float) -> None:
    """Score a set and aggregate it, with progress on the way."""
    track = registry.get(name)
    parameters, reasons = track.read_parameters({})
    assert not reasons
    began, worked, outcomes = perf_counter(), process_time(), []
    for number, (item, answer, reference) in enumerate(entries, start=1):
        facts, faults = track.read_item(item, parameters)
        assert facts is not None, faults
        outcomes.append(Outcome(facts, True, track.score(item, answer, [reference], parameters)))
        if number % 100 == 0 or number == len(entries):
            print(f"\r{name}: {number} of {len(entries)}", end="", file=sys.stderr, flush=True)
    track.aggregate(outcomes, parameters, SEED)
    took, worked = perf_counter() - began, process_time() - worked
    print(file=sys.stderr)
    print(f"{name}: {what} scored in {took:.1f} s, {worked:.1f} s of one processor (aim {aim_s:.0f} s)")


def exam(rng: random.Random) -> Iterator[Entry]:
    """Yield thirty variants; four answers in five are right."""
    for number in range(1, VARIANTS + 1):
        for item in variant(number):
            right = item["outputs"]
            yield item, right if rng.random() < 0.8 else "1", {"outputs": right}


def gec(rng: random.Random) -> Iterator[Entry]:
    """Yield texts of one to five sentences with gold edits, half of which a system finds, beside wrong ones."""
    for number in range(TEXTS):
        sentences = [" ".join(rng.choices(WORDS, k=rng.randint(8, 25))) for _ in range(rng.randint(1, 5))]
        size = sum(len(sentence.split()) for sentence in sentences)
        starts = sorted(rng.sample(range(size), k=min(size, rng.randint(1, 6))))
        gold = [
            {
                "type": rng.choice(("R:NOUN", "R:VERB:TENSE", "R:SPELL", "R:DET")),
                "start": start,
                "end": start + 1,
                "correction": rng.choice(WORDS),
                "context_dependent": rng.random() < 0.3,
            }
            for start in starts
        ]
        named = ("start", "end", "correction", "type")
        edits = [{name: edit[name] for name in named} for edit in gold if rng.random() < 0.5]
        item = {"id": f"t{number}", "source": f"corpus {number % 5}", "sentences": sentences}
        yield item, {"edits": edits}, {"edits": gold}


def fusion(rng: random.Random) -> Iterator[Entry]:
    """Yield one item a subtask, each of as many requests as the public test has."""
    names = {name: [f"{name.lower()}{number}" for number in range(count)] for name, count in PUBLIC.items()}
    code = {name: _program(rng) for name in names["C2C"]}
    texts = {name: " ".join(rng.choices(WORDS, k=rng.randint(3, 12))) for name in names["HTR"]}
    boxes = {
        name: {word: [[rng.randint(*ends) for ends in BOX] for _ in range(rng.randint(0, 3))] for word in WORDS[:4]}
        for name in names["zsOD"]
    }
    answers = {name: rng.choice(WORDS) for name in names["VQA"]}
    yield (
        {"id": "c2c", "subtask": "C2C", "requests": dict.fromkeys(code, "int x = 1 ;")},
        {name: _changed(rng, text) for name, text in code.items()},
        code,
    )
    yield (
        {"id": "htr", "subtask": "HTR", "requests": list(texts)},
        {n: _changed(rng, t) for n, t in texts.items()},
        texts,
    )
    moved = {
        name: {kind: [[box[0] + rng.randint(0, 20), *box[1:]] for box in places] for kind, places in by_word.items()}
        for name, by_word in boxes.items()
    }
    yield {"id": "zsod", "subtask": "zsOD", "requests": dict.fromkeys(boxes, WORDS[:4])}, moved, boxes
    questions = {name: {"file_name": "a.jpg", "question": "что это?"} for name in answers}
    truth = {name: {"answer": answer, "lang": "ru"} for name, answer in answers.items()}
    yield (
        {"id": "vqa", "subtask": "VQA", "requests": questions},
        {n: _changed(rng, answer) for n, answer in answers.items()},
        truth,
    )


def _program(rng: random.Random) -> str:
    """Write a function of some ten to thirty lines."""
    name, lines = rng.choice("fgh"), []
    for number in range(rng.randint(3, 9)):
        value = rng.randint(0, 99)
        lines += [
            f"    x{number} = a + {value}",
            f"    if x{number} > {value}:",
            f"        b = b * x{number} - {value}",
        ]
    return "\n".join([f"def {name}(a, b):", *lines, "    return a + b"])


def _changed(rng: random.Random, text: str) -> str:
    words = text.split(" ")
    place = rng.randrange(len(words))
    return " ".join([*words[:place], rng.choice(WORDS[:3]), *words[place + 1 :]]) if rng.random() < 0.5 else text


def turns() -> None:
    """Measure turns of dialogues through the real handlers on emulated services, in one process."""
    took: list[float] = []
    worked = 0.0
    with tempfile.TemporaryDirectory() as folder, staged(Path(folder), "contest-1") as stage:
        trial = Trial.of(stage, "diagnosis-final", TEAMS)
        for number in range(1, len(trial.files) + 1):
            trial.at(number)
            for program in trial.programs.values():
                assert program.get(f"files/{number}").status == 200
            replies = [
                diagnosis("J44", "diagnosisPreliminary"),
                STUDY,
                {"study": "B03.016.003"},
                STUDY,
                diagnosis("J44"),
            ]
            for place, reply in enumerate(replies):
                trial.at(number, 2_000 * (place + 1))
                before = process_time()
                for program in trial.programs.values():
                    began = perf_counter()
                    assert program.answer(number, reply).status == 200
                    took.append(perf_counter() - began)
                worked += process_time() - before
            print(f"\rturns: {len(took)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    took.sort()
    middle, late = took[len(took) // 2], took[-(-99 * len(took) // 100) - 1]
    figures = f"median {middle * 1000:.0f} ms, 99 of 100 within {late * 1000:.0f} ms (aim 250 ms)"
    print(
        f"a turn: {len(took)} of {len(TEAMS)} teams; {figures}; {1000 * worked / len(took):.0f} ms of a processor each"
    )


if __name__ == "__main__":
    main()
