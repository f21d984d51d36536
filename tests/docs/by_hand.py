"""The program of ``docs/fairness.md`` run in this process, where starting it a thousand times would take too long."""

from __future__ import annotations

import base64
import re
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

from contest.adapters.signatures import verifies
from contest.values import canonical

DOCS = Path(__file__).resolve().parents[2] / "docs"
_MAIN = "\nbefore, after, answer, keys = "
_FINE = {"nothing is wrong", "всё верно"}


def program(page: str) -> str:
    """Return the longest Python block of a page."""
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text("utf-8"), re.DOTALL)
    return max(blocks, key=len)


def findings(page: str, answers: dict[str, Any]) -> list[str]:
    """List the program's lines about four answers, none where all are right; its last words if it fails."""
    functions, main = _compiled(page)
    printed: list[str] = []
    names: dict[str, Any] = {"print": lambda text: printed.extend(str(text).splitlines())}
    exec(functions, names)  # noqa: S102 — the page's own program
    names |= {"read": lambda name: answers[name.removesuffix(".json")], "signature_holds": _signature_holds}
    try:
        exec(main, names)  # noqa: S102 — as above
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        printed.append(repr(error))
    return [line for line in printed if line not in _FINE]


@cache
def _compiled(page: str) -> tuple[CodeType, CodeType]:
    functions, main, rest = program(page).partition(_MAIN)
    return compile(functions, page, "exec"), compile(main + rest, page, "exec")


def _signature_holds(statement: Any, signature: str, keys: Any) -> bool:
    """Return True if a signature holds; this replaces OpenSSL, which the page's program calls."""
    key = next(each for each in keys if each["key_id"] == statement["key_id"])
    public_key, signed = base64.b64decode(key["public_key"]), base64.b64decode(signature)
    return verifies(key["algorithm"], public_key, signed, canonical(statement))
