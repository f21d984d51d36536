"""A toy contest: a track of letters, its folders in memory."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tracks import registry
from tracks.protocol import (
    ItemFacts,
    Json,
    Outcome,
    Place,
    Policies,
    Reason,
    Schemas,
    Section,
    Standing,
    Step,
    Text,
    Turn,
    Verdict,
    Written,
)
from tracks.rules import BoardRules, Called, Details, ModeRules, NoticePeriod


def text(words: str) -> Text:
    return Text(en=words, ru=words)


def fields(**properties: Json) -> Json:
    """Return a schema of an object with these fields and no others."""
    return {
        "type": "object",
        "required": list(properties),
        "properties": properties,
        "additionalProperties": False,
    }


NUMBER: Json = {"type": ["number", "null"]}
SCHEMAS = Schemas(
    named={
        "Letters": fields(letters={"type": "string"}),
        "Points": fields(points={"type": "number"}, scorer={"type": "string"}),
        "Mean": fields(
            relative_accuracy=NUMBER, missed_as_zero=fields(relative_accuracy=NUMBER), seed={"type": "string"}
        ),
    },
    content=fields(id={"type": "string"}, question={"type": "string"}),
    answer={"$ref": "#/$defs/Letters"},
    canonical={"$ref": "#/$defs/Letters"},
    reference={"$ref": "#/$defs/Letters"},
    score={"$ref": "#/$defs/Points"},
    aggregate={"$ref": "#/$defs/Mean"},
    parameters=fields(bonus={"type": "number"}),
    classifier=fields(letters={"type": "array", "items": {"type": "string"}}),
    comparison=fields(equal={"type": "boolean"}, x_is_reference={"type": "boolean"}),
)


class ToyTrack:
    """A contest of guessing letters: an item shows a question, an answer is ``{"letters": "…"}``.

    A reference is ``{"letters": "…"}`` too; the score is the share of right letters, in per cent. It shares nothing
    with essays, and runs on the platform without a change of it.
    """

    name = "toy"
    version = "1"
    items_called = Called(text("question"), text("questions"))
    whole_texts = False
    open_tests = False

    def steps(self, parameters: Json) -> tuple[Step, ...]:
        return (Step("only", {"letters": None}),)

    def policies(self, mode: str) -> Policies:
        return Policies()

    def modes(self) -> tuple[ModeRules, ...]:
        return (ModeRules("algorithmic"), ModeRules("technical", in_run=True), ModeRules("final", in_run=True))

    def details(self, set_kind: str) -> Details:
        return Details.FILES

    def totals(self, aggregate: Json, outcomes: Sequence[Outcome]) -> Json:
        return aggregate

    def boards(self) -> tuple[BoardRules, ...]:
        words = text("Relative accuracy")
        return (BoardRules("relative_accuracy", words, words, least_share=0.95, barrier=100.0),)

    def value(self, aggregate: Json, board: str = "") -> float | None:
        found: float | None = aggregate["relative_accuracy"]
        return found

    def overcame(self, aggregate: Json, board: str = "") -> bool | None:
        found = self.value(aggregate)
        return None if found is None else found >= 100

    def least_sets(self) -> Mapping[str, int]:
        return registry.get("essay").least_sets()

    def notice_periods(self) -> tuple[NoticePeriod, ...]:
        return registry.get("essay").notice_periods()

    def read_parameters(self, raw: Json) -> tuple[Json, tuple[Reason, ...]]:
        known = {"bonus", "classifier", "languages"}
        wrong = tuple(
            Reason("unknown_parameter", text(f"unknown parameter {each}"), {"field": each})
            for each in sorted(set(raw) - known)
        )
        return {"bonus": raw.get("bonus", 0)}, wrong

    def classifier(self, parameters: Json) -> Json:
        return {"letters": list("abcd")}

    def read_item(self, raw: Json, parameters: Json) -> tuple[ItemFacts | None, tuple[Reason, ...]]:
        if not isinstance(raw, dict) or not isinstance(raw.get("question"), str):
            return None, (Reason("no_question", text("an item has a question"), {}),)
        return ItemFacts(raw["id"], raw["language"], raw["group"]), ()

    def read_reference(self, item: Json, raw: Json, parameters: Json) -> tuple[Reason, ...]:
        whole = isinstance(raw, dict) and isinstance(raw.get("letters"), str)
        return () if whole else (Reason("no_letters", text("a reference has letters"), {}),)

    def texts(self, item: Json) -> tuple[str, ...]:
        return (item["question"],)

    def hand_out(self, item: Json, file_id: str, step: str) -> Json:
        return {"id": file_id, "question": item["question"]}

    def schemas(self) -> Schemas:
        return SCHEMAS

    def validate(self, item: Json, file_id: str, step: str, body: bytes, parameters: Json) -> Verdict:
        try:
            raw = json.loads(body)
        except ValueError:
            return Verdict((Reason("malformed_json", text("not JSON"), {}),))
        if not isinstance(raw, dict) or not isinstance(raw.get("letters"), str):
            return Verdict((Reason("no_letters", text("an answer has letters"), {"field": "letters"}),))
        return Verdict((), canonical={"letters": raw["letters"].strip()}, kind="letters")

    def read_text(self, body: bytes, parameters: Json) -> Verdict:
        return Verdict((), canonical={"letters": body.decode("utf-8", "replace")})

    def write_text(self, body: bytes, parameters: Json) -> Written:
        judged = self.validate({}, "", "only", body, parameters)
        return Written(judged.canonical["letters"] if judged.valid else None, judged.reasons)

    def respond(self, item: Json, turns: Sequence[Turn], parameters: Json) -> Json:
        return None

    def score(self, item: Json, answer: Json, references: Sequence[Json], parameters: Json) -> Json:
        gold, given = references[0]["letters"], answer["letters"]
        right = sum(a == b for a, b in zip(gold, given, strict=False))
        return {"points": 100 * right / len(gold) + parameters["bonus"], "scorer": self.version}

    def compare(self, item: Json, x: Json, y: Json, parameters: Json, *, x_is_reference: bool) -> Json:
        return {"equal": x["letters"] == y["letters"], "x_is_reference": x_is_reference}

    def aggregate(self, outcomes: Sequence[Outcome], parameters: Json, seed: int) -> Json:
        points = sorted(each.score["points"] for each in outcomes if each.score is not None)
        mean = sum(points) / len(points) if points else None
        all_points = sum(points) / len(outcomes) if outcomes and points else None
        return {
            "relative_accuracy": mean,
            "missed_as_zero": {"relative_accuracy": all_points},
            "seed": hashlib.sha256(str(seed).encode()).hexdigest()[:8],
        }

    def rank(self, standings: Sequence[Standing], board: str = "") -> tuple[Place, ...]:
        def value(standing: Standing) -> float:
            found = standing.aggregate["relative_accuracy"]
            return -1.0 if found is None else found

        values = [value(each) for each in standings]
        return tuple(Place(each.team, 1 + sum(other > value(each) for other in values)) for each in standings)

    def report_sections(self, aggregate: Json, outcomes: Sequence[Outcome]) -> tuple[Section, ...]:
        rows = tuple((each.item.item_id, each.score["points"] if each.score else None) for each in outcomes)
        return (Section("files", text("Files"), (text("file"), text("points")), rows),)


class FolderInMemory:
    """A cycle's folder: ``{"cycle.json": …, "train/a.json": …}`` with JSON values or raw bytes."""

    def __init__(self, files: Mapping[str, Any]) -> None:
        self._files = {
            name: value if isinstance(value, bytes) else json.dumps(value, ensure_ascii=False).encode()
            for name, value in files.items()
        }

    def everything(self) -> Sequence[str]:
        return sorted(self._files)

    def names(self, folder: str) -> Sequence[str]:
        prefix = f"{folder}/" if folder else ""
        rest = (name.removeprefix(prefix) for name in self._files if name.startswith(prefix))
        return sorted(name for name in rest if "/" not in name)

    def read(self, name: str) -> bytes:
        try:
            return self._files[name]
        except KeyError:
            raise LookupError(name) from None


def toy_cycle(
    train: int = 4, test: int = 5, final: int = 0, reserve: int = 0, rules: Any = None, **parameters: Any
) -> dict[str, Any]:
    """Return a toy cycle's folder: items alternate between two languages, every reference is ``abcd``.

    Items of a final and of a reserve set have no references, as before the experts' work. ``rules`` are the rules of
    finals, a parameter that goes by the name of their set.
    """
    sizes = {"train": train, "test": test, "final": final, "reserve": reserve}
    kinds = {"train": "training"}
    files: dict[str, Any] = {
        "cycle.json": {
            "cycle": "toy-1",
            "name": {"ru": "Игрушечный цикл", "en": "Toy cycle"},
            "track": "toy",
            "languages": {"rus": ["letters"], "eng": ["letters"]},
            "parameters": parameters | ({} if rules is None else {"final": rules}),
            "sets": {
                name: {"folder": name, "kind": kinds.get(name, name)}
                for name, count in sizes.items()
                if count or name in {"train", "test"}
            },
        }
    }
    for folder, count in sizes.items():
        for index in range(count):
            name = f"{folder}-{index:03d}"
            language = "rus" if index % 2 == 0 else "eng"
            item = {"id": name, "language": language, "group": "letters", "question": f"question {index} of {folder}?"}
            files[f"{folder}/{name}.json"] = item
            if folder in {"train", "test"}:
                files[f"{folder}/{name}_exp01.json"] = {"letters": "abcd"}
    return files


def another_scorer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the toy's scorer another version, which adds seven points to every score."""
    really = ToyTrack.score

    def score(self: ToyTrack, item: Json, answer: Json, references: Sequence[Json], parameters: Json) -> Json:
        made = really(self, item, answer, references, parameters)
        return {**made, "points": made["points"] + 7}

    monkeypatch.setattr(ToyTrack, "score", score)
    monkeypatch.setattr(ToyTrack, "version", "2")
