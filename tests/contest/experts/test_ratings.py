"""Explanations in a final's answers are rated by experts over HTTP, and M7 is computed from the ratings."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contest.cycle.loading import load_cycle
from contest.refusals import RefusedError
from contest.results import publishing
from markup_core.accuracy import score_record
from markup_core.params import ScoringParams
from tests.experts_final import TEXTS, Played, published, references
from tests.experts_stage import AGREED, CYCLE, DIFFERENT, Coordinator, Expert, essay_cycle, shipped
from tests.stage import Program, Stage
from tests.stage_kept import played_once

WEIGHTS = [1, 2, 1, 1, 1, 1, 2]
YES, NO = True, False
ALL = [YES] * 5


@pytest.fixture
def played(stage: Stage) -> Played:
    return played_once(stage, marked_up)


def marked_up(stage: Stage) -> Played:
    """Play a final in which explanations weigh, and mark up its essays."""
    made = Played(stage, weights=WEIGHTS)
    made.mark_up(AGREED, 1, 2)
    made.mark_up(DIFFERENT, 1, 2, 3)
    return made


def session_of(played: Played, team: str = "red") -> str:
    return played.run.programs[team].session_id


def given(played: Played) -> list[tuple[Expert, str]]:
    """Assign the rating of red's answers; list the experts with their assignment ids."""
    answered = played.olga.assign(session=session_of(played))
    assert answered.status == 200, answered.text
    essays = played.olga.progress(f"ratings-{session_of(played)}")["essays"]
    return [
        (Expert(played.run.stage, each["expert_id"]), each["assignment_id"])
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
def test_platform_5_explanations_are_shown_without_their_author_and_rated_by_five_questions(played: Played) -> None:
    tasks = given(played)
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
    assert not [name for name in ('"red"', session_of(played)) if name in opened.text]
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
        played.run.stage.advance(1)
    assert expert.hand_in(assignment_id, len(wrong)).code == "markup_not_valid"
    assert expert.save(assignment_id, len(wrong), whole).json["judged"]["valid"]
    assert expert.hand_in(assignment_id, len(wrong) + 1).json["assignment"]["state"] == "handed_in"


@pytest.mark.clause("platform §5 ratings", "R-App1 M7", "MS §3 M7")
def test_answers_wait_for_ratings_and_are_scored_by_all(played: Played) -> None:
    stage = played.run.stage
    played.mark()
    stage.score_all()
    stage.settle()
    waiting = [f"{session_of(played)}/{number}" for number in (1, 2)]
    with pytest.raises(RefusedError) as refused:
        publishing.publish(stage.platform, "olga", played.run.run_id)
    assert (refused.value.code, refused.value.details[0]["waiting"]) == ("not_rated_yet", waiting)
    tasks = given(played)
    expected: dict[str, dict[str, list[list[bool]]]] = {}
    answers = [[YES, YES, NO, NO, NO], ALL, [NO] * 5, [YES, NO, NO, NO, NO]]
    for (expert, assignment_id), first in zip(tasks, answers, strict=True):
        item = rate(expert, assignment_id, first, ALL)
        explained = [str(each["id"]) for each in shipped(item, 1)["selections"] if each["explanation"].strip()]
        for place, fragment in enumerate(sorted(explained, key=int)):
            expected.setdefault(item, {}).setdefault(fragment, []).append(ALL if place % 2 else first)
    assert played.olga.progress(f"ratings-{session_of(played)}")["done"] == 2
    with pytest.raises(RefusedError) as refused:
        publishing.publish(stage.platform, "olga", played.run.run_id)
    assert refused.value.code == "not_rated_yet", "until they are taken in"
    played.mark()
    assert [row["team_id"] for row in published(played)] == ["red", "blue"]
    for item, body in references(played, "red").items():
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
def test_platform_5_a_rating_that_arrives_later_scores_again(played: Played) -> None:
    tasks = given(played)
    first = {}
    for expert, assignment_id in tasks:
        item = TEXTS[expert.open(assignment_id).json["content"]["text"]]
        if item not in first:
            first[item] = rate(expert, assignment_id, [NO] * 5)
    played.mark()
    published(played)
    before = references(played, "red")
    publishing.hide(played.run.stage.platform, "olga", played.run.run_id)
    for expert, assignment_id in tasks:
        if expert.work(assignment_id).json["assignment"]["state"] == "opened":
            rate(expert, assignment_id, ALL)
    played.mark()
    published(played)
    after = references(played, "red")
    for item in first:
        told = [
            {pair["metrics"]["M7"] for pair in found[item]["score"]["pairs"] if pair["x"] == "algorithm"}
            for found in (before, after)
        ]
        assert told == [{0.0}, {50.0}], "the mean of both experts"
    assert played.run.stage.audit()["differences"] == ()


def test_ratings_that_ran_out_are_revived_and_still_call_no_third_expert(played: Played) -> None:
    (first, one), (second, other), *_ = given(played)
    for expert, assignment_id in ((first, one), (second, other)):
        cards = expert.open(assignment_id).json["content"]["cards"]
        expert.save(assignment_id, 0, rated(cards, ALL))
    played.run.stage.advance(3700)
    assert played.run.stage.tick()["expired"] == 2
    assert played.olga.decide("extend", first.name, one, seconds=100).json["state"] == "opened"
    assert first.hand_in(one, 1).status == 200
    assert played.run.stage.tick()["considered"] == 0
    assert played.run.stage.platform.experts.due_essays() == []


def test_where_explanations_weigh_nothing_nobody_waits_for_ratings(stage: Stage) -> None:
    made = Played(stage)
    made.mark_up(AGREED, 1, 2)
    made.mark_up(DIFFERENT, 1, 2, 3)
    made.mark()
    assert published(made)[0]["team_id"] == "red"


def test_ratings_are_no_markups_and_answers_without_explanations_are_given_to_nobody(played: Played) -> None:
    blue = played.olga.assign(session=session_of(played, "blue"))
    assert (blue.status, blue.json["essays"], blue.json["given"]) == (200, 0, {})
    assert played.olga.assign(session="1" * 15).code == "no_session_of_a_final"
    assert played.olga.assign(session=session_of(played), set="train").code == "run_or_set"
    for (expert, assignment_id), answers in zip(given(played), ([NO] * 5, ALL, [NO] * 5, ALL), strict=True):
        rate(expert, assignment_id, answers)
    played.run.stage.tick()
    name = f"ratings-{session_of(played)}"
    essays = played.olga.progress(name)["essays"]
    assert [(each["third"], len(each["assignments"]), each["done"]) for each in essays] == [(None, 2, True)] * 2
    agreement = played.olga.ask("GET", f"/v1/markings/{name}/agreement").json
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
    given_out = qualifying.olga.assign(session=program.session_id)
    assert given_out.status == 200, given_out.text
    first, second = qualifying.tasks()
    rate_answer(*first, [YES, YES, NO, NO, NO])
    qualifying.minute()
    assert program.get("report").status == 202, "one of two has rated"
    rate_answer(*second, ALL)
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
    back = expert.ask("POST", f"/v1/assignments/{assignment_id}/hand-back", {"reason": "ill"})
    assert back.status == 200, back.text
    qualifying.minute()
    qualifying.minute()
    assert qualifying.program.get("report").json["status"] == "rating"
