"""The matching by hand: losses, what is matched first, and each tie rule on the smallest case that needs it.

The matching against every possible one: Q and all six tie rules, on dense small markups.
"""

from __future__ import annotations

import random
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markup_core.comparable import ERROR, MEANING
from markup_core.matching import assignment, dense
from markup_core.matching.match import Matching, match
from markup_core.model import Fragment, Markup
from markup_core.params import ScoringParams
from tests.examples import examples
from tests.markup_core.matching.matching_oracle import best, cost, listed, rules


def matched(x: list[Fragment], y: list[Fragment], params: ScoringParams | None = None) -> Matching:
    return match(Markup("", tuple(x)), Markup("", tuple(y)), params or ScoringParams())


def whole(matching: Matching) -> tuple[object, ...]:
    return matching.pairs, matching.q, matching.unmatched_x, matching.unmatched_y


def at(start: int, end: int, code: str = "a", **fields: str) -> Fragment:
    return Fragment(start, end, code, **fields)  # type: ignore[arg-type]


@pytest.mark.clause("R-App2 §3", "MS §1 codes", "MS §2 full text")
@pytest.mark.parametrize(
    ("x", "y", "q", "pairs"),
    [
        (at(0, 10), at(0, 10), 0, 1),  # the same
        (at(0, 10), at(0, 5), 0.5, 1),  # common start and code: J alone, 1 - 5/10
        (at(0, 10), at(0, 10, "b"), 1, 1),  # the same place, another code
        (at(0, 10), at(5, 10), 1.5, 1),  # another start: 1 - 5/10 + 1
        (at(0, 10), at(0, 5, "b"), 1.5, 1),  # common start, another code
        (at(0, 10), at(5, 10, "b"), 2, 0),  # start and code differ: no correspondence, 1 + 1 left over
        (at(0, 10), at(10, 20), 2, 0),  # they touch and share nothing
        (at(0, 0), at(0, 0), 0, 1),  # the whole text twice
        (at(0, 0), at(0, 0, "b"), 1, 1),
        (at(0, 0), at(0, 10), 2, 0),  # the whole text and a place at its start: J = 1
        (at(0, 3, "Г.СЛОВ"), at(0, 3, "Г.слов"), 0, 1),
    ],
)
def test_the_loss_of_a_pair_is_the_regulations(x: Fragment, y: Fragment, q: float, pairs: int) -> None:
    found = matched([x], [y])
    assert found.q == q
    assert len(found.pairs) == pairs


@pytest.mark.clause("R-App2 §3", "MS §2 ties")
@pytest.mark.parametrize(
    ("x", "y", "pairs"),
    [
        # The whole sum counts, not the cheapest pair. Saved: [0,10)-[0,9) 1.9 and [0,8)-[0,4) 1.5, together 3.4; or
        # [0,10)-[0,4) 1.4 and [0,8)-[0,9) 1.889: 3.289. With [0,5) for [0,10): [0,5)-[0,9) 1.556 and [0,8)-[0,4) 1.5:
        # 3.056; [0,5)-[0,4) 1.8 and [0,8)-[0,9) 1.889: 3.689.
        ([at(0, 10), at(0, 8)], [at(0, 9), at(0, 4)], ((0, 0), (1, 1))),
        ([at(0, 5), at(0, 8)], [at(0, 9), at(0, 4)], ((0, 1), (1, 0))),
        # 27961 · 357641 = 100000² + 1, so 27961/100000 exceeds 100000/357641 by 3·10⁻¹¹, while the latter shares more
        # characters and would win by rule 3 if the two counted as equal.
        ([at(0, 100_000)], [at(0, 357_641), at(0, 27_961)], ((0, 1),)),
        # Rule 1, equal codes. X: [0,10) a. Y: [0,5) b saves 5/10 by its start, [5,10) a saves 5/10 by its code.
        ([at(0, 10)], [at(0, 5, "b"), at(5, 10)], ((0, 1),)),
        # Rule 2, more pairs. [10,22)-[14,22) saves 8/12; [10,22)-[10,13) by its start 3/12 and [17,26)-[14,22) 5/12: as
        # much, in two pairs, and with one pair of equal codes either way.
        ([at(10, 22), at(17, 26)], [at(14, 22), at(10, 13, "b")], ((0, 1), (1, 0))),
        # Rule 3, the larger overlap: 6 of 12 characters against 12 of 24.
        ([at(100, 112)], [at(106, 112), at(94, 118)], ((0, 1),)),
        # Rule 4, equal subtypes; rule 5, equal corrections; rule 4 goes before rule 5; rule 6, the smallest keys.
        ([at(0, 5, subtype="s")], [at(0, 5, subtype="t"), at(0, 5, subtype="S")], ((0, 1),)),
        (
            [at(0, 5, correction="yes indeed")],
            [at(0, 5, correction="no"), at(0, 5, correction=" YES  indeed")],
            ((0, 1),),
        ),
        (
            [at(0, 5, subtype="s", correction="yes")],
            [at(0, 5, subtype="t", correction="yes"), at(0, 5, subtype="s", correction="no")],
            ((0, 1),),
        ),
        ([at(0, 5, comment="z")], [at(0, 5, comment=each) for each in "bac"], ((0, 1),)),
        # Of coinciding fragments the one with Y's subtype stays with Y's; the other goes on to the neighbour.
        ([at(0, 5, subtype="s"), at(0, 5, subtype="t")], [at(0, 5, subtype="t"), at(0, 6)], ((0, 1), (1, 0))),
    ],
)
def test_of_several_matchings_the_rules_choose(
    x: list[Fragment], y: list[Fragment], pairs: tuple[tuple[int, int], ...]
) -> None:
    assert matched(x, y).pairs == pairs


@pytest.mark.clause("MS §2 symmetry")
def test_what_is_left_over_is_told_and_of_fragments_alike_the_later() -> None:
    assert whole(matched([], [])) == ((), 0.0, (), ())
    assert whole(matched([at(0, 3), at(4, 6)], [])) == ((), 2.0, (0, 1), ())
    assert whole(matched([at(0, 5), at(0, 5), at(0, 5)], [at(0, 5)])) == (((0, 0),), 2.0, (1, 2), ())


@pytest.mark.clause("MS §2 groups")
def test_separate_groups_keep_blocks_and_errors_apart() -> None:
    block, error = at(0, 5, "a")._replace(group=MEANING), at(0, 5, "b")._replace(group=ERROR)
    assert matched([block], [error]).pairs == ((0, 0),)
    assert whole(matched([block], [error], ScoringParams(separate_groups=True))) == ((), 2.0, (0,), (0,))


@pytest.mark.clause("MS §2 optimum")
@pytest.mark.parametrize("size", [80, 160])
def test_many_fragments_on_one_span_settle_into_couples_of_equal_keys(size: int) -> None:
    x = [at(10, 20, comment=f"{number:03}") for number in range(size)]
    found = matched(x, x[::-1])
    assert found.pairs == tuple((number, size - 1 - number) for number in range(size))


def test_a_long_chain_is_matched_link_by_link() -> None:
    x = [at(50 * link, 50 * link + 80) for link in range(1500)]
    y = [at(50 * link + 25, 50 * link + 105) for link in range(1500)]
    # Neighbours share 55 of 105 characters on one side and 25 of 135 on the other.
    found = matched(x, y)
    assert found.pairs == tuple((link, link) for link in range(1500))
    assert found.q == pytest.approx(1500 * (2 - 55 / 105))


def test_of_a_chain_with_one_link_too_many_the_last_stays_alone() -> None:
    # Every link shares 55 of 105 characters with either neighbour, so any of the 41 could stay alone at one cost.
    x = [at(50 * link + 25, 50 * link + 105) for link in range(40)]
    y = [at(50 * link, 50 * link + 80) for link in range(41)]
    assert matched(x, y).unmatched_y == (40,)


def test_scoring_starts_without_loading_numpy() -> None:
    program = "import sys, markup_core.accuracy, markup_core.sample; print('numpy' in sys.modules)"
    outcome = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert outcome.stdout.strip() == "False"


TEXT = "x" * 12


@st.composite
def fragments(draw: st.DrawFn, most: int = 6) -> tuple[Fragment, ...]:
    length = draw(st.sampled_from([3, 5, 8, 12]))
    codes = draw(st.sampled_from(["a", "ab", "abcd"]))
    subtypes = draw(st.sampled_from([("",), ("", "s"), ("s", "t", "S")]))
    corrections = draw(st.sampled_from([("",), ("", "z"), ("z", " Z", "y")]))
    actual = []
    for _ in range(draw(st.integers(0, most))):
        start = draw(st.integers(-1, length - 1))  # -1 stands for the whole text
        end = draw(st.integers(start + 1, length)) if start >= 0 else 0
        texts = [draw(st.sampled_from(["", "", "q"])) for _ in range(2)]
        actual.append(
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
    return tuple(actual)


def markup(found: tuple[Fragment, ...]) -> Markup:
    return Markup(TEXT, found)


def check(x: tuple[Fragment, ...], y: tuple[Fragment, ...]) -> None:
    result = match(markup(x), markup(y))
    expected, _ = best(x, y)
    assert rules(x, y, result.pairs) == expected
    assert result.q == pytest.approx(float(expected[0]), abs=1e-12)
    assert set(result.unmatched_x) == set(range(len(x))) - {i for i, _ in result.pairs}
    assert set(result.unmatched_y) == set(range(len(y))) - {k for _, k in result.pairs}


@pytest.mark.property
@pytest.mark.clause("MS §2 optimum", "R-App2 §3", "MS §2 ties")
@settings(max_examples=examples(25))
@given(fragments(), fragments())
def test_the_matching_is_the_optimum_by_every_tie_rule(x: tuple[Fragment, ...], y: tuple[Fragment, ...]) -> None:
    check(x, y)


@pytest.mark.property
@settings(max_examples=examples(20))
@given(fragments(5), st.integers(0, 5), st.randoms(use_true_random=False))
def test_the_tie_rules_hold_among_slightly_changed_copies(
    x: tuple[Fragment, ...], count: int, rng: random.Random
) -> None:
    y = tuple(
        f._replace(comment=rng.choice(["", "q"]), code=rng.choice("ab")) for f in (rng.choices(x, k=count) if x else ())
    )
    check(x, y)


@pytest.mark.property
@pytest.mark.parametrize("exact", [True, False], ids=["whole numbers", "fixed point"])
def test_the_solver_for_large_components_finds_the_same_matching(exact: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("markup_core.matching.match.DENSE", 0)
    monkeypatch.setattr(dense, "DENSE", 0)
    if not exact:
        monkeypatch.setattr(dense, "_exact_saving", lambda *_: None)
    rng = random.Random(7)
    for _ in range(150):
        check(_random(rng, 5), _random(rng, 5))


@pytest.mark.property
def test_the_rule_for_large_open_parts_keeps_rules_one_to_five_and_symmetry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assignment, "EXACT_SIDE", 0)
    rng = random.Random(11)
    for _ in range(150):
        x, y = _random(rng, 5), _random(rng, 5)
        result = match(markup(x), markup(y))
        assert rules(x, y, result.pairs)[:-1] == best(x, y)[0][:-1]
        assert match(markup(y), markup(x)) == result.transposed()
        mixed = rng.sample(x, len(x))
        assert listed(tuple(mixed), y, match(markup(tuple(mixed)), markup(y)).pairs) == listed(x, y, result.pairs)


def _random(rng: random.Random, most: int) -> tuple[Fragment, ...]:
    length = rng.choice([3, 5, 12])
    spans = [(start := rng.randrange(length), rng.randint(start + 1, length)) for _ in range(rng.randint(0, most))]
    return tuple(
        Fragment(start, end, rng.choice("ab"), rng.choice(["", "s"]), rng.choice("pq"), "", rng.choice(["", "z"]))
        for start, end in spans
    )


@pytest.mark.property
@pytest.mark.clause("MS §2 symmetry")
@given(fragments(10), fragments(10), st.randoms(use_true_random=False))
def test_order_and_ids_of_the_fragments_do_not_matter(
    x: tuple[Fragment, ...], y: tuple[Fragment, ...], rng: random.Random
) -> None:
    result = match(markup(x), markup(y))
    mixed_x = tuple(f._replace(id=rng.random()) for f in rng.sample(x, len(x)))  # type: ignore[arg-type]
    mixed_y = tuple(f._replace(id="same") for f in rng.sample(y, len(y)))
    again = match(markup(mixed_x), markup(mixed_y))
    assert listed(mixed_x, mixed_y, again.pairs) == listed(x, y, result.pairs)
    assert again.q == result.q


@pytest.mark.property
@pytest.mark.clause("MS §2 symmetry")
@given(fragments(10), fragments(10))
def test_swapping_the_markups_gives_the_transposed_matching(x: tuple[Fragment, ...], y: tuple[Fragment, ...]) -> None:
    assert match(markup(y), markup(x)) == match(markup(x), markup(y)).transposed()


@pytest.mark.property
@given(fragments(), fragments())
def test_with_separate_groups_a_block_never_matches_an_error(x: tuple[Fragment, ...], y: tuple[Fragment, ...]) -> None:
    grouped_x, grouped_y = (
        [f._replace(group="meaning" if f.code in "ab" else "error") for f in side] for side in (x, y)
    )
    apart = ScoringParams(separate_groups=True)
    result = match(markup(tuple(grouped_x)), markup(tuple(grouped_y)), apart)
    assert all(grouped_x[i].group == grouped_y[k].group for i, k in result.pairs)
    actual = [
        best(
            tuple(f for f in grouped_x if f.group == group),
            tuple(f for f in grouped_y if f.group == group),
        )[0][0]
        for group in ("meaning", "error")
    ]
    assert cost(tuple(grouped_x), tuple(grouped_y), result.pairs) == sum(actual)
