"""Bad input over HTTP: a precise refusal with a stable code in two languages; the session stays as it was."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.exchange_programs import Exchange, Program

pytestmark = pytest.mark.integration

MIB = 1024 * 1024
OVER_THE_GATEWAY = {"message": "Request Entity Too Large"}


@pytest.fixture(scope="module")
def steady(exchange: Exchange) -> tuple[Program, Any]:
    """Return a program with a first of two files in hand, and the session's stored facts, which no test changes."""
    program = exchange.program()
    program.open(files=2, language="rus")
    program.take(1)
    return program, _facts(exchange, program)


@pytest.fixture
def unharmed(exchange: Exchange, steady: tuple[Program, Any]) -> Iterator[Program]:
    """Yield the program; afterwards check that nothing was written."""
    program, stored_before = steady
    yield program
    assert _facts(exchange, program) == stored_before
    assert exchange.blobs(f"answers/{program.session_id}/") == {}
    assert exchange.screen.getvalue() == ""


def _facts(exchange: Exchange, program: Program) -> Any:
    """Return all stored data of a session without the evidence of bodies that were no answer (R 8.3.1)."""
    stored = exchange.stored(program.session_id)
    return {key: item for key, item in stored.items() if not key.endswith(" BODIES")}


def test_two_mebibytes_of_a_right_answer_are_taken(exchange: Exchange) -> None:
    program = exchange.program()
    program.open(files=1)
    content = program.take(1)
    padded = json.dumps(content, ensure_ascii=False).encode().ljust(2 * MIB)
    assert len(padded) == 2 * MIB
    assert program.receipt(1, padded)["status"] == "accepted"


def test_what_exceeds_the_gateways_own_limits_gets_the_gateways_answer(unharmed: Program) -> None:
    answered = unharmed.answer(1, b"x" * (11 * MIB))
    assert (answered.status_code, answered.json()) == (413, OVER_THE_GATEWAY)
    binary = {"Content-Type": "application/octet-stream"}  # grows by a third in the event, which may have 6 MB
    answered = unharmed.ask("PUT", unharmed.path("log"), content=b"\xff" * (5 * MIB), headers=binary)
    assert (answered.status_code, answered.json()) == (413, OVER_THE_GATEWAY)
    answered = unharmed.ask("POST", "/v1/sessions", content=b" " * (11 * MIB))
    assert (answered.status_code, answered.json()) == (413, OVER_THE_GATEWAY)


@pytest.mark.parametrize("kind", ["text/plain", "application/xml", "multipart/form-data", "application/octet-stream"])
def test_an_answer_is_judged_by_its_content_whatever_it_is_called(program: Program, kind: str) -> None:
    program.open(files=1)
    body = json.dumps(program.take(1), ensure_ascii=False).encode()
    answered = program.ask("PUT", program.path("files/1/answer"), content=body, headers={"Content-Type": kind})
    assert (answered.status_code, answered.json()["receipt"]["status"]) == (200, "accepted")


def test_control_characters_and_huge_headers_never_reach_the_platform(unharmed: Program) -> None:
    paths = ("/v1/cycle%00", "/v1/sessions/%0d%0aX:%20y", "/v1/sessions/%ff%fe", "/v1/%C2%85", "/v1/sessions/%7f")
    for path in paths:
        assert raw(unharmed, "GET", path) == (400, "Bad Request"), path
    answered = unharmed.ask("GET", "/v1/cycle", headers={"X-Huge": "x" * 12_000})
    assert (answered.status_code, answered.json()) == (431, {"message": "Request Header Fields Too Large"})
    assert unharmed.answer(1, b"{", key="k" * 12_000).status_code == 431


@pytest.mark.parametrize("value", [b"\xff\xfe", "ключ".encode(), b"k\tk", b"'; DROP TABLE", b"#" * 200])
def test_a_key_of_strange_bytes_is_a_key_or_is_refused(program: Program, value: bytes) -> None:
    program.open(files=1)
    content = json.dumps(program.take(1)).encode()
    where = program.path("files/1/answer")
    sent = {"Authorization": f"Bearer {program.token}", b"Idempotency-Key": value}
    answered = [program.exchange.http.put(where, content=content, headers=sent) for _ in range(2)]  # type: ignore[arg-type]
    assert answered[0].status_code == 200
    assert answered[1].content == answered[0].content
    assert program.delivery()["sends"] == 1


def raw(program: Program, method: str, path: str) -> tuple[int, str]:
    """Send a request with its path as it is; return status and code, or the gateway's message."""
    program.exchange.clock.advance(1)
    parts = urlsplit(program.exchange.cloud.url)
    connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=60)
    try:
        connection.request(method, path, headers={"Authorization": f"Bearer {program.token}"})
        answered = connection.getresponse()
        body = json.loads(answered.read() or b"{}")
    finally:
        connection.close()
    return answered.status, body["error"]["code"] if "error" in body else body.get("message")
