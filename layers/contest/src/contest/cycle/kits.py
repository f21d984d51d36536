"""The participants' kit (R 4.2, 4.3, 4.7), and the contest's notation for people."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from contest import reading
from contest.cycle import announcing, notice_periods
from contest.cycle.errors import KitVersionTakenError
from contest.cycle.rules import cycle as cycle_rules
from contest.cycle.rules.cycle import Cycle, Kit, KitList
from contest.errors import AnswerTooLargeError
from contest.people.rules import Change
from contest.platform import Platform, read_and_decide, signature_of
from contest.values import canonical
from markup_core.lazy import dataclass
from tracks.protocol import Reason, Track, Verdict, Written


@dataclass(frozen=True, slots=True)
class Published:
    """The kit in its cycle, whether it is new, and warnings for an organizer."""

    cycle: Cycle
    kit: Kit
    changed: bool
    warnings: tuple[Reason, ...]


# Clause: R 4.2, R 4.3, R 4.7, R 9.2
def publish(platform: Platform, who: str, listed: KitList) -> Published:
    """Sign the list and make it the cycle's kit, and draft an announcement; the same list again changes nothing.

    Its modules count as published from now on, and those of earlier kits go on to. Short notice before a final warns.
    :class:`KitVersionTakenError`: the version is published with other files.
    """

    def write(before: Cycle) -> Published:
        if before.kits and before.kits[0].listed == listed:
            return Published(before, before.kits[0], changed=False, warnings=())
        other = cycle_rules.taken(before.kits, listed)
        if other is not None:
            raise KitVersionTakenError.of(listed.version, other.published_at)
        now, key_id = platform.clock.now(), platform.signer.public_key.key_id
        statement = cycle_rules.statement(before.name, listed, now, key_id)
        kit = Kit(listed, now, key_id, signature_of(platform, canonical(statement)))
        after = replace(before, kits=(kit, *before.kits))
        after = replace(after, modules_changed_at=notice_periods.changed_at(before, after, now)[1])
        what = {"version": listed.version, "modules_sha256": listed.modules_sha256}
        earlier = before.kits[0].listed if before.kits else None
        was = {"version": earlier.version, "modules_sha256": earlier.modules_sha256} if earlier is not None else None
        entry = Change(now, who, "kit published", before.name, was, what)
        platform.catalogue.publish(after, None, entry, list(announcing.of_modules(before, after, now)))
        return Published(after, kit, changed=True, warnings=tuple(notice_periods.of_sets(platform, before, after)))

    return read_and_decide(lambda: reading.written_cycle(platform), write)


def current(platform: Platform) -> tuple[Cycle, Kit | None]:
    """Return the kit that was published last, None where none was."""
    cycle = reading.recent_written_cycle(platform)
    return cycle, cycle.kits[0] if cycle.kits else None


MAX_TEXT: Final = 256 * 1024
"""Bytes of what anybody may have read or written; larger answers are read on participants' own machines."""


def parsed(platform: Platform, body: bytes) -> tuple[str, Verdict]:
    """Return the track's name, and a text as an answer under the cycle's parameters; :class:`AnswerTooLargeError`."""
    track, parameters = _notation(platform, body)
    return track.name, track.read_text(body, parameters)


def rendered(platform: Platform, body: bytes) -> Written:
    """Return an answer as a text; :class:`AnswerTooLargeError`."""
    track, parameters = _notation(platform, body)
    return track.write_text(body, parameters)


def _notation(platform: Platform, body: bytes) -> tuple[Track, Any]:
    """Return the track that reads and writes a text, with the cycle's parameters of it."""
    if len(body) > MAX_TEXT:
        raise AnswerTooLargeError.over(len(body), MAX_TEXT)
    cycle = reading.recent_cycle(platform)
    return reading.track_of(platform, cycle), reading.parameters(platform, cycle.parameters_version).track
