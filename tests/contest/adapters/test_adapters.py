"""One contract, tested on the adapters on emulated services and on the fakes that replace them elsewhere."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from concurrent.futures import Future, wait
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from contest.adapters import aws
from contest.adapters.aws import S3Blobs
from contest.adapters.signatures import Ed25519Signer
from contest.adapters.system import SystemRandomness
from contest.cycle.rules.cycle import Bundle, Cycle, EssaySet, Kit, KitList, Package, SetKind, Version
from contest.cycle.rules.sets import Import, ImportKind, ImportOrder, ImportState
from contest.cycle.rules.stages import Stage, StageName, WorkingDays
from contest.edge.guards import job_from
from contest.messages.rules import Attempt, Hook, Outcome
from contest.messages.rules import Delivery as HookDelivery
from contest.people.rules import Change, Role, Team, TeamStatus, Token, bearer_hash, token_hash
from contest.platform import Platform
from contest.ports import MissingBlobError, Sent, Wanted
from contest.results.rules.jobs import Job, OutboxEntry, ScoreKey
from contest.results.rules.leaderboard import Entry
from contest.results.store import MAX_RECORD, RecordTooLargeError
from contest.session.rules import delivery as delivery_rules
from contest.session.rules import session as session_rules
from contest.session.rules.delivery import Delivery, Heard, Receipt
from contest.session.rules.session import (
    SESSION_ID,
    Client,
    Counts,
    DayQuota,
    Key,
    Order,
    PlannedFile,
    Session,
    State,
    Used,
)
from contest.values import Upload
from tests import samples
from tests.losing import loses
from tests.stage import staged

pytestmark = pytest.mark.integration

CLIENT = Client("pku", "0.1.0", "a" * 64, None)
SESSION = replace(
    samples.SESSION,
    session_id="s" * 20,
    order=Order("algorithmic", "train", 5, "all", 60, CLIENT),
    opened_at=1_000,
    quota_day="2026-11-21",
)
PLAN = (PlannedFile("f" * 16, "item-1", "rus", "lit"), PlannedFile("g" * 16, "item-2", "eng", "eng"))
HANDED_OUT = Delivery(1, 2_000, 62_000)
CHANGE = Change(1_000, "me", "something", "x", None, {"a": 1})


KEY = Key("key", "asked")


@pytest.fixture
def opened(platform: Platform) -> Platform:
    platform.sessions.open(SESSION, PLAN, KEY, DayQuota("algorithmic", 20))
    return platform


@pytest.fixture
def handed_out(opened: Platform) -> Platform:
    opened.deliveries.hand_out(SESSION.session_id, HANDED_OUT)
    return opened


def sent(before: Delivery = HANDED_OUT, content: str = "a", key: str | None = None, session: Session = SESSION) -> Sent:
    decision = delivery_rules.accept_answer(
        before,
        Heard("answer", content, 3_000, False, 3_000),
        now=3_000,
        sends_per_file=10,
        session_open=session.is_open,
    )
    receipt = Receipt(before.number, decision.send, decision.status.value, content, f'{{"send":{decision.send}}}')
    is_scored = decision.status == "accepted"
    return Sent(session, before, decision.after, receipt, Key(key, content) if key else None, is_scored, 3_000)


def by_key(platform: Platform, key: str) -> Receipt | None:
    """Return the receipt stored under a key."""
    used = platform.sessions.used(SESSION.team_id, key)
    return platform.deliveries.receipt_named(used.session_id, used.receipt or "") if used else None


def test_an_opened_session_reads_back_with_everything(opened: Platform) -> None:
    sessions = opened.sessions
    assert sessions.get(SESSION.session_id) == SESSION
    assert sessions.plan(SESSION.session_id) == PLAN
    assert sessions.open_of("red", "algorithmic") == SESSION.session_id
    assert sessions.opened_on("red", "algorithmic", "2026-11-21") == 1
    assert sessions.used("red", "key") == Used("asked", SESSION.session_id)
    assert list(sessions.open_ids()) == [SESSION.session_id]
    assert list(sessions.of_team("red", 10, None)) == [SESSION.session_id]


def test_what_is_not_there_is_none_or_empty(platform: Platform) -> None:
    sessions, name = platform.sessions, "z" * 20
    assert (sessions.get(name), sessions.open_of("red", "x"), sessions.used("red", "x")) == (None, None, None)
    assert (sessions.opened_on("red", "x", "y"), platform.requests.of_team("red")) == (0, None)
    assert platform.deliveries.get(name, 1) is None
    assert platform.deliveries.receipt(name, 1, 1) is None
    assert platform.deliveries.ignored(name, 1, "a") is None
    assert platform.deliveries.receipt_named(name, "RECEIPT#0001#01") is None
    assert platform.deliveries.receipts(name, 5, None).items == ()
    assert platform.scores.get(name, ScoreKey(1, "a", "b")) is None
    assert platform.catalogue.cycle() is None
    assert (platform.people.team("x"), platform.people.token("x")) == (None, None)
    with pytest.raises(MissingBlobError):
        platform.blobs.get("nothing")


def test_a_lost_opening_writes_nothing(opened: Platform) -> None:
    other = replace(SESSION, session_id="t" * 20, opened_at=5_000)
    loses(lambda: opened.sessions.open(other, PLAN, Key("other", "asked"), DayQuota("algorithmic", 20)))
    assert opened.sessions.get(other.session_id) is None
    assert opened.sessions.opened_on("red", "algorithmic", "2026-11-21") == 1
    assert opened.sessions.used("red", "other") is None
    assert list(opened.sessions.of_team("red", 10, None)) == [SESSION.session_id]


def test_an_opening_beyond_the_quota_or_with_a_known_key_loses(opened: Platform) -> None:
    opened.sessions.close(SESSION, session_rules.closed_session(SESSION, State.ABORTED, 4_000))
    other = replace(SESSION, session_id="t" * 20, opened_at=5_000)
    loses(lambda: opened.sessions.open(other, PLAN, None, DayQuota("algorithmic", 1)))
    loses(lambda: opened.sessions.open(other, PLAN, KEY, DayQuota("algorithmic", 20)))
    assert opened.sessions.get(other.session_id) is None
    opened.sessions.open(other, PLAN, None, DayQuota("algorithmic", 2))
    assert opened.sessions.get(other.session_id) == other
    assert opened.sessions.opened_on("red", "algorithmic", "2026-11-21") == 2


def test_closing_happens_once_and_moves_the_pointers(opened: Platform) -> None:
    closed = session_rules.closed_session(SESSION, State.FINISHED, 90_000_000)
    opened.sessions.close(SESSION, closed)
    loses(lambda: opened.sessions.close(SESSION, session_rules.closed_session(SESSION, State.ABORTED, 5)))
    assert opened.sessions.get(SESSION.session_id) == closed
    assert opened.sessions.open_of("red", "algorithmic") is None
    assert list(opened.sessions.open_ids()) == []
    assert list(opened.sessions.unreported_ids()) == [SESSION.session_id]
    assert list(opened.sessions.closed_on("1970-01-02")) == [SESSION.session_id]
    for _ in range(2):
        opened.sessions.mark_reported(SESSION.session_id, 0)
    assert list(opened.sessions.unreported_ids()) == []
    noted = replace(closed, counts=Counts(0, 0, 1, 1, 1))
    opened.sessions.note_counts(noted)
    assert opened.sessions.get(SESSION.session_id) == noted


def test_answers_put_to_work_make_a_closed_session_unreported_again(opened: Platform) -> None:
    name, entry = SESSION.session_id, OutboxEntry(Job(SESSION.session_id, 1, "d" * 64), 9_000, 1)
    opened.sessions.close(SESSION, session_rules.closed_session(SESSION, State.FINISHED, 4_000))
    opened.outbox.put(entry)
    assert opened.sessions.unreported_since(name) == 1
    opened.sessions.mark_reported(name, 0)
    assert list(opened.sessions.unreported_ids()) == [name]
    opened.outbox.put(replace(entry, enqueued=5))
    assert list(opened.outbox.of_session(name)) == [entry]
    opened.sessions.mark_reported(name, 1)
    assert list(opened.sessions.unreported_ids()) == [name]
    opened.sessions.mark_reported(name, 2)
    assert (list(opened.sessions.unreported_ids()), opened.sessions.unreported_since(name)) == ([], 0)
    opened.outbox.put(entry)
    assert list(opened.sessions.unreported_ids()) == [name]


def heard(platform: Platform, at: int, session: Session = SESSION) -> int | None:
    """Note a request of the session; return the moment noted before, or None."""
    before = platform.requests.of_team("red")
    platform.requests.note("red", before, at, session=session)
    return before.seen_at(session) if before else None


def latest(platform: Platform, *sessions: Session) -> list[int | None]:
    """Return the latest moment stored for each session of the team."""
    requests = platform.requests.of_team("red")
    assert requests is not None
    return [requests.seen_at(session) for session in sessions]


def test_the_latest_request_of_each_mode_is_remembered_and_earlier_ones_change_nothing(platform: Platform) -> None:
    assert [heard(platform, at) for at in (100, 300, 200, 300, 400)] == [None, 100, 300, 300, 300]
    assert latest(platform, SESSION) == [400]
    assert platform.requests.of_team("blue") is None
    final = replace(SESSION, session_id="f" * 20, order=replace(SESSION.order, mode="final"))
    later = replace(SESSION, session_id="t" * 20)
    assert [heard(platform, 50, final), heard(platform, 40, later)] == [None, None]
    assert latest(platform, final, later, SESSION) == [50, 40, None]


def test_whoever_believes_an_earlier_request_the_latest_loses(platform: Platform) -> None:
    heard(platform, 100)
    before = platform.requests.of_team("red")
    heard(platform, 300)
    loses(lambda: platform.requests.note("red", before, 200, second=7, session=SESSION))
    loses(lambda: platform.requests.note("red", None, 400, second=7, session=SESSION))
    assert platform.requests.note("red", before, 400, second=7, session=SESSION) == 1
    assert latest(platform, SESSION) == [400]


def test_a_teams_sessions_come_newest_first_in_pages(platform: Platform) -> None:
    names = []
    for index in range(3):
        session = replace(SESSION, session_id=str(index) * 20, opened_at=1_000 * index)
        platform.sessions.open(session, PLAN, None, DayQuota("algorithmic", 20))
        platform.sessions.close(session, session_rules.closed_session(session, State.ABORTED, 9_000))
        names.append(session.session_id)
    assert list(platform.sessions.of_team("red", 2, None)) == names[:0:-1]
    assert list(platform.sessions.of_team("red", 2, 1_000)) == names[:1]
    assert list(platform.sessions.of_team("blue", 2, None)) == []


def test_a_file_is_handed_out_once_and_only_while_the_session_is_open(handed_out: Platform) -> None:
    deliveries = handed_out.deliveries
    loses(lambda: deliveries.hand_out(SESSION.session_id, Delivery(1, 9_999, 69_999)))
    assert deliveries.get(SESSION.session_id, 1) == HANDED_OUT
    handed_out.sessions.close(SESSION, session_rules.closed_session(SESSION, State.ABORTED, 4_000))
    loses(lambda: deliveries.hand_out(SESSION.session_id, Delivery(2, 9_999, 69_999)))
    assert deliveries.of_session(SESSION.session_id) == [HANDED_OUT]


def test_a_send_writes_delivery_receipt_key_and_outbox_together(handed_out: Platform) -> None:
    sending = sent(key="k")
    handed_out.deliveries.send(sending)
    assert handed_out.deliveries.get(SESSION.session_id, 1) == sending.after
    assert handed_out.deliveries.receipt(SESSION.session_id, 1, 1) == sending.receipt
    assert by_key(handed_out, "k") == sending.receipt
    job = Job(SESSION.session_id, 1, sending.receipt.content_sha256)
    assert list(handed_out.outbox.of_session(SESSION.session_id)) == [OutboxEntry(job, 3_000, 1)]


def test_of_two_sends_on_the_same_version_one_loses_and_writes_nothing(handed_out: Platform) -> None:
    handed_out.deliveries.send(sent(content="a"))
    loses(lambda: handed_out.deliveries.send(sent(content="b", key="k")))
    assert handed_out.deliveries.receipts(SESSION.session_id, 9, None).items == (sent().receipt,)
    assert by_key(handed_out, "k") is None
    assert [entry.job.content_sha256 for entry in handed_out.outbox.of_session(SESSION.session_id)] == ["a"]


def test_a_send_that_believes_the_session_open_loses_against_its_end(handed_out: Platform) -> None:
    closed = session_rules.closed_session(SESSION, State.FINISHED, 4_000)
    handed_out.sessions.close(SESSION, closed)
    loses(lambda: handed_out.deliveries.send(sent()))
    handed_out.deliveries.send(sent(session=closed))
    stored = handed_out.deliveries.receipt(SESSION.session_id, 1, 1)
    assert stored is not None
    assert stored.status == "late"


def test_a_used_key_loses(handed_out: Platform) -> None:
    first = sent(key="k")
    handed_out.deliveries.send(first)
    loses(lambda: handed_out.deliveries.send(sent(first.after, "b", "k")))
    assert handed_out.deliveries.get(SESSION.session_id, 1) == first.after
    second = sent(first.after, "b")
    handed_out.deliveries.send(second)
    assert handed_out.deliveries.get(SESSION.session_id, 1) == second.after


def test_ignored_answers_have_receipts_of_their_own_and_change_no_delivery(handed_out: Platform) -> None:
    ignored = Receipt(1, 11, "ignored", "c" * 64, "{}")
    handed_out.deliveries.ignore(SESSION, ignored, Key("k", "asked"))
    loses(lambda: handed_out.deliveries.ignore(SESSION, ignored, None))
    assert handed_out.deliveries.ignored(SESSION.session_id, 1, "c" * 64) == ignored
    assert by_key(handed_out, "k") == ignored
    assert handed_out.deliveries.get(SESSION.session_id, 1) == HANDED_OUT


def test_receipts_come_by_file_and_send_in_pages(handed_out: Platform) -> None:
    handed_out.deliveries.hand_out(SESSION.session_id, Delivery(2, 2_000, 62_000))
    receipts_given = []
    for number in (1, 2):
        delivery = Delivery(number, 2_000, 62_000)
        for send in range(10):
            sending = sent(delivery, f"content {send}")
            handed_out.deliveries.send(sending)
            receipts_given.append(sending.receipt)
            delivery = sending.after
    receipts_read, after = [], None
    while True:
        page = handed_out.deliveries.receipts(SESSION.session_id, 7, after)
        receipts_read += page.items
        if page.after is None:
            break
        after = page.after
    assert receipts_read == receipts_given


def test_outbox_entries_are_counted_once_and_done_any_number_of_times(platform: Platform) -> None:
    entry = OutboxEntry(Job(SESSION.session_id, 1, "a"), 1_000, 1)
    platform.outbox.put(entry)
    platform.outbox.put(replace(entry, enqueued_at=9))
    platform.outbox.enqueued_again(entry, 5_000)
    platform.outbox.enqueued_again(entry, 6_000)
    assert list(platform.outbox.of_session(SESSION.session_id)) == [OutboxEntry(entry.job, 5_000, 2)]
    platform.outbox.done(entry.job)
    platform.outbox.done(entry.job)
    platform.outbox.enqueued_again(entry, 7_000)
    assert list(platform.outbox.of_session(SESSION.session_id)) == []


def test_the_outbox_of_all_sessions_tells_what_was_put_into_the_queue_before_a_moment(platform: Platform) -> None:
    entries = [OutboxEntry(Job(f"{name}" * 15, 1, "a"), name * 1_000, 1) for name in range(1, 9)]
    for entry in entries:
        platform.outbox.put(entry)
    older = sorted(platform.outbox.older_than(5_000), key=lambda entry: entry.enqueued_at)
    assert older == entries[:4]
    assert [list(platform.outbox.of_session(entry.job.session_id)) for entry in entries] == [
        [expected] for expected in entries
    ]


def test_a_tick_tells_where_a_timer_left_its_work_and_an_earlier_one_does_not(platform: Platform) -> None:
    assert (platform.upkeep.left("minute"), dict(platform.upkeep.ticks())) == ("", {})
    platform.upkeep.tick("minute", 2_000, "reports/1")
    platform.upkeep.tick("minute", 1_000, "reports/2")
    platform.upkeep.tick("minute", 2_000, "reports/3")
    assert (platform.upkeep.left("minute"), platform.upkeep.ticks()) == ("reports/3", {"minute": 2_000})
    platform.upkeep.tick("minute", 3_000)
    platform.upkeep.tick("tend", 3)
    assert (platform.upkeep.left("minute"), platform.upkeep.ticks()) == ("", {"minute": 3_000, "tend": 3})


def test_a_score_is_written_once(platform: Platform) -> None:
    key = ScoreKey(1, "a" * 64, "b" * 64)
    platform.scores.put(SESSION.session_id, key, b'{"points":1}')
    loses(lambda: platform.scores.put(SESSION.session_id, key, b'{"points":2}'))
    assert platform.scores.get(SESSION.session_id, key) == b'{"points":1}'
    assert dict(platform.scores.of_session(SESSION.session_id)) == {key: b'{"points":1}'}


def test_a_team_has_one_entry_on_a_board_and_whoever_believes_another_loses(platform: Platform) -> None:
    entry = Entry("rus", "red", SESSION.session_id, 5, 1, 10, 10, {"relative_accuracy": 0.1 + 0.2, "по": ["русски"]})
    better = replace(entry, session_id="t" * 20, result={"relative_accuracy": 0.7})
    assert platform.scores.entry("toy-1", "rus", "red") is None
    platform.scores.enter("toy-1", None, entry)
    loses(lambda: platform.scores.enter("toy-1", None, better))
    assert platform.scores.entry("toy-1", "rus", "red") == entry
    platform.scores.enter("toy-1", entry, better)
    loses(lambda: platform.scores.enter("toy-1", entry, entry))
    platform.scores.enter("toy-1", None, replace(entry, team_id="blue"))
    assert list(platform.scores.entries("toy-1", "rus")) == [replace(entry, team_id="blue"), better]
    assert list(platform.scores.entries("toy-1", "all")) == []


KIT = Kit(
    KitList(
        "0.1.0",
        "1" * 64,
        (Package("kit.whl", 3, "2" * 64, "hurdle-pku", "0.1.0"),),
        (Bundle("kit.zip", 4, "3" * 64, "linux-x86_64", ("3.11", "3.12")),),
    ),
    4,
    "0123456789abcdef",
    "c2lnbmVk",
)


def cycle_of(version: int) -> Cycle:
    sets = (EssaySet("train", SetKind.TRAINING, "0" * 64, {"rus": 3}),)
    return Cycle(
        "toy-1",
        {"ru": "Имя", "en": "Name"},
        "UTC",
        "toy",
        {"rus": ("lit",)},
        {"codes": []},
        sets,
        1,
        5,
        stages=(Stage(StageName.FINAL, "2027-03-01", "2027-03-02"),),
        working_days=WorkingDays((6,), ("2027-01-01",), ("2027-01-10",)),
        notices={"parameters": 14, "sets": 0},
        versions=(Version(1, 5), Version(2, 9, withdrawn_at=7)),
        sets_changed_at=5,
        kits=(KIT,),
        version=version,
    )


PARAMETERS = replace(samples.PARAMETERS, announced_at=5, track={"weights": [1.0, 2.5]})


def test_a_cycle_is_published_on_the_version_it_saw(platform: Platform) -> None:
    platform.catalogue.publish(cycle_of(0), PARAMETERS, CHANGE)
    loses(lambda: platform.catalogue.publish(cycle_of(0), replace(PARAMETERS, version=2), CHANGE))
    assert platform.catalogue.cycle() == cycle_of(1)
    assert platform.catalogue.parameters(1) == PARAMETERS
    loses(lambda: platform.catalogue.publish(cycle_of(1), PARAMETERS, CHANGE))
    platform.catalogue.publish(cycle_of(1), None, CHANGE)
    assert platform.catalogue.cycle() == cycle_of(2)


def test_teams_and_tokens(platform: Platform) -> None:
    people, team = platform.people, Team("red", "Красные", TeamStatus.APPROVED, 5)
    people.add_team(team, CHANGE)
    loses(lambda: people.add_team(team, CHANGE))
    assert people.teams({"red", "blue"}) == {"red": team}
    token = Token("k1", "h" * 64, "red", Role.PROGRAM, 5)
    people.issue(token, CHANGE)
    loses(lambda: people.issue(token, CHANGE))
    assert (people.token("h" * 64), list(people.tokens_of("red"))) == (token, [token])
    people.revoke(token, 9, CHANGE)
    loses(lambda: people.revoke(token, 10, CHANGE))
    revoked = replace(token, revoked_at=9)
    assert (people.token("h" * 64), list(people.tokens_of("red"))) == (revoked, [revoked])
    loses(lambda: people.revoke(replace(token, token_id="k2", token_sha256="i" * 64), 9, CHANGE))


def test_the_log_keeps_its_order_and_its_days_and_nothing_that_lost_its_race(platform: Platform) -> None:
    second = Change(2_000, "me", "two", "x", {"a": 1}, None)
    teams = [Team(f"team-{index}", f"Name {index}", TeamStatus.APPROVED, 5) for index in range(3)]
    for team, change in zip(teams, (CHANGE, second, replace(CHANGE, at=90_000_000)), strict=True):
        platform.people.add_team(team, change)
    loses(lambda: platform.people.add_team(teams[0], replace(CHANGE, at=2_000)))
    loses(lambda: platform.catalogue.publish(cycle_of(7), PARAMETERS, replace(CHANGE, at=3_000)))
    assert list(platform.audit_log.on("1970-01-01")) == [CHANGE, second]


def counts(platform: Platform, *seconds: int) -> list[int]:
    """Return the counts of requests in these seconds, each after a read."""
    return [platform.requests.note("red", platform.requests.of_team("red"), 0, second=second) for second in seconds]


def test_requests_are_counted_per_team_and_second_even_if_overtaken(platform: Platform) -> None:
    assert counts(platform, 7, 7, 8, 9) == [1, 2, 1, 1]
    assert platform.requests.note("blue", None, 0, second=7) == 1
    assert counts(platform, 17, 17, 18, 17, 18) == [1, 2, 1, 3, 2]
    assert counts(platform, 20, 19, 20) == [1, 1, 2]
    assert counts(platform, 17, 20) == [1, 3], "one from before what is kept counts for itself alone"


def test_requests_of_a_second_are_counted_without_a_race_and_the_next_second_begins_once(platform: Platform) -> None:
    assert platform.requests.note("red", None, 0, second=7) == 1
    first = platform.requests.of_team("red")
    assert [platform.requests.note("red", first, 0, second=7) for _ in range(3)] == [2, 3, 4]
    assert platform.requests.note("red", first, 0, second=8) == 1
    second = platform.requests.of_team("red")
    assert second is not None
    assert (second.count, second.count_before) == (1, 4), "counted by others meanwhile"
    loses(lambda: platform.requests.note("red", first, 0, second=8))
    loses(lambda: platform.requests.note("red", first, 0, second=7))


def test_what_a_request_wants_is_read_at_once(handed_out: Platform) -> None:
    sending = sent(key="k")
    handed_out.deliveries.send(sending)
    handed_out.requests.note("red", None, 9, second=7, session=SESSION)
    wish = Wanted("red", SESSION.session_id, frozenset({1, 2}), key_sha256="k", cycle=True)
    answer = handed_out.session_reads.read(wish)
    assert (answer.needs, answer.session, dict(answer.deliveries)) == (wish, SESSION, {1: sending.after})
    assert (answer.cycle, answer.run, answer.release, dict(answer.first_requests)) == (None, None, None, {})
    assert answer.used is not None
    assert answer.requests == handed_out.requests.of_team("red")
    other = handed_out.session_reads.read(Wanted("blue", "z" * 20, frozenset({1}), key_sha256="x"))
    assert (other.session, dict(other.deliveries), other.used, other.requests) == (None, {}, None, None)
    assert handed_out.session_reads.read(Wanted("red")).session is None


def test_the_first_object_of_a_name_stays_when_asked_to(platform: Platform) -> None:
    platform.blobs.put_if_absent("a/1", b"first")
    platform.blobs.put_if_absent("a/1", b"second")
    assert platform.blobs.get("a/1") == b"first"
    platform.blobs.put("a/1", b"third")
    platform.blobs.put("b/1", b"")
    assert platform.blobs.get("a/1") == b"third"
    assert list(platform.blobs.names("a/")) == ["a/1"]
    assert platform.blobs.sizes("a/") == {"a/1": len(platform.blobs.get("a/1"))}
    assert platform.blobs.sizes("none/") == {}
    platform.blobs.publish("published/1", [b"<svg/>"], "image/svg+xml")
    platform.blobs.publish("published/1", [b"another"], "image/svg+xml")
    assert list(platform.blobs.names("published/")) == ["published/1"]
    platform.blobs.publish("published/2", [b"with", b"drawn"], "application/zip", lasting=False)
    platform.blobs.delete("published/2")
    assert list(platform.blobs.names("published/")) == ["published/1"]
    platform.blobs.delete("a/1")
    platform.blobs.delete("a/1")
    assert list(platform.blobs.names("a/")) == []


def test_an_answer_is_stored_once_an_item_where_it_is_small_and_an_object_where_it_is_not(platform: Platform) -> None:
    small, large = (f"answers/{SESSION.session_id}/1/{digest * 64}.json" for digest in "ab")
    contents = {small: b'{"letters":"abcd"}', large: Random(1).randbytes(10_000)}
    for name, content in contents.items():
        platform.blobs.put_if_absent(name, content)
        platform.blobs.put_if_absent(name, content[::-1])
        assert platform.blobs.get(name) == content
    assert platform.blobs.get_all(list(contents)) == contents
    if isinstance(platform.blobs, S3Blobs):
        assert list(platform.blobs.names("answers/")) == [large]
    for name in contents:
        platform.blobs.delete(name)
        with pytest.raises(MissingBlobError):
            platform.blobs.get(name)


def test_many_objects_are_put_and_read_at_a_time_and_the_first_of_a_name_stays(platform: Platform) -> None:
    platform.blobs.put("a/07", b"first")
    many = {f"a/{index:02d}": str(index).encode() for index in range(25)}
    stored_names: list[str] = []
    platform.blobs.put_all_if_absent(many, stored_names.append)
    assert sorted(stored_names) == sorted(many)
    assert platform.blobs.get_all(sorted(many)) == many | {"a/07": b"first"}
    assert platform.blobs.get_all([]) == {}
    with pytest.raises(MissingBlobError):
        platform.blobs.get_all(["a/01", "a/25"])


def test_a_failure_is_raised_when_no_request_is_under_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    requests: list[Future[None]] = []

    def put(_: S3Blobs, name: str, content: bytes) -> None:
        if name == "a/00":
            raise MissingBlobError(name)

    def waited(under_way: Iterable[Future[None]]) -> None:
        requests.extend(under_way)
        wait(requests)

    monkeypatch.setattr(S3Blobs, "_put_first", put)
    monkeypatch.setattr(aws, "wait", waited)
    with staged(tmp_path) as stage, pytest.raises(MissingBlobError):
        stage.platform.blobs.put_all_if_absent({f"a/{index:02d}": b"" for index in range(25)}, lambda _: None)
    assert len(requests) == 25
    assert all(request.done() for request in requests)


@pytest.mark.parametrize("platform", ["real"], indirect=True)
def test_an_import_is_written_if_nobody_else_has(platform: Platform) -> None:
    order = ImportOrder(ImportKind.SET, Upload(5, "a" * 64, ("b" * 64,)), "train", SetKind.TRAINING)
    first = Import("first", order, "person:olga", 1_000)
    later = Import("later", replace(order, kind=ImportKind.CYCLE, set_name="", set_kind=None), "person:olga", 2_000)
    change = Change(1_000, "person:olga", "import begun", "first", None, {"kind": "set"})
    assert platform.imports.get("first") is None
    platform.imports.write(None, first, change)
    platform.imports.write(None, later, None)
    loses(lambda: platform.imports.write(None, first, change))
    assert list(platform.audit_log.on("1970-01-01")) == [change]
    assert platform.imports.get("later") == later
    queued = replace(later, state=ImportState.QUEUED, sent_at=5, version=later.version + 1)
    platform.imports.write(later, queued, None)
    assert list(platform.imports.unfinished()) == [queued]
    assert {one_import.import_id: one_import for one_import in platform.imports.listed()} == {
        "first": first,
        "later": queued,
    }
    platform.imports.write(queued, queued.at(ImportState.DONE), None)
    assert list(platform.imports.unfinished()) == []
    further = first.at(ImportState.STORING, files=9, read=8, stored=7)
    platform.imports.write(first, further, None)
    loses(lambda: platform.imports.write(first, first.at(ImportState.DONE), change))
    assert platform.imports.get("first") == further
    assert list(platform.audit_log.on("1970-01-01")) == [change]


@pytest.mark.parametrize("platform", ["real"], indirect=True)
def test_many_jobs_go_through_the_queue_a_long_plan_is_stored_and_a_record_that_fits_no_item_is_refused(
    platform: Platform,
) -> None:
    jobs = [Job(SESSION.session_id, number, "a" * 64) for number in range(25)]
    platform.queue.send(jobs)
    received, url = list[Job](), platform.settings.scoring_queue_url
    while messages := aws.client("sqs").receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages"):
        received += [job_from(message["Body"], Job) for message in messages]
    assert sorted(received, key=lambda job: job.number) == jobs
    plan = tuple(PlannedFile("f" * 16, f"{number:064d}", "rus", "rus-free") for number in range(1000))
    platform.sessions.open(SESSION, plan, None, DayQuota("algorithmic", 20))
    assert platform.sessions.plan(SESSION.session_id) == plan
    noise = SystemRandomness()
    record = json.dumps([noise.token() for _ in range(MAX_RECORD // 32)]).encode()
    with pytest.raises(RecordTooLargeError):
        platform.scores.put(SESSION.session_id, ScoreKey(1, "a", "b"), record)


def test_a_secrets_key_is_derived_as_documented_and_another_secrets_is_another() -> None:
    first, other = Ed25519Signer("secret"), Ed25519Signer("other")
    seed = hashlib.sha256(b"hurdle receipt signing v1" + b"secret").digest()
    assert (
        Ed25519PrivateKey.from_private_bytes(seed).sign(b"x") == first.sign(b"x") == Ed25519Signer("secret").sign(b"x")
    )
    assert first.public_key != other.public_key
    Ed25519PublicKey.from_public_bytes(first.public_key.content).verify(first.sign(b"x"), b"x")


@pytest.mark.clause("platform §3 ids")
def test_random_names_have_their_forms() -> None:
    names = SystemRandomness()
    drawn = [make() for make in (names.session_id, names.file_id) for _ in range(100)]
    assert all(SESSION_ID.fullmatch(name) for name in drawn)
    assert len(set(drawn)) == 200
    assert {name[0] for name in drawn} == set("123456789"), "every first digit but 0 comes, in 200 draws almost surely"
    assert max(map(int, drawn)) < 2**53, "exact in JavaScript"
    token = names.token()
    assert bearer_hash(f"Bearer {token}") == token_hash(token)


def test_a_hook_has_its_place_and_is_written_only_as_it_was_read(platform: Platform) -> None:
    hooks, added = platform.hooks, Change(1, "person:olga", "webhook added", "red", None, {})
    hook = Hook("h1", "red", 1, "https://example.org/", 1)
    hooks.add(hook, added)
    loses(lambda: hooks.add(replace(hook, hook_id="h2"), added))
    failed = hook.after(Attempt(5, "e1", "hello", 1, Outcome.REFUSED, 500, 60_005))
    hooks.note(hook, failed)
    loses(lambda: hooks.note(hook, hook.tested(6)))
    (stored,) = hooks.all()
    assert (stored, stored.failures, stored.failing_since, stored.version) == (failed, 1, 5, 2)
    loses(lambda: hooks.remove(replace(hook, hook_id="h2"), added))
    hooks.remove(stored, added)
    assert hooks.all() == []
    loses(lambda: hooks.note(stored, stored.tested(7)))


def test_a_delivery_is_made_once_claimed_once_and_done(platform: Platform) -> None:
    hooks, delivery = platform.hooks, HookDelivery("e1-h1", "h1", '{"a":1}', 1_000_000)
    for _ in range(2):
        hooks.deliver(delivery)
    assert hooks.waiting() == [delivery]
    claimed = delivery.claimed(2_000_000)
    hooks.claim(delivery, claimed)
    loses(lambda: hooks.claim(delivery, claimed))
    for _ in range(2):
        hooks.done(claimed)
    hooks.deliver(delivery)
    assert hooks.waiting() == [], "that it was made is known afterwards"
