"""A whole cycle in its acts: its folder, its people, their programs, and its outcome.

Each act is done by the command of the person whose act it is (R 3, 4, 6, 7, 8). Each person signs in alone, types
commands in a home of their own, and works in a browser. A simulated expert with an assignment opens it, saves a draft,
and hands it in. :class:`Material` is the folder of a cycle of simulated essays, as ``contest cycle load`` reads it.
:class:`Telling` reports the cycle while it is played: a line for every step, and a sign of life between them.
:func:`outcome` holds the published numbers against the library's own, and against the values known beforehand.
"""

from __future__ import annotations

import json
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from typing import Any, Final, Self

import click
import httpx
from rich.table import Table

from local.clock import Clock
from local.cloud import DEFAULT_TEMPLATE, LocalCloud
from local.environment import FOLDER, base_environment, person_environment
from local.lambdas.runtime import Logs
from local.organizing import COMMAND, Organizer, OrganizerError, in_words, run, token
from local.simulation import EXPERTS_NOISE, PROGRAMS, Cast, Essay, Marker, Source, accuracies, explained, rules_of
from markup_core.tables import percent
from markup_core.texts import EN, OPTION
from pku.answers import Order
from pku.solvers import FunctionSolver
from rehearsal.history import MINUTE, SECOND, Millis, from_text, to_text
from rehearsal.play.driver import DrivenPace, Driver
from rehearsal.play.material import FINAL, KINDS, RESERVE, TEST, TRAIN, write_json, write_sets
from rehearsal.play.teams import Entry, Program
from rehearsal.stages import SOURCES, STARTED_MS
from tracks import registry
from tracks.command import spoken
from tracks.command.console import WholeConsole, waiting

Json = Any
_MARKED: Final = (TRAIN, TEST)
"""Sets whose experts' markups are there from the beginning; a final has none while it runs (R 7.3)."""
_RESERVE_FILES: Final = 5


@dataclass(frozen=True, slots=True)
class Material:
    """The cycle's essays by set, and their annotators."""

    sets: Mapping[str, tuple[Essay, ...]]
    cast: Cast

    @classmethod
    def drawn(cls, seed: int, files: int, qualifying: int) -> Material:
        """Draw a cycle with these numbers of files: of its final, and of each of its qualifications."""
        sizes = {TRAIN: qualifying, TEST: qualifying, FINAL: files, RESERVE: _RESERVE_FILES}
        source, first, sets = Source(seed), 1, {}
        for name, size in sizes.items():
            sets[name] = tuple(source.essay(first + place, f"{name}-{place + 1:04d}") for place in range(size))
            first += size
        return cls(sets, Cast(seed))


def write_cycle(folder: Path, material: Material, parameters: Mapping[str, Json]) -> None:
    """Write ``cycle.json`` and a folder for each set."""
    head = json.loads((FOLDER / "cycle.json").read_text("utf-8"))
    sets = {name: {"folder": name, "kind": kind} for name, kind in KINDS.items()}
    folder.mkdir(parents=True)
    head.pop("$schema")
    write_json(folder / "cycle.json", {**head, "parameters": dict(parameters), "sets": sets})
    write_sets(folder, {name: _files(name, essays, material.cast) for name, essays in material.sets.items()})


def _files(name: str, essays: Sequence[Essay], cast: Cast) -> Iterator[tuple[str, Json]]:
    for essay in essays:
        item_id = essay.item["meta"]["id"]
        yield f"{item_id}.json", essay.item
        for number, expert in enumerate(cast.experts() if name in _MARKED else (), start=1):
            yield f"{item_id}_exp{number:02d}.json", expert.markup(essay.item, essay)


BARRIER: Final = 100.0
_TRACK: Any = registry.get("essay")
_STRICT_RULES: Final = rules_of(1.0)
_LAX_RULES: Final = rules_of(0.0)
_AS_PUBLISHED: Final = 1e-9
_WHY_LAX_IS_HIGHER: Final = (
    "At H = 0 a program is held against the expert it agrees with best, and the experts against "
    "the pair that agrees least, so every number is higher."
)


@dataclass(frozen=True, slots=True)
class Row:
    """A program's relative accuracies in per cent, with 95 % intervals where there are any."""

    program: str
    noise: float
    two_experts: float
    interval: tuple[float, float]
    published: float
    computed: float
    lax: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """All programs' rows, and of how many essays a third expert was asked."""

    rows: tuple[Row, ...]
    thirds: int

    def surprises(self) -> Sequence[str]:
        """Return the results that contradict the noises; empty when the numbers make sense."""
        by_name = {row.program: row for row in self.rows}
        equal, better, worse = (by_name[name] for name in ("equal", "better", "worse"))
        least, greatest = equal.interval
        expected = {
            f"the program with the experts' own noise is near {BARRIER:g} %": least <= BARRIER <= greatest,
            "a better program is above the barrier": better.two_experts > BARRIER,
            "a worse one is below it": worse.two_experts < BARRIER,
            "the empty one is at the bottom": min(self.rows, key=lambda row: row.published).program == "empty",
            "the published numbers are the library's over the same markups": all(
                isclose(row.published, row.computed, abs_tol=_AS_PUBLISHED) for row in self.rows
            ),
            "at H = 0 every number is higher": all(row.lax >= row.two_experts for row in self.rows),
        }
        return [text for text, holds in expected.items() if not holds]

    def table(self) -> Table:
        """Return the rows as a table for people."""
        published = f"published ({self.thirds} thirds)"
        headings = ("program", "noise", "two experts", "95 % interval", published, "H = 0")
        table = Table(*headings, caption=_WHY_LAX_IS_HIGHER)
        for row in self.rows:
            numbers = (row.noise, row.two_experts, *row.interval, row.published, row.lax)
            noise, first, low, high, last, lax = (percent(number, EN) for number in numbers)
            table.add_row(row.program, noise, first, f"{low} … {high}", last, lax)
        return table


def outcome(board: Json, marking: Json, material: Material, names: Mapping[str, str], rules: Json) -> Outcome:
    """Hold a published board against the library: ``names`` of experts by their ids, ``rules`` of the final."""
    essays, seed = material.sets[FINAL], material.cast.seed
    published = {row["team_id"]: row["result"]["relative_accuracy"] for row in board["rows"]}
    markers = _markers(marking, names, seed)

    def measured(program: Marker, rules: Json, most: int | None, *, explains: bool = False) -> Json:
        """Return the measures of a program against so many experts of each essay, all of them or those asked first;
        with explanations each is rated with five times yes by two."""
        records = []
        for essay in essays:
            references = [marker.markup(essay.item, essay) for marker in markers[essay.item["meta"]["id"]][:most]]
            if explains:
                answer = {**essay.item, "selections": explained(program.fragments(essay))}
                ratings = {str(fragment["id"]): [[True] * 5] * 2 for fragment in answer["selections"]}
                records.append(_TRACK.score_rated(essay.item, answer, references, ratings, rules))
            else:  # as if nobody had asked a third expert
                records.append(_TRACK.score(essay.item, program.markup(essay.item, essay), references, rules))
        return accuracies(essays, records, rules, seed)

    rows = []
    for name, noise in PROGRAMS.items():
        program = material.cast.program(name)
        strict, lax = (measured(program, hardness_rules, 2) for hardness_rules in (_STRICT_RULES, _LAX_RULES))
        whole = measured(program, rules, None, explains=True)
        low, high = strict["interval_95"]["relative_accuracy"]
        values = (strict["relative_accuracy"], (low, high), published[name], whole["relative_accuracy"])
        rows.append(Row(name, noise, *values, lax["relative_accuracy"]))
    thirds = sum(len(experts) > 2 for experts in markers.values())
    return Outcome(tuple(rows), thirds)


def _markers(marking: Json, names: Mapping[str, str], seed: int) -> Mapping[str, Sequence[Marker]]:
    """Return the annotators of each essay, in the order in which they were asked."""
    return {
        essay["item_id"]: [
            Marker(f"{seed} expert {names[assignment['expert_id']]}", EXPERTS_NOISE)
            for assignment in essay["assignments"]
            if assignment["markup"] is not None
        ]
        for essay in marking["essays"]
    }


_TO_SECONDS = len("2026-11-21T12:00:00")


class Telling:
    """The progress report: while entered, it prints the present act and the cycle's time every five seconds to stderr.

    ``pause``: see :class:`tracks.command.console.HeardProgress`.
    """

    def __init__(self, pause: Callable[[float], bool] | None = None) -> None:
        self._act = "The local cloud starts"
        self._wait = waiting(f"{self._act} …", pause=pause)
        [self._task] = self._wait.task_ids

    def __enter__(self) -> Self:
        self._wait.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._wait.stop()

    def act(self, title: str) -> None:
        self._act = title
        self._wait.update(self._task, description=f"{title} …")
        click.echo(f"\n— {title}")

    def moment(self, now: Millis) -> None:
        self._wait.update(self._task, description=f"{self._act} … {to_text(now)[:_TO_SECONDS]}")


@dataclass(frozen=True, slots=True)
class Team:
    """A team with its program."""

    name: str
    token: str
    marker: Marker

    def solver(self, essays: Mapping[str, Essay], *, explains: bool) -> FunctionSolver:
        """Return the program's solver; essays are recognised by their text."""

        def answer(content: Json) -> Json:
            fragments = self.marker.fragments(essays[content["text"]])
            return {**content, "selections": explained(fragments) if explains else fragments}

        return FunctionSolver(answer)


STAFF, PARTICIPANTS = "staff", "participants"
_PATIENCE_S: Final = 60
_TOKEN_LASTS: Final[Millis] = 10 * MINUTE  # shorter than a token of a browser lasts
_LOGIN_LASTS: Final[Millis] = 11 * 60 * MINUTE  # shorter than it lasts, in the cycle's time, which flies


@dataclass
class Person:
    """Somebody with an account in a pool, a terminal and a browser; ``home`` is the folder of their commands."""

    name: str
    pool: str
    cloud: LocalCloud
    home: Path
    _token: str = ""
    _token_until: Millis = 0
    _logged_in_at: Millis = 0

    @property
    def email(self) -> str:
        return f"{self.name}@example.org"

    def login(self) -> None:
        """Type ``contest login`` and choose the account in the browser that it opens."""
        self._logged_in_at = self.cloud.clock.now_ms()
        self.contest("login", self.cloud.url, *(["--participant"] if self.pool == PARTICIPANTS else []))

    def contest(self, *words: str, may_fail: bool = False) -> str:
        """Type ``contest WORDS``, as everybody sees; return its output. OrganizerError when it fails, unless it may."""
        if self.cloud.clock.now_ms() - self._logged_in_at > _LOGIN_LASTS:
            self.login()
        click.echo(f"{self.name}$ contest {shlex.join(words)}")
        browser = f"{sys.executable} -m rehearsal.browser {self.email} %s"
        environment = {**base_environment(), "HURDLE_HOME": str(self.home), "BROWSER": browser, "COLUMNS": "120"}
        try:
            return run(COMMAND, environment, OPTION, EN, *words).strip()
        except OrganizerError as error:
            if may_fail:
                return str(error)
            raise

    def ask(self, route: str, body: Json = None, headers: Mapping[str, str] | None = None) -> Json:
        """Return a route's answer to this person's browser: ``POST /v1/team/tokens``. OrganizerError if
        refused."""
        method, path = route.split()
        now = self.cloud.clock.now_ms()
        if now >= self._token_until:
            self._token, self._token_until = token(self.cloud.url, self.email, self.pool), now + _TOKEN_LASTS
        sent = {"Authorization": f"Bearer {self._token}", **(headers or {})}
        answered = httpx.request(method, f"{self.cloud.url}{path}", headers=sent, json=body, timeout=_PATIENCE_S)
        if not answered.is_success:
            raise OrganizerError(f"{self.name}: {route}: HTTP {answered.status_code}: {answered.text}")
        return answered.json()


_ESSAY_TAKES: Final[Millis] = 60 * SECOND
_LIVE: Final = frozenset({"assigned", "opened"})


def work(people: Sequence[Person], essays: Mapping[str, Essay], seed: int, wait: Callable[[Millis], None]) -> None:
    """Let all experts do everything that has been given out, third markups that follow from it included. In a round
    everybody does one essay, and ``wait`` lets the cycle's clock go on by what an essay takes."""
    finished_steps = 0
    while finished := sum(_one(person, essays, seed) for person in people):
        finished_steps += finished
        wait(_ESSAY_TAKES)
    how = "(PUT /v1/assignments/…/draft, POST …/hand-in)"
    click.echo(f"experts   handed in {finished_steps} {how}")


def _one(person: Person, essays: Mapping[str, Essay], seed: int) -> bool:
    """Let an expert do the next essay; return whether there was one."""
    own = person.ask("GET /v1/assignments")["assignments"]
    live = next((assignment["assignment_id"] for assignment in own if assignment["state"] in _LIVE), None)
    if live is None:
        return False
    content = person.ask(f"POST /v1/assignments/{live}/open")["content"]
    if "cards" in content:
        # Yes to all five questions: programs explain as well as experts, so that noise alone tells them apart.
        draft = {"ratings": {card["fragment"]: [True] * content["questions"] for card in content["cards"]}}
    else:
        draft = Marker(f"{seed} expert {person.name}", EXPERTS_NOISE).markup(content, essays[content["text"]])
    saved = person.ask(f"PUT /v1/assignments/{live}/draft", draft, {"If-Match": '"0"'})
    revision = saved["assignment"]["draft"]["revision"]
    person.ask(f"POST /v1/assignments/{live}/hand-in", None, {"If-Match": f'"{revision}"'})
    return True


HARDNESS: Final = 1.0
_EXPLAINED: Final = (1, 2, 1, 1, 1, 1, 1)  # weights with which explanations count, so that experts rate them
_EVERY_HOURS: Final = 4
_DAY: Final[Millis] = 24 * 60 * MINUTE
_NOTICE: Final[Millis] = 10 * _DAY + 60 * MINUTE  # a final's schedule is told ten days ahead (R 7.5)
_PARAMETERS_NOTICE: Final[Millis] = 7 * _DAY + 60 * MINUTE
_JOINS_BEFORE: Final[Millis] = 40 * SECOND
_REJECTED: Final = "late"
_EXPERTS: Final = ("eva", "ivan", "zoe", "lev", "ada")


class WholeCycle:
    """One cycle on one local cloud; ``home`` is the folder of all people's homes."""

    def __init__(self, cloud: LocalCloud, home: Path, material: Material, telling: Telling) -> None:
        self._cloud, self._home, self._material, self._telling = cloud, home, material, telling
        self._essays = {essay.text: essay for essays in material.sets.values() for essay in essays}
        """Every essay by its text, the only part of it that everybody receives."""
        self._pace = DrivenPace(cloud, 0, lambda *_, **__: None, faulty=False)
        self._folder = home / "cycle"
        self._olga, self._jan, self._kim = (self._person(name, STAFF) for name in ("olga", "jan", "kim"))
        """An organizer, a judge, and one of the commission."""
        self._experts: Mapping[str, Person] = {}  # by their ids

    def play(self) -> Outcome:
        self._office_opens()
        teams = self._teams_apply()
        self._qualify(teams)
        self._explanations_will_count()
        run_id = self._final(teams)
        self._mark_up(run_id)
        return self._results(run_id)

    def wait(self, milliseconds: Millis) -> None:
        """Let an amount of time pass, with the minute timer's visits in it."""
        moment = self._pace.now() + milliseconds
        self._pace.reach(moment)
        self._telling.moment(moment)

    def send_programs(
        self, teams: Sequence[Team], order: Order, joins_at: Millis, until: Millis, *, explains: bool = False
    ) -> None:
        """Let all teams' programs play a session each. OrganizerError for one that misses a file."""
        since = to_text(joins_at)
        comment = f"{len(teams)} programs, from {since}"
        click.echo(f"program$ pku run --mode {order.mode}   # {comment}")
        guests = {}
        for team in teams:
            entry = Entry(team.name, team.token, self._cloud.url, order, joins_at, self._home / "programs" / team.name)
            solver, now = team.solver(self._essays, explains=explains), self._cloud.clock.now_ms
            guests[team.name] = Program(entry, solver, now, httpx.HTTPTransport(), EN)
        Driver(self._pace, None, self._telling.moment, list(guests.values())).run(until)
        self._cloud.drain()
        for name, program in guests.items():
            if program.outcome is None or not program.outcome.complete:
                missed = "not every file was answered in time"
                raise OrganizerError(f"{name}: {program.error or missed}")

    def _office_opens(self) -> None:
        """Load the cycle and invite the first organizer by the deployment's own credentials; she invites the others."""
        self._telling.act("The organizers load the cycle and invite each other")
        qualifying = len(self._material.sets[TEST])
        technical = {"every_hours": _EVERY_HOURS, "files": [qualifying] * 2, "interval_s": [20, 20]}
        parameters = {"hardness": HARDNESS, "technical": technical, "readiness_min_files": qualifying}
        write_cycle(self._folder, self._material, parameters)
        deployment = Organizer(self._cloud, EN)
        click.echo(f"operator$ contest cycle load --direct {self._folder.name}")
        click.echo(deployment.load(self._folder))
        click.echo("operator$ contest staff invite olga@example.org Olga organizer")
        deployment.contest("staff", "invite", "olga@example.org", "Olga", "organizer")
        olga = self._olga
        olga.login()
        for name, role in (("jan", "judge"), ("kim", "commission"), *((expert, "expert") for expert in _EXPERTS)):
            olga.contest("staff", "invite", f"{name}@example.org", name.title(), role)
        listed = json.loads(olga.contest("staff", "list", "--json"))["staff"]
        invited = {member["email"].partition("@")[0]: member["person_id"] for member in listed}
        for name in _EXPERTS:
            expert_id = invited[name]
            subjects = sorted({essay.subject for essay in self._essays.values()})
            words = [word for subject in subjects for word in ("--subject", subject)]
            olga.contest("expert", "set", expert_id, *words, "--language", "rus", "--language", "eng")
            self.wait(SECOND)
        self._jan.login()
        self._kim.login()
        self._experts = {invited[name]: self._person(name, STAFF) for name in _EXPERTS}

    def _teams_apply(self) -> list[Team]:
        """Let captains send the form; four teams are let in, and one that came too late is not."""
        self._telling.act("Teams apply, and are admitted or not (R 3.1)")
        teams = []
        for name in (*PROGRAMS, _REJECTED):
            captain = self._person(f"captain-of-{name}", PARTICIPANTS)
            click.echo(f"{captain.name}   POST /v1/applications")
            form = {"team_id": name, "team_name": name.title(), "person_name": captain.name, "contact": captain.email}
            captain.ask("POST /v1/applications", {**form, "accepts_rules": True})
            if name == _REJECTED:
                self._olga.contest("team", "decide", name, "rejected", "--reason", "after the last day")
                continue
            self._olga.contest("team", "decide", name, "approved", "--reason", "complete")
            token = captain.ask("POST /v1/team/tokens", {"name": "program"})["token"]
            teams.append(Team(name, token, self._material.cast.program(name)))
        self.wait(MINUTE + SECOND)  # a decision holds within a minute
        return teams

    def _qualify(self, teams: Sequence[Team]) -> None:
        """Play both qualifications, and every step of the conclusions on them (R 6.4, 6.6, 6.9, 8.2)."""
        self._telling.act("Programs qualify: algorithmic, then technical")
        now = self._cloud.clock.now_ms()
        self.send_programs(teams, Order(set=TEST), now + SECOND, now + 15 * MINUTE)
        starts_at = self._technical_run()
        self.send_programs(teams, Order(mode="technical"), starts_at - _JOINS_BEFORE, starts_at + 20 * MINUTE)
        self._telling.act("A judge confirms, the commission verifies, the organizers admit (R 8.2)")
        for team in json.loads(self._olga.contest("qualification", "list", "--json"))["teams"]:
            for claim in team["claims"]:
                session = claim["session_id"]
                self._jan.contest("qualification", "judge", session, "--reason", "as the report says")
                self._kim.contest("qualification", "verify", session, "--reason", "nothing to object")
            if team["claims"]:
                self._olga.contest("qualification", "admit", team["team_id"], "--reason", "both conclusions")
        click.echo(self._olga.contest("qualification", "list"))

    def _technical_run(self) -> Millis:
        """Let time pass until the timer has announced the next technical run; return its start."""
        slot = _EVERY_HOURS * 60 * MINUTE
        now = self._cloud.clock.now_ms()
        self._cloud.clock.jump(((now // slot + 1) * slot - now) / SECOND)
        self.wait(2 * MINUTE)
        starts = [from_text(run["starts_at"]) for run in self._olga.ask("GET /v1/runs")["runs"]]
        return min(starts_at for starts_at in starts if starts_at > self._cloud.clock.now_ms())

    def _explanations_will_count(self) -> None:
        """Set new parameters for the final, announced more than a week ahead (R 5.8)."""
        self._telling.act("From the final on explanations count (R 5.8)")
        file = self._folder / "cycle.json"
        described = json.loads(file.read_text("utf-8"))
        described["parameters"]["weights"] = list(_EXPLAINED)
        file.write_text(json.dumps(described, ensure_ascii=False), "utf-8")
        effective = to_text(self._cloud.clock.now_ms() + _PARAMETERS_NOTICE)
        reason = "from the final on explanations count"
        words = ("--effective", effective, "--reason", reason)
        click.echo(self._olga.contest("cycle", "parameters", str(file), *words))
        click.echo(self._olga.contest("announce", "list"))

    def _final(self, teams: Sequence[Team]) -> str:
        """Play the final on a driven clock, announced ten days before (R 7)."""
        self._telling.act("The final: planned, announced, looked over, played (R 7)")
        now = self._cloud.clock.now_ms()
        starts_at = (now + _NOTICE) // MINUTE * MINUTE
        words = ("--mode", "final", "--set", FINAL, "--start", to_text(starts_at))
        run_id = str(json.loads(self._olga.contest("run", "plan", *words, "--json"))["run_id"])
        self._cloud.clock.jump((starts_at - 10 * MINUTE - now) / SECOND)
        self.wait(MINUTE)
        click.echo(self._olga.contest("check", "--run", run_id, may_fail=True))
        until = starts_at + (len(self._material.sets[FINAL]) + 15) * MINUTE
        order = Order(mode="final", run=run_id)
        self.send_programs(teams, order, starts_at - _JOINS_BEFORE, until, explains=True)
        return run_id

    def _mark_up(self, run_id: str) -> None:
        """Let two experts annotate each essay, a third where they differ, then rate explanations (R 7.10)."""
        self._telling.act("Experts mark the final's essays up, and rate explanations (R 7.10)")
        olga = self._olga
        essays = json.loads(olga.contest("marking", "begin", "--run", run_id, "--json"))["essays"]
        click.echo(f"given to two experts each: {essays} essays")
        experts = tuple(self._experts.values())
        work(experts, self._essays, self._material.cast.seed, self.wait)
        of_teams = [session for name in PROGRAMS for session in olga.ask(f"GET /v1/teams/{name}/sessions")["sessions"]]
        for session in of_teams:
            if session["run_id"] == run_id:
                olga.contest("marking", "begin", "--session", session["session_id"])
        work(experts, self._essays, self._material.cast.seed, self.wait)

    def _results(self, run_id: str) -> Outcome:
        """Settle with a recomputation, publish, and save the data that everybody may keep (R 7.11–7.14, 8.3)."""
        self._telling.act("Settlement: scores, board, the independent recomputation (R 8.3)")
        click.echo(self._olga.contest("run", "mark", run_id))
        self.wait(5 * MINUTE)
        click.echo(self._kim.contest("run", "shadow", run_id))
        self._telling.act("Publication and archive (R 7.11–7.14)")
        click.echo(self._olga.contest("run", "publish", run_id, "--reason", "the commission has verified it"))
        self.wait(3 * MINUTE)
        archive = self._home / "archive.zip"
        click.echo(self._olga.contest("run", "archive", run_id, "--out", str(archive)))
        click.echo(f"anybody$ pku verify-archive {archive.name}")
        # The kit knows the archive's bytes alone.
        click.echo(run(_KIT, person_environment(), OPTION, EN, "verify-archive", str(archive)).strip())
        click.echo(self._olga.contest("board", "--run", run_id))
        board = self._olga.ask(f"GET /v1/leaderboards/final?run={run_id}")
        marking = self._olga.ask(f"GET /v1/markings/{run_id}")
        names = {key: expert.name for key, expert in self._experts.items()}
        return outcome(board, marking, self._material, names, rules_of(HARDNESS, weights=list(_EXPLAINED)))

    def _person(self, name: str, pool: str) -> Person:
        return Person(name, pool, self._cloud, self._home / name)


_KIT: Final = "from pku.cli import main; main(prog_name='pku')"


@spoken.command("demo-cycle")
@click.option("--files", default=60, show_default=True, type=click.IntRange(3, 500), help="Files of the final.")
@click.option(
    "--qualifying", default=30, show_default=True, type=click.IntRange(2, 100), help="Files of each qualification."
)
@click.option("--seed", default=1, show_default=True, help="Draws essays, people and programs.")
def demo_cycle(files: int, qualifying: int, seed: int) -> None:
    """Play a whole cycle: applications, qualifications, a final, its markup, settlement, publication.

    Exit code 1 when the numbers are not as the simulated people's noise foretells.
    """
    material = Material.drawn(seed, files, qualifying)
    try:
        with (
            Telling() as telling,
            tempfile.TemporaryDirectory(prefix="hurdle-demo-cycle-") as home,
            LocalCloud(DEFAULT_TEMPLATE, SOURCES, clock=Clock(STARTED_MS), logs=Logs()) as cloud,
        ):
            outcome = WholeCycle(cloud, Path(home), material, telling).play()
    except OrganizerError as error:
        raise click.ClickException(in_words(error)) from error
    WholeConsole().print(outcome.table())
    if surprises := outcome.surprises():
        raise click.ClickException("not so: " + "; ".join(surprises))
