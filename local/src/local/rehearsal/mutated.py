"""``python -m local.rehearsal.mutated``: rehearsals on broken platforms, two at a time, and which of them stayed green.

Each mutant has a rehearsal of its own. One that turns red, or comes to no end, has killed the mutant; one that is red
when the results are out is spared the qualification and the runs beside it. One that stays
green lets it live: whether it made a difference anywhere is told beside it, and counts for nothing.

Of those that live, at most five of a hundred may be called equivalent, each shown by two more rehearsals in which
nothing is left to chance, one of the platform as it is and one of the mutant: the mutant made a difference inside, and
nobody who took part could tell the two apart (:mod:`local.rehearsal.observed`). Whether that can be shown at all is
tried first, by two rehearsals of the platform as it is. All others have survived.

Two processes play, each rehearsal after rehearsal, so that what a rehearsal needs is loaded once. Routes that are asked
for only after the run has ended are broken one after the other at the end of one rehearsal: until then such a mutant
makes no difference (the watched rehearsal has shown it), so that each has had a whole rehearsal of its own; one that is
not provoked there either has another one.
"""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

import click

from local.aws.emulator import EmulatorGoneError
from local.clock import monotonic_s
from local.organizing import OrganizerError
from local.rehearsal import observed
from local.rehearsal.ending import Player
from local.rehearsal.final import Stage, staged
from local.rehearsal.harm import bugs
from local.rehearsal.harm.mutants import seams
from local.rehearsal.history import History, Story
from local.rehearsal.play.driver import Timing
from local.rehearsal.play.injections import ALL, Fault
from local.rehearsal.play.teams import Team
from local.rehearsal.proof.checker import check
from local.rehearsal.wanted import Settings

_LIMIT_S: Final = 600.0
_AT_ONCE: Final = 2
_SHARE: Final = 0.6
"""Of the files so many have a trick: what is wrong shows only when it is provoked."""
KILLED, SURVIVED, EQUIVALENT = "killed", "survived", "equivalent"
_MOST_EQUIVALENT: Final = 20
"""One of so many that were tried may be called equivalent."""
_COMPARED: Final = "compared "
"""How a job begins whose observations are asked for; then comes the mutant's name."""
_NONE: Final = "none"
"""Instead of a mutant's name: the platform as it is."""
_BY_CHANCE: Final = frozenset(
    {
        Fault.DISCONNECTS,
        Fault.DUPLICATES,
        Fault.KILLS,
        Fault.EVENTS,
        Fault.TICKS,
        Fault.THROTTLES,
        Fault.LOSSES,
        Fault.CROWD,
    }
)
"""Faults of which the machine decides what they meet: two rehearsals with them differ by themselves."""
_MODULE: Final = "local.rehearsal.mutated"
Told = dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a mutant: ``by`` names the checks that turned red, or tells what shows that it is equivalent;
    ``differed`` whether it made a difference in any process."""

    name: str
    word: str
    by: tuple[str, ...]
    differed: bool
    seconds: float

    def __str__(self) -> str:
        beside = ", ".join(self.by) or ("made a difference" if self.differed else "not provoked")
        return f"{self.word:10} {self.name}  ({beside}; {self.seconds:.0f} s)"


@click.command()
@click.option("--seed", default=1, show_default=True, help="Draws the mutants.")
@click.option("--count", default=20, show_default=True, type=click.IntRange(1), help="How many are drawn.")
@click.option(
    "--family",
    "families",
    multiple=True,
    default=seams.DRAWN,
    show_default=True,
    type=click.Choice(seams.FAMILIES),
    help="From which they are drawn; may be given several times.",
)
@click.option("--named", is_flag=True, help="All bugs with names instead of drawn ones.")
@click.option("--only", multiple=True, metavar="NAME", help="These, instead of drawn ones; may be given several times.")
@click.option("--teams", default=5, show_default=True, type=click.IntRange(1), help="Teams of each rehearsal.")
@click.option("--files", default=8, show_default=True, type=click.IntRange(1), help="Files of each.")
@click.option("--seconds", default=0.0, help="Begin no rehearsal after so many seconds; 0: try them all.")
@click.option("--report", type=click.Path(dir_okay=False, path_type=Path), help="Write the verdicts as JSON.")
@click.option("--serve", is_flag=True, hidden=True, help="Play what standard input names, for the command itself.")
def main(  # noqa: PLR0913 - one parameter per option of the command
    *,
    seed: int,
    count: int,
    families: Sequence[str],
    named: bool,
    only: Sequence[str],
    teams: int,
    files: int,
    seconds: float,
    report: Path | None,
    serve: bool,
) -> None:
    """Break the platform at its seams, rehearse on each, and print which were killed and which survived."""
    if serve:
        _serve(teams, files)
        return
    began = monotonic_s()
    with closing(_Players(teams, files)) as players:
        if only or named:
            names = only or sorted(bugs.BUGS)
            jobs: list[Job] = [(name,) for name in names]
        else:
            names, jobs = _drawn(players, families, seed, count)
        verdicts = []
        for verdict in _tried(players, jobs, seconds):
            verdicts.append(verdict)
            click.echo(str(verdict))
        if not seconds or monotonic_s() - began < seconds:
            verdicts = _compared(players, verdicts)
    words = Counter(each.word for each in verdicts)
    click.echo(
        f"{words[KILLED]} killed, {words[SURVIVED]} survived, {words[EQUIVALENT]} equivalent of {len(verdicts)} tried"
        f" of {len(names)} drawn, at {teams} teams and {files} files, in {monotonic_s() - began:.0f} s"
    )
    if report is not None:
        report.write_text(json.dumps([asdict(each) for each in verdicts], indent=1) + "\n", "utf-8")


Job = tuple[str, ...]
"""Mutants that have one rehearsal together: one, or routes that are broken at its end."""


def _drawn(players: _Players, families: Sequence[str], seed: int, count: int) -> tuple[list[str], list[Job]]:
    """Mutants of the families, drawn from those that make a difference somewhere in a rehearsal of this size on the
    platform as it is, and the rehearsals to be played.

    Of the others a rehearsal of a final proves nothing, and how many there are is said first.
    """
    every = seams.all_names()
    (told,) = players.told((seams.OBSERVE,))
    if told["red"]:
        raise click.ClickException(f"nothing is broken yet, and there is red: {'; '.join(told['red'])}")
    provoked, during = frozenset(told["differed"]), frozenset(told["during"])
    for family, names in every.items():
        click.echo(f"{family}: {sum(name in provoked for name in names)} of {len(names)} mutants make a difference")
    drawn = seams.drawn({family: [n for n in every[family] if n in provoked] for family in families}, seed, count)
    at_the_end = tuple(name for name in drawn if name.startswith("route:") and name not in during)
    alone: list[Job] = [(name,) for name in drawn if name not in at_the_end]
    return drawn, [at_the_end, *alone] if at_the_end else alone


def _tried(players: _Players, jobs: Sequence[Job], seconds: float) -> Iterator[Verdict]:
    began = monotonic_s()

    def tried(job: Job) -> list[Verdict]:
        return [] if seconds and monotonic_s() - began > seconds else _try(players, job)

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for each in as_completed([pool.submit(tried, job) for job in jobs]):
            yield from each.result()


def _compared(players: _Players, verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts with those of the survivors called equivalent that can be shown to be, as many as may be; said as
    they are found. One rehearsal at a time: beside another one, the machine decides which process takes what."""
    left = [each for each in verdicts if each.word == SURVIVED and each.differed]
    may = len(verdicts) // _MOST_EQUIVALENT
    if not left or not may:
        return list(verdicts)
    first, second = (_seen(players, _NONE) for _ in range(2))
    if first is None or second is None or first[0] != second[0]:
        click.echo("two rehearsals of the platform as it is differ: no mutant can be shown to be equivalent")
        return list(verdicts)
    shown: dict[str, Verdict] = {}
    for each in left:
        found = _seen(players, each.name) if len(shown) < may else None
        if found is not None and found[0] == first[0] and each.name in found[1]:
            by = (f"made a difference; two runs with equal observations, {found[0]}",)
            shown[each.name] = replace(each, word=EQUIVALENT, by=by)
            click.echo(str(shown[each.name]))
    return [shown.get(each.name, each) for each in verdicts]


def _seen(players: _Players, name: str) -> tuple[str, list[str]] | None:
    """What was observed in a rehearsal that leaves nothing to chance, as a hash and a number, and which mutants made a
    difference in it; None for one without an end."""
    found = players.told((f"{_COMPARED}{name}",))
    return (found[0]["seen"][0], found[0]["differed"]) if found and found[0]["seen"] else None


def _try(players: _Players, job: Job) -> list[Verdict]:
    """Verdicts of a job. Where a rehearsal of several comes to no end, that says nothing of any of those that are left,
    and where nothing is red of one of several at its end, nothing of that one: each has one of its own then."""
    began = monotonic_s()
    found = players.told(job)
    seconds = (monotonic_s() - began) / len(job)
    verdicts = []
    unseen: list[str] = []
    for name, told in zip(job, found, strict=False):
        if len(job) > 1 and not told["red"]:
            unseen.append(name)
            continue
        word = KILLED if told["red"] else SURVIVED
        verdicts.append(Verdict(name, word, tuple(told["red"]), bool(told["differed"]), seconds))
    left = (*unseen, *job[len(found) :])
    if left == job[:1]:
        return [Verdict(job[0], KILLED, ("no end",), differed=True, seconds=seconds)]
    return verdicts + [verdict for name in left for verdict in _try(players, (name,))]


class _Player:
    """A process that plays rehearsals, one after the other."""

    def __init__(self, teams: int, files: int) -> None:
        self._complained = tempfile.TemporaryFile("w+")  # noqa: SIM115 - as long as the process
        command = [sys.executable, "-m", _MODULE, "--serve", "--teams", str(teams), "--files", str(files)]
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._complained, text=True
        )

    def told(self, job: Job) -> list[Told]:
        """What the rehearsal of a job tells of its mutants, fewer if ten minutes go by without a word of the next: then
        this process has been ended. ClickException where it ends with an error of ours."""
        assert self._process.stdin is not None  # noqa: S101 - see above
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        found: list[Told] = []
        for _ in job:
            line, late = self._line()
            if late:
                break
            if not line:
                self._complained.seek(0)
                last = (self._complained.read().strip().splitlines() or ["?"])[-1]
                raise click.ClickException(f"{', '.join(job)}: {last}")
            found.append(json.loads(line))
        return found

    def _line(self) -> tuple[str, bool]:
        """The next line, and whether it was waited for in vain."""
        assert self._process.stdout is not None  # noqa: S101 - see above
        late = threading.Event()

        def give_up() -> None:
            late.set()
            self._process.kill()

        timer = threading.Timer(_LIMIT_S, give_up)
        timer.start()
        try:
            return self._process.stdout.readline(), late.is_set()
        finally:
            timer.cancel()

    def close(self) -> None:
        """End the process."""
        with suppress(BrokenPipeError):
            self._process.communicate()


class _Players:
    """The processes that play; whoever has a job takes one that is free."""

    def __init__(self, teams: int, files: int) -> None:
        self._size = teams, files
        self._free: queue.LifoQueue[_Player | None] = queue.LifoQueue()
        for _ in range(_AT_ONCE):
            self._free.put(None)

    def told(self, job: Job) -> list[Told]:
        """What the rehearsal of a job tells of its mutants; fewer where it has come to no end."""
        player = self._free.get() or _Player(*self._size)
        found: list[Told] = []
        try:
            found = player.told(job)
        finally:
            if len(found) < len(job):
                player.close()
            self._free.put(player if len(found) == len(job) else None)
        return found

    def close(self) -> None:
        """End all of them."""
        for _ in range(_AT_ONCE):
            player = self._free.get()
            if player is not None:
                player.close()


def _serve(teams: int, files: int) -> None:
    """Play the jobs that standard input tells, a line each, and print what came of each mutant, a line each."""
    for line in sys.stdin:
        job = json.loads(line)
        for told in _answer(job, teams, files):
            sys.stdout.write(json.dumps(told) + "\n")
            sys.stdout.flush()


def _answer(job: Sequence[str], teams: int, files: int) -> Iterator[Told]:
    if len(job) > 1:
        return _ended(job, teams, files)
    name = job[0].removeprefix(_COMPARED)
    return iter([_played(name, teams, files, calm=name != job[0])])


def _played(name: str, teams: int, files: int, *, calm: bool = False) -> Told:
    """Names of the red checks, and the mutants that made a difference, at all and before the end of the run; a
    rehearsal that cannot go on is red, too. ``calm``: one that leaves nothing to chance, with what was ``seen``."""
    faults, bug = ALL - _BY_CHANCE if calm else ALL, None if name == _NONE else name
    settings = Settings(teams, files, 1, faults, bug=bug, share=_SHARE, calm=calm)
    during: set[str] = set()
    seen: list[str] = []
    with closing(History()) as history, staged(settings, history) as stage:
        try:
            admitted, _ = stage.admit()
            timing = stage.plan()
            stage.play(timing, admitted, lambda _: None)
            during = _differed(stage)
            stage.show_results(timing, admitted)
            red = [] if calm or name == seams.OBSERVE else _red_so_far(stage, timing, admitted)
            if not red:
                stage.play_beside()
                stage.write_down(timing, admitted)
                story = history.story()
                red = _why(story) if name == seams.OBSERVE else _red(story)
                seen = _hashed(story) if calm else []
        except (OrganizerError, EmulatorGoneError, KeyError, RuntimeError) as error:
            red = [f"cannot go on: {type(error).__name__}"]
        return {"red": red, "differed": sorted(_differed(stage)), "during": sorted(during), "seen": seen}


def _why(story: Story) -> list[str]:
    """What is red with the first contradiction, where nothing should be."""
    return [f"{each.name} ({each.faults[0]})" for each in check(story) if not each.passed]


def _red(story: Story) -> list[str]:
    return [each.name for each in check(story) if not each.passed]


def _red_so_far(stage: Stage, timing: Timing, admitted: Sequence[Player]) -> list[str]:
    """What is red before anything beside the run is played: what a rehearsal without the qualification shows. A mutant
    that is killed by then is spared the other half."""
    mark = stage.history.mark()
    stage.write_down(timing, admitted)
    story = stage.history.story()
    stage.history.forget(mark)
    faults = [each for each in story.header["faults"] if each != Fault.QUALIFYING]
    return _red(replace(story, header={**story.header, "faults": faults}))


def _hashed(story: Story) -> list[str]:
    found = observed.observations(story)
    return [f"{len(found)} with the hash {observed.digest(found)[:16]}"]


def _ended(names: Sequence[str], teams: int, files: int) -> Iterator[Told]:
    """The same of routes that are broken one after the other when the run has ended and everybody looks around; nothing
    is played beside it, for whoever looks tries every door."""
    faults = ALL - {Fault.QUALIFYING}
    settings = Settings(teams, files, 1, faults, bug=seams.AT_THE_END, share=_SHARE)
    with closing(History()) as history, staged(settings, history) as stage:
        admitted, _ = stage.admit()
        timing = stage.plan()
        stage.play(timing, admitted, lambda _: None)
        stage.conclude(timing, admitted)
        if wrong := _why(history.story()):
            raise RuntimeError(f"nothing is broken yet, and there is red: {'; '.join(wrong)}")
        for name in names:
            mark = history.mark()
            stage.crashes.choose(name)
            stage.look_around(timing, [each for each in admitted if isinstance(each, Team) and each.session_id])
            red = _red(history.story())
            history.forget(mark)
            yield {"red": red, "differed": [name] if name in _differed(stage) else []}


def _differed(stage: Stage) -> set[str]:
    return {each["mutant"] for each in stage.crashes.acts() if each["kind"] == "differed"}


if __name__ == "__main__":
    main()
