"""Grading of history (markup-scoring §5, hist); every expectation is counted by hand from the text."""

from __future__ import annotations

import pytest

from markup_core.model import Fragment, Markup
from tests.markup_core.criteria.graded import essay, explained, points

FULL = "СЯП*2 РОЛЬ*2 ПРИЧИНА*2 СЛЕДСТВИЕ*2 ОЦЕНКА"


def k(number: int, marks: str) -> int:
    return points(essay("hist", 1, marks))[number - 1]


Mark = tuple[str, int, int] | tuple[str, int, int, str]


def placed(*marks: Mark) -> Markup:
    """Return an essay with two events and the marks (code, start, end, tag)."""
    events = [Fragment(0, 1, "СЯП"), Fragment(1, 2, "СЯП")]
    found = [Fragment(start, end, code, tag=tag[0] if tag else "") for code, start, end, *tag in marks]
    return Markup("x" * 200, (*events, *found), {"subject": "hist"})


def persons(*marks: Mark) -> int:
    return points(placed(*marks))[1]


def links(*marks: Mark) -> int:
    return points(placed(*marks))[2]


@pytest.mark.clause("MS §5 hist", "R-App2 §1.3")
def test_a_flawless_essay_has_all_12_points() -> None:
    assert points(essay("hist", 1, FULL)) == [2, 2, 2, 1, 1, 3, 1]


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        ("", 0),
        ("СЯП", 1),
        ("СЯП*5", 2),
        ("СЯП*3 И.сяп", 2),  # three events less one error, cut to two
        ("СЯП*2 И.сяп", 1),
        ("СЯП*2 И.период*2", 0),
        ("СЯП И.сяп И.период", 0),
        ("СЯП*2 И.сяп#1 И.сяп#1", 1),
    ],
)
def test_k1_counts_events_less_errors(marks: str, expected: int) -> None:
    assert k(1, marks) == expected


def test_k1_of_zero_makes_everything_zero() -> None:
    assert points(essay("hist", 1, f"{FULL} И.сяп*2")) == [0] * 7


def test_k2_gives_a_point_for_each_of_the_first_two_persons() -> None:
    assert persons() == 0
    assert persons(("РОЛЬ", 10, 20)) == 1
    assert persons(("РОЛЬ", 10, 20), ("РОЛЬ", 30, 40)) == 2
    assert persons(("РОЛЬ", 10, 20), ("РОЛЬ", 30, 40), ("РОЛЬ", 50, 60)) == 2
    assert persons(("РОЛЬ", 10, 20, "а"), ("РОЛЬ", 30, 40, " а ")) == 1  # one person in two places
    assert persons(("РОЛЬ", 10, 20, " "), ("РОЛЬ", 30, 40, " ")) == 2  # blanks are no tag


@pytest.mark.clause("MS §5 hist")
@pytest.mark.parametrize("code", ["И.личность", "И.лСвязь", "И.лПериод", "И.лРоль", "И.лДейств", "и.ЛДЕЙСТВ"])
def test_an_error_takes_the_point_of_its_person(code: str) -> None:
    assert persons(("РОЛЬ", 10, 20), ("РОЛЬ", 30, 40), (code, 31, 33)) == 1
    assert persons(("РОЛЬ", 10, 20), ("РОЛЬ", 30, 40), (code, 31, 33), (code, 12, 13)) == 0


def test_an_error_about_consequences_of_actions_is_none_about_the_person() -> None:
    assert persons(("РОЛЬ", 10, 20), ("И.слДейств", 12, 13)) == 1


def test_an_untagged_error_is_about_the_nearest_of_the_first_two() -> None:
    roles = [("РОЛЬ", 10, 20), ("РОЛЬ", 60, 70)]
    far, near = ("И.лРоль", 90, 95), ("И.лРоль", 25, 28)
    assert persons(*roles, far, near) == 0
    assert persons(*roles, far, ("И.лРоль", 71, 72)) == 1
    assert persons(*roles, near, ("И.лРоль", 0, 2)) == 1
    # The third person lies next to the error, but only the first two count: the second is nearer.
    assert persons(*roles, ("РОЛЬ", 150, 160), ("И.лРоль", 151, 152), ("И.лРоль", 1, 2)) == 0


def test_equal_distance_goes_to_the_first_person() -> None:
    # 39 is 19 after the first, 41 is 19 before the second; then a touching and an overlapping person are both at 0.
    assert persons(("РОЛЬ", 10, 20), ("РОЛЬ", 60, 70), ("И.лРоль", 39, 41), ("И.лСвязь", 12, 13)) == 1
    assert persons(("РОЛЬ", 10, 20), ("РОЛЬ", 25, 40), ("И.лРоль", 20, 30), ("И.лСвязь", 11, 12)) == 1


def test_the_distance_is_to_the_nearest_of_a_persons_fragments() -> None:
    roles = [("РОЛЬ", 10, 20, "а"), ("РОЛЬ", 90, 99, "а"), ("РОЛЬ", 40, 50, "б")]
    # 80 is 10 before the first person's second fragment and 30 after the second person's only one.
    assert persons(*roles, ("И.лРоль", 75, 80), ("И.лСвязь", 12, 13)) == 1


@pytest.mark.clause("MS §1 full text")
def test_a_full_text_error_is_about_the_first_person() -> None:
    assert persons(("РОЛЬ", 10, 20), ("РОЛЬ", 30, 40), ("И.лРоль", 0, 0), ("И.лСвязь", 12, 13)) == 1
    assert persons(("РОЛЬ", 10, 20), ("РОЛЬ", 30, 40), ("И.лРоль", 0, 0), ("И.лСвязь", 31, 32)) == 0


def test_k3_gives_a_point_for_each_of_the_first_two_links() -> None:
    assert links(("ПРИЧИНА", 10, 20)) == 0
    assert links(("СЛЕДСТВИЕ", 10, 20)) == 0
    assert links(("ПРИЧИНА", 10, 20), ("СЛЕДСТВИЕ", 30, 40)) == 1
    assert links(("ПРИЧИНА", 10, 20), ("ПРИЧИНА", 50, 60), ("СЛЕДСТВИЕ", 30, 40)) == 1
    three = [(code, start, start + 5) for start in (10, 30, 50) for code in ("ПРИЧИНА", "СЛЕДСТВИЕ")]
    assert links(*three) == 2


def test_a_tag_links_a_cause_and_an_effect() -> None:
    assert links(("ПРИЧИНА", 10, 20, "а"), ("СЛЕДСТВИЕ", 30, 40, "а")) == 1
    assert links(("ПРИЧИНА", 10, 20, "а"), ("СЛЕДСТВИЕ", 30, 40, "б")) == 0
    assert links(("ПРИЧИНА", 10, 20, "а"), ("СЛЕДСТВИЕ", 30, 40)) == 0  # a tag is not paired with none
    assert links(("ПРИЧИНА", 1, 2, "а"), ("ПРИЧИНА", 3, 4, "а"), ("СЛЕДСТВИЕ", 5, 6, "а")) == 1


@pytest.mark.parametrize("code", ["И.причин", "И.следств"])
def test_an_error_takes_the_point_of_its_link(code: str) -> None:
    two = [("ПРИЧИНА", 10, 20), ("СЛЕДСТВИЕ", 30, 40), ("ПРИЧИНА", 100, 110), ("СЛЕДСТВИЕ", 120, 130)]
    assert links(*two, (code, 15, 16)) == 1
    assert links(*two, (code, 15, 16), (code, 119, 121)) == 0
    assert links(*two, (code, 15, 16), (code, 41, 42)) == 1  # both about the first
    assert links(*two, (code, 0, 0), (code, 111, 112)) == 0  # full-text: about the first
    assert links(*two, (code, 15, 16, "а")) == 2  # no link carries the tag


def test_untagged_causes_and_effects_are_paired_in_text_order() -> None:
    # Pairs: cause 10 with effect 100, cause 50 with effect 150. Position 95 is 5 from the first pair's effect and
    # 35 from the second pair's cause, so the first link loses; 60 touches the second.
    two = [("СЛЕДСТВИЕ", 150, 155), ("ПРИЧИНА", 50, 60), ("СЛЕДСТВИЕ", 100, 105), ("ПРИЧИНА", 10, 20)]
    assert links(*two, ("И.причин", 95, 96), ("И.причин", 11, 12)) == 1
    assert links(*two, ("И.причин", 95, 96), ("И.причин", 60, 61)) == 0


def test_links_are_ordered_by_their_first_fragment_tagged_or_not() -> None:
    three: list[Mark] = [
        *(("ПРИЧИНА", 40, 45), ("СЛЕДСТВИЕ", 150, 155)),
        *(("ПРИЧИНА", 60, 65, "б"), ("СЛЕДСТВИЕ", 20, 25, "б")),
        *(("ПРИЧИНА", 70, 75, "а"), ("СЛЕДСТВИЕ", 80, 85, "а")),
    ]
    # In order: «б» at 20, the untagged one at 40, «а» at 70, which does not count.
    assert links(*three, ("И.следств", 1, 2, "а")) == 2
    assert links(*three, ("И.следств", 1, 2, "б")) == 1
    assert links(*three, ("И.следств", 1, 2, "б"), ("И.следств", 120, 121)) == 0  # 29 before 150, 55 after «б»


def test_k4_k5_k6_lose_points_with_their_errors() -> None:
    assert k(4, "СЯП ОЦЕНКА") == 1
    assert k(4, "СЯП") == 0
    assert k(4, "СЯП И.влиян") == 0
    assert k(4, "СЯП ОЦЕНКА*2 И.упрощ") == 0
    assert k(5, "СЯП") == 1
    assert k(5, "СЯП И.понятие") == 0
    assert k(5, "СЯП И.неиспол И.понятие") == 0
    assert [k(6, f"СЯП И.факт*{count}") for count in (1, 2, 3, 4)] == [2, 1, 0, 0]


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        ("СЯП*2 РОЛЬ*2 ОЦЕНКА", 1),  # 2 + 2 + 0 + 1
        ("СЯП*2 РОЛЬ*2", 0),
        ("СЯП РОЛЬ*2 ПРИЧИНА*2 СЛЕДСТВИЕ*2", 1),
        (f"{FULL} И.излож", 0),
    ],
)
def test_k7_needs_five_points_of_content(marks: str, expected: int) -> None:
    assert k(7, marks) == expected


def test_history_is_explained_by_its_facts() -> None:
    graded = placed(
        *(("РОЛЬ", 10, 20), ("РОЛЬ", 30, 40), ("РОЛЬ", 50, 60), ("И.лРоль", 31, 32)),
        *(("ПРИЧИНА", 1, 2), ("СЛЕДСТВИЕ", 3, 4), ("И.следств", 3, 4)),
    )
    assert explained(graded, "K1") == ("K1 = 2: два события", "K1 = 2: two events")
    assert explained(graded, "K2") == (
        "K2 = 1: три личности, учитываются первые две, с ошибкой вторая, одна ошибка И.лРоль",
        "K2 = 1: three persons, the first two count, the second with an error, one error И.лРоль",
    )
    assert explained(graded, "K3") == (
        "K3 = 0: одна причинно-следственная связь, с ошибкой, одна ошибка И.следств",
        "K3 = 0: one cause–effect link, with an error, one error И.следств",
    )
    assert explained(graded, "K7") == ("K7 = 0: K1 + K2 + K3 + K4 = 3", "K7 = 0: K1 + K2 + K3 + K4 = 3")
    both = placed(("РОЛЬ", 10, 20), ("РОЛЬ", 30, 40), ("И.лРоль", 31, 32), ("И.лРоль", 11, 12))
    assert explained(both, "K2")[0] == "K2 = 0: две личности, с ошибками обе, две ошибки И.лРоль"
    first = placed(("РОЛЬ", 10, 20), ("РОЛЬ", 30, 40), ("И.лРоль", 11, 12))
    assert explained(first, "K2")[1] == "K2 = 1: two persons, the first with an error, one error И.лРоль"
