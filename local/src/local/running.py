"""Run the local cloud: until Ctrl-C, or to play a demonstration or a trial on it.

The demonstration is a whole qualification on this machine, played with the commands that participants use.
"""

from __future__ import annotations

import json
import shlex
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.request import urlopen

import click

from local.aws.emulator import EmulatorGoneError
from local.aws.state import StateError, variables_of
from local.aws.template import TemplateError
from local.clock import monotonic_s, system_ms, utc
from local.cloud import DEFAULT_TEMPLATE, LocalCloud
from local.environment import FOLDER, FUNCTIONS, folder_of, person_environment
from local.gateways.objects import built_kit, built_site, site_not_built
from local.lambdas.runtime import Logs
from local.organizing import (
    CAPTAIN,
    COMMAND,
    CYCLE_VARIABLE,
    HOOK_LOOPBACK_VARIABLE,
    NAMELESS,
    ORGANIZER,
    PROGRAMS,
    PROGRAMS_VARIABLES,
    TRY_CONTEST,
    Organizer,
    OrganizerError,
    ask,
    in_words,
    make_captain,
    read_cycle,
    run_here,
    samples,
    sign_in,
)
from local.texts import say, tr
from local.trial import CorpusError
from markup_core.texts import Text, in_language, localized, number
from pku.errors import PkuError
from tracks.command.console import waiting

if TYPE_CHECKING:
    from types import FrameType

_OPEN_KINDS: Final = ("training", "test")
"""Sets that a program may open a session over, in the order in which they are worked through."""
_LEAD_S: Final = 20
"""Seconds from the planning of a run to its start: a program takes a few seconds to join."""
_LEFT_LEAD_S: Final = 300
"""Seconds to the start of the final that is planned for the person who tries the platform."""
_LEFT_INTERVAL_S: Final = 15
"""Seconds between the openings of that final, which takes two minutes."""
_PRACTICE: Final = "practice"
"""The set, and its folder, of the essay that the sample expert finds in the list of work."""
_SECOND_EXPERT: Final = "second-expert@example.org"
TEAM, TEAM_NAME = "pilot", "Pilot program"
_COMMANDS: Final = {"contest": COMMAND, "pku": 'from pku.cli import main\nmain(prog_name="pku")\n'}
_TYPED: Final = "import io, sys\nsys.stdin = io.TextIOWrapper(io.BytesIO({line!r}.encode()), 'utf-8')\n"


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


def play_demonstration(
    cloud: LocalCloud, home: Path, language: str, folder: Path = FOLDER, files_of_run: int | None = None
) -> Shown:
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
    """A person who types commands at a terminal."""

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
    """Print a command as a shell takes it."""
    click.echo(f"\n$ {shlex.join(words)}{after}")


_EXPECTED = (
    *(StateError, EmulatorGoneError, TemplateError, OSError),
    *(CorpusError, OrganizerError, DemonstrationError, PkuError),
)
_LOOK_AGAIN_S = 0.2
_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class _StopRequest(BaseException):
    """A signal asked to stop; no `except Exception` on the way may swallow it."""


def up(  # noqa: PLR0913, PLR0917 - one parameter per option of the command
    port: int,
    host: str,
    aws_port: int,
    state: Path | None,
    workers: int,
    template: Path,
    functions: Path,
    cycle: Path | None,
    log_dir: Path | None,
    mails: Path,
    hooks_loopback: bool,
    verbose: bool,
) -> None:
    """Run the local cloud until Ctrl-C."""
    started = monotonic_s()
    stop = _Signals()
    logs = Logs(log_dir, verbose=verbose)
    try:
        named = {CYCLE_VARIABLE: name_of(cycle, state), **PROGRAMS_VARIABLES}
        if hooks_loopback:
            named[HOOK_LOOPBACK_VARIABLE] = "yes"
        cloud = LocalCloud(
            template,
            functions,
            port=port,
            host=host,
            aws_port=aws_port,
            workers=workers,
            state=state,
            logs=logs,
            warm=True,
            site=built_site,
            variables=named,
            jobs=PROGRAMS,
            mails=mails,
        )
        with _started(cloud), contest_finds(cloud) as has_sample_accounts:
            if cycle is not None:
                with waiting(say("The cycle is loaded …")):
                    loaded = Organizer(cloud).load(cycle)
                click.echo(loaded)
            _tell_addresses(cloud, has_sample_accounts)
            click.echo(say("Mails         {folder}", folder=mails.resolve()))
            took = number(monotonic_s() - started, 1)
            click.echo(say("Ready in {took} s. Ctrl-C stops it.", took=took))
            stop.wait_for_request(cloud)
    except _StopRequest:
        pass
    except (TemplateError, StateError, OSError, EmulatorGoneError, OrganizerError) as error:
        raise click.ClickException(in_words(error)) from error
    click.echo(say("Stopped."))


def name_of(cycle: Path | None, state: Path | None) -> str:
    """Return a cloud's name: that of the cycle that it loads, or of its state's cycle."""
    earlier = variables_of(state) if state is not None and cycle is None else {}
    return read_cycle(cycle)[0] if cycle is not None else earlier.get(CYCLE_VARIABLE, NAMELESS)


@contextmanager
def _started(cloud: LocalCloud) -> Iterator[LocalCloud]:
    """Run the cloud while the context lasts; say first that it starts, which takes time."""
    with ExitStack() as stack:
        with waiting(say("The local cloud starts …")):
            stack.enter_context(cloud)
        yield cloud


def _tell_addresses(cloud: LocalCloud, has_sample_accounts: bool) -> None:
    def line(name: Text, what: str) -> None:
        click.echo(f"{localized(name):<14}{what}")

    line(tr("Site"), f"{cloud.url}/" if built_site() else site_not_built())
    line(tr("API"), cloud.url)
    line(tr("AWS endpoint"), cloud.endpoint_url)
    if has_sample_accounts:
        line(tr("Sign in"), f"contest login {cloud.url}   # {samples()}")
        line(tr("Organize"), TRY_CONTEST)


def demo(port: int, lang: str, once: bool, track: str) -> None:
    """Play a qualification of the pilot program on a contest's demonstration cycle, then leave the API running."""
    stop = _Signals()
    folder = folder_of(track)
    try:
        with (
            _told_errors(),
            tempfile.TemporaryDirectory(prefix="hurdle-demo-") as home,
            _started(
                LocalCloud(
                    DEFAULT_TEMPLATE,
                    FUNCTIONS,
                    port=port,
                    workers=2,
                    warm=True,
                    site=built_site,
                    variables={CYCLE_VARIABLE: read_cycle(folder)[0], **PROGRAMS_VARIABLES},
                    jobs=PROGRAMS,
                )
            ) as cloud,
        ):
            demonstrated = play_demonstration(cloud, Path(home), lang, folder)
            if not once:
                with contest_finds(cloud):
                    click.echo("\n".join(closing_words(cloud, demonstrated)))
                    stop.wait_for_request(cloud)
    except _StopRequest:
        pass
    click.echo(say("Stopped."))


def trial(data: Path) -> None:
    """Play the exchange on a corpus of real texts with two annotators in DATA and check what comes out.

    Exit code 1 when a check fails.
    """
    from local.trial import play, show_trial

    with _told_errors(), _started(LocalCloud(DEFAULT_TEMPLATE, FUNCTIONS, workers=2, warm=True)) as cloud:
        played, checks = play(cloud, data, click.echo)
    show_trial(played, checks)
    if not all(check.passed for check in checks):
        sys.exit(1)


@contextmanager
def contest_finds(cloud: LocalCloud) -> Iterator[bool]:
    """Context in which ``contest --local`` finds a local cloud, as its sample organizer.

    False where there is nobody to sign in as: no pools, or accounts of an imported state.
    """
    with waiting(say("Sample accounts are made …")):
        if cloud.lacks_accounts():
            Organizer(cloud).staff()
        has_sample_accounts = cloud.has_account(ORGANIZER)
        if has_sample_accounts:
            Organizer(cloud).keep(cloud.url, sign_in(cloud.url, ORGANIZER, "staff"))
    try:
        yield has_sample_accounts
    finally:
        if has_sample_accounts:
            Organizer(cloud).forget(cloud.url)


@contextmanager
def _told_errors() -> Iterator[None]:
    """Turn expected failures into a message without a stack trace."""
    try:
        yield
    except _EXPECTED as error:
        raise click.ClickException(in_words(error)) from error


class _Signals:
    """Until the cloud is up a stop signal interrupts its start; later it ends `wait_for_request`."""

    def __init__(self) -> None:
        self._requested = threading.Event()
        self._interrupts = True
        for signal_number in _STOP_SIGNALS:
            signal.signal(signal_number, self._handle)

    def wait_for_request(self, cloud: LocalCloud) -> None:
        """Return when a stop signal has come; further ones do not disturb the tidying up.

        Meanwhile a site that appears is announced, and AWS services that have ended raise EmulatorGoneError.
        """
        self._interrupts = False
        has_site = built_site() is not None
        # A signal that comes just before the wait blocks, or to another thread, does not end it: so look again.
        while not self._requested.wait(timeout=_LOOK_AGAIN_S):
            cloud.check()
            if not has_site and built_site() is not None:
                has_site = True
                click.echo(say("The site is here now: {url}/", url=cloud.url))

    def _handle(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self._requested.set()
        if self._interrupts:
            self._interrupts = False
            raise _StopRequest
