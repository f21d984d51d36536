"""Places of teams and the tables about them: a session's report, the board, the comparison (D-App1б, D-App1в)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from markup_core.lazy import dataclass
from markup_core.rounding import half_up, places_apart, places_of
from tracks.base import by_key
from tracks.diagnosis.aggregate import COMPARED_PLACES, SHOWN_PLACES, upper_bound
from tracks.diagnosis.stages import NAMES, NOSOLOGIES, DiagnosisParameters
from tracks.protocol import Json, Judged, Outcome, Place, Section, Standing, Text, in_both
from tracks.rules import BoardRules, Unit
from tracks.texts import tr

FINALISTS: Final = 4
PRIZES: Final = 3
FINAL: Final = "final"
"""The board on which the semifinal's run and stage 1's count together (D-App1в, formula 16)."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A team's values of all six nosologies, or of one: shares as fractions, cost in units of work, time in seconds.

    None is an undefined value, worse than every other.
    """

    team: str
    sk: float | None
    se_lower: float | None = None
    sp_lower: float | None = None
    cost: float | None = None
    se_complications: float | None = None
    se_comorbidities: float | None = None
    mean_time_s: float | None = None


# Clause: D-App1в criterion, D 5.7, D 9.8
CRITERIA: Final = (
    ("sk", True),
    ("se_lower", True),
    ("sp_lower", True),
    ("cost", False),
    ("se_complications", True),
    ("se_comorbidities", True),
    ("mean_time_s", False),
)
"""The final's integral criterion: what is compared, in this order, and whether more is better (D-App1в)."""


class Criterion(NamedTuple):
    """Values that rank teams, each deciding between teams equal in all before it, rounded to ``places`` decimals."""

    values: tuple[tuple[str, bool], ...]
    places: int


FINAL_CRITERION: Final = Criterion(CRITERIA, COMPARED_PLACES)
# Clause: D 8.15, D 8.5.2, D 8.5.3, D-App1б 5, D-App1б 6, D-App1а 1 comorbidities
SEMIFINAL_CRITERION: Final = Criterion(
    tuple(compared for compared in CRITERIA if compared[0] in ("sk", "se_complications", "se_comorbidities")),
    SHOWN_PLACES,
)
"""Sk, then Se of complications, then of comorbidities; bounds, cost and time are measured but belong to the final.

**Decision**: rounding to two decimals stands in the final's criterion alone (D-App1в); the semifinal's shares have the
three decimals of D-App1а 1.
"""
CRITERION_OF: Final[Mapping[str, Criterion]] = MappingProxyType(
    {"semifinal": SEMIFINAL_CRITERION, "final": FINAL_CRITERION}
)


class Finalists(NamedTuple):
    """Teams admitted to the final; ``undecided`` share the last places, and are more than the places left."""

    admitted: tuple[str, ...]
    undecided: tuple[str, ...]


BOARDS: Final = (
    BoardRules(
        key="criterion",
        title=tr("Generalised quality"),
        measure=tr("Sk"),
        unit=Unit.SHARE,
        compared_places=SHOWN_PLACES,
    ),
    BoardRules(
        key=FINAL,
        title=tr("Final: semifinal and stage 1 together"),
        measure=tr("Sk"),
        unit=Unit.SHARE,
        compared_places=COMPARED_PLACES,
        joins_runs=True,
    ),
)


def value(aggregate: Json) -> float | None:
    """Return Sk, the criterion's first value; of the selection stage 1 for passed, else 0."""
    sk: float | None = aggregate["board"]["sk"] if "board" in aggregate else float(aggregate["passed"])
    return sk


# Clause: TS D-7, D-App1б SeКр
def rank(standings: Sequence[Standing], key: str = "") -> tuple[Place, ...]:
    """Return the places on a board: by Sk and the secondary diagnoses in the semifinal, by the integral criterion in
    the final, also where the semifinal's results count with it; in the selection those who passed stand first.

    Of a semifinal teams below the organizers' bounds of admission are left out.
    """
    if key == FINAL:
        return board([_entry(standing) for standing in standings])
    in_semifinal = any(standing.aggregate["stage"] == "semifinal" for standing in standings)
    entries = [_entry(standing) for standing in standings if not is_below(standing.aggregate)]
    return board(entries, SEMIFINAL_CRITERION if in_semifinal else FINAL_CRITERION)


def is_below(aggregate: Json) -> bool:
    """Check whether a semifinal's result is below a bound of admission."""
    return aggregate["stage"] == "semifinal" and bool(aggregate["below"])


def _entry(standing: Standing) -> Entry:
    values = standing.aggregate.get("board")
    if values is None:
        return Entry(standing.team, float(standing.aggregate["passed"]))
    return Entry(standing.team, **values)


# Clause: D 8.15, tracks §1 share
def board(entries: Sequence[Entry], criterion: Criterion = FINAL_CRITERION) -> tuple[Place, ...]:
    """Return the places, best first: the next value decides only between teams equal in all before it.

    Every value is rounded to the criterion's decimals, halves up, before it is compared, so Student's t of formulas 19
    and 20, which the list of comparisons that follows them does not use, is not computed. Equal in all: one place.
    Undefined values are worse than all others. Teams must differ. O(n log n).
    """
    return by_key({entry.team: _key(entry, criterion) for entry in entries})


# Clause: D-App1в criterion
def _key(entry: Entry, criterion: Criterion = FINAL_CRITERION) -> tuple[float, ...]:
    key = []
    for name, more_is_better in criterion.values:
        value = getattr(entry, name)
        if value is None:
            key.append(math.inf)
        else:
            rounded = half_up(value, criterion.places)
            key.append(-rounded if more_is_better else rounded)
    return tuple(key)


# Clause: D 8.16
def finalists(places: Sequence[Place], most: int = FINALISTS) -> Finalists:
    """Choose the finalists: at most four of the best (D 8.16); of teams on a shared last place organizers choose."""
    admitted = [place.team for place in places if _up_to(places, place.place) <= most]
    border = [place for place in places if place.place <= most < _up_to(places, place.place)]
    return Finalists(tuple(admitted), tuple(place.team for place in border))


def _up_to(places: Sequence[Place], place: int) -> int:
    return sum(other.place <= place for other in places)


# Clause: D 5.6, D-App1в partial 1, D-App1в partial 2, D-App1в partial 3, D-App1в partial situation 1
# Clause: D-App1в partial situation 2, tracks §1 partial rounding
def partial_barrier(passed: Mapping[str, Mapping[str, Entry]]) -> tuple[Place, ...]:
    """Rank teams for the partial barrier's prizes, best first (D-App1в), by the values of every nosology they passed.

    They are given only when no team overcame the whole barrier (D 5.6). A nosology is led by the team that is best
    in it by the whole integral criterion, every value rounded to two decimals before it is compared: 0.9401 and 0.9449
    are equal, and the next value decides. Leaders take places by their values where they lead, Sk first. With fewer
    than three leaders the other teams over a barrier follow by their best values, whatever the nosology. There are
    three places, or as many as teams over a barrier if these are fewer: two when only two. How many nosologies a team
    passed does not count.

    **Decision**: the regulation's first special case speaks of fewer than three nosologies; tracks.md takes fewer than
    three leaders, which also covers many nosologies led by one team. Sk is not measured against its threshold
    ("absolute values"). Teams that are equal in all values lead a nosology together, and share a place; places go by
    Sk and, where it is equal, by the values after it. The list ends after three teams even if the fourth shares the
    place of the third: it stands behind by its name alone, which the jury sees in the values. O(teams · nosologies).
    """
    keys = {team: {name: _key(entry) for name, entry in own.items()} for team, own in passed.items() if own}
    best: dict[str, tuple[float, ...]] = {}
    for own in keys.values():
        for name, key in own.items():
            best[name] = min(key, best.get(name, key))
    order = {}
    for team, own in keys.items():
        led = [key for name, key in own.items() if key == best[name]]
        order[team] = (not led, min(led or own.values()))
    return by_key(order)[:PRIZES]


_NOSOLOGY: Final = tr("Nosology")
_COST: Final = tr("Cost")
_MEASURE: Final = (tr("Measure"), tr("Value"))
_CELLS: Final = tuple(Text(en=name, ru=name) for name in ("TP", "FN", "FP", "TN"))
_ACCURACY: Final = (
    _NOSOLOGY,
    *_CELLS,
    tr("Se"),
    tr("Se, lower bound"),
    tr("Sp"),
    tr("Sp, lower bound"),
    _COST,
    tr("Barrier"),
    tr("Se, barrier"),
    tr("Sp, barrier"),
)
_MATRIX: Final = (1, 2, 3, 4)
_SHARES: Final = (5, 6, 7, 8, 11, 12)
_JUDGED: Final = (Judged(5, barrier=11, bound=6), Judged(7, barrier=12, bound=8))
"""Se and Sp of a nosology: their lower bounds are what must reach the barrier (D-App1б 3)."""
_OVERALL: Final[Mapping[str, str]] = {
    "sk": "Sk",
    "se_lower": "Se ↓",
    "sp_lower": "Sp ↓",
    "cost": "C",
    "se_complications": "Se (attendDisease)",
    "se_comorbidities": "Se (diagnosisSup)",
    "mean_time_s": "t, s",
}
_CRITERION: Final = tr("Integral criterion")
_COMPARED: Final = tr("What the semifinal's board compares")
_PASSED: Final = {True: "+", False: "−"}


def sections(aggregate: Json, outcomes: Sequence[Outcome]) -> tuple[Section, ...]:
    """Build tables of the session's counts and the integral criterion's values, the nosologies, the files in order."""
    if aggregate["stage"] == "selection":
        return _counts(aggregate), *([_selected(outcomes)] if outcomes else [])
    files = [_files(outcomes)] if outcomes else []
    return _counts(aggregate), overall(aggregate), accuracies(aggregate), *files


def to_shown_places(value: float | None, limit: float | None = None) -> float | None:
    """Return a number with three decimals, or with as many more as put it on its side of a limit."""
    return None if value is None else half_up(value, places_apart([value], [limit], SHOWN_PLACES))


# Clause: D-App1б 4, D-App1в table, D 6.11
def accuracies(result: Json) -> Section:
    """Build the table of matrix, shares, bounds and barrier of every nosology of a ``diagnosis.session`` result, in the
    contest's order: stored results have another."""
    rows = tuple(
        (
            named(name),
            *(values[cell] for cell in ("tp", "fn", "fp", "tn")),
            *(to_shown_places(values[share], values["se_barrier"]) for share in ("se", "se_lower")),
            *(to_shown_places(values[share], values["sp_barrier"]) for share in ("sp", "sp_lower")),
            to_shown_places(values["cost"]),
            _PASSED[values["passed"]],
            values["se_barrier"],
            values["sp_barrier"],
        )
        for name in NAMES
        if (values := result["nosologies"].get(name)) is not None
    )
    return Section("nosologies", tr("By nosology"), _ACCURACY, rows, shares=_SHARES, judged=_JUDGED, matrix=_MATRIX)


def named(*names: str) -> str:
    """Join the titles of nosologies, in both languages."""
    titles = [NOSOLOGIES[name].title for name in names]
    return in_both(", ".join(title.en for title in titles), ", ".join(title.ru for title in titles))


def barrier_verdict(result: Json) -> Section:
    """Build the table of Sk and the barrier of a ``diagnosis.session`` result."""
    rows = (("Sk", to_shown_places(result["sk"])), ("Barrier · Барьер", _PASSED[result["barrier"]]))
    return Section("verdict", tr("All six"), _MEASURE, rows)


def overall(aggregate: Json) -> Section:
    """Return the values that the stage's criterion compares, in its order (D 8.15, D-App1в)."""
    is_semifinal = aggregate["stage"] == "semifinal"
    criterion = SEMIFINAL_CRITERION if is_semifinal else FINAL_CRITERION
    rows = tuple((_OVERALL[name], to_shown_places(aggregate["board"][name])) for name, _ in criterion.values)
    return Section("overall", _COMPARED if is_semifinal else _CRITERION, _MEASURE, rows)


def _counts(aggregate: Json) -> Section:
    names = {"files": "Files · Файлы", "answered": "Answered · С ответом", "voided": "Voided · Аннулировано"}
    rows = [(title, aggregate[name]) for name, title in names.items()]
    if "barrier" in aggregate:
        rows.append(("Barrier · Барьер", _PASSED[aggregate["barrier"]]))
    else:
        rows.append(("Passed · Пройдено", _PASSED[aggregate["passed"]]))
    return Section("counts", tr("The session"), _MEASURE, tuple(rows))


def _selected(outcomes: Sequence[Outcome]) -> Section:
    columns = (tr("File"), _NOSOLOGY, tr("Right"))
    rows = tuple(
        (outcome.item.item_id, outcome.item.group, None if outcome.score is None else _PASSED[outcome.score["right"]])
        for outcome in outcomes
    )
    return Section("files", tr("Files"), columns, rows)


def _files(outcomes: Sequence[Outcome]) -> Section:
    columns = (tr("File"), _NOSOLOGY, tr("Cell"), _COST)
    rows = (
        (
            outcome.item.item_id,
            outcome.item.group,
            outcome.score and outcome.score["cell"].upper(),
            outcome.score and outcome.score["cost"],
        )
        for outcome in outcomes
    )
    return Section("files", tr("Files"), columns, tuple(rows))


_TEAM: Final = tr("Team")
_PLACE: Final = tr("Place")
_COLUMNS: Final = (
    _TEAM,
    _NOSOLOGY,
    *(Text(en=name, ru=name) for name in ("Se", "CI_min Se", "CI_max Se", "Sp", "CI_min Sp", "CI_max Sp")),
    tr("Cost"),
)
_ADMISSION: Final = (tr("Least Se"), tr("Least Sp"))
_BARRIER: Final = (tr("Barrier of Se"), tr("Barrier of Sp"), tr("Overcome"))


# Clause: TS D-6, TS D-7, TS D-11, D-App1б Table 2
def comparison(standings: Sequence[Standing], rules: DiagnosisParameters, board: str) -> tuple[Section, ...]:
    """Build the tables of a board over all its teams, sorted by name; none for the selection."""
    assessed = [
        standing
        for standing in sorted(standings, key=lambda standing: standing.team)
        if "nosologies" in standing.aggregate
    ]
    if not assessed:
        return ()
    if board == FINAL:
        return (_table(assessed, rules, final=True), *_partial(assessed))
    semifinal = [standing for standing in assessed if standing.aggregate["stage"] == "semifinal"]
    return (_table(assessed, rules, final=not semifinal), *(_going_on(semifinal, board) if semifinal else ()))


# Clause: D-App1б Table 2, D-App1в table
def _table(standings: Sequence[Standing], rules: DiagnosisParameters, *, final: bool) -> Section:
    """Build table 2: a row a team and nosology, with both bounds of Se and Sp, and the values that they must reach."""
    beside = _BARRIER if final else _ADMISSION
    rows = tuple(row for standing in standings for row in _rows(standing, rules, final=final))
    title = tr("All teams by nosologies")
    places = max(
        (places_of(number) for row in rows for number in row if isinstance(number, float)), default=SHOWN_PLACES
    )
    return Section("comparison", title, (*_COLUMNS, *beside), rows, least_places=max(places, SHOWN_PLACES))


def _rows(standing: Standing, rules: DiagnosisParameters, *, final: bool) -> Iterator[tuple[Json, ...]]:
    for name in NAMES:
        result = standing.aggregate["nosologies"].get(name)
        title = named(name)
        bounds = rules.thresholds.get(name) if final else rules.admission.get(name)
        against = (None, None) if bounds is None else (bounds.se, bounds.sp)
        if result is None:
            passed = (_PASSED[False],) if final else ()
            yield (standing.team, title, *(None,) * 7, *against, *passed)
            continue
        uppers = (
            upper_bound(result["tp"], result["tp"] + result["fn"], rules.z),
            upper_bound(result["tn"], result["tn"] + result["fp"], rules.z),
        )
        values = (
            result["se"],
            result["se_lower"],
            uppers[0],
            result["sp"],
            result["sp_lower"],
            uppers[1],
            result["cost"],
        )
        passed = (_PASSED[result["passed"]],) if final else ()
        se, sp = against
        shown_values = (
            *(to_shown_places(number, se) for number in values[:3]),
            *(to_shown_places(number, sp) for number in values[3:6]),
            to_shown_places(values[6]),
        )
        yield (standing.team, title, *shown_values, *against, *passed)


# Clause: TS D-7, D 8.16, D-App1б SeКр
def _going_on(standings: Sequence[Standing], board: str) -> tuple[Section, ...]:
    """Build tables of the teams admitted to the final, undecided ones, and those below the bounds of admission."""
    chosen = finalists(rank(standings, board))
    state = tr("State")
    rows = [(team, "to the final · в финал") for team in chosen.admitted]
    rows += [(team, "undecided · решает Оргкомитет") for team in chosen.undecided]
    title = tr("To the final, four teams at most")
    tables = [Section("finalists", title, (_TEAM, state), tuple(rows))]
    low = [
        (standing.team, named(*standing.aggregate["below"])) for standing in standings if is_below(standing.aggregate)
    ]
    if low:
        title = tr("Below the bounds of admission, not ranked")
        tables.append(Section("below_admission", title, (_TEAM, _NOSOLOGY), tuple(low)))
    return tuple(tables)


# Clause: TS D-11, D 5.6
def _partial(standings: Sequence[Standing]) -> tuple[Section, ...]:
    """Build the table of places for the partial barrier; none if a team overcame the whole one."""
    if any(standing.aggregate["barrier"] for standing in standings):
        return ()
    passed = {
        standing.team: {
            name: Entry(standing.team, **values) for name, values in standing.aggregate["passed_qualities"].items()
        }
        for standing in standings
    }
    rows = tuple((place.place, place.team, named(*passed[place.team])) for place in partial_barrier(passed))
    return (Section("partial_barrier", tr("Partial barrier"), (_PLACE, _TEAM, _NOSOLOGY), rows),)


# Clause: TS D-9
def judgements(results: Mapping[str, Json]) -> Section:
    """Build a table with a row a system: beside the board, not in its criterion (D-App1в lists seven others)."""
    columns = (
        _TEAM,
        tr("Interpretability"),
        tr("Completeness, of 3"),
        tr("Clarity, of 3"),
        tr("Reviews"),
        tr("Missing"),
    )
    rows = tuple(
        (
            team,
            *(to_shown_places(result[name]) for name in ("interpretability", "completeness", "clarity")),
            result["reviews"],
            result["missing"],
        )
        for team, result in sorted(results.items())
    )
    return Section("interpretability", tr("Interpretability, by clinicians"), columns, rows)
