"""Measure a visit of the minute timer in a final at three sizes: storage calls and processor time.

Run from the root as ``python bench/timer.py``. The handlers and adapters are the real ones, on the tests' stage; what
the teams have done is put into the table. A team misses one file in twenty. Processor time is that of the platform and
of the SDK; the emulated services are measured and left out. Earlier commits are measured by this same file.
"""

from __future__ import annotations

import json
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
MINUTE = 60_000
VISITS = {"first": "with nothing done before", "warm": "a minute later", "cold": "by a fresh process after that"}
FIGURES = ("calls", "own_s", "whole_s")
Figures = dict[str, float]


def main() -> None:
    """Print the cost of a visit at each size, and its growth."""
    sizes = []
    for teams, files in SIZES:
        figures = measured(teams, files)
        sizes.append((teams, figures))
        for visit, name in VISITS.items():
            calls, own, whole = (figures[f"{visit} {figure}"] for figure in FIGURES)
            figures_text = f"{calls:.0f} calls, {own:.2f} s, with the services {whole:.2f} s"
            print(f"a visit at {teams} × {files}, {name}: {figures_text}", flush=True)
    for what in ("warm calls", "warm own_s"):
        slopes = [(after[what] - before[what]) / (more - few) for (few, before), (more, after) in pairwise(sizes)]
        print(f"{what} for one more session: {', '.join(f'{slope:.4f}' for slope in slopes)}")


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
    from botocore.client import BaseClient  # type: ignore[import-untyped]  # the SDK has no types

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
    main()
