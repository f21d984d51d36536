"""Properties of every grade, and the positional rules against naive readings of the same sentences (§5)."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markup_core.criteria import FORMULAS, grade, max_total, total
from markup_core.criteria.formulas import plan_faults, unproductive_words
from markup_core.criteria.tally import Tally
from markup_core.model import Fragment, Markup, word_spans
from markup_core.reading.classifier import Classifier

pytestmark = pytest.mark.property

MAXIMA = {"rus": 24, "rus-free": 24, "lit": 14, "social": 6, "hist": 12, "eng": 14, "eng-free": 14}
LENGTH = 60


def spans(length: int = LENGTH) -> st.SearchStrategy[tuple[int, int]]:
    inside = st.tuples(st.integers(0, length), st.integers(0, length)).map(lambda pair: (min(pair), max(pair)))
    return inside.filter(lambda span: span[0] < span[1]) | st.just((0, 0))


@st.composite
def markups(draw: st.DrawFn) -> Markup:
    subject = draw(st.sampled_from(sorted(MAXIMA)))
    codes = [code.code for code in Classifier.default().codes(subject)]
    favourites = draw(st.lists(st.sampled_from(codes), min_size=1, max_size=8))
    found = [
        Fragment(*draw(spans()), draw(st.sampled_from(favourites)), tag=draw(st.sampled_from(["", " ", "1", "2"])))
        for _ in range(draw(st.integers(0, 25)))
    ]
    words = draw(st.sampled_from([30, 69, 70, 149, 150, 180, 300]))
    return Markup("слово " * words, tuple(found), {"subject": subject})


@given(markups())
def test_points_stay_within_their_bounds(markup: Markup) -> None:
    graded = grade(markup)
    assert graded is not None
    formula = FORMULAS[markup.subject]
    assert list(graded.criteria) == list(formula.names) == list(graded.explanations)
    assert all(0 <= score <= most for score, most in zip(graded.criteria.values(), formula.maxima, strict=True))
    assert graded.total == total(markup) == sum(graded.criteria.values())
    assert graded.max == max_total(markup.subject) == MAXIMA[markup.subject]
    assert graded.to_dict()["explanations"].keys() == graded.criteria.keys()


@given(markups(), st.randoms())
def test_the_order_and_the_ids_of_the_fragments_do_not_matter(markup: Markup, rng: random.Random) -> None:
    shuffled = [fragment._replace(id=rng.randrange(9)) for fragment in markup.fragments]
    rng.shuffle(shuffled)
    other = Markup(markup.text, tuple(shuffled), markup.meta)
    assert grade(other) == grade(markup)
    one, two = grade(other), grade(markup)
    assert one is not None
    assert two is not None
    assert one.explanations == two.explanations


@given(markups(), st.sampled_from(["ИСП", "НОВЫЙ", "исп", "Я.код"]), spans(), st.sampled_from(["", "1"]))
def test_a_code_without_a_rule_does_not_change_the_grade(
    markup: Markup, code: str, span: tuple[int, int], tag: str
) -> None:
    more = Markup(markup.text, (*markup.fragments, Fragment(*span, code, tag=tag)), markup.meta)
    assert grade(more) == grade(markup)


@given(markups())
def test_the_letter_case_of_codes_and_supplied_criteria_do_not_matter(markup: Markup) -> None:
    louder = tuple(fragment._replace(code=fragment.code.upper()) for fragment in markup.fragments)
    assert grade(Markup(markup.text, louder, markup.meta, {"K1": 99})) == grade(markup)


@given(markups())
def test_a_second_fragment_with_the_same_code_and_tag_changes_no_count(markup: Markup) -> None:
    tagged = [fragment for fragment in markup.fragments if fragment.tag.strip()]
    more = Markup(markup.text, markup.fragments + tuple(tagged), markup.meta)
    assert grade(more) == grade(markup)


def test_a_subject_without_a_formula_has_no_grade() -> None:
    markup = Markup("text", (), {"subject": "uk"})
    assert grade(markup) is None
    assert total(markup) is None
    assert max_total("uk") is None
    assert grade(Markup("text")) is None


PLAN = ("ПРОБЛЕМА", "ЛМНЕНИЕ", "ПРМНЕНИЕ", "ОБОСНОВАНИЕ", "ВЫВОД")


@given(st.lists(st.tuples(st.sampled_from(PLAN), st.integers(0, 6)), max_size=9))
def test_plan_faults_are_the_fewest_removals_plus_the_missing_blocks(blocks: list[tuple[str, int]]) -> None:
    found = tuple(Fragment(start, start + 1, code) for code, start in blocks)
    first = {code: min(start for other, start in blocks if other == code) for code, _ in blocks}
    starts = [first[code] for code in PLAN if code in first]
    kept = max(
        size
        for size in range(len(starts) + 1)
        for chosen in combinations(starts, size)
        if list(chosen) == sorted(chosen)
    )
    expected = (5 - len(starts)) + (len(starts) - kept)
    assert plan_faults(Tally(Markup("x" * 10, found, {"subject": "eng"}))) == expected


@given(st.text("ab -\n", max_size=30), st.data())
def test_unproductive_words_share_a_character_with_a_marked_fragment(text: str, data: st.DataObject) -> None:
    marked = data.draw(st.lists(spans(len(text)), max_size=5)) if text else []
    found = tuple(Fragment(start, end, "А.непрод") for start, end in marked)
    covered = {position for start, end in marked for position in range(start, end)}
    expected = sum(bool(covered & set(range(start, end))) or (0, 0) in marked for start, end in word_spans(text))
    assert unproductive_words(Tally(Markup(text, found, {"subject": "eng"}))) == expected


PERSON_ERRORS = ("И.личность", "И.лсвязь", "И.лпериод", "И.лроль", "И.лдейств")


@given(
    st.lists(st.tuples(spans(), st.sampled_from(["", "1", "2", "3"])), max_size=6, unique_by=lambda role: role[0]),
    st.lists(st.tuples(spans(), st.sampled_from(["", "", "1", "2", "3"]), st.sampled_from(PERSON_ERRORS)), max_size=4),
)
def test_persons_follow_the_sentences_of_the_formula(
    roles: list[tuple[tuple[int, int], str]], errors: list[tuple[tuple[int, int], str, str]]
) -> None:
    ordered = sorted(roles)  # text order: start, then end
    people: list[tuple[str, set[tuple[int, int]]]] = []
    for span, tag in ordered:
        known = next((spans for name, spans in people if name == tag), None) if tag else None
        if known is None:
            people.append((tag, {span}))
        else:
            known.add(span)
    two = people[:2]
    score = dict.fromkeys(range(len(two)), 1)

    def away(error: tuple[int, int], spans: set[tuple[int, int]]) -> int:
        if error == (0, 0):
            return 0
        return min(max(start - error[1], error[0] - end, 0) for start, end in spans)

    for error, tag, _ in errors:
        if tag:
            about = [index for index, (name, _) in enumerate(two) if name == tag]
        else:
            about = sorted(range(len(two)), key=lambda index: (away(error, two[index][1]), index))[:1]
        for index in about:
            score[index] = 0
    found = [Fragment(0, 1, "СЯП"), *(Fragment(*span, "РОЛЬ", tag=tag) for span, tag in roles)]
    found += [Fragment(*span, code, tag=tag) for span, tag, code in errors]
    graded = grade(Markup("x" * LENGTH, tuple(found), {"subject": "hist"}))
    assert graded is not None
    assert graded.criteria["K2"] == sum(score.values())
