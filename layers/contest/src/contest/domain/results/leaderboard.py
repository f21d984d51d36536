"""Leaderboards (R 6.10, 7.12): which sessions count, the best of each team, places."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from contest.domain.cycle.cycle import ALL_LANGUAGES, SetKind
from contest.domain.moments import Millis
from contest.domain.results import run_report, session_report
from contest.domain.run.schedule import Schedule
from contest.domain.session.session import State
from tracks.protocol import Outcome, Standing, Track

WHOLE_SHARE: Final = 0.95
"""Share of the whole test set, or of its part in one language, that a session must have answered."""
LARGE_DIFFERENCE: Final = 5.0
"""Points by which counting missed files as zero may lower a result before the board flags it."""
NOMINATION: Final = "nomination:"
"""Before the name of a nomination where a board is named; languages have no colon."""
BARRIER: Final = 100.0
"""Relative accuracy, in per cent, from which the technological barrier is overcome (R 5.7).

Clause: R 5.2, R 5.7, R 7.12
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """One session's claim to a place on one board; a function of the session's facts."""

    language: str
    team_id: str
    session_id: str
    closed_at: Millis
    parameters_version: int
    answered: int
    whole: int
    """Files of the test set, or of its part in the board's language; in a final those that count for the team."""
    result: Any
    """The track's aggregate over the board's files."""


@dataclass(frozen=True, slots=True)
class Ahead:
    """Who is on the nearest better place, by how many points, and whether both 95 % intervals overlap: then the order
    of the two may be chance. None: there are no intervals."""

    team_id: str
    difference: float
    overlap: bool | None


@dataclass(frozen=True, slots=True)
class Row:
    """A place on a board; where equal results share it, ``place_to`` is the last of the places that they take."""

    place: int
    place_to: int
    entry: Entry


def entries(facts: session_report.Facts, whole: Mapping[str, int], track: Track) -> tuple[Entry, ...]:
    """Entries a closed and fully scored session makes; ``whole`` is the test set's size per language.

    Every board is tried on its own: a session over all languages that answered 95 % of the Russian part stands on
    the Russian board with its Russian files, even where it missed too much of the rest. An aborted session does not
    count, one that timed out does.

    Clause: platform §3 abort, R 6.10
    """
    session = facts.session
    if session.set_kind is not SetKind.TEST or session.state is State.ABORTED:
        return ()
    boards = {ALL_LANGUAGES: sum(whole.values()), **whole}
    made = (_entry(facts, language, size, track) for language, size in sorted(boards.items()))
    return tuple(entry for entry in made if entry is not None)


def final_entry(facts: session_report.Facts, schedule: Schedule, track: Track) -> Entry | None:
    """A team's entry on the board of a final (R 7.12), over the files that count for it; None where it has none.

    Trials and stopped runs have no board. An annulled solution (R 7.7) is not on it, nor is one whose team ended its
    participation before the end (R 4.5).

    Clause: R 7.12, R 7.7, R 4.5, platform §3 trial, D 6.9, R 10.2
    """
    session, run = facts.session, schedule.run
    if run.trial or schedule.stop is not None or session.state is State.ABORTED or session.closed_at is None:
        return None
    if run_report.solution(run_report.views(facts), track.policies(run.mode.value).max_voided_share)["voided"]:
        return None
    fates = run_report.outcomes(facts)
    parameters = facts.parameters
    return Entry(
        language=ALL_LANGUAGES,
        team_id=session.team_id,
        session_id=session.session_id,
        closed_at=session.closed_at,
        parameters_version=parameters.version,
        answered=sum(each.answered for each in fates),
        whole=len(fates),
        result=track.aggregate(fates, parameters.track, parameters.bootstrap_seed),
    )


def final_entries(facts: session_report.Facts, schedule: Schedule, track: Track) -> tuple[Entry, ...]:
    """A team's entries on all boards of a final: of all files, of each language, of each nomination; none without a
    place on the first. A board of which no file counts for the team has no entry of it.

    Clause: R 7.12, platform §4 boards
    """
    whole = final_entry(facts, schedule, track)
    if whole is None:
        return ()
    fates = run_report.outcomes(facts)
    chosen = {name: [each for each in fates if each.item.language == name] for name in _languages(fates)}
    for nomination in facts.parameters.nominations:
        taken = [each for each in fates if nomination.takes(each.item.language, each.item.group)]
        chosen[nomination_board(nomination.name)] = taken
    return (whole, *(_part(whole, name, found, facts, track) for name, found in chosen.items() if found))


def _languages(fates: Sequence[Outcome]) -> list[str]:
    return sorted({each.item.language for each in fates})


def _part(whole: Entry, board_name: str, fates: Sequence[Outcome], facts: session_report.Facts, track: Track) -> Entry:
    parameters = facts.parameters
    return replace(
        whole,
        language=board_name,
        answered=sum(each.answered for each in fates),
        whole=len(fates),
        result=track.aggregate(fates, parameters.track, parameters.bootstrap_seed),
    )


def nomination_board(name: str) -> str:
    """The board of a nomination, where a language names its own."""
    return f"{NOMINATION}{name}"


def ahead(rows: Sequence[Row]) -> list[Ahead | None]:
    """How far each row is behind the nearest better place, in the order of the rows; None for the first place, and
    where a result is undefined.

    Clause: platform §4 boards
    """
    found: list[Ahead | None] = []
    for row in rows:
        better = [each for each in rows if each.place < row.place]
        found.append(_behind(better[-1].entry, row.entry) if better else None)
    return found


def _behind(better: Entry, worse: Entry) -> Ahead | None:
    values = relative(better.result), relative(worse.result)
    if values[0] is None or values[1] is None:
        return None
    intervals = interval(better.result), interval(worse.result)
    overlap = None if intervals[0] is None or intervals[1] is None else intervals[0][0] <= intervals[1][1]
    return Ahead(better.team_id, values[0] - values[1], overlap)


def interval(result: Any) -> tuple[float, float] | None:
    """The 95 % interval of a result's relative accuracy, in per cent; None where the track gives none."""
    told = result.get("interval_95") if isinstance(result, Mapping) else None
    ends = told.get("relative_accuracy") if isinstance(told, Mapping) else None
    return None if ends is None else (float(ends[0]), float(ends[1]))


def _entry(facts: session_report.Facts, language: str, whole: int, track: Track) -> Entry | None:
    """Clause: R 6.10"""
    fates = [each for each in session_report.outcomes(facts) if language in {ALL_LANGUAGES, each.item.language}]
    answered = sum(each.answered for each in fates)
    if whole == 0 or answered < WHOLE_SHARE * whole or facts.session.closed_at is None:
        return None
    parameters = facts.parameters
    return Entry(
        language=language,
        team_id=facts.session.team_id,
        session_id=facts.session.session_id,
        closed_at=facts.session.closed_at,
        parameters_version=parameters.version,
        answered=answered,
        whole=whole,
        result=track.aggregate(fates, parameters.track, parameters.bootstrap_seed),
    )


def board(found: Sequence[Entry], track: Track) -> tuple[Row, ...]:
    """Best entry of each team, best first; equal results share a place and stand in the order of the teams' ids.

    Which entry is better is the track's to say (:meth:`~tracks.protocol.Track.rank`); among a team's equal ones the
    earliest closed stands, so that a repetition changes nothing.

    Clause: R 2.13, R 6.10, R 7.12, platform §4 boards
    """
    by_team: dict[str, list[Entry]] = defaultdict(list)
    for entry in found:
        by_team[entry.team_id].append(entry)
    best = {team_id: best_of(claims, track) for team_id, claims in by_team.items()}
    places = track.rank([Standing(team_id, entry.result) for team_id, entry in sorted(best.items())])
    sharing = Counter(each.place for each in places)
    rows = [Row(each.place, each.place + sharing[each.place] - 1, best[each.team]) for each in places]
    return tuple(sorted(rows, key=lambda row: (row.place, row.entry.team_id)))


def said(place: int, place_to: int) -> str:
    """A place as people read it: "3", and "1–2" where two share it."""
    return str(place) if place == place_to else f"{place}–{place_to}"


def best_of(claims: Sequence[Entry], track: Track) -> Entry:
    """The best of a team's entries; of equal ones the earliest closed. Of a session's own the last given.

    Clause: R 6.10
    """
    known = {entry.session_id: entry for entry in claims}
    places = track.rank([Standing(session_id, entry.result) for session_id, entry in sorted(known.items())])
    first = min(each.place for each in places)
    return min(
        (known[each.team] for each in places if each.place == first),
        key=lambda entry: (entry.closed_at, entry.session_id),
    )


def overcame(result: Any) -> bool | None:
    """Whether a result overcomes the technological barrier (R 5.7, 7.12); None where it is undefined.

    Clause: R 5.2, R 5.7, R 7.12, R 4.8
    """
    value = relative(result)
    return None if value is None else value >= BARRIER


def abstention(result: Any) -> dict[str, Any] | None:
    """Abstention audit (platform §4): the result with missed files counted as zero, and whether it differs much.

    None where the track's aggregate does not say it (``missed_as_zero``, with the same name inside) or a value is
    undefined.

    Clause: platform §4 abstention
    """
    missed = result.get("missed_as_zero") if isinstance(result, Mapping) else None
    shown, audited = relative(result), relative(missed)
    if shown is None or audited is None:
        return None
    difference = shown - audited
    return {"relative_accuracy": audited, "difference": difference, "flagged": difference > LARGE_DIFFERENCE}


def relative(result: Any) -> float | None:
    """The relative accuracy of a track's aggregate in per cent; None where it is undefined or the track has none."""
    value = result.get("relative_accuracy") if isinstance(result, Mapping) else None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
