"""Tables over all teams: four finalists at most, bounds of admission, the partial barrier, runs joined (D-7, D-11)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.tracks.samples import SAMPLES
from tracks.capabilities import ComparesTeams, JoinsRuns
from tracks.diagnosis.classifier import NAMES
from tracks.diagnosis.measures import upper_bound
from tracks.diagnosis.track import DiagnosisTrack
from tracks.protocol import ItemFacts, Outcome, Standing

TRACK = DiagnosisTrack()


def parameters(**said: Any) -> Any:
    found, faults = TRACK.read_parameters({"stage": "by_set", **said})
    assert not faults
    return found


def outcomes(stage: str, right: Mapping[str, int], of: int = 100) -> list[Outcome]:
    """Of each nosology so many ill and so many healthy patients, of both so many right; the others all."""
    found = []
    for name in NAMES:
        for kind, (yes, no) in {"ill": ("tp", "fn"), "healthy": ("tn", "fp")}.items():
            for number in range(of):
                cell = yes if number < right.get(name, of) else no
                record = {
                    "stage": stage,
                    "nosology": name,
                    "cell": cell,
                    "cost": 0.1,
                    "complications": [number % 2, 1],
                    "comorbidities": [0, 1],
                    "time_s": None if stage == "semifinal" else 0.1,
                }
                found.append(Outcome(ItemFacts(f"{name}-{kind}-{number}", "rus", name), True, record))
    return found


def result(stage: str = "semifinal", of: int = 100, *, given: Any = None, **right: int) -> Any:
    return TRACK.aggregate(outcomes(stage, right, of), given or parameters(), 1)


def tables(teams: Mapping[str, Any], board: str = "", given: Any = None) -> dict[str, list[tuple[Any, ...]]]:
    standings = [Standing(team, each) for team, each in teams.items()]
    return {each.key: list(each.rows) for each in TRACK.comparison(standings, given or parameters(), board)}


def test_the_track_promises_both() -> None:
    assert isinstance(TRACK, ComparesTeams)
    assert isinstance(TRACK, JoinsRuns)


@pytest.mark.clause("TS D-7", "D 8.16")
def test_four_teams_at_most_go_on_and_those_who_share_the_last_places_are_undecided() -> None:
    order = {"a": 100, "b": 98, "c": 90, "d": 80, "e": 80, "f": 70}
    told = tables({team: result(copd=right) for team, right in order.items()})["finalists"]
    assert [(team, state.split(" ")[0]) for team, state in told] == [
        ("a", "to"),
        ("b", "to"),
        ("c", "to"),
        ("d", "undecided"),
        ("e", "undecided"),
    ]
    assert "below_admission" not in tables({"a": result()})


@pytest.mark.clause("D 8.15", "D 8.16", "D 8.5.3")
def test_the_dearest_of_five_goes_to_the_final_by_its_sk_and_the_final_compares_cost() -> None:
    """All but one have Sk 0.951, the dear one 0.953: at two decimals its cost would have left it out."""

    def made(stage: str, sk: float, cost: float) -> Any:
        given = result(stage)
        return {**given, "board": {**given["board"], "sk": sk, "cost": cost}}

    five = {"dear": (0.953, 900.0), **{f"cheap {number}": (0.951, 10.0) for number in range(3)}, "cheapest": (0.95, 1)}
    told = tables({team: made("semifinal", *values) for team, values in five.items()})
    assert [row[0] for row in told["finalists"]] == ["dear", "cheap 0", "cheap 1", "cheap 2"]
    played = [Standing(team, made("final", *values)) for team, values in five.items()]
    assert [each.team for each in TRACK.rank(played)][:2] == ["cheapest", "cheap 0"]
    semifinal = [Standing(team, made("semifinal", *values)) for team, values in five.items()]
    assert TRACK.rank(semifinal, "final") == TRACK.rank(played), "with stage 1 the final's criterion ranks"


@pytest.mark.parametrize(("stage", "rows"), [("semifinal", 3), ("final", 7)])
def test_a_report_lists_what_its_stage_compares(stage: str, rows: int) -> None:
    overall = next(each for each in TRACK.report_sections(result(stage), ()) if each.key == "overall")
    assert len(overall.rows) == rows
    assert ("C" in dict(overall.rows)) is (stage == "final")


@pytest.mark.clause("TS D-7", "D-App1б SeКр")
@pytest.mark.parametrize(("right", "ranked"), [(80, True), (79, False)])
def test_who_is_below_any_bound_of_admission_is_not_ranked_and_is_named(right: int, ranked: bool) -> None:
    given = parameters(admission={"copd": {"se": 0.8, "sp": 0.8}})
    teams = {"a": result(given=given), "low": result(given=given, copd=right)}
    places = TRACK.rank([Standing(team, each) for team, each in teams.items()])
    assert [each.team for each in places] == (["a", "low"] if ranked else ["a"])
    assert tables(teams, given=given).get("below_admission", []) == ([] if ranked else [("low", "COPD · ХОБЛ")])
    assert len(tables(teams, given=given)["comparison"]) == 12, "Table 2 has everybody"
    final = [Standing("low", {**teams["low"], "stage": "final"})]
    assert len(TRACK.rank(final)) == 1, "the bounds are the semifinal's"


@pytest.mark.clause("TS D-7")
@pytest.mark.parametrize("bad", [{"nothing": {"se": 0.5, "sp": 0.5}}, {"copd": {"se": 2, "sp": 0}}, {"copd": 0.5}, []])
def test_bounds_of_admission_are_fractions_of_known_nosologies(bad: Any) -> None:
    _, faults = TRACK.read_parameters({"stage": "semifinal", "admission": bad})
    assert [(each.code, each.where["field"]) for each in faults] == [("invalid_thresholds", "admission")]


@pytest.mark.clause("TS D-11", "TS T9", "D-App1в (16)", "TS D-12")
def test_two_runs_joined_are_as_one_of_all_their_epicrises() -> None:
    first, second = outcomes("semifinal", {"copd": 7, "cteph": 3}, 10), outcomes("final", {"lung_cancer": 1}, 4)
    rules = parameters()
    whole = TRACK.aggregate([*first, *second], rules, 1)
    apart = [TRACK.aggregate(each, rules, 1) for each in (first, second)]
    assert TRACK.joined(apart, rules) == whole
    assert TRACK.joined(list(reversed(apart)), rules) == whole
    assert TRACK.joined(apart[:1], rules) == apart[0]
    assert whole["board"]["mean_time_s"] == pytest.approx(0.1)
    assert (whole["board"]["se_complications"], whole["board"]["se_comorbidities"]) == (0.5, 0.0)


@pytest.mark.clause("TS D-11", "D 5.4", "D 5.6", "D 8.17", "D-App1в partial 1", "D-App1в partial 3")
def test_the_barrier_is_the_finals_in_all_six_and_else_partial_by_the_leaders() -> None:
    over, all_but_one = result("final", 200), result("final", 200, copd=150)
    assert (TRACK.overcame(over, "final"), TRACK.overcame(all_but_one, "final")) == (True, False)
    assert TRACK.overcame({**over, "stage": "semifinal"}) is None
    assert TRACK.overcame({**over, "stage": "semifinal"}, "final") is True
    assert "partial_barrier" not in tables({"a": over, "b": all_but_one}, "final")
    low = dict.fromkeys(NAMES, 150)
    teams = {
        "a": result("final", 200, **{**low, "copd": 190}),
        "b": result("final", 200, **{**low, "copd": 200}),
        "c": result("final", 200, **{**low, "cteph": 195}),
        "none": result("final", 200, **low),
    }
    told = tables(teams, "final")["partial_barrier"]
    assert [each[:2] for each in told] == [(1, "b"), (2, "c"), (3, "a")], "leaders first, then by Sk"
    assert [each[2] for each in told] == ["COPD · ХОБЛ", "CTEPH · ХТЭЛГ", "COPD · ХОБЛ"]


@pytest.mark.clause("TS D-6", "D-App1в table")
def test_the_upper_bound_is_the_lower_ones_mirror_image() -> None:
    assert upper_bound(0, 0) is None
    assert upper_bound(10, 10) == 1.0
    assert upper_bound(50, 100) == pytest.approx(1 - 0.4190, abs=1e-3)
    rows = tables({"a": result("final", 100, copd=92)}, "final")["comparison"]
    row = next(each for each in rows if each[1].startswith("COPD"))
    assert row[2:5] == (0.92, 0.864, 0.954)
    assert row[9:] == (0.83, 0.84, "+")


@pytest.mark.clause("TS D-6", "D-App1б Table 2")
def test_the_table_of_all_teams_has_the_cost_of_every_nosology() -> None:
    made = result("semifinal", 10, copd=7)
    rows = tables({"a": made})["comparison"]
    assert [row[8] for row in rows] == [made["nosologies"][name]["cost"] for name in NAMES]
    assert {row[8] for row in rows} == {2.0}, "twenty epicrises of a tenth each"


def test_the_selection_has_no_tables_over_teams() -> None:
    sample = SAMPLES["diagnosis-selection"]
    made = TRACK.aggregate([], sample.completed(), 1)
    assert TRACK.comparison([Standing("a", made)], sample.completed(), "") == ()
