"""Conclusions, claims and admissions: one set of promises, kept by the adapter on emulated services and by the fake."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contest.people.rules import Change
from contest.platform import Platform
from contest.results.rules.qualification import (
    Admission,
    Claim,
    Conclusion,
    QualificationKind,
    Ruling,
    Standing,
    Step,
    ruled,
)
from tests.losing import loses

pytestmark = pytest.mark.integration

CHANGE = Change(1_000, "me", "something", "x", None, {"a": 1})
CONCLUSION = Conclusion("s1", "red", "toy", QualificationKind.ALGORITHMIC, "report", True, 4)
CLAIM = Claim("red", QualificationKind.ALGORITHMIC, "s1", Standing.AWAITS_JUDGES)
CONFIRMED = ruled(CONCLUSION, Ruling(Step.JUDGEMENT, True, "jan", "протокол", 5, "report"))
ADMISSION = Admission("red", True, "qualified", "olga", 7, True)


@pytest.mark.parametrize("platform", ["real"], indirect=True)
def test_a_conclusion_and_its_claim_are_written_together_if_both_are_as_they_were(platform: Platform) -> None:
    port = platform.qualification
    port.conclude(None, CONCLUSION, None, CLAIM, None)
    assert port.conclusion("toy", "red", QualificationKind.ALGORITHMIC, "s1") == CONCLUSION
    assert port.conclusion("toy", "red", QualificationKind.TECHNICAL, "s1") is None
    assert list(port.claims("toy")) == [CLAIM]
    assert list(port.claims("other")) == []
    claimed = replace(CLAIM, standing=Standing.AWAITS_COMMISSION, version=2)
    loses(lambda: port.conclude(None, CONFIRMED, CLAIM, claimed, CHANGE))
    loses(lambda: port.conclude(CONCLUSION, CONFIRMED, None, claimed, CHANGE))
    loses(lambda: port.conclude(CONCLUSION, CONFIRMED, claimed, claimed, CHANGE))
    assert list(platform.audit_log.on("1970-01-01")) == []
    port.conclude(CONCLUSION, CONFIRMED, CLAIM, claimed, CHANGE)
    assert list(port.conclusions_of("toy", "red", QualificationKind.ALGORITHMIC)) == [CONFIRMED]
    assert list(port.claims_of("toy", "red")) == [claimed]
    assert list(platform.audit_log.on("1970-01-01")) == [CHANGE]


@pytest.mark.parametrize("platform", ["real"], indirect=True)
def test_a_team_has_its_own_claims_and_conclusions_by_kind(platform: Platform) -> None:
    port = platform.qualification
    technical = replace(CONCLUSION, kind=QualificationKind.TECHNICAL, session_id="s2")
    claimed = replace(CLAIM, kind=QualificationKind.TECHNICAL, session_id="s2")
    for conclusion, claim in ((CONCLUSION, CLAIM), (technical, claimed)):
        port.conclude(None, conclusion, None, claim, None)
    other = replace(CONCLUSION, team_id="red-2")
    port.conclude(None, other, None, replace(CLAIM, team_id="red-2"), None)
    assert list(port.claims_of("toy", "red")) == [CLAIM, claimed]
    assert list(port.conclusions_of("toy", "red", QualificationKind.TECHNICAL)) == [technical]
    assert [each.team_id for each in port.claims("toy")] == ["red", "red", "red-2"]


def test_an_admission_changes_if_it_is_still_as_it_was_read(platform: Platform) -> None:
    port = platform.qualification
    assert port.admission("toy", "red") is None
    port.admit("toy", None, ADMISSION, CHANGE)
    loses(lambda: port.admit("toy", None, ADMISSION, CHANGE))
    later = replace(ADMISSION, admitted=False, version=2)
    port.admit("toy", ADMISSION, later, CHANGE)
    loses(lambda: port.admit("toy", ADMISSION, later, CHANGE))
    assert port.admission("toy", "red") == later
    assert list(port.admissions("toy")) == [later]
