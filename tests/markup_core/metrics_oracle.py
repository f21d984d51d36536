"""The metrics and accuracies read aloud from the specification: sets of words, plain loops, fractions (§3–4)."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from fractions import Fraction

from hypothesis import strategies as st

from markup_core.criteria import grade
from markup_core.model import Fragment, Markup
from markup_core.reading.classifier import Classifier

MAX_K = {"rus": 24, "rus-free": 24, "lit": 14, "social": 6, "hist": 12, "eng": 14, "eng-free": 14}
LANGUAGE = {name: "eng" if name.startswith("eng") else "rus" for name in MAX_K}
TEXT = "Да — нет, кто-то … сам: «я» 2-й\n\n!? the old  man's\u00a0sea, 😀 end."
COMMENTS = ("", " ", "нет запятой", " Нет  ЗАПЯТОЙ", "no comma")
CORRECTIONS = ("", "\t", "чай", " ЧАЙ ", "ча\u0438\u0306", "tea  time", "Tea time")
Number = Fraction | None


@st.composite
def fragments(draw: st.DrawFn, subject: str) -> Fragment:
    """Borders come from a few places, so that spans nest, cross, coincide and start together."""
    code = draw(st.sampled_from(Classifier.default().codes(subject)[:12] + Classifier.default().codes(subject)[-3:]))
    borders = draw(st.lists(st.sampled_from((0, 1, 3, 4, 5, 9, 10, 17, 19, 25, 32, 40, 54, 55, 61)), min_size=2))
    start, end = min(borders), max(borders)
    if start == end or draw(st.integers(0, 7)) == 0:
        start = end = 0
    return Fragment(
        start,
        end,
        draw(st.sampled_from((code.code, code.code.upper()))),
        draw(st.sampled_from(("", " ", *code.subtypes, "своё", " СВОЁ"))),
        draw(st.sampled_from(COMMENTS)),
        draw(st.sampled_from(("", "because"))),
        draw(st.sampled_from(CORRECTIONS)),
        draw(st.sampled_from(("", "1", "2"))),
        code.group,
        draw(st.integers(0, 5)),
    )


@st.composite
def markups(draw: st.DrawFn, count: int, most: int = 8) -> list[Markup]:
    """So many markups of one essay."""
    subject = draw(st.sampled_from(sorted(MAX_K)))
    lists = [draw(st.lists(fragments(subject), max_size=most)) for _ in range(count)]
    return [Markup(TEXT, tuple(found), {"subject": subject}) for found in lists]


def words_of_text(text: str) -> list[set[int]]:
    """Each word as the set of its characters' positions."""
    words: list[set[int]] = []
    run: set[int] = set()
    for position, char in enumerate(text + " "):
        if not char.isspace():
            run.add(position)
            continue
        if any(text[place].isalpha() or text[place].isdigit() for place in run):
            words.append(run)
        run = set()
    return words


def words_of(fragment: Fragment, text: str) -> set[int]:
    covered = set(range(fragment.start, fragment.end))
    return {number for number, word in enumerate(words_of_text(text)) if word & covered}


def jaccard(x: Fragment, y: Fragment, text: str) -> Fraction:
    one, other = words_of(x, text), words_of(y, text)
    if (x.start, x.end) == (y.start, y.end):  # full-text both, or equal spans, with or without a word
        return Fraction(1)
    return Fraction(len(one & other), len(one | other)) if one | other else Fraction(0)


def same_text(one: str, other: str) -> bool:
    """Equal and not blank, after NFC, case folding, collapsing white space and trimming."""
    first, second = (" ".join(unicodedata.normalize("NFC", each).casefold().split()) for each in (one, other))
    return first == second != ""


def agrees(x: Fragment, y: Fragment) -> bool:
    """M4 with the judge for whom paraphrases are equal texts."""
    if x.subtype.strip() and x.subtype.strip().casefold() == y.subtype.strip().casefold():
        return True
    if same_text(x.comment, y.comment):
        return True
    return not any(field.strip() for field in (x.subtype, y.subtype, x.comment, y.comment))


def total_of(markup: Markup) -> int:
    graded = grade(markup)
    assert graded is not None
    return graded.total


def metrics(x: Markup, y: Markup, pairs: Sequence[tuple[int, int]]) -> list[Fraction]:
    """M1 … M6 of X against Y for a correspondence."""
    greatest = MAX_K[x.subject]
    m1 = (1 - Fraction(abs(total_of(x) - total_of(y)), greatest)) * 100
    if not x.fragments and not y.fragments:
        return [m1] + [Fraction(100)] * 5
    if not x.fragments or not y.fragments:
        return [m1] + [Fraction(0)] * 5
    partner = dict(pairs)
    size = len(x.fragments)
    found = exact = agreeing = corrected = repeated = 0
    localised = Fraction(0)
    for i, fragment in enumerate(x.fragments):
        has_correction = fragment.correction.strip() != ""
        corrected += has_correction
        if i not in partner:
            continue
        match = y.fragments[partner[i]]
        found += 1
        exact += fragment.code.casefold() == match.code.casefold()
        agreeing += agrees(fragment, match)
        localised += jaccard(fragment, match, x.text)
        repeated += has_correction and same_text(fragment.correction, match.correction)
    precision = Fraction(found, size)
    recall = Fraction(len({k for _, k in pairs}), len(y.fragments))
    m2 = 2 * precision * recall / (precision + recall) if found else Fraction(0)
    m6 = Fraction(repeated, corrected) if corrected else Fraction(not any(f.correction.strip() for f in y.fragments))
    shares = [m2, Fraction(exact, size), Fraction(agreeing, size), localised / size, m6]
    return [m1, *(100 * share for share in shares)]


def algorithm_side(values: Sequence[Fraction], hardness: Fraction) -> Number:
    """H · mean + (1 − H) · max over the experts."""
    return hardness * sum(values) / len(values) + (1 - hardness) * max(values) if values else None


def expert_side(values: Sequence[Fraction], hardness: Fraction) -> Number:
    """H · mean + (1 − H) · min over the ordered pairs of experts."""
    return hardness * sum(values) / len(values) + (1 - hardness) * min(values) if values else None


def mean(values: Sequence[Fraction]) -> Number:
    return sum(values, Fraction(0)) / len(values) if values else None


def ratio(above: Number, below: Number) -> Number:
    return None if above is None or not below else above / below * 100
