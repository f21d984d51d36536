"""Fields of a request: the value in its type, or a refusal that names the field.

Whatever a request holds, an operation answers or refuses; it never fails (tracks.md §5).

What reports say of their columns to who draws them, and names in both languages (protocol.Section).

What the tracks' commands cannot read they say in the language asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given

from contest.results.rules import reports
from markup_core.command.inputs import RefusedError
from tests.json_mutations import NESTED, mutated
from tests.leftovers import english
from tests.tracks.exam.exam_items import item, right
from tests.tracks.gec.texts import REFERENCE
from tests.tracks.samples import reply_to
from tracks.base import Fields
from tracks.command.cli import main
from tracks.command.printing import operation_names
from tracks.diagnosis.board import accuracies, named
from tracks.diagnosis.stages import NAMES
from tracks.fusion.subtasks import Subtask, sum_section
from tracks.gec.report import DIRECTIONS, with_more
from tracks.protocol import Section, in_both, in_language

Read = Callable[[Fields], Any]


def refusal(read: Read, **values: Any) -> RefusedError:
    with pytest.raises(RefusedError) as caught:
        read(Fields(values))
    assert caught.value.code == "invalid_request"
    return caught.value


READERS: list[tuple[str, Any, Any]] = [
    ("text", "да", 1),
    ("flag", True, 1),
    ("whole", 3, 3.0),
    ("whole", 0, False),
    ("number", 2.5, "2.5"),
    ("number", 0, True),
    ("number", -1, float("nan")),
    ("number", -1, float("inf")),
    ("number", 10**20, 10**400),
    ("choice", "a", "c"),
    ("choice", "b", ["a"]),
    ("items", [1], {"0": 1}),
    ("mapping", {"a": 1}, [1]),
]


@pytest.mark.parametrize(("reader", "good", "bad"), READERS)
def test_a_value_of_its_type_is_read_none_is_the_default_and_any_other_refused(
    reader: str, good: Any, bad: Any
) -> None:
    def read(fields: Fields, *default: Any) -> Any:
        return getattr(fields, reader)("x", *[("a", "b")] * (reader == "choice"), *default)

    assert read(Fields({"x": good})) == good
    assert refusal(read, x=bad).details == refusal(read, x=None).details == {"field": "x"}
    assert "is missing" in refusal(read).message
    assert read(Fields({}), "d") == read(Fields({"x": None}), "d") == "d"


def test_null_without_a_default_is_a_value_of_raw() -> None:
    assert Fields({"x": None}).raw("x") is None
    assert Fields({"x": None}).raw("x", "d") == "d"


def test_a_number_is_a_float_and_zero_is_no_default() -> None:
    assert str(Fields({"x": 3}).number("x")) == "3.0"
    assert Fields({"x": 0}).number("x", 5.0) == 0


def test_bounds_are_part_of_the_range_and_of_the_refusal() -> None:
    assert Fields({"x": 1}).whole("x", low=1, high=1) == 1
    assert refusal(lambda fields: fields.whole("x", low=1), x=0).message == "x must be at least 1, not 0"
    assert refusal(lambda fields: fields.whole("x", high=1), x=2).message == "x must be at most 1, not 2"
    assert refusal(lambda fields: fields.number("x", low=0, high=1), x=2).message == "x must be from 0 to 1, not 2"


def test_a_field_inside_is_named_by_its_path() -> None:
    whole = {"items": [{"meta": {"id": 1}}, {"meta": {"id": "1"}}]}
    error = refusal(lambda fields: [each.part("meta").whole("id") for each in fields.parts("items")], **whole)
    assert error.details == {"field": "items[1].meta.id"}
    assert error.message == 'items[1].meta.id must be a whole number, not "1"'
    for bad, path in (({"b": [{}, 5]}, "a.b[1]"), ({"b": 1}, "a.b"), ("a", "a"), (None, "a")):
        assert refusal(lambda fields: list(fields.part("a").parts("b")), a=bad).details == {"field": path}


M2: Final = "S a b c\nA 0 1|||R:X|||d|||REQUIRED|||-NONE-|||0\n"
ANSWER: Final = [{"decorCode": "diagnosisMain", "code": "J44.1"}]
EDIT: Final = {"start": 0, "end": 1, "correction": "d", "type": "R:X", "context_dependent": True}
EPICRISIS: Final = {"nosology": "copd", "ill": True, "v3": ANSWER, "v2": None, "cost_min": 1, "cost_max": 2.5}
TEAM: Final = {"team": "a", "sk": 0.9, "se_lower": 0.8, "sp_lower": 0.8, "cost": 5, "mean_time_s": None}
REQUESTS: Final[dict[str, dict[str, Any]]] = {
    "exam.item": {"gold": "1,2", "prediction": "1", "id_task": "16", "type": "multiple_choice_based_on_text"},
    "exam.submission": {"items": [item()], "answers": right([item()])},
    "gec.compare": {"reference_m2": M2, "hypothesis_m2": M2, "mode": "unit", "beta": 1, "by": "type"},
    "gec.blocks": {"n_sentences": 3, "edits": [{"first": 0, "last": 1, "group": "g"}]},
    "gec.concentrated": {"gold": [EDIT], "hypothesis": [EDIT], "by": "full", "detection": "token"},
    "gec.agreement": {"items": [["a", "b"], ["a", None]], "categories": ["a", "b"], "base": ["a", None]},
    "fusion.c2c": {"true": {"a": "x = 1"}, "prediction": {"a": "x = 2"}},
    "fusion.htr": {"true": {"a": "x"}, "prediction": {"a": "y"}},
    "fusion.zsod": {"true": {"a": {"cat": [[0, 0, 5, 5]]}}, "prediction": {"a": {"cat": [[0, 0, 5, 4]]}}},
    "fusion.vqa": {"true": {"a": {"answer": "two", "lang": "en"}}, "prediction": {"a": "2"}, "mode": "normalised"},
    "fusion.integral": {"c2c": 30, "htr": 0.5, "zsod": 0.2, "vqa": 0.4},
    "fusion.prize": {"s": 1.6, "place": 1, "params": {"smin": 1.3}},
    "diagnosis.validate": {"answer": ANSWER, "stage": "semifinal"},
    "diagnosis.bound": {"successes": 4, "n": 5, "z": 1.64},
    "diagnosis.session": {"epicrises": [EPICRISIS, {**EPICRISIS, "ill": False}], "z": 1.64},
    "diagnosis.board": {"teams": [TEAM, {**TEAM, "team": "b"}]},
    "diagnosis.partial_barrier": {"passed": {"a": {"copd": 0.9}, "b": {"cteph": 0.8}}},
    "diagnosis.rotation": {"rounds": 16},
}
every = pytest.mark.parametrize("op", sorted(REQUESTS))


@pytest.mark.property
def test_every_operation_has_a_request() -> None:
    assert set(REQUESTS) == set(operation_names())


@pytest.mark.property
@every
def test_the_requests_are_answered(op: str) -> None:
    result = reply_to({"op": op, **REQUESTS[op]})
    assert result["ok"], result["error"]
    assert isinstance(result["result"], dict)


@pytest.mark.property
@every
@given(change=NESTED)
def test_a_request_with_a_part_replaced_is_answered_or_refused(op: str, change: Any) -> None:
    for fields in mutated(REQUESTS[op], change):
        if isinstance(fields, dict):
            result = reply_to({**fields, "op": op})
            assert result["ok"] or result["error"]["code"] != "internal_error", (fields, result)


NOSOLOGY = {
    "tp": 68,
    "fn": 7,
    "fp": 4,
    "tn": 41,
    "se": 0.9067,
    "se_lower": 0.8192,
    "sp": 0.9111,
    "sp_lower": 0.7927,
    "cost": 3,
    "passed": False,
    "se_barrier": 0.83,
    "sp_barrier": 0.87,
}


def judged_of(section: Section, row: int = 0) -> list[tuple[str, object, object, object]]:
    """List the judged values of a row by column title, each with its bound and its barrier."""
    cells = section.rows[row]
    return [
        (section.columns[each.value].en, cells[each.value], each.bound and cells[each.bound], cells[each.barrier])
        for each in section.judged
    ]


@pytest.mark.clause("D-App1б 4", "D-App1в table")
def test_a_nosology_is_drawn_by_its_matrix_and_by_both_shares_with_bound_and_barrier() -> None:
    section = accuracies({"nosologies": {"copd": NOSOLOGY}})
    assert section.matrix is not None
    assert [(section.columns[place].en, section.rows[0][place]) for place in section.matrix] == [
        ("TP", 68),
        ("FN", 7),
        ("FP", 4),
        ("TN", 41),
    ]
    assert judged_of(section) == [("Se", 0.907, 0.819, 0.83), ("Sp", 0.911, 0.793, 0.87)]
    assert {section.columns[place].en for place in section.shares} >= {"Se", "Sp", "Se, barrier", "Sp, lower bound"}


def test_the_sum_of_the_four_is_drawn_against_its_minimum_as_each_of_them_is() -> None:
    one = {"score": 0.5, "rounded": 0.5, "minimum": 0.35, "reached": True}
    section = sum_section(
        {"subtasks": {each.key: one for each in Subtask}, "s": 2.0, "smin": 1.3, "reached": True},
    )
    assert judged_of(section) == [("In the sum", 0.5, None, 0.35)]
    assert judged_of(section, len(section.rows) - 1) == [("In the sum", 2.0, None, 1.3)]


def test_what_is_drawn_goes_with_the_table_over_the_wire_and_is_empty_where_nothing_is() -> None:
    result = reports.section(accuracies({"nosologies": {"copd": NOSOLOGY}}))
    assert result["matrix"] == [1, 2, 3, 4]
    assert result["judged"][0] == {"value": 5, "barrier": 11, "bound": 6}
    plain = reports.section(Section("key", accuracies({"nosologies": {}}).title, (), ()))
    assert [plain[each] for each in ("matrix", "judged", "shares")] == [[], [], []]


@pytest.mark.parametrize("more", ["", " 1", " >4+1", ", Σ"])
def test_a_name_in_both_languages_is_read_whole_in_either(more: str) -> None:
    for both in (*DIRECTIONS.values(), *(named(name) for name in NAMES), named(*NAMES)):
        result = with_more(both, more)
        assert in_language(result, "en") == f"{in_language(both, 'en')}{more}"
        assert in_language(result, "ru") == f"{in_language(both, 'ru')}{more}"
        assert in_language(result, "en") != in_language(result, "ru"), both


def test_what_is_the_same_in_both_languages_stands_once() -> None:
    assert in_both("Se", "Se") == "Se"


M2_FAULTS = """A 0 1|||R|||a|||REQUIRED|||-NONE-|||0
S He go home
A 1 9|||R:VERB|||goes|||REQUIRED|||-NONE-|||0
A x 2|||R|||y|||REQUIRED|||-NONE-|||0
A 2 1|||R|||y|||REQUIRED|||-NONE-|||0
A 0 1|||R
A 0 1||||||y|||REQUIRED|||-NONE-|||0
A 0 1|||R|||y|||REQUIRED|||-NONE-|||x
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||R|||y|||REQUIRED|||-NONE-|||0
A 1 1|||R||||||REQUIRED|||-NONE-|||0
S
B foo
"""
EXAM_FAULTS = [
    {"meta": {"id": 1, "id_task": 99}, "instruction": "x", "inputs": 5},
    {"meta": {"id": [], "variant": 1, "score": "x", "type": 1, "id_task": "1"}, "outputs": 1, "more": 1},
    {"meta": {}},
    1,
]
"""Files with a fault of every kind, so that each sentence about them is printed."""
FAULTY = [
    ("gec check faults.m2", "отрезок 1 9 выходит за предложение, в котором слов 3"),
    ("exam check faults.json", "inputs: ожидается объект, а не 5"),
    ("diagnosis validate faults.json plain.json list.json", "нет"),
    ("fusion archive plain.json", "это не архив ZIP"),
]
PROGRAMS_KNOW = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)+|\S*\.\S+")
"""Codes, names of fields and of files stay as programs know them."""
FIELDS = set("id inputs outputs meta instruction type score variant image members noop code more text".split())
FIELDS |= {"matching", "diagnosis"}
ITEM = {"outputs": "1", "meta": {"id": 1}}
SEVERAL = "S a\nA 0 1|||R:X|||b|||REQUIRED|||-NONE-|||0\nA 0 1|||R:X|||c|||REQUIRED|||-NONE-|||1\n"
GOLD = {"items": [{"id": "one", "source": "s", "sentences": ["a"], "edits": []}]}
COMPLAINTS = [
    ("exam check nowhere.json", "нет такого файла или папки"),
    ("exam check plain.json", "ожидается список или"),
    ("exam check splits.json", "в файле несколько частей, a, b; выберите одну"),
    ("exam check splits.json --split c", "части c нет; есть a, b"),
    ("exam score items.json broken.json", "у ответа 0 должны быть outputs и meta.id"),
    ("exam score items.json twice.json", "ответ 1 — второй для задания 1"),
    ("gec agreement list.json", "должен быть объект JSON, а не"),
    ("gec compare ref.m2 ref.m2 --blocks plain.json", "blocks — списки, в которых каждое число от 0 до"),
    ("gec concentrated gold.json several.m2", "строка 1: у системы один аннотатор, а здесь их несколько"),
    ("fusion archive nowhere.zip", "нет такого файла или папки"),
    ("fusion board plain.json", "ожидается список команд"),
    ("fusion score nowhere nowhere", "такой папки нет"),
    ("fusion score empty empty", "в этой папке нет ни одного файла true_"),
    ("diagnosis rotation 16 --team a --team b", "для жребия нужен --seed"),
    ("diagnosis board plain.json", "нужен список JSON, сам по себе или как"),
    ("diagnosis epicrisis nowhere.xml", "нет такого файла или папки"),
]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write unusable files, and make their folder the current one."""
    for name, value in {
        "plain": {"a": 1},
        "list": [],
        "splits": {"data": {"a": [], "b": []}},
        "items": [],
        "broken": [{}],
        "twice": [ITEM, ITEM],
        "gold": GOLD,
    }.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(value), "utf-8")
    (tmp_path / "ref.m2").write_text(REFERENCE, "utf-8")
    (tmp_path / "several.m2").write_text(SEVERAL, "utf-8")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("command", "complaint"), COMPLAINTS, ids=[command for command, _ in COMPLAINTS])
def test_what_cannot_be_read_is_told_in_the_language_asked_for(
    files: Path, capsys: pytest.CaptureFixture[str], command: str, complaint: str
) -> None:
    assert main([*command.split(), "--lang", "ru"]) == 2
    assert complaint in capsys.readouterr().err
    assert main(command.split()) == 2
    printed = capsys.readouterr()
    assert (printed.out, re.search("[а-яё]", printed.err, re.IGNORECASE)) == ("", None)


@pytest.mark.parametrize(("command", "complaint"), FAULTY, ids=[command for command, _ in FAULTY])
def test_every_fault_inside_a_file_is_told_in_russian(
    files: Path, capsys: pytest.CaptureFixture[str], command: str, complaint: str
) -> None:
    (files / "faults.m2").write_text(M2_FAULTS, "utf-8")
    (files / "faults.json").write_text(json.dumps(EXAM_FAULTS), "utf-8")
    assert main([*command.split(), "--lang", "ru"]) == 1
    printed = capsys.readouterr()
    assert complaint in printed.out
    assert english(PROGRAMS_KNOW.sub("", printed.out + printed.err), FIELDS) == []
