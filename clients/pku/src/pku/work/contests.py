"""Answers of each contest: read from a solver's file, JSON or notation, and validated before they are sent (T16)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from markup_core.command.complaints import of_notation
from markup_core.notation import NotationError, parse
from markup_core.reading.classifier import Classifier, ClassifierError
from markup_core.reading.validation import MalformedInput, decode, dump, validate
from markup_core.speaking import LANGUAGES
from markup_core.texts import Text, first_of, in_language
from pku.errors import PkuError
from pku.texts import tr
from tracks import registry
from tracks.custom import declaration as declared
from tracks.diagnosis import answers
from tracks.diagnosis.stages import stage_of_version
from tracks.protocol import Verdict

Json = Any


class UnreadableError(PkuError):
    """The bytes are neither JSON nor the inline notation."""

    def __init__(self, why: str) -> None:
        super().__init__("unreadable", why=why)


def not_utf8(error: UnicodeDecodeError) -> UnreadableError:
    """Return the refusal of bytes that are no UTF-8 text."""
    return UnreadableError(tr("not UTF-8 from byte {start} on", start=error.start))


class InvalidAnswerError(PkuError):
    """The markup has errors; the platform would refuse it, so it is not sent. ``faults`` are (code, sentence)."""

    def __init__(self, faults: tuple[tuple[str, str], ...]) -> None:
        more = f"\n  - … {len(faults) - 10}" if len(faults) > 10 else ""
        listed = (
            "".join(f"\n  - {in_language(message, language)} [{code}]" for code, message in faults[:10]) + more
            for language in LANGUAGES
        )
        super().__init__("invalid_answer_here", faults=Text(*listed))
        self.faults = faults


def read_answer(content: bytes, essay: Mapping[str, Json]) -> Json:
    """Read the markup's JSON value from a solver's file; content that starts with ``{`` is JSON, any other notation.

    The notation does not carry the essay's id, so the essay's own meta is taken.
    """
    if content.lstrip()[:1] in {b"{", b"["} or content[:3] == b"\xef\xbb\xbf":
        try:
            return decode(content)
        except MalformedInput as error:
            raise UnreadableError(error.text) from None
    try:
        markup = parse(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise not_utf8(error) from None
    except NotationError as error:
        raise UnreadableError(of_notation(error)) from None
    return {**dump(markup), "meta": dict(essay["meta"])}


def checked(answer: Json, essay: Mapping[str, Json], classifier: Classifier | None = None) -> str:
    """Return the answer as the text that is sent; :class:`InvalidAnswerError` with everything that is wrong."""
    text = _text_of(answer)
    try:
        judged = decode(text)
    except MalformedInput as error:
        raise InvalidAnswerError(((error.code, error.text),)) from None
    result = validate(judged, classifier=classifier, essay_text=essay["text"])
    faults = [(fault.code, fault.message) for fault in result.errors]
    expected = essay["meta"].get("subject") or (classifier or Classifier.default()).sole_subject
    if result.markup is not None and result.markup.subject != expected:
        message = tr(
            '"meta.subject" is {subject}, the essay\'s is {expected}', subject=result.markup.subject, expected=expected
        )
        faults.append(("subject_differs", message))
    if faults:
        raise InvalidAnswerError(tuple(faults))
    return text


class Contest(Protocol):
    """One contest's answers; ``handed_out`` is a file's content as the platform gave it."""

    def read(self, content: bytes, handed_out: Json) -> Json:
        """Read the answer from a solver's file; :class:`pku.work.contests.UnreadableError` where it is none."""

    def checked(self, answer: Json, handed_out: Json) -> str:
        """Return an answer as the text that is sent; :class:`InvalidAnswerError` with everything that is wrong."""


@dataclass(frozen=True, slots=True)
class Essays:
    """Markups, as JSON or in the notation; ``classifier`` where the cycle has its own."""

    classifier: Classifier | None = None

    def read(self, content: bytes, handed_out: Json) -> Json:
        """See :class:`Contest`."""
        return read_answer(content, handed_out)

    def checked(self, answer: Json, handed_out: Json) -> str:
        """See :class:`Contest`."""
        return checked(answer, handed_out, self.classifier)


@dataclass(frozen=True, slots=True)
class Judged:
    """A contest whose library judges an answer by what was handed out; ``plain`` reads a file that is no JSON."""

    track: str
    plain: Callable[[str], Json]

    def read(self, content: bytes, handed_out: Json) -> Json:  # noqa: ARG002 - the file says all
        """See :class:`Contest`."""
        return _json_or(content, self.plain)

    def checked(self, answer: Json, handed_out: Json) -> str:
        """See :class:`Contest`."""
        text = _text_of(answer)
        track = registry.get(self.track)
        return _valid(track.validate(handed_out, "", track.steps({})[0].name, text.encode(), {}), text)


def _json_or(content: bytes, plain: Callable[[str], Json]) -> Json:
    """Read a file as JSON, or as the plain text that it is otherwise."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise not_utf8(error) from None
    try:
        return decode(text)
    except MalformedInput:
        return plain(text)


def _text_of(answer: Json) -> str:
    try:
        return json.dumps(answer, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidAnswerError((("not_json", str(error)),)) from None


def _valid(verdict: Verdict, text: str) -> str:
    if verdict.reasons:
        raise InvalidAnswerError(tuple((reason.code, reason.message) for reason in verdict.reasons))
    return text


@dataclass(frozen=True, slots=True)
class Diagnoses:
    """Answers to epicrises, as JSON, or a code alone: a diagnosis, before the first study a preliminary one."""

    def read(self, content: bytes, handed_out: Json) -> Json:
        """See :class:`Contest`."""
        return _json_or(content, lambda text: diagnosed(text.strip(), handed_out))

    def checked(self, answer: Json, handed_out: Json) -> str:
        """See :class:`Contest`."""
        text = _text_of(answer)
        stage = stage_of_version(handed_out["version"])
        dialogue = handed_out.get("dialogue")
        step = handed_out["version"] if dialogue is None else dialogue["step"]
        return _valid(answers.validate(text.encode(), step, stage), text)


def diagnosed(code: str, handed_out: Json) -> Json:
    """Return a main diagnosis of this code in the form that an epicrisis' version asks for."""
    if handed_out["version"] == "v1":
        filled = {"xPath": "", "start": "", "end": "", "decorCode": "diagnosisMain", "code": ""}
        return [{**filled, "name": code}]
    return [{"decorCode": "diagnosisMain", "code": code}]


@dataclass(frozen=True, slots=True)
class Declared:
    """Answers of a form that the cycle declares, as JSON, beside its measure."""

    form: Json

    def read(self, content: bytes, handed_out: Json) -> Json:  # noqa: ARG002 - the file says all
        """See :class:`Contest`."""
        try:
            return decode(content)
        except MalformedInput as error:
            raise UnreadableError(error.text) from None

    def checked(self, answer: Json, handed_out: Json) -> str:  # noqa: ARG002 - as above
        """See :class:`Contest`."""
        text = _text_of(answer)
        return _valid(declared.validate(text.encode(), self.form), text)


_KNOWN: Final[Mapping[str, Callable[[Mapping[str, Json]], Contest]]] = {
    "essay": lambda cycle: Essays(_classifier(cycle)),
    "exam": lambda _: Judged("exam", str.strip),
    "gec": lambda _: Judged("gec", lambda text: {"m2": text}),
    "diagnosis": lambda _: Diagnoses(),
    "custom": lambda cycle: Declared(cycle["parameters"]["track"]["measure"]["answer"]),
}
"""Plain text is an exam's answer itself, and a unit of M2 where grammar is corrected."""


# Clause: TS T16, D 1.14, D 7.5
def contest_of(cycle: Mapping[str, Json]) -> Contest:
    """Return the contest that a cycle describes; :class:`PkuError` ``unknown_contest`` for one that this kit
    cannot play."""
    name = cycle["track"]
    if name not in _KNOWN and cycle.get("submissions"):
        raise PkuError("submissions_only", name=name)
    if name not in _KNOWN:
        raise PkuError("unknown_contest", name=name, known=", ".join(sorted(_KNOWN)))
    return _KNOWN[name](cycle)


def _classifier(cycle: Mapping[str, Json]) -> Classifier | None:
    """Return the classifier of a cycle that has its own; None for the contest's default, which the kit carries."""
    described = cycle.get("classifier")
    if not isinstance(described, Mapping):
        return None
    try:
        return Classifier.from_dict(described)
    except ClassifierError as error:
        raise PkuError("bad_classifier", why=first_of(list(error.problems), len(error.problems))) from None
