"""Deploy a cycle as its file says: ``make deploy CYCLE=NAME``.

``python -m infra.deploy CYCLE [--yes] [--anyway REASON]`` looks first (:mod:`infra.preflight`), asks the cycle for open
runs, tells in words what would change (:mod:`infra.changes`) and asks. Nothing is created before the answer. Then each
stack is deployed in its order, a real cycle is protected against deletion, and the site's files are put. A deployment
that stopped anywhere is repeated by the same command. Exit code 0: deployed, 1: refused or failed, 2: wrong usage.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final, Protocol

from contest import settings
from contest.settings import stack_name
from infra import address_keys, assembly, changes, machine, preflight, site
from infra.account import Account, Deployed, RefusedError, guarded
from infra.assembly import StackFile
from infra.config import CycleConfig, for_cycle
from infra.layers import ROOT
from infra.preflight import CDK, go_on

OPEN: Final = 3
"""Exit code of ``contest cycle deploying`` while a run is open."""
_EVENTS: Final = 5
"""Most reasons of a failure that are shown."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Exit code and output of a command."""

    code: int
    printed: str = ""
    complained: str = ""


class Tools(Protocol):
    """Everything outside this process but the account: the CDK app and command, the contest's command, the person."""

    def synthesize(self, cycle: str, context: Mapping[str, str]) -> Sequence[StackFile]:
        """Synthesize the cycle; :class:`infra.assembly.SynthesisError`."""

    def cdk(self, words: Sequence[str]) -> int:
        """Run the CDK command on what was synthesized last, before the person's eyes; return its exit code."""

    def contest(self, words: Sequence[str]) -> Answer:
        """Run the contest's command with AWS credentials, as nobody who has signed in."""

    def ask(self, question: str) -> str | None:
        """Return what a person answers; None where nobody can be asked."""

    def say(self, line: str) -> None:
        """Print a line."""


@dataclass(frozen=True, slots=True)
class Wish:
    """The cycle to deploy and the options. ``anyway``: the reason to deploy though a run is open."""

    cycle: str
    yes: bool = False
    anyway: str = ""


# Clause: platform §2 deployment
def deploy(wish: Wish, account: Account, tools: Tools, now: Callable[[], datetime]) -> int:
    """Deploy; return the exit code."""

    def work() -> int:
        config = for_cycle(wish.cycle)
        go_on(preflight.basics(account), tools.say)
        there = stacks_of(config, account)
        stacks = _synthesized(config, there, tools)
        look = preflight.looked(config, account, stacks, now())
        go_on(preflight.examine(look), tools.say)
        runs = open_runs(wish, look.there[stack_name(wish.cycle)], tools)
        lost = _show(look, tools)
        _confirm(wish, tools, is_lossy=config.retain_data and lost)
        if runs:
            note_reason(wish, tools)
        for name in address_keys.make_missing(config, account.client("secretsmanager")):
            tools.say(f"made the secret {name}")
        outputs = _deploy_each(stacks, account, tools)
        if config.retain_data:
            _protect(config, stacks, account, tools)
        _finish(config, outputs, account, tools)
        return 0

    return guarded("deploy", tools.say, work)


def stacks_of(config: CycleConfig, account: Account) -> Mapping[str, Deployed | None]:
    """Return the cycle's stacks as they are in the account, by name."""
    ends = {"--storage": None, "--firewall": assembly.FIREWALL_REGION, "": None, "--programs": None}
    names = {stack_name(config.cycle) + end: region for end, region in ends.items()}
    return {name: account.stack(name, region) for name, region in names.items()}


def _synthesized(
    config: CycleConfig, there: Mapping[str, Deployed | None], tools: Tools, *, whole: bool = False
) -> Sequence[StackFile]:
    """Synthesize the cycle's stacks, protected as they are in the account: a new one must be able to fail.

    ``whole``: all of them are complete, and protected from now on.
    """
    protected = [name for name, stack in there.items() if stack and (whole or stack.protected)]
    stacks = tools.synthesize(config.cycle, {"protected": ",".join(protected)})
    programs = stack_name(config.cycle) + "--programs"
    if there.get(programs) and programs not in {stack.name for stack in stacks}:
        tools.say(
            f"{programs} is there, though the cycle's file has no programs; it stays and costs until "
            f"make destroy CYCLE={config.cycle} ARGS=--programs"
        )
    return stacks


def open_runs(wish: Wish, there: Deployed | None, tools: Tools) -> bool:
    """Return whether the deployment meets an open run; :class:`RefusedError` unless there is a reason to go on."""
    if there is None or not there.serves:
        return False  # nobody can run anything
    answer = tools.contest(["--cycle", wish.cycle, "cycle", "deploying", "--json"])
    if answer.code == 0:
        return False
    if answer.code == OPEN:
        runs = json.loads(answer.printed)["runs"]
        listing = "; ".join(
            f"{run['run_id']} ({run['mode']}) is {run['state']}, start {run['starts_at']}" for run in runs
        )
        trouble = f"a run is open: {listing}"
    else:
        trouble = f"the cycle cannot be asked for open runs: {answer.complained.strip() or answer.printed.strip()}"
    if not wish.anyway:
        raise RefusedError(f"{trouble}. Nothing changes under a run: wait, or go on with ARGS='--anyway \"REASON\"'")
    tools.say(f"{trouble}. It goes on: {wish.anyway}")
    return True


def _show(look: preflight.Look, tools: Tools) -> bool:
    """Tell what each stack changes; return whether something is lost for good."""
    lost: list[str] = []
    for stack in look.stacks:
        before = look.deployed[stack.name]
        tools.say(changes.describe(before, stack))
        lost += changes.losses(before, stack)
    for loss in lost:
        tools.say(f"LOST FOR GOOD: {loss}")
    return bool(lost)


def _confirm(wish: Wish, tools: Tools, *, is_lossy: bool) -> None:
    """Ask a person; ``--yes`` answers unless a real cycle loses something (:class:`RefusedError` without a yes)."""
    if wish.yes and not is_lossy:
        return
    answer = tools.ask(f"Deploy {wish.cycle}? [yes/no] ")
    if answer is None:
        remedy = "what a real cycle loses is for a person to say" if is_lossy else "a pipeline says ARGS=--yes"
        raise RefusedError(f"nobody can be asked here; {remedy}. Nothing was changed")
    if answer.strip().lower() not in {"y", "yes"}:
        raise RefusedError("nothing was changed")


def note_reason(wish: Wish, tools: Tools) -> None:
    """Write into the cycle's audit log why it is changed under a run."""
    answer = tools.contest(["--cycle", wish.cycle, "cycle", "deploying", "--json", "--anyway", wish.anyway])
    if answer.code:
        tools.say("The reason could not be written into the cycle's audit log: write it down elsewhere.")


def _deploy_each(stacks: Sequence[StackFile], account: Account, tools: Tools) -> Mapping[str, str]:
    """Deploy the stacks in their order and return their outputs; an output is another's parameter of the same name."""
    outputs: dict[str, str] = {}
    done: list[str] = []
    for stack in stacks:
        words = ["deploy", stack.name, "--exclusively", "--require-approval", "never"]
        for name in stack.parameters:
            if name not in outputs:
                raise RefusedError(f"{stack.name} needs {name}, which no stack before it tells")
            words += ["--parameters", f"{stack.name}:{name}={outputs[name]}"]
        if tools.cdk(words):
            causes = reasons(stack.name, stack.region, account)
            details = "".join(f"\n  {reason}" for reason in causes)
            before = f" {', '.join(done)} stand as deployed." if done else ""
            raise RefusedError(
                f"{stack.name} was not deployed.{before} Nothing after it was tried.{details}\n"
                "Mend the reason and run the same command again."
            )
        done.append(stack.name)
        deployed = account.stack(stack.name, stack.region)
        outputs |= deployed.outputs if deployed else {}
    return outputs


def reasons(name: str, region: str | None, account: Account) -> list[str]:
    """Return the first reasons of a stack's latest failure; what was cancelled for another's sake tells none."""
    if account.stack(name, region) is None:
        return []
    events = account.client("cloudformation", region).describe_stack_events(StackName=name)["StackEvents"]
    failed = [
        f"{event.get('LogicalResourceId')} ({event.get('ResourceType')}): {event['ResourceStatusReason']}"
        for event in reversed(events)
        if event.get("ResourceStatus", "").endswith("FAILED")
        and "cancelled" not in event.get("ResourceStatusReason", "cancelled")
    ]
    return failed[:_EVENTS]


def _protect(config: CycleConfig, stacks: Sequence[StackFile], account: Account, tools: Tools) -> None:
    """Protect the stacks of a real cycle, now that all are complete, and what its storage keeps.

    The first deployment is the only one with something to do here: a protected stack could not have failed and be
    deployed again.
    """
    there = stacks_of(config, account)
    if all(there[stack.name] and there[stack.name].protected for stack in stacks):  # type: ignore[union-attr]  # asked
        return
    tools.say("Everything is deployed: protecting it against deletion")
    storage = next(
        stack for stack in _synthesized(config, there, tools, whole=True) if stack.name.endswith("--storage")
    )
    if tools.cdk(["deploy", storage.name, "--exclusively", "--require-approval", "never"]):
        raise RefusedError(
            "the cycle is deployed, but its storage is not protected against deletion; run the same command again"
        )
    for stack in stacks:
        account.client("cloudformation", stack.region).update_termination_protection(
            StackName=stack.name, EnableTerminationProtection=True
        )


def _finish(config: CycleConfig, outputs: Mapping[str, str], account: Account, tools: Tools) -> None:
    for line in site.publish(account.client("s3"), outputs):
        tools.say(line)
    tools.say(f"deployed: {config.cycle} is at {outputs['Address']}")
    if config.domain_name:
        tools.say(f"let the name {config.domain_name} point to {outputs['DistributionHost']}")
    if config.alarm_email:
        tools.say(f"alarms go to {config.alarm_email}: whoever reads it confirms the message of AWS Notifications")


class Terminal:
    """The tools of this machine."""

    def __init__(self, folder: Path, region: str) -> None:
        self._folder = folder
        self._environment = machine.environment(AWS_REGION=region, AWS_DEFAULT_REGION=region)
        """Everybody works in the region that was looked at, whichever of the two variables they read."""

    def synthesize(self, cycle: str, context: Mapping[str, str]) -> Sequence[StackFile]:
        """See :class:`Tools`."""
        return assembly.synthesize(cycle, self._folder, context)

    def cdk(self, words: Sequence[str]) -> int:
        """See :class:`Tools`."""
        command = ["npx", "--yes", CDK, *words, "--app", str(self._folder)]
        done = subprocess.run(command, cwd=ROOT, env=self._environment, check=False)  # noqa: S603 -- our own words only
        return done.returncode

    def contest(self, words: Sequence[str]) -> Answer:
        """See :class:`Tools`."""
        with tempfile.TemporaryDirectory() as home:  # in which nobody has signed in: with AWS credentials
            done = subprocess.run(  # noqa: S603 -- our own command
                [str(Path(sys.executable).with_name("contest")), "--lang", "en", *words],
                env={**self._environment, settings.HOME: home},
                capture_output=True,
                text=True,
                check=False,
            )
        return Answer(done.returncode, done.stdout, done.stderr)

    def ask(self, question: str) -> str | None:
        """See :class:`Tools`."""
        return input(question) if sys.stdin.isatty() else None

    def say(self, line: str) -> None:
        """See :class:`Tools`."""
        print(line, flush=True)


def main(words: Sequence[str]) -> int:
    """Deploy the cycle that is named."""
    parser = argparse.ArgumentParser(prog="python -m infra.deploy", description="Deploy a cycle as its file says.")
    parser.add_argument("cycle", metavar="CYCLE")
    parser.add_argument("--yes", action="store_true", help="do not ask: for pipelines")
    parser.add_argument("--anyway", default="", metavar="REASON", help="deploy though a run is open; goes to the log")
    arguments = parser.parse_args(words)
    wish = Wish(arguments.cycle, arguments.yes, arguments.anyway)
    account = preflight.this_account()
    return deploy(wish, account, Terminal(assembly.FOLDER, account.region), machine.now)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
