"""Commands for before and after a run: check this machine's readiness, prove a run's fairness, get data sets."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from pku import config, doctor
from pku.answers import Receipt
from pku.commanding import FAILED, App
from pku.config import Clock
from pku.doctor import Finding, Limits, Verdict
from pku.errors import ONCE, ExchangeError, PkuError, sentence, spoken, word
from pku.exchange import Exchange
from pku.proof import read_keys
from pku.sessions import wait_for_record
from pku.solvers import Solver
from pku.transfers import SUMS, fetch

if TYPE_CHECKING:  # loaded where they are used
    from pku.proof import LocalData
    from pku.trial import Programs

_MARKS = {Verdict.GOOD: ("✓", "green"), Verdict.WARNING: ("!", "yellow"), Verdict.FAULT: ("✗", "red")}


def examine(app: App, solver: Solver | None, folder: Path, archive: Path | None = None) -> None:
    """Run all checks and print them; exit code 1 if a fault would cost files."""
    from pku.trial import Programs

    with app.exchange() as exchange:
        exchange.sessions(limit=1)  # refused for a token that is not valid
        cycle = exchange.cycle()
        contest = Programs.of(cycle)
        if archive is not None and contest is None:
            raise PkuError("doctor_no_programs")
        if solver is not None and contest is not None:
            raise PkuError("doctor_programs_alone")
        findings = _findings(app, exchange, cycle, solver, folder)
        if archive is not None and contest is not None:
            findings += _archive_findings(app, archive, contest, exchange.clock)
    listed = []
    for finding in findings:
        sentence = _sentence(finding, app.language)
        app.show(Text.assemble(_MARKS[finding.verdict], " ", sentence))
        values = {name: value for name, value in finding.values.items() if isinstance(value, int | float | str)}
        listed.append({"check": finding.name, "verdict": finding.verdict.value, "message": sentence, **values})
    worst = max(findings, key=lambda finding: list(Verdict).index(finding.verdict)).verdict
    app.print_sentence(f"doctor.end_{worst.value}")
    app.give({"verdict": worst.value, "findings": listed})
    if worst is Verdict.FAULT:
        sys.exit(FAILED)


def verify_run(
    app: App, run_id: str, files: tuple[Path, Path] | None, receipts: Sequence[Path] = (), *, wait: bool = False
) -> None:
    """Check a run and say everything that does not fit; exit code 1 where something does not.

    ``wait``: until the run is over, instead of refusing before.
    """
    from pku import proof as run_proof

    run, answer = _published(app, run_id, files, wait=wait)
    keys = read_keys(config.load_keys())
    local_data = replace(_local_data(app, run_id, answer), receipts=tuple(_receipts(receipts)))
    verdict = run_proof.verify(run, answer, keys, local_data)
    listed = []
    for fault in verdict.faults:
        message = sentence(f"proof.{fault.code}", app.language, **fault.values)
        app.show(Text.assemble(("✗", "red"), " ", message))
        listed.append({"code": fault.code, "message": message, **fault.values})
    for ruling in verdict.later:
        app.print_sentence("proof.ruled_later", **_ruling(ruling))
    for slow_body in verdict.slow:
        app.print_sentence("proof.slow_body", **slow_body)
    counts = {name: getattr(verdict, name) for name in ("signatures", "files", "sessions", "rulings", "own_files")}
    app.print_sentence("proof.looked_at", **counts)
    if local_data.commitment is None:
        app.print_sentence("proof.no_commitment_kept")
    app.print_sentence("proof.fair" if not verdict.faults else "proof.unfair")
    remarks = {"ruled_later": [dict(ruling) for ruling in verdict.later], "slow_bodies": list(verdict.slow)}
    app.give({"run_id": run_id, "fair": not verdict.faults, **counts, **remarks, "faults": listed})
    if verdict.faults:
        sys.exit(FAILED)
    if files is None:
        app.journals().keep_run(run_id, run, answer["statement"]["record_sha256"])


def _ruling(opened: Mapping[str, Any]) -> dict[str, Any]:
    """Return a ruling in words: a team's file and its cause, or which ruling is taken back."""
    details = opened["details"]
    what = (
        f"№ {details['amendment']}"
        if "amendment" in details
        else f"{details['team_id']}, {details['number']}: {details['cause']}"
    )
    return {"number": opened["number"], "what": what, "reason": opened["reason"]}


def _published(app: App, run_id: str, files: tuple[Path, Path] | None, *, wait: bool) -> tuple[Any, Any]:
    """Return the platform's published data of the run, or the data saved of it before."""

    def tell_waiting(refusal: ExchangeError) -> None:
        app.tell(sentence("proof.waiting", app.language, ends_at=refusal.detail("ends_at") or "?"))

    if files is None:
        with app.exchange() as exchange:
            if wait:
                wait_for_record(exchange, run_id, on_wait=tell_waiting)
            return exchange.run(run_id), exchange.run_record(run_id)
    try:
        return json.loads(files[0].read_bytes()), json.loads(files[1].read_bytes())
    except (OSError, ValueError) as error:
        raise PkuError("bad_record", why=error) from None


def _receipts(paths: Sequence[Path]) -> Iterator[Receipt]:
    """Yield the receipts of saved lists; :class:`PkuError` for a file that is no such list."""
    for path in paths:
        try:
            for receipt in json.loads(path.read_bytes()):
                yield Receipt.read(receipt)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise PkuError("bad_receipts", path=path, why=error) from None


def _local_data(app: App, run_id: str, answer: Any) -> LocalData:
    """Return this machine's data of the run: the session of the record that it has a journal of."""
    from pku.proof import LocalData

    journals = app.journals()
    promised = LocalData(**journals.kept_run(run_id))
    own_sessions = set(journals.sessions())
    named = [session.get("session_id") for session in answer.get("record", {}).get("sessions", ())]
    session_id = next((named_id for named_id in named if named_id in own_sessions), None)
    if session_id is None:
        return promised
    journal = journals.of(session_id)
    entries = journal.read()
    files = {
        number: {"file_id": file.file_id, "handed_out_at": file.handed_out_at, "content": file.content}
        for number, file in journal.files().items()
    }
    receipts = {number: entry.receipt for number, entry in entries.items() if entry.receipt is not None}
    received = {number: receipt.received_at for number, receipt in receipts.items() if receipt.status == "accepted"}
    return replace(promised, session_id=session_id, files=files, received=received)


def _findings(
    app: App, exchange: Exchange, cycle: Mapping[str, Any], solver: Solver | None, folder: Path
) -> list[Finding]:
    run = doctor.next_run(exchange)
    limits = Limits.of_run(run, cycle)
    with app.progress("Text", "Bar", "MofNComplete") as progress:
        task = progress.add_task(sentence("doctor.measuring", app.language), total=doctor.SAMPLES_TAKEN + 1)
        samples = doctor.measure(exchange, on_sample=lambda: progress.advance(task))
    findings = [doctor.check_clock(samples), doctor.check_latency(samples, limits), doctor.check_journals(folder)]
    if solver is not None:
        longest = max(sample.round_trip for sample in samples)
        findings.append(doctor.check_solver(solver, exchange.clock, limits, longest, cycle))
        solver.stop()
    return [*findings, doctor.check_kit(exchange, read_keys(keys_of(exchange))), doctor.check_run(run)]


def _archive_findings(app: App, archive: Path, contest: Programs, clock: Clock) -> list[Finding]:
    """Judge and run an archive; how long it runs already is said, for it may take as long as on the platform."""
    from pku.trial import check_archive

    with app.progress("Text", "Bar", "MofNComplete") as progress:
        task = progress.add_task(sentence("doctor.running", app.language), total=contest.limits["wall_s"])
        started = clock.now()
        return check_archive(
            archive, contest, clock, lambda: progress.update(task, completed=int(clock.now() - started))
        )


def tell_kit(app: App) -> None:
    """Say when this is not the kit that the platform publishes; nothing where it is, or where none is published.

    A session is never kept from opening by it, nor kept waiting: the platform is asked once, and what it does not
    answer, or answers in no form that is known, is not told.
    """
    try:
        with app.exchange(patience=ONCE) as exchange:
            finding = doctor.check_kit(exchange, read_keys(keys_of(exchange)))
    except PkuError:
        return
    if finding.verdict is not Verdict.GOOD:
        app.tell(_sentence(finding, app.language))


def keys_of(exchange: Exchange) -> object:
    """Return the keys saved at login; for a login from the environment alone, those that the platform publishes now."""
    try:
        return config.load_keys()
    except PkuError:
        return exchange.keys()


def _sentence(finding: Finding, language: str) -> str:
    return sentence(f"doctor.{finding.wording or finding.name}", language, **spoken(finding.values, language))


def list_sets(app: App) -> None:
    """List the data sets that the team may have."""
    with app.exchange() as exchange:
        data_sets = exchange.data_sets()
    table = Table(*(sentence(f"data.{column}", app.language) for column in ("name", "kind", "items", "markups")))
    for data_set in data_sets:
        items = ", ".join(f"{language} {count}" for language, count in data_set["items"].items())
        table.add_row(
            data_set["name"], word("kind", data_set["kind"], app.language), items, str(data_set["references"])
        )
    if data_sets:
        app.show(table)
    else:
        app.print_sentence("data.none")
    app.give(data_sets)


def get_set(app: App, name: str, folder: Path) -> None:
    """Bring a data set into a folder, or the folder to what the set is now."""
    with app.exchange() as exchange, app.progress("Bar", "MofNComplete", "Text") as progress:
        task = progress.add_task(sentence("data.parts", app.language), total=None)
        fetched = fetch(exchange, name, folder, lambda done, total: progress.update(task, completed=done, total=total))
    message = "data.done" if fetched.parts_fetched else "data.same"
    app.print_sentence(message, set=name, files=fetched.files, folder=folder, sums=SUMS)
    app.give({"name": name, "sha256": fetched.data_set.sha256, "files": fetched.files, "folder": str(folder)})
