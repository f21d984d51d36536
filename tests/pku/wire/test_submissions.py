"""Addresses at which parts are put: of the platform's own host alone, without the token, again until they are there."""

from __future__ import annotations

import httpx
import pytest

from pku.errors import ExchangeError
from pku.wire.exchange import Exchange
from pku.wire.trouble import BRIEF, Waiting
from tests.pku.platform import TOKEN, DrivenClock, pku_error


def exchange(handle: object, clock: DrivenClock) -> Exchange:
    transport = httpx.MockTransport(handle)  # type: ignore[arg-type]
    return Exchange("http://platform", TOKEN, transport=transport, clock=clock, waiting=Waiting(BRIEF))


@pytest.mark.clause("TS T13")
@pytest.mark.parametrize("address", ["https://elsewhere.example/x", "//elsewhere.example/x", "put/x", ""])
def test_a_part_is_never_put_at_another_host(address: str) -> None:
    asked: list[httpx.Request] = []

    def handle(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return httpx.Response(200)

    with pku_error("unexpected_response"):
        exchange(handle, DrivenClock()).submissions.put_part(address, b"part")
    assert asked == []


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
    asked = exchange(lambda _: httpx.Response(200, json={"submission_id": "1"}), DrivenClock())
    with pku_error("unexpected_response"):
        asked.submissions.get("1")
