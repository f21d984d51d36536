"""The checker is itself checked: each bug planted in the platform turns a small rehearsal red, for the right reason.

Which faults are injected is what brings the bug out; without the bug the same rehearsals are green. The gate plays a
fixed part of them, ``make bugs`` all.
"""

from __future__ import annotations

import os

import pytest

from local.rehearsal.final import Outcome, rehearse
from local.rehearsal.harm.bugs import BUGS
from local.rehearsal.history import STRANGERS, History
from local.rehearsal.play.injections import Fault, faults_named
from local.rehearsal.wanted import Settings

pytestmark = pytest.mark.integration

FOUND_BY = {
    "acknowledge-before-storing": ("none", 0.0, "acknowledged_kept"),
    "accept-late": ("slow", 0.9, "late_not_accepted"),
    "refuse-the-last-moment": ("slow", 0.9, "on_time_not_refused"),
    "drop-the-original": ("resends", 0.2, "acknowledged_kept"),
    "open-early": ("clocks", 0.5, "nothing_early"),
    "count-a-platform-fault": ("kills", 0.3, "causes_by_the_rules"),
    "two-winners": ("duplicates", 0.9, "one_winner"),
    "lose-an-outbox-record": ("none", 0.0, "nothing_stuck"),
    "score-twice": ("none", 0.0, "scored_once"),
    "take-twelve-sends": ("resends", 0.2, "ten_sends"),
    "hand-out-another-file": ("none", 0.0, "files_as_committed"),
    "forget-who-comes-back": ("disconnects", 0.9, "channel_kept"),
    "forget-lost-jobs": ("losses", 0.9, "nothing_stuck"),
    "forget-lost-steps": ("losses", 0.9, "nothing_stuck"),
    "remember-strangers": ("crowd", 0.0, "strangers_kept_out"),
    "let-nobody-join": ("none", 0.0, "causes_by_the_rules"),
    "push-nothing": ("none", 0.0, "channel_kept"),
    "call-misses-decisions": ("slow", 0.9, "causes_by_the_rules"),
    "swap-the-names": ("none", 0.0, "replay_agrees"),
    "favour-one-team": ("prying", 0.0, "not_yet_told"),
    "score-against-others-markups": ("none", 0.0, "scored_once"),
    "show-others-sessions": ("prying", 0.0, "others_kept"),
    "open-staffs-doors": ("prying", 0.0, "others_kept"),
    "let-latecomers-join": ("prying", 0.0, "joined_once"),
    "forget-a-team": ("none", 0.0, "commitment_kept"),
    "excuse-the-late": ("slow", 0.9, "causes_by_the_rules"),
    "swap-the-texts": ("none", 0.0, "files_as_committed"),
    "show-results-early": ("prying", 0.0, "markups_kept"),
    "show-the-wrong-expert": ("none", 0.0, "scored_once"),
    "ignore-pauses": ("decisions", 0.0, "nothing_early"),
    "move-only-the-next": ("decisions", 0.0, "nothing_early"),
    "ignore-rulings": ("decisions", 0.0, "causes_by_the_rules"),
    "reword-rulings": ("decisions", 0.0, "decisions_kept"),
    "tell-rulings-early": ("decisions", 0.0, "decisions_kept"),
    "keep-what-was-undone": ("decisions", 0.0, "causes_by_the_rules"),
    "forget-the-chosen-limit": ("practice", 0.0, "sessions_chosen"),
    "offer-hidden-sets": ("practice", 0.0, "sessions_chosen"),
    "end-for-a-minutes-silence": ("practice", 0.0, "sessions_ended"),
    "keep-silent-sessions": ("practice", 0.0, "sessions_ended"),
    "abort-a-final-at-once": ("practice", 0.0, "sessions_ended"),
    "let-everybody-ask-fast": ("practice", 0.0, "requests_limited"),
    "refuse-answers-for-the-rate": ("practice", 0.0, "requests_limited"),
    "time-bodies-at-their-end": ("practice", 0.0, "sessions_chosen"),
    "wait-for-any-body": ("practice", 0.0, "sessions_chosen"),
    "take-large-bodies": ("practice", 0.0, "requests_limited"),
    "forget-logs": ("practice", 0.0, "own_kept"),
    "count-sessions-from-zero": ("practice", 0.0, "own_kept"),
    "list-the-oldest-first": ("practice", 0.0, "own_kept"),
    "void-for-others-alone": ("decisions", 0.0, "decisions_kept"),
    "name-the-file-after": ("practice", 0.0, "sessions_chosen"),
    "keep-training-scores": ("practice", 0.0, "sessions_chosen"),
    "name-no-time-to-come-again": ("prying", 0.0, "not_yet_told"),
    "refuse-without-reasons": ("wrong", 0.9, "ten_sends"),
    "list-no-latest-receipt": ("none", 0.0, "acknowledged_kept"),
    "hide-abstention": ("qualifying", 0.0, "one_entry_each"),
    "ask-for-less": ("qualifying", 0.0, "readiness_concluded"),
    "take-short-sessions": ("qualifying", 0.0, "readiness_concluded"),
    "forgive-in-technical-runs": ("qualifying", 0.0, "readiness_concluded"),
    "forget-who-ruled": ("qualifying", 0.0, "admitted_by_steps"),
    "qualify-by-one-kind": ("qualifying", 0.0, "admitted_by_steps"),
    "take-who-is-not-admitted": ("qualifying", 0.0, "admitted_by_steps"),
    "keep-the-first-entry": ("qualifying", 0.0, "one_entry_each"),
    "keep-the-last-entry": ("qualifying", 0.0, "one_entry_each"),
    "count-trials": ("qualifying", 0.0, "trial_apart"),
    "propose-two-files": ("qualifying", 0.0, "failure_proposed"),
    "propose-nothing": ("qualifying", 0.0, "failure_proposed"),
    "begin-anew-on-the-same": ("qualifying", 0.0, "begun_anew"),
    "draw-seen-files": ("qualifying", 0.0, "begun_anew"),
    "promise-another-restart": ("qualifying", 0.0, "beside_as_promised"),
    "append-without-a-promise": ("qualifying", 0.0, "beside_as_promised"),
    "record-other-openings-of-trials": ("qualifying", 0.0, "beside_as_promised"),
    "shorten-after-the-pause": ("decisions", 0.0, "deadlines_told"),
    "score-anothers-answer": ("none", 0.0, "scored_once"),
    "round-over-the-barrier": ("qualifying", 0.0, "one_entry_each"),
    "forget-the-silent": ("leaving", 0.0, "commitment_kept"),
    "sign-another-body": ("resends", 0.2, "acknowledged_kept"),
    "match-any-send": ("resends", 0.2, "one_winner"),
    "erase-by-being-late": ("slow", 0.9, "acknowledged_kept"),
    "hold-one-team-back": ("none", 0.0, "on_time_not_refused"),
    "wait-for-one-team": ("slow", 0.9, "late_not_accepted"),
    "forgive-the-network": ("disconnects", 0.9, "replay_agrees"),
    "break-ties": ("qualifying", 0.0, "one_entry_each"),
    "keep-annulled-solutions": ("slow", 0.9, "replay_agrees"),
    "tell-hashes-in-headers": ("prying", 0.0, "texts_in_time"),
    "forget-late-answers": ("slow", 0.9, "acknowledged_kept"),
    "misreport-times": ("none", 0.0, "reports_agree"),
    "salt-all-alike": ("none", 0.0, "commitment_kept"),
    "count-who-left": ("leaving", 0.0, "replay_agrees"),
    "count-what-is-refused": ("wrong", 0.9, "ten_sends"),
    "send-no-sign-of-life": ("qualifying", 0.0, "channel_alive"),
    "keep-who-enters-nothing": ("qualifying", 0.0, "channel_alive"),
    "date-uses-forward": ("qualifying", 0.0, "admitted_by_steps"),
    "refuse-own-receipts": ("none", 0.0, "acknowledged_kept"),
    "take-five-a-second": ("practice", 0.0, "requests_limited"),
    "halve-the-usual-time": ("practice", 0.0, "sessions_chosen"),
    "keep-what-the-platform-took": ("qualifying", 0.0, "latency_given_back"),
    "keep-what-a-hand-out-took": ("qualifying", 0.0, "latency_given_back"),
    "hold-nobody": ("qualifying", 0.0, "held_in_real_time"),
    "give-back-the-wait": ("qualifying", 0.0, "held_in_real_time"),
    "forgive-every-lateness": ("slow", 0.9, "late_not_accepted"),
    "arm-nothing": ("none", 0.0, "nothing_early"),
    "arm-the-whole-run": ("none", 0.0, "nothing_early"),
    "finish-who-left": ("leaving", 0.0, "replay_agrees"),
    "narrow-the-intervals": ("none", 0.0, "replay_agrees"),
    "call-no-third-expert": ("qualifying", 0.0, "experts_apart"),
    "change-what-is-handed-in": ("qualifying", 0.0, "experts_apart"),
    "show-anothers-assignment": ("qualifying", 0.0, "experts_apart"),
    "count-the-first-draft": ("qualifying", 0.0, "experts_counted"),
    "count-one-expert-twice": ("qualifying", 0.0, "experts_counted"),
    "archive-one-expert-twice": ("none", 0.0, "archive_kept"),
    "archive-the-wrong-answers": ("none", 0.0, "archive_kept"),
    "archive-nothing": ("none", 0.0, "archive_kept"),
}
"""Per bug the faults that bring it out, the share of the files that have one, and the check that must name it."""
EVERY = bool(os.environ.get("HURDLE_EVERY_BUG"))
IN_THE_GATE = ("forget-lost-jobs", "archive-nothing")
SEED = 6
TOLD_STRANGERS = {
    "nowhere": (404, 429),
    "without_token": (401,),
    "malformed": (403,),
    "unknown": (403,),
    "connect": (400,),
    "connect_malformed": (400,),
    "connect_unknown": (101,),
}


def small(faults: frozenset[Fault], share: float, seed: int = SEED, bug: str | None = None) -> Outcome:
    """A rehearsal of five teams and four files; one process of each function, unless two have to race."""
    workers = 1 + (Fault.DUPLICATES in faults)
    settings = Settings(teams=5, files=4, seed=seed, faults=faults, bug=bug, share=share, workers=workers)
    return rehearse(settings, History(), lambda _: None)


def red(outcome: Outcome) -> dict[str, list[str]]:
    """The failed checks with what contradicts them."""
    return {each.name: each.faults for each in outcome.checks if not each.passed}


def test_every_bug_has_its_test() -> None:
    assert FOUND_BY.keys() == BUGS.keys()


@pytest.mark.slow
@pytest.mark.parametrize("bug", sorted(FOUND_BY) if EVERY else IN_THE_GATE)
def test_a_planted_bug_turns_the_checker_red(bug: str) -> None:
    faults, share, check = FOUND_BY[bug]
    found = red(small(faults_named(faults), share, bug=bug))
    assert check in found, found


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3] if EVERY else [1])
def test_without_a_bug_the_checker_is_green_whatever_is_injected(seed: int) -> None:
    outcome = small(faults_named("all"), 0.7, seed)
    assert red(outcome) == {}
    assert {"record_lost", "job_lost", "step_lost", "crowd"} <= {each["what"] for each in outcome.story.injected}
    heard = {(call.what, call.status) for call in outcome.story.calls if call.team == STRANGERS}
    assert {what for what, _ in heard} == TOLD_STRANGERS.keys()
    assert heard <= {(what, status) for what, statuses in TOLD_STRANGERS.items() for status in statuses}
    assert any(call.status is None or call.status >= 400 for call in outcome.story.calls)
