"""Count the cloud's usage by a final at several sizes, and fit the coefficients of the cost estimate.

Run from the root as ``make metered``: it plays finals on the local cloud, fits each kind of request, writes
layers/contest/src/contest/operations/costs/usage.json, and says how far the model is from sizes it was not
made from.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from contest.operations.rules import FINAL, KINDS, estimate_final, terms, usual
from rehearsal.final import metered

SIZES = ((2, 3), (6, 3), (2, 9), (6, 9), (3, 30), (8, 20), (10, 4), (5, 10))
OTHERS = ((5, 15), (10, 20))
PLACE = Path(__file__).resolve().parents[1] / "layers/contest/src/contest/operations/costs/usage.json"


def main() -> None:
    """Measure, fit, write, compare."""
    counted = {}
    for teams, files in SIZES:
        counted[teams, files] = metered(teams, files)
        counts = counted[teams, files]
        print(f"{teams} teams × {files} files: {', '.join(f'{kind} {counts[kind]:.6g}' for kind in KINDS)}", flush=True)
    usage = json.loads(PLACE.read_text("utf-8")) if PLACE.exists() else {}
    usage[FINAL] = {kind: _fitted(kind, counted) for kind in KINDS}
    usage["measured"] = {"sizes": [list(size) for size in SIZES], "by": "make metered, without faults"}
    PLACE.write_text(json.dumps(usage, indent=1) + "\n", "utf-8")
    for teams, files in OTHERS:
        counts, expected = metered(teams, files), estimate_final(usage[FINAL], usual(teams, files))
        for kind in KINDS:
            print(f"{teams} × {files}, {kind}: {counts[kind]:.6g} metered, {expected[kind]:.6g} estimated", flush=True)


def _fitted(kind: str, counted: dict[tuple[int, int], dict[str, float]]) -> list[float]:
    """Fit the coefficients of the terms, by least squares of the relative differences; none is below zero.

    Finals without any such request say nothing about it: their differences have no relation.
    """
    some = {size: counts[kind] for size, counts in counted.items() if counts[kind]}
    rows = np.array([terms(usual(*size)) for size in some], dtype=float)
    values = np.array(list(some.values()), dtype=float)
    used = list(range(rows.shape[1]))
    while True:
        part = np.linalg.lstsq(rows[:, used] / values[:, None], np.ones(len(values)), rcond=None)[0]
        if (part >= 0).all():
            break
        used.pop(int(np.argmin(part)))
    coefficients = np.zeros(rows.shape[1])
    coefficients[used] = part
    return [float(f"{coefficient:.4g}") for coefficient in coefficients]


if __name__ == "__main__":
    main()
