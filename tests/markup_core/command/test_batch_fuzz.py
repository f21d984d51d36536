"""``batch`` under requests of every kind: one answer per line, valid UTF-8 JSON, never a fault of its own."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markup_core.command.batch import reply_to, serve
from markup_core.command.operations import OPERATIONS, encode
from markup_core.reading import wire

pytestmark = pytest.mark.property

TEXTS = st.text(st.characters(codec=None), max_size=8)  # half surrogate pairs too
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
TEXT = "Один два, три — четыре."
SPAN = st.tuples(st.integers(0, len(TEXT)), st.integers(0, len(TEXT))).map(sorted)


@st.composite
def fragments(draw: st.DrawFn) -> dict[str, Any]:
    start, end = draw(SPAN)
    fields = {
        "id": draw(st.integers(0, 3)),
        "startSelection": start,
        "endSelection": end,
        "type": draw(st.sampled_from(["Г.упр", "г.УПР", "Р.лишн", "ПРИМЕР", "Л.скачок", "П.опора"])),
        "comment": draw(st.sampled_from(["", "лишнее слово", "слово лишнее"])),
        "correction": draw(st.sampled_from(["", "два", "ДВА"])),
        "explanation": draw(st.sampled_from(["", "потому что"])),
    }
    for name in draw(st.lists(st.sampled_from(sorted(fields)), max_size=1)):
        fields[name] = draw(JSON | st.just(fields[name]))
    return fields


@st.composite
def markups(draw: st.DrawFn) -> Any:
    markup = {
        "meta": {"subject": draw(st.sampled_from(["rus", "rus", "rus", "lit", "?"]))},
        "selections": draw(st.lists(fragments(), max_size=5)),
        "text": draw(st.sampled_from([TEXT, TEXT, TEXT, ""])),
    }
    for name in draw(st.lists(st.sampled_from(sorted(markup)), max_size=1)):
        markup[name] = draw(JSON | st.just(markup[name]))
    return draw(st.just(markup) | st.just(markup) | JSON)


ESSAYS = st.fixed_dictionaries(
    {},
    optional={
        "algorithm": markups() | st.none(),
        "experts": st.lists(markups(), max_size=3) | JSON,
        "ratings": JSON | st.just({"1": [[1, 0, 1, 0, 1]]}),
    },
)
REQUESTS = st.fixed_dictionaries(
    {"op": st.sampled_from(sorted(OPERATIONS)) | JSON},
    optional={
        "id": JSON,
        "text": JSON | st.just("Предмет: rus\n\nа (\\ Г.упр \\ б \\)"),
        **dict.fromkeys(("markup", "x", "y", "first", "second", "algorithm"), markups()),
        "experts": st.lists(markups(), max_size=3) | JSON,
        "essays": st.lists(ESSAYS | JSON, max_size=3) | JSON,
        "params": JSON | st.just({"hardness": 0.5}) | st.just({"weights": [0, 1, 0, 0, 0, 0, 1]}),
        "ratings": JSON | st.just({"1": [[1, 0, 1, 0, 1]]}),
        "x_is_expert": JSON,
        "seed": JSON,
    },
)


def whole(markup: dict[str, Any]) -> dict[str, Any]:
    """Return a request with the input of every operation."""
    both = [markup, markup]
    named = dict.fromkeys(("markup", "x", "y", "first", "second", "algorithm"), markup)
    return {**named, "experts": both, "essays": [{"algorithm": markup, "experts": both}], "text": "\nа"}


@given(REQUESTS)
def test_any_request_gets_an_answer_with_its_id(request: dict[str, Any]) -> None:
    check(request)


@given(REQUESTS)
def test_the_answer_has_the_same_bytes_without_the_fast_json_library(request: dict[str, Any]) -> None:
    line = json.dumps(request).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wire, "orjson", None)
        expected = encode(reply_to(line))
    answers = io.BytesIO()
    serve(io.BytesIO(line), answers)
    assert answers.getvalue() == expected + b"\n"


@given(markups(), st.sampled_from(sorted(OPERATIONS)))
def test_any_markup_is_answered_by_every_operation(markup: Any, op: str) -> None:
    check({"id": 1, "op": op, **whole(markup)})


def check(request: dict[str, Any]) -> None:
    answers = io.BytesIO()
    serve(io.BytesIO(json.dumps(request).encode() + b"\n"), answers)
    data = answers.getvalue()
    assert data.count(b"\n") == 1
    found = json.loads(data.decode("utf-8"), parse_constant=pytest.fail)
    assert found["id"] == request.get("id")
    if found["ok"]:
        assert found.keys() == {"id", "ok", "result", "fingerprint"}
    else:
        assert found.keys() == {"id", "ok", "error"}
        assert found["error"]["code"] != "internal_error", found


@given(st.binary(max_size=40) | JSON.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_get_an_answer_and_no_fault_of_the_library(line: bytes) -> None:
    found = reply_to(line.replace(b"\n", b" "))
    assert not found["ok"]
    assert found["error"]["code"] in ("invalid_json", "invalid_request", "unknown_op")
