"""Boards over the interface: published, frozen and withdrawn; parts of finals' boards; how places went."""

from __future__ import annotations

import csv
import io
from types import SimpleNamespace
from typing import Any

import pytest

from contest.cycle.loading import CycleFaultsError
from contest.people.rules import Role
from contest.results import commission
from contest.results.rules.leaderboard import BoardState, Visibility, moment_to_drop, public_state
from contest.values import iso
from tests.contest.conduct.test_conducting import RUNS, Staff
from tests.run_stage import ABSENT, RunOnStage, run_cycle
from tests.stage import Answered, Program, Stage
from tests.stage_kept import Setting
from tests.toys import toy_cycle

pytestmark = pytest.mark.integration
QUALIFICATION = "/v1/leaderboards/qualification"
FINAL = "/v1/leaderboards/final"
NOMINATIONS = {
    "russian": {"name": {"ru": "Русская", "en": "Russian"}, "languages": ["rus"]},
    "letters": {"name": {"ru": "Буквы", "en": "Letters"}, "languages": ["eng"], "groups": ["letters"]},
}

STAGE = Setting()


def seen(stage: Stage, path: str) -> Answered:
    """Request a path as a visitor who has not seen it in the last ten seconds."""
    stage.advance(10)
    return stage.request("GET", path)


def places(answered: Answered) -> dict[str, tuple[int, float]]:
    assert answered.status == 200, answered.text
    return {each["team_id"]: (each["place"], each["result"]["relative_accuracy"]) for each in answered.json["rows"]}


def play(stage: Stage, program: Program, letters: str) -> None:
    """Play a whole algorithmic qualification, scored and reported."""
    assert program.open(set="test").status == 201
    program.play(letters)
    stage.report_all()


def history(stage: Stage, path: str = QUALIFICATION) -> list[dict[str, int]]:
    """Return the places of every point, the earliest first."""
    answered = seen(stage, f"{path}/history").body()
    points = [{row["team_id"]: row["place"] for row in point["places"]} for point in answered["points"]]
    return list(reversed(points))


@pytest.mark.clause("platform §4 boards", "platform §1 organizer")
def test_everybody_sees_of_the_qualification_what_is_decided(stage: Stage) -> None:
    stage.load()
    olga, vera = Staff(stage), Staff(stage, Role.COMMISSION)
    red, blue = (Program(stage, stage.team(name)) for name in ("red", "blue"))
    decision = "/v1/conduct/boards/qualification/decision"
    play(stage, red, "abxx")
    assert places(seen(stage, QUALIFICATION)) == {"red": (1, 50.0)}
    assert seen(stage, QUALIFICATION).json["state"] == "published"
    frozen_at = stage.now
    assert olga.said(decision, {"state": "frozen", "reason": "the last day"})["state"] == "frozen"
    play(stage, blue, "abcd")
    now = seen(stage, QUALIFICATION)
    assert (places(now), now.json["state"]) == ({"red": (1, 50.0)}, "frozen")
    assert frozen_at < stage.now
    assert now.json["as_of"] > iso(frozen_at)
    rus = seen(stage, f"{QUALIFICATION}?language=rus")
    assert (set(places(rus)), rus.json["state"]) == ({"red"}, "frozen")
    for person in (olga, vera):
        live = person.get("/v1/conduct/boards/qualification")
        assert places(live) == {"blue": (1, 100.0), "red": (2, 50.0)}
        assert (live.json["state"], live.json["as_of"]) == ("frozen", None)
    olga.said(decision, {"state": "hidden", "reason": "a protest"})
    for path in (QUALIFICATION, f"{QUALIFICATION}?language=eng", f"{QUALIFICATION}/history"):
        assert (seen(stage, path).status, seen(stage, path).code) == (403, "board_hidden")
    assert set(places(vera.get("/v1/conduct/boards/qualification"))) == {"red", "blue"}
    olga.said(decision, {"state": "published", "reason": "it was rejected"})
    assert places(seen(stage, QUALIFICATION)) == {"blue": (1, 100.0), "red": (2, 50.0)}
    refused = olga.post(decision, {"state": "published", "reason": "again"})
    assert (refused.refusal, refused.json["title_ru"]) == ((409, "board_is_so"), "лидерборд уже опубликован")
    assert olga.post(decision, {"state": "published", "reason": " "}).status == 422
    changes = [each for each in stage.platform.audit_log.on(iso(stage.now)[:10]) if each.subject == "qualification"]
    told = [(each.who, each.what, (each.before or {})["visibility"], (each.after or {})["reason"]) for each in changes]
    assert told == [
        ("person:the-organizer", "board frozen", "published", "the last day"),
        ("person:the-organizer", "board hidden", "frozen", "a protest"),
        ("person:the-organizer", "board published", "hidden", "it was rejected"),
    ]


@pytest.mark.clause("platform §4 boards")
def test_the_history_tells_every_change_that_everybody_has_seen(stage: Stage) -> None:
    stage.load()
    olga = Staff(stage)
    red, blue = (Program(stage, stage.team(name)) for name in ("red", "blue"))
    decision = "/v1/conduct/boards/qualification/decision"
    play(stage, red, "abxx")
    stage.tick(after=60)
    stage.tick(after=60)
    assert history(stage) == [{"red": 1}], "what does not change makes no point"
    olga.said(decision, {"state": "frozen", "reason": "a while"})
    play(stage, blue, "abcd")
    stage.tick(after=60)
    assert history(stage) == [{"red": 1}], "nor does what nobody sees"
    olga.said(decision, {"state": "published", "reason": "the while is over"})
    stage.tick(after=60)
    assert history(stage) == [{"red": 1}, {"red": 2, "blue": 1}]
    stage.advance(10)
    newest = stage.request("GET", f"{QUALIFICATION}/history?limit=1").json["points"]
    assert [{each["team_id"]: each["value"] for each in point["places"]} for point in newest] == [
        {"red": 50.0, "blue": 100.0}
    ]


@pytest.mark.clause("R 7.12", "platform §4 boards")
def test_a_final_has_a_board_of_each_language_and_nomination(stage: Stage) -> None:
    played = RunOnStage(stage, 4, "red", "blue", "grey", parameters={"nominations": NOMINATIONS})
    files = {each.language for each in played.files}
    assert files == {"rus", "eng"}
    deeds = {
        number: {"red": "abcd" if each.language == "rus" else "abxx", "blue": "abcd", "grey": "abcd"}
        for number, each in enumerate(played.files, start=1)
    }
    played.play(deeds).finish()
    olga, board = Staff(stage), f"/v1/conduct/boards/{played.run_id}"
    assert seen(stage, FINAL).code == "results_not_published"
    assert places(olga.get(board)) == {"blue": (1, 100.0), "grey": (1, 100.0), "red": (3, 75.0)}
    assert olga.get(board).json["state"] == "hidden"
    assert olga.post(f"{board}/decision", {"state": "frozen", "reason": "x"}).code == "not_published"
    olga.said(f"{board}/decision", {"state": "published", "reason": "the commission agrees"})
    assert places(seen(stage, FINAL)) == {"blue": (1, 100.0), "grey": (1, 100.0), "red": (3, 75.0)}
    everybody = {"blue": (1, 100.0), "grey": (1, 100.0), "red": (1, 100.0)}
    assert places(seen(stage, f"{FINAL}?language=rus")) == everybody
    assert places(seen(stage, f"{FINAL}?language=eng"))["red"] == (3, 50.0)
    russian = seen(stage, f"{FINAL}?nomination=russian")
    assert (places(russian), russian.json["nomination"], russian.json["language"]) == (everybody, "russian", "all")
    assert {each["files"] for each in russian.json["rows"]} == {2}
    for part in ("language=eng", "nomination=russian"):
        lines = list(csv.DictReader(io.StringIO(seen(stage, f"{FINAL}.csv?{part}").content.decode("utf-8-sig"))))
        shown = places(seen(stage, f"{FINAL}?{part}"))
        assert {each["team_id"]: int(each["place"]) for each in lines} == {
            team: place for team, (place, _) in shown.items()
        }
        assert {each["files"] for each in lines} == {"2"}
    assert seen(stage, f"{FINAL}.xlsx?nomination=unheard-of").code == "unknown_board"
    assert places(seen(stage, f"{FINAL}?nomination=letters"))["red"] == (3, 50.0)
    assert stage.request("GET", "/v1/cycle").json["parameters"]["nominations"]["russian"] == {
        "name": {"ru": "Русская", "en": "Russian"},
        "languages": ["rus"],
        "groups": [],
    }
    for query, status, code in (
        ("language=deu", 404, "unknown_board"),
        ("nomination=other", 404, "unknown_board"),
        ("nomination=russian&language=rus", 422, "invalid_request"),
    ):
        for path in (f"{FINAL}?{query}", f"{FINAL}/history?{query}"):
            assert seen(stage, path).refusal == (status, code), path
    (detail,) = seen(stage, f"{FINAL}?language=deu").json["error"]["details"]
    assert detail["parts"] == ["all", "rus", "eng", "nomination:letters", "nomination:russian"]
    stage.tick()
    assert history(stage, FINAL) == [{"blue": 1, "grey": 1, "red": 3}]
    ahead = {each["team_id"]: each["ahead"] for each in seen(stage, FINAL).json["rows"]}
    assert ahead == {"blue": None, "grey": None, "red": {"team_id": "grey", "difference": 25.0, "overlap": None}}


@pytest.mark.clause("platform §4 boards")
def test_a_frozen_final_stays_when_a_decision_changes_it(stage: Stage) -> None:
    played = RunOnStage(stage, 4, "red", "blue").play({1: {"red": "abxx"}, 2: {"red": ABSENT}}).finish()
    olga, board = Staff(stage), f"/v1/conduct/boards/{played.run_id}"
    olga.said(f"{board}/decision", {"state": "published", "reason": "all is well"})
    before = places(seen(stage, FINAL))
    assert set(before) == {"blue"}, "red missed a quarter"
    olga.said(f"{board}/decision", {"state": "frozen", "reason": "a protest is examined"})
    said = {"kind": "rule", "team_id": "red", "number": 2, "cause": "platform", "reason": "our fault"}
    olga.said(f"/v1/conduct/runs/{played.run_id}/decisions", said)
    for _ in range(2):
        stage.tick(after=60)
    now = seen(stage, FINAL)
    assert (places(now), now.json["state"]) == (before, "frozen")
    assert set(places(olga.get(board))) == {"red", "blue"}
    olga.said(f"{board}/decision", {"state": "published", "reason": "examined"})
    assert set(places(seen(stage, FINAL))) == {"red", "blue"}
    olga.said(f"{board}/decision", {"state": "frozen", "reason": "once more"})
    olga.said(f"{board}/decision", {"state": "hidden", "reason": "withdrawn"})
    assert seen(stage, FINAL).code == "results_not_published"
    olga.said(f"{board}/decision", {"state": "published", "reason": "out again"})
    assert seen(stage, FINAL).json["state"] == "published", "a freeze ends with the withdrawal"


def test_the_audit_knows_the_entries_of_all_parts(stage: Stage) -> None:
    played = RunOnStage(stage, 4, "red", parameters={"nominations": NOMINATIONS}).play().finish()
    assert stage.audit()["differences"] == ()
    session_id = played.programs["red"].session_id
    (entry,) = [each for each in stage.platform.blobs.names("reports/final/") if session_id in each]
    stored = stage.platform.blobs.get(entry)
    assert stored.count(b'"nomination:russian"') == 1
    stage.platform.blobs.put(entry, stored.replace(b'"nomination:russian"', b'"nomination:planted"'))
    assert f"entry {session_id}" in stage.audit()["differences"]


def test_there_is_no_board_of_anything_else_and_no_nomination_of_what_the_cycle_does_not_have(stage: Stage) -> None:
    stage.load(run_cycle(4))
    olga = Staff(stage)
    run = stage.plan()
    assert olga.get(f"/v1/conduct/boards/{'z' * 20}").code == "unknown_run"
    assert olga.get(f"/v1/conduct/boards/{run.run_id}").code == "results_not_published"
    assert olga.get("/v1/conduct/boards/qualification?language=deu").status == 422
    wrong: Any = {"state": "secret", "reason": "x"}
    assert olga.post("/v1/conduct/boards/qualification/decision", wrong).status == 422
    other = {"name": {"ru": "Иная", "en": "Other"}, "languages": ["deu"], "groups": ["poems"]}
    cycle = run_cycle(4)
    cycle["cycle.json"]["parameters"] = {"nominations": {"other": other}}
    with pytest.raises(CycleFaultsError) as refused:
        stage.load(cycle)
    assert [(each.code, each.where["field"]) for each in refused.value.faults] == [
        ("unknown_nominated", "parameters.nominations.other.languages"),
        ("unknown_nominated", "parameters.nominations.other.groups"),
    ]


def test_a_long_history_gives_up_what_was_shown_for_the_shortest_time() -> None:
    assert moment_to_drop([1, 5, 6, 9], 4) is None
    assert moment_to_drop([1, 5, 6, 9], 3) == 6
    assert moment_to_drop([1, 2, 6, 7], 3) == 2, "never the latest"
    assert moment_to_drop([1, 2], 1) is None


@pytest.mark.parametrize(("published_at", "shown"), [(None, "hidden"), (4, "frozen"), (5, "frozen"), (6, "published")])
def test_a_freeze_holds_from_the_publication_of_its_results_alone(published_at: int | None, shown: str) -> None:
    final: Any = SimpleNamespace(published_at=published_at)
    assert public_state(final, BoardState("final", Visibility.FROZEN, 5, "a protest")) == shown


AT = "/v1/conduct/annulments"


def said(of: str, subject: str, *, annulled: bool = True, **more: Any) -> dict[str, Any]:
    return {"of": of, "subject": subject, "annulled": annulled, "reason": "a leak", **more}


@pytest.mark.clause("D 6.10", "platform §7 annul", "D 12.2", "D 12.12")
def test_an_annulled_session_leaves_the_board_to_the_next_best_and_comes_back(stage: Stage) -> None:
    stage.load()
    olga, red = Staff(stage), Program(stage, stage.team("red"))
    play(stage, red, "abxx")
    weaker = red.session_id
    play(stage, red, "abcd")
    assert places(seen(stage, QUALIFICATION)) == {"red": (1, 100.0)}
    done = olga.said(AT, said("session", red.session_id))
    assert (done["annulled"], done["reason"], done["board"]) == (True, "a leak", None)
    for query in ("", "?language=rus", "?language=eng"):
        assert places(seen(stage, f"{QUALIFICATION}{query}")) == {"red": (1, 50.0)}
    answer = red.get().json["annulled"]
    assert (answer["of"], answer["reason"]) == ("session", "a leak")
    assert [each["annulled"] is not None for each in red.ask("GET", "/v1/sessions").json["sessions"]] == [True, False]
    olga.said(AT, said("session", weaker))
    assert places(seen(stage, QUALIFICATION)) == {}, "nothing of the team is left"
    play(stage, red, "abcx")
    assert places(seen(stage, QUALIFICATION)) == {"red": (1, 75.0)}, "a new one counts, better annulled ones do not"
    olga.said(AT, said("session", done["subject"], annulled=False))
    assert places(seen(stage, QUALIFICATION)) == {"red": (1, 100.0)}
    stage.advance(1)
    listed = {each["subject"]: each["annulled"] for each in olga.said(AT)["annulments"]}
    assert listed == {done["subject"]: False, weaker: True}
    changes = [each for each in stage.platform.audit_log.on(iso(stage.now)[:10]) if each.subject == done["subject"]]
    assert [(each.who, each.what) for each in changes if each.what.startswith("session")] == [
        ("person:the-organizer", "session annulled"),
        ("person:the-organizer", "session restored"),
    ]


@pytest.mark.clause("D 6.10")
def test_the_timer_completes_what_whoever_decided_did_not(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.load()
    olga, red = Staff(stage), Program(stage, stage.team("red"))
    play(stage, red, "abxx")
    play(stage, red, "abcd")
    with monkeypatch.context() as crashing:
        crashing.setattr(commission, "_follow", lambda *_: None)
        olga.said(AT, said("session", red.session_id))
    assert places(seen(stage, QUALIFICATION)) == {}, "what is annulled is never shown"
    stage.tick()
    assert places(seen(stage, QUALIFICATION)) == {"red": (1, 50.0)}


@pytest.mark.clause("D 6.10", "platform §7 annul")
def test_of_an_annulled_set_nothing_begins_and_nothing_counts(stage: Stage) -> None:
    cycle = toy_cycle(technical={"enabled": True, "every_hours": 4, "lead_s": 600, "files": [30, 30]}, train=40)
    stage.load(cycle)
    olga, red = Staff(stage), Program(stage, stage.team("red"))
    play(stage, red, "abcd")
    stage.tick()
    (run,) = stage.request("GET", "/v1/runs").json["runs"]
    for name in ("test", "train"):
        olga.said(AT, said("set", name))
    assert places(seen(stage, QUALIFICATION)) == {}
    assert red.get().json["annulled"]["of"] == "set"
    for set_name in ("test", "train"):
        assert red.open(set=set_name).refusal == (409, "set_annulled")
    assert red.join("technical", run=run["run_id"]).code == "set_annulled"
    stage.tick(after=4 * 3600)
    assert len(stage.request("GET", "/v1/runs").json["runs"]) == 1, "the timer plans none on it"
    order = {"mode": "technical", "set": "train", "starts_at": iso(stage.now + 3_600_000)}
    assert olga.post(RUNS, order).code == "set_annulled"
    for name in ("test", "train"):
        olga.said(AT, said("set", name, annulled=False))
    assert places(seen(stage, QUALIFICATION)) == {"red": (1, 100.0)}
    stage.tick()
    assert len(seen(stage, "/v1/runs").json["runs"]) == 2
    assert red.open(set="test").status == 201


@pytest.mark.clause("D 6.10", "platform §7 annul", "D 12.2", "D 12.12")
def test_a_teams_result_leaves_the_board_of_a_final_and_no_other(stage: Stage) -> None:
    played = RunOnStage(stage, 2, "red", "blue").play({1: {"blue": "abxx"}}).finish()
    olga = Staff(stage)
    olga.said(f"/v1/conduct/boards/{played.run_id}/decision", {"state": "published", "reason": "out"})
    assert set(places(seen(stage, FINAL))) == {"red", "blue"}
    olga.said(AT, said("result", "red", board="qualification"))
    assert set(places(seen(stage, FINAL))) == {"red", "blue"}
    olga.said(AT, said("result", "red", board=played.run_id))
    assert places(seen(stage, FINAL)) == {"blue": (1, 75.0)}
    assert played.programs["red"].get().json["annulled"]["of"] == "result"
    assert played.programs["blue"].get().json["annulled"] is None
    olga.said(AT, said("result", "red", board=played.run_id, annulled=False))
    assert set(places(seen(stage, FINAL))) == {"red", "blue"}
    olga.said(AT, said("set", "final"))
    assert places(seen(stage, FINAL)) == {}


@pytest.mark.clause("D 6.10", "R 6.9")
def test_the_conclusion_on_an_annulled_session_counts_no_more(stage: Stage) -> None:
    stage.load(toy_cycle(train=40))
    olga, jan = Staff(stage), Staff(stage, Role.JUDGE)
    red = Program(stage, stage.team("red"))
    assert red.open(set="train", files=30).status == 201
    red.play("abcd")
    stage.report_all()
    at = f"/v1/sessions/{red.session_id}/conclusion"
    jan.said(f"{at}/judgement", {"confirmed": True, "reason": "good"})

    def claims() -> list[tuple[str, str]]:
        (team,) = olga.said("/v1/qualification")["teams"]
        return [(each["session_id"], each["standing"]) for each in team["claims"]]

    assert claims() == [(red.session_id, "awaits_commission")]
    olga.said(AT, said("session", red.session_id))
    answer = red.ask("GET", at).json
    assert (answer["standing"], answer["annulled"]) == ("annulled", "a leak")
    assert claims() == [(red.session_id, "annulled")]
    assert olga.post(f"{at}/verification", {"verified": True, "reason": "x"}).refusal == (409, "no_such_ruling")
    olga.said(AT, said("session", red.session_id, annulled=False))
    assert claims() == [(red.session_id, "awaits_commission")], "the rulings are still there"


def test_wrong_annulments_are_refused(stage: Stage) -> None:
    stage.load(run_cycle(2))
    stage.team("red")
    olga = Staff(stage)
    for body, status, code in (
        (said("set", "nothing"), 409, "unknown_set"),
        (said("session", "1" * 15), 404, "unknown_session"),
        (said("result", "grey", board="qualification"), 404, "unknown_team"),
        (said("result", "red", board="z" * 20), 404, "unknown_board"),
        (said("result", "red"), 422, "invalid_request"),
        (said("set", "train", board="qualification"), 422, "invalid_request"),
        (said("team", "red"), 422, "invalid_request"),
        ({**said("set", "train"), "reason": " "}, 422, "invalid_request"),
        (said("set", "train", annulled=False), 409, "not_annulled"),
    ):
        assert olga.post(AT, body).refusal == (status, code)
    assert olga.said(AT) == {"annulments": []}
    olga.said(AT, said("set", "train"))
    assert olga.post(AT, said("set", "train")).code == "annulled_already"
