"""The files that an item makes in a run: one for each of its publications (tracks-sessions T2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from contest.domain.canonical import canonical, sha256_hex
from contest.domain.cycle.cycle import Cycle, EssaySet, Item
from contest.domain.run.run import RunFile
from contest.refusals import RefusedError
from contest.services import reading
from contest.services.platform import Platform
from tracks.capabilities import steps_of
from tracks.protocol import publications


def made(platform: Platform, cycle: Cycle, chosen: EssaySet, item: Item, content: Any) -> Iterator[RunFile]:
    """An item's files, one for each of its publications, all under one opaque name.

    Clause: TS T2, TS D-0, TS D-2, D 8.9
    """
    track, file_id = platform.tracks(cycle.track), platform.randomness.file_id()
    rules = reading.parameters(platform, cycle.parameters_version)
    steps = publications(steps_of(track, content, rules.track))
    for step in steps:
        yield RunFile(
            file_id=file_id,
            item_id=item.item_id,
            language=item.language,
            group=item.group,
            content_sha256=sha256_hex(canonical(track.hand_out(content, file_id, step))),
            salt=platform.randomness.salt(),
            manifest=chosen.manifest,
            step=step if len(steps) > 1 else "",
        )


def in_a_row(files: Sequence[RunFile]) -> int:
    """So many files in a row are one item's; :class:`RefusedError` where items differ in it."""
    counts = set(Counter(each.file_id for each in files).values())
    if len(counts) > 1:
        raise mixed()
    return max(counts, default=1)


def mixed() -> RefusedError:
    """Items of a run, and those that replace them, have equally many files each."""
    return RefusedError(
        "mixed_set",
        "the items have different numbers of steps; a run takes one kind of them",
        "у заданий разное число шагов; в одном прогоне — задания одного вида",
    )
