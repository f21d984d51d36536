"""The pilot program: legal codes, each family of rules on an example, any text at all (platform §6)."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markup_core.notation import parse, render
from markup_core.reading.classifier import Classifier
from markup_core.reading.validation import load, validate
from pku.pilot import RULES, mark
from pku.pilot.__main__ import main
from pku.pilot.marker import MOST_FRAGMENTS, sentences

CLASSIFIER = Classifier.default()
SUBJECTS = CLASSIFIER.subjects


def essay(subject: str, text: str) -> dict[str, Any]:
    return {"meta": {"id": "1", "subject": subject}, "criteria": {}, "selections": [], "text": text}


def found(subject: str, text: str) -> list[tuple[str, str, str, str]]:
    """List code, subtype, marked words and correction of every fragment."""
    return [
        (each["type"], each["subtype"], text[each["startSelection"] : each["endSelection"]], each["correction"])
        for each in mark(essay(subject, text))["selections"]
    ]


def words_marked(subject: str, text: str, code: str) -> list[str]:
    return [words for name, _, words, _ in found(subject, text) if name == code]


def test_the_pilot_knows_every_subject_of_the_classifier() -> None:
    assert set(RULES) == set(SUBJECTS)


@pytest.mark.parametrize("subject", SUBJECTS)
def test_every_code_subtype_and_correction_is_legal_for_the_subject(subject: str) -> None:
    rules = RULES[subject]
    listed = {code.code: code for code in CLASSIFIER.codes(subject)}
    meanings = [rule.code for rule in rules.blocks] + [rule.code for rule in rules.phrases]
    errors = [rule.code for rule in rules.errors] + [rule.code for rule in rules.repeats]
    assert all(listed[code].group == "meaning" for code in meanings)
    assert all(listed[code].group == "error" for code in errors)
    for error in rules.errors:
        assert listed[error.code].knows_subtype(error.subtype), error
        assert listed[error.code].correction or not error.correction, error
    assert not rules.pairs or {"ПРИЧИНА", "СЛЕДСТВИЕ"} <= set(listed)


ERRORS = [
    ("eng", "We cannot. They can't stay.", ("А.стиль", "стяж", "can't", "cannot")),
    ("eng", "Yes. It’s late.", ("А.стиль", "стяж", "It’s", "It is")),
    ("eng", "He asked for informations today.", ("А.грамм", "множ", "informations", "information")),
    ("eng", "It is much more better now.", ("А.грамм", "сравн", "more better", "better")),
    ("eng", "It was more cheaper then.", ("А.грамм", "сравн", "more cheaper", "cheaper")),
    ("eng", "They depend from us.", ("А.грамм", "пред", "depend from", "depend on")),
    ("eng", "In the other hand it works.", ("А.грамм", "пред", "In the other hand", "On the other hand")),
    ("eng", "It is a apple.", ("А.грамм", "арт", "a", "an")),
    ("eng", "They discuss about it.", ("А.грамм", "пред", "discuss about", "discuss")),
    ("eng", "Good.\nHowever we stay.", ("А.пункт", "", "However", "However,")),
    ("eng", "Firstly it is late.", ("А.пункт", "", "Firstly", "Firstly,")),
    ("eng", "She and i went.", ("А.орф", "", "i", "I")),
    ("eng-free", "Untill then.", ("А.орф", "", "Untill", "Until")),
    ("eng", "If it will rain, stay.", ("А.грамм", "видовр", "If it will rain", "")),
    ("eng", "Run if you will see it.", ("А.грамм", "видовр", "if you will see", "if you see")),
    ("eng", "We saw the the sea.", ("А.лекс", "", "the the", "the")),
    ("rus", "Это было в мае месяце.", ("Р.лишн", "плеон", "в мае месяце", "в мае")),
    ("rus", "Стало более лучше.", ("Г.слов", "прил", "более лучше", "лучше")),
    ("rus-free", "Он одел пальто.", ("Р.оним", "пар", "одел", "надел")),
    ("lit", "В данном тексте всё ясно.", ("Р.стил", "канц", "данном", "этом")),
    ("rus", "Он понял, что щас поздно.", ("Р.прост", "", "щас", "сейчас")),
    ("rus", "Письма говорят об войне.", ("Г.упр", "пфс", "об войне", "о войне")),
    ("rus", "Это играет большое значение.", ("Р.сочет", "", "играет большое значение", "имеет большое значение")),
    ("rus", "Он описывает описания.", ("Р.тавт", "", "описывает описания", "")),
    ("rus", "Он пришёл благодаря войне.", ("Р.знач", "несвой", "благодаря войне", "")),
    ("rus", "Он там там стоял.", ("Р.повтор", "", "там там", "там")),
    ("lit", "Радость большая, радость общая.", ("Р.повтор", "", "радость", "")),
    ("rus", "Таких уродов мало.", ("Э.агресс", "оскор", "уродов", "")),
    ("rus", "Прочитав письмо, у меня дрожит голос.", ("Г.деепр", "", "Прочитав письмо, у меня дрожит голос", "")),
    ("rus", "Он сказал что «я занят».", ("Г.смешен", "", "сказал что «я занят»", "")),
    ("social", "Это передаёться всем.", ("ИСП", "", "передаёться", "передаётся")),
    ("hist", "Вообщем, всё кончилось.", ("ИСП", "", "Вообщем", "В общем")),
]


@pytest.mark.parametrize(("subject", "text", "expected"), ERRORS, ids=[case[1] for case in ERRORS])
def test_each_family_of_errors_is_found_with_its_words_and_correction(
    subject: str, text: str, expected: tuple[str, str, str, str]
) -> None:
    assert expected in found(subject, text)


RIGHT = [
    ("eng", "An hour ago an MP had more power, and a European had that that he wanted."),
    ("eng", "Physics is not hard, this is very good, and his knowledge grows."),
    ("rus-free", "Он надел пальто и одел ребёнка. Вернулся он в мае. Поднялся на гору, и стало лучше."),
    ("rus-free", "Прочитав письмо, он заплакал. Об этом он рассказал о войне и об отце."),
    ("rus-free", "Он сказал, что занят, и ответил: «Я ухожу»."),
]


@pytest.mark.parametrize(("subject", "text"), RIGHT, ids=[case[1] for case in RIGHT])
def test_right_words_are_no_errors(subject: str, text: str) -> None:
    codes = {code for code, _, words, _ in found(subject, text)}
    assert codes <= {"ПРОБЛЕМА"}


def test_a_free_essay_may_use_contracted_forms() -> None:
    assert words_marked("eng", "We can't.", "А.стиль") == ["can't"]
    assert words_marked("eng-free", "We can't.", "А.стиль") == []


def test_a_repeated_name_is_no_needless_repetition() -> None:
    assert words_marked("lit", "Там Гринёв, тут Гринёв.", "Р.повтор") == []


@pytest.mark.clause("R 4.2.4", "platform §6 pilot")
def test_an_english_opinion_essay_gets_its_six_blocks_in_order() -> None:
    text = (
        "People argue about pets. Some like them.\n"
        "I think that pets are good. Firstly, they are kind. We see it. Secondly, they are fun.\n"
        "Some people say that pets are dirty. They bite.\n"
        "I cannot agree with them. Pets are clean.\n"
        "To sum up, pets are good. Get one."
    )
    blocks = [(code, words) for code, _, words, _ in found("eng", text)]
    assert blocks == [
        ("ПРОБЛЕМА", "People argue about pets. Some like them."),
        ("ЛМНЕНИЕ", "I think that pets are good."),
        ("АРГУМЕНТ", "Firstly, they are kind. We see it."),
        ("АРГУМЕНТ", "Secondly, they are fun."),
        ("ПРМНЕНИЕ", "Some people say that pets are dirty. They bite."),
        ("ОБОСНОВАНИЕ", "I cannot agree with them. Pets are clean."),
        ("ВЫВОД", "To sum up, pets are good. Get one."),
    ]


@pytest.mark.clause("R 4.2.4", "platform §6 pilot")
def test_a_russian_exam_essay_gets_its_blocks() -> None:
    text = (
        "Лес растёт давно. Автор поднимает проблему охраны леса.\n"
        "Лесник нашёл саженцы. Дети их полили. Этот пример показывает заботу. Потом пришла засуха. "
        "Эта деталь неслучайна. Оба примера дополняют друг друга.\n"
        "Автор считает, что лес живой.\n"
        "Я согласен с автором. У нас тоже есть роща.\n"
        "Итак, пора действовать."
    )
    blocks = [(code, words) for code, _, words, _ in found("rus", text)]
    assert blocks == [
        ("ПРОБЛЕМА", "Автор поднимает проблему охраны леса."),
        ("ПРИМЕР", "Лесник нашёл саженцы. Дети их полили."),
        ("ПОЯСНЕНИЕ", "Этот пример показывает заботу."),
        ("ПРИМЕР", "Потом пришла засуха."),
        ("ПОЯСНЕНИЕ", "Эта деталь неслучайна."),
        ("СВЯЗЬ", "Оба примера дополняют друг друга."),
        ("ПОЗИЦИЯ", "Автор считает, что лес живой."),
        ("ОТНОШЕНИЕ", "Я согласен с автором. У нас тоже есть роща."),
    ]


def test_social_studies_get_idea_concept_logic_and_examples() -> None:
    text = (
        "Автор думает о рынке.\n"
        "Рынок — это обмен товарами. Рынки бывают разные. Следовательно, обмен нужен.\n"
        "В истории есть пример: Англия XIX века.\n"
        "Моя подруга продаёт открытки.\n"
        "Конец."
    )
    codes = [code for code, *_ in found("social", text)]
    assert codes == ["ИДЕЯ", "ПОНЯТИЕ", "ТЕОРИЯ", "ЛОГИКА", "ПРИМЕР.ист", "ПРИМЕР.лич"]


def test_a_cause_and_its_effect_share_a_tag_within_a_sentence_and_across_two() -> None:
    text = "Начало.\nБыл голод, поэтому люди ушли. Армия ослабла. Поэтому царь начал реформу.\nКонец."
    marked = mark(essay("hist", text))["selections"]
    links = [(each["type"], text[each["startSelection"] : each["endSelection"]], each["tag"]) for each in marked]
    assert [link for link in links if link[2]] == [
        ("ПРИЧИНА", "Был голод", "связь 2"),
        ("СЛЕДСТВИЕ", "люди ушли", "связь 2"),
        ("ПРИЧИНА", "Армия ослабла.", "связь 1"),
        ("СЛЕДСТВИЕ", "царь начал реформу", "связь 1"),
    ]


def test_a_term_of_literature_is_marked_once_inside_an_argument() -> None:
    text = "Начало.\nКонтраст виден сразу. Снова контраст.\nКонец."
    assert words_marked("lit", text, "ПОНЯТИЕ") == ["Контраст"]
    assert words_marked("lit", text, "АРГУМЕНТ") == ["Контраст виден сразу. Снова контраст."]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        (" \n\r\n ", []),
        ("Один. Два!  Три?", ["Один.", "Два!", "Три?"]),
        ("Пишет П. Лугавин в 1812 г. Москва.", ["Пишет П. Лугавин в 1812 г. Москва."]),
        ("Александр I. Он царь.", ["Александр I.", "Он царь."]),
        ("«Вот как!» Он ушёл… потом пришёл.", ["«Вот как!»", "Он ушёл… потом пришёл."]),
        ("Раз\nДва 😀. Три", ["Раз", "Два 😀.", "Три"]),
    ],
)
def test_sentences_end_where_a_reader_says(text: str, parts: list[str]) -> None:
    assert [text[each.start : each.end] for each in sentences(text)] == parts


CUES = st.sampled_from(
    [
        "Firstly",
        "can't",
        "I think",
        "\n",
        ". ",
        "более лучше",
        "Автор считает",
        "поэтому",
        "😀",
        "e\u0301",
        "\r\n",
        "Он ",
    ]
)


@pytest.mark.clause("R 4.2.4", "platform §6 pilot")
@given(st.sampled_from(SUBJECTS), st.lists(CUES | st.text(max_size=8), max_size=40).map("".join))
def test_any_text_gets_a_valid_markup_without_warnings(subject: str, text: str) -> None:
    handed_out = essay(subject, text)
    marked = mark(handed_out)
    verdict = validate(marked, essay_text=text)
    assert (verdict.errors, verdict.warnings) == ((), ())
    selections = marked["selections"]
    assert [each["id"] for each in selections] == list(range(1, len(selections) + 1))
    keys = [(each["startSelection"], each["endSelection"], each["type"]) for each in selections]
    assert keys == sorted(keys)
    assert len(set(keys)) == len(keys)
    for start, end, _ in keys:
        assert text[start:end].strip() == text[start:end] != ""
    assert mark(handed_out) == marked
    assert mark(marked) == marked


def test_the_essay_handed_in_stays_as_it_was() -> None:
    handed_out = essay("eng", "I can't.")
    kept = copy.deepcopy(handed_out)
    mark(handed_out)
    assert handed_out == kept


@pytest.mark.parametrize("meta", [{"subject": "latin"}, {}, {"subject": 7}, None])
def test_an_unknown_subject_gets_no_fragments(meta: object) -> None:
    assert mark({"meta": meta, "text": "I can't."})["selections"] == []


def test_an_essay_without_text_is_refused_in_plain_words() -> None:
    with pytest.raises(TypeError, match='"text" must be a string'):
        mark({"meta": {"subject": "eng"}})


def test_a_text_full_of_errors_keeps_within_the_limit() -> None:
    marked = mark(essay("eng", "can't " * (MOST_FRAGMENTS + 100)))
    assert len(marked["selections"]) == MOST_FRAGMENTS


def test_the_command_reads_and_writes_json_and_the_notation(tmp_path: Path) -> None:
    handed_out = essay("eng", "I can't.\r\nHowever we stay. 😀")
    source, notation, target = tmp_path / "in.json", tmp_path / "in.txt", tmp_path / "out.json"
    source.write_text(json.dumps(handed_out), encoding="utf-8")
    assert main([str(source), str(target)]) == 0
    assert json.loads(target.read_text(encoding="utf-8")) == mark(handed_out)
    notation.write_bytes(render(load(handed_out)).encode())
    assert main([str(notation), str(tmp_path / "out.txt")]) == 0
    written = parse((tmp_path / "out.txt").read_bytes().decode())
    assert written.text == handed_out["text"]
    assert len(written.fragments) == len(mark(handed_out)["selections"]) > 0


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "no such file"), ("{", "in.json"), ('{"text": "a"}', "meta")],
)
def test_the_command_says_what_is_wrong_with_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str | None, message: str
) -> None:
    source, target = tmp_path / "in.json", tmp_path / "out.json"
    if content is not None:
        source.write_text(content, encoding="utf-8")
    assert main([str(source), str(target)]) == 1
    assert message in capsys.readouterr().err
    assert not target.exists()


def test_the_command_says_where_it_cannot_write(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "in.json"
    source.write_text(json.dumps(essay("eng", "a")), encoding="utf-8")
    assert main([str(source), str(tmp_path / "no" / "out.json")]) == 1
    assert "choose another place" in capsys.readouterr().err
