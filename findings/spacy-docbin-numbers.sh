#!/bin/sh
# spaCy: which number stands for a label in a DocBin?
#
# Guess: the 64-bit hash of the string, for every label, so that the strings of the file are enough to read it.
# Seen: names of spaCy's symbols have their place in a list of 456 as number: LOC is 385, PERSON 380, but PER, and any
#    word in another letter case, is a hash. A word of the text that is such a name (mark, root) has its place, too.
#    Without that list a reader cannot tell what LOC is.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check spacy==3.8.18
cat > "$folder/look.py" <<'LOOK'
import zlib
from importlib.metadata import version

import numpy as np
import spacy
import srsly
from spacy.symbols import NAMES
from spacy.tokens import Doc, DocBin

print("spacy", version("spacy"))
doc = Doc(spacy.blank("en").vocab, words=["mark", "Mark"], ents=["B-LOC", "B-PER"])
message = srsly.msgpack_loads(zlib.decompress(DocBin(attrs=["ENT_TYPE"], docs=[doc]).to_bytes()))
numbers = np.frombuffer(message["tokens"], dtype="uint64").reshape(2, 2).tolist()
print(message["strings"], numbers)
assert numbers[0] == [NAMES.index("mark"), 385], numbers
assert numbers[1] == [doc.vocab.strings["Mark"], 4317129024397789502], numbers
LOOK
"$folder/venv/bin/python" "$folder/look.py"
