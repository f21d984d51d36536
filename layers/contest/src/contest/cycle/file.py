"""The models of ``cycle.json``, its only description, and their JSON Schema, ``cycle.schema.json`` beside them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from typing import Annotated, Any, Final, Literal, cast
from zoneinfo import ZoneInfo, available_timezones

from pydantic import AfterValidator, ConfigDict, Field, ValidationError, ValidationInfo, model_validator
from pydantic.json_schema import GenerateJsonSchema

from contest.cycle.rules.cycle import (
    ALL_LANGUAGES,
    BODY_BYTES_PER_S,
    BODY_S,
    EXPERTS,
    FINAL,
    LONGEST_ANSWER_S,
    MAX_FILES,
    MOST_BODY_S,
    MOST_PAGES,
    MOST_REPLACED,
    REFUSALS_PER_FILE,
    REQUESTS_PER_SECOND,
    TECHNICAL,
    TECHNICAL_TIMES,
    Document,
    ExpertRules,
    Nomination,
    Parameters,
    RunRules,
    SetKind,
    SetSource,
    TechnicalTimes,
)
from contest.cycle.rules.stages import ORDER, WEEKDAYS, Stage, WorkingDays, wrong_stages
from contest.cycle.wire.cycle import URL_FORM, Day, EarlierPart, FilePart, Name, PagePart, Told
from contest.refusals import Fault, from_reason
from contest.stored_names import CYCLE_FILE
from contest.texts import CATALOGUE, tr
from contest.values import Millis
from contest.wire import Demanded, NotBlank, Sha256, faults_of
from tracks import registry
from tracks.protocol import Policies, Reason
from tracks.rules import LateJoin, Occasion, RunTimes


def drop_undecided_default(schema: dict[str, Any]) -> None:
    """Remove from the schema a default that only stands for a value decided elsewhere."""
    del schema["default"]


class WithoutTitles(GenerateJsonSchema):
    """A schema whose fields have no titles beside their names."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 -- of no field
        """Return False for every field."""
        return False


_MOST_DAYS: Final = 1000
"""Most days that a calendar may name: three decades of holidays."""


def _once(days: list[str]) -> list[str]:
    if len(set(days)) < len(days):
        raise ValueError(days)
    return days


Days = Annotated[list[Day], Field(max_length=_MOST_DAYS), AfterValidator(_once)]


class StagePart(FilePart):
    """First and last day of a stage, both included, in the cycle's time zone; and the rule for other days' requests."""

    first: Day
    last: Day
    outside: Literal["refuse", "off_board", "take"] = Field(
        default="refuse",
        description="Requests outside the days: refused, kept off the board (qualification only), or accepted",
    )


class SelectionPart(StagePart):
    """Days of the selection, and how teams pass it."""

    decided: bool = Field(
        default=False, description="Teams pass by the organizers' decision on each (R 4.1); false: by their approval"
    )


def _stage(description: str) -> Any:
    return Field(default=None, description=description, json_schema_extra=drop_undecided_default)


class StagesPart(FilePart):
    """Stages of the cycle (R 2.28, 4.1), in this order and without overlaps."""

    selection: SelectionPart = _stage("Applications and admission of teams")
    qualification: StagePart = _stage("Algorithmic and technical qualification")
    final: StagePart = _stage("Final trials")
    results: StagePart = _stage("Experts' markups, results")

    def made(self) -> tuple[Stage, ...]:
        """Return the stages of the file, in their order."""
        named = ((name, getattr(self, name.value)) for name in ORDER if name.value in self.model_fields_set)
        return tuple(Stage(name, **part.model_dump()) for name, part in named)


Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]


class WorkingDaysPart(FilePart):
    """Calendar of the working days in which notice periods are counted."""

    weekend: Annotated[list[Weekday], Field(max_length=6), AfterValidator(_once)] = Field(
        default=["saturday", "sunday"], description="Days off every week"
    )
    holidays: Days = Field(default=[], description="Days off on any weekday")
    working_weekends: Days = Field(default=[], description="Weekend days that are working days")

    def made(self) -> WorkingDays:
        """Return the calendar's days."""
        weekend = tuple(sorted(WEEKDAYS.index(day) for day in self.weekend))
        return WorkingDays(weekend, tuple(sorted(self.holidays)), tuple(sorted(self.working_weekends)))


Notices = dict[Annotated[Occasion, Field(strict=False)], Annotated[int, Field(ge=0, le=_MOST_DAYS)]]
"""Days of notice periods by their occasions."""


def wrong_days(stages: StagesPart, days: WorkingDaysPart) -> Iterator[Reason]:
    """List the contradictions between days, each of which is valid by itself."""
    yield from wrong_stages(stages.made())
    free = {WEEKDAYS.index(day) for day in days.weekend}
    for day in days.working_weekends:
        if day in days.holidays:
            message = tr("{day} is a holiday and a working day", day=day)
            yield Reason("free_and_working", message, {"field": "working_days.working_weekends"})
        elif date.fromisoformat(day).weekday() not in free:
            message = tr("{day} is on no weekend: it is worked on anyway", day=day)
            yield Reason("not_on_a_weekend", message, {"field": "working_days.working_weekends"})


FILE: Final = CYCLE_FILE
SCHEMA: Final = "cycle.schema.json"
RULES: Final = "rules"  # name of the track's policies in the validation's context
_DAY_S: Final = 86_400
MOST_DOCUMENTS: Final = 40
"""Most documents of the knowledge base, which is stored and sent with the cycle: they have some 100 KB at most."""

Words = Annotated[str, NotBlank]
Group = Annotated[str, Field(min_length=1)]


def _of_the_track(least: int, greatest: int, description: str) -> Any:
    """Return the field of a whole number that the track sets where the file does not."""
    text = f"{description}; by default the track's"
    return Field(default=None, ge=least, le=greatest, description=text, json_schema_extra=drop_undecided_default)


def _known_zone(name: str) -> str:
    if name in available_timezones():
        return ZoneInfo(name).key
    raise ValueError(name)


def _one_language(name: str) -> str:
    if name == ALL_LANGUAGES:
        raise ValueError(name)
    return name


def _ascending(bounds: list[int]) -> list[int]:
    if bounds[0] > bounds[1]:
        raise ValueError(bounds)
    return bounds


class _Part(FilePart):
    """A part of the file, whose missing fields the track may set."""

    def said(self, name: str, usual: int) -> int:
        """Return the file's value of a field; the track's ``usual`` one where the file has none."""
        number: int = getattr(self, name) if name in self.model_fields_set else usual
        return number


class Title(_Part):
    """Name in both languages."""

    ru: Words
    en: Words


class DocumentPart(_Part):
    """A document of the knowledge base, published at its address and listed in the cycle."""

    title: Told
    url: str = Field(pattern=URL_FORM, max_length=500, description="An address, https://…")
    about: Told | None = Field(default=None, description="Subject of the document")

    # Clause: D 8.19, D 6.2.1
    def made(self) -> Document:
        """Return the document with its texts in both languages."""
        return Document(self.title.model_dump(), self.url, None if self.about is None else self.about.model_dump())


class TimeLimit(_Part):
    """Seconds for an answer in an algorithmic session (R 6.4)."""

    min: int = _of_the_track(1, LONGEST_ANSWER_S, "Shortest time that a program may choose, seconds")
    max: int = _of_the_track(1, LONGEST_ANSWER_S, "Longest time that a program may choose, seconds")
    default: int = _of_the_track(1, LONGEST_ANSWER_S, "Time where a program names none, seconds")

    @model_validator(mode="after")
    def _ordered(self, info: ValidationInfo) -> TimeLimit:
        shortest, longest, usual = self.completed(cast(Mapping[str, Any], info.context)[RULES])
        if not shortest <= usual <= longest:
            raise ValueError((shortest, longest, usual))
        return self

    def completed(self, rules: Policies) -> tuple[int, int, int]:
        """Return the shortest, longest and usual time."""
        shortest, longest, usual = rules.answer_limit_s
        return self.said("min", shortest), self.said("max", longest), self.said("default", usual)


Files = Annotated[int, Field(ge=1, le=MAX_FILES)]
Interval = Annotated[int, Field(ge=1, le=3600)]


class _RunPart(_Part):
    """Limits of a scheduled run (R 7.5, R-App2)."""

    request_s: int = _of_the_track(1, 3600, "Seconds to request a file from its opening")
    answer_s: int = _of_the_track(1, _DAY_S, "Seconds to answer from a file's hand-out")
    total_s: int = _of_the_track(1, _DAY_S, "Seconds to answer from a file's opening")
    join_s: int = _of_the_track(0, _DAY_S, "Seconds to open a session from the run's start")
    late_join: LateJoin | None = Field(
        default=None,
        strict=False,
        description="Teams that may open a session later: until_end all, by_decision those whom organizers admit "
        "(contest run admit), refused none; by default the contest's",
    )
    most_replaced: int = _of_the_track(0, MOST_REPLACED, "Items that reserve ones may replace (D 8.12)")

    # Clause: TS T8
    def _limits(self, usual: RunTimes) -> dict[str, Any]:
        """Return the limits of the cycle, or the contest's where the cycle names none."""
        names = ("request_s", "answer_s", "total_s", "join_s", "most_replaced")
        late = usual.late_join if self.late_join is None else self.late_join
        return {**{name: self.said(name, getattr(usual, name)) for name in names}, "late_join": late}


class TechnicalPart(_RunPart):
    """Schedule of technical runs, and the bounds between which their size and interval are drawn (R 6.6)."""

    enabled: bool = Field(default=TECHNICAL_TIMES.enabled, description="Whether there are technical runs")
    every_hours: int = Field(
        default=TECHNICAL_TIMES.every_hours, ge=1, le=168, description="Hours from one technical run to the next"
    )
    lead_s: int = Field(default=TECHNICAL_TIMES.lead_s, ge=0, le=_DAY_S, description="Seconds of notice before start")
    files: Annotated[list[Files], Field(min_length=2, max_length=2), AfterValidator(_ascending)] = Field(
        default=list(TECHNICAL.files), description="Least and greatest number of files"
    )
    interval_s: Annotated[list[Interval], Field(min_length=2, max_length=2), AfterValidator(_ascending)] = Field(
        default=list(TECHNICAL.interval_s), description="Least and greatest time between openings, seconds"
    )

    def rules(self, rules: Policies) -> RunRules:
        """Return the rules of technical runs."""
        (least, most), (shortest, longest) = self.files, self.interval_s
        return RunRules((least, most), (shortest, longest), **self._limits(rules.run))

    def times(self) -> TechnicalTimes:
        """Return the times at which technical runs begin."""
        return TechnicalTimes(self.enabled, self.every_hours, self.lead_s)


class FinalPart(_RunPart):
    """Rules of a final (R 7.5)."""

    interval_s: int = _of_the_track(1, 3600, "Seconds between openings")

    # Clause: TS T8
    def rules(self, rules: Policies) -> RunRules:
        """Return the rules of finals."""
        interval = self.said("interval_s", rules.run.interval_s)
        return RunRules(FINAL.files, (interval, interval), **self._limits(rules.run))


Check = Annotated[int, Field(ge=1, le=_DAY_S)]


class ExpertsPart(_Part):
    """Rules of experts' annotation of essays (R 7.10)."""

    limit_s: Check = Field(default=EXPERTS.limit_s, description="Seconds for a check, from its opening")
    limits_s: dict[Group, Check] = Field(
        default=dict(EXPERTS.limits_s), description="Seconds for a check by group (subject), where they differ"
    )
    autosave_s: int = Field(
        default=EXPERTS.autosave_s, ge=0, le=60, description="Least seconds between two saved drafts of an essay"
    )
    third_shown: bool = Field(
        default=EXPERTS.third_shown, description="Experts see the third expert's decision once results are published"
    )

    def rules(self) -> ExpertRules:
        """Return the rules of experts' work."""
        return ExpertRules(self.limit_s, dict(sorted(self.limits_s.items())), self.autosave_s, self.third_shown)


class NominationPart(_Part):
    """A separate board in finals, over the files of these languages and groups (subjects); empty lists include all."""

    name: Title
    languages: list[Name] = Field(default_factory=list, max_length=100)
    groups: list[Group] = Field(default_factory=list, max_length=100)

    def nomination(self, name: str) -> Nomination:
        """Return the nomination."""
        return Nomination(name, self.name.model_dump(), tuple(self.languages), tuple(self.groups))


class MeasurePart(_Part):
    """A custom measure: a program beside this file that scores answers (docs/tracks.md, custom)."""

    program: str | dict[str, Any] = Field(
        description="NAME.py or NAME.whl beside this file, or a container image by its digest, NAME@sha256:…; in a "
        "change of parameters the present one as the cycle describes it"
    )
    name: Title = Field(description="Name of the value on the board")
    unit: Literal["percent", "share", "points"] = Field("share", description="Per cent, share from 0 to 1, or points")
    better: Literal["higher", "lower"] = Field("higher", description="Which of two values is the better one")
    barrier: float | Literal["people"] | None = Field(
        None, description="A number to reach; people: their own references measured in the same way; null: none"
    )
    answer: dict[str, Any] = Field(description="JSON Schema of an answer: an object or a list; no patterns, no $ref")
    names: dict[str, Title] = Field({}, max_length=64, description="Names of counts and of further values, by key")
    seconds: int = Field(5, ge=1, le=10, description="Processor seconds of the program for one call")
    memory_mib: int = Field(256, ge=64, le=512, description="Memory of the program, MiB")


class ParametersPart(_Part):
    """Parameters of the platform, and beside them the track's own, which the track checks."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True, defer_build=True)

    sessions_per_day: int = _of_the_track(1, 10_000, "Sessions a team may open on a day (R 6.4)")
    sessions_per_day_on: dict[Annotated[SetKind, Field(strict=False)], Annotated[int, Field(ge=1, le=10_000)]] = Field(
        default_factory=dict,
        description="Sessions a day by kind of set, if they differ and are counted separately; by default the track's",
    )
    submissions_per_day: int = _of_the_track(1, 10_000, "Scored submissions of a team on a day (F)")
    unscored_per_day: int = _of_the_track(0, 10_000, "Submissions on a day that are refused or fail by their own fault")
    time_limit_s: TimeLimit = Field(default_factory=TimeLimit.model_construct)
    idle_timeout_s: int = Field(default=900, ge=1, le=_DAY_S, description="Seconds of silence that end a session")
    sends_per_file: int = _of_the_track(1, 99, "Answers to a file that are considered (R 11.5)")
    requests_per_second: int = Field(REQUESTS_PER_SECOND, ge=1, le=10_000, description="Requests of a team (D 12.8)")
    refusals_per_file: int = Field(REFUSALS_PER_FILE, ge=0, le=10_000, description="Refusals without delay")
    body_s: int = Field(BODY_S, ge=1, le=MOST_BODY_S, description="Seconds that an answer's body may take at most")
    body_bytes_per_s: int = Field(BODY_BYTES_PER_S, ge=1024, le=2**30, description="Least bytes of a body in a second")
    readiness_min_files: int = Field(30, ge=1, le=MAX_FILES, description="Files needed to conclude readiness")
    readiness_min_share: float = Field(default=0.95, ge=0, le=1, description="Share of files with valid answers")
    bootstrap_seed: int = Field(default=20_261_121, ge=0, le=2**63 - 1, description="Seed of the intervals in reports")
    least_hidden_items: int = Field(10, ge=1, le=1000, description="Least hidden items for totals to be shown (T10)")
    modules_demanded: bool = Field(False, description="Counted sessions are for published modules only (D 6.14)")
    technical: TechnicalPart = Field(default_factory=TechnicalPart)
    final: FinalPart = Field(default_factory=FinalPart)
    experts: ExpertsPart = Field(default_factory=ExpertsPart)
    nominations: dict[Name, NominationPart] = Field(
        default_factory=dict, max_length=20, description="Boards of finals besides those of all files and of languages"
    )
    measure: MeasurePart | None = Field(
        default=None, description="Measure of the contest `custom`", json_schema_extra=drop_undecided_default
    )

    @property
    def of_the_track(self) -> Mapping[str, Any]:
        """Fields that the track reads: those unknown to the platform, and the measure."""
        own = {} if self.measure is None else {"measure": self.measure.model_dump()}
        return {**(self.model_extra or {}), **own}

    def made(self, rules: Policies, track: Any, version: int, announced_at: Millis) -> Parameters:
        """Return a version of the cycle's parameters; ``track``: the track's own, completed by it."""
        # A number named for all kinds of sets, or only for some, replaces the track's numbers for all kinds.
        is_own = {"sessions_per_day", "sessions_per_day_on"} & self.model_fields_set
        own = {kind.value: most for kind, most in self.sessions_per_day_on.items()}
        by_kind = own if is_own else rules.sessions_per_day_on
        return Parameters(
            version=version,
            announced_at=announced_at,
            sessions_per_day=self.said("sessions_per_day", rules.sessions_per_day),
            sessions_per_day_on=dict(sorted(by_kind.items())),
            submissions_per_day=self.said("submissions_per_day", rules.submissions_per_day),
            unscored_per_day=self.said("unscored_per_day", rules.unscored_per_day),
            time_limit_s=self.time_limit_s.completed(rules),
            idle_timeout_s=self.idle_timeout_s,
            sends_per_file=self.said("sends_per_file", rules.sends_per_file),
            requests_per_second=self.requests_per_second,
            readiness_min_files=self.readiness_min_files,
            readiness_min_share=float(self.readiness_min_share),
            bootstrap_seed=self.bootstrap_seed,
            track=track,
            technical=self.technical.rules(rules),
            technical_times=self.technical.times(),
            final=self.final.rules(rules),
            refusals_per_file=self.refusals_per_file,
            body_s=self.body_s,
            body_bytes_per_s=self.body_bytes_per_s,
            experts=self.experts.rules(),
            least_hidden_items=self.least_hidden_items,
            modules_demanded=self.modules_demanded,
            nominations=tuple(part.nomination(name) for name, part in sorted(self.nominations.items())),
        )


class SetPart(_Part):
    """A set of files."""

    kind: Annotated[SetKind, Field(strict=False)]
    folder: Name = Field(
        default="",
        description="A folder beside this file; by default the set's name",
        json_schema_extra=drop_undecided_default,
    )
    min_files: int = Field(default=0, ge=0, le=1_000_000, description="With fewer files the set is refused")


class CycleFile(_Part):
    """A cycle of the contest."""

    schema_: str = Field(
        default="",
        alias="$schema",
        description="Address of this schema for editors",
        json_schema_extra=drop_undecided_default,
    )
    cycle: Name
    name: Title
    time_zone: Annotated[str, AfterValidator(_known_zone)] = Field(
        default="Europe/Moscow", description="Time zone of the IANA's list"
    )
    track: Name = Field(default=registry.DEFAULT, description="The contest")
    languages: dict[Annotated[Name, AfterValidator(_one_language)], Annotated[list[Group], Field(min_length=1)]] = (
        Field(min_length=1, description="Groups (subjects) per language")
    )
    classifier: Any = Field(default="default", description="Track's classifier: for essays `default` or the cycle's")
    known_clients: list[Sha256] = Field(
        default=[], description="SHA-256 of the published participants' modules (R 4.3)"
    )
    knowledge_base: list[DocumentPart] = Field(
        default=[],
        max_length=MOST_DOCUMENTS,
        description="Documents for teams and everybody else: recommendations, guides (D 8.19)",
    )
    pages: dict[Name, PagePart] = Field(
        default={},
        max_length=MOST_PAGES,
        description="Pages in Markdown, each in pages/NAME.ru.md and pages/NAME.en.md; `rules` is the regulation",
    )
    earlier_cycles: list[EarlierPart] = Field(default=[], max_length=20, description="Earlier cycles of the contest")
    ends_at_barrier: bool | None = Field(
        default=None, description="Whether a published final that overcomes the barrier ends the contest (R 4.8)"
    )
    about: Told | None = Field(default=None, description="The work of the contest, for the site's front page")
    prize: Told | None = Field(default=None, description="The prize in words, for the site's front page")
    stages: StagesPart = Field(default_factory=StagesPart.model_construct)
    working_days: WorkingDaysPart = Field(default_factory=WorkingDaysPart.model_construct)
    notices: Notices = Field(
        default={},
        description="Days of notice periods by occasion if not the contest's, counted like these; 0: none",
    )
    protocols: Demanded = None
    parameters: ParametersPart = Field(default_factory=ParametersPart.model_construct)
    sets: dict[Name, SetPart] = Field(min_length=1, description="Sets of files, by their names")

    def groups(self) -> dict[str, tuple[str, ...]]:
        """Return the groups of each language."""
        return {name: tuple(groups) for name, groups in self.languages.items()}

    def noticed(self) -> dict[str, int]:
        """Return the days of notice periods by the occasion's name, in the order of the names."""
        return {occasion.value: days for occasion, days in sorted(self.notices.items(), key=lambda pair: pair[0].value)}

    def sources(self) -> tuple[SetSource, ...]:
        """Return the folders of the sets' files, by the sets' names."""
        return tuple(
            SetSource(name, part.folder or name, part.kind, part.min_files) for name, part in sorted(self.sets.items())
        )


def track_name(raw: Any) -> str:
    """Return the track that the file names, as far as it can be read before the file is checked."""
    usual: str = CycleFile.model_fields["track"].default
    named = raw.get("track", usual) if isinstance(raw, dict) else usual
    return named if isinstance(named, str) else usual


def read(raw: Any, rules: Policies) -> tuple[CycleFile | None, tuple[Fault, ...]]:
    """Read the file's JSON value under the track's ``rules``; None exactly when there are faults, all of them."""
    try:
        return CycleFile.model_validate(raw, context={RULES: rules}), ()
    except ValidationError as error:
        return None, faults_of(error, FILE, schema())


def unknown_limits(experts: ExpertsPart, groups: Mapping[str, Sequence[str]]) -> Iterator[Reason]:
    """List faults: time limits of experts for groups that no language of the cycle has; ``groups`` by language."""
    known_groups = {group for of_language in groups.values() for group in of_language}
    for group in experts.limits_s:
        if group not in known_groups:
            en = tr("no language of the cycle has {group}, for which experts have a time limit", group=group)
            yield Reason("unknown_group", en, {"field": f"parameters.experts.limits_s.{group}"})


def unknown_nominated(
    nominations: Mapping[str, NominationPart], groups: Mapping[str, Sequence[str]]
) -> Iterator[Reason]:
    """List faults: languages and groups of nominations that the cycle does not have; ``groups`` by language."""
    allowed = {"languages": set(groups), "groups": {group for of_language in groups.values() for group in of_language}}
    for name, part in nominations.items():
        for field, names in (("languages", part.languages), ("groups", part.groups)):
            for unknown in sorted(set(names) - allowed[field]):
                message = tr("the cycle has no {unknown}", unknown=unknown)
                yield Reason("unknown_nominated", message, {"field": f"parameters.nominations.{name}.{field}"})


def contradictions(file: CycleFile) -> list[Fault]:
    """List the contradictions between fields, each of which is valid by itself."""
    days = wrong_days(file.stages, file.working_days)
    return [*_unknown_groups(file.parameters, file.groups()), *(from_reason(reason, FILE) for reason in days)]


def _unknown_groups(part: ParametersPart, groups: Mapping[str, Sequence[str]]) -> list[Fault]:
    reasons = (*unknown_limits(part.experts, groups), *unknown_nominated(part.nominations, groups))
    return [from_reason(reason, FILE) for reason in reasons]


def read_parameters(
    raw: Mapping[str, Any], rules: Policies, groups: Mapping[str, Sequence[str]]
) -> tuple[ParametersPart | None, list[Fault]]:
    """Read the file's parameters alone, under a cycle's groups by language; None if their form is wrong.

    Parameters unknown to the track are reported by the track itself, from :attr:`ParametersPart.of_the_track`.
    """
    try:
        part = ParametersPart.model_validate(dict(raw), context={RULES: rules})
    except ValidationError as error:
        return None, list(faults_of(error, FILE, schema(), under="parameters"))
    return part, _unknown_groups(part, groups)


def tracks_own(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return the file's parameters that the track reads."""
    platforms = ParametersPart.model_fields.keys() - {"measure"}
    return {name: value for name, value in raw.items() if name not in platforms}


@cache
def schema() -> dict[str, Any]:
    """Return the file's JSON Schema, made once; callers must not change it."""
    generated = CycleFile.model_json_schema(schema_generator=WithoutTitles)
    _translate(generated)
    return {"$schema": GenerateJsonSchema.schema_dialect, **generated}


def _translate(part: Any) -> None:
    """Add the Russian of each description in a part of the schema; the site's form shows both."""
    if isinstance(part, dict):
        if isinstance(described := part.get("description"), str):
            part["description_ru"] = CATALOGUE.word("parameter", described).ru
        part = list(part.values())
    if isinstance(part, list):
        for inner in part:
            _translate(inner)


def schema_text() -> str:
    """Return the JSON Schema as it is checked in."""
    return json.dumps(schema(), ensure_ascii=False, indent=1) + "\n"
