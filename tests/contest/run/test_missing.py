"""Files missed and proposals about them, from the timer's facts; previews of decisions and the watched run."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from contest import reading
from contest.edge import conducting
from contest.errors import BusyError
from contest.refusals import ContestError, RefusedError
from contest.run import under_way, watching
from contest.run.rules import fate
from contest.run.rules.conducting import Wish
from contest.run.rules.fate import Attendance, Standing, Watch
from contest.run.rules.run import Kind
from contest.run.rules.schedule import Proposal, Schedule
from contest.session import following
from contest.session.following import known_of
from contest.session.rules.delivery import Cause, FileState
from contest.session.rules.session import IN_FLIGHT, State
from contest.values import MINUTE, SECOND, iso
from tests.contest.run.played_runs import ABSENT, SILENT, SLOW, WRONG, Played, planned
from tests.samples import RUN_OF_FOUR as RUN
from tests.samples import RUN_STARTS as START

FILES = 12
FAILING, LOSING = "failing", "losing"
"""Faults of the platform: a file is not handed out, or an answer is lost; the program tries again later, or never."""
DEEDS = ("abcd", "abcd", "abcd", ABSENT, SILENT, SLOW, WRONG, FAILING, LOSING)


def by_all_facts(played: Played) -> tuple[dict[str, set[int]], int]:
    """Return the missed files of each session and the number of those that the platform owes, from all facts."""
    platform, schedule, now = (
        played.platform,
        reading.schedule_now(played.platform, played.run_id),
        played.platform.clock.now(),
    )
    missed, owed = {}, 0
    for session in under_way.taking_part(platform, schedule.run):
        views = watching.views_under(platform, schedule, session, known_of(platform, session, schedule), now)
        views_seen = [
            view for view in views if session.closed_at is None or schedule.opens_at(view.number) < session.closed_at
        ]
        voided = [view for view in views_seen if view.state is FileState.VOIDED]
        numbers = {view.number for view in voided if view.cause is not Cause.ORGANIZER_DECISION}
        missed[session.session_id] = numbers - set(schedule.voided_for_all)  # these are settled
        owed += session.is_open and sum(view.cause is Cause.PLATFORM for view in views)
    return missed, owed


def by_the_watch(played: Played) -> tuple[dict[str, set[int]], int]:
    """Let the timer come; return the same from what it keeps."""
    owed = played.notice().owed
    schedule = reading.schedule_now(played.platform, played.run_id)
    missed: dict[str, set[int]] = {name: set() for name in played.sessions.values()}
    for name, letters in played.platform.runs.watch(played.run_id).letters.items():
        session = reading.session(played.platform, name)
        assert session is not None
        decided = {
            n for n, (cause, _) in schedule.rulings(session.team_id).items() if cause is Cause.ORGANIZER_DECISION
        }
        missed[name] = fate.missed_files(letters) - decided - set(schedule.voided_for_all)
    return missed, owed


@contextmanager
def broken(port: Any, method: str) -> Iterator[None]:
    """Let a port die in this call."""

    def dies(*_: Any, **__: Any) -> None:
        raise OSError("the platform fails here")

    with pytest.MonkeyPatch.context() as patched, suppress(OSError):
        patched.setattr(port, method, dies)
        yield


class Drawn:
    """Run in which chance decides the teams' actions, the failures and the organizers' decisions."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.played = planned(files=FILES)
        self.again: list[tuple[str, int, str]] = []

    def deed(self, team_id: str, number: int) -> None:
        played, deeds, deed = self.played, self.played.platform.deliveries, self.chance.choice(DEEDS)
        if deed == ABSENT:
            return
        with suppress(ContestError):
            if deed == FAILING:
                with broken(deeds, "hand_out"):
                    played.ask(team_id, number)
                self.again.append((team_id, number, ""))
                return
            played.ask(team_id, number)
            if deed == LOSING:
                with broken(deeds, "send"):
                    played.answer(team_id, number, "abcd")
                self.again.append((team_id, number, "abcd"))
            elif deed == SLOW:
                self.again.append((team_id, number, "late"))
            elif deed != SILENT:
                played.answer(team_id, number, deed)

    def repeat(self) -> None:
        """Let some programs send again what failed, or send an answer too late."""
        for team_id, number, letters in self.again[:]:
            if self.chance.random() < 0.2:
                self.again.remove((team_id, number, letters))
                with suppress(ContestError, BusyError):
                    self.played.ask(team_id, number)
                    self.played.answer(team_id, number, letters or "abcd")

    def decide(self, number: int) -> None:
        chance, played = self.chance, self.played
        wish = chance.choice(
            [
                Wish(Kind.VOID, "a reason", numbers=(chance.randint(1, number),)),
                Wish(Kind.REPLACE, "a reason", numbers=(chance.randint(1, number),)),
                Wish(Kind.RULE, "a reason", team_id="red", numbers=(number,), cause=chance.choice([*Cause])),
                Wish(Kind.PAUSE, "a reason"),
                Wish(Kind.RESUME, "a reason"),
                Wish(Kind.UNDO, "a reason", amendment=chance.randint(1, 3)),
            ]
        )
        with suppress(ContestError):
            watching.decide(played.platform, "anna", played.run_id, wish)

    def end(self, team_id: str) -> None:
        session = self.played.session(team_id)
        following.end_session(self.played.platform, session, State.ABORTED, self.played.platform.clock.now())


def letters_of(seed: int) -> set[str]:
    """Play a run by chance, compare at many moments, and return the letters that were kept."""
    drawn = Drawn(seed)
    played, clock, letters, number = drawn.played, drawn.played.platform.clock, set[str](), 1
    played.at(played.run.starts_at)
    for _ in range(60):
        if number <= played.schedule.total_files and clock.now() >= played.schedule.opens_at(number):
            for team_id in played.sessions:
                drawn.deed(team_id, number)
            number += 1
        if drawn.chance.random() < 0.1:
            drawn.decide(min(number, FILES))
        if drawn.chance.random() < 0.02:
            drawn.end("grey")
        if drawn.chance.random() < 0.01:
            with suppress(ContestError):
                watching.decide(played.platform, "anna", played.run_id, Wish(Kind.STOP, "a reason"))
        for team_id in played.sessions:
            following.by_time(played.platform, played.session(team_id), clock.now(), unseen=IN_FLIGHT)
        clock.advance(drawn.chance.choice([1, 9, 20, 31, 55]))
        drawn.repeat()
        if drawn.chance.random() < 0.7:
            assert by_the_watch(played) == by_all_facts(played), played.platform.runs.watch(played.run_id)
            letters.update(*played.platform.runs.watch(played.run_id).letters.values())
    return letters


@pytest.mark.parametrize("seeds", [range(8), pytest.param(range(8, 100), marks=pytest.mark.long)])
def test_what_is_kept_says_what_all_facts_say(seeds: Sequence[int]) -> None:
    assert set().union(*map(letters_of, seeds)) >= set("?ahmMp")


def test_a_visit_that_another_one_overtakes_changes_nothing_of_what_that_one_has_kept() -> None:
    played = planned(files=FILES)
    played.open(1, red=ABSENT)
    runs, session_id = played.platform.runs, played.sessions["blue"]
    keep, of_the_other = runs.keep_watch, Watch({session_id: "a"}, 1)

    def overtaken(run_id: str, own_watch: Watch) -> None:
        keep(run_id, of_the_other)
        keep(run_id, own_watch)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(runs, "keep_watch", overtaken)
        assert played.notice() == (0, 0)
    assert runs.watch(played.run_id) == of_the_other
    assert by_the_watch(played) == by_all_facts(played)


def test_a_program_that_the_platform_has_held_up_may_have_later_files_long_after_their_time() -> None:
    played = planned(files=FILES)
    played.at(played.schedule.opens_at(1))
    played.ask("red", 1)
    with broken(played.platform.deliveries, "send"):
        played.answer("red", 1, "abcd")
    for number in range(2, 10):
        played.at(played.schedule.opens_at(number))
        assert by_the_watch(played) == by_all_facts(played)
    assert by_the_watch(played)[0][played.sessions["red"]] >= {1, 2}
    played.answer("red", 1, "abcd")  # once more, and counts as it came first
    assert by_the_watch(played) == by_all_facts(played)
    played.ask("red", 2)
    played.answer("red", 2, "abcd")
    assert by_the_watch(played) == by_all_facts(played)
    assert played.platform.runs.watch(played.run_id).letters[played.sessions["red"]].startswith("ha")


def test_the_commissions_ruling_decides_what_is_owed() -> None:
    played = planned(files=FILES)
    played.at(played.schedule.opens_at(1))
    with broken(played.platform.deliveries, "hand_out"):
        played.ask("red", 1)
    played.platform.clock.advance(90)
    owed = []
    for team_id, cause in [("", None), ("red", Cause.TEAM_LATE), ("blue", Cause.PLATFORM)]:
        if cause is not None:
            wish = Wish(Kind.RULE, "a reason", numbers=(1,), team_id=team_id, cause=cause)
            watching.decide(played.platform, "anna", played.run_id, wish)
        owed.append(by_the_watch(played)[1])
        assert by_the_watch(played) == by_all_facts(played)
    assert owed == [1, 0, 1]


WINDOWS = Schedule.of(RUN).windows


def attendance(*missed: int, opened_at: int = 0, closed_at: int | None = None) -> Attendance:
    return Attendance("s", opened_at, closed_at, frozenset(missed))


def missed(*sessions: Attendance, annulled: tuple[int, ...] = ()) -> tuple[int, ...]:
    return fate.missed_by_all(WINDOWS, sessions, annulled)


def test_a_file_is_missed_by_all_when_all_of_at_least_two_who_were_there_missed_it() -> None:
    assert missed(attendance(1, 2, 3), attendance(2, 3, 4)) == (2, 3)
    assert missed(attendance(1, 2, 3), attendance(2, 3, 4), attendance()) == ()
    assert missed(attendance(1, 2, 3), attendance(1, 2, 3), annulled=(2,)) == (1, 3)
    assert missed() == ()
    assert missed(attendance(1, 2, 3, 4)) == ()
    here = attendance(1, 2, 3, 4)
    late = attendance(2, 3, 4, opened_at=START + 1)
    gone = attendance(1, closed_at=WINDOWS[1].opens_at)
    assert missed(here, attendance(1, 2, 3, 4), late, gone) == (1, 2, 3, 4)
    assert missed(here, late, gone) == (1, 2, 3, 4)
    assert missed(here, gone) == (1,)


def numbers(proposal: Proposal | None) -> list[int] | None:
    return proposal.body["numbers"] if proposal else None


def test_three_files_make_a_proposal_that_grows_until_it_is_accepted_and_three_new_ones_another() -> None:
    assert fate.propose(None, (1, 2), 2, START) is None
    first = fate.propose(None, (1, 2, 4), 2, START)
    assert first is not None
    assert (numbers(first), first.version) == ([1, 2, 4], 1)
    assert fate.propose(first, (1, 2, 4), 2, START) is None
    second = fate.propose(first, (1, 2, 4, 5), 2, START + 60_000)
    assert second is not None
    assert (numbers(second), second.version) == ([1, 2, 4, 5], 2)
    assert second.body["found_at"] == first.body["found_at"]
    assert fate.proposal_standing(first, (1, 2)) is Standing.OPEN
    assert fate.proposal_standing(first, (1, 2, 4, 5)) is Standing.ACCEPTED
    first = fate.propose(None, (1, 2, 3), 2, START)
    assert first is not None
    settled = fate.dismiss_proposal(first, "anna", "their own fault", START)
    assert fate.proposal_standing(settled, ()) is Standing.DISMISSED
    assert fate.propose(settled, (1, 2, 3, 4, 5), 2, START) is None
    again = fate.propose(settled, (1, 2, 3, 4, 5, 6), 2, START)
    assert numbers(again) == [4, 5, 6]
    assert fate.propose(again, (1, 2, 3, 4, 5, 6), 2, START) is None


@pytest.fixture
def played() -> Played:
    """Play a run in which all teams missed three of five files, each in another way."""
    five = planned(files=5)
    five.open(1)
    for number in (2, 3, 4):
        five.open(number, red=ABSENT, blue=SLOW, grey=WRONG)
    return five


def test_replacing_the_files_accepts_the_proposal(played: Played) -> None:
    played.notice()
    wish = Wish(Kind.REPLACE, "the platform failed", (2, 3, 4))
    watching.decide(played.platform, "anna", played.run_id, wish)
    assert watching.watched_run(played.platform, played.run).standing is Standing.ACCEPTED
    assert played.notice().proposed == 0
    with pytest.raises(RefusedError, match="no proposal"):
        watching.dismiss(played.platform, "anna", played.run_id, "after all")


def test_a_proposal_is_dismissed_with_a_reason_and_logged(played: Played) -> None:
    with pytest.raises(RefusedError, match="no proposal"):
        watching.dismiss(played.platform, "anna", played.run_id, "nothing there")
    played.notice()
    watching.dismiss(played.platform, "anna", played.run_id, "a hard text")
    assert watching.watched_run(played.platform, played.run).standing is Standing.DISMISSED
    assert played.platform.audit_log.changes[-1].what == "mass failure dismissed"
    assert played.notice().proposed == 0


@pytest.fixture
def half_played() -> Played:
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
def test_a_preview_says_what_then_happens(half_played: Played, wish: Wish) -> None:
    preview = watching.preview(half_played.platform, half_played.run_id, wish)
    assert half_played.schedule == preview.before
    after = watching.decide(half_played.platform, "anna", half_played.run_id, wish)
    looked = watching.watched_run(half_played.platform, after)
    assert tuple(becomes for _, becomes in preview.teams) == looked.teams
    numbers = range(1, Schedule.of(after).total_files + 1)
    openings = {number: Schedule.of(after).opens_at(number) for number in numbers}
    assert {move.number: move.after for move in preview.moved}.items() <= openings.items()
    unmoved = set(numbers) - {move.number for move in preview.moved}
    assert all(preview.before.opens_at(number) == openings[number] for number in unmoved)


def test_previews_write_nothing_show_what_a_pause_moves_and_refuse_what_the_decision_would(half_played: Played) -> None:
    before = (half_played.run, dict(half_played.platform.blobs.objects), list(half_played.platform.audit_log.changes))
    for wish in WISHES:
        watching.preview(half_played.platform, half_played.run_id, wish)
    after = (half_played.run, dict(half_played.platform.blobs.objects), list(half_played.platform.audit_log.changes))
    assert after == before
    preview = watching.preview(half_played.platform, half_played.run_id, Wish(Kind.PAUSE, "a cable is cut"))
    # nobody has ended it, so it lasts two hours; it begins at 2:00 of the run, with the third file's opening
    begins = half_played.run.starts_at + MINUTE + 55 * SECOND + 5 * SECOND
    assert half_played.schedule.opens_at(3) == begins
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
            lambda wish=wish: watching.preview(half_played.platform, half_played.run_id, wish),
            lambda wish=wish: watching.decide(half_played.platform, "anna", half_played.run_id, wish),
        ):
            with pytest.raises(RefusedError) as error:
                decision()
            assert error.value.code == code
    half_played.at(half_played.schedule.opens_at(3))
    half_played.ask("grey", 3)
    wish = Wish(Kind.RULE, "x", (3,), "grey", Cause.PLATFORM)
    with pytest.raises(RefusedError, match="not void"):
        watching.preview(half_played.platform, half_played.run_id, wish)
    half_played.open(3, grey=SILENT)
    assert watching.preview(half_played.platform, half_played.run_id, wish).teams


def test_a_preview_of_a_stop_names_the_sessions_that_end_and_how_they_stand_then(half_played: Played) -> None:
    wish = Wish(Kind.STOP, "a mass failure")
    result = watching.preview(half_played.platform, half_played.run_id, wish)
    assert sorted(result.ends) == sorted(half_played.sessions.values())
    assert {move.number for move in result.moved if move.after is None} == set(range(3, 11))
    watching.decide(half_played.platform, "anna", half_played.run_id, wish)
    half_played.platform.clock.advance(5)
    for team_id in half_played.sessions:
        following.by_time(half_played.platform, half_played.session(team_id), half_played.platform.clock.now())
    looked = watching.watched_run(half_played.platform, half_played.run)
    assert tuple(becomes for _, becomes in result.teams) == looked.teams
    assert {each.state for each in looked.teams} == {"stopped"}
    assert looked.teams[0].voided[Cause.ORGANIZER_DECISION] == 8


def test_a_preview_of_an_undoing_shows_who_is_void_again(half_played: Played) -> None:
    watching.decide(half_played.platform, "anna", half_played.run_id, Wish(Kind.VOID, "unreadable", (1, 2)))
    result = watching.preview(half_played.platform, half_played.run_id, Wish(Kind.UNDO, "readable", amendment=1))
    shares = {was.team_id: (was.voided_share, becomes.voided_share) for was, becomes in result.teams}
    # blue missed both files, red one, of eight that count before and ten afterwards
    assert shares == {"blue": (0.0, 0.2), "grey": (0.0, 0.0), "red": (0.0, 0.1)}
    fates = {was.team_id: (was.solution_voided, becomes.solution_voided) for was, becomes in result.teams}
    assert fates == {"blue": (False, True), "grey": (False, False), "red": (False, True)}


def watched(half_played: Played) -> dict[str, Any]:
    return conducting.watch(half_played.platform, half_played.run_id).model_dump(mode="json")


def test_a_watched_run_shows_how_every_team_stands() -> None:
    half_played = planned(files=4)
    half_played.open(1)
    half_played.open(2, red=ABSENT)
    half_played.open(3, red=SLOW)
    half_played.at(half_played.run.starts_at + 4 * MINUTE + 1)
    result = watched(half_played)
    teams = {team["team_id"]: team for team in result["teams"]}
    assert (result["now"], result["opened"], result["mass_failure"]) == (iso(half_played.platform.clock.now()), 4, None)
    assert (teams["red"]["answered"], teams["blue"]["answered"]) == (1, 3)
    assert teams["red"]["voided"]["team_late"] >= 2
    assert (teams["red"]["cells"], teams["blue"]["cells"]) == ("alll", "aaal")
    assert (result["connected"], result["voided"]) == (3, {"team_late": 5})
    assert (result["delay_ms"]["count"], result["next_opening"]) == (8, None)
    assert teams["red"]["solution_voided"] is True
    assert teams["red"]["session_id"] == half_played.session("red").session_id


def test_a_watched_run_names_its_next_opening_until_it_is_stopped() -> None:
    half_played = planned(files=2)
    second = half_played.run.starts_at + MINUTE
    half_played.at(half_played.run.starts_at)
    result = watched(half_played)
    assert result["next_opening"] == {"number": 2, "opens_at": iso(second)}
    assert {team["cells"] for team in result["teams"]} == {"w."}
    watching.decide(half_played.platform, "anna", half_played.run_id, Wish(Kind.STOP, "a fire"))
    half_played.at(half_played.run.starts_at + MINUTE // 2)
    result = watched(half_played)
    assert (result["state"], result["next_opening"]) == ("stopped", None)
