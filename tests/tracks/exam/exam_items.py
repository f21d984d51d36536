"""Items of the exam for tests: whole variants in the published form, with right answers of their own."""

from __future__ import annotations

from typing import Any

from tracks.exam.tasks import TASKS, maximum

WORDS = frozenset({"2", "4", "5", "6", "7", "13", "14", "24"})
"""Tasks whose answer is a word (U)."""
RIGHT = {"text": "сверх,ответ", "matching": "4,9,2,8", "multiple_choice_independent_options": "1,3,5"}


def kind_of(task: str) -> str:
    if task == "26":
        return "matching"
    return "text" if task in WORDS else "multiple_choice_independent_options"


def item(task: str = "6", variant: int = 1, ident: int = 740, **changed: Any) -> dict[str, Any]:
    kind = kind_of(task)
    return {
        "instruction": "Прочти и реши.\n{task}\n{text}\n{choices}\n{additional_text}\nОтвет: ",
        "inputs": {
            "task": f"Условие задания {task}",
            "text": "Отрывок",
            "choices": "1) да\n2) нет",
            "additional_text": "",
        },
        "outputs": RIGHT[kind],
        "meta": {"id": ident, "id_task": task, "variant": variant, "score": maximum(task), "type": kind},
        **changed,
    }


def variant(number: int, tasks: tuple[str, ...] = TASKS) -> list[dict[str, Any]]:
    """Return a variant's items; ids are 1000 × variant + place."""
    return [item(task, number, 1000 * number + place) for place, task in enumerate(tasks)]


def right(items: list[dict[str, Any]]) -> dict[str, str]:
    """Return the right answers of items by their ids."""
    return {
        str(each["meta"]["id"]): each["outputs"].split(",")[0] if each["meta"]["type"] == "text" else each["outputs"]
        for each in items
    }
