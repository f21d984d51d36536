"""Choices of mails over the interface."""

from __future__ import annotations

from contest.mails.rules import MailKind, Stop
from contest.people.rules import Role, token_hash
from tests.stage import Stage
from tests.toys import toy_cycle


def test_a_member_chooses_mails_and_a_mail_program_stops_a_kind_without_a_token(stage: Stage) -> None:
    stage.load(toy_cycle(final=3))
    stage.team("red")
    anna = stage.person(Role.PARTICIPANT, "anna", "red")
    assert stage.request("GET", "/v1/mails", None, anna).json == {"stopped": [], "language": "both"}
    stage.advance(3)
    chosen = {"stopped": ["run", "results"], "language": "ru"}
    assert stage.request("PUT", "/v1/mails", chosen, anna).json == {"stopped": ["results", "run"], "language": "ru"}
    token = stage.platform.randomness.invitation()
    stage.platform.mails.note_link(token_hash(token), Stop("anna", MailKind.ANSWER), stage.now)
    link = f"/v1/mails/unsubscription?token={token}"
    stopped = stage.request("POST", link, b"List-Unsubscribe=One-Click")
    assert stopped.json["stopped"] == ["answer", "results", "run"]
    forged = stage.request("POST", f"{link[:-2]}--", b"")
    assert (forged.status, forged.code) == (404, "unknown_unsubscription")
    stage.advance(3)
    assert stage.request("PUT", "/v1/mails", {**chosen, "stopped": ["weather"]}, anna).code == "invalid_request"
