"""API Gateway's WebSocket API as data: who takes which frames, and the events of connections.

Nothing here does input or output; `sockets` serves it. Facts kept from the service: a connection is known by an id
that is no path segment as it stands; frames carry a message id and the time at which they came; what connects brings
headers and the query, later events bring neither; the query's values are decoded and the last of several counts.
"""

from __future__ import annotations

import base64
import re
import secrets
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qsl

from local.clock import utc

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from local.gateways.limits import Limit

CONNECT, DEFAULT, DISCONNECT = "$connect", "$default", "$disconnect"
_KINDS = {CONNECT: "CONNECT", DEFAULT: "MESSAGE", DISCONNECT: "DISCONNECT"}
# What the service says when a connection ended without a word.
_REASONS = {1005: "Client-side close frame status not set", 1006: "Connection closed abnormally"}
_ID_BYTES = 11


@dataclass(frozen=True)
class Channel:
    """A WebSocket API: its id, host and stage, the function of each route, the front's path patterns for it, the
    headers that the front says to it, and how many connections and frames a second it takes."""

    name: str
    host: str
    stage: str
    functions: Mapping[str, str]
    paths: tuple[str, ...]
    said: tuple[tuple[str, str], ...] = ()
    limit: Limit | None = None

    def takes(self, path: str) -> bool:
        """Return whether the front sends a path here; `*` stands for any characters, `?` for one, as in CloudFront."""
        return goes_to(self.paths, path)


def goes_to(patterns: Sequence[str], path: str) -> bool:
    """Return whether one of CloudFront's path patterns takes a path."""
    return any(_expression(pattern).fullmatch(path) for pattern in patterns)


@cache
def _expression(pattern: str) -> re.Pattern[str]:
    return re.compile("".join({"*": ".*", "?": "."}.get(character) or re.escape(character) for character in pattern))


class Opening(NamedTuple):
    """The request that opens a connection; headers in order with names in lower case."""

    connection_id: str
    connected_ms: int
    query: str
    headers: tuple[tuple[str, str], ...]
    source_ip: str

    def user_agent(self) -> str | None:
        """Return what the client calls itself."""
        return next((value for name, value in self.headers if name == "user-agent"), None)


def fresh_id() -> str:
    """Return an id of a connection or message; it ends with `=` as the service's ids do."""
    return base64.urlsafe_b64encode(secrets.token_bytes(_ID_BYTES)).decode()


def connect_event(channel: Channel, opening: Opening) -> dict[str, Any]:
    """Return the event of a connection that asks to be opened."""
    event = {**_headers(channel, opening), **_event(channel, CONNECT, opening, opening.connected_ms)}
    query = _several(parse_qsl(opening.query, keep_blank_values=True))
    if query:
        event["queryStringParameters"] = {name: values[-1] for name, values in query.items()}
        event["multiValueQueryStringParameters"] = query
    return event


def message_event(channel: Channel, opening: Opening, received_ms: int, content: str | bytes) -> dict[str, Any]:
    """Return the event of a frame; bytes travel as base64."""
    event = _event(channel, DEFAULT, opening, received_ms)
    event["requestContext"]["messageId"] = fresh_id()
    if isinstance(content, str):
        return event | {"body": content}
    return event | {"body": base64.b64encode(content).decode(), "isBase64Encoded": True}


def disconnect_event(channel: Channel, opening: Opening, ended_ms: int, code: int, reason: str) -> dict[str, Any]:
    """Return the event of a connection's end; `code` and `reason` are the close frame's."""
    event = _event(channel, DISCONNECT, opening, ended_ms)
    event["requestContext"] |= {"disconnectStatusCode": code, "disconnectReason": reason or _REASONS.get(code, "")}
    names = {"Host": channel.host, "x-api-key": "", "X-Forwarded-For": "", "x-restapi": ""}
    return {"headers": names, "multiValueHeaders": {name: [value] for name, value in names.items()}, **event}


def _event(channel: Channel, route: str, opening: Opening, moment_ms: int) -> dict[str, Any]:
    agent = opening.user_agent()
    request_id = fresh_id()
    return {
        "requestContext": {
            "routeKey": route,
            "eventType": _KINDS[route],
            "messageDirection": "IN",
            "apiId": channel.name,
            "domainName": channel.host,
            "stage": channel.stage,
            "connectionId": opening.connection_id,
            "connectedAt": opening.connected_ms,
            "requestId": request_id,
            "extendedRequestId": request_id,
            "requestTime": utc(moment_ms).strftime("%d/%b/%Y:%H:%M:%S +0000"),
            "requestTimeEpoch": moment_ms,
            "identity": {"sourceIp": opening.source_ip, **({"userAgent": agent} if agent else {})},
        },
        "isBase64Encoded": False,
    }


def _headers(channel: Channel, opening: Opening) -> dict[str, Any]:
    sent = [(_canonical(name), value) for name, value in opening.headers if name != "host"]
    added = [("Host", channel.host), ("X-Forwarded-For", opening.source_ip), ("X-Forwarded-Proto", "https")]
    headers = _several([*sent, *added])
    return {"headers": {name: values[-1] for name, values in headers.items()}, "multiValueHeaders": headers}


def _canonical(name: str) -> str:
    """The service's way of writing names; handlers must not depend on it."""
    return "-".join(part.capitalize() for part in name.split("-")).replace("-Websocket-", "-WebSocket-")


def _several(pairs: list[tuple[str, str]]) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    return values
