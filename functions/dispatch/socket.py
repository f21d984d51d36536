"""The event channel of the earlier clients."""

from __future__ import annotations

from typing import Any

from contest.channel import events
from contest.wiring import preload

preload()


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer an event of the WebSocket gateway."""
    return events.serve(event, context)
