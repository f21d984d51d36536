"""Public pages of a run, its signed statements, the keys (§4) and the commitment's hashes; broken chains are found.

``commitment_vectors.json`` was made by a program of its own: RFC 6962's recursive definition, ``json.dumps`` and
``hashlib`` written out. ``roots[n - 1]`` is the root over the first n rows. A verifier of another make may use it too.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace as changed
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st

from contest.adapters.signatures import Ed25519Signer, KmsSigner, verifies
from contest.cycle.rules.cycle import Mode
from contest.edge import documentation
from contest.operations.commands import commitment_of
from contest.platform import Platform, signature_of, signing_keys
from contest.ports import Signer
from contest.results.wire import keys_body
from contest.run import recording, watching
from contest.run.rules import commitment
from contest.run.rules.commitment import PublicKey, UsedKey, ValidKey, with_validity
from contest.run.rules.conducting import Wish
from contest.run.rules.run import Amendment, Kind, Run, RunFile
from contest.run.store import SigningKeyItem
from contest.run.watching import Restart
from contest.session.rules.delivery import Cause
from contest.values import HOUR, canonical, iso
from pku.errors import PkuError
from pku.proof import fault_of, read_keys
from shadow.record import Keys
from tests.contest.adapters.conftest import platform  # noqa: F401 -- the adapters' fixture: fake and real
from tests.emulated_kms import emulated_kms
from tests.fakes import FakePlatform
from tests.run_stage import ABSENT, RunOnStage
from tests.samples import RUN_OF_FOUR as RUN
from tests.stage import Stage
from tests.stage_kept import Setting
from tests.toys import toy_cycle

VECTORS = json.loads(Path(__file__).with_name("commitment_vectors.json").read_text("utf-8"))
FILE = RunFile("2" * 15, "item", "rus", "g", "c" * 64, "5" * 64, "m" * 64)


def test_leaves_and_roots_are_those_of_the_vectors_and_no_node_is_a_leaf() -> None:
    assert [commitment.leaf(each) for each in VECTORS["rows"]] == VECTORS["leaves"]
    roots = [commitment.root_of(VECTORS["rows"][:count]) for count in range(1, 8)]
    assert roots == VECTORS["roots"]
    with pytest.raises(ValueError, match="at least one"):
        commitment.root([])
    left, right = VECTORS["leaves"][:2]
    both = bytes.fromhex(left) + bytes.fromhex(right)
    assert commitment.root([left, right]) == hashlib.sha256(b"\x01" + both).hexdigest()
    assert commitment.root([left, right]) != hashlib.sha256(b"\x00" + both).hexdigest()


def test_a_row_names_the_file_and_its_time_and_not_the_item() -> None:
    row = commitment.row(1, 1_790_000_000_000, FILE)
    assert row == {
        "number": 1,
        "planned_at": "2026-09-21T14:13:20.000Z",
        "file_id": "2" * 15,
        "content_sha256": "c" * 64,
        "salt": "5" * 64,
    }


def test_neither_who_decided_nor_a_ruling_is_published() -> None:
    pause = Amendment(1, Kind.PAUSE, 1, 2, "who", "a reason")
    assert "who" not in commitment.amendment_statement(RUN, pause, "p" * 64, "key")
    rule = Amendment(1, Kind.RULE, 1, 1, "w", "r", {"team_id": "red", "number": 1, "cause": "platform"})
    void = Amendment(2, Kind.VOID, 1, 1, "w", "r", {"numbers": [1]})
    undo_rule = Amendment(3, Kind.UNDO, 1, 1, "w", "r", {"amendment": 1})
    undo_void = Amendment(4, Kind.UNDO, 1, 1, "w", "r", {"amendment": 2})
    run = changed(RUN, amendments=(rule, void, undo_rule, undo_void))
    assert [commitment.is_public(run, each) for each in run.amendments] == [False, True, False, True]


LEAVES = st.lists(st.binary(min_size=1, max_size=8), min_size=1, max_size=40).map(
    lambda parts: [hashlib.sha256(part).hexdigest() for part in parts]
)


def rfc6962(leaves: list[bytes]) -> bytes:
    """Compute the root by the standard's recursive definition, as an oracle."""
    if len(leaves) == 1:
        return leaves[0]
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return hashlib.sha256(b"\x01" + rfc6962(leaves[:split]) + rfc6962(leaves[split:])).digest()


@pytest.mark.property
@given(LEAVES)
def test_the_root_is_that_of_the_standard(leaves: list[str]) -> None:
    assert commitment.root(leaves) == rfc6962([bytes.fromhex(leaf) for leaf in leaves]).hex()


RUN_ID = "r" * 20


def published(the_platform: Any) -> Any:
    """Return the answer of ``GET /v1/keys``."""
    return json.loads(keys_body(signing_keys(the_platform)).model_dump_json())


def statement(the_platform: Any, words: str) -> dict[str, Any]:
    return {"said": words, "key_id": the_platform.signer.public_key.key_id}


@pytest.fixture
def kms() -> Iterator[Signer]:
    with emulated_kms() as signer:
        yield signer


@pytest.mark.clause("platform §4 receipts")
def test_a_receipt_of_an_earlier_key_verifies_for_ever_and_each_key_says_when_it_signed() -> None:
    here = FakePlatform()
    began = here.clock.now()
    first = statement(here, "first")
    of_first = signature_of(here, canonical(first))
    here.clock.advance(60)
    here.signer = Ed25519Signer("another secret")
    second = statement(here, "second")
    of_second = signature_of(here, canonical(second))
    listed = published(here)
    assert [(key["key_id"], key["valid_from"] is not None, key["valid_until"]) for key in listed["keys"]] == [
        (first["key_id"], True, listed["keys"][1]["valid_from"]),
        (second["key_id"], True, None),
    ]
    assert [valid.since for valid in signing_keys(here)] == [began, began + 60_000]
    keys = read_keys(listed)
    assert (fault_of(first, of_first, keys), fault_of(second, of_second, keys)) == (None, None)
    assert fault_of(first, of_second, keys) == "bad_signature"


@pytest.mark.clause("platform §4 receipts")
def test_a_key_is_stored_before_it_has_signed_anything() -> None:
    here = FakePlatform()
    counts: list[int] = []

    class Watched(Ed25519Signer):
        def sign(self, content: bytes) -> bytes:
            counts.append(len(here.signing_keys.used()))
            return super().sign(content)

    here.signer = Watched("secret")
    signature_of(here, canonical({"a": 1}))
    assert counts == [1]


def test_a_keys_time_begins_with_its_first_signature_and_ends_with_the_next_ones() -> None:
    here = FakePlatform()
    (key,) = published(here)["keys"]
    assert (key["key_id"], key["algorithm"], key["valid_from"], key["valid_until"]) == (
        here.signer.public_key.key_id,
        "Ed25519",
        None,
        None,
    )
    one, two, three = (PublicKey(f"{number:016x}", "Ed25519", bytes(32)) for number in (3, 2, 1))
    used = [UsedKey(two, 20), UsedKey(one, 10)]
    assert list(with_validity(used, two)) == [ValidKey(one, 10, 20), ValidKey(two, 20, None)]
    assert list(with_validity(used, three))[1:] == [ValidKey(two, 20, None), ValidKey(three, None, None)]


def test_a_key_keeps_the_moment_at_which_it_was_stored_first(platform: Platform) -> None:  # noqa: F811
    key, other = PublicKey("1" * 16, "Ed25519", b"k" * 32), PublicKey("0" * 16, "ES256", b"p" * 65)
    for noted, at in ((key, 20), (key, 30), (other, 40), (key, 10)):
        platform.signing_keys.note(noted, at)
    assert sorted(platform.signing_keys.used(), key=lambda key_used: key_used.since) == [
        UsedKey(key, 20),
        UsedKey(other, 40),
    ]


def test_a_key_stored_twice_at_once_keeps_the_first_moment(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    key = PublicKey("1" * 16, "Ed25519", b"k" * 32)
    stage.platform.signing_keys.note(key, 20)

    def not_there_yet(*_: Any) -> None:
        raise SigningKeyItem.DoesNotExist

    monkeypatch.setattr(SigningKeyItem, "get", not_there_yet)
    stage.platform.signing_keys.note(key, 30)
    assert list(stage.platform.signing_keys.used()) == [UsedKey(key, 20)]


def test_everybody_reads_the_keys_with_their_times(stage: Stage) -> None:
    signature_of(stage.platform, canonical({"said": "first"}))
    (key,) = stage.request("GET", "/v1/keys").json["keys"]
    assert key == published(stage.platform)["keys"][0]
    assert key["valid_from"].startswith("20")


def test_a_runs_keys_gain_what_came_since_and_lose_nothing() -> None:
    here = FakePlatform()
    name = f"runs/{RUN_ID}/keys.json"
    signature_of(here, canonical({"said": "before"}))
    earlier = here.signer.public_key.key_id
    recording.keep_keys(here, RUN_ID)
    assert list(json.loads(here.blobs.get(name))["keys"]) == [earlier]
    stored = here.blobs.get(name)
    recording.keep_keys(here, RUN_ID)
    assert here.blobs.get(name) == stored
    here.blobs.put(name, canonical({"format": 1, "keys": {"no longer valid": "x"}}))
    here.signer = Ed25519Signer("another secret")
    recording.keep_keys(here, RUN_ID)
    keys = set(json.loads(here.blobs.get(name))["keys"])
    assert keys == {"no longer valid", earlier, here.signer.public_key.key_id}


@pytest.mark.clause("platform §4 receipts")
def test_what_kms_has_signed_verifies_wherever_receipts_are_checked(kms: Signer) -> None:
    here = FakePlatform()
    here.signer = kms  # type: ignore[assignment]
    assert isinstance(kms, KmsSigner)
    # Longer than the 4,096 bytes of a message that KMS takes whole.
    document = {"kind": "commitment", "run_id": RUN_ID, "key_id": kms.public_key.key_id, "root": "0" * 5_000}
    signature = signature_of(here, canonical(document))
    assert len(base64.b64decode(signature)) == 64
    keys = published(here)
    (key,) = keys["keys"]
    assert (key["algorithm"], len(base64.b64decode(key["public_key"]))) == ("ES256", 65)
    recording.keep_keys(here, RUN_ID)
    stored = json.loads(here.blobs.get(f"runs/{RUN_ID}/keys.json"))
    other = {**document, "root": "1"}
    assert fault_of(document, signature, read_keys(keys)) is None
    assert fault_of(other, signature, read_keys(keys)) == "bad_signature"
    raw = base64.b64decode(signature)
    longer = base64.b64encode(raw[:32] + b"\0" + raw[32:]).decode()  # the same two numbers in another form
    assert fault_of(document, longer, read_keys(keys)) == "bad_signature"
    recomputation = Keys(stored["keys"], stored["algorithms"])
    assert recomputation.signed(document, signature)
    assert not recomputation.signed(other, signature)
    assert not recomputation.signed(document, longer)
    assert not verifies("ES256", kms.public_key.content, base64.b64decode(longer), canonical(document))
    for content, holds in ((document, True), (other, False)):
        run = {"run_id": RUN_ID, "commitment": {"statement": content, "signature": signature}}
        assert (commitment_of(run, keys).grade.value == "ok") is holds
        decoded = base64.b64decode(signature), canonical(content)
        assert verifies("ES256", kms.public_key.content, *decoded) is holds


def test_a_key_of_an_unknown_algorithm_is_refused() -> None:
    with pytest.raises(PkuError):
        read_keys({"keys": [{"key_id": "0" * 16, "algorithm": "RS256", "public_key": ""}]})
    with pytest.raises(ValueError, match="RS256"):
        verifies("RS256", b"", b"", b"")


def loaded(stage: Stage) -> None:
    stage.load(toy_cycle(final=3, reserve=2))


STAGE = Setting(play=loaded)


@pytest.fixture
def run(stage: Stage) -> Run:
    return stage.plan(interval_s=90)


def shown(stage: Stage, run: Run) -> Any:
    return stage.request("GET", f"/v1/runs/{run.run_id}").body()


def test_a_planned_run_says_its_times_its_next_opening_and_is_listed_with_its_promises(stage: Stage, run: Run) -> None:
    body = shown(stage, run)
    starts, last = run.starts_at, run.starts_at + 180_000
    assert (body["starts_at"], body["ends_at"]) == (iso(starts), iso(last + 60_000))
    assert (body["join_from"], body["join_until"]) == (iso(run.created_at), iso(starts + 120_000))
    assert (body["files"], body["interval_s"], body["set"], body["language"]) == (3, 90.0, "final", "all")
    assert body["limits"] == {"request_s": 10.0, "answer_s": 50.0, "total_s": 60.0}
    assert (body["mode"], body["trial"], body["restarts"]) == ("final", False, None)
    assert (body["pauses"], body["paused_until"], body["amendments"]) == ([], None, [])
    assert body["server_time"] == iso(stage.now)
    said = []
    for moment in (-1, 0, 89_999, 90_000, 180_000, 300_000):
        stage.set_clock(run.starts_at + moment)
        coming = shown(stage, run)["next_opening"]
        said.append(coming and (coming["number"], coming["opens_at"]))
    first, second, third = ((number, iso(run.starts_at + (number - 1) * 90_000)) for number in (1, 2, 3))
    assert said == [first, second, second, third, None, None]
    other = stage.plan(in_s=7200, mode=Mode.TECHNICAL, set_name="train")

    def listed(query: str) -> list[str]:
        return [each["run_id"] for each in stage.request("GET", f"/v1/runs?{query}").json["runs"]]

    assert listed("") == [other.run_id, run.run_id]
    assert listed("limit=1") == [other.run_id]
    assert listed("mode=final") == [run.run_id]
    for each in stage.request("GET", "/v1/runs").json["runs"]:
        assert each["commitment"]["statement"]["run_id"] == each["run_id"]
        assert each["commitment"] == shown(stage, run if each["run_id"] == run.run_id else other)["commitment"]


def test_the_cycle_says_its_open_sets_and_bounds(stage: Stage) -> None:
    body = stage.request("GET", "/v1/cycle").json
    assert body["sets"] == {
        "train": {"kind": "training", "files": 4, "by_language": {"eng": 2, "rus": 2}},
        "test": {"kind": "test", "files": 5, "by_language": {"eng": 2, "rus": 3}},
    }
    assert (body["cycle"], body["track"], body["time_zone"]) == ("toy-1", "toy", "Europe/Moscow")
    assert body["languages"] == {"rus": ["letters"], "eng": ["letters"]}
    assert body["limits"]["files_per_session"] == 1000
    assert body["limits"]["log_bytes"] == 1024 * 1024


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


@pytest.mark.integration
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


@pytest.mark.integration
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
