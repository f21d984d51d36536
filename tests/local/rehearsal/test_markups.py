"""The experts' markups in a rehearsal: each has marks of its own, no answer has any, and the checker finds them."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from local.rehearsal.play import prying
from local.rehearsal.play.cycles import Cycle
from local.rehearsal.play.material import Material, from_known
from local.rehearsal.play.teams import Team
from local.rehearsal.play.wire import marks_in
from local.rehearsal.proof.checker import check
from markup_core.reading.validation import load
from tests.local.rehearsal.story import Pen

Json = Any


def test_every_expert_of_every_essay_has_marks_that_say_whose_they_are(tmp_path: Path) -> None:
    material = Material(Cycle.demonstrated("essay"), 2)
    material.write(tmp_path / "cycle", "demo", {})
    written = {path.name: marks_in(path.read_text("utf-8")) for path in (tmp_path / "cycle").glob("*/*_exp??.json")}
    assert written["final-0002_exp01.json"] == ("final-0002-1",)
    assert all(len(found) == 1 for found in written.values())
    assert len(set(written.values())) == len(written)
    own = [marks_in(json.dumps(markup)) for _, experts in material.own() for markup in experts]
    assert sorted(own) == sorted(written.values())


def test_no_answer_and_no_essay_has_a_mark() -> None:
    material = Material(Cycle.demonstrated("essay"), 2)
    answers = [material.answer(each.essay, 0.9, variant) for each in material.essays() for variant in (0, 1)]
    assert marks_in(json.dumps(answers)) == ()
    assert marks_in(json.dumps([item for item, _ in material.own()])) == ()


def test_teams_look_at_some_of_their_own_files_before_and_after_the_publication() -> None:
    teams = [Team(index, f"team-{index}", "token", None) for index in range(2)]  # type: ignore[arg-type]  # unused
    early = [
        (team.index, ask.number, ask.path.rpartition("/")[2])
        for team, ask in prying.own_results(teams, 8, prying.OWN_EARLY)
    ]
    assert [each for each in early if each[0] == 0] == [
        (0, number, what) for number in (1, 4, 7) for what in ("comparison", "score")
    ]
    assert {number for index, number, _ in early if index == 1} == {2, 5, 8}
    shown = list(prying.own_results(teams, 2, prying.OWN_SHOWN))
    assert [(ask.number, ask.path.rpartition("/")[2]) for _, ask in shown[:2]] == [(1, "comparison"), (2, "comparison")]


def red(pen: Pen) -> dict[str, list[str]]:
    return {each.name: each.faults for each in check(pen.story()) if not each.passed}


def shown(pen: Pen, *marks: str, status: int = 200) -> int:
    """Ann looks at the comparison of her first file after the publication; the call's number."""
    path = "/v1/sessions/1/files/1/comparison"
    n = pen.call("ann", prying.OWN_SHOWN, 1, 200_000, status, path=path)
    pen.find("response", n=n)["marks"] = list(marks)
    return n


def looked(pen: Pen, status: int) -> int:
    n = pen.call("ann", prying.OWN_EARLY, 1, 150_000, status, path="/v1/sessions/1/files/1/score")
    pen.answer_line("published_at")["body"] = n
    return n


def experts_of(pen: Pen, number: int) -> list[str]:
    own = pen.all("own")[number - 1]
    return [f"{own['item']['meta']['id']}-{expert}" for expert in range(1, len(own["experts"]) + 1)]


def test_who_is_told_nothing_before_and_the_right_markups_afterwards_was_treated_rightly(pen: Pen) -> None:
    looked(pen, 403)
    shown(pen, *experts_of(pen, 1))
    assert red(pen) == {}


def test_a_mark_of_the_final_before_the_publication_is_found_in_any_response(pen: Pen) -> None:
    line = pen.all("response")[0]
    line["marks"] = ["final-0001-1", "train-0001-1"]
    (fault,) = red(pen)["markups_kept"]
    assert fault.endswith("tells of the markups final-0001-1"), "those of the training set everybody may see"


def test_a_score_before_the_publication_is_found(pen: Pen) -> None:
    n = looked(pen, 200)
    shown(pen, *experts_of(pen, 1))
    said = f"ann, call {n}: /v1/sessions/1/files/1/score is answered 200 before the publication"
    assert red(pen) == {"markups_kept": [said]}


@pytest.mark.parametrize("status", [403, 404])
def test_when_the_results_are_out_a_team_has_to_be_shown_its_own(pen: Pen, status: int) -> None:
    looked(pen, 403)
    shown(pen, status=status)
    nobody, owed = red(pen)["markups_kept"]
    assert nobody == "nobody was shown its own comparison after the publication"
    assert owed.endswith(f": /v1/sessions/1/files/1/comparison is answered {status} after the publication")


def test_where_every_look_fails_or_none_was_made_nobody_was_shown_anything(pen: Pen) -> None:
    looked(pen, 403)
    said = {"markups_kept": ["nobody was shown its own comparison after the publication"]}
    assert red(pen) == said
    shown(pen, status=500)
    assert red(pen) == said


def test_a_file_that_a_team_has_not_answered_is_not_owed_to_it(pen: Pen) -> None:
    looked(pen, 403)
    path = "/v1/sessions/1/files/9/comparison"
    pen.call("ann", prying.OWN_SHOWN, 9, 200_000, 404, path=path)
    assert red(pen) == {}


def test_another_files_experts_beside_an_answer_are_found(pen: Pen) -> None:
    looked(pen, 403)
    shown(pen, "final-0009-1")
    (fault,) = red(pen)["markups_kept"]
    assert "file 1 is shown with the markups ['final-0009-1'], not" in fault


def test_a_texts_essay_is_told_from_one_that_begins_as_it_does_whatever_its_set() -> None:
    """Of a final of forty files and the sets around it the demonstration has too few essays: the last of the test set
    are the final's first with another last line."""
    material = Material(Cycle.demonstrated("essay"), 40, 40)
    texts = [str(essay["text"]) for essay, _ in material.own()]
    assert any(other != text and other.startswith(text) for text in texts[:48] for other in texts[48:])
    found = [material.texts_in(json.dumps({"text": text}, ensure_ascii=False)) for text in texts]
    assert found == [(number,) for number in range(1, 49)] + [()] * (len(texts) - 48)
    longer = next(other for other in texts[48:] if other.startswith(texts[0]))
    assert material.texts_in(json.dumps([longer, texts[0]])) == (1,)


def test_of_whichever_files_are_drawn_two_experts_may_differ_so_much_that_a_third_one_is_called() -> None:
    """Of four of the demonstration's essays nobody can: with few points there is little to differ by."""
    essays = Material(Cycle.demonstrated("essay"), 120).essays()
    known = [each.experts[0] for each in essays]
    assert all(from_known(each) for each in known)
    assert all(len(from_known(each)) < len(each["selections"]) for each in known)
    agreeing = {**known[0], "selections": known[0]["selections"][:1]}
    assert from_known(agreeing) == ()


def test_a_strange_text_is_answered_and_left_to_the_checker() -> None:
    """A platform that alters a text must not keep a rehearsal from its end."""
    material = Material(Cycle.demonstrated("essay"), 2)
    essay = material.essays()[0].essay
    strange = {**essay, "text": f"{essay['text']} "}
    for answered in (material.answer(strange, 1.0), material.another(strange), material.another(essay)):
        assert answered["selections"]
    assert material.answer(strange, 1.0)["text"] == strange["text"]
    assert material.another(essay)["text"] != essay["text"]
    assert material.experts(strange["text"])[0]["selections"], "an expert goes on, too"
    assert material.experts(essay["text"])[0]["selections"] == list(material.answer(essay, 1.0)["selections"])


def attacked(pen: Pen, what: str, heard: str = "", told: Json = None, **more: Any) -> None:
    """Let the attacker ask for a session; ``sitting``, ``taken`` and ``sent`` are its view of it."""
    means = {name: more.pop(name) for name in ("sitting", "taken", "sent", "opened", "texts") if name in more}
    said = {"told": told or {}, "heard": heard}
    number = pen.call("attacker", f"attack_{what}", 1, 0, more.pop("status", 200), said=said, **more)
    pen.find("request", n=number)["means"] = means


def told_of(pen: Pen, *, measured: bool = True) -> list[str]:
    places = [[100 + 37 * place, 113 + 41 * place] for place in range(30)]
    pen.add("answer", of="attacked", body={"places": places, "hashes": ["a" * 64], "measured": measured})
    attacked(pen, "frames", '42/pku,["session-close",{}]')
    return red(pen).get("references_hidden", [])


def test_places_of_references_are_told_from_chance_by_decoys(pen: Pen) -> None:
    leak = json.dumps([{"start": 100 + 37 * place, "end": 113 + 41 * place} for place in range(8)])
    twin = pen.copy()
    attacked(twin, "answer_sent", sent=json.loads(leak))
    attacked(twin, "report", leak)
    assert told_of(twin) == [], "what the attacker has sent itself is told by nobody"
    attacked(pen, "report", leak)
    (fault,) = told_of(pen)
    assert fault.startswith("8 places of references of 30 are told")


def test_the_attackers_own_answer_is_no_leak_in_the_order_in_which_it_is_stored(pen: Pen) -> None:
    """The start of one fragment stands beside the next one's end there, and both are borders of words."""
    own = [{"start": 100 + 37 * place, "end": 113 + 41 * (place - 1)} for place in range(1, 20)]
    twin = pen.copy()
    attacked(twin, "answer", json.dumps(own, sort_keys=True))
    (fault,) = told_of(twin)
    assert "places of references of 30 are told" in fault
    attacked(pen, "answer_sent", sent=own)
    attacked(pen, "answer", json.dumps(own, sort_keys=True))
    assert told_of(pen) == []


def test_numbers_that_meet_decoys_as_often_are_chance(pen: Pen) -> None:
    attacked(pen, "report", " ".join(f"{first} {first + by}" for first in range(100, 800) for by in range(13, 60)))
    assert told_of(pen) == []


def test_a_hash_a_mark_and_a_finer_measure_are_each_a_leak(pen: Pen) -> None:
    attacked(pen, "look", hashes=["a" * 64])
    attacked(pen, "look", marks=["test-0001-1"])
    attacked(pen, "score", told={"algorithm_accuracy": 14.5, "metrics": {"M1": 3.0}})
    attacked(pen, "score", told={"algorithm_accuracy": 14.0, "metrics": {"M1": None}, "pairs": []})
    found = " ".join(told_of(pen))
    assert [each in found for each in ("hash of a reference", "test-0001-1", "14.5", "tells pairs")] == [True] * 4


@pytest.mark.parametrize(
    ("answers", "differing", "is_red"), [(12, 1, True), (12, 9, True), (12, 10, False), (9, 9, True), (12, 0, False)]
)
def test_totals_that_are_told_are_of_ten_answers_that_differ(
    pen: Pen, answers: int, differing: int, is_red: bool
) -> None:
    whole = {str(place): [0] for place in range(12)}
    other = {str(place): [int(place < differing)] for place in range(answers)}
    for sitting, taken in (("whole", whole), ("other", other)):
        attacked(pen, "report", told={"result": {"f": 0.5}}, sitting=sitting, taken=taken)
    assert bool(told_of(pen, measured=False)) is is_red


@pytest.mark.parametrize(("views", "is_red"), [((1, 12), True), ((0, 12), False), ((11, 12), False), ((12, 9), True)])
def test_of_totals_that_are_told_every_view_takes_ten_answers_or_none(
    pen: Pen, views: tuple[int, int], is_red: bool
) -> None:
    taken = {str(place): [place if place < number else None for number in views] for place in range(12)}
    attacked(pen, "report", told={"result": {"f": 0.5}}, sitting="whole", taken=taken)
    assert bool(told_of(pen, measured=False)) is is_red


def test_answers_that_are_written_otherwise_hide_no_single_one_that_differs(pen: Pen) -> None:
    for sitting, other in (("every", 0), ("rewritten", 1)):
        taken = {str(place): [int(place < 1) * other, f"{place}, written {other}"] for place in range(12)}
        attacked(pen, "report", told={"result": {"f": 0.5}}, sitting=sitting, taken=taken)
    (fault,) = told_of(pen, measured=False)
    assert "beside those of ['every']" in fault


def test_totals_that_are_due_and_not_told_prove_nothing(pen: Pen) -> None:
    attacked(pen, "report", told={"result": None}, sitting="whole", taken={str(place): [0] for place in range(12)})
    (fault,) = told_of(pen, measured=False)
    assert "no totals of 12 answers" in fault


def of_the_selection(pen: Pen, result: Json, heard: str = '42/baseline,["session_close"]', **more: Any) -> list[str]:
    """List the findings where this result is reported of a session of one epicrisis."""
    body = {"places": [], "hashes": [], "measured": False, "passes": True}
    pen.add("answer", of="attacked", body=body)
    attacked(pen, "report", told={"result": result}, sitting="single 0", taken={"0": [[]]})
    attacked(pen, "frames", heard, sitting="single 0", **more)
    return red(pen).get("references_hidden", [])


WRONG = {"stage": "selection", "files": 1, "answered": 1, "voided": 0, "right": 0, "passed": False}


@pytest.mark.clause("TS T10")
@pytest.mark.parametrize(
    ("result", "said"),
    [
        (WRONG, None),
        ({**WRONG, "right": 1, "passed": True}, "a wrong answer has the result"),
        ({**WRONG, "code": "A15"}, "code is told of one item"),
        ({}, "a wrong answer has the result"),
    ],
)
def test_of_a_session_of_one_epicrisis_it_is_told_that_it_was_not_passed(pen: Pen, result: Json, said: str) -> None:
    found = of_the_selection(pen, result)
    assert [said in fault for fault in found] == ([True] if said else [])


@pytest.mark.clause("TS T10")
def test_a_code_that_stands_in_references_alone_is_found_in_answers_and_frames(pen: Pen) -> None:
    frame = '42/baseline,["session_send_next_file",{"hint":[{"code":"Q07"}]}]'
    assert marks_in(frame) == ("Q07",)
    assert marks_in("Q10 c2Q07 /Q07= Q070 AQ07 Q07-8") == ()
    (fault,) = of_the_selection(pen, WRONG, frame, marks=list(marks_in(frame)))
    assert "tells of the references Q07" in fault


def test_who_hears_nothing_on_the_event_channel_has_searched_nothing(pen: Pen) -> None:
    (fault,) = of_the_selection(pen, WRONG, "")
    assert fault.endswith("the event channel said nothing")


@pytest.mark.clause("TS T10")
@pytest.mark.parametrize(
    ("pushes", "texts", "said"),
    [
        (("", "7", "", "8"), (0, 1, 0, 1), None),
        (("7", "", "", "8"), (0, 1, 0, 1), "1 files were pushed of 0 open ones"),
        (("", "7", "8", ""), (0, 1, 0, 1), "2 files were pushed of 1 open ones"),
        (("", "7", "", ""), (0, 1, 0, 0), "1 files were pushed of 2 open ones"),
        (("", "7", "", "8"), (0, 2, 0, 1), "texts of 2 files came, 1 were open"),
        (("", "7"), (0, 1), "2 times the pushes of a run were looked at, of 4"),
    ],
)
def test_a_runs_files_are_pushed_as_they_open_by_name_and_text(
    pen: Pen, pushes: tuple[str, ...], texts: tuple[int, ...], said: str | None
) -> None:
    for place, (name, count) in enumerate(zip(pushes, texts, strict=True)):
        frame = f'42/pku,["session-file-available",{{"sessionId":"1","fileId":"{name}"}}]' if name else ""
        attacked(pen, "pushes", frame, opened=(0, 1, 1, 2)[place], texts=count)
    pen.add("answer", of="attacked", body={"places": [], "hashes": [], "measured": True, "listened": 2})
    attacked(pen, "frames", '42/pku,["session-close",{}]')
    faults = red(pen).get("references_hidden", [])
    assert [said in fault for fault in faults] == ([True] if said else [])


def test_blind_answers_are_valid_and_need_no_expert() -> None:
    material = Material(Cycle.demonstrated("essay"), 1, 2)
    essays = [item for item, _ in material.own() if item["meta"]["id"].startswith("test")]
    tiled, moved, less, single = (material.blind(essays[0], variant)["selections"] for variant in range(4))
    assert (len(less), len(single)) == (len(tiled) - 1, 1)
    assert moved[0]["startSelection"] > tiled[0]["startSelection"]
    assert all(one["endSelection"] <= other["startSelection"] for one, other in pairwise(tiled))
    assert [material.place(each) for each in essays] == [0, 1]
    load({**essays[0], "selections": tiled})
