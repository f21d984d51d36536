"""Print one table of our comparison against the contest's earlier comparer, against scipy, and of worst cases.

Run from the root as ``python bench/run.py``. Every ratio is measured side by side in this run. What is not installed
(node, the earlier comparer, msgspec, orjson) is said and left out. Markups are made
from a seed, always the same ones.
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
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment  # type: ignore[import-untyped]  # ships no types

from markup_core import comparable, model
from markup_core.accuracy import PairScore, score_pair
from markup_core.matching.match import candidates, columns, match, merit
from markup_core.model import Fragment, Markup
from markup_core.reading.classifier import Classifier, Code
from markup_core.reading.validation import load
from markup_core.reading.wire import decode

HERE = Path(__file__).parent
LABELLED = HERE.parent / "tests" / "markup_core" / "paraphrase_pairs.tsv"
SEED = 20_200_101
SIZES = ((10, 60), (15, 60), (25, 60), (60, 30))
LINES = 240
"""Requests of a run of the command; the earlier comparer gets the first of them."""
FIRST = 20
"""Number of answers before the clock starts, so that one-time work of a process is not measured."""
TYPICAL = (10, 15, 25)
ROUNDS = 5
FAST = "import runpy, sys; sys.argv[1:] = ['batch']; runpy.run_module('markup_core', run_name='__main__')"
PLAIN = f"import sys; sys.modules |= dict.fromkeys(('msgspec', 'orjson')); {FAST}"
TWO = FAST.replace("'batch'", "'batch', '--jobs', '2'")

Raw = dict[str, Any]

SYLLABLES = "ба ве ги до жу зы ка ле ми но пу ры са те фи хо цу ша".split()
COMMENTS = (
    "лишняя запятая",
    "пропущена запятая перед союзом",
    "неверное управление",
    "повтор слова в соседних предложениях",
    "нет связи между абзацами",
    "неточно передана мысль автора",
    "разговорное слово",
)


def main() -> None:
    """Print the table."""
    _line("what", "ours", "peer", "ratio", "note")
    pairs = [Pairs.typical(fragments, count) for fragments, count in SIZES]
    _line_to_line(pairs)
    for batch in pairs:
        _in_process(batch)
    rng = random.Random(SEED)
    for size in (25, 100, 400):
        _against_scipy(size, *(overlapping(rng, size, "ab", 5_000) for _ in range(2)))
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
    raw: list[tuple[Raw, Raw]]
    peer: Raw | str
    lines: list[bytes]
    """Requests of these pairs, and of as many more of their kind as the command is measured with."""

    @classmethod
    def typical(cls, fragments: int, count: int) -> Pairs:
        rng = random.Random(f"{SEED}-{fragments}")
        every = [typical_pair(rng, fragments) for _ in range(LINES)]
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


def _bytes(raw: Raw) -> bytes:
    return json.dumps(raw, ensure_ascii=False).encode("utf-8")


def _score(x: bytes, y: bytes) -> PairScore:
    return score_pair(load(decode(x)), load(decode(y)))


def _timed(work: Callable[[], object]) -> float:
    begin = perf_counter()
    work()
    return perf_counter() - begin


def _duration(seconds: float) -> str:
    if seconds < 1:
        return f"{seconds * 1e6:.0f} µs" if seconds < 1e-3 else f"{seconds * 1e3:.1f} ms"
    return f"{seconds:.2f} s"


def _earlier_comparer(lines: str) -> Raw | str:
    """Return the answer of psr.cjs, or the reason why there is none."""
    if not (HERE / "node_modules" / "@upgreat-readable" / "psr").is_dir():
        return "the earlier comparer is not installed: npm ci --prefix bench"
    done = subprocess.run(["node", HERE / "psr.cjs"], input=lines, capture_output=True, text=True, check=False)
    if done.returncode:
        return f"the earlier comparer failed: {done.stderr.strip().splitlines()[-1:]}"
    answer: Raw = json.loads(done.stdout)
    return answer


def _same_cost(x: Raw, y: Raw, matched: list[Any]) -> bool:
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
        "match 400×400 mutually overlapping, one code": _twice(lambda: overlapping(rng, 400, "a", 5_000)),
        "match 400×400 with equal starts": _twice(lambda: overlapping(rng, 400, "a", 1)),
        "match 400×400 on one span, only ties": _twice(lambda: identical(rng, 400)),
        "match 2000×2000 scattered": _twice(lambda: scattered(rng, 2_000)),
        "match 2000×2000 chained": _twice(lambda: chained(rng, 2_000, 80)),
        "match 2000×2000 chained, each over 100 others": _twice(lambda: chained(rng, 2_000, 5_000)),
        "match 2000×1999 chained, ties all along": (regular_chain(2_000, 0), regular_chain(1_999, 25)),
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


def typical_pair(rng: random.Random, fragments: int) -> tuple[Raw, Raw]:
    """Return two annotators' markups of one essay: each sees nine tenths of the places, some a little differently.

    An essay has 3 000 characters. Two fragments in five are semantic blocks, a sentence to a paragraph long, the
    others errors, a word to a phrase: half the fragments are shorter than 40 characters, a quarter longer than 130,
    rather shorter than in the example markups that the earlier comparer was published with.
    """
    pieces = ["".join(rng.choices(SYLLABLES, k=rng.randint(1, 5))) for _ in range(450)]
    text = "".join(piece + rng.choice((" ", " ", " ", ", ", ". ", " — ")) for piece in pieces)
    codes = Classifier.default().codes("rus")
    first: list[Raw] = []
    second: list[Raw] = []
    for _ in range(fragments):
        group = "meaning" if rng.random() < 0.4 else "error"
        place = _place(rng, text, rng.choice([code for code in codes if code.group == group]))
        if rng.random() < 0.9:
            first.append({"id": len(first) + 1, **place})
        if rng.random() < 0.9:
            second.append({"id": len(second) + 1, **_varied(rng, text, place, codes)})
    return _markup(text, first), _markup(text, second)


def _place(rng: random.Random, text: str, code: Code) -> Raw:
    length = round(60 * 10 ** rng.random()) if code.group == "meaning" else rng.randint(4, 40)
    start = rng.randrange(len(text) - length)
    return {
        "startSelection": start,
        "endSelection": start + length,
        "type": code.code,
        "subtype": rng.choice(("", *code.subtypes)),
        "comment": rng.choice(("", *COMMENTS)),
        "explanation": "",
        "correction": "".join(rng.choices(SYLLABLES, k=3)) if code.correction and rng.random() < 0.7 else "",
        "tag": "",
        "group": code.group,
    }


def _varied(rng: random.Random, text: str, place: Raw, codes: tuple[Code, ...]) -> Raw:
    second = dict(place)
    if rng.random() < 0.4:
        second["endSelection"] = min(len(text), second["endSelection"] + rng.randint(1, 12))
    if rng.random() < 0.2:
        second["startSelection"] = max(0, second["startSelection"] - rng.randint(1, 6))
    if rng.random() < 0.15:
        other = rng.choice([code for code in codes if code.group == place["group"]])
        second.update(type=other.code, subtype="", correction="")
    if rng.random() < 0.3:
        second["comment"] = rng.choice(COMMENTS)
    return second


def _markup(text: str, selections: list[Raw]) -> Raw:
    meta = {"id": "0000001", "subject": "rus", "theme": "", "class": "11", "year": 2020}
    return {"meta": meta, "criteria": {"K1": 1}, "selections": selections, "text": text}


def overlapping(rng: random.Random, size: int, codes: str, starts: int) -> Markup:
    """Return fragments that all overlap each other."""
    return _of(size, lambda _: Fragment(rng.randrange(starts), rng.randint(5_001, 10_000), rng.choice(codes)))


def identical(rng: random.Random, size: int) -> Markup:
    """Return fragments on one span that differ in subtype, correction and comment alone: nothing but ties."""
    return _of(size, lambda _: Fragment(10, 20, "a", rng.choice("st"), str(rng.random()), "", rng.choice("xyz")))


def scattered(rng: random.Random, size: int) -> Markup:
    """Return fragments apart from each other along a long text."""
    return _of(size, lambda i: Fragment(50 * i + rng.randrange(20), 50 * i + 30, rng.choice("abcdefgh")))


def chained(rng: random.Random, size: int, length: int) -> Markup:
    """Return fragments each of which overlaps the next, so that all of them make one component."""
    return _of(size, lambda i: Fragment(50 * i + rng.randrange(25), 50 * i + length + rng.randrange(25), "a"))


def regular_chain(size: int, offset: int) -> Markup:
    """Build a chain of equal links. Against a chain half a link off and a link shorter, every cut costs the same."""
    return _of(size, lambda i: Fragment(50 * i + offset, 50 * i + offset + 80, "a"))


def _of(size: int, make: Callable[[int], Fragment]) -> Markup:
    return Markup("", tuple(make(i) for i in range(size)))


if __name__ == "__main__":
    main()
