"""``markup-core convert`` between formats: what is recognised, where results go, what is told of losses and errors.

Tables and pictures by the command: what is written where, and what is refused before anything is scored.
"""

from __future__ import annotations

import csv
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from markup_core.command.cli import PICTURES, main
from tests.markup_core.formats.test_json import EXPORT
from tests.markup_core.formats.test_standoff import CAS
from tests.typed_commands import Command


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(main, capsys, "convert")


def load(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def save(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value, ensure_ascii=False), "utf-8")
    return path


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_brat_and_back_keeps_everything_but_what_was_told(essays: Path, run: Command) -> None:
    code, out, err = run("--to", "brat", "summer.json", "-o", "there.ann")
    assert (code, out, err) == (0, "", "summer.json: not carried: fields of meta: 8\n")
    before = load(essays / "summer.json")
    assert (essays / "there.txt").read_text("utf-8") == before["text"]
    code, out, err = run("there.ann", "--subject", "rus-free")
    assert (code, err) == (0, "brat: files: 1\n")
    assert json.loads(out) == {**before, "meta": {"subject": "rus-free"}}


def test_web_annotation_and_back_is_the_same(essays: Path, run: Command) -> None:
    assert run("--to", "web-annotation", "summer.json", "-o", "there.jsonld") == (0, "", "")
    code, out, err = run("there.jsonld")
    assert (code, json.loads(out), err) == (0, load(essays / "summer.json"), "web-annotation: files: 1\n")
    shutil.copy("there.jsonld", "there.json")
    assert run("there.json") == (0, out, err)  # known by what it holds
    assert run("--from", "web-annotation", "--to", "notation", "there.json")[1].startswith("Тема: ")


def test_ids_that_the_notation_renumbers_are_told(essays: Path, run: Command) -> None:
    summer = load(essays / "summer.json")
    assert run("summer.json")[2] == ""
    summer["selections"].reverse()
    assert run(save(essays / "turned.json", summer))[2] == ""  # the ids are still those of their order
    for place, selection in enumerate(summer["selections"]):
        selection["id"] = place  # from the last fragment on: 0, 1, 2 instead of 3, 2, 1
    err = run(save(essays / "ids.json", summer))[2]
    assert err.endswith("ids.json: not carried: ids of fragments (numbers stand in their place): 3\n")


def test_standoff_is_found_from_either_file(essays: Path, run: Command) -> None:
    run("--to", "brat", "summer.json", "-o", "there.ann")
    shutil.copy("there.ann", "UPPER.ANN")
    shutil.copy("there.txt", "UPPER.txt")
    wanted = run("there.ann", "--subject", "rus-free")
    assert run("UPPER.ANN", "--subject", "rus-free") == wanted
    assert run("--from", "brat", "there.txt", "--subject", "rus-free") == wanted


def test_several_files_go_into_a_folder(essays: Path, run: Command) -> None:
    (essays / "there").mkdir()
    code, _, err = run("--to", "brat", "-o", "there", "summer.json", "books.json", "--lang", "ru")
    assert code == 0
    project = {"annotation.conf", "visual.conf"}
    assert names(essays / "there") == {"summer.ann", "summer.txt", "books.ann", "books.txt"} | project
    assert err == "не перенесено: полей meta: 16\n"


def test_a_document_of_inception_is_recognised(essays: Path, run: Command) -> None:
    save(essays / "cas.json", CAS)
    codes = save(essays / "codes.json", {"PER": None, "Л.логика": "Г.упр"})
    code, out, err = run("cas.json", "--subject", "rus", "--codes", codes, "--lang", "ru")
    assert code == 0
    assert [each["type"] for each in json.loads(out)["selections"]] == ["Г.упр", "Г.упр"]
    assert "меток, которые велено опустить: 1" in err


def test_label_studio_becomes_experts_that_compare_reads(
    essays: Path, run: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    save(essays / "export.json", EXPORT)
    folder = essays / "there"
    folder.mkdir()
    code, out, err = run("export.json", "-o", "there")
    assert (code, out) == (0, "")
    assert names(folder) == {"12_exp01.json", "12_exp02.json"}
    assert err.splitlines()[:2] == ["label-studio: files: 1", "documents: 1, annotators: 7 = exp01, b@x = exp02"]
    assert err.splitlines()[2].startswith("export.json: not carried: relations: 1; ")
    assert main(["validate", "there/12_exp01.json", "there/12_exp02.json"]) == 0
    assert main(["compare", "there", "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["result"]["essays"] == 1


def test_two_folders_of_brat_become_two_experts(essays: Path, run: Command) -> None:
    for annotator, listed in {"anna": ["summer.json", "books.json"], "boris": ["summer.json"]}.items():
        (essays / "project" / annotator).mkdir(parents=True)
        run("--to", "brat", *listed, "-o", essays / "project" / annotator)
    (essays / "there").mkdir()
    arguments = ("project/anna", "project/boris", "--subject", "rus-free", "-o", "there")
    code, out, err = run(*arguments)
    assert (code, out, err) == (0, "", "brat: files: 3\ndocuments: 2, annotators: anna = exp01, boris = exp02\n")
    assert names(essays / "there") == {"books_exp01.json", "summer_exp01.json", "summer_exp02.json"}
    before = {path.name: path.read_bytes() for path in (essays / "there").iterdir()}
    shutil.make_archive("project", "zip", "project")
    shutil.rmtree(essays / "there")
    (essays / "there").mkdir()
    assert run("project.zip", *arguments[2:]) == (0, "", err)
    assert {path.name: path.read_bytes() for path in (essays / "there").iterdir()} == before


def test_hidden_files_of_a_folder_are_left_out_and_hidden_folders_on_the_way_to_it_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Command
) -> None:
    inner = tmp_path / ".work" / "inner"
    (inner / ".git").mkdir(parents=True)
    line = '{"text": "Cat", "label": [[0, 3, "Р.стил"]]}'
    for path in (inner / "one.jsonl", inner / ".git" / "two.jsonl"):
        path.write_text(line, "utf-8")
    monkeypatch.chdir(inner)
    for source in ("../inner/one.jsonl", "..", inner, inner / "one.jsonl"):
        code, out, err = run(source, "--subject", "rus-free")
        assert (code, err, json.loads(out)["text"]) == (0, "doccano: files: 1\n", "Cat")


@pytest.mark.parametrize("content", ["", '{"text": "Cat", "label": [[NaN, 3, "A"]]}', "[" * 100, "plain words"])
def test_a_file_that_another_tool_wrote_and_that_is_broken_is_called_no_markup_of_ours(
    content: str, tmp_path: Path, run: Command
) -> None:
    path = tmp_path / "one.jsonl"
    path.write_text(content, "utf-8")
    expected = f"markup-core: {path}: no format is recognized; name it to be told what is wrong: --from doccano|spacy\n"
    assert run(path, "--subject", "rus-free") == (2, "", expected)
    assert run(path) == (2, "", expected)


def test_one_folder_is_of_experts_if_told_and_its_own_markups_are_converted(essays: Path, run: Command) -> None:
    (essays / "project").mkdir()
    (essays / "there").mkdir()
    assert run("--to", "brat", ".", "-o", "project")[0] == 0
    assert {"summer.ann", "books.ann"} <= names(essays / "project")
    code, _, err = run("project", "--subject", "rus-free", "--as-experts", "-o", "there")
    assert (code, "unnamed = exp01" in err) == (0, True)
    assert {"summer_exp01.json", "books_exp01.json"} <= names(essays / "there")


BROKEN = [
    (("there",), "there is no file of a format that is read"),
    (("pair.ann", "--from", "word"), 'there is no format "word"; there are json, notation, brat, uima-xmi'),
    (("summer.json", "--to", "brat"), "brat's format is two files"),
    (("summer.json", "--to", "brat", "-o", "there.json"), "-o FILE.ann"),
    (("summer.json", "books.json"), "2 results; name an existing folder"),
    (("summer.json", "--subject", "rus"), "--subject is for other formats"),
    (("summer.json", "-o", "summer.json"), "summer.json: this would overwrite its own input"),
    (("summer.json", "a/summer.json", "-o", "there"), "two results would have this name"),
    (("summer.json", "wrong.json", "--to", "brat", "-o", "there"), "wrong.json: fragment 1"),
    (("notes.txt", "--to", "brat", "-o", "."), "notes.txt: this would overwrite its own input"),
    (("notes.json", "--to", "brat", "-o", "."), "notes.txt: brat's text goes here, but the file holds something else"),
    (("alone.ann", "--subject", "rus"), "alone.ann: alone.txt is missing beside it"),
    (("pair.ann",), "pair.ann: the file does not name its subject"),
    (("pair.ann", "--subject", "rus"), 'pair.ann: line 1: the label "Person" is no code of the subject rus'),
    (("pair.ann", "--subject", "rus", "--codes", "list.json"), "list.json: a JSON object is expected"),
    (("pair.ann", "--subject", "rus", "--codes", "nowhere.json"), "nowhere.json: no such file"),
    (("cas.json", "--subject", "rus"), "cas.json: $.%FEATURE_STRUCTURES: a list is expected"),
    (("list.json",), "list.json: a markup is a JSON object, not a list"),
    (("summer.json", "--from", "label-studio"), "summer.json: $: a task with data and annotations"),
    (("summer.json", "--from", "notation"), "summer.json: line 1, column 1"),
    (("surrogate.json", "--subject", "rus"), "surrogate.json: character 3 of"),
]


@pytest.mark.parametrize(("arguments", "told"), BROKEN, ids=[" ".join(arguments) for arguments, _ in BROKEN])
def test_what_cannot_be_converted_gives_2_names_the_file_and_writes_nothing(
    essays: Path, run: Command, arguments: tuple[str, ...], told: str
) -> None:
    (essays / "there").mkdir()
    (essays / "a").mkdir()
    shutil.copy("summer.json", "a/summer.json")
    main(["convert", "summer.json", "-o", "notes.txt"])
    shutil.copy("summer.json", "notes.json")
    save(essays / "wrong.json", {**load(essays / "books.json"), "text": "Короче"})
    (essays / "alone.ann").write_text("", "utf-8")
    (essays / "pair.ann").write_text("T1\tPerson 0 3\tКот\n", "utf-8")
    (essays / "pair.txt").write_text("Кот", "utf-8")
    save(essays / "list.json", [])
    save(essays / "cas.json", {"%FEATURE_STRUCTURES": 5})
    task = {"id": 1, "data": {"text": "Кот\ud83d"}, "annotations": [{"result": []}]}
    (essays / "surrogate.json").write_text(json.dumps([task]), "ascii")
    before = {path: path.read_bytes() for path in essays.rglob("*") if path.is_file()}
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("markup-core: ")
    assert told in err
    assert {path: path.read_bytes() for path in essays.rglob("*") if path.is_file()} == before


def test_a_disk_that_fails_leaves_no_half(essays: Path, run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    write = Path.write_bytes

    def failing(path: Path, content: bytes) -> int:
        if "there.txt" in path.name:
            raise OSError(28, "No space left on device")
        return write(path, content)

    monkeypatch.setattr(Path, "write_bytes", failing)
    before = names(essays)
    code, _, err = run("--to", "brat", "summer.json", "-o", "there.ann")
    assert (code, err) == (2, "markup-core: there.txt: no space left on device\n")
    assert names(essays) == before


def test_the_text_of_brat_may_be_there_already(essays: Path, run: Command) -> None:
    assert run("--to", "brat", "summer.json", "-o", "there.ann")[0] == 0
    assert run("--to", "brat", "summer.json", "-o", "there.ann")[0] == 0
    # Annotations that come back from brat go there again, beside the same text.
    assert run("--to", "brat", "there.ann", "--subject", "rus-free", "-o", "again.ann")[0] == 0
    assert (essays / "again.ann").read_bytes() == (essays / "there.ann").read_bytes()


def test_a_project_of_brat_is_configured_once_and_never_overwritten(essays: Path, run: Command) -> None:
    assert run("--to", "brat", "summer.json", "-o", "there.ann")[0] == 0
    conf = essays / "annotation.conf"
    ours = conf.read_text("utf-8")
    assert "\nG_upr\n" in ours
    conf.write_text(f"# mine\n{ours}Mine\tArg:<ENTITY>\n", "utf-8")
    assert run("--to", "brat", "books.json", "-o", "books.ann")[0] == 0
    assert conf.read_text("utf-8").startswith("# mine")
    conf.write_text("[entities]\nPER\n", "utf-8")
    code, _, err = run("--to", "brat", "books.json", "-o", "books.ann")
    assert (code, "the brat project there lacks the types Eh_agress, Eh_napravl" in err) == (2, True)


def test_own_labels_go_out_and_come_back_by_one_file(essays: Path, run: Command) -> None:
    before = load(essays / "summer.json")
    folder = essays / "project"
    folder.mkdir()
    for codes in ({"Government": "Г.упр"}, {"Г.упр": "Government"}):
        file = save(essays / "codes.json", codes)
        assert run("--to", "brat", "summer.json", "--codes", file, "-o", folder / "there.ann")[0] == 0
        assert "Government | Г.упр\n" in (folder / "visual.conf").read_text("utf-8")
        code, out, _ = run(folder / "there.ann", "--subject", "rus-free", "--codes", file)
        assert (code, json.loads(out)["selections"]) == (0, before["selections"])


FOREIGN = {
    "doccano.jsonl": ('{"id": 1, "text": "Кот", "label": [[0, 3, "PER"]]}\n{"id": 2, "text": "а"}\n', "doccano"),
    "one.json": ('{"id": 1, "text": "Кот", "entities": [{"id": 1, "label": "PER"}], "relations": []}', "doccano"),
    "list.json": ('[{"id": 1, "text": "Кот", "label": [[0, 3, "PER"]]}]', "doccano"),
    "old.json": ('{"_context": {}, "_views": {}, "_referenced_fss": {}}', "INCEpTION's legacy JSON"),
    "corpus.m2": ("S а б\nA 0 1|||R:X|||в|||REQUIRED|||-NONE-|||0\n", "M2, corrections of sentences"),
    "corpus.txt": ("S а б\nA 0 1|||R:X|||в|||REQUIRED|||-NONE-|||0\n", "M2, corrections of sentences"),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_files_of_other_tools_are_told_by_their_name(
    tmp_path: Path, run: Command, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    content, told = FOREIGN[name]
    (tmp_path / name).write_text(content, "utf-8")
    assert main(["validate", str(tmp_path / name), "--lang", "en"]) == 2
    assert f"{name}: this is {told}" in capsys.readouterr().err


def test_what_convert_reads_is_told_with_the_command_where_a_markup_is_wanted(
    tmp_path: Path, run: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {"studio.json": EXPORT, "cas.json": CAS}.items():
        assert main(["validate", str(save(tmp_path / name, value)), "--lang", "en"]) == 2
        assert "turn it into markups: markup-core convert" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("form", "files"),
    [
        ("doccano", {"anna.jsonl", "boris.jsonl"}),
        ("conll", {"anna.conll", "boris.conll"}),
        ("spacy", {"two.jsonl"}),
        ("csv", {"two.csv"}),
    ],
)
def test_many_texts_are_written_into_one_file_or_one_for_each_annotator(
    tmp_path: Path, run: Command, form: str, files: set[str]
) -> None:
    rows = "a,Кот 😀 спит,0,3,Г.упр,anna\na,Кот 😀 спит,6,10,Г.слов,boris\nb,Ёж,0,2,Г.упр,anna\n"
    table = tmp_path / "two.csv"
    table.write_text(f"document,text,start,end,label,annotator\n{rows}", "utf-8")
    out = tmp_path / "out"
    out.mkdir()
    code, _, err = run(table, "--subject", "rus", "--to", form, "-o", out)
    assert (code, names(out)) == (0, files)
    assert "csv: files: 1\ndocuments: 2, annotators: anna = exp01, boris = exp02\n" in err
    back = tmp_path / "back"
    back.mkdir()
    assert run(out, "--subject", "rus", "-o", back)[0] == 0
    words = sorted(
        (markup["text"][one["startSelection"] : one["endSelection"]], one["type"])
        for path in back.iterdir()
        for markup in [load(path)]
        for one in markup["selections"]
    )
    assert words == sorted([("Кот", "Г.упр"), ("спит", "Г.слов"), ("Ёж", "Г.упр")])


def test_a_markup_of_our_own_becomes_a_row_for_each_fragment(essays: Path, run: Command) -> None:
    code, out, err = run("summer.json", "--to", "csv")
    assert (code, out.count("\n"), err) == (0, 4, "summer.json: not carried: fields of meta: 2\n")
    assert ",ихнюю," in out
    code, _, err = run("summer.json", "books.json", "--to", "doccano", "-o", essays / "all.jsonl")
    assert code == 0
    assert [json.loads(line)["id"] for line in (essays / "all.jsonl").read_text("utf-8").splitlines()] == [
        "summer",
        "books",
    ]


ESSAYS = Path(__file__).resolve().parents[3] / "docs" / "examples" / "essays"
SUMMER = [str(ESSAYS / "summer.json"), str(ESSAYS / "summer_exp01.json")]


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Return a folder with a second program's answers: the first expert's markups."""
    folder = tmp_path / "other"
    folder.mkdir()
    for essay in ("books", "summer"):
        shutil.copy(ESSAYS / f"{essay}_exp01.json", folder / f"{essay}.json")
    return folder


def rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text("utf-8").splitlines()))


@pytest.mark.parametrize(
    ("words", "tables"),
    [
        (["match", *SUMMER], ["fragments", "matching"]),
        (["compare", *SUMMER], ["fragments", "matching", "metrics"]),
        (["compare", str(ESSAYS)], ["accuracies", "essays", "pairs"]),
        (["report", str(ESSAYS)], ["accuracies", "essays", "pairs"]),
        (["agree", str(ESSAYS)], ["alpha", "codes", "confusion", "couples"]),
    ],
)
def test_all_tables_go_to_the_folder_and_every_row_is_signed(
    words: list[str], tables: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--format", "csv", "-o", str(tmp_path / "new" / "out")]) == 0
    written = {path.stem: rows(path) for path in (tmp_path / "new" / "out").iterdir()}
    assert sorted(written) == tables
    assert all(row["signature"].startswith("markup_core:") for table in written.values() for row in table)
    assert capsys.readouterr().out == ""


def test_standard_output_has_the_first_table_and_the_others_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["agree", str(ESSAYS), "--format", "json", "--lang", "en"]) == 0
    output = capsys.readouterr()
    assert json.loads(output.out)[0]["essays"] == 2
    assert output.err == "Not written to standard output: codes, confusion, alpha; -o FOLDER writes all tables.\n"


def test_the_fingerprint_of_a_table_is_that_of_the_record_and_of_the_library(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import markup_core
    from markup_core.receipt import canonical_bytes, sha256_hex

    main(["compare", str(ESSAYS), "--format", "csv", "-o", str(tmp_path)])
    (signature, *_) = (row["signature"] for row in rows(tmp_path / "accuracies.csv"))
    main(["compare", str(ESSAYS), "--json"])
    record = json.loads(capsys.readouterr().out)
    assert signature.endswith(f"|fingerprint:{sha256_hex(canonical_bytes(record['fingerprint']))[:16]}")
    sample = markup_core.score_sample(list(markup_core.load_folder(ESSAYS).values()))
    assert sample.to_frame().columns["signature"][0] == signature


def test_two_programs_are_compared_by_table_frame_and_a_record_that_verifies(
    other: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["compare", str(ESSAYS), "--against", str(other)]
    assert main([*words, "--lang", "en"]) == 0
    assert "p, permutation" in capsys.readouterr().out
    assert main([*words, "--format", "csv", "-o", str(tmp_path / "t")]) == 0
    star = rows(tmp_path / "t" / "differences.csv")[0]
    assert (star["measure"], star["essays"], star["low"]) == ("STAR", "2", "")
    assert "|op:systems|" in star["signature"]
    assert main([*words, "--json"]) == 0
    record = tmp_path / "record.json"
    record.write_text(capsys.readouterr().out, "utf-8")
    assert main(["verify", str(record)]) == 0
    value = json.loads(record.read_text("utf-8"))
    value["result"]["measures"][0]["difference"] += 1
    record.write_text(json.dumps(value), "utf-8")
    assert main(["verify", str(record)]) == 1


@pytest.mark.parametrize("kind", PICTURES)
@pytest.mark.parametrize("language", ["en", "ru"])
def test_each_picture_is_drawn(kind: str, language: str, other: Path, tmp_path: Path) -> None:
    words = ["plot", kind, str(ESSAYS), "-o", str(tmp_path / "a.svg"), "--lang", language]
    assert main([*words, *(["--against", str(other)] if kind == "systems" else [])]) == 0
    svg = (tmp_path / "a.svg").read_text("utf-8")
    assert "fingerprint:" in svg
    assert ("процент" in svg or "азност" in svg or "эксперт" in svg or "рограмм" in svg) == (language == "ru")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["agree", "FOLDER", "-o", "x"], "-o FOLDER takes tables"),
        (["agree", "FOLDER", "--format", "csv", "--json"], "--format and --json exclude each other"),
        (["agree", "FOLDER", "--format", "json", "-o", "FOLDER"], "the tables would lie among their inputs"),
        (["compare", "FOLDER", "--format", "csv", "-o", "EMPTY", "--against", "EMPTY"], "among their inputs"),
        (["plot", "whiskers", "FOLDER", "-o", "a.gif"], "a.gif: a picture is .svg or .png"),
        (["plot", "systems", "FOLDER"], "--against FOLDER names the second program"),
        (["plot", "errors", "FOLDER", "--against", "FOLDER"], "--against FOLDER names the second program"),
        (["compare", *SUMMER, "--against", "FOLDER"], "are for a folder"),
        (["plot", "errors", "FOLDER", "--answers", "EMPTY"], "no essay has a program's markup"),
        (["compare", "FOLDER", "--against", "EMPTY"], "the programs cannot be compared"),
    ],
)
def test_what_cannot_be_drawn_or_written_is_refused(
    words: list[str], complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    named = {"FOLDER": str(ESSAYS), "EMPTY": str(tmp_path)}
    assert main([*(named.get(word, word) for word in words), "--lang", "en"]) == 2
    output = capsys.readouterr()
    assert complaint in output.err
    assert output.out == ""


@pytest.mark.parametrize(
    "words", [["agree", "nowhere", "--format", "parquet"], ["plot", "errors", "nowhere", "-o", "a.png"]]
)
def test_a_missing_package_is_told_before_anything_is_read(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module in ("pyarrow", "resvg_py"):
        monkeypatch.setitem(sys.modules, module, None)
    assert main(words) == 2
    assert " is not installed: pip install 'markup-core[" in capsys.readouterr().err
