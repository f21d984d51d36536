"""The four subtasks and what the score of one of them is (tracks.md §4; F)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final
from unicodedata import normalize

from tracks.protocol import Json


class Subtask(Enum):
    """A subtask, spelled as in the names of its folders and files."""

    C2C = "C2C"
    HTR = "HTR"
    ZSOD = "zsOD"
    VQA = "VQA"

    @property
    def key(self) -> str:
        """Its name in requests and results."""
        return self.value.lower()

    @property
    def metric(self) -> str:
        """What its score measures."""
        return _METRICS[self]

    @property
    def most(self) -> int:
        """The highest score: CodeBLEU goes to 100, the others to 1."""
        return 100 if self is Subtask.C2C else 1


_METRICS: Final[Mapping[Subtask, str]] = {
    Subtask.C2C: "CodeBLEU",
    Subtask.HTR: "string accuracy",
    Subtask.ZSOD: "F1",
    Subtask.VQA: "accuracy",
}


@dataclass(frozen=True, slots=True)
class Apart:
    """Ids that stand on one side only: predictions for unknown ones are ignored, missing ones count as F says."""

    unknown: tuple[str, ...]
    missing: tuple[str, ...]
    unknown_classes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Of zsOD, by image: classes of an image that was asked for, which themselves were not."""

    def told(self) -> dict[str, Json]:
        """Ids and classes that nobody asked for; nothing of either where there are none."""
        ids = {"unknown": list(self.unknown)} if self.unknown else {}
        return ids | ({"unknown_classes": dict(self.unknown_classes)} if self.unknown_classes else {})


def sorted_apart(truth: Mapping[str, Any], prediction: Mapping[str, Any]) -> Apart:
    """Ids of the prediction that the truth has not, and the other way round."""
    return Apart(tuple(sorted(prediction.keys() - truth.keys())), tuple(sorted(truth.keys() - prediction.keys())))


def is_other_form(one: str, other: str) -> bool:
    """Return whether two texts differ by their Unicode form alone: й as one code point or as letter and mark."""
    return one != other and normalize("NFC", one) == normalize("NFC", other)


@dataclass(frozen=True, slots=True)
class Scored:
    """A subtask's score (None: undefined), the parts it is made of, and the ids that stand on one side only."""

    subtask: Subtask
    score: float | None
    parts: Mapping[str, Json]
    apart: Apart

    def to_dict(self) -> dict[str, Json]:
        """The result of the subtask's operation (tracks.md §5), with what nobody asked for where there is any (§4)."""
        return {"score": self.score, **self.parts, **self.apart.told()}
