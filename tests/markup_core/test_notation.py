r"""The inline notation by example (markup-scoring §1.1): what people write, and the errors they get."""

from __future__ import annotations

import re

import pytest

from markup_core.codes import ERROR, MEANING, Group
from markup_core.model import Fragment, Markup
from markup_core.notation import NotationError, parse, render

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
        ("^#1 ^::^>> ^\\ ^^ ^(* (^* ^*) ^{20}", ("#1 ::>> \\ ^ (* (* *)  ", "", "", "")),
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
        ("Просто текст", (1, 1), "a header line «Поле: значение»"),
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
