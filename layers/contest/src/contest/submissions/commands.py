"""Commands of submissions and of scoring anew.

``contest submission``: list submissions, rerun after failures of the platform, private test (F-7). ``contest rescore``
scores sessions, submissions and finals anew, compares, accepts or discards (platform §2). ``contest run shadow`` and
``contest submission shadow`` print the results of the recomputation, cell by cell.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import click

from contest import routes
from contest.commands.shell import (
    as_json,
    code,
    complaints,
    end_with_json,
    heading,
    in_language,
    show_json,
    show_rows,
    speak,
)
from contest.people.commands import desk
from contest.results.rules.leaderboard import place_text
from contest.texts import say
from markup_core.rounding import PERCENT_PLACES, fixed, percent, places_apart
from markup_core.texts import localized, number
from tracks.command import spoken
from tracks.protocol import Text

_reason = click.option("--reason", required=True, help="The protocol: why.")


@spoken.group()
def submission() -> None:
    """Submissions: whole sets answered by one file or by a program; the private test."""


@submission.command("list")
@as_json
def listed(*, raw: bool) -> None:
    """List all teams' submissions, the newest first."""
    submissions = list(desk().pages(routes.ALL_SUBMISSIONS, "submissions"))
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
    """Begin the chosen submissions' runs over the final set; repeated, only the missing ones."""
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
        rank = place_text(place["place"], place["place"])
        places.append((place["board"], rank, place["team_id"], value, prize))
    show_rows(("board", "place", "team", "result", "roubles"), places)
    click.echo(say("published") if body["published"] else say("not published"))


_rescoring_reason = click.option("--reason", required=True, help="Why; it is in the log of what people changed.")


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
@_rescoring_reason
def begun(*, sessions: tuple[str, ...], set_name: str | None, version: int | None, **selection: str | None) -> None:
    """Score anew the closed sessions and submissions that meet all options; nothing changes before it is accepted."""
    body: dict[str, Any] = {**selection, "sessions": list(sessions), "set": set_name, "parameters_version": version}
    rescoring = desk().post(routes.BEGIN_RESCORING, body)
    click.echo(rescoring["rescoring_id"])


@rescore.command("list")
def list_rescorings() -> None:
    """List rescorings, the latest first."""
    rows = []
    for rescoring in desk().get(routes.RESCORINGS)["rescorings"]:
        scored, applied = (f"{rescoring[name]}/{rescoring['total']}" for name in ("made", "applied"))
        state = code(rescoring["state"], "rescoring")
        begun_at, reason = rescoring["begun_at"], rescoring["reason"]
        rows.append((rescoring["rescoring_id"], begun_at, state, scored, applied, reason))
    show_rows(("rescoring", "begun", "state", "made", "applied", "reason"), rows)


@rescore.command("show")
@click.argument("rescoring_id")
@as_json
def show_rescoring(rescoring_id: str, *, raw: bool) -> None:
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
        speak(
            "results that keep the references that they had: {number}; so few references of a hidden set "
            "are corrected that the difference of two totals would tell of single items",
            number=details["held_back"],
        )
    if details["refused"]:
        raise click.ClickException(f"{details['refused']['code']}: {in_language(details['refused'])}")
    rows = []
    for session in details["sessions"]:
        for name, values in session["metrics"].items():
            figures = _figures([values[side] for side in ("old", "new", "difference")])
            rows.append((session["session_id"], session["team_id"], heading(name), *figures))
    show_rows(("session", "team", "figure", "old", "new", "difference"), rows)
    for board in details["boards"]:
        _show_places(board)


@rescore.command("resume")
@click.argument("rescoring_id")
def resumed(rescoring_id: str) -> None:
    """Send the unfinished parts of RESCORING_ID to the workers again."""
    _show_state(desk().post(routes.RESUME_RESCORING, rescoring_id=rescoring_id))


@rescore.command("accept")
@click.argument("rescoring_id")
@_rescoring_reason
def accepted(rescoring_id: str, *, reason: str) -> None:
    """Accept RESCORING_ID: reports and boards follow it, earlier results are kept."""
    _show_state(desk().post(routes.ACCEPT_RESCORING, {"reason": reason}, rescoring_id=rescoring_id))


@rescore.command("discard")
@click.argument("rescoring_id")
@_rescoring_reason
def discarded(rescoring_id: str, *, reason: str) -> None:
    """Discard RESCORING_ID: reports and boards stay as they are, its results are kept for comparison."""
    _show_state(desk().post(routes.DISCARD_RESCORING, {"reason": reason}, rescoring_id=rescoring_id))


def _of_final(details: dict[str, Any]) -> str:
    if not details["final"]:
        return ""
    before = sorted({session["old"]["parameters_version"] for session in details["sessions"]})
    name = say("final")
    until_now = say(" scored by version {before} until now", before=before[0]) if before else ""
    return f", {name} {details['final']}{until_now}"


def _show_places(board: dict[str, Any]) -> None:
    """Print the places of a board, old and new side by side."""
    rows = []
    for row in board["rows"]:
        old, new = (row[side] or {"place": "", "value": None} for side in ("old", "new"))
        accuracies = _figures([side["value"] for side in (new, old)])
        places = ("—" if place["place"] is None else str(place["place"]) for place in (new, old))
        rows.append((*places, row["team_id"], *accuracies))
    title = say("board {language}", language=board["language"])
    show_rows(("place", "was", "team", "relative accuracy", "was"), rows, title=title)


def _figures(values: list[float | None]) -> list[str]:
    """Format figures side by side, with enough decimals to tell them apart and from zero."""
    places = places_apart(values, [0.0], least=PERCENT_PLACES)
    figures = ("" if value is None else fixed(value, places) for value in values)
    return [localized(Text(figure, figure.replace(".", ","))) for figure in figures]


def _show_state(rescoring: dict[str, Any]) -> None:
    click.echo(f"{rescoring['rescoring_id']}: {code(rescoring['state'], 'rescoring')}")


_COMPARED: Final = {"sessions": "сессий", "files": "файлов", "receipts": "квитанций", "scores": "оценок"}
"""Counts of a recomputation, by the interface's names."""
_again = click.option("--again", is_flag=True, help="Recompute it once more, whatever was found before.")


@spoken.command("shadow")
@click.argument("run_id")
@_again
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
    _show_differences(body["differences"], "file", "contest run shadow --again")


@spoken.command("shadow")
@_again
@as_json
def shadow_of_submissions(*, again: bool, raw: bool) -> None:
    """Show in which cells the independent recomputation of the scored submissions differs from the platform."""
    route = routes.RECOMPUTE_SUBMISSIONS if again else routes.SUBMISSIONS_RECOMPUTATION
    body = (desk().post if again else desk().get)(route)
    end_with_json(raw, body)
    if again or body["state"] == "recomputing":
        speak(
            "{recomputed} of {submissions} submissions are recomputed; look again in a few minutes",
            recomputed=body["made"],
            submissions=body["submissions"],
        )
        return
    speak(
        "{total} differences in {submissions} submissions, {items} items",
        total=body["total"],
        submissions=body["checked"]["submissions"],
        items=body["checked"]["items"],
    )
    _show_differences(body["differences"], "submission", "contest submission shadow --again")


def _show_differences(differences: list[dict[str, Any]], column: str, command: str) -> None:
    """Print differing cells, each with its place (a file of a session, or a submission), and the way to mend them."""
    if not differences:
        return
    rows = []
    for difference in differences:
        values = (json.dumps(difference[name], ensure_ascii=False) for name in ("platform", "shadow"))
        place = difference["submission_id"] or (str(difference["number"]) if difference["number"] else "")
        rows.append((difference["team_id"], place, difference["quantity"], *values))
    show_rows(("team", column, "what", "platform", "recomputed"), rows)
    complaints.print(
        say("nothing is published until there are none: mend what was stored, then {command}", command=command)
    )
