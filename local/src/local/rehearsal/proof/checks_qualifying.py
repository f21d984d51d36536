"""The checks of what is played around the final: who is ready and admitted, whose entry counts, trials, failures,
runs that are begun anew.

Each request says what the rules answer to it; here the answers are held against that, and against the library.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from local.rehearsal.history import QUALIFYING, Call
from local.rehearsal.moments import MINUTE, Millis, from_text, to_text
from local.rehearsal.proof.case import Case, Check
from local.rehearsal.proof.checks_results import Library, other_history, parameters_of, placed
from markup_core.receipt import canonical_json
from markup_core.record import score_of
from markup_core.sample import summarise

Json = Any
_WHOLE_SHARE: Final = 0.95
"""Of the test set so much has to be answered for an entry (R 6.10)."""
_ROUNDED, _BARRIER = 99.5, 100.0
"""Results from here on, and under the barrier, overcome it for whoever rounds first."""
_LEAST_TOLD: Final = 10
"""Of fewer hidden essays no total is told."""
_MUCH: Final = 5.0
"""Percents of a difference that a board flags."""
_USE_NOTED_EVERY: Final[Millis] = 10 * MINUTE
_ABSENT: Final = object()
_JOINED: Final = ("technical", "trial", "admitted", "restart")
"""Names of requests by which teams join runs."""
_DONE: Final = 200


def ready(case: Case) -> Check:
    """Sessions of the qualification go as they are played, and their reports conclude as the rules do: ready with 95 %
    of at least as many files as the cycle says answered, in a technical run with at most 5 % annulled (R 6.5.4, 6.7.4).
    """
    return answered_as_meant(case, "readiness_concluded", "session", "technical", "file", "answer", "readiness")


def steps(case: Case) -> Check:
    """Judges confirm, then the commission verifies, then the organizers admit, nobody else and in no other order; a
    team has qualified with a conclusion of each kind; each step is in the log with who took it (R 6.9, 8.2). When a
    team's program was there last is told to ten minutes (platform §1)."""
    check = answered_as_meant(case, "admitted_by_steps", "steps", "standings", "audit", "admitted", "team", "tokens")
    for call in _of(case, "standings"):
        told = {each["team_id"]: each["qualified"] for each in call.said.get("teams", ())}
        team, wanted = call.means["team"], call.means["qualified"]
        right = told.get(team, False) == wanted
        check.look(None if right else f"{_where(call)}: {team} is told as qualified: {told.get(team)}")
    for call in _of(case, "tokens"):
        check.look(_used_otherwise(case, call))
    for call in _of(case, "audit"):
        check.look(*_unrecorded(case, call))
    return check


def _used_otherwise(case: Case, call: Call) -> str | None:
    """Whether a token's last use is told otherwise than it was, to ten minutes."""
    team = call.means["whose"]
    asked = [each for each in case.story.calls if each.team == team and each.n < call.n and not each.failed]
    last = max((each.done_at for each in asked), default=0)
    told = [from_text(each["used_at"]) for each in call.said.get("tokens", ()) if each["used_at"]]
    if told and last - _USE_NOTED_EVERY <= max(told) <= last:
        return None
    shown = to_text(max(told)) if told else "never"
    return f"{_where(call)}: the token of {team} was used at {to_text(last)}, told is {shown}"


def _unrecorded(case: Case, call: Call) -> Iterator[str]:
    """Steps that people took and of which the log does not tell who took them, about whom, in their order."""
    changes = call.said.get("changes", ())
    made = [(each["after"], each["subject"]) for each in changes if isinstance(each["after"], dict)]
    invited = {after["email"]: subject for after, subject in made if {"email", "role"} <= after.keys()}
    if len({invited.get(name) for name in call.means["people"]} - {None}) != len(call.means["people"]):
        yield f"{_where(call)}: the log does not tell of each of the staff"
    told = [(each["who"], each["subject"]) for each in changes]
    for step in (each for each in _of(case, "steps") if each.status == _DONE and each.team in call.means["people"]):
        wanted = (f"person:{invited.get(step.team)}", str(step.path).split("/")[3])
        if wanted not in told:
            yield f"{_where(step)}: {step.path} by {step.team} is not in the log, or not in its turn"
            continue
        del told[: told.index(wanted) + 1]


def best_entry(case: Case) -> Check:
    """The qualification board has one entry of each team that answered enough of the whole test set: its best, by the
    library, from the answers that were acknowledged (R 6.10)."""
    check, best = Check("one_entry_each"), dict[str, _Claim]()
    for claim in _claims(case):
        check.look(None if claim.accuracy is not None else f"{claim.team}: a session without a result")
        known = best.get(claim.team)
        better = known is None or (claim.accuracy or 0.0) > (known.accuracy or 0.0)
        if better and claim.answered >= _WHOLE_SHARE * claim.whole:
            best[claim.team] = claim
    if not check.examined:
        return check
    rows = case.facts.answers["qualification_board"]["rows"]
    shown = [(row["place"], row["team_id"], row["value"]) for row in rows]
    exact = placed([(each.team, each.accuracy) for each in best.values()])
    expected = [(place, team, _coarse(value, best[team].answered)) for place, team, value in exact]
    check.look(None if shown == expected else f"the qualification board shows {shown}, the replay gives {expected}")
    check.look(*other_history(case, "qualification_history", [(place, team) for place, team, _ in shown]))
    check.look(*_noted_otherwise(case))
    check.look(*_unplayed(best.values()))
    for row in rows:
        entry = best.get(row["team_id"])
        if entry is not None and row["barrier"] != ((entry.accuracy or 0.0) >= _BARRIER):
            check.look(f"{entry.team}: the board says barrier {row['barrier']} of {entry.accuracy}")
        if entry is not None and (row["answered"], row["files"]) != (entry.answered, entry.whole):
            check.look(f"{entry.team}: the board says {row['answered']} of {row['files']}, it is {entry.answered}")
        if entry is not None:
            told = (row["audit"]["relative_accuracy"], row["audit"]["flagged"])
            other = f"{entry.team}: the audit tells {told}, with missed files as zeros it is {entry.audit}"
            check.look(None if told == entry.audit else other)
    return check


def _noted_otherwise(case: Case) -> Iterator[str]:
    """Looks at a part of the board and its history at one moment, when nobody but the timer had made anything since the
    timer's visit, that show other places (platform §4 boards)."""
    done = {name: [call for call in _of(case, name) if call.status == _DONE] for name in ("places", "history")}
    histories = {(call.sent_at, call.means["part"]): call.said["points"] for call in done["history"]}
    looks = [call for call in done["places"] if (call.sent_at, call.means["part"]) in histories]
    if not any(call.said["rows"] for call in looks):
        yield "no board with places was looked at together with its history"
    for call in looks:
        shown, points = _places(call.said["rows"]), histories[call.sent_at, call.means["part"]]
        noted = _places(points[0]["places"]) if points else []
        if noted != shown:
            yield f"{_where(call)}: the board shows {shown}, its history {noted} as the latest"


def _places(rows: Iterable[Mapping[str, Json]]) -> list[tuple[int, str, float]]:
    return [(row["place"], row["team_id"], row["value"]) for row in rows]


def _unplayed(best: Iterable[_Claim]) -> Iterator[str]:
    """What was to be played and did not come about: two equal results, and one that is rounded to the barrier."""
    values = [each.accuracy for each in best]
    if len(set(values)) == len(values):
        yield "no two teams have equal results, so that none shares a place"
    if not any(value is not None and _ROUNDED <= value < _BARRIER for value in values):
        yield "no result is just under the barrier"


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
        """The accuracy with missed files as zeros, and whether that differs much (platform §4, Abstention audit)."""
        if self.accuracy is None or not self.missed:
            return _coarse(self.accuracy, self.answered), False
        audited = self.accuracy * self.answered / (self.answered + self.missed)
        return _coarse(audited, self.answered), self.accuracy - audited > _MUCH


def _coarse(value: float | None, essays: int) -> float | None:
    """Return a total of a hidden set as the board may tell it: a step is an essay's per cent or more, and what is below
    the barrier reads so (R 2.7, R 6.5.3); None for fewer than ten essays."""
    if value is None or essays < _LEAST_TOLD:
        return None
    steps = int(10 ** (len(str(essays)) - 1))
    told = math.floor(Fraction(str(value)) * steps + Fraction(1, 2))
    return (told - 1 if value < _BARRIER <= told / steps else told) / steps


def _claims(case: Case) -> Iterator[_Claim]:
    library, rules = Library.of(case), parameters_of(case)
    languages = {subject: language for language, each in rules["track"]["languages"].items() for subject in each}
    whole = max((int(call.means["says"]["files"]) for call in _of(case, "session")), default=0)
    for opened in _of(case, "session"):
        session_id, scores = str(opened.said.get("session_id")), []
        for call in _of(case, "answer"):
            if f"/{session_id}/" in str(call.path) and call.said.get("receipt", {}).get("status") == "accepted":
                name = f"answers/{session_id}/{call.number}/{call.means['digest']}.json"
                _, text = case.facts.objects[name]
                scores.append(score_of(json.loads(library.made_of(str(text)))))
        found = json.loads(canonical_json(summarise(scores, rules["bootstrap_seed"], languages).to_dict()))
        missed = int(opened.means["says"]["files"]) - len(scores)
        yield _Claim(opened.team, whole, len(scores), missed, found["relative_accuracy"])


def trial(case: Case) -> Check:
    """A trial says that it is one, in its commitment too, may draw from any set, takes those that it was planned for,
    and stands on no board when its results are out (D 6.9)."""
    return answered_as_meant(case, "trial_apart", "trial")


def failure(case: Case) -> Check:
    """Three files that everybody missed are proposed to the commission, two are not; the decision that agrees replaces
    exactly these, once, and they count for nobody (D 1.7, 8.12)."""
    return answered_as_meant(case, "failure_proposed", "failure")


def anew(case: Case) -> Check:
    """A run that is begun anew hands out files of the reserve set that nobody has seen, as a replacement does, and no
    other run hands out any; the stopped one hands out nothing more, and has no results (R 7.16, 7.16.3)."""
    check = answered_as_meant(case, "begun_anew", "restart")
    own = case.schedule.files
    seen = {text for call in case.story.calls if not call.what.startswith(QUALIFYING) for text in call.texts}
    kinds = {str(call.said.get("session_id")): call.means for call in _of(case, *_JOINED) if "run" in call.means}
    fresh: dict[int, tuple[str, int]] = {}
    for call in _of(case, "file"):
        means = kinds.get(str(call.path).split("/")[3])
        if means is None or call.status != _DONE:
            check.look(f"{_where(call)}: has a text of the final or the reserve" if call.texts else None)
            continue
        reserve = [text for text in call.texts if text > own]
        if means["run"] == "anew" or (means["run"] == "trial" and (call.number or 0) > means["files"]):
            place = (means["run"], call.number or 0)
            right = len(reserve) == 1 and reserve[0] not in seen and fresh.setdefault(reserve[0], place) == place
            check.look(None if right else f"{_where(call)}: file {call.number} is no fresh one of the reserve")
        else:
            check.look(f"{_where(call)}: file {call.number} is one of the reserve" if reserve else None)
    for call in _of(case, "restart"):
        if call.means.get("of_none"):
            check.look(f"{_where(call)}: the stopped run hands out a text" if call.texts else None)
    return check


def answered_as_meant(case: Case, name: str, *what: str) -> Check:
    """A check of all calls of these names: each is answered with one of the codes, and says what, the rules give."""
    check = Check(name)
    for call in _of(case, *what):
        check.look(*_otherwise(call))
    return check


def _of(case: Case, *names: str) -> Sequence[Call]:
    """Calls of these names that the platform did not fail."""
    wanted = {f"{QUALIFYING}{name}" for name in names}
    return [call for call in case.story.calls if call.what in wanted and not call.failed]


def _where(call: Call) -> str:
    return f"{call.team}, call {call.n}"


def _otherwise(call: Call) -> Iterator[str]:
    """What of an answer is another thing than the rules give."""
    if call.status not in call.means["status"]:
        wanted = ", ".join(str(each) for each in call.means["status"])
        yield f"{_where(call)}: {call.path} is answered {call.status} ({call.code}), by the rules {wanted}"
        return
    rows = {each["team_id"] for each in call.said.get("rows", ())}
    for team in sorted(rows & set(call.means.get("absent", ()))):
        yield f"{_where(call)}: {team} stands on {call.path}"
    for place, wanted in call.means["says"].items():
        told = _at(call.said, place)
        if told is _ABSENT or told != wanted:
            yield f"{_where(call)}: {call.path} tells {place} as {None if told is _ABSENT else told}, not {wanted}"


def _at(said: Mapping[str, Json], place: str) -> Json:
    """The value at a place such as ``rows.0.team_id``."""
    found: Json = said
    for part in place.split("."):
        if isinstance(found, Mapping):
            found = found.get(part, _ABSENT)
        elif isinstance(found, Sequence) and not isinstance(found, str) and part.isdigit() and int(part) < len(found):
            found = found[int(part)]
        else:
            return _ABSENT
    return found
