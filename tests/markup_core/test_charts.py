"""Bars with intervals: what is drawn where, what is said to who cannot see it.

One rounding: halves up on the written number, figures at a limit on their side; the site has the same cases.

Tables of a notebook: everything escaped, undefined values as dashes.

Results as tables: every number with its signature, undefined values as null, columns with types without a row.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import pytest
from defusedxml import ElementTree
from hypothesis import given
from hypothesis import strategies as st

import markup_core
from markup_core import frames, tables
from markup_core.charts import (
    LEFT,
    MOST_CODES,
    RIGHT,
    WIDTH,
    Bar,
    Numbers,
    Picture,
    bars,
    draw_confusion,
    heat_map,
    stacked,
)
from markup_core.extras import FORMATS, ExtraNeededError, needed
from markup_core.frames import Frame, signature
from markup_core.interrater import Agreement
from markup_core.receipt import canonical_bytes, fingerprint, sha256_hex
from markup_core.rounding import MOST_PLACES, fixed, half_up, percent, places_apart
from markup_core.sample import SampleScore, summarise
from tests import researchers
from tests.researchers import ROOT

HOSTILE = '<script>alert("1")</script>&'


def drawn(*rows: Bar, mark: float | None = None) -> Element:
    return ElementTree.fromstring(bars("Accuracy", rows, "k", mark))


def span(rect: Element) -> tuple[float, float]:
    return float(rect.attrib["x"]), float(rect.attrib["x"]) + float(rect.attrib["width"])


def test_bars_are_as_long_as_their_values_and_intervals_reach_from_end_to_end() -> None:
    picture = drawn(Bar("a", 100.0, (80.0, 100.0)), Bar("b", 50.0))
    first, second = (span(rect) for rect in picture.iter("rect"))
    assert first[0] == second[0] == LEFT
    assert first[1] - LEFT == pytest.approx(2 * (second[1] - LEFT), abs=0.02)
    reach = next(line for line in picture.iter("line") if line.attrib["class"] == "reach")
    assert float(reach.attrib["x2"]) == pytest.approx(first[1], abs=0.02)
    assert float(reach.attrib["x1"]) - LEFT == pytest.approx(0.8 * (first[1] - LEFT), abs=0.02)


def test_negative_values_go_the_other_way_from_the_same_zero() -> None:
    up, down = (span(rect) for rect in drawn(Bar("a", 3.0), Bar("b", -3.0)).iter("rect"))
    assert up[0] == pytest.approx(down[1], abs=0.02)
    assert up[1] - up[0] == pytest.approx(down[1] - down[0], abs=0.02)


@pytest.mark.parametrize(
    "rows",
    [(), (Bar("a", None),), (Bar("a", 0.0),), (Bar("a", 1e-9),), (Bar("a", 1e12, (-1e12, 2e12)),)],
    ids=["nothing", "undefined", "zero", "tiny", "huge"],
)
def test_everything_stays_inside_the_picture(rows: tuple[Bar, ...]) -> None:
    picture = drawn(*rows, mark=100.0)
    places = [float(line.attrib[name]) for line in picture.iter("line") for name in ("x1", "x2")]
    places += [end for rect in picture.iter("rect") for end in span(rect)]
    assert all(LEFT <= place <= WIDTH - RIGHT + 1 for place in places)


def test_the_numbers_are_told_in_words_and_hostile_names_stay_text() -> None:
    picture = drawn(Bar(HOSTILE, 12.345, (1.0, 2.0)), Bar("b", None))
    assert picture.attrib["aria-labelledby"] == "k-t k-d"
    assert picture.findtext("desc") == f"{HOSTILE}: 12.35 (1.00…2.00); b: —"
    assert picture.findtext("title") == "Accuracy"
    assert not list(picture.iter("script"))
    assert "<script" not in bars(HOSTILE, [Bar(HOSTILE, 1.0)], "k")


def test_numbers_are_written_as_a_language_writes_them() -> None:
    text = bars("x", [Bar("a", 0.25, (0.1, 0.3))], "k", numbers=Numbers(1, ","))
    assert ElementTree.fromstring(text).findtext("desc") == "a: 0,3 (0,1…0,3)"
    assert "." not in "".join(element.text or "" for element in ElementTree.fromstring(text).iter("text"))


def cells(picture: Element) -> list[tuple[str, str]]:
    """Return each cell's darkness and what it says to a pointer."""
    groups = [group for group in picture.iter("g") if group.find("rect") is not None]
    return [(group.find("rect").attrib["fill-opacity"], group.findtext("title") or "") for group in groups]  # type: ignore[union-attr]


def test_a_cell_is_as_dark_as_its_share_of_the_greatest() -> None:
    shares = {("a", "a"): 4.0, ("a", "b"): 1.0, ("b", "a"): 0.0, ("b", "b"): None}
    picture = ElementTree.fromstring(heat_map("t", ["a", "b"], ["a", "b"], shares, "k", Numbers(0)))
    assert cells(picture) == [
        ("1.000", "a – a: 4"),
        ("0.250", "a – b: 1"),
        ("0.000", "b – a: 0"),
        ("0.000", "b – b: —"),
    ]
    written = [element.text for element in picture.iter("text") if element.attrib.get("class") in ("light", "dark")]
    assert written == ["4", "1"]


@pytest.mark.parametrize("values", [{}, {("a", "a"): 0.0}, {("a", "a"): -3.0}], ids=["none", "zero", "below"])
def test_without_a_positive_value_all_cells_are_white(values: dict[tuple[str, str], float | None]) -> None:
    picture = ElementTree.fromstring(heat_map("t", ["a"], ["a"], values, "k", Numbers()))
    assert [darkness for darkness, _ in cells(picture)] == ["0.000"]


def test_parts_lie_end_to_end_to_one_scale_and_a_row_of_zeros_has_no_bar() -> None:
    picture = ElementTree.fromstring(stacked("t", ["x", "y"], [("a", (3, 1)), ("b", (0, 2)), ("c", (0, 0))], "k"))
    widths = [[span(rect) for rect in group.iter("rect")] for group in picture.iter("g")]
    whole = WIDTH - LEFT - RIGHT
    assert widths[0] == [(LEFT, LEFT + whole * 0.75), (LEFT + whole * 0.75, LEFT + whole)]
    assert widths[1] == [(LEFT, LEFT), (LEFT, LEFT + whole / 2)]
    assert {start == end for start, end in widths[2]} == {True}
    assert picture.findtext("desc") == "a: x 3, y 1; b: x 0, y 2; c: x 0, y 0"


@pytest.mark.parametrize("chart", [heat_map("t", [], [], {}, "k", Numbers()), stacked("t", [], [], "k")])
def test_nothing_to_draw_is_an_empty_picture(chart: str) -> None:
    assert not list(ElementTree.fromstring(chart).iter("g"))


def test_a_picture_stands_alone_with_its_title_and_its_signature() -> None:
    picture = Picture.alone(HOSTILE, bars("t", [Bar(HOSTILE, 1.0)], "k"), "a:1|" + "b:2|" * 60 + "c:3")
    namespace = "{http://www.w3.org/2000/svg}"
    root = ElementTree.fromstring(picture.svg)
    texts = [element.text or "" for element in root.iter(f"{namespace}text")]
    assert texts[0] == HOSTILE
    assert "".join(text for text in texts if ":" in text and text != HOSTILE).replace(" ", "").startswith("a:1|b:2|")
    assert picture.svg.count("http") == 1
    assert "<script" not in picture.svg
    assert picture._repr_svg_() == picture.svg


def test_a_picture_is_saved_as_what_its_name_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    picture = Picture.alone("t", bars("t", [], "k"))
    picture.save(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text("utf-8") == picture.svg

    class Drawing:
        @staticmethod
        def svg_to_bytes(svg_string: str, zoom: int) -> bytes:
            return f"{zoom}{svg_string}".encode()

    monkeypatch.setattr("markup_core.charts.needed", lambda *_: Drawing)
    picture.save(tmp_path / "a.PNG")
    assert (tmp_path / "a.PNG").read_bytes() == f"2{picture.svg}".encode()


CASES = json.loads((Path(__file__).parents[1] / "rounding.json").read_text(encoding="utf-8"))
NUMBERS = st.floats(-1e6, 1e6).filter(math.isfinite)


@pytest.mark.parametrize(("value", "places", "shown"), CASES["fixed"])
def test_a_half_goes_up_on_the_number_as_it_is_written(value: float, places: int, shown: str) -> None:
    assert fixed(value, places) == shown
    assert half_up(value, places) == float(shown)


@pytest.mark.parametrize(("values", "limits", "least", "places"), CASES["apart"])
def test_as_many_decimals_as_tell_figures_apart_and_from_their_limits(
    values: list[Any], limits: list[Any], least: int, places: int
) -> None:
    assert places_apart(values, limits, least) == places


@given(NUMBERS, st.integers(0, 6))
def test_what_is_shown_is_within_half_a_unit_of_the_number(value: float, places: int) -> None:
    outcome, exact = Fraction(fixed(value, places)), Fraction(Decimal(repr(value)))
    assert abs(outcome - exact) <= Fraction(1, 2 * 10**places)
    assert len(fixed(value, places).partition(".")[2]) == places


@given(NUMBERS, NUMBERS, st.integers(0, 3))
def test_a_figure_beside_a_limit_lies_on_its_side(value: float, limit: float, least: int) -> None:
    places = places_apart([value], [limit], least)
    outcome = half_up(value, places)
    if places < MOST_PLACES:
        assert (outcome < limit, outcome == limit) == (value < limit, value == limit)


def test_what_has_no_decimals_or_no_end_is_written_as_it_is() -> None:
    assert fixed(2.0**60, 2) == "1152921504606846976.00"
    assert [fixed(each, 2) for each in (math.inf, math.nan)] == ["inf", "nan"]


@pytest.mark.clause("R 6.5.4", "R 7.7")
@pytest.mark.parametrize(
    ("share", "limits", "least", "shown"),
    [
        (189 / 199, (0.95,), 0, "94.97"),
        (0.0504, (0.05,), 1, "5.04"),
        (0.05, (0.05,), 1, "5.0"),
        (0.125, (0.125,), 0, "12.5"),
        (0.955, (0.955,), 0, "95.5"),
        (0.07, (0.07,), 0, "7"),
        (0.125, (), 0, "13"),
        (0.9999, (1.0,), 0, "99.99"),
        (0.0004, (0.0, 1.0), 1, "0.04"),
        (1.0, (0.95, 1.0), 0, "100"),
    ],
)
def test_a_share_lies_on_its_side_of_each_limit_and_a_limit_has_all_its_decimals(
    share: float, limits: tuple[float, ...], least: int, shown: str
) -> None:
    assert percent(share, *limits, least=least) == shown


def test_a_tables_texts_are_escaped() -> None:
    assert tables.table("<t>", ["<h>"], [["<c>"]]).count("&lt;") == 3


@pytest.mark.parametrize(("value", "cell"), [(None, "—"), (1, "1"), (1.005, "1.01"), ("é", "é")])
def test_a_tables_numbers_have_two_decimals(value: object, cell: str) -> None:
    assert re.findall(r"<td[^>]*>(.*?)</td>", tables.table("t", ["h"], [[value]])) == [cell]


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
    rows = [(f"c{number:02}", f"c{number:02}", 100 - number, None) for number in range(MOST_CODES + 3)]
    kinds = {"reference": "text", "other": "text", "times": "whole", "signature": "text"}
    svg = draw_confusion(Frame.of("confusion", kinds, rows), "t").svg  # type: ignore[arg-type]
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
