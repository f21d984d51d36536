"""The gec track: a text of some sentences is handed out, its corrections come back (tracks.md §3).

An item is ``{"id", "language", "source", "sentences"}``, each sentence a line of tokens, ``source`` the corpus: a
sentence, or a block that must not be parted. A reference is one annotator's gold edits, ``{"edits": […]}`` as in a gold
data set (:mod:`tracks.gec.items`), with metadata where there is any. An answer is ``{"edits": […]}`` or
``{"m2": "…"}``. Corrected text alone is not taken: what its edits are would depend on an aligner that the gold edits do
not know.

JSON Schemas of the contest of corrections, for the API's documentation; tests validate real answers against them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from markup_core.command.inputs import RefusedError
from markup_core.model import Markup
from markup_core.reading.wire import Limits
from tracks import base
from tracks.capabilities import Agreed, ArchiveRules, Counted, FromCorpus, Judged, Unpacked
from tracks.gec import operations, report
from tracks.gec.comparison import MAX_BETA, MIN_BETA, Counts, Detection
from tracks.gec.items import (
    LANGUAGE,
    MOST_EDITS,
    Direction,
    Scope,
    complete,
    dump,
    hand_out,
    of_corpus,
    read_answer,
    read_gold,
    text_of,
)
from tracks.gec.report import BOARDS, CONCENTRATED, aggregate, contribution, record, sections, totals
from tracks.gec.unpack import read_submission, unpack
from tracks.protocol import ItemFacts, Json, Missed, Outcome, Policies, Reason, Schemas, Step, Verdict
from tracks.rules import Called, ModeRules, RunTimes
from tracks.texts import tr

_BETA: Final = {"type": "number", "minimum": MIN_BETA, "maximum": MAX_BETA}
_CONTENT: Final = base.closed(
    "A text of one sentence or several: tokens with blanks between.",
    {
        "id": {**base.STRING, "description": "the file's name in this session"},
        "sentences": base.listed(base.STRING),
        "tokens": base.listed(base.STRING, description="of all sentences; what spans count"),
    },
)
_SPAN: Final[Mapping[str, Any]] = {
    "start": {**base.WHOLE, "description": "first token, from 0"},
    "end": {**base.WHOLE, "description": "token after the last"},
    "correction": {**base.STRING, "description": "tokens instead; empty: a deletion"},
    "type": {**base.STRING, "description": "ERRANT's label or another; OTHER if absent"},
}
_EDIT: Final = {
    "type": "object",
    "description": "A correction; what else it holds is not looked at.",
    "properties": _SPAN,
    "required": ["start", "end", "correction"],
}
_SENT: Final = base.closed(
    "The edits that correct the text.", {"edits": base.listed(base.ref("GecEdit"), maxItems=MOST_EDITS)}
)
_UNIT: Final = base.closed(
    "The same as one unit of M2.", {"m2": {**base.STRING, "description": "the S line of the text and its A lines"}}
)
_DISTANCE: Final = {**base.WHOLE, "description": "in clauses or sentences"}
_CONTEXT: Final = base.closed(
    "What of the text is needed to find or mend an error (G).",
    {
        "detection": base.FLAG,
        "correction": base.FLAG,
        "scope": {"enum": [scope.value for scope in Scope]},
        "direction": {"enum": [direction.value for direction in Direction]},
        "left": _DISTANCE,
        "right": _DISTANCE,
    },
    optional=("left", "right"),
)
_GOLD: Final = base.closed(
    "A gold edit with its metadata.",
    {**_SPAN, "context_dependent": base.FLAG, "context": base.ref("GecContext"), "group": base.STRING},
    optional=("type", "context_dependent", "context", "group"),
)
_TRIPLE: Final = {**base.listed(base.WHOLE, minItems=3, maxItems=3), "description": "TP, FP, FN"}
_LABELS: Final = base.mapped(_TRIPLE, "by label")
_KINDS: Final = tuple(kind.value for kind in Detection)
_SCORE: Final = base.closed(
    "Score record of a text: counts by label in every kind of evaluation, against the annotator that fits best.",
    {
        "answered": base.FLAG,
        "source": {**base.STRING, "description": "the corpus that the text is of"},
        "named": {**base.listed(base.STRING), "description": "the labels of the answer's edits"},
        **dict.fromkeys(_KINDS, _LABELS),
        "annotator": base.WHOLE,
        "concentrated": {
            **base.null_or(_LABELS),
            "description": "null without context-dependent gold edits, like the next",
        },
        "contexts": {**base.null_or(_LABELS), "description": "by direction and distance of the context"},
        "needs": {**base.null_or(_LABELS), "description": "by what the context is needed for"},
        "fingerprint": base.ref("GecFingerprint"),
    },
)
_COUNTS: Final = base.closed(
    "Counts and what follows from them; `f` for the cycle's beta.",
    {**dict.fromkeys(Counts._fields, base.WHOLE), **dict.fromkeys(("precision", "recall", "f"), base.FRACTION)},
)
_PARTS: Final = ("type", "source", "context", "need")
_RESULT: Final = base.closed(
    "Totals of a session. Of a hidden set without categories that fewer than ten texts have an edit of (TS T10).",
    {
        "files": base.WHOLE,
        "answered": base.WHOLE,
        "scored": base.WHOLE,
        "beta": _BETA,
        **dict.fromkeys((*_KINDS, "concentrated"), base.null_or(base.ref("GecCounts"))),
        **dict.fromkeys(
            ("by_operation", "by_type", "by_source", *(f"concentrated_by_{part}" for part in _PARTS)),
            base.mapped(base.ref("GecCounts")),
        ),
    },
)
NAMED: Final[Mapping[str, Json]] = {
    "GecContext": _CONTEXT,
    "GecCounts": _COUNTS,
    "GecEdit": _EDIT,
    "GecEdits": _SENT,
    "GecFingerprint": base.fingerprint_form(),
    "GecGoldEdit": _GOLD,
    "GecParameters": base.closed("Parameters of a contest of corrections.", {"beta": _BETA}),
    "GecReference": base.closed("Gold edits of one annotator.", {"edits": base.listed(base.ref("GecGoldEdit"))}),
    "GecResult": _RESULT,
    "GecScore": _SCORE,
    "GecText": _CONTENT,
    "GecUnit": _UNIT,
}
SCHEMAS: Final = Schemas(
    named=NAMED,
    content=base.ref("GecText"),
    answer=base.either("GecEdits", "GecUnit"),
    canonical=base.ref("GecEdits"),
    reference=base.ref("GecReference"),
    score=base.ref("GecScore"),
    aggregate=base.ref("GecResult"),
    parameters=base.ref("GecParameters"),
    classifier=base.closed("Types of edits are each corpus's own.", {"types": {"type": "null"}}),
    comparison=base.NOTHING,
    response=base.NOTHING,
)


_MODES: Final = (
    ModeRules("algorithmic", most=5000),
    ModeRules("submission", submitted="answers"),
    ModeRules("final", in_run=True),
)
# Clause: G sources
_ARCHIVE: Final = ArchiveRules(
    about=tr(
        "The results of this final and what they came from: every team's corrections, what became of "
        "every text of every team, the record of the run and the board."
    ),
    left_out=(
        tr("The texts: learners' writing out of corpora of others, of whose licences the article says nothing."),
        tr("The annotators' edits, which stand in the same corpora. Who may give them away publishes the set itself."),
        tr("The counts of single texts, which would tell the annotators' edits."),
    ),
)
"""G's data come from FCE, CoNLL-2014, BEA-2019 and REALEC, which others have published. **Decision** 0034."""


class GecTrack(base.OneStepTrack, base.UnratedTrack):
    """Corrections of texts. Stateless."""

    name = "gec"
    items_called = Called(tr("text"), tr("texts"))
    whole_texts = False  # short sentences recur
    open_tests = True
    step = Step("text", {"edits": None})
    mode_rules = _MODES
    board_rules = BOARDS
    forms = SCHEMAS
    archive_rules = _ARCHIVE
    least_annotators = 1
    needs_corrections = True
    largest_file = 64 * 1024 * 1024
    read_parameters = staticmethod(complete)
    read_submission = staticmethod(read_submission)
    score = staticmethod(record)
    totals = staticmethod(totals)
    report_sections = staticmethod(sections)
    set_sections = staticmethod(report.of_entries)
    ratings_sections = staticmethod(report.ratings_sections)

    def policies(self, mode: str) -> Policies:
        """Return the policies: a missed text counts as uncorrected, every gold edit of the nearest annotator is a FN.

        **Decision**: were it excluded, leaving out the hard ones would raise F.
        """
        return Policies(missed=Missed.WRONG, run=RunTimes(interval_s=30), max_voided_share=1.0, readiness=False)

    def classifier(self, parameters: Json) -> Json:
        """Return no types: those of edits are each corpus's own, none is listed beforehand."""
        return {"types": None}

    def read_item(self, raw: Json, parameters: Json) -> tuple[ItemFacts | None, tuple[Reason, ...]]:
        """Check a text; its group is the corpus it comes from."""
        if not isinstance(raw, dict):
            return None, (base.reason("not_an_object", "", tr("an item must be an object")),)
        try:
            item = text_of(raw)
            language = base.Fields(raw).text("language", LANGUAGE)
        except RefusedError as error:
            return None, (base.of_refusal("invalid_item", error),)
        if raw.get("edits"):
            return None, (base.reason("marked_item", "edits", tr("gold edits stand in references, not in the item")),)
        return ItemFacts(item.item_id, language, item.source), ()

    def read_reference(self, item: Json, raw: Json, parameters: Json) -> tuple[Reason, ...]:
        """Check one annotator's gold edits."""
        return tuple(read_gold(raw, len(text_of(item).tokens))[1])

    def texts(self, item: Json) -> tuple[str, ...]:
        """Return all sentences, one a line."""
        return ("\n".join(item["sentences"]),)

    def unpack(self, files: Mapping[str, bytes], parameters: Json) -> Unpacked:
        """Convert a set in M2 or in gold data sets, cut into the smallest blocks."""
        return unpack(files)

    def hand_out(self, item: Json, file_id: str, step: str) -> Json:
        """Return the sentences as tokens with blanks between, and all their tokens, which spans count."""
        return hand_out(item, file_id)

    def archived_answer(self, item: Json, answer: Json, file_id: str) -> Json:
        """Return the edits in the order of the text: places, corrections, types."""
        return answer

    def validate(self, item: Json, file_id: str, step: str, body: bytes, parameters: Json) -> Verdict:
        """Judge an answer as received; its edits are stored in the order of the text."""
        raw, broken = base.read_body(body, Limits())
        if broken:
            return Verdict(broken)
        edits, reasons = read_answer(raw, text_of(item).tokens)
        return Verdict(tuple(reasons)) if reasons else Verdict((), canonical=dump(edits), kind="edits")

    def aggregate(self, outcomes: Sequence[Outcome], parameters: Json, seed: int) -> Json:
        """Aggregate the texts to totals with every breakdown."""
        return aggregate(outcomes, parameters["beta"])

    def counted(self, item: Json, answer: Json, references: Sequence[Json], parameters: Json) -> Mapping[str, Counted]:
        """Return a text's contribution to totals; missed gold edits count, too."""
        return {"": contribution(item, answer, references)}

    def without_breakdowns(self, totals: Json) -> Json:
        """Return totals without types, operations, corpora, contexts and needs."""
        return {name: {} if "by_" in name else part for name, part in totals.items()}

    def value(self, aggregate: Json, board: str = "") -> float | None:
        """Return F of all edits, or recall of the context-dependent ones; None if there are none."""
        counted = aggregate["concentrated" if board == CONCENTRATED else "correction"]
        if counted is None:
            return None
        share: float = counted["recall" if board == CONCENTRATED else "f"]
        return share

    def corpus_classifier(self, label_set: Json) -> Json:
        """Return the usual one: types of edits are each corpus's own, none is listed."""
        return "default"

    def of_corpus(
        self, item_id: str, text: str, meta: Mapping[str, Json], place: tuple[str, str], markups: Mapping[int, Markup]
    ) -> FromCorpus:
        """Return a document as sentences of tokens, and its annotators' edits."""
        return of_corpus(item_id, text, place, markups)

    def people_measured(self, items: Sequence[Sequence[Markup]], parameters: Json, seed: int) -> None:
        """Return None: neither board has a barrier."""

    def judge(self, item: Json, body: bytes, parameters: Json) -> Judged:
        """Judge an annotator's draft: errors with the six fields of their context (G-7)."""
        return operations.judge(item, body)

    def third_expert(self, item: Json, first: Json, second: Json, parameters: Json) -> tuple[Reason, ...]:
        """Return nothing: no third expert is called, agreement is measured, and each annotation stands (G)."""
        return ()

    def earlier(self, item: Json, markup: Json, file_id: str) -> Json:
        """Return another annotator's errors on the text as it is handed out."""
        return {**hand_out(item, file_id), "edits": markup["edits"]}

    def reference(self, item: Json, markup: Json, expert: str, *, is_third: bool) -> Json:
        """Return the errors as a reference in the form in which sets are imported (G-1)."""
        return {"edits": markup["edits"], "annotator": expert}

    def accuracy_against(self, item: Json, first: Json, second: Json, parameters: Json) -> Json:
        """Compute the share of errors that two annotators describe alike, by field."""
        return operations.accuracy_against(item, first, second)

    def pair(self, item: Json, first: Json, second: Json, parameters: Json) -> Json:
        """Return both annotators' labels of each error."""
        return operations.pair(item, first, second)

    def agreement(self, pairs: Sequence[Agreed], seed: int) -> Json:
        """Compute the article's measures, by field and by type of error (G, Table 2)."""
        return operations.agreement_on_errors(pairs)
