"""Bad input at the HTTP interface: a precise refusal in our form, nothing half-written, no stack trace, ever."""

from __future__ import annotations

import base64
import json
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator
from typing import Annotated, Any, get_args
from urllib.parse import quote

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, TypeAdapter, ValidationError
from pydantic_core.core_schema import ErrorType

import dispatch.api
import dispatch.public
import score.api
import submit.api
from contest import errors
from contest.experts.wire import SuggestionsRequest
from contest.operations.wire import RedriveRequest
from contest.people.rules import UNSEEN, Identity, Role, may
from contest.people.wire import TeamRequest
from contest.refusals import ContestError
from contest.routes import ROUTES
from contest.wire import NOT_BLANK, UNKNOWN, details_of
from tests.examples import examples
from tests.stage import Answered, Context, Program, staged

pytestmark = pytest.mark.integration

KINDS = set(get_args(ErrorType)) - {"missing", "too_long", "too_short"}
"""Error types of the validation library, which are not codes of the platform."""
CODES = {each.code for each in ContestError.__subclasses__() if each.__module__.startswith(errors.__name__)}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """Return a program with its first file handed out."""
    with staged(tmp_path_factory.mktemp("faults")) as stage:
        stage.load()
        ready = Program(stage, stage.team("red"))
        ready.open()
        ready.get("files/1")
        yield ready


@pytest.fixture
def patient(program: Program) -> Program:
    program.stage.advance(1)
    return program


def refusal_of(answered: Answered) -> Any:
    """Return the error of a refusal after checking its form: a problem (RFC 9457) with the same content."""
    assert answered.headers["content-type"] == "application/problem+json"
    told = answered.json
    error = told.pop("error")
    assert set(told) == {"type", "title", "title_ru", "status", "detail", "detail_ru", "instance"}
    assert (told["status"], told["title"], told["title_ru"]) == (answered.status, error["message"], error["message_ru"])
    assert told["type"] == f"/docs/errors#{error['code']}"
    assert told["instance"] == "urn:hurdle:request:gateway-request-1"
    said = [each["message"] for each in error["details"]] or [error["message"]]
    assert said[0] in told["detail"]
    assert set(error) == {"code", "message", "message_ru", "details", "request_id"}
    assert error["code"] in CODES
    assert all(re.search("[а-я]", each["message_ru"]) for each in error["details"]), error
    assert error["request_id"] == "gateway-request-1"
    assert "Traceback" not in answered.text
    return error


OWN_FILES = "/v1/sessions/{session}/files/"


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        *((path, 404, "unknown_route") for path in ("/", "/v1", "/v1/sessions/", "/v1/nothing", "//v1/cycle")),
        *((path, 404, "unknown_route") for path in ("/v1/cycle%00", "/v1/cycle%0a%0d", "/v1/%F0%9F%A6%94")),
        *((path, 404, "unknown_route") for path in ("/v1/sessions/a/b/c", "/v1/" + "x" * 5000)),
        *((OWN_FILES + number, 422, "invalid_request") for number in ("x", "1.5", "1e3", "%00", "0x1", "٣x")),
        *((OWN_FILES + number, 404, "unknown_file") for number in ("0", "-1", "5", "1001", "9" * 23)),
        *((f"/v1/sessions?limit={limit}", 422, "invalid_request") for limit in (0, 101, "x")),
        *(("/v1/sessions?before=" + day, 422, "invalid_request") for day in ("yesterday", "2026-02-30T00:00:00.000Z")),
        ("/v1/sessions?mode=Final", 422, "invalid_request"),
    ],
)
def test_a_wrong_path_or_query_is_refused_in_our_form(patient: Program, path: str, status: int, code: str) -> None:
    error = refusal_of(answered := patient.ask("GET", path.format(session=patient.session_id)))
    assert (answered.status, error["code"]) == (status, code)
    if status == 422 and path.startswith(OWN_FILES):
        assert error["details"][0]["field"] == "path.number"


def test_another_method_and_a_key_that_is_too_long_are_refused_in_our_form(patient: Program) -> None:
    for method, path in (("DELETE", "/v1/sessions"), ("PATCH", "/v1/cycle")):
        answered = patient.ask(method, path)
        assert (answered.status, refusal_of(answered)["code"]) == (404, "unknown_route")
    answered = patient.ask("POST", "/v1/sessions", {"set": "train"}, key="k" * 201)
    assert (answered.status, refusal_of(answered)["code"]) == (422, "invalid_request")


def test_a_name_that_cannot_be_a_sessions_is_an_unknown_session(patient: Program) -> None:
    names = ("x", "S" * 15, "%00" * 15, "0" + "1" * 14, "1" * 16, "a" * 3000, "..", "%2e%2e", "a%2Fb")
    for name in (*names, quote("я" * 15), quote("٣" * 15)):
        patient.stage.advance(1)
        answered = patient.ask("GET", f"/v1/sessions/{name}")
        assert (answered.status, refusal_of(answered)["code"]) == (404, answered.code), name
        assert answered.code in {"unknown_session", "unknown_route"}, name


def test_a_name_longer_than_the_keys_of_storage_is_refused_by_every_route(patient: Program) -> None:
    statuses = {}
    for route in ROUTES:
        path = re.sub(r"\{(?!number)\w+\}", "a" * 3000, route.path).replace("{number}", "1")
        patient.stage.advance(1)
        event = patient.stage.event(route.method, path, {}, None, None) | {"routeKey": route.key}
        if not route.public:
            role = next(role for role in Role if may(Identity(role), route.right))
            event["requestContext"]["authorizer"] = {"lambda": {"role": role, "team_id": "red", "person_id": "one"}}
        statuses[route.key] = patient.stage.invoke(route.function.lower(), event)["statusCode"]
    assert [key for key, status in statuses.items() if status >= 500] == []
    of_items, of_objects = "GET /v1/announcements/{announcement_id}", "GET /v1/conduct/errands/{errand_id}"
    assert (statuses[of_items], statuses[of_objects]) == (404, 404)


def test_a_body_that_is_no_json_is_malformed_and_of_another_form_an_invalid_request(patient: Program) -> None:
    malformed = ("{", "", "nul", "{'set': 'train'}", b"\xff\xfe\x00", '{"set": "train"}'.encode("utf-16"))
    for body in (
        *malformed,
        "[" * 100_000,
        '{"set": ' + "1" * 5000 + "}",
        '{"set": "' + "x" * 70_000 + '"}',
        '"\ud800"',
    ):
        patient.stage.advance(1)
        answered = patient.ask("POST", "/v1/sessions", body)
        result = (answered.status, refusal_of(answered)["code"])
        assert result in {(400, "malformed_json"), (422, "invalid_request")}, body[:20]
    patient.stage.advance(1)
    for body in ("[]", "null", "1", '"x"', "{}", '{"set": null}', '{"set": {"a": 1}}', "[[]]"):
        answered = patient.ask("POST", "/v1/sessions", body)
        error = refusal_of(answered)
        assert (answered.status, error["code"]) == (422, "invalid_request"), body
        assert all(each["field"].startswith("body") for each in error["details"]), body
        in_both_languages(error)


@pytest.mark.parametrize(
    ("body", "problem", "place"),
    [
        ('{\n"set": }', "broken_json", (2, 8)),
        (b'{"set": "\xff"}', "wrong_encoding", (1, 10)),
        (b"\x1f\x8b\x08", "wrong_encoding", (1, 1)),
        ('{"set": "train", "set": "test"}', "duplicate_key", (1, 18)),
        ('{"files": NaN}', "not_a_number", (1, 11)),
        ('{"set": "' + "я" * 65_527 + '"}', "too_big", (0, 0)),
    ],
)
def test_a_malformed_body_is_refused_with_its_place(
    patient: Program, body: str | bytes, problem: str, place: tuple[int, int]
) -> None:
    answered = patient.ask("POST", "/v1/sessions", body)
    assert (answered.status, answered.code) == (400, "malformed_json")
    (detail,) = refusal_of(answered)["details"]
    assert (detail["problem"], detail["line"], detail["column"]) == (problem, *place)
    in_both_languages({"details": [detail]})


def in_both_languages(error: Any) -> None:
    """Assert that each detail of a form error has a Russian message other than the one for unforeseen errors."""
    for each in error["details"]:
        assert re.search("[а-я]", each["message_ru"])
        assert not re.search("[а-я]", each["message"])
        assert each["message_ru"] != UNKNOWN[1], each
        assert each["code"] not in KINDS, each


@pytest.mark.parametrize(
    ("order", "russian"),
    [
        ({"set": "train", "files": 0}, "нужно не меньше 1"),
        ({"set": "train", "files": 5001}, "нужно не больше 5000"),
        ({"set": "train", "files": 1001}, "допустимо: 1–1000"),
        ({"set": "train", "files": 1.5}, "нужно целое число"),
        ({"set": "train", "files": "many"}, "нужно целое число"),
        ({"set": "train", "mode": "none"}, "в этом конкурсе есть режимы сессий: algorithmic, technical, final"),
        ({"set": "Train"}, "строка не соответствует образцу ^[a-z0-9][a-z0-9-]{0,39}$"),
        ({"set": "train", "client": {"name": "", "version": "1"}}, "знаков в строке нужно не меньше 1"),
        ({"set": "train", "client": {"name": "x" * 101, "version": "1"}}, "знаков в строке нужно не больше 100"),
        ({"set": "train", "client": {"name": "x"}}, "поле обязательно"),
        ({"set": "train", "colour": "red"}, "такого поля нет"),
        ({"set": "train", "client": []}, "нужен объект"),
    ],
)
def test_what_is_wrong_with_a_request_is_told_in_russian_too(patient: Program, order: Any, russian: str) -> None:
    error = refusal_of(patient.ask("POST", "/v1/sessions", order))
    in_both_languages(error)
    assert [each["message_ru"] for each in error["details"]] == [russian]


def test_a_name_that_is_no_line_is_refused_in_words_not_by_a_pattern() -> None:
    with pytest.raises(ValidationError) as refused:
        TeamRequest(team_id="owls", name="Owls\tof Omsk")
    (detail,) = details_of(refused.value.errors())
    in_both_languages({"details": [detail]})
    assert "one line" in detail["message"]


@pytest.mark.parametrize(
    ("model", "order"),
    [
        (SuggestionsRequest, {"session": "1" * 15, "phrases": {"a": "b"}}),
        (RedriveRequest, {"queue": "scoring", "letter_ids": ["scoring-" + "0" * 16]}),
    ],
)
def test_one_of_several_fields_is_demanded_in_both_languages(model: type[BaseModel], order: Any) -> None:
    with pytest.raises(ValidationError) as refused:
        model.model_validate(order)
    (detail,) = details_of(refused.value.errors())
    in_both_languages({"details": [detail]})
    assert detail["message"].startswith("name ")
    assert not re.search("name|Value", detail["message_ru"])


@settings(max_examples=examples(20))
@given(data=st.data())
def test_no_fault_of_a_requests_form_lacks_its_russian(program: Program, data: st.DataObject) -> None:
    program.stage.advance(1)
    body = data.draw(json_bodies())
    query = "&".join(f"{name}={data.draw(st.sampled_from(['', 'x', '-1', '1.5', '9' * 50]))}" for name in QUERY)
    for answered in (program.ask("POST", "/v1/sessions", body), program.ask("GET", f"/v1/sessions?{query}")):
        if answered.status >= 400:
            in_both_languages(answered.json["error"])
        assert answered.status in {200, 201, 400, 403, 404, 409, 422}


def test_another_content_type_is_refused_in_our_form_and_an_authorization_that_is_none(patient: Program) -> None:
    for kind in ("text/xml", "application/x-www-form-urlencoded", "multipart/form-data", "\x00"):
        sent = {"content-type": kind}
        answered = patient.stage.request("POST", "/v1/sessions", '{"set": "train"}', patient.token, sent)
        assert refusal_of(answered)["code"] in {"invalid_request", "session_already_open"}, kind
    for header in ("", "Bearer", "Bearer x", "Basic eDp5", "Bearer hrd_" + "я" * 43, "\x00"):
        assert patient.stage.request("GET", "/v1/sessions", None, None, {"Authorization": header}).status == 401, header


def test_base64_that_is_none_is_malformed(patient: Program) -> None:
    path = f"/v1/sessions/{patient.session_id}/files/1/answer"
    event = patient.stage.event("PUT", path, "!!", None, None)
    context = {"role": "program", "team_id": "red", "token_id": "k"}
    event["requestContext"]["authorizer"] = {"lambda": context}
    answered = submit.api.handler({**event, "isBase64Encoded": True, "routeKey": "$default"}, Context())
    assert (answered["statusCode"], json.loads(answered["body"])["error"]["code"]) == (400, "malformed_json")


@settings(max_examples=examples(20))
@given(data=st.data())
def test_no_request_whatever_gets_anything_but_an_answer_of_our_form(program: Program, data: st.DataObject) -> None:
    """Any method, path, body and headers at any of the functions, by way of a route or past it."""
    program.stage.advance(1)
    route = data.draw(st.sampled_from(ROUTES))
    word = st.text(max_size=30) | st.sampled_from(["1", "4", program.session_id])
    path = route.path.replace("{session_id}", data.draw(word)).replace("{number}", data.draw(word))
    body = data.draw(st.none() | st.binary(max_size=80) | st.text(max_size=80) | json_bodies())
    event = program.stage.event(route.method, "/", None, None, {"idempotency-key": data.draw(st.text(max_size=20))})
    event["requestContext"]["http"]["path"] = event["rawPath"] = path
    event["routeKey"] = data.draw(st.sampled_from([route.key, "$default"]))
    event["queryStringParameters"] = data.draw(st.none() | st.dictionaries(st.sampled_from(QUERY), st.text()))
    encoded = isinstance(body, bytes)
    event["body"] = base64.b64encode(body).decode() if isinstance(body, bytes) else body
    event["isBase64Encoded"] = encoded
    context = {"role": "program", "team_id": "red", "token_id": "k"}
    event["requestContext"]["authorizer"] = {"lambda": context}
    functions = [dispatch.api, submit.api, score.api, dispatch.public]
    handler = data.draw(st.sampled_from([each.handler for each in functions]))
    answered = handler(event, Context())
    assert answered["statusCode"] < 500, answered["body"]
    if answered["statusCode"] >= 400:
        given = {name.lower(): value for name, value in answered["headers"].items()}
        sent = answered["body"]
        text = base64.b64decode(sent).decode() if answered.get("isBase64Encoded") else sent
        refusal_of(Answered(answered["statusCode"], given, text))


QUERY = ["limit", "mode", "before", "after", "language"]


def json_bodies() -> st.SearchStrategy[str]:
    """JSON texts, some of which are nearly requests."""
    values = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
        max_leaves=6,
    )
    orders = st.dictionaries(st.sampled_from(["mode", "set", "files", "language", "time_limit_s", "client"]), values)
    answers = st.dictionaries(st.sampled_from(["letters", "confirm"]), values)
    return (values | orders | answers).map(json.dumps)


def matching(pattern: str) -> list[Callable[[str], bool]]:
    """Return a pattern's matchers: Python, the library behind the API, and JavaScript's dialect of a JSON Schema."""
    library = TypeAdapter(Annotated[str, Field(pattern=pattern)])

    def in_the_library(text: str) -> bool:
        try:
            library.validate_python(text)
        except ValidationError:
            return False
        return True

    schema = jsonschema_rs.validator_for({"type": "string", "pattern": pattern})
    return [lambda text: re.search(pattern, text) is not None, in_the_library, schema.is_valid]


def test_whoever_reads_the_schema_takes_the_same_texts_for_blank_as_the_platform() -> None:
    # Every blank of Unicode lies below U+3001, and JavaScript's own one at U+FEFF; of what follows a sample is read.
    points = (*range(0x3100), 0xFEFF, *range(0x3100, sys.maxunicode + 1, 61))
    everything = [chr(point) for point in points if not 0xD800 <= point <= 0xDFFF]
    said = [{each for each in everything if not matches(each)} for matches in matching(NOT_BLANK)]
    plain = [{each for each in everything if not matches(each)} for matches in matching(r"\S")]
    assert said[0] == said[1] == said[2] >= plain[0] | plain[1] | plain[2]
    assert plain[0] != plain[1] != plain[2], "then \\S would do"
    drawn = {char for char in everything if unicodedata.category(char)[0] in "LNPS" and not UNSEEN.match(char)}
    assert not said[0] & drawn
    unseen = "\0\x7f\xad\u200b\u200d\u202e\u2060\u2800\u3164\ufe0f\uffa0\U000e0041"
    assert [matches(unseen) for matches in matching(NOT_BLANK)] == [False] * 3
    assert [matches(f"{unseen}?") for matches in matching(NOT_BLANK)] == [True] * 3


def test_a_blank_reason_is_refused_in_words_that_need_no_pattern(program: Program) -> None:
    organizer = Program(program.stage, program.stage.person(Role.ORGANIZER))
    refused = organizer.ask("POST", "/v1/parameter-changes/1/withdrawal", {"reason": "\x85"})
    (detail,) = refusal_of(refused)["details"]
    assert (detail["code"], detail["field"]) == ("wrong_form", "body.reason")
    assert detail["message"] == "Text should not be empty or blank"
    assert detail["message_ru"] == "строка пуста или состоит из одних пробелов"
