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
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Final, TypeGuard, cast

from contest import reading, stored_names
from contest.cycle.errors import (
    NoDescriptionError,
    NoPackError,
    SetDecidedError,
    SetStillSecretError,
    UnknownPartError,
    UnknownSetError,
)
from contest.cycle.rules.cycle import OPEN_TO_ALL, Cycle, EssaySet, Item, Manifest, Mode, SetKind
from contest.people.cabinet import author
from contest.people.rules import Change, Identity, TeamStatus, may
from contest.platform import Platform, decide_until_written
from contest.ports import MissingBlobError
from contest.results.rules import downloads
from contest.results.rules.downloads import FILES_OF_PART, PART, Asker, Pack, Part, SetFile, View, may_have_final
from contest.route import Right
from contest.run import planning
from contest.run.rules.run import Run
from contest.run.rules.schedule import Schedule
from contest.values import Millis, canonical, iso_or_none, sha256_hex
from tracks.capabilities import DescribesSets
from tracks.protocol import Section, Track

_PER_REQUEST: Final = 1_000
"""Files that a request reads at least, before it says how far it is."""
_AT_A_TIME: Final = 100
_PARTS_AT_A_TIME: Final = 16
"""Parts that are in memory together, 4.5 MB each."""
_MADE: Final = re.compile(r".*/(?P<number>\d{5})-(?P<files>\d+)-(?P<size>\d+)-(?P<sha256>[0-9a-f]{64})\.json")

Show = Callable[[SetFile, bytes], bytes]
"""A file as it is given, from how it is stored."""


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
    """Whether everything is made."""

    @property
    def done(self) -> int:
        """Count the files in the parts that are made."""
        return sum(each.files for each in self.parts)

    @property
    def is_whole(self) -> bool:
        """Return whether all parts are made."""
        return self.done == self.files


def pack_set(platform: Platform, at: Place, files: Sequence[SetFile], show: Show) -> Packed:
    """Return a set's parts; make more of them if some are missing, then, by a request of its own, the one file."""
    found = known_parts(platform, at.folder)
    if found is not None:
        return found
    packed = Packed(at.folder, len(files), _made(platform, at.folder))
    if not packed.is_whole:
        packed = _with_more_parts(platform, at, packed, files, show)
        if not packed.is_whole or downloads.is_given_as_one(packed.parts):
            return packed
    made = _as_one(platform, at, packed) if downloads.is_given_as_one(packed.parts) else None
    told = {"format": 2, "parts": [asdict(each) for each in packed.parts], "pack": asdict(made) if made else None}
    platform.blobs.put_if_absent(_index(at.folder), canonical(told))
    return known_parts(platform, at.folder) or packed


def _with_more_parts(platform: Platform, at: Place, packed: Packed, files: Sequence[SetFile], show: Show) -> Packed:
    first, read = packed.done, packed.done
    contents: list[tuple[str, bytes]] = []
    while not packed.is_whole and read - first < _PER_REQUEST:
        while read < len(files) and not _fills_a_part(contents):
            contents += _contents(platform, at.cycle, files[read : read + _AT_A_TIME], show)
            read = min(read + _AT_A_TIME, len(files))
        count, content = downloads.packed(contents)
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
            for file in (each for name in names for each in json.loads(stored[name])["files"]):
                told = zipfile.ZipInfo(file["name"])
                told.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(told, file["text"])
    content = place.getvalue()
    made = Pack(len(content), sha256_hex(content))
    platform.blobs.put_if_absent(stored_names.pack_name(at.cycle, at.fingerprint, made.sha256), content)
    return made


def _fills_a_part(contents: Sequence[tuple[str, bytes]]) -> bool:
    """Return whether no further file can change the contents of the next part."""
    return len(contents) >= FILES_OF_PART or sum(len(content) for _, content in contents) > PART


def known_parts(platform: Platform, folder: str) -> Packed | None:
    """Return a packed set; None while it is not packed."""
    key = ("packed", folder)
    found = platform.memory.known(key)
    if found is None:
        try:
            told = json.loads(platform.blobs.get(_index(folder)))
        except MissingBlobError:
            return None
        parts = tuple(Part(**each) for each in told["parts"])
        pack = Pack(**told["pack"]) if told.get("pack") else None
        found = Packed(folder, sum(each.files for each in parts), parts, pack, is_ready=True)
        platform.memory.put(key, found)
    return cast(Packed, found)


def part_of(platform: Platform, packed: Packed, number: int) -> bytes:
    """Return the part ``number`` of a set, from 1; :class:`LookupError` for one that it has not."""
    if not 1 <= number <= len(packed.parts):
        raise LookupError(number)
    return platform.blobs.get(_name(packed.folder, number, packed.parts[number - 1]))


def _made(platform: Platform, folder: str) -> tuple[Part, ...]:
    """Return the existing parts, as their names tell, up to the first missing one."""
    names = platform.blobs.names(folder)
    told = [match for each in names if (match := _MADE.fullmatch(each))]
    whole = (match for number, match in enumerate(told, 1) if int(match["number"]) == number)
    return tuple(Part(int(each["files"]), int(each["size"]), each["sha256"]) for each in whole)


def _contents(platform: Platform, cycle: str, files: Sequence[SetFile], show: Show) -> list[tuple[str, bytes]]:
    names = {each: stored_names.blob_names(cycle, each.kind, each.content) for each in files}
    stored: Mapping[str, bytes] = platform.blobs.get_all(sorted(set(names.values())))
    return [(each.name, show(each, stored[names[each]])) for each in files]


def _name(folder: str, number: int, part: Part) -> str:
    return f"{folder}{number:05d}-{part.files}-{part.size}-{part.sha256}.json"


def _index(folder: str) -> str:
    return f"{folder}index.json"


_FINALS: Final = 100
"""Finals that are looked at, the latest first."""
PACK_LIFETIME_MS: Final = 60_000
"""How long an address at which a set may be read lives at most (tracks-sessions T12)."""
_OF_FINAL: Final = "final-"
"""Before a run's id the name of what its results set free."""


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
    """SHA-256 that names what is given."""
    folder: str
    """Where its parts are kept."""
    count: int
    files: tuple[SetFile, ...] = ()
    """The files themselves, ``count`` of them; none where all parts are known to be there."""
    run_id: str | None = None
    described: bool = False
    """Whether the contest has tables of what it holds."""

    @property
    def references(self) -> int:
        """Return how many of the files are references."""
        return self.count - sum(self.sizes.values())


@dataclass(frozen=True, slots=True)
class PackPlace:
    """Address of a set as one file: a path with a query, until a moment."""

    pack: Pack
    address: str
    until: Millis


def offers(platform: Platform, identity: Identity) -> tuple[Offer, ...]:
    """List every set open to the caller, those of the cycle by name, then of finals, the latest first.

    Clause: platform §1 data sets, R 2.6, R 4.2.1, R 7.11
    """
    asker, cycle = asker_of(platform, identity), reading.cycle_now(platform)
    track = platform.tracks(cycle.track)
    views = ((each, downloads.view_of(asker, each, open_tests=track.open_tests)) for each in cycle.sets)
    own = tuple(_of_set(platform, cycle, each, view) for each, view in views if view is not None)
    finals = planning.listed(platform, Mode.FINAL, _FINALS) if asker is not Asker.ANYBODY else ()
    return own + tuple(_of_final(platform, run) for run in finals if downloads.may_have_final(asker, run))


def offer(platform: Platform, identity: Identity, name: str) -> Offer:
    """Return one offer; :class:`UnknownSetError` for any other set, existing or not."""
    asker, cycle = asker_of(platform, identity), reading.cycle_now(platform)
    known = cycle.set_named(name)
    if known is not None:
        view = downloads.view_of(asker, known, open_tests=platform.tracks(cycle.track).open_tests)
        if view is None:
            raise UnknownSetError
        return _of_set(platform, cycle, known, view)
    run = platform.runs.get(name.removeprefix(_OF_FINAL)) if name.startswith(_OF_FINAL) else None
    if run is None or run.mode is not Mode.FINAL or not downloads.may_have_final(asker, run):
        raise UnknownSetError
    return _of_final(platform, run)


def published_offers(platform: Platform) -> tuple[Offer, ...]:
    """List the public offers: published sets whose parts are made. Reads nothing of any other set.

    Clause: platform §1 public
    """
    cycle = reading.cycle_now(platform)
    found = (_published(platform, cycle, each) for each in cycle.sets if each.published_at is not None)
    return tuple(each for each in found if each is not None)


def published_offer(platform: Platform, name: str) -> Offer:
    """Return one public offer; :class:`UnknownSetError` for any other."""
    cycle = reading.cycle_now(platform)
    known = cycle.set_named(name)
    found = _published(platform, cycle, known) if known is not None and known.published_at is not None else None
    if found is None:
        raise UnknownSetError
    return found


def packed(platform: Platform, chosen: Offer) -> Packed:
    """Return the set's parts, or the progress of packing."""
    found = known_parts(platform, chosen.folder)
    if found is not None:
        return found
    cycle = reading.cycle_now(platform)
    rules = reading.parameters(platform, cycle.parameters_version).track
    shown = partial(_shown, platform.tracks(cycle.track), rules)
    show = shown if chosen.view is View.QUESTIONS else _as_stored
    at = Place(cycle.name, chosen.folder, chosen.fingerprint)
    return pack_set(platform, at, chosen.files, show)


def part(platform: Platform, chosen: Offer, number: int) -> bytes | Packed:
    """Return a part of the set, or the progress of packing; :class:`UnknownPartError` for a number without a part."""
    found = packed(platform, chosen)
    if number > len(found.parts) and not found.is_whole:
        return found
    try:
        return part_of(platform, found, number)
    except LookupError:
        raise UnknownPartError from None


def pack(platform: Platform, chosen: Offer) -> PackPlace | Packed:
    """Return the address of the set as one file, or the progress.

    :class:`NoPackError` where it is given in parts alone.

    Clause: TS T12
    """
    found = packed(platform, chosen)
    if not found.is_ready:
        return found
    if found.pack is None:
        raise NoPackError
    cycle = reading.cycle_now(platform)
    name = stored_names.pack_name(cycle.name, chosen.fingerprint, found.pack.sha256)
    until = (platform.clock.now() + PACK_LIFETIME_MS) // 1000 * 1000
    return PackPlace(found.pack, platform.addresses.to_get(name, until), until)


def description(platform: Platform, chosen: Offer) -> tuple[Section, ...] | Packed:
    """Return the contest's tables about a set's contents and, once they are made, its parts.

    :class:`NoDescriptionError` where the contest has none, and for a set given without its references.

    Clause: TS G-4
    """
    track = platform.tracks(reading.cycle_now(platform).track)
    if not _is_described(track, chosen.view):
        raise NoDescriptionError
    found = packed(platform, chosen)
    if not found.is_ready:
        return found
    parts = (part_of(platform, found, number) for number in range(1, len(found.parts) + 1))
    return track.set_sections(downloads.entries_of(file for each in parts for file in json.loads(each)["files"]))


def _is_described(track: Track, view: View) -> TypeGuard[DescribesSets]:
    return isinstance(track, DescribesSets) and view is View.WHOLE


def asker_of(platform: Platform, identity: Identity) -> Asker:
    """Return the caller's role: a member of a team without approval counts as the public.

    Clause: R 4.2, D 6.2.2, D 7.4
    """
    if may(identity, Right.ORGANIZE):
        return Asker.ORGANIZER
    takes_part = may(identity, Right.READ_OWN) and identity.team_id
    team = platform.people.team(identity.team_id) if takes_part else None
    return Asker.PARTICIPANT if team is not None and team.status is TeamStatus.APPROVED else Asker.ANYBODY


def _of_set(platform: Platform, cycle: Cycle, known: EssaySet, view: View) -> Offer:
    items = reading.manifest(platform, cycle.name, known.manifest).items
    files, track = downloads.files_of(items, view), platform.tracks(cycle.track)
    shown_by = f"{track.name} {track.version}"
    given = known.manifest if view is View.WHOLE else _sealed(platform, downloads.fingerprint_of(files, view, shown_by))
    folder = stored_names.download_folder(cycle.name, given, published=known.published_at is not None)
    told = (known.name, known.kind, view, known.published_at, known.sizes, given, folder, len(files), files)
    return Offer(*told, described=_is_described(track, view))


def _sealed(platform: Platform, fingerprint: str) -> str:
    """Name an item that is shown without references by a keyed hash.

    Stored items may hold references: a plain hash would let a reader of the rest try answers until it matches.

    Clause: TS T10
    """
    key = ("sealed", fingerprint)
    return cast(str, platform.memory.keep(key, lambda: platform.addresses.sealed(fingerprint)))


def _published(platform: Platform, cycle: Cycle, known: EssaySet) -> Offer | None:
    folder = stored_names.download_folder(cycle.name, known.manifest, published=True)
    made = known_parts(platform, folder)
    if made is None:
        return None
    told = (known.name, known.kind, View.WHOLE, known.published_at, known.sizes, known.manifest, folder)
    return Offer(*told, made.files, described=_is_described(platform.tracks(cycle.track), View.WHOLE))


def _of_final(platform: Platform, run: Run) -> Offer:
    """Return the files handed out in a final, with the annotations by which they were scored."""
    plan, marked = reading.run_plan(platform, Schedule.of(run)), dict(run.markups)
    digests = sorted({marked.get(each.manifest, each.manifest) for each in plan})
    manifests = {each: reading.manifest(platform, run.cycle, each).by_id() for each in digests}
    items = _apart([manifests[marked.get(each.manifest, each.manifest)][each.item_id] for each in plan])
    files = downloads.files_of(items, View.WHOLE)
    given = downloads.fingerprint_of(files, View.WHOLE, run.run_id)
    folder = stored_names.download_folder(run.cycle, given, published=False)
    name, sizes = f"{_OF_FINAL}{run.run_id}", Manifest(tuple(items)).sizes()
    told = (name, SetKind.FINAL, View.WHOLE, run.published_at, sizes, given, folder, len(files), files)
    described = _is_described(platform.tracks(reading.cycle_now(platform).track), View.WHOLE)
    return Offer(*told, run_id=run.run_id, described=described)


def _apart(items: Sequence[Item]) -> list[Item]:
    """Return items by their ids; of two sets' with one id the second has a number behind it."""
    seen: Counter[str] = Counter()
    found = []
    for each in items:
        seen[each.item_id] += 1
        again = seen[each.item_id]
        found.append(each if again == 1 else replace(each, item_id=f"{each.item_id}-{again}"))
    return sorted(found, key=lambda each: each.item_id)


def _as_stored(_: SetFile, content: bytes) -> bytes:
    return content


def _shown(track: Track, parameters: object, file: SetFile, content: bytes) -> bytes:
    """Return an item as it is handed out, under its own name.

    Clause: R 2.7
    """
    step = track.steps(parameters)[0].name
    return canonical(track.hand_out(json.loads(content), file.name.removesuffix(".json"), step))


def decide(platform: Platform, identity: Identity, name: str, reason: str, *, published: bool) -> EssaySet:
    """Publish the present files of a set to everybody, with their references, or take that back.

    Files of a final or of the reserve may be published when a final's results are out and no run is under way.

    Clause: platform §1 data sets, platform §1 audit
    """

    def decided(cycle: Cycle) -> EssaySet:
        before = cycle.set_named(name)
        if before is None:
            raise UnknownSetError
        if (before.published_at is not None) is published:
            raise SetDecidedError
        if published and before.kind not in OPEN_TO_ALL:
            _refuse_secret(platform)
        now = platform.clock.now()
        after = replace(before, published_at=now if published else None)
        sets = tuple(after if each.name == name else each for each in cycle.sets)
        told = [{"manifest": each.manifest, "published_at": iso_or_none(each.published_at)} for each in (before, after)]
        what = "set published" if published else "set unpublished"
        change = Change(now, author(identity), what, name, told[0], told[1] | {"reason": reason})
        platform.catalogue.publish(replace(cycle, sets=sets), None, change)
        return after

    return decide_until_written(reading.cycle_now(platform), decided, lambda: reading.cycle_now(platform))


def _refuse_secret(platform: Platform) -> None:
    """Clause: R 2.8"""
    out = any(may_have_final(Asker.PARTICIPANT, run) for run in planning.listed(platform, Mode.FINAL, 100))
    if not out or platform.runs.active_ids():
        raise SetStillSecretError
