"""The track "fusion" through the Protocol that every contest runs through (tracks.md §4).

An item is the hidden test of one subtask, its reference the contest's ``true_*.json``, an answer the program's
``prediction_*.json``; a session over the four items gives S. The archive that makes the predictions is checked by
:mod:`tracks.fusion.archive` before it is run. A session is a submission: three a day, and only those that
were scored count (F, "Ограничения"); a file the program did not write is worth 0.

An item is ``{"id": …, "subtask": "C2C" | "HTR" | "zsOD" | "VQA", "requests": …}`` (:mod:`tracks.fusion.items`).
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO, Final, cast

from markup_core.receipt import canonical_json
from tracks.base import (
    AMOUNT,
    FLAG,
    FRACTION,
    NOTHING,
    STRING,
    WHOLE,
    OneStepTrack,
    closed,
    fingerprint_form,
    listed,
    mapped,
    null_or,
    ref,
)
from tracks.capabilities import ArchiveRules, Award, Counted, Declared, ProgramRead, Unpacked
from tracks.fusion.aggregate import (
    BOARDS,
    aggregate,
    awards,
    modes_section,
    overcame,
    parts_section,
    sum_section,
    value,
)
from tracks.fusion.archive import GIGABYTE, check
from tracks.fusion.c2c import PARTS
from tracks.fusion.items import RESOURCES, SCHEMA, complete, read_item, read_reference, use, validate
from tracks.fusion.score import MODES, counted, record
from tracks.fusion.subtasks import Subtask
from tracks.fusion.unpack import IMAGES, folders, inputs, unpack
from tracks.protocol import (
    ItemFacts,
    Json,
    Missed,
    Need,
    Outcome,
    Policies,
    Quota,
    Reason,
    Schemas,
    Section,
    Step,
    Verdict,
)
from tracks.rules import Called, Details, ModeRules
from tracks.texts import tr

_NAME: Final = {"type": "string", "enum": [subtask.value for subtask in Subtask]}
_KEYS: Final = tuple(subtask.key for subtask in Subtask)
_QUESTION: Final = {
    "type": "object",
    "description": "A question about a picture (VQA).",
    "properties": dict.fromkeys(("file_name", "question"), STRING),
    "required": ["file_name", "question"],
    "additionalProperties": STRING,
}
_REQUESTS: Final = {
    "description": "HTR: the pictures' names; C2C: programs by name; zsOD: classes by picture; VQA: questions by name",
    "anyOf": [listed(STRING), mapped(STRING), mapped(listed(STRING)), mapped(ref("FusionQuestion"))],
}
_TRUTH: Final = {
    "description": "C2C, HTR: texts by name; zsOD: boxes by picture and class; VQA: answers by name",
    "anyOf": [ref("FusionPrediction"), mapped(closed("A right answer.", {"answer": STRING, "lang": STRING}))],
}
_SCORE: Final = closed(
    "Score record of a subtask: C2C's from 0 to 100 with its four parts, the others' from 0 to 1 with their counts.",
    {
        "subtask": _NAME,
        "score": {**null_or(AMOUNT), "description": "null: nothing was asked for"},
        **dict.fromkeys(PARTS, null_or(FRACTION)),
        **dict.fromkeys(("right", "total", "tp", "fp", "fn", "missing"), WHOLE),
        "other_form": {**WHOLE, "description": "of HTR and VQA: wrong by the Unicode form alone; absent for 0"},
        "repeated": {**WHOLE, "description": "of zsOD: boxes equal to another of their class; absent for 0"},
        "unknown": listed(STRING, description="predicted, and asked for by nobody"),
        "unknown_classes": mapped(listed(STRING), "of zsOD, by picture"),
        "fingerprint": ref("FusionFingerprint"),
    },
    optional=(*PARTS, "right", "total", "tp", "fp", "fn", "other_form", "repeated", "unknown", "unknown_classes"),
)
_SUBTASK: Final = closed(
    "A subtask in the sum.",
    {
        "score": null_or(AMOUNT),
        "rounded": {**null_or(FRACTION), "description": "as it counts in S: to three decimals, C2C's hundredth"},
        "minimum": FRACTION,
        "reached": FLAG,
    },
)
_RESULT: Final = closed(
    "S and the four scores it is made of (F).",
    {
        "modes": mapped(STRING, "ways of counting other than the usual, by subtask; absent without any"),
        "s": null_or(AMOUNT),
        "smin": AMOUNT,
        "reached": {**FLAG, "description": "Smin, and every subtask's minimum"},
        "subtasks": closed("Each subtask.", dict.fromkeys(_KEYS, ref("FusionSubtask"))),
        "files": WHOLE,
        "answered": WHOLE,
    },
    optional=("modes",),
)
_MODED: Final[Mapping[str, Any]] = {
    subtask.key: null_or({"type": "string", "enum": list(MODES[subtask])}) for subtask in Subtask if MODES[subtask]
}
_PARAMETERS: Final = closed(
    "Parameters of a contest of four subtasks.",
    {
        "minima": closed("Of each subtask.", dict.fromkeys(_KEYS, FRACTION)),
        "smin": AMOUNT,
        "modes": closed("Ways of counting; null: the usual one.", _MODED),
        "resources": closed("What a submission may use.", dict.fromkeys(RESOURCES, AMOUNT)),
        "languages": mapped(listed(_NAME), "subtasks by language"),
    },
)
_METRIC: Final = closed("A subtask.", {"name": _NAME, "metric": STRING, "most": WHOLE})
NAMED: Final[Mapping[str, Json]] = {
    "FusionFingerprint": fingerprint_form(),
    "FusionParameters": _PARAMETERS,
    "FusionPrediction": SCHEMA,
    "FusionQuestion": _QUESTION,
    "FusionResult": _RESULT,
    "FusionScore": _SCORE,
    "FusionSubtask": _SUBTASK,
    "FusionTest": closed(
        "The requests of a subtask.",
        {"id": {**STRING, "description": "the file's name"}, "subtask": _NAME, "requests": _REQUESTS},
    ),
}
SCHEMAS: Final = Schemas(
    named=NAMED,
    content=ref("FusionTest"),
    answer=ref("FusionPrediction"),
    canonical=ref("FusionPrediction"),
    reference=_TRUTH,
    score=ref("FusionScore"),
    aggregate=ref("FusionResult"),
    parameters=ref("FusionParameters"),
    classifier=closed("The four subtasks.", {"subtasks": listed(_METRIC)}),
    comparison=NOTHING,
    response=NOTHING,
)


_RUN_S: Final = 30 * 60
_BUFFER: Final = 1 << 20
_MODES: Final = (ModeRules("submission", submitted="program"),)
# Clause: F test private
_ARCHIVE: Final = ArchiveRules(
    about=tr(
        "The results of the private test: every run with its scores, what its team declared of the "
        "model, the SHA-256 of its archive and of every prediction, the places on all boards and the "
        "prizes."
    ),
    left_out=(
        tr("The private test and its true answers: they are hidden (F, Test private of every subtask)."),
        tr("The predictions: their keys are the test's own, for zsOD the hidden classes."),
        tr("The programs, their images' names and their logs: nothing in the rules gives them over."),
    ),
)
"""F hides the private test and gives nothing of the solutions over. **Decision** 0034."""


class FusionTrack(OneStepTrack):
    """Four subtasks, one model. Stateless."""

    name = "fusion"
    items_called = Called(tr("subtask"), tr("subtasks"))
    whole_texts = False  # tests are made of requests, which may recur
    open_tests = False
    step = Step("test", {"prediction": None})
    mode_rules = _MODES
    board_rules = BOARDS
    forms = SCHEMAS
    largest_file = 64 * 1024 * 1024

    def policies(self, mode: str) -> Policies:
        """Return F, "Ограничения", as policies: three scored submissions a day, half an hour each; missing is wrong."""
        return Policies(
            missed=Missed.WRONG,
            sessions_per_day=3,
            quota=Quota.SCORED,
            answer_limit_s=(_RUN_S, _RUN_S, _RUN_S),
            max_voided_share=1.0,
            readiness=False,
            further=frozenset({Need.SUBMISSIONS}),
        )

    def read_parameters(self, raw: Json) -> tuple[Json, tuple[Reason, ...]]:
        """Complete and check minima, Smin, modes and resources."""
        return complete(raw)

    def classifier(self, parameters: Json) -> Json:
        """Return the four subtasks with their metrics."""
        return {
            "subtasks": [{"name": subtask.value, "metric": subtask.metric, "most": subtask.most} for subtask in Subtask]
        }

    def read_item(self, raw: Json, parameters: Json) -> tuple[ItemFacts | None, tuple[Reason, ...]]:
        """Check a hidden test; its group is its subtask, which a language of the cycle must list."""
        return read_item(raw, use(parameters))

    def read_reference(self, item: Json, raw: Json, parameters: Json) -> tuple[Reason, ...]:
        """Check true answers: well formed, for exactly what is handed out."""
        return read_reference(item, raw)

    def texts(self, item: Json) -> tuple[str, ...]:
        """Return the SHA-256 of every picture of the test; of a test without any, its requests in one canonical form.

        Names of pictures are no text: every set has its 0.png.
        """
        if pictures := item.get("images"):
            return tuple(sorted({sized_digest.rpartition("-")[2] for sized_digest in pictures.values()}))
        return () if Subtask(item["subtask"]) is Subtask.HTR else (canonical_json(item["requests"]),)

    # Clause: F test private
    def hand_out(self, item: Json, file_id: str, step: str) -> Json:
        """Return the subtask's requests and nothing else of the item."""
        return {"id": file_id, "subtask": item["subtask"], "requests": item["requests"]}

    @property
    def archive_rules(self) -> ArchiveRules:
        """Publish results and digests alone (F)."""
        return _ARCHIVE

    def validate(self, item: Json, file_id: str, step: str, body: bytes, parameters: Json) -> Verdict:
        """Judge a prediction file; ids that were not requested are remarked on and left out."""
        return validate(item, body, parameters)

    def folders(self) -> tuple[str, ...]:
        """Return the folders of a set's inputs and true answers (F)."""
        return folders()

    def unpack(self, files: Mapping[str, bytes], parameters: Json) -> Unpacked:
        """Convert a set in the contest's own files: an item for each subtask, images beside it."""
        return unpack(files)

    # Clause: TS F-1
    def read_program(self, source: BinaryIO, parameters: Json) -> ProgramRead:
        """Judge an archive while it streams by (F, "Общий формат решения")."""
        buffered = io.BufferedReader(source, _BUFFER)  # type: ignore[type-var]
        try:
            checked = check(cast(BinaryIO, buffered), use(parameters).archive)
        finally:
            buffered.detach()  # the stream is the caller's to close
        if checked.reasons or checked.metadata is None:
            return ProgramRead(checked.reasons, checked.warnings)
        return ProgramRead((), checked.warnings, checked.metadata.image, checked.metadata.entry_point)

    # Clause: F limits container, TS F-2
    def run_limits(self, parameters: Json) -> Mapping[str, int]:
        """Return the limits of F, "Ограничения", with the cycle's resources."""
        resources = use(parameters).resources
        gigabytes = {"memory": "memory_gb", "packed": "packed_gb", "unpacked": "unpacked_gb", "image": "image_gb"}
        return {
            **{name: int(resources[resource] * GIGABYTE) for name, resource in gigabytes.items()},
            "wall_s": int(resources["minutes"] * 60),
            "cpus": int(resources["vcpus"]),
            "gpus": int(resources["gpus"]),
            "members": int(resources["members"]),
            "file": int(resources["answer_mb"] * 1024**2),
        }

    def inputs(self, item: Json) -> Mapping[str, Json]:
        """Return ``requests.json`` or ``questions.json`` of the subtask's folder; HTR has images alone."""
        return inputs(item)

    def attachments(self, item: Json) -> Mapping[str, str]:
        """Return the images of an item, by their paths in a program's folder of inputs."""
        images: Mapping[str, str] = item.get(IMAGES) or {}
        return {f"{item['subtask']}/{IMAGES}/{name}": sized_digest for name, sized_digest in images.items()}

    # Clause: F output
    def outputs_of(self, item: Json) -> tuple[str, ...]:
        """Return names of the file with which a program answers an item, in Latin letters and in F's other spelling."""
        name = f"prediction_{item['subtask']}.json"
        return (name, "prediction_С2С.json") if Subtask(item["subtask"]) is Subtask.C2C else (name,)

    def counted(self, item: Json, answer: Json, references: Sequence[Json], parameters: Json) -> Mapping[str, Counted]:
        """Return the form of each prediction that decides its score."""
        return counted(item, answer, references, parameters)

    def without_breakdowns(self, totals: Json) -> Json:
        """Return all of them: subtasks are compared one by one."""
        return totals

    def awards(self, aggregates: Mapping[str, Json], declared: Mapping[str, Declared]) -> tuple[Award, ...]:
        """Award prizes of multitask models and of the first in each subtask (F, "Призовой фонд")."""
        return awards(aggregates, declared)

    def score(self, item: Json, answer: Json, references: Sequence[Json], parameters: Json) -> Json:
        """Build the score record of one subtask, recomputable by the operation and the fields of its fingerprint."""
        return record(item, answer, references, parameters)

    def aggregate(self, outcomes: Sequence[Outcome], parameters: Json, seed: int) -> Json:
        """Compute S and its four scores (F, "Интегральная метрика")."""
        return aggregate(outcomes, use(parameters))

    def details(self, set_kind: str) -> Details:
        """Scores of subtasks (tracks-sessions T10)."""
        return Details.TOTALS

    def value(self, aggregate: Json, board: str = "") -> float | None:
        """Return S, or a subtask's contribution to it."""
        return value(aggregate, board)

    def overcame(self, aggregate: Json, board: str = "") -> bool | None:
        """Check whether S reaches Smin with every minimum, or a subtask its minimum."""
        return overcame(aggregate, board)

    def report_sections(self, aggregate: Json, outcomes: Sequence[Outcome]) -> tuple[Section, ...]:
        """Build tables of the sum with its minima, and of each score's parts."""
        parts = [parts_section([(outcome.item.item_id, outcome.score) for outcome in outcomes])] if outcomes else []
        modes = [modes_section(aggregate["modes"])] if aggregate.get("modes") else []
        return (sum_section(aggregate), *modes, *parts)
