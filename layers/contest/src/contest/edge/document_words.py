"""What the document says beside the routes' forms: how calls follow on one another, tags, headers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from contest import routes
from contest.route import Function, Route

DESCRIPTION: Final = f"""\
The exchange of a contest: a participant's program opens a session, gets files, sends answers and reads its report.

Order of calls:

1. `GET {routes.CYCLE.path}` and `GET {routes.CLASSIFIER.path}`: what is contested, which codes answers may name.
2. `POST {routes.OPEN_SESSION.path}` opens a session of files of one's choice, or joins a run.
3. `GET {routes.NEXT_FILE.path}` names the next file and, in a run, its opening.
4. `GET {routes.FILE.path}` hands it out; the time for the answer runs from the first time.
5. `PUT {routes.ANSWER.path}` takes the answer, gives the signed receipt and says what `next` would say. Then from 4;
   the answer to the last file finishes the session.
6. `GET {routes.REPORT.path}` answers 202 until all scores are made, then the report, the same bytes for ever.

Times are UTC, ISO 8601 with milliseconds. Text is counted in Unicode code points. What carries an `ETag` is answered by
304 to whoever sends it in `If-None-Match`. Every refusal is a problem (RFC 9457) with a stable code, told at
`{routes.ERRORS_PAGE.path}`. Beyond its own limits the gateway answers by itself: 413 for a body over 10 MB, 401 and 403
without a valid token.
"""
CONTACT: Final = {"name": "The organizers of the contest"}
TAGS: Final[Mapping[str, str]] = {
    "Contest": "What is contested and by which parameters; the codes; the keys of receipts",
    "Sessions": "A team's sessions: open, watch, end; their receipts and logs",
    "Files": "Files of a session: the next one, its content, the answer to it",
    "Results": "Reports, scores, comparisons and charts of a team's own sessions",
    "Submissions": "Whole sets answered by one file, or by a program that the platform runs",
    "Boards": "The leaderboards",
    "Announcements": "What everybody is told; how organizers publish, correct and withdraw it",
    "Runs": "Scheduled runs: times, commitments, decisions, records",
    "People": "Who one is, and where people sign in",
    "Team": "The own team: application, members, invitations, tokens, standing",
    "Organizers": "Teams, staff, decisions and the log of what people change",
    "Sets": "Data sets: what whoever asks may have of them, and how organizers bring them",
    "Conduct": "Runs as organizers decide about them and the commission watches them; scoring, results, verification",
    "Qualification": "Conclusions on readiness: judges confirm, the commission verifies, organizers admit",
    "Rescoring": "Closed sessions scored anew, compared, accepted or discarded",
    "Marking up": "An expert's own assignments: open, save, hand in, hand back; calibration",
    "Replays": "Programs' work replayed for clinicians: the lot, rounds, reviews",
    "Experts": "The coordinator: profiles, essays given out, progress, agreement",
    "Operations": "The platform itself: jobs that failed for good, what is stuck and can be mended",
    "Notation": "Answers as texts for people, and back",
}
"""In the order in which somebody who reads from the beginning needs them."""
_BY_SEGMENT: Final = {
    "cycle": "Contest",
    "classifier": "Contest",
    "kit": "Contest",
    "keys": "Contest",
    "parameters": "Contest",
    "parameter-changes": "Contest",
    "check": "Organizers",
    "announcements": "Announcements",
    "announcing": "Announcements",
    "announcement-drafts": "Announcements",
    "notation": "Notation",
    "boards": "Boards",
    "leaderboards": "Boards",
    "runs": "Runs",
    "sessions": "Sessions",
    "sign-in": "People",
    "me": "People",
    "team": "Team",
    "applications": "Team",
    "invitations": "Team",
    "teams": "Organizers",
    "teams.csv": "Organizers",
    "staff": "Organizers",
    "audit": "Organizers",
    "audit.csv": "Organizers",
    "audit.jsonl": "Organizers",
    "imports": "Sets",
    "sets": "Sets",
    "published-sets": "Sets",
    "conduct": "Conduct",
    "replays": "Replays",
    "round": "Replays",
    "qualification": "Qualification",
    "rescorings": "Rescoring",
    "assignments": "Marking up",
    "calibrations": "Marking up",
    "experts": "Experts",
    "markings": "Experts",
    "dead-letters": "Operations",
    "doctor": "Operations",
}
_TEXT: Final = {"type": "string"}
RETRY_AFTER: Final = "Retry-After"
ETAG: Final = "ETag"
IF_NONE_MATCH: Final = "If-None-Match"
LOCATION: Final = "Location"
IDEMPOTENCY_KEY: Final = "Idempotency-Key"
NOT_MODIFIED: Final = f"Nothing is new: `{IF_NONE_MATCH}` names the present answer"
HEADERS: Final[Mapping[str, Any]] = {
    RETRY_AFTER: {
        "description": "Seconds after which the same request may be answered otherwise",
        "schema": {"type": "integer", "minimum": 0},
    },
    ETAG: {
        "description": "Names what is answered, `server_time` apart; weak where the answer has one. To be sent back in"
        f" `{IF_NONE_MATCH}`",
        "schema": _TEXT,
        "example": 'W/"0f343b0931126a20f133d67c2b018a3b"',
    },
    LOCATION: {"description": "Where it is, a path of this host", "schema": _TEXT},
}
PARAMETERS: Final[Mapping[str, Any]] = {
    IF_NONE_MATCH: {
        "name": IF_NONE_MATCH,
        "in": "header",
        "required": False,
        "description": f"`{ETAG}` of an answer that is known; 304 if it is still the present one",
        "schema": _TEXT,
    }
}


def tag_of(route: Route) -> str:
    """The tag of a route, by what it is about."""
    if route.function is Function.RESULTS:
        return "Results"
    if "/conclusion" in route.path or route is routes.ADMIT:
        return "Qualification"
    if route.function is Function.BRING or route is routes.PRIVATE_ARCHIVE:
        return "Submissions"
    segment = route.path.split("/")[2]  # after the version
    about_a_file = "{number}" in route.path or route is routes.NEXT_FILE
    return "Files" if about_a_file else _BY_SEGMENT.get(segment, segment.capitalize())
