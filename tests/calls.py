"""Counting what a handler asks of the cloud: every request of the SDK, by its operation and what it is about."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from contest.adapters import aws
from tests.stage_services import TABLES

_IDENTITY: Final = f'"TableName": "{next(name for name in TABLES.values() if name == "identity")}"'
_SORT_KEYS: Final = re.compile(r'"sk": \{"S": "([A-Z]+)')


class Calls:
    """Requests by name, ``PutItem ASKED``. The authorizer's are apart: the gateway asks it once a minute."""

    def __init__(self) -> None:
        self.made: Counter[str] = Counter()
        self.authorizer: Counter[str] = Counter()

    @property
    def count(self) -> int:
        """Number of requests, without the authorizer's."""
        return self.made.total()

    def note_of_table(self, params: dict[str, Any], model: Any, **_: Any) -> None:
        """Note an operation on items by its parameters: no request is built for it (see `short_ways`)."""
        self._note(model.name, json.dumps(params, default=repr), "")

    def note(self, params: dict[str, Any], model: Any, **_: Any) -> None:
        """Note a request to another service."""
        body = params["body"]
        text = body.decode("utf-8", "replace") if isinstance(body, bytes) else ""
        self._note(model.name, text, params.get("url_path", ""))

    def _note(self, name: str, text: str, path: str) -> None:
        items = dict.fromkeys(_SORT_KEYS.findall(text)) or _range(text) or _object(path)
        target = self.authorizer if _IDENTITY in text else self.made
        target[f"{name} {'+'.join(items)}".strip()] += 1

    def __str__(self) -> str:
        return ", ".join(f"{name} ×{count}" if count > 1 else name for name, count in sorted(self.made.items()))


def _range(text: str) -> list[str]:
    """List the conditions of a query on the sort key."""
    if '"KeyConditionExpression"' not in text:
        return []
    values = json.loads(text)["ExpressionAttributeValues"].values()
    return sorted({prefix.group() for attribute in values if (prefix := re.match("[A-Z]+", attribute.get("S", "")))})


def _object(path: str) -> list[str]:
    """List the folder of an object."""
    match = re.match(r"/(\w+)/(?:[\w-]+/(items|manifests|references)/)?", path)
    return ["/".join(filter(None, match.groups()))] if match else []


@contextmanager
def counted() -> Iterator[Calls]:
    """Yield the requests to the cloud that are made inside."""
    calls = Calls()
    heard = [("dynamodb", "provide-client-params", calls.note_of_table)]
    heard += [(service, "before-call", calls.note) for service in ("s3", "sqs", "secretsmanager")]
    for service, event, note in heard:
        aws.client(service).meta.events.register(event, note, unique_id="counted")
    try:
        yield calls
    finally:
        for service, event, note in heard:
            aws.client(service).meta.events.unregister(event, note, unique_id="counted")
