"""Life of a team over HTTP: application, members, tokens, selection as a stage, and baselines on boards."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

import pytest

from contest.people.authentication import identity_of
from contest.people.rules import WAYS, Pool, Role, TeamStatus, token_hash
from contest.results.rules import leaderboard
from contest.results.rules.leaderboard import Entry
from contest.values import DAY, from_iso, iso
from tests.run_stage import RunOnStage, run_cycle
from tests.stage import START, Answered, Program, Stage
from tests.toys import toy_cycle

FORM = {
    "team_id": "green",
    "team_name": "Зелёные",
    "person_name": "Anna",
    "contact": "anna@example.org",
    "organization": "Institute",
    "about": "We mark up essays 😀",
    "accepts_rules": True,
}


class Somebody:
    """Person with an account who signs in again for every request, a second after the last one."""

    def __init__(self, stage: Stage, name: str, role: Role = Role.PARTICIPANT) -> None:
        self._stage = stage
        self.name = name
        self._role = role
        if role is not Role.PARTICIPANT:
            stage.person(role, name)

    def ask(self, method: str, path: str, body: Any = None) -> Answered:
        self._stage.advance(1)
        pool = Pool.PARTICIPANTS if self._role is Role.PARTICIPANT else Pool.STAFF
        return self._stage.request(method, path, body, self._stage.sign_in(self.name, pool))

    def apply(self, **other: Any) -> Answered:
        team_id = other.get("team_id", "green")
        named = {} if team_id == "green" else {"team_name": team_id}
        return self.ask("POST", "/v1/applications", {**FORM, **named, **other})

    def decide(self, team_id: str, status: str) -> Answered:
        return self.ask("POST", f"/v1/teams/{team_id}/decision", {"status": status, "reason": f"because {status}"})


@pytest.fixture
def anna(stage: Stage) -> Somebody:
    return Somebody(stage, "anna")


@pytest.fixture
def olga(stage: Stage) -> Somebody:
    return Somebody(stage, "olga", Role.ORGANIZER)


def joined(captain: Somebody, newcomer: Somebody) -> Answered:
    """Let a captain invite a person, who accepts."""
    code = captain.ask("POST", "/v1/team/invitations", {"note": newcomer.name}).json["code"]
    return newcomer.ask("POST", "/v1/invitations/accept", accepting(newcomer, code))


def accepting(person: Somebody, code: str) -> dict[str, str]:
    return {"code": code, "person_name": person.name.title(), "contact": f"{person.name}@example.org"}


@pytest.mark.clause("R 3.1", "platform §2 team life", "D 3.2")
def test_an_application_is_under_review_until_decided(stage: Stage, anna: Somebody, olga: Somebody) -> None:
    applied = anna.apply()
    assert (applied.status, applied.json["status"]) == (201, "applied")
    assert applied.json["application"] | {"submitted_at": ""} == {
        "organization": "Institute",
        "contact": "anna@example.org",
        "about": "We mark up essays 😀",
        "submitted_at": "",
    }
    assert [(each["person_id"], each["is_captain"]) for each in applied.json["members"]] == [("anna", True)]
    assert [each["team_id"] for each in olga.ask("GET", "/v1/teams?status=applied").json["teams"]] == ["green"]
    approved = olga.decide("green", "approved")
    assert (approved.json["status"], approved.json["reason"]) == ("approved", "because approved")
    assert anna.ask("GET", "/v1/team").json["status"] == "approved"
    assert olga.ask("GET", "/v1/teams?status=applied").json["teams"] == []
    answer = olga.ask("GET", "/v1/audit?day=2026-09-21").json["changes"]
    entered, decided = (next(e for e in answer if e["what"] == action) for action in ("team applied", "team approved"))
    assert (entered["who"], entered["before"], decided["who"]) == ("person:anna", None, "person:olga")
    assert (decided["before"]["status"], decided["after"]["status"]) == ("applied", "approved")
    assert decided["after"]["reason"] == "because approved"


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"team_id": "Зел"}, "invalid_request"),
        ({"team_name": "  "}, "invalid_request"),
        ({"team_name": "\x1f"}, "invalid_request"),
        ({"team_name": "Green\nteam"}, "invalid_request"),
        ({"contact": "anna at home"}, "invalid_email"),
        ({"accepts_rules": False}, "invalid_request"),
        ({"person_name": ""}, "invalid_request"),
        ({"role": "organizer"}, "invalid_request"),
    ],
)
def test_a_form_that_is_filled_in_wrongly_says_where(anna: Somebody, wrong: dict[str, Any], code: str) -> None:
    assert anna.apply(**wrong).refusal == (422, code)
    assert anna.ask("GET", "/v1/team").code == "no_team"


@pytest.mark.clause("R 3.1")
def test_a_taken_id_is_told_and_a_rejected_form_mended(stage: Stage, anna: Somebody, olga: Somebody) -> None:
    anna.apply()
    eve = Somebody(stage, "eve")
    refused = eve.apply(person_name="Eve")
    assert refused.refusal == (409, "known_team")
    assert "anna" not in refused.text.lower()
    assert anna.apply(team_id="other").code == "has_team"
    olga.decide("green", "rejected")
    assert anna.ask("GET", "/v1/team").json["reason"] == "because rejected"
    assert eve.apply(team_id="owls", team_name="Owls").status == 201
    assert anna.ask("PUT", "/v1/team/application", {**FORM, "team_name": "OWLS"}).refusal == (409, "name_taken")
    mended = anna.ask("PUT", "/v1/team/application", {**FORM, "about": "More", "team_name": "ЗЕЛёные"})
    assert (mended.json["status"], mended.json["reason"], mended.json["application"]["about"]) == (
        "applied",
        "",
        "More",
    )
    assert anna.ask("PUT", "/v1/team/application", {**FORM, "team_id": "blue"}).code == "other_team"
    olga.decide("green", "approved")
    assert anna.ask("PUT", "/v1/team/application", FORM).code == "team_inactive"


@pytest.mark.clause("R 3.2", "R 11.7", "platform §2 team life")
@pytest.mark.parametrize("before", list(TeamStatus))
def test_only_these_decisions_can_be_made_of_each_status(stage: Stage, olga: Somebody, before: TeamStatus) -> None:
    """The table, written by hand, gives the statuses that may follow each status; every decision has a way back."""
    possible = {
        "applied": {"approved", "rejected"},
        "rejected": {"approved"},
        "approved": {"suspended", "withdrawn", "disqualified"},
        "suspended": {"approved", "withdrawn", "disqualified"},
        "withdrawn": {"approved"},
        "disqualified": {"approved"},
    }
    way = {
        "applied": [],
        "rejected": ["rejected"],
        "approved": ["approved"],
        "suspended": ["approved", "suspended"],
        "withdrawn": ["approved", "withdrawn"],
        "disqualified": ["approved", "disqualified"],
    }
    for after in ("approved", "rejected", "suspended", "withdrawn", "disqualified"):
        team = f"team-{after}"
        Somebody(stage, f"captain-of-{after}").apply(team_id=team)
        for each in way[before]:
            assert olga.decide(team, each).json["status"] == each
        assert set(olga.ask("GET", f"/v1/teams/{team}").json["may_become"]) == possible[before]
        decided = olga.decide(team, after)
        if after in possible[before]:
            assert decided.json["status"] == after
        else:
            assert decided.refusal == (409, "no_such_decision")
            assert set(decided.json["error"]["details"][0]["allowed"]) == possible[before]
    assert set(WAYS) == set(TeamStatus)


@pytest.mark.clause("R 2.26", "R 3.2", "R 11.7", "platform §1 tokens", "D 12.2", "D 12.12")
@pytest.mark.parametrize("status", ["suspended", "withdrawn", "disqualified"])
def test_a_team_that_is_out_is_refused_and_let_in_again(stage: Stage, olga: Somebody, status: str) -> None:
    program = Program(stage, stage.team("red"))
    assert program.open().status == 201
    olga.decide("red", status)
    stage.advance(60)
    assert program.get("next").status == 403
    olga.decide("red", "approved")
    stage.advance(60)
    assert program.get("next").status == 200


def test_an_invited_person_becomes_a_member_once(stage: Stage, anna: Somebody) -> None:
    anna.apply()
    boris, eve = Somebody(stage, "boris"), Somebody(stage, "eve")
    for nobodys in ("", "inv_x", "inv_" + "A" * 43, "hrd_" + "A" * 43):
        refused = eve.ask("POST", "/v1/invitations/accept", accepting(eve, nobodys))
        assert refused.code in {"unknown_invitation", "invalid_request"}
    made = anna.ask("POST", "/v1/team/invitations", {"note": "Boris"})
    assert made.status == 201
    code = made.json["code"]
    accepted = boris.ask("POST", "/v1/invitations/accept", accepting(boris, code)).json
    assert (accepted["team_id"], [each["is_captain"] for each in accepted["members"]]) == ("green", [True, False])
    assert eve.ask("POST", "/v1/invitations/accept", accepting(eve, code)).refusal == (404, "unknown_invitation")
    assert [each["name"] for each in anna.ask("GET", "/v1/team").json["members"]] == ["Anna", "Boris"]
    listed = anna.ask("GET", "/v1/team/invitations")
    assert [each["accepted_by"] for each in listed.json["invitations"]] == ["boris"]
    assert code not in listed.text
    assert code not in stage.everything_stored()
    assert boris.ask("POST", "/v1/invitations/accept", accepting(boris, code)).code == "unknown_invitation"
    late = anna.ask("POST", "/v1/team/invitations", {}).json
    assert from_iso(late["expires_at"]) - from_iso(late["created_at"]) == 7 * DAY
    taken_back = anna.ask("POST", "/v1/team/invitations", {}).json
    path = f"/v1/team/invitations/{taken_back['invitation_id']}/revoke"
    assert anna.ask("POST", path).json == {"done": True}
    assert anna.ask("POST", path).code == "revoked_already"
    assert eve.ask("POST", "/v1/invitations/accept", accepting(eve, taken_back["code"])).code == "unknown_invitation"
    ids = [each["invitation_id"] for each in anna.ask("GET", "/v1/team/invitations").json["invitations"]]
    assert ids == [made["invitation_id"] for made in (taken_back, late, made.json)], "the latest first"
    stage.set_clock(from_iso(late["expires_at"]) - 1000)
    assert eve.ask("POST", "/v1/invitations/accept", accepting(eve, late["code"])).code == "unknown_invitation"


@pytest.mark.clause("D 14.4")
def test_captains_invite_remove_and_leave_only_to_another(stage: Stage, anna: Somebody) -> None:
    anna.apply()
    boris, clara = Somebody(stage, "boris"), Somebody(stage, "clara")
    joined(anna, boris)
    joined(anna, clara)
    for method, path, body in (
        ("POST", "/v1/team/invitations", {}),
        ("POST", "/v1/team/invitations/any/revoke", None),
        ("POST", "/v1/team/members/clara/remove", None),
        ("POST", "/v1/team/members/anna/remove", None),
        ("POST", "/v1/team/withdraw", {"reason": "x"}),
        ("POST", "/v1/team/captain", {"person_id": "boris"}),
        ("PUT", "/v1/team/application", FORM),
    ):
        assert boris.ask(method, path, body).refusal == (403, "not_captain"), path
    assert anna.ask("POST", "/v1/team/members/clara/remove").json == {"done": True}
    assert clara.ask("GET", "/v1/team").code == "no_team"
    assert boris.ask("POST", "/v1/team/members/boris/remove").json == {"done": True}
    assert anna.ask("POST", "/v1/team/members/eve/remove").code == "unknown_person"
    joined(anna, boris)
    assert anna.ask("POST", "/v1/team/members/anna/remove").code == "captain_stays"
    assert anna.ask("POST", "/v1/team/captain", {"person_id": "stranger"}).code == "unknown_person"
    assert anna.ask("POST", "/v1/team/captain", {"person_id": "boris"}).status == 200
    assert anna.ask("POST", "/v1/team/members/anna/remove").json == {"done": True}
    assert boris.ask("POST", "/v1/team/withdraw", {"reason": "no time"}).json["status"] == "withdrawn"
    assert boris.ask("POST", "/v1/team/withdraw", {"reason": "again"}).code == "no_such_decision"
    assert boris.ask("PUT", "/v1/team/application", FORM).code == "team_inactive"
    assert boris.ask("POST", "/v1/team/members/boris/remove").json == {"done": True}
    again = boris.apply(team_id="another", person_name="Boris", contact="new@example.org")
    assert (again.status, again.json["members"][0]["email"]) == (201, "new@example.org")


@pytest.mark.clause("platform §1 participant", "platform §1 secrets")
def test_what_is_another_teams_is_not_told_from_what_there_is_not(stage: Stage, anna: Somebody) -> None:
    """Members, invitations and tokens by their real names, asked for by the captain of another team."""
    anna.apply()
    boris, carl = Somebody(stage, "boris"), Somebody(stage, "carl")
    joined(anna, boris)
    carl.apply(team_id="blue", person_name="Carl")
    invitation = anna.ask("POST", "/v1/team/invitations", {}).json["invitation_id"]
    token = anna.ask("POST", "/v1/team/tokens", {}).json["token_id"]
    for hers, none, code in (
        (f"members/{boris.name}/remove", "members/nobody/remove", "unknown_person"),
        (f"invitations/{invitation}/revoke", "invitations/nothing/revoke", "unknown_invitation"),
        (f"tokens/{token}/revoke", "tokens/nothing/revoke", "unknown_token"),
    ):
        foreign, missing = (carl.ask("POST", f"/v1/team/{each}") for each in (hers, none))
        assert foreign.refusal == (404, code)
        assert foreign.text == missing.text
    assert carl.ask("POST", "/v1/team/captain", {"person_id": "boris"}).code == "unknown_person"
    assert len(anna.ask("GET", "/v1/team").json["members"]) == 2
    assert anna.ask("GET", "/v1/team/tokens").json["tokens"][0]["revoked_at"] is None


@pytest.mark.clause("platform §1 last use", "platform §1 tokens")
def test_a_member_issues_and_revokes_tokens_of_the_own_team(stage: Stage, anna: Somebody, olga: Somebody) -> None:
    anna.apply()
    olga.decide("green", "approved")
    made = anna.ask("POST", "/v1/team/tokens", {"name": "cellar"})
    program = Program(stage, made.json["token"])
    assert program.open().status == 201
    other = anna.ask("POST", "/v1/team/tokens", {"name": "attic"}).json["token"]
    assert stage.request("GET", "/v1/sessions", None, other).status == 200
    listed = anna.ask("GET", "/v1/team/tokens")
    used = [(each["name"], each["used_at"] is not None) for each in listed.json["tokens"]]
    assert used == [("cellar", True), ("attic", True)]
    assert program.token not in listed.text
    path = f"/v1/team/tokens/{made.json['token_id']}/revoke"
    assert anna.ask("POST", path).json == {"done": True}
    assert anna.ask("POST", path).code == "revoked_already"
    assert anna.ask("POST", "/v1/team/tokens/abcdefghijkl/revoke").code == "unknown_token"
    stage.advance(60)
    assert program.get("next").status == 403


@pytest.mark.clause("platform §1 tokens")
def test_a_token_with_an_end_is_believed_up_to_it_and_dead_within_a_minute(stage: Stage, olga: Somebody) -> None:
    stage.team("red")
    ends = iso(START + 3_600_000)
    made = olga.ask("POST", "/v1/teams/red/tokens", {"expires_at": ends})
    program, token_sha256 = Program(stage, made.json["token"]), token_hash(made.json["token"])
    believed = [identity_of(stage.platform, token_sha256, START + 3_600_000 - left) is not None for left in (1, 0)]
    assert believed == [True, False]
    stage.set_clock(START + 3_599_000)
    assert program.open().status == 201
    stage.advance(61)
    assert program.get("next").status == 403
    assert olga.ask("POST", "/v1/teams/red/tokens", {"expires_at": ends}).refusal == (422, "ended_already")
    assert olga.ask("POST", "/v1/teams/red/tokens", {"expires_at": "2026-02-30T00:00:00.000Z"}).status == 422


@pytest.mark.parametrize(
    ("method", "path", "body", "code"),
    [
        ("POST", "/v1/teams/red/tokens", {"expires_at": "2026-02-30T00:00:00.000Z"}, "no_such_moment"),
        ("GET", "/v1/audit?day=2026-13-45", None, "no_such_moment"),
        ("GET", "/v1/audit?day=today", None, "wrong_form"),
        ("POST", "/v1/teams/red/decision", {"status": "gone", "reason": "x"}, "not_one_of"),
    ],
)
def test_no_day_or_decision_is_told_twice(olga: Somebody, method: str, path: str, body: Any, code: str) -> None:
    refused = olga.ask(method, path, body)
    (detail,) = refused.json["error"]["details"]
    assert (refused.status, refused.code, detail["code"]) == (422, "invalid_request", code)
    said_in_russian = re.sub(r"'\w+'|\^\S+", "", detail["message_ru"])
    assert re.search("[а-я]", said_in_russian)
    assert not re.search("[a-z]", said_in_russian)


def test_a_captain_for_a_team_that_the_organizers_entered(stage: Stage, anna: Somebody, olga: Somebody) -> None:
    assert olga.ask("POST", "/v1/teams", {"team_id": "north", "name": "North"}).json["members"] == []
    code = olga.ask("POST", "/v1/teams/north/invitations", {"as_captain": True}).json["code"]
    became = anna.ask("POST", "/v1/invitations/accept", accepting(anna, code))
    assert [each["is_captain"] for each in became.json["members"]] == [True]
    assert anna.ask("POST", "/v1/team/invitations", {}).status == 201


@pytest.mark.clause("platform §7 teams")
def test_a_table_with_faults_enters_nothing_and_names_them_all(stage: Stage, olga: Somebody) -> None:
    stage.team("red")
    rows = ("Team red,red", "Blue,Blue!", ",green", "Twice,twice", "Twice,twice", "Fine,fine", "TEAM RED,a", "Finе,b")
    table = "".join(f"{row}\r\n" for row in ("name,team_id", *rows))
    refused = olga.ask("POST", "/v1/teams.csv", table.encode())
    assert refused.status == 422
    found = [(each["line"], each["code"]) for each in refused.json["error"]["details"]]
    assert found == [
        (2, "known_team"),
        (3, "invalid_team_id"),
        (4, "invalid_team_name"),
        (5, "repeated_team"),
        (6, "repeated_team"),
        (8, "name_taken"),
        (9, "name_taken"),
    ]
    tables = [
        b"",
        b"team_id\nred\n",
        b"team_id,name,name\n",
        b"team_id,name,colour\n",
        b"team_id,name\nred,Red, really\n",
        "team_id,name\nred,Красные\n".encode("cp1251"),
        b'team_id,name\nred,"half a quotation\n',
        b"team_id,name\n" + b"".join(b"t%d,Name\n" % number for number in range(1001)),
    ]
    for malformed in tables:
        assert olga.ask("POST", "/v1/teams.csv", malformed).refusal == (422, "malformed_table"), malformed
    assert olga.ask("POST", "/v1/teams.csv", tables[-1].removesuffix(b"t1000,Name\n")).code == "invalid_request"
    assert [each["team_id"] for each in olga.ask("GET", "/v1/teams").json["teams"]] == ["red"]


@pytest.mark.clause("platform §7 teams")
def test_a_table_comes_back_as_it_went_in_and_runs_in_no_program(stage: Stage, olga: Somebody) -> None:
    names = ["=cmd|' /C calc'!A0", "@x", "-1", "Обычное, «с запятой»", 'in "quotes"', "'t Hart"]
    written = [f"'{name}" if name[0] in "=@-" else name for name in names]
    out = io.StringIO("\ufeff")
    out.seek(1)
    csv.writer(out).writerows([["team_id", "name"], *([f"team-{i}", name] for i, name in enumerate(written))])
    assert olga.ask("POST", "/v1/teams.csv", out.getvalue().encode()).json["added"] == [f"team-{i}" for i in range(6)]
    assert [each["name"] for each in olga.ask("GET", "/v1/teams").json["teams"]] == names
    exported = olga.ask("GET", "/v1/teams.csv")
    assert exported.headers["content-type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(exported.text)))
    assert [each["name"] for each in rows] == written
    assert not any(each["name"].startswith(("=", "+", "-", "@")) for each in rows)


@pytest.mark.clause("platform §1 rights")
@pytest.mark.parametrize("used_s", [0, 14.5, 29.999], ids=str)
def test_a_changed_role_holds_within_a_minute(stage: Stage, olga: Somebody, used_s: float) -> None:
    stage.advance(used_s)
    judge = stage.person(Role.JUDGE, "jan")
    assert stage.request("GET", "/v1/teams", None, judge).status == 200
    olga.ask("POST", "/v1/staff/jan/role", {"role": "expert", "reason": "an expert is missing"})
    stage.advance(60)
    assert stage.request("GET", "/v1/teams", None, judge).code == "forbidden"
    olga.ask("POST", "/v1/staff/jan/dismiss", {"reason": "gone"})
    stage.advance(60)
    assert stage.request("GET", "/v1/me", None, judge).status == 403


def test_staff_is_invited_once_and_decides_about_no_own_role(stage: Stage, olga: Somebody) -> None:
    assert stage.request("GET", "/v1/me", None, stage.sign_in("olga", Pool.PARTICIPANTS)).status == 403
    for path, body in (("role", {"role": "judge", "reason": "x"}), ("dismiss", {"reason": "x"})):
        assert olga.ask("POST", f"/v1/staff/olga/{path}", body).refusal == (409, "own_role")
    assert olga.ask("POST", "/v1/staff/anna/dismiss", {"reason": "x"}).code == "unknown_person"
    jan = {"email": "jan@example.org", "name": "Jan", "role": "judge"}
    made = olga.ask("POST", "/v1/staff", jan)
    assert (made.status, made.json["role"]) == (201, "judge")
    assert olga.ask("POST", "/v1/staff", {**jan, "role": "organizer"}).code == "known_person"
    assert olga.ask("POST", "/v1/staff", {**jan, "email": "nowhere"}).code == "invalid_email"
    assert olga.ask("POST", "/v1/staff", {**jan, "name": "Re\u200bd"}).code == "invalid_name"
    assert olga.ask("POST", "/v1/staff", {**jan, "role": "participant"}).status == 422
    vera = stage.person(Role.ORGANIZER, "vera")
    assert stage.request("GET", "/v1/me", None, vera).status == 200
    assert olga.ask("POST", "/v1/staff/vera/dismiss", {"reason": "gone"}).status == 200
    invited = stage.request("POST", "/v1/staff", {**jan, "email": "eve@example.org"}, vera)
    assert invited.status == 409, "the process still believes the token, and it decides nothing any more"
    jans = Somebody.__new__(Somebody)
    jans.__dict__.update(_stage=stage, name=made.json["person_id"], _role=Role.JUDGE)
    assert jans.ask("GET", "/v1/me").json["rights"] == [
        "answer",
        "confirm_conclusions",
        "read_published",
        "read_reports",
        "read_sessions",
        "signed_in",
    ]


DAYS = {"first": "2026-01-01", "last": "2026-12-31"}
QUALIFICATION = "/v1/leaderboards/qualification"


def selecting(files: dict[str, Any], *, decided: bool = True) -> dict[str, Any]:
    """Return a cycle that selects teams by decision."""
    files["cycle.json"]["stages"] = {"selection": {**DAYS, "decided": decided}}
    return files


def decide(olga: Somebody, team_id: str, **decision: Any) -> Any:
    return olga.ask("POST", f"/v1/teams/{team_id}/decision", {"reason": "by the protocol", **decision}).body()


@pytest.mark.clause("R 4.1", "R 4.2", "R 6.2")
def test_a_team_has_sets_sessions_and_a_row_only_while_it_passes_the_selection(stage: Stage, olga: Somebody) -> None:
    stage.load(selecting(toy_cycle()))
    token = stage.team("red")
    red = Program(stage, token)
    assert red.open(set="test").refusal == (403, "not_selected")
    assert red.open(set="train").code == "not_selected"
    assert stage.request("GET", "/v1/sets", token=token).json["sets"] == []
    assert olga.ask("GET", "/v1/teams/red").json["selection"] is None

    passed = decide(olga, "red", passed=True)["selection"]
    assert (passed["passed"], passed["reason"]) == (True, "by the protocol")
    assert [offer["name"] for offer in stage.request("GET", "/v1/sets", token=token).json["sets"]] == ["train"]
    assert red.open(set="test").status == 201
    red.play("abcd")
    stage.score_all()
    stage.tick()
    stage.advance(10)
    assert [row["team_id"] for row in stage.request("GET", QUALIFICATION).json["rows"]] == ["red"]

    decide(olga, "red", passed=False, reason="a forged form")
    stage.advance(10)
    assert stage.request("GET", QUALIFICATION).json["rows"] == []
    assert red.open(set="test").code == "not_selected"
    member = stage.person(Role.PARTICIPANT, "max", "red")
    team = stage.request("GET", "/v1/team", token=member).json
    assert (team["status"], team["reason"]) == ("approved", ""), "the reason is the status's own"
    assert (team["selection"]["passed"], team["selection"]["reason"]) == (False, "a forged form")
    changes = olga.ask("GET", "/v1/audit?day=2026-09-21").json["changes"]
    entries = [change for change in changes if "pass" in change["what"]]
    assert [(entry["what"], entry["after"]["decision"]) for entry in entries] == [
        ("team passed the selection", "by the protocol"),
        ("team did not pass the selection", "a forged form"),
    ]
    assert entries[1]["before"]["selection"]["passed"] is True


@pytest.mark.clause("R 4.1", "R 7.2")
def test_a_final_takes_no_team_that_has_not_passed_the_selection_even_if_admitted(stage: Stage, olga: Somebody) -> None:
    stage.load(selecting(run_cycle(4)))
    red, blue = (Program(stage, stage.team(name)) for name in ("red", "blue"))
    run = stage.plan(in_s=60)
    decide(olga, "red", passed=True)
    assert red.join(run=run.run_id).status == 201
    assert blue.join(run=run.run_id).code == "not_selected"
    watched = olga.ask("GET", f"/v1/conduct/runs/{run.run_id}/watch").json
    assert [team["team_id"] for team in watched["absent"]] == [], "nobody waits for a team that cannot join"


@pytest.mark.clause("R 4.1", "R 6.3")
def test_a_cycle_without_decisions_takes_every_approved_team_and_everybody_reads_the_rule(stage: Stage) -> None:
    stage.load(selecting(toy_cycle(), decided=False))
    assert Program(stage, stage.team("red")).open(set="train").status == 201
    stages = stage.request("GET", "/v1/cycle").json["stages"]
    assert "decision" not in stages[0]["message"]
    stage.load(selecting(toy_cycle()))
    stage.restart()
    stages = stage.request("GET", "/v1/cycle").json["stages"]
    assert stages[0]["message"].endswith("Teams pass it by the organizers' decision; before it they open no session.")


@pytest.mark.parametrize("body", [{}, {"passed": True, "baseline": True}, {"status": "suspended", "passed": True}])
def test_a_decision_is_about_one_thing(stage: Stage, olga: Somebody, body: dict[str, Any]) -> None:
    stage.load()
    stage.team("red")
    refused = olga.ask("POST", "/v1/teams/red/decision", {"reason": "x", **body})
    assert (refused.status, refused.json["error"]["details"][0]["code"]) == (422, "one_decision")


@pytest.mark.clause("platform §4 boards", "R 6.10")
def test_a_baseline_stands_at_its_value_marked_and_takes_nobodys_place(stage: Stage, olga: Somebody) -> None:
    stage.load()
    letters = {"red": "abcd", "pilot": "abxx", "blue": "abxx", "grey": "axxx"}
    for name, answers in letters.items():
        program = Program(stage, stage.team(name))
        assert program.open(set="test").status == 201
        program.play(answers)
    stage.score_all()
    decide(olga, "pilot", baseline=True)
    stage.tick()
    stage.advance(10)
    rows = stage.request("GET", QUALIFICATION).json["rows"]
    assert [(row["team_id"], row["place"], row["value"]) for row in rows] == [
        ("red", 1, 100.0),
        ("pilot", None, 50.0),
        ("blue", 2, 50.0),
        ("grey", 3, 25.0),
    ]
    assert [row["ahead"]["team_id"] if row["ahead"] else None for row in rows] == [None, "red", "red", "blue"]
    table = list(csv.DictReader(io.StringIO(stage.request("GET", f"{QUALIFICATION}.csv").text.lstrip("\ufeff"))))
    assert [(row["team_id"], row["place"], row["baseline"]) for row in table] == [
        ("red", "1", "false"),
        ("pilot", "", "true"),
        ("blue", "2", "false"),
        ("grey", "3", "false"),
    ]
    points = stage.request("GET", f"{QUALIFICATION}/history").json["points"]
    assert {placed["team_id"] for placed in points[0]["places"]} == {"red", "blue", "grey"}
    decide(olga, "pilot", baseline=False)
    stage.advance(10)
    rows = stage.request("GET", QUALIFICATION).json["rows"]
    assert [(row["team_id"], row["place"], row["place_to"]) for row in rows][1:] == [
        ("blue", 2, 3),
        ("pilot", 2, 3),
        ("grey", 4, 4),
    ]


@pytest.mark.clause("R 7.12")
def test_a_final_is_recomputed_with_its_baseline_which_has_no_place(stage: Stage, olga: Somebody) -> None:
    played = RunOnStage(stage, 4, "red", "pilot")
    played.play()
    decide(olga, "pilot", baseline=True)
    played.finish()
    body = {"state": "published", "reason": "all is well"}
    assert olga.ask("POST", f"/v1/conduct/boards/{played.run_id}/decision", body).status == 200
    assert [(row["team_id"], row["place"]) for row in played.board().json["rows"]] == [("pilot", None), ("red", 1)]
    assert stage.audit()["differences"] == (), "the recomputation has the baseline's result, too"


def test_only_baselines_on_a_board_take_no_place_and_stand_in_each_others_way_nowhere(stage: Stage) -> None:
    track = stage.platform.tracks("toy")
    values = {"a": 1.0, "b": 2.0}
    entries = [Entry("all", name, name, 1, 1, 1, 1, {"relative_accuracy": value}) for name, value in values.items()]
    rows = leaderboard.board(entries, track, {"a", "b"})
    assert [(row.entry.team_id, row.place, row.is_baseline) for row in rows] == [("b", 1, True), ("a", 1, True)]
    assert leaderboard.board([], track, {"a"}) == ()
    assert leaderboard.ahead(rows) == [None, None]
    assert leaderboard.current_places(rows, 1).places == ()
