"""Imports over the interface: uploaded in parts, checked, loaded by a worker, all or nothing.

A part is named by its SHA-256 beforehand and put at an address of its own (:mod:`contest.platform`), so a part damaged
or doubled on its way changes nothing, and an upload goes on where it broke off. The worker may be sent twice or die
half-way: it begins anew, and its stored objects are named by their content.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Final

from contest import errors, reading, stored_names
from contest.cycle import loading, parameters
from contest.cycle.loading import CycleFaultsError, Loaded
from contest.cycle.rules import sets as set_rules
from contest.cycle.rules.cycle import Cycle, EssaySet, Parameters, SetKind, SetSource
from contest.cycle.rules.sets import (
    MOST,
    NOTHING_DECIDED,
    TOLD,
    WORKED_ON,
    Decided,
    Import,
    ImportJob,
    ImportKind,
    ImportOrder,
    ImportState,
    fingerprint,
    repeated_texts,
)
from contest.cycle.rules.sets import Place as TextPlace
from contest.cycle.set_files import Checked, Contest, Progress, Source, check_set, own_folders, set_warnings, value_of
from contest.people.cabinet import author
from contest.people.rules import Change, Identity
from contest.platform import (
    DamagedPart,
    Platform,
    UploadPlace,
    missing_parts,
    read_and_decide,
    upload_place,
    uploaded_content,
)
from contest.ports import LostRaceError
from contest.refusals import ContestError, Fault, from_reason
from contest.results.rules import leaderboard
from contest.stored_names import CYCLE_FILES, LetterQueue
from contest.texts import tr
from contest.values import Millis, canonical, in_one_line
from tracks.capabilities import HasLargeFiles
from tracks.protocol import Track

if TYPE_CHECKING:
    from markup_core.formats.gathering import Choice

_AT_A_TIME: Final = 500
"""Largest number of items of other sets held in memory at once while their texts are compared."""


class WaitsError(Exception):
    """Another tool's export that can be loaded as ``warnings`` describe, once an organizer has confirmed it.

    ``choices`` are decisions that the confirmation has to hold.
    """

    def __init__(self, warnings: Sequence[Fault], choices: Sequence[Choice] = ()) -> None:
        super().__init__("waits for an organizer's word")
        self.warnings = warnings
        self.choices = choices


# Clause: platform §7 import, R 2.5
def load_set(
    platform: Platform,
    order: ImportOrder,
    who: str,
    source: Source,
    stored: Progress,
    *,
    is_confirmed: bool,
    decided: Decided = NOTHING_DECIDED,
) -> Loaded:
    """Put the files of a folder into the cycle as a set, instead of those it has.

    Files of another annotation tool become items and references if that is confirmed; else WaitsError describes them.
    Sessions and runs keep the files with which they were opened. Texts are compared with those of all other sets.
    """
    from contest.cycle import from_corpus  # loads the readers of all formats, which the worker alone needs

    cycle = reading.cycle_now(platform)
    rules = platform.catalogue.parameters(cycle.parameters_version)
    contest = Contest(reading.track_of(platform, cycle), rules.track, cycle.languages)
    name = order.set_name
    chosen = _chosen(cycle, name, order.set_kind)
    try:
        corpus = from_corpus.set_of(source, contest, decided)
    except from_corpus.CorpusError as error:
        raise CycleFaultsError([error.fault]) from None
    if corpus is not None and corpus.choices:
        raise WaitsError(corpus.told, corpus.choices)
    if corpus is not None:
        source = set_rules.FilesInMemory(corpus.files)
    checked, wrong = check_set(contest, name, _AsFolder(name, source), lambda _: None, chosen.min_files)
    faults = [*wrong, *_in_folders(source, own_folders(contest.track))]
    repeated = repeated_texts(_places(platform, cycle, contest, chosen, checked))
    if contest.track.whole_texts:
        faults += repeated
    if faults:
        raise CycleFaultsError(faults)
    warnings = (*(corpus.told if corpus else ()), *repeated, *set_warnings(chosen, checked))
    if corpus is not None and not is_confirmed:
        raise WaitsError(warnings)
    new_set = loading.store_set(platform, cycle.name, chosen, checked, stored)
    loaded = _publish(platform, who, cycle, rules, new_set)
    return replace(loaded, warnings=(*warnings, *loaded.warnings))


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


def _chosen(cycle: Cycle, name: str, kind: SetKind | None) -> SetSource:
    """Return the set to be replaced or added; :class:`CycleFaultsError` where it can be neither."""
    current = cycle.set_named(name)
    if current is None and kind is None:
        message = tr("the cycle has no set {name}; say its kind", name=name)
        raise CycleFaultsError([Fault("kind_needed", name, message)])
    if current is not None and kind not in (None, current.kind):
        message = tr("the set {name} is {value}", name=name, value=current.kind.value)
        raise CycleFaultsError([Fault("another_kind", name, message)])
    if current is not None:
        return SetSource(name, name, current.kind, current.min_files)
    return SetSource(name, name, kind or SetKind.TRAINING)


def _in_folders(source: Source, folders: Sequence[str]) -> list[Fault]:
    """Refuse files in folders inside a set's folder that the contest does not have; none is ignored silently."""
    names = [name for name in source.everything() if name.rpartition("/")[0] not in ("", *folders)]
    if not names:
        return []
    en = tr(
        "{names} files are in folders inside the set's, where no set has any: {listed}",
        names=len(names),
        listed=in_one_line(names),
    )
    return [Fault("files_in_folders", "", en)]


def _places(
    platform: Platform, cycle: Cycle, contest: Contest, chosen: SetSource, checked: Checked
) -> dict[TextPlace, Sequence[bytes]]:
    """Return the fingerprints of all texts of the cycle, those of the new set in the place of its old ones."""
    places = {TextPlace(chosen.kind, chosen.name, *item): texts for item, texts in checked.texts.items()}
    for essay_set in cycle.sets:
        if essay_set.name != chosen.name:
            places |= _texts_of(platform, cycle, contest, essay_set)
    return places


def _texts_of(
    platform: Platform, cycle: Cycle, contest: Contest, essay_set: EssaySet
) -> Iterator[tuple[TextPlace, Sequence[bytes]]]:
    items = reading.manifest(platform, cycle.name, essay_set.manifest).items
    for start in range(0, len(items), _AT_A_TIME):
        some = {
            item.item_id: stored_names.blob_names(cycle.name, "items", item.content)
            for item in items[start : start + _AT_A_TIME]
        }
        contents = platform.blobs.get_all(sorted(set(some.values())))
        for item_id, name in some.items():
            texts = contest.track.texts(json.loads(contents[name]))
            yield (
                TextPlace(essay_set.kind, essay_set.name, item_id, f"{essay_set.name}/{item_id}.json"),
                [*map(fingerprint, texts)],
            )


def _publish(platform: Platform, who: str, before: Cycle, rules: Parameters, new_set: EssaySet) -> Loaded:
    others = [essay_set for essay_set in before.sets if essay_set.name != new_set.name]
    sets = loading.as_published(sorted([*others, new_set], key=lambda essay_set: essay_set.name), before)
    now = platform.clock.now()
    cycle = replace(before, sets=sets, loaded_at=now)
    cycle = replace(cycle, sets_changed_at=parameters.sets_and_modules_changed_at(before, cycle, now)[0])
    descriptions = (loading.log_summary(before), loading.log_summary(cycle))
    try:
        platform.catalogue.publish(cycle, None, Change(now, who, "set imported", new_set.name, *descriptions))
    except LostRaceError:
        raise loading.changed_meanwhile() from None
    noticed = [
        *parameters.sets_warnings(platform, before, cycle),
        *parameters.results_warnings(platform, before, leaderboard.lists_of_tests(cycle), rules),
    ]
    warnings = (*loading.warnings_about([new_set], rules), *(from_reason(reason, new_set.name) for reason in noticed))
    return Loaded(replace(cycle, version=cycle.version + 1), rules, warnings)


_STEPS: Final = 20
"""Number of progress updates while files are read, and again while they are stored."""


# Clause: platform §7 import
def announce_import(platform: Platform, identity: Identity, order: ImportOrder) -> Import:
    """Announce an import; its parts may be uploaded afterwards."""
    if order.upload.size > MOST:
        raise errors.ImportTooLargeError.over(order.upload.size, MOST)
    if not order.upload.is_whole():
        raise errors.WrongPartsError
    now = platform.clock.now()
    the_import = Import(platform.randomness.run_id(), order, author(identity), now)
    platform.imports.write(
        None, the_import, Change(now, the_import.who, "import begun", the_import.import_id, None, _told(the_import))
    )
    return the_import


def latest_imports(platform: Platform, limit: int) -> Sequence[Import]:
    """List the imports that were announced last, the newest first; O(all imports of the cycle), which are tens."""
    newest_first = sorted(
        platform.imports.listed(), key=lambda the_import: (-the_import.created_at, the_import.import_id)
    )
    return newest_first[:limit]


def of_id(platform: Platform, import_id: str) -> Import:
    """Return an import; :class:`UnknownImportError` without one."""
    the_import = platform.imports.get(import_id)
    if the_import is None:
        raise errors.UnknownImportError
    return the_import


# Clause: platform §7 import, TS T12
def place_of_part(platform: Platform, import_id: str, number: int) -> UploadPlace:
    """Return the address for a part, by its number from 1; repeated requests get other addresses for it."""
    the_import = of_id(platform, import_id)
    if the_import.state is not ImportState.UPLOADING:
        raise errors.ImportClosedError
    try:
        return upload_place(platform, stored_names.import_uploads(import_id), the_import.order.upload, number)
    except LookupError:
        raise errors.UnknownImportPartError from None


def missing_numbers(platform: Platform, the_import: Import) -> list[int]:
    """List the numbers of the parts that are not there yet; none after the upload."""
    if the_import.state is not ImportState.UPLOADING:
        return []
    return missing_parts(platform, stored_names.import_uploads(the_import.import_id), the_import.order.upload)


# Clause: platform §7 import
def queue_import(
    platform: Platform,
    identity: Identity,
    import_id: str,
    *,
    is_confirmed: bool = False,
    decided: Decided = NOTHING_DECIDED,
) -> Import:
    """Queue a whole upload for a worker; a repetition queues it again until it is done.

    ``is_confirmed``: load what waits for that word, labels as ``decided``; without it a repetition changes nothing
    there. Raises LabelsUndecidedError where labels have no code yet.
    """

    def queued(before: Import) -> Import:
        what, fields = "import sent", dict[str, Any]()
        if before.state is ImportState.CHECKED and is_confirmed:
            _refuse_undecided(platform, before, decided)
            what, fields = "import confirmed", {"is_confirmed": True, "decided": decided}
        elif before.state is not ImportState.UPLOADING:
            return before
        elif absent := missing_numbers(platform, before):
            raise errors.PartsMissingError.numbered(absent)
        now = platform.clock.now()
        after = replace(before.at(ImportState.QUEUED), sent_at=now, **fields)
        change = Change(now, author(identity), what, import_id, _told(before), _told(after))
        platform.imports.write(before, after, change)
        return after

    done = read_and_decide(lambda: of_id(platform, import_id), queued)
    if done.state in WORKED_ON:
        platform.importing.send([ImportJob(import_id)])
    return done


def _refuse_undecided(platform: Platform, the_import: Import, decided: Decided) -> None:
    """Refuse to load an export some of whose labels have no code yet."""
    try:
        labels = set_rules.undecided_labels(import_outcome(platform, the_import).get("choices", ()), decided)
    except LookupError as error:
        raise errors.LabelsUndecidedError.not_offered(str(error.args[0])) from None
    if labels:
        raise errors.LabelsUndecidedError.of(labels)


# Clause: platform §7 doctor
def send_again(platform: Platform, import_id: str, *, sent: bool = False) -> None:
    """Queue an import again whose worker was lost; an import that has ended stays unchanged. ``sent``: True if its
    message was queued already."""

    def noted(before: Import) -> Import:
        if before.state not in WORKED_ON:
            return before
        after = replace(before, sent_at=platform.clock.now(), version=before.version + 1)
        platform.imports.write(before, after, None)
        return after

    done = read_and_decide(lambda: of_id(platform, import_id), noted)
    if done.state in WORKED_ON and not sent:
        platform.importing.send([ImportJob(import_id)])


# Clause: platform §7 import, platform §4 failed
def failed_at(platform: Platform, the_import: Import) -> Millis | None:
    """Return the time at which the worker of an unfinished import failed for good; None if it has not."""
    if the_import.state not in WORKED_ON:
        return None
    return reading.failed_at(platform, LetterQueue.IMPORTS, ImportJob(the_import.import_id))


def import_outcome(platform: Platform, the_import: Import) -> dict[str, list[dict[str, Any]]]:
    """List every fault and warning of an import, as JSON values; none before it has ended."""
    if the_import.state not in TOLD:
        return {"faults": [], "warnings": []}
    findings: dict[str, list[dict[str, Any]]] = json.loads(platform.blobs.get(_outcome_name(the_import)))
    return findings


def _outcome_name(the_import: Import) -> str:
    is_checked = the_import.state is ImportState.CHECKED
    return stored_names.import_outcome_name(the_import.import_id, is_checked=is_checked)


# Clause: platform §7 import
def run_import(platform: Platform, deployed: str, job: ImportJob) -> None:
    """Check and load an import, all or nothing."""
    from contest.cycle import from_corpus  # as above

    the_import = platform.imports.get(job.import_id)
    if the_import is None or the_import.state not in WORKED_ON:
        return
    content = uploaded_content(platform, stored_names.import_uploads(the_import.import_id), the_import.order.upload)
    if isinstance(content, DamagedPart):
        whole = tr("the parts together have another SHA-256")
        part = tr("part {number} has another SHA-256 than was announced", number=content.number)
        _end(platform, the_import, [Fault("another_sha256", "", part if content.number else whole)], [])
        return
    track = _track(platform, the_import, content)
    largest = set_rules.BOUNDS.member
    if isinstance(track, HasLargeFiles):
        largest = track.largest_file
    elif track and the_import.order.kind is not ImportKind.CYCLE and from_corpus.takes_exports(track):
        largest = from_corpus.LARGEST_EXPORT
    own = own_folders(track) if track and the_import.order.kind is ImportKind.SET else ()
    files, faults = set_rules.open_zip(content, replace(set_rules.BOUNDS, member=largest), own)
    if faults:
        _end(platform, the_import, faults, [])
        return
    counted_files = _Telling(platform, the_import, files.files)
    try:
        loaded = _loaded(platform, deployed, the_import, counted_files)
    except loading.CycleFaultsError as error:
        _end(platform, the_import, error.faults, [])
    except WaitsError as waits:
        _end(platform, the_import, [], waits.warnings, state=ImportState.CHECKED, choices=waits.choices)
    except ContestError as error:
        _end(platform, the_import, [Fault(error.code, "", error.message)], [])
    else:
        counted_files.tell(ImportState.STORING)
        _end(platform, the_import, [], loaded.warnings, loaded.cycle)


# Clause: platform §7 import, TS T14
def _track(platform: Platform, the_import: Import, content: bytes) -> Track | None:
    """Return the contest that a zip is for: the cycle's, or the one named by the cycle's own file in it; None if that
    file cannot be read: its faults are reported with all others."""
    try:
        if the_import.order.kind is ImportKind.SET:
            return reading.track_of(platform, reading.cycle_now(platform))
        if the_import.order.new_cycle is not None:
            return platform.tracks(the_import.order.new_cycle.track)
        heads = ((name, set_rules.head_of(content, name)) for name in CYCLE_FILES)
        name, head = next((name, head) for name, head in heads if head is not None)
        return platform.tracks(str(value_of(name, head)[0]["track"]))
    except (ContestError, LookupError, TypeError, StopIteration):
        return None


def _loaded(platform: Platform, deployed: str, the_import: Import, counted_files: _Telling) -> loading.Loaded:
    if the_import.order.kind is ImportKind.CYCLE:
        return loading.load_cycle(
            platform, the_import.who, deployed, counted_files, lambda _: None, counted_files.stored
        )
    if the_import.order.kind is ImportKind.CORPUS:
        return _of_corpus(platform, deployed, the_import, counted_files)
    return load_set(
        platform,
        the_import.order,
        the_import.who,
        counted_files,
        counted_files.stored,
        is_confirmed=the_import.is_confirmed,
        decided=the_import.decided,
    )


def _of_corpus(platform: Platform, deployed: str, the_import: Import, counted_files: _Telling) -> loading.Loaded:
    """Load the cycle made of an export if that is confirmed; else WaitsError describes that cycle."""
    from contest.cycle import from_corpus  # as above

    settings = the_import.order.new_cycle
    if settings is None or (track := _track(platform, the_import, b"")) is None:
        message = tr("a cycle made of an export needs new_cycle: its contest and its titles")
        raise CycleFaultsError([Fault("new_cycle_needed", "", message)])
    try:
        folder = from_corpus.folder_of(counted_files, track, settings, deployed)
    except from_corpus.CorpusError as error:
        raise CycleFaultsError([error.fault]) from None
    if not the_import.is_confirmed:
        raise WaitsError(folder.told)
    source = set_rules.FilesInMemory(folder.files)
    loaded = loading.load_cycle(platform, the_import.who, deployed, source, lambda _: None, counted_files.stored)
    return replace(loaded, warnings=(*folder.told, *loaded.warnings))


class _Telling(set_rules.FilesInMemory):
    """Files of an import, with counts of read files and stored objects."""

    def __init__(self, platform: Platform, the_import: Import, files: Mapping[str, bytes]) -> None:
        super().__init__(files)
        self._platform, self._import_id = platform, the_import.import_id
        self._step = max(1, len(files) // _STEPS)
        self._read: set[str] = set()
        self._stored = 0
        self.tell(ImportState.CHECKING)

    def read(self, name: str) -> bytes:
        """See :class:`contest.cycle.set_files.Source`."""
        content = super().read(name)
        if name not in self._read:
            self._read.add(name)
            if len(self._read) % self._step == 0:
                self.tell(ImportState.CHECKING)
        return content

    def stored(self, _: str) -> None:
        """Count an object as stored."""
        self._stored += 1
        if self._stored % self._step == 1 or self._step == 1:
            self.tell(ImportState.STORING)

    def tell(self, state: ImportState) -> None:
        """Store the progress; a lost race is ignored, since another worker at the same import reports the same work."""
        before = of_id(self._platform, self._import_id)
        counts = {"files": len(self.files), "read": len(self._read), "stored": self._stored}
        if before.state in WORKED_ON:
            with suppress(LostRaceError):
                self._platform.imports.write(before, before.at(state, **counts), None)


def _end(
    platform: Platform,
    the_import: Import,
    faults: Sequence[Fault],
    warnings: Sequence[Fault],
    loaded: Cycle | None = None,
    state: ImportState = ImportState.DONE,
    choices: Sequence[Choice] = (),
) -> None:
    findings: dict[str, Any] = {
        "faults": [fault.as_json() for fault in faults],
        "warnings": [warning.as_json() for warning in warnings],
        "choices": [asdict(choice) for choice in choices],
    }
    if loaded is not None:
        findings["loaded"] = {
            "sets": {essay_set.name: essay_set.size for essay_set in loaded.sets},
            "parameters": loaded.parameters_version,
        }

    def ended(before: Import) -> None:
        if before.state not in WORKED_ON:
            return
        after = before.at(ImportState.REFUSED if faults else state)
        platform.blobs.put_if_absent(_outcome_name(after), canonical(findings))
        platform.imports.write(before, replace(after, faults=len(faults), warnings=len(warnings)), None)

    read_and_decide(lambda: of_id(platform, the_import.import_id), ended)


def _told(the_import: Import) -> dict[str, Any]:
    """Describe an import for the log of changes."""
    order = the_import.order
    facts = {"kind": order.kind.value, "set": order.set_name, "bytes": order.upload.size, "sha256": order.upload.sha256}
    return {**facts, "state": the_import.state.value}
