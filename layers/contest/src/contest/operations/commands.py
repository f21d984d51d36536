"""Commands ``contest deadletters``, ``doctor``, ``cost``, ``check`` and ``log``."""

from __future__ import annotations

import base64
import csv
import io
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import click
from rich.markup import escape

from contest import routes
from contest.adapters.system import SystemClock
from contest.commands.shell import (
    as_json,
    code,
    complaint,
    console,
    end_with_json,
    in_language,
    show_json,
    show_rows,
    speak,
    table,
)
from contest.operations.rules import Ailment, Choice, Event, Line, Subject, bill, usual_final
from contest.people.commands import desk
from contest.run.rules.run import Check, CheckGrade
from contest.stored_names import LetterQueue
from contest.texts import CATALOGUE, say, tr
from contest.values import SECOND, Millis, from_iso
from markup_core.texts import RU, Text, language, localized, number
from tracks.command import spoken

QUEUES: Final = click.Choice([queue.value for queue in LetterQueue])
AILMENTS: Final = click.Choice([ailment.value for ailment in Ailment])
CHOICES: Final = click.Choice([choice.value for choice in Choice])
LEFT: Final = 3


@spoken.group()
def deadletters() -> None:
    """Jobs that failed for good: scores, records, audits, pushes, timers."""


@deadletters.command("list")
@click.option("--queue", type=QUEUES, help="Of this queue alone.")
@as_json
def listed(queue: str | None, *, raw: bool) -> None:
    """List the letters about which nobody has decided yet."""
    open_letters = list(desk().pages(routes.DEAD_LETTERS, "letters", {"queue": queue}, cursor="after"))
    end_with_json(raw, {"letters": open_letters})
    rows = []
    for letter in open_letters:
        about = ", ".join(f"{name} {value}" for name, value in letter["about"].items())
        times = str(letter["times"]), letter["first_at"], letter["last_at"]
        rows.append((letter["letter_id"], about, letter["error"], *times))
    show_rows(("letter", "about", "error", "times", "first", "last"), rows)


@deadletters.command("show")
@click.argument("letter_id")
def shown(letter_id: str) -> None:
    """Print LETTER_ID with its body as JSON."""
    show_json(desk().get(routes.DEAD_LETTER, letter_id=letter_id))


@deadletters.command("redrive")
@click.argument("letter_ids", nargs=-1)
@click.option("--queue", type=QUEUES, help="All of this queue.")
@click.option("--all", "whole", is_flag=True, help="All there are.")
def redriven(letter_ids: tuple[str, ...], queue: str | None, *, whole: bool) -> None:
    """Do the work of these letters again, of a queue's, or of all."""
    if sum((bool(letter_ids), queue is not None, whole)) != 1:
        raise click.UsageError(say("name letters, or --queue, or --all"))
    count, over = 0, list[str]()
    body = {"letter_ids": list(letter_ids) or None, "queue": queue}
    while True:
        outcome = desk().post(routes.REDRIVE_LETTERS, body)
        count += len(outcome["redriven"])
        over = outcome["passed_over"]
        if letter_ids or not outcome["redriven"]:
            break
    speak("{count} letters redriven, {remaining} left", count=count, remaining=outcome["left"])
    for letter_id in over:
        speak(
            "{letter_id}: a timer's run is not repeated, its next visit does the work; drop it when you know why",
            letter_id=letter_id,
        )


@deadletters.command("drop")
@click.argument("letter_id")
@click.option("--reason", required=True, help="Why; it is kept.")
def dropped(letter_id: str, reason: str) -> None:
    """Let LETTER_ID go: its job is not done again."""
    letter = desk().post(routes.DROP_LETTER, {"reason": reason}, letter_id=letter_id)
    click.echo(f"{letter_id} {code(letter['state'], 'letter')}")


@spoken.command()
@click.option("--mend", is_flag=True, help="Mend what can be mended, then look again.")
@click.option("--only", "ailments", multiple=True, type=AILMENTS, help="Of these ailments alone.")
@as_json
def doctor(ailments: tuple[str, ...], *, mend: bool, raw: bool) -> None:
    """Find what is stuck, say why and what mending would do; exit code 3 when something is left."""
    failed, mended_before = dict[tuple[str, str], str](), set[tuple[str, str]]()
    while mend:
        done = desk().post(routes.MEND, {"ailments": list(ailments) or None})["mended"]
        fresh = [mending for mending in done if mending["mended"]]
        for mending in fresh:
            click.echo(
                say("mended {ailment} {subject}", ailment=mending["ailment"], subject=mending["subject"]), err=True
            )
        failed |= {
            (mending["ailment"], mending["subject"]): mending["error"] for mending in done if not mending["mended"]
        }
        mended_now = {(mending["ailment"], mending["subject"]) for mending in fresh}
        if not fresh or mended_now <= mended_before:
            break
        mended_before |= mended_now
    body = desk().get(routes.FINDINGS)
    body["findings"] = [finding for finding in body["findings"] if not ailments or finding["ailment"] in ailments]
    _show_findings(body, failed, raw=raw)
    if body["findings"]:
        sys.exit(LEFT)


def _show_findings(body: dict[str, Any], failed: dict[tuple[str, str], str], *, raw: bool) -> None:
    end_with_json(raw, body)
    if not body["findings"]:
        speak("nothing is stuck")
        return
    rows = []
    for finding in body["findings"]:
        evidence = ", ".join(f"{name} {value}" for name, value in finding["evidence"].items())
        error = failed.get((finding["ailment"], finding["subject"]), "")
        action = f"{'--mend: ' if finding['mendable'] else ''}{in_language(finding, 'action')}\n{error}".strip()
        name, cause = f"{finding['ailment']}\n{finding['subject']}", f"{in_language(finding, 'cause')}\n{evidence}"
        rows.append((name, finding["since"] or "", cause, action))
    show_rows(("finding", "since", "why", "what to do"), rows, show_lines=True)


@spoken.command()
@click.option("--teams", type=click.IntRange(1, 10_000), required=True, help="Teams that take part in the final.")
@click.option("--files", "count", type=click.IntRange(1, 1_000), required=True, help="Files of the final.")
@click.option("--listening", type=click.IntRange(0, 10_000), help="Of them on the event channel; a fifth without it.")
@click.option("--days", type=click.IntRange(0, 3_660), default=30, show_default=True, help="For which it is deployed.")
@click.option(
    "--with", "choices", multiple=True, type=CHOICES, help="What the cycle's file switches on for all the days."
)
@click.option(
    "--armed-hours", type=spoken.FiniteRange(0, 100_000), default=0, help="For which executions are kept running."
)
@click.option("--prices", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Another price list.")
@as_json
def cost(  # noqa: PLR0913 -- the options of one command
    *,
    teams: int,
    count: int,
    listening: int | None,
    days: int,
    choices: tuple[str, ...],
    armed_hours: float,
    prices: Path | None,
    raw: bool,
) -> None:
    """Estimate what a final of so many teams and files costs, and the days for which the cycle is deployed."""
    from contest.operations import overview

    size = usual_final(teams, count)
    if listening is not None:
        size = replace(size, listening=listening)
    if size.listening > teams:
        raise click.UsageError(say("more teams are on the channel than take part"))
    listed_prices = json.loads(prices.read_text("utf-8")) if prices else overview.price_list()
    try:
        parts = {
            "final": bill(overview.final_counts(size), listed_prices["prices"]),
            "days": bill(
                overview.days_counts(days, {Choice(name) for name in choices}, armed_hours), listed_prices["prices"]
            ),
        }
        currency, region = str(listed_prices["currency"]), str(listed_prices["region"])
    except (KeyError, TypeError, ValueError) as error:
        raise complaint(
            "{value}: {error}; see operations/costs/prices.json", value=prices or "prices.json", error=error
        ) from None
    if raw:
        click.echo(json.dumps(_as_json(parts, currency, region), indent=2))
        return
    listing = table("", "what", "count", "price", "for", currency)
    names = {"final": say("final"), "days": say("days")}
    for name, lines in parts.items():
        for line in (line for line in lines if line.count):
            price = listed_prices["prices"][line.kind]
            what = price.get("what_ru", price["what"]) if language() == RU else price["what"]
            many = _grouped(f"{line.count:,.0f}" if line.count >= 1 else f"{line.count:.3g}")
            rate = _grouped(f"{price['price']:,.10f}".rstrip("0").rstrip(".")), _grouped(f"{price['per']:,}")
            listing.add_row(names[name], what, many, *rate, number(line.cost, 4))
    console.print(listing)
    for name, lines in parts.items():
        click.echo(f"{names[name]}: {number(sum(line.cost for line in lines), 2)} {currency}")
    whole = number(sum(line.cost for lines in parts.values() for line in lines), 2)
    speak(
        "{whole} {currency} in {region}: {teams} teams, {count} files, {days} days",
        whole=whole,
        currency=currency,
        region=region,
        teams=teams,
        count=count,
        days=days,
    )


def _grouped(figure: str) -> str:
    """Return a number with its thousands separated, as the language separates them."""
    return localized(Text(figure, figure.replace(",", "\N{NO-BREAK SPACE}").replace(".", ",")))


def _as_json(parts: dict[str, tuple[Line, ...]], currency: str, region: str) -> dict[str, Any]:
    lines = {
        name: [{"kind": line.kind, "count": line.count, "cost": line.cost} for line in part]
        for name, part in parts.items()
    }
    whole = sum(line.cost for part in parts.values() for line in part)
    return {"currency": currency, "region": region, "cost": whole, **lines}


FAILED: Final = 1
_OFF: Final[Millis] = 2 * SECOND
"""Milliseconds by which this machine's clock and the platform's may differ, beside the time of the request."""
_COLOURS: Final = {"ok": "green", "warning": "yellow", "failed": "red", "unknown": "dim"}


@spoken.command("check")
@click.option("--run", "run_id", help="A final; the next one without it.")
@as_json
def check(run_id: str | None, *, raw: bool) -> None:
    """Look the deployed cycle over before a final, and list the work that waits; exit code 1 when something failed."""
    client, clock = desk(), SystemClock()
    before = clock.now()
    body = client.get(routes.CHECK, {"run": run_id})
    own = [clock_of(before, clock.now(), from_iso(body["server_time"]))]
    if body["run_id"] is not None:
        own.append(commitment_of(client.get(routes.RUN, run_id=body["run_id"]), client.get(routes.KEYS)))
    rows = [*body["checks"], *map(_check_row, own)]
    waiting = client.get(routes.WAITING)
    if raw:
        report = {**body, "checks": rows, "waiting": waiting["waiting"], "deadline": waiting["deadline"]}
        show_json(report)
    else:
        listing = table("check", "grade", "what", show_lines=True)
        for row in rows:
            grade = f"[{_COLOURS[row['grade']]}]{code(row['grade'])}[/]"
            listing.add_row(row["name"], grade, escape(in_language(row)))
        console.print(listing)
        _print_waiting(waiting)
    if any(row["grade"] == CheckGrade.FAILED for row in rows):
        sys.exit(FAILED)


_SUBJECTS: Final = {
    Subject.JUDGEMENTS: tr("conclusions wait for a judge"),
    Subject.VERIFICATIONS: tr("conclusions wait for the commission"),
    Subject.ADMISSIONS: tr("qualified teams wait for admission"),
    Subject.APPLICATIONS: tr("applications wait for a decision"),
    Subject.QUESTIONS: tr("questions wait for an answer"),
    Subject.PROTOCOLS: tr("finals wait for a protocol"),
    Subject.RUNS: tr("runs go on or start within the hour"),
    Subject.LATE_EXPERTS: tr("experts are late"),
    Subject.DEAD_LETTERS: tr("jobs failed for good"),
    Subject.SILENT_TIMERS: tr("timers are silent"),
}
_EVENTS: Final = {
    Event.STAGE_BEGINS: tr("the stage begins"),
    Event.STAGE_ENDS: tr("the stage ends"),
    Event.RUN_STARTS: tr("the run starts"),
}


def _print_waiting(body: dict[str, Any]) -> None:
    """Print the work that waits with its oldest moment, and the next deadline."""
    rows = [row for row in body["waiting"] if row["count"]]
    if rows:
        cells = ((localized(_SUBJECTS[Subject(row["subject"])]), str(row["count"]), row["at"] or "") for row in rows)
        show_rows(("what", "count", "since"), cells)
    if body["deadline"] is not None:
        deadline = body["deadline"]
        event = localized(_EVENTS[Event(deadline["event"])])
        console.print(escape(f"{deadline['at']}: {event} ({deadline['name']})"))


def clock_of(before: Millis, after: Millis, there: Millis) -> Check:
    """Check whether the platform's clock agrees with this machine's: it answered between two moments of ours."""
    off = max(before - there, there - after, 0)
    en = tr("this machine's clock and the platform's differ by {off} ms beyond the request's own time", off=off)
    return Check("own_clock", CheckGrade.OK if off <= _OFF else CheckGrade.WARNING, en, {"difference_ms": off})


def commitment_of(run: dict[str, Any], keys: dict[str, Any]) -> Check:
    """Check whether a run's published commitment is signed with a published key and names the run's own times."""
    from contest.adapters.signatures import verifies
    from contest.values import canonical

    statement = run["commitment"]["statement"]
    public_keys = {key["key_id"]: (key["algorithm"], base64.b64decode(key["public_key"])) for key in keys["keys"]}
    where = {"root": statement.get("root"), "key_id": statement.get("key_id")}
    try:
        signature = base64.b64decode(run["commitment"]["signature"])
        holds = verifies(*public_keys[statement["key_id"]], signature, canonical(statement))
    except (KeyError, ValueError):
        holds = False
    grade, message = CheckGrade.OK, tr("the commitment is published and its signature holds")
    if not holds:
        grade, message = CheckGrade.FAILED, tr("the final's commitment is not signed by the platform")
    elif statement["run_id"] != run["run_id"]:
        grade, message = CheckGrade.FAILED, tr("the commitment is another run's")
    return Check("commitment", grade, message, where)


def _check_row(own_check: Check) -> dict[str, Any]:
    return {
        "name": own_check.name,
        "grade": own_check.grade.value,
        "message": own_check.message.en,
        "message_ru": own_check.message.ru,
        "where": dict(own_check.where),
    }


def deed(what: str) -> str:
    """Translate a log entry's words into the language of the present call; the part after a colon stays."""
    done, colon, more = what.partition(": ")
    whole, part = (CATALOGUE.word("deed", words) for words in (what, done))
    if language() != RU or whole.ru != whole.en:
        return localized(whole)
    return f"{part.ru}{colon}{code(more)}"


_LOG_PAGE: Final = 1000
_COLUMNS: Final = ("at", "who", "what", "subject")


@spoken.command()
@click.argument("day", required=False)
@click.option("--from", "first", metavar="DAY", help="The first of many days instead.")
@click.option("--to", "last", metavar="DAY", help="The last one; the first one without it.")
@click.option("--who", help="Whose changes: person:ID or command:NAME.")
@click.option("--what", help="Part of what was done.")
@click.option("--subject", help="What was changed: a team, a person, a run.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@click.option("--lines", "as_lines", is_flag=True, help="Print JSON, an entry a line.")
@as_json
def log(
    day: str | None, first: str | None, last: str | None, *, as_csv: bool, as_lines: bool, raw: bool, **by: str | None
) -> None:
    """Print what people changed on a DAY (UTC, 2026-11-22), or over days, by filters."""
    begins = day or first
    if begins is None or (day is not None and first is not None):
        raise click.UsageError(say("name a DAY, or --from and --to"))
    if sum((as_csv, as_lines, raw)) > 1:
        raise click.UsageError(say("choose one of --csv, --lines and --json"))
    order = {"from": begins, "to": last or begins, **by}
    if as_csv:
        click.echo("".join(_tables(order)), nl=False)
        return
    changes = [json.loads(line) for line in _lines(order)]
    if as_lines:
        click.echo("".join(f"{json.dumps(change, ensure_ascii=False)}\n" for change in changes), nl=False)
    elif raw:
        show_json({"changes": changes})
    else:
        translated = ({**change, "what": deed(change["what"])} for change in changes)
        show_rows(_COLUMNS, ([str(change[name] or "") for name in _COLUMNS] for change in translated))


def _lines(order: dict[str, str | None]) -> Iterator[str]:
    after: str | None = None
    while True:
        text = desk().text(routes.AUDIT_LINES, {**order, "limit": str(_LOG_PAGE), "after": after})
        page = text.split("\n")[:-1]  # splitlines would end a line at a separator inside a reason
        yield from page
        if len(page) < _LOG_PAGE:
            return
        after = json.loads(page[-1])["cursor"]


def _tables(order: dict[str, str | None]) -> Iterator[str]:
    """Yield the platform's CSV page by page, the header once."""
    after: str | None = None
    while True:
        text = desk().text(routes.AUDIT_CSV, {**order, "limit": str(_LOG_PAGE), "after": after})
        rows = list(csv.reader(io.StringIO(text, newline="")))
        yield text if after is None else text.partition("\r\n")[2]
        if len(rows) <= _LOG_PAGE:
            return
        after = rows[-1][0]
