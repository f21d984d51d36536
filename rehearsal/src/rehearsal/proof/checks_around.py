"""Checks of plays around the final: own sessions of teams, readiness, admission, trials, runs begun anew, news.

Each request has the answer that the rules give to it; here the answers are held against that, and against the library.
Mails and webhooks are checked for the recipients, language and link of each act (specification D 6.12).
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, Final, NamedTuple

from markup_core.accuracy import score_of
from markup_core.receipt import canonical_json
from markup_core.sample import accuracies
from rehearsal.history import MINUTE, NEWS, PRACTISED, QUALIFYING, SECOND, SENT, Call, Millis, from_text, to_text
from rehearsal.proof.case import ESSAYS_ALONE, Case, Check, look_as_meant, otherwise_than_meant, tries, value_at
from rehearsal.proof.checks_files import put_off
from rehearsal.proof.checks_results import Results, moved_otherwise, placed
from rehearsal.proof.oracle import LEAST_TOLD, SILENCE
from rehearsal.proof.readable import CYRILLIC, acts, log_otherwise, people_of

Json = Any
_NEAR: Final = 1_000  # distance of ids that no two of ten thousand drawn ones have
_ID: Final = re.compile(r"[1-9]\d{14}")
_FAST: Final = (f"{PRACTISED}fast", f"{PRACTISED}fast_shared")
_CLOSED: Final = frozenset({409, 410})
_SCORED: Final[Millis] = 4 * MINUTE
_BODY: Final[Millis] = SECOND
"""Transfer time that every body may take."""
_LONGEST_BODY: Final[Millis] = 15 * SECOND
"""Longest transfer time of a body, the start of a process included."""
_PER_SECOND: Final = 10
_NEXT_SECOND: Final = "1"
"""Value of ``Retry-After``, in seconds, in refusals of requests beyond a second's limit."""


_STATUSES: Final = {
    **dict.fromkeys(("wrong", "second", "unconfirmed"), frozenset({400, 404, 409, 422})),
    "open": frozenset({201}),
    "file": frozenset({200}),
    "large": frozenset({413}),
}


def _look_as_meant(check: Check, case: Case, *names: str) -> None:
    """Compare the statuses and values of the answers to these calls with the expected ones."""
    for call in case.of(PRACTISED, *names):
        name, means = call.what.removeprefix(PRACTISED), call.means
        says: Mapping[str, Mapping[str, Json]] = {
            "open": means,
            "next": {"status": "available", "number": call.number},
            "answer": {"receipt.status": means.get("status")},
            "body_ends": {"receipt.status": means.get("status")},
            "status": {"state": means.get("state")}
            | ({"deliveries.0.sends": means["sends"]} if "sends" in means else {}),
            "abort": {"state": "aborted"},
        }
        check.look(*otherwise_than_meant(call, _STATUSES.get(name), says.get(name, {})))


@tries("limits", 32, fault="practice", stages=ESSAYS_ALONE)
def sessions_chosen(check: Check, case: Case) -> None:
    """Check that a session of one's own is as it was chosen; nothing else can be chosen; its files come by number, are
    due when it says, are scored within minutes as the library does; and its end is the end (R 6.4)."""
    _look_as_meant(check, case, "wrong", "second", "open", "next", "file", "answer", "body_ends")
    limits = {str(call.said.get("session_id")): call.means for call in case.of(PRACTISED, "open")}
    first: dict[tuple[str, int], Mapping[str, Json]] = {}
    for call in (one for one in case.of(PRACTISED, "file") if one.status == 200):
        before = first.setdefault((str(call.path), call.number or 0), call.said)
        same = all(call.said[name] == before[name] for name in ("file_id", "handed_out_at", "answer_by", "content"))
        check.that(same, f"{call.where}: file {call.number} is another one than at first")
        due = from_text(call.said["answer_by"]) - from_text(call.said["handed_out_at"])
        limit = limits[_session(call)]["time_limit_s"]
        late = f"{call.where}: file {call.number} is due after {due} ms, chosen were {limit} s"
        check.that(due == limit * SECOND, late)
    for call in case.of(PRACTISED, "answer", "body_ends"):
        check.look(_arrived_otherwise(call))
    for call in case.of(PRACTISED, "score"):
        if call.status == 200:
            check.look(*_scored_otherwise(case, call))
    for call in case.of(PRACTISED, "trained")[-1:]:
        scored = call.status == 200
        check.that(scored, f"{call.where}: a training file is told no score while its session is open")


@tries("limits", 8, fault="practice", stages=ESSAYS_ALONE)
def sessions_ended(check: Check, case: Case) -> None:
    """Check that a session ends when everything is answered, when its team ends it, or after a quarter of an hour of
    silence, and then for good; a final does not end by an abort that nobody has confirmed."""
    _look_as_meant(check, case, "status", "abort", "unconfirmed")
    for call in case.of(PRACTISED, "status"):
        check.look(*_opened_at_another_moment(case, call))
        if call.means["state"] == "timed_out":
            check.look(*_closed_otherwise(case, call))
    for call in case.of(PRACTISED, "closed"):
        over = call.status in _CLOSED or call.said.get("receipt", {}).get("status") == "late"
        check.that(over, f"{call.where}: after its end it is answered {call.status}")


@tries("limits", 280, fault="practice", stages=ESSAYS_ALONE)
def requests_limited(check: Check, case: Case) -> None:
    """Check that of one second's requests ten are answered and the others told to come again in the next, but an answer
    to an open file is never refused, and counts; a body over the limit is refused and is no send."""
    _look_as_meant(check, case, "large", "status")
    seconds: dict[tuple[str, str, int], list[Call]] = {}
    for call in case.story.calls:  # also those that the platform failed: it may have counted them
        if call.what in _FAST:
            seconds.setdefault((call.what, call.team, call.sent_at // SECOND), []).append(call)
    for (what, team, second), calls in seconds.items():
        _look_at_second(check, team, calls)
        answers = case.of(PRACTISED, "answer", "spared") if what == _FAST[0] else ()
        after = [call for call in answers if (call.team, call.sent_at // SECOND) == (team, second)]
        for call in after:
            refused = call.status == 429
            check.that(not refused, f"{call.where}: an answer to an open file was refused for the rate")
        check.that(after or what != _FAST[0], f"{team}: no answer came within the second of its requests")


@tries("kept", lambda size: size.over_http + size.answered + 8 * size.plays("practice"), stages=ESSAYS_ALONE)
def own_kept(check: Check, case: Case) -> None:
    """Check that ids of sessions and files are fifteen digits that begin with no zero, none twice, none near another; a
    client's log is kept with its session; a team's list has its own sessions and no other, the newest first."""
    holders: dict[str, set[str]] = {}
    ids = sorted({int(file_id) for call in case.story.calls for file_id in call.file_ids if _ID.fullmatch(file_id)})
    check.look(*(f"the ids of two files are {one} and {other}" for one, other in pairwise(ids) if other - one < _NEAR))
    for call in case.story.calls:
        for file_id in call.file_ids:
            check.that(_ID.fullmatch(file_id), f"{call.where}: a file is called {file_id}")
        if call.what in {"open", f"{PRACTISED}open"} and call.status == 201:
            name = str(call.said["session_id"])
            holders.setdefault(name, set()).add(call.team)
            check.that(_ID.fullmatch(name), f"{call.where}: a session is called {name}")
    for name, teams in holders.items():
        check.that(len(teams) <= 1, f"{' and '.join(sorted(teams))} have one session, {name}")
    for call in case.of(PRACTISED, "log"):
        folder = f"logs/{_session(call)}/"
        digests = {stored[0] for name, stored in case.facts.objects.items() if name.startswith(folder)}
        check.that(call.means["sha256"] in digests, f"{call.where}: the log is not kept with its session")
    for call in case.of(PRACTISED, "list"):
        listed = [str(session["session_id"]) for session in call.said.get("sessions", ())]
        right = listed == call.means["sessions"]
        check.that(right, f"{call.where}: the list has {listed}, the team has {call.means['sessions']}")


def _session(call: Call) -> str:
    return str(call.path).split("/")[3]


def _arrived_otherwise(call: Call) -> str | None:
    """Return the fault of an answer's arrival: it arrived with its headers, or no earlier than the longest time of a
    body before it was there."""
    if not (receipt := call.said.get("receipt")):
        return None
    received, took = from_text(receipt["received_at"]), call.done_at - call.sent_at
    earliest = call.sent_at if took <= _BODY else max(call.sent_at + 1, call.done_at - _LONGEST_BODY)
    latest = call.sent_at if took <= _BODY else call.done_at
    due = f"{call.where}: the answer came from {earliest} to {latest}, its receipt says {received}"
    return None if earliest <= received <= latest else due


def _scored_otherwise(case: Case, call: Call) -> Iterator[str]:
    scored_path = str(call.path).removesuffix("/score")
    for answer in (one for one in case.of(PRACTISED, "answer") if str(one.path).startswith(scored_path)):
        stored = case.answer(_session(answer), answer.number or 0, answer.content_sha256)
        if stored is None or Results.of(case).made_of(stored) != canonical_json(dict(call.said)):
            yield f"{call.where}: the library scores the answer differently"
        if call.sent_at - answer.done_at > _SCORED:
            yield f"{call.where}: scored after {(call.sent_at - answer.done_at) / SECOND:.0f} s"


def _opened_at_another_moment(case: Case, call: Call) -> Iterator[str]:
    """Yield the fault of a session's opening: it is when its team asked for it, and does not change."""
    opened_at = call.said.get("opened_at")
    for opening in case.of(PRACTISED, "open"):
        if opening.status == 201 and opening.said["session_id"] == _session(call):
            requested = [one.sent_at for one in case.story.calls if (one.team, one.key) == (call.team, opening.key)]
            at_first = opening.said.get("opened_at")
            if opened_at != at_first or not min(requested) <= from_text(str(opened_at)) <= opening.done_at:
                yield f"{call.where}: the session was opened at {opened_at}, its team was told of {at_first}"


def _closed_otherwise(case: Case, call: Call) -> Iterator[str]:
    """Yield the fault of a silent session's end, due by the timer's next visit after its team's last request."""
    requests = [one for one in case.story.calls if (one.path or "").startswith(str(call.path)) and one.n != call.n]
    last = max((request.done_at for request in requests), default=0)
    closed_at = call.said.get("closed_at")
    silent = from_text(closed_at) - last if closed_at else None
    most = SILENCE + MINUTE + put_off(case, last + SILENCE, from_text(closed_at)) if closed_at else 0
    if silent is None or not SILENCE <= silent <= most:
        yield f"{call.where}: the silent session was closed after {silent} ms"


def _look_at_second(check: Check, team: str, calls: Sequence[Call]) -> None:
    """Check that of one second's requests ten are answered, and the others told when to come again."""
    heard = [call for call in calls if not call.failed]
    answered = sum(call.status != 429 for call in heard)
    least = min(_PER_SECOND, len(calls)) - (len(calls) - len(heard))
    right = least <= answered <= _PER_SECOND
    check.that(right, f"{team}: {answered} requests of one second were answered")
    for call in heard:
        untold = call.status == 429 and call.said.get("retry_after") != _NEXT_SECOND
        check.look(
            f"{call.where}: is refused for the rate and not told when to come again" if untold else None,
            None
            if call.status in {call.means.get("is_told", 200), 429}
            else f"{call.where}: is answered {call.status}",
        )


_WHOLE_SHARE: Final = 0.95
"""Least answered share of the test set for an entry on the board (R 6.10)."""
_BARRIER: Final = 100.0
_MUCH: Final = 5.0
"""Largest difference, in per cent, that a board does not flag."""
_USE_NOTED_EVERY: Final[Millis] = 10 * MINUTE
_JOINED: Final = ("technical", "trial", "admitted", "restart")
"""Names of requests by which teams join runs."""


@tries("admitted", 30, fault="qualifying", stages=ESSAYS_ALONE)
def admitted_by_steps(check: Check, case: Case) -> None:
    """Check that judges confirm, then the commission verifies, then the organizers admit, nobody else and in no other
    order; a team has qualified with a conclusion of each kind; each step is in the log with its author (R 6.9, 8.2).
    The last use of a team's token is told to ten minutes (platform §1)."""
    look_as_meant(check, case, "steps", "standings", "audit", "admitted", "team", "tokens")
    for call in case.of(QUALIFYING, "standings"):
        qualified = {row["team_id"]: row["qualified"] for row in call.said.get("teams", ())}
        team, expected = call.means["team"], call.means["qualified"]
        right = qualified.get(team, False) == expected
        check.that(right, f"{call.where}: {team} is told as qualified: {qualified.get(team)}")
    for call in case.of(QUALIFYING, "tokens"):
        check.look(_used_otherwise(case, call))
    for call in case.of(QUALIFYING, "audit"):
        check.look(*log_otherwise(call.said.get("changes", ()), acts(case.story), people_of(case.story), call.sent_at))


def _used_otherwise(case: Case, call: Call) -> str | None:
    """Return the fault of a token's last use: it is shown to ten minutes."""
    team = call.means["whose"]
    requests = [one for one in case.story.calls if one.team == team and one.n < call.n and not one.failed]
    last = max((request.done_at for request in requests), default=0)
    uses = [from_text(token["used_at"]) for token in call.said.get("tokens", ()) if token["used_at"]]
    if uses and last - _USE_NOTED_EVERY <= max(uses) <= last:
        return None
    last_use = to_text(max(uses)) if uses else "never"
    return f"{call.where}: the token of {team} was used at {to_text(last)}, told is {last_use}"


@tries("admitted", 8, fault="qualifying", stages=ESSAYS_ALONE)
def one_entry_each(check: Check, case: Case) -> None:
    """Check that the qualification board has one entry of each team that answered enough of the whole test set: its
    best, by the library, from the acknowledged answers (R 6.10)."""
    best = dict[str, _Claim]()
    for claim in _claims(case):
        check.that(claim.accuracy is not None, f"{claim.team}: a session without a result")
        earlier = best.get(claim.team)
        better = earlier is None or (claim.accuracy or 0.0) > (earlier.accuracy or 0.0)
        if better and claim.answered >= _WHOLE_SHARE * claim.whole:
            best[claim.team] = claim
    if not check.examined:
        return
    rows = case.facts.answers["qualification_board"]["rows"]
    places = [(row["place"], row["team_id"], row["value"]) for row in rows]
    exact = placed([(claim.team, claim.accuracy) for claim in best.values()])
    expected = [(place, team, _coarse(value, best[team].answered)) for place, team, value in exact]
    check.that(places == expected, f"the qualification board shows {places}, the replay gives {expected}")
    points = case.facts.answers.get("qualification_history", {}).get("points", [])
    check.look(*moved_otherwise(points))
    last = _places(points[0]["places"]) if points else []
    check.that(last == places, f"qualification_history: the last places are {last}, the board shows {places}")
    check.look(*_noted_otherwise(case))
    for row in rows:
        if (entry := best.get(row["team_id"])) is not None:
            figures = row["barrier"], row["answered"], row["files"], *(row["audit"][name] for name in _AUDIT)
            due = (entry.accuracy or 0.0) >= _BARRIER, entry.answered, entry.whole, *entry.audit
            check.that(figures == due, f"{entry.team}: the board says {figures}, by the answers it is {due}")


_AUDIT: Final = ("relative_accuracy", "flagged")


def _noted_otherwise(case: Case) -> Iterator[str]:
    """Yield the looks at a part of the board and its history at one moment, when nobody but the timer had made anything
    since the timer's visit, that show other places (platform §4 boards)."""
    done = {name: [call for call in case.of(QUALIFYING, name) if call.status == 200] for name in ("places", "history")}
    histories = {(call.sent_at, call.means["part"]): call.said["points"] for call in done["history"]}
    looks = [call for call in done["places"] if (call.sent_at, call.means["part"]) in histories]
    if not any(call.said["rows"] for call in looks):
        yield "no board with places was looked at together with its history"
    for call in looks:
        places, points = _places(call.said["rows"]), histories[call.sent_at, call.means["part"]]
        noted = _places(points[0]["places"]) if points else []
        if noted != places:
            yield f"{call.where}: the board shows {places}, its history {noted} as the latest"


def _places(rows: Iterable[Mapping[str, Json]]) -> list[tuple[int, str, float]]:
    return [(row["place"], row["team_id"], row["value"]) for row in rows]


@dataclass(frozen=True, slots=True)
class _Claim:
    """Result of a session over the test set: ``accuracy`` is its relative accuracy, ``missed`` is the number of its own
    unanswered files."""

    team: str
    whole: int
    answered: int
    missed: int
    accuracy: float | None

    @property
    def audit(self) -> tuple[float | None, bool]:
        """Return the accuracy with missed files as zeros, and whether that differs much (platform §4, Abstention
        audit)."""
        if self.accuracy is None or not self.missed:
            return _coarse(self.accuracy, self.answered), False
        audited = self.accuracy * self.answered / (self.answered + self.missed)
        return _coarse(audited, self.answered), self.accuracy - audited > _MUCH


def _coarse(value: float | None, essays: int) -> float | None:
    """Return a total of a hidden set as the board may show it: a step is an essay's per cent or more, and a value below
    the barrier is shown as such (R 2.7, R 6.5.3); None for fewer than ten essays."""
    if value is None or essays < LEAST_TOLD:
        return None
    steps = int(10 ** (len(str(essays)) - 1))
    rounded = math.floor(Fraction(str(value)) * steps + Fraction(1, 2))
    return (rounded - 1 if value < _BARRIER <= rounded / steps else rounded) / steps


def _claims(case: Case) -> Iterator[_Claim]:
    library = Results.of(case)
    whole = max((int(call.means["says"]["files"]) for call in case.of(QUALIFYING, "session")), default=0)
    for opened in case.of(QUALIFYING, "session"):
        session_id, scores = str(opened.said.get("session_id")), []
        for call in case.of(QUALIFYING, "answer"):
            if f"/{session_id}/" in str(call.path) and call.said.get("receipt", {}).get("status") == "accepted":
                text = case.answer(session_id, call.number or 0, call.means["digest"])
                scores.append(score_of(json.loads(library.made_of(str(text)))))
        missed = int(opened.means["says"]["files"]) - len(scores)
        yield _Claim(opened.team, whole, len(scores), missed, accuracies(scores).relative_accuracy)


@tries("decided", 100, fault="qualifying", stages=ESSAYS_ALONE)
def begun_anew(check: Check, case: Case) -> None:
    """Check that a run that is begun anew hands out files of the reserve set that nobody has seen, as a replacement
    does, and no other run hands out any; the stopped one hands out nothing more, and has no results (R 7.16,
    7.16.3)."""
    look_as_meant(check, case, "restart")
    own = case.schedule.files
    texts_of_final = {text for call in case.story.calls if not call.what.startswith(QUALIFYING) for text in call.texts}
    kinds = {
        str(call.said.get("session_id")): call.means for call in case.of(QUALIFYING, *_JOINED) if "run" in call.means
    }
    fresh: dict[int, tuple[str, int]] = {}
    for call in case.of(QUALIFYING, "file"):
        means = kinds.get(str(call.path).split("/")[3])
        if means is None or call.status != 200:
            check.that(not call.texts, f"{call.where}: has a text of the final or the reserve")
            continue
        reserve = [text for text in call.texts if text > own]
        if means["run"] == "anew" or (means["run"] == "trial" and (call.number or 0) > means["files"]):
            place = (means["run"], call.number or 0)
            right = (
                len(reserve) == 1 and reserve[0] not in texts_of_final and fresh.setdefault(reserve[0], place) == place
            )
            check.that(right, f"{call.where}: file {call.number} is no fresh one of the reserve")
        else:
            check.that(not reserve, f"{call.where}: file {call.number} is one of the reserve")
    for call in case.of(QUALIFYING, "restart"):
        if call.means.get("of_none"):
            check.that(not call.texts, f"{call.where}: the stopped run hands out a text")


FILE, ANSWER = "latency_file", "latency_answer"
REAL_FILE, REAL_ANSWER = "real_file", "real_answer"


@tries("no_cost", 17, fault="qualifying", stages=ESSAYS_ALONE)
def latency_given_back(check: Check, case: Case) -> None:
    """Check that a slow hand-out moves the answer's deadline by its duration; a slow receipt, and the hand-out before
    it, is taken off when the next file is asked for; a team that is late by itself gets nothing. The requests tell each
    duration."""
    look_as_meant(check, case, "latency", FILE, ANSWER)
    calls = case.of(QUALIFYING, FILE, ANSWER)
    for call in calls:
        if call.means["stalled"]:
            took = call.done_at - call.sent_at
            few = f"{call.where}: took {took} ms, {call.means['stalled']} ms were injected"
            check.that(took >= call.means["stalled"], few)
        if call.what == f"{QUALIFYING}{FILE}" and call.status == 200:
            place = (call.team, (call.number or 0) - 1)
            before = (earlier for earlier in calls if (earlier.team, earlier.number) == place)
            lost = sum(earlier.done_at - max(earlier.sent_at, earlier.means["opens_at"]) for earlier in before)
            check.look(*_due_otherwise(call, max(call.means["opens_at"], call.sent_at - lost), 0))


@tries("no_cost", 19, fault="qualifying", stages=ESSAYS_ALONE)
def held_in_real_time(check: Check, case: Case) -> None:
    """Check that while the clock runs, a request less than two seconds before an opening waits for it and has the file,
    and an earlier one is refused before it; real seconds that the platform takes move the answer's deadline and excuse
    the next request, and a program's wait for the opening is none of them."""
    look_as_meant(check, case, "real", REAL_FILE, REAL_ANSWER)
    for call in case.of(QUALIFYING, REAL_FILE):
        opening = call.means["opens_at"]
        late = call.status == 425 and call.done_at >= opening
        check.look(f"{call.where}: is told at the opening to come again" if late else None)
        if call.status == 200:
            # It is written down before it is done, by how long reading took.
            check.look(*_due_otherwise(call, max(opening, call.sent_at), call.done_at - call.sent_at))
    for call in case.of(QUALIFYING, REAL_ANSWER):
        early_by = call.means["opens_at"] + call.means["limits"]["total_s"] * SECOND - call.sent_at
        early = call.means["stalled"] and early_by >= 0
        check.that(not early, f"{call.where}: came {early_by} ms before the last moment without latency")


def _due_otherwise(call: Call, counted: Millis, reading: Millis) -> Iterator[str]:
    """Yield the faults of a file's times, by the moment at which its request counts; ``reading`` is how much later than
    it was told it may have been handed out."""
    opening, total = call.means["opens_at"], call.means["limits"]["total_s"] * SECOND
    handed, answer_by = from_text(call.said["handed_out_at"]), from_text(call.said["answer_by"])
    if not max(opening, call.sent_at + call.means["stalled"]) <= handed <= call.done_at + reading:
        yield f"{call.where}: is told as handed out at {handed}"
    latest = min(handed + call.means["limits"]["answer_s"] * SECOND, opening + total + handed - counted)
    least = min(latest, opening + total + call.means["stalled"]) if reading else latest
    if (call.number == 1 or not reading) and not least <= answer_by <= latest:
        yield f"{call.where}: the answer is due at {answer_by}, by the rules between {least} and {latest}"


_LINK: Final = re.compile(r"https?://[^/\s]+(/\S*)")
_CHOICES: Final = "/cabinet/mails"
_BETWEEN: Final = "----"
"""Separator of the two texts of a mail in both languages; the Russian text comes first."""
_TEAM, _ALL, _ORGANIZERS = "team", "all", "organizers"
_ACTS: Final = (
    ("teams/[^/]+/decision", "status", ".*", "application", "/cabinet/team", _TEAM),
    ("teams/[^/]+/admission", "admission.admitted", ".*", "application", "/cabinet/team", _TEAM),
    (r"sessions/[^/]+/conclusion/\w+", "standing", "verified|rejected|annulled", "application", "/cabinet", _TEAM),
    ("conduct/boards/(?!qualification)[^/]+/decision", "state", "published", "results", "/boards", _ALL),
    ("conduct/runs", "run.mode", "final", "run", "/announcements", _ALL),
    ("conduct/runs/[^/]+/restart", "restarts", ".+", "run", "/announcements", _ALL),
    ("announcing", "state", "published", "announcement", "/announcements", _ALL),
    ("questions", "question_id", ".+", "answer", "/desk/questions", _ORGANIZERS),
)
"""Acts that mails and webhooks tell of: a pattern of the path, a place in the answer with a pattern of its value, kind
and link, and whom they tell: the team of the answer, everybody, or the organizers, who have webhooks alone."""

_REPEATED: Final = frozenset({"kills", "throttles", "twins"})
"""Faults under which a message may not be noted as sent and is sent again: twice is better than never."""


class Event(NamedTuple):
    """An event of which teams or organizers are notified: kind, link to its page, teams to notify (None: everybody)."""

    call: Call
    kind: str
    link: str
    teams: Sequence[str] | None

    def concerns(self, since: Call, team: Json) -> bool:
        """Return whether a member of a team, who joined at an earlier call, is notified of it."""
        return self.call.n > since.n and (self.teams is None or team in self.teams)


@tries("hidden", 40, fault="people", stages=ESSAYS_ALONE)
def news_kept(check: Check, case: Case) -> None:
    """Check that questions are answered, a result annulled and a role given as the organizers decide; mails and
    webhooks tell the members and addresses of the teams concerned, once, in their language, with a link: of answers,
    announcements, planned runs, published results, conclusions and decisions on a team (D 6.12)."""
    look_as_meant(check, case, NEWS)
    if not check.examined:
        return
    sent, calls = case.facts.answers[SENT], case.of(QUALIFYING, NEWS)
    events = [event for event in _events(case) if event.call.n < sent["until"]]
    members = {call.team: call for call in calls if "member_of" in call.means}
    languages = {call.team: call.said.get("language") for call in calls if call.path == "/v1/mails"}
    stopped = {str(call.means["stops"]): call.n for call in calls if "stops" in call.means}
    added = [call for call in case.story.calls if (call.method, call.path) == ("POST", "/v1/hooks")]
    due_mails = Counter(
        (person, event.link, languages.get(person))
        for event in events
        for person, joined in members.items()
        if event.concerns(joined, joined.means["member_of"])
        and not (event.kind == "answer" and event.call.n > stopped.get(person, event.call.n))
    )
    due_requests = Counter(
        (call.said["url"], event.kind, event.link)
        for event in events
        for call in added
        if "url" in call.said and event.concerns(call, _ORGANIZERS if "@" in call.team else call.team)
    )
    titles = set[tuple[str, str]]()
    requests = Counter[Json]()
    for request in (one for one in sent["sent"] if "url" in one):
        statement = request["body"]["event"]
        check.that(case.keys.signed(statement, request["body"]["signature"]), f"{request['url']}: not signed")
        if statement["kind"] != "hello":
            title, (link,) = statement["title"], _LINK.findall(statement["link"])
            titles |= {("en", title["en"]), ("ru", title["ru"]), ("both", f"{title['ru']} / {title['en']}")}
            requests[request["url"], statement["kind"], link] += 1
    mails = Counter[Json]()
    for mail in (one for one in sent["sent"] if "to" in one):
        words = ["ru" if CYRILLIC.search(text) else "en" for text in mail["text"].split(_BETWEEN)]
        language, links = "both" if words == ["ru", "en"] else "/".join(words), _LINK.findall(mail["text"])
        check.that(links == [links[0], _CHOICES] * len(words), f"a mail to {mail['to']} leads to {links}")
        is_told = (language, mail["subject"]) in titles
        check.that(is_told, f"a mail to {mail['to']} says «{mail['subject']}», no webhook does")
        mails[mail["to"], links[0], language] += 1
    if _REPEATED & set(case.story.header.get("faults", ())):
        mails = Counter({row: min(count, due_mails[row] or count) for row, count in mails.items()})
        requests = Counter({row: min(count, due_requests[row] or count) for row, count in requests.items()})
    check.look(*_otherwise("mails", mails, due_mails), *_otherwise("requests to webhooks", requests, due_requests))


def _events(case: Case) -> Iterator[Event]:
    """Yield the events of the acts that were answered with success."""
    for call in case.story.calls:
        if call.status not in {200, 201} or call.method != "POST":
            continue
        if "tells" in call.means:
            yield Event(call, str(call.means["kind"]), str(call.means["link"]), call.means["tells"])
        for path, place, value, kind, link, whom in _ACTS:
            is_act = re.fullmatch(f"/v1/{path}", str(call.path)) and re.fullmatch(
                value, str(value_at(call.said, place))
            )
            if is_act:
                one = str(call.said["team_id"]) if whom == _TEAM else _ORGANIZERS
                yield Event(call, kind, link, None if whom == _ALL else [one])


def _otherwise(name: str, there: Counter[Json], due: Counter[Json]) -> Iterator[str]:
    for rows, words in ((there - due, "which nobody is due"), (due - there, "which were not sent")):
        for row, count in rows.items():
            yield f"{count} {name} {json.dumps(row, ensure_ascii=False)}, {words}"
