"""Try a deployment out from its creation to its end: ``make acceptance CYCLE=NAME``.

``python -m infra.trial_run CYCLE [--local] [--cycle-folder FOLDER]`` deploys the cycle, lets five teams of the kit
play a short final, deploys again, restores the storage to a moment after the final, deploys what was restored, takes
everything down, deploys anew and takes it down again. It goes only by the commands that an operator types. Between the
steps the final's record must stay the same to the byte.

``--local`` goes through what needs no account on a local cloud; each other step says that it was not run. Exit code 0:
every step that was run is good, 1: one failed (what it left stands, and is told), 2: wrong usage.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, Protocol

from contest.settings import HOME, stack_name
from infra import machine, preflight
from infra.config import CYCLES, ConfigError, for_cycle
from infra.deploy import Answer
from infra.layers import ROOT

TEAMS: Final = tuple(f"trial-{number}" for number in range(1, 6))
FILES: Final = 4
INTERVAL_S: Final = 10
LEAD_S: Final = 60
"""Seconds from the planning of the final to its first opening: five programs start meanwhile."""
RECOVERABLE_S: Final = 900
"""Longest wait until a moment can be restored; five minutes as a rule ("Point-in-time recovery: How it works")."""
POLL_S: Final = 30
NOT_HERE: Final = "not run here: needs an account"
_YES: Final = "ARGS=--yes --anyway 'a trial of the deployment'"
"""Arguments that answer yes and allow a deployment within an hour of a technical run, else refused."""
_PORTS: Final = ("8790", "8791")


class FailedError(RuntimeError):
    """A step failed; the message says why."""


class Machine(Protocol):
    """Everything outside this process."""

    def run(self, words: Sequence[str], environment: Mapping[str, str], stdin: str = "") -> Answer:
        """Run a command to its end; ``stdin`` is its input."""

    def get(self, url: str) -> bytes:
        """Return the body that an address answers without a sign-in."""

    def address(self, cycle: str) -> str:
        """Return the address of a deployed cycle."""

    def now(self) -> datetime:
        """Return the time."""

    def sleep(self, seconds: float) -> None:
        """Wait."""

    def say(self, line: str) -> None:
        """Print a line."""


@dataclass
class Trial:
    """One trial: its inputs, and the results of its steps."""

    cycle: str
    folder: Path
    home: Path
    machine: Machine
    local_url: str = ""
    """The address of the local cloud; "" on an account."""
    tokens: dict[str, str] = field(default_factory=dict)
    run_id: str = ""
    record: bytes = b""
    played_at: datetime | None = None
    file: str = ""
    """The cycle's file before the restore wrote into it."""

    @property
    def url(self) -> str:
        """Return the address at which programs reach the cycle."""
        return self.local_url or self.machine.address(self.cycle)

    def make(self, *words: str) -> str:
        """Run a target of the Makefile on the cycle, as an operator does."""
        return self._run(["make", "--no-print-directory", *words, f"CYCLE={self.cycle}"], {})

    def contest(self, *words: str) -> str:
        """Run the organizers' command; return its output."""
        chosen = ["--local"] if self.local_url else ["--cycle", self.cycle]
        return self._run(["contest", "--lang", "en", *chosen, *words], {HOME: str(self.home)})

    def pku(self, team: str, *words: str, stdin: str = "") -> str:
        """Run the kit's command as a team, with a home of its own."""
        return self._run(["pku", *words, "--lang", "en"], {HOME: str(self.home / team)}, stdin)

    def _run(self, words: Sequence[str], environment: Mapping[str, str], stdin: str = "") -> str:
        answer = self.machine.run(words, environment, stdin)
        if answer.code:
            raise FailedError(f"{' '.join(words)} ended with exit code {answer.code}\n{answer.complained}")
        return answer.printed.strip()


def look(trial: Trial) -> None:
    """Look the account over before anything is made."""
    trial.make("preflight")


def deploy(trial: Trial) -> None:
    """Deploy the cycle as its file says."""
    trial.make("deploy", _YES)


def enter(trial: Trial) -> None:
    """Load the cycle's folder, enter five teams, and issue a token for each."""
    trial.contest("cycle", "load", "--direct", str(trial.folder))
    for team in TEAMS:
        trial.contest("team", "add", team, team.title())
        trial.tokens[team] = trial.contest("token", "issue", team).splitlines()[-1]


def play(trial: Trial) -> None:
    """Plan a final and let the teams' pilot programs play it; each checks the record against its own receipts."""
    start = trial.machine.now() + timedelta(seconds=LEAD_S)
    words = ("run", "plan", "--start", start.isoformat(timespec="seconds"), "--interval", str(INTERVAL_S))
    limits = ("--files", str(FILES), "--admit", ",".join(TEAMS))
    trial.run_id = trial.contest(*words, *limits).splitlines()[0]

    def play_one(team: str) -> None:
        trial.pku(team, "login", trial.url, "--token-stdin", stdin=f"{trial.tokens[team]}\n")
        trial.pku(team, "pilot", "--mode", "final", "--run", trial.run_id, "--wait")
        trial.pku(team, "verify-run", trial.run_id, "--wait")

    with ThreadPoolExecutor(len(TEAMS)) as teams:
        list(teams.map(play_one, TEAMS))
    trial.record = _record(trial)
    sessions = json.loads(trial.record)["record"]["sessions"]
    if sorted(session["team_id"] for session in sessions) != sorted(TEAMS):
        raise FailedError(f"the record names {len(sessions)} teams of {len(TEAMS)}")
    trial.played_at = trial.machine.now().replace(microsecond=0)


def compare(trial: Trial) -> None:
    """Read the record again: not a byte may have changed, and each team's receipts must still fit it."""
    if _record(trial) != trial.record:
        raise FailedError("the final's record is not the same to the byte")
    for team in TEAMS:
        trial.pku(team, "verify-run", trial.run_id)


def restore(trial: Trial) -> None:
    """Restore the storage to the second after the final, as soon as it can be."""
    if trial.played_at is None:
        raise FailedError("nothing was played")
    path = CYCLES / f"{trial.cycle}.yaml"
    trial.file = path.read_text("utf-8")
    moment = f"AT={trial.played_at:%Y-%m-%dT%H:%M:%SZ}"
    until = trial.machine.now() + timedelta(seconds=RECOVERABLE_S)
    while True:
        try:
            trial.make("restore", moment)
        except FailedError:
            if trial.machine.now() >= until:
                raise
            trial.machine.sleep(POLL_S)
        else:
            trial.machine.say("in no stack, delete it by hand:\n" + path.read_text("utf-8").partition("restored:")[2])
            return


def destroy(trial: Trial) -> None:
    """Take everything down, and forget what was restored: it is in no stack."""
    trial.make("destroy", _YES)
    if trial.file:
        (CYCLES / f"{trial.cycle}.yaml").write_text(trial.file, "utf-8")


@dataclass(frozen=True, slots=True)
class Step:
    """A step, and whether it can be gone through without an account."""

    name: str
    work: Callable[[Trial], None]
    is_local: bool = False


STEPS: Final = (
    Step("preflight", look),
    Step("deploy", deploy),
    Step("load the cycle, enter five teams", enter, is_local=True),
    Step("play a final, verify it", play, is_local=True),
    Step("deploy again", deploy),
    Step("compare record and receipts", compare, is_local=True),
    Step("restore", restore),
    Step("deploy what was restored", deploy),
    Step("compare the record after the restore", compare),
    Step("destroy", destroy),
    Step("deploy anew", deploy),
    Step("destroy again", destroy),
)


def go_through(trial: Trial) -> bool:
    """Go through the steps; return whether all that were run are good. A failed one ends the trial."""
    for number, step in enumerate(STEPS, start=1):
        named = f"{number:2}. {step.name}"
        if trial.local_url and not step.is_local:
            trial.machine.say(f"{named}: {NOT_HERE}")
            continue
        began = trial.machine.now()
        try:
            step.work(trial)
        except (FailedError, OSError, ValueError) as error:
            trial.machine.say(f"{named}: FAILED\n{error}")
            if not trial.local_url and step.work is not look:
                trial.machine.say(f"What is there stays and costs; take it down: make destroy CYCLE={trial.cycle}")
            return False
        trial.machine.say(f"{named}: good, {(trial.machine.now() - began).total_seconds():.0f} s")
    return True


class ThisMachine:
    """See :class:`Machine`."""

    def run(self, words: Sequence[str], environment: Mapping[str, str], stdin: str = "") -> Answer:
        """See :class:`Machine`."""
        beside = Path(sys.executable).with_name(words[0])
        done = subprocess.run(  # noqa: S603 -- our own commands
            [str(beside) if beside.exists() else words[0], *words[1:]],
            cwd=ROOT,
            env=machine.environment(**environment),
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        return Answer(done.returncode, done.stdout, done.stderr + done.stdout)

    def get(self, url: str) -> bytes:
        """See :class:`Machine`."""
        with urllib.request.urlopen(url) as answered:  # noqa: S310 -- the cycle's own address
            content: bytes = answered.read()
        return gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content

    def address(self, cycle: str) -> str:
        """See :class:`Machine`."""
        stack = preflight.this_account().stack(stack_name(cycle))
        if stack is None:
            raise FailedError(f"{stack_name(cycle)} is not deployed")
        return stack.outputs["Address"]

    def now(self) -> datetime:
        """See :class:`Machine`."""
        return machine.now()

    def sleep(self, seconds: float) -> None:
        """See :class:`Machine`."""
        time.sleep(seconds)

    def say(self, line: str) -> None:
        """See :class:`Machine`."""
        print(line, flush=True)


def _record(trial: Trial) -> bytes:
    return trial.machine.get(f"{trial.url}/v1/runs/{trial.run_id}/record")


def _on_local_cloud(cycle: str, folder: Path, home: Path) -> bool:
    """Go through the trial beside a local cloud that is started here and ended afterwards."""
    words = ["up", "--cycle", str(folder), "--port", _PORTS[0], "--aws-port", _PORTS[1]]
    hurdle = Path(sys.executable).with_name("hurdle")
    cloud = subprocess.Popen(  # noqa: S603 -- our own command
        [str(hurdle), *words],
        env=machine.environment(**{HOME: str(home), "PYTHONUNBUFFERED": "1"}),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        for line in cloud.stdout or ():
            if line.startswith(("Ready", "Готово")):
                break
        else:
            print("the local cloud did not start", file=sys.stderr)
            return False
        return go_through(Trial(cycle, folder, home, ThisMachine(), f"http://127.0.0.1:{_PORTS[0]}"))
    finally:
        cloud.terminate()
        cloud.wait()


def main(words: Sequence[str]) -> int:
    """Try the cycle that is named."""
    parser = argparse.ArgumentParser(prog="python -m infra.trial_run", description="Try a deployment out, to its end.")
    parser.add_argument("cycle", metavar="CYCLE")
    parser.add_argument("--local", action="store_true", help="what needs no account, on a local cloud")
    parser.add_argument("--cycle-folder", type=Path, default=ROOT / "local" / "demonstration", metavar="FOLDER")
    arguments = parser.parse_args(words)
    try:
        config = for_cycle(arguments.cycle)
    except ConfigError as error:
        print(f"acceptance: {error}", file=sys.stderr)
        return 2
    if config.retain_data or config.restored:
        print("acceptance: a trial takes its cycle down: name one with retain_data: false", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as home:
        if arguments.local:
            return 0 if _on_local_cloud(arguments.cycle, arguments.cycle_folder, Path(home)) else 1
        trial = Trial(arguments.cycle, arguments.cycle_folder, Path(home), ThisMachine())
        return 0 if go_through(trial) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
