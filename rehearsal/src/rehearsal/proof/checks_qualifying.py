"""Checks around the final: readiness, admission, entries, trials, runs begun anew, the platform's own latency.

Each request has the answer that the rules give to it; here the answers are held against that, and against the library.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from markup_core.record import score_of
from markup_core.sample import accuracies
from rehearsal.history import QUALIFYING, Call
from rehearsal.moments import MINUTE, SECOND, Millis, from_text, to_text
from rehearsal.proof.audit import acts, log_otherwise, people_of
from rehearsal.proof.case import ESSAYS_ALONE, Case, Check, look_as_meant, tries
from rehearsal.proof.checks_results import Results, moved_otherwise, placed

Json = Any
_WHOLE_SHARE: Final = 0.95
"""Of the test set so much has to be answered for an entry (R 6.10)."""
_BARRIER: Final = 100.0
_LEAST_TOLD: Final = 10
"""Of fewer hidden essays no total is told."""
_MUCH: Final = 5.0
"""Percents of a difference that a board flags."""
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
    """What a session over the test set gives: ``accuracy`` is its relative accuracy, ``missed`` are its own files that
    were not answered."""

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
    if value is None or essays < _LEAST_TOLD:
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
