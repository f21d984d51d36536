"""Help of the command in Russian, by its English text, which stands with the arguments."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

HELP_RU: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Check, convert, grade and compare markups of essays.": "Проверка, преобразование, оценивание и сравнение "
        "разметок эссе.",
        "commands": "команды",
        "parameters of the scoring": "параметры оценивания",
        "another classifier than the contest's own": "другой классификатор, не классификатор конкурса",
        "show program's version number and exit": "показать версию и выйти",
        "print JSON for programs instead of a table": "вывести JSON для программ вместо таблицы",
        "the language; the system's without it": "язык; по умолчанию язык системы",
        "parameters that the record has to be made with; by default those that it names": (
            "параметры, с которыми запись должна быть получена; по умолчанию те, что названы в ней"
        ),
        "a JSON object, or the platform's answer of /v1/cycle; the options below win over it": (
            "объект JSON или ответ платформы на /v1/cycle; ключи ниже важнее него"
        ),
        "seven weights; by default 1,2,1,1,1,1,0": "семь весов; по умолчанию 1,2,1,1,1,1,0",
        "from 0 (default) to 1": "от 0 (по умолчанию) до 1",
        "never match a block to an error": "не сопоставлять смысловые блоки с ошибками",
        "how comments are compared; by default: default": "как сравнивать комментарии; по умолчанию default",
        "take the ID.json files from here instead": "брать файлы ID.json отсюда",
        "of the resampling; by default the library's own": "начальное число повторной выборки; по умолчанию "
        "собственное число библиотеки",
        "List the codes of a subject, or of all, with what each stands for.": "Показать коды предмета или всех "
        "предметов и что значит каждый.",
        "rus, hist …; by default all": "rus, hist …; по умолчанию все",
        "print a page in Markdown instead of tables": "вывести страницу в Markdown вместо таблиц",
        "List everything that is wrong with markups; exit code 1 if there are errors.": "Показать все нарушения в "
        "разметках; код завершения 1, если есть ошибки.",
        ".json, or .txt in the notation": ".json или .txt на языке разметки",
        "the essay (.json) whose text the markups must have": "эссе (.json), текст которого должны содержать разметки",
        "Turn markups from one format into another; what the other does not carry is told on standard error.": (
            "Преобразовать разметки из одного формата в другой; о том, что не переносится, сообщается в стандартный "
            "поток ошибок."
        ),
        "by default json; notation for a markup in JSON": "по умолчанию json; для разметки в JSON — notation",
        "by default what the file looks like": "по умолчанию определяется по файлу",
        "the subject of files that do not name it": "предмет для файлов, где он не назван",
        "a JSON object: the code, or null, for each label": "объект JSON: для каждой метки код или null",
        "where to write; by default standard output": "куда записать; по умолчанию в стандартный вывод",
        "Count the criteria K1, K2 … of markups and explain each.": "Подсчитать критерии K1, K2 … разметок и объяснить "
        "каждый.",
        "Show which fragments of two markups of one essay correspond.": (
            "Показать, какие фрагменты двух разметок одного эссе соответствуют друг другу."
        ),
        "Measure markup X against Y (M1–M7, pair accuracy), or a folder of essays (STAR, STER, OTAR).": (
            "Измерить разметку X относительно Y (M1–M7, парная точность) или папку эссе (СТАР, СТЭР, ОТАР)."
        ),
        "a markup, or a folder of ID.json and ID_exp01.json …": "разметка или папка с ID.json и ID_exp01.json …",
        "X is an expert's: its explanations count 100 %%": "X — разметка эксперта: её пояснения считаются за 100 %%",
        "ratings of X's explanations, for M7": "оценки пояснений X, для M7",
        "Write the report of a folder as one Markdown file.": "Записать отчёт о папке одним файлом Markdown.",
        "ID.json and ID_exp01.json, ID_exp02.json …": "ID.json и ID_exp01.json, ID_exp02.json …",
        "Show how far the experts of a folder agree, among themselves and code by code.": (
            "Показать согласованность экспертов папки, между собой и по кодам."
        ),
        "ID_exp01.json, ID_exp02.json …": "ID_exp01.json, ID_exp02.json …",
        "also write the tables here, each as a file": "записать таблицы ещё и сюда, каждую в свой файл",
        "Recompute a score record and compare every number and the fingerprint; exit code 1 if one differs.": (
            "Пересчитать запись результата и сравнить все числа и отпечаток; код завершения 1, если что-то расходится."
        ),
        "the markup, where the record does not hold it": "разметка, если её нет в самой записи",
        "the experts' markups": "разметки экспертов",
        "ratings of the markup's explanations, if they count": "оценки пояснений разметки, если они учитываются",
        "Answer requests, one JSON object per line, from standard input to standard output.": (
            "Отвечать на запросы, по объекту JSON в строке, из стандартного ввода в стандартный вывод."
        ),
    }
)
"""Texts that argparse itself gives are :mod:`markup_core.speaking`'s."""


def speak_russian(parser: argparse.ArgumentParser) -> None:
    """Put the Russian in the place of the English in a parser and in those of its commands."""
    parser.description = _russian(parser.description)
    for group in parser._action_groups:
        group.title = _russian(group.title)
    for action in parser._actions:
        action.help = _russian(action.help)
        if isinstance(action, argparse._SubParsersAction):
            for each in action._choices_actions:
                each.help = _russian(each.help)
            for own in action.choices.values():
                speak_russian(own)


def _russian(text: str | None) -> str | None:
    return None if text is None else HELP_RU.get(text, text)
