"""The platform's answers as immutable values. Unknown fields are ignored, missing ones are a fault of the API.

Times are kept as the platform writes them (ISO 8601, UTC, milliseconds) and as seconds where the client computes
with them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, field, fields
from typing import Any, Final, Self

from markup_core.lazy import dataclass
from pku.config import parse_moment

Json = Any
ALGORITHMIC: Final = "algorithmic"
IN_RUNS: Final = frozenset({"technical", "final"})
"""Modes whose sessions take part in a run, in every contest."""


class Answer:
    """An answer of the platform, or a part of one."""

    __slots__ = ()

    @classmethod
    def read(cls, raw: Json) -> Self:
        """Read it from the wire."""
        return cls._of(raw)

    @classmethod
    def _of(cls, raw: Json, /, **made: Json) -> Self:
        """Return the answer with each field that is not ``made`` by its name, whole numbers as such.

        KeyError for a missing field without a default.
        """
        values = dict(made)
        for one in fields(cls):  # type: ignore[arg-type]  # every answer is a dataclass
            if one.name not in made:
                value = raw[one.name] if one.default is MISSING else raw.get(one.name, one.default)
                values[one.name] = int(value) if one.type == "int" else value
        return cls(**values)


@dataclass(frozen=True, slots=True)
class Counts(Answer):
    """Files of a session by state; ``late`` is a part of ``voided``."""

    waiting: int
    open: int
    answered: int
    late: int
    voided: int


@dataclass(frozen=True, slots=True)
class DeliveryInfo(Answer):
    """One file of a session as its status shows it; times are None until it is handed out."""

    number: int
    file_id: str | None
    state: str
    handed_out_at: str | None
    answer_by: str | None
    sends: int
    cause: str | None


@dataclass(frozen=True, slots=True)
class SessionInfo(Answer):
    """A session; ``deliveries`` is empty where the platform only lists sessions. ``raw`` is the whole answer."""

    session_id: str
    mode: str
    set: str
    language: str
    files: int
    requested_files: int
    time_limit_s: int
    state: str
    opened_at: str
    counts: Counts | None
    deliveries: tuple[DeliveryInfo, ...]
    raw: Json
    run_id: str | None = None
    """The run that a technical or final session follows."""

    @property
    def is_scheduled(self) -> bool:
        """Return whether its files open by a schedule, for all teams at once."""
        return self.run_id is not None

    @property
    def is_open(self) -> bool:
        """Return whether files can still be asked for."""
        return self.state == "open"

    @classmethod
    def read(cls, raw: Json) -> Self:
        """Read it from the wire."""
        counts = Counts.read(raw["counts"]) if raw.get("counts") else None
        deliveries = tuple(DeliveryInfo.read(delivery) for delivery in raw.get("deliveries") or ())
        return cls._of(raw, counts=counts, deliveries=deliveries, raw=raw)


@dataclass(frozen=True, slots=True)
class NextInfo(Answer):
    """Status of the next file: ``available`` or ``waiting`` with its number and opening time, or ``complete``."""

    status: str
    server_time: str
    number: int | None = None
    opens_at: str | None = None
    run_state: str | None = None
    """State of the run that the session follows: ``planned``, ``running``, ``paused`` …; None without a run."""
    session_state: str = "open"

    @classmethod
    def read(cls, raw: Json) -> Self:
        """Read it from the wire."""
        info = cls._of(raw)
        for moment in (info.opens_at, info.server_time):
            if moment is not None:
                parse_moment(moment)  # times that cannot be read are found here, not in the middle of a run
        return info


@dataclass(frozen=True, slots=True)
class FileOut(Answer):
    """A file handed out; ``content`` is the essay without fragments.

    ``dialogue``: of a file that is answered in several turns, its step, what that takes, and all turns so far with what
    they brought back; None of any other.
    """

    number: int
    file_id: str
    handed_out_at: str
    answer_by: str
    server_time: str
    content: Json
    dialogue: Json = None

    @property
    def solver_input(self) -> Json:
        """Return the solver's input: the content, and in a dialogue its state beside the content's fields."""
        return self.content if self.dialogue is None else {**self.content, "dialogue": self.dialogue}

    @property
    def seconds_to_answer(self) -> float:
        """Time left for the answer when the platform answered, by the platform's own clock."""
        return parse_moment(self.answer_by) - parse_moment(self.server_time)

    @classmethod
    def read(cls, raw: Json) -> Self:
        """Read it from the wire."""
        file = cls._of(raw)
        file.seconds_to_answer  # noqa: B018  times that cannot be read are found here, not in the middle of a run
        return file


@dataclass(frozen=True, slots=True)
class Receipt(Answer):
    """The platform's signed promise about one answer. ``raw`` is ``{"receipt": …, "signature": …}`` as it came.

    ``coming``: which file is next, told beside the receipt and no part of it; None where the platform did not say, in
    a list of receipts or after the session's end.
    """

    number: int
    file_id: str
    send: int
    status: str
    received_at: str
    raw: Json
    decided_at: str | None = None
    """Time of the decision; None in receipts of the previous format."""
    coming: NextInfo | None = field(default=None, compare=False)
    dialogue: Json = field(default=None, compare=False)
    """State of the file's dialogue after the answer, sent beside the receipt; None where there is no dialogue."""

    @property
    def goes_on(self) -> bool:
        """Return whether the file takes another answer now; after one that is late or ignored none will count."""
        return self.status == "accepted" and self.dialogue is not None and self.dialogue["step"] is not None

    @classmethod
    def read(cls, raw: Json) -> Self:
        """Read it from the wire."""
        body, coming = raw["receipt"], raw.get("next")
        if not isinstance(raw["signature"], str):
            raise TypeError("signature")
        return cls._of(
            body,
            raw={name: raw[name] for name in ("receipt", "signature")},
            coming=None if coming is None else NextInfo.read(coming),
            dialogue=raw.get("dialogue"),
        )


@dataclass(frozen=True, slots=True)
class ReportAnswer:
    """A session's report, or how far its scoring is (``report`` is None and ``retry_after_s`` says when to ask)."""

    report: Json | None
    scored: int
    files: int
    retry_after_s: float


@dataclass(frozen=True, slots=True)
class Comparison(Answer):
    """A file's own markup, the experts' ones and the score record (training set only, R 6.5.3)."""

    answer: Json
    experts: tuple[Json, ...]
    score: Json

    @classmethod
    def read(cls, raw: Json) -> Self:
        """Read it from the wire."""
        return cls._of(raw, experts=tuple(raw["experts"]))


@dataclass(frozen=True, slots=True)
class Order:
    """Parameters of a new session; the platform caps ``files`` at the number of available files (R 6.4).

    ``files`` None: all there are. ``time_limit_s`` None: the cycle's usual one.
    In the modes that follow a run only ``run`` matters, the run's id; None joins the next one.
    """

    set: str = "train"
    files: int | None = None
    language: str = "all"
    time_limit_s: int | None = None
    mode: str = ALGORITHMIC
    run: str | None = None
    choices: Mapping[str, int] = field(default_factory=dict)
    """Further parameters that the contest offers to programs, by name: ``variants`` of an exam."""

    def to_wire(self) -> Mapping[str, Json]:
        """Return the body of the opening request, without the client's own description."""
        if self.mode in IN_RUNS:
            return {"mode": self.mode, "run": self.run}
        options = {"files": self.files, "time_limit_s": self.time_limit_s, "choices": dict(self.choices) or None}
        named = {name: value for name, value in options.items() if value is not None}
        return {"mode": self.mode, "set": self.set, "language": self.language, **named}


@dataclass(frozen=True, slots=True)
class SetPart(Answer):
    """A part of a data set, by its number from 1."""

    number: int
    sha256: str


@dataclass(frozen=True, slots=True)
class SetPack(Answer):
    """A data set as one zip: its bytes and its SHA-256."""

    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class DataSet(Answer):
    """A data set that may be had: how many files it has, what names its content, its parts, and ``size``, the bytes of
    all of them. ``pack`` where it may be had as one file, too."""

    name: str
    files: int
    sha256: str
    size: int
    parts: tuple[SetPart, ...]
    pack: SetPack | None

    @classmethod
    def read(cls, raw: Json) -> Self:
        """Read it from the wire."""
        # A platform from before there were packs says nothing of them.
        pack = SetPack.read(raw["pack"]) if raw.get("pack") else None
        size = sum(int(part["size"]) for part in raw["parts"])
        return cls._of(raw, size=size, parts=tuple(map(SetPart.read, raw["parts"])), pack=pack)


@dataclass(frozen=True, slots=True)
class PublishedKit(Answer):
    """The kit that the platform publishes: addresses' ends and SHA-256 of its packages by their names, and the
    statement that ``signature`` is over."""

    version: str
    modules_sha256: str
    published_at: str
    packages: Mapping[str, tuple[str, str]]
    statement: Json
    signature: str

    @classmethod
    def read(cls, raw: Json) -> Self:
        """Read it from the wire."""
        statement, signature = raw["statement"], str(raw["signature"])
        packages = {
            package["name"]: (str(package["file"]), str(package["sha256"])) for package in statement["packages"]
        }
        return cls._of(statement, packages=packages, statement=statement, signature=signature)
