"""Commands about boards and conclusions, rescoring and independent recomputation.

``contest results`` prints the public boards, the boards as organizers see them, and the history of places. ``contest
qualification`` leads a conclusion through its steps: the judges confirm, the commission verifies, the organizers admit
(R 6.9, 8.2). ``contest rescore`` scores sessions, submissions and finals anew, compares, accepts or discards (platform
§2). ``contest run shadow`` and ``contest submission shadow`` print the results of the recomputation, cell by cell.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

import click

from contest import routes
from contest.commands.desk import NotDoneError
from contest.commands.shell import as_json, caution, complaints, console, show_rows
from contest.commands.words import code, end_with_json, heading, in_language, show_json, speak, yes
from contest.cycle.rules.cycle import ALL_LANGUAGES
from contest.people.commands import Asked, asked, desk
from contest.routes import Route
from contest.texts import say, tr, tr_in
from markup_core.rounding import PERCENT_PLACES, fixed, places_apart
from markup_core.texts import localized, number
from tracks.command import spoken
from tracks.protocol import Text


def show_final(at: Asked, run_id: str) -> None:
    """Print the board of a final with published results."""
    show_board(at.get(routes.FINAL_BOARD, {"language": ALL_LANGUAGES, "nomination": None, "run": run_id}))


def show_asked(at: Asked, route: Route, query: Mapping[str, str | None]) -> None:
    """Print a board; one that is still to be published is empty, which is no error."""
    from contest.errors import ResultsNotPublishedError

    try:
        board = at.get(route, query)
    except NotDoneError as error:
        if error.refused.get("code") != ResultsNotPublishedError.code:
            raise
        console.print(in_language(error.refused), highlight=False)
    else:
        show_board(board)


def show_board(body: Any) -> None:
    """Print a board that the interface has answered."""
    show_rows(("place", "team", "files", "result"), (_row_of(row, body["board"]["places"]) for row in body["rows"]))
    if body.get("stage"):
        console.print(in_language(body["stage"]), highlight=False)
    if body.get("several_rules"):
        caution(in_language(body["several_rules"]))


def _row_of(row: Mapping[str, Any], places: int) -> tuple[str, ...]:
    """Return place, team, files and result of a board's row."""
    from contest.results.rules import leaderboard

    place, files = leaderboard.said(row["place"], row["place_to"]), f"{row['answered']}/{row['files']}"
    return place, row["team"], files, result(row["value"], places)


def result(value: float | None, places: int) -> str:
    """Return a team's value with the board's decimals."""
    return say("undefined") if value is None else number(value, places)


Command = TypeVar("Command", bound=Callable[..., Any])
_reason = click.option("--reason", required=True, help="Why; it is written to the audit log.")
_board = click.argument("board")


def _part(command: Command) -> Command:
    """Add the options that select a part of a board."""
    language = click.option("--language", default=ALL_LANGUAGES, show_default=True, help="A language of the cycle.")
    return language(
        click.option("--nomination", help="A nomination of the cycle, in the place of a language.")(command)
    )


@spoken.group()
def results() -> None:
    """Boards: BOARD is `qualification`, or a final's by the name of its run."""


@results.command("show")
@_board
@_part
@as_json
def show(board: str, language: str, nomination: str | None, *, raw: bool) -> None:
    """Show BOARD as it is now, whatever everybody sees of it."""
    body = asked().get(routes.BOARD_PREVIEW, {"language": language, "nomination": nomination}, board=board)
    end_with_json(raw, body)
    rows, places = [], body["board"]["places"]
    for row in body["rows"]:
        ahead = row["ahead"]
        behind = "" if ahead is None else f"{number(ahead['difference'], places)}{' ≈' if ahead['overlap'] else ''}"
        rows.append((*_row_of(row, places), behind))
    show_rows(("place", "team", "files", "result", "behind"), rows, title=f"{board}: {code(body['state'])}")


@results.command("history")
@_board
@_part
@click.option("--limit", type=click.IntRange(1, 100), default=20, show_default=True)
@as_json
def history(board: str, language: str, nomination: str | None, limit: int, *, raw: bool) -> None:
    """Show how the places of BOARD went, as everybody has seen them, the latest first."""
    from contest.results.rules.qualification import QUALIFICATION

    query = {"language": language, "limit": str(limit)}
    if board == QUALIFICATION:
        body = asked().get(routes.QUALIFICATION_HISTORY, query)
    else:
        body = asked().get(routes.FINAL_HISTORY, {**query, "run": board, "nomination": nomination})
    end_with_json(raw, body)
    lists = (", ".join(f"{row['place']} {row['team_id']}" for row in point["places"]) for point in body["points"])
    show_rows(("since", "places"), ((point["at"], places) for point, places in zip(body["points"], lists, strict=True)))


@results.command("publish")
@_board
@_reason
def publish(board: str, reason: str) -> None:
    """Let everybody see BOARD as it is, from now on; of a final the results in the teams' reports, too."""
    _decided(board, "published", reason)


@results.command("freeze")
@_board
@_reason
def freeze(board: str, reason: str) -> None:
    """Let everybody see BOARD as it is now, whatever changes, until it is published or withdrawn."""
    _decided(board, "frozen", reason)


@results.command("withdraw")
@_board
@_reason
def withdraw(board: str, reason: str) -> None:
    """Let nobody but organizers and commission see BOARD; of a final the results in the teams' reports go with it."""
    _decided(board, "hidden", reason)


_SAID: Final = {"published": tr("is published"), "frozen": tr("is frozen"), "hidden": tr("is withdrawn")}


def _decided(board: str, state: str, reason: str) -> None:
    decision = asked().post(routes.DECIDE_BOARD, {"state": state, "reason": reason}, board=board)
    done, name = _SAID[decision["state"]], decision["board"]
    speak("the board {name} {done}", name=name, done=done)


_OF: Final = click.Choice(["set", "session", "result"])


def _named(command: Command) -> Command:
    """Add the arguments that name the subject of an annulment."""
    for option in (
        _reason,
        click.option("--board", help="Of a result: qualification, or a final by the name of its run."),
        click.argument("subject"),
        click.argument("kind", type=_OF),
    ):
        command = option(command)
    return command


@results.command("annul")
@_named
def annul(kind: str, subject: str, board: str | None, reason: str) -> None:
    """Annul the data set, the session, or the result of the team SUBJECT (D 6.10); it is shown with its reason."""
    _annulled(kind, subject, board, reason, annulled=True)


@results.command("restore")
@_named
def restore(kind: str, subject: str, board: str | None, reason: str) -> None:
    """Take the annulment of SUBJECT back."""
    _annulled(kind, subject, board, reason, annulled=False)


@results.command("annulled")
@as_json
def list_annulled(*, raw: bool) -> None:
    """List what was annulled, and what was restored."""
    body = asked().get(routes.ANNULMENTS)
    end_with_json(raw, body)
    rows = []
    for annulment in body["annulments"]:
        state = yes(annulment["annulled"]) if annulment["annulled"] else say("restored")
        about = heading(annulment["of"]), annulment["subject"], annulment["board"] or ""
        rows.append((*about, state, annulment["at"], annulment["reason"]))
    show_rows(("what", "subject", "board", "annulled", "since", "reason"), rows)


def _annulled(kind: str, subject: str, board: str | None, reason: str, *, annulled: bool) -> None:
    body = {"of": kind, "subject": subject, "board": board, "annulled": annulled, "reason": reason}
    asked().post(routes.ANNUL, body)
    done = tr_in("boards", "annulled") if annulled else tr("restored")
    speak("{kind} {subject} is {done}", kind=heading(kind), subject=subject, done=done)


STANDINGS: Final = click.Choice(["awaits_judges", "awaits_commission", "verified", "rejected", "not_ready", "annulled"])
_ruling_reason = click.option("--reason", required=True, help="The protocol: why.")


@spoken.group()
def qualification() -> None:
    """Qualification: conclusions on readiness, and who is admitted to the final."""


@qualification.command("list")
@click.option("--standing", type=STANDINGS, help="Teams with a conclusion that stands there: a queue.")
@as_json
def list_qualification(standing: str | None, *, raw: bool) -> None:
    """List how far the teams have come."""
    body = desk().get(routes.STANDINGS, {"standing": standing})
    end_with_json(raw, body)
    rows = []
    for team in body["teams"]:
        claims = {claim["kind"]: f"{code(claim['standing'])} {claim['session_id']}" for claim in team["claims"]}
        admission = team["admission"]
        decided = ("", "", "")
        if admission is not None:
            decided = (yes(admission["admitted"]), admission["by"] or "", admission["at"])
        kinds = (claims.get(kind, "") for kind in ("algorithmic", "technical"))
        rows.append((team["team_id"], *kinds, yes(team["qualified"]), *decided))
    show_rows(("team", "algorithmic", "technical", "qualified", "admitted", "by", "at"), rows)


@qualification.command("show")
@click.argument("session_id")
def show_conclusion(session_id: str) -> None:
    """Print the conclusion on SESSION_ID with every ruling on it."""
    show_json(desk().get(routes.CONCLUSION, session_id=session_id))


@qualification.command("judge")
@click.argument("session_id")
@click.option("--reject", is_flag=True, help="Reject it instead of confirming it.")
@_ruling_reason
def judged(session_id: str, *, reject: bool, reason: str) -> None:
    """Confirm the positive conclusion on SESSION_ID, as a judge."""
    _show_conclusion(desk().post(routes.JUDGE, {"confirmed": not reject, "reason": reason}, session_id=session_id))


@qualification.command("verify")
@click.argument("session_id")
@click.option("--return", "returned", is_flag=True, help="Return it to the judges instead.")
@_ruling_reason
def verified(session_id: str, *, returned: bool, reason: str) -> None:
    """Verify the confirmed conclusion on SESSION_ID, for the commission."""
    _show_conclusion(desk().post(routes.VERIFY, {"verified": not returned, "reason": reason}, session_id=session_id))


@qualification.command("admit")
@click.argument("team_id")
@click.option("--refuse", is_flag=True, help="Do not admit it.")
@_ruling_reason
def admitted(team_id: str, *, refuse: bool, reason: str) -> None:
    """Admit TEAM_ID to finals: a final takes the teams that are admitted when they join, and no others."""
    standing = desk().post(routes.ADMIT, {"admitted": not refuse, "reason": reason}, team_id=team_id)
    unqualified = "" if standing["qualified"] else say("; it has not qualified")
    message = say(
        "team {team_id} is {value}admitted",
        team_id=team_id,
        value=Text("not " if refuse else "", "не " if refuse else ""),
    )
    click.echo(f"{message}{unqualified}")


def _show_conclusion(conclusion: dict[str, Any]) -> None:
    session, team, standing = conclusion["session_id"], conclusion["team_id"], code(conclusion["standing"])
    speak("{session} of {team}: {standing}", session=session, team=team, standing=standing)


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
    """Score the closed sessions and submissions to which everything applies that is said.

    Nothing goes by it before it is accepted.
    """
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
    """Send once more for what is not done of RESCORING_ID."""
    _show_state(desk().post(routes.RESUME_RESCORING, rescoring_id=rescoring_id))


@rescore.command("accept")
@click.argument("rescoring_id")
@_rescoring_reason
def accepted(rescoring_id: str, *, reason: str) -> None:
    """Let reports and boards go by RESCORING_ID; what was before is kept."""
    _show_state(desk().post(routes.ACCEPT_RESCORING, {"reason": reason}, rescoring_id=rescoring_id))


@rescore.command("discard")
@click.argument("rescoring_id")
@_rescoring_reason
def discarded(rescoring_id: str, *, reason: str) -> None:
    """Leave reports and boards as they are; what RESCORING_ID has made is kept for comparison."""
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
        rows.append((str(new["place"]), str(old["place"]), row["team_id"], *accuracies))
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
