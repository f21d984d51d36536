"""The files of a set in a cycle's folder: items and experts' markups, each checked by the track (platform §7)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from contest.domain.canonical import canonical, sha256_hex
from contest.domain.cycle.cycle import Item, Manifest
from contest.domain.cycle.repeated_texts import fingerprint
from contest.faults import Fault, from_reason
from tracks.protocol import Reason, Text, Track

_REFERENCE: Final = re.compile(r"(?P<item>.+)_exp(?P<expert>\d{2})\.json")
_ITEM: Final = re.compile(r"(?P<item>[^/]{1,64})\.json")

Progress = Callable[[str], None]
"""Told the name of each file read or written."""


class Source(Protocol):
    """The folder a cycle is read from."""

    def names(self, folder: str) -> Sequence[str]:
        """Names of the files in a folder (``""`` is the top), ascending; none for a folder that is not there."""

    def read(self, name: str) -> bytes:
        """Content of a file; :class:`LookupError` without one."""


@dataclass(frozen=True, slots=True)
class Contest:
    """By what the files are checked: the track with its completed parameters, and the groups of each language."""

    track: Track
    parameters: Any
    languages: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Checked:
    """A set after checking: its manifest, the objects it needs, by kind and hash, and fingerprints of its items' texts.

    ``texts`` are by the item's id and file.
    """

    manifest: Manifest
    objects: Mapping[tuple[str, str], bytes]
    texts: Mapping[tuple[str, str], Sequence[bytes]]


def read_json(source: Source, name: str) -> tuple[Any, list[Fault]]:
    """A file's JSON value, or the fault that it has none."""
    try:
        return json.loads(source.read(name).decode("utf-8")), []
    except LookupError:
        return None, [Fault("missing_file", name, Text("there is no such file", "такого файла нет"))]
    except UnicodeDecodeError as error:
        said = Text(f"not UTF-8 at byte {error.start}", f"не UTF-8, начиная с байта {error.start}")
        return None, [Fault("not_utf8", name, said)]
    except (json.JSONDecodeError, RecursionError) as error:
        return None, [Fault("malformed_json", name, Text(f"not JSON: {error}", f"не JSON: {error}"))]


def check_set(contest: Contest, folder: str, source: Source, progress: Progress) -> tuple[Checked, list[Fault]]:
    """Read a set's folder; whatever its faults, all of them are found.

    Clause: R 2.5
    """
    names = [name for name in source.names(folder) if name.endswith(".json")]
    experts = {name: match["item"] for name in names if (match := _REFERENCE.fullmatch(name))}
    faults = [
        Fault("no_item", f"{folder}/{name}", Text(f"there is no {item}.json for it", f"для него нет {item}.json"))
        for name, item in experts.items()
        if f"{item}.json" not in names
    ]
    reader = _SetReader(contest, folder, source)
    items: list[Item] = []
    for name in (each for each in names if each not in experts):
        progress(f"{folder}/{name}")
        stem = name.removesuffix(".json")
        item = reader.item(name, [each for each, owner in experts.items() if owner == stem])
        items += [item] if item else []
    if not names:
        faults.append(Fault("empty_set", folder, Text("the set has no files", "в выборке нет файлов")))
    checked = Checked(Manifest(tuple(sorted(items, key=lambda each: each.item_id))), reader.objects, reader.texts)
    return checked, faults + reader.faults


class _SetReader:
    """Reads the files of one set, collecting their faults, the objects to store and fingerprints of the texts."""

    def __init__(self, contest: Contest, folder: str, source: Source) -> None:
        self._contest, self._folder, self._source = contest, folder, source
        self.faults: list[Fault] = []
        self.objects: dict[tuple[str, str], bytes] = {}
        self.texts: dict[tuple[str, str], Sequence[bytes]] = {}

    def item(self, name: str, experts: Sequence[str]) -> Item | None:
        """One item with its references; None where it has faults."""
        path = f"{self._folder}/{name}"
        raw, broken = read_json(self._source, path)
        self.faults += broken
        if broken:
            return None
        facts, reasons = self._contest.track.read_item(raw, self._contest.parameters)
        self._refuse(path, reasons)
        if facts is None:
            return None
        if facts.item_id != name.removesuffix(".json") or not _ITEM.fullmatch(name):
            said = Text(
                f"the file holds the item {facts.item_id!r}; its name must be that and at most 64 characters",
                f"в файле элемент {facts.item_id!r}; так же должно называться и имя файла, до 64 знаков",
            )
            self.faults.append(Fault("wrong_name", path, said))
        if facts.group not in self._contest.languages.get(facts.language, ()):
            said = Text(
                f"{facts.group!r} in {facts.language!r} is not among the cycle's languages",
                f"{facts.group!r} в {facts.language!r} нет среди языков цикла",
            )
            self.faults.append(Fault("unknown_group", path, said))
        self.texts[facts.item_id, path] = [fingerprint(each) for each in self._contest.track.texts(raw)]
        references = tuple(self._reference(raw, each) for each in experts)
        return Item(facts.item_id, facts.language, facts.group, self._keep("items", raw), references)

    def _reference(self, item: Any, name: str) -> str:
        path = f"{self._folder}/{name}"
        raw, broken = read_json(self._source, path)
        self.faults += broken
        if not broken:
            self._refuse(path, self._contest.track.read_reference(item, raw, self._contest.parameters))
        return self._keep("references", raw)

    def _refuse(self, path: str, reasons: Sequence[Reason]) -> None:
        self.faults += [from_reason(each, path) for each in reasons]

    def _keep(self, kind: str, raw: Any) -> str:
        try:
            content = canonical(raw)
        except ValueError as error:
            said = Text(f"a value cannot be stored: {error}", f"значение не сохранить: {error}")
            self.faults.append(Fault("not_storable", self._folder, said))
            return ""
        digest = sha256_hex(content)
        self.objects[kind, digest] = content
        return digest
