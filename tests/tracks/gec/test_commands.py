"""``tracks gec`` and its operations in the stream: files in, tables or JSON out, exit codes (tracks.md §5)."""

from __future__ import annotations

import json
import subprocess
import sys
import tracemalloc
from collections import Counter
from pathlib import Path

import pytest

from tests.tracks.gec.texts import HYPOTHESIS, REFERENCE
from tests.tracks.samples import reply_to
from tests.typed_commands import Command
from tracks.command.cli import main

CONTEXT = {"detection": True, "correction": True, "scope": "sentence", "direction": "left", "left": 1}
GOLD = {
    "items": [
        {
            "id": "one",
            "source": "FCE",
            "sentences": ["I go", "I met dogs"],
            "edits": [
                {
                    "start": 3,
                    "end": 4,
                    "correction": "meet",
                    "type": "VERB:TENSE",
                    "context_dependent": True,
                    "context": CONTEXT,
                },
                {"start": 1, "end": 3, "correction": "go . I", "type": "PUNCT"},
            ],
        },
        {
            "id": "two",
            "source": "REALEC",
            "sentences": ["It is"],
            "edits": [{"start": 0, "end": 1, "correction": "This", "type": "REF", "context_dependent": True}],
        },
    ]
}
SYSTEM = "S I go I met dogs\nA 3 4|||R:VERB:TENSE|||meet|||REQUIRED|||-NONE-|||0\n\nS It is\n"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write the small files and make their folder the current one."""
    for name, text in {
        "ref.m2": REFERENCE,
        "hyp.m2": HYPOTHESIS,
        "cut.m2": HYPOTHESIS.rstrip()[:-30],
        "system.m2": SYSTEM,
        "gold.json": json.dumps(GOLD),
    }.items():
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(main, capsys, "gec")


def test_compare_shows_correction_detection_operations_and_types(files: Path, run: Command) -> None:
    code, out, err = run("compare", "ref.m2", "hyp.m2", "--mode", "errant")
    assert (code, err) == (0, "")
    rows = [line.split() for line in out.splitlines()]
    # The totals of errant_compare -cs, -ds and -dt, see gec_texts.
    assert [row[-6:] for row in rows if row[:1] == ["hyp.m2"]] == [
        ["6", "7", "4", "0.4615", "0.6000", "0.4839"],
        ["8", "4", "3", "0.6667", "0.7273", "0.6780"],
        ["9", "3", "3", "0.7500", "0.7500", "0.7500"],
    ]
    assert ["VERB:SVA", "4", "0", "1", "1.0000", "0.8000", "0.9524"] in rows
    assert ["U", "0", "2", "1", "0.0000", "0.0000", "0.0000"] in rows
    _, russian, _ = run("compare", "ref.m2", "hyp.m2", "-v", "--lang", "ru")
    assert [words for words in ("Полнота", "по типам", "hyp.m2: по блокам") if words not in russian] == []


def test_compare_gives_every_system_as_json_with_a_fingerprint(files: Path, run: Command) -> None:
    found = run.json("compare", "ref.m2", "hyp.m2", "hyp.m2", "--beta", "1")
    first, second = found["result"]["systems"]
    assert first == second
    assert found["result"]["units"] == 7
    assert len(first["chosen"]) == 7
    assert set(found["fingerprint"]["inputs"]) == {
        "reference_m2",
        "hypotheses_m2",
        "mode",
        "beta",
        "blocks",
        "left_out",
    }


def test_a_comparison_holds_one_unit_of_each_file(files: Path, run: Command) -> None:
    run("compare", "ref.m2", "hyp.m2")  # loads what is loaded once
    for name in ("ref.m2", "hyp.m2"):
        (files / name).write_text(f"{(files / name).read_text('utf-8').strip()}\n\n" * 100, "utf-8")
    sizes = [(files / name).stat().st_size for name in ("ref.m2", "hyp.m2")]
    tracemalloc.start()
    run("compare", "ref.m2", "hyp.m2")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < sum(sizes) + max(sizes) + 100_000  # a file is held twice while it is decoded


def test_check_tells_faults_and_the_exit_code_says_whether_there_are_any(files: Path, run: Command) -> None:
    assert run("check", "ref.m2")[:2] == (0, "ref.m2: units 7, edits 20\n")
    code, out, _ = run("check", "ref.m2", "cut.m2")
    assert code == 1
    assert "wrong_fields" in out
    code, out, _ = run("check", "cut.m2", "--json")
    assert (code, json.loads(out)["faults"][0]["code"]) == (1, "wrong_fields")


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["compare", "ref.m2", "nowhere.m2"], "nowhere.m2"),
        (["compare", "ref.m2", "cut.m2"], "cut.m2: line"),
        (["compare", "ref.m2", "system.m2"], "system.m2: unit 0"),
        (["compare", "ref.m2", "system.m2", "cut.m2"], "cut.m2: line"),  # a fault of any file before a difference
        (["compare", "ref.m2"], "HYPOTHESIS"),
        (["compare", "ref.m2", "hyp.m2", "--beta", "0"], "--beta"),
        (["compare", "ref.m2", "hyp.m2", "--beta", "nan"], "--beta"),
        (["concentrated", "ref.m2", "system.m2"], "ref.m2"),
        (["concentrated", "gold.json", "hyp.m2"], "hyp.m2: unit 0"),
        (["agreement", "gold.json"], "gold.json: items[0]"),
        (["blocks", "hyp.m2"], "hyp.m2"),
        (["compare", "-ref", "ref.m2"], "two files are needed"),
        (["compare", "ref.m2"], "two files are needed"),
        (["compare"], "two files are needed"),
        (["compare", "ref.m2", "-hyp", "hyp.m2"], "not both"),
        (["compare", "-filt", "-hyp", "hyp.m2", "-ref", "ref.m2"], "-filt needs a type"),
        (["compare", "-hyp", "hyp.m2", "-ref", "ref.m2", "-filt"], "-filt needs a type"),
    ],
)
def test_what_cannot_be_done_is_told_and_gives_2(files: Path, run: Command, arguments: list[str], part: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert part in err


@pytest.mark.clause("G Figure 1", "G Table 4", "G Table 5", "G Table 6", "G Table 7")
def test_concentrated_shows_the_papers_tables(files: Path, run: Command) -> None:
    found = run.json("concentrated", "gold.json", "system.m2")["result"]
    assert found["types"] == {"REF": 1, "VERB:TENSE": 1}
    assert found["sources"] == {"FCE": 1, "REALEC": 1}
    assert found["contexts"] == [{"direction": "left", "distance": "1", "clause": 0, "sentence": 1}]
    (system,) = found["systems"]
    assert (system["tp"], system["fp"], system["fn"]) == (1, 0, 1)
    assert system["by_source"]["REALEC"]["recall"] == 0.0
    code, out, _ = run("concentrated", "gold.json", "system.m2", "--lang", "ru")
    assert code == 0
    for title in ("Типы ошибок", "Исходные корпусы", "Контекст, нужный ошибкам", "Контекстно зависимые ошибки: корпус"):
        assert title in out


def test_concentrated_without_systems_shows_the_data_set_alone(files: Path, run: Command) -> None:
    code, out, _ = run("concentrated", "gold.json")
    assert code == 0
    assert "Types of errors" in out
    assert "TP" not in out


def test_a_system_with_two_annotators_is_refused(files: Path, run: Command) -> None:
    Path("two.m2").write_text(SYSTEM + "A 0 1|||T|||x|||R|||N|||0\nA 0 1|||T|||x|||R|||N|||1\n", "utf-8")
    code, _, err = run("concentrated", "gold.json", "two.m2")
    assert code == 2
    assert "line 4: a system has one annotator" in err


def test_blocks_are_shown_for_every_item(files: Path, run: Command) -> None:
    assert run.json("blocks", "gold.json")["result"] == {"items": {"one": [[0, 1]], "two": [[0]]}}
    assert "one" in run("blocks", "gold.json")[1]


def test_agreement_is_shown_in_all_and_by_type(files: Path, run: Command) -> None:
    ratings = {"items": [[0, 0], [0, 1]], "categories": [0, 1], "base": [0, 1], "types": ["DET", "WO"]}
    Path("ratings.json").write_text(json.dumps(ratings), "utf-8")
    code, out, _ = run("agreement", "ratings.json")
    rows = [line.split() for line in out.splitlines()]
    assert code == 0
    assert ["DET", "—", "—", "1.000", "100.000", "1"] in rows
    assert run.json("agreement", "ratings.json")["result"]["by_type"]["WO"]["authors_percent"] == 50.0


def test_the_stream_answers_and_goes_on_after_a_truncated_file() -> None:
    lines = [
        {"id": 1, "op": "gec.compare", "reference_m2": REFERENCE, "hypothesis_m2": HYPOTHESIS[:-30]},
        {"id": 2, "op": "gec.blocks", "n_sentences": 3, "edits": [{"first": 1, "last": 2, "group": None}]},
    ]
    refused, answered = (reply_to(line) for line in lines)
    assert refused["error"]["code"] == "invalid_m2"
    assert refused["error"]["details"]["faults"][0]["line"] == HYPOTHESIS.rstrip().count("\n") + 1
    assert answered["result"] == {"blocks": [[0], [1, 2]]}


def test_comparing_loads_neither_numpy_nor_tables() -> None:
    program = (
        "import sys\nfrom tracks.gec.operations import OPERATIONS\n"
        "print(sorted({'numpy', 'krippendorff', 'rich', 'click'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_units_may_be_compared_in_blocks(files: Path, run: Command) -> None:
    # Sentence by sentence either annotator is right; in one block each has missed what the other has found.
    line = "A 0 1|||R:X|||z|||REQUIRED|||-NONE-|||{}\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||{}"
    Path("r.m2").write_text(f"S a\n{line.format(0, 1)}\n\nS b\n{line.format(1, 0)}\n", "utf-8")
    Path("h.m2").write_text(
        "S a\nA 0 1|||R:X|||z|||REQUIRED|||-NONE-|||0\n\nS b\nA 0 1|||R:X|||z|||REQUIRED|||-NONE-|||0\n", "utf-8"
    )
    Path("blocks.json").write_text('{"blocks": [[0, 1]]}', "utf-8")
    found = run.json("compare", "r.m2", "h.m2")["result"]
    assert (found["units"], found["systems"][0]["correction"]["tp"]) == (2, 2)
    found = run.json("compare", "r.m2", "h.m2", "--blocks", "blocks.json")["result"]
    counts = found["systems"][0]["correction"]
    assert (found["units"], counts["tp"], counts["fp"], counts["fn"]) == (1, 1, 1, 0)


@pytest.mark.parametrize("blocks", ["[]", "{}", '{"blocks": [[0]]}', '{"blocks": [[0, 1], [true]]}', '{"blocks": [0]}'])
def test_blocks_that_are_no_partition_are_refused(files: Path, run: Command, blocks: str) -> None:
    Path("blocks.json").write_text(blocks, "utf-8")
    assert run("compare", "system.m2", "system.m2", "--blocks", "blocks.json")[0] == 2


TEMPTING = """\
S a b c
A 0 1|||R:NOUN|||x|||REQUIRED|||-NONE-|||0
A 1 2|||R:SPELL|||y|||REQUIRED|||-NONE-|||0
A 2 3|||R:VERB|||z|||REQUIRED|||-NONE-|||1
"""
MADE = """\
S a b c
A 0 1|||R:NOUN|||x|||REQUIRED|||-NONE-|||0
A 2 3|||R:VERB|||z|||REQUIRED|||-NONE-|||0
"""


def test_the_options_of_errant_compare_name_files_and_choose_its_mode(files: Path, run: Command) -> None:
    by_place = run.json("compare", "ref.m2", "hyp.m2", "--mode", "errant", "--beta", "2")
    by_option = run.json("compare", "-hyp", "hyp.m2", "-ref", "ref.m2", "-b", "2")
    assert by_option == by_place
    assert (
        run.json("compare", "-ref", "ref.m2", "-hyp", "hyp.m2", "--mode", "unit")["fingerprint"]
        == (run.json("compare", "ref.m2", "hyp.m2")["fingerprint"])
    )


@pytest.mark.parametrize(
    ("left_out", "counts", "annotator"),
    [
        ((), (1, 1, 0), 1),
        (("R:VERB",), (1, 0, 1), 0),  # the one who is left without edits goes on taking part
        (("R:NOUN", "R:SPELL"), (1, 0, 0), 1),
        (("R:NOUN", "R:VERB"), (0, 0, 0), 1),
        (("R:NOUN", "R:SPELL", "R:VERB"), (0, 0, 0), 0),
        (("NOUN", "R"), (1, 1, 0), 1),  # whole labels alone, as errant_compare 3.0.2 takes them
    ],
)
def test_types_are_left_out_of_both_sides(
    files: Path,
    run: Command,
    left_out: tuple[str, ...],
    counts: tuple[int, int, int],
    annotator: int,
) -> None:
    """The counts are those of ``errant_compare -filt`` on these files."""
    (files / "tempting.m2").write_text(TEMPTING, "utf-8")
    (files / "made.m2").write_text(MADE, "utf-8")
    filtering = ("-filt", *left_out) if left_out else ()
    told = run.json("compare", *filtering, "-hyp", "made.m2", "-ref", "tempting.m2")
    (system,) = told["result"]["systems"]
    assert tuple(system["correction"][name] for name in ("tp", "fp", "fn")) == counts
    assert system["chosen"] == [[0, annotator]]
    assert told["result"]["left_out"] == list(left_out)
    same = [word for each in left_out for word in ("--without", each)]
    assert run.json("compare", "-hyp", "made.m2", "-ref", "tempting.m2", *same) == told


@pytest.mark.parametrize(
    ("tier", "shown"), [("1", {"by operation"}), ("2", {"by type"}), ("3", {"by operation and type"})]
)
def test_a_tier_is_shown_alone(files: Path, run: Command, tier: str, shown: set[str]) -> None:
    titles = run("compare", "-ref", "ref.m2", "-hyp", "hyp.m2", "-cat", tier)[1].splitlines()
    assert {line.removeprefix("hyp.m2: ") for line in titles if line.startswith("hyp.m2: ")} == shown


@pytest.mark.parametrize("options", [[], ["-filt", "R:VERB"], ["--mode", "unit"]])
def test_verbose_names_each_edit_that_counts_and_adds_up(files: Path, run: Command, options: list[str]) -> None:
    words = ["-ref", "ref.m2", "-hyp", "hyp.m2", *options]
    rows = [line.split() for line in run("compare", *words, "-v")[1].partition("hyp.m2: by edit")[2].splitlines()[3:]]
    (system,) = run.json("compare", *words)["result"]["systems"]
    assert rows
    for name in ("tp", "fp", "fn"):
        assert sum(unit[name] for unit in system["by_unit"]) == system["correction"][name]
    for unit, told in enumerate(system["by_unit"]):
        signs = Counter(row[1] for row in rows if row[0] == str(unit))
        assert {name: signs[name.upper()] for name in ("tp", "fp", "fn")} == {k: told[k] for k in ("tp", "fp", "fn")}
