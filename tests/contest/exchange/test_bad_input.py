"""Bad input over HTTP: a precise refusal with a stable code in two languages; the session stays as it was."""

from __future__ import annotations

import gzip
import http.client
import json
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.exchange_programs import Exchange, Program, as_expert, codes, fragment, refused

pytestmark = pytest.mark.integration

MIB = 1024 * 1024
OVER_THE_GATEWAY = {"message": "Request Entity Too Large"}


@pytest.fixture(scope="module")
def steady(exchange: Exchange) -> Program:
    """Return a program with the first of two files handed out, which no test of this module may answer or change."""
    program = exchange.program()
    program.open(files=2, language="rus")
    return program


@pytest.fixture(scope="module")
def content(steady: Program) -> Any:
    """Return the content of the file in the program's hand."""
    return steady.take(1)


@pytest.fixture(scope="module")
def stored_before(exchange: Exchange, steady: Program, content: Any) -> Any:
    """Return the session's facts as stored before the first test: each test leaves them as they were."""
    return _facts(exchange, steady)


@pytest.fixture
def unharmed(exchange: Exchange, steady: Program, stored_before: Any) -> Iterator[Program]:
    """Its program, and afterwards a look at whether anything was written."""
    yield steady
    assert _facts(exchange, steady) == stored_before
    assert exchange.blobs(f"answers/{steady.session_id}/") == {}
    assert exchange.screen.text == ""


def _facts(exchange: Exchange, program: Program) -> Any:
    """All that is stored of a session but for the evidence that something else than an answer came (R 8.3.1)."""
    stored = exchange.stored(program.session_id)
    return {key: item for key, item in stored.items() if not key.endswith(" BODIES")}


MALFORMED: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "broken_json"),
    "blanks": (b"  \n", "broken_json"),
    "an open brace": (b"{", "broken_json"),
    "cut off": (b'{"meta": {"id": "x"', "broken_json"),
    "two values": (b"{} {}", "broken_json"),
    "single quotes": (b"{'meta': {}}", "broken_json"),
    "a trailing comma": (b'{"meta": {},}', "broken_json"),
    "a raw control character": (b'{"text": "\x01"}', "broken_json"),
    "UTF-16": ('{"meta": {}}'.encode("utf-16"), "wrong_encoding"),
    "UTF-16 without a mark": ('{"meta": {}}'.encode("utf-16-le"), "broken_json"),
    "Windows-1251": ('{"text": "Эссе"}'.encode("cp1251"), "wrong_encoding"),
    "a byte order mark": (b"\xef\xbb\xbf{}", "byte_order_mark"),
    "half a surrogate pair in bytes": (b'{"text": "\xed\xa0\x80"}', "wrong_encoding"),
    "NaN": (b'{"text": NaN}', "not_a_number"),
    "minus infinity": (b'{"text": -Infinity}', "not_a_number"),
    "a key twice": (b'{"text": "a", "text": "b"}', "duplicate_key"),
    "a long number": (b'{"text": ' + b"1" * 5000 + b"}", "number_too_long"),
    "a hundred thousand brackets": (b"[" * 100_000, "too_deep"),
    "65 levels": (b"[" * 65 + b"]" * 65, "too_deep"),
    "gzip": (gzip.compress(b"{}"), "wrong_encoding"),
}


def test_an_answer_that_is_no_json_is_told_what_it_is(unharmed: Program) -> None:
    for name, (body, problem) in MALFORMED.items():
        answered = unharmed.answer(1, body)
        assert refused(answered) == (400, "malformed_json"), name
        (detail,) = answered.json()["error"]["details"]
        assert detail["problem"] == problem, name
        assert detail["message"], name
        assert detail["message_ru"], name


def spans(*positions: tuple[Any, Any], **changes: Any) -> Callable[[Any], Any]:
    """Return a change of an answer: these spans, each with these fields."""

    def change(content: Any) -> Any:
        made = [{**fragment(0, 1, "Г.упр"), "id": number} for number, _ in enumerate(positions, 1)]
        for each, (start, end) in zip(made, positions, strict=True):
            each.update({"startSelection": start, "endSelection": end, **changes})
        return {**content, "selections": made}

    return change


def with_meta(**changes: Any) -> Callable[[Any], Any]:
    return lambda content: {**content, "meta": {**content["meta"], **changes}}


INVALID: dict[str, tuple[Callable[[Any], Any], str]] = {
    "a list": (lambda content: [content], "not_an_object"),
    "null": (lambda content: None, "not_an_object"),
    "no fields": (lambda content: {}, "missing_field"),
    "no selections": (lambda content: {**content, "selections": None}, "missing_field"),
    "selections of another kind": (lambda content: {**content, "selections": {}}, "wrong_type"),
    "a fragment that is none": (lambda content: {**content, "selections": [7]}, "wrong_type"),
    "a text of another kind": (lambda content: {**content, "text": 7}, "wrong_type"),
    "another text": (lambda content: {**content, "text": content["text"] + " "}, "text_differs"),
    "a text in decomposed letters": (lambda content: {**content, "text": "й" + content["text"]}, "text_differs"),
    "an unknown subject": (with_meta(subject="maths"), "unknown_subject"),
    "a subject that is none": (with_meta(subject=["rus"]), "wrong_type"),
    "2001 fragments": (spans(*[(0, 1)] * 2001), "too_many_fragments"),
    "a span beyond the text": (spans((0, 10**6)), "span_outside_text"),
    "a span before the text": (spans((-1, 1)), "span_outside_text"),
    "a huge position": (spans((0, 10**400)), "span_outside_text"),
    "a span backwards": (spans((5, 2)), "start_after_end"),
    "an empty span": (spans((5, 5)), "empty_span"),
    "a position with a point": (spans((0.5, 2)), "wrong_type"),
    "a position in words": (spans(("0", "2")), "wrong_type"),
    "a position that is true": (spans((True, 2)), "wrong_type"),
    "an unknown code": (spans((0, 1), type="Нет.такого"), "unknown_code"),
    "a code of another kind": (spans((0, 1), type=5), "wrong_type"),
    "half a surrogate pair in a comment": (spans((0, 1), comment="\ud800"), "lone_surrogate"),
    "half a surrogate pair in a code": (spans((0, 1), type="\udfff"), "unknown_code"),
    "half a surrogate pair in a name": (with_meta(**{"x\ud83d": "y"}), "lone_surrogate"),
}


def test_an_invalid_markup_is_refused_with_its_reasons(unharmed: Program, content: Any) -> None:
    for name, (change, code) in INVALID.items():
        body = json.dumps(change(content), ensure_ascii=True).encode()
        answered = unharmed.answer(1, body)
        assert refused(answered) == (422, "invalid_answer"), name
        assert code in codes(answered), name
        for detail in answered.json()["error"]["details"]:
            assert detail["message"], name
            assert detail["message_ru"], name


def test_all_reasons_come_at_once_and_name_their_fragments(unharmed: Program, content: Any) -> None:
    body = json.dumps(spans((0, 10**6), (5, 2), (0, 1), type="Нет.такого")(content))
    answered = unharmed.answer(1, body.encode())
    assert set(codes(answered)) == {"span_outside_text", "start_after_end", "unknown_code"}
    assert {each["fragment"] for each in answered.json()["error"]["details"]} == {1, 2, 3}


def test_another_files_answer_is_refused_though_it_is_a_right_one(exchange: Exchange) -> None:
    program = exchange.program()
    program.open(files=2)
    one, other = program.take(1), program.take(2)
    assert refused(program.answer(1, as_expert(1)(other))) == (422, "invalid_answer")
    assert [each["sends"] for each in program.get().json()["deliveries"]] == [0, 0]
    assert program.receipt(1, one)["send"] == 1


def test_refusals_consume_no_send_and_are_remembered_as_the_cause(exchange: Exchange) -> None:
    program = exchange.program()
    program.open(files=1)
    content = program.take(1)
    for _ in range(12):
        assert program.answer(1, b"{").status_code == 400
    first = program.receipt(1, content)
    assert (first["send"], first["status"]) == (1, "accepted")


def test_two_mebibytes_are_the_limit_and_more_is_not_read(unharmed: Program) -> None:
    for size in (2 * MIB + 1, 3 * MIB):
        answered = unharmed.answer(1, b"x" * size)
        assert refused(answered) == (413, "answer_too_large")
        (detail,) = answered.json()["error"]["details"]
        assert (detail["size"], detail["limit"]) == (size, 2 * MIB)
    assert refused(unharmed.answer(1, b"x" * (2 * MIB))) == (400, "malformed_json")


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


def test_a_log_over_its_limit_is_refused_and_a_binary_one_is_kept(exchange: Exchange, program: Program) -> None:
    program.open(files=1)
    assert refused(program.ask("PUT", program.path("log"), content=b"x" * (MIB + 1))) == (413, "answer_too_large")
    assert exchange.blobs(f"logs/{program.session_id}/") == {}
    kept = program.ask("PUT", program.path("log"), content=bytes(range(256)))
    assert kept.status_code == 200
    assert list(exchange.blobs(f"logs/{program.session_id}/").values()) == [bytes(range(256))]


@pytest.mark.parametrize("kind", ["text/plain", "application/xml", "multipart/form-data", "application/octet-stream"])
def test_an_answer_is_judged_by_its_content_whatever_it_is_called(program: Program, kind: str) -> None:
    program.open(files=1)
    body = json.dumps(program.take(1), ensure_ascii=False).encode()
    answered = program.ask("PUT", program.path("files/1/answer"), content=body, headers={"Content-Type": kind})
    assert (answered.status_code, answered.json()["receipt"]["status"]) == (200, "accepted")


ORDERS: dict[str, tuple[bytes, int, str]] = {
    "nothing": (b"", 422, "invalid_request"),
    "a brace": (b"{", 400, "malformed_json"),
    "UTF-16": ('{"set": "train"}'.encode("utf-16"), 400, "malformed_json"),
    "a byte order mark": (b'\xef\xbb\xbf{"set": "train"}', 400, "malformed_json"),
    "deep": (b"[" * 50_000, 400, "malformed_json"),
    "half a surrogate pair": (b'{"set": "\\ud800"}', 422, "invalid_request"),
    "70 KB": (b'{"set": "' + b"x" * 70_000 + b'"}', 400, "malformed_json"),
    "a list": (b"[]", 422, "invalid_request"),
    "a list with an order": (b'[{"set": "train"}]', 422, "invalid_request"),
    "null": (b"null", 422, "invalid_request"),
    "no set": (b"{}", 422, "invalid_request"),
    "NaN": (b'{"set": "train", "files": NaN}', 400, "malformed_json"),
    "an unknown field": (b'{"set": "train", "sets": 1}', 422, "invalid_request"),
    "an unknown set": (b'{"set": "reserve"}', 422, "invalid_request"),
    "an unknown language": (b'{"set": "train", "language": "fra"}', 422, "invalid_request"),
    "another mode": (b'{"set": "train", "mode": "final"}', 422, "invalid_request"),
    "no files": (b'{"set": "train", "files": 0}', 422, "invalid_request"),
    "too many files": (b'{"set": "train", "files": 1001}', 422, "invalid_request"),
    "files in words": (b'{"set": "train", "files": "3"}', 422, "invalid_request"),
    "half a file": (b'{"set": "train", "files": 1.5}', 422, "invalid_request"),
    "files that are true": (b'{"set": "train", "files": true}', 422, "invalid_request"),
    "too little time": (b'{"set": "train", "time_limit_s": 9}', 422, "invalid_request"),
    "too much time": (b'{"set": "train", "time_limit_s": 61}', 422, "invalid_request"),
    "a client without a version": (b'{"set": "train", "client": {"name": "x"}}', 422, "invalid_request"),
    "a set with a zero": (b'{"set": "train\\u0000"}', 422, "invalid_request"),
}


def test_an_order_that_is_none_opens_nothing(exchange: Exchange) -> None:
    quiet = exchange.program()
    for name, (body, status, code) in ORDERS.items():
        answered = quiet.ask("POST", "/v1/sessions", content=body, headers={"Content-Type": "application/json"})
        assert refused(answered) == (status, code), name
    assert quiet.ask("GET", "/v1/sessions").json()["sessions"] == []
    sort_keys = [item["sk"]["S"] for item in exchange.below("StorageExchange", "TEAM", quiet.team_id)]
    used = [each for each in sort_keys if each.startswith("USED#")]
    assert len(used) == 1, "the token was used"
    assert [each for each in sort_keys if each not in used] == ["SEEN"], (
        "the requests count for the rate, and that is all"
    )


def test_more_files_than_there_are_means_all_and_says_both(program: Program) -> None:
    opened = program.open(files=1000, language="eng").json()
    assert (opened["requested_files"], opened["files"], opened["available_files"]) == (1000, 10, 10)


NUMBERS = [
    ("0", 404, "unknown_file"),
    ("3", 404, "unknown_file"),
    ("-1", 404, "unknown_file"),
    ("1001", 404, "unknown_file"),
    ("9" * 30, 404, "unknown_file"),
    ("9" * 4400, 422, "invalid_request"),
    ("x", 422, "invalid_request"),
    ("1.5", 422, "invalid_request"),
    ("1e0", 422, "invalid_request"),
    ("%D0%B0", 422, "invalid_request"),
    ("1%2F2", 422, "invalid_request"),
    ("1/2", 404, "unknown_route"),
    ("", 404, "unknown_route"),
]


def test_a_number_that_names_no_file_is_refused_on_every_route(unharmed: Program, content: Any) -> None:
    body = json.dumps(content).encode()
    for number, status, code in NUMBERS:
        # A slash in a number ends the router's parameter: then there is no such route.
        expected = {(status, code)} | ({(404, "unknown_route")} if "%2F" in number else set())
        for method, tail in (("GET", ""), ("PUT", "/answer"), ("GET", "/score"), ("GET", "/comparison")):
            answered = unharmed.ask(method, unharmed.path(f"files/{number}{tail}"), content=body)
            assert refused(answered) in expected, f"{method} {number[:40]}{tail}"


def test_a_file_that_was_not_handed_out_takes_no_answer_and_has_no_score(unharmed: Program, content: Any) -> None:
    assert refused(unharmed.answer(2, content)) == (409, "file_not_handed_out")
    assert refused(unharmed.get("files/2/score")) == (409, "file_not_handed_out")
    assert refused(unharmed.get("files/2/comparison")) == (409, "file_not_handed_out")
    assert refused(unharmed.get("files/1/score")) == (404, "not_answered")
    assert refused(unharmed.get("report")) == (409, "session_open")


NO_ROUTES = [
    ("GET", "/v1"),
    ("GET", "/v1/sessions/"),
    ("DELETE", "/v1/sessions"),
    ("PATCH", "/v1/sessions/{session}"),
    ("POST", "/v1/sessions/{session}/next"),
    ("GET", "/v1/sessions/{session}/abort"),
    ("POST", "/v1/sessions/{session}/files/1/answer"),
    ("GET", "/v1/sessions/{session}/files/1/answers"),
    ("DELETE", "/v1/sessions/{session}/log"),
    ("PUT", "/v1/cycle"),
    ("TRACE", "/v1/cycle"),
    ("PROPFIND", "/v1/cycle"),
    ("GET", "/v1/cycle/"),
    ("GET", "/docs/../../etc/passwd"),
    ("GET", "/v1/" + "x" * 8000),
]


def test_what_is_no_route_is_said_in_our_form(unharmed: Program) -> None:
    for method, path in NO_ROUTES:
        address = path.replace("{session}", unharmed.session_id)
        assert raw(unharmed, method, address) == (404, "unknown_route"), f"{method} {path[:40]}"


def test_what_is_not_the_interfaces_is_the_sites_which_is_not_built_here(unharmed: Program) -> None:
    for path in ("/", "/v2/sessions", "/V1/cycle", "/" + "x" * 8000):
        status, text = raw(unharmed, "GET", path)
        assert (status, "make site" in str(text)) == (404, True), path[:40]


def test_a_path_with_control_characters_never_reaches_the_platform(unharmed: Program) -> None:
    paths = ("/v1/cycle%00", "/v1/sessions/%0d%0aX:%20y", "/v1/sessions/%ff%fe", "/v1/%C2%85", "/v1/sessions/%7f")
    for path in paths:
        assert raw(unharmed, "GET", path) == (400, "Bad Request"), path


def test_a_name_that_cannot_be_a_sessions_is_an_unknown_session(unharmed: Program) -> None:
    for name in ("x", "A" * 15, "1" * 14, "1" * 16, "%D1%8F" * 15, "..%2F..", "a b", "null", "{}"):
        path = "/v1/sessions/" + name.replace(" ", "%20")
        assert raw(unharmed, "GET", path) in {(404, "unknown_session"), (404, "unknown_route")}, name
        assert raw(unharmed, "GET", path + "/next") in {(404, "unknown_session"), (404, "unknown_route")}, name


def test_a_query_outside_its_bounds_is_refused(unharmed: Program) -> None:
    bounds = ["limit=0", "limit=101", "limit=x", "limit=1&limit=2", "limit="]
    for query in (*bounds, "mode=Final", "before=x", "before=2026-02-30"):
        assert refused(unharmed.ask("GET", f"/v1/sessions?{query}")) == (422, "invalid_request"), query


def test_a_page_that_is_none_is_refused(unharmed: Program) -> None:
    for query in ("after=x", "after=0001%23", "after=%00", "limit=1001", "limit=-1"):
        assert refused(unharmed.get(f"receipts?{query}")) == (422, "invalid_request"), query


def test_a_key_beyond_its_bounds_is_refused_before_anything_is_done(unharmed: Program, content: Any) -> None:
    assert refused(unharmed.answer(1, content, key="k" * 201)) == (422, "invalid_request")
    assert refused(unharmed.answer(1, content, key="")) == (422, "invalid_request")


def test_huge_headers_are_the_gateways_to_refuse(unharmed: Program) -> None:
    answered = unharmed.ask("GET", "/v1/cycle", headers={"X-Huge": "x" * 12_000})
    assert (answered.status_code, answered.json()) == (431, {"message": "Request Header Fields Too Large"})
    answered = unharmed.answer(1, b"{", key="k" * 12_000)
    assert answered.status_code == 431


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


def test_an_abort_takes_no_nonsense(unharmed: Program) -> None:
    where = unharmed.path("abort")
    kind = {"Content-Type": "application/json"}
    assert refused(unharmed.ask("POST", where, content=b"{", headers=kind)) == (400, "malformed_json")
    assert refused(unharmed.ask("POST", where, content=b"[]", headers=kind)) == (422, "invalid_request")
    assert refused(unharmed.ask("POST", where, json=[{"confirm": True}])) == (422, "invalid_request")
    assert refused(unharmed.ask("POST", where, json={"confirm": "yes"})) == (422, "invalid_request")
    assert refused(unharmed.ask("POST", where, json={"force": True})) == (422, "invalid_request")


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
