"""Names of what the earlier clients that fetch files by themselves are given to do: one for each file of a session.

A client keeps a file under the names of its item, its version and its task; so the files of an item, which share a
name, have tasks of different names.
"""

from __future__ import annotations

from contest.domain.session import items
from contest.domain.session.session import Plan


def name_of(plan: Plan, number: int) -> str:
    """The task of a file: digits, those of its file's name and its place among the files of its item, from 1."""
    place = items.item_at(plan, number).numbers.index(number) + 1
    return f"{plan[number - 1].file_id}{place}"


def number_of(plan: Plan, task: str) -> int:
    """The file of a task; 0 for a name that no task of the session has. O(files)."""
    named = (number for number, each in enumerate(plan, start=1) if task.startswith(each.file_id))
    return next((number for number in named if name_of(plan, number) == task), 0)
