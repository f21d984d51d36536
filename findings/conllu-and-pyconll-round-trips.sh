#!/bin/sh
# conllu and pyconll: is a valid file the same when it was read and written?
#
# Guess: both keep every byte of a file with tabs; a form with two spaces in it stays one form.
# Seen: pyconll sorts features and MISC by name, and lists of values, and drops a repeated value, so that the file
#    differs; conllu keeps them. conllu takes two spaces for a tab even in a line with tabs: a form with two spaces is
#    cut, and each later column holds the one before it, without an error. pyconll refuses a line separator U+2028
#    inside a comment, which conllu reads.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check conllu==6.0.0 pyconll==3.3.1
cat > "$folder/look.py" <<'LOOK'
from importlib.metadata import version

import conllu
import pyconll

print({name: version(name) for name in ("conllu", "pyconll")})
LINE = "# text = x\n1\tx\tx\tNOUN\t_\tNumber=Sing|Case=Nom,Acc,Acc\t0\troot\t_\tSpaceAfter=No|B=2|A=1\n\n"
written = pyconll.load_from_string(LINE).conll()
print(written)
assert conllu.parse(LINE)[0].serialize() == LINE
assert "Case=Acc,Nom|Number=Sing\t0\troot\t_\tA=1|B=2|SpaceAfter=No" in written, written

spaced = "1\ttwo  words\tlemma\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
token = conllu.parse(spaced)[0][0]
print(token)
assert (token["form"], token["lemma"], token["upos"], token["xpos"]) == ("two", "words", "lemma", "NOUN"), token
assert pyconll.load_from_string(spaced)[0][0].form == "two  words"

separated = "# text = a\u2028b\n1\ta\ta\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
assert conllu.parse(separated)[0].metadata["text"] == "a\u2028b"
try:
    pyconll.load_from_string(separated)
except pyconll.exception.ParseError as error:
    print(error)
else:
    raise AssertionError("pyconll reads it")
LOOK
"$folder/venv/bin/python" "$folder/look.py"
