"""The track "fusion" through the Protocol that every contest runs through (tracks.md §4).

An item is the hidden test of one subtask, its reference the contest's ``true_*.json``, an answer the program's
``prediction_*.json``; a session over the four items gives S. The archive that makes the predictions is checked by
:mod:`tracks.fusion.archive` before it is run. A session is a submission: three a day, and only those that were
scored count (F, "Ограничения"); a file the program did not write is worth 0.

An item is ``{"id": …, "subtask": "C2C" | "HTR" | "zsOD" | "VQA", "requests": …}`` (:mod:`tracks.fusion.items`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from markup_core.wire import Limits, MalformedInput, decode
from tracks._version import __version__
from tracks.fusion import items, parameters, results
from tracks.fusion.dictionaries import Faults
from tracks.fusion.parameters import use
from tracks.fusion.scoring import PREDICTION, TRUTH, score
from tracks.fusion.subtasks import Subtask
from tracks.operations import fingerprint
from tracks.protocol import (
    ItemFacts,
    Json,
    Missed,
    Outcome,
    Place,
    Policies,
    Quota,
    Reason,
    Section,
    Standing,
    Step,
    Turn,
    Verdict,
)
from tracks.reasons import of_json

_SINGLE_STEP: Final = (Step("test", {"prediction": None}),)
_MEGABYTE: Final = 1024**2
_RUN_S: Final = 30 * 60
_STRING: Final = {"type": "string"}
_BOX: Final = {"type": "array", "items": {"type": "number"}, "minItems": 4, "maxItems": 4}
_BOXES: Final = {"type": "array", "items": _BOX, "description": "[xmin, ymin, w, h]; [[]] is []"}


class FusionTrack:
    """Four subtasks, one model. Stateless."""

    name = "fusion"
    version = f"tracks {__version__}"

    def steps(self, parameters: Json) -> tuple[Step, ...]:  # noqa: ARG002 - the same in every cycle
        """One step: a hidden test is answered by its predictions."""
        return _SINGLE_STEP

    def policies(self, mode: str) -> Policies:  # noqa: ARG002 - the same in all modes of this contest
        """F, "Ограничения": three scored submissions a day, half an hour each; what is missing is wrong."""
        return Policies(
            missed=Missed.WRONG,
            sessions_per_day=3,
            quota=Quota.SCORED,
            answer_limit_s=(_RUN_S, _RUN_S, _RUN_S),
            max_voided_share=1.0,
        )

    def read_parameters(self, raw: Json) -> tuple[Json, tuple[Reason, ...]]:
        """Complete and check minima, Smin, modes and resources."""
        return parameters.complete(raw)

    def read_item(self, raw: Json, parameters: Json) -> tuple[ItemFacts | None, tuple[Reason, ...]]:
        """Check a hidden test; its group is its subtask, which a language of the cycle must list."""
        if reasons := items.item_faults(raw):
            return None, reasons
        language = use(parameters).language_of(raw["subtask"])
        if language is None:
            return None, (items.unlisted(raw["subtask"]),)
        return ItemFacts(raw["id"], language, raw["subtask"]), ()

    def read_reference(self, item: Json, raw: Json, parameters: Json) -> tuple[Reason, ...]:  # noqa: ARG002
        """Check true answers: well formed, for exactly what is handed out."""
        return items.truth_faults(item, raw)

    def hand_out(self, item: Json, file_id: str, step: str) -> Json:  # noqa: ARG002 - there is one step
        """The requests of the subtask and nothing else of the item."""
        return {"id": file_id, "subtask": item["subtask"], "requests": item["requests"]}

    def answer_schema(self) -> Mapping[str, Json]:
        """JSON Schema of the prediction files: of zsOD, and of the three others."""
        classes = {"type": "object", "additionalProperties": _BOXES}
        return {
            "title": "Prediction",
            "description": "prediction_C2C.json, prediction_HTR.json, prediction_VQA.json or prediction_zsOD.json",
            "type": "object",
            "additionalProperties": {"anyOf": [_STRING, classes]},
        }

    def validate(self, item: Json, file_id: str, step: str, body: bytes, parameters: Json) -> Verdict:  # noqa: ARG002
        """Judge a prediction file; ids nobody asked for are remarked on and left out."""
        limits = Limits(max_bytes=int(parameters["resources"]["answer_mb"] * _MEGABYTE))
        try:
            raw = decode(body, limits)
        except MalformedInput as error:
            return Verdict((of_json(error),))
        faults = Faults()
        prediction = PREDICTION[Subtask(item["subtask"])](raw, "prediction", faults)
        if faults.reasons:
            return Verdict(tuple(faults.reasons))
        kept, warnings = items.restricted(item, prediction)
        return Verdict((), warnings, kept, kind="prediction")

    def respond(self, item: Json, turns: Sequence[Turn], parameters: Json) -> Json:  # noqa: ARG002 - no dialogue
        """Nothing: a prediction ends a test."""
        return None

    def score(self, item: Json, answer: Json, references: Sequence[Json], parameters: Json) -> Json:
        """Score record of one subtask, recomputable by the operation and the fields its fingerprint names.

        A file that was not written (``answer`` None) is one without any prediction. Raises ValueError unless there is
        exactly one reference, and for values that were not checked.
        """
        (truth,) = references
        answer = {} if answer is None else answer
        subtask = Subtask(item["subtask"])
        mode = parameters["modes"].get(subtask.key)
        faults = Faults()
        true, predicted = TRUTH[subtask](truth, "true", faults), PREDICTION[subtask](answer, "prediction", faults)
        if faults.reasons:
            raise ValueError(faults.reasons[0].message.en)
        fields = {"true": truth, "prediction": answer, **({} if mode is None else {"mode": mode})}
        scored = score(subtask, true, predicted, mode)
        return {
            "subtask": subtask.value,
            **scored.to_dict(),
            "missing": len(scored.apart.missing),
            "fingerprint": fingerprint(f"fusion.{subtask.key}", fields),
        }

    def aggregate(self, outcomes: Sequence[Outcome], parameters: Json, seed: int) -> Json:  # noqa: ARG002 - no drawing
        """S and the four scores it is the sum of (F, "Интегральная метрика")."""
        return results.aggregate(outcomes, parameters)

    def rank(self, standings: Sequence[Standing]) -> tuple[Place, ...]:
        """By S; equal ones share a place, undefined ones stand last (F, the leaderboard)."""
        return results.rank(standings)

    def report_sections(self, aggregate: Json, outcomes: Sequence[Outcome]) -> tuple[Section, ...]:
        """The sum with its minima, and what each subtask's score is made of."""
        return results.sections(aggregate, outcomes)
