"""Read a cycle's folder for a rehearsal: file, parameters of the contest, calendar, items with their references."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from local import contest_folders, organizing
from rehearsal.moments import Millis, from_text
from rehearsal.texts import say
from tracks import registry
from tracks.capabilities import ReadsFolders, ReadsOwnFiles

Json = Any
Known = tuple[Mapping[str, Json], tuple[Mapping[str, Json], ...]]  # an item with its references
FINAL, RESERVE, TRAIN, TEST = "final", "reserve", "train", "test"
KINDS: Final[Mapping[str, str]] = {FINAL: "final", RESERVE: "reserve", TRAIN: "training", TEST: "test"}
"""Kinds of the sets of a rehearsed cycle, by their names."""
_FILES: Final = ("cycle.json", "cycle.yaml", "cycle.yml")
_PAGES: Final = "pages"
_PLATFORMS: Final = frozenset({"technical", "least_hidden_items"})
"""Parameters of the demonstrations that belong to the platform, not to the contest."""
_HOUR: Final = "T12:00:30Z"  # time of day at which a simulated clock starts


class Cycle:
    """A cycle's folder. With ``is_own`` it is an organizer's and its sets are played unchanged; a demonstration's items
    are repeated to fill sets of any size."""

    def __init__(self, folder: Path, head: Mapping[str, Json], raw: Mapping[str, Json], *, is_own: bool) -> None:
        self._folder, self.head, self._raw, self.is_own = folder, head, raw, is_own
        self.name = str(head.get("track", registry.DEFAULT))

    @classmethod
    def demonstrated(cls, contest: str) -> Cycle:
        folder = contest_folders.folder_of(contest)
        head = json.loads((folder / _FILES[0]).read_text("utf-8"))
        raw = {name: value for name, value in head["parameters"].items() if name not in _PLATFORMS}
        return cls(folder, head, raw, is_own=False)

    @classmethod
    def owned(cls, folder: Path) -> Cycle:
        """Return an organizer's cycle. Raises :class:`~local.organizing.OrganizerError` if it cannot be loaded."""
        organizing.validate(folder)
        _, head, raw = organizing.read_cycle(folder)
        if "@" in str(raw.get("measure", {}).get("program")):
            raise organizing.OrganizerError(say("a measure in a container image is not rehearsed"))
        return cls(folder, head, raw, is_own=True)

    @cached_property
    def track(self) -> Any:
        track: Any = registry.get(self.name)
        return track.under(self.parameters, lambda _: self.program) if self.program else track

    @cached_property
    def parameters(self) -> Json:
        """Return the parameters with the contest's defaults. Raises ValueError if the contest rejects them."""
        usual = {"classifier": self.head.get("classifier", "default"), "languages": self.head["languages"]}
        completed, reasons = registry.get(self.name).read_parameters({**usual, **self._raw})
        if reasons:
            raise ValueError(reasons)
        return completed

    @cached_property
    def program(self) -> bytes:
        """Return the program of a declared measure; empty without one."""
        declared = self._raw.get("measure")
        return (self._folder / declared["program"]).read_bytes() if declared else b""

    def time(self, name: str, usual: float) -> float:
        """Return a time of a final in seconds; ``usual`` if the cycle does not set it."""
        return float(self.head.get("parameters", {}).get("final", {}).get(f"{name}_s", usual))

    def starts_at(self, usual: Millis) -> Millis:
        """Return the start of the clock on the first day of the final; ``usual`` without a calendar."""
        day = self.head.get("stages", {}).get("final", {}).get("first")
        return from_text(f"{day}{_HOUR}") if self.is_own and day else usual

    @property
    def signatories(self) -> Sequence[str]:
        """List the signatories whose protocols a final needs before its results are published."""
        named = self.head.get("protocols") if self.is_own else None
        return sorted(self.track.policies("final").demanded if named is None else named)

    @cached_property
    def _sets(self) -> Mapping[str, tuple[str, Sequence[Known]]]:
        """Return the kind and the items of each set, in the order of their folders."""
        parts = {str(part.get("folder", name)): str(part["kind"]) for name, part in self.head["sets"].items()}
        return {folder: (parts[folder], tuple(self._read(folder))) for folder in sorted(parts)}

    def _read(self, folder: str) -> Iterator[Known]:
        place = self._folder / folder
        within = self.track.folders() if isinstance(self.track, ReadsFolders) else ()
        paths = [path for name in ("", *within) for path in sorted((place / name).iterdir()) if path.is_file()]
        files = {path.relative_to(place).as_posix(): path.read_bytes() for path in paths}
        if isinstance(self.track, ReadsOwnFiles):
            files = dict(self.track.unpack(files, self.parameters).files)
        for name in sorted(files):
            stem = name.removesuffix(".json")
            if "_exp" not in stem:
                references = sorted(other for other in files if other.startswith(f"{stem}_exp"))
                yield json.loads(files[name]), tuple(json.loads(files[other]) for other in references)

    @cached_property
    def items(self) -> Sequence[Known]:
        return [entry for _, entries in self._sets.values() for entry in entries if entry[1]]

    def folder(self, name: str) -> Path:
        """Return the folder of the first set of a kind, else raise :class:`~local.organizing.OrganizerError`."""
        for set_name, part in self.head["sets"].items():
            if part["kind"] == KINDS[name]:
                return self._folder / str(part.get("folder", set_name))
        raise organizing.OrganizerError(say("the cycle has no set of the kind {kind}", kind=KINDS[name]))

    def own(self, name: str) -> Sequence[Known]:
        """Return the organizer's items of a set, by its name in a rehearsed cycle; empty for a demonstration."""
        sets = [entries for kind, entries in self._sets.values() if kind == KINDS[name]] if self.is_own else []
        own = [entry for entries in sets for entry in entries]
        if bare := [item for item, references in own if not references]:
            message = say("set {name}: {count} items have no references; a rehearsal scores answers by them",
                          name=name, count=len(bare))  # fmt: skip
            raise organizing.OrganizerError(message)
        return own

    def write(self, folder: Path, cycle: str, parameters: Mapping[str, Json], **more: Json) -> None:
        """Write a cycle's file under the deployment's cycle name, beside the files and pages of an organizer's folder.

        ``parameters`` of the rehearsal override the cycle's; ``more`` are other parts of the file.
        """
        folder.mkdir(parents=True)
        if self.is_own or self.program:
            for path in self._folder.iterdir():
                if path.is_file() and path.name not in _FILES:
                    shutil.copy(path, folder)
            if self.is_own and (self._folder / _PAGES).is_dir():
                shutil.copytree(self._folder / _PAGES, folder / _PAGES)
        merged = _over(self.head.get("parameters", {}), parameters)
        stages = self.head.get("stages", {})
        if "qualification" in stages:  # sessions over the test set are played on the day of the final
            more = {**more, "stages": _over(stages, {"qualification": {"outside": "take"}})}
        write_json(folder / _FILES[0], {**self.head, **more, "cycle": cycle, "parameters": merged})


def _over(own: Mapping[str, Json], other: Mapping[str, Json]) -> dict[str, Json]:
    """Merge ``other`` into ``own``: its values win, objects are merged recursively."""
    parts = {
        name: _over(own.get(name) or {}, value) if isinstance(value, Mapping) else value
        for name, value in other.items()
    }
    return {**own, **parts}


def write_json(path: Path, value: Json) -> None:
    """Write a file of a cycle."""
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", "utf-8")


def write_sets(folder: Path, sets: Mapping[str, Iterable[tuple[str, Json]]]) -> None:
    """Write the files of each set by their names."""
    for name, files in sets.items():
        (folder / name).mkdir()
        for file_name, content in files:
            write_json(folder / name / file_name, content)


def ways_of(text: str) -> tuple[str, str, str]:
    """Return the ways in which an answer may write a text: escaped for JSON in two ways, and plain."""
    return json.dumps(text, ensure_ascii=False)[1:-1], json.dumps(text)[1:-1], text
