"""Downloads of data sets: packing, access, publication.

Each set is packed once into parts, stored under names that derive from their content. No request waits for a whole set:
one packs some parts and returns the progress, the next one goes on. Two requests that pack at once make the same bytes.

Access (platform §1): a caller gets the permitted parts of a set and nothing of any other set. Organizers publish a set
for everybody, or withdraw it, with a reason (platform §1).
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Final, TypeGuard, cast

from contest import errors as cycle_errors
from contest import reading, stored_names
from contest.cycle.rules.cycle import OPEN_TO_ALL, Cycle, EssaySet, Item, Manifest, Mode, SetKind
from contest.people.cabinet import author
from contest.people.rules import Change, Identity, may
from contest.platform import Platform, read_and_decide
from contest.results.rules import set_access
from contest.results.rules.set_access import FILES_OF_PART, PART, Asker, Pack, Part, SetFile, View
from contest.routes import Right
from contest.run import planning
from contest.run.rules.run import Run
from contest.run.rules.schedule import Schedule
from contest.values import Millis, canonical, iso_or_none, sha256_hex
from markup_core.lazy import dataclass
from tracks.capabilities import DescribesSets
from tracks.protocol import Section, Track

_PER_REQUEST: Final = 1_000
"""Minimum files that a request reads before it returns its progress."""
_AT_A_TIME: Final = 100
_PARTS_AT_A_TIME: Final = 16
"""Parts that are in memory together, 4.5 MB each."""
_MADE: Final = re.compile(r".*/(?P<number>\d{5})-(?P<files>\d+)-(?P<size>\d+)-(?P<sha256>[0-9a-f]{64})\.json")

Show = Callable[[SetFile, bytes], bytes]
"""Conversion of a file from its stored form to the form that is given."""


@dataclass(frozen=True, slots=True)
class Place:
    """Storage of a set: ``folder`` is before its parts' names; the set as one file has a name of its own."""

    cycle: str
    folder: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Packed:
    """Set in parts, and as one file where it is given so; while it is not ready, the parts made so far."""

    folder: str
    files: int
    parts: tuple[Part, ...]
    pack: Pack | None = None
    is_ready: bool = False
    """True if everything is made."""

    @property
    def done(self) -> int:
        """Count the files in the parts that are made."""
        return sum(part.files for part in self.parts)

    @property
    def is_whole(self) -> bool:
        """Return whether all parts are made."""
        return self.done == self.files


def pack_set(platform: Platform, at: Place, files: Sequence[SetFile], show: Show) -> Packed:
    """Return a set's parts; make more of them if some are missing, then, by a request of its own, the one file."""
    finished = known_parts(platform, at.folder)
    if finished is not None:
        return finished
    # The parts that exist, by their names, up to the first missing one.
    names = platform.blobs.names(at.folder)
    matches = [match for name in names if (match := _MADE.fullmatch(name))]
    whole = (match for number, match in enumerate(matches, 1) if int(match["number"]) == number)
    packed = Packed(
        at.folder, len(files), tuple(Part(int(match["files"]), int(match["size"]), match["sha256"]) for match in whole)
    )
    if not packed.is_whole:
        packed = _with_more_parts(platform, at, packed, files, show)
        if not packed.is_whole or set_access.is_given_as_one(packed.parts):
            return packed
    one_file = _as_one(platform, at, packed) if set_access.is_given_as_one(packed.parts) else None
    index = {
        "format": 2,
        "parts": [asdict(part) for part in packed.parts],
        "pack": asdict(one_file) if one_file else None,
    }
    platform.blobs.put_if_absent(_index(at.folder), canonical(index))
    return known_parts(platform, at.folder) or packed


def _with_more_parts(platform: Platform, at: Place, packed: Packed, files: Sequence[SetFile], show: Show) -> Packed:
    first, read = packed.done, packed.done
    contents: list[tuple[str, bytes]] = []
    while not packed.is_whole and read - first < _PER_REQUEST:
        while read < len(files) and len(contents) < FILES_OF_PART and sum(len(file) for _, file in contents) <= PART:
            some = files[read : read + _AT_A_TIME]
            names = {file: stored_names.blob_names(at.cycle, file.kind, file.content) for file in some}
            stored = platform.blobs.get_all(sorted(set(names.values())))
            contents += [(file.name, show(file, stored[names[file]])) for file in some]
            read = min(read + _AT_A_TIME, len(files))
        count, content = set_access.next_part(contents)
        part = Part(count, len(content), sha256_hex(content))
        platform.blobs.put_if_absent(_name(at.folder, len(packed.parts) + 1, part), content)
        packed, contents = replace(packed, parts=(*packed.parts, part)), contents[count:]
    return packed


def _as_one(platform: Platform, at: Place, packed: Packed) -> Pack:
    """Return the set's files as one zip with the earliest possible date, so that equal sets have equal zips.

    O(bytes), of which a few parts and the zip are in memory.
    """
    place = io.BytesIO()
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        for start in range(0, len(packed.parts), _PARTS_AT_A_TIME):
            numbers = range(start + 1, min(start + _PARTS_AT_A_TIME, len(packed.parts)) + 1)
            names = [_name(packed.folder, number, packed.parts[number - 1]) for number in numbers]
            stored = platform.blobs.get_all(names)
            for file in (file for name in names for file in json.loads(stored[name])["files"]):
                entry = zipfile.ZipInfo(file["name"])
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, file["text"])
    content = place.getvalue()
    one_file = Pack(len(content), sha256_hex(content))
    platform.blobs.put_if_absent(stored_names.pack_name(at.cycle, at.fingerprint, one_file.sha256), content)
    return one_file


def known_parts(platform: Platform, folder: str) -> Packed | None:
    """Return a packed set; None while it is not packed."""
    key = ("packed", folder)
    packed_set = platform.memory.known(key)
    if packed_set is None:
        index = reading.stored_json(platform, _index(folder))
        if index is None:
            return None
        parts = tuple(Part(**fields) for fields in index["parts"])
        pack = Pack(**index["pack"]) if index.get("pack") else None
        packed_set = Packed(folder, sum(part.files for part in parts), parts, pack, is_ready=True)
        platform.memory.put(key, packed_set)
    return cast(Packed, packed_set)


def part_of(platform: Platform, packed: Packed, number: int) -> bytes:
    """Return the part ``number`` of a set, from 1."""
    return platform.blobs.get(_name(packed.folder, number, packed.parts[number - 1]))


def _name(folder: str, number: int, part: Part) -> str:
    return f"{folder}{number:05d}-{part.files}-{part.size}-{part.sha256}.json"


def _index(folder: str) -> str:
    return f"{folder}index.json"


_FINALS: Final = 100
"""Maximum finals that are looked at, the latest first."""
PACK_LIFETIME_MS: Final = 60_000
"""Longest life of an address at which a set may be read, in milliseconds (tracks-sessions T12)."""
_OF_FINAL: Final = "final-"
"""Prefix of the name of a set that a run's results release; the run's id follows."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Set that a caller may download; ``run_id`` if a final's published results release it."""

    name: str
    kind: SetKind
    view: View
    published_at: Millis | None
    sizes: Mapping[str, int]
    """Number of items per language."""
    fingerprint: str
    """SHA-256 that names the download."""
    folder: str
    """Folder of its parts."""
    count: int
    files: tuple[SetFile, ...] = ()
    """Files of the set, ``count`` of them; empty where all parts are known to be there."""
    run_id: str | None = None
    described: bool = False
    """True if the contest has tables of the set's contents."""

    @property
    def references(self) -> int:
        """Count the references among the files."""
        return self.count - sum(self.sizes.values())


@dataclass(frozen=True, slots=True)
class PackPlace:
    """Address of a set as one file: a path with a query, until a moment."""

    pack: Pack
    address: str
    until: Millis


# Clause: platform §1 data sets, R 2.6, R 4.2.1, R 7.11
def offers(platform: Platform, identity: Identity) -> tuple[Offer, ...]:
    """List every set open to the caller, those of the cycle by name, then of finals, the latest first."""
    asker, cycle = asker_of(platform, identity), reading.cycle_now(platform)
    track = reading.track_of(platform, cycle)
    views = ((data_set, set_access.view_of(asker, data_set, open_tests=track.open_tests)) for data_set in cycle.sets)
    own = tuple(_of_set(platform, cycle, data_set, view) for data_set, view in views if view is not None)
    finals = planning.list_runs(platform, Mode.FINAL, _FINALS) if asker is not Asker.ANYBODY else ()
    return own + tuple(_of_final(platform, run) for run in finals if set_access.may_have_final(asker, run))


def offer(platform: Platform, identity: Identity, name: str) -> Offer:
    """Return one offer; :class:`UnknownSetError` for any other set, existing or not."""
    asker, cycle = asker_of(platform, identity), reading.cycle_now(platform)
    data_set = cycle.set_named(name)
    if data_set is not None:
        view = set_access.view_of(asker, data_set, open_tests=reading.track_of(platform, cycle).open_tests)
        if view is None:
            raise cycle_errors.UnknownSetError
        return _of_set(platform, cycle, data_set, view)
    run = platform.runs.get(name.removeprefix(_OF_FINAL)) if name.startswith(_OF_FINAL) else None
    if run is None or run.mode is not Mode.FINAL or not set_access.may_have_final(asker, run):
        raise cycle_errors.UnknownSetError
    return _of_final(platform, run)


# Clause: platform §1 public
def published_offers(platform: Platform) -> tuple[Offer, ...]:
    """List the public offers: published sets with complete parts. Read nothing of any other set."""
    cycle = reading.cycle_now(platform)
    published = (_published(platform, cycle, data_set) for data_set in cycle.sets)
    return tuple(offer for offer in published if offer is not None)


def published_offer(platform: Platform, name: str) -> Offer:
    """Return one public offer; :class:`UnknownSetError` for any other."""
    cycle = reading.cycle_now(platform)
    data_set = cycle.set_named(name)
    public_offer = None if data_set is None else _published(platform, cycle, data_set)
    if public_offer is None:
        raise cycle_errors.UnknownSetError
    return public_offer


def parts_or_progress(platform: Platform, chosen: Offer) -> Packed:
    """Return the set's parts, or the progress of packing."""
    finished = known_parts(platform, chosen.folder)
    if finished is not None:
        return finished
    cycle = reading.cycle_now(platform)
    rules = reading.parameters(platform, cycle.parameters_version).track
    as_shown = partial(_shown, reading.track_of(platform, cycle), rules)
    show: Show = as_shown if chosen.view is View.QUESTIONS else lambda _, content: content
    at = Place(cycle.name, chosen.folder, chosen.fingerprint)
    return pack_set(platform, at, chosen.files, show)


def part(platform: Platform, chosen: Offer, number: int) -> bytes | Packed:
    """Return a part of the set, or the progress of packing; :class:`UnknownPartError` for a number without a part."""
    packed_set = parts_or_progress(platform, chosen)
    if number > len(packed_set.parts) and not packed_set.is_whole:
        return packed_set
    if not 1 <= number <= len(packed_set.parts):
        raise cycle_errors.UnknownPartError
    return part_of(platform, packed_set, number)


# Clause: TS T12
def address_or_progress(platform: Platform, chosen: Offer) -> PackPlace | Packed:
    """Return the address of the set as one file, or the progress.

    :class:`NoPackError` where it is given in parts alone.
    """
    packed_set = parts_or_progress(platform, chosen)
    if not packed_set.is_ready:
        return packed_set
    if packed_set.pack is None:
        raise cycle_errors.NoPackError
    cycle = reading.cycle_now(platform)
    name = stored_names.pack_name(cycle.name, chosen.fingerprint, packed_set.pack.sha256)
    until = (platform.clock.now() + PACK_LIFETIME_MS) // 1000 * 1000
    return PackPlace(packed_set.pack, platform.addresses.to_get(name, until), until)


# Clause: TS G-4
def description(platform: Platform, chosen: Offer) -> tuple[Section, ...] | Packed:
    """Return the contest's tables about a set's contents and, once they are made, its parts.

    :class:`NoDescriptionError` where the contest has none, and for a set given without its references.
    """
    track = reading.track_of(platform, reading.cycle_now(platform))
    if not _is_described(track, chosen.view):
        raise cycle_errors.NoDescriptionError
    packed_set = parts_or_progress(platform, chosen)
    if not packed_set.is_ready:
        return packed_set
    parts = (part_of(platform, packed_set, number) for number in range(1, len(packed_set.parts) + 1))
    return track.set_sections(
        set_access.set_entries(file for content in parts for file in json.loads(content)["files"])
    )


def _is_described(track: Track, view: View) -> TypeGuard[DescribesSets]:
    return isinstance(track, DescribesSets) and view is View.WHOLE


# Clause: R 4.2, D 6.2.2, D 7.4
def asker_of(platform: Platform, identity: Identity) -> Asker:
    """Return the caller's role: a member of a team without approval counts as the public."""
    if may(identity, Right.ORGANIZE):
        return Asker.ORGANIZER
    takes_part = may(identity, Right.READ_OWN) and identity.team_id
    team = platform.people.team(identity.team_id) if takes_part else None
    return Asker.PARTICIPANT if team is not None and reading.takes_part(platform, team) else Asker.ANYBODY


def _of_set(platform: Platform, cycle: Cycle, data_set: EssaySet, view: View) -> Offer:
    items = reading.manifest(platform, cycle.name, data_set.manifest).items
    files, track = set_access.files_of(items, view), reading.track_of(platform, cycle)
    shown_by = f"{track.name} {track.version}"
    fingerprint = (
        data_set.manifest if view is View.WHOLE else _sealed(platform, set_access.fingerprint_of(files, view, shown_by))
    )
    folder = stored_names.download_folder(cycle.name, fingerprint, published=data_set.published_at is not None)
    about = (data_set.name, data_set.kind, view, data_set.published_at, data_set.sizes)
    return Offer(*about, fingerprint, folder, len(files), files, described=_is_described(track, view))


# Clause: TS T10
def _sealed(platform: Platform, fingerprint: str) -> str:
    """Return a keyed hash as the name of a download without references.

    Stored items may hold references: a plain hash would let a reader of the rest try answers until it matches.
    """
    key = ("sealed", fingerprint)
    return cast(str, platform.memory.keep(key, lambda: platform.addresses.sealed(fingerprint)))


def _published(platform: Platform, cycle: Cycle, data_set: EssaySet) -> Offer | None:
    """Return the public offer of a set; None for one that is not published, or whose parts are not complete."""
    if data_set.published_at is None:
        return None
    folder = stored_names.download_folder(cycle.name, data_set.manifest, published=True)
    packed_set = known_parts(platform, folder)
    if packed_set is None:
        return None
    about = (data_set.name, data_set.kind, View.WHOLE, data_set.published_at, data_set.sizes)
    described = _is_described(reading.track_of(platform, cycle), View.WHOLE)
    return Offer(*about, data_set.manifest, folder, packed_set.files, described=described)


def _of_final(platform: Platform, run: Run) -> Offer:
    """Return the offer of a final's files, with the annotations by which they were scored."""
    plan, marked = reading.run_plan(platform, Schedule.of(run)), dict(run.markups)
    digests = sorted({marked.get(file.manifest, file.manifest) for file in plan})
    manifests = {digest: reading.manifest(platform, run.cycle, digest).by_id() for digest in digests}
    items = _apart([manifests[marked.get(file.manifest, file.manifest)][file.item_id] for file in plan])
    files = set_access.files_of(items, View.WHOLE)
    fingerprint = set_access.fingerprint_of(files, View.WHOLE, run.run_id)
    folder = stored_names.download_folder(run.cycle, fingerprint, published=False)
    name, sizes = f"{_OF_FINAL}{run.run_id}", Manifest(tuple(items)).sizes()
    fields = (name, SetKind.FINAL, View.WHOLE, run.published_at, sizes, fingerprint, folder, len(files), files)
    described = _is_described(reading.track_of(platform, reading.cycle_now(platform)), View.WHOLE)
    return Offer(*fields, run_id=run.run_id, described=described)


def _apart(items: Sequence[Item]) -> list[Item]:
    """Return items by their ids; of two sets' with one id the second has a number behind it."""
    counts: Counter[str] = Counter()
    numbered = []
    for item in items:
        counts[item.item_id] += 1
        again = counts[item.item_id]
        numbered.append(item if again == 1 else replace(item, item_id=f"{item.item_id}-{again}"))
    return sorted(numbered, key=lambda item: item.item_id)


# Clause: R 2.7
def _shown(track: Track, parameters: object, file: SetFile, content: bytes) -> bytes:
    """Return an item as it is handed out, under its own name."""
    step = track.steps(parameters)[0].name
    return canonical(track.hand_out(json.loads(content), file.name.removesuffix(".json"), step))


# Clause: platform §1 data sets, platform §1 audit, R 2.8
def decide_publication(platform: Platform, identity: Identity, name: str, reason: str, *, published: bool) -> EssaySet:
    """Publish the present files of a set with their references, or withdraw them.

    Files of a final or of the reserve may be published when a final's results are out and no run is under way.
    """

    def decided(cycle: Cycle) -> EssaySet:
        before = cycle.set_named(name)
        if before is None:
            raise cycle_errors.UnknownSetError
        if (before.published_at is not None) is published:
            raise cycle_errors.SetDecidedError
        if published and before.kind not in OPEN_TO_ALL:
            finals = planning.list_runs(platform, Mode.FINAL, _FINALS)
            is_out = any(set_access.may_have_final(Asker.PARTICIPANT, run) for run in finals)
            if not is_out or platform.runs.active_ids():
                raise cycle_errors.SetStillSecretError
        now = platform.clock.now()
        after = replace(before, published_at=now if published else None)
        sets = tuple(after if data_set.name == name else data_set for data_set in cycle.sets)
        states = [
            {"manifest": data_set.manifest, "published_at": iso_or_none(data_set.published_at)}
            for data_set in (before, after)
        ]
        what = "set published" if published else "set unpublished"
        change = Change(now, author(identity), what, name, states[0], states[1] | {"reason": reason})
        platform.catalogue.publish(replace(cycle, sets=sets), None, change)
        return after

    return read_and_decide(lambda: reading.cycle_now(platform), decided)
