"""Of the locked copies those exports count that came to their end within a day."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from botocore.exceptions import ClientError

from contest.adapters import aws
from contest.adapters.storage import S3Copies
from contest.figures import Figure
from contest.operations.deploying import note_copies
from contest.stored_names import EXPORTED
from contest.values import DAY

NOW = 1_800_000_000_000


def figures_of(copies: Any) -> list[Any]:
    """Return the figures that one look at the copies notes."""
    noted: list[Any] = []
    clock, figures = SimpleNamespace(now=lambda: NOW), SimpleNamespace(note=noted.append)
    platform: Any = SimpleNamespace(copies=copies, clock=clock, figures=figures)
    note_copies(platform)
    return noted


def uncopied(names: list[str]) -> Any:
    [figures] = figures_of(SimpleNamespace(names=lambda _: names))
    return figures[Figure.TABLES_UNCOPIED]


def name(table: str, at: int, file: str = "manifest-summary.json") -> str:
    return f"exports/{table}/AWSDynamoDB/{at:014}-2d8752fd/{file}"


def test_a_table_is_copied_by_a_complete_export_of_the_last_day_and_a_cycle_without_copies_counts_nothing() -> None:
    assert uncopied([name(table, NOW - DAY) for table in EXPORTED]) == 0
    assert uncopied([name(table, NOW - DAY - 1) for table in EXPORTED]) == 5
    assert uncopied([name("scores", NOW, "data/1.json.gz"), name("scores", NOW, "manifest-files.json")]) == 5
    assert uncopied([name("scores", NOW - DAY - 1), name("scores", NOW), name("teams", NOW), "exports/"]) == 4
    assert uncopied([]) == 5
    assert figures_of(None) == []


@pytest.mark.parametrize("code", ["AccessDenied", "NoSuchBucket"])
def test_a_bucket_out_of_sight_has_no_copies(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: Any) -> Any:
        raise ClientError({"Error": {"Code": code}}, "ListObjectsV2")

    pages = SimpleNamespace(paginate=refuse)
    monkeypatch.setattr(aws, "client", lambda _: SimpleNamespace(get_paginator=lambda _: pages))
    if code == "AccessDenied":
        assert S3Copies("theirs").names("exports/") == []
    else:
        with pytest.raises(ClientError):
            S3Copies("theirs").names("exports/")
