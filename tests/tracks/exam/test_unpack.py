"""Sets and submissions in the benchmark's published files (tracks-sessions U-1, U-2, U-4)."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from tests.tracks.exam.exam_items import item, right, variant
from tracks.exam.tasks import DEFAULT
from tracks.exam.track import ExamTrack
from tracks.protocol import ItemFacts, Outcome

TRACK = ExamTrack()
WHOLE = variant(1)
ITEMS = {str(each["meta"]["id"]): each for each in WHOLE}


def body(value: Any) -> bytes:
    return json.dumps(value).encode()


def lines(entries: list[Any]) -> bytes:
    return b"\n".join(map(body, entries)) + b"\n"


def unpacked(files: dict[str, Any], **parameters: Any) -> dict[str, Any]:
    found = TRACK.unpack(
        {name: each if isinstance(each, bytes) else body(each) for name, each in files.items()},
        {**TRACK.read_parameters(parameters)[0]},
    )
    assert found.reasons == ()
    return {name: json.loads(each) for name, each in found.files.items()}


def faults(files: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    given_ = {name: each if isinstance(each, bytes) else body(each) for name, each in files.items()}
    found = TRACK.unpack(given_, {})
    assert found.files == {}
    assert all(each.message.en and each.message.ru for each in found.reasons)
    return [(each.code, dict(each.where)) for each in found.reasons]


def without_gold(raw: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in raw.items() if key != "outputs"}


@pytest.mark.clause("TS U-1", "TS T14", "U splits")
@pytest.mark.parametrize(
    "files",
    [
        {"use.json": WHOLE},
        {"use.jsonl": lines(WHOLE) + b"\n"},
        {"use.json": {"data": {"dev": WHOLE}}},
        {"dev.json": {"data": {"dev": WHOLE, "train": [7], "test": None}}},
        {"use.dev.json": {"data": {"train": [], "dev": WHOLE}}},
        {"a.json": WHOLE[:10], "b.jsonl": lines(WHOLE[10:])},
    ],
)
def test_u_1_a_published_file_becomes_items_and_their_right_answers(files: dict[str, Any]) -> None:
    found = unpacked(files)
    assert {name for name in found if "_exp" not in name} == {f"{each}.json" for each in ITEMS}
    for ident, raw in ITEMS.items():
        assert found[f"{ident}.json"] == without_gold(raw)
        assert found[f"{ident}_exp01.json"] == {"outputs": raw["outputs"]}


@pytest.mark.clause("TS U-3", "U splits", "U grade_norm")
@pytest.mark.parametrize(("name", "count", "variants", "whole"), [("train", 2622, 110, 0), ("test", 900, 30, 30)])
def test_u_3_the_published_splits_are_taken_in_whole_and_only_whole_variants_have_a_grade(
    name: str, count: int, variants: int, whole: int
) -> None:
    # 92 variants of 24 tasks and 18 of 23 make the published 2622; which tasks they lack is not said.
    sizes = [30] * 30 if whole else [24] * 92 + [23] * 18
    published = [each for number, size in enumerate(sizes, start=1) for each in variant(number)[:size]]
    files = unpacked({f"use.{name}.json": {"data": {name: published}}})
    assert len(files) == 2 * count
    answers = right(published)
    outcomes = [
        Outcome(
            ItemFacts(ident, "rus", "1"),
            answered=True,
            score=TRACK.score(files[f"{ident}.json"], answer, [files[f"{ident}_exp01.json"]], {}),
        )
        for ident, answer in answers.items()
    ]
    found = TRACK.aggregate(outcomes, {}, 1)
    assert (len(found["variants"]), len(found["complete"])) == (variants, whole)
    assert found["grade_norm"] == (1.0 if whole else None)
    assert sum(each["items"] for each in found["by_task"].values()) == count


@pytest.mark.clause("TS U-1", "U closed test")
def test_u_1_right_answers_are_references_alone_and_score_as_before() -> None:
    found = unpacked({"test.json": WHOLE})
    answers = right(WHOLE)
    for ident, raw in ITEMS.items():
        bare, gold = found[f"{ident}.json"], found[f"{ident}_exp01.json"]
        facts, reasons = TRACK.read_item(bare, {})
        assert reasons == ()
        assert facts == TRACK.read_item(raw, {})[0]
        assert facts is not None
        assert facts.group == "1"
        assert TRACK.read_reference(bare, gold, {}) == ()
        for answer in (answers[ident], "никогда", None):
            assert TRACK.score(bare, answer, [gold], {}) == TRACK.score(raw, answer, [], {})
        assert TRACK.hand_out(bare, "f1", "task") == TRACK.hand_out(raw, "f1", "task")
    assert [each.code for each in TRACK.read_reference(found["1000.json"], {"outputs": ",,"}, {})] == [
        "invalid_reference"
    ]
    assert [each.code for each in TRACK.read_reference(found["1000.json"], {}, {})] == ["invalid_reference"]


@pytest.mark.clause("TS U-1")
def test_u_1_of_several_splits_the_files_name_says_which() -> None:
    several = {"data": {"train": WHOLE[:1], "test": WHOLE[1:2]}}
    assert set(unpacked({"test.json": several})) == {"1001.json", "1001_exp01.json"}
    assert faults({"use.json": several}) == [("which_split", {"file": "use.json", "splits": ["test", "train"]})]
    assert faults({"a.json": {"data": {"dev": {}}}}) == [("invalid_split", {"file": "a.json", "split": "dev"})]
    assert faults({"a.json": {"data": {}}}) == [("which_split", {"file": "a.json", "splits": []})]


@pytest.mark.clause("TS U-1", "TS T14")
def test_u_1_every_fault_of_every_file_is_listed() -> None:
    wrong = item("16", 1, 5, outputs="")
    wrong["meta"]["score"] = 7
    found = faults(
        {
            "a.json": [item(ident=1), wrong, 5],
            "b.jsonl": lines([item(ident=2), item(ident=1)]) + b'{"a": NaN}\nno',
            "c.json": b"[1,",
            "d.json": [item(ident=10**70), item(ident=4, instruction="\ud83d")],
        }
    )
    assert [
        (code, where["file"], where.get("item", where.get("line")), where.get("field")) for code, where in found
    ] == [
        ("invalid_item", "a.json", 1, "meta.score"),
        ("invalid_item", "a.json", 1, "outputs"),
        ("invalid_item", "a.json", 2, None),
        ("repeated_id", "b.jsonl", 2, None),
        ("malformed_json", "b.jsonl", 3, None),
        ("malformed_json", "b.jsonl", 4, None),
        ("malformed_json", "c.json", 1, None),
        ("unsafe_id", "d.json", 0, None),
        ("not_storable", "d.json", 1, None),
    ]


@pytest.mark.clause("TS T14")
def test_u_1_files_in_the_platforms_form_pass_as_they_are() -> None:
    given_ = {"740.json": body(item()), "740_exp01.json": b'{"outputs": "x"}', "README.md": b"\xff"}
    found = TRACK.unpack(given_, {})
    assert (found.files, found.reasons, found.read) == (given_, (), frozenset())
    mixed = TRACK.unpack({**given_, "more.json": body([item(ident=741)])}, {})
    assert mixed.read == {"more.json"}
    assert set(mixed.files) == {*given_, "741.json", "741_exp01.json"}
    assert faults({"740.json": item(), "use.json": [item()]}) == [("in_two_forms", {"file": "740.json"})]


@pytest.mark.clause("TS U-2", "tracks §2 seed", "U prompts")
def test_u_2_a_sets_prompts_are_chosen_by_the_seed_the_type_and_the_id() -> None:
    found = unpacked({"use.json": WHOLE}, prompt_seed=7)
    for ident, raw in ITEMS.items():
        kind = raw["meta"]["type"]
        number = int(hashlib.sha256(f"7/{kind}/{ident}".encode()).hexdigest(), 16) % 3
        assert found[f"{ident}.json"]["instruction"] == DEFAULT[kind][number]
    assert unpacked({"use.jsonl": lines(WHOLE[::-1])}, prompt_seed=7) == found
    assert unpacked({"use.json": WHOLE}, prompt_seed=8) != found
    assert unpacked({"use.json": WHOLE})["1000.json"]["instruction"] == WHOLE[0]["instruction"]


@pytest.mark.clause("TS U-2")
def test_u_2_a_cycle_may_bring_prompts_and_needs_a_seed_for_them() -> None:
    own = {"text": ["{task}"], "multiple_choice": {"based_on_text": ["{text}\\n{choices}"]}}
    completed, reasons = TRACK.read_parameters({"prompt_seed": 0, "prompts": own})
    assert reasons == ()
    assert completed["prompts"] == {"text": ["{task}"], "multiple_choice_based_on_text": ["{text}\n{choices}"]}
    assert TRACK.read_parameters(completed) == (completed, ())
    for wrong in (
        {"prompts": own},
        {"prompt_seed": True},
        {"prompt_seed": -1},
        {"prompt_seed": "7"},
        {"prompt_seed": 1, "prompts": {"text": ["{who}"]}},
        {"prompt_seed": 1, "prompts": {"text": ["\ud83d"]}},
        {"prompt_seed": 1, "prompts": []},
    ):
        assert [each.code for each in TRACK.read_parameters(wrong)[1]] == ["invalid_params"]


@pytest.mark.clause("TS U-2")
def test_u_2_the_seed_and_the_prompts_are_in_the_fingerprint() -> None:
    def inputs(raw: dict[str, Any]) -> dict[str, str]:
        completed = TRACK.read_parameters(raw)[0]
        return dict(TRACK.score(item(), "x", [], completed)["fingerprint"]["inputs"])

    plain, chosen = inputs({}), inputs({"prompt_seed": 1})
    assert set(chosen) == {*plain, "prompt_seed", "prompts"}
    assert inputs({"prompt_seed": 2}) != chosen
    assert inputs({"prompt_seed": 1, "prompts": {"text": ["{task}"]}})["prompts"] != chosen["prompts"]


def test_u_2_the_first_prompt_of_each_type_is_the_published_one() -> None:
    for kind, words in {
        "text": "Прочитайте задание и выполните его. Ответом",
        "matching": "Прочитайте текст и выполните задание по тексту.\nТекст: {text}\nЗадание: {task}\nРецензии:",
        "multiple_choice_based_on_text": "Прочитайте текст и выполните задание по тексту. Ответом",
        "multiple_choice_options_within_text": "Прочитайте текст задания и выполните его указания. Ответом",
        "multiple_choice_independent_options": "Прочитайте текст задания и выполните его указания. Ответом",
    }.items():
        assert DEFAULT[kind][0].startswith(words)


def entries(answers: dict[str, Any]) -> list[Any]:
    return [{"outputs": answer, "meta": {"id": int(ident)}} for ident, answer in answers.items()]


@pytest.mark.clause("TS U-4")
def test_u_4_a_submission_is_read_in_all_its_forms_and_missing_ids_are_listed() -> None:
    answers = dict(list(right(WHOLE).items())[:28])
    for given_ in (
        body(answers),
        body({**answers, "1028": None}),
        body(entries(answers)),
        body({"data": {"test": entries(answers)}}),
        lines(entries(answers)),
    ):
        found = TRACK.read_submission(given_, ITEMS)
        assert found.reasons == ()
        assert {ident: json.loads(each) for ident, each in found.answers.items()} == answers
        assert found.missing == ("1028", "1029")
        assert all(TRACK.validate(ITEMS[ident], "f", "task", each, {}).valid for ident, each in found.answers.items())
    assert TRACK.read_submission(lines(entries({"1000": "1"})), ITEMS).answers == {"1000": b'"1"'}
    assert TRACK.read_submission(b"{}", ITEMS).missing == tuple(ITEMS)


@pytest.mark.clause("TS U-4")
def test_u_4_ids_that_nobody_asked_for_refuse_the_file_and_are_all_listed() -> None:
    strange = {str(ident): "1" for ident in range(20)}
    found = TRACK.read_submission(body({**right(WHOLE), **strange}), ITEMS)
    (reason,) = found.reasons
    assert (found.answers, found.missing) == ({}, ())
    assert (reason.code, reason.where) == ("unknown_id", {"ids": list(strange)})
    assert reason.message.en == "nobody asked for 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 … (+10)"


@pytest.mark.clause("TS U-4")
@pytest.mark.parametrize(
    ("given_", "codes"),
    [
        (b"", ["malformed_json"]),
        (b"7", ["not_a_submission"]),
        (b'{"1000": 1, "1001": "2", "1002": []}', ["wrong_type", "wrong_type"]),
        (body({"1000": "x" * 1001}), ["text_too_long"]),
        (body({"1000": "\ud83d"}), ["lone_surrogate"]),
        (body([7, {"outputs": ""}, {"outputs": "1", "meta": {"id": 1.5}}]), ["invalid_answer"] * 3),
        (body(entries({"1000": "1"}) * 2), ["repeated_id"]),
        (lines(entries({"1000": "1"})) + b"{\n[]", ["malformed_json", "invalid_answer"]),
        (body({"data": {"test": [], "dev": []}}), ["which_split"]),
        (b'{"1000": "1", "1000": "2"}', ["malformed_json"]),
    ],
)
def test_u_4_every_fault_of_a_submission_is_listed(given_: bytes, codes: list[str]) -> None:
    found = TRACK.read_submission(given_, ITEMS)
    assert (found.answers, found.missing) == ({}, ())
    assert [each.code for each in found.reasons] == codes
    assert all(each.message.en and each.message.ru for each in found.reasons)
