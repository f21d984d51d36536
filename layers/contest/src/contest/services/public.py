"""What everybody may know of the cycle."""

from __future__ import annotations

from contest.domain.cycle import Cycle, Parameters
from contest.services import knowledge
from contest.services.platform import Platform


def current(platform: Platform) -> tuple[Cycle, Parameters]:
    """The cycle and the parameters that hold now."""
    cycle = knowledge.recent_cycle(platform)
    return cycle, knowledge.parameters(platform, cycle.parameters_version)
