"""``contest check``: a deployed cycle looked over before a final, from outside as well."""

from __future__ import annotations

import base64
import json
import sys
from typing import Any, Final

import click
from rich.markup import escape

from contest import routes
from contest.adapters.clock import SystemClock
from contest.commands.desk import Desk
from contest.commands.options import as_json
from contest.commands.people import desk
from contest.commands.shell import console
from contest.commands.words import code, in_language, table
from contest.domain.moments import SECOND, Millis, from_iso
from contest.domain.run.checks import Check, CheckGrade
from tracks.command import spoken
from tracks.protocol import Text

FAILED: Final = 1
_OFF: Final[Millis] = 2 * SECOND
"""How far this machine's clock and the platform's may differ, beside the time that the request took."""
_COLOURS: Final = {"ok": "green", "warning": "yellow", "failed": "red", "unknown": "dim"}


@spoken.command("check")
@click.option("--run", "run_id", help="A final; the next one without it.")
@as_json
def check(run_id: str | None, *, raw: bool) -> None:
    """Look the deployed cycle over before a final; exit code 1 when something failed."""
    asked, clock = desk(), SystemClock()
    before = clock.now()
    found = asked.get(routes.CHECK, {"run": run_id})
    own = [clock_of(before, clock.now(), from_iso(found["server_time"]))]
    if found["run_id"] is not None:
        own.append(_commitment(asked, found["run_id"]))
    rows = [*found["checks"], *map(_told, own)]
    if raw:
        click.echo(json.dumps({**found, "checks": rows}, ensure_ascii=False, indent=2))
    else:
        shown = table("check", "grade", "what", show_lines=True)
        for each in rows:
            grade = f"[{_COLOURS[each['grade']]}]{code(each['grade'])}[/]"
            shown.add_row(each["name"], grade, escape(in_language(each)))
        console.print(shown)
    if any(each["grade"] == CheckGrade.FAILED for each in rows):
        sys.exit(FAILED)


def clock_of(before: Millis, after: Millis, there: Millis) -> Check:
    """Whether the platform's clock agrees with this machine's: it answered between two moments of ours."""
    off = max(before - there, there - after, 0)
    en = f"this machine's clock and the platform's differ by {off} ms beyond the request's own time"
    ru = f"часы этой машины и платформы расходятся на {off} мс сверх времени самого запроса"
    return Check(
        "own_clock", CheckGrade.OK if off <= _OFF else CheckGrade.WARNING, Text(en, ru), {"difference_ms": off}
    )


def commitment_of(run: dict[str, Any], keys: dict[str, Any]) -> Check:
    """Whether a run's published commitment is signed with a published key and says the run's own times."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    from contest.domain.canonical import canonical

    statement = run["commitment"]["statement"]
    known = {each["key_id"]: base64.b64decode(each["public_key"]) for each in keys["keys"]}
    where = {"root": statement.get("root"), "key_id": statement.get("key_id")}
    try:
        key = Ed25519PublicKey.from_public_bytes(known[statement["key_id"]])
        key.verify(base64.b64decode(run["commitment"]["signature"]), canonical(statement))
    except (KeyError, ValueError, InvalidSignature):
        said = Text(
            "the final's commitment is not signed by the platform", "обязательство о финале не подписано платформой"
        )
        return Check("commitment", CheckGrade.FAILED, said, where)
    if statement["run_id"] != run["run_id"]:
        said = Text("the commitment is another run's", "обязательство относится к другому прогону")
        return Check("commitment", CheckGrade.FAILED, said, where)
    said = Text("the commitment is published and its signature holds", "обязательство опубликовано, подпись верна")
    return Check("commitment", CheckGrade.OK, said, where)


def _commitment(asked: Desk, run_id: str) -> Check:
    return commitment_of(asked.get(routes.RUN, run_id=run_id), asked.get(routes.KEYS))


def _told(found: Check) -> dict[str, Any]:
    return {
        "name": found.name,
        "grade": found.grade.value,
        "message": found.said.en,
        "message_ru": found.said.ru,
        "where": dict(found.where),
    }
