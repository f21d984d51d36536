"""Differences, cell by cell, each with a sentence for people in both languages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from markup_core.lazy import dataclass
from markup_core.receipt import is_same_value
from shadow.source import Json

QUANTITIES: Final[Mapping[str, tuple[str, str]]] = {
    "answer": ("the answer that counts", "учитываемый ответ"),
    "answer_by": ("the deadline of the answer", "крайний срок ответа"),
    "answer_bytes": ("the stored bytes of an answer", "сохранённые байты ответа"),
    "board": ("who is on the board", "состав таблицы результатов"),
    "cause": ("the cause of the annulment", "причина аннулирования"),
    "chosen": ("what is run in the private test", "что запущено в закрытом тесте"),
    "completeness": ("how many files count and are answered", "сколько файлов учитывается и обработано"),
    "content": ("the stored bytes of an essay", "сохранённые байты эссе"),
    "counts": ("how many items are answered", "на сколько заданий есть ответ"),
    "entry": ("the team's entry on the board", "строка команды в таблице"),
    "invalid": ("which answers are none", "какие ответы недопустимы"),
    "manifest": ("the stored list of a set's files", "сохранённый перечень файлов выборки"),
    "missing": ("which items have no answer", "на какие задания нет ответа"),
    "output": ("the stored bytes of a program's output", "сохранённые байты результата программы"),
    "place": ("the place on the board", "место в таблице"),
    "receipt": ("the receipt", "квитанция"),
    "received_in_time": ("whether the answer came in time", "поступил ли ответ в срок"),
    "record": ("the file in the run's published record", "файл в опубликованном протоколе прогона"),
    "reference": ("the stored bytes of an expert's markup", "сохранённые байты экспертной разметки"),
    "report": ("whose report it is", "чей это отчёт"),
    "result": ("the aggregate of the team", "итоговый показатель команды"),
    "roster": ("the sealed roster of who was let in", "подписанный список допущенных"),
    "run": ("what was run", "что было запущено"),
    "score": ("the score of the answer", "оценка ответа"),
    "session": ("the team's session", "сессия команды"),
    "signature": ("the signature of a receipt", "подпись квитанции"),
    "solution_voided": ("whether the whole solution is annulled", "аннулировано ли решение целиком"),
    "state": ("what became of the file", "что стало с файлом"),
    "submission": ("the stored submission", "сохранённая посылка"),
    "table": ("a table of the report", "таблица отчёта"),
    "withheld": ("why totals of a program are withheld", "почему итоги программы не сообщаются"),
    "value": ("the value of the main board", "значение основного лидерборда"),
    "voided_share": ("the share of missed files", "доля аннулированных файлов"),
}
"""What is compared, in English and in Russian. A cell's quantity may go on with a path inside: ``score.pairs[0].x``."""

NOTHING: Final = "—"


@dataclass(frozen=True, slots=True)
class Cell:
    """One difference. ``number`` is a file's, 0 where it is about the whole session; a run's own has neither team nor
    session. ``platform`` and ``shadow`` are the two values, None where there is none."""

    quantity: str
    platform: Json
    shadow: Json
    number: int = 0
    team_id: str = ""
    session_id: str = ""
    submission_id: str = ""

    def of_submission(self, team_id: str, submission_id: str) -> Cell:
        """Return the cell assigned to a team's submission."""
        return replace(self, team_id=team_id, submission_id=submission_id)

    def to_dict(self) -> dict[str, Json]:
        """Return the cell's wire body, with its sentence in both languages."""
        en, ru = QUANTITIES[self.quantity.partition(".")[0].partition("[")[0]]
        path = self.quantity if "." in self.quantity or "[" in self.quantity else ""
        number = f"{self.number}" if self.number else ""
        name = f"{self.team_id}, {self.submission_id}" if self.submission_id else self.team_id or number
        place_en = place_ru = f"{name}: " if name else ""
        if number:
            place_en, place_ru = f"{name}, file {number}: ", f"{name}, файл {number}: "
        inner = f" ({path})" if path else ""
        platform, shadow = _abbreviated(self.platform), _abbreviated(self.shadow)
        return {
            "team_id": self.team_id,
            "session_id": self.session_id,
            "submission_id": self.submission_id,
            "number": self.number,
            "quantity": self.quantity,
            "platform": self.platform,
            "shadow": self.shadow,
            "message": f"{place_en}{en}{inner}: the platform has {platform}, the recomputation {shadow}",
            "message_ru": f"{place_ru}{ru}{inner}: у платформы {platform}, при пересчёте {shadow}",
        }


def _abbreviated(value: Json) -> str:
    text = NOTHING if value is None else str(value)
    return text if len(text) <= 80 else f"{text[:77]}…"


def differing(quantity: str, platform: Json, shadow: Json) -> Iterator[tuple[str, Json, Json]]:
    """Yield every place in which two JSON values differ, with its path appended to the quantity; numbers by value."""
    if isinstance(platform, Mapping) and isinstance(shadow, Mapping):
        for name in sorted({*platform, *shadow}):
            yield from differing(f"{quantity}.{name}", platform.get(name), shadow.get(name))
    elif isinstance(platform, list) and isinstance(shadow, list) and len(platform) == len(shadow):
        for index, (one, other) in enumerate(zip(platform, shadow, strict=True)):
            yield from differing(f"{quantity}[{index}]", one, other)
    elif not is_same_value(platform, shadow):
        yield quantity, platform, shadow


def compared(quantity: str, platform: Json, shadow: Json, number: int = 0) -> list[Cell]:
    """Return the cells of two values of one quantity; none if they are equal."""
    return [Cell(where, one, other, number) for where, one, other in differing(quantity, platform, shadow)]
