"""What a folder would change of the running cycle: fields, items of sets, and what the notice periods say of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from contest.commands.offline import Checked
from contest.domain.cycle import notices
from contest.domain.cycle.changes import FieldChange, changes
from contest.domain.cycle.cycle import OPEN_TO_ALL
from contest.domain.moments import Millis
from contest.services.cycle.showing import described
from tracks import registry
from tracks.protocol import Reason
from tracks.rules import Occasion


@dataclass(frozen=True, slots=True)
class SetChange:
    """Items of a set that differ."""

    name: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything that differs, and the warnings of changing it now."""

    fields: tuple[FieldChange, ...]
    sets: tuple[SetChange, ...]
    warnings: tuple[Reason, ...]


def compared(
    running: Mapping[str, Any],
    items: Mapping[str, Sequence[Sequence[Any]]],
    folder: Checked,
    finals: Sequence[Millis],
    now: Millis,
) -> Comparison:
    """Compare a folder with the running cycle's description and the rows of its sets' items; ``finals``: their starts.

    O(fields + items).
    """
    ours = described(folder.cycle, folder.parameters)
    fields = tuple(each for each in changes(_told(running), _told(ours)) if not each.field.endswith(".manifest"))
    names = sorted({*items, *folder.manifests})
    sets = tuple(_set_change(name, items.get(name, ()), folder.manifests.get(name, ())) for name in names)
    return Comparison(
        fields,
        tuple(each for each in sets if each.added or each.removed or each.changed),
        tuple(_warnings(running, folder, fields, finals, now)),
    )


def _told(description: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in description.items() if name not in {"loaded_at", "server_time"}}


def _set_change(name: str, before: Sequence[Sequence[Any]], after: Sequence[Sequence[Any]]) -> SetChange:
    old, new = ({row[0]: list(row) for row in rows} for rows in (before, after))
    changed = sorted(item for item in {*old} & {*new} if old[item] != new[item])
    return SetChange(name, tuple(sorted({*new} - {*old})), tuple(sorted({*old} - {*new})), tuple(changed))


def _warnings(
    running: Mapping[str, Any], folder: Checked, fields: Sequence[FieldChange], finals: Sequence[Millis], now: Millis
) -> Iterator[Reason]:
    cycle = folder.cycle
    terms = notices.of_cycle(cycle, registry.get(cycle.track).notice_periods())
    kinds = {kind.value for kind in OPEN_TO_ALL}
    open_sets = [
        {name: each["manifest"] for name, each in told["sets"].items() if each["kind"] in kinds}
        for told in (running, described(cycle, folder.parameters))
    ]
    if open_sets[0] != open_sets[1]:
        yield from notices.of_change(terms, Occasion.SETS, now, finals)
    if any(each.field == "known_clients" for each in fields):
        yield from notices.of_change(terms, Occasion.MODULES, now, finals)
    if any(each.field.startswith("parameters.") for each in fields):
        yield from notices.of_parameters(terms, now, now, finals)
