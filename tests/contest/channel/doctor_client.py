"""A client of AI'm Doctor written from the recorded contract to the letter, and the channel it speaks over on a stage.

It is as rude as the published ones: it begins before it has heard anything, sends numbers as text, never says that it
is back, asks for nothing again, and knows nothing but its events, its seven routes and their statuses. It hears what
python-socketio brings to a method of its namespace, and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import urlencode, urlsplit

from socketio import ClientNamespace

from contest import settings
from contest.channel.rules import Told
from contest.values import SECOND, Millis
from tests.fakes_channel import FakePushes, FakeSockets
from tests.stage import Answered, Stage
from tests.stage_services import ORIGIN_SECRET

BASE = "/v1/earlier"
"""Path after the host's name in the download host of the client's configuration."""
HOST = "contest.example.org"


class Channel:
    """The gateway of the event channel and its queue of pushes, in front of a stage's functions."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.sockets, self.pushes = FakeSockets(), FakePushes()
        stage.platform.sockets = self.sockets
        stage.platform.pushes = self.pushes
        self._made = 0

    def event(self, route: str, connection_id: str, body: str = "", query: Mapping[str, str] | None = None) -> int:
        """Send one event of the gateway; return the status of the function's answer."""
        told = {
            "requestContext": {"routeKey": route, "connectionId": connection_id, "requestTimeEpoch": self.stage.now},
            "headers": {settings.ORIGIN_HEADER: ORIGIN_SECRET},
            "queryStringParameters": dict(query or {}),
            "body": body,
        }
        return int(self.stage.invoke("socket", told)["statusCode"])

    def opened(self, token: str) -> str:
        """Open a new connection with a token in its query and return its name."""
        self._made += 1
        name = f"connection-{self._made}"
        self.sockets.open.add(name)
        assert self.event("$connect", name, query={"EIO": "3", "transport": "websocket", "token": token}) == 200
        self.carry()
        return name

    def carry(self) -> None:
        """Deliver the pushes that are due; those that fail come again, as from a queue."""
        again: list[Any] = []
        while due := self.pushes.taken(self.stage.now):
            records = [{"messageId": str(place), "body": json.dumps(asdict(each))} for place, each in enumerate(due)]
            failed = self.stage.invoke("push", {"Records": records})["batchItemFailures"]
            again += [due[int(each["itemIdentifier"])] for each in failed]
        self.pushes.waiting += again

    def go(self, until: Millis) -> None:
        """Let the time pass second by second."""
        while self.stage.now < until:
            self.stage.set_clock(min(until, self.stage.now + SECOND))
            self.carry()


class Heard(ClientNamespace):  # type: ignore[misc]  # the library's classes have no types
    """The events that such a client has methods for; python-socketio finds the method by the event's name."""

    def __init__(self, namespace: str, note: Callable[[str, Any], None]) -> None:
        super().__init__(namespace)
        self.note = note

    def on_session_blank_start(self) -> None:
        self.note("session_blank_start", None)


def _noted(name: str) -> Callable[[Heard, Any], None]:
    return lambda heard, said: heard.note(name, said)


for event in (
    *("connection_auth_error", "session_start_success", "session_start_error", "session_close"),
    *("session_reconnect_success", "session_reconnect_error", "session_send_next_file"),
    *("session_send_file_result_success", "session_send_file_result_error"),
    *("session_get_test_success", "session_get_test_error", "session_client_abort_error"),
):
    setattr(Heard, f"on_{event}", _noted(event))


@dataclass
class Doctor:
    """One client: its token, what it starts, how it answers a task."""

    channel: Channel
    token: str
    start: Mapping[str, Any]
    works: Callable[[Doctor, Mapping[str, Any], str], None] | None = None
    namespace: str = "/baseline"
    heard: list[tuple[str, Any]] = field(default_factory=list)
    connection: str = ""

    def __post_init__(self) -> None:
        self._listens = Heard(self.namespace, self._does)
        self.connects()
        self.emits("session-start", self.start)

    def connects(self) -> None:
        """Connect through the library, which names the namespace of its configuration."""
        self.connection = self.channel.opened(self.token)
        self.channel.event("$default", self.connection, f"40{self.namespace},")
        self.hears()

    def drops(self) -> None:
        """Lose the connection and let the library reconnect by itself, without a word from the client."""
        self.channel.sockets.open.discard(self.connection)
        self.channel.event("$disconnect", self.connection)
        self.connects()

    def emits(self, name: str, payload: Any) -> None:
        """Say something, and do what the answers ask for."""
        self.channel.event("$default", self.connection, f"42{self.namespace},{json.dumps([name, payload])}")
        self.hears()

    def hears(self) -> None:
        """Do what was pushed since the last time, and what is pushed meanwhile."""
        told = self.channel.sockets.told.setdefault(self.connection, [])
        while told:
            said = told.pop(0)
            if isinstance(said, Told):
                self._listens.trigger_event(said.name, *([] if said.payload is None else [said.payload]))

    def _does(self, name: str, task: Any) -> None:
        self.heard.append((name, task))
        if name != "session_send_next_file" or self.works is None:
            return
        xml = self.fetches("", epicrisisId=task["epicrisisId"])
        assert xml.status == 200, xml.text
        assert self.posts("receive-callback", epicrisisId=task["epicrisisId"]).status == 201
        self.works(self, task, xml.text)

    def fetches(self, what: str, **query: Any) -> Answered:
        """GET something under the base address."""
        asked = urlencode({"baselineToken": self.token, **query})
        return self._asks("GET", f"{BASE}{what}?{asked}")

    def follows(self, link: str) -> Answered:
        """Follow a link of an answer by GET, whatever its path."""
        parts = urlsplit(link)
        assert (parts.scheme, parts.netloc) == ("https", HOST)
        return self._asks("GET", f"{parts.path}?{parts.query}")

    def posts(self, what: str, **said: Any) -> Answered:
        """POST to a route; a request that fails is sent once more, as it was."""
        return next(each for each in self._tries(what, said) if each.status < 500)

    def _tries(self, what: str, said: Mapping[str, Any]) -> Iterator[Answered]:
        for _ in range(3):
            yield self._asks("POST", f"{BASE}/{what}", {"token": self.token, **said})

    def _asks(self, method: str, path: str, body: Any = None) -> Answered:
        return self.channel.stage.request(method, path, body, None, {settings.HOST_HEADER: HOST})

    def names(self) -> list[str]:
        """List the names of the events so far."""
        return [name for name, _ in self.heard]

    def tasks(self) -> list[Mapping[str, Any]]:
        """List the tasks so far, each once."""
        found = {said["taskId"]: said for name, said in self.heard if name == "session_send_next_file"}
        return list(found.values())

    @property
    def session_id(self) -> str:
        """Id of the session that was last started, or resumed after a lost connection."""
        begun = [said["sessionId"] for name, said in self.heard if name in BEGUN]
        return str(begun[-1])


BEGUN: Sequence[str] = ("session_start_success", "session_reconnect_success")


def order(stage: str, session_type: str, **more: str) -> Mapping[str, Any]:
    """Return the order with which such a client starts."""
    return {"contest": "doctor", "params": {"stage": stage, "sessionType": session_type, **more}}
