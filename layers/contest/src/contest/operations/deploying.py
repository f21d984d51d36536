"""Guards of a deployment: runs under which nothing may change, and locked copies of the tables.

A deployment asks for open runs first. The copies are weekly exports that DynamoDB makes and S3 replicates where nobody
can delete them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from contest import reading
from contest.cycle.rules.cycle import Mode
from contest.people.rules import Change
from contest.platform import Platform
from contest.run import under_way
from contest.run.rules.schedule import RunState
from contest.stored_names import EXPORTED, EXPORTS, Figure
from contest.values import DAY, HOUR, Millis
from markup_core.lazy import dataclass

AHEAD: Final[Millis] = HOUR
"""A run that starts within this time is open already: a deployment takes its time, and so does a look at its result."""
DEED: Final = "deployed under a run"


@dataclass(frozen=True, slots=True)
class OpenRun:
    """A run that a deployment would meet; a technical run of a slot to come has its name, but is not planned yet."""

    run_id: str
    mode: Mode
    state: RunState
    starts_at: Millis
    ends_at: Millis | None


# Clause: platform §2 deployment
def open_runs(platform: Platform) -> tuple[OpenRun, ...]:
    """List the runs that are open now or start within :data:`AHEAD`, the earliest first."""
    now = platform.clock.now()
    return tuple(sorted(_open(platform, now), key=lambda open_run: (open_run.starts_at, open_run.run_id)))


def _open(platform: Platform, now: Millis) -> Iterator[OpenRun]:
    for run_id in platform.runs.active_ids():
        schedule = reading.schedule_now(platform, run_id)
        state = schedule.state_at(now)
        soon = state is RunState.PLANNED and schedule.opens_at(1) - now <= AHEAD
        if soon or state in {RunState.RUNNING, RunState.PAUSED}:
            run, starts_at = schedule.run, schedule.opens_at(1)
            yield OpenRun(run_id, run.mode, schedule.state_at(now), starts_at, schedule.ends_at)
    coming = under_way.coming_technical(platform)
    if coming is not None and coming.starts_at - now <= AHEAD:
        yield OpenRun(coming.run_id, Mode.TECHNICAL, RunState.PLANNED, coming.starts_at, None)


# Clause: platform §1 audit, platform §2 deployment
def note(platform: Platform, who: str, reason: str, runs: Sequence[OpenRun]) -> None:
    """Write to the audit log that somebody deploys in spite of open runs, and why."""
    after = {"reason": reason, "runs": [open_run.run_id for open_run in runs]}
    platform.upkeep.note_mending(Change(platform.clock.now(), who, DEED, "platform", None, after))


_COMPLETE: Final = re.compile(rf"{EXPORTS}(\w+)/AWSDynamoDB/(\d{{13,14}})-\w+/manifest-summary\.json")
"""Name of the file that an export writes at its end; its folder begins with the time of its beginning, in milliseconds
(Amazon DynamoDB developer guide, "DynamoDB table export output format")."""


def note_copies(platform: Platform) -> None:
    """Count the tables without a complete export of the last day among the locked copies; nothing without copies."""
    if platform.copies is None:
        return
    exports = map(_COMPLETE.fullmatch, platform.copies.names(EXPORTS))
    since = platform.clock.now() - DAY
    copied = {export[1] for export in exports if export and int(export[2]) >= since}
    platform.figures.note({Figure.TABLES_UNCOPIED: len(EXPORTED - copied)})
