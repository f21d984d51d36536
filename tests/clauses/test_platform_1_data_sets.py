"""Platform §1, data sets a participant may have: every kind of set, every kind of caller, before and after the
organizers' decisions. The rights are written here by hand, from the specification."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from typing import Any

import pytest

from contest import reading
from contest.people.rules import Decision, Pool, Role, TeamStatus
from contest.people.teams import decide_on_team
from contest.results import publishing
from contest.results.rules import set_access
from tests.run_stage import RunOnStage, run_cycle
from tests.stage import Answered, Program, Stage
from tests.stage_addresses import follow
from tests.toys import ToyTrack, toy_cycle

TAKING_PART = ("program", "participant")
OTHERS = ("newcomer", "suspended", "expert", "judge", "commission")
SIGNED_IN = (*TAKING_PART, *OTHERS, "organizer")
KINDS = ("train", "test", "final", "reserve")


class Everybody:
    """One caller of each kind; requests are 11 seconds apart; the final's team is red."""

    def __init__(self, stage: Stage, program: Program) -> None:
        self.stage = stage
        self.tokens: dict[str, str | None] = {"nobody": None, "program": program.token}
        stage.team("grey")
        self.tokens["participant"] = stage.person(Role.PARTICIPANT, "paul", "red")
        self.tokens["suspended"] = stage.person(Role.PARTICIPANT, "sam", "grey")
        decide_on_team(stage.platform, "tests", "grey", Decision("a reason", TeamStatus.SUSPENDED))
        self.tokens["newcomer"] = stage.sign_in("newcomer", Pool.PARTICIPANTS)
        for role in (Role.EXPERT, Role.JUDGE, Role.COMMISSION, Role.ORGANIZER):
            self.tokens[role.value] = stage.person(role)

    def ask(self, who: str, path: str = "", method: str = "GET", body: Any = None) -> Answered:
        """Request the sets at the address for signed-in callers, or at the public one for nobody."""
        self.stage.advance(11)
        place = "/v1/published-sets" if who == "nobody" else "/v1/sets"
        return self.stage.request(method, place + path, body, self.tokens[who])

    def has(self, who: str) -> dict[str, tuple[str, bool]]:
        """Return the caller's sets, how much of each, and whether it has references; check that every other set is
        answered as an unknown one."""
        listed = self.ask(who)
        assert listed.status == 200, listed.text
        found = {each["name"]: each for each in listed.json["sets"]}
        for name in set(KINDS) - set(found):
            of_signed_in = () if who == "nobody" else (f"/{name}/pack",)
            for path in (f"/{name}", f"/{name}/parts/1", *of_signed_in):
                assert self.ask(who, path).refusal == (404, "unknown_set"), (who, path)
        return {name: (each["view"], self.has_references(who, name, each)) for name, each in found.items()}

    def has_references(self, who: str, name: str, offered: Any) -> bool:
        """Return True if a person's files of a set have references; assert that list, manifest and parts agree."""
        files = self.files(who, name)
        given = [each for each in files if "_exp" in each]
        assert (len(files), len(given)) == (offered["files"], offered["references"]), (who, name)
        assert any(text.startswith('{"letters":') for text in files.values()) is bool(given)
        return bool(given)

    def files(self, who: str, name: str) -> dict[str, str]:
        manifest = self.ask(who, f"/{name}")
        while manifest.status == 202:
            manifest = self.ask(who, f"/{name}")
        assert manifest.status == 200, (who, name, manifest.text)
        found: dict[str, str] = {}
        for told in manifest.json["parts"]:
            part = self.ask(who, f"/{name}/parts/{told['number']}")
            assert part.status == 200, part.text
            content = part.text.encode()
            assert (len(content), hashlib.sha256(content).hexdigest()) == (told["size"], told["sha256"])
            for each in part.json["files"]:
                assert hashlib.sha256(each["text"].encode()).hexdigest() == each["sha256"]
                found[each["name"]] = each["text"]
        if who != "nobody":
            self.has_the_same_as_one(who, name, found, manifest.json["pack"])
        assert self.ask(who, f"/{name}/parts/{len(manifest.json['parts']) + 1}").refusal == (404, "unknown_part")
        return found

    def has_the_same_as_one(self, who: str, name: str, files: dict[str, str], told: Any) -> None:
        """Assert that a set's single-file form has the same files; its address does not identify the caller."""
        place = self.ask(who, f"/{name}/pack")
        if told is None:
            assert place.refusal == (404, "no_pack")
            return
        assert (place.status, place.json["size"], place.json["sha256"]) == (200, told["size"], told["sha256"])
        content = follow(self.stage, "GET", place.json["address"]).body
        assert (len(content), hashlib.sha256(content).hexdigest()) == (told["size"], told["sha256"])
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            assert {each: archive.read(each).decode() for each in archive.namelist()} == files

    def publish(self, name: str, *, published: bool = True, who: str = "organizer") -> Answered:
        return self.ask(who, f"/{name}/publication", "POST", {"published": published, "reason": "because"})


WHOLE = ("whole", True)
ITEMS_ALONE = ("whole", False)
"""Whole set that has no references yet."""
QUESTIONS = ("questions", False)
EVERYTHING = {"train": WHOLE, "test": WHOLE, "final": ITEMS_ALONE, "reserve": ITEMS_ALONE}


def everybody(stage: Stage) -> Everybody:
    return Everybody(stage, Program(stage, stage.team("red")))


def have_what_is_theirs(all_of_them: Everybody, **more: tuple[str, bool]) -> None:
    """Check that the training set, and what is named, is for teams that take part, and all sets for organizers."""
    for who in TAKING_PART:
        assert all_of_them.has(who) == {"train": WHOLE, **more}, who
    for who in ("nobody", *OTHERS):
        assert all_of_them.has(who) == {}, who
    assert all_of_them.has("organizer") == EVERYTHING


@pytest.mark.clause(
    "platform §1 data sets",
    "R 2.6",
    "R 4.2.1",
    "R 2.7",
    "R 2.8",
    "platform §1 secrets",
    "R 4.2",
    "D 6.2.2",
    "D 1.9",
    "D 7.6",
    "D 8.3",
)
def test_platform_1_training_sets_for_teams_that_take_part_all_for_organizers_nothing_else(stage: Stage) -> None:
    stage.load(toy_cycle(train=3, test=3, final=2, reserve=2))
    have_what_is_theirs(everybody(stage))


@pytest.mark.clause("TS T12", "platform §1 data sets", "platform §1 secrets")
def test_a_large_set_is_one_file_for_a_minute(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(set_access, "FILES_OF_PART", 3)
    stage.load(toy_cycle(train=3, test=3, final=2, reserve=2))
    all_of_them = everybody(stage)
    have_what_is_theirs(all_of_them)
    place = all_of_them.ask("program", "/train/pack")
    assert place.headers["cache-control"] == "no-store"
    address = place.json["address"]
    other = all_of_them.ask("organizer", "/test/pack").json["address"]
    foreign = f"{other.partition('?')[0]}?{address.partition('?')[2]}"
    assert follow(stage, "GET", foreign).status == 403, "a participant's address is of the training set alone"
    for method in ("PUT", "DELETE"):
        assert follow(stage, method, foreign).status == 403
    address = all_of_them.ask("program", "/train/pack").json["address"]
    stage.advance(59)
    assert follow(stage, "GET", address).status == 200
    stage.advance(1)
    assert follow(stage, "GET", address).status == 403
    assert all_of_them.publish("train").status == 200
    stage.advance(11)
    assert all_of_them.has("nobody") == {}, "its parts are made anew, where everybody may read them"
    assert all_of_them.has("expert") == {"train": WHOLE}
    assert all_of_them.ask("nobody", "/train").json["pack"] is None


@pytest.mark.clause("platform §1 data sets", "platform §1 public")
@pytest.mark.parametrize("name", ["train", "test"])
def test_platform_1_a_published_set_is_everybodys_until_it_is_withdrawn(stage: Stage, name: str) -> None:
    stage.load(toy_cycle(train=3, test=3, final=2, reserve=2))
    all_of_them = everybody(stage)
    before = {who: all_of_them.has(who) for who in SIGNED_IN}
    assert all_of_them.publish(name).status == 200
    for who in SIGNED_IN:
        assert all_of_them.has(who) == before[who] | {name: WHOLE}, who
    assert all_of_them.has("nobody") == {name: WHOLE}
    assert all_of_them.publish(name, published=False).status == 200
    for who in SIGNED_IN:
        assert all_of_them.has(who) == before[who], who
    assert all_of_them.has("nobody") == {}


@pytest.mark.clause("TS T12", "R 2.7")
def test_a_test_set_without_answers(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ToyTrack, "open_tests", True)
    stage.load(toy_cycle(train=3, test=3, final=2, reserve=2))
    all_of_them = everybody(stage)
    have_what_is_theirs(all_of_them, test=QUESTIONS)
    files = all_of_them.files("program", "test")
    assert json.loads(files["test-001.json"]) == {"id": "test-001", "question": "question 1 of test?"}


@pytest.mark.clause("R 7.11", "R 2.8", "platform §1 data sets", "platform §5 embargo")
def test_platform_1_a_finals_essays_and_markups_while_its_results_are_out(stage: Stage) -> None:
    played = RunOnStage(stage, 2, "red", marked=False)
    all_of_them = Everybody(stage, played.programs["red"])
    name = f"final-{played.run_id}"
    played.play()
    played.finish()
    stage.load(run_cycle(2))
    publishing.mark(stage.platform, "organizer", played.run_id)
    assert stage.settle() == []
    stage.score_all()
    stage.advance(60)
    stage.tick()
    assert all_of_them.has("program") == {"train": WHOLE}
    assert all_of_them.ask("participant", f"/{name}").code == "unknown_set"
    assert all_of_them.ask("organizer", f"/{name}").code == "unknown_set"
    publishing.publish(stage.platform, "organizer", played.run_id)
    for who in TAKING_PART:
        assert all_of_them.has(who) == {"train": WHOLE, name: WHOLE}, who
    for who in ("nobody", *OTHERS):
        assert name not in all_of_them.has(who)
        assert all_of_them.ask(who, f"/{name}").code == "unknown_set"
        assert all_of_them.ask(who, f"/{name}/parts/1").code == "unknown_set"
    assert all_of_them.has("organizer")[name] == WHOLE
    files = all_of_them.files("participant", name)
    assert sorted(files) == [f"final-00{index}{end}.json" for index in (0, 1) for end in ("", "_exp01")]
    assert json.loads(files["final-000_exp01.json"]) == {"letters": "abcd"}
    publishing.hide(stage.platform, "organizer", played.run_id)
    for who in ("nobody", *SIGNED_IN):
        assert name not in all_of_them.has(who)
        assert all_of_them.ask(who, f"/{name}").code == "unknown_set"
        assert all_of_them.ask(who, f"/{name}/parts/1").code == "unknown_set"


@pytest.mark.clause("R 7.11", "platform §3 trial")
def test_platform_1_a_trials_essays_stay_where_they_are(stage: Stage) -> None:
    played = RunOnStage(stage, 2, "red", trial=True)
    played.play()
    played.finish()
    publishing.publish(stage.platform, "organizer", played.run_id)
    all_of_them = Everybody(stage, played.programs["red"])
    assert all_of_them.has("program") == {"train": WHOLE}
    assert all_of_them.ask("program", f"/final-{played.run_id}").code == "unknown_set"


@pytest.mark.clause("platform §1 data sets", "R 2.8")
@pytest.mark.parametrize("name", ["final", "reserve"])
def test_platform_1_a_finals_set_is_not_published_before_its_results(stage: Stage, name: str) -> None:
    played = RunOnStage(stage, 2, "red")
    all_of_them = Everybody(stage, played.programs["red"])
    assert all_of_them.publish(name).code == "set_still_secret"
    played.play()
    played.finish()
    assert all_of_them.publish(name).code == "set_still_secret"
    publishing.publish(stage.platform, "organizer", played.run_id)
    again = stage.plan()
    assert all_of_them.publish(name).code == "set_still_secret"  # another final may need it
    stage.set_clock(again.starts_at + 10**7)
    stage.tick()
    stage.tick()
    assert all_of_them.publish(name).status == 200
    assert all_of_them.has("expert") == {name: WHOLE}  # its experts' markups came with the cycle


@pytest.mark.clause("platform §1 audit", "platform §1 data sets", "R 4.2", "D 6.2.2", "D 7.4")
def test_platform_1_publishing_is_the_organizers_and_a_suspended_team_has_nothing_any_more(stage: Stage) -> None:
    stage.load(toy_cycle())
    all_of_them = everybody(stage)
    for who in (*TAKING_PART, *OTHERS):
        assert all_of_them.publish("train", who=who).code == "forbidden"
    assert all_of_them.publish("nothing").code == "unknown_set"
    assert all_of_them.publish("train", published=False).code == "set_decided"
    assert all_of_them.publish("train").json["kind"] == "training"
    assert all_of_them.publish("train").code == "set_decided"
    assert all_of_them.publish("train", published=False).json["published_at"] is None
    told = [each for each in stage.platform.audit_log.on("2026-09-21") if each.subject == "train"]
    assert [(each.what, each.who) for each in told] == [
        ("set published", "person:person-organizer"),
        ("set unpublished", "person:person-organizer"),
    ]
    assert all(each.after is not None and each.after["reason"] == "because" for each in told)
    assert all_of_them.has("participant") == {"train": WHOLE}
    decide_on_team(stage.platform, "tests", "red", Decision("a reason", TeamStatus.SUSPENDED))
    assert all_of_them.has("participant") == {}
    stage.advance(60)
    assert all_of_them.ask("program").status in {401, 403}


@pytest.mark.clause("platform §1 data sets")
def test_platform_1_other_files_under_a_published_name_are_not_published_with_it(stage: Stage) -> None:
    stage.load(toy_cycle(train=3))
    all_of_them = everybody(stage)
    assert all_of_them.publish("train").status == 200
    assert all_of_them.has("expert") == {"train": WHOLE}
    assert all_of_them.has("nobody") == {"train": WHOLE}
    stage.load(toy_cycle(train=3, sessions_per_day=7))
    assert all_of_them.has("nobody") == {"train": WHOLE}
    stage.load(toy_cycle(train=4))
    assert (all_of_them.has("nobody"), all_of_them.has("expert")) == ({}, {})
    assert reading.cycle_now(stage.platform).sets[1].published_at is None
