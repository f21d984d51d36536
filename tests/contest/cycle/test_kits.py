"""The participants' kit over the interface: published by organizers, signed, known to sessions (R 4.2, 4.3)."""

from __future__ import annotations

import base64
from operator import itemgetter
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from contest.people.rules import Role
from contest.values import DAY, canonical, iso
from tests.stage import Answered, Program, Stage
from tests.toys import toy_cycle

WHEEL = {"name": "hurdle-pku", "version": "0.1.0", "file": "hurdle_pku-0.1.0-py3-none-any.whl", "bytes": 3}
BUNDLE = {"platform": "linux-x86_64", "pythons": ["3.11", "3.12"], "file": "kit-linux.zip", "bytes": 9}


def listed(version: str = "0.1.0", modules: str = "a", **more: Any) -> dict[str, Any]:
    packages = [{**WHEEL, "version": version, "sha256": modules * 64}]
    return {"format": 1, "version": version, "modules_sha256": modules * 64, "packages": packages, **more}


def publish(stage: Stage, kit: dict[str, Any]) -> Answered:
    """Publish a kit and let a minute pass, after which every process has read the cycle again."""
    answered = stage.request("POST", "/v1/conduct/kit", kit, stage.person(Role.ORGANIZER, "olga"))
    stage.advance(60)
    return answered


def published(stage: Stage) -> Any:
    return stage.request("GET", "/v1/kit").json["kit"]["statement"]


def known(program: Program, modules: str) -> bool | None:
    client = {"name": "hurdle-pku", "version": "0.1.0", "sha256": modules * 64}
    opened = program.open(client=client)
    assert opened.status == 201, opened.text
    program.ask("POST", f"/v1/sessions/{program.session_id}/abort")
    found: bool | None = opened.json["client_known"]
    return found


@pytest.mark.clause("R 4.2", "R 4.3", "platform §2 client")
def test_the_published_list_is_signed_with_its_moment_and_read_by_everybody(stage: Stage) -> None:
    stage.load(toy_cycle())
    moment = iso(stage.now)
    bundle = {**BUNDLE, "sha256": "c" * 64}
    answered = publish(stage, listed(bundles=[bundle]))
    assert (answered.status, answered.json["changed"], answered.json["warnings"]) == (200, True, [])
    read = stage.request("GET", "/v1/kit").json["kit"]
    assert read == answered.json["kit"]
    said = read["statement"]
    assert (said["kind"], said["cycle"], said["published_at"]) == ("kit", "toy-1", moment)
    assert said["packages"] == listed()["packages"]
    assert said["bundles"] == [bundle]
    keys = {each["key_id"]: each["public_key"] for each in stage.request("GET", "/v1/keys").json["keys"]}
    key = Ed25519PublicKey.from_public_bytes(base64.b64decode(keys[said["key_id"]]))
    signature = base64.b64decode(read["signature"])
    key.verify(signature, canonical(said))
    with pytest.raises(InvalidSignature):
        key.verify(signature, canonical({**said, "version": "0.1.1"}))


@pytest.mark.clause("R 4.3", "R 11.4", "platform §2 client")
def test_the_modules_of_every_published_kit_are_known_and_others_are_not(stage: Stage, red: Program) -> None:
    assert stage.request("GET", "/v1/kit").json == {"kit": None}
    assert known(red, "a") is None, "nothing is said of modules before there is a kit"
    publish(stage, listed())
    assert (known(red, "a"), known(red, "b")) == (True, False)
    publish(stage, listed("0.2.0", "b"))
    stage.load(toy_cycle(bonus=7))
    stage.advance(60)
    assert (known(red, "a"), known(red, "b"), known(red, "c")) == (True, True, False)
    assert published(stage)["version"] == "0.2.0", "a cycle that is loaded anew keeps its kit"


@pytest.mark.clause("R 4.3")
def test_a_published_version_stays_what_it_is_but_for_bundles_and_the_log_has_who_published_it(stage: Stage) -> None:
    stage.load(toy_cycle())
    publish(stage, listed())
    published_at = published(stage)["published_at"]
    refused = publish(stage, listed(modules="b"))
    assert refused.refusal == (409, "kit_version_taken")
    assert refused.json["error"]["details"][0]["published_at"] == published_at
    publish(stage, listed("0.2.0", "b"))
    assert publish(stage, listed(modules="c")).code == "kit_version_taken"
    again = publish(stage, listed("0.2.0", "b"))
    assert (again.status, again.json["changed"]) == (200, False)
    olga = stage.person(Role.ORGANIZER, "olga")
    changes = stage.request("GET", f"/v1/audit?day={iso(stage.now)[:10]}", None, olga).json["changes"]
    logged = sorted((each for each in changes if each["what"] == "kit published"), key=itemgetter("at"))
    first, second = ({"version": f"0.{n}.0", "modules_sha256": each * 64} for n, each in ((1, "a"), (2, "b")))
    assert [(each["before"], each["after"]) for each in logged] == [(None, first), (first, second)]
    bundles = [{**BUNDLE, "sha256": "c" * 64}]
    assert publish(stage, listed("0.2.0", "b", bundles=bundles)).json["changed"] is True
    assert len(published(stage)["bundles"]) == 1


@pytest.mark.clause("R 4.7", "R 9.2", "platform §2 notices")
def test_a_newer_kit_is_drafted_as_news_and_shortly_before_a_final_warned_about(stage: Stage) -> None:
    stage.load(toy_cycle(final=3))
    publish(stage, listed())
    run = stage.plan(in_s=11 * DAY / 1000)
    stage.advance(2 * DAY / 1000)
    warned = publish(stage, listed("0.2.0", "b")).json["warnings"]
    assert [each["code"] for each in warned] == ["modules_too_new"]
    assert warned[0]["where"]["event_at"] == iso(run.starts_at)
    drafts = stage.request("GET", "/v1/announcement-drafts", None, stage.person(Role.ORGANIZER, "olga"))
    assert [each["about"]["modules"] for each in drafts.json["announcements"]] == [["a" * 64], ["a" * 64, "b" * 64]]
    assert publish(stage, listed("0.2.0", "b")).json["warnings"] == []


def test_what_is_no_list_of_a_kit_is_refused(stage: Stage) -> None:
    stage.load(toy_cycle())
    for wrong in (
        {"format": 2},
        {"packages": []},
        {"packages": [{**WHEEL, "sha256": "a" * 64, "file": "../kit.whl"}]},
        {"packages": [{**WHEEL, "sha256": "a" * 64, "file": "kit.exe"}]},
        {"modules_sha256": "A" * 64},
        {"unknown": 1},
    ):
        assert publish(stage, {**listed(), **wrong}).status == 422, wrong
    assert stage.request("GET", "/v1/kit").json == {"kit": None}
