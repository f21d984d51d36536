"""The API's document is what the code says. After a change: ``python tests/contest/edge/test_document.py``."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from contest.channel import rules as channel_rules
from contest.edge import document, documentation
from contest.edge.document import SCHEMAS
from contest.errors import family
from contest.messages.errors import UnknownUnsubscriptionError
from contest.results.rules import leaderboard
from contest.routes import ROUTES, Right
from contest.wire import MEDIA_TYPE, REFUSED, Problem
from tests.apps import APPS
from tests.toys import ToyTrack
from tracks import registry

PLACE = Path(__file__).resolve().parents[3] / "layers/contest/src/contest" / documentation.NAME
GATEWAY = {"401", "403"}
"""Statuses with which the gateway may refuse by itself, in its own form."""
NAMED = family()


def built() -> dict[str, Any]:
    return document.build(APPS, [registry.get(name) for name in registry.names()])


@pytest.fixture(scope="module")
def openapi() -> dict[str, Any]:
    return built()


def operations(openapi: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    """Return every operation by method and path, with its shared responses and parameters in full."""
    return {
        (method.upper(), path): {
            **operation,
            "responses": documentation.responses(openapi, operation),
            "parameters": documentation.parameters(openapi, operation),
        }
        for path, methods in openapi["paths"].items()
        for method, operation in methods.items()
    }


def test_the_checked_in_document_is_the_codes(openapi: dict[str, Any]) -> None:
    assert PLACE.read_text("utf-8") == document.document_json(openapi), (
        "run: PYTHONPATH=.:functions python tests/contest/edge/test_document.py"
    )


@pytest.mark.long
def test_the_document_is_openapi_3_1(openapi: dict[str, Any]) -> None:
    assert openapi["openapi"].startswith("3.1")
    import openapi_spec_validator  # half a second, for this file alone

    openapi_spec_validator.validate(openapi)


def test_every_route_of_the_table_is_documented_and_no_other(openapi: dict[str, Any]) -> None:
    assert set(operations(openapi)) == {(route.method, route.path) for route in ROUTES if route.documented}


def test_what_has_one_name_is_one_thing_in_all_functions() -> None:
    """The functions' documents are put together by the names of their schemas."""
    found: dict[str, Any] = {}
    for app in APPS:
        document.describe(app)
        said = app.get_openapi_json_schema(title="x", version="1", security_schemes=document.SCHEMES)
        for name, schema in json.loads(said)["components"]["schemas"].items():
            assert found.setdefault(name, schema) == schema, name


def test_what_several_operations_have_is_written_once(openapi: dict[str, Any]) -> None:
    """Refer to each shared part twice at least, and write no part twice in full."""
    text = json.dumps(openapi["paths"])
    for kind, parts in (
        ("responses", openapi["components"]["responses"]),
        ("parameters", openapi["components"]["parameters"]),
    ):
        for name in parts:
            assert text.count(json.dumps(f"#/components/{kind}/{name}")) > 1, name
    whole = [
        response
        for methods in openapi["paths"].values()
        for each in methods.values()
        for response in each["responses"].values()
    ]
    texts = [json.dumps(response) for response in whole if "$ref" not in response]
    assert len(set(texts)) == len(texts)


def test_moments_ids_and_reasons_are_written_once(openapi: dict[str, Any]) -> None:
    schemas = openapi["components"]["schemas"]
    bodies = json.dumps([each for each in schemas.values() if "properties" in each])
    for name in ("Moment", "Sha256", "SessionId", "RunId", "FileId", "ImportId", "DecisionReason"):
        assert json.dumps(schemas[name]) not in bodies, name
        assert f'"{SCHEMAS}{name}"' in bodies


def test_what_all_contests_have_in_common_is_described_once(openapi: dict[str, Any]) -> None:
    schemas = openapi["components"]["schemas"]
    assert "description" in schemas["ReportBodyFields"]["properties"]["readiness"]
    for report in (schemas[f"{name.capitalize()}ReportBody"] for name in registry.names()):
        shared, own = report["allOf"]
        assert shared == {"$ref": f"{SCHEMAS}ReportBodyFields"}
        assert "readiness" not in own["properties"]
    assert "description" in schemas["ReportBody"]
    report = dict.fromkeys(schemas["ReportBodyFields"]["properties"]) | {"unknown": 1}
    form = jsonschema.Draft202012Validator({"$ref": f"{SCHEMAS}ExamReportBody", **openapi})
    assert any("unknown" in error.message for error in form.iter_errors(report)), "no field is added unseen"


def test_titles_that_are_names_go_and_what_is_called_title_stays() -> None:
    schema = {
        "title": "A",
        "properties": {"title": {"title": "Title", "const": {"title": "x"}}},
        "enum": [{"title": "y"}],
    }
    bare = {"properties": {"title": {"const": {"title": "x"}}}, "enum": [{"title": "y"}]}
    assert document.without_titles(schema) == bare
    assert document.without_titles({"title": schema}, named=True) == {"title": bare}


def test_what_needs_a_token_says_so(openapi: dict[str, Any]) -> None:
    program, person = {"program": []}, {"person": []}
    security = {route: operation.get("security") for route, operation in operations(openapi).items()}
    assert {route for route, schemes in security.items() if schemes} == {
        (route.method, route.path) for route in ROUTES if route.authorized
    }
    assert security["PUT", "/v1/sessions/{session_id}/files/{number}/answer"] == [program]
    assert security["GET", "/v1/sessions/{session_id}/report"] == [program, person]
    assert security["POST", "/v1/staff"] == [person]
    assert openapi["components"]["securitySchemes"]["program"]["scheme"] == "bearer"


def test_every_refusal_has_the_one_form(openapi: dict[str, Any]) -> None:
    for route, operation in operations(openapi).items():
        for status, answer in operation["responses"].items():
            if int(status) < 400:
                continue
            row = next(row for row in ROUTES if (row.method, row.path) == route)
            gateways = (status in GATEWAY and not row.public) or (status == "429" and row.limit is not None)
            assert ("application/json" in answer["content"]) == gateways, (route, status)
            if MEDIA_TYPE in answer["content"]:
                told = answer["content"][MEDIA_TYPE]
                assert told["schema"] == {"$ref": f"#/components/schemas/{Problem.__name__}"}, (route, status)
                assert [f"`{code}`" for code in documentation.codes(answer)] == answer["description"].split(", ")
                with_example = documentation.codes_with_details() if row.right is Right.EXCHANGE else frozenset()
                assert set(told.get("examples", ())) == set(documentation.codes(answer)) & with_example
            else:
                assert status == "401" or (status == "429" and row.public), (route, status)


def test_every_error_that_http_can_say_is_documented_somewhere(openapi: dict[str, Any]) -> None:
    """But what only earlier clients and mail programs meet, whose routes it leaves out; the page of errors has it."""
    responses = json.dumps([operation["responses"] for operation in operations(openapi).values()])
    unsaid = {each.code for each in NAMED if f"`{each.code}`" not in responses}
    only_earlier = {refusal.code for refusal in NAMED if refusal.__module__ == channel_rules.__name__}
    assert unsaid - only_earlier == {UnknownUnsubscriptionError.code}


def test_every_error_has_an_example_that_has_the_documented_form(openapi: dict[str, Any]) -> None:
    """The document holds those that programs get in a session and that say more than code and sentence."""
    bodies = documentation.examples()
    assert set(bodies) == {each.code for each in NAMED} | {REFUSED}
    form = {"$ref": "#/components/schemas/Problem", "components": openapi["components"]}
    for code, body in bodies.items():
        jsonschema.Draft202012Validator(form).validate(body)
        assert code in {body["error"]["code"], REFUSED}
        assert body["type"] == f"/docs/errors#{code}"
    examples = openapi["components"]["examples"]
    assert examples == {code: {"value": body} for code, body in bodies.items() if code in examples}
    assert {"already_participated", "outside_stage"} <= set(examples)


def test_what_only_decisions_refuse_is_documented_where_people_decide(openapi: dict[str, Any]) -> None:
    decided = {
        route
        for route, operation in operations(openapi).items()
        if "`refused`" in str(operation["responses"].get("409"))
    }
    assert {("POST", "/v1/conduct/annulments"), ("POST", "/v1/teams/{team_id}/decision")} <= decided
    assert decided & {("POST", "/v1/sessions"), ("GET", "/v1/cycle"), ("POST", "/v1/applications")} == set()


def test_what_refuses_with_figures_has_an_example_with_figures() -> None:
    makers = {each.code for each in NAMED if any(isinstance(part, classmethod) for part in vars(each).values())}
    assert makers & {code for code, body in documentation.examples().items() if not body["error"]["details"]} == set()


def test_every_contest_has_forms_of_its_own_and_what_is_referred_to_is_there(openapi: dict[str, Any]) -> None:
    """No schema is left that "may be anything", and every choice among contests has all of them."""
    assert "x-track" not in json.dumps(openapi)
    schemas = openapi["components"]["schemas"]
    chosen = {name for name in schemas if f"Essay{name}" in schemas}
    assert {"BoardBody", "ReportBody", "FileBody", "ScoreBody", "ClassifierBody", "SubmissionReport"} <= chosen
    for name in chosen:
        among = [f"{track.capitalize()}{name}" for track in registry.names()]
        assert [each["$ref"] for each in schemas[name]["anyOf"]] == [f"{SCHEMAS}{each}" for each in among], name
    schemas = openapi["components"]["schemas"]
    among = schemas["TurnBody"]["properties"]["response"]["anyOf"]
    assert {each.get("$ref") or each["type"] for each in among} == {f"{SCHEMAS}DiagnosisResponse", "null"}
    assert "EssayAnsweredBody" not in schemas
    for kind, named in set(re.findall(r'"#/components/(\w+)/([^"/]+)"', json.dumps(openapi))):
        assert named in openapi["components"][kind], f"{kind}/{named}"


def test_generators_find_every_part_once_and_before_what_stands_on_it(openapi: dict[str, Any]) -> None:
    """Generators make a class of each schema and fail at a repeated name, an unused schema or a late definition."""
    schemas = openapi["components"]["schemas"]
    titles = [each.get("title", name) for name, each in schemas.items()]
    assert [title for title in titles if titles.count(title) > 1] == []
    assert [name for name in schemas if "__" in name] == []
    whole = json.dumps(openapi)
    assert [name for name in schemas if f'"{SCHEMAS}{name}"' not in whole] == []
    seen: set[str] = set()
    for name, schema in schemas.items():
        referred = set(re.findall(rf'"{SCHEMAS}(\w+)"', json.dumps(schema))) - {name}
        assert referred <= seen, name
        seen.add(name)


@pytest.mark.long
def test_two_tracks_are_told_apart_by_their_names() -> None:
    import openapi_spec_validator

    openapi = document.build(APPS, [registry.get("essay"), ToyTrack()])
    openapi_spec_validator.validate(openapi)
    schemas = openapi["components"]["schemas"]
    board = schemas["BoardBody"]
    assert set(board["discriminator"]["mapping"]) == {"essay", "toy"}
    rules = leaderboard.describe_board(ToyTrack().boards()[0])
    rows = {"cycle": "c", "board": rules, "language": "all", "rows": [], "server_time": "2026-11-21T03:57:32.123Z"}
    form = jsonschema.Draft202012Validator({"$ref": f"{SCHEMAS}BoardBody", "components": openapi["components"]})
    assert [form.is_valid({**rows, "track": name}) for name in ("essay", "toy", "other")] == [True, True, False]


def test_two_models_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="two models of the document have the name Letters"):
        document.build(APPS[1:2], [ToyTrack(), type("Other", (ToyTrack,), {"name": "other"})()])


def test_operations_have_short_names_of_their_own_and_tags_that_are_described(openapi: dict[str, Any]) -> None:
    """Clients are generated with functions of these names, which the checked-in document holds."""
    names, tags = [], set[str]()
    for operation in operations(openapi).values():
        (tag,) = operation["tags"]
        names.append(operation["operationId"])
        tags.add(tag)
        assert re.fullmatch(r"[a-z]+(_[a-z]+){0,4}", names[-1]), names[-1]
        assert operation["summary"]
        assert operation["description"]
    assert len(set(names)) == len(names) > 150
    described = {each["name"]: each["description"] for each in openapi["tags"]}
    assert described.keys() == tags
    assert all(len(description) > 10 for description in described.values())


def test_the_calls_of_a_session_are_told_in_their_order(openapi: dict[str, Any]) -> None:
    calls = re.findall(r"^\d\. .*?`([A-Z]+) (\S+)`", openapi["info"]["description"], re.MULTILINE)
    assert set(calls) <= set(operations(openapi))
    names = [operations(openapi)[call]["operationId"] for call in calls]
    assert names == ["cycle", "open_session", "next_file", "hand_out_file", "submit_answer", "session_report"]


def test_patterns_compile_in_javascript_with_and_without_its_flag_for_unicode(openapi: dict[str, Any]) -> None:
    patterns = re.findall(r'"pattern": "(.+?)"[,}\n]', json.dumps(openapi, ensure_ascii=False))
    assert len(patterns) > 20
    assert [pattern for pattern in patterns if max(pattern) > "\uffff"] == []


def test_headers_are_documented_where_they_are_given(openapi: dict[str, Any]) -> None:
    given: dict[str, set[str]] = {}
    for operation in operations(openapi).values():
        for status, answer in operation["responses"].items():
            for name in answer.get("headers", {}):
                given.setdefault(name, set()).add(status)
        keys = [parameter.get("name") for parameter in operation.get("parameters", [])]
        keyed = {"open_session", "submit_answer", "begin_submission"}
        assert ("Idempotency-Key" in keys) == (operation["operationId"] in keyed)
    assert given == {
        "ETag": {"200", "304"},
        "Retry-After": {"200", "202", "409", "425", "429", "503"},
        "Location": {"307"},
    }
    tagged = {(each.method, each.path) for each in ROUTES if each.tagged and each.documented}
    assert {route for route, operation in operations(openapi).items() if "304" in operation["responses"]} == tagged


if __name__ == "__main__":
    PLACE.write_text(document.document_json(built()), "utf-8")
