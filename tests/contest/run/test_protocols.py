"""What judges and commission state about a run, what it is about, and what waits for it (R 8.3, R 7.16.1, D 11)."""

from __future__ import annotations

import pytest

from contest.run.rules.run import MOST, Matter, Protocol, ProtocolStanding, latest, missing, standing
from tracks.rules import Signatory

JUDGES, COMMISSION = Signatory


def protocol(number: int, by: Signatory, edition: str = "0", matter: Matter = Matter.RESULTS, **said: bool) -> Protocol:
    return Protocol(number, matter, by, said.get("positive", True), "looked at", "person:olga", number, edition)


def test_the_last_word_of_a_side_counts_and_only_about_these_results() -> None:
    said = [protocol(1, JUDGES), protocol(2, JUDGES, positive=False), protocol(3, COMMISSION, "1")]
    assert latest(said, Matter.RESULTS, JUDGES) == said[1]
    assert latest(said, Matter.MASS_FAILURE, JUDGES) is None
    assert standing([], Matter.RESULTS, JUDGES, "0") is ProtocolStanding.NONE
    assert standing(said, Matter.RESULTS, JUDGES, "0") is ProtocolStanding.NEGATIVE
    assert standing(said, Matter.RESULTS, JUDGES, "1") is ProtocolStanding.OUTDATED
    assert standing(said, Matter.RESULTS, COMMISSION, "1") is ProtocolStanding.POSITIVE


def test_a_mass_failure_is_stated_apart_from_results() -> None:
    said = [protocol(1, JUDGES, "", Matter.MASS_FAILURE)]
    assert standing(said, Matter.MASS_FAILURE, JUDGES) is ProtocolStanding.POSITIVE
    assert standing(said, Matter.RESULTS, JUDGES, "0") is ProtocolStanding.NONE


@pytest.mark.parametrize(
    ("wanted", "lacking"),
    [((), ()), ((COMMISSION,), ()), ((JUDGES,), (JUDGES,)), ((JUDGES, COMMISSION), (JUDGES,))],
)
def test_a_side_without_a_positive_protocol_is_missing(
    wanted: tuple[Signatory, ...], lacking: tuple[Signatory, ...]
) -> None:
    said = [protocol(1, COMMISSION), protocol(2, JUDGES, positive=False)]
    assert missing(said, wanted, "0") == lacking


def test_protocols_of_the_greatest_length_stay_within_what_a_stored_item_may_have() -> None:
    assert MOST * 4000 * 2 < 200_000, "bytes, two a Cyrillic letter: half of what DynamoDB stores as one item"
