"""Laws of the gec track on whatever edits, and a comparison by brute force without its code (tracks.md §3)."""

from __future__ import annotations

import random
from collections import defaultdict
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markup_core.formats.m2 import Edit, M2Error, M2Fault, Unit, parse, render
from tracks.gec.comparison import GoldEdit, Mode, Rules, Tally, compare, evaluate
from tracks.gec.counts import By, Counts, Detection, total
from tracks.gec.gold import Tie, blocks, joined

pytestmark = pytest.mark.property

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
    """F from precision and recall with their conventions, in fractions."""
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


@given(couples, rules)
def test_the_unit_mode_takes_the_best_couple_of_every_unit(found: list[tuple[Unit, Unit]], rules: Rules) -> None:
    rules = Rules(Mode.UNIT, rules.beta, rules.detection)
    best = [best_of(gold, system, rules) for gold, system in found]
    result = compare([gold for gold, _ in found], [system for _, system in found], rules)
    assert result.chosen == tuple((-one[4], -one[5]) for one in best)
    assert result.counts == total(Counts(one[1], -one[2], -one[3]) for one in best)


counts = st.tuples(*[st.integers(0, 4)] * 3)
totals = st.tuples(*[st.integers(3_000, 30_000)] * 3)


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


@given(couples, rules)
def test_every_category_adds_up_to_the_totals(found: list[tuple[Unit, Unit]], rules: Rules) -> None:
    result = compare([gold for gold, _ in found], [system for _, system in found], rules)
    for by in (By.TYPE, By.FULL):
        assert total(result.by(by).values()) == result.counts


@given(couples, rules)
def test_totals_are_the_sum_of_the_units_where_units_are_chosen_alone(
    found: list[tuple[Unit, Unit]], rules: Rules
) -> None:
    rules = Rules(Mode.UNIT, rules.beta, rules.detection)
    whole = compare([gold for gold, _ in found], [system for _, system in found], rules)
    alone = [compare([gold], [system], rules) for gold, system in found]
    assert whole.counts == total(each.counts for each in alone)
    assert whole.chosen == tuple(each.chosen[0] for each in alone)


@given(st.lists(units, max_size=5), rules)
def test_a_system_equal_to_an_annotator_is_perfect(gold: list[Unit], rules: Rules) -> None:
    system = [Unit(SOURCE, {0: next(iter(unit.annotators.values()), ())}) for unit in gold]
    counts = compare(gold, system, rules).counts
    assert (counts.fp, counts.fn, counts.f()) == (0, 0, 1.0)


@given(st.lists(units, min_size=1, max_size=5))
def test_what_is_written_is_read_again(found: list[Unit]) -> None:
    assert [unit[:2] for unit in parse(render(found))] == [unit[:2] for unit in found]


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
    """Whether a partition of the sentences parts an edit or a group."""
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


@given(st.lists(ties, max_size=4))
def test_no_partition_into_more_blocks_keeps_everything_together(found: list[Tie]) -> None:
    result = blocks(5, found)
    keeping = [each for each in partitions(list(range(5))) if not parted(5, each, found)]
    assert frozenset(map(frozenset, result)) in keeping
    assert len(result) == max(map(len, keeping))
    assert sorted(place for block in result for place in block) == list(range(5))
    assert [block[0] for block in result] == sorted(block[0] for block in result)


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
