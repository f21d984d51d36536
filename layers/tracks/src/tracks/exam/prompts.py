"""Prompts: what a program is told before and around a task, several of each type, chosen by a seed (tracks.md §2).

A prompt is a text with the places ``{task}``, ``{text}``, ``{choices}`` and ``{additional_text}``; an item's
``instruction`` is the prompt that was chosen for it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from markup_core.command.folder import UnreadableError, read_json
from markup_core.reading.wire import short
from tracks.exam.tasks import FAMILY, MATCHING, TEXT
from tracks.protocol import Json

PLACES: Final = ("task", "text", "choices", "additional_text")
Prompts = Mapping[str, Sequence[str]]
_PLACE: Final = re.compile(r"\{(\w*)\}")
_ESCAPED_LINE_END: Final = re.compile(r"\\+n")
_NUMBERS: Final = "Запиши только номера через запятую, без пробелов."

DEFAULT: Final[Prompts] = {
    TEXT: (
        "{task}\n{text}\nЗапиши ответ строчными буквами слитно: без пробелов, цифр и знаков.\nОтвет:",
        (
            "Реши задание по русскому языку. Нужно одно слово или несколько слов подряд без пробелов.\n"
            "Условие: {task}\n{text}\nОтвет:"
        ),
        "Материал: {text}\nВопрос: {task}\nПиши слитно, строчными буквами и ничего кроме ответа.\nОтвет:",
    ),
    MATCHING: (
        (
            "Текст: {text}\nЗадание: {task}\nРецензия: {additional_text}\nТермины:\n{choices}\n"
            "Для А, Б, В и Г запиши по порядку номера терминов через запятую, без пробелов.\nОтвет:"
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
        "Текст: {text}\nЗадание: {task}\nВарианты:\n{choices}\n" + _NUMBERS + "\nОтвет:",
        "Прочти текст и выбери верное.\n{text}\n{task}\n{choices}\n" + _NUMBERS + "\nОтвет:",
        "{task}\nТекст к заданию: {text}\nВозможные ответы:\n{choices}\n" + _NUMBERS + "\nОтвет:",
    ),
    "multiple_choice_options_within_text": (
        "{task}\nТекст с номерами: {text}\n" + _NUMBERS + "\nОтвет:",
        "Номера стоят прямо в тексте; выбери нужные.\nЗадание: {task}\n{text}\n" + _NUMBERS + "\nОтвет:",
        "Текст: {text}\nЧто требуется: {task}\n" + _NUMBERS + "\nОтвет:",
    ),
    "multiple_choice_independent_options": (
        "{task}\nВарианты:\n{choices}\n" + _NUMBERS + "\nОтвет:",
        "Выбери верные варианты.\nЗадание: {task}\n{choices}\n" + _NUMBERS + "\nОтвет:",
        "Варианты ответа:\n{choices}\nЗадание к ним: {task}\n" + _NUMBERS + "\nОтвет:",
    ),
}
"""Three prompts of each of the five types.

Clause: U prompts
"""


def choose(prompts: Prompts, kind: str, item_id: str, seed: int) -> str | None:
    """The prompt of an item; None where there is none of its type.

    **Decision**: number h mod n of the type's n prompts, where h is the SHA-256 of ``seed/type/id`` in UTF-8 as a
    whole number, most significant byte first. It depends on nothing else: not on the order of items, on the other
    items, or on Python's own hash.

    Clause: U prompts, tracks §2 seed
    """
    known = prompts.get(kind, ())
    if not known:
        return None
    digest = hashlib.sha256(f"{seed}/{kind}/{item_id}".encode()).digest()
    return known[int.from_bytes(digest, "big") % len(known)]


def render(instruction: str, inputs: Mapping[str, str]) -> str:
    """The instruction with its places filled in; braces around anything else stay as they are."""
    return _PLACE.sub(lambda place: inputs.get(place[1], place[0]), instruction)


def unknown_places(instruction: str) -> list[str]:
    """Names in braces that are no place of a prompt, in their order."""
    return [name for name in _PLACE.findall(instruction) if name not in PLACES]


def read(path: Path) -> Prompts:
    """Prompts of a file in the published form; raises UnreadableError.

    The form is ``{"text": […], "matching": […], "multiple_choice": {"based_on_text": […], …}}``. Line ends are often
    escaped more than once in it: any backslashes before an ``n`` make a line end.
    """
    prompts: dict[str, tuple[str, ...]] = {}
    for kind, texts in _named(read_json(path)):
        wrong = not isinstance(texts, list) or not texts or any(not isinstance(text, str) for text in texts)
        if kind not in DEFAULT or wrong:
            kinds = ", ".join(DEFAULT)
            raise UnreadableError(
                f"{path}: {kind}: a list of prompts of one of {kinds} is expected, not {short(texts)}",
                f"{path}: {kind}: ожидается список запросов одного из видов {kinds}, а не {short(texts)}",
            )
        prompts[kind] = tuple(_ESCAPED_LINE_END.sub("\n", text) for text in texts)
        unknown = [place for text in prompts[kind] for place in unknown_places(text)]
        if unknown:
            raise UnreadableError(
                f"{path}: {kind}: a prompt has the place {{{unknown[0]}}}, which no item has",
                f"{path}: {kind}: в запросе есть место {{{unknown[0]}}}, которого нет ни у одного задания",
            )
    return prompts


def _named(whole: Json) -> Iterator[tuple[str, Json]]:
    """Lists of prompts by their types; what is no object has the type ``prompts``, which does not exist."""
    if not isinstance(whole, dict):
        yield "prompts", whole
        return
    for name, value in whole.items():
        if name == FAMILY and isinstance(value, dict):
            yield from ((f"{FAMILY}_{part}", texts) for part, texts in value.items())
        else:
            yield str(name), value
