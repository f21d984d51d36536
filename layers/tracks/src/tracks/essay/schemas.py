"""JSON Schemas of what the track says, for the API's documentation: every name stands for one of the library's models.

Names of fields come from the models where these know them; that the rest is right, real answers of a played session are
held against it. What the platform writes has no field beyond these.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from markup_core.criteria import FORMULAS
from markup_core.metrics.shares import BECAUSE
from markup_core.params import METRICS
from markup_core.paraphrase import JUDGES
from markup_core.reading.fragment_reader import STRINGS
from markup_core.reading.wire import Limits
from tracks.essay.answers import SCHEMA
from tracks.protocol import Json, Schemas

_STRING: Final = {"type": "string"}
_WHOLE: Final = {"type": "integer", "minimum": 0}
_PERCENT: Final = {"type": "number", "minimum": 0, "maximum": 100}
_INDEX: Final = {"type": "integer", "minimum": 0, "description": "an index into selections, from 0"}
_SHA256: Final = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_ACCURACIES: Final = ("algorithm_accuracy", "algorithm_accuracy_all", "expert_accuracy", "relative_accuracy")
_BREAKDOWNS: Final = ("by_subject", "by_language", "by_metric")


def _null_or(schema: Json) -> dict[str, Json]:
    return {"anyOf": [schema, {"type": "null"}]}


def _ref(name: str) -> dict[str, Json]:
    return {"$ref": f"#/$defs/{name}"}


def _list(items: Json, **more: Json) -> dict[str, Json]:
    return {"type": "array", "items": items, **more}


def _map(values: Json, description: str = "") -> dict[str, Json]:
    said = {"description": description} if description else {}
    return {"type": "object", "additionalProperties": values, **said}


def _object(description: str, properties: Mapping[str, Json], optional: tuple[str, ...] = ()) -> dict[str, Json]:
    """An object with these fields alone; ``optional`` ones may be absent."""
    return {
        "type": "object",
        "description": description,
        "properties": dict(properties),
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


_FRAGMENT: Final = _object(
    "A marked span: an error or a semantic block (R 2.16, 2.24). 0, 0 is the whole text.",
    {
        "id": {"type": ["integer", "string"]},
        "startSelection": {"type": "integer", "minimum": 0, "description": "first code point, from 0"},
        "endSelection": {"type": "integer", "minimum": 0, "description": "code point after the last"},
        "type": {"type": "string", "description": "code of the classifier"},
        **dict.fromkeys(STRINGS, _STRING),
        "group": {"type": "string", "enum": ["meaning", "error"]},
    },
)
_MARKUP: Final = _object(
    "A markup in the contest's published form.",
    {
        "meta": {"type": "object", "required": ["subject"], "properties": {"subject": _STRING}},
        "criteria": _map({"type": "integer"}, "What the file claims its grade to be; scoring does not read it"),
        "selections": _list(_ref("Fragment"), maxItems=Limits().max_fragments),
        "text": _STRING,
    },
    optional=("criteria",),
)
_FINGERPRINT: Final = _object(
    "By what a score can be recognised and recomputed.",
    {
        "library": _STRING,
        "op": _STRING,
        "parameters": _null_or(_ref("ScoringParameters")),
        "classifier": {
            "anyOf": [_SHA256, {"type": "null"}],
            "description": "SHA-256 of the cycle's own; null: the library's",
        },
        "inputs": _list(_SHA256),
    },
)
_SCORING: Final[Mapping[str, Json]] = {
    "weights": _list({"type": "number", "minimum": 0}, minItems=len(METRICS), maxItems=len(METRICS)),
    "hardness": {"type": "number", "minimum": 0, "maximum": 1},
    "separate_groups": {"type": "boolean"},
    "paraphrase": {"type": "string", "enum": sorted(JUDGES)},
}
_TEXTS: Final = _object("A sentence in the platform's two languages.", {"ru": _STRING, "en": _STRING})
_GRADE: Final = _object(
    "A grade in points, with the sentence that explains every criterion (R 2.15).",
    {
        "subject": {"type": "string", "enum": list(FORMULAS)},
        "criteria": _map(_WHOLE),
        "total": _WHOLE,
        "max": _WHOLE,
        "explanations": _map(_ref("Texts")),
    },
)
_PAIR_SCORE: Final = _object(
    "One markup against another: the metrics, their weighted mean, the matched fragments.",
    {
        "x": {"anyOf": [{"const": "algorithm"}, _WHOLE], "description": "the program's, or an expert's by its index"},
        "y": {**_WHOLE, "description": "an expert's by its index"},
        "metrics": _ref("Metrics"),
        "pair_accuracy": _null_or(_PERCENT),
        "pairs": _list(_list(_INDEX, minItems=2, maxItems=2)),
    },
)
_ESSAY_SCORE: Final = _object(
    "Score record of one markup against all experts' (R 5.3–5.6); null is undefined.",
    {
        "subject": _STRING,
        "experts": _WHOLE,
        "fragments": _WHOLE,
        "grade": _null_or(_ref("Grade")),
        **dict.fromkeys(
            ("algorithm_accuracy", "expert_accuracy", "relative_accuracy"), _null_or({"type": "number", "minimum": 0})
        ),
        "pairs": _list(_ref("PairScore")),
        "fingerprint": _ref("Fingerprint"),
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
_MATCHED: Final = _object(
    "Two fragments that correspond: the costs, and how the fields agree. `absent`: neither side has one.",
    {
        **_LOSS,
        "subtype": _LIKENESS,
        "comment": {"type": "string", "enum": ["equal", "paraphrase", "differs", "absent"]},
        "correction": _LIKENESS,
        "subtype_or_comment_agrees": {"type": "boolean", "description": "whether M4 counts it"},
        "common_words": _WHOLE,
        "all_words": _WHOLE,
        "words_overlap": {"type": "number", "minimum": 0, "maximum": 1, "description": "as M5 takes it"},
    },
)
_GAINED: Final = _list(_null_or({"type": "number", "minimum": 0}))
_METRIC: Final = _object(
    "A metric by the fragments that make it: for M2…M6 value = sum of everything gained · 100 / denominator.",
    {
        "value": _null_or(_PERCENT),
        "numerator": {"type": "number", "minimum": 0},
        "denominator": {"type": "number", "minimum": 0},
        "gained_x": {**_GAINED, "description": "by index of X's selections; null: does not count. M7's in per cent"},
        "gained_y": {**_GAINED, "description": "of Y's selections, where they count too (M2)"},
        "because": {
            **_null_or(
                _object(
                    "The rule.", {"code": {"type": "string", "enum": sorted(BECAUSE)}, "en": _STRING, "ru": _STRING}
                )
            ),
            "description": "the rule by which the value stands where there is nothing to divide",
        },
        "weight": {"type": "number", "minimum": 0},
        "part_of_pair_accuracy": {**_null_or(_PERCENT), "description": "weight · value / sum of the weights"},
    },
)
_GRADE_OF_PAIR: Final = _object(
    "A grade with the most points of every criterion.", {**_GRADE["properties"], "maxima": _map(_WHOLE)}
)
_COMPARISON: Final = _object(
    "Markup X against Y of one essay: what corresponds, and what each difference costs (R 2.21).",
    {
        "pair_accuracy": _null_or(_PERCENT),
        "q": {"type": "number", "minimum": 0, "description": "Q (R-App2): the losses and what is left over"},
        "pairs": _list(_ref("MatchedPair")),
        "unmatched_x": _list(_INDEX),
        "unmatched_y": _list(_INDEX),
        "near": {
            **_list(_ref("NearMiss")),
            "description": "of each fragment of X that is left over the one of Y that overlaps it most",
        },
        "metrics": _object("Each metric.", dict.fromkeys(METRICS, _ref("MetricOfPair"))),
        "grades": _object("Both grades.", dict.fromkeys(("x", "y"), _null_or(_ref("GradeOfPair")))),
        "differing_criteria": _list(_STRING),
    },
)
_INTERVAL: Final = {
    **_list({"type": "number"}, minItems=2, maxItems=2),
    "description": "95 % interval, from … to; of fewer than three essays there is none",
}
_OF_A_GROUP: Final[Mapping[str, Json]] = {
    "essays": {**_WHOLE, "description": "essays behind the three accuracies"},
    "algorithm_essays": {**_WHOLE, "description": "essays behind algorithm_accuracy_all"},
    **dict.fromkeys(_ACCURACIES, _null_or({"type": "number", "minimum": 0})),
    "interval_95": _object("The accuracies' intervals.", dict.fromkeys(_ACCURACIES, _null_or(_ref("Interval")))),
}
_AGGREGATE: Final = _object(
    "STAR, STER and OTAR of a session with breakdowns and intervals (R 6.5.1); null is undefined.",
    {
        **_OF_A_GROUP,
        **dict.fromkeys(_BREAKDOWNS, _map(_ref("Accuracies"))),
        "files": _WHOLE,
        "answered": _WHOLE,
        "missed_as_zero": _object(
            "The abstention audit: files that were missed counted as zero.",
            {"relative_accuracy": _null_or({"type": "number", "minimum": 0})},
        ),
    },
)
_CODE: Final = _object(
    "A type of error or of semantic block (R 2.12).",
    {
        "code": _STRING,
        "category": _STRING,
        "group": {"type": "string", "enum": ["meaning", "error"]},
        "subtypes": _list(_STRING),
        "correction": {"type": "boolean", "description": "a fragment may have a correction"},
        "full_text": {"type": "boolean", "description": "it may be said of the whole essay"},
        "relation": {"type": "boolean", "description": "fragments may be linked by a tag"},
        "description": _map(_STRING, "by language"),
    },
)
_CLASSIFIER: Final = _object(
    "The codes of each subject; the titles of subjects and categories, by language.",
    {"subjects": _map(_list(_ref("Code"))), "titles": _map(_map(_STRING))},
    optional=("titles",),
)
_PARAMETERS: Final = _object(
    "Parameters of an essay contest (R 2.17, 5.8).",
    {
        **_SCORING,
        "classifier": {
            "anyOf": [{"const": "default"}, _map({})],
            "description": "`default`, or the cycle's own as docs/classifier.md has it",
        },
        "languages": _map(_list(_STRING)),
        "limits": _object("Bounds of a markup.", dict.fromkeys(Limits.__dataclass_fields__, _WHOLE)),
    },
)
NAMED: Final[Mapping[str, Json]] = {
    "Accuracies": _object("STAR, STER and OTAR of a group of essays; null is undefined.", _OF_A_GROUP),
    "Aggregate": _AGGREGATE,
    "Classifier": _CLASSIFIER,
    "Code": _CODE,
    "Comparison": _COMPARISON,
    "EssayParameters": _PARAMETERS,
    "EssayScore": _ESSAY_SCORE,
    "Fingerprint": _FINGERPRINT,
    "Fragment": _FRAGMENT,
    "Grade": _GRADE,
    "GradeOfPair": _GRADE_OF_PAIR,
    "Interval": _INTERVAL,
    "Markup": _MARKUP,
    "MarkupSent": SCHEMA,
    "MatchedPair": _MATCHED,
    "MetricOfPair": _METRIC,
    "Metrics": _object("M1…M7 in per cent; null where undefined.", dict.fromkeys(METRICS, _null_or(_PERCENT))),
    "NearMiss": _object("Two that overlap and do not correspond.", {**_LOSS, "group_differs": {"type": "boolean"}}),
    "PairScore": _PAIR_SCORE,
    "ScoringParameters": _object("Weights, hardness and what else the score depends on.", _SCORING),
    "Texts": _TEXTS,
}
SCHEMAS: Final = Schemas(
    named=NAMED,
    content=_ref("Markup"),
    answer=_ref("MarkupSent"),
    kept=_ref("Markup"),
    reference=_ref("MarkupSent"),
    score=_ref("EssayScore"),
    aggregate=_ref("Aggregate"),
    parameters=_ref("EssayParameters"),
    classifier=_ref("Classifier"),
    comparison=_ref("Comparison"),
)
