"""What is handed out of a subtask's hidden test: ``requests`` as the contest gives them, checked (F, "Формат решения").

C2C ``{id: program}``, HTR ``[image, …]`` (the contest hands out the folder of images alone), zsOD ``{image: [class,
…]}``, VQA ``{id: {"file_name": …, "question": …}}``. Codes besides those of :mod:`tracks.fusion.dictionaries`:
``unknown_subtask``, ``missing_field``, ``no_requests``, ``duplicate_request``, ``missing_truth``, ``unknown_truth``,
``unlisted_subtask``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from markup_core.reading.wire import short, short_ru
from tracks.fusion.dictionaries import Faults, at, read_texts
from tracks.fusion.parameters import FusionParameters
from tracks.fusion.score import TRUTH
from tracks.fusion.subtasks import Subtask
from tracks.protocol import ItemFacts, Json, Reason, Text

Known = Mapping[str, frozenset[str]]
"""Ids that may be predicted; of zsOD each with its classes, else with nothing."""


def read_item(raw: Json, rules: FusionParameters) -> tuple[ItemFacts | None, tuple[Reason, ...]]:
    """Check a hidden test; its group is its subtask, which a language of the cycle must list."""
    if reasons := _item_faults(raw):
        return None, reasons
    language = rules.language_of(raw["subtask"])
    if language is None:
        return None, (_unlisted(raw["subtask"]),)
    return ItemFacts(raw["id"], language, raw["subtask"]), ()


def hand_out(item: Json, file_id: str) -> Json:
    """The requests of the subtask and nothing else of the item.

    Clause: F test private
    """
    return {"id": file_id, "subtask": item["subtask"], "requests": item["requests"]}


def _item_faults(raw: Json) -> tuple[Reason, ...]:
    """What is wrong with ``{"id": …, "subtask": …, "requests": …}``."""
    faults = Faults()
    if not isinstance(raw, Mapping):
        faults.add(
            "not_an_object", "item", f"must be an object, not {short(raw)}", f"— нужен объект, а не {short_ru(raw)}"
        )
        return tuple(faults.reasons)
    if not isinstance(raw.get("id"), str) or not raw["id"].strip():
        faults.add("missing_field", "id", "must be a string that names the test", "— нужна строка, имя теста")
    names = [each.value for each in Subtask]
    if raw.get("subtask") not in names:
        known = ", ".join(names)
        wrong = raw.get("subtask")
        en, ru = f"must be one of {known}, not {short(wrong)}", f"— одно из {known}, а не {short_ru(wrong)}"
        faults.add("unknown_subtask", "subtask", en, ru)
    elif "requests" not in raw:
        faults.add("missing_field", "requests", "is missing", "— нет такого поля")
    else:
        _requests(Subtask(raw["subtask"]), raw["requests"], faults)
    return tuple(faults.reasons)


def _unlisted(subtask: str) -> Reason:
    """A subtask that no language of the cycle lists."""
    en = f"no language of the cycle lists the subtask {subtask}"
    message = Text(en=en, ru=f"подзадачи {subtask} нет ни в одном языке цикла")
    return Reason("unlisted_subtask", message, {"field": "subtask"})


def known(item: Mapping[str, Json]) -> Known:
    """The ids of an item without faults."""
    requests = item["requests"]
    if Subtask(item["subtask"]) is Subtask.ZSOD:
        return {image: frozenset(classes) for image, classes in requests.items()}
    return dict.fromkeys(requests, frozenset())


def read_reference(item: Mapping[str, Json], raw: Json) -> tuple[Reason, ...]:
    """What is wrong with the true answers of an item: their form, and ids other than those that are handed out.

    Clause: F true
    """
    faults, ids = Faults(), known(item)
    subtask = Subtask(item["subtask"])
    truth = TRUTH[subtask](raw, "true", faults)
    if faults.reasons:
        return tuple(faults.reasons)
    _same_ids("true", ids, truth, faults)
    if subtask is Subtask.ZSOD:
        for image in sorted(ids.keys() & truth.keys()):
            _same_ids(at("true", image), ids[image], truth[image], faults)
    return tuple(faults.reasons)


def _requests(subtask: Subtask, raw: Json, faults: Faults) -> None:
    where = "requests"
    if subtask is Subtask.HTR:
        _names(raw, where, faults)
    elif subtask is Subtask.C2C:
        read_texts(raw, where, faults)
    elif not isinstance(raw, Mapping):
        faults.add(
            "not_an_object", where, f"must be an object, not {short(raw)}", f"— нужен объект, а не {short_ru(raw)}"
        )
    else:
        for name, value in raw.items():
            _entry(subtask, value, at(where, name), faults)
    if not faults.reasons and not raw:
        faults.add("no_requests", where, "ask for nothing", "— пусто, спрашивать не о чем")


def _entry(subtask: Subtask, value: Json, where: str, faults: Faults) -> None:
    """The classes of an image, or a question.

    Clause: F VQA requests, F zsOD requests
    """
    if subtask is Subtask.ZSOD:
        _names(value, where, faults)
        return
    texts = read_texts(value, where, faults)
    for field in ("file_name", "question"):
        if isinstance(value, Mapping) and field not in texts and field not in value:
            faults.add("missing_field", f"{where}.{field}", "is missing", "— нет такого поля")


def _names(raw: Json, where: str, faults: Faults) -> None:
    if not isinstance(raw, list):
        faults.add("not_a_list", where, f"must be a list, not {short(raw)}", f"— нужен список, а не {short_ru(raw)}")
        return
    seen = set()
    for number, name in enumerate(raw):
        if not isinstance(name, str):
            en, ru = f"must be a string, not {short(name)}", f"— нужна строка, а не {short_ru(name)}"
            faults.add("not_a_string", at(where, number), en, ru)
        elif name in seen:
            faults.add("duplicate_request", at(where, number), f"stands there twice: {short(name)}", "— повторяется")
        else:
            seen.add(name)


def _same_ids(where: str, wanted: Iterable[str], given: Iterable[str], faults: Faults) -> None:
    for name in sorted(set(wanted) - set(given)):
        faults.add("missing_truth", at(where, name), "has no true answer", "— нет верного ответа")
    for name in sorted(set(given) - set(wanted)):
        faults.add("unknown_truth", at(where, name), "is not handed out", "— этого не выдают")
