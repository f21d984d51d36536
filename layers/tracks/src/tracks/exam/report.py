"""The tables of an exam session's report (tracks.md §2): the result, the breakdowns, every item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tracks.exam.tasks import SECTION_NAMES, TYPE_NAMES
from tracks.protocol import Json, Outcome, Section, Text

_POINTS: Final = Text(en="Points", ru="Баллы")
_OF: Final = Text(en="of", ru="из")
_SHARE: Final = Text(en="Share", ru="Доля")
_ITEMS: Final = Text(en="Items", ru="Заданий")
_PEOPLE: Final = Text(en="People, the whole exam", ru="Люди, весь экзамен")
_GROUPS: Final[Mapping[str, tuple[Text, Text]]] = {
    "by_section": (Text(en="By section", ru="По разделам"), Text(en="Section", ru="Раздел")),
    "by_task": (Text(en="By task", ru="По заданиям"), Text(en="Task", ru="Задание")),
    "by_type": (Text(en="By type", ru="По видам заданий"), Text(en="Type", ru="Вид")),
}
_NAMES: Final[Mapping[str, Mapping[str, Text]]] = {"by_section": SECTION_NAMES, "by_type": TYPE_NAMES}


def sections(aggregate: Json, outcomes: Sequence[Outcome]) -> tuple[Section, ...]:
    """All tables; items in the order in which they are given, and none of them where there are none."""
    return (*summary(aggregate), *([_files(outcomes)] if outcomes else []))


def summary(aggregate: Json) -> tuple[Section, ...]:
    """The result beside the human level, and the breakdowns; of totals those that they have."""
    variants = [_variants(aggregate)] if "variants" in aggregate else []
    return (_overall(aggregate), *variants, *(_group(aggregate, key) for key in _GROUPS if aggregate[key]))


def _overall(aggregate: Json) -> Section:
    human = aggregate["human"]
    mean, complete = aggregate["grade_norm"], aggregate["complete"]
    whole = complete if isinstance(complete, int) else len(complete)
    columns = (
        Text(en="Result", ru="Результат"),
        Text(en="grade_norm", ru="grade_norm"),
        Text(en="Mean points of 34", ru="Средний балл из 34"),
        Text(en="Complete variants", ru="Полных вариантов"),
    )
    rows = (
        ("program · программа", mean, None if mean is None else mean * human["of"], whole),
        ("people · люди", human["grade_norm"], human["points"], None),
    )
    return Section("overall", Text(en="Result", ru="Итог"), columns, rows, shares=(1,))


def _variants(aggregate: Json) -> Section:
    columns = (Text(en="Variant", ru="Вариант"), _POINTS, Text(en="Complete", ru="Полный"))
    complete = frozenset(aggregate["complete"])
    rows = tuple((name, points, "✓" if name in complete else None) for name, points in aggregate["variants"].items())
    return Section("variants", Text(en="By variant", ru="По вариантам"), columns, rows)


def _group(aggregate: Json, key: str) -> Section:
    """One breakdown; beside each share stands what people reach of the whole exam, for of its parts nobody says it."""
    title, name = _GROUPS[key]
    people = aggregate["human"]["grade_norm"]
    rows = tuple(
        (_named(key, group), found["items"], found["points"], found["max"], found["share"], people)
        for group, found in aggregate[key].items()
    )
    return Section(key, title, (name, _ITEMS, _POINTS, _OF, _SHARE, _PEOPLE), rows, shares=(5, 4))


def _named(key: str, group: str) -> str:
    """Names of sections and types stand in both languages, for tables have one set of rows."""
    both = _NAMES.get(key, {}).get(group)
    return group if both is None else f"{both.en} · {both.ru}"


def _files(outcomes: Sequence[Outcome]) -> Section:
    columns = (
        Text(en="File", ru="Файл"),
        Text(en="Variant", ru="Вариант"),
        Text(en="Task", ru="Задание"),
        Text(en="Type", ru="Вид"),
        _POINTS,
        _OF,
    )
    return Section("files", Text(en="Files", ru="Файлы"), columns, tuple(map(_file, outcomes)))


def _file(outcome: Outcome) -> tuple[Json, ...]:
    facts, record = outcome.item, outcome.score
    if record is None:
        return (facts.item_id, facts.group, None, None, None, None)
    return (facts.item_id, facts.group, record["task"], record["type"], record["score"], record["max"])
