"""Grading of English essays (markup-scoring §5, eng, eng-free); every expectation is counted by hand from the text.

Grading of Russian essays (markup-scoring §5, rus, rus-free); each expectation is counted by hand from its text.

Grading of literature and social studies (markup-scoring §5); every expectation is counted by hand from the text.

A grade is a value: equal to its equals, and found in sets.
"""

from __future__ import annotations

import pytest

from markup_core.criteria import grade
from markup_core.model import Fragment, Markup
from tests.markup_core.criteria.graded import essay, explained, points

# Every block of the plan starts at 0 in these essays, which is in non-decreasing order.
FULL = "ПРОБЛЕМА ЛМНЕНИЕ АРГУМЕНТ*3 ПРМНЕНИЕ ОБОСНОВАНИЕ ВЫВОД"


def plan(*starts: int | None) -> int:
    """K2 of an essay whose blocks stand at these places, in the order problem, opinion, opposing, reason, conclusion.

    The arguments and the aspect rule are satisfied by marks that the plan does not read.
    """
    blocks = ("ПРОБЛЕМА", "ЛМНЕНИЕ", "ПРМНЕНИЕ", "ОБОСНОВАНИЕ", "ВЫВОД")
    actual = [Fragment(start, start + 1, code) for code, start in zip(blocks, starts, strict=True) if start is not None]
    arguments = [Fragment(9, 10, "АРГУМЕНТ")] * 3
    markup = Markup("word " * 180, (*actual, *arguments), {"subject": "eng"})
    return points(markup)[1]


@pytest.mark.clause("MS §5 eng", "R-App2 §1.3")
@pytest.mark.parametrize("subject", ["eng", "eng-free"])
def test_a_flawless_essay_has_all_14_points(subject: str) -> None:
    assert points(essay(subject, 180, FULL)) == [3, 3, 3, 3, 2]


@pytest.mark.clause("MS §5 eng")
def test_fewer_than_180_words_make_everything_zero() -> None:
    assert points(essay("eng", 179, FULL)) == [0, 0, 0, 0, 0]
    assert points(essay("eng", 0, FULL)) == [0, 0, 0, 0, 0]


WITHOUT_CONCLUSION = FULL.removesuffix(" ВЫВОД")


@pytest.mark.parametrize(
    ("number", "marks", "expected"),
    [
        (1, FULL, 3),
        (1, f"{FULL} А.стиль", 3),
        (1, f"{FULL} А.стиль*2", 2),
        (1, f"{FULL} А.стиль*3 А.аспект*2", 2),
        (1, f"{FULL} А.аспект", 2),
        (1, f"{FULL} А.аспект*3", 1),
        (1, f"{FULL} А.аспект*4 А.стиль*4", 1),
        (1, f"{FULL} А.стиль*4", 1),
        (1, f"{FULL} А.стиль*5", 0),
        (1, f"{FULL} А.аспект*5", 0),
        (1, f"{FULL} А.перифр", 1),  # one aspect missing: 2
        (1, f"{FULL} А.пробл А.перифр А.аспект*2", 1),  # still one aspect: 2 + 2
        (1, f"{FULL} А.пробл А.аспект*3", 0),
        (1, "ЛМНЕНИЕ АРГУМЕНТ*3 ПРМНЕНИЕ ОБОСНОВАНИЕ", 1),
        (1, "ПРОБЛЕМА АРГУМЕНТ*3 ПРМНЕНИЕ ОБОСНОВАНИЕ", 1),
        (1, "ПРОБЛЕМА ЛМНЕНИЕ АРГУМЕНТ*3 ОБОСНОВАНИЕ", 1),
        (1, "ПРОБЛЕМА ЛМНЕНИЕ АРГУМЕНТ*3 ПРМНЕНИЕ", 1),
        (1, "ПРОБЛЕМА ЛМНЕНИЕ АРГУМЕНТ*2 ПРМНЕНИЕ ОБОСНОВАНИЕ", 1),
        (1, "ПРОБЛЕМА ЛМНЕНИЕ АРГУМЕНТ ПРМНЕНИЕ ОБОСНОВАНИЕ", 1),  # two arguments missing: 4
        (1, "ПРОБЛЕМА ЛМНЕНИЕ ПРМНЕНИЕ ОБОСНОВАНИЕ", 0),  # three: 6
        (1, "ПРОБЛЕМА ЛМНЕНИЕ АРГУМЕНТ*9", 1),
        (1, "ПРОБЛЕМА АРГУМЕНТ*9", 0),
        (1, "ПРОБЛЕМА ЛМНЕНИЕ АРГУМЕНТ#1 АРГУМЕНТ#1 АРГУМЕНТ ПРМНЕНИЕ ОБОСНОВАНИЕ", 1),
        (2, f"{FULL} А.логика", 2),
        (2, f"{FULL} А.логика*2 А.связь А.абзац", 2),
        (2, f"{FULL} А.логика*5", 1),
        (2, f"{FULL} А.связь*4 А.абзац*4", 1),
        (2, f"{FULL} А.связь*9", 0),
        # Faults of the plan and errors add up.
        (2, f"{WITHOUT_CONCLUSION} А.логика*3", 2),
        (2, f"{WITHOUT_CONCLUSION} А.логика*4", 1),
        (2, f"{WITHOUT_CONCLUSION} А.логика*8", 0),
        (3, f"{FULL} А.лекс", 3),
        (3, f"{FULL} А.лекс*2", 2),
        (3, f"{FULL} А.лекс*3", 2),
        (3, f"{FULL} А.запас", 2),
        (3, f"{FULL} А.лекс А.запас", 1),
        (3, f"{FULL} А.лекс*4 А.запас", 1),
        (3, f"{FULL} А.лекс*5", 0),
        (3, f"{FULL} А.запас*2", 0),
        (4, f"{FULL} А.грамм*2", 3),
        (4, f"{FULL} А.грамм*3", 2),
        (4, f"{FULL} А.грамм*4", 2),
        (4, f"{FULL} А.грамм*5", 1),
        (4, f"{FULL} А.уров", 1),
        (4, f"{FULL} А.грамм*7 А.уров", 1),
        (4, f"{FULL} А.грамм*8", 0),
        (4, f"{FULL} А.уров*2", 0),
        (5, f"{FULL} А.орф А.пункт", 2),
        (5, f"{FULL} А.орф*2", 1),
        (5, f"{FULL} А.пункт*4", 1),
        (5, f"{FULL} А.орф*3 А.пункт", 1),
        (5, f"{FULL} А.орф*3 А.пункт*2", 0),
    ],
)
def test_a_criterion_weighs_its_aspects_and_errors(number: int, marks: str, expected: int) -> None:
    assert points(essay("eng", 180, marks))[number - 1] == expected


def test_k1_of_zero_makes_everything_zero() -> None:
    assert points(essay("eng", 180, f"{FULL} А.стиль*5")) == [0, 0, 0, 0, 0]


def unproductive(words: int, *spans: tuple[int, int]) -> int:
    """K1 of a flawless essay of five-letter words whose spans are marked unproductive."""
    flawless = essay("eng", words, FULL)
    marked = tuple(Fragment(start, end, "А.непрод") for start, end in spans)
    return points(Markup(flawless.text, flawless.fragments + marked, flawless.meta))[0]


def test_more_than_30_per_cent_of_unproductive_words_make_everything_zero() -> None:
    # "слово " takes six characters: word number i lies at [6i, 6i + 5). 30 % of 200 words are 60.
    assert unproductive(200, (0, 6 * 60)) == 3
    assert unproductive(200, (0, 6 * 60 + 1)) == 0  # one character of the 61st
    assert unproductive(200, (5, 6 * 61)) == 3  # from the blank after word 1: words 2 to 61
    assert unproductive(200, (4, 6 * 61)) == 0
    assert unproductive(200, (0, 180), (600, 780)) == 3
    assert unproductive(200, (0, 180), (60, 120), (100, 361)) == 0  # overlaps count once: words 1 to 61
    assert unproductive(200, (0, 180), (60, 120), (100, 360)) == 3
    assert unproductive(200, (0, 0)) == 0  # full-text covers all


@pytest.mark.parametrize(
    ("starts", "expected"),
    [
        ((1, 2, 3, 4, 5), 3),
        ((1, 1, 1, 1, 1), 3),
        ((1, 2, 3, 4, None), 2),
        ((5, 1, 2, 3, 4), 2),  # one block out of order
        ((5, 4, 3, 2, 1), 2),  # four removed leave one
        ((5, 4, 3, 2, None), 2),  # 1 missing and 3 out of order: 4
    ],
)
def test_k2_counts_missing_and_misplaced_blocks(starts: tuple[int | None, ...], expected: int) -> None:
    assert plan(*starts) == expected


def test_a_block_stands_where_it_first_occurs() -> None:
    blocks = [("ПРОБЛЕМА", 50), ("ПРОБЛЕМА", 0), ("ЛМНЕНИЕ", 10), ("ПРМНЕНИЕ", 20), ("ОБОСНОВАНИЕ", 30), ("ВЫВОД", 40)]
    actual = [Fragment(start, start + 1, code) for code, start in blocks] + [Fragment(1, 2, "АРГУМЕНТ")] * 3
    assert points(Markup("word " * 180, tuple(actual), {"subject": "eng"}))[1] == 3


def test_codes_without_a_rule_do_not_count() -> None:
    assert points(essay("eng", 180, f"{FULL} А.аспм*9 А.факт*9 ИСП*9 Г.упр*9")) == [3, 3, 3, 3, 2]


def test_english_essays_are_explained_by_their_facts() -> None:
    faulty = essay("eng", 200, f"{FULL} А.перифр А.стиль*2 А.орф*3")
    assert explained(faulty, "K1") == (
        "K1 = 1: 200 слов, один нераскрытый аспект, две ошибки А.стиль",
        "K1 = 1: 200 words, one missing aspect, two errors А.стиль",
    )
    assert explained(faulty, "K2") == ("K2 = 3: нет нарушений плана", "K2 = 3: no plan faults")
    assert explained(faulty, "K5") == ("K5 = 1: три ошибки А.орф", "K5 = 1: three errors А.орф")
    assert explained(essay("eng", 171, FULL), "K1") == (
        "K1 = 0: 171 слово, меньше 180",
        "K1 = 0: 171 words, fewer than 180",
    )
    assert explained(essay("eng", 1, FULL), "K4") == ("K4 = 0: потому что K1 = 0", "K4 = 0: because K1 = 0")
    borrowed = Markup("word " * 180, (Fragment(0, 500, "А.непрод"),), {"subject": "eng"})
    assert explained(borrowed, "K1")[1] == (
        "K1 = 0: 180 words, 100 of 180 unproductive, more than 30 %, seven missing aspects"
    )


FULL_RUSSIAN = "ПРОБЛЕМА ПРИМЕР*2 ПОЯСНЕНИЕ*2 СВЯЗЬ ПОЗИЦИЯ ОТНОШЕНИЕ"


@pytest.mark.clause("MS §5 rus")
@pytest.mark.parametrize(("words", "expected"), [(69, 0), (70, 19), (149, 19), (150, 24)])
def test_the_volume_decides_at_70_and_at_150_words(words: int, expected: int) -> None:
    # Under 150 words K7, K8, K9 and K10 = floor(1.5) lose a point each, and K6 one more, because K10 < 2: 24 - 5.
    assert sum(points(essay("rus", words, FULL_RUSSIAN))) == expected


@pytest.mark.clause("MS §5 rus", "MS §5 counting")
@pytest.mark.parametrize(
    ("number", "words", "marks", "expected"),
    [
        (2, 150, "ПРОБЛЕМА ПРИМЕР*2 ПОЯСНЕНИЕ*2 СВЯЗЬ", 5),
        (2, 150, "ПРОБЛЕМА ПРИМЕР*3 ПОЯСНЕНИЕ*4 СВЯЗЬ*2", 5),
        (2, 150, "ПРОБЛЕМА ПРИМЕР*2 ПОЯСНЕНИЕ*2", 4),  # no link: 2 + 0 >= 2
        (2, 150, "ПРОБЛЕМА ПРИМЕР*2 ПОЯСНЕНИЕ СВЯЗЬ", 4),
        (2, 150, "ПРОБЛЕМА ПРИМЕР*2 СВЯЗЬ*2", 4),
        (2, 150, "ПРОБЛЕМА ПРИМЕР*2 ПОЯСНЕНИЕ", 3),  # 2 + 1 blocks
        (2, 150, "ПРОБЛЕМА ПРИМЕР*3", 3),
        (2, 150, "ПРОБЛЕМА ПРИМЕР ПОЯСНЕНИЕ*2 СВЯЗЬ*2", 3),  # one example is never more
        (2, 150, "ПРОБЛЕМА ПОЯСНЕНИЕ*3", 3),
        (2, 150, "ПРОБЛЕМА ПРИМЕР*2", 2),
        (2, 150, "ПРОБЛЕМА ПРИМЕР ПОЯСНЕНИЕ", 1),
        (2, 150, "ПРОБЛЕМА ПРИМЕР", 1),
        (2, 150, "ПРОБЛЕМА ПОЯСНЕНИЕ СВЯЗЬ", 0),
        (2, 150, "ПРОБЛЕМА ", 0),
        # Fragments with one code and one tag count once; three codes with one tag are three.
        (2, 150, "ПРОБЛЕМА ПРИМЕР#1 ПРИМЕР#1", 1),
        (2, 150, "ПРОБЛЕМА ПРИМЕР#1 пример#1 ПРИМЕР#2", 2),
        (2, 150, "ПРОБЛЕМА ПРИМЕР#1 ПОЯСНЕНИЕ#1 СВЯЗЬ#1", 3),
        (5, 150, "Л.скачок#1 Л.абзац#1", 0),  # the sum is over codes
        (3, 150, "ПРОБЛЕМА ПОЗИЦИЯ*2", 1),
        (3, 150, "ПРОБЛЕМА", 0),
        (3, 150, "ПРОБЛЕМА ПОЗИЦИЯ П.позиция", 0),
        (4, 150, "ПРОБЛЕМА ОТНОШЕНИЕ", 1),
        (4, 150, "ПРОБЛЕМА", 0),
        (4, 150, "ПРОБЛЕМА ОТНОШЕНИЕ П.отнош", 0),
        (4, 150, "ПРОБЛЕМА ОТНОШЕНИЕ П.обоснов", 0),
        (5, 150, "Л.скачок", 1),
        (5, 150, "Л.скачок Л.абзац", 0),
        (5, 150, "Л.скачок*5", 0),
        (6, 150, "", 2),
        (6, 150, "П.однообр", 1),
        (6, 150, "П.точность", 1),
        (6, 150, "П.однообр П.точность", 0),
        (6, 150, "Р.тавт", 2),  # K10 = floor(2.5 - 0.5) = 2
        (6, 150, "Р.тавт*2", 1),  # K10 = floor(2.5 - 1) = 1
        (6, 150, "П.однообр*2 Р.тавт*2", 1),  # K10 < 2 gives the point whatever the precision
        # Half a point an error of grammar in K9 and of speech in K10, the rest rounded down.
        *((9, 150, "Г.упр " * errors, left) for errors, left in ((0, 2), (1, 1), (2, 1), (3, 0), (9, 0))),
        *((9, 149, "Г.упр " * errors, left) for errors, left in ((0, 1), (1, 0), (2, 0), (3, 0))),
        *((10, 150, "Р.знач " * errors, left) for errors, left in enumerate((2, 2, 1, 1, 0, 0))),
        *((10, 149, "Р.знач " * errors, left) for errors, left in enumerate((1, 1, 0))),
    ],
)
def test_a_criterion_counts_its_blocks_and_errors(number: int, words: int, marks: str, expected: int) -> None:
    assert points(essay("rus", words, marks))[number - 1] == expected


@pytest.mark.clause("MS §5 rus", "MS §5 counting", "R-App2 §1.3")
@pytest.mark.parametrize(
    ("words", "marks", "first", "expected"),
    [
        (150, FULL_RUSSIAN, 1, [1, 5, 1, 1, 2, 2, 3, 3, 2, 2, 1, 1]),
        (150, f"{FULL_RUSSIAN} ИСП*3 СЯП Гибрид Л ", 1, [1, 5, 1, 1, 2, 2, 3, 3, 2, 2, 1, 1]),  # codes without a rule
        (150, "", 1, [0, 0, 0, 0, 2, 2, 3, 3, 2, 2, 1, 1]),  # points for faultlessness
        # K1 falls with an error in the problem and takes K2, K3 and K4 along; K2 falls with any in the comment.
        *((150, f"{FULL_RUSSIAN} {error}", 1, [0, 0, 0, 0]) for error in ("П.проблема", "П.факт", "п.ФАКТ")),
        *(
            (150, f"{FULL_RUSSIAN} {error}", 1, [1, 0, 1, 1])
            for error in ("П.опора", "П.пересказ", "П.фактКомм", "П.факткомм", "П.другая", "П.копир")
        ),
        # K7 and K8 depend on the volume alone; K11 and K12 fall with one error.
        (150, "Г.упр*9", 7, [3, 3]),
        (149, "Г.упр*9", 7, [2, 2]),
        (150, "Э.агресс", 11, [0, 1]),
        (150, "Ф.цит*2", 11, [1, 0]),
    ],
)
def test_criteria_fall_together(words: int, marks: str, first: int, expected: list[int]) -> None:
    assert points(essay("rus", words, marks))[first - 1 :][: len(expected)] == expected


@pytest.mark.clause("MS §5 explained")
def test_the_sentences_state_the_counted_facts() -> None:
    short = essay("rus", 142, "ПРОБЛЕМА ПРИМЕР*2 ПОЯСНЕНИЕ Г.упр*21 П.точность")
    assert explained(short, "K2") == (
        "K2 = 3: два примера, одно пояснение, нет связей",
        "K2 = 3: two examples, one explanation, no links",
    )
    assert explained(short, "K9") == (
        "K9 = 0: 21 грамматическая ошибка, 142 слова, меньше 150",
        "K9 = 0: 21 grammar errors, 142 words, fewer than 150",
    )
    assert explained(short, "K6") == (
        "K6 = 1: одна ошибка П.точность, K10 = 1",
        "K6 = 1: one error П.точность, K10 = 1",
    )
    faulty = essay("rus", 150, "ПРОБЛЕМА ПРИМЕР*5 П.пересказ*2")
    assert explained(faulty, "K2") == (
        "K2 = 0: пять примеров, нет пояснений, нет связей, две ошибки П.пересказ",
        "K2 = 0: five examples, no explanations, no links, two errors П.пересказ",
    )
    assert explained(essay("rus", 150), "K3") == ("K3 = 0: потому что K1 = 0", "K3 = 0: because K1 = 0")
    assert explained(essay("rus", 21), "K12") == (
        "K12 = 0: 21 слово, меньше 70",
        "K12 = 0: 21 words, fewer than 70",
    )


@pytest.mark.clause("MS §5 rus-free")
def test_a_free_essay_loses_points_by_kind_of_error() -> None:
    assert points(essay("rus-free", 1)) == [4, 4, 4, 3, 3, 3, 3]
    assert points(essay("rus-free", 500, "Г.упр Р.тавт*2 Л.абзац*3 Ф.цит*2 Э.агресс")) == [3, 2, 1, 1, 2, 3, 3]
    assert points(essay("rus-free", 500, "Г.упр*4 Р.тавт*5 Л.абзац*9 Ф.цит*3 Э.агресс*4")) == [0, 0, 0, 0, 0, 3, 3]
    assert points(essay("rus-free", 500, "Г.упр#1 Г.УПР#1 Г.согл#1"))[0] == 2


def test_a_free_essay_is_explained_by_its_errors() -> None:
    assert explained(essay("rus-free", 9, "Р.тавт*3"), "K2") == (
        "K2 = 1: три речевые ошибки",
        "K2 = 1: three speech errors",
    )
    assert explained(essay("rus-free", 9), "K5") == ("K5 = 3: нет этических ошибок", "K5 = 3: no ethical errors")


LIT = "АРГУМЕНТ ПОНЯТИЕ"
SOCIAL = "ИДЕЯ ПОНЯТИЕ ТЕОРИЯ ЛОГИКА ПРИМЕР.общ*2 ПРИМЕР.лич*2"


@pytest.mark.clause("MS §5 lit", "R-App2 §1.3")
def test_a_flawless_essay_in_literature_has_all_14_points() -> None:
    assert points(essay("lit", 150, LIT)) == [3, 3, 2, 3, 3]
    assert points(essay("lit", 149, LIT)) == [0, 0, 0, 0, 0]
    assert points(essay("lit", 150, f"{LIT} С.тема")) == [0, 3, 2, 3, 3], "K1 of 0 leaves the others alone"


@pytest.mark.clause("MS §5 lit")
@pytest.mark.parametrize(
    ("number", "marks", "expected"),
    [
        (1, f"{LIT} С.одностор", 2),
        (1, f"{LIT} С.поверхн С.одностор", 1),
        (1, f"{LIT} С.тема С.поверхн С.одностор", 0),
        (1, f"{LIT} С.тема", 0),
        (2, "", 0),
        (2, "АРГУМЕНТ", 3),
        (2, "АРГУМЕНТ С.факт", 2),
        (2, "АРГУМЕНТ С.факт*2", 2),
        (2, "АРГУМЕНТ С.факт*3", 1),
        (2, "АРГУМЕНТ С.факт*4", 0),
        (2, "АРГУМЕНТ С.упрощен", 1),
        (2, "АРГУМЕНТ С.пересказ С.факт", 1),
        (2, "АРГУМЕНТ С.опора", 0),
        (2, "АРГУМЕНТ С.позиция С.упрощен", 0),
        (3, "", 0),
        (3, "ПОНЯТИЕ", 2),
        (3, "ПОНЯТИЕ С.неиспол", 1),
        (3, "ПОНЯТИЕ С.понятие", 1),
        (3, "ПОНЯТИЕ С.понятие*2", 0),
        (3, "ПОНЯТИЕ С.неиспол*3 С.понятие", 1),
        (3, "С.неиспол", 0),
        (4, "С.послед*3", 2),
        (4, "С.неразв С.послед", 1),
        (4, "С.связь", 1),
        (4, "С.композ С.послед", 0),
        (4, "", 3),
        # Half a point an error of speech, the rest rounded down.
        *(
            (5, "Р.тавт " * errors, left)
            for errors, left in ((0, 3), (1, 3), (2, 2), (3, 2), (4, 1), (6, 0), (7, 0), (9, 0))
        ),
    ],
)
def test_a_criterion_of_literature_weighs_its_errors(number: int, marks: str, expected: int) -> None:
    assert points(essay("lit", 150, marks))[number - 1] == expected


def test_literature_is_explained_by_its_facts() -> None:
    faulty = essay("lit", 150, "АРГУМЕНТ С.факт*3 С.тема")
    assert explained(faulty, "K1") == ("K1 = 0: одна ошибка С.тема", "K1 = 0: one error С.тема")
    assert explained(faulty, "K2") == (
        "K2 = 1: один аргумент, три ошибки С.факт",
        "K2 = 1: one argument, three errors С.факт",
    )
    assert explained(faulty, "K4") == ("K4 = 3: нет ошибок", "K4 = 3: no errors")
    assert explained(essay("lit", 2), "K5") == ("K5 = 0: 2 слова, меньше 150", "K5 = 0: 2 words, fewer than 150")


@pytest.mark.clause("MS §5 social", "R-App2 §1.3")
def test_a_flawless_essay_in_social_studies_has_all_6_points() -> None:
    assert points(essay("social", 1, SOCIAL)) == [1, 2, 1, 2]


@pytest.mark.clause("MS §5 social")
@pytest.mark.parametrize("error", ["О.смысл", "О.подмена", "О.пересказ"])
def test_social_k1_decides_about_everything(error: str) -> None:
    assert points(essay("social", 1, f"{SOCIAL} {error}")) == [0, 0, 0, 0]
    assert points(essay("social", 1, SOCIAL.removeprefix("ИДЕЯ "))) == [0, 0, 0, 0]


@pytest.mark.clause("MS §5 social")
@pytest.mark.parametrize(
    ("number", "marks", "expected"),
    [
        (2, "ИДЕЯ ПОНЯТИЕ ТЕОРИЯ", 2),
        (2, "ИДЕЯ ПОНЯТИЕ*3", 1),
        (2, "ИДЕЯ ТЕОРИЯ", 1),
        (2, "ИДЕЯ ", 0),
        (2, "ИДЕЯ ПОНЯТИЕ ТЕОРИЯ О.понятие*2 О.теория", 1),  # errors in notions and theory cost one point together
        (2, "ИДЕЯ ПОНЯТИЕ ТЕОРИЯ О.теорСвязь", 1),
        (2, "ИДЕЯ ПОНЯТИЕ ТЕОРИЯ О.теорсвязь*2", 0),
        (2, "ИДЕЯ ПОНЯТИЕ ТЕОРИЯ О.неХватает О.теория", 0),
        (2, "ИДЕЯ ПОНЯТИЕ О.неХватает*5", 0),
        (2, "ИДЕЯ ПОНЯТИЕ ТЕОРИЯ О.упрощ", 0),
        (3, "ИДЕЯ ЛОГИКА*2", 1),
        (3, "ИДЕЯ ", 0),
        (3, "ИДЕЯ ЛОГИКА О.рассужд", 0),
        (3, "ИДЕЯ ЛОГИКА О.вывод*4", 0),
        (4, "ИДЕЯ ПРИМЕР.общ ПРИМЕР.лич ПРИМЕР.ист", 0),  # a kind counts from its second example on
        (4, "ИДЕЯ ПРИМЕР.общ*2", 1),
        (4, "ИДЕЯ ПРИМЕР.ист*5 ПРИМЕР.лич", 1),
        (4, "ИДЕЯ ПРИМЕР.общ*2 ПРИМЕР.лич*2 ПРИМЕР.ист*2", 2),
        (4, "ИДЕЯ ПРИМЕР.общ*2 ПРИМЕР.лич*2 ПРИМЕР.ист*2 О.дубл", 1),  # cut to 2 before the errors
        (4, "ИДЕЯ ПРИМЕР.общ*2 ПРИМЕР.лич*2 О.примСвязь О.подтв", 0),
        (4, "ИДЕЯ ПРИМЕР.общ*2 ПРИМЕР.лич*2 О.факт", 1),
        (4, "ИДЕЯ ПРИМЕР.общ*2 О.подробн*3", 0),
        (4, "ИДЕЯ ПРИМЕР.общ#1 ПРИМЕР.общ#1", 0),  # one example in two places
    ],
)
def test_a_criterion_of_social_studies_weighs_its_errors(number: int, marks: str, expected: int) -> None:
    assert points(essay("social", 1, marks))[number - 1] == expected


def test_social_studies_are_explained_by_their_facts() -> None:
    faulty = essay("social", 1, "ИДЕЯ ПОНЯТИЕ*2 ПРИМЕР.лич*4 О.теорСвязь")
    assert explained(faulty, "K2") == (
        "K2 = 0: два понятия, нет теоретических положений, одна ошибка О.теорСвязь",
        "K2 = 0: two notions, no theoretical propositions, one error О.теорСвязь",
    )
    assert explained(faulty, "K4") == (
        "K4 = 1: нет общественных примеров, четыре личных примера, нет исторических примеров",
        "K4 = 1: no public examples, four personal examples, no historical examples",
    )
    assert explained(essay("social", 1), "K1") == ("K1 = 0: нет идей", "K1 = 0: no ideas")


def test_equal_grades_are_one_in_a_set() -> None:
    first, second, other = (grade(essay("rus", words)) for words in (150, 150, 1))
    assert first == second
    assert len({first, second, other}) == 2
