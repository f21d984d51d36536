"""Messages of an event-channel client, and helpers with which tests read the answers."""

from __future__ import annotations

import json
from typing import Any

from tests.fakes_channel import SocketClient

ANSWER = json.dumps({"letters": "abcd"})


def start(client: SocketClient, **params: Any) -> list[Any]:
    """Begin a session of the training set; the events that come of it."""
    return client.says("session-start", {"type": "algorithmic", "params": {"dsType": "train", **params}})


def names(events: list[Any]) -> list[str]:
    """List the events' names, in their order."""
    return [each.name for each in events]


def frame(client: SocketClient, body: str, **more: Any) -> dict[str, Any]:
    """Return the gateway's event of a frame."""
    context = {"routeKey": "$default", "connectionId": client.connection_id, "requestId": "r"}
    return {"requestContext": {**context, "requestTimeEpoch": client.platform.clock.now()}, "body": body, **more}


def breaks(*_: Any) -> Any:
    """Raise an error at any call."""
    raise RuntimeError("the table is on fire, and a secret with it")
