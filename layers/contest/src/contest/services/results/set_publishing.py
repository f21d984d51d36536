"""Sets for everybody, and withdrawn from everybody (platform §1): the organizers' decision, with its reason."""

from __future__ import annotations

from dataclasses import replace

from contest.domain.cycle.cycle import OPEN_TO_ALL, Cycle, EssaySet, Mode
from contest.domain.moments import iso_or_none
from contest.domain.people.rights import Identity
from contest.domain.people.teams import Change
from contest.domain.results.downloads import Asker, may_have_final
from contest.errors.sets import SetDecidedError, SetStillSecretError, UnknownSetError
from contest.services import reading
from contest.services.people.cabinet import author
from contest.services.platform import Platform
from contest.services.races import decide_until_written
from contest.services.run import planning


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
