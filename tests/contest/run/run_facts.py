"""A run for unit tests: four files from :data:`START`, one a minute."""

from __future__ import annotations

from contest.cycle.rules.cycle import FINAL, Mode, SetKind
from contest.run.rules.run import Limits, Run
from contest.values import HOUR, MINUTE, Millis

START: Millis = 1_790_000_000_000
RUN = Run(
    run_id="r" * 20,
    mode=Mode.FINAL,
    cycle="toy-1",
    track="toy",
    set_name="final",
    set_kind=SetKind.FINAL,
    manifest="m" * 64,
    language="all",
    parameters_version=1,
    created_at=START - HOUR,
    starts_at=START,
    interval=MINUTE,
    files=4,
    limits=Limits.of(FINAL),
)
