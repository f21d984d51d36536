"""Every operation of ``batch`` on examples small enough to count by hand; the comments count.

The text is ``аб вг де жз ик`` (14 characters, five words of two letters at 0, 3, 6, 9, 12). Its volume is below 70
words, so every grade in ``rus`` is zero; ``social`` has no least volume.

``batch`` under requests of every kind: one answer per line, valid UTF-8 JSON, never a fault of its own.
"""

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

TEXT = "аб вг де жз ик"


def mark(start: int, end: int, code: str, **fields: str) -> dict[str, Any]:
    return {"id": 1, "startSelection": start, "endSelection": end, "type": code, **fields}


def markup(subject: str, *marks: dict[str, Any]) -> dict[str, Any]:
    numbered = [{**each, "id": number} for number, each in enumerate(marks, start=1)]
    return {"meta": {"subject": subject}, "selections": numbered, "text": TEXT}


def ask(op: str, **fields: Any) -> dict[str, Any]:
    answers = io.BytesIO()
    line = json.dumps({"id": "q", "op": op, **fields}).encode()
    serve(io.BytesIO(line + b"\n"), answers)
    (reply,) = answers.getvalue().splitlines()
    found = json.loads(reply)
    assert found.pop("id") == "q"
    return found


def result(op: str, **fields: Any) -> dict[str, Any]:
    found = ask(op, **fields)
    assert found["ok"], found
    assert found.keys() == {"ok", "result", "fingerprint"}
    assert found["fingerprint"]["op"] == op
    return found["result"]


X = markup("rus", mark(0, 5, "Г.упр"), mark(6, 8, "Р.тавт"), mark(9, 11, "Л.скачок", correction="за"))
"""Words 1–2, word 3, word 4."""
Y = markup("rus", mark(0, 2, "Г.упр"), mark(6, 8, "Р.лишн"), mark(12, 14, "Л.скачок"))
"""Word 1, word 3, word 5."""


def test_the_examples_are_valid_markups() -> None:
    for each in (X, Y, SOCIAL_FULL):
        assert result("validate", markup=each) == {"errors": [], "warnings": []}


@pytest.mark.clause("R-App2 §1.2")
def test_match_takes_the_cheapest_pairs() -> None:
    # (0, 0): [0, 5) and [0, 2), equal codes: common 2, united 5, J = 3/5, L = 0.6.
    # (1, 1): the same span, other code: L = 1. Leaving both out costs 2, so they are matched.
    # (2, 2): nothing in common: J = 1, L = 2: never matched, two unmatched fragments cost 2.
    # Q = 0.6 + 1 + 1 + 1 = 3.6.
    found = result("match", x=X, y=Y)
    assert found == {
        "pairs": [[0, 0], [1, 1]],
        "q": pytest.approx(3.6, abs=1e-12),
        "unmatched_x": [2],
        "unmatched_y": [2],
    }


@pytest.mark.clause("R-App2 §1.4")
def test_a_pair_has_the_metrics_counted_by_hand() -> None:
    found = result("pair", x=X, y=Y)
    # M1: both essays are too short, K = 0 on both sides, no difference: 100.
    # M2: precision 2/3, recall 2/3, harmonic mean 2/3.
    # M3: of three fragments one is matched to its own code: 1/3.
    # M4: both pairs have neither subtype nor comment: 2/3.
    # M5: words {1, 2} and {1}: 1/2; word 3 on both sides: 1; none: 0. Mean (1/2 + 1) / 3 = 1/2.
    # M6: one fragment of X has a correction and no match: 0.
    # M7: an algorithm without explanations: 0.
    assert found["metrics"] == {
        "M1": 100.0,
        "M2": pytest.approx(200 / 3),
        "M3": pytest.approx(100 / 3),
        "M4": pytest.approx(200 / 3),
        "M5": pytest.approx(50.0),
        "M6": 0.0,
        "M7": 0.0,
    }
    # (1·100 + 2·200/3 + 100/3 + 200/3 + 50 + 0) / 7 = (100 + 133.3 + 33.3 + 66.7 + 50) / 7 = (383 1/3) / 7
    assert found["pair_accuracy"] == pytest.approx((383 + 1 / 3) / 7)
    assert found["pairs"] == [[0, 0], [1, 1]]


EMPTY = markup("rus")


def test_an_essay_takes_the_best_expert_and_the_worst_pair_of_experts() -> None:
    # A = X. M(X, X) = 100 with every metric; M(X, Y) = 383.3/7 = 54.76 as above.
    # Hardness 0: a = max(100, 54.76) = 100; e = min over both directions of M(X, Y), M(Y, X) = 54.76.
    near = (383 + 1 / 3) / 7
    found = result("essay", algorithm=X, experts=[X, Y])
    assert found["algorithm_accuracy"] == pytest.approx(100.0)
    assert found["expert_accuracy"] == pytest.approx(near)
    assert found["relative_accuracy"] == pytest.approx(100 * 100 / near)
    assert [(pair["x"], pair["y"]) for pair in found["pairs"]] == [("algorithm", 0), ("algorithm", 1), (0, 1), (1, 0)]


def test_a_sample_divides_means_over_the_same_essays() -> None:
    # Essay 1: a = 100, e = near. Essay 2: the empty markup against X and X: M1 = 100 (both 0 points), M2…M6 = 0
    # (exactly one is empty), so a = 100/7; e = 100. Essay 3 is voided and counts nowhere.
    near = (383 + 1 / 3) / 7
    essays = [
        {"algorithm": X, "experts": [X, Y]},
        {"algorithm": EMPTY, "experts": [X, X]},
        {"algorithm": None, "experts": [EMPTY, X]},
    ]
    found = result("sample", essays=essays, seed=7)
    star, ster = (100 + 100 / 7) / 2, (near + 100) / 2
    assert found["algorithm_accuracy"] == pytest.approx(star)
    assert found["expert_accuracy"] == pytest.approx(ster)
    assert found["relative_accuracy"] == pytest.approx(100 * star / ster)
    assert found["essays"] == 2
    assert found["by_subject"]["rus"]["relative_accuracy"] == pytest.approx(100 * star / ster)
    # M2 alone: algorithm 100 and 0, experts 66.7 and 100: (100 + 0) / (66.7 + 100) = 60 %.
    assert found["by_metric"]["M2"]["relative_accuracy"] == pytest.approx(60.0)
    # Two essays have no interval; three do: of 27 resamples one takes the first essay three times, eight never: with
    # 2 000 resamples the 2.5 % ends are the extremes, 100 and 100/7.
    assert set(found["interval_95"].values()) == {None}
    three = result("sample", essays=[*essays, essays[1]], seed=7)
    assert three["interval_95"]["algorithm_accuracy"] == [pytest.approx(100 / 7), pytest.approx(100.0)]
    assert [each["algorithm_accuracy"] for each in found["by_essay"]] == [
        pytest.approx(100.0),
        pytest.approx(100 / 7),
        None,
    ]


SOCIAL_FULL = markup(
    "social",
    mark(0, 2, "ИДЕЯ"),
    mark(3, 5, "ПОНЯТИЕ"),
    mark(3, 5, "ТЕОРИЯ"),
    mark(6, 8, "ЛОГИКА"),
    mark(9, 11, "ПРИМЕР.общ"),
    mark(12, 14, "ПРИМЕР.общ"),
    mark(9, 11, "О.факт"),
)


@pytest.mark.clause("R 2.15", "R-App2 §1.3")
def test_grade_counts_the_criteria() -> None:
    # K1: an idea and nothing against it: 1. K2: notion + theory = 2. K3: logic: 1.
    # K4: two general examples make one kind, [2 > 1] = 1, minus one factual error: 0. Total 4 of 6.
    found = result("grade", markup=SOCIAL_FULL)
    assert found["subject"] == "social"
    assert found["criteria"] == {"K1": 1, "K2": 2, "K3": 1, "K4": 0}
    assert (found["total"], found["max"]) == (4, 6)
    assert found["explanations"].keys() == {"K1", "K2", "K3", "K4"}
    for name, texts in found["explanations"].items():
        assert texts.keys() == {"ru", "en"}
        assert texts["en"].startswith(f"{name} = {found['criteria'][name]}")


def test_a_third_expert_is_needed_when_one_sees_no_idea() -> None:
    # Without an idea everything is 0: the totals 4 and 0 differ by 4 (limit 3), K2 by 2 (limit 2), and exactly one
    # has K1 = 0. K4 is 0 on both sides.
    found = result("third_expert", first=SOCIAL_FULL, second=markup("social"))
    assert found == {
        "needed": True,
        "reasons": ["total differs by 4 (limit 3)", "K2 differs by 2 (limit 2)", "exactly one has K1 = 0"],
    }


def test_nominations_look_at_chosen_fragments_alone() -> None:
    # Logic, rus: the codes Л.*: X has [9, 11), Y has [12, 14): they share nothing. The experts are X and Y:
    # against X the algorithm (= X) has 100; the experts between them M2 = M3 = M4 = M5 = 0.
    # Structure: no markup has a semantic block: two empty sides agree perfectly.
    found = result("nominations", algorithm=X, experts=[X, Y])
    assert found["logic"]["algorithm_accuracy"] == pytest.approx(100.0)
    assert found["logic"]["expert_accuracy"] == 0.0
    assert found["logic"]["relative_accuracy"] is None
    assert found["structure"]["algorithm_accuracy"] == found["structure"]["expert_accuracy"] == 100.0


def test_render_then_parse_gives_the_markup_back() -> None:
    full = {**X, "meta": {"theme": "Тема: да", "class": "11", "year": 2020, "subject": "rus", "expert": "э"}}
    again = result("parse", text=result("render", markup=full)["text"])["markup"]
    assert again["text"] == TEXT
    assert again["meta"] == full["meta"]
    read = {
        (each["startSelection"], each["endSelection"], each["type"], each["correction"]) for each in again["selections"]
    }
    assert read == {(0, 5, "Г.упр", ""), (6, 8, "Р.тавт", ""), (9, 11, "Л.скачок", "за")}


TEXTS = st.text(st.characters(codec=None), max_size=8)  # half surrogate pairs too
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
FUZZED_TEXT = "Один два, три — четыре."
SPAN = st.tuples(st.integers(0, len(FUZZED_TEXT)), st.integers(0, len(FUZZED_TEXT))).map(sorted)


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
        "text": draw(st.sampled_from([FUZZED_TEXT, FUZZED_TEXT, FUZZED_TEXT, ""])),
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


@pytest.mark.property
@given(REQUESTS)
def test_any_request_gets_an_answer_with_its_id(request: dict[str, Any]) -> None:
    check(request)


@pytest.mark.property
@given(REQUESTS)
def test_the_answer_has_the_same_bytes_without_the_fast_json_library(request: dict[str, Any]) -> None:
    line = json.dumps(request).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wire, "orjson", None)
        expected = encode(reply_to(line))
    answers = io.BytesIO()
    serve(io.BytesIO(line), answers)
    assert answers.getvalue() == expected + b"\n"


@pytest.mark.property
@given(markups(), st.sampled_from(sorted(OPERATIONS)))
def test_any_markup_is_answered_by_every_operation(markup: Any, op: str) -> None:
    check({"id": 1, "op": op, **whole(markup)})


def check(request: dict[str, Any]) -> None:
    answers = io.BytesIO()
    serve(io.BytesIO(json.dumps(request).encode() + b"\n"), answers)
    data = answers.getvalue()
    assert data.count(b"\n") == 1
    answer = json.loads(data.decode("utf-8"), parse_constant=pytest.fail)
    assert answer["id"] == request.get("id")
    if answer["ok"]:
        assert answer.keys() == {"id", "ok", "result", "fingerprint"}
    else:
        assert answer.keys() == {"id", "ok", "error"}
        assert answer["error"]["code"] != "internal_error", answer


@pytest.mark.property
@given(st.binary(max_size=40) | JSON.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_get_an_answer_and_no_fault_of_the_library(line: bytes) -> None:
    outcome = reply_to(line.replace(b"\n", b" "))
    assert not outcome["ok"]
    assert outcome["error"]["code"] in ("invalid_json", "invalid_request", "unknown_op")
