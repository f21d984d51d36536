"""The routes of the HTTP interface: the description of a route, and the table of all routes: path, function, right.

The gateway's routes and authorizers, the handlers' decorators, admission, raw bodies and the OpenAPI document follow
from these rows; a function whose handlers differ from its rows does not start. Standard library only: the
infrastructure imports this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from math import ceil
from types import MappingProxyType
from typing import Final, Literal

Method = Literal["GET", "POST", "PUT"]


class Function(StrEnum):
    """A function that answers routes, by its name in the infrastructure."""

    DISPATCH = "Dispatch"
    SUBMIT = "Submit"
    RESULTS = "Results"
    ADMINISTRATION = "Administration"
    """Teams, staff, cycles and sets: changes by organizers, and by teams in their own matters."""
    RUN_CONTROL = "RunControl"
    """Organizers' decisions about runs, scoring and results, the commission's view of them, and costs: a function of
    its own, since it reads plans."""
    ANNOTATE = "Annotate"
    """Experts at work, and their coordinator."""
    OPERATIONS = "Operations"
    """The platform itself: failed and stuck work."""
    SUBMISSIONS = "Submissions"
    """Submissions of whole sets: a function of its own, since it signs addresses for participants' uploads."""
    LEGACY_CLIENTS = "LegacyClients"
    """Requests of earlier contests' clients: a function of its own, since the token is in a request's query or body,
    and no authorizer is in front of it."""
    SETS = "Sets"
    """Data sets for callers with the right to them: a function of its own; no other one may return these data."""
    PUBLIC = "Public"
    """Public reads and unknown routes: a function of its own, so that callers without a token take no execution from a
    program."""


class Right(StrEnum):
    """A kind of action. The objects of a caller's actions are checked beside it (own team, own assignment)."""

    READ_PUBLISHED = "read_published"
    SIGNED_IN = "signed_in"
    """To read one's own identity on the platform."""
    EXCHANGE = "exchange"
    SUBMIT = "submit"
    """To upload the own team's submissions of whole sets: by its program, or by hand."""
    READ_OWN = "read_own"
    """To list the own team's sessions."""
    READ_SESSIONS = "read_sessions"
    """To read a session with its reports: one of the own team, or any with ``read_reports``."""
    ASK = "ask"
    """To ask questions for the own team, and to read their answers."""
    HOOK = "hook"
    """Lets a person have webhooks sent about events of the own team, or of the organizers."""
    ANSWER = "answer"
    """To read all questions, and to answer them."""
    CABINET = "cabinet"
    MARK_UP = "mark_up"
    REVIEW = "review"
    """To see programs' work replayed, and to judge it."""
    READ_REPORTS = "read_reports"
    CONFIRM_CONCLUSIONS = "confirm_conclusions"
    INSPECT_SUBMISSIONS = "inspect_submissions"
    WATCH_ASSIGNMENTS = "watch_assignments"
    VERIFY_RESULTS = "verify_results"
    ORGANIZE = "organize"


@dataclass(frozen=True, slots=True)
class Limit:
    """Limit of the requests to a route that the gateway passes on, of all callers together; the others get 429."""

    per_second: int
    burst: int


@dataclass(frozen=True, slots=True)
class Route:
    """One route; ``{name}`` in its path is a parameter.

    ``raw_body``: the handler reads the body itself, for it may be anything. ``spared``: its requests count for the
    rate limit and are not refused for it within a file's first sends and refusals (platform §3). ``documented``: it is
    part of the OpenAPI document. ``limit``: the gateway's own for this route; without one it shares the stage's.
    ``cached_s``: seconds for which caches, first of all the distribution in front, may reuse an answer; 0 if it
    depends on the caller. ``tagged``: clients poll it, so its answers carry an entity tag, and a client that has the
    present answer gets 304. ``large``: its answers go in base64, of which a function's answer holds 4.5 MB, while text
    that is full of quotation marks doubles when it is escaped. ``names_token``: the token stands in the query or the
    body, where the gateway looks for none, and the function itself checks it.
    """

    method: Method
    path: str
    function: Function
    right: Right
    raw_body: bool = False
    spared: bool = False
    documented: bool = True
    limit: Limit | None = None
    cached_s: int = 0
    tagged: bool = False
    large: bool = False
    names_token: bool = False

    @property
    def key(self) -> str:
        """Name of the route at the gateway: ``GET /v1/cycle``."""
        return f"{self.method} {self.path}"

    @property
    def public(self) -> bool:
        """Return whether the route is open to everybody, without an authorizer before its function (platform §1)."""
        return self.right is Right.READ_PUBLISHED

    @property
    def authorized(self) -> bool:
        """Return whether the gateway authenticates the caller before it passes a request on."""
        return not (self.public or self.names_token)


SHARES: Final[Mapping[str, float]] = MappingProxyType(
    {"Authorize": 0.2, "Dispatch": 1, "Submit": 0.5, "Socket": 0.5, "Push": 0.2, "LegacyClients": 0.5}
)
"""Functions that are kept running around a final, with the number of executions of each per team. A request is held up
to two seconds before an opening, so Dispatch may have one for each team at once; answers come one by one and take tens
of milliseconds."""


def kept_for(teams: int) -> dict[str, int]:
    """Return how many executions of each function are kept running for so many teams."""
    return {function: ceil(teams * share) for function, share in SHARES.items()}


INTERFACE_PATHS: Final = ("/v1", "/v1/*", "/docs*")
"""Paths of the interface, as patterns: an unknown route below them gets the interface's own refusal, not a page of the
site."""
GATEWAY_BELIEVES: Final = 30_000
"""Milliseconds for which the gateway caches the authorizer's decision about a token."""
TOKEN_FORM: Final = "hrd_[A-Za-z0-9_-]{43}"  # noqa: S105 -- a form, not a secret
"""Regular expression for a string of a token's form, anywhere in a header."""
SIGN_IN_FORM: Final = r"eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+"
"""The same for the token of a person's sign-in: a signed token begins like every JSON object in base64."""


PUBLIC_LIMIT: Final = Limit(50, 100)
"""Limit of each public route. Answers from the cache in front do not count, so readers do not come near it."""
NOTATION_LIMIT: Final = Limit(10, 20)
"""Limit of each route that reads or writes a text for any caller: nothing is cached, so every request is work."""
LEGACY_LIMIT: Final = Limit(200, 400)
"""Limit of each route of the earlier clients: strangers reach the function, and twenty teams ask all at once."""
LEGACY_BASE: Final = "/v1/earlier"
"""Base address of these clients, which call it their download host."""
UNKNOWN_LIMIT: Final = Limit(20, 40)
"""Limit of all requests to unknown routes."""
RESULTS_LIMIT: Final = Limit(200, 400)
"""Limit of each route that makes results: reports, scores, comparisons, charts."""


_SESSIONS: Final = "/v1/sessions"
_SESSION: Final = f"{_SESSIONS}/{{session_id}}"
_FILE: Final = f"{_SESSION}/files/{{number}}"
_RUN: Final = "/v1/runs/{run_id}"
_COMMISSION: Final = "/v1/commission/{run_id}"
"""Path apart from the runs' own addresses, whose answers the distribution in front may cache for everybody."""
_SUBMISSIONS: Final = "/v1/submissions"
_SUBMISSION: Final = f"{_SUBMISSIONS}/{{submission_id}}"
_DESK: Final = "/v1/conduct/submissions"
_PRIVATE: Final = "/v1/conduct/private-test"
_OWN_TEAM: Final = "/v1/team"
_HOOKS: Final = "/v1/hooks"
_TEAMS: Final = "/v1/teams"
_TEAM: Final = f"{_TEAMS}/{{team_id}}"
_SETS: Final = "/v1/sets"
_SET: Final = f"{_SETS}/{{name}}"
_IMPORT: Final = "/v1/imports/{import_id}"
_MEMBER_OF_STAFF: Final = "/v1/staff/{person_id}"


_RESCORINGS: Final = "/v1/rescorings"
_RESCORING: Final = f"{_RESCORINGS}/{{rescoring_id}}"
_ASSIGNMENT: Final = "/v1/assignments/{assignment_id}"
_EXPERT: Final = "/v1/experts/{expert_id}"
_GIVEN: Final = f"{_EXPERT}/assignments/{{assignment_id}}"
_MARKINGS: Final = "/v1/markings"
_LETTERS: Final = "/v1/dead-letters"


def _expert(method: Method, path: str, *, raw_body: bool = False, tagged: bool = False) -> Route:
    return Route(method, path, Function.ANNOTATE, Right.MARK_UP, raw_body=raw_body, tagged=tagged)


def _results(path: str) -> Route:
    return Route("GET", path, Function.RESULTS, Right.READ_SESSIONS, limit=RESULTS_LIMIT, tagged=True)


def _file(path: str, right: Right, function: Function = Function.RESULTS) -> Route:
    """Make the route of a file to download or to print, made on request."""
    return Route("GET", path, function, right, limit=RESULTS_LIMIT)


def _public(path: str, cached_s: int, *, documented: bool = True, tagged: bool = True, large: bool = False) -> Route:
    return Route(
        "GET",
        path,
        Function.PUBLIC,
        Right.READ_PUBLISHED,
        documented=documented,
        limit=PUBLIC_LIMIT,
        cached_s=cached_s,
        tagged=tagged,
        large=large,
    )


def _work(path: str) -> Route:
    return Route("POST", path, Function.PUBLIC, Right.READ_PUBLISHED, raw_body=True, limit=NOTATION_LIMIT)


def _administered(right: Right, method: Method, path: str, *, raw_body: bool = False) -> Route:
    return Route(method, path, Function.ADMINISTRATION, right, raw_body=raw_body, tagged=method == "GET")


_cabinet = partial(_administered, Right.CABINET)
_organizers = partial(_administered, Right.ORGANIZE)
_asking = partial(_administered, Right.ASK)
_replying = partial(_administered, Right.ANSWER)


def _legacy(method: Method, path: str) -> Route:
    return Route(
        method,
        f"{LEGACY_BASE}{path}",
        Function.LEGACY_CLIENTS,
        Right.EXCHANGE,
        raw_body=method == "POST",
        documented=False,
        limit=LEGACY_LIMIT,
        names_token=True,
    )


def _conduct(method: Method, path: str, right: Right, *, tagged: bool = False) -> Route:
    return Route(method, f"/v1/conduct{path}", Function.RUN_CONTROL, right, tagged=tagged)


OPEN_SESSION: Final = Route("POST", _SESSIONS, Function.DISPATCH, Right.EXCHANGE)
LIST_SESSIONS: Final = Route("GET", _SESSIONS, Function.DISPATCH, Right.READ_OWN, tagged=True)
SESSION_STATUS: Final = Route("GET", _SESSION, Function.DISPATCH, Right.READ_SESSIONS, tagged=True)
TEAM_SESSIONS: Final = Route("GET", f"{_TEAM}/sessions", Function.DISPATCH, Right.READ_REPORTS, tagged=True)
NEXT_FILE: Final = Route("GET", f"{_SESSION}/next", Function.DISPATCH, Right.EXCHANGE)
FILE: Final = Route("GET", _FILE, Function.DISPATCH, Right.EXCHANGE)
ABORT: Final = Route("POST", f"{_SESSION}/abort", Function.DISPATCH, Right.EXCHANGE)

ANSWER: Final = Route("PUT", f"{_FILE}/answer", Function.SUBMIT, Right.EXCHANGE, raw_body=True, spared=True)
RECEIPTS: Final = Route("GET", f"{_SESSION}/receipts", Function.SUBMIT, Right.READ_SESSIONS)
LOG: Final = Route("PUT", f"{_SESSION}/log", Function.SUBMIT, Right.EXCHANGE, raw_body=True)

REPORT: Final = _results(f"{_SESSION}/report")
REPORT_PAGE: Final = _file(f"{_SESSION}/report.html", Right.READ_SESSIONS)
REPORT_CSV: Final = _file(f"{_SESSION}/report.csv", Right.READ_SESSIONS)
REPORT_XLSX: Final = _file(f"{_SESSION}/report.xlsx", Right.READ_SESSIONS)
COMMISSION_RECORD: Final = _file(f"{_COMMISSION}/report", Right.READ_REPORTS)
COMMISSION_PAGE: Final = _file(f"{_COMMISSION}/report.html", Right.READ_REPORTS)
COMMISSION_XLSX: Final = _file(f"{_COMMISSION}/report.xlsx", Right.READ_REPORTS)
RUN_FILES: Final = _file(f"{_COMMISSION}/files", Right.INSPECT_SUBMISSIONS)
RUN_FILES_CSV: Final = _file(f"{_COMMISSION}/files.csv", Right.INSPECT_SUBMISSIONS)
RUN_FILES_XLSX: Final = _file(f"{_COMMISSION}/files.xlsx", Right.INSPECT_SUBMISSIONS)
SESSION_TIMELINE: Final = _results(f"{_SESSION}/timeline")
SCORE: Final = _results(f"{_FILE}/score")
COMPARISON: Final = _results(f"{_FILE}/comparison")
OWN_ANSWER: Final = _results(f"{_FILE}/answer")

BEGIN_SUBMISSION: Final = Route("POST", _SUBMISSIONS, Function.SUBMISSIONS, Right.SUBMIT)
SUBMISSIONS: Final = Route("GET", _SUBMISSIONS, Function.SUBMISSIONS, Right.READ_OWN, tagged=True)
SUBMISSION: Final = Route("GET", _SUBMISSION, Function.SUBMISSIONS, Right.READ_SESSIONS, tagged=True)
SUBMISSION_PART: Final = Route("GET", f"{_SUBMISSION}/parts/{{part}}", Function.SUBMISSIONS, Right.SUBMIT)
COMPLETE_SUBMISSION: Final = Route("POST", f"{_SUBMISSION}/complete", Function.SUBMISSIONS, Right.SUBMIT)
GIVE_UP_SUBMISSION: Final = Route("POST", f"{_SUBMISSION}/give-up", Function.SUBMISSIONS, Right.SUBMIT)
SUBMISSION_REPORT: Final = Route("GET", f"{_SUBMISSION}/report", Function.SUBMISSIONS, Right.READ_SESSIONS, tagged=True)
SUBMISSION_PAGE: Final = _file(f"{_SUBMISSION}/report.html", Right.READ_SESSIONS, Function.SUBMISSIONS)
SUBMISSION_CSV: Final = _file(f"{_SUBMISSION}/report.csv", Right.READ_SESSIONS, Function.SUBMISSIONS)
SUBMISSION_XLSX: Final = _file(f"{_SUBMISSION}/report.xlsx", Right.READ_SESSIONS, Function.SUBMISSIONS)
SUBMISSION_LOGS: Final = Route("GET", f"{_SUBMISSION}/logs", Function.SUBMISSIONS, Right.READ_SESSIONS)

NAME_SUBMISSIONS: Final = Route("POST", f"{_SUBMISSIONS}/named", Function.SUBMISSIONS, Right.SUBMIT)
DECLARE: Final = Route("POST", f"{_SUBMISSION}/declaration", Function.SUBMISSIONS, Right.SUBMIT)
ALL_SUBMISSIONS: Final = Route("GET", f"{_DESK}", Function.SUBMISSIONS, Right.INSPECT_SUBMISSIONS, tagged=True)
RERUN_SUBMISSION: Final = Route("POST", f"{_DESK}/{{submission_id}}/rerun", Function.SUBMISSIONS, Right.ORGANIZE)
RULE_DECLARATION: Final = Route(
    "POST", f"{_DESK}/{{submission_id}}/declaration", Function.SUBMISSIONS, Right.VERIFY_RESULTS
)
SUBMISSIONS_RECOMPUTATION: Final = Route(
    "GET", f"{_DESK}/recomputation", Function.SUBMISSIONS, Right.VERIFY_RESULTS, tagged=True
)
RECOMPUTE_SUBMISSIONS: Final = Route("POST", f"{_DESK}/recomputation", Function.SUBMISSIONS, Right.VERIFY_RESULTS)
BEGIN_PRIVATE_TEST: Final = Route("POST", _PRIVATE, Function.SUBMISSIONS, Right.ORGANIZE)
PRIVATE_TEST: Final = Route("GET", _PRIVATE, Function.SUBMISSIONS, Right.INSPECT_SUBMISSIONS, tagged=True)
PUBLISH_PRIVATE_TEST: Final = Route("POST", f"{_PRIVATE}/publication", Function.SUBMISSIONS, Right.ORGANIZE)
PRIVATE_RESULTS: Final = Route("GET", "/v1/private-test", Function.SUBMISSIONS, Right.SIGNED_IN, tagged=True)
"""Open to callers with a token or a sign-in: the answer is made from its runs' reports, which no public function may
read."""

ME: Final = Route("GET", "/v1/me", Function.ADMINISTRATION, Right.SIGNED_IN, tagged=True)

APPLY: Final = _cabinet("POST", "/v1/applications")
ACCEPT_INVITATION: Final = _cabinet("POST", "/v1/invitations/accept")
OWN_TEAM: Final = _cabinet("GET", _OWN_TEAM)
CORRECT_APPLICATION: Final = _cabinet("PUT", f"{_OWN_TEAM}/application")
WITHDRAW: Final = _cabinet("POST", f"{_OWN_TEAM}/withdraw")
HAND_OVER: Final = _cabinet("POST", f"{_OWN_TEAM}/captain")
REMOVE_MEMBER: Final = _cabinet("POST", f"{_OWN_TEAM}/members/{{person_id}}/remove")
OWN_INVITATIONS: Final = _cabinet("GET", f"{_OWN_TEAM}/invitations")
INVITE: Final = _cabinet("POST", f"{_OWN_TEAM}/invitations")
REVOKE_INVITATION: Final = _cabinet("POST", f"{_OWN_TEAM}/invitations/{{invitation_id}}/revoke")
OWN_TOKENS: Final = _cabinet("GET", f"{_OWN_TEAM}/tokens")
ISSUE_OWN_TOKEN: Final = _cabinet("POST", f"{_OWN_TEAM}/tokens")
REVOKE_OWN_TOKEN: Final = _cabinet("POST", f"{_OWN_TEAM}/tokens/{{token_id}}/revoke")

MAIL_CHOICES: Final = _cabinet("GET", "/v1/mails")
CHOOSE_MAILS: Final = _cabinet("PUT", "/v1/mails")
UNSUBSCRIBE: Final = Route(
    "POST",
    "/v1/mails/unsubscription",
    Function.ADMINISTRATION,
    Right.CABINET,
    raw_body=True,
    documented=False,
    limit=NOTATION_LIMIT,
    names_token=True,
)
"""Route that a mail program calls by itself: the link in the mail has a token for this purpose alone."""

HOOKS: Final = Route("GET", _HOOKS, Function.ADMINISTRATION, Right.HOOK, tagged=True)
ADD_HOOK: Final = Route("POST", _HOOKS, Function.ADMINISTRATION, Right.HOOK)
TEST_HOOK: Final = Route("POST", f"{_HOOKS}/{{hook_id}}/test", Function.ADMINISTRATION, Right.HOOK)
REMOVE_HOOK: Final = Route("POST", f"{_HOOKS}/{{hook_id}}/removal", Function.ADMINISTRATION, Right.HOOK)

LIST_TEAMS: Final = Route("GET", _TEAMS, Function.ADMINISTRATION, Right.READ_REPORTS, tagged=True)
ADD_TEAM: Final = _organizers("POST", _TEAMS)
TEAM: Final = _organizers("GET", _TEAM)
DECIDE_ABOUT_TEAM: Final = _organizers("POST", f"{_TEAM}/decision")
INVITE_TO_TEAM: Final = _organizers("POST", f"{_TEAM}/invitations")
TEAM_TOKENS: Final = _organizers("GET", f"{_TEAM}/tokens")
ISSUE_TOKEN: Final = _organizers("POST", f"{_TEAM}/tokens")
REVOKE_TOKEN: Final = _organizers("POST", f"{_TEAM}/tokens/{{token_id}}/revoke")
EXPORT_TEAMS: Final = _organizers("GET", "/v1/teams.csv")
IMPORT_TEAMS: Final = _organizers("POST", "/v1/teams.csv", raw_body=True)

SETS: Final = Route("GET", _SETS, Function.SETS, Right.SIGNED_IN, tagged=True)
SET: Final = Route("GET", _SET, Function.SETS, Right.SIGNED_IN, tagged=True)
SET_PART: Final = Route("GET", f"{_SET}/parts/{{part}}", Function.SETS, Right.SIGNED_IN, large=True)
SET_PACK: Final = Route("GET", f"{_SET}/pack", Function.SETS, Right.SIGNED_IN)
SET_DESCRIPTION: Final = Route("GET", f"{_SET}/description", Function.SETS, Right.SIGNED_IN)
PUBLISH_SET: Final = _organizers("POST", f"{_SET}/publication")
PUBLISHED_SETS: Final = _public("/v1/published-sets", 10)
PUBLISHED_SET: Final = _public("/v1/published-sets/{name}", 10)
PUBLISHED_SET_PART: Final = _public("/v1/published-sets/{name}/parts/{part}", 10, tagged=False, large=True)
IMPORTS: Final = _organizers("GET", "/v1/imports")
BEGIN_IMPORT: Final = _organizers("POST", "/v1/imports")
IMPORT: Final = _organizers("GET", _IMPORT)
IMPORT_PART: Final = Route("GET", f"{_IMPORT}/parts/{{part}}", Function.ADMINISTRATION, Right.ORGANIZE)
COMPLETE_IMPORT: Final = _organizers("POST", f"{_IMPORT}/complete")

STANDINGS: Final = Route("GET", "/v1/qualification", Function.ADMINISTRATION, Right.READ_REPORTS, tagged=True)
OWN_STANDING: Final = _cabinet("GET", f"{_OWN_TEAM}/qualification")
CONCLUSION: Final = Route("GET", f"{_SESSION}/conclusion", Function.ADMINISTRATION, Right.READ_SESSIONS, tagged=True)
JUDGE: Final = Route("POST", f"{_SESSION}/conclusion/judgement", Function.ADMINISTRATION, Right.CONFIRM_CONCLUSIONS)
VERIFY: Final = Route("POST", f"{_SESSION}/conclusion/verification", Function.ADMINISTRATION, Right.VERIFY_RESULTS)
ADMIT: Final = _organizers("POST", f"{_TEAM}/admission")

_PARAMETERS: Final = "/v1/parameters"
_PARAMETER_CHANGES: Final = "/v1/parameter-changes"
_ANNOUNCING: Final = "/v1/announcing"
"""Path for changes of announcements, apart from that for reading them: there the distribution forwards no changes."""
_ANNOUNCEMENTS: Final = "/v1/announcements"
_ANNOUNCEMENT: Final = f"{_ANNOUNCEMENTS}/{{announcement_id}}"
CHECK: Final = Route("GET", "/v1/check", Function.ADMINISTRATION, Right.ORGANIZE)
CYCLE_DESCRIPTION: Final = _organizers("GET", "/v1/cycle/description")
SET_ITEMS: Final = _organizers("GET", "/v1/cycle/sets/{set_name}/items")
RESULTS_MADE_STALE: Final = _organizers("POST", "/v1/cycle/results-made-stale")
CHECK_CYCLE_FILE: Final = _organizers("POST", "/v1/cycle/file-check")
CHANGE_PARAMETERS: Final = _organizers("POST", _PARAMETER_CHANGES)
WITHDRAW_PARAMETERS: Final = _organizers("POST", f"{_PARAMETER_CHANGES}/{{version}}/withdrawal")
PARAMETERS: Final = _public(_PARAMETERS, 10)
PARAMETERS_VERSION: Final = _public(f"{_PARAMETERS}/{{version}}", 10)
PARAMETERS_CHANGES: Final = _public(f"{_PARAMETERS}/{{version}}/changes", 10)
ANNOUNCEMENTS: Final = _public(_ANNOUNCEMENTS, 10)
ANNOUNCEMENT: Final = _public(_ANNOUNCEMENT, 10)
ANNOUNCEMENT_DRAFTS: Final = _organizers("GET", "/v1/announcement-drafts")
ANNOUNCE: Final = _organizers("POST", _ANNOUNCING)
PUBLISH_ANNOUNCEMENT: Final = _organizers("POST", f"{_ANNOUNCING}/{{announcement_id}}/publication")
CORRECT_ANNOUNCEMENT: Final = _organizers("POST", f"{_ANNOUNCING}/{{announcement_id}}/correction")
WITHDRAW_ANNOUNCEMENT: Final = _organizers("POST", f"{_ANNOUNCING}/{{announcement_id}}/withdrawal")

_QUESTIONS: Final = "/v1/questions"
_QUESTION: Final = f"{_QUESTIONS}/{{question_id}}"
_ANSWERING: Final = "/v1/answering"
_ANSWERED: Final = f"{_ANSWERING}/{{question_id}}"

ASK: Final = _asking("POST", _QUESTIONS)
OWN_QUESTIONS: Final = _asking("GET", _QUESTIONS)
WITHDRAW_QUESTION: Final = _asking("POST", f"{_QUESTION}/withdrawal")
MARK_QUESTION_SEEN: Final = _asking("POST", f"{_QUESTION}/seen")
QUESTIONS: Final = _replying("GET", _ANSWERING)
TAKE_QUESTION: Final = _replying("POST", f"{_ANSWERED}/take")
ANSWER_QUESTION: Final = _replying("POST", f"{_ANSWERED}/answer")
CLOSE_QUESTION: Final = _replying("POST", f"{_ANSWERED}/closure")

CONDUCTED_CYCLE: Final = _conduct("GET", "/cycle", Right.INSPECT_SUBMISSIONS, tagged=True)
CONDUCTED_RUNS: Final = _conduct("GET", "/runs", Right.INSPECT_SUBMISSIONS, tagged=True)
PLAN_RUN: Final = _conduct("POST", "/runs", Right.ORGANIZE)
PREVIEW_PLAN: Final = _conduct("POST", "/runs/preview", Right.ORGANIZE)
CONDUCTED_RUN: Final = _conduct("GET", "/runs/{run_id}", Right.INSPECT_SUBMISSIONS, tagged=True)
WATCH_RUN: Final = _conduct("GET", "/runs/{run_id}/watch", Right.INSPECT_SUBMISSIONS)
DECIDE: Final = _conduct("POST", "/runs/{run_id}/decisions", Right.ORGANIZE)
PREVIEW_DECISION: Final = _conduct("POST", "/runs/{run_id}/decisions/preview", Right.ORGANIZE)
RESTART: Final = _conduct("POST", "/runs/{run_id}/restart", Right.ORGANIZE)
PREVIEW_RESTART: Final = _conduct("POST", "/runs/{run_id}/restart/preview", Right.ORGANIZE)
DISMISS_PROPOSAL: Final = _conduct("POST", "/runs/{run_id}/dismissal", Right.ORGANIZE)
PREVIEW_DISMISSAL: Final = _conduct("POST", "/runs/{run_id}/dismissal/preview", Right.ORGANIZE)
MARK_RUN: Final = _conduct("POST", "/runs/{run_id}/mark", Right.ORGANIZE)
PROTOCOLS: Final = _conduct("GET", "/runs/{run_id}/protocols", Right.READ_REPORTS, tagged=True)
JUDGES_PROTOCOL: Final = _conduct("POST", "/runs/{run_id}/protocols/judges", Right.CONFIRM_CONCLUSIONS)
COMMISSIONS_PROTOCOL: Final = _conduct("POST", "/runs/{run_id}/protocols/commission", Right.VERIFY_RESULTS)
COMPARED_CSV: Final = _file("/v1/conduct/boards/{board}/teams.csv", Right.INSPECT_SUBMISSIONS, Function.RUN_CONTROL)
COMPARED_XLSX: Final = _file("/v1/conduct/boards/{board}/teams.xlsx", Right.INSPECT_SUBMISSIONS, Function.RUN_CONTROL)
"""All teams in the contest's own tables, by the present state of a leaderboard."""
BOARD_PREVIEW: Final = _conduct("GET", "/boards/{board}", Right.INSPECT_SUBMISSIONS, tagged=True)
DECIDE_BOARD: Final = _conduct("POST", "/boards/{board}/decision", Right.ORGANIZE)
ANNULMENTS: Final = _conduct("GET", "/annulments", Right.INSPECT_SUBMISSIONS, tagged=True)
ANNUL: Final = _conduct("POST", "/annulments", Right.ORGANIZE)
UNSCORED: Final = _conduct("GET", "/scoring", Right.INSPECT_SUBMISSIONS, tagged=True)
REDRIVE: Final = _conduct("POST", "/scoring/redrive", Right.ORGANIZE)
VERIFY_SESSION: Final = _conduct("POST", "/sessions/{session_id}/verification", Right.VERIFY_RESULTS)
ERRAND: Final = _conduct("GET", "/errands/{errand_id}", Right.INSPECT_SUBMISSIONS, tagged=True)
RECOMPUTATION: Final = _conduct("GET", "/runs/{run_id}/shadow", Right.VERIFY_RESULTS, tagged=True)
RECOMPUTE: Final = _conduct("POST", "/runs/{run_id}/shadow", Right.VERIFY_RESULTS)
COST: Final = _conduct("GET", "/cost", Right.ORGANIZE, tagged=True)
PUBLISH_KIT: Final = _conduct("POST", "/kit", Right.ORGANIZE)
"""Path apart from that for reading the kit, which the distribution caches and forwards for reading only."""
BEGIN_RESCORING: Final = Route("POST", _RESCORINGS, Function.RUN_CONTROL, Right.ORGANIZE)
RESCORINGS: Final = Route("GET", _RESCORINGS, Function.RUN_CONTROL, Right.VERIFY_RESULTS, tagged=True)
RESCORING: Final = Route("GET", _RESCORING, Function.RUN_CONTROL, Right.VERIFY_RESULTS, tagged=True)
RESUME_RESCORING: Final = Route("POST", f"{_RESCORING}/resume", Function.RUN_CONTROL, Right.ORGANIZE)
ACCEPT_RESCORING: Final = Route("POST", f"{_RESCORING}/accept", Function.RUN_CONTROL, Right.ORGANIZE)
DISCARD_RESCORING: Final = Route("POST", f"{_RESCORING}/discard", Function.RUN_CONTROL, Right.ORGANIZE)


LIST_STAFF: Final = Route("GET", "/v1/staff", Function.ADMINISTRATION, Right.INSPECT_SUBMISSIONS, tagged=True)
"""Open to the commission, too: it chooses clinicians among the staff (D 9.10.7)."""
INVITE_STAFF: Final = _organizers("POST", "/v1/staff")
GIVE_ROLE: Final = _organizers("POST", f"{_MEMBER_OF_STAFF}/role")
DISMISS: Final = _organizers("POST", f"{_MEMBER_OF_STAFF}/dismiss")
REINSTATE: Final = _organizers("POST", f"{_MEMBER_OF_STAFF}/reinstate")
AUDIT_LOG: Final = _organizers("GET", "/v1/audit")
AUDIT_CSV: Final = Route("GET", "/v1/audit.csv", Function.ADMINISTRATION, Right.ORGANIZE)
AUDIT_LINES: Final = Route("GET", "/v1/audit.jsonl", Function.ADMINISTRATION, Right.ORGANIZE)
OWN_ASSIGNMENTS: Final = _expert("GET", "/v1/assignments", tagged=True)
ASSIGNMENT: Final = _expert("GET", _ASSIGNMENT)
OPEN_ASSIGNMENT: Final = _expert("POST", f"{_ASSIGNMENT}/open")
SAVE_DRAFT: Final = _expert("PUT", f"{_ASSIGNMENT}/draft", raw_body=True)
DRAFTS: Final = _expert("GET", f"{_ASSIGNMENT}/drafts")
DRAFT: Final = _expert("GET", f"{_ASSIGNMENT}/drafts/{{revision}}")
HAND_IN: Final = _expert("POST", f"{_ASSIGNMENT}/hand-in")
WRITE_NOTE: Final = _expert("PUT", f"{_ASSIGNMENT}/note")
HAND_BACK: Final = _expert("POST", f"{_ASSIGNMENT}/hand-back")
CALIBRATE: Final = _expert("POST", "/v1/calibrations")
CALIBRATION: Final = _expert("GET", f"{_ASSIGNMENT}/calibration")

EXPERTS: Final = Route("GET", "/v1/experts", Function.ANNOTATE, Right.WATCH_ASSIGNMENTS, tagged=True)
PUT_EXPERT: Final = Route("PUT", _EXPERT, Function.ANNOTATE, Right.ORGANIZE)
BEGIN_MARKING: Final = Route("POST", _MARKINGS, Function.ANNOTATE, Right.ORGANIZE)
MARKINGS: Final = Route("GET", _MARKINGS, Function.ANNOTATE, Right.WATCH_ASSIGNMENTS, tagged=True)
MARKING: Final = Route("GET", f"{_MARKINGS}/{{marking_id}}", Function.ANNOTATE, Right.WATCH_ASSIGNMENTS, tagged=True)
AGREEMENT: Final = Route(
    "GET", f"{_MARKINGS}/{{marking_id}}/agreement", Function.ANNOTATE, Right.WATCH_ASSIGNMENTS, tagged=True
)
SUGGESTIONS: Final = Route("PUT", f"{_MARKINGS}/{{marking_id}}/suggestions", Function.ANNOTATE, Right.ORGANIZE)
RATINGS_AGREEMENT: Final = Route("POST", "/v1/experts/agreement", Function.ANNOTATE, Right.ORGANIZE, raw_body=True)
MARKING_REPORT: Final = _file(f"{_MARKINGS}/{{marking_id}}/report", Right.WATCH_ASSIGNMENTS, Function.ANNOTATE)
MARKUPS: Final = Route("GET", f"{_MARKINGS}/{{marking_id}}/markups", Function.ANNOTATE, Right.ORGANIZE, large=True)
MARKING_PAGE: Final = _file(f"{_MARKINGS}/{{marking_id}}/report.html", Right.WATCH_ASSIGNMENTS, Function.ANNOTATE)
MARKING_CSV: Final = _file(f"{_MARKINGS}/{{marking_id}}/report.csv", Right.WATCH_ASSIGNMENTS, Function.ANNOTATE)
MARKING_XLSX: Final = _file(f"{_MARKINGS}/{{marking_id}}/report.xlsx", Right.WATCH_ASSIGNMENTS, Function.ANNOTATE)
EXTEND: Final = Route("POST", f"{_GIVEN}/extend", Function.ANNOTATE, Right.ORGANIZE)
REASSIGN: Final = Route("POST", f"{_GIVEN}/reassign", Function.ANNOTATE, Right.ORGANIZE)
RELEASE: Final = Route("POST", f"{_GIVEN}/release", Function.ANNOTATE, Right.ORGANIZE)

BEGIN_REPLAY: Final = Route("POST", "/v1/replays", Function.ANNOTATE, Right.VERIFY_RESULTS)
REPLAY: Final = Route("GET", "/v1/replays/{run_id}", Function.ANNOTATE, Right.INSPECT_SUBMISSIONS, tagged=True)
LOT: Final = Route("GET", "/v1/replays/{run_id}/lot", Function.ANNOTATE, Right.SIGNED_IN, tagged=True)
OPEN_ROUND: Final = Route("POST", "/v1/replays/{run_id}/rounds", Function.ANNOTATE, Right.ORGANIZE)
CLOSE_REPLAY: Final = Route("POST", "/v1/replays/{run_id}/close", Function.ANNOTATE, Right.VERIFY_RESULTS)
OWN_ROUND: Final = Route("GET", "/v1/round", Function.ANNOTATE, Right.REVIEW)
NEXT_TURN: Final = Route("POST", "/v1/round/turns", Function.ANNOTATE, Right.REVIEW)
SAVE_REVIEW: Final = Route("PUT", "/v1/round/review", Function.ANNOTATE, Right.REVIEW)

LEGACY_DOCUMENT: Final = _legacy("GET", "")
LEGACY_FRAGMENT: Final = _legacy("GET", "/fragment")
LEGACY_MESSAGE: Final = _legacy("POST", "/{deed}")
"""One route for all their messages, told apart by the last word: a template has a limit of resources, one per route."""

DEAD_LETTERS: Final = Route("GET", _LETTERS, Function.OPERATIONS, Right.INSPECT_SUBMISSIONS, tagged=True)
DEAD_LETTER: Final = Route("GET", f"{_LETTERS}/{{letter_id}}", Function.OPERATIONS, Right.INSPECT_SUBMISSIONS)
REDRIVE_LETTERS: Final = Route("POST", f"{_LETTERS}/redrive", Function.OPERATIONS, Right.ORGANIZE)
DROP_LETTER: Final = Route("POST", f"{_LETTERS}/{{letter_id}}/drop", Function.OPERATIONS, Right.ORGANIZE)
FINDINGS: Final = Route("GET", "/v1/doctor", Function.OPERATIONS, Right.INSPECT_SUBMISSIONS)
WAITING: Final = Route("GET", "/v1/waiting", Function.OPERATIONS, Right.READ_REPORTS, tagged=True)
MEND: Final = Route("POST", "/v1/doctor/mend", Function.OPERATIONS, Right.ORGANIZE)

BOARDS: Final = _public("/v1/boards", 10)
CONTEST_BOARD: Final = _public("/v1/boards/{key}", 10)
QUALIFICATION_BOARD: Final = _public("/v1/leaderboards/qualification", 10)
QUALIFICATION_HISTORY: Final = _public("/v1/leaderboards/qualification/history", 10)
FINAL_BOARD: Final = _public("/v1/leaderboards/final", 10)
FINAL_HISTORY: Final = _public("/v1/leaderboards/final/history", 10)
QUALIFICATION_BOARD_CSV: Final = _public("/v1/leaderboards/qualification.csv", 10, tagged=False)
QUALIFICATION_BOARD_XLSX: Final = _public("/v1/leaderboards/qualification.xlsx", 10, tagged=False)
FINAL_BOARD_CSV: Final = _public("/v1/leaderboards/final.csv", 10, tagged=False)
FINAL_BOARD_XLSX: Final = _public("/v1/leaderboards/final.xlsx", 10, tagged=False)
LIST_RUNS: Final = _public("/v1/runs", 2)
RUN: Final = _public(_RUN, 2)
RUN_RECORD: Final = _public(f"{_RUN}/record", 10, tagged=False)
PRIVATE_ARCHIVE: Final = _public("/v1/private-test/archive", 10, tagged=False)
RUN_ARCHIVE: Final = _public(f"{_RUN}/archive", 10, tagged=False)
RUN_TIMELINE: Final = _public(f"{_RUN}/timeline", 10, tagged=False)
CYCLE: Final = _public("/v1/cycle", 10)
PAGE: Final = _public("/v1/pages/{name}", 10)
PUBLISH_PAGE: Final = _organizers("POST", "/v1/page-versions/{name}")
"""Path apart from the pages' own addresses, which the distribution in front caches for everybody."""
EARLIER_CYCLES: Final = _public("/v1/earlier-cycles", 60)
CLASSIFIER: Final = _public("/v1/classifier", 60)
KIT: Final = _public("/v1/kit", 60)
KEYS: Final = _public("/v1/keys", 60)
SIGN_IN: Final = _public("/v1/sign-in", 60)
PARSE: Final = _work("/v1/notation/parse")
RENDER: Final = _work("/v1/notation/render")
DOCUMENT: Final = _public("/v1/openapi.json", 300, documented=False)
DOCUMENT_PAGE: Final = _public("/docs", 300, documented=False)
ERRORS_PAGE: Final = _public("/docs/errors", 300, documented=False)

ROUTES: Final = tuple(route for route in list(globals().values()) if isinstance(route, Route))
"""All routes above, in their order."""
