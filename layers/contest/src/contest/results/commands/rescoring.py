"""Commands about rescoring and independent recomputation.

``contest rescore`` scores sessions, submissions and finals anew, compares, accepts or discards (platform §2). ``contest
run shadow`` and ``contest submission shadow`` print the results of the independent recomputation, cell by cell.
"""

from __future__ import annotations

import json
from typing import Any, Final

import click
from rich.markup import escape
from rich.table import Table

from contest import routes
from contest.commands.shell import as_json, complaints, console
from contest.commands.words import code, end_with_json, heading, in_language, speak, table
from contest.people.commands import desk
from contest.texts import say
from markup_core.rounding import PERCENT_PLACES, fixed, places_apart
from markup_core.texts import Text, localized
from tracks.command import spoken

_reason = click.option("--reason", required=True, help="Why; it is in the log of what people changed.")


@spoken.group()
def rescore() -> None:
    """Score closed sessions and submissions anew after a change of parameters, classifier, markups or scorer."""


@rescore.command("begin")
@click.option(
    "--session", "sessions", multiple=True, metavar="SESSION", help="A session or submission; may be repeated."
)
@click.option("--team", "team_id", help="Sessions and submissions of this team.")
@click.option("--run", "run_id", help="Sessions of this run; a final is named by its run alone.")
@click.option("--set", "set_name", help="Sessions and submissions on this set.")
@click.option(
    "--mode",
    type=click.Choice(["algorithmic", "technical", "answers", "program"]),
    help="Sessions of this mode, or submissions.",
)
@click.option("--since", metavar="DAY", help="Closed or handed in on this UTC day or later.")
@click.option("--until", metavar="DAY", help="Closed or handed in on this UTC day or earlier.")
@click.option(
    "--parameters",
    "version",
    type=int,
    help="By parameters of this version; the present ones without it, a final's own.",
)
@_reason
def begun(*, sessions: tuple[str, ...], set_name: str | None, version: int | None, **selection: str | None) -> None:
    """Score the closed sessions and submissions to which everything applies that is said.

    Nothing goes by it before it is accepted.
    """
    body: dict[str, Any] = {**selection, "sessions": list(sessions), "set": set_name, "parameters_version": version}
    rescoring = desk().post(routes.BEGIN_RESCORING, body)
    click.echo(rescoring["rescoring_id"])


@rescore.command("list")
def listed() -> None:
    """List rescorings, the latest first."""
    rescorings = table("rescoring", "begun", "state", "made", "applied", "reason")
    for rescoring in desk().get(routes.RESCORINGS)["rescorings"]:
        scored, applied = (f"{rescoring[name]}/{rescoring['total']}" for name in ("made", "applied"))
        state = code(rescoring["state"], "rescoring")
        cells = rescoring["rescoring_id"], rescoring["begun_at"], state, scored, applied, rescoring["reason"]
        rescorings.add_row(*map(escape, cells))
    console.print(rescorings)


@rescore.command("show")
@click.argument("rescoring_id")
@as_json
def shown(rescoring_id: str, *, raw: bool) -> None:
    """Show RESCORING_ID: how far it has come, sessions and boards, old and new side by side."""
    details = desk().get(routes.RESCORING, rescoring_id=rescoring_id)
    end_with_json(raw, details)
    state, scored, total, applied = (details[name] for name in ("state", "made", "total", "applied"))
    count = sum(session["mode"] in {"answers", "program"} for session in details["sessions"])
    click.echo(
        say(
            "{state}: {scored} of {total} sessions made, {applied} applied",
            state=state,
            scored=scored,
            total=total,
            applied=applied,
        )
        + (say("; submissions among them: {count}", count=count) if count else "")
    )
    version = details["parameters_version"]
    click.echo(say("by parameters of version {version}", version=version) + _of_final(details))
    if details["held_back"]:
        click.echo(_held_back(details["held_back"]))
    if details["refused"]:
        raise click.ClickException(f"{details['refused']['code']}: {in_language(details['refused'])}")
    console.print(_sessions(details["sessions"]))
    for board in details["boards"]:
        console.print(_board(board))


@rescore.command("resume")
@click.argument("rescoring_id")
def resumed(rescoring_id: str) -> None:
    """Send once more for what is not done of RESCORING_ID."""
    _told(desk().post(routes.RESUME_RESCORING, rescoring_id=rescoring_id))


@rescore.command("accept")
@click.argument("rescoring_id")
@_reason
def accepted(rescoring_id: str, *, reason: str) -> None:
    """Let reports and boards go by RESCORING_ID; what was before is kept."""
    _told(desk().post(routes.ACCEPT_RESCORING, {"reason": reason}, rescoring_id=rescoring_id))


@rescore.command("discard")
@click.argument("rescoring_id")
@_reason
def discarded(rescoring_id: str, *, reason: str) -> None:
    """Leave reports and boards as they are; what RESCORING_ID has made is kept for comparison."""
    _told(desk().post(routes.DISCARD_RESCORING, {"reason": reason}, rescoring_id=rescoring_id))


def _held_back(number: int) -> str:
    """Return the number of results that keep their references, with the reason."""
    return say(
        "results that keep the references that they had: {number}; so few references of a hidden set "
        "are corrected that the difference of two totals would tell of single items",
        number=number,
    )


def _of_final(details: dict[str, Any]) -> str:
    if not details["final"]:
        return ""
    before = sorted({session["old"]["parameters_version"] for session in details["sessions"]})
    name = say("final")
    until_now = say(" scored by version {before} until now", before=before[0]) if before else ""
    return f", {name} {details['final']}{until_now}"


def _sessions(sessions: list[dict[str, Any]]) -> Table:
    figures = table("session", "team", "figure", "old", "new", "difference")
    for session in sessions:
        for name, values in session["metrics"].items():
            row = _shown([values[side] for side in ("old", "new", "difference")])
            figures.add_row(session["session_id"], escape(session["team_id"]), heading(name), *row)
    return figures


def _board(board: dict[str, Any]) -> Table:
    title = say("board {language}", language=board["language"])
    rows = table("place", "was", "team", "relative accuracy", "was", title=title)
    for row in board["rows"]:
        old, new = (row[side] or {"place": "", "value": None} for side in ("old", "new"))
        accuracies = _shown([side["value"] for side in (new, old)])
        rows.add_row(str(new["place"]), str(old["place"]), escape(row["team_id"]), *accuracies)
    return rows


def _shown(values: list[float | None]) -> list[str]:
    """Format figures side by side, with enough decimals to tell them apart and from zero."""
    places = places_apart(values, [0.0], least=PERCENT_PLACES)
    figures = ("" if value is None else fixed(value, places) for value in values)
    return [localized(Text(figure, figure.replace(".", ","))) for figure in figures]


def _told(rescoring: dict[str, Any]) -> None:
    click.echo(f"{rescoring['rescoring_id']}: {code(rescoring['state'], 'rescoring')}")


_COMPARED: Final = {"sessions": "сессий", "files": "файлов", "receipts": "квитанций", "scores": "оценок"}
"""What is counted of a recomputation, by the interface's names."""


@spoken.command("shadow")
@click.argument("run_id")
@click.option("--again", is_flag=True, help="Recompute it once more, whatever was found before.")
@as_json
def shadow(run_id: str, *, again: bool, raw: bool) -> None:
    """Show in which cells the independent recomputation of the final RUN_ID differs from the platform."""
    body = (desk().post if again else desk().get)(routes.RECOMPUTE if again else routes.RECOMPUTATION, run_id=run_id)
    end_with_json(raw, body)
    if again or body["state"] == "recomputing":
        recomputed, teams = body["made"], body["teams"]
        speak(
            "{run_id}: {recomputed} of {teams} teams are recomputed; look again in a few minutes",
            run_id=run_id,
            recomputed=recomputed,
            teams=teams,
        )
        return
    checked = ", ".join(f"{count} {name}" for name, count in body["checked"].items())
    compared = ", ".join(f"{_COMPARED.get(name, name)} {count}" for name, count in body["checked"].items())
    total = body["total"]
    speak("{run_id}: {total} differences in {checked}", run_id=run_id, total=total, checked=Text(checked, compared))
    if body["differences"]:
        console.print(_table(body["differences"], "file"))
        complaints.print(_until_mended("contest run shadow --again"))


@spoken.command("shadow")
@click.option("--again", is_flag=True, help="Recompute it once more, whatever was found before.")
@as_json
def shadow_of_submissions(*, again: bool, raw: bool) -> None:
    """Show in which cells the independent recomputation of the scored submissions differs from the platform."""
    desk_of = desk()
    body = (desk_of.post if again else desk_of.get)(
        routes.RECOMPUTE_SUBMISSIONS if again else routes.SUBMISSIONS_RECOMPUTATION
    )
    end_with_json(raw, body)
    if again or body["state"] == "recomputing":
        recomputed, submissions = body["made"], body["submissions"]
        speak(
            "{recomputed} of {submissions} submissions are recomputed; look again in a few minutes",
            recomputed=recomputed,
            submissions=submissions,
        )
        return
    checked, total = body["checked"], body["total"]
    speak(
        "{total} differences in {submissions} submissions, {items} items",
        total=total,
        submissions=checked["submissions"],
        items=checked["items"],
    )
    if body["differences"]:
        console.print(_table(body["differences"], "submission"))
        complaints.print(_until_mended("contest submission shadow --again"))


def _until_mended(command: str) -> str:
    return say("nothing is published until there are none: mend what was stored, then {command}", command=command)


def _table(differences: list[dict[str, Any]], column: str) -> Table:
    """Return a table of differing cells, each with its place: a file of a session, or a submission."""
    cells = table("team", column, "what", "platform", "recomputed")
    for difference in differences:
        values = (json.dumps(difference[name], ensure_ascii=False) for name in ("platform", "shadow"))
        place = difference["submission_id"] or (str(difference["number"]) if difference["number"] else "")
        cells.add_row(escape(difference["team_id"]), place, escape(difference["quantity"]), *map(escape, values))
    return cells
