"""Answers as solvers write them, JSON or inline notation, and the judgement on them before they are sent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from markup_core.command.complaints import of_notation
from markup_core.model import Markup
from markup_core.notation import NotationError, parse
from markup_core.reading.classifier import Classifier
from markup_core.reading.validation import MalformedInput, decode, dump, validate
from markup_core.said import Said, told
from markup_core.speaking import LANGUAGES
from pku.errors import PkuError

Json = Any


class UnreadableError(PkuError):
    """The bytes are neither JSON nor the inline notation."""

    def __init__(self, why: str) -> None:
        super().__init__("unreadable", why=why)


def not_utf8(error: UnicodeDecodeError) -> UnreadableError:
    """The refusal of bytes that are no text."""
    return UnreadableError(
        Said(f"not UTF-8: {error.reason} at byte {error.start}", f"это не UTF-8, начиная с байта {error.start}")
    )


class InvalidAnswerError(PkuError):
    """The markup has errors; the platform would refuse it, so it is not sent. ``faults`` are (code, sentence)."""

    def __init__(self, faults: tuple[tuple[str, str], ...]) -> None:
        more = f"\n  - … {len(faults) - 10}" if len(faults) > 10 else ""
        shown = (
            "".join(f"\n  - {told(message, language)} [{code}]" for code, message in faults[:10]) + more
            for language in LANGUAGES
        )
        super().__init__("invalid_answer_here", faults=Said(*shown))
        self.faults = faults


def read_answer(content: bytes, essay: Mapping[str, Json]) -> Json:
    """The markup's JSON value of a solver's file; what starts with ``{`` is JSON, anything else the notation.

    The notation does not carry the essay's id, so the essay's own meta is taken.
    """
    if content.lstrip()[:1] in {b"{", b"["} or content[:3] == b"\xef\xbb\xbf":
        try:
            return decode(content)
        except MalformedInput as error:
            raise UnreadableError(Said(str(error), error.russian)) from None
    try:
        markup = parse(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise not_utf8(error) from None
    except NotationError as error:
        raise UnreadableError(Said(*of_notation(error))) from None
    return {**dump(markup), "meta": dict(essay["meta"])}


def checked(answer: Json, essay: Mapping[str, Json], classifier: Classifier | None = None) -> str:
    """The answer as the text that is sent, or :class:`InvalidAnswerError` with everything that is wrong with it."""
    try:
        text = json.dumps(answer, ensure_ascii=False, allow_nan=False)
        judged = decode(text)
    except MalformedInput as error:
        raise InvalidAnswerError(((error.code, str(error)),)) from None
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidAnswerError((("not_json", str(error)),)) from None
    result = validate(judged, classifier=classifier, essay_text=essay["text"])
    faults = [(fault.code, _placed(fault)) for fault in result.errors]
    faults += _other_subject(result.markup, essay)
    if faults:
        raise InvalidAnswerError(tuple(faults))
    return text


def _other_subject(markup: Markup | None, essay: Mapping[str, Json]) -> list[tuple[str, str]]:
    expected = essay["meta"].get("subject")
    if markup is None or markup.subject == expected:
        return []
    return [("subject_differs", f'"meta.subject" is {markup.subject}, the essay\'s is {expected}')]


def _placed(fault: Any) -> str:
    place = f" (fragment {fault.fragment})" if fault.fragment is not None else ""
    return f"{fault.message}{place}"
