"""The event channel of the earlier clients."""

from __future__ import annotations

from typing import Any

from contest.bootstrap import preload, socket

preload()


def handler(event: dict[str, Any], _context: Any) -> dict[str, Any]:
    """Answer an event of the WebSocket gateway."""
    return socket.serve(event)
