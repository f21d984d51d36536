"""A system against several annotators: ERRANT's numbers, the units' best annotators, conventions (tracks.md §3, §5).

Couples of annotators between which ``errant_compare`` decides by its tie-breakers.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from markup_core.command.inputs import RefusedError
from markup_core.formats.m2 import Edit, Unit, parse
from tests.tracks.gec.texts import ERRANT, ERRANT_CHOSEN, HYPOTHESIS, REFERENCE
from tracks.base import Fields
from tracks.gec.comparison import By, Counts, Detection, Mode, Rules, compare
from tracks.gec.operations import OPERATIONS

DATA = Path(os.environ.get("HURDLE_GEC_DATA") or "/nowhere")
MARIAN = (  # errant_compare -cs -cat 3
    "M:OTHER 27 21 28, M:PUNCT 8 5 56, R:ORTH 13 2 4, R:OTHER 165 58 144, R:PUNCT 2 2 16, U:OTHER 25 6 27, "
    "U:PUNCT 6 0 10"
)
REAL = {
    "gmeg_fce/hyp_amu.m2": "90 66 382 | 112 44 373 | 131 31 427",
    "gmeg_fce/hyp_lstm-r.m2": "268 123 305 | 300 91 289 | 348 70 326",
    "gmeg_fce/hyp_lstm.m2": "261 112 302 | 291 82 287 | 336 57 328",
    "gmeg_fce/hyp_marian.m2": "246 94 285 | 277 63 256 | 326 42 290",
    "gmeg_fce/hyp_nus.m2": "139 49 335 | 151 37 325 | 169 24 358",
    "gmeg_fce/hyp_transformer.m2": "212 163 320 | 263 112 284 | 335 84 312",
    "uagec_gec-fluency_a0_vs_a1/hyp.m2": "198 210 452 | 255 153 395 | 317 139 439",
    "uagec_gec-fluency_mixed_0/hyp.m2": "264 100 316 | 310 56 266 | 376 52 280",
    "uagec_gec-fluency_mixed_1/hyp.m2": "422 147 177 | 481 88 138 | 574 74 152",
    "uagec_gec-fluency_mixed_2/hyp.m2": "128 65 283 | 154 40 270 | 190 36 297",
    "uagec_gec-only_a0_vs_a1/hyp.m2": "156 148 225 | 181 123 200 | 202 119 206",
    "uagec_gec-only_mixed_0/hyp.m2": "192 70 160 | 222 40 151 | 251 39 147",
    "uagec_gec-only_mixed_1/hyp.m2": "304 115 119 | 349 70 93 | 380 63 89",
    "uagec_gec-only_mixed_2/hyp.m2": "103 49 170 | 120 32 158 | 136 29 183",
}
"""``errant_compare`` 3.0.2 on the real files: TP FP FN of ``-cs``, ``-ds`` and ``-dt``."""


def unit(*annotators: Sequence[Edit], ids: Sequence[int] = ()) -> Unit:
    return Unit("a b c d e f g h", dict(zip(ids or range(len(annotators)), map(tuple, annotators), strict=True)))


def edits(*places: int, label: str = "R:X", correction: str = "z") -> list[Edit]:
    """Return an edit of one token at each place."""
    return [Edit(place, place + 1, label, correction) for place in places]


def request(**fields: Any) -> dict[str, Any]:
    found: dict[str, Any] = OPERATIONS["gec.compare"](Fields(fields))
    return found


def printed(counts: Counts) -> str:
    """Return the totals as errant_compare prints them."""
    fractions = (counts.precision, counts.recall, counts.f())
    return " ".join([*map(str, counts), *(str(round(value, 4)) for value in fractions)])


def categories(found: dict[str, Counts]) -> str:
    return ", ".join(f"{name} {counts.tp} {counts.fp} {counts.fn}" for name, counts in found.items())


@pytest.mark.parametrize(("detection", "by"), ERRANT)
def test_the_mode_errant_gives_the_numbers_of_errant(detection: str, by: str) -> None:
    found = compare(parse(REFERENCE), parse(HYPOTHESIS), Rules(Mode.ERRANT, detection=Detection(detection)))
    assert f"{printed(found.counts)} | {categories(found.by(By(by)))}" == ERRANT[detection, by]


@pytest.mark.clause("tracks §3 errant")
def test_the_mode_errant_chooses_what_errant_chooses() -> None:
    assert list(compare(parse(REFERENCE), parse(HYPOTHESIS), Rules(Mode.ERRANT)).chosen) == ERRANT_CHOSEN


@pytest.mark.skipif(not DATA.is_dir(), reason="HURDLE_GEC_DATA names no folder of real M2 files")
@pytest.mark.parametrize("name", REAL)
def test_the_mode_errant_gives_the_numbers_of_errant_on_real_files(name: str) -> None:
    hypothesis = parse((DATA / name).read_text("utf-8"))
    reference = parse((DATA / name).with_name("ref.m2").read_text("utf-8"))
    found = [compare(reference, hypothesis, Rules(Mode.ERRANT, detection=kind)) for kind in Detection]
    assert " | ".join(" ".join(map(str, each.counts)) for each in found) == REAL[name]
    if name.endswith("marian.m2"):
        assert categories(found[0].by(By.FULL)) == MARIAN


@pytest.mark.skipif(not DATA.is_dir(), reason="HURDLE_GEC_DATA names no folder of real M2 files")
@pytest.mark.parametrize("name", REAL)
def test_no_couple_of_annotators_of_a_real_unit_is_better_than_the_chosen_one(name: str) -> None:
    hypothesis = parse((DATA / name).read_text("utf-8"))
    reference = parse((DATA / name).with_name("ref.m2").read_text("utf-8"))
    chosen = compare(reference, hypothesis).chosen
    for one, other, (_, best) in zip(reference, hypothesis, chosen, strict=True):
        values = {
            annotator: compare([one._replace(annotators={annotator: listed})], [other]).counts.f()
            for annotator, listed in (one.annotators or {0: ()}).items()
        }
        assert values[best] >= max(values.values()) - 1e-12


@pytest.mark.clause("G score 2", "G score 3", "G score 4", "G score 5")
def test_the_best_annotator_of_each_unit_counts() -> None:
    # Unit 1: against 0 TP 1 FP 1 FN 0, against 1 TP 2. Unit 2: the other way round.
    gold = [unit(edits(0), edits(0, 1)), unit(edits(0, 1), edits(0))]
    found = compare(gold, [unit(edits(0, 1))] * 2)
    assert found.chosen == ((0, 1), (0, 0))
    assert found.counts == Counts(4, 0, 0)


def test_the_order_of_units_matters_to_running_totals_alone() -> None:
    # Unit A: against 0 TP 1 FP 1 FN 0 (F 0.556), against 1 TP 2 FP 0 FN 5 (F 0.667). Unit B: TP 4.
    # After B the totals with A are 5, 1, 0 (F 0.862) or 6, 0, 5 (F 0.857), so ERRANT takes annotator 0 for A then.
    gold = [unit(edits(0), edits(0, 1, 2, 3, 4, 5, 6)), unit(edits(0, 1, 2, 3))]
    system = [unit(edits(0, 1)), unit(edits(0, 1, 2, 3))]
    for rules, backward in ((Rules(), Counts(6, 0, 5)), (Rules(Mode.ERRANT), Counts(5, 1, 0))):
        assert compare(gold, system, rules).counts == Counts(6, 0, 5)
        assert compare(gold[::-1], system[::-1], rules).counts == backward


@pytest.mark.clause("tracks §3 errant")
def test_running_totals_are_compared_as_errant_rounds_them() -> None:
    # After TP 20000 the totals with the second unit are TP 20000 FP 0 FN 1 (F 0.99999) with the system's first set,
    # TP 20001 FP 1 FN 0 (F 0.99996) with its second: both 1.0 in four decimals, so more TP decides.
    gold = [unit(edits(0))] * 20_000 + [unit(edits(1))]
    system = [unit(edits(0))] * 20_000 + [unit([], edits(1, 2))]
    assert compare(gold, system, Rules(Mode.ERRANT)).chosen[-1] == (1, 0)


@pytest.mark.clause("tracks §3 ties")
def test_ties_go_to_more_tp_then_fewer_fp_then_fewer_fn_then_the_lower_id() -> None:
    # F = 1.25 TP / (1.25 TP + FP + 0.25 FN) with four edits of the system at 0, 1, 2, 3.
    system = [unit(edits(0, 1, 2, 3))]
    twice = unit(edits(0, 1, 2, 3, 4, 5), edits(0, 1, 2, 3, 6, 7), ids=(9, 4))
    assert compare([twice], system).chosen == ((0, 4),)
    # All F are 0: against 5 FP 4 FN 2, against 6 FP 4 FN 1.
    fewer_missed = unit(edits(4, 5), edits(6), ids=(5, 6))
    assert compare([fewer_missed], system).chosen == ((0, 6),)
    # The system's second set is empty: FP 0 FN 1 beats FP 1 FN 1 at F = 0.
    assert compare([unit(edits(7))], [unit(edits(0), [])]).chosen == ((1, 0),)
    # TP 1 FP 1 FN 0 and TP 2 FP 2 FN 0 have the same F: more TP.
    gold = [unit(edits(0), [*edits(4), *edits(5)])]
    assert compare(gold, [unit(edits(0, 1), edits(4, 5, 6, 7))]).chosen == ((1, 1),)


def test_equal_f_of_different_counts_is_found_equal_exactly() -> None:
    # FP 1 FN 0 and FP 0 FN 4 with TP 1: F = 5/9 both, though the floats of the usual formula may differ.
    gold = [unit(edits(0), edits(1, 4, 5, 6, 7), ids=(0, 1))]
    assert compare(gold, [unit(edits(0, 3), edits(1))]).chosen == ((1, 1),)


def test_nothing_to_find_and_nothing_found_is_perfect() -> None:
    found = compare(parse("S a\n"), parse("S a\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n"))
    assert (found.counts, found.chosen) == (Counts(0, 0, 0), ((0, 0),))
    assert (found.counts.precision, found.counts.recall, found.counts.f()) == (1.0, 1.0, 1.0)


@pytest.mark.clause("tracks §3 empty", "G F", "G beta", "G Table 3", "G Table 7")
@pytest.mark.parametrize(
    ("counts", "beta", "fractions", "error"),
    [
        (Counts(0, 0, 0), 0.5, (1.0, 1.0, 1.0), 1e-15),
        (Counts(0, 0, 3), 0.5, (1.0, 0.0, 0.0), 1e-15),
        (Counts(0, 3, 0), 0.5, (0.0, 1.0, 0.0), 1e-15),
        (Counts(0, 1, 1), 0.5, (0.0, 0.0, 0.0), 1e-15),
        (Counts(3, 1, 2), 0.5, (0.75, 0.6, 1.25 * 0.45 / (0.25 * 0.75 + 0.6)), 1e-15),
        (Counts(1, 1, 3), 2.0, (0.5, 0.25, 5 / 18), 1e-15),  # 5 · 1/8 / (4/2 + 1/4)
        # G, Table 3, and Table 7: BART over all types, PUNCT and LINK.
        (Counts(1111, 507, 1589), 0.5, (0.6867, 0.4115, 0.6056), 5e-5),
        (Counts(1012, 620, 2131), 0.5, (0.6201, 0.3220, 0.5232), 5e-5),
        (Counts(1367, 216, 978), 0.5, (0.8636, 0.5829, 0.7877), 5e-5),
        (Counts(121, 0, 893), 0.5, (1.0, 0.1193, 0.4039), 5e-5),
        (Counts(55, 0, 147), 0.5, (1.0, 0.2723, 0.6517), 5e-5),
        (Counts(2, 0, 138), 0.5, (1.0, 0.0143, 0.0676), 5e-5),
    ],
)
def test_precision_is_1_without_fp_recall_is_1_without_fn_and_beta_weighs_recall(
    counts: Counts, beta: float, fractions: tuple[float, float, float], error: float
) -> None:
    assert (counts.precision, counts.recall, counts.f(beta)) == pytest.approx(fractions, abs=error)


@pytest.mark.clause("tracks §3 by")
def test_detection_needs_no_correction_and_tokens_need_no_spans() -> None:
    gold, system = [unit([Edit(1, 3, "R:X", "z")])], [unit([Edit(1, 2, "R:Y", "y"), Edit(3, 3, "M:X", "q")])]
    assert compare(gold, system).counts == Counts(0, 2, 1)
    assert compare(gold, system, Rules(detection=Detection.SPAN)).counts == Counts(0, 2, 1)
    # Gold tokens 1 and 2; the system's 1 and, of the insertion before 3, 3.
    assert compare(gold, system, Rules(detection=Detection.TOKEN)).counts == Counts(1, 1, 1)


def test_doubled_edits_count_by_the_gold_side_where_they_are_right() -> None:
    once, twice = edits(0), [*edits(0), *edits(0, label="R:Y")]
    assert compare([unit(once)], [unit(twice)]).counts == Counts(1, 0, 0)
    assert compare([unit(twice)], [unit(once)]).counts == Counts(2, 0, 0)
    assert compare([unit([])], [unit(twice)]).counts == Counts(0, 2, 0)
    assert compare([unit(twice)], [unit([])]).counts == Counts(0, 0, 2)


def test_what_is_only_detected_counts_in_detection_alone() -> None:
    gold, system = [unit(edits(0, label="UNK"))], [unit(edits(0))]
    assert compare(gold, system).counts == Counts(0, 1, 0)
    spans = compare(gold, system, Rules(detection=Detection.SPAN))
    assert spans.counts == Counts(1, 0, 0)
    for by in (By.TYPE, By.OPERATION, By.FULL):
        assert spans.by(by) == {"UNK": Counts(1, 0, 0)}


def test_a_label_without_a_colon_is_a_type_of_its_own() -> None:
    found = compare([unit(edits(0, label="G/Case"))], [unit([])])
    assert list(found.by(By.TYPE)) == ["G/Case"]
    assert found.by(By.NONE) == {}


@pytest.mark.clause("tracks §3 by")
def test_by_operation_there_are_only_types_that_have_one() -> None:
    """If gold edits name no operation, a system's false positives alone make no table of operations."""
    untyped = [unit([Edit(0, 1, "Prep", "x"), Edit(1, 2, "G/Case", "x")])]
    assert compare(untyped, [unit(edits(0, label="R:X"))]).by(By.OPERATION) == {}
    mixed = [unit([Edit(0, 1, "R:X", "x"), Edit(1, 2, "Spelling", "x")])]
    assert compare(mixed, [unit([])]).by(By.OPERATION) == {"R": Counts(0, 0, 1)}
    assert compare([unit([])], [unit(edits(0, label="U:X"))]).by(By.OPERATION) == {"U": Counts(0, 1, 0)}


@pytest.mark.clause("tracks §3 by")
def test_the_operation_answers_as_the_specification_says() -> None:
    found = request(reference_m2=REFERENCE, hypothesis_m2=HYPOTHESIS, mode="errant", by="operation")
    assert list(found) == ["tp", "fp", "fn", "precision", "recall", "f", "by", "chosen"]
    assert (found["tp"], found["fp"], found["fn"]) == (6, 7, 4)
    assert found["precision"] == 6 / 13
    assert found["by"]["U"] == {"tp": 0, "fp": 2, "fn": 1, "precision": 0.0, "recall": 0.0, "f": 0.0}
    assert found["chosen"] == [list(couple) for couple in ERRANT_CHOSEN]


def test_the_operation_without_options_is_by_unit_for_corrections_in_all() -> None:
    plain = request(reference_m2=REFERENCE, hypothesis_m2=HYPOTHESIS)
    named = {"mode": "unit", "beta": 0.5, "by": "none", "detection": "correction"}
    assert plain == request(reference_m2=REFERENCE, hypothesis_m2=HYPOTHESIS, **named)
    assert plain["by"] == {}


@pytest.mark.parametrize(
    ("changes", "code", "part"),
    [
        ({"reference_m2": 3}, "invalid_request", "reference_m2"),
        ({"hypothesis_m2": "S a\nA 0 1|||T"}, "invalid_m2", "hypothesis_m2: line 2"),
        ({"hypothesis_m2": ""}, "invalid_m2", "no sentence"),
        ({"hypothesis_m2": "S other"}, "source_differs", "unit 0"),
        ({"hypothesis_m2": "S other\n\nS" + "\nA 0 1"}, "invalid_m2", "hypothesis_m2: line 4"),
        ({"reference_m2": f"{REFERENCE}\nwrong", "hypothesis_m2": "wrong"}, "invalid_m2", "reference_m2: line"),
        ({"hypothesis_m2": HYPOTHESIS.rpartition("\n\nS ")[0]}, "units_differ", "7 units, the hypothesis 6"),
        ({"mode": "best"}, "invalid_request", "mode"),
        ({"beta": 0}, "invalid_request", "beta"),
        ({"beta": float("nan")}, "invalid_request", "beta"),
        ({"by": ["type"]}, "invalid_request", "by"),
        ({"detection": "words"}, "invalid_request", "detection"),
    ],
)
def test_a_request_that_cannot_be_answered_is_refused(changes: dict[str, Any], code: str, part: str) -> None:
    with pytest.raises(RefusedError, match=part) as caught:
        request(**{"reference_m2": REFERENCE, "hypothesis_m2": HYPOTHESIS, **changes})
    assert caught.value.code == code


def test_canonically_equal_corrections_and_texts_are_equal() -> None:
    composed, decomposed = "ёлку", "е\u0308лку"
    reference, hypothesis = (
        parse(f"S Мо{letter} сын рисует елку .\nA 3 4|||R:SPELL|||{correction}|||REQUIRED|||-NONE-|||0\n")
        for letter, correction in (("й", composed), ("\u0438\u0306", decomposed))
    )
    for mode in Mode:
        found = compare(reference, hypothesis, Rules(mode))
        assert found.counts == Counts(1, 0, 0)
        assert found.labels == {"R:SPELL": Counts(1, 0, 0)}


M2_SCORER_S = """S The bird is sitting in an roof .
A 4 5|||Prep|||on||upon|||REQUIRED|||-NONE-|||0
A 5 6|||ArtOrDet|||the||a|||REQUIRED|||-NONE-|||0

S Most owls hunts at the night .
A 2 3|||SVA|||hunt|||REQUIRED|||-NONE-|||0
A 4 5|||ArtOrDet|||-NONE-|||REQUIRED|||-NONE-|||0
"""
OURS = """S The bird is sitting in an roof .
A 4 5|||R:PREP|||upon|||REQUIRED|||-NONE-|||0
A 5 6|||R:DET|||a|||REQUIRED|||-NONE-|||0

S Most owls hunts at the night .
A 2 3|||R:VERB:SVA|||hunt|||REQUIRED|||-NONE-|||0
A 4 5|||U:DET||||||REQUIRED|||-NONE-|||0
"""


@pytest.mark.clause("G score 2")
@pytest.mark.parametrize("mode", ["unit", "errant"])
def test_any_of_an_annotators_alternatives_is_right_and_said_to_be_read_so(mode: str) -> None:
    for reference, hypothesis in ((M2_SCORER_S, OURS), (OURS, M2_SCORER_S), (M2_SCORER_S, M2_SCORER_S)):
        found = request(reference_m2=reference, hypothesis_m2=hypothesis, mode=mode, by="full")
        assert (found["tp"], found["fp"], found["fn"], found["f"]) == (4, 0, 0, 1.0)
        assert sum(each["tp"] for each in found["by"].values()) == 4
    found = request(reference_m2=M2_SCORER_S, hypothesis_m2=OURS, mode=mode)
    lines = [(each["field"], each["line"], each["code"]) for each in found["warnings"]]
    assert lines == [("reference_m2", 2, "alternatives"), ("reference_m2", 7, "none_for_empty")]
    assert "warnings" not in request(reference_m2=OURS, hypothesis_m2=OURS, mode=mode)


def test_alternatives_of_both_sides_are_right_where_one_is_common() -> None:
    def one(*corrections: str) -> list[Unit]:
        return [unit([Edit(0, 1, "R:X", "||".join(corrections))])]

    assert compare(one("a", "b"), one("b", "a")).counts == Counts(1, 0, 0)
    assert compare(one("a", "b"), one("b", "c")).counts == Counts(1, 0, 0)
    assert compare(one("a", "b"), one("c")).counts == Counts(0, 1, 1)


@pytest.mark.parametrize("turned", [False, True])
def test_of_equal_f_and_equal_hits_the_fewer_false_ones_win_wherever_they_stand(turned: bool) -> None:
    # TP 1, FP 1, FN 0 and TP 1, FP 0, FN 4: F0.5 is 1.25/2.25 of both; the crossed couples hit nothing.
    result, outcome = [(0,), (1, 2, 3, 4, 5)], [(0, 7), (1,)]
    if turned:
        result, outcome = result[::-1], outcome[::-1]
    actual = compare(*([unit(*(edits(*places) for places in side))] for side in (result, outcome)), Rules(Mode.ERRANT))
    assert actual.counts == Counts(1, 0, 4)
