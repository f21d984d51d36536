"""Examples that many tests begin with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from contest.cycle.rules.cycle import FINAL, Mode, Parameters, SetKind
from contest.results.rules.qualification import Admission
from contest.run.rules.run import Limits, Run
from contest.session.rules.session import Order, Session
from contest.values import HOUR, MINUTE

PARAMETERS: Final = Parameters(
    version=1,
    announced_at=0,
    sessions_per_day=20,
    time_limit_s=(10, 60, 60),
    idle_timeout_s=900,
    sends_per_file=10,
    requests_per_second=10,
    readiness_min_files=30,
    readiness_min_share=0.95,
    bootstrap_seed=1,
    track={},
)
"""The regulation's parameters of a cycle."""
RUN_STARTS: Final = 10 * HOUR
RUN: Final = Run(
    run_id="r" * 20,
    mode=Mode.FINAL,
    cycle="toy-1",
    track="toy",
    set_name="final",
    set_kind=SetKind.FINAL,
    manifest="0" * 64,
    language="all",
    parameters_version=1,
    created_at=0,
    starts_at=RUN_STARTS,
    interval=MINUTE,
    files=3,
    limits=Limits.of(FINAL),
)
"""A final of three files, one a minute, with the regulation's limits."""
RUN_OF_FOUR: Final = replace(RUN, files=4)
SESSION: Final = Session(
    session_id="1" * 15,
    team_id="red",
    cycle="toy-1",
    track="toy",
    order=Order("algorithmic", "train", 2, "all", 60, None),
    set_kind=SetKind.TRAINING,
    manifest="0" * 64,
    files=2,
    available=2,
    parameters_version=1,
    opened_at=0,
    quota_day="1970-01-01",
)
"""A team's session outside of runs, of two files of the training set."""
RUN_SESSION: Final = replace(
    SESSION,
    order=Order("final", "final", 3, "all", 50, None),
    set_kind=SetKind.FINAL,
    files=3,
    available=3,
    opened_at=1_000,
    run_id=RUN.run_id,
)
"""A team's session in the final."""


def admit_to_finals(platform: Any, *team_ids: str, cycle: str = "toy-1") -> None:
    """Admit teams to finals, where they are not yet; the log leaves it out."""
    for team_id in team_ids:
        if platform.qualification.admission(cycle, team_id) is None:
            admission = Admission(team_id, True, "tests", "tests", 0, qualified=False)
            platform.qualification.admit(cycle, None, admission, None)
