"""The inline notation by example (markup-scoring §1.1): what people write, and the errors they get.

The property of markup-scoring §1.1: parse(render(m)) is m, whatever characters the essay and the fields hold.
"""

from __future__ import annotations

import contextlib
import random
import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markup_core.comparable import ERROR, MEANING, Group
from markup_core.model import Fragment, Markup
from markup_core.notation import NotationError, parse, render
from markup_core.reading.classifier import Classifier
from markup_core.texts import in_language

HEADER = """\
Тема: Добро и зло
Класс: 11
Год: 2020
Предмет: rus
Тест: егэ тренировка
Категория:
Эксперт: Иванова: первая
Время разметки: 00:12
Повторная проверка: 00:03
К1: 1
К12:
"""


def marked(body: str) -> tuple[str, list[tuple[Group, str, str]]]:
    """Return the text and, of each fragment, its group, code and the text it marks."""
    markup = parse("Предмет: rus\n\n" + body)
    found = [(part.group, part.code, markup.text[part.start : part.end]) for part in markup.fragments]
    return markup.text, found


def refused(text: str) -> NotationError:
    with pytest.raises(NotationError) as caught:
        parse(text)
    assert re.search("[а-яё]", caught.value.message.ru)
    assert caught.value.message.ru != caught.value.message
    return caught.value


@pytest.mark.clause("MS §1.1 notation", "R-App2 §1.1")
def test_the_header_gives_the_fields_of_meta_and_the_criteria() -> None:
    markup = parse(f"{HEADER}\nТекст.\n")
    assert dict(markup.meta) == {
        "theme": "Добро и зло",
        "class": "11",
        "year": 2020,
        "subject": "rus",
        "test": "егэ тренировка",
        "category": "",
        "expert": "Иванова: первая",
        "timeMarkup": "00:12",
        "timeSecondMarkup": "00:03",
    }
    assert dict(markup.criteria) == {"K1": 1}
    assert markup.text == "Текст.\n"


@pytest.mark.clause("MS §1.1 notation", "R-App2 §1.1")
def test_a_block_may_carry_everything_or_nothing_after_its_fragment() -> None:
    full = parse(
        "\nОн (\\ Г.упр пфс прич \\ описывает о войне \\ лишний предлог :: так не говорят >> описывает войну # т 1 \\)."
    )
    assert full.text == "Он описывает о войне."
    expected = Fragment(
        3, 20, "Г.упр", "пфс прич", "лишний предлог", "так не говорят", "описывает войну", "т 1", ERROR, 1
    )
    assert full.fragments == (expected,)
    for end in (" *)", "*)", " \\ *)", " \\*)", "\\ *)"):
        assert marked(f"(* ПРИМЕР \\ Текст{end}!") == ("Текст!", [(MEANING, "ПРИМЕР", "Текст")])
    assert marked("(*ПРИМЕР\\Текст\\*)!") == ("Текст!", [(MEANING, "ПРИМЕР", "Текст")])


@pytest.mark.parametrize(
    ("tail", "fields"),
    [
        ("a", ("a", "", "", "")),
        (":: b", ("", "b", "", "")),
        (">> c", ("", "", "c", "")),
        ("# d", ("", "", "", "d")),
        ("a >> c", ("a", "", "c", "")),
        ("a:x > y # d", ("a:x > y", "", "", "d")),
        ("a\n  b ::\tc", ("a\n  b", "c", "", "")),
        ("^#1 ^::^>> ^\\ ^^ ^(* (^* ^*) ^{20}^{10FFFF}", ("#1 ::>> \\ ^ (* (* *)  \U0010ffff", "", "", "")),
    ],
)
def test_each_part_of_the_tail_is_optional(tail: str, fields: tuple[str, str, str, str]) -> None:
    (found,) = parse(f"\n(* А \\ x \\ {tail} *)").fragments
    assert found[4:8] == fields


def test_one_blank_on_each_side_of_the_fragment_belongs_to_the_notation() -> None:
    assert marked("а(* А \\  б  *)в") == ("а б в", [(MEANING, "А", " б ")])
    assert marked("а(* А \\б*)в") == ("абв", [(MEANING, "А", "б")])
    assert marked("(* А \\ \nб\n *)") == ("\nб\n", [(MEANING, "А", "\nб\n")])


@pytest.mark.clause("MS §1.1 notation")
@pytest.mark.parametrize(
    ("body", "text", "fragment"),
    [
        (r"These are the(\А.грамм\ animals who\ which \) live.", "These are the animals who live.", "animals who"),
        (r"The (\А.грамм\animals who\ which \) live.", "The animals who live.", "animals who"),
        (r"The (\А.грамм\ animals who\ which \) live.", "The animals who live.", "animals who"),  # one is enough
        (r"word(\Л.повтор\ other\) one", "word other one", "other"),
        (r"слово(*ТЕЗИС\ другое*) о", "слово другое о", "другое"),
        (r"9(\Л.повтор\  b\)", "9  b", " b"),
        ("😀(\\Л.повтор\\ b\\)", "😀b", "b"),  # no word: a mark or a sign parts by itself
        (r"при(\ Г.слов \ лагать \)", "прилагать", "лагать"),  # as this notation is written, inside a word
        (r"при(\Г.слов \ лагать \)", "прилагать", "лагать"),
        (r"при(\ Г.слов\ лагать \)", "прилагать", "лагать"),
        (r"при(\Г.слов\лагать\)", "прилагать", "лагать"),
    ],
)
def test_a_head_without_blanks_right_behind_a_word_leaves_the_essays_blank(body: str, text: str, fragment: str) -> None:
    """Files of the earlier annotator; only there the blank after the head is the essay's."""
    read = parse(f"Предмет: eng\n\n{body}")
    assert read.text == text
    (found,) = read.fragments
    assert read.text[found.start : found.end] == fragment
    assert parse(render(read)) == read


def test_blocks_nest() -> None:
    text, found = marked("(* А \\ один (\\ Б \\ два \\ x \\) три *) (* В \\ четыре *)")
    assert text == "один два три четыре"
    assert found == [(MEANING, "А", "один два три"), (ERROR, "Б", "два"), (MEANING, "В", "четыре")]


@pytest.mark.clause("MS §1.1 notation")
def test_blocks_that_cross_carry_a_label() -> None:
    text, found = marked("(*[1] А \\ один (* Б \\ два \\[1] почему *) три *)")
    assert text == "один два три"
    assert found == [(MEANING, "А", "один два"), (MEANING, "Б", "два три")]
    three = Markup(
        "абвгд",
        (Fragment(0, 3, "А", group=MEANING), Fragment(1, 4, "Б"), Fragment(2, 5, "В", group=MEANING)),
        {"subject": "rus"},
    )
    # Б crosses А, and В crosses both: each of the two is labelled.
    assert render(three) == "Предмет: rus\n\n(* А \\ а(\\[1] Б \\ б(*[2] В \\ в *)г \\[1] \\)д \\[2] *)"


@pytest.mark.clause("MS §1 full text")
def test_a_full_text_fragment_stands_empty_at_the_beginning() -> None:
    for blanks in ("\\ \\", "\\  \\", "\\\\", "\\ \\ "):
        (found,) = parse(f"\n(\\ С.тема {blanks} не раскрыта \\)Текст").fragments
        assert (found.start, found.end, found.comment) == (0, 0, "не раскрыта")
    whole = Markup("Текст", (Fragment(0, 5, "А"), Fragment(0, 0, "С.тема")))
    assert render(whole) == "\n(\\ С.тема \\ \\ \\)(\\ А \\ Текст \\)"


def test_what_a_person_writes_needs_few_escapes() -> None:
    markup = Markup("1) * (a) * 2: # > \\ ^ (*x*) \\)", (), {})
    assert render(markup) == "\n1) * (a) * 2: # > ^\\ ^^ (^*x^*) ^\\)"
    assert parse(render(markup)) == markup


@pytest.mark.parametrize(
    ("value", "field", "line"),
    [
        (2020, "year", "Год: 2020"),
        ("2020", "year", 'Год: \\="2020"'),
        ("2020/21", "year", "Год: 2020/21"),
        ("11", "class", "Класс: 11"),
        (11, "class", "Класс: \\=11"),
        ("", "theme", "Тема:"),
        (None, "theme", "Тема: \\=null"),
        (" blanks", "theme", 'Тема: \\=" blanks"'),
        ("two\nlines", "theme", 'Тема: \\="two\\nlines"'),
        ("\\=", "theme", 'Тема: \\="\\\\="'),
        ("007", "id", "id: 007"),
        (True, "third", "third: \\=true"),
        ([1, {"a": None}], "own", 'own: \\=[1, {"a": null}]'),
        ("x", "тема", '\\="тема": x'),
        ("x", "K1", '\\="K1": x'),
        ("x", "a: b", '\\="a: b": x'),
    ],
)
def test_a_header_value_keeps_its_type(value: object, field: str, line: str) -> None:
    markup = Markup("", (), {field: value})
    assert render(markup) == f"{line}\n\n"
    assert parse(render(markup)).meta == {field: value}


def test_a_header_written_on_windows_is_read_and_the_text_keeps_its_returns() -> None:
    markup = parse("Тема: x\r\nк1: 2\r\n\r\nодин\r\nдва\r")
    assert markup == Markup("один\r\nдва\r", (), {"theme": "x"}, {"K1": 2})


@pytest.mark.clause("MS §1.1 errors")
@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", (1, 1), "an empty line is expected"),
        ("Тема: x", (1, 8), "an empty line is expected"),
        ("Тема: x\n", (2, 1), "an empty line is expected"),
        ("Просто текст", (1, 1), "a header line, such as «Тема: …»"),
        ("\ufeffТема: x\n\n", (1, 1), "byte-order mark"),
        ("Темa: x\n\n", (1, 1), '"Темa" is no header field'),  # a Latin letter at the end
        (": x\n\n", (1, 1), '"" is no header field'),
        ("Тема: x\nтема: y\n\n", (2, 1), 'the field "тема" stands twice'),
        ("К1: два\n\n", (1, 4), 'the criterion К1 is a whole number, not "два"'),
        ("К1: \\=true\n\n", (1, 4), "not true"),
        ("Год: \\={\n\n", (1, 9), "after \\= a JSON value is expected"),
        ("\\=Тема: x\n\n", (1, 3), "a JSON string"),
        ('\\="Тема" x\n\n', (1, 3), "then a colon"),
        ("\n\nтекст (* А \\ без конца", (3, 7), "never closed"),
        ("\n(* А без дроби", (2, 1), "never closed"),
        ("\n(* А \\ x \\ комментарий", (2, 1), "never closed"),
        ("\n(*[1] А \\ x", (2, 1), "never closed"),
        ("\nтекст *) x", (2, 7), "there is no open block"),
        ("\nтекст \\) x", (2, 7), "there is no open block"),
        ("\nи\\или", (2, 2), "a separator has white space on one side"),
        ("\nи \\ или", (2, 3), "there is no open block"),
        ("\n(* А \\ и\\или *)", (2, 9), "a separator has white space on one side"),
        ("\n(* А \\ x \\)", (2, 10), "*) is expected: the block at line 2, column 1 opens with (*"),
        ("\n(\\ А \\ x \\ y *)", (2, 14), "\\) is expected"),
        ("\n(* \\ x *)", (2, 4), "the block has no code"),
        ("\n(* А *)", (2, 6), "a code and then \\ are expected"),
        ("\n(\\ С.тема \\)", (2, 11), "a code and then \\ are expected"),
        ("\n(* А (* Б \\ x *)", (2, 6), "a code and then \\ are expected"),
        ("\nx(* А \\ *)", (2, 2), "the block holds no text"),
        ("\n(* А \\ x \\ # т >> и *)", (2, 16), ">> is out of order"),
        ("\n(* А \\ x \\ a # т # т *)", (2, 18), "# is out of order"),
        ("\n(* А \\ x \\ a \\ b *)", (2, 14), "\\ is not expected here"),
        ("\n(* А \\ x \\ (* b *)", (2, 12), "(* is not expected here"),
        ("\n(* А \\ x \\[1] y *)", (2, 11), "no open block has the label [1]"),
        ("\n(*[1] А \\ x *)", (2, 13), "every open block has a label: its end is written \\[1]"),
        ("\n(*[1] А \\ (*[1] Б \\ x", (2, 13), "the label [1] already names an open block"),
        ("\nx ^_^", (2, 3), "a caret is ^^"),
        ("\nx ^{110000}", (2, 3), "a caret is ^^"),
        ("\n(* А^ \\ x *)", (2, 5), "a caret is ^^"),
        ("\n(* А \\ x \\ ^", (2, 12), "a caret is ^^"),
    ],
)
def test_a_malformed_file_is_an_error_with_line_and_column(text: str, place: tuple[int, int], message: str) -> None:
    error = refused(text)
    assert message in error.message
    assert (error.line, error.column) == place


def test_the_error_shows_the_place_with_a_caret() -> None:
    assert str(refused("Тема: x\n\nпервая\nвторая *) строка\nтретья")) == (
        "line 4, column 8: there is no open block here; a backslash of the text is ^\\, a star ^*\n"
        "    вторая *) строка\n"
        "           ^"
    )
    far = refused("\n" + "а" * 100 + "\t*)" + "б" * 100)
    assert far.column == 102
    # Forty characters on either side; the tabulator, which would shift the caret, is shown as a blank.
    assert far.excerpt == f"    {'а' * 39} *){'б' * 38}\n    {' ' * 40}^"


@pytest.mark.parametrize(
    ("markup", "message"),
    [
        (Markup("x", (Fragment(0, 1, " "),)), "without a code"),
        (Markup("x", (), {"own": float("nan")}), "not JSON compliant"),
        (Markup("x", (), {}, {"sum": 1}), 'not "sum"'),
    ],
)
def test_what_no_valid_markup_holds_is_not_written(markup: Markup, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        render(markup)


# Pieces that mean something in the notation, and characters that software likes to lose.
MARKS = ["(", ")", "*", "\\", "(*", "*)", "(\\", "\\)", "^", "^^", "^{20}", ":", "::", ">", ">>", "#", "[1]", "\\[1]"]
BLANKS = [" ", "  ", "\t", "\n", "\r", "\r\n", "\u2028", "\u00a0", "\x85", "\x1c", "\x00", "\ufeff"]
NASTY = st.sampled_from([*MARKS, *BLANKS, "\\=", "😀", "é", "a", "я", "1"])
TEXTS = st.lists(NASTY | st.characters(codec="utf-8"), max_size=14).map("".join)
CODES = st.sampled_from(["ПРИМЕР", "Г.слов", "ИСП", "a b", "*)", "(\\", "^", "[1]", "С.тема\u2028", "#"])


@st.composite
def fragments(draw: st.DrawFn, length: int) -> Fragment:
    start, end = sorted((draw(st.integers(0, length)), draw(st.integers(0, length))))
    if start == end:
        start = end = 0
    strings = [draw(TEXTS) if draw(st.booleans()) else "" for _ in range(5)]
    subtype, comment, explanation, correction, tag = strings
    group = draw(st.sampled_from([MEANING, ERROR]))
    return Fragment(start, end, draw(CODES), subtype, comment, explanation, correction, tag, group)


@st.composite
def markups(draw: st.DrawFn) -> Markup:
    text = draw(TEXTS)
    listed = draw(st.lists(fragments(len(text)), max_size=7))
    repeated = listed + draw(st.lists(st.sampled_from(listed), max_size=3)) if listed else []
    return Markup(text, tuple(repeated), draw(METAS), draw(CRITERIA))


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=3,
)
NUMBER_OR_DIGITS = st.integers() | st.integers().map(str) | st.sampled_from(["", "11", "011", "-0", "2020 ", "١١"])
METAS = st.builds(
    lambda known, extra: {**known, **extra},
    st.fixed_dictionaries(
        {},
        optional={
            **dict.fromkeys(("theme", "subject", "test", "category", "expert", "timeMarkup", "taskText"), TEXTS),
            **dict.fromkeys(("class", "year", "id"), NUMBER_OR_DIGITS),
            "third": st.booleans(),
        },
    ),
    st.dictionaries(TEXTS | st.sampled_from(["K1", "К1", "Тема", "тема", "a:b", ""]), JSON, max_size=3),
)
CRITERIA = st.dictionaries(st.integers(1, 12).map(lambda number: f"K{number}"), st.integers(), max_size=3)


def without_ids(markup: Markup) -> Counter[Fragment]:
    return Counter(fragment._replace(id=0) for fragment in markup.fragments)


def assert_same(again: Markup, markup: Markup) -> None:
    assert again.text == markup.text
    assert without_ids(again) == without_ids(markup)
    assert dict(again.meta) == dict(markup.meta)
    assert list(map(type, again.meta.values())) == [type(markup.meta[name]) for name in again.meta]
    assert dict(again.criteria) == dict(markup.criteria)


@pytest.mark.property
@pytest.mark.clause("MS §1.1 round trip")
@given(markups())
def test_every_markup_survives_the_notation_and_ids_count_the_blocks(markup: Markup) -> None:
    again = parse(render(markup))
    assert_same(again, markup)
    assert [fragment.id for fragment in again.fragments] == list(range(1, len(again.fragments) + 1))
    assert [fragment.start for fragment in again.fragments] == sorted(fragment.start for fragment in again.fragments)


@pytest.mark.property
@given(markups(), st.randoms())
def test_the_file_does_not_depend_on_order_and_ids(markup: Markup, rng: random.Random) -> None:
    shuffled = [fragment._replace(id=rng.randrange(99)) for fragment in markup.fragments]
    rng.shuffle(shuffled)
    assert render(Markup(markup.text, tuple(shuffled), markup.meta, markup.criteria)) == render(markup)


@pytest.mark.property
@given(st.integers(0, 2**32))
def test_many_crossing_fragments_survive(seed: int) -> None:
    rng = random.Random(seed)
    text = "".join(rng.choice("аб (*)\\^[]1\n") for _ in range(60))
    codes = Classifier.default().codes("rus")
    actual = []
    for _ in range(40):
        start, end = sorted(rng.sample(range(61), 2))
        code = rng.choice(codes)
        actual.append(Fragment(start, end, code.code, comment=rng.choice(["", "x"]), group=code.group))
    markup = Markup(text, tuple(actual), {"subject": "rus"})
    assert_same(parse(render(markup)), markup)


@pytest.mark.property
@given(st.lists(NASTY, max_size=25).map("".join), st.sampled_from(["", "\n", "Предмет: rus\n\n", "Год: \\="]))
def test_no_text_breaks_the_parser(body: str, header: str) -> None:
    with contextlib.suppress(NotationError):
        assert_same(parse(render(parse(header + body))), parse(header + body))


@pytest.mark.property
@given(markups(), st.data())
def test_a_damaged_file_is_an_error_with_a_place_or_reads_otherwise(markup: Markup, data: st.DataObject) -> None:
    written = render(markup)
    cut = data.draw(st.integers(0, len(written)))
    damaged = written[:cut] + data.draw(NASTY) + written[min(len(written), cut + data.draw(st.integers(0, 3))) :]
    try:
        parse(damaged)
    except NotationError as error:
        lines = damaged.split("\n")
        place = (error.line, error.column)
        if in_language(error.message, "ru") == error.message:
            pytest.fail(f"{error.message} is not told in Russian")
        if not (1 <= place[0] <= len(lines) and 1 <= place[1] <= len(lines[place[0] - 1]) + 1):
            pytest.fail(f"{place} is no place of the file")


@pytest.mark.property
def test_thousands_of_nested_blocks_need_no_recursion() -> None:
    deep = "\n" + "(* А \\ " * 20_000 + "x" + " *)" * 20_000
    markup = parse(deep)
    assert len(markup.fragments) == 20_000
    assert render(markup) == deep
