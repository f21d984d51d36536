from __future__ import annotations

import json
import multiprocessing
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pku.answers import FileOut, Order, Receipt
from pku.errors import Failure, PkuError
from pku.journal import FILE, Entry, Journal, Journals
from tests.pku.platform import essay, pku_error

FILE_OUT = FileOut(
    number=1,
    file_id="f1",
    handed_out_at="2026-06-01T00:00:00.000Z",
    answer_by="2026-06-01T00:01:00.000Z",
    server_time="2026-06-01T00:00:00.000Z",
    content=essay("f1"),
)
RECEIPT = Receipt.read(
    {
        "receipt": {
            "session_id": "s",
            "number": 1,
            "file_id": "f1",
            "send": 1,
            "status": "accepted",
            "reason": None,
            "received_at": "2026-06-01T00:00:01.000Z",
            "content_sha256": "0" * 64,
            "key_id": "k",
        },
        "signature": "AA==",
    }
)


def written(folder: Path) -> Journal:
    journal = Journal(folder)
    with journal:
        journal.received(FILE_OUT, 60.0)
        journal.solved(1, '{"text": "ответ"}')
        journal.sent(1, RECEIPT)
        journal.failed(2, Failure("solver_failed", "failed", "не вышло"))
    return journal


def test_a_journal_gives_back_what_was_written(tmp_path: Path) -> None:
    written(tmp_path / "s")
    entries = Journal(tmp_path / "s").read()
    assert entries[1].receipt == RECEIPT
    assert (entries[1].unsent, entries[1].unsolved) == (False, False)
    assert entries[2].failure == Failure("solver_failed", "failed", "не вышло")


@pytest.mark.clause("TS T16")
def test_a_dialogue_goes_on_after_a_restart_where_it_stood(tmp_path: Path) -> None:
    dialogue = {"step": "studies", "takes": ["study"], "turns": [{"kind": "study", "response": {"found": False}}]}
    journal = Journal(tmp_path / "s")
    with journal:
        journal.received(replace(FILE_OUT, dialogue={"step": "preliminary", "takes": ["study"], "turns": []}), 60.0)
        journal.solved(1, '{"study": "A06.09"}')
        key = journal.entry(1).key
        journal.turned(1, replace(RECEIPT, dialogue=dialogue))
        assert journal.entry(1).unsolved
        journal.solved(1, '{"study": "A06.09"}')
        assert journal.entry(1).key not in {key, None}
    entry = Journal(tmp_path / "s").read()[1]
    assert entry.unsent
    assert entry.file is not None
    assert entry.file.solver_input["dialogue"] == dialogue


def test_an_answer_keeps_its_key_over_a_restart(tmp_path: Path) -> None:
    with Journal(tmp_path / "s") as journal:
        journal.received(FILE_OUT, 60.0)
        journal.solved(1, "{}")
        key = journal.entry(1).key
    with Journal(tmp_path / "s") as again:
        assert again.entry(1).unsent
        assert (again.entry(1).key, again.entry(1).answer, again.entry(1).file) == (key, "{}", FILE_OUT)


def test_a_journal_torn_at_any_byte_gives_back_its_whole_lines(tmp_path: Path) -> None:
    written(tmp_path / "s")
    path = tmp_path / "s" / FILE
    content = path.read_bytes()
    lines = content.splitlines(keepends=True)
    for size in range(len(content)):
        path.write_bytes(content[:size])
        whole = sum(len(b"".join(lines[: count + 1])) <= size for count in range(len(lines)))
        entry = Journal(tmp_path / "s").read().get(1, Entry(1))
        steps = [entry.file is not None or entry.receipt is not None, entry.unsent, entry.receipt is not None]
        assert steps == [whole >= 1, whole == 2, whole >= 3], size


@pytest.mark.parametrize("torn", [1, 17, 100])
def test_a_torn_line_is_cut_off_before_the_next_is_written(tmp_path: Path, torn: int) -> None:
    written(tmp_path / "s")
    path = tmp_path / "s" / FILE
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[1] + lines[2][:torn])
    with Journal(tmp_path / "s") as journal:
        assert journal.entry(1).unsent
        journal.failed(9, Failure("x", "x", "x"))
    assert path.read_bytes().splitlines(keepends=True)[:2] == lines[:2]
    assert Journal(tmp_path / "s").read()[9].failure is not None


def test_every_line_is_on_the_disk_before_the_next_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    sync = os.fsync

    def watched(handle: int) -> None:
        sync(handle)
        synced.append(os.fstat(handle).st_size)

    with Journal(tmp_path / "s") as journal:
        monkeypatch.setattr(os, "fsync", watched)
        journal.received(FILE_OUT, 60.0)
        assert synced == [(tmp_path / "s" / FILE).stat().st_size]
        journal.solved(1, "{}")
        assert synced[1:] == [(tmp_path / "s" / FILE).stat().st_size]


def test_a_last_line_that_lost_its_content_is_passed_over(tmp_path: Path) -> None:
    written(tmp_path / "s")
    path = tmp_path / "s" / FILE
    path.write_bytes(path.read_bytes() + b"\x00" * 20 + b"\n")
    assert Journal(tmp_path / "s").read()[1].receipt == RECEIPT


def test_damage_before_the_last_line_is_said_and_nothing_is_changed(tmp_path: Path) -> None:
    written(tmp_path / "s")
    path = tmp_path / "s" / FILE
    damaged = path.read_bytes().replace(b'"solved"', b'"solved', 1)
    path.write_bytes(damaged)
    with pku_error("journal_damaged"), Journal(tmp_path / "s"):
        pass
    assert path.read_bytes() == damaged


def test_a_full_disk_is_said_and_leaves_no_half_line(tmp_path: Path) -> None:
    class FullDisk(Journal):
        def _write(self, handle: int, line: bytes) -> None:
            os.write(handle, line[:10])
            raise OSError(28, "No space left on device")

    written(tmp_path / "s")
    before = (tmp_path / "s" / FILE).read_bytes()
    with FullDisk(tmp_path / "s") as journal, pku_error("journal_write"):
        journal.received(FILE_OUT, 60.0)
    assert (tmp_path / "s" / FILE).read_bytes() == before


def test_a_second_runner_is_refused_and_told_who_has_the_session(tmp_path: Path) -> None:
    with Journal(tmp_path / "s"):
        with pku_error("session_in_use") as caught, Journal(tmp_path / "s"):
            pass
        assert str(os.getpid()) in str(caught.value)
    with Journal(tmp_path / "s"):
        pass


def _hold_and_die(folder: str, connection: Any) -> None:
    Journal(Path(folder)).__enter__()
    connection.send("held")
    connection.recv()


def test_a_killed_runner_leaves_no_lock_behind(tmp_path: Path) -> None:
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_hold_and_die, args=(str(tmp_path / "s"), there))
    process.start()
    assert here.recv() == "held"
    with pytest.raises(PkuError), Journal(tmp_path / "s"):
        pass
    process.kill()
    process.join()
    with Journal(tmp_path / "s"):
        pass
    here.close()
    there.close()


def test_an_opening_keeps_its_key_until_it_is_over(tmp_path: Path) -> None:
    order = Order(set="train", files=5)
    key = Journals(tmp_path).opening_key(order)
    assert Journals(tmp_path).opening_key(order) == key
    assert Journals(tmp_path).opening_key(Order(set="test", files=5)) != key
    key = Journals(tmp_path).opening_key(order)
    Journals(tmp_path).forget_opening()
    assert Journals(tmp_path).opening_key(order) != key


def test_a_torn_opening_is_a_new_one(tmp_path: Path) -> None:
    order = Order()
    Journals(tmp_path).opening_key(order)
    path = tmp_path / "opening.json"
    path.write_bytes(path.read_bytes()[:30])
    assert Journals(tmp_path).opening_key(order)
    assert json.loads(path.read_bytes())["order"] == dict(order.to_wire())


@pytest.mark.parametrize("name", ["", "../other", "a/b", "a\\b", "."])
def test_a_session_s_id_never_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    with pku_error("bad_session_id"):
        Journals(tmp_path).of(name)
