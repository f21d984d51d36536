"""Essays are shared out evenly between competent experts; the coordinator over HTTP: profiles, progress, decisions."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.cycle.loading import load_cycle
from contest.experts import assigning
from contest.experts.rules.assignment import (
    Assignment,
    AssignmentState,
    Draft,
    EssayWork,
    Marking,
    extend,
    hand_back,
    take_away,
)
from contest.experts.rules.sharing_out import Expert as Candidate
from contest.experts.rules.sharing_out import Shared, Want, share_out
from contest.people.rules import Change, Role
from contest.room_ports import Written
from tests.experts_stage import AGREED, CYCLE, DIFFERENT, Coordinator, Desk, Expert, essay_cycle, shipped
from tests.stage import Stage


def expert(
    name: str, subjects: str = "hist", groups: str = "", *, active: bool = True, languages: str = "rus"
) -> Candidate:
    sets = (frozenset(each.split()) for each in (subjects, languages, groups))
    return Candidate(name, f"expert-{name}", *sets, active=active)


def want(item: str, subject: str = "hist", language: str = "rus", **more: object) -> Want:
    return Want(item, language, subject, **more)  # type: ignore[arg-type]


def added(shared: dict[str, tuple[str, ...]]) -> Counter[str]:
    return Counter(name for names in shared.values() for name in names)


def least_squares(wants: Sequence[Want], experts: Sequence[Candidate], loads: dict[str, int]) -> int | None:
    """Find the smallest possible sum of squared loads by trying everything; None where an essay cannot be covered."""
    choices = []
    for each in wants:
        able = [one for one in experts if one.may_mark(each.language, each.subject)]
        pairs = [
            tuple(one.expert_id for one in chosen)
            for chosen in combinations(able, each.experts)
            if not any(one.conflicts_with(other) for one, other in combinations(chosen, 2))
        ]
        if not pairs:
            return None
        choices.append(pairs)
    best = None
    for chosen in product(*choices):
        total = Counter(loads)
        total.update(name for pair in chosen for name in pair)
        squares = sum(total[each.expert_id] ** 2 for each in experts)
        best = squares if best is None else min(best, squares)
    return best


@pytest.mark.clause("R 7.10", "platform §5 assignment")
def test_r_7_10_every_essay_gets_two_competent_experts_without_a_common_conflict_group() -> None:
    dice = random.Random(7)
    subjects = ["rus", "lit", "social", "hist", "eng"]
    experts = [
        expert(
            f"e{number:02d}",
            " ".join(dice.sample(subjects, 3)),
            dice.choice(["", "a", "b", "a b", "c"]),
            languages=dice.choice(["rus", "rus eng", "eng rus"]),
        )
        for number in range(40)
    ]
    wants = [want(f"i{number:03d}", dice.choice(subjects)) for number in range(500)]  # as many as a real final has
    known = {each.expert_id: each for each in experts}
    shared = share_out(wants, experts, {}, 1)
    assert shared.uncovered == ()
    loads = added(dict(shared.experts))
    assert max(loads.values()) - min(loads.values()) <= 1
    for each in wants:
        one, other = (known[name] for name in shared.experts[each.item_id])
        assert one is not other
        assert one.may_mark(each.language, each.subject)
        assert other.may_mark(each.language, each.subject)
        assert not one.groups & other.groups


@given(
    st.lists(st.sampled_from(["a", "b", "a b"]), min_size=2, max_size=5),
    st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from([1, 2])), min_size=1, max_size=5),
    st.lists(st.integers(0, 3), min_size=5, max_size=5),
    st.integers(0, 9),
)
def test_no_sharing_is_more_even(skills: list[str], essays: list[tuple[str, int]], loads: list[int], seed: int) -> None:
    experts = [expert(f"e{number}", each) for number, each in enumerate(skills)]
    before = {each.expert_id: load for each, load in zip(experts, loads, strict=False)}
    wants = [want(f"i{number}", subject, experts=count) for number, (subject, count) in enumerate(essays)]
    best = least_squares(wants, experts, before)
    shared = share_out(wants, experts, before, seed)
    assert bool(shared.uncovered) == (best is None)
    if best is not None:
        after = added(dict(shared.experts)) + Counter(before)
        assert sum(after[each.expert_id] ** 2 for each in experts) == best


@given(st.lists(st.sampled_from(["", "x", "y", "x y", "z"]), min_size=2, max_size=6), st.integers(1, 6))
def test_an_essay_is_uncovered_exactly_when_no_pair_may_work_together(groups: list[str], essays: int) -> None:
    experts = [expert(f"e{number}", groups=each) for number, each in enumerate(groups)]
    wants = [want(f"i{number}") for number in range(essays)]
    shared = share_out(wants, experts, {}, 0)
    assert bool(shared.uncovered) == (least_squares(wants[:1], experts, {}) is None)
    known = {each.expert_id: each for each in experts}
    assert all(not known[a].conflicts_with(known[b]) for a, b in shared.experts.values())


def test_partners_and_pairs_vary_with_the_seed_and_not_with_the_order_of_the_arguments() -> None:
    experts = [expert(f"e{number}") for number in range(8)]
    wants = [want(f"i{number}") for number in range(40)]
    first = share_out(wants, experts, {}, 1)
    assert share_out(wants[::-1], experts[::-1], {}, 1) == first
    assert share_out(wants, experts, {}, 2).experts != first.experts
    experts = [expert(f"e{number}") for number in range(5)]
    shared = share_out([want(f"i{number:03d}") for number in range(100)], experts, {}, 1)
    assert set(shared.experts.values()) == set(combinations([each.expert_id for each in experts], 2))


def test_loads_from_before_are_made_up_for_and_handovers_even_out_what_the_first_sharing_cannot() -> None:
    experts = [expert(f"e{number}") for number in range(4)]
    shared = share_out([want(f"i{number}") for number in range(10)], experts, {"e0": 8}, 1)
    after = added(dict(shared.experts))
    assert after["e0"] == 0
    assert sorted(after.values()) == [6, 7, 7]
    experts = [expert("e0", "a b"), expert("e1", "a"), expert("e2", "b c"), expert("e3", "c d"), expert("e4", "d")]
    wants = [want(f"{subject}{number}", subject, experts=1) for number in range(6) for subject in "abcd"]
    after = added(dict(share_out(wants, experts, {}, 1).experts))
    assert max(after.values()) - min(after.values()) <= 1


@pytest.mark.parametrize(
    ("experts", "code"),
    [
        ([], "no_expert"),
        ([expert("a", "lit"), expert("b", "rus")], "no_expert"),
        ([expert("a"), expert("b", active=False)], "one_expert"),
        ([expert("a"), expert("b", languages="eng")], "one_expert"),
        ([expert("a", groups="x"), expert("b", groups="x y"), expert("c", groups="x")], "conflict"),
    ],
    ids=["nobody", "other-subjects", "inactive", "other-language", "conflict"],
)
@pytest.mark.clause("platform §5 assignment")
def test_platform_5_an_essay_that_cannot_be_covered_is_named_with_the_reason(
    experts: list[Candidate], code: str
) -> None:
    more = [expert("x1", "social"), expert("x2", "social")]
    shared = share_out([want("i1"), want("i2", "social")], [*experts, *more], {}, 1)
    ((item, found, said),) = [(each.item_id, each.code, each.message) for each in shared.uncovered]
    assert (item, found) == ("i1", code)
    assert "hist" in said.en
    assert "hist" in said.ru
    assert shared.experts == {"i2": ("x1", "x2")}


def test_who_has_had_an_essay_or_conflicts_with_those_who_have_it_is_not_chosen() -> None:
    experts = [expert("a", groups="x"), expert("b"), expert("c", groups="x"), expert("d"), expert("e")]
    third = want("i1", experts=1, beside=frozenset({"a", "b"}), barred=frozenset({"d"}))
    assert share_out([third], experts, {}, 1).experts == {"i1": ("e",)}
    without_e = [each for each in experts if each.expert_id != "e"]
    (uncovered,) = share_out([third], without_e, {}, 1).uncovered
    assert uncovered.code == "no_other_expert"


GIVEN = Assignment("a1", "m", "essay", "anna", "rus", "hist", is_third=False, limit=3_600_000, assigned_at=0)
DECISIONS: dict[str, Callable[[str], Assignment]] = {
    "hand back": lambda why: hand_back(GIVEN, why, 10),
    "take away": lambda why: take_away(GIVEN, AssignmentState.RELEASED, why, 10),
    "extend": lambda why: extend(GIVEN, 1_000, why, 10),
}


@pytest.mark.parametrize("decide", DECISIONS.values(), ids=DECISIONS)
def test_a_decisions_reason_is_kept_without_blanks_around_it(decide: Callable[[str], Assignment]) -> None:
    assert decide(" a cold \n").reason == "a cold"


HISTORY = ["hist-01", "hist-02", "hist-03", "hist-04"]
HOUR = 3600


@pytest.fixture
def olga(stage: Stage) -> Coordinator:
    """Return a coordinator before any essay is assigned."""
    load_cycle(stage.platform, "tests", CYCLE, essay_cycle([*HISTORY, "lit-01"]), lambda _: None)
    return Coordinator(stage)


def changes(stage: Stage, what: str) -> list[Any]:
    return [each for each in stage.platform.audit_log.on("2026-09-21") if each.what == what]


@pytest.mark.clause("platform §5 assignment")
def test_platform_5_an_experts_profile_is_kept_changed_and_logged(stage: Stage, olga: Coordinator) -> None:
    added = olga.add("anna", ("hist", "lit"), ("school-1",))
    assert added.status == 200
    pseudonym = added.json["pseudonym"]
    assert "anna" not in pseudonym
    assert olga.add("anna", ("hist",), active=False).json == {
        "expert_id": "anna",
        "pseudonym": pseudonym,
        "subjects": ["hist"],
        "languages": ["eng", "rus"],
        "groups": [],
        "active": False,
    }
    olga.add("anna", ("hist",), active=False)
    assert [each["expert_id"] for each in olga.ask("GET", "/v1/experts").json["experts"]] == ["anna"]
    (first,) = changes(stage, "expert added")
    (second,) = changes(stage, "expert changed")
    assert (first.who, first.subject, first.before) == ("person:olga", "anna", None)
    assert second.before == first.after
    assert (second.after["subjects"], second.after["active"]) == (["hist"], False)


def test_profiles_and_orders_name_what_the_cycle_has(olga: Coordinator) -> None:
    orders: list[tuple[dict[str, str], str]]
    orders = [
        ({"set": "nothing"}, "unknown_set"),
        ({}, "run_or_set"),
        ({"set": "train", "run": "r" * 20}, "run_or_set"),
    ]
    assert [olga.ask("POST", "/v1/markings", order).code for order, _ in orders] == [code for _, code in orders]
    refused = olga.add("anna", ("hist", "physics"))
    assert refused.refusal == (409, "unknown_competence")
    assert refused.json["error"]["details"][0]["unknown"] == ["physics"]
    for name in ("a%23b", ".a", "a" * 101):
        assert olga.ask("PUT", f"/v1/experts/{name}", {"subjects": [], "languages": []}).code == "invalid_request"


@pytest.mark.clause("R 7.10", "platform §5 assignment")
def test_every_essay_goes_to_two_experts_evenly(stage: Stage, olga: Coordinator) -> None:
    for name in "abcd":
        olga.add(name, ("hist", "lit"))
    preview = olga.assign(set="train", preview=True).json
    assert preview["preview"]
    assert olga.ask("GET", "/v1/markings").json == {"markings": []}
    seeds = (0, stage.platform.catalogue.parameters(1).bootstrap_seed)
    drawn = [olga.assign(set="train", preview=True, seed=seed).json["given"] for seed in seeds]
    assert (drawn[0] != drawn[1], drawn[1]) == (True, preview["given"]), "without a seed the cycle's"
    done = olga.assign(set="train").json
    assert {**done, "preview": True, "marking": None} == {**preview, "marking": None}
    assert done["essays"] == 5
    assert all(len(set(names)) == 2 for names in done["given"].values())
    assert sorted(each["after"] - each["before"] for each in done["loads"]) == [2, 2, 3, 3]
    stored = {
        each["item_id"]: sorted(given["expert_id"] for given in each["assignments"])
        for each in olga.progress()["essays"]
    }
    assert stored == {item: sorted(names) for item, names in done["given"].items()}
    again = olga.assign(set="train").json
    assert (again["essays"], again["given"]) == (0, {})
    assert Counter(name for names in stored.values() for name in names) == {
        each["expert_id"]: each["after"] for each in again["loads"]
    }
    (begun,) = changes(stage, "marking begun")
    (given,) = changes(stage, "essays assigned")
    assert (begun.who, given.who, given.after) == ("person:olga", "person:olga", done["given"])


def test_what_was_begun_last_stands_first_among_the_work_given_out(stage: Stage, olga: Coordinator) -> None:
    for name, at in (("b", 3_000), ("a", 1_000), ("d", 2_000), ("c", 2_000)):
        made = Marking(name, CYCLE, "essay", "train", None, 1, at, 5)
        stage.platform.experts.add_marking(made, Change(at, "person:olga", "marking begun", name, None, {}))
    listed = olga.ask("GET", "/v1/markings").json["markings"]
    assert [each["marking_id"] for each in listed] == ["b", "c", "d", "a"]


@pytest.mark.clause("platform §5 assignment")
def test_platform_5_what_cannot_be_covered_is_refused_by_name_and_nothing_is_given(olga: Coordinator) -> None:
    olga.add("anna", ("hist", "lit"))
    olga.add("boris", ("hist",))
    preview = olga.assign(set="train", preview=True)
    assert [(each["item_id"], each["code"]) for each in preview.json["uncovered"]] == [("lit-01", "one_expert")]
    refused = olga.assign(set="train")
    assert refused.refusal == (409, "essays_not_covered")
    (detail,) = refused.json["error"]["details"]
    assert (detail["item_id"], detail["code"]) == ("lit-01", "one_expert")
    assert olga.ask("GET", "/v1/markings").json == {"markings": []}
    assert Expert(olga.stage, "anna").own() == []


def test_a_crash_leaves_whole_essays(monkeypatch: pytest.MonkeyPatch, stage: Stage, olga: Coordinator) -> None:
    for name in "ab":
        olga.add(name, ("hist", "lit"))
    monkeypatch.setattr(assigning, "_ITEMS", 8)
    once_more = [EssayWork("m", item, "rus", "hist", "c", version=1) for item in HISTORY]
    portions = assigning._portions(once_more, Shared(dict.fromkeys(HISTORY, ("a",)), ()))
    assert [len(portion) for portion in portions] == [2, 2], "an assignment, the essay and its pointer each"
    really, written = assigning._give, []

    def dying(*args: Any) -> None:
        if len(written) == 1:
            raise RuntimeError
        written.append(really(*args))

    monkeypatch.setattr(assigning, "_give", dying)
    assert olga.assign(set="train").status == 500
    assert [len(each["assignments"]) for each in olga.progress()["essays"]] == [2, 2]
    monkeypatch.setattr(assigning, "_give", really)
    assert olga.assign(set="train").json["essays"] == 3
    assert [len(each["assignments"]) for each in olga.progress()["essays"]] == [2] * 5


@pytest.mark.clause("platform §5 embargo", "R 7.10")
def test_platform_5_nobody_marks_up_a_finals_essays_before_its_run_is_over(stage: Stage) -> None:
    load_cycle(stage.platform, "tests", CYCLE, essay_cycle(["hist-01"], ["hist-02"]), lambda _: None)
    olga = Coordinator(stage)
    for name in ("anna", "boris"):
        olga.add(name)
    assert olga.assign(set="final").code == "set_of_a_final"
    run = stage.plan()
    assert olga.assign(run=run.run_id).refusal == (409, "run_not_over")
    assert olga.assign(run="r" * 20).code == "unknown_run"


@pytest.mark.clause("platform §5 progress")
def test_platform_5_an_essay_is_late_when_somebodys_time_ran_out_and_until_somebody_has_it(stage: Stage) -> None:
    desk = Desk(stage, (AGREED,), "anna boris clara")

    def told() -> tuple[Any, ...]:
        (subject,) = desk.olga.progress()["subjects"]
        counts = tuple(subject[name] for name in ("essays", "done", "open", "late", "lacking"))
        return desk.olga.essay(AGREED)["late"], *counts

    (one, task), _ = desk.given(AGREED)
    one.open(task)
    assert told() == (False, 1, 0, 1, 0, 0)
    desk.stage.advance(HOUR + 1)
    assert told() == (True, 1, 0, 0, 1, 1)
    assert desk.olga.assign(set="train").status == 200
    assert told() == (False, 1, 0, 1, 0, 0)
    for expert, assignment_id in desk.given(AGREED)[1:]:
        expert.mark_up(assignment_id, shipped(AGREED, 1))
    assert told() == (False, 1, 1, 0, 0, 0)


@pytest.mark.clause("platform §5 time")
def test_platform_5_an_extension_has_a_reason_lengthens_the_time_and_revives_what_has_run_out(desk: Desk) -> None:
    (anna, task), _ = desk.given(AGREED)
    for said in ({"seconds": 0}, {"seconds": 10, "reason": ""}, {"seconds": 7 * 86_400 + 1}):
        assert desk.olga.decide("extend", anna.name, task, **said).code == "invalid_request"
    assert desk.olga.decide("extend", anna.name, task, seconds=10, reason=" ").code == "invalid_request"
    assert desk.olga.decide("extend", "somebody", task, seconds=10).code == "unknown_assignment"
    (anna, task), _ = sorted(desk.given(AGREED), key=lambda each: each[0].name)
    longer = desk.olga.decide("extend", "anna", task, seconds=100)
    assert (longer.status, longer.json["limit_s"], longer.json["closes_at"]) == (200, HOUR + 100, None)
    anna.draft(task, shipped(AGREED, 1))
    desk.stage.advance(HOUR + 100)
    assert anna.work(task).json["assignment"]["time_left_s"] == 0
    assert desk.olga.decide("extend", "anna", task, seconds=50).json["state"] == "opened"
    assert anna.work(task).json["assignment"]["time_left_s"] == 50
    desk.stage.advance(200)
    desk.stage.tick()
    assert anna.work(task).json["assignment"]["state"] == "expired"
    revived = desk.olga.decide("extend", "anna", task, seconds=70).json
    assert (revived["state"], revived["markup"]) == ("opened", None)
    assert anna.work(task).json["assignment"]["time_left_s"] == 70
    assert anna.hand_in(task, 1).status == 200
    assert desk.olga.decide("extend", "anna", task, seconds=70).refusal == (409, "assignment_ended")
    assert len(changes(desk.stage, "assignment extended")) == 3


@pytest.mark.clause("platform §5 assignment")
def test_platform_5_an_essay_is_given_to_another_expert_who_may_have_it(stage: Stage) -> None:
    desk = Desk(stage)
    (anna, hers), _ = sorted(desk.given(AGREED), key=lambda each: each[0].name)
    anna.draft(hers, shipped(AGREED, 1))
    for to, code in ((None, "no_other_expert"), ("boris", "no_other_expert"), ("anna", "no_other_expert")):
        refused = desk.olga.decide("reassign", "anna", hers, to=to)
        assert refused.code == "essays_not_covered"
        assert refused.json["error"]["details"][0]["code"] == code
    assert desk.olga.decide("reassign", "anna", hers, to="nobody").code == "unknown_expert"
    assert anna.work(hers).json["assignment"]["state"] == "opened", "a refusal changes nothing"
    desk.olga.add("clara", ("lit",))
    desk.olga.add("dora", groups=("x",))
    desk.olga.add("boris", groups=("x",))
    assert desk.olga.decide("reassign", "anna", hers, to="dora").code == "essays_not_covered", "a conflict group"
    assert desk.olga.decide("reassign", "anna", hers, to="clara").code == "essays_not_covered", "another subject"
    desk.olga.add("emil")
    given = desk.olga.decide("reassign", "anna", hers)
    assert (given.status, given.json["expert_id"], given.json["state"]) == (200, "emil", "assigned")
    assert anna.work(hers).json["assignment"]["state"] == "reassigned"
    assert anna.save(hers, 1, shipped(AGREED, 1)).code == "assignment_ended"
    (change,) = changes(stage, "assignment reassigned")
    assert (change.before["expert_id"], change.after["expert_id"], change.after["ended"]["state"]) == (
        "anna",
        "emil",
        "reassigned",
    )
    assert desk.olga.decide("release", "anna", hers).json["state"] == "reassigned", "the essay is free already"
    emil = Expert(stage, "emil")
    emil.mark_up(given.json["assignment_id"], shipped(AGREED, 1))
    assert desk.olga.decide("reassign", "emil", given.json["assignment_id"]).code == "assignment_ended"


def test_an_essay_goes_to_the_expert_who_is_named(desk: Desk) -> None:
    for name in ("clara", "dora", "emil"):
        desk.olga.add(name)
    (holder, assignment_id), _ = [(expert.name, name) for expert, name in desk.given(AGREED)]
    for to in ("dora", "emil", "clara"):
        answer = desk.olga.decide("reassign", holder, assignment_id, to=to).json
        assert answer["expert_id"] == to
        holder, assignment_id = to, answer["assignment_id"]


def test_what_was_handed_back_or_released_is_given_out_again_to_somebody_else(stage: Stage) -> None:
    desk = Desk(stage)
    (anna, hers), (_, his) = sorted(desk.given(AGREED), key=lambda each: each[0].name)
    anna.ask("POST", f"/v1/assignments/{hers}/hand-back", {"reason": "my pupil"})
    assert desk.olga.decide("release", "boris", his).json["state"] == "released"
    assert desk.olga.essay(AGREED)["lacking"] == 2
    desk.olga.add("clara")
    refused = desk.olga.assign(set="train")
    assert refused.json["error"]["details"][0]["code"] == "no_other_expert"
    desk.olga.add("dora")
    assert desk.olga.assign(set="train").json["given"] == {AGREED: ["clara", "dora"]}
    assert desk.olga.essay(AGREED)["lacking"] == 0
    assert desk.olga.decide("reassign", "anna", hers).code == "nobody_lacking"
    assert Expert(stage, "anna").own()[0]["reason"] == "my pupil"


@pytest.mark.clause("platform §5 progress")
def test_platform_5_progress_tells_of_every_essay_and_expert(stage: Stage) -> None:
    desk = Desk(stage, (AGREED, DIFFERENT), "anna boris clara")
    assert (desk.olga.progress()["done"], desk.olga.progress()["thirds"]) == (0, 0)
    desk.mark_up(AGREED)
    (first, task), _ = desk.given(DIFFERENT)
    first.open(task)
    assert desk.olga.ask("GET", "/v1/markings/nothing").code == "unknown_marking"
    found = desk.olga.progress()
    assert (found["done"], found["lacking"], found["thirds"]) == (1, 0, 0)
    essays = {each["item_id"]: each for each in found["essays"]}
    assert essays[AGREED]["third"] == {
        "needed": False,
        "decided_at": essays[AGREED]["third"]["decided_at"],
        "reasons": [],
    }
    assert essays[DIFFERENT]["third"] is None
    states = {each["expert_id"]: each["states"] for each in found["experts"]}
    assert sum(each.get("handed_in", 0) for each in states.values()) == 2
    assert states[first.name]["opened"] == 1


def test_every_change_of_a_person_is_in_the_log_with_its_state_before_and_after(desk: Desk) -> None:
    (anna, hers), (boris, his) = desk.given(AGREED)
    anna.mark_up(hers, shipped(AGREED, 1))
    boris.ask("POST", f"/v1/assignments/{his}/hand-back", {"reason": "x"})
    log = [each for each in desk.stage.platform.audit_log.on("2026-09-21") if each.what.startswith("assignment")]
    told = [(each.what, each.who, each.subject, each.before["state"], each.after["state"]) for each in log]
    assert sorted(told) == sorted(
        [
            ("assignment opened", f"person:{anna.name}", hers, "assigned", "opened"),
            ("assignment handed in", f"person:{anna.name}", hers, "opened", "handed_in"),
            ("assignment handed back", f"person:{boris.name}", his, "assigned", "handed_back"),
        ]
    )


def test_who_has_done_much_of_a_marking_gets_less_of_what_is_still_to_be_given(stage: Stage) -> None:
    desk = Desk(stage, HISTORY, "anna boris")
    for item in HISTORY[:3]:
        desk.mark_up(item, shipped(item, 1), shipped(item, 1))
    for _, assignment_id in desk.given(HISTORY[3])[:1]:
        name = desk.given(HISTORY[3])[0][0].name
        desk.olga.add("clara")
        desk.olga.add("dora", active=False)
        assert desk.olga.decide("reassign", name, assignment_id).json["expert_id"] == "clara"
    draft = Draft(1, "a" * 64, 1, is_valid=True)
    elsewhere = replace(GIVEN, marking_id="other", expert_id="dora", version=1, latest=draft, latest_valid=draft)
    done = replace(elsewhere, state=AssignmentState.HANDED_IN)
    calibrates = replace(elsewhere, assignment_id="a2", is_calibration=True)
    stage.platform.experts.write(Written((done, calibrates)), None)
    loads = {each["expert_id"]: each["before"] for each in desk.olga.assign(set="train", preview=True).json["loads"]}
    assert loads == {name: 3, "clara": 1, "dora": 0, ({"anna", "boris"} - {name}).pop(): 4}


@pytest.mark.clause("platform §5 assignment")
def test_nobody_is_given_essays_who_cannot_sign_in_as_an_expert(stage: Stage) -> None:
    desk = Desk(stage)
    said = {"subjects": ["hist"], "languages": ["rus"], "groups": []}
    assert desk.olga.ask("PUT", "/v1/experts/nobody", said).refusal == (409, "no_experts_account")
    stage.person(Role.JUDGE, "jan")
    assert desk.olga.ask("PUT", "/v1/experts/jan", said).code == "no_experts_account"
    assert desk.olga.ask("POST", "/v1/staff/anna/dismiss", {"reason": "gone"}).status == 200
    assert desk.olga.ask("PUT", "/v1/experts/anna", said).code == "no_experts_account"
    assert desk.olga.ask("PUT", "/v1/experts/anna", {**said, "active": False}).status == 200
