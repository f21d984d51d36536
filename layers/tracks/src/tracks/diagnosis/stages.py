"""The three stages: steps of an epicrisis, rules of each kind of session (D 7.7–7.13, D-App3, D 9.10; tracks.md §1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from tracks.archived import ArchiveRules
from tracks.notices import NoticePeriod, Occasion
from tracks.protocol import Json, Missed, Need, Policies, Step
from tracks.rules import LateJoin, ModeRules, RunTimes, Signatory, Text, Told

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

Clause: D 8.4.1, D 8.4.2, D 9.10.1.1
Clause: D 4.1, D 7.12, D 9.10.1, D 9.10.1.2, D 9.10.1.3.1, D 9.10.1.4, D-App3
"""
VERSIONS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {"selection": ("v1",), "semifinal": ("v3", "v2"), "final": ("v3F",)}
)
"""Versions of an epicrisis that an item of the stage holds (D 8.7, 9.4).

Clause: D 8.7, D 9.4
"""


BY_SET: Final = "by_set"
"""The parameter ``stage`` of a cycle with sets of several stages: an item's versions say which is its own (D 9.12)."""


def stage_of(versions: Iterable[str]) -> str | None:
    """The stage whose versions these are, all of them and no other; None where there is none.

    Clause: TS D-0, D 9.12
    """
    held = set(versions)
    return next((stage for stage, wanted in VERSIONS.items() if held == set(wanted)), None)


def stage_of_version(version: str) -> str:
    """The stage in which a version of an epicrisis is handed out; LookupError for no version of any.

    Clause: D 8.7, D 9.4
    """
    for stage, versions in VERSIONS.items():
        if version in versions:
            return stage
    raise LookupError(f"no stage has the version {version}")


def stage_in(item: Json, stage: str) -> str:
    """The stage of a checked item in a cycle of this ``stage``: the cycle's, or by its versions.

    Clause: TS D-0
    """
    return stage if stage != BY_SET else stage_of(item["versions"]) or stage


def steps_in(stage: str) -> tuple[Step, ...]:
    """The steps of a stage; of a cycle with sets of several stages the steps of all, none of which share a name."""
    return tuple(step for steps in STEPS.values() for step in steps) if stage == BY_SET else STEPS[stage]


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
"""Days ahead, as the regulation counts them.

Clause: D 2.4, D 6.9, D 6.11, D 6.13.1, D 6.13.2, D 8.8, D 14.1
"""
ARCHIVE: Final = ArchiveRules(
    about=Text(
        "The teams' data of these trials (D 14.5, 14.7): every diagnosis and every request for a study that a system "
        "sent, what became of every file of every team, the record of the run and the board.",
        "Совокупности данных команд за этот прогон (п. 14.5, 14.7): каждый диагноз и каждый запрос исследования, "
        "присланные СППВР, судьба каждого файла каждой команды, протокол прогона и лидерборд.",
    ),
    left_out=(
        Text(
            "The epicrises and the studies: anonymised data of patients, handed out in the trials alone (D 1.3, 1.4, "
            "12.5).",
            "Эпикризы и исследования: анонимизированные данные пациентов, которые выдаются только во время прогона "
            "(п. 1.3, 1.4, 12.5).",
        ),
        Text(
            "The true diagnoses and the cells of single epicrises: the validation set has no diagnoses (D 8.6).",
            "Истинные диагнозы и исходы по отдельным эпикризам: в валидационном датасете диагнозов нет (п. 8.6).",
        ),
        Text(
            "The clinicians' answers and comments, which stay in a closed data set (D 9.11).",
            "Ответы и комментарии клинических специалистов: они остаются в закрытом датасете (п. 9.11).",
        ),
        Text(
            "The systems themselves: they are their teams' own (D 14.7).",
            "Сами СППВР: они остаются интеллектуальной собственностью команд (п. 14.7).",
        ),
    ),
    waits_at="v3",
)
"""The teams' data are published after the trials of the final: the semifinal's wait for it (D 1.16, 14.5).

Clause: D 1.16, D 14.5, D 14.7
"""
_FURTHER: Final = frozenset({Need.OWN_SESSIONS})
"""Sessions as D 7.7 and D-App3 describe them; epicrises of a trial stay closed (D 8.13)."""
_TEN_A_DAY: Final = 10
_ANSWER_LIMITS: Final[Mapping[str, tuple[int, int, int]]] = MappingProxyType(
    {"algorithmic": (60, 60, 60), "training": (10, 30, 30), "estimated-training": (10, 30, 30)}
)
_USUAL_LIMIT: Final = (30, 30, 30)
_CHALLENGE: Final = RunTimes(
    interval_s=30, request_s=30, answer_s=30, total_s=30, join_s=0, late_join=LateJoin.BY_DECISION
)
"""A session is opened before the start; who comes later takes part from then on if the organizers admit it.

Clause: TS D-3, D 6.7, D 13.2
"""
_SENDS: Final = 99
"""A final's epicrisis may take every study of the table and two diagnoses; D limits the rate alone (12.8)."""


MODES: Final = (
    ModeRules("training", most=2000, usual=100, most_from=(("v1", 1),), sets=("training",), told_of_steps=Told.NEVER),
    ModeRules("algorithmic", most=1, sets=("test",)),
    ModeRules(
        "estimated-training",
        counts="nosologies",
        most=6,
        per_group=70,
        sets=("training",),
        told=Told.AT_NOON_AND_MIDNIGHT,
    ),
    ModeRules("final", in_run=True),
)
"""Kinds of sessions (D 7.6, 8.7; tracks-sessions T6). The challenges of the semifinal and of the final's stage 1 are
runs, which the platform names ``final`` in every contest. A session of the selection is one epicrisis, of either kind.

Clause: TS T6, TS D-1, D 7.7
Clause: D-App3 training, D-App3 training count, D-App3 training timeout, D-App3 estimated, D-App3 challenge
"""


def policies(mode: str) -> Policies:
    """Rules of a mode: what is missed, late joiners' files included, is wrong (D 6.7, 8.11, 13.2).

    Ten sessions a day (D 7.13, D-App3). In training a session chooses 10 to 30 seconds per file, a challenge has 30,
    the algorithmic qualification 60 (D 7.12, D-App3). A limit of a step's own holds in every mode: the selection
    stage's in training too, the final's minute in its challenge. D limits missed files nowhere.

    Clause: D 8.11, TS D-1
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
