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
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from contest.adapters import randomness
from contest.domain.people.rights import Role
from contest.domain.results import downloads
from contest.refusals import ContestError
from contest.route import Right
from contest.routes import ROUTES
from contest.services import reading
from contest.services.results import one_file
from tests.contest.contests.epicrises import Trial, diagnosis, folder
from tests.contest.contests.played import Contest
from tests.contest.contests.test_exam import exam_cycle
from tests.contest.contests.test_gec import BOTH, LINK, SPELLING, TENSE, gec_cycle
from tests.contest.submissions.submitting import Submitter
from tests.stage import Stage, staged

SEEN_BY_A_TEAM = {Right.READ_PUBLISHED, Right.SIGNED_IN, Right.CABINET, Right.EXCHANGE, Right.READ_OWN}
SEEN_BY_A_TEAM |= {Right.READ_SESSIONS, Right.SUBMIT}
ENDS_THE_TEAM = {"POST /v1/team/withdraw", "POST /v1/team/tokens/{token_id}/revoke"}
"""After these nobody would be there to ask on."""
THE_SAME_WHATEVER_IS_LOADED = {"GET /docs", "GET /docs/errors", "GET /v1/openapi.json"}
SEMIFINAL = "diagnosis-semifinal"
SEALED = re.compile(r'"(?:signature|salt|root|commitment|sha256)":"[^"]*"')
"""What a key makes: without it nobody finds out of what. How the name of a set is sealed has a test of its own."""


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
    """A contest with a hidden set, and by item which others it must not be told from."""

    name: str
    files: Mapping[str, Any]
    twins: Mapping[str, str]
    bodies: Sequence[bytes | None]
    set_name: str = "test"
    takes_files: bool = False
    """Whether a file of answers by the items' names is a submission of the whole set."""


def exam(chance: random.Random, *, swapped: bool) -> World:
    """Two variants of the test: the answers of a task change places between them."""
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
    guesses = [None, *(json.dumps(each).encode() for each in ("1,3,5", "2,4", "1,1,1,1", "сверх"))]
    return World("exam-1", files, twins, guesses, takes_files=True)


def gec(chance: random.Random, *, swapped: bool) -> World:
    """Twelve texts that look alike: their gold edits change places."""
    files = dict(gec_cycle())
    files["cycle.json"] = {**files["cycle.json"], "parameters": {"sessions_per_day": 40}}
    golds = [BOTH, [SPELLING], [TENSE], [LINK]] * 3
    chance.shuffle(golds)
    for number, gold in enumerate(golds[::-1] if swapped else golds):
        files[f"test/t{number}.json"] = {"id": f"t{number}", "source": "letters", "sentences": ["I go their ."]}
        files[f"test/t{number}_exp01.json"] = {"edits": gold}
    edits = [[], [SPELLING], [TENSE, SPELLING], [LINK]]
    bodies = [
        json.dumps({"edits": [{name: each[name] for name in each if name != "context_dependent"} for each in said]})
        for said in edits
    ]
    return World(
        "gec-1", files, dict.fromkeys((f"t{number}" for number in range(12)), "all"), [None, *map(str.encode, bodies)]
    )


def semifinal(chance: random.Random, *, swapped: bool) -> World:
    """Epicrises of a run, two or more of each nosology: what is known of their patients changes places."""
    files = folder(Contest.named(SEMIFINAL), "final")
    items = {name: each for name, each in files.items() if isinstance(each, dict) and "versions" in each}
    twins = {each["id"]: str(each["nosology"]) for each in items.values()}
    for nosology in sorted(set(twins.values())):
        own = sorted(name for name, each in items.items() if each["nosology"] == nosology)
        places = [name.replace(".json", "_exp01.json") for name in own]
        known = [files[each] for each in places]
        assert len({each["ill"] for each in known}) == 2, "somebody of them is ill and somebody is not"
        chance.shuffle(known)
        files |= zip(places, known[::-1] if swapped else known, strict=True)
    codes = ("A15", "C34", "J13", "J12", "J44", "I27", "Z00", "another")
    return World("contest-1", files, twins, [None, *(json.dumps(diagnosis(each)).encode() for each in codes)], "final")


WORLDS: Mapping[str, Callable[..., World]] = {"exam": exam, "gec": gec, "diagnosis": semifinal}
SESSIONS = int(os.environ.get("READING_OUT_SESSIONS", "1"))
"""Of each attack; ``make reading-out`` tries as many as a contest allows a day, twenty."""


@dataclass
class Team:
    """A team that plays, and looks everywhere."""

    stage: Stage
    program: Submitter
    member: str

    @classmethod
    def of(cls, stage: Stage) -> Team:
        program = Submitter(stage, stage.team("red"))
        return cls(stage, program, stage.person(Role.PARTICIPANT, "anna", "red"))

    def plays(self, world: World, seed: str) -> None:
        """One session: to twins the same is sent, or nothing."""
        assert self.program.open(set=world.set_name).status == 201
        plan = self.stage.platform.sessions.plan(self.program.session_id)
        for number, each in enumerate(plan, start=1):
            body = random.Random(f"{seed} {world.twins[each.item_id]}").choice(world.bodies)
            if body is not None:
                assert self.program.get(f"files/{number}").status == 200
                assert self.program.answer(number, body).status in {200, 422}
                self.stage.advance(1)
        self.ended()

    def plays_run(self, world: World, seed: str) -> Iterator[tuple[str, str]]:
        """A run of the hidden set: at each step to twins the same is sent, or nothing. What is seen at its end, and
        when its results are out."""
        run = self.stage.plan(in_s=600, interval_s=None)
        trial = Trial(self.stage, Contest.named(SEMIFINAL), run, {"red": self.program})
        self.stage.advance(590)
        assert self.program.join().status == 201
        for number, each in enumerate(trial.files, start=1):
            body = random.Random(f"{seed} {number % 2} {world.twins[each.item_id]}").choice(world.bodies)
            trial.at(number)
            if body is not None:
                assert self.program.get(f"files/{number}").status == 200
                assert self.program.answer(number, body).status in {200, 422}
        trial.end()
        names = {"session_id": self.program.session_id, "run_id": run.run_id, "name": world.set_name}
        names["key"] = self.stage.request("GET", "/v1/boards").json["boards"][0]["key"]
        yield from ((f"before {path}", told) for path, told in self.sees(**names))
        assert trial.published()["red"]["result"]["files"] == len(trial.files) // 2
        yield from ((f"after {path}", told) for path, told in self.sees(**names))

    def submits(self, world: World, seed: str) -> str:
        """A file of the whole set's answers, to twins the same; the submission's name."""
        told = {}
        for item, twin in world.twins.items():
            body = random.Random(f"{seed} {twin}").choice(world.bodies)
            told |= {} if body is None else {item: json.loads(body)}
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
        """Every answer at every route that a team, its program or anybody reaches, by who asks and what."""
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
        """Every answer at every route that takes something of a team, its program or anybody, whatever comes of it."""
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
    """What a team sees of a contest in one of its two worlds."""
    seed = f"{name} {SESSIONS}"
    world = WORLDS[name](random.Random(seed), swapped=swapped)
    folder_.mkdir()
    with patch.object(randomness, "secrets", Chance(seed)), staged(folder_, world.name) as stage:
        stage.load(world.files)
        team = Team.of(stage)
        if world.set_name == "final":
            return dict(sorted(team.plays_run(world, seed)))
        for attempt in range(SESSIONS):
            team.plays(world, f"{seed} {attempt}")
        stage.advance(60)
        submission = team.submits(world, seed) if world.takes_files else "1"
        told = {
            "session_id": team.program.session_id,
            "submission_id": submission,
            "name": world.set_name,
            "key": stage.request("GET", "/v1/boards").json["boards"][0]["key"],
        }
        return dict(sorted([*team.sees(**told), *team.posts(**told)]))


@pytest.mark.integration
@pytest.mark.clause("TS T10", "TS U-6", "TS G-6", "U closed test")
@pytest.mark.parametrize(
    "name", [pytest.param("exam", marks=pytest.mark.long), "gec", pytest.param("diagnosis", marks=pytest.mark.long)]
)
def test_t10_a_team_that_tries_and_looks_everywhere_learns_totals_alone(tmp_path: Path, name: str) -> None:
    one, other = (seen(tmp_path / f"{swapped}", name, swapped=swapped) for swapped in (False, True))
    assert one.keys() == other.keys()
    for path in one:
        assert one[path] == other[path], path


def tells_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Name the right answer beside the refusal of a score."""
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


@pytest.mark.clause("TS T10")
def test_t10_a_planted_leak_is_seen_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tells_the_key(monkeypatch)
    one, other = (seen(tmp_path / f"{swapped}", "gec", swapped=swapped) for swapped in (False, True))
    told = [path for path in one if one[path] != other[path]]
    assert told
    assert all("/files/" in path for path in told), told


@pytest.mark.clause("TS T10", "TS T12")
def test_t10_the_name_of_open_questions_cannot_be_made_of_their_answers(tmp_path: Path) -> None:
    """Who has a set without its references, and knows how it is named, must not find the missing ones by trying."""
    world = exam(random.Random("exam"), swapped=False)
    with staged(tmp_path, world.name) as stage:
        stage.load(world.files)
        cycle = reading.cycle_now(stage.platform)
        test = cycle.set_named("test")
        assert test is not None
        items = reading.manifest(stage.platform, cycle.name, test.manifest).items
        track = stage.platform.tracks("exam")
        files = downloads.files_of(items, downloads.View.QUESTIONS)
        open_hash = downloads.fingerprint_of(files, downloads.View.QUESTIONS, f"{track.name} {track.version}")
        told = stage.request("GET", "/v1/sets", token=stage.team("red")).json["sets"]
        (named,) = [each["sha256"] for each in told if each["name"] == "test"]
        assert named not in {open_hash, test.manifest}
