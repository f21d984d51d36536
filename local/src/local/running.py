"""Running the local cloud: until Ctrl-C, or to play a demonstration or a trial on it."""

from __future__ import annotations

import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from local import demonstration
from local.aws.emulator import EmulatorGoneError
from local.aws.state import StateError, variables_of
from local.aws.template import TemplateError
from local.clock import monotonic_s
from local.cloud import DEFAULT_TEMPLATE, LocalCloud
from local.contest_folders import folder_of
from local.demonstration import DemonstrationError
from local.gateways.site import built_site, site_not_built
from local.lambdas.runtime import Logs
from local.organizing import (
    CYCLE_VARIABLE,
    HOOK_LOOPBACK_VARIABLE,
    NAMELESS,
    ORGANIZER,
    PROGRAMS,
    PROGRAMS_VARIABLES,
    TRY_CONTEST,
    Organizer,
    OrganizerError,
    in_words,
    read_cycle,
    samples,
    sign_in,
)
from local.texts import say, tr
from local.trial import CorpusError
from markup_core.texts import Text, localized, number
from pku.errors import PkuError
from tracks.command.console import waiting

if TYPE_CHECKING:
    from types import FrameType

_SOURCES = Path(__file__).parents[3] / "functions"
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
                    _SOURCES,
                    port=port,
                    workers=2,
                    warm=True,
                    site=built_site,
                    variables={CYCLE_VARIABLE: read_cycle(folder)[0], **PROGRAMS_VARIABLES},
                    jobs=PROGRAMS,
                )
            ) as cloud,
        ):
            demonstrated = demonstration.play(cloud, Path(home), lang, folder)
            if not once:
                with contest_finds(cloud):
                    click.echo("\n".join(demonstration.closing_words(cloud, demonstrated)))
                    stop.wait_for_request(cloud)
    except _StopRequest:
        pass
    click.echo(say("Stopped."))


def trial(data: Path) -> None:
    """Play the exchange on a corpus of real texts with two annotators in DATA and check what comes out.

    Exit code 1 when a check fails.
    """
    from local.trial import play, show_trial

    with _told_errors(), _started(LocalCloud(DEFAULT_TEMPLATE, _SOURCES, workers=2, warm=True)) as cloud:
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
