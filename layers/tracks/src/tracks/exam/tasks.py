"""The exam's tasks with sections, types and points, and their prompts (tracks.md §2; U, descriptions).

A prompt is the text that a program gets before and around a task; there are several of each type, chosen by a seed
(tracks.md §2). It has the places ``{task}``, ``{text}``, ``{choices}`` and ``{additional_text}``; an item's
``instruction`` is the prompt that was chosen for it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from markup_core.command.folder import UnreadableError, read_json
from markup_core.reading.fragment_reader import SURROGATE
from markup_core.reading.wire import short, writable
from tracks.protocol import Json, Text
from tracks.texts import tr

FAMILY: Final = "multiple_choice"
"""The three types of multiple choice are scored alike; the family's own name is a type of an item, too."""
TEXT: Final = "text"
MATCHING: Final = "matching"
CHOICES: Final = (
    FAMILY,
    "multiple_choice_based_on_text",
    "multiple_choice_options_within_text",
    "multiple_choice_independent_options",
)
# Clause: U types
TYPES: Final = (TEXT, MATCHING, *CHOICES)
TYPE_NAMES: Final[Mapping[str, Text]] = {
    TEXT: tr("Answer in words"),
    MATCHING: tr("Matching"),
    FAMILY: tr("Choice of several"),
    "multiple_choice_based_on_text": tr("Choice by a text"),
    "multiple_choice_options_within_text": tr("Choice within a text"),
    "multiple_choice_independent_options": tr("Choice without a text"),
}
TWO_POINTS: Final = "16"
FOUR_POINTS: Final = "26"
VARIANT_POINTS: Final = 34
"""Points of a complete variant: 28 tasks of one, task 16 of two and task 26 of four."""
HUMAN_POINTS: Final = 23.835
HUMAN_GRADE_NORM: Final = 0.701
"""The mean of the school leavers of 2019 (U, human level)."""

# Clause: U tasks, U task 8
_SECTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "semantics": ("1", "3", "24"),
    "logic": ("2", "22"),
    "orthoepy": ("4",),
    "grammar": ("5", "6", "7", "8_0", "8_1", "8_2", "8_3", "8_4"),
    "spelling": ("9", "10", "11", "12", "13", "14", "15"),
    "punctuation": ("16", "17", "18", "19", "20", "21"),
    "text analysis": ("23", "25", "26"),
}
SECTION_NAMES: Final[Mapping[str, Text]] = {
    "semantics": tr("Semantics"),
    "logic": tr("Logic"),
    "orthoepy": tr("Orthoepy"),
    "grammar": tr("Grammar"),
    "spelling": tr("Spelling"),
    "punctuation": tr("Punctuation"),
    "text analysis": tr("Text analysis"),
}
SECTION_OF: Final[Mapping[str, str]] = {task: section for section, tasks in _SECTIONS.items() for task in tasks}


TASKS: Final = tuple(sorted(SECTION_OF, key=lambda task: tuple(int(part) for part in task.split("_"))))
"""The 30 tasks of a variant in the exam's order; the eighth is five tasks."""


# Clause: U tasks
def maximum(task: str) -> int:
    """Return the most points of an exam's task: 2 for task 16, 4 for task 26, 1 for every other (U, scoring)."""
    return {TWO_POINTS: 2, FOUR_POINTS: 4}.get(task, 1)


PLACES: Final = ("task", "text", "choices", "additional_text")
Prompts = Mapping[str, Sequence[str]]
_PLACE: Final = re.compile(r"\{(\w*)\}")
_ESCAPED_LINE_END: Final = re.compile(r"\\+n")
_NUMBERS: Final = "Запиши только номера через запятую, без пробелов."

_CHOOSE: Final = (
    "Прочитайте текст задания и выполните его указания. Ответом к заданию является число или последовательность чисел,"
    " перечисленных через запятую без пробелов.\n"
)
# Clause: U prompts, TS U-2
DEFAULT: Final[Prompts] = {
    TEXT: (
        (
            "Прочитайте задание и выполните его. Ответом к заданию является слово или несколько слов без пробелов,"
            " запятых и других дополнительных символов в нижнем регистре.\nЗадание: {task}\n{text}\nОтвет:"
        ),
        (
            "Реши задание по русскому языку. Нужно одно слово или несколько слов подряд без пробелов.\n"
            "Условие: {task}\n{text}\nОтвет:"
        ),
        "Материал: {text}\nВопрос: {task}\nПиши слитно, строчными буквами и ничего кроме ответа.\nОтвет:",
    ),
    MATCHING: (
        (
            "Прочитайте текст и выполните задание по тексту.\nТекст: {text}\nЗадание: {task}\n"
            "Рецензии: {additional_text}\nСписок терминов:\n{choices}\n"
            "В ответе запишите цифры через запятую без пробелов в порядке, соответствующем буквам АБВГ.\nОтвет:"
        ),
        (
            "{task}\nТекст для анализа: {text}\nОтзыв с пропусками: {additional_text}\nСписок:\n{choices}\n"
            "Четыре номера через запятую, в порядке букв.\nОтвет:"
        ),
        (
            "Прочти текст и отзыв о нём, заполни пропуски.\n{text}\n{additional_text}\n{choices}\n{task}\n"
            "Ответ дай номерами в порядке АБВГ через запятую без пробелов.\nОтвет:"
        ),
    ),
    "multiple_choice_based_on_text": (
        (
            "Прочитайте текст и выполните задание по тексту. Ответом к заданию является число или последовательность"
            " чисел, перечисленных через запятую без пробелов.\n"
            "Текст: {text}\nЗадание: {task}\nВарианты ответа:\n{choices}\nОтвет:"
        ),
        "Прочти текст и выбери верное.\n{text}\n{task}\n{choices}\n" + _NUMBERS + "\nОтвет:",
        "{task}\nТекст к заданию: {text}\nВозможные ответы:\n{choices}\n" + _NUMBERS + "\nОтвет:",
    ),
    "multiple_choice_options_within_text": (
        _CHOOSE + "Задание: {task}\nТекст: {text}\nОтвет:",
        "Номера стоят прямо в тексте; выбери нужные.\nЗадание: {task}\n{text}\n" + _NUMBERS + "\nОтвет:",
        "Текст: {text}\nЧто требуется: {task}\n" + _NUMBERS + "\nОтвет:",
    ),
    "multiple_choice_independent_options": (
        _CHOOSE + "Задание: {task}\nВарианты ответа:\n{choices}\nОтвет:",
        "Выбери верные варианты.\nЗадание: {task}\n{choices}\n" + _NUMBERS + "\nОтвет:",
        "Варианты ответа:\n{choices}\nЗадание к ним: {task}\n" + _NUMBERS + "\nОтвет:",
    ),
}
"""Three prompts of each of the five types; the first of each is the benchmark's own, as published (U, prompts)."""


# Clause: U prompts, tracks §2 seed, TS U-2
def choose(prompts: Prompts, kind: str, item_id: str, seed: int) -> str | None:
    """Choose an item's prompt; None if there is none of its type.

    **Decision**: number h mod n of the type's n prompts, where h is the SHA-256 of ``seed/type/id`` in UTF-8 as a
    whole number, most significant byte first. It depends on nothing else: not on the order of items, on the other
    items, or on Python's own hash.
    """
    choices = prompts.get(kind, ())
    if not choices:
        return None
    digest = hashlib.sha256(f"{seed}/{kind}/{item_id}".encode()).digest()
    return choices[int.from_bytes(digest, "big") % len(choices)]


def render(instruction: str, inputs: Mapping[str, str]) -> str:
    """Fill in an instruction's places; braces around anything else stay as they are."""
    return _PLACE.sub(lambda place: inputs.get(place[1], place[0]), instruction)


def unknown_places(instruction: str) -> list[str]:
    """List the names in braces that are no place of a prompt, in their order."""
    return [name for name in _PLACE.findall(instruction) if name not in PLACES]


def read(path: Path) -> Prompts:
    """Read prompts from a file in the published form; raises UnreadableError."""
    prompts, problems = prompts_of_json(read_json(path))
    if problems:
        raise UnreadableError.about(path, problems[0])
    return prompts


def prompts_of_json(whole: Json) -> tuple[Prompts, list[Text]]:
    """Read prompts in the published form; list their faults.

    The form is ``{"text": […], "matching": […], "multiple_choice": {"based_on_text": […], …}}``. Line ends are often
    escaped more than once in it: any backslashes before an ``n`` make a line end.
    """
    prompts: dict[str, tuple[str, ...]] = {}
    problems: list[Text] = []
    for kind, texts in _named(whole):
        wrong = not isinstance(texts, list) or not texts or any(not isinstance(text, str) for text in texts)
        if kind not in DEFAULT or wrong:
            kinds, name = ", ".join(DEFAULT), writable(kind)
            problems.append(
                tr(
                    "{name}: a list of prompts of one of {kinds} is expected, not {texts}",
                    name=name,
                    kinds=kinds,
                    texts=short(texts),
                )
            )
            continue
        prompts[kind] = tuple(_ESCAPED_LINE_END.sub("\n", text) for text in texts)
        unknown = [writable(place) for text in prompts[kind] for place in unknown_places(text)]
        problems += [
            tr("{kind}: a prompt has the place {{{place}}}, which no item has", kind=kind, place=place)
            for place in unknown
        ]
        if any(SURROGATE.search(text) for text in prompts[kind]):
            message = tr("a prompt has half a surrogate pair")
            problems.append(tr("{kind}: {en}", kind=kind, en=message))
    return prompts, problems


def _named(whole: Json) -> Iterator[tuple[str, Json]]:
    """Yield lists of prompts by type; a value that is no object gets the type ``prompts``, which does not exist."""
    if not isinstance(whole, dict):
        yield "prompts", whole
        return
    for name, value in whole.items():
        if name == FAMILY and isinstance(value, dict):
            yield from ((f"{FAMILY}_{part}", texts) for part, texts in value.items())
        else:
            yield str(name), value
