"""Bringing a submission to a stubborn platform: answers are lost, addresses over, parts vanish, the kit is killed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from pku import transfers as submissions
from pku.exchange import Exchange, Handed, SubmissionInfo
from pku.pilot import archive
from pku.transfers import Begun, Measured, Tell, Wanted, bring, listed, measure, watch
from tests.pku.platform import DrivenClock, Killed, answering, lost_after, lost_before, pku_error
from tests.pku.submitting import PART, SubmittingPlatform, shrink_parts
from tests.stage import staged

CONTENT = bytes(range(256)) * 6
"""A part and a piece."""
PARTS = [hashlib.sha256(CONTENT[start : start + PART]).hexdigest() for start in range(0, len(CONTENT), PART)]
WANTED = Wanted("program")

pytestmark = pytest.mark.clause("TS T13", "TS T16")


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    shrink_parts(monkeypatch)


@pytest.fixture
def platform(tmp_path: Path) -> Iterator[SubmittingPlatform]:
    with staged(tmp_path, "fusion-1") as stage:
        yield SubmittingPlatform(stage, DrivenClock())


@pytest.fixture
def kit(platform: SubmittingPlatform, tmp_path: Path) -> Kit:
    path = tmp_path / "model.zip"
    path.write_bytes(CONTENT)
    return Kit(platform, Begun(tmp_path / "submissions", "http://platform"), measure(path, ignore))


def ignore(_done: int, _size: int) -> None:
    """Hear of progress and do nothing."""


def exchange(platform: SubmittingPlatform) -> Exchange:
    return platform.exchange(requests_per_second=0)


@dataclass
class Kit:
    """The kit of a team that brings a file of two parts to a platform."""

    platform: SubmittingPlatform
    begun: Begun
    measured: Measured

    def bring(self, wanted: Wanted = WANTED, tell: Tell = ignore) -> Handed:
        return bring(exchange(self.platform), self.begun, self.measured, wanted, tell)

    def submission(self) -> Any:
        """Return the only submission as the platform shows it."""
        [listed_submission] = self.platform.submissions()
        return self.platform.ask(f"/v1/submissions/{listed_submission['submission_id']}")

    def whole(self) -> bytes:
        """Return the file as the platform has it."""
        stored = self.platform.stored()
        return b"".join(stored[digest] for digest in PARTS)


def test_a_file_is_measured_once_with_its_parts(tmp_path: Path) -> None:
    path, told = tmp_path / "model.zip", list[tuple[int, int]]()
    path.write_bytes(CONTENT)
    found = measure(path, lambda done, size: told.append((done, size)))
    assert (found.size, found.sha256, list(found.parts)) == (len(CONTENT), hashlib.sha256(CONTENT).hexdigest(), PARTS)
    assert told[-1] == (len(CONTENT), len(CONTENT))


@pytest.mark.parametrize(("size", "code"), [(0, "submission_empty"), (PART * 160 + 1, "submission_too_large_here")])
def test_a_file_that_nobody_takes_is_not_sent(tmp_path: Path, size: int, code: str) -> None:
    path = tmp_path / "model.zip"
    with path.open("wb") as file:
        file.truncate(size)
    with pku_error(code):
        measure(path, lambda *_: None)
    with pku_error("submission_unreadable"):
        measure(tmp_path / "none.zip", lambda *_: None)


def test_a_file_is_brought_in_parts_without_the_token_and_its_receipt_is_kept(kit: Kit) -> None:
    told = list[tuple[int, int]]()
    handed = kit.bring(tell=lambda done, size: told.append((done, size)))
    assert kit.whole() == CONTENT
    assert kit.platform.puts == [1, 2]
    assert kit.platform.tokens_at_addresses == {None}
    assert told == [(0, 1536), (1000, 1536), (1536, 1536)]
    answer = json.loads(kit.begun.receipt_of(handed.submission.submission_id).read_bytes())
    assert answer == {"receipt": handed.receipt, "signature": handed.signature}


def test_a_file_of_one_part_names_no_parts_and_what_is_asked_for_is_said(kit: Kit, tmp_path: Path) -> None:
    path = tmp_path / "answers.json"
    path.write_bytes(b"{}")
    wanted = Wanted("program", "public", ("C2C", "HTR"))
    kit.measured = measure(path, ignore)
    kit.bring(wanted)
    assert (kit.submission()["set"], kit.submission()["groups"]) == ("public", ["C2C", "HTR"])
    assert list(kit.platform.stored().values()) == [b"{}"]


@pytest.mark.parametrize("at", range(6))
@pytest.mark.parametrize(
    "fault",
    [
        *(pytest.param(fault, marks=pytest.mark.long) for fault in (lost_before, answering(500, "internal"))),
        *(lost_after, answering(503, "busy")),
    ],
)
def test_whatever_request_fails_once_there_is_one_submission_whole(kit: Kit, at: int, fault: object) -> None:
    kit.platform.faults.extend([None] * at)
    kit.platform.faults.append(fault)  # type: ignore[arg-type]
    handed = kit.bring()
    assert kit.whole() == CONTENT
    assert handed.receipt["content_sha256"] == kit.measured.sha256
    assert not kit.platform.faults


def test_an_address_that_is_over_is_asked_for_anew_and_one_that_always_is_ends_it(kit: Kit) -> None:
    kit.platform.refused_puts = 2
    kit.bring()
    assert kit.whole() == CONTENT
    kit.platform.refused_puts = 1000
    with pku_error("address_over"):
        kit.bring(Wanted("program", "public"))


def test_a_part_that_the_platform_has_lost_is_brought_again(kit: Kit) -> None:
    kit.platform.loses = [1, 2]
    kit.bring()
    assert kit.platform.puts == [1, 2, 1, 2]
    assert kit.whole() == CONTENT


def test_a_platform_that_loses_a_part_every_time_is_given_up(kit: Kit) -> None:
    kit.platform.loses = [2] * 100
    with pku_error("submission_parts_lost"):
        kit.bring()
    assert kit.platform.puts.count(2) == 5


@pytest.mark.parametrize("at", range(6))
@pytest.mark.parametrize("carried_out", [True, False])
def test_killed_at_any_request_the_same_command_goes_on(kit: Kit, at: int, carried_out: bool) -> None:
    def kill(request: httpx.Request, handle: object) -> httpx.Response:
        if carried_out:
            handle()  # type: ignore[operator]
        raise Killed

    kit.platform.faults.extend([None] * at)
    kit.platform.faults.append(kill)
    with pytest.raises(Killed):
        kit.bring()
    kit.begun = Begun(kit.begun.folder, kit.begun.url)
    handed = kit.bring()
    assert handed.submission.submission_id == kit.submission()["submission_id"]
    assert kit.whole() == CONTENT
    assert len(kit.platform.puts) <= len(PARTS) + 1  # nothing that was there is brought again


def test_another_file_another_wish_or_another_platform_is_another_submission(kit: Kit) -> None:
    kit.bring()
    kit.platform.work()
    kit.bring(Wanted("program", "public"))
    kit.platform.work()
    replace(kit, begun=replace(kit.begun, url="http://b")).bring()
    assert len(kit.platform.submissions()) == 3


def test_what_is_over_is_submitted_anew(kit: Kit) -> None:
    first = kit.bring()
    kit.platform.work()
    assert kit.submission()["state"] == "refused"
    second = kit.bring()
    assert first.submission.submission_id != second.submission.submission_id


def test_a_file_that_changes_meanwhile_is_not_brought(kit: Kit) -> None:
    kit.measured.path.write_bytes(CONTENT[:-1] + b"!")
    with pku_error("submission_changed"):
        kit.bring()
    assert kit.submission()["completed_at"] is None


def test_what_the_platform_refuses_is_said_and_the_key_is_forgotten(kit: Kit) -> None:
    kit.platform.faults.append(answering(409, "submissions_not_taken"))
    before = kit.begun.key_of(kit.measured, WANTED)
    with pku_error("submissions_not_taken"):
        kit.bring()
    assert kit.begun.key_of(kit.measured, WANTED) != before


def test_one_that_waits_for_another_keeps_its_upload(kit: Kit) -> None:
    kit.platform.faults.extend([*[None] * 5, answering(409, "submission_under_way")])
    with pku_error("submission_under_way"):
        kit.bring()
    kit.bring()
    assert kit.platform.puts == [1, 2]


def test_states_are_told_once_each_until_the_last_and_waits_grow(kit: Kit, tmp_path: Path) -> None:
    path = tmp_path / "program.zip"
    path.write_bytes(archive())
    kit.measured = measure(path, ignore)
    handed = kit.bring()
    now = kit.platform.server_now()
    kit.platform.at(now + 1, lambda: kit.platform.stage.judge() and None)
    kit.platform.at(now + 100, kit.platform.work)
    kit.platform.at(now + 101, kit.platform.work)
    told = list[SubmissionInfo]()
    result = watch(exchange(kit.platform), handed.submission.submission_id, told.append)
    assert [each.state for each in told] == ["checking", "queued", "scored"]
    assert (result.state, result.raw["value"]) == ("scored", 3.0)
    assert max(kit.platform.clock.slept) == submissions.LONGEST_POLL_S
    assert len(kit.platform.clock.slept) < 20


def test_a_list_goes_over_pages_and_stops_at_the_limit(platform: SubmittingPlatform) -> None:
    body = {"kind": "program", "bytes": 1, "sha256": "0" * 64}
    begun = [exchange(platform).submissions.begin(body, key=str(number)).submission_id for number in range(5)]

    def two(request: httpx.Request) -> httpx.Response:
        """Return pages of at most two, whatever limit is requested."""
        url = request.url.copy_set_param("limit", min(2, int(request.url.params["limit"])))
        return platform.handle(httpx.Request(request.method, url, headers=request.headers))

    asked = platform.exchange(httpx.MockTransport(two))
    found, left = listed(asked, 10)
    assert sorted(each["submission_id"] for each in found) == sorted(begun)
    assert found == list(reversed(platform.submissions()))
    assert left["scored"] == 100
    assert len(listed(asked, 3)[0]) == 3
