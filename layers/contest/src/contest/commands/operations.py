"""``contest deadletters``, ``contest doctor``: asked of the platform as somebody who has signed in."""

from __future__ import annotations

import json
import sys
from typing import Any, Final

import click
from rich.markup import escape

from contest import routes
from contest.commands.options import as_json
from contest.commands.people import desk
from contest.commands.shell import console
from contest.commands.words import code, in_language, table
from contest.domain.operations.findings import Ailment
from contest.stored_names import LetterQueue
from markup_core.speaking import say
from tracks.command import spoken

QUEUES: Final = click.Choice([each.value for each in LetterQueue])
AILMENTS: Final = click.Choice([each.value for each in Ailment])
_PAGE: Final = "100"
LEFT: Final = 3


@spoken.group()
def deadletters() -> None:
    """Jobs that failed for good: scores, records, audits, pushes, timers."""


@deadletters.command("list")
@click.option("--queue", type=QUEUES, help="Of this queue alone.")
@as_json
def listed(queue: str | None, *, raw: bool) -> None:
    """List the letters about which nobody has decided yet."""
    found = list(_all(queue))
    if raw:
        click.echo(json.dumps({"letters": found}, ensure_ascii=False, indent=2))
        return
    letters = table("letter", "about", "error", "times", "first", "last")
    for each in found:
        about = ", ".join(f"{name} {value}" for name, value in each["about"].items())
        told = (about, each["error"], str(each["times"]), each["first_at"], each["last_at"])
        letters.add_row(each["letter_id"], *map(escape, told))
    console.print(letters)


@deadletters.command("show")
@click.argument("letter_id")
def shown(letter_id: str) -> None:
    """Print LETTER_ID with its body as JSON."""
    click.echo(json.dumps(desk().get(routes.DEAD_LETTER, letter_id=letter_id), ensure_ascii=False, indent=2))


@deadletters.command("redrive")
@click.argument("letter_ids", nargs=-1)
@click.option("--queue", type=QUEUES, help="All of this queue.")
@click.option("--all", "whole", is_flag=True, help="All there are.")
def redriven(letter_ids: tuple[str, ...], queue: str | None, *, whole: bool) -> None:
    """Do the work of these letters again, of a queue's, or of all."""
    if sum((bool(letter_ids), queue is not None, whole)) != 1:
        raise click.UsageError(say("name letters, or --queue, or --all", "укажите задания, --queue или --all"))
    count, over = 0, list[str]()
    body = {"letter_ids": list(letter_ids) or None, "queue": queue}
    while True:
        made = desk().post(routes.REDRIVE_LETTERS, body)
        count += len(made["redriven"])
        over = made["passed_over"]
        if letter_ids or not made["redriven"]:
            break
    click.echo(
        say(f"{count} letters redriven, {made['left']} left", f"отправлено снова: {count}, осталось: {made['left']}")
    )
    for each in over:
        click.echo(
            say(
                f"{each}: a timer's run is not repeated, its next visit does the work; drop it when you know why",
                f"{each}: вызов таймера не повторяют, работу сделает следующий; причина ясна — откажитесь (drop)",
            )
        )


@deadletters.command("drop")
@click.argument("letter_id")
@click.option("--reason", required=True, help="Why; it is kept.")
def dropped(letter_id: str, reason: str) -> None:
    """Let LETTER_ID go: its job is not done again."""
    made = desk().post(routes.DROP_LETTER, {"reason": reason}, letter_id=letter_id)
    click.echo(f"{letter_id} {code(made['state'], 'letter')}")


@spoken.command()
@click.option("--mend", is_flag=True, help="Mend what can be mended, then look again.")
@click.option("--only", "ailments", multiple=True, type=AILMENTS, help="Of these ailments alone.")
@as_json
def doctor(ailments: tuple[str, ...], *, mend: bool, raw: bool) -> None:
    """Find what is stuck, say why and what mending would do; exit code 3 when something is left."""
    failed, mended_before = dict[tuple[str, str], str](), set[tuple[str, str]]()
    while mend:
        done = desk().post(routes.MEND, {"ailments": list(ailments) or None})["mended"]
        fresh = [each for each in done if each["mended"]]
        for each in fresh:
            click.echo(f"{say('mended', 'исправлено:')} {each['ailment']} {each['subject']}", err=True)
        failed |= {(each["ailment"], each["subject"]): each["error"] for each in done if not each["mended"]}
        seen = {(each["ailment"], each["subject"]) for each in fresh}
        if not fresh or seen <= mended_before:
            break
        mended_before |= seen
    found = desk().get(routes.FINDINGS)
    found["findings"] = [each for each in found["findings"] if not ailments or each["ailment"] in ailments]
    _show_findings(found, failed, raw=raw)
    if found["findings"]:
        sys.exit(LEFT)


def _show_findings(found: dict[str, Any], failed: dict[tuple[str, str], str], *, raw: bool) -> None:
    if raw:
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    if not found["findings"]:
        click.echo(say("nothing is stuck", "ничего не застряло"))
        return
    stuck = table("finding", "since", "why", "what to do", show_lines=True)
    for each in found["findings"]:
        evidence = ", ".join(f"{name} {value}" for name, value in each["evidence"].items())
        error = failed.get((each["ailment"], each["subject"]), "")
        action = f"{'--mend: ' if each['mendable'] else ''}{in_language(each, 'action')}\n{error}".strip()
        told = (f"{each['ailment']}\n{each['subject']}", each["since"] or "")
        stuck.add_row(*map(escape, (*told, f"{in_language(each, 'cause')}\n{evidence}", action)))
    console.print(stuck)


def _all(queue: str | None) -> Any:
    after: str | None = None
    while True:
        page = desk().get(routes.DEAD_LETTERS, {"queue": queue, "limit": _PAGE, "after": after})
        yield from page["letters"]
        after = page["after"]
        if after is None:
            return
