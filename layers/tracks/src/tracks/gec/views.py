"""Tables of the gec commands that are no part of a session's report (tracks.md §3; G, Tables 2 and 4–7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from markup_core.said import told
from tracks.gec.concentrated import Direction, Scope
from tracks.gec.m2 import Unit
from tracks.gec.places import judged
from tracks.gec.report import (
    ALL,
    DIRECTIONS,
    EVALUATION,
    KINDS,
    NEEDS_SHOWN,
    SOURCE,
    SYSTEM,
    TYPE,
    Found,
    breakdown,
    measures,
    numbers,
    with_more,
)
from tracks.protocol import Json, Section, Text

_EDITS: Final = Text(en="Edits", ru="Ошибок")
_SHARE: Final = Text(en="Share, %", ru="Доля, %")

_PRECISE: Final = 4
"""Decimals that ERRANT's own commands print."""


def precise(section: Section) -> Section:
    """Return a table whose fractions have as many decimals as ERRANT prints."""
    return replace(section, least_places=_PRECISE)


def overall(systems: Iterable[tuple[str, Mapping[str, Found | None]]], beta: float) -> Section:
    """Every system at correction and at detection."""
    rows = tuple((system, shown, *numbers(found[kind])) for system, found in systems for kind, shown in KINDS.items())
    columns = (SYSTEM, EVALUATION, *measures(beta))
    return Section("overall", Text(en="Overall", ru="В целом"), columns, rows)


def by_operation(system: str, found: Mapping[str, Found], beta: float) -> Section:
    """Insertions, deletions, replacements: the first letters of ERRANT's labels."""
    title = Text(en=f"{system}: by operation", ru=f"{system}: по операциям")
    return breakdown("by_operation", title, Text(en="Operation", ru="Операция"), found, beta)


def by_type(system: str, found: Mapping[str, Found], beta: float) -> Section:
    """Types of errors."""
    return breakdown("by_type", Text(en=f"{system}: by type", ru=f"{system}: по типам"), TYPE, found, beta)


def by_label(system: str, found: Mapping[str, Found], beta: float) -> Section:
    """Whole labels, as R:NOUN:NUM."""
    title = Text(en=f"{system}: by operation and type", ru=f"{system}: по операциям и типам")
    return breakdown("by_label", title, TYPE, found, beta)


BREAKDOWNS: Final = {"by_operation": by_operation, "by_type": by_type, "by_label": by_label}
"""How a system's correction is shown in parts, by the parts' names."""


def by_unit(system: str, units: Sequence[Unit], found: Sequence[tuple[Sequence[int], Found]], beta: float) -> Section:
    """What each unit brought at correction, and with whom of the annotators."""
    rows = tuple(
        (number, hypothesis, reference, *numbers(counts), unit.source)
        for number, (unit, ((hypothesis, reference), counts)) in enumerate(zip(units, found, strict=True))
    )
    columns = (
        Text(en="Unit", ru="Блок"),
        Text(en="Hypothesis id", ru="№ системы"),
        Text(en="Annotator", ru="Аннотатор"),
        *measures(beta),
        Text(en="Text", ru="Текст"),
    )
    return Section("by_unit", Text(en=f"{system}: by unit", ru=f"{system}: по блокам"), columns, rows)


def edits(system: str, gold: Sequence[Unit], made: Sequence[Unit], chosen: Sequence[Sequence[int]]) -> Section:
    """Which edits of the chosen couples were right, missed or wrong at correction; spans in tokens."""
    rows = [
        (
            number,
            sign,
            edit.type,
            f"{edit.start} {edit.end}",
            " ".join(unit.tokens[edit.start : edit.end]) or None,
            edit.correction or None,
        )
        for number, (unit, ours, (hypothesis, annotator)) in enumerate(zip(gold, made, chosen, strict=True))
        for sign, edit in judged(ours.annotators.get(hypothesis, ()), unit.annotators.get(annotator, ()))
    ]
    columns = (
        Text(en="Unit", ru="Блок"),
        Text(en="Counts as", ru="Считается"),
        TYPE,
        Text(en="Tokens", ru="Слова"),
        Text(en="Written", ru="Написано"),
        Text(en="Correction", ru="Исправление"),
    )
    return Section("edits", Text(en=f"{system}: by edit", ru=f"{system}: по правкам"), columns, tuple(rows))


def shares(key: str, title: Text, name: Text, counted: Mapping[str, int]) -> Section:
    """How many of what, with shares and the total (G, Tables 4 and 5)."""
    every = sum(counted.values())
    rows = [(category, count, 100 * count / every if every else None) for category, count in counted.items()]
    rows.append((ALL, every, 100.0 if every else None))
    return Section(key, title, (name, _EDITS, _SHARE), tuple(rows))


def data_set(types: Mapping[str, int], sources: Mapping[str, int], needs: Mapping[str, int]) -> tuple[Section, ...]:
    """What a data set holds (G, Tables 4 and 5)."""
    said = {shown: needs[name] for name, shown in NEEDS_SHOWN.items() if needs[name]}
    return (
        shares("types", Text(en="Types of errors", ru="Типы ошибок"), TYPE, types),
        shares("sources", Text(en="Source corpora", ru="Исходные корпусы"), SOURCE, sources),
        shares("needs", Text(en="Context needed for", ru="Для чего нужен контекст"), Text(en="For", ru="Для"), said),
    )


def contexts(found: Mapping[tuple[Direction, str], Mapping[Scope, int]]) -> Section:
    """Which context errors need (G, Table 6)."""
    rows: list[tuple[Any, ...]] = []
    for direction in Direction:
        part = [(distance, scopes) for (side, distance), scopes in found.items() if side is direction]
        rows += [(DIRECTIONS[direction.value], distance, *_scopes([scopes])) for distance, scopes in part]
        if len(part) > 1:
            every = [scopes for _, scopes in part]
            rows.append((with_more(DIRECTIONS[direction.value], ", Σ"), None, *_scopes(every)))
    rows.append((ALL, None, *_scopes(list(found.values()))))
    columns = (
        Text(en="Context", ru="Контекст"),
        Text(en="Distance", ru="Расстояние"),
        Text(en="Other clause", ru="Другая клауза"),
        Text(en="Other sentence", ru="Другое предложение"),
        _EDITS,
    )
    return Section("contexts", Text(en="Context that errors need", ru="Контекст, нужный ошибкам"), columns, tuple(rows))


def among_all(counted: Mapping[str, tuple[int, int]]) -> Section:
    """How many edits of each type depend on context (G, Appendix B)."""
    pairs = [*counted.items(), (ALL, tuple(map(sum, zip(*counted.values(), strict=True))) or (0, 0))]
    rows = tuple((name, every, dependent, dependent / every if every else None) for name, (every, dependent) in pairs)
    columns = (
        TYPE,
        Text(en="All edits", ru="Всего правок"),
        Text(en="Context-dependent", ru="Контекстно зависимых"),
        Text(en="Share", ru="Доля"),
    )
    title = Text(en="Context-dependent edits among all of a type", ru="Контекстно зависимые среди всех правок типа")
    return Section("among_all", title, columns, rows, shares=(3,))


def evaluation(key: str, name: Text, systems: Sequence[tuple[str, Found, Mapping[str, Found]]], beta: float) -> Section:
    """Every system on context-dependent edits, in all and by category (G, Table 7 and Figure 1).

    Clause: G Figure 1, G Table 7
    """
    rows = []
    for system, found, categories in systems:
        rows.append((system, ALL, *numbers(found)))
        rows += [(system, category, *numbers(counts)) for category, counts in categories.items()]
    title = Text(
        en=f"Context-dependent errors: {name.en.lower()}", ru=f"Контекстно зависимые ошибки: {name.ru.lower()}"
    )
    return Section(key, title, (SYSTEM, name, *measures(beta)), tuple(rows))


def agreement(found: Found, types: Mapping[str, Found], sizes: Mapping[str, int], items: int) -> Section:
    """Agreement in all and by type (G, Table 2)."""
    rows = ((ALL, *found.values(), items), *((name, *part.values(), sizes[name]) for name, part in types.items()))
    columns = (
        TYPE,
        Text(en="Krippendorff's alpha", ru="Альфа Криппендорфа"),
        Text(en="Fleiss' kappa", ru="Каппа Флейсса"),
        Text(en="Randolph's kappa", ru="Каппа Рэндольфа"),
        Text(en="Matches with the base, %", ru="Совпадения с базовой, %"),
        Text(en="Items", ru="Примеров"),
    )
    return Section("agreement", Text(en="Agreement", ru="Согласованность"), columns, rows)


def blocks(found: Mapping[str, Sequence[Sequence[int]]]) -> Section:
    """The smallest blocks of sentences of every item."""
    rows = tuple(
        (name, len(parts), "  ".join(" ".join(map(str, part)) for part in parts)) for name, parts in found.items()
    )
    columns = (
        Text(en="Item", ru="Текст"),
        Text(en="Blocks", ru="Блоков"),
        Text(en="Sentences of each, from 0", ru="Предложения каждого, с 0"),
    )
    return Section("blocks", Text(en="Blocks", ru="Блоки"), columns, rows)


def faults(path: Path, found: Json, language: str) -> Section:
    """What is wrong with an M2 file, line by line, said in a language."""
    rows = tuple((fault["line"], fault["code"], told(fault["message"], language)) for fault in found["faults"])
    columns = (Text(en="Line", ru="Строка"), Text(en="Code", ru="Код"), Text(en="What is wrong", ru="Что не так"))
    title = Text(en=f"{path}: faults {found['count']}", ru=f"{path}: ошибок {found['count']}")
    return Section("faults", title, columns, rows)


def remarks(found: Sequence[tuple[str, Json]], language: str) -> Section:
    """Return what is remarked on in M2 files, with the first line of each."""
    rows = tuple((name, each["line"], each["code"], told(each["message"], language)) for name, each in found)
    columns = (
        Text(en="File", ru="Файл"),
        Text(en="First line", ru="Первая строка"),
        Text(en="Code", ru="Код"),
        Text(en="Remark", ru="Замечание"),
    )
    return Section("remarks", Text(en="Remarks", ru="Замечания"), columns, rows)


def _scopes(parts: Sequence[Mapping[Scope, int]]) -> tuple[int, ...]:
    counts = [sum(part.get(scope, 0) for part in parts) for scope in Scope]
    return (*counts, sum(counts))
