"""The reading-out attack on hidden sets: whatever a team sends, and wherever it looks, it learns totals alone (T10).

Two platforms have the same items and the same chance; the references of items that no total tells apart have changed
places. A team that does the same on both must see the same bytes, at every route that it reaches: then nothing that it
sees depends on which item a reference belongs to.
"""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from contest import reading
from contest.adapters import system
from contest.channel import pushing
from contest.channel.rules import Connection, Told
from contest.people.rules import Role
from contest.refusals import ContestError
from contest.results import one_file
from contest.results.rules import set_access
from contest.routes import ROUTES, Right
from contest.session import following
from tests.contest.channel.doctor_client import Channel, Doctor, order
from tests.contest.contests.epicrises import STUDY, Trial, diagnosis, folder
from tests.contest.contests.played import Contest, plant
from tests.contest.contests.test_exam import exam_cycle
from tests.contest.contests.test_gec import BOTH, LINK, SPELLING, TENSE, gec_cycle
from tests.contest.submissions.submitting import Submitter
from tests.fakes_channel import FakeSockets
from tests.stage import Stage, staged

SEEN_BY_A_TEAM = {Right.READ_PUBLISHED, Right.SIGNED_IN, Right.CABINET, Right.EXCHANGE, Right.READ_OWN}
SEEN_BY_A_TEAM |= {Right.READ_SESSIONS, Right.SUBMIT}
ENDS_THE_TEAM = {"POST /v1/team/withdraw", "POST /v1/team/tokens/{token_id}/revoke"}
"""Routes after which the team could not go on."""
THE_SAME_WHATEVER_IS_LOADED = {"GET /docs", "GET /docs/errors", "GET /v1/openapi.json"}
SEMIFINAL, FINAL = "diagnosis-semifinal", "diagnosis-final"
MANY = {"sessions_per_day": 40}
COMPLICATIONS = ("K87.7", "K93.8")
"""Codes of the complications that patients have in references only."""
SEALED = re.compile(r'"(?:signature|salt|root|commitment|sha256)":"[^"]*"')
"""Pattern of values made with a key, whose input nobody finds without it. The seal of a set's name has its own test."""


class Chance:
    """The system's generator, the same on both platforms."""

    def __init__(self, seed: str) -> None:
        self._drawn = random.Random(seed)

    def randbelow(self, most: int) -> int:
        return self._drawn.randrange(most)

    def choice(self, among: Sequence[str]) -> str:
        return self._drawn.choice(among)

    def token_hex(self, size: int) -> str:
        return self._drawn.randbytes(size).hex()

    def token_urlsafe(self, size: int) -> str:
        return self._drawn.randbytes(size).hex()[:43]


@dataclass(frozen=True)
class World:
    """Contest with a hidden set; items with equal ``twins`` must be indistinguishable."""

    name: str
    files: Mapping[str, Any]
    twins: Mapping[str, str]
    answers: Sequence[Sequence[bytes]]
    """Possible answers to a file, each with its turns; one without turns: the file is missed."""
    set_name: str = "test"
    takes_files: bool = False
    """True if a file with answers by item name is a submission of the whole set."""
    sample: str = ""
    """Name of the sample from which a run's set is made."""
    marks: Sequence[str] = ()
    """Strings that stand in references and nowhere else."""


def exam(chance: random.Random, *, swapped: bool) -> World:
    """Return two variants of the test, between which the answers of a task change places."""
    whole = exam_cycle(final=False, sessions_per_day_on={"test": 20})
    head = {**whole["cycle.json"], "sets": {"test": {"kind": "test"}}}
    files = {"cycle.json": head, **{name: each for name, each in whole.items() if name.startswith("test/")}}
    twins = {str(3000 + place): f"{place}" for place in range(30)} | {
        str(4000 + place): f"{place}" for place in range(30)
    }
    for place in range(30):
        names = [f"test/{variant * 1000 + place}" for variant in (3, 4)]
        kind = files[f"{names[0]}.json"]["meta"]["type"]
        golds = {"text": ["сверх", "ответ"], "matching": ["4,9,2,8", "1,1,1,1"]}.get(kind, ["1,3,5", "2,4"])
        chance.shuffle(golds)
        for name, gold in zip(names, golds[::-1] if swapped else golds, strict=True):
            files[f"{name}.json"] = {**files[f"{name}.json"], "outputs": gold}
            files[f"{name}_exp01.json"] = {"outputs": gold}
    guesses = [(), *((json.dumps(each).encode(),) for each in ("1,3,5", "2,4", "1,1,1,1", "сверх"))]
    return World("exam-1", files, twins, guesses, takes_files=True)


def gec(chance: random.Random, *, swapped: bool) -> World:
    """Return twelve similar texts, whose gold edits change places."""
    files = dict(gec_cycle())
    files["cycle.json"] = {**files["cycle.json"], "parameters": MANY}
    golds = [BOTH, [SPELLING], [TENSE], [LINK]] * 3
    chance.shuffle(golds)
    for number, gold in enumerate(golds[::-1] if swapped else golds):
        files[f"test/t{number}.json"] = {"id": f"t{number}", "source": "letters", "sentences": ["I go their ."]}
        files[f"test/t{number}_exp01.json"] = {"edits": gold}
    edits = [[], [SPELLING], [TENSE, SPELLING], [LINK]]
    answers = [
        [{name: each[name] for name in each if name != "context_dependent"} for each in answer] for answer in edits
    ]
    sent = [(), *((json.dumps({"edits": each}).encode(),) for each in answers)]
    return World("gec-1", files, dict.fromkeys((f"t{number}" for number in range(12)), "all"), sent)


def selection(chance: random.Random, *, swapped: bool) -> World:
    """Return epicrises, one for each session: each has another code in the other world; no answer is right in either,
    since the platform must tell whether one is."""
    files = folder(Contest.named("diagnosis-selection"), "test")
    files["cycle.json"] = {**files["cycle.json"], "parameters": {**files["cycle.json"]["parameters"], **MANY}}
    references = sorted(name for name in files if "_exp" in name)
    codes = [f"K{80 + number}.9" for number in range(len(references))]
    chance.shuffle(codes)
    for name, code in zip(references, codes[1:] + codes[:1] if swapped else codes, strict=True):
        files[name] = {"code": code}
    twins = {each["id"]: "all" for each in files.values() if isinstance(each, dict) and "versions" in each}
    form = {**dict.fromkeys(("xPath", "start", "end", "code"), ""), "decorCode": "diagnosisMain"}
    sent = [json.dumps([{**form, "name": each}]).encode() for each in ("Z00", "E11", "A00")]
    return World("contest-1", files, twins, [(), *((each,) for each in sent)], marks=codes)


def semifinal(chance: random.Random, *, swapped: bool) -> World:
    """Return epicrises in two versions, each diagnosed at once."""
    codes = ("A15", "C34", "J13", "J12", "J44", "I27", "Z00", "another")
    sent = [(), *((json.dumps(diagnosis(each)).encode(),) for each in codes)]
    return _patients(SEMIFINAL, sent, chance, swapped=swapped)


def final(chance: random.Random, *, swapped: bool) -> World:
    """Return epicrises with dialogues: from a preliminary diagnosis over studies to the final one, or part of this."""
    first, other = ([diagnosis(code, "diagnosisPreliminary")] for code in ("J44", "Z00"))
    studies = [STUDY, {"study": "B03.016"}, {"study": "A05.10"}, {"study": "X99"}]
    turns = [
        [*first, *studies, diagnosis("C34")],
        [*other, STUDY, diagnosis("J44")],
        [*studies, diagnosis("A15"), STUDY],
        [diagnosis("another"), *studies],
        [*first, diagnosis("J44"), diagnosis("C34")],
    ]
    sent = [tuple(json.dumps(each).encode() for each in dialogue) for dialogue in turns]
    return _patients(FINAL, [(), *sent], chance, swapped=swapped)


def _patients(sample: str, sent: Sequence[Sequence[bytes]], chance: random.Random, *, swapped: bool) -> World:
    """Return epicrises of a run, two or more of each nosology, whose patients' references change places."""
    files = folder(Contest.named(sample), "final")
    items = {name: each for name, each in files.items() if isinstance(each, dict) and "versions" in each}
    twins = {each["id"]: str(each["nosology"]) for each in items.values()}
    for nosology in sorted(set(twins.values())):
        own = sorted(name for name, each in items.items() if each["nosology"] == nosology)
        places = [name.replace(".json", "_exp01.json") for name in own]
        known = [files[each] for each in places]
        assert len({each["ill"] for each in known}) == 2, "somebody of them is ill and somebody is not"
        known = [{**each, "complications": [code]} for each, code in zip(known, COMPLICATIONS, strict=True)]
        chance.shuffle(known)
        files |= zip(places, known[::-1] if swapped else known, strict=True)
    return World("contest-1", files, twins, sent, "final", sample=sample, marks=COMPLICATIONS)


WORLDS: dict[str, Callable[..., World]] = {
    "exam": exam,
    "gec": gec,
    "diagnosis": semifinal,
    "diagnosis-dialogues": final,
    "diagnosis-selection": selection,
}
SESSIONS = int(os.environ.get("READING_OUT_SESSIONS", "1"))
"""Number of sessions of each attack; ``make reading-out`` tries as many as a contest allows a day, twenty."""


@dataclass
class Team:
    """A team that plays, and looks everywhere."""

    stage: Stage
    program: Submitter
    member: str
    answers: dict[str, str] = field(default_factory=dict)
    """Platform's responses to the team during its play, by place."""

    @classmethod
    def of(cls, stage: Stage) -> Team:
        program = Submitter(stage, stage.team("red"))
        return cls(stage, program, stage.person(Role.PARTICIPANT, "anna", "red"))

    def plays(self, world: World, seed: str) -> None:
        """Play one session: twins get the same answers, or none."""
        assert self.program.open(set=world.set_name).status == 201
        plan = self.stage.platform.sessions.plan(self.program.session_id)
        for number, each in enumerate(plan, start=1):
            turns = random.Random(f"{seed} {world.twins[each.item_id]}").choice(world.answers)
            self.answers.update(self._answers(number, turns))
            self.stage.advance(1)
        self.ended()

    def _answers(self, number: int, turns: Sequence[bytes]) -> Iterator[tuple[str, str]]:
        """Take a file if it is to be answered, and send turn after turn; what was told of each."""
        place = f"answering {self.program.session_id} {number:03d}"
        if turns:
            found = self.program.get(f"files/{number}")
            assert found.status == 200
            yield place, SEALED.sub("", found.text)
        for turn, body in enumerate(turns):
            found = self.program.answer(number, body)
            assert found.status in {200, 409, 422}, found.text
            yield f"{place} {turn}", f"{found.status} {SEALED.sub('', found.text)}"
            self.stage.advance(0.5)

    def plays_run(self, world: World, seed: str) -> Trial:
        """Play a run of the hidden set: at each step twins send the same, or nothing."""
        run = self.stage.plan(in_s=600, interval_s=None)
        trial = Trial(self.stage, Contest.named(world.sample), run, {"red": self.program})
        self.stage.advance(590)
        assert self.program.join().status == 201
        for number, each in enumerate(trial.files, start=1):
            turns = random.Random(f"{seed} {each.step} {world.twins[each.item_id]}").choice(world.answers)
            trial.at(number)
            self.answers.update(self._answers(number, turns))
        return trial

    def looks_at_run(self, world: World, trial: Trial) -> Iterator[tuple[str, str]]:
        """Yield everything visible of a run at its end, and after the publication of its results."""
        trial.end()
        names = {"session_id": self.program.session_id, "run_id": trial.run.run_id, "name": world.set_name}
        names["key"] = self.stage.request("GET", "/v1/boards").json["boards"][0]["key"]
        yield from ((f"before {path}", told) for path, told in [*self.sees(**names), *self.posts(**names)])
        assert trial.published()["red"]["result"]["files"] == len(trial.files) // trial.run.publications
        yield from ((f"after {path}", told) for path, told in self.sees(**names))

    def submits(self, world: World, seed: str) -> str:
        """Submit a file of answers to the whole set, to twins the same; return the submission's name."""
        told = {}
        for item, twin in world.twins.items():
            turns = random.Random(f"{seed} {twin}").choice(world.answers)
            told |= {item: json.loads(turns[-1])} if turns else {}
        found = self.program.submit(json.dumps(told).encode())
        assert found["state"] == "scored", found
        return str(found["submission_id"])

    def ended(self) -> None:
        """Let the time pass until everything is scored and told."""
        self.stage.advance(3000)
        for _ in range(2):
            self.stage.tick()
            self.stage.score_all()

    def sees(self, **names: str) -> Iterator[tuple[str, str]]:
        """Yield the answer at every GET route that a team, its program or anybody reaches, by route and caller."""
        for route in ROUTES:
            if route.method != "GET" or route.right not in SEEN_BY_A_TEAM or route.key in THE_SAME_WHATEVER_IS_LOADED:
                continue
            path = re.sub(r"{(\w+)}", lambda found: names.get(found[1], "1"), route.path)
            for token in (self.program.token, self.member):
                self.stage.advance(0.1)
                found = self.stage.request("GET", path, token=token)
                yield f"{path} {token == self.member}", f"{found.status} {SEALED.sub('', found.text)}"
        for number, other in ((number, other) for number in "12" for other in ("0", "1", "answer")):
            path = f"/v1/sessions/{names['session_id']}/files/{number}/comparison?x=answer&y={other}"
            self.stage.advance(0.1)
            yield path, self.program.ask("GET", path).text

    def posts(self, **names: str) -> Iterator[tuple[str, str]]:
        """Yield the answer at every other route that a team, its program or anybody reaches, refusals included."""
        for route in ROUTES:
            if route.method == "GET" or route.right not in SEEN_BY_A_TEAM or route.key in ENDS_THE_TEAM:
                continue
            path = re.sub(r"{(\w+)}", lambda found: names.get(found[1], "1"), route.path)
            for body in ({}, {"edits": []}, "1"):
                for token in (self.program.token, self.member):
                    self.stage.advance(0.5)
                    found = self.stage.request(route.method, path, json.dumps(body).encode(), token)
                    text = f"{found.status} {SEALED.sub('', found.text)}"
                    yield f"{route.method} {path} {body} {token == self.member}", text


def seen(folder_: Path, name: str, *, swapped: bool) -> dict[str, str]:
    """Return everything that a team sees of a contest in one of its two worlds."""
    seed = f"{name} {SESSIONS}"
    world = WORLDS[name](random.Random(seed), swapped=swapped)
    folder_.mkdir()
    with patch.object(system, "secrets", Chance(seed)), staged(folder_, world.name) as stage:
        stage.load(world.files)
        team = Team.of(stage)
        if world.set_name == "final":
            trial = team.plays_run(world, seed)
            return team.answers | dict(sorted(team.looks_at_run(world, trial)))
        for attempt in range(SESSIONS):
            team.plays(world, f"{seed} {attempt}")
        stage.advance(60)
        submission = team.submits(world, seed) if world.takes_files else "1"
        names = {
            "session_id": team.program.session_id,
            "submission_id": submission,
            "name": world.set_name,
            "key": stage.request("GET", "/v1/boards").json["boards"][0]["key"],
        }
        return team.answers | dict(sorted([*team.sees(**names), *team.posts(**names)]))


@pytest.mark.integration
@pytest.mark.slow
@pytest.mark.clause("TS T10", "TS U-6", "TS G-6", "U closed test")
@pytest.mark.parametrize(
    "name", [each if each == "gec" else pytest.param(each, marks=pytest.mark.long) for each in WORLDS]
)
def test_t10_a_team_that_tries_and_looks_everywhere_learns_totals_alone(tmp_path: Path, name: str) -> None:
    one, other = (seen(tmp_path / f"{swapped}", name, swapped=swapped) for swapped in (False, True))
    assert one.keys() == other.keys()
    marks = WORLDS[name](random.Random(name), swapped=False).marks
    for path in one:
        assert one[path] == other[path], path
        assert not [each for each in marks if each in one[path]], path


def tells_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plant a bug: the refusal of a score contains the right answer."""
    refuse = vars(one_file)["_refuse_details"]

    def refused(platform: Any, request: Any, session: Any) -> None:
        try:
            refuse(platform, request, session)
        except ContestError as error:
            item = reading.item_of(platform, session, reading.planned_file(platform, session, request.number or 0))
            key = json.dumps(reading.references(platform, session, item))
            error.details = [{"code": "key", "message": key, "message_ru": key}]  # type: ignore[attr-defined]
            raise

    monkeypatch.setattr(one_file, "_refuse_details", refused)


@pytest.mark.long
@pytest.mark.clause("TS T10")
def test_t10_a_planted_leak_is_seen_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tells_the_key(monkeypatch)
    one, other = (seen(tmp_path / f"{swapped}", "gec", swapped=swapped) for swapped in (False, True))
    told = [path for path in one if one[path] != other[path]]
    assert told
    assert all("/files/" in path for path in told), told


def references_of(monkeypatch: pytest.MonkeyPatch, name: str) -> Mapping[str, Any]:
    """Return the references of the played world, by item: for leaks in functions that may not read them."""
    world_of, references = WORLDS[name], dict[str, Any]()

    def noted(chance: random.Random, *, swapped: bool) -> World:
        world = world_of(chance, swapped=swapped)
        references.update({item: world.files[f"{world.set_name}/{item}_exp01.json"] for item in world.twins})
        return world

    monkeypatch.setitem(WORLDS, name, noted)
    return references


def tells_in_dialogues(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Plant a bug: the result of an ordered study contains the patient's references."""
    references = references_of(monkeypatch, name)

    def hinted(response: Any, _: Any, work: Any, *more: Any) -> Any:
        return response and {**response, "hint": references[work.planned.item_id]}

    plant(monkeypatch, following, "last_response", hinted)


def played_alone(folder_: Path, name: str, *, swapped: bool) -> dict[str, str]:
    """Return everything that a team reads while it plays a run."""
    world = WORLDS[name](random.Random(name), swapped=swapped)
    folder_.mkdir()
    with patch.object(system, "secrets", Chance(name)), staged(folder_, world.name) as stage:
        stage.load(world.files)
        team = Team.of(stage)
        team.plays_run(world, name)
        return team.answers


@pytest.mark.clause("TS T10", "TS T3")
@pytest.mark.parametrize("leaks", [False, pytest.param(True, marks=pytest.mark.long)])
def test_t10_a_dialogue_tells_nothing_of_its_patient(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, leaks: bool
) -> None:
    name = "diagnosis-dialogues"
    if leaks:
        tells_in_dialogues(monkeypatch, name)
    one, other = (played_alone(tmp_path / f"{swapped}", name, swapped=swapped) for swapped in (False, True))
    assert one.keys() == other.keys()
    assert any('"service"' in told for told in one.values()), "studies were asked for, and some were there"
    told = [path for path in one if one[path] != other[path]]
    marked = [path for path in one if any(each in one[path] for each in COMPLICATIONS)]
    assert bool(told) == bool(marked) == leaks, (told, marked)


class Recording(FakeSockets):
    """Sockets that record every frame."""

    def __init__(self) -> None:
        super().__init__()
        self.frames: list[str] = []

    def _post(self, connection: Connection, said: Any) -> None:
        super()._post(connection, said)
        frame = [said.name, said.payload] if isinstance(said, Told) else f"{said}"
        self.frames.append(SEALED.sub("", json.dumps(frame, ensure_ascii=False, separators=(",", ":"))))


def heard(folder_: Path, name: str, *, swapped: bool, sessions: int = 2) -> list[str]:
    """Return every frame that a team gets over the event channel during sessions over a hidden set, and afterwards."""
    world = WORLDS[name](random.Random(name), swapped=swapped)
    folder_.mkdir()
    with patch.object(system, "secrets", Chance(name)), staged(folder_, world.name) as stage:
        stage.load(world.files)
        token, channel, sockets = stage.team("red"), Channel(stage), Recording()
        channel.sockets = stage.platform.sockets = sockets
        plays, namespace = (plays_over_channel, "/pku") if name == "gec" else (plays_as_doctor, "/baseline")
        chance = random.Random(name)
        for _ in range(sessions):
            (body,) = chance.choice([turns for turns in world.answers if turns])
            says_everything(channel, plays(channel, token, body), namespace)
            for _ in range(2):
                stage.tick(after=3000)
                stage.score_all()
                channel.carry()
            connection = channel.opened(token)
            channel.event("$default", connection, f"40{namespace},")
            says_everything(channel, connection, namespace)
        return sockets.frames


def says_everything(channel: Channel, connection: str, namespace: str) -> None:
    """Say whatever a client may of a session that is over."""
    for said in ("session-file-repeat", "session-reconnect", "logs-send", "session-client-abort"):
        channel.stage.advance(1)
        channel.event("$default", connection, f'42{namespace},["{said}",{{"entries":["a"]}}]')
        channel.carry()


def plays_over_channel(channel: Channel, token: str, body: bytes) -> str:
    """Play a session over the channel with the same answer to every file; return the connection."""
    connection = channel.opened(token)
    told, answered = channel.sockets.told.setdefault(connection, []), 0
    channel.event("$default", connection, "40/pku,")
    start = {"type": "algorithmic", "params": {"dsType": "test", "countFiles": "12"}}
    channel.event("$default", connection, f"42/pku,{json.dumps(['session-start', start])}")
    while told:
        frame = told.pop(0)
        if isinstance(frame, Told) and frame.name == "session-file-available":
            channel.stage.advance(1)
            answered += 1
            named = {name: frame.payload[name] for name in ("sessionId", "fileId")}  # type: ignore[index]
            sent = ["session-file-send", {**named, "content": body.decode()}]
            channel.event("$default", connection, f"42/pku,{json.dumps(sent)}")
    assert answered == 12
    return connection


def plays_as_doctor(channel: Channel, token: str, body: bytes) -> str:
    """Play a selection of diagnoses by an earlier client; return the connection."""

    def works(doctor: Doctor, task: Mapping[str, Any], _: str) -> None:
        assert doctor.posts("upload-result", taskId=task["taskId"], answer=json.loads(body)).status == 201

    doctor = Doctor(channel, token, order("qualifying", "algorithmic", countFiles="30", time="10"), works)
    assert len(doctor.tasks()) == 1
    return doctor.connection


def tells_over_channel(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Plant a bug: a file's announcement on the channel contains its references."""
    references = references_of(monkeypatch, name)

    def hinted(told: Told, _: Any, session: Any, found: Any) -> Told:
        return replace(told, payload={**told.payload, "hint": references[found.planned.item_id]})  # type: ignore[dict-item]

    plant(monkeypatch, pushing, "_announced", hinted)


@pytest.mark.integration
@pytest.mark.slow
@pytest.mark.clause("TS T10")
@pytest.mark.parametrize("leaks", [False, True])
@pytest.mark.parametrize("name", [pytest.param("gec", marks=pytest.mark.long), "diagnosis-selection"])
def test_t10_no_frame_of_the_event_channel_tells_of_a_hidden_sets_references(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, leaks: bool
) -> None:
    if leaks:
        tells_over_channel(monkeypatch, name)
    sessions = 1 if leaks else 2
    one, other = (heard(tmp_path / f"{swapped}", name, swapped=swapped, sessions=sessions) for swapped in (False, True))
    assert len(one) == len(other)
    assert any("session-close" in frame or "session_close" in frame for frame in one)
    marks = WORLDS[name](random.Random(name), swapped=False).marks
    marked = any(each in frame for frame in (*one, *other) for each in marks)
    assert ((one != other), marked) == (leaks, leaks and bool(marks))


@pytest.mark.clause("TS T10", "TS T12")
def test_t10_the_name_of_open_questions_cannot_be_made_of_their_answers(tmp_path: Path) -> None:
    """A person with a set's questions who knows how its name is computed must not find the references by trying."""
    world = exam(random.Random("exam"), swapped=False)
    with staged(tmp_path, world.name) as stage:
        stage.load(world.files)
        cycle = reading.cycle_now(stage.platform)
        test = cycle.set_named("test")
        assert test is not None
        items = reading.manifest(stage.platform, cycle.name, test.manifest).items
        track = stage.platform.tracks("exam")
        files = set_access.files_of(items, set_access.View.QUESTIONS)
        open_hash = set_access.fingerprint_of(files, set_access.View.QUESTIONS, f"{track.name} {track.version}")
        told = stage.request("GET", "/v1/sets", token=stage.team("red")).json["sets"]
        (named,) = [each["sha256"] for each in told if each["name"] == "test"]
        assert named not in {open_hash, test.manifest}
