"""Tell what spaCy, pandas and seqeval read in files of ours: read_words.py FOLDER; JSON on standard output.

Needs spacy==3.8.18, pandas==3.1.1 and seqeval==1.2.2.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pandas as pd
import spacy
from seqeval.metrics.sequence_labeling import get_entities


def main(folder: Path) -> None:
    """Print the words and labels that each tool sees."""
    nlp = spacy.blank("ru")
    tasks = [json.loads(line) for line in (folder / "corpus.jsonl").read_text("utf-8").splitlines()]
    spans = []
    for task in tasks:
        doc = nlp(task["text"])
        marked = [
            doc.char_span(one["start"], one["end"], one["label"], alignment_mode="expand") for one in task["spans"]
        ]
        spans.append([[span.text, span.label_] for span in marked])
    table = pd.read_csv(folder / "corpus.csv", keep_default_na=False)
    rows = [[row.text[int(row.start) : int(row.end)], row.label] for row in table.itertuples() if row.start != ""]
    lines = [line.split() for line in (folder / "corpus.conll").read_text("utf-8").splitlines()]
    words = [line for line in lines if line and line[0] != "-DOCSTART-"]
    entities = [
        [" ".join(word[0] for word in words[first : last + 1]), label]
        for label, first, last in get_entities([word[-1] for word in words])
    ]
    print(json.dumps({"spacy": spans, "csv": rows, "conll": entities}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
