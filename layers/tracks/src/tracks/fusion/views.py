"""How the command shows what it found: sections for people, plain values for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Final

from tracks.fusion.board import Boards
from tracks.fusion.integral import Scores, contribution, integral
from tracks.fusion.report import parts_section, sum_section
from tracks.fusion.submission.archive import Checked
from tracks.fusion.subtasks import Subtask
from tracks.protocol import Json, Reason, Section, Text

_TEAM: Final = Text(en="Team", ru="Команда")
_PLACE: Final = Text(en="Place", ru="Место")


def described(checked: Checked) -> dict[str, Json]:
    """What was found in an archive, in both languages."""
    found = checked.metadata
    return {
        "valid": checked.valid,
        "reasons": [_reason(each) for each in checked.reasons],
        "warnings": [_reason(each) for each in checked.warnings],
        "metadata": None if found is None else {"image": found.image, "entry_point": found.entry_point},
        "members": checked.members,
        "unpacked_bytes": checked.unpacked,
    }


def archive(checked: Checked, language: str) -> Iterator[Section]:
    """The facts of an archive, then its faults, if there are any."""
    yield Section("archive", Text(en="Archive", ru="Архив"), _NAMED, tuple(_archive_rows(checked)))
    told = [("+", each) for each in checked.warnings] + [("−", each) for each in checked.reasons]
    if told:
        rows = tuple((sign, each.code, getattr(each.message, language)) for sign, each in told)
        columns = (Text(en="", ru=""), Text(en="Code", ru="Код"), Text(en="Fault", ru="Ошибка"))
        title = Text(en="Faults (−) and remarks (+)", ru="Ошибки (−) и замечания (+)")
        yield Section("faults", title, columns, rows)


def scored(summary: Json, records: Mapping[str, Json]) -> tuple[Section, ...]:
    """The sum, and the parts of every score."""
    rows = [
        (f"true_{subtask.value}.json", {**records[subtask.key]["result"], "subtask": subtask.value})
        for subtask in Subtask
        if subtask.key in records
    ]
    return sum_section(summary), parts_section(rows)


def remarks(records: Mapping[str, Json], language: str) -> Iterator[str]:
    """What a folder of predictions lacks or has too much, a line for each kind."""
    russian = language == "ru"
    for key, record in records.items():
        result = record["result"]
        unknown = [*result.get("unknown", ()), *result.get("unknown_classes", {})]
        if record["absent"]:
            yield f"{key}: нет файла предсказаний" if russian else f"{key}: there is no file of predictions"
        elif record["missing"]:
            count = record["missing"]
            yield f"{key}: без предсказания {count}" if russian else f"{key}: {count} without a prediction"
        if unknown:
            shown = ", ".join(unknown[:10]) + (" …" if len(unknown) > 10 else "")
            count = len(unknown)
            yield (
                f"{key}: лишние, пропущены {count}: {shown}" if russian else f"{key}: {count} unknown, ignored: {shown}"
            )


def prize(s: float, place: int, amount: float) -> Section:
    """The prize of one team."""
    columns = (_PLACE, Text(en="S", ru="S"), Text(en="Roubles", ru="Рублей"))
    return Section("prize", Text(en="Prize", ru="Приз"), columns, ((place, s, f"{amount:,.0f}".replace(",", " ")),))


def board(boards: Boards, teams: Mapping[str, Scores]) -> Section:
    """All boards in one table, in the order of the sum: contributions with places beside them."""
    columns = [_PLACE, _TEAM, Text(en="S", ru="S")]
    places = {subtask: {each.team: each.place for each in row} for subtask, row in boards.by_subtask.items()}
    for subtask in Subtask:
        columns += [Text(en=subtask.value, ru=subtask.value), _PLACE]
    rows = []
    for each in boards.by_sum:
        row: list[Json] = [each.place, each.team, plain(integral(teams[each.team]))]
        for subtask in Subtask:
            score = teams[each.team].get(subtask)
            row += [None if score is None else float(contribution(subtask, score)), places[subtask][each.team]]
        rows.append(tuple(row))
    return Section("board", Text(en="Board", ru="Лидерборд"), tuple(columns), tuple(rows))


def plain(value: Decimal | None) -> float | None:
    """A decimal as JSON knows numbers."""
    return None if value is None else float(value)


_NAMED: Final = (Text(en="Fact", ru="Сведение"), Text(en="Value", ru="Значение"))


def _archive_rows(checked: Checked) -> Iterator[tuple[str, str]]:
    found = checked.metadata
    yield "image", "—" if found is None else found.image
    yield "entry_point", "—" if found is None else found.entry_point
    yield "members", str(checked.members)
    yield "unpacked_bytes", str(checked.unpacked)


def _reason(reason: Reason) -> dict[str, Json]:
    return {
        "code": reason.code,
        "message": {"en": reason.message.en, "ru": reason.message.ru},
        "where": dict(reason.where),
    }
