"""The journal of a state: whatever ends it, and whenever, what was waited for is there, whole and once."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from local.aws import journal
from local.aws.journal import ITEM, OBJECT, READER, RECORD, Change, Journal, JournalError, Part
from local.environment import base_environment

if TYPE_CHECKING:
    from collections.abc import Iterator

HELLO: Part = (ITEM, "table", "hello")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(journal, "_PREDECESSOR_S", 0.0)
    return tmp_path / "state"


def opened(folder: Path) -> Journal:
    return Journal(folder, {"NAME": "one"})


def closed(running: Journal) -> None:
    """Let go of the folder, as the end of a process does."""
    if running._compaction is not None:
        running._compaction.join()
    os.close(running._file)
    running._lock_file.close()


def framed(change: Change) -> bytes:
    return journal._frame([journal._encoded([change])])


def values(folder: Path) -> dict[Part, Any]:
    running = opened(folder)
    read = {
        part: (value, None if content is None else content.read()) for part, (value, content) in running.state.items()
    }
    closed(running)
    return read


def written(folder: Path, *changes: Change) -> None:
    running = opened(folder)
    for change in changes:
        running.note([change])
    running.wait()
    closed(running)


def test_the_last_value_of_each_part_is_the_state(folder: Path) -> None:
    part: Part = (OBJECT, "bucket", "a/б")
    written(folder, Change(HELLO, {"b": b"\xff"}), Change(part, {"m": "1"}, b"first"))
    written(folder, Change(HELLO, None), Change(part, {"m": "2"}, b"second"), Change((ITEM, "t", "e"), {}))
    assert values(folder) == {part: ({"m": "2"}, b"second"), (ITEM, "t", "e"): ({}, None)}
    assert journal.variables_of(folder) == {"NAME": "one"}


@pytest.mark.parametrize("left", range(1, 60, 7))
def test_a_torn_change_is_cut_off_whole_and_the_next_ones_follow(left: int, folder: Path) -> None:
    """Both of its parts: they happened together."""
    written(folder, Change(HELLO, 1))
    file = folder / "00000001.journal"
    size = file.stat().st_size
    running = opened(folder)
    running.note([Change(HELLO, 2), Change((OBJECT, "b", "k"), {}, b"content")])
    running.wait()
    closed(running)
    assert file.stat().st_size > size + left
    os.truncate(file, size + left)
    running = opened(folder)
    assert (running.cut_bytes, running.state[HELLO][0]) == (left, 1)
    closed(running)
    written(folder, Change((ITEM, "table", "more"), 3))
    assert {part[2]: value for part, (value, _) in values(folder).items()} == {"hello": 1, "more": 3}


@pytest.mark.parametrize("place", [0, 7, 20])
def test_bytes_that_were_changed_on_the_disk_are_damage_where_others_follow(place: int, folder: Path) -> None:
    """To cut there would lose what was acknowledged; the last change may be one that was torn."""
    written(folder, Change(HELLO, "first"))
    written(folder, Change(HELLO, "again"))
    file = folder / "00000001.journal"
    whole = file.read_bytes()
    file.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
    with pytest.raises(JournalError, match="damaged"):
        opened(folder)
    file.write_bytes(whole.replace(b"again", b"agoin"))
    assert values(folder) == {HELLO: ("first", None)}
    file.write_bytes(whole + bytes(40))
    assert values(folder) == {HELLO: ("again", None)}


def test_records_that_every_reader_has_behind_it_are_gone(folder: Path) -> None:
    records = [Change((RECORD, "t", str(number)), number) for number in range(4)]
    written(folder, *records, Change((READER, "t", "fast"), 3), Change((READER, "t", "slow"), 2))
    assert [part[2] for part in values(folder) if part[0] == RECORD] == ["2", "3"]


def test_the_folder_does_not_grow_with_the_changes_but_with_the_state(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file is replaced by the state that it leads to, beside the changes that go on."""
    monkeypatch.setattr(journal, "_LEAST_BYTES", 2_000)
    running = opened(folder)
    sizes = []
    for number in range(600):
        running.note([Change((ITEM, "t", str(number % 7)), {"n": number})])
        running.note([Change((OBJECT, "b", "k"), {}, b"x" * 20)])
        running.wait()
        if running._compaction is not None:
            running._compaction.join()
        sizes.append(sum(file.stat().st_size for file in folder.iterdir()))
    closed(running)
    assert max(sizes) < 6_000
    assert sorted(file.suffix for file in folder.iterdir()) == ["", ".journal", ".journal", ".json"]
    left = values(folder)
    assert {part[2]: value["n"] for part, (value, _) in left.items() if part[0] == ITEM} == {
        str(number % 7): number for number in range(593, 600)
    }
    assert left[OBJECT, "b", "k"] == ({}, b"x" * 20)


def test_a_kill_amid_a_compaction_loses_nothing_and_doubles_nothing(folder: Path) -> None:
    """Its new file is not finished yet, or stands already and the files before it are still there."""
    written(folder, Change(HELLO, 1), Change((ITEM, "t", "gone"), 1))
    (folder / "00000002.journal").write_bytes(framed(Change((journal._BASE, "", ""), 1)) + framed(Change(HELLO, 2)))
    (folder / "00000003.new").write_bytes(b"half")
    assert values(folder) == {HELLO: (2, None)}
    assert not (folder / "00000003.new").exists()
    (folder / "00000003.journal").write_bytes(framed(Change((ITEM, "t", "new"), 1)))
    (folder / "00000002.journal").write_bytes(b"damaged")
    with pytest.raises(JournalError, match="damaged"):
        opened(folder)


def test_many_who_wait_share_a_synchronization(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody goes on before it: while one waits for the disk, the others gather for the next."""
    running = opened(folder)
    gathered, calls = threading.Barrier(9), []

    def slowly(file: int) -> None:
        if not calls:
            gathered.wait(10)  # until the other eight have noted their changes
        calls.append(os.fstat(file).st_size)

    monkeypatch.setattr(journal, "_synchronize", slowly)

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
        seen = list(pool.map(change, range(9)))
    closed(running)
    assert len(calls) == 2
    assert min(seen) >= 1
    assert len(values(folder)) == 9


def test_one_cloud_at_a_time_uses_a_folder(folder: Path) -> None:
    running = opened(folder)
    with pytest.raises(JournalError, match="in_use"):
        opened(folder)
    closed(running)
    closed(opened(folder))


PROGRAM = """
import sys
from pathlib import Path
from local.aws import journal
from local.aws.journal import Change, Journal
running = Journal(Path(sys.argv[1]), {})
def full(file, content):
    raise OSError(28, "No space left on device")
running.note([Change(("item", "t", "1"), 1)])
running.wait()
journal._write = full
running.note([Change(("item", "t", "2"), 2)])
running.wait()
print("acknowledged")
"""


def test_a_disk_that_fails_ends_the_process_before_anybody_is_answered(folder: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, str(folder)]
    done = subprocess.run(command, env=base_environment(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"the state in {folder} cannot be written: [Errno 28]" in done.stderr
    assert values(folder) == {(ITEM, "t", "1"): (1, None)}


WRITER = """
import sys, threading
from pathlib import Path
from local.aws import journal
from local.aws.journal import Change, Journal
journal._LEAST_BYTES = 3_000
running = Journal(Path(sys.argv[1]), {})
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
    """Also amid compactions; a change of two parts is there with both or with none."""
    draw = random.Random(seed)
    acknowledged: Counter[tuple[str, int]] = Counter()
    for start in range(4):
        acknowledged.update(killed(folder, start * 10_000, draw.randrange(1, 120)))
        left = values(folder)
        present = {part[2] for part in left if part[:2] == (ITEM, "a")}
        whole = {part[2] for part in left if part[:2] == (ITEM, "b")}
        assert {f"{worker}/{number}" for worker, number in acknowledged} <= present
        assert whole == {name for name in present if int(name.partition("/")[2]) % 3 == 0}
        for worker in "012":
            numbers = [number for name, number in acknowledged if name == worker]
            if numbers:
                value, content = left[OBJECT, "c", worker]
                assert value["n"] >= max(numbers)
                assert content == b"%d" % value["n"] * 40
    assert set(acknowledged.values()) == {1}
