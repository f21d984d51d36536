"""Contract of the store of runs, tested on the adapter (on emulated services) and on its fake."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from contest.cycle.rules.cycle import Mode
from contest.exchange import store
from contest.people.rules import Change
from contest.platform import Platform
from contest.ports import FileNotes, Sent, SessionFacts, Wanted
from contest.run.rules.fate import Watch
from contest.run.rules.run import Amendment, Kind
from contest.run.rules.schedule import ArmedBy, Proposal, Release
from contest.session.rules import delivery
from contest.session.rules import session as session_rules
from contest.session.rules.delivery import Bodies, Delivery, Heard, Receipt
from contest.session.rules.session import Key, State, Used
from tests import samples
from tests.losing import loses

pytestmark = pytest.mark.integration

RUN = replace(samples.RUN, admitted=("blue", "red"))
PAUSE = Amendment(1, Kind.PAUSE, 5, 6, "tests", "a reason", {"so": [1, 2]})
SESSION = samples.RUN_SESSION
CHANGE = Change(1_000, "me", "something", RUN.run_id, None, {"a": 1})
RELEASE = Release(2, 60_000, 70_000, 5, ArmedBy.TIMER, "2" * 15, "0" * 64)


def test_a_run_reads_back_changes_only_from_what_was_read_and_is_active_until_it_is_closed(platform: Platform) -> None:
    platform.runs.add(RUN, CHANGE)
    assert platform.runs.get(RUN.run_id) == RUN
    loses(lambda: platform.runs.add(RUN, CHANGE))
    after = replace(RUN, amendments=(PAUSE,), version=1)
    platform.runs.change(RUN, after, CHANGE)
    assert platform.runs.get(RUN.run_id) == after
    loses(lambda: platform.runs.change(RUN, after, CHANGE))
    assert list(platform.audit_log.on("1970-01-01")) == [CHANGE, CHANGE]
    assert platform.runs.get("x" * 20) is None
    loses(lambda: platform.runs.close(replace(after, version=7), after))
    assert platform.runs.active_ids() == [RUN.run_id]
    platform.runs.close(after, replace(after, closed_at=9, version=2))
    assert platform.runs.active_ids() == []


def test_runs_of_a_mode_are_listed_by_their_start(platform: Platform) -> None:
    for letter, start in (("a", 1), ("b", 3), ("c", 2), ("d", 4)):
        mode = Mode.TECHNICAL if letter == "d" else Mode.FINAL
        platform.runs.add(replace(RUN, run_id=letter * 20, starts_at=start, mode=mode), None)
    assert [run_id[0] for run_id in platform.runs.of_mode(Mode.FINAL, 10)] == ["b", "c", "a"]
    assert [run_id[0] for run_id in platform.runs.of_mode(Mode.FINAL, 1, 3)] == ["c"]


def test_a_team_joins_a_final_once_and_is_named_by_the_run(platform: Platform) -> None:
    platform.sessions.join(SESSION, Key("key", "asked"))
    assert platform.sessions.get(SESSION.session_id) == SESSION
    assert platform.sessions.used("red", "key") == Used("asked", SESSION.session_id)
    assert platform.sessions.participation("red", RUN.run_id) == SESSION.session_id
    assert platform.sessions.participation("blue", RUN.run_id) is None
    assert platform.runs.sessions_of(RUN.run_id) == [("red", SESSION.session_id)]
    platform.sessions.close(SESSION, replace(SESSION, closed_at=5, version=1))
    loses(lambda: platform.sessions.join(replace(SESSION, session_id="t" * 20), None))


def test_a_team_may_join_a_technical_run_again(platform: Platform) -> None:
    first = replace(SESSION, order=replace(SESSION.order, mode="technical"))
    second = replace(first, session_id="t" * 20)
    platform.sessions.join(first, None)
    loses(lambda: platform.sessions.join(second, None))
    platform.sessions.close(first, replace(first, closed_at=5, version=1))
    platform.sessions.join(second, None)
    assert len(platform.runs.sessions_of(RUN.run_id)) == 2


def test_a_release_is_written_from_what_was_read(platform: Platform) -> None:
    assert platform.runs.release(RUN.run_id, 2) is None
    platform.runs.arm(RUN.run_id, RELEASE, None)
    loses(lambda: platform.runs.arm(RUN.run_id, RELEASE, None))
    moved = replace(RELEASE, opens_at=80_000, armed_by=ArmedBy.REQUEST, version=2)
    platform.runs.arm(RUN.run_id, moved, RELEASE)
    loses(lambda: platform.runs.arm(RUN.run_id, moved, RELEASE))
    assert platform.runs.release(RUN.run_id, 2) == moved
    assert platform.runs.releases(RUN.run_id) == [moved]
    for number in (1, 10):
        platform.runs.arm(RUN.run_id, replace(RELEASE, number=number), None)
    numbers = [[each.number for each in platform.runs.releases(RUN.run_id, first)] for first in (1, 2, 3, 11)]
    assert numbers == [[1, 2, 10], [2, 10], [10], []]


def test_a_proposal_follows_the_one_before(platform: Platform) -> None:
    assert platform.runs.proposal(RUN.run_id) is None
    platform.runs.propose(RUN.run_id, Proposal({"files": [1]}, 1), None)
    loses(lambda: platform.runs.propose(RUN.run_id, Proposal({"files": [2]}, 1), None))
    platform.runs.propose(RUN.run_id, Proposal({"files": [1, 2]}, 2), None)
    assert platform.runs.proposal(RUN.run_id) == Proposal({"files": [1, 2]}, 2)


def test_what_the_timer_knows_of_a_run_follows_what_it_knew_before(platform: Platform) -> None:
    assert platform.runs.watch(RUN.run_id) == Watch()
    first = Watch({SESSION.session_id: "am?"}, 1)
    platform.runs.keep_watch(RUN.run_id, first)
    loses(lambda: platform.runs.keep_watch(RUN.run_id, Watch({}, 1)))
    loses(lambda: platform.runs.keep_watch(RUN.run_id, Watch({}, 3)))
    assert platform.runs.watch(RUN.run_id) == first
    second = Watch({SESSION.session_id: "ama", "2" * 15: "p"}, 2)
    platform.runs.keep_watch(RUN.run_id, second)
    assert platform.runs.watch(RUN.run_id) == second


def test_facts_of_many_sessions_are_read_together(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_AT_ONCE", 2)
    others = {f"{number}" * 15: f"team{number}" for number in range(2, 7)}
    sessions = [SESSION, *(replace(SESSION, session_id=name, team_id=team) for name, team in others.items())]
    reads, names = platform.session_reads, [session.session_id for session in sessions]
    for session in sessions[:-1]:
        platform.sessions.join(session, None)
    assert reads.sessions(names) == {session.session_id: session for session in sessions[:-1]}
    for place, session in enumerate(sessions[:3]):
        platform.deliveries.ask(session.session_id, 1, place)
        platform.deliveries.hand_out(session.session_id, Delivery(1, place, 9))
        platform.deliveries.arrive(session.session_id, 1, "a", 4)
        platform.requests.note(session.team_id, None, place, second=5, session=session)
    numbers = {name: [1, 2] for name in names}
    played = dict(enumerate(names[:3]))
    noted = {name: FileNotes({1: Delivery(1, at, 9)}, {1: at}, {1: [4]}) for at, name in played.items()}
    assert reads.files(numbers) == noted | {name: FileNotes({}, {}, {}) for name in names[3:]}
    requests = reads.requests(session.team_id for session in sessions)
    latest = {s.session_id: requests[s.team_id].seen_at(s) for s in sessions if s.team_id in requests}
    assert latest == {name: at for at, name in played.items()}
    assert reads.sessions([]) == reads.files({}) == reads.attachments(names) == {}


def test_the_first_request_counts_whichever_was_noted_first(platform: Platform) -> None:
    facts = platform.deliveries
    assert [facts.ask(SESSION.session_id, 1, at) for at in (7, 9, 5)] == [7, 7, 5]
    assert platform.session_reads.facts(SESSION.session_id).first_requests == {1: 5}


def test_an_answers_first_arrival_counts_until_it_is_decided_on(platform: Platform) -> None:
    platform.sessions.join(SESSION, None)
    facts, name, handed_out = platform.deliveries, SESSION.session_id, Delivery(1, 1, 60_000)
    facts.hand_out(name, handed_out)

    def noted() -> Mapping[int, Sequence[int]]:
        return platform.session_reads.facts(name).arrived

    assert [facts.arrive(name, 1, letter * 64, at) for letter, at in (("a", 9), ("b", 8), ("a", 10))] == [9, 8, 9]
    assert noted() == {1: [8, 9]}
    facts.settle(name, 1, "a" * 64)
    facts.settle(name, 1, "a" * 64)
    assert noted() == {1: [8]}
    assert facts.arrive(name, 1, "a" * 64, 11) == 11
    decision = delivery.accept_answer(
        handed_out, Heard("answer", "b" * 64, 8, False, 8), now=9, sends_per_file=10, session_open=True
    )
    receipt = Receipt(1, 1, "accepted", "b" * 64, "{}")
    facts.send(Sent(SESSION, handed_out, decision.after, receipt, None, False, 12, settles=False))
    assert noted() == {1: [8, 11]}
    facts.send(
        Sent(SESSION, decision.after, replace(decision.after, version=2), replace(receipt, send=2), None, False, 12)
    )
    assert noted() == {1: [11]}
    facts.ignore(SESSION, replace(receipt, send=3, status="ignored", content_sha256="a" * 64), None)
    assert noted() == {}


def test_bodies_that_make_no_send_are_counted_while_the_session_is_open(platform: Platform) -> None:
    platform.sessions.join(SESSION, None)
    name, wish = SESSION.session_id, Wanted("red", SESSION.session_id, frozenset({1}), reads_bodies=True)
    assert platform.session_reads.facts(name).bodies == {}
    for code in ("broken_json", "wrong_text"):
        platform.deliveries.count_refused(name, 1, code)
    platform.deliveries.count_repeated(name, 1)
    platform.deliveries.count_repeated(name, 12)
    counted = {1: Bodies(2, "wrong_text", 1), 12: Bodies(repeated=1)}
    assert platform.session_reads.facts(name).bodies == counted
    platform.sessions.close(SESSION, session_rules.closed_session(SESSION, State.ABORTED, 99))
    platform.deliveries.count_refused(name, 1, "broken_json")
    platform.deliveries.count_repeated(name, 2)
    assert platform.session_reads.read(wish).bodies == counted


def test_what_a_request_wants_of_a_run_is_read_at_once(platform: Platform) -> None:
    platform.sessions.join(SESSION, None)
    platform.runs.add(RUN, None)
    platform.runs.arm(RUN.run_id, RELEASE, None)
    platform.deliveries.ask(SESSION.session_id, 2, 7)
    wish = Wanted("red", SESSION.session_id, frozenset({1, 2}), run_id=RUN.run_id, release=2, reads_run=True)
    answer = platform.session_reads.read(wish)
    assert (answer.run, answer.release) == (RUN, RELEASE)
    assert (dict(answer.first_requests), dict(answer.deliveries)) == ({2: 7}, {})
    without = platform.session_reads.read(replace(wish, reads_run=False, release=0))
    assert (without.run, without.release, dict(without.first_requests)) == (None, None, {2: 7})


def test_everything_that_was_noted_of_a_sessions_files_is_one_query(platform: Platform) -> None:
    platform.sessions.join(SESSION, None)
    name, first = SESSION.session_id, Delivery(1, 1, 60_000)
    assert platform.session_reads.facts(name) == SessionFacts((), {}, {}, None)
    platform.deliveries.ask(name, 1, 7)
    platform.deliveries.arrive(name, 1, "a" * 64, 9)
    platform.deliveries.hand_out(name, first)
    facts = platform.session_reads.facts(name)
    assert (facts.deliveries, facts.first_requests, facts.arrived) == ((first,), {1: 7}, {1: [9]})
    assert facts.attachment == platform.connections.attachment(name)
