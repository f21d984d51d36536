"""What files an item of a set makes: one for each of its publications, and their time (tracks-sessions T2, T8)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from contest.domain.cycle.cycle import Cycle, EssaySet, RunRules
from contest.services import reading
from contest.services.platform import Platform
from tracks import protocol
from tracks.capabilities import StepsByItem, steps_of
from tracks.protocol import Step


@dataclass(frozen=True, slots=True)
class FilesOfAnItem:
    """The steps with which the files of an item begin, one empty name where it has a single file; ``limit_s`` is the
    time that its first step has for itself, None where it has none."""

    steps: tuple[str, ...]
    limit_s: int | None

    def timed(self, rules: RunRules) -> RunRules:
        """How a run over such items goes unless its organizers say otherwise: a step's own limit outweighs the cycle's.

        Clause: TS T8, TS D-8
        """
        limit = self.limit_s
        if limit is None:
            return rules
        return replace(rules, interval_s=(limit, limit), request_s=limit, answer_s=limit, total_s=limit)


def files_of(platform: Platform, cycle: Cycle, chosen: EssaySet) -> FilesOfAnItem:
    """The files of an item of the set.

    A set's items are of one kind: where the steps follow from the item, they are those of its first one.

    Clause: TS T2, TS D-0
    """
    steps = _steps(platform, cycle, chosen)
    names = protocol.publications(steps)
    limit_s = protocol.limit_of(steps, names[0]) if names else None
    return FilesOfAnItem(names if len(names) > 1 else ("",), limit_s)


def first_step(platform: Platform, cycle: Cycle, chosen: EssaySet) -> str:
    """The step with which an item of the set begins; empty for a set of no items.

    Clause: TS D-0
    """
    return next((each.name for each in _steps(platform, cycle, chosen)), "")


def _steps(platform: Platform, cycle: Cycle, chosen: EssaySet) -> tuple[Step, ...]:
    track, rules = platform.tracks(cycle.track), reading.parameters(platform, cycle.parameters_version)
    if not isinstance(track, StepsByItem):
        return track.steps(rules.track)
    items = reading.manifest(platform, cycle.name, chosen.manifest).items
    if not items:
        return ()
    return steps_of(track, reading.item_content(platform, cycle.name, items[0].content), rules.track)
