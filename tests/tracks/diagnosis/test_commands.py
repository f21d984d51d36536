"""``tracks diagnosis`` for people: files in, tables or JSON out, exit codes.

Tables of the track: what a verdict looks like in a row.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tracks.command.cli import main
from tracks.diagnosis import commands
from tracks.protocol import Reason, Text, Verdict

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
    code, out, _ = run("validate", good, bad, "--lang", "ru")
    assert code == 1
    assert "several_main_diagnoses" in out
    assert "нужен ровно один" in out


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


def test_an_epicrisis_that_is_not_there_and_a_bad_table_of_costs_are_refused(run: Any, write: Any) -> None:
    code, _, err = run("epicrisis", "nowhere.json")
    assert (code, "nowhere.json" in err) == (2, True)
    code, _, err = run("epicrisis", write("e.xml", "<a/>"), "--costs", write("costs.json", {"A05": 3}))
    assert (code, "costs.A05" in err) == (2, True)


@pytest.mark.parametrize("command", ["validate", "session", "epicrisis", "board", "partial-barrier", "rotation"])
def test_a_command_without_its_argument_is_wrong_usage(run: Any, command: str) -> None:
    code, out, err = run(command)
    assert (code, out) == (2, "")
    assert "Usage" in err


def test_a_valid_answer_shows_its_kind_and_an_invalid_one_its_remarks() -> None:
    late = Reason("late", Text(en="too late", ru="поздно"), {})
    odd = Reason("odd", Text(en="odd", ru="странно"), {})
    judged = [
        ("a", Verdict((), kind="initial")),
        ("b", Verdict((), warnings=(odd,), kind="final")),
        ("c", Verdict((late,), warnings=(odd,))),
    ]
    assert commands.verdicts_table(judged, "ru").rows == (
        ("a", "+", "initial", None, None),
        ("b", "+", "final", "odd", "странно"),
        ("c", "−", None, "late", "поздно"),
        ("c", "−", None, "odd", "странно"),
    )
