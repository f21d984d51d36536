"""A small final marked up by experts over HTTP; explanations in its answers are rated, and M7 is computed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contest.cycle.loading import load_cycle
from contest.experts.judged_essays import take_in_session_ratings
from contest.refusals import RefusedError
from contest.results import publishing
from contest.values import DAY, SECOND, from_iso, local_day
from markup_core.accuracy import score_record
from markup_core.params import ScoringParams
from tests.experts_final import FINAL, TEXTS, EssayFinal, Played, published, references
from tests.experts_stage import AGREED, CYCLE, DIFFERENT, Coordinator, Expert, essay_cycle, shipped
from tests.stage import Program, Stage
from tests.stage_kept import played_once
from tests.toys import FolderInMemory


@pytest.fixture
def played(stage: Stage) -> Played:
    return played_once(stage, Played)


@pytest.mark.clause("R 7.10", "R 7.3", "R 2.8")
def test_r_7_10_a_final_is_scored_by_its_experts_markups(played: Played) -> None:
    played.mark_up(AGREED, 1, 2)
    played.mark_up(DIFFERENT, 1, 2, 3)
    played.mark()
    rows = published(played)
    assert [row["team_id"] for row in rows] == ["red", "blue"]
    shown = references(played, "red")
    assert {item: len(body["experts"]) for item, body in shown.items()} == {AGREED: 2, DIFFERENT: 3}
    above, below = [], []
    for item, body in shown.items():
        markups = [shipped(item, number if number < 3 else 1) for number in range(1, len(body["experts"]) + 1)]
        expected = score_record(body["answer"], markups, ScoringParams.from_dict({}))
        assert body["score"]["pairs"] == json.loads(json.dumps(expected["pairs"]))
        above.append(expected["algorithm_accuracy"])
        below.append(expected["expert_accuracy"])
    red = rows[0]["result"]
    assert red["relative_accuracy"] == pytest.approx(100 * sum(above) / sum(below), abs=1e-9)
    assert rows[1]["result"]["relative_accuracy"] < red["relative_accuracy"]
    pseudonyms = {
        each["expert_id"]: each["pseudonym"] for each in played.olga.ask("GET", "/v1/experts").json["experts"]
    }
    for item, body in shown.items():
        names = [each["expert_id"] for each in played.essay(item)["assignments"]]
        metas = [each["meta"] for each in body["experts"]]
        assert [each["expert"] for each in metas] == [pseudonyms[name] for name in names]
        assert [each["third"] for each in metas] == [False, False, True][: len(metas)]
        assert {each["id"] for each in metas} == {item}
        text = json.dumps(body["experts"], ensure_ascii=False)
        assert not [name for name in names if f'"{name}"' in text]
        assert {each["text"] for each in body["experts"]} == {shipped(item)["text"]}


@pytest.mark.clause("R 7.10", "platform §5 third")
def test_r_7_10_a_final_waits_for_its_experts_and_then_shows_the_third(played: Played) -> None:
    played.mark_up(AGREED, 1, 2)
    with pytest.raises(RefusedError) as refused:
        played.mark()
    assert (refused.value.code, refused.value.details[0]["essays"]) == ("experts_not_done", [DIFFERENT])
    played.mark_up(DIFFERENT, 1, 2)
    with pytest.raises(RefusedError) as refused:
        played.mark()
    assert refused.value.details[0]["essays"] == [DIFFERENT], "the third expert is not done"
    played.mark_up(DIFFERENT, 3)
    played.mark()
    assert played.run.run.markups
    (second, name), (third, thirds) = played.expert_of(DIFFERENT, 2), played.expert_of(DIFFERENT, 3)
    assert second.work(name).json["decided"] is None, "scored, and not published"
    published(played)
    decided = second.work(name).json["decided"]
    assert [len(markup["selections"]) for markup in decided["markups"]] == [
        len(shipped(DIFFERENT, number)["selections"]) for number in (1, 2)
    ]
    assert [secret for secret in (third.name, thirds) if secret in json.dumps(decided)] == []


def test_a_markup_that_ran_out_is_a_reference_and_one_that_was_taken_away_is_not(played: Played) -> None:
    played.mark_up(DIFFERENT, 1, 2, 3)
    (first, hers), (second, his) = played.expert_of(AGREED, 1), played.expert_of(AGREED, 2)
    first.draft(hers, shipped(AGREED, 1))
    second.draft(his, {**shipped(AGREED, 2), "selections": []})
    played.olga.decide("reassign", second.name, his)
    played.run.stage.advance(3600 + 60)
    played.run.stage.tick()
    played.mark_up(AGREED, 3)
    played.mark()
    published(played)
    shown = references(played, "red")[AGREED]["experts"]
    assert [len(each["selections"]) for each in shown] == [len(shipped(AGREED, 1)["selections"])] * 2


def test_markups_taken_in_again_after_a_change_are_other_references(played: Played) -> None:
    """A markup that the coordinator reopens and its expert improves counts from the next marking on, by new hashes."""
    played.mark_up(DIFFERENT, 1, 2, 3)
    played.mark_up(AGREED, 1)
    second, his = played.expert_of(AGREED, 2)
    second.draft(his, shipped(AGREED, 1))
    played.run.stage.advance(3600 + 60)
    played.run.stage.tick()
    played.mark()
    before = played.run.run.markups
    played.olga.decide("extend", second.name, his, seconds=600)
    with pytest.raises(RefusedError):
        played.mark()
    second.save(his, 1, shipped(AGREED, 2))
    second.hand_in(his, 2)
    played.mark()
    assert [drawn for drawn, _ in played.run.run.markups] == [drawn for drawn, _ in before]
    assert played.run.run.markups != before
    assert published(played)[0]["team_id"] == "red"


def test_a_final_whose_files_nobody_was_given_is_marked_by_the_cycles_markups(stage: Stage) -> None:
    run = EssayFinal(stage)
    run.play()
    run.finish()
    with pytest.raises(RefusedError, match="not_marked_yet: "):
        publishing.mark(stage.platform, "olga", run.run_id)


@pytest.mark.clause("R 7.3", "R 4.1")
def test_an_assignment_of_a_final_begins_by_the_results_last_day_and_an_open_one_goes_on(played: Played) -> None:
    stage, cycle = played.run.stage, essay_cycle(["hist-04"], FINAL)
    described = json.loads(cycle.read("cycle.json"))
    day = local_day(stage.now, "Europe/Moscow")

    def loaded(outside: str) -> None:
        described["stages"] = {"results": {"first": day, "last": day, "outside": outside}}
        files = {name: cycle.read(name) for name in cycle.everything()} | {"cycle.json": described}
        load_cycle(stage.platform, "tests", CYCLE, FolderInMemory(files), lambda _: None)

    loaded("refuse")
    (opener, first), (late, other) = (played.expert_of(AGREED, number) for number in (1, 2))
    ends_at = from_iso(f"{day}T21:00:00.000Z")
    stage.set_clock(ends_at - 1)
    opener, late = Expert(stage, opener.name), Expert(stage, late.name)
    until = {f"{day}T21:00:00.000Z"}
    assert {each["open_until"] for each in late.own()} == until == {late.work(other).json["assignment"]["open_until"]}
    assert opener.open(first).json["assignment"]["open_until"] is None
    stage.set_clock(ends_at)
    assert opener.open(first).status == 200
    refused = late.open(other)
    assert refused.refusal == (409, "outside_stage")
    assert refused.json["error"]["details"][0]["stage"] == "results"
    loaded("take")
    assert {each["open_until"] for each in late.own()} == {None}
    assert late.open(other).status == 200


def later(stage: Stage, days: float) -> None:
    stage.advance(days * DAY / SECOND)


PROTOCOLS = [("protocol_none", "R 8.3.3"), ("protocol_none", "R 8.3.4")]
"""Test the answers between the making of the board and the protocols of judges and commission."""


def said(played: Played) -> list[tuple[str, str]]:
    """Return codes and clauses of the warnings that an organizer gets with the run."""
    played.run.stage.advance(1)
    answered = played.run.stage.request("GET", f"/v1/conduct/runs/{played.run.run_id}", token=played.olga.token).body()
    notices: list[Any] = answered["settlement"]["notices"]
    assert all(each["message"] != each["message_ru"] for each in notices)
    return [(each["code"], each["where"]["clause"]) for each in notices]


def marked(played: Played) -> None:
    played.mark_up(AGREED, 1, 2)
    played.mark_up(DIFFERENT, 1, 2, 3)
    played.mark()


@pytest.mark.clause("R 7.3", "R 7.11", "platform §2 notices")
def test_platform_2_markups_that_are_still_missing_after_their_time_are_told_of(played: Played) -> None:
    later(played.run.stage, 14)
    assert said(played) == [], "fifteen working days are three weeks"
    later(played.run.stage, 10)
    assert said(played) == [("markups_late", "R 7.3")]


@pytest.mark.clause("R 7.11", "platform §2 notices")
def test_platform_2_results_that_are_late_are_told_of_before_and_after_their_publication(played: Played) -> None:
    marked(played)
    later(played.run.stage, 4)
    assert said(played) == []
    later(played.run.stage, 6)
    assert said(played) == [("results_late", "R 7.11")]
    published(played)
    later(played.run.stage, 60)
    assert said(played) == [("results_late", "R 7.11"), *PROTOCOLS]


@pytest.mark.clause("R 7.11", "platform §2 notices")
def test_platform_2_results_in_time_are_never_called_late(played: Played) -> None:
    marked(played)
    published(played)
    later(played.run.stage, 60)
    assert said(played) == PROTOCOLS


WEIGHTS = [1, 2, 1, 1, 1, 1, 2]
YES, NO = True, False
ALL = [YES] * 5


@pytest.fixture
def rated_final(stage: Stage) -> Played:
    return played_once(stage, marked_up)


def marked_up(stage: Stage) -> Played:
    """Play a final in which explanations weigh, and mark up its essays."""
    made = Played(stage, weights=WEIGHTS)
    made.mark_up(AGREED, 1, 2)
    made.mark_up(DIFFERENT, 1, 2, 3)
    return made


def session_of(rated_final: Played, team: str = "red") -> str:
    return rated_final.run.programs[team].session_id


def given(rated_final: Played) -> list[tuple[Expert, str]]:
    """Assign the rating of red's answers; list the experts with their assignment ids."""
    assert rated_final.olga.assign(session=session_of(rated_final)).status == 200
    essays = rated_final.olga.progress(f"ratings-{session_of(rated_final)}")["essays"]
    return [
        (Expert(rated_final.run.stage, each["expert_id"]), each["assignment_id"])
        for essay in essays
        for each in essay["assignments"]
    ]


def rated(cards: list[Any], *answers: list[bool]) -> Any:
    """Return the draft that rates the cards with these answers in turn."""
    return {"ratings": {card["fragment"]: answers[place % len(answers)] for place, card in enumerate(cards)}}


def rate(expert: Expert, assignment_id: str, *answers: list[bool]) -> str:
    """Rate all cards and hand in; return the essay whose answer was rated."""
    content = expert.open(assignment_id).json["content"]
    cards = sorted(content["cards"], key=lambda card: int(card["fragment"]))
    saved = expert.save(assignment_id, 0, rated(cards, *answers))
    assert saved.json["judged"]["valid"], saved.text
    assert expert.hand_in(assignment_id, 1).status == 200
    return TEXTS[content["text"]]


@pytest.mark.clause("platform §5 ratings", "R-App1 M7")
def test_platform_5_explanations_are_shown_without_their_author_and_rated_by_five_questions(
    rated_final: Played,
) -> None:
    tasks = given(rated_final)
    assert len(tasks) == 4, "two experts for each of the two answers that explain anything"
    expert, assignment_id = tasks[0]
    (own,) = [each for each in expert.own() if each["assignment_id"] == assignment_id]
    assert (own["ratings"], own["third"], own["calibration"]) == (True, False, False)
    opened = expert.open(assignment_id)
    content = opened.json["content"]
    item = TEXTS[content["text"]]
    explained = {
        str(each["id"]): each["explanation"] for each in shipped(item, 1)["selections"] if each["explanation"].strip()
    }
    assert {card["fragment"]: card["explanation"] for card in content["cards"]} == explained
    assert content["questions"] == 5
    assert all(card["type"] for card in content["cards"])
    assert not [name for name in ('"red"', session_of(rated_final)) if name in opened.text]
    whole = rated(content["cards"], ALL)
    first = content["cards"][0]["fragment"]
    wrong = [
        ({}, "no_ratings"),
        ({"ratings": {}}, "not_rated"),
        ({"ratings": {**whole["ratings"], first: [1, 1, 1]}}, "not_rated"),
        ({"ratings": {**whole["ratings"], first: [1, 1, 1, 1, 2]}}, "not_rated"),
        ({"ratings": {**whole["ratings"], "99": ALL}}, "unknown_explanation"),
    ]
    for revision, (draft, code) in enumerate(wrong):
        saved = expert.save(assignment_id, revision, draft).json
        assert {each["code"] for each in saved["judged"]["faults"]} == {code}
        rated_final.run.stage.advance(1)
    assert expert.hand_in(assignment_id, len(wrong)).code == "markup_not_valid"
    assert expert.save(assignment_id, len(wrong), whole).json["judged"]["valid"]
    assert expert.hand_in(assignment_id, len(wrong) + 1).json["assignment"]["state"] == "handed_in"


@pytest.mark.clause("platform §5 ratings", "R-App1 M7", "MS §3 M7")
def test_answers_wait_for_ratings_and_are_scored_by_all(rated_final: Played) -> None:
    stage = rated_final.run.stage
    rated_final.mark()
    stage.score_all()
    stage.settle()
    waiting = [f"{session_of(rated_final)}/{number}" for number in (1, 2)]
    with pytest.raises(RefusedError) as refused:
        publishing.publish(stage.platform, "olga", rated_final.run.run_id)
    assert (refused.value.code, refused.value.details[0]["waiting"]) == ("not_rated_yet", waiting)
    tasks = given(rated_final)
    expected: dict[str, dict[str, list[list[bool]]]] = {}
    answers = [[YES, YES, NO, NO, NO], ALL, [NO] * 5, [YES, NO, NO, NO, NO]]
    for (expert, assignment_id), first in zip(tasks, answers, strict=True):
        item = rate(expert, assignment_id, first, ALL)
        explained = [str(each["id"]) for each in shipped(item, 1)["selections"] if each["explanation"].strip()]
        for place, fragment in enumerate(sorted(explained, key=int)):
            expected.setdefault(item, {}).setdefault(fragment, []).append(ALL if place % 2 else first)
    assert rated_final.olga.progress(f"ratings-{session_of(rated_final)}")["done"] == 2
    with pytest.raises(RefusedError) as refused:
        publishing.publish(stage.platform, "olga", rated_final.run.run_id)
    assert refused.value.code == "not_rated_yet", "until they are taken in"
    assert not take_in_session_ratings(stage.platform, session_of(rated_final)), "a final's are its run's"
    rated_final.mark()
    assert [row["team_id"] for row in published(rated_final)] == ["red", "blue"]
    for item, body in references(rated_final, "red").items():
        markups = [shipped(item, number if number < 3 else 1) for number in range(1, len(body["experts"]) + 1)]
        record = score_record(
            body["answer"], markups, ScoringParams.from_dict({"weights": WEIGHTS}), ratings=expected[item]
        )
        assert body["score"]["pairs"] == json.loads(json.dumps(record["pairs"]))
        assert body["score"]["algorithm_accuracy"] == record["algorithm_accuracy"] is not None
        (m7,) = {pair["metrics"]["M7"] for pair in body["score"]["pairs"] if pair["x"] == "algorithm"}
        means = [sum(map(sum, lists)) / len(lists) * 20 for lists in expected[item].values()]
        assert m7 == pytest.approx(sum(means) / len(means))


@pytest.mark.clause("platform §5 ratings")
def test_platform_5_a_rating_that_arrives_later_scores_again(rated_final: Played) -> None:
    tasks = given(rated_final)
    first = {}
    for expert, assignment_id in tasks:
        item = TEXTS[expert.open(assignment_id).json["content"]["text"]]
        if item not in first:
            first[item] = rate(expert, assignment_id, [NO] * 5)
    rated_final.mark()
    published(rated_final)
    before = references(rated_final, "red")
    publishing.hide(rated_final.run.stage.platform, "olga", rated_final.run.run_id)
    for expert, assignment_id in tasks:
        if expert.work(assignment_id).json["assignment"]["state"] == "opened":
            rate(expert, assignment_id, ALL)
    rated_final.mark()
    published(rated_final)
    after = references(rated_final, "red")
    for item in first:
        told = [
            {pair["metrics"]["M7"] for pair in found[item]["score"]["pairs"] if pair["x"] == "algorithm"}
            for found in (before, after)
        ]
        assert told == [{0.0}, {50.0}], "the mean of both experts"
    assert rated_final.run.stage.audit()["differences"] == ()


def test_ratings_that_ran_out_are_revived_and_still_call_no_third_expert(rated_final: Played) -> None:
    (first, one), (second, other), *_ = given(rated_final)
    for expert, assignment_id in ((first, one), (second, other)):
        cards = expert.open(assignment_id).json["content"]["cards"]
        expert.save(assignment_id, 0, rated(cards, ALL))
    rated_final.run.stage.advance(3700)
    assert rated_final.run.stage.tick()["expired"] == 2
    assert rated_final.olga.decide("extend", first.name, one, seconds=100).json["state"] == "opened"
    assert first.hand_in(one, 1).status == 200
    assert rated_final.run.stage.tick()["considered"] == 0
    assert rated_final.run.stage.platform.experts.due_essays() == []


def test_where_explanations_weigh_nothing_nobody_waits_for_ratings(stage: Stage) -> None:
    made = Played(stage)
    made.mark_up(AGREED, 1, 2)
    made.mark_up(DIFFERENT, 1, 2, 3)
    made.mark()
    assert published(made)[0]["team_id"] == "red"


def test_ratings_are_no_markups_and_answers_without_explanations_are_given_to_nobody(rated_final: Played) -> None:
    blue = rated_final.olga.assign(session=session_of(rated_final, "blue"))
    assert (blue.status, blue.json["essays"], blue.json["given"]) == (200, 0, {})
    assert rated_final.olga.assign(session="1" * 15).code == "no_session_of_a_final"
    assert rated_final.olga.assign(session=session_of(rated_final), set="train").code == "run_or_set"
    for (expert, assignment_id), answers in zip(given(rated_final), ([NO] * 5, ALL, [NO] * 5, ALL), strict=True):
        rate(expert, assignment_id, answers)
    rated_final.run.stage.tick()
    name = f"ratings-{session_of(rated_final)}"
    essays = rated_final.olga.progress(name)["essays"]
    assert [(each["third"], len(each["assignments"]), each["done"]) for each in essays] == [(None, 2, True)] * 2
    agreement = rated_final.olga.ask("GET", f"/v1/markings/{name}/agreement").json
    assert agreement["agreement"]["all"]["essays"] == 0
    assert sum(each["essays"] for each in agreement["speeds"]) == 4


@pytest.fixture
def qualifying(stage: Stage) -> Qualifying:
    return played_once(stage, Qualifying)


class Qualifying:
    """A qualification in which explanations weigh: a session whose first answer explains something, and the others
    nothing."""

    def __init__(self, stage: Stage, weights: Any = WEIGHTS) -> None:
        self.stage = stage
        load_cycle(stage.platform, "tests", CYCLE, essay_cycle([AGREED, DIFFERENT], weights=weights), lambda _: None)
        stage.restart()
        self.olga = Coordinator(stage)
        for name in ("anna", "boris"):
            self.olga.add(name)
        self.program = Program(stage, stage.team("red"))
        self.program.open(files=2)
        self.answer(1)

    explained = 0
    """The number of the file whose answer explains something."""

    def answer(self, number: int) -> None:
        content = self.program.get(f"files/{number}").json["content"]
        item = next(name for name in (AGREED, DIFFERENT) if shipped(name)["text"] == content["text"])
        selections = shipped(item, 1)["selections"] if item == AGREED else []
        assert self.program.answer(number, {**content, "selections": selections}).status == 200
        self.explained = number if item == AGREED else self.explained
        self.stage.advance(1)

    def close(self) -> None:
        """Close the session by the answer to the last file."""
        self.answer(2)
        assert self.program.get().json["state"] == "finished"

    def minute(self) -> None:
        self.stage.score_all()
        self.stage.advance(60)
        self.stage.tick()
        self.stage.score_all()

    def tasks(self) -> list[tuple[Expert, str]]:
        name = f"ratings-{self.program.session_id}"
        (essay,) = self.olga.progress(name)["essays"]
        return [(Expert(self.stage, each["expert_id"]), each["assignment_id"]) for each in essay["assignments"]]


def rate_answer(expert: Expert, assignment_id: str, answers: list[bool]) -> None:
    cards = expert.open(assignment_id).json["content"]["cards"]
    assert expert.save(assignment_id, 0, rated(cards, answers)).json["judged"]["valid"]
    assert expert.hand_in(assignment_id, 1).status == 200


@pytest.mark.clause("platform §5 ratings", "R-App1 M7")
def test_an_explanation_waits_for_ratings_and_is_never_null(qualifying: Qualifying) -> None:
    """Neither score nor report is made of it before, and both are with M7 afterwards, the same for ever."""
    program = qualifying.program
    assert qualifying.olga.assign(session=program.session_id).code == "session_not_over"
    qualifying.close()
    explained = qualifying.explained
    for _ in range(3):
        qualifying.minute()
    assert program.get(f"files/{explained}/score").json == {"status": "rating", "scored": 0, "files": 1}
    assert program.get(f"files/{3 - explained}/score").status == 200, "who explains nothing waits for nobody"
    assert (program.get("report").status, program.get("report").json) == (
        202,
        {"status": "rating", "scored": 1, "files": 2},
    )
    assert qualifying.stage.platform.sessions.unreported_ids() == [program.session_id]
    assert qualifying.stage.audit()["missing"] == ()
    assert qualifying.olga.assign(session=program.session_id).status == 200
    first, second = qualifying.tasks()
    rate_answer(*first, [YES, YES, NO, NO, NO])
    qualifying.minute()
    assert program.get("report").status == 202, "one of two has rated"
    rate_answer(*second, ALL)
    assert [take_in_session_ratings(qualifying.stage.platform, program.session_id) for _ in range(2)] == [True, False]
    qualifying.minute()
    qualifying.minute()
    score = program.get(f"files/{explained}/score")
    assert {pair["metrics"]["M7"] for pair in score.json["pairs"] if pair["x"] == "algorithm"} == {70.0}
    report = program.get("report")
    assert (report.status, report.json["counts"]["answered"]) == (200, 2)
    assert qualifying.stage.platform.sessions.unreported_ids() == []
    qualifying.stage.restart()
    assert program.get("report").text == report.text
    assert qualifying.stage.audit()["differences"] == ()


def test_a_qualifications_answers_without_weight_of_explanations_are_scored_at_once(stage: Stage) -> None:
    made = Qualifying(stage, [1, 2, 1, 1, 1, 1, 0])
    made.close()
    made.minute()
    assert made.program.get("report").status == 200


def test_ratings_of_a_session_that_are_lacking_are_not_taken_in(qualifying: Qualifying) -> None:
    """One of the two experts hands the answer back: somebody else has to rate it, and until then nothing is scored."""
    qualifying.close()
    qualifying.minute()
    assert qualifying.olga.assign(session=qualifying.program.session_id).status == 200
    first, (expert, assignment_id) = qualifying.tasks()
    rate_answer(*first, ALL)
    expert.open(assignment_id)
    assert expert.ask("POST", f"/v1/assignments/{assignment_id}/hand-back", {"reason": "ill"}).status == 200
    qualifying.minute()
    qualifying.minute()
    assert qualifying.program.get("report").json["status"] == "rating"
