"""Measure the settlement of a final: every answer scored, every team's entry, the board, and all of it recomputed.

Run from the root as ``python bench/settlement.py``. Three sizes of 20 teams, every essay with three experts; then the
semifinal of diagnoses (tracks-sessions D-2) with as many epicrises, each of two files. Storage is in memory, so the
figures are the work of the platform on one processor. How long the functions take together follows from how many of
them work at once (``infra/config.py``), told beside the sum.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import process_time
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # the final is the one that the tests settle

from contest.results import publishing, settling  # noqa: E402
from contest.results.reporting import called_for  # noqa: E402
from contest.results.rules.jobs import Job  # noqa: E402
from contest.results.scoring import score_answer  # noqa: E402
from contest.run import recording  # noqa: E402
from contest.session import following  # noqa: E402
from contest.session.following import known_of  # noqa: E402
from contest.session.rules.session import IN_FLIGHT  # noqa: E402
from infra.config import CycleConfig  # noqa: E402
from tests.contest.contests.semifinals import semifinal  # noqa: E402
from tests.contest.results.test_settlement_size import answered, folder  # noqa: E402
from tests.contest.run.played_runs import Played  # noqa: E402
from tests.fakes import FakeShadows  # noqa: E402

TEAMS = 20
FILES = (125, 250, 500)
ALLOWED_S = 300


def main() -> None:
    """Print the table."""
    for files in FILES:
        told_of(f"{files} files × 3 experts", files, settled(files))
    for epicrises in FILES:
        told_of(f"{epicrises} epicrises × 2 versions", epicrises, settled_semifinal(TEAMS, epicrises))


def told_of(what: str, files: int, spent: dict[str, float]) -> None:
    """Print the time of settling so many items of each team."""
    config = CycleConfig(cycle="bench", retain_data=False)
    at_once = {
        "scoring": config.scoring_max_concurrency,
        "entries": config.settlement_max_concurrency,
        "recomputation": config.shadow_max_concurrency,
    }
    together = sum(seconds / min(at_once.get(step, 1), TEAMS) for step, seconds in spent.items())
    steps = ", ".join(f"{step} {seconds:.1f} s" for step, seconds in spent.items())
    per_item = 1000 * sum(spent.values()) / (TEAMS * files)
    print(
        f"{TEAMS} teams × {what}: {sum(spent.values()):.1f} s of one processor "
        f"({per_item:.1f} ms an item): {steps}; with the functions' concurrency {together:.1f} s of {ALLOWED_S}",
        flush=True,
    )


def with_three_experts(files: int) -> dict[str, Any]:
    """Return the final of the tests with a third markup of each essay: the first expert's under another name."""
    contents = folder(files)
    thirds = {
        name.replace("_exp01", "_exp03"): content for name, content in contents.items() if name.startswith("final/")
    }
    return {**thirds, **contents}


def settled(files: int) -> dict[str, float]:
    """Return the seconds of one processor for each step of settling a final of so many files."""
    played = answered(TEAMS, files, with_three_experts(files))
    platform = played.platform
    jobs = [
        Job(session_id, delivery.number, delivery.answer.content_sha256)
        for session_id in played.sessions.values()
        for delivery in platform.deliveries.of_session(session_id)
        if delivery.answer is not None
    ]
    platform.scores = type(platform.scores)()
    spent = worked(played, lambda: jobs)
    publishing.publish(platform, "bench", played.run_id)
    return spent


def settled_semifinal(teams: int, epicrises: int) -> dict[str, float]:
    """Return the seconds of one processor for each step of settling a semifinal with every version answered.

    What is to be scored follows from the sessions when they are over: an epicrisis once, by both its answers.
    """
    played = semifinal(teams, epicrises)

    def called() -> list[Job]:
        sessions = [played.session(team) for team in played.sessions]
        return [
            job
            for session in sessions
            for job in called_for(played.platform, session, known_of(played.platform, session))
        ]

    return worked(played, called)


def worked(played: Played, jobs: Callable[[], Sequence[Job]]) -> dict[str, float]:
    """Return the seconds of one processor from the last deadline to the clean recomputation, by step."""
    platform, spent = played.platform, {}
    played.at(recording.over_at(played.schedule) + IN_FLIGHT)
    for team in played.sessions:
        following.by_time(platform, played.session(team), platform.clock.now(), unseen=IN_FLIGHT)
    begun = process_time()
    for job in jobs():
        score_answer(platform, job)
    spent["scoring"] = process_time() - begun
    for what in ("record", "entries"):
        begun = process_time()
        settling.send(platform, played.run_id)
        while platform.settling.jobs:
            settling.settle(platform, platform.settling.jobs.pop(0))
        spent[what] = process_time() - begun
    begun = process_time()
    FakeShadows(platform).send(platform.shadows.jobs)
    spent["recomputation"] = process_time() - begun
    assert settling.look(platform, played.run).is_clean
    return spent


if __name__ == "__main__":
    main()
