"""One HTTP request over connections that fail, and addresses at which parts of a submission are put.

An address is the platform's own host alone; it gets no token, and is asked again until the part is there.
"""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime
from email.utils import format_datetime

import httpx
import pytest

from pku import config
from pku.answers import Order
from pku.config import parse_moment, parse_retry_after, show_moment
from pku.connection import Pace
from pku.errors import BRIEF, ExchangeError, Patience, Waiting
from pku.exchange import Exchange
from tests.pku.platform import START, TOKEN, DrivenClock, Platform, answering, lost_after, lost_before, pku_error


@pytest.mark.clause("R 4.2.3", "D 6.2.3")
def test_a_session_is_opened_with_the_client_s_own_description(platform: Platform) -> None:
    session = platform.exchange().open_session(Order(set="train", files=2))
    assert (session.files, session.requested_files, session.state) == (2, 2, "open")
    described = platform.status()["client"]
    assert described == config.client_block()
    assert len(described["sha256"]) == 64
    assert platform.agents == {config.user_agent()}


def test_a_lost_answer_to_an_opening_opens_one_session(platform: Platform) -> None:
    platform.faults.append(lost_after)
    session = platform.exchange().open_session(Order())
    assert platform.session_ids() == [session.session_id]


def test_a_failing_platform_is_asked_again(platform: Platform, clock: DrivenClock) -> None:
    for status in (500, 502, 503, 504):
        platform.requests.clear()
        clock.slept.clear()
        platform.faults.extend([answering(status, "internal")] * 3)
        platform.exchange().cycle()
        assert len(platform.requests) == 4
        # 0.5, 1 and 2 seconds, each shortened by up to a half
        assert all(longest / 2 <= waited <= longest for waited, longest in zip(clock.slept, (0.5, 1, 2), strict=True))


def test_retry_after_is_respected_in_seconds_and_as_a_date(platform: Platform, clock: DrivenClock) -> None:
    platform.faults.append(answering(429, "rate_limited", {"Retry-After": "7"}))
    platform.exchange().cycle()
    moment = format_datetime(datetime.fromtimestamp(clock.at + 9, UTC), usegmt=True)
    platform.faults.append(answering(503, "busy", {"Retry-After": moment}))
    platform.exchange().cycle()
    assert clock.slept == [7.0, 9.0]


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        *((None, None), ("3", 3.0), (" 4 ", 4.0), ("soon", None), ("-1", None), ("²", None), ("", None)),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
    ],
)
def test_retry_after_is_read_as_rfc_9110_says(value: str | None, seconds: float | None) -> None:
    assert parse_retry_after(value, START) == seconds


def test_a_refusal_for_good_is_not_repeated(platform: Platform, clock: DrivenClock) -> None:
    for status, code in (
        *((400, "malformed_json"), (401, "unauthenticated"), (403, "forbidden"), (404, "unknown_session")),
        *((409, "session_closed"), (422, "invalid_request"), (429, "quota_exhausted")),
    ):
        platform.requests.clear()
        platform.faults.append(answering(status, code, {"Retry-After": "3600"}, resets_at="tomorrow"))
        with pytest.raises(ExchangeError) as caught:
            platform.exchange().cycle()
        assert (caught.value.code, caught.value.status, caught.value.request_id) == (code, status, "req-1")
        assert caught.value.detail("resets_at") == "tomorrow"
        assert (len(platform.requests), clock.slept) == (1, [])


def test_patience_ends_with_the_last_failure(platform: Platform, clock: DrivenClock) -> None:
    platform.faults.extend([lost_before] * 100)
    with pku_error("connection_failed"):
        platform.exchange(waiting=Waiting(Patience(20, 20, 1))).cycle()
    # The next wait, which would pass the end, is at most about twice all that was waited before.
    assert 20 / 3 < sum(clock.slept) <= 20


def test_a_wait_longer_than_the_patience_is_not_begun(platform: Platform, clock: DrivenClock) -> None:
    platform.faults.append(answering(503, "busy", {"Retry-After": "4000"}))
    with pytest.raises(ExchangeError) as caught:
        platform.exchange().cycle()
    assert (caught.value.retry_after_s, clock.slept) == (4000.0, [])


def test_a_log_is_sent_again_only_where_it_surely_was_not_stored(platform: Platform) -> None:
    exchange = platform.exchange()
    session = exchange.open_session(Order())
    platform.faults.extend([lost_before, answering(429, "rate_limited"), None])
    exchange.store_log(session.session_id, "first")
    platform.faults.append(lost_after)
    with pytest.raises(ExchangeError):
        exchange.store_log(session.session_id, "second")
    platform.faults.append(answering(500, "internal"))
    with pytest.raises(ExchangeError):
        exchange.store_log(session.session_id, "third")
    assert sum(path.endswith("/log") for _, path in platform.handled) == 2


@pytest.mark.clause("R 4.2.3")
def test_an_answer_is_sent_again_under_its_key_and_counts_once(platform: Platform) -> None:
    exchange = platform.exchange()
    session = exchange.open_session(Order(files=1))
    file = exchange.file(session.session_id, 1)
    platform.faults.extend([lost_after, lost_before, answering(500, "internal"), None])
    receipt = exchange.answer(session.session_id, 1, json.dumps(file.content).encode(), key="k")
    assert (receipt.status, receipt.send) == ("accepted", 1)
    assert platform.answers_counted() == [1]


def test_something_else_than_the_api_at_the_address_is_said(clock: DrivenClock) -> None:
    with pku_error("unexpected_response"):
        exchange(lambda _: httpx.Response(200, text="<html>welcome</html>"), clock).cycle()
    with pytest.raises(ExchangeError, match="session_id") as caught:
        exchange(lambda _: httpx.Response(200, json={"hello": "world"}), clock).session("x")
    assert caught.value.code == "unexpected_response"


def test_no_more_than_ten_requests_start_in_any_second(clock: DrivenClock) -> None:
    pace = Pace(clock, 10)
    starts = []
    for _ in range(45):
        pace.wait()
        starts.append(clock.now())
    assert all(later - earlier >= 1 for earlier, later in zip(starts, starts[10:], strict=False))
    assert starts[-1] - starts[0] == pytest.approx(4)


def test_every_receipt_is_read_page_by_page(platform: Platform) -> None:
    exchange = platform.exchange()
    session = exchange.open_session(Order())
    for number in (1, 2, 3):
        content = exchange.file(session.session_id, number).content
        exchange.answer(session.session_id, number, json.dumps(content).encode(), key=f"k{number}")
    assert [each.number for each in exchange.receipts(session.session_id)] == [1, 2, 3]


def test_times_are_written_as_the_platform_writes_them() -> None:
    assert show_moment(parse_moment("2026-11-21T03:57:32.123Z")) == "2026-11-21T03:57:32.123Z"
    with pytest.raises(ValueError, match="zone"):
        parse_moment("2026-11-21T03:57:32")


@pytest.mark.parametrize("address", ["", "contest.example", "ftp://contest.example", "http://"])
def test_an_address_that_is_none_is_refused_before_the_token_is_sent(address: str) -> None:
    with pku_error("bad_url"):
        Exchange(address, TOKEN)


def test_a_record_under_another_path_of_the_host_is_followed_and_unpacked() -> None:
    asked = []

    def platform(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.path)
        if request.url.path == "/v1/runs/r1/record":
            return httpx.Response(307, headers={"Location": "/published/runs/r1/record.json"})
        packed = gzip.compress(b'{"record":{"format":1}}')
        return httpx.Response(
            200, content=packed, headers={"Content-Type": "application/json", "Content-Encoding": "gzip"}
        )

    assert exchange(platform, DrivenClock()).run_record("r1") == {"record": {"format": 1}}
    assert asked == ["/v1/runs/r1/record", "/published/runs/r1/record.json"]


def exchange(handle: object, clock: DrivenClock) -> Exchange:
    transport = httpx.MockTransport(handle)  # type: ignore[arg-type]
    return Exchange("http://platform", TOKEN, transport=transport, clock=clock, waiting=Waiting(BRIEF))


@pytest.mark.clause("TS T13")
@pytest.mark.parametrize("address", ["https://elsewhere.example/x", "//elsewhere.example/x", "put/x", ""])
def test_a_part_is_never_put_at_another_host(address: str) -> None:
    requests: list[httpx.Request] = []

    def handle(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return httpx.Response(200)

    with pku_error("unexpected_response"):
        exchange(handle, DrivenClock()).submissions.put_part(address, b"part")
    assert requests == []


@pytest.mark.clause("TS T13")
def test_a_part_is_put_again_while_the_platform_is_busy_and_then_given_up() -> None:
    answers = [503, 500, 200]
    clock = DrivenClock()
    exchange(lambda _: httpx.Response(answers.pop(0)), clock).submissions.put_part("/put/x", b"part")
    assert answers == []
    assert len(clock.slept) == 2
    with pytest.raises(ExchangeError) as refused:
        exchange(lambda _: httpx.Response(502), clock).submissions.put_part("/put/x", b"part")
    assert (refused.value.code, refused.value.status) == ("http_error", 502)


@pytest.mark.clause("TS T13")
def test_an_answer_that_is_no_submission_is_told_as_such() -> None:
    client = exchange(lambda _: httpx.Response(200, json={"submission_id": "1"}), DrivenClock())
    with pku_error("unexpected_response"):
        client.submissions.get("1")
