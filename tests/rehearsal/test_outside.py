"""A trial run from outside: over HTTP alone, by tokens, on a clock that it does not control; here a driven one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from local.organizing import OrganizerError
from rehearsal import show
from rehearsal.ending import Settings
from rehearsal.history import MINUTE, History
from rehearsal.play.driver import DrivenPace, RunningPace, Timing
from rehearsal.play.material import Cycle
from rehearsal.play.staff import admit
from rehearsal.play.wire import Fault
from rehearsal.proof.checker import ROWS
from rehearsal.proof.oracle import CUSTOM, DIALOGUES, EXAM, GEC, SEMIFINAL
from rehearsal.proof.oracle import KINDS as KNOWN
from rehearsal.remote import Guesses, Outside, Place, clock_of, tokens_in
from rehearsal.stages import KINDS, Outcome, Stage, settings_of, staged
from tests.rehearsal.playing import red
from tracks import registry

TEAMS = ("sim-1", "sim-2", "sim-3")
FILES = 4
OUTSIDE = {row.name for row in ROWS if row.outside}
"""Checks that need nothing but answers of the interface to teams and strangers."""
_LIMITS = ("request_ms", "answer_ms", "total_ms", "join_ms")


class Platform:
    """A local cloud with teams and two runs, of which the rehearsal knows the address and the tokens alone."""

    def __init__(self, stage: Stage, files: int = FILES) -> None:
        self.stage = stage
        self.tokens = admit(stage.cloud, TEAMS, {})
        self.trial = stage.order("train", files, TEAMS, "--trial", lead=2 * MINUTE)
        self.final = stage.order("final", files, TEAMS, lead=60 * MINUTE)

    def outside(self, run: Timing, history: History, cycle: Cycle | None = None) -> Outside:
        """Return a rehearsal of a run from outside."""
        pace = DrivenPace(self.stage.cloud, 1, lambda *_, **__: None, faulty=False)
        return Outside(Place(self.stage.cloud.url, run.run_id, self.tokens, cycle), pace, history)


@pytest.fixture(scope="module")
def platform() -> Iterator[Platform]:
    settings = Settings(teams=3, files=FILES, workers=1)
    with closing(History()) as history, staged(settings, history) as stage:
        yield Platform(stage)


@pytest.fixture(scope="module")
def outcome(platform: Platform) -> Outcome:
    faults = frozenset({Fault.SLOW, Fault.BROKEN, Fault.WRONG, Fault.KILLS, Fault.DISCONNECTS})
    with closing(platform.outside(platform.trial, History())) as outside:
        return outside.rehearse(outside.timing(), Settings(seed=3, faults=faults, share=0.9), lambda _: None)


pytestmark = pytest.mark.integration


def test_a_run_that_counts_is_not_played_and_neither_is_one_that_has_begun(platform: Platform) -> None:
    nowhere = replace(platform.final, run_id="none")
    for run, message in ((platform.final, "plan one with --trial"), (nowhere, "there is no run none")):
        with closing(platform.outside(run, History())) as outside, pytest.raises(OrganizerError, match=message):
            outside.timing()


def test_a_token_that_is_not_its_teams_is_refused_before_the_run(platform: Platform) -> None:
    mixed_up = {"sim-1": platform.tokens["sim-2"]}
    outside = Outside(
        Place(platform.stage.cloud.url, platform.trial.run_id, mixed_up), RunningPace(lambda: 0), History()
    )
    with closing(outside), pytest.raises(OrganizerError, match="the token of sim-1 is none of its own"):
        outside.timing()


@pytest.mark.slow
def test_a_trial_is_played_with_the_teams_own_faults_and_checked(outcome: Outcome, platform: Platform) -> None:
    assert red(outcome) == {}
    tried = {check.name: check.examined for check in outcome.checks}
    assert tried.keys() == OUTSIDE - {"responses_kept"}
    assert all(tried.values()), tried
    assert outcome.story.header["faults"] == ["broken", "disconnects", "slow", "wrong"]
    statuses = [outcome.story.facts.answers[f"status/{team}"]["deliveries"] for team in TEAMS]
    fates = {delivery["cause"] or "answered" for deliveries in statuses for delivery in deliveries}
    assert {"answered", "team_late"} <= fates
    again = platform.outside(platform.trial, History())
    with closing(again), pytest.raises(OrganizerError, match="has begun at"):
        again.timing()


@pytest.mark.slow
def test_promises_that_cannot_be_seen_from_outside_are_named(
    outcome: Outcome, capsys: pytest.CaptureFixture[str]
) -> None:
    show.show(outcome)
    output = capsys.readouterr().out
    unseen = [line.split("│")[2].strip() for line in output.splitlines() if "not seen from outside" in line]
    assert unseen == [
        "Teams qualify and are admitted by the rules",
        "Organizers' decisions hold for everybody as they were taken",
        "Experts mark up independently, and their markups count",
        "Every answer that counts is scored once, against its own references",
        "Boards, reports and archive follow from what was played",
    ]
    assert re.search(r"\d+ of 2\d\d operations of the interface were answered with success", output)
    assert "GREEN" in output
    assert "Cost" not in output


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("kind", [EXAM, GEC, CUSTOM, SEMIFINAL, DIALOGUES])
def test_a_trial_of_another_contest_is_played_from_outside(kind: str) -> None:
    """Both items of its training set are played, with the most faults of teams; each check has data to examine."""
    faults = frozenset({Fault.SLOW, Fault.BROKEN, Fault.RESENDS, Fault.DISCONNECTS, Fault.DUPLICATES})
    settings = settings_of(kind, Settings(teams=3, files=2, interval=KINDS[kind][1].interval, workers=1))
    with closing(History()) as history, staged(settings, history, stage_type=KINDS[kind][0]) as stage:
        platform = Platform(stage, files=2)
        cycle = Cycle.demonstrated(KNOWN[kind].track) if kind == CUSTOM else None
        with closing(platform.outside(platform.trial, History(), cycle)) as outside:
            wanted = Settings(seed=2, faults=faults, share=0.7)
            played = outside.rehearse(outside.timing(), wanted, lambda _: None)
    assert red(played) == {}
    assert played.story.header["stage"] == kind
    talked = {"responses_kept"} if kind == DIALOGUES else set()
    tried = {check.name: check.examined for check in played.checks}
    assert tried.keys() == OUTSIDE - {"responses_kept"} | talked
    assert all(examined for name, examined in tried.items() if name != "not_yet_told"), tried


@pytest.mark.parametrize(
    ("contest", "steps"), [("exam", ["item"]), ("gec", ["item"]), ("diagnosis", ["v3", "v2"]), ("diagnosis", ["v3F"])]
)
def test_an_item_that_nobody_knows_is_answered_validly(contest: str, steps: list[str]) -> None:
    cycle = Cycle.demonstrated(contest)
    guesses, track = Guesses(cycle), registry.get(contest)
    item = next(item for item, _ in cycle.items if contest != "diagnosis" or steps[0] in item["versions"])
    for content in (track.hand_out(item, "123", step) for step in steps):
        at = "preliminary" if content.get("version") == "v3F" else content.get("version", "item")
        answers = [guesses.answer(content, 0.5, variant) for variant in range(12)]
        assert len({guesses.digest_at(content, answer, at) for answer in answers}) == 12


@pytest.mark.parametrize(("contest", "code"), [("fusion", "submissions_count"), ("custom", "cycle_needed")])
def test_a_contest_that_cannot_be_played_from_outside_is_refused_with_a_code(
    monkeypatch: pytest.MonkeyPatch, contest: str, code: str
) -> None:
    run = {"track": contest, "trial": True, "starts_at": "2026-11-21T12:00:00.000Z"}
    statement = {
        "starts_at": run["starts_at"],
        "limits": dict.fromkeys(_LIMITS, 1),
        "mode": "final",
        "interval_ms": 1,
        "files": 1,
    }
    body = {**run, "commitment": {"statement": {**statement, "track": contest}}}
    monkeypatch.setattr("rehearsal.play.wire.Wire.get", lambda *_: httpx.Response(200, json=body))
    nowhere = Outside(Place("http://127.0.0.1:9", "run", {}), RunningPace(lambda: 0), History())
    with closing(nowhere) as outside, pytest.raises(OrganizerError, match=f"^{code}: "):
        outside.rehearse(outside.timing(), Settings(), lambda _: None)


def test_where_no_platform_is_that_is_said() -> None:
    with pytest.raises(OrganizerError, match=r"no answer from http://127\.0\.0\.1:9"):
        clock_of("http://127.0.0.1:9")


def test_tokens_are_read_a_team_a_line(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    path.write_text("sim-1 hrd_a\n\nsim-2\thrd_b\n", "utf-8")
    assert tokens_in(path) == {"sim-1": "hrd_a", "sim-2": "hrd_b"}
    path.write_text("hrd_a\n", "utf-8")
    with pytest.raises(OrganizerError, match="TEAM TOKEN"):
        tokens_in(path)
