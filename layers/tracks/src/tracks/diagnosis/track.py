"""The diagnosis track through the Protocol: epicrises out, diagnoses in (D; tracks.md §1).

The stage is a parameter of the cycle: a contest's three stages are three cycles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from markup_core.wire import Limits, MalformedInput, decode
from tracks._version import __version__
from tracks.diagnosis import answers, items, parameters, report, results
from tracks.diagnosis.schema import ANSWER_SCHEMA
from tracks.diagnosis.stages import STEPS, VERSIONS, policies
from tracks.diagnosis.studies import request
from tracks.operations import fingerprint
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

_LIMITS: Final = Limits(max_bytes=64 * 1024, max_depth=8)
"""A hundred objects of short strings take a tenth of it."""
_RECORDS: Final = {"semifinal": results.semifinal_record, "final": results.final_record}


class DiagnosisTrack:
    """Diagnoses of lung diseases. Stateless."""

    name = "diagnosis"
    version = f"tracks {__version__}"

    def steps(self, parameters: Json) -> tuple[Step, ...]:
        """One epicrisis at once, v3 then v2, or the dialogue of the final (D 7.12, 8.9, 9.10.1)."""
        return STEPS[parameters["stage"]]

    def policies(self, mode: str) -> Policies:
        """Missed and late joiners' files are wrong, ten sessions a day (D 6.7, 7.13, 8.11)."""
        return policies(mode)

    def read_parameters(self, raw: Json) -> tuple[Json, tuple[Reason, ...]]:
        """Complete and check the parameters; ``stage`` must be given."""
        return parameters.complete(raw)

    def read_item(self, raw: Json, parameters: Json) -> tuple[ItemFacts | None, tuple[Reason, ...]]:
        """Check an epicrisis and that its XML can be read safely; its group is the nosology of its data set."""
        return items.read_item(raw, _rules(parameters))

    def read_reference(self, item: Json, raw: Json, parameters: Json) -> tuple[Reason, ...]:  # noqa: ARG002
        """Check what is known of the patient."""
        return items.read_reference(raw, parameters["stage"])

    def hand_out(self, item: Json, file_id: str, step: str) -> Json:
        """One version's XML under an opaque name: neither the nosology nor another version (D 9.5)."""
        version = step if step in item["versions"] else VERSIONS["final"][0]
        return {"id": file_id, "version": version, "xml": item["versions"][version]}

    def answer_schema(self) -> Mapping[str, Json]:
        """JSON Schema of the answers of all stages."""
        return ANSWER_SCHEMA

    def validate(self, item: Json, file_id: str, step: str, body: bytes, parameters: Json) -> Verdict:  # noqa: ARG002
        """Judge an answer as received; a preliminary diagnosis after a study or another one is refused."""
        try:
            raw = decode(body, _LIMITS)
        except MalformedInput as error:
            return Verdict((of_json(error),))
        verdict = answers.judge(parameters["stage"], raw)
        taken = {each.name: each.answers for each in STEPS[parameters["stage"]]}[step]
        if verdict.valid and verdict.kind not in taken:
            return Verdict((_TOO_LATE,))
        return verdict

    def respond(self, item: Json, turns: Sequence[Turn], parameters: Json) -> Json:
        """The files of the study asked for, or that the epicrisis has none (D 9.10.1.3.2); None for a diagnosis."""
        if not turns or turns[-1].kind != "study":
            return None
        found = request(turns[-1].answer["study"], items.services(item), _rules(parameters).costs)
        files = [{"number": number, **item["studies"][place]} for number, place in enumerate(found.files, start=1)]
        return {"study": found.query, "found": found.present, "files": files}

    def score(self, item: Json, answer: Json, references: Sequence[Json], parameters: Json) -> Json:
        """Score record of one epicrisis; without any answer it is wrong."""
        stage = parameters["stage"]
        if stage == "selection":
            record = results.selection_record(answer, references[0])
        else:
            turns = [Turn(**turn) for turn in answer or ()]
            record = _RECORDS[stage](item, turns, references[0], _rules(parameters))
        inputs: dict[str, Any] = {"item": item, "answer": answer, "references": references, "parameters": parameters}
        return {"stage": stage, **record, "fingerprint": fingerprint("diagnosis.score", inputs)}

    def aggregate(self, outcomes: Sequence[Outcome], parameters: Json, seed: int) -> Json:  # noqa: ARG002
        """Matrices, bounds, Sk and the barrier, and what the board compares; nothing here is resampled."""
        return results.aggregate(outcomes, _rules(parameters))

    def rank(self, standings: Sequence[Standing]) -> tuple[Place, ...]:
        """By the integral criterion (D-App1в); equal in all: one place; undefined results last."""
        return results.rank(standings)

    def report_sections(self, aggregate: Json, outcomes: Sequence[Outcome]) -> tuple[Section, ...]:
        """Counts, the integral criterion, the nosologies, the files (D 6.11)."""
        return report.sections(aggregate, outcomes)


_TOO_LATE: Final = reason(
    "preliminary_too_late",
    "",
    "the preliminary diagnosis is given once, before the first study is asked for",
    "предварительный диагноз даётся один раз, до первого запроса исследования",
)


def _rules(completed: Json) -> parameters.DiagnosisParameters:
    return parameters.use(completed)
