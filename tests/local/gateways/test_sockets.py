"""WebSocket connections: events as API Gateway's WebSocket APIs have them, its limits, and the calls that write."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from local.clock import Clock
from local.gateways.sockets import Channel
from tests.local.local_toys import NOON_MS, seen, send, toy_cloud

if TYPE_CHECKING:
    from local.cloud import LocalCloud

pytestmark = pytest.mark.integration

PATIENCE_S = 10


@pytest.fixture(scope="module")
def cloud() -> Iterator[LocalCloud]:
    with toy_cloud(workers_of={"ToySocket": 2}) as running:
        yield running


@contextmanager
def client(cloud: LocalCloud, query: str = "", **options: Any) -> Iterator[ClientConnection]:
    address = cloud.url.replace("http:", "ws:") + "/talk/" + (f"?{query}" if query else "")
    with connect(address, compression=None, open_timeout=PATIENCE_S, ping_interval=None, **options) as connection:
        yield connection


def received(connection: ClientConnection) -> Any:
    return json.loads(connection.recv(timeout=PATIENCE_S))


def echo(connection: ClientConnection, text: str = "") -> Any:
    connection.send(f"echo {text}")
    return received(connection)


def connection_id(connection: ClientConnection) -> str:
    return str(echo(connection)["requestContext"]["connectionId"])


def events(cloud: LocalCloud, connection: str) -> list[Any]:
    return [note["event"] for note in seen(cloud, "socket")[connection]]


def closing(connection: ClientConnection) -> tuple[int, str]:
    """Return the close frame that the other side sends."""
    with pytest.raises(ConnectionClosed) as caught:
        connection.recv(timeout=PATIENCE_S)
    assert caught.value.rcvd is not None
    return caught.value.rcvd.code, caught.value.rcvd.reason


def manage(cloud: LocalCloud, method: str, connection: str, data: bytes = b"") -> httpx.Response:
    place = cloud.environment("ToySocket")["SOCKETS"]
    return httpx.request(method, f"{place}/@connections/{quote(connection)}", content=data)


def test_what_connects_brings_its_query_and_headers(cloud: LocalCloud) -> None:
    with client(cloud, "token=a%2Bb&EIO=3&EIO=4", user_agent_header="toy/1") as connection:
        name = connection_id(connection)
    event = events(cloud, name)[0]
    context = event["requestContext"]
    assert (context["routeKey"], context["eventType"], context["messageDirection"]) == ("$connect", "CONNECT", "IN")
    assert event["queryStringParameters"] == {"token": "a+b", "EIO": "4"}
    assert event["multiValueQueryStringParameters"] == {"token": ["a+b"], "EIO": ["3", "4"]}
    assert event["headers"]["User-Agent"] == "toy/1"
    assert event["headers"]["Sec-WebSocket-Version"] == "13"
    assert event["headers"]["X-Forwarded-For"] == "127.0.0.1, 192.0.2.1"
    assert event["headers"]["Host"] == context["domainName"]
    assert event["isBase64Encoded"] is False
    assert context["connectedAt"] == context["requestTimeEpoch"] == cloud.clock.now_ms()
    assert context["requestTime"].startswith("21/Nov/2026:12:")
    assert context["stage"] == "live"
    assert context["identity"] == {"sourceIp": "127.0.0.1", "userAgent": "toy/1"}
    assert name.endswith("=")
    assert "messageId" not in context


def test_a_frame_brings_its_time_and_ids_but_no_headers(cloud: LocalCloud) -> None:
    with client(cloud) as connection:
        first, second = echo(connection, "я"), echo(connection)
        connected = events(cloud, first["requestContext"]["connectionId"])[0]["requestContext"]
    context = first["requestContext"]
    assert first["body"] == "echo я"
    assert (context["routeKey"], context["eventType"]) == ("$default", "MESSAGE")
    assert context["requestTimeEpoch"] == cloud.clock.now_ms()
    assert context["connectedAt"] == connected["connectedAt"]
    assert context["messageId"] != second["requestContext"]["messageId"]
    assert context["requestId"] != second["requestContext"]["requestId"]
    assert "headers" not in first
    assert "queryStringParameters" not in first


def test_a_connections_end_is_told_with_its_code_and_reason(cloud: LocalCloud) -> None:
    with client(cloud) as connection:
        name = connection_id(connection)
        connection.close(4001, "tired")
    cloud_has_heard(cloud, name)
    context = events(cloud, name)[-1]["requestContext"]
    assert (context["routeKey"], context["eventType"]) == ("$disconnect", "DISCONNECT")
    assert (context["disconnectStatusCode"], context["disconnectReason"]) == (4001, "tired")


def cloud_has_heard(cloud: LocalCloud, name: str) -> None:
    """Wait until the function has been told of a connection's end; each look is a request."""
    for _ in range(2000):
        if events(cloud, name)[-1]["requestContext"]["routeKey"] == "$disconnect":
            return
    raise AssertionError(f"{name} did not end")


def test_a_client_that_vanishes_is_a_connection_that_closed_abnormally(cloud: LocalCloud) -> None:
    with client(cloud, close_timeout=0) as connection:
        name = connection_id(connection)
        connection.socket.shutdown(2)
        cloud_has_heard(cloud, name)
    context = events(cloud, name)[-1]["requestContext"]
    assert context["disconnectStatusCode"] in {1005, 1006}
    assert context["disconnectReason"]


def test_a_client_that_vanishes_while_it_connects_has_ended_too(cloud: LocalCloud) -> None:
    host, port = cloud.url.removeprefix("http://").split(":")
    handshake = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    handshake += "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
    with socket.create_connection((host, int(port))) as raw:
        raw.sendall(f"GET /talk/?sleep=0.2&impatient=1 HTTP/1.1\r\nHost: x\r\n{handshake}\r\n".encode())
    for _ in range(2000):
        all_events = [[note["event"] for note in notes] for notes in seen(cloud, "socket").values()]
        own = [
            connection_events
            for connection_events in all_events
            if "impatient" in connection_events[0].get("queryStringParameters", {})
        ]
        if own and len(own[0]) > 1:
            break
    assert [event["requestContext"]["routeKey"] for event in own[0]] == ["$connect", "$disconnect"]


@pytest.mark.parametrize(
    ("query", "status"), [("status=401", 401), ("status=403", 403), ("raise=1", 502), ("nonsense=1", 502)]
)
def test_a_refused_connection_gets_the_functions_status(cloud: LocalCloud, query: str, status: int) -> None:
    with pytest.raises(InvalidStatus) as caught, client(cloud, query):
        pass
    assert caught.value.response.status_code == status
    assert "message" in json.loads(caught.value.response.body or b"")


def test_the_functions_subprotocol_is_the_clients(cloud: LocalCloud) -> None:
    with client(cloud, "protocol=toy", subprotocols=["other", "toy"]) as connection:
        assert connection.subprotocol == "toy"


def test_nothing_can_be_posted_before_the_connection_is_open(cloud: LocalCloud) -> None:
    with client(cloud, "hasty=first"):
        assert seen(cloud, "hasty")["first"] == [{"gone": True}]


def test_nothing_can_be_posted_after_the_connection_has_ended(cloud: LocalCloud) -> None:
    with client(cloud) as gone, client(cloud) as connection:
        name = connection_id(gone)
        gone.close()
        cloud_has_heard(cloud, name)
        connection.send(f"gone {name}")
        assert connection.recv(timeout=PATIENCE_S) == "True"


def test_a_frame_that_waits_for_another_has_the_time_at_which_it_came(cloud: LocalCloud) -> None:
    with client(cloud) as connection:
        came = cloud.clock.now_ms()
        connection.send("sleep 0.5 slow")
        connection.send("echo behind")
        assert connection.ping().wait(PATIENCE_S)  # both have been read
        cloud.clock.jump(1)
        assert connection.recv(timeout=PATIENCE_S) == "slow"
        assert received(connection)["requestContext"]["requestTimeEpoch"] == came


def test_frames_are_worked_on_in_their_order(cloud: LocalCloud) -> None:
    with client(cloud) as connection:
        connection.send("sleep 0.2 first")
        for number in range(5):
            connection.send(f"sleep 0 {number}")
        assert [connection.recv(timeout=PATIENCE_S) for _ in range(6)] == ["first", "0", "1", "2", "3", "4"]
        connection.send("twice x")
        assert [connection.recv(timeout=PATIENCE_S) for _ in range(2)] == ["x1", "x2"]


def test_a_failed_frame_is_told_to_the_client_and_the_connection_lives(cloud: LocalCloud) -> None:
    with client(cloud) as connection:
        name = connection_id(connection)
        connection.send("raise")
        answer = received(connection)
        assert (answer["message"], answer["connectionId"]) == ("Internal server error", name)
        assert echo(connection)["body"] == "echo "


def test_binary_frames_travel_as_base64(cloud: LocalCloud) -> None:
    with client(cloud) as connection:
        name = connection_id(connection)
        connection.send(b"\xff\x00")
        echo(connection)
    event = events(cloud, name)[2]
    assert (event["body"], event["isBase64Encoded"]) == ("/wA=", True)


def test_a_frame_of_32_kb_passes_and_a_larger_one_ends_the_connection(cloud: LocalCloud) -> None:
    with client(cloud) as connection:
        assert len(echo(connection, "x" * (32 * 1024 - len("echo ")))["body"]) == 32 * 1024
        connection.send("x" * (32 * 1024 + 1))
        assert closing(connection)[0] == 1009


def test_a_message_of_frames_has_at_most_128_kb(cloud: LocalCloud) -> None:
    frame = "x" * (32 * 1024)
    with client(cloud) as connection:
        name = connection_id(connection)
        connection.send([frame] * 4)
        echo(connection)
        assert len(events(cloud, name)[2]["body"]) == 128 * 1024
        with suppress(ConnectionClosed):  # the end may come before the last, empty frame is sent
            connection.send([*[frame] * 4, "x"])
        assert closing(connection)[0] == 1009
        cloud_has_heard(cloud, name)
        assert events(cloud, name)[-1]["requestContext"]["disconnectStatusCode"] == 1009


def test_ten_silent_minutes_end_a_connection_and_a_frame_keeps_it(cloud: LocalCloud) -> None:
    with client(cloud) as silent, client(cloud) as busy:
        name, other = connection_id(silent), connection_id(busy)
        cloud.clock.advance(599)
        echo(busy)
        cloud.clock.advance(1)
        assert closing(silent) == (1001, "Going away")
        assert events(cloud, name)[-1]["requestContext"]["disconnectStatusCode"] == 1001
        assert echo(busy)["requestContext"]["connectionId"] == other
        manage(cloud, "POST", other, b"posted")
        assert busy.recv(timeout=PATIENCE_S) == "posted"
        cloud.clock.advance(599)
        manage(cloud, "POST", other, b"what is written counts too")
        cloud.clock.advance(599)
        assert busy.recv(timeout=PATIENCE_S) == "what is written counts too"
        cloud.clock.advance(1)
        assert closing(busy)[0] == 1001


def test_no_connection_lives_longer_than_two_hours(cloud: LocalCloud) -> None:
    with client(cloud) as connection:
        for _ in range(2 * 60 * 60 // 599):
            cloud.clock.jump(599)
            echo(connection)
        cloud.clock.jump(7200 % 599)
        assert closing(connection)[0] == 1001


def test_a_running_clock_ends_silent_connections_by_itself() -> None:
    clock = Clock(NOON_MS)
    with toy_cloud(clock=clock) as cloud, client(cloud) as connection:
        connection_id(connection)
        clock.hold(NOON_MS + 599_990)
        clock.release()
        assert closing(connection)[0] == 1001


def test_a_function_can_close_a_connection(cloud: LocalCloud) -> None:
    with client(cloud) as connection:
        connection.send("bye")
        assert closing(connection)[0] == 1000


def test_calls_about_nobody_are_gone_and_other_calls_not_allowed(cloud: LocalCloud) -> None:
    for method in ("POST", "DELETE"):
        answer = manage(cloud, method, "AAAAAAAAAAAAAAA=")
        assert (answer.status_code, answer.headers["x-amzn-errortype"]) == (410, "GoneException")
    with client(cloud) as connection:
        name = connection_id(connection)
        assert manage(cloud, "PUT", name).status_code == 405
        assert httpx.get(f"{cloud.url}/_local/elsewhere/live/@connections/{quote(name)}").status_code == 410
        assert manage(cloud, "POST", name, b"x" * (128 * 1024 + 1)).status_code == 413
        assert manage(cloud, "POST", name, b"\xff").status_code == 200
        assert connection.recv(timeout=PATIENCE_S) == b"\xff"


def test_a_message_from_the_queue_reaches_the_client_at_its_second(cloud: LocalCloud) -> None:
    with client(cloud) as connection:
        name = connection_id(connection)
        queue = cloud.resource("WorkQueue")
        body = json.dumps({"key": "pushed", "post": name})
        cloud.client("sqs").send_message(QueueUrl=queue, MessageBody=body, DelaySeconds=7)
        start = cloud.clock.now_ms()
        cloud.clock.advance(60)
        assert connection.recv(timeout=0) == "pushed"
        assert seen(cloud, "message")["pushed"] == [{"received": 1, "held": start + 7_000}]


def test_a_push_without_delay_comes_as_soon_as_it_is_carried(cloud: LocalCloud) -> None:
    with client(cloud) as connection:
        send(cloud, key="at once", post=connection_id(connection))
        cloud.drain()
        assert connection.recv(timeout=0) == "at once"


def test_what_was_said_is_dealt_with_when_everything_is_carried(cloud: LocalCloud) -> None:
    with client(cloud) as connection:
        connection.send("sleep 0.2 first")
        connection.send("sleep 0.2 second")
        assert connection.recv(timeout=PATIENCE_S) == "first"  # the gateway has the second as well by now
        cloud.drain()
        assert connection.recv(timeout=0) == "second"


def test_the_channels_path_is_not_for_plain_requests_and_other_paths_not_for_connections(cloud: LocalCloud) -> None:
    assert httpx.get(cloud.url + "/talk/?EIO=4&transport=polling").status_code == 426
    with pytest.raises(InvalidStatus) as caught, connect(cloud.url.replace("http:", "ws:") + "/open/echo"):
        pass
    assert caught.value.response.status_code == 404


def test_a_path_is_the_channels_as_the_front_matches_patterns() -> None:
    channel = Channel("api", "host", "live", {}, ("/talk/*", "/ws?.x"))
    assert channel.takes("/talk/")
    assert channel.takes("/talk/a/b")
    assert channel.takes("/ws1.x")
    assert not channel.takes("/talk")
    assert not channel.takes("/Talk/")
    assert not channel.takes("/ws1zx")
    assert not channel.takes("/ws.x")


def test_a_half_opened_connection_harms_nobody(cloud: LocalCloud) -> None:
    connection = http.client.HTTPConnection(cloud.url.removeprefix("http://"), timeout=PATIENCE_S)
    connection.putrequest("GET", "/talk/")
    for name, value in (("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13")):
        connection.putheader(name, value)
    connection.endheaders()
    assert connection.getresponse().status == 400
    connection.close()
    with client(cloud) as other:
        assert echo(other)["body"] == "echo "
