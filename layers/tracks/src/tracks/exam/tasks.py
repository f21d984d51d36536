"""The exam's tasks with sections, types and points, their prompts, and the points of an answer (tracks.md §2; U).

A prompt is the text that a program gets before and around a task; there are several of each type, chosen by a seed. It
has the places ``{task}``, ``{text}``, ``{choices}`` and ``{additional_text}``; an item's ``instruction`` is the prompt
that was chosen for it.

Where the benchmark's public scorer differs, the specification holds: blanks around commas count for nothing; task 16
brings 2, 1 or 0 whatever the number of right digits; a matching answer of another length keeps its right positions;
a text's listed answers are normalised as the given one is; no answer is 0 points.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from unicodedata import normalize

from markup_core.command.inputs import UnreadableError, read_json
from markup_core.reading.fragment_reader import SURROGATE
from markup_core.reading.wire import short, writable
from tracks.base import fingerprint
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
            problems.append(tr("{kind}: {en}", kind=kind, en=tr("a prompt has half a surrogate pair")))
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


_NO_LETTER: Final = re.compile(r"[\d\W]")


class UnusableGoldError(ValueError):
    """A right answer that cannot be one; the text completes the sentence that begins with the field's name."""


# Clause: U points 1, tracks §2 missing
def score(gold: str, prediction: str | None, task: str, kind: str) -> int:
    """Compute an answer's points, from 0 to :func:`tracks.exam.tasks.maximum` of the task; None is no answer: 0 points.

    ``kind`` is one of :data:`tracks.exam.tasks.TYPES`. **Decision**: it says how the answer is compared; where it is
    not one of the task's own (:func:`usual`), there is a point for the right answer and none for a part of it.
    Raises :class:`UnusableGoldError`, with and without an answer. Linear in the lengths.
    """
    check(gold, task, kind)
    if prediction is None:
        return 0
    if kind == TEXT:
        return text(gold, prediction)
    if kind == MATCHING:
        return matching(gold, prediction) if task == FOUR_POINTS else int(_values(gold) == _values(prediction))
    return task_16(gold, prediction) if task == TWO_POINTS else multiple_choice(gold, prediction)


# Clause: TS U-2
def record(item: Json, gold: str, answer: str | None, choosing: Mapping[str, Json]) -> dict[str, Json]:
    """Build the score record of an answer; None is a missed item's, whose record has 0 points and its variant.

    The fingerprint covers everything but the right answer, of so short a text a hash would tell it; ``choosing`` are
    the parameters by which the prompt was chosen, none where it was not.
    """
    meta: dict[str, Any] = item["meta"]
    task, kind = meta["id_task"], meta["type"]
    used = {"prediction": answer, "id_task": task, "type": kind, **choosing}
    return {
        "answered": answer is not None,
        "score": score(gold, answer, task, kind),
        "max": maximum(task),
        "variant": str(meta["variant"]),
        "task": task,
        "section": SECTION_OF[task],
        "type": kind,
        "fingerprint": fingerprint("exam.item", used),
    }


def check(gold: str, task: str, kind: str) -> None:
    """Refuse a right answer that no answer could meet or that is worth too much."""
    if kind == TEXT:
        if not any(map(letters, gold.split(","))):
            raise UnusableGoldError(tr("must list an answer with letters"))
        return
    values = _values(gold)
    if "" in values:
        raise UnusableGoldError(tr("must be one value or values with a comma between two of them"))
    if kind == MATCHING and task == FOUR_POINTS and len(values) > maximum(task):
        message = tr("must have at most {maximum} values, not {values}", maximum=maximum(task), values=len(values))
        raise UnusableGoldError(message)


# Clause: U types
def usual(task: str, kind: str) -> bool:
    """Check whether the task has this type in the exam: 16 is multiple choice, and 26 alone is matching (U, types)."""
    if task == TWO_POINTS:
        return kind in CHOICES
    return (task == FOUR_POINTS) == (kind == MATCHING)


# Clause: U answers text, U combinations, U points 1
def text(gold: str, prediction: str) -> int:
    """Return 1 for a listed answer, else 0: lower case, no digits, letters alone on both sides (tracks.md §2).

    ``gold`` lists answers with commas, every order of several words among them. **Decision**: an answer without a
    letter is none.
    """
    answer = letters(prediction)
    return int(answer != "" and answer in {letters(listed) for listed in gold.split(",")})


# Clause: U answers choice, U points 1
def multiple_choice(gold: str, prediction: str) -> int:
    """Return 1 for exactly the right set of values, in any order, else 0 (tracks.md §2)."""
    return int(set(_values(gold)) == set(_values(prediction)))


# Clause: U points 16
def task_16(gold: str, prediction: str) -> int:
    """Return 2 for the right set; 1 with one value wrong, missing or too many; else 0 (tracks.md §2; U, task 16).

    Of a single right value one that is wrong or missing leaves nothing right: 0; right with one too many is 1.
    """
    right, answered = set(_values(gold)), set(_values(prediction))
    missing, extra = len(right - answered), len(answered - right)
    if missing + extra == 0:
        return 2
    return int(missing <= 1 and extra <= 1 and len(right) > missing)


# Clause: U points 26
def matching(gold: str, prediction: str) -> int:
    """Return a point per right value in its position, however many values there are (tracks.md §2; U, task 26)."""
    return sum(right == answered for right, answered in zip(_values(gold), _values(prediction), strict=False))


# Clause: TS T10
def counted(answer: str | None, task: str, kind: str) -> str | list[str] | None:
    """Reduce an answer to the form that decides its points for any right answer; None: they are 0.

    Two answers that differ in case, blanks, digits within words, orders or repetitions that a type does not look at
    are one.
    """
    if answer is None:
        return None
    if kind == TEXT:
        return letters(answer) or None
    values = _values(answer)
    if kind == MATCHING and task == FOUR_POINTS:
        values = values[: maximum(task)]
        while values and not values[-1]:
            values.pop()
        return values or None
    if kind != MATCHING:
        values = sorted(set(values))
    elif "" in values:
        return None
    if "" in values and (task != TWO_POINTS or values == [""]):
        return None
    return values


def letters(answer: str) -> str:
    """Return an answer in lower case without digits and non-word characters.

    It is composed first (NFC): the mark of a decomposed й or ё is a part of its letter, not a sign to be left out.
    """
    return _NO_LETTER.sub("", normalize("NFC", answer).lower())


# Clause: tracks §2 blanks, U answers choice
def _values(answer: str) -> list[str]:
    return [value.strip() for value in normalize("NFC", answer).split(",")]
