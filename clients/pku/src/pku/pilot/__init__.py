"""The pilot program: an honest marker by dictionary and pattern rules, to start from (platform §6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pku.pilot import rules_en, rules_ru
from pku.pilot.marker import fragments
from pku.pilot.rules import SubjectRules

__all__ = ["RULES", "mark"]

RULES: Final[Mapping[str, SubjectRules]] = {
    **rules_ru.RULES_BY_SUBJECT,
    **rules_en.RULES_BY_SUBJECT,
}
"""The rules of each subject the program knows."""


# Clause: R 4.2.4, platform §6 pilot
def mark(content: dict[str, Any]) -> dict[str, Any]:
    """Return the essay with ``selections`` filled by the rules of its subject; ``content`` is not changed.

    ``content``: the canonical markup JSON (markup-scoring §1) as handed out. Selections it already holds are replaced.
    An essay in a subject without rules, or without a subject, gets no fragments. The same text always gets the same
    markup. Raises ``TypeError`` when there is no text to mark.
    """
    text = content.get("text")
    if not isinstance(text, str):
        raise TypeError('the essay has no text: "text" must be a string; hand in the JSON as it was given out')
    meta = content.get("meta")
    subject = meta.get("subject") if isinstance(meta, dict) else None
    rules = RULES.get(subject) if isinstance(subject, str) else None
    findings = fragments(text, rules) if rules else ()
    return {**content, "selections": [finding.selection(number) for number, finding in enumerate(findings, start=1)]}
