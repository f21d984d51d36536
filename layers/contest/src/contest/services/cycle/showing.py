"""What organizers are shown of the cycle."""

from __future__ import annotations

from typing import Any

from contest.domain.moments import iso
from contest.domain.results.session_report import described_parameters
from contest.services import reading
from contest.services.platform import Platform


def shown(platform: Platform) -> dict[str, Any]:
    """The loaded cycle as a JSON value; :class:`contest.errors.NoCycleError` before one is."""
    found = reading.cycle_now(platform)
    return {
        "cycle": found.name,
        "name": dict(found.title),
        "track": found.track,
        "time_zone": found.time_zone,
        "loaded_at": iso(found.loaded_at),
        "sets": {each.name: {"kind": each.kind.value, "files": dict(each.sizes)} for each in found.sets},
        "parameters": described_parameters(platform.catalogue.parameters(found.parameters_version)),
    }
