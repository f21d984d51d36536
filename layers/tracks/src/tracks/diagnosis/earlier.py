"""The vocabulary of the contest's earlier clients: stages, kinds of sessions, nosologies by number, bare answers.

The project's notes on the earlier exchange record the clients' messages; this module translates them for the track. A
client says numbers as numbers or as text.

Codes of reasons: ``unknown_contest``, ``unknown_stage``, ``unknown_session_type``, ``unknown_nosology``,
``bad_number``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final

from markup_core.lazy import dataclass
from tracks.capabilities import EarlierOrder
from tracks.diagnosis.answers import MAIN, SELECTION
from tracks.diagnosis.classifier import NOSOLOGIES
from tracks.diagnosis.stages import MODES, STEPS
from tracks.fields import reason
from tracks.protocol import Json, Reason
from tracks.texts import tr

CONTEST: Final = "doctor"
STAGES: Final[Mapping[str, str]] = {"qualifying": "selection", "semifinal": "semifinal", "final": "final"}
"""The clients' words for the stages."""
SESSION_TYPES: Final[Mapping[str, tuple[str, str]]] = {
    "training": ("training", "training"),
    "algorithmic": ("algorithmic", "test"),
    "estimated-training": ("estimated-training", "training"),
    "challenge": ("final", "final"),
}
"""The clients' kinds of sessions: the track's mode and the kind of set that it takes (D 7.6, D-App3)."""
_NUMBERED: Final = {str(nosology.number): nosology.name for nosology in NOSOLOGIES.values()}
_GROUPS: Final = "nosologies"


# Clause: TS D-13
def order(contest: Json, params: Mapping[str, Any]) -> tuple[EarlierOrder | None, tuple[Reason, ...]]:
    """Read an earlier client's order; None exactly when there are reasons.

    Where a run has chosen everything, what else the client says means nothing.
    """
    faults: list[Reason] = []
    if contest not in {None, CONTEST}:
        faults.append(_fault("unknown_contest", "contest", CONTEST))
    stage, session_type = params.get("stage"), params.get("sessionType")
    if not isinstance(stage, str) or stage not in STAGES:
        faults.append(_fault("unknown_stage", "stage", ", ".join(STAGES)))
    if not isinstance(session_type, str) or session_type not in SESSION_TYPES:
        faults.append(_fault("unknown_session_type", "sessionType", ", ".join(SESSION_TYPES)))
    if faults:
        return None, tuple(faults)
    mode, kind = SESSION_TYPES[str(session_type)]
    plain_order = EarlierOrder(mode, kind, STEPS[STAGES[str(stage)]][0].name)
    rules = next(candidate for candidate in MODES if candidate.name == mode)
    if rules.in_run:
        return plain_order, ()
    if stage == "qualifying":  # one epicrisis, and a minute for it (D 7.12)
        return EarlierOrder(mode, kind, plain_order.step, files=1), ()
    chosen = _Chosen(params)
    groups = chosen.nosologies() if rules.counts == _GROUPS else ()
    files = None if rules.draws_groups else chosen.whole("countFiles", rules.most)
    full_order = EarlierOrder(mode, kind, plain_order.step, files, groups, chosen.whole("time", 3600))
    return (None if chosen.faults else full_order), tuple(chosen.faults)


@dataclass(frozen=True, slots=True)
class _Chosen:
    """A client's choices, with all their faults."""

    params: Mapping[str, Any]
    faults: list[Reason] = field(default_factory=list)

    def whole(self, name: str, most: int) -> int | None:
        """Read a whole number from one, as a number or as text; None if absent or empty."""
        raw = self.params.get(name)
        if raw is None or raw == "":
            return None
        text = "" if isinstance(raw, bool) else str(raw)
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
        if not 1 <= number <= most:
            self.faults.append(
                reason("bad_number", name, tr("{name}: a number from 1 to {most}", name=name, most=most))
            )
        return number

    def nosologies(self) -> tuple[str, ...]:
        """Read ``nosologyString``, numbers with commas between; empty means all of them."""
        raw = self.params.get("nosologyString")
        if raw is None or raw == "":
            return ()
        numbers = [number.strip() for number in str(raw).split(",")]
        unknown = [number for number in numbers if number not in _NUMBERED]
        if unknown:
            self.faults.append(_fault("unknown_nosology", "nosologyString", ", ".join(sorted(_NUMBERED))))
            return ()
        return tuple(dict.fromkeys(_NUMBERED[number] for number in numbers))


def _fault(code: str, name: str, choices: str) -> Reason:
    return reason(code, name, tr("{name}: one of {choices}", name=name, choices=choices))


# Clause: TS D-13, D-App2
def answer(raw: Json, step: str) -> Json:
    """Convert a client's answer to the track's form at a step: in the selection stage a code has another field.

    What is not of the clients' form stays as it is, to be judged.
    """
    if step != STEPS["selection"][0].name or not isinstance(raw, list):
        return raw
    empty = dict.fromkeys(SELECTION.required, "")
    return [
        {**empty, "decorCode": MAIN, SELECTION.holds: entry["code"]}
        if isinstance(entry, Mapping) and set(entry) == {"decorCode", "code"} and entry["decorCode"] == MAIN
        else entry
        for entry in raw
    ]
