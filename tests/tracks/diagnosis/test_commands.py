"""``tracks diagnosis`` for people: files in, tables or JSON out, exit codes.

Tables of the track: what a verdict looks like in a row.

Tables over all teams: four finalists at most, bounds of admission, the partial barrier, runs joined (D-7, D-11).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.tracks.samples import SAMPLES
from tracks.command.cli import main
from tracks.diagnosis.aggregate import upper_bound
from tracks.diagnosis.stages import NAMES
from tracks.diagnosis.track import DiagnosisTrack
from tracks.protocol import ItemFacts, Outcome, Standing

MAIN = {"decorCode": "diagnosisMain", "code": "J44"}


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def written(name: str, value: Any) -> str:
        path = tmp_path / name
        path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
        return str(path)

    return written


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Any:
    def ran(*arguments: str) -> tuple[int, str, str]:
        code = main(["diagnosis", *arguments])
        return code, *capfd.readouterr()

    return ran


def test_valid_answers_give_0_and_an_invalid_one_1(run: Any, write: Any) -> None:
    good, bad = write("good.json", [MAIN]), write("bad.json", [MAIN, MAIN])
    assert run("validate", good)[0] == 0
    code, out, _ = run("validate", good, bad, write("empty.json", [{**MAIN, "code": ""}]), "--lang", "ru")
    assert code == 1
    rows = [re.split(r" {2,}", line.strip(), maxsplit=4) for line in out.splitlines() if ".json" in line]
    assert [row[1:4] for row in rows] == [
        ["+", "diagnosis", "—"],
        ["−", "—", "several_main_diagnoses"],
        ["+", "diagnosis", "empty_main_diagnosis"],
    ]
    assert "нужен ровно один" in rows[1][4]


def test_validate_gives_a_line_of_json_per_file(run: Any, write: Any) -> None:
    empty = write("empty.json", [{**MAIN, "code": ""}])
    code, out, _ = run("validate", "--json", empty, write("bad.json", {}))
    first, second = map(json.loads, out.splitlines())
    assert code == 1
    assert (first["op"], first["inputs"]) == ("diagnosis.validate", {"answer": empty})
    assert [each["code"] for each in first["result"]["warnings"]] == ["empty_main_diagnosis"]
    assert [each["code"] for each in second["result"]["reasons"]] == ["not_an_answer"]
    assert set(first["fingerprint"]["inputs"]) == {"answer", "stage"}


def test_validate_knows_the_stage(run: Any, write: Any) -> None:
    path = write("study.json", {"study": "A06.09"})
    assert run("validate", path)[0] == 1
    assert run("validate", "--stage", "final", path)[0] == 0


def epicrisis(cell: str) -> dict[str, Any]:
    answer = {"tp": [MAIN], "fn": None, "fp": [MAIN], "tn": [{**MAIN, "code": "another"}]}[cell]
    ill = cell in ("tp", "fn")
    return {"nosology": "copd", "ill": ill, "v3": answer, "v2": answer, "cost_min": 1, "cost_max": 2}


FIGURE_1 = [epicrisis(cell) for cell, count in (("tp", 68), ("fn", 7), ("fp", 4), ("tn", 41)) for _ in range(count)]


def test_a_session_is_shown_with_three_decimals_halves_up(run: Any, write: Any) -> None:
    code, out, _ = run("session", write("session.json", {"epicrises": FIGURE_1}))
    assert code == 0
    row = next(line for line in out.splitlines() if line.startswith("COPD"))
    assert row.split()[1:] == [
        "68",
        "7",
        "4",
        "41",
        "0.907",
        "0.837",
        "0.911",
        "0.816",
        "131.000",
        "−",
        *("0.830", "0.840"),
    ]  # 109 right at 1, 11 wrong at 2


def test_sessions_files_are_counted_together(run: Any, write: Any) -> None:
    semifinal = write("semifinal.json", FIGURE_1)
    stage_1 = write("final.json", [{"nosology": "copd", "ill": True, "final": [MAIN], "cost": 0.5}])
    code, out, _ = run("session", "--json", semifinal, stage_1)
    found = json.loads(out)
    assert code == 0
    assert found["inputs"] == {"epicrises": [semifinal, stage_1]}
    assert (found["result"]["nosologies"]["copd"]["tp"], found["result"]["nosologies"]["copd"]["cost"]) == (69, 131.5)


def test_z_is_an_option(run: Any, write: Any) -> None:
    path = write("session.json", FIGURE_1)
    bounds = [
        json.loads(run("session", "--json", "--z", z, path)[1])["result"]["nosologies"]["copd"]["se_lower"]
        for z in ("1.64", "1.94")
    ]
    assert bounds[0] > bounds[1]


TEAMS = [{"team": f"t{number}", "sk": 0.9 - number / 100, "cost": 5} for number in range(3)]


def test_a_board_is_shown_best_first_with_the_finalists(run: Any, write: Any) -> None:
    code, out, _ = run("board", write("board.json", {"teams": TEAMS[::-1]}))
    assert code == 0
    assert out.index("t0") < out.index("t1") < out.index("t2")
    assert "Admitted to the final: t0, t1, t2" in out


def test_a_tie_for_the_last_places_is_said(run: Any, write: Any) -> None:
    tied = [{"team": f"t{number}", "sk": 0.9} for number in range(5)]
    path = write("board.json", tied)
    assert "Делят последние места" in run("board", "--lang", "ru", path)[1]
    found = json.loads(run("board", "--json", path)[1])["result"]
    assert found["admitted"] == []
    assert found["undecided"] == ["t0", "t1", "t2", "t3", "t4"]


def test_the_partial_barrier(run: Any, write: Any) -> None:
    path = write("passed.json", {"passed": {"K1": {"copd": 0.9}, "K2": {"copd": {"sk": 0.95, "cost": 3}}, "K3": {}}})
    assert json.loads(run("partial-barrier", "--json", path)[1])["result"] == {"places": ["K2", "K1"]}
    out = run("partial-barrier", path)[1]
    assert out.index("K2") < out.index("K1")
    assert "K3" not in out


def test_rounds_with_the_lot(run: Any) -> None:
    people = [part for number in range(8) for part in ("--clinician", f"Dr {number}")]
    arguments = ["rotation", "16", "--team", "red", "--team", "blue", *people, "--seed", "7"]
    code, out, _ = run(*arguments)
    assert code == 0
    assert "КС1 КС5" in out
    assert "Dr 7" in out
    found = json.loads(run(*arguments, "--json")[1])["result"]
    assert len(found["pairs"]) == 16
    assert sorted(found["systems"].values()) == ["С1", "С2"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["--team", "red"], "--seed"), (["--seed", "7"], "the lot needs"), (["--team", "a", "--seed", "1"], "2 to 4")],
)
def test_half_a_lot_is_refused(run: Any, arguments: list[str], message: str) -> None:
    code, _, err = run("rotation", "16", *arguments)
    assert code == 2
    assert message in err


@pytest.mark.clause("D-App1а 3", "D-App1а (10)")
def test_an_epicrisis_is_shown_with_the_cost_of_its_studies(run: Any, write: Any) -> None:
    code = 'code="7001902" codeSystem="1.2.643.5.1.13.13.11.1471" displayName="КТ груди"'
    path = write(
        "e.xml", f"<d><entry><code {code}/></entry><value code='C34.1' codeSystem='1.2.643.5.1.13.13.11.1005'/></d>"
    )
    costs = write("costs.json", {"7001902": {"doctor": 1.5, "nurse": 2}})
    status, out, _ = run("epicrisis", path, "--costs", costs)
    assert status == 0
    assert "КТ груди" in out
    assert "C34" in out
    assert "Cost of all: 3.5" in out
    found = json.loads(run("epicrisis", "--json", path, "--costs", costs)[1])
    assert (found["cost"], found["diagnoses"], len(found["studies"])) == (3.5, ["C34"], 1)


def test_an_unsafe_epicrisis_gives_1_and_the_others_are_shown(run: Any, write: Any) -> None:
    bomb = write("bomb.xml", '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>')
    code, out, err = run("epicrisis", "--json", bomb, write("good.xml", "<a/>"))
    assert code == 1
    assert "declares a document type or entities" in err
    assert json.loads(out)["root"] == "a"


@pytest.mark.parametrize(
    ("command", "content", "message"),
    [
        ("session", {"epicrises": 5}, "list"),
        ("session", [{"nosology": "asthma"}], "epicrises[0].nosology"),
        ("board", [{"team": "a", "sk": 2}], "teams[0].sk"),
        ("partial-barrier", [], "must be a JSON object"),
        ("partial-barrier", {}, "passed is missing"),
        ("validate", "{", "line 1"),
    ],
)
def test_what_cannot_be_read_gives_2_and_says_where(
    run: Any, write: Any, command: str, content: Any, message: str
) -> None:
    code, out, err = run(command, write("input.json", content))
    assert (code, out) == (2, "")
    assert message in err
    code, _, err = run(command, "nowhere.json")
    assert (code, "nowhere.json" in err) == (2, True)


def test_a_bad_table_of_costs_is_refused(run: Any, write: Any) -> None:
    code, _, err = run("epicrisis", write("e.xml", "<a/>"), "--costs", write("costs.json", {"A05": 3}))
    assert (code, "costs.A05" in err) == (2, True)


@pytest.mark.parametrize("command", ["validate", "session", "epicrisis", "board", "partial-barrier", "rotation"])
def test_a_command_without_its_argument_is_wrong_usage(run: Any, command: str) -> None:
    code, out, err = run(command)
    assert (code, out) == (2, "")
    assert "Usage" in err


TRACK = DiagnosisTrack()


def parameters(**said: Any) -> Any:
    outcome, faults = TRACK.read_parameters({"stage": "by_set", **said})
    assert not faults
    return outcome


def outcomes(stage: str, right: Mapping[str, int], of: int = 100) -> list[Outcome]:
    """Return outcomes with so many right of the ill and the healthy of each nosology; all right without a number."""
    actual = []
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
                actual.append(Outcome(ItemFacts(f"{name}-{kind}-{number}", "rus", name), True, record))
    return actual


def result(stage: str = "semifinal", of: int = 100, *, given: Any = None, **right: int) -> Any:
    return TRACK.aggregate(outcomes(stage, right, of), given or parameters(), 1)


def tables(teams: Mapping[str, Any], board: str = "", given: Any = None) -> dict[str, list[tuple[Any, ...]]]:
    standings = [Standing(team, each) for team, each in teams.items()]
    return {each.key: list(each.rows) for each in TRACK.comparison(standings, given or parameters(), board)}


@pytest.mark.clause("TS D-7", "D 8.16")
def test_four_teams_at_most_go_on_and_those_who_share_the_last_places_are_undecided() -> None:
    order = {"a": 100, "b": 98, "c": 90, "d": 80, "e": 80, "f": 70}
    outcome = tables({team: result(copd=right) for team, right in order.items()})["finalists"]
    assert [(team, state.split(" ")[0]) for team, state in outcome] == [
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
        outcome = result(stage)
        return {**outcome, "board": {**outcome["board"], "sk": sk, "cost": cost}}

    five = {"dear": (0.953, 900.0), **{f"cheap {number}": (0.951, 10.0) for number in range(3)}, "cheapest": (0.95, 1)}
    actual = tables({team: made("semifinal", *values) for team, values in five.items()})
    assert [row[0] for row in actual["finalists"]] == ["dear", "cheap 0", "cheap 1", "cheap 2"]
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
    outcome = parameters(admission={"copd": {"se": 0.8, "sp": 0.8}})
    teams = {"a": result(given=outcome), "low": result(given=outcome, copd=right)}
    places = TRACK.rank([Standing(team, each) for team, each in teams.items()])
    assert [each.team for each in places] == (["a", "low"] if ranked else ["a"])
    assert tables(teams, given=outcome).get("below_admission", []) == ([] if ranked else [("low", "COPD · ХОБЛ")])
    assert len(tables(teams, given=outcome)["comparison"]) == 12, "Table 2 has everybody"
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
    outcome = tables(teams, "final")["partial_barrier"]
    assert [row[:2] for row in outcome] == [(1, "b"), (2, "c"), (3, "a")], "leaders first, then by Sk"
    assert [row[2] for row in outcome] == ["COPD · ХОБЛ", "CTEPH · ХТЭЛГ", "COPD · ХОБЛ"]


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
    outcome = result("semifinal", 10, copd=7)
    rows = tables({"a": outcome})["comparison"]
    assert [row[8] for row in rows] == [outcome["nosologies"][name]["cost"] for name in NAMES]
    assert {row[8] for row in rows} == {2.0}, "twenty epicrises of a tenth each"


def test_the_selection_has_no_tables_over_teams() -> None:
    sample = SAMPLES["diagnosis-selection"]
    outcome = TRACK.aggregate([], sample.completed(), 1)
    assert TRACK.comparison([Standing("a", outcome)], sample.completed(), "") == ()
