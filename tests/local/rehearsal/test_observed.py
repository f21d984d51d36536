"""Two rehearsals are compared by what was observed in them, whatever names were drawn."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from local.rehearsal.history import Call, Facts, Story
from local.rehearsal.observed import digest, observations


def told(session: str, file: str, run: str, **otherwise: Any) -> Story:
    """A short history in which a team opens a session and gets a file."""
    opened = Call(1, "ann", "open", None, 10, 10, status=201, path="/v1/sessions", said={"session_id": session})
    said = {"file_id": file, "handed_out_at": 20, "content_sha256": "d" * 64}
    path = f"/v1/sessions/{session}/files/1"
    handed = Call(2, "ann", "file", 1, 20, 20, status=200, path=path, said=said, file_ids=(file,), texts=(3,))
    record = {"plans": [{"amendment": 0, "rows": [{"number": 1, "file_id": file}]}], "run_id": run}
    items = {"scores": {f"SESSION#{session}": {"SCORE#0001": {"record": "{}"}}}}
    facts = Facts(items, {}, {"record": record, "keys": {"keys": [session]}}, left={"QueuesScoring": 0})
    return Story({"run": run}, (opened, replace(handed, **otherwise)), (), facts)


SAME = ("1" * 15, "2" * 15, "a" * 20)
OTHER = ("3" * 15, "4" * 15, "b" * 20)


def test_names_that_are_drawn_make_no_difference() -> None:
    first, second = observations(told(*SAME)), observations(told(*OTHER))
    assert first == second
    assert digest(first) == digest(second)
    assert any("<file 1>" in each and "<session 1 of ann>" in each for each in first)
    assert not any(name in each for each in first for name in SAME)


@pytest.mark.parametrize(
    "otherwise",
    [
        {"status": 404},
        {"done_at": 21},
        {"texts": (4,)},
        {"marks": ("final-1-1",)},
        {"number": 2},
        {"file_ids": ()},
        {"path": "/v1/sessions/555555555555555/files/1"},
        {"said": {"file_id": "2" * 15, "handed_out_at": 21, "content_sha256": "d" * 64}},
    ],
)
def test_whatever_else_differs_is_a_difference(otherwise: dict[str, Any]) -> None:
    assert digest(observations(told(*SAME))) != digest(observations(told(*SAME, **otherwise)))


def test_when_a_process_noted_a_use_is_the_machines_affair_and_whether_one_did_is_not() -> None:
    early, late, never = (
        observations(told(*SAME, said={"tokens": [{"name": "", "used_at": moment}]}))
        for moment in ("2026-11-21T12:24:53.500Z", "2026-11-21T12:24:51.250Z", None)
    )
    assert early == late != never


def test_what_an_attacker_hears_is_compared_by_what_is_found_in_it_and_its_run_by_another_name() -> None:
    """Bytes of answers and frames name requests and connections, so no two rehearsals have the same."""

    def attacked(run: str, heard: str, **found: Any) -> list[str]:
        said = {"told": {"run_id": run, "state": "open"}, "heard": heard}
        call = Call(3, "attacker", "attack_open", None, 30, 30, status=201, path="/v1/sessions", said=said, **found)
        looked = replace(call, n=4, what="attack_look", said={"told": {"about": run}, "heard": heard})
        story = told(*SAME)
        return observations(replace(story, calls=(*story.calls, call, looked)))

    one = attacked("c" * 20, '0{"sid":"7Ff"}')
    assert one == attacked("d" * 20, '0{"sid":"9Aa"}')
    assert one != attacked("d" * 20, '0{"sid":"9Aa"}', marks=("test-0001-1",))


def test_another_teams_session_is_told_from_ones_own() -> None:
    one, other = told(*SAME), told(*SAME)
    ben = Call(3, "ben", "open", None, 11, 11, status=201, said={"session_id": "9" * 15})
    path = f"/v1/sessions/{'9' * 15}/files/1"
    one, other = (replace(each, calls=(*each.calls, ben)) for each in (one, other))
    moved = replace(other, calls=(other.calls[0], replace(other.calls[1], path=path), ben))
    assert digest(observations(one)) == digest(observations(other)) != digest(observations(moved))


@pytest.mark.parametrize("is_shared", [True, False])
def test_a_runs_file_is_the_same_whichever_of_its_teams_asked_first(is_shared: bool) -> None:
    """Files of another run than the final, which two teams ask for at once."""

    def story(*teams: str) -> Story:
        calls, file = [], "8" * 15
        for number, team in enumerate(("ann", "ben")):
            said = {"session_id": str(number + 1) * 15, "run_id": "r" * 20 if is_shared else None}
            calls.append(Call(number, team, "open", None, 10, 10, status=201, path="/v1/sessions", said=said))
        for n, team in enumerate(teams, start=2):
            path = f"/v1/sessions/{str(('ann', 'ben').index(team) + 1) * 15}/files/1"
            calls.append(Call(n, team, "file", 1, 20, 20, status=200, path=path, said={}, file_ids=(file,)))
        return Story({"run": "a" * 20}, tuple(calls), (), Facts({}, {}, {}))

    same = digest(observations(story("ann", "ben"))) == digest(observations(story("ben", "ann")))
    assert same is is_shared


def test_receipts_of_a_file_stand_in_the_order_of_hashes_over_drawn_names() -> None:
    def story(*sends: int) -> Story:
        receipts = [
            {"receipt": {"number": 1, "send": send, "content_sha256": f"{at:064x}"}} for at, send in enumerate(sends)
        ]
        answers = {"receipts/ann": {"receipts": receipts, "next": None}}
        return Story({"run": "a" * 20}, (), (), Facts({}, {}, answers))

    assert observations(story(1, 2)) == observations(story(2, 1)) != observations(story(1, 1))


def test_the_same_answer_twice_is_not_the_same_answer_once() -> None:
    once = told(*SAME)
    twice = replace(once, calls=(*once.calls, replace(once.calls[1], n=3)))
    assert len(observations(twice)) == len(observations(once)) + 1


def archived(story: Story, file: str, other: str, assignment: str, pseudonym: str, essay: str = "a") -> Story:
    """The story with an archive of two files, an expert's assignment in it, and an errand of the same name's form."""
    said = {"assignments": [{"assignment_id": assignment}], "errand_id": assignment[::-1]}
    listed = Call(3, "eve", "assignments", None, 30, 30, status=200, path="/v1/assignments", said=said)
    opened = Call(4, "eve", "open", None, 31, 31, status=200, path=f"/v1/assignments/{assignment}/open", said={})
    handed = replace(story.calls[1], n=5, number=2, said={"file_id": other}, file_ids=(other,))
    names = sorted([f"essays/{file}.json", f"essays/{other}.json"])
    body = {each: {"sha256": "c" * 64, "text": essay if file in each else pseudonym} for each in names}
    manifest = {"files": [{"name": each, "sha256": "c" * 64} for each in names]}
    body["manifest.json"] = {"sha256": "d" * 64, "text": json.dumps(manifest)}
    facts = replace(story.facts, answers={**story.facts.answers, "archive": body})
    return replace(story, calls=(*story.calls, listed, opened, handed), facts=facts)


def test_an_archives_order_and_names_of_experts_work_make_no_difference() -> None:
    first = archived(told(*SAME), SAME[1], "5" * 15, "k3" * 10, "expert-q7x2ab")
    second = archived(told(*OTHER), OTHER[1], "1" + "3" * 14, "zp" * 10, "expert-2")
    assert observations(first) == observations(second)
    another = archived(told(*OTHER), OTHER[1], "1" + "3" * 14, "zp" * 10, "expert-2", essay="b")
    assert digest(observations(first)) != digest(observations(another))
