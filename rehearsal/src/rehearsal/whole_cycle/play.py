"""The acts of a whole cycle in their order, and the people who play them.

Each act is done by the command of the person whose act it is (R 3, 4, 6, 7, 8). Each person signs in alone, types
commands in a home of their own, and works in a browser. A simulated expert with an assignment opens it, saves a draft,
and hands it in.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click
import httpx

from local.clock import Clock
from local.cloud import DEFAULT_TEMPLATE, LocalCloud
from local.environment import base_environment, person_environment
from local.lambdas.runtime import Logs
from local.organizing import COMMAND, Organizer, OrganizerError, in_words, run, token
from local.simulation import EXPERTS_NOISE, PROGRAMS, Essay, Marker, rules_of
from markup_core.speaking import LANGUAGES, OPTION, language
from pku.wire.answers import Order
from rehearsal.final import SOURCES, STARTED_MS
from rehearsal.moments import MINUTE, SECOND, Millis, from_text, to_text
from rehearsal.play.cycles import FINAL, TEST
from rehearsal.play.driver import DrivenPace, Driver
from rehearsal.play.guest import Entry, Program
from rehearsal.texts import say
from rehearsal.whole_cycle.outcome import Material, Outcome, ProgramFailedError, Team, Telling, outcome, show
from rehearsal.whole_cycle.outcome import write as write_cycle
from tracks.command import spoken
from tracks.command.console import WholeConsole

Json = Any
STAFF, PARTICIPANTS = "staff", "participants"
_PATIENCE_S: Final = 60
_TOKEN_LASTS: Final[Millis] = 10 * MINUTE  # shorter than a token of a browser lasts
_LOGIN_LASTS: Final[Millis] = 11 * 60 * MINUTE  # shorter than it lasts, in the cycle's time, which flies


class RequestRefusedError(Exception):
    """The platform refused a request that should have been allowed; the text is its answer."""


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
        show(f"{self.name}$ contest {shlex.join(words)}")
        browser = f"{sys.executable} -m rehearsal.whole_cycle.browser {self.email} %s"
        environment = {**base_environment(), "HURDLE_HOME": str(self.home), "BROWSER": browser, "COLUMNS": "120"}
        try:
            return run(COMMAND, environment, OPTION, language(), *words).strip()
        except OrganizerError as error:
            if may_fail:
                return str(error)
            raise

    def ask(self, route: str, body: Json = None, headers: Mapping[str, str] | None = None) -> Json:
        """Return a route's answer to this person's browser: ``POST /v1/team/tokens``. RequestRefusedError if
        refused."""
        method, path = route.split()
        now = self.cloud.clock.now_ms()
        if now >= self._token_until:
            self._token, self._token_until = token(self.cloud.url, self.email, self.pool), now + _TOKEN_LASTS
        sent = {"Authorization": f"Bearer {self._token}", **(headers or {})}
        answered = httpx.request(method, f"{self.cloud.url}{path}", headers=sent, json=body, timeout=_PATIENCE_S)
        if not answered.is_success:
            raise RequestRefusedError(f"{self.name}: {route}: HTTP {answered.status_code}: {answered.text}")
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
    show(say("experts   handed in {done} {how}", done=finished_steps, how=how))


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


@dataclass(frozen=True, slots=True)
class Staff:
    """The people of the organizers."""

    olga: Person
    judge: Person
    commission: Person
    experts: Mapping[str, Person]  # by their ids


class WholeCycle:
    """One cycle on one local cloud; ``home`` is the folder of all people's homes."""

    def __init__(self, cloud: LocalCloud, home: Path, material: Material, telling: Telling) -> None:
        self._cloud, self._home, self._material, self._telling = cloud, home, material, telling
        self._essays = material.by_text()
        self._pace = DrivenPace(cloud, 0, lambda *_, **__: None, faulty=False)
        self._folder = home / "cycle"

    def play(self) -> Outcome:
        staff = self._office_opens()
        teams = self._teams_apply(staff)
        self._qualify(staff, teams)
        self._explanations_will_count(staff.olga)
        run_id = self._final(staff.olga, teams)
        self._mark_up(staff, run_id)
        return self._results(staff, run_id)

    def wait(self, milliseconds: Millis) -> None:
        """Let so much time pass, the minute timer's visits on the way."""
        moment = self._pace.now() + milliseconds
        self._pace.reach(moment)
        self._telling.moment(moment)

    def send_programs(
        self, teams: Sequence[Team], order: Order, joins_at: Millis, until: Millis, *, explains: bool = False
    ) -> None:
        """Let all teams' programs play a session each. ProgramFailedError for one that misses a file."""
        since = to_text(joins_at)
        comment = say("{teams} programs, from {since}", teams=len(teams), since=since)
        show(f"program$ pku run --mode {order.mode}   # {comment}")
        guests = {}
        for team in teams:
            entry = Entry(team.name, team.token, self._cloud.url, order, joins_at, self._home / "programs" / team.name)
            solver, now = team.solver(self._essays, explains=explains), self._cloud.clock.now_ms
            guests[team.name] = Program(entry, solver, now, httpx.HTTPTransport(), language())
        Driver(self._pace, None, self._telling.moment, list(guests.values())).run(until)
        self._cloud.drain()
        for name, program in guests.items():
            if program.outcome is None or not program.outcome.complete:
                missed = say("not every file was answered in time")
                raise ProgramFailedError(f"{name}: {program.error or missed}")

    def _office_opens(self) -> Staff:
        """Load the cycle and invite the first organizer by the deployment's own credentials; she invites the others."""
        self._telling.act(say("The organizers load the cycle and invite each other"))
        qualifying = len(self._material.sets[TEST])
        technical = {"every_hours": _EVERY_HOURS, "files": [qualifying] * 2, "interval_s": [20, 20]}
        parameters = {"hardness": HARDNESS, "technical": technical, "readiness_min_files": qualifying}
        write_cycle(self._folder, self._material, parameters)
        deployment = Organizer(self._cloud)
        show(f"operator$ contest cycle load --direct {self._folder.name}")
        show(deployment.load(self._folder))
        show("operator$ contest staff invite olga@example.org Olga organizer")
        deployment.contest("staff", "invite", "olga@example.org", "Olga", "organizer")
        olga = self._person("olga", STAFF)
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
        jan, kim = self._person("jan", STAFF), self._person("kim", STAFF)
        jan.login()
        kim.login()
        return Staff(olga, jan, kim, {invited[name]: self._person(name, STAFF) for name in _EXPERTS})

    def _teams_apply(self, staff: Staff) -> list[Team]:
        """Let captains send the form; four teams are let in, and one that came too late is not."""
        self._telling.act(say("Teams apply, and are admitted or not (R 3.1)"))
        teams = []
        for name in (*PROGRAMS, _REJECTED):
            captain = self._person(f"captain-of-{name}", PARTICIPANTS)
            show(f"{captain.name}   POST /v1/applications")
            form = {"team_id": name, "team_name": name.title(), "person_name": captain.name, "contact": captain.email}
            captain.ask("POST /v1/applications", {**form, "accepts_rules": True})
            if name == _REJECTED:
                staff.olga.contest("team", "decide", name, "rejected", "--reason", say("after the last day"))
                continue
            staff.olga.contest("team", "decide", name, "approved", "--reason", say("complete"))
            token = captain.ask("POST /v1/team/tokens", {"name": "program"})["token"]
            teams.append(Team(name, token, self._material.cast.program(name)))
        self.wait(MINUTE + SECOND)  # a decision holds within a minute
        return teams

    def _qualify(self, staff: Staff, teams: Sequence[Team]) -> None:
        """Play both qualifications, and every step of the conclusions on them (R 6.4, 6.6, 6.9, 8.2)."""
        self._telling.act(say("Programs qualify: algorithmic, then technical"))
        now = self._cloud.clock.now_ms()
        self.send_programs(teams, Order(set=TEST), now + SECOND, now + 15 * MINUTE)
        starts_at = self._technical_run()
        self.send_programs(teams, Order(mode="technical"), starts_at - _JOINS_BEFORE, starts_at + 20 * MINUTE)
        self._telling.act(say("A judge confirms, the commission verifies, the organizers admit (R 8.2)"))
        for team in json.loads(staff.olga.contest("qualification", "list", "--json"))["teams"]:
            for claim in team["claims"]:
                session = claim["session_id"]
                staff.judge.contest("qualification", "judge", session, "--reason", say("as the report says"))
                staff.commission.contest("qualification", "verify", session, "--reason", say("nothing to object"))
            if team["claims"]:
                staff.olga.contest("qualification", "admit", team["team_id"], "--reason", say("both conclusions"))
        show(staff.olga.contest("qualification", "list"))

    def _technical_run(self) -> Millis:
        """Let time pass until the timer has announced the next technical run; return its start."""
        slot = _EVERY_HOURS * 60 * MINUTE
        now = self._cloud.clock.now_ms()
        self._cloud.clock.jump(((now // slot + 1) * slot - now) / SECOND)
        self.wait(2 * MINUTE)
        starts = [from_text(run["starts_at"]) for run in self._person("olga", STAFF).ask("GET /v1/runs")["runs"]]
        return min(starts_at for starts_at in starts if starts_at > self._cloud.clock.now_ms())

    def _explanations_will_count(self, olga: Person) -> None:
        """Set new parameters for the final, announced more than a week ahead (R 5.8)."""
        self._telling.act(say("From the final on explanations count (R 5.8)"))
        file = self._folder / "cycle.json"
        described = json.loads(file.read_text("utf-8"))
        described["parameters"]["weights"] = list(_EXPLAINED)
        file.write_text(json.dumps(described, ensure_ascii=False), "utf-8")
        effective = to_text(self._cloud.clock.now_ms() + _PARAMETERS_NOTICE)
        reason = say("from the final on explanations count")
        words = ("--effective", effective, "--reason", reason)
        show(olga.contest("cycle", "parameters", str(file), *words))
        show(olga.contest("announce", "list"))

    def _final(self, olga: Person, teams: Sequence[Team]) -> str:
        """Play the final on a driven clock, announced ten days before (R 7)."""
        self._telling.act(say("The final: planned, announced, looked over, played (R 7)"))
        now = self._cloud.clock.now_ms()
        starts_at = (now + _NOTICE) // MINUTE * MINUTE
        words = ("--mode", "final", "--set", FINAL, "--start", to_text(starts_at))
        run_id = str(json.loads(olga.contest("run", "plan", *words, "--json"))["run_id"])
        self._cloud.clock.jump((starts_at - 10 * MINUTE - now) / SECOND)
        self.wait(MINUTE)
        show(olga.contest("check", "--run", run_id, may_fail=True))
        until = starts_at + (len(self._material.sets[FINAL]) + 15) * MINUTE
        order = Order(mode="final", run=run_id)
        self.send_programs(teams, order, starts_at - _JOINS_BEFORE, until, explains=True)
        return run_id

    def _mark_up(self, staff: Staff, run_id: str) -> None:
        """Let two experts annotate each essay, a third where they differ, then rate explanations (R 7.10)."""
        self._telling.act(say("Experts mark the final's essays up, and rate explanations (R 7.10)"))
        olga = staff.olga
        essays = json.loads(olga.contest("marking", "begin", "--run", run_id, "--json"))["essays"]
        show(say("given to two experts each: {essays} essays", essays=essays))
        experts = tuple(staff.experts.values())
        work(experts, self._essays, self._material.cast.seed, self.wait)
        of_teams = [session for name in PROGRAMS for session in olga.ask(f"GET /v1/teams/{name}/sessions")["sessions"]]
        for session in of_teams:
            if session["run_id"] == run_id:
                olga.contest("marking", "begin", "--session", session["session_id"])
        work(experts, self._essays, self._material.cast.seed, self.wait)

    def _results(self, staff: Staff, run_id: str) -> Outcome:
        """Settle with a recomputation, publish, and save the data that everybody may keep (R 7.11–7.14, 8.3)."""
        self._telling.act(say("Settlement: scores, board, the independent recomputation (R 8.3)"))
        show(staff.olga.contest("run", "mark", run_id))
        self.wait(5 * MINUTE)
        show(staff.commission.contest("run", "shadow", run_id))
        self._telling.act(say("Publication and archive (R 7.11–7.14)"))
        show(staff.olga.contest("run", "publish", run_id, "--reason", say("the commission has verified it")))
        self.wait(3 * MINUTE)
        archive = self._home / "archive.zip"
        show(staff.olga.contest("run", "archive", run_id, "--out", str(archive)))
        show(_verified(archive))
        show(staff.olga.contest("board", "--run", run_id))
        board = staff.olga.ask(f"GET /v1/leaderboards/final?run={run_id}")
        marking = staff.olga.ask(f"GET /v1/markings/{run_id}")
        names = {key: expert.name for key, expert in staff.experts.items()}
        return outcome(board, marking, self._material, names, rules_of(HARDNESS, weights=list(_EXPLAINED)))

    def _person(self, name: str, pool: str) -> Person:
        return Person(name, pool, self._cloud, self._home / name)


def _verified(archive: Path) -> str:
    """Return the kit's verdict on the archive, of which it knows the bytes alone."""
    show(f"anybody$ pku verify-archive {archive.name}")
    command = [str(Path(sys.executable).with_name("pku")), "verify-archive", str(archive), OPTION, language()]
    done = subprocess.run(command, env=person_environment(), capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode != 0:
        raise OrganizerError(done.stderr or done.stdout)
    return done.stdout.strip()


_EXPECTED: Final = (OrganizerError, RequestRefusedError, ProgramFailedError)
_NOT_SO: Final = {"en": "not so: ", "ru": "не выполнено: "}


def played(files: int, qualifying: int, seed: int) -> Outcome:
    """Play a cycle whose final has so many files, and so many each of its qualifications, on a cloud of its own."""
    with (
        Telling() as telling,
        tempfile.TemporaryDirectory(prefix="hurdle-demo-cycle-") as home,
        LocalCloud(DEFAULT_TEMPLATE, SOURCES, clock=Clock(STARTED_MS), logs=Logs()) as cloud,
    ):
        return WholeCycle(cloud, Path(home), Material.drawn(seed, files, qualifying), telling).play()


@spoken.command("demo-cycle")
@click.option("--files", default=60, show_default=True, type=click.IntRange(3, 500), help="Files of the final.")
@click.option(
    "--qualifying", default=30, show_default=True, type=click.IntRange(2, 100), help="Files of each qualification."
)
@click.option("--seed", default=1, show_default=True, help="Draws essays, people and programs.")
@click.option("--lang", type=click.Choice(LANGUAGES), default=language, help="The language; the system's without it.")
def demo_cycle(files: int, qualifying: int, seed: int, lang: str) -> None:
    """Play a whole cycle: applications, qualifications, a final, its markup, settlement, publication.

    Exit code 1 when the numbers are not as the simulated people's noise foretells.
    """
    try:
        outcome = played(files, qualifying, seed)
    except _EXPECTED as error:
        raise click.ClickException(in_words(error)) from error
    WholeConsole().print(outcome.table(lang))
    if surprises := outcome.surprises(lang):
        raise click.ClickException(_NOT_SO[lang] + "; ".join(surprises))
