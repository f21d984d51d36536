"""Measure a contest from one's own corpus: time from an export to a published board, and memory for a large one.

Run from the root as ``python bench/corpora.py``. The export is a brat project of 200 documents by two annotators. The
commands are those that an organizer gives; a file a second opens in the final, and a program answers as the first
annotator did. Then a cycle is made of 10 000 documents, and the most memory that the process had is told.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter
from typing import Any

from contest.cycle.commands.folders import read_file
from local.cloud import DEFAULT_TEMPLATE, LocalCloud
from local.organizing import Organizer
from markup_core.reading.classifier import Classifier
from pku.answers import Order
from pku.exchange import Exchange
from pku.journal import Journals
from pku.runner import run
from pku.sessions import start_when_possible
from pku.solvers import Essays

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS, MANY = 200, 10_000
TEAM, SEED, SHARE = "own-team", 20_261_129, 0.9
AHEAD_S = 30
NAMES = {"Kyiv": "LOC", "Lviv": "LOC", "Odesa": "LOC", "Ivan": "PER", "Olha": "PER", "Petro": "PER", "Naftogaz": "ORG"}
WORDS = [*NAMES, *"went to the market by the river and bought bread with salt from an old friend near home".split()]


def main() -> None:
    """Print the figures."""
    if sys.argv[1:]:
        corpus = Path(sys.argv[1])
        place = str(corpus.parent / "many")
        took = _timed(lambda: _contest("cycle", "create", place, "--from", str(corpus), "--language", "en=ner"))
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"{MANY} documents by 2 annotators: a checked cycle in {took:.0f} s, at most {most:.0f} MiB", flush=True)
        return
    with tempfile.TemporaryDirectory(prefix="hurdle-corpora-") as name:
        scratch = Path(name)
        _played(scratch)
        _write(scratch / "large", MANY)
        subprocess.run([sys.executable, __file__, str(scratch / "large")], check=True)


def _write(folder: Path, documents: int) -> None:
    """Write a brat project: a folder for each annotator, who overlooks a tenth of the names."""
    chance = random.Random(SEED)
    for number in range(documents):
        words = [chance.choice(WORDS) for _ in range(80)]
        text = f"{' '.join(words)} {number}.\n"
        for who in ("anna", "boris"):
            (folder / who).mkdir(parents=True, exist_ok=True)
            (folder / who / f"text-{number:05}.txt").write_text(text, "utf-8")
            lines, place = [], 0
            for word in words:
                if word in NAMES and chance.random() < SHARE:
                    lines.append(f"T{len(lines) + 1}\t{NAMES[word]} {place} {place + len(word)}\t{word}\n")
                place += len(word) + 1
            (folder / who / f"text-{number:05}.ann").write_text("".join(lines), "utf-8")


def _played(scratch: Path) -> None:
    place, began = scratch / "own", perf_counter()
    _write(scratch / "export", DOCUMENTS)
    with LocalCloud(DEFAULT_TEMPLATE, ROOT / "functions", workers=1, warm=True) as cloud:
        organizer = Organizer(cloud)
        began = perf_counter()
        options = ("--from", str(scratch / "export"), "--language", "en=ner", "--name", organizer.cycle)
        took = {"contest cycle create --from": _timed(lambda: _contest("cycle", "create", str(place), *options))}
        took["contest cycle load"] = _timed(lambda: organizer.load(place))
        tokens: list[str] = []
        took["contest team add, contest token issue"] = _timed(lambda: tokens.append(organizer.team(TEAM, TEAM)))
        starts = (datetime.now(UTC) + timedelta(seconds=AHEAD_S)).isoformat(timespec="seconds")
        planned: list[str] = []
        words = ("run", "plan", "--start", starts, "--interval", "1", "--admit", TEAM, "--json")
        took["contest run plan"] = _timed(lambda: planned.append(organizer.contest(*words)))
        run_id = json.loads(planned[0])["run_id"]
        took["the final itself"] = _timed(lambda: _answered(cloud, scratch, place, tokens[0]))
        published = ("run", "publish", run_id, "--reason", "measured", "--wait")
        took["contest run publish --wait"] = _timed(lambda: print(organizer.contest(*published), flush=True))
        whole = perf_counter() - began
    files = len(list((place / "final").glob("*_exp01.json")))
    print(f"from an export of {DOCUMENTS} documents by 2 annotators to a board: {whole / 60:.1f} minutes, 6 commands")
    for name, seconds in took.items():
        print(f"  {name}: {seconds:.1f} s" + (f" ({files} files)" if name == "the final itself" else ""), flush=True)


def _answered(cloud: LocalCloud, scratch: Path, place: Path, token: str) -> None:
    """Take part in the final as the first annotator."""
    markups = [json.loads(path.read_text("utf-8")) for path in (place / "final").glob("*_exp01.json")]
    selections = {markup["text"]: markup["selections"] for markup in markups}

    def solve(content: dict[str, Any]) -> dict[str, Any]:
        return {**content, "selections": selections[content["text"]]}

    with Exchange(cloud.url, token) as exchange:
        own = Classifier.from_dict(read_file(place / "cycle.yaml")["classifier"])
        order = Order(mode="final")
        _, journal = start_when_possible(exchange, Journals(scratch / "journals"), order, on_wait=lambda _: None)
        run(exchange, journal, solve, contest=Essays(own))


def _contest(*words: str) -> None:
    command = Path(sys.executable).with_name("contest")
    subprocess.run([str(command), *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _timed(work: Callable[[], object]) -> float:
    began = perf_counter()
    work()
    return perf_counter() - began


if __name__ == "__main__":
    main()
