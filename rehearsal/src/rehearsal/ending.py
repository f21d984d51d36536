"""The end of a rehearsed run: publish the results, look at them, write down the platform's data and answers."""

from __future__ import annotations

import base64
import io
import json
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Final

from boto3.dynamodb.types import TypeDeserializer  # type: ignore[import-untyped]  # ships no types

from local import organizing
from local.cloud import LocalCloud
from local.organizing import Organizer, OrganizerError
from markup_core.receipt import sha256_hex
from markup_core.texts import EN
from pku import archive as archives
from pku import proof
from pku.errors import PkuError
from rehearsal.harm.crashes import Crashes, Stalls
from rehearsal.history import MINUTE, NOT_PUBLISHED, OPERATIONS, SECOND, SENT, UNANSWERED, History, Millis, to_text
from rehearsal.play import around, prying
from rehearsal.play.around import News, People
from rehearsal.play.channel import ChannelTeam
from rehearsal.play.driver import DrivenPace, Person, Script, Timing
from rehearsal.play.material import Cycle
from rehearsal.play.prying import Attack, Reader, written
from rehearsal.play.qualifying import ORGANIZER, STAFF, Latency, Qualification, RealTime, SecondRuns
from rehearsal.play.staff import EXPERTS, ExpertsAtWork
from rehearsal.play.teams import Team
from rehearsal.play.wire import Ask, Fault, Wire
from rehearsal.proof import readable
from rehearsal.proof.case import Size
from rehearsal.proof.checks_prying import ATTACKED, OWN_EARLY, OWN_SHOWN
from rehearsal.proof.checks_results import TABLES
from rehearsal.proof.oracle import ESSAY
from rehearsal.proof.readable import PUBLIC, Phase

Json = Any
_QUEUES: Final = ("QueuesScoring", "QueuesSettlement", "QueuesScoringDeadLetters", "QueuesRelayDeadLetters")
_WITHOUT_TEXT: Final = ("logs/", "published/")


def export(cloud: LocalCloud, history: History, acts: Iterable[Mapping[str, Json]]) -> None:
    """Write the facts of a cloud that has come to rest. ``acts`` are the log of a sabotaged copy's processes."""
    cloud.drain()
    _items(history, cloud.tables(), cloud.resource)
    for stored in cloud.objects():
        name, content = stored["key"], base64.b64decode(stored["content"])
        text = None if name.startswith(_WITHOUT_TEXT) else _text(content)
        history.add("object", name=name, sha256=sha256_hex(content), text=text)
    for act in acts:
        if act["kind"] == "written":
            history.add("written", **{name: act.get(name, "") for name in ("what", "at", "pk", "sk", "sha256")})
    for queue in _QUEUES:
        names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
        queue_state = cloud.client("sqs").get_queue_attributes(QueueUrl=cloud.resource(queue), AttributeNames=names)
        history.add("left", queue=queue, messages=sum(int(queue_state["Attributes"][name]) for name in names))


def _items(
    history: History, tables: Mapping[str, Iterable[Mapping[str, Json]]], resource: Callable[[str], str]
) -> None:
    for name, prefix in TABLES.items():
        for attributes in tables[resource(prefix)]:
            item = {key: _plain(value) for key, value in attributes.items()}
            pk, sk = item.pop("pk"), item.pop("sk")
            if sk.startswith("ANSWER#"):
                _, number, digest = sk.split("#")
                text = zlib.decompress(item["content"])
                stored = f"answers/{pk.removeprefix('ANSWERS#')}/{int(number)}/{digest}.json"
                history.add("object", name=stored, sha256=sha256_hex(text), text=_text(text))
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
    prices: Mapping[str, float]  # the price of a unit of each kind
    currency: str

    def cost(self, counts: Mapping[str, float]) -> float:
        return sum(count * self.prices[kind] for kind, count in counts.items() if kind in self.prices)


ON_THE_CHANNEL: Final = 5  # number of simulated teams for each one on the event channel
_BETWEEN_LOOKS_S: Final = 0.25
_MANY: Final = 100  # least number of teams times files for which each role tries each route
_ARCHIVED_AFTER: Final[Millis] = 3 * MINUTE
"""Time after the publication by which the workers have made the archive, in two stages that the timer orders."""
_SEEN_AFTER_S: Final = 15.0  # whoever looked at a board just before its publication may see the old one for ten seconds


class Ending:
    """The last part of a stage: it begins when all deadlines of the run are over."""

    beside: Mapping[Fault, Sequence[Team]] = MappingProxyType({})
    """Teams that do not compete in the run, by the fault that they play."""
    admitted_at: Millis = 0  # when all teams were entered
    readers: Sequence[Reader] = ()  # one of each role; they request all readable routes
    first: Team  # the first of the simulated teams, whose session is read
    _document: Json = None
    kind: ClassVar[str]
    publications: ClassVar[int] = 1  # files of the run for each item: number of its hand-outs
    boards: ClassVar[tuple[str, ...]] = ()  # keys of the contest's boards, where it has others than the main one
    on_act: Callable[[str], object] = staticmethod(str)
    """Callback for the name of each act as it begins; its text is the message ``act.NAME``."""

    def __init__(self, cloud: LocalCloud, settings: Settings, history: History, crashes: Crashes) -> None:
        self.cloud, self.settings, self.history, self.crashes = cloud, settings, history, crashes
        self.material: Any = self.made()
        self.organizer = Organizer(cloud, EN, before=crashes.before_commands)
        self.wire = Wire(cloud.url, cloud.clock.now_ms, history, self.material.texts_in)
        self.participants: list[str] = []
        self.entered: list[str] = []
        self.staff: Mapping[str, str] = {}  # roles of the people of the staff, by their addresses

    def made(self) -> Any:
        raise NotImplementedError

    @property
    def cycle(self) -> Cycle:
        return self.settings.cycle or Cycle.demonstrated(self.kind.partition("-")[0])

    @property
    def listening(self) -> int:
        """Return how many of the simulated teams are on the event channel."""
        return self.settings.teams // ON_THE_CHANNEL if self.settings.driven else 0

    @property
    def document(self) -> Json:
        self._document = self._document or self.wire.get("/v1/openapi.json").json()
        return self._document

    def others(self, fault: Fault) -> Sequence[Team]:
        """Return the teams that play a fault beside the run; none if it is not played."""
        return self.beside.get(fault, ())

    def is_played(self, fault: Fault) -> bool:
        """Return whether a fault is played in a rehearsal of this size."""
        settings = self.settings
        over_http = settings.teams - self.listening
        return Size(over_http, self.listening, settings.files, frozenset(settings.faults), settings.driven).plays(fault)

    def conclude(self, timing: Timing, teams: Sequence[Team]) -> None:
        """Publish the results, play the stages beside the run, and record the platform's data and answers."""
        self.show_results(timing, teams)
        self.change_people(timing)
        self.play_beside()
        if self.is_played(Fault.PEOPLE):
            self._pass(around.TOLD)
            self.history.add("answer", of=SENT, body={"until": self.history.number(), "sent": self._sent()})
        self.attack(timing)
        self.write_down(timing, teams)

    def show_results(self, timing: Timing, teams: Sequence[Team]) -> None:
        """Publish the results, and let teams look at them.

        A refusal to publish is recorded in the platform's own words, for the checker to report.
        """
        self.on_act("publishing")
        self.answer("board_before", _final_board(timing))
        mine = [team for team in teams if not isinstance(team, ChannelTeam) and team.session_id]
        if self.is_played(Fault.PRYING):
            self._look(prying.own_results(mine, timing.files, OWN_EARLY))
        self.read(timing, Phase.CLOSED)
        early = self.wire.get(f"/v1/runs/{timing.run_id}/archive").status_code
        self.history.add("answer", of="archive_before", body=early)
        self.history.add("answer", of="published_at", body=self.history.number())
        try:
            self.publish(timing.run_id)
        except OrganizerError as refused:
            self.history.add("answer", of=NOT_PUBLISHED, body=str(refused))
        self.cloud.clock.advance(_SEEN_AFTER_S)
        self._pass(_ARCHIVED_AFTER)
        if self.is_played(Fault.PRYING):
            self.on_act("looking_around")
            self._look(prying.own_results(mine, timing.files, OWN_SHOWN))
            if mine:  # one team requests the routes that only people may use; slowly, for its rate is limited
                names = {"run_id": timing.run_id, "team_id": mine[0].name, "session_id": mine[0].session_id}
                self._look((mine[-1], ask) for ask in prying.routes(self.document, names, of_people=True))
        self.read(timing, Phase.PUBLISHED)
        for reader in self.readers[1:2]:
            path = "/v1/sessions/{session_id}/receipts"
            prying.pages(reader, Phase.PUBLISHED, path, self.names(timing), self._waits)

    def read(self, timing: Timing, phase: Phase) -> None:
        """Let the readers, if there are any, send their requests of a phase."""
        if self.readers:
            prying.everybody(self.readers, lambda reader: self.looks(timing, phase, reader), self._waits)

    def nominations(self) -> Mapping[str, Json]:
        """Return the nominations of the final by their names, those of the rehearsal's own cycle included."""
        is_ours = self.kind == ESSAY and not self.cycle.is_own and self.is_played(Fault.READING)
        ours = prying.NOMINATIONS if is_ours else {}
        return {**self.cycle.head.get("parameters", {}).get("nominations", {}), **ours}

    @property
    def languages(self) -> Sequence[str]:
        return tuple(self.cycle.head["languages"])

    def looks(self, timing: Timing, phase: Phase, reader: Reader) -> Sequence[Ask]:
        """Return a reader's requests in a phase: for the routes of the API document, and those of the model."""
        routes = [path for path, methods in self.document["paths"].items() if "get" in methods]
        seed = None if self.settings.teams * self.settings.files >= _MANY else self.settings.seed
        parts = [f"language={name}" for name in self.languages]
        parts += [f"nomination={name}" for name in self.nominations()]
        doors = readable.doors_of(self.kind)
        return list(prying.asks(phase, reader.role, self.names(timing), routes, parts, seed, doors))

    def names(self, timing: Timing) -> dict[str, str]:
        keys = ",".join(self.boards) or "relative_accuracy"
        return prying.names_of(timing, self.first.name, self.first.session_id, self.cloud.clock.now_ms(), keys)

    def _waits(self) -> None:
        self.cloud.clock.advance(_BETWEEN_LOOKS_S)

    def write_down(self, timing: Timing, teams: Sequence[Team]) -> None:
        """Record the platform's data and answers, once silence has ended the session that a team left alone."""
        self.on_act("writing_down")
        for team in self.others(Fault.PRACTICE):
            if team.name == around.LEFT:
                self._pass(around.silence_ends(timing) - self.cloud.clock.now_ms())
                team.ask(around.at_the_end(team))
        for team in (*teams, *self.others(Fault.LEAVING)):
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
            if reader.role == readable.ORGANIZER:  # once more, after all acts
                for route in readable.LOG:
                    query = readable.DOORS[route].queries[0]
                    reader.ask(prying.ask_of(Phase.PUBLISHED, reader.role, route, query, self.names(timing)))
        self.write_facts()

    def write_facts(self) -> None:
        """Record the number of requests for each operation of the interface, and the data in the cloud."""
        self.history.add("answer", of=OPERATIONS, body=written(self.wire))
        export(self.cloud, self.history, self.crashes.acts())

    def calmly(self) -> DrivenPace:
        return DrivenPace(self.cloud, self.settings.seed, self.noted, faulty=False)

    def _pass(self, time: Millis) -> None:
        self.calmly().reach(self.cloud.clock.now_ms() + max(0, time))

    def change_people(self, timing: Timing) -> None:
        """Play the acts on people and boards, where any are played."""
        for team in self.others(Fault.PEOPLE):
            self.on_act("people")
            script, everybody = Script(self.calmly()), Reader(PUBLIC, prying.EVERYBODY, self.wire, lambda: None)
            program = partial(Team, team.index, self.first.name, wire=self.wire)
            readers = [*map(self.person, (organizing.ORGANIZER, around.DISMISSED)), everybody]
            acts = People(script, team, self.first, program, readers, self.cycle.head["time_zone"])
            members = [self.person(name, "participants") for name in around.MEMBERS]
            teams = (self.first, team, *self.others(Fault.QUALIFYING)[:1])
            news_acts = News(script, teams, members, readers, self._sent)
            news_acts.join()
            acts.play(timing.run_id)
            news_acts.play(timing.run_id)
            if not self.is_played(Fault.QUALIFYING):  # results published again are archived again, within these minutes
                self._pass(_ARCHIVED_AFTER)

    def play_beside(self) -> None:
        """Play the qualification and the runs beside the final, if there are any; no faults are injected any more."""
        if not self.is_played(Fault.QUALIFYING):
            return
        script, qualifying = Script(self.calmly()), self.others(Fault.QUALIFYING)
        ready, short, other, _ = qualifying
        staff = {name: self.person(name) for name in (*STAFF, *EXPERTS)}
        organizer, stalls = staff[ORGANIZER], Stalls(self.crashes, self.cloud.clock, self.noted)
        self.on_act("qualification")
        Qualification(script, self.material, qualifying, staff, self.admitted_at).play()
        self.on_act("other_runs")
        runs = SecondRuns(script, self.material, (ready, other, short), organizer)
        self._record(runs.trial(), "trial_record")
        self._record(runs.restarted(), "anew_record")
        both = (script, self.material, (ready, other), organizer)
        self.on_act("real_time")
        RealTime(self.cloud.clock, *both, stalls.at).play()
        self.on_act("latency")
        Latency(*both, stalls.at).play()
        self.on_act("experts")
        stranger = Person("nobody", self.wire, lambda: "nobody")
        marked = ExpertsAtWork(*both, [staff[name] for name in EXPERTS], stranger).play()
        self.archive(f"/v1/runs/{marked}/archive", "experts_archive")
        self._record(marked, "experts_record")
        self.answer("qualification_board", "/v1/leaderboards/qualification")
        self.answer("qualification_history", "/v1/leaderboards/qualification/history")

    def person(self, name: str = organizing.ORGANIZER, pool: str = "staff") -> Person:
        return Person(name, self.wire, lambda: organizing.token(self.cloud.url, name, pool))

    def _sent(self) -> list[dict[str, Json]]:
        """Return the mails and the webhooks' requests that were sent."""
        return [] if self.cloud.mails is None else list(around.sent_in(self.cloud.mails))

    def noted(self, what: str, **where: Any) -> None:
        self.history.add("injected", what=what, now=self.cloud.clock.now_ms(), **where)

    def attack(self, timing: Timing) -> None:
        """Play all attempts of the attacker on the hidden test set."""
        if not self.is_played(Fault.PRYING):
            return
        self.on_act("attack")
        attacker = self.others(Fault.PRYING)[-1]
        attack = Attack(Script(self.calmly()), self.material, attacker)
        files = prying.LISTENED // self.publications
        listened = self.order(self.material.listened, files, [attacker.name], "--trial", lead=MINUTE)
        attack.listens_to_run(listened, self.cloud.drain)
        names = {"run_id": timing.run_id, "name": "test", "key": next(iter(self.boards), "main")}
        attack.play(self.document, names)
        figures = {"listened": listened.files}
        if least := self.cycle.head.get("parameters", {}).get("least_hidden_items"):
            figures["least"] = least
        self.history.add("answer", of=ATTACKED, body={**self.material.attacked(), **figures})

    def order(self, chosen: str, files: int, teams: Sequence[str], *more: str, lead: Millis) -> Timing:
        """Plan a run over a number of items of a set, and publish its commitment, with the organizer's command."""
        settings = self.settings
        starts_at = (self.cloud.clock.now_ms() // SECOND) * SECOND + lead
        seconds = {name: getattr(settings, name) for name in ("interval", "request", "answer", "total", "join")}
        words = {"set": chosen, "start": to_text(starts_at), "files": files, "admit": ",".join(teams), **seconds}
        options = [part for name, value in words.items() for part in (f"--{name}", str(value))]
        planned = json.loads(self.organizer.contest("run", "plan", *options, *more, "--json"))
        times = {name: round(value * SECOND) for name, value in seconds.items()}
        return Timing(planned["run_id"], "final", starts_at, **times, files=files * self.publications)

    def publish(self, run_id: str) -> None:
        """Record the protocols that the contest or the cycle demands, then publish the results.

        :class:`OrganizerError` where the platform refuses.
        """
        for signatory in self.cycle.signatories:
            reason = ("--reason", "the results were looked through")
            self.organizer.contest("run", "protocol", run_id, "--by", signatory, *reason)
        self.organizer.contest("run", "publish", run_id)

    def bill(self, teams: int) -> Bill:
        """Return the requests to the cloud so far, with the organizer's estimate of a final of this number of teams."""
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

    def _record(self, run_id: str, name: str = "record") -> None:
        """Write down the record, and what is wrong with it by the command that everybody checks a run with."""
        response = self.wire.get(f"/v1/runs/{run_id}/record")
        if response.status_code == 200:
            run, keys = (self.wire.get(f"/v1/{path}").json() for path in (f"runs/{run_id}", "keys"))
            self.history.add("answer", of=name, body=response.json()["record"])
            self.history.add("answer", of=f"{name}_verified", body=record_faults(run, response.json(), keys))

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
            raise OrganizerError(f"the platform does not tell {failed}")


def record_faults(run: Json, record: Json, keys: Json) -> list[str]:
    """Return the codes of the faults that ``pku verify-run`` finds in a run and its record, each with its place."""
    try:
        verdict = proof.verify(run, record, proof.read_keys(keys), proof.LocalData())
    except PkuError as error:
        return [f"{error.code} {error.values}"]
    return [f"{fault.code} {dict(fault.values)}" for fault in verdict.faults]


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
