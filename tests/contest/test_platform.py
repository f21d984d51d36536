"""Every port has an adapter on AWS and one in memory; a process forgets the least recently used value first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from contest import reading
from contest.platform import MEMORY, SMALL, Memory, Platform
from contest.ports import Port
from contest.values import MINUTE
from contest.wiring import Adapter, Wiring
from tests.fakes_channel import ChannelPlatform

PORTS = sorted(name for room in Platform.__mro__ for name, value in vars(room).items() if type(value) is Port)


def test_every_port_has_a_row_in_the_wiring_and_a_place_in_memory() -> None:
    assert len(PORTS) > 40, "ports are stated in another way and this test looks at nothing"
    assert sorted(name for name, value in vars(Wiring).items() if isinstance(value, Adapter)) == PORTS
    platform = ChannelPlatform()
    assert [name for name in (*PORTS, "memory") if not hasattr(platform, name)] == []


def test_a_cycle_in_memory_is_read_again_in_the_next_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    platform = ChannelPlatform()
    versions: Iterator[Any] = iter(["first", "second"])
    monkeypatch.setattr(reading, "written_cycle", lambda _: next(versions))
    moments = (0, MINUTE - 1, MINUTE)
    read: list[Any] = [reading.recent_written_cycle(platform, moment) for moment in moments]
    assert read == ["first", "first", "second"]


class Maker:
    """Maker that counts the objects it makes."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.made: list[str] = []

    def keep(self, name: str, size: int) -> str:
        def make() -> str:
            self.made.append(name)
            return name.upper()

        measured: Callable[[str], int] = lambda _: size  # noqa: E731
        return str(self.memory.keep(name, make, measured))


@pytest.mark.parametrize(
    ("asked", "made"),
    [
        ([("a", 1)] * 3, "a"),
        ([("a", 4), ("b", 6), ("a", 4), ("b", 6)], "ab"),  # what fits exactly all stays
        ([("a", 4), ("b", 6), ("a", 4), ("b", 6), ("c", 1), ("b", 6), ("a", 4)], "abca"),  # the oldest goes
        ([(name, 5) for name in "abacab"], "abcb"),  # what is used again is not the oldest
        ([(name, 5) for name in "abcdc"], "abcd"),  # room that was freed is room again
        ([("a", 5), ("b", 99), ("b", 99), ("a", 5)], "aba"),  # what is larger than the memory is kept alone
    ],
)
def test_values_are_made_once_and_the_least_recently_used_is_forgotten(asked: list[tuple[str, int]], made: str) -> None:
    maker = Maker(Memory(10))
    assert [maker.keep(*each) for each in asked] == [name.upper() for name, _ in asked]
    assert "".join(maker.made) == made


def test_what_fails_is_tried_again_and_what_has_no_size_is_small() -> None:
    memory = Memory(10)
    with pytest.raises(ZeroDivisionError):
        memory.keep("a", lambda: 1 // 0)
    assert memory.keep("a", lambda: 2) == 2
    memory, result = Memory(2 * SMALL), list[str]()
    for name in ("a", "b", "a", "c", "a"):
        memory.keep(name, lambda name=name: result.append(name))
    assert result == ["a", "b", "c"]
    assert MEMORY == 64 * 1024 * 1024
