from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from pku.answers import Order
from pku.errors import ExchangeError
from pku.exchange import Exchange
from pku.journal import Journal, Journals
from pku.runner import Outcome, Step, run
from pku.sessions import start, wait_for_report
from tests.pku.platform import DrivenClock, Killed, Platform, answering, essay_cycle, lost_before, numbered, pku_error
from tests.stage import staged

TEXTS = numbered(3)


class Bench:
    """A platform, a clock, a place for journals and a solver that counts."""

    def __init__(self, platform: Platform, folder: Path) -> None:
        self.platform, self.clock = platform, platform.clock
        self.journals = Journals(folder)
        self.solved: list[str] = []

    def exchange(self, transport: httpx.BaseTransport | None = None) -> Exchange:
        return self.platform.exchange(transport, requests_per_second=0)

    def solve(self, content: dict[str, Any]) -> dict[str, Any]:
        self.solved.append(content["text"])
        content["selections"] = [{"id": 1, "startSelection": 0, "endSelection": 3, "type": "Р.лишн"}]
        return content

    def start(self, order: Order | None = None) -> str:
        return start(self.exchange(), self.journals, order or Order())[0].session_id

    def run(self, session_id: str, solver: Any = None, **settings: Any) -> Outcome:
        return run(self.exchange(), self.journals.of(session_id), solver or self.solve, **settings)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with staged(tmp_path, "trial") as stage:
        cycle = essay_cycle(TEXTS, test=numbered(12, "Проверочное эссе номер"))
        yield Bench(Platform(stage, DrivenClock(), cycle), tmp_path)


@pytest.mark.clause("R 2.20", "R 4.6", "platform §6 pku")
@pytest.mark.parametrize("workers", [1, 3])
def test_a_run_answers_every_file_once_and_ends_the_session(bench: Bench, workers: int) -> None:
    outcome = bench.run(bench.start(), workers=workers)
    assert outcome.complete
    assert (outcome.accepted, outcome.late, outcome.failures, outcome.session.state) == (3, 0, (), "finished")
    assert bench.platform.answers_counted() == [1, 1, 1]
    assert sorted(bench.solved) == sorted(each["text"] for each in TEXTS)


def test_progress_counts_up_to_the_number_of_files(bench: Bench) -> None:
    seen: list[Step] = []
    bench.run(bench.start(), on_progress=seen.append)
    assert [(each.event, each.number) for each in seen[:4]] == [
        ("started", None), ("received", 1), ("solved", 1), ("sent", 1),
    ]  # fmt: skip
    assert (seen[-1].done, seen[-1].files, seen[-1].accepted) == (3, 3, 3)


def test_a_solver_that_changes_its_input_changes_nothing_else(bench: Bench) -> None:
    def spoil(content: dict[str, Any]) -> dict[str, Any]:
        answer = bench.solve(dict(content))
        content.clear()
        return answer

    assert bench.run(bench.start(), spoil).complete


def test_a_failing_file_does_not_stop_the_others(bench: Bench) -> None:
    def moody(content: dict[str, Any]) -> dict[str, Any]:
        if "номер 1" in content["text"]:
            raise ValueError("no idea")
        return bench.solve(content)

    outcome = bench.run(bench.start(), moody)
    assert (outcome.accepted, outcome.complete) == (2, False)
    ((number, failure),) = outcome.failures
    assert failure.code == "solver_raised"
    assert "ValueError: no idea" in failure.message
    assert bench.platform.answers_counted() == [int(each != number) for each in (1, 2, 3)]


def test_a_wrong_markup_is_named_precisely_and_never_sent(bench: Bench) -> None:
    spoilt: tuple[tuple[Callable[[Any], Any], str], ...] = (
        (lambda content: {**content, "text": "другое"}, "text_differs"),
        (lambda content: {**content, "selections": [{"startSelection": 0, "endSelection": 99, "type": "Р.лишн"}]},
         "span_outside_text"),
        (lambda content: {**content, "selections": [{"startSelection": 0, "endSelection": 1, "type": "Ы"}]},
         "unknown_code"),
        (lambda content: {**content, "meta": {**content["meta"], "subject": "rus"}}, "subject_differs"),
        (lambda _content: None, "not_an_object"),
        (lambda _content: {"when": object()}, "not_json"),
        (lambda content: {**content, "meta": {**content["meta"], "x": float("nan")}}, "not_json"),
    )  # fmt: skip
    session = bench.start()
    for spoil, code in spoilt:
        outcome = bench.run(session, spoil)
        assert [failure.code for _, failure in outcome.failures] == ["invalid_answer_here"] * 3
        assert f"[{code}]" in outcome.failures[0][1].message_ru
    assert not any(method == "PUT" for method, _ in bench.platform.requests)


def test_an_answer_the_platform_refuses_is_recorded_with_its_reasons(bench: Bench) -> None:
    session = bench.start(Order(files=1))
    bench.platform.faults.extend([None, None, answering(422, "invalid_answer", reason="wrong_text")])
    outcome = bench.run(session)
    ((_, failure),) = outcome.failures
    assert failure.code == "invalid_answer"
    assert "invalid_answer по-русски." in failure.message_ru
    assert "[invalid_answer_detail]" in failure.message_ru


def test_a_file_that_failed_is_tried_again_while_its_time_lasts(bench: Bench) -> None:
    session = bench.start(Order(files=1))
    assert not bench.run(session, lambda _: None).complete
    assert bench.run(session).complete
    assert len(bench.solved) == 1


def test_a_file_whose_time_is_over_is_not_solved(bench: Bench) -> None:
    session = bench.start(Order(files=1))
    bench.run(session, lambda _: None)
    bench.clock.at += 61
    outcome = bench.run(session)
    assert bench.solved == []
    assert not outcome.complete


def test_a_late_answer_is_sent_and_said_to_be_late(bench: Bench) -> None:
    def slow(content: dict[str, Any]) -> dict[str, Any]:
        bench.clock.at += 61
        return bench.solve(content)

    outcome = bench.run(bench.start(Order(files=1)), slow)
    assert (outcome.accepted, outcome.late, outcome.complete) == (0, 1, False)
    assert [failure.code for _, failure in outcome.failures] == ["answer_late"]


def test_an_outage_is_waited_out(bench: Bench) -> None:
    session = bench.start()
    bench.platform.faults.extend([None, lost_before, lost_before, None, lost_before, lost_before, lost_before])
    assert bench.run(session).complete
    assert bench.platform.answers_counted() == [1, 1, 1]


def test_a_long_outage_ends_the_run_and_the_next_one_continues(bench: Bench) -> None:
    session = bench.start()
    bench.platform.faults.extend([None, None, *[lost_before] * 1000])
    with pku_error("connection_failed"):
        bench.run(session)
    bench.platform.faults.clear()
    solved = list(bench.solved)
    assert len(solved) == 1
    outcome = bench.run(session)
    assert bench.solved[:1] == solved
    assert len(bench.solved) == 3, "the answer in hand was computed a second time"
    assert outcome.accepted + outcome.late == 3


def test_a_session_that_ended_meanwhile_ends_the_run(bench: Bench) -> None:
    session = bench.start()
    bench.platform.idle_out()
    outcome = bench.run(session)
    assert (outcome.accepted, outcome.session.state, len(outcome.failures)) == (0, "timed_out", 3)
    assert {failure.code for _, failure in outcome.failures} == {"file_voided"}


def test_a_session_aborted_in_the_middle_ends_the_run(bench: Bench) -> None:
    session = bench.start()

    def impatient(content: dict[str, Any]) -> dict[str, Any]:
        bench.platform.abort(session)
        return bench.solve(content)

    outcome = bench.run(session, impatient)
    assert (outcome.session.state, outcome.accepted, outcome.late) == ("aborted", 0, 1)


def test_a_lost_journal_loses_no_file(bench: Bench, tmp_path: Path) -> None:
    session = bench.start()
    bench.exchange().file(session, 2)
    fresh = Journals(tmp_path / "elsewhere")
    outcome = run(bench.exchange(), fresh.of(session), bench.solve)
    assert outcome.complete


def test_what_another_machine_answered_is_not_answered_again(bench: Bench, tmp_path: Path) -> None:
    session = bench.start()
    bench.run(session)
    again = run(bench.exchange(), Journals(tmp_path / "elsewhere").of(session), bench.solve)
    assert (again.accepted, again.complete, len(bench.solved)) == (3, True, 3)


def test_workers_never_hold_more_files_than_they_can_work_on(bench: Bench) -> None:
    most = []
    lock = threading.Lock()

    def watching(content: dict[str, Any]) -> dict[str, Any]:
        with lock:
            most.append(bench.platform.status()["counts"]["open"])
            return bench.solve(content)

    assert bench.run(bench.start(Order(set="test")), watching, workers=3).complete
    assert len(most) == 12
    assert max(most) <= 3


# --- killed anywhere -------------------------------------------------------------------------------------------------


TWO = Order(files=2)


def begin_and_run(exchange: Exchange, journals: Journals, bench: Bench) -> None:
    session, _ = start(exchange, journals, TWO)
    run(exchange, journals.of(session.session_id), bench.solve)


class DyingJournal(Journal):
    """Journal that dies at a given write: before it, in its middle, or right after it."""

    countdown = 0
    cut: float = 0

    def _write(self, handle: int, line: bytes) -> None:
        DyingJournal.countdown -= 1
        if DyingJournal.countdown >= 0:
            super()._write(handle, line)
            return
        os.write(handle, line[: int(len(line) * DyingJournal.cut)])
        raise Killed


@pytest.mark.clause("platform §6 pku")
@pytest.mark.parametrize("cut", [0.5, *(pytest.param(cut, marks=pytest.mark.long) for cut in (0.0, 1.0))])
@pytest.mark.parametrize("step", range(7))  # opened, then received, solved and sent of two files
def test_killed_at_any_write_a_run_answers_every_file_exactly_once(bench: Bench, step: int, cut: float) -> None:
    DyingJournal.countdown, DyingJournal.cut = step, cut
    dying = Journals(bench.journals.folder, DyingJournal)
    with pytest.raises(Killed):
        begin_and_run(bench.exchange(), dying, bench)
    outcome = bench.run(bench.start(TWO) if step == 0 else bench.platform.session_ids()[-1])
    assert outcome.complete
    assert len(bench.platform.session_ids()) == 1
    assert bench.platform.answers_counted() == [1, 1]
    twice = 1 if step in {2, 5} and cut < 1 else 0  # the write that died would have kept the answer
    assert len(bench.solved) == 2 + twice


class DyingTransport(httpx.BaseTransport):
    """Transport that dies with a given request, before the platform has seen it or after."""

    def __init__(self, inner: httpx.BaseTransport, step: int, *, handled: bool) -> None:
        self._inner, self._step, self._handled = inner, step, handled

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self._step -= 1
        if self._step >= 0:
            return self._inner.handle_request(request)
        if self._handled:
            self._inner.handle_request(request)
        raise Killed


@pytest.mark.parametrize("handled", [pytest.param(False, marks=pytest.mark.long), True])
@pytest.mark.parametrize("step", range(7))  # open, session, then file and answer two times, session
def test_killed_at_any_request_a_run_answers_every_file_exactly_once(bench: Bench, step: int, handled: bool) -> None:
    dying = bench.exchange(DyingTransport(bench.platform.transport, step, handled=handled))
    with pytest.raises(Killed):
        begin_and_run(dying, bench.journals, bench)
    session_id = bench.start(TWO) if step == 0 else bench.platform.session_ids()[0]
    outcome = bench.run(session_id)
    assert (outcome.complete, outcome.session.state) == (True, "finished")
    assert len(bench.platform.session_ids()) == 1
    assert bench.platform.answers_counted() == [1, 1]
    assert len(bench.solved) == 2, "something was solved twice without need"


def test_an_old_opening_whose_session_is_over_opens_a_new_one(bench: Bench) -> None:
    key = bench.journals.opening_key(Order())
    first = bench.exchange().open_session(Order(), key=key)
    bench.platform.idle_out()
    assert bench.start() != first.session_id


def test_a_refused_opening_leaves_no_key_behind(bench: Bench) -> None:
    bench.platform.faults.append(answering(422, "invalid_request"))
    with pytest.raises(ExchangeError):
        bench.start()
    assert not (bench.journals.folder / "opening.json").exists()


# --- the report ------------------------------------------------------------------------------------------------------


def test_a_report_is_waited_for_while_scores_are_missing(bench: Bench) -> None:
    session = bench.start()
    bench.run(session)
    seen = []

    def scored(progress: Any) -> None:
        seen.append((progress.scored, progress.files))
        if len(seen) == 1:
            bench.platform.stage.relay(bench.platform.stage.outbox()[:2])
            assert bench.platform.stage.work() == []
        else:
            bench.platform.score_all()

    report = wait_for_report(bench.exchange(), session, on_progress=scored)
    assert report["counts"]["answered"] == 3
    assert seen == [(0, 3), (2, 3)]
    assert bench.clock.slept == [2.0, 2.0]


def test_the_report_of_an_open_session_is_not_waited_for(bench: Bench) -> None:
    session = bench.start()
    with pytest.raises(ExchangeError) as caught:
        wait_for_report(bench.exchange(), session)
    assert (caught.value.code, bench.clock.slept) == ("session_open", [])


def test_waiting_for_a_report_ends(bench: Bench) -> None:
    session = bench.start()
    bench.run(session)
    with pytest.raises(Exception, match="not ready"):
        wait_for_report(bench.exchange(), session, timeout_s=60)
    assert sum(bench.clock.slept) == 60
