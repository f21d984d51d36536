"""A cycle's parameters, a subtask's hidden test as it is handed out, and prediction files (tracks.md §4; F).

Parameters of a fusion cycle are minima, prizes, ways of counting, and a submission's resources (tracks.md §4).
Everything has the contest's default; ``resources`` are numbers the organizer maps to a machine.

Requests: C2C ``{id: program}``, HTR ``[image, …]`` (the contest hands out the folder of images alone), zsOD ``{image:
[class, …]}``, VQA ``{id: {"file_name": …, "question": …}}``. Codes besides those of :mod:`tracks.fusion.score`:
``unknown_subtask``, ``missing_field``, ``no_requests``, ``duplicate_request``, ``missing_truth``, ``unknown_truth``,
``unlisted_subtask``.

Prediction files (F, "Общий формат решения") may have the warnings ``unknown_ids`` and ``missing_ids``, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final

from markup_core.command.inputs import RefusedError
from markup_core.lazy import dataclass
from markup_core.reading.wire import Limits, short
from tracks.base import GIVEN, Fields, of_parameters, of_refusal, read_body, refuse, unknown_names
from tracks.fusion.archive import GIGABYTE, ArchiveLimits
from tracks.fusion.score import MODES, PREDICTION, TRUTH, Faults, at, read_texts
from tracks.fusion.subtasks import LEAST_SUM, MINIMA, Subtask, decimal, sorted_apart
from tracks.protocol import ItemFacts, Json, Reason, Text, Verdict
from tracks.texts import tr

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
LANGUAGES: Final[Mapping[str, tuple[str, ...]]] = {"mul": tuple(subtask.value for subtask in Subtask)}
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
        """Return the language whose list holds this subtask."""
        return next((language for language, subtasks in self.languages.items() if subtask in subtasks), None)

    @property
    def archive(self) -> ArchiveLimits:
        """Bounds of a submission's archive."""
        packed, unpacked = (int(self.resources[name] * GIGABYTE) for name in ("packed_gb", "unpacked_gb"))
        return ArchiveLimits(packed, unpacked, int(self.resources["members"]))


def complete(raw: Json) -> tuple[dict[str, Json], tuple[Reason, ...]]:
    """Complete minima, Smin, modes and resources by defaults; return the reasons if they cannot be used."""
    sections, faults = _sections(raw if isinstance(raw, Mapping) else {})
    reasons = (*of_parameters(raw, _KNOWN), *faults)
    return ({}, reasons) if reasons else (sections, ())


def use(completed: Json) -> FusionParameters:
    """Convert parameters that :func:`complete` has filled in to the form in which they are used."""
    return FusionParameters(
        minima={subtask: decimal(completed["minima"][subtask.key]) for subtask in Subtask},
        smin=decimal(completed["smin"]),
        modes={subtask: completed["modes"].get(subtask.key) for subtask in Subtask},
        resources=completed["resources"],
        languages={name: tuple(subtasks) for name, subtasks in completed["languages"].items()},
    )


def _sections(raw: Mapping[str, Any]) -> tuple[dict[str, Json], tuple[Reason, ...]]:
    fields, reasons = Fields(raw), list[Reason]()
    sections: dict[str, Json] = {}
    for name, read in _READERS.items():
        try:
            sections[name] = read(fields)
        except RefusedError as refused:
            reasons.append(of_refusal("invalid_params", refused))
    for name, names in (
        ("minima", {subtask.key for subtask in Subtask}),
        ("modes", {subtask.key for subtask in Subtask if MODES[subtask]}),
        ("resources", RESOURCES.keys()),
    ):
        if isinstance(raw.get(name), Mapping):
            reasons += unknown_names(raw[name], names, name)
    return sections, tuple(reasons)


def _minima(fields: Fields) -> dict[str, Json]:
    part = _part(fields, "minima")
    return {subtask.key: part.number(subtask.key, float(MINIMA[subtask]), low=0, high=1) for subtask in Subtask}


# Clause: TS F-10
def _modes(fields: Fields) -> dict[str, Json]:
    part = _part(fields, "modes")
    return {subtask.key: part.choice(subtask.key, MODES[subtask], None) for subtask in Subtask if MODES[subtask]}


def _resources(fields: Fields) -> dict[str, Json]:
    part = _part(fields, "resources")
    return {name: part.number(name, usual, low=0) for name, usual in RESOURCES.items()}


def _languages(fields: Fields) -> dict[str, Json]:
    languages = fields.mapping("languages", None)
    if languages is None:
        return {name: list(subtasks) for name, subtasks in LANGUAGES.items()}
    part = fields.part("languages")
    for name in languages:
        for subtask in part.items(name):
            if subtask not in LANGUAGES["mul"]:
                refuse(part.path(name), tr("must list subtasks, not {subtask}", subtask=short(subtask)))
    return {name: list(subtasks) for name, subtasks in languages.items()}


_READERS: Final[Mapping[str, Callable[[Fields], Json]]] = {
    "minima": _minima,
    "smin": lambda fields: fields.number("smin", float(LEAST_SUM), low=0, high=len(Subtask)),
    "modes": _modes,
    "resources": _resources,
    "languages": _languages,
}


def _part(fields: Fields, name: str) -> Fields:
    return Fields(fields.mapping(name, {}), fields.path(name))


RequestedIds = Mapping[str, frozenset[str]]
"""Ids that may be predicted, each with its classes in zsOD, else with an empty set."""


def read_item(raw: Json, rules: FusionParameters) -> tuple[ItemFacts | None, tuple[Reason, ...]]:
    """Check a hidden test; its group is its subtask, which a language of the cycle must list."""
    if reasons := _item_faults(raw):
        return None, reasons
    language = rules.language_of(raw["subtask"])
    if language is None:
        subtask = raw["subtask"]
        message = tr("no language of the cycle lists the subtask {subtask}", subtask=subtask)
        return None, (Reason("unlisted_subtask", message, {"field": "subtask"}),)
    return ItemFacts(raw["id"], language, raw["subtask"]), ()


def _item_faults(raw: Json) -> tuple[Reason, ...]:
    """Return the faults of ``{"id": …, "subtask": …, "requests": …}``."""
    faults = Faults()
    if not isinstance(raw, Mapping):
        faults.add("not_an_object", "item", tr("must be an object, not {raw}", raw=short(raw)))
        return tuple(faults.reasons)
    if not isinstance(raw.get("id"), str) or not raw["id"].strip():
        faults.add("missing_field", "id", tr("must be a string that names the test"))
    names = [subtask.value for subtask in Subtask]
    if raw.get("subtask") not in names:
        choices = ", ".join(names)
        wrong = raw.get("subtask")
        message = tr("must be one of {choices}, not {wrong}", choices=choices, wrong=short(wrong))
        faults.add("unknown_subtask", "subtask", message)
    elif "requests" not in raw:
        faults.add("missing_field", "requests", tr("is missing"))
    else:
        _requests(Subtask(raw["subtask"]), raw["requests"], faults)
    return tuple(faults.reasons)


def requested_ids(item: Mapping[str, Json]) -> RequestedIds:
    """Return the ids that may be predicted, of an item without faults."""
    requests = item["requests"]
    if Subtask(item["subtask"]) is Subtask.ZSOD:
        return {image: frozenset(classes) for image, classes in requests.items()}
    return dict.fromkeys(requests, frozenset())


# Clause: F true
def read_reference(item: Mapping[str, Json], raw: Json) -> tuple[Reason, ...]:
    """Return the faults of an item's true answers: their form, and ids other than those that are handed out."""
    faults, ids = Faults(), requested_ids(item)
    subtask = Subtask(item["subtask"])
    truth = TRUTH[subtask](raw, "true", faults)
    if faults.reasons:
        return tuple(faults.reasons)
    _same_ids("true", ids, truth, faults)
    if subtask is Subtask.ZSOD:
        for image in sorted(ids.keys() & truth.keys()):
            _same_ids(at("true", image), ids[image], truth[image], faults)
    return tuple(faults.reasons)


def _requests(subtask: Subtask, raw: Json, faults: Faults) -> None:
    where = "requests"
    if subtask is Subtask.HTR:
        _names(raw, where, faults)
    elif subtask is Subtask.C2C:
        read_texts(raw, where, faults)
    elif not isinstance(raw, Mapping):
        faults.add("not_an_object", where, tr("must be an object, not {raw}", raw=short(raw)))
    else:
        for name, value in raw.items():
            _entry(subtask, value, at(where, name), faults)
    if not faults.reasons and not raw:
        faults.add("no_requests", where, tr("ask for nothing"))


# Clause: F VQA requests, F zsOD requests
def _entry(subtask: Subtask, value: Json, where: str, faults: Faults) -> None:
    """Check the classes of an image, or a question."""
    if subtask is Subtask.ZSOD:
        _names(value, where, faults)
        return
    texts = read_texts(value, where, faults)
    for field in ("file_name", "question"):
        if isinstance(value, Mapping) and field not in texts and field not in value:
            faults.add("missing_field", f"{where}.{field}", tr("is missing"))


def _names(raw: Json, where: str, faults: Faults) -> None:
    if not isinstance(raw, list):
        faults.add("not_a_list", where, tr("must be a list, not {raw}", raw=short(raw)))
        return
    earlier = set()
    for number, name in enumerate(raw):
        if not isinstance(name, str):
            faults.add("not_a_string", at(where, number), tr("must be a string, not {name}", name=short(name)))
        elif name in earlier:
            faults.add("duplicate_request", at(where, number), tr("stands there twice: {name}", name=short(name)))
        else:
            earlier.add(name)


def _same_ids(where: str, requested: Iterable[str], answered: Iterable[str], faults: Faults) -> None:
    for name in sorted(set(requested) - set(answered)):
        faults.add("missing_truth", at(where, name), tr("has no true answer"))
    for name in sorted(set(answered) - set(requested)):
        faults.add("unknown_truth", at(where, name), tr("is not handed out"))


_FEW: Final = 20
"""Most ids in a warning; the others are counted."""
_MEGABYTE: Final = 1024**2
_STRING: Final = {"type": "string"}
_BOX: Final = {"type": "array", "items": {"type": "number"}, "minItems": 4, "maxItems": 4}
_BOXES: Final = {"type": "array", "items": _BOX, "description": "[xmin, ymin, w, h]; [[]] is []"}
SCHEMA: Final[Mapping[str, Json]] = {
    "title": "Prediction",
    "description": "prediction_C2C.json, prediction_HTR.json, prediction_VQA.json or prediction_zsOD.json",
    "type": "object",
    "additionalProperties": {"anyOf": [_STRING, {"type": "object", "additionalProperties": _BOXES}]},
}
"""JSON Schema of zsOD's prediction file, and of the three others."""


def validate(item: Json, body: bytes, parameters: Json) -> Verdict:
    """Judge a prediction file; ids that were not requested cause a warning and are left out."""
    limits = Limits(max_bytes=int(parameters["resources"]["answer_mb"] * _MEGABYTE))
    raw, broken = read_body(body, limits)
    if broken:
        return Verdict(broken)
    faults = Faults()
    prediction = PREDICTION[Subtask(item["subtask"])](raw, "prediction", faults)
    if faults.reasons:
        return Verdict(tuple(faults.reasons))
    canonical, warnings = restricted(item, prediction)
    return Verdict((), warnings, canonical, kind="prediction")


# Clause: tracks §4 missing
def restricted(item: Mapping[str, Json], prediction: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[Reason, ...]]:
    """Reduce a checked prediction to JSON without ids that were not requested; warn of these and of missing ones."""
    ids, canonical = requested_ids(item), {}
    unknown = list(sorted_apart(ids, prediction).unknown)
    for name, value in prediction.items():
        if name not in ids:
            continue
        canonical[name] = value
        if Subtask(item["subtask"]) is Subtask.ZSOD:
            unknown += [f"{name}: {class_name}" for class_name in sorted(value.keys() - ids[name])]
            canonical[name] = {
                class_name: [list(box) for box in boxes]
                for class_name, boxes in value.items()
                if class_name in ids[name]
            }
    missing = sorted_apart(ids, prediction).missing
    return canonical, (
        *_warning("unknown_ids", unknown, tr("nobody asked for: ignored")),
        *_warning("missing_ids", missing, tr("without a prediction")),
    )


def _warning(code: str, ids: Sequence[str], problem: Text) -> tuple[Reason, ...]:
    if not ids:
        return ()
    names = ", ".join(short(name) for name in ids[:_FEW]) + (" …" if len(ids) > _FEW else "")
    message = tr("{count} ids {problem}: {names}", count=len(ids), problem=problem, names=names)
    return (Reason(code, message, {"count": len(ids), "ids": list(ids[:_FEW])}),)
