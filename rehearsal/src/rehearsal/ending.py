"""The end of a rehearsed run: publish the results, look at them, write down the platform's data and answers."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

from boto3.dynamodb.types import TypeDeserializer  # type: ignore[import-untyped]  # ships no types  # type: ignore[import-untyped]  # ships no types

from local import organizing
from local.cloud import LocalCloud
from local.organizing import Organizer, OrganizerError
from markup_core.receipt import sha256_hex
from pku.checks import archive as archives
from pku.errors import PkuError
from rehearsal.harm.crashes import Crashes, Stalls
from rehearsal.history import NOT_PUBLISHED, OPERATIONS, UNANSWERED, History
from rehearsal.moments import MINUTE, SECOND, Millis, to_text
from rehearsal.play import people, practice, prying, reading
from rehearsal.play.channel import ChannelTeam
from rehearsal.play.cycles import Cycle
from rehearsal.play.driver import DrivenPace, Timing
from rehearsal.play.experts import EXPERTS, ExpertsAtWork
from rehearsal.play.injections import Fault
from rehearsal.play.latency import Latency, RealTime
from rehearsal.play.operations import written
from rehearsal.play.people import People
from rehearsal.play.practice import SlowTeam
from rehearsal.play.prying import Attack
from rehearsal.play.qualifying import ORGANIZER, STAFF, Qualification, SecondRuns
from rehearsal.play.reading import Reader
from rehearsal.play.script import Person, Script
from rehearsal.play.teams import Team
from rehearsal.play.wire import Ask, Wire
from rehearsal.proof import readable
from rehearsal.proof.checker import Size
from rehearsal.proof.checks_prying import ATTACKED
from rehearsal.proof.checks_results import TABLES
from rehearsal.proof.oracle import ESSAY
from rehearsal.proof.readable import PUBLIC, Phase
from rehearsal.texts import say

Json = Any
_QUEUES: Final = ("QueuesScoring", "QueuesSettlement", "QueuesScoringDeadLetters", "QueuesRelayDeadLetters")
_WITHOUT_TEXT: Final = ("logs/", "published/")


def export(cloud: LocalCloud, history: History, acts: Iterable[Mapping[str, Json]]) -> None:
    """Write the facts of a cloud that has come to rest. ``acts`` are the log of a sabotaged copy's processes."""
    cloud.drain()
    _items(cloud, history, cloud.tables())
    for stored in cloud.objects():
        name, content = stored["key"], base64.b64decode(stored["content"])
        text = None if name.startswith(_WITHOUT_TEXT) else _text(content)
        history.add("object", name=name, sha256=hashlib.sha256(content).hexdigest(), text=text)
    for act in acts:
        if act["kind"] == "written":
            history.add("written", **{name: act.get(name, "") for name in ("what", "at", "pk", "sk", "sha256")})
    for queue in _QUEUES:
        names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
        queue_state = cloud.client("sqs").get_queue_attributes(QueueUrl=cloud.resource(queue), AttributeNames=names)
        history.add("left", queue=queue, messages=sum(int(queue_state["Attributes"][name]) for name in names))


def _items(cloud: LocalCloud, history: History, tables: Mapping[str, Iterable[Mapping[str, Json]]]) -> None:
    for name, prefix in TABLES.items():
        for attributes in tables[cloud.resource(prefix)]:
            item = {key: _plain(value) for key, value in attributes.items()}
            pk, sk = item.pop("pk"), item.pop("sk")
            if sk.startswith("ANSWER#"):
                _, number, digest = sk.split("#")
                text = zlib.decompress(item["content"])
                stored = f"answers/{pk.removeprefix('ANSWERS#')}/{int(number)}/{digest}.json"
                history.add("object", name=stored, sha256=hashlib.sha256(text).hexdigest(), text=_text(text))
                continue
            if sk.startswith("SCORE#"):
                item["record"] = zlib.decompress(item["record"]).decode()
            if isinstance(item.get("answer"), str):
                item["answer"] = json.loads(item["answer"])
            content = {
                key: base64.b64encode(value).decode() if isinstance(value, bytes) else value
                for key, value in item.items()
            }
            history.add("item", table=name, pk=pk, sk=sk, item=content)


def _plain(value: Mapping[str, Json]) -> Json:
    """Convert a value of DynamoDB's JSON: numbers are whole here, sets ordered, binary ones come in base64."""
    if "B" in value:
        return base64.b64decode(value["B"])
    plain = TypeDeserializer().deserialize(value)
    if isinstance(plain, set):
        return sorted(plain)
    return int(plain) if "N" in value else plain


def _text(content: bytes) -> str | None:
    """Return an object's text; None for an archive or an image."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a rehearsal; seconds where nothing else is said.

    ``bug`` is one of :mod:`rehearsal.harm.bugs`. ``share`` is that of the files with a trick, None the usual one.
    ``lead`` is the time from the planning to the start. ``cycle`` is the organizer's own; without it the contest's
    demonstration is played.
    """

    teams: int = 10
    files: int = 20
    seed: int = 1
    faults: frozenset[Fault] = frozenset()
    interval: float = 60.0
    request: float = 10.0
    answer: float = 50.0
    total: float = 60.0
    join: float = 120.0
    bug: str | None = None
    driven: bool = True
    workers: int = 2
    share: float | None = None
    lead: float = 120.0
    cycle: Cycle | None = None


@dataclass(frozen=True, slots=True)
class Bill:
    """The requests of a rehearsal to the cloud, and the estimate of a final of its size in requests and costs, by kind,
    in the currency of the price list. Of a kind that follows from others (logs, traffic) nothing is counted."""

    counted: Mapping[str, float]
    estimated: Mapping[str, float]
    prices: Mapping[str, float]
    """The price of a unit of each kind."""
    currency: str

    def cost(self, counts: Mapping[str, float]) -> float:
        """Return the cost of counts."""
        return sum(count * self.prices[kind] for kind, count in counts.items() if kind in self.prices)


Player = Team | ChannelTeam
ON_THE_CHANNEL: Final = 5
"""Of so many simulated teams one is on the event channel."""
_BETWEEN_LOOKS_S: Final = 0.25
_MANY: Final = 100
"""Files of teams from which on each role tries each door."""
_ARCHIVED_AFTER: Final[Millis] = 3 * MINUTE
"""So long after the publication the workers have made the archive, in two stages that the timer sends for."""
_SEEN_AFTER_S: Final = 15.0
"""Whoever looked at a board just before its publication may see the old one for ten seconds."""


class Ending:
    """The part of a stage that begins when nothing of its run is due any more."""

    cloud: LocalCloud
    settings: Settings
    history: History
    crashes: Crashes
    organizer: Organizer
    wire: Wire
    material: Any
    qualifying: Sequence[Team] = ()
    """Teams that qualify once the results are out, and play the runs beside the final."""
    admitted_at: Millis = 0
    """When all teams were entered."""
    leaving: Sequence[Team] = ()
    """Teams that take part in the run and are no competitors in it."""
    attacker: Team | None = None
    """Who tries to read out a hidden set's references once all else is over."""
    changing: Sequence[Team] = ()
    """The team whose tokens, standing and quota change once the results are out."""
    readers: Sequence[Reader] = ()
    """One of each role, who read everything."""
    first: Player
    """The first of the simulated teams, whose session is read."""
    _routes: Sequence[str] | None = None
    practising: Sequence[SlowTeam] = ()
    """Teams that had sessions of their own beside the run."""
    kind: ClassVar[str]
    publications: ClassVar[int] = 1
    """Files of the run for each item: so many times something is handed out of it."""
    boards: ClassVar[tuple[str, ...]] = ()
    """Keys of the contest's boards, where it has others than the main one."""
    on_act: Callable[[str], object] = staticmethod(str)
    """Hears the name of each act as it begins, as ``act.NAME`` among the messages."""

    @property
    def cycle(self) -> Cycle:
        """Return the cycle that is played."""
        return self.settings.cycle or Cycle.demonstrated(self.kind.partition("-")[0])

    @property
    def listening(self) -> int:
        """Return how many of the simulated teams are on the event channel."""
        return self.settings.teams // ON_THE_CHANNEL if self.settings.driven else 0

    def is_played(self, fault: Fault) -> bool:
        """Return whether what belongs to a fault is played in a rehearsal of this size."""
        settings = self.settings
        over_http = settings.teams - self.listening
        return Size(over_http, self.listening, settings.files, frozenset(settings.faults), settings.driven).plays(fault)

    def conclude(self, timing: Timing, teams: Sequence[Player]) -> None:
        """Publish the results, play the stages beside the run, and record the platform's data and answers."""
        self.show_results(timing, teams)
        self.change_people(timing)
        self.play_beside()
        self.attack(timing)
        self.write_down(timing, teams)

    def show_results(self, timing: Timing, teams: Sequence[Player]) -> None:
        """Publish the results, and let teams look at them.

        A refusal to publish is written down with the platform's own words, for the checker to tell.
        """
        self.on_act("publishing")
        self.answer("board_before", _final_board(timing))
        mine = [team for team in teams if isinstance(team, Team) and team.session_id]
        if self.is_played(Fault.PRYING):
            self._look(prying.own_results(mine, timing.files, prying.OWN_EARLY))
        self.read(timing, Phase.CLOSED)
        early = self.wire.get(f"/v1/runs/{timing.run_id}/archive").status_code
        self.history.add("answer", of="archive_before", body=early)
        self.history.add("answer", of="published_at", body=self.history.number())
        try:
            self.publish(timing.run_id)
        except OrganizerError as refused:
            self.history.add("answer", of=NOT_PUBLISHED, body=str(refused))
        self.cloud.clock.advance(_SEEN_AFTER_S)
        self._calmly().reach(self.cloud.clock.now_ms() + _ARCHIVED_AFTER, lambda: 0)
        if self.is_played(Fault.PRYING):
            self.on_act("looking_around")
            self._look(prying.own_results(mine, timing.files, prying.OWN_SHOWN))
            self.try_doors(timing, mine)
        self.read(timing, Phase.PUBLISHED)
        for reader in self.readers[1:2]:
            path = "/v1/sessions/{session_id}/receipts"
            reading.pages(reader, Phase.PUBLISHED, path, self.names(timing), self._waits)

    def read(self, timing: Timing, phase: Phase) -> None:
        """Let everybody read what can be read, where they do."""
        if self.readers:
            reading.everybody(self.readers, lambda reader: self.looks(timing, phase, reader), self._waits)

    def nominations(self) -> Mapping[str, Json]:
        """Return the nominations of the final by their names, those of the rehearsal's own cycle included."""
        is_ours = self.kind == ESSAY and not self.cycle.is_own and self.is_played(Fault.READING)
        ours = reading.NOMINATIONS if is_ours else {}
        return {**self.cycle.head.get("parameters", {}).get("nominations", {}), **ours}

    @property
    def languages(self) -> Sequence[str]:
        """Return the languages of which leaderboards have parts."""
        return tuple(self.cycle.head["languages"])

    def looks(self, timing: Timing, phase: Phase, reader: Reader) -> Sequence[Ask]:
        """Return what somebody asks for in a phase: the routes of the interface's document, and those of the model."""
        if self._routes is None:
            document = self.wire.get("/v1/openapi.json").json()
            self._routes = [path for path, methods in document["paths"].items() if "get" in methods]
        seed = None if self.settings.teams * self.settings.files >= _MANY else self.settings.seed
        parts = [f"language={name}" for name in self.languages]
        parts += [f"nomination={name}" for name in self.nominations()]
        doors = readable.doors_of(self.kind)
        return list(reading.asks(phase, reader.role, self.names(timing), self._routes, parts, seed, doors))

    def names(self, timing: Timing) -> dict[str, str]:
        """Return values for the parameters of the paths that are read."""
        keys = ",".join(self.boards) or "relative_accuracy"
        return reading.names_of(timing, self.first.name, self.first.session_id, self.cloud.clock.now_ms(), keys)

    def _waits(self) -> None:
        self.cloud.clock.advance(_BETWEEN_LOOKS_S)

    def write_down(self, timing: Timing, teams: Sequence[Player]) -> None:
        """Record the platform's data and answers, once silence has ended the session that a team left alone."""
        self.on_act("writing_down")
        for practising_team in self.practising:
            if practising_team.name == practice.LEFT:
                self._calmly().reach(max(self.cloud.clock.now_ms(), practice.silence_ends(timing)), lambda: 0)
                practising_team.ask(practice.at_the_end(practising_team))
        for team in (*teams, *self.leaving):
            if team.session_id:
                self.answer(f"status/{team.name}", team.path(), team.token)
                self.answer(f"receipts/{team.name}", team.path("/receipts?limit=1000"), team.token)
                self.answer(f"report/{team.name}", team.path("/report"), team.token)
        self.answer("run", f"/v1/runs/{timing.run_id}", needed=True)
        self._record(timing.run_id)
        self.archive(f"/v1/runs/{timing.run_id}/archive")
        self.answer("keys", "/v1/keys", needed=True)
        self.answer("board", _final_board(timing))
        self.answer("history", f"/v1/leaderboards/final/history?run={timing.run_id}")
        for key in self.boards:
            path = f"/v1/boards/{key}?of=final&run={timing.run_id}"
            self.answer(f"board/{key}", path)
        for reader in self.readers:
            if reader.role == readable.ORGANIZER:  # once more, after all that was done
                for route in readable.LOG:
                    query = readable.DOORS[route].queries[0]
                    reader.ask(reading.ask_of(Phase.PUBLISHED, reader.role, route, query, self.names(timing)))
        self.write_operations()
        export(self.cloud, self.history, self.crashes.acts())

    def write_operations(self) -> None:
        """Write down how often each operation of the interface was asked for."""
        self.history.add("answer", of=OPERATIONS, body=written(self.wire))

    def _calmly(self) -> DrivenPace:
        """Return a pace without injected faults."""
        return DrivenPace(self.cloud, self.settings.seed, self._noted, faulty=False)

    def change_people(self, timing: Timing) -> None:
        """Play the acts on people and boards, where any are played."""
        for team in self.changing:
            self.on_act("people")
            names = {"organizer": organizing.ORGANIZER, "dismissed": people.DISMISSED}
            staff = {role: Person(name, self.wire, self.staff_token) for role, name in names.items()}
            everybody = Reader(PUBLIC, reading.EVERYBODY, self.wire, lambda: None)

            def program(token: str) -> Team:
                return Team(team.index, self.first.name, token, self.wire)  # noqa: B023 - called within this round

            acts = People(
                Script(self._calmly()), team, self.first, program, staff, everybody, self.cycle.head["time_zone"]
            )
            acts.play(timing.run_id)
            if not self.qualifying:  # what was hidden and is published again is archived again, in so many minutes
                self._calmly().reach(self.cloud.clock.now_ms() + _ARCHIVED_AFTER, lambda: 0)

    def play_beside(self) -> None:
        """Qualify, and play the runs beside the final, where any are; nothing is injected any more."""
        if not self.qualifying:
            return
        script = Script(self._calmly())

        staff = {name: Person(name, self.wire, self.staff_token) for name in (*STAFF, *EXPERTS)}
        self.on_act("qualification")
        Qualification(script, self.material, self.qualifying, staff, self.admitted_at).play()
        self.on_act("other_runs")
        ready, short, other, _ = self.qualifying
        runs = SecondRuns(script, self.material, (ready, other, short), staff[ORGANIZER])
        self._record(runs.trial(), "trial_record")
        self._record(runs.restarted(), "anew_record")
        stalls = Stalls(self.crashes, self.cloud.clock, self._noted)
        self.on_act("real_time")
        RealTime(script, self.cloud, self.material, (ready, other), staff[ORGANIZER], stalls.at).play()
        self.on_act("latency")
        Latency(script, self.material, (ready, other), staff[ORGANIZER], stalls.at).play()
        self.on_act("experts")
        at_work = [staff[name] for name in EXPERTS]
        marked = ExpertsAtWork(script, self.material, (ready, other), staff[ORGANIZER], at_work).play(self.wire)
        self.archive(f"/v1/runs/{marked}/archive", "experts_archive")
        self._record(marked, "experts_record")
        self.answer("qualification_board", "/v1/leaderboards/qualification")
        self.answer("qualification_history", "/v1/leaderboards/qualification/history")

    def staff_token(self, name: str) -> str:
        """Return a token of somebody of the staff who signs in."""
        return organizing.token(self.cloud.url, name, "staff")

    def _noted(self, what: str, **where: Any) -> None:
        self.history.add("injected", what=what, now=self.cloud.clock.now_ms(), **where)

    def attack(self, timing: Timing) -> None:
        """Let the attacker try everything that it can on the hidden test set."""
        if self.attacker is None:
            return
        self.on_act("attack")
        attack = Attack(Script(self._calmly()), self.material, self.attacker, self.wire)
        files = prying.LISTENED // self.publications
        listened = self.order(self.material.listened, files, [self.attacker.name], "--trial", lead=MINUTE)
        attack.listens_to_run(listened, self.cloud.drain)
        names = {"run_id": timing.run_id, "name": "test", "key": next(iter(self.boards), "main")}
        document = self.wire.get("/v1/openapi.json").json()
        attack.play(document, names)
        figures = {"listened": listened.files}
        if least := self.cycle.head.get("parameters", {}).get("least_hidden_items"):
            figures["least"] = least
        self.history.add("answer", of=ATTACKED, body={**self.material.attacked(), **figures})

    def order(self, chosen: str, files: int, teams: Sequence[str], *more: str, lead: Millis) -> Timing:
        """Plan a run over so many items of a set, and publish its commitment, with the organizer's command."""
        settings = self.settings
        starts_at = (self.cloud.clock.now_ms() // SECOND) * SECOND + lead
        words = {
            "set": chosen,
            "start": to_text(starts_at),
            "interval": settings.interval,
            "files": files,
            "request": settings.request,
            "answer": settings.answer,
            "total": settings.total,
            "join": settings.join,
            "admit": ",".join(teams),
        }
        options = [part for name, value in words.items() for part in (f"--{name}", str(value))]
        planned = json.loads(self.organizer.contest("run", "plan", *options, *more, "--json"))
        return Timing(
            run_id=planned["run_id"],
            mode="final",
            starts_at=starts_at,
            interval=round(settings.interval * SECOND),
            request=round(settings.request * SECOND),
            answer=round(settings.answer * SECOND),
            total=round(settings.total * SECOND),
            join=round(settings.join * SECOND),
            files=files * self.publications,
        )

    def publish(self, run_id: str) -> None:
        """Record the protocols that the contest or the cycle demands, then publish the results.

        :class:`OrganizerError` where the platform refuses.
        """
        for signatory in self.cycle.signatories:
            reason = ("--reason", "the results were looked through")
            self.organizer.contest("run", "protocol", run_id, "--by", signatory, *reason)
        self.organizer.contest("run", "publish", run_id)

    def bill(self, teams: int) -> Bill:
        """Return the requests to the cloud so far, beside the organizer's estimate of a final of so many teams."""
        numbers = {"teams": teams, "files": self.settings.files, "listening": self.listening, "days": 0}
        size = [part for name, number in numbers.items() for part in (f"--{name}", str(number))]
        counted = self.cloud.metered()
        estimate = json.loads(self.organizer.contest("cost", *size, "--json"))
        lines = {line["kind"]: line for line in estimate["final"] if line["count"]}
        return Bill(
            counted={kind: counted[kind] for kind in lines if kind in counted},
            estimated={kind: line["count"] for kind, line in lines.items()},
            prices={kind: line["cost"] / line["count"] for kind, line in lines.items()},
            currency=estimate["currency"],
        )

    def _look(self, looks: Iterable[tuple[Team, Ask]]) -> None:
        for team, ask in looks:
            self.cloud.clock.advance(_BETWEEN_LOOKS_S)
            team.ask(ask)

    def try_doors(self, timing: Timing, teams: Sequence[Team]) -> None:
        """Let a team try what people alone may do; slowly, for its rate is limited."""
        names = {"run_id": timing.run_id, "team_id": teams[0].name, "session_id": teams[0].session_id} if teams else {}
        document = self.wire.get("/v1/openapi.json").json() if teams else {"paths": {}}
        self._look((teams[-1], ask) for ask in prying.staff(document, names))

    def _record(self, run_id: str, name: str = "record") -> None:
        """Write down the record, and apart from it the signed statement about it."""
        response = self.wire.get(f"/v1/runs/{run_id}/record")
        if response.status_code == 200:
            signed = response.json()
            self.history.add("answer", of=name, body=signed.pop("record"))
            self.history.add("answer", of=f"{name}_statement", body=signed)

    def archive(self, path: str, name: str = "archive") -> None:
        """Write down the archive that everybody has of published results, file by file, and what is found wrong with
        it by the command that everybody checks it with."""
        response = self.wire.get(path)
        self.history.add("answer", of=f"{name}_status", body=response.status_code)
        if response.status_code == 200:
            with zipfile.ZipFile(io.BytesIO(response.content)) as packed:
                files = {file_name: packed.read(file_name) for file_name in packed.namelist()}
            contents = {
                file_name: {"sha256": sha256_hex(body), "text": body.decode()} for file_name, body in files.items()
            }
            self.history.add("answer", of=name, body=contents)
            self.history.add("answer", of=f"{name}_verified", body=_verified(response.content))

    def answer(self, name: str, path: str, token: str | None = None, *, needed: bool = False) -> None:
        """Record the platform's answer in the end, or that there is none; without a needed one nothing can be
        checked."""
        response = self.wire.get(path, token)
        if response.status_code == 200:
            self.history.add("answer", of=name, body=response.json())
        elif not needed:
            self.history.add("answer", of=f"{UNANSWERED}{name}", body=response.status_code)
        else:
            failed = f"{path}: {response.status_code} {response.text[:200]}"
            raise OrganizerError(say("the platform does not tell {failed}", failed=failed))


def _verified(packed: bytes) -> dict[str, Any]:
    """Return how many rows of the main board ``pku verify-archive`` makes of an archive, and codes of its faults."""
    with tempfile.TemporaryDirectory(prefix="hurdle-archive-") as folder:
        path = Path(folder, "archive.zip")
        path.write_bytes(packed)
        try:
            verdict = archives.verify(path)
        except PkuError as error:
            return {"rows": 0, "faults": [error.code]}
    return {"rows": len(verdict.results), "faults": sorted(fault.code for fault in verdict.faults)}


def _final_board(timing: Timing) -> str:
    return f"/v1/leaderboards/final?run={timing.run_id}"
