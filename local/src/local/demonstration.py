"""The demonstration: a whole qualification on this machine, played with the commands that participants use."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final
from urllib.request import urlopen

import click

from local.clock import system_ms, utc
from local.cloud import LocalCloud
from local.contest_folders import FOLDER
from local.environment import person_environment
from local.gateways.site import built_kit, built_site, site_not_built
from local.organizing import (
    CAPTAIN,
    COMMAND,
    ORGANIZER,
    TRY_CONTEST,
    Organizer,
    ask,
    make_captain,
    run_here,
    samples,
    sign_in,
)
from local.texts import say, tr
from markup_core.texts import Text, in_language
from tracks.command.console import waiting

_OPEN_KINDS: Final = ("training", "test")
"""Sets that a program may open a session over, in the order in which they are worked through."""
_LEAD_S: Final = 20
"""From the planning of a run to its start: a program takes a few seconds to join."""
_LEFT_LEAD_S: Final = 300
"""To the start of a final that is left to whoever tries the platform."""
_LEFT_INTERVAL_S: Final = 15
"""Between its openings: it takes two minutes."""
_PRACTICE: Final = "practice"
"""The set, and its folder, of the essay that the sample expert finds in the list of work."""
_SECOND_EXPERT: Final = "second-expert@example.org"
TEAM, TEAM_NAME = "pilot", "Pilot program"
_COMMANDS: Final = {"contest": COMMAND, "pku": 'from pku.cli import main\nmain(prog_name="pku")\n'}
_TYPED: Final = "import io, sys\nsys.stdin = io.StringIO({line!r})\n"


class DemonstrationError(Exception):
    """A command of the demonstration failed; the message names it."""


@dataclass(frozen=True, slots=True)
class Shown:
    """The remains of a demonstration: the sample token for the API that keeps running, and the language spoken."""

    token: str
    language: str
    final: str | None = None
    """The final that was planned and not played."""
    final_starts: str = ""


def play(cloud: LocalCloud, home: Path, language: str, folder: Path = FOLDER, files_of_run: int | None = None) -> Shown:
    """Load the demonstration cycle of a folder, work through its open sets, and through its final if it has one;
    everything is said on standard output.

    ``home`` is where the participant's settings and journals go; ``files_of_run`` draws fewer items than the final has.
    Raises DemonstrationError and OrganizerError.
    """
    organizer = Organizer(cloud, language)
    _announce("contest", "cycle", "load", "--direct", folder.name)
    with waiting(say("All files are checked and taken in …")):
        loaded = organizer.load(folder)
    click.echo(loaded)
    _publish_kit(organizer)
    _announce("contest", "team", "add", TEAM, TEAM_NAME, after=f" && contest token issue {TEAM}")
    with waiting(say("The team is entered …")):
        token = organizer.team(TEAM, TEAM_NAME)
    typed = _Person({**person_environment(), "HURDLE_HOME": str(home)}, language).type
    pku, office = partial(typed, "pku"), partial(typed, "contest", "--local")
    pku("login", cloud.url, "--token-stdin", stdin=token)
    with waiting(say("Sample accounts are made …")):
        organizer.staff()
        make_captain(cloud.url, TEAM)
    sets = {n: entry["kind"] for n, entry in json.loads((folder / "cycle.json").read_bytes())["sets"].items()}
    with urlopen(f"{cloud.url}/v1/cycle") as response:  # noqa: S310 - the local cloud's own address
        cycle = json.load(response)
    own = [mode for mode in cycle["modes"] if not mode["in_run"]]
    for set_name in (name for kind in _OPEN_KINDS for name, kind_of_set in sets.items() if kind_of_set == kind and own):
        # The contest's kind of session that takes most of the set, of those that count files where there are any.
        taking = [mode for mode in own if set_name in mode["sets"]]
        name = max(taking, key=lambda mode: (mode["counts"] == "files", mode["sets"][set_name]["most"]))["mode"]
        pku("pilot", "--set", set_name, *(() if name == "algorithmic" else ("--mode", name)))
        pku("report")
    for _ in cycle["submissions"] if not own else ():
        pku("pilot")
    in_run = [mode for mode in cycle["modes"] if mode["in_run"]]
    finals = [name for name, kind in sets.items() if kind == "final" and in_run]
    signed_in = sign_in(cloud.url, ORGANIZER, "staff")
    organizer.keep(cloud.url, signed_in, home)
    if finals:  # a final takes the teams that are admitted, and no others
        why = say("The pilot shows the way.")
        office("qualification", "admit", TEAM, "--reason", why)
    has_qualified = "test" in sets.values()
    for set_name in finals if not has_qualified else ():
        _run(organizer, pku, set_name, files_of_run)
    pku("board", *(() if has_qualified else ("--final",)))
    if cycle["track"] == "essay":
        _give_to_experts(cloud, office)
    if not finals or not has_qualified:
        return Shown(token, language)
    start = utc(system_ms()) + timedelta(seconds=_LEFT_LEAD_S)
    run_id = _plan(organizer, finals[0], start, _LEFT_INTERVAL_S)
    return Shown(token, language, run_id, f"{start:%H:%M:%S} UTC")


def _publish_kit(organizer: Organizer) -> None:
    """Publish the participants' kit where it has been built."""
    kit = built_kit()
    if kit is not None:
        _announce("contest", "kit", "publish", "build/kit")
        with waiting(say("The kit's files are checked and signed …")):
            published = organizer.contest("kit", "publish", str(kit))
        click.echo(published)


def _give_to_experts(cloud: LocalCloud, office: Callable[..., None]) -> None:
    """Give the practice essay to the sample expert and a second one: there is work in the first one's list."""
    office("set", "import", _PRACTICE, str(FOLDER / _PRACTICE), "--kind", "test")
    office("staff", "invite", _SECOND_EXPERT, "Second expert", "expert")
    for member in ask(cloud.url, ORGANIZER, "/v1/staff", None, method="GET")["staff"]:
        if member["role"] == "expert":
            office("expert", "set", member["person_id"], "--subject", "eng", "--language", "eng")
    office("marking", "begin", "--set", _PRACTICE)


def _run(organizer: Organizer, pku: Callable[..., None], set_name: str, files: int | None) -> None:
    """Plan a run that opens a file every second, take part, publish its results."""
    start = utc(system_ms()) + timedelta(seconds=_LEAD_S)
    run_id = _plan(organizer, set_name, start, 1, *(() if files is None else ("--files", str(files))))
    pku("pilot", "--mode", "final", "--wait")
    for protocol in json.loads(organizer.contest("run", "protocols", run_id, "--json"))["wanted"]:
        reason = {"judges": "the judges have looked at every report", "commission": "the results are verified"}[
            protocol["by"]
        ]
        _organize(organizer, "run", "protocol", run_id, "--by", protocol["by"], "--wait", "--reason", reason)
    _organize(organizer, "run", "publish", run_id, "--wait")
    pku("report")


def _plan(organizer: Organizer, set_name: str, start: datetime, interval_s: int, *more: str) -> str:
    """Plan a final and return its name, as the command prints it.

    The list of runs does not tell it: a technical run that the platform plans meanwhile may start later.
    """
    times = ("--start", start.isoformat(timespec="seconds"), "--interval", str(interval_s))
    return _organize(organizer, "run", "plan", "--set", set_name, *times, *more)


@dataclass(frozen=True, slots=True)
class _Person:
    """Somebody at a terminal who types commands."""

    environment: Mapping[str, str]
    language: str

    def type(self, program: str, *words: str, stdin: str | None = None) -> None:
        """Show a command, run it, and let it write to this terminal; :class:`DemonstrationError` where it fails."""
        _announce(program, *words)
        typed = "" if stdin is None else _TYPED.format(line=f"{stdin}\n")
        status = run_here(typed + _COMMANDS[program], self.environment, "--lang", self.language, *words)
        if status != 0:
            line = shlex.join([program, *words])
            raise DemonstrationError(tr("{line} ended with exit code {status}", line=line, status=status))


_WIDEST: Final = 19
"""Characters of the column of names."""


def closing_words(cloud: LocalCloud, demonstrated: Shown) -> Sequence[str]:
    """Return suggestions of commands to try while the API keeps running."""

    def line(name: Text, what: str) -> str:
        return f"{in_language(name, demonstrated.language):<{_WIDEST}}{what}"

    url = cloud.url
    return (
        "",
        line(tr("The site is at"), f"{url}/" if built_site() else site_not_built()),
        line(tr("The API runs at"), url),
        line(tr("Documentation"), f"{url}/docs"),
        line(tr("A sample token"), demonstrated.token),
        line(tr("Try"), f"curl -H 'Authorization: Bearer {demonstrated.token}' {url}/v1/sessions"),
        line(tr("Log in as the team"), f"echo {demonstrated.token} | pku login {url} --token-stdin"),
        *(line(*words) for words in _about_final(demonstrated)),
        line(tr("Staff sign in"), f"contest login {url}   # {samples()}"),
        line(tr("Organize"), TRY_CONTEST),
        line(tr("The team's captain"), f"contest login {url} --participant   # {CAPTAIN}"),
        in_language(tr("Ctrl-C stops it."), demonstrated.language),
    )


def _about_final(demonstrated: Shown) -> Iterator[tuple[Text, str]]:
    """Commands about the final that was planned; each may be typed as it stands."""
    if demonstrated.final is None:
        return
    starts = say("starts at {final_starts}", final_starts=demonstrated.final_starts)
    yield tr("Join the final"), f"pku pilot --mode final --run {demonstrated.final}   # {starts}"
    yield tr("Verify the final"), f"pku verify-run {demonstrated.final} --wait"
    yield tr("Publish the final"), f"contest --local run publish {demonstrated.final} --wait"
    yield tr("Plan another"), f"contest --local run plan --set final --start +10m --interval {_LEFT_INTERVAL_S}"


def _organize(organizer: Organizer, *words: str) -> str:
    """Run an organizers' command, show it with its output, and return the output; it takes its time."""
    _announce("contest", *words)
    with waiting(say("The platform is at work …")):
        printed = organizer.contest(*words)
    click.echo(printed)
    return printed


def _announce(*words: str, after: str = "") -> None:
    """Return a command as a shell takes it."""
    click.echo(f"\n$ {shlex.join(words)}{after}")
