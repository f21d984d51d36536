"""The first track: an essay is handed out, its markup comes back and is measured against the experts' (R 5, R-App1).

An item is an unmarked essay in the contest's JSON, a reference an expert's markup of it, an answer the program's.
All scoring is :mod:`markup_core`'s; this module says which of it makes a record, a report and a rank.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from markup_core import __version__
from markup_core.record import score_record
from markup_core.validation import validate
from markup_core.wire import MalformedInput, decode, dump
from tracks import essay_faults, essay_parameters, essay_report, essay_results
from tracks.protocol import (
    ItemFacts,
    Json,
    Outcome,
    Place,
    Policies,
    Reason,
    Section,
    Standing,
    Step,
    Turn,
    Verdict,
)
from tracks.reasons import of_json, reason

_SHOWN_META: Final = ("theme", "taskText", "class", "year", "subject", "test", "category")
"""What a participant may know of an essay besides its text (platform.md §3)."""
_SINGLE_STEP: Final = (Step("essay", {"markup": None}),)


class EssayTrack:
    """Markups of essays. Stateless."""

    name = "essay"
    version = f"markup_core {__version__}"

    def steps(self, parameters: Json) -> tuple[Step, ...]:  # noqa: ARG002 - the same in every cycle
        """One step: an essay is answered by its markup."""
        return _SINGLE_STEP

    def policies(self, mode: str) -> Policies:  # noqa: ARG002 - the same in all modes of this contest
        """R 6.4, 7.6, 7.7, 11.5: a missed file is excluded, ten sends, up to 60 s, 5 % may be missed."""
        return Policies()

    def read_parameters(self, raw: Json) -> tuple[Json, tuple[Reason, ...]]:
        """Complete and check the parameters; a weight of M1 for a subject without a grading formula is refused."""
        return essay_parameters.complete(raw)

    def read_item(self, raw: Json, parameters: Json) -> tuple[ItemFacts | None, tuple[Reason, ...]]:
        """Check an unmarked essay: a valid markup without fragments, with an id, in a language of the cycle."""
        rules = essay_parameters.use(parameters)
        result = validate(raw, classifier=rules.classifier, limits=rules.limits)
        if result.markup is None:
            return None, tuple(essay_faults.of_markup(fault) for fault in result.errors)
        reasons = tuple(_item_faults(result.markup.meta, len(result.markup.fragments), result.markup.text))
        language = rules.language_of(result.markup.subject)
        if language is None:
            reasons += (_unlisted(result.markup.subject),)
        if reasons or language is None:
            return None, reasons
        return ItemFacts(str(result.markup.meta["id"]), language, result.markup.subject), ()

    def read_reference(self, item: Json, raw: Json, parameters: Json) -> tuple[Reason, ...]:
        """Check an expert's markup: valid, of this very text and subject."""
        rules = essay_parameters.use(parameters)
        result = validate(raw, classifier=rules.classifier, essay_text=item["text"], limits=rules.limits)
        reasons = [essay_faults.of_markup(fault) for fault in result.errors]
        if result.markup is not None and result.markup.subject != item["meta"]["subject"]:
            reasons.append(_another_subject(result.markup.subject, item["meta"]["subject"]))
        return tuple(reasons)

    def hand_out(self, item: Json, file_id: str, step: str) -> Json:  # noqa: ARG002 - there is one step
        """The essay as a markup without fragments under its opaque name; nothing else of it."""
        shown = {name: item["meta"][name] for name in _SHOWN_META if name in item["meta"]}
        return {"meta": {"id": file_id, **shown}, "criteria": {}, "selections": [], "text": item["text"]}

    def answer_schema(self) -> Mapping[str, Json]:
        """JSON Schema of a markup in the contest's published form."""
        return essay_results.MARKUP_SCHEMA

    def validate(self, item: Json, file_id: str, step: str, body: bytes, parameters: Json) -> Verdict:  # noqa: ARG002
        """Judge a markup as received; another text or subject than the essay's is refused (R 11.6)."""
        rules = essay_parameters.use(parameters)
        try:
            raw = decode(body, rules.limits)
        except MalformedInput as error:
            return Verdict((of_json(error),))
        result = validate(raw, classifier=rules.classifier, essay_text=item["text"], limits=rules.limits)
        reasons = [essay_faults.of_markup(fault) for fault in result.errors]
        warnings = tuple(essay_faults.of_markup(fault) for fault in result.warnings)
        if result.markup is None:
            return Verdict(tuple(reasons), warnings)
        if result.markup.subject != item["meta"]["subject"]:
            return Verdict((_another_subject(result.markup.subject, item["meta"]["subject"]),), warnings)
        return Verdict((), warnings, dump(result.markup), kind="markup")

    def respond(self, item: Json, turns: Sequence[Turn], parameters: Json) -> Json:  # noqa: ARG002 - no dialogue
        """Nothing: a markup ends an essay."""
        return None

    def score(self, item: Json, answer: Json, references: Sequence[Json], parameters: Json) -> Json:  # noqa: ARG002
        """Score record of one markup against all experts (R 5.3–5.6); the experts also against each other."""
        rules = essay_parameters.use(parameters)
        return score_record(answer, references, rules.scoring, rules.classifier)

    def aggregate(self, outcomes: Sequence[Outcome], parameters: Json, seed: int) -> Json:
        """STAR, STER, OTAR with breakdowns and intervals over the answered essays (R 6.5.1)."""
        return essay_results.aggregate(outcomes, essay_parameters.use(parameters), seed)

    def rank(self, standings: Sequence[Standing]) -> tuple[Place, ...]:
        """By relative accuracy, highest first; equal ones share a place, undefined ones stand last (R 6.10)."""
        return essay_results.rank(standings)

    def report_sections(self, aggregate: Json, outcomes: Sequence[Outcome]) -> tuple[Section, ...]:
        """The tables of R 6.5.1 and 6.5.2."""
        return essay_report.sections(aggregate, outcomes)


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


def _unlisted(subject: str) -> Reason:
    message = f"no language of the cycle lists the subject {subject}"
    return reason("unlisted_subject", "meta.subject", message, f"предмета {subject} нет ни в одном языке цикла")


def _another_subject(found: str, expected: str) -> Reason:
    message = f"the subject is {found}, the essay's is {expected}"
    return reason("subject_differs", "meta.subject", message, f"предмет {found}, а у эссе {expected}")
