"""Load a cycle from a folder: everything is checked, then everything or nothing is stored (platform §7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from http import HTTPStatus
from typing import Any, Final

from contest import stored_names
from contest.contracts import cycle_file
from contest.contracts.cycle_file import CycleFile, SetSource
from contest.domain.canonical import canonical, sha256_hex
from contest.domain.cycle import playable
from contest.domain.cycle.cycle import LEAST_TECHNICAL, Cycle, EssaySet, Mode, Parameters, SetKind
from contest.domain.cycle.repeated_texts import Place, repeated_texts
from contest.domain.moments import Millis
from contest.domain.people.teams import Change
from contest.domain.results.session_report import described_parameters
from contest.faults import Fault, from_reason
from contest.ports import LostRaceError
from contest.refusals import ContestError, RefusedError
from contest.services import reading
from contest.services.cycle.set_files import Checked, Contest, Progress, Source, check_set, read_json
from contest.services.platform import Platform
from tracks.protocol import Policies, Text, Track

REAL_TEST_SET: Final = 300
"""Files a test set has in a real cycle (R 6.4); less is warned about, because a rehearsal needs fewer."""


class CycleFaultsError(ContestError):
    """The folder cannot be loaded; ``faults`` lists everything that is wrong with it."""

    code = "cycle_faults"
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    en = "The cycle was not loaded; the details name everything that is wrong with its files."
    ru = "Цикл не загружен; все ошибки в его файлах — в подробностях."

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__(
            [
                {**each.where, "code": each.code, "file": each.file}
                | {"message": each.message.en, "message_ru": each.message.ru}
                for each in faults
            ]
        )
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True)
class Loaded:
    """What was stored, and what an organizer should think about."""

    cycle: Cycle
    parameters: Parameters
    warnings: tuple[Fault, ...]


def load_cycle(platform: Platform, who: str, deployed: str, source: Source, progress: Progress) -> Loaded:
    """Load the folder into the deployment called ``deployed``.

    Objects are stored under their hashes first and one conditional write makes them the cycle's: a crash leaves
    the cycle as it was. Sessions keep the sets and parameters with which they were opened.

    Clause: platform §7 cycle, platform §7 import
    """
    file, contest = _read_head(platform, deployed, source)
    places: dict[Place, Sequence[bytes]] = {}
    checked, faults = [], []
    for each in file.sources():
        found, wrong = check_set(contest, each.folder, source, progress)
        checked.append((each, found))
        faults += wrong
        places |= {Place(each.kind, each.name, *item): texts for item, texts in found.texts.items()}
    repeated = repeated_texts(places)
    if contest.track.whole_texts:
        faults += repeated
    if faults:
        raise CycleFaultsError(faults)
    sets = tuple(_store(platform, file.cycle, each, found, progress) for each, found in checked)
    loaded = _publish(platform, who, file, sets, contest)
    return replace(loaded, warnings=repeated + loaded.warnings)


def _read_head(platform: Platform, deployed: str, source: Source) -> tuple[CycleFile, Contest]:
    """What the file says and by what its sets are checked, or everything that is wrong with the file."""
    raw, faults = read_json(source, cycle_file.FILE)
    if faults:
        raise CycleFaultsError(faults)
    name = cycle_file.track_name(raw)
    track = _track(platform, name)
    file, found = cycle_file.read(raw, track.policies(Mode.ALGORITHMIC) if track else Policies())
    faults += found
    if track is None:
        faults.append(_fault("unknown_track", f"there is no track {name}", f"нет трека {name}", "track"))
        raise CycleFaultsError(faults)
    if file is None:
        raise CycleFaultsError([*faults, *_unkept(track, None)])
    if file.cycle != deployed:
        en = f"this deployment is for the cycle {deployed}, the file describes {file.cycle}"
        ru = f"это развёртывание для цикла {deployed}, а файл описывает {file.cycle}"
        faults.append(_fault("another_cycle", en, ru, "cycle"))
    languages = file.groups()
    of_the_track = {
        **file.parameters.of_the_track,
        "classifier": file.classifier,
        "languages": {name: list(groups) for name, groups in languages.items()},
    }
    parameters, reasons = track.read_parameters(of_the_track)
    faults += [from_reason(each, cycle_file.FILE) for each in reasons]
    faults += _unknown_limits(file)
    faults += _unknown_nominated(file)
    faults += _unkept(track, None if reasons else parameters)
    if faults:
        raise CycleFaultsError(faults)
    return file, Contest(track, parameters, languages)


def _fault(code: str, en: str, ru: str, field: str) -> Fault:
    return Fault(code, cycle_file.FILE, Text(en, ru), {"field": field})


def _unknown_limits(file: CycleFile) -> list[Fault]:
    """Time limits of experts for groups that no language of the cycle has."""
    known = {group for groups in file.groups().values() for group in groups}
    return [
        _fault(
            "unknown_group",
            f"no language of the cycle has {group}, for which experts have a time limit",
            f"ни в одном языке цикла нет {group}, для которого задано время эксперта",
            f"parameters.experts.limits_s.{group}",
        )
        for group in file.parameters.experts.limits_s
        if group not in known
    ]


def _unknown_nominated(file: CycleFile) -> list[Fault]:
    """Languages and groups of nominations that the cycle does not have."""
    known = set(file.groups()), {group for groups in file.groups().values() for group in groups}
    named = [
        (f"parameters.nominations.{name}.{field}", each)
        for name, part in file.parameters.nominations.items()
        for field, said, there in (("languages", part.languages, known[0]), ("groups", part.groups, known[1]))
        for each in said
        if each not in there
    ]
    return [
        _fault("unknown_nominated", f"the cycle has no {each}", f"в цикле нет {each}", place) for place, each in named
    ]


def _unkept(track: Track, parameters: Any) -> list[Fault]:
    return [from_reason(each, cycle_file.FILE) for each in playable.unkept(track, parameters)]


def _track(platform: Platform, name: str) -> Track | None:
    try:
        return platform.tracks(name)
    except LookupError:
        return None


def _store(platform: Platform, cycle: str, source: SetSource, checked: Checked, progress: Progress) -> EssaySet:
    """Clause: R 2.4"""
    for (kind, digest), content in checked.objects.items():
        progress(f"{kind}/{digest}")
        platform.blobs.put_if_absent(stored_names.blob_names(cycle, kind, digest), content)
    manifest = canonical(reading.manifest_json(checked.manifest))
    digest = sha256_hex(manifest)
    platform.blobs.put_if_absent(stored_names.blob_names(cycle, "manifests", digest), manifest)
    return EssaySet(source.name, source.kind, digest, checked.manifest.sizes())


def _publish(platform: Platform, who: str, file: CycleFile, sets: tuple[EssaySet, ...], contest: Contest) -> Loaded:
    """Clause: R 2.28, R 4.1"""
    now = platform.clock.now()
    before = platform.catalogue.cycle()
    current = platform.catalogue.parameters(before.parameters_version) if before else None
    parameters = _parameters(file, contest, current, now)
    cycle = Cycle(
        name=file.cycle,
        title=file.name.model_dump(),
        time_zone=file.time_zone,
        track=file.track,
        languages=contest.languages,
        classifier=file.classifier,
        sets=sets,
        parameters_version=parameters.version,
        loaded_at=now,
        known_clients=tuple(sorted(file.known_clients)),
        version=before.version if before else 0,
    )
    change = Change(now, who, "cycle loaded", cycle.name, _short(before), _short(cycle))
    try:
        platform.catalogue.publish(cycle, None if parameters is current else parameters, change)
    except LostRaceError:
        raise RefusedError(
            "changed_meanwhile",
            "somebody else changed the cycle meanwhile; nothing was changed, try again",
            "цикл тем временем изменил кто-то другой; ничего не изменено, повторите",
        ) from None
    warnings = tuple(_warnings(sets, parameters, current))
    return Loaded(replace(cycle, version=cycle.version + 1), parameters, warnings)


def _parameters(file: CycleFile, contest: Contest, current: Parameters | None, now: Millis) -> Parameters:
    """Those of the file: the current version where nothing differs, else the next.

    Clause: R 2.17, platform §2 parameters
    """
    made = file.parameters.made(
        contest.track.policies(Mode.ALGORITHMIC),
        contest.parameters,
        version=current.version if current else 0,
        announced_at=current.announced_at if current else now,
    )
    if current is not None and canonical(described_parameters(made)) == canonical(described_parameters(current)):
        return current
    return replace(made, version=made.version + 1, announced_at=now)


def _short(cycle: Cycle | None) -> dict[str, Any] | None:
    if cycle is None:
        return None
    return {
        "parameters_version": cycle.parameters_version,
        "sets": {each.name: asdict(each) for each in cycle.sets},
    }


def _warnings(sets: Sequence[EssaySet], parameters: Parameters, before: Parameters | None) -> Iterator[Fault]:
    """Clause: R 5.8, R 6.4, R 6.6, platform §2 effective time, platform §2 notices"""
    for each in sets:
        if each.kind is SetKind.TEST and each.size < REAL_TEST_SET:
            en = f"a real cycle's test set has at least {REAL_TEST_SET} files (R 6.4), this one {each.size}"
            ru = f"в настоящем цикле в тестовой выборке не менее {REAL_TEST_SET} файлов (R 6.4), здесь: {each.size}"
            yield Fault("small_test_set", each.name, Text(en, ru))
    drawn = min([parameters.technical.files[0], *(each.size for each in sets if each.kind is SetKind.TRAINING)])
    if parameters.technical_times.enabled and drawn < LEAST_TECHNICAL:
        en = f"a technical run has at least {LEAST_TECHNICAL} files (R 6.6), here it may have {drawn}"
        ru = f"в технической квалификации не менее {LEAST_TECHNICAL} файлов (R 6.6), здесь может быть {drawn}"
        yield Fault("small_technical_run", cycle_file.FILE, Text(en, ru))
    if before is not None and before.version != parameters.version:
        en = "parameters changed at once; the regulation announces a change a week ahead (R 5.8)"
        ru = "параметры изменились сразу; по регламенту об изменении объявляют за неделю (R 5.8)"
        yield Fault("short_notice", cycle_file.FILE, Text(en, ru))
