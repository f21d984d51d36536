"""Signed statements have the documented forms, and go out as they were signed."""

from __future__ import annotations

import base64
import json
from typing import Any

import jsonschema
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from contest.edge import documentation
from contest.run import watching
from contest.run.rules.conducting import Wish
from contest.run.rules.run import Kind
from contest.run.watching import Restart
from contest.session.rules.delivery import Cause
from contest.values import HOUR, canonical
from tests.run_stage import ABSENT, RunOnStage
from tests.stage import Stage
from tests.stage_kept import Setting

STAGE = Setting()

pytestmark = pytest.mark.integration
FORMS = json.loads(documentation.text())["components"]


def conforms(name: str, said: Any) -> None:
    jsonschema.Draft202012Validator({**FORMS["schemas"][name], "components": FORMS}).validate(said)


def signed(stage: Stage, said: Any, signature: str) -> None:
    """Verify a statement as it came over the wire; a field more or less would be another one."""
    keys = {each["key_id"]: each["public_key"] for each in stage.request("GET", "/v1/keys").json["keys"]}
    key = Ed25519PublicKey.from_public_bytes(base64.b64decode(keys[said["key_id"]]))
    key.verify(base64.b64decode(signature), canonical(said))


def decided(played: RunOnStage, kind: Kind, **wish: Any) -> None:
    played.stage.advance(1)
    played.decide(Wish(kind, "a reason", **wish))


@pytest.mark.clause("platform §3 commitment", "platform §3 amendments")
def test_every_kind_of_statement_goes_out_as_it_was_signed_and_documented(stage: Stage) -> None:
    played = RunOnStage(stage, 4, "red", "blue")
    played.open(1, red=ABSENT)
    decided(played, Kind.PAUSE)
    decided(played, Kind.RESUME)
    decided(played, Kind.VOID, numbers=(1,))
    stage.advance(40)
    decided(played, Kind.UNDO, amendment=3)
    decided(played, Kind.REPLACE, numbers=(2,))
    decided(played, Kind.RULE, numbers=(1,), team_id="red", cause=Cause.PLATFORM)
    stage.advance(6)
    watching.restart(stage.platform, "anna", played.run_id, "a reason", Restart(stage.now + HOUR))
    stage.advance(10)
    said = stage.request("GET", f"/v1/runs/{played.run_id}").json
    kinds = [each["amendment"]["amendment"] for each in said["amendments"]]
    assert kinds == ["pause", "resume", "void", "undo", "replace", "sealed", "stop"]
    details = [set(each["amendment"]["details"]) for each in said["amendments"]]
    replaced = {"numbers", "first", "slot", "root"}
    assert details == [set(), set(), {"numbers"}, {"amendment"}, replaced, {"seal"}, {"successor"}]
    assert said["rulings"] == [], "nobody is told of a ruling before the record"
    conforms("CommitmentStatement", said["commitment"]["statement"])
    signed(stage, said["commitment"]["statement"], said["commitment"]["signature"])
    for each in said["amendments"]:
        conforms("AmendmentStatement", each["amendment"])
        signed(stage, each["amendment"], each["signature"])


@pytest.mark.clause("platform §3 commitment")
def test_a_record_has_the_documented_form(stage: Stage) -> None:
    played = RunOnStage(stage, 4, "red", "blue")
    played.open(1, red=ABSENT)
    decided(played, Kind.VOID, numbers=(4,))
    decided(played, Kind.PAUSE)
    decided(played, Kind.RESUME)
    for number in (2, 3):
        played.open(number, red=ABSENT)
    decided(played, Kind.RULE, numbers=(1,), team_id="red", cause=Cause.PLATFORM)
    decided(played, Kind.UNDO, amendment=4)
    played.finish()
    said = played.get("record").json
    conforms("RecordBody", said)
    assert [each["amendment"] for each in said["record"]["rulings"]] == ["rule", "undo"]
    told = stage.request("GET", f"/v1/runs/{played.run_id}").json
    conforms("RunBody", told)
    assert told["rulings"] == said["record"]["rulings"]
    assert said["record"]["voided"] == {"4": 1}
    assert {each["cause"] for session in said["record"]["sessions"] for each in session["files"]} >= {"team_late"}
    signed(stage, said["statement"], said["signature"])
    for wrong in ({"format": "1"}, {"key_id": "x"}, {"another": 1}):
        with pytest.raises(jsonschema.ValidationError):
            conforms("RecordStatement", {**said["statement"], **wrong})
