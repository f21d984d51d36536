"""Parameters of a fusion cycle: minima, prizes, ways of counting, what a submission may use (tracks.md §4).

Everything has the contest's default; ``resources`` are numbers the organizer maps to a machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final

from markup_core.command.complaints import RefusedError
from markup_core.reading.wire import short, short_ru
from tracks.fields import GIVEN, Fields, of_names, of_parameters, reason, refuse
from tracks.fusion.archive import GIGABYTE, ArchiveLimits
from tracks.fusion.score import MODES
from tracks.fusion.subtasks import LEAST_SUM, MINIMA, Subtask, decimal
from tracks.protocol import Json, Reason

RESOURCES: Final[Mapping[str, float]] = MappingProxyType(
    {
        "memory_gb": 100,
        "vcpus": 3,
        "gpus": 1,
        "gpu_memory_gb": 32,
        "minutes": 30,
        "packed_gb": 10,
        "unpacked_gb": 10,
        "members": 100_000,
        "image_gb": 15,
        "answer_mb": 64,
    }
)
"""F, "Ограничения" (one Tesla V100 has 32 GB); files in an archive and the size of a prediction file are the
project's own bounds."""
LANGUAGES: Final[Mapping[str, tuple[str, ...]]] = {"mul": tuple(each.value for each in Subtask)}
"""Every test mixes Russian, English and programs: ISO 639's code for several languages."""
_KNOWN: Final = GIVEN | {"minima", "smin", "modes", "resources"}


@dataclass(frozen=True, slots=True)
class FusionParameters:
    """A cycle's parameters in the form in which they are used."""

    minima: Mapping[Subtask, Decimal]
    smin: Decimal
    modes: Mapping[Subtask, str | None]
    resources: Mapping[str, float]
    languages: Mapping[str, tuple[str, ...]]

    def language_of(self, subtask: str) -> str | None:
        """The language whose list holds this subtask."""
        return next((language for language, subtasks in self.languages.items() if subtask in subtasks), None)

    @property
    def archive(self) -> ArchiveLimits:
        """Bounds of a submission's archive."""
        packed, unpacked = (int(self.resources[name] * GIGABYTE) for name in ("packed_gb", "unpacked_gb"))
        return ArchiveLimits(packed, unpacked, int(self.resources["members"]))


def complete(raw: Json) -> tuple[dict[str, Json], tuple[Reason, ...]]:
    """The parameters with everything that was left out filled in, and why they cannot be used, if so."""
    sections, faults = _sections(raw if isinstance(raw, Mapping) else {})
    reasons = (*of_parameters(raw, _KNOWN), *faults)
    return ({}, reasons) if reasons else (sections, ())


def use(completed: Json) -> FusionParameters:
    """Parameters that :func:`complete` has filled in, ready for use."""
    return FusionParameters(
        minima={subtask: decimal(completed["minima"][subtask.key]) for subtask in Subtask},
        smin=decimal(completed["smin"]),
        modes={subtask: completed["modes"].get(subtask.key) for subtask in Subtask},
        resources=completed["resources"],
        languages={name: tuple(subtasks) for name, subtasks in completed["languages"].items()},
    )


def _sections(raw: Mapping[str, Any]) -> tuple[dict[str, Json], tuple[Reason, ...]]:
    fields, reasons = Fields(raw), list[Reason]()
    found: dict[str, Json] = {}
    for name, read in _READERS.items():
        try:
            found[name] = read(fields)
        except RefusedError as refused:
            field = str(refused.details["field"])
            reasons.append(reason("invalid_params", field, refused.message, refused.text("ru")))
    for name, known in (
        ("minima", {each.key for each in Subtask}),
        ("modes", {each.key for each in Subtask if MODES[each]}),
        ("resources", RESOURCES.keys()),
    ):
        if isinstance(raw.get(name), Mapping):
            reasons += of_names(raw[name], known, name)
    return found, tuple(reasons)


def _minima(fields: Fields) -> dict[str, Json]:
    part = _part(fields, "minima")
    return {each.key: part.number(each.key, float(MINIMA[each]), low=0, high=1) for each in Subtask}


def _smin(fields: Fields) -> Json:
    return fields.number("smin", float(LEAST_SUM), low=0, high=len(Subtask))


def _modes(fields: Fields) -> dict[str, Json]:
    """Clause: TS F-10"""
    part = _part(fields, "modes")
    return {each.key: part.choice(each.key, MODES[each], None) for each in Subtask if MODES[each]}


def _resources(fields: Fields) -> dict[str, Json]:
    part = _part(fields, "resources")
    return {name: part.number(name, usual, low=0) for name, usual in RESOURCES.items()}


def _languages(fields: Fields) -> dict[str, Json]:
    given = fields.mapping("languages", None)
    if given is None:
        return {name: list(subtasks) for name, subtasks in LANGUAGES.items()}
    part = fields.part("languages")
    for name in given:
        for subtask in part.items(name):
            if subtask not in LANGUAGES["mul"]:
                refuse(
                    part.path(name),
                    f"must list subtasks, not {short(subtask)}",
                    f"ожидаются подзадачи, а не {short_ru(subtask)}",
                )
    return {name: list(subtasks) for name, subtasks in given.items()}


_READERS: Final[Mapping[str, Callable[[Fields], Json]]] = {
    "minima": _minima,
    "smin": _smin,
    "modes": _modes,
    "resources": _resources,
    "languages": _languages,
}


def _part(fields: Fields, name: str) -> Fields:
    return Fields(fields.mapping(name, {}), fields.path(name))
