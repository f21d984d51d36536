"""Tables of the diagnosis commands that are no part of a session's report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from markup_core.rounding import fixed
from tracks.diagnosis.board import Criterion, Entry
from tracks.diagnosis.epicrisis import Epicrisis
from tracks.diagnosis.measures import COMPARED_PLACES
from tracks.diagnosis.rotation import Lot
from tracks.diagnosis.studies import Costs
from tracks.protocol import Json, Place, Section, Text, Verdict

_FILE: Final = Text(en="File", ru="Файл")
_PLACE: Final = Text(en="Place", ru="Место")
_TEAM: Final = Text(en="Team", ru="Команда")
_CODE: Final = Text(en="Code", ru="Код")
_COST: Final = Text(en="Cost", ru="Ресурсоёмкость")
_VALUES: Final[Mapping[str, Text]] = {
    "sk": Text(en="Sk", ru="Sk"),
    "se_lower": Text(en="Se, lower bound", ru="Se, нижняя граница"),
    "sp_lower": Text(en="Sp, lower bound", ru="Sp, нижняя граница"),
    "cost": _COST,
    "se_complications": Text(en="Se, complications", ru="Se, осложнения"),
    "se_comorbidities": Text(en="Se, comorbidities", ru="Se, сопутствующие"),
    "mean_time_s": Text(en="Mean time, s", ru="Среднее время, с"),
}


def verdicts(judged: Sequence[tuple[str, Verdict]], language: str) -> Section:
    """Files with everything that was said of their answers."""
    columns = (
        _FILE,
        Text(en="Valid", ru="Годен"),
        Text(en="Kind", ru="Вид"),
        Text(en="Remark", ru="Замечание"),
        Text(en="Message", ru="Сообщение"),
    )
    rows: list[tuple[Json, ...]] = []
    for name, verdict in judged:
        head = (name, "+" if verdict.valid else "−", verdict.kind if verdict.valid else None)
        remarks = (*verdict.reasons, *verdict.warnings)
        said: list[tuple[Json, Json]] = [(each.code, getattr(each.message, language)) for each in remarks]
        rows += [(*head, *each) for each in said or [(None, None)]]
    return Section("answers", Text(en="Answers", ru="Ответы"), columns, tuple(rows))


def standings(entries: Sequence[Entry], places: Mapping[str, int], criterion: Criterion) -> Section:
    """Return the board with the values that the criterion compares, as it compares them: rounded."""
    names = [name for name, _ in criterion.values]
    rows = tuple(
        (places[entry.team], entry.team, *(_compared(getattr(entry, name), criterion.places) for name in names))
        for entry in sorted(entries, key=lambda entry: (places[entry.team], entry.team))
    )
    columns = (_PLACE, _TEAM, *(_VALUES[name] for name in names))
    return Section("board", Text(en="Board", ru="Лидерборд"), columns, rows)


def prizes(places: Sequence[Place], passed: Mapping[str, Mapping[str, Entry]]) -> Section:
    """Teams with a place for the partial barrier, and Sk of every nosology they passed as it is compared."""
    rows = tuple(
        (each.place, each.team, ", ".join(f"{name} {_compared(own.sk)}" for name, own in passed[each.team].items()))
        for each in places
    )
    columns = (_PLACE, _TEAM, Text(en="Sk by nosology", ru="Sk по нозологиям"))
    title = Text(en="Partial barrier", ru="Частичное преодоление барьера")
    return Section("partial_barrier", title, columns, rows)


def rounds(pairs: Sequence[Sequence[Sequence[int]]]) -> Section:
    """Clinicians of each system, round by round."""
    columns = (Text(en="Round", ru="Раунд"), *(Text(en=f"S{number}", ru=f"С{number}") for number in range(1, 5)))
    rows = tuple(
        (number, *(" ".join(f"КС{clinician}" for clinician in pair) for pair in each))
        for number, each in enumerate(pairs, start=1)
    )
    return Section("rotation", Text(en="Rounds of stage 2", ru="Раунды стадии 2"), columns, rows)


def names(lot: Lot) -> Section:
    """Who drew which name."""
    columns = (Text(en="Name", ru="Имя"), Text(en="Drawn by", ru="Кому выпало"))
    rows = tuple((name, person) for group in lot for person, name in group.items())
    return Section("lot", Text(en="The lot", ru="Жеребьёвка"), columns, rows)


def facts(name: str, found: Epicrisis, costs: Costs) -> Section:
    """Studies of an epicrisis with what each of them costs."""
    columns = (
        _CODE,
        Text(en="Directory", ru="Справочник"),
        Text(en="Study", ru="Исследование"),
        _COST,
    )
    rows = tuple((each.code, each.directory, each.title, costs.get(each.code, 0.0)) for each in found.studies)
    diagnoses = ", ".join(found.diagnoses)
    title = Text(
        en=f"{name}: {found.root}, {found.elements} elements, ICD-10: {diagnoses or 'none'}",
        ru=f"{name}: {found.root}, элементов: {found.elements}, МКБ-10: {diagnoses or 'нет'}",
    )
    return Section("studies", title, columns, rows)


def _compared(value: Any, places: int = COMPARED_PLACES) -> Json:
    return None if value is None else fixed(value, places)
