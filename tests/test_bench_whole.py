"""The comparison of two commits' benchmarks reads the output of the benchmarks."""

from __future__ import annotations

from bench.whole import Row, compared, rows

BEFORE = """what                                   ours            peer
batch, pair of 60 fragments            2.0 ms          170.0 ms        85×   psr 1.9.0
a draft of eng: 4.0 ms, 10 criteria
semifinal, 60 epicrises      1200        1.25       1.5
import markup_core                     0 s
"""
NOW = """what                                   ours            peer
batch, pair of 60 fragments            500 µs          170.0 ms        340×  psr 1.9.0
a draft of eng: 4.0 ms, 10 criteria
match 400×400                          1.5 s
import markup_core                     0.2 s
"""


def test_a_row_is_its_label_and_its_durations_in_seconds() -> None:
    assert list(rows(BEFORE)) == [
        Row("batch, pair of 60 fragments", (0.002, 0.17)),
        Row("a draft of eng", (0.004,)),
        Row("semifinal, 60 epicrises", (1.25, 1.5)),
        Row("import markup_core", (0.0,)),
    ]


def test_rows_are_compared_by_label_and_the_others_are_told() -> None:
    assert compared(BEFORE + "gone: 1 s\n", NOW) == [
        "batch, pair of 60 fragments: 0.002 → 0.0005 (0.25), 0.17 → 0.17 (1.00)",
        "a draft of eng: 0.004 → 0.004 (1.00)",
        "match 400×400: only now",
        "import markup_core: 0 → 0.2 (–)",
        "semifinal, 60 epicrises: only before",
        "gone: only before",
    ]
