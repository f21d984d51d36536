"""Check and compare a cycle's folder on this machine, by the code that loads it; write remarks for a new file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, cast

from contest.adapters.system import SystemClock
from contest.cycle import file, loading
from contest.cycle.commands.folders import Folder
from contest.cycle.parameters import described as described_cycle
from contest.cycle.rules import notices as notice_rules
from contest.cycle.rules.cycle import OPEN_TO_ALL, Cycle, Parameters
from contest.cycle.rules.notices import FieldChange, changes
from contest.cycle.set_files import Progress, read_head
from contest.platform import Memory, Platform
from contest.refusals import Fault
from contest.texts import CATALOGUE
from contest.values import Millis
from markup_core.lazy import dataclass
from markup_core.texts import in_language
from tracks import registry
from tracks.protocol import Reason
from tracks.rules import Occasion


@dataclass
class _Nothing:
    """Storage without a deployment behind it: it takes everything and forgets all but the manifests."""

    objects: dict[str, bytes] = field(default_factory=dict)

    def put_if_absent(self, name: str, content: bytes) -> None:
        if "/manifests/" in name:
            self.objects[name] = content

    def put_all_if_absent(self, objects: Mapping[str, bytes], stored: Callable[[str], None]) -> None:
        for name, content in objects.items():
            self.put_if_absent(name, content)
            stored(name)

    def cycle(self, _: Cycle | None = None) -> Cycle | None:
        return None

    def publish(self, *_: Any) -> None:
        """Accept a publication and tell nobody."""

    def of_mode(self, *_: Any) -> Sequence[str]:
        return ()


class _Offline:
    """The ports that loading needs, without a deployment."""

    def __init__(self) -> None:
        self.blobs = self.catalogue = self.runs = _Nothing()
        self.clock = SystemClock()
        self.tracks = staticmethod(registry.get)
        self.memory = Memory()


@dataclass(frozen=True, slots=True)
class Checked:
    """A folder as it would be loaded; ``manifests`` by set: the rows of its items."""

    cycle: Cycle
    parameters: Parameters
    warnings: tuple[Fault, ...]
    manifests: dict[str, list[list[Any]]]

    @property
    def loaded_at(self) -> Millis:
        """Moment of the check by this machine's clock."""
        return self.cycle.loaded_at


# Clause: platform §7 create
def check(folder: Path, progress: Progress) -> tuple[Checked | None, tuple[Fault, ...]]:
    """Check a folder as ``contest cycle load`` does: None exactly when there are faults, all of them."""
    platform = _Offline()
    source = Folder(folder)
    _, head, faults = read_head(source)
    if faults:
        return None, tuple(faults)
    try:
        named = head.get("cycle") if isinstance(head, dict) else None
        loaded = loading.load_cycle(cast(Platform, platform), "", str(named), source, progress)
    except loading.CycleFaultsError as error:
        return None, error.faults
    stored = {name.rpartition("/")[2].removesuffix(".json"): raw for name, raw in platform.blobs.objects.items()}
    manifests = {essay_set.name: json.loads(stored[essay_set.manifest])["items"] for essay_set in loaded.cycle.sets}
    return Checked(loaded.cycle, loaded.parameters, loaded.warnings, manifests), ()


@dataclass(frozen=True, slots=True)
class SetChange:
    """A set with the ids of its items that differ."""

    name: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Differences between a folder and the running cycle, and the warnings of applying them now."""

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
    ours = described_cycle(folder.cycle, folder.parameters)
    fields = tuple(
        change
        for change in changes(_differences(running), _differences(ours))
        if not change.field.endswith(".manifest")
    )
    sets = []
    for name in sorted({*items, *folder.manifests}):
        both = (items.get(name, ()), folder.manifests.get(name, ()))
        old, new = ({row[0]: list(row) for row in rows} for rows in both)
        added, removed = sorted({*new} - {*old}), sorted({*old} - {*new})
        changed = sorted(item for item in {*old} & {*new} if old[item] != new[item])
        if added or removed or changed:
            sets.append(SetChange(name, tuple(added), tuple(removed), tuple(changed)))
    return Comparison(fields, tuple(sets), tuple(_warnings(running, folder, fields, finals, now)))


def _differences(description: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in description.items() if name not in {"loaded_at", "server_time"}}


def _warnings(
    running: Mapping[str, Any], folder: Checked, fields: Sequence[FieldChange], finals: Sequence[Millis], now: Millis
) -> Iterator[Reason]:
    cycle = folder.cycle
    terms = notice_rules.of_cycle(cycle, registry.get(cycle.track).notice_periods())
    kinds = {kind.value for kind in OPEN_TO_ALL}
    open_sets = [
        {name: essay_set["manifest"] for name, essay_set in description["sets"].items() if essay_set["kind"] in kinds}
        for description in (running, described_cycle(cycle, folder.parameters))
    ]
    if open_sets[0] != open_sets[1]:
        yield from notice_rules.of_change(terms, Occasion.SETS, now, finals)
    if any(change.field == "known_clients" for change in fields):
        yield from notice_rules.of_change(terms, Occasion.MODULES, now, finals)
    if any(change.field.startswith("parameters.") for change in fields):
        yield from notice_rules.of_parameters(terms, now, now, finals)


def described() -> Iterator[tuple[str, Mapping[str, Any]]]:
    """List the platform's parameters with their schemas; those of a part by path, as ``final.interval_s``."""
    schema = file.schema()

    def below(path: str, part: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
        for name, parameter in part.get("properties", {}).items():
            whole = {**_followed(schema, parameter), **parameter}
            yield path + name, whole
            yield from below(f"{path}{name}.", whole)

    return below("", _followed(schema, schema["properties"]["parameters"]))


def parameters(language: str) -> str:
    """Return remarks on the parameters, one line each, indented as under ``parameters:``."""
    lines = []
    for path, parameter in described():
        *parts, name = path.split(".")
        words = in_language(CATALOGUE.word("parameter", parameter["description"]), language)
        lines.append(f"#{'  ' * (len(parts) + 1)}{name}:{_value(parameter)} {words}")
    return "\n".join(lines)


def notices(track: str, language: str) -> str:
    """Return the contest's own notice periods with their clauses, one line each; one line where it has none."""
    periods = registry.get(track).notice_periods()
    none, days, working = ("нет", "дн.", "раб. дн.") if language == "ru" else ("none", "days", "working days")
    lines = [
        f"#   {period.occasion.value}: {period.days} {working if period.working else days} ({period.clause})"
        for period in periods
    ]
    return "\n".join(lines or [f"#   {none}"])


def _value(parameter: Mapping[str, Any]) -> str:
    """Format a parameter's default and its limits: `` 900 (1…86400).``"""
    value = f" {json.dumps(parameter['default'])}" if "default" in parameter and parameter["default"] != {} else ""
    limits = (
        f" ({parameter['minimum']}…{parameter['maximum']})" if "minimum" in parameter and "maximum" in parameter else ""
    )
    without = " —" if value or limits else ""
    return f"{value}{limits}{without}"


def _followed(schema: Mapping[str, Any], parameter: Mapping[str, Any]) -> Mapping[str, Any]:
    while "$ref" in parameter:
        parameter = schema["$defs"][parameter["$ref"].rpartition("/")[2]]
    return parameter
