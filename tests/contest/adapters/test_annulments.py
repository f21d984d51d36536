"""Annulments, and what sessions claim on boards, in tables and in memory."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contest.people.rules import Change
from contest.platform import Platform
from contest.results.rules.leaderboard import Entry
from contest.results.rules.qualification import Annulled, Annulment
from tests.losing import loses

pytestmark = pytest.mark.integration
AT = 1_790_000_000_000
OF_SET = Annulment(Annulled.SET, "train", "", "a leak", AT)
OF_RESULT = Annulment(Annulled.RESULT, "red", "qualification", "a copy", AT)
CLAIM = Entry("all", "red", "294017735586120", AT, 1, 5, 5, {"relative_accuracy": 50.0})


def change(what: str) -> Change:
    return Change(AT, "person:olga", what, "train", None, None)


def test_an_annulment_is_decided_on_condition_that_nobody_has_meanwhile(platform: Platform) -> None:
    for each in (OF_SET, OF_RESULT):
        platform.annulments.decide("toy-1", None, each, change("annulled"))
    loses(lambda: platform.annulments.decide("toy-1", None, OF_SET, change("lost")))
    back = replace(OF_SET, holds=False, version=2)
    platform.annulments.decide("toy-1", OF_SET, back, change("restored"))
    loses(lambda: platform.annulments.decide("toy-1", OF_SET, back, change("lost")))
    assert sorted(platform.annulments.all("toy-1"), key=lambda each: each.key) == [OF_RESULT, back]
    assert list(platform.annulments.all("toy-2")) == []
    logged = sorted(each.what for each in platform.audit_log.on("2026-09-21"))
    assert logged == ["annulled", "annulled", "restored"]


def test_claims_are_kept_by_session_and_the_same_again_changes_nothing(platform: Platform) -> None:
    other = replace(CLAIM, session_id="705521943360817", answered=4)
    for each in (CLAIM, other, CLAIM, replace(CLAIM, language="rus"), replace(CLAIM, team_id="blue")):
        platform.scores.claim("toy-1", each)
    assert list(platform.scores.claims("toy-1", "all", "red")) == [CLAIM, other]
    assert list(platform.scores.claims("toy-1", "eng", "red")) == []
    assert list(platform.scores.entries("toy-1", "all")) == [], "a claim is no place"
