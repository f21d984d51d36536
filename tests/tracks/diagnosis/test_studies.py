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
    assert len(SERVICES) == 30  # A05.10 stands in two rows


def test_a_query_code_that_stands_in_two_rows_asks_for_both() -> None:
    assert SERVICES["A05.10"] == ("A05.10.006", "A05.10.008")


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


@pytest.mark.clause("TS D-8", "D 9.10.4")
def test_every_file_that_matches_is_returned_and_paid_for() -> None:
    found = request("A06.09", OWN, COSTS)
    assert found.present
    assert found.files == (0, 2, 3)
    assert found.cost == 6.0  # 1.5 + 3 + 1.5


@pytest.mark.clause("TS D-8", "tracks §1 absent study", "D 9.10.1.3.2")
def test_an_absent_study_costs_too() -> None:
    found = request("B03.016.003", OWN, COSTS)
    assert (found.present, found.files, found.cost) == (False, (), 1.1)


def test_an_absent_group_costs_as_its_dearest_service_or_what_the_table_says_of_the_group() -> None:
    assert request("A06.09", [], COSTS).cost == 3.0
    assert request("A06.09", [], {**COSTS, "A06.09": 2.0}).cost == 2.0


@pytest.mark.clause("D-App1а 3")
def test_a_study_missing_in_the_organizers_table_costs_nothing() -> None:
    assert request("A03.09", ["A03.09.001"], COSTS).cost == 0.0
    assert request("A03.09", [], COSTS).cost == 0.0
    assert resource_cost(["7001902", "B03.016.003", "B03.016.003"], COSTS) == 2.2


def test_a_code_outside_the_table_is_no_request() -> None:
    with pytest.raises(LookupError):
        request("A99.99", OWN, COSTS)
