"""Evaluation on context-dependent edits alone, the data set's form and its tables (tracks.md §3, §5; G, Tables 4–7)."""

from __future__ import annotations

from typing import Any

import pytest

from markup_core.command.complaints import RefusedError
from tracks.fields import Fields
from tracks.gec.comparison import Direction, Scope, by_context, by_need, by_source, by_type
from tracks.gec.counts import Counts
from tracks.gec.gold import GoldItem, blocks, read_gold_item, read_gold_items
from tracks.gec.operations import OPERATIONS

TENSE = {"start": 9, "end": 10, "correction": "meet", "type": "VERB:TENSE", "context_dependent": True}
LEFT = {"detection": True, "correction": True, "scope": "sentence", "direction": "left", "left": 1}
ITEM = {
    "id": "7",
    "source": "REALEC",
    "sentences": ["I go for a walk every day", "I met many dogs ."],
    "edits": [TENSE],
}


def gold(*places: int, label: str = "PRON", marked: bool = True) -> list[dict[str, Any]]:
    return [
        {"start": place, "end": place + 1, "correction": "z", "type": label, "context_dependent": marked}
        for place in places
    ]


def request(**fields: Any) -> Any:
    return OPERATIONS["gec.concentrated"](Fields(fields))


def item(**changes: Any) -> GoldItem:
    return read_gold_item(Fields({**ITEM, **changes}))


def in_context(**changes: Any) -> list[dict[str, Any]]:
    return [{**TENSE, "context": {**LEFT, **changes}}]


@pytest.mark.clause("G concentrated 2", "G Table 7")
def test_only_marked_gold_edits_count_and_nothing_else_is_a_false_positive() -> None:
    found = request(gold=gold(0, 1, 2) + gold(3, 4, marked=False), hypothesis=gold(0, 3, 7))
    assert (found["tp"], found["fp"], found["fn"]) == (1, 0, 2)
    assert (found["precision"], found["recall"]) == (1.0, 1 / 3)
    assert found["chosen"] == [[0, 0]]
    assert found["by"] == {}


UNMARKED = {name: value for name, value in gold(0)[0].items() if name != "context_dependent"}
NOOP = {"start": -1, "end": -1, "correction": "-NONE-", "type": "noop"}
UNTYPED = {"start": 0, "end": 1, "correction": "other"}


@pytest.mark.clause("G context", "G concentrated 2")
@pytest.mark.parametrize(
    ("fields", "tp", "fn"),
    [
        ({"gold": [UNMARKED], "hypothesis": []}, 0, 0),
        # A system need not name types and may be judged by detection.
        ({"gold": gold(0), "hypothesis": [UNTYPED]}, 0, 1),
        ({"gold": gold(0), "hypothesis": [UNTYPED], "detection": "span"}, 1, 0),
        ({"gold": [NOOP], "hypothesis": [NOOP]}, 0, 0),
        # Alternatives, and -NONE- for the empty correction.
        (
            {
                "gold": [{**gold(0)[0], "correction": "she||he"}, {**gold(1)[0], "correction": "-NONE-"}],
                "hypothesis": [{**gold(0)[0], "correction": "he"}, {**gold(1)[0], "correction": ""}],
            },
            2,
            0,
        ),
    ],
)
def test_an_edit_counts_as_everywhere_where_it_is_marked(fields: dict[str, Any], tp: int, fn: int) -> None:
    found = request(**fields)
    assert (found["tp"], found["fn"]) == (tp, fn)


@pytest.mark.clause("G Table 7", "G F")
@pytest.mark.parametrize(
    ("tp", "fn", "recall", "f"), [(121, 893, 11.93, 40.39), (55, 147, 27.23, 65.17), (2, 138, 1.43, 6.76)]
)
def test_recall_and_f_are_those_of_the_papers_table_7(tp: int, fn: int, recall: float, f: float) -> None:
    # G, Table 7: BART over all types, PUNCT and LINK, in per cent; precision is 100 everywhere.
    counts = Counts(tp, 0, fn)
    assert (counts.precision, 100 * counts.recall, 100 * counts.f()) == pytest.approx((1.0, recall, f), abs=5e-3)


def test_a_system_that_mends_nothing_has_precision_1_and_f_0() -> None:
    # G, Table 7: T5 on LINK.
    found = request(gold=gold(*range(3), label="LINK"), hypothesis=[], by="full")
    assert (found["precision"], found["recall"], found["f"]) == (1.0, 0.0, 0.0)
    assert found["by"]["LINK"]["fn"] == 3


def test_categories_are_those_of_gold_edits_that_count() -> None:
    found = request(gold=gold(0, label="REF") + gold(1, label="DET", marked=False), hypothesis=gold(0, 5), by="full")
    assert {name: (counts["tp"], counts["fp"], counts["fn"]) for name, counts in found["by"].items()} == {
        "REF": (1, 0, 0)
    }


@pytest.mark.clause("G fields 1", "G fields 2", "G fields 3", "G fields 4", "G fields 5", "G fields 6")
@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"start": 3}, "gold[0].end"),
        ({"start": -2}, "gold[0].start"),
        ({"start": 0.5}, "gold[0].start"),
        ({"type": ""}, "gold[0].type"),
        ({"type": "noop"}, "gold[0].type"),
        ({"type": None}, "gold[0].type"),
        ({"correction": 5}, "gold[0].correction"),
        ({"correction": "a\nb"}, "gold[0].correction"),
        ({"correction": "\ud800"}, "gold[0].correction"),
        ({"context_dependent": "yes"}, "gold[0].context_dependent"),
        ({"context": []}, "gold[0].context"),
        ({"context": {**LEFT, "left": 0}}, "gold[0].context.direction"),
        ({"context": {**LEFT, "right": 1}}, "gold[0].context.direction"),
        ({"context": {**LEFT, "direction": "both"}}, "gold[0].context.direction"),
        ({"context": {**LEFT, "scope": "text"}}, "gold[0].context.scope"),
        ({"context": {**LEFT, "detection": False, "correction": False}}, "gold[0].context"),
    ],
)
def test_a_wrong_field_is_named(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(RefusedError) as caught:
        request(gold=[{**gold(1)[0], **changes}], hypothesis=[])
    assert caught.value.details == {"field": field}


@pytest.mark.clause("G sources", "G fields 6")
def test_an_item_is_a_text_of_sentences_with_edits_over_all_its_tokens() -> None:
    found = item()
    assert found.text == "I go for a walk every day I met many dogs ."
    assert found.tokens[8] == "met"
    assert found.unit().annotators[0][0].correction == "meet"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"id": " "}, "id"),
        ({"id": None}, "id"),
        ({"sentences": []}, "sentences"),
        ({"sentences": [" "]}, "sentences"),
        ({"sentences": ["a", 3]}, "sentences[1]"),
        ({"edits": [{**TENSE, "end": 13}]}, "edits[0].end"),
        ({"edits": None}, "edits"),
    ],
)
def test_a_wrong_item_is_refused(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(RefusedError) as caught:
        item(**changes)
    assert caught.value.details == {"field": field}
    with pytest.raises(RefusedError, match="a second time"):
        read_gold_items(Fields({"items": [ITEM, ITEM]}))


def test_an_edit_over_a_border_ties_both_sentences_and_a_group_ties_its_own() -> None:
    sentences = ["a b", "c d", "e f", "g"]

    def tied(*spans: tuple[int, int, str | None]) -> list[list[int]]:
        edits = [{**TENSE, "start": start, "end": end, "group": group} for start, end, group in spans]
        found = item(sentences=sentences, edits=edits)
        return blocks(len(sentences), found.ties())

    assert tied((1, 2, None)) == [[0], [1], [2], [3]]
    assert tied((1, 3, None)) == [[0, 1], [2], [3]]
    assert tied((2, 2, None), (7, 7, None)) == [[0], [1], [2], [3]]  # insertions, the last behind all tokens
    assert tied((0, 1, "g"), (6, 7, "g")) == [[0, 3], [1], [2]]


@pytest.mark.clause("G Table 4", "G Table 5")
def test_types_and_corpora_are_counted_over_marked_edits() -> None:
    # G, Tables 4 and 5 in small.
    first = item(edits=[TENSE, {**TENSE, "type": "PRON"}, {**TENSE, "type": "PRON", "start": 8}])
    second = item(id="8", source="FCE", edits=[{**TENSE, "context_dependent": False}, TENSE])
    assert by_type([*first.edits, *second.edits]) == {"PRON": 2, "VERB:TENSE": 2}
    assert by_source([(first.source, first.edits), (second.source, second.edits)]) == {"REALEC": 3, "FCE": 1}


@pytest.mark.clause("G Table 6", "G fields 1", "G fields 2", "G fields 3", "G fields 4", "G fields 5")
def test_contexts_are_counted_in_the_order_of_the_papers_table_6() -> None:
    wanted = [
        in_context(direction="both", left=3, right=1),
        in_context(direction="right", left=0, right=1),
        in_context(left=7),
        in_context(left=5, scope="clause"),
        in_context(),
        in_context(direction="either", left=1, right=1),
        [TENSE],
        [{**in_context()[0], "context_dependent": False}],
    ]
    edits = [edit for listed in wanted for edit in item(edits=listed).edits]
    assert [(side.value, distance, dict(scopes)) for (side, distance), scopes in by_context(edits).items()] == [
        ("left", "1", {Scope.SENTENCE: 1}),
        ("left", ">4", {Scope.CLAUSE: 1, Scope.SENTENCE: 1}),
        ("right", "1", {Scope.SENTENCE: 1}),
        ("either", "1+1", {Scope.SENTENCE: 1}),
        ("both", "3+1", {Scope.SENTENCE: 1}),
    ]
    assert next(iter(by_context(edits)))[0] is Direction.LEFT
    assert by_need(edits) == {"detection": 0, "detection_and_correction": 6, "correction": 0, "unknown": 1}
