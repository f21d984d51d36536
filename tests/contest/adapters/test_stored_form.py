"""How things lie in the store, and which of the store's refusals are waited out."""

from __future__ import annotations

import zlib
from typing import Any

import pytest
from botocore.exceptions import ClientError

from contest.adapters import aws
from tests.stage import Program, Stage


def test_a_score_record_lies_there_as_the_packed_bytes_that_are_served(stage: Stage) -> None:
    program = Program(stage, stage.team("red"))
    program.open(files=1)
    program.play()
    stage.score_all()
    items = aws.client("dynamodb").scan(TableName="scores")["Items"]
    (record,) = [each["record"]["B"] for each in items if each["sk"]["S"].startswith("SCORE#")]
    assert zlib.decompress(record).decode() == program.get("files/1/score").text


@pytest.mark.parametrize(("code", "tries"), [("AccessDenied", 1), ("SlowDown", 1), ("ConditionalRequestConflict", 3)])
def test_only_two_writers_at_once_are_waited_out(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, code: str, tries: int
) -> None:
    made = []

    def refuse(**_: Any) -> None:
        made.append(code)
        raise ClientError({"Error": {"Code": code}}, "PutObject")

    monkeypatch.setattr(aws.client("s3"), "put_object", refuse)
    with pytest.raises(ClientError, match=code):
        stage.platform.blobs.put_if_absent("a", b"b")
    assert len(made) >= tries
    assert (len(made) == 1) is (tries == 1)
