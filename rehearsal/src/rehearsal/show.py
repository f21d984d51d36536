"""A rehearsal on the screen and as a report: injected faults, events, proved checks."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from rich.markup import escape
from rich.table import Table

from rehearsal.ending import Bill
from rehearsal.history import MINUTE, OPERATIONS, SECOND, STRANGERS, Call, Story, to_text
from rehearsal.play.wire import Fault
from rehearsal.proof.case import Case, Size
from rehearsal.proof.checker import PROMISES, promised, proof_of
from rehearsal.proof.checks_files import fates, processing
from rehearsal.proof.checks_results import Standing, standings
from rehearsal.proof.oracle import ESSAY, PROGRAMS
from rehearsal.stages import Outcome
from tracks.command.console import WholeConsole

Json = Any
_SHOWN: Final = 3  # counter-examples of a check that are shown; the report has all
_HEADED: Final = 2
"""Number of groups of counter-examples with their own heading: the first promise that failed, and all others."""
_MOMENT: Final = re.compile(r"(?<![0-9a-f])1[5-9][0-9]{11}(?![0-9a-f])")
"""Pattern of moments of these years, in milliseconds since the epoch; no id and no hash has such a form."""
_CALL: Final = re.compile(r"\bcall ([0-9]+)\b")
_FILE: Final = re.compile(r"(\S+), file ([0-9]+)\b")
_CAUSES: Final = ("answered", "team_late", "team_invalid", "network", "platform", "organizer_decision")


TEXTS: Final[Mapping[str, str]] = {
    "act.settling": "The results are made",
    "act.publishing": "The results are published",
    "act.looking_around": "Teams look at results, theirs and others'",
    "act.people": "Tokens are revoked, people suspended and dismissed, boards hidden",
    "act.qualification": "Teams qualify and are admitted",
    "act.other_runs": "Runs beside the final: a trial, one begun anew",
    "act.real_time": "Sessions in real time",
    "act.latency": "A trial with a slow network",
    "act.experts": "Experts mark up a run's answers",
    "act.attack": "A team tries to read out the hidden test set",
    "act.writing_down": "All that the platform holds is written down",
    "act.checking": "The checks",
    "fate.answered": "answered in time",
    "fate.team_late": "annulled: the team was late",
    "fate.team_invalid": "annulled: nothing valid came",
    "fate.network": "annulled: the team's connection was down",
    "fate.platform": "annulled: the platform's fault",
    "fate.organizer_decision": "annulled by the organizers",
    "promise.opened": "No file, and no word of it, is out before its opening",
    "promise.committed": "Files, order and times are those that were committed to",
    "promise.kept": "Nothing that was acknowledged is lost",
    "promise.deadlines": "Nothing late is accepted, nothing in time is refused",
    "promise.no_cost": "No fault of the platform costs a team a file or its time",
    "promise.hidden": "Nobody sees what is another's or hidden",
    "promise.limits": "Everybody has the same sessions, requests and submissions",
    "promise.admitted": "Teams qualify and are admitted by the rules",
    "promise.decided": "Organizers' decisions hold for everybody as they were taken",
    "promise.experts": "Experts mark up independently, and their markups count",
    "promise.scored": "Every answer that counts is scored once, against its own references",
    "promise.results": "Boards, reports and archive follow from what was played",
    "injected.stalled": "the platform slow for seconds",
    "injected.killed": "a process killed at a write",
    "injected.record_lost": "an answer's record on the stream lost for good",
    "injected.job_lost": "an answer's message in the queue lost for good",
    "injected.push_lost": "the pushes of a file over the event channel lost for good",
    "injected.step_lost": "a step towards record or board lost for good",
    "injected.crowd": "a crowd without good tokens at an opening",
    "injected.events": "events duplicated, delayed or dropped at random",
}


def sentence(name: str) -> str:
    """Return the text of a name; where there is none, its last part as words."""
    return TEXTS.get(name) or name.rpartition(".")[2].replace("_", " ")


def show(outcome: Outcome, *, details: bool = False) -> None:
    """Print the tables and the verdict; with ``details`` each check by itself."""
    console, summary = WholeConsole(), report(outcome)
    injected = [(sentence(f"injected.{name}"), str(times or "~")) for name, times in summary["injected"].items()]
    console.print(_table(("What was injected", "times"), injected or [("none", "0")]))
    if "programs" in summary:
        ends = [(sentence(f"end.{end}"), str(count)) for end, count in summary["programs"].items()]
        console.print(_table(("How submissions ended", "submissions"), ends))
        load = f"{summary['requests']} requests in {outcome.seconds:.1f} s, two days of the contest"
    else:
        files, schedule = Counter[str](summary["files"]), Case(outcome.story).schedule
        happened = [
            (sentence(f"fate.{cause}"), str(files[cause]), f"{files[cause] / max(1, files.total()):.1%}")
            for cause in _CAUSES
            if files[cause] or cause == "answered"
        ]
        console.print(_table(("What happened to the files", "files", "share"), happened))
        virtual = (schedule.opens_at(schedule.files) + schedule.total - schedule.starts_at) / MINUTE
        busiest = summary["requests_in_the_busiest_second"]
        load = f"{summary['requests']} requests of teams, {busiest} in their busiest second"
        load += f"; {outcome.seconds:.0f} s for {virtual:.0f} min of it"
    if outcome.kind == ESSAY and not outcome.is_outside:
        annulled = sum(solution["voided"] for solution in summary["solutions"])
        console.print(f"{annulled} solutions annulled (more than 5 % missed)", highlight=False)
    tried = {promise["name"]: (promise["tried"], promise["against"]) for promise in summary["promises"]}
    names = PROMISES if outcome.is_outside else tried
    promises = [_proved(sentence(f"promise.{name}"), *tried.get(name, (None, 0))) for name in names]
    console.print(_table(("", "what is promised", "cases", "against"), promises))
    if details:
        proved = [_proved(_words(outcome, check.name), check.examined, len(check.faults)) for check in outcome.checks]
        console.print(_table(("", "what is proved", "cases", "against"), proved))
    else:
        console.print(f"The {len(outcome.checks)} checks one by one: --details", highlight=False)
    lines = [*counter_examples(outcome, details=details), "Not exercised:"]
    lines += [f"– {_words(outcome, name)}: {why}" for name, why in _not_exercised(outcome).items()]
    for line in (*lines, *_operations(summary["operations"], details=details), load):
        console.print(escape(line), highlight=False)
    if not outcome.is_outside:
        _show_bill(console, outcome.bill)
    failed = sum(not check.passed for check in outcome.checks)
    verdict = f"RED: checks that failed: {failed}" if failed else "GREEN: every check passed"
    console.print(f"[bold {'red' if failed else 'green'}]{verdict}[/]", highlight=False)


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    table = Table(*headings)
    for row in rows:
        table.add_row(*row)
    return table


def _proved(words: str, tried: int | None, against: int) -> Sequence[str]:
    """Return the row of something that checks prove: how often it was tried, and how often it failed."""
    mark = "[red]✗[/]" if against else "[green]✓[/]" if tried else "–"
    silence = "not seen from outside" if tried is None else "not tried"
    return (mark, words, *((str(tried), str(against)) if tried or against else (silence, "–")))


def _show_bill(console: WholeConsole, bill: Bill) -> None:
    """Print the requests to the cloud, beside the estimate; those that follow from other kinds are estimated alone."""
    table = Table("asked of the cloud", "counted", "estimated", bill.currency)
    for kind, estimated in bill.estimated.items():
        times = bill.counted.get(kind)
        cost = f"{(estimated if times is None else times) * bill.prices[kind]:.6f}"
        table.add_row(sentence(f"kind.{kind}"), "" if times is None else f"{times:,.0f}", f"{estimated:,.4g}", cost)
    console.print(table)
    whole = {**bill.estimated, **bill.counted}
    costs = [f"{bill.cost(requests):.4f} {bill.currency}" for requests in (whole, bill.estimated)]
    text = f"Cost: {costs[0]} of what was counted, {costs[1]} estimated for a final without faults"
    console.print(text, highlight=False)


def _ends(outcome: Outcome) -> Counter[str]:
    """Count how submissions ended, private runs among them: by a state, or the cause of a failure."""
    items = outcome.story.facts.items.get("exchange", {})
    bodies = (json.loads(partition["STATE"]["body"]) for pk, partition in items.items() if pk.startswith("SUBMISSION#"))
    return Counter(str(body["cause"] or body["state"]) for body in bodies)


def _not_exercised(outcome: Outcome) -> Mapping[str, str]:
    """Return why something was not exercised, by the names of the checks that would have looked at it."""
    header = outcome.story.header
    tried = {check.name for check in outcome.checks if check.examined}
    return {name: why for name, why in proof_of(header).unexercised(Size.of(header)).items() if name not in tried}


def _words(outcome: Outcome, name: str) -> str:
    row = proof_of(outcome.story.header).checks.get(name)
    return name if row is None else row.words


def _operations(every: Sequence[Json], *, details: bool) -> Iterator[str]:
    """Yield how many operations of the interface were answered, and with ``details`` the names of the others."""
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


def report(outcome: Outcome) -> dict[str, Json]:
    """Return everything printed, and all counter-examples, as JSON."""
    story, bill = outcome.story, outcome.bill
    of_teams = [call for call in story.calls if call.team != STRANGERS]
    times = Counter(str(injection["what"]) for injection in story.injected)
    if Fault.EVENTS.value in story.header["faults"]:
        times["events"] = 0  # drawn by the pump and not counted one by one
    return {
        "format": 1,
        "rehearsal": dict(story.header),
        "green": outcome.green,
        "seconds": round(outcome.seconds, 1),
        "requests": len(of_teams),
        "requests_of_strangers": len(story.calls) - len(of_teams),
        "requests_in_the_busiest_second": max(Counter(call.sent_at // SECOND for call in of_teams).values(), default=0),
        "asked_of_the_cloud": dict(sorted(bill.counted.items())),
        "cost": {
            "currency": bill.currency,
            "counted": bill.cost({**bill.estimated, **bill.counted}),
            "estimated": bill.cost(bill.estimated),
        },
        "injected": dict(sorted(times.items())),
        **({"programs": dict(sorted(_ends(outcome).items()))} if outcome.kind == PROGRAMS else _of_run(outcome)),
        "not_exercised": list(_not_exercised(outcome)),
        "operations": story.facts.answers.get(OPERATIONS, []),
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
    """Return the fates of the files of a run. Too many missed ones annul a solution of essays alone; there is no
    standing where a session's status is missing, which the checks report."""
    case = Case(outcome.story)
    lateness, board_rows = processing(case), tuple[Standing, ...]()
    with suppress(KeyError):
        board_rows = standings(case) if outcome.kind == ESSAY and not outcome.is_outside else ()
    return {
        "files": dict(sorted(fates(case).items())),
        "solutions": [
            {
                "team": standing.team,
                "relative_accuracy": standing.accuracy,
                "voided_share": standing.share,
                "voided": standing.annulled,
            }
            for standing in board_rows
        ],
        "hand_out_after_opening_ms": {"max": lateness[-1] if lateness else None, "count": len(lateness)},
    }
