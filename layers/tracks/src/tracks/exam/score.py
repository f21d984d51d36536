"""Points of one answer (tracks.md §2).

Where the benchmark's public scorer differs, the specification holds: blanks around commas count for nothing; task 16
brings 2, 1 or 0 whatever the number of right digits; a matching answer of another length keeps its right positions;
a text's listed answers are normalised as the given one is; no answer is 0 points.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final
from unicodedata import normalize

from tracks.base import fingerprint
from tracks.exam.tasks import CHOICES, FOUR_POINTS, MATCHING, SECTION_OF, TEXT, TWO_POINTS, maximum
from tracks.protocol import Json
from tracks.texts import tr

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
        message = tr("must be one value or values with a comma between two of them")
        raise UnusableGoldError(message)
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
