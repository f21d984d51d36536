"""Measure the contests: scoring of whole test sets, a turn of a dialogue, the diagnosis track, the experts' work.

Run from the root as ``python bench/contests.py``. Aims, on two processors: an exam of 900 tasks and 5 000 texts of gec
within a minute each, the multitask contest's public test within ten, 99 of 100 turns within 250 ms. Scoring is done as
the platform does it: item by item, each with its record and fingerprint, then the aggregate. Everything is made up from
a seed.

Of the diagnosis track a semifinal of 60 epicrises in two versions, and of the regulation's 500; a stage 1 of 24
epicrises with six turns each; every epicrisis has twenty studies. What a score waits for in the cloud (queues, storage)
is not in it: that is ``bench/settlement.py``. An expert's draft has the scoring library's part of an autosave: faults,
grade and the reason of every criterion. Times are those of a processor.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from contest.experts.rules.sharing_out import Expert, Shared, Want, share_out
from tracks import registry
from tracks.diagnosis.stages import NAMES, NOSOLOGIES
from tracks.diagnosis.track import DiagnosisTrack
from tracks.protocol import ItemFacts, Json, Outcome

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "functions")]

from tests.contest.contests.epicrises import STUDY, Trial, diagnosis  # noqa: E402
from tests.stage import staged  # noqa: E402
from tests.tracks.exam.exam_items import variant  # noqa: E402

SEED = 20_261_125
VARIANTS = 30
TEXTS = 5_000
BOX = ((0, 400), (0, 400), (10, 200), (10, 200))
"""Ranges of a box's left, top, width and height."""
PUBLIC = {"C2C": 1_699, "HTR": 14_973, "zsOD": 1_000, "VQA": 5_446}
"""Number of requests per subtask in the multitask contest's public test."""
TEAMS = ("red", "blue", "green")
WORDS = "он шёл домой по длинной улице и думал о том что завтра будет новый день".split()

Entry = tuple[Json, Json, Json]
"""An item, the answer to it in canonical form, its reference."""
COMPETITORS = 20
STUDIES = 20
TRACK = DiagnosisTrack()
Work = tuple[Any, list[dict[str, Any]], dict[str, Any]]
"""An item, its turns, its reference."""
EXPERTS = 40
ESSAYS = (500, 1000, 2000)
REPEATED = 5
SUBJECTS = ("rus", "lit", "social", "hist", "eng")
DEMONSTRATION = ROOT / "local" / "demonstration" / "train"


def main() -> None:
    """Print the figures."""
    rng = random.Random(SEED)
    measured("exam", "900 tasks", list(exam(rng)), 60)
    measured("gec", f"{TEXTS} texts", list(gec(rng)), 60)
    measured("fusion", ", ".join(f"{name} {count}" for name, count in PUBLIC.items()), list(fusion(rng)), 600)
    turns()
    challenges()
    experts_work()


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


def challenges() -> None:
    """Print the table of the diagnosis track's challenges, of twenty teams each."""
    print(f"{'challenge, 20 teams':<34}{'scores':>8}{'ms a score':>12}{'s in all':>10}")
    _challenge("semifinal, 60 epicrises", "semifinal", [_semifinal(number) for number in range(60)])
    _challenge("semifinal, 500 epicrises", "semifinal", [_semifinal(number) for number in range(500)])
    _challenge("stage 1, 24 epicrises, 6 turns", "final", [_final(number) for number in range(24)])


def _challenge(name: str, stage: str, works: Sequence[Work]) -> None:
    parameters, faults = TRACK.read_parameters({"stage": stage})
    assert not faults
    began = process_time()
    for team in range(COMPETITORS):
        outcomes = []
        for done, (item, turns, reference) in enumerate(works, start=1):
            score = TRACK.score(item, turns, [reference], parameters)
            outcomes.append(Outcome(ItemFacts(item["id"], "rus", item["nosology"]), True, score))
            if sys.stderr.isatty():
                sys.stderr.write(f"\r{name}: team {team + 1} of {COMPETITORS}, {done} of {len(works)} ")
        TRACK.aggregate(outcomes, parameters, 1)
    spent = process_time() - began
    if sys.stderr.isatty():
        sys.stderr.write("\r" + " " * 79 + "\r")
    scores = COMPETITORS * len(works)
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


def experts_work() -> None:
    """Print how long it takes to assign essays at three sizes, and to judge a draft of each subject."""
    for essays in ESSAYS:
        best, shared = _best(lambda essays=essays: _shared(essays))  # type: ignore[misc]
        loads = Counter(name for names in shared.experts.values() for name in names)
        least, most = min(loads.values()), max(loads.values())
        print(f"{essays} essays to {EXPERTS} experts: {best * 1e3:.0f} ms, {least}…{most} essays each")
    track: Any = registry.get("essay")
    rules = track.read_parameters({})[0]
    for subject in SUBJECTS:
        item = json.loads((DEMONSTRATION / f"{subject}-01.json").read_text("utf-8"))
        body = (DEMONSTRATION / f"{subject}-01_exp01.json").read_bytes()
        best, judged = _best(lambda item=item, body=body: track.judge(item, body, rules))  # type: ignore[misc]
        print(f"a draft of {subject}: {best * 1e3:.1f} ms, {len(judged.grade['criteria'])} criteria")


def _best(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the least seconds of a processor of some repetitions, and its result."""
    timed = []
    for _ in range(REPEATED):
        begun = process_time()
        result = work()
        timed.append((process_time() - begun, result))
    return min(timed, key=lambda run: run[0])


def _shared(essays: int) -> Shared:
    """Return experts of two subjects each in seven conflict groups, and essays of all subjects."""
    dice = random.Random(1)
    experts = [
        Expert(f"e{n:02d}", "", frozenset(dice.sample(SUBJECTS, 2)), frozenset({"rus"}), frozenset({f"g{n % 7}"}))
        for n in range(EXPERTS)
    ]
    wants = [Want(f"i{n:04d}", "rus", dice.choice(SUBJECTS)) for n in range(essays)]
    shared = share_out(wants, experts, {}, seed=1)
    assert not shared.uncovered
    return shared


if __name__ == "__main__":
    main()
