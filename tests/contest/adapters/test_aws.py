"""The clients of AWS: what they have in common is read once, and every request says who asks in the same words."""

from __future__ import annotations

from collections import Counter
from typing import Any

import botocore.loaders
import pytest
from botocore.awsrequest import AWSResponse

from contest.adapters import aws
from contest.channel import store as channel_store

ENDPOINT = "https://socket.invalid/live"


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start each test without any client of the process."""
    for name, value in (("ACCESS_KEY_ID", "a"), ("SECRET_ACCESS_KEY", "b"), ("DEFAULT_REGION", "eu-central-1")):
        monkeypatch.setenv(f"AWS_{name}", value)
    session = aws.session.__wrapped__()
    monkeypatch.setattr(aws, "session", lambda: session)
    monkeypatch.setattr(aws, "client", aws.client.__wrapped__)
    monkeypatch.setattr(channel_store, "client", channel_store.client.__wrapped__)


def test_no_file_of_the_sdk_is_read_twice_by_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    read: Counter[str] = Counter()
    load = botocore.loaders.JSONFileLoader.load_file

    def counted(self: Any, path: str) -> Any:
        found = load(self, path)
        read[path] += found is not None
        return found

    monkeypatch.setattr(botocore.loaders.JSONFileLoader, "load_file", counted)
    for service in ("dynamodb", "s3", "sqs", "secretsmanager"):
        aws.client(service)
    channel_store.client(ENDPOINT)
    assert any("endpoints" in path for path in read)
    assert any("dynamodb" in path for path in read)
    assert {path: times for path, times in read.items() if times > 1} == {}


@pytest.mark.parametrize("service", ["dynamodb", "sqs", "sockets"])
def test_every_request_says_the_same_of_who_asks(service: str) -> None:
    client = channel_store.client(ENDPOINT) if service == "sockets" else aws.client(service)
    asked: list[str] = []

    def answered(request: Any, **_: Any) -> AWSResponse:
        asked.append(request.headers["User-Agent"].decode())
        return AWSResponse(request.url, 200, {}, Body())

    client.meta.events.register_first("before-send", answered)
    for _ in range(2):
        if service == "sockets":
            client.post_to_connection(ConnectionId="a", Data=b"")
        else:
            client.list_tables() if service == "dynamodb" else client.list_queues()
    first, second = asked
    assert first == second
    assert first.partition(" ")[0] == "hurdle"  # Powertools, where it is loaded, adds itself
    assert "ua/" not in first  # the SDK's own


class Body:
    """An empty JSON answer as it comes over the wire."""

    def stream(self, **_: Any) -> list[bytes]:
        return [b"{}"]

    def read(self) -> bytes:
        return b"{}"
