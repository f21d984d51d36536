"""Measure the experts' work: assigning essays at three sizes, and judging a draft of each subject.

Run from the root as ``python bench/experts.py``. A draft's figure is the scoring library's part of an autosave: faults,
grade and the reason of every criterion. Times are those of a processor.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

from contest.experts.rules.sharing_out import Expert, Shared, Want, share_out
from tracks import registry

EXPERTS = 40
ESSAYS = (500, 1000, 2000)
REPEATED = 5
SUBJECTS = ("rus", "lit", "social", "hist", "eng")
DEMONSTRATION = Path(__file__).resolve().parents[1] / "local" / "demonstration" / "train"


def main() -> None:
    """Print the figures."""
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
