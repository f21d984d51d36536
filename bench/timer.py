"""Measure a visit of the minute timer in a final at three sizes: storage calls and processor time.

Run from the root as ``python bench/timer.py``. The handlers and adapters are the real ones, on the tests' stage; what
the teams have done is put into the table. A team misses one file in twenty. Processor time is that of the platform and
of the SDK; the emulated services are measured and left out. ``python bench/timer.py COMMIT`` lets the same
file measure that commit, too, in a checkout of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from time import process_time
from typing import Any
from unittest.mock import patch

ROOT = Path.cwd()
sys.path[:0] = [str(ROOT), str(ROOT / "functions")]

SIZES = ((50, 100), (100, 500), (200, 500))
PATHS = ("layers/contest", "layers/markup_core", "layers/shadow", "layers/tracks", "local", "clients/pku")
MINUTE = 60_000
VISITS = {"first": "with nothing done before", "warm": "a minute later", "cold": "by a fresh process after that"}
FIGURES = ("calls", "own_s", "whole_s")
Figures = dict[str, float]


def main() -> None:
    """Print what a visit takes at each size, now and before, and how it grows."""
    now = [measured(*size) for size in SIZES]
    before = measured_at(sys.argv[1]) if len(sys.argv) > 1 else None
    for place, (teams, files) in enumerate(SIZES):
        print(f"{teams} teams × {files} files, a visit: {describe(now[place], before[place] if before else None)}")
    for what in ("warm calls", "warm own_s"):
        slopes = [(after[what] - first[what]) / (size[0] - start[0]) for (first, after), (start, size) in steps(now)]
        print(f"{what} for one more session: {', '.join(f'{slope:.4f}' for slope in slopes)}")


def steps(now: list[Figures]) -> list[tuple[tuple[Figures, Figures], tuple[tuple[int, int], tuple[int, int]]]]:
    """Return the figures and sizes that follow on one another."""
    return list(zip(pairwise(now), pairwise(SIZES), strict=True))


def describe(now: Figures, before: Figures | None) -> str:
    """Describe the figures of one size."""
    parts = []
    for visit, name in VISITS.items():
        calls, own, whole = (now[f"{visit} {figure}"] for figure in FIGURES)
        text = f"{name} {calls:.0f} calls, {own:.2f} s, with the services {whole:.2f} s"
        if before is not None:
            shares = (now[f"{visit} {figure}"] / before[f"{visit} {figure}"] for figure in FIGURES)
            text += f" ({', '.join(f'{share:.1%}' for share in shares)} of before)"
        parts.append(text)
    return "; ".join(parts)


def measured_at(commit: str) -> list[Figures] | None:
    """Let this file measure a commit; None where git does not have it."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "before"
        try:
            subprocess.run(["git", "worktree", "add", "--quiet", "--detach", str(tree), commit], check=True)
        except subprocess.CalledProcessError:
            print(f"commit {commit} is not here: no ratios")
            return None
        try:
            paths = [str(tree), *(str(tree / path / "src") for path in PATHS), str(tree / "functions")]
            ran = subprocess.run(
                [sys.executable, str(Path(__file__).resolve()), "--json"],
                cwd=tree,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
                stdout=subprocess.PIPE,
                check=True,
            )
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(tree)], check=True)
    figures: list[Figures] = json.loads(ran.stdout.splitlines()[-1])
    return figures


def measured(teams: int, files: int) -> Figures:
    """Return calls and processor time of three visits to a final near its end; see :data:`VISITS`."""
    from tests.run_stage import RunOnStage
    from tests.stage import staged

    with tempfile.TemporaryDirectory() as folder, staged(Path(folder)) as stage:
        played = RunOnStage(stage, files, *(f"team{team:03d}" for team in range(teams)))
        run, sessions = played.run, {name: program.session_id for name, program in played.programs.items()}
        figures: Figures = {}
        for visit, numbers in zip(VISITS, (range(1, files - 2), [files - 2], [files - 1]), strict=True):
            play(run, sessions, numbers)
            stage.set_clock(run.starts_at + numbers[-1] * MINUTE - 1)
            hear(sessions, stage.now)
            if visit == "cold":
                stage.restart()
            figures |= {f"{visit} {name}": value for name, value in cost_of_visit(stage).items()}
        return figures


def cost_of_visit(stage: Any) -> Figures:
    """Return the calls and the seconds of a processor that a visit takes, of the platform alone and of all together."""
    from tests.calls import counted

    with emulated() as spent, counted() as calls:
        begun = process_time()
        stage.tick(settles=False)
        whole = process_time() - begun
    return {"calls": calls.count, "own_s": whole - spent[0], "whole_s": whole}


@contextmanager
def emulated() -> Iterator[list[float]]:
    """Yield the seconds that the emulated services have taken, inside."""
    from botocore.client import BaseClient

    spent, really = [0.0], BaseClient._make_api_call

    def timed(client: Any, operation: str, params: Any) -> Any:
        begun = process_time()
        try:
            return really(client, operation, params)
        finally:
            spent[0] += process_time() - begun

    with patch.object(BaseClient, "_make_api_call", timed):
        yield spent


def play(run: Any, sessions: dict[str, str], numbers: Any) -> None:
    """Write that every team was handed out and has answered these files, but one in twenty."""
    for place, session_id in enumerate(sessions.values()):
        for number in numbers:
            opens_at = run.starts_at + (number - 1) * MINUTE
            key = {"pk": text(f"SESSION#{session_id}")}
            item = {
                "asked_at": whole(opens_at),
                "number": whole(number),
                "handed_out_at": whole(opens_at),
                "answer_by": whole(opens_at + 30_000),
            }
            item |= {"sends": whole(0), "version": whole(0)}
            if (number + place) % 20:
                answer = {"send": 1, "received_at": opens_at + 9, "content_sha256": "a" * 64}
                answer |= {"decided_at": opens_at + 9, "begun_at": opens_at + 9, "kind": "answer"}
                item |= {"sends": whole(1), "latest_sha256": text("a" * 64), "answer": text(json.dumps(answer))}
            put({**key, "sk": text(f"FILE#{number:04d}"), **item})


def hear(sessions: dict[str, str], now: int) -> None:
    """Write that every team's program was heard of just now."""
    for team_id, session_id in sessions.items():
        moments = {"final_at": whole(now - 1000), "final_until": whole(now - 1000)}
        counts = {"second": whole(now // 1000), "made": whole(1), "made_before": whole(0)}
        put({"pk": text(f"TEAM#{team_id}"), "sk": text("SEEN"), "final_session": text(session_id), **moments, **counts})


def put(item: dict[str, Any]) -> None:
    """Put an item into the emulated table, past the SDK."""
    from moto.dynamodb.models import dynamodb_backends

    (backend,) = (backend for regions in dynamodb_backends.values() for backend in regions.values() if backend.tables)
    backend.tables["exchange"].put_item(item)


def text(value: str) -> dict[str, str]:
    """Return a string as an attribute."""
    return {"S": value}


def whole(value: int) -> dict[str, str]:
    """Return a number as an attribute."""
    return {"N": str(value)}


if __name__ == "__main__":
    if "--json" in sys.argv:
        print(json.dumps([measured(*size) for size in SIZES]))
    else:
        main()
