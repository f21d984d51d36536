"""Tables of the track: what a verdict looks like in a row."""

from __future__ import annotations

from tracks.diagnosis import commands
from tracks.protocol import Reason, Text, Verdict


def test_a_valid_answer_shows_its_kind_and_an_invalid_one_its_remarks() -> None:
    late = Reason("late", Text(en="too late", ru="поздно"), {})
    odd = Reason("odd", Text(en="odd", ru="странно"), {})
    judged = [
        ("a", Verdict((), kind="initial")),
        ("b", Verdict((), warnings=(odd,), kind="final")),
        ("c", Verdict((late,), warnings=(odd,))),
    ]
    assert commands.verdicts_table(judged, "ru").rows == (
        ("a", "+", "initial", None, None),
        ("b", "+", "final", "odd", "странно"),
        ("c", "−", None, "late", "поздно"),
        ("c", "−", None, "odd", "странно"),
    )
