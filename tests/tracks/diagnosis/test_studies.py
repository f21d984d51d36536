"""Studies of the final: the table, what a request brings and what it costs (D-App4, D-App1а 3)."""

from __future__ import annotations

import pytest

from tracks.diagnosis.classifier import INSTRUMENTAL, LABORATORY, SERVICES, request, resource_cost

COSTS = {"A06.09.005": 3.0, "A06.09.007": 1.5, "A05.10.006": 0.75, "B03.016.003": 1.1}
OWN = ["A06.09.007", "A05.10.006", "A06.09.005", "A06.09.007"]
"""Studies of an epicrisis: two X-rays, one CT of the lungs, one ECG."""


@pytest.mark.clause("TS D-8", "D-App4 instrumental", "D-App4 laboratory")
def test_the_table_has_22_instrumental_and_9_laboratory_rows() -> None:
    assert (len(INSTRUMENTAL), len(LABORATORY)) == (22, 9)
    assert len(SERVICES) == 30
    assert SERVICES["A05.10"] == ("A05.10.006", "A05.10.008"), "it stands in two rows and asks for both"


# Query code → what follows it in the codes of the services returned; empty: the query code itself.
TABLE_OF_INSTRUMENTAL_STUDIES = {
    "A03.09": ".001",
    "A03.16": ".001",
    "A03.30": ".006",
    "A04.09": ".001",
    "A04.10": ".002",
    "A04.12": ".006.002",
    "A04.16": ".001",
    "A04.21": ".001",
    "A04.28": ".001",
    "A05.10": ".006 .008",
    "A05.23": ".009.001",
    "A06.03": ".024",
    "A06.08": ".003 .007.003",
    "A06.09": ".001 .005 .006.001 .007 .007.002 .008.001",
    "A06.12": ".001.001 .049 .010",
    "A06.16": ".001.002",
    "A06.20": ".004.006",
    "A06.30": ".005",
    "A07.09": ".003",
    "A12.09": ".001 .002 .002.001 .002.002",
    "A12.09.005": "",
}
TABLE_OF_LABORATORY_STUDIES = {
    **dict.fromkeys(("B03.005.006", "B03.016.003", "B03.016.004", "B03.016.006", "B03.016.011"), ""),
    **dict.fromkeys(("A09.05.209", "A26.09.010", "A26.30.028"), ""),
    "A11.01.003": ".001",
}


def written(table: dict[str, str]) -> dict[str, tuple[str, ...]]:
    return {query: tuple(query + rest for rest in returned.split() or [""]) for query, returned in table.items()}


@pytest.mark.clause("TS D-8", "D-App4 instrumental")
def test_instrumental_studies_return_the_services_of_the_table() -> None:
    found: dict[str, tuple[str, ...]] = {}
    for study in INSTRUMENTAL:
        found[study.query] = (*found.get(study.query, ()), *study.services)
    assert found == written(TABLE_OF_INSTRUMENTAL_STUDIES)


@pytest.mark.clause("TS D-8", "D-App4 laboratory")
def test_laboratory_studies_return_the_services_of_the_table() -> None:
    assert {study.query: study.services for study in LABORATORY} == written(TABLE_OF_LABORATORY_STUDIES)
    assert written(TABLE_OF_INSTRUMENTAL_STUDIES | TABLE_OF_LABORATORY_STUDIES) == SERVICES


@pytest.mark.clause("TS D-8", "D 9.10.4", "D 9.10.1.3.2", "D-App1а 3", "tracks §1 absent study")
@pytest.mark.parametrize(
    ("asked", "own", "costs", "expected"),
    [
        ("A06.09", OWN, COSTS, (True, (0, 2, 3), 6.0)),  # every file that matches: 1.5 + 3 + 1.5
        ("B03.016.003", OWN, COSTS, (False, (), 1.1)),
        # An absent group costs as its dearest service, or what the table says of the group.
        ("A06.09", [], COSTS, (False, (), 3.0)),
        ("A06.09", [], {**COSTS, "A06.09": 2.0}, (False, (), 2.0)),
        # A study that the organizers' table lacks costs nothing.
        ("A03.09", ["A03.09.001"], COSTS, (True, (0,), 0.0)),
        ("A03.09", [], COSTS, (False, (), 0.0)),
    ],
)
def test_a_request_brings_what_matches_and_is_paid_for_found_or_not(
    asked: str, own: list[str], costs: dict[str, float], expected: tuple[bool, tuple[int, ...], float]
) -> None:
    found = request(asked, own, costs)
    assert (found.present, found.files, found.cost) == expected
    assert resource_cost(["7001902", "B03.016.003", "B03.016.003"], COSTS) == 2.2


def test_a_code_outside_the_table_is_no_request() -> None:
    with pytest.raises(LookupError):
        request("A99.99", OWN, COSTS)
