"""Keys of statements: listed for ever, stored before they sign, derived from a secret or in AWS KMS (§4)."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

import pytest

from contest.adapters.signatures import Ed25519Signer, KmsSigner, verifies
from contest.operations.commands import commitment_of
from contest.platform import Platform, signature_of, signing_keys
from contest.ports import Signer
from contest.results.wire import keys_body
from contest.run import recording
from contest.run.rules.commitment import PublicKey, UsedKey, ValidKey, with_validity
from contest.run.store import SigningKeyItem
from contest.values import canonical
from pku.errors import PkuError
from pku.proof import fault_of, read_keys
from shadow.record import Keys
from tests.contest.adapters.conftest import platform  # noqa: F401 -- the adapters' fixture: fake and real
from tests.emulated_kms import emulated_kms
from tests.fakes import FakePlatform
from tests.stage import Stage

RUN = "r" * 20


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
    name = f"runs/{RUN}/keys.json"
    signature_of(here, canonical({"said": "before"}))
    earlier = here.signer.public_key.key_id
    recording.keep_keys(here, RUN)
    assert list(json.loads(here.blobs.get(name))["keys"]) == [earlier]
    stored = here.blobs.get(name)
    recording.keep_keys(here, RUN)
    assert here.blobs.get(name) == stored
    here.signer = Ed25519Signer("another secret")
    recording.keep_keys(here, RUN)
    assert set(json.loads(here.blobs.get(name))["keys"]) == {earlier, here.signer.public_key.key_id}


@pytest.mark.clause("platform §4 receipts")
def test_what_kms_has_signed_verifies_wherever_receipts_are_checked(kms: Signer) -> None:
    here = FakePlatform()
    here.signer = kms  # type: ignore[assignment]
    assert isinstance(kms, KmsSigner)
    # Longer than the 4,096 bytes of a message that KMS takes whole.
    document = {"kind": "commitment", "run_id": RUN, "key_id": kms.public_key.key_id, "root": "0" * 5_000}
    signature = signature_of(here, canonical(document))
    assert len(base64.b64decode(signature)) == 64
    keys = published(here)
    (key,) = keys["keys"]
    assert (key["algorithm"], len(base64.b64decode(key["public_key"]))) == ("ES256", 65)
    recording.keep_keys(here, RUN)
    stored = json.loads(here.blobs.get(f"runs/{RUN}/keys.json"))
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
        run = {"run_id": RUN, "commitment": {"statement": content, "signature": signature}}
        assert (commitment_of(run, keys).grade.value == "ok") is holds
        decoded = base64.b64decode(signature), canonical(content)
        assert verifies("ES256", kms.public_key.content, *decoded) is holds


def test_a_key_of_an_unknown_algorithm_is_refused() -> None:
    with pytest.raises(PkuError):
        read_keys({"keys": [{"key_id": "0" * 16, "algorithm": "RS256", "public_key": ""}]})
    with pytest.raises(ValueError, match="RS256"):
        verifies("RS256", b"", b"", b"")
