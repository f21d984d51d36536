"""``contest submission``: list submissions, rerun after failures of the platform, private test (F-5 … F-9)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import click

from contest import routes
from contest.commands.shell import as_json, show_rows
from contest.commands.words import code, end_with_json, show_json, speak
from contest.people.commands import desk
from contest.results.rules.leaderboard import said
from contest.texts import say
from markup_core.rounding import percent
from markup_core.texts import number
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
    submissions, after = list[dict[str, Any]](), None
    while True:
        page = desk().get(routes.ALL_SUBMISSIONS, {"limit": str(_PAGE), "after": after})
        submissions += page["submissions"]
        after = page["next"]
        if after is None:
            break
    end_with_json(raw, submissions)
    rows = []
    for body in submissions:
        model = body["declaration"]
        declared = ""
        if model is not None:
            state = {None: say("(waits)"), True: say("(confirmed)"), False: say("(refused)")}[model["confirmed"]]
            declared = f"{percent(model['shared_share'], 0.0, 1.0)}% {state}"
        at = body["completed_at"] or ""
        rows.append((body["submission_id"], body["team_id"], body["set"], _state(body), at, _value(body, ""), declared))
    show_rows(("submission", "team", "set", "state", "handed in", "result", "declared"), rows)


def _state(body: dict[str, Any]) -> str:
    state = code(body["state"], "submission")
    return state if body["cause"] is None else f"{state}: {code(body['cause'], 'failed')}"


def _value(body: dict[str, Any], undefined: str) -> str:
    return undefined if body["value"] is None else number(body["value"], 3)


@submission.command("rerun")
@click.argument("submission_id")
@_reason
def rerun(submission_id: str, reason: str) -> None:
    """Run SUBMISSION_ID again, which failed by the platform's fault."""
    body = desk().post(routes.RERUN_SUBMISSION, {"reason": reason}, submission_id=submission_id)
    state, attempt = code(body["state"], "submission"), body["attempt"]
    speak("{submission_id}: {state}, run {attempt}", submission_id=submission_id, state=state, attempt=attempt)


@submission.command("declaration")
@click.argument("submission_id")
@click.option("--refuse", is_flag=True, help="Refuse it instead of confirming it.")
@_reason
def declaration(submission_id: str, *, refuse: bool, reason: str) -> None:
    """Confirm what the team of SUBMISSION_ID has declared of its model, for the commission."""
    ruling = {"confirmed": not refuse, "reason": reason}
    desk().post(routes.RULE_DECLARATION, ruling, submission_id=submission_id)
    if refuse:
        speak("{submission_id}: declaration refused", submission_id=submission_id)
        return
    speak("{submission_id}: declaration confirmed", submission_id=submission_id)


@submission.group("private")
def private() -> None:
    """Run the private test: the submissions that teams have named, else their best, over a final set."""


@private.command("begin")
@click.option("--set", "set_name", required=True, help="The final set.")
def begin(set_name: str) -> None:
    """Run what is to be run; again, what is missing of it."""
    _show(desk().post(routes.BEGIN_PRIVATE_TEST, {"set": set_name}))


@private.command("show")
@as_json
def show(*, raw: bool) -> None:
    """Print the runs, the final boards and the prizes as they stand."""
    body = desk().get(routes.PRIVATE_TEST)
    if raw:
        show_json(body)
    else:
        _show(body)


@private.command("publish")
@_reason
def publish(reason: str) -> None:
    """Let teams see the final boards and prizes; not before every run has ended."""
    _show(desk().post(routes.PUBLISH_PRIVATE_TEST, {"reason": reason}))


@private.command("archive")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), required=True, help="The file to write.")
def archive(out: Path) -> None:
    """Write the archive of the published private test (CC BY 4.0)."""
    content = desk().published(routes.PRIVATE_ARCHIVE)
    out.write_bytes(content)
    speak("{out}: {content} bytes", out=out, content=len(content))


def _show(body: dict[str, Any]) -> None:
    runs = ((run["submission_id"], run["of"], run["team_id"], _state(run), _value(run, "")) for run in body["runs"])
    show_rows(("trial", "submission", "team", "state", "result"), runs)
    money = {(award["board"], award["team_id"]): f"{award['roubles']:,.0f}" for award in body["awards"]}
    places = []
    for place in body["places"]:
        value = _value(place, say("undefined"))
        prize = money.get((place["board"], place["team_id"]), "")
        rank = said(place["place"], place["place"])
        places.append((place["board"], rank, place["team_id"], value, prize))
    show_rows(("board", "place", "team", "result", "roubles"), places)
    click.echo(say("published") if body["published"] else say("not published"))
