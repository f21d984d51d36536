"""The demonstration data of the gec contest: the track takes each file, and the corrections are what they say (T18)."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from contest.cycle import file as cycle_file
from contest.cycle.commands.folders import Folder
from contest.cycle.set_files import Contest, check_set
from tracks.gec.comparison import Direction, GoldEdit, Scope, by_context, by_need
from tracks.gec.items import read_gold, text_of
from tracks.gec.track import GecTrack
from tracks.protocol import Outcome

FOLDER: Final = Path(__file__).resolve().parents[2] / "local" / "contests" / "gec"
TRACK: Final = GecTrack()
PARAMETERS: Final = TRACK.read_parameters({})[0]
FILE_ID: Final = "abcdefgh12345678"
ANNOTATORS: Final = (1, 2, 3)
SIZES: Final = {"train": 40, "test": 20}
ERRANT: Final = frozenset(
    "ADJ ADJ:FORM ADV CONJ CONTR DET MORPH NOUN NOUN:INFL NOUN:NUM NOUN:POSS ORTH OTHER PART PREP PRON PUNCT SPELL"
    " VERB VERB:FORM VERB:INFL VERB:SVA VERB:TENSE WO".split()
)
OF_THE_SOURCE: Final = frozenset({"LINK", "REF", "LEX", "SYN", "VERB:MODAL"})
"""Types of the concentrated data set that ERRANT does not have (G, Appendices B and C)."""


class Corrected(NamedTuple):
    """A text with the gold edits of each annotator."""

    folder: str
    item: Any
    references: tuple[Any, ...]

    @property
    def tokens(self) -> list[str]:
        return text_of(self.item).tokens

    def gold(self, annotator: int) -> list[GoldEdit]:
        return read_gold(self.references[annotator - 1], len(self.tokens))[0]


def _read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def _texts() -> Iterator[Corrected]:
    for folder in SIZES:
        for path in sorted((FOLDER / folder).glob("*.json")):
            if "_exp" not in path.name:
                marked = [path.with_name(f"{path.stem}_exp{number:02}.json") for number in ANNOTATORS]
                yield Corrected(folder, _read(path), tuple(map(_read, marked)))


TEXTS: Final = tuple(_texts())
WIDE: Final = [edit for each in TEXTS for number in ANNOTATORS for edit in each.gold(number) if edit.context_dependent]


def each_text(check: Callable[[Corrected], None]) -> Callable[[], None]:
    """Make one test of all texts; pytest shows the text of a failure."""

    def test() -> None:
        for text in TEXTS:
            check(text)

    return test


def corrected(tokens: Sequence[str], edits: Sequence[GoldEdit]) -> list[str]:
    """Return the tokens after an annotator's edits; a correction with a blank too many leaves an empty one."""
    made = list(tokens)
    for gold in sorted(edits, key=lambda each: (each.edit.start, each.edit.end), reverse=True):
        made[gold.edit.start : gold.edit.end] = gold.edit.correction.split(" ") if gold.edit.correction else []
    return made


def aggregate(answers: Sequence[Any]) -> Any:
    """Aggregate a session over all texts, answered in their order."""
    outcomes = []
    for text, answer in zip(TEXTS, answers, strict=True):
        facts, _ = TRACK.read_item(text.item, PARAMETERS)
        assert facts is not None
        outcomes.append(Outcome(facts, True, TRACK.score(text.item, answer, text.references, PARAMETERS)))
    return TRACK.aggregate(outcomes, PARAMETERS, seed=1)


def answer_of(text: Corrected, annotator: int) -> Any:
    """Return an annotator's edits as a program sends them."""
    named = ("start", "end", "correction", "type")
    sent = {"edits": [{name: edit[name] for name in named} for edit in text.references[annotator - 1]["edits"]]}
    verdict = TRACK.validate(text.item, FILE_ID, "text", json.dumps(sent).encode(), PARAMETERS)
    assert verdict.valid
    return verdict.canonical


@pytest.mark.clause("TS T18")
def test_there_are_sixty_texts_of_three_annotators_and_nothing_else() -> None:
    assert Counter(text.folder for text in TEXTS) == SIZES
    for folder, size in SIZES.items():
        assert len(list((FOLDER / folder).iterdir())) == size * (1 + len(ANNOTATORS))
    assert len({text.item["id"] for text in TEXTS}) == sum(SIZES.values())
    assert len({TRACK.texts(text.item) for text in TEXTS}) == sum(SIZES.values())


def test_the_cycle_file_names_the_sets_and_every_corpus() -> None:
    file, faults = cycle_file.read(_read(FOLDER / cycle_file.FILE), TRACK.policies("algorithmic"))
    assert faults == ()
    assert file is not None
    assert file.track == TRACK.name
    assert {source.folder for source in file.sets.values()} == set(SIZES)
    assert set(file.languages["eng"]) == {text.item["source"] for text in TEXTS}
    for folder in SIZES:
        assert {text.item["source"] for text in TEXTS if text.folder == folder} == set(file.languages["eng"])


@pytest.mark.parametrize("folder", SIZES)
def test_a_set_is_read_without_a_fault(folder: str) -> None:
    languages = {"eng": tuple(_read(FOLDER / cycle_file.FILE)["languages"]["eng"])}
    checked, faults = check_set(Contest(TRACK, PARAMETERS, languages), folder, Folder(FOLDER), lambda _: None)
    assert faults == []
    assert checked.ignored == ()
    assert [len(item.references) for item in checked.manifest.items] == [len(ANNOTATORS)] * SIZES[folder]


@each_text
def test_an_annotators_edits_change_the_text_and_leave_no_doubled_blank(text: Corrected) -> None:
    versions = []
    for number in ANNOTATORS:
        made = corrected(text.tokens, text.gold(number))
        assert made != text.tokens
        assert all(made), made
        assert not re.search(r"\s\s|\s$", " ".join(made))
        versions.append(made)
    assert len({tuple(made) for made in versions}) > 1, "the annotators do not differ"


@each_text
def test_every_edit_changes_something_and_is_named_by_what_it_does(text: Corrected) -> None:
    for number in ANNOTATORS:
        for start, end, label, correction, _ in (gold.edit for gold in text.gold(number)):
            assert correction.split() != text.tokens[start:end]
            operation, _, kind = label.partition(":")
            assert operation == ("M" if start == end else "R" if correction else "U"), (start, end, label)
            assert kind in ERRANT | OF_THE_SOURCE


@pytest.mark.clause("TS T18")
def test_all_that_the_source_tells_apart_about_context_occurs() -> None:
    assert len(WIDE) >= 30
    rows = by_context(WIDE)
    assert {direction for direction, _ in rows} == set(Direction)
    assert {scope for row in rows.values() for scope in row} == set(Scope)
    assert {distance for direction, distance in rows if direction is Direction.LEFT} >= {"1", "2", "3"}
    needs = by_need(WIDE)
    assert needs.pop("unknown") == 0
    assert all(needs.values())
    assert {gold.edit.type.partition(":")[2] for gold in WIDE} >= {"PRON", "PUNCT", "REF", "VERB:TENSE", "LINK", "DET"}


def test_each_context_lies_within_its_text_and_each_group_has_several_edits() -> None:
    for text in TEXTS:
        groups = Counter(gold.group for gold in text.gold(1) if gold.group)
        assert all(size > 1 for size in groups.values()), text.item["id"]
        item = text_of(text.item)
        ends = [len(" ".join(item.sentences[: number + 1]).split()) for number in range(len(item.sentences))]
        for gold in text.gold(1):
            if gold.context is not None and gold.context.scope is Scope.SENTENCE:
                first = next(number for number, end in enumerate(ends) if gold.edit.start < end)
                last = next(number for number, end in enumerate(ends) if gold.edit.end <= end)
                # What joins two sentences looks from the second one to the first.
                assert gold.context.left <= max(first, last), (text.item["id"], gold)
                assert gold.context.right < len(ends) - first, (text.item["id"], gold)


def test_context_is_marked_by_one_annotator_as_the_evaluation_wants() -> None:
    marked = {number for text in TEXTS for number in ANNOTATORS if any(g.context_dependent for g in text.gold(number))}
    assert marked == {1}


def test_the_first_annotators_edits_are_a_perfect_answer() -> None:
    found = aggregate([answer_of(text, 1) for text in TEXTS])
    assert (found["correction"]["f"], found["correction"]["fn"], found["correction"]["fp"]) == (1.0, 0, 0)
    assert (found["concentrated"]["f"], found["concentrated"]["tp"]) == (1.0, len(WIDE))


def test_without_any_edits_nothing_is_found() -> None:
    found = aggregate([None if number % 2 else {"edits": []} for number in range(len(TEXTS))])
    assert found["correction"]["recall"] == found["concentrated"]["recall"] == 0
    assert found["correction"]["tp"] == found["correction"]["fp"] == 0


@each_text
def test_no_gold_stands_in_what_is_handed_out(text: Corrected) -> None:
    shown = TRACK.hand_out(text.item, FILE_ID, "text")
    assert shown == {"id": FILE_ID, "sentences": text.item["sentences"], "tokens": text.tokens}
    assert text.item.keys() == {"id", "language", "source", "sentences"}
    assert 2 <= len(text.item["sentences"]) <= 5
