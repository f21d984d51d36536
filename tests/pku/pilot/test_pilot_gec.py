"""The pilot program of the gec contest: each rule on examples, any text at all, and what it comes to on the data."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pku.pilot.gec import correct
from tracks.gec.track import GecTrack
from tracks.protocol import Outcome
from tracks.rules import LEAST_TOLD

DATA = Path(__file__).resolve().parents[3] / "local" / "contests" / "gec"
TRACK = GecTrack()
PARAMETERS = TRACK.read_parameters({})[0]
FILE_ID = "abcdefgh12345678"


def handed_out(*sentences: str) -> Any:
    item = {"id": "1", "language": "eng", "source": "letters", "sentences": list(sentences)}
    return TRACK.hand_out(item, FILE_ID, "text")


def corrected(*sentences: str) -> str:
    shown = handed_out(*sentences)
    tokens = list(shown["tokens"])
    for edit in reversed(correct(shown)["edits"]):
        tokens[edit["start"] : edit["end"]] = edit["correction"].split()
    return " ".join(tokens)


@pytest.mark.clause("TS T16")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I saw a old man and an dog .", "I saw an old man and a dog ."),
        ("A hour in a university", "An hour in a university"),
        ("It is an useful thing for a unimportant man", "It is a useful thing for an unimportant man"),
        ("We went to to the sea .", "We went to the sea ."),
        ("He live here , and she go home .", "He lives here , and she goes home ."),
        ("It have a lid because she try and he watch .", "It has a lid because she tries and he watches ."),
        ("We need informations and Advices", "We need information and Advice"),
        ("we are here", "We are here"),
        ("We was tired , and you is late .", "We were tired , and you are late ."),
        ("I must to go , and she could not to sleep .", "I must go , and she could not sleep ."),
        ("A phone can saves lives .", "A phone can save lives ."),
        ("He did not said it , and they should not asked .", "He did not say it , and they should not ask ."),
        ("Costed it much ? I buyed it .", "Cost it much ? I bought it ."),
    ],
)
def test_each_rule_corrects_its_errors(text: str, expected: str) -> None:
    assert corrected(text) == expected


@pytest.mark.clause("TS T16")
@pytest.mark.parametrize(
    "text",
    [
        "He had had it .",
        "Did he go home ?",
        "Let it go !",
        "I know that that is right .",
        "We need a FM radio and a B .",
        "It is a one-way street .",
        "They help him , and we see her .",
        "The ones that saw you was one of us .",
        "The might to rule is a gift to us .",
        "What he did worked .",
    ],
)
def test_what_is_right_stays(text: str) -> None:
    assert corrected(text) == text


def test_a_sentence_begins_with_a_capital_unless_a_salutation_stands_before() -> None:
    assert corrected("Hello !", "how are you ?") == "Hello ! How are you ?"
    assert corrected("Dear Ann ,", "how are you ?") == "Dear Ann , how are you ?"


def test_the_first_rule_that_says_something_counts() -> None:
    assert correct(handed_out("informations are here"))["edits"] == [
        {"start": 0, "end": 1, "correction": "information", "type": "R:NOUN:INFL"}
    ]


@given(st.lists(st.lists(st.sampled_from("a an A he it It have go informations the , . hour".split())), min_size=1))
def test_any_text_gets_a_valid_answer(sentences: list[list[str]]) -> None:
    item = {"id": "1", "language": "eng", "source": "letters", "sentences": [*map(" ".join, sentences), "End ."]}
    answer = correct(TRACK.hand_out(item, FILE_ID, "text"))
    assert TRACK.validate(item, FILE_ID, "text", json.dumps(answer).encode(), PARAMETERS).canonical == answer


@pytest.mark.parametrize("content", [{}, {"tokens": ["a"]}, {"tokens": "a", "sentences": ["a"]}, {"tokens": [1]}])
def test_what_is_no_text_is_refused(content: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="as it was given out"):
        correct(content)


def test_on_the_demonstration_data_it_finds_little_and_is_right() -> None:
    outcomes = []
    for path in sorted(DATA.glob("*/*-[0-9][0-9].json")):
        item = json.loads(path.read_text("utf-8"))
        references = [json.loads(each.read_text("utf-8")) for each in sorted(path.parent.glob(f"{path.stem}_exp*"))]
        facts, _ = TRACK.read_item(item, PARAMETERS)
        assert facts is not None
        answer = correct(TRACK.hand_out(item, FILE_ID, "text"))
        outcomes.append(Outcome(facts, True, TRACK.score(item, answer, references, PARAMETERS)))
    found = TRACK.aggregate(outcomes, PARAMETERS, seed=1)
    assert found["scored"] == 60
    # As docs/pku.md says.
    assert found["correction"]["precision"] == 1
    assert round(found["correction"]["recall"], 2) == 0.09
    assert round(found["correction"]["f"], 2) == 0.34
    assert found["concentrated"]["tp"] == 0


def test_of_the_demonstrations_test_set_enough_texts_are_answered_to_be_told_of() -> None:
    """Totals over a hidden set are told of ten answers and more, and a text left as it is counts as none."""
    texts = [json.loads(path.read_text("utf-8")) for path in sorted(DATA.glob("test/*-[0-9][0-9].json"))]
    answered = [text["id"] for text in texts if correct(TRACK.hand_out(text, FILE_ID, "text"))["edits"]]
    assert len(texts) == 20
    assert len(answered) >= LEAST_TOLD


def run(given: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "pku.pilot.gec"]
    return subprocess.run(words, input=given, capture_output=True, text=True, check=False, encoding="utf-8")


def test_it_reads_a_text_and_prints_the_answer() -> None:
    done = run(json.dumps(handed_out("He like tea .")))
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {"edits": [{"start": 1, "end": 2, "correction": "likes", "type": "R:VERB:SVA"}]}


@pytest.mark.parametrize("given", ["{", "[]", '{"text": "He like tea ."}'])
def test_what_it_cannot_read_it_says(given: str) -> None:
    done = run(given)
    assert done.returncode == 1
    assert done.stderr
    assert "Traceback" not in done.stderr
