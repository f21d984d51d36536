"""Stage 1 of the final: the trajectory from the preliminary diagnosis over studies to the end (D 9.10.1).

The steps and where each answer leads are :data:`tracks.diagnosis.stages.STEPS`; here is what the turns amount to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from tracks.diagnosis.answers import main_code
from tracks.diagnosis.items import services
from tracks.diagnosis.measures import exact_sum
from tracks.diagnosis.parameters import DiagnosisParameters
from tracks.diagnosis.stages import STEPS
from tracks.diagnosis.studies import Costs, Found, request
from tracks.protocol import Json, Turn, step_after

_STEPS: Final = STEPS["final"]
_LIMIT_MS: Final = 60_000


class End(StrEnum):
    """How the work on an epicrisis ended (D 9.10.1.4)."""

    DIAGNOSIS = "diagnosis"
    REFUSAL = "refusal"
    TIME_OUT = "time_out"


@dataclass(frozen=True, slots=True)
class Request:
    """A study asked for: what it brought, and when, in milliseconds from the publication (D 9.10.2)."""

    found: Found
    after_ms: int | None


@dataclass(frozen=True, slots=True)
class Trajectory:
    """All that a program did with an epicrisis; ``diagnosis`` is its canonical final answer, None without one."""

    preliminary: str | None
    requests: tuple[Request, ...]
    end: End
    diagnosis: Sequence[Mapping[str, str]] | None
    time_ms: int | None

    @property
    def cost(self) -> float:
        """Cost of all studies asked for, absent and repeated ones too (D 9.10.1.3.2); v3F itself costs nothing.

        Clause: D 9.10.1.3.2
        """
        return exact_sum(each.found.cost for each in self.requests)

    @property
    def explained(self) -> bool:
        """Whether interpretability, completeness and clarity can be more than zero (D 9.10.5).

        Clause: D 9.10.5
        """
        return self.preliminary is not None

    @property
    def code(self) -> str | None:
        """Main diagnosis; None where there is none."""
        return None if self.diagnosis is None else main_code(self.diagnosis)

    def to_dict(self) -> dict[str, Json]:
        """The trajectory as it is recorded and replayed for clinicians in stage 2 (D 9.10.2, 9.10.8.3).

        Clause: D 9.10.2
        """
        return {
            "preliminary": self.preliminary,
            "requests": [
                {
                    "study": each.found.query,
                    "found": each.found.present,
                    "files": list(each.found.files),
                    "cost": each.found.cost,
                    "after_ms": each.after_ms,
                }
                for each in self.requests
            ],
            "end": self.end.value,
            "diagnosis": None if self.diagnosis is None else [dict(each) for each in self.diagnosis],
            "explained": self.explained,
            "cost": self.cost,
            "time_ms": self.time_ms,
        }


def follow(turns: Sequence[Turn], services: Sequence[str], costs: Costs) -> Trajectory:
    """Replay valid turns over the studies of an epicrisis; without an end among them, the time ran out.

    A turn later than the minute is as if it had not come; at 60.000 s it still did. Raises LookupError for a turn that
    does not stand where the steps lead, and for one after the end.

    Clause: D 9.10.1, D 9.10.1.3.1, D 9.10.1.4
    """
    step: str | None = _STEPS[0].name
    preliminary: str | None = None
    requests: list[Request] = []
    last: Turn | None = None
    for turn in turns:
        if turn.after_ms is not None and turn.after_ms > _LIMIT_MS:
            break
        if turn.step != step:
            raise LookupError(f"the dialogue is at {step or 'its end'}, the turn belongs to {turn.step!r}")
        step = step_after(_STEPS, turn.step, turn.kind)
        if turn.kind == "preliminary":
            preliminary = turn.answer[0]["code"]
        elif turn.kind == "study":
            requests.append(Request(request(turn.answer["study"], services, costs), turn.after_ms))
        else:
            last = turn
    return _ended(preliminary, requests, last)


def respond(item: Json, turns: Sequence[Turn], rules: DiagnosisParameters) -> Json:
    """The files of the study asked for, or that the epicrisis has none (D 9.10.1.3.2); None for a diagnosis.

    Clause: D 9.10.1.3.2, D 9.10.4, tracks §1 absent study
    """
    if not turns or turns[-1].kind != "study":
        return None
    found = request(turns[-1].answer["study"], services(item), rules.costs)
    files = [{"number": number, **item["studies"][place]} for number, place in enumerate(found.files, start=1)]
    return {"study": found.query, "found": found.present, "files": files}


def _ended(preliminary: str | None, requests: Sequence[Request], last: Turn | None) -> Trajectory:
    if last is None:
        return Trajectory(preliminary, tuple(requests), End.TIME_OUT, None, None)
    end = End(last.kind)
    diagnosis = last.answer if end is End.DIAGNOSIS else None
    return Trajectory(preliminary, tuple(requests), end, diagnosis, last.after_ms)
