"""Bugs of a contest of programs: what counts for a day, whose run is scored and shown, what is told of the private."""

from __future__ import annotations

from typing import Any, Final

from local.rehearsal.harm.planting import by_name, put_in


def count_the_platforms_failure() -> None:
    """What a machine has lost counts for the day as if the program had failed."""
    from dataclasses import replace

    from contest.domain.submissions import submission as states

    original = states.counted

    def counted(submissions: Any, day: str) -> Any:
        return original([replace(each, cause=None) for each in submissions], day)

    put_in(states, "counted", counted)


def forget_the_day() -> None:
    """What a team has submitted on other days counts on this one."""
    from dataclasses import replace

    from contest.domain.submissions import submission as states

    original = states.counted
    put_in(states, "counted", lambda known, day: original([replace(each, day=day) for each in known], day))


def tell_what_differs() -> None:
    """Totals are told of a program however few of its answers differ from an earlier one's."""
    from contest.domain.results import hidden_sets

    put_in(hidden_sets, "withheld", lambda *_: None)


def take_two_at_once() -> None:
    """Nobody looks whether another submission of the team is under way."""
    from dataclasses import replace

    from contest.adapters.submissions import DynamoSubmissions

    original = DynamoSubmissions.lane

    def lane(self: DynamoSubmissions, team_id: str) -> Any:
        return replace(original(self, team_id), submission_id="")

    put_in(DynamoSubmissions, "lane", lane)


def promise_before_storing() -> None:
    """A submission is promised, and what is stored does not have the receipt."""
    from dataclasses import replace

    from contest.adapters.submissions import DynamoSubmissions

    original = DynamoSubmissions.change

    def change(self: DynamoSubmissions, before: Any, after: Any, *more: Any) -> None:
        lost = after.receipt and not before.receipt
        original(self, before, replace(after, receipt="") if lost else after, *more)

    put_in(DynamoSubmissions, "change", change)


def score_anothers_run() -> None:
    """The outputs of the first run that there is are scored, whosesoever it is."""
    from contest.services.submissions import programs

    original = programs.answers

    def answers(platform: Any, found: Any, run: str) -> Any:
        others = [
            each for each in platform.submissions.listed() if each.attempt and each.state == "scored" and not each.of
        ]
        first = min(others, key=lambda each: each.created_at, default=found)
        return original(platform, found, first.run if first.team_id != found.team_id else run)

    put_in(programs, "answers", answers)


def show_anothers_prints() -> None:
    """Whoever reads logs is shown those of another run."""
    from contest import stored_names
    from contest.services.submissions import programs

    original = programs.log_of

    def log_of(platform: Any, run: str, stream: str) -> Any:
        names = platform.blobs.names(stored_names.RUNS_OF_SUBMISSIONS)
        runs = [each.split("/")[2] for each in names if each.endswith(f"/{stream}")]
        return original(platform, next((each for each in runs if each != run), run), stream)

    put_in(programs, "log_of", log_of)


def blame_the_program() -> None:
    """A run that was lost counts as the program's own failure."""
    from dataclasses import replace

    from contest.domain.submissions.running import FailureCause
    from contest.services.submissions import programs

    original = programs.look

    def look(platform: Any, found: Any) -> Any:
        seen = original(platform, found)
        if seen.ending is None or seen.ending.cause is not FailureCause.PLATFORM:
            return seen
        return replace(seen, ending=replace(seen.ending, cause=FailureCause.EXIT_CODE))

    put_in(programs, "look", look)


def show_the_private_test_early() -> None:
    """Everybody sees the private test as it stands, published or not."""
    from contest.services.submissions import private

    put_in(private, "told", private.result)


def ignore_the_choice() -> None:
    """Whatever a team has chosen, its best is run in private."""
    from dataclasses import replace

    from contest.services.submissions import private

    original = private.chosen_of
    put_in(private, "chosen_of", lambda known, since: original([replace(each, named_at=None) for each in known], since))


def pay_unconfirmed() -> None:
    """The prizes of the sum go to whoever has declared anything, whatever the commission said of it."""
    from tracks.fusion import aggregate

    put_in(aggregate, "is_multitask", lambda declared: declared is not None)


def pay_nobody() -> None:
    """The commission's confirmation reaches no prize: nobody has one of the sum."""
    from tracks.fusion import aggregate

    put_in(aggregate, "is_multitask", lambda _: False)


def archive_what_is_printed() -> None:
    """Everybody reads in the archive what the programs have printed over the private test."""
    from contest.services.submissions import private, programs

    original = private._archived_run

    def archived_run(platform: Any, runs: Any, found: Any) -> Any:
        return {**original(platform, runs, found), "printed": str(programs.log_of(platform, found.run, "stdout"))}

    put_in(private, "_archived_run", archived_run)


def archive_before_the_publication() -> None:
    """The archive of the private test lies there as soon as that is begun."""
    from contest import stored_names
    from contest.services.submissions import private

    original = private.begin

    def begin(platform: Any, *more: Any) -> Any:
        begun = original(platform, *more)
        for cycle in {each.cycle for each in begun}:
            name = stored_names.private_archive_name(cycle)
            platform.blobs.publish(name, private.archived(platform), private.ZIP, lasting=False)
        return begun

    put_in(private, "begin", begin)


BUGS: Final = by_name(
    count_the_platforms_failure,
    forget_the_day,
    tell_what_differs,
    take_two_at_once,
    promise_before_storing,
    score_anothers_run,
    show_anothers_prints,
    blame_the_program,
    show_the_private_test_early,
    ignore_the_choice,
    pay_unconfirmed,
    pay_nobody,
    archive_what_is_printed,
    archive_before_the_publication,
)
