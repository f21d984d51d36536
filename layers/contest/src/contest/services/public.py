"""What everybody may know: the cycle, and the runs with what was promised about them."""

from __future__ import annotations

from typing import Any

from contest.domain.cycle import Cycle, Mode, Parameters
from contest.domain.run import BELIEVED, Run
from contest.services import knowledge
from contest.services import runs as planning
from contest.services.platform import Platform


def current(platform: Platform) -> tuple[Cycle, Parameters]:
    """The cycle and the parameters that hold now."""
    cycle = knowledge.recent_cycle(platform)
    return cycle, knowledge.parameters(platform, cycle.parameters_version)


def runs(platform: Platform, mode: str | None, limit: int) -> tuple[tuple[Run, ...], list[dict[str, Any]]]:
    """Runs of a mode or of all, the latest start first, each with its signed commitment."""
    key = ("runs", mode, limit, platform.clock.now() // BELIEVED)
    found = platform.memory.keep(key, lambda: planning.listed(platform, Mode(mode) if mode else None, limit))
    return found, [planning.commitment_of(platform, each.run_id) for each in found]


def run(platform: Platform, run_id: str) -> tuple[Run, dict[str, Any]]:
    """One run with its signed commitment."""
    known = knowledge.run(platform, run_id)
    return known, planning.commitment_of(platform, run_id)
