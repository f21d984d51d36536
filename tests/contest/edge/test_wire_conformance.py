"""What goes out as stored bytes has the documented form too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from contest.edge import document
from tests.stage import Program, staged

pytestmark = pytest.mark.integration

DOCUMENT = json.loads(document.text())


def conforms(answered: Any, method: str, path: str) -> None:
    """Check an answer against the checked-in document."""
    described = DOCUMENT["paths"][path][method]["responses"][str(answered.status)]
    told = described["content"][answered.headers.get("content-type", "application/json")]
    schema = {**told["schema"], "components": DOCUMENT["components"]}
    jsonschema.Draft202012Validator(schema).validate(answered.json)


@pytest.mark.parametrize("kind", ["train", "test"])
def test_every_answer_of_a_whole_session_is_as_documented(tmp_path: Path, kind: str) -> None:
    with staged(tmp_path) as stage:
        stage.load()
        program = Program(stage, stage.team("red"))
        session = "/v1/sessions/{session_id}"
        conforms(program.open(set=kind, client={"name": "pku", "version": "1"}), "post", "/v1/sessions")
        conforms(program.open(set=kind), "post", "/v1/sessions")
        conforms(program.get("next"), "get", f"{session}/next")
        conforms(program.get("files/1"), "get", f"{session}/files/{{number}}")
        conforms(program.answer(1, "[]"), "put", f"{session}/files/{{number}}/answer")
        conforms(program.answer(1, {"letters": "abcd"}), "put", f"{session}/files/{{number}}/answer")
        conforms(program.get("files/9"), "get", f"{session}/files/{{number}}")
        conforms(program.get("report"), "get", f"{session}/report")
        stage.advance(1)
        conforms(program.ask("PUT", f"/v1/sessions/{program.session_id}/log", "x"), "put", f"{session}/log")
        conforms(program.get(), "get", session)
        conforms(program.ask("POST", f"/v1/sessions/{program.session_id}/abort"), "post", f"{session}/abort")
        conforms(program.get("report"), "get", f"{session}/report")
        conforms(program.get("files/1/score"), "get", f"{session}/files/{{number}}/score")
        stage.score_all()
        for what in ("report", "receipts"):
            conforms(program.get(what), "get", f"{session}/{what}")
        stage.advance(1)
        for what in ("score", "comparison"):
            conforms(program.get(f"files/1/{what}"), "get", f"{session}/files/{{number}}/{what}")
        conforms(program.ask("GET", "/v1/sessions"), "get", "/v1/sessions")
        for path in ("/v1/cycle", "/v1/keys", "/v1/leaderboards/qualification"):
            conforms(stage.request("GET", path), "get", path)
        conforms(stage.request("GET", "/v1/sessions"), "get", "/v1/sessions")
        conforms(stage.request("GET", "/v1/sessions", token="hrd_" + "x" * 43), "get", "/v1/sessions")
