"""What organizers are shown of the cycle."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from contest.domain.cycle.cycle import SETS_OF_RUNS, Cycle, Parameters, SetKind
from contest.domain.cycle.working_days import WEEKDAYS
from contest.domain.moments import iso
from contest.domain.results.session_report import described_parameters
from contest.errors.sets import UnknownSetError
from contest.services import reading, terms
from contest.services.cycle import versions
from contest.services.platform import Platform
from tracks.capabilities import Replayed
from tracks.protocol import Track, mode_named


def described(cycle: Cycle, parameters: Parameters) -> dict[str, Any]:
    """A cycle as its file says it, with what it leaves out, and with the manifests of its sets."""
    return {
        "cycle": cycle.name,
        "name": dict(cycle.title),
        "track": cycle.track,
        "time_zone": cycle.time_zone,
        "languages": {name: list(groups) for name, groups in cycle.languages.items()},
        "classifier": cycle.classifier,
        "known_clients": list(cycle.known_clients),
        "knowledge_base": [asdict(document) for document in cycle.knowledge_base],
        "stages": {
            stage.name.value: {"first": stage.first, "last": stage.last, "outside": stage.outside}
            for stage in cycle.stages
        },
        "working_days": {
            "weekend": [WEEKDAYS[each] for each in cycle.working_days.weekend],
            "holidays": list(cycle.working_days.holidays),
            "working_weekends": list(cycle.working_days.working),
        },
        "notices": dict(cycle.notices),
        "protocols": None if cycle.protocols is None else list(cycle.protocols),
        "parameters": versions.content(parameters),
        "sets": {
            each.name: {"kind": each.kind.value, "manifest": each.manifest, "files": dict(each.sizes)}
            for each in cycle.sets
        },
    }


def description(platform: Platform) -> dict[str, Any]:
    """The running cycle as its file says it; :class:`contest.errors.NoCycleError` before one is loaded.

    Clause: platform §7 compare
    """
    cycle = reading.cycle_now(platform)
    return described(cycle, reading.parameters(platform, cycle.parameters_version))


def items_of(platform: Platform, set_name: str) -> list[list[Any]]:
    """Rows of a set's items: id, language, group, hashes of content and references; :class:`UnknownSetError`.

    Clause: platform §7 compare
    """
    cycle = reading.cycle_now(platform)
    known = cycle.set_named(set_name)
    if known is None:
        raise UnknownSetError
    rows: list[list[Any]] = reading.manifest_json(reading.manifest(platform, cycle.name, known.manifest))["items"]
    return rows


def shown(platform: Platform) -> dict[str, Any]:
    """The loaded cycle as a JSON value; :class:`contest.errors.NoCycleError` before one is."""
    found = reading.cycle_now(platform)
    track = platform.tracks(found.track)
    return {
        "cycle": found.name,
        "name": dict(found.title),
        "track": found.track,
        "time_zone": found.time_zone,
        "loaded_at": iso(found.loaded_at),
        "sets": {
            each.name: {"kind": each.kind.value, "files": dict(each.sizes), "runs": _runs_over(track, each.kind)}
            for each in found.sets
        },
        "notices": [
            {"occasion": each.occasion.value, "days": each.days, "working": each.working, "clause": each.clause}
            for each in terms.of_cycle(platform, found).periods
        ],
        "replay": _replay_rules(track),
        "parameters": described_parameters(platform.catalogue.parameters(found.parameters_version)),
    }


def _runs_over(track: Track, kind: SetKind) -> list[str]:
    """List the contest's kinds of runs that draw from sets of a kind, trials left out."""
    return [mode.value for mode, kinds in SETS_OF_RUNS.items() if kind in kinds and mode_named(track, mode) is not None]


def _replay_rules(track: Track) -> dict[str, Any] | None:
    if not isinstance(track, Replayed):
        return None
    rules = asdict(track.replay_rules())
    # Questions are told with a replay, to those who lead it and to those who answer.
    del rules["questions"]
    return rules
