"""Every port has an adapter on AWS and one in memory; a process forgets the least recently used value first."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from contest.platform import MEMORY, SMALL, Memory, Platform
from contest.ports import Port
from contest.wiring import Adapter, Wiring
from tests.fakes_channel import ChannelPlatform

PORTS = sorted(name for room in Platform.__mro__ for name, value in vars(room).items() if type(value) is Port)


def test_the_wiring_has_a_row_for_every_port_and_no_other() -> None:
    assert len(PORTS) > 40, "ports are stated in another way and this test looks at nothing"
    assert sorted(name for name, value in vars(Wiring).items() if isinstance(value, Adapter)) == PORTS


def test_every_port_is_there_in_memory() -> None:
    platform = ChannelPlatform()
    assert [name for name in (*PORTS, "memory") if not hasattr(platform, name)] == []


class Maker:
    """Counts what is made."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.made: list[str] = []

    def keep(self, name: str, size: int) -> str:
        def make() -> str:
            self.made.append(name)
            return name.upper()

        measured: Callable[[str], int] = lambda _: size  # noqa: E731
        return str(self.memory.keep(name, make, measured))


def test_a_value_is_made_once() -> None:
    maker = Maker(Memory(10))
    assert [maker.keep("a", 1) for _ in range(3)] == ["A"] * 3
    assert maker.made == ["a"]


def test_values_that_fit_exactly_all_stay_and_one_byte_more_forgets_the_oldest() -> None:
    maker = Maker(Memory(10))
    for name, size in (("a", 4), ("b", 6), ("a", 4), ("b", 6)):
        maker.keep(name, size)
    assert maker.made == ["a", "b"]
    maker.keep("c", 1)
    maker.keep("b", 6)
    assert maker.made == ["a", "b", "c"]
    maker.keep("a", 4)
    assert maker.made == ["a", "b", "c", "a"]


def test_what_is_used_again_is_not_the_oldest() -> None:
    maker = Maker(Memory(10))
    for name in ("a", "b", "a", "c", "a", "b"):
        maker.keep(name, 5)
    assert maker.made == ["a", "b", "c", "b"]


def test_room_that_was_freed_is_room_again() -> None:
    maker = Maker(Memory(10))
    for name in ("a", "b", "c", "d"):
        maker.keep(name, 5)
    maker.keep("c", 5)
    assert maker.made == ["a", "b", "c", "d"]


def test_a_value_larger_than_the_memory_is_kept_alone() -> None:
    maker = Maker(Memory(10))
    for name, size in (("a", 5), ("b", 99), ("b", 99), ("a", 5)):
        maker.keep(name, size)
    assert maker.made == ["a", "b", "a"]


def test_what_fails_is_tried_again() -> None:
    memory = Memory(10)
    with pytest.raises(ZeroDivisionError):
        memory.keep("a", lambda: 1 // 0)
    assert memory.keep("a", lambda: 2) == 2


def test_a_value_of_which_nobody_says_the_size_is_small() -> None:
    memory = Memory(2 * SMALL)
    made = [memory.keep(name, lambda each=name: made_at(each)) for name in ("a", "b", "a", "c", "a")]
    assert made == ["a", "b", "a", "c", "a"]
    assert CALLS == ["a", "b", "c"]


CALLS: list[str] = []


def made_at(name: str) -> str:
    CALLS.append(name)
    return name


def test_a_process_keeps_sixty_four_mebibytes() -> None:
    assert MEMORY == 64 * 1024 * 1024
