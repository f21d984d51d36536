"""The participants' kit: published by organizers, read by everybody (R 4.2, 4.3, 4.7)."""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace

from contest.domain.canonical import canonical
from contest.domain.cycle import kit as kits
from contest.domain.cycle.cycle import Cycle
from contest.domain.cycle.kit import Kit, KitList
from contest.domain.people.teams import Change
from contest.errors.cycle import KitVersionTakenError
from contest.services import reading, terms
from contest.services.cycle import drafting
from contest.services.platform import Platform
from contest.services.races import decide_until_written
from tracks.protocol import Reason


@dataclass(frozen=True, slots=True)
class Published:
    """The kit in the cycle that has it, whether that was news, and what an organizer should think about."""

    cycle: Cycle
    kit: Kit
    changed: bool
    warnings: tuple[Reason, ...]


def publish(platform: Platform, who: str, listed: KitList) -> Published:
    """Sign the list and make it the cycle's kit, and draft an announcement; the same list again changes nothing.

    Its modules count as published from now on, and those of earlier kits go on to. Short notice before a final warns.
    :class:`KitVersionTakenError`: the version is published with other files.

    Clause: R 4.2, R 4.3, R 4.7, R 9.2
    """

    def write(before: Cycle) -> Published:
        if before.kits and before.kits[0].listed == listed:
            return Published(before, before.kits[0], changed=False, warnings=())
        other = kits.taken(before.kits, listed)
        if other is not None:
            raise KitVersionTakenError.of(listed.version, other.published_at)
        now, key_id = platform.clock.now(), platform.signer.key_id
        said = kits.statement(before.name, listed, now, key_id)
        signature = base64.b64encode(platform.signer.sign(canonical(said))).decode("ascii")
        made = Kit(listed, now, key_id, signature)
        after = replace(before, kits=(made, *before.kits))
        after = replace(after, modules_changed_at=terms.changed_at(before, after, now)[1])
        what = {"version": listed.version, "modules_sha256": listed.modules_sha256}
        entry = Change(now, who, "kit published", before.name, _short(before), what)
        platform.catalogue.publish(after, None, entry, list(drafting.of_modules(before, after, now)))
        return Published(after, made, changed=True, warnings=tuple(terms.of_sets(platform, before, after)))

    return decide_until_written(reading.written_cycle(platform), write, lambda: reading.written_cycle(platform))


def current(platform: Platform) -> tuple[Cycle, Kit | None]:
    """The kit that was published last, None where none was."""
    cycle = reading.recent_written_cycle(platform)
    return cycle, cycle.kits[0] if cycle.kits else None


def _short(cycle: Cycle) -> dict[str, str] | None:
    listed = cycle.kits[0].listed if cycle.kits else None
    return None if listed is None else {"version": listed.version, "modules_sha256": listed.modules_sha256}
