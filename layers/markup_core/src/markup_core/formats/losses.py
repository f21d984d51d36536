"""What a conversion cannot carry: kinds with their counts, as data and in both languages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

_LANGUAGES: Final = ("ru", "en")

WORDING: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "meta": ("полей meta", "fields of meta"),
        "criteria": ("заявленных критериев", "claimed criteria"),
        "ids": ("идентификаторов фрагментов (заменены номерами)", "ids of fragments (numbers stand in their place)"),
        "line_ends": (
            "полей с переводами строк или табуляцией (заменены пробелами)",
            "fields with line ends or tabs (blanks stand in their place)",
        ),
        "borders": (
            "переводов строк и табуляций на границах фрагментов",
            "line ends and tabs at the borders of spans",
        ),
        "carriage_returns": (
            "возвратов каретки (CR) в тексте: новые версии brat их не считают, и позиции после них сдвинутся",
            "carriage returns in the text: newer versions of brat do not count them, and places behind them move",
        ),
        "full_text": (
            "фрагментов о тексте целиком при пустом тексте",
            "fragments about the whole text, which is empty",
        ),
        "gaps": (
            "разрывных фрагментов (размечены вместе с промежутками)",
            "discontinuous spans (their gaps are marked too)",
        ),
        "relations": ("связей", "relations"),
        "events": ("событий", "events"),
        "normalizations": ("ссылок на базы знаний", "links to knowledge bases"),
        "attributes": ("атрибутов", "attributes"),
        "notes": ("примечаний", "notes"),
        "bodies": ("тел аннотаций", "bodies of annotations"),
        "layers": ("аннотаций других слоёв", "annotations of other layers"),
        "features": ("признаков", "features"),
        "views": ("других представлений документа", "other views of the document"),
        "places": (
            "размеченных областей без места (start или end — null)",
            "labelled regions without a place (start or end is null)",
        ),
        "granularity": (
            "областей, чьи слова — лишь часть места (granularity word): место взято целиком",
            "regions whose words are only a part of their place (granularity word): the whole place is taken",
        ),
        "behind": (
            "областей, кончающихся на знак дальше текста (кончаются вместе с ним)",
            "regions that end one behind the text (they end with it)",
        ),
        "regions": ("результатов других видов", "results of other kinds"),
        "predictions": ("предсказаний моделей", "predictions of models"),
        "cancelled": ("отменённых разметок", "cancelled annotations"),
        "fields": ("полей задания", "fields of the task"),
        "labels": ("меток, которые велено опустить", "labels to be left out"),
        "offsets": (
            "фрагментов без своих слов (позиции приняты за кодовые точки Юникода)",
            "spans without their words (positions are taken as Unicode code points)",
        ),
    }
)
"""Every kind of loss. ``offsets`` is no loss but an assumption that has to be told."""


@dataclass(frozen=True, slots=True)
class Loss:
    """So many things of one kind that a conversion did not carry."""

    kind: str
    count: int

    def text(self, language: str) -> str:
        """The loss as people read it."""
        return f"{WORDING[self.kind][_LANGUAGES.index(language)]}: {self.count}"

    def to_dict(self) -> dict[str, Any]:
        """The loss as JSON."""
        return {"kind": self.kind, "count": self.count}


class Tally:
    """Counts losses while a conversion runs."""

    __slots__ = ("_counts",)

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def add(self, kind: str, count: int = 1) -> None:
        """Note that so many things of a kind are not carried."""
        self._counts[kind] += count

    def losses(self) -> tuple[Loss, ...]:
        """What was counted, in the order of :data:`WORDING`."""
        return tuple(Loss(kind, self._counts[kind]) for kind in WORDING if self._counts[kind])
