"""``pku doctor``: is this machine ready for a run? Clock, latency, the solver's time, the disk, the platform.

Everything is measured against the limits of the next run, or R-App2's where none is announced: a request within 10 s of
an opening, an answer within 50 s of the hand-out.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Final

from pku.checks.doctor_samples import name_of, samples_of
from pku.clock import Clock, parse_moment
from pku.errors import PkuError
from pku.wire.answers import IN_RUNS
from pku.wire.exchange import Exchange
from pku.wire.timing import Sample, ServerTime
from pku.work.contests import Contest, contest_of
from pku.work.solvers import Solver, Task

SAMPLES_TAKEN: Final = 16
REST_S: Final = 0.125
REQUEST_S: Final = 10.0
ANSWER_S: Final = 50.0
OFFSET_S: Final = 2.0
"""A clock that is further off makes the program's own logs misleading; the kit itself corrects for it."""
FREE_BYTES: Final = 100 * 1024 * 1024


class Verdict(Enum):
    """How a check ended, from best to worst."""

    GOOD = "good"
    WARNING = "warning"
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: ``values`` fill the sentence ``doctor.{name}``, or ``doctor.{wording}`` where a name has several."""

    name: str
    verdict: Verdict
    values: Mapping[str, Any]
    wording: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run asks for, in seconds."""

    request_s: float = REQUEST_S
    answer_s: float = ANSWER_S

    @classmethod
    def of_run(cls, run: Mapping[str, Any] | None, cycle: Mapping[str, Any]) -> Limits:
        """The limits of a run as the platform writes them; without one those of the cycle's finals.

        Clause: TS T16
        """
        said = (run or {}).get("limits") or cycle["parameters"]["final"]
        return cls(float(said.get("request_s", REQUEST_S)), float(said.get("answer_s", ANSWER_S)))


def answer_s_of(cycle: Mapping[str, Any], mode: str) -> float:
    """The usual time for an answer in a kind of session of the cycle: a run's, or that of whoever names none.

    Clause: TS T16
    """
    parameters = cycle["parameters"]
    return float(parameters[mode]["answer_s"] if mode in IN_RUNS else parameters["time_limit_s"]["default"])


def next_run(exchange: Exchange) -> Mapping[str, Any] | None:
    """The run that starts next or can still be joined; None where there is none."""
    listed = exchange.runs()
    now = parse_moment(listed["server_time"])
    alive = [each for each in listed["runs"] if each["state"] in {"planned", "running", "paused"}]
    found = [each for each in alive if parse_moment(each["join_until"]) >= now]
    return min(found, key=lambda each: str(each["starts_at"]), default=None)


def measure(exchange: Exchange, count: int = SAMPLES_TAKEN, each: Callable[[], None] = lambda: None) -> list[Sample]:
    """Ask the platform for its time so often; ``each`` is called after every answer.

    The first exchange opens the connection and is left out. Between the others there is a rest: a team that asks more
    often than the platform allows is told to wait, and that would be measured as latency.
    """
    clock, samples = exchange.clock, []
    for _ in range(count + 1):
        sent = clock.now()
        written = parse_moment(exchange.cycle()["server_time"])
        samples.append(Sample(sent, written, clock.now()))
        each()
        clock.sleep(REST_S)
    return samples[1:]


def check_clock(samples: Sequence[Sample]) -> Finding:
    """This machine's clock against the platform's; told in other words where this one is ahead."""
    believed = ServerTime()
    for sample in samples:
        believed.observe(sample)
    offset = believed.best.offset if believed.best else 0.0
    verdict = Verdict.GOOD if abs(offset) <= OFFSET_S + believed.uncertainty() else Verdict.WARNING
    milliseconds = round(offset * 1000)
    values = {"offset_ms": milliseconds, "by_ms": abs(milliseconds)}
    values["uncertainty_ms"] = round(believed.uncertainty() * 1000)
    return Finding("clock", verdict, values, "clock" if milliseconds >= 0 else "clock_fast")


def check_latency(samples: Sequence[Sample], limits: Limits) -> Finding:
    """Answers' times against the time for a request: good below a tenth of it, a fault from a half on."""
    times = sorted(sample.round_trip for sample in samples)
    longest = times[-1]
    values = {
        "p50_ms": round(1000 * times[(len(times) - 1) // 2]),
        "p99_ms": round(1000 * times[-(-99 * len(times) // 100) - 1]),
        "max_ms": round(1000 * longest),
        "margin_s": round(limits.request_s - longest, 1),
        "limit_s": limits.request_s,
    }
    good, bearable = longest <= limits.request_s / 10, longest < limits.request_s / 2
    return Finding("latency", Verdict.GOOD if good else Verdict.WARNING if bearable else Verdict.FAULT, values)


def check_solver(solver: Solver, clock: Clock, limits: Limits, latency_s: float, cycle: Mapping[str, Any]) -> Finding:
    """The solver on the kit's samples of the contest against the time for an answer; a fifth should stay free."""
    longest, contest = 0.0, contest_of(cycle)
    for content in samples_of(cycle["track"]):
        try:
            longest = max(longest, try_out(solver, clock, content, limits.answer_s, contest)[1])
        except PkuError as error:
            return Finding("solver_failed", Verdict.FAULT, {"file": name_of(content), "error": error})
    margin = limits.answer_s - longest - latency_s
    verdict = Verdict.GOOD if margin >= limits.answer_s / 5 else Verdict.WARNING if margin > 0 else Verdict.FAULT
    values = {"longest_s": round(longest, 1), "margin_s": round(margin, 1), "limit_s": limits.answer_s}
    return Finding("solver", verdict, values)


def try_out(
    solver: Solver, clock: Clock, content: Mapping[str, Any], answer_s: float, contest: Contest
) -> tuple[str, float]:
    """A solver's answer to a file, as it would be sent, and how many seconds it took; :class:`PkuError` where it has
    none that would be taken."""
    started = clock.now()
    task = Task("sample", 1, name_of(content), content, started + answer_s, clock, contest)
    answer = contest.checked(solver.solve(task), content)
    return answer, clock.now() - started


def check_journals(folder: Path) -> Finding:
    """Whether journals can be written and there is room for them."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"x")
            probe.flush()
            os.fsync(probe.fileno())
        free = shutil.disk_usage(folder).free
    except OSError as error:
        return Finding("journals_unwritable", Verdict.FAULT, {"path": folder, "why": error.strerror or error})
    verdict = Verdict.GOOD if free >= FREE_BYTES else Verdict.FAULT
    return Finding("journals", verdict, {"path": folder, "free_mib": free // (1024 * 1024)})


def check_run(run: Mapping[str, Any] | None) -> Finding:
    """What comes next, and until when it can be joined."""
    if run is None:
        return Finding("no_run", Verdict.GOOD, {})
    values = {name: run[name] for name in ("run_id", "mode", "starts_at", "interval_s", "join_until")}
    return Finding("run", Verdict.GOOD, values)
