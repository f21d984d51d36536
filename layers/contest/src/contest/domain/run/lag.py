"""What the platform's own work takes of a program's time, and gives back (platform §3).

A program that works on one file after the other asks for the next one when it has its receipt. What the platform took
to hand the last file out and to answer for it is no time of the program's: it is taken off when the next request is
timed. How long a body took to come is the program's own. The request's time as it counts is stored, so that the
answer's deadline, the file's cause and the next request follow from it: what was given back once is carried on for as
long as the program has not caught up, and no longer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from contest.domain.moments import Millis
from contest.domain.run.schedule import Schedule
from contest.domain.session.delivery import Delivery
from contest.domain.session.requests import Latest

LOOKED_BACK: Final = 3
"""So many files before a file are looked at for the one that its program had last."""


def owed(
    number: int,
    schedule: Schedule,
    deliveries: Mapping[int, Delivery],
    asked: Mapping[int, Millis],
    latest: Latest | None,
) -> Millis:
    """What the platform has taken of a program's time since the opening of the last file it had before ``number``.

    From the request for that file to its hand-out, from its answer to the receipt, and what is known of the latest
    request since.

    Clause: platform §3 own latency
    """
    before = next((deliveries[each] for each in looked_back(number) if each in deliveries), None)
    if before is None:
        return 0
    since = max(asked.get(before.number, before.handed_out_at), schedule.opens_at(before.number))
    taken = max(0, before.handed_out_at - since)
    answer = before.answer
    if answer is not None:
        to_receipt = latest.until - latest.at if latest is not None and latest.at == answer.received_at else 0
        taken += max(0, answer.decided_at - answer.begun_at, to_receipt)
    if latest is not None and (answer is None or latest.at > answer.received_at):
        taken += max(0, latest.until - latest.at)
    return taken


def counted(arrival: Millis, opens_at: Millis, taken: Millis) -> Millis:
    """When a request counts as made: what the platform took is taken off, though never to before the opening."""
    return arrival if arrival <= opens_at else max(opens_at, arrival - taken)


def looked_back(number: int) -> range:
    """Files before a file, the last one first."""
    return range(number - 1, max(0, number - 1 - LOOKED_BACK), -1)
