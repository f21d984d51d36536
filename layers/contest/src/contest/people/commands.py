"""Commands ``contest login``, ``team``, ``token``, ``staff``, and the connection of the other commands.

The commands ask the platform in the name of the signed-in person. Where the environment names a deployment, it is asked
itself, with AWS credentials: for the first organizer, teams and tokens, and for a disaster in which nobody can log in.
"""

from __future__ import annotations

import time
import webbrowser
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any, Final, Protocol

import click
from rich.markup import escape

from contest import routes
from contest.commands import connection
from contest.commands.connection import Desk
from contest.commands.shell import (
    Moment,
    as_json,
    code,
    complaint,
    complaints,
    console,
    end_with_json,
    in_language,
    show_json,
    speak,
    table,
)
from contest.results.rules.jobs import ErrandState
from contest.routes import Route
from contest.texts import say
from contest.values import Millis, iso_or_none
from tracks.command import spoken

ROLES: Final = click.Choice(["expert", "clinician", "judge", "commission", "organizer"])
STATUSES: Final = click.Choice(["approved", "rejected", "suspended", "withdrawn", "disqualified"])
_reason = click.option("--reason", required=True, help="Why; it is kept, and the team is told.")


def desk() -> Desk:
    """Return the platform of the chosen cycle."""
    saved_login = connection.load_login(connection.named_cycle())
    if saved_login is None:
        raise complaint(
            "nobody is logged in: contest login https://HOST, or contest --local for the local cloud of this machine"
        )
    return Desk(*saved_login)


@spoken.command()
@click.argument("url")
@click.option("--participant", is_flag=True, help="Sign in among the participants instead of the staff.")
@click.option("--no-browser", is_flag=True, help="Print the address instead of opening it.")
def login(url: str, *, participant: bool, no_browser: bool) -> None:
    """Sign in at the platform at URL with a browser on this machine."""
    address = url.rstrip("/")

    def show(place: str) -> None:
        prompt = say("Sign in within five minutes at")
        click.echo(f"{prompt}\n{place}", err=True)
        if not no_browser:
            webbrowser.open(place)

    signed_in = connection.sign_in(address, "participants" if participant else "staff", show)
    cycle = connection.cycle_of(address)
    place = connection.save_login(cycle, signed_in)
    me = Desk(cycle, signed_in).get(routes.ME)
    person = f"{code(me['role'])} {me['person_id']}"
    speak("{cycle}: logged in as {person}; kept in {place}", cycle=cycle, person=person, place=place)


@spoken.command()
def logout() -> None:
    """Forget the login."""
    saved_login = connection.load_login(connection.named_cycle())
    if saved_login is None:
        raise complaint("nobody is logged in")
    connection.forget_login(saved_login[0])
    speak("{saved_login}: logged out", saved_login=saved_login[0])


@spoken.command()
def whoami() -> None:
    """Print who has logged in, and what they may do."""
    show_json(desk().get(routes.ME))


@spoken.group()
def team() -> None:
    """Teams: applications, decisions, tables."""


@team.command("add")
@click.argument("team_id")
@click.argument("name")
def team_add(team_id: str, name: str) -> None:
    """Admit a team: TEAM_ID (a–z, 0–9, '-') and its NAME."""
    asked().post(routes.ADD_TEAM, {"team_id": team_id, "name": name})
    speak("team {team_id} added", team_id=team_id)


@team.command("list")
@click.option("--status", type=click.Choice([*STATUSES.choices, "applied"]), help="Of this status alone.")
@as_json
def team_list(status: str | None, *, raw: bool) -> None:
    """List teams."""
    listing = desk().get(routes.LIST_TEAMS, {"status": status})
    _show(listing, raw, listing["teams"], ("team_id", "name", "status", "reason", "created_at"))


@team.command("show")
@click.argument("team_id")
def team_show(team_id: str) -> None:
    """Print a team's application and members as JSON."""
    show_json(desk().get(routes.TEAM, team_id=team_id))


@team.command("decide")
@click.argument("team_id")
@click.argument("status", type=STATUSES)
@click.option("--until", type=Moment(), help="End of a disqualification for later cycles; without it, for good.")
@_reason
def team_decide(team_id: str, status: str, reason: str, until: Millis | None) -> None:
    """Give TEAM_ID a STATUS: approved, rejected, suspended, withdrawn, disqualified; every decision has a way back."""
    body = {"status": status, "reason": reason, "banned_until": iso_or_none(until)}
    decision = desk().post(routes.DECIDE_ABOUT_TEAM, body, team_id=team_id)
    speak("team {team_id} is {status}", team_id=team_id, status=code(decision["status"], "team"))


@team.command("select")
@click.argument("team_id")
@click.option("--passed/--not-passed", required=True, help="Whether the team passes the selection (R 4.1).")
@_reason
def team_select(team_id: str, reason: str, *, passed: bool) -> None:
    """Decide whether TEAM_ID passes the selection; a later decision takes it back."""
    desk().post(routes.DECIDE_ABOUT_TEAM, {"passed": passed, "reason": reason}, team_id=team_id)
    if passed:
        speak("team {team_id} has passed the selection", team_id=team_id)
    else:
        speak("team {team_id} has not passed the selection", team_id=team_id)


@team.command("baseline")
@click.argument("team_id")
@click.option("--off", is_flag=True, help="Give the team a place on boards again.")
@_reason
def team_baseline(team_id: str, reason: str, *, off: bool) -> None:
    """Show TEAM_ID on boards for comparison, marked and out of the places."""
    desk().post(routes.DECIDE_ABOUT_TEAM, {"baseline": not off, "reason": reason}, team_id=team_id)
    if off:
        speak("team {team_id} takes places on boards", team_id=team_id)
    else:
        speak("team {team_id} is a baseline: it takes no place", team_id=team_id)


@team.command("invite")
@click.argument("team_id")
@click.option("--note", default="", help="For whom it is.")
@click.option("--captain", is_flag=True, help="The person who accepts becomes the team's captain.")
@click.option("--email", help="Send the code there by mail, once.")
def team_invite(team_id: str, note: str, email: str | None, *, captain: bool) -> None:
    """Print the code of a new invitation to TEAM_ID. Nobody can show it again."""
    body = {"note": note, "as_captain": captain, "email": email}
    invitation = desk().post(routes.INVITE_TO_TEAM, body, team_id=team_id)
    name, until = invitation["invitation_id"], invitation["expires_at"]
    complaints.print(say("invitation {name} until {until}; its code is shown this once", name=name, until=until))
    click.echo(invitation["code"])


@team.command("export")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def team_export(file: Path) -> None:
    """Write all teams to FILE as CSV."""
    file.write_text(desk().text(routes.EXPORT_TEAMS), "utf-8", newline="")
    speak("{file} written", file=file)


@team.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def team_import(file: Path) -> None:
    """Enter the teams of FILE, a CSV with the columns team_id and name; all or none."""
    added = desk().post_bytes(routes.IMPORT_TEAMS, file.read_bytes())["added"]
    speak("{added} teams added", added=len(added))


@spoken.group()
def token() -> None:
    """Tokens of the teams' programs."""


@token.command("issue")
@click.argument("team_id")
@click.option("--name", default="", help="What it is for.")
@click.option("--expires", type=Moment(), help="From when nobody believes it; without it, it has no end.")
def token_issue(team_id: str, name: str, expires: Millis | None) -> None:
    """Print a new token of TEAM_ID. Nobody can show it again."""
    issued = asked().post(routes.ISSUE_TOKEN, {"name": name, "expires_at": iso_or_none(expires)}, team_id=team_id)
    token_id = issued["token_id"]
    complaints.print(
        say("token {token_id} of team {team_id}; it is shown this once", token_id=token_id, team_id=team_id)
    )
    click.echo(issued["token"])


@token.command("revoke")
@click.argument("team_id")
@click.argument("token_id")
def token_revoke(team_id: str, token_id: str) -> None:
    """Revoke TOKEN_ID of TEAM_ID; it dies within a minute."""
    asked().post(routes.REVOKE_TOKEN, team_id=team_id, token_id=token_id)
    speak("token {token_id} revoked", token_id=token_id)


@token.command("list")
@click.argument("team_id")
@as_json
def token_list(team_id: str, *, raw: bool) -> None:
    """List the tokens of TEAM_ID, never the tokens themselves."""
    columns = ("token_id", "name", "created_at", "expires_at", "used_at", "revoked_at")
    listing = asked().get(routes.TEAM_TOKENS, team_id=team_id)
    _show(listing, raw, listing["tokens"], columns)


@spoken.group()
def staff() -> None:
    """Experts, judges, commission, organizers."""


@staff.command("invite")
@click.argument("email")
@click.argument("name")
@click.argument("role", type=ROLES)
def staff_invite(email: str, name: str, role: str) -> None:
    """Give EMAIL, whose NAME is this, an account and a ROLE; the pool tells them by mail how to sign in."""
    invited = asked().post(routes.INVITE_STAFF, {"email": email, "name": name, "role": role})
    speak("{role} {person_id} invited", role=code(role), person_id=invited["person_id"])


@staff.command("list")
@as_json
def staff_list(*, raw: bool) -> None:
    """List everybody who was ever invited."""
    listing = desk().get(routes.LIST_STAFF)
    _show(listing, raw, listing["staff"], ("person_id", "name", "email", "role", "since", "dismissed_at"))


@staff.command("role")
@click.argument("person_id")
@click.argument("role", type=ROLES)
@_reason
def staff_role(person_id: str, role: str, reason: str) -> None:
    """Give PERSON_ID another ROLE; it holds within a minute."""
    desk().post(routes.GIVE_ROLE, {"role": role, "reason": reason}, person_id=person_id)
    speak("{person_id} is {role}", person_id=person_id, role=code(role))


@staff.command("dismiss")
@click.argument("person_id")
@_reason
def staff_dismiss(person_id: str, reason: str) -> None:
    """Take all rights from PERSON_ID, within a minute."""
    desk().post(routes.DISMISS, {"reason": reason}, person_id=person_id)
    speak("{person_id} dismissed", person_id=person_id)


@staff.command("reinstate")
@click.argument("person_id")
@_reason
def staff_reinstate(person_id: str, reason: str) -> None:
    """Give a dismissed PERSON_ID its role back."""
    desk().post(routes.REINSTATE, {"reason": reason}, person_id=person_id)
    speak("{person_id} reinstated", person_id=person_id)


def _show(listing: Any, raw: bool, rows: list[dict[str, Any]], columns: tuple[str, ...]) -> None:
    """Print a table of some columns, or everything as JSON."""
    end_with_json(raw, listing)
    listed = table(*columns)
    for row in rows:
        cells = (code(row[name], "team") if name in _CODED and row[name] else str(row[name] or "") for name in columns)
        listed.add_row(*map(escape, cells))
    console.print(listed)


_CODED: Final = frozenset({"role", "status"})
"""Columns with codes of the platform."""

LOOK_AGAIN_S: Final = 1.0
"""Seconds between the first two looks at an errand."""
_LONGER: Final = 1.3
_LONGEST_S: Final = 15.0


class Asked(Protocol):
    """Connection of the commands to the platform or to a deployment."""

    def get(self, route: Route, query: Mapping[str, str | None] | None = None, **names: str) -> Any:
        """Return a route's answer; ``names`` fill in its path."""

    def post(self, route: Route, body: Mapping[str, Any] | None = None, **names: str) -> Any:
        """Return a route's answer to a JSON body."""

    def published(self, route: Route, **names: str) -> bytes:
        """Return a file from the address in the route's answer."""


def asked() -> Asked:
    """Return the deployment of the environment variables, else the platform with a login."""
    if not connection.is_direct():
        return desk()
    from contest.commands.direct import Deployment

    return Deployment()


def look_again_later(looks: int = 0) -> None:
    """Wait before the next look at a worker: a third longer after each look, fifteen seconds at most.

    An errand is noticed after a third of its own time at the latest, and the looks stay within the rate of requests
    where the platform's clock stands, as a local cloud's may.
    """
    time.sleep(min(LOOK_AGAIN_S * _LONGER**looks, _LONGEST_S))


def finished(at: Asked, errand: Any) -> Any:
    """Wait for an errand and return its outcome; a refusal is the command's own error."""
    from tracks.command.console import waiting

    if errand["state"] == ErrandState.UNDER_WAY:
        with waiting(say("A worker is at it …"), complaints):
            for looks in count():
                look_again_later(looks)
                errand = at.get(routes.ERRAND, errand_id=errand["errand_id"])
                if errand["state"] != ErrandState.UNDER_WAY:
                    break
    if errand["state"] == ErrandState.FAILED:
        name = errand["errand_id"]
        raise complaint(
            "errand {name}: its worker failed for good; why: contest deadletters list; once more: "
            "contest doctor --mend",
            name=name,
        )
    if errand["refused"] is not None:
        raise click.ClickException(f"{errand['refused']['code']}: {in_language(errand['refused'])}")
    return errand
