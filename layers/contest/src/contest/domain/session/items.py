"""The items behind a session's files: one with several publications has as many files under one name (TS T2)."""

from __future__ import annotations

from dataclasses import dataclass

from contest.domain.session.session import Plan


@dataclass(frozen=True, slots=True)
class ItemFiles:
    """The numbers of an item's files in a session, in their order."""

    numbers: tuple[int, ...]

    @property
    def number(self) -> int:
        """Of its last file, under which its score is kept."""
        return self.numbers[-1]


def items_of(plan: Plan) -> tuple[ItemFiles, ...]:
    """Items of a session in the order of their files. O(files)."""
    items, first = [], 1
    for number in range(1, len(plan) + 1):
        if number == len(plan) or not _go_together(plan, number):
            items.append(ItemFiles(tuple(range(first, number + 1))))
            first = number + 1
    return tuple(items)


def item_at(plan: Plan, number: int) -> ItemFiles:
    """The item to which a file belongs. O(files of the item)."""
    first = last = number
    while first > 1 and _go_together(plan, first - 1):
        first -= 1
    while last < len(plan) and _go_together(plan, last):
        last += 1
    return ItemFiles(tuple(range(first, last + 1)))


def _go_together(plan: Plan, number: int) -> bool:
    """Whether a file and the next one are of one item."""
    one, other = plan[number - 1], plan[number]
    return bool(one.step) and one.file_id == other.file_id
