"""The matching against every possible one: Q and all six tie rules, on dense small markups."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markup_core.matching import assignment, dense
from markup_core.matching.match import match
from markup_core.model import Fragment, Markup
from markup_core.params import ScoringParams
from tests.examples import examples
from tests.markup_core.matching.matching_oracle import best, cost, key, listed, rules

pytestmark = pytest.mark.property

TEXT = "x" * 12


@st.composite
def fragments(draw: st.DrawFn, most: int = 6) -> tuple[Fragment, ...]:
    length = draw(st.sampled_from([3, 5, 8, 12]))
    codes = draw(st.sampled_from(["a", "ab", "abcd"]))
    subtypes = draw(st.sampled_from([("",), ("", "s"), ("s", "t", "S")]))
    corrections = draw(st.sampled_from([("",), ("", "z"), ("z", " Z", "y")]))
    found = []
    for _ in range(draw(st.integers(0, most))):
        start = draw(st.integers(-1, length - 1))  # -1 stands for the whole text
        end = draw(st.integers(start + 1, length)) if start >= 0 else 0
        texts = [draw(st.sampled_from(["", "", "q"])) for _ in range(2)]
        found.append(
            Fragment(
                max(start, 0),
                end,
                draw(st.sampled_from(codes)),
                draw(st.sampled_from(subtypes)),
                texts[0],
                "",
                draw(st.sampled_from(corrections)),
                texts[1],
            )
        )
    return tuple(found)


def markup(found: tuple[Fragment, ...]) -> Markup:
    return Markup(TEXT, found)


def check(x: tuple[Fragment, ...], y: tuple[Fragment, ...]) -> None:
    found = match(markup(x), markup(y))
    expected, _ = best(x, y)
    assert rules(x, y, found.pairs) == expected
    assert found.q == pytest.approx(float(expected[0]), abs=1e-12)
    assert set(found.unmatched_x) == set(range(len(x))) - {i for i, _ in found.pairs}
    assert set(found.unmatched_y) == set(range(len(y))) - {k for _, k in found.pairs}


@pytest.mark.clause("MS §2 optimum", "R-App2 §3", "MS §2 ties")
@settings(max_examples=examples(25))
@given(fragments(), fragments())
def test_the_matching_is_the_optimum_by_every_tie_rule(x: tuple[Fragment, ...], y: tuple[Fragment, ...]) -> None:
    check(x, y)


@settings(max_examples=examples(20))
@given(fragments(5), st.integers(0, 5), st.randoms(use_true_random=False))
def test_the_tie_rules_hold_among_slightly_changed_copies(
    x: tuple[Fragment, ...], count: int, rng: random.Random
) -> None:
    y = tuple(
        f._replace(comment=rng.choice(["", "q"]), code=rng.choice("ab")) for f in (rng.choices(x, k=count) if x else ())
    )
    check(x, y)


@pytest.mark.parametrize("exact", [True, False], ids=["whole numbers", "fixed point"])
def test_the_solver_for_large_components_finds_the_same_matching(exact: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("markup_core.matching.match.DENSE", 0)
    monkeypatch.setattr(dense, "DENSE", 0)
    if not exact:
        monkeypatch.setattr(dense, "_exact_saving", lambda *_: None)
    rng = random.Random(7)
    for _ in range(150):
        check(_random(rng, 5), _random(rng, 5))


def test_the_rule_for_large_open_parts_keeps_rules_one_to_five_and_symmetry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assignment, "EXACT_SIDE", 0)
    rng = random.Random(11)
    for _ in range(150):
        x, y = _random(rng, 5), _random(rng, 5)
        found = match(markup(x), markup(y))
        assert rules(x, y, found.pairs)[:-1] == best(x, y)[0][:-1]
        assert match(markup(y), markup(x)) == found.transposed()
        mixed = rng.sample(x, len(x))
        assert listed(tuple(mixed), y, match(markup(tuple(mixed)), markup(y)).pairs) == listed(x, y, found.pairs)


def _random(rng: random.Random, most: int) -> tuple[Fragment, ...]:
    length = rng.choice([3, 5, 12])
    spans = [(start := rng.randrange(length), rng.randint(start + 1, length)) for _ in range(rng.randint(0, most))]
    return tuple(
        Fragment(start, end, rng.choice("ab"), rng.choice(["", "s"]), rng.choice("pq"), "", rng.choice(["", "z"]))
        for start, end in spans
    )


@pytest.mark.clause("MS §2 symmetry")
@given(fragments(10), fragments(10), st.randoms(use_true_random=False))
def test_order_and_ids_of_the_fragments_do_not_matter(
    x: tuple[Fragment, ...], y: tuple[Fragment, ...], rng: random.Random
) -> None:
    found = match(markup(x), markup(y))
    mixed_x = tuple(f._replace(id=rng.random()) for f in rng.sample(x, len(x)))  # type: ignore[arg-type]
    mixed_y = tuple(f._replace(id="same") for f in rng.sample(y, len(y)))
    again = match(markup(mixed_x), markup(mixed_y))
    assert listed(mixed_x, mixed_y, again.pairs) == listed(x, y, found.pairs)
    assert again.q == found.q


@pytest.mark.clause("MS §2 symmetry")
@given(fragments(10), fragments(10))
def test_swapping_the_markups_gives_the_transposed_matching(x: tuple[Fragment, ...], y: tuple[Fragment, ...]) -> None:
    assert match(markup(y), markup(x)) == match(markup(x), markup(y)).transposed()


@given(fragments(10))
def test_a_markup_matches_itself_fragment_by_fragment(x: tuple[Fragment, ...]) -> None:
    found = match(markup(x), markup(x))
    assert found.q == 0
    assert all(key(x[i]) == key(x[k]) for i, k in found.pairs)
    assert len(found.pairs) == len(x)


@given(fragments(), fragments())
def test_with_separate_groups_a_block_never_matches_an_error(x: tuple[Fragment, ...], y: tuple[Fragment, ...]) -> None:
    grouped_x, grouped_y = (
        [f._replace(group="meaning" if f.code in "ab" else "error") for f in side] for side in (x, y)
    )
    apart = ScoringParams(separate_groups=True)
    found = match(markup(tuple(grouped_x)), markup(tuple(grouped_y)), apart)
    assert all(grouped_x[i].group == grouped_y[k].group for i, k in found.pairs)
    each = [
        best(
            tuple(f for f in grouped_x if f.group == group),
            tuple(f for f in grouped_y if f.group == group),
        )[0][0]
        for group in ("meaning", "error")
    ]
    assert cost(tuple(grouped_x), tuple(grouped_y), found.pairs) == sum(each)
