"""Codes of answers, the three stages with their steps and sessions, and a cycle's parameters.

Codes are the six diseases by ICD-10 (D 6.5), and the studies with their costs (D-App4, D-App1а 3); stages are those of
D 7.7–7.13, D-App3 and D 9.10.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from markup_core.comparable import in_latin
from markup_core.lazy import dataclass
from markup_core.reading.wire import short, writable
from markup_core.receipt import canonical_json
from tracks.base import GIVEN, is_number, of_parameters, reason
from tracks.capabilities import ArchiveRules
from tracks.protocol import Json, Missed, Need, Policies, Reason, Step, Text
from tracks.rules import LateJoin, ModeRules, NoticePeriod, Occasion, RunTimes, Signatory, Told
from tracks.texts import tr

HEALTHY: Final = "another"
"""The answer for a patient with none of the six (D-App3); written exactly so."""
_ICD_10: Final = re.compile(r"[A-Z][0-9]{2}")
_AS_PRINTED: Final[Mapping[str, str]] = MappingProxyType({"А19": "A19"})
"""D 6.5 spells this one code with a Cyrillic letter; a copy of it means the code of ICD-10."""


class Thresholds(NamedTuple):
    """Thresholds that the lower bounds of sensitivity and specificity must exceed, as fractions."""

    se: float
    sp: float


@dataclass(frozen=True, slots=True)
class Nosology:
    """One disease; ``codes`` are base parts, ``number`` is its name for earlier clients."""

    name: str
    title: Text
    codes: tuple[str, ...]
    thresholds: Thresholds
    number: int


# Clause: D 5.5, D 6.5
_LISTED: Final = (
    Nosology("tuberculosis", tr("Tuberculosis"), ("A15", "A16", "A19"), Thresholds(0.83, 0.87), 2),
    Nosology("lung_cancer", tr("Lung cancer"), ("C34",), Thresholds(0.83, 0.87), 1),
    Nosology(
        "bacterial_pneumonia", tr("Bacterial pneumonia"), ("J13", "J14", "J15", "J16", "J18"), Thresholds(0.82, 0.83), 3
    ),
    Nosology("viral_pneumonia", tr("Viral pneumonia"), ("J10", "J12", "U07"), Thresholds(0.82, 0.83), 4),
    Nosology("copd", tr("COPD"), ("J44",), Thresholds(0.83, 0.84), 5),
    Nosology("cteph", tr("CTEPH"), ("I27",), Thresholds(0.81, 0.88), 6),
)
NOSOLOGIES: Final[Mapping[str, Nosology]] = MappingProxyType({nosology.name: nosology for nosology in _LISTED})
NAMES: Final = tuple(NOSOLOGIES)
THRESHOLDS: Final[Mapping[str, Thresholds]] = MappingProxyType(
    {nosology.name: nosology.thresholds for nosology in _LISTED}
)
_BY_CODE: Final = MappingProxyType({code: nosology.name for nosology in _LISTED for code in nosology.codes})


def nosology_codes() -> list[dict[str, Json]]:
    """Return the diseases as they are published."""
    return [
        {
            "name": nosology.name,
            "title": {"en": nosology.title.en, "ru": nosology.title.ru},
            "codes": list(nosology.codes),
        }
        for nosology in _LISTED
    ]


# Clause: D 6.5, D 7.10.2
def base_part(code: str) -> str:
    """Return the code before its dot, in its own case (D 7.10.2); the misprint of D 6.5 is corrected."""
    base = code.partition(".")[0]
    return _AS_PRINTED.get(base, base)


def misprinted(code: str) -> bool:
    """Check whether the code is spelled as D 6.5 misprints it."""
    return code.partition(".")[0] in _AS_PRINTED


def intended(code: str) -> str | None:
    """Return the ICD-10 code that a text looks like and is not: by letters of the other alphabet, case or blanks.

    None for a code that is compared as it is meant, and for any other text.
    """
    base = base_part(code)
    clean = in_latin("".join(base.split()))
    if clean.casefold() == HEALTHY:
        return HEALTHY if base != HEALTHY else None
    return clean.upper() if base != clean.upper() and _ICD_10.fullmatch(clean.upper()) else None


# Clause: D 6.5
def nosology_of(code: str) -> str | None:
    """Return the name of a code's disease; None for every other code and for no code."""
    return _BY_CODE.get(base_part(code))


Costs = Mapping[str, float]
"""Units of work of a study by its code: the doctor's and the nurse's together."""


class Study(NamedTuple):
    """A row of the table: its query code, and the service codes under which it is returned."""

    query: str
    title: Text
    services: tuple[str, ...]


def _row(query: str, ru: str, en: str, *services: str) -> Study:
    return Study(query, Text(en=en, ru=ru), services or (query,))


# Clause: D-App4 instrumental
INSTRUMENTAL: Final = (
    _row("A03.09", "Бронхоскопия", "Bronchoscopy", "A03.09.001"),
    _row("A03.16", "Эзофагогастродуоденоскопия", "Oesophagogastroduodenoscopy", "A03.16.001"),
    _row("A03.30", "Эндоскопическое исследование внутренних органов", "Endoscopy of inner organs", "A03.30.006"),
    _row("A04.09", "Ультразвуковое исследование плевральной полости", "Ultrasound of the pleural cavity", "A04.09.001"),
    _row("A04.10", "Эхокардиография", "Echocardiography", "A04.10.002"),
    _row("A04.12", "УЗИ вен нижних конечностей", "Ultrasound of the leg veins", "A04.12.006.002"),
    _row("A04.16", "УЗИ органов брюшной полости", "Ultrasound of the abdomen", "A04.16.001"),
    _row("A04.21", "УЗИ предстательной железы", "Ultrasound of the prostate", "A04.21.001"),
    _row("A04.28", "УЗИ почек и надпочечников", "Ultrasound of kidneys and adrenal glands", "A04.28.001"),
    _row("A05.10", "Регистрация электрокардиограммы", "Electrocardiogram", "A05.10.006"),
    _row("A05.10", "Холтер", "Holter monitoring", "A05.10.008"),
    _row("A05.23", "МРТ головного мозга", "MRI of the brain", "A05.23.009.001"),
    _row("A06.03", "Рентгенография грудины", "X-ray of the sternum", "A06.03.024"),
    _row(
        "A06.08", "Рентгенография/КТ околоносовых пазух", "X-ray or CT of the sinuses", "A06.08.003", "A06.08.007.003"
    ),
    _row(
        "A06.09",
        "Рентген/КТ/флюорография лёгких",
        "X-ray, CT or fluorography of the lungs",
        "A06.09.001",
        "A06.09.005",
        "A06.09.006.001",
        "A06.09.007",
        "A06.09.007.002",
        "A06.09.008.001",
    ),
    _row("A06.12", "Ангиография", "Angiography", "A06.12.001.001", "A06.12.049", "A06.12.010"),
    _row("A06.16", "Рентген пищевода", "X-ray of the oesophagus", "A06.16.001.002"),
    _row("A06.20", "Маммография", "Mammography", "A06.20.004.006"),
    _row("A06.30", "КТ живота", "CT of the abdomen", "A06.30.005"),
    _row("A07.09", "Сцинтиграфия лёгких перфузионная", "Perfusion scintigraphy of the lungs", "A07.09.003"),
    _row(
        "A12.09",
        "Спирометрия и спирография",
        "Spirometry and spirography",
        "A12.09.001",
        "A12.09.002",
        "A12.09.002.001",
        "A12.09.002.002",
    ),
    _row("A12.09.005", "Пульсоксиметрия", "Pulse oximetry"),
)
# Clause: D-App4 laboratory
LABORATORY: Final = (
    _row("B03.005.006", "Коагулограмма", "Coagulogram"),
    _row("B03.016.003", "Развёрнутый клинический анализ крови", "Full blood count"),
    _row("B03.016.004", "Биохимический анализ крови", "Blood biochemistry"),
    _row("B03.016.006", "Анализ мочи", "Urine analysis"),
    _row("B03.016.011", "Исследование газов артериальной крови", "Arterial blood gases"),
    _row("A09.05.209", "Прокальцитонин", "Procalcitonin"),
    _row("A11.01.003", "Диаскинтест", "Diaskintest", "A11.01.003.001"),
    _row("A26.09.010", "Микроскопическое исследование мокроты на бактерии", "Sputum microscopy for bacteria"),
    _row("A26.30.028", "GeneXpert БАЛ", "GeneXpert, bronchoalveolar lavage"),
)


_STUDIES: Final = (*INSTRUMENTAL, *LABORATORY)
SERVICES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        study.query: tuple(code for row in _STUDIES if row.query == study.query for code in row.services)
        for study in _STUDIES
    }
)
"""Service codes returned for a query code. A05.10 stands in two rows: it asks for both (D 9.10.4)."""
RETURNED: Final = frozenset(service for services in SERVICES.values() for service in services)
"""Service codes that queries return."""


@dataclass(frozen=True, slots=True)
class StudyFiles:
    """Result of a request: the places of the matching files among the epicrisis' own, and the cost."""

    query: str
    files: tuple[int, ...]
    cost: float

    @property
    def present(self) -> bool:
        """Return whether the epicrisis has such a study."""
        return bool(self.files)


def study_codes() -> list[dict[str, Json]]:
    """Return the rows of the table as they are published; a query may stand in several."""
    return [
        {"query": study.query, "title": {"en": study.title.en, "ru": study.title.ru}, "services": list(study.services)}
        for study in (*INSTRUMENTAL, *LABORATORY)
    ]


# Clause: D 9.10.4, tracks §1 absent study
def request(query: str, services: Iterable[str], costs: Costs) -> StudyFiles:
    """Answer a request for a study of an epicrisis whose files hold these service codes, in their order (D 9.10.1.3.2).

    Every file that matches is returned and paid for. An absent study costs as if it were there: the cost of the query
    code itself in the organizer's table, or else the highest cost of its services, since one request asks for one
    study (D 9.10.3).

    Raises LookupError for a code that is not in the table of D-App4.
    """
    codes = SERVICES[query]
    matching = [(place, service) for place, service in enumerate(services) if service in codes]
    if matching:
        return StudyFiles(
            query, tuple(place for place, _ in matching), resource_cost((code for _, code in matching), costs)
        )
    absent = costs[query] if query in costs else max(costs.get(service, 0.0) for service in codes)
    return StudyFiles(query, (), absent)


# Clause: D-App1а (10), D-App1а 3
def resource_cost(codes: Iterable[str], costs: Costs) -> float:
    """Compute the cost of studies (D-App1а 3, formula 10): those missing in the organizer's table count 0."""
    return exact_sum(costs.get(code, 0.0) for code in codes)


def exact_sum(values: Iterable[float]) -> float:
    """Sum numbers as they are written: 0.1 + 0.2 is 0.3, in whatever order."""
    return float(sum((Fraction(repr(value)) for value in values), Fraction(0)))


# Clause: D 8.4.1, D 8.4.2, D 9.10.1.1
# Clause: D 4.1, D 7.12, D 9.10.1, D 9.10.1.2, D 9.10.1.3.1, D 9.10.1.4, D-App3
STEPS: Final[Mapping[str, tuple[Step, ...]]] = MappingProxyType(
    {
        "selection": (Step("v1", {"diagnosis": None}, limit_s=60),),
        "semifinal": (
            Step("v3", {"diagnosis": "v2"}, scheduled=True, unanswered="v2"),
            Step("v2", {"diagnosis": None}, scheduled=True),
        ),
        "final": (
            Step(
                "preliminary",
                {"preliminary": "studies", "study": "studies", "diagnosis": None, "refusal": None},
                limit_s=60,
            ),
            Step("studies", {"study": "studies", "diagnosis": None, "refusal": None}),
        ),
    }
)
"""Steps by stage.

The final's single minute (D 9.10.1.4) begins with v3F and holds for all that follows. A preliminary diagnosis may be
left out (D 9.10.5); after a study has been asked for it is too late, since it would no longer rest on v3F alone.
"""
# Clause: D 8.7, D 9.4
VERSIONS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {"selection": ("v1",), "semifinal": ("v3", "v2"), "final": ("v3F",)}
)
"""Versions of an epicrisis that an item of the stage holds (D 8.7, 9.4)."""


BY_SET: Final = "by_set"
"""Parameter ``stage`` of a cycle with sets of several stages: an item's versions determine its stage (D 9.12)."""


# Clause: TS D-0, D 9.12
def stage_of(versions: Iterable[str]) -> str | None:
    """Return the stage whose versions these are, all of them and no other; None if there is none."""
    names = set(versions)
    return next((stage for stage, required in VERSIONS.items() if names == set(required)), None)


# Clause: D 8.7, D 9.4
def stage_of_version(version: str) -> str:
    """Return the stage in which a version of an epicrisis is handed out; raise LookupError if there is none."""
    for stage, versions in VERSIONS.items():
        if version in versions:
            return stage
    raise LookupError(f"no stage has the version {version}")


# Clause: TS D-0
def stage_in(item: Json, stage: str) -> str:
    """Return the stage of a checked item in a cycle of this ``stage``: the cycle's, or by its versions."""
    return stage if stage != BY_SET else stage_of(item["versions"]) or stage


def steps_in(stage: str) -> tuple[Step, ...]:
    """Return the steps of a stage; of a cycle with sets of several stages all steps, none of which share a name."""
    return tuple(step for steps in STEPS.values() for step in steps) if stage == BY_SET else STEPS[stage]


# Clause: D 2.4, D 6.9, D 6.11, D 6.13.1, D 6.13.2, D 8.8, D 14.1
NOTICE_PERIODS: Final = (
    NoticePeriod(Occasion.PARAMETERS, 30, "D 2.4", before_event=True),
    NoticePeriod(Occasion.SETS, 10, "D 14.1"),
    NoticePeriod(Occasion.MODULES, 10, "D 14.1"),
    NoticePeriod(Occasion.SCHEDULE, 5, "D 8.8", working=True, modes=frozenset({"final"})),
    NoticePeriod(Occasion.TRIAL, 5, "D 6.9", working=True),
    NoticePeriod(Occasion.RESTART, 5, "D 6.13.2"),
    NoticePeriod(Occasion.NEW_DATE, 7, "D 6.13.1", working=True),
    NoticePeriod(Occasion.OWN_REPORTS, 1, "D 6.11", modes=frozenset({"final"})),
)
"""Notice periods in days, as the regulation counts them."""
# Clause: D 8.6, D 9.3
SIZES: Final[Mapping[str, int]] = MappingProxyType({"final": 100, "final:preliminary": 100, "final:v3": 500})
"""Least sizes of sets: 100 epicrises in the final, 500 in the semifinal (TS table of modes)."""
# Clause: D 1.16, D 14.5, D 14.7
ARCHIVE: Final = ArchiveRules(
    about=tr(
        "The teams' data of these trials (D 14.5, 14.7): every diagnosis and every request for a "
        "study that a system sent, what became of every file of every team, the record of the run "
        "and the board."
    ),
    left_out=(
        tr(
            "The epicrises and the studies: anonymised data of patients, handed out in the trials alone "
            "(D 1.3, 1.4, 12.5)."
        ),
        tr("The true diagnoses and the cells of single epicrises: the validation set has no diagnoses (D 8.6)."),
        tr("The clinicians' answers and comments, which stay in a closed data set (D 9.11)."),
        tr("The systems themselves: they are their teams' own (D 14.7)."),
    ),
    waits_at="v3",
)
"""Archive of the teams' data, the semifinal's too, published after the trials of the final (D 1.16, 14.5)."""
_FURTHER: Final = frozenset({Need.OWN_SESSIONS})
"""Sessions as D 7.7 and D-App3 describe them; epicrises of a trial stay closed (D 8.13)."""
_TEN_A_DAY: Final = 10
_ANSWER_LIMITS: Final[Mapping[str, tuple[int, int, int]]] = MappingProxyType(
    {"algorithmic": (60, 60, 60), "training": (10, 30, 30), "estimated-training": (10, 30, 30)}
)
_USUAL_LIMIT: Final = (30, 30, 30)
# Clause: TS D-3, D 6.7, D 13.2
_CHALLENGE: Final = RunTimes(
    interval_s=30, request_s=30, answer_s=30, total_s=30, join_s=0, late_join=LateJoin.BY_DECISION
)
"""A session is opened before the start; a later team takes part from then on if the organizers admit it."""
_SENDS: Final = 99
"""Most sends for a final's epicrisis: all studies of the table and two diagnoses; D limits the rate alone (12.8)."""


# Clause: TS T6, TS D-1, D 7.7
# Clause: D-App3 training, D-App3 training count, D-App3 training timeout, D-App3 estimated, D-App3 challenge
MODES: Final = (
    ModeRules("training", most=2000, usual=100, most_from=(("v1", 1),), sets=("training",), told_of_steps=Told.NEVER),
    ModeRules("algorithmic", most=1, sets=("test",)),
    ModeRules(
        "estimated-training",
        counts="nosologies",
        most=6,
        per_group=70,
        sets=("training",),
        told_at=Told.AT_NOON_AND_MIDNIGHT,
    ),
    ModeRules("final", in_run=True),
)
"""Kinds of sessions (D 7.6, 8.7; tracks-sessions T6). The challenges of the semifinal and of the final's stage 1 are
runs, which the platform names ``final`` in every contest. A session of the selection is one epicrisis, of either kind.
"""


# Clause: D 8.11, TS D-1
def policies(mode: str) -> Policies:
    """Return the policies of a mode: missed files, late joiners' included, are wrong (D 6.7, 8.11, 13.2).

    Ten sessions a day (D 7.13, D-App3). In training a session chooses 10 to 30 seconds per file, a challenge has 30,
    the algorithmic qualification 60 (D 7.12, D-App3). A limit of a step's own holds in every mode: the selection
    stage's in training too, the final's minute in its challenge. D limits missed files nowhere.
    """
    return Policies(
        missed=Missed.WRONG,
        sessions_per_day=_TEN_A_DAY,
        sends_per_file=_SENDS,
        answer_limit_s=_ANSWER_LIMITS.get(mode, _USUAL_LIMIT),
        run=_CHALLENGE,
        max_voided_share=1.0,
        preliminary=True,
        protocols={Signatory.JUDGES: "D 11.4", Signatory.COMMISSION: "D 11.2"},
        demanded=frozenset({Signatory.COMMISSION}),
        restarted_by="D 6.13",
        readiness=False,
        further=_FURTHER,
    )


# Clause: D-App1а (8)
Z: Final = 1.64
"""Quantile of the normal distribution for a one-sided interval of 95 % (D-App1а 2)."""
MOST_Z: Final = 10.0
MOST_UNITS: Final = 1e9
_UNITS: Final = frozenset({"doctor", "nurse"})
STAGES: Final = (*STEPS, BY_SET)
FILE_NAMES: Final[Mapping[str, str]] = {"Tuberkulez": "tuberculosis"}
"""Nosologies by their words in the names of epicrises' files, beside the track's own names: D 9.5 has this one."""
_KNOWN: Final = GIVEN | {"stage", "z", "thresholds", "admission", "costs", "file_names"}


@dataclass(frozen=True, slots=True)
class DiagnosisParameters:
    """A cycle's parameters in the form in which they are used."""

    stage: str
    z: float
    thresholds: Mapping[str, Thresholds]
    admission: Mapping[str, Thresholds]
    """Least Se and Sp, by nosology, with which a team stays in the semifinal's ranking (D-App1б)."""
    costs: Costs
    languages: Mapping[str, tuple[str, ...]]
    file_names: Mapping[str, str]

    @property
    def language(self) -> str:
        """Language of an epicrisis that names none: the cycle's first."""
        return next(iter(self.languages))


def complete(raw: Json) -> tuple[dict[str, Json], tuple[Reason, ...]]:
    """Complete the parameters by defaults; return the reasons if they cannot be used.

    ``stage`` must be given, one of the three or ``by_set``, where each set has its own. ``z`` is 1.64, ``thresholds``
    (``{nosology: {"se", "sp"}}``, fractions) are those of D 5.5 where they are not given; ``admission`` is of the same
    form, and empty without it: the organizers set no bounds (D-App1б). ``costs`` is
    ``{code: {"doctor": units, "nurse": units}}``, empty by default. ``file_names`` maps words in the names of
    epicrises' files to names of nosologies, beside :data:`FILE_NAMES` and the names themselves.
    """
    reasons = (*of_parameters(raw, _KNOWN), *(_faults(raw) if isinstance(raw, Mapping) else ()))
    if reasons:
        return {}, reasons
    thresholds = {name: {"se": bounds.se, "sp": bounds.sp} for name, bounds in THRESHOLDS.items()}
    return {
        "stage": raw["stage"],
        "z": float(raw.get("z", Z)),
        "thresholds": {**thresholds, **raw.get("thresholds", {})},
        "admission": {name: dict(bounds) for name, bounds in raw.get("admission", {}).items()},
        "costs": {code: dict(units) for code, units in raw.get("costs", {}).items()},
        "languages": {name: list(groups) for name, groups in raw.get("languages", {"rus": NAMES}).items()},
        "file_names": {**FILE_NAMES, **raw.get("file_names", {})},
    }, ()


def use(completed: Json) -> DiagnosisParameters:
    """Convert parameters that :func:`complete` has filled in to the form in which they are used."""
    return _used(canonical_json(completed))


@lru_cache(maxsize=32)
def _used(text: str) -> DiagnosisParameters:
    completed = json.loads(text)
    return DiagnosisParameters(
        stage=completed["stage"],
        z=completed["z"],
        thresholds={name: Thresholds(bounds["se"], bounds["sp"]) for name, bounds in completed["thresholds"].items()},
        admission={name: Thresholds(bounds["se"], bounds["sp"]) for name, bounds in completed["admission"].items()},
        costs=units_of(completed["costs"]),
        languages={name: tuple(groups) for name, groups in completed["languages"].items()},
        file_names=completed["file_names"],
    )


# Clause: D-App1а 3
def units_of(table: Mapping[str, Mapping[str, float]]) -> Costs:
    """Convert the organizer's table to costs: the doctor's and the nurse's units together (D-App1а 3)."""
    return {code: exact_sum(units.values()) for code, units in table.items()}


def cost_faults(table: Json) -> Iterator[Reason]:
    """Yield the faults of a table of costs."""
    if not isinstance(table, Mapping):
        yield reason("wrong_type", "costs", tr("costs must be an object, not {table}", table=short(table)))
        return
    for code, units in table.items():
        field = f"costs.{writable(str(code))}"
        whole = isinstance(units, Mapping) and units and set(units) <= _UNITS
        if not whole or not all(_number(number, 0, MOST_UNITS) for number in units.values()):
            yield reason(
                "invalid_costs",
                field,
                tr('{field} must be {{"doctor": units, "nurse": units}}, numbers from 0 on', field=field),
            )


def _faults(raw: Mapping[str, Any]) -> Iterator[Reason]:
    if raw.get("stage") not in STAGES:
        choices = ", ".join(STAGES)
        yield reason("unknown_stage", "stage", tr("stage must be one of {choices}", choices=choices))
    if not _number(raw.get("z", Z), 0, MOST_Z):
        yield reason("invalid_z", "z", tr("z must be a number from 0 to {most_z:g}", most_z=MOST_Z))
    yield from _threshold_faults("thresholds", raw.get("thresholds", {}))
    yield from _threshold_faults("admission", raw.get("admission", {}))
    yield from cost_faults(raw.get("costs", {}))
    yield from _language_faults(raw.get("languages", {"rus": NAMES}))
    file_names = raw.get("file_names", {})
    if not isinstance(file_names, Mapping) or not all(name in NAMES for name in file_names.values()):
        choices = ", ".join(NAMES)
        yield reason(
            "unknown_nosology",
            "file_names",
            tr("file_names must map words to the nosologies {choices}", choices=choices),
        )


def _threshold_faults(field: str, thresholds: Json) -> Iterator[Reason]:
    named = thresholds.items() if isinstance(thresholds, Mapping) else ()
    whole = all(
        name in NAMES
        and isinstance(bounds, Mapping)
        and set(bounds) == {"se", "sp"}
        and all(_number(value, 0, 1) for value in bounds.values())
        for name, bounds in named
    )
    if not whole or not isinstance(thresholds, Mapping):
        yield reason(
            "invalid_thresholds",
            field,
            tr(
                '{field} must give {{"se": fraction, "sp": fraction}} for some of {names}',
                field=field,
                names=", ".join(NAMES),
            ),
        )


def _language_faults(languages: Json) -> Iterator[Reason]:
    named = languages.values() if isinstance(languages, Mapping) else ()
    if not named or not all(
        isinstance(groups, list | tuple) and all(name in NAMES for name in groups) for groups in named
    ):
        names = ", ".join(NAMES)
        yield reason(
            "unknown_nosology",
            "languages",
            tr("each of the languages must list some of the nosologies {names}", names=names),
        )


def _number(value: Json, low: float, high: float) -> bool:
    """Check whether a JSON value is a number in these bounds."""
    return is_number(value) and low <= value <= high
