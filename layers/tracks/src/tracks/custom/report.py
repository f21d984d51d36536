"""Aggregation of counts by the program, and the tables of a result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from markup_core.receipt import canonical_json
from tracks.custom.declaration import Declaration
from tracks.custom.running import FAILURES, Failure
from tracks.protocol import Json, Judged, Outcome, Section, Text, in_both
from tracks.rules import Unit
from tracks.texts import tr

VALUE: Final = "value"


def in_order(records: Sequence[Json], name: str) -> list[Json]:
    """Return all counts of records under a name, in an order that is nobody's: the program gets them so.

    Counts that are lists (people's) are joined.
    """
    parts = (record[name] for record in records if record is not None and record["failed"] is None)
    counts = [one for part in parts for one in (part if isinstance(part, list) else [part])]
    return sorted(counts, key=canonical_json)


def failure_of(records: Sequence[Json]) -> dict[str, Json] | None:
    """Return the commonest failure of records with the number of items that failed; None if none did.

    Of equally common ones it is the first by its code.
    """
    failed = [(record["failed"]["code"], record["failed"]["said"]) for record in records if record["failed"]]
    if not failed:
        return None
    times = Counter(failed)
    code, account = min(times, key=lambda failure: (-times[failure], failure))
    return {"code": code, "said": account, "items": len(failed)}


def values_of(result: Json | Failure) -> dict[str, Json]:
    """Return an aggregate's values by name; ``value`` is the board's."""
    if isinstance(result, Failure) or result is None:
        return {VALUE: None}
    named = result if isinstance(result, dict) else {VALUE: result}
    return {name: None if value is None else float(value) for name, value in named.items()}


def sections(declared: Declaration, aggregate: Json, outcomes: Sequence[Outcome]) -> tuple[Section, ...]:
    """Build all tables; items in the given order, and no table of items without any."""
    tables = [_overall(declared, aggregate)]
    if aggregate["counts"]:
        counts = tuple((in_both(*_pair(declared.named(name))), total) for name, total in aggregate["counts"].items())
        tables.append(Section("counts", tr("Counts of all files"), (tr("Count"), tr("Sum")), counts))
    if failed := aggregate["failed"]:
        sentence = FAILURES[failed["code"]]
        row = (failed["code"], in_both(sentence.en, sentence.ru), failed["said"] or None, failed["items"])
        columns = (tr("Code"), tr("What is wrong"), tr("The program says"), tr("Files"))
        tables.append(Section("failed", tr("The measure could not be computed"), columns, (row,)))
    return (*tables, _files(declared, outcomes)) if outcomes else tuple(tables)


def _overall(declared: Declaration, aggregate: Json) -> Section:
    values, people, is_share = aggregate["values"], aggregate["people"] or {}, declared.raw["unit"] == Unit.SHARE.value
    barriers = people if declared.asks_people else {VALUE: aggregate["barrier"]}
    names: dict[str, Text] = {
        VALUE: declared.name_with_direction,
        **{name: declared.named(name) for name in values if name != VALUE},
    }
    rows = tuple((in_both(*_pair(text)), values[name], barriers.get(name)) for name, text in names.items())
    last = tr("People, measured in the same way") if declared.asks_people else tr("Barrier")
    is_judged = not declared.is_lower_better and barriers.get(VALUE) is not None
    return Section(
        "overall",
        tr("Result"),
        (tr("Measure"), tr("Value"), last),
        rows,
        shares=(1,) if is_share else (),
        judged=(Judged(1, 2),) if is_judged and all(row[2] is not None for row in rows) else (),
    )


def _pair(text: Text) -> tuple[str, str]:
    return text.en, text.ru


def _files(declared: Declaration, outcomes: Sequence[Outcome]) -> Section:
    records = [outcome.score or {} for outcome in outcomes]
    names = sorted({name for record in records for name in record.get("counts") or ()})
    columns = (tr("File"), tr("Group"), *(declared.named(name) for name in names), tr("Failure"))
    rows = tuple(
        (
            outcome.item.item_id,
            outcome.item.group,
            *((record.get("counts") or {}).get(name) for name in names),
            (record.get("failed") or {}).get("code"),
        )
        for outcome, record in zip(outcomes, records, strict=True)
    )
    return Section("files", tr("Files"), columns, rows)
