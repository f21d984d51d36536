"""A corpus of each format that is read goes from its tool's export to a published board by the commands."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from contest.cycle.commands.folders import Folder
from contest.cycle.loading import load_cycle
from contest.results import publishing
from markup_core.formats.gathering import FORMATS
from tests.contest.commands.stage_desk import run
from tests.markup_core.formats.test_standoff import TSV
from tests.stage import Program, Stage
from tests.stage_kept import Setting
from tracks import registry

STAGE = Setting("own-corpus")

TESTS = Path(__file__).resolve().parents[2]
WRITTEN = TESTS / "annotation_exports"
"""Files that the tools' own libraries wrote."""
TRAINING_TOO = "50/0/50"
"""Describes a corpus some of whose documents have one annotator."""


@dataclass(frozen=True, slots=True)
class Export:
    """Files of an export by their names; ``twice`` where a second annotator's are the same, in another folder."""

    files: Mapping[str, Path | str]
    twice: bool = False
    split: str = "0/0/100"
    track: str = "essay"

    def write(self, folder: Path) -> Path:
        for who in ("anna", "boris") if self.twice else ("",):
            for name, content in self.files.items():
                place = folder / who / name
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(content.encode() if isinstance(content, str) else content.read_bytes())
        return folder


def written(*names: str, **more: Any) -> Export:
    return Export({name.rpartition("/")[2]: WRITTEN / name for name in names}, **more)


TEI = (
    '<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><p><persName>Ivan</persName> went to '
    "<placeName>Kyiv</placeName></p></body></text></TEI>"
)
M2 = "".join(
    f"S I goes at {place} .\n"
    "A 1 2|||R:VERB:SVA|||go|||REQUIRED|||-NONE-|||0\n"
    "A 3 3|||M:DET|||the|||REQUIRED|||-NONE-|||0\n"
    "A 2 3|||U:PREP||||||REQUIRED|||-NONE-|||1\n\n"
    for place in ("home", "school")
)
BRAT = {"one.txt": "Іван поїхав до Києва 😀.", "one.ann": "T1\tPER 0 4\tІван\nT2\tLOC 15 20\tКиєва\n"}
EXPORTS = {
    "brat": Export(BRAT, twice=True),
    "uima-xmi": written("files/inception.zip", split=TRAINING_TOO),
    "cas-json": written("files/cas.json", twice=True),
    "webanno-tsv": Export({"one.tsv": TSV}, twice=True),
    "label-studio": written("files/label-studio.json"),
    "web-annotation": written("files/apache-annotator.json", twice=True),
    "doccano": written("doccano/spans/anna.jsonl", "doccano/spans/boris.jsonl"),
    "spacy": written("words/docs.jsonl", twice=True),
    "docbin": written("words/corpus.spacy", twice=True),
    "csv": written("words/table.csv", split=TRAINING_TOO),
    "conll": written("words/biluo.iob", twice=True),
    "tei": Export({"one.xml": TEI}, twice=True),
    "m2": Export({"one.m2": M2}, track="gec"),
}


def test_every_format_that_is_read_has_an_export_here() -> None:
    assert set(EXPORTS) == set(FORMATS)


TEXT_OF: dict[str, Callable[[Any], str]] = {
    "essay": lambda item: item["text"],
    "gec": lambda item: "\n".join(item["sentences"]),
}
ANSWER_OF: dict[str, Callable[[Any, Any], Any]] = {
    "essay": lambda content, markup: {**content, "selections": markup["selections"]},
    "gec": lambda _, gold: {
        "edits": [{name: edit[name] for name in ("start", "end", "correction", "type")} for edit in gold["edits"]]
    },
}


IN_THE_GATE = ("brat", "uima-xmi", "m2")
"""Annotators by folders, annotators in one export whose corpus is divided, and corrections: the others take these ways
with another reader, which tests/markup_core/formats holds."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [name if name in IN_THE_GATE else pytest.param(name, marks=pytest.mark.long) for name in EXPORTS]
)
def test_an_export_goes_to_a_published_board(stage: Stage, tmp_path: Path, name: str) -> None:
    export = EXPORTS[name]
    place, source = tmp_path / "own-corpus", str(export.write(tmp_path / "export"))
    words = ("--split", export.split, "--language", "en=ner", "--track", export.track)
    result = run("cycle", "create", str(place), "--from", source, *words)
    assert result.exit_code == 0, result.output
    platform = stage.platform
    load_cycle(platform, "tests", platform.settings.cycle, Folder(place), lambda _: None)
    final = stage.plan(in_s=600, interval_s=60)
    program = Program(stage, stage.team("red"))
    stage.advance(590)
    assert program.join().status == 201
    answers = {}
    for path in (place / "final").glob("*_exp01.json"):
        item = json.loads(path.with_name(path.name.replace("_exp01", "")).read_text("utf-8"))
        answers[TEXT_OF[export.track](item)] = json.loads(path.read_text("utf-8"))
    for number in range(1, len(answers) + 1):
        stage.set_clock(final.starts_at + (number - 1) * final.interval)
        content = program.get(f"files/{number}").json["content"]
        answered = program.answer(number, ANSWER_OF[export.track](content, answers[TEXT_OF[export.track](content)]))
        assert answered.status == 200, answered.text
    stage.pass_minutes(4)
    publishing.publish(platform, "tests", final.run_id)
    [key, *_] = [board.key for board in registry.get(export.track).boards()]
    board = stage.request("GET", f"/v1/boards/{key}?of=final").json
    [row] = board["rows"]
    assert (row["team_id"], row["place"]) == ("red", 1)
    if "annotators agree on nothing" in result.stderr:
        assert row["value"] is None, "as it was said when the cycle was made"
    else:
        best = board["board"]["barrier"] or 1.0
        assert row["value"] >= best, "who answers as one of the annotators is as good as people"
