"""Two small M2 files with everything that is odd in real ones, and what ERRANT says of them.

Doubled edits at one place, ``UNK``, a unit without annotations, annotators without number 0 and out of order, a system
with two annotators, insertions at the end, edits over several tokens.
"""

from __future__ import annotations

REFERENCE = """\
S He go to school yesterday .
A 1 2|||R:VERB:TENSE|||went|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB:TENSE|||went|||REQUIRED|||-NONE-|||1
A 5 6|||R:PUNCT|||!|||REQUIRED|||-NONE-|||1

S All is fine here .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A 2 3|||R:ADJ|||well|||REQUIRED|||-NONE-|||1

S The cats sleeps on on the mat
A 2 3|||R:VERB:SVA|||sleep|||REQUIRED|||-NONE-|||2
A 3 5|||U:PREP|||on|||REQUIRED|||-NONE-|||2
A 7 7|||M:PUNCT|||.|||REQUIRED|||-NONE-|||2
A 7 7|||M:PUNCT|||!|||REQUIRED|||-NONE-|||1

S I has two dog .
A 1 2|||R:VERB:SVA|||have|||REQUIRED|||-NONE-|||0
A 3 4|||R:NOUN:NUM|||dogs|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB|||have|||REQUIRED|||-NONE-|||0
A 3 4|||UNK|||dog|||REQUIRED|||-NONE-|||1

S nothing said here

S She like tea , he like coffee .
A 1 2|||R:VERB:SVA|||likes|||REQUIRED|||-NONE-|||0
A 5 6|||R:VERB:SVA|||likes|||REQUIRED|||-NONE-|||0
A 3 4|||R:PUNCT|||;|||REQUIRED|||-NONE-|||1
A 1 2|||R:VERB:SVA|||likes|||REQUIRED|||-NONE-|||1
A 0 7|||R:OTHER|||They like tea and coffee|||REQUIRED|||-NONE-|||3

S We was there and saw it
A 1 2|||R:VERB:SVA|||were|||REQUIRED|||-NONE-|||0
A 6 6|||M:PUNCT|||.|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB:SVA|||were|||REQUIRED|||-NONE-|||1

"""

HYPOTHESIS = """\
S He go to school yesterday .
A 1 2|||R:VERB|||went|||REQUIRED|||-NONE-|||0
A 3 4|||U:NOUN||||||REQUIRED|||-NONE-|||0

S All is fine here .
A 2 3|||R:ADJ|||good|||REQUIRED|||-NONE-|||0

S The cats sleeps on on the mat
A 2 3|||R:VERB|||sleep|||REQUIRED|||-NONE-|||0
A 3 4|||U:PREP||||||REQUIRED|||-NONE-|||0
A 6 7|||R:NOUN|||mat .|||REQUIRED|||-NONE-|||0

S I has two dog .
A 1 2|||R:VERB:SVA|||have|||REQUIRED|||-NONE-|||0
A 3 4|||R:NOUN:NUM|||cats|||REQUIRED|||-NONE-|||0
A 3 4|||R:NOUN|||cats|||REQUIRED|||-NONE-|||0

S nothing said here
A 0 1|||R:ORTH|||Nothing|||REQUIRED|||-NONE-|||0

S She like tea , he like coffee .
A 1 2|||R:VERB:SVA|||likes|||REQUIRED|||-NONE-|||0
A 5 6|||R:VERB:SVA|||likes|||REQUIRED|||-NONE-|||1
A 1 2|||R:VERB:SVA|||likes|||REQUIRED|||-NONE-|||1

S We was there and saw it
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

"""

ERRANT = {
    ("correction", "operation"): "6 7 4 0.4615 0.6 0.4839 | M 0 0 1, R 6 5 2, U 0 2 1",
    ("correction", "type"): (
        "6 7 4 0.4615 0.6 0.4839 | ADJ 0 1 0, NOUN 0 3 0, NOUN:NUM 0 1 1, ORTH 0 1 0, PREP 0 1 1, PUNCT 0 0 1, "
        "VERB 1 0 0, VERB:SVA 4 0 1, VERB:TENSE 1 0 0"
    ),
    ("correction", "full"): (
        "6 7 4 0.4615 0.6 0.4839 | M:PUNCT 0 0 1, R:ADJ 0 1 0, R:NOUN 0 2 0, R:NOUN:NUM 0 1 1, R:ORTH 0 1 0, "
        "R:VERB 1 0 0, R:VERB:SVA 4 0 1, R:VERB:TENSE 1 0 0, U:NOUN 0 1 0, U:PREP 0 1 1"
    ),
    ("span", "operation"): "8 4 3 0.6667 0.7273 0.678 | M 0 0 1, R 8 2 1, U 0 2 1",
    ("span", "type"): (
        "8 4 3 0.6667 0.7273 0.678 | ADJ 1 0 0, NOUN 0 2 0, NOUN:NUM 1 0 0, ORTH 0 1 0, PREP 0 1 1, PUNCT 0 0 1, "
        "VERB 1 0 0, VERB:SVA 4 0 1, VERB:TENSE 1 0 0"
    ),
    ("token", "operation"): "9 3 3 0.75 0.75 0.75 | M 0 0 1, R 8 2 1, U 1 1 1",
    ("token", "full"): (
        "9 3 3 0.75 0.75 0.75 | M:PUNCT 0 0 1, R:ADJ 1 0 0, R:NOUN 0 1 0, R:NOUN:NUM 1 0 0, R:ORTH 0 1 0, "
        "R:VERB 1 0 0, R:VERB:SVA 4 0 1, R:VERB:TENSE 1 0 0, U:NOUN 0 1 0, U:PREP 1 0 1"
    ),
}
"""``errant_compare`` 3.0.2 (``-cs``, ``-ds``, ``-dt`` with ``-cat`` 1, 2, 3): totals, then TP FP FN by category."""

ERRANT_CHOSEN = [(0, 0), (0, 0), (0, 2), (0, 0), (0, 0), (1, 0), (0, 1)]
"""Choices of corrections, hypothesis and reference, as ``errant_compare -v`` reports them."""
