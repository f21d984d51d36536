"""Conversion of what everybody may read to bodies: runs, cycle, classifier, keys, texts of the notation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from contest.cycle.rules.cycle import Cycle
from contest.cycle.wire import sets
from contest.exchange.files import MAX_ANSWER
from contest.results.rules.leaderboard import End
from contest.run.rules.keys import ValidKey
from contest.run.watching import Current, Promised
from contest.run.wire import public
from contest.run.wire.statements import RunBody, RunsBody, run_body
from contest.session.access import MAX_LOG
from contest.values import Millis, iso
from tracks.protocol import Verdict, Written


def runs(promises: Sequence[Promised], now: Millis) -> RunsBody:
    """Return runs with their signed statements."""
    return RunsBody(runs=[run(promised, now) for promised in promises], server_time=iso(now))


def run(promised: Promised, now: Millis) -> RunBody:
    """Return a run with its signed statements."""
    return run_body(promised.schedule, promised.commitment, promised.roster, now)


def cycle(current: Current, end: End | None, now: Millis) -> public.CycleBody:
    """Return the cycle, with the end of the contest if it has one."""
    return public.cycle_body(*current, end, (MAX_ANSWER, MAX_LOG), now)


def classifier(classified: tuple[Cycle, Any]) -> public.ClassifierBody:
    """Return the codes of the cycle."""
    return public.classifier_body(*classified)


def parsed(reading: tuple[str, Verdict]) -> sets.ParsedBody:
    """Return the reading of a text."""
    return sets.parsed_body(*reading)


def rendered(text: Written) -> sets.RenderedBody:
    """Return the text written for an answer."""
    return sets.rendered_body(text)


def keys(valid: Iterable[ValidKey]) -> public.KeysBody:
    """Return the receipts' keys, the earlier ones first."""
    return public.keys_body(valid)
