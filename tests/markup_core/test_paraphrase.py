"""The paraphrase judges: a labelled list, symmetry, the unrecognisable."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from markup_core.comparable import JUDGES, default, exact, stem


class Labelled(NamedTuple):
    part: str
    same: bool
    one: str
    other: str


def labelled() -> list[Labelled]:
    lines = (Path(__file__).parent / "paraphrase_pairs.tsv").read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    return [Labelled(part, label == "yes", one, other) for part, label, one, other in rows]


def test_the_list_holds_both_kinds_in_both_languages() -> None:
    pairs = labelled()
    assert len(pairs) >= 60
    russian = [pair for pair in pairs if any("а" <= letter <= "я" for letter in pair.one)]
    for part in (russian, [pair for pair in pairs if pair not in russian]):
        assert 0.3 < sum(pair.same for pair in part) / len(part) < 0.7


@pytest.mark.clause("MS §3 paraphrase")
@pytest.mark.parametrize("part", ["tune", "check"])
def test_the_default_judge_is_right_more_often_than_not_by_far(part: str) -> None:
    judged = [(pair.same, default(pair.one, pair.other)) for pair in labelled() if pair.part == part]
    hits = sum(same and found for same, found in judged)
    assert hits / sum(found for _, found in judged) >= 0.8  # precision
    assert hits / sum(same for same, _ in judged) >= 0.8  # recall


@pytest.mark.parametrize("name", sorted(JUDGES))
def test_judges_are_symmetric_and_find_every_comment_its_own_paraphrase(name: str) -> None:
    judge = JUDGES[name]
    for pair in labelled():
        assert judge(pair.one, pair.one)
        assert judge(pair.one, pair.other) == judge(pair.other, pair.one)


def test_the_exact_judge_looks_past_case_and_white_space_only() -> None:
    assert exact("Лишняя  запятая", "лишняя запятая ")
    assert not exact("лишняя запятая", "запятая лишняя")


def test_word_order_and_endings_do_not_matter() -> None:
    assert default("повтор слова «жизнь»", "«Жизнь»: слово повторяется")
    assert default("the verb is missing", "missing verbs")


def test_numbers_must_agree() -> None:
    assert default("реформа 1861 года", "в 1861 году была реформа года")
    assert not default("реформа 1861 года", "реформа 1864 года")


def test_missing_and_superfluous_are_opposites() -> None:
    assert default("запятая не нужна", "лишняя запятая")
    assert not default("запятая нужна", "запятая не нужна")


def test_comments_without_a_word_agree_only_when_equal() -> None:
    assert default("—", "—")
    assert not default("—", "!!!")


def test_stems_keep_at_least_three_letters() -> None:
    assert stem("человека") == stem("человеку")
    assert stem("mistakes") == stem("mistake")
    assert len(stem("ошиб")) >= 3
    assert stem("он") == "он"
