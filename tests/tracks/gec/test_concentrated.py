"""Evaluation on context-dependent edits alone, the data set's form and its tables (tracks.md §3, §5; G, Tables 4–7).

The smallest blocks of sentences (tracks.md §3, §5).

Agreement of raters: G's Table 1, statsmodels, and what is undefined (tracks.md §3, §5).
"""

from __future__ import annotations

import random
from functools import partial
from typing import Any

import pytest

from markup_core.command.inputs import RefusedError
from markup_core.formats.m2 import Edit, Unit
from tracks.base import Fields
from tracks.gec import operations
from tracks.gec.items import Direction, GoldItem, Scope, Tie, blocks, joined, read_gold_item, read_gold_items

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


def asked(op: str, **fields: Any) -> Any:
    return operations.OPERATIONS[f"gec.{op}"](Fields(fields))


request, blocks_of, agreement_of = (partial(asked, op) for op in ("concentrated", "blocks", "agreement"))


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
    ("op", "fields", "field"),
    [
        *(
            ("concentrated", {"gold": [{**gold(1)[0], **changes}], "hypothesis": []}, f"gold[0]{path}")
            for changes, path in (
                ({"start": 3}, ".end"),
                ({"start": -2}, ".start"),
                ({"start": 0.5}, ".start"),
                ({"type": ""}, ".type"),
                ({"type": "noop"}, ".type"),
                ({"type": None}, ".type"),
                ({"correction": 5}, ".correction"),
                ({"correction": "a\nb"}, ".correction"),
                ({"correction": "\ud800"}, ".correction"),
                ({"context_dependent": "yes"}, ".context_dependent"),
                ({"context": []}, ".context"),
                ({"context": {**LEFT, "left": 0}}, ".context.direction"),
                ({"context": {**LEFT, "right": 1}}, ".context.direction"),
                ({"context": {**LEFT, "direction": "both"}}, ".context.direction"),
                ({"context": {**LEFT, "scope": "text"}}, ".context.scope"),
                ({"context": {**LEFT, "detection": False, "correction": False}}, ".context"),
            )
        ),
        ("blocks", {"n_sentences": -1, "edits": []}, "n_sentences"),
        ("blocks", {"n_sentences": True, "edits": []}, "n_sentences"),
        ("blocks", {"n_sentences": 10**9, "edits": []}, "n_sentences"),
        ("blocks", {"n_sentences": 2, "edits": [{"first": 0, "last": 2}]}, "edits[0].last"),
        ("blocks", {"n_sentences": 0, "edits": [{"first": 0, "last": 0}]}, "edits[0].first"),
        ("blocks", {"n_sentences": 2, "edits": [{"first": 1, "last": 0}]}, "edits[0].last"),
        ("blocks", {"n_sentences": 2, "edits": [{"first": 0, "last": 0, "group": 1.5}]}, "edits[0].group"),
        ("blocks", {"n_sentences": 2, "edits": [3]}, "edits[0]"),
        ("agreement", {"items": "a"}, "items"),
        ("agreement", {"items": ["a"]}, "items[0]"),
        ("agreement", {"items": [["a", {}]]}, "items[0][1]"),
        ("agreement", {"items": [["a", "b"], ["a"]]}, "items[1]"),
        ("agreement", {"items": [["a", "b"]], "categories": ["a"]}, "categories"),
        ("agreement", {"items": [["a", "b"]], "categories": ["a", "b", "a"]}, "categories"),
        ("agreement", {"items": [["a", "b"]], "categories": ["a", "b", None]}, "categories"),
        ("agreement", {"items": [["a", "b"]], "categories": ["a", "b"], "base": ["a", "b"]}, "base"),
        ("agreement", {"items": [["a", "b"]], "categories": ["a", "b"], "base": ["c"]}, "categories"),
        ("agreement", {"items": [["a", "b"]], "categories": ["a", "b"], "types": []}, "types"),
        ("agreement", {"items": [["a", "b"]], "categories": ["a", "b"], "types": [1]}, "types[0]"),
    ],
)
def test_a_wrong_field_is_named(op: str, fields: dict[str, Any], field: str) -> None:
    with pytest.raises(RefusedError) as caught:
        asked(op, **fields)
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
    assert operations.by_type([*first.edits, *second.edits]) == {"PRON": 2, "VERB:TENSE": 2}
    assert operations.by_source([(first.source, first.edits), (second.source, second.edits)]) == {"REALEC": 3, "FCE": 1}


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
    assert [
        (side.value, distance, dict(scopes)) for (side, distance), scopes in operations.by_context(edits).items()
    ] == [
        ("left", "1", {Scope.SENTENCE: 1}),
        ("left", ">4", {Scope.CLAUSE: 1, Scope.SENTENCE: 1}),
        ("right", "1", {Scope.SENTENCE: 1}),
        ("either", "1+1", {Scope.SENTENCE: 1}),
        ("both", "3+1", {Scope.SENTENCE: 1}),
    ]
    assert next(iter(operations.by_context(edits)))[0] is Direction.LEFT
    assert operations.by_need(edits) == {"detection": 0, "detection_and_correction": 6, "correction": 0, "unknown": 1}


@pytest.mark.clause("G concentrated 1")
@pytest.mark.parametrize(
    ("sentences", "ties", "expected"),
    [
        (0, [], []),
        (3, [], [[0], [1], [2]]),
        (3, [Tie(1, 1)], [[0], [1], [2]]),
        (3, [Tie(1, 2)], [[0], [1, 2]]),
        (4, [Tie(0, 2)], [[0, 1, 2], [3]]),
        (4, [Tie(0, 1), Tie(1, 2)], [[0, 1, 2], [3]]),
        (4, [Tie(0, 1), Tie(2, 3)], [[0, 1], [2, 3]]),
        (2, [Tie(0, 0, "a"), Tie(1, 1, "a")], [[0, 1]]),
        (2, [Tie(0, 0, "a"), Tie(1, 1, "b")], [[0], [1]]),
        (2, [Tie(0, 0, 1), Tie(1, 1, "1")], [[0], [1]]),
        (4, [Tie(2, 3, "a"), Tie(0, 0, "a")], [[0, 2, 3], [1]]),
        (5, [Tie(0, 0, "a"), Tie(2, 2, "a"), Tie(2, 2, "b"), Tie(4, 4, "b")], [[0, 2, 4], [1], [3]]),
    ],
)
def test_what_must_not_be_parted_and_nothing_else_is_a_block(
    sentences: int, ties: list[Tie], expected: list[list[int]]
) -> None:
    assert blocks(sentences, ties) == expected
    assert blocks(sentences, ties[::-1]) == expected


def test_many_long_edits_take_no_time_each() -> None:
    assert len(blocks(20_000, [Tie(0, 19_999)] * 20_000)) == 1


def test_the_operation_reads_edits_with_and_without_a_group() -> None:
    edits = [{"first": 1, "last": 2}, {"first": 0, "last": 0, "group": None}, {"first": 3, "last": 3, "group": 7}]
    assert blocks_of(n_sentences=4, edits=edits) == {"blocks": [[0], [1, 2], [3]]}


def test_the_edits_of_a_block_move_with_their_sentences() -> None:
    units = [
        Unit("a b", {0: (Edit(0, 1, "T", "x"),), 1: ()}),
        Unit("c", {}),
        Unit("d e f", {1: (Edit(1, 3, "T", "y"),)}),
    ]
    block, alone = joined(units, [[0, 2], [1]])
    assert block.source == "a b d e f"
    assert block.annotators == {0: (Edit(0, 1, "T", "x"),), 1: (Edit(3, 5, "T", "y"),)}
    assert alone == units[1]


NOTHING = {"krippendorff_alpha": None, "fleiss_kappa": None, "randolph_kappa": None, "authors_percent": None}


@pytest.mark.clause("G Table 1", "G agreement alpha")
@pytest.mark.parametrize(
    ("items", "alpha"),
    [
        ([["1", "1", "1"], ["2", "2", "2"], ["1", "1", "1"]], 1.0),
        ([["1", "1", "1"], ["2", "2", "1"], ["1", "1", "1"]], 0.429),
        ([["1", "1", "1"], ["1", "2", "1"], ["1", "1", "1"]], 0.0),
        # Pairable: (a, a, b) and (b, b); the last item has one label. Disagreeing ordered pairs: 4 of the first item,
        # each weighing 1/2: D_o = 2 / 5. Of 5 labels 2 are a, 3 are b: D_e = 2·2·3 / (5·4). alpha = 1 − 0.4 / 0.6.
        ([["a", "a", "b", None], ["b", None, None, "b"], [None, "a", None, None]], 1 / 3),
    ],
)
def test_alpha_falls_fast_where_one_label_is_rare(items: list[list[str | None]], alpha: float) -> None:
    # G, Table 1, rounded there to three decimals.
    assert operations.krippendorff_alpha(items) == pytest.approx(alpha, abs=5e-4)


@pytest.mark.clause("G Table 2")
@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([1, 0, 0, 0, 0], (0.0, -5.3, 80.0, 95.0)),
        ([1, 1, *[0] * 13], (-1.7, -3.4, 86.7, 96.7)),
    ],
    ids=["Inappropriate register", "WO"],
)
def test_rows_of_the_papers_table_2_are_met(sizes: list[int], expected: tuple[float, ...]) -> None:
    # G, Table 2, in per cent: four raters, the base markup has no context-dependent error, and so many of the raters
    # see one all the same; the numbers follow from nothing else.
    items = [[1] * seen + [0] * (4 - seen) for seen in sizes]
    result = agreement_of(items=items, categories=[0, 1], base=[0] * len(items))
    assert [100 * value for value in list(result.values())[:3]] == pytest.approx(expected[:3], abs=0.05)
    assert result["authors_percent"] == pytest.approx(expected[3], abs=0.05)


@pytest.mark.clause("G agreement Fleiss", "G agreement Randolph")
@pytest.mark.parametrize("seed", range(20))
def test_the_kappas_are_those_of_statsmodels(seed: int) -> None:
    from statsmodels.stats import inter_rater  # only here: it takes seconds to load

    rng = random.Random(seed)
    categories = "abcd"[: rng.randint(2, 4)]
    weights = [rng.random() for _ in categories]
    raters = rng.randint(2, 5)
    items: list[list[str | None]] = [
        list(rng.choices(categories, weights, k=raters)) for _ in range(rng.randint(2, 30))
    ]
    table = [[item.count(category) for category in categories] for item in items]
    assert operations.randolph_kappa(items, len(categories)) == pytest.approx(
        inter_rater.fleiss_kappa(table, method="randolph")
    )
    if len({label for item in items for label in item}) > 1:
        assert operations.fleiss_kappa(items) == pytest.approx(inter_rater.fleiss_kappa(table, method="fleiss"))


@pytest.mark.clause("G agreement Randolph")
def test_randolph_counts_all_listed_categories() -> None:
    # One pair of raters in two agrees: P = 1/2; of four listed categories two are used: (1/2 − 1/4) / (3/4).
    result = agreement_of(items=[["a", "a"], ["a", "b"]], categories=["a", "b", "c", "d"], base=None)
    assert result["randolph_kappa"] == pytest.approx(1 / 3)
    assert agreement_of(items=[["a", "a"], ["a", "b"]], base=None)["randolph_kappa"] == 0.0


@pytest.mark.clause("tracks §3 agreement")
def test_one_label_alone_leaves_alpha_and_fleiss_undefined() -> None:
    # G, Table 2, the row DET: no alpha, no kappa, 100 % of matches. Randolph's needs only the listed categories.
    result = agreement_of(items=[[0, 0, 0, 0]] * 18, categories=[0, 1], base=[0] * 18)
    assert result == {**NOTHING, "randolph_kappa": 1.0, "authors_percent": 100.0}
    assert agreement_of(items=[[0, 0]], categories=[0], base=[0]) == {**NOTHING, "authors_percent": 100.0}


@pytest.mark.clause("tracks §3 agreement")
@pytest.mark.parametrize(
    "fields",
    [
        {"items": [], "categories": ["a"], "base": []},
        {"items": [[], []], "categories": ["a", "b"], "base": ["a", "b"]},
        {"items": [["a"], ["b"]], "categories": ["a", "b"], "base": None},
        {"items": [[None, None]], "categories": ["a", "b"], "base": ["a"]},
        {"items": [["a", None], [None, "b"]], "categories": ["a", "b"], "base": [None, None]},
    ],
)
def test_what_is_undefined_is_null(fields: dict[str, Any]) -> None:
    assert agreement_of(**fields) == NOTHING


def test_missing_labels_leave_the_kappas_undefined_and_alpha_not() -> None:
    result = agreement_of(items=[["a", "a", "b"], ["b", "b", None]], categories=["a", "b"], base=["a", "b"])
    assert (result["fleiss_kappa"], result["randolph_kappa"]) == (None, None)
    assert result["krippendorff_alpha"] == pytest.approx(1 / 3)  # the same pairs as by hand above
    # 2 of 3 and, of the labels that there are, 2 of 2.
    assert result["authors_percent"] == pytest.approx(100 * (2 / 3 + 1) / 2)


@pytest.mark.clause("G agreement authors")
def test_the_authors_measure_is_the_mean_share_of_matches() -> None:
    # G: 100/n · Σ (matches of an item / raters) = 50 · (2/4 + 4/4).
    assert operations.authors_percent([["a", "a", "b", "b"], ["c"] * 4], ["a", "c"]) == 75.0
    assert operations.authors_percent([["a"], ["b"]], ["a", None]) == 100.0
    assert operations.authors_percent([["a"]], None) is None


def test_labels_are_equal_where_their_values_are() -> None:
    result = agreement_of(items=[[1, 1.0], [True, True], ["1", "1"]], categories=[1, True, "1"], base=None)
    assert result["fleiss_kappa"] == 1.0


@pytest.mark.clause("G Table 2")
def test_types_give_the_same_by_type() -> None:
    items, base = [["a", "b"], ["a", "a"], ["b", "b"]], ["a", "a", "b"]
    result = agreement_of(items=items, categories=["a", "b"], base=base, types=["DET", "PRON", "PRON"])
    assert list(result["by_type"]) == ["DET", "PRON"]
    alone = agreement_of(items=items[1:], categories=["a", "b"], base=base[1:])
    assert result["by_type"]["PRON"] == alone
    assert "by_type" not in alone
