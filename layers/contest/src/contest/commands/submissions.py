"""``contest submission``: what teams have submitted, runs of the platform's failures, the private test (F-5 … F-9)."""

from __future__ import annotations

import json
from typing import Any, Final

import click
from rich.markup import escape
from rich.table import Table

from contest import routes
from contest.commands.options import as_json
from contest.commands.people import desk
from contest.commands.shell import console
from markup_core.speaking import say
from tracks.command import spoken

_PAGE: Final = 100
_reason = click.option("--reason", required=True, help="The protocol: why.")


@spoken.group()
def submission() -> None:
    """Submissions: whole sets answered by one file or by a program; the private test."""


@submission.command("list")
@as_json
def listed(*, raw: bool) -> None:
    """List all teams' submissions, the newest first."""
    found, after = list[dict[str, Any]](), None
    while True:
        page = desk().get(routes.ALL_SUBMISSIONS, {"limit": _PAGE, "after": after})
        found += page["submissions"]
        after = page["next"]
        if after is None:
            break
    if raw:
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    table = Table("submission", "team", "set", "state", "handed in", "result", "declared")
    for each in found:
        state = each["state"] if each["cause"] is None else f"{each['state']}: {each['cause']}"
        said = each["declaration"]
        declared = "" if said is None else f"{said['shared_share']:.0%} {_RULED[said['confirmed']]}"
        value = "" if each["value"] is None else f"{each['value']:.3f}"
        row = (each["submission_id"], escape(each["team_id"]), each["set"], state, each["completed_at"] or "", value)
        table.add_row(*row, declared)
    console.print(table)


_RULED: Final = {None: "(waits)", True: "(confirmed)", False: "(refused)"}


@submission.command("rerun")
@click.argument("submission_id")
@_reason
def rerun(submission_id: str, reason: str) -> None:
    """Run SUBMISSION_ID again, which failed by the platform's fault."""
    made = desk().post(routes.RERUN_SUBMISSION, {"reason": reason}, submission_id=submission_id)
    state, attempt = made["state"], made["attempt"]
    click.echo(say(f"{submission_id}: {state}, run {attempt}", f"{submission_id}: {state}, запуск {attempt}"))


@submission.command("declaration")
@click.argument("submission_id")
@click.option("--refuse", is_flag=True, help="Refuse it instead of confirming it.")
@_reason
def declaration(submission_id: str, *, refuse: bool, reason: str) -> None:
    """Confirm what the team of SUBMISSION_ID has declared of its model, for the commission."""
    said = {"confirmed": not refuse, "reason": reason}
    desk().post(routes.RULE_DECLARATION, said, submission_id=submission_id)
    if refuse:
        click.echo(say(f"{submission_id}: declaration refused", f"{submission_id}: заявление отклонено"))
        return
    click.echo(say(f"{submission_id}: declaration confirmed", f"{submission_id}: заявление подтверждено"))


@submission.group("private")
def private() -> None:
    """The private test: whatever teams have named, else their best, over a final set."""


@private.command("begin")
@click.option("--set", "set_name", required=True, help="The final set.")
def begin(set_name: str) -> None:
    """Run what is to be run; again, what is missing of it."""
    _show(desk().post(routes.BEGIN_PRIVATE_TEST, {"set": set_name}))


@private.command("show")
@as_json
def show(*, raw: bool) -> None:
    """Print the runs, the final boards and the prizes as they stand."""
    found = desk().get(routes.PRIVATE_TEST)
    if raw:
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
    else:
        _show(found)


@private.command("publish")
@_reason
def publish(reason: str) -> None:
    """Let teams see the final boards and prizes; not before every run has ended."""
    _show(desk().post(routes.PUBLISH_PRIVATE_TEST, {"reason": reason}))


def _show(found: dict[str, Any]) -> None:
    runs = Table("run", "of", "team", "state", "result")
    for each in found["runs"]:
        state = each["state"] if each["cause"] is None else f"{each['state']}: {each['cause']}"
        value = "" if each["value"] is None else f"{each['value']:.3f}"
        runs.add_row(each["submission_id"], each["of"], escape(each["team_id"]), state, value)
    console.print(runs)
    money = {(each["board"], each["team_id"]): f"{each['roubles']:,.0f}" for each in found["awards"]}
    places = Table("board", "place", "team", "result", "roubles")
    for each in found["places"]:
        value = "undefined" if each["value"] is None else f"{each['value']:.3f}"
        prize = money.get((each["board"], each["team_id"]), "")
        places.add_row(each["board"], str(each["place"]), escape(each["team_id"]), value, prize)
    console.print(places)
    click.echo("published" if found["published"] else "not published")
