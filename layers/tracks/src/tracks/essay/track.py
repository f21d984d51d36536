"""The first track: an essay is handed out, its markup comes back and is measured against the experts' (R 5, R-App1).

An item is an unmarked essay in the contest's JSON, a reference an expert's markup of it, an answer the program's.
All scoring is :mod:`markup_core`'s; this package says which of it makes a record, a report and a rank.

JSON Schemas of the essay track, for the API's documentation: every name stands for one of the library's models.

Names of fields come from the models where these know them; tests validate real answers of a played session against the
rest. The platform's own JSON has no field beyond these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from markup_core import __version__
from markup_core.accuracy import compare, score_pair, score_record
from markup_core.comparable import JUDGES
from markup_core.criteria import FORMULAS, grade
from markup_core.metrics import BECAUSE
from markup_core.model import Markup
from markup_core.notation import render
from markup_core.params import METRICS
from markup_core.reading.fragment_reader import STRINGS
from markup_core.reading.validation import load, validate
from markup_core.reading.wire import Limits, MalformedInput, decode
from tracks.base import NOTHING, SHA256, STRING, WHOLE, OneStepTrack, closed, listed, mapped, null_or, of_json, ref
from tracks.capabilities import FromCorpus, Judged, PeopleMeasured
from tracks.essay import experts
from tracks.essay.experts import explained, of_corpus, people_measured
from tracks.essay.items import (
    BARRIER,
    BOARDS,
    SCHEMA,
    aggregate,
    another_subject,
    complete,
    hand_out,
    hidden_file_measures,
    hidden_set_totals,
    of_another_tool,
    of_markup,
    read_item,
    read_text,
    sections,
    use,
    validate_answer,
    value,
)
from tracks.protocol import ItemFacts, Json, Outcome, Policies, Reason, Schemas, Step, Verdict, Written
from tracks.rules import Called, Details, ModeRules, NoticePeriod, Occasion, Signatory
from tracks.texts import tr

_PERCENT: Final = {"type": "number", "minimum": 0, "maximum": 100}
_INDEX: Final = {"type": "integer", "minimum": 0, "description": "an index into selections, from 0"}
_ACCURACIES: Final = ("algorithm_accuracy", "algorithm_accuracy_all", "expert_accuracy", "relative_accuracy")
_BREAKDOWNS: Final = ("by_subject", "by_language", "by_metric")
_FRAGMENT: Final = closed(
    "A marked span: an error or a semantic block (R 2.16, 2.24). 0, 0 is the whole text.",
    {
        "id": {"type": ["integer", "string"]},
        "startSelection": {"type": "integer", "minimum": 0, "description": "first code point, from 0"},
        "endSelection": {"type": "integer", "minimum": 0, "description": "code point after the last"},
        "type": {"type": "string", "description": "code of the classifier"},
        **dict.fromkeys(STRINGS, STRING),
        "group": {"type": "string", "enum": ["meaning", "error"]},
    },
)
_MARKUP: Final = closed(
    "A markup in the contest's published form.",
    {
        "meta": {"type": "object", "properties": {"subject": STRING}},
        "criteria": mapped({"type": "integer"}, "What the file claims its grade to be; scoring does not read it"),
        "selections": listed(ref("Fragment"), maxItems=Limits().max_fragments),
        "text": STRING,
    },
    optional=("criteria",),
)
_FINGERPRINT: Final = closed(
    "By what a score can be recognised and recomputed.",
    {
        "library": STRING,
        "op": STRING,
        "parameters": null_or(ref("ScoringParameters")),
        "classifier": {
            "anyOf": [SHA256, {"type": "null"}],
            "description": "SHA-256 of the cycle's own; null: the library's",
        },
        "inputs": listed(SHA256),
    },
)
_SCORING: Final[Mapping[str, Json]] = {
    "weights": listed({"type": "number", "minimum": 0}, minItems=len(METRICS), maxItems=len(METRICS)),
    "hardness": {"type": "number", "minimum": 0, "maximum": 1},
    "separate_groups": {"type": "boolean"},
    "paraphrase": {"type": "string", "enum": sorted(JUDGES)},
}
_TEXTS: Final = closed("A sentence in the platform's two languages.", {"ru": STRING, "en": STRING})
_GRADE: Final = closed(
    "A grade in points, with the sentence that explains every criterion (R 2.15).",
    {
        "subject": {"type": "string", "enum": list(FORMULAS)},
        "criteria": mapped(WHOLE),
        "total": WHOLE,
        "max": WHOLE,
        "explanations": mapped(ref("Texts")),
    },
)
_PAIR_SCORE: Final = closed(
    "One markup against another: the metrics, their weighted mean, the matched fragments.",
    {
        "x": {"anyOf": [{"const": "algorithm"}, WHOLE], "description": "the program's, or an expert's by its index"},
        "y": {**WHOLE, "description": "an expert's by its index"},
        "metrics": ref("Metrics"),
        "pair_accuracy": null_or(_PERCENT),
        "pairs": listed(listed(_INDEX, minItems=2, maxItems=2)),
    },
)
_ESSAY_SCORE: Final = closed(
    "Score record of one markup against all experts' (R 5.3–5.6); null is undefined.",
    {
        "subject": STRING,
        "experts": WHOLE,
        "fragments": WHOLE,
        "grade": null_or(ref("Grade")),
        **dict.fromkeys(
            ("algorithm_accuracy", "expert_accuracy", "relative_accuracy"), null_or({"type": "number", "minimum": 0})
        ),
        "pairs": listed(ref("PairScore")),
        "fingerprint": ref("Fingerprint"),
    },
)
_HIDDEN_SCORE: Final = closed(
    "An essay of a hidden set: its measures over the experts in whole per cent (R 6.5.2); null is undefined.",
    {
        **dict.fromkeys(
            ("algorithm_accuracy", "expert_accuracy", "relative_accuracy"), null_or({"type": "number", "minimum": 0})
        ),
        "metrics": ref("Metrics"),
    },
)
_LOSS: Final[Mapping[str, Json]] = {
    "x": _INDEX,
    "y": _INDEX,
    "j": {"type": "number", "minimum": 0, "maximum": 1, "description": "Jaccard distance in characters"},
    "start_differs": {"type": "boolean"},
    "code_differs": {"type": "boolean"},
    "loss": {"type": "number", "minimum": 0, "maximum": 4, "description": "L (R-App2)"},
}
_LIKENESS: Final = {"type": "string", "enum": ["equal", "differs", "absent"]}
_MATCHED: Final = closed(
    "Two fragments that correspond: the costs, and how the fields agree. `absent`: neither side has one.",
    {
        **_LOSS,
        "subtype": _LIKENESS,
        "comment": {"type": "string", "enum": ["equal", "paraphrase", "differs", "absent"]},
        "correction": _LIKENESS,
        "subtype_or_comment_agrees": {"type": "boolean", "description": "whether M4 counts it"},
        "common_words": WHOLE,
        "all_words": WHOLE,
        "words_overlap": {"type": "number", "minimum": 0, "maximum": 1, "description": "as M5 takes it"},
    },
)
_GAINED: Final = listed(null_or({"type": "number", "minimum": 0}))
_METRIC: Final = closed(
    "A metric by the fragments that make it: for M2…M6 value = sum of everything gained · 100 / denominator.",
    {
        "value": null_or(_PERCENT),
        "numerator": {"type": "number", "minimum": 0},
        "denominator": {"type": "number", "minimum": 0},
        "gained_x": {**_GAINED, "description": "by index of X's selections; null: does not count. M7's in per cent"},
        "gained_y": {**_GAINED, "description": "of Y's selections, where they count too (M2)"},
        "because": {
            **null_or(
                closed("The rule.", {"code": {"type": "string", "enum": sorted(BECAUSE)}, "en": STRING, "ru": STRING})
            ),
            "description": "the rule by which the value stands where there is nothing to divide",
        },
        "weight": {"type": "number", "minimum": 0},
        "part_of_pair_accuracy": {**null_or(_PERCENT), "description": "weight · value / sum of the weights"},
    },
)
_GRADE_OF_PAIR: Final = closed(
    "A grade with the most points of every criterion.", {**_GRADE["properties"], "maxima": mapped(WHOLE)}
)
_COMPARISON: Final = closed(
    "Markup X against Y of one essay: what corresponds, and what each difference costs (R 2.21).",
    {
        "pair_accuracy": null_or(_PERCENT),
        "q": {"type": "number", "minimum": 0, "description": "Q (R-App2): the losses and what is left over"},
        "pairs": listed(ref("MatchedPair")),
        "unmatched_x": listed(_INDEX),
        "unmatched_y": listed(_INDEX),
        "near": {
            **listed(ref("NearMiss")),
            "description": "of each fragment of X that is left over the one of Y that overlaps it most",
        },
        "metrics": closed("Each metric.", dict.fromkeys(METRICS, ref("MetricOfPair"))),
        "grades": closed("Both grades.", dict.fromkeys(("x", "y"), null_or(ref("GradeOfPair")))),
        "differing_criteria": listed(STRING),
    },
)
_INTERVAL: Final = {
    **listed({"type": "number"}, minItems=2, maxItems=2),
    "description": "95 % interval, from … to; of fewer than three essays there is none",
}
_OF_A_GROUP: Final[Mapping[str, Json]] = {
    "essays": {**WHOLE, "description": "essays behind the three accuracies"},
    "algorithm_essays": {**WHOLE, "description": "essays behind algorithm_accuracy_all"},
    **dict.fromkeys(_ACCURACIES, null_or({"type": "number", "minimum": 0})),
    "interval_95": closed("The accuracies' intervals.", dict.fromkeys(_ACCURACIES, null_or(ref("Interval")))),
}
_AGGREGATE: Final = closed(
    "STAR, STER and OTAR of a session with breakdowns and intervals (R 6.5.1); null is undefined.",
    {
        **_OF_A_GROUP,
        **dict.fromkeys(_BREAKDOWNS, mapped(ref("Accuracies"))),
        "files": WHOLE,
        "answered": WHOLE,
        "missed_as_zero": closed(
            "The abstention audit: files that were missed counted as zero.",
            {"relative_accuracy": null_or({"type": "number", "minimum": 0})},
        ),
    },
)
_CODE: Final = closed(
    "A type of error or of semantic block (R 2.12).",
    {
        "code": STRING,
        "category": STRING,
        "group": {"type": "string", "enum": ["meaning", "error"]},
        "subtypes": listed(STRING),
        "correction": {"type": "boolean", "description": "a fragment may have a correction"},
        "full_text": {"type": "boolean", "description": "it may be said of the whole essay"},
        "relation": {"type": "boolean", "description": "fragments may be linked by a tag"},
        "description": mapped(STRING, "by language"),
        "colour": WHOLE,
    },
    optional=("colour",),
)
_CLASSIFIER: Final = closed(
    "The codes of each subject; the titles of subjects and categories, by language.",
    {"subjects": mapped(listed(ref("Code"))), "titles": mapped(mapped(STRING))},
    optional=("titles",),
)
_PARAMETERS: Final = closed(
    "Parameters of an essay contest (R 2.17, 5.8).",
    {
        **_SCORING,
        "classifier": {
            "anyOf": [{"const": "default"}, mapped({})],
            "description": "`default`, or the cycle's own as docs/classifier.md has it",
        },
        "languages": mapped(listed(STRING)),
        "limits": closed("Bounds of a markup.", dict.fromkeys(Limits.__dataclass_fields__, WHOLE)),
    },
)
NAMED: Final[Mapping[str, Json]] = {
    "Accuracies": closed("STAR, STER and OTAR of a group of essays; null is undefined.", _OF_A_GROUP),
    "Aggregate": _AGGREGATE,
    "Classifier": _CLASSIFIER,
    "Code": _CODE,
    "Comparison": _COMPARISON,
    "EssayParameters": _PARAMETERS,
    "EssayScore": _ESSAY_SCORE,
    "HiddenEssayScore": _HIDDEN_SCORE,
    "Fingerprint": _FINGERPRINT,
    "Fragment": _FRAGMENT,
    "Grade": _GRADE,
    "GradeOfPair": _GRADE_OF_PAIR,
    "Interval": _INTERVAL,
    "Markup": _MARKUP,
    "MarkupSent": SCHEMA,
    "MatchedPair": _MATCHED,
    "MetricOfPair": _METRIC,
    "Metrics": closed("M1…M7 in per cent; null where undefined.", dict.fromkeys(METRICS, null_or(_PERCENT))),
    "NearMiss": closed("Two that overlap and do not correspond.", {**_LOSS, "group_differs": {"type": "boolean"}}),
    "PairScore": _PAIR_SCORE,
    "ScoringParameters": closed("Weights, hardness and what else the score depends on.", _SCORING),
    "Texts": _TEXTS,
}
SCHEMAS: Final = Schemas(
    named=NAMED,
    content=ref("Markup"),
    answer=ref("MarkupSent"),
    canonical=ref("Markup"),
    reference=ref("MarkupSent"),
    score=ref("EssayScore"),
    measures=ref("HiddenEssayScore"),
    aggregate=ref("Aggregate"),
    parameters=ref("EssayParameters"),
    classifier=ref("Classifier"),
    comparison=ref("Comparison"),
    response=NOTHING,
)


_PERIODS: Final = (
    NoticePeriod(Occasion.PARAMETERS, 7, "R 5.8"),
    NoticePeriod(Occasion.SETS, 10, "R 4.7"),
    NoticePeriod(Occasion.MODULES, 10, "R 9.2"),
    NoticePeriod(Occasion.SCHEDULE, 10, "R 7.5", modes=frozenset({"final"})),
    NoticePeriod(Occasion.MARKUPS, 15, "R 7.3", working=True),
    NoticePeriod(Occasion.RESULTS, 5, "R 7.11", working=True),
)
_MODES: Final = (ModeRules("algorithmic"), ModeRules("technical", in_run=True), ModeRules("final", in_run=True))


class EssayTrack(OneStepTrack):
    """Markups of essays. Stateless."""

    name = "essay"
    version = f"markup_core {__version__}"
    items_called = Called(tr("essay"), tr("essays"))
    whole_texts = True
    open_tests = False
    step = Step("essay", {"markup": None})
    mode_rules = _MODES
    board_rules = BOARDS
    forms = SCHEMAS
    archive_rules = experts.ARCHIVE
    periods = _PERIODS
    least_annotators = 2
    needs_corrections = False
    sizes = MappingProxyType({"training": 30, "test": 300})  # at least so many are drawn (R 6.6, 6.4)
    read_parameters = staticmethod(complete)
    of_another_tool = staticmethod(of_another_tool)
    archived_reference = staticmethod(experts.archived)
    archived_answer = staticmethod(experts.archived)
    cards = staticmethod(experts.cards)
    agreement = staticmethod(experts.agreement)
    measures = staticmethod(hidden_file_measures)
    report_sections = staticmethod(sections)

    # Clause: R 4.8
    def policies(self, mode: str) -> Policies:
        """Return R 6.4, 7.6, 7.7, 11.5: a missed file is excluded, ten sends, up to 60 s, 5 % may be missed.

        The barrier ends the contest.
        """
        return Policies(
            protocols={Signatory.JUDGES: "R 8.3.3", Signatory.COMMISSION: "R 8.3.4"},
            restarted_by="R 7.16.1",
            ends_at_barrier=True,
        )

    def classifier(self, parameters: Json) -> Json:
        """Return every code of every subject, with its flags, subtypes and descriptions (R 2.12)."""
        return use(parameters).classifier.to_dict()

    def read_item(self, raw: Json, parameters: Json) -> tuple[ItemFacts | None, tuple[Reason, ...]]:
        """Check an unmarked essay: a valid markup without fragments, with an id, in a language of the cycle."""
        return read_item(raw, use(parameters))

    def read_reference(self, item: Json, raw: Json, parameters: Json) -> tuple[Reason, ...]:
        """Check an expert's markup: valid, of this very text and subject."""
        rules = use(parameters)
        result = validate(raw, classifier=rules.classifier, essay_text=item["text"], limits=rules.limits)
        reasons = [of_markup(fault) for fault in result.errors]
        if result.markup is not None and result.markup.subject != (subject := rules.subject_of(item)):
            reasons.append(another_subject(result.markup.subject, subject))
        return tuple(reasons)

    def texts(self, item: Json) -> tuple[str, ...]:
        """Return the essay's text."""
        return (item["text"],)

    def hand_out(self, item: Json, file_id: str, step: str) -> Json:
        """Return the essay as a markup without fragments under its opaque name; nothing else of it."""
        return hand_out(item, file_id)

    def validate(self, item: Json, file_id: str, step: str, body: bytes, parameters: Json) -> Verdict:
        """Judge a markup as received; another text or subject than the essay's is refused (R 11.6)."""
        return validate_answer(item, body, use(parameters))

    def read_text(self, body: bytes, parameters: Json) -> Verdict:
        """Read a file in the inline notation (MS §1.1) as a markup."""
        return read_text(body, use(parameters))

    def write_text(self, body: bytes, parameters: Json) -> Written:
        """Write a markup as a file in the notation; None with the reasons if it is no valid markup."""
        rules = use(parameters)
        try:
            raw = decode(body, rules.limits)
        except MalformedInput as error:
            return Written(None, (of_another_tool(body) or of_json(error),))
        result = validate(raw, classifier=rules.classifier, limits=rules.limits)
        text = None if result.markup is None else render(result.markup)
        return Written(text, tuple(map(of_markup, result.errors)), tuple(map(of_markup, result.warnings)))

    def score(self, item: Json, answer: Json, references: Sequence[Json], parameters: Json) -> Json:
        """Score one markup against all experts (R 5.3–5.6); the experts also against each other."""
        rules = use(parameters)
        return score_record(answer, references, rules.scoring, rules.classifier)

    def compare(self, item: Json, x: Json, y: Json, parameters: Json, *, x_is_reference: bool) -> Json:
        """Compare markups: matched fragments, the cost of each difference, each metric by its fragments (R 2.21)."""
        rules = use(parameters)
        one, other = (load(markup, classifier=rules.classifier) for markup in (x, y))
        return compare(one, other, rules.scoring, x_is_expert=x_is_reference).to_dict()

    def judge(self, item: Json, body: bytes, parameters: Json) -> Judged:
        """Judge a draft like an answer: the essay's text and subject, the classifier's codes; grade what is valid."""
        rules = use(parameters)
        verdict = validate_answer(item, body, rules)
        if not verdict.valid:
            return Judged(verdict.reasons, verdict.warnings)
        points = grade(load(verdict.canonical, classifier=rules.classifier))
        return Judged((), verdict.warnings, verdict.canonical, None if points is None else points.to_dict())

    def third_expert(self, item: Json, first: Json, second: Json, parameters: Json) -> tuple[Reason, ...]:
        """Return the reasons for a third expert (R 7.10, markup-scoring §6)."""
        return experts.third_expert(first, second, use(parameters))

    def earlier(self, item: Json, markup: Json, file_id: str) -> Json:
        """Return the fragments on the essay as it is handed out: no expert's name, no time, no computer's file name."""
        return {**hand_out(item, file_id), "selections": markup["selections"]}

    def reference(self, item: Json, markup: Json, expert: str, *, is_third: bool) -> Json:
        """Return the fragments on the essay as its set has it, signed by the expert's pseudonym."""
        meta = {**item["meta"], "expert": expert, "third": is_third}
        return {"meta": meta, "criteria": {}, "selections": markup["selections"], "text": item["text"]}

    def from_phrases(self, item: Json, phrases: Sequence[tuple[str, str]], parameters: Json) -> Json:
        """Return the essay with a fragment for each phrase whose code its subject has."""
        return experts.from_phrases(item, phrases, use(parameters))

    def suggestions(self, markup: Json) -> int:
        """Count the fragments."""
        return len(markup["selections"])

    def kept(self, suggested: Json, markup: Json) -> int:
        """Count the suggested places and codes that the markup has; equal fragments count once."""
        return len(experts.places(suggested) & experts.places(markup))

    def with_suggestions(self, reference: Json, source: str, fragments: int, taken_over: int) -> Json:
        """Return the reference with its suggestions in ``meta``."""
        recorded = {"source": source, "fragments": fragments, "kept": taken_over}
        return {**reference, "meta": {**reference["meta"], "suggestions": recorded}}

    def author_of(self, reference: Json) -> str:
        """Return the author's name in a reference, empty if it has none."""
        return str(reference["meta"].get("expert") or "")

    def accuracy_against(self, item: Json, first: Json, second: Json, parameters: Json) -> Json:
        """Compute M1…M7 and pair accuracy of one expert's markup against another's (R 5.4)."""
        rules = use(parameters)
        one, other = (load(markup, classifier=rules.classifier) for markup in (first, second))
        score = score_pair(one, other, rules.scoring, x_is_expert=True)
        return {
            "metrics": score.metrics.to_dict(),
            "pair_accuracy": score.pair_accuracy,
            "pairs": [list(pair) for pair in score.matching.pairs],
            "q": float(score.matching.q),
        }

    def corpus_classifier(self, label_set: Json) -> Json:
        """Return the label set: it is the cycle's classifier."""
        return label_set

    def of_corpus(
        self, item_id: str, text: str, meta: Mapping[str, Json], place: tuple[str, str], markups: Mapping[int, Markup]
    ) -> FromCorpus:
        """Return a document as an essay of the label set's subject, and its annotators' markups."""
        return of_corpus(item_id, text, {**meta, "subject": place[1]}, markups)

    def people_measured(self, items: Sequence[Sequence[Markup]], parameters: Json, seed: int) -> PeopleMeasured:
        """Judge by the rule of the human interval whether a barrier means something on these essays."""
        return people_measured(items, use(parameters), seed)

    def judge_ratings(self, answer: Json, body: bytes, parameters: Json) -> Judged:
        """Judge one expert's ratings of an answer's explanations by the five questions."""
        return experts.judge_ratings(answer, body, use(parameters))

    def weighs_ratings(self, parameters: Json) -> bool:
        """Check whether M7 has a weight."""
        return experts.weigh(use(parameters))

    def is_rated(self, answer: Json, ratings: Json) -> bool:
        """Check whether every explanation of an answer has a rating; one without explanations needs none."""
        return all((ratings or {}).get(name) for name in explained(answer))

    def score_rated(
        self, item: Json, answer: Json, references: Sequence[Json], ratings: Json, parameters: Json
    ) -> Json:
        """Score one markup against all experts, with M7 from the ratings of its explanations."""
        rules = use(parameters)
        return score_record(answer, references, rules.scoring, rules.classifier, ratings)

    def pair(self, item: Json, first: Json, second: Json, parameters: Json) -> Json:
        """Return accuracies both ways, points, fragments and counts of code pairs."""
        return experts.pair(first, second, use(parameters))

    def aggregate(self, outcomes: Sequence[Outcome], parameters: Json, seed: int) -> Json:
        """Aggregate to STAR, STER, OTAR with breakdowns and intervals over the answered essays (R 6.5.1)."""
        return aggregate(outcomes, use(parameters), seed)

    def details(self, set_kind: str) -> Details:
        """Return the details: every file's metrics (R 6.5.2), of a hidden set in whole per cent alone (R 6.5.3)."""
        return Details.FILES if set_kind == "training" else Details.MEASURES

    def totals(self, aggregate: Json, outcomes: Sequence[Outcome]) -> Json:
        """Reduce to accuracies of ten essays and more, in steps that hide a single essay."""
        return hidden_set_totals(aggregate)

    def value(self, aggregate: Json, board: str = "") -> float | None:
        """Return the relative accuracy in per cent."""
        return value(aggregate)

    # Clause: R 5.2, R 5.7, R 7.12, R 4.8
    def overcame(self, aggregate: Json, board: str = "") -> bool | None:
        """Check whether a result overcomes the technological barrier: 100 % does (R 5.7, 7.12)."""
        accuracy = value(aggregate)
        return None if accuracy is None else accuracy >= BARRIER
