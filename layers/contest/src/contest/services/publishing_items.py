"""How many files of a session an item of a set makes: one for each of its publications (tracks-sessions T2)."""

from __future__ import annotations

from contest.domain.cycle.cycle import Cycle, EssaySet
from contest.services import reading
from contest.services.platform import Platform
from tracks.beside import StepsByItem, steps_of
from tracks.publications import publications


def steps_of_files(platform: Platform, cycle: Cycle, chosen: EssaySet) -> tuple[str, ...]:
    """The steps with which the files of an item of the set begin; one empty name where it has a single file.

    A set's items are of one kind: where the steps follow from the item, they are those of its first one.

    Clause: TS T2, TS D-0
    """
    track, rules = platform.tracks(cycle.track), reading.parameters(platform, cycle.parameters_version)
    items = reading.manifest(platform, cycle.name, chosen.manifest).items
    first = isinstance(track, StepsByItem) and items
    content = reading.item_content(platform, cycle.name, items[0].content) if first else None
    found = publications(steps_of(track, content, rules.track) if first or not isinstance(track, StepsByItem) else ())
    return found if len(found) > 1 else ("",)


def publications_of(platform: Platform, cycle: Cycle, chosen: EssaySet) -> int:
    """So many files an item of the set makes."""
    return len(steps_of_files(platform, cycle, chosen))
