"""Whose totals over a hidden set are withheld, and the notes on those that were told (T10).

A team's notes on a set are numbered: each is written on condition that its number is free, after a look at all before
it, so that of two results that end at one moment the second is compared with the first.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from contest import stored_names
from contest.domain.canonical import canonical
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
"""Notes or answers read together: a note of a program over thousands of requests has a megabyte."""


@dataclass(frozen=True, slots=True)
class Telling:
    """Say why totals over a hidden set are withheld, or why their breakdowns are left out; None where they are not."""

    withheld: Reason | None = None
    left_out: Reason | None = None


EVERYTHING: Final = Telling()


def of_session(platform: Platform, session: Session, known: Known, *, decides: bool) -> Telling:
    """Return what is told of a closed session; ``decides``: note it before it is told, where anything is. A run is
    played once, and has no other beside it.

    Clause: TS T10
    """
    track = reading.track_of(platform, session)
    if session.run_id is not None or not hidden_sets.tells_totals(track, session.set_kind):
        return EVERYTHING

    def answers() -> Answers:
        return _of_session(platform, session, known)

    return _told(platform, session, session.manifest, answers, decides=decides)


def of_submission(
    platform: Platform, found: Submission, answers: Callable[[], Answers], *, decides: bool = True
) -> Telling:
    """Return what is told of a submission; ``decides`` as of a session's.

    Clause: TS T10
    """
    state = f"{found.order.manifest} {found.run}"
    return _told(platform, found, state, answers, decides=decides)


def _of_session(platform: Platform, session: Session, known: Known) -> Answers:
    """Return what totals take of a session's answers, those of missed files among them.

    O(files), read together: one after the other a thousand would take longer than a request may.
    """
    track, rules = reading.track_of(platform, session), reading.parameters(platform, session.parameters_version).track
    plan = reading.plan(platform, session)
    sent = {file.number: file.answer.content_sha256 for file in known.deliveries if file.answer is not None}
    stored = {number: stored_names.answer_name(session.session_id, number, sent[number]) for number in sent}
    items = {row.number: reading.item_of(platform, session, plan[row.number - 1]) for row in items_of(plan)}
    asked = {number: stored_names.blob_names(session.cycle, "items", item.content) for number, item in items.items()}
    bodies = _read(platform, sorted({*stored.values(), *asked.values()}))
    by_number = {number: json.loads(bodies[name]) for number, name in stored.items()}

    def requests() -> Iterator[tuple[str, str, Mapping[str, hidden_sets.Request]]]:
        for number, item in items.items():
            content = json.loads(bodies[asked[number]])
            requests_of_item = hidden_sets.counted(track, content, by_number.get(number), item.references, rules)
            yield item.item_id, item.language, requests_of_item

    return hidden_sets.answers_of(requests(), len(by_number))


def _told(
    platform: Platform,
    answered: Session | Submission,
    state: str,
    answers: Callable[[], Answers],
    *,
    decides: bool,
) -> Telling:
    """Compare answers with all that was told of the set before, and note them under the next free number.

    Whose number was taken meanwhile looks again.
    """
    least = reading.parameters(platform, answered.parameters_version).least_hidden_items
    folder = stored_names.hidden_answers_folder(answered.cycle, answered.order.set_name, answered.team_id)
    own, notes, compared = _name(answered), dict[str, tuple[Earlier, str]](), None
    while True:
        names = [name for name in sorted(platform.blobs.names(folder)) if name not in notes]
        notes |= {name: hidden_sets.read_note(body) for name, body in _read(platform, names).items()}
        for earlier, under in notes.values():
            if (earlier.name, under) == (own, state):
                return EVERYTHING if earlier.breakdowns else Telling(left_out=hidden_sets.left_out(least))
        compared = answers() if compared is None else compared
        before = [earlier for earlier, _ in notes.values()]
        if (reason := hidden_sets.withheld(compared, before, least)) is not None:
            return Telling(reason)
        bare = hidden_sets.without_breakdowns(compared, before, least)
        if not decides:
            return Telling(left_out=hidden_sets.left_out(least)) if bare else EVERYTHING
        note = hidden_sets.note_json(own, state, compared, breakdowns=not bare)
        number = 1 + max(map(stored_names.number_of_hidden_answers, notes), default=0)
        platform.blobs.put_if_absent(stored_names.hidden_answers_name(folder, number), canonical(note))


def _name(answered: Session | Submission) -> str:
    return answered.session_id if isinstance(answered, Session) else answered.submission_id


def _read(platform: Platform, names: list[str]) -> dict[str, bytes]:
    contents = dict[str, Any]()
    for first in range(0, len(names), _AT_ONCE):
        contents |= platform.blobs.get_all(names[first : first + _AT_ONCE])
    return contents
