"""One set of the loaded cycle, imported by itself: checked as if it came with the whole cycle, all or nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from contest import stored_names
from contest.domain.cycle.cycle import Cycle, EssaySet, Parameters, SetKind, SetSource
from contest.domain.cycle.repeated_texts import Place, fingerprint, repeated_texts
from contest.domain.people.teams import Change
from contest.domain.results import leaderboard
from contest.faults import Fault, from_reason
from contest.ports import LostRaceError
from contest.services import reading, terms
from contest.services.cycle import loading
from contest.services.cycle.folder import Source
from contest.services.cycle.loading import CycleFaultsError, Loaded
from contest.services.cycle.set_files import Checked, Contest, Progress, check_set, doubts, own_folders
from contest.services.platform import Platform
from tracks.protocol import Text

_NAMED: Final = 20
"""Files in folders that a fault names."""
_AT_A_TIME: Final = 500
"""Items of other sets that are in memory together while their texts are compared."""


def load_set(platform: Platform, who: str, name: str, kind: SetKind | None, source: Source, stored: Progress) -> Loaded:
    """Put the files of a folder into the cycle as the set ``name``, instead of those it has; ``kind`` of a new one.

    Sessions and runs keep the files with which they were opened. Its texts are compared with those of all other sets.

    Clause: platform §7 import, R 2.5
    """
    cycle = reading.cycle_now(platform)
    rules = platform.catalogue.parameters(cycle.parameters_version)
    contest = Contest(platform.tracks(cycle.track), rules.track, cycle.languages)
    chosen, faults = _chosen(cycle, name, kind)
    if chosen is None:
        raise CycleFaultsError(faults)
    checked, wrong = check_set(contest, name, _AsFolder(name, source), lambda _: None, chosen.min_files)
    faults += [*wrong, *_in_folders(source, own_folders(contest.track))]
    repeated = repeated_texts(_places(platform, cycle, contest, chosen, checked))
    if contest.track.whole_texts:
        faults += repeated
    if faults:
        raise CycleFaultsError(faults)
    made = loading.store_set(platform, cycle.name, chosen, checked, stored)
    loaded = _publish(platform, who, cycle, rules, made)
    return replace(loaded, warnings=(*repeated, *doubts(chosen, checked), *loaded.warnings))


class _AsFolder:
    """Files at the top, as if they were in a folder of this name."""

    def __init__(self, folder: str, source: Source) -> None:
        self._before, self._source = f"{folder}/", source

    def everything(self) -> Sequence[str]:
        return [self._before + name for name in self._source.everything()]

    def names(self, folder: str) -> Sequence[str]:
        return self._source.names(f"{folder}/".removeprefix(self._before).rstrip("/"))

    def read(self, name: str) -> bytes:
        return self._source.read(name.removeprefix(self._before))


def _chosen(cycle: Cycle, name: str, kind: SetKind | None) -> tuple[SetSource | None, list[Fault]]:
    """What is to be put where, or why it cannot be."""
    known = cycle.set_named(name)
    if known is None and kind is None:
        said = Text(f"the cycle has no set {name}; say its kind", f"в цикле нет выборки {name}; назовите её вид")
        return None, [Fault("kind_needed", name, said)]
    if known is not None and kind not in (None, known.kind):
        said = Text(f"the set {name} is {known.kind.value}", f"выборка {name} имеет вид {known.kind.value}")
        return None, [Fault("another_kind", name, said)]
    if known is not None:
        return SetSource(name, name, known.kind, known.min_files), []
    return SetSource(name, name, kind or SetKind.TRAINING), []


def _in_folders(source: Source, known: Sequence[str]) -> list[Fault]:
    """Refuse files in folders that the contest does not have within a set's: nothing is passed over unsaid."""
    names = [name for name in source.everything() if name.rpartition("/")[0] not in ("", *known)]
    if not names:
        return []
    listed = f"{', '.join(names[:_NAMED])}{' …' if len(names) > _NAMED else ''}"
    en = f"{len(names)} files are in folders inside the set's, where no set has any: {listed}"
    ru = f"файлов во вложенных папках, которых в выборке не бывает: {len(names)}: {listed}"
    return [Fault("files_in_folders", "", Text(en, ru))]


def _places(
    platform: Platform, cycle: Cycle, contest: Contest, chosen: SetSource, checked: Checked
) -> dict[Place, Sequence[bytes]]:
    """Fingerprints of all texts of the cycle, those of the new set in the place of its old ones."""
    found = {Place(chosen.kind, chosen.name, *item): texts for item, texts in checked.texts.items()}
    for each in cycle.sets:
        if each.name != chosen.name:
            found |= _texts_of(platform, cycle, contest, each)
    return found


def _texts_of(
    platform: Platform, cycle: Cycle, contest: Contest, known: EssaySet
) -> Iterator[tuple[Place, Sequence[bytes]]]:
    items = reading.manifest(platform, cycle.name, known.manifest).items
    for start in range(0, len(items), _AT_A_TIME):
        some = {
            each.item_id: stored_names.blob_names(cycle.name, "items", each.content)
            for each in items[start : start + _AT_A_TIME]
        }
        contents = platform.blobs.get_all(sorted(set(some.values())))
        for item_id, name in some.items():
            texts = contest.track.texts(json.loads(contents[name]))
            yield Place(known.kind, known.name, item_id, f"{known.name}/{item_id}.json"), [*map(fingerprint, texts)]


def _publish(platform: Platform, who: str, before: Cycle, rules: Parameters, made: EssaySet) -> Loaded:
    others = [each for each in before.sets if each.name != made.name]
    sets = loading.as_published(sorted([*others, made], key=lambda each: each.name), before)
    now = platform.clock.now()
    cycle = replace(before, sets=sets, loaded_at=now)
    cycle = replace(cycle, sets_changed_at=terms.changed_at(before, cycle, now)[0])
    told = (loading.short(before), loading.short(cycle))
    try:
        platform.catalogue.publish(cycle, None, Change(now, who, "set imported", made.name, *told))
    except LostRaceError:
        raise loading.changed_meanwhile() from None
    noticed = [
        *terms.of_sets(platform, before, cycle),
        *terms.of_results(platform, before, leaderboard.lists_of_tests(cycle), rules),
    ]
    warnings = (*loading.warnings_about([made], rules), *(from_reason(each, made.name) for each in noticed))
    return Loaded(replace(cycle, version=cycle.version + 1), rules, warnings)
