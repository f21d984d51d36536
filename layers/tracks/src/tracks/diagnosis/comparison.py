"""Tables over all teams: the semifinal's Table 2 and who goes on, the final's barrier and prizes (D-App1б, D-App1в)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from markup_core.rounding import places_of
from tracks.diagnosis.board import FINAL, Entry, finalists, is_below, partial_barrier, rank
from tracks.diagnosis.measures import SHOWN_PLACES, upper_bound
from tracks.diagnosis.nosologies import NAMES
from tracks.diagnosis.parameters import DiagnosisParameters
from tracks.diagnosis.report import named, shown
from tracks.protocol import Json, Section, Standing, Text

_TEAM: Final = Text(en="Team", ru="Команда")
_NOSOLOGY: Final = Text(en="Nosology", ru="Нозология")
_PLACE: Final = Text(en="Place", ru="Место")
_COLUMNS: Final = (
    _TEAM,
    _NOSOLOGY,
    *(Text(en=name, ru=name) for name in ("Se", "CI_min Se", "CI_max Se", "Sp", "CI_min Sp", "CI_max Sp")),
    Text(en="Cost", ru="Ресурсоёмкость"),
)
_ADMISSION: Final = (Text(en="Least Se", ru="SeКр"), Text(en="Least Sp", ru="SpКр"))
_BARRIER: Final = (
    Text(en="Barrier of Se", ru="Барьер Se"),
    Text(en="Barrier of Sp", ru="Барьер Sp"),
    Text(en="Overcome", ru="Преодолён"),
)
_MARK: Final = {True: "+", False: "−"}


def comparison(standings: Sequence[Standing], rules: DiagnosisParameters, board: str) -> tuple[Section, ...]:
    """The tables of a board over all its teams, in the order of their names; none of the selection's.

    Clause: TS D-6, TS D-7, TS D-11, D-App1б Table 2
    """
    told = [each for each in sorted(standings, key=lambda each: each.team) if "nosologies" in each.aggregate]
    if not told:
        return ()
    if board == FINAL:
        return (_table(told, rules, final=True), *_partial(told))
    semifinal = [each for each in told if each.aggregate["stage"] == "semifinal"]
    return (_table(told, rules, final=not semifinal), *(_going_on(semifinal, board) if semifinal else ()))


def _table(standings: Sequence[Standing], rules: DiagnosisParameters, *, final: bool) -> Section:
    """Table 2: a row a team and nosology, with both bounds of Se and Sp, and what they are held against.

    Clause: D-App1б Table 2, D-App1в table
    """
    beside = _BARRIER if final else _ADMISSION
    rows = tuple(row for each in standings for row in _rows(each, rules, final=final))
    title = Text(en="All teams by nosologies", ru="Все команды по нозологиям")
    places = max((places_of(each) for row in rows for each in row if isinstance(each, float)), default=SHOWN_PLACES)
    return Section("comparison", title, (*_COLUMNS, *beside), rows, least_places=max(places, SHOWN_PLACES))


def _rows(standing: Standing, rules: DiagnosisParameters, *, final: bool) -> Iterator[tuple[Json, ...]]:
    for name in NAMES:
        found = standing.aggregate["nosologies"].get(name)
        title = named(name)
        held = rules.thresholds.get(name) if final else rules.admission.get(name)
        against = (None, None) if held is None else (held.se, held.sp)
        if found is None:
            passed = (_MARK[False],) if final else ()
            yield (standing.team, title, *(None,) * 7, *against, *passed)
            continue
        uppers = (
            upper_bound(found["tp"], found["tp"] + found["fn"], rules.z),
            upper_bound(found["tn"], found["tn"] + found["fp"], rules.z),
        )
        values = (found["se"], found["se_lower"], uppers[0], found["sp"], found["sp_lower"], uppers[1], found["cost"])
        passed = (_MARK[found["passed"]],) if final else ()
        se, sp = against
        told = (*(shown(each, se) for each in values[:3]), *(shown(each, sp) for each in values[3:6]), shown(values[6]))
        yield (standing.team, title, *told, *against, *passed)


def _going_on(standings: Sequence[Standing], board: str) -> tuple[Section, ...]:
    """Who is admitted to the final, between whom the organizers choose, and who is below the bounds of admission.

    Clause: TS D-7, D 8.16, D-App1б SeКр
    """
    chosen = finalists(rank(standings, board))
    state = Text(en="State", ru="Состояние")
    rows = [(each, "to the final · в финал") for each in chosen.admitted]
    rows += [(each, "undecided · решает Оргкомитет") for each in chosen.undecided]
    title = Text(en="To the final, four teams at most", ru="В финал — не более четырёх команд")
    found = [Section("finalists", title, (_TEAM, state), tuple(rows))]
    low = [(each.team, named(*each.aggregate["below"])) for each in standings if is_below(each.aggregate)]
    if low:
        title = Text(en="Below the bounds of admission, not ranked", ru="Ниже критериев прохождения, вне ранжирования")
        found.append(Section("below_admission", title, (_TEAM, _NOSOLOGY), tuple(low)))
    return tuple(found)


def _partial(standings: Sequence[Standing]) -> tuple[Section, ...]:
    """Places for the partial barrier, where nobody overcame the whole one.

    Clause: TS D-11, D 5.6
    """
    if any(each.aggregate["barrier"] for each in standings):
        return ()
    passed = {
        each.team: {name: Entry(each.team, **values) for name, values in each.aggregate["passed_qualities"].items()}
        for each in standings
    }
    rows = tuple((each.place, each.team, named(*passed[each.team])) for each in partial_barrier(passed))
    title = Text(en="Partial barrier", ru="Частичное преодоление барьера")
    return (Section("partial_barrier", title, (_PLACE, _TEAM, _NOSOLOGY), rows),)
