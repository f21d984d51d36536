"""Webhooks and their deliveries in the exchange table; the ways out: the internet, this machine, or a folder."""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from hashlib import sha256
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from contest.adapters.storage import ExchangeItem, Versioned, atomic_writes, condition, expiry
from contest.hooks.ports import NotTakenError
from contest.hooks.rules import PORT, SETTLED, Delivery, Hook, Outcome, is_public, may_be_called
from contest.people.rules import Change
from contest.people.store import logged_writes, save_logged
from contest.ports import LostRaceError

_HOOKS: Final = "HOOKS"
_TO_SEND: Final = "HOOKS#TO-SEND"
_WHOLE_S: Final = 5.0
"""Seconds of a request, the lookup of the host's addresses included."""


class HookItem(Versioned, ExchangeItem):
    """A hook, under its owner's place, with the id that tells it from a later one there."""

    hook_id = UnicodeAttribute()


class DeliveryItem(ExchangeItem):
    """A delivery to send as JSON, with the number of attempts that its conditions are about."""

    body = UnicodeAttribute()
    attempts = NumberAttribute()


class DeliveredItem(ExchangeItem):
    """Marker of a delivery that was made, so that it is made once."""

    expires_at = NumberAttribute()


class DynamoHooks:
    """:class:`contest.hooks.ports.Hooks`."""

    def all(self) -> Sequence[Hook]:
        return HookItem.values(Hook, _HOOKS)

    def add(self, hook: Hook, change: Change) -> None:
        save_logged(change, _item(hook), HookItem.pk.does_not_exist())

    def remove(self, hook: Hook, change: Change) -> None:
        same = HookItem.hook_id == hook.hook_id
        with logged_writes(change) as transaction:
            transaction.delete(_item(hook), condition=same)

    def note(self, before: Hook, after: Hook) -> None:
        with condition():
            same = (HookItem.hook_id == before.hook_id) & HookItem.unchanged(before)
            _item(after).save(condition=same)

    def deliver(self, delivery: Delivery) -> None:
        ends = expiry(delivery.created_at, SETTLED)
        mark = DeliveredItem(f"HOOK#{delivery.delivery_id}", "MADE", expires_at=ends)
        with suppress(LostRaceError), atomic_writes() as transaction:
            transaction.save(mark, condition=DeliveredItem.pk.does_not_exist())
            transaction.save(_delivery_item(delivery), condition=DeliveryItem.pk.does_not_exist())

    def waiting(self) -> Sequence[Delivery]:
        return [Delivery(**json.loads(item.body)) for item in DeliveryItem.query(_TO_SEND, consistent_read=True)]

    def claim(self, before: Delivery, after: Delivery) -> None:
        with condition():
            _delivery_item(after).save(condition=DeliveryItem.attempts == before.attempts)

    def done(self, delivery: Delivery) -> None:
        _delivery_item(delivery).delete()


def _item(hook: Hook) -> HookItem:
    return HookItem.of(_HOOKS, f"{hook.owner}#{hook.place}", hook, hook_id=hook.hook_id)


def _delivery_item(delivery: Delivery) -> DeliveryItem:
    body = json.dumps(asdict(delivery), ensure_ascii=False, separators=(",", ":"))
    return DeliveryItem(_TO_SEND, delivery.delivery_id, body=body, attempts=delivery.attempts)


class HttpsPoster:
    """:class:`contest.hooks.ports.Poster` to the public internet: no other address, no redirect, no proxy."""

    to_loopback = False

    def __init__(self, whole_s: float = _WHOLE_S) -> None:
        self._whole_s = whole_s

    def post(self, delivery_id: str, url: str, body: bytes) -> int | None:
        if not may_be_called(url, to_loopback=False):
            raise NotTakenError("no address of a hook", Outcome.NOT_PUBLIC)
        host = urlsplit(url).hostname or ""

        def opened() -> HTTPConnection:
            addresses = {str(info[4][0]) for info in socket.getaddrinfo(host, PORT, type=socket.SOCK_STREAM)}
            if not addresses or not all(map(is_public, addresses)):
                raise NotTakenError("the host has an address that is not public", Outcome.NOT_PUBLIC)
            # A function of AWS reaches IPv4 alone.
            return _Pinned(host, min(addresses, key=lambda address: (":" in address, address)))

        return _posted(self._whole_s, opened, delivery_id, url, body)


class _Pinned(HTTPSConnection):
    """Connection to a host at an address that was looked at: its name is not resolved again, and its certificate must
    be the name's."""

    def __init__(self, host: str, address: str) -> None:
        self._trusted = ssl.create_default_context()
        super().__init__(host, PORT, timeout=_WHOLE_S, context=self._trusted)
        self._address = address

    def connect(self) -> None:
        connected = socket.create_connection((self._address, PORT), _WHOLE_S)
        self.sock = self._trusted.wrap_socket(connected, server_hostname=self.host)


class LoopbackPoster:
    """:class:`contest.hooks.ports.Poster` of the local cloud, where its operator says so: this machine alone."""

    to_loopback = True

    def post(self, delivery_id: str, url: str, body: bytes) -> int | None:
        parts = urlsplit(url)
        if not may_be_called(url, to_loopback=True) or parts.scheme != "http" or parts.port is None:
            raise NotTakenError("no address of this machine", Outcome.NOT_PUBLIC)
        connection = HTTPConnection("127.0.0.1", parts.port, timeout=_WHOLE_S)
        return _posted(_WHOLE_S, lambda: connection, delivery_id, url, body)


class FolderPoster:
    """:class:`contest.hooks.ports.Poster` of the local cloud: a file a delivery, beside the mails."""

    to_loopback = False

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    def post(self, delivery_id: str, url: str, body: bytes) -> int | None:
        content: dict[str, Any] = {"url": url, "delivery": delivery_id, "body": json.loads(body)}
        self._folder.mkdir(parents=True, exist_ok=True)
        digest = sha256(delivery_id.encode()).hexdigest()[:16]
        text = json.dumps(content, ensure_ascii=False, indent=2)
        (self._folder / f"hook-{digest}.json").write_text(text, "utf-8")
        return None


def _posted(seconds: float, opened: Callable[[], HTTPConnection], delivery_id: str, url: str, body: bytes) -> int:
    """Send a request within so many seconds and return the answer's status; :class:`NotTakenError` where it fails or
    takes longer.

    Of the answer no more than status and headers are read, which the library bounds. A host that answers byte by byte
    is cut off. A name that is resolved when nobody waits any more is not connected to, and nothing is sent there.
    """
    parts = urlsplit(url)
    path = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    headers = {"Content-Type": "application/json", "User-Agent": "Hurdle-Webhook", "Hurdle-Delivery": delivery_id}
    outcomes, connections = list[int | Exception](), list[HTTPConnection]()

    is_over = threading.Event()

    def request() -> None:
        try:
            connections.append(opened())
            if is_over.is_set():
                return
            connections[0].connect()
            connections[0].auto_open = 0  # closed from outside, it stays closed
            if is_over.is_set():
                connections[0].close()
                return
            connections[0].request("POST", path, body, {**headers, "Connection": "close"})
            outcomes.append(connections[0].getresponse().status)
        except (OSError, HTTPException, ValueError, NotTakenError) as error:
            outcomes.append(error)

    thread = threading.Thread(target=request, daemon=True)
    thread.start()
    thread.join(seconds)
    is_over.set()
    outcome = outcomes[0] if outcomes else TimeoutError("no answer in time")
    for connection in connections:
        with suppress(OSError, AttributeError):  # it is closed, or was never opened
            connection.sock.shutdown(socket.SHUT_RDWR)
        connection.close()
    if isinstance(outcome, NotTakenError):
        raise outcome
    if isinstance(outcome, Exception):
        is_late = isinstance(outcome, TimeoutError)
        raise NotTakenError(str(outcome), Outcome.NO_ANSWER if is_late else Outcome.UNREACHABLE) from outcome
    if not 200 <= outcome < 300:
        raise NotTakenError(f"HTTP {outcome}", Outcome.REFUSED, outcome)
    return outcome
