"""Pushes over the event channel, each at its second."""

from __future__ import annotations

from typing import Any

from contest.channel import events
from contest.wiring import preload

preload()


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Send the pushes of the queue's messages."""
    return events.push(event, context)
