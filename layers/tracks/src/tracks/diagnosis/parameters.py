"""Parameters of a diagnosis cycle: the stage, z, the thresholds, the organizer's table of costs, the languages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from markup_core.reading.wire import short, short_ru, writable
from markup_core.receipt import canonical_json
from tracks.diagnosis.measures import Z, exact_sum
from tracks.diagnosis.nosologies import NAMES, THRESHOLDS, Thresholds
from tracks.diagnosis.stages import BY_SET, STEPS
from tracks.diagnosis.studies import Costs
from tracks.fields import is_number
from tracks.protocol import Json, Reason
from tracks.reasons import GIVEN, of_parameters, reason

MOST_Z: Final = 10.0
MOST_UNITS: Final = 1e9
_UNITS: Final = frozenset({"doctor", "nurse"})
STAGES: Final = (*STEPS, BY_SET)
FILE_NAMES: Final[Mapping[str, str]] = {"Tuberkulez": "tuberculosis"}
"""What the names of epicrises' files call a nosology, beside the track's own names: D 9.5 has this one."""
_KNOWN: Final = GIVEN | {"stage", "z", "thresholds", "admission", "costs", "file_names"}


@dataclass(frozen=True, slots=True)
class DiagnosisParameters:
    """A cycle's parameters in the form in which they are used."""

    stage: str
    z: float
    thresholds: Mapping[str, Thresholds]
    admission: Mapping[str, Thresholds]
    """Of nosologies the least Se and Sp with which a team stays in the semifinal's ranking (D-App1б)."""
    costs: Costs
    languages: Mapping[str, tuple[str, ...]]
    file_names: Mapping[str, str]

    @property
    def language(self) -> str:
        """Language of an epicrisis that names none: the cycle's first."""
        return next(iter(self.languages))


def complete(raw: Json) -> tuple[dict[str, Json], tuple[Reason, ...]]:
    """The parameters with everything that was left out filled in, and why they cannot be used, if so.

    ``stage`` must be given, one of the three or ``by_set``, where each set has its own. ``z`` is 1.64, ``thresholds``
    (``{nosology: {"se", "sp"}}``, fractions) are those of D 5.5 where they are not given; ``admission`` is of the same
    form, and empty without it: the organizers set no bounds (D-App1б). ``costs`` is
    ``{code: {"doctor": units, "nurse": units}}``, empty by default. ``file_names`` maps what the names of epicrises'
    files call a nosology to its name, beside :data:`FILE_NAMES` and the names themselves.
    """
    reasons = (*of_parameters(raw, _KNOWN), *(_faults(raw) if isinstance(raw, Mapping) else ()))
    if reasons:
        return {}, reasons
    thresholds = {name: {"se": each.se, "sp": each.sp} for name, each in THRESHOLDS.items()}
    return {
        "stage": raw["stage"],
        "z": float(raw.get("z", Z)),
        "thresholds": {**thresholds, **raw.get("thresholds", {})},
        "admission": {name: dict(each) for name, each in raw.get("admission", {}).items()},
        "costs": {code: dict(units) for code, units in raw.get("costs", {}).items()},
        "languages": {name: list(groups) for name, groups in raw.get("languages", {"rus": NAMES}).items()},
        "file_names": {**FILE_NAMES, **raw.get("file_names", {})},
    }, ()


def use(completed: Json) -> DiagnosisParameters:
    """Parameters that :func:`complete` has filled in, ready for use."""
    return _used(canonical_json(completed))


@lru_cache(maxsize=32)
def _used(text: str) -> DiagnosisParameters:
    completed = json.loads(text)
    return DiagnosisParameters(
        stage=completed["stage"],
        z=completed["z"],
        thresholds={name: Thresholds(each["se"], each["sp"]) for name, each in completed["thresholds"].items()},
        admission={name: Thresholds(each["se"], each["sp"]) for name, each in completed["admission"].items()},
        costs=units_of(completed["costs"]),
        languages={name: tuple(groups) for name, groups in completed["languages"].items()},
        file_names=completed["file_names"],
    )


def units_of(table: Mapping[str, Mapping[str, float]]) -> Costs:
    """The organizer's table as costs: the doctor's and the nurse's units together (D-App1а 3).

    Clause: D-App1а 3
    """
    return {code: exact_sum(units.values()) for code, units in table.items()}


def cost_faults(table: Json) -> Iterator[Reason]:
    """What is wrong with a table of costs."""
    if not isinstance(table, Mapping):
        en, ru = f"costs must be an object, not {short(table)}", f"costs: ожидается объект, а не {short_ru(table)}"
        yield reason("wrong_type", "costs", en, ru)
        return
    for code, units in table.items():
        field = f"costs.{writable(str(code))}"
        whole = isinstance(units, Mapping) and units and set(units) <= _UNITS
        if not whole or not all(_number(each, 0, MOST_UNITS) for each in units.values()):
            yield reason(
                "invalid_costs",
                field,
                f'{field} must be {{"doctor": units, "nurse": units}}, numbers from 0 on',
                f'{field}: нужно {{"doctor": УЕТ, "nurse": УЕТ}}, числа от 0',
            )


def _faults(raw: Mapping[str, Any]) -> Iterator[Reason]:
    if raw.get("stage") not in STAGES:
        known = ", ".join(STAGES)
        yield reason("unknown_stage", "stage", f"stage must be one of {known}", f"stage: допустимы {known}")
    if not _number(raw.get("z", Z), 0, MOST_Z):
        yield reason("invalid_z", "z", f"z must be a number from 0 to {MOST_Z:g}", f"z: нужно число от 0 до {MOST_Z:g}")
    yield from _threshold_faults("thresholds", raw.get("thresholds", {}))
    yield from _threshold_faults("admission", raw.get("admission", {}))
    yield from cost_faults(raw.get("costs", {}))
    yield from _language_faults(raw.get("languages", {"rus": NAMES}))
    file_names = raw.get("file_names", {})
    if not isinstance(file_names, Mapping) or not all(name in NAMES for name in file_names.values()):
        known = ", ".join(NAMES)
        yield reason(
            "unknown_nosology",
            "file_names",
            f"file_names must map words to the nosologies {known}",
            f"file_names: словам соответствуют нозологии из {known}",
        )


def _threshold_faults(field: str, thresholds: Json) -> Iterator[Reason]:
    named = thresholds.items() if isinstance(thresholds, Mapping) else ()
    whole = all(
        name in NAMES
        and isinstance(each, Mapping)
        and set(each) == {"se", "sp"}
        and all(_number(value, 0, 1) for value in each.values())
        for name, each in named
    )
    if not whole or not isinstance(thresholds, Mapping):
        yield reason(
            "invalid_thresholds",
            field,
            field + ' must give {"se": fraction, "sp": fraction} for some of ' + ", ".join(NAMES),
            field + ': нужны {"se": доля, "sp": доля} для ' + ", ".join(NAMES),
        )


def _language_faults(languages: Json) -> Iterator[Reason]:
    named = languages.values() if isinstance(languages, Mapping) else ()
    if not named or not all(map(_nosologies, named)):
        known = ", ".join(NAMES)
        yield reason(
            "unknown_nosology",
            "languages",
            f"each of the languages must list some of the nosologies {known}",
            f"у каждого языка — список нозологий из {known}",
        )


def _nosologies(value: Json) -> bool:
    return isinstance(value, list | tuple) and all(name in NAMES for name in value)


def _number(value: Json, low: float, high: float) -> bool:
    """Whether a JSON value is a number in these bounds."""
    return is_number(value) and low <= value <= high
