"""The job: parts by themselves, the whole of all parts, whoever is last and whatever changes meanwhile."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contest.results import boards
from contest.results.rules.rescoring import facts_of
from shadow.final import read_final
from shadow.job import recompute
from shadow.source import MissingError
from tests.contest.run.played_runs import Played, planned
from tests.fakes import FakeQueue, FakeShadows
from tests.fakes_source import FakeSource


@pytest.fixture
def played() -> Played:
    """Settle a final and request its recomputation, which no worker has begun."""
    made = planned(3)
    made.platform.shadows = FakeQueue()
    made.play({2: {"red": "abxx"}})
    made.finish()
    return made


def results(played: Played) -> dict[str, Any]:
    objects = played.platform.blobs.objects
    return {name: json.loads(content) for name, content in objects.items() if name.startswith("reports/shadow/")}


def whole(played: Played) -> Any:
    return results(played)[read_final(FakeSource(played.platform), played.platform.tracks, played.run_id).result_name]


def done(played: Played, session_id: str = "", source: FakeSource | None = None, *, again: bool = False) -> None:
    chosen = source or FakeSource(played.platform)
    recompute(chosen, played.run_id, session_id, again=again, tracks=played.platform.tracks)


def test_the_whole_is_made_by_whoever_makes_the_last_part(played: Played) -> None:
    sessions = list(played.sessions.values())
    for made, session_id in enumerate(sessions, start=1):
        done(played, session_id)
        assert len(results(played)) == made + (made == len(sessions))
    assert whole(played)["checked"] == {"files": 9, "receipts": 9, "scores": 9, "sessions": 3}
    assert (whole(played)["total"], whole(played)["differences"]) == (0, [])


def test_every_session_is_sent_for_and_both_sides_name_a_result_by_the_same_facts(played: Played) -> None:
    final = read_final(FakeSource(played.platform), played.platform.tracks, played.run_id)
    assert final.facts == facts_of(played.run, played.platform.blobs.get(boards.entries_name(played.run)))
    assert facts_of(played.run, None) != final.facts
    tasks = played.platform.shadows.jobs
    assert {each.session_id for each in tasks} == set(played.sessions.values())
    FakeShadows(played.platform).send(tasks)
    assert len(results(played)) == 4


def test_what_was_made_stands_until_it_is_asked_for_again(played: Played) -> None:
    session_id = played.sessions["red"]
    done(played, session_id)
    (name,) = results(played)
    played.platform.blobs.put(name, b'{"kept": true}')
    done(played, session_id)
    assert results(played) == {name: {"kept": True}}
    done(played, session_id, again=True)
    assert results(played)[name]["total"] == 0


class Overtaken(FakeSource):
    """Storage in which somebody makes a part anew while the whole is being put together."""

    def __init__(self, played: Played, part: str) -> None:
        super().__init__(played.platform)
        self._part = part
        self.overtakes = True

    def write(self, name: str, content: bytes) -> None:
        super().write(name, content)
        if self.overtakes:
            self.overtakes = False
            changed = json.loads(self.read(self._part) or b"")
            super().write(self._part, json.dumps({**changed, "total": 1, "differences": [{"a": 1}]}).encode())


def test_a_part_that_changes_meanwhile_is_in_the_whole(played: Played) -> None:
    for session_id in played.sessions.values():
        done(played, session_id)
    final = read_final(FakeSource(played.platform), played.platform.tracks, played.run_id)
    done(played, source=Overtaken(played, final.part_name(played.sessions["red"])))
    assert (whole(played)["total"], whole(played)["differences"]) == (1, [{"a": 1}])


def test_a_session_of_which_nothing_is_stored_is_a_difference_and_a_run_none(played: Played) -> None:
    done(played, "100000000000000")
    (found,) = results(played).values()
    assert [each["quantity"] for each in found["differences"]] == ["session"]
    with pytest.raises(MissingError):
        recompute(FakeSource(played.platform), "unknown", tracks=played.platform.tracks)
