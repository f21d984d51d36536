"""A set of texts answered by one file in M2, over HTTP (tracks-sessions G-2)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contest.contests.played import Contest
from tests.contest.submissions.submitting import Submitter
from tests.stage import Stage, staged

CONTEST = Contest.named("gec")


@pytest.fixture
def red(tmp_path: Path) -> Iterator[Submitter]:
    with staged(tmp_path, "contest-1") as made:
        files = CONTEST.folder("test")
        files["cycle.json"]["parameters"]["least_hidden_items"] = 1
        made.load(files)
        yield Submitter(made, made.team("red"))


def texts(stage: Stage) -> list[str]:
    """List the texts of the set, in the order of its manifest."""
    cycle = stage.platform.catalogue.cycle()
    assert cycle is not None
    entries = CONTEST.entries
    return [" ".join(entries[name].item["sentences"]) for name in sorted(entries)]


def m2(found: list[str]) -> bytes:
    """Units without edits."""
    return "\n".join(f"S {each}\n" for each in found).encode()


@pytest.mark.clause("TS G-2", "TS T13")
def test_one_m2_file_in_the_manifests_order_is_scored(
    red: Submitter,
) -> None:
    found = red.submit(m2(texts(red.stage)))
    assert found["state"] == "scored", found
    report = red.report_of(found["submission_id"]).json
    assert report["missing"] == []
    assert report["counts"]["answered"] == len(CONTEST.entries)
    assert found["value"] == 0.0
    board = red.stage.request("GET", "/v1/leaderboards/qualification").json
    assert [each["session_id"] for each in board["rows"]] == [found["submission_id"]]
    plain = red.submit("\n".join(texts(red.stage)).encode())
    assert (plain["state"], plain["reasons"][0]["code"]) == ("refused", "corrected_text")
    fewer = red.submit(m2(texts(red.stage)[1:]))
    assert (fewer["state"], "wrong_count" in {each["code"] for each in fewer["reasons"]}) == ("refused", True)
