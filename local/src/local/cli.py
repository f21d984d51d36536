"""The command `hurdle`: runs the local cloud, and plays contests on it. What it runs is loaded by the run."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import click

from local.environment import FUNCTIONS, HOST, contests
from local.texts import CATALOGUE
from markup_core.texts import LANGUAGES, language
from tracks.command import spoken


class _Hurdle(spoken.LazyGroup):
    """The commands of other modules, each of which loads a cloud, or the players of a contest."""

    catalogue = CATALOGUE
    lazy: ClassVar = {
        "demo-cycle": "rehearsal.whole_cycle:demo_cycle",
        "intervals": "local.simulation:intervals",
        "rehearse": "rehearsal.command:rehearse",
    }


@click.group(cls=_Hurdle)
@click.version_option(package_name="hurdle-local", prog_name="hurdle", message="%(prog)s %(version)s")
@spoken.choice
def main() -> None:
    """Run the real functions on this machine, without an AWS account."""


DEFAULT_PORT = 8700
DEFAULT_AWS_PORT = 8701
_TEMPLATE = Path(__file__).with_name("template.json")
_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
_FILE = click.Path(dir_okay=False, path_type=Path)


@main.command()
@click.option("--port", default=DEFAULT_PORT, show_default=True, help="Port of the API; 0 takes any free one.")
@click.option(
    "--host", default=HOST, show_default=True, help="Address of the API: another one inside a container, not elsewhere."
)
@click.option("--aws-port", default=DEFAULT_AWS_PORT, show_default=True, help="Port of the AWS services.")
@click.option(
    "--state",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep everything in this folder: what was acknowledged is there again after a kill.",
)
@click.option("--workers", default=2, show_default=True, help="Processes per function.")
@click.option("--template", type=_FILE, default=_TEMPLATE, help="CloudFormation template in JSON.")
@click.option(
    "--functions",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=FUNCTIONS,
    help="Folder of the handlers' sources.",
)
@click.option(
    "--cycle", type=_FOLDER, help="Load this folder; the local cloud is called as its cycle, else as its state's."
)
@click.option("--log-dir", type=click.Path(file_okay=False, path_type=Path), help="Write what functions print there.")
@click.option(
    "--mails",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("mails"),
    show_default=True,
    help="Write mails there, a file each, instead of sending them.",
)
@click.option("--hooks-loopback", is_flag=True, help="Send webhooks to http addresses of this machine.")
@click.option("--verbose", is_flag=True, help="Show what functions print.")
def up(**options: Any) -> None:
    """Run the local cloud until Ctrl-C."""
    from local import running

    running.up(**options)


@main.command()
@click.option("--port", default=DEFAULT_PORT, show_default=True, help="Port of the API; 0 takes any free one.")
@click.option("--lang", type=click.Choice(LANGUAGES), default=language, help="The language; the system's without it.")
@click.option("--once", is_flag=True, help="Stop at the end instead of leaving the API running.")
@click.option("--track", type=click.Choice(contests()), default="essay", show_default=True, help="Which contest.")
def demo(**options: Any) -> None:
    """Play a qualification of the pilot program on a contest's demonstration cycle, then leave the API running."""
    from local import running

    running.demo(**options)


@main.command()
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
def trial(data: Path) -> None:
    """Play the exchange on a corpus of real texts with two annotators in DATA and check what comes out.

    Exit code 1 when a check fails.
    """
    from local import running

    running.trial(data)


if __name__ == "__main__":
    main()
