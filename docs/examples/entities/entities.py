"""Score named entities: F of exact matches, and F in which an overlap under the same label counts half."""

__version__ = "1.0"
SAMPLES = [
    {
        "answer": [{"start": 0, "end": 4, "label": "PER"}, {"start": 9, "end": 12, "label": "LOC"}],
        "references": [[{"start": 0, "end": 4, "label": "PER"}, {"start": 9, "end": 17, "label": "LOC"}]],
        "counts": {"exact": 1, "overlap": 1, "found": 2, "right": 2},
    },
    {"answer": None, "references": [[]], "counts": {"exact": 0, "overlap": 0, "found": 0, "right": 0}},
]


def score(answer, references):
    """Count the matches of an answer with every reference; a missed file (None) has found nothing."""
    answered = spans(answer or [])
    counts = {"exact": 0, "overlap": 0, "found": 0, "right": 0}
    for right in map(spans, references):
        exact = answered & right
        counts["exact"] += len(exact)
        counts["overlap"] += overlapping(sorted(answered - exact), sorted(right - exact))
        counts["found"] += len(answered)
        counts["right"] += len(right)
    return counts


def aggregate(counts):
    """Return the exact F of all files, and beside it the F with overlaps; undefined where there are no entities."""
    exact, overlap, answered, right = (
        sum(count[name] for count in counts) for name in ("exact", "overlap", "found", "right")
    )
    if not answered + right:
        return {"value": None, "partial": None}
    return {"value": 2 * exact / (answered + right), "partial": (2 * exact + overlap) / (answered + right)}


def spans(entities):
    """Return entities as a set of label, start and end."""
    return {(entity["label"], entity["start"], entity["end"]) for entity in entities}


def overlapping(answered, right):
    """Count pairs that overlap under one label, each entity in one pair at most, from left to right."""
    pairs = 0
    for label, start, end in answered:
        match = next((span for span in right if span[0] == label and span[1] < end and start < span[2]), None)
        if match:
            right.remove(match)
            pairs += 1
    return pairs
