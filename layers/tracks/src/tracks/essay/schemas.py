"""JSON Schemas of the essay track, for the API's documentation: every name stands for one of the library's models.

Names of fields come from the models where these know them; tests validate real answers of a played session against the
rest. The platform's own JSON has no field beyond these.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from markup_core.comparable import JUDGES
from markup_core.criteria import FORMULAS
from markup_core.metrics import BECAUSE
from markup_core.params import METRICS
from markup_core.reading.fragment_reader import STRINGS
from markup_core.reading.wire import Limits
from tracks.base import NOTHING, SHA256, STRING, WHOLE, closed, listed, mapped, null_or, ref
from tracks.essay.items import SCHEMA
from tracks.protocol import Json, Schemas

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
