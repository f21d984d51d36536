"""Laws of the gec track on arbitrary edits, and a comparison by brute force without its code (tracks.md §3).

Large texts are compared by columns as they are unit by unit (tracks.md §3).
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markup_core.command.inputs import RefusedError
from markup_core.formats import m2
from markup_core.formats.m2 import Edit, M2Error, M2Fault, Unit, parse, render
from tests.tracks.gec.test_comparison import DATA, REAL, request
from tests.tracks.gec.texts import HYPOTHESIS, REFERENCE
from tracks.gec import columns, comparison
from tracks.gec.comparison import (
    By,
    Comparison,
    Counts,
    Detection,
    Mode,
    Rules,
    Tally,
    compare,
    side_by_side,
    total,
    without,
)
from tracks.gec.items import GoldEdit, Tie, blocks, joined
from tracks.gec.operations import evaluate

TOKENS = 5
SOURCE = " ".join("abcde")
Oracle = tuple[Fraction, int, int, int, int, int]

edits = st.builds(
    lambda start, length, label, correction: Edit(start, min(start + length, TOKENS), label, correction),
    st.integers(0, TOKENS),
    st.integers(0, 2),
    st.sampled_from(["R:X", "M:X", "U:Y:Z", "UNK", "G/Case"]),
    st.sampled_from(["", "x", "y"]),
)
listed = st.lists(edits, max_size=4).map(tuple)
units = st.builds(lambda annotators: Unit(SOURCE, annotators), st.dictionaries(st.integers(0, 4), listed, max_size=3))
couples = st.lists(st.tuples(units, units), max_size=6)
rules = st.builds(Rules, st.sampled_from(Mode), st.sampled_from([0.5, 0.1, 1.0, 2.0]), st.sampled_from(Detection))


def places_of(annotator: tuple[Edit, ...], detection: Detection) -> dict[object, list[str]]:
    """Return the places of one annotator, as the specification and ERRANT's manual define them."""
    found: dict[object, list[str]] = defaultdict(list)
    for edit in annotator:
        if detection is Detection.SPAN:
            found[edit.start, edit.end].append(edit.type)
        elif detection is Detection.TOKEN:
            for token in range(edit.start, edit.end) if edit.start < edit.end else [edit.start]:
                found[token].append(edit.type)
        elif edit.type != "UNK":
            found[edit.start, edit.end, edit.correction].append(edit.type)
    return found


def counted(system: tuple[Edit, ...], gold: tuple[Edit, ...], detection: Detection) -> tuple[int, int, int]:
    theirs, ours = places_of(system, detection), places_of(gold, detection)
    tp = sum(1 for place, types in ours.items() for _ in types if place in theirs)
    fn = sum(1 for place, types in ours.items() for _ in types if place not in theirs)
    fp = sum(1 for place, types in theirs.items() for _ in types if place not in ours)
    return tp, fp, fn


def exact_f(tp: int, fp: int, fn: int, beta: str) -> Fraction:
    """Compute F from precision and recall with their conventions, in fractions."""
    precision = Fraction(tp, tp + fp) if fp else Fraction(1)
    recall = Fraction(tp, tp + fn) if fn else Fraction(1)
    square = Fraction(beta) ** 2
    both = square * precision + recall
    return (1 + square) * precision * recall / both if both else Fraction(0)


def best_of(gold: Unit, system: Unit, rules: Rules) -> Oracle:
    """Return the best of all couples: F, TP, −FP, −FN, −system's id, −annotator's id."""
    found = []
    for h, theirs in (system.annotators or {0: ()}).items():
        for r, ours in (gold.annotators or {0: ()}).items():
            tp, fp, fn = counted(theirs, ours, rules.detection)
            found.append((exact_f(tp, fp, fn, str(rules.beta)), tp, -fp, -fn, -h, -r))
    return max(found)


@pytest.mark.property
@given(couples, rules)
def test_the_unit_mode_takes_the_best_couple_of_every_unit(found: list[tuple[Unit, Unit]], rules: Rules) -> None:
    rules = Rules(Mode.UNIT, rules.beta, rules.detection)
    best = [best_of(gold, system, rules) for gold, system in found]
    result = compare([gold for gold, _ in found], [system for _, system in found], rules)
    assert result.chosen == tuple((-one[4], -one[5]) for one in best)
    assert result.counts == total(Counts(one[1], -one[2], -one[3]) for one in best)


counts = st.tuples(*[st.integers(0, 4)] * 3)
totals = st.tuples(*[st.integers(3_000, 30_000)] * 3)


@pytest.mark.property
@given(totals, st.lists(counts, min_size=1, max_size=20), st.sampled_from([0.5, 0.1, 1.0, 2.0]))
def test_the_errant_mode_takes_the_first_of_the_best_running_totals(
    so_far: tuple[int, int, int], listed: list[tuple[int, int, int]], beta: float
) -> None:
    options = [(*edits, 0, annotator) for annotator, edits in enumerate(listed)]
    ranks = [
        (round(Counts(*map(sum, zip(so_far, edits, strict=True))).f(beta), 4), edits[0], -edits[1], -edits[2])
        for edits in listed
    ]
    chosen = Tally(Rules(Mode.ERRANT, beta)).choose([[(*so_far, 0, 0)], options])
    assert chosen[1][4] == ranks.index(max(ranks))


@pytest.mark.property
@given(couples, rules, st.integers(0, 999))
def test_the_order_of_units_never_matters_in_the_unit_mode(
    found: list[tuple[Unit, Unit]], rules: Rules, seed: int
) -> None:
    rules = Rules(Mode.UNIT, rules.beta, rules.detection)
    shuffled = random.Random(seed).sample(found, len(found))
    one, other = (
        compare([gold for gold, _ in each], [system for _, system in each], rules) for each in (found, shuffled)
    )
    assert one.counts == other.counts
    assert one.by(By.FULL) == other.by(By.FULL)
    assert sorted(one.chosen) == sorted(other.chosen)


@pytest.mark.property
@given(couples, rules, st.integers(0, 999))
def test_the_order_of_an_annotators_edits_never_matters(
    found: list[tuple[Unit, Unit]], rules: Rules, seed: int
) -> None:
    rng = random.Random(seed)

    def mixed(unit: Unit) -> Unit:
        return Unit(SOURCE, {number: tuple(rng.sample(each, len(each))) for number, each in unit.annotators.items()})

    one = compare([gold for gold, _ in found], [system for _, system in found], rules)
    other = compare([mixed(gold) for gold, _ in found], [mixed(system) for _, system in found], rules)
    assert (one.counts, one.chosen, one.by(By.TYPE)) == (other.counts, other.chosen, other.by(By.TYPE))


@pytest.mark.property
@given(couples, rules)
def test_every_category_adds_up_to_the_totals(found: list[tuple[Unit, Unit]], rules: Rules) -> None:
    result = compare([gold for gold, _ in found], [system for _, system in found], rules)
    for by in (By.TYPE, By.FULL):
        assert total(result.by(by).values()) == result.counts


@pytest.mark.property
@given(couples, rules)
def test_totals_are_the_sum_of_the_units_where_units_are_chosen_alone(
    found: list[tuple[Unit, Unit]], rules: Rules
) -> None:
    rules = Rules(Mode.UNIT, rules.beta, rules.detection)
    whole = compare([gold for gold, _ in found], [system for _, system in found], rules)
    alone = [compare([gold], [system], rules) for gold, system in found]
    assert whole.counts == total(each.counts for each in alone)
    assert whole.chosen == tuple(each.chosen[0] for each in alone)


@pytest.mark.property
@given(st.lists(units, max_size=5), rules)
def test_a_system_equal_to_an_annotator_is_perfect(gold: list[Unit], rules: Rules) -> None:
    system = [Unit(SOURCE, {0: next(iter(unit.annotators.values()), ())}) for unit in gold]
    counts = compare(gold, system, rules).counts
    assert (counts.fp, counts.fn, counts.f()) == (0, 0, 1.0)


@pytest.mark.property
@given(st.lists(units, min_size=1, max_size=5))
def test_what_is_written_is_read_again(found: list[Unit]) -> None:
    assert [unit[:2] for unit in parse(render(found))] == [unit[:2] for unit in found]


@pytest.mark.property
@given(st.text(alphabet="SA |-01anop\n\r\ufeff", max_size=80))
def test_whatever_is_read_gives_units_or_faults_with_their_lines(text: str) -> None:
    lines = text.count("\n") + text.count("\r") + 1
    faults: tuple[M2Fault, ...] = ()
    found: tuple[Unit, ...] = ()
    try:
        found = parse(text)
    except M2Error as error:
        faults = error.faults
    assert bool(found) != bool(faults)
    assert all(1 <= fault.line <= lines for fault in faults)
    if found:
        assert [unit[:2] for unit in parse(render(found))] == [unit[:2] for unit in found]


@pytest.mark.property
@given(listed, listed, st.lists(st.booleans(), min_size=4, max_size=4), st.sampled_from(Detection))
def test_concentrated_counts_are_those_of_marked_gold_edits(
    gold: tuple[Edit, ...], system: tuple[Edit, ...], marks: list[bool], detection: Detection
) -> None:
    marked = [GoldEdit(edit, mark) for edit, mark in zip(gold, marks, strict=False)]
    found = evaluate(marked, system, detection)
    tp, _, fn = counted(system, tuple(each.edit for each in marked if each.context_dependent), detection)
    assert found.counts == Counts(tp, 0, fn)
    assert total(found.by(By.FULL).values()) == found.counts


def parted(sentences: int, cuts: frozenset[frozenset[int]], ties: list[Tie]) -> bool:
    """Return True if a partition of the sentences splits an edit or a group."""
    groups = {tie.group for tie in ties if tie.group is not None}
    together = [set(range(tie.first, tie.last + 1)) for tie in ties]
    together += [{tie.first for tie in ties if tie.group == group} for group in groups]
    return any(not any(need <= block for block in cuts) for need in together)


def partitions(items: list[int]) -> list[frozenset[frozenset[int]]]:
    if not items:
        return [frozenset()]
    first, rest = items[0], items[1:]
    found = []
    for size in range(len(rest) + 1):
        for others in combinations(rest, size):
            left = [item for item in rest if item not in others]
            found += [part | {frozenset({first, *others})} for part in partitions(left)]
    return found


ties = st.builds(
    lambda first, length, group: Tie(first, min(first + length, 4), group),
    st.integers(0, 4),
    st.integers(0, 2),
    st.sampled_from([None, "g", "h"]),
)


@pytest.mark.property
@given(st.lists(ties, max_size=4))
def test_no_partition_into_more_blocks_keeps_everything_together(found: list[Tie]) -> None:
    result = blocks(5, found)
    keeping = [each for each in partitions(list(range(5))) if not parted(5, each, found)]
    assert frozenset(map(frozenset, result)) in keeping
    assert len(result) == max(map(len, keeping))
    assert sorted(place for block in result for place in block) == list(range(5))
    assert [block[0] for block in result] == sorted(block[0] for block in result)


@pytest.mark.property
@given(st.lists(units, min_size=5, max_size=5), st.lists(units, min_size=5, max_size=5), st.lists(ties, max_size=3))
def test_blocks_of_one_annotator_give_the_totals_of_their_sentences(
    gold: list[Unit], system: list[Unit], found: list[Tie]
) -> None:
    def alone(unit: Unit) -> Unit:
        # Insertions at the end of a sentence and at the beginning of the next are one place in a block.
        edits = next(iter(unit.annotators.values()), ())
        return Unit(SOURCE, {0: tuple(edit for edit in edits if edit.start < edit.end)})

    one, other = [alone(unit) for unit in gold], [alone(unit) for unit in system]
    grouping = blocks(5, found)
    assert compare(joined(one, grouping), joined(other, grouping)).counts == compare(one, other).counts


RULES = [Rules(mode, beta, kind) for mode, beta, kind in product(Mode, (0.5, 2.0), Detection)]
ALTERNATIVES = "S a b\nA 0 1|||R:X|||y||x|||REQUIRED|||-NONE-|||{}\n"
ONE = "A 1 2|||R:X|||y|||REQUIRED|||-NONE-|||0\n"
APART = f"S a b\n{ONE}A 0 1|||R:X|||z|||REQUIRED|||-NONE-|||1\n{ONE.replace('1 2', '0 1')}"


@pytest.fixture(autouse=True, scope="module")
def small_portions() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(columns, "_PORTION", 80)
        yield


def unit_by_unit(
    reference: str, hypothesis: str, left_out: Sequence[str] = (), kinds: Sequence[Rules] = RULES
) -> list[Comparison]:
    tallies = [Tally(rules) for rules in kinds]
    for gold, system in side_by_side(m2.units(reference), m2.units(hypothesis)):
        for tally in tallies:
            tally.add(without(gold, left_out), without(system, left_out))
    return [tally.comparison() for tally in tallies]


def by_columns(
    reference: str, hypothesis: str, left_out: Sequence[str] = (), kinds: Sequence[Rules] = RULES
) -> list[Comparison]:
    tallies = [Tally(rules) for rules in kinds]
    assert columns.add(reference, hypothesis, tallies, left_out)
    return [tally.comparison() for tally in tallies]


@pytest.mark.property
@given(couples.filter(bool), st.lists(st.sampled_from(["R:X", "U:Y:Z", "UNK", "other"]), max_size=2), rules)
def test_any_texts_are_compared_as_unit_by_unit(
    pairs: list[tuple[Unit, Unit]], left_out: list[str], kind: Rules
) -> None:
    reference, hypothesis = (render(side) for side in zip(*pairs, strict=True))
    arguments = (reference, hypothesis, left_out, [kind])
    assert by_columns(*arguments) == unit_by_unit(*arguments)


def texts_of(reference: Sequence[Edit], hypothesis: Sequence[Edit]) -> tuple[str, str]:
    """Write two units, of which the first is edited."""
    source = "a b c d e f g h"
    texts = [
        render([Unit(source, {0: tuple(column_edits)}), Unit(source, {})]) for column_edits in (reference, hypothesis)
    ]
    return texts[0], texts[1]


def column_edits(*texts: str) -> list[Edit]:
    return [Edit(0, 2, "R:X", text) for text in texts]


@pytest.mark.parametrize(
    ("reference", "hypothesis"),
    [
        texts_of(column_edits("long " * 9 + "same"), column_edits("long " * 9 + "Same")),
        texts_of(column_edits("eight ch", "eight cha"), column_edits("eight ch", "eight chb")),
        texts_of(column_edits("ёлка", "й"), column_edits("й", "елка")),
        texts_of(column_edits("x", "x", "y"), column_edits("y", "x", "z", "x")),
        texts_of(column_edits(*["x"] * 40), column_edits(*["x"] * 40)),  # too many pairs at one place
        (REFERENCE, HYPOTHESIS),
        (HYPOTHESIS, REFERENCE),
        (ALTERNATIVES.format(0), ALTERNATIVES.format(1)),
        (f"{REFERENCE}\n{ALTERNATIVES.format(0)}", f"{HYPOTHESIS}\n{ALTERNATIVES.format(1).replace('x', 'z')}"),
        ("\ufeff" + REFERENCE.replace("\n", "\r\n"), HYPOTHESIS),
        ("S у\u0438\u0306\n\nS a\n", "S уй\n\nS a\n"),
        (APART, f"S a b\n{ONE}"),
    ],
    ids=range(12),
)
def test_what_columns_do_not_serve_is_counted_unit_by_unit_among_them(reference: str, hypothesis: str) -> None:
    assert by_columns(reference, hypothesis) == unit_by_unit(reference, hypothesis)


@pytest.mark.skipif(not DATA.is_dir(), reason="HURDLE_GEC_DATA names no folder of real M2 files")
def test_real_files_are_compared_by_columns_as_unit_by_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "_PORTION", 1 << 15)
    names = [DATA / name for name in REAL]
    hypothesis = "\n".join(name.read_text("utf-8") for name in names)
    reference = "\n".join(name.with_name("ref.m2").read_text("utf-8") for name in names)
    kinds = [Rules(Mode.ERRANT), Rules(detection=Detection.TOKEN)]
    expected = unit_by_unit(reference, hypothesis, ["R:OTHER"], kinds)
    monkeypatch.setattr(Tally, "add", None)
    assert by_columns(reference, hypothesis, ["R:OTHER"], kinds) == expected


@pytest.mark.parametrize(
    ("reference", "hypothesis"),
    [
        ("", HYPOTHESIS),
        (REFERENCE, f"{HYPOTHESIS}\nS more\n"),
        (f"{REFERENCE}\nS more\n", HYPOTHESIS),
        (REFERENCE, f"{HYPOTHESIS}\nwrong\n"),
        (f"{REFERENCE}\nwrong\n", f"{HYPOTHESIS}\nwrong\n"),
        (REFERENCE, HYPOTHESIS.replace("S ", "S x ", 1)),
        ("S a b\n \n" * 9, "S a b\n \n" * 8),
    ],
    ids=range(7),
)
def test_texts_that_cannot_be_compared_are_refused_as_small_ones_are(
    reference: str, hypothesis: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusals = []
    for large in (len(reference) + len(hypothesis) + 1, 0):
        monkeypatch.setattr(comparison, "_LARGE", large)
        with pytest.raises(RefusedError) as caught:
            request(reference_m2=reference, hypothesis_m2=hypothesis)
        refusals.append((caught.value.code, str(caught.value), caught.value.details))
    assert refusals[0] == refusals[1]


def test_large_texts_are_compared_by_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    fields = {"reference_m2": REFERENCE, "hypothesis_m2": HYPOTHESIS, "by": "full", "mode": "errant"}
    small = request(**fields)
    monkeypatch.setattr(comparison, "_LARGE", 0)
    monkeypatch.setattr(Tally, "add", None)
    assert request(**fields) == small
