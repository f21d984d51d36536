"""Items and references of the track, checked at import: unmarked essays, experts' markups of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from markup_core.reading.validation import validate
from tracks.essay.faults import another_subject, of_markup
from tracks.essay.parameters import DEFAULT_LANGUAGES, EssayParameters
from tracks.protocol import ItemFacts, Json, Reason
from tracks.reasons import reason

_SHOWN_META: Final = ("theme", "taskText", "class", "year", "subject", "test", "category")
"""What a participant may know of an essay besides its text (platform.md §3)."""


def read_item(raw: Json, rules: EssayParameters) -> tuple[ItemFacts | None, tuple[Reason, ...]]:
    """Check an unmarked essay: a valid markup without fragments, with an id, in a language of the cycle."""
    result = validate(raw, classifier=rules.classifier, limits=rules.limits)
    if result.markup is None:
        return None, tuple(of_markup(fault) for fault in result.errors)
    reasons = tuple(_item_faults(result.markup.meta, len(result.markup.fragments), result.markup.text))
    language = rules.language_of(result.markup.subject)
    if language is None:
        reasons += (_unlisted(result.markup.subject, rules),)
    if reasons or language is None:
        return None, reasons
    return ItemFacts(str(result.markup.meta["id"]), language, result.markup.subject), ()


def read_reference(item: Json, raw: Json, rules: EssayParameters) -> tuple[Reason, ...]:
    """Check an expert's markup: valid, of this very text and subject."""
    result = validate(raw, classifier=rules.classifier, essay_text=item["text"], limits=rules.limits)
    reasons = [of_markup(fault) for fault in result.errors]
    if result.markup is not None and result.markup.subject != item["meta"]["subject"]:
        reasons.append(another_subject(result.markup.subject, item["meta"]["subject"]))
    return tuple(reasons)


def hand_out(item: Json, file_id: str) -> Json:
    """The essay as a markup without fragments under its opaque name; nothing else of it.

    Clause: platform §3 hand-out, R 2.7, R 2.8
    """
    shown = {name: item["meta"][name] for name in _SHOWN_META if name in item["meta"]}
    return {"meta": {"id": file_id, **shown}, "criteria": {}, "selections": [], "text": item["text"]}


def _item_faults(meta: Mapping[str, Any], fragments: int, text: str) -> list[Reason]:
    reasons = []
    if not str(meta.get("id") or "").strip():
        reasons.append(reason("missing_id", "meta.id", "the essay has no meta.id", "у эссе нет meta.id"))
    if fragments:
        message = f"an essay to hand out has no fragments, this one has {fragments}"
        russian = f"в выдаваемом эссе не бывает фрагментов, здесь их {fragments}"
        reasons.append(reason("marked_essay", "selections", message, russian))
    if not text.strip():
        reasons.append(reason("empty_text", "text", "the essay's text is empty", "текст эссе пуст"))
    return reasons


def _unlisted(subject: str, rules: EssayParameters) -> Reason:
    """Refuse an essay's subject, with the line of the cycle's file that would list it."""
    languages = {language: list(subjects) for language, subjects in rules.languages.items()}
    usual = next((language for language, subjects in DEFAULT_LANGUAGES.items() if subject in subjects), subject)
    languages.setdefault(usual, []).append(subject)
    line = f'"languages": {json.dumps(languages, ensure_ascii=False)}'
    message = (
        f"no language of the cycle lists the subject {subject}; if it is meant, write into the cycle's file: {line}"
    )
    russian = f"предмета {subject} нет ни в одном языке цикла; если предмет верен, впишите в файл цикла: {line}"
    return reason("unlisted_subject", "meta.subject", message, russian)
