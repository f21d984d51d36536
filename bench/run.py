"""Print one table of our comparison against the contest's earlier comparer, against scipy, and of worst cases.

Run from the root as ``python bench/run.py``. Every ratio is measured side by side in this run. What is not installed
(node, the earlier comparer, msgspec, orjson) is said and left out.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from math import inf
from pathlib import Path
from tempfile import TemporaryFile
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import samples
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from markup_core import comparable, model
from markup_core.accuracy import PairScore, score_pair
from markup_core.matching.match import candidates, columns, match, merit
from markup_core.model import Markup
from markup_core.reading.validation import load
from markup_core.reading.wire import decode

HERE = Path(__file__).parent
LABELLED = HERE.parent / "tests" / "markup_core" / "paraphrase_pairs.tsv"
SEED = 20_200_101
SIZES = ((10, 60), (15, 60), (25, 60), (60, 30))
LINES = 240
"""Requests of a run of the command; the earlier comparer gets the first of them."""
FIRST = 20
"""Answers before the clock starts: what a process does once is not a line's."""
TYPICAL = (10, 15, 25)
ROUNDS = 5
FAST = "import sys; from markup_core.__main__ import main; sys.exit(main(['batch']))"
PLAIN = f"import sys; sys.modules |= dict.fromkeys(('msgspec', 'orjson')); {FAST}"
TWO = FAST.replace("'batch'", "'batch', '--jobs', '2'")


def main() -> None:
    """Print the table."""
    _line("what", "ours", "peer", "ratio", "note")
    pairs = [Pairs.typical(fragments, count) for fragments, count in SIZES]
    _line_to_line(pairs)
    for batch in pairs:
        _in_process(batch)
    rng = random.Random(SEED)
    for size in (25, 100, 400):
        _against_scipy(size, *(samples.overlapping(rng, size, "ab", 5_000) for _ in range(2)))
    _worst_cases()
    _paraphrases()
    for module in ("markup_core", "markup_core.accuracy", "numpy"):
        begin = min(_timed(lambda: _run("pass")) for _ in range(5))
        seconds = min(_timed(partial(_run, f"import {module}")) for _ in range(5)) - begin
        _line(f"import {module}", _duration(max(seconds, 0.0)), "", "", "over the bare interpreter")


def _line(*cells: str) -> None:
    widths = (50, 14, 14, 8)
    print("  ".join(cell.ljust(width) for cell, width in zip(cells, (*widths, 0), strict=True)).rstrip(), flush=True)


class Pairs(NamedTuple):
    """Typical pairs of markups with the earlier comparer's results, or the reason why there are none."""

    fragments: int
    raw: list[tuple[samples.Raw, samples.Raw]]
    peer: samples.Raw | str
    lines: list[bytes]
    """Requests of these pairs, and of as many more of their kind as the command is measured with."""

    @classmethod
    def typical(cls, fragments: int, count: int) -> Pairs:
        rng = random.Random(f"{SEED}-{fragments}")
        every = [samples.typical_pair(rng, fragments) for _ in range(LINES)]
        raw = every[:count]
        peer = _earlier_comparer("\n".join(json.dumps({"x": x, "y": y}) for x, y in raw))
        return cls(fragments, raw, peer, [_bytes({"op": "pair", "x": x, "y": y}) + b"\n" for x, y in every])

    @property
    def peer_seconds(self) -> float | None:
        """Return the seconds of the earlier comparer for a pair; None without it."""
        return None if isinstance(self.peer, str) else self.peer["milliseconds"] / 1000 / len(self.raw)

    def line(self, name: str, ours: float, note: str) -> None:
        """Print the seconds of a pair against those of the earlier comparer, as a line of the table."""
        peer = self.peer_seconds
        if peer is None:
            _line(name, _duration(ours), "—", "—", f"{self.peer}; {note}")
        else:
            _line(name, _duration(ours), _duration(peer), f"{peer / ours:.0f}×", note)


def _line_to_line(pairs: list[Pairs]) -> None:
    """Measure ``markup-core batch`` from answer to answer, fingerprints included; its requests are in a file."""
    present = [name for name in ("msgspec", "orjson") if find_spec(name)]
    reader = ", ".join(f"{name} {version(name)}" for name in present) or "plain Python"
    ours = {batch.fragments: min(_answered(batch.lines, FAST) for _ in range(ROUNDS)) for batch in pairs}
    for batch in pairs:
        plain = min(_answered(batch.lines, PLAIN) for _ in range(ROUNDS))
        two = min(_answered(batch.lines, TWO) for _ in range(ROUNDS))
        note = f"psr 1.9.0; {LINES - FIRST} lines behind the first {FIRST}; {reader}, {_duration(plain)} without it"
        note += f"; --jobs 2: {_duration(two)}"
        batch.line(f"batch, pair of {batch.fragments} fragments, line to line", ours[batch.fragments], note)
    peers = [batch.peer_seconds for batch in pairs if batch.fragments in TYPICAL]
    mean = sum(ours[fragments] for fragments in TYPICAL) / len(TYPICAL)
    name = f"batch, {', '.join(map(str, TYPICAL))} fragments equally often"
    if None in peers:
        _line(name, _duration(mean), "—", "—", "")
    else:
        peer = sum(seconds or 0.0 for seconds in peers) / len(peers)
        _line(name, _duration(mean), _duration(peer), f"{peer / mean:.0f}×", "psr 1.9.0")


def _answered(requests: list[bytes], program: str) -> float:
    """Return the seconds that a process takes for a request, the first ones left out."""
    with TemporaryFile() as file:
        file.writelines(requests)
        file.seek(0)
        with subprocess.Popen([sys.executable, "-c", program], stdin=file, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            answers = [process.stdout.readline() for _ in range(FIRST)]
            begin = perf_counter()
            answers += [process.stdout.readline() for _ in requests[FIRST:]]
            seconds = perf_counter() - begin
    assert all(json.loads(answer)["ok"] for answer in answers)
    return seconds / (len(requests) - FIRST)


def _in_process(pairs: Pairs) -> None:
    """Measure the scoring alone, from the JSON text to M1…M7, by a program that uses the library."""
    texts = [(_bytes(x), _bytes(y)) for x, y in pairs.raw]
    seconds = inf
    for _ in range(ROUNDS):
        for remembered in (model.words_of, comparable._remembered):
            remembered.cache_clear()
        seconds = min(seconds, _timed(lambda: [_score(x, y) for x, y in texts]))
    warm = min(_timed(lambda: [_score(x, y) for x, y in texts]) for _ in range(ROUNDS)) / len(texts)
    note = f"psr 1.9.0; caches emptied before each round ({_duration(warm)} when kept)"
    if not isinstance(pairs.peer, str):
        agree = sum(_same_cost(x, y, cost) for (x, y), cost in zip(pairs.raw, pairs.peer["matched"], strict=True))
        note += f"; same Q in {agree} of {len(texts)}"
    pairs.line(f"in process, pair of {pairs.fragments} fragments, JSON to M1…M7", seconds / len(texts), note)


def _bytes(raw: samples.Raw) -> bytes:
    return json.dumps(raw, ensure_ascii=False).encode("utf-8")


def _score(x: bytes, y: bytes) -> PairScore:
    return score_pair(load(decode(x)), load(decode(y)))


def _timed(work: Callable[[], object]) -> float:
    begin = perf_counter()
    work()
    return perf_counter() - begin


def _duration(seconds: float) -> str:
    return (
        f"{seconds * 1e6:.0f} µs"
        if seconds < 1e-3
        else f"{seconds * 1e3:.1f} ms"
        if seconds < 1
        else f"{seconds:.2f} s"
    )


def _earlier_comparer(lines: str) -> samples.Raw | str:
    """Return the answer of psr.cjs, or the reason why there is none."""
    if not (HERE / "node_modules" / "@upgreat-readable" / "psr").is_dir():
        return "the earlier comparer is not installed: npm ci --prefix bench"
    done = subprocess.run(["node", HERE / "psr.cjs"], input=lines, capture_output=True, text=True, check=False)
    if done.returncode:
        return f"the earlier comparer failed: {done.stderr.strip().splitlines()[-1:]}"
    answer: samples.Raw = json.loads(done.stdout)
    return answer


def _same_cost(x: samples.Raw, y: samples.Raw, matched: list[Any]) -> bool:
    """Return whether the correspondence of the earlier comparer, costed exactly, is an optimum."""
    ours = match(load(x), load(y))
    fragments = len(x["selections"]) + len(y["selections"])
    cost = fragments - 2 * len(matched)
    for a, b, code, c, d, other in matched:
        union, shared = max(b, d) - min(a, c), min(b, d) - max(a, c)
        distance = 1 - shared / union if shared > 0 else 1.0
        cost += distance + (distance == 1) + (a != c) + (code.casefold() != other.casefold())
    return bool(abs(cost - ours.q) < 1e-9)


def _against_scipy(size: int, x: Markup, y: Markup) -> None:
    loss = _loss_matrix(x, y)
    ours = min(_timed(lambda: match(x, y)) for _ in range(3))
    peer = min(_timed(lambda: linear_sum_assignment(loss)) for _ in range(3))
    gap = abs(2 * size + loss[linear_sum_assignment(loss)].sum() - match(x, y).q)
    note = f"scipy gets the matrix ready-made and breaks no ties; Q differs by {gap:.0e}"
    _line(f"match {size}×{size} overlapping, all rules", _duration(ours), _duration(peer), f"{peer / ours:.2f}×", note)


def _loss_matrix(x: Markup, y: Markup) -> NDArray[np.float64]:
    """Return the loss of each pair, negative; 0 where it cannot be matched."""
    sides = columns(x, y, False)
    loss = np.zeros((len(x.fragments), len(y.fragments)))
    pairs = candidates(sides, False)
    for i, k in [*pairs.coinciding, *((i, k) for i, partners in pairs.rows.items() for k in partners)]:
        one = merit(sides, i, k)
        loss[i, k] = -one.bonus - one.shared / one.union
    return loss


def _worst_cases() -> None:
    rng = random.Random(SEED)
    cases: dict[str, tuple[Markup, Markup]] = {
        "match 400×400 mutually overlapping, one code": _twice(lambda: samples.overlapping(rng, 400, "a", 5_000)),
        "match 400×400 with equal starts": _twice(lambda: samples.overlapping(rng, 400, "a", 1)),
        "match 400×400 on one span, only ties": _twice(lambda: samples.identical(rng, 400)),
        "match 2000×2000 scattered": _twice(lambda: samples.scattered(rng, 2_000)),
        "match 2000×2000 chained": _twice(lambda: samples.chained(rng, 2_000, 80)),
        "match 2000×2000 chained, each over 100 others": _twice(lambda: samples.chained(rng, 2_000, 5_000)),
        "match 2000×1999 chained, ties all along": (samples.regular_chain(2_000, 0), samples.regular_chain(1_999, 25)),
    }
    for name, (x, y) in cases.items():
        _line(name, _duration(_timed(partial(match, x, y))), "", "", "limit 2 s" if "400" in name else "limit 20 s")


def _twice(make: Callable[[], Markup]) -> tuple[Markup, Markup]:
    return make(), make()


def _paraphrases() -> None:
    rows = [line.split("\t") for line in LABELLED.read_text("utf-8").splitlines() if not line.startswith("#")]
    for part in ("tune", "check"):
        judged = [
            (label == "yes", comparable.default(one, other)) for where, label, one, other in rows if where == part
        ]
        hits = sum(label and judgement for label, judgement in judged)
        precision, recall = hits / sum(judgement for _, judgement in judged), hits / sum(label for label, _ in judged)
        note = f"precision {precision:.2f}, recall {recall:.2f} on {len(judged)} labelled pairs"
        _line(f"paraphrase judge, {'the threshold was set on' if part == 'tune' else 'unseen'}", "", "", "", note)


def _run(program: str) -> None:
    subprocess.run([sys.executable, "-c", program], check=True)


if __name__ == "__main__":
    main()
