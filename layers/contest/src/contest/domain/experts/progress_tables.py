"""Tables of the experts' work for its coordinator: experts, essays, third experts, agreement (R 7.10, platform §5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from contest.domain.experts.assignment import AssignmentState
from contest.domain.experts.progress import EssayProgress, ExpertProgress, Progress
from contest.domain.experts.speed import Speed
from contest.domain.moments import iso_or_none
from contest.domain.tables import Column, Kind, Table, codes, column, moments, numbers, picked
from tracks.protocol import Text

_EXPERT: Final = (column("expert_id", "Expert", "Эксперт"), column("pseudonym", "Pseudonym", "Псевдоним"))
_ESSAY: Final = (
    column("item_id", "Essay", "Эссе"),
    column("language", "Language", "Язык"),
    column("subject", "Type", "Тип"),
)
_STATES: Final = {
    AssignmentState.ASSIGNED: ("Assigned", "Назначено"),
    AssignmentState.OPENED: ("At work", "В работе"),
    AssignmentState.HANDED_IN: ("Handed in", "Сдано"),
    AssignmentState.EXPIRED: ("Ran out", "Истекло"),
    AssignmentState.HANDED_BACK: ("Handed back", "Возвращено"),
    AssignmentState.REASSIGNED: ("Reassigned", "Передано"),
    AssignmentState.RELEASED: ("Released", "Снято"),
}
_ESSAYS: Final = numbers("essays", "Essays", "Эссе")
_GROUP: Final = column("group", "Group", "Группа")


def _interval(name: str) -> tuple[Column, Column]:
    """The ends of a 95 % interval."""
    return (
        numbers(f"{name}_from", "95 % interval, from", "95 %-й интервал, от"),
        numbers(f"{name}_to", "to", "до"),
    )


_AGREEMENT: Final = (
    numbers("accuracy", "Pair accuracy, %", "Парная точность, %"),
    *_interval("accuracy_95"),
    numbers("alpha", "Krippendorff's alpha", "Альфа Криппендорфа"),
    *_interval("alpha_95"),
)


def of_report(
    found: Progress, agreement: Mapping[str, Any], speeds: Sequence[Speed], pseudonyms: Mapping[str, str]
) -> tuple[Table, ...]:
    """All tables, the experts' own first. ``agreement`` is the track's account (its parts may be missing).

    Clause: R 7.10, R 8.3.2
    """
    drift = {each["expert"]: each for each in agreement.get("by_expert", ())}
    by_name = {each.expert_id: each for each in speeds}
    experts = ({**_expert(each, by_name, drift), "pseudonym": pseudonyms.get(each.expert_id)} for each in found.experts)
    return (
        picked("experts", Text(en="Experts", ru="Эксперты"), _expert_columns(), experts),
        _subjects(found),
        _thirds(found),
        _agreements(agreement),
        _pairs(agreement),
        _codes(agreement),
        _essays(found),
    )


def _expert_columns() -> tuple[Column, ...]:
    return (
        *_EXPERT,
        *(numbers(state.value, *titles) for state, titles in _STATES.items()),
        numbers("without_markup", "Ran out without a markup", "Истекло без разметки"),
        numbers("median_s", "Median time, s", "Медиана времени, с"),
        numbers("mean_s", "Mean time, s", "Среднее время, с"),
        *_interval("mean_95"),
        numbers("accuracy", "Agreement with partners, %", "Согласованность с напарниками, %"),
        *_interval("accuracy_95"),
        numbers("points", "Drift of points, % of the most", "Сдвиг баллов, % от максимума"),
        *_interval("points_95"),
        numbers("fragments", "Drift of fragments", "Сдвиг числа фрагментов"),
        *_interval("fragments_95"),
    )


def _expert(each: ExpertProgress, speeds: Mapping[str, Speed], drift: Mapping[str, Any]) -> dict[str, Any]:
    speed, own = speeds.get(each.expert_id), drift.get(each.expert_id, {})
    took = {} if speed is None else {"median_s": speed.median_s, "mean_s": speed.mean_s, "mean_95": speed.mean_95}
    states = {state.value: each.states.get(state, 0) for state in _STATES}
    return {
        "expert_id": each.expert_id,
        **states,
        "without_markup": each.without_markup,
        **_with_ends(took),
        **_with_ends(own),
    }


def _with_ends(found: Mapping[str, Any]) -> dict[str, Any]:
    """A row with the two ends of each of its intervals apart."""
    made: dict[str, Any] = {}
    for name, value in found.items():
        if name.endswith("_95"):
            low, high = (None, None) if value is None else value
            made |= {f"{name}_from": low, f"{name}_to": high}
        else:
            made[name] = value
    return made


def _subjects(found: Progress) -> Table:
    """How far the work is, by language and type of essay."""
    rows = ({**asdict(each), "open": each.open} for each in found.subjects)
    columns = (
        *_ESSAY[1:],
        _ESSAYS,
        numbers("done", "Done", "Готово"),
        numbers("open", "Open", "В работе"),
        numbers("late", "Late", "Просрочено"),
        numbers("lacking", "Experts lacking", "Не хватает экспертов"),
        numbers("thirds", "Third experts", "Третьих экспертов"),
    )
    return picked("progress", Text(en="Progress", ru="Ход работы"), columns, rows)


def _thirds(found: Progress) -> Table:
    """Why third experts were called, and how often each reason stood."""
    decided = [each.essay.third for each in found.essays if each.essay.third is not None]
    reasons = [reason for each in decided for reason in each.reasons]
    counts = Counter(str(each["code"]) for each in reasons)
    rows = ({"code": code, "essays": count} for code, count in sorted(counts.items()))
    columns = (codes("code", "Reason", "Причина"), _ESSAYS)
    return picked("thirds", Text(en="Why third experts were called", ru="Причины третьей проверки"), columns, rows)


def _agreements(agreement: Mapping[str, Any]) -> Table:
    """Agreement over all essays and by type."""
    named = [("all", agreement["all"])] if "all" in agreement else []
    named += sorted(agreement.get("by_subject", {}).items())
    rows = ({"group": name, **_with_ends(each)} for name, each in named)
    columns = (column("group", "Type", "Тип", Kind.CODE), _ESSAYS, *_AGREEMENT)
    return picked("agreement", Text(en="Agreement", ru="Согласованность экспертов"), columns, rows)


def _pairs(agreement: Mapping[str, Any]) -> Table:
    rows = (
        {**_with_ends(each), "first": each["experts"][0], "second": each["experts"][1]}
        for each in agreement.get("by_pair", ())
    )
    columns = (column("first", "Expert", "Эксперт"), column("second", "Partner", "Напарник"), _ESSAYS, *_AGREEMENT)
    return picked("pairs", Text(en="Agreement of pairs", ru="Согласованность по парам"), columns, rows)


def _codes(agreement: Mapping[str, Any]) -> Table:
    columns = (
        column("subject", "Type", "Тип"),
        column("code", "Code", "Код"),
        numbers("units", "Fragments", "Фрагментов"),
        numbers("agreed", "Agreed", "Совпало"),
        *_AGREEMENT[3:],
    )
    rows = (_with_ends(each) for each in agreement.get("by_code", ()))
    return picked("codes", Text(en="Agreement by code", ru="Согласованность по кодам"), columns, rows)


def _essays(found: Progress) -> Table:
    columns = (
        *_ESSAY,
        column("done", "Done", "Готово", Kind.TRUTH),
        numbers("lacking", "Experts lacking", "Не хватает экспертов"),
        column("third", "Third expert", "Третий эксперт", Kind.TRUTH),
        moments("third_decided_at", "Decided", "Решено"),
        column("experts", "Experts", "Эксперты"),
    )
    return picked("essays", Text(en="Essays", ru="Эссе"), columns, map(_essay, found.essays))


def _essay(row: EssayProgress) -> dict[str, Any]:
    third = row.essay.third
    return {
        "item_id": row.essay.item_id,
        "language": row.essay.language,
        "subject": row.essay.subject,
        "done": row.is_done,
        "lacking": row.lacking,
        "third": None if third is None else third.is_needed,
        "third_decided_at": iso_or_none(third.at if third else None),
        "experts": ", ".join(_given(row)),
    }


def _given(row: EssayProgress) -> Iterator[str]:
    return (f"{each.expert_id}: {each.state.value}" for each in row.assignments)
