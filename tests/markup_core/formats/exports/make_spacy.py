"""Write what spaCy itself writes of three documents: make_spacy.py FOLDER, in an environment with spacy==3.8.18.

``corpus.spacy`` is a DocBin with entities and two groups of spans, of which one overlaps; ``older.spacy`` has words
whose blanks are unknown; ``docs.jsonl`` has a line of ``Doc.to_json`` for each document.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import spacy
from spacy.tokens import Doc, DocBin, Span

TEXTS = ["Ёж 😀 и кот.", 'Кафе\u0301 "Зебра"\r\nвторая строка', ""]


def main(folder: Path) -> None:
    """Write the files."""
    nlp = spacy.blank("ru")
    docs = [nlp(text) for text in TEXTS]
    docs[0].ents = [Span(docs[0], 0, 1, "PER", kb_id="Q1"), Span(docs[0], 1, 2, "LOC")]
    docs[0].spans["sc"] = [Span(docs[0], 0, 4, "PER"), Span(docs[0], 3, 4, "LOC")]
    docs[0].spans["other"] = [Span(docs[0], 3, 4, "LOC")]
    second = docs[1].char_span(7, 12, "LOC")
    assert second is not None
    docs[1].ents = [second]
    docs[1].cats = {"GOOD": 1.0}
    (folder / "corpus.spacy").write_bytes(DocBin(docs=docs, store_user_data=True).to_bytes())
    words = Doc(nlp.vocab, words=["Ёж", "и", "кот"], ents=["B-PER", "O", "B-LOC"])
    (folder / "older.spacy").write_bytes(DocBin(attrs=["ENT_IOB", "ENT_TYPE"], docs=[words]).to_bytes())
    lines = [json.dumps(doc.to_json(), ensure_ascii=False) for doc in docs]
    (folder / "docs.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
