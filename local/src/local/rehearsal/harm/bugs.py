"""Bugs that can be planted in a copy of the platform, so that the checker is itself checked: each must turn it red.

Each is a change of the contest's own code in every process of the copy, where a mistake of that kind would be made.
What has to happen by chance in reality (a crash in the one wrong instant, a race) happens here every time, or to a
part of the answers that their hashes choose.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, Final

from contest.domain.run.schedule import Schedule
from contest.domain.session import transitions
from local.rehearsal.harm import (
    archived,
    belated,
    delays,
    inventions,
    leaks,
    marking_up,
    misjudgements,
    misrulings,
    negligence,
    of_contests,
    of_programs,
    of_runs_beside,
    overlooked,
    trespasses,
)
from local.rehearsal.harm.planting import Bug, by_name, put_in

_ONE_IN: Final = 3


def acknowledge_before_storing() -> None:
    """A receipt is given, and of some files the process dies before the transaction."""
    from contest.adapters.deliveries import DynamoDeliveries

    original = DynamoDeliveries.send

    def send(self: DynamoDeliveries, sent: Any) -> None:
        if not _chosen(sent.receipt.number):
            original(self, sent)

    put_in(DynamoDeliveries, "send", send)


def accept_late() -> None:
    """The deadline is not looked at."""
    original = transitions.accept

    def accept(before: Any, content_sha256: str, arrival: int, **more: Any) -> Any:
        return original(before, content_sha256, min(arrival, before.answer_by), **more)

    put_in(transitions, "accept", accept)


def refuse_the_last_moment() -> None:
    """An answer in the last millisecond is called late."""
    original = transitions.accept

    def accept(before: Any, content_sha256: str, arrival: int, **more: Any) -> Any:
        return original(before, content_sha256, arrival + (arrival == before.answer_by), **more)

    put_in(transitions, "accept", accept)


def drop_the_original() -> None:
    """Another answer to the same file takes the receipt of the one before with it."""
    from contest.adapters.deliveries import DynamoDeliveries, ReceiptItem
    from contest.adapters.sessions import session_key

    original = DynamoDeliveries.send

    def send(self: DynamoDeliveries, sent: Any) -> None:
        original(self, sent)
        if sent.receipt.send > 1:
            before = f"RECEIPT#{sent.receipt.number:04d}#{sent.receipt.send - 1:02d}"
            ReceiptItem(session_key(sent.session.session_id), before).delete()

    put_in(DynamoDeliveries, "send", send)


def open_early() -> None:
    """Files open ten seconds before their time for whoever asks."""
    original = Schedule.opens_at
    early = 10_000

    def opens_at(self: Schedule, number: int) -> int:
        return original(self, number) - early

    put_in(Schedule, "opens_at", opens_at)


def count_a_platform_fault() -> None:
    """What the platform failed to hand out or to take counts as the team's delay."""
    from contest.domain.run import fate
    from contest.domain.session.delivery import Cause

    original = fate._cause

    def cause(*words: Any) -> Any:
        found, evidence = original(*words)
        return (Cause.TEAM_LATE if found is Cause.PLATFORM else found), evidence

    put_in(fate, "_cause", cause)


def two_winners() -> None:
    """Two answers at once both get the next number: nobody looks whether the delivery is as it was read."""
    from contest.adapters import deliveries
    from contest.adapters.deliveries import DynamoDeliveries, ReceiptItem
    from contest.adapters.sessions import session_key
    from contest.domain.results.scoring import OutboxEntry

    def send(_: DynamoDeliveries, sent: Any) -> None:
        time.sleep(0.2)
        key, receipt = session_key(sent.session.session_id), sent.receipt
        ReceiptItem(
            key,
            f"RECEIPT#{receipt.number:04d}#{receipt.send:02d}",
            number=receipt.number,
            send=receipt.send,
            status=receipt.status,
            content_sha256=receipt.content_sha256,
            body=receipt.body,
        ).save()
        deliveries._file_item(sent.session.session_id, sent.after).save()
        if sent.job is not None:
            deliveries._outbox_item(OutboxEntry(sent.job, sent.at, 1)).save()

    put_in(DynamoDeliveries, "send", send)


def lose_an_outbox_record() -> None:
    """Answers to some files are stored without being put down for scoring."""
    from contest.adapters.deliveries import DynamoDeliveries

    original = DynamoDeliveries.send

    def send(self: DynamoDeliveries, sent: Any) -> None:
        original(self, replace(sent, job=None) if _chosen(sent.receipt.number) else sent)

    put_in(DynamoDeliveries, "send", send)


def score_twice() -> None:
    """Every answer is scored under two keys."""
    from contest.adapters.scores import DynamoScores

    original = DynamoScores.put

    def put(self: DynamoScores, session_id: str, key: Any, record: bytes) -> None:
        original(self, session_id, key, record)
        original(self, session_id, replace(key, conditions=key.conditions[::-1]), record)

    put_in(DynamoScores, "put", put)


def take_twelve_sends() -> None:
    """Two sends more than the rules allow are taken."""
    original = transitions.accept

    def accept(*words: Any, **more: Any) -> Any:
        return original(*words, **{**more, "sends_per_file": more["sends_per_file"] + 2})

    put_in(transitions, "accept", accept)


def hand_out_another_file() -> None:
    """What is handed out is not what was committed to."""
    from contest.services.session.dialogues import Work

    original = Work.shown

    def shown(self: Any) -> Any:
        found = original(self)
        return {**found, "meta": {**found["meta"], "theme": "Another theme"}}

    put_in(Work, "shown", shown)


def forget_who_comes_back() -> None:
    """Nobody looks for the open session of a client of the event channel that has come back."""
    from contest.services.channel.dialect_readable import ReadableDialect

    put_in(ReadableDialect, "entered", lambda *_: [])


def forget_lost_jobs() -> None:
    """The timer looks for unscored answers of open sessions alone."""
    from contest.services import reading, sweep

    original = sweep._enqueue

    def enqueue(platform: Any, now: int, session_id: str) -> int:
        session = reading.session(platform, session_id)
        return original(platform, now, session_id) if session is not None and session.is_open else 0

    put_in(sweep, "_enqueue", enqueue)


def forget_lost_steps() -> None:
    """The timer sends for each step towards record and board once, and believes that it is done."""
    from contest.services.results import settling

    original = settling._due
    sent: set[tuple[bool, Any]] = set()

    def due(platform: Any, schedule: Schedule) -> list[Any]:
        stage = schedule.run.closed_at is not None
        found = [step for step in original(platform, schedule) if (stage, step) not in sent]
        sent.update((stage, step) for step in found)
        return found

    put_in(settling, "_due", due)


def remember_strangers() -> None:
    """A connection is stored before anybody looks whose token it came with."""
    from contest.domain.channel.channel import Connection
    from contest.services.channel import connections

    original = connections.connect

    def connect(platform: Any, connection_id: str, query: Any, arrival: int) -> bool:
        token_sha256 = connections.hashed(query.get("token"))
        platform.connections.add(Connection(connection_id, 3, arrival, arrival, token_sha256=token_sha256))
        return original(platform, connection_id, query, arrival)

    put_in(connections, "connect", connect)


def let_nobody_join() -> None:
    """The joining window is over before it begins."""
    put_in(Schedule, "join_until", property(lambda _: 0))


def push_nothing() -> None:
    """Nothing is sent over the event channel, and everything is noted as sent."""
    from contest.services.channel import connections

    put_in(connections, "tell", lambda *_, **__: True)


def call_misses_decisions() -> None:
    """Every missed file is an organizers' decision, so that none counts against anybody."""
    from contest.domain.run import fate
    from contest.domain.session.delivery import Cause

    put_in(fate, "_cause", lambda *_: (Cause.ORGANIZER_DECISION, {}))


def swap_the_names() -> None:
    """Each place of a board has the name of another team."""
    from contest.services.results import boards

    original = boards._shown

    def shown(*words: Any) -> Any:
        found = original(*words)
        names = list(found.names.values())
        return replace(found, names=dict(zip(found.names, names[1:] + names[:1], strict=True)))

    put_in(boards, "_shown", shown)


BUGS: Final[dict[str, Bug]] = {
    **trespasses.BUGS,
    **misrulings.BUGS,
    **negligence.BUGS,
    **misjudgements.BUGS,
    **inventions.BUGS,
    **delays.BUGS,
    **marking_up.BUGS,
    **archived.BUGS,
    **of_runs_beside.BUGS,
    **overlooked.BUGS,
    **belated.BUGS,
    **leaks.BUGS,
} | by_name(
    acknowledge_before_storing,
    accept_late,
    refuse_the_last_moment,
    drop_the_original,
    open_early,
    count_a_platform_fault,
    two_winners,
    lose_an_outbox_record,
    score_twice,
    take_twelve_sends,
    hand_out_another_file,
    forget_who_comes_back,
    forget_lost_jobs,
    forget_lost_steps,
    remember_strangers,
    let_nobody_join,
    push_nothing,
    call_misses_decisions,
    swap_the_names,
)


ALL: Final = {**BUGS, **of_contests.BUGS, **of_programs.BUGS}
"""With those that show in stages of other contests alone."""


def plant(name: str) -> None:
    """Change this process's platform. KeyError for an unknown bug."""
    ALL[name]()


def _chosen(number: int) -> bool:
    """Whether a file is among those that the bug hits: the first, and one in three."""
    return number % _ONE_IN == 1
