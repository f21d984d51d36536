"""What organizers are shown of runs: where they are, what was decided, who takes part."""

from __future__ import annotations

from typing import Any

from contest.edge import conducting
from contest.run import deciding
from contest.run.rules.amending import Wish
from contest.run.rules.run import Kind
from contest.values import MINUTE, iso
from tests.contest.run.played_runs import ABSENT, SLOW, Played, planned


def watched(played: Played) -> dict[str, Any]:
    return conducting.watch(played.platform, played.run_id).model_dump(mode="json")


def test_a_watched_run_shows_how_every_team_stands() -> None:
    played = planned(files=4)
    played.open(1)
    played.open(2, red=ABSENT)
    played.open(3, red=SLOW)
    played.at(played.run.starts_at + 4 * MINUTE + 1)
    found = watched(played)
    teams = {each["team_id"]: each for each in found["teams"]}
    assert (found["now"], found["opened"], found["mass_failure"]) == (iso(played.platform.clock.now()), 4, None)
    assert (teams["red"]["answered"], teams["blue"]["answered"]) == (1, 3)
    assert teams["red"]["voided"]["team_late"] >= 2
    assert (teams["red"]["cells"], teams["blue"]["cells"]) == ("alll", "aaal")
    assert (found["connected"], found["voided"]) == (3, {"team_late": 5})
    assert (found["delay_ms"]["count"], found["next_opening"]) == (8, None)
    assert teams["red"]["solution_voided"] is True
    assert teams["red"]["session_id"] == played.session("red").session_id


def test_a_watched_run_names_its_next_opening_until_it_is_stopped() -> None:
    played = planned(files=2)
    second = played.run.starts_at + MINUTE
    played.at(played.run.starts_at)
    found = watched(played)
    assert found["next_opening"] == {"number": 2, "opens_at": iso(second)}
    assert {each["cells"] for each in found["teams"]} == {"w."}
    deciding.decide(played.platform, "anna", played.run_id, Wish(Kind.STOP, "a fire"))
    played.at(played.run.starts_at + MINUTE // 2)
    found = watched(played)
    assert (found["state"], found["next_opening"]) == ("stopped", None)
