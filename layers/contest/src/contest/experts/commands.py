"""Commands ``contest expert``, ``contest marking`` and ``contest replay`` (platform §5; D 9.10.7, 9.10.8)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import click
from rich.markup import escape
from rich.table import Table

from contest import routes
from contest.commands.shell import (
    Numbers,
    as_json,
    code,
    complaint,
    console,
    end_with_json,
    in_language,
    show_json,
    speak,
    table,
    yes,
)
from contest.people.commands import desk
from contest.routes import Route
from contest.texts import say
from markup_core.texts import language, number
from tracks.command import spoken
from tracks.protocol import in_language as of_both

_reason = click.option("--reason", required=True, help="Why; the expert is told.")
_UNDEFINED: Final = "—"


@spoken.group()
def expert() -> None:
    """Experts' profiles: subjects, languages and conflict groups."""


@expert.command("list")
@as_json
def expert_list(*, raw: bool) -> None:
    """List the experts' profiles."""
    reply = desk().get(routes.EXPERTS)
    end_with_json(raw, reply)
    listed = table("expert", "subjects", "languages", "conflict groups", "active")
    for profile in reply["experts"]:
        several = (", ".join(profile[name]) for name in ("subjects", "languages", "groups"))
        listed.add_row(escape(profile["expert_id"]), *map(escape, several), yes(profile["active"]))
    console.print(listed)


@expert.command("set")
@click.argument("person_id")
@click.option("--subject", "subjects", multiple=True, required=True, help="A subject of the cycle; may be repeated.")
@click.option("--language", "languages", multiple=True, required=True, help="A language; may be repeated.")
@click.option("--group", "groups", multiple=True, help="A conflict group: two who share one never get the same essay.")
@click.option("--inactive", is_flag=True, help="No new essays.")
def expert_set(
    person_id: str, subjects: tuple[str, ...], languages: tuple[str, ...], groups: tuple[str, ...], *, inactive: bool
) -> None:
    """Say what PERSON_ID, who has the role of an expert, marks up."""
    profile = {"subjects": list(subjects), "languages": list(languages), "groups": list(groups), "active": not inactive}
    desk().put(routes.PUT_EXPERT, profile, expert_id=person_id)
    what, tongues = ", ".join(subjects), ", ".join(languages)
    speak("expert {person_id}: {what} in {tongues}", person_id=person_id, what=what, tongues=tongues)


@spoken.group()
def marking() -> None:
    """Assign essays to experts and follow their annotation."""


@marking.command("begin")
@click.option("--run", "run_id", help="The files of a final that is over.")
@click.option("--set", "set_name", help="The essays of a training or test set.")
@click.option("--session", "session_id", help="Explanations of a team's answers in a final, to rate.")
@click.option("--seed", type=int, help="Another seed gives other pairs of experts.")
@click.option("--preview", is_flag=True, help="Say what would be done, and do nothing.")
@as_json
def marking_begin(
    run_id: str | None, set_name: str | None, session_id: str | None, seed: int | None, *, preview: bool, raw: bool
) -> None:
    """Give essays to two experts each, or what still lacks one; says how many each expert has then."""
    order = {"run": run_id, "set": set_name, "session": session_id, "seed": seed, "preview": preview}
    plan = desk().post(routes.BEGIN_MARKING, order)
    end_with_json(raw, plan)
    _show_plan(plan)


def _show_plan(plan: dict[str, Any]) -> None:
    """Print each expert's number of essays, and the essays without experts with the reasons."""
    total, covered, name = plan["essays"], len(plan["given"]), plan["marking"]["marking_id"]
    if plan["preview"]:
        speak(
            "preview, nothing is given: {total} essays lack experts, {covered} of them would be given",
            total=total,
            covered=covered,
        )
    else:
        speak("marking {name}: {covered} essays given", name=name, covered=covered)
    loads = table("expert", "before", "after")
    for load in plan["loads"]:
        loads.add_row(escape(load["expert_id"]), str(load["before"]), str(load["after"]))
    console.print(loads)
    for essay in plan["uncovered"]:
        click.echo(f"{essay['item_id']}: {in_language(essay)}")


@marking.command("list")
def marking_list() -> None:
    """Print the markings as JSON."""
    show_json(desk().get(routes.MARKINGS))


@marking.command("show")
@click.argument("marking_id")
@as_json
def marking_show(marking_id: str, *, raw: bool) -> None:
    """Show how far MARKING_ID is."""
    progress = desk().get(routes.MARKING, marking_id=marking_id)
    end_with_json(raw, progress)
    total = len(progress["essays"])
    done, lacking, thirds = progress["done"], progress["lacking"], progress["thirds"]
    speak(
        "{done} of {total} essays done, {lacking} lack an expert, {thirds} thirds",
        done=done,
        total=total,
        lacking=lacking,
        thirds=thirds,
    )
    work = table("expert", "states", "without_markup")
    for expert_progress in progress["experts"]:
        states = ", ".join(f"{code(name, 'assignment')} {count}" for name, count in expert_progress["states"].items())
        work.add_row(escape(expert_progress["expert_id"]), states, str(expert_progress["without_markup"]))
    console.print(work)
    click.echo(_forecast(progress["forecast"]))
    for essay in progress["essays"]:
        for assignment in essay["assignments"]:
            if assignment["note"]:
                click.echo(f"{essay['item_id']} {assignment['expert_id']}: {assignment['note']}")
    for row in progress["calibrations"]:
        if row["accuracy"] is not None:
            own, others = number(row["accuracy"], 1), number(row["experts_accuracy"] or 0, 1)
            speak(
                "{expert_id}: {done} calibrations, {own} % with the others, who reach {others} %",
                expert_id=row["expert_id"],
                done=row["done"],
                own=own,
                others=others,
            )


def _forecast(forecast: dict[str, Any]) -> str:
    """Return the forecast of the end as a sentence, with its uncertainty."""
    markups_left, handed_in = f"{forecast['left']:.0f}", forecast["handed_in"]
    so_far = say("{markups_left} markups left, {handed_in} handed in", markups_left=markups_left, handed_in=handed_in)
    if forecast["ends_at"] is None:
        return so_far + say("; nobody can say yet when it ends: somebody has handed nothing in, or an essay has nobody")
    if not forecast["left"]:
        return so_far + say("; it is done")
    sure = "" if forecast["fair"] else say("; this is a guess, little was handed in so far")
    slowest = say(", {slowest} last", slowest=forecast["slowest"]) if forecast["slowest"] else ""
    ends, first, last = forecast["ends_at"], forecast["earliest"], forecast["latest"]
    return so_far + say(
        "; it ends about {ends}{slowest}, with 95 % from {first} to {last}{sure}",
        ends=ends,
        slowest=slowest,
        first=first,
        last=last,
        sure=sure,
    )


@marking.command("agreement")
@click.argument("marking_id")
def marking_agreement(marking_id: str) -> None:
    """Print agreement, drift and speed of the experts of MARKING_ID as JSON."""
    show_json(desk().get(routes.AGREEMENT, marking_id=marking_id))


@marking.command("suggest")
@click.argument("marking_id")
@click.option("--session", help="The counting answers of a closed session on the same set.")
@click.option(
    "--markups",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A program's markups: a folder with ITEM.json for each essay.",
)
@click.option(
    "--dictionary",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A UTF-8 file with a phrase, a tab and its code on each line.",
)
@click.option("--off", is_flag=True, help="Switch suggestions off.")
@click.option("--assignment", "assignments", multiple=True, help="Only this one; may be repeated.")
def marking_suggest(
    marking_id: str,
    session: str | None,
    markups: Path | None,
    dictionary: Path | None,
    assignments: tuple[str, ...],
    *,
    off: bool,
) -> None:
    """Show experts of MARKING_ID suggestions from one source, where they have not opened the essay yet."""
    if sum(source is not None for source in (session, markups, dictionary)) + off != 1:
        raise click.UsageError(say("name one of --session, --markups, --dictionary and --off"))
    sources = [{"markups": portion} for portion in _portions(markups)] if markups else [{"session": session}]
    if dictionary:
        sources = [{"phrases": _phrases(dictionary)}]
    count = fragments = 0
    for source in sources:
        request = {**source, "assignments": list(assignments) or None}
        switched = desk().put(routes.SUGGESTIONS, request, marking_id=marking_id)
        count, fragments = count + switched["assignments"], fragments + switched["fragments"]
    if off:
        speak("suggestions switched off; assignments: {count}", count=count)
    else:
        speak("suggestions switched on; assignments: {count}, fragments: {fragments}", count=count, fragments=fragments)


_PORTION: Final = 1_000_000
"""Approximate bytes of annotations in one request; the platform accepts 2 MiB."""


def _portions(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the markups of a folder by item, so many together as a request takes."""
    portion: dict[str, Any] = {}
    size = 0
    for path in sorted(folder.glob("*.json")):
        if portion and size + path.stat().st_size > _PORTION:
            yield portion
            portion, size = {}, 0
        try:
            portion[path.stem] = json.loads(path.read_text("utf-8"))
        except ValueError as error:
            raise complaint("{path} is no JSON: {why}", path=path, why=error) from None
        size += path.stat().st_size
    if not portion:
        raise complaint("{path} has no ITEM.json", path=folder)
    yield portion


def _phrases(dictionary: Path) -> dict[str, str]:
    phrases: dict[str, str] = {}
    try:
        lines = dictionary.read_text("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise complaint("{path} is no UTF-8: {why}", path=dictionary, why=error) from None
    for place, line in enumerate(lines, start=1):
        phrase, _, code_name = (part.strip() for part in line.partition("\t"))
        if line.strip() and not (phrase and code_name):
            raise complaint("{path}, line {number}: no phrase, tab and code", path=dictionary, number=place)
        if line.strip():
            phrases.setdefault(phrase, code_name)
    return phrases


@marking.command("ratings")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@as_json
def marking_ratings(file: Path, *, raw: bool) -> None:
    """Show how far the raters of FILE agree, in all and by type."""
    agreement = desk().post_bytes(routes.RATINGS_AGREEMENT, file.read_bytes())
    end_with_json(raw, agreement)
    for section in agreement["sections"]:
        _print_section(section, section["places"])


def _print_section(section: Any, places: Sequence[int]) -> None:
    """Print a contest's own table; ``places``: decimals of each column."""
    listed = Table(*(column[language()] for column in section["columns"]), title=section["title"][language()])
    for row in section["rows"]:
        listed.add_row(*map(_cell, row, places))
    console.print(listed)


# Clause: TS G-5
def _cell(value: Any, places: int) -> str:
    """Format a cell of a contest's table; an undefined value becomes a dash."""
    if value is None:
        return _UNDEFINED
    return number(value, places) if isinstance(value, float) else escape(str(of_both(value, language())))


@marking.command("extend")
@click.argument("expert_id")
@click.argument("assignment_id")
@click.argument("seconds", type=int)
@_reason
def marking_extend(expert_id: str, assignment_id: str, seconds: int, reason: str) -> None:
    """Give EXPERT_ID so many SECONDS more for ASSIGNMENT_ID."""
    _decided(routes.EXTEND, expert_id, assignment_id, {"seconds": seconds, "reason": reason})


@marking.command("reassign")
@click.argument("expert_id")
@click.argument("assignment_id")
@click.option("--to", help="An expert; without it the least loaded one who may.")
@_reason
def marking_reassign(expert_id: str, assignment_id: str, to: str | None, reason: str) -> None:
    """Give the essay of EXPERT_ID's ASSIGNMENT_ID to another expert."""
    _decided(routes.REASSIGN, expert_id, assignment_id, {"to": to, "reason": reason})


@marking.command("release")
@click.argument("expert_id")
@click.argument("assignment_id")
@_reason
def marking_release(expert_id: str, assignment_id: str, reason: str) -> None:
    """Withdraw ASSIGNMENT_ID from EXPERT_ID; the essay stays unassigned."""
    _decided(routes.RELEASE, expert_id, assignment_id, {"reason": reason})


def _decided(route: Route, expert_id: str, assignment_id: str, body: dict[str, Any]) -> None:
    assignment = desk().post(route, body, expert_id=expert_id, assignment_id=assignment_id)
    name, whose, state = assignment["assignment_id"], assignment["expert_id"], code(assignment["state"], "assignment")
    speak("{name} of {whose}: {state}", name=name, whose=whose, state=state)


@spoken.group()
def replay() -> None:
    """Stage 2: programs' work replayed for clinicians, who judge it."""


@replay.command("begin")
@click.argument("run_id")
@click.option("--files", type=Numbers(), required=True, help="Files of the run, one a round (1-16).")
@click.option("--person", "people", multiple=True, required=True, help="A clinician's id; once for each.")
@click.option(
    "--seed", type=click.IntRange(0, 2**53 - 1), required=True, help="Of the lot; everybody who signs in can see it."
)
@click.option("--team", "teams", multiple=True, help="A team whose work is replayed; all that took part without it.")
@click.option("--limit", type=click.IntRange(1, 7200), help="Seconds for a review; the contest's without it.")
@click.option("--reason", required=True, help="The experts' protocol; it is written to the audit log.")
def begin(
    *,
    run_id: str,
    files: tuple[int, ...],
    people: tuple[str, ...],
    seed: int,
    teams: tuple[str, ...],
    limit: int | None,
    reason: str,
) -> None:
    """Choose what of RUN_ID is replayed and draw the lot, once (D 9.10.8.5)."""
    choice = {
        "run_id": run_id,
        "files": list(files),
        "people": list(people),
        "seed": seed,
        "teams": list(teams) or None,
        "limit_s": limit,
        "reason": reason,
    }
    _show(desk().post(routes.BEGIN_REPLAY, choice))


@replay.command("open")
@click.argument("run_id")
def open_(run_id: str) -> None:
    """Open the next round of RUN_ID's replay."""
    replay_body = desk().post(routes.OPEN_ROUND, run_id=run_id)
    which, rounds, until = len(replay_body["opened"]), len(replay_body["files"]), replay_body["until"]
    speak("round {which} of {rounds} lasts until {until}", which=which, rounds=rounds, until=until)


@replay.command("show")
@click.argument("run_id")
@as_json
def show(run_id: str, raw: bool) -> None:
    """Show the lot, the rounds and the reviews of RUN_ID's replay."""
    replay_body = desk().get(routes.REPLAY, run_id=run_id)
    end_with_json(raw, replay_body)
    _show(replay_body)


@replay.command("save")
@click.argument("run_id")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
def save(run_id: str, folder: Path) -> None:
    """Keep what was shown and said in RUN_ID's replay in FOLDER, round by round."""
    replay_body = desk().get(routes.REPLAY, run_id=run_id)
    folder.mkdir(parents=True, exist_ok=True)
    for which, file in enumerate(replay_body["files"], start=1):
        round_body = desk().get(routes.REPLAY, {"round": str(which)}, run_id=run_id)
        reviews = [review for review in round_body["reviews"] if review["round"] == which]
        _keep(
            folder / f"round-{which:02d}.json",
            {"round": which, "file": file, "works": round_body["works"], "reviews": reviews},
        )
    _keep(folder / "replay.json", {name: value for name, value in replay_body.items() if name != "works"})
    speak("{files} rounds in {folder}", files=len(replay_body["files"]), folder=folder)


def _keep(file: Path, content: Any) -> None:
    file.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", "utf-8")


@replay.command("close")
@click.argument("run_id")
@click.option("--reason", required=True, help="The protocol of the stage; it is written to the audit log.")
def close(run_id: str, reason: str) -> None:
    """Compute interpretability when all rounds of RUN_ID's replay are over; it stands beside the board from then on."""
    _show(desk().post(routes.CLOSE_REPLAY, {"reason": reason}, run_id=run_id))


def _show(replay_body: Any) -> None:
    which, rounds = len(replay_body["opened"]), len(replay_body["files"])
    console.print(say("seed {seed}; round {which} of {rounds}", seed=replay_body["seed"], which=which, rounds=rounds))
    lot = Table(say("name"), say("who"), title=say("Lot"))
    for participant in (*replay_body["systems"], *replay_body["people"]):
        lot.add_row(participant["name"], escape(participant["id"]))
    console.print(lot)
    if replay_body["reviews"]:
        titles = (say("round"), say("person"), say("system"), say("answers"), say("saved"))
        reviews = Table(*titles, title=say("Reviews"))
        for review in replay_body["reviews"]:
            answers = ", ".join(f"{code(key, 'question')}: {yes(value)}" for key, value in review["answers"].items())
            reviews.add_row(
                str(review["round"]), review["person"], review["system"], answers, review["saved_at"] or "—"
            )
        console.print(reviews)
    if (results := replay_body["results"]) is not None:
        _print_section(results, [3] * len(results["columns"]))
