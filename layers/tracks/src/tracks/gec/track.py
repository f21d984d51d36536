"""The gec track: a text of some sentences is handed out, its corrections come back (tracks.md §3).

An item is ``{"id", "language", "source", "sentences"}``, each sentence a line of tokens, ``source`` the corpus: a
sentence, or a block that must not be parted. A reference is one annotator's gold edits, ``{"edits": […]}`` as in a gold
data set (:mod:`tracks.gec.gold`), with metadata where there is any. An answer is ``{"edits": […]}`` or ``{"m2": "…"}``.
Corrected text alone is not taken: what its edits are would depend on an aligner that the gold edits do not know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from markup_core.operations import RefusedError
from markup_core.wire import MalformedInput, decode
from tracks._version import __version__
from tracks.fields import Fields
from tracks.gec import answers, report, results
from tracks.gec.counts import DEFAULT_BETA, MAX_BETA, MIN_BETA
from tracks.gec.gold import GoldItem, read_item
from tracks.operations import fingerprint
from tracks.protocol import (
    ItemFacts,
    Json,
    Missed,
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
from tracks.reasons import GIVEN, of_json, of_parameters, reason

_STEPS: Final = (Step("text", {"edits": None}),)
_READERS: Final[Mapping[str, Callable[[Fields], Json]]] = {
    "beta": lambda fields: fields.number("beta", DEFAULT_BETA, low=MIN_BETA, high=MAX_BETA),
    "ranked_by": lambda fields: fields.choice("ranked_by", ("all", "concentrated"), "all"),
}
_LANGUAGE: Final = "eng"


class GecTrack:
    """Corrections of texts. Stateless."""

    name = "gec"
    version = f"tracks {__version__}"

    def policies(self, mode: str) -> Policies:  # noqa: ARG002 - the same in all modes of this contest
        """A missed text counts as left uncorrected: every gold edit of the nearest annotator is a FN.

        **Decision**: were it excluded, leaving out the hard ones would raise F.
        """
        return Policies(missed=Missed.WRONG, max_voided_share=1.0)

    def steps(self, parameters: Json) -> tuple[Step, ...]:  # noqa: ARG002 - the same in every cycle
        """One step: a text is answered by its edits."""
        return _STEPS

    def read_parameters(self, raw: Json) -> tuple[Json, tuple[Reason, ...]]:
        """``beta`` (0.5) and ``ranked_by``: F over ``all`` gold edits or the context-dependent (``concentrated``)."""
        reasons = list(of_parameters(raw, GIVEN | _READERS.keys()))
        fields, completed = Fields(raw if isinstance(raw, Mapping) else {}), {}
        for name, read in _READERS.items():
            try:
                completed[name] = read(fields)
            except RefusedError as error:
                reasons.append(answers.of_refusal("invalid_params", error))
        return ({}, tuple(reasons)) if reasons else (completed, ())

    def read_item(self, raw: Json, parameters: Json) -> tuple[ItemFacts | None, tuple[Reason, ...]]:  # noqa: ARG002
        """Check a text; its group is the corpus it comes from."""
        if not isinstance(raw, dict):
            return None, (reason("not_an_object", "", "an item must be an object", "текст должен быть объектом"),)
        try:
            item = _item(raw)
            language = Fields(raw).text("language", _LANGUAGE)
        except RefusedError as error:
            return None, (answers.of_refusal("invalid_item", error),)
        if raw.get("edits"):
            en, ru = "gold edits stand in references, not in the item", "эталонные правки должны быть в эталонах"
            return None, (reason("marked_item", "edits", en, ru),)
        return ItemFacts(item.item_id, language, item.source), ()

    def read_reference(self, item: Json, raw: Json, parameters: Json) -> tuple[Reason, ...]:  # noqa: ARG002
        """Check one annotator's gold edits."""
        return tuple(answers.read_reference(raw, len(_item(item).tokens))[1])

    def hand_out(self, item: Json, file_id: str, step: str) -> Json:  # noqa: ARG002 - there is one step
        """The sentences as tokens with blanks between, and the tokens of them all that spans count."""
        text = _item(item)
        return {"id": file_id, "sentences": list(text.sentences), "tokens": text.tokens}

    def answer_schema(self) -> Mapping[str, Json]:
        """JSON Schema of an answer."""
        return answers.SCHEMA

    def validate(self, item: Json, file_id: str, step: str, body: bytes, parameters: Json) -> Verdict:  # noqa: ARG002
        """Judge an answer as received; its edits are stored in the order of the text."""
        try:
            raw = decode(body)
        except MalformedInput as error:
            return Verdict((of_json(error),))
        edits, reasons = answers.read_answer(raw, _item(item).tokens)
        return Verdict(tuple(reasons)) if reasons else Verdict((), canonical=answers.dump(edits), kind="edits")

    def respond(self, item: Json, turns: Sequence[Turn], parameters: Json) -> Json:  # noqa: ARG002 - no dialogue
        """Nothing: an answer ends a text."""
        return None

    def score(self, item: Json, answer: Json, references: Sequence[Json], parameters: Json) -> Json:
        """Counts of one text by label, against the annotator that fits best (tracks.md §3); no answer is no edits.

        Raises ValueError without a reference.
        """
        if not references:
            raise ValueError("a text without gold edits of any annotator cannot be scored")
        text = _item(item)
        size = len(text.tokens)
        gold = [answers.read_reference(reference, size)[0] for reference in references]
        edits = [] if answer is None else answers.read_answer(answer, text.tokens)[0]
        inputs = {"item": item, "answer": answer, "references": list(references), "parameters": parameters}
        return {
            "answered": answer is not None,
            "source": text.source,
            **results.record(text.text, edits, gold, parameters["beta"]),
            "fingerprint": fingerprint("gec.score", inputs),
        }

    def aggregate(self, outcomes: Sequence[Outcome], parameters: Json, seed: int) -> Json:  # noqa: ARG002 - exact
        """Totals over the texts with every breakdown."""
        return results.aggregate(outcomes, parameters["beta"], parameters["ranked_by"])

    def rank(self, standings: Sequence[Standing]) -> tuple[Place, ...]:
        """By F, highest first; equal ones share a place, undefined ones stand last."""
        return results.rank(standings)

    def report_sections(self, aggregate: Json, outcomes: Sequence[Outcome]) -> tuple[Section, ...]:
        """Correction, detection and the context-dependent edits, the breakdowns, and every text."""
        return report.session(aggregate, outcomes)


def _item(raw: Mapping[str, Json]) -> GoldItem:
    return read_item(Fields({**raw, "edits": []}))
