"""The worker of the dead-letter queues: it keeps their messages for people to look at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from contest import settings
from contest.edge.logs import consume_whole
from contest.operations import letters
from contest.operations.presenting import arrived_from
from contest.wiring import platform


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Store every message as a letter; a message that cannot be stored stays in its queue."""
    return consume_whole(event["Records"], _collect, context)


def _collect(record: Mapping[str, Any]) -> None:
    deployed = platform()
    queues = settings.queues_by_name(deployed.settings.dead_letter_queues)
    arrived = arrived_from(record, queues, deployed.clock.now())
    letters.collect(deployed, arrived)
