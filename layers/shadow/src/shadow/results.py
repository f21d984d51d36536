"""Aggregates and places anew (R 5.3–5.7, 7.7, 7.12)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import isclose
from typing import Final

from shadow.cells import Cell
from shadow.evidence import Evidence
from shadow.fates import Fate, voided_share
from shadow.final import FinalRun
from shadow.source import Json
from shadow.turns import items
from tracks.protocol import ItemFacts, Missed, Outcome, Standing, Track
from tracks.rules import Details

OTHER_BOARD: Final = "board:"
"""What stands before the key of another board than the contest's main one (docs/decisions/0001)."""
WITHIN: Final = 1e-9
"""How far, of its value, a plain mean may be from the library's, which rounds once."""


def is_solution_voided(final: FinalRun, of: list[Fate]) -> bool:
    """Whether more files were missed than may be (R 7.7)."""
    share = voided_share(of)
    return share is not None and share > final.track.policies("final").max_voided_share


def outcomes(final: FinalRun, of: Sequence[Fate], scores: Mapping[int, Json]) -> tuple[Outcome, ...]:
    """What aggregates are made of: every item that counts for the team, with all its files, under its opaque name."""
    found = []
    for row in items(final.files):
        file, fates = row[-1], [of[each.number - 1] for each in row]
        is_wrong = final.track.policies("final").missed is Missed.WRONG
        is_whole = all(each.cause is None for each in fates)
        score = scores.get(file.number) if is_whole or is_wrong else None
        if all(each.counts for each in fates):
            is_answered = is_whole and score is not None
            found.append(Outcome(ItemFacts(file.file_id, file.language, file.group), is_answered, score))
    return tuple(found)


def entries(final: FinalRun, found: Evidence, of: list[Fate], scores: Mapping[int, Json]) -> list[Json]:
    """A team's entries on all parts of the board: of all files, of each language, of each nomination, and on the
    contest's other boards. None for trials, stopped runs, annulled solutions, and whoever left; none on a part of which
    no file counts for the team.

    Clause: R 7.12, R 7.7, R 4.5, D 6.9, TS T9
    """
    if final.run["trial"] or final.calendar.stopped_at is not None or found.session["state"] == "aborted":
        return []
    if is_solution_voided(final, of):
        return []
    counting = outcomes(final, of, scores)
    parts = {"all": counting}
    for language in sorted({each.item.language for each in counting}):
        parts[language] = tuple(each for each in counting if each.item.language == language)
    for nomination in final.parameters.get("nominations", ()):
        parts[f"nomination:{nomination['name']}"] = tuple(each for each in counting if _is_nominated(nomination, each))
    parts |= {f"{OTHER_BOARD}{each.key}": counting for each in final.track.boards()[1:]}
    whole = {name: _entry(final, found, name, some) for name, some in parts.items() if some or name == "all"}
    return list(whole.values())


def _is_nominated(nomination: Json, outcome: Outcome) -> bool:
    item = outcome.item
    languages, groups = nomination["languages"], nomination["groups"]
    return (not languages or item.language in languages) and (not groups or item.group in groups)


def _entry(final: FinalRun, found: Evidence, part: str, counting: Sequence[Outcome]) -> Json:
    session, parameters = found.session, final.parameters
    made = final.track.aggregate(counting, parameters["track"], parameters["bootstrap_seed"])
    if final.track.details(final.run["set_kind"]) is Details.TOTALS:
        made = final.track.totals(made, counting)
    return {
        "language": part,
        "team_id": session["team_id"],
        "session_id": session["session_id"],
        "closed_at": int(session["closed_at"]),
        "parameters_version": parameters["version"],
        "answered": sum(each.answered for each in counting),
        "whole": len(counting),
        "result": made,
    }


def plain(scores: Sequence[Json]) -> dict[str, float] | None:
    """STAR, STER and OTAR of essays' score records by the regulation's own words: means, and their ratio.

    None where records are not of essays with two experts and more, all of them defined.

    Clause: R 5.3, R 5.4, R 5.7
    """
    if not scores or any(not isinstance(each, Mapping) or each.get("experts", 0) < 2 for each in scores):
        return None
    star = [each["algorithm_accuracy"] for each in scores]
    ster = [each["expert_accuracy"] for each in scores]
    if None in star or None in ster or not any(ster):
        return None
    above, below = (sum(map(Fraction, values), Fraction(0)) / len(values) for values in (star, ster))
    return {
        "algorithm_accuracy": float(above),
        "expert_accuracy": float(below),
        "relative_accuracy": float(above / below * 100),
        "essays": len(scores),
    }


def unlike_plain(result: Json, scores: Sequence[Json]) -> Iterator[Cell]:
    """Where an aggregate is not what the plain means of its scores are."""
    for name, value in (plain(scores) or {}).items():
        stored = result.get(name) if isinstance(result, Mapping) else None
        if stored is None or not isclose(stored, value, rel_tol=WITHIN):
            yield Cell(f"result.{name}", stored, value)


def places(track: Track, entries: Sequence[Json], part: str = "all") -> dict[str, int]:
    """Place of every team on a part of the board. By relative accuracy, of which more is better; equal ones share a
    place (R 7.12).

    What has no relative accuracy is ranked as its contest says.
    """
    board = part.removeprefix(OTHER_BOARD) if part.startswith(OTHER_BOARD) else ""
    values = {each["team_id"]: _relative(each["result"]) for each in entries}
    if any(value is None for value in values.values()):
        standings = [Standing(each["team_id"], each["result"]) for each in entries]
        return {each.team: each.place for each in track.rank(standings, board)}
    defined = [value for value in values.values() if value is not None]
    return {
        team_id: 1 + sum(other > value for other in defined) for team_id, value in values.items() if value is not None
    }


def _relative(result: Json) -> float | None:
    found = result.get("relative_accuracy") if isinstance(result, Mapping) else None
    return float(found) if isinstance(found, int | float) else None
