"""``pku doctor``: check this machine before a run: clock, latency, the solver's time, the disk, the platform.

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

from pku import config
from pku.answers import IN_RUNS, PublishedKit
from pku.config import Clock, Sample, ServerTime, parse_moment
from pku.errors import PkuError, of_system
from pku.exchange import Exchange
from pku.proof import PublicKey, fault_of
from pku.solvers import Contest, Solver, Task, contest_of

_RUSSIAN: Final = """\
Почему одни люди помогают незнакомым, а другие проходят мимо? Над этим вопросом задумывается автор текста.
Он рассказывает о старом враче, который каждую зиму ездил в дальнюю деревню, хотя его об этом никто не просил. \
Дорога занимала целый день, лошадь уставала, а платы врач не брал. Односельчане сначала смеялись над ним, потом \
привыкли, а потом стали ждать его приезда, как ждут праздника.
Позиция автора понятна: доброта не требует свидетелей и не ждёт награды. Я согласен с этой мыслью. Человек, который \
делает добро напоказ, на самом деле делает его для себя, и стоит зрителям отвернуться, как его рвение исчезает.
В подтверждение вспомню случай из жизни моего деда. Он работал машинистом и однажды остановил поезд, чтобы снять с \
насыпи раненую собаку. Начальство объявило ему выговор, а собака прожила у нас двенадцать лет. Дед никогда не \
рассказывал эту историю сам, мы узнали её от его товарищей.
Таким образом, настоящая доброта узнаётся по тому, что её не замечают. Она похожа на свет в окне: его видит только \
тот, кто идёт по тёмной дороге.
"""
_ENGLISH: Final = """\
Nowadays more and more teenagers learn foreign languages by watching series and playing games. Some people believe \
that this is the best way to learn, while others think that only lessons with a teacher give a result.
In my opinion, entertainment is a good helper but a poor teacher. To begin with, we remember words better when we meet \
them in a story we care about. Besides, films show how people really speak, with jokes, pauses and mistakes. Finally, \
nobody has to force himself to watch another episode, so the language becomes a part of every evening.
However, my opponents say that games and series are enough. They point out that many famous people learned a language \
without ever opening a textbook.
I cannot agree with them, because a viewer chooses what is easy. When a phrase is difficult, he looks at the picture \
and guesses, and the mistake stays with him for years. A teacher notices it at once and explains the rule behind it.
In conclusion, I am sure that a mixture of both ways works best: a lesson gives the skeleton of the language, and a \
good story makes it alive.
"""


_LANGUAGES: Final = {"rus": ["rus"], "eng": ["eng"]}
_TASK: Final = {
    "task": "Укажите номер слова, в котором ударение падает на последний слог.",
    "text": "",
    "choices": "1) договор\n2) торты\n3) банты",
    "additional_text": "",
}
_EXAM: Final = {
    "id": "sample-exam",
    "prompt": f"Выполните задание.\n{_TASK['task']}\n{_TASK['choices']}\nОтвет:",
    "instruction": "Выполните задание.\n{task}\n{text}\n{choices}\n{additional_text}\nОтвет:",
    "inputs": _TASK,
    "meta": {"id_task": "4", "score": 1, "type": "multiple_choice_independent_options"},
}
_SENTENCES: Final = ["My sister live in a old house .", "she likes it ."]
_GEC: Final = {"id": "sample-gec", "sentences": _SENTENCES, "tokens": " ".join(_SENTENCES).split()}
_EPICRISIS: Final = {
    "id": "sample-diagnosis",
    "version": "v2",
    "xml": "<ClinicalDocument><component><section><title>Жалобы</title><text>Одышка, утренний кашель с мокротой, "
    "свистящее дыхание.</text></section></component></ClinicalDocument>",
}
_SAMPLES: Final[Mapping[str, tuple[dict[str, Any], ...]]] = {
    "exam": (_EXAM,),
    "gec": (_GEC,),
    "diagnosis": (_EPICRISIS,),
}
_TEXTS: Final = {"rus": _RUSSIAN, "eng": _ENGLISH}


def samples_of(cycle: Mapping[str, Any], language: str = "all") -> tuple[dict[str, Any], ...]:
    """Return sample files of a cycle's contest as they are handed out, of essays one in each language or in this one.

    An essay's subject is the first that the cycle has in the language: a label set need not know the contest's own. Its
    text is English in a language of which the kit has none.
    """
    if cycle["track"] != "essay":
        return _SAMPLES.get(cycle["track"], ())
    meta = {"theme": "", "taskText": "", "class": "11", "year": 2026, "test": "", "category": ""}
    return tuple(
        {
            "meta": {**meta, "id": f"sample-{name}", "subject": subjects[0]},
            "criteria": {},
            "selections": [],
            "text": _TEXTS.get(name, _ENGLISH),
        }
        for name, subjects in cycle.get("languages", _LANGUAGES).items()
        if subjects and language in {"all", name}
    )


def name_of(content: Mapping[str, Any]) -> str:
    """Return a sample's name."""
    return str(content["meta"].get("id", "") if "text" in content else content["id"])


SAMPLES_TAKEN: Final = 16
REST_S: Final = 0.125
REQUEST_S: Final = 10.0
ANSWER_S: Final = 50.0
OFFSET_S: Final = 2.0
"""A clock that is further off makes the program's own logs misleading; the kit itself corrects for it."""
FREE_BYTES: Final = 100 * 1024 * 1024


class Verdict(Enum):
    """The verdicts of a check, from best to worst."""

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
    """The limits of a run, in seconds."""

    request_s: float = REQUEST_S
    answer_s: float = ANSWER_S

    # Clause: TS T16
    @classmethod
    def of_run(cls, run: Mapping[str, Any] | None, cycle: Mapping[str, Any]) -> Limits:
        """Return the limits of a run as the platform writes them; without a run those of the cycle's finals."""
        limits = (run or {}).get("limits") or cycle["parameters"]["final"]
        return cls(float(limits.get("request_s", REQUEST_S)), float(limits.get("answer_s", ANSWER_S)))


# Clause: TS T16
def answer_s_of(cycle: Mapping[str, Any], mode: str) -> float:
    """Return the usual time for an answer, in seconds, in a kind of session: a run's, or the cycle's default."""
    parameters = cycle["parameters"]
    return float(parameters[mode]["answer_s"] if mode in IN_RUNS else parameters["time_limit_s"]["default"])


def next_run(exchange: Exchange) -> Mapping[str, Any] | None:
    """Return the run that starts next or can still be joined; None if there is none."""
    listed = exchange.runs()
    now = parse_moment(listed["server_time"])
    alive = [run for run in listed["runs"] if run["state"] in {"planned", "running", "paused"}]
    joinable = [run for run in alive if parse_moment(run["join_until"]) >= now]
    return min(joinable, key=lambda run: str(run["starts_at"]), default=None)


def measure(
    exchange: Exchange, count: int = SAMPLES_TAKEN, on_sample: Callable[[], None] = lambda: None
) -> list[Sample]:
    """Ask the platform for its time so often; ``on_sample`` is called after every answer.

    The first exchange opens the connection and is left out. Between the others there is a rest: a team that asks more
    often than the platform allows is told to wait, and that would be measured as latency.
    """
    clock, samples = exchange.clock, []
    for _ in range(count + 1):
        sent = clock.now()
        server_time = parse_moment(exchange.cycle()["server_time"])
        samples.append(Sample(sent, server_time, clock.now()))
        on_sample()
        clock.sleep(REST_S)
    return samples[1:]


def check_clock(samples: Sequence[Sample]) -> Finding:
    """Compare this machine's clock with the platform's; a clock that is ahead gets a message of its own."""
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
    """Compare answer times with the time for a request: good below a tenth of it, a fault from a half on."""
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
    """Time the solver on the kit's samples of the contest; a fifth of the time for an answer should stay free."""
    longest, contest = 0.0, contest_of(cycle)
    for content in samples_of(cycle):
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
    """Return a solver's answer to a file, as it would be sent, and the seconds it took; :class:`PkuError` where it has
    none that would be taken."""
    started = clock.now()
    task = Task("sample", 1, name_of(content), content, started + answer_s, clock, contest)
    answer = contest.checked(solver.solve(task), content)
    return answer, clock.now() - started


def check_journals(folder: Path) -> Finding:
    """Check that journals can be written and that there is room for them."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"x")
            probe.flush()
            os.fsync(probe.fileno())
        free = shutil.disk_usage(folder).free
    except OSError as error:
        return Finding("journals_unwritable", Verdict.FAULT, {"path": folder, "why": of_system(error)})
    verdict = Verdict.GOOD if free >= FREE_BYTES else Verdict.FAULT
    return Finding("journals", verdict, {"path": folder, "free_mib": free // (1024 * 1024)})


def check_run(run: Mapping[str, Any] | None) -> Finding:
    """Report the next run, and until when it can be joined."""
    if run is None:
        return Finding("no_run", Verdict.GOOD, {})
    values = {name: run[name] for name in ("run_id", "mode", "starts_at", "interval_s", "join_until")}
    return Finding("run", Verdict.GOOD, values)


FORMAT: Final = 1


# Clause: R 4.3, R 11.4
def check_kit(exchange: Exchange, keys: Mapping[str, PublicKey]) -> Finding:
    """Compare this installation with the published list, whose signature is checked with the keys saved at login.

    Another version, or this version with changed files, is warned about; a list that the platform has not signed is a
    fault. Raises what the exchange raises.
    """
    published = exchange.kit()
    here = config.client_version()
    if published is None:
        return Finding("kit_unpublished", Verdict.GOOD, {"here": here})
    statement = published.statement
    is_known = (statement.get("kind"), statement.get("format")) == ("kit", FORMAT)
    if not is_known or fault_of(statement, published.signature, keys) is not None:
        return Finding("kit_unsigned", Verdict.FAULT, {"here": here})
    values = {"here": here, "version": published.version, "since": published.published_at}
    values |= {"command": install_command(exchange.base_url, published)}
    if published.version != here:
        return Finding("kit_other", Verdict.WARNING, values)
    if published.modules_sha256 != config.package_sha256():
        return Finding("kit_changed", Verdict.WARNING, values)
    return Finding("kit", Verdict.GOOD, values)


def install_command(base_url: str, published: PublishedKit) -> str:
    """Return the line that installs every wheel of the published kit; pip holds each to its SHA-256.

    All wheels by their addresses: pip would ask the public index for a name that the line leaves out.
    """
    files = published.packages.values()
    return " ".join(("pip install", *(f'"{base_url}/kit/{name}#sha256={sha256}"' for name, sha256 in files)))
