"""One set of promises, kept by the adapters on emulated services and by the fakes that stand for them elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from contest.adapters.clock import FileClock, SystemClock
from contest.adapters.queue import job_from
from contest.adapters.randomness import SystemRandomness
from contest.adapters.scores import MAX_RECORD, RecordTooLargeError
from contest.adapters.signer import Ed25519Signer
from contest.domain import delivery as way
from contest.domain import session as life
from contest.domain.cycle import Cycle, EssaySet, Parameters, SetKind
from contest.domain.delivery import Delivery
from contest.domain.leaderboard import Entry
from contest.domain.people import Change, Team, TeamStatus, Token, bearer
from contest.domain.receipts import Receipt
from contest.domain.rights import Role
from contest.domain.scoring import Job, OutboxEntry, ScoreKey
from contest.domain.session import SESSION_ID, Client, Counts, Order, PlannedFile, Session, State
from contest.ports import LostRaceError, MissingBlobError, Sent
from contest.services.platform import Platform
from tests.fakes import FakePlatform
from tests.stage import staged

CLIENT = Client("pku", "0.1.0", "a" * 64, None)
SESSION = Session(
    session_id="s" * 20,
    team_id="red",
    cycle="toy-1",
    track="toy",
    order=Order("algorithmic", "train", 5, "all", 60, CLIENT),
    set_kind=SetKind.TRAINING,
    manifest="0" * 64,
    files=2,
    available=2,
    parameters_version=1,
    opened_at=1_000,
    quota_day="2026-11-21",
)
PLAN = (PlannedFile("f" * 16, "item-1", "rus", "lit"), PlannedFile("g" * 16, "item-2", "eng", "eng"))
HANDED_OUT = way.hand_out(1, 2_000, 60)


@pytest.fixture(params=["fake", "real"])
def platform(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Platform]:
    if request.param == "fake":
        yield FakePlatform()
        return
    with staged(tmp_path) as stage:
        yield stage.platform


@pytest.fixture
def opened(platform: Platform) -> Platform:
    platform.sessions.open(SESSION, PLAN, "key", 20)
    return platform


@pytest.fixture
def handed_out(opened: Platform) -> Platform:
    opened.deliveries.hand_out(SESSION.session_id, HANDED_OUT)
    return opened


def sent(before: Delivery = HANDED_OUT, content: str = "a", key: str | None = None, session: Session = SESSION) -> Sent:
    decision = way.accept(before, content, 3_000, sends_per_file=10, session_open=session.is_open, keyed=False)
    receipt = Receipt(before.number, decision.send, decision.status.value, content, f'{{"send":{decision.send}}}')
    job = Job(session.session_id, before.number, content) if decision.status == "accepted" else None
    return Sent(session, before, decision.after, receipt, key, job, 3_000)


def loses(write: Callable[[], object]) -> None:
    with pytest.raises(LostRaceError):
        write()


def test_an_opened_session_reads_back_with_everything(opened: Platform) -> None:
    sessions = opened.sessions
    assert sessions.get(SESSION.session_id) == SESSION
    assert sessions.plan(SESSION.session_id) == PLAN
    assert sessions.open_of("red", "algorithmic") == SESSION.session_id
    assert sessions.opened_on("red", "algorithmic", "2026-11-21") == 1
    assert sessions.opened_with("red", "key") == SESSION.session_id
    assert list(sessions.open_ids()) == [SESSION.session_id]
    assert list(sessions.of_team("red", 10, None)) == [SESSION.session_id]


def test_what_is_not_there_is_none_or_empty(platform: Platform) -> None:
    sessions, name = platform.sessions, "z" * 20
    assert (sessions.get(name), sessions.open_of("red", "x"), sessions.opened_with("red", "x")) == (None, None, None)
    assert (sessions.opened_on("red", "x", "y"), sessions.seen_at(name)) == (0, None)
    assert platform.deliveries.get(name, 1) is None
    assert platform.deliveries.receipt(name, 1, 1) is None
    assert platform.deliveries.ignored(name, 1, "a") is None
    assert platform.deliveries.receipt_by_key(name, 1, "k") is None
    assert platform.deliveries.receipts(name, 5, None).items == ()
    assert platform.scores.get(name, ScoreKey(1, "a", "b")) is None
    assert platform.catalogue.cycle() is None
    assert (platform.people.team("x"), platform.people.token("x")) == (None, None)
    with pytest.raises(MissingBlobError):
        platform.blobs.get("nothing")


def test_a_lost_opening_writes_nothing(opened: Platform) -> None:
    other = replace(SESSION, session_id="t" * 20, opened_at=5_000)
    loses(lambda: opened.sessions.open(other, PLAN, "other", 20))
    assert opened.sessions.get(other.session_id) is None
    assert opened.sessions.opened_on("red", "algorithmic", "2026-11-21") == 1
    assert opened.sessions.opened_with("red", "other") is None
    assert list(opened.sessions.of_team("red", 10, None)) == [SESSION.session_id]


def test_an_opening_beyond_the_quota_loses(opened: Platform) -> None:
    opened.sessions.close(SESSION, life.close(SESSION, State.ABORTED, 4_000))
    other = replace(SESSION, session_id="t" * 20, opened_at=5_000)
    loses(lambda: opened.sessions.open(other, PLAN, None, 1))
    opened.sessions.open(other, PLAN, None, 2)
    assert opened.sessions.opened_on("red", "algorithmic", "2026-11-21") == 2


def test_a_known_key_opens_nothing_twice(opened: Platform) -> None:
    opened.sessions.close(SESSION, life.close(SESSION, State.ABORTED, 4_000))
    loses(lambda: opened.sessions.open(replace(SESSION, session_id="t" * 20), PLAN, "key", 20))


def test_closing_happens_once_and_moves_the_pointers(opened: Platform) -> None:
    closed = life.close(SESSION, State.FINISHED, 90_000_000)
    opened.sessions.close(SESSION, closed)
    loses(lambda: opened.sessions.close(SESSION, life.close(SESSION, State.ABORTED, 5)))
    assert opened.sessions.get(SESSION.session_id) == closed
    assert opened.sessions.open_of("red", "algorithmic") is None
    assert list(opened.sessions.open_ids()) == []
    assert list(opened.sessions.unreported_ids()) == [SESSION.session_id]
    assert list(opened.sessions.closed_on("1970-01-02")) == [SESSION.session_id]
    opened.sessions.mark_reported(SESSION.session_id)
    opened.sessions.mark_reported(SESSION.session_id)
    assert list(opened.sessions.unreported_ids()) == []


def test_noted_counts_read_back(opened: Platform) -> None:
    closed = life.close(SESSION, State.FINISHED, 4_000)
    opened.sessions.close(SESSION, closed)
    noted = replace(closed, counts=Counts(0, 0, 1, 1, 1))
    opened.sessions.note_counts(noted)
    assert opened.sessions.get(SESSION.session_id) == noted


def test_the_latest_request_is_remembered_and_earlier_ones_change_nothing(opened: Platform) -> None:
    touch = opened.sessions.touch
    assert touch(SESSION.session_id, 100) is None
    assert touch(SESSION.session_id, 300) == 100
    assert touch(SESSION.session_id, 200) == 200
    assert touch(SESSION.session_id, 300) == 300
    assert opened.sessions.seen_at(SESSION.session_id) == 300
    assert touch(SESSION.session_id, 400) == 300


def test_a_teams_sessions_come_newest_first_in_pages(platform: Platform) -> None:
    names = []
    for index in range(3):
        session = replace(SESSION, session_id=str(index) * 20, opened_at=1_000 * index)
        platform.sessions.open(session, PLAN, None, 20)
        platform.sessions.close(session, life.close(session, State.ABORTED, 9_000))
        names.append(session.session_id)
    assert list(platform.sessions.of_team("red", 2, None)) == names[:0:-1]
    assert list(platform.sessions.of_team("red", 2, 1_000)) == names[:1]
    assert list(platform.sessions.of_team("blue", 2, None)) == []


def test_a_file_is_handed_out_once_and_only_while_the_session_is_open(handed_out: Platform) -> None:
    deliveries = handed_out.deliveries
    loses(lambda: deliveries.hand_out(SESSION.session_id, way.hand_out(1, 9_999, 60)))
    assert deliveries.get(SESSION.session_id, 1) == HANDED_OUT
    handed_out.sessions.close(SESSION, life.close(SESSION, State.ABORTED, 4_000))
    loses(lambda: deliveries.hand_out(SESSION.session_id, way.hand_out(2, 9_999, 60)))
    assert deliveries.of_session(SESSION.session_id) == [HANDED_OUT]


def test_the_first_gap_moves_on_as_files_are_handed_out(handed_out: Platform) -> None:
    first = handed_out.deliveries.first_not_handed_out
    assert first(SESSION.session_id, 4) == 2
    for number in (2, 4):
        handed_out.deliveries.hand_out(SESSION.session_id, way.hand_out(number, 1, 60))
    assert first(SESSION.session_id, 4) == 3
    handed_out.deliveries.hand_out(SESSION.session_id, way.hand_out(3, 1, 60))
    assert first(SESSION.session_id, 4) is None
    assert first(SESSION.session_id, 4) is None


def test_a_send_writes_delivery_receipt_key_and_outbox_together(handed_out: Platform) -> None:
    made = sent(key="k")
    handed_out.deliveries.send(made)
    assert handed_out.deliveries.get(SESSION.session_id, 1) == made.after
    assert handed_out.deliveries.receipt(SESSION.session_id, 1, 1) == made.receipt
    assert handed_out.deliveries.receipt_by_key(SESSION.session_id, 1, "k") == made.receipt
    assert made.job is not None
    assert list(handed_out.outbox.of_session(SESSION.session_id)) == [OutboxEntry(made.job, 3_000, 1)]


def test_of_two_sends_on_the_same_version_one_loses_and_writes_nothing(handed_out: Platform) -> None:
    handed_out.deliveries.send(sent(content="a"))
    loses(lambda: handed_out.deliveries.send(sent(content="b", key="k")))
    assert handed_out.deliveries.receipts(SESSION.session_id, 9, None).items == (sent().receipt,)
    assert handed_out.deliveries.receipt_by_key(SESSION.session_id, 1, "k") is None
    assert [each.job.content_sha256 for each in handed_out.outbox.of_session(SESSION.session_id)] == ["a"]


def test_a_send_that_believes_the_session_open_loses_against_its_end(handed_out: Platform) -> None:
    closed = life.close(SESSION, State.FINISHED, 4_000)
    handed_out.sessions.close(SESSION, closed)
    loses(lambda: handed_out.deliveries.send(sent()))
    loses(lambda: handed_out.deliveries.refuse(SESSION.session_id, HANDED_OUT, way.refuse(HANDED_OUT, "x"), "b"))
    handed_out.deliveries.send(sent(session=closed))
    stored = handed_out.deliveries.receipt(SESSION.session_id, 1, 1)
    assert stored is not None
    assert stored.status == "late"


def test_a_used_key_loses(handed_out: Platform) -> None:
    first = sent(key="k")
    handed_out.deliveries.send(first)
    loses(lambda: handed_out.deliveries.send(sent(first.after, "b", "k")))


def test_ignored_answers_have_receipts_of_their_own_and_change_no_delivery(handed_out: Platform) -> None:
    ignored = Receipt(1, 11, "ignored", "c" * 64, "{}")
    handed_out.deliveries.ignore(SESSION.session_id, ignored, "k")
    loses(lambda: handed_out.deliveries.ignore(SESSION.session_id, ignored, None))
    assert handed_out.deliveries.ignored(SESSION.session_id, 1, "c" * 64) == ignored
    assert handed_out.deliveries.receipt_by_key(SESSION.session_id, 1, "k") == ignored
    assert handed_out.deliveries.get(SESSION.session_id, 1) == HANDED_OUT


def test_receipts_come_by_file_and_send_in_pages(handed_out: Platform) -> None:
    handed_out.deliveries.hand_out(SESSION.session_id, way.hand_out(2, 2_000, 60))
    given = []
    for number in (1, 2):
        delivery = way.hand_out(number, 2_000, 60)
        for send in range(10):
            made = sent(delivery, f"content {send}")
            handed_out.deliveries.send(made)
            given.append(made.receipt)
            delivery = made.after
    found, after = [], None
    while True:
        page = handed_out.deliveries.receipts(SESSION.session_id, 7, after)
        found += page.items
        if page.after is None:
            break
        after = page.after
    assert found == given


def test_a_refusal_is_noted_on_the_version_it_saw(handed_out: Platform) -> None:
    refused = way.refuse(HANDED_OUT, "wrong_text")
    handed_out.deliveries.refuse(SESSION.session_id, HANDED_OUT, refused, "b")
    assert handed_out.deliveries.get(SESSION.session_id, 1) == refused
    loses(lambda: handed_out.deliveries.refuse(SESSION.session_id, HANDED_OUT, refused, "b"))


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


def test_a_score_is_written_once(platform: Platform) -> None:
    key = ScoreKey(1, "a" * 64, "b" * 64)
    platform.scores.put(SESSION.session_id, key, b'{"points":1}')
    loses(lambda: platform.scores.put(SESSION.session_id, key, b'{"points":2}'))
    assert platform.scores.get(SESSION.session_id, key) == b'{"points":1}'
    assert dict(platform.scores.of_session(SESSION.session_id)) == {key: b'{"points":1}'}


def test_board_entries_overwrite_themselves(platform: Platform) -> None:
    entry = Entry("rus", "red", SESSION.session_id, 5, 1, 10, 10, {"relative_accuracy": 0.1 + 0.2})
    platform.scores.enter("toy-1", entry)
    platform.scores.enter("toy-1", entry)
    assert list(platform.scores.entries("toy-1", "rus")) == [entry]
    assert list(platform.scores.entries("toy-1", "all")) == []


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
        version=version,
    )


PARAMETERS = Parameters(1, 5, 20, (10, 60, 60), 900, 10, 10, 30, 0.95, 1, {"weights": [1.0, 2.5]})


def test_a_cycle_is_published_on_the_version_it_saw(platform: Platform) -> None:
    platform.catalogue.publish(cycle_of(0), PARAMETERS)
    loses(lambda: platform.catalogue.publish(cycle_of(0), replace(PARAMETERS, version=2)))
    assert platform.catalogue.cycle() == cycle_of(1)
    assert platform.catalogue.parameters(1) == PARAMETERS
    loses(lambda: platform.catalogue.publish(cycle_of(1), PARAMETERS))
    platform.catalogue.publish(cycle_of(1), None)
    assert platform.catalogue.cycle() == cycle_of(2)


def test_teams_and_tokens(platform: Platform) -> None:
    people, team = platform.people, Team("red", "Красные", TeamStatus.APPROVED, 5)
    people.add_team(team)
    loses(lambda: people.add_team(team))
    assert people.teams({"red", "blue"}) == {"red": team}
    token = Token("k1", "h" * 64, "red", Role.PROGRAM, 5)
    people.issue(token)
    loses(lambda: people.issue(token))
    assert (people.token("h" * 64), list(people.tokens_of("red"))) == (token, [token])
    people.revoke(token, 9)
    loses(lambda: people.revoke(token, 10))
    revoked = replace(token, revoked_at=9)
    assert (people.token("h" * 64), list(people.tokens_of("red"))) == (revoked, [revoked])
    loses(lambda: people.revoke(replace(token, token_id="k2", token_sha256="i" * 64), 9))


def test_the_log_of_changes_keeps_its_order_and_its_days(platform: Platform) -> None:
    first = Change(1_000, "me", "one", "x", None, {"a": 1})
    second = Change(2_000, "me", "two", "x", {"a": 1}, None)
    for change in (first, second, replace(first, at=90_000_000)):
        platform.audit_log.append(change)
    assert list(platform.audit_log.on("1970-01-01")) == [first, second]


def test_requests_are_counted_per_team_and_second(platform: Platform) -> None:
    assert [platform.rates.count("red", 7), platform.rates.count("red", 7), platform.rates.count("red", 8)] == [1, 2, 1]
    assert platform.rates.count("blue", 7) == 1


def test_the_first_object_of_a_name_stays_when_asked_to(platform: Platform) -> None:
    platform.blobs.put_if_absent("a/1", b"first")
    platform.blobs.put_if_absent("a/1", b"second")
    assert platform.blobs.get("a/1") == b"first"
    platform.blobs.put("a/1", b"third")
    platform.blobs.put("b/1", b"")
    assert platform.blobs.get("a/1") == b"third"
    assert list(platform.blobs.names("a/")) == ["a/1"]
    platform.blobs.delete("a/1")
    platform.blobs.delete("a/1")
    assert list(platform.blobs.names("a/")) == []


def test_jobs_go_through_the_queue_in_batches(tmp_path: Path) -> None:
    jobs = [Job(SESSION.session_id, number, "a" * 64) for number in range(25)]
    with staged(tmp_path) as stage:
        from contest.adapters import aws

        stage.platform.queue.send(jobs)
        found = []
        url = stage.platform.settings.scoring_queue_url
        while messages := aws.client("sqs").receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages"):
            found += [job_from(each["Body"]) for each in messages]
    assert sorted(found, key=lambda job: job.number) == jobs


def test_a_record_that_fits_no_item_is_refused_loudly(tmp_path: Path) -> None:
    noise = SystemRandomness()
    record = json.dumps([noise.token() for _ in range(MAX_RECORD // 32)]).encode()
    with staged(tmp_path) as stage, pytest.raises(RecordTooLargeError):
        stage.platform.scores.put(SESSION.session_id, ScoreKey(1, "a", "b"), record)


def test_a_thousand_files_fit_a_plan(tmp_path: Path) -> None:
    plan = tuple(PlannedFile("f" * 16, f"{number:064d}", "rus", "rus-free") for number in range(1000))
    with staged(tmp_path) as stage:
        stage.platform.sessions.open(SESSION, plan, None, 20)
        assert stage.platform.sessions.plan(SESSION.session_id) == plan


def test_the_same_secret_signs_the_same_and_another_does_not() -> None:
    first, again, other = Ed25519Signer("secret"), Ed25519Signer("secret"), Ed25519Signer("other")
    assert first.sign(b"x") == again.sign(b"x")
    assert first.key_id == again.key_id != other.key_id
    public = Ed25519PublicKey.from_public_bytes(first.public_keys()[first.key_id])
    public.verify(first.sign(b"x"), b"x")


def test_the_signers_key_is_derived_as_documented() -> None:
    import hashlib

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    seed = hashlib.sha256(b"hurdle receipt signing v1" + b"secret").digest()
    assert Ed25519PrivateKey.from_private_bytes(seed).sign(b"x") == Ed25519Signer("secret").sign(b"x")


def test_a_held_clock_stands_and_a_shifted_one_runs(tmp_path: Path) -> None:
    file = tmp_path / "clock.json"
    file.write_text('{"held_ms": 1234, "offset_ms": 99}')
    assert FileClock(str(file)).now() == 1234
    file.write_text('{"held_ms": null, "offset_ms": 3600000}')
    before = SystemClock().now()
    assert FileClock(str(file)).now() >= before + 3_600_000


def test_random_names_have_their_forms() -> None:
    names = SystemRandomness()
    assert SESSION_ID.fullmatch(names.session_id())
    assert len(names.file_id()) == 16
    token = names.token()
    assert bearer(f"Bearer {token}") == token
    assert len({names.session_id() for _ in range(100)}) == 100
