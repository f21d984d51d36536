"""The event channel of the earlier clients."""

from __future__ import annotations

from typing import Any

from contest.edge import socket
from contest.preloading import preload

preload()


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer an event of the WebSocket gateway."""
    return socket.serve(event, context)
