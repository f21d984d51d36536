"""Queues and streams reach their functions at least once, in the ways Lambda has, and with faults on demand."""

from __future__ import annotations

import json
from io import StringIO
from typing import TYPE_CHECKING, Any

import pytest

from local.aws.emulator import EmulatorGoneError
from local.clock import Clock
from local.lambdas.pump import Fate, Faults
from local.lambdas.runtime import Logs
from tests.local.local_toys import messages, put, seen, send, toy_cloud

if TYPE_CHECKING:
    from collections.abc import Iterator

    from local.cloud import LocalCloud

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def cloud() -> Iterator[LocalCloud]:
    """Failed messages of queues come back after their visibility time-out, 120 s of the held clock."""
    with toy_cloud(workers_of={"ToyOnQueue": 2}) as running:
        yield running


def receptions(cloud: LocalCloud, key: str) -> list[int]:
    return [note["received"] for note in seen(cloud, "message").get(key, [])]


def test_a_record_reaches_the_queue_and_the_message_its_function(cloud: LocalCloud) -> None:
    put(cloud, "through", forward={"BOOL": True})
    assert cloud.drain() == 0
    assert seen(cloud, "record")["item/through"] == [{"name": "INSERT", "batch": 1}]
    assert receptions(cloud, "item/through") == [1]


def test_records_that_the_filter_excludes_do_not_reach_the_function(cloud: LocalCloud) -> None:
    put(cloud, "filtered", kind={"S": "inbox"})
    put(cloud, "filtered-twice")
    put(cloud, "filtered-twice", changed={"BOOL": True})  # a MODIFY
    cloud.drain()
    assert "item/filtered" not in seen(cloud, "record")
    assert seen(cloud, "record")["item/filtered-twice"] == [{"name": "INSERT", "batch": 1}]


def test_only_the_failed_messages_of_a_batch_come_back_and_only_after_their_time(cloud: LocalCloud) -> None:
    send(cloud, key="well")
    send(cloud, key="ill", fail=1)
    assert cloud.drain() == 1
    assert (receptions(cloud, "well"), receptions(cloud, "ill")) == ([1], [1])
    cloud.clock.jump(119)
    assert cloud.drain() == 1
    assert receptions(cloud, "ill") == [1]
    cloud.clock.jump(1)
    assert cloud.drain() == 0
    assert (receptions(cloud, "well"), receptions(cloud, "ill")) == ([1], [1, 2])


def test_a_message_whose_worker_dies_ends_in_the_dead_letter_queue(cloud: LocalCloud) -> None:
    send(cloud, key="deadly", die=True)
    for _ in range(3):
        assert cloud.drain() == 1
        cloud.clock.jump(120)
    assert cloud.drain() == 0
    assert receptions(cloud, "deadly") == [1, 2, 3]
    assert messages(cloud, "WorkDead") == [{"key": "deadly", "die": True}]


def test_a_delayed_message_waits_for_the_held_clock(cloud: LocalCloud) -> None:
    queue = cloud.resource("WorkQueue")
    cloud.client("sqs").send_message(QueueUrl=queue, MessageBody=json.dumps({"key": "late"}), DelaySeconds=30)
    assert cloud.drain() == 1
    assert receptions(cloud, "late") == []
    cloud.clock.jump(30)
    assert cloud.drain() == 0
    assert receptions(cloud, "late") == [1]


def delay(cloud: LocalCloud, seconds: int, **body: Any) -> None:
    queue = cloud.resource("WorkQueue")
    cloud.client("sqs").send_message(QueueUrl=queue, MessageBody=json.dumps(body), DelaySeconds=seconds)


def times(cloud: LocalCloud, key: str, start: int) -> list[float]:
    """Return the times of a message's deliveries, in seconds after the start."""
    return [(note["held"] - start) / 1000 for note in seen(cloud, "message").get(key, [])]


def test_an_advancing_clock_stops_where_a_delayed_message_wakes_until_it_is_carried(cloud: LocalCloud) -> None:
    start = cloud.clock.now_ms()
    delay(cloud, 20, key="slow-one", sleep=0.3)
    delay(cloud, 7, key="early")
    cloud.clock.advance(6.999)
    assert times(cloud, "early", start) == []
    cloud.clock.advance(60)
    assert (times(cloud, "early", start), times(cloud, "slow-one", start)) == ([7.0], [20.0])
    assert cloud.clock.now_ms() == start + 66_999
    assert cloud.drain() == 0


def test_what_a_delayed_message_delays_in_turn_has_its_own_time(cloud: LocalCloud) -> None:
    start = cloud.clock.now_ms()
    delay(cloud, 10, key="link", again=3)
    cloud.clock.advance(19)
    assert times(cloud, "link+", start) == [15.0]
    assert times(cloud, "link++", start) == []
    cloud.clock.advance(6)
    assert times(cloud, "link++", start) == [20.0]
    assert times(cloud, "link+++", start) == [25.0]


def test_an_advancing_clock_brings_failed_messages_back_at_their_time(cloud: LocalCloud) -> None:
    start = cloud.clock.now_ms()
    send(cloud, key="stubborn", fail=2)
    cloud.drain()
    cloud.clock.advance(600)
    assert times(cloud, "stubborn", start) == [0.0, 120.0, 240.0]


def test_an_advancing_clock_does_not_take_a_message_out_of_a_slow_functions_hands(cloud: LocalCloud) -> None:
    send(cloud, key="held-long", sleep=0.5)
    while not cloud._running_emulator().call("depths")["queues"]["local-WorkQueue0A1B2C3D"]["in_hand"]:
        pass
    cloud.clock.advance(600)
    cloud.drain()
    assert receptions(cloud, "held-long") == [1]


def test_a_running_clock_wakes_a_delayed_message_by_itself() -> None:
    with toy_cloud(clock=Clock()) as cloud:
        delay(cloud, 1, key="awake")
        cloud.drain()
        assert receptions(cloud, "awake") == [1]


def test_a_stream_goes_on_after_a_record_that_always_fails(cloud: LocalCloud) -> None:
    put(cloud, "before")
    put(cloud, "poisoned", poison={"BOOL": True})
    put(cloud, "behind")
    cloud.drain()
    records = seen(cloud, "record")
    assert len(records["item/poisoned"]) >= 3  # once and two retries; more where others came before it in a batch
    assert "item/before" in records
    assert "item/behind" in records
    [note] = messages(cloud, "StreamDead")
    assert note["requestContext"]["condition"] == "RetryAttemptsExhausted"
    assert note["DDBStreamBatchInfo"]["batchSize"] == 1


def test_many_events_are_all_carried(cloud: LocalCloud) -> None:
    for number in range(60):
        put(cloud, f"many-{number:02}", forward={"BOOL": True})
    cloud.drain()
    keys = {f"item/many-{number:02}" for number in range(60)}
    assert keys <= seen(cloud, "record").keys()
    assert keys <= seen(cloud, "message").keys()


def test_drain_says_what_is_left_when_its_time_is_over(cloud: LocalCloud) -> None:
    send(cloud, key="slow", sleep=0.5)
    with pytest.raises(TimeoutError, match="queue local-WorkQueue0A1B2C3D has"):
        cloud.drain(timeout_s=0)
    cloud.drain()


@pytest.mark.parametrize("name", ["records", "receive", "settle"])
def test_a_source_that_does_not_answer_for_a_while_is_asked_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = StringIO()
    with toy_cloud(logs=Logs(screen=screen)) as cloud:
        emulator = cloud._running_emulator()
        answered, silences = emulator.call, []

        def silent_at_first(called: str, **argument: Any) -> Any:
            if called == name and len(silences) < 2:
                silences.append(called)
                raise EmulatorGoneError("timed out")
            return answered(called, **argument)

        monkeypatch.setattr(emulator, "call", silent_at_first)
        for key in ("first", "patient"):  # the first may go to a question that was asked before
            put(cloud, key, forward={"BOOL": True})
            cloud.clock.advance(600)
            cloud.drain()
        assert silences
        assert seen(cloud, "message")["item/patient"]
    assert "tries again until its source answers: timed out" in screen.getvalue()


def test_a_batch_that_crashes_is_split_until_the_bad_record_is_alone() -> None:
    with toy_cloud() as cloud:
        for name in ("a", "b", "c"):
            put(cloud, f"split-{name}", **({"die": {"BOOL": True}} if name == "b" else {}))
        cloud.drain()
        [note] = messages(cloud, "StreamDead")
        assert note["DDBStreamBatchInfo"]["batchSize"] == 1
        assert {"item/split-a", "item/split-c"} <= seen(cloud, "record").keys()


def test_with_faults_everything_still_arrives_and_some_of_it_twice() -> None:
    faults = Faults(seed=7, duplicate=0.3, delay=0.2, drop=0.2)
    with toy_cloud(faults=faults, retry_s=0) as cloud:
        for number in range(30):
            put(cloud, f"n{number:02}", forward={"BOOL": True})
        cloud.drain()
        wanted = {f"item/n{number:02}" for number in range(30)}
        records, arrived = seen(cloud, "record"), seen(cloud, "message")
        assert wanted <= records.keys()
        assert wanted == arrived.keys()
        assert max(len(notes) for notes in arrived.values()) > 1
        assert any(note["received"] > 1 for notes in arrived.values() for note in notes)
        assert messages(cloud, "WorkDead") == []


def test_what_is_lost_for_good_never_arrives_and_keeps_nothing_else_waiting() -> None:
    asked: set[str] = set()

    def lost(source: str, text: str) -> bool:
        asked.add(source)
        return "unlucky" in text

    with toy_cloud(faults=Faults(lost=lost)) as cloud:
        for name in ("unlucky-record", "lucky-record"):
            put(cloud, name, forward={"BOOL": True})
        for name in ("unlucky-message", "lucky-message"):
            send(cloud, key=name)
        assert cloud.drain() == 0
        cloud.clock.advance(600)
        assert cloud.drain() == 0
        assert seen(cloud, "record").keys() == {"item/lucky-record"}
        assert seen(cloud, "message").keys() == {"item/lucky-record", "lucky-message"}
        assert messages(cloud, "WorkDead") == []
    assert asked == {"QueueMapping0A1B2C3D", "StreamMapping0A1B2C3D"}


def test_a_message_that_was_let_through_and_comes_again_is_not_lost() -> None:
    """A fault rule that loses nothing twice in a row would lose the redelivery of a message that it let through."""
    asked: list[str] = []

    def lost(_source: str, text: str) -> bool:
        asked.append(text)
        return len(asked) > 1

    with toy_cloud(faults=Faults(lost=lost), retry_s=0) as cloud:
        send(cloud, key="ill", fail=1)
        assert cloud.drain() == 0
        assert receptions(cloud, "ill") == [1, 2]
    assert len(asked) == 1


def test_the_same_seed_gives_the_same_fates_and_sources_differ() -> None:
    faults = Faults(seed=3, duplicate=0.3, delay=0.3, drop=0.3)

    def fates(name: str, *, first_time: bool = True) -> list[Fate]:
        source = faults.source(name)
        return [source.draw(first_time=first_time) for _ in range(200)]

    assert fates("a") == fates("a")
    assert fates("a") != fates("b")
    assert set(fates("a")) == set(Fate)
    assert set(fates("a", first_time=False)) == {Fate.DELIVER, Fate.DUPLICATE}


@pytest.mark.parametrize("chances", [{"drop": -0.1}, {"drop": 0.6, "delay": 0.6}])
def test_probabilities_that_make_no_sense_are_refused(chances: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="at most 1 together"):
        Faults(**chances)
