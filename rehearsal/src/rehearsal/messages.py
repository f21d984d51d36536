"""Names that a rehearsal shows in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

TEXTS: Final[Mapping[str, str]] = {
    "act.settling": "The results are made",
    "act.publishing": "The results are published",
    "act.looking_around": "Teams look at results, theirs and others'",
    "act.reading": "Everybody reads what there is to be read",
    "act.people": "Tokens are revoked, people suspended and dismissed, boards hidden",
    "act.qualification": "Teams qualify and are admitted",
    "act.other_runs": "Runs beside the final: a trial, one begun anew",
    "act.real_time": "Sessions in real time",
    "act.latency": "A trial with a slow network",
    "act.experts": "Experts mark up a run's answers",
    "act.attack": "A team tries to read out the hidden test set",
    "act.writing_down": "All that the platform holds is written down",
    "act.checking": "The checks",
    "fate.answered": "answered in time",
    "fate.team_late": "annulled: the team was late",
    "fate.team_invalid": "annulled: nothing valid came",
    "fate.network": "annulled: the team's connection was down",
    "fate.platform": "annulled: the platform's fault",
    "fate.organizer_decision": "annulled by the organizers",
    "promise.opened": "No file, and no word of it, is out before its opening",
    "promise.committed": "Files, order and times are those that were committed to",
    "promise.kept": "Nothing that was acknowledged is lost",
    "promise.deadlines": "Nothing late is accepted, nothing in time is refused",
    "promise.no_cost": "No fault of the platform costs a team a file or its time",
    "promise.hidden": "Nobody sees what is another's or hidden",
    "promise.limits": "Everybody has the same sessions, requests and submissions",
    "promise.admitted": "Teams qualify and are admitted by the rules",
    "promise.decided": "Organizers' decisions hold for everybody as they were taken",
    "promise.experts": "Experts mark up independently, and their markups count",
    "promise.scored": "Every answer that counts is scored once, against its own references",
    "promise.results": "Boards, reports and archive follow from what was played",
    "injected.stalled": "the platform slow for seconds",
    "injected.killed": "a process killed at a write",
    "injected.record_lost": "an answer's record on the stream lost for good",
    "injected.job_lost": "an answer's message in the queue lost for good",
    "injected.push_lost": "the pushes of a file over the event channel lost for good",
    "injected.step_lost": "a step towards record or board lost for good",
    "injected.crowd": "a crowd without good tokens at an opening",
    "injected.events": "events duplicated, delayed or dropped at random",
}


def sentence(name: str) -> str:
    """Return the text of a name; where there is none, its last part as words."""
    return TEXTS.get(name) or name.rpartition(".")[2].replace("_", " ")
