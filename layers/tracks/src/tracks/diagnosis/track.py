"""The diagnosis track through the Protocol: epicrises out, diagnoses in (D; tracks.md §1).

The stage is a parameter of the cycle, or ``by_set`` where one cycle has sets of several stages: then it follows from
the versions that an item holds.

JSON Schemas of the contest of diagnoses, for the API's documentation; tests validate real answers against them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Final

from markup_core.lazy import dataclass
from tracks.base import (
    AMOUNT,
    FLAG,
    FRACTION,
    IN_TWO_LANGUAGES,
    NOTHING,
    STRING,
    WHOLE,
    PlainTrack,
    closed,
    either,
    fingerprint_form,
    listed,
    mapped,
    null_or,
    reason,
    ref,
)
from tracks.capabilities import EarlierOrder, Reviewed, Unpacked
from tracks.diagnosis import answers, stages
from tracks.diagnosis.aggregate import aggregate, joined
from tracks.diagnosis.board import BOARDS, CRITERIA, FINAL, comparison, judgements, rank, sections, value
from tracks.diagnosis.items import hand_out, read_item, read_reference, unpack
from tracks.diagnosis.score import RULES, Cell, End, draw, judged, record, replayed, respond, rotation
from tracks.diagnosis.stages import MOST_Z, NAMES, NOSOLOGIES, SERVICES, STAGES, VERSIONS
from tracks.protocol import (
    ItemFacts,
    Json,
    Outcome,
    Place,
    Reason,
    Schemas,
    Section,
    Standing,
    Step,
    Turn,
    Verdict,
)
from tracks.rules import Called, ReplayRules
from tracks.texts import tr

_EMPTY: Final = {"const": ""}
_CODE: Final = {"type": "string", "maxLength": answers.MOST_CHARACTERS, "description": "ICD-10, another or empty"}


def _objects(title: str, required: list[str], properties: Mapping[str, Json], most: int) -> dict[str, Json]:
    item = {"type": "object", "required": required, "properties": properties, "additionalProperties": False}
    return {"type": "array", "title": title, "minItems": 1, "maxItems": most, "items": item}


_SELECTION_ANSWER: Final = _objects(
    "Selection",
    ["xPath", "start", "end", "name", "decorCode", "code"],
    {
        **dict.fromkeys(("xPath", "start", "end", "code"), _EMPTY),
        "name": {"type": "string", "minLength": 1, "maxLength": answers.MOST_CHARACTERS},
        "decorCode": {"const": answers.MAIN},
    },
    answers.MOST_OBJECTS,
)
_DIAGNOSIS: Final = _objects(
    "Diagnosis",
    ["decorCode", "code"],
    {
        "decorCode": {"enum": [answers.MAIN, answers.COMPLICATION, answers.COMORBIDITY]},
        "code": _CODE,
        **dict.fromkeys(("xPath", "start", "end", "name"), _EMPTY),
    },
    answers.MOST_OBJECTS,
)
_PRELIMINARY: Final = _objects(
    "Preliminary diagnosis", ["decorCode", "code"], {"decorCode": {"const": answers.PRELIMINARY}, "code": _CODE}, 1
)


def _single(title: str, name: str, value: Json) -> dict[str, Json]:
    properties = {name: value}
    return {
        "type": "object",
        "title": title,
        "required": [name],
        "properties": properties,
        "additionalProperties": False,
    }


SCHEMA: Final[Mapping[str, Json]] = {
    "title": "Diagnosis answer",
    "anyOf": [
        _SELECTION_ANSWER,
        _DIAGNOSIS,
        _PRELIMINARY,
        _single("Request for a study", "study", {"enum": list(SERVICES)}),
        _single("Refusal", "refusal", {"const": True}),
    ],
}


_NOSOLOGY: Final = {"type": "string", "enum": list(NAMES)}
_STAGE: Final = {"type": "string", "enum": list(VERSIONS)}
_VERSION: Final = {
    "type": "string",
    "enum": sorted({version for versions in VERSIONS.values() for version in versions}),
}
_QUERY: Final = {"type": "string", "enum": list(SERVICES)}
_AFTER: Final = {**null_or(WHOLE), "description": "milliseconds from the publication"}
_OBJECT: Final = mapped(STRING, "decorCode and code; in the selection stage the other fields, too")
_OBJECTS: Final = listed(_OBJECT)
_SAID: Final = {
    "anyOf": [
        _OBJECTS,
        closed("A request for a study.", {"study": _QUERY}),
        closed("A refusal.", {"refusal": {"const": True}}),
    ]
}
_RESPONSE: Final = closed(
    "What a request for a study brings back (D 9.10.1.3.2).",
    {
        "study": _QUERY,
        "found": FLAG,
        "files": listed(closed("A study's file.", {"number": WHOLE, "service": STRING, "xml": STRING})),
    },
)
_REFERENCE: Final = {
    "anyOf": [
        closed("In the selection stage.", {"code": {**STRING, "description": "ICD-10"}}),
        closed(
            "What is known of a patient.",
            {"ill": FLAG, **dict.fromkeys(("complications", "comorbidities"), listed(STRING))},
            optional=("complications", "comorbidities"),
        ),
    ]
}
_NAMED_OF: Final = {**listed(WHOLE, minItems=2, maxItems=2), "description": "how many were named, of how many"}
_SECONDARY: Final = dict.fromkeys(("complications", "comorbidities"), _NAMED_OF)
_TRAJECTORY: Final = closed(
    "All that a program did with an epicrisis (D 9.10.2).",
    {
        "preliminary": null_or(STRING),
        "requests": listed(
            closed(
                "A study that was asked for.",
                {"study": _QUERY, "found": FLAG, "files": listed(WHOLE), "cost": AMOUNT, "after_ms": _AFTER},
            )
        ),
        "end": {"enum": [end.value for end in End]},
        "diagnosis": null_or(_OBJECTS),
        "explained": FLAG,
        "cost": AMOUNT,
        "time_ms": null_or(WHOLE),
    },
)
_JUDGED: Final = closed(
    "Score record of an epicrisis; a missed one is wrong.",
    {
        "stage": _STAGE,
        "nosology": _NOSOLOGY,
        "cell": {"enum": [cell.value for cell in Cell]},
        "cost": AMOUNT,
        **_SECONDARY,
        "time_s": null_or(AMOUNT),
        "row": {**WHOLE, "description": "of the table in D-App1б; in the semifinal"},
        "trajectory": ref("DiagnosisTrajectory"),
        "fingerprint": ref("DiagnosisFingerprint"),
    },
    optional=("row", "trajectory"),
)
_SELECTED: Final = closed(
    "Score record of an epicrisis of the selection stage.",
    {"stage": _STAGE, "right": FLAG, "fingerprint": ref("DiagnosisFingerprint")},
)
_BOUNDS: Final = ("se", "sp", "se_lower", "sp_lower")
_ACCURACY: Final = closed(
    "A nosology's matrix, shares, their lower bounds, and the barrier; null is undefined.",
    {
        **{cell.value: WHOLE for cell in Cell},
        **dict.fromkeys(_BOUNDS, null_or(FRACTION)),
        "cost": AMOUNT,
        "passed": FLAG,
        "se_barrier": FRACTION,
        "sp_barrier": FRACTION,
    },
)
_VALUES: Final = closed(
    "What a board compares (D-App1в).", dict.fromkeys((name for name, _ in CRITERIA), null_or(AMOUNT))
)
_COUNTED: Final[Mapping[str, Any]] = {
    "stage": null_or(_STAGE),
    "files": WHOLE,
    "answered": WHOLE,
    "voided": {**WHOLE, "description": "epicrises that count for nobody"},
}
_RESULT: Final = closed(
    "Matrices of the nosologies, and what follows from them.",
    {
        **_COUNTED,
        "nosologies": mapped(ref("DiagnosisAccuracy")),
        "sk": {**null_or(FRACTION), "description": "generalised quality; null unless all six occur"},
        "barrier": {**FLAG, "description": "overcome in all six"},
        "passed_qualities": mapped(ref("DiagnosisValues"), "of nosologies over their barrier"),
        "board": ref("DiagnosisValues"),
        "beside": mapped(
            closed("Diseases named, and times in seconds.", {**_SECONDARY, "time_s": AMOUNT, "timed": WHOLE})
        ),
        "below": listed(_NOSOLOGY, description="below the organizers' bounds of admission"),
    },
)
_SELECTION: Final = closed(
    "A session of the selection stage; the organizers approve it (D 7.14).",
    {**_COUNTED, "right": WHOLE, "passed": FLAG},
)
_THRESHOLDS: Final = mapped(closed("Fractions.", {"se": FRACTION, "sp": FRACTION}), "by nosology")
_PARAMETERS: Final = closed(
    "Parameters of a contest of diagnoses.",
    {
        "stage": {"enum": list(STAGES)},
        "z": {"type": "number", "minimum": 0, "maximum": MOST_Z},
        "thresholds": _THRESHOLDS,
        "admission": _THRESHOLDS,
        "costs": mapped(mapped(AMOUNT, "units of doctor and nurse"), "by code"),
        "languages": mapped(listed(_NOSOLOGY)),
        "file_names": mapped(_NOSOLOGY, "what files' names call a nosology"),
    },
)
_CLASSIFIER: Final = closed(
    "Nosologies with their codes of ICD-10, and the studies that may be asked for (D-App4).",
    {
        "nosologies": listed(
            closed("A nosology.", {"name": _NOSOLOGY, "title": IN_TWO_LANGUAGES, "codes": listed(STRING)})
        ),
        "healthy": STRING,
        "studies": listed(closed("A study.", {"query": _QUERY, "title": IN_TWO_LANGUAGES, "services": listed(STRING)})),
    },
)
NAMED: Final[Mapping[str, Json]] = {
    "DiagnosisAccuracy": _ACCURACY,
    "DiagnosisAnswer": SCHEMA,
    "DiagnosisClassifier": _CLASSIFIER,
    "DiagnosisFingerprint": fingerprint_form(),
    "DiagnosisJudged": _JUDGED,
    "DiagnosisParameters": _PARAMETERS,
    "DiagnosisResponse": _RESPONSE,
    "DiagnosisResult": _RESULT,
    "DiagnosisSelected": _SELECTED,
    "DiagnosisSelection": _SELECTION,
    "DiagnosisTrajectory": _TRAJECTORY,
    "DiagnosisValues": _VALUES,
    "Epicrisis": closed(
        "One version of an epicrisis; neither its nosology nor another version.",
        {"id": {**STRING, "description": "the file's name in this session"}, "version": _VERSION, "xml": STRING},
    ),
}
SCHEMAS: Final = Schemas(
    named=NAMED,
    content=ref("Epicrisis"),
    answer=ref("DiagnosisAnswer"),
    canonical={**_SAID, "description": "The turn that counts"},
    reference=_REFERENCE,
    score=either("DiagnosisJudged", "DiagnosisSelected"),
    aggregate=either("DiagnosisResult", "DiagnosisSelection"),
    parameters=ref("DiagnosisParameters"),
    classifier=ref("DiagnosisClassifier"),
    comparison=NOTHING,
    response=null_or(ref("DiagnosisResponse")),
)


CONTEST: Final = "doctor"
STAGE_OF_CLIENT: Final[Mapping[str, str]] = {"qualifying": "selection", "semifinal": "semifinal", "final": "final"}
"""The clients' words for the stages."""
SESSION_TYPES: Final[Mapping[str, tuple[str, str]]] = {
    "training": ("training", "training"),
    "algorithmic": ("algorithmic", "test"),
    "estimated-training": ("estimated-training", "training"),
    "challenge": ("final", "final"),
}
"""The clients' kinds of sessions: the track's mode and the kind of set that it takes (D 7.6, D-App3)."""
_NUMBERED: Final = {str(nosology.number): nosology.name for nosology in NOSOLOGIES.values()}
_GROUPS: Final = "nosologies"


# Clause: TS D-13
def earlier_order(contest: Json, params: Mapping[str, Any]) -> tuple[EarlierOrder | None, tuple[Reason, ...]]:
    """Read an earlier client's order; None exactly when there are reasons. In a run, which has chosen, no more is read.

    A client says numbers as numbers or as text. Codes of reasons: ``unknown_contest``, ``unknown_stage``,
    ``unknown_session_type``, ``unknown_nosology``, ``bad_number``.
    """
    faults: list[Reason] = []
    if contest not in {None, CONTEST}:
        faults.append(_fault("unknown_contest", "contest", CONTEST))
    stage, session_type = params.get("stage"), params.get("sessionType")
    if not isinstance(stage, str) or stage not in STAGE_OF_CLIENT:
        faults.append(_fault("unknown_stage", "stage", ", ".join(STAGE_OF_CLIENT)))
    if not isinstance(session_type, str) or session_type not in SESSION_TYPES:
        faults.append(_fault("unknown_session_type", "sessionType", ", ".join(SESSION_TYPES)))
    if faults:
        return None, tuple(faults)
    mode, kind = SESSION_TYPES[str(session_type)]
    plain_order = EarlierOrder(mode, kind, stages.STEPS[STAGE_OF_CLIENT[str(stage)]][0].name)
    rules = next(candidate for candidate in stages.MODES if candidate.name == mode)
    if rules.in_run:
        return plain_order, ()
    if stage == "qualifying":  # one epicrisis, and a minute for it (D 7.12)
        return EarlierOrder(mode, kind, plain_order.step, files=1), ()
    chosen = _Chosen(params)
    groups = chosen.nosologies() if rules.counts == _GROUPS else ()
    files = None if rules.draws_groups else chosen.whole("countFiles", rules.most)
    full_order = EarlierOrder(mode, kind, plain_order.step, files, groups, chosen.whole("time", 3600))
    return (None if chosen.faults else full_order), tuple(chosen.faults)


@dataclass(frozen=True, slots=True)
class _Chosen:
    """A client's choices, with all their faults."""

    params: Mapping[str, Any]
    faults: list[Reason] = field(default_factory=list)

    def whole(self, name: str, most: int) -> int | None:
        """Read a whole number from one, as a number or as text; None if absent or empty."""
        raw = self.params.get(name)
        if raw is None or raw == "":
            return None
        text = "" if isinstance(raw, bool) else str(raw)
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
        if not 1 <= number <= most:
            self.faults.append(
                reason("bad_number", name, tr("{name}: a number from 1 to {most}", name=name, most=most))
            )
        return number

    def nosologies(self) -> tuple[str, ...]:
        """Read ``nosologyString``, numbers with commas between; empty means all of them."""
        raw = self.params.get("nosologyString")
        if raw is None or raw == "":
            return ()
        numbers = [number.strip() for number in str(raw).split(",")]
        unknown = [number for number in numbers if number not in _NUMBERED]
        if unknown:
            self.faults.append(_fault("unknown_nosology", "nosologyString", ", ".join(sorted(_NUMBERED))))
            return ()
        return tuple(dict.fromkeys(_NUMBERED[number] for number in numbers))


def _fault(code: str, name: str, choices: str) -> Reason:
    return reason(code, name, tr("{name}: one of {choices}", name=name, choices=choices))


# Clause: TS D-13, D-App2
def answer(raw: Json, step: str) -> Json:
    """Convert a client's answer to the track's form at a step: in the selection stage a code has another field.

    What is not of the clients' form stays as it is, to be judged.
    """
    if step != stages.STEPS["selection"][0].name or not isinstance(raw, list):
        return raw
    empty = dict.fromkeys(answers.SELECTION.required, "")
    return [
        {**empty, "decorCode": answers.MAIN, answers.SELECTION.holds: entry["code"]}
        if isinstance(entry, Mapping) and set(entry) == {"decorCode", "code"} and entry["decorCode"] == answers.MAIN
        else entry
        for entry in raw
    ]


_TURN = ("step", "kind", "answer", "after_ms")


class DiagnosisTrack(PlainTrack):
    """Diagnoses of lung diseases. Stateless."""

    name = "diagnosis"
    items_called = Called(tr("epicrisis"), tr("epicrises"))
    whole_texts = True
    open_tests = False
    mode_rules = stages.MODES
    board_rules = BOARDS
    forms = SCHEMAS
    archive_rules = stages.ARCHIVE
    periods = stages.NOTICE_PERIODS
    sizes = stages.SIZES
    earlier_first = "preliminary"
    policies = staticmethod(stages.policies)
    read_parameters = staticmethod(stages.complete)
    hand_out = staticmethod(hand_out)
    score = staticmethod(record)
    judgements = staticmethod(judgements)
    report_sections = staticmethod(sections)
    earlier_order = staticmethod(earlier_order)
    earlier_answer = staticmethod(answer)

    def steps(self, parameters: Json) -> tuple[Step, ...]:
        """Return the steps: one epicrisis at once, v3 then v2, or the final's dialogue (D 7.12, 8.9, 9.10.1)."""
        return stages.steps_in(parameters["stage"])

    def steps_of(self, item: Json, parameters: Json) -> tuple[Step, ...]:
        """Return the steps of the stage whose versions the item holds (D 9.12)."""
        return stages.steps_in(stages.stage_in(item, parameters["stage"]))

    def classifier(self, parameters: Json) -> Json:
        """Return the six nosologies with their codes (D 6.5), and the studies that may be asked for (D-App4)."""
        return {
            "nosologies": stages.nosology_codes(),
            "healthy": stages.HEALTHY,
            "studies": stages.study_codes(),
        }

    def read_item(self, raw: Json, parameters: Json) -> tuple[ItemFacts | None, tuple[Reason, ...]]:
        """Check an epicrisis and that its XML can be read safely; its group is the nosology of its data set."""
        return read_item(raw, stages.use(parameters))

    def read_reference(self, item: Json, raw: Json, parameters: Json) -> tuple[Reason, ...]:
        """Check the reference of the patient."""
        return read_reference(raw, stages.stage_in(item, parameters["stage"]))

    def unpack(self, files: Mapping[str, bytes], parameters: Json) -> Unpacked:
        """Convert a folder of the contest's XML files with ``references.csv`` (D 9.5)."""
        return unpack(files, stages.use(parameters))

    def texts(self, item: Json) -> tuple[str, ...]:
        """Return the epicrisis in each of its versions."""
        return tuple(item["versions"].values())

    def archived_answer(self, item: Json, answer: Json, file_id: str) -> Json:
        """Return the turns: diagnoses and requests for studies, when each came; no study that was brought back."""
        return [{name: turn[name] for name in _TURN if name in turn} for turn in answer]

    def validate(self, item: Json, file_id: str, step: str, body: bytes, parameters: Json) -> Verdict:
        """Judge an answer as received; a preliminary diagnosis after a study or another one is refused."""
        return answers.validate(body, step, stages.stage_in(item, parameters["stage"]))

    def respond(self, item: Json, turns: Sequence[Turn], parameters: Json) -> Json:
        """Return the study's files, or that the epicrisis has none (D 9.10.1.3.2); None for a diagnosis."""
        return respond(item, turns, stages.use(parameters))

    def aggregate(self, outcomes: Sequence[Outcome], parameters: Json, seed: int) -> Json:
        """Aggregate to matrices, bounds, Sk, the barrier and the board's values; nothing is resampled."""
        return aggregate(outcomes, stages.use(parameters))

    def joined(self, aggregates: Sequence[Json], parameters: Json) -> Json:
        """Join the semifinal's and stage 1's results (D-App1в, formula 16)."""
        return joined(aggregates, stages.use(parameters))

    def comparison(self, standings: Sequence[Standing], parameters: Json, board: str) -> tuple[Section, ...]:
        """Build table 2 of all teams by nosologies, and the finalists, or the partial barrier (D-App1б, D-App1в)."""
        return comparison(standings, stages.use(parameters), board)

    def replay_rules(self) -> ReplayRules:
        """Return stage 2's rules: two to four systems, eight clinicians, 16 to 32 rounds (D 9.10.8)."""
        return RULES

    def lot(
        self, teams: Sequence[str], people: Sequence[str], seed: int
    ) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """Draw С1 … С4 and КС1 … КС8 (D 9.10.8.5)."""
        drawn = draw(teams, people, seed)
        return drawn.systems, drawn.clinicians

    def rotation(self, rounds: int) -> Sequence[Sequence[Sequence[int]]]:
        """Pair systems and clinicians (D 9.10.8.5)."""
        return [[[clinician - 1 for clinician in pair] for pair in pairs] for pairs in rotation(rounds)]

    def replayed(self, item: Json, file_id: str, turns: Sequence[Turn], parameters: Json) -> Sequence[Json]:
        """Return v3F, then the trajectory (D 9.10.8.3)."""
        return replayed(item, file_id, turns, stages.use(parameters))

    def judged(self, works: Sequence[Reviewed], parameters: Json) -> Json:
        """Compute completeness, clarity and interpretability of a system (D 1.12, 1.13, 1.5)."""
        return judged(works, stages.use(parameters))

    def rank(self, standings: Sequence[Standing], board: str = "") -> tuple[Place, ...]:
        """Rank by the integral criterion (D-App1в); equal in all: one place; undefined results last."""
        return rank(standings, board)

    def value(self, aggregate: Json, board: str = "") -> float | None:
        """Return Sk; of a selection's session whether it passed."""
        return value(aggregate)

    # Clause: D 8.17, D 5.4
    def overcame(self, aggregate: Json, board: str = "") -> bool | None:
        """Check whether the barrier is overcome in all six nosologies.

        None for the selection, which has no barrier, and for the semifinal alone: only the final can say it, where the
        semifinal's results count with stage 1's.
        """
        overcome: bool | None = (
            None if aggregate["stage"] == "semifinal" and board != FINAL else aggregate.get("barrier")
        )
        return overcome

    # Clause: TS D-1, D 7.8
    def passed(self, aggregate: Json) -> bool | None:
        """Check whether a session of the selection named its epicrisis' code; the other stages pass nobody (D 7.8)."""
        has_passed: bool | None = aggregate.get("passed")
        return has_passed

    def earlier_document(self, content: Json) -> tuple[str, str]:
        """Return the version of the epicrisis, and its XML."""
        return content["version"], content["xml"]

    def earlier_request(self, code: Json) -> Json:
        """Convert a query code to a request for its study."""
        return {"study": code}

    def earlier_documents(self, response: Json) -> tuple[str, ...]:
        """Return the XML files of a response, in its order; none if the epicrisis has no such file."""
        return tuple(file["xml"] for file in response["files"]) if response else ()
