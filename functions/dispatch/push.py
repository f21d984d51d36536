"""What is pushed over the event channel, at its second."""

from __future__ import annotations

from typing import Any

from contest.edge import socket
from contest.preloading import preload

preload()


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Do what messages of the push queue ask for."""
    return socket.push(event, context)
