"""Compare the gec track with ERRANT: warm in one process (processor time), and as a command (wall time).

Run from the root as ``python bench/gec.py``. ERRANT stands in an environment of its own, ``build/peers``, made from
``bench/peers.lock``; where it is not installed, that is said and left out. Its comparison needs no language model, but
its package loads spaCy all the same: how much of its start that is, is shown.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from markup_core.formats.m2 import Edit, Unit, render, units
from tracks.gec.comparison import By, Comparison, Mode, Rules, Tally, add_texts, side_by_side

ROOT = Path(__file__).parents[1]
PEERS = ROOT / "build" / "peers" / "bin"
SEED = 20_241_230
SENTENCES = 1_000
ANNOTATORS = 4
TURNS = 3
ROUNDS = 15
LABELS = ("R:NOUN", "M:DET", "U:PREP", "R:VERB:TENSE", "R:SPELL", "M:PUNCT", "R:OTHER")
WARM = """
import contextlib, io, json, sys, time
began = time.perf_counter()
from errant.commands import compare_m2
loaded = time.perf_counter() - began
best, printed = float("inf"), io.StringIO()
sys.argv = ["errant_compare", "-hyp", sys.argv[2], "-ref", sys.argv[1], *sys.argv[3:]]
for _ in range({rounds}):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        began = time.process_time()
        compare_m2.main()
        best = min(best, time.process_time() - began)
print(json.dumps({{"imports": loaded, "warm": best, "printed": printed.getvalue()}}))
"""


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        reference, hypothesis = _files(Path(folder))
        request = Path(folder) / "request.jsonl"
        fields = {"reference_m2": reference.read_text("utf-8"), "hypothesis_m2": hypothesis.read_text("utf-8")}
        request.write_text(json.dumps({"op": "gec.compare", "mode": "errant", **fields}) + "\n", "utf-8")
        _compare(reference, hypothesis, request)


def _compare(reference: Path, hypothesis: Path, request: Path) -> None:
    _line("what", "ours", "errant", "ratio", "note")
    has_peer = (PEERS / "errant_compare").is_file()
    works = [(mode, labels) for mode in Mode for labels in (False, True)]
    ours = dict.fromkeys(works, float("inf"))
    peers: dict[bool, list[Any]] = {False: [], True: []}
    for _ in range(TURNS):  # by turns, so that what else the machine does burdens both
        for labels, listed in peers.items() if has_peer else ():
            program = [str(PEERS / "python"), "-c", WARM.format(rounds=ROUNDS), str(reference), str(hypothesis)]
            listed.append(json.loads(_run([*program, *(["-cat", "3"] if labels else [])])))
        for mode, labels in works:
            work = partial(_work, reference, hypothesis, mode, labels)
            ours[mode, labels] = min(ours[mode, labels], *(_timed(work, process_time) for _ in range(ROUNDS)))
    for mode, labels in works:
        comparison = _work(reference, hypothesis, mode, labels)
        printed = peers[labels][0]["printed"] if has_peer else ""
        note = "the best annotator of each sentence" if mode is Mode.UNIT else "errant is not installed in build/peers"
        if mode is Mode.ERRANT and has_peer:
            rows = [comparison.counts, *((name, *counts) for name, counts in comparison.by(By.FULL).items())]
            lines = {tuple(line.split()) for line in printed.splitlines()}
            is_same = all(any(line[: len(row)] == tuple(map(str, row)) for line in lines) for row in rows)
            note = "same TP, FP, FN" if is_same else "TP, FP, FN DIFFER"
        name = f"{SENTENCES} sentences × {ANNOTATORS} annotators, warm, {mode.value}{', by type' if labels else ''}"
        warm = min((peer["warm"] for peer in peers[labels]), default=None)
        _row(name, ours[mode, labels], warm, note)
    _commands(reference, hypothesis, request, min((peer["imports"] for peer in peers[False]), default=None))


def _commands(reference: Path, hypothesis: Path, request: Path, imports: float | None) -> None:
    """Measure whole processes, from the start of the interpreter to the printed result."""
    python, errant = sys.executable, str(PEERS / "errant_compare")
    ours = [python, "-m", "tracks", "gec", "compare", "--mode", "errant", str(reference), str(hypothesis)]
    programs: dict[str, Callable[[], object]] = {
        "command": lambda: _run(ours),
        "batch": lambda: _run([python, "-m", "tracks", "batch"], request),
        "imports": lambda: _run([python, "-c", "import tracks.gec.commands"]),
        "nothing": lambda: _run([python, "-c", "pass"]),
    }
    if imports is not None:
        programs["errant"] = lambda: _run([errant, "-hyp", str(hypothesis), "-ref", str(reference)])
    best = dict.fromkeys(programs, float("inf"))
    for _ in range(TURNS):
        best = {name: min(best[name], _timed(program)) for name, program in programs.items()}
    peer, nothing = best.get("errant"), _duration(best["nothing"])
    _row("the same as a command", best["command"], peer, f"ours with detection and categories; bare Python {nothing}")
    _row("the same as one line of tracks batch", best["batch"], peer, "with JSON and fingerprint")
    share = "" if imports is None or peer is None else f"{100 * imports / peer:.0f} % of errant_compare"
    _row("imports of the command", best["imports"] - best["nothing"], imports, share)


def _files(folder: Path) -> tuple[Path, Path]:
    """Write the files of annotators who see two thirds of the errors, and of a system that sees as many and errs."""
    rng = random.Random(SEED)
    reference, hypothesis = [], []
    for _ in range(SENTENCES):
        size = rng.randint(8, 35)
        source = " ".join(f"word{rng.randrange(500)}" for _ in range(size))
        errors = _edits(rng, size)
        annotators = {number: tuple(_partly_corrected(rng, errors)) for number in range(ANNOTATORS)}
        reference.append(Unit(source, annotators))
        hypothesis.append(Unit(source, {0: tuple(_partly_corrected(rng, errors))}))
    paths = folder / "reference.m2", folder / "hypothesis.m2"
    for path, listed in zip(paths, (reference, hypothesis), strict=True):
        path.write_text(render(listed), "utf-8")
    return paths


def _edits(rng: random.Random, size: int) -> list[Edit]:
    edits, place = [], rng.randint(0, 4)
    while place < size:
        end = min(size, place + rng.choice((0, 1, 1, 1, 2)))
        edits.append(Edit(place, end, rng.choice(LABELS), f"word{rng.randrange(500)}"))
        place = end + rng.randint(1, 6)
    return edits


def _partly_corrected(rng: random.Random, errors: Sequence[Edit]) -> list[Edit]:
    """Return two thirds of the errors, every fourth corrected in another way."""
    return [
        error._replace(correction=f"other{rng.randrange(500)}") if rng.random() < 0.25 else error
        for error in errors
        if rng.random() < 2 / 3
    ]


def _work(reference: Path, hypothesis: Path, mode: Mode, labels: bool) -> Comparison:
    """Run everything from the files to the totals; with ``labels`` as errant_compare with ``-cat 3`` does it."""
    expert, system = reference.read_text("utf-8"), hypothesis.read_text("utf-8")
    tallies = add_texts(
        lambda: [Tally(Rules(mode), labels=labels)],
        (expert, system),
        lambda: side_by_side(units(expert), units(system)),
    )
    return tallies[0].comparison()


def _run(command: Sequence[str], standard_input: Path | None = None) -> bytes:
    content = b"" if standard_input is None else standard_input.read_bytes()
    return subprocess.run(command, input=content, capture_output=True, check=True).stdout


def _timed(work: Callable[[], object], clock: Callable[[], float] = perf_counter) -> float:
    began = clock()
    work()
    return clock() - began


def _row(name: str, ours: float, peer: float | None, note: str) -> None:
    ratio = "—" if peer is None else f"{peer / ours:.1f}×"
    _line(name, _duration(ours), "—" if peer is None else _duration(peer), ratio, note)


def _duration(seconds: float) -> str:
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def _line(*cells: str) -> None:
    widths = (60, 10, 10, 7)
    print("  ".join(cell.ljust(width) for cell, width in zip(cells, (*widths, 0), strict=True)).rstrip(), flush=True)


if __name__ == "__main__":
    main()
