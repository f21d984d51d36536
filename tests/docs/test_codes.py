"""``docs/codes.md`` and its Russian page are what ``markup-core codes --markdown`` prints of the shipped classifier.

After a change of the classifier run this file as a program: it writes both pages anew.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from markup_core.command.console import codes_page
from markup_core.reading.classifier import Classifier

DOCS: Final = Path(__file__).resolve().parents[2] / "docs"
PAGES: Final = {
    "en": (
        "codes.md",
        "По-русски: [codes.ru.md](codes.ru.md). A cycle may have its own: [classifier.md](classifier.md).",
    ),
    "ru": (
        "codes.ru.md",
        "In English: [codes.md](codes.md). У цикла может быть свой: [classifier.ru.md](classifier.ru.md).",
    ),
}


def written(language: str) -> str:
    """Write the page of a language, with links to the other one and to the classifiers of organizers."""
    classifier = Classifier.default()
    title, rest = codes_page(classifier, classifier.subjects, language).split("\n\n", 1)
    return f"{title}\n\n{PAGES[language][1]}\n\n{rest}"


@pytest.mark.parametrize("language", sorted(PAGES))
def test_the_page_is_what_the_classifier_says_with_every_code_of_every_subject(language: str) -> None:
    page = (DOCS / PAGES[language][0]).read_text("utf-8")
    assert page == written(language), "run: python tests/docs/test_codes.py"
    chapters = page.split("\n## ")[1:]
    classifier = Classifier.default()
    for subject, chapter in zip(classifier.subjects, chapters, strict=True):
        assert f"(`{subject}`)" in chapter.splitlines()[0]
        for code in classifier.codes(subject):
            (row,) = [line for line in chapter.splitlines() if line.startswith(f"| `{code.code}` |")]
            assert row.endswith(f"| {code.description[language]} |")


if __name__ == "__main__":
    for name, (file, _) in PAGES.items():
        (DOCS / file).write_text(written(name), "utf-8")
