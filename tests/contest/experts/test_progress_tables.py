"""The coordinator's tables: each number in its column, each interval's ends in their order."""

from __future__ import annotations

from contest.experts.rules.assignment import Assignment, AssignmentState, Decision, EssayWork, Speed
from contest.experts.rules.progress import of_report, progress
from contest.tables import Scalar, Table

MEASURES = {"essays": 3, "accuracy": 70.0, "accuracy_95": [60.0, 80.0], "alpha": 0.5, "alpha_95": [0.4, 0.6]}
DRIFT = {
    "expert": "anna",
    "essays": 3,
    "accuracy": 71.0,
    "accuracy_95": [61.0, 81.0],
    "points": -5.0,
    "points_95": [-9.0, -1.0],
    "fragments": 2.0,
    "fragments_95": None,
}
AGREEMENT = {
    "all": MEASURES,
    "by_subject": {"hist": MEASURES},
    "by_pair": [{"experts": ["anna", "boris"], **MEASURES}],
    "by_code": [{"subject": "hist", "code": "и.факт", "units": 9, "agreed": 4, "alpha": 0.1, "alpha_95": [0.0, 0.2]}],
    "by_expert": [DRIFT],
}
REASONS = ({"code": "total"}, {"code": "criterion"})


def assignment(expert: str, state: AssignmentState) -> Assignment:
    return Assignment(f"{expert}-1", "marking", "essay-1", expert, "rus", "hist", False, 60_000, 0, state=state)


def tables() -> dict[str, Table]:
    essay = EssayWork("marking", "essay-1", "rus", "hist", "0" * 64, third=Decision(1_000, REASONS, ()))
    given = {"essay-1": [assignment("anna", AssignmentState.OPENED), assignment("boris", AssignmentState.HANDED_BACK)]}
    found = of_report(
        progress([essay], given), AGREEMENT, [Speed("anna", 3, 90.0, 100.0, (80.0, 120.0))], {"anna": "expert-a"}
    )
    return {each.name: each for each in found}


def test_an_experts_row_has_states_speed_agreement_and_drift_with_their_intervals() -> None:
    anna, boris = tables()["experts"].records()
    told: dict[str, Scalar] = {
        "pseudonym": "expert-a",
        "opened": 1,
        "handed_in": 0,
        "median_s": 90.0,
        "mean_s": 100.0,
        "mean_95_from": 80.0,
        "mean_95_to": 120.0,
        "accuracy": 71.0,
        "accuracy_95_from": 61.0,
        "accuracy_95_to": 81.0,
        "points": -5.0,
        "points_95_from": -9.0,
        "points_95_to": -1.0,
        "fragments": 2.0,
        "fragments_95_from": None,
    }
    assert {name: anna[name] for name in told} == told
    assert (boris["handed_back"], boris["mean_s"], boris["pseudonym"]) == (1, None, None)


def test_agreement_pairs_codes_and_reasons_have_tables_of_their_own() -> None:
    found = tables()
    ends = {"accuracy_95_from": 60.0, "accuracy_95_to": 80.0, "alpha_95_from": 0.4, "alpha_95_to": 0.6}
    for name, count in (("agreement", 2), ("pairs", 1)):
        rows = list(found[name].records())
        assert len(rows) == count
        assert all({end: row[end] for end in ends} == ends for row in rows)
    (code,) = found["codes"].records()
    assert (code["code"], code["units"], code["agreed"], code["alpha"], code["alpha_95_to"]) == (
        "и.факт",
        9,
        4,
        0.1,
        0.2,
    )
    assert [tuple(row) for row in found["thirds"].rows] == [("criterion", 1), ("total", 1)]
    (essay,) = found["essays"].records()
    assert (essay["third"], essay["experts"]) == (True, "anna: opened, boris: handed_back")
