"""Dead letters: one set of promises, kept by the adapter on emulated services and by the fake."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contest.operations.rules import DeadLetter, LetterState, decided
from contest.people.rules import Change
from contest.platform import Platform
from contest.stored_names import LetterQueue
from tests.losing import loses

pytestmark = pytest.mark.integration

CHANGE = Change(1_000, "me", "something", "x", None, {"a": 1})
LETTER = DeadLetter("scoring-a", LetterQueue.SCORING, "{}", "", 1, 2, 3, 1, 5, ("m1", "m2"))


def test_a_letter_changes_if_it_is_still_as_it_was_read_and_the_log_tells_of_it(platform: Platform) -> None:
    port = platform.dead_letters
    assert port.get("scoring-a") is None
    port.put(None, LETTER, None)
    loses(lambda: port.put(None, LETTER, CHANGE))
    done = decided(LETTER, LetterState.DROPPED, 9, "почему")
    loses(lambda: port.put(done, replace(done, version=3), CHANGE))
    assert list(platform.audit_log.on("1970-01-01")) == []
    port.put(LETTER, done, CHANGE)
    assert port.get("scoring-a") == done
    assert list(platform.audit_log.on("1970-01-01")) == [CHANGE]
    loses(lambda: port.put(LETTER, done, CHANGE))


def test_open_letters_are_found_by_queue_in_pages_and_counted(platform: Platform) -> None:
    port = platform.dead_letters
    assert (port.open(None, 5, None).items, dict(port.counts())) == ((), {})
    for name in ("a", "b", "c"):
        port.put(None, replace(LETTER, letter_id=f"scoring-{name}"), None)
    port.put(None, replace(LETTER, letter_id="pushes-a", queue=LetterQueue.PUSHES), None)
    assert [each.letter_id for each in port.open(None, 5, None).items] == [
        "pushes-a",
        "scoring-a",
        "scoring-b",
        "scoring-c",
    ]
    first = port.open(LetterQueue.SCORING, 2, None)
    assert ([each.letter_id for each in first.items], first.after) == (["scoring-a", "scoring-b"], "scoring-b")
    rest = port.open(LetterQueue.SCORING, 2, first.after)
    assert ([each.letter_id for each in rest.items], rest.after) == (["scoring-c"], None)
    assert port.counts() == {LetterQueue.SCORING: 3, LetterQueue.PUSHES: 1}
    again = replace(decided(LETTER, LetterState.REDRIVEN, 9), version=2)
    port.put(LETTER, again, CHANGE)
    assert port.counts()[LetterQueue.SCORING] == 2
    assert [each.letter_id for each in port.open(LetterQueue.SCORING, 5, None).items] == ["scoring-b", "scoring-c"]
    port.put(again, replace(LETTER, version=3), None)
    assert port.counts()[LetterQueue.SCORING] == 3


def test_a_timers_latest_tick_is_kept_and_a_mending_is_told_in_the_log(platform: Platform) -> None:
    port = platform.upkeep
    assert dict(port.ticks()) == {}
    for at in (5, 9, 7):
        port.tick("minute", at)
    port.tick("tend", 3)
    assert dict(port.ticks()) == {"minute": 9, "tend": 3}
    port.note_mending(CHANGE)
    assert list(platform.audit_log.on("1970-01-01")) == [CHANGE]


def test_the_log_is_read_over_days_from_a_cursor_on(platform: Platform) -> None:
    day = 86_400_000
    changes = [Change(at, "me", f"change {at}", "x", None, None) for at in (day - 1, day, day + 5, 3 * day)]
    for change in changes:
        platform.upkeep.note_mending(change)

    def read(first: str, last: str, after: str | None = None) -> list[Change]:
        return [each for _, each in platform.audit_log.between(first, last, after)]

    assert read("1970-01-01", "1970-01-04") == changes
    assert read("1970-01-02", "1970-01-03") == changes[1:3]
    assert read("1970-01-03", "1970-01-02") == []
    cursors = [cursor for cursor, _ in platform.audit_log.between("1970-01-01", "1970-01-04", None)]
    for place, cursor in enumerate(cursors):
        assert read("1970-01-01", "1970-01-04", cursor) == changes[place + 1 :]
    assert read("1970-01-03", "1970-01-04", cursors[0]) == changes[3:]
