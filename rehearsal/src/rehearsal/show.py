"""A rehearsal on the screen and as a report: injected faults, events, proved checks."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from rich.markup import escape
from rich.table import Table

from rehearsal.ending import Bill
from rehearsal.final import Outcome
from rehearsal.history import OPERATIONS, STRANGERS, Call, Story
from rehearsal.messages import sentence
from rehearsal.moments import MINUTE, SECOND, to_text
from rehearsal.play.injections import Fault
from rehearsal.proof.case import Case, Check
from rehearsal.proof.checker import PROMISES, Size, promised, proof_of
from rehearsal.proof.checks_files import fates, processing
from rehearsal.proof.oracle import ESSAY, PROGRAMS
from rehearsal.proof.results import Standing, standings
from tracks.command.console import WholeConsole

Json = Any
_SHOWN: Final = 3
"""Counter-examples of a check that are shown; the report has all."""
_HEADED: Final = 2
"""Groups of counter-examples with a heading of their own: the first promise that failed, and all others."""
_MOMENT: Final = re.compile(r"(?<![0-9a-f])1[5-9][0-9]{11}(?![0-9a-f])")
"""Milliseconds since the epoch of these years; no id and no hash has such a form."""
_CALL: Final = re.compile(r"\bcall ([0-9]+)\b")
_FILE: Final = re.compile(r"(\S+), file ([0-9]+)\b")
_CAUSES: Final = ("answered", "team_late", "team_invalid", "network", "platform", "organizer_decision")


def show(outcome: Outcome, *, details: bool = False) -> None:
    """Print the tables and the verdict; with ``details`` each check by itself."""
    console = WholeConsole()
    console.print(_injected(outcome))
    if _is_of_programs(outcome):
        table = Table("How submissions ended", "submissions")
        for end, count in sorted(_ends(outcome).items()):
            table.add_row(sentence(f"end.{end}"), str(count))
        console.print(table)
        load = f"{len(_of_teams(outcome))} requests in {outcome.seconds:.1f} s, two days of the contest"
    else:
        case = Case(outcome.story)
        console.print(_happened(case))
        schedule = case.schedule
        virtual = (schedule.opens_at(schedule.files) + schedule.total - schedule.starts_at) / MINUTE
        calls, peak = len(_of_teams(outcome)), _peak(outcome)
        load = f"{calls} requests of teams, {peak} in their busiest second"
        load += f"; {outcome.seconds:.0f} s for {virtual:.0f} min of it"
    if _is_of_essays(outcome):
        annulled = sum(standing.annulled for standing in _standings(case))
        console.print(f"{annulled} solutions annulled (more than 5 % missed)", highlight=False)
    console.print(_promised(outcome.checks, outside=_is_outside(outcome)))
    if details:
        console.print(_proved(outcome))
    else:
        console.print(f"The {len(outcome.checks)} checks one by one: --details", highlight=False)
    for line in counter_examples(outcome, details=details):
        console.print(escape(line), highlight=False)
    console.print("Not exercised:", highlight=False)
    for name, why in _not_exercised(outcome).items():
        console.print(f"– {_words(outcome, name)}: {why}", highlight=False)
    for line in _operations(outcome, details=details):
        console.print(escape(line), highlight=False)
    console.print(load, highlight=False)
    if not _is_outside(outcome):
        bill = outcome.bill
        console.print(_asked(bill))
        whole = {**bill.estimated, **bill.counted}
        counted, estimated = (f"{bill.cost(requests):.4f}" for requests in (whole, bill.estimated))
        cost = f"{counted} {bill.currency} of what was counted, {estimated} {bill.currency} estimated"
        console.print(f"Cost: {cost} for a final without faults", highlight=False)
    failed = sum(not check.passed for check in outcome.checks)
    verdict = f"RED: checks that failed: {failed}" if failed else "GREEN: every check passed"
    console.print(f"[bold {'red' if failed else 'green'}]{verdict}[/]", highlight=False)


def _is_of_essays(outcome: Outcome) -> bool:
    """Return whether too many missed files annul a solution, which they do in no other contest."""
    return bool(outcome.story.header.get("stage", ESSAY) == ESSAY) and not _is_outside(outcome)


def _is_outside(outcome: Outcome) -> bool:
    """Return whether the platform ran elsewhere: neither its board nor its bill is known."""
    return bool(outcome.story.header.get("outside"))


def _is_of_programs(outcome: Outcome) -> bool:
    """Return whether programs were submitted, and nothing was handed out by a schedule."""
    return bool(outcome.story.header.get("stage", ESSAY) == PROGRAMS)


def _ends(outcome: Outcome) -> Counter[str]:
    """Count how submissions ended, private runs among them: by a state, or the cause of a failure."""
    items = outcome.story.facts.items.get("exchange", {})
    bodies = (json.loads(partition["STATE"]["body"]) for pk, partition in items.items() if pk.startswith("SUBMISSION#"))
    return Counter(str(body["cause"] or body["state"]) for body in bodies)


def _standings(case: Case) -> tuple[Standing, ...]:
    """Return the results of a replay; none where a session's status is missing, which the checks report."""
    try:
        return standings(case)
    except KeyError:
        return ()


def _not_exercised(outcome: Outcome) -> Mapping[str, str]:
    """Return why something was not exercised, by the names of the checks that would have looked at it."""
    header = outcome.story.header
    tried = {check.name for check in outcome.checks if check.examined}
    return {name: why for name, why in proof_of(header).unexercised(Size.of(header)).items() if name not in tried}


def _words(outcome: Outcome, name: str) -> str:
    """Return what a check proves, in words."""
    row = proof_of(outcome.story.header).checks.get(name)
    return name if row is None else row.words


def _operations(outcome: Outcome, *, details: bool) -> Iterator[str]:
    """Yield how many operations of the interface were answered, and with ``details`` the names of the others."""
    every = outcome.story.facts.answers.get(OPERATIONS, ())
    refused = [operation["name"] for operation in every if operation["refused"] and not operation["answered"]]
    never = [operation["name"] for operation in every if not operation["refused"] and not operation["answered"]]
    answered = f"{len(every) - len(refused) - len(never)} of {len(every)}"
    yield (
        f"– {answered} operations of the interface were answered with success, {len(refused)} only refused, "
        f"{len(never)} never asked"
    )
    for name, names in (("refused alone", refused), ("never asked", never)):
        if names and details:
            yield f"  {name}: {', '.join(names)}"


def counted(outcome: Outcome) -> Counter[str]:
    """Count the injections of each fault; those of events are drawn by the pump and not counted one by one."""
    times = Counter(str(injection["what"]) for injection in outcome.story.injected)
    if Fault.EVENTS.value in outcome.story.header["faults"]:
        times["events"] = 0
    return times


def _injected(outcome: Outcome) -> Table:
    table = Table("What was injected", "times")
    times = counted(outcome)
    for name in sorted(times):
        table.add_row(sentence(f"injected.{name}"), str(times[name] or "~"))
    if not times:
        table.add_row("none", "0")
    return table


def _happened(case: Case) -> Table:
    table = Table("What happened to the files", "files", "share")
    by_fate = fates(case)
    for cause in _CAUSES:
        if by_fate[cause] or cause == "answered":
            part = by_fate[cause] / max(1, by_fate.total())
            table.add_row(sentence(f"fate.{cause}"), str(by_fate[cause]), f"{part:.1%}")
    return table


def counter_examples(outcome: Outcome, *, details: bool) -> Iterator[str]:
    """Yield the lines about what failed, under the words of its promise: of the first promise that failed some
    counter-examples of each check, of the others, which may have failed because of it, one of each check; with
    ``details`` some of each check of all. Under each stands the call that showed it, where one did."""
    tried = promised(outcome.checks)
    broken = {promise: [check for check in tried_by if check.faults] for promise, tried_by in tried.items()}
    for place, (promise, failed) in enumerate((name, checks) for name, checks in broken.items() if checks):
        if place < _HEADED:
            yield "What failed besides, perhaps because of it:" if place else "What failed first:"
        yield f"✗ {sentence(f'promise.{promise}')}"
        for check in failed:
            most = _SHOWN if details or not place else 1
            for fault in check.faults[:most]:
                yield f"  {_words(outcome, check.name)}: {_in_one_notation(fault)}"
                if (call := _showing(outcome.story, fault)) is not None:
                    answer = " ".join(str(part) for part in (call.status, call.code) if part) or "no answer"
                    yield f"    {call.method} {call.path or ''} → {answer}, {to_text(call.sent_at)}"
            if len(check.faults) > most:
                yield f"  … {len(check.faults) - most} more"


def _in_one_notation(fault: str) -> str:
    """Return a counter-example whose moments are all written as texts."""
    return _MOMENT.sub(lambda moment: to_text(int(moment[0])), fault)


def _showing(story: Story, fault: str) -> Call | None:
    """Return the call that a counter-example names, or its team's last one about the file that it names."""
    if named := _CALL.search(fault):
        return next((call for call in story.calls if call.n == int(named[1])), None)
    if named := _FILE.match(fault):
        of_file = [call for call in story.calls if (call.team, call.number) == (named[1], int(named[2])) and call.path]
        return of_file[-1] if of_file else None
    return None


def _promised(checks: Sequence[Check], *, outside: bool) -> Table:
    """Return the table of promises: how often each was tried, and against how many of these it failed."""
    table = Table("", "what is promised", "cases", "against")
    for promise, tried_by in {**({name: [] for name in PROMISES} if outside else {}), **promised(checks)}.items():
        tried, against = sum(check.examined for check in tried_by), sum(len(check.faults) for check in tried_by)
        mark = "[red]✗[/]" if against else "[green]✓[/]" if tried else "–"
        silence = "not tried" if tried_by else "not seen from outside"
        row = (str(tried), str(against)) if tried or against else (silence, "–")
        table.add_row(mark, sentence(f"promise.{promise}"), *row)
    return table


def _proved(outcome: Outcome) -> Table:
    table = Table("", "what is proved", "cases", "against")
    for check in outcome.checks:
        mark = "[green]✓[/]" if check.passed else "[red]✗[/]"
        against = str(len(check.faults)) if check.examined or check.faults else "–"
        table.add_row(mark, _words(outcome, check.name), str(check.examined), against)
    return table


def _asked(bill: Bill) -> Table:
    """Return the requests to the cloud, beside the estimate; those that follow from other kinds are estimated alone."""
    table = Table("asked of the cloud", "counted", "estimated", bill.currency)
    for kind, estimated in bill.estimated.items():
        counted = bill.counted.get(kind)
        cost = f"{(estimated if counted is None else counted) * bill.prices[kind]:.6f}"
        numbers = ("" if counted is None else f"{counted:,.0f}", f"{estimated:,.4g}", cost)
        table.add_row(sentence(f"kind.{kind}"), *numbers)
    return table


def _peak(outcome: Outcome) -> int:
    """Return the most requests of teams in one second of the run."""
    return max(Counter(call.sent_at // SECOND for call in _of_teams(outcome)).values(), default=0)


def _of_teams(outcome: Outcome) -> Sequence[Call]:
    return [call for call in outcome.story.calls if call.team != STRANGERS]


def report(outcome: Outcome) -> dict[str, Json]:
    """Return everything printed, and all counter-examples, as JSON."""
    return {
        "format": 1,
        "rehearsal": dict(outcome.story.header),
        "green": outcome.green,
        "seconds": round(outcome.seconds, 1),
        "requests": len(_of_teams(outcome)),
        "requests_of_strangers": len(outcome.story.calls) - len(_of_teams(outcome)),
        "requests_in_the_busiest_second": _peak(outcome),
        "asked_of_the_cloud": dict(sorted(outcome.bill.counted.items())),
        "cost": {
            "currency": outcome.bill.currency,
            "counted": outcome.bill.cost({**outcome.bill.estimated, **outcome.bill.counted}),
            "estimated": outcome.bill.cost(outcome.bill.estimated),
        },
        "injected": dict(sorted(counted(outcome).items())),
        **({"programs": dict(sorted(_ends(outcome).items()))} if _is_of_programs(outcome) else _of_run(outcome)),
        "not_exercised": list(_not_exercised(outcome)),
        "operations": outcome.story.facts.answers.get(OPERATIONS, []),
        "promises": [
            {
                "name": promise,
                "tried": sum(check.examined for check in tried_by),
                "against": sum(len(check.faults) for check in tried_by),
                "checks": [check.name for check in tried_by],
            }
            for promise, tried_by in promised(outcome.checks).items()
        ],
        "checks": [
            {
                "name": check.name,
                "passed": check.passed,
                "cases": check.examined,
                "against": [_in_one_notation(fault) for fault in check.faults],
            }
            for check in outcome.checks
        ],
    }


def _of_run(outcome: Outcome) -> dict[str, Json]:
    """Return the fates of the files of a run."""
    case = Case(outcome.story)
    lateness = processing(case)
    return {
        "files": dict(sorted(fates(case).items())),
        "solutions": [
            {
                "team": standing.team,
                "relative_accuracy": standing.accuracy,
                "voided_share": standing.share,
                "voided": standing.annulled,
            }
            for standing in (_standings(case) if _is_of_essays(outcome) else ())
        ],
        "hand_out_after_opening_ms": {"max": lateness[-1] if lateness else None, "count": len(lateness)},
    }


def write_report(outcome: Outcome, path: Path, more: Mapping[str, Json]) -> None:
    """Write the report to a file."""
    path.write_text(json.dumps({**report(outcome), **more}, ensure_ascii=False, indent=1) + "\n", "utf-8")
