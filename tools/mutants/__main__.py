"""``python -m tools.mutants``: draw mutants, let each one's room try to notice it, and list those that live."""

from __future__ import annotations

import argparse
import json
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from multiprocessing import get_context
from multiprocessing.queues import SimpleQueue
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.mutants import rooms, sites, trying
from tools.mutants.rooms import ROOT
from tools.mutants.sites import Mutant
from tools.mutants.trying import Copy, Outcome

REPORT = ROOT / "build" / "mutants.json"
EQUIVALENT = Path(__file__).with_name("equivalent.toml")
WORKERS = 2
NEEDED = 0.88
_COPY: list[Copy] = []  # in a worker's process: its own


@dataclass(frozen=True, slots=True)
class Change:
    """A mutant as a reader knows it, wherever its line has moved: module, line before and line after."""

    module: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Trial:
    """A mutant, its file's text, and the tests of its room: the nearest, then the others.

    All is read before the first is tried, so that the tree may be worked on meanwhile.
    """

    mutant: Mutant
    text: str
    tests: tuple[list[Path], list[Path]]

    @property
    def change(self) -> Change:
        """What a reader knows it by."""
        after = self.text.splitlines()[self.mutant.place[0] - 1].strip()
        return Change(self.mutant.source.module, self.mutant.line, after)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a mutant: ``word`` is "killed", "out of time", "alive" or "equivalent"; seconds of its tests."""

    mutant: Mutant
    change: Change
    word: str
    killer: str = ""
    seconds: float = 0.0

    def __str__(self) -> str:
        place = f"{self.mutant.source.path}:{self.mutant.place[0]}"
        by = f"  {self.killer}" if self.killer else ""
        return f"{self.word:<11} {place}  {self.change.before} → {self.change.after}{by}  {self.seconds:.1f} s"


def main() -> int:
    """Draw, try, report; 1 when the rooms notice fewer than the house asks."""
    asked = _arguments()
    started = time.monotonic()
    every = [mutant for name in asked.package for source in rooms.sources(name) for mutant in sites.mutants(source)]
    drawn = sites.draw(every, asked.seed, asked.count)
    print(f"{len(drawn)} of {len(every)} mutants of {', '.join(asked.package)}, seed {asked.seed}", flush=True)
    trials = [Trial(mutant, mutant.text(), rooms.tests_of(mutant.source)) for mutant in drawn]
    trying.load_heavy()
    with TemporaryDirectory(prefix="mutants-") as folder:
        context = get_context("fork")
        copies: SimpleQueue[Copy] = context.SimpleQueue()
        for number in range(WORKERS):
            copies.put(Copy(ROOT, Path(folder) / str(number)))
        with ProcessPoolExecutor(WORKERS, context, _take_copy, (copies,)) as pool:
            futures = [pool.submit(_judge, trial, asked.known) for trial in trials]
            verdicts = list(_shown(future.result() for future in as_completed(futures)))
            verdicts = _proven(pool, verdicts)
    return _report(verdicts, asked.seed, time.monotonic() - started)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--package", action="append", choices=rooms.PACKAGES)
    asked = parser.parse_args()
    asked.package = asked.package or list(rooms.PACKAGES)
    entries = tomllib.loads(EQUIVALENT.read_text("utf-8")).get("equivalent", [])
    asked.known = {Change(entry["module"], entry["before"], entry["after"]) for entry in entries}
    return asked


def _take_copy(copies: SimpleQueue[Copy]) -> None:
    _COPY.append(copies.get())


def _judge(trial: Trial, known: set[Change]) -> Verdict:
    """In a worker: first the tests nearest to the module, then the rest of its room."""
    mutant, change = trial.mutant, trial.change
    compile(trial.text, mutant.source.path, "exec")  # what cannot be read would be noticed by any test
    if change in known:
        return Verdict(mutant, change, "equivalent")
    seconds = 0.0
    for paths in filter(None, trial.tests):
        tests = [str(path) for path in paths]
        with _COPY[0].changed(mutant.source.path, trial.text):
            ran = _COPY[0].test(tests)
        seconds += ran.seconds
        if ran.outcome is Outcome.FELL:
            return Verdict(mutant, change, "killed", ran.fell, seconds)
        if ran.outcome is Outcome.OUT_OF_TIME:
            return Verdict(mutant, change, "out of time" if _stands(tests) else "alive", "", seconds)
    return Verdict(mutant, change, "alive", "", seconds)


def _shown(verdicts: Iterable[Verdict]) -> Iterator[Verdict]:
    for number, verdict in enumerate(verdicts, 1):
        print(f"{number:>4}  {verdict}", flush=True)
        yield verdict


def _stands(tests: list[str]) -> bool:
    """In a worker: whether ``tests`` stand, and in time, without any mutant."""
    return _COPY[0].test(tests).outcome is Outcome.STOOD


def _proven(pool: ProcessPoolExecutor, verdicts: list[Verdict]) -> list[Verdict]:
    """The verdicts, with mutants alive that were noticed only by tests that fall without any mutant."""
    killers = sorted({verdict.killer for verdict in verdicts if verdict.killer})
    stand = pool.map(_stands, [[each] for each in killers])
    red = [killer for killer, stands in zip(killers, stand, strict=True) if not stands]
    for each in red:
        print(f"{each} falls without any mutant: it notices nothing")
    return [replace(verdict, word="alive", killer="") if verdict.killer in red else verdict for verdict in verdicts]


def _report(verdicts: list[Verdict], seed: int, seconds: float) -> int:
    """The figures and the survivors, on the screen and in ``build/mutants.json``."""
    words = Counter(verdict.word for verdict in verdicts)
    noticed = words["killed"] + words["out of time"]
    REPORT.parent.mkdir(exist_ok=True)
    rows = [
        {
            "path": str(verdict.mutant.source.path),
            "line": verdict.mutant.place[0],
            "kind": verdict.mutant.kind,
            "module": verdict.change.module,
            "before": verdict.change.before,
            "after": verdict.change.after,
            "verdict": verdict.word,
            "killer": verdict.killer,
            "seconds": round(verdict.seconds, 1),
        }
        for verdict in sorted(verdicts, key=lambda verdict: (verdict.mutant.source.path, verdict.mutant.place))
    ]
    report = {"seed": seed, "seconds": round(seconds), "verdicts": dict(words), "mutants": rows}
    REPORT.write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n", "utf-8")
    print("\nalive:" if words["alive"] else "\nnone alive")
    for row in rows:
        if row["verdict"] == "alive":
            print(f"  {row['path']}:{row['line']}\n    - {row['before']}\n    + {row['after']}")
    print(
        f"{noticed} of {len(verdicts)} noticed by their own rooms ({words['out of time']} by the time they took), "
        f"{words['equivalent']} known as equivalent, {words['alive']} alive; {seconds:.0f} s, "
        f"{REPORT.relative_to(ROOT)}"
    )
    return 0 if noticed >= NEEDED * len(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
