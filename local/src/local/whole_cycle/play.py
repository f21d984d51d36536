"""The acts of a whole cycle in their order, each by the command of whoever does it (R 3, 4, 6, 7, 8)."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from local.cloud import LocalCloud
from local.environment import person_environment
from local.organizing import Organizer, OrganizerError
from local.rehearsal.moments import MINUTE, SECOND, Millis, from_text, to_text
from local.simulation.programs import PROGRAMS, rules_of
from local.whole_cycle import folder
from local.whole_cycle.experts import Office
from local.whole_cycle.folder import FINAL, TEST, Material
from local.whole_cycle.outcome import Outcome, outcome
from local.whole_cycle.people import PARTICIPANTS, STAFF, Person
from local.whole_cycle.programs import Arena, Team
from local.whole_cycle.telling import Telling, show
from markup_core.speaking import OPTION, language, say
from pku.wire.answers import Order

Json = Any
HARDNESS: Final = 1.0
_EXPLAINED: Final = (1, 2, 1, 1, 1, 1, 1)
"""Weights with which explanations count, so that experts rate them."""
_EVERY_HOURS: Final = 4
_DAY: Final[Millis] = 24 * 60 * MINUTE
_NOTICE: Final[Millis] = 10 * _DAY + 60 * MINUTE
"""A final's schedule is told ten days ahead (R 7.5)."""
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
    experts: Mapping[str, Person]
    """By their ids."""


class WholeCycle:
    """One cycle on one local cloud; ``home`` is where everybody's things are kept."""

    def __init__(self, cloud: LocalCloud, home: Path, material: Material, telling: Telling) -> None:
        self._cloud = cloud
        self._home = home
        self._material = material
        self._essays = material.by_text()
        self._telling = telling
        self._arena = Arena(cloud, home / "programs", self._essays, telling)
        self._folder = home / "cycle"

    def play(self) -> Outcome:
        """Play all of it; what came of it."""
        staff = self._office_opens()
        teams = self._teams_apply(staff)
        self._qualify(staff, teams)
        self._explanations_will_count(staff.olga)
        run_id = self._final(staff.olga, teams)
        self._mark_up(staff, run_id)
        return self._results(staff, run_id)

    def _office_opens(self) -> Staff:
        """The deployment's own credentials load the cycle and invite the first organizer; she invites the others."""
        self._telling.act(
            say(
                "The organizers load the cycle and invite each other",
                "Организаторы загружают цикл и приглашают друг друга",
            )
        )
        folder.write(self._folder, self._material, _parameters(len(self._material.sets[TEST])))
        deployment = Organizer(self._cloud)
        show(f"operator$ contest cycle load --direct {self._folder.name}")
        show(deployment.load(self._folder))
        show("operator$ contest staff invite olga@example.org Olga organizer")
        deployment.contest("staff", "invite", "olga@example.org", "Olga", "organizer")
        olga = self._person("olga", STAFF)
        olga.login()
        for name, role in (("jan", "judge"), ("kim", "commission"), *((each, "expert") for each in _EXPERTS)):
            olga.contest("staff", "invite", f"{name}@example.org", name.title(), role)
        listed = json.loads(olga.contest("staff", "list", "--json"))["staff"]
        invited = {each["email"].partition("@")[0]: each["person_id"] for each in listed}
        for name in _EXPERTS:
            self._give_profile(olga, invited[name])
        jan, kim = self._person("jan", STAFF), self._person("kim", STAFF)
        jan.login()
        kim.login()
        return Staff(olga, jan, kim, {invited[name]: self._person(name, STAFF) for name in _EXPERTS})

    def _give_profile(self, olga: Person, expert_id: str) -> None:
        subjects = sorted({each.subject for each in self._essays.values()})
        words = [word for each in subjects for word in ("--subject", each)]
        olga.contest("expert", "set", expert_id, *words, "--language", "rus", "--language", "eng")
        self._arena.wait(SECOND)

    def _teams_apply(self, staff: Staff) -> list[Team]:
        """Captains send the form; four teams are let in, and one that came too late is not."""
        self._telling.act(
            say(
                "Teams apply, and are admitted or not (R 3.1)",
                "Команды подают заявки; заявки утверждают или отклоняют (R 3.1)",
            )
        )
        teams = []
        for name in (*PROGRAMS, _REJECTED):
            captain = self._person(f"captain-of-{name}", PARTICIPANTS)
            show(f"{captain.name}   POST /v1/applications")
            form = {"team_id": name, "team_name": name.title(), "person_name": captain.name, "contact": captain.email}
            captain.ask("POST /v1/applications", {**form, "accepts_rules": True})
            if name == _REJECTED:
                staff.olga.contest(
                    "team", "decide", name, "rejected", "--reason", say("after the last day", "подана после срока")
                )
                continue
            staff.olga.contest("team", "decide", name, "approved", "--reason", say("complete", "заявка полная"))
            token = captain.ask("POST /v1/team/tokens", {"name": "program"})["token"]
            teams.append(Team(name, token, self._material.cast.program(name)))
        self._arena.wait(MINUTE + SECOND)  # a decision holds within a minute
        return teams

    def _qualify(self, staff: Staff, teams: Sequence[Team]) -> None:
        """Both qualifications, and every step of the conclusions on them (R 6.4, 6.6, 6.9, 8.2)."""
        self._telling.act(
            say(
                "Programs qualify: algorithmic, then technical",
                "Программы проходят квалификации: алгоритмическую, затем техническую",
            )
        )
        now = self._cloud.clock.now_ms()
        self._arena.play(teams, Order(set=TEST), now + SECOND, now + 15 * MINUTE)
        starts_at = self._technical_run()
        self._arena.play(teams, Order(mode="technical"), starts_at - _JOINS_BEFORE, starts_at + 20 * MINUTE)
        self._telling.act(
            say(
                "A judge confirms, the commission verifies, the organizers admit (R 8.2)",
                "Судья подтверждает, комиссия проверяет, организаторы допускают (R 8.2)",
            )
        )
        for team in json.loads(staff.olga.contest("qualification", "list", "--json"))["teams"]:
            for claim in team["claims"]:
                session = claim["session_id"]
                staff.judge.contest(
                    "qualification", "judge", session, "--reason", say("as the report says", "по отчёту")
                )
                staff.commission.contest(
                    "qualification", "verify", session, "--reason", say("nothing to object", "возражений нет")
                )
            if team["claims"]:
                staff.olga.contest(
                    "qualification", "admit", team["team_id"], "--reason", say("both conclusions", "оба заключения")
                )
        show(staff.olga.contest("qualification", "list"))

    def _technical_run(self) -> Millis:
        """Let time pass until the timer has announced the next technical run; its start."""
        slot = _EVERY_HOURS * 60 * MINUTE
        now = self._cloud.clock.now_ms()
        self._cloud.clock.jump(((now // slot + 1) * slot - now) / SECOND)
        self._arena.wait(2 * MINUTE)
        coming = [each for each in self._runs() if from_text(each["starts_at"]) > self._cloud.clock.now_ms()]
        return min(from_text(each["starts_at"]) for each in coming)

    def _runs(self) -> Sequence[Json]:
        olga = self._person("olga", STAFF)
        return list(olga.ask("GET /v1/runs")["runs"])

    def _explanations_will_count(self, olga: Person) -> None:
        """New parameters for the final, announced more than a week ahead (R 5.8)."""
        self._telling.act(
            say(
                "From the final on explanations count (R 5.8)",
                "Начиная с финала учитываются пояснения (R 5.8)",
            )
        )
        file = self._folder / "cycle.json"
        described = json.loads(file.read_text("utf-8"))
        described["parameters"]["weights"] = list(_EXPLAINED)
        file.write_text(json.dumps(described, ensure_ascii=False), "utf-8")
        effective = to_text(self._cloud.clock.now_ms() + _PARAMETERS_NOTICE)
        reason = say("from the final on explanations count", "начиная с финала учитываются пояснения")
        words = ("--effective", effective, "--reason", reason)
        show(olga.contest("cycle", "parameters", str(file), *words))
        show(olga.contest("announce", "list"))

    def _final(self, olga: Person, teams: Sequence[Team]) -> str:
        """The final on a driven clock, announced ten days before (R 7)."""
        self._telling.act(
            say(
                "The final: planned, announced, looked over, played (R 7)",
                "Финал: назначен, объявлен, проверен, проведён (R 7)",
            )
        )
        now = self._cloud.clock.now_ms()
        starts_at = (now + _NOTICE) // MINUTE * MINUTE
        words = ("--mode", "final", "--set", FINAL, "--start", to_text(starts_at))
        run_id = str(json.loads(olga.contest("run", "plan", *words, "--json"))["run_id"])
        self._cloud.clock.jump((starts_at - 10 * MINUTE - now) / SECOND)
        self._arena.wait(MINUTE)
        show(olga.contest("check", "--run", run_id, may_fail=True))
        until = starts_at + (len(self._material.sets[FINAL]) + 15) * MINUTE
        order = Order(mode="final", run=run_id)
        self._arena.play(teams, order, starts_at - _JOINS_BEFORE, until, explains=True)
        return run_id

    def _mark_up(self, staff: Staff, run_id: str) -> None:
        """Two experts each, a third where they differ, then ratings of explanations (R 7.10)."""
        self._telling.act(
            say(
                "Experts mark the final's essays up, and rate explanations (R 7.10)",
                "Эксперты размечают эссе финала и оценивают пояснения (R 7.10)",
            )
        )
        olga = staff.olga
        given = json.loads(olga.contest("marking", "begin", "--run", run_id, "--json"))["essays"]
        show(say(f"given to two experts each: {given} essays", f"роздано двум экспертам каждое эссе, всего {given}"))
        office = Office(tuple(staff.experts.values()), self._essays, self._material.cast.seed, self._arena.wait)
        office.work()
        for session in self._sessions_of(run_id):
            olga.contest("marking", "begin", "--session", session)
        office.work()

    def _sessions_of(self, run_id: str) -> Sequence[str]:
        found = []
        for name in PROGRAMS:
            told = self._person("olga", STAFF).ask(f"GET /v1/teams/{name}/sessions")["sessions"]
            found += [each["session_id"] for each in told if each["run_id"] == run_id]
        return found

    def _results(self, staff: Staff, run_id: str) -> Outcome:
        """Settlement with its recomputation, publication, and what everybody may keep of it (R 7.11–7.14, 8.3)."""
        self._telling.act(
            say(
                "Settlement: scores, board, the independent recomputation (R 8.3)",
                "Подведение итогов: оценки, лидерборд, независимый пересчёт (R 8.3)",
            )
        )
        show(staff.olga.contest("run", "mark", run_id))
        self._arena.wait(5 * MINUTE)
        show(staff.commission.contest("run", "shadow", run_id))
        self._telling.act(say("Publication and archive (R 7.11–7.14)", "Публикация и архив (R 7.11–7.14)"))
        show(
            staff.olga.contest(
                "run", "publish", run_id, "--reason", say("the commission has verified it", "комиссия проверила")
            )
        )
        self._arena.wait(3 * MINUTE)
        archive = self._home / "archive.zip"
        show(staff.olga.contest("run", "archive", run_id, "--out", str(archive)))
        show(_verified(archive))
        show(staff.olga.contest("board", "--run", run_id))
        board = staff.olga.ask(f"GET /v1/leaderboards/final?run={run_id}")
        marking = staff.olga.ask(f"GET /v1/markings/{run_id}")
        names = {key: each.name for key, each in staff.experts.items()}
        return outcome(board, marking, self._material, names, rules_of(HARDNESS, weights=list(_EXPLAINED)))

    def _person(self, name: str, pool: str) -> Person:
        return Person(name, pool, self._cloud, self._home / name)


def _parameters(qualifying: int) -> Mapping[str, Json]:
    """Experts and programs on average, and qualifications of so many files."""
    technical = {"every_hours": _EVERY_HOURS, "files": [qualifying] * 2, "interval_s": [20, 20]}
    return {"hardness": HARDNESS, "technical": technical, "readiness_min_files": qualifying}


def _verified(archive: Path) -> str:
    """What the kit says of the archive, which knows nothing but its bytes."""
    show(f"anybody$ pku verify-archive {archive.name}")
    command = [str(Path(sys.executable).with_name("pku")), "verify-archive", str(archive), OPTION, language()]
    done = subprocess.run(command, env=person_environment(), capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode != 0:
        raise OrganizerError(done.stderr or done.stdout)
    return done.stdout.strip()
