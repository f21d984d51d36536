"""The whole of the data: a public and a private test of four subtasks, in the contest's own files.

``python -m local.drawn`` writes them into ``local/contests/fusion``; a test says when they are stale.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from typing import Any, Final

from local.drawn import programs
from local.drawn.pictures import jpeg, png
from local.drawn.scenes import Language, scenes
from local.drawn.strokes import written

TESTS: Final = 20
"""Of each subtask in each set."""
PAIRS: Final = {"public": programs.PUBLIC, "private": programs.PRIVATE}
WORDS: Final = {
    "public": "школа река дерево книга окно стол рыба поле зима лето hello water house garden summer bread stone"
    " weather letter window",
    "private": "дорога берег озеро трава город весна молоко тетрадь ветер мост night street winter mountain green"
    " silent butter island morning thunder",
}
"""Of every set ten Russian words and ten English ones."""


def files(name: str) -> dict[str, bytes]:
    """The files of the set of this name, ``input/…`` as a program finds them and ``true/…`` with the answers."""
    return {**_c2c(name), **_htr(name), **_seen(name)}


def _c2c(name: str) -> dict[str, bytes]:
    pairs = {str(number): pair for number, pair in enumerate(PAIRS[name])}
    return {
        "input/C2C/requests.json": _json({key: programs.of_java(java) for key, (java, _) in pairs.items()}),
        "true/true_C2C.json": _json({key: programs.of_python(python) for key, (_, python) in pairs.items()}),
    }


def _htr(name: str) -> dict[str, bytes]:
    words = WORDS[name].split()
    random.Random(f"words {name}").shuffle(words)  # noqa: S311 - to be the same again, not to be secret
    named = {f"{number}.png": word for number, word in enumerate(words)}
    drawn = {f"input/HTR/images/{file}": png(written(word, name)) for file, word in named.items()}
    return {**drawn, "true/true_HTR.json": _json(named)}


def _seen(name: str) -> dict[str, bytes]:
    """Of zero-shot detection and of questions: the same scenes, every other one in Russian."""
    draw = random.Random(f"asked {name}")  # noqa: S311 - to be the same again, not to be secret
    images, boxes = dict[str, bytes](), dict[str, Any]()
    questions, answers = dict[str, Any](), dict[str, Any]()
    for number, scene in enumerate(scenes(name, TESTS)):
        language: Language = "ru" if number % 2 else "en"
        file = f"{number}.jpg"
        images[file] = jpeg(scene.pixels())
        boxes[file] = scene.classes(language, draw)
        question, answer = draw.choice(scene.questions(language))
        questions[str(number)] = {"file_name": file, "question": question}
        answers[str(number)] = {"answer": answer, "lang": language}
    return {
        **{f"input/{subtask}/images/{file}": body for subtask in ("zsOD", "VQA") for file, body in images.items()},
        "input/zsOD/requests.json": _json({file: list(classes) for file, classes in boxes.items()}),
        "input/VQA/questions.json": _json(questions),
        "true/true_zsOD.json": _json(boxes),
        "true/true_VQA.json": _json(answers),
    }


def _json(value: Mapping[str, Any]) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()
