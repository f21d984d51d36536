"""Public bodies of the cycle, its codes and its keys."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from pydantic import Field

from contest.cycle.rules.cycle import MAX_FILES, Cycle, EssaySet, Parameters, SetKind
from contest.cycle.rules.stages import Calendar, Outside, Stage, rule_outside
from contest.cycle.wire.cycle import PageVersionBody, ParametersBody
from contest.results.rules.leaderboard import End
from contest.results.rules.reports import described_parameters
from contest.results.wire.boards import Words
from contest.run.rules.commitment import Algorithm, ValidKey
from contest.submissions.rules import SubmissionKind
from contest.values import Millis
from contest.wire import DAY_FORM, NAME, Moment, ReplyBody, attribute, of_track
from tracks.rules import Called, ModeRules


class CycleSetBody(ReplyBody):
    """A set of files."""

    kind: Literal["training", "test"]
    files: int
    by_language: dict[str, int]


class LimitsBody(ReplyBody):
    """Bounds of what the API takes."""

    answer_bytes: int
    log_bytes: int
    files_per_session: int = Field(description="What a program may ask for at most where it says how many files")


class SessionSizeBody(ReplyBody):
    """How much a session over a set has."""

    most: int = Field(description="The most that a program may say")
    usual: int = Field(description="What it gets where it says nothing")


class ModeBody(ReplyBody):
    """A kind of sessions that the contest has."""

    mode: str
    counts: str = Field(
        description="By which choice a program says how much it wants: `files`, or groups of them by the contest's name"
    )
    most: int = Field(description="The most that it may say, over the set that allows most")
    usual: int = Field(description="What it gets of that set where it says nothing")
    sets: dict[str, SessionSizeBody] = Field(description="The same over each set that its sessions may draw from")
    in_run: bool = Field(description="Whether its sessions take part in a run, which has chosen everything")


class StageBody(ReplyBody):
    """A stage of the cycle: its days in the cycle's time zone, both included, and the moments that they mean."""

    name: Literal["selection", "qualification", "final", "results"]
    first: str = Field(pattern=DAY_FORM, examples=["2027-03-01"])
    last: str = Field(pattern=DAY_FORM, examples=["2027-05-31"])
    starts_at: Moment
    ends_at: Moment = Field(description="The first moment after it")
    outside: Literal["refuse", "off_board", "take"] = Field(
        description="Whether what belongs to the stage is refused outside its days, kept off the board, or taken"
    )
    message: str = Field(description="The same in words")
    message_ru: str


class CalledBody(ReplyBody):
    """What the contest calls its items, in the nominative and without a capital."""

    one: Words
    many: Words


class DocumentBody(ReplyBody):
    """A document of the knowledge base."""

    title: dict[str, str] = Field(examples=[{"ru": "Клинические рекомендации", "en": "Clinical guidelines"}])
    url: str
    about: dict[str, str] | None = None


class PageLine(ReplyBody):
    """A page with its versions, the earliest first."""

    name: str = Field(description="`rules` is the regulation; the others are the knowledge base")
    title: dict[str, str]
    versions: list[PageVersionBody]


class EndBody(ReplyBody):
    """The end of the contest (R 4.8): the final that overcame the barrier, by these teams' programs."""

    run_id: str
    at: Moment
    teams: list[str]


class EarlierRowBody(ReplyBody):
    """A row of a final's board; without a place it is a baseline."""

    place: int | None
    team: str
    value: float | None
    overcame: bool


class LinkBody(ReplyBody):
    """A published data set or archive."""

    name: str
    url: str


class EarlierCycleBody(ReplyBody):
    """An earlier cycle of the contest."""

    cycle: str
    title: dict[str, str]
    work: dict[str, str]
    first: str
    last: str
    teams: int
    best: float | None
    overcame: bool
    unit: str
    rows: list[EarlierRowBody]
    published: list[LinkBody]


class EarlierCyclesBody(ReplyBody):
    """Earlier cycles, the latest first."""

    cycles: list[EarlierCycleBody]


class CycleBody(ReplyBody):
    """The cycle: what is contested, by which parameters."""

    cycle: str = attribute("name")
    name: dict[str, str] = attribute("title", examples=[{"ru": "Пробный цикл", "en": "Trial cycle"}])
    track: str = of_track(NAME)
    items_called: CalledBody
    time_zone: str
    languages: dict[str, list[str]]
    knowledge_base: list[DocumentBody] = Field(description="Documents of the cycle, in their order")
    pages: list[PageLine]
    end: EndBody | None = Field(description="null: the contest goes on")
    about: dict[str, str] | None = Field(description="The work of the contest")
    prize: dict[str, str] | None = Field(description="In words")
    stages: list[StageBody]
    sets: dict[str, CycleSetBody]
    parameters: ParametersBody
    classifier: Any = Field(description="`default`, or the cycle's own; `GET /v1/classifier` has it in full")
    modes: list[ModeBody]
    submissions: list[SubmissionKind] = Field(description="Kinds of submissions that the contest takes; empty: none")
    limits: LimitsBody
    server_time: Moment


class ClassifierBody(ReplyBody):
    """What answers may name in the cycle: the track's codes with what they stand for in both languages."""

    cycle: str = attribute("name")
    track: str = of_track(NAME)
    parameters_version: int
    classifier: Any = of_track("classifier")


class KeyBody(ReplyBody):
    """A public key of receipts; what it signed is verified with it for ever, later keys or not."""

    key_id: str = attribute(
        "key.key_id",
        pattern="^[0-9a-f]{16}$",
        description="First 16 hexadecimal digits of the SHA-256 of the public key's bytes",
    )
    algorithm: Algorithm = attribute(
        "key.algorithm",
        description="`Ed25519` (RFC 8032), or `ES256`: ECDSA of P-256 with SHA-256, the signature 64 bytes of r and s",
    )
    public_key: str = Field(description="Base64 of 32 bytes (Ed25519) or of the uncompressed point, 65 bytes (ES256)")
    valid_from: Moment | None = attribute("since", description="When it first signed; null: it has signed nothing yet")
    valid_until: Moment | None = attribute("until", description="When the next key first signed; null for the last key")


class KeysBody(ReplyBody):
    """The keys that verify receipts."""

    keys: list[KeyBody]


# Clause: TS T6
def cycle_body(
    cycle: Cycle,
    parameters: Parameters,
    modes: Sequence[ModeRules],
    called: Called,
    end: End | None,
    bounds: tuple[int, int],
    now: Millis,
) -> CycleBody:
    """Return the cycle for everybody; the sets of finals are not named.

    ``bounds``: bytes of an answer and of a log.
    """
    kinds = [_mode(rules, cycle.open_sets) for rules in modes if not rules.submitted]
    most = max((kind.most for kind in kinds if kind.counts == "files" and not kind.in_run), default=MAX_FILES)
    return CycleBody.from_value(
        cycle,
        items_called=called,
        end=end,
        stages=[_stage_body(stage, cycle.calendar) for stage in cycle.stages],
        sets={
            essay_set.name: CycleSetBody(
                kind="training" if essay_set.kind is SetKind.TRAINING else "test",
                files=essay_set.size,
                by_language=dict(essay_set.sizes),
            )
            for essay_set in cycle.open_sets
        },
        parameters=described_parameters(parameters),
        modes=kinds,
        submissions=[SubmissionKind(rules.submitted) for rules in modes if rules.submitted],
        limits=LimitsBody(answer_bytes=bounds[0], log_bytes=bounds[1], files_per_session=most),
        server_time=now,
    )


def _mode(rules: ModeRules, sets: Sequence[EssaySet]) -> ModeBody:
    """Return a kind of session with its sizes as they are enforced over each set: one's items may allow fewer."""
    drawn = {
        essay_set.name: _size(rules.over(essay_set.first_step))
        for essay_set in sets
        if not rules.in_run and (not rules.sets or essay_set.kind.value in rules.sets)
    }
    widest = max(drawn.values(), key=lambda size: size.most, default=_size(rules))
    return ModeBody(
        mode=rules.name, counts=rules.counts, most=widest.most, usual=widest.usual, sets=drawn, in_run=rules.in_run
    )


def _size(rules: ModeRules) -> SessionSizeBody:
    return SessionSizeBody(most=rules.most, usual=rules.most if rules.usual is None else rules.usual)


def classifier_body(cycle: Cycle, listed: Any) -> ClassifierBody:
    """Return the codes of the cycle."""
    return ClassifierBody.from_value(cycle, classifier=listed)


def _stage_body(stage: Stage, calendar: Calendar) -> StageBody:
    rule = rule_outside(stage)
    return StageBody.from_value(
        stage,
        name=stage.name.value,
        starts_at=stage.starts_at(calendar),
        ends_at=stage.ends_at(calendar),
        outside=Outside(stage.outside).value,
        message=rule.en,
        message_ru=rule.ru,
    )


def keys_body(keys: Iterable[ValidKey]) -> KeysBody:
    """Return the keys for everybody."""
    return KeysBody(
        keys=[
            KeyBody.from_value(valid, public_key=base64.b64encode(valid.key.content).decode("ascii")) for valid in keys
        ]
    )
