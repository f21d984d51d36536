"""A small contest of every registered track, to hold them all against the Track Protocol's own promises.

Every entry names what of it only the organizer may see.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from markup_core.command.batch import reply
from tests.tracks.exam import exam_items
from tests.tracks.exam.exam_items import kind_of
from tracks import registry
from tracks.capabilities import MeasuredByProgram
from tracks.command.printing import answer
from tracks.diagnosis.stages import NAMES
from tracks.exam.tasks import TASKS
from tracks.fusion.subtasks import Subtask
from tracks.protocol import ItemFacts, Outcome, Track, step_after

Json = Any
_NONE: Final[Mapping[str, Json]] = MappingProxyType({})
SECRET: Final = "SECRET"
EXAM_SECRETS: Final = {"text": "тайна", "matching": "14,19,12,18", "multiple_choice_independent_options": "11,13,15"}


def reply_to(request: Mapping[str, Json] | bytes) -> dict[str, Any]:
    """Answer a request as ``tracks batch`` does."""
    return reply(request if isinstance(request, bytes) else json.dumps(request).encode(), answer)


@dataclass(frozen=True, slots=True)
class Entry:
    """Item with its references, two dialogues (bodies as sent, one per step), and its parts not to be handed out."""

    item: Json
    references: tuple[Json, ...]
    good: tuple[bytes, ...]
    poor: tuple[bytes, ...]
    secrets: tuple[str, ...] = (SECRET,)


@dataclass(frozen=True, slots=True)
class Sample:
    """A track with parameters as a cycle's file gives them, and a few items."""

    track: str
    parameters: Mapping[str, Json]
    entries: tuple[Entry, ...]
    modes: tuple[str, ...] = ("algorithmic",)
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Files in addition to the cycle's own: the program of a declared measure."""

    def made(self) -> Track:
        track = registry.get(self.track)
        if isinstance(track, MeasuredByProgram):
            parameters = self.completed()
            return track.under(parameters, lambda _: track.program_content(parameters, self.files.__getitem__))
        return track

    def completed(self) -> Json:
        track = registry.get(self.track)
        parameters, reasons = track.read_parameters({"classifier": "default", **self.parameters})
        assert reasons == ()
        if isinstance(track, MeasuredByProgram):
            parameters, reasons = track.taken_in(parameters, track.program_content(parameters, self.files.__getitem__))
            assert reasons == ()
        return parameters

    def answer(self, entry: Entry, bodies: tuple[bytes, ...]) -> Json:
        """Return the dialogue as :meth:`Track.score` takes it; every body must be valid where its turn comes."""
        track, parameters = self.made(), self.completed()
        steps, turns = track.steps(parameters), []
        step: str | None = steps[0].name
        for body in bodies:
            assert step is not None, "the dialogue is over before its last answer"
            verdict = track.validate(entry.item, "f1", step, body, parameters)
            assert verdict.reasons == ()
            turns.append({"step": step, "kind": verdict.kind, "answer": verdict.canonical, "after_ms": 0})
            step = step_after(steps, step, verdict.kind)
        assert step is None, "the dialogue is not over after its last answer"
        return turns[0]["answer"] if len(steps) == 1 else turns

    def facts(self, entry: Entry) -> ItemFacts:
        facts, reasons = self.made().read_item(entry.item, self.completed())
        assert reasons == ()
        assert facts is not None
        return facts

    def outcome(self, entry: Entry, bodies: tuple[bytes, ...] | None) -> Outcome:
        """Return an answered item's fate; None: a missed one's, with a record where the policy counts it as wrong."""
        track, parameters = self.made(), self.completed()
        answer = None if bodies is None else self.answer(entry, bodies)
        counted = answer is not None or track.policies(self.modes[0]).missed.value == "wrong"
        record = track.score(entry.item, answer, entry.references, parameters) if counted else None
        return Outcome(self.facts(entry), answer is not None, record)


def _body(value: Json) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def _essay(number: int) -> Entry:
    text = f"Он описывает о войне номер {number}."
    meta = {"id": f"{SECRET}{number}", "subject": "rus", "expert": f"{SECRET} эксперт"}

    def markup(*fragments: Json) -> Json:
        return {"meta": meta, "criteria": {}, "selections": list(fragments), "text": text}

    def fragment(start: int, end: int, **more: Json) -> Json:
        return {"id": 1, "startSelection": start, "endSelection": end, "type": "Г.упр", **more}

    experts = (markup(fragment(3, 20, comment=SECRET)), markup(fragment(3, 14)))
    return Entry(markup(), experts, (_body(markup(fragment(3, 20))),), (_body(markup()),))


def _exam(number: int) -> Entry:
    task = TASKS[number]
    item = exam_items.item(task, 1, number, outputs=EXAM_SECRETS[kind_of(task)])
    right = item["outputs"]
    return Entry(item, ({"outputs": right},), (_body(right),), (_body("нет"),), (right,))


def _gec(number: int) -> Entry:
    item = {"id": f"{SECRET}{number}", "source": "corpus", "sentences": ["I go their", f"yesterday {number} ."]}
    edits = [{"start": 2, "end": 3, "correction": f"{SECRET} there", "type": "R:SPELL", "context_dependent": False}]
    return Entry(item, ({"edits": edits},), (_body({"edits": edits}),), (_body({"edits": []}),))


def _fusion(number: int) -> Entry:
    subtask = list(Subtask)[number % 4]
    box = [[0, 0, 10, 10]]
    requests: dict[Subtask, Json] = {
        Subtask.C2C: {"a": "int x = 1 ;"},
        Subtask.HTR: ["a"],
        Subtask.ZSOD: {"a": ["cat", "dog"]},
        Subtask.VQA: {"a": {"file_name": "a.jpg", "question": "what?"}},
    }
    truths: dict[Subtask, Json] = {
        Subtask.C2C: {"a": f"{SECRET} = 1"},
        Subtask.HTR: {"a": SECRET},
        Subtask.ZSOD: {"a": {"cat": box, "dog": []}},
        Subtask.VQA: {"a": {"answer": SECRET, "lang": "en"}},
    }
    good: dict[Subtask, Json] = {
        Subtask.C2C: truths[Subtask.C2C],
        Subtask.HTR: truths[Subtask.HTR],
        Subtask.ZSOD: truths[Subtask.ZSOD],
        Subtask.VQA: {"a": SECRET},
    }
    item = {"id": f"{SECRET}{number}", "subtask": subtask.value, "requests": requests[subtask]}
    return Entry(item, (truths[subtask],), (_body(good[subtask]),), (_body({}),))


_XML: Final = "<epicrisis><text>кашель</text></epicrisis>"
_CODES: Final = {
    "tuberculosis": "A15",
    "lung_cancer": "C34",
    "bacterial_pneumonia": "J13",
    "viral_pneumonia": "J12",
    "copd": "J44",
    "cteph": "I27",
}


def _patient(number: int) -> tuple[str, bool, str]:
    """Return nosology, illness and right code: every nosology twice, with an ill and a healthy patient."""
    nosology, ill = NAMES[number % 6], number % 12 < 6
    return nosology, ill, _CODES[nosology] if ill else "another"


def _epicrisis(number: int, *versions: str) -> Json:
    return {"id": f"{SECRET}{number}", "nosology": _patient(number)[0], "versions": dict.fromkeys(versions, _XML)}


def _diagnosis(code: str, decor: str = "diagnosisMain") -> bytes:
    return _body([{"decorCode": decor, "code": code}])


def _semifinal(number: int) -> Entry:
    nosology, ill, right = _patient(number)
    dialogues = ((_diagnosis(right),) * 2, (_diagnosis("Z00"),) * 2)
    return Entry(_epicrisis(number, "v3", "v2"), ({"ill": ill},), *dialogues, (SECRET, nosology))


def _selection(number: int) -> Entry:
    def answer(code: str) -> bytes:
        filled = {"xPath": "", "start": "", "end": "", "name": code, "decorCode": "diagnosisMain", "code": ""}
        return _body([filled])

    item = _epicrisis(number, "v1")
    return Entry(item, ({"code": "J44"},), (answer("J44"),), (answer("C34"),), (SECRET, item["nosology"], "J44"))


def _final(number: int) -> Entry:
    nosology, ill, right = _patient(number)
    dialogue = (_diagnosis(right, "diagnosisPreliminary"), _diagnosis(right))
    return Entry(_epicrisis(number, "v3F"), ({"ill": ill},), dialogue, (_diagnosis("Z00"),), (SECRET, nosology))


_ENTITIES: Final = Path(__file__).resolve().parents[2] / "docs/examples/entities"
ENTITIES: Final = json.loads((_ENTITIES / "cycle.json").read_text("utf-8"))["parameters"]["measure"]
PROGRAM: Final = (_ENTITIES / "entities.py").read_bytes()
"""The example of a declared measure, and its program."""


def _custom(number: int) -> Entry:
    item = {"id": f"{SECRET}{number}", "language": "en", "group": "news", "content": {"text": f"Ada {number} in Rye"}}
    entities = [{"start": 0, "end": 3, "label": "PER"}, {"start": 7 + len(str(number)), "end": 12, "label": "LOC"}]
    references = ({"answer": entities}, {"answer": entities[:1]})
    return Entry(item, references, (_body(entities),), (_body([]),), (SECRET, "LOC"))


def _sample(
    track: str, made: Callable[[int], Entry], count: int, *modes: str, parameters: Mapping[str, Json] = _NONE
) -> Sample:
    return Sample(track, parameters, tuple(map(made, range(count))), modes or ("algorithmic",))


SAMPLES: Final[Mapping[str, Sample]] = {
    "custom": replace(
        _sample("custom", _custom, 8, "algorithmic", "final", parameters={"measure": ENTITIES}),
        files={"entities.py": PROGRAM},
    ),
    "diagnosis-selection": _sample("diagnosis", _selection, 8, "training", parameters={"stage": "selection"}),
    "diagnosis-semifinal": _sample("diagnosis", _semifinal, 12, "final", parameters={"stage": "semifinal"}),
    "diagnosis-final": _sample("diagnosis", _final, 12, "final", parameters={"stage": "final"}),
    "essay": _sample("essay", _essay, 8, "algorithmic", "technical", "final"),
    "exam": _sample("exam", _exam, 30),
    "fusion": _sample("fusion", _fusion, 8),
    "gec": _sample("gec", _gec, 8),
}
