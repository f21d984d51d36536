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

_SERVICES: Final = ("dynamodb", "s3", "sqs", "secretsmanager")
_IDENTITY: Final = f'"TableName": "{next(name for name in TABLES.values() if name == "identity")}"'
_SORT_KEYS: Final = re.compile(r'"sk": \{"S": "([A-Z]+)')


class Calls:
    """Requests by name, ``PutItem ASKED``. The authorizer's are apart: the gateway asks it once a minute."""

    def __init__(self) -> None:
        self.made: Counter[str] = Counter()
        self.authorizer: Counter[str] = Counter()

    @property
    def count(self) -> int:
        """How many, the authorizer's aside."""
        return self.made.total()

    def note(self, params: dict[str, Any], model: Any, **_: Any) -> None:
        body = params["body"]
        text = body.decode("utf-8", "replace") if isinstance(body, bytes) else ""
        items = dict.fromkeys(_SORT_KEYS.findall(text)) or _range(text) or _object(params.get("url_path", ""))
        target = self.authorizer if _IDENTITY in text else self.made
        target[f"{model.name} {'+'.join(items)}".strip()] += 1

    def __str__(self) -> str:
        return ", ".join(f"{name} ×{count}" if count > 1 else name for name, count in sorted(self.made.items()))


def _range(text: str) -> list[str]:
    """What a query's sort key is compared with."""
    if '"KeyConditionExpression"' not in text:
        return []
    values = json.loads(text)["ExpressionAttributeValues"].values()
    return sorted({found.group() for each in values if (found := re.match("[A-Z]+", each["S"]))})


def _object(path: str) -> list[str]:
    """The folder of an object."""
    found = re.match(r"/(\w+)/(?:[\w-]+/(items|manifests|references)/)?", path)
    return ["/".join(filter(None, found.groups()))] if found else []


@contextmanager
def counted() -> Iterator[Calls]:
    """Everything that is asked of the cloud inside."""
    calls = Calls()
    for each in _SERVICES:
        aws.client(each).meta.events.register("before-call", calls.note, unique_id="counted")
    try:
        yield calls
    finally:
        for each in _SERVICES:
            aws.client(each).meta.events.unregister("before-call", calls.note, unique_id="counted")
