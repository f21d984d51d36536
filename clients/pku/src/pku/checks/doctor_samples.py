"""Files of each contest on which a solver is tried: of essays two of a usual length, Russian and English."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

_RUSSIAN: Final = """\
Почему одни люди помогают незнакомым, а другие проходят мимо? Над этим вопросом задумывается автор текста.
Он рассказывает о старом враче, который каждую зиму ездил в дальнюю деревню, хотя его об этом никто не просил. \
Дорога занимала целый день, лошадь уставала, а платы врач не брал. Односельчане сначала смеялись над ним, потом \
привыкли, а потом стали ждать его приезда, как ждут праздника.
Позиция автора понятна: доброта не требует свидетелей и не ждёт награды. Я согласен с этой мыслью. Человек, который \
делает добро напоказ, на самом деле делает его для себя, и стоит зрителям отвернуться, как его рвение исчезает.
В подтверждение вспомню случай из жизни моего деда. Он работал машинистом и однажды остановил поезд, чтобы снять с \
насыпи раненую собаку. Начальство объявило ему выговор, а собака прожила у нас двенадцать лет. Дед никогда не \
рассказывал эту историю сам, мы узнали её от его товарищей.
Таким образом, настоящая доброта узнаётся по тому, что её не замечают. Она похожа на свет в окне: его видит только \
тот, кто идёт по тёмной дороге.
"""
_ENGLISH: Final = """\
Nowadays more and more teenagers learn foreign languages by watching series and playing games. Some people believe \
that this is the best way to learn, while others think that only lessons with a teacher give a result.
In my opinion, entertainment is a good helper but a poor teacher. To begin with, we remember words better when we meet \
them in a story we care about. Besides, films show how people really speak, with jokes, pauses and mistakes. Finally, \
nobody has to force himself to watch another episode, so the language becomes a part of every evening.
However, my opponents say that games and series are enough. They point out that many famous people learned a language \
without ever opening a textbook.
I cannot agree with them, because a viewer chooses what is easy. When a phrase is difficult, he looks at the picture \
and guesses, and the mistake stays with him for years. A teacher notices it at once and explains the rule behind it.
In conclusion, I am sure that a mixture of both ways works best: a lesson gives the skeleton of the language, and a \
good story makes it alive.
"""


def _sample(name: str, subject: str, text: str) -> dict[str, Any]:
    meta = {"id": name, "theme": "", "taskText": "", "class": "11", "year": 2026, "subject": subject}
    return {"meta": {**meta, "test": "", "category": ""}, "criteria": {}, "selections": [], "text": text}


_ESSAYS: Final = (_sample("sample-rus", "rus", _RUSSIAN), _sample("sample-eng", "eng", _ENGLISH))
_TASK: Final = {
    "task": "Укажите номер слова, в котором ударение падает на последний слог.",
    "text": "",
    "choices": "1) договор\n2) торты\n3) банты",
    "additional_text": "",
}
_EXAM: Final = {
    "id": "sample-exam",
    "prompt": f"Выполните задание.\n{_TASK['task']}\n{_TASK['choices']}\nОтвет:",
    "instruction": "Выполните задание.\n{task}\n{text}\n{choices}\n{additional_text}\nОтвет:",
    "inputs": _TASK,
    "meta": {"id_task": "4", "score": 1, "type": "multiple_choice_independent_options"},
}
_SENTENCES: Final = ["My sister live in a old house .", "she likes it ."]
_GEC: Final = {"id": "sample-gec", "sentences": _SENTENCES, "tokens": " ".join(_SENTENCES).split()}
_EPICRISIS: Final = {
    "id": "sample-diagnosis",
    "version": "v2",
    "xml": "<ClinicalDocument><component><section><title>Жалобы</title><text>Одышка, утренний кашель с мокротой, свистящее "
    "дыхание.</text></section></component></ClinicalDocument>",
}
_SAMPLES: Final[Mapping[str, tuple[dict[str, Any], ...]]] = {
    "essay": _ESSAYS,
    "exam": (_EXAM,),
    "gec": (_GEC,),
    "diagnosis": (_EPICRISIS,),
}
_TEXTS: Final = {"rus": _RUSSIAN, "eng": _ENGLISH}


def samples_of(track: str) -> Sequence[dict[str, Any]]:
    """Files of a contest as they are handed out."""
    return _SAMPLES.get(track, ())


def name_of(content: Mapping[str, Any]) -> str:
    """A sample's name."""
    return str(content["meta"].get("id", "") if "text" in content else content["id"])


def sample_of(cycle: Mapping[str, Any], language: str) -> dict[str, Any] | None:
    """A file of the cycle's contest; an essay of a subject that it has in a language (``all``: in any). None where
    the kit has none such."""
    if cycle["track"] != "essay":
        return next(iter(samples_of(cycle["track"])), None)
    for name, subjects in cycle["languages"].items():
        if name in _TEXTS and subjects and language in {"all", name}:
            return _sample(f"sample-{name}", subjects[0], _TEXTS[name])
    return None
