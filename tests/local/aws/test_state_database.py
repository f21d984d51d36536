"""The database of a state: whatever ends its process, and whenever, what was waited for is there, whole and once."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from local.aws import state
from local.aws.state import (
    FILE,
    ITEM,
    OBJECT,
    READER,
    RECORD,
    Change,
    Part,
    StateDatabase,
    StateError,
    StateFolderError,
)
from local.environment import base_environment

if TYPE_CHECKING:
    from collections.abc import Iterator

HELLO: Part = (ITEM, "table", "hello")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(state, "_PREDECESSOR_S", 0.0)
    return tmp_path / "state"


def opened(folder: Path) -> StateDatabase:
    return StateDatabase(folder, {"NAME": "one"})


def values(folder: Path) -> dict[Part, Any]:
    running = opened(folder)
    read = {part: (value, content) for part, value, content in running.rows()}
    running.close()
    return read


def written(folder: Path, *changes: Change) -> None:
    running = opened(folder)
    for change in changes:
        running.note([change])
    running.wait()
    running.close()


def test_the_last_value_of_each_part_is_the_state(folder: Path) -> None:
    part: Part = (OBJECT, "bucket", "a/б")
    written(folder, Change(HELLO, {"b": b"\xff"}), Change(part, {"m": "1"}, b"first"))
    written(folder, Change(HELLO, None), Change(part, {"m": "2"}, b""), Change((ITEM, "t", "e"), {"t": "\ud800"}))
    assert values(folder) == {part: ({"m": "2"}, b""), (ITEM, "t", "e"): ({"t": "\ud800"}, None)}
    assert state.variables_of(folder) == {"NAME": "one"}


def test_a_value_is_what_it_was_when_it_was_noted(folder: Path) -> None:
    """It may be a list within an item, which the next request lengthens before the disk is asked."""
    running, listed = opened(folder), [1]
    running.note([Change(HELLO, {"list": listed})])
    listed.append(2)
    running.wait()
    running.close()
    assert values(folder) == {HELLO: ({"list": [1]}, None)}


def test_what_was_not_waited_for_leaves_the_state_as_it_was(folder: Path) -> None:
    written(folder, Change(HELLO, 1))
    running = opened(folder)
    running.note([Change(HELLO, 2)])
    running.close()
    assert values(folder) == {HELLO: (1, None)}


@pytest.mark.parametrize("place", [0, 4096])
def test_a_damaged_file_is_refused_and_stays_as_it_is(place: int, folder: Path) -> None:
    written(folder, *(Change((ITEM, "t", str(number)), "x" * 500) for number in range(40)))
    file = folder / FILE
    damaged = bytearray(file.read_bytes())
    damaged[place : place + 50] = b"\xff" * 50
    file.write_bytes(damaged)
    with pytest.raises(StateFolderError, match="damaged"):
        opened(folder)
    assert file.read_bytes() == damaged


def test_records_that_every_reader_has_passed_are_deleted(folder: Path) -> None:
    records = [Change((RECORD, "t", str(number)), number) for number in range(8, 12)]
    written(folder, *records, Change((READER, "t", "fast"), 11), Change((READER, "t", "slow"), 10))
    assert [part[2] for part in values(folder) if part[0] == RECORD] == ["10", "11"]


def test_the_file_does_not_grow_with_the_changes_but_with_the_state(folder: Path) -> None:
    running = opened(folder)
    sizes = []
    for number in range(3_000):
        running.note([Change((OBJECT, "b", str(number % 7)), {}, b"x" * 4_000)])
        if number % 10 == 9:
            running.wait()
            sizes.append(sum(file.stat().st_size for file in folder.iterdir()))
    running.close()
    assert max(sizes[150:]) <= max(sizes[:150]) < 8_000_000


def test_many_who_wait_share_a_transaction(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody goes on before it: while one waits for the disk, the others gather for the next."""
    running = opened(folder)
    gathered, write = threading.Barrier(9), running._write
    calls: list[int] = []

    def slowly(changes: list[Any]) -> None:
        if not calls:
            gathered.wait(10)  # until the other eight have noted their changes
        write(changes)
        calls.append(len(changes))

    monkeypatch.setattr(running, "_write", slowly)

    def change(number: int) -> int:
        if number:
            while not running._writing.locked():
                pass
        running.note([Change((ITEM, "t", str(number)), number)])
        if number:
            gathered.wait(10)
        running.wait()
        return len(calls)

    with ThreadPoolExecutor(9) as pool:
        transactions = list(pool.map(change, range(9)))
    running.close()
    assert calls == [1, 8]
    assert min(transactions) >= 1
    assert len(values(folder)) == 9


def test_one_cloud_at_a_time_uses_a_folder(folder: Path) -> None:
    running = opened(folder)
    with pytest.raises(StateFolderError, match="in_use"):
        opened(folder)
    with pytest.raises(StateError, match="another local cloud runs on"):
        state.variables_of(folder)
    running.close()
    opened(folder).close()


def test_a_folder_that_cannot_be_used_says_why(folder: Path) -> None:
    (folder / FILE).mkdir(parents=True)
    with pytest.raises(StateFolderError, match="unusable"):
        opened(folder)


PROGRAM = """
import sqlite3, sys
from pathlib import Path
from local.aws.state import Change, StateDatabase
running = StateDatabase(Path(sys.argv[1]), {})
running.note([Change(("item", "t", "1"), 1)])
running.wait()
pages, = running._database.execute("PRAGMA page_count").fetchone()
running._database.execute(f"PRAGMA max_page_count = {pages}")
running.note([Change(("item", "t", "2"), "x" * 100_000)])
running.wait()
print("acknowledged")
"""


def test_a_disk_that_fails_ends_the_process_before_anybody_is_answered(folder: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, str(folder)]
    done = subprocess.run(command, env=base_environment(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"the state in {folder} cannot be written: database or disk is full" in done.stderr
    assert values(folder) == {(ITEM, "t", "1"): (1, None)}


WRITER = """
import sys, threading
from pathlib import Path
from local.aws.state import Change, StateDatabase
running = StateDatabase(Path(sys.argv[1]), {})
running._database.execute("PRAGMA wal_autocheckpoint = 3")
first = int(sys.argv[2])
def work(worker):
    for number in range(first, first + 10_000):
        running.note([
            Change(("item", "a", f"{worker}/{number}"), {"text": "x" * 50}),
            Change(("item", "b", f"{worker}/{number}"), None if number % 3 else {}),
            Change(("object", "c", f"{worker}"), {"n": number}, b"%d" % number * 40),
        ])
        running.wait()
        sys.stdout.write(f"{worker} {number}\\n")
        sys.stdout.flush()
threads = [threading.Thread(target=work, args=(worker,)) for worker in range(3)]
for thread in threads: thread.start()
"""


def killed(folder: Path, first: int, acknowledged: int) -> Iterator[tuple[str, int]]:
    """Run writers on a folder and kill them after so many acknowledgements; yield those."""
    command = [sys.executable, "-u", "-c", WRITER, str(folder), str(first)]
    with subprocess.Popen(command, env=base_environment(), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for count, line in enumerate(process.stdout):
            if count == acknowledged:
                process.kill()
            if line.endswith("\n"):
                worker, number = line.split()
                yield worker, int(number)


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow), pytest.param(3, marks=pytest.mark.slow)])
def test_kills_at_random_moments_lose_nothing_that_was_waited_for(seed: int, folder: Path) -> None:
    """Also amid checkpoints; a change of two parts is there with both or with none."""
    draw = random.Random(seed)
    acknowledged: Counter[tuple[str, int]] = Counter()
    for start in range(4):
        acknowledged.update(killed(folder, start * 10_000, draw.randrange(1, 120)))
        parts = values(folder)
        present = {part[2] for part in parts if part[:2] == (ITEM, "a")}
        whole = {part[2] for part in parts if part[:2] == (ITEM, "b")}
        assert {f"{worker}/{number}" for worker, number in acknowledged} <= present
        assert whole == {name for name in present if int(name.partition("/")[2]) % 3 == 0}
        for worker in "012":
            numbers = [number for name, number in acknowledged if name == worker]
            if numbers:
                value, content = parts[OBJECT, "c", worker]
                assert value["n"] >= max(numbers)
                assert content == b"%d" % value["n"] * 40
    assert set(acknowledged.values()) == {1}
