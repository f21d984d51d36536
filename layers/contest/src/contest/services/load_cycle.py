"""Load a cycle from a folder: everything is checked, then everything or nothing is stored (platform §7)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Protocol

from contest.domain import cycle_file
from contest.domain.canonical import canonical, sha256_hex
from contest.domain.cycle import Cycle, EssaySet, Item, Manifest, Mode, Parameters, SetKind
from contest.domain.cycle_file import CycleFile, SetSource
from contest.domain.faults import Fault, from_reason
from contest.domain.moments import Millis
from contest.domain.people import Change
from contest.domain.report import described_parameters
from contest.ports import LostRaceError
from contest.services import knowledge
from contest.services.identity import NotPossibleError
from contest.services.platform import Platform
from tracks.protocol import Policies, Reason, Track

REAL_TECHNICAL_RUN: Final = 30
"""Files a technical run has at least (R 6.6); less is warned about, for the same reason."""
REAL_TEST_SET: Final = 300
"""Files a test set has in a real cycle (R 6.4); less is warned about, because a rehearsal needs fewer."""
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


class CycleFaultsError(Exception):
    """The folder cannot be loaded; ``faults`` lists everything that is wrong with it."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__(f"{len(faults)} faults")
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True)
class Loaded:
    """What was stored, and what an organizer should think about."""

    cycle: Cycle
    parameters: Parameters
    warnings: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class _Checked:
    """A set after checking: its manifest and the objects it needs, by kind and hash."""

    source: SetSource
    manifest: Manifest
    objects: Mapping[tuple[str, str], bytes]


def load_cycle(platform: Platform, who: str, deployed: str, source: Source, progress: Progress) -> Loaded:
    """Load the folder into the deployment called ``deployed``.

    Objects are stored under their hashes first and one conditional write makes them the cycle's: a crash leaves
    the cycle as it was. Sessions keep the sets and parameters with which they were opened.
    """
    file, track, parameters = _read_head(platform, deployed, source)
    checked, faults = [], []
    for each in file.sets:
        found, wrong = _check_set(file, each, track, parameters, source, progress)
        checked.append(found)
        faults += wrong
    if faults:
        raise CycleFaultsError(faults)
    sets = tuple(_store(platform, file.cycle, each, progress) for each in checked)
    return _publish(platform, who, file, sets, parameters)


def _read_head(platform: Platform, deployed: str, source: Source) -> tuple[CycleFile, Track, Any]:
    raw, broken = _json(source, cycle_file.FILE)
    if broken:
        raise CycleFaultsError(broken)
    track = _track(platform, cycle_file.track_name(raw))
    file, faults = cycle_file.read(raw, track.policies(Mode.ALGORITHMIC) if track else Policies())
    if file is None:
        raise CycleFaultsError(faults)
    if track is None:
        message = f"there is no track {file.track}"
        raise CycleFaultsError([Fault("unknown_track", cycle_file.FILE, message, {"field": "track"})])
    if file.cycle != deployed:
        message = f"this deployment is for the cycle {deployed}, the file describes {file.cycle}"
        raise CycleFaultsError([Fault("another_cycle", cycle_file.FILE, message, {"field": "cycle"})])
    raw_parameters = {
        **file.track_parameters,
        "classifier": file.classifier,
        "languages": {name: list(groups) for name, groups in file.languages.items()},
    }
    parameters, reasons = track.read_parameters(raw_parameters)
    if reasons:
        raise CycleFaultsError([from_reason(each, cycle_file.FILE) for each in reasons])
    return file, track, parameters


def _track(platform: Platform, name: str) -> Track | None:
    try:
        return platform.tracks(name)
    except LookupError:
        return None


def _json(source: Source, name: str) -> tuple[Any, list[Fault]]:
    try:
        return json.loads(source.read(name).decode("utf-8")), []
    except LookupError:
        return None, [Fault("missing_file", name, "there is no such file")]
    except UnicodeDecodeError as error:
        return None, [Fault("not_utf8", name, f"not UTF-8 at byte {error.start}")]
    except (json.JSONDecodeError, RecursionError) as error:
        return None, [Fault("malformed_json", name, f"not JSON: {error}")]


def _check_set(
    file: CycleFile, source_set: SetSource, track: Track, parameters: Any, source: Source, progress: Progress
) -> tuple[_Checked, list[Fault]]:
    folder = source_set.folder
    names = [name for name in source.names(folder) if name.endswith(".json")]
    experts = {name: match["item"] for name in names if (match := _REFERENCE.fullmatch(name))}
    faults = [
        Fault("no_item", f"{folder}/{name}", f"there is no {item}.json to which this could belong")
        for name, item in experts.items()
        if f"{item}.json" not in names
    ]
    reader = _SetReader(file, folder, track, parameters, source)
    items: list[Item] = []
    for name in (each for each in names if each not in experts):
        progress(f"{folder}/{name}")
        stem = name.removesuffix(".json")
        item = reader.item(name, [each for each, owner in experts.items() if owner == stem])
        items += [item] if item else []
    if not names:
        faults.append(Fault("empty_set", folder, "the set has no files"))
    checked = _Checked(source_set, Manifest(tuple(sorted(items, key=lambda each: each.item_id))), reader.objects)
    return checked, faults + reader.faults


class _SetReader:
    """Reads the files of one set, collecting their faults and the objects to store."""

    def __init__(self, file: CycleFile, folder: str, track: Track, parameters: Any, source: Source) -> None:
        self._file, self._folder, self._track = file, folder, track
        self._parameters, self._source = parameters, source
        self.faults: list[Fault] = []
        self.objects: dict[tuple[str, str], bytes] = {}

    def item(self, name: str, experts: Sequence[str]) -> Item | None:
        """One item with its references; None where it has faults."""
        path = f"{self._folder}/{name}"
        raw, broken = _json(self._source, path)
        self.faults += broken
        if broken:
            return None
        facts, reasons = self._track.read_item(raw, self._parameters)
        self._refuse(path, reasons)
        if facts is None:
            return None
        if facts.item_id != name.removesuffix(".json") or not _ITEM.fullmatch(name):
            message = f"the file holds the item {facts.item_id!r}; its name must be that and at most 64 characters"
            self.faults.append(Fault("wrong_name", path, message))
        if facts.group not in self._file.languages.get(facts.language, ()):
            message = f"{facts.group!r} in {facts.language!r} is not among the cycle's languages"
            self.faults.append(Fault("unknown_group", path, message))
        references = tuple(self._reference(raw, each) for each in experts)
        return Item(facts.item_id, facts.language, facts.group, self._keep("items", raw), references)

    def _reference(self, item: Any, name: str) -> str:
        path = f"{self._folder}/{name}"
        raw, broken = _json(self._source, path)
        self.faults += broken
        if not broken:
            self._refuse(path, self._track.read_reference(item, raw, self._parameters))
        return self._keep("references", raw)

    def _refuse(self, path: str, reasons: Sequence[Reason]) -> None:
        self.faults += [from_reason(each, path) for each in reasons]

    def _keep(self, kind: str, raw: Any) -> str:
        try:
            content = canonical(raw)
        except ValueError as error:
            self.faults.append(Fault("not_storable", self._folder, f"a value cannot be stored: {error}"))
            return ""
        digest = sha256_hex(content)
        self.objects[kind, digest] = content
        return digest


def _store(platform: Platform, cycle: str, checked: _Checked, progress: Progress) -> EssaySet:
    for (kind, digest), content in checked.objects.items():
        progress(f"{kind}/{digest}")
        platform.blobs.put_if_absent(knowledge.blob_names(cycle, kind, digest), content)
    manifest = canonical(knowledge.manifest_json(checked.manifest))
    digest = sha256_hex(manifest)
    platform.blobs.put_if_absent(knowledge.blob_names(cycle, "manifests", digest), manifest)
    return EssaySet(checked.source.name, checked.source.kind, digest, checked.manifest.sizes())


def _publish(
    platform: Platform, who: str, file: CycleFile, sets: tuple[EssaySet, ...], track_parameters: Any
) -> Loaded:
    now = platform.clock.now()
    before = platform.catalogue.cycle()
    current = platform.catalogue.parameters(before.parameters_version) if before else None
    parameters = _parameters(file, track_parameters, current, now)
    cycle = Cycle(
        name=file.cycle,
        title=file.title,
        time_zone=file.time_zone,
        track=file.track,
        languages=file.languages,
        classifier=file.classifier,
        sets=sets,
        parameters_version=parameters.version,
        loaded_at=now,
        known_clients=file.known_clients,
        version=before.version if before else 0,
    )
    try:
        platform.catalogue.publish(cycle, None if parameters is current else parameters)
    except LostRaceError:
        raise NotPossibleError("somebody else changed the cycle meanwhile; nothing was changed, try again") from None
    platform.audit_log.append(Change(now, who, "cycle loaded", cycle.name, _short(before), _short(cycle)))
    warnings = tuple(_warnings(sets, parameters, current))
    return Loaded(replace(cycle, version=cycle.version + 1), parameters, warnings)


def _parameters(file: CycleFile, track: Any, current: Parameters | None, now: Millis) -> Parameters:
    """Those of the file: the current version where nothing differs, else the next."""
    made = Parameters(
        version=current.version if current else 0,
        announced_at=current.announced_at if current else now,
        time_limit_s=file.time_limit_s,
        readiness_min_share=file.readiness_min_share,
        track=track,
        technical=file.technical,
        technical_times=file.technical_times,
        final=file.final,
        **file.counts,
    )
    if current is not None and canonical(described_parameters(made)) == canonical(described_parameters(current)):
        return current
    return replace(made, version=made.version + 1, announced_at=now)


def _short(cycle: Cycle | None) -> dict[str, Any] | None:
    if cycle is None:
        return None
    return {
        "parameters_version": cycle.parameters_version,
        "sets": {each.name: asdict(each) for each in cycle.sets},
    }


def _warnings(sets: Sequence[EssaySet], parameters: Parameters, before: Parameters | None) -> Iterator[Fault]:
    for each in sets:
        if each.kind is SetKind.TEST and each.size < REAL_TEST_SET:
            message = f"a real cycle's test set has at least {REAL_TEST_SET} files (R 6.4), this one {each.size}"
            yield Fault("small_test_set", each.name, message)
    drawn = min([parameters.technical.files[0], *(each.size for each in sets if each.kind is SetKind.TRAINING)])
    if parameters.technical_times.enabled and drawn < REAL_TECHNICAL_RUN:
        message = f"a technical run has at least {REAL_TECHNICAL_RUN} files (R 6.6), here it may have {drawn}"
        yield Fault("small_technical_run", cycle_file.FILE, message)
    if before is not None and before.version != parameters.version:
        message = "parameters changed at once; the regulation announces a change a week ahead (R 5.8)"
        yield Fault("short_notice", cycle_file.FILE, message)
