"""``contest run protocol`` and ``protocols``: what judges and commission state about a run (R 8.3, D 11)."""

from __future__ import annotations

import json
from functools import partial
from typing import Final

import click
from rich.markup import escape

from contest import routes
from contest.commands.conducting import asked
from contest.commands.options import as_json
from contest.commands.run_decisions import when_made
from contest.commands.shell import console
from contest.commands.words import code, table, yes
from contest.domain.run.protocols import Matter
from markup_core.speaking import say
from tracks.command import spoken
from tracks.rules import Signatory

_ROUTES: Final = {Signatory.JUDGES: routes.JUDGES_PROTOCOL, Signatory.COMMISSION: routes.COMMISSIONS_PROTOCOL}


@spoken.command("protocol")
@click.argument("run_id")
@click.option("--by", type=click.Choice([each.value for each in Signatory]), required=True, help="For whom you sign.")
@click.option(
    "--matter",
    type=click.Choice([each.value for each in Matter]),
    default=Matter.RESULTS.value,
    show_default=True,
    help="What it is about.",
)
@click.option("--reason", required=True, help="The text of the protocol; judges, commission and organizers read it.")
@click.option("--against", is_flag=True, help="The results are not right, or there was no mass failure.")
@click.option("--wait", is_flag=True, help="Wait until the results are made and verified.")
def protocol(run_id: str, by: str, matter: str, reason: str, *, against: bool, wait: bool) -> None:
    """Record what judges or commission found: of the results of RUN_ID as they are now, or a mass failure (R 8.3)."""
    at, said = asked(), {"matter": matter, "positive": not against, "reason": reason}
    ask = partial(at.post, _ROUTES[Signatory(by)], said, run_id=run_id)
    if wait:
        when_made(at, run_id, ask)
    else:
        ask()
    click.echo(say(f"the protocol about {run_id} is recorded", f"протокол о прогоне {run_id} записан"))


@spoken.command("protocols")
@click.argument("run_id")
@as_json
def protocols(run_id: str, *, raw: bool) -> None:
    """Show what judges and commission have stated about RUN_ID, and what its results wait for."""
    found = asked().get(routes.PROTOCOLS, run_id=run_id)
    if raw:
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    wanted = table(
        "side",
        "clause",
        "required",
        "stands at",
        title=say("Asked for before publication", "Нужны до публикации"),
    )
    for each in found["wanted"]:
        wanted.add_row(
            code(each["by"], "protocol"), each["clause"], yes(each["demanded"]), code(each["standing"], "protocol")
        )
    listed = table(
        "number",
        "at",
        "side",
        "about",
        "finds",
        "text",
        title=say("Protocols, the latest first", "Протоколы, начиная с последнего"),
    )
    for each in found["protocols"]:
        finds = code("positive" if each["positive"] else "negative", "protocol")
        outdated = "" if each["current"] else f" ({code('outdated', 'protocol')})"
        about = code(each["matter"], "protocol")
        listed.add_row(
            str(each["number"]),
            each["at"],
            code(each["by"], "protocol"),
            about,
            f"{finds}{outdated}",
            escape(each["reason"]),
        )
    for each in (wanted, listed):
        console.print(each)


COMMANDS: Final = (protocol, protocols)
