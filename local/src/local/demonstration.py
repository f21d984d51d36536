"""The demonstration: a whole qualification on this machine, played with the commands that participants use."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Final
from urllib.request import urlopen

import click

from local.clock import system_ms, utc
from local.cloud import LocalCloud
from local.environment import person_environment
from local.gateways.site import built_kit, built_site
from local.organizing import TRY_CONTEST, Organizer, samples
from local.sample_accounts import CAPTAIN, make_captain
from markup_core.said import Said
from markup_core.speaking import say
from tracks.command.heard import waiting

FOLDER = Path(__file__).parents[2] / "demonstration"
_CONTESTS: Final = FOLDER.with_name("contests")
"""Cycles of the other contests, a folder each."""
_OPEN_KINDS: Final = ("training", "test")
"""Sets that a program may open a session over, in the order in which they are worked through."""
_LEAD_S: Final = 20
"""From the planning of a run to its start: a program takes a few seconds to join."""
TEAM, TEAM_NAME = "pilot", "Pilot program"


class DemonstrationError(Exception):
    """A command of the demonstration failed; the message names it."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What stays of a demonstration: the sample token for the API that keeps running, and the language spoken."""

    token: str
    language: str


def contests() -> tuple[str, ...]:
    """The contests that can be shown, the essays first.

    Clause: TS T18
    """
    return ("essay", *sorted(each.parent.name for each in _CONTESTS.glob("*/cycle.json")))


def folder_of(contest: str) -> Path:
    """The demonstration cycle of a contest."""
    return FOLDER if contest == "essay" else _CONTESTS / contest


def play(cloud: LocalCloud, home: Path, language: str, folder: Path = FOLDER, files_of_run: int | None = None) -> Shown:
    """Load the demonstration cycle of a folder, work through its open sets, and through its final if it has one;
    everything is said on standard output.

    ``home`` is where the participant's settings and journals go; ``files_of_run`` draws fewer items than the final has.
    Raises DemonstrationError and OrganizerError.
    """
    organizer = Organizer(cloud, language)
    _announce("contest", "cycle", "load", "--direct", folder.name)
    with waiting(say("All files are checked and taken in …", "Проверяются и загружаются все файлы…")):
        loaded = organizer.load(folder)
    click.echo(loaded)
    kit = built_kit()
    if kit is not None:
        _announce("contest", "kit", "publish", "build/kit")
        with waiting(say("The kit's files are checked and signed …", "Файлы модуля проверяются и подписываются…")):
            published = organizer.contest("kit", "publish", str(kit))
        click.echo(published)
    _announce("contest", "team", "add", TEAM, TEAM_NAME, after=f" && contest token issue {TEAM}")
    with waiting(say("The team is entered …", "Команда вносится…")):
        token = organizer.team(TEAM, TEAM_NAME)
    person = _Person({**person_environment(), "HURDLE_HOME": str(home)}, language)
    person.pku("login", cloud.url, "--token-stdin", said=token)
    with waiting(say("Sample accounts are made …", "Создаются учётные записи для пробы…")):
        organizer.staff()
        make_captain(cloud.url, TEAM)
    named = json.loads((folder / "cycle.json").read_text("utf-8"))["sets"]
    sets = {name: each["kind"] for name, each in named.items()}
    told = _cycle(cloud)
    own = [each for each in told["modes"] if not each["in_run"]]
    for set_name in (name for kind in _OPEN_KINDS for name, each in sets.items() if each == kind and own):
        person.pku("pilot", "--set", set_name, *_mode(own, set_name))
        person.pku("report")
    for _ in told["submissions"] if not own else ():
        person.pku("pilot")
    in_run = [each for each in told["modes"] if each["in_run"]]
    for set_name in (name for name, kind in sets.items() if kind == "final" and in_run):
        _run(organizer, person, set_name, files_of_run)
    person.pku("board", *(() if "test" in sets.values() else ("--final",)))
    return Shown(token, language)


def _cycle(cloud: LocalCloud) -> Any:
    """The cycle as everybody is told of it."""
    with urlopen(f"{cloud.url}/v1/cycle") as answered:  # noqa: S310 - the local cloud's own address
        return json.load(answered)


def _mode(own: Sequence[Mapping[str, Any]], set_name: str) -> tuple[str, ...]:
    """How a set is opened whole: in the contest's kind of session that takes most of it, of those that count files
    where there are any, by its name if it is not the usual one."""
    taking = [each for each in own if set_name in each["sets"]]
    name = max(taking, key=lambda each: (each["counts"] == "files", each["sets"][set_name]["most"]))["mode"]
    return () if name == "algorithmic" else ("--mode", name)


def _run(organizer: Organizer, person: _Person, set_name: str, files: int | None) -> None:
    """Plan a run that opens a file every second, take part, publish its results."""
    start = utc(system_ms()) + timedelta(seconds=_LEAD_S)
    wanted = () if files is None else ("--files", str(files))
    plan = (
        "run",
        "plan",
        "--set",
        set_name,
        "--start",
        start.isoformat(timespec="seconds"),
        "--interval",
        "1",
        *wanted,
    )
    _organize(organizer, *plan)
    run_id = json.loads(organizer.contest("run", "list", "--json"))[0]["run_id"]
    person.pku("pilot", "--mode", "final", "--wait")
    for each in json.loads(organizer.contest("run", "protocols", run_id, "--json"))["wanted"]:
        reason = {"judges": "the judges have looked at every report", "commission": "the results are verified"}[
            each["by"]
        ]
        _organize(organizer, "run", "protocol", run_id, "--by", each["by"], "--wait", "--reason", reason)
    _organize(organizer, "run", "publish", run_id, "--wait")
    person.pku("report")


class _Person:
    """Somebody at a terminal who types commands of the kit."""

    def __init__(self, environment: Mapping[str, str], language: str) -> None:
        self._environment = dict(environment)
        self._language = language

    def pku(self, *words: str, said: str | None = None) -> None:
        """Show the command, run it, and let it write to this terminal."""
        _announce("pku", *words)
        command = [str(Path(sys.executable).with_name("pku")), *words, "--lang", self._language]
        done = subprocess.run(  # noqa: S603 - our own command with our own words
            command, env=self._environment, input=None if said is None else f"{said}\n", text=True, check=False
        )
        if done.returncode != 0:
            command_line, status = f"pku {' '.join(words)}", done.returncode
            raise DemonstrationError(
                Said(f"{command_line} ended with exit code {status}", f"{command_line}: код завершения {status}")
            )


_CLOSING: Final[Mapping[str, tuple[str, str]]] = {
    "site": ("The site is at", "Сайт"),
    "no_site": ("The site           is not built (make site)", "Сайт               не собран (make site)"),
    "api": ("The API runs at", "API"),
    "documentation": ("Documentation", "Документация"),
    "token": ("A sample token", "Токен для пробы"),
    "try": ("Try", "Попробуйте"),
    "staff": ("Staff sign in", "Вход сотрудников"),
    "organize": ("Organize", "Организаторам"),
    "captain": ("The team's captain", "Капитан команды"),
    "stop": ("Ctrl-C stops it.", "Остановить: Ctrl-C."),
}
"""What is said when all is played, in English and Russian."""
_WIDEST: Final = 19
"""Characters of the column of names."""


def closing_words(cloud: LocalCloud, shown: Shown) -> Sequence[str]:
    """What to try while the API keeps running."""

    def said(name: str) -> str:
        return _CLOSING[name][shown.language == "ru"]

    def line(name: str, what: str) -> str:
        return f"{said(name):<{_WIDEST}}{what}"

    return (
        "",
        line("site", f"{cloud.url}/") if built_site() else said("no_site"),
        line("api", cloud.url),
        line("documentation", f"{cloud.url}/docs"),
        line("token", shown.token),
        line("try", f"curl -H 'Authorization: Bearer {shown.token}' {cloud.url}/v1/sessions"),
        line("staff", f"contest login {cloud.url}   ({samples()})"),
        line("organize", TRY_CONTEST),
        line("captain", f"contest login {cloud.url} --participant   ({CAPTAIN})"),
        said("stop"),
    )


def _organize(organizer: Organizer, *words: str) -> None:
    """Show a command of the organizers, run it, and say that it takes its time."""
    _announce("contest", *words)
    with waiting(say("The platform is at work …", "Платформа работает…")):
        told = organizer.contest(*words)
    click.echo(told)


def _announce(*words: str, after: str = "") -> None:
    """A command as a shell takes it."""
    click.echo(f"\n$ {shlex.join(words)}{after}")
