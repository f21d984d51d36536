"""The pilot programs, to start from: of essays an honest marker by dictionary and pattern rules (platform §6).

Programs of other contests have a module each, except the exam's, which is one line. The archive of the program that is
submitted whole is made here: it has the same bytes on every machine, so that its SHA-256 identifies it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pku.pilot import rules_en, rules_ru
from pku.pilot.marker import SubjectRules, fragments

__all__ = ["RULES", "archive", "first_choice", "mark"]

RULES: Final[Mapping[str, SubjectRules]] = {
    **rules_ru.RULES_BY_SUBJECT,
    **rules_en.RULES_BY_SUBJECT,
}
"""The rules of each subject the program knows."""
IMAGE: Final = "jupyter/scipy-notebook:latest"
"""Container image of the program: it has numpy, which the program needs, and nothing has to be installed."""
ENTRY_POINT: Final = "python -m fusion_pilot"
_LONG_AGO: Final = (1980, 1, 1, 0, 0, 0)


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


# Clause: TS T16
def first_choice(content: dict[str, Any]) -> str:  # noqa: ARG001 - whatever the task is
    """Return the first choice for any task of the exam. It sets a level that is easy to beat."""
    return "1"


# Clause: TS T16
def archive(image: str = IMAGE) -> bytes:
    """Build the archive of the multitask contest's pilot: the program and ``metadata.json``, uncompressed, undated."""
    import io
    import json
    import zipfile
    from importlib import resources

    metadata = json.dumps({"image": image, "entry_point": ENTRY_POINT}, ensure_ascii=False, indent=1) + "\n"
    program = (resources.files("pku.pilot") / "fusion.py").read_bytes()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as writer:
        for name, content in (("fusion_pilot.py", program), ("metadata.json", metadata.encode())):
            entry = zipfile.ZipInfo(name, _LONG_AGO)
            entry.external_attr = 0o100644 << 16
            writer.writestr(entry, content)
    return packed.getvalue()
