"""Results as tables of typed columns, each number with its signature, for other programs and data-frame libraries.

A :class:`Frame` is written as CSV, JSON, Parquet and Arrow, and gives itself to polars, pandas, pyarrow and DuckDB by
the Arrow PyCapsule protocol; Parquet, Arrow and the protocol need pyarrow (the extra ``frames``). Numbers are not
rounded.

**Decision**: an undefined value is null (an empty cell in CSV), never 0 and never NaN. A frame without rows keeps its
columns with their types.

The **signature** of a number names what has to be equal for two numbers to be compared: the library's version, the
measure, the parameters, the seed and resamples of intervals, and the first 16 hexadecimal digits of the SHA-256 of the
result's fingerprint (:mod:`markup_core.receipt`), which holds the SHA-256 of every input.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from markup_core import tables
from markup_core.bootstrap import RESAMPLES
from markup_core.extras import needed
from markup_core.params import ACCURACIES, METRICS
from markup_core.receipt import canonical_bytes, sha256_hex

Json = Mapping[str, Any]
Kind = Literal["text", "whole", "number", "truth"]
_DIGITS: Final = 16


@dataclass(frozen=True, slots=True)
class Frame:
    """A named table: each column's kind, and its values in the order of the rows."""

    name: str
    kinds: Mapping[str, Kind]
    columns: Mapping[str, Sequence[Any]]

    @classmethod
    def of(cls, name: str, kinds: Mapping[str, Kind], rows: Sequence[Sequence[Any]]) -> Frame:
        """Build a frame of rows whose cells are in the order of ``kinds``."""
        values = zip(*rows, strict=True) if rows else ((),) * len(kinds)
        return cls(name, kinds, {column: list(cells) for column, cells in zip(kinds, values, strict=True)})

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield each row by its columns."""
        for cells in zip(*self.columns.values(), strict=True):
            yield dict(zip(self.columns, cells, strict=True))

    def to_arrow(self) -> Any:
        """Return a pyarrow table; :class:`markup_core.extras.ExtraNeededError` without pyarrow."""
        arrow = needed("pyarrow", "frames")
        types = {"text": arrow.string(), "whole": arrow.int64(), "number": arrow.float64(), "truth": arrow.bool_()}
        schema = arrow.schema([(column, types[kind]) for column, kind in self.kinds.items()])
        return arrow.table(dict(self.columns), schema=schema)

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        """Export the frame by the Arrow PyCapsule protocol."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def encoded(self, form: str) -> bytes:
        """Write the frame in one of :data:`markup_core.extras.FORMATS`; JSON is a list with an object for each row."""
        if form == "csv":
            sheet = io.StringIO(newline="")
            truths = {True: "true", False: "false"}
            columns = [
                [truths.get(cell) for cell in cells] if self.kinds[name] == "truth" else cells
                for name, cells in self.columns.items()
            ]
            csv.writer(sheet).writerows([list(self.columns), *zip(*columns, strict=True)])
            return sheet.getvalue().encode()
        if form == "json":
            return json.dumps(list(self.rows()), ensure_ascii=False, allow_nan=False).encode() + b"\n"
        content = io.BytesIO()
        table = self.to_arrow()
        if form == "parquet":
            needed("pyarrow.parquet", "frames").write_table(table, content)
        else:
            with needed("pyarrow.ipc", "frames").new_file(content, table.schema) as file:
                file.write_table(table)
        return content.getvalue()

    def _repr_html_(self) -> str:
        return tables.table(self.name, tuple(self.columns), zip(*self.columns.values(), strict=True))


def signature(fingerprint: Json | None, measure: str = "", **settings: object) -> str | None:
    """Write the signature of a number by its result's fingerprint, without which there is none (None).

    ``settings`` are those of the measure alone.
    """
    if fingerprint is None:
        return None
    params = fingerprint["parameters"] or {}
    parts = {
        "library": fingerprint["library"].replace(" ", ":"),
        "measure": f"measure:{measure}" if measure else "",
        "op": f"op:{fingerprint['op']}",
        "weights": "weights:" + ",".join(f"{weight:g}" for weight in params["weights"]) if params else "",
        "hardness": f"hardness:{params['hardness']:g}" if params else "",
        "groups": f"groups:{'separate' if params['separate_groups'] else 'joint'}" if params else "",
        "paraphrase": f"paraphrase:{params['paraphrase']}" if params else "",
        "classifier": f"classifier:{fingerprint['classifier'][:_DIGITS]}" if fingerprint["classifier"] else "",
        **{name: f"{name}:{value}" for name, value in settings.items()},
        "fingerprint": f"fingerprint:{sha256_hex(canonical_bytes(fingerprint))[:_DIGITS]}",
    }
    return "|".join(filter(None, parts.values()))


def of_sample(result: Json, fingerprint: Json | None, seed: int, essays: Sequence[str] = ()) -> dict[str, Frame]:
    """Return a sample's frames: ``accuracies`` of all parts, ``essays``, and the scored ``pairs`` of each essay.

    ``result`` is that of the operation ``sample``; ``essays`` names its essays, which else are numbered from 1.
    """
    groups = [("all", "all", result)]
    groups += [(part, name, group) for part in _PARTS for name, group in result[f"by_{part}"].items()]
    signed = {
        measure: signature(fingerprint, measure, seed=seed, resamples=RESAMPLES) for measure in (*ACCURACIES, _STAR_ALL)
    }
    accuracies = [
        (part, name, measure, group[count], group[field], *ends_of(group["interval_95"][field]), signed[measure])
        for part, name, group in groups
        for measure, field, count in _SAMPLE_MEASURES
    ]
    named = list(essays) or [str(number) for number, _ in enumerate(result["by_essay"], 1)]
    own = signature(fingerprint)
    by_essay, pairs = [], []
    for essay, score in zip(named, result["by_essay"], strict=True):
        by_essay.append((essay, *(score[field] for field in ACCURACIES.values()), own))
        for pair in score["pairs"]:
            x = "algorithm" if pair["x"] == "algorithm" else f"expert {pair['x'] + 1}"
            metrics = [pair["metrics"][name] for name in METRICS]
            pairs.append(
                (essay, x, f"expert {pair['y'] + 1}", len(pair["pairs"]), *metrics, pair["pair_accuracy"], own)
            )
    return _named(
        Frame.of("accuracies", _ACCURACIES, accuracies),
        Frame.of("essays", _ESSAYS, by_essay),
        Frame.of("pairs", _PAIRS, pairs),
    )


def of_agreement(result: Json, fingerprint: Json | None) -> dict[str, Frame]:
    """Return the frames of an agreement: ``couples``, ``codes``, ``confusion``, and ``alpha`` in one row."""
    own = {name: signature(fingerprint, name) for name in ("pair_accuracy", "PRF", "times", "alpha")}
    couples = [
        (*(couple[name] for name in _COUPLES if name != _SIGNED), own["pair_accuracy"]) for couple in result["couples"]
    ]
    codes = [(*(code[name] for name in _CODES if name != _SIGNED), own["PRF"]) for code in result["codes"]]
    confusion = [
        (*(pair[name] for name in _CONFUSION if name != _SIGNED), own["times"]) for pair in result["confusion"]
    ]
    whole = [(*(result[name] for name in _ALPHA if name != _SIGNED), own["alpha"])]
    return _named(
        Frame.of("couples", _COUPLES, couples),
        Frame.of("codes", _CODES, codes),
        Frame.of("confusion", _CONFUSION, confusion),
        Frame.of("alpha", _ALPHA, whole),
    )


def of_matching(x: Json, y: Json, result: Json, fingerprint: Json) -> dict[str, Frame]:
    """Return the frames of a correspondence: its ``fragments`` as the matching has them, and its ``matching`` as a row.

    ``x`` and ``y`` are the markups as JSON; a fragment without a counterpart has null on the other side.
    """
    ours, theirs = x["selections"], y["selections"]
    couples = [
        *result["pairs"],
        *((i, None) for i in result["unmatched_x"]),
        *((None, k) for k in result["unmatched_y"]),
    ]
    own = signature(fingerprint, "Q")
    rows = [(i, *_placed(ours, i), k, *_placed(theirs, k), own) for i, k in couples]
    sizes = [len(result[name]) for name in ("pairs", "unmatched_x", "unmatched_y")]
    return _named(
        Frame.of("fragments", _FRAGMENTS, rows), Frame.of("matching", _MATCHING, [(*sizes, result["q"], own)])
    )


def of_pair(result: Json, fingerprint: Json) -> Frame:
    """Return the metrics of a pair with their weights, and last the pair accuracy."""
    weights = fingerprint["parameters"]["weights"]
    rows = [
        (name, weight, result["metrics"][name], signature(fingerprint, name))
        for name, weight in zip(METRICS, weights, strict=True)
    ]
    rows.append(("pair_accuracy", None, result["pair_accuracy"], signature(fingerprint, "pair_accuracy")))
    return Frame.of("metrics", _METRICS, rows)


def of_differences(rows: Sequence[tuple[Any, ...]], fingerprint: Json | None, settings: Mapping[str, object]) -> Frame:
    """Return two systems' differences, a row for each measure; ``settings`` of the tests are named in signatures."""
    signed = [(*row, signature(fingerprint, row[0], **settings)) for row in rows]
    return Frame.of("differences", _DIFFERENCES, signed)


def _named(*frames: Frame) -> dict[str, Frame]:
    return {frame.name: frame for frame in frames}


def ends_of(interval: Sequence[float] | None) -> Sequence[float | None]:
    """Return an interval as two cells, null where it is undefined."""
    return (None, None) if interval is None else interval


def _placed(selections: Sequence[Json], index: int | None) -> tuple[Any, ...]:
    if index is None:
        return (None, None, None)
    return tuple(selections[index][name] for name in ("type", "startSelection", "endSelection"))


_SIGNED: Final = "signature"
_STAR_ALL: Final = "STAR_all"
_PARTS: Final = ("subject", "language", "metric")
_SAMPLE_MEASURES: Final = (
    *((measure, field, "essays") for measure, field in ACCURACIES.items()),
    (_STAR_ALL, "algorithm_accuracy_all", "algorithm_essays"),
)


def _columns(*kinds: tuple[Kind, str]) -> dict[str, Kind]:
    """Return the kind of each column, of kinds with the names of their columns; a signature comes last."""
    return {name: kind for kind, names in kinds for name in names.split()} | {_SIGNED: "text"}


_ACCURACIES: Final = _columns(("text", "part name measure"), ("whole", "essays"), ("number", "value low high"))
_ESSAYS: Final = _columns(("text", "essay"), ("number", " ".join(ACCURACIES)))
_PAIRS: Final = _columns(("text", "essay x y"), ("whole", "matched"), ("number", " ".join((*METRICS, "pair_accuracy"))))
_COUPLES: Final = _columns(("whole", "first second essays"), ("number", "pair_accuracy"))
_CODES: Final = _columns(("text", "code"), ("whole", "reference other agreed"), ("number", "precision recall f"))
_CONFUSION: Final = _columns(("text", "reference other"), ("whole", "times"))
_ALPHA: Final = _columns(("number", "alpha"), ("whole", "words essays left_out"))
_FRAGMENTS: Final = _columns(
    *(("whole", "x"), ("text", "x_code"), ("whole", "x_start x_end")),
    *(("whole", "y"), ("text", "y_code"), ("whole", "y_start y_end")),
)
_MATCHING: Final = _columns(("whole", "pairs only_x only_y"), ("number", "q"))
_METRICS: Final = _columns(("text", "metric"), ("number", "weight value"))
_DIFFERENCES: Final = _columns(
    *(("text", "measure"), ("whole", "essays")),
    ("number", "first second difference low high p_bootstrap bca_low bca_high p_permutation"),
)
