"""The three stages with their steps and sessions (D 7.7–7.13, D-App3, D 9.10), and a cycle's parameters."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

from markup_core.lazy import dataclass
from markup_core.reading.wire import short, writable
from markup_core.receipt import canonical_json
from tracks.capabilities import ArchiveRules
from tracks.diagnosis.classifier import NAMES, THRESHOLDS, Costs, Thresholds, exact_sum
from tracks.fields import GIVEN, is_number, of_parameters, reason
from tracks.protocol import Json, Missed, Need, Policies, Reason, Step
from tracks.rules import LateJoin, ModeRules, NoticePeriod, Occasion, RunTimes, Signatory, Told
from tracks.texts import tr

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
"""The parameter ``stage`` of a cycle with sets of several stages: an item's versions say which is its own (D 9.12)."""


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
"""Days ahead, as the regulation counts them."""
# Clause: D 8.6, D 9.3
SIZES: Final[Mapping[str, int]] = MappingProxyType({"final": 100, "final:preliminary": 100, "final:v3": 500})
"""A hundred epicrises of the final, five hundred of the semifinal (TS table of modes)."""
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
"""The teams' data are published after the trials of the final: the semifinal's wait for it (D 1.16, 14.5)."""
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
"""A session is opened before the start; who comes later takes part from then on if the organizers admit it."""
_SENDS: Final = 99
"""A final's epicrisis may take every study of the table and two diagnoses; D limits the rate alone (12.8)."""


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
"""What the names of epicrises' files call a nosology, beside the track's own names: D 9.5 has this one."""
_KNOWN: Final = GIVEN | {"stage", "z", "thresholds", "admission", "costs", "file_names"}


@dataclass(frozen=True, slots=True)
class DiagnosisParameters:
    """A cycle's parameters in the form in which they are used."""

    stage: str
    z: float
    thresholds: Mapping[str, Thresholds]
    admission: Mapping[str, Thresholds]
    """Of nosologies the least Se and Sp with which a team stays in the semifinal's ranking (D-App1б)."""
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
    ``{code: {"doctor": units, "nurse": units}}``, empty by default. ``file_names`` maps what the names of epicrises'
    files call a nosology to its name, beside :data:`FILE_NAMES` and the names themselves.
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
