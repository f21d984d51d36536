"""Data sets as they are given: what whoever asks may have, its parts, and nothing of any other set (platform §1)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, TypeGuard, cast

from contest import stored_names
from contest.domain.canonical import canonical
from contest.domain.cycle.cycle import Cycle, EssaySet, Item, Manifest, Mode, SetKind
from contest.domain.moments import Millis
from contest.domain.people import rights
from contest.domain.people.rights import Identity
from contest.domain.people.teams import TeamStatus
from contest.domain.results import downloads
from contest.domain.results.downloads import Asker, Pack, SetFile, View
from contest.domain.run.run import Run
from contest.domain.run.schedule import Schedule
from contest.errors.sets import NoDescriptionError, NoPackError, UnknownPartError, UnknownSetError
from contest.route import Right
from contest.services import reading
from contest.services.platform import Platform
from contest.services.results import packing
from contest.services.results.packing import Packed, Place
from contest.services.run import planning
from tracks.capabilities import DescribesSets
from tracks.protocol import Section, Track

_FINALS: Final = 100
"""Finals that are looked at, the latest first."""
PACK_LIFETIME_MS: Final = 60_000
"""How long an address at which a set may be read lives at most (tracks-sessions T12)."""
_OF_FINAL: Final = "final-"
"""Before a run's id the name of what its results set free."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A set that somebody may have; ``run_id`` of one that a final's results set free."""

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
        """How many of the files are references."""
        return self.count - sum(self.sizes.values())


@dataclass(frozen=True, slots=True)
class PackPlace:
    """Where a set may be read as one file: a path with a query, until a moment."""

    pack: Pack
    address: str
    until: Millis


def offers(platform: Platform, identity: Identity) -> tuple[Offer, ...]:
    """Every set that whoever asks may have, those of the cycle by name, then of finals, the latest first.

    Clause: platform §1 data sets, R 2.6, R 4.2.1, R 7.11
    """
    asker, cycle = asker_of(platform, identity), reading.cycle_now(platform)
    track = platform.tracks(cycle.track)
    views = ((each, downloads.view_of(asker, each, open_tests=track.open_tests)) for each in cycle.sets)
    own = tuple(_of_set(platform, cycle, each, view) for each, view in views if view is not None)
    finals = planning.listed(platform, Mode.FINAL, _FINALS) if asker is not Asker.ANYBODY else ()
    return own + tuple(_of_final(platform, run) for run in finals if downloads.may_have_final(asker, run))


def offer(platform: Platform, identity: Identity, name: str) -> Offer:
    """One of them; :class:`UnknownSetError` for any other, be there such a set or not."""
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
    """What everybody may have: published sets whose parts are made. Reads nothing of any other set.

    Clause: platform §1 public
    """
    cycle = reading.cycle_now(platform)
    found = (_published(platform, cycle, each) for each in cycle.sets if each.published_at is not None)
    return tuple(each for each in found if each is not None)


def published_offer(platform: Platform, name: str) -> Offer:
    """One of them; :class:`UnknownSetError` for any other."""
    cycle = reading.cycle_now(platform)
    known = cycle.set_named(name)
    found = _published(platform, cycle, known) if known is not None and known.published_at is not None else None
    if found is None:
        raise UnknownSetError
    return found


def packed(platform: Platform, chosen: Offer) -> Packed:
    """Its parts, or how far they are made."""
    found = packing.known(platform, chosen.folder)
    if found is not None:
        return found
    cycle = reading.cycle_now(platform)
    rules = reading.parameters(platform, cycle.parameters_version).track
    shown = partial(_shown, platform.tracks(cycle.track), rules)
    show = shown if chosen.view is View.QUESTIONS else _as_stored
    at = Place(cycle.name, chosen.folder, chosen.fingerprint)
    return packing.pack(platform, at, chosen.files, show)


def part(platform: Platform, chosen: Offer, number: int) -> bytes | Packed:
    """A part of it, or how far its parts are made; :class:`UnknownPartError` for a number that it has not."""
    found = packed(platform, chosen)
    if number > len(found.parts) and not found.is_whole:
        return found
    try:
        return packing.part_of(platform, found, number)
    except LookupError:
        raise UnknownPartError from None


def pack(platform: Platform, chosen: Offer) -> PackPlace | Packed:
    """Where it may be read as one file, or how far that is made; :class:`NoPackError` where it is given in parts alone.

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
    """The contest's tables of what a set holds, of its parts once they are made; :class:`NoDescriptionError` where the
    contest has none, and of a set that is given without its references.

    Clause: TS G-4
    """
    track = platform.tracks(reading.cycle_now(platform).track)
    if not _is_described(track, chosen.view):
        raise NoDescriptionError
    found = packed(platform, chosen)
    if not found.is_ready:
        return found
    parts = (packing.part_of(platform, found, number) for number in range(1, len(found.parts) + 1))
    return track.set_sections(downloads.entries_of(file for each in parts for file in json.loads(each)["files"]))


def _is_described(track: Track, view: View) -> TypeGuard[DescribesSets]:
    return isinstance(track, DescribesSets) and view is View.WHOLE


def asker_of(platform: Platform, identity: Identity) -> Asker:
    """As whom somebody asks: a member of a team that is not approved, or is not any more, is anybody.

    Clause: R 4.2, D 6.2.2, D 7.4
    """
    if rights.may(identity, Right.ORGANIZE):
        return Asker.ORGANIZER
    takes_part = rights.may(identity, Right.READ_OWN) and identity.team_id
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
    """The name of what is shown without references: stored items may hold them, and a plain hash would let whoever has
    the rest try answers until it comes out.

    Clause: TS T10
    """
    key = ("sealed", fingerprint)
    return cast(str, platform.memory.keep(key, lambda: platform.addresses.sealed(fingerprint)))


def _published(platform: Platform, cycle: Cycle, known: EssaySet) -> Offer | None:
    folder = stored_names.download_folder(cycle.name, known.manifest, published=True)
    made = packing.known(platform, folder)
    if made is None:
        return None
    told = (known.name, known.kind, View.WHOLE, known.published_at, known.sizes, known.manifest, folder)
    return Offer(*told, made.files, described=_is_described(platform.tracks(cycle.track), View.WHOLE))


def _of_final(platform: Platform, run: Run) -> Offer:
    """What was handed out in a final, with the markups by which it was scored."""
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
    """Items by their ids; of two sets' with one id the second has a number behind it."""
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
    """An item as it is handed out, under its own name.

    Clause: R 2.7
    """
    step = track.steps(parameters)[0].name
    return canonical(track.hand_out(json.loads(content), file.name.removesuffix(".json"), step))
