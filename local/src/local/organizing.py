"""The organizer's command on a running local cloud, as demonstrations and trials use it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from local.cloud import LocalCloud

_ANY_FUNCTION = "FunctionsDispatch"
"""Every function sees the names of all resources; which one's environment is taken does not matter."""


class OrganizerError(Exception):
    """The command refused; the text is what it said."""


class Organizer:
    """Runs ``contest`` against one local cloud."""

    def __init__(self, cloud: LocalCloud) -> None:
        self._environment = cloud.environment(_ANY_FUNCTION)
        self.cycle = self._environment["HURDLE_CYCLE"]

    def contest(self, *words: str) -> str:
        """What ``contest WORDS`` printed. Raises OrganizerError when it fails."""
        command = [str(Path(sys.executable).with_name("contest")), *words]
        done = subprocess.run(  # noqa: S603 - our own command with our own words
            command, env=self._environment, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise OrganizerError((done.stderr or done.stdout).strip())
        return done.stdout.strip()

    def load(self, folder: Path) -> str:
        """Load a cycle's folder; what the command says of it."""
        return self.contest("cycle", "load", str(folder))

    def team(self, team_id: str, name: str) -> str:
        """Admit a team and return a token for its program."""
        self.contest("team", "add", team_id, name)
        return self.contest("token", "issue", team_id)
