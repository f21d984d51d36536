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


def is_solution_voided(final: FinalRun, session_fates: list[Fate]) -> bool:
    """Check whether more files were missed than are allowed (R 7.7)."""
    share = voided_share(session_fates)
    return share is not None and share > final.track.policies("final").max_voided_share


def outcomes(final: FinalRun, session_fates: Sequence[Fate], scores: Mapping[int, Json]) -> tuple[Outcome, ...]:
    """Return the outcomes to aggregate: items that count for the team, with all their files, under opaque names."""
    counting = []
    for row in items(final.files):
        last_file, fates = row[-1], [session_fates[file.number - 1] for file in row]
        is_wrong = final.track.policies("final").missed is Missed.WRONG
        is_whole = all(fate.cause is None for fate in fates)
        score = scores.get(last_file.number) if is_whole or is_wrong else None
        if all(fate.counts for fate in fates):
            is_answered = is_whole and score is not None
            counting.append(
                Outcome(ItemFacts(last_file.file_id, last_file.language, last_file.group), is_answered, score)
            )
    return tuple(counting)


# Clause: R 7.12, R 7.7, R 4.5, D 6.9, TS T9
def entries(final: FinalRun, evidence: Evidence, session_fates: list[Fate], scores: Mapping[int, Json]) -> list[Json]:
    """Compute a team's entries on all parts of the board: all files, each language, each nomination, the other boards.

    None for trials, stopped runs, annulled solutions, and teams that left; none on a part of which no file counts for
    the team.
    """
    if final.run["trial"] or final.calendar.stopped_at is not None or evidence.session["state"] == "aborted":
        return []
    if is_solution_voided(final, session_fates):
        return []
    counting = outcomes(final, session_fates, scores)
    parts = {"all": counting}
    for language in sorted({outcome.item.language for outcome in counting}):
        parts[language] = tuple(outcome for outcome in counting if outcome.item.language == language)
    for nomination in final.parameters.get("nominations", ()):
        parts[f"nomination:{nomination['name']}"] = tuple(
            outcome for outcome in counting if _is_nominated(nomination, outcome)
        )
    parts |= {f"{OTHER_BOARD}{board.key}": counting for board in final.track.boards()[1:]}
    result = _result(final, counting)  # a part of all files has the result of all, which takes long to compute
    return [
        _entry(final, evidence, name, some, result if len(some) == len(counting) else _result(final, some))
        for name, some in parts.items()
        if some or name == "all"
    ]


def _is_nominated(nomination: Json, outcome: Outcome) -> bool:
    item = outcome.item
    languages, groups = nomination["languages"], nomination["groups"]
    return (not languages or item.language in languages) and (not groups or item.group in groups)


def _result(final: FinalRun, counting: Sequence[Outcome]) -> Json:
    parameters = final.parameters
    aggregate = final.track.aggregate(counting, parameters["track"], parameters["bootstrap_seed"])
    if final.track.details(final.run["set_kind"]) is Details.TOTALS:
        return final.track.totals(aggregate, counting)
    return aggregate


def _entry(final: FinalRun, evidence: Evidence, part: str, counting: Sequence[Outcome], result: Json) -> Json:
    session = evidence.session
    return {
        "language": part,
        "team_id": session["team_id"],
        "session_id": session["session_id"],
        "closed_at": int(session["closed_at"]),
        "parameters_version": final.parameters["version"],
        "answered": sum(outcome.answered for outcome in counting),
        "whole": len(counting),
        "result": result,
    }


# Clause: R 5.3, R 5.4, R 5.7
def plain(scores: Sequence[Json]) -> dict[str, float] | None:
    """Compute STAR, STER and OTAR of essays' score records by the regulation's own words: means, and their ratio.

    None where records are not of essays with two experts and more, all of them defined.
    """
    if not scores or any(not isinstance(score, Mapping) or score.get("experts", 0) < 2 for score in scores):
        return None
    star = [score["algorithm_accuracy"] for score in scores]
    ster = [score["expert_accuracy"] for score in scores]
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
    """Yield the aggregate's values that differ from the plain means of its scores."""
    for name, value in (plain(scores) or {}).items():
        stored = result.get(name) if isinstance(result, Mapping) else None
        if stored is None or not isclose(stored, value, rel_tol=WITHIN):
            yield Cell(f"result.{name}", stored, value)


def places(track: Track, entries: Sequence[Json], part: str = "all") -> dict[str, int]:
    """Compute every team's place on a part of the board.

    By relative accuracy, more being better; equal ones share a place (R 7.12). Without a relative accuracy the track's
    own ranking decides.
    """
    board = part.removeprefix(OTHER_BOARD) if part.startswith(OTHER_BOARD) else ""
    values: dict[str, float | None] = {}
    for entry in entries:
        result = entry["result"]
        accuracy = result.get("relative_accuracy") if isinstance(result, Mapping) else None
        values[entry["team_id"]] = float(accuracy) if isinstance(accuracy, int | float) else None
    if any(value is None for value in values.values()):
        standings = [Standing(entry["team_id"], entry["result"]) for entry in entries]
        return {place.team: place.place for place in track.rank(standings, board)}
    defined = [value for value in values.values() if value is not None]
    return {
        team_id: 1 + sum(other > value for other in defined) for team_id, value in values.items() if value is not None
    }
