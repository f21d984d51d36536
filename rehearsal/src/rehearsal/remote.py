"""A trial run with simulated teams at a platform that runs elsewhere: over HTTPS alone, with tokens, by the real clock.

Nothing is injected but the teams' own faults: they come late, stay silent, send broken or other answers, and pry. The
checks are those of every rehearsal that need nothing but answers of the interface; the rest cannot be seen from here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import httpx

from local.clock import monotonic_s, system_ms
from local.organizing import OrganizerError
from markup_core.receipt import canonical_bytes, sha256_hex
from rehearsal.ending import Bill, Settings, record_faults
from rehearsal.history import FORMAT, MINUTE, OPERATIONS, SECOND, History, Millis, from_text
from rehearsal.play import items, prying
from rehearsal.play.driver import DrivenPace, Driver, RunningPace, Timing
from rehearsal.play.items import Contest
from rehearsal.play.material import Cycle, Material
from rehearsal.play.prying import written
from rehearsal.play.teams import Answering, Team, Teams, Turn, as_json
from rehearsal.play.wire import Fault, Scripts, Wire, said_by
from rehearsal.proof.case import EXCHANGE
from rehearsal.proof.checker import check
from rehearsal.proof.oracle import CUSTOM, DIALOGUES, ESSAY, EXAM, GEC, PROGRAMS, SEMIFINAL
from rehearsal.stages import Outcome
from tracks.diagnosis.stages import VERSIONS, stage_of_version

Json = Any
OWN_FAULTS: Final = frozenset(
    {Fault.SLOW, Fault.DUPLICATES, Fault.WRONG, Fault.BROKEN, Fault.RESENDS, Fault.CLOCKS, Fault.DISCONNECTS}
)
"""Faults that are the teams' own."""
_SURE: Final[Millis] = 3 * SECOND
"""Least distance of requests from a last moment, before and after it: a network may take that long, and the platform
gives back the time that it took of a team's before."""
_LOOKS_BEFORE: Final[Millis] = 10 * SECOND  # a look into a file that is nearer to its opening may be held until then
_ROUNDS: Final = 5
_PATIENCE: Final[Millis] = 20 * MINUTE  # time after the last deadline during which the run's record is looked for
_LOOKS_AGAIN: Final[Millis] = 10 * SECOND
_DIAGNOSIS: Final = "diagnosis"
_CONTESTS: Final[Mapping[str, Callable[[Cycle, Json], Contest]]] = {
    EXAM: lambda *_: items.EXAM,
    GEC: lambda *_: items.GEC,
    CUSTOM: lambda cycle, _: items.declared(cycle),
    _DIAGNOSIS: lambda _, content: items.diagnosing(content),
}
"""Functions that return the contest whose answers fit a hand-out with unknown references, by contest."""


@dataclass(frozen=True, slots=True)
class Place:
    """The platform's address, the trial run, tokens by team, and the simulated teams' knowledge of the contest."""

    url: str
    run: str
    tokens: Mapping[str, str]
    cycle: Cycle | None = None


class Guesses(Answering):
    """Answers to items whose references are unknown: valid ones, of the same kind for every item."""

    def __init__(self, cycle: Cycle) -> None:
        self._cycle = cycle

    def _contest(self, content: Json) -> Contest:
        return _CONTESTS[self._cycle.name](self._cycle, content)

    def answer(self, content: Json, skill: float, variant: int = 0) -> Json:  # noqa: ARG002 - nothing is known of it
        contest = self._contest(content)
        return contest.varied(contest.plain, variant) if variant else contest.plain

    def another(self, content: Json) -> Json:
        return self._contest(content).not_an_answer

    def turns(self, content: Json, skill: float) -> Sequence[Turn]:
        return self._contest(content).talked(self.answer(content, skill))

    def digest_at(self, content: Json, answer: Json, step: str) -> str:
        """Return the SHA-256 of a valid answer's canonical bytes at a step, by default its item's first."""
        track, body, version = self._cycle.track, as_json(answer), content.get("version")
        stage = {"versions": VERSIONS[stage_of_version(version)]} if version else {}
        step = step or version or track.steps(self._cycle.parameters)[0].name
        verdict = track.validate({**content, **stage}, str(content["id"]), step, body, self._cycle.parameters)
        return sha256_hex(canonical_bytes(verdict.canonical))


def tokens_in(path: Path) -> dict[str, str]:
    """Return tokens by team from a file with ``TEAM TOKEN`` a line. OrganizerError for another line, or none."""
    lines = [line.split() for line in path.read_text("utf-8").splitlines() if line.strip()]
    if not lines or any(len(words) != 2 for words in lines):
        raise OrganizerError(f"{path}: write TEAM TOKEN a line, of each simulated team")
    return {words[0]: words[1] for words in lines}


def clock_of(url: str) -> tuple[Callable[[], Millis], Millis]:
    """Return the platform's clock, read over the network, and the shortest time that a reading took."""
    with closing(Wire(url, system_ms, History(), lambda _: ())) as wire:
        rounds = []
        for _ in range(_ROUNDS):
            sent = system_ms()
            try:
                server_time = said_by(wire.get("/v1/cycle")).get("server_time")
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                raise OrganizerError(f"no answer from {url}: {error}") from error
            took = system_ms() - sent
            if not isinstance(server_time, str):
                raise OrganizerError(f"there is no platform at {url}")
            rounds.append((took, from_text(server_time) - sent - took // 2))
    took, offset = min(rounds)
    return lambda: system_ms() + offset, took


class Outside:
    """A trial run at a place, followed by a clock; ``pace`` reaches its moments."""

    def __init__(self, place: Place, pace: RunningPace | DrivenPace, history: History, took: Millis = 0) -> None:
        """``took`` is the shortest time of an answer over the network, by which the clock may be wrong."""
        self._sure = max(_SURE, 4 * took)
        self._off = took
        self._place, self._pace, self._history = place, pace, history
        self.wire = Wire(place.url, pace.now, history, lambda _: ())
        self._teams = [Team(index, name, token, self.wire) for index, (name, token) in enumerate(place.tokens.items())]

    def close(self) -> None:
        self.wire.close()

    def timing(self) -> Timing:
        """Return the run's schedule as it is announced. OrganizerError for one that counts, or is under way, for a
        contest without runs, and for a token that is not its team's."""
        run_id, url = self._place.run, self._place.url
        if self._told("/v1/cycle").get("track") == PROGRAMS:
            message = (
                "submissions_count: programs are not played from outside, for no submission is a trial: each uses up a "
                "team's day and may stand on the board"
            )
            raise OrganizerError(message)
        run = self._told(f"/v1/runs/{run_id}")
        if not run:
            raise OrganizerError(f"there is no run {run_id} at {url}")
        statement = run["commitment"]["statement"]
        starts_at = from_text(statement["starts_at"])
        if not run["trial"]:
            raise OrganizerError(f"the run {run_id} counts; plan one with --trial")
        if starts_at < self._pace.now():
            raise OrganizerError(f"the run {run_id} has begun at {run['starts_at']}")
        for team in self._teams:
            if self._told("/v1/me", team.token).get("team_id") != team.name:
                raise OrganizerError(f"the token of {team.name} is none of its own at {url}")
        self._history.add("answer", of="run_before", body=run)
        limits = {name.removesuffix("_ms"): limit for name, limit in statement["limits"].items()}
        return Timing(
            run_id, statement["mode"], starts_at, statement["interval_ms"], files=statement["files"], late=self._sure,
            **limits,
        )  # fmt: skip

    def rehearse(self, timing: Timing, wanted: Settings, on_moment: Callable[[Millis], None]) -> Outcome:
        """Play the run with the faults that are the teams' own, and check what could be seen of it."""
        began = monotonic_s()
        self._play(timing, replace(wanted, faults=wanted.faults & OWN_FAULTS), on_moment)
        story = self._history.story()
        return Outcome(story, check(story), monotonic_s() - began, Bill({}, {}, {}, ""))

    def _play(self, timing: Timing, wanted: Settings, on_moment: Callable[[Millis], None]) -> None:
        """Play the run to its end, and record the final answers to everybody and to each team."""
        statement = self._history.story().facts.answers["run_before"]["commitment"]["statement"]

        def injected(what: str, **where: Json) -> None:
            self._history.add("injected", what=what, now=self._pace.now(), **where)

        material = self._material(str(statement["track"]), timing.files)
        driver = Driver(self._pace, None, on_moment)
        scripts = Scripts(wanted.seed, wanted.faults, timing.answer - 2 * self._sure, wanted.share)
        plays = Teams(timing, scripts, material, injected)
        for team in self._teams:
            driver.spawn(team, plays.participation(team, timing.starts_at - (5 + team.index) * SECOND, driver.spawn))
        joined = dict.fromkeys(self._teams, timing.starts_at)
        for team, play in prying.plays(joined, timing, _LOOKS_BEFORE):
            driver.spawn(team, play)
        last = timing.opens_at(timing.files) + timing.total
        driver.run(last)
        header = {name: statement[name] for name in ("files", "starts_at", "interval_ms", "limits")}
        stage = str(statement["track"])
        if stage == _DIAGNOSIS:  # a dialogue or another one, by what was played
            talks = any("turn" in call.means for call in self._history.story().calls)
            stage = DIALOGUES if talks else SEMIFINAL
        header["sends"] = self._told("/v1/cycle")["parameters"]["sends_per_file"]
        self._history.add(
            "header", format=FORMAT, stage=stage, outside=True, seed=wanted.seed,
            teams=len(self._teams), listening=0, faults=sorted(wanted.faults), driven=False, run=timing.run_id,
            clock_off_ms=self._off, **header,
        )  # fmt: skip
        record = f"/v1/runs/{self._place.run}/record"
        while self._pace.now() < last + _PATIENCE and self.wire.get(record).status_code != 200:
            on_moment(self._pace.now())
            self._pace.reach(self._pace.now() + _LOOKS_AGAIN)
        self._write_down()

    def _material(self, track: str, files: int) -> Answering:
        """Return the teams' answers. OrganizerError where a contest's items cannot be answered at once."""
        cycle = self._place.cycle
        if cycle is not None and cycle.name != track:
            raise OrganizerError(f"the cycle is one of the contest {cycle.name}; leave --track out")
        if track == ESSAY:
            return Material(cycle or Cycle.demonstrated(track), files)
        if track == CUSTOM and cycle is None:
            message = "cycle_needed: a declared measure has answers of its own; name your cycle (--cycle FOLDER)"
            raise OrganizerError(message)
        return Guesses(cycle or Cycle.demonstrated(track))

    def _write_down(self) -> None:
        """Record the final answers, and those parts of them that the checks look for in stored data."""
        run = f"/v1/runs/{self._place.run}"
        answers: dict[str, Json] = {"run": self._told(run), "keys": self._told("/v1/keys")}
        signed = self._told(f"{run}/record")
        if signed:
            record = answers["record"] = signed["record"]
            answers["record_verified"] = record_faults(answers["run"], signed, answers["keys"])
            self._items(f"RUN#{self._place.run}", dict(_releases(record)))
        for team in (team for team in self._teams if team.session_id):
            status = answers[f"status/{team.name}"] = self._told(team.path(), team.token)
            receipts = answers[f"receipts/{team.name}"] = self._told(team.path("/receipts?limit=1000"), team.token)
            self._items(f"RUN#{self._place.run}", {f"SESSION#{team.name}#{team.session_id}": {}})
            self._items(f"SESSION#{team.session_id}", dict(_session(status, receipts)))
        for name, body in answers.items():
            self._history.add("answer", of=name, body=body)
        self._history.add("answer", of=OPERATIONS, body=written(self.wire))

    def _told(self, path: str, token: str | None = None) -> Json:
        response = self.wire.get(path, token)
        return response.json() if response.status_code == 200 else {}

    def _items(self, pk: str, stored: Mapping[str, Mapping[str, Json]]) -> None:
        for sk, item in stored.items():
            self._history.add("item", table=EXCHANGE, pk=pk, sk=sk, item=item)


def _releases(record: Mapping[str, Json]) -> Iterator[tuple[str, Mapping[str, Json]]]:
    """Yield the releases in a record, in the form in which they are stored."""
    names = {row["number"]: row["file_id"] for plan in record["plans"] for row in plan["rows"]}
    for release in record["releases"]:
        moments = {name: from_text(release[name]) for name in ("planned_at", "opens_at", "armed_at")}
        number = release["number"]
        yield f"RELEASE#{number:04d}", {"number": number, "file_id": names[number], **moments}


def _session(status: Mapping[str, Json], receipts: Mapping[str, Json]) -> Iterator[tuple[str, Mapping[str, Json]]]:
    """Yield the files and receipts in the answers to a team, in the form in which they are stored."""
    for delivery in status.get("deliveries", ()):
        handed = delivery["handed_out_at"]
        moment = {} if handed is None else {"handed_out_at": from_text(handed)}
        yield f"FILE#{delivery['number']:04d}", {"sends": delivery["sends"], **moment}
    for place, signed in enumerate(receipts.get("receipts", ())):
        receipt = signed["receipt"]
        send = f"ignored-{place}" if receipt["status"] == "ignored" else f"{receipt['send']:02d}"
        item = {"body": json.dumps(signed), "status": receipt["status"], "content_sha256": receipt["content_sha256"]}
        yield f"RECEIPT#{receipt['number']:04d}#{send}", item
