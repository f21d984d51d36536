"""Reading ``cycle.json``: what an organizer says about a cycle, checked completely before anything is stored."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from zoneinfo import ZoneInfo, available_timezones

from contest.domain.cycle import (
    ALL_LANGUAGES,
    FINAL,
    TECHNICAL,
    TECHNICAL_TIMES,
    RunRules,
    SetKind,
    TechnicalTimes,
)
from contest.domain.faults import Fault
from tracks.protocol import Policies

NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_SHA256: Final = re.compile(r"[0-9a-f]{64}")
FILE: Final = "cycle.json"
DEFAULT_ZONE: Final = "Europe/Moscow"
DEFAULT_TRACK: Final = "essay"

_COUNTS: Final[Mapping[str, tuple[int | None, int, int]]] = {
    "sessions_per_day": (None, 1, 10_000),
    "idle_timeout_s": (900, 1, 86_400),
    "sends_per_file": (None, 1, 99),
    "requests_per_second": (10, 1, 10_000),
    "readiness_min_files": (30, 1, 1000),
    "bootstrap_seed": (20_261_121, 0, 2**63 - 1),
}
"""Default, least and greatest value of the whole-number parameters (platform §3); None: the track's own rule."""
_SHARE: Final = 0.95
_PLATFORM: Final = frozenset({*_COUNTS, "time_limit_s", "readiness_min_share", "technical", "final"})
_LIMITS: Final[Mapping[str, tuple[int, int]]] = {
    "request_s": (1, 3600),
    "answer_s": (1, 86_400),
    "total_s": (1, 86_400),
    "join_s": (0, 86_400),
}
"""Least and greatest value of the limits of scheduled runs."""
_TIMES: Final[Mapping[str, tuple[int, int]]] = {"every_hours": (1, 168), "lead_s": (0, 86_400)}
_INTERVAL: Final = (1, 3600)
_FILES: Final = (1, 1000)
_TOP: Final = frozenset(
    {"cycle", "name", "time_zone", "track", "languages", "classifier", "parameters", "sets", "known_clients"}
)


@dataclass(frozen=True, slots=True)
class SetSource:
    """Where the files of a set are, relative to the cycle's folder."""

    name: str
    folder: str
    kind: SetKind


@dataclass(frozen=True, slots=True)
class CycleFile:
    """What the file says, defaults filled in; track parameters still unread by the track."""

    cycle: str
    title: Mapping[str, str]
    time_zone: str
    track: str
    languages: Mapping[str, tuple[str, ...]]
    classifier: Any
    counts: Mapping[str, int]
    time_limit_s: tuple[int, int, int]
    readiness_min_share: float
    technical: RunRules
    technical_times: TechnicalTimes
    final: RunRules
    track_parameters: Mapping[str, Any]
    sets: tuple[SetSource, ...]
    known_clients: tuple[str, ...]


class _Reader:
    """Collects faults while values are taken out of untrusted JSON."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []

    def fault(self, code: str, message: str, field: str) -> None:
        self.faults.append(Fault(code, FILE, message, {"field": field}))

    def mapping(self, raw: Any, field: str) -> Mapping[str, Any]:
        if isinstance(raw, dict):
            return raw
        self.fault("not_an_object", f"{field} must be an object", field)
        return {}

    def name(self, raw: Any, field: str) -> str:
        if isinstance(raw, str) and NAME.fullmatch(raw):
            return raw
        self.fault("bad_name", f"{field} must be 1–40 of a–z, 0–9 and '-', not {raw!r}", field)
        return ""

    def integer(self, raw: Any, field: str, least: int, greatest: int) -> int:
        if isinstance(raw, int) and not isinstance(raw, bool) and least <= raw <= greatest:
            return raw
        self.fault("out_of_range", f"{field} must be a whole number from {least} to {greatest}, not {raw!r}", field)
        return least


def track_name(raw: Any) -> str:
    """The track the file names, as far as it can be told before the file is checked."""
    named = raw.get("track", DEFAULT_TRACK) if isinstance(raw, dict) else DEFAULT_TRACK
    return named if isinstance(named, str) else DEFAULT_TRACK


def read(raw: Any, rules: Policies) -> tuple[CycleFile | None, tuple[Fault, ...]]:
    """Read the file's JSON value; None exactly when there are faults.

    ``rules`` are the track's, which hold where the file says nothing.
    """
    reader = _Reader()
    top = reader.mapping(raw, FILE)
    for unknown in sorted(set(top) - _TOP):
        reader.fault("unknown_field", f"unknown field {unknown}", unknown)
    parameters = reader.mapping(top.get("parameters", {}), "parameters")
    file = CycleFile(
        cycle=reader.name(top.get("cycle"), "cycle"),
        title=_title(reader, top.get("name")),
        time_zone=_zone(reader, top.get("time_zone", DEFAULT_ZONE)),
        track=reader.name(top.get("track", DEFAULT_TRACK), "track"),
        languages=_languages(reader, top.get("languages")),
        classifier=top.get("classifier", "default"),
        counts={
            name: reader.integer(
                parameters.get(name, getattr(rules, name) if usual is None else usual),
                f"parameters.{name}",
                least,
                greatest,
            )
            for name, (usual, least, greatest) in _COUNTS.items()
        },
        time_limit_s=_time_limit(reader, parameters.get("time_limit_s", {}), rules),
        readiness_min_share=_share(reader, parameters.get("readiness_min_share", _SHARE)),
        technical=_technical(reader, parameters.get("technical", {})),
        technical_times=_technical_times(reader, parameters.get("technical", {})),
        final=_final(reader, parameters.get("final", {})),
        track_parameters={name: value for name, value in parameters.items() if name not in _PLATFORM},
        sets=_sets(reader, top.get("sets")),
        known_clients=_known_clients(reader, top.get("known_clients", [])),
    )
    return (None, tuple(reader.faults)) if reader.faults else (file, ())


def _title(reader: _Reader, raw: Any) -> Mapping[str, str]:
    title = reader.mapping(raw, "name")
    for language in ("ru", "en"):
        if not isinstance(title.get(language), str) or not title[language].strip():
            reader.fault("missing_name", f"name.{language} must say what the cycle is called", f"name.{language}")
    return {language: str(title.get(language, "")) for language in ("ru", "en")}


def _zone(reader: _Reader, raw: Any) -> str:
    if isinstance(raw, str) and raw in available_timezones():
        return ZoneInfo(raw).key
    reader.fault("unknown_time_zone", f"time_zone {raw!r} is not known", "time_zone")
    return "UTC"


def _languages(reader: _Reader, raw: Any) -> Mapping[str, tuple[str, ...]]:
    languages = reader.mapping(raw, "languages")
    if not languages:
        reader.fault("no_languages", "languages must name at least one language with its subjects", "languages")
    for name, groups in languages.items():
        whole = isinstance(groups, list) and groups and all(isinstance(each, str) and each for each in groups)
        if not whole or name == ALL_LANGUAGES or not NAME.fullmatch(name):
            reader.fault("bad_language", f"languages.{name} must list its subjects", f"languages.{name}")
    return {name: tuple(groups) for name, groups in languages.items() if isinstance(groups, list)}


def _time_limit(reader: _Reader, raw: Any, rules: Policies) -> tuple[int, int, int]:
    given = reader.mapping(raw, "parameters.time_limit_s")
    shortest, longest, usual = (
        reader.integer(given.get(name, default), f"parameters.time_limit_s.{name}", 1, 3600)
        for name, default in zip(("min", "max", "default"), rules.answer_limit_s, strict=True)
    )
    if not shortest <= usual <= longest:
        reader.fault("out_of_range", "time_limit_s needs min ≤ default ≤ max", "parameters.time_limit_s")
    return shortest, longest, usual


def _technical(reader: _Reader, raw: Any) -> RunRules:
    field = "parameters.technical"
    given = reader.mapping(raw, field)
    for unknown in sorted(set(given) - {*_LIMITS, *_TIMES, "enabled", "files", "interval_s"}):
        reader.fault("unknown_field", f"unknown field {field}.{unknown}", f"{field}.{unknown}")
    return RunRules(
        files=_bounds(reader, given.get("files", list(TECHNICAL.files)), f"{field}.files", _FILES),
        interval_s=_bounds(
            reader, given.get("interval_s", list(TECHNICAL.interval_s)), f"{field}.interval_s", _INTERVAL
        ),
        **_limits(reader, given, TECHNICAL, field),
    )


def _technical_times(reader: _Reader, raw: Any) -> TechnicalTimes:
    given = raw if isinstance(raw, dict) else {}
    enabled = given.get("enabled", TECHNICAL_TIMES.enabled)
    if not isinstance(enabled, bool):
        reader.fault(
            "not_true_or_false", "parameters.technical.enabled is true or false", "parameters.technical.enabled"
        )
    times = {
        name: reader.integer(given.get(name, getattr(TECHNICAL_TIMES, name)), f"parameters.technical.{name}", *bounds)
        for name, bounds in _TIMES.items()
    }
    return TechnicalTimes(enabled is True, **times)


def _final(reader: _Reader, raw: Any) -> RunRules:
    field = "parameters.final"
    given = reader.mapping(raw, field)
    for unknown in sorted(set(given) - {*_LIMITS, "interval_s"}):
        reader.fault("unknown_field", f"unknown field {field}.{unknown}", f"{field}.{unknown}")
    interval = reader.integer(given.get("interval_s", FINAL.interval_s[0]), f"{field}.interval_s", *_INTERVAL)
    return RunRules(FINAL.files, (interval, interval), **_limits(reader, given, FINAL, field))


def _limits(reader: _Reader, given: Mapping[str, Any], usual: RunRules, field: str) -> dict[str, int]:
    return {
        name: reader.integer(given.get(name, getattr(usual, name)), f"{field}.{name}", *bounds)
        for name, bounds in _LIMITS.items()
    }


def _bounds(reader: _Reader, raw: Any, field: str, allowed: tuple[int, int]) -> tuple[int, int]:
    """Least and greatest value of something that is drawn: ``[20, 60]``."""
    if not isinstance(raw, list) or len(raw) != 2:
        reader.fault("not_two_bounds", f"{field} must be [least, greatest], not {raw!r}", field)
        return allowed
    least, greatest = (reader.integer(each, field, *allowed) for each in raw)
    if least > greatest:
        reader.fault("out_of_range", f"{field} must be [least, greatest], not {raw!r}", field)
    return least, greatest


def _share(reader: _Reader, raw: Any) -> float:
    if isinstance(raw, int | float) and not isinstance(raw, bool) and 0 <= raw <= 1:
        return float(raw)
    reader.fault("out_of_range", "readiness_min_share must be from 0 to 1", "parameters.readiness_min_share")
    return _SHARE


def _sets(reader: _Reader, raw: Any) -> tuple[SetSource, ...]:
    sets = reader.mapping(raw, "sets")
    if not sets:
        reader.fault("no_sets", "sets must name at least one set of files", "sets")
    return tuple(_set(reader, name, source) for name, source in sorted(sets.items()))


def _known_clients(reader: _Reader, raw: Any) -> tuple[str, ...]:
    if isinstance(raw, list) and all(isinstance(each, str) and _SHA256.fullmatch(each) for each in raw):
        return tuple(sorted(raw))
    reader.fault("bad_client", "known_clients must list SHA-256 sums of published modules", "known_clients")
    return ()


def _set(reader: _Reader, name: str, raw: Any) -> SetSource:
    source = reader.mapping(raw, f"sets.{name}")
    kind = source.get("kind")
    if kind not in set(SetKind):
        reader.fault("bad_kind", f"sets.{name}.kind must be one of: {', '.join(SetKind)}", f"sets.{name}.kind")
        kind = SetKind.TEST
    folder = source.get("folder", name)
    if not isinstance(folder, str) or not NAME.fullmatch(folder):
        reader.fault("bad_folder", f"sets.{name}.folder must be the name of a folder beside", f"sets.{name}.folder")
        folder = name
    return SetSource(reader.name(name, f"sets.{name}"), folder, SetKind(kind))
