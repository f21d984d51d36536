"""A preview says what then happens and writes nothing; organizers are shown where a run and its teams are."""

from __future__ import annotations

from typing import Any

import pytest

from contest.edge import conducting
from contest.refusals import RefusedError
from contest.run import watching
from contest.run.rules.conducting import Wish
from contest.run.rules.run import Kind
from contest.run.rules.schedule import Schedule
from contest.session import following
from contest.session.rules.delivery import Cause
from contest.values import MINUTE, SECOND, iso
from tests.contest.run.played_runs import ABSENT, SILENT, SLOW, WRONG, Played, planned


@pytest.fixture
def played() -> Played:
    """Two of ten files played: red missed the first, blue both, grey none."""
    made = planned(files=10)
    made.open(1, red=ABSENT, blue=WRONG)
    made.open(2, blue=SLOW)
    return made


WISHES = [
    Wish(Kind.PAUSE, "a cable is cut"),
    Wish(Kind.VOID, "unreadable", (1, 3)),
    Wish(Kind.REPLACE, "a mass failure", (1, 2)),
    Wish(Kind.RULE, "their line was cut", (1,), "red", Cause.PLATFORM),
    Wish(Kind.RULE, "their line was cut", (1,), "red", Cause.NETWORK),
]


@pytest.mark.parametrize("wish", WISHES, ids=lambda wish: f"{wish.kind.value} {wish.cause}")
def test_a_preview_says_what_then_happens(played: Played, wish: Wish) -> None:
    preview = watching.preview(played.platform, played.run_id, wish)
    assert played.schedule == preview.before
    after = watching.decide(played.platform, "anna", played.run_id, wish)
    looked = watching.look(played.platform, after)
    assert tuple(becomes for _, becomes in preview.teams) == looked.teams
    numbers = range(1, Schedule.of(after).total_files + 1)
    openings = {number: Schedule.of(after).opens_at(number) for number in numbers}
    assert {move.number: move.after for move in preview.moved}.items() <= openings.items()
    unmoved = set(numbers) - {move.number for move in preview.moved}
    assert all(preview.before.opens_at(number) == openings[number] for number in unmoved)


def test_previews_write_nothing_show_what_a_pause_moves_and_refuse_what_the_decision_would(played: Played) -> None:
    before = (played.run, dict(played.platform.blobs.objects), list(played.platform.audit_log.changes))
    for wish in WISHES:
        watching.preview(played.platform, played.run_id, wish)
    after = (played.run, dict(played.platform.blobs.objects), list(played.platform.audit_log.changes))
    assert after == before
    preview = watching.preview(played.platform, played.run_id, Wish(Kind.PAUSE, "a cable is cut"))
    # nobody has ended it, so it lasts two hours; it begins at 2:00 of the run, with the third file's opening
    begins = played.run.starts_at + MINUTE + 55 * SECOND + 5 * SECOND
    assert played.schedule.opens_at(3) == begins
    assert [(move.number, (move.after or 0) - (move.before or 0)) for move in preview.moved] == [
        (number, 120 * MINUTE) for number in range(3, 11)
    ]
    refused = {
        "not_paused": Wish(Kind.RESUME, "x"),
        "not_enough_files": Wish(Kind.REPLACE, "x", tuple(range(1, 8))),
        "unknown_team": Wish(Kind.RULE, "x", (1,), "nobody", Cause.PLATFORM),
        "not_void": Wish(Kind.RULE, "x", (1,), "grey", Cause.PLATFORM),
        "no_reason": Wish(Kind.PAUSE, " "),
    }
    for code, wish in refused.items():
        for decision in (
            lambda wish=wish: watching.preview(played.platform, played.run_id, wish),
            lambda wish=wish: watching.decide(played.platform, "anna", played.run_id, wish),
        ):
            with pytest.raises(RefusedError) as error:
                decision()
            assert error.value.code == code
    played.at(played.schedule.opens_at(3))
    played.ask("grey", 3)
    wish = Wish(Kind.RULE, "x", (3,), "grey", Cause.PLATFORM)
    with pytest.raises(RefusedError, match="not void"):
        watching.preview(played.platform, played.run_id, wish)
    played.open(3, grey=SILENT)
    assert watching.preview(played.platform, played.run_id, wish).teams


def test_a_preview_of_a_stop_names_the_sessions_that_end_and_how_they_stand_then(played: Played) -> None:
    wish = Wish(Kind.STOP, "a mass failure")
    result = watching.preview(played.platform, played.run_id, wish)
    assert sorted(result.ends) == sorted(played.sessions.values())
    assert {move.number for move in result.moved if move.after is None} == set(range(3, 11))
    watching.decide(played.platform, "anna", played.run_id, wish)
    played.platform.clock.advance(5)
    for team_id in played.sessions:
        following.by_time(played.platform, played.session(team_id), played.platform.clock.now())
    looked = watching.look(played.platform, played.run)
    assert tuple(becomes for _, becomes in result.teams) == looked.teams
    assert {each.state for each in looked.teams} == {"stopped"}
    assert looked.teams[0].voided[Cause.ORGANIZER_DECISION] == 8


def test_a_preview_of_an_undoing_shows_who_is_void_again(played: Played) -> None:
    watching.decide(played.platform, "anna", played.run_id, Wish(Kind.VOID, "unreadable", (1, 2)))
    result = watching.preview(played.platform, played.run_id, Wish(Kind.UNDO, "readable", amendment=1))
    shares = {was.team_id: (was.voided_share, becomes.voided_share) for was, becomes in result.teams}
    # blue missed both files, red one, of eight that count before and ten afterwards
    assert shares == {"blue": (0.0, 0.2), "grey": (0.0, 0.0), "red": (0.0, 0.1)}
    fates = {was.team_id: (was.solution_voided, becomes.solution_voided) for was, becomes in result.teams}
    assert fates == {"blue": (False, True), "grey": (False, False), "red": (False, True)}


def watched(played: Played) -> dict[str, Any]:
    return conducting.watch(played.platform, played.run_id).model_dump(mode="json")


def test_a_watched_run_shows_how_every_team_stands() -> None:
    played = planned(files=4)
    played.open(1)
    played.open(2, red=ABSENT)
    played.open(3, red=SLOW)
    played.at(played.run.starts_at + 4 * MINUTE + 1)
    result = watched(played)
    teams = {team["team_id"]: team for team in result["teams"]}
    assert (result["now"], result["opened"], result["mass_failure"]) == (iso(played.platform.clock.now()), 4, None)
    assert (teams["red"]["answered"], teams["blue"]["answered"]) == (1, 3)
    assert teams["red"]["voided"]["team_late"] >= 2
    assert (teams["red"]["cells"], teams["blue"]["cells"]) == ("alll", "aaal")
    assert (result["connected"], result["voided"]) == (3, {"team_late": 5})
    assert (result["delay_ms"]["count"], result["next_opening"]) == (8, None)
    assert teams["red"]["solution_voided"] is True
    assert teams["red"]["session_id"] == played.session("red").session_id


def test_a_watched_run_names_its_next_opening_until_it_is_stopped() -> None:
    played = planned(files=2)
    second = played.run.starts_at + MINUTE
    played.at(played.run.starts_at)
    result = watched(played)
    assert result["next_opening"] == {"number": 2, "opens_at": iso(second)}
    assert {team["cells"] for team in result["teams"]} == {"w."}
    watching.decide(played.platform, "anna", played.run_id, Wish(Kind.STOP, "a fire"))
    played.at(played.run.starts_at + MINUTE // 2)
    result = watched(played)
    assert (result["state"], result["next_opening"]) == ("stopped", None)
