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
    earlier = _earlier(platform, session.manifest, session.team_id, session.session_id)
    return hidden_sets.withheld(answers_of(platform, session, known), earlier, rules.least_hidden_items)


def note(platform: Platform, session: Session, known: Known) -> None:
    """Keep what a session answered, before its totals are told: a later one must differ from it enough."""
    track = reading.track_of(platform, session)
    if session.run_id is None and hidden_sets.tells_totals(track, session.set_kind):
        note_answers(
            platform, session.manifest, session.team_id, session.session_id, answers_of(platform, session, known)
        )


def answers_of(platform: Platform, session: Session, known: Known) -> Answers:
    """Return digests of a session's counting answers by item; of several files of an item all of them together."""
    sent = {each.number: each.answer.content_sha256 for each in known.deliveries if each.answer is not None}
    plan = reading.plan(platform, session)
    found = {
        plan[item.number - 1].item_id: [sent[number] for number in item.numbers if number in sent]
        for item in items_of(plan)
    }
    return {name: sha256_hex("".join(each).encode())[:16] for name, each in found.items() if each}


def withheld_of(
    platform: Platform, manifest: str, team_id: str, name: str, answers: Answers, least: int
) -> Reason | None:
    """Return why no totals are told of a submission's answers, or None."""
    return hidden_sets.withheld(answers, _earlier(platform, manifest, team_id, name), least)


def withheld_of_tests(
    platform: Platform, manifest: str, team_id: str, name: str, tests: Mapping[str, Answers], least: int
) -> Reason | None:
    """Return why no totals are told of a program's answers to the requests of tests, or None."""
    earlier = ((each.name, each.answers) for each in _earlier(platform, manifest, team_id, name))
    return hidden_sets.withheld_of_tests(tests, cast("Iterator[tuple[str, Mapping[str, Answers]]]", earlier), least)


def note_answers(
    platform: Platform, manifest: str, team_id: str, name: str, answers: Answers | Mapping[str, Answers]
) -> None:
    """Keep what a session or submission answered to a hidden set."""
    kept = stored_names.hidden_answers_name(manifest, team_id, name)
    platform.blobs.put_if_absent(kept, canonical(dict(sorted(answers.items()))))


def _earlier(platform: Platform, manifest: str, team_id: str, but: str) -> Iterator[Earlier]:
    """Yield what else of the team's was told totals over the set. O(sessions · items), a few in memory at a time."""
    names = platform.blobs.names(stored_names.hidden_answers_folder(manifest, team_id))
    own = stored_names.hidden_answers_name(manifest, team_id, but)
    others = sorted(each for each in names if each != own)
    for first in range(0, len(others), _AT_ONCE):
        for name, content in sorted(platform.blobs.get_all(others[first : first + _AT_ONCE]).items()):
            yield Earlier(name.rpartition("/")[2].removesuffix(".json"), json.loads(content))
