"""A final for the site's browser tests: the demonstration cycle with a final and a reserve set beside its own."""

from __future__ import annotations

import json
from pathlib import Path
from shutil import copytree
from typing import Final

ESSAYS: Final = tuple(f"{subject}-{number:02}" for subject in ("hist", "social", "lit") for number in range(5, 9))
FINAL: Final = 3
"""Number of essays in the final; the others are in the reserve."""


def with_final(demonstration: Path, folder: Path) -> Path:
    """Write the cycle's folder with both sets. A line more makes each essay another text than the test set's."""
    copytree(demonstration, folder)
    cycle = json.loads((folder / "cycle.json").read_text())
    for at, essay in enumerate(ESSAYS):
        kind = "final" if at < FINAL else "reserve"
        cycle["sets"][kind] = {"folder": kind, "kind": kind}
        (folder / kind).mkdir(exist_ok=True)
        for found in (demonstration / "test").glob(f"{essay}*.json"):
            markup = json.loads(found.read_text())
            markup["text"] += f"\n{kind}"
            markup["meta"]["id"] = f"{kind}-{essay}"
            (folder / kind / f"{kind}-{found.name}").write_text(json.dumps(markup, ensure_ascii=False))
    (folder / "cycle.json").write_text(json.dumps(cycle, ensure_ascii=False))
    return folder
