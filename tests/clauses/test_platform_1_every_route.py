"""Platform §1: every route and every kind of caller. The rights are copied by hand from the specification's table."""

from __future__ import annotations

import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any

import pytest

from contest.people.rules import Pool, Role, token_hash
from contest.people.teams import revoke_token
from contest.routes import ROUTES
from dispatch.api import handler
from tests.stage import START, Answered, Context, Program, Stage

EVERYBODY = "nobody stranger program participant newcomer expert clinician judge commission organizer"
SIGNED_IN = "program participant newcomer expert clinician judge commission organizer"
READERS = "program participant newcomer judge commission organizer"
"""The team's program, its members, and those who read all reports; of another team's session: the latter alone."""
STAFF_READERS = "judge commission organizer"
MEMBERS = "participant newcomer"
"""Callers with a participant account; a route that needs a team says so to a caller without one."""

WHO = {  # nobody by a token in the header, where earlier clients say theirs in the query or the body
    "POST /v1/sessions": "program",
    "GET /v1/sessions": "program participant newcomer",
    "GET /v1/sessions/{session_id}": READERS,
    "GET /v1/sessions/{session_id}/next": "program",
    "GET /v1/sessions/{session_id}/files/{number}": "program",
    "POST /v1/sessions/{session_id}/abort": "program",
    "PUT /v1/sessions/{session_id}/files/{number}/answer": "program",
    "GET /v1/sessions/{session_id}/receipts": READERS,
    "PUT /v1/sessions/{session_id}/log": "program",
    "GET /v1/sessions/{session_id}/report": READERS,
    "GET /v1/sessions/{session_id}/report.html": READERS,
    "GET /v1/sessions/{session_id}/report.csv": READERS,
    "GET /v1/sessions/{session_id}/report.xlsx": READERS,
    "GET /v1/sessions/{session_id}/timeline": READERS,
    "GET /v1/sessions/{session_id}/files/{number}/score": READERS,
    "GET /v1/sessions/{session_id}/files/{number}/comparison": READERS,
    "GET /v1/sessions/{session_id}/files/{number}/answer": READERS,
    "GET /v1/teams/{team_id}/sessions": STAFF_READERS,
    "POST /v1/submissions": "program participant newcomer",
    "GET /v1/submissions": "program participant newcomer",
    "GET /v1/submissions/{submission_id}": READERS,
    "GET /v1/submissions/{submission_id}/parts/{part}": "program participant newcomer",
    "POST /v1/submissions/{submission_id}/complete": "program participant newcomer",
    "POST /v1/submissions/{submission_id}/give-up": "program participant newcomer",
    "GET /v1/submissions/{submission_id}/report": READERS,
    "GET /v1/submissions/{submission_id}/report.html": READERS,
    "GET /v1/submissions/{submission_id}/report.csv": READERS,
    "GET /v1/submissions/{submission_id}/report.xlsx": READERS,
    "GET /v1/submissions/{submission_id}/logs": READERS,
    "POST /v1/submissions/named": "program participant newcomer",
    "POST /v1/submissions/{submission_id}/declaration": "program participant newcomer",
    "GET /v1/conduct/submissions": "commission organizer",
    "POST /v1/conduct/submissions/{submission_id}/rerun": "organizer",
    "POST /v1/conduct/submissions/{submission_id}/declaration": "commission organizer",
    "POST /v1/conduct/private-test": "organizer",
    "GET /v1/conduct/private-test": "commission organizer",
    "POST /v1/conduct/private-test/publication": "organizer",
    "GET /v1/private-test": SIGNED_IN,
    "GET /v1/earlier": "",
    "GET /v1/earlier/fragment": "",
    "POST /v1/earlier/{deed}": "",
    "GET /v1/boards": EVERYBODY,
    "GET /v1/boards/{key}": EVERYBODY,
    "GET /v1/leaderboards/qualification": EVERYBODY,
    "GET /v1/leaderboards/qualification/history": EVERYBODY,
    "GET /v1/leaderboards/final": EVERYBODY,
    "GET /v1/leaderboards/final/history": EVERYBODY,
    "GET /v1/leaderboards/qualification.csv": EVERYBODY,
    "GET /v1/leaderboards/qualification.xlsx": EVERYBODY,
    "GET /v1/leaderboards/final.csv": EVERYBODY,
    "GET /v1/leaderboards/final.xlsx": EVERYBODY,
    "GET /v1/commission/{run_id}/report": STAFF_READERS,
    "GET /v1/commission/{run_id}/report.html": STAFF_READERS,
    "GET /v1/commission/{run_id}/report.xlsx": STAFF_READERS,
    "GET /v1/commission/{run_id}/files": "commission organizer",
    "GET /v1/commission/{run_id}/files.csv": "commission organizer",
    "GET /v1/commission/{run_id}/files.xlsx": "commission organizer",
    "GET /v1/runs": EVERYBODY,
    "GET /v1/runs/{run_id}": EVERYBODY,
    "GET /v1/runs/{run_id}/record": EVERYBODY,
    "GET /v1/runs/{run_id}/archive": EVERYBODY,
    "GET /v1/private-test/archive": EVERYBODY,
    "GET /v1/runs/{run_id}/timeline": EVERYBODY,
    "GET /v1/cycle": EVERYBODY,
    "GET /v1/classifier": EVERYBODY,
    "GET /v1/kit": EVERYBODY,
    "GET /v1/pages/{name}": EVERYBODY,
    "GET /v1/earlier-cycles": EVERYBODY,
    "POST /v1/notation/parse": EVERYBODY,
    "POST /v1/notation/render": EVERYBODY,
    "GET /docs/errors": EVERYBODY,
    "GET /v1/keys": EVERYBODY,
    "GET /v1/sign-in": EVERYBODY,
    "GET /v1/openapi.json": EVERYBODY,
    "GET /docs": EVERYBODY,
    "GET /v1/me": SIGNED_IN,
    "POST /v1/applications": MEMBERS,
    "POST /v1/invitations/accept": MEMBERS,
    "GET /v1/team": MEMBERS,
    "PUT /v1/team/application": MEMBERS,
    "POST /v1/team/withdraw": MEMBERS,
    "POST /v1/team/captain": MEMBERS,
    "POST /v1/team/members/{person_id}/remove": MEMBERS,
    "GET /v1/team/invitations": MEMBERS,
    "POST /v1/team/invitations": MEMBERS,
    "POST /v1/team/invitations/{invitation_id}/revoke": MEMBERS,
    "GET /v1/team/tokens": MEMBERS,
    "POST /v1/team/tokens": MEMBERS,
    "POST /v1/team/tokens/{token_id}/revoke": MEMBERS,
    "GET /v1/teams": STAFF_READERS,
    "POST /v1/page-versions/{name}": "organizer",
    "GET /v1/hooks": "program participant newcomer organizer",
    "POST /v1/hooks": "program participant newcomer organizer",
    "POST /v1/hooks/{hook_id}/test": "program participant newcomer organizer",
    "POST /v1/hooks/{hook_id}/removal": "program participant newcomer organizer",
    "POST /v1/teams": "organizer",
    "GET /v1/teams/{team_id}": "organizer",
    "POST /v1/teams/{team_id}/decision": "organizer",
    "POST /v1/teams/{team_id}/invitations": "organizer",
    "GET /v1/teams/{team_id}/tokens": "organizer",
    "POST /v1/teams/{team_id}/tokens": "organizer",
    "POST /v1/teams/{team_id}/tokens/{token_id}/revoke": "organizer",
    "GET /v1/teams.csv": "organizer",
    "POST /v1/teams.csv": "organizer",
    "GET /v1/sets": SIGNED_IN,
    "GET /v1/sets/{name}": SIGNED_IN,
    "GET /v1/sets/{name}/parts/{part}": SIGNED_IN,
    "GET /v1/sets/{name}/description": SIGNED_IN,
    "GET /v1/sets/{name}/pack": SIGNED_IN,
    "POST /v1/sets/{name}/publication": "organizer",
    "GET /v1/published-sets": EVERYBODY,
    "GET /v1/published-sets/{name}": EVERYBODY,
    "GET /v1/published-sets/{name}/parts/{part}": EVERYBODY,
    "GET /v1/imports": "organizer",
    "POST /v1/imports": "organizer",
    "GET /v1/imports/{import_id}": "organizer",
    "GET /v1/imports/{import_id}/parts/{part}": "organizer",
    "POST /v1/imports/{import_id}/complete": "organizer",
    "GET /v1/qualification": STAFF_READERS,
    "GET /v1/team/qualification": MEMBERS,
    "GET /v1/sessions/{session_id}/conclusion": READERS,
    "POST /v1/sessions/{session_id}/conclusion/judgement": "judge organizer",
    "POST /v1/sessions/{session_id}/conclusion/verification": "commission organizer",
    "POST /v1/teams/{team_id}/admission": "organizer",
    "GET /v1/conduct/cycle": "commission organizer",
    "GET /v1/conduct/cost": "organizer",
    "GET /v1/conduct/runs": "commission organizer",
    "POST /v1/conduct/runs": "organizer",
    "POST /v1/conduct/runs/preview": "organizer",
    "GET /v1/conduct/runs/{run_id}": "commission organizer",
    "GET /v1/conduct/runs/{run_id}/watch": "commission organizer",
    "POST /v1/conduct/runs/{run_id}/decisions": "organizer",
    "POST /v1/conduct/runs/{run_id}/decisions/preview": "organizer",
    "POST /v1/conduct/runs/{run_id}/restart": "organizer",
    "POST /v1/conduct/runs/{run_id}/restart/preview": "organizer",
    "POST /v1/conduct/runs/{run_id}/dismissal": "organizer",
    "POST /v1/conduct/runs/{run_id}/dismissal/preview": "organizer",
    "POST /v1/conduct/runs/{run_id}/mark": "organizer",
    "GET /v1/conduct/runs/{run_id}/protocols": "judge commission organizer",
    "POST /v1/conduct/runs/{run_id}/protocols/judges": "judge organizer",
    "POST /v1/conduct/runs/{run_id}/protocols/commission": "commission organizer",
    "GET /v1/conduct/boards/{board}/teams.csv": "commission organizer",
    "GET /v1/conduct/boards/{board}/teams.xlsx": "commission organizer",
    "GET /v1/conduct/boards/{board}": "commission organizer",
    "POST /v1/conduct/boards/{board}/decision": "organizer",
    "POST /v1/conduct/kit": "organizer",
    "GET /v1/conduct/annulments": "commission organizer",
    "POST /v1/conduct/annulments": "organizer",
    "GET /v1/conduct/scoring": "commission organizer",
    "POST /v1/conduct/scoring/redrive": "organizer",
    "POST /v1/conduct/sessions/{session_id}/verification": "commission organizer",
    "GET /v1/conduct/errands/{errand_id}": "commission organizer",
    "GET /v1/conduct/runs/{run_id}/shadow": "commission organizer",
    "POST /v1/conduct/runs/{run_id}/shadow": "commission organizer",
    "GET /v1/conduct/submissions/recomputation": "commission organizer",
    "POST /v1/conduct/submissions/recomputation": "commission organizer",
    "POST /v1/rescorings": "organizer",
    "GET /v1/rescorings": "commission organizer",
    "GET /v1/rescorings/{rescoring_id}": "commission organizer",
    "POST /v1/rescorings/{rescoring_id}/resume": "organizer",
    "POST /v1/rescorings/{rescoring_id}/accept": "organizer",
    "POST /v1/rescorings/{rescoring_id}/discard": "organizer",
    "GET /v1/assignments": "expert",
    "GET /v1/assignments/{assignment_id}": "expert",
    "POST /v1/assignments/{assignment_id}/open": "expert",
    "PUT /v1/assignments/{assignment_id}/draft": "expert",
    "GET /v1/assignments/{assignment_id}/drafts": "expert",
    "GET /v1/assignments/{assignment_id}/drafts/{revision}": "expert",
    "POST /v1/assignments/{assignment_id}/hand-in": "expert",
    "POST /v1/assignments/{assignment_id}/hand-back": "expert",
    "PUT /v1/assignments/{assignment_id}/note": "expert",
    "POST /v1/calibrations": "expert",
    "GET /v1/assignments/{assignment_id}/calibration": "expert",
    "GET /v1/experts": "commission organizer",
    "GET /v1/markings/{marking_id}/markups": "organizer",
    "PUT /v1/markings/{marking_id}/suggestions": "organizer",
    "POST /v1/experts/agreement": "organizer",
    "PUT /v1/experts/{expert_id}": "organizer",
    "POST /v1/markings": "organizer",
    "GET /v1/markings": "commission organizer",
    "GET /v1/markings/{marking_id}": "commission organizer",
    "GET /v1/markings/{marking_id}/agreement": "commission organizer",
    "GET /v1/markings/{marking_id}/report": "commission organizer",
    "GET /v1/markings/{marking_id}/report.html": "commission organizer",
    "GET /v1/markings/{marking_id}/report.csv": "commission organizer",
    "GET /v1/markings/{marking_id}/report.xlsx": "commission organizer",
    "POST /v1/experts/{expert_id}/assignments/{assignment_id}/extend": "organizer",
    "POST /v1/experts/{expert_id}/assignments/{assignment_id}/reassign": "organizer",
    "POST /v1/experts/{expert_id}/assignments/{assignment_id}/release": "organizer",
    "POST /v1/replays": "commission organizer",
    "GET /v1/replays/{run_id}": "commission organizer",
    "GET /v1/replays/{run_id}/lot": SIGNED_IN,
    "POST /v1/replays/{run_id}/rounds": "organizer",
    "POST /v1/replays/{run_id}/close": "commission organizer",
    "GET /v1/round": "clinician",
    "POST /v1/round/turns": "clinician",
    "PUT /v1/round/review": "clinician",
    "GET /v1/dead-letters": "commission organizer",
    "GET /v1/dead-letters/{letter_id}": "commission organizer",
    "POST /v1/dead-letters/redrive": "organizer",
    "POST /v1/dead-letters/{letter_id}/drop": "organizer",
    "GET /v1/doctor": "commission organizer",
    "GET /v1/waiting": STAFF_READERS,
    "POST /v1/doctor/mend": "organizer",
    "GET /v1/check": "organizer",
    "GET /v1/cycle/description": "organizer",
    "POST /v1/cycle/results-made-stale": "organizer",
    "POST /v1/cycle/file-check": "organizer",
    "GET /v1/cycle/sets/{set_name}/items": "organizer",
    "POST /v1/parameter-changes": "organizer",
    "POST /v1/parameter-changes/{version}/withdrawal": "organizer",
    "GET /v1/parameters": EVERYBODY,
    "GET /v1/parameters/{version}": EVERYBODY,
    "GET /v1/parameters/{version}/changes": EVERYBODY,
    "GET /v1/announcements": EVERYBODY,
    "GET /v1/announcements/{announcement_id}": EVERYBODY,
    "GET /v1/announcement-drafts": "organizer",
    "POST /v1/announcing": "organizer",
    "POST /v1/announcing/{announcement_id}/publication": "organizer",
    "POST /v1/announcing/{announcement_id}/correction": "organizer",
    "POST /v1/announcing/{announcement_id}/withdrawal": "organizer",
    "GET /v1/mails": MEMBERS,
    "PUT /v1/mails": MEMBERS,
    "POST /v1/mails/unsubscription": EVERYBODY,
    "POST /v1/questions": "program participant newcomer",
    "GET /v1/questions": "program participant newcomer",
    "POST /v1/questions/{question_id}/withdrawal": "program participant newcomer",
    "POST /v1/questions/{question_id}/seen": "program participant newcomer",
    "GET /v1/answering": "judge organizer",
    "POST /v1/answering/{question_id}/take": "judge organizer",
    "POST /v1/answering/{question_id}/answer": "judge organizer",
    "POST /v1/answering/{question_id}/closure": "judge organizer",
    "GET /v1/staff": "commission organizer",
    "POST /v1/staff": "organizer",
    "POST /v1/staff/{person_id}/role": "organizer",
    "POST /v1/staff/{person_id}/dismiss": "organizer",
    "POST /v1/staff/{person_id}/reinstate": "organizer",
    "GET /v1/audit": "organizer",
    "GET /v1/audit.csv": "organizer",
    "GET /v1/audit.jsonl": "organizer",
}

PEOPLE = EVERYBODY.split()
OF_NO_ANSWER = {
    "unknown_run",
    "not_answered",
    "invalid_answer",
    "confirmation_needed",
    "no_conclusion",
    "invalid_request",
}
"""Refusal codes that a just-opened session may give; another team's session gives none of them."""
OF_A_SESSION = [each for each in WHO if "{session_id}" in each]


def token_of(stage: Stage, who: str, team: str) -> str | None:
    """Return the token of a caller of a kind; program and participant are of this team."""
    if who == "nobody":
        return None
    if who == "stranger":
        return "hrd_" + "x" * 43
    if who == "program":
        return stage.team(team)
    if who == "newcomer":
        return stage.sign_in("newcomer", Pool.PARTICIPANTS)
    return stage.person(Role(who), f"{who}-of-{team}", team if who == "participant" else "")


def ask(stage: Stage, route: str, token: str | None, **names: str) -> Answered:
    """Send a route's request without the content that would make it act, a second after the one before."""
    method, _, path = route.partition(" ")
    path = re.sub(r"{(\w+)}", lambda found: names.get(found[1], "1"), path)
    stage.advance(1)
    body: Any = None if method == "GET" else "{}"
    return stage.request(method, path, body, token)


def is_let_in(answered: Answered) -> bool:
    """Return True if a request reached its handler, which may still refuse it, but not because of the caller."""
    return answered.status != 401 and not (
        answered.status == 403 and answered.json.get("error", {}).get("code") in {None, "forbidden"}
    )


@pytest.mark.clause("platform §1 rights")
def test_platform_1_every_route_stands_in_this_table() -> None:
    assert {each.key for each in ROUTES} == set(WHO)


@pytest.mark.clause(
    "platform §1 rights",
    "platform §1 public",
    "platform §1 organizer",
    "platform §1 participant",
    "R 2.14",
    "R 2.18",
    "R 6.2",
    "D 6.2",
    "D 6.2.1",
)
@pytest.mark.parametrize("who", PEOPLE)
def test_everybody_may_what_the_table_says(stage: Stage, program: Program, who: str) -> None:
    program.open()
    token = token_of(stage, who, "green")
    let_in = {route for route in WHO if is_let_in(ask(stage, route, token, session_id=program.session_id))}
    assert let_in == {route for route, allowed in WHO.items() if who in allowed.split()}


@pytest.mark.clause(
    "platform §1 rights",
    "platform §1 program",
    "platform §1 secrets",
    "platform §1 judge",
    "platform §1 commission",
    "D 1.16",
)
@pytest.mark.parametrize("who", [each for each in READERS.split() if each != "newcomer"])
def test_a_session_is_read_by_its_own_and_by_staff(stage: Stage, program: Program, who: str) -> None:
    """A team's own callers read its session, staff read every session, and for other teams it does not exist."""
    program.open()
    own = program.token if who == "program" else token_of(stage, who, "red")
    foreign = token_of(stage, who, "blue")
    for route in OF_A_SESSION:
        if who not in WHO[route].split():
            continue
        seen = ask(stage, route, own, session_id=program.session_id)
        assert seen.status in {200, 202, 409} or seen.code in OF_NO_ANSWER, (route, seen.text)
        hidden = ask(stage, route, foreign, session_id=program.session_id)
        if who in STAFF_READERS.split():
            assert hidden.status == seen.status, (route, hidden.text)
        else:
            assert hidden.refusal == (404, "unknown_session"), route
            assert hidden.text == ask(stage, route, foreign, session_id="z" * 20).text, "as if it did not exist"


@pytest.mark.clause("platform §1 rights", "platform §1 secrets")
def test_who_has_no_team_or_right_reads_nothing(stage: Stage, program: Program) -> None:
    program.open()
    newcomer = token_of(stage, "newcomer", "")
    for route in OF_A_SESSION:
        if "newcomer" in WHO[route].split():
            assert ask(stage, route, newcomer, session_id=program.session_id).code == "unknown_session"
    refused = stage.request("GET", "/v1/audit", None, stage.person(Role.JUDGE))
    assert refused.refusal == (403, "forbidden")
    assert refused.json["error"]["details"][0]["right"] == "organize"


@pytest.mark.clause("platform §1 own rate", "platform §1 participant", "D 1.16")
def test_a_persons_requests_count_apart_and_keep_nothing_alive(stage: Stage, program: Program) -> None:
    member = stage.person(Role.PARTICIPANT, "anna", "red")
    asked = [stage.request("GET", "/v1/sessions", None, member).status for _ in range(12)]
    assert (asked.count(200), asked.count(429)) == (10, 2)
    assert program.open().status == 201
    stage.advance(1)
    assert stage.request("GET", "/v1/sessions", None, member).status == 200
    states = []
    for _ in range(17):
        stage.advance(60)
        member = stage.sign_in("anna", Pool.PARTICIPANTS)
        states.append(stage.request("GET", f"/v1/sessions/{program.session_id}", None, member).json["state"])
    assert (states[0], states[-1]) == ("open", "timed_out")


@pytest.mark.clause("platform §1 rights", "platform §1 tokens")
@pytest.mark.parametrize(
    "claims",
    [
        {"token_use": "id"},
        {"token_use": None},
        {"client_id": "another-client"},
        {"client_id": None, "aud": "client-of-participants"},
        {"iss": "https://elsewhere.example/participants"},
        {"exp": START // 1000},
    ],
    ids=["for the client", "of no kind", "another client", "no client", "another issuer", "over"],
)
def test_platform_1_a_sign_in_that_is_not_ours_opens_nothing(stage: Stage, claims: dict[str, Any]) -> None:
    """The same account's valid token is accepted in the same test."""
    assert stage.request("GET", "/v1/me", None, stage.sign_in("newcomer")).json["role"] == "participant"
    assert stage.request("GET", "/v1/me", None, stage.sign_in("newcomer", **claims)).status == 403


@pytest.mark.clause("platform §1 rights", "platform §1 tokens")
def test_platform_1_a_token_that_somebody_else_signed_opens_nothing(stage: Stage) -> None:
    """The participants' key under the staff's name, a changed claim, and a token that asks for no signature."""
    stage.person(Role.ORGANIZER, "olga")
    proper = stage.sign_in("olga", Pool.STAFF)
    assert stage.request("GET", "/v1/me", None, proper).json["role"] == "organizer"
    claims = {"iss": "https://sign-in.example/staff", "client_id": "client-of-staff"}
    header, payload, signature = proper.split(".")
    said = json.loads(urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    changed = urlsafe_b64encode(json.dumps({**said, "exp": said["exp"] + 1}).encode()).rstrip(b"=").decode()
    none = urlsafe_b64encode(b'{"alg":"none"}').rstrip(b"=").decode()
    for forged in (
        stage.sign_in("olga", Pool.PARTICIPANTS, **claims),
        f"{header}.{changed}.{signature}",
        f"{none}.{payload}.",
        f"{none}.{payload}.{signature}",
    ):
        assert stage.request("GET", "/v1/me", None, forged).status in {401, 403}


@pytest.mark.clause("platform §1 rights")
def test_claims_and_names_of_the_other_pool_give_no_rights(stage: Stage) -> None:
    actual = {"cognito:groups": ["organizer"], "role": "organizer", "custom:role": "organizer"}
    token = stage.sign_in("newcomer", Pool.PARTICIPANTS, **actual)
    assert stage.request("GET", "/v1/me", None, token).json["role"] == "participant"
    assert stage.request("GET", "/v1/staff", None, token).status == 403
    stage.person(Role.ORGANIZER, "olga")
    assert stage.request("GET", "/v1/staff", None, stage.sign_in("olga", Pool.PARTICIPANTS)).status == 403
    assert stage.request("GET", "/v1/me", None, stage.sign_in("unheard-of", Pool.STAFF)).status == 403


NOTHING_THERE = {
    "{run_id}": "unknown_run",
    "/boards/{key}": "unknown_board",
    "/leaderboards/final": "results_not_published",
    "/private-test/archive": "results_not_published",
    "{announcement_id}": "unknown_announcement",
    "/published-sets/{name}": "unknown_set",
    "/pages/{name}": "unknown_page",
}
"""Answers about a resource that does not exist (yet), before anybody is authenticated."""


@pytest.mark.clause("platform §1 public")
def test_platform_1_what_is_published_needs_no_token(stage: Stage) -> None:
    for method, path in sorted((each.method, each.path) for each in ROUTES if each.public):
        answered = stage.request(method, path.replace("{version}", "1").replace("{part}", "1"))
        missing = next((code for place, code in NOTHING_THERE.items() if place in path), None)
        if missing is None:
            assert answered.status == 200, (path, answered.text)
        else:
            assert answered.code == missing, path


@pytest.mark.clause("platform §1 rights")
def test_platform_1_a_role_without_the_right_is_refused_by_the_handler_itself(stage: Stage) -> None:
    event = stage.event("GET", "/v1/sessions", None, None, None)
    event["routeKey"] = "GET /v1/sessions"
    for context in ({"role": "judge", "team_id": "", "token_id": "k"}, {}):
        event["requestContext"]["authorizer"] = {"lambda": context}
        answered = handler(event, Context())
        assert (answered["statusCode"], json.loads(answered["body"])["error"]["code"]) == (403, "forbidden")


@pytest.mark.clause("platform §1 tokens")
def test_platform_1_a_token_is_stored_as_a_hash_and_shown_to_nobody_again(stage: Stage) -> None:
    token = stage.team("red")
    rows = stage.everything_stored()
    assert token not in rows
    assert token_hash(token) in rows


@pytest.mark.clause("platform §1 tokens")
@pytest.mark.parametrize("used_s", [0, 0.001, 14.5, 29.999], ids=str)
def test_platform_1_a_revoked_token_is_dead_within_a_minute(stage: Stage, program: Program, used_s: float) -> None:
    """The moment of its last use in the authorizer's half minute, and the number of tries, make no difference."""
    stage.advance(used_s)
    assert program.open().status == 201
    token_id = stage.platform.people.tokens_of("red")[0].token_id
    revoke_token(stage.platform, "tests", "red", token_id)
    for _ in range(60):
        stage.advance(0.999)
        program.get()
    stage.advance(0.06)
    assert program.get().status == 403


@pytest.mark.clause("platform §4 training score")
def test_platform_1_scores_of_a_test_set_are_silent_while_sends_are_left(stage: Stage, program: Program) -> None:
    program.open(set="test")
    program.get("files/1")
    program.answer(1, {"letters": "a"})
    stage.score_all()
    assert program.get("files/1/score").refusal == (409, "session_open")
    program.ask("POST", f"/v1/sessions/{program.session_id}/abort")
    assert program.get("files/1/score").json["points"] == 25.0
