"""Agreement of annotators: by hand, against the package ``krippendorff``, and its zeros and ties."""

from __future__ import annotations

from pathlib import Path

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import markup_core
from markup_core.interrater import Agreement, agreement, word_labels
from markup_core.model import Fragment, Markup

TEXT = "one two three four five six"
META = {"subject": "eng-free"}


def marked(*fragments: tuple[str, str], text: str = TEXT) -> Markup:
    """Return a markup of ``(part of the text, code)``."""
    placed = [Fragment(text.index(part), text.index(part) + len(part), code) for part, code in fragments]
    return Markup(text, tuple(placed), META)


def test_codes_and_confusion_counted_by_hand() -> None:
    """Expert 1: two A's and a B; expert 2: one of the A's, the other called B, and a C of its own; 3 agrees with 1."""
    first = marked(("one", "A"), ("three", "A"), ("six", "B"))
    second = marked(("one", "a"), ("three", "B"), ("five", "C"))
    found = agreement([[first, second]])
    assert [(each.code, each.reference, each.other, each.agreed) for each in found.codes] == [
        ("A", 2, 1, 1),
        ("B", 1, 1, 0),
        ("C", 0, 1, 0),
    ]
    a, b, c = found.codes
    assert (a.precision, a.recall, a.f) == (100.0, 50.0, 200 / 3)
    assert (b.precision, b.recall, b.f) == (0.0, 0.0, 0.0)
    assert (c.precision, c.recall, c.f) == (0.0, None, 0.0)
    assert [tuple(each) for each in found.confusion] == [
        ("A", "A", 1),
        ("A", "B", 1),
        ("B", None, 1),
        (None, "C", 1),
    ]


def test_a_couple_has_the_mean_of_both_directions_and_of_its_essays() -> None:
    one, other = marked(("one", "A"), ("two", "B")), marked(("one", "A"))
    same = marked(("six", "A"))
    there = markup_core.score_pair(one, other, x_is_expert=True).pair_accuracy
    back = markup_core.score_pair(other, one, x_is_expert=True).pair_accuracy
    assert there is not None
    assert back is not None
    assert there != back
    (couple,) = agreement([[one, other], [same, same], [one], []]).couples
    assert couple[:3] == (1, 2, 2)
    assert couple.pair_accuracy == pytest.approx(((there + back) / 2 + 100) / 2)


def test_experts_keep_their_numbers_where_one_is_missing() -> None:
    one = marked(("one", "A"))
    found = agreement([[one, None, one], [None, one, one], [one, None, None]])
    assert [(each.first, each.second, each.essays) for each in found.couples] == [(1, 3, 1), (2, 3, 1)]
    assert (found.essays, found.left_out) == (2, 1)


def test_a_word_has_the_code_of_the_shortest_fragment_that_touches_it() -> None:
    """The first of equally long fragments, by start, then by code, counts; one about the whole text touches no word."""
    whole = Fragment(0, 0, "Z")
    nested = Markup(TEXT, (*marked(("one two three four", "A"), ("wo three", "b")).fragments, whole), META)
    assert word_labels(nested) == ["a", "b", "b", "a", None, None]
    level = marked(("two three", "B"), ("one two t", "A"), ("four five", "d"), ("four five", "C"))
    assert word_labels(level) == ["a", "a", "a", "c", "c", None]


@pytest.mark.parametrize(
    "essays",
    [
        [],
        [[marked(), marked()]],
        [[marked((TEXT, "A")), marked((TEXT, "A"))]],
        [[marked(text="— —"), marked(text="— —")]],
    ],
    ids=["no essay", "no fragment", "one code everywhere", "no word"],
)
def test_alpha_is_undefined_without_variation(essays: list[list[Markup]]) -> None:
    assert agreement(essays).alpha is None


CODES = st.sampled_from(["A", "B", "C"])
PARTS = st.lists(st.tuples(st.sampled_from(TEXT.split()), CODES), max_size=4, unique_by=lambda each: each[0])
ESSAYS = st.lists(st.lists(PARTS.map(lambda parts: marked(*parts)), min_size=2, max_size=4), min_size=1, max_size=4)


@given(ESSAYS)
def test_alpha_is_that_of_the_package_krippendorff(essays: list[list[Markup]]) -> None:
    """Its matrix has a row for each rater, with NaN where an essay has fewer of them."""
    known: dict[str | None, float] = {None: 0.0, "a": 1.0, "b": 2.0, "c": 3.0}
    size = len(TEXT.split())
    matrix = np.full((4, size * len(essays)), np.nan)
    for number, essay in enumerate(essays):
        for rater, markup in enumerate(essay):
            matrix[rater, number * size : (number + 1) * size] = [known[label] for label in word_labels(markup)]
    ours = agreement(essays).alpha
    if len(set(matrix[~np.isnan(matrix)])) == 1:
        assert ours is None
    else:
        assert ours == pytest.approx(krippendorff.alpha(matrix, level_of_measurement="nominal"), abs=1e-12)


@given(ESSAYS)
def test_the_order_of_essays_changes_nothing(essays: list[list[Markup]]) -> None:
    found, turned = agreement(essays), agreement(essays[::-1])
    assert found.alpha == turned.alpha
    assert found.codes == turned.codes
    assert found.confusion == turned.confusion


def test_markups_of_different_texts_are_refused() -> None:
    with pytest.raises(ValueError, match="text"):
        agreement([[marked(), marked(text="another")]])


def test_a_notebook_shows_it_escaped() -> None:
    shown: str = agreement([[marked(("one", "<b>")), marked(("two", "A"))]])._repr_html_()
    assert "&lt;b&gt;" in shown
    assert "<b>" not in shown
    assert shown.count("<table>") == 4
    assert "—" in Agreement(0, 0, (), None, 0, (), ())._repr_html_()


ESSAYS_FOLDER = Path(__file__).resolve().parents[2] / "docs" / "examples" / "essays"


def test_every_result_of_the_library_has_a_table_for_notebooks() -> None:
    markup = markup_core.load(ESSAYS_FOLDER / "books.json")
    pair = markup_core.score(markup, ESSAYS_FOLDER / "books_exp01.json")
    sample = markup_core.score(ESSAYS_FOLDER)
    for value in (markup, sample):
        assert value._repr_html_().startswith("<table>")
    assert f"{pair.pair_accuracy:.2f}" in pair._repr_html_()
    assert f"{sample.overall.relative_accuracy:.2f}" in sample._repr_html_()


def test_a_string_is_read_as_its_file_is() -> None:
    path = ESSAYS_FOLDER / "books.json"
    markup = markup_core.load(path)
    assert markup_core.loads(path.read_text("utf-8")) == markup_core.loads(path.read_bytes()) == markup
    assert (
        markup_core.loads(markup_core.render(markup)).fragments
        == markup_core.parse(markup_core.render(markup)).fragments
    )


@pytest.mark.parametrize("broken", ["{", "no notation", '{"text": "a"}', b"\xff", "Предмет: rus\n\n(\\ Г.нет \\ a \\)"])
def test_what_is_no_markup_is_a_value_error(broken: str | bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  each reader has a sentence of its own
        markup_core.loads(broken)


def test_one_markup_alone_has_no_score() -> None:
    with pytest.raises(TypeError, match="one markup"):
        markup_core.score(markup_core.load(ESSAYS_FOLDER / "books.json"))  # type: ignore[call-overload]
