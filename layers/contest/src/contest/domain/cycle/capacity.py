"""What a deployment can take, as it was deployed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Capacity:
    """``requests_per_second``: the gateway's limit over all teams. ``armed``: whether functions are kept running for a
    run; ``kept``: how many executions of each, then."""

    requests_per_second: int
    armed: bool
    kept: Mapping[str, int]
