"""``python -m tracks batch``: the wire form of tracks.md §5, in the stream of the scoring library.

The command ``tracks``: its commands, its exit codes, what becomes of errors.
"""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from tests.tracks.samples import reply_to
from tracks.base import fingerprint
from tracks.command import cli, printing

ITEM = {"gold": "1,3", "prediction": "1, 3", "id_task": "12", "type": "multiple_choice_independent_options"}
PING = json.dumps({"id": "ping", "op": "exam.item", **ITEM}).encode()


def answers(data: bytes) -> list[dict[str, Any]]:
    written = io.BytesIO()
    printing.serve(io.BytesIO(data), written)
    return [json.loads(line) for line in written.getvalue().decode("utf-8").splitlines()]


def reply(op: Any, **fields: Any) -> dict[str, Any]:
    return reply_to({"id": 1, "op": op, **fields})


def test_an_answer_has_exactly_the_fields_of_the_wire_form() -> None:
    assert answers(PING) == [
        {
            "id": "ping",
            "ok": True,
            "result": {"score": 1, "max": 1},
            "fingerprint": fingerprint("exam.item", ITEM),
        }
    ]


def test_a_refusal_has_exactly_the_fields_of_the_wire_form() -> None:
    message = "prediction must be a string, not 5"
    assert reply("exam.item", **{**ITEM, "prediction": 5}) == {
        "id": 1,
        "ok": False,
        "error": {"code": "invalid_request", "message": message, "details": {"field": "prediction"}},
    }


@pytest.mark.clause("tracks §5 batch")
@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"", "invalid_json"),
        (b"{}", "invalid_request"),
        (b'{"op": 5}', "invalid_request"),
        (b'{"op": "exam"}', "unknown_op"),
        (b'{"op": "exam.items"}', "unknown_op"),
        (b'{"op": "exam.item.score"}', "unknown_op"),
        (b'{"op": "essay.score"}', "unknown_op"),
        (b'{"op": "..exam.item"}', "unknown_op"),
        (b'{"op": ""}', "unknown_op"),
    ],
)
def test_a_bad_line_is_answered_and_the_stream_goes_on(line: bytes, code: str) -> None:
    first, second = answers(line + b"\n" + PING)
    assert first["error"]["code"] == code
    assert not first["ok"]
    assert second["id"] == "ping"
    assert second["ok"]


def test_an_unknown_op_is_told_what_there_is() -> None:
    error = reply("exam.score")["error"]
    assert error["details"]["known"] == list(printing.operation_names())
    assert {"exam.item", "exam.submission"} <= set(error["details"]["known"])


def test_the_fingerprint_names_the_versions_and_hashes_every_field_in_canonical_json() -> None:
    made = reply("exam.item", **ITEM)["fingerprint"]
    assert made["library"] == "tracks 0.1.0"
    assert made["op"] == "exam.item"
    assert made["inputs"].keys() == ITEM.keys()
    # canonical JSON of a string without anything to escape is the string in quotes
    assert made["inputs"]["gold"] == hashlib.sha256(b'"1,3"').hexdigest()


def test_a_fingerprint_names_the_libraries_of_its_own_operation_alone() -> None:
    named = {op: fingerprint(op, {"mode": "normalised"})["libraries"].keys() for op in printing.operation_names()}
    assert {op: set(names) for op, names in named.items() if names} == {
        "fusion.c2c": {"tree-sitter", "tree-sitter-python"},
        "fusion.vqa": {"pymorphy3", "pymorphy3-dicts-ru"},
        "gec.agreement": {"krippendorff", "numpy"},
    }


DOCUMENTED = (
    "exam.item exam.submission gec.compare gec.blocks gec.concentrated gec.agreement "
    "fusion.c2c fusion.htr fusion.zsod fusion.vqa fusion.integral fusion.prize "
    "diagnosis.validate diagnosis.bound diagnosis.session diagnosis.board diagnosis.partial_barrier diagnosis.rotation"
).split()


@pytest.mark.clause("tracks §5 batch")
def test_all_operations_of_the_specification_are_there() -> None:
    assert set(DOCUMENTED) <= set(printing.operation_names())


def test_an_operation_loads_no_other_track() -> None:
    program = (
        "import io, sys; from tracks.command import printing; "
        f"printing.serve(io.BytesIO({PING!r}), io.BytesIO()); "
        "print(*sorted(name for name in sys.modules if name.startswith('tracks.') and name.count('.') == 1))"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = {name.removeprefix("tracks.") for name in run.stdout.split()}
    assert loaded & {"diagnosis", "exam", "fusion", "gec", "essay"} == {"exam"}


def test_each_answer_leaves_before_the_next_request_comes() -> None:
    command = [sys.executable, "-m", "tracks", "batch"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for line in (PING, b"", PING):
            process.stdin.write(line + b"\n")
            assert process.stdout.readline().endswith(b"}\n")
        assert process.communicate() == (b"", b"")
    assert process.returncode == 0


def test_a_reader_that_goes_away_ends_the_stream_without_a_word() -> None:
    command = [sys.executable, "-m", "tracks", "batch"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.write(PING + b"\n")
        assert process.wait() == 141
        assert process.stderr.read() == b""


def test_every_track_has_a_command_of_its_name_and_batch_is_there() -> None:
    context = click.Context(cli.group)
    names = cli.group.list_commands(context)
    assert names == ["batch", "custom", "diagnosis", "exam", "fusion", "gec"]
    for name in names:
        command = cli.group.get_command(context, name)
        assert command is not None
        assert command.name == name
        assert command.help
    assert cli.group.get_command(context, "essay") is None


def test_help_and_version_are_no_failures(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == "tracks 0.1.0\n"
    assert cli.main(["--help"]) == 0
    assert "diagnosis" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["essay"], ["exam", "mark"], ["batch", "file"], ["exam", "score"], ["--json"]])
def test_wrong_usage_is_two_and_said_on_standard_error(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(arguments) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert "Usage: tracks" in output.err


def test_a_file_that_is_not_there_is_two_and_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["exam", "check", str(tmp_path / "none.json")]) == 2
    assert capsys.readouterr().err == f"tracks: {tmp_path / 'none.json'}: no such file or directory\n"


def test_an_interrupt_is_one_hundred_and_thirty(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(printing, "serve", interrupted)
    assert cli.main(["batch"]) == 130


@pytest.mark.parametrize(
    ("words", "unneeded"),
    [("exam --help", {"diagnosis", "fusion", "gec", "essay"}), ("gec check r.m2", {"base", "protocol", "rules"})],
)
def test_a_command_loads_no_other_track_and_a_check_nothing_that_scores(
    words: str, unneeded: set[str], tmp_path: Path
) -> None:
    (tmp_path / "r.m2").write_text("S A\nA 0 1|||T|||a|||REQUIRED|||-NONE-|||0\n", "utf-8")
    program = (
        f"import sys; from tracks.command import cli; cli.main({words.split()}); "
        "print(*sorted({name.split('.')[1] for name in sys.modules if name.startswith('tracks.')}))"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert unneeded & set(run.stdout.splitlines()[-1].split()) == set()


def test_a_terminal_that_cannot_show_a_character_gets_its_escape(tmp_path: Path) -> None:
    (tmp_path / "items.json").write_text('[{"outputs": "ж", "meta": {"id": "ж"}}]', "utf-8")
    run = subprocess.run(
        [sys.executable, "-m", "tracks", "exam", "check", "items.json"],
        cwd=tmp_path,
        env={"PYTHONIOENCODING": "latin-1"},
        capture_output=True,
        check=False,
    )
    assert run.returncode == 1
    assert b"\\u0436" in run.stdout
    assert run.stderr == b""


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("-m markup_core codes hist --lang ru", 2),
        ("-m tracks fusion integral --c2c 1 --htr 1 --zsod 1 --vqa 1 --lang ru", 2),
        ("-m pku new --help --lang ru", 1),
    ],
)
def test_an_output_that_cannot_be_written_is_explained_and_a_closed_one_is_no_fault(words: str, code: int) -> None:
    typed = f"{sys.executable} {words}"
    full = subprocess.run(["/bin/sh", "-c", f"{typed} > /dev/full"], capture_output=True, text=True, check=False)
    assert full.returncode == code
    assert "результат не удалось вывести: " in full.stderr
    assert full.stderr.count("\n") == 1
    closed = subprocess.run(["/bin/sh", "-c", f"{typed} <&- >&- 2>&-"], check=False)
    assert closed.returncode < 2
