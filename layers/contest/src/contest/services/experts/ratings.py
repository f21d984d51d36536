"""Experts' ratings of explanations, as they are taken in to score a final's answers (R-App1 M7, platform §5)."""

from __future__ import annotations

from typing import Any

from contest import stored_names
from contest.domain.canonical import canonical, sha256_hex
from contest.domain.cycle.cycle import Mode
from contest.domain.experts.marking import markups
from contest.domain.experts.progress import progress
from contest.domain.run.run import Run
from contest.services import reading
from contest.services.experts import looking
from contest.services.experts.assigning import ratings_of
from contest.services.platform import Platform


def take_in(platform: Platform, run: Run) -> str:
    """Store all ratings of a run's answers that experts have handed in; their SHA-256, empty without any.

    A rating that is handed in later is in what is taken in next.

    Clause: platform §5 ratings
    """
    found: dict[str, Any] = {}
    for _, session_id in platform.runs.sessions_of(run.run_id):
        if platform.experts.marking(ratings_of(session_id)) is not None:
            found |= _of_session(platform, session_id)
    if not found:
        return ""
    content = canonical({"format": 1, "ratings": found})
    digest = sha256_hex(content)
    platform.blobs.put_if_absent(stored_names.run_ratings_name(run.run_id, digest), content)
    return digest


def take_in_session(platform: Platform, session_id: str) -> bool:
    """Store the ratings of a closed qualification's session once experts are done with all of them; whether it did now.

    From then on its answers can be scored, and nothing of it changes any more: the same facts make the same scores.

    Clause: platform §5 ratings, R-App1 M7
    """
    session = reading.session(platform, session_id)
    if session is None or session.is_open or session.order.mode == Mode.FINAL:
        return False
    marking_id, name = ratings_of(session_id), stored_names.session_ratings_name(session_id)
    if not reading.weighs_ratings(platform, session) or platform.experts.marking(marking_id) is None:
        return False
    essays = platform.experts.essays(marking_id)
    given = looking.given_in(platform, essays, platform.clock.now())
    if not essays or not all(each.is_done for each in progress(essays, given).essays) or platform.blobs.names(name):
        return False
    found = _of_session(platform, session_id)
    platform.blobs.put_if_absent(name, canonical({"format": 1, "ratings": found}))
    return True


def _of_session(platform: Platform, session_id: str) -> dict[str, Any]:
    marking_id = ratings_of(session_id)
    at, essays = looking.bench(platform, marking_id), platform.experts.essays(marking_id)
    given = looking.given_in(platform, essays, platform.clock.now())
    told = {}
    for essay in essays:
        raters = [looking.markup(platform, at, essay, each) for each in markups(given[essay.item_id])]
        if raters and essay.answer is not None:
            told[reading.rated_name(*essay.answer)] = _by_explanation(raters)
    return told


def _by_explanation(raters: list[Any]) -> dict[str, list[Any]]:
    """Every explanation with one list of yes and no per expert."""
    return {name: [each[name] for each in raters] for name in raters[0]}
