"""The gateway: events and responses as API Gateway's HTTP APIs have them, its own refusals, the authorizer."""

from __future__ import annotations

import gzip
import http.client
import json
import socket
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from local.gateways.gateway import Route, RouteTable
from tests.local.local_toys import NOON_MS, toy_cloud

if TYPE_CHECKING:
    from collections.abc import Iterator

    from local.cloud import LocalCloud

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def cloud() -> Iterator[LocalCloud]:
    with toy_cloud() as running:
        yield running


@pytest.fixture(scope="module")
def api(cloud: LocalCloud) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=cloud.url, timeout=30) as client:
        yield client


def raw(cloud: LocalCloud, method: str, target: str, body: bytes | None = None, **headers: str) -> tuple[int, bytes]:
    """Send a request whose target no client library touches."""
    connection = http.client.HTTPConnection(cloud.url.removeprefix("http://"), timeout=30)
    connection.putrequest(method, target, skip_accept_encoding=True)
    for name, value in headers.items():
        connection.putheader(name.replace("_", "-"), value)
    if body is not None:
        connection.putheader("content-length", str(len(body)))
    connection.endheaders(body)
    response = connection.getresponse()
    answer = response.status, response.read()
    connection.close()
    return answer


def test_the_callers_address_stands_before_the_distributions_whatever_the_caller_says(api: httpx.Client) -> None:
    event = api.get("/open/echo", headers={"X-Forwarded-For": "6.6.6.6"}).json()
    assert event["headers"]["x-forwarded-for"] == "6.6.6.6, 127.0.0.1, 192.0.2.1"


def test_the_event_has_the_shape_of_payload_format_2(api: httpx.Client) -> None:
    response = api.get("/open/echo?a=1&b=&a=2%203", headers=[("X-Two", "1"), ("X-Two", "2"), ("Cookie", "k=v; l=w")])
    event = response.json()
    assert response.status_code == 200
    assert event["version"] == "2.0"
    assert event["routeKey"] == event["requestContext"]["routeKey"] == "ANY /open/{what}"
    assert event["rawPath"] == event["requestContext"]["http"]["path"] == "/open/echo"
    assert event["rawQueryString"] == "a=1&b=&a=2%203"
    assert event["queryStringParameters"] == {"a": "1,2 3", "b": ""}
    assert event["headers"]["x-two"] == "1,2"
    assert "cookie" not in event["headers"]
    assert event["cookies"] == ["k=v", "l=w"]
    assert event["pathParameters"] == {"what": "echo"}
    assert event["requestContext"]["http"]["method"] == "GET"
    assert event["requestContext"]["stage"] == "$default"
    assert event["isBase64Encoded"] is False
    assert "body" not in event


def test_the_request_time_is_the_clocks_and_ids_differ(api: httpx.Client) -> None:
    first, second = (api.get("/open/echo").json()["requestContext"] for _ in range(2))
    assert first["timeEpoch"] == NOON_MS
    assert first["time"] == "21/Nov/2026:12:00:00 +0000"
    assert first["requestId"] != second["requestId"]


@pytest.mark.parametrize(
    ("content_type", "body", "carried", "encoded"),
    [
        ("application/json", '{"текст": 1}'.encode(), '{"текст": 1}', False),
        ("application/problem+json; charset=utf-8", b"{}", "{}", False),
        ("text/plain", b"x", "x", False),
        ("application/octet-stream", b"\xff\x00", "/wA=", True),
        ("application/x-www-form-urlencoded", b"a=1", "YT0x", True),
        ("application/json", b"\xff", "/w==", True),
    ],
)
def test_a_body_is_text_or_base64(
    api: httpx.Client, content_type: str, body: bytes, carried: str, encoded: bool
) -> None:
    event = api.put("/items/7/echo", content=body, headers={"content-type": content_type}).json()
    assert (event["body"], event["isBase64Encoded"]) == (carried, encoded)


def test_the_path_reaches_the_function_decoded(cloud: LocalCloud) -> None:
    _, body = raw(cloud, "PUT", "/items/%D1%8F%20a%2Fb/echo")
    event = json.loads(body)
    assert event["pathParameters"] == {"item-id": "я a/b", "what": "echo"}
    assert event["rawPath"] == "/items/я a/b/echo"


def test_a_greedy_parameter_takes_the_rest_of_the_path(api: httpx.Client) -> None:
    assert api.get("/files/a/b/echo").json()["pathParameters"] == {"proxy": "a/b/echo"}


def test_the_most_specific_route_wins() -> None:
    keys = ["$default", "ANY /{proxy+}", "GET /a/{proxy+}", "GET /a/{x}", "ANY /a/b", "GET /a/b", "GET /{y}/b"]
    table = RouteTable([Route(key, "F") for key in keys])

    def chosen(method: str, path: str) -> str | None:
        match = table.find(method, path)
        return match.route.key if match else None

    assert chosen("GET", "/a/b") == "GET /a/b"
    assert chosen("POST", "/a/b") == "ANY /a/b"
    assert chosen("GET", "/a/c") == "GET /a/{x}"
    assert chosen("GET", "/a/c/d") == "GET /a/{proxy+}"
    assert chosen("GET", "/z") == "ANY /{proxy+}"
    assert RouteTable([Route("GET /a", "F"), Route("$default", "F")]).find("PUT", "/q") is not None
    assert RouteTable([Route("GET /a/{x}", "F")]).find("GET", "/a/") is None
    assert RouteTable([]).find("GET", "/") is None


@pytest.mark.parametrize("path", ["/", "/open", "/open/", "/nowhere", "/open/echo/more", "POST /items/1/echo"])
def test_a_path_or_method_without_a_route_is_the_gateways_404(api: httpx.Client, path: str) -> None:
    response = api.request(*path.split()) if " " in path else api.get(path)
    assert (response.status_code, response.json()) == (404, {"message": "Not Found"})


@pytest.mark.parametrize("target", ["/open/%00", "/open/a%0Ab", "/open/%7F", "/open/%C2%85", "/open/%FF", "/%1F"])
def test_a_path_that_is_no_text_is_a_400_in_json(cloud: LocalCloud, target: str) -> None:
    status, body = raw(cloud, "GET", target)
    assert (status, json.loads(body)) == (400, {"message": "Bad Request"})


@pytest.mark.parametrize(
    "size", [10 * 1024 * 1024 + 1, 6 * 1024 * 1024], ids=["the gateway's", "Lambda's, with the rest"]
)
def test_a_body_over_a_limit_is_a_413(cloud: LocalCloud, size: int) -> None:
    status, body = raw(cloud, "PUT", "/items/1/echo", b"x" * size, content_type="text/plain")
    assert (status, json.loads(body)) == (413, {"message": "Request Entity Too Large"})


def test_headers_over_10_kb_are_a_431(api: httpx.Client) -> None:
    response = api.get("/open/echo", headers={"x-long": "x" * 10_240})
    assert response.status_code == 431
    assert "message" in response.json()


_CHUNKED = b"PUT /items/1/echo HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{"


@pytest.mark.parametrize("begun", [b"GET /", b"GET / HTTP/1.1\r\nx: ", _CHUNKED + b";", _CHUNKED + b"\r\n0\r\nx: "])
def test_a_head_or_trailer_without_an_end_is_a_400(cloud: LocalCloud, begun: bytes) -> None:
    host, port = cloud.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(begun + b"x" * 300_000)
        assert connection.makefile("rb").readline() == b"HTTP/1.1 400 Bad Request\r\n"


def test_a_wish_for_another_protocol_is_passed_over(cloud: LocalCloud) -> None:
    connection = http.client.HTTPConnection(cloud.url.removeprefix("http://"))
    for body in (b"one", b"two"):
        connection.request("PUT", "/items/1/echo", body, {"Connection": "Upgrade", "Upgrade": "h2c"})
        response = connection.getresponse()
        assert (response.status, json.loads(response.read())["body"]) == (200, body.decode())
    connection.close()


def test_a_client_that_goes_away_while_sending_harms_nobody(cloud: LocalCloud, api: httpx.Client) -> None:
    host, port = cloud.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(b"PUT /items/1/echo HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nbegin")
    assert api.get("/open/pid").status_code == 200


def test_a_result_without_a_status_is_a_200_with_the_result(api: httpx.Client) -> None:
    response = api.get("/open/plain")
    assert (response.status_code, response.json()) == (200, {"hello": "world"})
    assert response.headers["content-type"] == "application/json"


def test_binary_bodies_cookies_and_status_come_through(api: httpx.Client) -> None:
    response = api.get("/open/binary")
    assert (response.status_code, response.content) == (201, b"\xff\x00")
    assert response.headers.get_list("set-cookie") == ["a=1", "b=2"]


@pytest.mark.parametrize("what", ["raise", "odd", "early", "injected", "large", "nothing-known"])
def test_a_function_that_fails_or_answers_nonsense_is_a_500(api: httpx.Client, what: str) -> None:
    response = api.get(f"/open/{what}")
    assert (response.status_code, response.json()) == (500, {"message": "Internal Server Error"})


def test_a_status_that_has_no_body_comes_without(api: httpx.Client) -> None:
    response = api.get("/open/empty")
    assert (response.status_code, response.content) == (204, b"")
    assert api.get("/open/pid").status_code == 200


@pytest.mark.parametrize("end", ["crash", "hang"])  # the toy's time-out is 2 s
def test_a_worker_that_crashes_or_takes_too_long_is_replaced(api: httpx.Client, end: str) -> None:
    before = api.get("/open/pid").text
    assert api.get(f"/open/{end}").status_code == 500
    after = api.get("/open/pid")
    assert after.status_code == 200
    assert after.text != before


def test_code_that_cannot_be_imported_is_a_500(api: httpx.Client) -> None:
    assert api.get("/broken").status_code == 500
    assert api.get("/broken").status_code == 500


def ask(api: httpx.Client, token: str | None) -> tuple[int, Any]:
    response = api.get("/guarded/echo", headers={"authorization": token} if token else {})
    event = response.json()
    return response.status_code, event.get("requestContext", {}).get("authorizer", event)


def test_the_authorizers_context_reaches_the_function(api: httpx.Client) -> None:
    status, authorizer = ask(api, "good-1")
    assert status == 200
    assert authorizer["lambda"]["token"] == "good-1"
    assert authorizer["lambda"]["type"] == "REQUEST"
    assert authorizer["lambda"]["route"].endswith("/$default/GET/guarded/echo")


@pytest.mark.parametrize(
    ("token", "status", "message"),
    [
        (None, 401, "Unauthorized"),  # nobody is asked
        ("bad", 403, "Forbidden"),
        ("unknown", 401, "Unauthorized"),  # as the authorizer says
        ("broken", 500, "Internal Server Error"),
    ],
)
def test_who_is_not_authorized_is_told_why(api: httpx.Client, token: str | None, status: int, message: str) -> None:
    assert ask(api, token) == (status, {"message": message})


def test_the_authorizers_answer_is_remembered_for_its_minute(cloud: LocalCloud, api: httpx.Client) -> None:
    _, first = ask(api, "good-2")
    _, again = ask(api, "good-2")
    assert first == again
    cloud.clock.jump(59.999)
    assert ask(api, "good-2")[1] == first
    cloud.clock.jump(0.001)
    assert ask(api, "good-2")[1]["lambda"]["asked"] > first["lambda"]["asked"]


def test_a_preflight_request_is_answered_by_the_gateway(api: httpx.Client) -> None:
    headers = {"origin": "https://site.example", "access-control-request-method": "PUT"}
    response = api.options("/items/1/echo", headers=headers)
    assert response.status_code == 204
    assert response.headers["access-control-allow-origin"] == "https://site.example"
    assert response.headers["access-control-allow-methods"] == "GET,PUT"
    assert response.headers["access-control-allow-headers"] == "authorization"
    assert response.headers["access-control-max-age"] == "600"
    foreign = api.options("/items/1/echo", headers={**headers, "origin": "https://other.example"})
    assert foreign.status_code == 204
    assert "access-control-allow-origin" not in foreign.headers


def test_every_answer_to_an_allowed_origin_carries_cors_headers(api: httpx.Client) -> None:
    for path in ("/open/echo", "/nowhere", "/open/raise"):
        headers = api.get(path, headers={"origin": "https://site.example"}).headers
        assert headers["access-control-allow-origin"] == "https://site.example"
        assert headers["access-control-expose-headers"] == "x-request-id"
        assert "access-control-allow-origin" not in api.get(path).headers


def test_the_functions_environment_comes_from_the_template(cloud: LocalCloud, api: httpx.Client) -> None:
    environment = api.get("/open/environment").json()
    assert environment["ITEMS"] == cloud.resource("StorageItems") == "local-StorageItems0A1B2C3D"
    assert environment["QUEUE_ARN"] == "arn:aws:sqs:eu-central-1:123456789012:local-WorkQueue0A1B2C3D"
    assert environment["JOINED"] == "arn:aws:s3:::local-storageblobs0a1b2c3d/*"
    assert environment["SECRET"] == cloud.resource("Pepper")
    assert environment["AWS_ENDPOINT_URL"] == cloud.endpoint_url
    assert environment["AWS_LAMBDA_FUNCTION_NAME"] == "ToyApi0A1B2C3D"
    assert "HTTP_PROXY" not in environment
    assert cloud.environment("ToyApi")["ITEMS"] == environment["ITEMS"]


def test_a_generated_secret_has_the_templates_length(cloud: LocalCloud) -> None:
    secret = cloud.client("secretsmanager").get_secret_value(SecretId=cloud.resource("Pepper"))
    assert len(secret["SecretString"]) == 40


def test_workers_read_the_held_time_from_the_clock_file(cloud: LocalCloud, api: httpx.Client) -> None:
    cloud.clock.jump(1)
    assert api.get("/open/clock").json() == {"held_ms": cloud.clock.now_ms(), "offset_ms": 0, "rate": 1}


def test_the_front_serves_what_the_distribution_serves_of_a_bucket_as_it_is_stored(
    cloud: LocalCloud, api: httpx.Client
) -> None:
    packed = gzip.compress(b'{"a":1}')
    stored_as = {"ContentType": "application/json", "ContentEncoding": "gzip", "CacheControl": "immutable"}
    for key in ("kept/one two.json", "secret/one.json"):
        cloud.client("s3").put_object(Bucket=cloud.resource("StorageBlobs"), Key=key, Body=packed, **stored_as)
    answered = api.get("/kept/one%20two.json")
    assert (answered.status_code, answered.json()) == (200, {"a": 1})
    assert int(answered.headers["content-length"]) == len(packed)
    assert {answered.headers[name] for name in ("content-type", "content-encoding", "cache-control")} == {
        *stored_as.values()
    }
    assert (api.head("/kept/one%20two.json").status_code, api.head("/kept/one%20two.json").content) == (200, b"")
    for denied in (
        api.get("/kept/none.json"),
        api.post("/kept/one%20two.json"),
        api.get("/kept/%2e%2e/secret/one.json"),
    ):
        assert denied.status_code == 403
    assert api.get("/secret/one.json").status_code == 404
