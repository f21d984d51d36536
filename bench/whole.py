"""Run the benchmarks, one after the other; against an earlier commit, with the ratio of every figure.

    python bench/whole.py [SCRIPT…]
    python bench/whole.py --against COMMIT [SCRIPT…]

The head says how fast this machine is: seconds of a fixed piece of work, before and after. Ratios to a peer are
measured side by side in one run; a figure without a ratio is to be read with the head. Behind each script stands how
long it took, and how many seconds of a processor.

The earlier commit gets a checkout and an environment of its own under ``build/against`` (made once, from its own
lock). Each script runs in both trees, the earlier one first, one after the other on the same machine; rows are matched
by their label, so a row that only one of them prints is listed without a ratio. ``timer``, ``opening`` and ``starts``
measure the earlier commit by today's file; ``functions`` does so by itself.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter, process_time
from typing import NamedTuple

ROOT = Path.cwd()
TREES = ROOT / "build" / "against"
SCRIPTS = ("run", "gec", "contests", "settlement", "timer", "importing", "opening", "starts", "final")
TODAYS = ("timer", "opening", "starts")
"""Scripts whose current file also measures the earlier commit, in that commit's tree."""
BY_ITSELF = "functions"
"""Name for ``starts.py COMMIT``, which measures the earlier commit, too, and prints the ratios."""
FORMER = {"contests": ("diagnosis", "experts")}
"""Scripts in which an earlier commit has parts of one of today's."""
SECONDS = {"": 1.0, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "calls": 1.0}
FIGURE = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?) ?(µs|ms|s|min|calls)\b")
COLUMN = re.compile(r"(?<!\S)(\d+\.\d+)()(?!\S)")
"""A figure of a table whose head names the unit."""
LABEL = re.compile(r"(.+?)(?:  |: )(.*)")
ABOUT = re.compile(r"\w+\.py (took|ended|is not there)")
WIDTH = 60


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


def printed_by(tree: Path, script: str, *words: str) -> Iterator[str]:
    """Yield the lines that a benchmark prints in a tree, as they come, then how long it took.

    Its complaints go to a file beside the trees; where it fails, the last of them is printed, and where the tree has
    no such benchmark, that.
    """
    file = (ROOT if script in TODAYS else tree) / "bench" / f"{'starts' if script == BY_ITSELF else script}.py"
    if not file.is_file():
        yield f"{script}.py is not there in {tree.name}"
        return
    command = [str(tree / ".venv" / "bin" / "python"), "-u", str(file), *words]
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    complaints = TREES / f"{script}.log"
    complaints.parent.mkdir(parents=True, exist_ok=True)
    begun, before = perf_counter(), sum(os.times()[2:4])
    with (
        complaints.open("w") as errors,
        subprocess.Popen(
            command, cwd=tree, env=environment, stdout=subprocess.PIPE, stderr=errors, text=True
        ) as process,
    ):
        yield from (line.rstrip("\n") for line in process.stdout or ())
    if process.returncode:
        yield f"{script}.py ended with {process.returncode}: {''.join(complaints.read_text('utf-8').splitlines()[-1:])}"
    took, spent = perf_counter() - begun, sum(os.times()[2:4]) - before
    at = "" if tree == ROOT else f" at {tree.name}"
    yield f"{script}.py took {took:.0f} seconds{at}, {spent:.0f} of a processor"


def aligned(line: str) -> str:
    """Return a line with its label as wide as those of tables."""
    label, colon, rest = line.partition(": ")
    return f"{label:<{WIDTH}}  {rest}" if colon and "  " not in line else line


def shown(lines: Iterator[str], *, is_silent: bool) -> list[str]:
    """Print lines as they come and return them; ``is_silent``: only what is about the script itself is printed."""
    all_lines = []
    for line in lines:
        all_lines.append(line)
        if not is_silent or ABOUT.match(line):
            print(aligned(line), flush=True)
    return all_lines


def fixed_work() -> float:
    """Return the seconds of a processor that a fixed piece of work takes: the least of three."""
    took = []
    for _ in range(3):
        begun, words = process_time(), dict[str, int]()
        for number in range(1_500_000):
            word = f"word {number % 5_000}"
            words[word] = words.get(word, 0) + len(word)
        for _ in range(100):
            hashlib.sha256(b"x" * 1_000_000).hexdigest()
        took.append(process_time() - begun)
    return min(took)


def machine() -> str:
    """Return a line about the machine and its speed now."""
    is_like = f"{os.cpu_count()} processors, {platform.machine()}, Python {platform.python_version()}"
    return f"machine: {is_like}; the fixed piece of work takes {fixed_work():.3f} s; load {os.getloadavg()[0]:.1f}"


def main() -> None:
    """Print the head and the benchmarks. Raises CalledProcessError where the commit is not at hand."""
    parser = argparse.ArgumentParser(description="run the benchmarks")
    parser.add_argument("--against", metavar="COMMIT", help="an earlier commit, to print the ratio of every figure")
    parser.add_argument("scripts", nargs="*", metavar="SCRIPT", help="some of the benchmarks alone")
    options = parser.parse_args()
    commit = options.against
    tree = tree_of(commit) if commit else None
    scripts = options.scripts or [*SCRIPTS, *([BY_ITSELF] if commit else [])]
    print(aligned(machine()), flush=True)
    for place, script in enumerate(scripts, start=1):
        print(f"\n{script} ({place} of {len(scripts)}){f', {commit} → now' if commit else ''}", flush=True)
        words = [commit] if commit and script == BY_ITSELF else []
        before, now = [], []
        if tree is not None and not words:
            former = [name for name in FORMER.get(script, ()) if (tree / "bench" / f"{name}.py").is_file()]
            for own in (script, *former):
                before += shown(printed_by(tree, own), is_silent=True)
        now = shown(printed_by(ROOT, script, *words), is_silent=bool(before))
        if before:
            print(*map(aligned, compared("\n".join(before), "\n".join(now))), sep="\n", flush=True)
    print(f"\n{aligned(machine())}", flush=True)


if __name__ == "__main__":
    main()
