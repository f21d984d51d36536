"""The pilot program of the diagnosis contest: lists of words (``python -m pku.pilot.diagnosis``).

It reads an epicrisis as handed out on standard input and prints its answer. The disease with most of its words in the
text is the diagnosis, a disease of none of them ``another``. In the final it gives a preliminary diagnosis, asks for an
X-ray and for the one study that tells its disease from others, and decides by all that it has read.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from typing import Any, Final

HEALTHY: Final = "another"
_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "A15.0": ("туберкул", "ночная потливость", "вечерний подъём", "распад", "полост", "диаскинтест", "микобактери"),
    "C34.9": ("прожилки крови", "осиплость", "лучист", "ателектаз", "образовани", "опухол", "плоскоклеточн"),
    "J15.9": ("ржав", "озноб", "бок", "затенени", "бронхограмм", "палочкоядерн", "прокальцитонин", "долев"),
    "J12.9": ("ломота", "обоняни", "грипп", "матов", "лимфопени", "ретикулярн"),
    "J44.9": ("свистящ", "пачк", "обострени", "ингалятор", "вздут", "булл", "офв1", "бронхолитик"),
    "I27.2": ("обморок", "тромбо", "отёки голен", "антикоагулянт", "лёгочной артерии", "дефекты перфузии"),
}
"""Beginnings of words that indicate a disease, by the disease's code."""
_LEAST: Final = 2
"""Least number of a disease's words in an epicrisis: one alone is in healthy people's epicrises too."""
_XRAY: Final = "A06.09"
_TELLING: Final[Mapping[str, str]] = {
    "A15.0": "A11.01.003",
    "C34.9": "A03.09",
    "J15.9": "A09.05.209",
    "J12.9": "B03.016.003",
    "J44.9": "A12.09",
    "I27.2": "A04.10",
}
"""The study that tells most of a disease."""


# Clause: TS T16
def answer(content: Mapping[str, Any]) -> Any:
    """Answer an epicrisis as it was handed out, in a dialogue with all its responses so far."""
    dialogue = content.get("dialogue")
    turns = dialogue["turns"] if dialogue is not None else []
    responses = [turn["response"] for turn in turns if turn["response"] is not None]
    study_files = [file["xml"] for response in responses for file in response.get("files", ())]
    code = diagnosed(" ".join([content["xml"], *study_files]))
    if content["version"] == "v1":
        return [{"xPath": "", "start": "", "end": "", "name": code, "decorCode": "diagnosisMain", "code": ""}]
    if dialogue is not None and not turns:
        return [{"decorCode": "diagnosisPreliminary", "code": code}]
    studies = {str(turn["response"]["study"]) for turn in turns if turn["kind"] == "study"}
    needed = [_XRAY, *([_TELLING[code]] if code in _TELLING else [])]
    missing = next((study for study in needed if study not in studies), None)
    if dialogue is not None and missing is not None and len(studies) < len(needed):
        return {"study": missing}
    return [{"decorCode": "diagnosisMain", "code": code}]


def diagnosed(xml: str) -> str:
    """Return the code of the disease with most of its words in a text; ``another`` if no disease has enough of them."""
    text = re.sub(r"<[^>]*>", " ", xml).lower()
    counts = {code: sum(word in text for word in words) for code, words in _WORDS.items()}
    best = max(counts, key=lambda code: counts[code])
    return best if counts[best] >= _LEAST else HEALTHY


if __name__ == "__main__":
    json.dump(answer(json.load(sys.stdin)), sys.stdout, ensure_ascii=False)
