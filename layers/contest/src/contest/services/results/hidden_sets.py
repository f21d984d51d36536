"""Whose totals over a hidden set are withheld, and the notes on those that were told (T10)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Final, cast

from contest import stored_names
from contest.domain.canonical import canonical, sha256_hex
from contest.domain.results import hidden_sets
from contest.domain.results.hidden_sets import Answers, Earlier
from contest.domain.session.items import items_of
from contest.domain.session.session import Session
from contest.domain.submissions.submission import Submission
from contest.services import reading
from contest.services.platform import Platform
from contest.services.session.facts import Known
from tracks.protocol import Reason

_AT_ONCE: Final = 16
"""Notes read together: one of a program over thousands of requests has half a megabyte."""


def withheld(platform: Platform, session: Session, known: Known) -> Reason | None:
    """Return why no totals are told of a closed session, or None; a run is played once, and has no other beside it.

    Clause: TS T10
    """
    track = reading.track_of(platform, session)
    if session.run_id is not None or not hidden_sets.tells_totals(track, session.set_kind):
        return None
    rules = reading.parameters(platform, session.parameters_version)
    answers = answers_of(platform, session, known)
    return hidden_sets.withheld(answers, _earlier(platform, session), rules.least_hidden_items)


def note(platform: Platform, session: Session, known: Known) -> None:
    """Keep what a session answered, before its totals are told: a later one must differ from it enough."""
    track = reading.track_of(platform, session)
    if session.run_id is None and hidden_sets.tells_totals(track, session.set_kind):
        note_answers(platform, session, answers_of(platform, session, known))


def answers_of(platform: Platform, session: Session, known: Known) -> Answers:
    """Return digests of a session's counting answers by item, as a file of the same answers has them; of several files
    of an item all of them together."""
    sent = {each.number: each.answer.content_sha256 for each in known.deliveries if each.answer is not None}
    plan = reading.plan(platform, session)
    found = {
        plan[item.number - 1].item_id: [sent[number] for number in item.numbers if number in sent]
        for item in items_of(plan)
    }
    return {
        name: (each[0] if len(each) == 1 else sha256_hex("".join(each).encode()))[:16]
        for name, each in found.items()
        if each
    }


def withheld_of(platform: Platform, found: Submission, answers: Answers, least: int) -> Reason | None:
    """Return why no totals are told of a submission's answers, or None."""
    return hidden_sets.withheld(answers, _earlier(platform, found), least)


def withheld_of_tests(platform: Platform, found: Submission, tests: Mapping[str, Answers], least: int) -> Reason | None:
    """Return why no totals are told of a program's answers to the requests of tests, or None."""
    earlier = ((each.name, each.answers) for each in _earlier(platform, found))
    return hidden_sets.withheld_of_tests(tests, cast("Iterator[tuple[str, Mapping[str, Answers]]]", earlier), least)


def note_answers(platform: Platform, answered: Session | Submission, answers: Answers | Mapping[str, Answers]) -> None:
    """Keep what a session or submission answered to a hidden set."""
    platform.blobs.put_if_absent(_note_of(answered), canonical(dict(sorted(answers.items()))))


def _note_of(answered: Session | Submission) -> str:
    """Return the name of the note on a session or submission.

    **Decision**: it goes by the set's name, whatever the set holds: were it by its content, a set loaded anew with one
    reference corrected would know of no earlier answers, and a team could ask for item after item once more.
    """
    name = answered.session_id if isinstance(answered, Session) else answered.submission_id
    return stored_names.hidden_answers_name(answered.cycle, answered.order.set_name, answered.team_id, name)


def _earlier(platform: Platform, answered: Session | Submission) -> Iterator[Earlier]:
    """Yield what else of the team's was told totals over the set. O(sessions · items), a few in memory at a time."""
    folder = stored_names.hidden_answers_folder(answered.cycle, answered.order.set_name, answered.team_id)
    own = _note_of(answered)
    others = sorted(each for each in platform.blobs.names(folder) if each != own)
    for first in range(0, len(others), _AT_ONCE):
        for name, content in sorted(platform.blobs.get_all(others[first : first + _AT_ONCE]).items()):
            yield Earlier(name.rpartition("/")[2].removesuffix(".json"), json.loads(content))
