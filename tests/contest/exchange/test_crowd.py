"""A crowd from a few addresses against the whole local cloud: players lose nothing, and nothing of it is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from contest.routes import UNKNOWN_LIMIT
from local.clock import monotonic_s
from tests.exchange_programs import Exchange, exchange_cloud

pytestmark = [pytest.mark.integration, pytest.mark.slow]

FLOOD, ASKED = "127.0.0.2", 1_300
"""Address and number of requests: some seconds at 200 a second, above its limit per minute without a token."""
SILENT, WITHOUT_TOKEN = "127.0.0.3", 540
STRANGE, WITH_ANOTHERS = "127.0.0.4", 60
FILES = 6


@pytest.fixture(scope="module")
def exchange(prepared: Path) -> Iterator[Exchange]:
    with exchange_cloud(prepared, workers_of={"FunctionsSocket": 2}, warm=True) as ready:
        yield ready


def flood(exchange: Exchange) -> tuple[list[httpx.Response], float]:
    """Send a flood of requests that need no token; return all answers and the duration in seconds."""
    transport = httpx.HTTPTransport(local_address=FLOOD)
    with httpx.Client(base_url=exchange.cloud.url, transport=transport, timeout=60) as client:
        began = monotonic_s()
        with ThreadPoolExecutor(4) as several:
            answers = list(several.map(lambda _: client.get("/v1/nothing"), range(ASKED)))
        return answers, monotonic_s() - began


def knock(exchange: Exchange, address: str, query: str) -> str:
    """Return the first words to a client of the event channel, or the status of its refusal."""
    url = exchange.cloud.url.replace("http", "ws", 1) + f"/socket.io/?EIO=4&transport=websocket{query}"
    heard = ""
    try:
        with connect(url, source_address=(address, 0), open_timeout=60, compression=None) as socket:
            while True:
                heard += str(socket.recv(timeout=60))
    except InvalidStatus as refused:
        return str(refused.response.status_code)
    except ConnectionClosed:
        return heard


@pytest.mark.long
def test_a_crowd_costs_no_team_a_file_and_leaves_nothing_behind(exchange: Exchange) -> None:
    stranger = "&token=hrd_" + "x" * 43
    team = exchange.program()
    with ThreadPoolExecutor(3) as crowd:
        flooding = crowd.submit(flood, exchange)
        silent = crowd.submit(lambda: [knock(exchange, SILENT, "") for _ in range(WITHOUT_TOKEN)])
        strange = crowd.submit(lambda: [knock(exchange, STRANGE, stranger) for _ in range(WITH_ANOTHERS)])
        team.open(files=FILES)
        receipts = team.play()
        (answers, seconds), refused, turned_away = flooding.result(), silent.result(), strange.result()
    assert [each["receipt"]["status"] for each in receipts] == ["accepted"] * FILES
    assert team.state() == "finished"

    statuses = Counter(each.status_code for each in answers)
    assert set(statuses) == {404, 429}
    assert statuses[404] <= UNKNOWN_LIMIT.burst + UNKNOWN_LIMIT.per_second * seconds + 1
    assert answers[-1].headers.get("retry-after") == "60", "the firewall refuses before the gateway"
    assert exchange.public("GET", "/v1/keys").status_code == 200, "others are not refused"

    assert Counter(refused) == {"400": WITHOUT_TOKEN}
    assert all("connection-auth-error" in each for each in turned_away)
    assert [item for item in exchange.items("StorageExchange") if item["pk"]["S"] == "CONNECTIONS"] == []
    exchange.clock.advance(61)
    done = {"playing": 0, "alive": 0, "retired": 0, "left": 0, "hooks": 0}
    assert exchange.cloud.invoke("FunctionsChannelTimer", {}) == done
    assert not exchange.screen.getvalue()
