"""The agreement of experts as tables, in a terminal and as CSV."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from markup_core.command.captions import caption
from markup_core.command.complaints import of_system
from markup_core.command.folder import UnreadableError
from markup_core.command.report import Table
from markup_core.command.tables import UNDEFINED, decimal, percent
from markup_core.rounding import fixed

_FILES: Final[Mapping[str, tuple[str, ...]]] = {
    "couples": ("first", "second", "essays", "pair_accuracy"),
    "codes": ("code", "reference", "other", "agreed", "precision", "recall", "f"),
    "confusion": ("reference", "other", "times"),
}
"""The tables of a result, each with its columns."""

Json = Mapping[str, Any]


def summary(result: Json, language: str) -> str:
    """How many essays count, and alpha."""
    alpha = UNDEFINED if result["alpha"] is None else decimal(fixed(result["alpha"], 4), language)
    counts = {name: result[name] for name in ("essays", "left_out", "words")}
    return caption("agreement", language).format(alpha=alpha, **counts)


def tables(result: Json, language: str) -> tuple[Table, ...]:
    """Couples of experts, codes, and what one said where the other did not; a table without a row is left out."""
    couples = [
        (f"{each['first']:02} – {each['second']:02}", str(each["essays"]), percent(each["pair_accuracy"], language))
        for each in result["couples"]
    ]
    codes = [
        (
            each["code"],
            *(str(each[name]) for name in ("reference", "other", "agreed")),
            *(percent(each[name], language) for name in ("precision", "recall", "f")),
        )
        for each in result["codes"]
    ]
    differing = [
        (each["reference"] or UNDEFINED, each["other"] or UNDEFINED, str(each["times"]))
        for each in result["confusion"]
        if each["reference"] != each["other"]
    ]
    found = (
        _table("by_couple", ("couple", "essays", "pair_accuracy"), couples, language),
        _table("by_code", ("code", "reference", "other", "agreed", "precision", "recall", "f1"), codes, language),
        _table("confusion", ("reference", "other", "times"), differing, language, first=2),
    )
    return tuple(table for table in found if table.rows)


def write(folder: Path, result: Json) -> None:
    """Each table as a file of CSV with unrounded numbers; nothing where a value is undefined or there is no fragment.

    Raises UnreadableError for a folder that cannot be written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, columns in _FILES.items():
            with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
                sheet = csv.DictWriter(file, columns)
                sheet.writeheader()
                sheet.writerows(result[name])
    except OSError as error:
        raise UnreadableError.about(Path(error.filename or folder), of_system(error)) from None


def _table(
    title: str, headings: tuple[str, ...], rows: Sequence[tuple[str, ...]], language: str, *, first: int = 1
) -> Table:
    """``first``: the column from which on there are numbers."""
    named = tuple(caption(name, language) for name in headings)
    return Table(caption(title, language), named, tuple(rows), tuple(range(first, len(headings))))
