"""A cycle's folder checked on this machine, by the very code that loads it, with nothing behind it to store in."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from contest.adapters.clock import SystemClock
from contest.commands.cycle_folder import Folder
from contest.domain.cycle.cycle import Cycle, Parameters
from contest.domain.moments import Millis
from contest.faults import Fault
from contest.services.cycle import loading
from contest.services.cycle.folder import read_head
from contest.services.cycle.set_files import Progress
from contest.services.platform import Memory, Platform
from tracks import registry


@dataclass
class _Nothing:
    """The storage of a deployment that there is not: it takes everything and forgets all but the manifests."""

    objects: dict[str, bytes] = field(default_factory=dict)

    def put_if_absent(self, name: str, content: bytes) -> None:
        if "/manifests/" in name:
            self.objects[name] = content

    def put_all_if_absent(self, objects: Mapping[str, bytes], told: Callable[[str], None]) -> None:
        for name, content in objects.items():
            self.put_if_absent(name, content)
            told(name)

    def cycle(self) -> Cycle | None:
        return None

    def publish(self, *_: Any) -> None:
        """Nobody is told."""

    def of_mode(self, *_: Any) -> Sequence[str]:
        return ()


class _Offline:
    """The ports that loading asks for."""

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
        """When it was checked, by this machine's clock."""
        return self.cycle.loaded_at


def check(folder: Path, progress: Progress) -> tuple[Checked | None, tuple[Fault, ...]]:
    """Check a folder as ``contest cycle load`` does: None exactly when there are faults, all of them.

    Clause: platform §7 create
    """
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
    manifests = {each.name: json.loads(stored[each.manifest])["items"] for each in loaded.cycle.sets}
    return Checked(loaded.cycle, loaded.parameters, loaded.warnings, manifests), ()
