"""What a run's signed statements say: its openings, pauses, and the files that count for nobody."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pku.clock import parse_moment

Json = Any
ALL_PAUSES_S: Final = 7200.0


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that does not fit: ``proof.{code}`` is its sentence, ``values`` fill it."""

    code: str
    values: Mapping[str, Json]


def openings(chain: Sequence[Json], numbers: Iterable[int], *, paused: bool = True) -> dict[int, float]:
    """When files open by the commitment and the decisions, in seconds; without ``paused`` when they were to open.

    Files of a replacement that was taken back keep their numbers and openings; they count for nobody.
    """
    start = parse_moment(chain[0]["starts_at"])
    interval = chain[0]["interval_ms"] / 1000
    slots = {number: number - 1 for number in range(1, chain[0]["files"] + 1)}
    for said in _replacements(chain):
        slots |= {said["first"] + index: said["slot"] + index for index in range(len(said["numbers"]))}
    breaks = pauses(chain) if paused else []
    return {number: _shifted(start + slots[number] * interval, breaks) for number in numbers}


def total_files(chain: Sequence[Json]) -> int:
    """Files of the run with those that replacements appended."""
    appended = sum(len(said["numbers"]) for said in _replacements(chain))
    return int(chain[0]["files"]) + appended


def voided_for_all(chain: Sequence[Json]) -> dict[int, int]:
    """Files that count for nobody, each with the decision that did it; of a replacement that was taken back the
    appended ones, by what took it back."""
    undone = {each["details"]["amendment"]: each["number"] for each in chain if each.get("amendment") == "undo"}
    found: dict[int, int] = {}
    for each in chain:
        if each.get("amendment") == "replace" and each["number"] in undone:
            first, count = each["details"]["first"], len(each["details"]["numbers"])
            found |= dict.fromkeys(range(first, first + count), undone[each["number"]])
    for each in in_effect(chain):
        if each["amendment"] in {"void", "replace"}:
            for number in each["details"]["numbers"]:
                found.setdefault(int(number), each["number"])
    return found


def in_effect(chain: Sequence[Json]) -> list[Json]:
    """Decisions that were not taken back."""
    amendments = [each for each in chain if each["kind"] == "amendment"]
    undone = {each["details"]["amendment"] for each in amendments if each["amendment"] == "undo"}
    return [each for each in amendments if each["number"] not in undone and each["amendment"] != "undo"]


def pauses(chain: Sequence[Json]) -> list[tuple[float, float]]:
    """Pauses in their order, in seconds; one that nobody ends lasts until all of them together are two hours."""
    found: list[tuple[float, float]] = []
    for each in sorted(in_effect(chain), key=lambda said: (parse_moment(said["effective_at"]), said["number"])):
        moment = parse_moment(each["effective_at"])
        if each["amendment"] == "pause" and (not found or moment >= found[-1][1]):
            left = ALL_PAUSES_S - sum(until - start for start, until in found)
            found.append((moment, moment + left))
        elif each["amendment"] == "resume" and found and moment < found[-1][1]:
            found[-1] = (found[-1][0], moment)
    return found


def _replacements(chain: Sequence[Json]) -> list[Json]:
    return [each["details"] for each in chain if each.get("amendment") == "replace"]


def _shifted(moment: float, breaks: Sequence[tuple[float, float]]) -> float:
    for start, until in breaks:
        if moment >= start:
            moment += until - start
    return moment
