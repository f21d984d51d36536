"""Whose totals over a hidden set are withheld, and the notes on those that were told (T10)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
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


def withheld(platform: Platform, session: Session, known: Known, *, notes: bool = False) -> Reason | None:
    """Return why no totals are told of a closed session, or None; a run is played once, and has no other beside it.

    ``notes``: keep what it answered, before its totals are told, so that a later one must differ from it enough.

    Clause: TS T10
    """
    track = reading.track_of(platform, session)
    if session.run_id is not None or not hidden_sets.tells_totals(track, session.set_kind):
        return None
    least = reading.parameters(platform, session.parameters_version).least_hidden_items
    answers = answers_of(platform, session, known)
    return _decided(
        platform, session, answers, lambda earlier: hidden_sets.withheld(answers, earlier, least), notes=notes
    )


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
    """Return why no totals are told of a submission's answers, or None; then they are noted.

    Clause: TS T10
    """
    return _decided(platform, found, answers, lambda earlier: hidden_sets.withheld(answers, earlier, least))


def withheld_of_tests(platform: Platform, found: Submission, tests: Mapping[str, Answers], least: int) -> Reason | None:
    """Return why no totals are told of a program's answers to the requests of tests, or None; then they are noted.

    Clause: TS T10
    """

    def decided(earlier: Sequence[Earlier]) -> Reason | None:
        of_tests = ((each.name, each.answers) for each in earlier)
        return hidden_sets.withheld_of_tests(
            tests, cast("Iterator[tuple[str, Mapping[str, Answers]]]", of_tests), least
        )

    return _decided(platform, found, tests, decided)


def _decided(
    platform: Platform,
    answered: Session | Submission,
    answers: Answers | Mapping[str, Answers],
    decide: Callable[[Sequence[Earlier]], Reason | None],
    *,
    notes: bool = True,
) -> Reason | None:
    """Return why nothing is told beside all that the team was told before, or None; ``notes``: and note the answers.

    Notes are numbered, and each is written on condition that its number is free: of two results that end at one moment
    the one that comes second is compared with the first. **Decision**: the folder goes by the set's name, whatever the
    set holds: were it by its content, a set loaded anew with one reference corrected would know of no earlier answers,
    and a team could ask for item after item once more. O(notes · items).
    """
    own = answered.session_id if isinstance(answered, Session) else answered.submission_id
    folder = stored_names.hidden_answers_folder(answered.cycle, answered.order.set_name, answered.team_id)
    earlier = dict[str, Earlier]()
    while True:
        names = [each for each in sorted(platform.blobs.names(folder)) if each not in earlier]
        for first in range(0, len(names), _AT_ONCE):
            for name, content in platform.blobs.get_all(names[first : first + _AT_ONCE]).items():
                noted = json.loads(content)
                earlier[name] = Earlier(noted["name"], noted["answers"])
        if any(each.name == own for each in earlier.values()):
            return None
        reason = decide([earlier[name] for name in sorted(earlier)])
        if reason is not None or not notes:
            return reason
        note = {"name": own, "answers": dict(sorted(answers.items()))}
        number = 1 + max(map(stored_names.number_of_hidden_answers, earlier), default=0)
        platform.blobs.put_if_absent(stored_names.hidden_answers_name(folder, number), canonical(note))
