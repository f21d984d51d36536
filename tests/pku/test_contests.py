"""Answers of each contest: read from a solver's file, checked before they are sent (T16)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contest.results.rules.leaderboard import describe_board
from pku.answers import Comparison
from pku.doctor import samples_of
from pku.pilot import diagnosis, first_choice, gec, mark
from pku.solvers import InvalidAnswerError, UnreadableError, checked, contest_of
from pku.tables import board, comparison
from tests.pku.platform import pku_error
from tests.tracks.samples import SAMPLES
from tracks import registry

PILOTS: Any = {"essay": mark, "exam": first_choice, "gec": gec.correct}


def handed_out(name: str) -> Any:
    """Return the first item of a contest's sample as a program gets it."""
    sample = SAMPLES[name]
    track = registry.get(name)
    return track.hand_out(sample.entries[0].item, "f1", track.steps(sample.completed())[0].name)


@pytest.mark.clause("TS T16")
@pytest.mark.parametrize("name", sorted(PILOTS))
def test_t16_what_a_pilot_answers_is_taken_by_the_platform_as_it_is_sent(name: str) -> None:
    sample, track = SAMPLES[name], registry.get(name)
    contest = contest_of({"track": name})
    for content in samples_of({"track": name}):
        assert contest.checked(PILOTS[name](content), content)
    step = track.steps(sample.completed())[0].name
    sent = contest.checked(PILOTS[name](handed_out(name)), handed_out(name)).encode()
    assert track.validate(sample.entries[0].item, "f1", step, sent, sample.completed()).reasons == ()


@pytest.mark.clause("TS T16")
def test_t16_the_exams_pilot_always_says_the_first_choice() -> None:
    assert {first_choice(sample) for sample in samples_of({"track": "exam"})} == {"1"}
    track = registry.get("exam")
    assert {first_choice(track.hand_out(item.item, "f1", "task")) for item in SAMPLES["exam"].entries} == {"1"}


@pytest.mark.parametrize(
    ("name", "content", "read"),
    [
        ("exam", b'"1,3"', "1,3"),
        ("exam", "  сверх \n".encode(), "сверх"),
        ("exam", b'\xef\xbb\xbf"2"', "2"),
        ("gec", b'{"edits": []}', {"edits": []}),
        ("gec", b"S I go .\n", {"m2": "S I go .\n"}),
    ],
)
def test_a_solvers_file_is_json_or_the_contests_own_form(name: str, content: bytes, read: Any) -> None:
    assert contest_of({"track": name}).read(content, handed_out(name)) == read


@pytest.mark.parametrize("name", ["exam", "gec"])
def test_what_is_no_text_is_unreadable(name: str) -> None:
    with pytest.raises(UnreadableError, match="byte 0"):
        contest_of({"track": name}).read(b"\xff", handed_out(name))


@pytest.mark.parametrize(
    ("name", "answer", "code"),
    [
        ("exam", ["1"], "wrong_type"),
        ("exam", "x" * 1001, "text_too_long"),
        ("gec", {"edits": [{"start": 9, "end": 12, "correction": "x"}]}, "invalid_edit"),
        ("gec", "I go there .", "wrong_form"),
        ("gec", {"m2": "S another text .\n"}, "text_differs"),
        ("gec", {"edits": object()}, "not_json"),
    ],
)
def test_an_answer_that_the_platform_would_refuse_is_not_sent(name: str, answer: Any, code: str) -> None:
    with pytest.raises(InvalidAnswerError) as caught:
        contest_of({"track": name}).checked(answer, handed_out(name))
    assert [fault[0] for fault in caught.value.faults] == [code]


def test_a_contest_that_the_kit_does_not_know_is_named() -> None:
    with pku_error("unknown_contest") as caught:
        contest_of({"track": "fusion"})
    for language in ("en", "ru"):
        assert "fusion" in caught.value.text(language)


DIALOGUE = {"step": "studies", "takes": ["diagnosis", "refusal", "study"], "turns": []}


@pytest.mark.clause("TS T16", "D 7.5")
@pytest.mark.parametrize(
    ("version", "dialogue", "said", "sent"),
    [
        ("v1", None, b"J44", [{"xPath": "", "start": "", "end": "", "decorCode": "diagnosisMain", "code": ""}]),
        ("v2", None, b"J44\n", [{"decorCode": "diagnosisMain", "code": "J44"}]),
        ("v3F", DIALOGUE, b'{"study": "A06.09"}', {"study": "A06.09"}),
    ],
)
def test_an_answer_to_an_epicrisis_is_json_or_a_code_alone(version: str, dialogue: Any, said: bytes, sent: Any) -> None:
    handed = {"id": "a", "version": version, "xml": "<a/>", **({"dialogue": dialogue} if dialogue else {})}
    contest = contest_of({"track": "diagnosis"})
    answer = contest.read(said, handed)
    if version == "v1":
        sent = [{**sent[0], "name": "J44"}]
    assert json.loads(contest.checked(answer, handed)) == sent


@pytest.mark.clause("TS T16")
def test_what_the_step_of_a_dialogue_does_not_take_is_not_sent() -> None:
    handed = {"id": "a", "version": "v3F", "xml": "<a/>", "dialogue": DIALOGUE}
    preliminary = [{"decorCode": "diagnosisPreliminary", "code": "J44"}]
    with pytest.raises(InvalidAnswerError) as caught:
        contest_of({"track": "diagnosis"}).checked(preliminary, handed)
    assert [code for code, _ in caught.value.faults] == ["preliminary_too_late"]


@pytest.mark.clause("TS T16", "D 1.14")
def test_the_pilot_goes_from_a_preliminary_diagnosis_over_its_studies_to_the_final_one() -> None:
    xml = "<a><text>Свистящее дыхание, курит 20 лет по пачке</text></a>"
    turns: list[dict[str, Any]] = []
    said = []
    while not said or "study" in said[-1] or said[-1][0]["decorCode"] == "diagnosisPreliminary":
        step = "studies" if turns else "preliminary"
        answer = diagnosis.answer({"version": "v3F", "xml": xml, "dialogue": {"step": step, "turns": turns}})
        said.append(answer)
        response = {"study": answer["study"], "found": False} if "study" in answer else None
        turns.append({"kind": "study" if response else "preliminary", "response": response})
    assert [each["study"] for each in said[1:-1]] == ["A06.09", "A12.09"]
    assert said[-1] == [{"decorCode": "diagnosisMain", "code": "J44.9"}]
    assert diagnosis.answer({"version": "v2", "xml": "<a>насморк</a>"})[0]["code"] == "another"


@pytest.mark.clause("TS U-5")
@pytest.mark.parametrize(("values", "place"), [((0.9, 0.5), 1), ((0.701, 0.5), 0), ((0.5, None), 0), ((0.9, 0.8), 2)])
def test_people_stand_on_the_board_where_their_level_is(values: tuple[float | None, ...], place: int) -> None:
    common = {"answered": 1, "files": 1, "barrier": None, "result": {}}
    rows = [
        {**common, "place": n, "place_to": n, "team": f"T{n}", "value": each} for n, each in enumerate(values, start=1)
    ]
    body = {"board": describe_board(registry.get("exam").boards()[0]), "language": "all", "rows": rows}
    shown = board(body, "ru")
    teams = list(shown.columns[1].cells)
    assert str(teams[place]).startswith("люди")
    assert list(shown.columns[3].cells)[place] == "0,701"


def test_a_score_of_another_contest_is_shown_as_its_numbers() -> None:
    record = {"score": 1, "max": 2, "answered": True, "fingerprint": {"a": 1}, "task": "16"}
    (table,) = comparison(3, Comparison("1", (), record), "en")
    assert list(table.columns[0].cells) == ["score", "max", "answered", "task"]


def test_every_sample_is_what_a_platform_hands_out() -> None:
    for name in ("exam", "gec"):
        for content in samples_of({"track": name}):
            assert set(content) == set(json.loads(json.dumps(handed_out(name))))


def test_a_fault_of_a_markup_is_told_in_both_languages_with_its_fragment_once() -> None:
    essay = {"text": "One two.", "meta": {"subject": "rus"}}
    fragment = {"id": 7, "startSelection": 0, "endSelection": 3, "type": "none such"}
    with pytest.raises(InvalidAnswerError) as caught:
        checked({**essay, "selections": [fragment]}, essay)
    english, russian = (caught.value.text(language) for language in ("en", "ru"))
    assert english.count("fragment 7") == 1
    assert "is no code of the subject rus" in english
    assert russian.count("фрагмент 7") == 1
    assert "fragment" not in russian
