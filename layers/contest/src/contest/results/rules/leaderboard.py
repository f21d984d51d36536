"""Leaderboards (R 6.10, 7.12): counting sessions, the best of each team, places, published states.

The public state of a board is hidden, frozen as of a moment, or live; the history of its places is kept.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import asdict, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, Literal

from contest.cycle.rules.cycle import ALL_LANGUAGES, Cycle, Parameters, SetKind
from contest.refusals import RefusedError
from contest.results.rules import reports
from contest.session.rules.session import State
from contest.texts import tr
from contest.values import Millis
from markup_core.lazy import dataclass
from tracks.protocol import Outcome, Standing, Track
from tracks.rules import BoardRules, Details

if TYPE_CHECKING:
    from contest.run.rules.run import Run
    from contest.run.rules.schedule import Schedule


LARGE_DIFFERENCE: Final = 5.0
"""Points by which counting missed files as zero may lower a result before the board flags it."""


NOMINATION: Final = "nomination:"
"""Prefix of a nomination's name where a board is named; languages have no colon."""


BOARD: Final = "board:"
"""Prefix of the key of a board other than a contest's main one, which stands under languages and nominations."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Claim of one session to a place on one board; a function of the session's facts."""

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
    references: str = ""
    """The list of the set (SHA-256) by whose references it was scored; empty in a final, which has one for all."""


def as_json(entry: Entry) -> dict[str, Any]:
    """Return an entry as it is stored; a final's has no references."""
    stored = asdict(entry)
    if not entry.references:
        del stored["references"]
    return stored


@dataclass(frozen=True, slots=True)
class SeveralRules:
    """Rules of the rows of a board, where there are several."""

    parameters_versions: tuple[int, ...]
    earlier_references: int
    """Rows by references that the set has no more."""


@dataclass(frozen=True, slots=True)
class Claim:
    """Claimant of places on boards: a session, or a submission under its own name, with the fate of every item."""

    team_id: str
    session_id: str
    closed_at: Millis | None
    set_kind: SetKind
    parameters: Parameters
    fates: Sequence[Outcome]
    manifest: str = ""
    """The list of the set, by its SHA-256."""
    breakdowns: bool = True
    """True if more than totals of a hidden set may be told."""


@dataclass(frozen=True, slots=True)
class Ahead:
    """Holder of the nearest better place: how many points ahead, and whether both 95 % intervals overlap.

    Overlapping intervals: the order of the two may be chance. None: there are no intervals.
    """

    team_id: str
    difference: float
    overlap: bool | None


@dataclass(frozen=True, slots=True)
class Row:
    """A place on a board; where equal results share it, ``place_to`` is the last of the places that they take.

    ``value`` is the board's number for the result, ``overcame`` whether it overcomes the barrier: the track says both,
    None where it cannot. A baseline takes no place: its ``place`` is the one before which it stands.
    """

    place: int
    place_to: int
    entry: Entry
    value: float | None
    overcame: bool | None
    is_baseline: bool = False


# Clause: platform §3 abort, R 6.10, TS T9
def entries(facts: reports.Facts, whole: Mapping[str, int], track: Track) -> tuple[Entry, ...]:
    """Return entries a closed and fully scored session makes; ``whole`` is the test set's size per language.

    Every board is tried on its own: a session over all languages that answered 95 % of the Russian part stands on
    the Russian board with its Russian files, even where it missed too much of the rest. An aborted session does not
    count, one that timed out does, and one whose totals are withheld, or that its stage keeps off, does not. The main
    board of a contest has parts by language, every other is over all files.
    """
    session = facts.session
    if session.state is State.ABORTED or facts.withheld is not None or facts.off_board is not None:
        return ()
    fates = reports.outcomes(facts)
    claim = Claim(
        session.team_id,
        session.session_id,
        session.closed_at,
        session.set_kind,
        facts.parameters,
        fates,
        session.manifest,
        breakdowns=facts.left_out is None,
    )
    return entries_of(claim, whole, track)


def entries_of(claim: Claim, whole: Mapping[str, int], track: Track) -> tuple[Entry, ...]:
    """Return the entries of a claimant of places over a test set; none over another one."""
    if claim.set_kind is not SetKind.TEST:
        return ()
    main, *others = track.boards()
    parts = {language: (main, language, size) for language, size in whole.items()}
    parts[ALL_LANGUAGES] = (main, ALL_LANGUAGES, sum(whole.values()))
    parts |= {
        f"{BOARD}{rules.key}": (rules, ALL_LANGUAGES, sum(whole.values())) for rules in others if not rules.joins_runs
    }
    claimed = (_entry(claim, scope, *part, track) for scope, part in sorted(parts.items()))
    return tuple(entry for entry in claimed if entry is not None)


# Clause: R 7.12, R 7.7, R 4.5, platform §3 trial, D 6.9, R 10.2
def final_entry(facts: reports.Facts, schedule: Schedule, track: Track) -> Entry | None:
    """Return a team's entry on the board of a final (R 7.12), over the files that count for it; None where it has none.

    Trials and stopped runs have no board. An annulled solution (R 7.7) is not on it, nor is one whose team ended its
    participation before the end (R 4.5).
    """
    session, run = facts.session, schedule.run
    if run.trial or schedule.stop is not None or session.state is State.ABORTED or session.closed_at is None:
        return None
    if reports.whole_solution(reports.file_views(facts), track.policies(run.mode.value).max_voided_share)["voided"]:
        return None
    fates = reports.run_outcomes(facts)
    parameters = facts.parameters
    return Entry(
        language=ALL_LANGUAGES,
        team_id=session.team_id,
        session_id=session.session_id,
        closed_at=session.closed_at,
        parameters_version=parameters.version,
        answered=sum(fate.answered for fate in fates),
        whole=len(fates),
        result=_result(facts.parameters, facts.session.set_kind, fates, track),
    )


def _result(
    parameters: Parameters, kind: SetKind, fates: Sequence[Outcome], track: Track, *, breakdowns: bool = True
) -> Any:
    """Return a board's part of these files' result; of a set with totals alone it is the totals."""
    result = track.aggregate(fates, parameters.track, parameters.bootstrap_seed)
    details = track.details(kind.value)
    if details is not Details.TOTALS:
        return result
    return reports.totals_of(track, result, fates, breakdowns=breakdowns)


# Clause: R 7.12, platform §4 boards
def final_entries(facts: reports.Facts, schedule: Schedule, track: Track) -> tuple[Entry, ...]:
    """Return a team's entries on all boards of a final.

    The boards are of all files, of each language, of each nomination, and the contest's other boards. The team has none
    without a place on the first, and none on a board of which no file counts for it.
    """
    whole = final_entry(facts, schedule, track)
    if whole is None:
        return ()
    fates = reports.run_outcomes(facts)
    chosen = {
        name: [fate for fate in fates if fate.item.language == name]
        for name in sorted({fate.item.language for fate in fates})
    }
    for nomination in facts.parameters.nominations:
        nominated = [fate for fate in fates if nomination.takes(fate.item.language, fate.item.group)]
        chosen[nomination_board(nomination.name)] = nominated
    chosen |= {f"{BOARD}{rules.key}": list(fates) for rules in track.boards()[1:]}
    entries = [whole]
    for name, part in chosen.items():
        if part:
            # A part of all files has the result of all, which takes long to compute.
            is_whole = len(part) == whole.whole
            result = whole.result if is_whole else _result(facts.parameters, facts.session.set_kind, part, track)
            answered = sum(fate.answered for fate in part)
            entries.append(replace(whole, language=name, answered=answered, whole=len(part), result=result))
    return tuple(entries)


def nomination_board(name: str) -> str:
    """Return the board of a nomination; a language may name its own."""
    return f"{NOMINATION}{name}"


def describe_board(rules: BoardRules, values: Iterable[float | None] = ()) -> dict[str, Any]:
    """Return a contest's board for the wire, with the decimals that tell these values apart."""
    return {
        "key": rules.key,
        "title": {"en": rules.title.en, "ru": rules.title.ru},
        "measure": {"en": rules.measure.en, "ru": rules.measure.ru},
        "unit": rules.unit.value,
        "places": rules.places(values),
        "least_share": rules.least_share,
        "whole_set": rules.whole_set,
        "barrier": rules.barrier,
        "joins_runs": rules.joins_runs,
        "levels": [{"title": {"en": title.en, "ru": title.ru}, "value": value} for title, value in rules.levels],
    }


def present_lists(cycle: Cycle) -> frozenset[str]:
    """Return the lists of the test sets that a cycle has now, by their SHA-256."""
    return frozenset(lists_of_tests(cycle).values())


def lists_of_tests(cycle: Cycle) -> dict[str, str]:
    """Return the list of each test set of a cycle, a SHA-256, by the set's name."""
    return {data_set.name: data_set.manifest for data_set in cycle.sets if data_set.kind is SetKind.TEST}


def state_of_references(entry: Entry, present: frozenset[str]) -> Literal["present", "earlier"] | None:
    """Return whether an entry was scored by a list of a set that there is now; None in a final."""
    if not entry.references:
        return None
    return "present" if entry.references in present else "earlier"


def is_stale(entry: Entry, present: frozenset[str], rules: Parameters, versions: Mapping[int, Parameters]) -> bool:
    """Return whether an entry has other rules or earlier references than the cycle, and so must be rescored."""
    is_earlier = state_of_references(entry, present) == "earlier"
    return is_earlier or not versions[entry.parameters_version].scores_as(rules)


# Clause: platform §2 rescoring, platform §4 boards
def rules_of_rows(
    rows: Sequence[Row], present: frozenset[str], versions: Mapping[int, Parameters]
) -> SeveralRules | None:
    """Return the rules of a board's rows where there are several; None where all rows have one.

    A rule is a state of the references and a version of the parameters, or one that scores alike. An empty board has
    none.
    """
    entries = [row.entry for row in rows]
    first = entries[0] if entries else None
    if first is None or all(
        entry.references == first.references
        and versions[entry.parameters_version].scores_as(versions[first.parameters_version])
        for entry in entries
    ):
        return None
    earlier = sum(state_of_references(entry, present) == "earlier" for entry in entries)
    return SeveralRules(tuple(sorted({entry.parameters_version for entry in entries})), earlier)


def rules_of(scope: str, track: Track) -> BoardRules:
    """Return the contest's board that a part belongs to."""
    main, *others = track.boards()
    return next((rules for rules in others if rules.key == board_of(scope)), main)


def board_of(scope: str) -> str:
    """Return the key of the contest's board that a part belongs to; empty: the main one."""
    return scope.removeprefix(BOARD) if scope.startswith(BOARD) else ""


# Clause: platform §4 boards
def ahead(rows: Sequence[Row]) -> list[Ahead | None]:
    """Return each row's distance to the nearest better place; the rows come by place.

    None for the first place, and where a result is undefined.
    """
    distances: list[Ahead | None] = []
    latest: Row | None = None
    better: Row | None = None
    for row in rows:
        if latest is not None and latest.place < row.place:
            better = latest
        if better is None or better.value is None or row.value is None:
            distances.append(None)
        else:
            intervals = interval(better.entry.result), interval(row.entry.result)
            overlap = None if intervals[0] is None or intervals[1] is None else intervals[0][0] <= intervals[1][1]
            distance = abs(better.value - row.value)  # less may be better
            distances.append(Ahead(better.entry.team_id, distance, overlap))
        latest = latest if row.is_baseline else row
    return distances


def interval(result: Any) -> tuple[float, float] | None:
    """Return the 95 % interval of a result's relative accuracy, in per cent; None where the track gives none."""
    intervals = result.get("interval_95") if isinstance(result, Mapping) else None
    ends = intervals.get("relative_accuracy") if isinstance(intervals, Mapping) else None
    return None if ends is None else (float(ends[0]), float(ends[1]))


# Clause: R 6.10, TS T9, TS U-5
def _entry(claim: Claim, scope: str, rules: BoardRules, language: str, whole: int, track: Track) -> Entry | None:
    fates = [fate for fate in claim.fates if language in {ALL_LANGUAGES, fate.item.language}]
    answered = sum(fate.answered for fate in fates)
    is_part = answered < rules.least_share * whole or (rules.whole_set and len(fates) < whole)
    if whole == 0 or is_part or claim.closed_at is None:
        return None
    return Entry(
        language=scope,
        team_id=claim.team_id,
        session_id=claim.session_id,
        closed_at=claim.closed_at,
        parameters_version=claim.parameters.version,
        answered=answered,
        whole=whole,
        result=_result(claim.parameters, claim.set_kind, fates, track, breakdowns=claim.breakdowns),
        references=claim.manifest,
    )


# Clause: R 2.13, R 6.10, R 7.12, platform §4 boards
def board(all_entries: Sequence[Entry], track: Track, baselines: Set[str] = frozenset()) -> tuple[Row, ...]:
    """Return the best entry of each team, best first.

    Equal results share a place and stand in the order of the teams' ids. A baseline stands before the teams that it
    equals or betters, and moves nobody's place.

    Which entry is better is the track's to say (:meth:`~tracks.protocol.Track.rank`); among a team's equal ones the
    earliest closed stands, so that a repetition changes nothing.

    All entries are of one part of one board. A team that the track does not rank has no row.
    """
    best = best_by_team(all_entries, track)
    key = board_of(next((entry.language for entry in all_entries), ""))
    standings = [Standing(team_id, entry.result) for team_id, entry in sorted(best.items())]
    order = {ranked.team: ranked.place for ranked in track.rank(standings, key)}
    teams = [standing for standing in standings if standing.team not in baselines]
    places = order if len(teams) == len(standings) else {ranked.team: ranked.place for ranked in track.rank(teams, key)}
    sharing = Counter(places.values())
    for baseline in baselines & order.keys():
        places[baseline] = 1 + sum(order[team_id] < order[baseline] for team_id in places.keys() - baselines)
    rows = [
        Row(
            place=place,
            place_to=place if team_id in baselines else place + sharing[place] - 1,
            entry=best[team_id],
            value=track.value(best[team_id].result, key),
            overcame=track.overcame(best[team_id].result, key),
            is_baseline=team_id in baselines,
        )
        for team_id, place in places.items()
    ]
    return tuple(sorted(rows, key=lambda row: (order[row.entry.team_id], not row.is_baseline, row.entry.team_id)))


# Clause: R 2.7, R 6.5.3, R 6.10
def as_told(rows: Sequence[Row], track: Track) -> tuple[Row, ...]:
    """Return the rows of a test set's board without the hidden parts; places follow the exact results."""
    if track.details(SetKind.TEST.value) is not Details.MEASURES:
        return tuple(rows)

    def told(row: Row) -> Row:
        result = track.totals(row.entry.result, ())
        value = track.value(result, board_of(row.entry.language))
        return replace(row, entry=replace(row.entry, result=result), value=value)

    return tuple(map(told, rows))


def best_by_team(all_entries: Sequence[Entry], track: Track) -> dict[str, Entry]:
    """Return the best entry of each team, ranked or not."""
    by_team: dict[str, list[Entry]] = defaultdict(list)
    for entry in all_entries:
        by_team[entry.team_id].append(entry)
    return {team_id: best_of(claims, track) for team_id, claims in by_team.items()}


def place_text(place: int | None, place_to: int | None) -> str:
    """Write a place for people: "3", "1–2" where two share it, a dash for a baseline."""
    if place is None:
        return "—"
    return str(place) if place == place_to else f"{place}–{place_to}"


# Clause: R 6.10
def best_of(claims: Sequence[Entry], track: Track) -> Entry:
    """Return the best of a team's entries; of equal ones, and of unranked ones, the earliest closed.

    Of a session's own entries it is the last given.
    """
    by_session = {entry.session_id: entry for entry in claims}
    board = board_of(claims[-1].language)
    places = track.rank([Standing(session_id, entry.result) for session_id, entry in sorted(by_session.items())], board)
    first = min((ranked.place for ranked in places), default=None)
    leading = [by_session[ranked.team] for ranked in places if ranked.place == first]
    return min(leading or by_session.values(), key=lambda entry: (entry.closed_at, entry.session_id))


# Clause: platform §4 abstention
def abstention(result: Any) -> dict[str, Any] | None:
    """Return the abstention audit (platform §4): the result with missed files as zero, and whether it differs much.

    None where the track's aggregate does not say it (``missed_as_zero``, with the same name inside) or a value is
    undefined.
    """
    missed = result.get("missed_as_zero") if isinstance(result, Mapping) else None
    plain, audited = relative(result), relative(missed)
    if plain is None or audited is None:
        return None
    difference = plain - audited
    return {"relative_accuracy": audited, "difference": difference, "flagged": difference > LARGE_DIFFERENCE}


def relative(result: Any) -> float | None:
    """Return the relative accuracy of a track's aggregate in per cent.

    None where it is undefined or the track has none.
    """
    value = result.get("relative_accuracy") if isinstance(result, Mapping) else None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


@dataclass(frozen=True, slots=True)
class End:
    """The final that ended the contest, and the names of the teams whose programs overcame the barrier."""

    run_id: str
    at: Millis
    """Moment of publication of its results."""
    teams: tuple[str, ...]


MOST_POINTS: Final = 200
"""Maximum stored points of a board's history; beyond it the point nearest to the one before it is deleted."""


class Visibility(StrEnum):
    """Public state of a board; organizers and commission always see the live one."""

    HIDDEN = "hidden"
    FROZEN = "frozen"
    PUBLISHED = "published"


_UNCHANGED: Final = {
    Visibility.HIDDEN: tr("the board is hidden already"),
    Visibility.FROZEN: tr("the board is frozen already"),
    Visibility.PUBLISHED: tr("the board is published already"),
}


@dataclass(frozen=True, slots=True)
class BoardState:
    """Last decision of organizers about a board. ``frozen`` names the stored entries of the moment ``at``."""

    board: str
    visibility: Visibility
    at: Millis
    reason: str
    frozen: str = ""
    version: int = 1


@dataclass(frozen=True, slots=True)
class Placed:
    """A team's place at a moment; ``value`` is its relative accuracy in per cent, None where it is undefined."""

    team_id: str
    place: int
    value: float | None


@dataclass(frozen=True, slots=True)
class Point:
    """The places of a board from a moment on, until the next point."""

    at: Millis
    places: tuple[Placed, ...]


# Clause: platform §4 boards
def public_state(run: Run | None, state: BoardState | None) -> Visibility:
    """Return the public state of a board.

    Of the qualification (no run) it is as decided, at first the live board. Of a final it is hidden before its results
    are published, and a freeze ends with their withdrawal.
    """
    if run is None:
        return state.visibility if state is not None else Visibility.PUBLISHED
    if run.published_at is None:
        return Visibility.HIDDEN
    frozen = state is not None and state.visibility is Visibility.FROZEN and state.at >= run.published_at
    return Visibility.FROZEN if frozen else Visibility.PUBLISHED


def state_after(
    before: BoardState | None,
    current: Visibility,
    board: str,
    visibility: Visibility,
    reason: str,
    now: Millis,
    frozen: str,
) -> BoardState:
    """Return the state after a decision; refused where the board has it already."""
    if current is visibility:
        raise RefusedError("board_is_so", _UNCHANGED[visibility])
    return BoardState(board, visibility, now, reason, frozen, before.version + 1 if before else 1)


def current_places(rows: Sequence[Row], now: Millis) -> Point:
    """Return the places of a board now; a baseline has none."""
    placed = (row for row in rows if not row.is_baseline)
    return Point(now, tuple(Placed(row.entry.team_id, row.place, row.value) for row in placed))


def moment_to_drop(moments: Sequence[Millis], most: int) -> Millis | None:
    """Return the moment to give up where there are more than ``most`` ascending ones.

    It is the one nearest to the one before it, never the first or the last. O(n).
    """
    if len(moments) <= max(most, 2):
        return None
    return min(zip(moments[1:-1], moments[:-2], strict=True), key=lambda pair: (pair[0] - pair[1], pair[0]))[0]
