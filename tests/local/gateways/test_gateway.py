"""Limits before the functions as the shipped template has them: firewall, gateways, reserved concurrency."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from local.aws.emulator import Emulator
from local.aws.template import Deployment, Template, TemplateError
from local.clock import Clock
from local.cloud import DEFAULT_TEMPLATE, LocalCloud
from local.gateways.gateway import Firewall, FirewallRequest, Limit, Throttle, firewall_of
from local.lambdas.runtime import Logs
from tests.local.local_toys import HANDLERS, NOON_MS, TEMPLATE

TOKEN = "hrd_" + "x" * 43


class Now:
    """Clock in seconds that a test moves on."""

    def __init__(self) -> None:
        self.s = 0.0

    def __call__(self) -> float:
        return self.s


@pytest.fixture
def now() -> Now:
    return Now()


def firewall(template: Path, now: Now) -> Firewall:
    # Nothing that the firewall refers to is created, so that nobody is asked at this address.
    return firewall_of(Deployment(Template.read(template), Emulator("http://127.0.0.1:9"), "", ""), now)


def passed(front: Firewall, count: int, address: str = "192.0.2.1", path: str = "/v1/cycle", **more: Any) -> int:
    """Return how many of ``count`` simultaneous requests pass."""
    request = FirewallRequest(address, path, more.get("query", ""), more.get("headers", ()))
    refusals = [front.refusal(request) for _ in range(count)]
    assert {each.status for each in refusals if each is not None} <= {429}
    return refusals.count(None)


def test_without_a_token_one_address_asks_so_often_in_a_minute(now: Now) -> None:
    front = firewall(DEFAULT_TEMPLATE, now)
    assert passed(front, 12_000) == 1_200
    assert passed(front, 1, "192.0.2.2") == 1, "another address"
    assert passed(front, 1, headers=[("authorization", f"Bearer {TOKEN}")]) == 1, "a team in the same hall"
    now.s = 59.9
    assert passed(front, 1) == 0
    now.s = 120
    assert passed(front, 1) == 1


def test_what_is_no_token_by_its_form_is_none(now: Now) -> None:
    front = firewall(DEFAULT_TEMPLATE, now)
    assert passed(front, 2_000, headers=[("authorization", "Bearer hrd_short")]) == 1_200


def test_the_sites_own_files_are_no_requests_without_a_token(now: Now) -> None:
    """Fifty visitors of a hall, which has one address, take the forty files of a page in the same minute."""
    front = firewall(DEFAULT_TEMPLATE, now)
    assert passed(front, 2_000, path="/assets/index-x.js") == 2_000
    assert passed(front, 2_000, path="/assets") == 1_200, "what only begins like it is none"


def test_one_token_asks_so_often_in_a_minute_from_wherever(now: Now) -> None:
    front = firewall(DEFAULT_TEMPLATE, now)
    headers = [("authorization", f"Bearer {TOKEN}")]
    assert sum(passed(front, 700, f"192.0.2.{number}", headers=headers) for number in range(10)) == 6_000
    assert passed(front, 1, headers=[("authorization", f"Bearer {TOKEN[:-1]}y")]) == 1


def test_one_address_connects_so_often_in_a_minute_and_one_token_too(now: Now) -> None:
    front = firewall(DEFAULT_TEMPLATE, now)
    assert passed(front, 700, path="/socket.io/") == 600
    query = f"token={TOKEN}"
    sent = (passed(front, 70, f"192.0.2.{number}", path="/socket.io/", query=query) for number in range(2, 12))
    assert sum(sent) == 600


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("Statement", {"GeoMatchStatement": {"CountryCodes": ["RU"]}}),
        ("Action", {"Count": {}}),
        ("Statement", {"RateBasedStatement": {"Limit": 10, "AggregateKeyType": "FORWARDED_IP"}}),
        (
            "Statement",
            {
                "RateBasedStatement": {
                    "Limit": 10,
                    "AggregateKeyType": "IP",
                    "ScopeDownStatement": {"SizeConstraint": 1},
                }
            },
        ),
    ],
)
def test_a_rule_that_cannot_be_played_is_named(now: Now, tmp_path: Path, place: str, value: Any) -> None:
    template = json.loads(DEFAULT_TEMPLATE.read_text("utf-8"))
    (acl,) = (each for each in template["Resources"].values() if each["Type"] == "AWS::WAFv2::WebACL")
    acl["Properties"]["Rules"][1][place] = value
    changed = tmp_path / "template.json"
    changed.write_text(json.dumps(template), "utf-8")
    with pytest.raises(TemplateError, match="WithoutToken"):
        firewall(changed, now)


def test_a_gateway_passes_so_many_a_second_and_so_many_at_once(now: Now) -> None:
    throttle = Throttle(Limit(2, 3), {"GET /own": Limit(1, 1)}, now)
    assert [throttle.passes("GET /own") for _ in range(2)] == [True, False]
    assert [throttle.passes(key) for key in ("GET /a", "GET /b", "GET /a", "GET /b")] == [True, True, True, False]
    now.s = 0.5
    assert [throttle.passes(key) for key in ("GET /own", "GET /a", "GET /a")] == [False, True, False]
    now.s = 60
    assert [throttle.passes("GET /a") for _ in range(4)] == [True, True, True, False]
    assert Throttle(None, {}, now).passes("GET /a")


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Start the toy cloud with limits of every kind."""
    template = json.loads(TEMPLATE.read_text("utf-8"))
    resources = template["Resources"]
    resources["ToyApi0A1B2C3D"]["Properties"]["ReservedConcurrentExecutions"] = 1
    limit = {"ThrottlingRateLimit": 0.001, "ThrottlingBurstLimit": 2}
    resources["ApiStage0A1B2C3D"]["Properties"]["RouteSettings"] = {"GET /items/fixed/{what}": limit}
    resources["TalkStage0A1B2C3D"]["Properties"]["DefaultRouteSettings"] = limit
    rate = {"Limit": 10, "AggregateKeyType": "IP", "EvaluationWindowSec": 600}
    rule = {"Name": "All", "Priority": 0, "Action": {"Block": {}}, "Statement": {"RateBasedStatement": rate}}
    resources["Wall"] = {"Type": "AWS::WAFv2::WebACL", "Properties": {"Rules": [rule]}}
    resources["Front0A1B2C3D"]["Properties"]["DistributionConfig"]["WebACLId"] = {"Fn::GetAtt": ["Wall", "Arn"]}
    changed = tmp_path_factory.mktemp("limited") / "template.json"
    changed.write_text(json.dumps(template), "utf-8")
    with LocalCloud(changed, HANDLERS, clock=Clock(NOON_MS), logs=Logs(screen=StringIO()), workers=2) as running:
        yield running


def asker(cloud: LocalCloud, address: str) -> httpx.Client:
    return httpx.Client(base_url=cloud.url, transport=httpx.HTTPTransport(local_address=address), timeout=30)


@pytest.mark.integration
def test_the_firewall_stands_before_everything_for_each_address_apart(limited: LocalCloud) -> None:
    with asker(limited, "127.0.0.2") as one, asker(limited, "127.0.0.3") as other:
        assert [one.get("/nowhere").status_code for _ in range(11)] == [404] * 10 + [403]
        assert other.get("/nowhere").status_code == 404
    with (
        pytest.raises(InvalidStatus) as caught,
        connect(limited.url.replace("http", "ws", 1) + "/talk/", source_address=("127.0.0.2", 0)),
    ):
        pass
    assert caught.value.response.status_code == 403


@pytest.mark.integration
def test_a_function_runs_no_more_at_once_than_is_reserved(limited: LocalCloud) -> None:
    with asker(limited, "127.0.0.4") as client, ThreadPoolExecutor(3) as pool:
        answers = list(pool.map(lambda _: client.get("/open/hang").status_code, range(3)))
    assert sorted(answers) == [500, 503, 503], "one runs into its time-out, the others are not even started"


@pytest.mark.integration
def test_a_route_has_its_own_limit(limited: LocalCloud) -> None:
    with asker(limited, "127.0.0.6") as client:
        paths = ["/items/fixed/plain"] * 3 + ["/open/plain"]
        assert [client.get(path).status_code for path in paths] == [200, 200, 429, 200]


@pytest.mark.integration
def test_a_channel_takes_so_many_connections_and_frames(limited: LocalCloud) -> None:
    address = limited.url.replace("http", "ws", 1) + "/talk/"
    with connect(address, source_address=("127.0.0.5", 0)) as first:
        first.send("echo one")
        assert "requestContext" in json.loads(first.recv(timeout=30))
        first.send("echo two")
        assert json.loads(first.recv(timeout=30))["message"] == "Too Many Requests"
        with (
            pytest.raises(InvalidStatus) as caught,
            connect(address, source_address=("127.0.0.5", 0)),
        ):
            pass
    assert caught.value.response.status_code == 429
