#!/bin/sh
# dkpro-cassis: in which order come annotations with one start, and what is a border inside a character beyond the
#    BMP?
#
# Guess: select gives UIMA's order (by start, the longer first), so that a sentence comes before its first word; an
#    offset into the middle of a surrogate pair is an error, or is moved outwards.
# Seen: the shorter comes first; of an annotation [2, 3) in UTF-16, the second half of a pair, nothing is left, [2,
#    2), without a word. An end far beyond the text is kept as it is.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check dkpro-cassis==0.12.0
cat > "$folder/look.py" <<'LOOK'
from importlib.metadata import version

from cassis import Cas, TypeSystem, load_cas_from_xmi

print("dkpro-cassis", version("dkpro-cassis"))
types = TypeSystem()
Mark = types.create_type("x.Mark")


def cas_of(text, *spans):
    cas = Cas(typesystem=types)
    cas.sofa_string = text
    cas.add_all([Mark(begin=begin, end=end) for begin, end in spans])
    return cas


def places(cas):
    return [(mark.begin, mark.end) for mark in cas.select("x.Mark")]


order = places(cas_of("abc", (0, 3), (0, 1), (0, 0)))
print("order:", order)
assert order == [(0, 0), (0, 1), (0, 3)], order

# Written, the mark of the emoji is [1, 3); it is moved there to begin in its middle, as JavaScript's tools can write it.
xmi = cas_of("a\U0001f600b", (1, 2)).to_xmi()
assert 'begin="1" end="3"' in xmi, xmi
half = places(load_cas_from_xmi(xmi.replace('begin="1" end="3"', 'begin="2" end="3"'), typesystem=types))
print("half a character:", half)
assert half == [(2, 2)], half

beyond = cas_of("abc", (2, 9))
assert places(load_cas_from_xmi(beyond.to_xmi(), typesystem=types)) == [(2, 9)]
LOOK
"$folder/venv/bin/python" "$folder/look.py"
