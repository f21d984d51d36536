"""Load a cycle from a folder: everything is checked, then everything or nothing is stored (platform §7).

The program of a declared measure is read from the folder, tried on its samples and stored by its hash.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Final

from contest import reading, stored_names
from contest.cycle import file as cycle_file
from contest.cycle import parameters as cycle_parameters
from contest.cycle import publications
from contest.cycle.file import CycleFile
from contest.cycle.parameters import parameters_warnings, results_warnings, sets_and_modules_changed_at, sets_warnings
from contest.cycle.rules.cycle import (
    LEAST_TECHNICAL,
    PAGES_FOLDER,
    Cycle,
    EssaySet,
    Mode,
    Page,
    Parameters,
    SetKind,
    SetSource,
    ends_at_barrier,
    published_pages,
    unmet_needs,
)
from contest.cycle.rules.sets import Place, repeated_texts
from contest.cycle.set_files import (
    Checked,
    Contest,
    Progress,
    Source,
    check_set,
    left_out,
    read_head,
    set_warnings,
    value_of,
)
from contest.errors import InvalidParametersError, from_reasons
from contest.people.rules import Change
from contest.platform import Platform
from contest.ports import LostRaceError
from contest.refusals import ContestError, Fault, RefusedError, from_reason
from contest.results.rules import leaderboard
from contest.stored_names import measure_name
from contest.texts import tr
from contest.values import Millis, canonical, sha256_hex
from markup_core.lazy import dataclass
from tracks.capabilities import MeasuredByProgram
from tracks.protocol import Policies, Reason, Text, Track

_OF_LANGUAGES: Final = frozenset({"unknown_group", "unknown_nominated"})
"""Codes of faults that follow from the languages; they are not reported for a file without languages."""
REAL_TEST_SET: Final = 300
"""Files of a test set in a real cycle (R 6.4); fewer cause only a warning, because a rehearsal needs fewer."""


class CycleFaultsError(ContestError, code="cycle_faults", status=422):
    """The folder cannot be loaded; ``faults`` lists all its faults."""

    message = tr("The cycle was not loaded; the details name everything that is wrong with its files.")

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__(
            [
                {**fault.where, "code": fault.code, "file": fault.file}
                | {"message": fault.message.en, "message_ru": fault.message.ru}
                for fault in faults
            ]
        )
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True)
class Loaded:
    """The stored cycle, and warnings for an organizer."""

    cycle: Cycle
    parameters: Parameters
    warnings: tuple[Fault, ...]


# Clause: platform §7 cycle, platform §7 import
def load_cycle(
    platform: Platform, who: str, deployed: str, source: Source, progress: Progress, stored: Progress | None = None
) -> Loaded:
    """Load the folder into the deployment called ``deployed``; ``stored``, if given, is called for each stored object,
    to count these apart from read files.

    Objects are stored under their hashes first and one conditional write makes them the cycle's: a crash leaves
    the cycle as it was. Sessions keep the sets and parameters with which they were opened.
    """
    named, raw, faults = read_head(source)
    if faults:
        raise CycleFaultsError(faults)
    head, faults = _read_head(platform, deployed, raw)
    if head is None:
        raise CycleFaultsError(_of_file(named, faults))
    file, contest = head
    places: dict[Place, Sequence[bytes]] = {}
    checked = []
    for set_source in file.sources():
        checked_set, wrong = check_set(contest, set_source.folder, source, progress, set_source.min_files)
        checked.append((set_source, checked_set))
        faults += wrong
        places |= {Place(set_source.kind, set_source.name, *item): texts for item, texts in checked_set.texts.items()}
    texts, wrong = publications.read_pages(source, list(file.pages))
    named_program = "" if contest.stands_in else _program_file(contest.track, contest.parameters)
    contest, program, wrong_program = _with_program(contest, source, named)
    faults += [*wrong, *wrong_program, *_over(contest.track, file)]
    repeated = repeated_texts(places)
    if contest.track.whole_texts:
        faults += repeated
    if faults:
        raise CycleFaultsError(_of_file(named, faults))
    sets = tuple(
        store_set(platform, file.cycle, set_source, checked_set, stored or progress)
        for set_source, checked_set in checked
    )
    if program and isinstance(contest.track, MeasuredByProgram):
        name = measure_name(file.cycle, contest.track.program_sha256(contest.parameters))
        platform.blobs.put_if_absent(name, program)
    loaded = _publish(platform, who, file, sets, contest, texts)
    doubted = tuple(doubt for set_source, checked_set in checked for doubt in set_warnings(set_source, checked_set))
    folders = [PAGES_FOLDER, *(set_source.folder for set_source in file.sources())]
    beside = left_out(source, named, folders, contest.track, named_program)
    return replace(loaded, warnings=tuple(_of_file(named, (*repeated, *doubted, *beside, *loaded.warnings))))


# Clause: platform §7 cycle
def check_head(platform: Platform, deployed: str, named: str, content: bytes) -> tuple[Any, list[Fault]]:
    """Return the value of a cycle's own file and all its faults, as loading its folder finds them; store nothing."""
    raw, faults = value_of(named, content)
    if faults:
        return None, faults
    head, faults = _read_head(platform, deployed, raw)
    over = [] if head is None else _over(head[1].track, head[0])
    return raw, _of_file(named, [*faults, *over])


# Clause: platform §2 rescoring
def results_made_stale(platform: Platform, head: Mapping[str, Any], tests: Mapping[str, str]) -> tuple[Reason, ...]:
    """Return the warnings of results on boards that loading a folder would make stale; nothing is stored.

    ``head`` is the value of the folder's own file, ``tests`` the lists of its test sets by their names. Whether the
    folder may be loaded now is not checked: a comparison works in the middle of a final, too.
    """
    before, now = reading.cycle_now(platform), platform.clock.now()
    file_and_contest, faults = _read_head(platform, str(head.get("cycle")), head)
    if file_and_contest is None or faults:
        raise InvalidParametersError(from_reasons([Reason(fault.code, fault.message, fault.where) for fault in faults]))
    return tuple(results_warnings(platform, before.at(now), tests, _parameters(*file_and_contest, now)))


def _of_file(named: str, faults: Sequence[Fault]) -> list[Fault]:
    """Return faults of the cycle's own file under its name."""
    return [replace(fault, file=named) if fault.file == cycle_file.FILE else fault for fault in faults]


def _read_head(platform: Platform, deployed: str, raw: Any) -> tuple[tuple[CycleFile, Contest] | None, list[Fault]]:
    """Return the file's content, the contest that checks its sets, and all faults of the file.

    If the file has faults, its sets are checked all the same, as far as it describes them: so one check finds the
    faults of all files.
    """
    name = cycle_file.track_name(raw)
    try:
        track: Track | None = platform.tracks(name)
    except LookupError:
        track = None
    rules = track.policies(Mode.ALGORITHMIC) if track else Policies()
    file, file_faults = cycle_file.read(raw, rules)
    faults = [*file_faults]
    if track is None:
        faults = [*faults, _fault("unknown_track", tr("there is no track {name}", name=name), "track")]
        return None, faults
    if file is None:
        file = cycle_file.read(_without(raw, faults, deployed), rules)[0]
    if file is None:
        return None, [*faults, *_unkept(track, None)]
    if file.cycle != deployed:
        en = tr(
            "this deployment is for the cycle {deployed}, the file describes {cycle}",
            deployed=deployed,
            cycle=file.cycle,
        )
        faults.append(_fault("another_cycle", en, "cycle"))
    has_languages = "languages" not in _wrong_parts(file_faults)
    contest, reasons = _contest(track, file, has_languages=has_languages)
    between = cycle_file.contradictions(file)
    faults += [*reasons, *(fault for fault in between if has_languages or fault.code not in _OF_LANGUAGES)]
    faults += _unkept(track, None if reasons or contest is None else contest.parameters)
    return (None if contest is None else (file, contest)), faults


def _contest(track: Track, file: CycleFile, *, has_languages: bool) -> tuple[Contest | None, list[Fault]]:
    """Return the contest that checks a file's sets, with its track's parameters, the usual ones where the file's are
    wrong; None where the track is unknown. A file without languages has none: the sets' faults name them."""
    languages = file.groups() if has_languages else {}
    named = {"languages": {name: list(groups) for name, groups in languages.items()}} if has_languages else {}
    fixed = {"classifier": file.classifier, **named}
    parameters, reasons = track.read_parameters({**file.parameters.of_the_track, **fixed})
    reason_faults = [from_reason(reason, cycle_file.FILE) for reason in reasons]
    if reasons:
        usual = (track.read_parameters(raw) for raw in (fixed, {**fixed, "classifier": "default"}))
        parameters = next((value for value, wrong in usual if not wrong), None)
    return (
        None if parameters is None else Contest(track, parameters, languages, stands_in=bool(reasons))
    ), reason_faults


def _without(raw: Any, faults: Sequence[Fault], deployed: str) -> Any:
    """Return a file's value without the parts that have faults; parts that a cycle must have get a substitute."""
    if not isinstance(raw, dict):
        return raw
    wrong = _wrong_parts(faults)
    stand_ins = {"cycle": deployed, "name": {"ru": "—", "en": "—"}, "time_zone": "UTC", "languages": {"ru": ["ru"]}}
    sound = {name: value for name, value in raw.items() if name not in wrong}
    return {**{name: value for name, value in stand_ins.items() if name not in sound}, **sound}


def _wrong_parts(faults: Sequence[Fault]) -> set[str]:
    """Return the names of the file's parts that have faults."""
    return {str(fault.where.get("field", "")).partition(".")[0] for fault in faults}


def _fault(code: str, message: Text, field: str) -> Fault:
    return Fault(code, cycle_file.FILE, message, {"field": field})


def _unkept(track: Track, parameters: Any) -> list[Fault]:
    return [from_reason(reason, cycle_file.FILE) for reason in unmet_needs(track, parameters)]


# Clause: R 2.4
def store_set(platform: Platform, cycle: str, source: SetSource, checked: Checked, stored: Progress) -> EssaySet:
    """Store the parts of a checked set, its manifest last; return the set as a cycle names it."""
    named = {
        # Images have no common file extension.
        (
            stored_names.attachment_name(cycle, digest)
            if kind == "inputs"
            else stored_names.blob_names(cycle, kind, digest)
        ): content
        for (kind, digest), content in checked.objects.items()
    }
    platform.blobs.put_all_if_absent(named, stored)
    manifest = canonical(reading.manifest_json(checked.manifest))
    digest = sha256_hex(manifest)
    platform.blobs.put_if_absent(stored_names.blob_names(cycle, "manifests", digest), manifest)
    return EssaySet(
        source.name, source.kind, digest, checked.manifest.sizes(), source.min_files, first_step=checked.first_step
    )


# Clause: R 4.8
def _over(track: Track, file: CycleFile) -> Iterator[Fault]:
    """List the earlier cycles that ended the contest, after which no other one begins."""
    if not ends_at_barrier(track, file.ends_at_barrier):
        return
    for earlier in file.earlier_cycles:
        if earlier.overcame:
            message = tr(
                "the contest ended with the cycle {name}, whose final overcame the barrier (R 4.8); if it goes on, "
                "write ends_at_barrier: false",
                name=earlier.cycle,
            )
            yield _fault("contest_over", message, "earlier_cycles")


# Clause: R 2.28, R 4.1
def _publish(
    platform: Platform,
    who: str,
    file: CycleFile,
    sets: tuple[EssaySet, ...],
    contest: Contest,
    texts: Mapping[str, bytes],
) -> Loaded:
    now = platform.clock.now()
    before = platform.catalogue.cycle()
    sets = as_published(sets, before)
    parameters = cycle_parameters.of_file(platform, before, _parameters(file, contest, now), now)
    is_new = before is None or parameters.version > before.last_version
    earlier_cycles = [part.made() for part in file.earlier_cycles]
    cycle = Cycle(
        name=file.cycle,
        title=file.name.model_dump(),
        time_zone=file.time_zone,
        track=file.track,
        languages=contest.languages,
        classifier=file.classifier,
        sets=sets,
        parameters_version=before.parameters_version if before else parameters.version,
        loaded_at=now,
        known_clients=tuple(sorted(file.known_clients)),
        stages=file.stages.made(),
        working_days=file.working_days.made(),
        notices=file.noticed(),
        protocols=None if file.protocols is None else tuple(sorted(set(file.protocols))),
        knowledge_base=tuple(part.made() for part in file.knowledge_base),
        about=None if file.about is None else file.about.model_dump(),
        prize=None if file.prize is None else file.prize.model_dump(),
        versions=cycle_parameters.with_version(before, parameters, now),
        pages=_pages(platform, file, before, texts, now),
        earlier=publications.store_page(platform, file.cycle, canonical(earlier_cycles)) if earlier_cycles else "",
        ends_at_barrier=file.ends_at_barrier,
        kits=before.kits if before else (),
        version=before.version if before else 0,
    )
    sets_at, modules_at = sets_and_modules_changed_at(before, cycle, now)
    cycle = replace(cycle, sets_changed_at=sets_at, modules_changed_at=modules_at)
    change = Change(now, who, "cycle loaded", cycle.name, log_summary(before), log_summary(cycle))
    try:
        announced = tuple(publications.announcements_of_loading(platform, before, cycle, parameters, now))
        platform.catalogue.publish(cycle, parameters if is_new else None, change, announced)
    except LostRaceError:
        raise changed_meanwhile() from None
    earlier = None if before is None else before.at(now)
    stale = results_warnings(platform, earlier, leaderboard.lists_of_tests(cycle), parameters)
    noticed = [*sets_warnings(platform, before, cycle), *stale]
    if is_new and before is not None:
        noticed += parameters_warnings(platform, cycle, now, now)
    warnings = (*warnings_about(sets, parameters), *(from_reason(reason, cycle_file.FILE) for reason in noticed))
    return Loaded(replace(cycle, version=cycle.version + 1), parameters, warnings)


def _pages(
    platform: Platform, file: CycleFile, before: Cycle | None, texts: Mapping[str, bytes], now: Millis
) -> tuple[Page, ...]:
    """Store the texts of the file's pages and return all pages with their versions."""
    named = {
        name: (part.title.model_dump(), publications.store_page(platform, file.cycle, texts[name]))
        for name, part in file.pages.items()
    }
    of_cycle = published_pages(before.pages if before else (), named, now)
    if faults := [*publications.too_many_versions(of_cycle)]:
        raise CycleFaultsError(faults)
    return of_cycle


# Clause: platform §1 data sets
def as_published(sets: Sequence[EssaySet], before: Cycle | None) -> tuple[EssaySet, ...]:
    """Keep sets published while their files are the same; other files under the name are not published yet."""
    moments = (
        {(essay_set.name, essay_set.manifest): essay_set.published_at for essay_set in before.sets} if before else {}
    )
    return tuple(
        replace(essay_set, published_at=moments.get((essay_set.name, essay_set.manifest))) for essay_set in sets
    )


def changed_meanwhile() -> RefusedError:
    """Return the refusal of a change that lost the race for the cycle."""
    return RefusedError(
        "changed_meanwhile", tr("somebody else changed the cycle meanwhile; nothing was changed, try again")
    )


def _parameters(file: CycleFile, contest: Contest, now: Millis) -> Parameters:
    """Return the parameters of the file, without a version number."""
    return file.parameters.made(
        contest.track.policies(Mode.ALGORITHMIC), contest.parameters, version=0, announced_at=now
    )


def log_summary(cycle: Cycle | None) -> dict[str, Any] | None:
    """Describe a cycle for the log of changes."""
    if cycle is None:
        return None
    return {
        "parameters_version": cycle.last_version,
        "sets": {essay_set.name: asdict(essay_set) for essay_set in cycle.sets},
    }


# Clause: R 6.4, R 6.6
def warnings_about(sets: Sequence[EssaySet], parameters: Parameters) -> Iterator[Fault]:
    """Warn of test sets and technical runs that are smaller than the regulation requires."""
    for essay_set in sets:
        if essay_set.kind is SetKind.TEST and essay_set.size < REAL_TEST_SET:
            en = tr(
                "a real cycle's test set has at least {real_test_set} files (R 6.4), this one {size}",
                real_test_set=REAL_TEST_SET,
                size=essay_set.size,
            )
            yield Fault("small_test_set", essay_set.name, en)
    drawn = min(
        [parameters.technical.files[0], *(essay_set.size for essay_set in sets if essay_set.kind is SetKind.TRAINING)]
    )
    if parameters.technical_times.enabled and drawn < LEAST_TECHNICAL:
        en = tr(
            "a technical run has at least {least_technical} files (R 6.6), here it may have {drawn}",
            least_technical=LEAST_TECHNICAL,
            drawn=drawn,
        )
        yield Fault("small_technical_run", cycle_file.FILE, en)


def _program_file(track: Track, parameters: Any) -> str:
    """Return the name of the program's file that a cycle's parameters demand; empty without one."""
    return track.program_file(parameters) if isinstance(track, MeasuredByProgram) else ""


def _with_program(contest: Contest, source: Source, named: str) -> tuple[Contest, bytes, list[Fault]]:
    """Return the contest whose parameters name the folder's program by its hash, the program, and all its faults.

    Faults of an image are those of the cycle's own file, which is called ``named``.

    The program runs: everything that its samples show is found before anything is stored.
    """
    track = contest.track
    if contest.stands_in or not isinstance(track, MeasuredByProgram) or track.program_sha256(contest.parameters):
        return contest, b"", []
    name = track.program_file(contest.parameters)
    try:
        content = track.program_content(contest.parameters, source.read)
    except LookupError:
        return contest, b"", [Fault("missing_file", name, tr("there is no such file"))]
    parameters, reasons = track.taken_in(contest.parameters, content)
    faults = [from_reason(reason, name or named) for reason in reasons]
    return replace(contest, parameters=parameters), content, faults


def program_not_stored(platform: Platform, cycle: str, track: Track, parameters: Any) -> Iterator[Reason]:
    """Yield the reason why parameters without a folder cannot name a program: it is a file, or not stored."""
    if parameters is None or not isinstance(track, MeasuredByProgram):
        return
    field = {"field": "measure.program"}
    if not track.program_sha256(parameters):
        yield Reason("measure_needs_folder", tr("a new program comes with the cycle's folder: load it"), field)
    else:
        name = measure_name(cycle, track.program_sha256(parameters))
        if name not in platform.blobs.names(name):
            yield Reason("measure_not_stored", tr("the cycle has no program of this SHA-256"), field)
