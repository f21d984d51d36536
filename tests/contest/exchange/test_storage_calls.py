"""Number of calls to the cloud per request, counted through the real handlers on emulated services.

Each function has its own processes. A process is warm when it has seen the session before and had the file for another
team: it has already read their constant data. First reads of a fresh process are listed apart. Minutes and seconds pass
between the requests, so nothing is warm only because the clock stands still.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from contest.values import SECOND
from tests.calls import Calls, counted
from tests.run_stage import RunOnStage
from tests.stage import Answered, Program, Stage
from tests.stage_kept import Setting
from tests.toys import toy_cycle

STAGE = Setting()

FILES = 3


class Measured:
    """Calls of every kind of request, file by file."""

    def __init__(self) -> None:
        self.found: dict[str, list[Calls]] = {}

    def note(self, what: str, ask: Callable[..., Answered], *args: Any, status: int = 200, **more: Any) -> None:
        with counted() as calls:
            answered = ask(*args, **more)
        assert answered.status == status, answered.text
        self.found.setdefault(what, []).append(calls)

    def at_most(self, what: str) -> int:
        """Return the calls of a warm process: the first request of a kind is left out, see :meth:`cold`."""
        return max(each.count for each in self.found[what][1:])

    def cold(self, what: str) -> int:
        """Return the calls of a process that has not seen the session or the kind of request before."""
        return self.found[what][0].count

    def __str__(self) -> str:
        lines = (
            f"{what:28} {[each.count for each in calls]}  {calls[-1]}" for what, calls in sorted(self.found.items())
        )
        return "\n".join(lines)


def played_run(stage: Stage) -> Measured:
    """Play a run of two teams: the first one's requests warm the process, the second one's are measured."""
    played, measured = RunOnStage(stage, FILES, "red", "blue"), Measured()
    red, blue = played.programs["red"], played.programs["blue"]
    for number in range(1, FILES + 1):
        opening = played.schedule.opens_at(number)
        played.at(opening - 30 * SECOND)
        stage.tick()
        measured.note("next, waiting", blue.get, "next")
        played.at(opening)
        measured.note("file, first of a process", red.get, f"files/{number}")
        stage.advance(3)
        measured.note("file at its opening", blue.get, f"files/{number}")
        measured.note("file once more", blue.get, f"files/{number}")
        stage.advance(7)
        measured.note("answer, first of a process", red.answer, number, {"letters": "abcd"})
        measured.note("answer", blue.answer, number, {"letters": "abcd"}, key=f"k{number}")
        measured.note("answer once more", blue.answer, number, {"letters": "abcd"}, key=f"k{number}")
        stage.advance(3)
        measured.note("status", blue.get)
    return measured


def played_alone(stage: Stage) -> Measured:
    """Play an algorithmic session."""
    measured = Measured()
    stage.load(toy_cycle(train=FILES))
    stage.restart()
    program = Program(stage, stage.team("red"))
    program.open()
    for number in range(1, FILES + 1):
        stage.advance(61)
        measured.note("next", program.get, "next")
        stage.advance(1)
        measured.note("file", program.get, f"files/{number}")
        stage.advance(5)
        what = "answer" if number < FILES else "answer, the last"
        measured.note(what, program.answer, number, {"letters": "abcd"}, key=f"k{number}")
        stage.advance(1)
        measured.note("status", program.get)
    return measured


def test_a_request_in_a_run_asks_the_cloud_no_more_often_than_it_must(stage: Stage) -> None:
    measured = played_run(stage)
    print(measured)
    limits = {
        "next, waiting": 2,
        "file, first of a process": 5,  # the file's text is read once per process
        "file at its opening": 4,
        "file once more": 2,
        "answer, first of a process": 6,  # again the text: what takes answers is not what hands out
        "answer": 5,
        "answer once more": 4,
        "status": 3,
    }
    assert {what: measured.at_most(what) <= limit for what, limit in limits.items()} == dict.fromkeys(limits, True)
    # A fresh process reads the parameters, all that is known of the session, and the file's text, once each.
    assert measured.cold("next, waiting") <= 3
    assert measured.cold("file, first of a process") <= 6


def test_a_request_of_ones_own_session_asks_the_cloud_no_more_often_than_it_must(stage: Stage) -> None:
    measured = played_alone(stage)
    print(measured)
    limits = {"next": 2, "file": 4, "answer": 6, "status": 5}  # with the text, by whom no other session has had it
    assert {what: measured.at_most(what) <= limit for what, limit in limits.items()} == dict.fromkeys(limits, True)
    assert measured.cold("answer, the last") <= limits["answer"] + 2  # all deliveries read, the session ended


def test_joining_a_final_and_listing_sessions_ask_the_cloud_no_more_often_than_they_must(stage: Stage) -> None:
    """Join with warm processes, then with fresh ones, which also record the token's use (once in ten minutes)."""
    run, measured = RunOnStage(stage, FILES, "red"), Measured()
    joined = {"mode": run.run.mode.value, "run": run.run_id}
    for team_id, is_fresh in (("blue", False), ("grey", False), ("pink", True)):
        program = Program(stage, stage.team(team_id))
        for what, request, status in (
            ("join", ("POST", "/v1/sessions", joined), 201),
            ("list", ("GET", "/v1/sessions"), 200),
        ):
            stage.advance(3)
            if is_fresh:
                stage.restart()
            measured.note(f"{what}, fresh" if is_fresh else what, program.ask, *request, status=status)
    print(measured)
    assert measured.at_most("join") <= 6
    assert measured.at_most("list") <= 3
    # A fresh process reads parameters and run, and which of the team's sessions there are before it reads them.
    assert measured.cold("join, fresh") <= 9
    assert measured.cold("list, fresh") <= 8


def test_a_fresh_process_asks_the_cloud_for_a_file_and_its_answer_no_more_often_than_it_must(stage: Stage) -> None:
    """A process started in the middle of a run has had no request of the session before."""
    played, measured = RunOnStage(stage, FILES, "red"), Measured()
    program = played.programs["red"]
    played.at(played.schedule.opens_at(1))
    stage.restart()
    measured.note("file", program.get, "files/1")
    stage.advance(7)
    stage.restart()
    measured.note("answer", program.answer, 1, {"letters": "abcd"}, key="k1")
    print(measured)
    assert measured.cold("file") <= 12
    assert measured.cold("answer") <= 14
