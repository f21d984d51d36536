"""Run the benchmarks of this commit and of an earlier one side by side, and print the ratio of every figure.

    python bench/against.py COMMIT [SCRIPT…]

The earlier commit gets a checkout and an environment of its own under ``build/against`` (made once, from its own
lock). Each script runs in both trees, the earlier one first, one after the other on the same machine; rows are matched
by their label, so a row that only one of them prints is listed without a ratio. ``timer`` and ``starts`` measure the
earlier commit by today's file, and print the ratios themselves.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

ROOT = Path.cwd()
TREES = ROOT / "build" / "against"
SCRIPTS = ("run", "gec", "diagnosis", "contests", "experts", "autosave", "settlement", "final", "importing")
BY_THEMSELVES = ("timer", "starts")
SECONDS = {"": 1.0, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0}
FIGURE = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?) ?(µs|ms|s|min)\b")
COLUMN = re.compile(r"(?<!\S)(\d+\.\d+)()(?!\S)")
"""A figure of a table whose head names the unit."""
LABEL = re.compile(r"(.+?)(?:  |: )(.*)")


class Row(NamedTuple):
    """Hold a printed line's label and its figures: durations in seconds, in a table without units as they stand."""

    label: str
    figures: tuple[float, ...]


def rows(printed: str) -> Iterator[Row]:
    """Yield the lines that hold figures; a number inside the label belongs to its name."""
    for line in printed.splitlines():
        parts = LABEL.match(line)
        if parts is not None and (figures := FIGURE.findall(parts[2]) or COLUMN.findall(parts[2])):
            yield Row(parts[1].strip(), tuple(float(number) * SECONDS[unit] for number, unit in figures))


def compared(before: str, now: str) -> list[str]:
    """Return a line for each row, with the ratio now : before of each figure that both have.

    A ratio to a figure printed as zero is left out as ``–``.
    """
    earlier = {row.label: row for row in rows(before)}
    lines = []
    for row in rows(now):
        if (was := earlier.pop(row.label, None)) is None:
            lines.append(f"{row.label}: only now")
            continue
        pairs = zip(was.figures, row.figures, strict=False)
        ratios = (f"{old:.3g} → {new:.3g} ({f'{new / old:.2f}' if old else '–'})" for old, new in pairs)
        lines.append(f"{row.label}: {', '.join(ratios)}")
    return lines + [f"{label}: only before" for label in earlier]


def tree_of(commit: str) -> Path:
    """Return a checkout of the commit with its environment; make them the first time."""
    place = TREES / commit
    if not place.is_dir():
        place.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            ["git", "worktree", "add", "--force", "--quiet", "--detach", str(place), commit], cwd=ROOT, check=True
        )
    if not (place / ".venv" / ".ready").is_file():
        subprocess.run(["make", "--silent", "setup"], cwd=place, check=True)
    for shared in ("bench/node_modules", "build/peers"):  # the peers are the same for both
        link = place / shared
        if (ROOT / shared).is_dir() and not link.exists():
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(ROOT / shared)
    return place


def printed_by(tree: Path, script: str) -> str:
    """Return what a benchmark prints in a tree; its complaints stay on standard error."""
    python = str(tree / ".venv" / "bin" / "python")
    completed = subprocess.run([python, f"bench/{script}.py"], cwd=tree, stdout=subprocess.PIPE, text=True, check=False)
    if completed.returncode:
        print(f"{script} ended with {completed.returncode} in {tree.name}", flush=True)
    return completed.stdout


def main() -> None:
    """Print the comparison script by script. Raises CalledProcessError where the commit is not at hand."""
    commit, *scripts = sys.argv[1:]
    tree = tree_of(commit)
    for script in scripts or (*SCRIPTS, *BY_THEMSELVES):
        begun = perf_counter()
        if script in BY_THEMSELVES:
            print(f"{script}, {commit} → now:", flush=True)
            subprocess.run([sys.executable, f"bench/{script}.py", commit], cwd=ROOT, check=False)
            continue
        lines = compared(printed_by(tree, script), printed_by(ROOT, script))
        print(f"{script}, {commit} → now ({perf_counter() - begun:.0f} s):", *lines, sep="\n  ", flush=True)


if __name__ == "__main__":
    main()
