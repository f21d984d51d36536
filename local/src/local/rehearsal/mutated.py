"""``python -m local.rehearsal.mutated``: rehearsals on broken platforms, two at a time, and which of them stayed green.

Each mutant has a rehearsal of its own, in a process of its own. One that turns red, or comes to no end, has killed the
mutant. One that stays green lets it live: whether it made a difference anywhere is told beside it, and counts for
nothing.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import click

from local.aws.emulator import EmulatorGoneError
from local.clock import monotonic_s
from local.organizing import OrganizerError
from local.rehearsal.final import Settings, staged
from local.rehearsal.harm import bugs
from local.rehearsal.harm.mutants import seams
from local.rehearsal.history import History
from local.rehearsal.play.injections import ALL
from local.rehearsal.proof.checker import check

_LIMIT_S: Final = 600.0
_AT_ONCE: Final = 2
_SHARE: Final = 0.6
"""Of the files so many have a trick: what is wrong shows only when it is provoked."""
KILLED, SURVIVED, EQUIVALENT = "killed", "survived", "equivalent"
_MODULE: Final = "local.rehearsal.mutated"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a mutant: ``by`` names the checks that turned red; ``differed`` whether it made a difference in
    any process."""

    name: str
    word: str
    by: tuple[str, ...]
    differed: bool
    seconds: float

    def __str__(self) -> str:
        beside = ", ".join(self.by) if self.word == KILLED else "made a difference" if self.differed else "not provoked"
        return f"{self.word:10} {self.name}  ({beside}; {self.seconds:.0f} s)"


@click.command()
@click.option("--seed", default=1, show_default=True, help="Draws the mutants.")
@click.option("--count", default=20, show_default=True, type=click.IntRange(1), help="How many are drawn.")
@click.option("--named", is_flag=True, help="All bugs with names instead of drawn ones.")
@click.option("--only", multiple=True, metavar="NAME", help="These, instead of drawn ones; may be given several times.")
@click.option("--teams", default=5, show_default=True, type=click.IntRange(1), help="Teams of each rehearsal.")
@click.option("--files", default=8, show_default=True, type=click.IntRange(1), help="Files of each.")
@click.option("--seconds", default=0.0, help="Begin no rehearsal after so many seconds; 0: try them all.")
@click.option("--report", type=click.Path(dir_okay=False, path_type=Path), help="Write the verdicts as JSON.")
@click.option("--one", hidden=True, help="Play one and print what was found, for the command itself.")
def main(  # noqa: PLR0913 - one parameter per option of the command
    *,
    seed: int,
    count: int,
    named: bool,
    only: Sequence[str],
    teams: int,
    files: int,
    seconds: float,
    report: Path | None,
    one: str | None,
) -> None:
    """Break the platform at its seams, rehearse on each, and print which were killed and which survived."""
    if one is not None:
        click.echo(json.dumps(_played(one, teams, files)))
        return
    began = monotonic_s()
    names = only or (sorted(bugs.BUGS) if named else _drawn(seed, count, teams, files))
    verdicts = []
    for verdict in _tried(names, teams, files, seconds):
        verdicts.append(verdict)
        click.echo(str(verdict))
    words = Counter(each.word for each in verdicts)
    click.echo(
        f"{words[KILLED]} killed, {words[SURVIVED]} survived, {words[EQUIVALENT]} equivalent of {len(verdicts)} tried"
        f" of {len(names)} drawn, at {teams} teams and {files} files, in {monotonic_s() - began:.0f} s"
    )
    if report is not None:
        report.write_text(json.dumps([asdict(each) for each in verdicts], indent=1) + "\n", "utf-8")


def _drawn(seed: int, count: int, teams: int, files: int) -> list[str]:
    """Mutants drawn from those that make a difference somewhere in a rehearsal of this size on the platform as it is.

    Of the others a rehearsal of a final proves nothing, and how many there are is said first.
    """
    every = seams.all_names()
    provoked = frozenset(_told(seams.OBSERVE, teams, files)["differed"])
    for family, names in every.items():
        click.echo(f"{family}: {sum(name in provoked for name in names)} of {len(names)} mutants make a difference")
    return seams.drawn({family: [n for n in names if n in provoked] for family, names in every.items()}, seed, count)


def _tried(names: Sequence[str], teams: int, files: int, seconds: float) -> Iterator[Verdict]:
    began = monotonic_s()

    def tried(name: str) -> Verdict | None:
        return None if seconds and monotonic_s() - began > seconds else _try(name, teams, files)

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for each in as_completed([pool.submit(tried, name) for name in names]):
            found = each.result()
            if found is not None:
                yield found


def _try(name: str, teams: int, files: int) -> Verdict:
    """One mutant in a process of its own, which is given up after ten minutes."""
    began = monotonic_s()
    try:
        told = _told(name, teams, files)
    except subprocess.TimeoutExpired:
        return Verdict(name, KILLED, ("no end",), differed=True, seconds=monotonic_s() - began)
    word = KILLED if told["red"] else SURVIVED
    return Verdict(name, word, tuple(told["red"]), bool(told["differed"]), monotonic_s() - began)


def _told(name: str, teams: int, files: int) -> dict[str, list[str]]:
    """What a rehearsal in a process of its own tells; ClickException where it ends with an error of ours."""
    command = [sys.executable, "-m", _MODULE, "--one", name, "--teams", str(teams), "--files", str(files)]
    with tempfile.TemporaryFile("w+") as complained:
        ended = subprocess.run(  # noqa: S603 - our own module
            command, stdout=subprocess.PIPE, stderr=complained, text=True, timeout=_LIMIT_S, check=False
        )
        complained.seek(0)
        if ended.returncode != 0:
            last = (complained.read().strip().splitlines() or ["?"])[-1]
            raise click.ClickException(f"{name}: {last}")
    found: dict[str, list[str]] = json.loads(ended.stdout.splitlines()[-1])
    return found


def _played(name: str, teams: int, files: int) -> dict[str, list[str]]:
    """Names of the red checks, and the mutants that made a difference; a rehearsal that cannot go on is red, too."""
    settings = Settings(teams, files, 1, ALL, bug=name, share=_SHARE)
    with closing(History()) as history, staged(settings, history) as stage:
        try:
            admitted, _ = stage.admit()
            timing = stage.plan()
            stage.play(timing, admitted, lambda _: None)
            stage.conclude(timing, admitted)
            red = [each.name for each in check(history.story()) if not each.passed]
        except (OrganizerError, EmulatorGoneError, KeyError, RuntimeError) as error:
            red = [f"cannot go on: {type(error).__name__}"]
        differed = {each["mutant"] for each in stage.crashes.acts() if each["kind"] == "differed"}
    return {"red": red, "differed": sorted(differed)}


if __name__ == "__main__":
    main()
