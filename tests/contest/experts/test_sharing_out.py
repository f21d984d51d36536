"""Essays are shared out: two competent experts without a common conflict group, loads as even as can be; a decision
about an assignment has a reason."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.experts.rules.assignment import Assignment, AssignmentState, extend, hand_back, take_away
from contest.experts.rules.sharing_out import Expert, Want, share_out
from contest.refusals import RefusedError
from contest.values import LONGEST_REASON


def expert(
    name: str, subjects: str = "hist", groups: str = "", *, active: bool = True, languages: str = "rus"
) -> Expert:
    sets = (frozenset(each.split()) for each in (subjects, languages, groups))
    return Expert(name, f"expert-{name}", *sets, active=active)


def want(item: str, subject: str = "hist", language: str = "rus", **more: object) -> Want:
    return Want(item, language, subject, **more)  # type: ignore[arg-type]


def added(shared: dict[str, tuple[str, ...]]) -> Counter[str]:
    return Counter(name for names in shared.values() for name in names)


def least_squares(wants: Sequence[Want], experts: Sequence[Expert], loads: dict[str, int]) -> int | None:
    """Find the smallest possible sum of squared loads by trying everything; None where an essay cannot be covered."""
    choices = []
    for each in wants:
        able = [one for one in experts if one.may_mark(each.language, each.subject)]
        pairs = [
            tuple(one.expert_id for one in chosen)
            for chosen in combinations(able, each.experts)
            if not any(one.conflicts_with(other) for one, other in combinations(chosen, 2))
        ]
        if not pairs:
            return None
        choices.append(pairs)
    best = None
    for chosen in product(*choices):
        total = Counter(loads)
        total.update(name for pair in chosen for name in pair)
        squares = sum(total[each.expert_id] ** 2 for each in experts)
        best = squares if best is None else min(best, squares)
    return best


@pytest.mark.clause("R 7.10", "platform §5 assignment")
def test_r_7_10_every_essay_gets_two_competent_experts_without_a_common_conflict_group() -> None:
    dice = random.Random(7)
    subjects = ["rus", "lit", "social", "hist", "eng"]
    experts = [
        expert(
            f"e{number:02d}",
            " ".join(dice.sample(subjects, 3)),
            dice.choice(["", "a", "b", "a b", "c"]),
            languages=dice.choice(["rus", "rus eng", "eng rus"]),
        )
        for number in range(40)
    ]
    wants = [want(f"i{number:03d}", dice.choice(subjects)) for number in range(500)]  # as many as a real final has
    known = {each.expert_id: each for each in experts}
    shared = share_out(wants, experts, {}, 1)
    assert shared.uncovered == ()
    loads = added(dict(shared.experts))
    assert max(loads.values()) - min(loads.values()) <= 1
    for each in wants:
        one, other = (known[name] for name in shared.experts[each.item_id])
        assert one is not other
        assert one.may_mark(each.language, each.subject)
        assert other.may_mark(each.language, each.subject)
        assert not one.groups & other.groups


@given(
    st.lists(st.sampled_from(["a", "b", "a b"]), min_size=2, max_size=5),
    st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from([1, 2])), min_size=1, max_size=5),
    st.lists(st.integers(0, 3), min_size=5, max_size=5),
    st.integers(0, 9),
)
def test_no_sharing_is_more_even(skills: list[str], essays: list[tuple[str, int]], loads: list[int], seed: int) -> None:
    experts = [expert(f"e{number}", each) for number, each in enumerate(skills)]
    before = {each.expert_id: load for each, load in zip(experts, loads, strict=False)}
    wants = [want(f"i{number}", subject, experts=count) for number, (subject, count) in enumerate(essays)]
    best = least_squares(wants, experts, before)
    shared = share_out(wants, experts, before, seed)
    assert bool(shared.uncovered) == (best is None)
    if best is not None:
        after = added(dict(shared.experts)) + Counter(before)
        assert sum(after[each.expert_id] ** 2 for each in experts) == best


@given(st.lists(st.sampled_from(["", "x", "y", "x y", "z"]), min_size=2, max_size=6), st.integers(1, 6))
def test_an_essay_is_uncovered_exactly_when_no_pair_may_work_together(groups: list[str], essays: int) -> None:
    experts = [expert(f"e{number}", groups=each) for number, each in enumerate(groups)]
    wants = [want(f"i{number}") for number in range(essays)]
    shared = share_out(wants, experts, {}, 0)
    assert bool(shared.uncovered) == (least_squares(wants[:1], experts, {}) is None)
    known = {each.expert_id: each for each in experts}
    assert all(not known[a].conflicts_with(known[b]) for a, b in shared.experts.values())


def test_partners_and_pairs_vary_with_the_seed_and_not_with_the_order_of_the_arguments() -> None:
    experts = [expert(f"e{number}") for number in range(8)]
    wants = [want(f"i{number}") for number in range(40)]
    first = share_out(wants, experts, {}, 1)
    assert share_out(wants[::-1], experts[::-1], {}, 1) == first
    assert share_out(wants, experts, {}, 2).experts != first.experts
    experts = [expert(f"e{number}") for number in range(5)]
    shared = share_out([want(f"i{number:03d}") for number in range(100)], experts, {}, 1)
    assert set(shared.experts.values()) == set(combinations([each.expert_id for each in experts], 2))


def test_loads_from_before_are_made_up_for_and_handovers_even_out_what_the_first_sharing_cannot() -> None:
    experts = [expert(f"e{number}") for number in range(4)]
    shared = share_out([want(f"i{number}") for number in range(10)], experts, {"e0": 8}, 1)
    after = added(dict(shared.experts))
    assert after["e0"] == 0
    assert sorted(after.values()) == [6, 7, 7]
    experts = [expert("e0", "a b"), expert("e1", "a"), expert("e2", "b c"), expert("e3", "c d"), expert("e4", "d")]
    wants = [want(f"{subject}{number}", subject, experts=1) for number in range(6) for subject in "abcd"]
    after = added(dict(share_out(wants, experts, {}, 1).experts))
    assert max(after.values()) - min(after.values()) <= 1


@pytest.mark.parametrize(
    ("experts", "code"),
    [
        ([], "no_expert"),
        ([expert("a", "lit"), expert("b", "rus")], "no_expert"),
        ([expert("a"), expert("b", active=False)], "one_expert"),
        ([expert("a"), expert("b", languages="eng")], "one_expert"),
        ([expert("a", groups="x"), expert("b", groups="x y"), expert("c", groups="x")], "conflict"),
    ],
    ids=["nobody", "other-subjects", "inactive", "other-language", "conflict"],
)
@pytest.mark.clause("platform §5 assignment")
def test_platform_5_an_essay_that_cannot_be_covered_is_named_with_the_reason(experts: list[Expert], code: str) -> None:
    more = [expert("x1", "social"), expert("x2", "social")]
    shared = share_out([want("i1"), want("i2", "social")], [*experts, *more], {}, 1)
    ((item, found, said),) = [(each.item_id, each.code, each.message) for each in shared.uncovered]
    assert (item, found) == ("i1", code)
    assert "hist" in said.en
    assert "hist" in said.ru
    assert shared.experts == {"i2": ("x1", "x2")}


def test_who_has_had_an_essay_or_conflicts_with_those_who_have_it_is_not_chosen() -> None:
    experts = [expert("a", groups="x"), expert("b"), expert("c", groups="x"), expert("d"), expert("e")]
    third = want("i1", experts=1, beside=frozenset({"a", "b"}), barred=frozenset({"d"}))
    assert share_out([third], experts, {}, 1).experts == {"i1": ("e",)}
    without_e = [each for each in experts if each.expert_id != "e"]
    (uncovered,) = share_out([third], without_e, {}, 1).uncovered
    assert uncovered.code == "no_other_expert"


GIVEN = Assignment("a1", "m", "essay", "anna", "rus", "hist", is_third=False, limit=3_600_000, assigned_at=0)
DECISIONS: dict[str, Callable[[str], Assignment]] = {
    "hand back": lambda why: hand_back(GIVEN, why, 10),
    "take away": lambda why: take_away(GIVEN, AssignmentState.RELEASED, why, 10),
    "extend": lambda why: extend(GIVEN, 1_000, why, 10),
}


@pytest.mark.parametrize("decide", DECISIONS.values(), ids=DECISIONS)
def test_a_decision_about_an_assignment_has_a_reason(decide: Callable[[str], Assignment]) -> None:
    for reason in ("", " \n", "я" * (LONGEST_REASON + 1)):
        with pytest.raises(RefusedError) as refused:
            decide(reason)
        assert refused.value.code == "no_reason"
    assert decide(f" {'я' * (LONGEST_REASON - 2)} ").reason == "я" * (LONGEST_REASON - 2)
