"""Results as tables: every number with its signature, undefined values as null, columns with types without a row."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

import markup_core
from markup_core import frames
from markup_core.extras import FORMATS, ExtraNeededError, needed
from markup_core.frames import Frame, signature
from markup_core.interrater import Agreement
from markup_core.receipt import canonical_bytes, fingerprint, sha256_hex
from markup_core.sample import SampleScore, summarise
from tests import researchers
from tests.researchers import ROOT

TEXT = "Он купил красный шар, а потом потерял его."


def markup(*spans: tuple[str, int, int]) -> markup_core.Markup:
    selections = [{"type": code, "startSelection": start, "endSelection": end} for code, start, end in spans]
    return markup_core.loads(json.dumps({"meta": {"subject": "rus-free"}, "text": TEXT, "selections": selections}))


ESSAYS = [
    markup_core.sample.EssayInput(markup(("Г.упр", 3, 8)), [markup(("Г.упр", 3, 8)), markup(("Г.слов", 3, 8))]),
    markup_core.sample.EssayInput(None, [markup(("Г.упр", 9, 16)), markup()]),
]


@pytest.fixture(scope="module")
def sample() -> SampleScore:
    return markup_core.score_sample(ESSAYS, seed=3)


@pytest.fixture(scope="module")
def agreement() -> Agreement:
    return markup_core.agreement([essay.experts for essay in ESSAYS])


def test_every_part_and_measure_of_a_sample_is_a_row(sample: SampleScore) -> None:
    rows = list(sample.to_frame().rows())
    assert [row["measure"] for row in rows[:4]] == ["STAR", "STER", "OTAR", "STAR_all"]
    assert len(rows) == 4 * (1 + 1 + 1 + 7)
    assert rows[0]["value"] == sample.overall.algorithm_accuracy
    assert (rows[0]["low"], rows[0]["high"]) == (None, None)
    assert {row["name"] for row in rows if row["part"] == "metric"} == {f"M{number}" for number in range(1, 8)}


def test_essays_and_pairs_have_the_names_that_are_given_or_numbers(sample: SampleScore) -> None:
    assert sample.to_frame("essays").columns["essay"] == ["1", "2"]
    assert sample.to_frame("essays").columns["STAR"] == [100.0, None]
    pairs = list(sample.to_frame("pairs", ["a", "b"]).rows())
    assert [(row["essay"], row["x"], row["y"]) for row in pairs[:3]] == [
        ("a", "algorithm", "expert 1"),
        ("a", "algorithm", "expert 2"),
        ("a", "expert 1", "expert 2"),
    ]
    assert {row["essay"] for row in pairs} == {"a", "b"}


def test_an_agreement_has_its_four_tables(agreement: Agreement) -> None:
    assert next(iter(agreement.to_frame().rows()))["pair_accuracy"] == agreement.couples[0].pair_accuracy
    assert next(iter(agreement.to_frame("alpha").rows()))["alpha"] == agreement.alpha
    confusion = list(agreement.to_frame("confusion").rows())
    assert [(row["reference"], row["other"], row["times"]) for row in confusion] == [
        ("Г.упр", "Г.слов", 1),
        ("Г.упр", None, 1),
    ]


def test_a_signature_names_version_measure_parameters_seed_and_inputs(sample: SampleScore) -> None:
    assert sample.origin is not None
    digest = sha256_hex(canonical_bytes(sample.origin.fingerprint()))[:16]
    assert sample.to_frame().columns["signature"][0] == (
        f"markup_core:{markup_core.__version__}|measure:STAR|op:sample|weights:1,2,1,1,1,1,0|hardness:0|groups:joint"
        f"|paraphrase:default|seed:3|resamples:2000|fingerprint:{digest}"
    )


def test_another_input_parameter_or_seed_is_another_signature(sample: SampleScore) -> None:
    harder = markup_core.ScoringParams(hardness=0.5, separate_groups=True)
    others = [
        markup_core.score_sample(ESSAYS, harder, seed=3),
        markup_core.score_sample(ESSAYS, seed=4),
        markup_core.score_sample(ESSAYS[:1], seed=3),
    ]
    signed = {score.to_frame().columns["signature"][0] for score in (sample, *others)}
    assert len(signed) == 4
    assert any("|hardness:0.5|groups:separate|" in one for one in signed)


def test_another_classifier_is_named() -> None:
    changed = {**fingerprint("validate", None, []), "classifier": "ab" * 32}
    assert "|classifier:abababababababab|" in (signature(changed) or "")


def test_scores_without_their_markups_have_no_signature(sample: SampleScore, agreement: Agreement) -> None:
    assert set(summarise(sample.by_essay).to_frame().columns["signature"]) == {None}
    bare = Agreement(**{name: getattr(agreement, name) for name in Agreement.__slots__ if name != "origin"})
    assert bare.to_frame().columns["signature"] == [None]
    assert bare == agreement


def test_two_samples_are_compared_with_the_signature_of_both(sample: SampleScore) -> None:
    other = markup_core.score_sample([essay._replace(algorithm=essay.experts[1]) for essay in ESSAYS], seed=9)
    (signed, *_) = sample.against(other).to_frame().columns["signature"]
    (back, *_) = other.against(sample).to_frame().columns["signature"]
    assert "|op:systems|" in signed
    assert ("|seed:3|" in signed, "|seed:9|" in back) == (True, True)
    assert signed.partition("fingerprint:")[2] != back.partition("fingerprint:")[2]
    assert sample.against(summarise(other.by_essay)).to_frame().columns["signature"] == [None] * 9
    with pytest.raises(ValueError, match="same essays"):
        sample.against(markup_core.score_sample(ESSAYS[:1]))


def test_csv_and_json_hold_unrounded_numbers_and_nothing_for_what_is_undefined(sample: SampleScore) -> None:
    frame = sample.to_frame()
    rows = list(csv.DictReader(io.StringIO(frame.encoded("csv").decode())))
    assert [row["value"] for row in rows] == ["" if value is None else repr(value) for value in frame.columns["value"]]
    assert json.loads(frame.encoded("json")) == list(frame.rows())


@pytest.mark.parametrize("form", ["csv", "json"])
def test_no_row_keeps_the_columns(form: str) -> None:
    empty = Frame.of("t", {"a": "text", "b": "number"}, [])
    assert empty.encoded(form) == {"csv": b"a,b\r\n", "json": b"[]\n"}[form]
    assert empty.columns == {"a": [], "b": []}


def test_nobody_s_agreement_is_a_frame_without_rows() -> None:
    nobody = markup_core.agreement([])
    assert list(nobody.to_frame("couples").rows()) == []
    assert next(iter(nobody.to_frame("alpha").rows()))["alpha"] is None


def test_a_table_that_is_none_is_a_key_error(sample: SampleScore) -> None:
    with pytest.raises(KeyError):
        sample.to_frame("boards")


def test_what_an_extra_lacks_is_told_with_its_remedy(sample: SampleScore, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr("markup_core.extras.import_module", missing)
    for form in FORMATS[2:]:
        with pytest.raises(ExtraNeededError, match=r"pyarrow is not installed: pip install 'markup-core\[frames\]'"):
            sample.to_frame().encoded(form)
    with pytest.raises(ImportError, match="frames"):
        sample.to_frame().__arrow_c_stream__()
    with pytest.raises(ExtraNeededError):
        needed("resvg_py", "pictures")


def test_a_correspondence_has_null_on_the_side_of_no_fragment() -> None:
    x, y = ({"selections": [{"type": code, "startSelection": 0, "endSelection": 2}]} for code in ("Г.упр", "Г.слов"))
    result = {"pairs": [], "unmatched_x": [0], "unmatched_y": [0], "q": 1.5}
    tables = frames.of_matching(x, y, result, fingerprint("match", markup_core.ScoringParams(), []))
    assert tables["fragments"].columns["x_code"] == ["Г.упр", None]
    assert tables["fragments"].columns["y"] == [None, 0]
    assert [tables["matching"].columns[name] for name in ("pairs", "only_x", "only_y", "q")] == [[0], [1], [1], [1.5]]


def test_a_notebook_shows_a_frame_as_a_table(agreement: Agreement) -> None:
    assert agreement.to_frame("confusion")._repr_html_().count("<tr>") == 3


def test_pictures_of_a_sample_and_an_agreement_carry_their_signatures(
    sample: SampleScore, agreement: Agreement
) -> None:
    for picture in (sample.whiskers(), agreement.heat_map(), agreement.error_types()):
        assert "fingerprint:" in picture.svg
    assert "measure:times" in agreement.heat_map().svg
    assert "Г.упр: agreed 0, other code 1, missed 1, added 0" in agreement.error_types().svg
    assert "Г.упр – —: 1" in agreement.heat_map().svg
    assert "fingerprint" not in markup_core.agreement([]).heat_map().svg


def test_a_heat_map_shows_the_most_frequent_codes_and_counts_the_others() -> None:
    from markup_core.pictures import MOST_CODES, of_confusion

    rows = [(f"c{number:02}", f"c{number:02}", 100 - number, None) for number in range(MOST_CODES + 3)]
    kinds = {"reference": "text", "other": "text", "times": "whole", "signature": "text"}
    svg = of_confusion(Frame.of("confusion", kinds, rows), "t").svg  # type: ignore[arg-type]
    assert ">t (+ 3)<" in svg
    assert (f"c{MOST_CODES - 1:02} –" in svg, f"c{MOST_CODES:02} –" in svg) == (True, False)


@pytest.mark.long
@researchers.needs_libraries
def test_pandas_polars_pyarrow_and_duckdb_read_what_was_written() -> None:
    report = researchers.read("frames", ROOT / "docs" / "examples" / "essays")
    undefined = {"None", "nan"}

    def alike(columns: list[list[str]]) -> list[list[str]]:
        return [["None" if cell in undefined else cell for cell in cells] for cells in columns]

    assert {way for way, columns in report["ways"].items() if alike(columns) != alike(report["own"])} == set()
    assert report["rows by DuckDB"] == len(report["own"][0])
    assert report["types"] == [*["String"] * 3, "Int64", *["Float64"] * 3, "String"]
    assert report["types of nothing"] == [*["Int64"] * 3, "Float64", "String"]
    assert (report["png"], report["pixels"][0]) == ("89504e470d0a1a0a", 1440)
