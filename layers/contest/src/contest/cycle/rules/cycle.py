"""A cycle: its track, languages, sets, versioned parameters and kit (R 4, 2.28), and the contests that can be played.

A contest states the needs of its sessions itself (:func:`tracks.protocol.needs`); no contest is named here. A need
that the platform cannot fulfil is refused when a cycle is loaded, before anybody has a receipt for an answer that
would never be scored.

**Decision**: a page (regulation, knowledge base; D 6.2.1, 8.19) that a later loading does not name stays as it is, as a
kit does: people have applied under it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from enum import StrEnum
from typing import Any, Final

from contest.cycle.rules.stages import Calendar, Stage, WorkingDays
from contest.texts import tr
from contest.values import Millis, iso
from markup_core.lazy import dataclass
from tracks.capabilities import AnsweredByProgram, AnsweredInOneFile
from tracks.protocol import Need, Reason, Text, Track, needs
from tracks.rules import USUAL_RUN, Signatory
from tracks.rules import LateJoin as LateJoin


@dataclass(frozen=True, slots=True)
class Capacity:
    """``requests_per_second``: the gateway's limit over all teams. ``windows``: beginning, end and number of teams for
    which the cycle's file has functions kept running; finals have theirs without it."""

    requests_per_second: int
    windows: Sequence[tuple[Millis, Millis, int]] = ()


FORMAT: Final = 1
"""Version of the statement's form; the kit refuses one that it does not know."""


@dataclass(frozen=True, slots=True)
class KitFile:
    """A file of the kit: a wheel, or a bundle for one sort of machines."""

    file: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Package(KitFile):
    """A wheel."""

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class Bundle(KitFile):
    """All wheels that a machine without a network needs, for several versions of Python."""

    platform: str
    pythons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KitList:
    """The content of a build of the kit. ``modules_sha256`` is the hash that it reports when it opens a session."""

    version: str
    modules_sha256: str
    packages: tuple[Package, ...]
    bundles: tuple[Bundle, ...] = ()


@dataclass(frozen=True, slots=True)
class Kit:
    """A published kit, and the platform's signature over :func:`kit_statement`."""

    listed: KitList
    published_at: Millis
    key_id: str
    signature: str


# Clause: R 4.2, R 4.3
def kit_statement(cycle: str, listed: KitList, published_at: Millis, key_id: str) -> dict[str, Any]:
    """Return the signed statement: the list with its moment, as JSON."""
    return {
        "format": FORMAT,
        "kind": "kit",
        "cycle": cycle,
        "version": listed.version,
        "modules_sha256": listed.modules_sha256,
        "packages": [
            {"name": package.name, "version": package.version, **_file(package)} for package in listed.packages
        ],
        "bundles": [
            {"platform": bundle.platform, "pythons": list(bundle.pythons), **_file(bundle)} for bundle in listed.bundles
        ],
        "published_at": iso(published_at),
        "key_id": key_id,
    }


def conflicting_kit(kits: Sequence[Kit], listed: KitList) -> Kit | None:
    """Return the published kit of the same version whose modules or wheels differ: a version is published once.

    Bundles may come later: they hold the same wheels.
    """
    same = (kit for kit in kits if kit.listed.version == listed.version)
    return next((kit for kit in same if _modules(kit.listed) != _modules(listed)), None)


def _modules(listed: KitList) -> tuple[str, tuple[Package, ...]]:
    return listed.modules_sha256, listed.packages


def _file(file: KitFile) -> dict[str, Any]:
    return {"file": file.file, "bytes": file.bytes, "sha256": file.sha256}


ALL_LANGUAGES: Final = "all"
MAX_FILES: Final = 5000
"""Most files of a session or run in any contest, without those that replace others; a contest has its own limit."""
MOST_REPLACED: Final = 1000
"""Most items of a run whose replacement a cycle may allow."""
GREATEST_NUMBER: Final = 2 * MAX_FILES
"""Greatest number of a file in any run: a run's own files, and as many items as may replace others."""
LEAST_TECHNICAL: Final = 30
"""Least number of files of a technical run (R 6.6); fewer cause a warning only, because a rehearsal needs fewer."""
LONGEST_ANSWER_S: Final = 3600
"""Longest time limit for an answer that a cycle, and so a program, may set, in seconds."""


REQUESTS_PER_SECOND: Final = 10
"""Requests per second allowed for a team, and for a person, in a cycle without its own limit (D 12.8)."""
REFUSALS_PER_FILE: Final = 20
BODY_S: Final = 5
MOST_BODY_S: Final = 30
"""Largest time for a body that a cycle may allow, in seconds: nobody waits longer for one."""
BODY_BYTES_PER_S: Final = 65_536
"""Slowest line on which a body of any length up to the limit arrives in time: half a megabit a second."""


class Mode(StrEnum):
    """Mode in which a session exchanges files (platform §3); all but the first follow the schedule of a run."""

    ALGORITHMIC = "algorithmic"
    TECHNICAL = "technical"
    FINAL = "final"


class SetKind(StrEnum):
    """Kind of a set: a training one alone shows experts' markups (R 6.5.3), a final one nothing at all."""

    TRAINING = "training"
    TEST = "test"
    FINAL = "final"
    RESERVE = "reserve"


@dataclass(frozen=True, slots=True)
class EssaySet:
    """A set of items as the cycle names it; ``manifest`` is the SHA-256 of its :class:`Manifest`."""

    name: str
    kind: SetKind
    manifest: str
    sizes: Mapping[str, int]
    """Number of items per language."""
    min_files: int = 0
    """Least number of items with which the cycle accepts the set."""
    published_at: Millis | None = None
    """Time at which the organizers published exactly these files to everybody; None if they have not."""
    first_step: str = ""
    """Step with which all its items begin; empty if they differ, or if the set was stored before this was recorded."""

    @property
    def size(self) -> int:
        """Number of items in all languages."""
        return sum(self.sizes.values())


SETS_OF_RUNS: Final[Mapping[Mode, frozenset[SetKind]]] = {
    Mode.TECHNICAL: frozenset({SetKind.TRAINING}),
    Mode.FINAL: frozenset({SetKind.FINAL, SetKind.RESERVE}),
}
"""Kinds of sets from which runs of a mode may draw (R 6.6, 7.3); a trial run may draw from any set."""
# Clause: platform §3 sets, platform §1 secrets
OPEN_TO_ALL: Final = frozenset({SetKind.TRAINING, SetKind.TEST})
"""Kinds of sets that participants may see and choose; a final set is not even named before its time."""


@dataclass(frozen=True, slots=True)
class RunRules:
    """Rules of a scheduled run, in seconds (R 7.5, R-App2). ``files`` and ``interval_s``: least and greatest, of which
    a technical run draws; a final has the first interval, and its files are its set's."""

    files: tuple[int, int]
    interval_s: tuple[int, int]
    request_s: int = 10
    answer_s: int = 50
    total_s: int = 60
    join_s: int = 120
    late_join: LateJoin = LateJoin.REFUSED
    """Rule for opening a session after the joining time."""
    most_replaced: int = USUAL_RUN.most_replaced
    """Most items that reserve items may replace."""


@dataclass(frozen=True, slots=True)
class TechnicalTimes:
    """Times of technical runs: the hours between their beginnings, and between announcement and beginning (R 6.6)."""

    enabled: bool = True
    every_hours: int = 4
    lead_s: int = 600


TECHNICAL: Final = RunRules(files=(LEAST_TECHNICAL, 60), interval_s=(20, 60))
TECHNICAL_TIMES: Final = TechnicalTimes()
FINAL: Final = RunRules(files=(1, MAX_FILES), interval_s=(60, 60))


@dataclass(frozen=True, slots=True)
class ExpertRules:
    """Rules of experts' work (R 7.10), in seconds: the time for a check from its opening, by group where ``limits_s``
    names it, and the least time between two saved drafts. ``third_shown``: when the results are published, experts see
    where the third one decided otherwise."""

    limit_s: int = 3600
    limits_s: Mapping[str, int] = field(default_factory=dict)
    autosave_s: int = 1
    third_shown: bool = True

    # Clause: R 7.10, platform §5 time
    def limit_of(self, group: str) -> int:
        """Return the time for an essay of this group (subject)."""
        return self.limits_s.get(group, self.limit_s)


EXPERTS: Final = ExpertRules()


@dataclass(frozen=True, slots=True)
class Nomination:
    """A board of its own in finals: a name in both languages, and the files that count on it. Empty: all of them."""

    name: str
    title: Mapping[str, str]
    languages: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()

    def takes(self, language: str, group: str) -> bool:
        """Say whether a file of this language and group (subject) counts on its board."""
        return (not self.languages or language in self.languages) and (not self.groups or group in self.groups)


@dataclass(frozen=True, slots=True)
class Parameters:
    """Parameters of a cycle (R 2.17, 5.8). A version is never changed, only followed by another."""

    version: int
    announced_at: Millis
    sessions_per_day: int
    time_limit_s: tuple[int, int, int]
    """Shortest, longest and usual time for an answer."""
    idle_timeout_s: int
    sends_per_file: int
    requests_per_second: int
    readiness_min_files: int
    readiness_min_share: float
    bootstrap_seed: int
    track: Any
    """The track's own parameters, completed by it: weights, hardness, limits, classifier …"""
    technical: RunRules = TECHNICAL
    technical_times: TechnicalTimes = TECHNICAL_TIMES
    final: RunRules = FINAL
    refusals_per_file: int = REFUSALS_PER_FILE
    """Number of bodies of a file that are no answers and are judged regardless of the team's rate."""
    body_s: int = BODY_S
    """Longest transfer of an answer's body, of any size, in seconds."""
    body_bytes_per_s: int = BODY_BYTES_PER_S
    """Least speed of a body for its answer to count from its headers, in bytes per second."""
    experts: ExpertRules = EXPERTS
    sessions_per_day_on: Mapping[str, int] = field(default_factory=dict)
    """Sessions a day by kind of set, for kinds with a limit and count of their own instead of ``sessions_per_day``."""
    submissions_per_day: int = 3
    """Most scored submissions of a team on a day."""
    unscored_per_day: int = 10
    """Most submissions of a team on a day that were refused or failed by their own fault."""
    nominations: tuple[Nomination, ...] = ()
    """Nominations in finals; as for every parameter, a final keeps those of the version under which it was planned."""
    least_hidden_items: int = 10
    """Least number of answered items of a hidden set, and of items in which answers differ, for showing totals."""
    modules_demanded: bool = False
    """True if only programs of the published modules may open sessions that count (D 6.14)."""

    def scores_as(self, other: Parameters) -> bool:
        """Return whether results by both versions are comparable: quotas and times change no score."""
        return self.track == other.track and self.bootstrap_seed == other.bootstrap_seed

    def rules_of(self, mode: Mode) -> RunRules:
        """Return the rules of a mode's runs."""
        return self.final if mode is Mode.FINAL else self.technical


@dataclass(frozen=True, slots=True)
class Version:
    """A version of the parameters and the moment from which it is in force, unless it was withdrawn before."""

    version: int
    effective_at: Millis
    withdrawn_at: Millis | None = None


@dataclass(frozen=True, slots=True)
class SetSource:
    """The place of a set's files, relative to the cycle's folder."""

    name: str
    folder: str
    kind: SetKind
    min_files: int = 0


@dataclass(frozen=True, slots=True)
class Document:
    """A document of the knowledge base: its address, and in ``ru`` and ``en`` its title and description."""

    title: Mapping[str, str]
    url: str
    about: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Cycle:
    """One cycle. ``version`` counts its changes; every write of it is conditional on the one read.

    ``parameters_version`` is in force before the first of ``versions``.
    """

    name: str
    title: Mapping[str, str]
    time_zone: str
    track: str
    languages: Mapping[str, tuple[str, ...]]
    """Groups (subjects) per language."""
    classifier: Any
    sets: tuple[EssaySet, ...]
    parameters_version: int
    loaded_at: Millis
    known_clients: tuple[str, ...] = ()
    """SHA-256 of the published participants' modules (R 4.3); empty if the file names none."""
    stages: tuple[Stage, ...] = ()
    working_days: WorkingDays = field(default_factory=WorkingDays)
    notices: Mapping[str, int] = field(default_factory=dict)
    """Days of notice periods by occasion, where they differ from the track's; 0: no period on this occasion."""
    protocols: tuple[Signatory, ...] | None = None
    """Signatories whose protocols are required to publish results; None: as in the contest's rules."""
    versions: tuple[Version, ...] = ()
    """Versions of the parameters with effective times, in the order of their numbers."""
    sets_changed_at: Millis | None = None
    """Time of the last change of a training or test set; None: not known to be later than ``loaded_at``."""
    modules_changed_at: Millis | None = None
    """Time of the last change of the published participants' modules; None: never since the cycle was first loaded."""
    knowledge_base: tuple[Document, ...] = ()
    """Documents that everybody reads beside the cycle, in their order (D 8.19)."""
    pages: tuple[Page, ...] = ()
    """The regulation and the knowledge base's pages, with all their versions."""
    earlier: str = ""
    """SHA-256 of the list of the contest's earlier cycles; empty if there are none."""
    ends_at_barrier: bool | None = None
    """True if a published final that overcomes the barrier ends the contest (R 4.8); None: the track decides."""
    about: Mapping[str, str] | None = None
    """Task of the contest, in both languages, shown on the front page. None: the track's."""
    prize: Mapping[str, str] | None = None
    """Prize in words, in both languages; None if no prize is announced."""
    kits: tuple[Kit, ...] = ()
    """The participants' kits that were published, the latest first; a loading leaves them as they are."""
    version: int = 0

    # Clause: R 5.8, platform §2 effective time
    def version_at(self, moment: Millis) -> int:
        """Return the version of the parameters in force at a moment: the last to take effect by then. O(versions)."""
        begun = [(version.effective_at, version.version) for version in self.versions if not version.withdrawn_at]
        in_force = [start for start in begun if start[0] <= moment]
        return max(in_force)[1] if in_force else self.parameters_version

    def at(self, moment: Millis) -> Cycle:
        """Return the cycle with the version in force at a moment as its parameters."""
        version = self.version_at(moment)
        return self if version == self.parameters_version else replace(self, parameters_version=version)

    def pending(self, moment: Millis) -> tuple[Version, ...]:
        """Return the versions that are still to take effect, the earliest first."""
        coming = (version for version in self.versions if not version.withdrawn_at and version.effective_at > moment)
        return tuple(sorted(coming, key=lambda version: (version.effective_at, version.version)))

    @property
    def last_version(self) -> int:
        """The greatest number that a version of the parameters has had."""
        return max([self.parameters_version, *(version.version for version in self.versions)])

    # Clause: R 4.1
    @property
    def selects(self) -> bool:
        """Return whether organizers decide which teams pass the selection."""
        return any(stage.decided for stage in self.stages)

    @property
    def calendar(self) -> Calendar:
        """Working days and time zone by which terms are counted."""
        return Calendar(self.time_zone, self.working_days)

    # Clause: R 4.3, R 11.4
    @property
    def known_modules(self) -> tuple[str, ...]:
        """SHA-256 of every published module: those named by the file, and those of the published kits."""
        return tuple(sorted({*self.known_clients, *(kit.listed.modules_sha256 for kit in self.kits)}))

    @property
    def open_sets(self) -> tuple[EssaySet, ...]:
        """Sets that participants may see."""
        return tuple(essay_set for essay_set in self.sets if essay_set.kind in OPEN_TO_ALL)

    def set_named(self, name: str) -> EssaySet | None:
        """Return the set of this name, if the cycle has one."""
        return next((essay_set for essay_set in self.sets if essay_set.name == name), None)


@dataclass(frozen=True, slots=True)
class Item:
    """One file of a set: facts for choosing and grouping, hashes for finding its content and references."""

    item_id: str
    language: str
    group: str
    content: str
    references: tuple[str, ...]
    """SHA-256 of each reference (an expert's markup), in the order of their names."""
    experts: tuple[int, ...] = ()
    """Numbers in these names, if they differ from 1, 2, …; else empty."""

    @property
    def files(self) -> tuple[tuple[str, str], ...]:
        """Names of the item's references as files of a set, with the SHA-256 of each."""
        numbers = self.experts or range(1, len(self.references) + 1)
        return tuple(
            (f"{self.item_id}_exp{number:02d}.json", digest)
            for number, digest in zip(numbers, self.references, strict=True)
        )


@dataclass(frozen=True, slots=True)
class Manifest:
    """All items of a set, in the order of their ids."""

    items: tuple[Item, ...]

    def sizes(self) -> dict[str, int]:
        """Return the number of items per language."""
        return dict(sorted(Counter(item.language for item in self.items).items()))

    def by_id(self) -> dict[str, Item]:
        """Return the items by their ids."""
        return {item.item_id: item for item in self.items}


# Clause: R 4.8
def ends_at_barrier(track: Track, override: bool | None) -> bool:
    """Return whether overcoming the barrier ends the contest: by the cycle's file, else by the contest's rule."""
    return track.policies(Mode.FINAL.value).ends_at_barrier if override is None else override


KEPT: Final = frozenset({Need.MISSED_WRONG, Need.SEVERAL_STEPS, Need.STEP_LIMITS, Need.OWN_SESSIONS})
"""Needs beyond the usual ones that the platform can fulfil."""
_PROMISES: Final[Mapping[str, type]] = {"answers": AnsweredInOneFile, "program": AnsweredByProgram}
"""Additional protocol that a track with submissions must implement, by the kind of submission."""
_IN_WORDS: Final[Mapping[Need, Text]] = {
    Need.MISSED_WRONG: tr("a missed item counts as wrong"),
    Need.QUOTA_SCORED: tr("only scored sessions use up the quota"),
    Need.SEVERAL_STEPS: tr("an item is answered in several steps"),
    Need.STEP_LIMITS: tr("a step has a time limit of its own"),
    Need.OWN_SESSIONS: tr("sessions have their own numbers, rhythm and time of scoring"),
    Need.SUBMISSIONS: tr("a whole set is answered by one submission"),
}


# Clause: TS T1
def unmet_needs(track: Track, parameters: Any) -> Iterator[Reason]:
    """List the needs of sessions of a cycle with these parameters of the track that the platform cannot fulfil.

    ``parameters`` are the track's, completed by it; None where they are not usable, and nothing is known of the steps.
    """
    steps = () if parameters is None else track.steps(parameters)
    modes = {*(mode.value for mode in Mode), *(mode.name for mode in track.modes())}
    demanded = frozenset[Need]().union(*(needs(track.policies(mode), steps) for mode in modes))
    for need in sorted(demanded - KEPT - _of_submissions(track), key=list(Need).index):
        en = tr(
            "the platform cannot play the track {name}: it does not keep {value} ({meaning})",
            name=track.name,
            value=need.value,
            meaning=_IN_WORDS[need],
        )
        yield Reason("track_not_playable", en, {"field": "track", "policy": need.value})


# Clause: TS T1, TS T13
def _of_submissions(track: Track) -> frozenset[Need]:
    """Return the needs fulfilled in addition for a track that defines how its submissions are read.

    The need that only scored ones use up the quota is fulfilled for submissions, not for sessions: a contest without
    sessions may ask for it.
    """
    kinds = [mode.submitted for mode in track.modes()]
    if not any(kinds) or not all(isinstance(track, _PROMISES[kind]) for kind in kinds if kind):
        return frozenset()
    return frozenset({Need.SUBMISSIONS, *([Need.QUOTA_SCORED] if all(kinds) else [])})


REGULATION: Final = "rules"
"""Name of the page with the regulation's text; every other page belongs to the knowledge base."""
PAGES_FOLDER: Final = "pages"
"""Folder of the pages' files beside the cycle's own: ``pages/NAME.ru.md`` and ``pages/NAME.en.md``."""
PAGE_LANGUAGES: Final = ("en", "ru")
MOST_PAGES: Final = 20
MOST_VERSIONS: Final = 50
"""Most versions of a page; a further one is refused, since no version is ever deleted."""
LONGEST_PAGE: Final = 200_000
"""Largest page in one language, in bytes."""
DEEPEST: Final = 32
"""Most levels of quotations and lists on a line; a level of a list is two blanks or a marker."""
_BEGINNING: Final = re.compile(r"(?:[ \t]|>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))*")
_MARKER: Final = re.compile(r"[>*+-]|\d+")


@dataclass(frozen=True, slots=True)
class PageVersion:
    """One version of a page: the time from which it holds, and the SHA-256 under which its texts are stored."""

    at: Millis
    sha256: str


@dataclass(frozen=True, slots=True)
class Page:
    """A page with all its versions, the earliest first; ``title`` in both languages is that of the last one."""

    name: str
    title: Mapping[str, str]
    versions: tuple[PageVersion, ...]

    def numbered(self, number: int | None) -> tuple[int, PageVersion] | None:
        """Return a version with its number, from 1, by default the last one; None where it has none of this number."""
        chosen = len(self.versions) if number is None else number
        return (chosen, self.versions[chosen - 1]) if 1 <= chosen <= len(self.versions) else None


def is_too_deep(text: str) -> bool:
    """Return whether a line is nested deeper than :data:`DEEPEST`: readers of Markdown take time and stack for each.

    O(characters).
    """
    for line in text.split("\n"):
        beginning = next(_BEGINNING.finditer(line)).group()
        blanks = beginning.count(" ") // 2 + beginning.count("\t") * 2
        if max(len(_MARKER.findall(beginning)), blanks) > DEEPEST:
            return True
    return False


# Clause: D 8.19
def published_pages(
    before: Sequence[Page], named: Mapping[str, tuple[Mapping[str, str], str]], now: Millis
) -> tuple[Page, ...]:
    """Return the pages after a loading that names these titles and texts; the same text makes no version."""
    pages = {page.name: page for page in before}
    for name, (title, sha256) in named.items():
        earlier = pages.get(name, Page(name, title, ()))
        is_same = bool(earlier.versions) and earlier.versions[-1].sha256 == sha256
        versions = earlier.versions if is_same else (*earlier.versions, PageVersion(now, sha256))
        pages[name] = replace(earlier, title=title, versions=versions)
    return tuple(pages[name] for name in sorted(pages, key=lambda name: (name != REGULATION, name)))
