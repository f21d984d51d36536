"""The exam track: a task is handed out with its prompt, a string comes back and brings points (tracks.md §2).

An item is a task in the published JSON form with its right answer in ``outputs``. A reference, where a data set has
any, says the same answer once more for those who may see it: ``{"outputs": "…"}``. An answer is a JSON string.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from markup_core.fragment_reader import SURROGATE
from markup_core.operations import RefusedError
from markup_core.wire import Limits, MalformedInput, decode, short
from tracks._version import __version__
from tracks.exam import report, results
from tracks.exam.items import faults
from tracks.exam.prompts import PLACES, render
from tracks.exam.scoring import score
from tracks.exam.tasks import SECTION_OF, maximum
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

LANGUAGE: Final = "rus"
MOST_LETTERS: Final = 1000
"""Code points of an answer; the longest right ones have some dozens."""
_STEPS: Final = (Step("task", {"answer": None}),)
_SHOWN_META: Final = ("id_task", "score", "type")
_LIMITS: Final = Limits(max_bytes=16 * 1024)


class ExamTrack:
    """Tasks of the school exam. Stateless."""

    name = "exam"
    version = f"tracks {__version__}"

    def policies(self, mode: str) -> Policies:  # noqa: ARG002 - the same in all modes of this contest
        """A missed item is 0 points, never a reason to refuse the rest, however many there are (tracks.md §2)."""
        return Policies(missed=Missed.WRONG, max_voided_share=1.0)

    def steps(self, parameters: Json) -> tuple[Step, ...]:  # noqa: ARG002 - the same in every cycle
        """One step: a task is answered by a string."""
        return _STEPS

    def read_parameters(self, raw: Json) -> tuple[Json, tuple[Reason, ...]]:
        """There are none: the points are the exam's own, the prompts stand in the items."""
        return {}, tuple(of_parameters(raw, GIVEN))

    def read_item(self, raw: Json, parameters: Json) -> tuple[ItemFacts | None, tuple[Reason, ...]]:  # noqa: ARG002
        """Check an item in the published form. Its group is its variant."""
        found = faults(raw)
        if found:
            return None, tuple(map(_item_reason, found))
        return ItemFacts(str(raw["meta"]["id"]), LANGUAGE, str(raw["meta"]["variant"])), ()

    def read_reference(self, item: Json, raw: Json, parameters: Json) -> tuple[Reason, ...]:  # noqa: ARG002
        """Check a right answer that stands apart from its item: it is the item's own."""
        if isinstance(raw, dict) and raw.get("outputs") == item["outputs"]:
            return ()
        en, ru = "outputs must be the item's own right answer", "outputs: здесь должен быть ответ самого задания"
        return (reason("invalid_reference", "outputs", en, ru),)

    def hand_out(self, item: Json, file_id: str, step: str) -> Json:  # noqa: ARG002 - there is one step
        """The prompt as a program is to be asked, its parts, and which kind of task it is; nothing of the answer."""
        inputs = {place: item["inputs"][place] for place in PLACES}
        return {
            "id": file_id,
            "prompt": render(item["instruction"], inputs),
            "instruction": item["instruction"],
            "inputs": inputs,
            "meta": {name: item["meta"][name] for name in _SHOWN_META},
        }

    def answer_schema(self) -> Mapping[str, Json]:
        """JSON Schema of an answer: a string."""
        return {
            "type": "string",
            "title": "Answer",
            "description": "Numbers with commas and without blanks, or a word or words written together.",
            "maxLength": MOST_LETTERS,
        }

    def validate(self, item: Json, file_id: str, step: str, body: bytes, parameters: Json) -> Verdict:  # noqa: ARG002
        """Judge an answer as received: a JSON string, whatever it says."""
        try:
            raw = decode(body, _LIMITS)
        except MalformedInput as error:
            return Verdict((of_json(error),))
        fault = _fault(raw)
        return Verdict((fault,)) if fault else Verdict((), canonical=raw, kind="answer")

    def respond(self, item: Json, turns: Sequence[Turn], parameters: Json) -> Json:  # noqa: ARG002 - no dialogue
        """Nothing: an answer ends a task."""
        return None

    def score(self, item: Json, answer: Json, references: Sequence[Json], parameters: Json) -> Json:  # noqa: ARG002
        """Points of an answer; None is a missed item's, whose record has 0 points and says where they count.

        The fingerprint covers everything but the right answer: of so short a text a hash would tell it.
        """
        meta: dict[str, Any] = item["meta"]
        task, kind = meta["id_task"], meta["type"]
        used = {"prediction": answer, "id_task": task, "type": kind}
        return {
            "answered": answer is not None,
            "score": score(item["outputs"], answer, task, kind),
            "max": maximum(task),
            "variant": str(meta["variant"]),
            "task": task,
            "section": SECTION_OF[task],
            "type": kind,
            "fingerprint": fingerprint("exam.item", used),
        }

    def aggregate(self, outcomes: Sequence[Outcome], parameters: Json, seed: int) -> Json:  # noqa: ARG002 - exact
        """grade_norm with its breakdowns, missed items as 0 points, and the human level for the board."""
        return results.aggregate(outcomes)

    def rank(self, standings: Sequence[Standing]) -> tuple[Place, ...]:
        """By grade_norm, highest first; equal ones share a place, undefined ones stand last."""
        return results.rank(standings)

    def report_sections(self, aggregate: Json, outcomes: Sequence[Outcome]) -> tuple[Section, ...]:
        """The result beside the human level, the breakdowns and every item."""
        return report.sections(aggregate, outcomes)


def _fault(raw: Json) -> Reason | None:
    if not isinstance(raw, str):
        en, ru = f"an answer is a JSON string, not {short(raw)}", "ответ — строка JSON"
        return reason("wrong_type", "", en, ru)
    if len(raw) > MOST_LETTERS:
        en = f"the answer has {len(raw)} characters, at most {MOST_LETTERS} are taken"
        return reason("text_too_long", "", en, f"в ответе {len(raw)} знаков, можно {MOST_LETTERS}")
    if SURROGATE.search(raw):
        en = "the answer has half a surrogate pair; whole characters are needed"
        return reason("lone_surrogate", "", en, "в ответе половина суррогатной пары")
    return None


def _item_reason(refused: RefusedError) -> Reason:
    field = refused.details["field"]
    ru = f"недопустимое значение поля {field}" if field else "задание должно быть объектом"
    return reason("invalid_item", field or "", refused.message, ru)
